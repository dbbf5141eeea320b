"""What a game declares about itself, as data: facts, kernels, features, evaluations."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from boardgames.errors import PluginError, shown
from boardgames.kernels import (
    Actions,
    Apply,
    Evaluate,
    Features,
    LegalMoves,
    MoveOrder,
    OutcomeOf,
    PassTurn,
    PositionKey,
    Reals,
    SideToMove,
    Words,
    kernel,
    mix,
)
from boardgames.kernels.abi import check_kernel
from boardgames.kernels.bits import GOLDEN
from boardgames.options import Option, is_finite
from boardgames.score import RETURN, Score, Unit


def _nothing() -> Mapping[str, Any]:  # values of several types
    return MappingProxyType({})


@kernel(MoveOrder)
def no_move_order(position: Words, action: int) -> int:
    """Prefer no move: the order of moves where a game gives none."""
    return 0


@kernel(LegalMoves)
def no_tactical_moves(position: Words, moves: Actions) -> int:
    """Write nothing: the tactical moves where a game names none."""
    return 0


@kernel(PassTurn)
def no_pass_turn(position: Words, successor: Words) -> None:
    """Write nothing: stands where a game says that to pass is no guide to what a move is worth."""
    return


@kernel(PositionKey)
def position_key(position: Words) -> np.uint64:
    """Return the hash of all words of a position: what search knows it by.

    Two different positions share one by chance alone, once in 2^64.
    """
    key = GOLDEN
    for index in range(position.size):
        key = mix(key ^ position[index]) + GOLDEN
    return key


@kernel(Evaluate)
def no_evaluation(position: Words, weights: Reals) -> float:
    """Return 0: the evaluation where a game gives none."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Kernels:
    """The rules of a game as kernels; signatures are checked when it is made.

    The last four are for search and optional: the order in which moves are
    tried; the legal moves, in ascending order, that it follows beyond its horizon
    (none of a finished match), since an evaluation before them would be wrong;
    a key that is equal for positions that a symmetry maps onto each other; the
    position after no move, in a game where to move is as good as never worse.

    Raises
    ------
    KernelError
        If one is missing or compiled for another signature.
    """

    legal_moves: Callable[[Words, Actions], int]
    apply: Callable[[Words, int, Words], None]
    side_to_move: Callable[[Words], int]
    outcome: Callable[[Words], int]
    move_order: Callable[[Words, int], int] = no_move_order
    tactical_moves: Callable[[Words, Actions], int] = no_tactical_moves
    symmetric_key: Callable[[Words], np.uint64] = position_key
    pass_turn: Callable[[Words, Words], None] = no_pass_turn

    def __post_init__(self) -> None:
        for name, signature in SIGNATURES.items():
            check_kernel(name, getattr(self, name), signature)


SIGNATURES = {
    "legal_moves": LegalMoves,
    "apply": Apply,
    "side_to_move": SideToMove,
    "outcome": OutcomeOf,
    "move_order": MoveOrder,
    "tactical_moves": LegalMoves,
    "symmetric_key": PositionKey,
    "pass_turn": PassTurn,
}
"""Signature of each kernel of the rules, by its place in `Kernels`."""


LARGEST_VALUE = 900_000.0
"""Largest value of an evaluation kernel; search reserves larger ones for wins and losses."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A static evaluation: a kernel, its weights, and the unit of its values.

    Attributes
    ----------
    name : str
        Shown by `bg check`.
    kernel : callable
        Returns the value of a position for the side to move.
    weights : float64[n]
        Second argument of the kernel.
    unit : Unit
        What scores made from values count.
    bound : float
        Values lie between -`bound` and `bound`, which is at most `LARGEST_VALUE`.
    exact_at_end : bool
        True if the value of a finished match is its true result, such as a margin in
        cells; search then uses it instead of a win or loss.
    margin : float
        The most by which a quiet move changes the value, save for rare exceptions; 0 if
        unknown, which turns futility pruning off. Moves that win at once must be
        tactical where it is set.
    scale : float
        Values of the kernel per unit: 100 for a kernel that counts hundredths of a marble
        where the unit is a marble. `bound` and `margin` are on the scale of the kernel.

    Raises
    ------
    KernelError
        If the kernel has another signature.
    PluginError
        If `unit` is not a `Unit`, or `bound` or `scale` is out of range.
    """

    name: str
    kernel: Callable[[Words, Reals], float]
    weights: Reals
    unit: Unit = RETURN
    bound: float = 1.0
    exact_at_end: bool = False
    margin: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        check_kernel(f"evaluation {self.name!r}", self.kernel, Evaluate)
        if not isinstance(self.unit, Unit):
            raise PluginError(f"the unit of evaluation {self.name!r} must be a Unit, not {shown(self.unit)}")
        for field_name, largest in (("bound", LARGEST_VALUE), ("scale", math.inf)):
            value = getattr(self, field_name)
            if not (is_finite(value) and 0 < value <= largest):
                limits = "positive" + (f" and at most {largest:,.0f}" if math.isfinite(largest) else "")
                what = f"the {field_name} of evaluation {self.name!r}"
                raise PluginError(f"{what} must be {limits}, not {shown(value)}")
        weights = np.array(self.weights, dtype=np.float64)  # a copy: the giver may go on learning
        weights.flags.writeable = False
        object.__setattr__(self, "weights", weights)

    def score(self, value: float) -> Score:
        """Return a value of the kernel as a score in the unit."""
        return Score.of(value / self.scale, self.unit)


NO_EVALUATION = Evaluation("none", no_evaluation, np.zeros(0))
"""Every position is worth 0 until the match is over."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One number read off a position: its name, unit and range."""

    name: str
    unit: str
    low: float
    high: float
    summary: str


@dataclass(frozen=True, slots=True, eq=False)
class FeatureSet:
    """A feature kernel and what its numbers mean, in order."""

    name: str
    kernel: Callable[[Words, int, Reals], None]
    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        check_kernel(f"features {self.name!r}", self.kernel, Features)
        for feature in self.features:
            if not feature.low <= feature.high:
                raise PluginError(
                    f"expected a range of feature {feature.name!r}: {feature.low} to {feature.high}"
                )

    @property
    def scale(self) -> tuple[Reals, Reals]:
        """Return the middle and half the width of each feature's range, `float64[n]` both.

        The width of one that is always the same, on a small board say, is taken to be 2.
        """
        lows = np.array([feature.low for feature in self.features])
        highs = np.array([feature.high for feature in self.features])
        return (lows + highs) / 2, np.where(highs > lows, (highs - lows) / 2, 1.0)

    def normalised(self, values: Reals) -> Reals:
        """Return features, `float64[..., n]`, on the scale on which their ranges are -1 to 1.

        A number beyond its range stays beyond it.
        """
        middle, half = self.scale
        scaled: Reals = (values - middle) / half
        return scaled


@dataclass(frozen=True, slots=True, eq=False)
class Symmetry:
    """A map of the game onto itself: turned, mirrored or with the sides swapped.

    Attributes
    ----------
    name : str
        `rotation by 60 degrees`.
    words : callable
        Packed position, `uint64[n]`, to a new one.
    action : callable
        Packed position and legal action to the action in the mapped position.
    swaps_sides : bool
        True if what side 0 has becomes side 1's.
    """

    name: str
    words: Callable[[Words], Words]
    action: Callable[[Words, int], int]
    swaps_sides: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What holds for every position of a game with its options as they are.

    Attributes
    ----------
    name, title, summary : str
        `abalone`, `Abalone`, and one sentence.
    sides : (str, str)
        Names of side 0, which moves first, and side 1.
    words, actions : int
        Length of a packed position; number of action codes, 0 to `actions` - 1.
    longest_match : int or None
        Most plies a match can last, None if the rules set no end.
    ply_limit, no_progress_limit : int or None
        After so many plies, or so many without a change of score, a match
        between agents is drawn.
    alternates : bool
        False if the same side may move twice in a row.
    no_moves_draws : bool
        True if a side without a legal move draws instead of losing.
    allows_reductions : bool
        True if search may look less deep at moves late in the order: most
        positions have many moves of which few matter.
    zero_sum : bool
        True if what one side gains the other one loses.
    score_name : str
        What the rules count, `marbles pushed off`; empty if nothing.
    default_agent : str
        The agent that `bg play` puts up against a person.
    default_features : str
        The feature set that learners take if none is named; empty for the first by name.
    options : tuple of Option
        What can be set when the game is loaded.
    layouts : mapping of str to str
        Position texts of the named starts; the first is the default.
    move_notations, position_notations : tuple of str
        Names of the notations; the first is canonical.
    books : mapping of str to tuple of str
        Named openings for series of matches: the positions they begin with.
    perft : mapping of str to tuple of int
        Known leaf counts from depth 1 on, by position text, for the options
        as they are.
    """

    name: str
    title: str
    summary: str
    sides: tuple[str, str]
    words: int
    actions: int
    longest_match: int | None = None
    ply_limit: int | None = None
    no_progress_limit: int | None = None
    alternates: bool = True
    no_moves_draws: bool = False
    allows_reductions: bool = False
    zero_sum: bool = True
    score_name: str = ""
    default_agent: str = "alphabeta"
    default_features: str = ""
    options: tuple[Option, ...] = ()
    layouts: Mapping[str, str] = field(default_factory=_nothing)
    move_notations: tuple[str, ...] = ("canonical",)
    position_notations: tuple[str, ...] = ("canonical",)
    books: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    perft: Mapping[str, tuple[int, ...]] = field(default_factory=_nothing)

    def __post_init__(self) -> None:
        texts = (self.name, self.title, self.summary, self.default_agent, *self.sides)
        if not all(isinstance(text, str) and text for text in texts):
            raise PluginError(f"expected names in the facts of a game: {shown(texts)}")
        if len(self.sides) != 2 or self.sides[0] == self.sides[1]:
            raise PluginError(f"expected two sides with names of their own: {shown(self.sides)}")
        limits = (self.longest_match, self.ply_limit, self.no_progress_limit)
        counts = (self.words, self.actions, *(limit for limit in limits if limit is not None))
        if not all(isinstance(count, int) and count > 0 for count in counts):
            raise PluginError(f"expected at least 1 word, action and ply in the facts: {shown(counts)}")
