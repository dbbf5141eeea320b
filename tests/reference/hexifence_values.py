"""Exact values of Hexifence by plain memoised negamax over sets of open edges, and positions to solve.

A value is the difference of cells that the side to move can still gain with best play. Sets of edges
are bit masks, with the edges numbered as in `reference.hexifence`.
"""

import random
from functools import cache

from reference.hexifence import around, cells, edges


@cache
def cell_masks(dimension: int) -> tuple[int, ...]:
    """Return the edges of each cell as a mask."""
    number = {edge: index for index, edge in enumerate(edges(dimension))}
    return tuple(sum(1 << number[edge] for edge in around(cell)) for cell in cells(dimension))


@cache
def masks_beside(dimension: int) -> tuple[tuple[int, ...], ...]:
    """Return, for each edge, the masks of the cells beside it."""
    count = len(edges(dimension))
    return tuple(tuple(mask for mask in cell_masks(dimension) if mask >> edge & 1) for edge in range(count))


def moves(dimension: int, open_edges: int) -> list[tuple[int, int, int]]:
    """Return each open edge by number, with the edges that remain open and the number of cells it closes."""
    found, left = [], open_edges
    while left:
        edge = (left & -left).bit_length() - 1
        left &= left - 1
        after = open_edges ^ 1 << edge
        found.append((edge, after, sum(after & mask == 0 for mask in masks_beside(dimension)[edge])))
    return found


@cache
def value(dimension: int, open_edges: int) -> int:
    """Return the value of a set of open edges."""
    values = move_values(dimension, open_edges).values()
    return max(values, default=0)


def move_values(dimension: int, open_edges: int) -> dict[int, int]:
    """Return the value of each move, including the cells that it closes."""
    return {
        edge: taken + value(dimension, after) if taken else -value(dimension, after)
        for edge, after, taken in moves(dimension, open_edges)
    }


def text_of(dimension: int, open_edges: int) -> str:
    """Return the text of a position with these open edges; blue has drawn all others and is to move."""
    drawn = "".join(".B"[not open_edges >> edge & 1] for edge in range(len(edges(dimension))))
    owners = "".join(".B"[open_edges & mask == 0] for mask in cell_masks(dimension))
    return f"{dimension}:{drawn}:{owners}:B"


def random_edges(dimension: int, count: int, chance: random.Random) -> int:
    """Return a random set of edges, either anywhere on the board or near one cell."""
    masks, everything = cell_masks(dimension), range(len(edges(dimension)))
    if chance.random() < 0.4:
        return sum(1 << edge for edge in chance.sample(everything, count))
    near = {chance.randrange(len(masks))}
    while (
        len(found := [edge for edge in everything if any(masks[cell] >> edge & 1 for cell in near)])
        < count + 4
    ):
        near.add(chance.randrange(len(masks)))
    return sum(1 << edge for edge in chance.sample(found, count))


def random_chains(dimension: int, most: int, chance: random.Random) -> int:
    """Return up to `most` edges that form separate chains and loops, and sometimes up to three more edges."""
    masks, everything = cell_masks(dimension), range(len(edges(dimension)))
    open_edges = 0
    free = set(range(len(masks)))
    for _ in range(20):
        chosen = _ring(masks, free, chance) if chance.random() < 0.3 else _chain(masks, free, chance)
        if chosen and open_edges.bit_count() + chosen.bit_count() <= most:
            open_edges |= chosen
            free -= {cell for cell, mask in enumerate(masks) if mask & chosen}
    if chance.random() < 0.6:
        open_edges |= sum(1 << edge for edge in chance.sample(everything, chance.randint(1, 3)))
    return open_edges


def _chain(masks: tuple[int, ...], free: set[int], chance: random.Random) -> int:
    """Return the edges of a random chain of free cells from rim to rim as a mask, or 0 if none was found."""
    if not free:
        return 0
    cell, length = chance.choice(sorted(free)), chance.randint(1, 6)
    chosen, path = _ground(masks, cell, chance), [cell]
    while chosen:
        end = _ground(masks, cell, chance, but=chosen)
        if end and len(path) >= length:
            return chosen | end
        following = [other for other in sorted(free) if other not in path and masks[cell] & masks[other]]
        if not following:
            return chosen | end if end else 0
        other = chance.choice(following)
        chosen |= masks[cell] & masks[other]
        path.append(other)
        cell = other
    return 0


def _ground(masks: tuple[int, ...], cell: int, chance: random.Random, *, but: int = 0) -> int:
    """Return a random rim edge of a cell as a mask, or 0 if there is none that is not in `but`."""
    inner = but
    for other, mask in enumerate(masks):
        if other != cell:
            inner |= mask
    left = [1 << edge for edge in range(masks[cell].bit_length()) if masks[cell] & ~inner & 1 << edge]
    return chance.choice(left) if left else 0


def _ring(masks: tuple[int, ...], free: set[int], chance: random.Random) -> int:
    """Return the edges of a random loop of three, four or six free cells as a mask, or 0 if none is found."""
    centre = chance.randrange(len(masks))
    around_it = [cell for cell, mask in enumerate(masks) if cell != centre and mask & masks[centre]]
    for _ in range(4):
        ring = [centre, *chance.sample(around_it, chance.choice((2, 3)))]
        if chance.random() < 0.3:
            ring = around_it
        shared = {masks[a] & masks[b] for a in ring for b in ring if a < b} - {0}
        degrees = {cell: sum(bool(masks[cell] & edge) for edge in shared) for cell in ring}
        diagonal = {edge for edge in shared if all(degrees[cell] == 3 for cell in ring if masks[cell] & edge)}
        shared -= diagonal  # four cells form a rhombus, whose diagonal is not part of the loop
        if set(ring) <= free and all(sum(bool(masks[cell] & edge) for edge in shared) == 2 for cell in ring):
            return sum(shared)
    return 0
