import { button, confirmed, make, part, sorry, tell } from "./me_parts.js";

const KINDS = { self_harm: "Thoughts of hurting themselves", harm_others: "Thoughts of hurting somebody", abuse: "Harm by somebody", medical: "Medical help" };

const when = (time) => new Date(time).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

/** What needs somebody now, and what was looked after before. */
export class Alerts {
  #role = "";

  constructor(talk) {
    this.talk = talk;
  }

  begin(role) {
    this.#role = role;
    this.show();
  }

  async show() {
    await Promise.all([this.#open(), this.#earlier()]);
  }

  async #open() {
    try {
      const { escalations } = await this.talk.command("care.escalations", { open: true, limit: 200 });
      const items = escalations.map((each) => this.#entry(each));
      part("alert-list").replaceChildren(items.length ? make("ul", {}, ...items) : make("p", {}, "Nothing needs you now."));
    } catch (error) {
      sorry(error);
    }
  }

  async #earlier() {
    const list = part("escalations");
    try {
      const { escalations } = await this.talk.command("care.escalations", { limit: 50 });
      const past = escalations.filter(({ acknowledged }) => acknowledged?.length);
      list.replaceChildren(past.length ? make("ul", {}, ...past.map((each) => this.#entry(each))) : make("p", {}, "There are none."));
    } catch (error) {
      if (error.code !== "policy.refused") return sorry(error);
      list.replaceChildren(make("p", { className: "soft" }, "To see earlier ones, somebody has to allow “how they have been feeling”."));
    }
  }

  #entry(alert) {
    const looked = (alert.acknowledged ?? []).map(({ by, at }) => `${by} looks after it, since ${when(at)}.`);
    const open = !looked.length;
    const item = make("li", { className: open ? "alert" : "" },
      make("p", { className: "what" }, alert.say),
      make("p", { className: "soft" }, `${KINDS[alert.category] ?? alert.category}, ${when(alert.at)}, with ${alert.companion}`),
      ...looked.map((line) => make("p", {}, line)));
    const row = make("p", { className: "row" });
    if (open) row.append(button("I look after it", () => this.#acknowledge(alert.alert), { className: "main", "aria-label": `I look after it: ${alert.say} ${when(alert.at)}` }));
    if (this.#role === "safeguarding" && ["abuse", "self_harm"].includes(alert.category)) {
      row.append(button(alert.released ? "Keep it from family again" : "Let family see what was said", () => this.#release(alert.alert, !alert.released)));
    }
    if (row.childElementCount) item.append(row);
    return item;
  }

  async #acknowledge(alert) {
    try {
      const { by } = await this.talk.command("care.acknowledge", { alert });
      tell(`Thank you. ${by} is noted as looking after it.`);
    } catch (error) {
      sorry(error);
    }
    await this.show();
  }

  async #release(alert, allow) {
    const lines = ["It may put them in danger if those who are meant hear of it.", "You can take it back, and who has read it has read it."];
    if (allow && !(await confirmed("Let family see what was said?", lines, "Let them see it", "Keep it from them"))) return;
    try {
      await this.talk.command("care.release", { alert, allow });
      tell(allow ? "Family may see it now, where consent lets them see talks." : "It is kept from family again.");
    } catch (error) {
      sorry(error);
    }
    await this.show();
  }
}
