"""Players that look at most one ply ahead: random and greedy."""

from typing import ClassVar

from boardgames.game import Position
from boardgames.playing import (
    NO_CONTEXT,
    NO_LIMIT,
    Analysis,
    Choice,
    Context,
    Limit,
    Player,
    fingerprint_of,
)
from boardgames.search.alphabeta import negamax
from boardgames.search.deepening import search


class Random(Player):
    """Any legal move, each as likely."""

    name: ClassVar[str] = "random"
    heeds_limits: ClassVar[bool] = False

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return a random legal move; the seed decides which."""
        actions = self._check_open(position).actions
        action = actions[int(self.random.integers(len(actions)))]
        return Choice(position.game.decode(position, action))


class Greedy(Player):
    """The move whose successor the game's evaluation likes best; chance breaks ties."""

    name: ClassVar[str] = "greedy"
    heeds_limits: ClassVar[bool] = False

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return a best move one ply ahead; the seed decides between equals."""
        analysis = self.analyse(position, limit, context)
        best = [entry for entry in analysis.moves if entry.value == analysis.value]
        entry = best[int(self.random.integers(len(best)))]
        return Choice(entry.move, entry.value, analysis.unit, entry.line, 1, analysis.nodes, analysis.seconds)

    def fingerprint(self) -> str:
        """Return the hash of the evaluation's weights."""
        return fingerprint_of(self.game.evaluation.weights.tobytes())

    def analyse(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Analysis:
        """Return the evaluation after every legal move."""
        self._check_open(position)
        evaluation = position.game.evaluation
        return search(position, negamax, evaluation, Limit(depth=1), context, all_moves=True)
