// @ts-nocheck
// The review of a line: a chart, the accuracy of each side and its mistakes, which come in one by one and can be tried again.

import { Chart } from "./chart.js";
import { button, details, h, setText } from "./dom.js";
import { T } from "./texts.js";

const LONGEST_MS = 3600000;
const WORST = ["?", "??"];
const FEWEST_SECONDS = 0.05;
const MOST_SECONDS = 5;

const key = (path) => path.join(" ");

export class Review {
  // `onChange` is called when there is something new, `go` with a ply, and `onTry` with the mistakes to try again.
  constructor(net, { onChange, go, onTry }) {
    Object.assign(this, { net, onChange, go, onTry, notes: new Map(), line: null });
    this.chart = new Chart(T.chart, (ply, isChosen) => (isChosen ? go(ply ?? Infinity) : this.chart.mark(ply ?? this.ply)));
    this.button = button(T.review, () => this.#toggle());
    this.bar = h("progress", { value: 0, max: 1, "aria-label": T.reviewProgress, hidden: true });
    this.progress = h("p", { class: "muted", role: "status" });
    this.accuracy = h("ul", { class: "accuracy" });
    this.definition = details(T.accuracyQuestion, h("p", { class: "muted" }, T.accuracyDefinition));
    this.definition.hidden = true;
    this.try = button(T.findBetter, () => onTry(this.mistakes), { hidden: true });
    this.list = h("ul", { class: "lines all", "aria-label": T.mistakes });
    this.element = h("section", { class: "review", "aria-label": T.reviewOf }, this.chart.element,
      h("div", { class: "actions" }, this.button, this.try, this.bar, this.progress), this.accuracy, this.definition, this.list);
    this.abort = new AbortController();
    net.on("annotated", ({ detail }) => detail.key === this.running && this.#note(detail), { signal: this.abort.signal });
  }

  close() {
    this.abort.abort();
    this.#stop();
  }

  // Forget the review of another start.
  clear() {
    this.#stop();
    this.running = null;
    this.notes.clear();
    this.#finish(null);
    setText(this.progress, "");
  }

  // Return what the review says about a path, or undefined.
  noteOf = (path) => this.notes.get(key(path));

  // The mistakes of the line that was reviewed, each with the path that leads to it.
  get mistakes() {
    return (this.reviewed ?? []).map((_, i) => this.notes.get(key(this.reviewed.slice(0, i + 1))))
      .filter((note) => WORST.includes(note?.move?.mark)).map((note) => ({ ...note, line: this.reviewed }));
  }

  // Ask for the review that is kept with a match.
  async load(request, moves) {
    await this.#ask({ ...request, kept: true }, moves).catch(() => this.#end());
  }

  // Show what is known about a line; `request` names it, and `settings` are the agent and its seconds for a position.
  draw(state, line, request, settings) {
    Object.assign(this, { state, line, request, settings, ply: state.ply });
    const notes = [...line, ""].map((_, ply) => this.notes.get(key(line.slice(0, ply))));
    this.button.disabled = !line.length;
    setText(this.button, this.running ? T.stop : T.review);
    this.chart.element.hidden = !notes.some(Boolean);
    this.chart.show([{ points: notes.map((note, ply) => [ply, note?.score]).filter(([, score]) => Number.isFinite(score)), style: 0 }], { bounds: [-1, 1] });
    this.chart.mark(state.ply);
    this.try.hidden = Boolean(this.running) || !this.mistakes.length;
    this.list.replaceChildren(...notes.filter((note) => note?.move?.mark).map(({ ply, move }) => h("li", {}, button(
      [h("strong", {}, `${T.turn(ply)} ${move.move}${move.mark}`), T.better(state.sides[move.side], move.loss, move.better.join(" "), move.best_value, move.value)],
      () => this.go(ply - 1), { class: "best-line" }))));
  }

  #toggle() {
    if (this.running) return this.#stop();
    const { agent, seconds } = this.settings();
    this.notes.clear();
    this.#finish(null);
    this.#ask({ ...this.request, ply: null, agent, seconds: Math.min(MOST_SECONDS, Math.max(FEWEST_SECONDS, seconds / 4)) }, this.line)
      .catch((error) => {
        this.#end();
        setText(this.progress, error.message);
      });
  }

  #stop() {
    if (this.running && this.net.isOpen) this.net.send({ type: "stop-analysis", purpose: "annotation" });
  }

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

  #finish(end) {
    setText(this.progress, end ? (end.complete ? T.reviewedBy(end.agent) : T.reviewStopped) : "");
    this.definition.hidden = !end;
    this.accuracy.replaceChildren(...(end?.summaries ?? []).map((summary, side) =>
      h("li", {}, h("strong", {}, T.accuracyOf(end.accuracies[side])), ` ${summary}`)), ...(end ? [h("li", { class: "muted" }, end.legend)] : []));
  }

  #note(note) {
    this.notes.set(key(this.reviewed.slice(0, note.ply)), note);
    this.bar.hidden = false;
    this.bar.max = note.count;
    this.bar.value = note.ply;
    setText(this.progress, T.reviewing(note.ply, note.count));
    this.onChange();
  }
}
