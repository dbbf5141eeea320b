"""Matches and runs that are kept, as `bg matches` prints them: tables, lines and JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from boardgames.cli.common import estimate_json
from boardgames.cli.tables import fitting_names, print_table
from boardgames.draw.text import printable

if TYPE_CHECKING:
    from boardgames.arena.pentanomial import Estimate
    from boardgames.store import PlayerKey, Rating, Run, StoredMatch

BESIDE_NAMES = 42
"""Signs that the other columns of a run's table take, as a rule."""
RESULTS = {0: "1-0", 1: "0-1", None: "1/2-1/2"}


def counted(count: int) -> str:
    """Return a number of matches in words.

    Examples
    --------
    >>> counted(1), counted(2)
    ('1 match', '2 matches')
    """
    return f"{count} match" if count == 1 else f"{count} matches"


# --- matches -----------------------------------------------------------------


def print_matches(matches: "Sequence[StoredMatch]") -> None:
    """Print matches, at least one, a line each."""
    print_table([_match_row(match) for match in matches], right=(0, 6), cut=(3, 4, 7))


def print_facts(match: "StoredMatch") -> None:
    """Print who played when, and what else is known besides the record."""
    facts = [f"match {match.id} of {match.game}" + (f", {match.variant}" if match.variant else "")]
    for word, player, seconds in zip(("first", "second"), match.players, match.seconds, strict=True):
        facts.append(f"{word}: {player}, {seconds:.1f} s")
    facts.append(f"kept: {_when(match.played)}")
    if match.run is not None:
        facts.append(f"run: {match.run}" + ("" if match.number is None else f", number {match.number}"))
    if match.fault:
        facts.append(f"fault: {match.fault}")
    click.echo("\n".join(printable(fact) for fact in facts))


def match_json(match: "StoredMatch") -> dict[str, object]:
    """Return a match as JSON has it, without its record."""
    outcome = {"winner": match.winner, "termination": match.termination}
    return {
        "id": match.id,
        "played": match.played,
        "game": match.game,
        "variant": match.variant,
        "players": [_player_json(player) for player in match.players],
        "outcome": None if match.termination is None else outcome,
        "plies": match.plies,
        "seconds": list(match.seconds),
        "fault": match.fault,
        "run": match.run,
        "number": match.number,
    }


def _match_row(match: "StoredMatch") -> tuple[str, ...]:
    first, second = match.players
    result = "*" if match.termination is None else RESULTS[match.winner]
    end = ": ".join(text for text in (match.termination or "unfinished", match.fault) if text)
    day = match.played[:10]
    return str(match.id), day, match.game, first.agent, second.agent, result, str(match.plies), end


# --- runs --------------------------------------------------------------------


def print_run(run: "Run", ratings: "Sequence[Rating]") -> None:
    """Print a run: how far it came, what it was told, and who plays, with the ratings if there are any."""
    planned = run.settings.get("planned")
    played = counted(run.matches) if planned is None else f"{run.matches} of {planned} matches"
    ended = f"finished {_when(run.finished)}" if run.finished else "not finished"
    click.echo(printable(f"{run.id}. {run.kind} of {run.game}: {played}, {ended}"))
    click.echo(printable(f"   {', '.join(_told(run))}"))
    rows = _rating_rows(ratings) if ratings else _agent_rows(run.settings.get("agents"))
    if rows:
        print_table(rows, right=(2,), cut=())


def run_json(run: "Run", ratings: "Sequence[Rating]") -> dict[str, object]:
    """Return a run with its ratings as JSON has it."""
    return {
        "id": run.id,
        "kind": run.kind,
        "game": run.game,
        "key": run.key,
        "settings": dict(run.settings),
        "seed": run.seed,
        "started": run.started,
        "finished": run.finished,
        "matches": run.matches,
        "ratings": [
            {**_player_json(rating.player), "matches": rating.matches, **estimate_json(_estimate(rating))}
            for rating in ratings
        ],
    }


def _told(run: "Run") -> Iterator[str]:
    """Yield what decides a run's matches besides its agents."""
    yield f"seed {run.seed}"
    if "openings" in run.settings:
        yield f"openings {run.settings['openings']}"
    limit, time = (_given(run.settings.get(name)) for name in ("limit", "time"))
    if limit:
        yield f"limit {_assigned(limit)}"
    if "move" in time or "match" in time:  # else the margin is one of nothing
        yield f"time {_assigned(time)}"


def _given(setting: object) -> dict[str, object]:
    """Return what a setting with parts says, nulls left out."""
    parts = setting if isinstance(setting, Mapping) else {}
    return {name: value for name, value in parts.items() if value is not None}


def _assigned(parts: Mapping[str, object]) -> str:
    numbers = {name: f"{value:g}" if isinstance(value, float) else value for name, value in parts.items()}
    return " ".join(f"{name}={number}" for name, number in numbers.items())


def _rating_rows(ratings: "Sequence[Rating]") -> list[tuple[str, ...]]:
    names = fitting_names([str(rating.player) for rating in ratings], beside=BESIDE_NAMES)
    return [
        ("  ", name, counted(rating.matches), str(_estimate(rating) or "?"))
        for rating, name in zip(ratings, names, strict=True)
    ]


def _agent_rows(agents: object) -> list[tuple[str, ...]]:
    """Return who plays where there are no ratings; the settings of other kinds of runs may not say."""
    texts = [str(agent) for agent in agents] if isinstance(agents, list) else []
    return [("  ", name, "", "") for name in fitting_names(texts, beside=len("   "))]


def _estimate(rating: "Rating") -> "Estimate | None":
    from boardgames.arena.pentanomial import Estimate

    return None if rating.elo is None else Estimate(rating.elo, rating.low, rating.high)


def _player_json(player: "PlayerKey") -> dict[str, object]:
    return {"agent": player.agent, "fingerprint": player.fingerprint, "limits": player.limits}


def _when(stamp: str) -> str:
    return stamp.replace("T", " ").replace("Z", " UTC")
