// @ts-nocheck
// Small helpers for elements.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class" || name.includes("-") || element.namespaceURI === SVG || !(name in element))
      element.setAttribute(name, value === true ? "" : value);
    else element[name] = value;
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const s = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

export const button = (text, onclick, attributes = {}) => h("button", { type: "button", onclick, ...attributes }, text);
export const details = (title, ...children) => h("details", {}, h("summary", {}, title), ...children);
export const number = (attributes = {}) => h("input", { type: "number", inputMode: "decimal", step: "any", ...attributes });

let ids = 0;

// Return a paragraph with a label and a control.
export function field(label, control, attributes = {}) {
  control.id ||= `field-${++ids}`;
  return h("p", { class: "field", ...attributes }, h("label", { for: control.id }, label), control);
}

// Replace the items of a list; a link in it that has the focus keeps it.
export function replaceItems(list, items) {
  const focused = document.activeElement?.getAttribute("href");
  list.replaceChildren(...items);
  if (focused) list.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
}

// Return a box to tick with its label; `onchange` is called with whether it is ticked.
export const tick = (label, checked, onchange) =>
  h("label", { class: "check" }, h("input", { type: "checkbox", checked, onchange: (event) => onchange(event.target.checked) }), label);

// Return the attributes that call a function while an element is pointed at or has the focus, and another one after that.
export const whilePointed = (point, leave) => ({ onpointerenter: point, onfocus: point, onpointerleave: leave, onblur: leave });

// Change text only if it differs, so that screen readers are not told twice.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

let live = null;
let timer = 0;

// Say something through the live region; the same text is read again.
export function announce(text) {
  live ??= document.getElementById("live");
  if (!text) return;
  clearTimeout(timer);
  live.textContent = "";
  timer = setTimeout(() => (live.textContent = text), 60);
}

// Return a small picture of a side: its colour, with a ring for the second side.
export function swatch(side, colour) {
  return s(
    "svg",
    { class: "swatch", viewBox: "0 0 20 20", "aria-hidden": "true" },
    s("circle", { cx: 10, cy: 10, r: 8.5, fill: colour, class: "swatch-disc" }),
    side === 1 && s("circle", { cx: 10, cy: 10, r: 4.5, class: "swatch-ring" }),
  );
}

const PREFERENCES = "boardgames.preferences";

export function preferences() {
  try {
    return { coordinates: true, animation: true, ...JSON.parse(localStorage.getItem(PREFERENCES)) };
  } catch {
    return { coordinates: true, animation: true };
  }
}

export function keepPreference(name, value) {
  try {
    localStorage.setItem(PREFERENCES, JSON.stringify({ ...preferences(), [name]: value }));
  } catch {
    // it then only lasts until the page is closed
  }
}
