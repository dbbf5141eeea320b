// Small pictures of positions, such as those of layouts.

import { markClass, sideColour } from "./colours.js";
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
  return s("svg", { class: "small-board", overflow: "visible", viewBox: [left, top, right - left, bottom - top].map(at).join(" "), "aria-hidden": "true" },
    cells.filter((cell) => isLined && cell.owner !== null).map((cell) => s("circle", { cx: at(cell.x), cy: at(cell.y), r: 0.3 * SIZE, fill: sideColour(colours, cell.owner ?? 0) })),
    isLined ? [...lines].sort((a, b) => Number(a.side !== null) - Number(b.side !== null)).flatMap((line) => {
      const ends = { x1: at(line.x1), y1: at(line.y1), x2: at(line.x2), y2: at(line.y2) };
      if (line.side === null) return [s("line", { ...ends, class: "thumbnail-line" })];
      const drawn = s("line", { ...ends, class: "thumbnail-line drawn", stroke: sideColour(colours, line.side) });
      return line.side === 1 ? [drawn, s("line", { ...ends, class: markClass("line-core for-contrast", colours, 1) })] : [drawn];
    })
      : cells.map((cell) => s("circle", { cx: at(cell.x), cy: at(cell.y), r: 0.42 * SIZE, class: "thumbnail-cell" })),
    pieces.flatMap((piece) => {
      const place = places.get(piece.cell);
      return place ? pieceAt(piece, at(place.x), at(place.y), colours) : [];
    }));
}

/**
 * Return the elements that draw a piece.
 * @param {Picture["pieces"][number]} piece
 * @param {number} cx
 * @param {number} cy
 * @param {Picture["colours"]} colours
 * @returns {SVGElement[]}
 */
function pieceAt({ shape, side, symbol }, cx, cy, colours) {
  const fill = sideColour(colours, side);
  if (shape === "letter") return [s("text", { x: cx, y: cy + 0.26 * SIZE, fill, "font-size": 0.72 * SIZE, "font-weight": 700, "text-anchor": "middle" }, symbol.toUpperCase())];
  const disc = s("circle", { cx, cy, r: 0.42 * SIZE, fill, class: "thumbnail-piece" });
  return side === 1 ? [disc, s("circle", { cx, cy, r: 0.2 * SIZE, class: markClass("emblem for-contrast", colours, 1) })] : [disc];
}
