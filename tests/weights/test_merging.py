"""Merged lookups: they add up to what the groups and their images look up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardgames
from boardgames.kernels import Actions, Reals
from boardgames.patterns import PatternSet
from boardgames.weights.merging import gathered, merged_tables

CELLS = boardgames.load_patterns("cells", boardgames.load("connect4", columns=4, rows=4))
TURNED = tuple(4 * (cell % 4) + 3 - cell // 4 for cell in range(16))
FLIPPED = tuple(4 * (3 - cell // 4) + cell % 4 for cell in range(16))


def squares(groups: tuple[tuple[int, ...], ...]) -> PatternSet:
    """Return a set of 4 x 4 cells with three values and all symmetries of a square."""
    maps = [tuple(range(16))]
    while len(maps) < 4:
        maps.append(tuple(TURNED[cell] for cell in maps[-1]))
    maps += [tuple(FLIPPED[cell] for cell in one) for one in maps]
    return PatternSet("squares", CELLS.kernel, 16, 3, groups, symmetries=tuple(maps[1:]))


def value(patterns: PatternSet, tables: Reals, cells: Actions) -> float:
    """Return the sum of the weights of all groups and their images, one by one."""
    total = 0.0
    for group, start in patterns.lookups:
        digits = "".join(str(cells[cell]) for cell in group)
        total += float(tables[start + int(digits, patterns.values)])
    return total


def test_lines_of_a_square_share_a_table_and_are_read_once() -> None:
    outer, middle = merged_tables(squares(((0, 1, 2, 3), (4, 5, 6, 7))))
    assert len(outer.groups) == len(middle.groups) == 4
    assert {frozenset(group) for group in outer.groups} == {
        frozenset(cells) for cells in ((0, 1, 2, 3), (0, 4, 8, 12), (3, 7, 11, 15), (12, 13, 14, 15))
    }
    assert outer.orders == ((0, (0, 1, 2, 3)), (0, (3, 2, 1, 0)))


GROUPS = st.lists(
    st.lists(st.integers(0, 15), min_size=1, max_size=4, unique=True).map(tuple), min_size=1, max_size=4
)


@settings(max_examples=30)
@given(GROUPS.map(tuple), st.integers(0, 1000))
def test_merged_lookups_have_the_same_sum(groups: tuple[tuple[int, ...], ...], seed: int) -> None:
    patterns, random = squares(groups), np.random.default_rng(seed)
    tables = random.integers(-9, 10, patterns.size).astype(float)
    cells = random.integers(0, 3, 16)
    total = 0.0
    for table in merged_tables(patterns):
        sums = tables[table.sources(3)].sum(axis=0)
        for group in table.groups:
            total += sums[int("".join(str(cells[cell]) for cell in group), 3)]
    assert total == value(patterns, tables, cells)


@settings(max_examples=30)
@given(GROUPS.map(tuple), st.integers(0, 1000))
def test_gathered_weights_have_the_same_sum(groups: tuple[tuple[int, ...], ...], seed: int) -> None:
    patterns, random = squares(groups), np.random.default_rng(seed)
    tables = random.integers(-9, 10, (2, patterns.size)).astype(float)
    cells = random.integers(0, 3, 16)
    for before, after in zip(tables, gathered(patterns, tables), strict=True):
        assert value(patterns, after, cells) == value(patterns, before, cells)


def test_weights_of_a_line_read_backwards_are_gathered_in_one_place() -> None:
    patterns = squares(((0, 1, 2, 3),))
    kept = np.flatnonzero(gathered(patterns, np.ones((1, 81))))
    backwards = {int(np.base_repr(number, 3).zfill(4)[::-1], 3): number for number in range(81)}
    assert kept.tolist() == [number for number in range(81) if number <= backwards[number]]


@pytest.mark.parametrize("groups", [((0, 1), (1, 0)), ((5,), (6,), (0, 5))], ids=str)
def test_groups_of_the_same_cells_are_looked_up_once(groups: tuple[tuple[int, ...], ...]) -> None:
    found = [frozenset(group) for table in merged_tables(squares(groups)) for group in table.groups]
    assert len(found) == len(set(found))
