// The drawing of a picture: its layers, the board, cells, pieces and lines. Knows nothing of clicks and moves.

import { markClass, sideColour } from "./colours.js";
import { s } from "./dom.js";
import { U, around, circle, flipped, hexagon, hull, itemsOf, n, rounded, strip } from "./geometry.js";
import { Marks } from "./overlays.js";
import STYLES from "./styles.json" with { type: "json" };
import { T } from "./texts.js";
import { materialOf } from "./theme.js";

/** @import { Cell, Group, Line, Piece, Picture } from "../messages.js" */
/** @import { Item, Point } from "./geometry.js" */
/** @typedef {[tag: "circle" | "line" | "polygon" | "rect", attributes: Record<string, string | number>]} Outline */

const SIZES = STYLES.sizes;
const MARGIN = 10;
const [LEAST_LABEL, MOST_LABEL] = [12, 18]; // sizes of the names of lines
// From back to front; the pieces of a panel are behind it.
const LAYERS = /** @type {const} */ ([
  "body", "cells", "groups", "under", "panel", "lines", "pieces", "marks", "result", "changed", "win", "hints", "lost", "arrows", "shapes",
]);
const CONTROLS = /** @type {const} */ (["labels", "focus", "ghost", "targets"]);

let scenes = 0;

export class Scene {
  coordinates = true;
  marks = new Marks();
  /** @type {Picture | null} the picture as it is turned */
  picture = null;
  /** @type {Map<string, Item>} */
  items = new Map();
  /** @type {Map<string, Piece>} by their cells */
  pieces = new Map();
  /** @type {Map<string, SVGGElement>} the elements of the pieces */
  groups = new Map();
  /** @type {Map<string, SVGElement>} what is clicked */
  targets = new Map();
  box = [0, 0, U, U];

  #geometry = "";

  constructor() {
    this.prefix = `board${++scenes}`;
    this.layers = /** @type {Record<(typeof LAYERS)[number] | (typeof CONTROLS)[number], SVGGElement>} */ (
      Object.fromEntries([...LAYERS, ...CONTROLS].map((name) => [name, s("g", { class: name })])));
    this.layers.labels.setAttribute("aria-hidden", "true");
    const drawing = s("g", { "aria-hidden": "true" }, ...LAYERS.map((name) => this.layers[name]));
    this.svg = s("svg", { class: "board", role: "group", "aria-describedby": `${this.prefix}-text` },
      this.#definitions(), drawing, ...CONTROLS.map((name) => this.layers[name]));
  }

  get ratio() {
    return this.box[2] / this.box[3];
  }

  /**
   * Draw a picture, turned if `isFlipped`. Return whether its cells and lines are where they were.
   * @param {Picture} source
   * @param {boolean} isFlipped
   */
  draw(source, isFlipped) {
    const { frame, palette, grid, bounds, cells, lines } = source;
    const geometry = JSON.stringify([
      isFlipped, frame, palette, grid, bounds, cells.map(({ id, x, y, shape }) => [id, x, y, shape]), lines.map(({ id }) => id),
    ]);
    const isSamePlace = geometry === this.#geometry;
    this.#geometry = geometry;
    this.picture = isFlipped ? flipped(source) : source;
    this.svg.setAttribute("class", `board frame-${frame}${this.coordinates ? "" : " plain"}`);
    if (!isSamePlace) this.#drawBoard(this.picture);
    this.#drawPosition(this.picture);
    return isSamePlace;
  }

  // --- the board ---

  /** @param {string} name */
  #url(name) {
    return `url(#${this.prefix}-${name})`;
  }

  #definitions() {
    const named = (/** @type {string} */ name) => ({ id: `${this.prefix}-${name}` });
    const pattern = (/** @type {string} */ name, /** @type {number} */ turn, /** @type {Point} */ [width, height], /** @type {SVGElement[]} */ ...children) =>
      s("pattern", { ...named(name), patternUnits: "userSpaceOnUse", patternTransform: `rotate(${turn})`, width, height }, ...children);
    const gradients = Object.entries(STYLES.gradients).map(([name, { shape, stops }]) =>
      s("r" in shape ? "radialGradient" : "linearGradient", { ...named(name), ...shape },
        ...stops.map(([offset, colour, opacity]) => s("stop", { offset, "stop-color": colour, "stop-opacity": opacity }))));
    const veins = ["M0 12 C60 4 120 22 260 12", "M0 34 C90 44 150 26 260 34", "M0 56 C70 50 190 66 260 56", "M0 78 C80 88 170 70 260 78"];
    return s("defs", {}, ...gradients,
      pattern("grain", -4, [260, 90], ...veins.map((d, i) => s("path", { d, fill: "none", stroke: i % 2 ? "#fff" : "#2a1708",
        "stroke-opacity": i % 2 ? 0.05 : 0.1, "stroke-width": 2 + i }))),
      pattern("hatch", 45, [14, 14], s("rect", { width: 5, height: 14, fill: "#fff", "fill-opacity": 0.55 })));
  }

  /** @param {Picture} picture */
  #drawBoard(picture) {
    const { layers } = this;
    const { frame, cells, bounds: [left, top, right, bottom] } = picture;
    const pad = SIZES.rim[frame] + MARGIN;
    this.box = [n(left) - pad, n(top) - pad, n(right - left) + 2 * pad, n(bottom - top) + 2 * pad];
    this.svg.setAttribute("viewBox", this.box.join(" "));
    this.svg.setAttribute("aria-label", picture.title || T.board);
    this.items = itemsOf(picture);
    for (const [name, value] of materialOf(picture)) this.svg.style.setProperty(name, value);
    const isPanel = frame === "panel" && cells.length > 0;
    layers.body.replaceChildren(...this.#body(picture));
    layers.under.setAttribute("clip-path", isPanel ? this.#url("clip") : "none");
    layers.panel.replaceChildren(...(isPanel ? this.#panel(cells) : []));
    this.targets.clear();
    for (const [id, item] of this.items) {
      const [tag, attributes] = this.outline(item, true);
      this.targets.set(id, s(tag, { ...attributes, class: "target", role: "button", "data-id": id }));
    }
    layers.targets.replaceChildren(...this.targets.values());
  }

  /**
   * Yield the board under the cells, and the lines printed on it.
   * @param {Picture} picture
   */
  *#body({ cells, frame, grid }) {
    const [x, y, width, height] = this.box;
    if (frame === "none") {
      yield s("rect", { x: x + 2, y: y + 2, width: width - 4, height: height - 4, rx: 22, class: "sheet" });
    } else if (frame === "board" && cells.length) {
      const points = hull(cells.map((cell) => [n(cell.x), n(cell.y)]));
      const outline = (/** @type {number} */ reach, /** @type {object} */ attributes) => s("path", { d: around(points, reach), ...attributes });
      let inner = 0;
      for (const [reach, name, lightness] of /** @type {[number, string, number][]} */ (SIZES.body)) {
        yield outline(reach, { class: `body-${name}` });
        if (lightness) yield outline(reach, { fill: "#fff", "fill-opacity": lightness, class: "shine" });
        inner = reach;
      }
      for (const name of ["sheen", "grain"]) yield outline(inner, { fill: this.#url(name), class: "shine" });
    } else if (frame === "panel" && cells.length) {
      yield s("clipPath", { id: `${this.prefix}-clip` }, s("rect", extent(cells, SIZES.panel - 2)));
      yield s("rect", { ...extent(cells, SIZES.panel - 10), class: "back" });
    }
    for (const { x1, y1, x2, y2 } of grid) {
      yield s("line", { x1: n(x1), y1: n(y1), x2: n(x2), y2: n(y2), class: "grid", "stroke-width": SIZES.grid });
    }
  }

  /**
   * Yield the panel, with a hole in front of each cell.
   * @param {Cell[]} cells
   */
  *#panel(cells) {
    const { x, y, width, height } = extent(cells, SIZES.panel);
    const holes = cells.map((cell) => [n(cell.x), n(cell.y)]);
    const windows = holes.map(([cx, cy]) => circle(cx, cy, SIZES.hollow.panel));
    const d = rounded(x, y, width, height, SIZES.corner) + windows.join("");
    yield s("path", { d, "fill-rule": "evenodd", class: "panel-front" });
    yield s("path", { d, "fill-rule": "evenodd", fill: this.#url("sheen"), class: "shine" });
    yield s("rect", { x, y, width, height, rx: SIZES.corner, class: "panel-edge" });
    for (const [cx, cy] of holes) {
      yield s("path", { d: `M${cx - 30} ${cy + 33} A44 44 0 0 0 ${cx + 30} ${cy + 33}`, class: "lip" });
    }
  }

  // --- the position ---

  /** @param {Picture} picture */
  #drawPosition(picture) {
    const { layers, items } = this;
    this.pieces = new Map(picture.pieces.filter((piece) => items.has(piece.cell)).map((piece) => [piece.cell, piece]));
    for (const { id, owner } of picture.cells) Object.assign(this.#item(id), { owner });
    for (const { id, side } of picture.lines) Object.assign(this.#item(id), { side });
    this.groups = new Map([...this.pieces].map(([id, piece]) => [id, this.piece(piece, this.#item(id))]));
    layers.cells.replaceChildren(...picture.cells.flatMap((cell) => [...this.cell(cell)]));
    const isPanel = picture.frame === "panel";
    layers.under.replaceChildren(...(isPanel ? this.groups.values() : []));
    layers.pieces.replaceChildren(...(isPanel ? [] : this.groups.values()));
    const changed = picture.cells.filter((cell) => picture.changed.includes(cell.id));
    layers.changed.replaceChildren(...changed.flatMap((cell) => this.#changed(cell)));
    const winning = picture.winning.map((id) => items.get(id)).filter((item) => item !== undefined);
    layers.win.replaceChildren(...winning.flatMap((item) => twice(...this.outline(item), "winning")));
    const size = Math.min(SIZES.label, SIZES.label_share * this.box[2]);
    layers.labels.replaceChildren(
      ...(this.coordinates ? picture.labels : []).map((label) => text(label.x, label.y, label.text, size, "label")),
    );
    this.drawMarks();
  }

  // Draw the lines, and what overlays say.
  drawMarks() {
    const { picture, layers, marks } = this;
    if (!picture) return;
    const changed = new Set(picture.changed);
    const rank = (/** @type {Line} */ line) => (line.side === null ? 0 : 2) + (changed.has(line.id) ? 1 : 0);
    const lines = [...picture.lines].sort((a, b) => rank(a) - rank(b));
    layers.lines.replaceChildren(...lines.flatMap((line) => [...this.line(line, changed.has(line.id))]));
    layers.groups.replaceChildren(...[...new Set(marks.groups.values())].flatMap((group) => [...this.#group(group)]));
    layers.marks.replaceChildren(...picture.cells.flatMap((cell) => [...this.#cellMark(cell)]));
  }

  /**
   * @param {string} id
   * @returns {Item}
   */
  #item(id) {
    const item = this.items.get(id);
    if (!item) throw new Error(`there is nothing with the id ${id} in the picture`);
    return item;
  }

  /** @returns {Picture} */
  get #shown() {
    if (!this.picture) throw new Error("there is no picture yet");
    return this.picture;
  }

  /** @param {Cell} cell */
  *cell(cell) {
    const { frame, lines, colours, sides } = this.#shown;
    const [cx, cy] = [n(cell.x), n(cell.y)];
    const isHexagon = cell.shape === "hexagon";
    const isFlat = isHexagon || (cell.shape === "square" && frame !== "panel");
    const [tag, outline] = isFlat ? this.outline({ ...cell, kind: "cell" }, true) : /** @type {Outline} */ (["circle", { cx, cy, r: SIZES.hollow[frame] }]);
    const shape = (/** @type {object} */ attributes) => s(tag, { ...outline, ...attributes });
    if (cell.shape === "point") yield s("circle", { cx, cy, r: SIZES.point, class: "point" });
    else if (isFlat || frame === "none") yield shape({ class: isHexagon && lines.length ? "cell borderless" : "cell" });
    else if (frame === "board") {
      yield shape({ class: "hole" });
      yield shape({ fill: this.#url("well"), class: "shine" });
      yield shape({ fill: this.#url("hollow"), class: "shine" });
      yield s("path", { d: `M${cx - 32} ${cy + 22} A39 39 0 0 0 ${cx + 32} ${cy + 22}`, class: "lip" });
    }
    if (cell.owner === null) return;
    const fill = sideColour(colours, cell.owner);
    yield shape({ fill, "fill-opacity": 0.3, class: "owned" });
    if (cell.owner === 1) yield shape({ fill: this.#url("hatch"), class: "hatched" });
    yield text(cell.x, cell.y, sides[cell.owner].slice(0, 1).toUpperCase(), 42, markClass("owner", colours, cell.owner), fill);
  }

  /**
   * @param {Piece} piece
   * @param {{x: number, y: number}} place
   */
  piece(piece, place) {
    const { frame, colours } = this.#shown;
    const inner = s("g", {});
    const fill = sideColour(colours, piece.side);
    if (piece.shape === "letter") {
      inner.append(text(0, 0, piece.symbol.toUpperCase(), 72, "letter", fill));
    } else {
      const r = SIZES.disc[frame];
      const isBall = frame === "board";
      if (isBall) inner.append(s("ellipse", { cx: 3, cy: 9, rx: r, ry: r - 2, fill: this.#url("shade"), class: "shine" }));
      inner.append(s("circle", { r, fill }));
      if (!isBall) inner.append(s("circle", { r: r - 10, class: "bevel" }));
      // the second side also has a ring, so that colour is not the only difference; on a ball if the theme wants it
      if (piece.side === 1) inner.append(s("circle", { r: r - 22, class: markClass(isBall ? "emblem for-contrast" : "emblem", colours, 1) }));
      inner.append(s("circle", { r, class: "glossy", fill: this.#url("gloss"), stroke: "#000", "stroke-opacity": 0.4, "stroke-width": 1.5 }));
      if (isBall) {
        inner.append(s("ellipse", { cx: -12, cy: -18, rx: 10, ry: 6, fill: "#fff", "fill-opacity": 0.5, class: "shine",
          transform: "rotate(-35 -12 -18)" }));
      }
    }
    return s("g", { transform: `translate(${n(place.x)} ${n(place.y)})` }, inner);
  }

  /**
   * @param {Line} line
   * @param {boolean} isChanged
   */
  *line(line, isChanged) {
    const ends = { x1: n(line.x1), y1: n(line.y1), x2: n(line.x2), y2: n(line.y2) };
    if (line.side === null) {
      const mark = this.marks.of(line.id);
      if (mark) yield s("line", { ...ends, class: "mark-under for-contrast" });
      yield s("line", mark ? { ...ends, stroke: mark.colour, "stroke-width": 8, "stroke-dasharray": mark.dashes } : { ...ends, class: "open-line" });
      const label = mark?.symbols ?? (this.coordinates && line.label); // a number before a letter reads as a unit
      // equally large on the screen on every board, so that edges beside it are visible
      const size = mark ? 20 : Math.min(MOST_LABEL, Math.max(LEAST_LABEL, 0.026 * this.box[2]));
      if (label) yield* plate((line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2, label, mark?.colour ?? null, size);
      return;
    }
    if (isChanged) yield s("line", { ...ends, class: "changed-line" });
    const { colours } = this.#shown;
    yield s("line", { ...ends, class: markClass("line-edge for-contrast", colours, line.side) });
    yield s("line", { ...ends, class: "drawn-line", stroke: sideColour(colours, line.side), "data-line": line.id });
    if (line.side === 1) yield s("line", { ...ends, class: markClass("line-core", colours, 1) });
  }

  /**
   * Outline the cells of a group, with its label in the middle one.
   * @param {Group} group
   */
  *#group(group) {
    const cells = group.cells.map((id) => this.items.get(id)).filter((item) => item !== undefined);
    if (!cells.length) return;
    const d = `M${cells.map((cell) => `${n(cell.x)},${n(cell.y)}`).join(" ")}${group.is_closed ? "Z" : "l.1,0"}`;
    yield* twice("path", { d }, "group");
    const { x, y } = cells[Math.floor(cells.length / 2)];
    yield text(x, y, group.label, 26, "group-label");
  }

  /**
   * Yield a ring in the style of a class, and its symbol: inside, or beside what is on the cell.
   * @param {Cell} cell
   */
  *#cellMark(cell) {
    const mark = this.marks.of(cell.id);
    if (!mark) return;
    const isFree = cell.owner === null && !this.pieces.has(cell.id) && !this.marks.groups.has(cell.id);
    const ring = { cx: n(cell.x), cy: n(cell.y), r: isFree ? 26 : 44 };
    yield s("circle", { ...ring, fill: isFree ? "#fdfaf3" : "none", stroke: "#fdfaf3", "stroke-width": 9 });
    yield s("circle", { ...ring, fill: "none", stroke: mark.colour, "stroke-width": 5, "stroke-dasharray": mark.dashes });
    const away = isFree ? 0 : 0.3;
    yield* plate(cell.x + away, cell.y + away, mark.symbols, mark.colour, isFree ? 30 : 20);
  }

  /** @param {Cell} cell */
  #changed(cell) {
    if (cell.owner !== null && !this.pieces.has(cell.id)) return [];
    const isOccupied = this.pieces.has(cell.id);
    const r = SIZES[isOccupied ? "ring" : "emptied"][this.#shown.frame];
    return twice("circle", { cx: n(cell.x), cy: n(cell.y), r }, isOccupied ? "mark" : "mark left");
  }

  /**
   * Return tag and attributes of the shape of a cell or line; `isTarget` fills the whole cell,
   * and `isFocus` goes further around a line.
   * @param {Item} item
   * @returns {Outline}
   */
  outline(item, isTarget = false, isFocus = false) {
    const [cx, cy] = [n(item.x), n(item.y)];
    if (item.kind === "line") {
      if (!isTarget) return ["polygon", { points: strip(item, isFocus ? 25 : 15), "stroke-linejoin": "round" }];
      const [dx, dy] = [n(item.x2 - item.x1), n(item.y2 - item.y1)];
      return ["line", { x1: cx - dx / 2, y1: cy - dy / 2, x2: cx + dx / 2, y2: cy + dy / 2, "stroke-linecap": "round" }];
    }
    if (item.shape === "hexagon") return ["polygon", { points: hexagon(cx, cy, isTarget ? 1 : 0.84) }];
    const { frame } = this.#shown;
    if (frame === "panel" ? isTarget : item.shape === "square") {
      const half = isTarget ? 50 : 43;
      return ["rect", { x: cx - half, y: cy - half, width: 2 * half, height: 2 * half, rx: isTarget ? 0 : 8 }];
    }
    return ["circle", { cx, cy, r: isTarget ? 50 : frame === "none" ? 43 : 41 }];
  }
}

/**
 * Return the smallest rectangle around the centres of cells, larger by `more` on each side.
 * @param {Cell[]} cells
 * @param {number} more
 */
function extent(cells, more) {
  const xs = cells.map((cell) => n(cell.x));
  const ys = cells.map((cell) => n(cell.y));
  const [x, y] = [Math.min(...xs) - more, Math.min(...ys) - more];
  return { x, y, width: Math.max(...xs) + more - x, height: Math.max(...ys) + more - y };
}

/**
 * Return a shape drawn twice, so that it stands out on light and dark: a broad edge, and a core.
 * @param {"circle" | "line" | "path" | "polygon" | "rect"} tag
 * @param {object} attributes
 * @param {string} kind
 */
export function twice(tag, attributes, kind) {
  return ["edge", "core"].map((part) => s(tag, { ...attributes, class: `${kind} ${part}` }));
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} content
 * @param {number} size
 * @param {string} kind
 * @param {string | null} fill
 */
function text(x, y, content, size, kind, fill = null) {
  return s("text", { x: n(x), y: n(y) + 0.36 * size, "font-size": size, "text-anchor": "middle", class: kind, fill }, content);
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} label
 * @param {string | null} colour
 * @param {number} largest
 */
function* plate(x, y, label, colour = null, largest = 20) {
  const size = Math.min(largest, 36 / (0.62 * label.length));
  const [width, height] = [0.62 * size * label.length + 6, 1.1 * size];
  yield s("rect", { x: n(x) - width / 2, y: n(y) - height / 2, width, height, rx: 5, class: "plate" });
  yield text(x, y, label, size, colour ? "plate-mark" : "plate-text", colour);
}
