// The pieces that a side has beside the board, or their number.

import { markClass, sideColour } from "./colours.js";
import { h, s } from "./dom.js";
import { T } from "./texts.js";

/** @import { Picture, Tray } from "../messages.js" */

const [SIZE, RADIUS] = [20, 8.5];

/**
 * Return the pieces of a tray and its free places, or its count in words.
 * @param {Tray} tray
 * @param {Picture} picture
 */
export function trayOf({ label, count, pieces, places }, { colours, winning }) {
  const room = Math.max(places, pieces.length);
  const words = T.inTray(label, room ? pieces.length : count, places);
  if (!room) return h("span", {}, words);
  const all = Array.from({ length: room }, (_, i) => {
    const piece = pieces[i];
    const centre = { cx: SIZE * (i + 0.5), cy: SIZE / 2 };
    if (!piece) return [s("circle", { ...centre, r: RADIUS - 2, class: "tray-place" })];
    const isLast = winning.includes(piece.cell);
    return [
      s("circle", { ...centre, r: RADIUS, fill: sideColour(colours, piece.side), class: "swatch-disc" }),
      piece.side === 1 && s("circle", { ...centre, r: 4.5, class: markClass("swatch-ring", colours, 1) }),
      isLast && s("circle", { ...centre, r: RADIUS, class: "tray-winning" }),
    ];
  });
  return s("svg", { class: "tray", viewBox: `0 0 ${SIZE * room} ${SIZE}`, role: "img", "aria-label": words }, ...all);
}
