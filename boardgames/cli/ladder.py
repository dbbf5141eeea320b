"""`bg ladder`: the standing table of all agents that have met."""

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

BESIDE_NAMES = 56
"""Signs that the other columns take, as a rule."""
HEAD = ("", "agent", "matches", "wins", "losses", "draws", "Elo")


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
    help="Set an option of the game; may be given several times.",
)
@click.option("--svg", "drawing", type=click.Path(path_type=Path), metavar="FILE", help="Draw it.")
@json_option
def ladder(game_name: str, options: tuple[str, ...], drawing: Path | None, as_json: bool) -> None:
    """Rate all agents that have met in GAME, from the matches that are kept.

    Elo is against the mean of all, with its interval of 95 %. Equal matches
    are counted once, however often two agents without chance repeated them.
    A game with other options has a ladder of its own; layouts share one.
    Agents whose weights differ are different, the sign after # tells them
    apart; so are agents that were given other limits by the arena.
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
        click.echo(f"no two agents have met yet: see `{PROGRAM} arena --help`")
        return
    names = shorten_names(_names(rungs), other_columns=BESIDE_NAMES)
    rows = [
        HEAD,
        *(_row(place, rung, name) for place, (rung, name) in enumerate(zip(rungs, names, strict=True), 1)),
    ]
    print_table(rows, right=(0, 2, 3, 4, 5, 6), cut=())
    click.echo("\nElo is over the mean of all")
    if any(rung.estimate is None for rung in rungs):
        click.echo("?: nothing compares these with the others, not even through others")
    if drawing is not None:
        click.echo(f"wrote {drawing}")


def _row(place: int, rung: "LadderEntry", name: str) -> tuple[str, ...]:
    elo = "?" if rung.estimate is None else str(rung.estimate)
    numbers = (rung.matches, rung.wins, rung.losses, rung.draws)
    return f"{place}.", name, *map(str, numbers), elo


def _names(rungs: "list[LadderEntry]") -> list[str]:
    """Return the agents' texts and limits, and the beginning of the fingerprint where others are alike."""
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
    from boardgames.draw.intervals import Row, intervals_svg
    from boardgames.paths import write_atomic

    named = list(zip(rungs, _names(rungs), strict=True))
    rows = [
        Row(name, found.elo, found.low, found.high, f"{rung.matches} matches")
        for rung, name in named
        if (found := rung.estimate) is not None
    ]
    apart = [name for rung, name in named if rung.estimate is None]
    remarks = [f"not comparable: {', '.join(apart)}"] if apart else []
    write_atomic(path, intervals_svg(rows, title=f"{title}: ladder", unit="Elo", remarks=remarks))
