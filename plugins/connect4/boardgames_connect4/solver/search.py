"""Null-window search for the exact score of a position.

The score of a win or loss depends on its length: (cells + 1 - discs before the winning disc) // 2,
positive for a win of the side to move; 0 is a draw. Every search asks whether the score is greater
than `alpha`. `solve` first asks whether either side wins early, which takes few nodes because
all other lines of play are soon cut off. It then narrows the score down from 0 (MTD(f): A.
Plaat, "Best-first fixed-depth minimax algorithms", 1996).

At each position, from cheap to expensive:

- Moves that lose at once are left out: not answering a threat, or dropping below one.
- Bounds from the number of discs that are left, from lines that can no longer be completed, from
  the transposition table, and from the follow-up strategy of either side (followup.py).
- A move wins on the disc after next if it makes two playable threats, or a playable threat right
  below another one, or if the opponent can then only drop right below a threat.
- The children's entries in the table are tried before any of them is searched (enhanced
  transposition cut-off; A. Plaat et al., "Exploiting graph properties of game trees", 1996).
- Moves are ordered by the threats that they make; a move just below a threat of its own side
  gives the threat away and comes last. Cells near the centre are preferred. While many cells are
  empty, open lines with two discs and all lines through the cell also count.

Several threads share the table. A thread defers a move, except the first one, while another
thread is searching it (ABDADA: J.-C. Weill, "The ABDADA distributed minimax-search algorithm",
1996). The thread that finishes a window first stops the others that are still searching it.
"""

from collections.abc import Callable
from functools import cache
from typing import Annotated, NamedTuple

import numpy as np

from boardgames.kernels import (
    Actions,
    Control,
    Words,
    is_stopped,
    kernel,
    lowest_bit,
    popcount,
    prefetch,
    types,
)
from boardgames.kernels.abi import ACTIONS_OUT, ACTIONS_STACK
from boardgames.kernels.atomics import atomic_load, atomic_store, compare_and_swap
from boardgames.kernels.bundles import BUNDLE, unpacker
from boardgames.kernels.control import CONTROL
from boardgames_connect4.board import Board
from boardgames_connect4.features import open_lines, winning_cells
from boardgames_connect4.rules import ONE, ZERO
from boardgames_connect4.solver.followup import NO_BOUND, follow_up_bound, has_four
from boardgames_connect4.solver.geometry import GEOMETRY, Geometry, geometry_of
from boardgames_connect4.solver.table import bucket_of, key_of, look_up, lower_of, store, upper_of

UNSTORED = 6
"""Positions with this number of empty cells or fewer are not stored."""
MOST_MOVES = 8
MOVES, KEYS, THREATS, BOUNDS = (MOST_MOVES * part for part in range(1, 5))
WIDTH = 5 * MOST_MOVES
"""Number of words of scratch memory for each ply: the order of the moves, and what is known about each."""
LOST = 99
"""A number larger than every score."""
STOPPED = 1000
"""The value that is returned instead of a score if the search was stopped."""

EARLY_CELLS = 20
"""With at least this many empty cells, `solve` begins by testing for an early win; with fewer, the test costs
more than it saves."""
EARLY_WIN = (3, 5)
"""A score of at least this share of the best possible one is an early win. With a smaller share, positions
with early wins take fewer nodes, and all other positions take more."""

SPLIT_CELLS = 14
"""Minimum number of empty cells at which a thread defers a move that another thread is searching."""
FLAG_STRIDE = 24
"""Distance between the stop flags of two threads in words, so that they do not share a cache line."""
OVERTAKEN = 2
"""Stop flag of a thread whose current window another thread has finished."""

THREAT_RANK, OWN_THREAT_RANK, CHECK_RANK, TWO_RANK, RANK_BIAS = 32, -48, 8, 4, 1 << 12
"""Parts of a move's rank: for each threat, for giving up a threat, for a threat that must be answered, and
for each open line with two discs; and a constant that makes ranks positive."""
RANK_SHIFT, INDEX_MASK = 8, 255
MANY_CELLS = 22
"""Minimum number of empty cells at which the order of the moves also depends on lines that are not threats
yet."""


class SolverWorkspace(NamedTuple):
    """The arrays of one thread, as a bundle.

    Attributes
    ----------
    table, busy : int64[:]
        Transposition table, and keys of the positions that are being searched; shared.
    tasks, flags : int64[threads], int64[FLAG_STRIDE threads]
        For each thread the index of the position that it solves, and its stop flag; shared.
    preferences : int64[2, 64]
        Rank of each cell, by its bit: while few cells are empty, and while many are.
    scratch : int64[:]
        Space for the moves of each ply.
    control : CONTROL_DTYPE[1]
        Stop flag of this thread, the same word as in `flags`, and its number of nodes.
    """

    table: Annotated[Actions, ACTIONS_OUT]
    busy: Annotated[Actions, ACTIONS_OUT]
    tasks: Annotated[Actions, ACTIONS_OUT]
    flags: Annotated[Actions, ACTIONS_OUT]
    preferences: Annotated[Actions, ACTIONS_STACK]
    scratch: Annotated[Actions, ACTIONS_OUT]
    control: Annotated[Control, CONTROL]


unpack = unpacker(SolverWorkspace)


@kernel(types.uint64(GEOMETRY, types.uint64), inline=True)
def playable_cells(geometry: Geometry, discs: np.uint64) -> np.uint64:
    """Return the lowest empty cell of each column."""
    return ((discs << ONE) | geometry.bottom) & ~discs & geometry.full


@kernel(types.uint64(GEOMETRY, types.uint64), inline=True)
def below(geometry: Geometry, cells: np.uint64) -> np.uint64:
    """Return the cells directly below a set of cells; the result may contain guard bits."""
    return (cells if geometry.has_guards else cells & geometry.upper) >> ONE


@kernel(types.boolean(ACTIONS_OUT, types.uint64), inline=True)
def is_busy(busy: Actions, key: np.uint64) -> bool:
    """Return True if a thread is searching a position.

    Positions may share a place in `busy`, which then only has the one that was marked last.
    """
    return bool(atomic_load(busy, np.int64(key >> ONE) & (busy.size - 1)) == np.int64(key))


@kernel(types.void(ACTIONS_OUT, types.uint64, types.boolean), inline=True)
def set_busy(busy: Actions, key: np.uint64, is_searched: bool) -> None:
    """Mark a position as being searched, or remove the mark."""
    atomic_store(busy, np.int64(key >> ONE) & (busy.size - 1), np.int64(key) if is_searched else 0)


@kernel(types.int64(types.int64, types.int64, types.int64), inline=True)
def early_test(lower: int, upper: int, left: int) -> int:
    """Return the `alpha` that tests whether either side wins early, or `LOST` if no test is needed.

    Parameters
    ----------
    lower, upper : int64
        Bounds of the score.
    left : int64
        Number of empty cells.
    """
    early = EARLY_WIN[0] * ((left + 1) // 2) // EARLY_WIN[1] if left >= EARLY_CELLS else LOST
    if lower < early <= upper:
        return early - 1
    if lower <= -early < upper:
        return -early
    return LOST


@cache
def solver_kernel(  # noqa: C901, PLR0915 - it contains the kernels
    board: Board,
) -> Callable[[Actions, Words, Actions, int], None]:
    """Return the kernel that solves positions on a board, compiled on first use: `solve_all` below."""
    geometry = geometry_of(board)

    @kernel(
        types.int64(
            BUNDLE,
            types.uint64,
            types.uint64,
            types.int64,
            types.int64,
            types.uint64,
            types.uint64,
            types.int64,
        )
    )
    def search(  # noqa: C901, PLR0912, PLR0915 - a kernel that calls itself cannot be split further
        bundle: Actions,
        own: np.uint64,
        discs: np.uint64,
        left: int,
        alpha: int,
        own_threats: np.uint64,
        threats_against: np.uint64,
        bound: int,
    ) -> int:
        """Return a bound on the score: a lower bound if it is greater than `alpha`, else an upper bound.

        Parameters
        ----------
        bundle : int64[:]
            A `SolverWorkspace`.
        own, discs : uint64
            Discs of the side to move, and all discs. The side to move cannot win at once.
        left : int64
            Number of empty cells.
        alpha : int64
            The score to compare with.
        own_threats, threats_against : uint64
            Empty cells on which the side to move, and its opponent, complete four in a line.
        bound : int64
            An upper bound of the score from `follow_up_bound`.
        """
        work = unpack(bundle)
        work.control[0].nodes += 1
        other = own ^ discs
        empty = geometry.full & ~discs
        playable = playable_cells(geometry, discs)

        moves = playable
        forced = playable & threats_against
        if forced != ZERO:
            if forced & (forced - ONE) != ZERO:
                return -(left // 2)
            moves = forced
        moves &= ~below(geometry, threats_against)
        if moves == ZERO:
            return -(left // 2)
        if left <= 2:
            return 0

        next_win = (left - 1) // 2
        lower, upper = -((left - 2) // 2), min(next_win, bound)
        if lower > alpha:
            return lower
        if upper <= alpha:
            return upper
        if not has_four(geometry, (own if alpha >= 0 else other) | empty):
            return 0
        is_stored = left > UNSTORED
        key = ZERO
        if is_stored:
            if is_stopped(work.control):
                return STOPPED
            key = key_of(geometry, own, discs, left)
            bounds = look_up(work.table, geometry, key, discs, left)
            if bounds != 0:
                lower, upper = max(lower, lower_of(bounds)), min(upper, upper_of(bounds))
                if lower > alpha:
                    return lower
                if upper <= alpha:
                    return upper

        is_stored_below = left - 1 > UNSTORED
        start = left * WIDTH
        count = 0
        rest = moves
        while rest != ZERO:
            move = rest & (ZERO - rest)
            rest ^= move
            work.scratch[start + MOVES + count] = np.int64(move)
            if is_stored_below:
                key_below = key_of(geometry, other, discs | move, left - 1)
                work.scratch[start + KEYS + count] = np.int64(key_below)
                prefetch(work.table, bucket_of(work.table, geometry, key_below, left - 1))
            count += 1
        for index in range(start, start + count):
            move = np.uint64(work.scratch[index + MOVES])
            made = winning_cells(own | move, empty ^ move, geometry.height, geometry.starts)
            playable_below = (playable ^ move) | ((move << ONE) & geometry.upper)
            checks = made & playable_below
            if checks != ZERO:
                if checks & (checks - ONE) != ZERO or checks & below(geometry, made) != ZERO:
                    return next_win
            elif playable_below != ZERO and playable_below & ~below(geometry, made) == ZERO:
                return next_win
            work.scratch[index + THREATS] = np.int64(made)
        if alpha >= next_win - 1:
            return next_win - 1

        for index in range(start, start + count):
            move = np.uint64(work.scratch[index + MOVES])
            made = np.uint64(work.scratch[index + THREATS])
            playable_below = (playable ^ move) | ((move << ONE) & geometry.upper)
            bound = NO_BOUND
            if popcount(playable_below & ~geometry.mover_rows) & 1 == 0 or made & geometry.mover_rows != ZERO:
                bound = follow_up_bound(geometry, other, own | move, empty ^ move, playable_below, made)
                if -bound > alpha:
                    return -bound
                lower = max(lower, -bound)
            work.scratch[index + BOUNDS] = bound
            if is_stored_below:
                key_below = np.uint64(work.scratch[index + KEYS])
                bounds = look_up(work.table, geometry, key_below, discs | move, left - 1)
                if bounds != 0 and -upper_of(bounds) > alpha:
                    return -upper_of(bounds)
            rank = THREAT_RANK * popcount(made)
            if move & below(geometry, own_threats) != ZERO:
                rank += OWN_THREAT_RANK
            if made & playable_below != ZERO:
                rank += CHECK_RANK
            if left >= MANY_CELLS:
                twos, _ = open_lines(own | move, empty ^ move, geometry.height, geometry.starts)
                rank += TWO_RANK * twos + work.preferences[1, lowest_bit(move)]
            else:
                rank += work.preferences[0, lowest_bit(move)]
            entry = (rank + RANK_BIAS) << RANK_SHIFT | (index - start)
            place = index
            while place > start and work.scratch[place - 1] < entry:
                work.scratch[place] = work.scratch[place - 1]
                place -= 1
            work.scratch[place] = entry

        best = -LOST
        is_split = left >= SPLIT_CELLS and work.tasks.size > 1
        turn, turns, deferred = 0, count, 0
        while turn < turns:
            place = turn % count
            turn += 1
            index = start + (work.scratch[start + place] & INDEX_MASK)
            key_below = np.uint64(work.scratch[index + KEYS])
            if is_split and turn > 1:
                # another thread may have finished this position in the meantime
                bounds = look_up(work.table, geometry, key, discs, left)
                if bounds != 0 and lower_of(bounds) > alpha:
                    return lower_of(bounds)
                if turn > count:
                    if deferred >> place & 1 == 0:
                        continue
                elif is_busy(work.busy, key_below):
                    deferred |= 1 << place
                    turns = 2 * count
                    continue
            move = np.uint64(work.scratch[index + MOVES])
            made = np.uint64(work.scratch[index + THREATS])
            bound = work.scratch[index + BOUNDS]
            if is_split:
                set_busy(work.busy, key_below, True)
            value = search(
                bundle, other, discs | move, left - 1, -alpha - 1, threats_against & ~move, made, bound
            )
            if is_split:
                set_busy(work.busy, key_below, False)
            if value == STOPPED:
                return STOPPED
            best = max(best, -value)
            if best > alpha:
                break
        if is_stored:
            if best > alpha:
                lower = best
            else:
                upper = min(upper, best)
            store(work.table, geometry, key, discs, left, lower, upper)
        return best

    @kernel(types.boolean(BUNDLE, types.uint64, types.uint64, ACTIONS_OUT, types.int64, types.int64))
    def solve(  # noqa: C901 - one loop, whose cases share its variables
        bundle: Actions, own: np.uint64, discs: np.uint64, found: Actions, index: int, thread: int
    ) -> bool:
        """Narrow the bounds of a position down to its score; return False if the search was stopped.

        Parameters
        ----------
        bundle : int64[:]
            A `SolverWorkspace`.
        own, discs : uint64
            Discs of the side to move, and all discs. Nobody has four in a line.
        found : int64[3 n]
            For each position a lower bound, an upper bound, and the next guess of its score.
        index : int64
            The number of this position.
        thread : int64
            The number of this thread.
        """
        work = unpack(bundle)
        empty = geometry.full & ~discs
        left: int = popcount(empty)
        own_threats = winning_cells(own, empty, geometry.height, geometry.starts)
        threats_against = winning_cells(own ^ discs, empty, geometry.height, geometry.starts)
        playable = playable_cells(geometry, discs)
        bound = follow_up_bound(geometry, own, own ^ discs, empty, playable, threats_against)
        place = 3 * index
        least, most = -(left // 2), (left + 1) // 2
        if left == 0 or own_threats & playable != ZERO:
            least = most
        atomic_store(work.tasks, thread, index)
        while True:
            lower, upper = max(least, atomic_load(found, place)), min(most, atomic_load(found, place + 1))
            if lower >= upper:
                atomic_store(found, place, lower)
                atomic_store(found, place + 1, lower)
                return True
            guess = atomic_load(found, place + 2)
            alpha = early_test(lower, upper, left)
            is_early = alpha != LOST
            if not is_early:
                alpha = lower if guess <= lower else min(guess, upper) - 1
            value = search(bundle, own, discs, left, alpha, own_threats, threats_against, bound)
            if value == STOPPED:
                if not compare_and_swap(work.flags, thread * FLAG_STRIDE, OVERTAKEN, 0):
                    return False
                continue
            if not is_early:
                atomic_store(found, place + 2, value)
            if value > alpha:
                atomic_store(found, place, max(value, atomic_load(found, place)))
            else:
                atomic_store(found, place + 1, min(value, atomic_load(found, place + 1)))
            for other in range(work.tasks.size):
                if other != thread and atomic_load(work.tasks, other) == index:
                    compare_and_swap(work.flags, other * FLAG_STRIDE, 0, OVERTAKEN)

    @kernel(types.void(BUNDLE, types.Array(types.uint64, 2, "C", readonly=True), ACTIONS_OUT, types.int64))
    def solve_all(bundle: Actions, positions: Words, found: Actions, thread: int) -> None:
        """Find the scores of many positions. Threads start at different ones and help with the last ones.

        Parameters
        ----------
        bundle : int64[:]
            A `SolverWorkspace`.
        positions : uint64[n, 2]
            For each position the discs of the side to move, and all discs.
        found : int64[3 n]
            For each position a lower bound, an upper bound and a guess of its score. In the end, both
            bounds are equal to the score unless the search was stopped.
        thread : int64
            The number of this thread.
        """
        count = positions.shape[0]
        first = count * thread // unpack(bundle).tasks.size
        for step in range(count):
            index = (first + step) % count
            if not solve(bundle, positions[index, 0], positions[index, 1], found, index, thread):
                return

    return solve_all
