"""Position, Move, Outcome, Termination: values that a game gives out.

Users find them in `boardgames.game`. Nothing here trusts its arguments.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from boardgames.draw.svg import svg
from boardgames.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    MalformedMoveError,
    shown,
)
from boardgames.kernels import Words
from boardgames.picture import Picture

if TYPE_CHECKING:
    from boardgames.game import Game


class Termination(StrEnum):
    """Why a match ended."""

    RULES = "rules"
    NO_MOVES = "no-moves"
    TIME = "time"
    PLY_LIMIT = "ply-limit"
    NO_PROGRESS = "no-progress"
    REPETITION = "repetition"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"
    ILLEGAL_MOVE = "illegal-move"
    CRASH = "crash"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who won, None for a draw, and why it ended.

    Examples
    --------
    >>> Outcome(1, Termination.TIME).returns
    (-1.0, 1.0)
    """

    winner: int | None
    termination: Termination

    @property
    def returns(self) -> tuple[float, float]:
        """Return one number per side: 1 won, -1 lost, 0 drawn."""
        if self.winner is None:
            return 0.0, 0.0
        return (1.0, -1.0) if self.winner == 0 else (-1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Move:
    """An action together with its canonical text in the position it was made for."""

    action: int
    text: str

    def __str__(self) -> str:
        return self.text


class Position:
    """An immutable position of a game.

    Made by `Game.start`, `Game.parse`, `Game.unpack` and `Position.apply`;
    two are equal if their games and packed words are.
    """

    __slots__ = ("__dict__", "_words", "game")

    game: "Game"
    _words: Words

    def __init__(self, game: "Game", words: Words) -> None:
        object.__setattr__(self, "game", game)
        # an array on bytes stays read-only, whatever its holder does to its flags
        object.__setattr__(self, "_words", np.frombuffer(words.tobytes(), dtype=np.uint64))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a position is immutable: {name!r} cannot be set")

    @property
    def words(self) -> Words:
        """Return the packed position, `uint64[n]`, read-only."""
        return self._words

    @cached_property
    def side_to_move(self) -> int:
        """Return 0 or 1; after the end, what the rules say, which means nothing."""
        return int(self.game.kernels.side_to_move(self._words))

    @cached_property
    def actions(self) -> tuple[int, ...]:
        """Return the legal actions, ascending; none if the match is over."""
        buffer = np.zeros(self.game.facts.actions, dtype=np.int64)
        count = self.game.kernels.legal_moves(self._words, buffer)
        return tuple(buffer[:count].tolist())

    @cached_property
    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves by ascending action; none if the match is over."""
        return tuple(Move(action, self.game.format_action(self._words, action)) for action in self.actions)

    @cached_property
    def _decoded(self) -> dict[int, Move]:
        """The moves that `Game.decode` has made, by action: one is asked for several times."""
        return {}

    @cached_property
    def outcome(self) -> Outcome | None:
        """Return how the rules end the match here, or None if it goes on."""
        code = int(self.game.kernels.outcome(self._words))
        if code >= 0:
            return Outcome(code if code < 2 else None, Termination.RULES)
        if self.actions:
            return None
        draws = self.game.facts.no_moves_draws
        return Outcome(None if draws else 1 - self.side_to_move, Termination.NO_MOVES)

    @property
    def score(self) -> tuple[int, int]:
        """Return what the rules count for side 0 and side 1; 0, 0 if they count nothing."""
        return self.game.score(self._words)

    def is_legal(self, move: Move | str) -> bool:
        """Say whether `move`, a text or a move, can be made here."""
        if isinstance(move, Move):
            return self._has(move.action)
        try:
            self.game.parse_move(self, move)
        except (IllegalMoveError, MalformedMoveError, AmbiguousMoveError):
            return False
        return True

    def apply(self, move: Move | str) -> "Position":
        """Return the position after `move`, a text or a move.

        Raises
        ------
        MalformedMoveError, IllegalMoveError, AmbiguousMoveError
            If the text is no move, the move is not legal here, or the text
            fits several legal moves.
        """
        if isinstance(move, str):
            move = self.game.parse_move(self, move)
        elif not isinstance(move, Move):
            raise MalformedMoveError(f"expected a move or its text: {shown(move)}")
        elif not self._has(move.action):
            raise IllegalMoveError(f"expected a legal move in {self}: {shown(move.text)}")
        successor = np.empty_like(self._words)
        self.game.kernels.apply(self._words, move.action, successor)
        return Position(self.game, successor)

    def picture(self) -> Picture:
        """Return what the position looks like."""
        return self.game.draw(self._words)

    def svg(self) -> str:
        """Return the position as an SVG document."""
        return svg(self.picture())

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return self.svg()

    def _has(self, action: object) -> bool:
        return isinstance(action, Integral) and action in self.actions

    def __str__(self) -> str:
        return self.game.format_words(self._words)

    def __repr__(self) -> str:
        return f"<{self.game} {self}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _position_of, (self.game, self._words.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.game == other.game and bool(np.array_equal(self._words, other._words))

    def __hash__(self) -> int:
        return hash((self.game, self._words.tobytes()))


def _position_of(game: "Game", words: list[int]) -> Position:
    return game.unpack(words)
