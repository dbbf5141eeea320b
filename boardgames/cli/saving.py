"""The end of a match of `boardgames play`: saving it, and releasing its players; reading it again later."""

import shlex
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from boardgames.cli.continuing import continue_text
from boardgames.cli.output import say, wrap
from boardgames.cli.program import PROGRAM
from boardgames.draw.text import printable
from boardgames.errors import FileError, RecordError, StoreError, quote
from boardgames.paths import data_folder

if TYPE_CHECKING:
    from boardgames.game import Game
    from boardgames.manager import Manager
    from boardgames.record import Record


def print_learned(manager: "Manager") -> None:
    """Say for each player that learns where it has saved its weights, or that it has not saved them."""
    for player in manager.players:
        if player is None or not player.is_learning:
            continue
        if player.saved_to is not None:
            text = f"{player.describe()} has learned from this match: weights saved to {player.saved_to}"
        else:
            reason = ", since the match is not finished" if manager.outcome is None else ""
            text = f"{player.describe()} has not saved its weights{reason}"
        say(wrap(printable(text), 2))


def close_players(manager: "Manager") -> None:
    """Release what the players of a match hold, such as engine processes; an interrupt closes them all.

    Those that are still getting ready are left to the end of the program, since closing waits for them.
    """
    from boardgames.plugins import close_player

    with ExitStack() as stack:
        for side, player in enumerate(manager.players):
            if player is not None and manager.is_ready(side):
                stack.callback(close_player, player)


def save_match(record: "Record") -> None:
    """Save a match in the user's data folder and print the path; if that fails, print the match.

    A match without moves is not saved. A finished one is also added to those of `boardgames matches`.

    Raises
    ------
    FileError
        If the match cannot be saved or added.
    """
    from boardgames.record import write_records

    if not record.moves:
        return
    timestamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S-%f")
    path = data_folder() / "records" / f"{record.game}-{timestamp}.record"
    try:
        write_records(path, [record])
    except FileError:
        say(str(record))
        raise
    say(f"match saved to {path}")
    if record.outcome is None:
        say(continue_text(f"{PROGRAM} play {record.game} --resume {shlex.quote(str(path))}"))
    else:
        _add_to_store(record)


def _add_to_store(record: "Record") -> None:
    from boardgames.store import NewMatch, Store

    try:
        with Store() as store:
            store.add_new([NewMatch.from_record(record)])
    except StoreError as error:
        raise FileError(f"the match is not added to those of `{PROGRAM} matches`: {error}") from None


def read_unfinished(path: Path, game: "Game") -> "Record":
    """Return the last match of a file if it can be resumed.

    Raises
    ------
    FileError, RecordError
        If the file cannot be read or has errors or no matches, or if its last
        match is finished or of another game.
    """
    from boardgames.plugins import load_game_of
    from boardgames.record import read_records

    parsed = read_records(path, load_game_of)
    if parsed.errors:
        raise RecordError(f"{path} has an error: {parsed.errors[0]}")
    if not parsed.records:
        raise RecordError(f"no matches in {path}")
    record = parsed.records[-1]
    if record.game != game.facts.name:
        raise RecordError(f"{path} contains a match of {quote(record.game)}, not {game.facts.name}")
    if record.outcome is not None:
        raise RecordError(f"the match in {path} is finished ({record.result})")
    return record
