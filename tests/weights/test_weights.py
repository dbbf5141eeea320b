"""Weights: their file, validation, and the game and features that they belong to."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardgames
from boardgames.declarations import Feature, FeatureSet
from boardgames.errors import FileError, WeightsError
from boardgames.weights import Weights
from boardgames.weights.files import as_bytes, write_arrays
from boardgames.weights.weights import MAX_WEIGHT, hash_ranges

GAME = boardgames.load("connect4")
LINES = boardgames.load_features("lines", GAME)
VALUES = np.linspace(-1, 1, 11)
MADE = {"learner": "td", "seed": 7, "figures": {"elo": 12.5}}


def make(values: Any = VALUES, **changes: Any) -> Weights:
    return replace(Weights.of(GAME, LINES, values, provenance=MADE), **changes)


@pytest.mark.parametrize("tanh", [False, True], ids=["sum", "tanh"])
def test_weights_are_read_as_they_were_written(tmp_path: Path, tanh: bool) -> None:
    weights = make(tanh=tanh)
    weights.write(tmp_path / "x.safetensors")
    read = Weights.read(tmp_path / "x.safetensors")
    assert np.array_equal(read.values, VALUES)
    assert read.header() == weights.header()
    assert (read.game, read.features, read.tanh) == ("connect4", "lines", tanh)
    assert read.provenance == MADE
    assert read.fingerprint() == weights.fingerprint()


def test_equal_weights_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("x", "y"):
        make().write(tmp_path / name)
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


def test_file_may_have_other_arrays(tmp_path: Path) -> None:
    arrays = {"weights": VALUES, "players": np.zeros((16, 11)), "state": np.zeros(2, dtype=np.uint64)}
    write_arrays(tmp_path / "x", arrays, {**make().header(), "learner": "td"})
    assert np.array_equal(Weights.read(tmp_path / "x").values, VALUES)


def test_values_are_read_only() -> None:
    own = VALUES.copy()
    weights = make(own)
    own[0] = 5.0
    assert weights.values[0] == VALUES[0]
    with pytest.raises(ValueError, match="read-only"):
        weights.values[0] = 5.0


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([np.nan, *VALUES[1:]], "nan"),
        ([*VALUES[1:], -np.inf], "-inf"),
        ([2 * MAX_WEIGHT, *VALUES[1:]], "2000000.0"),
        ([], "shape"),
        ([[1.0], [2.0]], "shape"),
        (1.0, "shape"),
    ],
    ids=["nan", "infinite", "huge", "none", "two-dimensional", "number"],
)
def test_bad_values_are_rejected(values: Any, words: str) -> None:
    with pytest.raises(WeightsError, match=f"weights must be .*{words}"):
        make(np.array(values))


def change(**facts: object) -> bytes:
    """Return a file with other header fields; fields that are None are omitted."""
    header = {key: value for key, value in {**make().header(), **facts}.items() if value is not None}
    return as_bytes({"weights": VALUES}, header)


DAMAGED = {
    "another version": change(schema=2),
    "no version": change(schema=None),
    "no game": change(game=None),
    "a number for the game": change(game=4),
    "no features": change(features=None),
    "no ranges": change(ranges=None),
    "squashes is a text": change(squashes="yes"),
    "provenance no object": change(provenance=[1]),
    "no array": as_bytes({"values": VALUES}, make().header()),
    "float32": as_bytes({"weights": VALUES.astype(np.float32)}, make().header()),
    "whole numbers": as_bytes({"weights": np.arange(11)}, make().header()),
    "a table": as_bytes({"weights": np.zeros((2, 11))}, make().header()),
    "no number": as_bytes({"weights": np.full(11, np.nan)}, make().header()),
    "an empty array": as_bytes({"weights": np.zeros(0)}, make().header()),
    "nothing of it": as_bytes({"weights": VALUES}, {}),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_file_is_rejected_in_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(DAMAGED[name])
    with pytest.raises(WeightsError) as raised:
        Weights.read(path)
    assert "\n" not in str(raised.value)
    assert str(path) in str(raised.value)


def test_weights_for_another_game_or_other_features_are_rejected() -> None:
    abalone = boardgames.load("abalone")
    other = boardgames.load_features("classic14", abalone)
    with pytest.raises(WeightsError, match="for 'connect4', not for abalone"):
        make().check(abalone, other)
    with pytest.raises(WeightsError, match="for features 'others', not for 'lines'"):
        make(features="others").check(GAME, LINES)
    with pytest.raises(WeightsError, match="need 11 weights, not 10"):
        make(VALUES[1:]).check(GAME, LINES)
    make().check(GAME, LINES)


@pytest.mark.parametrize("change", [{"name": "renamed"}, {"low": -1.0}, {"high": 1e3}], ids=str)
def test_features_with_changed_names_or_ranges_are_other_features(change: dict[str, Any]) -> None:
    first = replace(LINES.features[0], **change)
    changed = FeatureSet("lines", LINES.kernel, (first, *LINES.features[1:]))
    assert hash_ranges(changed) != hash_ranges(LINES)
    with pytest.raises(WeightsError, match="with other ranges"):
        make().check(GAME, changed)


def test_description_of_a_feature_may_change() -> None:
    others = [Feature(f.name, f.unit, f.low, f.high, "in other words") for f in LINES.features]
    make().check(GAME, FeatureSet("lines", LINES.kernel, tuple(others)))


def test_board_of_another_size_has_other_ranges() -> None:
    smaller = boardgames.load("connect4", columns=5, rows=4)
    with pytest.raises(WeightsError, match="with other ranges"):
        make().check(smaller, boardgames.load_features("lines", smaller))


def test_fingerprint_depends_on_everything_but_the_provenance() -> None:
    others = [
        make(),
        make(VALUES + 1e-9),
        make(features="others"),
        make(ranges="others"),
        make(tanh=True),
    ]
    assert len({weights.fingerprint() for weights in others}) == len(others)
    assert make(provenance={}).fingerprint() == make().fingerprint()


facts = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("connect4")


@settings(max_examples=100)
@given(
    st.dictionaries(st.sampled_from([*make().header()]), facts, max_size=3),
    st.lists(st.floats(), max_size=12),
    st.sampled_from(["<f8", "<f4", "<i8"]),
)
def test_any_header_is_read_or_rejected(
    tmp_path_factory: pytest.TempPathFactory, changes: dict[str, Any], values: list[float], kind: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.safetensors"
    with np.errstate(all="ignore"):
        array = np.array(values).astype(kind)
    try:
        path.write_bytes(as_bytes({"weights": array}, {**make().header(), **changes}))
        weights = Weights.read(path)
    except (WeightsError, FileError):
        return
    assert np.all(np.isfinite(weights.values))
    assert json.dumps(weights.header())
