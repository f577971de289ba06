import { button, day, hideSection, make, part, sorry, tell } from "./me_parts.js";

const DAY = 86_400_000;
const PAGE = 20; // lessons at a time
const NOT_ALLOWED = "Consent does not allow this now.";

const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

/** Notes on lessons, and what was learned in them week by week: both come in the same answer. */
export class Notes {
  #notes = [];
  #next = null;
  #turn = 0; // an answer to an older question than the last shows nothing

  constructor(talk) {
    this.talk = talk;
  }

  /** From the latest on; where consent does not allow it nothing of before stays. */
  async show() {
    this.#notes = [];
    await this.#load();
  }

  async #load(cursor) {
    const turn = ++this.#turn;
    try {
      const { notes, next } = await this.talk.command("care.notes", { limit: PAGE, cursor });
      if (turn !== this.#turn) return;
      this.#notes.push(...notes);
      this.#next = next;
      this.#draw();
    } catch (error) {
      if (turn !== this.#turn) return;
      const refused = error.code === "policy.refused";
      if (!refused) sorry(error);
      if (!refused && this.#notes.length) return;
      this.#notes = [];
      for (const id of ["learned", "notes"]) {
        part(id).replaceChildren(make("p", { className: "soft" }, refused ? NOT_ALLOWED : ""));
        hideSection(id, refused && !this.talk.welcome.companion.startsWith("maestro"));
      }
    }
  }

  #draw() {
    const more = () => make("p", { className: "row" }, this.#next && button("Earlier ones", () => this.#load(this.#next)));
    const notes = this.#notes;
    part("notes").replaceChildren(notes.length ? make("ul", {}, ...notes.map((note) => this.#note(note))) : make("p", {}, "There are no notes yet."), more());
    part("learned").replaceChildren(...this.#learned(), more());
    for (const id of ["learned", "notes"]) hideSection(id, false);
  }

  #learned() {
    const all = this.#notes.flatMap(({ subject, learned = [] }) => learned.map((each) => ({ subject, ...each })));
    if (!all.length) return [make("p", {}, "Nothing is told yet of what was learned. It comes with the notes on lessons.")];
    all.sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
    const weeks = grouped(all, ({ at }) => monday(at));
    const shown = [...weeks].flatMap(([week, entries]) => [make("h3", {}, `${named(week)}: ${sum(entries)}`), make("ul", { className: "learned" }, ...entries.map(entry))]);
    return [make("p", { className: "glance" }, this.#glance(all)), ...shown];
  }

  /** The last two weeks in a line; of the week before only when all of it is here. */
  #glance(all) {
    const now = Date.now();
    const since = (from, until) => all.filter(({ at }) => now - Date.parse(at) >= from * DAY && now - Date.parse(at) < until * DAY);
    const lately = since(-1, 7);
    const whole = !this.#next || now - Date.parse(all.at(-1).at) >= 14 * DAY;
    const before = whole ? ` The 7 days before: ${sum(since(7, 14))}.` : "";
    return lately.length ? `The last 7 days: ${sum(lately)}.${before}` : `Nothing in the last 7 days. The latest is of ${day(all[0].at)}.`;
  }

  #note(note) {
    const list = (title, lines = []) => (lines.length ? [make("h3", {}, title), make("ul", {}, ...lines.map((each) => make("li", {}, each)))] : []);
    const judged = note.evaluation;
    const scores = judged ? [judged.engagement && `Took part: ${judged.engagement} of 5`, judged.understanding && `Understood: ${judged.understanding} of 5`].filter(Boolean) : [];
    const item = make("li", {},
      make("p", { className: "soft" }, `${note.subject}, ${day(note.at)}, ${count(note.minutes, "minute")}${note.read ? "" : " · new"}`),
      make("p", { className: "what" }, note.summary),
      ...list("What went well", note.highlights), ...list("What to keep an eye on", note.concerns), ...list("What you could do", note.suggestions),
      scores.length ? make("p", { className: "soft" }, `${scores.join(". ")}.`) : "");
    if (!note.read) item.append(make("p", { className: "row" }, button("I have read it", () => this.#read(note))));
    return item;
  }

  async #read(note) {
    try {
      await this.talk.command("care.notes.read", { note: note.note });
      tell("It is marked as read.");
      this.#notes = this.#notes.map((each) => (each === note ? { ...note, read: true } : each));
      if (this.#notes.length) this.#draw();
    } catch (error) {
      sorry(error);
      await this.show();
    }
  }
}

function entry({ topic, learned, subject, at, before = 0, since }) {
  const mark = before ? "came up again" : "new";
  const earlier = before ? `; also in ${count(before, "earlier lesson")}, first on ${day(since)}` : "";
  return make("li", {},
    make("p", {}, make("strong", { className: "what" }, topic[0].toUpperCase() + topic.slice(1)), " ", make("span", { className: "mark" }, mark)),
    make("p", {}, learned),
    make("p", { className: "soft" }, `${subject}, ${day(at)}${earlier}`));
}

/** How much of it is new and how much came up again, in words. */
function sum(entries) {
  const again = entries.filter(({ before = 0 }) => before).length;
  const words = [entries.length - again && `${entries.length - again} new`, again && `${again} came up again`].filter(Boolean);
  return words.join(", ") || "nothing";
}

/** The Monday of that week, at midnight. */
function monday(time) {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - ((date.getDay() + 6) % 7)).getTime();
}

function named(week) {
  const ago = Math.round((monday(Date.now()) - week) / (7 * DAY));
  return ago === 0 ? "This week" : ago === 1 ? "Last week" : `Week of ${day(week)}`;
}

function grouped(all, of) {
  const found = new Map();
  for (const each of all) found.set(of(each), [...(found.get(of(each)) ?? []), each]);
  return found;
}
