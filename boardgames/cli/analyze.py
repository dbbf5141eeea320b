"""`bg analyze`: the value of every legal move, by an agent that puts values on moves."""

import click

from boardgames.cli.common import (
    COUNT,
    SECONDS,
    examples,
    json_option,
    load_position,
    position_options,
    print_json,
    thinking,
)
from boardgames.errors import MatchError

SHOWN_LINE = 8
UNITS = {
    "return": "returns from -1 to 1",
    "centimarble": "hundredths of a marble",
    "cell": "cells",
    "score": "points",
    "sum": "a weighted sum of features",
}


@click.command(
    epilog=examples(
        "bg analyze abalone",
        "bg analyze connect4 4453 --depth 10",
        "bg analyze abalone --agent simple --time 5 --json",
    )
)
@click.argument("game")
@position_options
@click.option("--agent", metavar="AGENT", help="Who values the moves; the game's default agent.")
@click.option("--time", "seconds", type=SECONDS, metavar="S", help="Seconds; 1 if nothing is limited.")
@click.option("--depth", type=COUNT, metavar="N", help="Plies to look ahead.")
@click.option("--nodes", type=COUNT, metavar="N", help="Positions to visit.")
@json_option
def analyze(
    game: str,
    position_argument: str | None,
    position_text: str | None,
    layout: str | None,
    options: tuple[str, ...],
    agent: str | None,
    seconds: float | None,
    depth: int | None,
    nodes: int | None,
    as_json: bool,
) -> None:
    """Value every legal move of a position of GAME, for the side to move."""
    from boardgames.playing import Context, Limit
    from boardgames.plugins import player

    limit = Limit(seconds=seconds, depth=depth, nodes=nodes)
    position = load_position(game, layout, options, position_argument, position_text)
    if position.outcome is not None:
        raise MatchError(f"expected a position with moves: {position} is over")
    chosen = player(agent or position.game.facts.default_agent, position.game)
    with thinking("valuing every move") as report:
        found = chosen.analyse(position, limit, Context(report=report))
    if as_json:
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
            position=str(position),
            value=found.value,
            unit=found.unit,
            proven=found.proven,
            moves=moves,
            nodes=found.nodes,
            seconds=found.seconds,
        )
        return
    side = position.game.facts.sides[position.side_to_move]
    click.echo(f"value of each move for {side}, in {UNITS[found.unit]}, and the line it begins:")
    for entry in found.moves:
        line = " ".join(str(move) for move in entry.line[:SHOWN_LINE])
        click.echo(f"{entry.move!s:<8} {_worth(entry.value):>12}{'!' if entry.proven else ' '} {line}")
    click.echo(f"depth {found.depth}, {found.nodes} nodes, {found.seconds:.2f} s; ! is proven")


def _worth(value: float) -> str:
    """Return a value as people read it: a win or loss far beyond any evaluation by its plies."""
    from boardgames.search import EVALUATION_BOUND, WIN

    if abs(value) <= EVALUATION_BOUND:
        return f"{value:.3f}"
    return f"{'win' if value > 0 else 'loss'} in {WIN - abs(value):.0f}"
