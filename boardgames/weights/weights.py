"""Weights of features or of patterns, which learners produce and players use.

Features have one weight each. Patterns have tables with a place for each combination of
values, most of which never occur: only weights that are not 0 are kept. They are rounded to
multiples of a power of two, so that each takes two bytes in a file, and one byte says how
far it is from the one before.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from boardgames.declarations import Evaluation, FeatureSet
from boardgames.errors import PluginError, WeightsError, quote
from boardgames.game import Game
from boardgames.kernels import Actions, Reals
from boardgames.options import is_finite
from boardgames.patterns import PatternSet
from boardgames.player import fingerprint_of
from boardgames.weights.files import Array, read_arrays, write_arrays
from boardgames.weights.linear import linear_evaluation
from boardgames.weights.tables import table_evaluation

SCHEMA = 1
VALUES = "weights"
"""Name of the array in a file; checkpoints have others as well."""
GAPS = "gaps"
"""Name of the array with the distances between the places of the weights of patterns."""
MAX_WEIGHT = 1e6
SMALLEST_WEIGHT = 1e-100
"""The steps of weights of patterns are not smaller than those for this weight, so they are never 0."""
MAX_GAP = np.iinfo(np.uint8).max
"""Largest distance in a file; a longer one is bridged by weights of 0."""
STEPS = 1 << 15
"""Weights of patterns are rounded to multiples of a step, and the largest is less than this many steps."""


def _no_entries() -> Actions:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The weights of a feature set, for features scaled to -1 to 1 by their ranges, or of a pattern set.

    They give the value of a position for the side that has just moved.

    Attributes
    ----------
    game, features : str
        Names of the game and of its feature set or pattern set.
    ranges : str
        Hash of what the set declares, see `hash_ranges`; with other ranges the scale differs.
    values : float64[n]
        Read-only and finite.
    tanh : bool
        True if the value is the hyperbolic tangent of the weighted sum.
    provenance : mapping
        How the weights were made, as JSON values: learner, settings, seed,
        metrics.
    groups : tuple of tuple of int
        The groups of cells that the patterns look up; empty for weights of features.
    entries : int64[n]
        For patterns, the places of the weights in the tables, in ascending order. Read-only.

    Raises
    ------
    WeightsError
        If the values are not one-dimensional, finite and at most `MAX_WEIGHT`, or if the entries of
        patterns are not as many, or not in ascending order.
    """

    game: str
    features: str
    ranges: str
    values: Reals
    tanh: bool = False
    provenance: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))  # JSON values
    groups: tuple[tuple[int, ...], ...] = ()
    entries: Actions = field(default_factory=_no_entries)

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        if values.ndim != 1 or not (values.size or self.groups):
            raise WeightsError(f"weights must be a list of numbers, not an array of shape {values.shape}")
        wrong = values[~(np.abs(values) <= MAX_WEIGHT)]  # this also finds NaN
        if wrong.size:
            raise WeightsError(f"weights must be {-MAX_WEIGHT:g} to {MAX_WEIGHT:g}, not {wrong[0]}")
        values.flags.writeable = False
        object.__setattr__(self, "values", values)
        entries = np.array(self.entries, dtype=np.int64)
        if self.groups and (entries.shape != values.shape or not (np.diff(entries, prepend=-1) > 0).all()):
            raise WeightsError("weights of patterns need one place each, in ascending order")
        entries.flags.writeable = False
        object.__setattr__(self, "entries", entries)

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
    def of_patterns(
        cls, game: Game, patterns: PatternSet, entries: Actions, values: Reals, *, tanh: bool = False
    ) -> "Weights":
        """Return weights at places in the tables of a pattern set, rounded as in a file.

        Parameters
        ----------
        patterns : PatternSet
            With the groups whose tables these are.
        entries, values : int64[n], float64[n]
            Places in ascending order, and the weights at these places.

        Raises
        ------
        WeightsError
            If a weight is not finite or larger than `MAX_WEIGHT`, or the places are not ascending.

        Examples
        --------
        >>> import boardgames
        >>> game = boardgames.load("connect4")
        >>> middle = boardgames.load_patterns("cells", game).grouped([(18,)])
        >>> weights = Weights.of_patterns(game, middle, np.array([1, 2, 6]), np.array([0.5, 1e-9, 0.25]))
        >>> weights.entries.tolist(), weights.values.tolist()
        ([1, 6], [0.5, 0.25])
        """
        if not np.isfinite(values).all():
            raise WeightsError("weights must be finite")
        step = _step_of(values)
        rounded = np.clip(np.rint(values / step), 1 - STEPS, STEPS - 1) * step
        kept = rounded != 0.0
        ranges = hash_ranges(patterns)
        return cls(
            game.facts.name, patterns.name, ranges, rounded[kept], tanh, {}, patterns.groups, entries[kept]
        )

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
        groups = _groups_in(header)
        is_known = header.get("schema") == SCHEMA and isinstance(tanh, bool) and groups is not None
        if not (is_known and all(isinstance(text, str) for text in texts) and isinstance(provenance, dict)):
            raise WeightsError(f"{path} is not a file of weights of version {SCHEMA}")
        entries = _no_entries()
        if groups:
            values, entries = _unpacked(arrays, header, path)
        elif values is None or values.dtype != np.float64:
            raise WeightsError(f"{path} is not a file of weights: it has no float64 array {VALUES!r}")
        try:
            game, features, ranges = map(str, texts)
            return cls(game, features, ranges, values, bool(tanh), provenance, groups or (), entries)
        except WeightsError as error:
            raise WeightsError(f"cannot use the weights in {path}: {error}") from None

    def arrays(self) -> dict[str, Array]:
        """Return the arrays of the file."""
        if not self.groups:
            return {VALUES: self.values}
        gaps = np.diff(self.entries, prepend=-1)
        fillers = (gaps - 1) // MAX_GAP  # weights of 0 that bridge long gaps
        places = np.arange(len(gaps)) + np.cumsum(fillers)
        count = len(gaps) + int(fillers.sum())
        packed, steps = np.full(count, MAX_GAP, dtype=np.uint8), np.zeros(count, dtype=np.int16)
        packed[places] = gaps - MAX_GAP * fillers
        steps[places] = self.values / _step_of(self.values)
        return {VALUES: steps, GAPS: packed}

    def header(self) -> dict[str, Any]:
        """Return the header of the file as JSON values."""
        patterns = {"groups": [list(group) for group in self.groups], "resolution": _step_of(self.values)}
        return {
            **(patterns if self.groups else {}),
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
        write_arrays(path, self.arrays(), self.header())

    def fingerprint(self) -> str:
        """Return a short hash of everything but the provenance."""
        kind = b"tanh" if self.tanh else b"sum"
        parts = (self.features.encode(), self.ranges.encode(), kind, self.values.tobytes())
        patterns = (repr(self.groups).encode(), self.entries.tobytes()) if self.groups else ()
        return fingerprint_of(*parts, *patterns)

    def evaluation(self, game: Game, features: FeatureSet | PatternSet) -> Evaluation:
        """Return an evaluation for search that uses these weights.

        Raises
        ------
        WeightsError
            If the weights are for another game or other features.
        """
        self.check(game, features)
        if isinstance(features, PatternSet):
            grouped = features.grouped(self.groups)
            return table_evaluation(game, grouped, self.entries, self.values, tanh=self.tanh)
        return linear_evaluation(game, features, self.values, tanh=self.tanh)

    def check(self, game: Game, features: FeatureSet | PatternSet) -> None:
        """Raise WeightsError unless the weights are for this game and these features or patterns."""
        if self.game != game.facts.name:
            raise WeightsError(f"the weights are for {quote(self.game)}, not for {game.facts.name}")
        kind = "patterns" if isinstance(features, PatternSet) else "features"
        if self.features != features.name:
            raise WeightsError(
                f"the weights are for {kind} {quote(self.features)}, not for {features.name!r}"
            )
        if self.ranges != hash_ranges(features):
            content = "cells" if isinstance(features, PatternSet) else "ranges"
            raise WeightsError(
                f"the weights are for {kind} {features.name!r} with other {content}, for example of a board "
                "of another size"
            )
        if isinstance(features, PatternSet):
            try:
                size = features.grouped(self.groups).size
            except PluginError as error:
                raise WeightsError(str(error)) from None
            if self.entries.size and self.entries[-1] >= size:
                raise WeightsError(
                    f"the tables have {size:,} places, but a weight is for {self.entries[-1]:,}"
                )
        elif len(self.values) != len(features.features):
            raise WeightsError(
                f"features {features.name!r} need {len(features.features)} weights, not {len(self.values)}"
            )


def hash_ranges(features: FeatureSet | PatternSet) -> str:
    """Return a short hash of the names and ranges of features, in order, or of a set's cells and phases."""
    if isinstance(features, PatternSet):
        counts = f"{features.cells} {features.values} {features.phases}"
        return fingerprint_of(counts.encode(), repr(features.symmetries).encode())
    lines = [f"{feature.name} {feature.low!r} {feature.high!r}" for feature in features.features]
    return fingerprint_of("\n".join(lines).encode())


def _step_of(values: Reals) -> float:
    """Return the power of two to whose multiples these weights of patterns are rounded."""
    largest = max(float(np.abs(values).max(initial=0.0)), SMALLEST_WEIGHT)
    return math.ldexp(1.0, math.frexp(largest)[1]) / STEPS


def _groups_in(header: Mapping[str, Any]) -> tuple[tuple[int, ...], ...] | None:
    """Return the groups in the header of a file, or None if they are malformed."""
    groups = header.get("groups", [])
    is_well_formed = isinstance(groups, list) and all(
        isinstance(group, list) and all(type(cell) is int for cell in group) for group in groups
    )
    return tuple(tuple(group) for group in groups) if is_well_formed else None


def _unpacked(arrays: Mapping[str, Array], header: Mapping[str, Any], path: Path) -> tuple[Reals, Actions]:
    """Return the weights of patterns in a file, and their places."""
    steps, gaps, step = arrays.get(VALUES), arrays.get(GAPS), header.get("resolution")
    if steps is None or gaps is None or steps.dtype != np.int16 or gaps.dtype != np.uint8:
        raise WeightsError(
            f"{path} is not a file of weights: it has no arrays {VALUES!r} and {GAPS!r} of patterns"
        )
    if steps.ndim != 1 or steps.shape != gaps.shape or not (is_finite(step) and step > 0):
        raise WeightsError(f"{path} is not a file of weights: its arrays of patterns do not fit together")
    kept = steps != 0
    return steps[kept] * float(step), (np.cumsum(gaps, dtype=np.int64) - 1)[kept]
