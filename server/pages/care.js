import { Alerts } from "./care_alerts.js";
import { Allowed } from "./care_allowed.js";
import { Views } from "./care_views.js";
import { Watching } from "./care_watch.js";
import { companionNamed } from "./companion.js";
import { Fireside } from "./fireside.js";
import { part, tell } from "./me_parts.js";

const KEPT = "fireside.care"; // in this window's own storage: never in an address, and gone with the window
const REFUSED = 4502;
const CALM = 3_000;

let talk = null;
let watching = null;
let away = 0;

part("enter").onsubmit = (event) => {
  event.preventDefault();
  const given = { token: part("token").value.trim(), companion: part("companion").value.trim() || undefined };
  sessionStorage.setItem(KEPT, JSON.stringify(given));
  enter(given);
};
part("leave").onclick = () => leave("You are signed out.");

/** Nothing of the person stays on the screen or in the window. */
function leave(words) {
  sessionStorage.removeItem(KEPT);
  watching?.stop();
  talk?.stop();
  talk = null;
  part("token").value = "";
  part("inside").hidden = true;
  part("enter").hidden = false;
  part("title").textContent = document.title = "Looking after somebody";
  part("who").textContent = "";
  for (const id of ["alert-list", "emotions", "repetition", "trends", "summaries", "learned", "notes", "escalations", "consents", "told"]) part(id).replaceChildren();
  part("context").reset();
  tell(words, { stays: true });
  part("token").focus();
}

function enter({ token, companion }) {
  tell("One moment.", { stays: true });
  watching?.stop();
  talk?.stop();
  const url = `${location.origin.replace("http", "ws")}/ws`;
  const hello = { token, companion, conversation: null };
  const here = new Fireside({ url, hello });
  watching = new Watching(url, hello);
  const alerts = new Alerts(here);
  const views = new Views(here);
  const allowed = new Allowed(here);
  let known = false;
  here.on("welcome", async ({ user, name, role, companion: id }) => {
    known = true;
    const carer = role === "caregiver";
    document.title = part("title").textContent = `How ${name ?? user} is doing`;
    part("enter").hidden = true;
    part("inside").hidden = false;
    part("views").hidden = part("own").hidden = part("jump").hidden = !carer;
    tell("");
    alerts.begin(role);
    if (carer) {
      views.show();
      allowed.show();
    }
    const companion = await companionNamed(id);
    if (talk === here) part("who").textContent = `With ${companion?.display_name ?? id}. You are here as ${carer ? "a caregiver" : "the safeguarding contact"}.`;
  });
  here.on("alert.raised", () => alerts.show());
  here.on("alert.acknowledged", () => alerts.show());
  here.on("care.changed", () => {
    alerts.show();
    if (part("views").hidden) return;
    views.show();
    allowed.show();
  });
  here.on("error", ({ code, re }) => {
    if (!known && re) leave(code === "auth.refused" ? "This token does not open anything. Perhaps it has ended." : "That companion is not one you were given.");
  });
  here.on("state", ({ state, code }) => {
    clearTimeout(away);
    if (talk !== here) return;
    if (state === "ended" && code === REFUSED) leave("This token does not open anything. Perhaps it has ended.");
    else if (state !== "live") away = setTimeout(() => tell("The connection is away. What you see may be old; it comes back by itself.", { stays: true }), CALM);
  });
  talk = here;
  here.start();
}

const kept = sessionStorage.getItem(KEPT);
if (kept) enter(JSON.parse(kept));
