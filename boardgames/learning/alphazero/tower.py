"""The networks of `boardgames.networks` as PyTorch modules, for training (extra `neural`).

`Tower` computes the same as `Network.evaluate`, but on whole planes: its convolutions are square, 3 x 3
or larger, with unused taps set to 0, and places off the board are set to 0 before each convolution.
While the tower learns, each of its convolutions can be followed by batch normalisation. `export` folds
the normalisation into the weights, so that a `Network` needs none.

Source: S. Ioffe and C. Szegedy, "Batch normalization", 2015.
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from boardgames.errors import MissingExtraError, WeightsError
from boardgames.kernels.abi import Floats
from boardgames.networks import NetworkShape
from boardgames.observation import Places

try:
    import torch
    from torch import Tensor, nn
    from torch.nn import functional
except ImportError:
    raise MissingExtraError("neural", "training a network") from None

EPSILON = 1e-5
"""Added to variances, so that none is 0."""
MOMENTUM = 0.05
"""Weight of the latest batch in the running means and variances, which `export` uses."""
SMALL = 0.01
"""Factor of the initial weights in the last layers, so that all moves are about equally likely."""


class Board(NamedTuple):
    """The board and the taps, which all convolutions share.

    Attributes
    ----------
    mask : float32[rows, columns]
        1 for each place of the board.
    taps : tuple of (int, int)
        The places that a convolution combines, as steps down and to the right.
    """

    mask: Floats
    taps: Places


class Tower(nn.Module):
    """A residual tower with a policy head and a value head.

    Parameters
    ----------
    shape : NetworkShape
        The sizes of the network.
    scales : sequence of float
        Factors of the planes of an observation; `export` multiplies them into the first weights.
    normalised : bool
        Whether batch normalisation follows the convolutions of the tower.
    predicts_lead : bool
        Whether a third head predicts the final lead. It only helps the tower to learn: `export` leaves it
        out.
    seed : int
        Determines the initial weights.

    Examples
    --------
    >>> tower = Tower(NetworkShape(2, 3, 3, actions=9, channels=4, blocks=1), seed=1)
    >>> policy, value = tower(torch.zeros(5, 2, 3, 3))
    >>> tuple(policy.shape), tuple(value.shape)
    ((5, 9), (5, 3))
    >>> sorted(tower.export()) == sorted(tower.shape.tensors)
    True
    """

    scale: Tensor

    def __init__(
        self,
        shape: NetworkShape,
        *,
        scales: tuple[float, ...] = (),
        normalised: bool = True,
        predicts_lead: bool = False,
        seed: int,
    ) -> None:
        super().__init__()
        self.shape = shape
        generator = torch.Generator().manual_seed(seed % 2**63)
        mask = np.zeros((shape.rows, shape.columns), dtype=np.float32)
        mask[tuple(np.array(shape.board).T)] = 1
        board, channels = Board(mask, shape.taps), shape.channels
        scale = torch.tensor(scales or [1.0] * shape.planes)
        self.register_buffer("scale", scale[:, None, None], persistent=False)
        self.input = Convolution(shape.planes, channels, board, generator, normalised=normalised)
        self.blocks = nn.ModuleList(
            Block(
                channels,
                board,
                generator,
                normalised=normalised,
                pooled=number in shape.pooled_blocks,
                gain=1 / math.sqrt(shape.blocks),
            )
            for number in range(shape.blocks)
        )
        self.policy = PolicyHead(shape, board, generator)
        self.value = ValueHead(shape, board, generator)
        self.lead = ValueHead(shape, board, generator, outputs=1) if predicts_lead else None
        self._cells = np.flatnonzero(mask)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of actions, `float32[n, actions]`, and of win, draw and loss, `float32[n, 3]`.

        Parameters
        ----------
        planes : float32[n, planes, rows, columns]
            Observations from the point of view of the side to move.
        """
        x = self.trunk(planes)
        return self.policy(x), self.value(x)

    def trunk(self, planes: Tensor) -> Tensor:
        """Return the output of the tower, which the heads read, `float32[n, channels, rows, columns]`."""
        x: Tensor = functional.relu(self.input(planes * self.scale))
        for block in self.blocks:
            x = block(x)
        return x

    def export(self) -> dict[str, Floats]:
        """Return the tensors of a `Network` that computes the same, without normalisation."""
        tensors: dict[str, Tensor] = {}
        for name, convolution in self._convolutions():
            tensors[f"{name}.weight"], tensors[f"{name}.bias"] = convolution.folded()
        tensors["input.weight"] = tensors["input.weight"] * self.scale[:, :, 0]
        for name, layer in self._layers():
            weight = layer.weight
            if name in WHOLE_BOARD:
                channels = self.shape.tensors[f"{name}.weight"][1]
                weight = weight.reshape(len(weight), channels, -1)[:, :, self._cells]
            tensors[f"{name}.weight"], tensors[f"{name}.bias"] = weight, layer.bias
        return {
            name: np.array(tensors[name].detach().cpu().numpy(), dtype=np.float32, order="C")
            for name in self.shape.tensors
        }

    def restore(self, tensors: Mapping[str, Floats]) -> None:
        """Load the tensors of a network of the same shape.

        Raises
        ------
        WeightsError
            If a tensor is missing or of another shape.
        """
        for name, size in self.shape.tensors.items():
            if name not in tensors or tensors[name].shape != size:
                raise WeightsError(f"the tensor {name!r} must have the shape {size}")
        given = {name: torch.tensor(np.asarray(array, np.float32)) for name, array in tensors.items()}
        with torch.no_grad():
            given["input.weight"] = given["input.weight"] / self.scale[:, :, 0].cpu()
            for name, convolution in self._convolutions():
                convolution.unfold(given[f"{name}.weight"], given[f"{name}.bias"])
            for name, layer in self._layers():
                weight = given[f"{name}.weight"]
                if name in WHOLE_BOARD:
                    places = self.shape.rows * self.shape.columns
                    whole = torch.zeros(len(weight), weight.shape[1], places)
                    whole[:, :, self._cells] = weight
                    weight = whole.flatten(1)
                layer.weight.copy_(weight)
                layer.bias.copy_(given[f"{name}.bias"])

    def _convolutions(self) -> Iterator[tuple[str, "Convolution"]]:
        return ((name, one) for name, one in self.named_modules() if isinstance(one, Convolution))

    def _layers(self) -> Iterator[tuple[str, nn.Linear]]:
        """Yield the linear layers that are part of the network, which has no head for the lead."""
        for name, one in self.named_modules():
            if isinstance(one, nn.Linear) and f"{name}.weight" in self.shape.tensors:
                yield name, one


WHOLE_BOARD = frozenset({"policy.output", "value.hidden"})
"""The layers that see all places at once; in this module, including places off the board, which are 0."""


class Block(nn.Module):
    """A residual block of two convolutions, which may see the mean and maximum of the whole board."""

    mask: Tensor
    off_board: Tensor

    def __init__(
        self,
        channels: int,
        board: Board,
        generator: torch.Generator,
        *,
        normalised: bool,
        pooled: bool,
        gain: float,
    ) -> None:
        super().__init__()
        self.first = Convolution(channels, channels, board, generator, normalised=normalised)
        self.second = Convolution(channels, channels, board, generator, normalised=normalised, gain=gain)
        self.pool = _linear(2 * channels, channels, generator) if pooled else None
        self.cells = int(board.mask.sum())
        self.register_buffer("mask", torch.from_numpy(board.mask), persistent=False)
        off_board = np.where(board.mask > 0, 0, -np.inf).astype(np.float32)
        self.register_buffer("off_board", torch.from_numpy(off_board), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return the channels after the block."""
        y: Tensor = self.first(x)
        if self.pool is not None:
            mean = (y * self.mask).sum(dim=(2, 3)) / self.cells
            most = (y + self.off_board).amax(dim=(2, 3))
            y = y + self.pool(torch.cat([mean, most], dim=1))[:, :, None, None]
        return functional.relu(x + self.second(functional.relu(y)))


class Head(nn.Module):
    """Base class of the heads, which begin with a convolution that has a single tap."""

    mask: Tensor

    def __init__(self, channels: int, width: int, board: Board, generator: torch.Generator) -> None:
        super().__init__()
        self.convolution = _linear(channels, width, generator)
        self.register_buffer("mask", torch.from_numpy(board.mask), persistent=False)

    def seen(self, x: Tensor) -> Tensor:
        """Return the input of the head's other layers, `float32[n, width * rows * columns]`."""
        layer = self.convolution
        y = functional.relu(functional.conv2d(x, layer.weight[:, :, None, None], layer.bias))
        return (y * self.mask).flatten(1)


class PolicyHead(Head):
    """Computes a logit for each action."""

    def __init__(self, shape: NetworkShape, board: Board, generator: torch.Generator) -> None:
        width = shape.policy_channels
        super().__init__(shape.channels, width, board, generator)
        self.output = _linear(
            width * board.mask.size, shape.actions, generator, used=width * shape.cells, gain=SMALL
        )

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of actions."""
        logits: Tensor = self.output(self.seen(x))
        return logits


class ValueHead(Head):
    """Computes a few numbers for the whole board: the logits of win, draw and loss, or the lead."""

    def __init__(
        self, shape: NetworkShape, board: Board, generator: torch.Generator, *, outputs: int = 3
    ) -> None:
        width, units = shape.value_channels, shape.value_units
        super().__init__(shape.channels, width, board, generator)
        self.hidden = _linear(width * board.mask.size, units, generator, used=width * shape.cells)
        self.output = _linear(units, outputs, generator, gain=SMALL)

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs, `float32[n, outputs]`."""
        logits: Tensor = self.output(functional.relu(self.hidden(self.seen(x))))
        return logits


class Convolution(nn.Module):
    """A convolution with the taps of a network, and batch normalisation over the places of the board.

    Parameters
    ----------
    inputs, outputs : int
        Numbers of channels.
    board : Board
        The board and the taps.
    generator : torch.Generator
        Draws the weights.
    normalised : bool
        Whether to normalise batches.
    gain : float
        Factor of the initial weights or, with normalisation, the initial factor after it.
    """

    used: Tensor
    mask: Tensor
    mean: Tensor
    variance: Tensor

    def __init__(
        self,
        inputs: int,
        outputs: int,
        board: Board,
        generator: torch.Generator,
        *,
        normalised: bool,
        gain: float = 1.0,
    ) -> None:
        super().__init__()
        self.taps = board.taps
        self.reach = max(abs(step) for tap in board.taps for step in tap)
        side = 2 * self.reach + 1
        used = torch.zeros(side, side)
        for down, right in board.taps:
            used[down + self.reach, right + self.reach] = 1
        self.uses_all = bool(used.all())
        self.is_whole = bool(board.mask.all())
        self.cells = int(board.mask.sum())
        self.register_buffer("used", used, persistent=False)
        self.register_buffer("mask", torch.from_numpy(board.mask), persistent=False)
        deviation = math.sqrt(2 / (inputs * len(board.taps))) * (1.0 if normalised else gain)
        self.weight = nn.Parameter(
            deviation * torch.randn(outputs, inputs, side, side, generator=generator) * used
        )
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.gain = nn.Parameter(torch.full((outputs,), gain)) if normalised else None
        if normalised:
            self.register_buffer("mean", torch.zeros(outputs))
            self.register_buffer("variance", torch.ones(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Return the channels after the convolution; values off the board have no meaning."""
        x = x if self.is_whole else x * self.mask
        weight = self.weight if self.uses_all else self.weight * self.used
        if self.gain is None:
            return functional.conv2d(x, weight, self.bias, padding=self.reach)
        y = functional.conv2d(x, weight, padding=self.reach)
        if self.is_whole:
            return functional.batch_norm(
                y, self.mean, self.variance, self.gain, self.bias, self.training, MOMENTUM, EPSILON
            )
        mean, variance = self._moments(y) if self.training else (self.mean, self.variance)
        factor = self.gain * torch.rsqrt(variance + EPSILON)
        return y * factor[:, None, None] + (self.bias - mean * factor)[:, None, None]

    def folded(self) -> tuple[Tensor, Tensor]:
        """Return weights, `[out, in, taps]`, and biases that include the normalisation."""
        rows, columns = (torch.tensor(steps) + self.reach for steps in zip(*self.taps, strict=True))
        weight = self.weight[:, :, rows, columns]
        if self.gain is None:
            return weight, self.bias
        factor = self.gain * torch.rsqrt(self.variance + EPSILON)
        return weight * factor[:, None, None], self.bias - self.mean * factor

    def unfold(self, weight: Tensor, bias: Tensor) -> None:
        """Load weights and biases, and reset the normalisation so that at first it changes nothing."""
        rows, columns = (torch.tensor(steps) + self.reach for steps in zip(*self.taps, strict=True))
        self.weight.zero_()
        self.weight[:, :, rows, columns] = weight.to(self.weight.device)
        self.bias.copy_(bias)
        if self.gain is not None:
            self.mean.zero_()
            self.variance.fill_(1.0)
            self.gain.fill_(math.sqrt(1.0 + EPSILON))

    def _moments(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return the means and variances of a batch over the board, and update the running averages."""
        y, count = y * self.mask, len(y) * self.cells
        mean = y.sum(dim=(0, 2, 3)) / count
        variance = ((y * y).sum(dim=(0, 2, 3)) / count - mean * mean).clamp(min=0)
        with torch.no_grad():
            self.mean.lerp_(mean, MOMENTUM)
            self.variance.lerp_(variance, MOMENTUM)
        return mean, variance


def _linear(
    inputs: int,
    outputs: int,
    generator: torch.Generator,
    *,
    used: int | None = None,
    gain: float = 1.0,
) -> nn.Linear:
    """Return a linear layer with biases of 0 and random weights, which are scaled for `used` inputs."""
    layer = nn.Linear(inputs, outputs)
    with torch.no_grad():
        deviation = gain * math.sqrt(2 / (used or inputs))
        layer.weight.copy_(deviation * torch.randn(outputs, inputs, generator=generator))
        layer.bias.zero_()
    return layer
