// A move that is chosen while the opponent thinks, and played at once if it is then legal.

/** @import { MatchState, Picture } from "../messages.js" */

export class Premove {
  /**
   * @param {(ply: number) => Promise<Picture>} look  returns the board as if this page's side were to move
   * @param {() => void} changed  is called when that board has arrived
   */
  constructor(look, changed) {
    this.look = look;
    this.changed = changed;
    /** @type {string | null} */
    this.move = null;
    this.ply = -1;
    /** @type {Picture | null} */
    this.picture = null;
  }

  /**
   * Return the board of a state on which a premove can be chosen, or null until it has arrived.
   * @param {MatchState} state
   */
  board(state) {
    if (this.ply !== state.ply) {
      this.ply = state.ply;
      this.picture = null;
      this.#ask(state);
    }
    return this.picture;
  }

  /**
   * Forget the premove, and return it if it is legal now that it is this page's turn, or else null.
   * @param {Picture["clicks"]} clicks  the legal moves
   */
  take(clicks) {
    const { move } = this;
    this.move = null;
    return move !== null && move in clicks ? move : null;
  }

  /** @param {MatchState} state */
  async #ask(state) {
    try {
      const { clicks, buttons } = await this.look(state.ply);
      if (this.ply === state.ply) this.picture = { ...state.picture, clicks, buttons };
    } catch {
      return; // the match has moved on, or the game knows no such position
    }
    this.changed();
  }
}
