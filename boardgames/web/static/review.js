// The review of a line: a chart, the accuracy of each side, and its mistakes, which can be tried again.

import { button, details, h, setText } from "./dom.js";
import { reasonOf } from "./net.js";
import { T } from "./texts.js";

/** @import { AnnotatedMove, AnnotatedPly, AnnotationReply, BoardReply, PositionRequest } from "../messages.js" */
/** @import { Net } from "./net.js" */
/** @import { Chart, Point } from "./chart.js" */
/** @typedef {AnnotatedPly & {move: AnnotatedMove}} MoveNote  what a review says about a move */
/** @typedef {MoveNote & {line: string[]}} Mistake  a move to try again, and the line that it is in */
/** @typedef {() => {agent: string | null, seconds: number}} Settings  returns the agent and its seconds for a position */
/** @typedef {PositionRequest & {agent?: string | null, seconds?: number, kept?: boolean}} Asked */

const LONGEST_MS = 3600000;
const WORST = ["?", "??"];
const FEWEST_SECONDS = 0.05;
const MOST_SECONDS = 5;

/** @param {string[]} path */
const key = (path) => path.join(" ");
/**
 * @param {AnnotatedPly | undefined} note
 * @returns {note is MoveNote}
 */
const isMarked = (note) => Boolean(note?.move?.mark);

export class Review {
  /** @type {Map<string, AnnotatedPly>} what the review says about paths, by their keys */
  notes = new Map();
  /** @type {string[]} */
  line = [];
  /** @type {string[]} the line of the review */
  reviewed = [];
  /** @type {string | null} the key of the review that is running */
  running = null;
  ply = 0;
  side = 0; // whose view the chart shows
  /** @type {Chart | null} loaded when there is something to show */
  chart = null;
  /** @type {Point[]} */
  points = [];
  /** @type {PositionRequest} */
  request = {};
  /** @type {Settings} */
  settings = () => ({ agent: null, seconds: 0 });

  /**
   * @param {Net} net
   * @param {object} listeners
   * @param {() => void} listeners.onChange  called when there is something new
   * @param {(ply: number) => void} listeners.go
   * @param {(ply: number) => void} listeners.look  goes to a ply, and scrolls to the board if it is not visible
   * @param {(mistakes: Mistake[]) => void} listeners.onTry
   */
  constructor(net, { onChange, go, look, onTry }) {
    this.net = net;
    this.onChange = onChange;
    this.go = go;
    this.look = look;
    this.figure = h("div", { hidden: true });
    this.button = button(T.review, () => this.#toggle());
    this.bar = h("progress", { value: 0, max: 1, "aria-label": T.reviewProgress, hidden: true });
    this.progress = h("p", { class: "muted", role: "status" });
    this.accuracy = h("ul", { class: "accuracy" });
    this.definition = details(T.accuracyQuestion, h("p", { class: "muted" }, T.accuracyDefinition));
    this.marks = h("ul", { class: "muted" });
    this.meaning = details(T.marksQuestion, this.marks);
    this.meaning.hidden = this.definition.hidden = true;
    this.try = button(T.findBetter, () => onTry(this.mistakes), { hidden: true });
    this.list = h("ul", { class: "lines all", "aria-label": T.mistakes });
    this.element = h("section", { class: "review", "aria-label": T.reviewOf }, this.figure,
      h("div", { class: "actions" }, this.button, this.try, this.bar, this.progress), this.accuracy, this.definition, this.meaning, this.list);
    this.abort = new AbortController();
    net.on("annotated", ({ detail }) => detail.key === this.running && this.#note(detail), { signal: this.abort.signal });
  }

  close() {
    this.abort.abort();
    this.#stop();
  }

  // Forget the review of a line that began elsewhere.
  clear() {
    this.#stop();
    this.running = null;
    this.notes.clear();
    this.#finish(null);
    setText(this.progress, "");
  }

  /**
   * Return what the review says about a path, or undefined.
   * @param {string[]} path
   */
  noteOf = (path) => this.notes.get(key(path));

  // The mistakes of the line that was reviewed, each with the path that leads to it.
  get mistakes() {
    return this.reviewed.map((_, i) => this.notes.get(key(this.reviewed.slice(0, i + 1)))).filter(isMarked)
      .filter((note) => WORST.includes(note.move.mark)).map((note) => ({ ...note, line: this.reviewed }));
  }

  /**
   * Show the review that is kept with a match, or start one.
   * @param {PositionRequest} request
   * @param {string[]} moves
   * @param {boolean} starts  whether to start one if there is none
   */
  async load(request, moves, starts) {
    try {
      await this.#ask({ ...request, kept: true }, moves);
    } catch {
      this.#end();
      if (starts && moves.length) this.#toggle();
    }
  }

  /**
   * Show what is known about a line.
   * @param {BoardReply} state
   * @param {string[]} line
   * @param {PositionRequest} request  names the line
   * @param {Settings} settings
   */
  draw(state, line, request, settings) {
    this.line = line;
    this.request = request;
    this.settings = settings;
    this.ply = state.ply;
    const notes = [...line, ""].map((_, ply) => this.notes.get(key(line.slice(0, ply))));
    this.button.disabled = !line.length;
    setText(this.button, this.running ? T.stop : T.review);
    /** @type {(note: AnnotatedPly | undefined, ply: number) => Point[]} */
    const pointOf = (note, ply) => (note ? [[ply, 50 * (1 + (this.side ? -note.score : note.score))]] : []);
    this.points = notes.flatMap(pointOf);
    this.#drawChart(T.chart(state.sides[this.side]));
    this.try.hidden = Boolean(this.running) || !this.mistakes.length;
    this.list.replaceChildren(...notes.filter(isMarked).map(({ ply, move }) => h("li", {}, button(
      [h("strong", {}, `${T.turn(ply, move.side)} ${move.move}${move.mark}`), T.better(state.sides[move.side], move.better.join(" "), move.best_value, move.value)],
      () => this.look(ply - 1), { class: "best-line" }))));
  }

  /** @param {string} title */
  async #drawChart(title) {
    this.figure.hidden = !this.points.length;
    if (this.figure.hidden) return;
    if (this.chart?.title !== title) {
      const { Chart, loadChartStyles } = await import("./chart.js");
      await loadChartStyles();
      if (this.chart?.title !== title) {
        const chart = new Chart(title, (ply, isChosen) => (isChosen ? this.go(ply ?? Infinity) : chart.mark(ply ?? this.ply)),
          { nameOf: (ply) => {
            const move = this.notes.get(key(this.line.slice(0, ply)))?.move;
            return move ? `${T.turn(ply, move.side)} ${move.move}` : T.start;
          }, group: 2 });
        this.figure.replaceChildren(chart.element);
        this.chart = chart;
      }
    }
    this.chart.show([{ points: this.points, style: 0 }], { bounds: [0, 100] });
    this.chart.mark(this.ply);
  }

  #toggle() {
    if (this.running) {
      this.#stop();
      return;
    }
    const { agent, seconds } = this.settings();
    this.notes.clear();
    this.#finish(null);
    this.#ask({ ...this.request, ply: null, agent, seconds: Math.min(MOST_SECONDS, Math.max(FEWEST_SECONDS, seconds / 4)) }, this.line)
      .catch((error) => {
        this.#end();
        setText(this.progress, reasonOf(error));
      });
  }

  #stop() {
    if (this.running && this.net.isOpen) this.net.send({ type: "stop-analysis", purpose: "annotation" });
  }

  /**
   * @param {Asked} request
   * @param {string[]} moves
   */
  async #ask(request, moves) {
    const running = (this.running = String(Math.random()));
    this.reviewed = moves;
    this.onChange();
    const end = await this.net.request({ type: "annotate", key: running, ...request }, { patience: LONGEST_MS });
    if (this.running !== running) return;
    this.#finish(end);
    this.#end();
  }

  #end() {
    this.running = null;
    this.bar.hidden = true;
    this.onChange();
  }

  /** @param {AnnotationReply | null} end */
  #finish(end) {
    setText(this.progress, end ? (end.complete ? T.reviewedBy(end.agent) : T.reviewStopped) : "");
    this.definition.hidden = !end;
    this.meaning.hidden = !end?.losses;
    if (end?.losses) this.marks.replaceChildren(...T.marksMeaning(end.losses, end.delay ?? null, end.unit).map((one) => h("li", {}, one)));
    this.accuracy.replaceChildren(...(end ? [...end.summaries.map((summary, side) =>
      h("li", {}, h("strong", {}, T.accuracyOf(end.accuracies[side])), ` ${summary}`))] : []));
  }

  /** @param {AnnotatedPly} note */
  #note(note) {
    this.notes.set(key(this.reviewed.slice(0, note.ply)), note);
    this.bar.hidden = false;
    this.bar.max = note.count;
    this.bar.value = note.ply;
    setText(this.progress, T.reviewing(note.ply, note.count));
    this.onChange();
  }
}
