"""Null-window search for the exact score of a position.

The score is that of a win or loss by its length: (cells + 1 - discs before the winning disc)
// 2, positive for the side to move; 0 is a draw. Every test asks whether the score is greater
than `alpha`, and `solve` narrows the score down from 0 (MTD(f): A. Plaat, "Best-first
fixed-depth minimax algorithms", 1996).

At each position, from cheap to expensive:

- Moves that lose at once are left out: not answering a threat, or dropping below one.
- Bounds by the number of discs that are left, by lines that cannot be completed any more, from
  the transposition table, and from the follow-up strategy of either side (followup.py).
- A move wins on the disc after next if it makes two playable threats, one above the other, or
  leaves the opponent only columns in which the win is above.
- The children's entries in the table are tried before any of them is searched (enhanced
  transposition cut-off; A. Plaat et al., "Exploiting graph properties of game trees", 1996).
- Moves are ordered by the threats that they make; a move below a threat of its own side gives
  the threat away and comes last.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import types

from boardgames.kernels import Actions, Control, Words, is_stopped, kernel, lowest_bit, popcount, prefetch
from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT
from boardgames.kernels.bundles import BUNDLE, unpacker
from boardgames.kernels.control import CONTROL
from boardgames_connect4.features import threats
from boardgames_connect4.rules import ONE, ZERO, has_four
from boardgames_connect4.solver.followup import follow_up_bound
from boardgames_connect4.solver.geometry import GEOMETRY, Geometry
from boardgames_connect4.solver.table import bucket_of, key_of, look_up, lower_of, store, upper_of

UNSTORED = 6
"""Empty cells up to which positions are not stored."""
WIDTH = 16
"""Words of scratch memory for each ply: the moves in order, then the threats after each of them."""
LOST = 99
"""Larger than every score."""
STOPPED = 1000
"""Returned instead of a score if the search was stopped."""

THREAT_RANK, OWN_THREAT_RANK, CHECK_RANK, RANK_BIAS = 4, -6, 1, 32
"""Ranks of a move: for each threat, for giving up a threat, and for a threat that must be answered."""
RANK_SHIFT, CENTRE_SHIFT, BIT_MASK = 16, 8, 255


class Workspace(NamedTuple):
    """What the search works with, as a bundle."""

    table: Actions
    scratch: Actions
    centre: Actions
    geometry: Geometry
    control: Control


KINDS: Mapping[str, Any] = {  # Numba has no type stubs
    "table": ACTIONS_OUT,
    "scratch": ACTIONS_OUT,
    "centre": ACTIONS,
    "geometry": GEOMETRY,
    "control": CONTROL,
}
unpack = unpacker(Workspace, KINDS)


@kernel(
    types.int64(
        BUNDLE,
        types.uint64,
        types.uint64,
        types.int64,
        types.int64,
        types.uint64,
        types.uint64,
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
) -> int:
    """Return a bound of the score: a lower bound if it is greater than `alpha`, else an upper bound.

    Parameters
    ----------
    bundle : int64[:]
        A `Workspace`.
    own, discs : uint64
        Discs of the side to move, and all discs. The side to move cannot win at once.
    left : int64
        Number of empty cells.
    alpha : int64
        The score to compare with.
    own_threats, threats_against : uint64
        Empty cells on which the side to move, and its opponent, complete four in a line.
    """
    work = unpack(bundle)
    board = work.geometry[0]
    work.control[0].nodes += 1
    other = own ^ discs
    empty = board.full & ~discs
    playable = (discs + board.bottom) & board.full

    moves = playable
    forced = playable & threats_against
    if forced != ZERO:
        if forced & (forced - ONE) != ZERO:
            return -(left // 2)
        moves = forced
    moves &= ~(threats_against >> ONE)
    if moves == ZERO:
        return -(left // 2)
    if left <= 2:
        return 0

    lower, upper = -((left - 2) // 2), (left - 1) // 2
    if lower > alpha:
        return lower
    if upper <= alpha:
        return upper
    next_win = upper
    if alpha >= 0:
        if not has_four(own | empty, board.height):
            return 0
    elif not has_four(other | empty, board.height):
        return 0

    is_stored = left > UNSTORED
    key = ZERO
    if is_stored:
        if is_stopped(work.control):
            return STOPPED
        key = key_of(work.geometry, own, discs, left)
        bounds = look_up(work.table, work.geometry, key, left)
        if bounds != 0:
            lower, upper = max(lower, lower_of(bounds)), min(upper, upper_of(bounds))
            if lower > alpha:
                return lower
            if upper <= alpha:
                return upper
    bound = follow_up_bound(work.geometry, own, other, empty, playable, threats_against)
    if bound <= alpha:
        return bound
    upper = min(upper, bound)

    is_stored_below = left - 1 > UNSTORED
    rest = moves
    if is_stored_below:
        while rest != ZERO:
            move = rest & (ZERO - rest)
            rest ^= move
            key_below = key_of(work.geometry, other, discs | move, left - 1)
            prefetch(work.table, bucket_of(work.geometry, key_below, left - 1))
        rest = moves
    start = left * WIDTH
    count = 0
    odd = playable & ~board.mover_rows
    while rest != ZERO:
        move = rest & (ZERO - rest)
        rest ^= move
        above = (move << ONE) & board.full
        made = threats(own | move, empty ^ move, board.height)
        playable_below = (playable ^ move) | above
        checks = made & playable_below
        if checks != ZERO:
            if checks & (checks - ONE) != ZERO or checks & (made >> ONE) != ZERO:
                return next_win
        elif playable_below != ZERO and playable_below & ~(made >> ONE) == ZERO:
            return next_win
        odd_below = odd | above if move & board.mover_rows != ZERO else odd ^ move
        if odd_below == ZERO or (odd_below & (odd_below - ONE) == ZERO and made & board.mover_rows != ZERO):
            bound = -follow_up_bound(work.geometry, other, own | move, empty ^ move, playable_below, made)
            if bound > alpha:
                return bound
            lower = max(lower, bound)
        rank = THREAT_RANK * popcount(made)
        if move & (own_threats >> ONE) != ZERO:
            rank += OWN_THREAT_RANK
        if checks != ZERO:
            rank += CHECK_RANK
        place = lowest_bit(move)
        entry = (rank + RANK_BIAS) << RANK_SHIFT | work.centre[place] << CENTRE_SHIFT | place
        index = start + count
        while index > start and work.scratch[index - 1] < entry:
            work.scratch[index] = work.scratch[index - 1]
            work.scratch[index + WIDTH // 2] = work.scratch[index + WIDTH // 2 - 1]
            index -= 1
        work.scratch[index] = entry
        work.scratch[index + WIDTH // 2] = np.int64(made)
        count += 1
    if alpha >= next_win - 1:
        return next_win - 1

    if is_stored_below:
        for index in range(start, start + count):
            move = ONE << np.uint64(work.scratch[index] & BIT_MASK)
            key_below = key_of(work.geometry, other, discs | move, left - 1)
            bounds = look_up(work.table, work.geometry, key_below, left - 1)
            if bounds != 0 and -upper_of(bounds) > alpha:
                return -upper_of(bounds)

    best = -LOST
    for index in range(start, start + count):
        move = ONE << np.uint64(work.scratch[index] & BIT_MASK)
        made = np.uint64(work.scratch[index + WIDTH // 2])
        value = search(bundle, other, discs | move, left - 1, -alpha - 1, threats_against & ~move, made)
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
        store(work.table, work.geometry, key, left, lower, upper)
    return best


@kernel(types.int64(BUNDLE, types.uint64, types.uint64))
def solve(bundle: Actions, own: np.uint64, discs: np.uint64) -> int:
    """Return the score of a position, or `STOPPED`.

    Parameters
    ----------
    bundle : int64[:]
        A `Workspace`.
    own, discs : uint64
        Discs of the side to move, and all discs. Nobody has four in a line.
    """
    work = unpack(bundle)
    board = work.geometry[0]
    empty = board.full & ~discs
    left: int = popcount(empty)
    own_threats = threats(own, empty, board.height)
    threats_against = threats(own ^ discs, empty, board.height)
    lower, upper, guess = -(left // 2), (left + 1) // 2, 0
    if left == 0 or own_threats & (discs + board.bottom) != ZERO:
        return upper
    while lower < upper:
        alpha = guess if guess == lower else guess - 1
        guess = search(bundle, own, discs, left, alpha, own_threats, threats_against)
        if guess == STOPPED:
            return STOPPED
        if guess > alpha:
            lower = guess
        else:
            upper = guess
    return lower


@kernel(types.void(BUNDLE, types.Array(types.uint64, 2, "C", readonly=True), ACTIONS_OUT))
def solve_all(bundle: Actions, positions: Words, scores: Actions) -> None:
    """Write the scores of many positions.

    Parameters
    ----------
    bundle : int64[:]
        A `Workspace`.
    positions : uint64[n, 2]
        For each the discs of the side to move, and all discs.
    scores : int64[n]
        Filled; `STOPPED` for positions that were not solved.
    """
    for index in range(scores.size):
        scores[index] = solve(bundle, positions[index, 0], positions[index, 1])
