"""`bg analyze`: the values of a position's moves, or of every position of a recorded match."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.common import (
    COUNT,
    EXIT_INTERRUPTED,
    NODES,
    PLIES_AHEAD,
    SECONDS,
    examples,
    game_options,
    json_option,
    load_player,
    load_position,
    outcome_text,
    print_json,
    thinking,
)
from boardgames.cli.values import Wish, line_text, stopping_on_interrupt, value_text
from boardgames.errors import MatchError, OptionError

if TYPE_CHECKING:
    from boardgames.player import Analysis


@click.command(
    epilog=examples(
        "bg analyze abalone",
        "bg analyze abalone --lines 3 --time 5",
        "bg analyze connect4 4453 --depth 10",
        "bg analyze connect4 match.record --svg match.svg",
        "bg analyze abalone all.record --match 12 --time 1 --mistakes 10",
        "bg matches export - 12 | bg analyze abalone - --json",
    )
)
@click.argument("game")
@game_options
@click.option(
    "--position", "position_text", metavar="TEXT", help="The position, whatever the text looks like."
)
@click.argument("subject", metavar="[POSITION|RECORD]", required=False)
@click.option("--agent", metavar="AGENT", help="Who values the moves; the game's default agent.")
@click.option(
    "--time",
    "seconds",
    type=SECONDS,
    metavar="S",
    help="Seconds a position; if nothing is limited 1, and 0.2 for those of a record.",
)
@click.option("--depth", type=PLIES_AHEAD, metavar="N", help="Plies to look ahead.")
@click.option("--nodes", type=NODES, metavar="N", help="Positions to visit.")
@click.option(
    "--lines", type=COUNT, metavar="N", help="Of a position: only the N best moves, which saves time."
)
@click.option("--match", "number", type=COUNT, metavar="N", help="Of a record: the Nth match, not the first.")
@click.option("--mistakes", type=COUNT, metavar="N", help="Of a record: tell N mistakes at the end, not 5.")
@click.option(
    "--svg",
    "svg_file",
    type=click.Path(path_type=Path),
    help="Of a record: write a chart of the values here.",
)
@json_option
def analyze(
    game: str,
    subject: str | None,
    position_text: str | None,
    layout: str | None,
    options: tuple[str, ...],
    agent: str | None,
    seconds: float | None,
    depth: int | None,
    nodes: int | None,
    lines: int | None,
    number: int | None,
    mistakes: int | None,
    svg_file: Path | None,
    as_json: bool,
) -> None:
    """Value the moves of a position of GAME, or say what every move of a recorded match lost.

    RECORD is `-` (standard input), a file that is there, or a name that ends in
    .record, .pgn or .txt. Anything else is a POSITION, the start by default;
    the text after --position always is.

    Values of a position's moves are for the side to move. Ctrl-C ends the work
    and prints what is known so far.
    """
    from boardgames.cli.review import analyze_record, is_record

    wish = Wish(game, agent, seconds, depth, nodes, as_json)
    _ = wish.limit  # a bad one is told before anything is loaded
    if subject is None or not is_record(subject):
        _refuse({"match": number, "mistakes": mistakes, "svg": svg_file}, "a record", "a position")
        analyze_position(wish, layout, options, subject, position_text, lines=lines)
        return
    given = {"layout": layout, "option": options or None, "position": position_text, "lines": lines}
    _refuse(given, "a position", "a record")
    analyze_record(wish, subject, number=number, mistakes=mistakes, svg_file=svg_file)


def analyze_position(
    wish: Wish,
    layout: str | None,
    options: tuple[str, ...],
    argument: str | None,
    text: str | None,
    *,
    lines: int | None,
) -> None:
    """Print the value of the moves of a position."""
    from boardgames.player import Context

    position = load_position(wish.game, layout, options, argument, text)
    if position.outcome is not None:
        how = outcome_text(position.outcome, position.game)
        raise MatchError(f"expected a position with moves: {position} is over, {how}")
    chosen = load_player(wish.agent or position.game.facts.default_agent, position.game)
    what = "valuing every move" if lines is None else "valuing the best moves"
    try:
        with thinking(what) as report, stopping_on_interrupt() as stop:
            context = Context(stop=stop, report=report)
            found = chosen.analyse(position, wish.limit, context, lines=lines)
    finally:
        chosen.close()
    if wish.as_json:
        _print_json(found, wish.game, chosen.describe())
    else:
        _print(found, lines)
    if stop.is_set():
        click.get_current_context().exit(EXIT_INTERRUPTED)


def _refuse(given: Mapping[str, object], allowed: str, came: str) -> None:
    """Complain of an option that makes no sense here."""
    for name, value in given.items():
        if value is not None:
            raise OptionError(f"expected --{name} with {allowed} only: {came} came")


def _print(found: "Analysis", lines: int | None) -> None:
    from boardgames.cli.tables import print_table
    from boardgames.review import UNITS

    side = found.position.game.facts.sides[found.position.side_to_move]
    which = "each move" if lines is None else "the best moves"
    click.echo(f"value of {which} for {side}, in {UNITS[found.unit]}, and the line it begins:")
    rows = [
        (
            str(entry.move),
            value_text(entry.value, found.unit) + ("!" if entry.proven else " "),
            line_text(entry.line),
        )
        for entry in found.moves
    ]
    print_table(rows, right=(1,), cut=(2,))
    click.echo(f"depth {found.depth}, {found.nodes} nodes, {found.seconds:.2f} s; ! is proven")


def _print_json(found: "Analysis", game: str, agent: str) -> None:
    moves = [
        {
            "move": str(entry.move),
            "value": entry.value,
            "proven": entry.proven,
            "line": [str(move) for move in entry.line],
        }
        for entry in found.moves
    ]
    print_json(
        game=game,
        position=str(found.position),
        agent=agent,
        value=found.value,
        unit=found.unit,
        proven=found.proven,
        moves=moves,
        depth=found.depth,
        nodes=found.nodes,
        seconds=found.seconds,
    )
