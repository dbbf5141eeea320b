// Filters and orders of the list of matches.

import assert from "node:assert/strict";
import { test } from "node:test";

import { listed } from "../../../boardgames/web/static/listing.js";

/** @param {string} id @param {string} title @param {number} ply @param {boolean} live */
const match = (id, title, ply, live) => ({ id, title, ply, live, game: title, names: /** @type {[string, string]} */ (["a", "b"]), result: "", free: [], name: "", owned: true });
const MATCHES = [match("d", "Hex", 3, false), match("c", "Abalone", 9, true), match("b", "Hex", 9, false), match("a", "Abalone", 0, true)];
/** @param {Parameters<typeof listed>[1]} filter @param {Parameters<typeof listed>[2]} order */
const ids = (filter, order) => listed(MATCHES, filter, order, ({ id }) => id === "b" || id === "c").map(({ id }) => id).join("");

test("a filter leaves the matches that fit it", () => {
  assert.deepEqual(["ca", "db", "cb"], [ids("running", "newest"), ids("finished", "newest"), ids("mine", "newest")]);
});

test("matches in progress come first among equals, then the newest", () => {
  assert.deepEqual(["cadb", "cadb", "cbda"], [ids("all", "newest"), ids("all", "game"), ids("all", "moves")]);
});

test("the list that was given is not reordered", () => {
  ids("all", "moves");
  assert.equal(MATCHES.map(({ id }) => id).join(""), "dcba");
});
