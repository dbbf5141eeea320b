// The numbers on the axes of charts, and the averages that are drawn.

import assert from "node:assert/strict";
import test from "node:test";

import { range, short, smooth, ticks } from "../../../boardgames/web/static/chart.js";

test("numbers beside an axis are short", () => {
  assert.deepEqual([0, 0.5, 1234, 123456, 0.000012, -3].map(short), ["0", "0.5", "1,234", "123.5K", "1.2E-5", "-3"]);
  assert.equal(short(null), "–");
});

for (const [low, high, count, expected] of [
  [0, 10, 5, [0, 2, 4, 6, 8, 10]],
  [-1, 1, 4, [-1, -0.5, 0, 0.5, 1]],
  [0.1, 0.3, 2, [0.1, 0.2, 0.3]],
  [3, 97, 4, [50]],
  [0, 1e6, 4, [0, 500000, 1000000]],
]) {
  test(`the axis from ${low} to ${high} has ticks at round numbers`, () => assert.deepEqual(ticks([low, high], count), expected));
}

test("a curve of equal values has room above and below", () => {
  assert.deepEqual(range([5, 5]), [4.5, 5.5]);
  assert.deepEqual(range([0]), [-0.5, 0.5]);
  assert.deepEqual(range([2, 8, 4]), [2, 8]);
});

test("a moving average keeps a line straight and evens out jumps", () => {
  const rising = Array.from({ length: 40 }, (_, i) => i);
  assert.deepEqual(smooth(rising), rising);
  const jumping = smooth(Array.from({ length: 40 }, (_, i) => (i % 2 ? 1 : -1)));
  assert.ok(jumping.slice(2, -2).every((value) => Math.abs(value) < 0.5));
});
