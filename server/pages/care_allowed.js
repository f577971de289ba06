import { hideSection, make, part, sorry, tell } from "./me_parts.js";

const LISTS = ["known_topics", "avoid_topics", "routine"];

/** What caregivers tell the companion, and what they consent to. */
export class Allowed {
  constructor(talk) {
    this.talk = talk;
    this.written = false; // there are words in the form that are not kept yet
    part("context").oninput = () => (this.written = true);
    part("context").onsubmit = (event) => {
      event.preventDefault();
      this.#keep();
    };
    part("allow").onsubmit = (event) => {
      event.preventDefault();
      this.#decide(Boolean(event.submitter?.value));
    };
  }

  async show() {
    await Promise.all([this.#consents(), this.#context()]);
  }

  async #consents() {
    try {
      const { say } = await this.talk.command("consent.list", {});
      part("consents").replaceChildren(make("p", { className: "soft" }, "In the words in which the person reads it:"), make("ul", {}, ...say.map((line) => make("li", {}, line))));
    } catch (error) {
      sorry(error);
    }
  }

  async #context() {
    try {
      const { context, by } = await this.talk.command("care.context.get", {});
      if (this.written) return; // nobody's words are taken from under them, however late this came
      part("preferred_name").value = context.preferred_name ?? "";
      for (const id of LISTS) part(id).value = (context[id] ?? []).join("\n");
      part("told").textContent = by ? `Told last by ${by}.` : "";
      hideSection("context", false);
    } catch (error) {
      if (error.code === "policy.refused") hideSection("context", true);
      else sorry(error);
    }
  }

  async #keep() {
    const name = part("preferred_name").value.trim();
    const context = name ? { preferred_name: name } : {};
    for (const id of LISTS) {
      const lines = part(id).value.split("\n").map((line) => line.trim()).filter(Boolean);
      if (lines.length) context[id] = lines;
    }
    try {
      await this.talk.command("care.context.set", { context });
      this.written = false;
      tell("It is kept.");
    } catch (error) {
      if (error.code === "frame.invalid") tell("Please keep to 20 lines of 200 letters in each.", { stays: true });
      else sorry(error);
    }
  }

  async #decide(allow) {
    try {
      await this.talk.command("consent.set", { scopes: [part("scope").value], allow, basis: part("basis").value });
      tell(allow ? "It is allowed for a year. The person is told." : "It is taken back.");
    } catch (error) {
      if (error.code === "policy.refused") tell("You cannot decide that: either this is not your role, or this is not enough for it.", { stays: true });
      else sorry(error);
    }
    await this.show();
  }
}
