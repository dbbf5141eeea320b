"""`bg matches`: list, show, export, import and delete the matches that are kept."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from boardgames.cli.options import POSITIVE, SuggestingGroup, examples, json_option
from boardgames.cli.output import confirm, count_text, estimate_json, print_json, print_table, shorten_names
from boardgames.cli.program import EXIT_WRONG_INPUT
from boardgames.draw.text import printable
from boardgames.errors import (
    BoardgamesError,
    FileError,
    MatchError,
    OptionError,
    UnknownNameError,
)

if TYPE_CHECKING:
    from boardgames.arena.pentanomial import Estimate
    from boardgames.record import ParsedRecords
    from boardgames.store import PlayerKey, Rating, Run, Store, StoredMatch

LISTED = 20
TOGETHER = 500
"""Matches that are imported in one transaction: others may write between two."""

NOTHING_KEPT = "no matches are kept yet"
NOTHING_DELETED = "nothing is deleted"
RESULTS = ("1-0", "0-1", "draw")
RESULT_TEXTS = {0: "1-0", 1: "0-1", None: "1/2-1/2"}
RATING_COLUMNS = 42
"""Typical width of the columns beside the names in the table of a run's ratings."""
OF_MATCHES = ("agent", "faults", "result")
"""Choices of matches that make no sense for runs."""

Command = TypeVar("Command", bound=Callable[..., Any])  # click's callbacks take what is declared


@click.group(
    cls=SuggestingGroup,
    invoke_without_command=True,
    epilog=examples(
        "boardgames matches list --game abalone",
        "boardgames matches show 12",
        "boardgames matches export all.record",
    ),
)
@click.pass_context
def matches(context: click.Context) -> None:
    """List, show, export, import and delete the matches that are kept.

    They are kept in one file, matches.db in the user's data folder, by
    whatever plays many of them; each has a number. Those that you play with
    `bg play` are files of their own, in the folder records beside it; `bg
    matches import` keeps such files here too.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def choice_options(command: Command) -> Command:
    """Add `--game NAME`, `--agent TEXT`, `--run N`, `--faults` and `--result`."""
    for option in (
        click.option("--result", type=click.Choice(RESULTS), help="Only with this result."),
        click.option("--faults", is_flag=True, help="Only lost by an illegal move, time or a crash."),
        click.option("--run", type=POSITIVE, metavar="N", help="Only of this run."),
        click.option(
            "--agent", metavar="TEXT", help="Only of this agent: its name, or all of NAME:OPTION=VALUE."
        ),
        click.option("--game", metavar="NAME", help="Only of this game."),
    ):
        command = option(command)
    return command


@matches.command(
    "list",
    short_help="List matches, newest first, or runs with their ratings.",
    epilog=examples(
        "boardgames matches list",
        "boardgames matches list --game abalone --agent alphabeta --limit 5",
        "boardgames matches list --run 3 --faults",
        "boardgames matches list --runs",
        "boardgames matches list --json",
    ),
)
@choice_options
@click.option(
    "--limit", type=POSITIVE, default=LISTED, show_default=True, metavar="N", help="So many at most."
)
@click.option("--runs", "as_runs", is_flag=True, help="List runs with their ratings instead.")
@json_option
def list_matches(limit: int, as_runs: bool, as_json: bool, **choice: Any) -> None:  # of `choice_options`
    """List matches, newest first: number, day, game, who, result, plies, why it ended.

    Texts that are too long for the line of a terminal are cut; in a file or
    pipe, and with --json, they are whole.
    """
    with _opened() as store:
        if as_runs:
            _list_runs(store, limit=limit, as_json=as_json, **choice)
            return
        found = [] if store is None else list(store.matches(limit=limit, **choice))
    if as_json:
        print_json(matches=[match_json(match) for match in found])
    elif found:
        print_matches(found)
    else:
        click.echo(NOTHING_KEPT if store is None else "no match is kept of this choice")


@matches.command(
    short_help="Show a match: who played when, and every position.",
    epilog=examples(
        "boardgames matches show 12",
        "boardgames matches show 12 --flip",
        "boardgames matches show 12 --svg pictures",
        "boardgames matches show 12 --json",
    ),
)
@click.argument("number", type=POSITIVE, metavar="ID")
@click.option("--svg", "folder", type=click.Path(path_type=Path), metavar="DIR", help="Draw every position.")
@click.option("--flip", is_flag=True, help="Look from the other side.")
@json_option
def show(number: int, folder: Path | None, flip: bool, as_json: bool) -> None:
    """Show match ID: who played when, then every position as `bg replay` shows it."""
    from boardgames.cli.replay import show_records
    from boardgames.record import parse_records

    with _opened() as store:
        match = _found(store, [number])[0]
    if as_json:
        print_json(**match_json(match), record=match.record)
        return
    print_facts(match)
    parsed = parse_records(match.record, None)
    for error in parsed.errors:
        raise error
    show_records([(match.id, record) for record in parsed.records], folder=folder, flip=flip)


@matches.command(
    short_help="Write the records of matches to a file.",
    epilog=examples(
        "boardgames matches export all.record",
        "boardgames matches export best.record 12 17",
        "boardgames matches export - --game abalone | less",
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("ids", nargs=-1, type=POSITIVE, metavar="[ID]...")
@choice_options
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
def export(file: Path, ids: tuple[int, ...], force: bool, **choice: Any) -> None:  # of `choice_options`
    """Write the records of matches to FILE, oldest first; `-` is standard output.

    Without IDs, all that the options choose. `bg replay` and `bg matches
    import` read the file.
    """
    from boardgames.paths import write_atomic

    if str(file) != "-" and os.path.lexists(file) and not force:
        raise FileError(f"expected a new file, or --force to replace it: {file}")
    with _opened() as store:
        found = _found(store, ids, **choice)
    text = "".join(f"{match.record}\n\n" for match in reversed(found))
    if str(file) == "-":
        click.echo(text, nl=False)
        return
    write_atomic(file, text)
    click.echo(f"wrote {count_text(len(found), 'match', 'matches')} to {file}")


@matches.command(
    "import",
    short_help="Keep the matches of record files.",
    epilog=examples(
        "boardgames matches import all.record", "boardgames matches import home.record club.record"
    ),
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
def import_files(files: tuple[Path, ...]) -> None:
    """Keep the matches of record files, those left out of which the same text is kept.

    A match with an error is reported with its number, ply and token, the
    others are kept; the exit code is then 2.
    """
    from boardgames.plugins import load_game_of
    from boardgames.record import read_records
    from boardgames.store import Store

    added = known = errors = 0
    for file in files:
        try:
            parsed = read_records(file, load_game_of)
        except FileError as error:
            errors += _reported(error)
            continue
        for wrong in parsed.errors:
            errors += _reported(f"{file}: {wrong}")
        if parsed.records:
            with Store() as store:
                count, wrong_ones = _import(store, parsed, file)
            errors += wrong_ones
            added, known = added + count, known + len(parsed.records) - count - wrong_ones
    left = f", {count_text(known, 'match', 'matches')} had been kept already" if known else ""
    click.echo(f"kept {count_text(added, 'match', 'matches')}{left}")
    if errors:
        click.get_current_context().exit(EXIT_WRONG_INPUT)


@matches.command(
    short_help="Delete matches, or a whole run.",
    epilog=examples("boardgames matches delete 12 17", "boardgames matches delete --run 3 --yes"),
)
@click.argument("ids", nargs=-1, type=POSITIVE, metavar="[ID]...")
@click.option("--run", type=POSITIVE, metavar="N", help="This run, with its matches and ratings.")
@click.option("--yes", is_flag=True, help="Do not ask; needed where there is no terminal.")
def delete(ids: tuple[int, ...], run: int | None, yes: bool) -> None:
    """Delete matches by their IDs, or a run with all its matches and ratings.

    A run that a process is playing stays.
    """
    if bool(ids) == (run is not None):
        raise OptionError(f"expected either IDs or --run: {'both' if ids else 'nothing'} came")
    with _opened() as store:
        told = _delete_matches(store, ids, yes=yes) if run is None else _delete_run(store, run, yes=yes)
    click.echo(told)


@contextmanager
def _opened() -> "Iterator[Store | None]":
    """Open the user's store; None if there is none, since reading makes no file."""
    from boardgames.store import Store, has_store

    if not has_store():
        yield None
        return
    with Store() as store:
        yield store


def _found(store: "Store | None", ids: Sequence[int], **choice: Any) -> "list[StoredMatch]":  # as `matches`
    """Return the matches chosen, newest first; complain if an ID is of none, or none is chosen."""
    if store is None:
        raise UnknownNameError(f"expected a match that is kept: {NOTHING_KEPT}")
    found = list(store.matches(ids=ids or None, **choice))
    missing = sorted(set(ids) - {match.id for match in found})
    if missing:
        raise UnknownNameError(f"expected a match that is kept: {', '.join(map(str, missing))}")
    if not found:
        raise UnknownNameError("expected a match that is kept: none of this choice is")
    return found


def _delete_matches(store: "Store | None", ids: Sequence[int], *, yes: bool) -> str:
    """Delete matches if the user wants to, and say what became of them."""
    chosen = [match.id for match in _found(store, ids)]
    assert store is not None
    if not yes and not confirm(f"delete {count_text(len(chosen), 'match', 'matches')} for good?"):
        return NOTHING_DELETED
    return f"deleted {count_text(store.delete(chosen), 'match', 'matches')}"


def _delete_run(store: "Store | None", run: int, *, yes: bool) -> str:
    """Delete a run if the user wants to, and say what became of it."""
    if store is None:
        raise UnknownNameError(f"expected a run that is kept: {NOTHING_KEPT}")
    if not store.claim_run(run):
        raise MatchError(f"expected a run that nobody plays now: another process is at run {run}")
    kept = next(one for one in store.runs() if one.id == run)
    if not yes and not confirm(
        f"delete run {run} with {count_text(kept.matches, 'match', 'matches')} for good?"
    ):
        return NOTHING_DELETED
    return f"deleted run {run} with {count_text(store.delete_run(run), 'match', 'matches')}"


def _import(store: "Store", parsed: "ParsedRecords", file: Path) -> tuple[int, int]:
    """Keep those records that are new; return how many, and how many could not be kept and are reported."""
    from boardgames.store import NewMatch

    count, coming, wrong = 0, [], 0
    for number, record in zip(parsed.numbers, parsed.records, strict=True):
        try:
            coming.append(NewMatch.from_record(record))
        except BoardgamesError as error:
            wrong += _reported(f"{file}: match {number}: {error}")
        if len(coming) == TOGETHER:
            count += len(store.add_new(coming))
            coming = []
    return count + len(store.add_new(coming)), wrong


def _reported(error: BoardgamesError | str) -> int:
    click.echo(f"bg: {error}", err=True)
    return 1


def _list_runs(store: "Store | None", *, limit: int, as_json: bool, **choice: Any) -> None:  # as `matches`
    for name in OF_MATCHES:
        if choice[name] not in (None, False):
            raise OptionError(f"expected --{name} without --runs: both came")
    game, run = choice["game"], choice["run"]
    runs = [] if store is None else store.runs()
    chosen = [one for one in runs if game in (None, one.game) and run in (None, one.id)][:limit]
    rated = [(one, [] if store is None else store.ratings(one.id)) for one in chosen]
    if as_json:
        print_json(runs=[run_json(one, ratings) for one, ratings in rated])
        return
    for one, ratings in rated:
        print_run(one, ratings)
    if not rated:
        click.echo(NOTHING_KEPT if store is None else "no run is kept of this choice")


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
    result = "*" if match.termination is None else RESULT_TEXTS[match.winner]
    end = ": ".join(text for text in (match.termination or "unfinished", match.fault) if text)
    day = match.played[:10]
    return str(match.id), day, match.game, first.agent, second.agent, result, str(match.plies), end


# --- runs --------------------------------------------------------------------


def print_run(run: "Run", ratings: "Sequence[Rating]") -> None:
    """Print a run: how far it came, what it was told, and who plays, with the ratings if there are any."""
    planned = run.settings.get("planned")
    played = (
        count_text(run.matches, "match", "matches")
        if planned is None
        else f"{run.matches} of {planned} matches"
    )
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
    names = shorten_names([str(rating.player) for rating in ratings], other_columns=RATING_COLUMNS)
    return [
        ("  ", name, count_text(rating.matches, "match", "matches"), str(_estimate(rating) or "?"))
        for rating, name in zip(ratings, names, strict=True)
    ]


def _agent_rows(agents: object) -> list[tuple[str, ...]]:
    """Return who plays where there are no ratings; the settings of other kinds of runs may not say."""
    texts = [str(agent) for agent in agents] if isinstance(agents, list) else []
    return [("  ", name, "", "") for name in shorten_names(texts, other_columns=len("   "))]


def _estimate(rating: "Rating") -> "Estimate | None":
    from boardgames.arena.pentanomial import Estimate

    return None if rating.elo is None else Estimate(rating.elo, rating.low, rating.high)


def _player_json(player: "PlayerKey") -> dict[str, object]:
    return {"agent": player.agent, "fingerprint": player.fingerprint, "limits": player.limits}


def _when(stamp: str) -> str:
    return stamp.replace("T", " ").replace("Z", " UTC")
