"""Weights of patterns: their file, their values compared with plain Python, and where they can be used."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardgames
from boardgames.declarations import Evaluation, Feature, FeatureSet
from boardgames.errors import PluginError, WeightsError
from boardgames.game import Game, Move, Position
from boardgames.kernels import Actions, Cells, Features, Phase, Reals, Words, kernel, popcount
from boardgames.patterns import PatternModel, PatternSet
from boardgames.score import Unit
from boardgames.weights import Weights, find_evaluation, find_weights
from boardgames.weights.explain import explain
from boardgames.weights.files import write_arrays
from boardgames.weights.lookup import find_feature_weights
from boardgames_connect4.board import Board

GAME = boardgames.load("connect4", columns=5, rows=4)
GROUPS = ((0, 1, 4, 5), (2, 3, 7), (8, 9, 10, 11), (0, 19))
PATTERNS = boardgames.load_patterns("cells", GAME).grouped(GROUPS)


def drawn(patterns: PatternSet = PATTERNS, *, tanh: bool = True, seed: int = 1) -> Weights:
    """Return weights for about half of the places."""
    random = np.random.default_rng(seed)
    entries = np.flatnonzero(random.random(patterns.size) < 0.5)
    values = random.integers(-512, 512, len(entries)) / 1024  # so that sums of them are exact
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
        value = evaluation.value(position.words)
        assert value == pytest.approx(-np.tanh(total) if tanh else -total)


@pytest.mark.plain
def test_mirrored_positions_are_worth_the_same() -> None:
    evaluation = drawn().evaluation(GAME, PATTERNS)
    (symmetry,) = GAME.symmetries()
    for position in random_positions(GAME, 2):
        values = [evaluation.value(words) for words in (position.words, symmetry.words(position.words))]
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
        ({"groups": ((0, 1),)}, "the tables have 32 places, but there is a weight for place"),
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
        key=lambda move: -evaluation.value(position.apply(move).words),
    )
    for agent in ("greedy", "alphabeta:depth=1", "minimax:depth=1"):
        text = f"{agent}{',' if ':' in agent else ':'}weights={path}"
        assert boardgames.load_player(text, GAME, seed=1).choose(position).move == expected
    searched = boardgames.load_player(f"mcts:simulations=20,cutoff=0,weights={path}", GAME, seed=1)
    assert searched.choose(position).move in position.legal_moves


def test_uses_that_need_features_reject_weights_of_patterns(tmp_path: Path) -> None:
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
    assert explained.total is not None
    assert explained.value == np.tanh(explained.total)


# --- bitboards and models ---

BOARD = Board(5, 4)
BITS = tuple(BOARD.bit(column, row) for column in range(5) for row in range(4))
BIT_NUMBERS = np.array(BITS)
ONE = np.uint64(1)


@kernel(Cells)
def stones(position: Words, side: int, out: Actions) -> None:
    """Write 1 for an own stone and 2 for one of the opponent."""
    for cell in range(20):
        bit = ONE << np.uint64(BIT_NUMBERS[cell])
        out[cell] = 0
        if position[side] & bit != np.uint64(0):
            out[cell] = 1
        elif position[1 - side] & bit != np.uint64(0):
            out[cell] = 2


@kernel(Phase)
def thirds(position: Words, side: int) -> int:
    """Return a number that grows with the stones on the board, 0 to 4."""
    return int(min((popcount(position[0]) + popcount(position[1])) // 3, 4))


@kernel(Features)
def heights(position: Words, side: int, out: Reals) -> None:
    """Write the squared number of stones of a side, and of its opponent."""
    out[0], out[1] = popcount(position[side]) ** 2, popcount(position[1 - side]) ** 2


@kernel(Features)
def tempo(position: Words, side: int, out: Reals) -> None:
    """Write -1."""
    out[0] = -1.0


MATERIAL = FeatureSet("heights", heights, tuple(Feature(name, "", 0, 100, "") for name in ("own", "other")))
TERMS = FeatureSet("tempo", tempo, (Feature("tempo", "moves", -1, 1, ""),))
CENTS = Unit("cent", "cents", half_return=3.0)
MODEL = PatternModel(
    unit=CENTS, scale=100.0, bound=500.0, margin=7.0, limit=150.0, material=MATERIAL, terms=TERMS
)
(REFLECTION,) = PATTERNS.symmetries
STONES = PatternSet(
    "stones", stones, 20, 3, ((0, 1, 2, 3), (8, 9, 10, 11), (0, 4, 8, 12, 16), (3, 18), (5,)),
    symmetries=(REFLECTION,), phases=5, phase=thirds, bitboards=((0, 1), (1, 0)), bits=BITS, model=MODEL,
)  # fmt: skip


def evaluated(evaluation: Evaluation, positions: list[Position]) -> list[float]:
    return [evaluation.value(position.words) for position in positions]


def of_model(
    patterns: PatternSet = STONES, *, anchors: int = 2, seed: int = 1, largest: float = 30.0
) -> Weights:
    random = np.random.default_rng(seed)
    tables = random.uniform(-largest, largest, (anchors, patterns.size // patterns.phases))
    return Weights.of_model(GAME, patterns, tables, random.uniform(-20, 20, (anchors, 3)))


GROUPS_OF_CELLS = st.lists(
    st.lists(st.integers(0, 19), min_size=1, max_size=5, unique=True).map(tuple), min_size=1, max_size=50
)


@pytest.mark.plain
@settings(max_examples=10)
@given(GROUPS_OF_CELLS, st.integers(0, 1000))
def test_bitboards_give_the_same_values_as_cells(groups: list[tuple[int, ...]], seed: int) -> None:
    patterns = STONES.grouped(groups)
    weights = of_model(patterns, anchors=1 + seed % 5, seed=seed)
    positions = list(random_positions(GAME, 2))
    through_cells = replace(patterns, bitboards=(), bits=())
    assert evaluated(weights.evaluation(GAME, patterns), positions) == evaluated(
        weights.evaluation(GAME, through_cells), positions
    )


@pytest.mark.plain
@pytest.mark.parametrize(("count", "length"), [(40, 2), (12, 9)], ids=["many groups", "large tables"])
def test_lookups_may_need_several_blocks_of_rows(count: int, length: int) -> None:
    random = np.random.default_rng(4)
    patterns = STONES.grouped([random.permutation(20)[:length].tolist() for _ in range(count)])
    weights = of_model(patterns)
    positions = list(random_positions(GAME, 1))
    through_cells = replace(patterns, bitboards=(), bits=())
    assert evaluated(weights.evaluation(GAME, patterns), positions) == evaluated(
        weights.evaluation(GAME, through_cells), positions
    )


@pytest.mark.plain
def test_sums_of_weights_are_exact() -> None:
    # the middle column is its own image, so its sums are twice as large as weights
    patterns = replace(STONES, groups=((8, 9, 10, 11), (0, 1)), model=PatternModel(bound=500.0))
    tables = np.random.default_rng(5).uniform(-30, 30, (5, patterns.size // 5))
    weights = Weights.of_model(GAME, patterns, tables, np.zeros((5, 0)))
    evaluation = weights.evaluation(GAME, patterns)
    for position in random_positions(GAME, 2):
        total = expected_total(weights, patterns, position)
        assert evaluated(evaluation, [position]) == [-total]


def test_tables_with_2_to_the_16_places_are_looked_up_through_cells() -> None:
    four = replace(STONES, values=4, bitboards=((0, 1), (1, 0), (0, 1)), groups=(tuple(range(8)), (9,)))
    weights = of_model(four, anchors=1)
    positions = list(random_positions(GAME, 1))
    through_cells = replace(four, bitboards=(), bits=())
    assert evaluated(weights.evaluation(GAME, four), positions) == evaluated(
        weights.evaluation(GAME, through_cells), positions
    )


@pytest.mark.plain
@pytest.mark.parametrize("anchors", [1, 2, 3, 5])
def test_value_of_a_model_is_material_and_a_limited_sum(anchors: int) -> None:
    weights = of_model(anchors=anchors)
    evaluation = weights.evaluation(GAME, STONES)
    assert (evaluation.unit, evaluation.scale, evaluation.bound, evaluation.margin) == (CENTS, 100, 500, 7)
    tables = weights.tables(STONES)
    for position in random_positions(GAME, 3):
        side = 1 - position.side_to_move
        phase = thirds(position.words, side)
        between = phase * (anchors - 1) / 4
        before = min(int(between), anchors - 1)
        share, after = between - before, min(before + 1, anchors - 1)
        cells = np.zeros(20, dtype=np.int64)
        stones(position.words, side, cells)
        total = 0.0
        for group, start in STONES.lookups:
            index = start + int("".join(str(cells[cell]) for cell in group), 3)
            total += (1 - share) * tables[before, index] + share * tables[after, index]
        own, other, moved = (1 - share) * weights.linear[before] + share * weights.linear[after]
        total -= moved
        counts = [int(position.words[one]).bit_count() ** 2 for one in (side, 1 - side)]
        expected = own * counts[0] + other * counts[1] + total / (1 + abs(total) / 150)
        value = evaluated(evaluation, [position])[0]
        assert -value == pytest.approx(min(max(expected, -500), 500), abs=0.02)


def test_anchors_for_all_phases_are_looked_up_exactly() -> None:
    weights = of_model(anchors=5)
    same = Weights.of_model(GAME, STONES, weights.tables(STONES)[3:4], weights.linear[3:4])
    positions = [one for one in random_positions(GAME, 4) if thirds(one.words, 0) == 3]
    assert evaluated(weights.evaluation(GAME, STONES), positions) == evaluated(
        same.evaluation(GAME, STONES), positions
    )


@pytest.mark.plain
def test_mirrored_positions_are_worth_the_same_with_a_model() -> None:
    evaluation = of_model().evaluation(GAME, STONES)
    (symmetry,) = GAME.symmetries()
    for position in random_positions(GAME, 2):
        mirrored = Position(GAME, symmetry.words(position.words))
        assert evaluated(evaluation, [mirrored]) == evaluated(evaluation, [position])


def test_weights_of_a_model_are_read_as_they_were_written(tmp_path: Path) -> None:
    weights = of_model()
    weights.write(tmp_path / "x")
    read = Weights.read(tmp_path / "x")
    assert (read.anchors, read.linear.tolist()) == (2, weights.linear.tolist())
    assert (read.values.tolist(), read.entries.tolist()) == (
        weights.values.tolist(),
        weights.entries.tolist(),
    )
    assert read.header() == weights.header()
    assert read.fingerprint() == weights.fingerprint()
    positions = list(random_positions(GAME, 1))
    assert evaluated(read.evaluation(GAME, STONES), positions) == evaluated(
        weights.evaluation(GAME, STONES), positions
    )


def test_fingerprint_depends_on_the_weights_of_features() -> None:
    weights = of_model()
    assert replace(weights, linear=weights.linear + 1).fingerprint() != weights.fingerprint()


@pytest.mark.parametrize(
    ("anchors", "size", "features", "message"),
    [
        (6, STONES.size // 5, 3, "1 to 5 anchors, one for each phase, not 6"),
        (2, 7, 3, "places for each of 2 anchors, not the shape"),
        (2, STONES.size // 5, 4, "has 3 features, but there are 4 weights"),
    ],
)
def test_weights_that_do_not_fit_a_model_are_rejected(
    anchors: int, size: int, features: int, message: str
) -> None:
    with pytest.raises(WeightsError, match=message):
        Weights.of_model(GAME, STONES, np.zeros((anchors, size)), np.zeros((anchors, features)))


def test_weights_of_a_model_need_a_pattern_set_with_the_same_model() -> None:
    weights = of_model()
    with pytest.raises(WeightsError, match="'stones' have no model"):
        weights.evaluation(GAME, replace(STONES, model=None))
    with pytest.raises(WeightsError, match="or with another model"):
        weights.evaluation(GAME, replace(STONES, model=replace(MODEL, limit=10.0)))
    with pytest.raises(WeightsError, match="have no model"):
        Weights.of_model(GAME, PATTERNS, np.zeros((1, 1)), np.zeros((1, 0)))


@pytest.mark.parametrize(
    ("arrays", "header"),
    [
        ({"features": np.zeros((2, 3), dtype=np.float32)}, {}),
        ({"features": np.zeros(6)}, {}),
        ({"features": np.full((2, 3), np.nan)}, {}),
        ({}, {"anchors": 3}),
        ({}, {"anchors": "two"}),
        ({}, {"anchors": 0}),
    ],
)
def test_damaged_file_of_a_model_is_rejected(
    tmp_path: Path, arrays: dict[str, np.ndarray], header: dict[str, object]
) -> None:
    weights = of_model()
    write_arrays(tmp_path / "x", {**weights.arrays(), **arrays}, {**weights.header(), **header})
    with pytest.raises(WeightsError):
        Weights.read(tmp_path / "x")


def test_bitboards_outside_a_position_are_rejected() -> None:
    with pytest.raises(PluginError, match="within the 3 words of a position"):
        of_model().evaluation(GAME, replace(STONES, bitboards=((0, 1), (3, 0))))


def test_explanation_lists_terms_and_material_of_a_model() -> None:
    weights, position = of_model(), GAME.parse("332")
    explained = explain(position, STONES, weights, "drawn")
    assert [term.name for term in explained.terms[-3:]] == ["tempo", "own", "other"]
    assert explained.unit == "cents"
    evaluation = weights.evaluation(GAME, STONES)
    assert explained.value == pytest.approx(-evaluated(evaluation, [position])[0] / 100, abs=1e-4)
