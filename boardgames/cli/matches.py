"""`bg matches`: list, show, export, import and delete the matches that are kept."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from boardgames.cli.common import COUNT, EXIT_WRONG_INPUT, examples, json_option, print_json
from boardgames.cli.kept import counted, match_json, print_facts, print_matches, print_run, run_json
from boardgames.errors import (
    BoardgamesError,
    FileError,
    MatchError,
    OptionError,
    UnknownNameError,
    near,
)

if TYPE_CHECKING:
    from boardgames.record import ParsedRecords
    from boardgames.store import Store, StoredMatch

LISTED = 20
TOGETHER = 500
"""Matches that are imported in one transaction: others may write between two."""

NOTHING_KEPT = "no matches are kept yet"
NOTHING_DELETED = "nothing is deleted"
RESULTS = ("1-0", "0-1", "draw")
OF_MATCHES = ("agent", "faults", "result")
"""Choices of matches that make no sense for runs."""

Command = TypeVar("Command", bound=Callable[..., Any])  # click's callbacks take what is declared


class Actions(click.Group):
    """A group whose commands are named where one is mistyped."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first argument; name near ones if there is none."""
        if args and args[0] not in self.commands:
            raise click.UsageError(f"no command {args[0]!r}{near(args[0], self.commands)}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=Actions,
    invoke_without_command=True,
    epilog=examples("bg matches list --game abalone", "bg matches show 12", "bg matches export all.record"),
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
        click.option("--run", type=COUNT, metavar="N", help="Only of this run."),
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
        "bg matches list",
        "bg matches list --game abalone --agent alphabeta --limit 5",
        "bg matches list --run 3 --faults",
        "bg matches list --runs",
        "bg matches list --json",
    ),
)
@choice_options
@click.option("--limit", type=COUNT, default=LISTED, show_default=True, metavar="N", help="So many at most.")
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
        "bg matches show 12",
        "bg matches show 12 --flip",
        "bg matches show 12 --svg pictures",
        "bg matches show 12 --json",
    ),
)
@click.argument("number", type=COUNT, metavar="ID")
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
    parsed = parse_records(match.record, replay=False)
    for error in parsed.errors:
        raise error
    show_records([(match.id, record) for record in parsed.records], folder=folder, flip=flip)


@matches.command(
    short_help="Write the records of matches to a file.",
    epilog=examples(
        "bg matches export all.record",
        "bg matches export best.record 12 17",
        "bg matches export - --game abalone | less",
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("ids", nargs=-1, type=COUNT, metavar="[ID]...")
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
    click.echo(f"wrote {counted(len(found))} to {file}")


@matches.command(
    "import",
    short_help="Keep the matches of record files.",
    epilog=examples("bg matches import all.record", "bg matches import home.record club.record"),
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
def import_files(files: tuple[Path, ...]) -> None:
    """Keep the matches of record files, those left out of which the same text is kept.

    A match with an error is reported with its number, ply and token, the
    others are kept; the exit code is then 2.
    """
    from boardgames.record import read_records
    from boardgames.store import Store

    added = known = errors = 0
    for file in files:
        try:
            parsed = read_records(file)
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
    left = f", {counted(known)} had been kept already" if known else ""
    click.echo(f"kept {counted(added)}{left}")
    if errors:
        click.get_current_context().exit(EXIT_WRONG_INPUT)


@matches.command(
    short_help="Delete matches, or a whole run.",
    epilog=examples("bg matches delete 12 17", "bg matches delete --run 3 --yes"),
)
@click.argument("ids", nargs=-1, type=COUNT, metavar="[ID]...")
@click.option("--run", type=COUNT, metavar="N", help="This run, with its matches and ratings.")
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
    if not yes and not _is_confirmed(f"delete {counted(len(chosen))} for good?"):
        return NOTHING_DELETED
    return f"deleted {counted(store.delete(chosen))}"


def _delete_run(store: "Store | None", run: int, *, yes: bool) -> str:
    """Delete a run if the user wants to, and say what became of it."""
    if store is None:
        raise UnknownNameError(f"expected a run that is kept: {NOTHING_KEPT}")
    if not store.claim_run(run):
        raise MatchError(f"expected a run that nobody plays now: another process is at run {run}")
    kept = next(one for one in store.runs() if one.id == run)
    if not yes and not _is_confirmed(f"delete run {run} with {counted(kept.matches)} for good?"):
        return NOTHING_DELETED
    return f"deleted run {run} with {counted(store.delete_run(run))}"


def _import(store: "Store", parsed: "ParsedRecords", file: Path) -> tuple[int, int]:
    """Keep those records that are new; return how many, and how many could not be kept and are reported."""
    from boardgames.store import NewMatch

    count, coming, wrong = 0, [], 0
    for number, record in zip(parsed.numbers, parsed.records, strict=True):
        try:
            coming.append(NewMatch.of(record))
        except BoardgamesError as error:
            wrong += _reported(f"{file}: match {number}: {error}")
        if len(coming) == TOGETHER:
            count += len(store.add_new(coming))
            coming = []
    return count + len(store.add_new(coming)), wrong


def _reported(error: BoardgamesError | str) -> int:
    click.echo(f"bg: {error}", err=True)
    return 1


def _is_confirmed(question: str) -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise OptionError("expected --yes where nobody can be asked: it did not come")
    return click.confirm(question)


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
