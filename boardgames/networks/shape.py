"""The shape of a network: the board that it sees, and the sizes of its tower and of every tensor."""

import math
from dataclasses import dataclass, field
from typing import Any

from boardgames.errors import WeightsError, quote
from boardgames.game import Game, observation_of
from boardgames.observation import SQUARE, Places

MAX_CELLS, MAX_PLANES, MAX_ACTIONS, MAX_TAPS, MAX_OFFSET = 4096, 256, 1 << 20, 25, 63
MAX_CHANNELS, MAX_BLOCKS, MAX_UNITS = 512, 100, 4096
MAX_PARAMETERS = 1 << 26
"""Maximum number of weights, which take 256 MiB."""


@dataclass(frozen=True, slots=True)
class NetworkShape:
    """The numbers from which the sizes of all tensors follow.

    Attributes
    ----------
    planes, rows, columns : int
        Size of an observation.
    places : tuple of (int, int)
        Row and column of each place on the board, row by row; empty if all places are on the board.
    actions : int
        Number of actions of the game.
    channels, blocks : int
        Width of the tower, and number of residual blocks, each with two convolutions.
    policy_channels, value_channels, value_units : int
        Channels of the heads' convolutions, and units of the value head's hidden layer.
    taps : tuple of (int, int)
        Offsets of the places that a convolution combines, as rows down and columns to the right; `SQUARE`
        or `HEXAGONAL`.
    pooled_blocks : tuple of int
        Indices of the blocks that see the mean and maximum of the whole board, in ascending order.

    Raises
    ------
    WeightsError
        If a number is out of range, places are outside of the planes, or there are too many weights.

    Examples
    --------
    >>> shape = NetworkShape(planes=2, rows=6, columns=7, actions=7, channels=32, blocks=3)
    >>> shape.cells, shape.parameters
    (42, 69866)
    >>> shape.tensors["blocks.0.first.weight"]
    (32, 32, 9)
    """

    planes: int
    rows: int
    columns: int
    places: Places = ()
    actions: int = field(kw_only=True)
    channels: int = field(default=64, kw_only=True)
    blocks: int = field(default=5, kw_only=True)
    policy_channels: int = field(default=8, kw_only=True)
    value_channels: int = field(default=8, kw_only=True)
    value_units: int = field(default=32, kw_only=True)
    taps: Places = field(default=SQUARE, kw_only=True)
    pooled_blocks: tuple[int, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        for name, low, high in (
            ("planes", 1, MAX_PLANES),
            ("rows", 1, MAX_CELLS),
            ("columns", 1, MAX_CELLS),
            ("actions", 1, MAX_ACTIONS),
            ("channels", 1, MAX_CHANNELS),
            ("blocks", 0, MAX_BLOCKS),
            ("policy_channels", 1, MAX_CHANNELS),
            ("value_channels", 1, MAX_CHANNELS),
            ("value_units", 1, MAX_UNITS),
        ):
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise WeightsError(
                    f"{name} of a network must be {low:,} to {high:,}, not {quote(getattr(self, name))}"
                )
        if self.rows * self.columns > MAX_CELLS:
            raise WeightsError(
                f"a network must have at most {MAX_CELLS:,} places, not {self.rows:,} x {self.columns:,}"
            )
        places = _pairs(self.places, "places", 0, MAX_CELLS - 1)
        if any(row >= self.rows or column >= self.columns for row, column in places):
            raise WeightsError(
                f"all places of a network must be within its {self.rows} rows and {self.columns} columns"
            )
        object.__setattr__(self, "places", () if len(places) == self.rows * self.columns else places)
        taps = _pairs(self.taps, "taps", -MAX_OFFSET, MAX_OFFSET)
        if not 1 <= len(taps) <= MAX_TAPS:
            raise WeightsError(f"a network must have 1 to {MAX_TAPS} taps, not {len(taps)}")
        object.__setattr__(self, "taps", taps)
        pooled = self.pooled_blocks
        numbers = range(self.blocks)
        if not isinstance(pooled, tuple | list) or not all(
            type(one) is int and one in numbers for one in pooled
        ):
            raise WeightsError(
                f"pooled blocks of a network must be 0 to {self.blocks - 1}, not {quote(pooled)}"
            )
        object.__setattr__(self, "pooled_blocks", tuple(sorted(set(pooled))))
        if self.parameters > MAX_PARAMETERS:
            raise WeightsError(
                f"a network must have at most {MAX_PARAMETERS:,} weights, not {self.parameters:,}"
            )

    @classmethod
    def of(cls, game: Game, **settings: Any) -> "NetworkShape":  # the other attributes
        """Return the shape of a network for the observations and actions of a game.

        Examples
        --------
        >>> import boardgames
        >>> shape = NetworkShape.of(boardgames.load("abalone"), channels=16, blocks=2)
        >>> shape.planes, shape.cells, len(shape.taps), shape.actions
        (4, 61, 7, 1098)
        """
        seen = observation_of(game)
        places = tuple(sorted(set(seen.places)))
        settings.setdefault("taps", seen.taps)
        return cls(*seen.shape, places, actions=game.facts.actions, **settings)

    @property
    def cells(self) -> int:
        """The number of places on the board."""
        return len(self.places) or self.rows * self.columns

    @property
    def board(self) -> Places:
        """Row and column of each place on the board, row by row."""
        return self.places or tuple(
            (row, column) for row in range(self.rows) for column in range(self.columns)
        )

    @property
    def tensors(self) -> dict[str, tuple[int, ...]]:
        """The shape of each tensor by its name. Weights have the axes [out, in, taps or places]."""
        channels, taps = self.channels, len(self.taps)
        shapes: dict[str, tuple[int, ...]] = {
            "input.weight": (channels, self.planes, taps),
            "input.bias": (channels,),
        }
        for block in range(self.blocks):
            for name in ("first", "second"):
                shapes[f"blocks.{block}.{name}.weight"] = (channels, channels, taps)
                shapes[f"blocks.{block}.{name}.bias"] = (channels,)
            if block in self.pooled_blocks:
                shapes[f"blocks.{block}.pool.weight"] = (channels, 2 * channels)
                shapes[f"blocks.{block}.pool.bias"] = (channels,)
        for head, width in (("policy", self.policy_channels), ("value", self.value_channels)):
            shapes[f"{head}.convolution.weight"] = (width, channels)
            shapes[f"{head}.convolution.bias"] = (width,)
        shapes["policy.output.weight"] = (self.actions, self.policy_channels, self.cells)
        shapes["policy.output.bias"] = (self.actions,)
        shapes["value.hidden.weight"] = (self.value_units, self.value_channels, self.cells)
        shapes["value.hidden.bias"] = (self.value_units,)
        shapes["value.output.weight"] = (3, self.value_units)
        shapes["value.output.bias"] = (3,)
        return shapes

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return sum(math.prod(shape) for shape in self.tensors.values())


def _pairs(given: object, name: str, low: int, high: int) -> Places:
    """Return pairs of integers in ascending order."""
    pairs = set()
    for one in given if isinstance(given, tuple | list) else (None,):
        is_pair = isinstance(one, tuple | list) and len(one) == 2
        if not is_pair or not all(type(number) is int and low <= number <= high for number in one):
            raise WeightsError(
                f"{name} of a network must be pairs of numbers from {low} to {high}, not {quote(given)}"
            )
        pairs.add((one[0], one[1]))
    return tuple(sorted(pairs))
