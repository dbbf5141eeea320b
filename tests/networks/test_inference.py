"""Evaluation of networks: the same as a slow reference, and independent of the other positions of a batch."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import boardgames
from boardgames.errors import WeightsError
from boardgames.kernels.abi import Floats
from boardgames.networks import HEXAGONAL, SQUARE, Network, NetworkShape
from boardgames.networks.preparation import prepare

Doubles = npt.NDArray[np.float64]

HEXAGON = tuple((row, column) for row in range(5) for column in range(5) if 2 <= row + column <= 6)

SHAPES = {
    "square": NetworkShape(2, 3, 4, actions=4, channels=16, blocks=1),
    "odd sizes": NetworkShape(3, 5, 3, actions=17, channels=5, blocks=2, policy_channels=3, value_channels=5,
                              value_units=7),
    "hexagonal": NetworkShape(4, 5, 5, HEXAGON, actions=70, channels=20, blocks=1, taps=HEXAGONAL),
    "pooled": NetworkShape(2, 3, 4, actions=5, channels=18, blocks=2, pooled_blocks=(1,)),
    "pooled hexagonal": NetworkShape(1, 5, 5, HEXAGON, actions=5, channels=7, blocks=2, taps=HEXAGONAL,
                                     pooled_blocks=(0, 1)),
    "no blocks": NetworkShape(1, 1, 1, actions=1, channels=1, blocks=0, policy_channels=1, value_channels=1,
                              value_units=1),
    "holes": NetworkShape(2, 4, 4, ((0, 0), (1, 2), (3, 3)), actions=3, channels=4, blocks=1),
    "one tap": NetworkShape(2, 3, 3, actions=9, channels=4, blocks=1, taps=((-1, 1),)),
    "more inputs than channels": NetworkShape(40, 2, 2, actions=4, channels=2, blocks=1),
    "wide tower": NetworkShape(2, 6, 7, actions=7, channels=64, blocks=2),
}  # fmt: skip
"""Shapes whose numbers of channels, units and actions are multiples of 16, and others."""


def random_tensors(shape: NetworkShape, seed: int) -> dict[str, Floats]:
    generator = np.random.default_rng(seed)
    return {
        name: (generator.standard_normal(size) / np.sqrt(np.prod(size[1:]))).astype(np.float32)
        for name, size in shape.tensors.items()
    }


def random_observations(shape: NetworkShape, count: int) -> npt.NDArray[np.int8]:
    generator = np.random.default_rng(1)
    planes = generator.integers(-1, 3, (count, shape.planes, shape.rows, shape.columns), dtype=np.int8)
    rows, columns = np.array(shape.board).T
    mask = np.zeros((shape.rows, shape.columns), dtype=np.int8)
    mask[rows, columns] = 1
    return planes * mask


class Reference:
    """The same network on padded planes in double precision, one position after the other."""

    def __init__(self, shape: NetworkShape, tensors: dict[str, Floats]) -> None:
        self.shape, self.tensors = shape, {name: one.astype(np.float64) for name, one in tensors.items()}
        self.mask = np.zeros((shape.rows, shape.columns))
        for place in shape.board:
            self.mask[place] = 1.0

    def convolution(self, x: Doubles, name: str) -> Doubles:
        rows, columns = self.shape.rows, self.shape.columns
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
        weight = self.tensors[f"{name}.weight"]
        y = np.zeros((len(weight), rows, columns))
        for tap, (down, right) in enumerate(self.shape.taps):
            seen = padded[:, 1 + down : 1 + down + rows, 1 + right : 1 + right + columns]
            y += np.tensordot(weight[:, :, tap], seen, 1)
        return y + self.tensors[f"{name}.bias"][:, None, None]

    def linear(self, x: Doubles, name: str) -> Doubles:
        weight = self.tensors[f"{name}.weight"].reshape(len(self.tensors[f"{name}.bias"]), -1)
        return weight @ x.ravel() + self.tensors[f"{name}.bias"]

    def on_board(self, x: Doubles) -> Doubles:
        return np.maximum(x, 0.0) * self.mask

    def head(self, x: Doubles, name: str) -> Doubles:
        y = np.tensordot(self.tensors[f"{name}.convolution.weight"], x, 1)
        y = np.maximum(y + self.tensors[f"{name}.convolution.bias"][:, None, None], 0.0)
        return y[:, self.mask > 0]

    def evaluate(self, planes: npt.NDArray[np.int8], legal: npt.NDArray[np.bool_]) -> tuple[Doubles, float]:
        x = self.on_board(self.convolution(planes.astype(np.float64), "input"))
        for block in range(self.shape.blocks):
            y = self.convolution(x, f"blocks.{block}.first")
            if block in self.shape.pooled_blocks:
                on_board = y[:, self.mask > 0]
                pooled = np.concatenate([on_board.mean(axis=1), on_board.max(axis=1)])
                y += self.linear(pooled, f"blocks.{block}.pool")[:, None, None]
            x = self.on_board(x + self.convolution(self.on_board(y), f"blocks.{block}.second"))
        shares = np.exp(self.linear(self.head(x, "policy"), "policy.output")) * legal
        hidden = np.maximum(self.linear(self.head(x, "value"), "value.hidden"), 0.0)
        win, draw, loss = np.exp(self.linear(hidden, "value.output"))
        return shares / max(shares.sum(), 1e-300), (win - loss) / (win + draw + loss)


@pytest.mark.plain
@pytest.mark.parametrize("name", [name for name in SHAPES if name != "wide tower"])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_network_computes_what_the_reference_computes(name: str, count: int) -> None:
    check_against_reference(SHAPES[name], count)


def test_wide_network_computes_what_the_reference_computes() -> None:
    check_against_reference(SHAPES["wide tower"], 40)


def check_against_reference(shape: NetworkShape, count: int) -> None:
    tensors, observations = random_tensors(shape, seed=2), random_observations(shape, count)
    legal = np.random.default_rng(3).random((count, shape.actions)) < 0.6
    policies, values = prepare(shape, tensors).evaluate(observations, legal)
    reference = Reference(shape, tensors)
    for index in range(count):
        policy, value = reference.evaluate(observations[index], legal[index])
        assert np.abs(policies[index] - policy).max() < 1e-5
        assert abs(values[index] - value) < 1e-5


@pytest.mark.parametrize("name", SHAPES)
def test_numbers_of_a_position_do_not_depend_on_its_batch(name: str) -> None:
    shape, count = SHAPES[name], 256
    prepared, observations = prepare(shape, random_tensors(shape, seed=4)), random_observations(shape, count)
    policies, values = prepared.evaluate(observations)
    for size in (1, 2, 7):
        for first in range(0, count, size):
            part = slice(first, first + size)
            some_policies, some_values = prepared.evaluate(observations[part])
            assert np.array_equal(some_policies, policies[part])
            assert np.array_equal(some_values, values[part])


@pytest.mark.plain
def test_illegal_actions_have_no_probability_and_legal_ones_the_sum_one() -> None:
    shape = SHAPES["square"]
    legal = np.array([[True, False, True, False], [False, False, False, True], [False] * 4])
    policies, _ = prepare(shape, random_tensors(shape, seed=5)).evaluate(random_observations(shape, 3), legal)
    assert (policies[~legal] == 0.0).all()
    assert policies.sum(axis=1) == pytest.approx([1.0, 1.0, 0.0])


def test_batch_may_be_empty() -> None:
    shape = SHAPES["square"]
    policies, values = prepare(shape, random_tensors(shape, seed=5)).evaluate(random_observations(shape, 0))
    assert (policies.shape, values.shape) == ((0, 4), (0,))


def test_observations_need_not_be_contiguous_or_writable() -> None:
    game = boardgames.load("connect4")
    network = Network.random(game, NetworkShape.of(game, channels=4, blocks=1, taps=SQUARE), seed=1)
    planes = random_observations(network.shape, 6)
    expected, _ = network.evaluate(planes[::2].copy())
    planes.flags.writeable = False
    assert np.array_equal(network.evaluate(planes[::2])[0], expected)


WRONG: dict[str, tuple[Any, Any, str]] = {
    "type": (np.zeros((1, 2, 3, 4), np.float32), None, r"int8 arrays of shape \(2, 3, 4\), not float32"),
    "planes": (np.zeros((1, 3, 3, 4), np.int8), None, r"of shape \(2, 3, 4\), not int8 of shape \(3, 3, 4\)"),
    "no batch": (np.zeros((2, 3, 4), np.int8), None, "observations must be int8 arrays"),
    "masks": (np.zeros((1, 2, 3, 4), np.int8), np.ones((1, 5), bool), r"masks must be .* shape \(1, 4\)"),
    "mask numbers": (np.zeros((1, 2, 3, 4), np.int8), np.ones((1, 4)), "masks must be .* not float64"),
}


@pytest.mark.parametrize(("observations", "masks", "message"), WRONG.values(), ids=WRONG)
def test_wrong_arrays_are_refused(observations: Any, masks: Any, message: str) -> None:
    shape = SHAPES["square"]
    with pytest.raises(WeightsError, match=message):
        prepare(shape, random_tensors(shape, seed=5)).evaluate(observations, masks)


def test_network_that_overflows_is_refused() -> None:
    shape = SHAPES["square"]
    tensors = {name: np.full_like(one, 3e38) for name, one in random_tensors(shape, seed=1).items()}
    with pytest.raises(WeightsError, match="numbers that are not finite"):
        prepare(shape, tensors).evaluate(np.ones((1, 2, 3, 4), np.int8))
