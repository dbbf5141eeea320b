"""The agent `level`: alpha-beta at ten strengths, for people to play against.

A weaker level searches less deeply or visits fewer positions, misjudges moves
because of random noise, and sometimes looks only one ply ahead. Levels limit
plies and positions, not seconds, so that a level is equally strong on every
machine; only the strongest one uses all of its time. The noise is proportional to
the spread of the values of the moves, so that it fits the evaluation of any game,
whatever its unit.
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
"""How many standard deviations wins are above the best other move, and losses below the worst."""
ROUNDING = 1e-6
"""Amounts that differ by no more than this are equal."""
ORDER = 0.01
"""Standard deviations between a win and the next longer win, or a loss and the next shorter loss."""
TIE_BREAK = 1e-9
"""Standard deviation of noise that only decides between equal moves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """The strength of a level.

    Attributes
    ----------
    limit : Limit
        Limit for one move.
    noise : float
        Standard deviation of the noise on the values of moves, relative to their spread.
    lapses : float
        Probability that a move is searched only one ply deep.
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
"""The levels, from 1; docs/levels.md has the results of each against the one below."""

LEVEL = Option(
    "level",
    int,
    5,
    "strength from 1 (loses to beginners) to 10 (the full search)",
    1,
    len(STRENGTHS),
    role="strength",
)


class Level(AlphaBeta):
    """Alpha-beta at a level from 1 to 10.

    The same seed gives the same match, except at level 10, which depends on time
    and also plays from opening books. `analyse` respects the limits of the level,
    but its values have no noise.
    """

    name: ClassVar[str] = "level"
    declared_options = (LEVEL, TABLE, BOOK)

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        level = self.options[LEVEL.name]
        assert isinstance(level, int)
        self.strength = STRENGTHS[level - 1]
        self._one_ply = self._new_searcher(SearchOptions.plain())

    def describe(self) -> str:
        """Return the agent text, which always names the level."""
        text = super().describe()
        if self.options[LEVEL.name] != LEVEL.default:
            return text
        _, _, others = text.partition(":")
        return ",".join(filter(None, (f"{self.name}:{LEVEL.name}={LEVEL.default}", others)))

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the best move at this level. Searches with noise report only their final choice."""
        self._check_position(position)
        is_lapse = self.random.random() < self.strength.lapses
        if not is_lapse and not self.strength.noise:
            return super().choose(position, limit, context)
        silent = replace(context, report=None)
        analysis = (
            self._search_one_ply(position, silent) if is_lapse else self._search_all(position, limit, silent)
        )
        choice = analysis.choice(analysis.moves[int(self._with_noise(analysis).argmax())])
        if context.report is not None:
            context.report(choice)
        return choice

    def _search_all(self, position: Position, limit: Limit, context: Context) -> Analysis:
        """Return the values of all moves within the limits of the level."""
        if self.strength.limit.depth == 1:  # not `analyse`, whose table may hold deeper results
            return self._search_one_ply(position, context)
        return self.analyse(position, limit, context)

    def _search_one_ply(self, position: Position, context: Context) -> Analysis:
        """Return the evaluation after every move."""
        return self._one_ply.search(position, ONE_PLY, context, lines=None)

    def _limit(self, limit: Limit) -> Limit:
        return super()._limit(limit.tightened(self.strength.limit))

    def _with_noise(self, analysis: Analysis) -> Reals:
        """Return the normalised values of the moves with this level's noise."""
        values = standardised_values([entry.score for entry in analysis.moves])
        noise = max(self.strength.noise, TIE_BREAK)
        noisy: Reals = values + noise * self.random.standard_normal(values.size)
        return noisy


def standardised_values(scores: Sequence[Score]) -> Reals:
    """Return scores of moves as numbers with a standard deviation of 1, whatever the unit.

    Parameters
    ----------
    scores : sequence of Score
        Scores of moves, best first.

    Returns
    -------
    float64[n]
        Amounts divided by their standard deviation. Wins are about 4 above the best
        amount and losses 4 below the worst, in their order.

    Examples
    --------
    >>> from boardgames.score import RETURN
    >>> amounts = [Score.of(amount, RETURN) for amount in (0.5, 0.25, 0.25)]
    >>> standardised_values([Score.win(3), *amounts, Score.loss(4), Score.loss(2)]).round(2).tolist()
    [8.24, 4.24, 2.12, 2.12, -1.92, -1.93]
    """
    signs = np.array([score.sign if score.is_decisive else 0 for score in scores])
    amounts = np.array([score.amount or 0.0 for score in scores])
    open_amounts = amounts[signs == 0] if (signs == 0).any() else np.zeros(1)
    spread = float(open_amounts.std()) if np.ptp(open_amounts) > ROUNDING else 1.0
    values: Reals = amounts / spread
    order = ORDER * np.arange(values.size)
    values[signs > 0] = open_amounts.max() / spread + DECIDED - order[signs > 0]
    values[signs < 0] = open_amounts.min() / spread - DECIDED - order[signs < 0]
    return values
