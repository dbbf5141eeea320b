// Small pictures of positions, such as those of layouts.

import { s } from "./dom.js";

/** @import { Picture } from "../messages.js" */

const SIZE = 10;
/** @param {number} value */
const at = (value) => Math.round(value * SIZE * 10) / 10;

/**
 * Return an SVG with the cells, lines and pieces of a picture.
 * @param {Picture} picture
 */
export function thumbnail({ bounds: [left, top, right, bottom], cells, lines, pieces, colours }) {
  const places = new Map(cells.map((cell) => [cell.id, cell]));
  const isLined = lines.length > 0;
  return s("svg", { viewBox: [left, top, right - left, bottom - top].map(at).join(" "), "aria-hidden": "true" },
    cells.filter((cell) => isLined && cell.owner !== null).map((cell) => s("circle", { cx: at(cell.x), cy: at(cell.y), r: 0.3 * SIZE, fill: colours[cell.owner ?? 0] })),
    isLined ? [...lines].sort((a, b) => Number(a.side !== null) - Number(b.side !== null)).map((line) => s("line", { x1: at(line.x1), y1: at(line.y1), x2: at(line.x2), y2: at(line.y2),
      class: `thumbnail-line${line.side === null ? "" : " drawn"}`, stroke: line.side === null ? null : colours[line.side] }))
      : cells.map((cell) => s("circle", { cx: at(cell.x), cy: at(cell.y), r: 0.42 * SIZE, class: "thumbnail-cell" })),
    pieces.map((piece) => {
      const { x, y } = places.get(piece.cell) ?? {};
      return x !== undefined && y !== undefined && s("circle", { cx: at(x), cy: at(y), r: 0.42 * SIZE, fill: colours[piece.side], class: "thumbnail-piece" });
    }));
}
