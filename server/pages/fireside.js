/**
 * A client of the Fireside protocol (fireside.v1.json) for anything that has a WebSocket.
 *
 *     const talk = new Fireside({ url: "ws://127.0.0.1:8765/ws", hello: { companion: "clara" } });
 *     talk.on("response.delta", ({ text }) => show(text)).start();
 *     talk.send("Good morning");
 *
 * It comes back with jitter when the connection is lost, resumes where it was, and keeps every message in
 * `store` until the server has it for good. `on` hears each event of the protocol by its name, once and in order,
 * and of its own: `state` ("connecting", "live", "away", "ended"), and `sent`, `acked`, `refused` with an entry of
 * the outbox; `error` only when it is about no message.
 */

const FINAL = [1000, 1003, 1007, 1009];
const PATIENCE = 10_000; // for the welcome
const LONGEST = 30_000; // between two tries

/** Whether a client returns by itself after this close code. */
export const comesBack = (code) => !FINAL.includes(code) && !(code >= 4500 && code <= 4999);

const newId = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");

export class Fireside {
  state = "ended";
  welcome = null;
  #listeners = {};
  #commands = new Map();
  #socket = null;
  #seq = 0;
  #open = null;
  #tries = 0;
  #timer = 0;
  #watch = 0;

  constructor({ url, hello = {}, store = null, connect = (to) => new WebSocket(to, "fireside.v1.json") }) {
    Object.assign(this, { url, hello, store, connect });
    this.outbox = this.#load("outbox") ?? [];
    this.session = this.#load("session");
  }

  on(type, listener) {
    (this.#listeners[type] ??= []).push(listener);
    return this;
  }

  /** Connect now, and again whenever the connection is lost. */
  start() {
    this.#forget();
    if (this.state === "ended") this.#become("connecting");
    const socket = this.connect(this.url);
    socket.onopen = () => this.#greet();
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
    socket.onclose = ({ code }) => (comesBack(code) ? this.#lost() : this.stop(code));
    this.#socket = socket;
    this.#timer = setTimeout(() => this.#lost(), PATIENCE);
  }

  /** Come back now if away: somebody wants to talk, or the network is there again. */
  wake() {
    if (!this.#socket) this.start();
  }

  /** Leave, until `start` or `wake`. */
  stop(code = 1000) {
    this.#forget();
    this.#become("ended", code);
  }

  /** Say something; it is kept until the server has it. */
  send(text, context) {
    const entry = { id: newId(), text, context };
    this.outbox.push(entry);
    this.#save("outbox", this.outbox);
    this.#tell("sent", entry);
    if (this.state === "ended") this.wake();
    this.#post(entry);
  }

  /** Do something else; resolves with the result, rejects with the error frame. */
  command(type, fields) {
    const frame = { type, id: newId(), ...fields };
    return new Promise((resolve, reject) => {
      this.#commands.set(frame.id, { frame, resolve, reject });
      this.#write(frame);
    });
  }

  #greet() {
    const resume = this.session ? { ...this.session, seq: this.#seq } : undefined;
    const client = { name: "fireside.js", version: "1" };
    const hello = { type: "hello", id: newId(), client, conversation: "last", ...this.hello, resume };
    this.#socket.send(JSON.stringify(hello));
  }

  #take(event) {
    this.heard = Date.now();
    const { type, seq } = event;
    if (type === "welcome") return this.#welcomed(event);
    if (seq <= this.#seq) return;
    if (seq) this.#seq = seq;
    if (type === "ack") return this.#acked(event);
    if (type === "error") return this.#failed(event);
    if (type === "durable") return this.#drop(({ message }) => event.messages.includes(message));
    if (type === "server.draining") this.pause = event.reconnect_after_ms;
    if (this.#inStep(event)) this.#tell(type, event);
  }

  /** Count the pieces of the open answer: one that came before is skipped, after a gap it resumes. */
  #inStep({ type, response, n = 0 }) {
    if (type === "response.started" || type === "response.snapshot") this.#open = { response, n };
    if (type === "conversation.snapshot") this.#open = response && { ...response };
    if (type !== "response.delta") return true;
    if (response !== this.#open?.response || n < this.#open.n) return false;
    if (n === this.#open.n++) return true;
    this.#lost(0);
    return false;
  }

  #welcomed(welcome) {
    clearTimeout(this.#timer);
    const { session, epoch, limits } = welcome;
    if (!welcome.resumed) this.#seq = 0;
    this.session = { session, epoch };
    this.#save("session", this.session);
    this.#tries = 0;
    this.pause = undefined;
    this.welcome = welcome;
    this.#become("live");
    this.#watchOver(limits.heartbeat_s * 1000);
    for (const entry of this.outbox) this.#post(entry);
    for (const { frame } of this.#commands.values()) this.#write(frame);
    this.#tell("welcome", welcome);
  }

  #acked({ re, message, conversation, durable, result }) {
    const entry = this.outbox.find(({ id }) => id === re);
    if (entry) {
      Object.assign(entry, { message, conversation });
      this.#drop((other) => durable && other === entry);
      this.#tell("acked", entry);
    }
    this.#commands.get(re)?.resolve(result);
    this.#commands.delete(re);
  }

  #failed(error) {
    const entry = this.outbox.find(({ id }) => id === error.re);
    const command = this.#commands.get(error.re);
    this.#commands.delete(error.re);
    if (command) command.reject(error);
    else if (!entry) this.#tell("error", error);
    else if (error.retryable) setTimeout(() => this.#post(entry), 1000 + 3000 * Math.random());
    else {
      this.#drop((other) => other === entry);
      this.#tell("refused", { ...entry, error });
    }
  }

  #post({ id, text, context }) {
    this.#write({ type: "message.send", id, text, context });
  }

  #write(frame) {
    if (this.state === "live") this.#socket.send(JSON.stringify(frame));
  }

  /** A connection that died without a word: ask when it is quiet, come anew when nothing answers. */
  #watchOver(beat) {
    this.#watch = setInterval(() => {
      const quiet = Date.now() - this.heard;
      if (quiet > 2 * beat) this.#lost();
      else if (quiet > beat) this.#write({ type: "ping", id: newId() });
    }, beat / 2);
  }

  #lost(pause = this.pause ?? Math.random() * Math.min(LONGEST, 500 * 2 ** this.#tries++)) {
    this.#forget();
    this.#become("away");
    this.#timer = setTimeout(() => this.start(), pause);
  }

  #forget() {
    clearTimeout(this.#timer);
    clearInterval(this.#watch);
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #become(state, code) {
    if (state === this.state) return;
    this.state = state;
    this.#tell("state", { state, code });
  }

  #tell(type, event) {
    for (const listener of this.#listeners[type] ?? []) listener(event);
  }

  #drop(over) {
    this.outbox = this.outbox.filter((entry) => !over(entry));
    this.#save("outbox", this.outbox);
  }

  #save(name, value) {
    try {
      this.store?.setItem(name, JSON.stringify(value));
    } catch {} // a full store costs words only if the page closes now
  }

  #load(name) {
    return JSON.parse(this.store?.getItem(name) ?? "null");
  }
}
