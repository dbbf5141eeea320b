"""`boardgames ladder`: the ranking of all agents by their stored matches."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.loading import load_game
from boardgames.cli.options import examples, json_option
from boardgames.cli.output import estimate_json, print_json, print_table, shorten_names
from boardgames.cli.program import PROGRAM
from boardgames.draw.text import printable

if TYPE_CHECKING:
    from boardgames.arena.report import LadderEntry

OTHER_COLUMNS = 56
"""Typical width of the columns beside the names."""
HEADER = ("", "agent", "matches", "wins", "losses", "draws", "Elo")


@click.command(
    epilog=examples(
        "boardgames ladder connect4",
        "boardgames ladder abalone --svg ladder.svg",
        "boardgames ladder connect4 --option columns=5 --json",
    )
)
@click.argument("game_name", metavar="GAME")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set an option of the game; repeatable.",
)
@click.option("--svg", "drawing", type=click.Path(path_type=Path), metavar="FILE", help="Draw a chart.")
@json_option
def ladder(game_name: str, options: tuple[str, ...], drawing: Path | None, as_json: bool) -> None:
    """Rank all agents by their stored matches of GAME.

    Elo is relative to the average of all agents, with a 95% confidence
    interval. Identical matches count once. Every setting of the game's options
    has its own ladder; layouts share one. An agent with other weights or
    limits counts as another agent; the code after # tells them apart.
    """
    game = load_game(game_name, None, options)
    from boardgames.arena.report import ladder as ladder_of
    from boardgames.store import Store, has_store, variant_of

    variant = variant_of(game)
    encounters = []
    if has_store():
        with Store() as store:
            encounters = store.result_counts(game_name, variant)
    rungs = ladder_of(encounters)
    if drawing is not None:
        _draw(rungs, drawing, " ".join(filter(None, (game.facts.title, variant))))
    if as_json:
        players = [_rung_json(rung) for rung in rungs]
        print_json(game=game_name, variant=variant, players=players)
        return
    if not rungs:
        click.echo(f"no agents have met yet; see `{PROGRAM} arena --help`")
        return
    names = shorten_names(_names(rungs), other_columns=OTHER_COLUMNS)
    rows = [
        HEADER,
        *(_row(place, rung, name) for place, (rung, name) in enumerate(zip(rungs, names, strict=True), 1)),
    ]
    print_table(rows, right=(0, 2, 3, 4, 5, 6), cut=())
    click.echo("\nElo is relative to the average of all agents")
    if any(rung.estimate is None for rung in rungs):
        click.echo("?: no chain of matches with wins and losses links these agents to the others")
    if drawing is not None:
        click.echo(f"wrote {drawing}")


def _row(place: int, rung: "LadderEntry", name: str) -> tuple[str, ...]:
    elo = "?" if rung.estimate is None else str(rung.estimate)
    numbers = (rung.matches, rung.wins, rung.losses, rung.draws)
    return f"{place}.", name, *map(str, numbers), elo


def _names(rungs: "list[LadderEntry]") -> list[str]:
    """Return agents with their limits; those with the same text get the start of their fingerprint."""
    texts = [", ".join(filter(None, (rung.player.agent, rung.player.limits))) for rung in rungs]
    times = Counter(texts)
    return [
        printable(f"{text} #{rung.player.fingerprint[:4] or '-'}" if times[text] > 1 else text)
        for text, rung in zip(texts, rungs, strict=True)
    ]


def _rung_json(rung: "LadderEntry") -> dict[str, object]:
    return {
        "agent": rung.player.agent,
        "fingerprint": rung.player.fingerprint,
        "limits": rung.player.limits,
        "matches": rung.matches,
        "wins": rung.wins,
        "losses": rung.losses,
        "draws": rung.draws,
        **estimate_json(rung.estimate),
    }


def _draw(rungs: "list[LadderEntry]", path: Path, title: str) -> None:
    from boardgames.adapters.charts import Interval, interval_chart
    from boardgames.paths import write_atomic

    named = list(zip(rungs, _names(rungs), strict=True))
    rows = [
        Interval(name, estimate.elo, estimate.low, estimate.high, f"{rung.matches} matches")
        for rung, name in named
        if (estimate := rung.estimate) is not None
    ]
    apart = [name for rung, name in named if rung.estimate is None]
    remarks = [f"not comparable: {', '.join(apart)}"] if apart else []
    write_atomic(path, interval_chart(rows, title=f"{title}: ladder", unit="Elo", remarks=remarks))
