// The colours of the sides, of which themes change the lighter and the darker one.

import assert from "node:assert/strict";
import test from "node:test";

import { isDarker, luminance, markClass, sideColour } from "../../../boardgames/web/static/colours.js";

test("the luminance of a colour is that of WCAG", () => {
  assert.deepEqual(["#000", "#000000", "#fff"].map(luminance), [0, 0, 1]);
  assert.equal(luminance("#767676").toFixed(3), "0.181");
});

test("exactly one side is the darker one, whichever side it is", () => {
  for (const colours of [["#222222", "#eeeeee"], ["#eeeeee", "#222222"], ["#abc", "#abc"]]) {
    assert.notEqual(isDarker(colours, 0), isDarker(colours, 1));
  }
  assert.equal(isDarker(["#222222", "#eeeeee"], 0), true);
  assert.equal(isDarker(["#eeeeee", "#222222"], 1), true);
});

test("a theme can make the lighter side lighter and the darker one darker", () => {
  const colours = ["#222222", "#eeeeee"];
  assert.match(sideColour(colours, 0), /#222222.*--theme-darker/);
  assert.match(sideColour(colours, 1), /#eeeeee.*--theme-lighter/);
  assert.deepEqual([0, 1].map((side) => markClass("ring", colours, side)), ["ring on-dark", "ring"]);
});
