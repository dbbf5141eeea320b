"""Networks in the style of AlphaZero: a residual tower with a policy head and a value head.

The tower works on the places of a board. For each place, a convolution combines the channels of
the places at a few offsets, the *taps*: the 3 x 3 places around it on a square board, the place and its
six neighbours on a hexagonal board. Places outside of the board count as 0. With `relu(x) = max(x, 0)`:

    x = relu(input(observation))
    for each block:  x = relu(x + second(relu(pooled(first(x)))))
    policy = output(relu(convolution(x)))
    value  = output(relu(hidden(relu(convolution(x)))))

The convolutions of the heads have a single tap. The policy has a logit for each action. The value has
logits for a win, a draw and a loss of the side to move. In most blocks, `pooled(x)` is `x`. The
blocks in `pooled_blocks` add to each channel a linear function of the mean and the maximum of every
channel over the board (of `x` before `relu`), so that a single block sees the whole board (D. Wu,
"Accelerating Self-Play Learning in Go", 2019, section 4.1).

There are no normalisation layers, since training folds them into the convolutions before them.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from os import PathLike, fspath
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from boardgames.errors import WeightsError, quote
from boardgames.game import Game, observation_of
from boardgames.kernels.abi import Floats
from boardgames.learner import STATE_PREFIX
from boardgames.networks.preparation import Prepared, prepare
from boardgames.networks.shape import NetworkShape
from boardgames.options import OptionValue
from boardgames.player import fingerprint_of
from boardgames.weights.files import Array, read_arrays, write_arrays
from boardgames.weights.lookup import find_source
from boardgames.weights.weights import NETWORK

SCHEMA = 1


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A network for a game with its options.

    Attributes
    ----------
    shape : NetworkShape
        The sizes of the tensors.
    game, layout : str
        Names of the game and of the layout from which the training matches began.
    options : mapping of str to option values
        All options of the game.
    planes : tuple of str
        Names of the planes of an observation.
    tensors : mapping of str to float32 arrays
        The tensors that `shape.tensors` lists; finite and read-only.
    provenance : mapping
        How the network was made, as JSON values: learner, settings, seed, metrics.

    Raises
    ------
    WeightsError
        If tensors are missing, unknown or of another shape, or a number is not finite.
    """

    shape: NetworkShape
    game: str
    layout: str
    options: Mapping[str, OptionValue]
    planes: tuple[str, ...]
    tensors: Mapping[str, Floats]
    provenance: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))  # JSON values
    kind: ClassVar[str] = NETWORK
    _prepared: list[Prepared] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.planes) != self.shape.planes:
            raise WeightsError(
                f"a network with {self.shape.planes} planes needs as many names, not {quote(self.planes)}"
            )
        expected = self.shape.tensors
        for name in self.tensors:
            if name not in expected:
                raise WeightsError(f"a network of this shape has no tensor {quote(name)}")
        kept = {}
        for name, shape in expected.items():
            if name not in self.tensors:
                raise WeightsError(f"the tensor {name!r} is missing")
            given = np.asarray(self.tensors[name])
            if given.shape != shape:
                raise WeightsError(f"the tensor {name!r} must have the shape {shape}, not {given.shape}")
            if given.dtype != np.float32:
                raise WeightsError(f"the tensor {name!r} must be float32, not {given.dtype}")
            if not np.isfinite(given).all():
                raise WeightsError(f"the tensor {name!r} has numbers that are not finite")
            kept[name] = np.array(given, order="C")
            kept[name].flags.writeable = False
        object.__setattr__(self, "tensors", MappingProxyType(kept))
        object.__setattr__(self, "options", MappingProxyType(dict(self.options)))

    @classmethod
    def of(
        cls,
        game: Game,
        shape: NetworkShape,
        tensors: Mapping[str, Floats],
        *,
        provenance: Mapping[str, Any] | None = None,  # JSON values
    ) -> "Network":
        """Return the network with these tensors for a game with its layout and options."""
        network = cls(
            shape, game.facts.name, game.layout, game.options, observation_of(game).planes, tensors,
            provenance or {},
        )  # fmt: skip
        network.check(game)
        return network

    @classmethod
    def random(cls, game: Game, shape: NetworkShape, *, seed: int) -> "Network":
        """Return a network with random weights and biases of 0, from which training can start.

        The weights in the last layers of both heads are scaled by 0.01, so that all moves are about
        equally likely at first.

        Examples
        --------
        >>> import boardgames
        >>> game = boardgames.load("connect4")
        >>> network = Network.random(game, NetworkShape.of(game, channels=8, blocks=1), seed=1)
        >>> policies, values = network.evaluate(game.start().observation()[None])
        >>> policies.shape, values.shape
        ((1, 7), (1,))
        """
        generator = np.random.default_rng(seed)
        tensors = {}
        for name, size in shape.tensors.items():
            scale = 0.01 if ".output." in name else 1.0
            deviation = scale * math.sqrt(2.0 / math.prod(size[1:])) if name.endswith("weight") else 0.0
            tensors[name] = (deviation * generator.standard_normal(size)).astype(np.float32)
        return cls.of(game, shape, tensors)

    @classmethod
    def read(cls, path: Path) -> "Network":
        """Return the network in a file, which may be the checkpoint of a run.

        Raises
        ------
        FileError, WeightsError
            If the file cannot be read or has no network.
        """
        return cls.from_arrays(*read_arrays(path), path)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], header: Mapping[str, Any], path: Path) -> "Network":
        """Return the network that the arrays and the header of a file describe."""
        if NETWORK not in header:
            raise WeightsError(f"{path} contains other weights, not a network")
        game, layout, planes = header.get("game"), header.get("layout"), header.get("planes")
        options, provenance = header.get("options"), header.get("provenance", {})
        sizes = header[NETWORK]
        is_known = (
            header.get("schema") == SCHEMA
            and isinstance(game, str)
            and isinstance(layout, str)
            and isinstance(options, dict)
            and isinstance(provenance, dict)
            and isinstance(planes, list)
            and all(isinstance(name, str) for name in planes)
            and isinstance(sizes, dict)
            and sizes.keys() == {one.name for one in fields(NetworkShape)}
        )
        if not is_known:
            raise WeightsError(f"{path} is not a network file of version {SCHEMA}")
        try:
            shape = NetworkShape(**sizes)
            own = {name: array for name, array in arrays.items() if not name.startswith(STATE_PREFIX)}
            return cls(shape, str(game), str(layout), options or {}, tuple(planes or ()), own, provenance)
        except WeightsError as error:
            raise WeightsError(f"cannot use the network in {path}: {error}") from None

    def describe(self) -> str:
        """Return the size of the network in words."""
        size = f"{self.shape.channels} channels x {self.shape.blocks} blocks"
        return f"a network of {size} with {self.shape.parameters:,} weights"

    def header(self) -> dict[str, Any]:
        """Return the header of the file as JSON values."""
        return {
            "schema": SCHEMA,
            NETWORK: asdict(self.shape),
            "game": self.game,
            "layout": self.layout,
            "options": dict(self.options),
            "planes": list(self.planes),
            "provenance": dict(self.provenance),
        }

    def write(self, path: Path) -> None:
        """Write the network to a file atomically; equal networks give equal bytes.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        write_arrays(path, self.tensors, self.header())

    def fingerprint(self) -> str:
        """Return a short hash of the network without its provenance."""
        facts = {**self.header(), "provenance": None}
        tensors = (tensor.tobytes() for _, tensor in sorted(self.tensors.items()))
        return fingerprint_of(repr(sorted(facts.items())).encode(), *tensors)

    def check(self, game: Game, *, any_layout: bool = False) -> None:
        """Raise WeightsError unless the network is for this game with its layout and options.

        Parameters
        ----------
        game : Game
            The game in which the network is to be used.
        any_layout : bool
            Whether the network may have learned from other start positions.
        """
        if self.game != game.facts.name:
            raise WeightsError(f"the network is for {quote(self.game)}, not for {game.facts.name}")
        defaults = {option.name: option.default for option in game.declared_options}
        for name in dict.fromkeys((*defaults, *self.options)):
            if name not in defaults:
                raise WeightsError(
                    f"the network is for an option {quote(name)}, which {game.facts.name} does not have"
                )
            learned, given = self.options.get(name, defaults[name]), game.options[name]
            if learned != given:
                raise WeightsError(f"the network is for {name}={quote(learned)}, not for {quote(given)}")
        seen = observation_of(game)
        if self.planes != seen.planes:
            raise WeightsError(
                f"the network sees the planes {quote(self.planes)}, but those of {game.facts.name} are "
                f"{quote(seen.planes)}"
            )
        shape, wanted = self.shape, NetworkShape.of(game)
        if (shape.rows, shape.columns) != (wanted.rows, wanted.columns):
            raise WeightsError(
                f"the network is for a board of {shape.rows} x {shape.columns} places, not of "
                f"{wanted.rows} x {wanted.columns}"
            )
        if shape.board != wanted.board:
            raise WeightsError("the network is for a board of another shape")
        if self.shape.actions != game.facts.actions:
            raise WeightsError(
                f"the network is for {self.shape.actions:,} actions, but {game.facts.name} has "
                f"{game.facts.actions:,}"
            )
        if self.layout != game.layout and not any_layout:
            raise WeightsError(
                f"the network is for the layout {quote(self.layout)}, not for {quote(game.layout)}"
            )

    def evaluate(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Floats, Floats]:
        """Return the probabilities of moves, and values for the side to move.

        The result for a position does not depend on the rest of the batch, bit for bit.

        Parameters
        ----------
        observations : int8[n, planes, rows, columns]
            Observations from the point of view of the side to move.
        masks : bool[n, actions], optional
            Which actions are legal; the others get the probability 0. By default, all actions are legal.

        Returns
        -------
        policies : float32[n, actions]
            Each row sums to 1, or to 0 if no action is legal.
        values : float32[n]
            Probability of a win minus the probability of a loss, -1 to 1.

        Raises
        ------
        WeightsError
            If an array has the wrong shape or type, or a result is not finite.
        """
        return self.prepared().evaluate(observations, masks)

    def prepared(self) -> Prepared:
        """Return the network in the form that the kernels read, which the first call prepares."""
        if not self._prepared:
            self._prepared.append(prepare(self.shape, self.tensors))
        return self._prepared[0]


def load_network(text: str | PathLike[str], game: Game, *, any_layout: bool = False) -> Network:
    """Find a network for a game by name or path, and return it.

    Parameters
    ----------
    text : str or path
        The name of weights that a plug-in offers for the game, the name of a run in the user's
        folder, the folder of a run, or a file.
    game : Game
        The game in which the network is to be used.
    any_layout : bool
        Whether the network may have learned from other start positions.

    Raises
    ------
    UnknownNameError
        If there is no network with that name; the message suggests similar names.
    WeightsError, FileError
        If the file cannot be read or has no network, or the network is for another game, layout,
        observation or other options.
    """
    source = find_source(fspath(text), game)
    network = Network.read(source.path)
    try:
        network.check(game, any_layout=any_layout)
    except WeightsError as error:
        named = quote(source.name) if source.name else f"in {source.path}"
        raise WeightsError(f"cannot use the network {named}: {error}") from None
    return network
