import { button, make, part, sorry, tell } from "./me_parts.js";

/** Take a copy along: the frame gives a ticket, the ticket one download. */
export async function take(talk, format) {
  try {
    const { path } = await talk.command("memory.export", { format });
    const link = make("a", { href: path, download: "" });
    link.click();
    tell("Your copy is on its way.");
  } catch (error) {
    sorry(error);
  }
}

/** Forget everything: asked for, called back or waited for, and asked for again. */
export class Erase {
  #timer = 0;

  constructor(talk, done) {
    Object.assign(this, { talk, done });
    this.#begin();
  }

  #place(...inside) {
    clearInterval(this.#timer);
    part("erase").replaceChildren(...inside);
  }

  #begin() {
    this.#place(button("Forget everything …", () => this.#ask()));
  }

  async #ask() {
    try {
      const { code, ready_at: ready } = await this.talk.command("memory.erase", {});
      this.#wait(code, Date.parse(ready));
    } catch (error) {
      sorry(error);
    }
  }

  #wait(code, ready) {
    const clock = make("p", { className: "marks" });
    const now = button("Forget everything now", () => this.#erase(code), { className: "main", disabled: true });
    const back = button("Call it back", () => this.#callBack());
    const count = () => {
      const left = Math.ceil((ready - Date.now()) / 1_000);
      now.disabled = left > 0;
      clock.textContent = left > 0 ? `Nothing is forgotten yet. You can go on in ${left} seconds.` : "Nothing is forgotten yet. It happens when you press the button, and cannot be taken back.";
      if (left <= 0) clearInterval(this.#timer);
    };
    this.#place(clock, make("p", { className: "row" }, back, now));
    this.#timer = setInterval(count, 500);
    count();
    back.focus();
  }

  async #callBack() {
    await this.talk.command("memory.undo", {}).catch(sorry);
    tell("It is called back. Nothing was forgotten.");
    this.#begin();
    part("erase").firstChild.focus();
  }

  async #erase(code) {
    try {
      const { state, code: again, ready_at: ready, receipt } = await this.talk.command("memory.erase", { code });
      if (state === "confirm") return this.#wait(again, Date.parse(ready));
      this.#told(receipt);
      this.done();
    } catch (error) {
      sorry(error);
      this.#begin();
    }
  }

  #told({ removed, backups, out_of_reach: beyond, verified }) {
    const counts = Object.entries(removed).filter(([, count]) => count).map(([kind, count]) => `${count} ${kind.replaceAll("_", " ")}`);
    const title = make("h3", { tabIndex: -1 }, "Everything is forgotten");
    this.#place(
      title,
      make("p", {}, counts.length ? `Removed: ${counts.join(", ")}.` : "There was nothing to remove."),
      make("p", {}, verified ? "The files were searched afterwards, and hold none of it." : "The files could not be searched afterwards. Please tell whoever looks after this device."),
      backups.length ? make("p", {}, "Copies for emergencies still hold it, and go by themselves:") : null,
      make("ul", {}, ...backups.map(({ name, expires_at: at }) => make("li", {}, `${name}, until ${new Date(at).toLocaleString()}`))),
      make("p", { className: "soft" }, "Out of reach from here:"),
      make("ul", {}, ...beyond.map((each) => make("li", {}, each))),
    );
    title.focus();
  }
}
