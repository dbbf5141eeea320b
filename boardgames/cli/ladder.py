"""`bg ladder`: the standing table of all agents that have met."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.common import estimate_json, examples, game_options, json_option, load_game, print_json
from boardgames.cli.tables import fitting, print_table
from boardgames.draw.text import printable

if TYPE_CHECKING:
    from boardgames.arena.ladder import Rung

BESIDE_NAMES = 56
"""Signs that the other columns take, as a rule."""
HEAD = ("", "agent", "matches", "wins", "losses", "draws", "Elo")


@click.command(
    epilog=examples(
        "bg ladder connect4",
        "bg ladder abalone --svg ladder.svg",
        "bg ladder connect4 --option columns=5 --json",
    )
)
@click.argument("game_name", metavar="GAME")
@game_options
@click.option("--svg", "drawing", type=click.Path(path_type=Path), metavar="FILE", help="Draw it.")
@json_option
def ladder(
    game_name: str, layout: str | None, options: tuple[str, ...], drawing: Path | None, as_json: bool
) -> None:
    """Rate all agents that have met in GAME, from the matches that are kept.

    Elo is against the mean of all, with its interval of 95 %. Equal matches
    are counted once, however often two agents without chance repeated them.
    A game with other options has a ladder of its own; layouts share one.
    Agents whose weights differ are different; the sign after # tells them apart.
    """
    game = load_game(game_name, layout, options)
    from boardgames.arena.ladder import ladder as ladder_of
    from boardgames.store import Store, has_store, variant_of

    variant = variant_of(game)
    encounters = []
    if has_store():
        with Store() as store:
            encounters = store.encounters(game_name, variant)
    rungs = ladder_of(encounters)
    if drawing is not None:
        _draw(rungs, drawing, " ".join(filter(None, (game.facts.title, variant))))
    if as_json:
        players = [_rung_json(rung) for rung in rungs]
        print_json(game=game_name, variant=variant, players=players)
    elif rungs:
        rows = [HEAD, *(_row(place, rung, rungs) for place, rung in enumerate(rungs, start=1))]
        print_table(rows, right=(0, 2, 3, 4, 5, 6), cut=())
    else:
        click.echo("no two agents have met yet: see `bg arena --help`")
    if drawing is not None and not as_json:
        click.echo(f"\nwrote {drawing}")


def _row(place: int, rung: "Rung", rungs: "list[Rung]") -> tuple[str, ...]:
    elo = "?" if rung.estimate is None else str(rung.estimate)
    numbers = (rung.matches, rung.wins, rung.losses, rung.draws)
    name = fitting(_name(rung, rungs), beside=BESIDE_NAMES)
    return f"{place}.", name, *map(str, numbers), elo


def _name(rung: "Rung", rungs: "list[Rung]") -> str:
    """Return the agent's text, and the beginning of its fingerprint where others have the same."""
    times = Counter(other.player.agent for other in rungs)
    text = printable(rung.player.agent)
    return f"{text} #{rung.player.fingerprint[:4] or '-'}" if times[rung.player.agent] > 1 else text


def _rung_json(rung: "Rung") -> dict[str, object]:
    return {
        "agent": rung.player.agent,
        "fingerprint": rung.player.fingerprint,
        "matches": rung.matches,
        "wins": rung.wins,
        "losses": rung.losses,
        "draws": rung.draws,
        **estimate_json(rung.estimate),
    }


def _draw(rungs: "list[Rung]", path: Path, title: str) -> None:
    from boardgames.draw.intervals import Row, intervals_svg
    from boardgames.paths import write_atomic

    rows = [
        Row(_name(rung, rungs), found.elo, found.low, found.high, f"{rung.matches} matches")
        for rung in rungs
        if (found := rung.estimate) is not None
    ]
    write_atomic(path, intervals_svg(rows, title=f"{title}: ladder", unit="Elo"))
