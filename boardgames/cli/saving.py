"""Matches of the command line as files: kept in the user's folder, gone on with from any."""

import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.common import PROGRAM
from boardgames.errors import FileError, RecordError
from boardgames.paths import data_folder
from boardgames.record import Record, read_records, write_records

if TYPE_CHECKING:
    from boardgames.game import Game
    from boardgames.manager import Manager


def save_away(manager: "Manager") -> None:
    """Save a match in the user's data folder and say where; show it instead if that fails.

    Raises
    ------
    FileError
        If it cannot be saved, after it has been shown.
    """
    record = manager.record()
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S-%f")
    path = data_folder() / "records" / f"{record.game}-{stamp}.record"
    try:
        write_records(path, [record])
    except FileError:
        click.echo(str(record))
        raise
    click.echo(f"the match is saved in {path}")
    if record.outcome is None and record.moves:
        click.echo(f"go on with: {PROGRAM} play {record.game} --resume {shlex.quote(str(path))}")


def close_players(manager: "Manager") -> None:
    """Let the players of a match give back what they hold: programs end here."""
    for player in manager.players:
        if player is not None:
            player.close()


@contextmanager
def leaving_on_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP (a closed terminal) be to the program what Ctrl-C is."""

    def leave(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), leave) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def user_path(text: str) -> Path:
    """Return the path that a person has typed, `~` standing for the home folder.

    Raises
    ------
    FileError
        If no file can have this name.
    """
    if not text or "\0" in text:
        raise FileError(f"expected the name of a file: {text!r}")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise FileError(f"expected a home folder that is known: {text!r}") from None


def unfinished_record(path: Path, game: "Game") -> Record:
    """Return the last match of a file, if it can be gone on with.

    Raises
    ------
    FileError, RecordError
        If the file cannot be read or has an error, or if its last match is
        none, is over, or is one of another game.
    """
    parsed = read_records(path)
    if parsed.errors:
        raise RecordError(f"expected matches without errors in {path}: {parsed.errors[0]}")
    if not parsed.records:
        raise RecordError(f"expected a recorded match in {path}: it has none")
    record = parsed.records[-1]
    if record.game != game.facts.name:
        raise RecordError(f"expected a match of {game.facts.name} in {path}: {record.game!r}")
    if record.outcome is not None:
        raise RecordError(f"expected an unfinished match in {path}: it ended {record.result}")
    return record
