"""Noughts and crosses with a planted fault, to test whether the checks find it.

A position is three words: the marks of each side as bits 0 to 8, from the top
left, and the side to move. Its text is like `x.o/.x./..o:o`; cells are a1 to
c3, with letters for columns and 1 for the top row.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numba.core import cgutils
from numba.np import arrayobj

from boardgames.declarations import Contempt, Evaluation, Facts, Feature, FeatureSet, Kernels, Symmetry
from boardgames.errors import PositionError
from boardgames.game import Game, Position
from boardgames.kernels import (
    Actions,
    Apply,
    Evaluate,
    Features,
    LegalMoves,
    MoveOrder,
    OutcomeOf,
    PositionKey,
    Reals,
    SideToMove,
    Words,
    kernel,
    mix,
    types,
)
from boardgames.kernels.abi import WORDS, WORDS_OUT
from boardgames.kernels.plain import compiled_by
from boardgames.picture import Cell, Picture, Piece
from boardgames.score import RETURN, Unit

ONE = np.uint64(1)
ZERO = np.uint64(0)
FULL = np.uint64(0b111111111)
LINES = tuple(
    np.uint64(line)
    for line in (
        0b000000111, 0b000111000, 0b111000000,
        0b001001001, 0b010010010, 0b100100100,
        0b100010001, 0b001010100,
    )
)  # fmt: skip
STRAIGHT_LINES = LINES[:6]
NO_LINES = (np.uint64(1 << 20),)  # a bit that no position has
CELL_NAMES = tuple(f"{column}{row}" for row in "123" for column in "abc")


def make_outcome(lines: tuple[np.uint64, ...], first: int, second: int) -> Any:
    """Return an outcome kernel for these lines, with the given codes for a win by `x` and by `o`."""

    @kernel(OutcomeOf)
    def outcome(position: Words) -> int:
        for line in lines:
            if position[0] & line == line:
                return first
            if position[1] & line == line:
                return second
        if position[0] | position[1] == FULL:
            return 2
        return -1

    return outcome


outcome = make_outcome(LINES, 0, 1)


@kernel(OutcomeOf)
def outcome_three(position: Words) -> int:
    """Return 3 instead of 2 for a draw."""
    code = outcome(position)
    return 3 if code == 2 else code


@kernel(SideToMove)
def side_to_move(position: Words) -> int:
    """Return the side to move."""
    return np.int64(position[2])


@kernel(SideToMove)
def side_two(position: Words) -> int:
    """Return 2 instead of 1 for the second side."""
    return np.int64(position[2]) * 2


def make_legal_moves(lines: tuple[np.uint64, ...], skipped: int) -> Any:
    """Return a move generator that ends the match at these lines and always omits one cell."""

    @kernel(LegalMoves)
    def legal_moves(position: Words, moves: Actions) -> int:
        for line in lines:
            if position[0] & line == line or position[1] & line == line:
                return 0
        count = 0
        taken = position[0] | position[1]
        for cell in range(9):
            if (taken >> np.uint64(cell)) & ONE == ZERO and cell != skipped:
                moves[count] = cell
                count += 1
        return count

    return legal_moves


legal_moves = make_legal_moves(LINES, -1)


@kernel(LegalMoves)
def moves_backwards(position: Words, moves: Actions) -> int:
    """Write the moves in descending order."""
    count = legal_moves(position, moves)
    for index in range(count // 2):
        other = moves[count - 1 - index]
        moves[count - 1 - index] = moves[index]
        moves[index] = other
    return count


@kernel(LegalMoves)
def moves_twice(position: Words, moves: Actions) -> int:
    """Write the first move twice if the buffer has room."""
    count = legal_moves(position, moves)
    if 0 < count < 9:
        for index in range(count, 0, -1):
            moves[index] = moves[index - 1]
        count += 1
    return count


@kernel(LegalMoves)
def moves_beyond(position: Words, moves: Actions) -> int:
    """Write one element beyond the last move."""
    count = legal_moves(position, moves)
    if count < 9:
        moves[count] = 0
    return count


@kernel(LegalMoves)
def moves_out_of_range(position: Words, moves: Actions) -> int:
    """Write cells 1 to 9 instead of 0 to 8."""
    count = legal_moves(position, moves)
    for index in range(count):
        moves[index] += 1
    return count


@kernel(LegalMoves)
def moves_impure(position: Words, moves: Actions) -> int:
    """Omit a move if the buffer was zero."""
    was_empty = moves[8] == 0
    count = legal_moves(position, moves)
    return count - 1 if was_empty and 1 < count < 9 else count


@kernel(Apply)
def apply(position: Words, action: int, successor: Words) -> None:
    """Set a mark and change the side to move."""
    side = np.int64(position[2])
    successor[0], successor[1] = position[0], position[1]
    successor[side] |= ONE << np.uint64(action)
    successor[2] = ONE - position[2]


@kernel(Apply)
def apply_same_side(position: Words, action: int, successor: Words) -> None:
    """Keep the side to move after a mark in the middle."""
    apply(position, action, successor)
    if action == 4:
        successor[2] = position[2]


@kernel(Apply)
def apply_unwritten(position: Words, action: int, successor: Words) -> None:
    """Do not write the marks of the other side."""
    side = np.int64(position[2])
    successor[side] = position[side] | (ONE << np.uint64(action))
    successor[2] = ONE - position[2]


def thawed_code(typing_context: Any, position: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
        view = arrayobj.make_array(signature.return_type)(context, builder)
        arrayobj.populate_array(
            view,
            data=whole.data,
            shape=cgutils.pack_array(builder, cgutils.unpack_tuple(builder, whole.shape)),
            strides=cgutils.pack_array(builder, cgutils.unpack_tuple(builder, whole.strides)),
            itemsize=whole.itemsize,
            meminfo=None,
            parent=None,
        )
        return view._getvalue()

    return WORDS_OUT(WORDS), generate


@compiled_by(thawed_code)
def thawed(position: Any) -> Any:
    """Return a writable view of a read-only position, which no kernel should do."""
    while position.base is not None:
        position = position.base
    return position


@kernel(Apply)
def apply_to_input(position: Words, action: int, successor: Words) -> None:
    """Also set the mark in the input position, which is a fault."""
    apply(position, action, successor)
    given = thawed(position)
    given[0] |= ONE << np.uint64(action)


@kernel(MoveOrder)
def middle_first(position: Words, action: int) -> int:
    """Prefer the middle."""
    return 1 if action == 4 else 0


@kernel(MoveOrder)
def middle_far_too_high(position: Words, action: int) -> int:
    """Return a rank beyond the allowed range for the middle."""
    return 1 << 41 if action == 4 else 0


@kernel(LegalMoves)
def corners(position: Words, moves: Actions) -> int:
    """Write the empty corners, which are the tactical moves."""
    count = 0
    for index in range(legal_moves(position, moves)):
        if moves[index] in (0, 2, 6, 8):
            moves[count] = moves[index]
            count += 1
    return count


@kernel(LegalMoves)
def corners_backwards(position: Words, moves: Actions) -> int:
    """Write the corners in descending order."""
    count = corners(position, moves)
    for index in range(count // 2):
        other = moves[count - 1 - index]
        moves[count - 1 - index] = moves[index]
        moves[index] = other
    return count


@kernel(LegalMoves)
def corners_taken(position: Words, moves: Actions) -> int:
    """Write the first corner, empty or not, until the match is over."""
    if outcome(position) >= 0:
        return 0
    moves[0] = 0
    return 1


@kernel(LegalMoves)
def corners_after_the_end(position: Words, moves: Actions) -> int:
    """Write an empty corner even if the match is over."""
    if outcome(position) < 0:
        return corners(position, moves)
    if (position[0] | position[1]) & ONE == ZERO:
        moves[0] = 0
        return 1
    return 0


@kernel(types.uint64(types.uint64))
def mirrored_marks(marks: np.uint64) -> np.uint64:
    """Return marks with left and right swapped."""
    left, middle, right = np.uint64(0b001001001), np.uint64(0b010010010), np.uint64(0b100100100)
    return (marks & middle) | ((marks & left) << np.uint64(2)) | ((marks & right) >> np.uint64(2))


@kernel(types.uint64(types.uint64, types.uint64, types.uint64))
def key_of(first: np.uint64, second: np.uint64, side: np.uint64) -> np.uint64:
    """Return a key that is the same for the mirror image."""
    one = (first << np.uint64(9)) | second
    other = (mirrored_marks(first) << np.uint64(9)) | mirrored_marks(second)
    return mix((min(one, other) << ONE) | side)


@kernel(PositionKey)
def symmetric_key(position: Words) -> np.uint64:
    """Return a key that is the same for the mirror image."""
    return key_of(position[0], position[1], position[2])


@kernel(PositionKey)
def key_of_one_side(position: Words) -> np.uint64:
    """Ignore the marks of the second side."""
    return key_of(position[0], ZERO, position[2])


@kernel(PositionKey)
def key_without_symmetry(position: Words) -> np.uint64:
    """Mirror the marks of one side only."""
    return mix(key_of(position[0], ZERO, position[2]) ^ position[1])


def make_evaluate(factor: float) -> Any:
    """Return an evaluation for the side to move: the factor if it has the middle, minus it for the other."""

    @kernel(Evaluate)
    def evaluate(position: Words, weights: Reals) -> float:
        side = np.int64(position[2])
        own = np.float64((position[side] >> np.uint64(4)) & ONE)
        other = np.float64((position[1 - side] >> np.uint64(4)) & ONE)
        return weights[0] * factor * (own - other)

    return evaluate


evaluate = make_evaluate(1.0)


@kernel(Features)
def features(position: Words, side: int, out: Reals) -> None:
    """Write 1 if the side has the middle, else 0."""
    out[0] = np.float64((position[side] >> np.uint64(4)) & ONE)


def feature_set(high: float) -> FeatureSet:
    """Return the feature set with a declared range of 0 to `high`."""
    feature = Feature("middle", "marks", 0.0, high, "1 if the side has the middle")
    return FeatureSet("middle", features, (feature,))


def mirrored(words: Words) -> Words:
    """Return the position with left and right swapped."""
    image = words.copy()
    for side in (0, 1):
        image[side] = sum(1 << _mirrored_cell(cell) for cell in range(9) if int(words[side]) >> cell & 1)
    return image


def _mirrored_cell(cell: int) -> int:
    return cell + 2 - 2 * (cell % 3)


MIRROR = Symmetry("mirror", mirrored, lambda words, action: _mirrored_cell(action))
FALSE_MIRROR = Symmetry("mirror", mirrored, lambda words, action: action)

KERNEL_FAULTS: dict[str, dict[str, Any]] = {
    "move order out of range": {"move_order": middle_far_too_high},
    "unsorted tactical moves": {"tactical_moves": corners_backwards},
    "illegal tactical moves": {"tactical_moves": corners_taken},
    "tactical moves after the end": {"tactical_moves": corners_after_the_end},
    "same key for different positions": {"symmetric_key": key_of_one_side},
    "different keys for symmetric positions": {"symmetric_key": key_without_symmetry},
    "missing legal move": {"legal_moves": make_legal_moves(LINES, 7)},
    "missing corner move": {"legal_moves": make_legal_moves(LINES, 8)},
    "missed diagonal wins": {
        "legal_moves": make_legal_moves(STRAIGHT_LINES, -1),
        "outcome": make_outcome(STRAIGHT_LINES, 0, 1),
    },
    "swapped winner": {"outcome": make_outcome(LINES, 1, 0)},
    "side moves twice": {"apply": apply_same_side},
    "unsorted actions": {"legal_moves": moves_backwards},
    "repeated action": {"legal_moves": moves_twice},
    "actions out of range": {"legal_moves": moves_out_of_range},
    "moves beyond the count": {"legal_moves": moves_beyond},
    "moves depend on the buffer": {"legal_moves": moves_impure},
    "apply writes to its input": {"apply": apply_to_input},
    "apply leaves words unwritten": {"apply": apply_unwritten},
    "moves after the end": {"legal_moves": make_legal_moves(NO_LINES, -1)},
    "invalid outcome code": {"outcome": outcome_three},
    "invalid side": {"side_to_move": side_two},
}
FACT_FAULTS: dict[str, dict[str, Any]] = {
    "longest match too short": {"longest_match": 8},
    "wrong perft": {"perft": {".../.../...:x": (9, 72, 505)}},
    "no layout": {"layouts": {}},
    "start that is over": {"layouts": {"empty": ".../.../...:x", "over": "xxx/oo./...:o"}},
}
FACE_FAULTS = (
    "ambiguous notation",
    "notation with spaces",
    "position text without side to move",
    "check_words rejects full boards",
    "parser raises IndexError",
    "picture lacks a move",
    "clicks are a prefix of others",
    "clicks on unknown ids",
    "picture in an unknown frame",
    "unknown cell has won",
    "score of floats",
    "evaluation out of bounds",
    "contempt out of bounds",
    "contempt in another unit",
    "returns beyond 1",
    "unit that prints as 0",
    "unit with a reserved name",
    "wrong symmetry",
)
FAULTS = (*KERNEL_FAULTS, *FACT_FAULTS, *FACE_FAULTS)
CONTEMPT: dict[str, dict[str, Any]] = {
    "contempt out of bounds": {"bound": 0.5},
    "contempt in another unit": {"unit": Unit("line", "lines")},
}
"""Changes to the evaluation of contempt."""
UNITS = {
    "unit that prints as 0": Unit("line", "lines", digits=0),
    "unit with a reserved name": Unit("return", "returns"),
}


class Noughts(Game):
    """Noughts and crosses with one planted fault, or without a fault if `fault` is empty."""

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        super().__init__()

    def prepare(self) -> None:
        """Set the facts, kernels and evaluation, including the fault."""
        facts: dict[str, Any] = {"layouts": {"empty": ".../.../...:x"}, "longest_match": 9}
        self.facts = Facts(
            name="noughts",
            title="Noughts and crosses",
            sides=("x", "o"),
            words=3,
            actions=9,
            **(facts | FACT_FAULTS.get(self.fault, {})),
        )
        rules = {
            "legal_moves": legal_moves,
            "apply": apply,
            "side_to_move": side_to_move,
            "outcome": outcome,
            "move_order": middle_first,
            "tactical_moves": corners,
            "symmetric_key": symmetric_key,
        }
        self.kernels = Kernels(**(rules | KERNEL_FAULTS.get(self.fault, {})))
        bound = {"evaluation out of bounds": 0.5, "returns beyond 1": 2.0}.get(self.fault, 1.0)
        self.evaluation = Evaluation("middle", evaluate, np.ones(1), UNITS.get(self.fault, RETURN), bound)
        if self.fault in CONTEMPT:
            evaluation = replace(self.evaluation, **CONTEMPT[self.fault])
            self.contempt = Contempt(lambda side: evaluation, patience=4, concession=0.5)

    def parse_words(self, text: str, notation: str | None = None) -> Words:
        """Parse `x.o/.x./..o:o`."""
        board, _, side = text.partition(":")
        if self.fault == "position text without side to move":
            side = "x"
        cells = board.replace("/", "")
        if self.fault == "parser raises IndexError":
            board[10]
        if len(cells) != 9 or set(cells) - set(".xo") or side not in ("x", "o"):
            raise PositionError(f"not a position like x.o/.x./..o:o: {text!r}")
        marks = [sum(1 << place for place in range(9) if cells[place] == mark) for mark in "xo"]
        return np.array([*marks, "xo".index(side)], dtype=np.uint64)

    def format_words(self, words: Words, notation: str | None = None) -> str:
        """Return `x.o/.x./..o:o`."""
        first, second, side = words.tolist()
        cells = ["x" if first >> cell & 1 else "o" if second >> cell & 1 else "." for cell in range(9)]
        board = "/".join("".join(cells[row : row + 3]) for row in (0, 3, 6))
        if self.fault == "position text without side to move":
            return board
        return f"{board}:{'xo'[side & 1]}"

    def format_action(self, words: Words, action: int, notation: str | None = None) -> str:
        """Return `a1` to `c3`."""
        if self.fault == "ambiguous notation":
            return CELL_NAMES[action][0]
        if self.fault == "notation with spaces":
            return " ".join(CELL_NAMES[action])
        return CELL_NAMES[action]

    def check_words(self, words: Words) -> None:
        """Reject cells with two marks."""
        is_full = int(words[0] | words[1]) == 511
        if int(words[0] & words[1]) or (is_full and self.fault == "check_words rejects full boards"):
            raise PositionError(f"not a position of noughts and crosses: {words.tolist()}")

    def score(self, words: Words) -> tuple[int, int]:
        """Return no points."""
        return (0.0, 0.0) if self.fault == "score of floats" else (0, 0)

    def symmetries(self) -> tuple[Symmetry, ...]:
        """Return the mirror symmetry."""
        return (FALSE_MIRROR if self.fault == "wrong symmetry" else MIRROR,)

    def draw(self, position: Position) -> Picture:
        """Draw nine squares."""
        words = position.words
        cells = tuple(Cell(name, cell % 3, cell // 3) for cell, name in enumerate(CELL_NAMES))
        pieces = tuple(
            Piece(CELL_NAMES[cell], side, "xo"[side])
            for side in (0, 1)
            for cell in range(9)
            if int(words[side]) >> cell & 1
        )
        buffer = np.zeros(9, dtype=np.int64)
        count = self.kernels.legal_moves(words, buffer)
        clicks = {self.format_action(words, cell): self._clicks(cell) for cell in buffer[:count].tolist()}
        if self.fault == "picture lacks a move":
            clicks.pop(next(iter(clicks), ""), None)
        frame: Any = "wood" if self.fault == "picture in an unknown frame" else "none"
        winning = frozenset(["d4"] if self.fault == "unknown cell has won" else [])
        return Picture(cells=cells, pieces=pieces, clicks=clicks, frame=frame, winning=winning)

    def _clicks(self, cell: int) -> tuple[tuple[str, ...], ...]:
        name = CELL_NAMES[cell]
        if self.fault == "clicks are a prefix of others":
            return ((name,), (name, "b2"))
        return (("d4",),) if self.fault == "clicks on unknown ids" and cell == 0 else ((name,),)


class SlowRules:
    """A reference for noughts and crosses that works on text."""

    WINS = ("abc", "def", "ghi", "adg", "beh", "cfi", "aei", "ceg")

    def start(self, text: str) -> str:
        """Return the text, which is the state."""
        return text

    def text(self, state: str) -> str:
        """Return the text."""
        return state

    def outcome(self, state: str) -> int:
        """Return the side with three in a row."""
        cells = dict(zip("abcdefghi", state[:-2].replace("/", ""), strict=True))
        for side, mark in enumerate("xo"):
            if any(all(cells[cell] == mark for cell in line) for line in self.WINS):
                return side
        return -1 if "." in cells.values() else 2

    def legal(self, state: str) -> set[str]:
        """Return the names of the empty cells."""
        rows = state[:-2].split("/")
        empty = {f"{'abc'[x]}{y + 1}" for y in range(3) for x in range(3) if rows[y][x] == "."}
        return empty if self.outcome(state) < 0 else set()

    def play(self, state: str, move: str) -> str:
        """Set the mark of the side to move."""
        place = "abc".index(move[0]) + 4 * (int(move[1]) - 1)
        mark = state[-1]
        return f"{state[:place]}{mark}{state[place + 1 : -1]}{'o' if mark == 'x' else 'x'}"
