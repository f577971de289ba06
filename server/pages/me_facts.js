import { button, confirmed, day, edited, make, part, sorry, tell } from "./me_parts.js";

const ORIGINS = { extracted: "From what you said", said: "You asked to have this remembered", edited: "In your own words", imported: "Brought in from a file" };
const NOW = ["active", "proposed"];

/** What is remembered: notes by category, each with where it comes from, and summaries. */
export class Facts {
  #known = { facts: [], summaries: [] };
  #drawn = "";

  constructor(talk, showMessage) {
    this.talk = talk;
    this.showMessage = showMessage;
    part("remember").onsubmit = (event) => {
      event.preventDefault();
      this.#add();
    };
    part("undo").onclick = () => this.#undo();
    part("switch").onclick = () => this.#turn();
  }

  async show() {
    if (document.querySelector("#fact-list form, #summary-list form")) return; // nobody's words are taken from under them
    try {
      this.#known = await this.talk.command("memory.list", {});
      this.state = await this.talk.command("memory.settings", {});
    } catch (error) {
      return sorry(error);
    }
    const drawn = JSON.stringify([this.#known, this.state]);
    if (drawn === this.#drawn) return; // a list drawn anew under a finger swallows its tap
    this.#drawn = drawn;
    this.#draw();
  }

  #draw() {
    const { facts, summaries } = this.#known;
    const on = this.state.enabled;
    part("switch").textContent = on ? "Stop remembering" : "Remember again";
    const now = facts.filter(({ status }) => NOW.includes(status));
    const groups = Map.groupBy ? Map.groupBy(now, ({ category }) => category) : grouped(now);
    const stale = now.some((fact) => fact.stale);
    const past = facts.filter(({ status }) => !NOW.includes(status));
    const list = part("fact-list");
    list.replaceChildren(
      ...(on ? [] : [make("p", { className: "marks" }, "Remembering is switched off. What is kept stays, and nothing new is added.")]),
      ...(now.length ? [] : [make("p", {}, "Nothing is remembered yet.")]),
      ...(stale ? [make("p", { className: "soft" }, "Some notes were not used for a long time. Perhaps they are out of date.")] : []),
      ...Array.from(groups, ([category, items]) => this.#group(category, items)),
    );
    if (past.length) {
      const gone = make("ul", {}, ...past.map((fact) => this.#past(fact)));
      list.append(make("details", {}, make("summary", {}, `What was so once (${past.length})`), gone));
    }
    part("summary-list").replaceChildren(...summaries.map((summary) => this.#summary(summary)));
    if (!summaries.length) part("summary-list").append(make("li", {}, "There are no summaries yet."));
  }

  #group(category, items) {
    const name = category.replaceAll("_", " ");
    const all = items.length > 1 ? button(`Forget all of these (${name})`, () => this.#forgetCategory(category, name)) : null;
    const title = make("h3", {}, name.charAt(0).toUpperCase() + name.slice(1));
    return make("div", {}, title, make("ul", {}, ...items.map((fact) => this.#fact(fact))), all);
  }

  #fact(fact) {
    const inUse = fact.enabled !== false;
    const text = make("p", { className: "what" }, about(fact), said(fact));
    const item = make("li", {}, text);
    const marks = [fact.pinned && "Kept first", !inUse && "Not used at the moment", fact.stale && "Not used for a long time"].filter(Boolean);
    if (marks.length) item.append(make("p", { className: "marks" }, marks.join(" · ")));
    if (fact.status === "proposed") item.append(make("p", { className: "marks" }, "You put this differently before. Until you decide, neither is used."));
    item.append(make("p", { className: "soft" }, `${ORIGINS[fact.origin] ?? "Kept"}, ${day(fact.last_at)}${fact.uses ? `. Used ${times(fact.uses)}.` : "."}`));
    const named = (what) => ({ "aria-label": `${what}: ${fact.text}` });
    item.append(
      make("p", { className: "row" },
        fact.sources.length ? button("Where it comes from", () => this.#sources(item, fact), named("Where it comes from")) : null,
        fact.status === "proposed" ? button("This is right", () => this.#change("memory.edit", { item: fact.fact, enabled: true }, "Thank you. That is noted."), named("This is right")) : null,
        button("Put right", () => this.#edit(text, fact), named("Put right")),
        button(fact.pinned ? "No longer keep first" : "Keep first", () => this.#change("memory.pin", { item: fact.fact, pinned: !fact.pinned }, fact.pinned ? "It is a note like the others." : "It is kept before others."), named(fact.pinned ? "No longer keep first" : "Keep first")),
        fact.status === "active" ? button(inUse ? "Do not use" : "Use again", () => this.#change("memory.edit", { item: fact.fact, enabled: !inUse }, inUse ? "It is kept, and not used." : "It is used again."), named(inUse ? "Do not use" : "Use again")) : null,
        button("Forget", () => this.#forget(fact.fact, fact.text), named("Forget")),
      ),
    );
    return item;
  }

  #past(fact) {
    const until = fact.valid_to ? `, until ${day(fact.valid_to)}` : "";
    const why = fact.status === "retracted" ? "Taken back" : `Since ${day(fact.valid_from ?? fact.first_at)}${until}`;
    return make("li", { className: "past" }, make("p", { className: "what" }, about(fact), fact.text), make("p", { className: "soft" }, why),
      make("p", { className: "row" }, button("Forget", () => this.#forget(fact.fact, fact.text), { "aria-label": `Forget: ${fact.text}` })));
  }

  #summary(summary) {
    const text = make("p", { className: "what" }, summary.text);
    const item = make("li", {}, make("p", { className: "soft" }, `${day(summary.at)}${summary.partial ? ", of a conversation that goes on" : ""}`), text);
    if (summary.quote && !summary.text.includes(summary.quote)) item.append(make("blockquote", {}, summary.quote));
    if (summary.topics?.length && !summary.text.includes(summary.topics.join(", "))) item.append(make("p", { className: "soft" }, summary.topics.join(", ")));
    const named = (what) => ({ "aria-label": `${what}: summary of ${day(summary.at)}` });
    item.append(make("p", { className: "row" },
      button("Put right", () => this.#edit(text, { fact: summary.summary, text: summary.text }), named("Put right")),
      button("Forget", () => this.#forget(summary.summary, summary.text), named("Forget"))));
    return item;
  }

  async #sources(item, fact) {
    const there = item.querySelector(".sources");
    if (there) return there.remove();
    const shown = make("div", { className: "sources" });
    item.append(shown);
    for (const source of fact.sources) {
      const found = await this.showMessage(source, fact.text).catch(() => null);
      shown.append(found ?? make("p", { className: "soft" }, "This message is not there any more."));
    }
  }

  async #edit(element, { fact, text }) {
    const fresh = await edited(element, text, "Put right");
    if (fresh) await this.#change("memory.edit", { item: fact, text: fresh }, "It is put right.");
    else await this.show();
  }

  async #forget(item, text) {
    const { items } = await this.talk.command("memory.forget", { item, preview: true }).catch((error) => (sorry(error, () => this.show()), {}));
    if (!items) return;
    const also = items.length > 1 ? [`${items.length - 1} more that rest on it`] : [];
    if (await confirmed("Forget this?", [text, ...also], "Forget it")) await this.#change("memory.forget", { item }, "It is forgotten.");
  }

  async #forgetCategory(category, name) {
    const { items } = await this.talk.command("memory.forget", { category, preview: true }).catch((error) => (sorry(error), {}));
    if (!items) return;
    const texts = this.#known.facts.filter(({ fact }) => items.includes(fact)).map(({ text }) => text);
    if (await confirmed(`Forget all of ${name}?`, texts, `Forget ${texts.length}`)) await this.#change("memory.forget", { category }, "They are forgotten.");
  }

  async #add() {
    const { value } = part("note");
    if (await this.#change("memory.add", { text: value }, "It is remembered.")) part("note").value = "";
  }

  async #undo() {
    try {
      const { items } = await this.talk.command("memory.undo", {});
      tell(items.length ? "Your last change is taken back." : "There is nothing to take back.");
      await this.show();
    } catch (error) {
      sorry(error, () => this.show());
    }
  }

  async #turn() {
    const enabled = !this.state.enabled;
    await this.#change("memory.settings", { enabled }, enabled ? "Things are remembered again." : "Nothing new is remembered now.");
  }

  /** Do it, say so, and show how it stands; false when it was not done. */
  async #change(type, fields, done) {
    try {
      const { warning } = await this.talk.command(type, fields);
      tell(warning ?? done, { stays: Boolean(warning) });
      await this.show();
      return true;
    } catch (error) {
      sorry(error, () => this.show());
      return false;
    }
  }
}

/** Its words, read aloud in the language they were said in. */
const said = ({ text, language }) => (language ? make("span", { lang: language }, text) : text);

/** Whom and what a note is about, before its words. */
function about({ subject, attribute }) {
  const whom = subject && subject !== "user" ? `${subject}, ` : "";
  const what = attribute && attribute !== "note" ? attribute.replaceAll("_", " ") : "";
  return whom || what ? make("span", { className: "soft" }, `${`${whom}${what}`.replace(/, $/, "")}: `) : "";
}

const times = (count) => (count === 1 ? "once" : `${count} times`);

function grouped(facts) {
  const groups = new Map();
  for (const fact of facts) groups.set(fact.category, [...(groups.get(fact.category) ?? []), fact]);
  return groups;
}
