/**
 * Words at the speed of a reader: `say` takes pieces as they come, `show` is given whole words, `pause` ends a
 * sentence, `done` comes after the last. Without `wordsPerSecond` everything is shown as it comes.
 */
export class Pace {
  #left = [];
  #word = "";
  #timer = 0;

  constructor(how) {
    Object.assign(this, how);
  }

  say(text, endsSentence) {
    const words = (this.#word + text).match(/\S+\s*|\s+/g) ?? [];
    this.#word = endsSentence || /\s$/.test(text) ? "" : (words.pop() ?? ""); // half a word waits for its end
    this.#wait(words, endsSentence && this.pause);
  }

  finish() {
    this.#wait(this.#word ? [this.#word] : [], this.done);
    this.#word = "";
  }

  /** What waits is dropped. */
  drop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#left = [];
  }

  /** What waits is shown at once. */
  flush() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.wordsPerSecond = null;
    this.finish();
  }

  #wait(words, then) {
    this.#left.push(...words, ...(then ? [then] : []));
    while (!this.#timer && this.#left.length) this.#next(this.#left.shift());
  }

  #next(step) {
    if (typeof step !== "string") return step();
    this.show(step);
    if (!this.wordsPerSecond) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.#wait([]);
    }, 1000 / this.wordsPerSecond);
  }
}
