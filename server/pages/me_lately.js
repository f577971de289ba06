import { day, make, part, sorry, tell } from "./me_parts.js";

const MEASURES = { mood: "Mood", sleep: "Sleep", anxiety: "Anxiety" };
const ENDS = { mood: ["1 is very low", "10 is very good"], sleep: ["1 is very bad", "10 is very good"], anxiety: ["1 is none", "10 is very strong"] };
const WAYS = { rising: "has been rising", falling: "has been going down", steady: "has stayed about the same" };
const SHOWN = 60;
const [WIDE, HIGH, EDGE] = [640, 220, 24];

const draw = (tag, attributes, ...inside) => {
  const element = document.createElementNS(part("drawing").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
};

/** Check-ins: said here, and shown as a chart with the table of its figures. */
export class Lately {
  constructor(talk) {
    this.talk = talk;
    part("scores").replaceChildren(...Object.entries(MEASURES).map(([id, name]) => choice(id, name)));
    part("check-in").onsubmit = (event) => {
      event.preventDefault();
      this.#say();
    };
    part("to-welcome").href = `/welcome${location.search}`;
  }

  async show() {
    let found;
    try {
      found = await this.talk.command("mood.trends", { limit: SHOWN });
    } catch (error) {
      if (error.code !== "policy.refused") sorry(error);
      return;
    }
    part("lately").hidden = part("to-lately").hidden = false;
    this.#draw(found);
    const { ask } = await this.talk.command("profile.get", {}).catch(() => ({}));
    part("to-welcome").hidden = !ask;
  }

  #draw({ check_ins: entries, trends }) {
    const lines = Object.entries(MEASURES).flatMap(([id, name]) => (trends[id] ? [told(name, trends[id])] : []));
    part("trend-list").replaceChildren(
      ...lines.map((line) => make("p", {}, line)),
      ...(entries.length ? [chart(entries), table(entries)] : [make("p", {}, "There is nothing here yet.")]),
      ...(entries.length && !lines.length ? [make("p", { className: "soft" }, "With a few more days it can be told where things go.")] : []),
    );
  }

  async #say() {
    const fields = {};
    for (const id of Object.keys(MEASURES)) if (part(id).value) fields[id] = Number(part(id).value);
    for (const id of ["stressors", "wins"]) {
      const lines = part(id).value.split("\n").map((line) => line.trim()).filter(Boolean);
      if (lines.length) fields[id] = lines.slice(0, 20).map((line) => line.slice(0, 200));
    }
    if (!Object.keys(fields).length) return tell("Choose or write something first.");
    try {
      await this.talk.command("mood.check_in", fields);
      part("check-in").reset();
      tell("Thank you. It is kept.");
      await this.show();
    } catch (error) {
      sorry(error);
    }
  }
}

function choice(id, name) {
  const [least, most] = ENDS[id];
  const options = Array.from({ length: 10 }, (_, at) => make("option", { value: at + 1 }, `${at + 1}`));
  const select = make("select", { id }, make("option", { value: "" }, "–"), ...options);
  return make("label", { htmlFor: id }, `${name} `, make("span", { className: "soft" }, `(${least}, ${most}) `), select);
}

const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

const told = (name, { direction, entries, days, span }) =>
  `${name} ${WAYS[direction]} over ${counted(span, "day")} (${counted(entries, "check-in")} on ${counted(days, "day")}).`;

/** A line for each measure, told apart by its dashes and its marks and not by colour alone. */
function chart(entries) {
  const step = (WIDE - 2 * EDGE) / Math.max(1, entries.length - 1);
  const x = (at) => EDGE + at * step;
  const y = (value) => HIGH - EDGE - ((value - 1) * (HIGH - 2 * EDGE)) / 9;
  const grid = [1, 4, 7, 10].flatMap((value) => [
    draw("line", { x1: EDGE, x2: WIDE - EDGE, y1: y(value), y2: y(value), class: "grid" }),
    draw("text", { x: 0, y: y(value) + 6 }, `${value}`),
  ]);
  const lines = Object.keys(MEASURES).flatMap((id) => {
    const points = entries.flatMap((entry, at) => (entry[id] ? [[x(at), y(entry[id])]] : []));
    const marks = points.map(([cx, cy]) => draw("circle", { cx, cy, r: 4, class: id }));
    return points.length ? [draw("polyline", { points: points.map((each) => each.join(",")).join(" "), class: id }), ...marks] : [];
  });
  const names = Object.entries(MEASURES).map(([id, name]) => make("span", { className: `key ${id}` }, name));
  const picture = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": "Mood, sleep and anxiety over your check-ins; the table below has the figures" }, ...grid, ...lines);
  return make("figure", { className: "chart" }, picture, make("figcaption", { className: "row" }, ...names));
}

function table(entries) {
  const head = make("tr", {}, ...["Day", ...Object.values(MEASURES), "Noted"].map((name) => make("th", { scope: "col" }, name)));
  const rows = entries.toReversed ? entries.toReversed() : [...entries].reverse();
  const body = rows.map((entry) =>
    make("tr", {}, make("th", { scope: "row" }, entry.sure === false ? "day unknown" : day(entry.at)),
      ...Object.keys(MEASURES).map((id) => make("td", {}, `${entry[id] ?? "–"}`)),
      make("td", {}, [...(entry.stressors ?? []), ...(entry.wins ?? [])].join("; "))));
  const shown = make("table", {}, make("caption", {}, "Your check-ins, the latest first"), make("thead", {}, head), make("tbody", {}, ...body));
  return make("details", { open: entries.length <= 7 }, make("summary", {}, "The figures"), make("div", { className: "wide", tabIndex: 0, role: "region", "aria-label": "Your check-ins" }, shown));
}
