// @ts-nocheck
// The evaluation and the overlays next to a board, with what the game offers for them.

export class Aids {
  // `onDescribed` is called with the description of the game when it has arrived.
  constructor(net, evaluation, overlays, onDescribed) {
    Object.assign(this, { net, evaluation, overlays, onDescribed, game: null, described: null });
  }

  // Ask for what a game offers, unless that is known.
  async describe(game) {
    this.game = game;
    if (this.described === game) return;
    try {
      const description = await this.net.game(game);
      if (this.game !== game) return;
      this.described = game;
      this.evaluation.offer(description);
      this.overlays.offer(description.overlays);
      this.onDescribed?.(description);
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
