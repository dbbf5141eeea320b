"""What `bg experiment` prints: the findings of an experiment as lines of text and as JSON."""

import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from boardgames.cli.tables import table_lines

if TYPE_CHECKING:
    from boardgames.learning.experiments import Figure, Findings, Table

FEW = 2
"""A table of at most so many columns has room for shares beside its figures."""
MANY = 0.1
"""Above this share of matches that repeat others the findings say so."""
NOTHING = "-"

Column = tuple[str, list[str]]
"""A heading and what stands below it."""


def findings_json(findings: "Findings") -> dict[str, object]:
    """Return findings as JSON has them."""
    return {
        "tables": [
            {
                "name": table.name,
                "first": table.first,
                "second": table.second,
                "share_of": table.share_name,
                "figures": [table.fields(figure) for figure in table.figures],
                "totals": [table.fields(figure) for figure in table.totals],
            }
            for table in findings.tables
        ],
        "matches": findings.matches,
        "distinct": findings.distinct,
        "conclusion": findings.conclusion,
    }


def settings_lines(settings: Mapping[str, object]) -> list[str]:
    """Return settings as they are typed, in lines as wide as the terminal.

    Examples
    --------
    >>> settings_lines({"alpha": 0.1, "tanh": True})
    ['alpha=0.1 tanh=true']
    """
    from boardgames.learning.experiments.tables import plain

    told = " ".join(f"{name}={plain(value)}" for name, value in settings.items())
    return textwrap.wrap(told, _width(), break_long_words=False, break_on_hyphens=False)


def findings_lines(findings: "Findings") -> Iterator[str]:
    """Yield findings as lines of text, for a terminal of 80 columns."""
    for table in findings.tables:
        yield from _table_lines(table)
    repeated = findings.matches - findings.distinct
    remark = ": intervals are too narrow, take a longer opening" if repeated > MANY * findings.matches else ""
    yield f"{findings.matches} matches, {findings.distinct} distinct{remark}"
    yield from textwrap.wrap(findings.conclusion, _width(), break_on_hyphens=False)


def _table_lines(table: "Table") -> Iterator[str]:
    """Yield the figures of a table, and its totals with all that is known of them."""
    has_original = any(figure.original for figure in table.figures)
    rows = list(dict.fromkeys(figure.row for figure in table.figures))
    names = list(dict.fromkeys(figure.column for figure in table.figures))
    placed = {(figure.row, figure.column): figure for figure in table.figures}
    columns = [(name, [placed[row, name] for row in rows]) for name in names]
    beside = ", after the bar the original's" if has_original and len(columns) > FEW else ""
    yield f"{table.name}: wins of {table.first} : {table.second}{beside}"
    if len(columns) <= FEW:
        yield from _blocks(rows, [part for name, figures in columns for part in _parts(name, figures, table)])
    else:
        yield from _wide_lines(table, rows, columns, has_original=has_original)
    yield f"totals, with the {table.share_name}'s share of decided matches and its interval of 95 %:"
    yield from table_lines(_totals(table, has_original=has_original), right=range(2, 6), cut=())
    few = [figure.fewest_units for figure in table.totals if table.is_open(figure)]
    if few:
        yield f"[0, 100]: fewer than {max(few)} independent units tell no interval"
    yield ""


def _parts(name: str, figures: "Sequence[Figure]", table: "Table") -> Iterator[Column]:
    """Yield what a table of few columns says of one: wins, the original's if it has any, shares."""
    yield name, [wins(figure.wins) for figure in figures]
    if any(figure.original for figure in figures):
        yield "original", [wins(figure.original) for figure in figures]
    yield "share [95 %]", [_share(table, figure) for figure in figures]


def _wide_lines(
    table: "Table",
    rows: Sequence[str],
    columns: "Sequence[tuple[str, Sequence[Figure]]]",
    *,
    has_original: bool,
) -> Iterator[str]:
    """Yield what a table of many columns says: wins and the original's, then intervals."""

    def told(figure: "Figure") -> str:
        return f"{wins(figure.wins)}|{wins(figure.original)}" if has_original else wins(figure.wins)

    def interval(figure: "Figure") -> str:
        share = _share(table, figure)
        return share if share == NOTHING else share.partition("% ")[2]

    yield from _blocks(rows, _columns(columns, told))
    yield f"the {table.share_name}'s share of decided matches in %, its interval of 95 %:"
    yield from _blocks(rows, _columns(columns, interval))


def _columns(
    columns: "Sequence[tuple[str, Sequence[Figure]]]", told: "Callable[[Figure], str]"
) -> list[Column]:
    return [(name, [told(figure) for figure in figures]) for name, figures in columns]


def _blocks(rows: Sequence[str], columns: Sequence[Column]) -> Iterator[str]:
    """Yield a table, cut into several of the same rows where the terminal is too narrow."""
    left = list(columns)
    while left:
        fits = _fitting(rows, left)
        block, left = left[:fits], left[fits:]
        cells = [("", *(name for name, _ in block))]
        cells += [(row, *(texts[place] for _, texts in block)) for place, row in enumerate(rows)]
        yield from table_lines(cells, right=range(1, fits + 1), cut=())
        yield ""


def _fitting(rows: Sequence[str], columns: Sequence[Column]) -> int:
    """Return how many columns have room beside the names of rows, at least one."""
    room = _width() - max(map(len, rows), default=0) - 1
    for count, (name, texts) in enumerate(columns):
        room -= max(map(len, [name, *texts])) + 1
        if room < 0:
            return max(count, 1)
    return len(columns)


def _totals(table: "Table", *, has_original: bool) -> list[tuple[str, ...]]:
    heading = (
        "",
        "",
        "wins",
        *(["original"] if has_original else []),
        "undecided",
        "distinct",
        "share [95 %]",
    )
    return [heading] + [
        (
            figure.row,
            figure.column,
            wins(figure.wins),
            *([wins(figure.original)] if has_original else []),
            str(figure.undecided),
            str(figure.distinct),
            _share(table, figure),
        )
        for figure in table.totals
    ]


def wins(pair: tuple[int, int] | None) -> str:
    """Return wins as they are printed.

    Examples
    --------
    >>> wins((2, 6)), wins(None)
    ('2:6', '-')
    """
    return NOTHING if pair is None else f"{pair[0]}:{pair[1]}"


def _share(table: "Table", figure: "Figure") -> str:
    share = table.share(figure)
    return NOTHING if share is None else str(share)


def _width() -> int:
    return shutil.get_terminal_size().columns - 1
