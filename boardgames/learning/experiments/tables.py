"""What an experiment finds: tables of figures, and a conclusion; as CSV too.

Columns of the CSV, one line a figure: `game`, `experiment`, `seed`; `table`,
`row`, `column`, where the figure stands, and `total`, 1 if it sums others up;
`first`, `second`, who played; `first_wins`, `second_wins`, `undecided` (drawn,
or at the limit of plies), `distinct` matches; `share_of`, whose share of the
decided matches follows, with the ends of its interval of 95 %: `share`,
`share_low`, `share_high`; `original_first_wins`, `original_second_wins`, what
an earlier experiment found; `settings`, `name=value` with spaces between. What
is not known is empty. JSON has the same names.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boardgames.learning.experiments.shares import FEWEST, Share, Wins, share_of
from boardgames.selfplay import MatchResult

DIGITS = 4
CSV_FIELDS = (
    "game", "experiment", "seed", "table", "row", "column", "total", "first", "second",
    "first_wins", "second_wins", "undecided", "distinct", "share_of", "share", "share_low", "share_high",
    "original_first_wins", "original_second_wins", "settings",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figure:
    """How the matches of two players ended, at a place of a table.

    Attributes
    ----------
    row, column : str
        The place.
    units : tuple of (int, int)
        Wins of the first and of the second, by what is independent; see `share_of`.
    undecided : int
        Matches that were drawn or ended at the limit of plies.
    distinct : int
        Matches that differ in their moves.
    original : (int, int) or None
        Wins in an earlier experiment.
    fewest_units : int
        From fewer no interval is told.
    """

    row: str
    column: str
    units: tuple[Wins, ...]
    undecided: int
    distinct: int
    original: Wins | None = None
    fewest_units: int = 1

    @classmethod
    def of(
        cls, row: str, column: str, ended: Sequence[MatchResult], original: Wins | None = None
    ) -> "Figure":
        """Return the figure of matches that come in pairs of one opening.

        Examples
        --------
        >>> won, lost = MatchResult(0, 0, False, 9, 1, (0, 0)), MatchResult(1, 0, False, 9, 2, (0, 0))
        >>> Figure.of("training 1", "winner", [won, lost, won, won]).units
        ((1, 1), (2, 0))
        """
        units = tuple(wins_of(ended[place : place + 2]) for place in range(0, len(ended), 2))
        undecided = sum(match.winner is None for match in ended)
        return cls(row, column, units, undecided, len({match.moves_hash for match in ended}), original)

    @property
    def wins(self) -> Wins:
        """Return the wins of the first and of the second."""
        return sum(first for first, _ in self.units), sum(second for _, second in self.units)

    @property
    def matches(self) -> int:
        """Return the number of matches."""
        return sum(self.wins) + self.undecided


@dataclass(frozen=True, slots=True)
class Table:
    """Figures of one kind of match.

    Attributes
    ----------
    name : str
        One word or a few, for a headline.
    first, second : str
        Who plays; their wins stand before and after the colon.
    subject : int
        Whose share of decided matches is told: 0 the first's, 1 the second's.
    figures, totals : tuple of Figure
        By rows; and what sums them up.
    """

    name: str
    first: str
    second: str
    subject: int
    figures: tuple[Figure, ...]
    totals: tuple[Figure, ...]

    @property
    def share_name(self) -> str:
        """Return whose share is told."""
        return (self.first, self.second)[self.subject]

    def share(self, figure: Figure) -> Share | None:
        """Return the subject's share of the decided matches of a figure, None if there are none."""
        units = [(unit[self.subject], unit[1 - self.subject]) for unit in figure.units]
        return share_of(units, figure.fewest_units)

    def is_open(self, figure: Figure) -> bool:
        """Say whether a figure has a share, but of too few units for an interval."""
        return 0 < sum(any(unit) for unit in figure.units) < figure.fewest_units

    def fields(self, figure: Figure) -> dict[str, object]:
        """Return what CSV and JSON say of a figure, by the names that the module lists."""
        share = self.share(figure)
        values = (None, None, None) if share is None else (share.value, share.low, share.high)
        ends = [None if value is None else round(value, DIGITS) for value in values]
        wins, original = figure.wins, figure.original or (None, None)
        return {
            "row": figure.row,
            "column": figure.column,
            "first_wins": wins[0],
            "second_wins": wins[1],
            "undecided": figure.undecided,
            "distinct": figure.distinct,
            **dict(zip(("share", "share_low", "share_high"), ends, strict=True)),
            "original_first_wins": original[0],
            "original_second_wins": original[1],
        }


@dataclass(frozen=True, slots=True)
class Findings:
    """What an experiment has found: its tables, and what they say in one sentence."""

    tables: tuple[Table, ...]
    conclusion: str

    @property
    def matches(self) -> int:
        """Return the number of matches in all figures."""
        return sum(figure.matches for table in self.tables for figure in table.figures)

    @property
    def distinct(self) -> int:
        """Return how many of them differ in who played or in moves."""
        return sum(figure.distinct for table in self.tables for figure in table.figures)

    def csv(self, game: str, experiment: str, seed: int, settings: Mapping[str, object]) -> str:
        """Return all figures and totals as CSV (RFC 4180), columns as the module lists them."""
        told = " ".join(f"{name}={plain(value)}" for name, value in settings.items())
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, CSV_FIELDS)
        writer.writeheader()
        for table in self.tables:
            same = {
                "game": game, "experiment": experiment, "seed": seed, "table": table.name,
                "first": table.first, "second": table.second, "share_of": table.share_name, "settings": told,
            }  # fmt: skip
            for total, figures in enumerate((table.figures, table.totals)):
                writer.writerows({**same, "total": total, **table.fields(figure)} for figure in figures)
        return text.getvalue()


def merged(row: str, column: str, figures: Sequence[Figure], original: Wins | None = None) -> Figure:
    """Return the sum of figures, each of them one unit.

    Examples
    --------
    >>> both = [Figure("1", "a", ((1, 1), (0, 2)), 0, 4), Figure("2", "a", ((1, 0),), 1, 2)]
    >>> total = merged("total", "a", both)
    >>> total.units, total.undecided, total.distinct
    (((1, 3), (1, 0)), 1, 6)
    """
    return Figure(
        row,
        column,
        tuple(figure.wins for figure in figures),
        sum(figure.undecided for figure in figures),
        sum(figure.distinct for figure in figures),
        original,
        FEWEST,
    )


def wins_of(ended: Sequence[MatchResult]) -> Wins:
    """Return how many matches the first has won, and how many the second."""
    first = sum(match.winner == match.side for match in ended)
    return first, sum(match.winner is not None for match in ended) - first


def added(wins: Sequence[Wins]) -> Wins | None:
    """Return the sums of wins, None of nothing.

    Examples
    --------
    >>> added([(2, 6), (1, 9)]), added([])
    ((3, 15), None)
    """
    if not wins:
        return None
    return sum(first for first, _ in wins), sum(second for _, second in wins)


def plain(value: object) -> str:
    """Return a setting as it is typed."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
