"""Games and positions: the rules of a game behind methods that check their arguments.

A plug-in subclasses `Game`: it sets facts and kernels and implements the
methods that read, write and draw packed positions. Users work with `Position`,
an immutable value, and need none of those methods. Kernels trust their
arguments; the public methods here check theirs.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from numbers import Integral
from operator import index
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

from boardgames.compiling import rules_code, waits_for_call
from boardgames.declarations import (
    NO_EVALUATION,
    Contempt,
    Evaluation,
    Exercise,
    Facts,
    Kernels,
    Symmetry,
)
from boardgames.draw.svg import svg
from boardgames.draw.text import plain_text
from boardgames.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    MalformedMoveError,
    MoveError,
    OptionError,
    PluginError,
    PositionError,
    RulesError,
    UnknownNameError,
    quote,
    suggest,
)
from boardgames.faults import guard_methods, plugin_fault
from boardgames.kernels import Words
from boardgames.options import Option, OptionValue, check_option_names, read_options
from boardgames.picture import Picture
from boardgames.score import Score

if TYPE_CHECKING:
    from boardgames.observation import Observation

WORD_BITS = 64
MAX_POINTS = 2**53
"""Largest number of points; larger numbers are not exact in JSON."""
DRAWN = 2
"""What the kernel `outcome` returns for a draw."""

_Value = TypeVar("_Value")
_MOVE_NUMBER = re.compile(r"(?<!\S)[0-9]+\.+")


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
    ADJUDICATION = "adjudication"
    ILLEGAL_MOVE = "illegal-move"
    CRASH = "crash"
    UNKNOWN = "unknown"

    @property
    def ending(self) -> str:
        """Return how a match ended, to append to its result; empty if the rules of the game decided it.

        Examples
        --------
        >>> Termination.TIME.ending, Termination.NO_MOVES.ending, Termination.RULES.ending
        (' on time', ' (no legal moves)', '')
        """
        return _ENDINGS[self]


_ENDINGS = {
    Termination.RULES: "",
    Termination.NO_MOVES: " (no legal moves)",
    Termination.TIME: " on time",
    Termination.PLY_LIMIT: " (ply limit)",
    Termination.NO_PROGRESS: " (no progress)",
    Termination.REPETITION: " by repetition",
    Termination.RESIGNATION: " by resignation",
    Termination.AGREEMENT: " by agreement",
    Termination.ADJUDICATION: " by adjudication",
    Termination.ILLEGAL_MOVE: " (illegal move)",
    Termination.CRASH: " (crash)",
    Termination.UNKNOWN: " (reason unknown)",
}
"""The texts of `Termination.ending`."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The winner, None for a draw, and why the match ended.

    Examples
    --------
    >>> Outcome(1, Termination.TIME).returns
    (-1.0, 1.0)
    """

    winner: int | None
    termination: Termination

    @property
    def returns(self) -> tuple[float, float]:
        """Return a number for each side: 1 for a win, -1 for a loss, 0 for a draw."""
        if self.winner is None:
            return 0.0, 0.0
        return (1.0, -1.0) if self.winner == 0 else (-1.0, 1.0)

    def describe(self, sides: tuple[str, str]) -> str:
        """Return who won and, unless the rules of the game decided it, how.

        Examples
        --------
        >>> Outcome(1, Termination.TIME).describe(("blue", "red"))
        'red wins on time'
        """
        text = "draw" if self.winner is None else f"{sides[self.winner]} wins"
        return text + self.termination.ending


@dataclass(frozen=True, slots=True)
class Move:
    """An action in a position, and its text in the canonical notation."""

    action: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A move of a match: the side that made it, the seconds it took, its ply (from 1).

    `score` is what the player expected from the move, or None if that is
    unknown. `from_book` is True if the move came from an opening book.
    """

    side: int
    move: Move
    seconds: float
    ply: int
    score: Score | None = None
    from_book: bool = False


class _unlocked_property(cached_property[_Value]):  # noqa: N801 - used like `property`
    """A cached property without a lock.

    In Python 3.11 `functools.cached_property` holds a lock shared by all instances while it computes
    a value, so one kernel that hangs would block the property for every game.
    """

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> _Value: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> Self | _Value:
        if instance is None:
            return self
        value = self.func(instance)
        vars(instance)[str(self.attrname)] = value
        return value


class Position:
    """An immutable position of a game.

    Positions are made by `Game.start`, `Game.parse`, `Game.unpack` and `Position.apply`.
    Two positions are equal if their games and their packed words are equal.
    """

    __slots__ = ("__dict__", "_words", "game")

    game: "Game"
    _words: Words

    def __init__(self, game: "Game", words: Words) -> None:
        _set_game(self, game)
        # an array backed by bytes cannot be made writable again
        _set_words(self, np.frombuffer(words.tobytes(), _WORD))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a position is immutable: cannot set {name!r}")

    @property
    def words(self) -> Words:
        """Return the packed position, `uint64[n]`, read-only."""
        return self._words

    @_unlocked_property
    @rules_code
    def side_to_move(self) -> int:
        """Return the side to move, 0 or 1; meaningless once the match is over."""
        side = int(self.game.kernels.side_to_move(self._words))
        if side not in (0, 1):
            raise self.game._kernel_fault("side_to_move", f"returned {side}, not 0 or 1")
        return side

    @_unlocked_property
    @rules_code
    def actions(self) -> tuple[int, ...]:
        """Return the legal actions in ascending order; empty if the match is over."""
        most = self.game.facts.actions
        buffer = np.zeros(most, _ACTION)
        count = self.game.kernels.legal_moves(self._words, buffer)
        if not 0 <= count <= most:
            raise self.game._kernel_fault("legal_moves", f"returned {count}, not 0 to {most} moves")
        actions = tuple(buffer[:count].tolist())
        if actions and not (min(actions) >= 0 and max(actions) < most):
            wrong = next(action for action in actions if not 0 <= action < most)
            raise self.game._kernel_fault(
                "legal_moves", f"wrote the action {wrong} in {self}, but actions are 0 to {most - 1}"
            )
        return actions

    @_unlocked_property
    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves in the order of their actions; empty if the match is over."""
        return tuple(Move(action, self.game.format_action(self._words, action)) for action in self.actions)

    @_unlocked_property
    def _decoded(self) -> dict[int, Move]:
        """Cache of `Game.decode`, by action."""
        return {}

    @_unlocked_property
    @rules_code
    def outcome(self) -> Outcome | None:
        """Return the outcome if the rules end the match here, otherwise None."""
        code = int(self.game.kernels.outcome(self._words))
        if not -1 <= code <= DRAWN:
            raise self.game._kernel_fault("outcome", f"returned {code}, not -1 to {DRAWN}")
        if code >= 0:
            return Outcome(code if code < 2 else None, Termination.RULES)
        if self.actions:
            return None
        draws = self.game.facts.no_moves_draws
        return Outcome(None if draws else 1 - self.side_to_move, Termination.NO_MOVES)

    @property
    @rules_code
    def outcome_at_limit(self) -> Outcome:
        """Return the outcome if a limit of plies ends the match here: a draw, unless the game says who wins.

        Examples
        --------
        >>> import boardgames
        >>> game = boardgames.load("abalone", limit="score")
        >>> last = game.parse("ww.bb/wwwbbb/.ww.bb./......../........./......../.bb.ww./bb.www/bb.w.:b:2:1")
        >>> last.outcome_at_limit
        Outcome(winner=1, termination=<Termination.PLY_LIMIT: 'ply-limit'>)
        """
        kernels = self.game.kernels
        code = int(kernels.outcome_at_limit(self._words)) if kernels.decides_at_limit else DRAWN
        if not 0 <= code <= DRAWN:
            raise self.game._kernel_fault("outcome_at_limit", f"returned {code}, not 0 to {DRAWN}")
        return Outcome(code if code < DRAWN else None, Termination.PLY_LIMIT)

    @property
    def score(self) -> tuple[int, int]:
        """Return the points of side 0 and side 1; (0, 0) in a game without points."""
        points = self.game.score(self._words)
        if len(points) != 2 or not all(
            isinstance(one, int | np.integer) and abs(one) <= MAX_POINTS for one in points
        ):
            what, reason = f"{type(self.game).__name__}.score", f"returned {quote(points)}, not two integers"
            raise plugin_fault(type(self.game).__module__, what, reason, kind=RulesError)
        return int(points[0]), int(points[1])

    def is_legal(self, move: Move | str) -> bool:
        """Return True if `move` can be made here."""
        if isinstance(move, Move):
            return self._is_legal_action(move.action)
        try:
            self.game.parse_move(self, move)
        except MoveError:
            return False
        return True

    @rules_code
    def apply(self, move: Move | str) -> "Position":
        """Return the position after `move`.

        Raises
        ------
        MalformedMoveError, IllegalMoveError, AmbiguousMoveError
            If the text is not a move, the move is not legal here, or the text
            matches several legal moves.
        """
        if isinstance(move, str):
            move = self.game.parse_move(self, move)
        elif not isinstance(move, Move):
            raise MalformedMoveError(
                f"a move must be a Move or a string, not {quote(move)}; use apply_action for an action"
            )
        elif not self._is_legal_action(move.action):
            raise IllegalMoveError(f"illegal move {quote(move.text)} in {self}")
        return self._successor(move.action)

    @rules_code
    def apply_action(self, action: int) -> "Position":
        """Return the position after a legal action, one of `actions`.

        This is the fastest way to play many matches, since no text of a move is read or written.

        Raises
        ------
        IllegalMoveError
            If the action is not legal here.

        Examples
        --------
        >>> import boardgames, random
        >>> position, generator = boardgames.load("abalone").start(), random.Random(1)
        >>> for _ in range(40):
        ...     position = position.apply_action(generator.choice(position.actions))
        >>> position.outcome is None
        True
        """
        if not self._is_legal_action(action):
            raise IllegalMoveError(f"illegal action {quote(action)} in {self}")
        return self._successor(int(action))

    def _successor(self, action: int) -> "Position":
        successor = np.empty(self.game.facts.words, _WORD)
        self.game.kernels.apply(self._words, action, successor)
        return Position(self.game, successor)

    def apply_moves(self, text: str, *, notation: str | None = None) -> "Position":
        """Return the position after several moves; `Game.split_moves` splits the text into moves.

        Move numbers such as `2.` are skipped.

        Raises
        ------
        MalformedMoveError, IllegalMoveError, AmbiguousMoveError
            If a move cannot be made; the message says which.

        Examples
        --------
        >>> import boardgames
        >>> str(boardgames.load("connect4").start().apply_moves("1. 4 4 2. 3"))
        '......./......./......./...b.../..rr...'
        """
        return self.line(text, notation=notation)[-1]

    def line(self, text: str, *, notation: str | None = None) -> list["Position"]:
        """Return this position and the positions after each move; takes the arguments of `apply_moves`."""
        game, positions = self.game, [self]
        for count, word in enumerate(game.split_moves(_MOVE_NUMBER.sub(" ", text), notation), start=1):
            try:
                positions.append(positions[-1].apply(game.parse_move(positions[-1], word, notation=notation)))
            except MoveError as error:
                raise type(error)(f"move {count}: {error}") from None
        return positions

    def picture(self) -> Picture:
        """Return the position as a picture: cells, pieces, lines and legal moves as data."""
        return self.game.draw(self)

    def observation(self, side: int | None = None) -> npt.NDArray[np.int8]:
        """Return what a network sees of the position, from the point of view of a side.

        Parameters
        ----------
        side : int, optional
            0 or 1; by default the side to move.

        Returns
        -------
        int8[planes, rows, columns]
            `Game.observation` describes the planes.

        Raises
        ------
        PositionError
            If the side is not 0 or 1.
        PluginError
            If the game has no valid observation.

        Examples
        --------
        >>> import boardgames
        >>> planes = boardgames.load("connect4").start().apply_moves("4 4 5").observation()
        >>> planes.shape, int(planes[0].sum()), planes[1, 5].tolist()
        ((2, 6, 7), 1, [0, 0, 0, 1, 1, 0, 0])
        """
        if side is None:
            side = self.side_to_move
        elif isinstance(side, bool) or not (isinstance(side, int | np.integer) and side in (0, 1)):
            raise PositionError(f"the side of an observation must be 0 or 1, not {quote(side)}")
        return observation_of(self.game).array(self._words, side)

    def action_mask(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal, `bool[actions]`; none if the match is over.

        Examples
        --------
        >>> import boardgames
        >>> boardgames.load("connect4", columns=4, rows=4).parse("1111").action_mask().tolist()
        [False, True, True, True]
        """
        mask = np.zeros(self.game.facts.actions, dtype=np.bool_)
        mask[list(self.actions)] = True
        return mask

    def board(self, *, flipped: bool = False) -> str:
        """Return the board as lines of text, as a terminal without colour shows it.

        Parameters
        ----------
        flipped : bool
            Show the board from the other side.

        Examples
        --------
        >>> import boardgames
        >>> print(boardgames.load("connect4", columns=5, rows=4).parse("332").board())
         . . . . .
         . . . . .
         . . b . .
         . r r . .
         1 2 3 4 5
        """
        return plain_text(self.picture(), flipped=flipped)

    def svg(self) -> str:
        """Return the position as an SVG document."""
        return svg(self.picture())

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return self.svg()

    def _is_legal_action(self, action: object) -> bool:
        is_integer = type(action) is int or isinstance(action, Integral)  # the first is much faster
        return is_integer and action in self.actions

    @_unlocked_property
    def _text(self) -> str:
        return self.game.format_words(self._words)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<{self.game} {self}>"

    def __copy__(self) -> "Position":
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> "Position":
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _unpack_position, (self.game, self._words.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.game == other.game and bool(np.array_equal(self._words, other._words))

    def __hash__(self) -> int:
        return hash((self.game, self._words.tobytes()))


# how `Position.__init__` sets slots, since a position refuses assignments
_set_game = vars(Position)["game"].__set__
_set_words = vars(Position)["_words"].__set__
# NumPy is much faster with a dtype that is passed as a positional argument
_WORD, _ACTION = np.dtype(np.uint64), np.dtype(np.int64)


def check_is_position(value: object) -> None:
    """Raise PositionError if `value` is not a Position."""
    if not isinstance(value, Position):
        raise PositionError(
            f"a position must be a Position, not {quote(value)}; use Game.parse to read one from text"
        )


_RESULTS: dict[str, type] = {
    "draw": Picture,
    "format_words": str,
    "format_action": str,
    "parse_words": object,
    "parse_action": object,
    "check_words": object,
    "edit_words": object,
    "turn_words": object,
    "score": tuple,
    "symmetries": tuple,
    "observation": object,
    "is_move_text": object,
    "split_moves": list,
    "successor_texts": list,
    "explain_illegal_move": str,
    "explain_clicks": str,
}
"""The methods of a game that plug-ins implement, and the types of their results.

`object` means that the caller checks the result.
"""


class Game(ABC):
    """The rules of one game with its options set; base class of every game.

    A subclass sets `facts`, `kernels` and, if it has one, `evaluation` in
    `prepare`, and implements the methods on packed words, which may trust
    their arguments.

    Parameters
    ----------
    layout : str, optional
        Name of a start position in `facts.layouts`; the first by default.
    options : keywords
        As declared in `declared_options`.

    Attributes
    ----------
    declared_options : tuple of Option
        Options that can be set when the game is loaded.
    layout_options : mapping of str to mapping
        Options that layouts set, such as the size of the board: `{"8x7": {"columns": 8, "rows": 7}}`.
        If the game is loaded with these options, `facts.layouts` must contain the layout.
    contempt : Contempt or None
        How `alphabeta` tries to win a match that is heading for a draw; may be set in `prepare`.
    edit_pieces : tuple of str
        Names of the pieces that `edit` can place; empty if the game does not implement `edit_words`.
    lessons : tuple of Exercise
        Exercises with which the page explains to beginners how to play.

    Raises
    ------
    OptionError, UnknownNameError
        If an option is unknown or invalid or contradicts the layout, or there is no such layout.
    """

    declared_options: ClassVar[tuple[Option, ...]] = ()
    layout_options: ClassVar[Mapping[str, Mapping[str, OptionValue]]] = MappingProxyType({})
    edit_pieces: ClassVar[tuple[str, ...]] = ()
    lessons: ClassVar[tuple[Exercise, ...]] = ()
    facts: Facts
    kernels: Kernels
    evaluation: Evaluation = NO_EVALUATION
    contempt: Contempt | None = None

    def __init_subclass__(cls, **arguments: Any) -> None:  # arguments of other base classes
        super().__init_subclass__(**arguments)
        check_option_names(cls, {"self", "name", "layout"})
        guard_methods(cls, _RESULTS, RulesError)
        for name in _RESULTS.keys() & vars(cls).keys():
            setattr(cls, name, rules_code(vars(cls)[name]))

    def __init__(self, *, layout: str | None = None, **options: object) -> None:
        owner = f"game {type(self).__name__.lower()!r}"
        implied = self._implied_options(layout)
        read = read_options(self.declared_options, {**implied, **options}, owner)
        for name, value in implied.items():
            if read[name] != value:
                raise OptionError(
                    f"the layout {quote(layout)} sets {name} to {value}, so {name} cannot be {read[name]}"
                )
        self.options: Mapping[str, OptionValue] = MappingProxyType(read)
        self.prepare()
        if isinstance(self.facts, Facts):  # otherwise `load` reports it
            self.facts = replace(self.facts, options=self.declared_options)
        layouts = self.facts.layouts
        self.layout = next(iter(layouts), "") if layout is None else layout
        is_known = isinstance(self.layout, str) and self.layout in layouts
        if not is_known and (layouts or layout is not None):
            raise UnknownNameError(
                f"{self.facts.name} has no layout {quote(self.layout)}"
                f"{suggest(self.layout, self.layout_names)}"
            )
        if not waits_for_call():  # compile now what a game creates in cached properties
            _ = self.evaluation, self.contempt

    @abstractmethod
    def prepare(self) -> None:
        """Set `facts`, `kernels` and `evaluation` from `self.options`; `facts.options` is set by `Game`."""

    @property
    def layout_names(self) -> tuple[str, ...]:
        """Return the names of all layouts, including layouts that set other options."""
        return tuple(dict.fromkeys((*self.facts.layouts, *self.layout_options)))

    @property
    def counts_points(self) -> bool:
        """Return True if the game counts points, that is, if it overrides `score`."""
        return type(self).score is not Game.score

    # --- positions -------------------------------------------------------

    def start(self) -> Position:
        """Return the start position of the layout."""
        return self.parse(self.facts.layouts[self.layout])

    def parse(self, text: str, *, notation: str | None = None) -> Position:
        """Return the position that `text` describes.

        Parameters
        ----------
        text : str
            In `notation`, one of `facts.position_notations`; by default in
            any of them.

        Raises
        ------
        PositionError
            If the text does not describe a position of this game.
        UnknownNameError
            If there is no such notation.
        """
        if not isinstance(text, str):
            raise PositionError(f"a position to parse must be a string, not {quote(text)}")
        self._check_notation(notation, self.facts.position_notations)
        return self.unpack(self.parse_words(text.strip(), notation))

    def format(self, position: Position, *, notation: str | None = None) -> str:
        """Return the text of a position, by default in the canonical notation."""
        self._check_notation(notation, self.facts.position_notations)
        return self.format_words(self._checked(position).words, notation)

    def successor_texts(self, position: Position, notation: str | None = None) -> list[str]:
        """Return the texts of the positions after each legal move; games may override this.

        Parameters
        ----------
        notation : str, optional
            One of `facts.position_notations`. If other programs use this notation too, a game may
            return the texts in the form and order in which they list them.

        Examples
        --------
        >>> import boardgames
        >>> game = boardgames.load("connect4")
        >>> game.successor_texts(game.start(), "moves")
        ['1', '2', '3', '4', '5', '6', '7']
        """
        moves = position.legal_moves
        return [self.format(position.apply(move), notation=notation) for move in moves]

    def unpack(self, words: Words | Sequence[int]) -> Position:
        """Return the position of packed words, `uint64[facts.words]`, which are copied.

        Raises
        ------
        PositionError
            If the number of words is wrong, one of them is not a 64-bit integer,
            or they do not encode a position of this game.
        """
        expected = self.facts.words
        try:
            numbers = [index(word) for word in words]
        except TypeError:
            raise PositionError(
                f"packed {self} positions are {expected} integers, not {quote(words)}"
            ) from None
        if len(numbers) != expected:
            raise PositionError(f"packed {self} positions have {expected} words, not {len(numbers)}")
        for place, number in enumerate(numbers):
            if not 0 <= number < 1 << WORD_BITS:
                raise PositionError(f"word {place} of the packed position does not fit into {WORD_BITS} bits")
        array = np.array(numbers, dtype=np.uint64)
        self.check_words(array)
        return Position(self, array)

    def pack(self, position: Position) -> Words:
        """Return a writable copy of a position's words."""
        return self._checked(position).words.copy()

    def edit(self, position: Position, target: str, piece: str | None) -> Position:
        """Return the position with a piece placed or removed, for setting up positions by clicks.

        Parameters
        ----------
        target : str
            The id of a cell or line of the picture.
        piece : str or None
            The piece to place, one of `edit_pieces`, or None to remove the piece there.

        Raises
        ------
        PositionError
            If the change is not possible, or the game does not support it.
        """
        if not self.edit_pieces:
            raise PositionError(f"positions of {self.facts.title} can only be set up as text")
        if piece is not None and piece not in self.edit_pieces:
            raise PositionError(f"no such piece {quote(piece)}{suggest(piece, self.edit_pieces)}")
        picture = self._checked(position).picture()
        if target not in picture.ids:
            raise PositionError(f"{quote(target)} is not a place on the board")
        return self.unpack(self.edit_words(position.words, target, piece))

    def edit_turn(self, position: Position, side: int) -> Position:
        """Return the position with `side` to move, 0 or 1.

        Raises
        ------
        PositionError
            If the side to move follows from the pieces, or the game does not support it.
        """
        if side not in (0, 1):
            raise PositionError(f"the side to move must be 0 or 1, not {quote(side)}")
        return self.unpack(self.turn_words(self._checked(position).words, side))

    # --- moves -----------------------------------------------------------

    def parse_move(self, position: Position, text: str, *, notation: str | None = None) -> Move:
        """Return the legal move that `text` names in `position`.

        Raises
        ------
        MalformedMoveError, IllegalMoveError, AmbiguousMoveError
            If the text is not a move, the move is not legal here, or the text
            matches several legal moves; the message quotes the text.
        UnknownNameError
            If there is no such notation.
        """
        if notation is not None:
            self._check_notation(notation, self.facts.move_notations)
        if not isinstance(text, str):
            raise MalformedMoveError(f"a move to parse must be a string, not {quote(text)}")
        text = text.strip()
        try:
            action = self.parse_action(self._checked(position), text, notation)
        except IllegalMoveError:
            if not (reason := self._why_illegal(position, text, notation)):
                raise
            raise IllegalMoveError(f"illegal move {quote(text)}: {reason}") from None
        if not position._is_legal_action(action):
            what = f"{type(self).__name__}.parse_action"
            reason = f"returned {quote(action)} for {quote(text)}, which is not a legal action"
            raise plugin_fault(type(self).__module__, what, reason, kind=RulesError)
        return Move(action, self.format_action(position.words, action))

    def format_move(self, position: Position, move: Move, *, notation: str | None = None) -> str:
        """Return the text of a legal move, by default in the canonical notation."""
        self._check_notation(notation, self.facts.move_notations)
        if not self._checked(position)._is_legal_action(move.action):
            raise IllegalMoveError(f"illegal move {quote(move.text)} in {position}")
        return self.format_action(position.words, move.action, notation)

    def encode(self, move: Move) -> int:
        """Return the action of a move."""
        return move.action

    def decode(self, position: Position, action: int) -> Move:
        """Return the move of a legal action.

        Raises
        ------
        IllegalMoveError
            If the action is not legal in `position`.
        """
        decoded = self._checked(position)._decoded
        if type(action) is int and action in decoded:
            return decoded[action]
        if not position._is_legal_action(action):
            raise IllegalMoveError(f"illegal action {quote(action)} in {position}")
        move = Move(int(action), self.format_action(position.words, int(action)))
        return decoded.setdefault(move.action, move)

    def lines_of(self, exercise: Exercise) -> tuple[tuple[Move, ...], ...]:
        """Return the lines of an exercise as moves; this game must have the options of the exercise.

        Raises
        ------
        PluginError
            If the exercise is invalid: its position or a move is not valid in this game, a line does not
            end with a move of the person, or there are different replies to the same moves.
        """
        fault = f"invalid exercise {exercise.title!r}"
        replies: dict[tuple[Move, ...], Move] = {}
        lines = []
        try:
            start = self.parse(exercise.position)
            for text in exercise.lines:
                position, line, is_own = start, list[Move](), False
                for word in text.split():
                    move = self.parse_move(position, word)
                    is_own = position.side_to_move == start.side_to_move
                    if not is_own and replies.setdefault(tuple(line), move) != move:
                        raise PluginError(
                            f"{fault}: after {' '.join(one.text for one in line)} the reply is both "
                            f"{replies[tuple(line)]} and {move}"
                        )
                    line.append(move)
                    position = position.apply(move)
                if not is_own:
                    side = self.facts.sides[start.side_to_move]
                    raise PluginError(f"{fault}: the line {quote(text)} does not end with a move of {side}")
                lines.append(tuple(line))
        except (PositionError, MoveError) as error:
            raise PluginError(f"{fault}: {error}") from None
        return tuple(lines)

    # --- for subclasses to implement or override -------------------------

    @classmethod
    def options_for_position(cls, text: str) -> Mapping[str, OptionValue]:
        """Return the options that are needed to read a position, such as the size of its board.

        Commands set them unless the user sets others, so users only have to enter the position. `text`
        can be anything; the result is empty if no options follow from it. By default it is empty.
        """
        return {}

    @abstractmethod
    def parse_words(self, text: str, notation: str | None = None) -> Words:
        """Parse a position and return its packed words; raise PositionError if `text` is not a position."""

    @abstractmethod
    def format_words(self, words: Words, notation: str | None = None) -> str:
        """Return the text of a packed position, without spaces."""

    @abstractmethod
    def format_action(self, words: Words, action: int, notation: str | None = None) -> str:
        """Return the text of a legal action, without spaces."""

    @abstractmethod
    def draw(self, position: Position) -> Picture:
        """Return the picture of a position."""

    def check_words(self, words: Words) -> None:
        """Raise PositionError if these words are not a valid position; the default accepts all words."""
        return

    def edit_words(self, words: Words, target: str, piece: str | None) -> Words:
        """Return packed words with `piece` placed at `target`, or with the piece there removed if it is None.

        Games that set `edit_pieces` implement this, and raise PositionError with the reason if the change
        is not possible. `check_words` checks the result.
        """
        raise PositionError(f"positions of {self.facts.title} can only be set up as text")

    def turn_words(self, words: Words, side: int) -> Words:
        """Return packed words with `side` to move; by default raise PositionError."""
        if side == int(self.kernels.side_to_move(words)):
            return words
        raise PositionError(f"the side to move cannot be chosen in {self.facts.title}")

    def score(self, words: Words) -> tuple[int, int]:
        """Return the points of each side; by default (0, 0)."""
        return 0, 0

    def observation(self) -> "Observation":
        """Return what networks see of positions; by default the board, as the picture shows it.

        The default has a plane for each kind of pieces, for owned cells and for drawn lines of each side,
        those of the observing side first, and a last plane that is 1 if side 1 observes. Its rows and columns
        follow the board; hexagonal cells are sheared, and cells in no such order form one row. Only pieces
        and lines on the board are seen, not what is in trays, for example.

        To find out which bits of the packed position tell what is at each place, positions of random matches
        are compared with their pictures, once for all equal games. If no bits tell it, for example because a
        position contains a list of pieces, the default is the bits of the packed position. From these it is
        hard to learn, so such a game should declare an observation.

        A game with a pattern set can return `boardgames.observation.of_patterns(patterns)`. The method
        is called only once for all equal games.

        Examples
        --------
        >>> import boardgames
        >>> Game.observation(boardgames.load("connect4")).planes
        ('own pieces', "opponent's pieces", 'seen by side 1')
        """
        return _default_observation(self)

    def symmetries(self) -> tuple[Symmetry, ...]:
        """Return the symmetries of the game, for checks and learning; by default none."""
        return ()

    def parse_action(self, position: Position, text: str, notation: str | None = None) -> int:
        """Return the legal action that `text` names; the default compares the texts of all legal actions.

        Raises
        ------
        MalformedMoveError, IllegalMoveError, AmbiguousMoveError
            As in `parse_move`.
        """
        words = position.words
        texts = {action: self.format_action(words, action, notation) for action in position.actions}
        matching = [action for action in texts if texts[action].lower() == text.lower()]
        if len(matching) == 1:
            return matching[0]
        if matching:
            moves = " or ".join(self.format_action(words, action) for action in matching)
            raise AmbiguousMoveError(f"ambiguous move {quote(text)}: {moves}?")
        if not self.is_move_text(text):
            raise MalformedMoveError(f"{quote(text)} is not a move of {self.facts.title}")
        raise IllegalMoveError(f"illegal move {quote(text)}{suggest(text, texts.values())}")

    def is_move_text(self, text: str) -> bool:
        """Return True if `text` could be a move in some position; the default accepts any word."""
        return text.isalnum()

    def split_moves(self, text: str, notation: str | None = None) -> list[str]:
        """Split a line of moves, which has no move numbers, into the texts of the moves.

        By default moves are separated by spaces or commas. A game overrides this if the texts of
        its moves contain either, or if people write moves without anything between them.
        """
        return text.replace(",", " ").split()

    def explain_illegal_move(self, position: Position, text: str, notation: str | None = None) -> str:
        """Return why a move is not legal, as the end of a sentence; by default an empty string.

        Called if `parse_action` has raised IllegalMoveError and the match is not over. The error
        message then becomes `illegal move 'd4d5': d4 is empty`.
        """
        return ""

    def explain_clicks(self, position: Position, ids: Sequence[str]) -> str:
        """Explain why clicking these ids of the picture in turn does not make a move.

        The reason is shown on the board, so it should not quote the notation of a move. By default
        the ids are joined and read as a move; the result is empty if this is not the text of a move.
        """
        text = "".join(ids)
        try:
            self.parse_move(position, text)
        except IllegalMoveError:
            return self._why_illegal(position, text, None)
        except MoveError:
            pass
        return ""

    def _why_illegal(self, position: Position, text: str, notation: str | None) -> str:
        if position.outcome is not None:
            return "the match is over"
        return self.explain_illegal_move(position, text, notation)

    # --- identity --------------------------------------------------------

    def describe(self) -> str:
        """Return the name, the layout, and the options that are neither defaults nor set by the layout.

        The layout only determines where matches start; positions do not depend
        on it.
        """
        implied = self._implied_options(self.layout)
        changed = [f"{name}={value}".lower() for name, value in self.changed_options() if name not in implied]
        return " ".join([self.facts.name, self.layout, *changed]).replace("  ", " ")

    def changed_options(self) -> Iterator[tuple[str, OptionValue]]:
        """Yield the names and values of the options that differ from their defaults."""
        for option in self.declared_options:
            if self.options[option.name] != option.default:
                yield option.name, self.options[option.name]

    def _implied_options(self, layout: object) -> Mapping[str, OptionValue]:
        """Return the options that a layout sets."""
        return self.layout_options.get(layout, {}) if isinstance(layout, str) else {}

    def _kernel_fault(self, kernel: str, reason: str) -> PluginError:
        what = f"the kernel {kernel} of {type(self).__name__}"
        return plugin_fault(type(self).__module__, what, reason, kind=RulesError)

    def _check_notation(self, notation: str | None, known: Sequence[str]) -> None:
        if notation is not None and notation not in known:
            raise UnknownNameError(
                f"{self.facts.name} has no notation {quote(notation)}{suggest(notation, known)}"
            )

    def _checked(self, position: Position) -> Position:
        check_is_position(position)
        if position.game is not self and position.game != self:
            raise PositionError(f"not a position of {self!r}: {position!r}")
        return position

    def __str__(self) -> str:
        return self.facts.name

    def __repr__(self) -> str:
        return f"<game {self.describe()}>"

    def __reduce__(self) -> tuple[object, ...]:
        # pickled by class and options; another process gets the kernels from its own cache
        return _make_game, (type(self), self.layout, dict(self.options))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return type(self) is type(other) and self.options == other.options

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.options.items())))


@lru_cache(maxsize=64)
def observation_of(game: Game) -> "Observation":
    """Return the observation of a game; equal games share one.

    Raises
    ------
    PluginError
        If the game does not return an Observation.
    """
    from boardgames.observation import Observation  # late, since most programs need none

    declared: object = game.observation()
    if not isinstance(declared, Observation):
        raise PluginError(
            f"{type(game).__name__}.observation must return an Observation, not {quote(declared)}"
        )
    return declared


@lru_cache(maxsize=64)
def _default_observation(game: Game) -> "Observation":
    """Return the observation of a game that declares none."""
    from boardgames.board_observation import of_pictures
    from boardgames.observation import of_words, random_positions

    starts = [game.parse(text).words for text in game.facts.layouts.values()]
    positions = random_positions(game.kernels, game.facts.actions, starts)
    shown = of_pictures(positions, lambda words: Position(game, words).picture())
    return of_words(game.facts.words) if shown is None else shown


def _make_game(cls: type[Game], layout: str, options: dict[str, OptionValue]) -> Game:
    return cls(layout=layout or None, **options)


def _unpack_position(game: Game, words: list[int]) -> Position:
    return game.unpack(words)
