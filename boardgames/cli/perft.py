"""`boardgames perft`: count leaf positions, the usual test and benchmark of move generators."""

import time

import click

from boardgames.cli.completion import complete_game
from boardgames.cli.loading import load_position
from boardgames.cli.options import Number, examples, json_option, position_options
from boardgames.cli.output import count_text, print_json, say
from boardgames.cli.progress import spinner
from boardgames.errors import OptionError

MILLIONS = 100_000
"""Rates of at least this many leaves per second are shown in millions."""


@click.command(
    epilog=examples(
        "boardgames perft abalone --depth 4",
        "boardgames perft abalone --depth 3 --divide --layout standard",
        "boardgames perft connect4 4453 --depth 6 --json",
    )
)
@click.argument("game", shell_complete=complete_game)
@position_options
@click.option(
    "--depth", type=Number(int, 0, 100), metavar="N", default=3, show_default=True, help="Depth in plies."
)
@click.option("--divide", is_flag=True, help="Also count the leaves below each legal move.")
@json_option
def perft(
    game: str,
    position_argument: str | None,
    position_text: str | None,
    moves: str | None,
    layout: str | None,
    options: tuple[str, ...],
    notation: str | None,
    depth: int,
    divide: bool,
    as_json: bool,
) -> None:
    """Count the leaf positions at a depth below a position of GAME.

    POSITION may also be the name of a file with a position, or `-` for standard
    input. Matches that end before this depth have no leaf; those that end at it are counted.
    """
    from boardgames import search

    position = load_position(game, layout, options, position_argument, position_text, moves, notation)
    if divide and depth < 1:
        raise OptionError(f"--divide needs a depth of at least 1, not {depth}")
    search.perft(position, 0)  # loads the kernels before the clock starts
    with spinner("counting"):
        started = time.perf_counter()
        counts = search.divide(position, depth) if divide else {}
        leaves = sum(counts.values()) if divide else search.perft(position, depth)
        seconds = time.perf_counter() - started
    if as_json:
        print_json(
            game=game,
            position=str(position),
            depth=depth,
            leaves=leaves,
            seconds=seconds,
            **({"moves": {str(move): count for move, count in counts.items()}} if divide else {}),
        )
        return
    for move, count in counts.items():
        say(f"{move!s:<8} {count}")
    counted = count_text(leaves, "leaf", "leaves")
    say(f"{counted} at depth {depth} in {seconds:.3f} s{_rate_text(leaves, seconds)}")


def _rate_text(leaves: int, seconds: float) -> str:
    """Return the number of leaves per second after a comma; empty if the time is too short to tell."""
    if seconds <= 0.001:
        return ""
    rate = leaves / seconds
    return f", {rate:,.0f}/s" if rate < MILLIONS else f", {rate / 1e6:.1f} million/s"
