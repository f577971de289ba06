import { Notes } from "./care_notes.js";
import { button, day, make, part, sorry } from "./me_parts.js";

const TYPES = { location: "Where am I?", identity: "Who am I?", time: "What time, what day?", activity: "What do I do now?", person: "Where is somebody?", general: "Something else" };
const SVG = "http://www.w3.org/2000/svg";
const NOT_ALLOWED = "Consent does not allow this now.";
const DAY = 86_400_000;

const clock = (time) => new Date(time).toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" });
const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

/** What consent lets a caregiver see. */
export class Views {
  constructor(talk) {
    this.talk = talk;
    this.notes = new Notes(talk);
    const date = part("date");
    date.value ||= iso(new Date());
    date.onchange = () => this.#emotions();
    part("choose").onsubmit = (event) => event.preventDefault();
    const move = (days) => () => {
      const at = new Date(`${date.value}T12:00`);
      date.value = iso(new Date(at.getTime() + days * DAY));
      this.#emotions();
    };
    part("before").onclick = move(-1);
    part("after").onclick = move(1);
  }

  async show() {
    await Promise.all([this.#emotions(), this.#repetition(), this.#trends(), this.#summaries(), this.notes.show()]);
  }

  /** Fill a place by a command; where consent does not allow it nothing of before stays. */
  async #fill(id, type, fields, draw) {
    try {
      part(id).replaceChildren(...draw(await this.talk.command(type, fields)));
    } catch (error) {
      part(id).replaceChildren(make("p", { className: "soft" }, error.code === "policy.refused" ? NOT_ALLOWED : ""));
      if (error.code !== "policy.refused") sorry(error);
    }
  }

  #emotions() {
    const from = new Date(`${part("date").value}T00:00`);
    if (Number.isNaN(from.getTime())) return undefined;
    const until = new Date(from.getFullYear(), from.getMonth(), from.getDate() + 1);
    return this.#fill("emotions", "care.emotions", { since: from.toISOString(), until: until.toISOString(), limit: 200 }, ({ emotions }) => {
      if (!emotions.length) return [make("p", {}, "Nothing was said that day.")];
      const felt = [...emotions].reverse();
      const feelings = Object.entries(tally(felt.map(({ emotion }) => emotion))).sort(([, one], [, other]) => other - one);
      const mean = felt.reduce((sum, { distress }) => sum + distress, 0) / felt.length;
      const how = mean < 0.3 ? "Mostly calm" : mean < 0.6 ? "Some unrest" : "A hard day";
      const most = felt.reduce((one, other) => (other.distress > one.distress ? other : one));
      return [
        make("p", { className: "glance" }, `${how}. ${count(felt.length, "message")}; most often ${feelings.slice(0, 3).map(([name, times]) => `${name} (${times})`).join(", ")}.`),
        make("p", {}, most.distress >= 0.5 ? `The hardest moment was about ${clock(most.at)}.` : ""),
        line(felt, from, until),
        table("What was felt, message by message", ["Time", "Feeling", "Distress"], felt.map(({ at, emotion, distress }) => [clock(at), emotion, `${Math.round(distress * 100)} of 100`])),
      ];
    });
  }

  #repetition() {
    return this.#fill("repetition", "care.repetition", {}, ({ days, types, chronic }) => {
      const rows = Object.entries(types).sort(([, one], [, other]) => other - one);
      if (!rows.length) return [make("p", {}, `No questions in the last ${count(days, "day")}.`)];
      const again = chronic.map(({ question_type: type, object, repeats, at }) => make("li", {}, make("p", { className: "what" }, `Again and again: ${object || (TYPES[type] ?? type)}`), make("p", { className: "soft" }, `${count(repeats + 1, "time")} in one talk, ${day(at)}`)));
      return [
        again.length ? make("ul", {}, ...again) : make("p", {}, "None came again and again in one talk."),
        table(`Questions of the last ${count(days, "day")}`, ["Kind", "How often"], rows.map(([type, times]) => [TYPES[type] ?? type, times]), false),
      ];
    });
  }

  #trends() {
    return this.#fill("trends", "care.trends", {}, ({ say, messages, sessions }) => [
      ...(say.length ? [make("ul", {}, ...say.map((each) => make("li", {}, each)))] : [make("p", {}, "There is too little yet to say anything.")]),
      make("p", { className: "soft" }, `This rests on ${count(messages, "message")} in ${count(sessions, "talk")}.`),
    ]);
  }

  #summaries(cursor) {
    return this.#fill("summaries", "care.summaries", { limit: 10, cursor }, ({ summaries, next }) => [
      summaries.length ? make("ul", {}, ...summaries.map((each) => this.#summary(each))) : make("p", {}, "There are no summaries."),
      make("p", { className: "row" }, cursor && button("Back to the latest", () => this.#summaries()), next && button("Earlier ones", () => this.#summaries(next))),
    ]);
  }

  #summary({ conversation, at, text }) {
    const item = make("li", {}, make("p", { className: "soft" }, day(at)), make("p", { className: "what" }, text));
    item.append(make("p", { className: "row" }, button("Read the words", () => this.#words(item, conversation), { "aria-label": `Read the words of ${day(at)}` })));
    return item;
  }

  async #words(item, conversation) {
    const there = item.querySelector(".words");
    if (there) return there.remove();
    const shown = make("div", { className: "words" });
    try {
      const { messages } = await this.talk.command("care.history", { conversation, limit: 200 });
      shown.append(...messages.map(({ role, text, at }) => make("p", { className: "said" }, make("strong", {}, `${role === "user" ? "They" : "The companion"}, ${clock(at)}: `), text)));
    } catch (error) {
      if (error.code !== "policy.refused") return sorry(error);
      shown.append(make("p", { className: "soft" }, NOT_ALLOWED));
    }
    return item.append(shown);
  }
}

const iso = (date) => `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;

function tally(names) {
  const counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Numbers behind a picture, put away until somebody asks for them; or, `folded` false, by themselves. */
function table(caption, heads, rows, folded = true) {
  const head = make("tr", {}, ...heads.map((each) => make("th", { scope: "col" }, each)));
  const body = rows.map((row) => make("tr", {}, ...row.map((each) => make("td", {}, String(each)))));
  const made = make("table", {}, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, ...body));
  return folded ? make("details", {}, make("summary", {}, caption), made) : made;
}

function drawn(tag, attributes, text = "") {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}

/** Distress over a day, from calm below to great above. */
function line(felt, from, until) {
  const x = (at) => 60 + (540 * (Date.parse(at) - from)) / (until - from);
  const y = (distress) => 130 - 110 * distress;
  const picture = drawn("svg", { class: "line", viewBox: "0 0 620 165", role: "img", "aria-label": "Distress over the day; the figures are in the table below" });
  for (const [level, words] of [[0, "calm"], [1, "great"]]) picture.append(drawn("line", { class: "grid", x1: 60, x2: 600, y1: y(level), y2: y(level) }), drawn("text", { x: 8, y: y(level) + 5 }, words));
  for (const hour of [0, 6, 12, 18, 24]) picture.append(drawn("text", { x: 60 + (540 * hour) / 24, y: 158, "text-anchor": hour === 24 ? "end" : "middle" }, `${hour}`));
  picture.append(drawn("polyline", { points: felt.map(({ at, distress }) => `${x(at)},${y(distress)}`).join(" ") }));
  for (const { at, distress } of felt) picture.append(drawn("circle", { cx: x(at), cy: y(distress), r: 4 }));
  return picture;
}
