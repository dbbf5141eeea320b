"""Networks: files, and one clear line for each network that does not fit."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boardgames
from boardgames.errors import WeightsError
from boardgames.game import observation_of
from boardgames.networks import HEXAGONAL, Network, NetworkShape, load_network
from boardgames.weights.files import write_arrays
from boardgames_abalone.board import NEIGHBOURS

pytestmark = pytest.mark.plain

GAME = boardgames.load("connect4")
SHAPE = NetworkShape.of(GAME, channels=4, blocks=1, pooled_blocks=(0,), policy_channels=2, value_channels=2,
                        value_units=3)  # fmt: skip
NETWORK = Network.random(GAME, SHAPE, seed=1)


def test_network_is_read_as_it_was_written(tmp_path: Path) -> None:
    network = Network.of(GAME, SHAPE, NETWORK.tensors, provenance={"seed": 7})
    network.write(tmp_path / "network.safetensors")
    read = load_network(tmp_path / "network.safetensors", GAME)
    assert (read.shape, read.planes, read.provenance) == (SHAPE, network.planes, {"seed": 7})
    assert read.fingerprint() == network.fingerprint()
    assert all(np.array_equal(read.tensors[name], network.tensors[name]) for name in SHAPE.tensors)


def test_equal_networks_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        Network.random(GAME, SHAPE, seed=1).write(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_tensors_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        NETWORK.tensors["input.bias"][0] = 1.0


def changed(name: str, value: Any) -> dict[str, Any]:
    return {key: value if key == name else tensor for key, tensor in NETWORK.tensors.items()}


WRONG_TENSORS = {
    "missing": (
        {name: one for name, one in NETWORK.tensors.items() if name != "input.bias"},
        "the tensor 'input.bias' is missing",
    ),
    "unknown": (
        {**NETWORK.tensors, "momentum": np.zeros(1, np.float32)},
        "a network of this shape has no tensor 'momentum'",
    ),
    "shape": (
        changed("policy.output.weight", np.zeros((7, 2, 41), np.float32)),
        r"the tensor 'policy.output.weight' must have the shape \(7, 2, 42\), not \(7, 2, 41\)",
    ),
    "type": (changed("value.output.bias", np.zeros(3)), "'value.output.bias' must be float32, not float64"),
    "nan": (
        changed("input.bias", np.array([0, np.nan, 0, 0], np.float32)),
        "the tensor 'input.bias' has numbers that are not finite",
    ),
    "infinite": (
        changed("input.bias", np.array([0, np.inf, 0, 0], np.float32)),
        "the tensor 'input.bias' has numbers that are not finite",
    ),
}


@pytest.mark.parametrize(("tensors", "message"), WRONG_TENSORS.values(), ids=WRONG_TENSORS)
def test_file_with_wrong_tensors_is_refused(tmp_path: Path, tensors: dict[str, Any], message: str) -> None:
    path = tmp_path / "network.safetensors"
    write_arrays(path, tensors, NETWORK.header())
    with pytest.raises(WeightsError, match=f"cannot use the network in .*: .*{message}"):
        load_network(path, GAME)


WRONG_HEADERS: dict[str, tuple[Any, str]] = {
    "weights": (None, "contains other weights, not a network"),
    "not a shape": ([4, 1], "is not a network file of version 1"),
    "no channels": ({}, "is not a network file of version 1"),
    "too many channels": ({"channels": 10**9}, "channels of a network must be 1 to 512, not 1000000000"),
    "text": ({"blocks": "1"}, "blocks of a network must be 0 to 100, not '1'"),
    "place outside": (
        {"places": [[6, 0]]},
        "all places of a network must be within its 6 rows and 7 columns",
    ),
    "no pairs": ({"taps": [1]}, "taps of a network must be pairs of numbers from -63 to 63"),
    "no taps": ({"taps": []}, "a network must have 1 to 25 taps, not 0"),
    "pooled block": ({"pooled_blocks": [1]}, r"pooled blocks of a network must be 0 to 0, not \[1\]"),
    "too large": (
        {"channels": 512, "blocks": 100},
        "a network must have at most 67,108,864 weights, not 472,",
    ),
    "too many places": (
        {"rows": 100, "columns": 100},
        "a network must have at most 4,096 places, not 100 x 100",
    ),
    "names of planes": ({"planes": 3}, "a network with 3 planes needs as many names"),
}


@pytest.mark.parametrize(("sizes", "message"), WRONG_HEADERS.values(), ids=WRONG_HEADERS)
def test_file_with_wrong_sizes_is_refused(tmp_path: Path, sizes: Any, message: str) -> None:
    header = NETWORK.header()
    if sizes is None:
        del header["network"]
    elif sizes == {}:
        del header["network"]["channels"]
    else:
        header["network"] = {**header["network"], **sizes} if isinstance(sizes, dict) else sizes
    path = tmp_path / "network.safetensors"
    write_arrays(path, NETWORK.tensors, header)
    with pytest.raises(WeightsError, match=message):
        load_network(path, GAME)


@pytest.mark.parametrize("key", ["schema", "game", "layout", "options", "planes", "provenance"])
def test_file_with_a_wrong_header_is_refused(tmp_path: Path, key: str) -> None:
    path = tmp_path / "network.safetensors"
    write_arrays(path, NETWORK.tensors, {**NETWORK.header(), key: 1.5})
    with pytest.raises(WeightsError, match="is not a network file of version 1"):
        load_network(path, GAME)


OTHERS: dict[str, tuple[dict[str, Any], str]] = {
    "game": ({"game": "abalone"}, "the network is for 'abalone', not for connect4"),
    "option": ({"options": {"columns": 8, "rows": 6}}, "the network is for columns=8, not for 7"),
    "unknown option": (
        {"options": {"gravity": False}},
        "the network is for an option 'gravity', which connect4 does not have",
    ),
    "planes": (
        {"planes": ("stones", "turn")},
        r"the network sees the planes \('stones', 'turn'\), but those of connect4 are \('own stones', ",
    ),
    "layout": ({"layout": "empty"}, "the network is for the layout 'empty', not for '7x6'"),
}


@pytest.mark.parametrize(("facts", "message"), OTHERS.values(), ids=OTHERS)
def test_network_of_other_rules_is_refused(tmp_path: Path, facts: dict[str, Any], message: str) -> None:
    path = tmp_path / "network.safetensors"
    replace(NETWORK, **facts).write(path)
    with pytest.raises(WeightsError, match=f"cannot use the network in .*: {message}"):
        load_network(path, GAME)


SIZES: dict[str, tuple[dict[str, Any], str]] = {
    "rows": ({"rows": 7}, "the network is for a board of 7 x 7 places, not of 6 x 7"),
    "places": ({"places": ((0, 0), (0, 1))}, "the network is for a board of another shape"),
    "actions": ({"actions": 8}, "the network is for 8 actions, but connect4 has 7"),
}


@pytest.mark.parametrize(("sizes", "message"), SIZES.values(), ids=SIZES)
def test_network_of_another_size_is_refused(sizes: dict[str, Any], message: str) -> None:
    shape = replace(SHAPE, **sizes)
    tensors = {name: np.zeros(size, np.float32) for name, size in shape.tensors.items()}
    with pytest.raises(WeightsError, match=message):
        Network.of(GAME, shape, tensors)


def test_layout_may_differ_if_asked_for(tmp_path: Path) -> None:
    game = boardgames.load("abalone", layout="standard")
    network = Network.random(game, NetworkShape.of(game, channels=1, blocks=0, taps=HEXAGONAL), seed=1)
    network.write(tmp_path / "network")
    other = boardgames.load("abalone", layout="belgian-daisy")
    assert load_network(tmp_path / "network", other, any_layout=True).layout == "standard"


def test_weights_of_features_do_not_pass_for_a_network() -> None:
    with pytest.raises(WeightsError, match="contains other weights, not a network"):
        load_network("td", GAME)


def test_hexagonal_taps_are_the_neighbours_on_the_board_of_abalone() -> None:
    game = boardgames.load("abalone")
    places = observation_of(game).places
    for cell, (row, column) in enumerate(places):
        reached = {places.index(place) for down, right in HEXAGONAL
                   if (place := (row + down, column + right)) in places}  # fmt: skip
        assert reached == {cell, *NEIGHBOURS[cell].tolist()} - {-1}
