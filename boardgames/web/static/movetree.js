// The list of moves in an analysis: the main line in rows, and variations in parentheses below the move they replace.

import { button, h } from "./dom.js";
import { T } from "./texts.js";
import { pathOf } from "./tree.js";

/** @import { AnnotatedPly } from "../messages.js" */
/** @import { Child } from "./dom.js" */
/** @import { Tree, TreeNode } from "./tree.js" */
/** @typedef {(path: string[]) => AnnotatedPly | undefined} NoteOf  returns what a review says about a path */

export class MoveTree {
  ply = 0;
  drawn = "";
  /** @type {Map<TreeNode, HTMLButtonElement>} */
  elements = new Map();
  /** @type {NoteOf} */
  noteOf = () => undefined;
  /** @type {string[]} */
  sides = [];

  /**
   * @param {(path: string[] | null, ply: number) => void} go  called with a path of the tree and its length, or with null and
   *   a ply of the line that is shown, more than it has for its end
   */
  constructor(go) {
    this.go = go;
    /** @type {(label: string, sign: string, to: () => number) => HTMLButtonElement} */
    const nav = (label, sign, to) => button(sign, () => go(null, to()), { class: "nav", "aria-label": label, title: label });
    this.buttons = [nav(T.first, "«", () => 0), nav(T.previous, "‹", () => Math.max(0, this.ply - 1)),
      nav(T.next, "›", () => this.ply + 1), nav(T.last, "»", () => Infinity)];
    this.navigation = h("div", { class: "navigation steps", role: "group", "aria-label": T.stepThrough }, this.buttons);
    this.list = h("ol", { class: "moves tree", "aria-label": T.moves, tabindex: "-1" });
    this.element = h("section", { class: "moves-box", "aria-label": T.moves }, this.list);
  }

  /**
   * Show a tree, and where in it the board is: after `ply` moves of a line that begins with `path`.
   * @param {Tree} tree
   * @param {string[]} path
   * @param {number} ply
   * @param {number} length  of the line
   * @param {NoteOf} noteOf
   * @param {string[]} sides  the names of the sides
   */
  draw(tree, path, ply, length, noteOf, sides) {
    this.noteOf = noteOf;
    this.sides = sides;
    const current = tree.at(path.slice(0, ply));
    const drawn = JSON.stringify([tree.format(), sides, [...walk(tree.root)].map((one) => [one.side, noteOf(pathOf(one))?.move])]);
    if (drawn !== this.drawn) this.#build(tree);
    this.drawn = drawn;
    for (const [one, element] of this.elements) {
      if (one === current) element.setAttribute("aria-current", "step");
      else element.removeAttribute("aria-current");
    }
    const shown = current ? this.elements.get(current) : undefined;
    if (shown) {
      const top = shown.getBoundingClientRect().top - this.list.getBoundingClientRect().top;
      if (top < 0 || top > this.list.clientHeight - 32) this.list.scrollTop += top - this.list.clientHeight / 2;
    } else this.list.scrollTop = 0;
    this.ply = ply;
    for (const [i, one] of this.buttons.entries()) one.disabled = ply === (i < 2 ? 0 : length);
  }

  /** @param {Tree} tree */
  #build(tree) {
    const focused = [...this.elements.values()].find((one) => one === document.activeElement)?.dataset.path;
    this.elements = new Map();
    this.list.replaceChildren();
    if (tree.root.comment) this.list.append(h("li", { class: "comment" }, tree.root.comment));
    /** @type {HTMLElement | null} */
    let row = null;
    let last = 1;
    let number = 0;
    for (let here = tree.root; here.children.length; [here] = here.children) {
      const [main, ...others] = here.children;
      number += 1;
      const side = main.side ?? 1 - last;
      if (!row || side === 0 || last === 1) {
        row = h("li", { class: "turn" }, h("span", { class: "number", "aria-hidden": "true" }, T.turn(number, side)));
        this.list.append(row);
      }
      last = side;
      row.append(this.#move(main, number, side, true));
      if (main.comment || others.length) {
        const extra = h("li", { class: "aside" });
        if (main.comment) extra.append(h("span", { class: "comment" }, main.comment));
        if (others.length) extra.append(h("ul", {}, others.map((one) => h("li", {}, this.#variation(one, number)))));
        this.list.append(extra);
        row = null;
      }
    }
    if (!number) this.list.append(h("li", { class: "none" }, T.noMoves));
    if (focused !== undefined) [...this.elements.values()].find((one) => one.dataset.path === focused)?.focus();
  }

  /**
   * Return a variation as parts of a line, with those within it in parentheses.
   * @param {TreeNode} first
   * @param {number} number  the ply of its first move
   */
  #variation(first, number) {
    /** @type {Child[]} */
    const parts = ["("];
    /** @type {(one: TreeNode, n: number, isFirst: boolean) => void} */
    const add = (one, n, isFirst) => {
      parts.push(h("span", { class: "together" }, isFirst ? h("span", { class: "muted" }, T.turn(n, one.side ?? 0)) : "", this.#move(one, n, one.side, false)));
      if (one.comment) parts.push(h("span", { class: "comment" }, one.comment), " ");
    };
    add(first, number, true);
    let n = number;
    let follows = false;
    for (let here = first; here.children.length; [here] = here.children) {
      const [main, ...others] = here.children;
      n += 1;
      add(main, n, follows);
      follows = others.length > 0;
      for (const other of others) parts.push(h("span", { class: "nested" }, this.#variation(other, n)));
    }
    parts.push(")");
    return parts;
  }

  /**
   * @param {TreeNode} one
   * @param {number} number  its ply
   * @param {number | undefined} side  who made it, if that is known
   * @param {boolean} isMain
   */
  #move(one, number, side, isMain) {
    const path = pathOf(one);
    const note = this.noteOf(path);
    const marked = one.move + (one.mark || note?.move?.mark || "");
    const value = note?.move?.value ?? ""; // for the side that made the move
    const label = T.moveLabel(number, side === undefined ? "" : this.sides[side], marked, "", value);
    const element = button([h("span", { class: "move-text" }, marked), isMain && value && h("span", { class: "extra" }, value)],
      () => this.go(path, path.length), { class: `move ${isMain ? `side-${side}` : "inline-move"}`, "aria-label": label, "data-path": path.join(" ") });
    this.elements.set(one, element);
    return element;
  }
}

/**
 * Yield the descendants of a node.
 * @param {TreeNode} one
 * @returns {Generator<TreeNode>}
 */
function* walk(one) {
  for (const child of one.children) {
    yield child;
    yield* walk(child);
  }
}
