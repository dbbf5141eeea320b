"""`bg book`: make an opening book by deep searches."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.interrupts import interrupt_on_termination
from boardgames.cli.loading import load_game
from boardgames.cli.options import POSITIVE, SECONDS, Number, examples, json_option, user_path
from boardgames.cli.output import duration_text, print_json
from boardgames.cli.program import EXIT_INTERRUPTED
from boardgames.errors import OptionError
from boardgames.paths import check_writable

if TYPE_CHECKING:
    from boardgames.books.building import BookPlan, Builder


@click.command(
    epilog=examples(
        "boardgames book abalone --out mine.book",
        "boardgames book abalone --layout standard --nodes 2000000 --out mine.book",
        'boardgames play abalone --agent "alphabeta:book=mine.book"',
    )
)
@click.argument("game_name", metavar="GAME")
@click.option(
    "--layout", "layouts", multiple=True, metavar="NAME", help="A start; may be given several times."
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Set an option of the game.")
@click.option("--agent", metavar="AGENT", help="Who values the moves; the game's default agent.")
@click.option(
    "--plies", type=POSITIVE, default=8, show_default=True, metavar="N", help="How far from a start."
)
@click.option(
    "--positions", type=POSITIVE, default=500, show_default=True, metavar="N", help="Pages of the book."
)
@click.option("--lines", type=POSITIVE, default=4, show_default=True, metavar="N", help="Moves of a page.")
@click.option(
    "--margin",
    type=Number(float, 1e-6),
    metavar="V",
    help="What a good move loses at most, by default what the unit declares, 0.3 marbles in Abalone.",
)
@click.option("--nodes", type=POSITIVE, metavar="N", help="Positions to visit for a page; 200000 by default.")
@click.option("--depth", type=POSITIVE, metavar="N", help="Plies to look ahead.")
@click.option("--time", "seconds", type=SECONDS, metavar="S", help="Seconds a page: another book every time.")
@click.option("--workers", type=POSITIVE, metavar="N", help="Processes; by default one a core.")
@click.option(
    "--out", "out", required=True, metavar="FILE", help="The book; one that is there is gone on with."
)
@json_option
def book(
    game_name: str,
    layouts: tuple[str, ...],
    options: tuple[str, ...],
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
    """Make an opening book of GAME by searching its first positions.

    The likeliest positions come first: those that good moves lead to. Every few
    pages the book is written to FILE. If it is interrupted, the same command goes
    on, and with more --positions a book grows.

    An agent plays by a book of your own with the option book=FILE.
    """
    if len(set(layouts)) < len(layouts):
        raise OptionError("expected every layout once")
    game = load_game(game_name, layouts[0] if layouts else None, options)
    from boardgames.books.building import DEFAULT_LIMIT, BookPlan
    from boardgames.player import Limit

    limit = Limit(nodes=nodes, depth=depth, seconds=seconds)
    plan = BookPlan(
        game=game,
        layouts=layouts,
        agent=agent or game.facts.default_agent,
        limit=DEFAULT_LIMIT if limit.is_unlimited else limit,
        plies=plies,
        positions=positions,
        lines=lines,
        margin=margin,
    )
    click.get_current_context().exit(_build(plan, user_path(out), workers, as_json))


def _build(plan: "BookPlan", path: Path, workers: int | None, as_json: bool) -> int:
    """Search what is not there yet, say what there is, and return the exit code."""
    from boardgames.books.building import Builder
    from boardgames.executors import open_executor

    check_writable(path)
    builder, code = Builder(plan, path), 0
    if builder.resumed >= plan.positions:
        click.echo(
            f"bg: {builder.resumed} pages are there, --positions {plan.positions} asks for no more", err=True
        )
    elif builder.resumed:
        click.echo(f"bg: going on: {builder.resumed} of {plan.positions} pages are there", err=True)
    with interrupt_on_termination():
        try:
            with open_executor(workers) as executor, _shown(plan) as listener:
                builder.build(executor, listener)
        except KeyboardInterrupt:
            click.echo(
                f"bg: interrupted after {len(builder.pages)} pages; the same command goes on", err=True
            )
            code = EXIT_INTERRUPTED
    if code == 0 and len(builder.pages) < plan.positions:
        click.echo(f"bg: good moves lead to no other positions within --plies {plan.plies}", err=True)
    if as_json:
        _print_json(builder)
    else:
        click.echo(f"{len(builder.pages)} pages, {len(builder.pages) - builder.resumed} of them new: {path}")
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
def _shown(plan: "BookPlan") -> Iterator["Callable[[Builder], None] | None"]:
    """Show on a terminal how the book comes along."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    started = time.monotonic()
    with Console(stderr=True).status("searching the first positions") as status:

        def tell(builder: "Builder") -> None:
            done = len(builder.pages) - builder.resumed
            elapsed = time.monotonic() - started
            left = (plan.positions - len(builder.pages)) * elapsed / max(done, 1)
            count = f"{len(builder.pages)} of {plan.positions} pages"
            status.update(f"{count}, {duration_text(elapsed)}, {duration_text(left)} left")

        yield tell
