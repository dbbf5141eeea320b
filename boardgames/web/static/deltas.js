// States of a match from deltas: the counterpart of boardgames/web/deltas.py, which describes them.

/** @import { MatchChange, MatchState, Picture } from "../messages.js" */
/** @typedef {Picture["clicks"]} ClicksOfMoves */
/**
 * A change of a JSON value.
 * @typedef {{value: unknown} | {members: Record<string, Change | null>} | {splices: [number, number, unknown[]][]}
 *   | {clicks: {legal: string[], added: ClicksOfMoves}}} Change
 */

const REMEMBERED = 8;

export class StateReader {
  /** @type {MatchState | null} */
  #state = null;
  /** @type {ClicksOfMoves[]} the clicks of the last pictures, the latest at the end */
  #remembered = [];

  /**
   * Return the state after a message, or null if it changes a state that this page does not have.
   * What has not changed is shared with the state before.
   * @param {MatchState | MatchChange} message
   * @returns {MatchState | null}
   */
  read(message) {
    let state = this.#state;
    if (message.type === "match") {
      state = message;
      this.#remembered = [];
    } else {
      if (!state) return null;
      state = /** @type {MatchState} */ (after(state, /** @type {Change} */ (message.change), this.#remembered));
    }
    this.#state = state;
    const { clicks } = state.picture;
    if (this.#remembered.at(-1) !== clicks) this.#remembered = [...this.#remembered, clicks].slice(-REMEMBERED);
    return { ...state };
  }
}

/**
 * Return a value after a change.
 * @param {any} old  `any`: it is JSON, and the change says of which type
 * @param {Change} change
 * @param {ClicksOfMoves[]} remembered
 * @returns {unknown}
 */
function after(old, change, remembered) {
  if ("value" in change) return change.value;
  if ("clicks" in change) {
    /** @type {ClicksOfMoves} */
    const known = Object.assign({}, ...remembered, change.clicks.added);
    return Object.fromEntries(change.clicks.legal.map((move) => [move, known[move]]));
  }
  if ("splices" in change) {
    const items = [...old];
    for (const [start, removed, added] of [...change.splices].reverse()) items.splice(start, removed, ...added);
    return items;
  }
  const members = { ...old };
  for (const [key, one] of Object.entries(change.members)) {
    if (one === null) delete members[key];
    else members[key] = after(old[key], one, remembered);
  }
  return members;
}
