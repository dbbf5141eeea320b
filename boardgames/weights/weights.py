"""Weights: what learners find and players play with, one number a feature, on disk and in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from boardgames.declarations import Evaluation, FeatureSet
from boardgames.errors import WeightsError, shown
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.player import fingerprint_of
from boardgames.weights.files import Array, read_arrays, write_arrays
from boardgames.weights.linear import linear_evaluation

SCHEMA = 1
VALUES = "weights"
"""Name of the array in a file; checkpoints have others beside it."""
LARGEST_WEIGHT = 1e6


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """One number for each feature of a set, on the scale where the features' ranges are -1 to 1.

    They say what a position is worth to the side that has just moved.

    Attributes
    ----------
    game, features : str
        Names of the game and of its feature set.
    ranges : str
        Hash of names and ranges of the features, `ranges_of`; other ranges, other scale.
    values : float64[n]
        Read-only and finite.
    squashes : bool
        The value is the hyperbolic tangent of the weighted sum.
    provenance : mapping
        What made them: learner, settings, seed, figures; JSON values.

    Raises
    ------
    WeightsError
        If the values are no numbers in a row, or one is not finite or huge.
    """

    game: str
    features: str
    ranges: str
    values: Reals
    squashes: bool = False
    provenance: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))  # JSON values

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        if values.ndim != 1 or not values.size:
            raise WeightsError(f"expected weights in a row: an array of shape {shown(values.shape)}")
        wrong = values[~(np.abs(values) <= LARGEST_WEIGHT)]  # so that what is no number is wrong too
        if wrong.size:
            raise WeightsError(f"expected weights from {-LARGEST_WEIGHT:g} to {LARGEST_WEIGHT:g}: {wrong[0]}")
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @classmethod
    def of(
        cls,
        game: Game,
        features: FeatureSet,
        values: Reals,
        *,
        squashes: bool = False,
        provenance: Mapping[str, Any] | None = None,  # JSON values
    ) -> "Weights":
        """Return weights for a game's feature set."""
        name, ranges = game.facts.name, ranges_of(features)
        return cls(name, features.name, ranges, values, squashes, provenance or {})

    @classmethod
    def read(cls, path: Path) -> "Weights":
        """Return the weights of a file, a checkpoint of a run say.

        Raises
        ------
        FileError, WeightsError
            If the file cannot be read or holds no weights.
        """
        return cls.of_file(*read_arrays(path), path)

    @classmethod
    def of_file(cls, arrays: Mapping[str, Array], header: Mapping[str, Any], path: Path) -> "Weights":
        """Return the weights among the arrays of a file that has been read."""
        texts = [header.get(key) for key in ("game", "features", "ranges")]
        squashes, provenance = header.get("squashes"), header.get("provenance", {})
        values = arrays.get(VALUES)
        is_known = header.get("schema") == SCHEMA and isinstance(squashes, bool)
        if not (is_known and all(isinstance(text, str) for text in texts) and isinstance(provenance, dict)):
            raise WeightsError(f"expected a file of weights of version {SCHEMA}: {path}")
        if values is None or values.dtype != np.float64:
            raise WeightsError(f"expected an array {VALUES!r} of float64: {path}")
        try:
            game, features, ranges = map(str, texts)
            return cls(game, features, ranges, values, bool(squashes), provenance)
        except WeightsError as error:
            raise WeightsError(f"{error} in {path}") from None

    def header(self) -> dict[str, Any]:
        """Return what a file says of them besides the values, JSON values."""
        return {
            "schema": SCHEMA,
            "game": self.game,
            "features": self.features,
            "ranges": self.ranges,
            "squashes": self.squashes,
            "provenance": dict(self.provenance),
        }

    def write(self, path: Path) -> None:
        """Write them, atomically; equal weights give equal bytes.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        write_arrays(path, {VALUES: self.values}, self.header())

    def fingerprint(self) -> str:
        """Return a short hash of what is played with."""
        kind = b"tanh" if self.squashes else b"sum"
        return fingerprint_of(self.features.encode(), self.ranges.encode(), kind, self.values.tobytes())

    def evaluation(self, game: Game, features: FeatureSet) -> Evaluation:
        """Return them as an evaluation for search.

        Raises
        ------
        WeightsError
            If they are for another game or other features.
        """
        self.check(game, features)
        return linear_evaluation(game, features, self.values, squashes=self.squashes)

    def check(self, game: Game, features: FeatureSet) -> None:
        """Raise WeightsError unless they are for this game and these features."""
        if self.game != game.facts.name:
            raise WeightsError(f"expected weights of {game.facts.name}: they are of {shown(self.game)}")
        if self.features != features.name:
            raise WeightsError(
                f"expected weights of features {features.name!r}: they are of {shown(self.features)}"
            )
        if self.ranges != ranges_of(features):
            raise WeightsError(
                f"expected weights of features {features.name!r} with the ranges that they have with these "
                "options of the game: theirs are others, of another size of board say"
            )
        if len(self.values) != len(features.features):
            raise WeightsError(f"expected {len(features.features)} weights: {len(self.values)} came")


def ranges_of(features: FeatureSet) -> str:
    """Return a short hash of names and ranges of features, in order."""
    told = [f"{feature.name} {feature.low!r} {feature.high!r}" for feature in features.features]
    return fingerprint_of("\n".join(told).encode())
