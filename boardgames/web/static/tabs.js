// Panels of which one is shown, chosen by tabs.

import { h } from "./dom.js";

let ids = 0;

export class Tabs {
  shown = 0;

  /**
   * @param {string} label
   * @param {[title: string, element: HTMLElement][]} panels
   * @param {(shown: number) => void} onChange  called with the number of the panel that is shown
   */
  constructor(label, panels, onChange) {
    this.onChange = onChange;
    this.panels = panels.map(([, element]) => element);
    this.tabs = panels.map(([title, element], i) => {
      element.id ||= `panel-${++ids}`;
      const tab = h("button", { type: "button", role: "tab", id: `${element.id}-tab`, "aria-controls": element.id, onclick: () => this.show(i), onkeydown: (event) => this.#key(event, i) }, title);
      element.setAttribute("role", "tabpanel");
      element.setAttribute("aria-labelledby", tab.id);
      return tab;
    });
    this.list = h("div", { class: "tabs", role: "tablist", "aria-label": label }, this.tabs);
    this.element = h("div", { class: "tabbed" }, this.list, this.panels);
    this.show(0);
  }

  /** @param {number} chosen */
  show(chosen) {
    this.shown = chosen;
    for (const [i, tab] of this.tabs.entries()) {
      tab.setAttribute("aria-selected", String(i === chosen));
      tab.tabIndex = i === chosen ? 0 : -1;
      this.panels[i].hidden = i !== chosen;
    }
    this.onChange(chosen);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} i
   */
  #key(event, i) {
    const count = this.tabs.length;
    /** @type {Record<string, number | undefined>} */
    const targets = { ArrowLeft: (i + count - 1) % count, ArrowRight: (i + 1) % count, Home: 0, End: count - 1 };
    const to = targets[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.show(to);
    this.tabs[to].focus();
  }
}
