import { companionNamed } from "./companion.js";
import { Fireside } from "./fireside.js";
import { make, part, sorry, tell } from "./me_parts.js";
import { Turn } from "./me_turn.js";

const query = new URLSearchParams(location.search);
const [name, user] = [query.get("companion") ?? undefined, query.get("user") ?? undefined];
const url = `${location.origin.replace("http", "ws")}/ws`;
const talk = new Fireside({ url, hello: { companion: name, user, token: localStorage.token, conversation: null } });
const turn = new Turn(talk);
let asked = null;
let shown = ""; // the question that stands there: an answer under way is not taken away

part("back").href = `/${location.search}`;
part("me").href = `/me${location.search}`;
const companion = await companionNamed(name);
if (companion) {
  document.documentElement.lang = companion.language;
  document.documentElement.dataset.theme = companion.theme;
  part("back").textContent = `To ${companion.display_name}`;
}

/** Show what is asked now, or that there is nothing more to ask. */
function show({ ask, say, missing = [] }, { focus = true } = {}) {
  asked = ask ?? null;
  part("say").textContent = say ?? (asked ? "" : "There is nothing to ask here.");
  part("asked").hidden = !asked;
  if (!asked) shown = "";
  if (!asked || asked.field === shown) return;
  shown = asked.field;
  part("question").textContent = asked.say;
  part("answer").replaceChildren(field(asked));
  part("left").textContent = missing.length > 1 ? `${missing.length - 1} more after this one.` : "This is the last one.";
  if (focus) part("question").focus();
}

/** A field for the kind of answer; its name is the question. */
function field({ kind, choices = [] }) {
  const label = { "aria-labelledby": "question", id: "value" };
  if (kind === "choice") return make("select", label, ...choices.map((each) => make("option", { value: each }, each)));
  if (kind === "number") return make("input", { ...label, type: "number", min: 1, max: 130, inputMode: "numeric" });
  if (kind === "lines") return make("div", {}, make("textarea", { ...label, maxLength: 2000 }), make("p", { className: "soft" }, "One on each line."));
  return make("input", { ...label, maxLength: 200, autocomplete: "off" });
}

/** The answer as it is sent; undefined when nothing was written. */
function given({ kind }) {
  const text = part("value").value.trim();
  if (!text) return undefined;
  if (kind === "number") return Number(text);
  if (kind === "lines") return text.split("\n").map((line) => line.trim()).filter(Boolean);
  return asked.field === "country" ? text.toUpperCase() : text;
}

async function tellIt(value) {
  try {
    const now = await talk.command("profile.answer", value === undefined ? { field: asked.field } : { field: asked.field, value });
    tell("");
    show(now);
  } catch (error) {
    if (error.code === "frame.invalid") tell("That does not seem to fit the question. You can write it differently, or leave it out.", { stays: true });
    else sorry(error);
  }
}

part("asked").onsubmit = (event) => {
  event.preventDefault();
  const value = given(asked);
  if (value === undefined) tell("Write something, or leave this out.");
  else tellIt(value);
};
part("skip").onclick = () => tellIt(undefined);

turn.on(async () => {
  const now = await talk.command("profile.get", {}).catch((error) => (sorry(error), null));
  if (now) show(now, { focus: false });
});
addEventListener("online", () => talk.wake());
document.addEventListener("visibilitychange", () => document.hidden || talk.wake());
talk.start();
