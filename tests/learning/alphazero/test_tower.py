"""Towers compute what the networks compute that they export."""

from typing import Any

import numpy as np
import pytest
import torch

import boardgames
from boardgames.errors import WeightsError
from boardgames.game import observation_of
from boardgames.learning.alphazero.tower import Tower
from boardgames.networks import Network, NetworkShape
from boardgames.observation import HEXAGONAL, SQUARE


def observations(name: str, count: int = 12) -> Any:
    """Return planes of the first plies of a match."""
    position, found = boardgames.load(name).start(), []
    for _ in range(count):
        found.append(position.observation())
        position = position.apply_action(position.actions[len(found) % len(position.actions)])
    return np.array(found)


def results(tower: Tower, planes: Any) -> tuple[Any, Any]:
    """Return the probabilities of actions and the value that a tower computes."""
    tower.eval()
    with torch.no_grad():
        policy, value = tower(torch.from_numpy(planes.astype(np.float32)))
    chances = value.softmax(dim=1).numpy()
    return policy.softmax(dim=1).numpy(), chances[:, 0] - chances[:, 2]


@pytest.mark.parametrize("normalised", [True, False], ids=["normalised", "plain"])
@pytest.mark.parametrize(
    ("name", "taps", "pooled"),
    [
        ("connect4", SQUARE, ()),
        ("connect4", SQUARE, (0, 1)),
        ("hexifence", SQUARE, (1,)),
        ("abalone", HEXAGONAL, (0,)),
    ],
    ids=["whole board", "pooled", "mask", "hexagonal"],
)
def test_a_network_computes_what_the_tower_computes(
    name: str, taps: Any, pooled: Any, normalised: bool
) -> None:
    game, planes = boardgames.load(name), observations(name)
    shape = NetworkShape.of(game, channels=6, blocks=2, pooled_blocks=pooled)
    assert shape.taps == taps
    tower = Tower(shape, scales=observation_of(game).scales, normalised=normalised, seed=1)
    for _ in range(3):  # so that means and variances are not those of the beginning
        policy, value = tower(torch.from_numpy(planes.astype(np.float32)))
    for parameter in tower.parameters():
        with torch.no_grad():
            parameter.add_(0.05 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(2)))
    policy, value = results(tower, planes)
    given_policy, given_value = Network.of(game, shape, tower.export()).evaluate(planes)
    assert np.abs(policy - given_policy).max() < 1e-4
    assert np.abs(value - given_value).max() < 1e-4
    assert np.ptp(value) > 1e-3


@pytest.mark.parametrize("normalised", [True, False], ids=["normalised", "plain"])
def test_a_restored_tower_exports_the_same_network(normalised: bool) -> None:
    game = boardgames.load("abalone")
    shape = NetworkShape.of(game, channels=4, blocks=1, pooled_blocks=(0,))
    network = Network.random(game, shape, seed=3)
    tower = Tower(shape, scales=observation_of(game).scales, normalised=normalised, seed=1)
    tower.restore(network.tensors)
    for name, tensor in tower.export().items():
        assert np.allclose(tensor, network.tensors[name], rtol=1e-5)


def test_all_moves_are_about_equally_likely_at_first() -> None:
    tower = Tower(NetworkShape.of(boardgames.load("connect4"), channels=16, blocks=3), seed=1)
    policy, value = results(tower, observations("connect4"))
    assert np.abs(policy - 1 / 7).max() < 0.02
    assert np.abs(value).max() < 0.02


def test_a_tensor_of_another_shape_is_refused() -> None:
    shape = NetworkShape(2, 3, 3, actions=9, channels=4, blocks=0)
    tensors = Tower(shape, seed=1).export()
    with pytest.raises(WeightsError, match=r"the tensor 'input.bias' must have the shape \(4,\)"):
        Tower(shape, seed=1).restore({**tensors, "input.bias": np.zeros(5, np.float32)})
