import { button, make, part, sorry, tell } from "./me_parts.js";

const WORDS = {
  summaries: "Short summaries of my talks",
  trends: "How I have been feeling",
  transcripts: "What is said, word for word",
  watching: "Being there while I talk",
};

/** Who may see what, and the person's own yes and no. */
export class Sharing {
  constructor(talk) {
    this.talk = talk;
  }

  async show() {
    try {
      this.#draw(await this.talk.command("consent.list", {}));
    } catch (error) {
      sorry(error);
    }
  }

  #draw({ consents, say }) {
    const lines = make("ul", {}, ...say.map((line) => make("li", {}, make("p", { className: "what" }, line))));
    const choices = Object.entries(WORDS).map(([scope, words]) => this.#choice(scope, words, consents));
    part("sharing-list").replaceChildren(lines, make("h3", {}, "What I say to it"), make("ul", {}, ...choices));
  }

  #choice(scope, words, consents) {
    const mine = consents.filter((each) => each.scope === scope && each.basis === "self");
    const no = mine.some(({ allowed }) => !allowed);
    const yes = mine.some(({ live }) => live);
    const others = consents.some((each) => each.scope === scope && each.basis !== "self" && each.live);
    const named = (what) => ({ "aria-label": `${what}: ${words}` });
    const stops = ["transcripts", "watching"].includes(scope);
    const buttons = [
      !yes && button(no ? "Allow it again" : "Allow it", () => this.#decide(scope, true), named(no ? "Allow it again" : "Allow it")),
      yes && button("Take it back", () => this.#decide(scope, false), named("Take it back")),
      !yes && !no && stops && button("Say no", () => this.#decide(scope, false), { className: "main", ...named("Say no") }),
    ].filter(Boolean);
    const now = no ? "You said no. Nobody sees this." : yes ? "You allowed this." : others ? "Somebody who cares for you allowed this." : "Not allowed.";
    return make("li", {}, make("p", { className: "what" }, words), make("p", { className: "soft" }, now), make("p", { className: "row" }, ...buttons));
  }

  async #decide(scope, allow) {
    try {
      await this.talk.command("consent.set", { scopes: [scope], allow });
      tell(allow ? "It is allowed. You can take it back at any time." : "It is not allowed any more.");
    } catch (error) {
      sorry(error);
    }
    await this.show();
  }
}
