// @ts-nocheck
// The buttons with which a match is controlled.

import { button, h, keepPreference, setText } from "./dom.js";
import { T } from "./texts.js";

export class Controls {
  // `ask` is called with what to ask the server for, and `hint` when a hint is wanted.
  constructor(ask, hint) {
    this.ask = ask;
    this.isPaused = false;
    this.hint = button(T.hint, hint);
    this.undo = button(T.takeBack, () => ask({ type: "undo" }));
    this.offerDraw = button(T.offerDraw, () => ask({ type: "offer-draw" }));
    this.resign = button(T.resign, () => this.dialog.showModal());
    const pause = () => button(T.pause, () => ask({ type: this.isPaused ? "resume" : "pause" }));
    [this.pause, this.halt] = [pause(), pause()]; // of agents, and of players
    this.restart = button(T.restart, () => ask({ type: "rematch" }));
    this.step = button(T.step, () => ask({ type: "step" }));
    this.delay = h("input", { type: "range", id: "delay", min: 0, max: 3, step: 0.25, oninput: () => this.#setDelay() });
    this.delayText = h("span", { class: "delay-text", "aria-hidden": "true" });
    this.delayBox = h("p", { class: "field inline" }, h("label", { for: "delay" }, T.delay), this.delay, this.delayText);
    this.ofPlayers = h("div", { class: "controls" }, this.hint, this.undo, this.offerDraw, this.resign, this.halt, this.restart);
    this.ofAgents = h("div", { class: "controls" }, this.pause, this.step);
    this.elements = [this.ofPlayers, this.ofAgents, this.delayBox];
    this.dialog = this.#resignDialog();
  }

  draw(state) {
    const isOver = Boolean(state.outcome || state.fault);
    const isAgents = state.seats.every((seat) => seat.kind === "agent");
    this.isPaused = state.paused;
    this.ofPlayers.hidden = !state.yours.length;
    this.ofAgents.hidden = this.delayBox.hidden = !isAgents;
    this.undo.disabled = isOver || !state.ply;
    this.offerDraw.disabled = isOver || state.offer?.kind === "draw";
    this.resign.disabled = isOver;
    this.hint.disabled = isOver || !state.yours.includes(state.to_move);
    this.restart.disabled = isOver;
    for (const one of [this.pause, this.halt]) {
      one.disabled = isOver;
      setText(one, state.paused ? T.resume : T.pause);
    }
    this.step.disabled = isOver || !state.paused;
    if (!this.delay.matches(":active")) this.delay.value = state.delay;
    setText(this.delayText, T.seconds(state.delay));
    this.delay.setAttribute("aria-valuetext", T.seconds(state.delay));
  }

  #setDelay() {
    const seconds = Number(this.delay.value);
    keepPreference("delay", seconds);
    this.ask({ type: "delay", seconds });
  }

  #resignDialog() {
    const dialog = h("dialog", { "aria-labelledby": "resign-question" },
      h("form", { method: "dialog" }, h("p", { id: "resign-question" }, T.resignQuestion),
        h("div", { class: "controls end" }, h("button", {}, T.cancel),
          h("button", { value: "yes", class: "danger" }, T.resign))));
    dialog.addEventListener("close", () => {
      if (dialog.returnValue === "yes") this.ask({ type: "resign" });
      dialog.returnValue = "";
    });
    return dialog;
  }
}
