// Training runs: their list, and the page of one with curves, standings and weights, updated while it trains.

import { Chart, legend, loadChartStyles, short } from "./chart.js";
import { announce, h, loadStyles, preferences, replaceItems, setText } from "./dom.js";
import { reasonOf } from "./net.js";
import { T } from "./texts.js";

/** @import { RunFacts, RunGone, RunReply, RunsReply } from "../messages.js" */
/** @import { Children } from "./dom.js" */
/** @typedef {import("../messages.js").ListRuns | import("../messages.js").WatchRun} RequestOfPage */
/** @import { Net } from "./net.js" */
/** @import { Point } from "./chart.js" */

await Promise.all([loadStyles("training.css"), loadChartStyles()]);

const ROWS = 20;
const DRAWN_WEIGHTS = 6;

/** @param {number} seconds */
const when = (seconds) => T.changed(new Intl.DateTimeFormat(T.lang, { dateStyle: "medium", timeStyle: "short" }).format(1000 * seconds));
/** @param {RunFacts} run */
const about = (run) => [run.game && run.learner && T.learnerOn(run.learner, run.game), run.best !== null && T.best(short(run.best), run.best_step)];
/** @type {(steps: number[], values: (number | null)[]) => Point[]} */
const points = (steps, values) => steps.flatMap((step, i) => {
  const value = values[i];
  return value === null ? [] : [/** @type {Point} */ ([step, value])];
});
/** @param {(string | null | false)[]} texts */
const joined = (texts) => texts.filter(Boolean).join(" · ");

/**
 * Return a table that scrolls; the first cell of a row is its heading.
 * @param {string} label
 * @param {Children[]} head
 * @param {Children[][]} rows
 */
function table(label, head, rows) {
  /** @param {Children[]} row */
  const cells = (row) => row.map((cell, i) => h(i ? "td" : "th", i ? {} : { scope: "row" }, cell));
  return h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": label }, h("table", {},
    h("thead", {}, h("tr", {}, head.map((cell) => h("th", { scope: "col" }, cell)))), h("tbody", {}, rows.map((row) => h("tr", {}, cells(row))))));
}

/** @param {RunFacts} run */
const stateText = (run) => T.runStates[run.state];

/** @param {RunFacts} run */
const progress = (run) => [h("span", { class: "state" }, stateText(run)),
  run.length !== null && run.length > 0 && h("progress", { max: run.length, value: run.step, "aria-label": T.progress }), !run.error && h("span", { class: "muted" }, T.steps(run.step, run.length))];

class Page {
  /**
   * @param {Net} net
   * @param {string} title
   * @param {RequestOfPage} request  what to ask for, at first and after a lost connection
   */
  constructor(net, title, request) {
    this.net = net;
    this.problem = h("p", { class: "problem", role: "alert" });
    this.abort = new AbortController();
    const { signal } = this.abort;
    const ask = () => net.request(request).catch((error) => this.refused(reasonOf(error)));
    document.title = T.pageTitle(title);
    net.on("status", ({ detail }) => detail.open && ask(), { signal });
    if (net.isOpen) ask();
  }

  close() {
    this.abort.abort();
    if (this.net.isOpen) this.net.send({ type: "unwatch" });
  }

  /** @param {string} reason */
  refused(reason) {
    setText(this.problem, reason);
  }
}

export class Runs extends Page {
  /** @param {Net} net */
  constructor(net) {
    super(net, T.training, { type: "runs" });
    this.list = h("ul", { class: "matches runs" }, h("li", { class: "none" }, T.loading));
    this.empty = h("div", { class: "none-yet", hidden: true }, h("p", {}, T.noRuns), h("pre", { tabIndex: 0 }, T.trainCommand));
    this.element = h("section", { class: "training" }, h("h1", {}, T.training), this.list, this.empty, this.problem);
    net.on("runs", ({ detail }) => this.show(detail), { signal: this.abort.signal });
  }

  /** @param {RunsReply} message */
  show({ runs }) {
    setText(this.problem, "");
    this.list.hidden = !runs.length;
    this.empty.hidden = runs.length > 0;
    replaceItems(this.list, runs.map(({ name, facts, changed }) => h("li", {},
      h("a", { class: "match-text run-link", href: `#/training/${encodeURIComponent(name)}` }, h("strong", {}, name),
        h("span", {}, facts.error ?? joined(about(facts))), h("span", { class: "muted" }, when(changed))),
      h("span", { class: "progress" }, progress(facts)))));
  }
}

export class Run extends Page {
  metricTable = h("div");
  standings = h("div");
  weightTable = h("div");
  settings = h("div");
  /** @type {Map<string, Chart>} */
  charts = new Map();
  /** @type {number | null} */
  step = null;
  /** @type {RunReply | null} */
  data = null;
  /** @type {string | null} */
  error = null;
  /** @type {number | undefined} */
  ranked;
  /** @type {string | null} */
  weightNames = null;
  /** @type {HTMLElement[]} */
  weightValues = [];
  /** @type {number[]} */
  order = [];
  /** @type {Set<string> | null} */
  chosen = null;

  /**
   * @param {Net} net
   * @param {string} name
   */
  constructor(net, name) {
    super(net, name, { type: "run", name });
    this.name = name;
    this.facts = h("p", { class: "muted" });
    this.state = h("p", { class: "progress wide" });
    this.play = h("button", { class: "primary", disabled: true, onclick: () => this.#play() }, T.playBest);
    this.note = h("p", { class: "muted" }, T.loading);
    this.strength = h("p", { class: "muted" });
    this.curves = h("div", { class: "charts" });
    this.weightNote = h("p", { class: "muted" });
    this.weightChart = this.#chart("", T.weights);
    this.weightStep = h("span");
    /** @type {(title: string, ...children: Children[]) => HTMLElement} */
    const part = (title, ...children) => h("section", { hidden: true }, h("h2", {}, title), ...children);
    this.parts = [
      part(T.curves, h("p", { class: "muted" }, T.chartHelp, h("span", { class: "with-keys" }, T.chartKeys)), this.curves, h("details", { ontoggle: () => this.#showTable() }, h("summary", {}, T.asTable), this.metricTable)),
      part(T.standings, this.standings),
      part(T.weights, this.weightNote, h("div", { class: "weights" }, this.weightChart.element, this.weightTable)),
      part(T.settings, this.settings)];
    this.element = h("section", { class: "training" }, h("p", {}, h("a", { href: "#/training" }, T.allRuns)),
      h("h1", {}, name), this.facts, this.state, h("div", { class: "play-best" }, this.play, this.note), this.strength, this.problem, this.parts);
    const { signal } = this.abort;
    net.on("run", ({ detail }) => detail.run.name === name && this.show(detail), { signal });
    net.on("run-gone", ({ detail }) => detail.name === name && this.refused(T.runGone), { signal });
  }

  /**
   * @override
   * @param {string} reason
   */
  refused(reason) {
    this.error = reason;
    this.play.hidden = !this.data;
    super.refused(reason);
    setText(this.note, "");
    this.play.disabled = true;
  }

  /** @param {RunReply} data */
  show(data) {
    const { agent, run: { facts: run, changed } } = data;
    if (this.data && this.data.run.facts.state !== run.state) announce(T.nowState(stateText(run)));
    this.data = data;
    if (run.error !== this.error) setText(this.problem, (this.error = run.error) ?? "");
    this.play.disabled = !agent;
    setText(this.note, agent ? T.playNote(agent, run.best_step) : run.error ? "" : T.cannotPlay(data.obstacle));
    setText(this.strength, joined([...data.strength, data.measuring && T.measuring(...data.measuring)]));
    setText(this.facts, joined([...about(run), data.layout, run.seed !== null && T.seed(run.seed)]));
    this.state.replaceChildren(...progress(run).filter((part) => part !== false), h("span", { class: "muted" }, when(changed)));
    [data.steps, data.standings, data.weights?.names, data.settings].forEach((content, i) => (this.parts[i].hidden = !content?.length));
    this.#showCurves(data);
    this.#showWeights();
    const settings = [...Object.entries(data.options).map(([name, value]) => ({ name, value, summary: T.gameOption })), ...data.settings];
    if (!this.settings.childElementCount && settings.length) this.settings.append(table(T.settings, [T.setting, T.value, T.meaning],
      settings.map(({ name, value, summary }) => [name, value === null ? T.notSet : `${value}`, summary])));
    this.#mark(this.step);
  }

  /**
   * Return the chart of this key, and make it if there is none.
   * @param {string} key
   * @param {string} title
   */
  #chart(key, title) {
    const chart = this.charts.get(key) ?? new Chart(title, (step) => this.#mark(step));
    this.charts.set(key, chart);
    return chart;
  }

  /**
   * Mark a step in all charts, and show standings and weights after it.
   * @param {number | null} step
   */
  #mark(step) {
    this.step = step;
    for (const chart of this.charts.values()) chart.mark(step);
    if (!this.data) return;
    const { standings, weights } = this.data;
    const ranked = (step !== null && standings.findLast((one) => one.step <= step)) || standings.at(-1);
    if (ranked && ranked.step !== this.ranked) this.standings.replaceChildren(table(T.standings, [T.afterStep(ranked.step), T.competitor, T.points],
      ranked.rows.map(([name, total], i) => [T.rank(i + 1), name, short(total)])));
    this.ranked = ranked?.step;
    if (!weights) return;
    const index = step === null ? weights.steps.length - 1 : Math.max(0, weights.steps.findLastIndex((one) => one <= step));
    setText(this.weightStep, T.afterStep(weights.steps[index]));
    this.weightValues.forEach((cell, i) => setText(cell, short(weights.values[i][index])));
  }

  /** @param {RunReply} data */
  #showCurves({ steps, metrics, curve, run: { facts: { best, best_step } }, follows_curve }) {
    const names = Object.keys(metrics).sort((a, b) => Number(b === curve) - Number(a === curve));
    for (const name of names) {
      const chart = this.#chart(`metric ${name}`, name);
      if (!chart.element.parentNode) this.curves.append(chart.element);
      chart.show([{ points: points(steps, metrics[name]), style: 0 }], { best: name === curve && follows_curve && best !== null ? [best_step, best] : null });
    }
  }

  // Fill the table; it does not change while it is open.
  #showTable() {
    if (!this.data) return;
    const { steps, metrics, seconds } = this.data;
    const names = Object.keys(metrics);
    const gap = Math.ceil(steps.length / ROWS);
    this.metricTable.replaceChildren(table(T.curves, [T.stepHead, ...names, T.secondsOf],
      steps.map((step, i) => [`${step}`, ...names.map((name) => short(metrics[name][i])), short(seconds[i])]).filter((_, i) => (steps.length - 1 - i) % gap === 0)));
  }

  // Order the weights by size at first; later they keep their places.
  #showWeights() {
    if (!this.data?.weights) return;
    const { names, values, total, steps } = this.data.weights;
    if (`${names}` !== this.weightNames) {
      this.weightNames = `${names}`;
      /** @param {number} i */
      const size = (i) => Math.abs(values[i].at(-1) ?? 0);
      this.order = names.map((_, i) => i).sort((a, b) => size(b) - size(a));
      const chosen = (this.chosen ??= new Set(this.order.slice(0, DRAWN_WEIGHTS).map((i) => names[i])));
      this.weightValues = names.map(() => h("span"));
      this.weightTable.replaceChildren(table(T.weights, [T.weight, this.weightStep], this.order.map((i, style) => [
        h("label", { class: "pick" }, h("input", { type: "checkbox", checked: chosen.has(names[i]), onchange: ({ currentTarget }) => {
          chosen[currentTarget.checked ? "add" : "delete"](names[i]);
          this.#showWeights();
        } }), legend(style), h("span", {}, names[i])), this.weightValues[i]])));
    }
    setText(this.weightNote, total ? T.weightsHelp(names.length, total) : T.tableHelp);
    this.weightChart.show(this.order.map((i, style) => ({ name: names[i], points: points(steps, values[i]), style })).filter(({ name }) => this.chosen?.has(name)));
  }

  async #play() {
    if (!this.data?.agent || !this.data.run.facts.game) return;
    const { run: { facts: { game } }, layout, options, agent } = this.data;
    this.play.disabled = true;
    try {
      await this.net.create({ game, layout, options, seats: [{ kind: "here", name: preferences().name ?? "" }, { kind: "agent", agent }] });
    } catch (error) {
      setText(this.problem, reasonOf(error));
      this.play.disabled = false;
    }
  }
}
