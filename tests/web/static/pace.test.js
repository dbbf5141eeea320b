// In which order and at what times the states of a match are shown; the clock is one of the test.

import assert from "node:assert/strict";
import test from "node:test";

import { FOLLOW_MS, Pace, REPLY_MS } from "../../../boardgames/web/static/pace.js";

const PERSON = { kind: "here" };
const AGENT = { kind: "agent" };
const settled = () => new Promise((done) => setImmediate(done));

// Return a state after moves of these sides, as a page sees it that plays `yours`.
function state(sides, { seats = [PERSON, AGENT], yours = [0], texts = {} } = {}) {
  const moves = sides.map((side, i) => ({ text: texts[i] ?? `m${i}`, side }));
  return { ply: sides.length, moves, seats, yours, picture: `after ${sides.length}` };
}

class Table {
  now = 0;
  shown = [];
  hidden = false;
  waits = [];
  drawing = 0; // how long it takes to draw a state
  pace = new Pace({
    show: ({ ply, picture }) => {
      this.now += this.drawing;
      this.shown.push([this.now, ply, picture]);
    },
    look: (ply) => (this.look ? this.look(ply) : Promise.resolve(`asked ${ply}`)),
    now: () => this.now,
    later: (f, ms) => this.waits.push({ f, at: this.now + ms }),
    isHidden: () => this.hidden,
  });

  // Let time pass until nothing is left to wait for.
  async run() {
    await settled();
    for (let wait = this.waits.shift(); wait; wait = this.waits.shift()) {
      this.now = Math.max(this.now, wait.at);
      wait.f();
      await settled();
    }
  }
}

test("an agent's reply is shown after your own move, and half a second later", async () => {
  const table = new Table();
  table.pace.receive(state([]));
  table.now = 1000;
  table.pace.receive(state([0, 1]));
  await table.run();
  assert.deepEqual(table.shown, [[0, 0, "after 0"], [1000, 1, "asked 1"], [1000 + REPLY_MS, 2, "after 2"]]);
});

test("the pause begins when your own move has been drawn", async () => {
  const table = new Table();
  table.pace.receive(state([]));
  table.drawing = 200;
  table.pace.receive(state([0]));
  table.drawing = 0;
  table.pace.receive(state([0, 1]));
  await table.run();
  assert.deepEqual(table.shown.map(([at, ply]) => [at, ply]), [[0, 0], [200, 1], [200 + REPLY_MS, 2]]);
});

test("a reply that took longer than the pause is shown at once", async () => {
  const table = new Table();
  table.pace.receive(state([0]));
  table.now = 10 * REPLY_MS;
  table.pace.receive(state([0, 1]));
  await table.run();
  assert.deepEqual(table.shown.map(([at, ply]) => [at, ply]), [[0, 1], [10 * REPLY_MS, 2]]);
});

test("another move of the same side follows sooner than a reply", async () => {
  const table = new Table();
  table.pace.receive(state([0, 1]));
  table.pace.receive(state([0, 1, 1]));
  await table.run();
  assert.deepEqual(table.shown.map(([at, ply]) => [at, ply]), [[0, 2], [FOLLOW_MS, 3]]);
});

test("a takeback is shown at once, even if moves still wait", async () => {
  const table = new Table();
  table.pace.receive(state([0]));
  table.pace.receive(state([0, 1]));
  table.pace.receive(state([]));
  await table.run();
  assert.deepEqual(table.shown.map(([, ply]) => ply), [1, 0]);
  assert.equal(table.pace.isBehind, false);
});

test("moves that replace the shown ones are not animated on top of them", async () => {
  const table = new Table();
  table.pace.receive(state([0, 1]));
  table.pace.receive(state([0, 1, 0, 1], { texts: { 1: "other" } }));
  await table.run();
  assert.deepEqual(table.shown.map(([at, ply]) => [at, ply]), [[0, 2], [0, 4]]);
});

for (const [name, options, prepare] of [
  ["agents play at the pace that the server gives them", { seats: [AGENT, AGENT], yours: [] }, () => {}],
  ["a page in the background does not lag behind", {}, (table) => (table.hidden = true)],
]) {
  test(name, async () => {
    const table = new Table();
    prepare(table);
    table.pace.receive(state([], options));
    table.pace.receive(state([0, 1, 0, 1], options));
    await table.run();
    assert.deepEqual(table.shown.map(([at, ply]) => [at, ply]), [[0, 0], [0, 4]]);
  });
}

test("a page that has missed many moves shows the last one", async () => {
  const table = new Table();
  table.pace.receive(state([]));
  table.pace.receive(state(Array.from({ length: 30 }, (_, i) => i % 2)));
  await table.run();
  assert.deepEqual(table.shown.map(([, ply]) => ply), [0, 30]);
});

test("a position that the server no longer has is left out", async () => {
  const table = new Table();
  table.look = () => Promise.reject(new Error("gone"));
  table.pace.receive(state([]));
  table.pace.receive(state([0, 1]));
  await table.run();
  assert.deepEqual(table.shown.map(([, ply]) => ply), [0, 2]);
});
