// Overlays of a game: switches, and a legend in words for what is drawn over the board.

import { h, keepPreference, preferences, s, setText } from "./dom.js";
import { reasonOf } from "./net.js";
import { T } from "./texts.js";

/** @import { Group, Overlay, OverlayEntry } from "../messages.js" */
/** @typedef {{symbol: string, name: string, colour: string, dashes: string}} Mark  a class of marks, and how it is drawn */

// Colours and dashes of the classes of marks, in order; they repeat if there are more classes.
const STYLES = [["#00704f", "14 5"], ["#8a5200", "10 4 2 4"], ["#5c5c5c", "3 5"], ["#7b1fa2", "6 4"], ["#33691e", "12 3 3 3 3 3"], ["#4e342e", "2 3"]];

// What overlays say about cells and lines: `marks` has the classes of each id, `groups` the group of each cell.
export class Marks {
  /** @type {Map<string, Mark>} */
  classes = new Map();
  /** @type {Map<string, Mark[]>} */
  marks = new Map();
  /** @type {Map<string, Group>} */
  groups = new Map();

  /** @param {Overlay[]} overlays */
  constructor(overlays = []) {
    const { classes } = this;
    for (const { symbol, name } of overlays.flatMap((one) => one.classes)) {
      const [colour, dashes] = STYLES[classes.size % STYLES.length];
      if (!classes.has(symbol)) classes.set(symbol, { symbol, name, colour, dashes });
    }
    for (const overlay of overlays) {
      for (const [id, symbol] of Object.entries(overlay.marks)) {
        const mark = classes.get(symbol);
        if (mark) this.marks.set(id, [...(this.marks.get(id) ?? []), mark]);
      }
      for (const group of overlay.groups) for (const id of group.cells) this.groups.set(id, group);
    }
  }

  /**
   * Return the class that decides how an id is drawn, with the symbols of all its classes, or null.
   * @param {string} id
   */
  of(id) {
    const found = this.marks.get(id);
    return found ? { ...found[0], symbols: found.map((one) => one.symbol).join("") } : null;
  }

  /**
   * Return what the overlays say about an id.
   * @param {string} id
   */
  names(id) {
    const group = this.groups.get(id);
    return [...(this.marks.get(id) ?? []).map((one) => one.name), ...(group ? [`${group.label} ${group.text}`] : [])];
  }
}

export class Overlays {
  /** @type {HTMLInputElement[]} */
  boxes = [];
  /** @type {string | null} */
  key = null;
  /** @type {((names: string[]) => Promise<{overlays: Overlay[]}>) | null} */
  ask = null;
  /** @type {Map<string, Overlay[]>} */
  cache = new Map();

  /** @param {{setMarks(marks: Marks): void}} board */
  constructor(board) {
    this.board = board;
    this.switches = h("fieldset", { class: "settings" });
    this.legend = h("div", { class: "legend", role: "group", "aria-label": T.legend });
    this.element = h("section", { class: "overlays", hidden: true }, this.switches, this.legend);
  }

  /**
   * Offer the overlays of a game.
   * @param {OverlayEntry[]} entries
   */
  offer(entries) {
    const chosen = preferences().overlays ?? [];
    this.boxes = entries.map(({ name }) => h("input", { type: "checkbox", value: name, checked: chosen.includes(name), onchange: () => {
      keepPreference("overlays", this.names);
      this.refresh();
    } }));
    this.switches.replaceChildren(h("legend", {}, T.overlays), ...this.boxes.map((box, i) =>
      h("label", { class: "check", title: entries[i].summary }, box, entries[i].name)));
    this.element.hidden = !entries.length;
    this.refresh();
  }

  get names() {
    return this.boxes.filter((box) => box.checked).map((box) => box.value);
  }

  /**
   * Show the overlays of a position; `ask` returns a promise of its picture with the overlays of some names.
   * @param {string} key  identifies the position
   * @param {(names: string[]) => Promise<{overlays: Overlay[]}>} ask
   */
  update(key, ask) {
    if (key === this.key) return;
    [this.key, this.ask] = [key, ask];
    this.refresh();
  }

  // Request what is not known yet, and show it.
  async refresh() {
    const { names, key } = this;
    if (!names.length || !this.ask) return this.show([]);
    const wanted = JSON.stringify([key, names]);
    try {
      const found = this.cache.get(wanted) ?? (await this.ask(names)).overlays;
      this.cache.set(wanted, found);
      if (wanted === JSON.stringify([this.key, this.names])) this.show(found);
    } catch (error) {
      if (key === this.key) setText(this.legend, reasonOf(error));
    }
  }

  /** @param {Overlay[]} overlays */
  show(overlays) {
    if (!overlays.length && !this.legend.firstChild) return;
    const marks = new Marks(overlays);
    this.board.setMarks(marks);
    this.legend.replaceChildren(...overlays.flatMap((overlay) => {
      const used = overlay.classes.filter((one) => Object.values(overlay.marks).includes(one.symbol));
      const entries = [
        ...used.map(({ symbol, name, summary }) => {
          const { colour, dashes } = marks.classes.get(symbol) ?? {};
          const sample = s("svg", { class: "sample", viewBox: "0 0 40 10", "aria-hidden": "true" },
            s("line", { x1: 1, x2: 39, y1: 5, y2: 5, stroke: colour, "stroke-width": 5, "stroke-dasharray": dashes }));
          return h("li", {}, sample, h("span", {}, h("strong", { class: "symbol" }, symbol), h("strong", {}, ` ${name}`), summary && `: ${summary}`));
        }),
        ...overlay.groups.map((group) => h("li", {}, h("strong", {}, group.label), group.text)),
      ];
      return [h("p", {}, h("strong", {}, overlay.name), `: ${overlay.summary}`), entries.length ? h("ul", {}, entries) : "",
        ...overlay.remarks.map((remark) => h("p", {}, remark))];
    }));
  }
}
