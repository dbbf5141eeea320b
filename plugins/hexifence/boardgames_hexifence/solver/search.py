"""Null-window search for the value of a state.

The value V of a state is the number of cells that the side to move takes from now on minus those
that its opponent takes, with best play by both. It is even if and only if the number of cells left is even.
Every search asks whether V is at least a bound, and `solve` narrows V down in steps of 2.

In each state, captures come first (captures.py). Let c be the number of cells taken and R the rest.
Without a hand-out, V is c + V(R); with a hand-out of h cells it is c - h + |V(R) + h|, for which R is
searched up to two times. Without captures there is one move of each class (chains.py), and simple states
need no search.

The table has two words for each state, which hold its key and what is known about its value. A state
is hashed to 128 bits, in which isolated chains and loops count only by their lengths. At least 20 of these
bits are the index, and 103 others are stored as the key. The answer is wrong only if two states have the
same hash.
"""

from typing import Annotated, NamedTuple

import numpy as np

from boardgames.kernels import (
    Actions,
    Control,
    Words,
    has_bit,
    is_stopped,
    kernel,
    mix,
    popcount,
    row_out,
    types,
)
from boardgames.kernels.abi import ACTIONS_OUT, ACTIONS_STACK, WORDS_OUT, WORDS_STACK
from boardgames.kernels.bundles import BUNDLE, unpacker
from boardgames.kernels.control import CONTROL
from boardgames_hexifence.solver.captures import NOTHING, take_all
from boardgames_hexifence.solver.chains import MOVE_MASK, find_moves, simple_value
from boardgames_hexifence.solver.strings import (
    DIRECTIONS,
    MAX_CELLS,
    ONE,
    ZERO,
    Cells,
    cells_by_degree,
    cut,
)

MOST_MOVES = (DIRECTIONS // 2 + 2) * MAX_CELLS
MOST_PLIES = DIRECTIONS * MAX_CELLS + 2
"""Maximum number of moves in a state, and maximum number of plies from a state to the end."""
WORDS_PER_ENTRY = 2
SETS_OF_DIRECTIONS = 1 << DIRECTIONS
BIAS = 64
"""Added to the bounds in an entry, so that they are positive."""
UPPER_SHIFT, MOVE_SHIFT = 8, 16
BYTE = 255
TAG = ~np.uint64((1 << 25) - 1)
"""The bits of an entry's second word that belong to the key; the others hold bounds and a move."""
FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], dtype=np.uint64)
U29, U32 = np.uint64(29), np.uint64(32)


class SolverWorkspace(NamedTuple):
    """The arrays of a search, as a bundle.

    Attributes
    ----------
    table : int64[:]
        Transposition table.
    neighbours, grounded : uint64[6, 64], uint64[6]
        The `Frame` of all states.
    images : uint64[12, 64 n]
        For each symmetry and each of n cells, a hash for each of its sets of strings; n may be 0.
    states : uint64[plies, 6]
        The state at each ply.
    moves : int64[plies, MOST_MOVES]
        The moves at each ply.
    shortest, lengths, values : int64[3], int64[3, MOST_IN_GROUP], int64[:]
        Scratch memory of `find_moves` and `simple_value`.
    control : CONTROL_DTYPE[1]
        Stop flag, node limit and number of nodes.
    """

    table: Annotated[Actions, ACTIONS_OUT]
    neighbours: Annotated[Words, WORDS_STACK]
    grounded: Annotated[Words, WORDS_OUT]
    images: Annotated[Words, WORDS_STACK]
    states: Annotated[Words, WORDS_STACK]
    moves: Annotated[Actions, ACTIONS_STACK]
    shortest: Annotated[Actions, ACTIONS_OUT]
    lengths: Annotated[Actions, ACTIONS_STACK]
    values: Annotated[Actions, ACTIONS_OUT]
    control: Annotated[Control, CONTROL]


unpack = unpacker(SolverWorkspace)


@kernel(types.UniTuple(types.uint64, 2)(WORDS_OUT, WORDS_OUT, types.uint64, types.uint64), inline=True)
def key_of(
    strings: Words, grounded: Words, isolated: Cells, lengths: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Return a hash of 128 bits of a state, in which isolated chains and loops count by their lengths."""
    first, second = lengths, ~lengths
    for direction in range(DIRECTIONS):
        word = strings[direction] & ~isolated
        if direction >= DIRECTIONS // 2:  # a string between two cells is already in the first three words
            word &= grounded[direction]
        first = (first ^ word) * FACTORS[0]
        first ^= first >> U32
        second = (second + word) * FACTORS[1]
        second ^= second >> U29
    return first * FACTORS[1], second * FACTORS[0] ^ (second >> U32)


@kernel(types.boolean(WORDS_OUT, WORDS_STACK), inline=True)
def is_symmetric(strings: Words, images: Words) -> bool:
    """Return True if symmetric states are to be identified: while at least half of the edges are open."""
    ends = 0
    for direction in range(DIRECTIONS):
        ends += popcount(strings[direction])
    return images.size > 0 and ends * SETS_OF_DIRECTIONS >= images.shape[1] * (DIRECTIONS // 2)


@kernel(types.int64(WORDS_OUT, types.int64, types.uint64), inline=True)
def place_of(strings: Words, cell: int, isolated: Cells) -> int:
    """Return the column of `images` for a cell and its strings; those of an isolated cell do not count."""
    directions = 0
    if not has_bit(isolated, cell):
        for direction in range(DIRECTIONS):
            directions |= int(has_bit(strings[direction], cell)) << direction
    return cell * SETS_OF_DIRECTIONS + directions


@kernel(types.UniTuple(types.uint64, 2)(WORDS_OUT, WORDS_STACK, types.uint64, types.uint64), inline=True)
def symmetric_key_of(
    strings: Words, images: Words, isolated: Cells, lengths: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Return a hash of 128 bits like `key_of`, but the same for all symmetric images of a state."""
    cells = images.shape[1] // SETS_OF_DIRECTIONS
    least, image = ZERO, 0
    for symmetry in range(images.shape[0]):
        code = ZERO
        for cell in range(cells):
            code += images[symmetry, place_of(strings, cell, isolated)]
        if symmetry == 0 or code < least:
            least, image = code, symmetry
    second = ~lengths
    for cell in range(cells):
        second += mix(images[image, place_of(strings, cell, isolated)])
    return mix(least + lengths), second


@kernel(types.void(WORDS_STACK, types.int64, types.int64), inline=True)
def copy_state(states: Words, source: int, target: int) -> None:
    """Copy a row of the stack of states."""
    for direction in range(DIRECTIONS):
        states[target, direction] = states[source, direction]


@kernel(types.boolean(BUNDLE, types.int64, types.int64))
def is_at_least(bundle: Actions, ply: int, bound: int) -> bool:  # noqa: C901, PLR0912, PLR0915 - it calls itself
    """Return True if the value of the state at a ply is at least `bound`; meaningless after a stop.

    The captures of the state are made, which changes it.
    """
    work = unpack(bundle)
    strings = row_out(work.states, ply)
    ends, middles, joints = cells_by_degree(strings)
    if ends != ZERO:
        taken, hand_out = take_all(strings, work.neighbours)
        if hand_out == NOTHING:
            return is_at_least(bundle, ply, bound - taken)
        copy_state(work.states, ply, ply + 1)
        if is_at_least(bundle, ply + 1, bound - taken):
            return True
        copy_state(work.states, ply, ply + 1)
        return not is_at_least(bundle, ply + 1, taken - 2 * hand_out - bound + 1)

    left = popcount(middles | joints)
    bound += (bound ^ left) & 1  # the value is odd or even like the number of cells left
    if bound <= -left:
        return True
    if bound > left:
        return False
    if is_stopped(work.control):
        return False
    work.control[0].nodes += 1
    if joints == ZERO:
        return simple_value(strings, work.neighbours, middles, work.lengths, work.values) >= bound

    moves = row_out(work.moves, ply)
    count, isolated, lengths = find_moves(
        strings, work.neighbours, work.grounded, middles, joints, moves, work.shortest
    )
    if is_symmetric(strings, work.images):
        key, check = symmetric_key_of(strings, work.images, isolated, lengths)
    else:
        key, check = key_of(strings, work.grounded, isolated, lengths)
    slot = np.int64(check & np.uint64(work.table.size // WORDS_PER_ENTRY - 1)) * WORDS_PER_ENTRY
    known = np.uint64(work.table[slot + 1])
    lower, upper, best = -left, left, 0
    if np.uint64(work.table[slot]) == key and known & TAG == check & TAG:
        lower = np.int64(known & np.uint64(BYTE)) - BIAS
        upper = np.int64((known >> np.uint64(UPPER_SHIFT)) & np.uint64(BYTE)) - BIAS
        best = int(np.int64((known & ~TAG) >> np.uint64(MOVE_SHIFT)))
        if lower >= bound:
            return True
        if upper < bound:
            return False
        for index in range(1, count):
            if moves[index] & MOVE_MASK == best:  # the best move of an earlier test comes first
                entry = moves[index]
                for place in range(index, 0, -1):
                    moves[place] = moves[place - 1]
                moves[0] = entry
                break

    is_reached = False
    for index in range(count):
        move = moves[index] & MOVE_MASK
        copy_state(work.states, ply, ply + 1)
        cell = ONE << np.uint64((move - 1) // DIRECTIONS)
        cut(row_out(work.states, ply + 1), work.neighbours, cell, (move - 1) % DIRECTIONS)
        if not is_at_least(bundle, ply + 1, 1 - bound):
            is_reached, best = True, move
            break
    if is_stopped(work.control):
        return False
    if is_reached:
        lower = bound
    else:
        upper = bound - 2
    facts = (lower + BIAS) | (upper + BIAS) << UPPER_SHIFT | best << MOVE_SHIFT
    work.table[slot] = np.int64(key)
    work.table[slot + 1] = np.int64(check & TAG | np.uint64(facts))
    return is_reached


@kernel(types.void(BUNDLE, types.Array(types.uint64, 2, "C", readonly=True), ACTIONS_STACK))
def solve(bundle: Actions, states: Words, bounds: Actions) -> None:
    """Narrow down the bounds on the values of states until they are equal or the search is stopped.

    Parameters
    ----------
    bundle : int64[:]
        A `SolverWorkspace`.
    states : uint64[n, 6]
        The states (`Frame.state_of`).
    bounds : int64[n, 2]
        For each state a lower and an upper bound on its value, both even or both odd like the value.
    """
    work = unpack(bundle)
    for index in range(states.shape[0]):
        lower, upper = bounds[index, 0], bounds[index, 1]
        guess = lower & 1
        while lower < upper:
            guess = min(max(guess, lower + 2), upper)
            for direction in range(DIRECTIONS):
                work.states[0, direction] = states[index, direction]
            is_reached = is_at_least(bundle, 0, guess)
            if is_stopped(work.control):
                return
            if is_reached:
                lower = guess
                guess += 2
            else:
                upper = guess - 2
                guess -= 2
            bounds[index, 0], bounds[index, 1] = lower, upper
