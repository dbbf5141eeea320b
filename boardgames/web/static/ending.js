// How a match ended, from the reader's point of view, and what can be done next.

import { button } from "./dom.js";
import { T } from "./texts.js";

/** @import { MatchState, OutcomeState } from "../messages.js" */
/** @typedef {{ask: (message: object) => void, review: () => void}} Actions */

/**
 * Return how a match ended. Somebody who plays one side is called "you".
 * @param {Pick<MatchState, "score" | "yours" | "fault"> & {outcome: OutcomeState}} state
 * @param {(side: number) => string} name  returns the name of a side
 */
export function endingText({ outcome, score, yours, fault }, name) {
  const you = yours.length === 1 ? yours[0] : null;
  const { winner, termination, reason } = outcome;
  /** @type {(text: string, side: number) => string} */
  const points = (text, side) => (score[0] || score[1] ? T.withPoints(text, score[side], score[1 - side]) : text);
  if (winner === null) {
    /** @type {Record<string, string>} */
    const words = { agreement: T.agreed, adjudication: T.adjudicatedDraw, repetition: reason ? T.noProgress(reason) : T.repeated,
      "ply-limit": T.movesUsedUp, "no-moves": T.blocked, "no-progress": reason ? T.noProgress(reason) : T.draw };
    return words[termination] ?? points(T.draw, you ?? 0);
  }
  const loser = 1 - winner;
  const won = you === null ? T.won(name(winner)) : you === winner ? T.youWon : T.youLost;
  const lost = you === loser ? T.you : name(loser);
  switch (termination) {
    case "time": return T.onTime(won);
    case "resignation": return you === loser ? T.youResigned : T.resigned(won, name(loser));
    case "no-moves": return T.noLegalMove(won);
    case "ply-limit": return T.atMoveLimit(points(won, you ?? winner));
    case "adjudication": return T.adjudicated(won);
    case "repetition": return T.byRepetition(won, reason);
    case "illegal-move": return T.illegalMove(won, lost);
    case "crash": return fault ? `${T.crash(won, lost)} (${fault})` : T.crash(won, lost);
    default: return points(won, you ?? winner);
  }
}

/**
 * Return whether this page may pause, resume and restart a match: players may and,
 * in a match between agents, whoever started it.
 * @param {Pick<MatchState, "yours" | "owner" | "seats">} state
 */
export const isController = ({ yours, owner, seats }) => yours.length > 0 || (owner && seats.every(({ kind }) => kind === "agent"));

/**
 * Return the buttons for what people can do after a match.
 * @param {MatchState} state
 * @param {Actions} actions  what sends a request, and what opens the analysis
 */
export function endingButtons(state, { ask, review }) {
  const canAsk = isController(state);
  /** @type {(swap: boolean, text: string, more?: {class: string}) => HTMLElement} */
  const rematch = (swap, text, more) => button(text, () => ask({ type: "rematch", swap }), { ...more, disabled: state.offer !== null });
  const again = state.next !== null ? [nextButton(state.next, T.toRematch)]
    : canAsk ? [rematch(false, T.rematch, { class: "primary" }), rematch(true, T.swap)] : [];
  const others = [button(T.reviewMatch, review), button(T.again, () => (location.hash = "#/"))];
  return canAsk ? [...again, ...others] : [...others, ...again]; // existing buttons stay in place
}

/**
 * Return a button that opens the match that was started after this one.
 * @param {string} next
 * @param {string} text
 */
export const nextButton = (next, text) => button(text, () => (location.hash = addressOf(next)), { class: "primary whole" });

/** @param {string} match */
export const addressOf = (match) => `#/match/${encodeURIComponent(match)}`;
