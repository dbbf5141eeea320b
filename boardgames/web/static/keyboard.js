// The keyboard on a board: arrow keys go to what can be clicked, Enter clicks, M marks, Escape deselects.

import { nearest } from "./geometry.js";
import { idAt } from "./pointer.js";

/** @import { Board } from "./board.js" */
/** @type {Record<string, number[]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Listen to the keyboard on a board until a signal is aborted.
 * @param {Board} board
 * @param {AbortSignal} signal
 */
export function followKeyboard(board, signal) {
  document.addEventListener("keydown", (event) => {
    board.hush();
    if (event.key !== "Escape") return;
    const dialog = document.querySelector("dialog[open]");
    if (dialog && !dialog.contains(board.svg)) return;
    if (dialog && board.clicks.path.length) event.preventDefault(); // the dialog of a lesson stays open
    board.clear();
  }, { signal });
  board.svg.addEventListener("keydown", (event) => {
    const id = idAt(event.target);
    if (id === null || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      board.click(id);
    } else if (event.key.toLowerCase() === "m" && board.canMark) {
      board.mark(id, null, event.shiftKey ? "red" : "green");
    } else if (event.key in ARROWS) {
      event.preventDefault();
      const clickable = [...board.options.keys(), ...board.clicks.path].filter((one) => board.items.has(one));
      const near = nearest(board.items, id, ARROWS[event.key], event.shiftKey || !clickable.length ? board.items.keys() : clickable);
      if (near !== null) board.focus(near);
    }
  });
}
