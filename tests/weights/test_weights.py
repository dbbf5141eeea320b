"""Weights: what a file of them says, and whose they are."""

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
from boardgames.weights.weights import LARGEST_WEIGHT, ranges_of

GAME = boardgames.load("connect4")
LINES = boardgames.load_features("lines", GAME)
VALUES = np.linspace(-1, 1, 11)
MADE = {"learner": "td", "seed": 7, "figures": {"elo": 12.5}}


def made(values: Any = VALUES, **changes: Any) -> Weights:
    return replace(Weights.of(GAME, LINES, values, provenance=MADE), **changes)


@pytest.mark.parametrize("squashes", [False, True], ids=["sum", "tanh"])
def test_weights_come_back_from_their_file(tmp_path: Path, squashes: bool) -> None:
    weights = made(squashes=squashes)
    weights.write(tmp_path / "x.safetensors")
    read = Weights.read(tmp_path / "x.safetensors")
    assert np.array_equal(read.values, VALUES)
    assert read.header() == weights.header()
    assert (read.game, read.features, read.squashes) == ("connect4", "lines", squashes)
    assert read.provenance == MADE
    assert read.fingerprint() == weights.fingerprint()


def test_equal_weights_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("x", "y"):
        made().write(tmp_path / name)
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


def test_other_arrays_may_stand_beside_the_weights(tmp_path: Path) -> None:
    arrays = {"weights": VALUES, "players": np.zeros((16, 11)), "state": np.zeros(2, dtype=np.uint64)}
    write_arrays(tmp_path / "x", arrays, {**made().header(), "learner": "td"})
    assert np.array_equal(Weights.read(tmp_path / "x").values, VALUES)


def test_nobody_changes_them_afterwards() -> None:
    own = VALUES.copy()
    weights = made(own)
    own[0] = 5.0
    assert weights.values[0] == VALUES[0]
    with pytest.raises(ValueError, match="read-only"):
        weights.values[0] = 5.0


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([np.nan, *VALUES[1:]], "nan"),
        ([*VALUES[1:], -np.inf], "-inf"),
        ([2 * LARGEST_WEIGHT, *VALUES[1:]], "2000000.0"),
        ([], "shape"),
        ([[1.0], [2.0]], "shape"),
        (1.0, "shape"),
    ],
    ids=["nan", "infinite", "huge", "none", "table", "number"],
)
def test_what_are_no_weights_is_refused(values: Any, told: str) -> None:
    with pytest.raises(WeightsError, match=f"expected weights.*{told}"):
        made(np.array(values))


def change(**facts: object) -> bytes:
    """Return a file whose header has other facts, without those that are None."""
    header = {key: value for key, value in {**made().header(), **facts}.items() if value is not None}
    return as_bytes({"weights": VALUES}, header)


DAMAGED = {
    "another version": change(schema=2),
    "no version": change(schema=None),
    "no game": change(game=None),
    "a number for the game": change(game=4),
    "no features": change(features=None),
    "no ranges": change(ranges=None),
    "squashes by word": change(squashes="yes"),
    "provenance no object": change(provenance=[1]),
    "no array": as_bytes({"values": VALUES}, made().header()),
    "float32": as_bytes({"weights": VALUES.astype(np.float32)}, made().header()),
    "whole numbers": as_bytes({"weights": np.arange(11)}, made().header()),
    "a table": as_bytes({"weights": np.zeros((2, 11))}, made().header()),
    "no number": as_bytes({"weights": np.full(11, np.nan)}, made().header()),
    "an empty array": as_bytes({"weights": np.zeros(0)}, made().header()),
    "nothing of it": as_bytes({"weights": VALUES}, {}),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_file_without_whole_weights_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(DAMAGED[name])
    with pytest.raises(WeightsError, match="expected") as raised:
        Weights.read(path)
    assert "\n" not in str(raised.value)
    assert str(path) in str(raised.value)


def test_weights_of_another_game_or_other_features_are_refused() -> None:
    abalone = boardgames.load("abalone")
    other = boardgames.load_features("classic14", abalone)
    with pytest.raises(WeightsError, match="expected weights of abalone: they are of 'connect4'"):
        made().check(abalone, other)
    with pytest.raises(WeightsError, match=r"expected weights of features 'lines'.*'others'"):
        made(features="others").check(GAME, LINES)
    with pytest.raises(WeightsError, match="expected 11 weights: 10 came"):
        made(VALUES[1:]).check(GAME, LINES)
    made().check(GAME, LINES)


@pytest.mark.parametrize("change", [{"name": "renamed"}, {"low": -1.0}, {"high": 1e3}], ids=str)
def test_features_whose_names_or_ranges_have_changed_are_other_features(change: dict[str, Any]) -> None:
    first = replace(LINES.features[0], **change)
    changed = FeatureSet("lines", LINES.kernel, (first, *LINES.features[1:]))
    assert ranges_of(changed) != ranges_of(LINES)
    with pytest.raises(WeightsError, match="the ranges that they have"):
        made().check(GAME, changed)


def test_a_sentence_about_a_feature_may_change() -> None:
    told = [Feature(f.name, f.unit, f.low, f.high, "in other words") for f in LINES.features]
    made().check(GAME, FeatureSet("lines", LINES.kernel, tuple(told)))


def test_a_board_of_another_size_has_other_ranges() -> None:
    smaller = boardgames.load("connect4", columns=5, rows=4)
    with pytest.raises(WeightsError, match="the ranges that they have"):
        made().check(smaller, boardgames.load_features("lines", smaller))


def test_the_fingerprint_follows_all_that_is_played_with() -> None:
    others = [
        made(),
        made(VALUES + 1e-9),
        made(features="others"),
        made(ranges="others"),
        made(squashes=True),
    ]
    assert len({weights.fingerprint() for weights in others}) == len(others)
    assert made(provenance={}).fingerprint() == made().fingerprint()


facts = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("connect4")


@settings(max_examples=200)
@given(
    st.dictionaries(st.sampled_from([*made().header()]), facts, max_size=3),
    st.lists(st.floats(), max_size=12),
    st.sampled_from(["<f8", "<f4", "<i8"]),
)
def test_whatever_a_file_says_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, changes: dict[str, Any], values: list[float], kind: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.safetensors"
    with np.errstate(all="ignore"):
        array = np.array(values).astype(kind)
    try:
        path.write_bytes(as_bytes({"weights": array}, {**made().header(), **changes}))
        weights = Weights.read(path)
    except (WeightsError, FileError):
        return
    assert np.all(np.isfinite(weights.values))
    assert json.dumps(weights.header())
