import { Fireside } from "./fireside.js";
import { make, part, tell } from "./me_parts.js";

/** Being there while they talk: on a connection of its own, so that to stop is to leave. */
export class Watching {
  #there = null;
  #open = null;

  constructor(url, hello) {
    Object.assign(this, { url, hello });
    part("watch").onclick = () => (this.#there ? this.stop() : this.#begin());
    this.stop();
  }

  stop(words = "") {
    this.#there?.stop();
    this.#there = null;
    part("watch").textContent = "Be there now";
    part("watch-now").textContent = words;
    part("watch-list").replaceChildren();
  }

  #begin() {
    const there = new Fireside({ url: this.url, hello: this.hello });
    this.#there = there;
    there.on("welcome", () => this.#ask(there));
    there.on("message.created", ({ role, text }) => role === "user" && this.#said("They", text));
    there.on("response.started", () => (this.#open = this.#said("The companion", "")));
    there.on("response.delta", ({ text }) => this.#open?.append(text));
    there.on("watch.ended", () => this.#there === there && this.stop("It is over: the talk has ended, or consent has."));
    there.on("state", ({ state }) => state === "ended" && this.#there === there && this.stop());
    there.start();
  }

  async #ask(there) {
    part("watch-list").replaceChildren(); // after a cut: what was seen before may have been erased since
    try {
      await there.command("conversation.open", { conversation: "last", mode: "watch" });
      part("watch").textContent = "Leave them to themselves";
      part("watch-now").textContent = "You see what they say from now on. They see that you are there.";
    } catch (error) {
      this.stop(error.code === "policy.refused" ? "Consent does not allow this now." : "Nobody is talking just now.");
      if (!["policy.refused", "conversation.unknown"].includes(error.code)) tell("That did not work just now.");
    }
  }

  #said(who, text) {
    const words = make("span", {}, text);
    part("watch-list").append(make("p", { className: "said" }, make("strong", {}, `${who}: `), words));
    while (part("watch-list").childElementCount > 40) part("watch-list").firstChild.remove();
    return words;
  }
}
