// @ts-nocheck
// What a person can do with the move that is shown: mark it, comment on it, promote its line or delete it.

import { button, h } from "./dom.js";
import { T } from "./texts.js";
import { cleanComment, MARKS } from "./tree.js";

const LONGEST_COMMENT = 500;

export class Notes {
  // `change` is called with {mark} or {comment}, `promote` and `remove` without anything.
  constructor({ change, promote, remove }) {
    this.marks = MARKS.map((mark) => button(mark, () => change({ mark: this.node.mark === mark ? "" : mark }), { class: "mark-button", title: T.markNames[mark], "aria-label": T.markNames[mark] }));
    this.comment = h("input", { "aria-label": T.comment, placeholder: T.comment, maxLength: LONGEST_COMMENT, autocomplete: "off",
      onchange: () => change({ comment: cleanComment(this.comment.value) }) });
    this.promote = button(T.promote, promote);
    this.remove = button(T.deleteFrom, remove);
    this.element = h("section", { class: "notes", "aria-label": T.notesOf }, h("div", { class: "marks", role: "group", "aria-label": T.marks }, this.marks),
      this.comment, h("div", { class: "controls" }, this.promote, this.remove));
  }

  // Show what is noted at a node.
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
