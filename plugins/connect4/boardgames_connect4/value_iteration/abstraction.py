"""State abstractions of Connect Four: states that consist of the top stones, with rewards and guards.

A state is a number in base 3 with a digit for the top stone of each column: 0 for an empty
column, 1 for an own stone and 2 for a stone of the opponent. The lowest digit is that of the
leftmost column.

The reward of a move is computed on the whole board after it: twice the length of the
longest own line minus the length of the opponent's longest line, which counts three times if it
is three or more. A line is a run of stones in a row, a column or a diagonal, and its length is at
most four. In `tops` a line counts only while there is room for four stones in it, so blocking it
is rewarded. In `tops-plain` every line counts.

Three guards respond to threats that neither the states nor the rewards show in time. They take
precedence over everything learned.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from boardgames.errors import UnknownNameError, quote, suggest
from boardgames.game import Game
from boardgames.kernels import Words, kernel, lowest_bit, types
from boardgames.kernels.abi import WORDS
from boardgames_connect4.board import CONNECT, Board
from boardgames_connect4.rules import ONE, STATUS, ZERO

StateOf = types.int64(WORDS, types.int64)
"""`state(position, side)`: the number of the abstract state from the point of view of `side`."""
RewardOf = types.float64(WORDS, types.int64)
"""`reward(position, side)`: the reward of `side` for the move that led to `position`."""
GuardAction = types.int64(WORDS, types.int64)
"""`guard_action(position, enabled)`: the action that the enabled guards demand, or -1."""

OWN, OTHER = 1, 2
"""Digits of a state; 0 is an empty column."""
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Steps in columns and rows from one cell of a line to the next."""
DANGEROUS = 3
"""If the opponent's longest line is at least this long, its length counts `DANGER` times."""
DANGER = 3

GUARDS = ("diagonal", "gap", "open-two")
"""The guards in the order in which they apply. `diagonal` fills the gap in a diagonal whose other three cells
are the opponent's. `gap` fills a gap in a row in which the opponent could make four or an open three.
`open-two` blocks two adjacent stones of the opponent before they become an open three."""
DIAGONAL, GAP, OPEN_TWO = (1 << index for index in range(len(GUARDS)))

DATA = Path(__file__).parent.parent / "data"
POLICIES = {columns: DATA / f"value-iteration-{columns}.safetensors" for columns in (7, 8)}
"""Shipped policies for `tops` by number of columns; each fits boards with any number of rows."""


@dataclass(frozen=True, slots=True, eq=False)
class StateAbstraction:
    """A mapping of positions to a few numbered states, whose values can be learned in a table.

    Attributes
    ----------
    name : str
        Identifies the abstraction in policy files.
    states : int
        Number of states; they are 0 to `states` - 1.
    state : callable
        Returns the state of a position from the point of view of a side.
    reward : callable
        Returns the reward of the side that has just moved, given the position after its move.
    guard_action : callable
        Returns the action that the guards demand of the side to move, or -1. Bit `i` of its second
        argument is set if guard `i` of `GUARDS` is enabled.
    policy : Path or None
        File of the policy that the agent `value-iteration` uses by default.
    """

    name: str
    states: int
    state: Callable[[Words, int], int]
    reward: Callable[[Words, int], float]
    guard_action: Callable[[Words, int], int]
    policy: Path | None


class Direction(NamedTuple):
    """A direction of lines on a board.

    Attributes
    ----------
    step : int
        Number of bits from a cell to the next one, positive.
    pairs, fours : int
        Cells from which a line of two, or of four, stays on the board.
    """

    step: int
    pairs: int
    fours: int


def directions(board: Board) -> tuple[Direction, ...]:
    """Return the four directions of lines."""
    cells = [(column, row) for column in range(board.columns) for row in range(board.rows)]

    def starts(right: int, up: int, length: int) -> int:
        ends = {cell: (cell[0] + right * (length - 1), cell[1] + up * (length - 1)) for cell in cells}
        return sum(1 << board.bit(*cell) for cell, end in ends.items() if end in ends)

    return tuple(
        Direction(board.height * right + up, starts(right, up, 2), starts(right, up, CONNECT))
        for right, up in DIRECTIONS
    )


@cache
def sized_state(board: Board) -> Callable[[Words, int], int]:
    """Return the kernel that numbers the states of one board size."""
    columns, rows, height = board.columns, board.rows, board.height

    @kernel(StateOf)
    def state(position: Words, side: int) -> int:
        """Return the top stones of all columns as a number in base 3, from the point of view of `side`."""
        own, other = position[side], position[1 - side]
        number, place = 0, 1
        for column in range(columns):
            for down in range(1, rows + 1):
                cell = ONE << np.uint64(column * height + rows - down)
                if own & cell != ZERO:
                    number += OWN * place
                    break
                if other & cell != ZERO:
                    number += OTHER * place
                    break
            place *= 3
        return number

    return state


@cache
def sized_reward(board: Board, needs_room: bool) -> Callable[[Words, int], float]:
    """Return the reward kernel for one board size.

    Parameters
    ----------
    needs_room : bool
        True if a line only counts while the other side has left room for four stones in it.
    """
    lines = directions(board)
    steps = tuple(np.uint64(line.step) for line in lines)
    pairs = tuple(np.uint64(line.pairs) for line in lines)
    fours = tuple(np.uint64(line.fours) for line in lines)

    @kernel(types.int64(types.uint64, types.uint64))
    def longest_line(stones: np.uint64, others: np.uint64) -> int:
        longest = 0
        for direction in range(len(steps)):
            step = steps[direction]
            runs = stones
            if needs_room:
                usable = ~others
                room = usable & (usable >> step)
                room &= (room >> (step + step)) & fours[direction]
                room |= room << step
                runs &= room | (room << (step + step))
            length = 0
            while runs != ZERO and length < CONNECT:
                length += 1
                runs &= (runs >> step) & pairs[direction]
            longest = max(longest, length)
        return longest

    @kernel(RewardOf)
    def reward(position: Words, side: int) -> float:
        """Compute the reward from the longest lines of both sides, as described at the top of the module."""
        own = longest_line(position[side], position[1 - side])
        other = longest_line(position[1 - side], position[side])
        return float(2 * own - (DANGER * other if other >= DANGEROUS else other))

    return reward


@kernel(types.uint64(types.uint64, types.uint64, types.int64, types.uint64))
def _diagonal_holes(other: np.uint64, playable: np.uint64, step: int, starts: np.uint64) -> np.uint64:
    """Return the cells inside a diagonal line of four whose other three cells are the opponent's."""
    one = np.uint64(step)
    two, three = one + one, one + one + one
    ends = starts & other & (other >> three)
    second = ends & (playable >> one) & (other >> two)
    third = ends & (other >> one) & (playable >> two)
    return (second << one) | (third << two)


@kernel(types.uint64(types.uint64, types.uint64, types.uint64, types.int64))
def _gaps(other: np.uint64, empty: np.uint64, playable: np.uint64, height: int) -> np.uint64:
    """Return the cells between two stones of the opponent in a row where a third one would be dangerous.

    It would complete four if there is another stone beside one of the two, and make an open three if the
    cells beyond both are empty.
    """
    one = np.uint64(height)
    two = one + one
    dangerous = (other << two) | (other >> two) | ((empty << two) & (empty >> two))
    return playable & (other << one) & (other >> one) & dangerous


@kernel(types.uint64(types.uint64, types.uint64, types.int64))
def _ends_of_open_twos(other: np.uint64, playable: np.uint64, height: int) -> np.uint64:
    """Return cells beside two adjacent stones in a row: on the side with one free cell, if the other has two.

    A cell is free if a stone can be dropped into it now.
    """
    one = np.uint64(height)
    two, three = one + one, one + one + one
    pairs = other & (other >> one) & (playable << one) & (playable >> two)
    left, right = playable << two, playable >> three
    return ((pairs & right & ~left) >> one) | ((pairs & left & ~right) << two)


@cache
def sized_guard_action(board: Board) -> Callable[[Words, int], int]:
    """Return the kernel of the guards for one board size."""
    height, bottom, full = board.height, np.uint64(board.bottom), np.uint64(board.full)
    rising, falling = directions(board)[2:]

    @kernel(GuardAction)
    def guard_action(position: Words, enabled: int) -> int:
        """Return the leftmost column demanded by the first enabled guard that demands one, or -1."""
        occupied = position[0] | position[1]
        other = position[1 - np.int64(position[STATUS] & ONE)]
        empty = full & ~occupied
        playable = empty & ((occupied << ONE) | bottom)
        cells = ZERO
        if enabled & DIAGONAL != 0:
            cells = _diagonal_holes(other, playable, rising.step, np.uint64(rising.fours))
            cells |= _diagonal_holes(other, playable, falling.step, np.uint64(falling.fours))
        if cells == ZERO and enabled & GAP != 0:
            cells = _gaps(other, empty, playable, height)
        if cells == ZERO and enabled & OPEN_TWO != 0:
            cells = _ends_of_open_twos(other, playable, height)
        return -1 if cells == ZERO else lowest_bit(cells) // height

    return guard_action


def tops(game: Game) -> StateAbstraction:
    """Return the abstraction `tops`, in which lines without room for four do not count.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4", columns=8, rows=7)
    >>> top_stones = tops(game)
    >>> position = game.parse("1234")  # 1, 2, 1 and 2 in the first columns: 1 + 2 * 3 + 1 * 9 + 2 * 27
    >>> top_stones.states, top_stones.state(position.words, 0)
    (6561, 70)
    """
    return _abstraction(game, "tops", needs_room=True)


def tops_plain(game: Game) -> StateAbstraction:
    """Return the abstraction `tops-plain`, in which every line counts."""
    return _abstraction(game, "tops-plain", needs_room=False)


def _abstraction(game: Game, name: str, *, needs_room: bool) -> StateAbstraction:
    board = Board(int(game.options["columns"] or 0), int(game.options["rows"] or 0))
    return StateAbstraction(
        name=name,
        states=3**board.columns,
        state=sized_state(board),
        reward=sized_reward(board, needs_room),
        guard_action=sized_guard_action(board),
        policy=POLICIES.get(board.columns) if name == "tops" else None,
    )


ABSTRACTIONS = {"tops": tops, "tops-plain": tops_plain}


def find_abstraction(name: str, game: Game) -> StateAbstraction:
    """Return a state abstraction by name.

    Raises
    ------
    UnknownNameError
        If there is no abstraction with that name.
    """
    if name not in ABSTRACTIONS:
        raise UnknownNameError(f"no such state abstraction {quote(name)}{suggest(name, [*ABSTRACTIONS])}")
    return ABSTRACTIONS[name](game)
