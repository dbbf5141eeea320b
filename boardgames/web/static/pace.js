// The pace at which a match is shown: its states one after the other, and an agent's reply after a pause.

/** @import { MatchState, Picture } from "../messages.js" */
/** @typedef {Omit<MatchState, "picture"> & {picture: Picture | null}} Waiting  a state whose picture may have to be asked for */

export const REPLY_MS = 500;
export const FOLLOW_MS = 250;
const MOST_STEPS = 8; // a page that has missed more moves goes straight to the last one

export class Pace {
  /** @type {Waiting[]} */
  queue = [];
  /** @type {MatchState | null} */
  shown = null;
  shownAt = 0;
  timer = 0;
  isBusy = false;

  /**
   * The server only sends the latest state, so the one after a person's own move may be missing.
   * @param {object} options
   * @param {(state: MatchState) => void} options.show  shows a state
   * @param {(ply: number) => Promise<Picture>} options.look  returns the picture after a number of moves
   * @param {() => number} [options.now]  this and what follows are for tests
   * @param {(f: () => void, ms: number) => number} [options.later]
   * @param {() => boolean} [options.isHidden]
   */
  constructor({ show, look, now = () => performance.now(), later = (f, ms) => setTimeout(f, ms), isHidden = () => document.hidden }) {
    this.show = show;
    this.look = look;
    this.now = now;
    this.later = later;
    this.isHidden = isHidden;
  }

  // Return whether states wait to be shown: nobody can move until then.
  get isBehind() {
    return this.queue.length > 0;
  }

  /** @param {MatchState} state */
  receive(state) {
    const last = this.queue.at(-1) ?? this.shown;
    if (last && this.isBehind && last.ply === state.ply && isPlayedOn(last, state)) {
      this.queue[this.queue.length - 1] = state;
      return;
    }
    const hasPerson = state.seats.some((seat) => seat.kind !== "agent");
    const steps = last ? state.ply - last.ply : 0;
    if (!last || !hasPerson || steps < 1 || steps > MOST_STEPS || !isPlayedOn(last, state) || this.isHidden()) {
      this.queue = [];
      this.#show(state);
      return;
    }
    for (let ply = last.ply + 1; ply < state.ply; ply++) this.queue.push(stateAt(state, ply));
    this.queue.push(state);
    this.#advance();
  }

  close() {
    this.queue = [];
    clearTimeout(this.timer);
  }

  /** @param {MatchState} state */
  #show(state) {
    this.shown = state;
    this.show(state);
    this.shownAt = this.now();
  }

  // Show the next state when its time has come.
  async #advance() {
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.shown && this.isBehind) {
      const wait = this.shownAt + pause(this.shown, this.queue[0]) - this.now();
      if (wait > 0) {
        await new Promise((/** @type {(_: void) => void} */ done) => (this.timer = this.later(done, wait)));
        continue;
      }
      const [state] = this.queue;
      const picture = state.picture ?? await this.look(state.ply).catch(() => null);
      // other states may have replaced this one
      if (this.queue[0] !== state) continue;
      this.queue.shift();
      if (picture) this.#show({ ...state, picture });
    }
    this.isBusy = false;
  }
}

/**
 * Return for how long one state is shown before the next one.
 * @param {Waiting} before
 * @param {Waiting} after
 */
export function pause(before, after) {
  const side = after.moves[after.ply - 1].side;
  if (after.yours.includes(side)) return 0;
  const isReply = after.seats[side].kind === "agent" && before.moves[before.ply - 1]?.side !== side;
  return isReply ? REPLY_MS : FOLLOW_MS;
}

/**
 * @param {Waiting} before
 * @param {Waiting} after
 */
function isPlayedOn(before, after) {
  return before.moves.every((move, i) => move.text === after.moves[i]?.text);
}

/**
 * Return a state as it was after fewer moves, without its picture.
 * @param {MatchState} state
 * @param {number} ply
 * @returns {Waiting}
 */
function stateAt(state, ply) {
  const side = state.moves[ply].side;
  return { ...state, ply, moves: state.moves.slice(0, ply), to_move: side, thinking: state.seats[side].kind === "agent",
    outcome: null, fault: null, offer: null, declined: null, announcement: "", picture: null };
}
