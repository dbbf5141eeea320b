// Arrows, and what is marked with the right button.

import assert from "node:assert/strict";
import test from "node:test";

import { colourOf, leadOf, toggled } from "../../../boardgames/web/static/shapes.js";

const items = (...places) => places.map(([x, y], i) => ({ kind: "cell", id: `c${i}`, x, y }));
const green = { from: "a", to: null, colour: "green" };

test("a shape that is drawn again is removed", () => {
  assert.deepEqual(toggled([green], green), []);
});

test("another colour replaces a shape", () => {
  assert.deepEqual(toggled([green], { ...green, colour: "red" }), [{ ...green, colour: "red" }]);
});

test("a circle and arrows in both directions are different shapes", () => {
  const arrows = [{ ...green, to: "b" }, { ...green, from: "b", to: "a" }];
  assert.equal([green, ...arrows].reduce(toggled, []).length, 3);
});

test("keys choose the colour", () => {
  const held = (...keys) => colourOf({ shiftKey: keys.includes("shift"), ctrlKey: keys.includes("ctrl"), altKey: keys.includes("alt") });
  assert.deepEqual([held(), held("shift"), held("ctrl"), held("alt"), held("alt", "shift")], ["green", "red", "red", "blue", "yellow"]);
});

test("the arrow of a group that moves in line leads from its first piece", () => {
  assert.deepEqual(leadOf(items([0, 0], [1, 0], [2, 0]), 2), [[0, 0], [200, 0]]);
});

test("the arrow of a group that moves sideways leads from its middle", () => {
  assert.deepEqual(leadOf(items([0, 0], [2, 0], [2, 1]), 2), [[100, 0], [100, 100]]);
});

test("the arrow of a piece that jumps leads through every place", () => {
  assert.deepEqual(leadOf(items([0, 0], [2, 2], [4, 0]), 1), [[0, 0], [200, 200], [400, 0]]);
});
