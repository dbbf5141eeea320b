// The form in which a move is typed.

import { h, setText } from "./dom.js";
import { T } from "./texts.js";

export class Typing {
  /**
   * @param {(move: string, refused: (reason: string) => void) => void} send  called with a move, and with a function that
   *   takes the reason why it is refused
   */
  constructor(send) {
    this.send = send;
    this.hasTyped = false;
    this.input = h("input", { type: "text", id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: false, maxLength: 60 });
    this.input.setAttribute("aria-describedby", "typed-help typed-problem");
    this.problem = h("p", { class: "problem", id: "typed-problem", role: "alert" });
    this.help = h("p", { class: "typed-help", id: "typed-help", hidden: true });
    this.button = h("button", { type: "submit" }, T.play);
    this.element = h("form", { class: "typed", onsubmit: (event) => this.#submit(event) },
      h("label", { for: "typed" }, T.typeMove), h("span", { class: "row" }, this.input, this.button), this.help, this.problem);
  }

  /** @param {string} text  how a move is typed */
  explain(text) {
    setText(this.help, text);
    this.help.hidden = !text;
  }

  /**
   * @param {boolean} isOffered
   * @param {boolean} isEnabled
   */
  draw(isOffered, isEnabled) {
    this.element.hidden = !isOffered;
    this.input.disabled = this.button.disabled = !isEnabled;
  }

  // Forget what has been typed, since the position has changed.
  clear() {
    setText(this.problem, "");
    if (this.hasTyped) this.input.value = "";
    this.hasTyped = false;
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    const move = this.input.value.trim();
    setText(this.problem, "");
    if (!move) return;
    this.hasTyped = true;
    this.send(move, (reason) => {
      this.hasTyped = false;
      setText(this.problem, reason);
    });
  }
}
