// States of a match from what has changed in them.

import assert from "node:assert/strict";
import test from "node:test";

import { StateReader } from "../../../boardgames/web/static/deltas.js";

const clicksOf = (...moves) => Object.fromEntries(moves.map((move) => [move, [[`${move}1`, `${move}2`]]]));
const whole = (members = {}) => ({ type: "match", id: "x", ply: 0, picture: { clicks: clicksOf("a", "b"), pieces: [] }, ...members });
const changed = (members) => ({ type: "match-change", id: "x", change: { members } });
const newClicks = (legal, added = {}) => changed({ picture: { members: { clicks: { clicks: { legal, added } } } } });

function reader(members) {
  const one = new StateReader();
  one.read(whole(members));
  return one;
}

test("a change without an earlier state is not read", () => {
  assert.equal(new StateReader().read(changed({ ply: { value: 1 } })), null);
});

test("a value is replaced, added or taken away, and null is a value too", () => {
  const one = reader({ outcome: { text: "a" }, next: "y" });
  const state = one.read(changed({ ply: { value: 1 }, outcome: { value: null }, next: null, fault: { value: "new" } }));
  assert.deepEqual(state, { ...whole({ ply: 1, outcome: null }), fault: "new" });
});

test("a change deep inside leaves the rest as it was, and shares it", () => {
  const one = reader({ score: { black: 1, white: 2 } });
  const before = one.read(changed({}));
  const after = one.read(changed({ score: { members: { white: { value: 3 } } } }));
  assert.deepEqual(after.score, { black: 1, white: 3 });
  assert.deepEqual(before.score, { black: 1, white: 2 });
  assert.equal(after.picture, before.picture);
});

test("the places of splices are those in the old list", () => {
  const one = reader({ moves: ["a", "b", "c", "d"] });
  const before = one.read(changed({}));
  const { moves } = one.read(changed({ moves: { splices: [[0, 1, ["x", "y"]], [2, 1, []], [4, 0, ["e"]]] } }));
  assert.deepEqual(moves, ["x", "y", "b", "d", "e"]);
  assert.deepEqual(before.moves, ["a", "b", "c", "d"]);
});

test("clicks that were legal before are not sent again", () => {
  const one = reader();
  assert.deepEqual(one.read(newClicks(["c"], clicksOf("c"))).picture.clicks, clicksOf("c"));
  assert.deepEqual(Object.keys(one.read(newClicks(["b", "c", "a"])).picture.clicks), ["b", "c", "a"]);
  assert.deepEqual(one.read(newClicks(["a"])).picture.clicks, clicksOf("a"));
});

test("the latest clicks of a move are used, and those of the message before all others", () => {
  const one = reader();
  one.read(newClicks(["a"], { a: [["later"]] }));
  assert.deepEqual(one.read(newClicks(["a", "b"])).picture.clicks, { ...clicksOf("b"), a: [["later"]] });
  assert.deepEqual(one.read(newClicks(["a"], { a: [["latest"]] })).picture.clicks, { a: [["latest"]] });
});

test("the clicks of eight pictures are remembered; states with the same clicks do not count", () => {
  const one = reader();
  for (let i = 1; i < 8; i++) {
    one.read(newClicks([`m${i}`], clicksOf(`m${i}`)));
    one.read(changed({ ply: { value: i } }));
  }
  assert.deepEqual(one.read(newClicks(["a"])).picture.clicks, clicksOf("a"));
  assert.deepEqual(one.read(newClicks(["b"])).picture.clicks, { b: undefined });
});

test("a whole state makes the reader forget the clicks before it", () => {
  const one = reader();
  one.read(whole({ picture: { clicks: {}, pieces: [] } }));
  assert.deepEqual(one.read(newClicks(["a"])).picture.clicks, { a: undefined });
});
