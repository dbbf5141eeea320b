"""Othello on a 6 x 6 board, either correct or with one planted fault, for testing the checks.

A position is three words: the discs of black and of white as bits 0 to 35, from a1 along the rows,
and the side to move. Its text is the rows from the top and the side to move: `....../.../......:b`.
Action 36 is the pass, which is legal if a side cannot place a disc and the other side can.
"""

import ctypes
from functools import cache, partial
from typing import Any

import numpy as np

from boardgames.declarations import Evaluation, Facts, Feature, FeatureSet, Kernels, Symmetry
from boardgames.errors import PositionError
from boardgames.game import Game, Position
from boardgames.kernels import (
    Actions,
    Apply,
    Cells,
    Evaluate,
    Features,
    LegalMoves,
    OutcomeOf,
    Reals,
    SideToMove,
    Words,
    kernel,
    popcount,
    types,
)
from boardgames.options import Option
from boardgames.picture import Button, Cell, Picture, Piece
from boardgames.score import Unit

SIZE = 6
CELLS = SIZE * SIZE
PASS = CELLS
NAMES = (*(f"{column}{row + 1}" for row in range(SIZE) for column in "abcdef"), "pass")
START = "....../....../..wb../..bw../....../......:b"
ZERO, ONE = np.uint64(0), np.uint64(1)
FULL = np.uint64((1 << CELLS) - 1)
CORNERS = np.uint64(sum(1 << cell for cell in (0, 5, 30, 35)))
WEST_COLUMN = np.uint64(sum(1 << cell for cell in range(0, CELLS, SIZE)))
EAST_COLUMN = np.uint64(sum(1 << cell for cell in range(SIZE - 1, CELLS, SIZE)))
# shift, cells that it must not reach: east, south-east, south, south-west, then the opposite directions
STEPS = (
    (1, WEST_COLUMN), (7, WEST_COLUMN), (6, ZERO), (5, EAST_COLUMN),
    (-1, EAST_COLUMN), (-7, EAST_COLUMN), (-6, ZERO), (-5, WEST_COLUMN),
)  # fmt: skip

abort = ctypes.CDLL(None).abort
abort.argtypes, abort.restype = [], None

FAULTS = (
    "none",
    "missing flips",
    "wrapped masks",
    "forgotten pass",
    "pass keeps side",
    "reversed winner",
    "negated evaluation",
    "unwritten word",
    "missing click",
    "reads past weights",
    "writes past moves",
    "writes past successor",
    "crash",
    "endless loop",
    "endless outcome",
)


@cache
def make_kernels(fault: str) -> tuple[Kernels, Any]:  # noqa: C901, PLR0915 - kernels for every fault
    """Return the rules and the evaluation, with a fault."""
    shifts = np.array([shift for shift, _ in STEPS])
    wraps = fault == "wrapped masks"
    barred = np.array([ZERO if wraps else column for _, column in STEPS], dtype=np.uint64)
    directions = 7 if fault == "missing flips" else 8
    forgets_pass, keeps_side = fault == "forgotten pass", fault == "pass keeps side"
    skips_word, overflows = fault == "unwritten word", fault == "writes past moves"
    overwrites, loops, crashes = fault == "writes past successor", fault == "endless loop", fault == "crash"
    winner = 1 if fault == "reversed winner" else 0
    sign = -1.0 if fault == "negated evaluation" else 1.0
    place = 2 if fault == "reads past weights" else 1

    @kernel(types.uint64(types.uint64, types.int64))
    def step(discs: np.uint64, direction: int) -> np.uint64:
        shift = shifts[direction]
        moved = discs << np.uint64(shift) if shift > 0 else discs >> np.uint64(-shift)
        return moved & FULL & ~barred[direction]

    @kernel(types.uint64(types.uint64, types.uint64, types.uint64, types.int64))
    def flips(cell: np.uint64, own: np.uint64, other: np.uint64, count: int) -> np.uint64:
        flipped = ZERO
        for direction in range(count):
            line = ZERO
            reached = step(cell, direction)
            while reached & other != ZERO:
                line |= reached
                reached = step(reached, direction)
            if reached & own != ZERO:
                flipped |= line
        return flipped

    @kernel(types.boolean(types.uint64, types.uint64))
    def can_place(own: np.uint64, other: np.uint64) -> bool:
        for cell in range(CELLS):
            bit = ONE << np.uint64(cell)
            if (own | other) & bit == ZERO and flips(bit, own, other, 8) != ZERO:
                return True
        return False

    @kernel(SideToMove)
    def side_to_move(position: Words) -> int:
        return np.int64(position[2])

    @kernel(OutcomeOf)
    def outcome(position: Words) -> int:
        if can_place(position[0], position[1]) or can_place(position[1], position[0]):
            return -1
        black, white = popcount(position[0]), popcount(position[1])
        if black == white:
            return 2
        return winner if black > white else 1 - winner

    @kernel(LegalMoves)
    def legal_moves(position: Words, moves: Actions) -> int:
        side = np.int64(position[2])
        own, other = position[side], position[1 - side]
        count = 0
        for cell in range(CELLS):
            bit = ONE << np.uint64(cell)
            if (own | other) & bit == ZERO and flips(bit, own, other, 8) != ZERO:
                moves[count] = cell
                count += 1
        if count == 0 and not forgets_pass and can_place(other, own):
            moves[0] = PASS
            count = 1
        if overflows and count == 1:
            moves[moves.size] = 0
        return count

    @kernel(Apply)
    def apply(position: Words, action: int, successor: Words) -> None:
        side = np.int64(position[2])
        own, other = position[side], position[1 - side]
        successor[2] = position[2] if keeps_side and action == PASS else ONE - position[2]
        if action == PASS:
            successor[side] = own
            if not skips_word:
                successor[1 - side] = other
            return
        bit = ONE << np.uint64(action)
        flipped = flips(bit, own, other, directions)
        successor[side] = own | bit | flipped
        successor[1 - side] = other & ~flipped
        if overwrites:
            successor[successor.size + 1] = ZERO

    @kernel(Evaluate)
    def evaluate(position: Words, weights: Reals) -> float:
        side = np.int64(position[2])
        own, other = position[side], position[1 - side]
        discs = popcount(own) - popcount(other)
        corners = popcount(own & CORNERS) - popcount(other & CORNERS)
        return sign * (weights[0] * discs + weights[place] * corners)

    rules = legal_moves
    if loops:

        @kernel(LegalMoves)
        def endless_moves(position: Words, moves: Actions) -> int:
            while moves[0] != -1:
                moves[0] = (moves[0] * 5 + 1) & 1023
            return legal_moves(position, moves)

        rules = endless_moves
    if crashes:

        @kernel(LegalMoves)
        def crashing_moves(position: Words, moves: Actions) -> int:
            count = legal_moves(position, moves)
            if count == 2:
                abort()
            return count

        rules = crashing_moves
    if fault != "endless outcome":
        return Kernels(rules, apply, side_to_move, outcome), evaluate

    @kernel(OutcomeOf)
    def endless_outcome(position: Words) -> int:
        number = 1
        while number != -1:
            number = (number * 5 + 1) & 1023
        return outcome(position)

    @kernel(LegalMoves)
    def moves_before_the_end(position: Words, moves: Actions) -> int:
        return 0 if endless_outcome(position) >= 0 else legal_moves(position, moves)

    return Kernels(moves_before_the_end, apply, side_to_move, endless_outcome), evaluate


class Othello(Game):
    """Othello on six by six cells."""

    declared_options = (
        Option("fault", str, "none", "the planted fault", choices=FAULTS),
        Option("symmetric", bool, True, "declare the symmetries"),
    )

    def prepare(self) -> None:
        """Set facts, kernels and evaluation, with the fault."""
        self.facts = Facts(
            name="othello6",
            title="Othello",
            sides=("black", "white"),
            words=3,
            actions=CELLS + 1,
            options=self.declared_options,
            score_name="discs",
            layouts={"standard": START},
            perft={START: (4, 12, 56)},
        )
        self.kernels, evaluate = make_kernels(str(self.options["fault"]))
        weights = np.array([1.0, 5.0])
        self.evaluation = Evaluation("discs", evaluate, weights, Unit("disc", "discs"), 100.0)

    def parse_words(self, text: str, notation: str | None = None) -> Words:
        """Parse the rows from the top, and the side to move."""
        board, _, side = text.partition(":")
        cells = board.replace("/", "")
        if (
            [len(row) for row in board.split("/")] != [SIZE] * SIZE
            or set(cells) - set(".bw")
            or side not in tuple("bw")
        ):
            raise PositionError(f"not a position: {text!r}")
        discs = [sum(1 << cell for cell in range(CELLS) if cells[cell] == colour) for colour in "bw"]
        return np.array([*discs, "bw".index(side)], dtype=np.uint64)

    def format_words(self, words: Words, notation: str | None = None) -> str:
        """Return the rows from the top, and the side to move."""
        black, white, side = words.tolist()
        cells = ["b" if black >> cell & 1 else "w" if white >> cell & 1 else "." for cell in range(CELLS)]
        rows = ("".join(cells[row : row + SIZE]) for row in range(0, CELLS, SIZE))
        return f"{'/'.join(rows)}:{'bw'[side]}"

    def format_action(self, words: Words, action: int, notation: str | None = None) -> str:
        """Return `a1` to `f6`, or `pass`."""
        return NAMES[action]

    def check_words(self, words: Words) -> None:
        """Reject cells with two discs."""
        if int(words[0] & words[1]) or int(words[2]) > 1:
            raise PositionError(f"not a position: {words.tolist()}")

    def score(self, words: Words) -> tuple[int, int]:
        """Return the number of discs of each side."""
        return int(words[0]).bit_count(), int(words[1]).bit_count()

    def symmetries(self) -> tuple[Symmetry, ...]:
        """Return the rotations and reflections of the square, if they are to be declared."""
        if not self.options["symmetric"]:
            return ()
        square = np.arange(CELLS).reshape(SIZE, SIZE)
        images = [np.rot90(board, turns) for board in (square, square.T) for turns in range(4)]
        return tuple(
            Symmetry(
                f"symmetry {number}", partial(_map_words, cells=cells), partial(_map_action, cells=cells)
            )
            for number, cells in enumerate(image.reshape(-1) for image in images)
            if number
        )

    def draw(self, position: Position) -> Picture:
        """Draw the board, and a button for the pass."""
        words = position.words
        cells = [Cell(name, cell % SIZE, cell // SIZE) for cell, name in enumerate(NAMES[:CELLS])]
        pieces = [
            Piece(NAMES[cell], side, "bw"[side])
            for cell in range(CELLS)
            for side in (0, 1)
            if int(words[side]) >> cell & 1
        ]
        buffer = np.zeros(CELLS + 1, dtype=np.int64)
        legal = buffer[: self.kernels.legal_moves(words, buffer)].tolist()
        if self.options["fault"] == "missing click":
            legal = [action for action in legal if action != PASS]
        return Picture(
            cells=tuple(cells),
            buttons=(Button("pass"),),
            pieces=tuple(pieces),
            clicks={NAMES[action]: ((NAMES[action],),) for action in legal},
        )


def _map_words(words: Words, *, cells: Any) -> Words:
    """Return the position with the content of cell k in `cells[k]`."""
    image = words.copy()
    for side in (0, 1):
        image[side] = sum(1 << int(cells[cell]) for cell in range(CELLS) if int(words[side]) >> cell & 1)
    return image


def _map_action(words: Words, action: int, *, cells: Any) -> int:
    """Return the image of an action."""
    return action if action == PASS else int(cells[action])


@kernel(Features)
def features_out_of_place(position: Words, side: int, out: Reals) -> None:
    """Write one more number than declared."""
    out[0] = np.float64(popcount(position[side]))
    out[out.size] = 0.0


@kernel(Features)
def features_left_out(position: Words, side: int, out: Reals) -> None:
    """Write nothing."""
    return


@kernel(Cells)
def cells_out_of_place(position: Words, side: int, out: Actions) -> None:
    """Write the discs of the side, and one more number than declared."""
    for cell in range(out.size):
        out[cell] = np.int64(position[side] >> np.uint64(cell) & ONE)
    out[out.size] = 0


@kernel(Cells)
def cells_left_out(position: Words, side: int, out: Actions) -> None:
    """Write the discs of the side, except for the last cell."""
    for cell in range(out.size - 1):
        out[cell] = np.int64(position[side] >> np.uint64(cell) & ONE)


def feature_set(kernel_: Any) -> FeatureSet:
    """Return a feature set of one number."""
    return FeatureSet("discs", kernel_, (Feature("discs", "discs", 0.0, 36.0, "own discs"),))
