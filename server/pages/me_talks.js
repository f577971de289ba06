import { button, confirmed, day, edited, make, part, sorry, tell } from "./me_parts.js";

const PAGE = 20;
const KINDS = { fact: "A note", summary: "A summary", message: "Something you said" };
const REASONS = {
  recent_conversation: "It is about one of your last conversations.",
  this_conversation: "It is about the earlier part of this conversation.",
  pinned: "You wanted it kept first.",
  known: "It holds now.",
};

/** Conversations: listed, found, opened, named, put away, brought back, removed. */
export class Talks {
  #next = null;
  #archived = false;

  constructor(talk, names) {
    Object.assign(this, { talk, names });
    part("search").onsubmit = (event) => {
      event.preventDefault();
      this.show();
    };
    part("more").onclick = () => this.#load(this.#next);
    part("shelf").onclick = () => {
      this.#archived = !this.#archived;
      part("shelf").setAttribute("aria-pressed", this.#archived);
      part("shelf").textContent = this.#archived ? "Show the others" : "Show archived ones";
      this.show();
    };
  }

  async show() {
    part("talk-list").replaceChildren();
    await this.#load();
  }

  async #load(cursor) {
    const query = part("query").value.trim() || undefined;
    const asked = { limit: PAGE, archived: this.#archived, query, cursor: cursor ?? undefined };
    try {
      const { conversations, next } = await this.talk.command("conversation.list", asked);
      this.#next = next;
      part("more").hidden = !next;
      part("talk-list").append(...conversations.map((entry) => this.#entry(entry)));
      if (!part("talk-list").childElementCount) part("talk-list").append(make("p", {}, query ? "Nothing of that name was found." : "There are none here."));
    } catch (error) {
      sorry(error);
    }
  }

  #entry(entry) {
    const { conversation, title, preview, message_count: count, updated_at: at, open } = entry;
    const named = (what) => ({ "aria-label": `${what}: ${title || day(at)}` });
    const heading = make("h3", {}, title || "Without a title");
    const item = make("li", {}, heading, make("p", { className: "soft" }, `${day(at)}, ${count} messages${open ? ", still open" : ""}`), make("p", {}, preview === title ? "" : preview));
    const away = this.#archived
      ? button("Bring back", () => this.#do(item, "conversation.restore", { conversation }, "It is back among your conversations."), named("Bring back"))
      : button("Archive", () => this.#do(item, "conversation.archive", { conversation }, "It is in the archive."), named("Archive"));
    item.append(make("p", { className: "row" },
      button("Read", () => this.#read(item, conversation), named("Read")),
      button("Rename", () => this.#rename(heading, entry), named("Rename")),
      button("Sum up", () => this.#sumUp(conversation), named("Sum up")),
      away,
      button("Delete", () => this.#delete(item, entry), named("Delete the conversation"))));
    return item;
  }

  async #read(item, conversation) {
    const there = item.querySelector(".said");
    if (there) return there.remove();
    const said = make("ul", { className: "said" });
    item.append(said);
    await this.#earlier(said, conversation);
  }

  async #earlier(said, conversation, before) {
    try {
      const { messages } = await this.talk.command("conversation.history", { conversation, limit: PAGE, before });
      const lines = messages.map((message) => this.#line(message, conversation, said));
      if (messages.length === PAGE) lines.unshift(make("li", {}, button("Show earlier ones", (event) => {
        event.target.closest("li").remove();
        this.#earlier(said, conversation, messages[0].position);
      })));
      said.prepend(...lines);
    } catch (error) {
      sorry(error, () => this.show());
    }
  }

  #line(message, conversation, said) {
    const { text, role, at, response, context } = message;
    const who = role === "user" ? this.names.you : this.names.companion;
    const line = make("li", {}, make("p", { className: "soft" }, `${who}, ${day(at)}`), make("p", { className: "what" }, text));
    if (context) line.append(make("p", { className: "soft" }, `Sent with it: ${Object.entries(context).map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`).join("; ")}`));
    const short = text.slice(0, 60);
    line.append(make("p", { className: "row" },
      response ? button("Why this answer", () => this.#why(line, response), { "aria-label": `Why this answer: ${short}` }) : null,
      button("Delete", () => this.#deleteMessage(message, conversation, said), { "aria-label": `Delete the message: ${short}` })));
    return line;
  }

  async #why(line, response) {
    const there = line.querySelector(".why");
    if (there) return there.remove();
    try {
      const { used } = await this.talk.command("memory.why", { response });
      const texts = await this.#texts();
      const items = used.map(({ kind, item, reason }) => make("li", {}, `${KINDS[kind]}: ${texts.get(item) ?? (kind === "message" ? "earlier" : "not kept any more")}`, make("p", { className: "soft" }, REASONS[reason.split(":")[0]] ?? "It may matter here.")));
      line.append(make("div", { className: "why" }, items.length ? make("ul", {}, ...items) : make("p", {}, "Nothing that is remembered was used for this answer.")));
    } catch (error) {
      sorry(error);
    }
  }

  /** What notes and summaries say, by their ids. */
  async #texts() {
    const { facts, summaries } = await this.talk.command("memory.list", {});
    return new Map([...facts.map(({ fact, text }) => [fact, text]), ...summaries.flatMap(({ summary, conversation, text }) => [[summary, text], [conversation, text]])]);
  }

  async #deleteMessage({ message, text }, conversation, said) {
    try {
      const { items } = await this.talk.command("memory.forget", { item: message, preview: true });
      const more = items.length > 1 ? [`${items.length - 1} more: the answer to it, and what was learned from it alone`] : [];
      if (!(await confirmed("Delete this message?", [text.slice(0, 300), ...more], "Delete it"))) return;
      await this.talk.command("memory.forget", { item: message });
      tell("It is deleted.");
      said.replaceChildren();
      await this.#earlier(said, conversation);
    } catch (error) {
      sorry(error, () => this.show());
    }
  }

  async #rename(heading, entry) {
    const fresh = await edited(heading, entry.title, "Title");
    if (fresh) await this.#do(null, "conversation.rename", { conversation: entry.conversation, title: fresh.slice(0, 200) }, "It has a new name.");
  }

  async #sumUp(conversation) {
    try {
      await this.talk.command("conversation.summarize", { conversation });
      tell("It is being summed up. The summary comes by itself.");
    } catch (error) {
      sorry(error);
    }
  }

  async #delete(item, { conversation, title, message_count: count }) {
    const lines = [title, `${count} messages, and what was learned from them alone`];
    if (await confirmed("Delete this conversation?", lines, "Delete it")) await this.#do(item, "conversation.delete", { conversation }, "It is deleted.");
  }

  async #do(item, type, fields, done) {
    try {
      await this.talk.command(type, fields);
      tell(done);
      if (item) item.remove();
      else await this.show();
    } catch (error) {
      sorry(error, () => this.show());
    }
  }
}

/** A message by its id, shown with where it was said; `words` are what it may be found by. Null when it is gone. */
export async function messageShown(talk, message, words, names) {
  const quoted = (text, where) => make("div", {}, make("p", { className: "soft" }, where), make("blockquote", {}, text));
  const { messages: hits } = await talk.command("memory.search", { query: words.slice(0, 200), limit: 50 });
  const hit = hits.find((each) => each.message === message);
  if (hit) return quoted(hit.text, `${names.you}:`);
  const { conversations } = await talk.command("conversation.list", { limit: 10 });
  for (const { conversation, title } of conversations) {
    const { messages } = await talk.command("conversation.history", { conversation, limit: 200 });
    const found = messages.find((each) => each.message === message);
    if (found) return quoted(found.text, `${names.you}, ${day(found.at)}, in “${title}”:`);
  }
  return null;
}
