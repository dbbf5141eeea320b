"""The agent `passive`: opponents that keep their marbles together and hardly attack.

It is hard to push marbles of such an opponent off, which makes it a useful benchmark. There are several
kinds, which all use alpha-beta search to a fixed depth. Their evaluations count the marbles pushed off,
the agent's own formation, and how many of its marbles the opponent can push. The opponent's formation does
not count, since the agent would then open its own formation to attack. Only the kind `cautious` uses the
evaluation `engine`, with different weights. No kind uses the game's default evaluation, so the agent
never changes.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from boardgames.declarations import Evaluation
from boardgames.game import Game, Position
from boardgames.kernels import Evaluate, Reals, Words, kernel, popcount
from boardgames.options import Option
from boardgames.player import (
    NO_CONTEXT,
    NO_LIMIT,
    Analysis,
    Choice,
    Context,
    Limit,
    Player,
    fingerprint_of,
)
from boardgames.players.alphabeta import DEPTH
from boardgames.score import Score
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher
from boardgames_abalone.evaluation import BOUND, MARBLE, QUIET_MARGIN, SCALE, engine_evaluation
from boardgames_abalone.features import count_beyond, flowers, pushes
from boardgames_abalone.rules import ONE, STATUS, behind
from boardgames_abalone.terms import ENGINE_TERMS, TERM_COUNT, density, marbles_lost

SHUFFLE_TOLERANCE = 0.3
"""How much worse than the best move, in marbles, a move that undoes the previous one may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Formation:
    """The weights by which a passive player values formations, in hundredths of a marble.

    Attributes
    ----------
    pairs, rows, flowers : float
        Bonuses for each pair of neighbours, each row of three, and each marble with six neighbours.
    density : float
        Penalty for each cell of the mean distance between marbles.
    rings : tuple of four floats
        Penalties for each marble at least 1, 2, 3 and 4 steps from the centre.
    threatened, push_offs : float
        Penalties for each marble that the opponent could push, and for each way to push one off.
    """

    pairs: float = 0.0
    rows: float = 0.0
    flowers: float = 0.0
    density: float = 0.0
    rings: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    threatened: float = 3.0
    push_offs: float = 10.0

    def evaluation(self, side: int) -> Evaluation:
        """Return the evaluation of a player on `side`."""
        weights = (
            float(side),
            self.pairs,
            self.rows,
            self.flowers,
            self.density,
            *self.rings,
            self.threatened,
            self.push_offs,
        )
        return Evaluation(
            "passive",
            evaluate_passive,
            np.array(weights),
            unit=MARBLE,
            bound=BOUND,
            margin=QUIET_MARGIN,
            scale=SCALE,
        )


COMPACT = Formation(pairs=6.0, flowers=4.0, density=60.0)
FORMATIONS = {
    "compact": COMPACT,
    "centre": Formation(pairs=3.0, flowers=2.0, density=40.0, rings=(3.0, 10.0, 9.0, 5.0)),
    "wall": Formation(pairs=2.0, rows=6.0, rings=(0.0, 0.0, 3.0, 8.0), threatened=8.0, push_offs=15.0),
    "edge": Formation(pairs=6.0, flowers=4.0, density=60.0, rings=(0.0, 0.0, -2.0, -4.0), push_offs=20.0),
    "shuffler": COMPACT,
}
"""The formations that the kinds aim for; `cautious` uses the terms of `engine` instead."""
KIND = Option(
    "kind",
    str,
    "compact",
    "the formation it aims for: a compact group anywhere, in the centre or at the edge, or long rows; "
    "a shuffler undoes its last move, a cautious player attacks a little",
    choices=(*FORMATIONS, "cautious"),
)


class Passive(Player):
    """Keeps its marbles together and waits."""

    name: ClassVar[str] = "passive"
    declared_options = (KIND, replace(DEPTH, default=4))

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        formation = FORMATIONS.get(str(self.options[KIND.name]))
        if formation is None:
            self._evaluations = (cautious_evaluation(),) * 2
        else:
            self._evaluations = (formation.evaluation(0), formation.evaluation(1))
        self._searchers = [
            Searcher(game, evaluation, SearchOptions(table=0)) for evaluation in self._evaluations
        ]

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the best move; a shuffler undoes its previous move instead if that is nearly as good."""
        choice = self.analyse(position, limit, context, lines=1).choice()
        if self.options[KIND.name] != "shuffler":
            return choice
        return self._undoing_choice(position, limit, context, choice) or choice

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the values of all legal moves, or of the best `lines` moves, searched to the same depth."""
        self._check_position(position, lines=lines)
        searcher = self._searchers[position.side_to_move]
        return searcher.search(position, self._limit(limit), context, lines=lines)

    def match_started(self, side: int) -> None:
        """Forget the previous match."""
        for searcher in self._searchers:
            searcher.forget()

    def fingerprint(self) -> str:
        """Return the hash of the evaluations."""
        return fingerprint_of(*(evaluation.weight_bytes() for evaluation in self._evaluations))

    def _limit(self, limit: Limit) -> Limit:
        return limit.tightened(Limit(depth=int(self.options[DEPTH.name] or 0)))

    def _undoing_choice(
        self, position: Position, limit: Limit, context: Context, best: Choice
    ) -> Choice | None:
        """Return the move that takes this side's marbles back to where they were, if it is good enough."""
        if len(context.history) < 2 or best.score is None or best.score.amount is None:
            return None
        side = position.side_to_move
        own = slice(2 * side, 2 * side + 2)
        before = context.history[-2].words[own].tolist()
        for move in position.legal_moves:
            successor = position.apply(move)
            if successor.words[own].tolist() != before or successor.outcome is not None:
                continue
            depth = max(1, int(self._limit(limit).depth or 1) - 1)
            reply = self._searchers[side].search(successor, Limit(depth=depth), NO_CONTEXT)
            score = -reply.score
            if score >= Score.of(best.score.amount - SHUFFLE_TOLERANCE, MARBLE):
                return replace(best, move=move, score=score, line=(move, *reply.moves[0].line), proven=False)
        return None


@kernel(Evaluate)
def evaluate_passive(position: Words, weights: Reals) -> float:
    """Return the value of the marbles pushed off and of one side's formation, for the side to move.

    Parameters
    ----------
    position : uint64[5]
        Packed position.
    weights : float64[11]
        The side whose marbles count, 0 or 1; then the fields of `Formation`.
    """
    side = np.int64(weights[0])
    low, high = position[2 * side], position[2 * side + 1]
    other_low, other_high = position[2 - 2 * side], position[3 - 2 * side]
    pairs = rows = 0
    for direction in range(3):
        ahead_low, ahead_high = behind(low, high, direction)
        pair_low, pair_high = low & ahead_low, high & ahead_high
        pairs += popcount(pair_low) + popcount(pair_high)
        ahead_low, ahead_high = behind(pair_low, pair_high, direction)
        rows += popcount(low & ahead_low) + popcount(high & ahead_high)
    value = 100.0 * (marbles_lost(position[STATUS], 1 - side) - marbles_lost(position[STATUS], side))
    value += weights[1] * pairs + weights[2] * rows + weights[3] * flowers(low, high)
    value -= weights[4] * density(low, high)
    for ring in range(4):
        value -= weights[5 + ring] * count_beyond(low, high, ring + 1)
    _, push_offs, pushed_low, pushed_high = pushes(other_low, other_high, low, high)
    value -= weights[9] * (popcount(pushed_low) + popcount(pushed_high)) + weights[10] * np.int64(push_offs)
    return value if side == np.int64(position[STATUS] & ONE) else -value


def cautious_evaluation() -> Evaluation:
    """Return `engine` with larger weights for close formations and half the weights for pushes."""
    engine = engine_evaluation()
    halved = ("pushes", "push threats", "push-offs", "push-off threats", "edge pressure")
    factors = dict.fromkeys(halved, 0.5)
    bonuses = {"pairs": 2.0, "flowers": 4.0, "spread": 1.5}
    weights = np.array(engine.weights)
    for index, term in enumerate(ENGINE_TERMS):
        for place in (index, TERM_COUNT + index):
            weights[place] = weights[place] * factors.get(term.name, 1.0) + bonuses.get(term.name, 0.0)
    return replace(engine, weights=weights)
