// The list of moves, and buttons to go through them.

import { button, h, swatch } from "./dom.js";
import { T } from "./texts.js";

/** @typedef {{text: string, side: number, seconds?: number | null, value?: string | null}} Move  with what is shown beside it */
/** @typedef {{key: string, element: HTMLElement, row: HTMLElement, side: number}} Drawn */

// Elements that use the arrow keys, Home and End themselves.
export const HAVE_KEYS = "input:not([type=checkbox]), select, textarea, dialog, [contenteditable]";

export class MoveList {
  /** @type {Drawn[]} */
  drawn = [];
  ply = 0;

  /** @param {(ply: number) => void} go  called with the ply to show; above the last, this is the end */
  constructor(go) {
    this.go = go;
    /** @type {(label: string, sign: string, to: () => number) => HTMLButtonElement} */
    const nav = (label, sign, to) => button(sign, () => go(to()), { class: "nav", "aria-label": label, title: label });
    this.buttons = [nav(T.first, "«", () => 0), nav(T.previous, "‹", () => Math.max(0, this.ply - 1)),
      nav(T.next, "›", () => this.ply + 1), nav(T.last, "»", () => Infinity)];
    this.list = h("ol", { class: "moves", "aria-label": T.moves, tabindex: "-1" });
    this.element = h("section", { class: "moves-box", "aria-label": T.moves }, h("div", { class: "navigation" }, this.buttons), this.list);
  }

  /**
   * Return the ply to which a key leads, or undefined.
   * @param {string} key
   * @returns {number | undefined}
   */
  target(key, ply = this.ply) {
    return { ArrowLeft: Math.max(0, ply - 1), ArrowRight: ply + 1, Home: 0, End: Infinity }[key];
  }

  /**
   * Show moves, numbered in pairs as in records, whichever side moves; rows that have not changed are kept.
   * @template {Move} M
   * @param {M[]} moves
   * @param {number} ply
   * @param {(ply: number, move: M) => string} label  names a move
   * @param {readonly string[] | null} [colours]  tell whose move it is where the sides do not simply alternate
   */
  draw(moves, ply, label, colours = null) {
    const { list, drawn } = this;
    const same = moves.findIndex((move, i) => JSON.stringify(move) !== drawn[i]?.key);
    const kept = same < 0 ? moves.length : same;
    const hasNews = kept < moves.length || drawn.length !== moves.length;
    if (hasNews) {
      for (const gone of drawn.splice(kept)) {
        gone.element.remove();
        if (gone.row.childElementCount === 1) gone.row.remove();
      }
      for (const [i, move] of [...moves.entries()].slice(kept)) this.#add(i + 1, move, label);
    }
    const isOutOfTurn = colours !== null && moves.some((move, i) => move.side !== i % 2);
    if (isOutOfTurn) {
      for (const { element, side } of drawn) if (!element.querySelector(".swatch")) element.prepend(swatch(side, colours));
    }
    if (!moves.length) list.replaceChildren(h("li", { class: "none" }, T.noMoves));
    for (const { element } of drawn) element.removeAttribute("aria-current");
    const current = drawn[ply - 1]?.element;
    current?.setAttribute("aria-current", "step");
    if (current && (hasNews || ply !== this.ply)) {
      const top = current.offsetTop - list.offsetTop;
      if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 40) list.scrollTop = top - list.clientHeight / 2;
    }
    this.ply = ply;
    for (const [i, one] of this.buttons.entries()) one.disabled = ply === (i < 2 ? 0 : moves.length);
  }

  /**
   * @template {Move} M
   * @param {number} number
   * @param {M} move
   * @param {(number: number, move: M) => string} label
   */
  #add(number, move, label) {
    const last = this.drawn.at(-1);
    if (!last) this.list.replaceChildren();
    const isNewRow = !last || number % 2 === 1;
    const row = isNewRow ? h("li", {}, h("span", { class: "number", "aria-hidden": "true" }, T.pairNumber(number))) : last.row;
    if (isNewRow) this.list.append(row);
    const element = button([
      h("span", { class: "move-text" }, move.text),
      h("span", { class: "extra" }, h("span", {}, move.value ?? ""), h("span", {}, move.seconds ? T.seconds(move.seconds) : "")),
    ], () => this.go(number), { class: "move", "aria-label": label(number, move) });
    row.append(element);
    this.drawn.push({ key: JSON.stringify(move), element, row, side: move.side });
  }
}
