"""`boardgames ladder`: the ranking of all agents by their stored matches."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import complete_game
from boardgames.cli.loading import load_game
from boardgames.cli.options import OutputFile, examples, game_option, json_option
from boardgames.cli.output import estimate_json, fields_json, print_json, print_table, say, shorten_names
from boardgames.cli.program import PROGRAM
from boardgames.draw.text import printable

if TYPE_CHECKING:
    from boardgames.arena.report import LadderEntry

OTHER_COLUMNS = 56
"""Typical width of the columns beside the names."""
HEADER: tuple[str, ...] = ("", "agent", "matches", "wins", "losses", "draws", "Elo")


@click.command(
    epilog=examples(
        "boardgames ladder connect4",
        "boardgames ladder abalone --svg ladder.svg",
        "boardgames ladder connect4 --option columns=5 --json",
    )
)
@click.argument("game_name", metavar="GAME", shell_complete=complete_game)
@game_option
@click.option("--svg", "svg_file", type=OutputFile(), metavar="FILE", help="Draw the ladder as SVG.")
@json_option
def ladder(game_name: str, options: tuple[str, ...], svg_file: Path | None, as_json: bool) -> None:
    """Rank all agents by their stored matches of GAME.

    Elo is relative to the average of all agents, with a 95% confidence
    interval. Identical matches count once. Each combination of the game's
    options has its own ladder; all layouts share one. An agent with different
    weights or limits counts as a different agent; the code after # tells them
    apart.
    """
    game = load_game(game_name, None, options)
    from boardgames.arena.report import ladder as ladder_of
    from boardgames.store import Store, has_store, variant_of

    variant = variant_of(game)
    encounters = []
    if has_store():
        with Store() as store:
            encounters = store.result_counts(game_name, variant)
    entries = ladder_of(encounters)
    if svg_file is not None:
        _draw(entries, svg_file, " ".join(filter(None, (game.facts.title, variant))))
    if as_json:
        players = [_entry_json(entry) for entry in entries]
        print_json(game=game_name, variant=variant, players=players)
        return
    if not entries:
        say(f"no agents have met yet; see `{PROGRAM} arena --help`")
        return
    names = shorten_names(_names(entries), other_columns=OTHER_COLUMNS)
    named = zip(entries, names, strict=True)
    rows = [HEADER, *(_row(place, entry, name) for place, (entry, name) in enumerate(named, start=1))]
    print_table(rows, right=(0, 2, 3, 4, 5, 6), cut=())
    say("\nElo is relative to the average of all agents")
    if any(entry.estimate is None for entry in entries):
        say("?: no chain of matches with wins and losses links these agents to the others")
    if svg_file is not None:
        say(f"wrote {svg_file}")


def _row(place: int, entry: "LadderEntry", name: str) -> tuple[str, ...]:
    elo = "?" if entry.estimate is None else str(entry.estimate)
    numbers = (entry.matches, entry.wins, entry.losses, entry.draws)
    rank = "" if entry.estimate is None else f"{place}."  # unrated agents come last
    return rank, name, *map(str, numbers), elo


def _names(entries: "list[LadderEntry]") -> list[str]:
    """Return agents with their limits; those with the same text get the start of their fingerprint."""
    texts = [", ".join(filter(None, (entry.player.agent, entry.player.limits))) for entry in entries]
    times = Counter(texts)
    return [
        printable(f"{text} #{entry.player.fingerprint[:4] or '-'}" if times[text] > 1 else text)
        for text, entry in zip(texts, entries, strict=True)
    ]


def _entry_json(entry: "LadderEntry") -> dict[str, object]:
    return {
        **fields_json(entry.player),
        "matches": entry.matches,
        "wins": entry.wins,
        "losses": entry.losses,
        "draws": entry.draws,
        **estimate_json(entry.estimate),
    }


def _draw(entries: "list[LadderEntry]", path: Path, title: str) -> None:
    from boardgames.adapters.charts import Interval, interval_chart
    from boardgames.paths import write_atomic

    named = list(zip(entries, _names(entries), strict=True))
    rows = [
        Interval(name, estimate.elo, estimate.low, estimate.high, f"{entry.matches} matches")
        for entry, name in named
        if (estimate := entry.estimate) is not None
    ]
    unrated = [name for entry, name in named if entry.estimate is None]
    remarks = [f"not comparable: {', '.join(unrated)}"] if unrated else []
    write_atomic(path, interval_chart(rows, title=f"{title}: ladder", unit="Elo", remarks=remarks))
