// Setting up positions.

import { button, field, h, setText } from "./dom.js";
import { T } from "./texts.js";

/** @import { BoardReply } from "../messages.js" */
/** @import { Changes, Edit } from "./analysis.js" */

/** @type {(select: HTMLSelectElement, names: string[], chosen: string, text?: (name: string) => string) => void} */
const choices = (select, names, chosen, text = (name) => name) => {
  select.replaceChildren(...names.map((name) => h("option", { value: name, selected: name === chosen }, text(name))));
  select.disabled = names.length < 2;
};

// The panel in which a position is set up.
export class Editor {
  /** @type {BoardReply | null} */
  state = null;

  /**
   * @param {object} actions
   * @param {(edit: Edit) => void} actions.edit  changes the position
   * @param {(changes: Changes) => void} actions.go  goes to another position
   * @param {(text: string) => void} actions.copy
   */
  constructor({ edit, go, copy }) {
    this.piece = h("select", {});
    this.turns = [0, 1].map((side) => button("", () => edit({ side })));
    this.layout = h("select", { onchange: () => go({ layout: this.layout.value, options: {}, position: null, moves: [], ply: null }) });
    this.notation = h("select", { onchange: () => this.#write() });
    this.text = h("textarea", { spellcheck: false, readOnly: true });
    this.pieces = h("div", { class: "field" }, field(T.piecePut, this.piece), h("div", { class: "controls" }, ...this.turns, button(T.clear, () => edit({ clear: true }))));
    this.cannot = h("p", { class: "muted" }, T.cannotSetUp);
    this.element = h("div", {}, this.pieces, this.cannot, field(T.startLayout, this.layout), field(T.notation, this.notation), field(T.positionText, this.text),
      h("div", { class: "controls" }, button(T.copyPosition, () => copy(this.text.value))));
  }

  // Return the piece that a click places, or null to remove one.
  get chosen() {
    return this.state?.pieces[this.piece.selectedIndex] ?? null;
  }

  /**
   * @param {string[]} layouts
   * @param {string} chosen
   */
  offerLayouts(layouts, chosen) {
    choices(this.layout, layouts, chosen, T.layoutName);
  }

  /** @param {BoardReply} state */
  draw(state) {
    if (this.state?.game !== state.game) choices(this.piece, [...state.pieces, T.noPiece], state.pieces[0]);
    this.state = state;
    this.pieces.hidden = !state.pieces.length;
    this.cannot.hidden = state.pieces.length > 0;
    for (const [side, one] of this.turns.entries()) {
      setText(one, T.move(state.sides[side]));
      one.setAttribute("aria-pressed", String(side === state.to_move));
    }
    choices(this.notation, Object.keys(state.notations), this.notation.value);
    if (this.layout.options.length) this.layout.value = state.layout;
    this.#write();
  }

  #write() {
    this.text.value = this.state?.notations[this.notation.value] ?? this.state?.position ?? "";
  }
}
