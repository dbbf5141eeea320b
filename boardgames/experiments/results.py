"""Results of experiments: tables of wins, or of other numbers, with CSV and charts.

Matches are turned into `Figure`s, and these are summed up by `combine`. `Table.share` gives the share of
decided matches with its interval.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boardgames.adapters import charts
from boardgames.experiments.shares import MIN_UNITS, Share, Wins, estimate_share
from boardgames.selfplay import SelfPlayMatch

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

MEASUREMENT_FIELDS = ("game", "experiment", "seed", "table", "row", "column", "value", "settings")
"""Columns of the CSV of `Measurements`, which has a line for each number."""


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
        cls, row: str, column: str, results: Sequence[SelfPlayMatch], original: Wins | None = None
    ) -> "Figure":
        """Return the figure of matches in pairs; the two matches from one opening are a unit.

        Examples
        --------
        >>> won, lost = SelfPlayMatch(0, 0, False, 9, 1, (0, 0)), SelfPlayMatch(1, 0, False, 9, 2, (0, 0))
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
        The numbers of each row; None for unknown numbers.
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
    """The result of an experiment that measures something other than wins.

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


def count_wins(results: Sequence[SelfPlayMatch]) -> Wins:
    """Return the wins of the first and of the second contestant."""
    first = sum(match.winner == match.side for match in results)
    return first, sum(match.winner is not None for match in results) - first


def format_setting(value: object) -> str:
    """Return the value of a setting as users type it on the command line."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
