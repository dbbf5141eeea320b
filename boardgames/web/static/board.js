// @ts-nocheck
// Draws a picture into an SVG, and lets people build moves by click, drag and keyboard.

import { Clicks, contents } from "./clicks.js";
import { announce, h, s } from "./dom.js";
import { Marks } from "./overlays.js";
import STYLES from "./styles.json" with { type: "json" };
import { T } from "./texts.js";

const U = 100;
const HALF_HEXAGON = 0.57735;
const SIZES = STYLES.sizes;
const MARGIN = 10;
const MOVE_MS = 180;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
// From back to front; the pieces of a panel are behind it.
const LAYERS = ["body", "cells", "groups", "under", "panel", "lines", "pieces", "marks", "result", "changed", "hints", "lost"];
const AGAINST = { up: "down", down: "up", left: "right", right: "left" };

let boards = 0;
const quiet = matchMedia("(prefers-reduced-motion: reduce)");
const n = (value) => Math.round(value * U * 10) / 10;

export class Board {
  // `onMove` is called with a completed move, `onSelect` after every change of the selection, `onPreview` with a
  // move that the next click or release would complete, or null, and `onRefuse` with ids that lead to no move: what is
  // selected, and the id that was clicked or dragged to.
  constructor({ onMove, onSelect, onPreview, onRefuse }) {
    this.onMove = onMove;
    this.onSelect = onSelect ?? (() => {});
    this.onPreview = onPreview ?? (() => {});
    this.onRefuse = onRefuse ?? (() => {});
    this.prefix = `board${++boards}`;
    // what the board shows; each of these may be set at any time, before the first picture too
    this.source = null;
    this.interactive = false;
    this.flipped = false;
    this.coordinates = true;
    this.marks = new Marks();
    this.hinted = [];
    this.animation = true;
    // input state
    this.clicks = new Clicks();
    this.options = new Map();
    this.current = null;
    this.hovered = null;
    this.aimed = null;
    this.held = null; // a move that waits to be confirmed
    this.refused = null;
    this.previewed = null;
    // rendered state: the picture as it is turned, and its elements
    this.picture = null;
    this.geometry = "";
    this.ratio = 1;
    this.directions = [];
    this.items = new Map();
    this.pieces = new Map();
    this.groups = new Map();
    this.targets = new Map();
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, s("g", { class: name })]));
    this.layers.labels = s("g", { class: "labels", "aria-hidden": "true" });
    this.layers.focus = s("g", { class: "focus" });
    this.layers.ghost = s("g", { class: "ghost" });
    this.layers.targets = s("g", { class: "targets" });
    const drawing = s("g", { "aria-hidden": "true" }, ...LAYERS.map((name) => this.layers[name]));
    this.svg = s("svg", { class: "board", role: "group", "aria-describedby": `${this.prefix}-text` });
    this.svg.append(
      this.#definitions(), drawing, this.layers.labels, this.layers.focus, this.layers.ghost, this.layers.targets,
    );
    this.description = h("p", { class: "hidden", id: `${this.prefix}-text` });
    this.notice = h("p", { class: "board-notice", "aria-hidden": "true", hidden: true });
    this.element = h("div", { class: "board-box" }, this.svg, this.description, this.notice);
    this.#listen();
  }

  // Show a picture; moves can be built only if `interactive`.
  show(picture, { interactive = false } = {}) {
    const isOther = this.source !== picture;
    if (isOther || interactive !== this.interactive) this.clicks = new Clicks(interactive ? picture : null);
    if (isOther || !interactive) this.held = null;
    if (isOther) {
      this.hinted = [];
      this.aimed = null;
      this.#hush();
    }
    this.source = picture;
    this.interactive = interactive;
    this.#draw(isOther);
  }

  setFlipped(value) {
    if (value === this.flipped) return;
    this.flipped = value;
    this.#draw();
  }

  setCoordinates(value) {
    this.coordinates = value;
    this.#draw();
  }

  // Show a move without making it, such as a hint.
  showMove(move) {
    this.hinted = (this.source?.clicks[move] ?? [[]])[0];
    this.#update();
  }

  // Draw what overlays say about the position.
  setMarks(marks) {
    this.marks = marks;
    if (this.picture) this.#drawMarks();
    this.#update();
  }

  clear() {
    if (!this.clicks.path.length && this.held === null) return;
    this.clicks.path = [];
    this.held = null;
    announce(T.deselected);
    this.#update();
  }

  // Return whether the click has completed a move.
  click(id) {
    const { held } = this;
    if (held !== null && this.clicks.entries.some((entry) => entry.move === held && entry.ids.at(-1) === id)) {
      this.play(held); // a second click on the target confirms
      return true;
    }
    const ids = [...this.clicks.path, id];
    const { move, event } = this.interactive ? this.clicks.click(id) : { move: null, event: "refused" };
    this.#done(move, event, ids);
    return move !== null;
  }

  // Make a move as if it had been built on the board.
  play(move) {
    if (this.interactive) this.#done(move, "moved", []);
  }

  // Show a move until it is confirmed, or until something else is clicked.
  hold(move) {
    this.held = move;
    announce(T.toConfirm(move));
    this.#update();
  }

  // Preview a move that something outside the board would make, or none.
  preview(move) {
    if (move === this.aimed) return;
    this.aimed = move;
    this.#update();
  }

  // Return the angle in degrees at which one id lies from another.
  angle(from, to) {
    const [a, b] = [this.items.get(from), this.items.get(to)];
    return a && b && a !== b ? (Math.round((Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI) + 360) % 360 : null;
  }

  // Return the move that goes straight on from the selection at an angle, or null.
  towards(angle) {
    return this.clicks.towards(angle, (from, to) => this.angle(from, to));
  }

  // Say why something cannot be done, beside an id, away from what is selected, or else low on the board; it
  // disappears with the next click or key.
  tell(reason, id = null) {
    const item = this.items.get(id);
    const [x, y] = item && this.box ? [(n(item.x) - this.box[0]) / this.box[2], (n(item.y) - this.box[1]) / this.box[3]] : [0.5, 0.98];
    const selected = this.items.get(this.clicks.path[0]);
    const isAbove = !item || y > 0.85 || (y > 0.15 && (selected && selected !== item ? selected.y >= item.y : y > 0.5));
    const gap = item ? U / this.box[3] / 2 : 0;
    const { style } = this.notice;
    [style.left, style.translate] = [`${100 * x}%`, `${-100 * x}%`];
    [style.top, style.bottom] = isAbove ? ["auto", `${100 * (1 - y + gap)}%`] : [`${100 * (y + gap)}%`, "auto"];
    this.notice.textContent = reason;
    this.notice.hidden = false;
    this.refused = id;
    announce(reason);
    this.#update();
  }

  #hush() {
    if (this.notice.hidden) return;
    this.notice.hidden = true;
    this.refused = null;
    this.#update();
  }

  // Return in general words why clicks on `ids` lead to no move.
  reason(ids) {
    const content = contents(this.source);
    const id = ids.at(-1);
    const first = this.clicks.entries.find((entry) => entry.size);
    const isOwn = first && content(id) === content(first.ids[0]);
    if (ids.length > 1) return isOwn ? T.ownPiece(id) : T.cannotGo(id);
    if (isOwn) return T.cannotMove(id);
    if (this.items.get(id)?.kind === "line") return T.lineDrawn;
    return first ? T.selectFirst : T.cannotPlayHere;
  }

  // Show what a move would change if that is more than one piece, line or cell.
  showResult(picture, isSpoken) {
    const { layers, pieces } = this;
    for (const group of this.groups.values()) group.removeAttribute("opacity");
    layers.result.replaceChildren();
    layers.lost.replaceChildren();
    if (!picture || !this.picture) return;
    const { sides } = this.picture;
    const { left, came, after } = this.#changes(pieces, picture);
    const owned = picture.cells.filter((cell) => this.items.get(cell.id)?.owner !== cell.owner);
    const lines = picture.lines.filter((line) => this.items.get(line.id)?.side !== line.side);
    if (Math.max(left.length, came.length) + owned.length + lines.length < 2) return;
    for (const piece of left) this.groups.get(piece.cell).setAttribute("opacity", 0.18);
    const drawn = owned.flatMap((cell) => [...this.#cell({ ...this.items.get(cell.id), owner: cell.owner })]);
    for (const line of lines) drawn.push(...this.#line({ ...this.items.get(line.id), side: line.side }, false));
    for (const piece of came) drawn.push(this.#piece(piece, this.items.get(piece.cell)));
    for (const item of [...came, ...owned].map((one) => this.items.get(one.cell ?? one.id))) {
      drawn.push(...twice("circle", { cx: n(item.x), cy: n(item.y), r: 46 }, "after"));
    }
    // pieces that leave the board
    const count = (all, side) => [...all.values()].filter((piece) => piece.side === side).length;
    const lost = [0, 1].map((side) => count(pieces, side) - count(after, side));
    for (const { side, cell } of left) {
      if (lost[side] <= 0 || (lost[side] < left.length && !after.has(cell))) continue;
      const [x, y] = [n(this.items.get(cell).x) + 34, n(this.items.get(cell).y) - 34];
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

  // Return the pieces that leave their cells and those that come, and all pieces of a picture by their cells.
  #changes(before, picture) {
    const after = new Map(picture.pieces.filter((piece) => this.items.has(piece.cell)).map((piece) => [piece.cell, piece]));
    const without = (these, those) => [...these.values()].filter((piece) => !isSame(those.get(piece.cell), piece));
    return { after, left: without(before, after), came: without(after, before) };
  }

  // Go on after clicks on `ids`, which may have completed a move.
  #done(move, event, ids) {
    this.held = null;
    if (event === "moved") {
      this.interactive = false;
      this.clicks = new Clicks();
      this.aimed = null;
      this.onMove(move);
    } else if (event === "refused") this.onRefuse(ids);
    else announce(this.clicks.path.length ? T.nowSelected(this.clicks.selected.join(" "), this.clicks.next().size) : T.deselected);
    this.#update();
  }

  // --- drawing ---

  // Draw the picture, if there is one yet, with everything that has been set.
  #draw(isAnimated = false) {
    if (!this.source) return;
    const [previous, geometry] = [this.picture, this.geometry];
    this.picture = this.flipped ? flipped(this.source) : this.source;
    const { frame, palette, grid, bounds, cells, lines } = this.source;
    this.geometry = JSON.stringify([
      this.flipped, frame, palette, grid, bounds, cells.map(({ id, x, y, shape }) => [id, x, y, shape]), lines.map(({ id }) => id),
    ]);
    const isSamePlace = this.geometry === geometry;
    this.svg.setAttribute("class", `board frame-${frame}${this.coordinates ? "" : " plain"}`);
    if (!isSamePlace) this.#drawStatic();
    this.#drawPosition();
    if (isAnimated && isSamePlace) this.#animate(previous);
    this.#update();
  }

  #url(name) {
    return `url(#${this.prefix}-${name})`;
  }

  #definitions() {
    const stop = (offset, colour, opacity) =>
      s("stop", { offset, "stop-color": colour, "stop-opacity": opacity });
    const define = (tag, name, attributes, ...children) => s(tag, { id: `${this.prefix}-${name}`, ...attributes }, ...children);
    const pattern = (name, angle, attributes, ...children) =>
      define("pattern", name, { patternUnits: "userSpaceOnUse", patternTransform: `rotate(${angle})`, ...attributes }, ...children);
    const gradients = Object.entries(STYLES.gradients).map(([name, { shape, stops }]) =>
      define("r" in shape ? "radialGradient" : "linearGradient", name, shape, ...stops.map((one) => stop(...one))));
    return s(
      "defs", {}, ...gradients,
      pattern("grain", -4, { width: 260, height: 90 }, ...["M0 12 C60 4 120 22 260 12", "M0 34 C90 44 150 26 260 34", "M0 56 C70 50 190 66 260 56",
        "M0 78 C80 88 170 70 260 78"].map((d, i) => s("path", { d, fill: "none", stroke: i % 2 ? "#fff" : "#2a1708",
        "stroke-opacity": i % 2 ? 0.05 : 0.1, "stroke-width": 2 + i }))),
      pattern("hatch", 45, { width: 14, height: 14 }, s("rect", { width: 5, height: 14, fill: "#fff", "fill-opacity": 0.55 })),
    );
  }

  #drawStatic() {
    const { picture, layers } = this;
    const { cells, frame } = picture;
    const [left, top, right, bottom] = picture.bounds;
    const pad = SIZES.rim[frame] + MARGIN;
    this.#paint();
    const box = [n(left) - pad, n(top) - pad, n(right - left) + 2 * pad, n(bottom - top) + 2 * pad];
    this.box = box;
    this.svg.setAttribute("viewBox", box.join(" "));
    this.svg.setAttribute("aria-label", picture.title || T.board);
    this.ratio = box[2] / box[3];
    this.items = new Map();
    for (const cell of cells) this.items.set(cell.id, { ...cell, kind: "cell" });
    for (const line of picture.lines) {
      this.items.set(line.id, { ...line, kind: "line", x: (line.x1 + line.x2) / 2, y: (line.y1 + line.y2) / 2 });
    }
    const isPanel = frame === "panel" && cells.length > 0;
    layers.body.replaceChildren(...this.#body());
    layers.under.setAttribute("clip-path", isPanel ? this.#url("clip") : "none");
    layers.panel.replaceChildren(...(isPanel ? this.#panel() : []));
    this.targets.clear();
    for (const [id, item] of this.items) {
      const [tag, attributes] = this.#outline(item, true);
      this.targets.set(id, s(tag, { ...attributes, class: "target", role: "button", "data-id": id }));
    }
    layers.targets.replaceChildren(...this.targets.values());
    this.hovered = null;
    this.aimed = null;
    // the angles at which cells have neighbours
    const isNear = (a, b) => a !== b && Math.hypot(a.x - b.x, a.y - b.y) < 1.05;
    this.directions = [...new Set(cells.flatMap((a) => cells.filter((b) => isNear(a, b)).map((b) => this.angle(a.id, b.id))))].sort((a, b) => a - b);
    if (!this.items.has(this.current)) this.current = null;
  }

  // Set the colours of the material, which are those of the picture or else those of the theme.
  #paint() {
    const { palette, frame } = this.picture;
    const { palettes, ...colours } = STYLES.themes.standard;
    Object.assign(colours, palettes[frame]);
    for (const [name, colour] of Object.entries(palette)) if (colour) colours[name] = colour;
    for (const [name, colour] of Object.entries(colours)) {
      this.svg.style.setProperty(`--${name}`, Array.isArray(colour) ? `light-dark(${colour.join(", ")})` : colour);
    }
  }

  // What the cells lie on, and the lines that are printed on it.
  *#body() {
    const { cells, frame, grid } = this.picture;
    const [x, y, width, height] = this.box;
    if (frame === "none") {
      yield s("rect", { x: x + 2, y: y + 2, width: width - 4, height: height - 4, rx: 22, class: "sheet" });
    } else if (frame === "board" && cells.length) {
      const points = hull(cells.map((cell) => [n(cell.x), n(cell.y)]));
      const outline = (reach, attributes) => s("path", { d: around(points, reach), ...attributes });
      for (const [reach, name, lightness] of SIZES.body) {
        yield outline(reach, { class: `body-${name}` });
        if (lightness) yield outline(reach, { fill: "#fff", "fill-opacity": lightness });
      }
      const inner = SIZES.body.at(-1)[0];
      for (const name of ["sheen", "grain"]) yield outline(inner, { fill: this.#url(name) });
    } else if (frame === "panel" && cells.length) {
      yield s("clipPath", { id: `${this.prefix}-clip` }, s("rect", this.#extent(SIZES.panel - 2)));
      yield s("rect", { ...this.#extent(SIZES.panel - 10), class: "back" });
    }
    for (const { x1, y1, x2, y2 } of grid) {
      yield s("line", { x1: n(x1), y1: n(y1), x2: n(x2), y2: n(y2), class: "grid", "stroke-width": SIZES.grid });
    }
  }

  #extent(more) {
    const xs = this.picture.cells.map((cell) => n(cell.x));
    const ys = this.picture.cells.map((cell) => n(cell.y));
    const x = Math.min(...xs) - more;
    const y = Math.min(...ys) - more;
    return { x, y, width: Math.max(...xs) + more - x, height: Math.max(...ys) + more - y };
  }

  // The panel, with a hole in front of each cell.
  *#panel() {
    const { x, y, width, height } = this.#extent(SIZES.panel);
    const r = SIZES.hollow.panel;
    const holes = this.picture.cells.map((cell) => [n(cell.x), n(cell.y)]);
    const d = rounded(x, y, width, height, SIZES.corner) + holes.map(([cx, cy]) => circle(cx, cy, r)).join("");
    yield s("path", { d, "fill-rule": "evenodd", class: "panel-front" });
    yield s("path", { d, "fill-rule": "evenodd", fill: this.#url("sheen") });
    yield s("rect", { x, y, width, height, rx: SIZES.corner, class: "panel-edge" });
    for (const [cx, cy] of holes) {
      yield s("path", { d: `M${cx - 30} ${cy + 33} A44 44 0 0 0 ${cx + 30} ${cy + 33}`, class: "lip" });
    }
  }

  #drawPosition() {
    const { picture, layers } = this;
    const isPanel = picture.frame === "panel";
    this.pieces = new Map(picture.pieces.filter((piece) => this.items.has(piece.cell)).map((p) => [p.cell, p]));
    for (const cell of picture.cells) this.items.get(cell.id).owner = cell.owner;
    for (const line of picture.lines) this.items.get(line.id).side = line.side;
    this.groups = new Map([...this.pieces].map(([id, piece]) => [id, this.#piece(piece, this.items.get(id))]));
    this.previewed = null;
    this.showResult(null);
    layers.cells.replaceChildren(...picture.cells.flatMap((cell) => [...this.#cell(cell)]));
    layers.under.replaceChildren(...(isPanel ? this.groups.values() : []));
    layers.pieces.replaceChildren(...(isPanel ? [] : this.groups.values()));
    const cells = picture.cells.filter((cell) => picture.changed.includes(cell.id));
    layers.changed.replaceChildren(...cells.flatMap((cell) => this.#changed(cell)));
    layers.labels.replaceChildren(
      ...(this.coordinates ? picture.labels : []).map((label) => text(label.x, label.y, label.text, 32, "label")),
    );
    this.#drawMarks();
    this.description.textContent = `${picture.description} ${T.boardHelp}`;
  }

  // Draw the lines, and what overlays say.
  #drawMarks() {
    const { picture, layers } = this;
    const changed = new Set(picture.changed);
    const lines = [...picture.lines].sort((a, b) => rank(a, changed) - rank(b, changed));
    layers.lines.replaceChildren(...lines.flatMap((line) => [...this.#line(line, changed.has(line.id))]));
    layers.groups.replaceChildren(...[...new Set(this.marks.groups.values())].flatMap((group) => [...this.#group(group)]));
    layers.marks.replaceChildren(...picture.cells.flatMap((cell) => [...this.#cellMark(cell)]));
  }

  *#cell(cell) {
    const { frame, lines, colours, sides } = this.picture;
    const [cx, cy] = [n(cell.x), n(cell.y)];
    const isHexagon = cell.shape === "hexagon";
    const isFlat = isHexagon || (cell.shape === "square" && frame !== "panel");
    const [tag, outline] = isFlat ? this.#outline(cell, true) : ["circle", { cx, cy, r: SIZES.hollow[frame] }];
    const shape = (attributes) => s(tag, { ...outline, ...attributes });
    if (cell.shape === "point") yield s("circle", { cx, cy, r: SIZES.point, class: "point" });
    else if (isFlat || frame === "none") yield shape({ class: isHexagon && lines.length ? "cell borderless" : "cell" });
    else if (frame === "board") {
      yield shape({ class: "hole" });
      yield shape({ fill: this.#url("well") });
      yield shape({ fill: this.#url("hollow") });
      yield s("path", { d: `M${cx - 32} ${cy + 22} A39 39 0 0 0 ${cx + 32} ${cy + 22}`, class: "lip" });
    }
    if (cell.owner === null) return;
    const fill = colours[cell.owner];
    yield shape({ fill, "fill-opacity": 0.3 });
    if (cell.owner === 1) yield shape({ fill: this.#url("hatch") });
    yield text(cell.x, cell.y, sides[cell.owner].slice(0, 1).toUpperCase(), 42, "owner", fill);
  }

  #piece(piece, cell) {
    const { frame, colours } = this.picture;
    const inner = s("g", {});
    if (piece.shape === "letter") {
      inner.append(text(0, 0, piece.symbol.toUpperCase(), 72, "letter", colours[piece.side]));
    } else {
      const r = SIZES.disc[frame];
      if (frame === "board") inner.append(s("ellipse", { cx: 3, cy: 9, rx: r, ry: r - 2, fill: this.#url("shade") }));
      inner.append(s("circle", { r, fill: colours[piece.side] }));
      if (frame !== "board") {
        inner.append(s("circle", { r: r - 10, class: "bevel" }));
        // the second side also has a ring, so that colour is not the only difference
        if (piece.side === 1) inner.append(s("circle", { r: r - 22, class: "emblem" }));
      }
      inner.append(s("circle", { r, fill: this.#url("gloss"), stroke: "#000", "stroke-opacity": 0.4, "stroke-width": 1.5 }));
      if (frame === "board") {
        inner.append(s("ellipse", { cx: -12, cy: -18, rx: 10, ry: 6, fill: "#fff", "fill-opacity": 0.5,
          transform: "rotate(-35 -12 -18)" }));
      }
    }
    return s("g", { transform: `translate(${n(cell.x)} ${n(cell.y)})` }, inner);
  }

  *#line(line, isChanged) {
    const ends = { x1: n(line.x1), y1: n(line.y1), x2: n(line.x2), y2: n(line.y2) };
    if (line.side === null) {
      const mark = this.marks.of(line.id);
      yield s("line", mark ? { ...ends, stroke: mark.colour, "stroke-width": 8, "stroke-dasharray": mark.dashes } : { ...ends, class: "open-line" });
      const label = (this.coordinates ? line.label : "") + (mark?.symbols ?? "");
      if (label) yield* plate((line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2, label, mark?.colour);
      return;
    }
    if (isChanged) yield s("line", { ...ends, class: "changed-line" });
    yield s("line", { ...ends, class: "drawn-line", stroke: this.picture.colours[line.side], "data-line": line.id });
    if (line.side === 1) yield s("line", { ...ends, class: "line-core" });
  }

  // Outline the cells of a group, with its label in the middle one.
  *#group(group) {
    const cells = group.cells.map((id) => this.items.get(id)).filter(Boolean);
    if (!cells.length) return;
    const d = `M${cells.map((cell) => `${n(cell.x)},${n(cell.y)}`).join(" ")}${group.is_closed ? "Z" : "l.1,0"}`;
    yield* twice("path", { d }, "group");
    const { x, y } = cells[Math.floor(cells.length / 2)];
    yield text(x, y, group.label, 26, "group-label");
  }

  // A ring in the style of a class, and its symbol: inside, or beside what is on the cell.
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

  #changed(cell) {
    const isOccupied = this.pieces.has(cell.id) || cell.owner !== null;
    if (cell.owner !== null && !this.pieces.has(cell.id)) return [];
    const r = SIZES[isOccupied ? "ring" : "emptied"][this.picture.frame];
    return twice("circle", { cx: n(cell.x), cy: n(cell.y), r }, isOccupied ? "mark" : "mark left");
  }

  // --- what can be clicked ---

  // Return tag and attributes of the shape of a cell or line; `isTarget` fills the whole cell,
  // and `isFocus` goes further around a line.
  #outline(item, isTarget = false, isFocus = false) {
    const isPanel = this.picture.frame === "panel";
    const [cx, cy] = [n(item.x), n(item.y)];
    if (item.kind === "line") {
      const [dx, dy] = [n(item.x2 - item.x1), n(item.y2 - item.y1)];
      if (isTarget) return ["line", { x1: cx - dx / 2, y1: cy - dy / 2, x2: cx + dx / 2, y2: cy + dy / 2, "stroke-linecap": "round" }];
      const [bx, by] = [dx, dy].map((part) => (part * (isFocus ? 25 : 15)) / Math.hypot(dx, dy));
      return ["polygon", { points: [[1, 1], [1, -1], [-1, -1], [-1, 1]]
        .map(([a, b]) => `${cx + (a * dx) / 2 - b * by},${cy + (a * dy) / 2 + b * bx}`).join(" "), "stroke-linejoin": "round" }];
    }
    if (item.shape === "hexagon") return ["polygon", { points: hexagon(cx, cy, isTarget ? 1 : 0.84) }];
    if (isPanel ? isTarget : item.shape === "square") {
      const half = isTarget ? 50 : 43;
      return ["rect", { x: cx - half, y: cy - half, width: 2 * half, height: 2 * half, rx: isTarget ? 0 : 8 }];
    }
    return ["circle", { cx, cy, r: isTarget ? 50 : this.picture.frame === "none" ? 43 : 41 }];
  }

  // Show what is selected, what can follow and what has the focus; name every target.
  #update() {
    const { clicks, picture, layers } = this;
    if (!picture) return;
    const { path } = clicks;
    const options = clicks.next();
    const restarts = path.length ? clicks.next([]) : options;
    const selected = clicks.selected;
    this.options = options;
    const reachable = [...options.keys(), ...path].filter((id) => this.items.has(id));
    if (!this.items.has(this.current) || (reachable.length && !this.targets.get(this.current)?.matches(":focus")
        && !reachable.includes(this.current))) {
      this.current = path.at(-1) ?? reachable[0] ?? picture.changed.find((id) => this.items.has(id)) ?? this.items.keys().next().value;
    }
    for (const [id, target] of this.targets) {
      target.setAttribute("tabindex", id === this.current ? 0 : -1);
      target.setAttribute("aria-label", this.#name(id, options, restarts, selected));
      target.setAttribute("aria-disabled", String(!(options.has(id) || restarts.has(id) || path.includes(id))));
      target.classList.toggle("live", options.has(id) || restarts.has(id));
    }
    const hints = [];
    const both = (id, kind) => {
      const item = this.items.get(id);
      if (item) hints.push(...twice(...this.#outline(item), `hint ${kind}`));
    };
    for (const id of this.hinted) both(id, "advice");
    if (path.length) {
      for (const id of options.keys()) {
        const item = this.items.get(id);
        if (item?.kind === "line") both(id, "next");
        else if (item) {
          const isTarget = options.get(id).move !== null;
          const r = !isTarget ? 9 : this.pieces.has(id) ? 15 : 13;
          hints.push(s("circle", { cx: n(item.x), cy: n(item.y), r, class: `dot${this.pieces.has(id) ? " on-piece" : ""}${isTarget ? "" : " adds"}` }));
        }
      }
    }
    const focused = this.#focused();
    const pointed = this.hovered ?? focused;
    const option = options.get(pointed) ?? (path.includes(pointed) ? null : restarts.get(pointed));
    const move = this.aimed ?? this.held ?? option?.move ?? null;
    if (move !== this.previewed) {
      this.previewed = move;
      this.showResult(null);
      this.onPreview(move, pointed === focused);
    }
    if (move !== null) for (const id of clicks.suggested.get(move).ids) if (!path.includes(id) && id !== focused) both(id, "preview");
    else if (this.hovered !== null && restarts.has(pointed)) both(pointed, "hover");
    for (const id of selected) both(id, path.includes(id) ? "chosen" : "chosen along");
    if (this.refused !== null) both(this.refused, "refused");
    layers.hints.replaceChildren(...hints);
    this.#drawFocus();
    this.onSelect();
  }

  #focused() {
    const active = document.activeElement;
    return this.layers.targets.contains(active) && active.matches(":focus-visible") ? active.dataset.id : null;
  }

  #drawFocus() {
    const item = this.items.get(this.#focused());
    this.layers.focus.replaceChildren(...(item ? twice(...this.#outline(item, false, true), "ring") : []));
  }

  #name(id, options, restarts, selected) {
    const item = this.items.get(id);
    const { sides, changed } = this.picture;
    const parts = [item.kind === "line" ? T.lineName(item.label || id) : id];
    const piece = this.pieces.get(id);
    if (item.kind === "line") parts.push(item.side === null ? T.open : T.drawnBy(sides[item.side]));
    else if (piece) parts.push(T.piece(sides[piece.side], this.#hasKinds() ? piece.symbol : ""));
    else if (item.owner !== null) parts.push(T.ownedBy(sides[item.owner]));
    else parts.push(T.empty);
    parts.push(...this.marks.names(id));
    if (changed.includes(id)) parts.push(T.lastMove);
    const { path } = this.clicks;
    const move = options.get(id)?.move ?? null;
    if (move !== null) parts.push(T.plays(move));
    else if (path.includes(id)) parts.push(T.selected);
    else if (selected.includes(id)) parts.push(T.movesAlong);
    else if (options.has(id) && path.length) parts.push(T.canAdd);
    else if (options.has(id) || restarts.has(id)) parts.push(T.canSelect);
    return parts.join(T.separator);
  }

  // Return whether the pieces of a side differ.
  #hasKinds() {
    const { pieces } = this.picture;
    return pieces.some((one) => pieces.some((other) => one.side === other.side && one.symbol !== other.symbol));
  }

  // --- events ---

  #listen() {
    const { svg } = this;
    const idAt = (element) => element?.closest?.("[data-id]")?.dataset.id ?? null;
    let from = null;
    let dragged = false;
    let isSpent = false;
    const drag = (to) => this.clicks.dragged(from, to, (a, b) => this.angle(a, b));
    svg.addEventListener("pointerdown", (event) => {
      from = event.button === 0 ? idAt(event.target) : null;
      dragged = false;
      // touch captures the pointer, which would hide what is under it
      if (from !== null && event.target.hasPointerCapture?.(event.pointerId)) {
        event.target.releasePointerCapture(event.pointerId);
      }
    });
    svg.addEventListener("pointermove", (event) => {
      const under = idAt(event.target);
      if (from !== null && this.interactive && (under !== from || dragged)) {
        dragged = true;
        this.#drawDrag(from, event);
        this.preview(under !== null && under !== from ? drag(under).move : null);
      }
      if (event.pointerType !== "touch" && under !== this.hovered) this.#hover(under);
    });
    // a finger that begins on something to click drags it instead of the page
    svg.addEventListener("touchmove", (event) => {
      if (this.targets.get(from)?.classList.contains("live") && event.cancelable) event.preventDefault();
    }, { passive: false });
    svg.addEventListener("pointerleave", () => this.#hover(null));
    const drop = () => {
      from = null;
      this.preview(null);
      this.layers.ghost.replaceChildren();
    };
    const end = (event) => {
      if (from === null) return;
      const to = dragged ? idAt(document.elementFromPoint(event.clientX, event.clientY)) : null;
      if (dragged && to !== null && to !== from && this.interactive) {
        const ids = this.clicks.selected.includes(from) ? [...this.clicks.path, to] : [from, to];
        const { move, path, isRefused } = drag(to);
        this.clicks.path = path;
        this.#done(move, isRefused ? "refused" : move === null ? "selected" : "moved", ids);
      }
      drop();
    };
    this.abort = new AbortController();
    const { signal } = this.abort;
    document.addEventListener("pointerup", end, { signal });
    document.addEventListener("pointercancel", drop, { signal });
    svg.addEventListener("click", (event) => {
      const id = idAt(event.target);
      // the second half of a double click belongs to the first one, which has made a move
      if (event.detail < 2) isSpent = false;
      if (dragged && event.detail > 0) dragged = false;
      else if (!isSpent && id === null) this.clear();
      else if (!isSpent) {
        this.current = id;
        isSpent = this.click(id);
      }
    });
    document.addEventListener("pointerdown", (event) => {
      this.#hush();
      if (!svg.contains(event.target) && !event.target.closest?.("[data-keeps-selection]")) this.clear();
    }, { signal });
    document.addEventListener("keydown", (event) => {
      this.#hush();
      if (event.key === "Escape" && !document.querySelector("dialog[open]")) this.clear();
    }, { signal });
    svg.addEventListener("keydown", (event) => this.#key(event));
    // not on the SVG, which would then be a stop of the Tab key itself
    this.element.addEventListener("focusin", (event) => {
      const id = idAt(event.target);
      if (id !== null) this.current = id;
      this.#update();
    });
    this.element.addEventListener("focusout", () => requestAnimationFrame(() => this.#update()));
  }

  // Stop listening to the document.
  close() {
    this.abort.abort();
  }

  #hover(id) {
    if (id === this.hovered) return;
    this.hovered = id;
    this.#update();
  }

  #drawDrag(from, event) {
    const item = this.items.get(from);
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const ends = { x1: n(item.x), y1: n(item.y), x2: point.x, y2: point.y };
    this.layers.ghost.replaceChildren(...twice("line", ends, "drag"));
  }

  #key(event) {
    const id = event.target.dataset?.id;
    if (!id || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.click(id);
    } else if (event.key in ARROWS) {
      event.preventDefault();
      const near = this.#nearest(id, ARROWS[event.key], event.shiftKey);
      if (near) {
        this.current = near;
        this.targets.get(near).focus();
        this.#update();
      }
    }
  }

  // Return the id that is nearest in a direction: among those that can be clicked, or among all.
  #nearest(id, [dx, dy], isAmongAll) {
    const clickable = [...this.options.keys(), ...this.clicks.path].filter((one) => this.items.has(one));
    const ids = isAmongAll || !clickable.length ? [...this.items.keys()] : clickable;
    const here = this.items.get(id);
    let best = null;
    let lowest = Infinity;
    for (const other of ids) {
      const item = this.items.get(other);
      const along = (item.x - here.x) * dx + (item.y - here.y) * dy;
      const across = Math.abs((item.x - here.x) * dy) + Math.abs((item.y - here.y) * dx);
      if (other === id || along < 0.05) continue;
      const cost = along + 2 * across + (across > 1.8 * along ? 1000 : 0);
      if (cost < lowest - 1e-6) [best, lowest] = [other, cost];
    }
    return best;
  }

  // --- movement ---

  #animate(previous) {
    if (!this.animation || quiet.matches) return;
    const before = new Map(previous.pieces.map((piece) => [piece.cell, piece]));
    const { left, came, after } = this.#changes(before, this.picture);
    if (left.length + came.length > 12) return;
    const timing = { duration: MOVE_MS, easing: "ease-out" };
    const slide = (from, to) => {
      const [a, b] = [this.items.get(from), this.items.get(to)];
      const start = `translate(${n(a.x - b.x)}px, ${n(a.y - b.y)}px)`;
      this.groups.get(to)?.firstChild.animate([{ transform: start }, { transform: "none" }], timing);
    };
    const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
    const pairs = left.flatMap((a) => came.filter((b) => isSame(a, b)).map((b) => {
      const [from, to] = [this.items.get(a.cell), this.items.get(b.cell)];
      return { a, b, from, to, length: distance(from, to) };
    }));
    const used = new Set();
    for (const { a, b, from, to, length } of pairs.sort((one, other) => one.length - other.length)) {
      if (used.has(a) || used.has(b)) continue;
      used.add(a).add(b);
      // equal pieces in a straight row between the two cells move by one cell each
      const steps = Math.max(1, Math.round(length));
      const row = Array.from({ length: steps + 1 }, (_, i) => {
        const [x, y] = [from.x + ((to.x - from.x) * i) / steps, from.y + ((to.y - from.y) * i) / steps];
        return this.picture.cells.find((cell) => distance(cell, { x, y }) < 0.1)?.id;
      });
      const isRow = row.every((cell, i) => (i === steps || isSame(before.get(cell), a)) && (i === 0 || isSame(after.get(cell), a)));
      if (isRow) row.slice(1).forEach((cell, i) => slide(row[i], cell));
      else slide(a.cell, b.cell);
    }
    for (const piece of came.filter((one) => !used.has(one))) {
      const group = this.groups.get(piece.cell).firstChild;
      if (this.picture.gravity) {
        const [across, down] = this.#fall(this.items.get(piece.cell));
        group.animate([{ transform: `translate(${-across}px, ${-down}px)` }, { transform: "none" }],
          { duration: 120 + Math.hypot(across, down) / 3, easing: "cubic-bezier(.5,0,.9,.6)" });
      } else group.animate([{ opacity: 0, transform: "scale(.8)" }, { opacity: 1, transform: "none" }], timing);
    }
    for (const piece of left.filter((one) => !used.has(one) && this.items.has(one.cell))) {
      const ghost = this.#piece(piece, this.items.get(piece.cell));
      this.layers.body.after(ghost);
      const gone = ghost.firstChild.animate([{ opacity: 1 }, { opacity: 0, transform: "scale(.7)" }], timing);
      gone.onfinish = gone.oncancel = () => ghost.remove();
    }
    for (const line of this.picture.changed) {
      this.layers.lines.querySelector(`[data-line="${CSS.escape(line)}"]`)?.animate([{ opacity: 0 }, { opacity: 1 }], timing);
    }
  }

  // Return how far a piece falls from the edge of the board to a cell.
  #fall(cell) {
    const [left, top, width, height] = this.box;
    const [x, y] = [n(cell.x), n(cell.y)];
    return { down: [0, y - top], up: [0, y - top - height], right: [x - left, 0], left: [x - left - width, 0] }[this.picture.gravity];
  }
}

const isSame = (a, b) => a && b && a.side === b.side && a.symbol === b.symbol;

// --- geometry ---

// Return the picture as the other player sees it.
function flipped(picture) {
  const [left, top, right, bottom] = picture.bounds;
  const isTurned = picture.flip === "turn";
  const x = (value) => left + right - value;
  const y = (value) => (isTurned ? top + bottom - value : value);
  const move = (item) => ({ ...item, x: x(item.x), y: y(item.y) });
  const draw = (line) => ({ ...line, x1: x(line.x1), y1: y(line.y1), x2: x(line.x2), y2: y(line.y2) });
  const isReversed = isTurned || picture.gravity === "left" || picture.gravity === "right";
  return {
    ...picture,
    cells: picture.cells.map(move),
    labels: picture.labels.map(move),
    lines: picture.lines.map(draw),
    grid: picture.grid.map(draw),
    gravity: isReversed ? AGAINST[picture.gravity] : picture.gravity,
  };
}

// Return the path of a rectangle with round corners.
function rounded(x, y, width, height, r) {
  const arc = (across, down) => `a${r} ${r} 0 0 1 ${across} ${down}`;
  return `M${x + r} ${y}h${width - 2 * r}${arc(r, r)}v${height - 2 * r}${arc(-r, r)}h${2 * r - width}${arc(-r, -r)}v${2 * r - height}${arc(r, -r)}Z`;
}

function circle(x, y, r) {
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

// Return the path that surrounds a convex polygon at a distance.
function around(corners, reach) {
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

function rank(line, changed) {
  return (line.side === null ? 0 : 2) + (changed.has(line.id) ? 1 : 0);
}

// Return a shape drawn twice, so that it stands out on light and dark: a broad edge, and a core.
function twice(tag, attributes, kind) {
  return ["edge", "core"].map((part) => s(tag, { ...attributes, class: `${kind} ${part}` }));
}

function hexagon(cx, cy, scale = 1) {
  const [half, low, high] = [50 * scale, U * HALF_HEXAGON * 0.5 * scale, U * HALF_HEXAGON * scale];
  return [[0, -high], [half, -low], [half, low], [0, high], [-half, low], [-half, -low]]
    .map(([x, y]) => `${Math.round((cx + x) * 10) / 10},${Math.round((cy + y) * 10) / 10}`).join(" ");
}

// Return the convex hull (R. A. Jarvis, 1973).
function hull(points) {
  const corners = [];
  const away = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
  let at = points.reduce((a, b) => (b[0] < a[0] ? b : a));
  while (!corners.includes(at)) {
    corners.push(at);
    at = points.reduce((best, point) => {
      const turn = (best[0] - at[0]) * (point[1] - at[1]) - (best[1] - at[1]) * (point[0] - at[0]);
      return turn < -1e-6 || (turn <= 1e-6 && away(at, point) > away(at, best)) ? point : best;
    }, at);
  }
  return corners;
}

function text(x, y, content, size, kind, fill = null) {
  return s("text", { x: n(x), y: n(y) + 0.36 * size, "font-size": size, "text-anchor": "middle", class: kind, fill }, content);
}

function* plate(x, y, label, colour = null, largest = 20) {
  const size = Math.min(largest, 36 / (0.62 * label.length));
  const [width, height] = [0.62 * size * label.length + 6, 1.1 * size];
  yield s("rect", { x: n(x) - width / 2, y: n(y) - height / 2, width, height, rx: 5, class: "plate" });
  yield text(x, y, label, size, colour ? "plate-mark" : "plate-text", colour);
}
