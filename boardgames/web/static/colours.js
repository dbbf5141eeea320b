// The colours of the two sides, which some themes make lighter and darker.

/** @type {Map<string, number>} */
const luminances = new Map();

/**
 * Return red, green and blue of a CSS colour, from 0 to 1.
 * @param {string} colour
 */
function channels(colour) {
  const digits = /^#(?:[\da-f]{3}|[\da-f]{6})$/i.test(colour) ? colour.slice(1) : null;
  if (digits?.length === 3) return [...digits].map((digit) => parseInt(digit, 16) / 15);
  if (digits) return [0, 2, 4].map((i) => parseInt(digits.slice(i, i + 2), 16) / 255);
  // the browser knows the names and functions of CSS
  const context = document.createElement("canvas").getContext("2d");
  if (!context) throw new Error("this browser cannot draw on a canvas");
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)].map((value) => value / 255);
}

/**
 * Return the relative luminance of a CSS colour, from 0 to 1, as WCAG 2.2 defines it.
 * @param {string} colour
 */
export function luminance(colour) {
  const known = luminances.get(colour);
  if (known !== undefined) return known;
  const [red, green, blue] = channels(colour).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  const value = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  luminances.set(colour, value);
  return value;
}

/**
 * Return whether a side has the darker colour of the two.
 * @param {readonly string[]} colours
 * @param {number} side
 */
export function isDarker(colours, side) {
  return side === (luminance(colours[0]) > luminance(colours[1]) ? 1 : 0);
}

/**
 * Return the CSS colour of a side; it changes with the theme.
 * @param {readonly string[]} colours
 * @param {number} side
 */
export function sideColour(colours, side) {
  return `color-mix(in srgb, ${colours[side]}, var(--theme-${isDarker(colours, side) ? "darker" : "lighter"}, #fff 0%))`;
}

/**
 * Return the classes of a mark on the colour of a side: `name`, and `on-dark` if it is the darker colour.
 * @param {string} name
 * @param {readonly string[]} colours
 * @param {number} side
 */
export const markClass = (name, colours, side) => (isDarker(colours, side) ? `${name} on-dark` : name);
