"""The player `td`: with what it goes on learning, and from which file."""

from pathlib import Path

import numpy as np
import pytest

import boardgames
from boardgames import Manager
from boardgames.errors import WeightsError
from boardgames.learning.player import TemporalPlayer
from boardgames.weights import Weights

CONNECT4 = boardgames.load("connect4")


def write(path: Path, seed: int = 0, **provenance: object) -> Path:
    """Write random weights of Connect Four and return where."""
    values = np.random.default_rng(seed).uniform(-0.5, 0.5, 11)
    features = boardgames.load_features("lines", CONNECT4)
    Weights.of(CONNECT4, features, values, squashes=True, provenance=provenance).write(path)
    return path


def player(text: str) -> TemporalPlayer:
    made = boardgames.load_player(text, CONNECT4, seed=1)
    assert isinstance(made, TemporalPlayer)
    return made


def test_it_goes_on_with_the_rates_with_which_its_weights_were_learned_last(
    home: Path, tmp_path: Path
) -> None:
    settings = {"alpha": 0.1, "gamma": 1.0, "lambda": 0.8}
    path = write(tmp_path / "x.safetensors", settings=settings, metrics={"alpha": 0.001})
    for text, rates in (
        ("td:learn=true", [0.001, 1.0, 0.8]),
        ("td:learn=true,gamma=0.5", [0.001, 0.5, 0.8]),
        ("td:learn=true", [0.001, 0.5, 0.8]),  # as it was saved
    ):
        found = player(f"{text},weights={path}")
        assert found._settings[:3].tolist() == rates
        Manager(CONNECT4, [found, boardgames.load_player("random", CONNECT4, seed=1)]).play()
    plain = write(tmp_path / "y.safetensors")
    assert player(f"td:learn=true,weights={plain}")._settings[:3].tolist() == [0.1, 0.9, 0.5]


def test_a_copy_that_was_learned_from_a_run_of_the_same_name_before_is_not_gone_on_from(home: Path) -> None:
    best = write(home / "runs" / "first" / "checkpoints" / "best.safetensors", 1)
    (home / "runs" / "first" / "config.toml").touch()
    Manager(
        CONNECT4, [player("td:weights=first,learn=true"), boardgames.load_player("random", CONNECT4)]
    ).play()
    assert player("td:weights=first,learn=true").fingerprint() != Weights.read(best).fingerprint()
    write(best, 2)
    with pytest.raises(WeightsError, match=r"go on from those of now, move it away.*connect4-first"):
        player("td:weights=first,learn=true")
    assert player("td:weights=first").fingerprint() == Weights.read(best).fingerprint()
