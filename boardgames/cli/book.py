"""`boardgames book`: build an opening book with deep searches."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import complete_game, complete_layout
from boardgames.cli.continuing import Repeatable, continue_text, same_command
from boardgames.cli.interrupts import interrupt_on_termination
from boardgames.cli.loading import load_game
from boardgames.cli.options import (
    POSITIVE,
    SECONDS,
    Number,
    agent_option,
    apply_moves,
    examples,
    game_option,
    json_option,
    moves_option,
    output_path,
)
from boardgames.cli.output import count_text, print_json, say
from boardgames.cli.program import EXIT_INTERRUPTED
from boardgames.cli.progress import progress_bars
from boardgames.compiling import compilation_at_import
from boardgames.errors import OptionError
from boardgames.paths import check_writable

if TYPE_CHECKING:
    from boardgames.books.building import BookPlan, Builder


@click.command(
    cls=Repeatable,
    epilog=examples(
        "boardgames book abalone --out mine.book",
        "boardgames book abalone --layout standard --nodes 2000000 --out mine.book",
        'boardgames play abalone --agent "alphabeta:book=mine.book"',
    ),
)
@click.argument("game_name", metavar="GAME", shell_complete=complete_game)
@click.option(
    "--layout",
    "layouts",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_layout,
    help="Starting layout; repeatable.",
)
@game_option
@moves_option
@agent_option("Agent that searches; default: the game's default agent, or alphabeta if that is a solver.")
@click.option(
    "--plies",
    type=POSITIVE,
    default=8,
    show_default=True,
    metavar="N",
    help="Search only positions less than N plies from the start.",
)
@click.option(
    "--positions", type=POSITIVE, default=500, show_default=True, metavar="N", help="Number of positions."
)
@click.option(
    "--lines", type=POSITIVE, default=4, show_default=True, metavar="N", help="Moves kept for each position."
)
@click.option(
    "--margin",
    type=Number(float, 1e-6),
    metavar="V",
    help="Follow moves whose value is at most V below the best one; the default depends on the evaluation.",
)
@click.option("--nodes", type=POSITIVE, metavar="N", help="Nodes to search per position; default: 200000.")
@click.option("--depth", type=POSITIVE, metavar="N", help="Search depth in plies.")
@click.option("--time", "seconds", type=SECONDS, metavar="S", help="Seconds per position; not reproducible.")
@click.option(
    "--workers", type=POSITIVE, metavar="N", help="Number of worker processes; default: one per core."
)
@click.option(
    "--out", "out", required=True, metavar="FILE", help="Output file. An existing book is extended."
)
@json_option
@compilation_at_import()
def book(
    game_name: str,
    layouts: tuple[str, ...],
    options: tuple[str, ...],
    moves: str | None,
    agent: str | None,
    plies: int,
    positions: int,
    lines: int,
    margin: float | None,
    nodes: int | None,
    depth: int | None,
    seconds: float | None,
    workers: int | None,
    out: str,
    as_json: bool,
) -> None:
    """Build an opening book for GAME by searching its first positions.

    The positions that good moves lead to are searched first. The book is saved
    every few positions: after an interruption, the same command continues
    where it stopped, and a larger --positions extends a finished book.

    Agents use the book with the option book=FILE.
    """
    if len(set(layouts)) < len(layouts):
        raise OptionError("--layout names the same layout twice")
    game = load_game(game_name, layouts[0] if layouts else None, options)
    apply_moves(game.start(), moves)  # reports a bad move
    from boardgames.books.building import DEFAULT_LIMIT, BookPlan
    from boardgames.player import Limit
    from boardgames.plugins import searching_agent

    limit = Limit(nodes=nodes, depth=depth, seconds=seconds)
    plan = BookPlan(
        game=game,
        layouts=layouts,
        moves=moves or "",
        agent=searching_agent(game) if agent is None else agent,
        limit=DEFAULT_LIMIT if limit.is_unlimited else limit,
        plies=plies,
        positions=positions,
        lines=lines,
        margin=margin,
    )
    click.get_current_context().exit(_build(plan, output_path(out), workers, as_json))


def _build(plan: "BookPlan", path: Path, workers: int | None, as_json: bool) -> int:
    """Search the remaining positions, print a summary and return the exit code."""
    from boardgames.books.building import Builder
    from boardgames.executors import open_executor

    check_writable(path)
    builder, code = Builder(plan, path), 0
    if builder.resumed >= plan.positions:
        say(
            f"nothing to do: the book already has {builder.resumed} positions; "
            f"--positions is only {plan.positions}",
            err=True,
        )
    elif builder.resumed:
        say(f"resuming: {builder.resumed} of {plan.positions} positions are done", err=True)
    with interrupt_on_termination():
        try:
            with open_executor(workers) as executor, _progress(plan) as listener:
                builder.build(executor, listener)
        except KeyboardInterrupt:
            count = count_text(len(builder.pages), "position")
            say(f"interrupted after {count}; {continue_text(same_command())}", err=True)
            code = EXIT_INTERRUPTED
    if code == 0 and len(builder.pages) < plan.positions:
        say(f"good moves lead to no further positions within --plies {plan.plies}", err=True)
    if as_json:
        _print_json(builder)
    else:
        count = count_text(len(builder.pages), "position")
        say(f"{count}, {len(builder.pages) - builder.resumed} new: {path}")
    return code


def _print_json(builder: "Builder") -> None:
    plan, pages = builder.plan, builder.pages.values()
    print_json(
        game=plan.game.facts.name,
        file=str(builder.path),
        pages=len(pages),
        new=len(pages) - builder.resumed,
        longest=max((page.ply for page in pages), default=0),
        unit=builder.unit.name,
        margin=builder.margin,
        made=builder.settings,
    )


@contextmanager
def _progress(plan: "BookPlan") -> "Iterator[Callable[[Builder], None]]":
    """Show a progress bar; yields the listener that updates it."""
    with progress_bars() as update:
        yield lambda builder: update("searching", len(builder.pages), plan.positions)
