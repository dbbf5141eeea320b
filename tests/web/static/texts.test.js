// Texts that are computed: plurals, times, and what levels mean.

import assert from "node:assert/strict";
import test from "node:test";

import { T } from "../../../boardgames/web/static/texts.js";

test("one is singular, and everything else plural", () => {
  assert.deepEqual([0, 1, 2].map(T.plies), ["0 moves", "1 move", "2 moves"]);
  assert.deepEqual([1, 10].map(T.minutes), ["1 minute", "10 minutes"]);
});

test("short times have tenths of a second, and long ones none", () => {
  assert.deepEqual([0, 0.04, 9.94, 9.96, 75.4].map(T.seconds), ["0.0 s", "0.0 s", "9.9 s", "10 s", "75 s"]);
});

for (const most of [1, 3, 6, 8, 10]) {
  test(`of ${most} levels the last is as strong as possible, and none seems weaker than the one below`, () => {
    const meanings = Array.from({ length: most }, (_, i) => T.levelMeaning(i + 1, most).replace(/^.*: /, ""));
    const scale = [...new Set(Array.from({ length: 100 }, (_, i) => T.levelMeaning(i + 1, 100).replace(/^.*: /, "")))];
    assert.equal(meanings.at(-1), scale.at(-1));
    const ranks = meanings.map((meaning) => scale.indexOf(meaning));
    assert.deepEqual(ranks, [...ranks].sort((a, b) => a - b));
    assert.ok(!ranks.includes(-1));
  });
}

test("a percentage is called a chance of winning, and other values stand alone", () => {
  assert.equal(T.hintText("4", "45.2%"), "Hint: 4, 45.2% chance of winning");
  assert.equal(T.hintText("4", "win in 1 move (1 ply)"), "Hint: 4, win in 1 move (1 ply)");
  assert.equal(T.valueFor("red", "45.2%", "mcts", 3), "Red to move: 45.2% chance of winning; mcts, depth 3");
});

test("a layout is called as a person would write it", () => {
  assert.deepEqual(["belgian-daisy", "7x6", "standard"].map(T.layoutName), ["Belgian Daisy", "7 × 6", "Standard"]);
});

test("an agent is named after its level, and any other by its specification", () => {
  assert.deepEqual(["level:level=3", "alphabeta:depth=6", "level:level=3,seed=1"].map(T.player),
    ["Level 3", "alphabeta:depth=6", "level:level=3,seed=1"]);
});
