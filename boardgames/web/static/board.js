// A board: what it shows, what is selected, and the moves that are built by click, drag and keyboard.
//
// scene.js draws the picture, movement.js what changes, shapes.js arrows; pointer.js and keyboard.js handle the input.

import { Clicks, contents } from "./clicks.js";
import { announce, button, h, s, whilePointed } from "./dom.js";
import { U, angle, directions, eighth, n, signOf } from "./geometry.js";
import { followKeyboard } from "./keyboard.js";
import { animate, showResult } from "./movement.js";
import { followPointer, idAt } from "./pointer.js";
import { Scene, twice } from "./scene.js";
import { drawArrow, drawShape, leadOf, toggled } from "./shapes.js";
import { T } from "./texts.js";

/** @import { Picture } from "../messages.js" */
/** @import { Angle, Step } from "./clicks.js" */
/** @import { Item, Point } from "./geometry.js" */
/** @import { Marks } from "./overlays.js" */
/** @import { Arrow, Colour, Shape } from "./shapes.js" */
/**
 * @typedef {object} Listeners
 * @property {(move: string) => void} onMove  called with a completed move
 * @property {() => void} [onSelect]  called after every change of the selection
 * @property {(move: string | null, isSpoken: boolean) => void} [onPreview]  called with a move that the next click or
 *   release would complete, or null
 * @property {(ids: string[]) => void} [onRefuse]  called with ids that lead to no move: what is selected, and the id that
 *   was clicked or dragged to
 * @property {(shapes: Shape[]) => void} [onShapes]  called when a person has marked a cell, or drawn or removed an arrow;
 *   without it nothing can be marked, and the right button opens the browser's menu
 */

// the kinds, and so the colours, of the arrows of moves to choose from
const CHOICES = /** @type {const} */ (["best", "other", "played", "line"]);

export class Board {
  // what the board shows; each of these may be set at any time
  /** @type {Picture | null} */
  source = null;
  interactive = false;
  flipped = false;
  animation = true;
  /** @type {string[]} */
  hinted = [];
  /** @type {Arrow[]} */
  arrows = [];
  /** @type {Shape[]} */
  shapes = [];
  // input state
  clicks = new Clicks();
  /** @type {Map<string, Step>} */
  options = new Map();
  /** @type {string | null} the id that has the focus when the board has it */
  current = null;
  /** @type {string | null} */
  hovered = null;
  /** @type {string | null} */
  aimed = null;
  /** @type {string | null} a move that waits to be confirmed */
  held = null;
  /** @type {string[]} the moves that a click may mean, until one of them is chosen */
  choices = [];
  /** @type {string | null} */
  refused = null;
  /** @type {string | null} */
  previewed = null;
  /** @type {number[]} the angles at which cells have neighbours */
  directions = [];

  #abort = new AbortController();

  /** @param {Listeners} listeners */
  constructor({ onMove, onSelect, onPreview, onRefuse, onShapes }) {
    this.onMove = onMove;
    this.onSelect = onSelect ?? (() => {});
    this.onPreview = onPreview ?? (() => {});
    this.onRefuse = onRefuse ?? (() => {});
    this.onShapes = onShapes;
    this.scene = new Scene();
    this.description = h("p", { class: "hidden", id: `${this.scene.prefix}-text` });
    this.notice = h("p", { class: "board-notice", "aria-hidden": "true", hidden: true });
    this.choice = h("div", { class: "board-choice", role: "group", "aria-label": T.whichMove, "data-keeps-selection": true, hidden: true });
    this.element = h("div", { class: "board-box" }, this.svg, this.description, this.notice, this.choice);
    followPointer(this, this.#abort.signal);
    followKeyboard(this, this.#abort.signal);
    // not on the SVG, which would then be a tab stop itself
    this.element.addEventListener("focusin", (event) => {
      this.current = idAt(event.target) ?? this.current;
      this.#update();
    });
    this.element.addEventListener("focusout", () => requestAnimationFrame(() => this.#update()));
  }

  // Stop listening to the document.
  close() {
    this.#abort.abort();
  }

  get svg() {
    return this.scene.svg;
  }

  get layers() {
    return this.scene.layers;
  }

  get items() {
    return this.scene.items;
  }

  get ratio() {
    return this.scene.ratio;
  }

  get canMark() {
    return this.onShapes !== undefined;
  }

  // --- what is shown ---

  /**
   * Show a picture; moves can be built only if `interactive`.
   * @param {Picture} picture
   */
  show(picture, { interactive = false } = {}) {
    const isOther = this.source !== picture;
    if (isOther || interactive !== this.interactive) this.clicks = new Clicks(interactive ? picture : null);
    if (isOther || !interactive) {
      this.held = null;
      this.#choose([]);
    }
    if (isOther) {
      this.hinted = [];
      this.aimed = null;
      this.hush();
    }
    this.source = picture;
    this.interactive = interactive;
    this.#draw(isOther);
  }

  /** @param {boolean} value */
  setFlipped(value) {
    if (value === this.flipped) return;
    this.flipped = value;
    this.#draw();
  }

  /** @param {boolean} value */
  setCoordinates(value) {
    this.scene.coordinates = value;
    this.#draw();
  }

  /**
   * Show a move without making it, such as a hint.
   * @param {string | null} move
   */
  showMove(move) {
    this.hinted = (this.source?.clicks[move ?? ""] ?? [[]])[0];
    this.#update();
  }

  /**
   * Draw what overlays say about the position.
   * @param {Marks} marks
   */
  setMarks(marks) {
    this.scene.marks = marks;
    this.scene.drawMarks();
    this.#update();
  }

  /**
   * Draw arrows for moves, the first one on top; they stay until others are set.
   *
   * A move of pieces is an arrow from them to their target, with a band around a group that moves together. A move
   * that is a single click is an outline of its cell or line.
   * @param {Arrow[]} arrows
   */
  setArrows(arrows) {
    this.arrows = arrows;
    this.#drawShapes();
  }

  /**
   * Draw the shapes of a person; they stay until others are set. `onShapes` is not called.
   * @param {Shape[]} shapes
   */
  setShapes(shapes) {
    this.shapes = shapes;
    this.#drawShapes();
  }

  /**
   * Add a shape as if it had been drawn with the right button, or remove it if it is there.
   * @param {string} from
   * @param {string | null} to  the end of an arrow, or null for a circle
   * @param {Colour} colour
   */
  mark(from, to, colour) {
    if (!this.onShapes) return;
    const count = this.shapes.length;
    this.setShapes(toggled(this.shapes, { from, to, colour }));
    announce(T.marked(from, to, this.shapes.length < count));
    this.onShapes(this.shapes);
  }

  /**
   * Preview a move that changes more than one piece, line or cell, else show nothing.
   * @param {Picture | null} [picture]
   * @param {boolean} [isSpoken]
   */
  showResult(picture, isSpoken) {
    showResult(this.scene, picture, isSpoken);
  }

  /**
   * Say why something cannot be done, beside an id or at the bottom; the next click or key
   * removes it.
   * @param {string} reason
   * @param {string | null} id
   */
  tell(reason, id = null) {
    this.#place(this.notice, id);
    this.notice.textContent = T.sentence(reason);
    this.notice.hidden = false;
    this.refused = id;
    announce(reason);
    this.#update();
  }

  /**
   * Place a notice beside an id, away from what is selected, or at the bottom.
   * @param {HTMLElement} notice
   * @param {string | null} id
   * @param {number} [distance]  from its middle, in cells
   */
  #place({ style }, id, distance = 0.5) {
    const { items, scene: { box } } = this;
    const item = items.get(id ?? "");
    const [x, y] = item ? [(n(item.x) - box[0]) / box[2], (n(item.y) - box[1]) / box[3]] : [0.5, 0.98];
    const selected = items.get(this.clicks.path[0]);
    const isAbove = !item || y > 0.85 || (y > 0.15 && (selected && selected !== item ? selected.y >= item.y : y > 0.5));
    const gap = item ? (distance * U) / box[3] : 0;
    [style.left, style.translate] = [`${100 * x}%`, `${-100 * x}%`];
    [style.top, style.bottom] = isAbove ? ["auto", `${100 * (1 - y + gap)}%`] : [`${100 * (y + gap)}%`, "auto"];
  }

  /**
   * Ask which of several moves is meant by a click on an id; without moves, stop asking.
   * @param {string[]} moves
   * @param {string | null} [id]
   */
  #choose(moves, id = null) {
    const hasFocus = this.choice.contains(document.activeElement);
    this.choices = moves;
    this.choice.hidden = !moves.length;
    if (hasFocus && this.current !== null) this.scene.targets.get(this.current)?.focus();
    if (!moves.length) return;
    this.choice.replaceChildren(h("p", {}, T.whichMove), ...moves.map((move, i) => {
      const [from, to] = (this.clicks.suggested.get(move)?.ids ?? []).slice(-2);
      const at = this.angle(from, to);
      return button(at === null ? move : `${signOf(at)} ${move}`, () => this.play(move), { class: `kind-${CHOICES[i % CHOICES.length]}`,
        "aria-label": T.padButton(at === null ? move : T.directions[eighth(at)], move),
        ...whilePointed(() => this.preview(move), () => this.preview(null)) });
    }));
    this.#place(this.choice, id, 0.9);
    announce(T.asksFor(moves));
    if (this.#focused() !== null) this.choice.querySelector("button")?.focus();
  }

  // Remove the notice of `tell`.
  hush() {
    if (this.notice.hidden) return;
    this.notice.hidden = true;
    this.refused = null;
    this.#update();
  }

  // --- building moves ---

  clear() {
    if (!this.clicks.path.length && this.held === null) return;
    this.clicks.path = [];
    this.held = null;
    this.#choose([]);
    announce(T.deselected);
    this.#update();
  }

  /**
   * Return whether the click has completed a move.
   * @param {string} id
   */
  click(id) {
    const { held } = this;
    if (held !== null && this.clicks.entries.some((entry) => entry.move === held && entry.ids.at(-1) === id)) {
      this.play(held); // a second click on the target confirms
      return true;
    }
    const ids = [...this.clicks.path, id];
    const { move, event, choices } = this.interactive ? this.clicks.click(id) : { move: null, event: "refused" };
    this.#done(move, event, ids, choices);
    return move !== null;
  }

  /**
   * Return the move that a drag would complete, or null, and what would be selected.
   * @param {string} from
   * @param {string} to
   */
  dragged(from, to) {
    return this.clicks.dragged(from, to, this.angle);
  }

  /**
   * Drop what was dragged.
   * @param {string} from
   * @param {string} to
   */
  drag(from, to) {
    const ids = this.clicks.selected.includes(from) ? [...this.clicks.path, to] : [from, to];
    const { move, path, isRefused } = this.dragged(from, to);
    this.clicks.path = path;
    const choices = move === null ? this.clicks.next().get(to)?.choices : [];
    this.#done(move, choices?.length ? "ambiguous" : isRefused ? "refused" : move === null ? "selected" : "moved", ids, choices);
  }

  /**
   * Make a move as if it had been built on the board.
   * @param {string} move
   */
  play(move) {
    if (this.interactive) this.#done(move, "moved", []);
  }

  /**
   * Show a move until it is confirmed, or until something else is clicked.
   * @param {string} move
   */
  hold(move) {
    this.held = move;
    announce(T.toConfirm(move));
    this.#update();
  }

  /**
   * Preview a move that a control outside the board would make, or none.
   * @param {string | null} move
   */
  preview(move) {
    if (move === this.aimed) return;
    this.aimed = move;
    this.#update();
  }

  /**
   * Remember the id under the pointer.
   * @param {string | null} id
   */
  hover(id) {
    if (id === this.hovered) return;
    this.hovered = id;
    this.#update();
  }

  /** @param {string} id */
  focus(id) {
    this.current = id;
    this.scene.targets.get(id)?.focus();
    this.#update();
  }

  /**
   * Return the move that continues straight from the selection at an angle, or null.
   * @param {number} wanted
   */
  towards(wanted) {
    return this.clicks.towards(wanted, this.angle);
  }

  /**
   * Return the angle in degrees from one id to another, or null.
   * @type {Angle}
   */
  angle = (from, to) => {
    const [a, b] = [this.items.get(from), this.items.get(to)];
    return a && b && a !== b ? angle(a, b) : null;
  };

  /**
   * Return in general words why clicks on `ids` lead to no move.
   * @param {string[]} ids
   */
  reason(ids) {
    const content = contents(this.source);
    const id = ids[ids.length - 1];
    const first = this.clicks.entries.find((entry) => entry.size);
    const isOwn = first && content(id) === content(first.ids[0]);
    if (ids.length > 1) return isOwn ? T.ownPiece(id) : T.cannotGo(id);
    if (isOwn) return T.cannotMove(id);
    if (this.items.get(id)?.kind === "line") return T.lineDrawn;
    return first ? T.selectFirst : T.cannotPlayHere;
  }

  /**
   * Continue after clicks on `ids`, which may have completed a move.
   * @param {string | null} move
   * @param {string} event
   * @param {string[]} ids
   * @param {string[]} [choices]  the moves that they may mean
   */
  #done(move, event, ids, choices = []) {
    this.held = null;
    this.#choose(choices, ids.at(-1));
    if (move !== null) {
      this.interactive = false;
      this.clicks = new Clicks();
      this.aimed = null;
      this.onMove(move);
    } else if (event === "refused") this.onRefuse(ids);
    else if (!choices.length) announce(this.clicks.path.length ? T.nowSelected(this.clicks.selected.join(" "), this.clicks.next().size) : T.deselected);
    this.#update();
  }

  // --- drawing ---

  // Draw the picture, if there is one yet, with everything that has been set.
  #draw(isAnimated = false) {
    const { source, scene } = this;
    if (!source) return;
    const previous = scene.picture;
    const isSamePlace = scene.draw(source, this.flipped);
    this.description.textContent = [source.description, T.boardHelp, ...(this.canMark ? [T.markHelp] : [])].join(" ");
    this.previewed = null;
    showResult(scene, null);
    if (!isSamePlace) {
      [this.hovered, this.aimed] = [null, null];
      this.directions = directions(scene.picture?.cells ?? []);
      if (this.current !== null && !this.items.has(this.current)) this.current = null;
    } else if (isAnimated && previous && this.animation) animate(scene, previous);
    this.#drawShapes();
    this.#update();
  }

  #drawShapes() {
    const { arrows, shapes, items, layers, source } = this;
    if (!source) return;
    const content = contents(source);
    layers.arrows.replaceChildren(...[...arrows].reverse().flatMap((one) => this.#arrow(one, content)));
    layers.shapes.replaceChildren(...shapes.flatMap((one) => [...drawShape(one, items)]));
  }

  /**
   * Return the elements of the arrow of a move.
   * @param {Arrow} one
   * @param {(id: string) => string} content
   */
  #arrow(one, content) {
    return [...drawArrow(one, ...this.#groupOf(one, content))];
  }

  /**
   * Return the places to click for a move, without buttons, and how many move together.
   * @param {Arrow} one
   * @param {(id: string) => string} content
   * @returns {[places: Item[], size: number]}
   */
  #groupOf(one, content) {
    const { items, source } = this;
    const ids = (one.ids ?? source?.clicks[one.move ?? ""]?.[0] ?? []).filter((id) => items.has(id));
    const others = ids.findIndex((id) => content(id) !== content(ids[0]));
    return [ids.map((id) => items.get(id)).filter((item) => item !== undefined), others < 0 ? 1 : others];
  }

  /**
   * Return the points that the arrow of a legal move leads through, or one if it is an outline.
   * @param {string} move
   * @returns {Point[]}
   */
  leadOf(move) {
    const [places, size] = this.#groupOf({ move }, contents(this.source));
    return places.length > 1 ? leadOf(places, Math.min(size, places.length - 1)) : places.map(({ x, y }) => [n(x), n(y)]);
  }

  // Show the selection, what can follow, and the focus; name every target.
  #update() {
    const { clicks, scene } = this;
    const { picture, items } = scene;
    if (!picture) return;
    const { path } = clicks;
    const options = clicks.next();
    const restarts = path.length ? clicks.next([]) : options;
    this.options = options;
    this.#keepCurrent([...options.keys(), ...path].filter((id) => items.has(id)));
    for (const [id, target] of scene.targets) {
      target.setAttribute("tabindex", id === this.current ? "0" : "-1");
      target.setAttribute("aria-label", this.#name(id, restarts));
      target.setAttribute("aria-disabled", String(!(options.has(id) || restarts.has(id) || path.includes(id))));
      target.classList.toggle("live", options.has(id) || restarts.has(id));
    }
    const focused = this.#focused();
    const pointed = this.hovered ?? focused ?? "";
    const option = options.get(pointed) ?? (path.includes(pointed) ? null : restarts.get(pointed));
    const move = this.aimed ?? this.held ?? option?.move ?? null;
    if (move !== this.previewed) {
      this.previewed = move;
      showResult(scene, null);
      this.onPreview(move, pointed === focused);
    }
    scene.layers.hints.replaceChildren(...this.#hints(move, focused, restarts));
    const item = items.get(focused ?? "");
    scene.layers.focus.replaceChildren(...(item ? twice(...scene.outline(item, false, true), "ring") : []));
    this.onSelect();
  }

  /**
   * Choose what the Tab key moves the focus to, if possible the same as before.
   * @param {string[]} reachable
   */
  #keepCurrent(reachable) {
    const { current, scene: { items, targets, picture } } = this;
    const isKept = current !== null && items.has(current)
      && (!reachable.length || reachable.includes(current) || targets.get(current)?.matches(":focus"));
    if (isKept) return;
    this.current = this.clicks.path.at(-1) ?? reachable[0] ?? picture?.changed.find((id) => items.has(id)) ?? items.keys().next().value ?? null;
  }

  /**
   * Return the elements that show what is selected and what can follow.
   * @param {string | null} move
   * @param {string | null} focused
   * @param {Map<string, Step>} restarts
   */
  #hints(move, focused, restarts) {
    const { clicks, options, scene } = this;
    const { path } = clicks;
    /** @type {SVGElement[]} */
    const hints = [];
    const both = (/** @type {string} */ id, /** @type {string} */ kind) => {
      const item = scene.items.get(id);
      if (item) hints.push(...twice(...scene.outline(item), `hint ${kind}`));
    };
    for (const id of this.hinted) both(id, "advice");
    if (this.choices.length) {
      const content = contents(this.source);
      hints.push(...this.choices.toReversed().flatMap((one, i) => this.#arrow({ move: one, kind: CHOICES[(this.choices.length - 1 - i) % CHOICES.length], width: 0.6 }, content)));
    }
    for (const [id, option] of path.length && !this.choices.length ? options : []) {
      const item = scene.items.get(id);
      if (item?.kind === "line") both(id, "next");
      else if (item) hints.push(this.#dot(item, option.move !== null || option.choices.length > 0));
    }
    if (move !== null) {
      for (const id of clicks.suggested.get(move)?.ids ?? []) if (!path.includes(id) && id !== focused) both(id, "preview");
    } else if (this.hovered !== null && restarts.has(this.hovered)) both(this.hovered, "hover");
    for (const id of clicks.selected) both(id, path.includes(id) ? "chosen" : "chosen along");
    if (this.refused !== null) both(this.refused, "refused");
    return hints;
  }

  /**
   * @param {{id: string, x: number, y: number}} item
   * @param {boolean} isTarget  whether a click there completes a move
   */
  #dot({ id, x, y }, isTarget) {
    const isOnPiece = this.scene.pieces.has(id);
    const r = !isTarget ? 9 : isOnPiece ? 15 : 13;
    return s("circle", { cx: n(x), cy: n(y), r, class: `dot${isOnPiece ? " on-piece" : ""}${isTarget ? "" : " adds"}` });
  }

  #focused() {
    const active = document.activeElement;
    return active && this.layers.targets.contains(active) && active.matches(":focus-visible") ? idAt(active) : null;
  }

  /**
   * Return what a screen reader says about an id.
   * @param {string} id
   * @param {Map<string, Step>} restarts
   */
  #name(id, restarts) {
    const { options, clicks, scene } = this;
    const { picture, pieces, marks } = scene;
    const item = scene.items.get(id);
    if (!item || !picture) return id;
    const { sides, changed } = picture;
    const parts = [item.kind === "line" ? T.lineName(item.label || id) : id];
    const piece = pieces.get(id);
    if (item.kind === "line") parts.push(item.side === null ? T.open : T.drawnBy(sides[item.side]));
    else if (piece) parts.push(T.piece(sides[piece.side], hasKinds(picture) ? piece.symbol : ""));
    else if (item.owner !== null) parts.push(T.ownedBy(sides[item.owner]));
    else parts.push(T.empty);
    parts.push(...marks.names(id));
    if (changed.includes(id)) parts.push(T.lastMove);
    if (picture.winning.includes(id)) parts.push(T.winning);
    const { path } = clicks;
    const { move = null, choices = [] } = options.get(id) ?? {};
    if (move !== null) parts.push(T.plays(move));
    else if (choices.length) parts.push(T.asksFor(choices));
    else if (path.includes(id)) parts.push(T.selected);
    else if (clicks.selected.includes(id)) parts.push(T.movesAlong);
    else if (options.has(id) && path.length) parts.push(T.canAdd);
    else if (options.has(id) || restarts.has(id)) parts.push(T.canSelect);
    return parts.join(T.separator);
  }
}

/**
 * Return whether a side has pieces of several kinds.
 * @param {Picture} picture
 */
function hasKinds({ pieces }) {
  /** @type {Map<number, string>} */
  const symbols = new Map(pieces.map((piece) => [piece.side, piece.symbol]));
  return pieces.some((piece) => symbols.get(piece.side) !== piece.symbol);
}
