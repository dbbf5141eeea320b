// Themes: how all boards look. A theme sets CSS variables of the page. Drawings take their colours from these, or else from
// the game and the first theme, so that they need not be drawn again for another theme.

import { field, h, keepPreference, preferences } from "./dom.js";
import STYLES from "./styles.json" with { type: "json" };
import { T } from "./texts.js";

/** @import { Picture } from "../messages.js" */
/** @typedef {string | string[]} Colour  for all pages, or for light and for dark ones */
/** @typedef {Record<string, Colour>} Colours */
/** @typedef {{palettes: Record<string, Colours>, sides?: Record<string, string>, colours: Colours}} Theme */
/** @typedef {keyof typeof T.themes} ThemeName */

const THEMES = /** @type {Record<ThemeName, Theme>} */ (STYLES.themes);
const NAMES = /** @type {ThemeName[]} */ (Object.keys(THEMES));
const [STANDARD] = NAMES;
const PREFIX = "--theme-";

/** @param {Colour} colour */
const css = (colour) => (Array.isArray(colour) ? `light-dark(${colour.join(", ")})` : colour);

/**
 * Return the CSS variables of the board of a picture: the colours of the theme, or else those of its palette.
 * @param {Picture} picture
 * @returns {[name: string, value: string][]}
 */
export function materialOf({ palette, frame }) {
  const { palettes, colours } = THEMES[STANDARD];
  const own = Object.entries(palette).filter(([, colour]) => colour);
  const material = Object.entries({ ...palettes[frame], ...Object.fromEntries(own) });
  return [
    ...material.map(([name, colour]) => /** @type {[string, string]} */ ([`--${name}`, `var(${PREFIX}${frame}-${name}, ${css(colour)})`])),
    ...Object.entries(colours).map(([name, colour]) => /** @type {[string, string]} */ ([`--${name}`, `var(${PREFIX}${name}, ${css(colour)})`])),
  ];
}

/**
 * Apply the theme that this browser remembers, or the first one, to the whole page.
 */
export function applyTheme() {
  const kept = preferences().theme;
  const name = NAMES.find((one) => one === kept) ?? STANDARD;
  const { dataset, style } = document.documentElement;
  for (const property of [...style]) if (property.startsWith(PREFIX)) style.removeProperty(property);
  for (const select of document.querySelectorAll("select.theme")) Object.assign(select, { value: name });
  if (name === STANDARD) {
    delete dataset.theme;
    return;
  }
  dataset.theme = name;
  const { palettes, sides, colours } = THEMES[name];
  const groups = Object.entries({ ...palettes, "": { ...colours, ...sides } });
  for (const [frame, group] of groups) {
    for (const [property, colour] of Object.entries(group)) style.setProperty(PREFIX + (frame && `${frame}-`) + property, css(colour));
  }
}

/**
 * Return a control that chooses the theme, which is remembered.
 */
export function themeField() {
  const kept = document.documentElement.dataset.theme ?? STANDARD;
  const select = h("select", { class: "theme", onchange: () => {
    keepPreference("theme", select.value);
    applyTheme();
  } }, NAMES.map((name) => h("option", { value: name, selected: name === kept }, T.themes[name])));
  return field(T.theme, select, { class: "field inline" });
}
