"""Preparation of networks for the kernels: the order of the places, the layers, and the packed weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boardgames.errors import WeightsError
from boardgames.kernels import Actions
from boardgames.kernels.abi import Floats
from boardgames.kernels.bundles import Bundle
from boardgames.networks.inference import (
    GROUP,
    LAYER_DTYPE,
    PART,
    POOL,
    PRODUCT,
    SIZES_DTYPE,
    SPREAD,
    Program,
    finish,
    infer,
)
from boardgames.networks.panels import ENTRY, LANES, PANELS, ROWS
from boardgames.networks.shape import NetworkShape


@dataclass(frozen=True, slots=True)
class Prepared:
    """A network whose weights are packed for the kernels.

    Attributes
    ----------
    shape : NetworkShape
        The shape of the network.
    bundle : Bundle
        A `Program`, for `infer`.
    numbers, entries : int
        Sizes of the memory that `infer` needs, `float32[numbers]` and `int64[entries]`.
    """

    shape: NetworkShape
    bundle: Bundle
    numbers: int
    entries: int

    def evaluate(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Floats, Floats]:
        """Return policies and values; see `Network.evaluate`."""
        shape, observations = self.shape, np.asarray(observations)
        wanted = (shape.planes, shape.rows, shape.columns)
        if observations.dtype != np.int8 or observations.ndim != 4 or observations.shape[1:] != wanted:
            raise WeightsError(
                f"observations must be int8 arrays of shape {wanted}, not {observations.dtype} of shape "
                f"{observations.shape[1:]}"
            )
        count = len(observations)
        legal = np.zeros(0, dtype=np.int8)
        if masks is not None:
            masks = np.asarray(masks)
            if masks.shape != (count, shape.actions) or masks.dtype.itemsize != 1:
                raise WeightsError(
                    f"masks must be boolean arrays of shape {(count, shape.actions)}, not {masks.dtype} of "
                    f"shape {masks.shape}"
                )
            legal = np.ascontiguousarray(masks).view(np.int8).reshape(-1)
        policies = np.empty((count, shape.actions), dtype=np.float32)
        outcomes, values = np.empty((count, 3), dtype=np.float32), np.empty(count, dtype=np.float32)
        infer(
            self.bundle.words, aligned(self.numbers), np.empty(self.entries, dtype=np.int64),
            np.ascontiguousarray(observations).reshape(-1), policies, outcomes,
        )  # fmt: skip
        if not finish(policies, outcomes, legal, values):
            raise WeightsError("the network is not usable: it computes numbers that are not finite")
        return policies, values


def prepare(shape: NetworkShape, tensors: Mapping[str, Floats]) -> Prepared:
    """Pack the tensors of a network for the kernels."""
    return _Maker(shape, tensors).prepared()


def aligned(size: int) -> Floats:
    """Return uninitialised memory, `float32[size]`, that begins at a cache line."""
    whole = np.empty(size + LANES, dtype=np.float32)
    skipped = -whole.ctypes.data % (whole.itemsize * LANES) // whole.itemsize
    return whole[skipped : skipped + size]


class _Buffer(NamedTuple):
    """Rows in memory: where the first row begins, and the distance from one row to the next."""

    start: int
    stride: int


class _Maker:
    """Makes the program of a network, layer by layer."""

    def __init__(self, shape: NetworkShape, tensors: Mapping[str, Floats]) -> None:
        self._shape, self._tensors = shape, tensors
        places = {place: index for index, place in enumerate(shape.board)}
        seen = np.array(
            [[places.get((row + down, column + right), -1) for down, right in shape.taps]
             for row, column in shape.board]
        )  # fmt: skip
        # places with the same taps are neighbours, so that blocks of rows have few taps off the board
        self._order = np.lexsort((seen >= 0).T)
        self._neighbours = np.append(np.argsort(self._order), -1)[seen[self._order]]
        rows, columns = np.array(shape.board)[self._order].T
        self._tables: list[Actions] = [rows * shape.columns + columns]
        self._layers: list[dict[str, int]] = []
        self._weights: list[Floats] = []
        self._zeros = _padded(max(shape.planes, 2 * shape.channels, shape.value_units))
        self._numbers, self._entries = self._zeros, 0

    def prepared(self) -> Prepared:
        """Return the program of all layers."""
        shape, cells, channels = self._shape, self._shape.cells, _padded(self._shape.channels)
        tower, inner = self._buffer(cells, channels), self._buffer(cells, channels)
        heads = self._buffer(cells, _padded(shape.policy_channels + shape.value_channels))
        mean = self._buffer(1, 2 * channels)
        added, policy, hidden, value = (
            self._buffer(1, _padded(size, PANELS * LANES))
            for size in (channels, shape.actions, shape.value_units, 3)
        )
        planes = self._buffer(cells, shape.planes)
        alone, board = np.zeros((1, 1), dtype=np.int64), np.arange(cells)[None]
        self._product("input", planes, tower, self._neighbours)
        for block in range(shape.blocks):
            name, is_pooled = f"blocks.{block}", block in shape.pooled_blocks
            self._product(f"{name}.first", tower, inner, self._neighbours, is_rectified=not is_pooled)
            if is_pooled:
                self._layer(POOL, inner, mean, places=cells, channels=shape.channels)
                self._product(f"{name}.pool", mean, added, alone, is_rectified=False)
                self._layer(SPREAD, added, inner, places=cells, channels=shape.channels)
            self._product(f"{name}.second", inner, tower, self._neighbours, is_added=True)
        self._heads(tower, heads)
        of_policy = self._product("policy.output", heads, policy, board, is_rectified=False)
        values = _Buffer(heads.start + shape.policy_channels, heads.stride)
        self._product("value.hidden", values, hidden, board)
        of_value = self._product("value.output", hidden, value, alone, is_rectified=False)
        sizes = (shape.planes * shape.rows * shape.columns, shape.planes, cells, shape.actions, self._zeros,
                 of_policy, of_value)  # fmt: skip
        layers = np.array([tuple(layer[name] for name in LAYER_DTYPE.names or ()) for layer in self._layers],
                          dtype=LAYER_DTYPE)  # fmt: skip
        weights = aligned(sum(map(len, self._weights)))
        np.concatenate(self._weights, out=weights)
        program = Program(
            np.array([sizes], dtype=SIZES_DTYPE).view(np.recarray), layers.view(np.recarray),
            np.concatenate(self._tables), weights,
        )  # fmt: skip
        return Prepared(shape, Bundle(program), self._numbers, self._entries)

    def _buffer(self, places: int, stride: int) -> _Buffer:
        """Return memory for the rows of `PART` positions, and for rows that are computed but not used."""
        buffer = _Buffer(self._numbers, stride)
        self._numbers += (places * PART + ROWS) * stride
        return buffer

    def _heads(self, tower: _Buffer, heads: _Buffer) -> None:
        """Add the convolutions of both heads as one layer."""
        weight, bias = (
            np.concatenate([self._tensors[f"{head}.convolution.{kind}"] for head in ("policy", "value")])
            for kind in ("weight", "bias")
        )
        self._weighted(weight[:, :, None], bias, tower, heads, np.arange(self._shape.cells)[:, None])

    def _product(
        self, name: str, source: _Buffer, target: _Buffer, taps: Actions, *,
        is_added: bool = False, is_rectified: bool = True,
    ) -> int:  # fmt: skip
        """Add a layer with the tensors of a name, and return its number."""
        bias = self._tensors[f"{name}.bias"]
        weight = self._tensors[f"{name}.weight"].reshape(len(bias), -1, taps.shape[1])
        if len(taps) == 1 and name in ("policy.output", "value.hidden"):
            weight = weight[:, :, self._order]  # the taps are the places of the board
        return self._weighted(
            weight, bias, source, target, taps, is_added=is_added, is_rectified=is_rectified
        )

    def _weighted(
        self, weight: Floats, bias: Floats, source: _Buffer, target: _Buffer, taps: Actions, *,
        is_added: bool = False, is_rectified: bool = True,
    ) -> int:  # fmt: skip
        """Add a layer that multiplies the channels at the taps of each place by weights.

        Parameters
        ----------
        weight, bias : float32[out, in, taps], float32[out]
            Weights and biases.
        source, target : _Buffer
            The rows that are read, and the rows that are written.
        taps : int64[places, taps]
            For each place that is written, the places that are read, -1 off the board.
        is_added, is_rectified : bool
            Whether the old content of the target is added, and whether negative sums then become 0.
        """
        out, channels, count = weight.shape
        padded = np.zeros((target.stride, channels, count), dtype=np.float32)
        padded[:out] = weight
        panels = padded.reshape(-1, LANES, channels, count).transpose(0, 3, 2, 1)
        biases = np.zeros(target.stride, dtype=np.float32)
        biases[:out] = bias
        start, table = sum(map(len, self._weights)), sum(map(len, self._tables))
        self._weights += [panels.ravel(), biases]
        self._tables.append(taps.ravel())
        self._entries = max(self._entries, GROUP * count * ENTRY)
        return self._layer(
            PRODUCT, source, target, places=len(taps), channels=channels, taps=count, table=table,
            weights=start, bias=start + panels.size, panels=-(-out // LANES), is_added=int(is_added),
            is_rectified=int(is_rectified),
        )  # fmt: skip

    def _layer(self, kind: int, source: _Buffer, target: _Buffer, **others: int) -> int:
        """Add a layer and return its number."""
        layer = dict.fromkeys(LAYER_DTYPE.names or (), 0)
        layer.update(
            kind=kind, source=source.start, source_stride=source.stride, target=target.start,
            target_stride=target.stride, **others,
        )  # fmt: skip
        self._layers.append(layer)
        return len(self._layers) - 1


def _padded(size: int, multiple: int = LANES) -> int:
    return -(-size // multiple) * multiple
