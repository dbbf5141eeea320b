"""Learning tables of weights: whole matches against plain Python, single updates by hand, and merging."""

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from reference.tables import PlainTables, place_of

import boardgames
from boardgames.game import Game
from boardgames.kernels import Actions, Cells, Words, kernel
from boardgames.kernels.bundles import Bundle
from boardgames.patterns import PatternSet
from boardgames.search.rules import UNFINISHED
from boardgames.selfplay import SelfPlaySetup, TableParameters, train_tables
from boardgames.selfplay.tables import (
    Tables,
    TablesWorkspace,
    learn,
    learn_matches,
    merged,
    new_workspace,
)

CONNECT4 = boardgames.load("connect4", columns=4, rows=4)
GROUPS = ((0, 1, 4, 5), (2, 3, 7), (8, 9, 10, 14, 15), (0, 5, 10, 15), (12, 13))
PATTERNS = boardgames.load_patterns("cells", CONNECT4).grouped(GROUPS)
HEXIFENCE = boardgames.load("hexifence", dimension=2)


@kernel(Cells)
def edges(position: Words, side: int, out: Actions) -> None:
    """Write whether each edge of Hexifence is open, or which side has drawn it."""
    for edge in range(out.size):
        own = (position[1 + side] >> np.uint64(edge)) & np.uint64(1)
        other = (position[2 - side] >> np.uint64(edge)) & np.uint64(1)
        out[edge] = np.int64(own) + 2 * np.int64(other)


EDGES = PatternSet("edges", edges, 30, 3, groups=tuple((edge, edge + 1, edge + 7) for edge in range(23)))


def filled(workspace: TablesWorkspace) -> TablesWorkspace:
    """Return a workspace with random weights, so that no two positions are worth the same."""
    workspace.weights[:] = np.random.default_rng(8).normal(0, 0.05, workspace.weights.size)
    return workspace


@pytest.mark.plain
@pytest.mark.parametrize(
    ("game", "patterns", "parameters", "limits"),
    [
        (CONNECT4, replace(PATTERNS, symmetries=()), {}, {}),
        (CONNECT4, replace(PATTERNS, symmetries=()), {"beta": 0.0, "trace_decay": 0.0, "gamma": 0.9}, {}),
        (CONNECT4, replace(PATTERNS, symmetries=()), {"epsilon": 0.3}, {"opening": 2, "ply_limit": 9}),
        (CONNECT4, PATTERNS, {"epsilon": 0.5}, {"opening": 1}),
        (HEXIFENCE, EDGES, {"epsilon": 0.2}, {}),
    ],
    ids=["connect4", "without lambda and coherence", "ply limit", "symmetries", "the same side moves again"],
)
def test_matches_are_learned_as_in_plain_python(
    game: Game, patterns: PatternSet, parameters: dict[str, float], limits: dict[str, int]
) -> None:
    record = TableParameters(**parameters).record(**limits)
    workspace = filled(new_workspace(game, patterns, record))
    workspace.random_state[0] = 5
    plain = PlainTables(patterns, record, seed=5)
    results = np.zeros(4, dtype=np.int64)
    before = workspace.weights.copy()
    learn_matches(Bundle(workspace).words, game.start().words, 12, results)

    class Filled(dict[Any, float]):
        def __missing__(self, key: Any) -> float:
            return float(before[place_of(patterns, key)])

    plain.weights = Filled()
    played = Counter(plain.play(game.start()) for _ in range(12))
    assert [played[result] for result in range(4)] == results.tolist()
    assert workspace.random_state[0] == plain.state[0]
    expected = before.astype(float)
    for key, weight in plain.weights.items():
        expected[place_of(patterns, key)] = weight
    assert workspace.weights == pytest.approx(expected, rel=1e-5, abs=1e-7)
    for array, known in ((workspace.sums, plain.sums), (workspace.sizes, plain.sizes)):
        assert np.count_nonzero(array) == sum(value != 0 for value in known.values())
        for key, value in known.items():
            assert array[place_of(patterns, key)] == pytest.approx(value, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(("limit", "result"), [("score", 1), ("draw", UNFINISHED)])
def test_a_game_may_say_who_wins_at_the_limit(limit: str, result: int) -> None:
    game = boardgames.load("abalone", limit=limit)
    patterns = boardgames.load_patterns("shapes", game)
    workspace = new_workspace(game, patterns, TableParameters().record(ply_limit=3))
    results = np.zeros(4, dtype=np.int64)
    start = game.parse(f"{game.start()}".replace("0:0", "2:1"))
    learn_matches(Bundle(workspace).words, start.words, 2, results)
    assert results[result] == 2
    assert workspace.weights.any() == (limit == "score")  # all values are 0 until something is won or lost


@pytest.mark.plain
def test_an_update_agrees_with_a_calculation_by_hand() -> None:
    """Four weights 0.1, 0, 0, 0 are looked up; errors have agreed for the first and cancelled for the second.

    V = tanh 0.1 = 0.0996680, r = (1 - V)(1 - V^2) = 0.8913882, alpha / m = 0.25; the steps of the first,
    third and fourth weight are 0.25 r, that of the second is exp(-2) times that.
    """
    patterns = replace(PATTERNS, groups=((0,), (1,), (2,), (3,)), symmetries=())
    workspace = new_workspace(CONNECT4, patterns, TableParameters(alpha=1.0, beta=2.0).record())
    workspace.history[0] = [0, 4, 8, 12]
    workspace.weights[0] = 0.1
    workspace.sums[[0, 4]] = -0.5, 0.0
    workspace.sizes[[0, 4]] = 0.5, 2.0
    value = learn(Bundle(workspace).words, 0, 1.0)
    error = (1 - math.tanh(0.1)) * (1 - math.tanh(0.1) ** 2)
    assert value == pytest.approx(math.tanh(0.1))
    full = 0.25 * error
    expected = [0.1 + full, full * math.exp(-2), full, full]
    assert workspace.weights[[0, 4, 8, 12]] == pytest.approx(expected, rel=1e-6)
    assert workspace.sums[[0, 4, 8, 12]] == pytest.approx([error - 0.5, error, error, error], rel=1e-6)
    assert workspace.sizes[[0, 4, 8, 12]] == pytest.approx([error + 0.5, error + 2, error, error], rel=1e-6)


def test_training_continues_from_given_tables() -> None:
    setup = SelfPlaySetup.of(CONNECT4, "cells", opening=1, ply_limit=20)
    parameters = TableParameters(epsilon=0.2)
    first = train_tables(setup, GROUPS, Tables.empty(), parameters, matches=20, seed=1)
    second = train_tables(setup, GROUPS, first.tables, parameters, matches=20, seed=2)
    assert len(second.tables.entries) > len(first.tables.entries)
    assert second.tables.sizes.sum() > first.tables.sizes.sum()
    assert set(first.tables.entries.tolist()) <= set(second.tables.entries.tolist())
    assert sum(second.results) == 20


def test_tables_trained_apart_are_merged() -> None:
    def tables(entries: list[int], weights: list[float], sizes: list[float]) -> Tables:
        numbers = (np.array(weights), -np.array(sizes), np.array(sizes))
        arrays = (array.astype(np.float32) for array in numbers)
        return Tables(np.array(entries, dtype=np.int32), *arrays)

    before = tables([3, 8], [1.0, 1.0], [0.5, 0.5])
    both = merged(
        before,
        [
            tables([3, 5, 8], [3.0, 7.0, 1.0], [1.0, 1.0, 0.5]),
            tables([3, 8, 9], [2.0, 5.0, 6.0], [1.5, 2.0, 1.0]),
        ],
    )
    assert both.entries.tolist() == [3, 5, 8, 9]
    assert both.weights.tolist() == [2.5, 7.0, 5.0, 6.0]
    assert both.sizes.tolist() == [2.0, 1.0, 2.0, 1.0]
    assert both.sums.tolist() == [-2.0, -1.0, -2.0, -1.0]
    assert merged(before, [before]) is before
