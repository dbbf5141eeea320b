// Questions that are asked in a dialog.

import { field, h } from "./dom.js";
import { T } from "./texts.js";

/**
 * Ask a question, and return a promise of whether the button `verb` was pressed.
 * @param {string} question
 * @param {string} verb
 */
export async function confirmed(question, verb) {
  return (await answer(h("p", {}, question), h("button", { value: "yes", class: "danger" }, verb), question)) === "yes";
}

/**
 * Ask for a text and return a promise of it, or of null if the dialog was cancelled.
 * @param {string} question
 * @param {string} text
 * @param {string} verb
 * @param {number} maxLength
 */
export async function asked(question, text, verb, maxLength) {
  const input = h("input", { value: text, maxLength, autofocus: true });
  return (await answer(field(question, input), h("button", { value: "yes", class: "primary" }, verb), question)) === "yes" ? input.value : null;
}

/**
 * @param {HTMLElement} content
 * @param {HTMLButtonElement} yes
 * @param {string} label
 * @returns {Promise<string>}
 */
function answer(content, yes, label) {
  const cancel = h("button", { type: "button", onclick: () => dialog.close() }, T.cancel); // not a submit button, which Enter in a field would press
  const dialog = h("dialog", { "aria-label": label },
    h("form", { method: "dialog" }, content, h("div", { class: "controls end" }, cancel, yes)));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(dialog.returnValue);
  }));
}
