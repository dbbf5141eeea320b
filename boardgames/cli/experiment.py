"""`boardgames experiment`: run experiments and print tables of their results."""

import hashlib
import secrets
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import complete_experiment, complete_game
from boardgames.cli.continuing import add_continue_text, continue_text, same_command
from boardgames.cli.interrupts import interrupt_on_termination
from boardgames.cli.loading import load_game
from boardgames.cli.options import (
    NON_NEGATIVE,
    examples,
    game_options,
    json_option,
    output_path,
    settings_option,
    worker_options,
)
from boardgames.cli.output import (
    one_line,
    print_json,
    say,
    table_lines,
    wrap,
)
from boardgames.cli.program import PROGRAM
from boardgames.cli.progress import progress_bars
from boardgames.cli.settings import CommandWithSettings
from boardgames.compiling import compilation_at_import
from boardgames.errors import ClusterError, FileError, OptionError, WorkerError
from boardgames.options import parse_assignments

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from boardgames.experiments import Experiment, Figure, Findings, Listener, Measurements, Table

FOLDER = "experiments"
LAYOUT = "layout"
"""Name of the one setting in a preset that is not an option of the experiment."""
NARROW_COLUMNS = 2
"""A table with at most this many columns also shows shares."""
REPEATED_SHARE = 0.1
"""Share of repeated matches above which the results carry a warning."""
MISSING = "-"

Column = tuple[str, list[str]]
"""A header and the cells below it."""


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "boardgames experiment abalone",
        "boardgames experiment abalone basic-training --help",
        "boardgames experiment abalone basic-training --seed 1",
        "boardgames experiment abalone basic-training --set repetitions=20",
        "boardgames experiment abalone fine-tuning --preset original",
        "boardgames experiment connect4 fine-tuning --csv tuning.csv",
    ),
)
@click.argument("game_name", metavar="GAME", shell_complete=complete_game)
@click.argument("name", metavar="[NAME]", required=False, shell_complete=complete_experiment)
@settings_option("experiment")
@click.option(
    "--preset", metavar="NAME", help="Use settings that the game offers under this name, such as `original`."
)
@game_options
@click.option("--seed", type=NON_NEGATIVE, metavar="N", help="Seed of the experiment; default: random.")
@worker_options
@click.option(
    "--csv",
    "csv_text",
    metavar="FILE",
    help="File for the results; default: one in your data folder.",
)
@click.option(
    "--svg",
    "svg_text",
    metavar="FILE",
    help="Draw the results; does not work with experiments that count wins.",
)
@json_option
@compilation_at_import()
def experiment(
    game_name: str,
    name: str | None,
    settings: tuple[str, ...],
    preset: str | None,
    layout: str | None,
    options: tuple[str, ...],
    seed: int | None,
    workers: int | None,
    cluster: str | None,
    csv_text: str | None,
    svg_text: str | None,
    as_json: bool,
) -> None:
    """Run the experiment NAME in GAME, or list the experiments.

    If the experiment repeats an earlier one, the tables also show the wins of the
    original, and --preset original uses the settings closest to those of the
    original; --set and --layout override them. Matches start with a few random
    moves; every such opening is played twice, with sides exchanged. The results
    do not depend on the number of workers, and are also written to a CSV file.

    If an experiment is interrupted, the same command with the same seed resumes it.
    """
    if name is None:
        _list(game_name, as_json)
        return
    from boardgames.experiments import Measurements, load_experiment
    from boardgames.learning.config import preset_settings
    from boardgames.paths import data_folder, write_atomic

    game = load_game(game_name, layout, options)
    given = dict(preset_settings(game, preset, name))
    preset_layout = given.pop(LAYOUT, None)
    if layout is None and preset_layout is not None:
        game = load_game(game_name, str(preset_layout), options)
    chosen = load_experiment(name, game, **{**given, **parse_assignments(settings)})
    seed = secrets.randbits(32) if seed is None else seed
    stem = f"{game_name}-{name}-{seed}-{_stamp(chosen)}"
    path = _csv_path(csv_text, f"{stem}.csv")
    chart = None if svg_text is None else _chart_path(svg_text, chosen)
    folder = data_folder() / FOLDER / stem
    with interrupt_on_termination():
        if not as_json:
            heading = f"{game.describe()}, {name}, seed {seed}"
            say("\n".join([heading, *settings_lines(chosen.settings), ""]))
        findings = _run(chosen, seed, folder, workers, cluster)
    _report(chosen, name, seed, findings, path, as_json)
    if chart is not None and isinstance(findings, Measurements):
        write_atomic(chart, findings.svg(f"{game.facts.title}: {name}"))
        if not as_json:
            say(f"wrote {chart}")
    shutil.rmtree(folder, ignore_errors=True)


def _run(
    chosen: "Experiment", seed: int, folder: Path, workers: int | None, cluster: str | None
) -> "Findings | Measurements":
    """Run an experiment; the results of finished tasks are kept in `folder`."""
    from boardgames.executors import open_executor
    from boardgames.experiments import ResumableExecutor
    from boardgames.installation import code_stamp

    code = code_stamp([type(chosen.game), type(chosen)])
    announce = partial(say, err=True)
    with (
        redirect_stdout(sys.stderr),
        open_executor(workers, cluster=cluster, announce=announce) as running,
    ):
        executor = ResumableExecutor(running, folder, code)
        if executor.finished:
            say(f"resuming: {executor.finished} tasks are finished", err=True)
        try:
            with _progress(running) as listener:
                return chosen.run(executor, seed, listener)
        except KeyboardInterrupt:
            if executor.finished:
                hint = continue_text(same_command(seed=seed))
                say(f"interrupted after {executor.finished} tasks; {hint}", err=True)
            raise
        except (ClusterError, WorkerError) as error:
            if executor.finished:
                add_continue_text(error, same_command(seed=seed))
            raise


def _report(
    chosen: "Experiment",
    name: str,
    seed: int,
    findings: "Findings | Measurements",
    path: Path,
    as_json: bool,
) -> None:
    """Print the results, then write the CSV file; printing comes first because the disk may be full."""
    from boardgames.paths import write_atomic

    game = chosen.game
    if as_json:
        print_json(
            game=game.facts.name,
            layout=game.layout,
            options=game.options,
            experiment=name,
            seed=seed,
            settings=chosen.settings,
            **findings_json(findings),
            csv=str(path),
        )
    else:
        say("\n".join(findings_lines(findings)))
    write_atomic(path, findings.csv(game.facts.name, name, seed, chosen.settings))
    if not as_json:
        say(f"wrote {path}")


def _stamp(chosen: "Experiment") -> str:
    """Return a short hash of all settings, so that every combination has a file of its own."""
    from boardgames.experiments.results import format_setting

    settings = sorted((name, format_setting(value)) for name, value in chosen.settings.items())
    return hashlib.sha256(f"{chosen.game.describe()} {settings}".encode()).hexdigest()[:8]


def _csv_path(text: str | None, default: str) -> Path:
    """Return the path of the CSV file; raise FileError before the work begins if it cannot be written."""
    from boardgames.paths import data_folder

    path = data_folder() / FOLDER / default if text is None else output_path(text)
    try:
        if path.is_symlink():
            with suppress(FileNotFoundError):
                path.stat()  # fails for a link to itself, which resolve() accepts since Python 3.13
        _try_writing(path.resolve())
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"cannot write {path}: {reason.lower()}") from None
    return path


def _chart_path(text: str, chosen: "Experiment") -> Path:
    """Return the path of the chart; raise before the work begins if it cannot be drawn or written."""
    from boardgames.adapters.charts import check_installed
    from boardgames.paths import check_writable

    if not chosen.has_chart:
        raise OptionError(f"--svg does not work with {chosen.name}, which counts wins")
    check_installed()
    path = output_path(text)
    check_writable(path)
    return path


def _try_writing(path: Path) -> None:
    """Raise OSError if the file cannot be written; folders made for the attempt are removed."""
    if path.exists() and not path.is_file():
        raise OSError("is a directory" if path.is_dir() else "not a regular file")
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
    """Print the experiments of a game."""
    from boardgames.plugins import registry

    loaded = registry()
    loaded.check_name("games", game)
    offers = loaded.offers("experiments", game)
    if as_json:
        rows = [
            {"name": offer.entry.name, "summary": offer.entry.summary, "plugin": offer.plugin}
            for offer in offers
        ]
        print_json(game=game, experiments=rows)
        return
    for offer in offers:
        say(wrap(f"{offer.entry.name:<16} {one_line(offer.entry.summary)}", 17))
    if offers:
        say(f"\n`{PROGRAM} experiment {game} NAME --help` lists the options of an experiment")


@contextmanager
def _progress(executor: "Executor") -> "Iterator[Listener]":
    """Show a progress bar for each stage; yields the listener that updates them."""
    from boardgames.executors import worker_progress

    with progress_bars(partial(worker_progress, executor)) as update:
        yield lambda progress: update(progress.stage, progress.done, progress.total)


# --- the results -------------------------------------------------------------


def findings_json(findings: "Findings | Measurements") -> dict[str, object]:
    """Return the results as JSON fields."""
    from boardgames.experiments import Measurements

    if isinstance(findings, Measurements):
        return {
            "grids": [
                {
                    "name": grid.name,
                    "columns": grid.columns,
                    "rows": [
                        {"row": row, "values": values}
                        for row, values in zip(grid.rows, grid.values, strict=True)
                    ],
                }
                for grid in findings.grids
            ],
            "conclusion": findings.conclusion,
        }
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
    """Return settings in the form of `--set`, wrapped to the width of the terminal.

    Examples
    --------
    >>> settings_lines({"alpha": 0.1, "tanh": True})
    ['alpha=0.1 tanh=true']
    """
    from boardgames.experiments.results import format_setting

    text = " ".join(f"{name}={format_setting(value)}" for name, value in settings.items())
    return textwrap.wrap(text, _width(), break_long_words=False, break_on_hyphens=False)


def findings_lines(findings: "Findings | Measurements") -> Iterator[str]:
    """Yield the results as lines of text."""
    from boardgames.experiments import Measurements

    if isinstance(findings, Measurements):
        for grid in findings.grids:
            yield f"{grid.name}, by {findings.axis}:"
            texts = [
                [MISSING if value is None else f"{value:.{grid.digits}f}" for value in row]
                for row in grid.values
            ]
            columns = [(name, [row[place] for row in texts]) for place, name in enumerate(grid.columns)]
            yield from _blocks(grid.rows, columns)
        yield from textwrap.wrap(findings.conclusion, _width(), break_on_hyphens=False)
        return
    for table in findings.tables:
        yield from _table_lines(table)
    repeated = findings.matches - findings.distinct
    remark = (
        ": the intervals are too narrow; use a longer opening"
        if repeated > REPEATED_SHARE * findings.matches
        else ""
    )
    yield f"{findings.matches} matches, {findings.distinct} distinct{remark}"
    yield from textwrap.wrap(findings.conclusion, _width(), break_on_hyphens=False)


def _table_lines(table: "Table") -> Iterator[str]:
    """Yield the figures of a table and its totals."""
    has_original = any(figure.original for figure in table.figures)
    rows = list(dict.fromkeys(figure.row for figure in table.figures))
    names = list(dict.fromkeys(figure.column for figure in table.figures))
    placed = {(figure.row, figure.column): figure for figure in table.figures}
    columns = [(name, [placed[row, name] for row in rows]) for name in names]
    beside = " | original" if has_original and len(columns) > NARROW_COLUMNS else ""
    yield f"{table.name}: wins of {table.first} : {table.second}{beside}"
    if len(columns) <= NARROW_COLUMNS:
        yield from _blocks(rows, [part for name, figures in columns for part in _parts(name, figures, table)])
    else:
        yield from _wide_lines(table, rows, columns, has_original=has_original)
    if table.is_ordered:
        yield from _order_lines(table, rows, columns)
    yield f"totals, with the {table.share_name}'s share of decided matches (95% interval):"
    yield from table_lines(_totals(table, has_original=has_original), right=range(2, 6), cut=())
    required = [figure.min_units for figure in table.totals if table.is_open(figure)]
    if required:
        yield f"[0, 100]: an interval needs at least {max(required)} independent units"
    yield ""


def _order_lines(
    table: "Table", rows: Sequence[str], columns: "Sequence[tuple[str, Sequence[Figure]]]"
) -> Iterator[str]:
    """Yield lines with the results of each series in order, and with the wins in each quarter of it."""
    yield f"results in order, + won by {table.first}, - by {table.second}, . by neither:"
    yield from _blocks(rows, _columns(columns, lambda figure: figure.order))
    quarters = [(name, [_wins_in_quarter(figures, place) for place in range(4)]) for name, figures in columns]
    yield from _blocks([f"{name} quarter" for name in ("first", "second", "third", "last")], quarters)


def _wins_in_quarter(figures: "Sequence[Figure]", place: int) -> str:
    parts = [f.order[place * len(f.order) // 4 : (place + 1) * len(f.order) // 4] for f in figures]
    return wins((sum(part.count("+") for part in parts), sum(part.count("-") for part in parts)))


def _parts(name: str, figures: "Sequence[Figure]", table: "Table") -> Iterator[Column]:
    """Yield the columns of one setting in a narrow table: wins, wins of the original, shares."""
    yield name, [wins(figure.wins) for figure in figures]
    if any(figure.original for figure in figures):
        yield "original", [wins(figure.original) for figure in figures]
    yield "share [95%]", [_share(table, figure) for figure in figures]


def _wide_lines(
    table: "Table",
    rows: Sequence[str],
    columns: "Sequence[tuple[str, Sequence[Figure]]]",
    *,
    has_original: bool,
) -> Iterator[str]:
    """Yield a wide table in two parts: wins, then intervals."""

    def cell(figure: "Figure") -> str:
        return f"{wins(figure.wins)}|{wins(figure.original)}" if has_original else wins(figure.wins)

    def interval(figure: "Figure") -> str:
        share = _share(table, figure)
        return share if share == MISSING else share.partition("% ")[2]

    yield from _blocks(rows, _columns(columns, cell))
    yield f"95% interval of the {table.share_name}'s share of decided matches, in %:"
    yield from _blocks(rows, _columns(columns, interval))


def _columns(
    columns: "Sequence[tuple[str, Sequence[Figure]]]", cell: "Callable[[Figure], str]"
) -> list[Column]:
    return [(name, [cell(figure) for figure in figures]) for name, figures in columns]


def _blocks(rows: Sequence[str], columns: Sequence[Column]) -> Iterator[str]:
    """Yield a table, split into several with the same rows if the terminal is too narrow."""
    left = list(columns)
    while left:
        fits = _fitting(rows, left)
        block, left = left[:fits], left[fits:]
        cells = [("", *(name for name, _ in block))]
        cells += [(row, *(texts[place] for _, texts in block)) for place, row in enumerate(rows)]
        yield from table_lines(cells, right=range(1, fits + 1), cut=())
        yield ""


def _fitting(rows: Sequence[str], columns: Sequence[Column]) -> int:
    """Return how many columns fit beside the names of the rows, at least one."""
    space = _width() - max(map(len, rows), default=0) - 1
    for count, (name, texts) in enumerate(columns):
        space -= max(map(len, [name, *texts])) + 1
        if space < 0:
            return max(count, 1)
    return len(columns)


def _totals(table: "Table", *, has_original: bool) -> list[tuple[str, ...]]:
    heading = (
        "",
        "",
        "wins",
        *(["original"] if has_original else []),
        "unfinished",
        "distinct",
        "share [95%]",
    )
    return [heading] + [
        (
            figure.row,
            figure.column,
            wins(figure.wins),
            *([wins(figure.original)] if has_original else []),
            str(figure.unfinished),
            str(figure.distinct),
            _share(table, figure),
        )
        for figure in table.totals
    ]


def wins(pair: tuple[int, int] | None) -> str:
    """Return wins as text.

    Examples
    --------
    >>> wins((2, 6)), wins(None)
    ('2:6', '-')
    """
    return MISSING if pair is None else f"{pair[0]}:{pair[1]}"


def _share(table: "Table", figure: "Figure") -> str:
    share = table.share(figure)
    return MISSING if share is None else str(share)


def _width() -> int:
    return shutil.get_terminal_size().columns - 1
