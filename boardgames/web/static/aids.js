// The evaluation and the overlays beside a board, as far as its game offers them.

/** @import { GameReply } from "../messages.js" */
/** @import { Evaluation } from "./evaluation.js" */
/** @import { Net } from "./net.js" */
/** @import { Overlays } from "./overlays.js" */

export class Aids {
  game = "";
  described = "";

  /**
   * @param {Net} net
   * @param {Evaluation} evaluation
   * @param {Overlays} overlays
   * @param {(game: GameReply) => void | Promise<void>} [onDescribed]  called with the description of the game when it has arrived
   */
  constructor(net, evaluation, overlays, onDescribed) {
    this.net = net;
    this.evaluation = evaluation;
    this.overlays = overlays;
    this.onDescribed = onDescribed;
  }

  /**
   * Request what a game offers, unless it is known.
   * @param {string} game
   */
  async describe(game) {
    this.game = game;
    if (this.described === game) return;
    try {
      const description = await this.net.game(game);
      if (this.game !== game) return;
      this.evaluation.offer(description);
      this.overlays.offer(description.overlays);
      await this.onDescribed?.(description);
      this.described = game;
    } catch {
      // `reconnected` asks again
    }
  }

  // Repeat the requests that a lost connection has left unanswered.
  reconnected() {
    this.describe(this.game);
    this.evaluation.refresh();
    this.overlays.refresh();
  }
}
