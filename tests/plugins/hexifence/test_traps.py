"""Moves in lost positions of dimension 2: against a slow calculation with sets of open edges."""

import random
from functools import cache

import numpy as np
import pytest
from reference.hexifence_values import cell_masks, masks_beside, moves, random_edges, text_of, value

from boardgames_hexifence.game import Hexifence
from boardgames_hexifence.solver import small, traps

GAME = Hexifence(dimension=2)


def can_capture(open_edges: int) -> bool:
    return any((open_edges & mask).bit_count() == 1 for mask in cell_masks(2))


def safe_edges(open_edges: int) -> set[int]:
    """Return the open edges of cells that have at least three more, or none."""
    return {
        edge
        for edge in range(30)
        if open_edges >> edge & 1
        and all((open_edges & mask).bit_count() != 2 for mask in masks_beside(2)[edge])
    }


def allowed(open_edges: int) -> list[tuple[int, int, int]]:
    """Return the moves of a side that makes no sacrifice while there is another move."""
    safe = set() if can_capture(open_edges) else safe_edges(open_edges)
    return [move for move in moves(2, open_edges) if not safe or move[0] in safe]


@cache
def forecast(open_edges: int) -> int:
    """Return the value if nobody makes a sacrifice while there is another move."""
    values = [
        taken + forecast(after) if taken else -forecast(after) for _, after, taken in allowed(open_edges)
    ]
    return max(values, default=0)


def chance(open_edges: int, lead: int, replies: int, *, is_opponent: bool) -> float:
    final = lead + value(2, open_edges)
    if (final < 0) == is_opponent:
        return 1.0
    if not open_edges or not replies:
        return 0.0
    results: dict[str, list[float]] = {"all": [], "simple": [], "knowing": []}
    for _, after, taken in allowed(open_edges) if is_opponent else moves(2, open_edges):
        if taken:
            result = chance(after, lead + taken, replies, is_opponent=is_opponent)
            wins = lead + taken + forecast(after) > 0
        else:
            result = chance(after, -lead, replies - is_opponent, is_opponent=not is_opponent)
            wins = lead - forecast(after) > 0
        results["all"].append(result)
        if taken or not can_capture(open_edges):
            results["simple"].append(result)
        if wins:
            results["knowing"].append(result)
    if not is_opponent:
        return max(results["all"])
    simple = float(np.mean(results["simple"]))
    knowing = float(np.mean(results["knowing"])) if results["knowing"] else simple
    return traps.KNOWING * knowing + (1 - traps.KNOWING) * simple


def sample(count: int, seed: int) -> list[int]:
    chance = random.Random(seed)
    return [random_edges(2, chance.randint(1, 9), chance) for _ in range(count)]


def index_of(open_edges: int) -> int:
    return small.index_of(GAME.parse(text_of(2, open_edges)).words)


@pytest.fixture(scope="module")
def safe_first() -> np.ndarray:
    return small.values_in(small.build(safe_first=True))


def test_values_with_safe_edges_first_agree_with_a_slow_calculation(safe_first: np.ndarray) -> None:
    for open_edges in sample(100, seed=1):
        assert safe_first[index_of(open_edges)] == forecast(open_edges)


def test_chances_agree_with_the_slow_calculation(
    safe_first: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traps, "values_with_safe_edges_first", lambda: safe_first)
    chooser = random.Random(2)
    asked = []
    for open_edges in sample(100, seed=3):
        captured = sum(open_edges & mask == 0 for mask in cell_masks(2))
        lead = captured - 2 * chooser.randint(0, captured)
        asked.append((open_edges, lead, chooser.random() < 0.7))
    found = traps.chances([(index_of(edges), lead, is_opponent) for edges, lead, is_opponent in asked])
    expected = [chance(edges, lead, traps.REPLIES, is_opponent=by) for edges, lead, by in asked]
    assert found == pytest.approx(expected)
    assert sum(0 < share < 1 for share in found) > 2
