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

export class MistakeTrainer {
  /** @type {Mistake[]} */
  queue = [];
  at = 0;
  /** @type {string[]} */
  sides = [];
  /** @type {(mistake: Mistake) => PositionRequest} */
  requestOf = () => ({});

  /**
   * @param {Net} net
   * @param {object} listeners
   * @param {(mistake: Mistake) => void} listeners.show  shows the position before a mistake
   * @param {(move: string | null) => void} listeners.showMove
   * @param {() => void} listeners.end
   */
  constructor(net, { show, showMove, end }) {
    this.net = net;
    this.show = show;
    this.showMove = showMove;
    this.end = end;
    this.title = h("h2", {});
    this.task = h("p", {});
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.solve = button(T.showSolution, () => this.#solution());
    this.next = button(T.nextMistake, () => this.#open(this.at + 1), { class: "primary" });
    this.element = h("section", { class: "exercise status-box", "aria-label": T.findBetter, hidden: true }, this.title, this.task, this.verdict,
      h("div", { class: "actions" }, this.solve, this.next, button(T.leaveTrainer, () => this.close())));
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
    this.showMove(null);
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
    setText(this.task, T.mistakeTask(T.turn(ply), this.sides[move.side], `${move.move}${move.mark}`));
    this.#tell("", "");
    this.showMove(null);
    setText(this.next, at + 1 < this.queue.length ? T.nextMistake : T.done);
    this.show(mistake);
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
    if (move === mistake.move.move) return this.#tell(T.samePlayed(move, value), "wrong");
    if (move === better[0]) return this.#tell(T.rightMove(move, best), "right");
    this.#tell(T.judging(move), "");
    const isWanted = () => this.isOpen && mistake === this.queue[this.at] && move === this.tried;
    try {
      const { values } = await this.net.request({ type: "analyse", ...this.requestOf(mistake), seconds: SECONDS, values: true, lines: 0, purpose: "bar" },
        { patience: LONGEST_MS });
      const tried = values.find((one) => one.move === move);
      if (!isWanted() || !tried) return;
      const lost = ((side === 0 ? 1 : -1) * (values[0].score - tried.score)) / 2;
      if (lost <= MOST_POINTS) this.#tell(T.rightMove(move, tried.value), "right");
      else this.#tell(T.wrongMove(move, tried.value, values[0].value), "wrong");
    } catch (error) {
      if (isWanted()) this.#tell(reasonOf(error), "");
    }
  }

  #solution() {
    const { better, best_value: best } = this.queue[this.at].move;
    this.#tell(T.solution(better.join(" "), best), "");
    this.showMove(better[0]);
  }
}
