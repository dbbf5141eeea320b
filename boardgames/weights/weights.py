"""Weights of features or of patterns, which learners produce and players use.

Features have one weight each. Patterns have tables with an entry for each combination of
values, most of which never occur, so only weights that are not 0 are stored. They are rounded to
multiples of a power of two. In a file, each weight takes two bytes, and one more byte for its
distance from the previous weight.

Weights for the model of a pattern set are tables for a few phases, the *anchors*, and the weights
of the model's features in these phases.
"""

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
from boardgames.weights.merging import gathered
from boardgames.weights.tables import STEPS, merged_sums, model_evaluation, step_of, table_evaluation

SCHEMA = 1
VALUES = "weights"
"""Name of the array of weights in a file; checkpoints contain other arrays too."""
TUNED = "tuned"
"""A key in the header of files that contain values for the options of an agent instead of weights."""
NETWORK = "network"
"""The key of a network's shape in the header of its file, and the `Entry.needs` of agents with a network."""
GAPS = "gaps"
"""Name of the array with the distances between the places of consecutive weights of patterns."""
LINEAR = "features"
"""Name of the array with the weights of the features of a model."""
MAX_WEIGHT = 1e6
MAX_GAP = np.iinfo(np.uint8).max
"""Maximum distance between two weights in a file; longer gaps are bridged by weights of 0."""


def _no_entries() -> Actions:
    return np.zeros(0, dtype=np.int64)


def _no_linear() -> Reals:
    return np.zeros((0, 0))


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The weights of a pattern set, or of a feature set whose features are scaled to -1 to 1 by their ranges.

    If a pattern set has a `PatternModel`, they can also be weights for the model; see `of_model`.

    Weights give the value of a position for the side that has just moved.

    Attributes
    ----------
    game, features : str
        Names of the game and of its feature set or pattern set.
    ranges : str
        Hash of what the set declares, see `hash_ranges`. With other ranges, features have another scale.
    values : float64[n]
        The weights, finite and read-only.
    tanh : bool
        True if the value is the hyperbolic tangent of the weighted sum.
    provenance : mapping
        How the weights were learned, as JSON values: learner, settings, seed, metrics.
    groups : tuple of tuple of int
        The groups of cells that the patterns look up; empty for weights of features.
    entries : int64[n]
        For patterns, the places of the weights in the tables, in ascending order; read-only. With a
        model, the tables of each anchor follow the tables of the previous anchor.
    linear : float64[anchors, m]
        With a model, the weights of its unscaled features, material before terms; otherwise empty.
        Read-only. Anchors are phases at equal distances from the first to the last.

    Raises
    ------
    WeightsError
        If the values are not one-dimensional, finite and at most `MAX_WEIGHT` in size, or if for
        patterns the entries are not ascending or their number differs from that of the values.
    """

    game: str
    features: str
    ranges: str
    values: Reals
    tanh: bool = False
    provenance: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))  # JSON values
    groups: tuple[tuple[int, ...], ...] = ()
    entries: Actions = field(default_factory=_no_entries)
    linear: Reals = field(default_factory=_no_linear)

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
            raise WeightsError("weights of patterns must have one place each, in ascending order")
        entries.flags.writeable = False
        object.__setattr__(self, "entries", entries)
        linear = np.array(self.linear, dtype=np.float64)
        if linear.ndim != 2 or not (np.abs(linear) <= MAX_WEIGHT).all():
            raise WeightsError(
                f"weights of features must be a row of numbers, {-MAX_WEIGHT:g} to {MAX_WEIGHT:g}, for each "
                "anchor"
            )
        linear.flags.writeable = False
        object.__setattr__(self, "linear", linear)

    @property
    def anchors(self) -> int:
        """Return the number of anchors; 0 if the weights are not for a model."""
        return len(self.linear)

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
            The set, with the groups of the tables.
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
        rounded = _rounded(values, step_of(values))
        kept = rounded != 0.0
        ranges = hash_ranges(patterns)
        return cls(
            game.facts.name, patterns.name, ranges, rounded[kept], tanh, {}, patterns.groups, entries[kept]
        )

    @classmethod
    def of_model(
        cls,
        game: Game,
        patterns: PatternSet,
        tables: Reals,
        features: Reals,
        *,
        provenance: Mapping[str, Any] | None = None,  # JSON values
    ) -> "Weights":
        """Return weights for the model of a pattern set, rounded as in a file.

        Parameters
        ----------
        patterns : PatternSet
            The set, with the groups of the tables.
        tables : float64[anchors, n]
            The tables of all groups (see `PatternSet.lookups`) in the anchors: phases at equal distances
            from the first to the last. Tables of other phases are interpolated; a single row is for all
            phases.
        features : float64[anchors, m]
            The weights of the model's features in the anchors: material, then terms.

        Raises
        ------
        WeightsError
            If the set has no model, the arrays have the wrong shapes, or a weight is not finite or larger
            than `MAX_WEIGHT`.
        """
        _check_model(patterns)
        tables, features = np.asarray(tables, dtype=np.float64), np.asarray(features, dtype=np.float64)
        size, anchors = patterns.size // patterns.phases, len(features)
        if tables.shape != (anchors, size) or features.ndim != 2:
            raise WeightsError(
                f"the tables must have {size:,} places for each of {anchors} anchors, not the shape "
                f"{tables.shape}"
            )
        if not np.isfinite(tables).all():
            raise WeightsError("weights must be finite")
        together = gathered(patterns, tables)
        # the step must be large enough for sums of weights, too
        step = max(step_of(one) for one in (together, *merged_sums(patterns, together)))
        rounded = _rounded(together, step).ravel()
        entries = np.flatnonzero(rounded)
        weights = cls(
            game.facts.name, patterns.name, hash_ranges(patterns, of_model=True), rounded[entries], False,
            provenance or {}, patterns.groups, entries, features,
        )  # fmt: skip
        weights.check(game, patterns)
        return weights

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
        if TUNED in header:
            raise WeightsError(
                f"{path} has no weights: it has values for the options of an agent, found by `tune`"
            )
        if NETWORK in header:
            raise WeightsError(
                f"{path} has a network, not weights; 'alphazero' and 'policy' can play with it"
            )
        texts = [header.get(key) for key in ("game", "features", "ranges")]
        tanh, provenance = header.get("squashes"), header.get("provenance", {})
        values = arrays.get(VALUES)
        groups = _groups_in(header)
        is_known = header.get("schema") == SCHEMA and isinstance(tanh, bool) and groups is not None
        if not (is_known and all(isinstance(text, str) for text in texts) and isinstance(provenance, dict)):
            raise WeightsError(f"{path} is not a file of weights of version {SCHEMA}")
        entries, linear = _no_entries(), _no_linear()
        if groups:
            values, entries = _unpacked(arrays, header, path)
            linear = _linear_in(arrays, header, path)
        elif values is None or values.dtype != np.float64:
            raise WeightsError(f"{path} is not a file of weights: it has no float64 array {VALUES!r}")
        try:
            game, features, ranges = map(str, texts)
            return cls(game, features, ranges, values, bool(tanh), provenance, groups or (), entries, linear)
        except WeightsError as error:
            raise WeightsError(f"cannot use the weights in {path}: {error}") from None

    def arrays(self) -> dict[str, Array]:
        """Return the arrays to write to a file."""
        if not self.groups:
            return {VALUES: self.values}
        gaps = np.diff(self.entries, prepend=-1)
        fillers = (gaps - 1) // MAX_GAP  # weights of 0 that bridge long gaps
        places = np.arange(len(gaps)) + np.cumsum(fillers)
        count = len(gaps) + int(fillers.sum())
        packed, steps = np.full(count, MAX_GAP, dtype=np.uint8), np.zeros(count, dtype=np.int16)
        packed[places] = gaps - MAX_GAP * fillers
        steps[places] = self.values / step_of(self.values)
        return {VALUES: steps, GAPS: packed, **({LINEAR: self.linear} if self.anchors else {})}

    def header(self) -> dict[str, Any]:
        """Return the header of the file as a dictionary that JSON can store."""
        patterns = {"groups": [list(group) for group in self.groups], "resolution": step_of(self.values)}
        return {
            **(patterns if self.groups else {}),
            **({"anchors": self.anchors} if self.anchors else {}),
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
        model = (repr(self.linear.tolist()).encode(),) if self.anchors else ()
        return fingerprint_of(*parts, *patterns, *model)

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
            if self.anchors:
                return model_evaluation(game, grouped, self.tables(grouped), self.linear)
            return table_evaluation(game, grouped, self.entries, self.values, tanh=self.tanh)
        return linear_evaluation(game, features, self.values, tanh=self.tanh)

    def tables(self, patterns: PatternSet) -> Reals:
        """Return the tables of each phase, or of each anchor of a model, as `float64[k, n]`.

        Parameters
        ----------
        patterns : PatternSet
            The pattern set, with the groups of the weights.
        """
        count = self.anchors or patterns.phases
        tables = np.zeros(count * (patterns.size // patterns.phases))
        tables[self.entries] = self.values
        return tables.reshape(count, -1)

    def check(self, game: Game, features: FeatureSet | PatternSet) -> None:
        """Raise WeightsError if the weights are not for this game and these features or patterns."""
        if self.game != game.facts.name:
            raise WeightsError(f"the weights are for {quote(self.game)}, not for {game.facts.name}")
        kind = "patterns" if isinstance(features, PatternSet) else "features"
        if self.features != features.name:
            raise WeightsError(
                f"the weights are for {kind} {quote(self.features)}, not for {features.name!r}"
            )
        if isinstance(features, PatternSet) and self.anchors:
            _check_model(features)
        if self.ranges != hash_ranges(features, of_model=self.anchors > 0):
            content = "cells" if isinstance(features, PatternSet) else "ranges"
            raise WeightsError(
                f"the weights are for {kind} {features.name!r} with other {content}, for example of a board "
                f"of another size{' or with another model' if self.anchors else ''}"
            )
        if isinstance(features, PatternSet):
            self._check_tables(features)
        elif len(self.values) != len(features.features):
            raise WeightsError(
                f"features {features.name!r} need {len(features.features)} weights, not {len(self.values)}"
            )

    def _check_tables(self, patterns: PatternSet) -> None:
        """Raise WeightsError if a weight has no place in the tables, or a model's feature has no weight."""
        try:
            size = patterns.grouped(self.groups).size
        except PluginError as error:
            raise WeightsError(str(error)) from None
        if self.anchors > patterns.phases:
            raise WeightsError(
                f"there can be 1 to {patterns.phases} anchors, one for each phase, not {self.anchors}"
            )
        if self.anchors:
            size = size // patterns.phases * self.anchors
        if self.entries.size and self.entries[-1] >= size:
            raise WeightsError(
                f"the tables have {size:,} places, but there is a weight for place {self.entries[-1]:,}"
            )
        if self.anchors and patterns.model is not None and self.linear.shape[1] != patterns.model.size:
            raise WeightsError(
                f"the model of patterns {patterns.name!r} has {patterns.model.size} features, but there are "
                f"{self.linear.shape[1]} weights of features"
            )


def hash_ranges(features: FeatureSet | PatternSet, *, of_model: bool = False) -> str:
    """Return a short hash of the names and ranges of features, or of a pattern set's cells and phases.

    With `of_model`, the hash also depends on the model of the pattern set.
    """
    if isinstance(features, PatternSet):
        counts = f"{features.cells} {features.values} {features.phases}"
        parts = [counts.encode(), repr(features.symmetries).encode()]
        if of_model and features.model is not None:
            model = features.model
            parts.append(f"{model.unit.name} {model.scale!r} {model.limit!r}".encode())
            parts += [hash_ranges(one).encode() for one in model.features]
        return fingerprint_of(*parts)
    lines = [f"{feature.name} {feature.low!r} {feature.high!r}" for feature in features.features]
    return fingerprint_of("\n".join(lines).encode())


def _rounded(values: Reals, step: float) -> Reals:
    """Return weights rounded to multiples of a step, within the range of 16-bit integers."""
    rounded: Reals = np.clip(np.rint(values / step), 1 - STEPS, STEPS - 1) * step
    return rounded


def _check_model(patterns: PatternSet) -> None:
    if patterns.model is None:
        raise WeightsError(f"the patterns {patterns.name!r} have no model, but the weights are for a model")


def _linear_in(arrays: Mapping[str, Array], header: Mapping[str, Any], path: Path) -> Reals:
    """Return the weights of a model's features in a file, or an empty array if it has no anchors."""
    anchors, linear = header.get("anchors", 0), arrays.get(LINEAR)
    if anchors == 0 and linear is None:
        return _no_linear()
    is_well_formed = linear is not None and linear.dtype == np.float64 and linear.ndim == 2
    if not (type(anchors) is int and anchors > 0 and is_well_formed and len(arrays[LINEAR]) == anchors):
        raise WeightsError(
            f"{path} is not a file of weights: it has no float64 array {LINEAR!r} with a row for each anchor"
        )
    return arrays[LINEAR]


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
