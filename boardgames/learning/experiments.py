"""Experiments: learning measured in tables of wins, with confidence intervals, or other measurements.

An experiment belongs to a plug-in, which subclasses `Experiment`. Its `run`
sends tasks to an executor with `run_tasks`. One that plays matches turns them into
`Figure`s and sums these up with `combine`; `Table.share` gives the share of decided
matches with its interval, and `Findings.csv` writes everything as CSV. One that
measures something else returns `Measurements`, numbers in `Grid`s.

Intervals are Wilson's, which assume independent matches. These are not: the two
matches from one opening are related, and so are all matches of one player.
They are therefore grouped into units that are independent of each other
(openings for a single figure, whole trainings for a total), and the number of
matches is divided by the design effect: the variance between units relative to
that of independent matches. Matches without a winner are ignored, since the
question is who wins the decided ones; the arena's intervals count them as half
a win.

Sources: E. Wilson, "Probable inference, the law of succession, and statistical
inference", 1927; E. Korn and B. Graubard, "Confidence intervals for proportions
with small expected number of positive counts estimated from survey data", 1998.
"""

import csv
import io
import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from boardgames.adapters import charts
from boardgames.arena.pentanomial import Z, t_quantile
from boardgames.errors import BoardgamesError, PluginError, describe_error
from boardgames.executors import worker_count
from boardgames.game import Game
from boardgames.learning.base import FEATURES, OPENING, PLY_LIMIT, Configured, find_features
from boardgames.options import Option, OptionValue, read_options
from boardgames.plugins import registry
from boardgames.selfplay import MatchResult, MatchSetup

Result = TypeVar("Result")

Wins = tuple[int, int]
"""Matches won by the first player, and by the second."""

MIN_UNITS = 3
"""With fewer units of many matches each, the variance between units is unknown."""
DIGITS = 4
CSV_FIELDS = (
    "game", "experiment", "seed", "table", "row", "column", "total", "first", "second",
    "first_wins", "second_wins", "unfinished", "distinct", "share_of", "share", "share_low", "share_high",
    "original_first_wins", "original_second_wins", "order", "settings",
)  # fmt: skip
"""Columns of the CSV, which has a line for each figure; JSON has the same names.

`total` is 1 for a figure that sums up others. `unfinished` matches were drawn or
reached the ply limit. `share` is `share_of`'s share of the decided matches.
`original_first_wins` and `original_second_wins` are the result of an earlier
experiment. `order` has a character per match: `+` if the first player won, `-` if the
second did, `.` otherwise. `settings` are `name=value`, separated by spaces. Unknown values are
empty.
"""

TESTS = Option(
    "test_matches", int, 10, "test matches of each player, two from each opening", minimum=1, maximum=100_000
)

MEASUREMENT_FIELDS = ("game", "experiment", "seed", "table", "row", "column", "value", "settings")
"""Columns of the CSV of `Measurements`, which has a line for each number."""

# --- experiments ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of an experiment: its current stage, and how many of the stage's tasks are done."""

    stage: str
    done: int
    total: int


Listener = Callable[[Progress], None]


class Experiment(Configured, ABC):
    """Base class of the experiments that `bg_experiments` offers.

    Parameters
    ----------
    game : Game
        The game.
    options : keywords
        See `declared_options`.

    Attributes
    ----------
    has_chart : bool
        True if it returns `Measurements`, which can be drawn.

    Raises
    ------
    OptionError
        If an option is unknown or has an invalid value.
    """

    name: ClassVar[str]
    declared_options: ClassVar[tuple[Option, ...]] = ()
    has_chart: ClassVar[bool] = False

    def __init__(self, game: Game, **options: object) -> None:
        self.game = game
        owner = f"experiment {self.name!r}"
        self.options: dict[str, OptionValue] = read_options(self.declared_options, options, owner)

    @abstractmethod
    def run(
        self, executor: Executor, seed: int, listener: Listener | None = None
    ) -> "Findings | Measurements":
        """Return the results.

        Work is sent to `executor` in tasks that are seeded by their content, so
        that equal seeds give equal results on any number of workers.
        """

    @property
    def settings(self) -> dict[str, OptionValue]:
        """Return all options."""
        return dict(self.options)


class LearningExperiment(Experiment):
    """Base class of experiments in which weights of features are learned.

    A subclass declares at least the options `FEATURES`, `OPENING` and `PLY_LIMIT`.

    Attributes
    ----------
    features : FeatureSet
        The features whose weights are learned.
    setup : MatchSetup
        Setup of all matches.

    Raises
    ------
    OptionError
        If an option is unknown or has an invalid value, or the game has no features.
    """

    declared_options: ClassVar[tuple[Option, ...]] = (FEATURES, OPENING, PLY_LIMIT)

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        self.features = find_features(game, self.text("features"))
        self.setup = MatchSetup.of(
            game, self.features.name, opening=self.integer("opening"), ply_limit=self.integer("ply_limit")
        )

    @property
    def settings(self) -> dict[str, OptionValue]:
        """Return all options, with the name of the default feature set filled in."""
        return {**self.options, "features": self.features.name}


def load_experiment(name: str, game: Game, /, **options: object) -> Experiment:
    """Return an experiment by name, with options as values or texts.

    Raises
    ------
    UnknownNameError, OptionError, PluginError
        If there is no such experiment or option, or its plug-in is broken.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> load_experiment("basic-training", game, matches="20").settings["matches"]
    20
    """
    loaded = registry().load("experiments", name, game.facts.name)
    if not (isinstance(loaded, type) and issubclass(loaded, Experiment)):
        raise PluginError(f"experiment {name!r} must be a subclass of Experiment, not {loaded!r}")
    try:
        # read first, so that no option is mistaken for another keyword
        return loaded(game, **read_options(loaded.declared_options, options, f"experiment {name!r}"))
    except BoardgamesError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"experiment {name!r} is broken: {describe_error(error)}") from error


def run_tasks(
    executor: Executor, tasks: Sequence[Callable[[], Result]], listener: Listener | None, stage: str
) -> list[Result]:
    """Run tasks and return their results in order; the listener is called after each.

    Only a few tasks are submitted ahead, because some executors run each task
    immediately, and the listener should be called after each.

    Examples
    --------
    >>> from functools import partial
    >>> from boardgames.executors import InProcess
    >>> run_tasks(InProcess(), [partial(abs, -1), partial(abs, 2)], print, "signs")
    Progress(stage='signs', done=0, total=2)
    Progress(stage='signs', done=1, total=2)
    Progress(stage='signs', done=2, total=2)
    [1, 2]
    """
    results: list[Result] = []
    pending: deque[Future[Result]] = deque()

    def report() -> None:
        if listener is not None:
            listener(Progress(stage, len(results), len(tasks)))

    report()
    for task in tasks:
        pending.append(executor.submit(task))
        while len(pending) > 2 * worker_count(executor) - 2:  # workers may have joined
            results.append(pending.popleft().result())
            report()
    while pending:
        results.append(pending.popleft().result())
        report()
    return results


# --- tables -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figure:
    """The results of matches between two players: one cell of a table.

    Attributes
    ----------
    row, column : str
        Labels of the cell.
    units : tuple of (int, int)
        Wins of the first and of the second player in each independent unit; see `estimate_share`.
    unfinished : int
        Matches without a winner: draws, and those that reached the ply limit.
    distinct : int
        Number of matches with distinct moves.
    order : str
        The results in order: `+` if the first player won, `-` if the second did, `.` without a winner;
        empty for a figure that sums up others.
    original : (int, int) or None
        Wins in an earlier experiment.
    min_units : int
        With fewer decided units the interval is unknown.
    """

    row: str
    column: str
    units: tuple[Wins, ...]
    unfinished: int
    distinct: int
    original: Wins | None = None
    min_units: int = 1
    order: str = ""

    @classmethod
    def of(
        cls, row: str, column: str, results: Sequence[MatchResult], original: Wins | None = None
    ) -> "Figure":
        """Return the figure of matches in pairs; the two matches from one opening are a unit.

        Examples
        --------
        >>> won, lost = MatchResult(0, 0, False, 9, 1, (0, 0)), MatchResult(1, 0, False, 9, 2, (0, 0))
        >>> Figure.of("training 1", "winner", [won, lost, won, won]).units
        ((1, 1), (2, 0))
        """
        units = tuple(count_wins(results[place : place + 2]) for place in range(0, len(results), 2))
        unfinished = sum(match.winner is None for match in results)
        distinct = len({match.moves_hash for match in results})
        order = "".join("." if m.winner is None else "+" if m.winner == m.side else "-" for m in results)
        return cls(row, column, units, unfinished, distinct, original, order=order)

    @property
    def wins(self) -> Wins:
        """Return the wins of the first and of the second player."""
        return sum(first for first, _ in self.units), sum(second for _, second in self.units)

    @property
    def matches(self) -> int:
        """Return the number of matches."""
        return sum(self.wins) + self.unfinished


@dataclass(frozen=True, slots=True)
class Table:
    """Figures of one kind of match.

    Attributes
    ----------
    name : str
        A short title.
    first, second : str
        The players; a figure shows their wins as `first : second`.
    subject : int
        Whose share of the decided matches is shown: 0 for the first player, 1 for the second.
    figures, totals : tuple of Figure
        The figures by row, and their sums.
    is_ordered : bool
        Whether the order of the results matters, because players change from match to match.
    """

    name: str
    first: str
    second: str
    subject: int
    figures: tuple[Figure, ...]
    totals: tuple[Figure, ...]
    is_ordered: bool = False

    @property
    def share_name(self) -> str:
        """Return the player whose share is shown."""
        return (self.first, self.second)[self.subject]

    def share(self, figure: Figure) -> "Share | None":
        """Return the subject's share of a figure's decided matches, or None if there are none."""
        units = [(unit[self.subject], unit[1 - self.subject]) for unit in figure.units]
        return estimate_share(units, figure.min_units)

    def is_open(self, figure: Figure) -> bool:
        """Return whether a figure has decided matches, but in too few units for an interval."""
        return 0 < sum(any(unit) for unit in figure.units) < figure.min_units

    def fields(self, figure: Figure) -> dict[str, object]:
        """Return the fields of a figure in CSV and JSON; see `CSV_FIELDS`."""
        share = self.share(figure)
        values = (None, None, None) if share is None else (share.value, share.low, share.high)
        rounded = [None if value is None else round(value, DIGITS) for value in values]
        wins, original = figure.wins, figure.original or (None, None)
        return {
            "row": figure.row,
            "column": figure.column,
            "first_wins": wins[0],
            "second_wins": wins[1],
            "unfinished": figure.unfinished,
            "distinct": figure.distinct,
            **dict(zip(("share", "share_low", "share_high"), rounded, strict=True)),
            "original_first_wins": original[0],
            "original_second_wins": original[1],
            "order": figure.order or None,
        }


@dataclass(frozen=True, slots=True)
class Findings:
    """The result of an experiment: tables, and a conclusion in one sentence."""

    tables: tuple[Table, ...]
    conclusion: str

    @property
    def matches(self) -> int:
        """Return the number of matches in all figures."""
        return sum(figure.matches for table in self.tables for figure in table.figures)

    @property
    def distinct(self) -> int:
        """Return the number of matches that differ in players or moves."""
        return sum(figure.distinct for table in self.tables for figure in table.figures)

    def csv(self, game: str, experiment: str, seed: int, settings: Mapping[str, object]) -> str:
        """Return all figures and totals as CSV (RFC 4180) with the columns `CSV_FIELDS`."""
        setting_texts = [f"{name}={format_setting(value)}" for name, value in settings.items()]
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, CSV_FIELDS)
        writer.writeheader()
        for table in self.tables:
            common = {
                "game": game, "experiment": experiment, "seed": seed, "table": table.name,
                "first": table.first, "second": table.second, "share_of": table.share_name,
                "settings": " ".join(setting_texts),
            }  # fmt: skip
            for total, figures in enumerate((table.figures, table.totals)):
                writer.writerows({**common, "total": total, **table.fields(figure)} for figure in figures)
        return text.getvalue()


@dataclass(frozen=True, slots=True)
class Grid:
    """Numbers by row and column.

    Attributes
    ----------
    name : str
        What the numbers are.
    columns, rows : tuple of str
        Labels. A chart has a curve for each row, over the columns whose labels are integers.
    values : tuple of tuple of float or None
        The numbers of each row; None if one is unknown.
    digits : int
        Decimals to print.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    digits: int = 2


@dataclass(frozen=True, slots=True)
class Measurements:
    """The result of an experiment that measures other things than wins.

    Attributes
    ----------
    axis : str
        What the columns of all grids are, such as `ply`.
    grids : tuple of Grid
        The numbers.
    conclusion : str
        One sentence.
    """

    axis: str
    grids: tuple[Grid, ...]
    conclusion: str

    def csv(self, game: str, experiment: str, seed: int, settings: Mapping[str, object]) -> str:
        """Return all numbers as CSV (RFC 4180) with the columns `MEASUREMENT_FIELDS`."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(MEASUREMENT_FIELDS)
        setting_texts = " ".join(f"{name}={format_setting(value)}" for name, value in settings.items())
        for grid in self.grids:
            for row, values in zip(grid.rows, grid.values, strict=True):
                for column, value in zip(grid.columns, values, strict=True):
                    number = None if value is None else round(value, DIGITS)
                    writer.writerow((game, experiment, seed, grid.name, row, column, number, setting_texts))
        return text.getvalue()

    def svg(self, title: str) -> str:
        """Return a chart with a panel for each grid, as an SVG document.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        panels = []
        for grid in self.grids:
            curves = {
                row: [
                    (int(column), value)
                    for column, value in zip(grid.columns, values, strict=True)
                    if column.isdigit() and value is not None
                ]
                for row, values in zip(grid.rows, grid.values, strict=True)
            }
            panels.append(charts.Panel(grid.name, curves))
        return charts.curve_chart(panels, title=title, axis=self.axis)


def combine(row: str, column: str, figures: Sequence[Figure], original: Wins | None = None) -> Figure:
    """Return the sum of figures, each of which becomes one unit.

    Examples
    --------
    >>> both = [Figure("1", "a", ((1, 1), (0, 2)), 0, 4), Figure("2", "a", ((1, 0),), 1, 2)]
    >>> total = combine("total", "a", both)
    >>> total.units, total.unfinished, total.distinct
    (((1, 3), (1, 0)), 1, 6)
    """
    return Figure(
        row,
        column,
        tuple(figure.wins for figure in figures),
        sum(figure.unfinished for figure in figures),
        sum(figure.distinct for figure in figures),
        original,
        MIN_UNITS,
    )


def count_wins(results: Sequence[MatchResult]) -> Wins:
    """Return the wins of the first contestant and of the other."""
    first = sum(match.winner == match.side for match in results)
    return first, sum(match.winner is not None for match in results) - first


def sum_wins(wins: Sequence[Wins]) -> Wins | None:
    """Return the sum of wins, None for an empty sequence.

    Examples
    --------
    >>> sum_wins([(2, 6), (1, 9)]), sum_wins([])
    ((3, 15), None)
    """
    if not wins:
        return None
    return sum(first for first, _ in wins), sum(second for _, second in wins)


def format_setting(value: object) -> str:
    """Return the value of a setting as it is typed on the command line."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


# --- confidence intervals ---------------------------------------------------


@dataclass(frozen=True, slots=True)
class Share:
    """A share of decided matches with its 95% interval, all in [0, 1].

    Examples
    --------
    >>> print(Share(0.896, 0.778, 0.955))
    90% [78, 96]
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{percent(self.value)}% [{percent(self.low)}, {percent(self.high)}]"


def estimate_share(units: Sequence[Wins], min_units: int = 1) -> Share | None:
    """Return the first player's share of the decided matches, or None if there are none.

    After a clean sweep the variance between units is unknown. The interval is
    then that of the same units with one match lost, or that of one match per
    unit if it is narrower, so that no other result has a better bound.

    Parameters
    ----------
    units : sequence of (int, int)
        Wins of the first and of the second player in each independent unit.
    min_units : int
        With fewer decided units, the interval is 0 to 1.

    Examples
    --------
    >>> print(estimate_share([(1, 1), (2, 0), (1, 0), (2, 0), (1, 1)]))
    78% [37, 95]
    >>> print(estimate_share([(2, 0)] * 5), estimate_share([(9, 0)] * 20), estimate_share([(0, 0)]))
    100% [57, 100] 100% [97, 100] None
    >>> print(estimate_share([(9, 1), (8, 2)], min_units=MIN_UNITS))
    85% [0, 100]
    """
    decided = [(won, won + lost) for won, lost in units if won + lost]
    count = sum(size for _, size in decided)
    if not count:
        return None
    share = sum(won for won, _ in decided) / count
    if len(decided) < min_units:
        return Share(share, 0.0, 1.0)
    if share == 1:
        return Share(1.0, _sweep_bound(decided), 1.0)
    if share == 0:
        return Share(0.0, 0.0, 1.0 - _sweep_bound(decided))
    return Share(share, *wilson(share, count / _design_effect(decided, share)))


def wilson(share: float, count: float) -> tuple[float, float]:
    """Return Wilson's 95% interval for a share of `count` independent observations.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(0.9, 10)]
    [0.596, 0.982]
    """
    square = Z * Z / count
    middle = (share + square / 2) / (1 + square)
    reach = Z / (1 + square) * math.sqrt(share * (1 - share) / count + square / (4 * count))
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def percent(share: float) -> int:
    """Return a share as an integer percentage; halves are rounded up."""
    return math.floor(100 * share + 0.5)


def _sweep_bound(decided: Sequence[Wins]) -> float:
    """Return the lower end of the interval after a clean sweep, given the units, which were all won."""
    sizes = sorted(size for _, size in decided)
    count, one_match_per_unit = sum(sizes), wilson(1.0, len(sizes))[0]
    if count == len(sizes):
        return one_match_per_unit
    one_lost = [*((size, size) for size in sizes[:-1]), (sizes[-1] - 1, sizes[-1])]
    share = 1 - 1 / count
    return max(one_match_per_unit, wilson(share, count / _design_effect(one_lost, share))[0])


def _design_effect(decided: Sequence[Wins], share: float) -> float:
    """Return the variance of the share relative to that of independent matches, at least 1.

    Parameters
    ----------
    decided : sequence of (int, int)
        Matches won by the first player, and decided matches, in each unit.
    share : float
        Share over all units, neither 0 nor 1.
    """
    units, count = len(decided), sum(size for _, size in decided)
    if units == 1:
        return count
    squares = sum((won - share * size) ** 2 for won, size in decided)
    observed = units / (units - 1) * squares / count**2
    # the variance of few units is itself uncertain, hence Student's t instead of the normal quantile
    widened = observed * (t_quantile(units - 1) / Z) ** 2
    return max(widened / (share * (1 - share) / count), 1.0)
