// Places and shapes on a board.

import assert from "node:assert/strict";
import test from "node:test";

import { angle, around, arrow, directions, fall, flipped, hull, itemsOf, n, nearest } from "../../../boardgames/web/static/geometry.js";

const cell = (id, x, y) => ({ id, x, y, shape: "square", owner: null });
const board = (more) => ({ bounds: [-0.5, -0.5, 2.5, 1.5], cells: [cell("a", 0, 0), cell("b", 2, 1)], labels: [], lines: [], grid: [],
  flip: "turn", gravity: null, ...more });

test("a board that is turned has its cells at the opposite ends", () => {
  assert.deepEqual(flipped(board()).cells.map(({ x, y }) => [x, y]), [[2, 1], [0, 0]]);
});

test("a board that is mirrored keeps its rows", () => {
  assert.deepEqual(flipped(board({ flip: "mirror" })).cells.map(({ x, y }) => [x, y]), [[2, 0], [0, 1]]);
});

test("flipping twice gives the same picture", () => {
  for (const flip of ["turn", "mirror"]) {
    const picture = board({ flip, gravity: "left", grid: [{ x1: 0, y1: 0, x2: 2, y2: 1 }] });
    assert.deepEqual(flipped(flipped(picture)), picture);
  }
});

test("pieces fall towards the same cells on a flipped board", () => {
  assert.equal(flipped(board({ gravity: "down" })).gravity, "up");
  assert.equal(flipped(board({ flip: "mirror", gravity: "down" })).gravity, "down");
  assert.equal(flipped(board({ flip: "mirror", gravity: "left" })).gravity, "right");
});

test("a piece falls from the edge at which it enters", () => {
  const box = [-50, -50, 300, 200];
  assert.deepEqual(["down", "up", "right", "left"].map((gravity) => fall(gravity, { x: 2, y: 1 }, box)),
    [[0, 150], [0, -50], [250, 0], [-50, 0]]);
});

test("angles increase clockwise and begin on the right", () => {
  const middle = { x: 1, y: 1 };
  assert.deepEqual([[2, 1], [1, 2], [0, 1], [1, 0]].map(([x, y]) => angle(middle, { x, y })), [0, 90, 180, 270]);
});

test("directions are those of neighbours only", () => {
  assert.deepEqual(directions([cell("a", 0, 0), cell("b", 1, 0), cell("c", 3, 0)]), [0, 180]);
});

test("an arrow key goes to what lies straight ahead", () => {
  const items = itemsOf(board({ cells: [cell("a", 0, 0), cell("b", 1, 1), cell("c", 2, 0)] }));
  assert.equal(nearest(items, "a", [1, 0], items.keys()), "c");
  assert.equal(nearest(items, "a", [0, 1], items.keys()), "b");
  assert.equal(nearest(items, "a", [-1, 0], items.keys()), null);
});

test("arrow keys go to a place between others", () => {
  // what is open around two cells of Hexifence, and the edge between them
  const places = [["above", 1, 0], ["between", 2, 2], ["left", 1, 4], ["right", 3, 4], ["beyond", 3, 0]];
  const items = itemsOf(board({ cells: places.map(([id, x, y]) => cell(id, x, 0.866 * y)) }));
  assert.equal(nearest(items, "left", [0, -1], items.keys()), "between");
  assert.equal(nearest(items, "above", [0, 1], items.keys()), "between");
});

test("the hull has the outer points only, clockwise", () => {
  assert.deepEqual(hull([[0, 0], [1, 1], [2, 0], [2, 2], [0, 2]]), [[0, 0], [2, 0], [2, 2], [0, 2]]);
});

test("a path surrounds points, even a single one or two", () => {
  for (const points of [[[0, 0]], [[0, 0], [100, 0]], [[0, 0], [100, 0], [0, 100]]]) {
    assert.doesNotMatch(around(hull(points), 20), /NaN|undefined/);
  }
});

test("an arrow ends before its target and begins at its start", () => {
  const { shaft, head } = arrow([[0, 0], [n(3), 0]], 20, 18);
  assert.match(shaft, /^0,0 /);
  assert.equal(head.split(" ")[1], "282,0");
});
