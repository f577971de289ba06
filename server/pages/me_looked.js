import { make, part, sorry } from "./me_parts.js";

const AT_ONCE = 20;

/** Who looked at what is kept of the person, in plain words, the latest first. */
export class Looked {
  constructor(talk) {
    this.talk = talk;
    part("looked-more").onclick = () => this.show(this.next);
  }

  async show(cursor) {
    try {
      const { entries, next } = await this.talk.command("audit.query", { cursor, limit: AT_ONCE });
      this.next = next;
      const lines = entries.map(({ at, say }) => make("li", {}, make("p", { className: "what" }, say), make("p", { className: "soft" }, new Date(at).toLocaleString(document.documentElement.lang, { dateStyle: "long", timeStyle: "short" }))));
      if (!cursor) part("looked-list").replaceChildren(...(lines.length ? lines : [make("li", {}, "Nobody has looked.")]));
      else part("looked-list").append(...lines);
      part("looked-more").hidden = !next;
    } catch (error) {
      sorry(error);
    }
  }
}
