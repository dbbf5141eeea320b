// Small helpers for elements.

import { markClass, sideColour } from "./colours.js";

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | null | undefined | false} Child */
/** @typedef {Child | Child[]} Children */
/**
 * Attributes and properties of an element; those that begin with `on` listen to events.
 * @template {Element} E
 * @typedef {{[K in keyof HTMLElementEventMap as `on${K}`]?: (event: HTMLElementEventMap[K] & {currentTarget: E}) => void}
 *   & {[name: string]: unknown}} Attributes
 */
/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes<E>} attributes
 * @param {Children[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === "class" || name.includes("-") || element.namespaceURI === SVG || !(name in element))
      element.setAttribute(name, value === true ? "" : `${value}`);
    else Object.assign(element, { [name]: value });
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * Return an element of HTML.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes<HTMLElementTagNameMap[K]>} attributes
 * @param {Children[]} children
 */
export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/**
 * Return an element of SVG.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes<SVGElementTagNameMap[K]>} attributes
 * @param {Children[]} children
 */
export const s = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/**
 * @param {Children} text
 * @param {(event: PointerEvent & {currentTarget: HTMLButtonElement}) => void} onclick
 * @param {Attributes<HTMLButtonElement>} attributes
 */
export const button = (text, onclick, attributes = {}) => h("button", { type: "button", onclick, ...attributes }, text);

/**
 * @param {string} title
 * @param {Children[]} children
 */
export const details = (title, ...children) => h("details", {}, h("summary", {}, title), ...children);

/** @param {Attributes<HTMLInputElement>} attributes */
export const number = (attributes = {}) => h("input", { type: "number", inputMode: "decimal", step: "any", ...attributes });

let ids = 0;

/**
 * Return a paragraph with a label and a control.
 * @param {Children} label
 * @param {Control} control
 * @param {Attributes<HTMLParagraphElement>} attributes
 */
export function field(label, control, attributes = {}) {
  control.id ||= `field-${++ids}`;
  return h("p", { class: "field", ...attributes }, h("label", { for: control.id }, label), control);
}

/**
 * Replace the items of a list; a link in it that has the focus keeps it.
 * @param {Element} list
 * @param {Element[]} items
 */
export function replaceItems(list, items) {
  const focused = document.activeElement?.getAttribute("href");
  list.replaceChildren(...items);
  if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[href="${CSS.escape(focused)}"]`))?.focus();
}

/**
 * Return a checkbox with its label; `onchange` gets its new state.
 * @param {string} label
 * @param {boolean} checked
 * @param {(isTicked: boolean) => void} onchange
 */
export const tick = (label, checked, onchange) =>
  h("label", { class: "check" }, h("input", { type: "checkbox", checked, onchange: (event) => onchange(event.currentTarget.checked) }), label);

/**
 * Return attributes that call a function when an element is pointed at or focused, and another one afterwards.
 * @param {() => void} point
 * @param {() => void} leave
 */
export const whilePointed = (point, leave) => ({ onpointerenter: point, onfocus: point, onpointerleave: leave, onblur: leave });

/**
 * Change text only if it differs, so that screen readers are not told twice.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Return the part of the page with an id, which must be there.
 * @param {string} id
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no part "${id}"`);
  return element;
}

/**
 * Load a style sheet that only some pages need; the promise resolves when that has succeeded or failed.
 * @param {string} href
 */
export const loadStyles = (href) => new Promise((done) => {
  document.head.append(h("link", { rel: "stylesheet", href, onload: done, onerror: done }));
});

let timer = 0;

/**
 * Say something through the live region; the same text is read again.
 * @param {string} text
 */
export function announce(text) {
  if (!text) return;
  const live = byId("live");
  clearTimeout(timer);
  live.textContent = "";
  timer = setTimeout(() => (live.textContent = text), 60);
}

/**
 * Return a small picture of a side: its colour, with a ring for the second side.
 * @param {number} side
 * @param {readonly string[]} colours
 */
export function swatch(side, colours) {
  return s(
    "svg",
    { class: "swatch", viewBox: "0 0 20 20", "aria-hidden": "true" },
    s("circle", { cx: 10, cy: 10, r: 8.5, fill: sideColour(colours, side), class: "swatch-disc" }),
    side === 1 && s("circle", { cx: 10, cy: 10, r: 4.5, class: markClass("swatch-ring", colours, 1) }),
  );
}

const PREFERENCES = "boardgames.preferences";

/**
 * Return the preferences that this browser remembers as JSON; any but the first two may be missing.
 * @returns {{coordinates: boolean, animation: boolean} & Record<string, any>}
 */
export function preferences() {
  try {
    return { coordinates: true, animation: true, ...JSON.parse(localStorage.getItem(PREFERENCES) ?? "{}") };
  } catch {
    return { coordinates: true, animation: true };
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function keepPreference(name, value) {
  try {
    localStorage.setItem(PREFERENCES, JSON.stringify({ ...preferences(), [name]: value }));
  } catch {
    // it then only lasts until the page is closed
  }
}
