"""`boardgames matches`: list, show, export, import and delete the matches in the user's database."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from boardgames.cli.completion import complete_agent, complete_game
from boardgames.cli.loading import explain_errors, name_of, read_matches, record_defaults, say_assumptions
from boardgames.cli.options import (
    POSITIVE,
    ListingGroup,
    examples,
    json_option,
    record_options,
)
from boardgames.cli.output import (
    confirm,
    count_text,
    estimate_json,
    fields_json,
    print_error,
    print_errors,
    print_json,
    print_table,
    say,
    shorten_names,
)
from boardgames.cli.program import EXIT_WRONG_INPUT, PROGRAM
from boardgames.cli.saving import has_unfinished_match
from boardgames.draw.text import printable
from boardgames.errors import (
    BoardgamesError,
    FileError,
    MatchError,
    OptionError,
    RecordError,
    UnknownNameError,
)
from boardgames.options import agent_title

if TYPE_CHECKING:
    from boardgames.arena.pentanomial import Estimate
    from boardgames.record import ParsedRecords, Record
    from boardgames.store import Added, Rating, Store, StoredMatch, StoredRun

DEFAULT_LIMIT = 20
BATCH = 500
"""Number of matches imported per transaction; other processes can write between two transactions."""

NO_MATCHES = "no matches are stored yet"
NOTHING_DELETED = "nothing deleted"
HEADER = ("ID", "date", "game", "first", "second", "result", "plies", "end")
RESULTS = ("1-0", "0-1", "draw")
RESULT_TEXTS = {0: "1-0", 1: "0-1", None: "1/2-1/2"}
_DATE = re.compile(r"[0-9?]{4}\.[0-9?]{2}\.[0-9?]{2}")
UNKNOWN_DATE = "????.??.??"
RATING_COLUMNS = 42
"""Typical total width of the columns other than the names in the table of a run's ratings."""
MATCH_FILTERS = ("agent", "faults", "result")
"""Filters that do not apply to runs."""

Command = TypeVar("Command", bound=Callable[..., Any])  # click passes whatever is declared


@click.group(
    cls=ListingGroup,
    epilog=examples(
        "boardgames matches list --game abalone",
        "boardgames matches show 12",
        "boardgames matches export all.record",
    ),
)
def matches() -> None:
    """List, show, export, import or delete stored matches; without a command, list them.

    The database matches.db in your data folder contains the matches of arenas,
    and those finished with `boardgames play` or in the browser. Each match has a
    number. Matches that you play yourself with `boardgames play` are also saved as
    files in the folder `records` next to the database. `boardgames matches import`
    adds the matches of other files to the database.
    """


def _no_matches_text() -> str:
    """Say that no matches are stored, and how to continue an unfinished match if there is one."""
    return (
        f"no finished matches are stored yet; `{PROGRAM} play --resume` continues your unfinished match"
        if has_unfinished_match()
        else NO_MATCHES
    )


def filter_options(command: Command) -> Command:
    """Add `--game NAME`, `--agent TEXT`, `--run N`, `--faults` and `--result`."""
    for option in (
        click.option("--result", type=click.Choice(RESULTS), help="Only matches with this result."),
        click.option(
            "--faults", is_flag=True, help="Only matches lost by an illegal move, on time or by a crash."
        ),
        click.option("--run", type=POSITIVE, metavar="N", help="Only matches of this arena run."),
        click.option(
            "--agent",
            metavar="TEXT",
            shell_complete=complete_agent,
            help="Only matches of this agent: its name, or NAME:OPTION=VALUE,... in full.",
        ),
        click.option(
            "--game", metavar="NAME", shell_complete=complete_game, help="Only matches of this game."
        ),
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
@filter_options
@click.option(
    "--limit", type=POSITIVE, default=DEFAULT_LIMIT, show_default=True, metavar="N", help="List at most N."
)
@click.option("--runs", "as_runs", is_flag=True, help="List arena runs with their ratings instead.")
@json_option
def list_matches(
    limit: int, as_runs: bool, as_json: bool, **filters: Any
) -> None:  # the parameters of `filter_options`
    """List matches, newest first, with players, result, number of plies and how they ended.

    On a terminal, long texts are shortened to fit the line.
    """
    with _open_store() as store:
        if as_runs:
            _list_runs(store, limit=limit, as_json=as_json, **filters)
            return
        listed = [] if store is None else list(store.matches(limit=limit, **filters))
        count = 0 if store is None else store.count(**filters)
    if as_json:
        print_json(matches=[match_json(match) for match in listed])
    elif listed:
        print_matches(listed)
        if count > len(listed):
            say(f"{len(listed)} of {count} matches; `boardgames matches --limit N` lists more")
    else:
        say(_no_matches_text() if store is None else "no stored match fits the filters")


@matches.command(
    short_help="Show a match: players, date and every position.",
    epilog=examples(
        "boardgames matches show 12",
        "boardgames matches show 12 --flip",
        "boardgames matches show 12 --svg pictures",
        "boardgames matches show 12 --json",
    ),
)
@click.argument("number", type=POSITIVE, metavar="ID")
@click.option(
    "--svg", "folder", type=click.Path(path_type=Path), metavar="FOLDER", help="Draw every position as SVG."
)
@click.option("--flip", is_flag=True, help="Turn the board around.")
@json_option
def show(number: int, folder: Path | None, flip: bool, as_json: bool) -> None:
    """Show match ID: its players and date, then every position, as `boardgames replay` does."""
    from boardgames.cli.replay import show_records
    from boardgames.record import parse_records

    with _open_store() as store:
        match = _select(store, [number])[0]
    if as_json:
        print_json(**match_json(match), record=match.dated_record)
        return
    print_facts(match)
    parsed = parse_records(match.record, None)
    for error in parsed.errors:
        raise error
    show_records([(match.id, record) for record in parsed.records], folder=folder, flip=flip)


@matches.command(
    short_help="Write matches to a record file.",
    epilog=examples(
        "boardgames matches export all.record",
        "boardgames matches export best.record 12 17",
        "boardgames matches export - --game abalone | less",
        "boardgames matches export mine.pgn --times --values",
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("ids", nargs=-1, type=POSITIVE, metavar="[ID]...")
@filter_options
@click.option("--times", is_flag=True, help="Write times as other programs do: [%emt 0:00:05].")
@click.option("--values", is_flag=True, help="Write the values from reviews in the browser: [%eval +0.35].")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
def export(
    file: Path, ids: tuple[int, ...], times: bool, values: bool, force: bool, **filters: Any
) -> None:  # the parameters of `filter_options`
    """Write matches to the record file FILE, oldest first; `-` is standard output.

    Without IDs, all matches that fit the filters are written.

    Values are from the first player's point of view. They are known for matches that were
    played and reviewed in the browser, as long as they are listed there.
    """
    from boardgames.paths import check_folder, write_atomic

    if str(file) != "-":
        check_folder(file)
        if os.path.lexists(file) and not force:
            raise FileError(f"{file} already exists; --force overwrites it")
    with _open_store() as store:
        selected = _select(store, ids, **filters)
        reviewed = _reviewed_values(store) if values and store is not None else {}
    known = {match.id: reviewed[match.record] for match in selected if match.record in reviewed}
    if values and not known:
        say("these matches have no saved review, so no values were written", err=True)
    if times and not any(_has_times(match) for match in selected):
        say("these matches have no times, so none were written", err=True)
    texts = [_record_text(match, known.get(match.id, ()), times=times) for match in reversed(selected)]
    text = "".join(f"{one}\n\n" for one in texts)
    if str(file) == "-":
        say(text, nl=False)
        return
    write_atomic(file, text)
    say(f"wrote {count_text(len(selected), 'match', 'matches')} to {file}")


@matches.command(
    "import",
    short_help="Add the matches of record files.",
    epilog=examples(
        "boardgames matches import all.record",
        "boardgames matches import home.record club.record",
        "boardgames matches import server.pgn --game abalone",
        "boardgames matches export - --game abalone | ssh club boardgames matches import -",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@record_options
def import_files(
    files: tuple[str, ...],
    game: str | None,
    layout: str | None,
    options: tuple[str, ...],
    notation: str | None,
) -> None:
    """Add the matches of record files to the database; duplicates are skipped.

    FILE may be `-` for standard input.
    It may also contain PGN from another program or, with --game, only moves: one
    match per line, or matches separated by empty lines.

    Matches with errors are reported and skipped; the exit code is then 2.
    """
    from boardgames.store import Store

    defaults = record_defaults(game, layout, options, notation)
    added = known = with_date = without_date = bad = 0
    for file in files:
        where = name_of(file)
        try:
            text, parsed = read_matches(file, defaults)
        except FileError as error:
            print_error(error)
            bad += 1
            continue
        except RecordError as error:
            print_error(f"{where}: {error}")
            bad += 1
            continue
        say_assumptions(where, parsed)
        errors = explain_errors(parsed, text, defaults.game)
        if not parsed.records and not errors:
            errors = ["there are no matches in it"]
        if parsed.records:
            with Store() as store:
                done, rejected = _import(store, parsed)
            errors += rejected
            added += len(done.ids)
            known += len(parsed.records) - len(done.ids) - len(rejected)
            with_date, without_date = with_date + done.with_date, without_date + done.without_date
        print_errors([f"{where}: {error}" for error in errors])
        bad += len(errors)
    known_text = f", {count_text(known, 'match', 'matches')} already stored" if known else ""
    say(f"added {count_text(added, 'match', 'matches')}{known_text}")
    if with_date:
        say(f"kept {count_text(with_date, 'stored match', 'stored matches')} with a date that the file lacks")
    if without_date:
        say(f"kept {count_text(without_date, 'stored match', 'stored matches')} without the date in the file")
    if bad:
        click.get_current_context().exit(EXIT_WRONG_INPUT)


@matches.command(
    short_help="Delete matches, or a whole arena run.",
    epilog=examples("boardgames matches delete 12 17", "boardgames matches delete --run 3 --yes"),
)
@click.argument("ids", nargs=-1, type=POSITIVE, metavar="[ID]...")
@click.option("--run", type=POSITIVE, metavar="N", help="Delete this arena run with its matches and ratings.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation; required without a terminal.")
def delete(ids: tuple[int, ...], run: int | None, yes: bool) -> None:
    """Delete matches by ID, or an arena run with all its matches and ratings.

    A run in progress cannot be deleted.
    """
    if bool(ids) == (run is not None):
        raise OptionError("give IDs or --run, not both" if ids else "give the IDs of matches, or --run N")
    with _open_store() as store:
        message = _delete_matches(store, ids, yes=yes) if run is None else _delete_run(store, run, yes=yes)
    say(message)


@contextmanager
def _open_store() -> "Iterator[Store | None]":
    """Open the user's database; yields None instead of creating it if it does not exist."""
    from boardgames.store import Store, has_store

    if not has_store():
        yield None
        return
    with Store() as store:
        yield store


def _select(
    store: "Store | None", ids: Sequence[int], **filters: Any
) -> "list[StoredMatch]":  # the filters of `Store.matches`
    """Return the chosen matches, newest first.

    Raises
    ------
    UnknownNameError
        If an ID does not exist or no match fits the filters.
    """
    if store is None:
        raise UnknownNameError(NO_MATCHES)
    selected = list(store.matches(ids=ids or None, **filters))
    missing = sorted(set(ids) - {match.id for match in selected})
    if missing:
        raise UnknownNameError(f"no stored match has the ID {', '.join(map(str, missing))}")
    if not selected:
        raise UnknownNameError("no stored match fits the filters")
    return selected


def _delete_matches(store: "Store | None", ids: Sequence[int], *, yes: bool) -> str:
    """Delete matches if the user agrees; return a message."""
    chosen = [match.id for match in _select(store, ids)]
    assert store is not None
    if not yes and not confirm(f"delete {count_text(len(chosen), 'match', 'matches')} permanently?"):
        return NOTHING_DELETED
    return f"deleted {count_text(store.delete(chosen), 'match', 'matches')}"


def _delete_run(store: "Store | None", run: int, *, yes: bool) -> str:
    """Delete an arena run if the user agrees; return a message."""
    if store is None:
        raise UnknownNameError(NO_MATCHES)
    if not store.claim_run(run):
        raise MatchError(f"run {run} is in progress; stop it first")
    stored = next(one for one in store.runs() if one.id == run)
    if not yes and not confirm(
        f"delete run {run} with {count_text(stored.matches, 'match', 'matches')} permanently?"
    ):
        return NOTHING_DELETED
    return f"deleted run {run} with {count_text(store.delete_run(run), 'match', 'matches')}"


def _record_text(match: "StoredMatch", values: Sequence[str], *, times: bool) -> str:
    """Return the record of a match, with times and values in the form of other programs if requested."""
    from boardgames.record import format_annotated, parse_records

    if not times and not values:
        return match.dated_record
    records = parse_records(match.dated_record, None).records
    if len(records) != 1:  # the stored text is damaged
        return match.dated_record
    return format_annotated(records[0], values=values, writes_elapsed=times)


def _reviewed_values(store: "Store") -> dict[str, list[str]]:
    """Return the values after each move for all matches with a stored review from the web page, by record."""
    from boardgames.record import parse_records

    found = {}
    for match in store.served():
        review: Any = match.data.get("review")  # JSON, which may be anything
        try:
            moves, values = tuple(review["moves"]), [str(note["value"]) for note in review["notes"]]
        except (LookupError, TypeError):
            continue
        records = parse_records(match.record, None).records
        if [record.moves for record in records] == [moves]:  # no move has been taken back or added since
            found[match.record] = values[1:]  # without the value of the start
    return found


def _import(store: "Store", parsed: "ParsedRecords") -> "tuple[Added, list[str]]":
    """Store the new records; return what was added, and the errors of records that cannot be stored."""
    from boardgames.store import Added, NewMatch

    batch: list[NewMatch] = []
    done, rejected = [], []
    read = zip(parsed.numbers, parsed.records, parsed.side_seconds, strict=True)
    for number, record, seconds in read:
        try:
            batch.append(NewMatch.from_record(record, seconds=seconds))
        except BoardgamesError as error:
            rejected.append(f"match {number}: {error}")
        if len(batch) == BATCH:
            done.append(store.add_missing(batch))
            batch = []
    done.append(store.add_missing(batch))
    ids = [number for one in done for number in one.ids]
    with_date, without_date = sum(one.with_date for one in done), sum(one.without_date for one in done)
    return Added(ids, with_date, without_date), rejected


def _list_runs(
    store: "Store | None", *, limit: int, as_json: bool, **filters: Any
) -> None:  # the parameters of `filter_options`
    for name in MATCH_FILTERS:
        if filters[name] not in (None, False):
            raise OptionError(f"--{name} does not work with --runs")
    game, run = filters["game"], filters["run"]
    runs = [] if store is None else store.runs()
    chosen = [one for one in runs if game in (None, one.game) and run in (None, one.id)][:limit]
    rated = [(one, [] if store is None else store.ratings(one.id)) for one in chosen]
    if as_json:
        print_json(runs=[run_json(one, ratings) for one, ratings in rated])
        return
    for one, ratings in rated:
        print_run(one, ratings)
    if not rated:
        say(NO_MATCHES if store is None else "no arena run fits the filters")


# --- matches -----------------------------------------------------------------


def print_matches(matches: "Sequence[StoredMatch]") -> None:
    """Print a header, and one line for each match."""
    print_table([HEADER, *(_match_row(match) for match in matches)], right=(0, 6), cut=(3, 4, 7))


def print_facts(match: "StoredMatch") -> None:
    """Print what is known about a match besides its record."""
    facts = [f"match {match.id} of {match.game}" + (f", {match.variant}" if match.variant else "")]
    record = _record_of(match)
    for side, (player, seconds) in enumerate(zip(match.players, match.seconds, strict=True)):
        times = () if record is None else record.seconds[side::2]
        is_known = not times or any(second is not None for second in times)
        time = f"{seconds:.1f} s" if seconds or is_known else "time unknown"
        facts.append(f"{('first', 'second')[side]}: {agent_title(str(player))}, {time}")
    added = _timestamp_text(match.played)
    day = _date_of_play(match)
    facts.append(f"date: {added}" if day == added[:10] else f"date: {day or 'unknown'}, added {added}")
    if match.run is not None:
        facts.append(f"run: {match.run}" + ("" if match.number is None else f", number {match.number}"))
    if match.fault:
        facts.append(f"fault: {match.fault}")
    say("\n".join(printable(fact) for fact in facts))


def _has_times(match: "StoredMatch") -> bool:
    """Return True if the record of a match has the time of a move."""
    record = _record_of(match)
    return record is not None and any(second is not None for second in record.seconds)


def _record_of(match: "StoredMatch") -> "Record | None":
    """Return the record of a match without checking its moves, or None if it is damaged."""
    from boardgames.record import parse_records

    return next(iter(parse_records(match.record, None).records), None)


def _date_of_play(match: "StoredMatch") -> str | None:
    """Return the day on which a match was played, YYYY-MM-DD, or None if it is unknown.

    Unknown parts are question marks. A match of an arena run is stored as soon as it has been played.
    """
    record = _record_of(match)
    date = "" if record is None else record.tags.get("Date", "")
    if _DATE.fullmatch(date) and date != UNKNOWN_DATE:
        return date.replace(".", "-")
    return None if match.run is None else match.played[:10]


def match_json(match: "StoredMatch") -> dict[str, object]:
    """Return a match as a JSON object, without its record."""
    outcome = {"winner": match.winner, "termination": match.termination}
    return {
        "id": match.id,
        "played": match.played,
        "date": _date_of_play(match),
        "game": match.game,
        "variant": match.variant,
        "players": match.players,
        "outcome": None if match.termination is None else outcome,
        "plies": match.plies,
        "seconds": match.seconds,
        "fault": match.fault,
        "run": match.run,
        "number": match.number,
    }


def _match_row(match: "StoredMatch") -> tuple[str, ...]:
    players = [agent_title(player.agent) for player in match.players]
    result = "*" if match.termination is None else RESULT_TEXTS[match.winner]
    end = ": ".join(text for text in (match.termination or "unfinished", match.fault) if text)
    day = _date_of_play(match) or "unknown"
    return str(match.id), day, match.game, *players, result, str(match.plies), end


# --- runs --------------------------------------------------------------------


def print_run(run: "StoredRun", ratings: "Sequence[Rating]") -> None:
    """Print a run: its progress, settings and players, with their ratings if there are any."""
    planned = run.settings.get("planned")
    played = (
        count_text(run.matches, "match", "matches")
        if planned is None
        else f"{run.matches} of {planned} matches"
    )
    ended = f"finished {_timestamp_text(run.finished)}" if run.finished else "not finished"
    say(printable(f"{run.id}. {run.kind} of {run.game}: {played}, {ended}"))
    say(printable(f"   {', '.join(_settings(run))}"))
    rows = _rating_rows(ratings) if ratings else _agent_rows(run.settings.get("agents"))
    if rows:
        print_table(rows, right=(2,), cut=())


def run_json(run: "StoredRun", ratings: "Sequence[Rating]") -> dict[str, object]:
    """Return a run with its ratings as a JSON object."""
    return {
        **fields_json(run),
        "ratings": [
            {**fields_json(rating.player), "matches": rating.matches, **estimate_json(_estimate(rating))}
            for rating in ratings
        ],
    }


def _settings(run: "StoredRun") -> Iterator[str]:
    """Yield the settings of a run, except for its agents."""
    yield f"seed {run.seed}"
    if "openings" in run.settings:
        yield f"openings {run.settings['openings']}"
    limit, time = _non_null(run.settings.get("limit")), run.settings.get("time")
    if limit:
        yield f"limit {_assignments(limit)}"
    times = [_non_null(one) for one in (time if isinstance(time, list) else [time])]
    if any("move" in one or "match" in one for one in times):  # the margin alone means nothing
        yield f"time {' against '.join(map(_assignments, times))}"


def _non_null(setting: object) -> dict[str, object]:
    """Return the parts of a setting that are not null."""
    parts = setting if isinstance(setting, Mapping) else {}
    return {name: value for name, value in parts.items() if value is not None}


def _assignments(parts: Mapping[str, object]) -> str:
    numbers = {name: f"{value:g}" if isinstance(value, float) else value for name, value in parts.items()}
    return " ".join(f"{name}={number}" for name, number in numbers.items())


def _rating_rows(ratings: "Sequence[Rating]") -> list[tuple[str, ...]]:
    names = shorten_names([str(rating.player) for rating in ratings], other_columns=RATING_COLUMNS)
    return [
        ("  ", name, count_text(rating.matches, "match", "matches"), str(_estimate(rating) or "?"))
        for rating, name in zip(ratings, names, strict=True)
    ]


def _agent_rows(agents: object) -> list[tuple[str, ...]]:
    """Return a row for each agent of a run without ratings; other kinds of runs may have no agents."""
    texts = [str(agent) for agent in agents] if isinstance(agents, list) else []
    return [("  ", name, "", "") for name in shorten_names(texts, other_columns=len("   "))]


def _estimate(rating: "Rating") -> "Estimate | None":
    from boardgames.arena.pentanomial import Estimate

    return None if rating.elo is None else Estimate(rating.elo, rating.low, rating.high)


def _timestamp_text(stamp: str) -> str:
    return stamp.replace("T", " ").replace("Z", " UTC")
