// @ts-nocheck
// Find the better move: the board shows the position before a mistake, and a move that is tried is judged by an analysis.

import { button, h, setText } from "./dom.js";
import { T } from "./texts.js";

const SECONDS = 1;
const MOST_POINTS = 0.05; // expected points, 1 for a win, that a good move may give away
const LONGEST_MS = 90000;

export class Exercises {
  // `show` is called with a mistake, to show the position before it, `showMove` with a move or null, and `end` at the end.
  constructor(net, { show, showMove, end }) {
    Object.assign(this, { net, show, showMove, end, queue: [], at: 0 });
    this.title = h("h2", {});
    this.task = h("p", {});
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.solve = button(T.showSolution, () => this.#solution());
    this.next = button(T.nextMistake, () => this.#open(this.at + 1), { class: "primary" });
    this.element = h("section", { class: "exercise status-box", "aria-label": T.findBetter, hidden: true }, this.title, this.task, this.verdict,
      h("div", { class: "actions" }, this.solve, this.next, button(T.leaveExercise, () => this.close())));
  }

  get isOpen() {
    return !this.element.hidden;
  }

  start(mistakes, sides, requestOf) {
    Object.assign(this, { queue: mistakes, sides, requestOf });
    this.element.hidden = false;
    this.#open(0);
  }

  close() {
    if (!this.isOpen) return;
    this.element.hidden = true;
    this.showMove(null);
    this.end();
  }

  #open(at) {
    this.at = at;
    this.isSolved = false;
    const mistake = this.queue[at];
    if (!mistake) return this.close();
    const { move, ply } = mistake;
    setText(this.title, T.exerciseOf(at + 1, this.queue.length));
    setText(this.task, T.exerciseTask(T.turn(ply), this.sides[move.side], `${move.move}${move.mark}`));
    this.#tell("", "");
    this.showMove(null);
    this.next.disabled = false;
    setText(this.next, at + 1 < this.queue.length ? T.nextMistake : T.done);
    this.show(mistake);
  }

  #tell(text, kind) {
    this.verdict.className = `verdict ${kind}`;
    setText(this.verdict, text);
  }

  // Judge a move at the position before the mistake.
  async judge(move) {
    const mistake = this.queue[this.at];
    const { side, better, best_value: best, value } = mistake.move;
    if (move === mistake.move.move) return this.#tell(T.samePlayed(move, value), "wrong");
    if (move === better[0]) return this.#tell(T.rightMove(move, best), "right");
    this.#tell(T.judging(move), "");
    try {
      const asked = { type: "analyse", ...this.requestOf(mistake), seconds: SECONDS, values: true, lines: 0, purpose: "bar" };
      const { values } = await this.net.request(asked, { patience: LONGEST_MS });
      if (mistake !== this.queue[this.at] || !this.isOpen) return;
      const tried = values.find((one) => one.move === move);
      const lost = ((side === 0 ? 1 : -1) * (values[0].score - tried.score)) / 2;
      if (lost <= MOST_POINTS) this.#tell(T.rightMove(move, tried.value), "right");
      else this.#tell(T.wrongMove(move, tried.value, values[0].value), "wrong");
    } catch (error) {
      this.#tell(error.message, "");
    }
  }

  #solution() {
    const { better, best_value: best } = this.queue[this.at].move;
    this.#tell(T.solution(better.join(" "), best), "");
    this.showMove(better[0]);
  }
}
