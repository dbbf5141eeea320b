"""What a tree of simulations says: the moves of a node, best first, and the line each begins."""

from dataclasses import dataclass

from boardgames.kernels import Actions
from boardgames.search.nodes import (
    ACTION_SHIFT,
    COUNT_SHIFT,
    DRAWN,
    FACTS,
    LINK,
    NODE_WORDS,
    PLACE_MASK,
    PROOF_MASK,
    SIDE_SHIFT,
    TOTAL,
    UNIT,
    VISITS,
)


@dataclass(frozen=True, slots=True)
class Found:
    """What simulations found out about a move.

    Attributes
    ----------
    node : int
        The place in the tree where it leads.
    visits : int
        Simulations that went through.
    value : float
        Mean return, for the side that has the move; what is proven, exactly;
        0 without visits.
    is_proven : bool
        The value is that of perfect play.
    """

    node: int
    action: int
    visits: int
    value: float
    is_proven: bool

    @property
    def is_known(self) -> bool:
        """Say whether there is anything to go by."""
        return self.is_proven or self.visits > 0


def ranked(tree: Actions, node: int) -> list[Found]:
    """Return the moves of a node, the best one first; none of a leaf.

    Proven wins come first and proven losses last. Among the others visits
    count, then the value, then the action, unless the first is expected to
    lose and there is a proven draw.

    Parameters
    ----------
    tree : int64[4 n]
        As `boardgames.search.nodes` describes; others may be at work on it.
    """
    moves = _moves(tree, node)
    undecided = [found for found in moves if not found.is_proven]
    most = max(undecided, key=_popularity, default=None)
    prefers_draw = most is not None and most.value < 0

    def rank(found: Found) -> tuple[float, int, float, int]:
        standing = found.value if found.is_proven else 0.0
        if prefers_draw and found.is_proven and found.value == 0:
            standing = 0.5
        return standing, *_popularity(found)

    return sorted(moves, key=rank, reverse=True)


def line_of(tree: Actions, found: Found, *, longest: int) -> list[int]:
    """Return the actions of a line that begins with a move and goes on as simulations do."""
    line = [found.action]
    while len(line) < longest:
        following = ranked(tree, found.node)
        if not following or not following[0].is_known:
            break
        found = following[0]
        line.append(found.action)
    return line


def _popularity(found: Found) -> tuple[int, float, int]:
    return found.visits, found.value, -found.action


def _moves(tree: Actions, node: int) -> list[Found]:
    link = int(tree[node + LINK])
    if link <= 0:
        return []
    first, count = link & PLACE_MASK, link >> COUNT_SHIFT
    sign = -1 if tree[node + FACTS] >> SIDE_SHIFT & 1 else 1
    rows = tree[first : first + count * NODE_WORDS].reshape(count, NODE_WORDS).tolist()
    found = []
    for index, row in enumerate(rows):
        proof, visits = row[FACTS] & PROOF_MASK, row[VISITS]
        if proof:
            value = 0.0 if proof == DRAWN else float(sign * (3 - 2 * proof))
        else:
            value = max(-1.0, min(1.0, sign * row[TOTAL] / (visits * UNIT))) if visits > 0 else 0.0
        place = first + index * NODE_WORDS
        found.append(Found(place, row[FACTS] >> ACTION_SHIFT, visits, value + 0.0, proof != 0))
    return found
