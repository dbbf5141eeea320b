// Mouse, touch and pen on a board: clicks, drags, and marks with the right button.

import { n } from "./geometry.js";
import { twice } from "./scene.js";
import { colourOf } from "./shapes.js";

/** @import { Board } from "./board.js" */

const NEAR = 45; // how far from a line a touch may be, in hundredths of the distance between cells

/** @param {EventTarget | null} target */
export const idAt = (target) => {
  const found = target instanceof Element ? target.closest("[data-id]") : null;
  return found instanceof SVGElement ? found.dataset.id ?? null : null;
};

/**
 * Listen to the pointer on a board until a signal is aborted.
 * @param {Board} board
 * @param {AbortSignal} signal
 */
export function followPointer(board, signal) {
  const { svg } = board;
  /** @type {string | null} */
  let from = null; // where the button was pressed
  let dragged = false;
  let isSpent = false;
  /** @type {string | null} */
  let marked = null; // where the right button was pressed
  const under = (/** @type {PointerEvent} */ event) => idAt(document.elementFromPoint(event.clientX, event.clientY));
  const release = (/** @type {PointerEvent} */ event) => {
    // touch captures the pointer, which would hide what is under it
    if (event.target instanceof Element && event.target.hasPointerCapture(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
  };
  const drop = () => {
    [from, marked] = [null, null];
    board.preview(null);
    board.layers.ghost.replaceChildren();
  };
  svg.addEventListener("pointerdown", (event) => {
    const id = idAt(event.target);
    from = event.button === 0 ? id : null;
    marked = event.button === 2 && board.canMark ? id : null;
    dragged = false;
    if (id !== null) release(event);
  });
  svg.addEventListener("pointermove", (event) => {
    const id = idAt(event.target);
    if (marked !== null) drawDrag(board, marked, event);
    if (from !== null && board.interactive && (id !== from || dragged)) {
      dragged = true;
      drawDrag(board, from, event);
      board.preview(id !== null && id !== from ? board.dragged(from, id).move : null);
    }
    if (event.pointerType !== "touch") board.hover(id);
  });
  // a touch that begins on something clickable drags it instead of the page
  svg.addEventListener("touchmove", (event) => {
    if (from !== null && board.scene.targets.get(from)?.classList.contains("live") && event.cancelable) event.preventDefault();
  }, { passive: false });
  svg.addEventListener("pointerleave", () => board.hover(null));
  svg.addEventListener("contextmenu", (event) => {
    if (board.canMark && idAt(event.target) !== null) event.preventDefault();
  });
  document.addEventListener("pointerup", (event) => {
    const [start, mark] = [from, marked];
    const to = dragged || mark !== null ? under(event) : null;
    if (mark !== null && to !== null) board.mark(mark, to === mark ? null : to, colourOf(event));
    if (start !== null && to !== null && to !== start && board.interactive) board.drag(start, to);
    if (start !== null || mark !== null) drop();
  }, { signal });
  document.addEventListener("pointercancel", drop, { signal });
  svg.addEventListener("click", (event) => {
    const id = event.pointerType === "touch" ? nearest(board, event) : idAt(event.target);
    // the second half of a double click belongs to the first one, which has made a move
    if (event.detail < 2) isSpent = false;
    if (dragged && event.detail > 0) dragged = false;
    else if (!isSpent && id === null) board.clear();
    else if (!isSpent && id !== null) {
      board.current = id;
      isSpent = board.click(id);
    }
  });
  document.addEventListener("pointerdown", ({ target }) => {
    board.hush();
    if (target instanceof Element && !svg.contains(target) && !target.closest("[data-keeps-selection]")) board.clear();
  }, { signal });
}

/**
 * Return what a touch hits: the nearest line, drawn or not, since lines are narrower than fingers.
 * @param {Board} board
 * @param {MouseEvent} event
 */
function nearest({ items, svg, scene }, { target, clientX, clientY }) {
  const [hit, matrix] = [idAt(target), svg.getScreenCTM()];
  if (!matrix || (hit !== null && scene.targets.get(hit)?.classList.contains("live"))) return hit;
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
  let [meant, least] = [hit, NEAR];
  for (const [id, item] of items) {
    if (item.kind !== "line") continue;
    const [dx, dy] = [n(item.x2) - n(item.x1), n(item.y2) - n(item.y1)];
    const along = Math.min(1, Math.max(0, ((x - n(item.x1)) * dx + (y - n(item.y1)) * dy) / (dx * dx + dy * dy)));
    const distance = Math.hypot(x - n(item.x1) - along * dx, y - n(item.y1) - along * dy);
    if (distance < least) [meant, least] = [id, distance];
  }
  return meant;
}

/**
 * @param {Board} board
 * @param {string} from
 * @param {PointerEvent} event
 */
function drawDrag({ items, svg, layers }, from, event) {
  const [item, matrix] = [items.get(from), svg.getScreenCTM()];
  if (!item || !matrix) return;
  const { x: x2, y: y2 } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  layers.ghost.replaceChildren(...twice("line", { x1: n(item.x), y1: n(item.y), x2, y2 }, "drag"));
}
