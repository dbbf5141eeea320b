"""Weights of patterns: their file, their values compared with plain Python, and where they can be used."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardgames
from boardgames.errors import WeightsError
from boardgames.game import Game, Move, Position
from boardgames.patterns import PatternSet
from boardgames.weights import Weights, find_evaluation, find_weights
from boardgames.weights.explain import explain
from boardgames.weights.files import write_arrays
from boardgames.weights.lookup import find_feature_weights

GAME = boardgames.load("connect4", columns=5, rows=4)
GROUPS = ((0, 1, 4, 5), (2, 3, 7), (8, 9, 10, 11), (0, 19))
PATTERNS = boardgames.load_patterns("cells", GAME).grouped(GROUPS)


def drawn(patterns: PatternSet = PATTERNS, *, tanh: bool = True, seed: int = 1) -> Weights:
    """Return weights for about half of the places."""
    random = np.random.default_rng(seed)
    entries = np.flatnonzero(random.random(patterns.size) < 0.5)
    values = random.uniform(-0.5, 0.5, len(entries))
    return Weights.of_patterns(GAME, patterns, entries, values, tanh=tanh)


def random_positions(game: Game, matches: int) -> Iterator[Position]:
    random = np.random.default_rng(2)
    for _ in range(matches):
        position = game.start()
        while position.outcome is None:
            position = position.apply(Move(int(random.choice(position.actions)), ""))
            yield position


def expected_total(weights: Weights, patterns: PatternSet, position: Position) -> float:
    """Return the sum of the weights of a position for the side that has just moved."""
    side = 1 - position.side_to_move
    cells = np.zeros(patterns.cells, dtype=np.int64)
    patterns.kernel(position.words, side, cells)
    known = dict(zip(weights.entries.tolist(), weights.values.tolist(), strict=True))
    maps = [tuple(range(patterns.cells)), *patterns.symmetries]
    total, start = 0.0, patterns.phase(position.words, side) * (patterns.size // patterns.phases)
    for group in patterns.groups:
        for image in maps:
            digits = "".join(str(cells[image[cell]]) for cell in group)
            total += known.get(start + int(digits, patterns.values), 0.0)
        start += patterns.values ** len(group)
    return total


@pytest.mark.plain
@pytest.mark.parametrize("tanh", [False, True], ids=["sum", "tanh"])
def test_evaluation_is_the_sum_of_what_is_looked_up(tanh: bool) -> None:
    weights = drawn(tanh=tanh)
    evaluation = weights.evaluation(GAME, PATTERNS)
    for position in random_positions(GAME, 3):
        total = expected_total(weights, PATTERNS, position)
        value = float(evaluation.kernel(position.words, evaluation.weights))
        assert value == pytest.approx(-np.tanh(total) if tanh else -total)


@pytest.mark.plain
def test_mirrored_positions_are_worth_the_same() -> None:
    evaluation = drawn().evaluation(GAME, PATTERNS)
    (symmetry,) = GAME.symmetries()
    for position in random_positions(GAME, 2):
        values = [
            float(evaluation.kernel(words, evaluation.weights))
            for words in (position.words, symmetry.words(position.words))
        ]
        assert values[0] == pytest.approx(values[1])


def test_weights_of_patterns_are_read_as_they_were_written(tmp_path: Path) -> None:
    weights = drawn()
    weights.write(tmp_path / "x")
    read = Weights.read(tmp_path / "x")
    assert np.array_equal(read.entries, weights.entries)
    assert np.array_equal(read.values, weights.values)
    assert (read.groups, read.header()) == (GROUPS, weights.header())
    assert read.fingerprint() == weights.fingerprint()


@given(
    st.sets(st.integers(0, 5000), max_size=30),
    st.lists(st.floats(-1e6, 1e6), min_size=30, max_size=30),
)
def test_any_weights_survive_a_file(
    tmp_path_factory: pytest.TempPathFactory, places: set[int], values: list[float]
) -> None:
    path = tmp_path_factory.getbasetemp() / "tables.safetensors"
    weights = Weights.of_patterns(
        GAME, PATTERNS, np.array(sorted(places), dtype=np.int64), np.array(values[: len(places)])
    )
    weights.write(path)
    read = Weights.read(path)
    assert read.entries.tolist() == weights.entries.tolist()
    assert read.values.tolist() == weights.values.tolist()


def test_a_weight_takes_three_bytes_if_gaps_are_small(tmp_path: Path) -> None:
    entries, values = np.arange(0, 60_000, 6), np.linspace(-1, 1, 10_000)
    Weights.of_patterns(GAME, PATTERNS, entries, values).write(tmp_path / "x")
    assert (tmp_path / "x").stat().st_size < 3 * 10_000 + 1000


def test_rounding_changes_a_weight_by_less_than_a_step() -> None:
    values = np.random.default_rng(3).normal(0, 0.1, 1000)
    weights = Weights.of_patterns(GAME, PATTERNS, np.arange(1000), values)
    exact = dict(zip(range(1000), values, strict=True))
    assert max(
        abs(exact[place] - value) for place, value in zip(weights.entries, weights.values, strict=True)
    ) < (np.abs(values).max() / 2**14)


def test_weights_too_small_for_a_step_are_left_out() -> None:
    tiny = Weights.of_patterns(GAME, PATTERNS, np.arange(3), np.array([5e-324, 0.0, 1e-310]))
    assert tiny.values.tolist() == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "abalone"}, "not for connect4"),
        ({"features": "lines"}, "for patterns 'lines', not for 'cells'"),
        (
            {"ranges": "other"},
            "for patterns 'cells' with other cells, for example of a board of another size",
        ),
        ({"groups": ((0, 20),)}, "different cells, 0 to 19"),
        ({"groups": ((0, 1),)}, "the tables have 32 places, but a weight is for"),
    ],
)
def test_weights_for_other_patterns_are_rejected(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(WeightsError, match=message):
        replace(drawn(), **changes).evaluation(GAME, PATTERNS)


@pytest.mark.parametrize("entries", [[3, 2], [2, 2], [-1, 2], [1]], ids=str)
def test_places_must_be_ascending(entries: list[int]) -> None:
    with pytest.raises(WeightsError, match="one place each, in ascending order"):
        replace(drawn(), entries=np.array(entries), values=np.zeros(2))


@pytest.mark.parametrize(
    ("arrays", "header"),
    [
        ({"gaps": np.zeros(3, dtype=np.int64)}, {}),
        ({"gaps": np.zeros(3, dtype=np.uint8)}, {}),
        ({"weights": np.zeros(3)}, {}),
        ({}, {"resolution": 0.0}),
        ({}, {"resolution": None}),
        ({}, {"groups": [["a"]]}),
        ({}, {"groups": 5}),
    ],
)
def test_damaged_file_of_patterns_is_rejected(
    tmp_path: Path, arrays: dict[str, np.ndarray], header: dict[str, object]
) -> None:
    weights = drawn()
    write_arrays(tmp_path / "x", {**weights.arrays(), **arrays}, {**weights.header(), **header})
    with pytest.raises(WeightsError):
        Weights.read(tmp_path / "x")


def test_agents_search_with_weights_of_patterns(tmp_path: Path) -> None:
    weights, path = drawn(), tmp_path / "x.safetensors"
    weights.write(path)
    evaluation = find_evaluation(str(path), GAME)
    assert isinstance(find_weights(str(path), GAME)[1], PatternSet)
    position = GAME.parse("33")
    expected = max(
        position.legal_moves,
        key=lambda move: -evaluation.kernel(position.apply(move).words, evaluation.weights),
    )
    for agent in ("greedy", "alphabeta:depth=1", "minimax:depth=1"):
        text = f"{agent}{',' if ':' in agent else ':'}weights={path}"
        assert boardgames.load_player(text, GAME, seed=1).choose(position).move == expected
    searched = boardgames.load_player(f"mcts:simulations=20,cutoff=0,weights={path}", GAME, seed=1)
    assert searched.choose(position).move in position.legal_moves


def test_what_needs_features_rejects_weights_of_patterns(tmp_path: Path) -> None:
    drawn().write(tmp_path / "x")
    with pytest.raises(WeightsError, match="has weights of patterns"):
        find_feature_weights(str(tmp_path / "x"), GAME)
    with pytest.raises(WeightsError, match="has weights of patterns"):
        boardgames.load_player(f"td:weights={tmp_path / 'x'}", GAME)


def test_explanation_lists_what_is_looked_up() -> None:
    weights, position = drawn(), GAME.parse("332")
    explained = explain(position, PATTERNS, weights, "drawn")
    assert [term.name for term in explained.terms[:3]] == [
        "cells 0 1 4 5",
        "cells 16 17 12 13",
        "cells 2 3 7",
    ]
    assert explained.total == pytest.approx(expected_total(weights, PATTERNS, position))
    assert explained.value == np.tanh(explained.total)
