// What a person can do with the move that is shown: mark it, comment on it, promote its line or delete it.

import { button, h } from "./dom.js";
import { T } from "./texts.js";
import { cleanComment, MARKS } from "./tree.js";

/** @import { TreeNode } from "./tree.js" */

const LONGEST_COMMENT = 500;
/** @type {Record<string, string>} */
const MARK_NAMES = T.markNames;

export class Notes {
  /** @type {TreeNode | null} */
  node = null;

  /**
   * @param {object} actions
   * @param {(change: {mark: string} | {comment: string}) => void} actions.change
   * @param {() => void} actions.promote
   * @param {() => void} actions.remove
   */
  constructor({ change, promote, remove }) {
    this.marks = MARKS.map((mark) => button(mark, () => change({ mark: this.node?.mark === mark ? "" : mark }), { class: "mark-button", title: MARK_NAMES[mark], "aria-label": MARK_NAMES[mark] }));
    this.comment = h("input", { "aria-label": T.comment, placeholder: T.comment, maxLength: LONGEST_COMMENT, autocomplete: "off",
      onchange: () => change({ comment: cleanComment(this.comment.value) }) });
    this.promote = button(T.promote, promote);
    this.remove = button(T.deleteFrom, remove);
    this.element = h("section", { class: "notes", "aria-label": T.notesOf }, h("div", { class: "marks", role: "group", "aria-label": T.marks }, this.marks),
      this.comment, h("div", { class: "controls" }, this.promote, this.remove));
  }

  /**
   * Show the notes on a move.
   * @param {TreeNode} node
   * @param {boolean} isMain  whether the move is in the main line
   */
  draw(node, isMain) {
    const isOther = node !== this.node;
    this.node = node;
    const isRoot = !node.parent;
    for (const one of this.marks) {
      one.disabled = isRoot;
      one.setAttribute("aria-pressed", String(one.textContent === node.mark));
    }
    if (isOther || document.activeElement !== this.comment) this.comment.value = node.comment;
    this.promote.disabled = isMain;
    this.remove.disabled = isRoot;
  }
}
