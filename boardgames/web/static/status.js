// @ts-nocheck
// What a match is waiting for, in a line, and the buttons that answer it.

import { button, h, setText } from "./dom.js";
import { endingText, nextButton } from "./ending.js";
import { T } from "./texts.js";

export class Status {
  // `actions` has the functions to call for `ask`, `share`, `claim`, `back` and `click`.
  constructor(actions) {
    this.do = actions;
    this.text = h("p", { class: "status", role: "status" });
    this.buttons = h("div", { class: "actions" });
    this.limit = h("p", { class: "limit" });
    this.element = h("section", { class: "status-box" }, h("div", { class: "spread" }, this.text, this.limit), this.buttons);
  }

  // Draw the status of a state. `shown` is the ply of an earlier position or null, `notice` replaces the text,
  // `name` returns the name of a side, and `canClick` tells whether a button of the game makes a move.
  draw(state, { shown, notice, name, canClick }) {
    const isAsked = state.offer !== null && state.yours.includes(1 - state.offer.side);
    const free = state.seats.findIndex((seat) => seat.kind === "open" && !seat.taken);
    const isOn = !state.fault && !state.outcome;
    const buttons = isAsked ? this.#answers() : isOn && free >= 0 ? this.#invitation(state, free) : [];
    let text = notice || textOf(state, name, { isAsked, free });
    if (shown !== null) {
      if (!isAsked) text = T.viewing(shown);
      buttons.unshift(button(T.backToMatch, this.do.back, { class: "primary" }));
    } else if (!notice || !buttons.length) {
      buttons.push(...state.picture.buttons.map((one) => button(one.label || one.id, () => this.do.click(one.id),
        { disabled: !canClick(one.id), "data-keeps-selection": true })));
    }
    if (state.next && !state.outcome) buttons.push(nextButton(state.next, T.toRestarted));
    if (isOn && state.paused && !isAsked && shown === null && isController(state)) buttons.push(this.#resume(state));
    setText(this.text, text);
    setText(this.limit, state.outcome || shown !== null ? "" : state.limit);
    const key = JSON.stringify([state.version, state.next, buttons.map((one) => [one.textContent, one.disabled])]);
    if (key !== this.key) this.buttons.replaceChildren(...buttons);
    this.key = key;
    this.element.classList.toggle("over", Boolean(state.outcome) && shown === null);
  }

  #answers() {
    return [button(T.accept, () => this.do.ask({ type: "answer", accept: true }), { class: "primary" }),
      button(T.decline, () => this.do.ask({ type: "answer", accept: false }))];
  }

  #resume(state) {
    return button(state.ply ? T.resume : T.begin, () => this.do.ask({ type: "resume" }), { class: "primary" });
  }

  #invitation(state, free) {
    const isPlayer = state.yours.length > 0;
    const take = button(T.takeSeat(state.sides[free]), () => this.do.claim(free), { class: isPlayer ? "" : "primary" });
    return isPlayer ? [button(T.share, this.do.share, { class: "primary" }), take] : [take];
  }
}

// Return whether this page may pause and resume a match.
export const isController = (state) => state.yours.length > 0;

function textOf(state, name, { isAsked, free }) {
  const { to_move: side, offer, declined, yours } = state;
  if (isAsked) return T.offered[kindOf(offer, state)](name(offer.side));
  if (offer !== null && yours.includes(offer.side)) return T.sent[kindOf(offer, state)];
  if (declined !== null && yours.includes(declined.side)) {
    return T.declined[kindOf(declined, state)](name(1 - declined.side), declined.reason);
  }
  if (state.outcome?.termination) return endingText(state, name);
  if (state.fault) return T.fault(state.fault);
  if (free >= 0) return T.waitingFor(state.sides[free]);
  if (state.paused) return T.paused;
  if (yours.includes(side)) return yours.length > 1 ? T.move(state.sides[side]) : T.yourMove(state.sides[side]);
  if (state.thinking || state.seats[side].kind === "agent") return T.thinking(name(side));
  return T.opponentsMove(name(side));
}

// A rematch of a match that is not over is a restart.
function kindOf({ kind }, state) {
  const restarts = { rematch: "restart", swap: "restartSwapped" };
  return (!state.outcome && restarts[kind]) || kind;
}
