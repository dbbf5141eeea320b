// Shapes over the board: arrows for moves, and what a person marks with the right button.

import { arrow, n, strip } from "./geometry.js";
import { s } from "./dom.js";

/** @import { Item, Point } from "./geometry.js" */
/**
 * @typedef {object} Arrow  a move that is drawn over the board, given by its text or by the ids of its clicks
 * @property {string} [move]  a legal move, as in `picture.clicks`
 * @property {string[]} [ids]  the clicks of any other move, such as a later one of a line
 * @property {"best" | "other" | "line" | "played" | "bad"} [kind]  its colour; `best` by default
 * @property {number} [width]  from 0, thin, to 1, thick; 1 by default
 */
/** @typedef {"green" | "red" | "blue" | "yellow"} Colour */
/** @typedef {{from: string, to: string | null, colour: Colour}} Shape  an arrow between two ids, or a circle around one */

const [THINNEST, THICKEST] = [8, 22];
const SHAPE_WIDTH = 16;
const GAP = 18;

/**
 * Return the colour that the keys held with the right button stand for.
 * @param {{shiftKey: boolean, ctrlKey: boolean, altKey: boolean}} event
 * @returns {Colour}
 */
export function colourOf({ shiftKey, ctrlKey, altKey }) {
  if (altKey) return shiftKey || ctrlKey ? "yellow" : "blue";
  return shiftKey || ctrlKey ? "red" : "green";
}

/**
 * Return shapes with one more; adding the same one again removes it, and adding it in another colour replaces it.
 * @param {Shape[]} shapes
 * @param {Shape} shape
 */
export function toggled(shapes, shape) {
  const same = shapes.find(({ from, to }) => from === shape.from && to === shape.to);
  const rest = shapes.filter((one) => one !== same);
  return same?.colour === shape.colour ? rest : [...rest, shape];
}

/**
 * Return what an arrow leads through: the first of a group that moves in line, or the middle of one that moves
 * sideways, and then what is clicked after the group.
 * @param {Item[]} items  what is clicked in turn
 * @param {number} size  how many of them are the group
 * @returns {Point[]}
 */
export function leadOf(items, size) {
  const [group, rest] = [items.slice(0, size), items.slice(size)];
  const [first, last] = [group[0], group[group.length - 1]];
  const target = rest[0];
  const turn = (last.x - first.x) * (target.y - first.y) - (last.y - first.y) * (target.x - first.x);
  if (Math.abs(turn) < 0.01) return [first, ...rest].map(({ x, y }) => [n(x), n(y)]);
  // sideways: everything is as far from the middle of the group as from its last one
  const [dx, dy] = [(first.x - last.x) / 2, (first.y - last.y) / 2];
  return [last, ...rest].map(({ x, y }) => [n(x + dx), n(y + dy)]);
}

/**
 * Yield the elements of an arrow: edges first, so that its parts join.
 * @param {Point[]} points
 * @param {number} width
 * @param {string} kind
 */
function* drawn(points, width, kind) {
  const { shaft, head } = arrow(points, width, GAP);
  for (const [part, more] of /** @type {[string, number][]} */ ([["edge", 6], ["core", 0]])) {
    yield s("polyline", { points: shaft, class: `arrow ${part} kind-${kind}`, "stroke-width": width + more });
    yield s("polygon", { points: head, class: `arrow-head ${part} kind-${kind}`, "stroke-width": more || 1 });
  }
}

/**
 * Yield the elements of an outline around a cell or line.
 * @param {Item} item
 * @param {number} width
 * @param {string} kind
 */
function* outlined(item, width, kind) {
  for (const [part, more] of /** @type {[string, number][]} */ ([["edge", 6], ["core", 0]])) {
    const attributes = { class: `circled ${part} kind-${kind}`, "stroke-width": width / 2 + more };
    yield item.kind === "line" ? s("polygon", { ...attributes, points: strip(item, 17), "stroke-linejoin": "round" })
      : s("circle", { ...attributes, cx: n(item.x), cy: n(item.y), r: 45 - width / 4 });
  }
}

/**
 * Yield the elements of the arrow of a move.
 * @param {Arrow} given
 * @param {Item[]} items  what is clicked in turn, without buttons
 * @param {number} size  how many of them are the group that moves
 */
export function* drawArrow({ kind = "best", width = 1 }, items, size) {
  const thickness = THINNEST + (THICKEST - THINNEST) * Math.min(1, Math.max(0, width));
  if (!items.length) return;
  if (items.length === 1) return yield* outlined(items[0], thickness, kind);
  const count = Math.min(size, items.length - 1);
  if (count > 1) {
    const points = items.slice(0, count).map(({ x, y }) => `${n(x)},${n(y)}`).join(" ");
    yield s("polyline", { points, class: `grouped kind-${kind}`, "stroke-width": 84 });
  }
  yield* drawn(leadOf(items, count), thickness, kind);
}

/**
 * Yield the elements of a shape that a person has drawn.
 * @param {Shape} shape
 * @param {Map<string, Item>} items
 */
export function* drawShape({ from, to, colour }, items) {
  const [start, end] = [items.get(from), to === null ? null : items.get(to)];
  if (!start || end === undefined) return;
  if (end === null) yield* outlined(start, SHAPE_WIDTH, colour);
  else yield* drawn([[n(start.x), n(start.y)], [n(end.x), n(end.y)]], SHAPE_WIDTH, colour);
}
