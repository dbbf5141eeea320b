// What a click means: the moves are those of small pictures, and no rules are known.

import assert from "node:assert/strict";
import test from "node:test";

import { Clicks } from "../../../boardgames/web/static/clicks.js";

const cell = (id) => ({ id, x: 0, y: 0, shape: "circle", owner: null });
const picture = (clicks, pieces = [], cells = "abcdefg") => ({
  clicks, cells: [...cells].map(cell), lines: [], pieces: pieces.map((id) => ({ cell: id, side: 0, text: "x" })),
});
// a, b and c hold marbles in a row: c may move to d, all may move along the row to d, or sideways to e,
// and their ends stand for all of them
const marbles = picture({ abcd: [["a", "b", "c", "d"]], abce: [["a", "b", "c", "e"], ["a", "c", "e"]], cd: [["c", "d"]] }, ["a", "b", "c"]);

function click(clicks, ids) {
  return ids.map((id) => clicks.click(id)).at(-1);
}

test("marbles that move together are selected in any order", () => {
  for (const order of ["abc", "acb", "bac", "bca", "cab", "cba"]) {
    assert.deepEqual(click(new Clicks(marbles), [...order, "e"]), { move: "abce", event: "moved" }, order);
  }
});

test("the ends of a row select what lies between them", () => {
  const clicks = new Clicks(marbles);
  click(clicks, ["a", "c"]);
  assert.deepEqual(clicks.selected, ["a", "c", "b"]);
  assert.deepEqual(clicks.click("e"), { move: "abce", event: "moved" });
});

test("a click that leads to no move is refused and keeps the selection", () => {
  const clicks = new Clicks(marbles);
  click(clicks, ["a", "b"]);
  assert.deepEqual(clicks.click("g"), { move: null, event: "refused" });
  assert.deepEqual(clicks.path, ["a", "b"]);
});

test("a click on a selected marble deselects that one alone", () => {
  const clicks = new Clicks(marbles);
  click(clicks, ["a", "b", "c"]);
  assert.deepEqual(clicks.click("b"), { move: null, event: "deselected" });
  assert.deepEqual(clicks.path, ["a", "c"]);
});

test("a cell that completes a move by itself needs one click", () => {
  assert.deepEqual(new Clicks(picture({ a: [["a"]], b: [["b"]] })).click("b"), { move: "b", event: "moved" });
});

test("two ways to the same cell are told apart by the order of the clicks", () => {
  // a jumps to e over b or over c; both paths end on e
  const jumps = picture({ abe: [["a", "b", "e"]], ace: [["a", "c", "e"]] }, ["a"]);
  assert.equal(click(new Clicks(jumps), ["a", "b", "e"]).move, "abe");
  assert.equal(click(new Clicks(jumps), ["a", "c", "e"]).move, "ace");
});

test("a click that may mean two moves makes neither, whatever the order of the selection", () => {
  // a and b go to c and d, or to d and e
  const sideways = picture({ left: [["a", "b", "d"], ["b", "a", "c"]], right: [["a", "b", "e"], ["b", "a", "d"]] }, ["a", "b"]);
  for (const [order, choices] of [["ab", ["left", "right"]], ["ba", ["right", "left"]]]) {
    const clicks = new Clicks(sideways);
    assert.deepEqual(click(clicks, [...order, "d"]), { move: null, event: "ambiguous", choices }, order);
    assert.deepEqual(clicks.path, [...order]);
    assert.equal(clicks.click("c").move, "left");
  }
});

test("a marble that is dragged to one of two meanings decides which is meant", () => {
  const sideways = picture({ left: [["a", "b", "d"], ["b", "a", "c"]], right: [["a", "b", "e"], ["b", "a", "d"]] }, ["a", "b"]);
  const clicks = new Clicks(sideways);
  click(clicks, ["a", "b"]);
  assert.equal(clicks.dragged("b", "d", () => null).move, "left");
  assert.equal(clicks.dragged("a", "d", () => null).move, "right");
});

test("a drag to a cell that no move reaches is refused and changes nothing", () => {
  const clicks = new Clicks(marbles);
  click(clicks, ["a"]);
  const dragged = clicks.dragged("b", "g", () => 0);
  assert.equal(dragged.isRefused, true);
  assert.equal(dragged.move, null);
  assert.deepEqual(clicks.path, ["a"]);
});

test("nothing can be selected without a picture", () => {
  const clicks = new Clicks();
  assert.deepEqual(clicks.click("a"), { move: null, event: "refused" });
});
