"""Adjudication: ending a match early by the players' scores, or deciding it by points at a limit.

Match managers for chess engines do the same to save time. A player that has expected to lose for
several moves loses, and a match that both players expect to be drawn is a draw.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from boardgames.errors import OptionError
from boardgames.game import Outcome, PlayedMove, Termination
from boardgames.options import Option, parse_assignments, read_options

_MOST = 10_000
_EXAMPLE_SCORES = {"--resign": 3, "--draw": 0.1}
_SCORE = Option("score", float, None, "amount in the unit of the player's own scores", minimum=0)
_RESIGN_OPTIONS = (_SCORE, Option("moves", int, 3, "number of consecutive moves", minimum=1, maximum=_MOST))
_DRAW_OPTIONS = (
    _SCORE,
    Option("moves", int, 8, "number of consecutive moves of each side", minimum=1, maximum=_MOST),
    Option("after", int, 0, "plies to play before the rule applies", minimum=0, maximum=_MOST),
)


@dataclass(frozen=True, slots=True)
class ResignRule:
    """A side loses if it has expected to be at least `score` behind, or to lose, for `moves` moves in a row.

    Examples
    --------
    >>> ResignRule.parse("score=3,moves=4")
    ResignRule(score=3.0, moves=4)
    """

    score: float
    moves: int = 3

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a rule such as `score=3,moves=4`; raise OptionError if it is invalid."""
        return cls(**_read(text, _RESIGN_OPTIONS, "--resign"))

    def loser(self, moves: Sequence[PlayedMove]) -> int | None:
        """Return the side that moved last if it loses by this rule, otherwise None."""
        if not moves:
            return None
        side = moves[-1].side
        own = _last_moves(moves, side, self.moves)
        return side if len(own) == self.moves and all(self._is_lost(played) for played in own) else None

    def _is_lost(self, played: PlayedMove) -> bool:
        score = played.score
        if score is None:
            return False
        return score.sign < 0 if score.amount is None else score.amount <= -self.score


@dataclass(frozen=True, slots=True)
class DrawRule:
    """A match is drawn if both sides' scores lay within ±`score` in the last `moves` moves of each.

    The rule applies once `after` plies have been played.

    Examples
    --------
    >>> DrawRule.parse("score=0.1,moves=8,after=40")
    DrawRule(score=0.1, moves=8, after=40)
    """

    score: float
    moves: int = 8
    after: int = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a rule such as `score=0.1,moves=8`; raise OptionError if it is invalid."""
        return cls(**_read(text, _DRAW_OPTIONS, "--draw"))

    def is_drawn(self, moves: Sequence[PlayedMove]) -> bool:
        """Return whether a match with these moves is drawn by this rule."""
        if len(moves) < max(self.after, 2 * self.moves):
            return False
        last = [_last_moves(moves, side, self.moves) for side in (0, 1)]
        return all(len(own) == self.moves and all(map(self._is_even, own)) for own in last)

    def _is_even(self, played: PlayedMove) -> bool:
        score = played.score
        return score is not None and score.amount is not None and abs(score.amount) <= self.score


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The rules by which a match is decided before the game's own rules decide it; by default none.

    Attributes
    ----------
    resign : ResignRule or None
        When a side loses because its own scores are bad.
    draw : DrawRule or None
        When a match is drawn because the scores of both sides are even.
    points : bool
        If True, the side with more points wins a match that a limit of plies or moves ends.
    """

    resign: ResignRule | None = None
    draw: DrawRule | None = None
    points: bool = False

    def outcome(self, moves: Sequence[PlayedMove]) -> Outcome | None:
        """Return the outcome that follows from the players' expectations, or None if the match continues."""
        loser = None if self.resign is None else self.resign.loser(moves)
        if loser is not None:
            return Outcome(1 - loser, Termination.ADJUDICATION)
        if self.draw is not None and self.draw.is_drawn(moves):
            return Outcome(None, Termination.ADJUDICATION)
        return None

    def outcome_at_limit(self, points: tuple[int, int]) -> Outcome:
        """Return the outcome of a match that has reached its limit of plies or moves."""
        if self.points and points[0] != points[1]:
            return Outcome(int(points[1] > points[0]), Termination.ADJUDICATION)
        return Outcome(None, Termination.PLY_LIMIT)


NO_ADJUDICATION = Adjudication()


def _last_moves(moves: Sequence[PlayedMove], side: int, count: int) -> list[PlayedMove]:
    """Return up to `count` of the last moves of a side, newest first."""
    found: list[PlayedMove] = []
    for played in reversed(moves):
        if len(found) == count:
            break
        if played.side == side:
            found.append(played)
    return found


def _read(
    text: str, declared: Sequence[Option], owner: str
) -> dict[str, Any]:  # values of the declared types
    """Parse the options of a rule, of which only `score` is required."""
    read = read_options(declared, parse_assignments(text.split(",")), owner)
    if read["score"] is None:
        example = read | {"score": _EXAMPLE_SCORES[owner]}
        given = ",".join(f"{name}={value}" for name, value in example.items())
        raise OptionError(f"{owner} needs a score: {owner} {given}")
    return dict(read)
