"""Game, Position, Move, Outcome: the checked face of the rules.

A plug-in subclasses `Game`, gives it facts and kernels, and overrides the
methods on words at its end. Users hold `Position` values; nothing here trusts
its arguments, everything below (kernels) does.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from operator import index
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from boardgames.declarations import NO_EVALUATION, Evaluation, Facts, Kernels, Symmetry
from boardgames.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    MalformedMoveError,
    PositionError,
    UnknownNameError,
    near,
)
from boardgames.errors import shown as shown  # noqa: PLC0414 - plug-ins find it here
from boardgames.kernels import Words
from boardgames.options import Option, OptionValue, read_options
from boardgames.picture import Picture
from boardgames.position import Move as Move  # noqa: PLC0414 - users find it here
from boardgames.position import Outcome as Outcome  # noqa: PLC0414 - users find it here
from boardgames.position import Position as Position  # noqa: PLC0414 - users find it here
from boardgames.position import Termination as Termination  # noqa: PLC0414 - users find it here

WORD_BITS = 64


class Game(ABC):
    """The rules of one game with its options set; base class of every game.

    A subclass sets `facts`, `kernels` and, if it has one, `evaluation` in
    `prepare`, and overrides the methods on words that its notation needs.
    Methods on words trust them: they come from a `Position`.

    Parameters
    ----------
    layout : str, optional
        Name of a start in `facts.layouts`; the default is the first.
    options : keywords
        As `declared_options` has them.

    Raises
    ------
    OptionError, UnknownNameError
        If an option or the layout is unknown or has a bad value.
    """

    declared_options: ClassVar[tuple[Option, ...]] = ()
    facts: Facts
    kernels: Kernels
    evaluation: Evaluation = NO_EVALUATION

    def __init__(self, *, layout: str | None = None, **options: object) -> None:
        of = f"game {type(self).__name__.lower()!r}"
        self.options: Mapping[str, OptionValue] = MappingProxyType(
            read_options(self.declared_options, options, of)
        )
        self.prepare()
        layouts = self.facts.layouts
        self.layout = next(iter(layouts), "") if layout is None else layout
        is_known = isinstance(self.layout, str) and self.layout in layouts
        if not is_known and (layouts or layout is not None):
            raise UnknownNameError(
                f"{self.facts.name} has no layout {shown(self.layout)}{near(self.layout, layouts)}"
            )

    @abstractmethod
    def prepare(self) -> None:
        """Set `facts`, `kernels` and `evaluation` from `self.options`."""

    # --- positions -------------------------------------------------------

    def start(self) -> Position:
        """Return the start position of the layout."""
        return self.parse(self.facts.layouts[self.layout])

    def parse(self, text: str, *, notation: str | None = None) -> Position:
        """Return the position that `text` describes.

        Parameters
        ----------
        text : str
            In `notation`, one of `facts.position_notations`; without it in
            any of them.

        Raises
        ------
        PositionError
            If the text does not describe a position of this game.
        UnknownNameError
            If there is no such notation.
        """
        if not isinstance(text, str):
            raise PositionError(f"expected the text of a {self.facts.title} position: {shown(text)}")
        self._check_notation(notation, self.facts.position_notations)
        return self.unpack(self.parse_words(text.strip(), notation))

    def format(self, position: Position, *, notation: str | None = None) -> str:
        """Return the text of a position, canonical or in a named notation."""
        self._check_notation(notation, self.facts.position_notations)
        return self.format_words(self._own(position).words, notation)

    def unpack(self, words: Words | Sequence[int]) -> Position:
        """Return the position of packed words, `uint64[facts.words]`, which are copied.

        Raises
        ------
        PositionError
            If they are not so many integers of 64 bits, or no position of this game.
        """
        try:
            numbers = [index(word) for word in words]
        except TypeError:
            raise PositionError(f"expected {self.facts.words} integers: {shown(words)}") from None
        if len(numbers) != self.facts.words:
            raise PositionError(f"expected {self.facts.words} words: {len(numbers)} came")
        for place, number in enumerate(numbers):
            if not 0 <= number < 1 << WORD_BITS:
                raise PositionError(f"expected words of {WORD_BITS} bits: word {place} is none")
        array = np.array(numbers, dtype=np.uint64)
        self.check_words(array)
        return Position(self, array)

    def pack(self, position: Position) -> Words:
        """Return a writable copy of a position's words."""
        return self._own(position).words.copy()

    # --- moves -----------------------------------------------------------

    def parse_move(self, position: Position, text: str, *, notation: str | None = None) -> Move:
        """Return the legal move that `text` names in `position`.

        Raises
        ------
        MalformedMoveError, IllegalMoveError, AmbiguousMoveError
            If the text is no move, the move is not legal here, or the text
            fits several legal moves; each quotes the text.
        UnknownNameError
            If there is no such notation.
        """
        self._check_notation(notation, self.facts.move_notations)
        if not isinstance(text, str):
            raise MalformedMoveError(f"expected the text of a move: {shown(text)}")
        action = self.parse_action(self._own(position), text.strip(), notation)
        return Move(action, self.format_action(position.words, action))

    def format_move(self, position: Position, move: Move, *, notation: str | None = None) -> str:
        """Return a legal move's text, canonical or in a named notation."""
        self._check_notation(notation, self.facts.move_notations)
        if not self._own(position)._has(move.action):
            raise IllegalMoveError(f"expected a legal move in {position}: {shown(move.text)}")
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
        decoded = self._own(position)._decoded
        if type(action) is int and action in decoded:
            return decoded[action]
        if not position._has(action):
            raise IllegalMoveError(f"expected a legal action in {position}: {shown(action)}")
        move = Move(int(action), self.format_action(position.words, int(action)))
        return decoded.setdefault(move.action, move)

    # --- what a subclass overrides ---------------------------------------

    @abstractmethod
    def parse_words(self, text: str, notation: str | None = None) -> Words:
        """Return the packed words of a position text; raise PositionError."""

    @abstractmethod
    def format_words(self, words: Words, notation: str | None = None) -> str:
        """Return the text, without spaces, of a packed position."""

    @abstractmethod
    def format_action(self, words: Words, action: int, notation: str | None = None) -> str:
        """Return the text, without spaces, of a legal action."""

    @abstractmethod
    def draw(self, words: Words) -> Picture:
        """Return what a packed position looks like."""

    def check_words(self, words: Words) -> None:
        """Raise PositionError if words cannot be a position; by default all can."""
        return

    def score(self, words: Words) -> tuple[int, int]:
        """Return what the rules count for each side; by default nothing."""
        return 0, 0

    def symmetries(self) -> tuple[Symmetry, ...]:
        """Return maps of the game onto itself, for checks and learning; by default none."""
        return ()

    def parse_action(self, position: Position, text: str, notation: str | None = None) -> int:
        """Return the legal action that `text` names; by default by comparing all texts.

        Raises
        ------
        MalformedMoveError, IllegalMoveError, AmbiguousMoveError
            As `parse_move`.
        """
        words = position.words
        texts = {action: self.format_action(words, action, notation) for action in position.actions}
        found = [action for action in texts if texts[action].lower() == text.lower()]
        if len(found) == 1:
            return found[0]
        if found:
            fits = " and ".join(self.format_action(words, action) for action in found)
            raise AmbiguousMoveError(f"expected a move that fits once: {shown(text)} fits {fits}")
        if not self.is_move_text(text):
            raise MalformedMoveError(f"expected a move of {self.facts.title}: {shown(text)}")
        raise IllegalMoveError(f"expected a legal move: {shown(text)}{near(text, texts.values())}")

    def is_move_text(self, text: str) -> bool:
        """Say whether `text` could be a move in some position; by default any word could."""
        return text.isalnum()

    # --- identity --------------------------------------------------------

    def describe(self) -> str:
        """Return name, layout and options that differ from the defaults, in one line.

        The layout only says where matches start; positions do not depend on it.
        """
        changed = [f"{name}={value}".lower() for name, value in self._changed_options()]
        return " ".join([self.facts.name, self.layout, *changed]).replace("  ", " ")

    def _changed_options(self) -> Iterator[tuple[str, OptionValue]]:
        for option in self.declared_options:
            if self.options[option.name] != option.default:
                yield option.name, self.options[option.name]

    def _check_notation(self, notation: str | None, known: Sequence[str]) -> None:
        if notation is not None and notation not in known:
            raise UnknownNameError(
                f"{self.facts.name} has no notation {shown(notation)}{near(notation, known)}"
            )

    def _own(self, position: Position) -> Position:
        if position.game is not self and position.game != self:
            raise PositionError(f"expected a position of {self}: {position!r}")
        return position

    def __str__(self) -> str:
        return self.facts.name

    def __repr__(self) -> str:
        return f"<game {self.describe()}>"

    def __reduce__(self) -> tuple[object, ...]:
        # by class and options, never by kernels: another process takes those from its cache
        return _game_of, (type(self), self.layout, dict(self.options))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return type(self) is type(other) and self.options == other.options

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.options.items())))


def _game_of(made: type[Game], layout: str, options: dict[str, OptionValue]) -> Game:
    return made(layout=layout or None, **options)
