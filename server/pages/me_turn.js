import { part, sorry, tell } from "./me_parts.js";

const LEFT_ALONE = 5 * 60_000; // then somebody else may stand before it

/** Whose turn it is: on a device that several people use, the person shows who they are before anything is shown. */
export class Turn {
  #mine = [];
  #timer = 0;

  constructor(talk) {
    talk.on("welcome", ({ role, features }) => (role === "person" ? this.#begin() : this.#ask(features.includes("pin"))));
    part("turn").onsubmit = async (event) => {
      event.preventDefault();
      const pin = part("pin").value;
      part("pin").value = "";
      try {
        await talk.command("device.unlock", { pin });
        this.#begin();
        for (const sign of ["pointerdown", "keydown"]) addEventListener(sign, () => this.#stay());
        this.#stay();
      } catch (error) {
        if (error.code === "rate.limited") tell("Too many tries. Please wait a while.", { stays: true });
        else if (error.code === "auth.forbidden") tell("This is not the PIN. Please try once more.", { stays: true });
        else sorry(error);
      }
    };
  }

  /** Do this as soon as it is the person's turn, and whenever it is anew. */
  on(listener) {
    this.#mine.push(listener);
  }

  #ask(pin) {
    part("main").className = "locked";
    part("turn").hidden = !pin;
    if (pin) part("pin").focus();
    else tell("This page is opened with a PIN. Please ask somebody who looks after this device to set one for you.", { stays: true });
  }

  #begin() {
    part("main").className = "";
    part("turn").hidden = true;
    tell("");
    for (const listener of this.#mine) listener();
  }

  #stay() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => location.assign(part("back").href), LEFT_ALONE);
  }
}
