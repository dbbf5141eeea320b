"""The player `level`: alpha-beta made weaker, in ten steps, for people to play against.

A level looks ahead by few plies or visits few positions, misjudges what it
sees, and now and then looks one ply ahead only. All of that counts positions
and plies, not seconds, so that a level means the same on every machine; only
the strongest one takes the time that it gets. What a move seems worth is its
value plus noise, as wide as a share of how far the values of the moves lie
apart: that works with the evaluation of any game, whatever its unit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from boardgames.game import Game, Position
from boardgames.kernels import Reals
from boardgames.options import Option
from boardgames.player import NO_CONTEXT, NO_LIMIT, Analysis, Choice, Context, Limit
from boardgames.players.alphabeta import BOOK, TABLE, AlphaBeta
from boardgames.score import Score
from boardgames.search.alphabeta.options import SearchOptions

ONE_PLY = Limit(depth=1)
DECIDED = 4.0
"""A win in sight seems better than the best other move by so many spreads, a loss worse than the worst."""
ORDER = 0.01
"""A longer win or a shorter loss seems worse than the one before it by so many spreads."""
SLIGHT_NOISE = 1e-9
"""Decides between equals alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """What makes a level as strong as it is.

    Attributes
    ----------
    limit : Limit
        What it may spend on a move.
    noise : float
        Width of the noise on the values of moves, the spread of these being 1.
    lapses : float
        Share of its moves for which it looks one ply ahead only.
    """

    limit: Limit = NO_LIMIT
    noise: float = 0.0
    lapses: float = 0.0


STRENGTHS = (
    Strength(limit=Limit(depth=1), noise=5.0),
    Strength(limit=Limit(depth=1), noise=2.6),
    Strength(limit=Limit(depth=1), noise=1.5),
    Strength(limit=Limit(depth=1), noise=0.8),
    Strength(limit=Limit(depth=2, nodes=20_000), noise=0.8, lapses=0.3),
    Strength(limit=Limit(depth=2, nodes=20_000), noise=0.3, lapses=0.1),
    Strength(limit=Limit(nodes=2_500)),
    Strength(limit=Limit(nodes=10_000)),
    Strength(limit=Limit(nodes=40_000)),
    Strength(),
)
"""The levels, from 1 on; docs/levels.md says what each wins against the one below."""

LEVEL = Option("level", int, 5, "1 loses to beginners, 10 plays as well as it can", 1, len(STRENGTHS))


class Level(AlphaBeta):
    """Alpha-beta as strong as its level, 1 to 10; the same seed gives the same match, but at level 10.

    The strongest plays by opening books too, as `alphabeta` does. `analyse`
    keeps to the level's limits, but its values have no noise.
    """

    name: ClassVar[str] = "level"
    declared_options = (LEVEL, TABLE, BOOK)

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        level = self.options[LEVEL.name]
        assert isinstance(level, int)
        self.strength = STRENGTHS[level - 1]
        self._one_ply = self._new_searcher(SearchOptions.plain())

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the move that seems best; one that came of noise or a lapse is reported only when chosen."""
        self._check_open(position)
        lapses = self.random.random() < self.strength.lapses
        if not lapses and not self.strength.noise:
            return super().choose(position, limit, context)
        silent = replace(context, report=None)
        found = self._glance(position, silent) if lapses else self._look(position, limit, silent)
        seeming = self._seeming(found)
        choice = found.choice(found.moves[int(seeming.argmax())])
        if context.report is not None:
            context.report(choice)
        return choice

    def _look(self, position: Position, limit: Limit, context: Context) -> Analysis:
        """Return the values of all moves within the level's limits."""
        if self.strength.limit.depth == 1:  # the table may know of more plies than these
            return self._glance(position, context)
        return self.analyse(position, limit, context)

    def _glance(self, position: Position, context: Context) -> Analysis:
        """Return the evaluation after every move."""
        return self._one_ply.search(position, ONE_PLY, context, lines=None)

    def _limit(self, limit: Limit) -> Limit:
        return super()._limit(limit.tightened(self.strength.limit))

    def _seeming(self, found: Analysis) -> Reals:
        """Return what each move seems worth, in spreads; chance decides between equals."""
        worths = in_spreads([entry.score for entry in found.moves])
        width = max(self.strength.noise, SLIGHT_NOISE)
        seeming: Reals = worths + width * self.random.standard_normal(worths.size)
        return seeming


def in_spreads(scores: Sequence[Score]) -> Reals:
    """Return scores of moves as numbers whose spread is 1, whatever their unit.

    Parameters
    ----------
    scores : sequence of Score
        Of moves, best first.

    Returns
    -------
    float64[n]
        Amounts divided by their standard deviation. A win is 4 above the best
        amount, a loss 4 below the worst, in their order.

    Examples
    --------
    >>> from boardgames.score import RETURN
    >>> amounts = [Score.of(amount, RETURN) for amount in (0.5, 0.25, 0.25)]
    >>> in_spreads([Score.win(3), *amounts, Score.loss(4), Score.loss(2)]).round(2).tolist()
    [8.24, 4.24, 2.12, 2.12, -1.92, -1.93]
    """
    signs = np.array([score.sign if score.is_decisive else 0 for score in scores])
    amounts = np.array([score.amount or 0.0 for score in scores])
    undecided = amounts[signs == 0] if (signs == 0).any() else np.zeros(1)
    spread = float(undecided.std()) or 1.0
    worths: Reals = amounts / spread
    order = ORDER * np.arange(worths.size)
    worths[signs > 0] = undecided.max() / spread + DECIDED - order[signs > 0]
    worths[signs < 0] = undecided.min() / spread - DECIDED - order[signs < 0]
    return worths
