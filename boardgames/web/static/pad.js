// Buttons for the ways to continue a move, and the keys that stand for their directions.

import { button, h, whilePointed } from "./dom.js";
import { eighth, signOf } from "./geometry.js";
import { T } from "./texts.js";

/** @import { Board } from "./board.js" */
/** @import { Step } from "./clicks.js" */
/** @typedef {{angle: number, move: string | null, arrow: string, label: string}} Way  a direction in which a selection may move */

// The last letter or digit of the codes of keys for the directions of hexagonal boards, by angle.
/** @type {Record<number, string>} */
const KEYS = { 0: "D6", 60: "C3", 120: "Z1", 180: "A4", 240: "Q7", 300: "E9", 30: "D6", 90: "S2", 150: "A4", 210: "Q7", 270: "W8", 330: "E9" };

export class Pad {
  /** @type {Way[] | null} */
  compass = null; // the six directions that the buttons and keys stand for
  key = "";

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.pad = h("div", { class: "pad", role: "group", "aria-label": T.continuations, "data-keeps-selection": true });
    this.element = h("div", { class: "pad-box", hidden: true }, this.pad);
  }

  // Draw buttons for the ways to continue: six directions, or placed like the cells that they stand for, or in rows.
  draw() {
    if (this.element.hidden) return;
    const { board } = this;
    const { path } = board.clicks;
    /** @type {Map<string, Step>} */
    const options = path.length ? board.clicks.next() : new Map();
    const key = JSON.stringify([path, board.flipped, [...options.keys()]]);
    if (key === this.key) return;
    this.key = key;
    this.compass = null;
    if (!path.length) {
      this.pad.className = "pad";
      const help = board.directions.length === 6 ? [T.compassHelp, h("span", { class: "with-keys" }, T.compassKeys)] : [T.padHelp];
      this.pad.replaceChildren(h("p", { class: "pad-help" }, ...help));
      return;
    }
    const ways = board.directions.map((/** @type {number} */ angle) => {
      /** @type {string | null} */
      const move = board.towards(angle);
      return { angle, move, arrow: signOf(angle), label: T.direction(T.directions[eighth(angle)], move) };
    });
    const steps = [...options.values()];
    const isCompass = ways.length === 6 && steps.every(({ move, choices }) => [move, ...choices].every((one) => !one || ways.some((way) => way.move === one)));
    if (isCompass) this.compass = ways;
    this.pad.className = `pad ${isCompass ? "compass" : "rows"}`;
    this.pad.replaceChildren(h("span", { class: "pad-middle", "aria-hidden": "true" }, board.clicks.selected.join(" ")),
      ...(isCompass ? ways.map((way) => this.#direction(way)) : steps.flatMap((step) =>
        (step.choices.length ? step.choices.map((move) => this.#step(move, move)) : [this.#step(step.id, step.move)]))));
  }

  /** @param {Way} way */
  #direction({ angle, move, arrow, label }) {
    const { board } = this;
    const element = button(arrow, () => move && board.play(move), { class: move ? "plays" : "adds", disabled: !move, "aria-label": label,
      ...whilePointed(() => board.preview(move), () => board.preview(null)) });
    element.style.setProperty("--angle", `${angle}deg`);
    return element;
  }

  /**
   * @param {string} id
   * @param {string | null} move
   */
  #step(id, move) {
    const { board } = this;
    return button(id, () => (move ? board.play(move) : board.click(id)), { class: move ? "plays" : "adds",
      "aria-label": T.padButton(id, move), ...whilePointed(() => board.preview(move), () => board.preview(null)) });
  }

  /**
   * Play the move in the direction of a key; return whether the key stands for one.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const way = /^(Key|Numpad)/.test(event.code) && this.compass?.find((one) => KEYS[one.angle]?.includes(event.code.slice(-1)));
    if (!way) return false;
    if (way.move) this.board.play(way.move);
    else this.board.tell(way.label);
    return true;
  }
}
