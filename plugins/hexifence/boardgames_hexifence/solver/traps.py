"""Traps: moves in lost positions of dimension 2 after which opponents are likely to err.

At each move, the opponent is expected to play like one of two kinds of players. The first captures what it
can, otherwise draws random safe edges, and makes random sacrifices if there are none. The second knows, like
the agent `farrugiulian`, who wins if both sides draw safe edges as long as there are any, and makes a random
move that wins in this way. Both overlook sacrifices before the last safe edge.

`chances` returns the probability that such an opponent throws away a won position within a few moves.
"""

from collections.abc import Sequence

from boardgames.kernels import kernel, types
from boardgames_hexifence.solver.small import (
    MASKS,
    STEPS,
    VALUES,
    Values,
    all_values,
    cells_taken,
    has_captures,
    has_safe_edge,
    is_safe,
    values_with_safe_edges_first,
)

KNOWING = 0.7
"""Assumed probability that the opponent plays like the second kind."""
REPLIES = 2
"""Number of the opponent's moves to look ahead."""


@kernel(types.float64(VALUES, VALUES, types.int64, types.int64, types.int64, types.boolean))
def chance(
    values: Values, safe_first: Values, state: int, lead: int, replies: int, is_opponent: bool
) -> float:
    """Return the probability that the opponent makes a losing mistake.

    Parameters
    ----------
    values, safe_first : int8[2^24]
        The exact values of all states, and their values if both sides draw safe edges first.
    state : int64
        Index of the state.
    lead : int64
        The cells of the side to move minus those of the other side.
    replies : int64
        Number of the opponent's moves to look ahead; its captures do not count.
    is_opponent : bool
        Whether the opponent is to move.
    """
    final = lead + values[state]
    if (final < 0) == is_opponent:
        return 1.0
    if state == 0 or replies == 0:
        return 0.0
    can_capture = has_captures(state)
    only_safe = is_opponent and not can_capture and has_safe_edge(state)
    best, simple, simple_count, knowing, knowing_count = 0.0, 0.0, 0.0, 0.0, 0.0
    for edge in range(STEPS.size):
        if state & MASKS[edge, 0] == 0 or (only_safe and not is_safe(state, edge)):
            continue
        after = state - STEPS[edge]
        taken = cells_taken(after, edge)
        forecast = taken + safe_first[after] if taken > 0 else -safe_first[after]
        is_simple, is_knowing = taken > 0 or not can_capture, lead + forecast > 0
        if is_opponent and not is_simple and not is_knowing:
            continue
        if taken > 0:
            result = chance(values, safe_first, after, lead + taken, replies, is_opponent)
        else:
            left = replies - 1 if is_opponent else replies
            result = chance(values, safe_first, after, -lead, left, not is_opponent)
        best = max(best, result)
        count = float((state & MASKS[edge, 0]) // STEPS[edge])
        if is_simple:
            simple += count * result
            simple_count += count
        if is_knowing:
            knowing += count * result
            knowing_count += count
    if not is_opponent:
        return best
    by_simple = simple / simple_count
    by_knowing = knowing / knowing_count if knowing_count > 0 else by_simple
    return KNOWING * by_knowing + (1.0 - KNOWING) * by_simple


def chances(states: Sequence[tuple[int, int, bool]]) -> list[float]:
    """Return, for each move, the probability that the opponent errs in its next `REPLIES` moves.

    Parameters
    ----------
    states : sequence of (int, int, bool)
        For each move the index of the state after it, the cells of the side to move in that state
        minus those of the other side, and whether the opponent is to move.

    Examples
    --------
    >>> chances([(0, -1, True), (0, 1, True)])  # the match is over
    [1.0, 0.0]
    """
    exact, safe_first = all_values(), values_with_safe_edges_first()
    return [
        chance(exact, safe_first, state, lead, REPLIES, is_opponent) for state, lead, is_opponent in states
    ]
