import { companionNamed, NOBODY } from "./companion.js";
import { Fireside } from "./fireside.js";
import "./help.js";
import { keptFor } from "./kept.js";
import "./transcript.js";

const CALM = 5_000; // a short break is nobody's business
const THINKING = 1_500;

const query = new URLSearchParams(location.search);
const [name, user] = [query.get("companion") ?? undefined, query.get("user") ?? undefined];
const parts = Object.fromEntries(Array.from(document.querySelectorAll("[id]"), (part) => [part.id, part]));
const { transcript, field, act, crisis, again } = parts;
const root = document.documentElement;
const timers = {};
const told = {}; // what there is to say: away, said, thinking, with
let companion = NOBODY;

const kept = await keptFor(`${name}/${user}`);
const url = `${location.origin.replace("http", "ws")}/ws`;
const talk = new Fireside({ url, hello: { companion: name, user, token: localStorage.token }, store: kept });

function dress(given) {
  companion = given;
  const { words, display_name: shown, language } = given;
  root.lang = language;
  root.dataset.theme = given.theme;
  root.style.setProperty("--least", `${given.text_px ?? 24}px`);
  document.title = parts.name.textContent = shown;
  parts.label.textContent = field.placeholder = words.placeholder;
  parts.disclosure.textContent = words.disclosure;
  parts.help.tell(words, given.help);
  parts.me.hidden = given.transcript === "current";
  parts.me.href = `/me${location.search}`;
  parts.me.textContent = words.memory;
  transcript.names = { user: words.you, assistant: shown };
  transcript.current = given.transcript === "current";
  transcript.pacing = { wordsPerSecond: given.pace_words_per_second };
  tellDate();
  refresh();
}

function tellDate() {
  const day = { weekday: "long", day: "numeric", month: "long" };
  write(parts.date, new Date().toLocaleDateString(companion.language, day));
}

// an unchanged text is not read out twice
function write(part, text) {
  if (part.textContent !== text) part.textContent = text;
}

function refresh() {
  const { words } = companion;
  const { answering } = transcript;
  write(act, answering ? words.stop : words.send);
  act.className = answering ? "quiet" : "main";
  parts.first.hidden = transcript.childElementCount > 0;
  write(parts.status, told.away || told.said || told.thinking || "");
  write(parts.note, told.with || (talk.welcome?.model.connected === false ? words.no_model : ""));
  document.body.className = `${answering || told.thinking ? "thinking" : ""} ${companion.transcript}`;
}

/** Say something, at once or after a while. */
function tell(kind, text = "", after = 0) {
  clearTimeout(timers[kind]);
  const now = () => {
    told[kind] = text;
    refresh();
  };
  if (after) timers[kind] = setTimeout(now, after);
  else now();
}

function away({ state }) {
  const { reconnecting, unsent, ended } = companion.words;
  if (state === "live") tell("away");
  else if (state === "ended") tell("away", told.said || ended);
  else if (!told.away) tell("away", talk.outbox.length ? `${reconnecting}\n${unsent}` : reconnecting, CALM);
}

function draft(text) {
  field.value = text;
  kept.setItem("draft", text);
}

function say() {
  const text = field.value;
  if (text.trim()) {
    offer();
    tell("said");
    draft("");
    talk.send(text);
  }
  field.focus();
}

/** An answer cut short can begin anew. */
function offer(message) {
  again.hidden = !message || companion.transcript === "current";
  again.textContent = companion.words.offer_continue;
  again.onclick = () => {
    offer();
    talk.command("response.regenerate", { message }).catch((error) => tell("said", error.say ?? ""));
  };
}

function snapshot({ messages = [], unanswered = [], response }) {
  transcript.clear();
  messages.forEach((message) => transcript.message(message));
  const cut = messages.at(-1)?.status === "interrupted";
  const asked = messages.findLast(({ role }) => role === "user")?.message;
  if (response) transcript.begin(response);
  else offer(unanswered.at(-1) ?? (cut && asked));
  // unconfirmed words are on the screen too
  for (const entry of talk.outbox) if (!entry.message) transcript.said(entry);
  refresh();
}

async function greet() {
  const { text } = await talk.command("greeting.get").catch(() => ({ text: "" }));
  write(parts.greeting, text);
}

function hear(type, listener) {
  talk.on(type, (event) => {
    listener(event);
    refresh();
  });
}

hear("state", away);
hear("welcome", ({ resumed, conversation }) => {
  tell("with");
  if (conversation) return;
  if (!resumed) snapshot({});
  greet();
});
hear("conversation.snapshot", snapshot);
hear("sent", (entry) => {
  transcript.said(entry);
  tell("thinking", companion.words.waiting, THINKING);
});
hear("acked", (entry) => transcript.settled(entry));
hear("refused", ({ id, text, error }) => {
  transcript.withdrawn(id);
  if (!field.value) draft(text);
  tell("thinking");
  tell("said", error.say ?? "");
});
hear("error", ({ say: words }) => tell("said", words ?? ""));
hear("notice", ({ code, say: words }) => {
  if (code.startsWith("watch.")) tell("with", code.endsWith("started") ? words : "");
  else if (words && (parts.first.hidden || words !== parts.disclosure.textContent)) tell("said", words);
});
hear("message.created", (event) => transcript.message(event));
hear("safety.shown", (event) => crisis.show(companion.words, event));
hear("response.started", (event) => transcript.begin(event));
hear("response.snapshot", (event) => transcript.begin(event));
hear("response.delta", (event) => {
  tell("thinking");
  transcript.piece(event);
});
hear("response.done", (event) => {
  tell("thinking");
  transcript.finish(event);
  if (event.status === "interrupted") offer(event.message);
});
hear("conversation.changed", ({ removed_from: from, deleted }) => transcript.removeFrom(deleted ? 0 : from));

parts.say.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!transcript.answering) return say();
  talk.command("response.cancel").catch(() => null);
  transcript.stop();
});
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  say();
});
field.addEventListener("input", () => draft(field.value));
transcript.addEventListener("settled", refresh);
addEventListener("online", () => talk.wake());

/** The screen stays on. */
async function stayAwake() {
  if (document.hidden) return;
  talk.wake();
  await navigator.wakeLock?.request("screen").catch(() => null);
}

document.addEventListener("visibilitychange", stayAwake);
setInterval(tellDate, 30_000);

dress(NOBODY);
draft(kept.getItem("draft") ?? "");
snapshot({});
let given = await companionNamed(name); // before the talk: it says how much of it is shown
if (given) dress(given);
talk.start();
stayAwake();
for (let pause = 500; !given; pause = Math.min(2 * pause, 30_000)) {
  await new Promise((resolve) => setTimeout(resolve, pause * Math.random()));
  given = await companionNamed(name);
  if (given) dress(given);
}
