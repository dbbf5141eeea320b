"""Saving matches of `boardgames play`, reading them again to resume them, and releasing their players."""

import re
import shlex
import stat
import warnings
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from boardgames.cli.continuing import continue_text
from boardgames.cli.loading import name_of, read_matches, say_assumptions
from boardgames.cli.output import say, wrap
from boardgames.cli.program import PROGRAM
from boardgames.draw.text import printable
from boardgames.errors import BoardgamesError, FileError, RecordError, StoreError, quote
from boardgames.paths import data_folder, read_bytes, read_text

if TYPE_CHECKING:
    from boardgames.manager import Manager
    from boardgames.record import Record

SUFFIX = ".record"
_ENDS_UNFINISHED = re.compile(r"\*\s*\Z")
"""Finds the result of an unfinished match at the end of a file."""
_GAME_TAG = re.compile(r"^\s*\[\s*Game\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class UnfinishedMatch:
    """A match that can be resumed.

    Attributes
    ----------
    record : Record
        The match so far.
    path : Path or None
        The file to replace when the match is saved again; None if `play` did not write this file.
    text : str
        The content of the file.
    """

    record: "Record"
    path: Path | None = None
    text: str = ""


class MatchFile:
    """The file in which `play` saves a match: the file of the resumed match, or a new one.

    Parameters
    ----------
    manager : Manager
        The match.
    resumed : UnfinishedMatch, optional
        The match as it was saved before; it is saved again only if it has changed.
    """

    def __init__(self, manager: "Manager", resumed: UnfinishedMatch | None = None) -> None:
        self._manager = manager
        self._saved = None if resumed is None else manager.record()
        self._path = None if resumed is None else resumed.path
        self._text = "" if resumed is None else resumed.text

    @property
    def is_resumed(self) -> bool:
        """Return True if `play` has saved the match before."""
        return self._path is not None

    def save(self) -> bool:
        """Save the match if it has changed since it was last saved; return True if it had changed.

        If another program has changed the file, such as by resuming the same match, a new file is written.
        """
        record = self._manager.record()
        if record == self._saved:
            return False
        path = save_match(record, self._path if self._text == self._read() else None)
        self._saved = record
        if path is not None:
            self._path = path
            self._text = self._read()
        return True

    def _read(self) -> str:
        """Return the content of the file, or an empty string if there is no readable file."""
        with suppress(FileError):
            return "" if self._path is None else read_text(self._path)
        return ""


def today() -> date:
    """Return today's date by the clock of this computer."""
    return datetime.now().astimezone().date()


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
    """Close all players of a match, which ends engine processes, even if an interrupt arrives meanwhile.

    Players that are still getting ready are not closed, since closing them would have to wait; they end
    with the program.
    """
    from boardgames.plugins import close_player

    with ExitStack() as stack:
        for side, player in enumerate(manager.players):
            if player is not None and manager.is_ready(side):
                stack.callback(close_player, player)


def save_match(record: "Record", path: Path | None = None) -> Path | None:
    """Save a match in the user's data folder and print the path; if that fails, print the match.

    A match without moves is not saved. A finished match is also added to the database of the user.

    Parameters
    ----------
    record : Record
        The match.
    path : Path, optional
        The file to replace, in which the match was saved before; by default a new one.

    Returns
    -------
    Path or None
        The file, or None if the match is not saved.

    Raises
    ------
    FileError
        If the match cannot be saved or added.
    """
    from boardgames.record import write_records

    if not record.moves:
        return None
    timestamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S-%f")
    path = path or _saved_matches() / f"{record.game}-{timestamp}{SUFFIX}"
    try:
        write_records(path, [record])
    except FileError:
        say(str(record))
        raise
    say(f"match saved to {path}")
    if record.outcome is None:
        say(continue_text(f"{PROGRAM} play --resume"))
    else:
        add_to_store(record)
    return path


def add_to_store(record: "Record") -> None:
    """Add a finished match to the database of `boardgames matches`."""
    from boardgames.store import NewMatch, Store

    try:
        with Store() as store:
            store.add_new([NewMatch.from_record(record)])
    except StoreError as error:
        raise FileError(f"cannot add the match to the database of `{PROGRAM} matches`: {error}") from None


def has_unfinished_match() -> bool:
    """Return True if `play` has saved an unfinished match."""
    for path in _newest_first(_saved_matches()):
        with suppress(BoardgamesError):
            if _ENDS_UNFINISHED.search(read_bytes(path).decode(errors="replace")):
                return True
    return False


def _saved_matches() -> Path:
    return data_folder() / "records"


def read_unfinished(path: Path, game: str | None) -> UnfinishedMatch:
    """Return the last match of a file if it can be resumed.

    Parameters
    ----------
    path : Path
        The file, or `-` for standard input.
    game : str or None
        The game that is expected, or None for any game.

    Raises
    ------
    FileError, RecordError
        If the file cannot be read or has errors or no matches, or if its last
        match is finished or of another game.
    """
    from boardgames.reading import Defaults

    text, parsed = read_matches(str(path), Defaults(game or ""))
    text, where = text.replace("\r\n", "\n").replace("\r", "\n"), name_of(str(path))
    if parsed.errors and game is None and not parsed.records and not _GAME_TAG.search(text):
        shown = shlex.quote(str(path))
        raise RecordError(f"{where} does not name the game; write `{PROGRAM} play GAME --resume {shown}`")
    if parsed.errors:
        raise RecordError(f"{where} has an error: {parsed.errors[0]}")
    if not parsed.records:
        raise RecordError(f"no matches in {where}")
    record = parsed.records[-1]
    if game is not None and record.game != game:
        raise RecordError(f"{where} contains a match of {quote(record.game)}, not {game}")
    if record.outcome is not None:
        shown = shlex.quote(str(path))
        raise RecordError(
            f"the match in {where} is finished ({record.result}); see it with `{PROGRAM} replay {shown}` "
            f"or `{PROGRAM} analyze {record.game} {shown}`"
        )
    say_assumptions(where, parsed, can_choose=False)
    is_own = path.parent.resolve() == _saved_matches().resolve() and len(parsed.records) == 1
    return UnfinishedMatch(record, path if is_own else None, text)


def newest_unfinished(game: str | None) -> UnfinishedMatch:
    """Return the unfinished match that `play` saved last.

    Matches that cannot be resumed are skipped with a warning.

    Parameters
    ----------
    game : str or None
        The game, or None for any.

    Raises
    ------
    RecordError
        If there is no such match.
    """
    for path in _newest_first(_saved_matches()):
        try:
            text = read_bytes(path).decode(errors="replace")
            if _ENDS_UNFINISHED.search(text) and (game is None or f'[Game "{game}"]' in text):
                return read_unfinished(path, game)
        except BoardgamesError as error:
            warnings.warn(f"a match cannot be resumed: {error}", RuntimeWarning, stacklevel=2)
    of_game = "" if game is None else f" of {game}"
    raise RecordError(
        f"there is no unfinished match{of_game}; start one with `{PROGRAM} play {game or 'GAME'}`"
    )


def _newest_first(folder: Path) -> list[Path]:
    """Return the saved matches in a folder, newest first; entries that are not files are left out."""
    found = []
    for path in folder.glob(f"*{SUFFIX}"):
        with suppress(OSError):  # the file has been deleted, or is a broken link
            status = path.stat()
            if stat.S_ISREG(status.st_mode):
                found.append((status.st_mtime_ns, path.name, path))
    return [path for _, _, path in sorted(found, reverse=True)]
