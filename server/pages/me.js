import { companionNamed } from "./companion.js";
import { Fireside } from "./fireside.js";
import { Erase, take } from "./me_everything.js";
import { Facts } from "./me_facts.js";
import { Looked } from "./me_looked.js";
import { Lately } from "./me_lately.js";
import { part, tell } from "./me_parts.js";
import { Sharing } from "./me_sharing.js";
import { messageShown, Talks } from "./me_talks.js";
import { Turn } from "./me_turn.js";

const QUIET = 300; // changes that come together are shown once
const CALM = 3_000; // a short break is nobody's business

const query = new URLSearchParams(location.search);
const [name, user] = [query.get("companion") ?? undefined, query.get("user") ?? undefined];
const root = document.documentElement;
const names = { you: "You", companion: "" };
const url = `${location.origin.replace("http", "ws")}/ws`;
const talk = new Fireside({ url, hello: { companion: name, user, token: localStorage.token, conversation: null } });

const turn = new Turn(talk);

let companion = null;
for (let pause = 500; !companion; pause = Math.min(2 * pause, 30_000)) {
  companion = await companionNamed(name);
  if (companion) break;
  tell("One moment, this page is being fetched.", { stays: true });
  await new Promise((resolve) => setTimeout(resolve, pause));
}
tell("");
names.you = companion.words.you;
names.companion = companion.display_name;
root.lang = companion.language;
root.dataset.theme = companion.theme;
document.title = part("title").textContent = `What ${companion.display_name} remembers`;
part("back").href = `/${location.search}`;
part("back").textContent = `Back to ${companion.display_name}`;

part("sharing").hidden = false;
const sharing = new Sharing(talk);
const words = part("sharing").querySelector(".soft");
words.textContent = words.textContent.replaceAll("our talks", `your talks with ${companion.display_name}`);
turn.on(() => sharing.show());
const looked = new Looked(talk);
part("looked").hidden = false;
turn.on(() => looked.show());
talk.on("notice", ({ code, say }) => {
  if (code === "consent.told") sharing.show();
  if (say && (code === "consent.told" || code.startsWith("watch."))) tell(say, { stays: true });
});

if (companion.transcript === "current") {
  part("others").textContent = `Those who care for you look after what ${companion.display_name} remembers. If you would like to know or change something, please ask them.`;
  part("others").hidden = false;
  talk.start();
} else {
  part("own").hidden = false;
  begin();
}

function begin() {
  const facts = new Facts(talk, (message, words) => messageShown(talk, message, words, names));
  const talks = new Talks(talk, names);
  const lately = new Lately(talk);
  const everything = () => Promise.all([facts.show(), talks.show(), lately.show()]);
  new Erase(talk, everything);
  part("as-page").onclick = () => take(talk, "html");
  part("as-file").onclick = () => take(talk, "json");

  let soon = 0;
  const later = (show) => {
    clearTimeout(soon);
    soon = setTimeout(show, QUIET);
  };
  let away = 0;
  turn.on(everything);
  talk.on("memory.changed", () => later(() => facts.show()));
  talk.on("summary.ready", () => later(() => facts.show()));
  talk.on("state", ({ state }) => {
    clearTimeout(away);
    if (state === "live") tell("");
    else if (state === "ended") tell(companion.words.ended, { stays: true });
    else away = setTimeout(() => tell(companion.words.reconnecting, { stays: true }), CALM);
  });
  addEventListener("online", () => talk.wake());
  document.addEventListener("visibilitychange", () => document.hidden || talk.wake());
  talk.start();
}
