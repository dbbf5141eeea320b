// Find the better move: the board shows the position before a mistake, and an analysis judges the move that is tried.

import { button, h, setText } from "./dom.js";
import { reasonOf } from "./net.js";
import { T } from "./texts.js";

/** @import { PositionRequest } from "../messages.js" */
/** @import { Net } from "./net.js" */
/** @import { Mistake } from "./review.js" */

const SECONDS = 1;
const MOST_POINTS = 0.05; // expected points, 1 for a win, that a good move may give away
const LONGEST_MS = 90000;
const WRONG_MS = 1500; // how long a wrong move stays on the board

/** @type {(ms: number) => Promise<void>} */
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export class MistakeTrainer {
  /** @type {Mistake[]} */
  queue = [];
  at = 0;
  /** @type {string[]} */
  sides = [];
  /** @type {string | null} the move that is on the board */
  tried = null;
  /** @type {(mistake: Mistake) => PositionRequest} */
  requestOf = () => ({});

  /**
   * @param {Net} net
   * @param {object} listeners
   * @param {(mistake: Mistake) => void} listeners.show  shows the position before a mistake
   * @param {(move: string | null, kind: "right" | "wrong" | "") => void} listeners.tryOut  makes a move on the board, or takes
   *   it back
   * @param {(move: string | null) => void} listeners.showMove  draws an arrow
   * @param {() => void} listeners.end
   */
  constructor(net, { show, tryOut, showMove, end }) {
    this.net = net;
    this.show = show;
    this.tryOut = tryOut;
    this.showMove = showMove;
    this.end = end;
    this.title = h("h2", {});
    this.task = h("p", {});
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.solve = button(T.showSolution, () => this.#solution());
    this.next = button(T.nextMistake, () => this.#open(this.at + 1));
    this.leave = button(T.leaveTrainer, () => this.close());
    this.element = h("section", { class: "trainer status-box", "aria-label": T.findBetter, hidden: true }, this.title, this.task, this.verdict,
      h("div", { class: "actions" }, this.solve, this.next, this.leave));
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /**
   * @param {Mistake[]} mistakes
   * @param {string[]} sides
   * @param {(mistake: Mistake) => PositionRequest} requestOf  returns what names the position before a mistake
   */
  start(mistakes, sides, requestOf) {
    this.queue = mistakes;
    this.sides = sides;
    this.requestOf = requestOf;
    this.element.hidden = false;
    this.#open(0);
  }

  close() {
    if (!this.isOpen) return;
    this.element.hidden = true;
    this.#reset();
    this.end();
  }

  /** @param {number} at */
  #open(at) {
    this.at = at;
    const mistake = this.queue[at];
    if (!mistake) {
      this.close();
      return;
    }
    const { move, ply } = mistake;
    setText(this.title, T.mistakeOf(at + 1, this.queue.length));
    setText(this.task, T.mistakeTask(T.turn(ply, move.side), this.sides[move.side], `${move.move}${move.mark}`));
    this.#reset();
    this.show(mistake);
  }

  // Forget what has been tried, said and shown about a mistake.
  #reset() {
    this.tried = null;
    this.#tell("", "");
    this.tryOut(null, "");
    this.showMove(null);
    this.#finish(false);
  }

  /** @param {boolean} isSolved */
  #finish(isSolved) {
    const isLast = this.at + 1 >= this.queue.length;
    this.solve.disabled = isSolved;
    this.next.hidden = isLast;
    this.next.classList.toggle("primary", isSolved);
    this.leave.classList.toggle("primary", isSolved && isLast);
    setText(this.leave, isSolved && isLast ? T.done : T.leaveTrainer);
  }

  /**
   * @param {string} text
   * @param {"right" | "wrong" | ""} kind
   */
  #tell(text, kind) {
    this.verdict.className = `verdict ${kind}`;
    setText(this.verdict, text);
  }

  /**
   * Judge a move at the position before the mistake.
   * @param {string} move
   */
  async judge(move) {
    const mistake = this.queue[this.at];
    const { side, better, best_value: best, value } = mistake.move;
    this.tried = move;
    this.showMove(null);
    this.tryOut(move, "");
    if (move === mistake.move.move) return this.#wrong(move, T.samePlayed(move, value));
    if (move === better[0]) return this.#right(move, best);
    this.#tell(T.judging(move), "");
    const isWanted = () => this.isOpen && mistake === this.queue[this.at] && move === this.tried;
    try {
      const { values } = await this.net.request({ type: "analyse", ...this.requestOf(mistake), seconds: SECONDS, values: true, lines: 0, purpose: "bar" },
        { patience: LONGEST_MS });
      const tried = values.find((one) => one.move === move);
      if (!isWanted()) return;
      if (!tried) throw new Error(T.noAnswer);
      const lost = ((side === 0 ? 1 : -1) * (values[0].score - tried.score)) / 2;
      if (lost <= MOST_POINTS) this.#right(move, tried.value);
      else this.#wrong(move, T.wrongMove(move, tried.value, values[0].value));
    } catch (error) {
      if (isWanted()) this.#takeBack(reasonOf(error));
    }
  }

  /**
   * @param {string} move
   * @param {string} value
   */
  #right(move, value) {
    this.#tell(T.rightMove(move, value), "right");
    this.tryOut(move, "right");
    this.#finish(true);
  }

  /**
   * Show for a moment that a move is wrong, and take it back.
   * @param {string} move
   * @param {string} text
   */
  async #wrong(move, text) {
    const mistake = this.queue[this.at];
    this.#tell(text, "wrong");
    this.tryOut(move, "wrong");
    await wait(WRONG_MS);
    if (this.isOpen && mistake === this.queue[this.at] && move === this.tried) this.#takeBack();
  }

  /** @param {string} [reason] */
  #takeBack(reason) {
    this.tried = null;
    if (reason) this.#tell(reason, "");
    this.tryOut(null, "");
  }

  #solution() {
    const { better, best_value: best } = this.queue[this.at].move;
    this.#takeBack(T.solution(better.join(" "), best));
    this.showMove(better[0]);
    this.#finish(true);
  }
}
