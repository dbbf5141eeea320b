"""Chains and loops of Hexifence as connected components of cells, from sets of open edges.

Sets of edges are bit masks, with the edges numbered as in `reference.hexifence`.
"""

from typing import NamedTuple

from reference.hexifence_values import cell_masks


class Component(NamedTuple):
    """Cells with one or two open edges that are connected by open edges."""

    cells: frozenset[int]
    edges: frozenset[int]
    is_loop: bool
    is_opened: bool
    intersections: tuple[int, ...]


def components(dimension: int, open_edges: int) -> set[Component]:
    """Return the chains and loops among the open edges."""
    left = [mask & open_edges for mask in cell_masks(dimension)]
    links = {cell for cell, mask in enumerate(left) if 1 <= mask.bit_count() <= 2}
    found = set()
    while links:
        group = {links.pop()}
        while grown := {cell for cell in links if any(left[cell] & left[other] for other in group)}:
            group |= grown
            links -= grown
        edges = 0
        for cell in group:
            edges |= left[cell]
        meetings = [
            cell
            for cell, mask in enumerate(left)
            for other in group
            if mask.bit_count() >= 3 and mask & left[other]
        ]
        counts = [left[cell].bit_count() for cell in group]
        found.add(
            Component(
                frozenset(group),
                frozenset(edge for edge in range(edges.bit_length()) if edges >> edge & 1),
                not meetings and edges.bit_count() == len(group) and min(counts) == 2,
                min(counts) == 1,
                tuple(sorted(meetings)),
            )
        )
    return found
