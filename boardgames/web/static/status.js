// @ts-nocheck
// What a match is waiting for, in a line, and the buttons that answer it.

import { button, h, setText } from "./dom.js";
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
    const offer = [state.draw_offer, state.undo_request].find((side) => side !== null && state.yours.includes(1 - side)) ?? null;
    const free = state.seats.findIndex((seat) => seat.kind === "open" && !seat.taken);
    const isOn = !state.fault && !state.outcome;
    const buttons = !isOn ? [] : offer !== null ? this.#answers() : free >= 0 ? this.#invitation(state, free) : [];
    let text = notice || textOf(state, name, { offer, free });
    if (shown !== null) {
      if (offer === null || !isOn) text = T.viewing(shown);
      buttons.unshift(button(T.backToMatch, this.do.back, { class: "primary" }));
    } else if (!notice || !buttons.length) {
      buttons.push(...state.picture.buttons.map((one) => button(one.label || one.id, () => this.do.click(one.id),
        { disabled: !canClick(one.id), "data-keeps-selection": true })));
    }
    if (state.outcome && shown === null) buttons.push(button(T.again, () => (location.hash = "#/")));
    setText(this.text, text);
    setText(this.limit, state.outcome || shown !== null ? "" : state.limit);
    const key = JSON.stringify([state.version, buttons.map((one) => [one.textContent, one.disabled])]);
    if (key !== this.key) this.buttons.replaceChildren(...buttons);
    this.key = key;
    this.element.classList.toggle("over", Boolean(state.outcome) && shown === null);
  }

  #answers() {
    return [button(T.accept, () => this.do.ask({ type: "answer", accept: true }), { class: "primary" }),
      button(T.decline, () => this.do.ask({ type: "answer", accept: false }))];
  }

  #invitation(state, free) {
    const isPlayer = state.yours.length > 0;
    const take = button(T.takeSeat(state.sides[free]), () => this.do.claim(free), { class: isPlayer ? "" : "primary" });
    return isPlayer ? [button(T.share, this.do.share, { class: "primary" }), take] : [take];
  }
}

function textOf(state, name, { offer, free }) {
  const { to_move: side } = state;
  if (state.fault) return T.fault(state.fault);
  if (state.outcome) return state.outcome.text || T.matchOver;
  if (offer !== null) return offer === state.draw_offer ? T.drawOffered(name(offer)) : T.undoRequested(name(offer));
  if (free >= 0) return T.waitingFor(state.sides[free]);
  if (state.draw_offer !== null) return T.drawSent;
  if (state.undo_request !== null) return T.undoSent;
  if (state.paused) return T.paused;
  if (state.yours.includes(side)) return state.yours.length > 1 ? T.move(state.sides[side]) : T.yourMove(state.sides[side]);
  if (state.thinking || state.seats[side].kind === "agent") return T.thinking(name(side));
  return T.opponentsMove(name(side));
}
