// The tree of variations of an analysis.

import assert from "node:assert/strict";
import test from "node:test";

import { cleanComment, pathOf, Tree } from "../../../boardgames/web/static/tree.js";

const tree = (text) => Tree.parse(text);

test("another move at an earlier ply makes a variation, and nothing is lost", () => {
  const one = tree("a b c");
  one.add(["a", "x", "y"]);
  assert.deepEqual(one.line(), ["a", "b", "c"]);
  assert.deepEqual(one.line(["a", "x"]), ["a", "x", "y"]);
  assert.equal(one.format(), "a b (x y) c");
});

test("the same moves again make no variation", () => {
  const one = tree("a b c");
  one.add(["a", "b"]);
  assert.equal(one.format(), "a b c");
});

test("text and tree are the same after a round trip", () => {
  for (const text of ["", "a", "a (b) (c d) e", "a $1 {good} b (x {why (not)} y (z) w) c $6", "{from here} a (b)", "a {[%draw g:c4 r:c4>d5] why} b {[%draw y:e1]}", "9 (8 7 (6 { ( and ) }) 1) 2"])
    assert.equal(tree(text).format(), text);
});

test("text that cannot be read does not lose the rest", () => {
  assert.equal(tree(") a ) b $99 ( c").format(), "a b (c)");
});

test("a promoted variation is the main line at every move of it", () => {
  const one = tree("a b (x y (z)) c (d)");
  one.promote(["a", "x", "z"]);
  assert.deepEqual(one.line(), ["a", "x", "z"]);
  assert.equal(one.format(), "a x (b c (d)) z (y)");
  assert.ok(one.isMain(["a", "x"]) && !one.isMain(["a", "b"]));
});

test("a move is deleted with everything after it, and nothing else", () => {
  const one = tree("a b (x y) c");
  assert.deepEqual(one.remove(["a", "x"]), ["a"]);
  assert.equal(one.format(), "a b c");
  assert.deepEqual(one.remove(["a", "b"]), ["a"]);
  assert.equal(one.format(), "a");
});

test("the next variation is beside the last move that has others", () => {
  const one = tree("a b (x) (y z) c");
  assert.deepEqual(one.beside(["a", "b", "c"], 1), ["a", "x"]);
  assert.deepEqual(one.beside(["a", "x"], 1), ["a", "y"]);
  assert.deepEqual(one.beside(["a", "b"], -1), ["a", "y"]);
  assert.deepEqual(one.beside(["a"], 1), ["a"]);
});

test("a tree is plain without variations, comments and marks", () => {
  assert.ok(tree("a b c").isPlain);
  for (const text of ["a (b)", "a $1", "a {text}", "{text} a"]) assert.ok(!tree(text).isPlain, text);
});

test("sides that are known stay known", () => {
  const one = new Tree();
  one.add(["a", "b"], [0, 0]);
  one.add(["a", "b", "c"], []);
  assert.equal(one.at(["a", "b"]).side, 0);
  assert.deepEqual(pathOf(one.at(["a", "b"])), ["a", "b"]);
});

test("a comment has one line and no braces", () => {
  assert.equal(cleanComment(" two\nlines {of} it "), "two lines of it");
});
