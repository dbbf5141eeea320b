// What changes from one position to the next: pieces that slide, fall, come and go; and previews of moves.

import { announce, s } from "./dom.js";
import { distance, fall, n } from "./geometry.js";
import { twice } from "./scene.js";
import { T } from "./texts.js";

/** @import { Piece, Picture } from "../messages.js" */
/** @import { Scene } from "./scene.js" */
/** @typedef {Map<string, Piece>} Pieces  by their cells */

const MOVE_MS = 180;
const MOST_PIECES = 12;
const quiet = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @param {Piece | undefined} a
 * @param {Piece | undefined} b
 */
const isSame = (a, b) => a !== undefined && b !== undefined && a.side === b.side && a.symbol === b.symbol;

/**
 * Return the pieces that leave their cells and those that come, and all pieces of a picture by their cells.
 * @param {Scene} scene
 * @param {Pieces} before
 * @param {Picture} picture
 */
function changes(scene, before, picture) {
  const after = new Map(picture.pieces.filter((piece) => scene.items.has(piece.cell)).map((piece) => [piece.cell, piece]));
  const without = (/** @type {Pieces} */ these, /** @type {Pieces} */ those) =>
    [...these.values()].filter((piece) => !isSame(those.get(piece.cell), piece));
  return { after, left: without(before, after), came: without(after, before) };
}

/**
 * Animate the pieces of a scene from their places in the previous picture.
 * @param {Scene} scene
 * @param {Picture} previous
 */
export function animate(scene, previous) {
  const { picture, items } = scene;
  if (!picture || quiet.matches) return;
  const before = new Map(previous.pieces.map((piece) => [piece.cell, piece]));
  const { left, came, after } = changes(scene, before, picture);
  if (left.length + came.length > MOST_PIECES) return;
  const timing = { duration: MOVE_MS, easing: "ease-out" };
  const used = slide(scene, before, after, left, came, timing);
  for (const piece of came.filter((one) => !used.has(one))) {
    const [group, item] = [scene.groups.get(piece.cell)?.firstElementChild, items.get(piece.cell)];
    if (!group || !item) continue;
    if (picture.gravity) {
      const [across, down] = fall(picture.gravity, item, scene.box);
      group.animate([{ transform: `translate(${-across}px, ${-down}px)` }, { transform: "none" }],
        { duration: 120 + Math.hypot(across, down) / 3, easing: "cubic-bezier(.5,0,.9,.6)" });
    } else group.animate([{ opacity: 0, transform: "scale(.8)" }, { opacity: 1, transform: "none" }], timing);
  }
  for (const piece of left.filter((one) => !used.has(one))) {
    const item = items.get(piece.cell);
    if (!item) continue;
    const ghost = scene.piece(piece, item);
    scene.layers.body.after(ghost);
    const gone = ghost.firstElementChild?.animate([{ opacity: 1 }, { opacity: 0, transform: "scale(.7)" }], timing);
    if (gone) gone.onfinish = gone.oncancel = () => ghost.remove();
  }
  for (const line of picture.changed) {
    scene.layers.lines.querySelector(`[data-line="${CSS.escape(line)}"]`)?.animate([{ opacity: 0 }, { opacity: 1 }], timing);
  }
}

/**
 * Slide pieces to the nearest cells where an equal one has appeared; return the pieces of both positions that take part.
 * @param {Scene} scene
 * @param {Pieces} before
 * @param {Pieces} after
 * @param {Piece[]} left
 * @param {Piece[]} came
 * @param {KeyframeAnimationOptions} timing
 */
function slide({ items, groups }, before, after, left, came, timing) {
  const pairs = left.flatMap((a) => came.filter((b) => isSame(a, b)).flatMap((b) => {
    const [from, to] = [items.get(a.cell), items.get(b.cell)];
    return from && to ? [{ a, b, from, to, length: distance(from, to) }] : [];
  }));
  const move = (/** @type {string} */ from, /** @type {string} */ to) => {
    const [a, b] = [items.get(from), items.get(to)];
    if (!a || !b) return;
    const start = `translate(${n(a.x - b.x)}px, ${n(a.y - b.y)}px)`;
    groups.get(to)?.firstElementChild?.animate([{ transform: start }, { transform: "none" }], timing);
  };
  /** @type {Set<Piece>} */
  const used = new Set();
  for (const { a, b, from, to, length } of pairs.sort((one, other) => one.length - other.length)) {
    if (used.has(a) || used.has(b)) continue;
    used.add(a).add(b);
    // equal pieces in a straight row between the two cells move by one cell each
    const steps = Math.max(1, Math.round(length));
    const row = Array.from({ length: steps + 1 }, (_, i) => {
      const place = { x: from.x + ((to.x - from.x) * i) / steps, y: from.y + ((to.y - from.y) * i) / steps };
      return [...items.values()].find((item) => item.kind === "cell" && distance(item, place) < 0.1)?.id ?? "";
    });
    const isRow = row.every((cell, i) => (i === steps || isSame(before.get(cell), a)) && (i === 0 || isSame(after.get(cell), a)));
    if (isRow) row.slice(1).forEach((cell, i) => move(row[i], cell));
    else move(a.cell, b.cell);
  }
  return used;
}

/**
 * Preview a move that changes more than one piece, line or cell, else show nothing.
 * @param {Scene} scene
 * @param {Picture | null | undefined} picture
 * @param {boolean} isSpoken
 */
export function showResult(scene, picture, isSpoken = false) {
  const { layers, pieces, items, picture: shown } = scene;
  for (const group of scene.groups.values()) group.removeAttribute("opacity");
  layers.result.replaceChildren();
  layers.lost.replaceChildren();
  if (!picture || !shown) return;
  const { sides } = shown;
  const { left, came, after } = changes(scene, pieces, picture);
  const owned = picture.cells.flatMap(({ id, owner }) => {
    const item = items.get(id);
    return item?.kind === "cell" && item.owner !== owner ? [{ ...item, owner }] : [];
  });
  const lines = picture.lines.flatMap(({ id, side }) => {
    const item = items.get(id);
    return item?.kind === "line" && item.side !== side ? [{ ...item, side }] : [];
  });
  if (Math.max(left.length, came.length) + owned.length + lines.length < 2) return;
  for (const piece of left) scene.groups.get(piece.cell)?.setAttribute("opacity", "0.18");
  /** @type {SVGElement[]} */
  const drawn = owned.flatMap((cell) => [...scene.cell(cell)]);
  for (const line of lines) drawn.push(...scene.line(line, false));
  const places = came.map((piece) => ({ piece, place: items.get(piece.cell) }));
  for (const { piece, place } of places) if (place) drawn.push(scene.piece(piece, place));
  for (const place of [...places.map((one) => one.place), ...owned]) {
    if (place) drawn.push(...twice("circle", { cx: n(place.x), cy: n(place.y), r: 46 }, "after"));
  }
  // pieces that leave the board
  const count = (/** @type {Pieces} */ all, /** @type {number} */ side) => [...all.values()].filter((piece) => piece.side === side).length;
  const lost = [0, 1].map((side) => count(pieces, side) - count(after, side));
  for (const { side, cell } of left) {
    const place = items.get(cell);
    if (!place || lost[side] <= 0 || (lost[side] < left.length && !after.has(cell))) continue;
    const [x, y] = [n(place.x) + 34, n(place.y) - 34];
    layers.lost.append(s("circle", { cx: x, cy: y, r: 19 }), s("path", { d: `M${x - 8} ${y - 8}l16 16m0-16l-16 16` }));
  }
  layers.result.replaceChildren(...drawn);
  if (!isSpoken) return;
  announce([
    ...left.filter((piece) => !after.has(piece.cell)).map((piece) => T.becomes(piece.cell, T.empty)),
    ...came.map((piece) => T.becomes(piece.cell, sides[piece.side])),
    ...owned.map((cell) => T.becomes(cell.id, cell.owner === null ? T.empty : T.ownedBy(sides[cell.owner]))),
    ...sides.map((side, i) => (lost[i] > 0 ? T.loses(side, lost[i]) : "")).filter(Boolean),
  ].join(T.separator));
}
