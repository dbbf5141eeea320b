"""Games in plain Python: rules as methods that work on states of any kind, without kernels.

The packed position of such a game is the text of its state, so everything that works on packed
positions works with it: search, arena, records, the page. The kernels below call back into
Python, which takes microseconds instead of nanoseconds. A game that packs its states itself can
replace these kernels with its own, one by one.
"""

import ast
import hashlib
from abc import abstractmethod
from array import array
from collections.abc import Callable, Hashable, Mapping, Sequence
from ctypes import memmove, string_at
from dataclasses import fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from threading import Lock
from types import FunctionType, MappingProxyType
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numba import objmode

from boardgames.declarations import Evaluation, Facts, Feature, FeatureSet, Kernels
from boardgames.errors import PluginError, PositionError, RulesError, describe_error, quote
from boardgames.faults import guard_methods, line_of, plugin_fault
from boardgames.game import DRAWN, Game, Position
from boardgames.kernels import Actions, Bytes, Reals, Words, kernel
from boardgames.kernels.abi import Apply, Evaluate, Features, LegalMoves, Observe, OutcomeOf, SideToMove
from boardgames.kernels.plain import callback
from boardgames.observation import Observation, of_words
from boardgames.picture import Button, Caption, Cell, Label, Picture, Piece

DRAW = "draw"
"""What `PlainGame.outcome` returns for a draw."""
MAX_KEPT = 100_000
"""Maximum number of states in memory; older states are parsed again from their text when needed."""
CHECKED_MOVES = 200
"""Number of moves for which it is checked that `apply` does not change its argument."""
EMPTY = "."
"""The character of an empty cell in the rows of a board."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORD_BYTES = 8

State = TypeVar("State")
PlainMove = TypeVar("PlainMove", bound=Hashable)


class PlainGame(Game, Generic[State, PlainMove]):
    """A game whose rules are plain Python.

    A subclass sets `name` and `sides` and implements `initial_state`, `side_to_move`, `legal_moves`,
    `apply` and `outcome`. States can be of any type, and moves of any hashable type. `apply` returns
    a new state and does not change its argument. Everything else has defaults.

    Attributes
    ----------
    name, title, rules, move_help, sides
        As in `Facts`; the title is by default the name with a capital letter.
    declared_features : tuple of Feature
        The features that `features` computes, for learners.
    other_facts : mapping
        Further fields of `Facts`, such as `{"ply_limit": 200}`.
    symbols : (str, str)
        The characters that stand for pieces of side 0 and side 1 in the rows of `board`.
    colours : (str, str)
        CSS colours of the sides.
    most_moves : int
        The largest number of legal moves in any position; not needed if there is `all_moves`.
    longest_text : int
        The largest number of bytes in the text of a state; 0 for twice as many as in the longest layout.
        States that grow during a match, such as a dictionary of the pieces, need more.
    word_count : int
        The number of words that `pack_state` returns; 0 if the game has no `pack_state`.
    plane_names : tuple of str
        What each plane shows that `planes` returns; not needed for the default `planes`.

    Examples
    --------
    A heap of five counters: a player takes one or two of them, and whoever takes the last one wins.

    >>> class Heap(PlainGame[tuple[int, int], int]):
    ...     name, sides = "heap", ("left", "right")
    ...     def initial_state(self): return 5, 0
    ...     def side_to_move(self, state): return state[1]
    ...     def legal_moves(self, state): return [take for take in (1, 2) if take <= state[0]]
    ...     def apply(self, state, move): return state[0] - move, 1 - state[1]
    ...     def outcome(self, state): return 1 - state[1] if state[0] == 0 else None
    >>> position = Heap().start().apply_moves("2 1")
    >>> str(position), [move.text for move in position.legal_moves]
    ('(2,0)', ['1', '2'])
    >>> position.apply("2").outcome.winner
    0
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    rules: ClassVar[str] = ""
    move_help: ClassVar[str] = ""
    sides: ClassVar[tuple[str, str]] = ("first", "second")
    declared_features: ClassVar[tuple[Feature, ...]] = ()
    other_facts: ClassVar[Mapping[str, object]] = MappingProxyType({})
    symbols: ClassVar[tuple[str, str]] = ("x", "o")
    colours: ClassVar[tuple[str, str]] = ("#222222", "#eeeeee")
    most_moves: ClassVar[int] = 256
    longest_text: ClassVar[int] = 0
    word_count: ClassVar[int] = 0
    plane_names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **arguments: Any) -> None:  # arguments of other base classes
        super().__init_subclass__(**arguments)
        guard_methods(cls, _RESULTS, RulesError, _place_of_error)

    # --- the rules, which a subclass implements ---------------------------

    @abstractmethod
    def initial_state(self) -> State:
        """Return the state at the start of a match; `self.options` has the options."""

    @abstractmethod
    def side_to_move(self, state: State) -> int:
        """Return the side to move, 0 or 1."""

    @abstractmethod
    def legal_moves(self, state: State) -> Sequence[PlainMove]:
        """Return the legal moves, always in the same order; only called if the match is not over."""

    @abstractmethod
    def apply(self, state: State, move: PlainMove) -> State:
        """Return the state after a legal move."""

    @abstractmethod
    def outcome(self, state: State) -> int | str | None:
        """Return None if the match is not over, the side that has won, or `DRAW`."""

    # --- what a subclass may implement --------------------------------------

    def layouts(self) -> Mapping[str, State]:
        """Return the states from which matches can start, by name; the first is the default."""
        return {"standard": self.initial_state()}

    def move_text(self, move: PlainMove) -> str:
        """Return the text of a move, without spaces; different moves have different texts."""
        return str(move)

    def state_text(self, state: State) -> str:
        """Return a text without spaces that `parse_state` turns into an equal state.

        By default, this is a Python literal of numbers, strings, None, tuples, lists, sets and dictionaries.
        A state that is a dataclass or named tuple is written as a tuple.
        """
        value: Any = state
        if is_dataclass(value):
            value = tuple(getattr(value, field.name) for field in fields(value))
        try:
            return _literal(tuple(value) if _has_fields(value) else value)
        except TypeError as error:
            raise self._fault("state_text", str(error)) from None

    def parse_state(self, text: str) -> State:
        """Return the state that a text describes, or raise ValueError with what is wrong with the text."""
        example = self.initial_state()
        try:
            value = ast.literal_eval(text)
            state = type(example)(*value) if _has_fields(example) else value
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            state = None
        if type(state) is not type(example):
            raise ValueError(f"write it like {self.state_text(example)}")
        return state

    def evaluate(self, state: State) -> float:
        """Return the expected result for the side to move, from -1 for a loss to 1 for a win."""
        return 0.0

    def features(self, state: State, side: int) -> Sequence[float]:
        """Return the values of the declared features from the point of view of a side."""
        return ()

    def points(self, state: State) -> tuple[int, int]:
        """Return the points of both sides, in a game that counts points."""
        return 0, 0

    def board(self, state: State) -> Sequence[str]:
        """Return the rows of a board from the top, with a character for each cell.

        `.` is an empty cell. Cells are called a1, b1 and so on from the bottom left, and a move whose
        text consists of such names is made by clicking on these cells.
        """
        return ()

    def picture(self, state: State) -> Picture:
        """Return the picture of a state; by default its `board`, with a button for each other move."""
        rows = [str(row) for row in self.board(state)]
        if max(map(len, rows), default=0) > len(LETTERS):
            raise self._fault("board", f"returned a row of more than {len(LETTERS)} cells; write `picture`")
        names = {
            (row, column): f"{LETTERS[column]}{len(rows) - row}"
            for row, text in enumerate(rows)
            for column in range(len(text))
        }
        pieces = [
            Piece(names[row, column], self._side_of(symbol), symbol, "letter" if self._has_kinds else "disc")
            for row, text in enumerate(rows)
            for column, symbol in enumerate(text)
            if symbol != EMPTY
        ]
        clicks = self._clicks(state, set(names.values()))
        buttons = [
            text for text, sequence in clicks.items() if sequence == (text,) and text not in names.values()
        ]
        width = max(map(len, rows), default=0)
        return Picture(
            cells=tuple(Cell(name, column, row) for (row, column), name in names.items()),
            pieces=tuple(pieces),
            labels=(
                *(Label(column, len(rows), LETTERS[column]) for column in range(width)),
                *(Label(-1, row, str(len(rows) - row)) for row in range(len(rows))),
            ),
            buttons=tuple(Button(text) for text in buttons),
            captions=() if rows else (Caption("top-left", self.state_text(state)),),
            sides=self.sides,
            colours=self.colours,
            clicks={text: (sequence,) for text, sequence in clicks.items()},
            title=self.facts.title,
        )

    def planes(self, state: State, side: int) -> Sequence[Sequence[Sequence[int]]]:
        """Return what networks see from the point of view of a side: planes of rows of integers, -128 to 127.

        By default, each plane shows where the `board` has one of the symbols, beginning with those of `side`.
        """
        rows = [str(row) for row in self.board(state)]
        width = max(map(len, rows), default=0)
        return [
            [[int(column == symbol) for column in row.ljust(width, EMPTY)] for row in rows]
            for owner in (side, 1 - side)
            for symbol in self.symbols[owner].ljust(self._kinds, "\0")  # a character that no board contains
        ]

    # --- compiled rules ------------------------------------------------------

    def all_moves(self) -> Sequence[PlainMove]:
        """Return all moves of the game; the action of a move is its index in this sequence.

        By default this is empty, and an action is the index of a move among the legal moves.
        """
        return ()

    def pack_state(self, state: State) -> Sequence[int]:
        """Return a state as `word_count` integers of 64 bits; equal states have the same integers."""
        raise NotImplementedError

    def unpack_state(self, words: Words) -> State:
        """Return the state that `pack_state` packed into these words; raise ValueError if there is none."""
        raise NotImplementedError

    def compiled(self) -> Mapping[str, Callable[..., Any]]:
        """Return kernels that replace the methods, by the names of the fields of `Kernels`.

        They work on the words of `pack_state` and the actions of `all_moves`. `boardgames check`
        compares the four kernels of the rules with the methods. To use a kernel for the evaluation, set
        `evaluation` in `prepare`, as in other games.
        """
        return {}

    # --- the methods of Game, in terms of those above -------------------------

    def prepare(self) -> None:
        """Set facts, kernels and evaluation from the methods above."""
        if not self.name:
            raise PluginError(f"{type(self).__name__} has no name: set `name` to one such as 'gomoku'")
        title = self.title or self.name.replace("-", " ").replace("_", " ").capitalize()
        texts = {name: self.state_text(state) for name, state in self.layouts().items()}
        self._text_bytes = self.longest_text or 2 * max(map(len, map(str.encode, texts.values())))
        options = sorted(self.options.items())
        identity = f"{type(self).__module__}.{type(self).__qualname__} {options}"
        self._key = hashlib.blake2b(identity.encode(), digest_size=WORD_BYTES).digest()
        self._unchecked = CHECKED_MOVES
        self._all_moves = dict(enumerate(self.all_moves()))
        self._actions = {move: action for action, move in self._all_moves.items()}
        _register(self)
        self.facts = Facts(
            name=self.name,
            title=title,
            rules=self.rules,
            move_help=self.move_help,
            sides=self.sides,
            words=self.word_count or 1 + -(-self._text_bytes // WORD_BYTES),
            actions=len(self._actions) or self.most_moves,
            layouts=texts,
            **self.other_facts,  # type: ignore[arg-type]  # `Facts` checks them
        )
        compiled = self.compiled()
        if compiled and not (self.word_count and self._actions):
            reason = "returned kernels, which need `word_count`, `pack_state`, `unpack_state` and `all_moves`"
            raise self._fault("compiled", reason)
        plain = self._plain_kernels()
        rules = ("legal_moves", "apply", "side_to_move", "outcome")
        kernels: dict[str, Any] = {name: getattr(plain, name) for name in rules} | dict(compiled)
        if unknown := kernels.keys() - {field.name for field in fields(Kernels)}:
            raise self._fault(
                "compiled", f"returned {quote(min(unknown))}, which is not a field of `Kernels`"
            )
        self.kernels = Kernels(**kernels)
        if type(self).evaluate is not PlainGame.evaluate:
            self.evaluation = Evaluation("evaluate", plain.evaluate, np.zeros(0))

    def start(self) -> Position:
        """Return the start position of the layout."""
        return Position(self, self._pack(self.layouts()[self.layout]))

    def feature_set(self, name: str) -> FeatureSet:
        """Return the declared features as a set, for the hook `bg_features`."""
        return FeatureSet(name, self._plain_kernels().features, self.declared_features)

    def state_of(self, position: Position) -> State:
        """Return the state of a position."""
        return self._state(self._checked(position).words)

    def _state(self, words: Words) -> State:
        state: State = self._node(words).state  # type: ignore[assignment]  # the words are of this game
        return state

    def parse_words(self, text: str, notation: str | None = None) -> Words:
        """Parse the text of a state."""
        what = f"{quote(text)} is not a position of {self.facts.title}"
        try:
            state = self.parse_state(text)
        except Exception as error:  # noqa: BLE001 - the author's code may raise anything for bad text
            reason = str(error) if isinstance(error, ValueError) else describe_error(error)
            raise PositionError(f"{what}: {reason}") from None
        try:
            self.side_to_move(state)
            _Node(self, state).find_moves()
            return self._pack(state)
        except PluginError as error:
            cause = str(error) if error.__cause__ is None else describe_error(error.__cause__)
            raise PositionError(f"{what}: the rules cannot be applied to it ({cause})") from None

    def format_words(self, words: Words, notation: str | None = None) -> str:
        """Return the text of a packed state."""
        return self.state_text(self._state(words)) if self.word_count else _text_of(words.tobytes())

    def format_action(self, words: Words, action: int, notation: str | None = None) -> str:
        """Return the text of an action, which must be legal if there is no `all_moves`."""
        node = self._node(words)
        is_known = action in node.moves or action not in self._all_moves
        return self.move_text(node.move_of(action) if is_known else self._all_moves[action])

    def check_words(self, words: Words) -> None:
        """Raise PositionError if the words are not a packed state."""
        try:
            if self.word_count:
                state = self.unpack_state(words)
            else:
                state = self.parse_state(_text_of(words.tobytes()))
            is_valid = np.array_equal(self._pack(state), words)
        except Exception:  # noqa: BLE001 - as above
            is_valid = False
        if not is_valid:
            raise PositionError(f"these words are not a position of {self.facts.title}: {words.tolist()}")

    def observation(self) -> Observation:
        """Return an observation with the planes of `planes`; without any, of the bits of the packed state."""
        try:
            shape = np.shape(self.planes(self.initial_state(), 0))
        except ValueError as error:
            raise self._fault("planes", "returned rows of different lengths") from error
        if len(shape) != 3 or 0 in shape:
            if not self.plane_names:
                return of_words(self.facts.words)
            raise self._fault("planes", f"returned an array of shape {shape}, not planes of rows of integers")
        names = self.plane_names or tuple(
            f"{owner} {symbol + 1}" if self._has_kinds else owner
            for owner in ("own pieces", "opponent's pieces")
            for symbol in range(self._kinds)
        )
        if len(names) != shape[0]:
            raise self._fault("planes", f"returned {shape[0]} planes, but `plane_names` has {len(names)}")
        key = int.from_bytes(self._key, "little", signed=True) if self.word_count else 0
        return Observation(_plain_observe(key), names, shape[1], shape[2])

    @property
    def counts_points(self) -> bool:
        """Return True if the subclass has a method `points`."""
        return type(self).points is not PlainGame.points

    def score(self, words: Words) -> tuple[int, int]:
        """Return the points of each side."""
        return self.points(self._state(words))

    def draw(self, position: Position) -> Picture:
        """Return the picture of a state."""
        return self.picture(self._state(position.words))

    def is_move_text(self, text: str) -> bool:
        """Accept any word as the text of a move."""
        return bool(text) and not any(character.isspace() for character in text)

    def _successor(self, state: State, move: PlainMove) -> State:
        """Return the state after a move; in the first `CHECKED_MOVES` calls, `state` must not change."""
        if self._unchecked <= 0:
            return self.apply(state, move)
        self._unchecked -= 1
        before = self.state_text(state)
        successor = self.apply(state, move)
        if self.state_text(state) != before:
            raise self._fault("apply", "changed the state that it was given, instead of returning a new one")
        return successor

    def _plain_kernels(self) -> "_PlainKernels":
        """Return kernels that call the methods."""
        return _plain_kernels(int.from_bytes(self._key, "little", signed=True) if self.word_count else 0)

    def _node(self, words: Words) -> "_Node":
        return _node_of((self._key if self.word_count else b"") + words.tobytes())

    def _pack(self, state: State) -> Words:
        """Return the words of a state."""
        packed = self._packed(state)
        return np.frombuffer(packed[WORD_BYTES:] if self.word_count else packed, dtype=np.uint64)

    def _packed(self, state: State) -> bytes:
        """Return the key of the game followed by the state's words or text, and keep the state in memory."""
        packed = self._key + (self._own_words(state) if self.word_count else self._text_words(state))
        if packed not in _nodes:
            _keep(packed, _Node(self, state))
        return packed

    def _restored(self, packed: bytes) -> "_Node":
        """Unpack or parse a state that is no longer in memory."""
        method = "unpack_state" if self.word_count else "parse_state"
        try:
            if self.word_count:
                return _Node(self, self.unpack_state(np.frombuffer(packed[WORD_BYTES:], dtype=np.uint64)))
            return _Node(self, self.parse_state(_text_of(packed)))
        except Exception as error:
            raise self._fault(method, f"raised {describe_error(error)} for a state of the game") from error

    def _own_words(self, state: State) -> bytes:
        words = self.pack_state(state)
        try:
            packed = np.array(words, dtype=np.uint64)
        except (ValueError, TypeError, OverflowError):
            packed = np.zeros(0, dtype=np.uint64)
        if packed.shape != (self.word_count,):
            reason = f"returned {quote(words)}, not {self.word_count} integers of 64 bits"
            raise self._fault("pack_state", reason)
        return packed.tobytes()

    def _text_words(self, state: State) -> bytes:
        text = self.state_text(state)
        content = text.encode()
        if len(content) > self._text_bytes:
            limit = "`longest_text` is" if self.longest_text else "without `longest_text` the limit is"
            reason = (
                f"returned {len(content)} bytes, but {limit} {self._text_bytes}; set it in the class to the "
                "largest number of bytes that the text of a state can have"
            )
            raise self._fault("state_text", reason)
        if not content or b"\0" in content or any(character.isspace() for character in text):
            raise self._fault("state_text", f"returned {quote(text)}, which is empty or has spaces")
        return content.ljust((self.facts.words - 1) * WORD_BYTES, b"\0")

    def _fault(self, method: str, reason: str) -> PluginError:
        return plugin_fault(type(self).__module__, f"{type(self).__name__}.{method}", reason, kind=RulesError)

    @property
    def _kinds(self) -> int:
        return max(map(len, self.symbols))

    @property
    def _has_kinds(self) -> bool:
        return self._kinds > 1

    def _side_of(self, symbol: str) -> int:
        for side, symbols in enumerate(self.symbols):
            if symbol in symbols:
                return side
        known = f"`symbols`, {self.symbols[0]!r} and {self.symbols[1]!r}, nor '.' for an empty cell"
        raise self._fault("board", f"returned the character {symbol!r}, which is neither in {known}")

    def _clicks(self, state: State, names: set[str]) -> dict[str, tuple[str, ...]]:
        """Return the cells to click for each legal move, or its text if the move has a button."""
        texts = [self.move_text(move) for move in _Node(self, state).moves.values()]
        clicks = {text: _split_cells(text, names) or (text,) for text in texts}
        sequences = set(clicks.values())
        for text, sequence in clicks.items():
            if any(sequence[:length] in sequences for length in range(1, len(sequence))):
                clicks[text] = (text,)
        return clicks


_RESULTS: dict[str, type] = {
    "initial_state": object,
    "side_to_move": object,
    "legal_moves": Sequence,
    "apply": object,
    "outcome": object,
    "layouts": Mapping,
    "move_text": str,
    "state_text": str,
    "evaluate": object,
    "features": object,
    "points": tuple,
    "board": Sequence,
    "all_moves": Sequence,
    "pack_state": object,
    "compiled": Mapping,
    "picture": Picture,
    "planes": object,
}
"""The methods that subclasses implement, and the types of their results."""
_MOVE_ARGUMENTS = {"apply": 2, "move_text": 1}
"""The methods that take a move, and the index of that argument."""


def outcome_code(game: PlainGame[Any, Any], state: object) -> int:
    """Return the outcome of a state as kernels do: -1, the side that has won, or 2 for a draw.

    Raises
    ------
    RulesError
        If the method `outcome` returns anything but None, 0, 1 or `DRAW`; True and False are refused, too.

    Examples
    --------
    >>> class Heap(PlainGame[int, int]):
    ...     name = "heap"
    ...     def initial_state(self): return 1
    ...     def side_to_move(self, state): return 1 - state
    ...     def legal_moves(self, state): return [1]
    ...     def apply(self, state, move): return state - move
    ...     def outcome(self, state): return None if state else 0
    >>> outcome_code(Heap(), 1), outcome_code(Heap(), 0)
    (-1, 0)
    """
    outcome: object = game.outcome(state)
    if outcome is None:
        return -1
    if isinstance(outcome, str) and outcome == DRAW:
        return DRAWN
    if type(outcome) is not bool and isinstance(outcome, Integral) and outcome in (0, 1):
        return int(outcome)
    raise game._fault("outcome", f"returned {quote(outcome)}, not None, 0, 1 or {DRAW!r}")


# --- states in memory ------------------------------------------------------------


class _Node:
    """A state in memory, with its outcome and legal moves once they have been computed."""

    __slots__ = ("_moves", "_outcome", "game", "state")

    def __init__(self, game: PlainGame[Any, Any], state: object) -> None:
        self.game = game
        self.state = state
        self._moves: dict[int, Any] | None = None
        self._outcome: int | None = None

    @property
    def outcome(self) -> int:
        """Return the outcome as kernels do: -1, the side that has won, or 2 for a draw."""
        if self._outcome is None:
            self._outcome = outcome_code(self.game, self.state)
        return self._outcome

    @property
    def moves(self) -> dict[int, Any]:
        """Return the legal moves by their actions, in ascending order."""
        if self._moves is None:
            self._moves = self.find_moves()
        return self._moves

    def move_of(self, action: int) -> Any:  # moves are of any type
        """Return the legal move with this action."""
        if action in self.moves:
            return self.moves[action]
        game = self.game
        if "legal_moves" not in game.compiled() or action not in game._all_moves:
            reason = (
                f"returned no move with the index {action} this time; it must always return the same moves"
            )
            raise game._fault("legal_moves", reason)
        text = quote(game.move_text(game._all_moves[action]))
        what = "is not legal because the match is over" if self.outcome >= 0 else "the method does not return"
        raise game._fault("compiled", f"returned a kernel `legal_moves` that writes {text}, which {what}")

    def find_moves(self) -> dict[int, Any]:
        """Ask the game for the legal moves, and check them."""
        game = self.game
        moves = () if self.outcome >= 0 else tuple(game.legal_moves(self.state))
        for move in moves:
            try:
                hash(move)
            except TypeError:
                reason = f"returned {quote(move)}, which is not hashable"
                raise game._fault("legal_moves", reason) from None
        if len(set(moves)) < len(moves):
            twice = next(move for move in moves if moves.count(move) > 1)
            raise game._fault("legal_moves", f"returned {quote(twice)} twice")
        return self._numbered(moves)

    def _numbered(self, moves: tuple[Any, ...]) -> dict[int, Any]:
        actions = self.game._actions
        if actions:
            if unknown := [move for move in moves if move not in actions]:
                reason = f"returned {quote(unknown[0])}, which is not in `all_moves`"
                raise self.game._fault("legal_moves", reason)
            return dict(sorted((actions[move], move) for move in moves))
        if len(moves) > self.game.most_moves:
            reason = f"returned {len(moves)} moves, but `most_moves` is {self.game.most_moves}"
            raise self.game._fault("legal_moves", reason)
        return dict(enumerate(moves))


def _place_of_error(error: BaseException, method: FunctionType, arguments: Sequence[Any]) -> str:
    """Describe where a method of a game failed: the line and, if it takes a move, the move."""
    index = _MOVE_ARGUMENTS.get(method.__name__, len(arguments))
    moves = [f"for the move {quote(move)}" for move in arguments[index : index + 1]]
    return ", ".join([line_of(error, method.__module__), *moves])


_games: dict[bytes, PlainGame[Any, Any]] = {}
"""The newest game of each class with each set of options, by the first word of its positions."""
_lock = Lock()
_nodes: dict[bytes, _Node] = {}
"""States in memory by their packed positions, oldest first."""


def _register(game: PlainGame[Any, Any]) -> None:
    """Register a game, so that its positions can be unpacked; a class that is defined again is replaced."""
    older = _games.get(game._key)
    if older is not None and type(older) is not type(game):
        _nodes.clear()
    _games[game._key] = game


def _keep(packed: bytes, node: _Node) -> None:
    with _lock:
        _nodes[packed] = node
        while len(_nodes) > MAX_KEPT:
            del _nodes[next(iter(_nodes))]


def _node_at(address: int, size: int, key: int) -> _Node:
    """Return the state of the packed position of `size` words at an address; `key` as in `_plain_kernels`."""
    words = string_at(address, size * WORD_BYTES)
    return _node_of(words if key == 0 else key.to_bytes(WORD_BYTES, "little", signed=True) + words)


def _write_at(address: int, content: bytes) -> None:
    memmove(address, content, len(content))


def _node_of(packed: bytes) -> _Node:
    """Return the state of a packed position, unpacking it if it is no longer in memory."""
    node = _nodes.get(packed)
    if node is None:
        node = _games[packed[:WORD_BYTES]]._restored(packed)
        _keep(packed, node)
    return node


def _text_of(packed: bytes) -> str:
    return packed[WORD_BYTES:].rstrip(b"\0").decode()


# --- texts -------------------------------------------------------------------------


def _literal(value: Any) -> str:  # any Python value
    """Return a value as a Python literal without spaces.

    Raises
    ------
    TypeError
        If its type has no literals, such as a dataclass inside another value.
    """
    kind = type(value)
    if kind is dict:
        return "{" + ",".join(sorted(f"{_literal(key)}:{_literal(one)}" for key, one in value.items())) + "}"
    if kind is set:
        return "{" + ",".join(sorted(map(_literal, value))) + "}" if value else "set()"
    if kind is tuple:
        return "(" + ",".join(map(_literal, value)) + (",)" if len(value) == 1 else ")")
    if kind is list:
        return "[" + ",".join(map(_literal, value)) + "]"
    if kind is str:
        return repr(value).replace(" ", "\\x20")
    if kind in (int, float, bool, type(None)):
        return repr(value)
    raise TypeError(f"cannot write {quote(value)}; implement `state_text` and `parse_state` for such states")


def _has_fields(value: object) -> bool:
    """Return True for a dataclass or a named tuple, which can be created from its fields."""
    return is_dataclass(value) or hasattr(value, "_fields")


def _split_cells(text: str, names: set[str]) -> tuple[str, ...]:
    """Split a text into the longest possible names of cells; return () if it does not consist of names."""
    cells, rest = [], text
    while rest:
        found = next((rest[:length] for length in (3, 2) if rest[:length] in names), "")
        if not found:
            return ()
        cells.append(found)
        rest = rest[len(found) :]
    return tuple(cells)


# --- kernels that call Python --------------------------------------------------------
#
# They pass addresses, because creating NumPy arrays would take longer than the call itself.


@callback
def _write_moves(position: int, size: int, key: int, moves: int) -> int:
    legal = _node_at(position, size, key).moves
    _write_at(moves, array("q", legal).tobytes())
    return len(legal)


@callback
def _write_successor(position: int, size: int, key: int, action: int, successor: int) -> None:
    node = _node_at(position, size, key)
    packed = node.game._packed(node.game._successor(node.state, node.move_of(action)))
    _write_at(successor, packed[WORD_BYTES:] if key else packed)


@callback
def _side_to_move(position: int, size: int, key: int) -> int:
    node = _node_at(position, size, key)
    side = node.game.side_to_move(node.state)
    if side not in (0, 1):
        raise node.game._fault("side_to_move", f"returned {quote(side)}, not 0 or 1")
    return int(side)


@callback
def _outcome(position: int, size: int, key: int) -> int:
    return _node_at(position, size, key).outcome


@callback
def _value(position: int, size: int, key: int) -> float:
    node = _node_at(position, size, key)
    value: object = node.game.evaluate(node.state)
    if not (isinstance(value, Real) and -1 <= float(value) <= 1):
        raise node.game._fault("evaluate", f"returned {quote(value)}, not a number from -1 to 1")
    return float(value)


@callback
def _write_features(position: int, size: int, key: int, side: int, out: Reals) -> None:
    node = _node_at(position, size, key)
    values = node.game.features(node.state, side)
    if len(values) != len(out):
        raise node.game._fault("features", f"returned {len(values)} numbers for {len(out)} declared features")
    out[:] = values


@callback
def _write_planes(position: int, size: int, key: int, side: int, out: Bytes) -> None:
    node = _node_at(position, size, key)
    planes: object = node.game.planes(node.state, side)
    try:
        values = np.asarray(planes).ravel()
        is_valid = values.dtype.kind in "bui" and np.array_equal(values.astype(np.int8), values)
    except (ValueError, OverflowError):
        is_valid = False
    if not is_valid:
        reason = f"returned {quote(planes)}, not planes of rows of integers from -128 to 127"
        raise node.game._fault("planes", reason)
    if len(values) != len(out):
        raise node.game._fault("planes", f"returned {len(values)} numbers, but {len(out)} for another state")
    out[:] = values


class _PlainKernels(NamedTuple):
    legal_moves: Callable[[Words, Actions], int]
    apply: Callable[[Words, int, Words], None]
    side_to_move: Callable[[Words], int]
    outcome: Callable[[Words], int]
    evaluate: Callable[[Words, Reals], float]
    features: Callable[[Words, int, Reals], None]


@cache
def _plain_observe(key: int) -> Callable[[Words, int, Bytes], None]:
    """Return a kernel that calls `planes`; `key` is as in `_plain_kernels`."""

    @kernel(Observe)
    def observe(position: Words, side: int, out: Bytes) -> None:
        """Write the planes from the point of view of a side."""
        address, size = position.ctypes.data, position.size
        with objmode():
            _write_planes(address, size, key, side, out)

    return observe


@cache
def _plain_kernels(key: int) -> _PlainKernels:
    """Return kernels that call the methods of a game.

    Parameters
    ----------
    key : int
        The key of a game that packs its states itself. 0 for all other games, whose positions begin with
        their keys.
    """

    @kernel(LegalMoves)
    def legal_moves(position: Words, moves: Actions) -> int:
        """Write the legal actions, and return their number."""
        address, size, target = position.ctypes.data, position.size, moves.ctypes.data
        with objmode(count="int64"):
            count = _write_moves(address, size, key, target)
        return count  # noqa: RET504 - Numba needs a name for what leaves the block

    @kernel(Apply)
    def apply(position: Words, action: int, successor: Words) -> None:
        """Write the successor of a legal action."""
        address, size, target = position.ctypes.data, position.size, successor.ctypes.data
        with objmode():
            _write_successor(address, size, key, action, target)

    @kernel(SideToMove)
    def side_to_move(position: Words) -> int:
        """Return the side to move."""
        address, size = position.ctypes.data, position.size
        with objmode(side="int64"):
            side = _side_to_move(address, size, key)
        return side  # noqa: RET504 - as above

    @kernel(OutcomeOf)
    def outcome(position: Words) -> int:
        """Return -1, the side that has won, or 2 for a draw."""
        address, size = position.ctypes.data, position.size
        with objmode(code="int64"):
            code = _outcome(address, size, key)
        return code  # noqa: RET504 - as above

    @kernel(Evaluate)
    def evaluate(position: Words, weights: Reals) -> float:
        """Return the value of a position for the side to move."""
        address, size = position.ctypes.data, position.size
        with objmode(value="float64"):
            value = _value(address, size, key)
        return value  # noqa: RET504 - as above

    @kernel(Features)
    def features(position: Words, side: int, out: Reals) -> None:
        """Write the declared features from the point of view of a side."""
        address, size = position.ctypes.data, position.size
        with objmode():
            _write_features(address, size, key, side, out)

    return _PlainKernels(legal_moves, apply, side_to_move, outcome, evaluate, features)
