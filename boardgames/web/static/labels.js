// Where the values of moves are drawn on a board: on their own arrows, or where no other arrow is.

/** @import { Point } from "./geometry.js" */
/** @typedef {{move: string, short: string, x: number, y: number, height: number}} Label  `x` and `y` are its middle if the move has no arrow */
/** @typedef {{move: string, kind: string, points: Point[]}} Lead  what the arrow of a move leads through; an outline has one point */
/** @typedef {Label & {size: number, width: number, kind: string}} Placed  `kind` is that of its arrow */

const SHARES = [0.5, 0.36, 0.64, 0.22]; // of an arrow's length, at which its label can be
const REACH = 22; // half the width of an arrow with its head
const SAMPLES = 16;

/**
 * Return the labels that do not hide each other, each with its place. Those of arrows come first.
 * @param {Label[]} labels
 * @param {Lead[]} leads
 */
export function placed(labels, leads) {
  /** @type {Placed[]} */
  const found = [];
  const isFirst = (/** @type {Label} */ label) => leads.findIndex((lead) => lead.move === label.move) >>> 0;
  for (const label of [...labels].sort((a, b) => isFirst(a) - isFirst(b))) {
    const own = leads.find((lead) => lead.move === label.move);
    const points = own && own.points.length > 1 ? SHARES.map((share) => along(own.points, share)) : [/** @type {Point} */ ([label.x, label.y])];
    const size = Math.min(label.height, (3.4 * label.height) / label.short.length);
    const box = { ...label, size, width: label.short.length * size * 0.72 + size * 0.5, kind: own?.kind ?? "" };
    const fitting = points.map(([x, y]) => ({ ...box, x, y })).find((one) =>
      !found.some((other) => areTogether(one, other)) && !leads.some((lead) => lead !== own && isCrossed(one, lead.points)));
    if (fitting) found.push(fitting);
  }
  return found;
}

/**
 * Return the point at a share of the length of a path.
 * @param {Point[]} points
 * @param {number} share
 * @returns {Point}
 */
function along(points, share) {
  const lengths = points.slice(1).map(([x, y], i) => Math.hypot(x - points[i][0], y - points[i][1]));
  let left = share * lengths.reduce((sum, length) => sum + length, 0);
  let at = 0;
  while (at < lengths.length - 1 && left > lengths[at]) left -= lengths[at++];
  const part = left / (lengths[at] || 1);
  const [[x1, y1], [x2, y2]] = [points[at], points[at + 1]];
  return [x1 + part * (x2 - x1), y1 + part * (y2 - y1)];
}

/**
 * Return whether two labels would be read as one: one covers most of the other.
 * @param {Placed} a
 * @param {Placed} b
 */
const areTogether = (a, b) => 2 * Math.abs(a.x - b.x) < 0.9 * (a.width + b.width) && Math.abs(a.y - b.y) < 0.9 * Math.max(a.height, b.height);

/**
 * Return whether a label lies on an arrow.
 * @param {Placed} label
 * @param {Point[]} points
 */
function isCrossed({ x, y, width, height }, points) {
  if (points.length < 2) return false;
  return Array.from({ length: SAMPLES + 1 }, (_, i) => along(points, i / SAMPLES)).some(([px, py]) =>
    Math.hypot(Math.max(0, Math.abs(px - x) - width / 2), Math.max(0, Math.abs(py - y) - height / 2)) < REACH);
}
