// The course of an exercise: which moves are right, and what is replied.

import assert from "node:assert/strict";
import test from "node:test";

import { Exercise } from "../../../boardgames/web/static/exercise.js";

const LINES = [["a", "x", "b"], ["a", "x", "c"], ["d"]];

test("a move that continues no line is wrong and changes nothing", () => {
  const exercise = new Exercise(LINES);
  assert.equal(exercise.play("b"), false);
  assert.deepEqual(exercise.moves, []);
});

test("a shorter line solves it as well", () => {
  const exercise = new Exercise(LINES);
  assert.equal(exercise.play("d"), true);
  assert.equal(exercise.isSolved, true);
  assert.equal(exercise.next, undefined);
});

test("every line that begins with the moves made stays open", () => {
  for (const last of ["b", "c"]) {
    const exercise = new Exercise(LINES);
    exercise.play("a");
    assert.equal(exercise.next, "x");
    exercise.play("x");
    assert.equal(exercise.isSolved, false);
    assert.equal(exercise.play(last), true);
    assert.equal(exercise.isSolved, true);
    assert.equal(exercise.play(last), false);
  }
});

test("it can be started again", () => {
  const exercise = new Exercise(LINES);
  exercise.play("d");
  exercise.restart();
  assert.equal(exercise.next, "a");
});
