"""`boardgames connect4-book`: build a book for the solver."""

from functools import partial

import click

from boardgames.cli.completion import complete_layout
from boardgames.cli.continuing import Repeatable, continue_text, same_command
from boardgames.cli.interrupts import interrupt_on_termination
from boardgames.cli.loading import load_game
from boardgames.cli.options import POSITIVE, examples, output_path
from boardgames.cli.output import count_text, say
from boardgames.cli.program import EXIT_INTERRUPTED
from boardgames.cli.progress import progress_bars
from boardgames.paths import check_writable


@click.command(
    cls=Repeatable,
    name="connect4-book",
    epilog=examples(
        "boardgames connect4-book --out book.xz",
        "boardgames connect4-book --plies 12 --table 4096 --out large.xz",
        "boardgames connect4-book --layout 6x5 --plies 6 --out small.xz",
    ),
)
@click.option(
    "--layout", metavar="NAME", shell_complete=complete_layout, help="Size of the board; default: 7x6."
)
@click.option(
    "--plies",
    type=POSITIVE,
    metavar="N",
    default=8,
    show_default=True,
    help="Largest number of stones in the positions of the book.",
)
@click.option("--threads", type=POSITIVE, metavar="N", help="Number of threads; default: one per core.")
@click.option(
    "--table",
    type=POSITIVE,
    metavar="MB",
    default=1024,
    show_default=True,
    help="Size of the transposition table.",
)
@click.option(
    "--out", "out", required=True, metavar="FILE", help="Output file. An unfinished book is continued."
)
def connect4_book(layout: str | None, plies: int, threads: int | None, table: int, out: str) -> None:
    """Build a book for the solver of Connect Four.

    A book has the exact scores of all positions with up to --plies stones. The
    solver comes with a book of 8 plies for 7x6; use another one with the option
    "book" of the agent, or Solver(game, book=Path(FILE)) in Python.

    The book is saved every few seconds: after an interruption, the same command
    continues where it stopped. The number of threads does not change the file.
    """
    game = load_game("connect4", layout, ())
    path = output_path(out)
    check_writable(path)
    from boardgames.executors import core_count
    from boardgames_connect4.solver.book import build_book
    from boardgames_connect4.solver.solver import Solver

    solver = Solver(game, table=table, threads=threads or core_count(), book=False)
    with interrupt_on_termination(), progress_bars() as update:
        try:
            count = build_book(path, solver.board, plies, solver.packed_scores, partial(update, "positions"))
        except KeyboardInterrupt:
            say(f"interrupted; {continue_text(same_command())}", err=True)
            click.get_current_context().exit(EXIT_INTERRUPTED)
    say(f"{count_text(count, 'position')}: {path}")
