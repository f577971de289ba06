import { make } from "./transcript.js";

/** People who help, how to reach them, and when. */
function helpers(resources) {
  const list = make("ul");
  for (const { name, contact, hours } of resources) {
    const item = make("li");
    item.append(make("strong", "", name), make("span", "", contact), make("span", "soft", hours));
    list.append(item);
  }
  return list;
}

function closing(words, className, close) {
  const button = make("button", className, words.close);
  button.addEventListener("click", close);
  return button;
}

/** Help that is always in reach: a button, and a sheet with everybody who helps. It never closes by itself. */
class Help extends HTMLElement {
  tell(words, resources) {
    const open = make("button", "quiet", words.help);
    const sheet = make("dialog");
    const title = make("h2", "", words.crisis_title);
    title.tabIndex = -1;
    title.autofocus = true; // the sheet opens at its beginning
    sheet.setAttribute("aria-label", words.help);
    sheet.append(title, helpers(resources), make("p", "soft", words.disclosure), closing(words, "main", () => sheet.close()));
    open.addEventListener("click", () => sheet.showModal());
    this.replaceChildren(open, sheet);
  }
}

/** Shown at once when somebody may be in danger. It stays until the person puts it away. */
class Crisis extends HTMLElement {
  show(words, { say, resources }) {
    const close = closing(words, "quiet", () => (this.hidden = true));
    this.hidden = false;
    this.replaceChildren(make("h2", "", words.crisis_title), helpers(resources), make("p", "", say), close);
  }
}

customElements.define("fireside-help", Help);
customElements.define("fireside-crisis", Crisis);
