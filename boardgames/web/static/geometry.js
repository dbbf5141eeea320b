// Places and shapes on a board, as numbers and as attributes of SVG. One unit of a picture is 100 units of the drawing.

/** @import { Cell, Line, Picture } from "../messages.js" */
/** @typedef {Cell & {kind: "cell"}} CellItem  a cell, as it is turned */
/** @typedef {Line & {kind: "line", x: number, y: number}} LineItem  a line, and its middle */
/** @typedef {CellItem | LineItem} Item */
/** @typedef {[number, number]} Point */
/** @typedef {"up" | "down" | "left" | "right"} Direction */

export const U = 100;
const HALF_HEXAGON = 0.57735;
const NEIGHBOURS = 1.05;
/** @type {Record<Direction, Direction>} */
const AGAINST = { up: "down", down: "up", left: "right", right: "left" };

/**
 * Return a length of a picture in units of the drawing.
 * @param {number} value
 */
export const n = (value) => Math.round(value * U * 10) / 10;

/**
 * @param {{x: number, y: number}} a
 * @param {{x: number, y: number}} b
 */
export const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

/**
 * Return the angle in degrees from one place to another.
 * @param {{x: number, y: number}} from
 * @param {{x: number, y: number}} to
 */
export const angle = (from, to) => (Math.round((Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI) + 360) % 360;

const SIGNS = ["→", "↘", "↓", "↙", "←", "↖", "↑", "↗"];

/**
 * Return which eighth of a turn an angle in degrees is nearest to.
 * @param {number} degrees
 */
export const eighth = (degrees) => Math.round(degrees / 45) % 8;

/**
 * Return an arrow as a character for an angle in degrees.
 * @param {number} degrees
 */
export const signOf = (degrees) => SIGNS[eighth(degrees)];

/**
 * Return the angles at which cells have neighbours, in ascending order.
 * @param {Cell[]} cells
 */
export function directions(cells) {
  const found = cells.flatMap((a) => cells.filter((b) => a !== b && distance(a, b) < NEIGHBOURS).map((b) => angle(a, b)));
  return [...new Set(found)].sort((a, b) => a - b);
}

/**
 * Return the picture as the other player sees it.
 * @param {Picture} picture
 * @returns {Picture}
 */
export function flipped(picture) {
  const [left, top, right, bottom] = picture.bounds;
  const isTurned = picture.flip === "turn";
  const { gravity } = picture;
  const x = (/** @type {number} */ value) => left + right - value;
  const y = (/** @type {number} */ value) => (isTurned ? top + bottom - value : value);
  /** @template {{x: number, y: number}} T @param {T} item */
  const move = (item) => ({ ...item, x: x(item.x), y: y(item.y) });
  /** @template {{x1: number, y1: number, x2: number, y2: number}} T @param {T} line */
  const draw = (line) => ({ ...line, x1: x(line.x1), y1: y(line.y1), x2: x(line.x2), y2: y(line.y2) });
  const isReversed = gravity !== null && (isTurned || gravity === "left" || gravity === "right");
  return {
    ...picture,
    cells: picture.cells.map(move),
    labels: picture.labels.map(move),
    lines: picture.lines.map(draw),
    grid: picture.grid.map(draw),
    gravity: isReversed ? AGAINST[gravity] : gravity,
  };
}

/**
 * Return cells and lines by their ids.
 * @param {Picture} picture
 */
export function itemsOf({ cells, lines }) {
  /** @type {Map<string, Item>} */
  const items = new Map();
  for (const cell of cells) items.set(cell.id, { ...cell, kind: "cell" });
  for (const line of lines) {
    items.set(line.id, { ...line, kind: "line", x: (line.x1 + line.x2) / 2, y: (line.y1 + line.y2) / 2 });
  }
  return items;
}

/**
 * Return the vector by which a piece falls to a place from the edge of a box.
 * @param {Direction} gravity
 * @param {{x: number, y: number}} place
 * @param {number[]} box  left, top, width and height
 * @returns {Point}
 */
export function fall(gravity, place, [left, top, width, height]) {
  const [x, y] = [n(place.x), n(place.y)];
  if (gravity === "down" || gravity === "up") return [0, gravity === "down" ? y - top : y - top - height];
  return [gravity === "right" ? x - left : x - left - width, 0];
}

/**
 * Return the id that is nearest in a direction, or null.
 * @param {Map<string, Item>} items
 * @param {string} id  the start
 * @param {number[]} direction
 * @param {Iterable<string>} ids  those to choose from
 */
export function nearest(items, id, [dx, dy], ids) {
  const here = items.get(id);
  let best = null;
  let lowest = Infinity;
  for (const other of ids) {
    const item = items.get(other);
    if (!item || !here || other === id) continue;
    const along = (item.x - here.x) * dx + (item.y - here.y) * dy;
    const across = Math.abs((item.x - here.x) * dy) + Math.abs((item.y - here.y) * dx);
    const cost = Math.hypot(along, across) + across + (across > 1.8 * along ? 1000 : 0);
    if (along >= 0.05 && cost < lowest - 1e-6) [best, lowest] = [other, cost];
  }
  return best;
}

// --- paths and points ---

/**
 * @param {number} cx
 * @param {number} cy
 * @param {number} scale
 */
export function hexagon(cx, cy, scale = 1) {
  const [half, low, high] = [50 * scale, U * HALF_HEXAGON * 0.5 * scale, U * HALF_HEXAGON * scale];
  return [[0, -high], [half, -low], [half, low], [0, high], [-half, low], [-half, -low]]
    .map(([x, y]) => `${Math.round((cx + x) * 10) / 10},${Math.round((cy + y) * 10) / 10}`).join(" ");
}

/**
 * Return the corners of a strip along a line.
 * @param {LineItem} line
 * @param {number} reach  half its width
 */
export function strip(line, reach) {
  const [cx, cy, dx, dy] = [n(line.x), n(line.y), n(line.x2 - line.x1), n(line.y2 - line.y1)];
  const [bx, by] = [dx, dy].map((part) => (part * reach) / Math.hypot(dx, dy));
  return [[1, 1], [1, -1], [-1, -1], [-1, 1]]
    .map(([a, b]) => `${cx + (a * dx) / 2 - b * by},${cy + (a * dy) / 2 + b * bx}`).join(" ");
}

/**
 * Return the convex hull, clockwise (R. A. Jarvis, 1973).
 * @param {Point[]} points
 */
export function hull(points) {
  /** @type {Point[]} */
  const corners = [];
  const away = (/** @type {Point} */ a, /** @type {Point} */ b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
  let at = points.reduce((a, b) => (b[0] < a[0] ? b : a));
  while (!corners.includes(at)) {
    const from = at;
    corners.push(from);
    at = points.reduce((best, point) => {
      const turn = (best[0] - from[0]) * (point[1] - from[1]) - (best[1] - from[1]) * (point[0] - from[0]);
      return turn < -1e-6 || (turn <= 1e-6 && away(from, point) > away(from, best)) ? point : best;
    }, from);
  }
  return corners;
}

/**
 * Return the path of a rectangle with round corners.
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {number} r
 */
export function rounded(x, y, width, height, r) {
  const arc = (/** @type {number} */ across, /** @type {number} */ down) => `a${r} ${r} 0 0 1 ${across} ${down}`;
  return `M${x + r} ${y}h${width - 2 * r}${arc(r, r)}v${height - 2 * r}${arc(-r, r)}h${2 * r - width}${arc(-r, -r)}v${2 * r - height}${arc(r, -r)}Z`;
}

/**
 * Return the path of a circle.
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
export const circle = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;

/**
 * Return the path that surrounds a convex polygon, given clockwise, at a distance.
 * @param {Point[]} corners
 * @param {number} reach
 */
export function around(corners, reach) {
  if (corners.length === 1) return circle(...corners[0], reach);
  const sides = corners.map(([x1, y1], i) => {
    const [x2, y2] = corners[(i + 1) % corners.length];
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [across, down] = [(reach * (y2 - y1)) / length, (reach * (x1 - x2)) / length];
    return [`${x1 + across} ${y1 + down}`, `${x2 + across} ${y2 + down}`];
  });
  const arc = `A${reach} ${reach} 0 0 1 `;
  return `M${sides.map(([start, end]) => `${start}L${end}`).join(arc)}${arc}${sides[0][0]}Z`;
}

/**
 * Return the points of the shaft and of the head of an arrow.
 * @param {Point[]} points  those on its way
 * @param {number} width  of its shaft
 * @param {number} gap  how far before the last point it ends
 */
export function arrow(points, width, gap) {
  const [[x1, y1], [x2, y2]] = points.slice(-2);
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = Math.min(2.4 * width, 0.6 * length);
  const at = (/** @type {number} */ back, /** @type {number} */ aside) =>
    [x2 - back * dx - aside * dy, y2 - back * dy + aside * dx].map((value) => Math.round(value * 10) / 10).join(",");
  const neck = gap + head;
  return {
    shaft: [...points.slice(0, -1).map((point) => point.join(",")), at(neck - 1, 0)].join(" "),
    head: [at(neck, 1.25 * width), at(gap, 0), at(neck, -1.25 * width)].join(" "),
  };
}
