import { Pace } from "./pace.js";

/** An element with a class and a text, never markup. */
export function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/**
 * What was said, in a polite live region: a screen reader reads each sentence once, when it is whole, and not
 * what the person wrote. With `current` only the exchange that is going on is on the screen.
 */
class Transcript extends HTMLElement {
  names = {};
  current = false;
  pacing = {};
  #rows = new Map();
  #answer = null;

  get answering() {
    return this.#answer !== null;
  }

  clear() {
    this.#answer?.pace.drop();
    this.#answer = null;
    this.#rows.clear();
    this.replaceChildren();
  }

  /** A message as it is stored; one that is on the screen already only learns its place. */
  message({ message, role, text, position, status }) {
    if (role === "assistant" && this.#answer) this.#rows.set(message, this.#answer);
    if (!this.#rows.has(message) && status !== "removed") this.#place(message, role, text);
    if (this.#rows.has(message)) this.#rows.get(message).position = position;
  }

  /** What the person just wrote. */
  said({ id, text }) {
    this.#place(id, "user", text);
    this.#reveal(true);
  }

  /** It has its own id now. */
  settled({ id, message }) {
    const row = this.#rows.get(id);
    if (!row) return;
    this.#rows.delete(id);
    if (this.#rows.has(message)) row.element.remove();
    else this.#rows.set(message, row);
  }

  /** It was not taken. */
  withdrawn(id) {
    this.#remove(([known]) => known === id);
  }

  removeFrom(position) {
    this.#remove(([, row]) => row !== this.#answer && row.position >= position);
  }

  begin({ response, message, text: shown = "" }) {
    if (this.#answer?.response === response) this.#answer.element.remove();
    else this.#answer?.pace.flush();
    const asked = this.#rows.get(message);
    while (this.current && asked?.element.previousSibling) asked.element.previousSibling.remove();
    this.#remove(([, { element }]) => !element.isConnected);
    const answer = this.#row("assistant", asked?.element);
    const part = make("span", "", shown); // seen, and read when the sentence is whole
    part.setAttribute("aria-hidden", "true");
    answer.body.append(part);
    const pace = new Pace({
      ...this.pacing,
      show: (words) => this.#show(part, words),
      pause: () => this.#sentence(part),
      done: () => this.#settle(answer),
    });
    this.#answer = Object.assign(answer, { response, part, pace, said: shown });
    this.#reveal();
  }

  piece({ response, text, eos }) {
    const answer = this.#answer;
    if (answer?.response !== response || answer.stopped) return;
    answer.said += text;
    answer.pace.say(text, eos);
  }

  /** The answer is over. When pieces of it were missed, its text is shown as it is. */
  finish({ response, text, status }) {
    const answer = this.#answer;
    if (answer?.response !== response) return;
    answer.over = true;
    if (answer.stopped || status === "cancelled") return this.stop();
    if (answer.said === text) return answer.pace.finish();
    answer.pace.drop();
    answer.part.textContent = text;
    answer.body.replaceChildren(answer.part);
    this.#settle(answer);
  }

  /** The person wants no more of it: what is shown stays, what waits to be shown does not come. */
  stop() {
    const answer = this.#answer;
    if (!answer) return;
    answer.stopped = true;
    answer.pace.drop();
    if (answer.over) this.#settle(answer);
  }

  #place(id, role, text) {
    if (this.current && role === "user" && !this.answering) this.clear();
    const row = this.#row(role);
    row.body.textContent = text;
    this.#rows.set(id, row);
    this.#reveal();
  }

  #row(role, after) {
    const element = make("article", role);
    const body = make("p", "text");
    element.append(make("p", "who", this.names[role]), body);
    if (role === "user") element.setAttribute("aria-live", "off");
    if (after) after.after(element);
    else this.append(element);
    return { element, body };
  }

  #remove(which) {
    for (const [id, row] of [...this.#rows].filter(which)) {
      row.element.remove();
      this.#rows.delete(id);
    }
  }

  #show(part, words) {
    part.textContent += words;
    this.#reveal();
  }

  #sentence(part) {
    if (part.textContent) part.before(make("span", "sentence", part.textContent));
    part.textContent = "";
  }

  #settle(answer) {
    this.#sentence(answer.part);
    if (!answer.body.textContent) answer.element.remove();
    if (this.#answer === answer) this.#answer = null;
    this.dispatchEvent(new Event("settled"));
  }

  /** The newest words stay in sight, unless the person went back to read. */
  #reveal(always) {
    const room = this.parentElement;
    const below = room.scrollHeight - room.scrollTop - room.clientHeight;
    if (always || below < room.clientHeight / 2) room.scrollTop = room.scrollHeight;
  }
}

customElements.define("fireside-transcript", Transcript);
