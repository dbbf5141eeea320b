"""Pattern sets: groups of cells whose combinations of values are looked up in tables of weights.

A game expresses the content of each cell as a number. A group of cells, such as a line or
an n-tuple, has a table with one weight for every combination of these numbers. The value of a
position is the sum of the weights that are looked up for it, or the sum's hyperbolic tangent.
The sum is linear in a huge number of features, of which only a few are not 0.

A `PatternModel` adds what a sum over groups of cells cannot express, so that search can use
the tables as its evaluation. With a model, only a few phases need to be learned: the tables of
the phases between them are interpolated, as in a tapered evaluation.

Sources: W. Bledsoe and I. Browning, "Pattern recognition and reading by machine", 1959;
S. Lucas, "Learning to play Othello with n-tuple systems", 2008.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boardgames.declarations import MAX_VALUE, FeatureSet
from boardgames.errors import PluginError, quote
from boardgames.kernels import Actions, Cells, Features, Phase, Reals, Words, kernel
from boardgames.kernels.abi import check_kernel
from boardgames.options import is_finite
from boardgames.score import RETURN, Unit

MAX_TABLE = 1 << 27
"""Maximum number of weights of a pattern set."""


@kernel(Phase)
def single_phase(position: Words, side: int) -> int:
    """Return 0: all positions are looked up in the same tables."""
    return 0


@kernel(Features)
def no_features(position: Words, side: int, out: Reals) -> None:
    """Write nothing; used if a model has no material or no terms."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PatternModel:
    """How search computes the value of a position from the weights that are looked up.

    The value is the weighted sum of `material` plus s / (1 + abs(s) / limit), where s is the sum of
    all weights that are looked up, plus the weighted sum of `terms`. Each phase has its own weights of
    material and terms.

    Attributes
    ----------
    unit, scale, bound, margin
        The attributes of the `Evaluation` for which the weights are learned.
    slope : float
        For a position whose value is v units, learners expect 1 / (1 + exp(-slope v)) points at the end
        of the match.
    limit : float
        Bound of s / (1 + abs(s) / limit), on the scale of the kernel; if s equals `limit`, it is halved.
    material, terms : FeatureSet or None
        Features, used without scaling. The weighted sum of `material` is not bounded by `limit`, but the
        sum of `terms` is, as a part of s.
    start : callable or None
        Returns the initial weights, towards which regularisation pulls: `float64[phases, n]` for the
        tables and `float64[phases, m]` for material, then terms. By default they are all 0.

    Raises
    ------
    PluginError
        If a number is out of range.
    """

    unit: Unit = RETURN
    scale: float = 1.0
    bound: float = 1.0
    margin: float = 0.0
    slope: float = 1.0
    limit: float = math.inf
    material: FeatureSet | None = None
    terms: FeatureSet | None = None
    start: Callable[[], tuple[Reals, Reals]] | None = None

    def __post_init__(self) -> None:
        for name, largest in (("scale", math.inf), ("bound", MAX_VALUE), ("slope", math.inf)):
            value = getattr(self, name)
            if not (is_finite(value) and 0 < value <= largest):
                limits = "positive" + (f" and at most {largest:,.0f}" if math.isfinite(largest) else "")
                raise PluginError(f"the {name} of a pattern model must be {limits}, not {quote(value)}")
        if not (isinstance(self.limit, int | float) and self.limit > 0):
            raise PluginError(f"the limit of a pattern model must be positive, not {quote(self.limit)}")
        if not (is_finite(self.margin) and self.margin >= 0):
            raise PluginError(f"the margin of a pattern model must be 0 or more, not {quote(self.margin)}")
        if not isinstance(self.unit, Unit):
            raise PluginError(f"unit of a pattern model must be a Unit, not {quote(self.unit)}")
        for name in ("material", "terms"):
            value = getattr(self, name)
            if not (value is None or isinstance(value, FeatureSet)):
                raise PluginError(
                    f"{name} of a pattern model must be a FeatureSet or None, not {quote(value)}"
                )
        if not (self.start is None or callable(self.start)):
            raise PluginError(f"start of a pattern model must be a function or None, not {quote(self.start)}")

    @property
    def features(self) -> tuple[FeatureSet, ...]:
        """Return the feature sets that are not None, material first."""
        return tuple(features for features in (self.material, self.terms) if features is not None)

    @property
    def size(self) -> int:
        """Return the number of features of both sets together."""
        return sum(len(features.features) for features in self.features)


@dataclass(frozen=True, slots=True, eq=False)
class PatternSet:
    """Cells and groups of cells, for learners that fill tables of weights.

    Attributes
    ----------
    name : str
        Name of the set.
    kernel : callable
        Writes the value of each cell, 0 to `values` - 1, from the point of view of a side.
    cells, values : int
        Number of cells, and number of values that a cell can have.
    groups : tuple of tuple of int
        The groups of cells; learners may also draw groups at random.
    neighbours : tuple of tuple of int
        For each cell, the cells that may follow it in a group drawn by a random walk; if empty, every
        cell may follow.
    symmetries : tuple of tuple of int
        Permutations of the cells, without the identity: cell `c` is mapped to `permutation[c]`. The
        images of a group under all permutations share its table.
    phases : int
        Number of phases; each has tables of its own.
    phase : callable
        Returns the phase, 0 to `phases` - 1, of a position in which a side has just moved.
    bitboards : tuple of (int, int)
        Where positions contain bitboards of the cells, with which lookups in search are several times as
        fast. For each value from 1 up: the index of the first word of the bitboard of cells with this
        value, from the point of view of side 0 and of side 1. Empty if there are no such bitboards.
    bits : tuple of int
        The bit of each cell in the `bitboards`; bit 64 is the lowest bit of the second word.
    model : PatternModel or None
        How search uses the weights; the learner `patterns` needs it.

    Raises
    ------
    KernelError
        If a kernel has another signature.
    PluginError
        If a cell, group, permutation or bit is invalid, or the tables would be too large.
    """

    name: str
    kernel: Callable[[Words, int, Actions], None]
    cells: int
    values: int
    groups: tuple[tuple[int, ...], ...] = ()
    neighbours: tuple[tuple[int, ...], ...] = ()
    symmetries: tuple[tuple[int, ...], ...] = ()
    phases: int = 1
    phase: Callable[[Words, int], int] = single_phase
    bitboards: tuple[tuple[int, int], ...] = ()
    bits: tuple[int, ...] = ()
    model: PatternModel | None = None

    def __post_init__(self) -> None:
        what = f"patterns {self.name!r}"
        check_kernel(f"cells of {what}", self.kernel, Cells)
        check_kernel(f"phase of {what}", self.phase, Phase)
        if not (self.cells >= 1 and self.values >= 2 and self.phases >= 1):
            raise PluginError(f"{what} need at least one cell, two values and one phase")
        for group in self.groups:
            if not group or len(set(group)) < len(group) or not self._are_cells(group):
                raise PluginError(
                    f"a group of {what} must have different cells, 0 to {self.cells - 1}, not {quote(group)}"
                )
        for permutation in self.symmetries:
            if sorted(permutation) != list(range(self.cells)):
                raise PluginError(f"a symmetry of {what} must be a permutation of all {self.cells} cells")
        if self.neighbours and not (
            len(self.neighbours) == self.cells and all(map(self._are_cells, self.neighbours))
        ):
            raise PluginError(f"{what} must have neighbours, 0 to {self.cells - 1}, for each of its cells")
        if self.bitboards and not (
            len(self.bitboards) == self.values - 1
            and len(set(self.bits)) == len(self.bits) == self.cells
            and min(self.bits) >= 0
        ):
            raise PluginError(
                f"{what} need a bitboard for each value from 1 to {self.values - 1}, and a different bit for "
                f"each of the {self.cells} cells"
            )
        if self.size > MAX_TABLE:
            raise PluginError(f"{what} would have {self.size:,} weights; at most {MAX_TABLE:,} are possible")

    @property
    def size(self) -> int:
        """Return the number of weights of all groups in all phases."""
        return self.phases * sum(int(self.values ** len(group)) for group in self.groups)

    def initial_weights(self) -> tuple[Reals, Reals]:
        """Return the initial weights of the model.

        Returns
        -------
        float64[phases, n], float64[phases, m]
            The tables, and the weights of material, then terms, on the scale of the model's kernel.

        Raises
        ------
        PluginError
            If the set has no model, or the model's `start` does not return such arrays.
        """
        if self.model is None:
            raise PluginError(f"patterns {self.name!r} have no model")
        shapes = [(self.phases, self.size // self.phases), (self.phases, self.model.size)]
        if self.model.start is None:
            return np.zeros(shapes[0]), np.zeros(shapes[1])
        start = self.model.start()
        if not isinstance(start, tuple) or [_shape_of_finite(part) for part in start] != shapes:
            raise PluginError(
                f"the start of patterns {self.name!r} must return two arrays of finite numbers, float64 of "
                f"the shapes {shapes[0]} and {shapes[1]}"
            )
        return start

    @property
    def lookups(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """Return all groups and their images under symmetries, each with the index where its table begins.

        The tables of a phase begin `size // phases` places after those of the previous phase. The index of
        an entry in a table has the values of the cells as its digits, the first cell's as the highest.

        Examples
        --------
        >>> import boardgames
        >>> from dataclasses import replace
        >>> patterns = boardgames.load_patterns("cells", boardgames.load("connect4"))
        >>> replace(patterns, groups=((0, 1, 6), (41,))).lookups
        (((0, 1, 6), 0), ((36, 37, 30), 0), ((41,), 64), ((5,), 64))
        """
        found = []
        start = 0
        for group in self.groups:
            found.append((group, start))
            found += [(tuple(permutation[cell] for cell in group), start) for permutation in self.symmetries]
            start += self.values ** len(group)
        return tuple(found)

    def grouped(self, groups: Sequence[Sequence[int]]) -> "PatternSet":
        """Return the set with other groups, such as groups that a learner has drawn."""
        return replace(self, groups=tuple(tuple(group) for group in groups))

    def _are_cells(self, cells: Sequence[int]) -> bool:
        return all(type(cell) is int and 0 <= cell < self.cells for cell in cells)


def _shape_of_finite(part: object) -> tuple[int, ...] | None:
    """Return the shape of an array of finite numbers; None for anything else."""
    if not isinstance(part, np.ndarray) or part.dtype != np.float64 or not np.isfinite(part).all():
        return None
    shape: tuple[int, ...] = part.shape
    return shape
