// A line that says what a match is waiting for, and the buttons to answer.

import { button, h, setText } from "./dom.js";
import { endingText, nextButton } from "./ending.js";
import { T } from "./texts.js";

/** @import { MatchState, OfferState } from "../messages.js" */
/** @typedef {(side: number) => string} NameOf  returns the name of a side */
/** @typedef {{isAsked: boolean, free: number}} Waits  whether an offer is to be answered; the side of a free seat, or -1 */

export class Status {
  key = "";

  /**
   * @param {object} actions  what the buttons do
   * @param {(message: object) => void} actions.ask
   * @param {() => void} actions.share
   * @param {(side: number) => void} actions.claim
   * @param {() => void} actions.back
   * @param {(id: string) => void} actions.click
   */
  constructor(actions) {
    this.do = actions;
    this.text = h("p", { class: "status", role: "status" });
    this.buttons = h("div", { class: "actions" });
    this.limit = h("p", { class: "limit" });
    this.element = h("section", { class: "status-box" }, h("div", { class: "spread" }, this.text, this.limit), this.buttons);
  }

  /**
   * Draw the status of a state.
   * @param {MatchState} state
   * @param {object} view
   * @param {number | null} view.shown  the ply of an earlier position that is shown
   * @param {string} view.notice  replaces the text
   * @param {NameOf} view.name
   * @param {(id: string) => boolean} view.canClick  whether a button of the game makes a move
   * @param {boolean} view.onlyWatches  whether no seat is offered
   */
  draw(state, { shown, notice, name, canClick, onlyWatches }) {
    const isAsked = state.offer !== null && state.yours.includes(1 - state.offer.side);
    const free = state.seats.findIndex((seat) => seat.kind === "open" && !seat.taken);
    const isOn = !state.fault && !state.outcome;
    const buttons = isAsked ? this.#answers() : isOn && free >= 0 && !(onlyWatches && !state.yours.length) ? this.#invitation(state, free) : [];
    let text = notice || textOf(state, name, { isAsked, free });
    if (shown !== null) {
      if (!isAsked) text = T.viewing(shown);
      buttons.unshift(button(T.backToMatch, this.do.back, { class: "primary" }));
    } else if (isOn && (!notice || !buttons.length)) {
      buttons.push(...state.picture.buttons.map((one) => button(one.label || one.id, () => this.do.click(one.id),
        { disabled: !canClick(one.id), "data-keeps-selection": true })));
    }
    if (state.next && !state.outcome) buttons.push(nextButton(state.next, T.toRestarted));
    if (isOn && state.paused && !isAsked && shown === null && state.yours.length) buttons.push(this.#resume(state));
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

  /** @param {MatchState} state */
  #resume(state) {
    return button(resumeText(state), () => this.do.ask({ type: "resume" }), { class: "primary" });
  }

  /**
   * @param {MatchState} state
   * @param {number} free
   */
  #invitation(state, free) {
    const isPlayer = state.yours.length > 0;
    const take = button(T.takeSeat(state.sides[free]), () => this.do.claim(free), { class: isPlayer ? "" : "primary" });
    return isPlayer ? [button(T.shareSeat, this.do.share, { class: "primary" }), take] : [take];
  }
}

/**
 * Return the label of the button that starts or resumes a paused match.
 * @param {MatchState} state
 */
export const resumeText = (state) => (hasBegun(state) ? T.resume : T.begin);

/** @param {Pick<MatchState, "ply" | "used">} state */
const hasBegun = ({ ply, used }) => ply > 0 || used.some((seconds) => seconds > 0);

/**
 * @param {MatchState} state
 * @param {NameOf} name
 * @param {Waits} waits
 */
function textOf(state, name, { isAsked, free }) {
  const { to_move: side, offer, declined, yours } = state;
  if (isAsked && offer) return T.offered[kindOf(offer, state)](name(offer.side));
  if (offer !== null && yours.includes(offer.side)) return T.sent[kindOf(offer, state)];
  if (declined !== null && yours.includes(declined.side)) {
    return T.declined[kindOf(declined, state)](name(1 - declined.side), declined.reason);
  }
  if (state.outcome?.termination) return endingText({ ...state, outcome: state.outcome }, name);
  if (state.fault) return T.fault(state.fault);
  if (free >= 0) return T.waitingFor(state.sides[free]);
  if (state.paused) return T.paused;
  if (yours.includes(side)) return yours.length > 1 ? T.move(state.sides[side]) : T.yourMove(state.sides[side]);
  const text = state.preparing ? T.gettingReady(name(side)) : state.thinking || state.seats[side].kind === "agent" ? T.thinking(name(side)) : T.opponentsMove(name(side));
  return state.ply || yours.length !== 1 ? text : `${T.youPlay(state.sides[yours[0]])}. ${text}`;
}

/**
 * Return the key of an offer's texts: a match that has not begun is started, not resumed, and a rematch during a match is
 * a restart.
 * @param {OfferState} offer
 * @param {MatchState} state
 */
function kindOf({ kind }, state) {
  if (kind === "resume" && !hasBegun(state)) return "begin";
  if (state.outcome || (kind !== "rematch" && kind !== "swap")) return /** @type {keyof typeof T.sent} */ (kind);
  return kind === "rematch" ? "restart" : "restartSwapped";
}
