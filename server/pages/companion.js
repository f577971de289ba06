const WORDS = { placeholder: "Write here", send: "Send", stop: "Stop", help: "Help", close: "Close", you: "You" };
const HELP = [{ name: "Emergency services", contact: "112, or your country's own number" }];

/** What the page knows until it knows who is there. */
export const NOBODY = { display_name: "Fireside", words: WORDS, transcript: "current", help: HELP, language: "en" };

/** How a companion looks and speaks; null while that cannot be had. */
export async function companionNamed(name) {
  try {
    const answer = await fetch(`/companion.json${name ? `?companion=${encodeURIComponent(name)}` : ""}`);
    const given = answer.ok && (await answer.json());
    return given && { ...NOBODY, ...given, words: { ...WORDS, ...given.words } };
  } catch {
    return null;
  }
}
