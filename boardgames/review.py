"""Review: a recorded match as a player sees it, with what every move lost.

A player values the start and the position after every move, n + 1 searches
for n moves. What a move is worth is the value of the position it led to, seen
from the side that made it; what it lost is the best value before it less that.
Both are taken from where the searches saw equally far, since who moves last
before the horizon looks better; a proven value counts as it is. Values of
decided matches count the plies to the end: for losses they are cut at a bound,
so that a win that takes longer is no mistake.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType

from boardgames.declarations import Unit
from boardgames.draw.chart import Mark, values_svg
from boardgames.errors import RecordError
from boardgames.game import Game, Move, Position, Termination
from boardgames.player import NO_CONTEXT, NO_LIMIT, Analysis, Choice, Context, Limit, Player
from boardgames.record import Record
from boardgames.search.rules import EVALUATION_BOUND, WIN

MISTAKES = 5
UNITS: Mapping[Unit, str] = MappingProxyType(
    {
        "return": "returns from -1 to 1",
        "centimarble": "hundredths of a marble",
        "cell": "cells",
        "score": "points",
        "sum": "a weighted sum of features",
    }
)
"""What values count, in words."""


def _nothing() -> Mapping[int, float]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Scale:
    """Losses, in a unit, that make a move a mistake (`?`) and a blunder (`??`), and where values are cut.

    None where the unit has no size of its own.
    """

    mistake: float | None
    blunder: float | None
    bound: float | None

    def mark(self, loss: float) -> str:
        """Return `?`, `??` or nothing.

        Examples
        --------
        >>> [SCALES["return"].mark(loss) for loss in (0.1, 0.3, 0.8)]
        ['', '?', '??']
        """
        if self.mistake is None or self.blunder is None or loss < self.mistake:
            return ""
        return "??" if loss >= self.blunder else "?"


SCALES: Mapping[Unit, Scale] = MappingProxyType(
    {
        "return": Scale(0.2, 0.5, 1.0),
        "centimarble": Scale(50.0, 150.0, 1000.0),
        "cell": Scale(2.0, 4.0, None),
        "score": Scale(2.0, 5.0, None),
        "sum": Scale(None, None, None),
    }
)
"""Set by hand: half a marble and one and a half, a cell that changes hands and two."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a player sees in a position of the match.

    Attributes
    ----------
    value : float
        For the side to move.
    proven : bool
        The value is exact, as that of an end is.
    line : tuple of Move
        The best play from here; empty at the end of the match.
    by_depth : mapping of int to float
        The value as it was at each depth that the player told of on its way.
    """

    position: Position
    value: float
    unit: Unit
    proven: bool
    line: tuple[Move, ...] = ()
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    by_depth: Mapping[int, float] = field(default_factory=_nothing, repr=False)

    def value_for_side(self, side: int) -> float:
        """Return the value as a side sees it."""
        return self._seen_by(side, self.value)

    def evened_for_side(self, side: int) -> float:
        """Return the mean of the last two depths, since odd and even ones differ; what is proven as it is."""
        depths = sorted(self.by_depth)[-2:]
        if self.proven or self.is_decided or len(depths) < 2:
            return self.value_for_side(side)
        return self._seen_by(side, sum(self.by_depth[depth] for depth in depths) / 2)

    def value_from(self, before: "Look") -> float:
        """Return what the move from `before` to here is worth to who made it, seen as far as from there."""
        known = self.value if self.proven else self.by_depth.get(before.depth - 1, self.value)
        return self._seen_by(before.position.side_to_move, known)

    def _seen_by(self, side: int, value: float) -> float:
        return (value if side == self.position.side_to_move else -value) + 0.0

    @property
    def is_decided(self) -> bool:
        """Say whether who wins is known."""
        is_return = self.unit == "return" and self.proven and abs(self.value) >= 1.0
        return is_return or plies_to_end(self.value) is not None


@dataclass(frozen=True, slots=True)
class Ply:
    """A move that was played, and what it lost.

    Attributes
    ----------
    number : int
        From 1.
    side : int
        Who moved.
    before, after : Look
        The position the move was made in, and the one it led to.
    value : float
        Worth of the move for its side; that of the best move is `before.value`.
    loss : float
        The difference, in the unit; 0 for the best move itself.
    mark : str
        `?` a mistake, `??` a blunder, else empty.
    """

    number: int
    side: int
    move: Move
    before: Look
    after: Look
    value: float
    loss: float
    mark: str

    @property
    def best(self) -> Move:
        """Return the move that the player would have made."""
        return self.before.line[0]

    @property
    def is_best(self) -> bool:
        """Say whether that is the one that was played."""
        return self.best.action == self.move.action


@dataclass(frozen=True)
class Review:
    """A match and what a player says of each of its positions.

    Attributes
    ----------
    record : Record
        The match.
    agent : str
        Who looked, as `Player.describe` has it.
    unit : str
        What all values count.
    looks : tuple of Look
        Of the start and of the position after each move; fewer if the review was stopped.

    Examples
    --------
    >>> from boardgames import Limit, load_player
    >>> from boardgames.plugins import load_game_of
    >>> record = Record("connect4", start="-", moves=("1", "2", "1", "2", "1", "3"))
    >>> found = review(record, load_player("alphabeta", load_game_of(record)), Limit(depth=2))
    >>> [(ply.number, ply.move.text, ply.best.text, ply.mark) for ply in found.mistakes()]
    [(6, '3', '1', '??')]
    """

    record: Record
    agent: str
    unit: Unit
    looks: tuple[Look, ...]

    @property
    def game(self) -> Game:
        """Return what was played."""
        return self.looks[0].position.game

    @property
    def is_complete(self) -> bool:
        """Say whether every position was looked at."""
        return len(self.looks) == len(self.record.moves) + 1

    @cached_property
    def bound(self) -> float:
        """Return where values are cut for losses: the unit's bound, else twice the largest open value."""
        known = SCALES[self.unit].bound
        if known is not None:
            return known
        return 2 * max((abs(look.value) for look in self.looks if not look.is_decided), default=0.0) or 1.0

    @cached_property
    def plies(self) -> tuple[Ply, ...]:
        """Return the moves of which both positions were looked at."""
        return tuple(
            self._ply(number, text, before, after)
            for number, (text, (before, after)) in enumerate(
                zip(self.record.moves, pairwise(self.looks), strict=False), start=1
            )
        )

    def values_for_side(self, side: int) -> tuple[float, ...]:
        """Return the value of every position that was looked at, as a side sees it."""
        return tuple(look.value_for_side(side) for look in self.looks)

    def mistakes(self, count: int | None = MISTAKES) -> tuple[Ply, ...]:
        """Return the `count` moves that lost most, the worst first; None is all.

        Those that have a mark; in a unit without a scale all that lost anything.
        """
        has_scale = SCALES[self.unit].mistake is not None
        found = [ply for ply in self.plies if (ply.mark if has_scale else ply.loss > 0)]
        return tuple(sorted(found, key=lambda ply: -ply.loss)[:count])

    def mean_loss(self, side: int) -> float | None:
        """Return what a side's moves lost on average, None if it made none."""
        losses = [ply.loss for ply in self.plies if ply.side == side]
        return sum(losses) / len(losses) if losses else None

    def svg(self) -> str:
        """Return a chart of the evened values for side 0, the mistakes marked, as an SVG document."""
        sides = self.game.facts.sides
        names = [f"{name} ({side})" for name, side in zip(self.record.names, sides, strict=True)]
        limit = self.bound if SCALES[self.unit].bound is not None else None
        values = [
            math.copysign(math.inf, look.value_for_side(0)) if look.is_decided else look.evened_for_side(0)
            for look in self.looks
        ]
        return values_svg(
            values,
            title=f"{names[0]} - {names[1]} {self.record.result}",
            unit=f"{UNITS[self.unit]}, by {self.agent}, mean of the last two depths",
            sides=sides,
            bound=limit,
            colours=self.looks[0].position.picture().colours,
            marks=[Mark(ply.number, ply.side, ply.mark, _told(ply, sides)) for ply in self.plies if ply.mark],
        )

    def _repr_svg_(self) -> str:
        return self.svg()

    def _ply(self, number: int, text: str, before: Look, after: Look) -> Ply:
        side = before.position.side_to_move
        move = self.game.parse_move(before.position, text)
        is_best = before.line[0].action == move.action
        value = before.value if is_best else after.value_from(before)
        loss = max(self._cut(before.value) - self._cut(value), 0.0)
        return Ply(number, side, move, before, after, value, loss, SCALES[self.unit].mark(loss))

    def _cut(self, value: float) -> float:
        return min(max(value, -self.bound), self.bound)


def review(record: Record, player: Player, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Review:
    """Return what a player says of a match.

    Parameters
    ----------
    record : Record
        Of the player's game, finished or not.
    player : Player
        One that values moves.
    limit : Limit
        What it may spend on each position.
    context : Context
        Its `stop` ends the review: positions not looked at to the end are
        left out, the start excepted. Its `report` hears of every search.

    Raises
    ------
    OptionError
        If the player puts no values on moves.
    PositionError, RecordError
        If the record's game is another one, or a move is not legal.
    """
    found = tuple(looks(record, player, limit, context))
    return Review(record, player.describe(), found[0].unit, found)


def looks(
    record: Record, player: Player, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT
) -> Iterator[Look]:
    """Yield what a player sees in the start and after each move; see `review`.

    Nothing is searched before the whole record has been checked. Every position
    is looked at for itself, as if the match began there: to come back to one
    that was there before is no draw, as it was none when the match went on.
    """
    if record.game != player.game.facts.name:
        raise RecordError(f"expected a match of {player.game}: {record.game!r}")
    positions = tuple(record.positions(player.game))
    unit = player.game.evaluation.unit
    for ply, position in enumerate(positions):
        if position.outcome is not None:
            yield end_look(position, unit)
            return
        heard: dict[int, float] = {}
        now = replace(context, history=(), report=_listener(heard, context))
        found = player.analyse(position, limit, now, lines=1)
        unit = found.unit
        is_stopped = context.stop is not None and context.stop.is_set()
        if not is_stopped or ply == 0:
            yield _look(found, heard)
        if is_stopped:
            return


def end_look(position: Position, unit: Unit) -> Look:
    """Return what a finished position is worth: exactly its margin where the unit counts one.

    Examples
    --------
    >>> from boardgames import load
    >>> end_look(load("connect4").parse("1212121"), "return").value_for_side(0)
    1.0
    """
    outcome, evaluation = position.outcome, position.game.evaluation
    assert outcome is not None
    is_margin = evaluation.exact_at_end and evaluation.unit == unit
    if is_margin and outcome.termination == Termination.RULES:
        value = float(evaluation.kernel(position.words, evaluation.weights))
    else:
        value = outcome.returns[position.side_to_move] * (1.0 if unit == "return" else WIN)
    return Look(position, value, unit, proven=True)


def plies_to_end(value: float) -> int | None:
    """Return the plies to the end of a decided match that a value tells, None if it tells none.

    Examples
    --------
    >>> plies_to_end(WIN - 5), plies_to_end(-WIN + 4), plies_to_end(80.0)
    (5, 4, None)
    """
    return round(WIN - abs(value)) if abs(value) > EVALUATION_BOUND else None


def _listener(heard: dict[int, float], context: Context) -> Callable[[Choice], None]:
    """Return a callback that keeps the value of every depth, and tells the context's own."""

    def hear(choice: Choice) -> None:
        if choice.value is not None and choice.simulations == 0:  # those of tree search have no depth
            heard[choice.depth] = choice.value
        if context.report is not None:
            context.report(choice)

    return hear


def _look(found: Analysis, heard: Mapping[int, float]) -> Look:
    best = found.moves[0]
    return Look(
        found.position,
        found.value,
        found.unit,
        found.proven,
        best.line or (best.move,),
        found.depth,
        found.nodes,
        found.seconds,
        MappingProxyType(dict(heard)),
    )


def _told(ply: Ply, sides: tuple[str, str]) -> str:
    return f"ply {ply.number}, {sides[ply.side]} {ply.move}{ply.mark}, better {ply.best}"
