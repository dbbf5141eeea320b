"""The lookups of a pattern set, in which lookups of the same cells are merged into one.

A symmetry may map a group of cells to itself, such as a line to the same line read
backwards. The cells would then be looked up several times, in different orders. One lookup
is enough if its table contains the sums over all orders. Groups of cells with the same sums
share such a table.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boardgames.kernels import Actions, Reals
from boardgames.patterns import PatternSet


@dataclass(frozen=True, slots=True)
class MergedTable:
    """The sum of one or more tables of a pattern set, and the groups of cells that look it up.

    Attributes
    ----------
    orders : tuple of (int, tuple of int)
        The tables that are added up: the index where each table begins, and for each cell of a group
        its index in the order in which this table is looked up.
    groups : tuple of tuple of int
        Groups of cells. The first cell's value is the highest digit of an index.
    """

    orders: tuple[tuple[int, tuple[int, ...]], ...]
    groups: tuple[tuple[int, ...], ...]

    def sources(self, values: int) -> Actions:
        """Return, for each entry, the indices of the weights that are added up for it.

        Returns
        -------
        int64[orders, values ** cells]
            A row for each table that is added up.
        """
        length = len(self.groups[0])
        indices = np.arange(values**length).reshape((values,) * length)
        return np.stack([start + indices.transpose(axes).ravel() for start, axes in self.orders])


def merged_tables(patterns: PatternSet) -> tuple[MergedTable, ...]:
    """Return the merged tables of a pattern set.

    Examples
    --------
    >>> import boardgames
    >>> cells = boardgames.load_patterns("cells", boardgames.load("connect4"))
    >>> middle, outer = merged_tables(cells.grouped([(18, 19), (0, 1)]))
    >>> middle.orders, middle.groups  # the middle column is its own image
    (((0, (0, 1)), (0, (0, 1))), ((18, 19),))
    >>> outer.orders, outer.groups
    (((16, (0, 1)),), ((0, 1), (36, 37)))
    """
    lookups: dict[frozenset[int], list[tuple[tuple[int, ...], int]]] = {}
    for group, start in patterns.lookups:
        lookups.setdefault(frozenset(group), []).append((group, start))
    found: dict[tuple[tuple[int, tuple[int, ...]], ...], list[tuple[int, ...]]] = {}
    for same in lookups.values():
        # the minimum is the same for all groups that can share a table
        orders, chosen = min((_orders(same, group), group) for group, _ in same)
        found.setdefault(orders, []).append(chosen)
    return tuple(MergedTable(orders, tuple(groups)) for orders, groups in found.items())


def _orders(
    same: Sequence[tuple[tuple[int, ...], int]], group: tuple[int, ...]
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return `MergedTable.orders` of lookups of the same cells, relative to one group of them."""
    return tuple(sorted((start, tuple(other.index(cell) for cell in group)) for other, start in same))


def gathered(patterns: PatternSet, tables: Reals) -> Reals:
    """Return equivalent tables in which weights that always occur together are added up in one entry.

    The value of every position stays the same. The sum is stored in the first of these entries, and the
    other entries are 0.

    Parameters
    ----------
    tables : float64[k, n]
        The tables of all groups, a row for each phase or anchor.
    """
    merged = merged_tables(patterns)
    sums = np.zeros_like(tables)
    start = 0
    for group in patterns.groups:
        size = patterns.values ** len(group)
        uses: list[Actions] = []  # for each weight of the table, the merged entries that include it
        count = 0
        for table in merged:
            sources = table.sources(patterns.values)
            uses += [_inverse(source - start) + count for source in sources if source.min() == start]
            count += patterns.values ** len(table.groups[0])
        _, lowest, kinds = np.unique(np.sort(uses, axis=0), axis=1, return_index=True, return_inverse=True)
        for row, whole in zip(sums, tables, strict=True):
            row[start + lowest] = np.bincount(kinds.ravel(), whole[start : start + size])
        start += size
    return sums


def _inverse(permutation: Actions) -> Actions:
    """Return the inverse of a permutation, as `argsort` would, but in linear time.

    Examples
    --------
    >>> _inverse(np.array([1, 2, 0])).tolist()
    [2, 0, 1]
    """
    inverse = np.empty_like(permutation)
    inverse[permutation] = np.arange(len(permutation))
    return inverse
