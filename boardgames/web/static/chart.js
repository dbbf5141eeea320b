// Line charts as SVG. Values are read with the pointer, the keyboard or a screen reader.

import { h, loadStyles, s, setText } from "./dom.js";
import { T } from "./texts.js";

/** @typedef {[number, number]} Point  a step and a value, or a place in the drawing */
/** @typedef {{name?: string, points: Point[], style: number}} Series  a curve; `style` numbers colours, dashes and markers */

const LEFT = 48;
const RIGHT = 14;
const TOP = 10;
const BOTTOM = 24;
const COLOURS = 6;
const MARKERS = 9;
const DASHES = ["", "8 4", "2 4", "10 3 2 3"];
const SHAPES = ["M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-3.5-3.5h7v7h-7z", "M0-4.5l4.5 8h-9z"];
/** @type {Promise<unknown> | undefined} */
let styles;

/** Load the styles of charts once, and return a promise that resolves when that is done. */
export const loadChartStyles = () => (styles ??= loadStyles("chart.css"));

/** @type {Record<string, number>} */
const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -1e9, End: 1e9, Escape: 1e9 };

/**
 * Return a number with at most four digits, short enough for an axis.
 * @param {number | null} value
 */
export function short(value) {
  if (value === null) return T.noValue;
  const size = Math.abs(value);
  const notation = size >= 1e15 || (size > 0 && size < 1e-3) ? "scientific" : size >= 1e4 ? "compact" : "standard";
  return new Intl.NumberFormat(T.lang, { maximumSignificantDigits: 4, notation }).format(value);
}

/**
 * Return the centred moving average over a tenth of a curve, narrower at its ends.
 * @param {number[]} values
 */
export const smooth = (values) => values.map((_, i) => {
  const reach = Math.min(Math.floor(values.length / 20), i, values.length - 1 - i);
  return values.slice(i - reach, i + reach + 1).reduce((sum, value) => sum + value) / (2 * reach + 1);
});

/**
 * Return about `count` round numbers, evenly spaced between two.
 * @param {Point} range
 * @param {number} count
 */
export function ticks([low, high], count) {
  const raw = (high - low) / Math.max(1, count);
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * ([1, 2, 5].find((factor) => factor * unit >= raw * 0.999) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/**
 * Return the range of values, widened if all are equal.
 * @param {number[]} values
 * @returns {Point}
 */
export function range(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = low === high ? Math.abs(low) / 10 || 0.5 : 0;
  return [low - room, high + room];
}

/** @param {Point[]} places */
const path = (places) => `M${places.join("L")}`;
/** @type {(style: number, d: string) => SVGElement} */
const line = (style, d) => s("path", { class: `series c${style % COLOURS}`, d, "stroke-dasharray": DASHES[style % DASHES.length] || null });
/** @type {(style: number, at: Point) => SVGElement} */
const marker = (style, at) => s("path", { class: `marker c${style % COLOURS}`, d: SHAPES[style % SHAPES.length], transform: `translate(${at})` });

/**
 * Return a short piece of a line with its marker, for a legend.
 * @param {number} style
 */
export const legend = (style) =>
  s("svg", { class: "legend-line", viewBox: "0 0 44 14", "aria-hidden": "true" }, line(style, "M1 7H43"), marker(style, [22, 7]));

export class Chart {
  /** @type {number | null} */
  step = null;
  /** @type {Series[]} */
  series = [];
  /** @type {number[]} */
  steps = [];
  /** @type {Point | null} */
  best = null;
  /** @type {Point | null} */
  bounds = null;
  /** @type {SVGGElement | null} */
  cursor = null;
  index = 0;
  /** @type {(step: number) => number} */
  x = () => 0;
  /** @type {(point: Point) => Point} */
  place = (point) => point;

  /**
   * @param {string} title
   * @param {(step: number | null, isChosen: boolean) => void} moved  called with a step that is pointed at; null is the last
   * @param {{nameOf?: (step: number) => string, group?: number}} options  `nameOf` returns what a step is called; the axis
   *   counts groups of so many steps
   */
  constructor(title, moved, { nameOf = T.stepName, group = 1 } = {}) {
    this.title = title;
    this.moved = moved;
    this.nameOf = nameOf;
    this.group = group;
    this.svg = s("svg", { "aria-hidden": "true" });
    this.readout = h("span", { class: "readout" });
    /** @param {PointerEvent} event */
    const point = (event) => this.#point(event);
    this.plot = h("div", { class: "plot", role: "slider", tabIndex: 0, "aria-label": title, onkeydown: (event) => this.#key(event),
      onpointermove: point, onpointerdown: point, onpointerleave: () => moved(null, false) }, this.svg);
    this.element = h("figure", { class: "chart" }, h("figcaption", {}, h("strong", {}, title), this.readout), this.plot);
    new ResizeObserver(() => this.#draw()).observe(this.plot);
  }

  /**
   * Draw curves. A long single curve gets a moving average unless the values have `bounds`.
   * @param {Series[]} series
   * @param {{best?: Point | null, bounds?: Point | null}} marks
   */
  show(series, { best = null, bounds = null } = {}) {
    this.series = series.filter(({ points }) => points.length);
    this.best = best;
    this.bounds = bounds;
    this.steps = this.series[0]?.points.map(([step]) => step) ?? [];
    this.#draw();
  }

  /**
   * Mark `step` or the last step before it, by default the last of all.
   * @param {number | null} step
   */
  mark(step) {
    const { steps, series, plot, cursor } = this;
    this.step = step;
    if (!steps.length) return;
    this.index = step === null ? steps.length - 1 : Math.max(0, steps.findLastIndex((one) => one <= step));
    const now = steps[this.index];
    const points = series.map((one) => one.points.findLast(([at]) => at <= now) ?? one.points[0]);
    const text = T.atStep(this.nameOf(now), series.length === 1 ? short(this.bounds ? Math.round(points[0][1]) : points[0][1]) : "");
    setText(this.readout, text);
    const values = series.length === 1 ? [] : series.map(({ name }, i) => `${name} ${short(points[i][1])}`);
    const state = { min: steps[0], max: steps.at(-1), now, text: [text, ...values].join(T.separator) };
    for (const [name, value] of Object.entries(state)) plot.setAttribute(`aria-value${name}`, `${value}`);
    if (!cursor) return;
    cursor.replaceChildren(s("path", { class: "cursor", d: `M${this.x(now)} ${TOP}V${plot.clientHeight - BOTTOM}` }),
      ...series.map(({ style }, i) => marker(style, this.place(points[i]))));
    cursor.classList.toggle("pointed", step !== null);
  }

  #draw() {
    const { steps, series, best, bounds, group, svg, plot: { clientWidth: width, clientHeight: height } } = this;
    svg.replaceChildren();
    if (!width || !steps.length) return;
    const right = width - RIGHT;
    const shown = [...series.flatMap(({ points }) => points), ...(best ? [best] : [])];
    const across = range(shown.map(([step]) => step));
    const up = bounds ?? range(shown.map(([, value]) => value));
    /** @type {(range: Point, from: number, to: number) => (value: number) => number} */
    const scale = ([low, high], from, to) => (value) => Number((from + ((value - low) / (high - low)) * (to - from)).toFixed(1));
    const [x, y] = [scale(across, LEFT, right), scale(up, height - BOTTOM, TOP)];
    /** @type {(point: Point) => Point} */
    const place = ([step, value]) => [x(step), y(value)];
    this.x = x;
    this.place = place;
    this.cursor = s("g");
    const drawn = series.flatMap(({ points, style }) => {
      const places = points.map(place);
      if (series.length === 1 && !bounds && points.length >= 20) {
        const mean = smooth(points.map(([, value]) => value)).map((value, i) => /** @type {Point} */ ([places[i][0], y(value)]));
        return [s("path", { class: `raw c${style % COLOURS}`, d: path(places) }), line(style, path(mean))];
      }
      const gap = Math.ceil(points.length / MARKERS);
      return [line(style, path(places)), ...places.filter((_, i) => (points.length - 1 - i) % gap === 0).map((at) => marker(style, at))];
    });
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.append(
      ...ticks(up, 4).map((tick) => s("g", { class: "tick" }, s("path", { d: `M${LEFT} ${y(tick)}H${right}` }),
        s("text", { x: LEFT - 7, y: y(tick) + 4, "text-anchor": "end" }, short(tick)))),
      ...ticks([across[0] / group, across[1] / group], width / 60).filter(Number.isInteger).map((tick) =>
        s("text", { x: x(group * tick), y: height - 6, "text-anchor": "middle" }, short(tick))),
      ...drawn, best ? s("circle", { class: "best", cx: x(best[0]), cy: y(best[1]), r: 7 }) : "", this.cursor);
    this.mark(this.step);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const end = this.steps.length - 1;
    if (!(event.key in KEYS) || end < 0) return;
    event.preventDefault();
    const place = Math.max(0, Math.min(end, this.index + KEYS[event.key]));
    this.moved(place === end ? null : this.steps[place], true);
  }

  /** @param {PointerEvent} event */
  #point(event) {
    if (!this.cursor) return;
    const at = event.clientX - this.plot.getBoundingClientRect().left;
    const distances = this.steps.map((step) => Math.abs(this.x(step) - at));
    this.moved(this.steps[distances.indexOf(Math.min(...distances))], event.type === "pointerdown");
  }
}
