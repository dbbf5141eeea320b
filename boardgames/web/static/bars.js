// The bars above and below the board: who plays, what they have captured, and their clocks.

import { h, setText, swatch } from "./dom.js";
import { trayOf } from "./tray.js";
import { T } from "./texts.js";

const LOW = 20;
const WARNINGS = [30, 10];

/** @import { MatchState, Picture } from "../messages.js" */

export class Bars {
  far = newBar("far");
  near = newBar("near");
  bars = [this.far, this.near];
  /** @type {Set<number>} */
  warned = new Set();
  turn = "";

  /** @param {(seconds: number) => void} warn  called with the seconds left when this side's time runs low */
  constructor(warn) {
    this.warn = warn;
  }

  /**
   * Draw names and notes.
   * @param {MatchState} state
   * @param {number} near  the side of the lower bar
   * @param {(side: number) => string} name  returns the name of a side
   */
  draw(state, near, name) {
    for (const [i, bar] of this.bars.entries()) {
      const side = i === 1 ? near : 1 - near;
      const seat = state.seats[side];
      bar.side = side;
      bar.swatch.replaceChildren(swatch(side, state.picture.colours));
      const isFree = seat.kind === "open" && !seat.taken;
      setText(bar.name, isFree ? T.seatFree : name(side));
      const notes = [name(side) !== state.sides[side] || isFree ? state.sides[side] : ""];
      if (seat.kind !== "agent" && seat.taken && !seat.connected && !state.outcome) notes.push(T.away);
      if (state.increments[side] && !state.outcome) notes.push(T.addedPerMove(state.increments[side]));
      if (state.moves_left !== null && !state.outcome) notes.push(T.movesLeft(state.moves_left[side]));
      setText(bar.note, notes.filter(Boolean).join(" · "));
      bar.element.classList.toggle("to-move", !state.outcome && state.to_move === side);
      bar.clock.setAttribute("aria-label", T.clockLabel(state.sides[side]));
      bar.clock.hidden = state.clocks === null;
      bar.moveClock.setAttribute("aria-label", T.moveClockLabel(state.sides[side]));
      const isTimeUp = state.to_move === side && state.move_left === 0;
      bar.moveBox.hidden = state.move_times[side] === null || Boolean(state.outcome && !isTimeUp);
    }
  }

  /**
   * @param {Picture} picture
   * @param {boolean} isTurned
   */
  drawCaptions(picture, isTurned) {
    for (const [i, end] of ["top", "bottom"].entries()) {
      const corner = isTurned ? ["bottom", "top"][i] : end;
      const captions = picture.captions.filter((caption) => caption.corner.startsWith(corner));
      const bar = this.bars[i];
      const key = JSON.stringify([picture.trays, picture.winning, picture.colours, bar.side]);
      if (key !== bar.trayKey) bar.trays.replaceChildren(...picture.trays.filter((tray) => tray.side === bar.side).map((tray) => trayOf(tray, picture)));
      bar.trayKey = key;
      setText(bar.captions, captions.map((caption) => caption.text).join(" · "));
    }
  }

  /**
   * Draw the clocks of a state that arrived `age` seconds ago.
   * @param {MatchState} state
   * @param {number} age
   */
  tick(state, age) {
    const turn = `${state.ply} ${state.running}`;
    if (turn !== this.turn) this.warned.clear();
    this.turn = turn;
    for (const { side, clock, moveClock, used } of this.bars) {
      const isRunning = state.running === side && !state.outcome;
      const passed = isRunning ? age : 0;
      setText(used, T.used(timeText(state.used[side] + passed)));
      /** @param {number | null} left */
      const remaining = (left) => (left === null ? null : Math.max(0, left - passed));
      const perMove = state.move_times[side];
      const ofMatch = remaining(state.clocks?.[side] ?? null);
      const ofMove = remaining(side === state.to_move ? state.move_left : perMove);
      drawClock(clock, ofMatch, { isRunning, isLow: ofMatch !== null && ofMatch < LOW });
      drawClock(moveClock, ofMove, { isRunning, isLow: perMove !== null && ofMove !== null && ofMove < Math.min(LOW, perMove / 4) });
      if (isRunning && state.yours.includes(side)) this.#warn(Math.min(ofMatch ?? Infinity, ofMove ?? Infinity), perMove);
    }
  }

  /**
   * @param {number} left
   * @param {number | null} perMove
   */
  #warn(left, perMove) {
    for (const limit of WARNINGS) {
      const isNear = left <= limit && left >= limit - 1 && limit < (perMove ?? Infinity);
      if (!isNear || this.warned.has(limit)) continue;
      this.warned.add(limit);
      this.warn(limit);
    }
  }
}

/** @param {string} place */
function newBar(place) {
  const parts = {
    swatch: h("span", { class: "bar-swatch" }), name: h("strong", { class: "bar-name" }),
    note: h("span", { class: "bar-note" }), used: h("span", { class: "bar-used" }), captions: h("span", { class: "bar-captions" }),
    trays: h("span", { class: "bar-trays" }), trayKey: "",
    moveClock: h("span", { class: "clock", role: "timer" }), clock: h("span", { class: "clock", role: "timer" }),
  };
  const { swatch: disc, name, note, used, captions, trays, moveClock, clock } = parts;
  const moveBox = h("span", { class: "move-clock" }, h("span", { "aria-hidden": "true" }, T.thisMove), moveClock);
  const element = h("div", { class: `bar ${place}` }, disc,
    h("span", { class: "bar-text" }, name, h("span", { class: "bar-notes" }, note, used)), trays, captions,
    h("span", { class: "bar-clocks" }, moveBox, clock));
  return { ...parts, moveBox, element, side: 0 };
}

/**
 * @param {Element} element
 * @param {number | null} seconds
 * @param {{isRunning: boolean, isLow: boolean}} state
 */
function drawClock(element, seconds, { isRunning, isLow }) {
  setText(element, seconds === null ? "∞" : clockText(seconds));
  element.classList.toggle("running", isRunning);
  element.classList.toggle("low", isLow);
}

/**
 * Return the text of a clock, with tenths of a second near the end.
 * @param {number} seconds
 */
function clockText(seconds) {
  return seconds < 10 ? `0:0${(Math.floor(seconds * 10) / 10).toFixed(1)}` : timeText(seconds);
}

/** @param {number} seconds */
function timeText(seconds) {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  /** @param {number} value */
  const two = (value) => String(value).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
