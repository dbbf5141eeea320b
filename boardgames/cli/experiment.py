"""`bg experiment`: what learning does, measured, in tables beside those of an original."""

import hashlib
import secrets
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.interrupts import interrupt_on_termination
from boardgames.cli.loading import load_game
from boardgames.cli.options import NON_NEGATIVE, POSITIVE, examples, game_options, json_option, user_path
from boardgames.cli.output import print_json, table_lines
from boardgames.errors import FileError
from boardgames.options import parse_assignments

if TYPE_CHECKING:
    from boardgames.learning.experiments import Experiment, Figure, Findings, Listener, Progress, Table

FOLDER = "experiments"
FEW = 2
"""A table of at most so many columns has room for shares beside its figures."""
MANY = 0.1
"""Above this share of matches that repeat others the findings say so."""
NOTHING = "-"

Column = tuple[str, list[str]]
"""A heading and what stands below it."""


@click.command(
    epilog=examples(
        "boardgames experiment abalone",
        "boardgames experiment abalone basic-training --seed 1",
        "boardgames experiment abalone basic-training --set repetitions=20",
        "boardgames experiment connect4 fine-tuning --csv tuning.csv",
    )
)
@click.argument("game_name", metavar="GAME")
@click.argument("name", metavar="[NAME]", required=False)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set an option of the experiment; may be given several times.",
)
@game_options
@click.option("--seed", type=NON_NEGATIVE, metavar="N", help="Make everything random repeatable; else drawn.")
@click.option("--workers", type=POSITIVE, metavar="N", help="Processes; by default one a core.")
@click.option("--cluster", metavar="ADDRESS", help="Work on a cluster: local, or a scheduler's address.")
@click.option(
    "--csv", "csv_text", metavar="FILE", help="Write the figures there; by default below your data."
)
@json_option
def experiment(
    game_name: str,
    name: str | None,
    settings: tuple[str, ...],
    layout: str | None,
    options: tuple[str, ...],
    seed: int | None,
    workers: int | None,
    cluster: str | None,
    csv_text: str | None,
    as_json: bool,
) -> None:
    """Try what learning does in GAME, and print tables of wins; without NAME, list what can be tried.

    Figures stand beside those of an earlier, original experiment where there
    was one. Matches begin with a few moves by chance, each such opening being
    played with both colours; the tables say how many matches were distinct.
    All figures are written as CSV too. The number of workers changes nothing.
    """
    if name is None:
        _list(game_name, as_json)
        return
    from boardgames.learning.experiments import load_experiment

    game = load_game(game_name, layout, options)
    found = load_experiment(name, game, **parse_assignments(settings))
    seed = secrets.randbits(32) if seed is None else seed
    path = _csv_path(csv_text, f"{game_name}-{name}-{seed}-{_stamp(found)}.csv")
    with interrupt_on_termination():
        if not as_json:
            heading = f"{game.describe()}, {name}, seed {seed}"
            click.echo("\n".join([heading, *settings_lines(found.settings), ""]))
        findings = _run(found, seed, workers, cluster)
    _tell(found, name, seed, findings, path, as_json)


def _run(found: "Experiment", seed: int, workers: int | None, cluster: str | None) -> "Findings":
    from boardgames.executors import open_executor

    with (
        redirect_stdout(sys.stderr),
        open_executor(workers, cluster=cluster) as executor,
        _shown() as listener,
    ):
        return found.run(executor, seed, listener)


def _tell(found: "Experiment", name: str, seed: int, findings: "Findings", path: Path, as_json: bool) -> None:
    """Print what was found, then write the CSV: the disk may be full by now."""
    from boardgames.paths import write_atomic

    game = found.game
    if as_json:
        print_json(
            game=game.facts.name,
            layout=game.layout,
            options=dict(game.options),
            experiment=name,
            seed=seed,
            settings=found.settings,
            **findings_json(findings),
            csv=str(path),
        )
    else:
        click.echo("\n".join(findings_lines(findings)))
    write_atomic(path, findings.csv(game.facts.name, name, seed, found.settings))
    if not as_json:
        click.echo(f"figures are in {path}")


def _stamp(found: "Experiment") -> str:
    """Return a short hash of all settings: findings with others go to another file."""
    from boardgames.learning.experiments import format_setting

    settings = sorted((name, format_setting(value)) for name, value in found.settings.items())
    return hashlib.sha256(f"{found.game.describe()} {settings}".encode()).hexdigest()[:8]


def _csv_path(text: str | None, default: str) -> Path:
    """Return where the figures go; what is no place for them is refused before the work, not after."""
    from boardgames.paths import data_folder

    path = data_folder() / FOLDER / default if text is None else user_path(text)
    try:
        _try_writing(path.resolve())
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"cannot write {path}: {reason.lower()}") from None
    return path


def _try_writing(path: Path) -> None:
    """Raise OSError if a file cannot be put there; folders made for the attempt go again."""
    if path.exists() and not path.is_file():
        raise OSError("is a directory" if path.is_dir() else "no regular file")
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(prefix=".", dir=path.parent):
            pass
    finally:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()


def _list(game: str, as_json: bool) -> None:
    """Print the experiments of a game, with their options."""
    from boardgames.plugins import registry

    found = registry()
    found.check_name("games", game)
    offers = found.offers("experiments", game)
    if as_json:
        rows = [
            {"name": offer.entry.name, "summary": offer.entry.summary, "plugin": offer.plugin}
            for offer in offers
        ]
        print_json(game=game, experiments=rows)
        return
    for offer in offers:
        click.echo(f"{offer.entry.name:<16} {offer.entry.summary}")
        for option in found.load("experiments", offer.entry.name, game).declared_options:
            default = "not set" if option.default is None else str(option.default).lower()
            click.echo(f"  {option.name}={option.describe_values()} ({default}): {option.summary}")


@contextmanager
def _shown() -> "Iterator[Listener | None]":
    """Show on a terminal how far the work has come; yields what hears of it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    with Bars(console=Console(stderr=True), transient=True, redirect_stdout=False) as bars:
        shown: dict[str, TaskID] = {}

        def hear(progress: "Progress") -> None:
            if progress.stage not in shown:
                shown[progress.stage] = bars.add_task(progress.stage, total=progress.total)
            bars.update(shown[progress.stage], completed=progress.done, total=progress.total)

        yield hear


# --- the findings ---


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
    from boardgames.learning.experiments import format_setting

    told = " ".join(f"{name}={format_setting(value)}" for name, value in settings.items())
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
    few = [figure.min_units for figure in table.totals if table.is_open(figure)]
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
