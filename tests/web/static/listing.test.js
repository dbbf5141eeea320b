// Filters and orders of the list of matches.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isUnfinished, listed } from "../../../boardgames/web/static/listing.js";

/** @param {string} id @param {string} title @param {number} ply @param {boolean} live */
const match = (id, title, ply, live) => ({ id, title, ply, live, game: title, names: /** @type {[string, string]} */ (["a", "b"]), result: "", free: [], name: "", owned: true, spectators: 0, time: 0, stored: /** @type {number | null} */ (null) });
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

test("stored matches are among those of the server by their time, and unfinished ones are neither running nor finished", () => {
  const stored = { ...match("s", "Hex", 5, false), stored: 7, result: "a wins", time: 20 };
  const open = { ...match("o", "Hex", 4, false), stored: 6, time: 15 };
  const all = [...MATCHES.map((one, at) => ({ ...one, time: 30 - 7 * at })), stored, open];
  /** @param {Parameters<typeof listed>[1]} filter */
  const found = (filter) => listed(all, filter, "newest", () => false).map(({ id }) => id).join("");
  assert.deepEqual(["cadsbo", "ca", "dsb"], [found("all"), found("running"), found("finished")]);
  assert.deepEqual([false, false, true], [isUnfinished(all[0]), isUnfinished(stored), isUnfinished(open)]);
});
