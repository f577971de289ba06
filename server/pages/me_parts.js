/** An element with its properties and what stands in it; text goes in as text and never as markup. */
export function make(tag, properties = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("aria-")) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...inside.filter((each) => each !== undefined && each !== null && each !== ""));
  return element;
}

export const button = (text, onclick, properties = {}) => make("button", { type: "button", onclick, ...properties }, text);

export const day = (time) => new Date(time).toLocaleDateString(document.documentElement.lang, { dateStyle: "long" });

/** The element named, on this page. */
export const part = (id) => document.getElementById(id);

/** A section of the page, with the link in its menu that leads to it. */
export function hideSection(id, hidden) {
  part(`${id}-title`).closest("section").hidden = document.querySelector(`nav a[href="#${id}-title"]`).hidden = hidden;
}

let putAway = 0;

/** Say something in the status line; it goes by itself, an error stays until the next word. */
export function tell(text, { stays = false } = {}) {
  clearTimeout(putAway);
  part("status").textContent = text;
  if (text && !stays) putAway = setTimeout(() => (part("status").textContent = ""), 8_000);
}

/** What went wrong, in the person's words; `again` shows how it stands when another was faster. */
export function sorry(error, again = () => {}) {
  if (error.code === "state.conflict") {
    again();
    return tell("This was changed somewhere else meanwhile. Here is how it stands now.", { stays: true });
  }
  const gone = ["memory.unknown", "conversation.unknown", "message.unknown"].includes(error.code);
  if (gone) again();
  tell(gone ? "That is not there any more." : error.say ?? error.kindly ?? WORDS[error.code] ?? OOPS, { stays: true });
}

const OOPS = "That did not work just now. Please try once more.";
const WORDS = {
  "policy.refused": "That is not possible here at the moment.",
  "message.empty": "Please write something first.",
  "rate.limited": "One moment, please.",
};

/** Ask before something goes; resolves to whether it may. */
export function confirmed(title, lines, yes, no = "Keep it") {
  const sheet = part("sheet");
  return new Promise((resolve) => {
    const answer = (value) => {
      sheet.onclose = null;
      sheet.close();
      resolve(value);
    };
    const heading = make("h2", { id: "sheet-title", tabIndex: -1, autofocus: true }, title);
    const list = make("ul", {}, ...lines.map((line) => make("li", {}, line)));
    const choice = make("p", { className: "row" }, button(no, () => answer(false)), button(yes, () => answer(true), { className: "main" }));
    sheet.replaceChildren(heading, list, choice);
    sheet.onclose = () => sheet.open || resolve(false); // one that was asked before may be told late that it closed
    sheet.showModal();
  });
}

/** Edit a text where it stands: a field in place of `element`; resolves to the new text, or null. */
export function edited(element, text, label) {
  return new Promise((resolve) => {
    const field = make("textarea", { value: text, maxLength: 2000, "aria-label": label });
    const end = (value) => {
      form.replaceWith(element);
      resolve(value);
    };
    const form = make("form", {}, field, make("p", { className: "row" }, make("button", { className: "main" }, "Save"), button("Leave it as it was", () => end(null))));
    form.onsubmit = (event) => {
      event.preventDefault();
      end(field.value.trim() && field.value.trim() !== text ? field.value.trim() : null);
    };
    field.onkeydown = (event) => event.key === "Escape" && end(null);
    element.replaceWith(form);
    field.focus();
  });
}
