// The buttons with which a match is controlled.

import { button, h, keepPreference, setText } from "./dom.js";
import { endingButtons, isController } from "./ending.js";
import { resumeText } from "./status.js";
import { T } from "./texts.js";

/** @import { MatchState } from "../messages.js" */
/** @import { Actions } from "./ending.js" */

export class Controls {
  isPaused = false;
  endKey = "";

  /** @param {Actions & {hint: () => void}} actions  what the buttons do: `ask` takes a request to the server */
  constructor(actions) {
    this.do = actions;
    const { ask, hint } = actions;
    this.hint = button(T.hint, hint); // for players
    this.next = button(T.nextMove, hint); // in matches between agents
    this.undo = button(T.takeBack, () => ask({ type: "undo" }));
    this.offerDraw = button(T.offerDraw, () => ask({ type: "offer-draw" }));
    this.resign = button(T.resign, () => this.dialog.showModal());
    const pause = () => button(T.pause, () => ask({ type: this.isPaused ? "resume" : "pause" }));
    this.pause = pause(); // in matches between agents
    this.halt = pause(); // for players
    this.restart = button(T.restart, () => ask({ type: "rematch" }));
    this.step = button(T.step, () => ask({ type: "step" }));
    this.delay = h("input", { type: "range", id: "delay", min: 0, max: 3, step: 0.25, oninput: () => this.#setDelay() });
    this.delayText = h("span", { class: "delay-text", "aria-hidden": "true" });
    this.delayBox = h("p", { class: "field inline" }, h("label", { for: "delay" }, T.delay), this.delay, this.delayText);
    this.ofPlayers = h("div", { class: "controls" }, this.hint, this.undo, this.offerDraw, this.resign, this.halt, this.restart);
    this.ofAgents = h("div", { class: "controls" }, this.pause, this.step, this.next);
    this.atEnd = h("div", { class: "controls", hidden: true });
    // the buttons for the end replace those of the players, so that nothing below moves
    this.elements = [h("div", { class: "stack" }, this.ofPlayers, this.atEnd), this.ofAgents, this.delayBox];
    this.dialog = this.#resignDialog();
  }

  /** @param {MatchState} state */
  draw(state) {
    const isOver = Boolean(state.outcome || state.fault);
    const isAgents = state.seats.every((seat) => seat.kind === "agent");
    this.isPaused = state.paused;
    this.ofPlayers.hidden = !state.yours.length;
    this.ofPlayers.classList.toggle("away", state.outcome !== null);
    this.ofAgents.hidden = this.delayBox.hidden = !isAgents || !isController(state) || state.outcome !== null;
    this.#drawEnd(state);
    this.undo.disabled = isOver || !state.moves.some(({ side }) => state.yours.includes(side));
    this.offerDraw.disabled = isOver || state.offer?.kind === "draw";
    this.resign.disabled = isOver;
    const isMine = state.yours.includes(state.to_move);
    this.hint.disabled = isOver || !(isMine || state.paused);
    setText(this.hint, state.paused && !isMine ? T.nextMove : T.hint);
    this.next.disabled = isOver || !state.paused;
    this.restart.disabled = isOver;
    this.pause.disabled = isOver;
    setText(this.pause, state.paused ? resumeText(state) : T.pause);
    this.halt.disabled = isOver || state.paused; // the status has a button to resume
    this.step.disabled = isOver || !state.paused;
    if (!this.delay.matches(":active")) this.delay.value = `${state.delay}`;
    setText(this.delayText, T.seconds(state.delay));
    this.delay.setAttribute("aria-valuetext", T.seconds(state.delay));
  }

  /** @param {MatchState} state */
  #drawEnd(state) {
    this.atEnd.hidden = state.outcome === null;
    if (this.atEnd.hidden) return;
    const buttons = endingButtons(state, this.do);
    const key = [state.next, ...buttons.map((one) => `${one.textContent} ${"disabled" in one && one.disabled}`)].join();
    if (key !== this.endKey) this.atEnd.replaceChildren(...buttons);
    this.endKey = key;
  }

  #setDelay() {
    const seconds = Number(this.delay.value);
    keepPreference("delay", seconds);
    this.do.ask({ type: "delay", seconds });
  }

  #resignDialog() {
    const dialog = h("dialog", { "aria-labelledby": "resign-question" },
      h("form", { method: "dialog" }, h("p", { id: "resign-question" }, T.resignQuestion),
        h("div", { class: "controls end" }, h("button", {}, T.cancel),
          h("button", { value: "yes", class: "danger" }, T.resign))));
    dialog.addEventListener("close", () => {
      if (dialog.returnValue === "yes") this.do.ask({ type: "resign" });
      dialog.returnValue = "";
    });
    return dialog;
  }
}
