"""What a game declares about itself: facts, kernels, evaluations, features, symmetries."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from boardgames.draw.tables import table
from boardgames.errors import LimitError, PluginError, quote, suggest
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
from boardgames.kernels.bundles import Bundle
from boardgames.options import Option, OptionValue, is_finite
from boardgames.score import RETURN, Score, Unit

Array = npt.NDArray[Any]  # an array of any type that an evaluation declares
CACHE_LINE = 64
"""Size of a cache line in bytes."""


def _no_items() -> Mapping[str, Any]:  # values of several types
    return MappingProxyType({})


LIMIT = Option(
    "limit",
    str,
    "draw",
    "who wins when a limit of plies ends the match: nobody (draw), or the side with the better score",
    choices=("draw", "score"),
)
"""An option for games that can decide a match at its limit of plies, by the kernel `outcome_at_limit`."""


@kernel(MoveOrder)
def no_move_order(position: Words, action: int) -> int:
    """Rank all moves equally; used if a game has no move order."""
    return 0


@kernel(LegalMoves)
def no_tactical_moves(position: Words, moves: Actions) -> int:
    """Write no move; used if a game has no tactical moves."""
    return 0


@kernel(PassTurn)
def no_pass_turn(position: Words, successor: Words) -> None:
    """Write nothing, which turns null-move pruning off; used if a pass can be better than every move."""
    return


@kernel(OutcomeOf)
def no_outcome_at_limit(position: Words) -> int:
    """Return -1: the game has no rule of its own for a limit of plies, so the match is drawn there."""
    return -1


@kernel(PositionKey)
def position_key(position: Words) -> np.uint64:
    """Return a 64-bit hash; two different positions have the same hash with a probability of 2^-64."""
    key = GOLDEN
    for index in range(position.size):
        key = mix(key ^ position[index]) + GOLDEN
    return key


@kernel(Evaluate)
def no_evaluation(position: Words, weights: Reals) -> float:
    """Return 0; used if a game has no evaluation."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Kernels:
    """The rules of a game as kernels.

    Attributes
    ----------
    legal_moves, apply, side_to_move, outcome : callable
        The rules.
    move_order : callable
        Rank of a move; search tries moves with a larger rank first.
    tactical_moves : callable
        Writes, in ascending order, the legal moves that quiescence search
        examines because a static evaluation is unreliable as long as they are
        possible; none if the match is over.
    symmetric_key : callable
        A hash that is equal for positions that symmetries map onto each other.
    pass_turn : callable
        Writes the position after a pass, for games in which passing is hardly
        ever better than moving.
    outcome_at_limit : callable
        Who wins if a limit of plies ends the match here: side 0 or 1, or 2 for a draw. If a game has
        this kernel, search and training take the limit into account. It is only called while
        `outcome` returns -1.

    Raises
    ------
    KernelError
        If a kernel is missing or has another signature.
    """

    legal_moves: Callable[[Words, Actions], int]
    apply: Callable[[Words, int, Words], None]
    side_to_move: Callable[[Words], int]
    outcome: Callable[[Words], int]
    move_order: Callable[[Words, int], int] = no_move_order
    tactical_moves: Callable[[Words, Actions], int] = no_tactical_moves
    symmetric_key: Callable[[Words], np.uint64] = position_key
    pass_turn: Callable[[Words, Words], None] = no_pass_turn
    outcome_at_limit: Callable[[Words], int] = no_outcome_at_limit

    @property
    def decides_at_limit(self) -> bool:
        """Return True if the game says who wins at a limit of plies."""
        return self.outcome_at_limit is not no_outcome_at_limit

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
    "outcome_at_limit": OutcomeOf,
}
"""The signature of each field of `Kernels`."""


MAX_VALUE = 900_000.0
"""Largest value of an evaluation kernel; search reserves larger ones for wins and losses."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A static evaluation: a kernel, its weights, and the unit of its values.

    Attributes
    ----------
    name : str
        Shown by `boardgames check`.
    kernel : callable
        Returns the value of a position for the side to move.
    weights : float64[n] or named tuple of arrays
        What the kernel reads besides the position. The arrays of a named tuple are of the types
        that its annotations declare, as in a bundle (`boardgames.kernels.bundles`); the kernel
        unpacks them. They are copied and can't be changed later.
    argument : float64[n]
        The second argument of the kernel: the weights, or the words of their bundle.
    unit : Unit
        Unit of the scores that `score` returns.
    bound : float
        Values lie between -`bound` and `bound`, which is at most `MAX_VALUE`.
    exact_at_end : bool
        True if the value of a finished match is its true result, such as a margin in
        cells; search then uses it instead of a win or loss.
    margin : float
        The most by which a quiet move changes the value, apart from rare
        exceptions; 0 if unknown, which turns futility pruning off. If it is set,
        moves that win at once must be tactical.
    scale : float
        Values of the kernel per unit: 100 if the kernel counts hundredths of a marble and
        the unit is a marble. `bound` and `margin` are on the scale of the kernel.

    Raises
    ------
    KernelError
        If the kernel has another signature.
    PluginError
        If `unit` is not a `Unit`, or `bound` or `scale` is out of range.
    """

    name: str
    kernel: Callable[[Words, Reals], float]
    weights: Any  # an array, or a named tuple of arrays of the author's own class
    unit: Unit = RETURN
    bound: float = 1.0
    exact_at_end: bool = False
    margin: float = 0.0
    scale: float = 1.0
    argument: Reals = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_kernel(f"evaluation {self.name!r}", self.kernel, Evaluate)
        if not isinstance(self.unit, Unit):
            raise PluginError(f"the unit of evaluation {self.name!r} must be a Unit, not {quote(self.unit)}")
        for field_name, largest in (("bound", MAX_VALUE), ("scale", math.inf)):
            value = getattr(self, field_name)
            if not (is_finite(value) and 0 < value <= largest):
                limits = "positive" + (f" and at most {largest:,.0f}" if math.isfinite(largest) else "")
                what = f"the {field_name} of evaluation {self.name!r}"
                raise PluginError(f"{what} must be {limits}, not {quote(value)}")
        # copies, because the caller may change the arrays
        if _is_named_tuple(self.weights):
            weights: Any = type(self.weights)(*map(_aligned_copy, self.weights))
        else:
            weights = _aligned_copy(np.asarray(self.weights, dtype=np.float64))
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "argument", argument_of(weights))

    def score(self, value: float) -> Score:
        """Convert a value of the kernel into a score."""
        return Score.of(value / self.scale, self.unit)

    def value(self, words: Words) -> float:
        """Return the value of a position, `uint64[n]`, for the side to move, on the scale of the kernel."""
        return float(self.kernel(words, self.argument))

    def weight_bytes(self) -> bytes:
        """Return the weights as bytes, to distinguish evaluations that have the same kernel."""
        return b"".join(array.tobytes() for array in arrays_of(self.weights))


def arrays_of(weights: Any) -> tuple[Array, ...]:  # an array, or a named tuple of the author's own class
    """Return the arrays of an evaluation's weights."""
    return tuple(weights) if _is_named_tuple(weights) else (weights,)


def with_arrays(weights: Any, arrays: Sequence[Array]) -> Any:  # an array, or a named tuple of arrays
    """Return weights of the same form as `weights`, but with the given arrays."""
    return type(weights)(*arrays) if _is_named_tuple(weights) else arrays[0]


def argument_of(weights: Any) -> Reals:  # an array, or a named tuple of arrays of the author's own class
    """Return the second argument of an evaluation's kernel.

    Raises
    ------
    KernelError
        If the arrays of a named tuple are not of the types that its annotations declare.
    """
    return Bundle(weights).words.view(np.float64) if _is_named_tuple(weights) else weights


def _is_named_tuple(weights: object) -> bool:
    return isinstance(weights, tuple) and hasattr(weights, "_fields")


def _aligned_copy(array: Array) -> Array:
    """Return a read-only copy that is aligned to a cache line, so that lookups in tables are faster."""
    buffer = np.empty(array.nbytes + CACHE_LINE, dtype=np.uint8)
    first = -buffer.ctypes.data % CACHE_LINE
    copy: Array = buffer[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    copy.flags.writeable = False
    return copy


NO_EVALUATION = Evaluation("none", no_evaluation, np.zeros(0))
"""Every position is worth 0 until the match is over."""


@dataclass(frozen=True, slots=True)
class Contempt:
    """How `alphabeta` tries to win a match that is heading for a draw.

    Attributes
    ----------
    evaluation : callable
        `evaluation(side)` returns an evaluation, in the game's usual unit, that rewards side 0 or 1
        for attacking. It is used only to search that side's moves. Its kernel returns the value for
        the side to move, so the reward is negative if the other side is to move.
    patience : int
        How many plies the points must stay the same before `alphabeta` uses the evaluation. In a game
        without points, plies are counted from the start of the match.
    concession : float
        How much worse than the best move an attacking move may be, in units of the evaluation.
        If the points still do not change and the opponent has never scored, the concession grows by
        what the opponent's replies give away, up to three times its original size.

    Raises
    ------
    PluginError
        If `patience` or `concession` is negative, or `evaluation` is not callable.
    """

    evaluation: Callable[[int], Evaluation]
    patience: int
    concession: float

    def __post_init__(self) -> None:
        if not callable(self.evaluation):
            raise PluginError(
                f"Contempt.evaluation must be a function of a side, not {quote(self.evaluation)}"
            )
        if type(self.patience) is not int or self.patience < 0:
            raise PluginError(
                f"Contempt.patience must be a number of plies, 0 or more, not {quote(self.patience)}"
            )
        if not (is_finite(self.concession) and self.concession >= 0):
            raise PluginError(f"Contempt.concession must be 0 or more, not {quote(self.concession)}")


@dataclass(frozen=True, slots=True)
class Feature:
    """A numeric property of a position: name, unit and range."""

    name: str
    unit: str
    low: float
    high: float
    summary: str


@dataclass(frozen=True, slots=True, eq=False)
class FeatureSet:
    """A kernel that computes features, and the features that it writes, in order."""

    name: str
    kernel: Callable[[Words, int, Reals], None]
    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        check_kernel(f"features {self.name!r}", self.kernel, Features)
        for feature in self.features:
            if not feature.low <= feature.high:
                raise PluginError(
                    f"invalid range of feature {feature.name!r}: {feature.low} to {feature.high}"
                )

    @property
    def scale(self) -> tuple[Reals, Reals]:
        """Return the centre and half the width of each feature's range, both `float64[n]`.

        A constant feature, which occurs on small boards, is treated as if its
        range had a width of 2.
        """
        lows = np.array([feature.low for feature in self.features])
        highs = np.array([feature.high for feature in self.features])
        return (lows + highs) / 2, np.where(highs > lows, (highs - lows) / 2, 1.0)

    def normalised(self, values: Reals) -> Reals:
        """Return features, `float64[..., n]`, scaled so that their ranges are -1 to 1.

        Values outside their range are not clipped.
        """
        middle, half = self.scale
        scaled: Reals = (values - middle) / half
        return scaled

    def _repr_html_(self) -> str:
        rows = ((one.name, one.unit, f"{one.low:g} to {one.high:g}", one.summary) for one in self.features)
        return table(f"Feature set {self.name}", ("feature", "unit", "range", "summary"), rows)


@dataclass(frozen=True, slots=True, eq=False)
class Symmetry:
    """A symmetry of the game: a rotation, a reflection, or swapping the sides.

    Attributes
    ----------
    name : str
        A description such as `rotation by 60 degrees`.
    words : callable
        Maps a packed position, `uint64[n]`, to a new one.
    action : callable
        Maps a legal action in a packed position to the action in the mapped position.
    swaps_sides : bool
        True if side 0 and side 1 are swapped.
    """

    name: str
    words: Callable[[Words], Words]
    action: Callable[[Words, int], int]
    swaps_sides: bool = False


@dataclass(frozen=True, slots=True)
class Exercise:
    """A position with a task that is solved by making moves: a lesson or a puzzle.

    The person plays the side to move in the position, and the program plays the other side.

    Attributes
    ----------
    title : str
        A few words for lists, such as `Push off`.
    position : str
        Text of the position.
    task : str
        What to do, in one or two sentences.
    lines : tuple of str
        Lines of play that solve it, as moves separated by spaces. Each ends with a move of the person.
    text : str
        The rule that a lesson explains, shown before the task.
    praise : str
        Shown when the exercise has been solved.
    options : mapping of str to value
        Options of the game, if they are not the default ones.
    overlay : str
        The name of an overlay that the page draws over the board, with its legend and remarks.

    Examples
    --------
    >>> Exercise("Win", "xx./oo./...", "Complete a line.", ("c3",)).lines
    ('c3',)
    """

    title: str
    position: str
    task: str
    lines: tuple[str, ...]
    text: str = ""
    praise: str = ""
    options: Mapping[str, OptionValue] = field(default_factory=_no_items)
    overlay: str = ""

    def __post_init__(self) -> None:
        texts = (self.title, self.position, self.task)
        if not all(isinstance(text, str) and text for text in texts):
            raise PluginError(f"an exercise needs a title, a position and a task, not {quote(texts)}")
        lines: object = self.lines
        if not (isinstance(lines, tuple) and lines and all(isinstance(one, str) and one for one in lines)):
            raise PluginError(
                f"the lines of the exercise {self.title!r} must be a tuple of texts, not {quote(lines)}"
            )


Meaning = Literal["none", "draw", "loss", "forbidden"]
"""The possible meanings of a repeated position."""
MEANINGS: tuple[Meaning, ...] = get_args(Meaning)
_COUNTS: Mapping[str, int] = MappingProxyType({"none": 0, "draw": 3, "loss": 2, "forbidden": 2})
"""The default of `Repetition.count` for each meaning."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """The meaning of a repeated position in a match.

    Two positions are the same if all of their packed words are equal. These include the side to move
    and everything else that the game packs. The position in which a match starts is counted too.

    Attributes
    ----------
    meaning : str
        `draw`: the match is drawn. `loss`: the side whose move led to the position loses. `forbidden`:
        such a move is not legal (positional superko); a side that has no other move loses, or draws
        if `Facts.no_moves_draws` is set. `none`: positions may repeat.
    count : int
        At which occurrence of a position the rule applies: 3 for the third. By default 3 if `meaning` is
        `draw`, and 2 if it is `loss` or `forbidden`. With `forbidden` and 3, a move is only illegal if it
        makes a position occur for the third time. 0 if `meaning` is `none`.

    Raises
    ------
    LimitError
        If there is no such meaning, or the count is not 2 to 1000, or there is one although `meaning` is
        `none`.

    Examples
    --------
    >>> Repetition("draw")
    Repetition(meaning='draw', count=3)
    >>> str(Repetition("loss", 3)), str(Repetition("forbidden"))
    ('loss:3', 'forbidden:2')
    """

    meaning: Meaning
    count: int = None  # type: ignore[assignment]  # `__post_init__` sets the default

    def __post_init__(self) -> None:
        if self.meaning not in MEANINGS:
            raise LimitError(f"a repeated position must mean {_CHOICES}, not {quote(self.meaning)}")
        count: object = self.count
        if count is None:
            object.__setattr__(self, "count", _COUNTS[self.meaning])
        if self.meaning == "none":
            if self.count != 0:
                raise LimitError(f"a rule that positions may repeat has no count, not {quote(self.count)}")
        elif type(self.count) is not int or not 2 <= self.count <= MAX_OCCURRENCES:
            raise LimitError(
                f"the count of a repetition must be 2 to {MAX_OCCURRENCES}, not {quote(self.count)}"
            )

    @classmethod
    def parse(cls, text: str) -> "Repetition":
        """Return the rule that a text such as `draw`, `loss:3` or `none` describes.

        Raises
        ------
        LimitError
            If the text does not describe a rule.

        Examples
        --------
        >>> Repetition.parse("draw:4")
        Repetition(meaning='draw', count=4)
        """
        meaning, colon, count = text.strip().partition(":")
        if meaning not in MEANINGS:
            raise LimitError(
                f"a repeated position must mean {_CHOICES}, not {quote(meaning)}{suggest(meaning, MEANINGS)}"
            )
        if colon and not (count.isascii() and re.fullmatch("[1-9][0-9]{0,3}", count)):
            raise LimitError(f"a rule about repetition is written like draw:3, not {quote(text)}")
        return cls(meaning, int(count)) if colon else cls(meaning)

    def __str__(self) -> str:
        return self.meaning if self.meaning == "none" else f"{self.meaning}:{self.count}"


MAX_OCCURRENCES = 1000
_CHOICES = f"{', '.join(MEANINGS[:-1])} or {MEANINGS[-1]}"
NO_REPETITION = Repetition("none")
"""Positions may repeat."""
THREEFOLD = Repetition("draw", 3)
"""A match is drawn at the third occurrence of a position: for agents, if a game has no rule of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts about a game with given options.

    Attributes
    ----------
    name, title : str
        Identifier (`abalone`), and name for people (`Abalone`), both as in the game's entry.
    rules : str
        One paragraph for people who do not know the game: how it is played, and who wins.
        `boardgames rules`, `help` in a match and the page show it.
    move_help : str
        How to type a move, with an example. The terminal shows this text after the rules, and the page
        shows it below the field in which moves are typed.
    sides : (str, str)
        Names of side 0, which moves first, and side 1, in the singular, for sentences such as
        "X wins".
    words, actions : int
        Number of words of a packed position, and number of actions; actions are 0 to `actions - 1`.
    longest_match : int or None
        The largest number of plies that a match can last, or None if the rules set no limit.
    ply_limit, no_progress_limit : int or None
        A match between agents is drawn after this many plies, or this many
        plies without a change of score.
    repetition : Repetition or None
        The meaning of a repeated position by the rules of the game. It applies to every match, including
        those of people, unless the match is set up with another rule. If it is None, a match between
        agents is drawn at the third occurrence of a position.
    alternates : bool
        False if the same side may move twice in a row.
    no_moves_draws : bool
        True if the match is a draw when the side to move has no legal move;
        otherwise that side loses.
    no_moves_loses : bool
        True if the rules say that a side without a legal move loses. It loses by default, but
        `boardgames check` reports such matches unless this or `no_moves_draws` is set, because they
        may mean that the author forgot a pass.
    allows_reductions : bool
        True if selective search is worthwhile because most positions have many moves, of which few
        matter.
    score_name : str
        What is counted as points, such as `marbles pushed off`; empty in a game without points.
    no_progress : str
        The beginning of the sentence that explains a draw at `no_progress_limit`, such as `nothing was
        pushed off`; it continues with `for 100 plies`.
    default_agent : str
        The agent that plays the game best with about a second per move, which may be its solver. It is
        the opponent in matches, gives hints and analyses positions unless another agent is named.
    solver : str
        The agent that `boardgames solve` uses, an `ExactPlayer`, if a plug-in offers it for the game.
        Empty if no agent can solve the game with these options.
    default_features : str
        The default feature set of learners; if empty, the alphabetically first one.
    baseline : str
        The agent against which results of training are measured. It must never change, so that results
        of different versions can be compared. It must therefore not use the game's own evaluation, which
        may improve.
    search_baseline : str
        The opponent against which `alphabeta:depth=3` is measured with learned weights; by default
        `baseline`.
    options : tuple of Option
        Options for loading the game; `Game` sets this to its `declared_options`.
    layouts : mapping of str to str
        Texts of the start positions by name; the first is the default.
    move_notations, position_notations : tuple of str
        Names of the notations; the first one is canonical.
    openings : mapping of str to tuple of str
        Named sets of openings for arenas: texts of positions to start from.
    perft : mapping of str to tuple of int
        Known perft counts for depths 1, 2, 3 and so on, by the text of the position.
    presets : mapping of str to mapping
        Settings of learners that suit the game, by the name of the preset and then of the learner.
        Training uses the preset `default` if there is one, and the learner's own defaults for
        everything else. A preset may also have settings for experiments, including `layout`.
    """

    name: str
    title: str
    sides: tuple[str, str]
    words: int
    actions: int
    longest_match: int | None = None
    ply_limit: int | None = None
    no_progress_limit: int | None = None
    repetition: Repetition | None = None
    alternates: bool = True
    no_moves_draws: bool = False
    no_moves_loses: bool = False
    allows_reductions: bool = False
    score_name: str = ""
    no_progress: str = "nobody scored"
    rules: str = ""
    move_help: str = ""
    default_agent: str = "alphabeta"
    solver: str = "solver"
    default_features: str = ""
    baseline: str = "random"
    search_baseline: str = ""
    options: tuple[Option, ...] = ()
    layouts: Mapping[str, str] = field(default_factory=_no_items)
    move_notations: tuple[str, ...] = ("canonical",)
    position_notations: tuple[str, ...] = ("canonical",)
    openings: Mapping[str, tuple[str, ...]] = field(default_factory=_no_items)
    perft: Mapping[str, tuple[int, ...]] = field(default_factory=_no_items)
    presets: Mapping[str, Mapping[str, Mapping[str, object]]] = field(default_factory=_no_items)

    def __post_init__(self) -> None:
        texts = (self.name, self.title, self.default_agent, self.baseline, *self.sides)
        if not all(isinstance(text, str) and text for text in texts):
            raise PluginError(f"the names in the facts of a game must not be empty: {quote(texts)}")
        if len(self.sides) != 2 or self.sides[0] == self.sides[1]:
            raise PluginError(f"a game has two sides with different names, not {quote(self.sides)}")
        limits = (self.longest_match, self.ply_limit, self.no_progress_limit)
        counts = (self.words, self.actions, *(limit for limit in limits if limit is not None))
        if not all(isinstance(count, int) and count > 0 for count in counts):
            raise PluginError(
                f"the counts and limits in the facts must be positive integers: {quote(counts)}"
            )
        if not isinstance(self.repetition, Repetition | None):
            raise PluginError(
                "`repetition` in the facts of a game must be a Repetition, such as "
                f"Repetition('forbidden'), not {quote(self.repetition)}"
            )

    def score_text(self, score: Score, *, proven: bool = False) -> str:
        """Return a score of a position of the game as people read it; see `Score.text`.

        Examples
        --------
        >>> import boardgames
        >>> boardgames.load("connect4").facts.score_text(Score.win(5))
        'win in 3 moves (5 plies)'
        """
        return score.text(proven=proven, alternates=self.alternates)
