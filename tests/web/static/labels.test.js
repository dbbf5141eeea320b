// Where the values of moves are written: it must be clear which arrow a value belongs to.

import assert from "node:assert/strict";
import test from "node:test";

import { placed } from "../../../boardgames/web/static/labels.js";

const label = (move, x, y) => ({ move, short: "+0.1", x, y, height: 27 });
const lead = (move, ...points) => ({ move, kind: "best", points });

test("the value of a move with an arrow stands on that arrow and has its colour", () => {
  const [found] = placed([label("a", 200, 0)], [lead("a", [0, 0], [200, 0])]);
  assert.deepEqual([found.x, found.y, found.kind], [100, 0, "best"]);
});

test("a value that would stand on the arrow of another move is left out", () => {
  const moves = placed([label("a", 200, 0), label("b", 190, 10), label("c", 200, 150)], [lead("a", [0, 0], [200, 0])]);
  assert.deepEqual(moves.map(({ move }) => move), ["a", "c"]);
});

test("where two arrows cross, a value moves along its own one", () => {
  const [a, b] = placed([label("a", 0, 0), label("b", 0, 0)], [lead("a", [0, 0], [0, 400]), lead("b", [-200, 200], [200, 200])]);
  assert.deepEqual([a.x, b.y], [0, 200]);
  assert.ok(Math.abs(a.y - 200) > 40 && Math.abs(b.x) > 50);
});

test("an outlined cell has its value in the middle", () => {
  const [found] = placed([label("a", 50, 60)], [lead("a", [50, 60])]);
  assert.deepEqual([found.x, found.y], [50, 60]);
});
