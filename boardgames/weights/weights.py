"""Weights: one number for each feature, which learners produce and players use."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from boardgames.declarations import Evaluation, FeatureSet
from boardgames.errors import WeightsError, quote
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.player import fingerprint_of
from boardgames.weights.files import Array, read_arrays, write_arrays
from boardgames.weights.linear import linear_evaluation

SCHEMA = 1
VALUES = "weights"
"""Name of the array in a file; checkpoints have others as well."""
MAX_WEIGHT = 1e6


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The weights of a feature set, for features that are scaled to -1 to 1 by their ranges.

    They give the value of a position for the side that has just moved.

    Attributes
    ----------
    game, features : str
        Names of the game and of its feature set.
    ranges : str
        Hash of the names and ranges of the features, see `hash_ranges`; with other ranges the
        scale differs.
    values : float64[n]
        Read-only and finite.
    tanh : bool
        True if the value is the hyperbolic tangent of the weighted sum.
    provenance : mapping
        How the weights were made, as JSON values: learner, settings, seed,
        metrics.

    Raises
    ------
    WeightsError
        If the values are not one-dimensional, finite and at most `MAX_WEIGHT`.
    """

    game: str
    features: str
    ranges: str
    values: Reals
    tanh: bool = False
    provenance: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))  # JSON values

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        if values.ndim != 1 or not values.size:
            raise WeightsError(f"weights must be a list of numbers, not an array of shape {values.shape}")
        wrong = values[~(np.abs(values) <= MAX_WEIGHT)]  # this also finds NaN
        if wrong.size:
            raise WeightsError(f"weights must be {-MAX_WEIGHT:g} to {MAX_WEIGHT:g}, not {wrong[0]}")
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @classmethod
    def of(
        cls,
        game: Game,
        features: FeatureSet,
        values: Reals,
        *,
        tanh: bool = False,
        provenance: Mapping[str, Any] | None = None,  # JSON values
    ) -> "Weights":
        """Return the weights for a feature set of a game."""
        ranges = hash_ranges(features)
        return cls(game.facts.name, features.name, ranges, values, tanh, provenance or {})

    @classmethod
    def read(cls, path: Path) -> "Weights":
        """Return the weights in a file, which may be a checkpoint of a run.

        Raises
        ------
        FileError, WeightsError
            If the file cannot be read or has no weights.
        """
        return cls.from_arrays(*read_arrays(path), path)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], header: Mapping[str, Any], path: Path) -> "Weights":
        """Return the weights among the arrays of a file, given its header."""
        texts = [header.get(key) for key in ("game", "features", "ranges")]
        tanh, provenance = header.get("squashes"), header.get("provenance", {})
        values = arrays.get(VALUES)
        is_known = header.get("schema") == SCHEMA and isinstance(tanh, bool)
        if not (is_known and all(isinstance(text, str) for text in texts) and isinstance(provenance, dict)):
            raise WeightsError(f"{path} is not a file of weights of version {SCHEMA}")
        if values is None or values.dtype != np.float64:
            raise WeightsError(f"{path} is not a file of weights: it has no float64 array {VALUES!r}")
        try:
            game, features, ranges = map(str, texts)
            return cls(game, features, ranges, values, bool(tanh), provenance)
        except WeightsError as error:
            raise WeightsError(f"cannot use the weights in {path}: {error}") from None

    def header(self) -> dict[str, Any]:
        """Return the header of the file as JSON values."""
        return {
            "schema": SCHEMA,
            "game": self.game,
            "features": self.features,
            "ranges": self.ranges,
            "squashes": self.tanh,
            "provenance": dict(self.provenance),
        }

    def write(self, path: Path) -> None:
        """Write the weights to a file atomically; equal weights give equal bytes.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        write_arrays(path, {VALUES: self.values}, self.header())

    def fingerprint(self) -> str:
        """Return a short hash of everything but the provenance."""
        kind = b"tanh" if self.tanh else b"sum"
        return fingerprint_of(self.features.encode(), self.ranges.encode(), kind, self.values.tobytes())

    def evaluation(self, game: Game, features: FeatureSet) -> Evaluation:
        """Return an evaluation for search that uses these weights.

        Raises
        ------
        WeightsError
            If the weights are for another game or other features.
        """
        self.check(game, features)
        return linear_evaluation(game, features, self.values, tanh=self.tanh)

    def check(self, game: Game, features: FeatureSet) -> None:
        """Raise WeightsError unless the weights are for this game and these features."""
        if self.game != game.facts.name:
            raise WeightsError(f"the weights are for {quote(self.game)}, not for {game.facts.name}")
        if self.features != features.name:
            raise WeightsError(
                f"the weights are for features {quote(self.features)}, not for {features.name!r}"
            )
        if self.ranges != hash_ranges(features):
            raise WeightsError(
                f"the weights are for features {features.name!r} with other ranges, for example of a board "
                "of another size"
            )
        if len(self.values) != len(features.features):
            raise WeightsError(
                f"features {features.name!r} need {len(features.features)} weights, not {len(self.values)}"
            )


def hash_ranges(features: FeatureSet) -> str:
    """Return a short hash of the names and ranges of features, in order."""
    lines = [f"{feature.name} {feature.low!r} {feature.high!r}" for feature in features.features]
    return fingerprint_of("\n".join(lines).encode())
