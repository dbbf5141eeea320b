"""Exceptions, all derived from `BoardgamesError`, and helpers for their messages.

A message starts in lower case and says in one line what is wrong and, if
possible, what to do. The command line prints it as it is and exits with code 2.
`BoardgamesError` keeps every message on one line and shortens it, since messages
quote text from outside.
"""

import re
import shlex
from collections.abc import Iterable
from difflib import get_close_matches

_SPECIAL_IN_QUOTES = re.compile(r'["$`!\n]|\\(?:\\|\Z)')
"""Matches what a shell interprets inside double quotes."""
MAX_LISTED_NAMES = 20
MAX_QUOTED_LENGTH = 80
MAX_NAME_LENGTH = 100
MAX_WORD_LENGTH = 240
"""Words of a message are shortened to this many characters; paths are rarely longer."""
MAX_MESSAGE_LENGTH = 1000


class BoardgamesError(Exception):
    r"""Base class of all exceptions that the package raises on purpose.

    Examples
    --------
    >>> str(BoardgamesError("cannot read the unit:\nit has no 'name'"))
    "cannot read the unit: it has no 'name'"
    """

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(shortened(one) if isinstance(one, str) else one for one in arguments))


class PositionError(BoardgamesError, ValueError):
    """The given text or packed words do not describe a position of the game."""


class MoveError(BoardgamesError, ValueError):
    """A move cannot be made; see the three subclasses."""


class MalformedMoveError(MoveError):
    """The given text is not a move in the game's notation."""


class IllegalMoveError(MoveError):
    """The move is not legal in the position."""


class AmbiguousMoveError(MoveError):
    """The given text matches several legal moves.

    Attributes
    ----------
    moves : tuple of str
        The matching moves in canonical notation; empty if the game does not list them. When a record is
        read, its later moves can show which of them was played.
    """

    def __init__(self, message: str = "", moves: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.moves = tuple(moves)


class RecordError(BoardgamesError, ValueError):
    """A record cannot be read or written; if its text is wrong, the message names match, ply and token."""


class OptionError(BoardgamesError, ValueError):
    """An option or argument is unknown or has an invalid value."""


class UnknownNameError(BoardgamesError, LookupError):
    """There is no game, agent, layout, training run or similar object with this name."""


class PluginError(BoardgamesError):
    """A plug-in raised an exception, returned an object of the wrong type, or reused a name.

    Parameters
    ----------
    message : str
        What happened.
    details : str, optional
        Text of the plug-in's own error; it may contain the user's file names.

    Attributes
    ----------
    summary : str
        The message without the details.
    """

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(f"{message}: {details}" if details else message)
        self.summary = message


class RulesError(PluginError):
    """The code of a game has failed, so no player is to blame."""


class KernelError(PluginError, TypeError):
    """A kernel does not compile, or does not have the required signature."""


class MatchError(BoardgamesError):
    """A match, player or arena does not allow a call now, for example because the match is over."""


class LimitError(BoardgamesError, ValueError):
    """A limit of time, depth or nodes, or some other numeric argument, is invalid or out of range."""


class LearnerStateError(BoardgamesError, ValueError):
    """The state of a learner is invalid, or belongs to another learner."""


class WeightsError(BoardgamesError, ValueError):
    """Weights are invalid or for another game or feature set, or a file contains no weights."""


class BookError(BoardgamesError, ValueError):
    """A file is not an opening book, or it is for another game or has other settings."""


class ScoreError(BoardgamesError, ValueError):
    """A unit or score is invalid, or scores of different units are compared."""


class EngineError(BoardgamesError):
    """An external engine has exited, does not answer, or violates the protocol."""


class FileError(BoardgamesError, OSError):
    """A file or folder cannot be read or written."""


class StoreError(BoardgamesError, OSError):
    """The database of matches cannot be used."""


class WorkerError(BoardgamesError, RuntimeError):
    """A task kept failing because its worker processes died."""


class DeadWorkerError(WorkerError):
    """A process that ran a single call has died, or was killed because it made no progress.

    Parameters
    ----------
    message : str
        What happened to the process.
    exit_code : int or None
        Exit code; negative for a signal, as in `multiprocessing`, and None if we killed the process.
    """

    def __init__(self, message: str, exit_code: int | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class ClusterError(BoardgamesError, ConnectionError):
    """A cluster cannot be used: it has no scheduler or no workers, or its workers run other code."""


class MissingExtraError(BoardgamesError, ImportError):
    """A feature needs packages that are only installed with an extra.

    Parameters
    ----------
    extra : str
        The name of the extra, such as `rl`.
    purpose : str
        The feature that needs the extra, for the message.
    """

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the extra {extra!r}: run pip install 'boardgames-core[{extra}]', "
            f"or in a checkout pip install -e '.[{extra}]'"
        )


def quote(value: object) -> str:
    """Return the repr of a value for a message: on one line, and truncated if it is long.

    Examples
    --------
    >>> quote("a" * 200).endswith("... (200 characters)")
    True
    >>> quote(4), quote(10**5000)
    ('4', 'a value of type int')
    """
    if isinstance(value, str):
        if len(value) <= MAX_QUOTED_LENGTH:
            return repr(value)
        return f"{value[:MAX_QUOTED_LENGTH]!r}... ({len(value)} characters)"
    try:
        text = " ".join(repr(value).split())
    except BaseException:  # noqa: BLE001 - very long numbers have no repr, and a plug-in's class may raise anything
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= MAX_QUOTED_LENGTH else f"{text[:MAX_QUOTED_LENGTH]}..."


def command_line(words: Iterable[str]) -> str:
    r"""Return a command for a shell: like `shlex.join`, but a word with `'` is in double quotes if possible.

    Examples
    --------
    >>> print(command_line(["boardgames", "show", "heap", "--position", "{'left':[1,1],'side':0}"]))
    boardgames show heap --position "{'left':[1,1],'side':0}"
    """
    return " ".join(
        f'"{word}"' if "'" in word and not _SPECIAL_IN_QUOTES.search(word) else shlex.quote(word)
        for word in words
    )


def describe_error(error: BaseException) -> str:
    r"""Return the class and message of an exception on one line, even if its `__str__` fails.

    Examples
    --------
    >>> describe_error(ValueError("no\nluck"))
    'ValueError: no luck'
    """
    try:
        text = " ".join(str(error).split())
    except BaseException:  # noqa: BLE001 - the message of a plug-in's exception may raise anything
        text = ""
    return shortened(f"{type(error).__name__}: {text}" if text else type(error).__name__)


def shortened(text: str) -> str:
    r"""Return a message on one line; the middle of long words, and then of the message, becomes an ellipsis.

    Examples
    --------
    >>> len(shortened("no such file: " + 4000 * "x"))
    254
    >>> shortened("depth must be 1 to 100,\nnot 0")
    'depth must be 1 to 100, not 0'
    """
    line = " ".join(part.strip() for part in text.splitlines()) if not text.isprintable() else text
    if len(line) <= MAX_WORD_LENGTH:
        return line
    words = [_without_middle(word, MAX_WORD_LENGTH) for word in line.split(" ")]
    return _without_middle(" ".join(words), MAX_MESSAGE_LENGTH)


def _without_middle(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    end = length // 3
    return f"{text[: length - end - 1]}…{text[-end:]}"


def suggest(name: object, names: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: similar names, or the names that are available.

    Examples
    --------
    >>> suggest("abalon", ["abalone", "connect4"])
    "; did you mean 'abalone'?"
    >>> suggest("x", ["abalone", "connect4"])
    '; available: abalone, connect4'
    """
    known = sorted(set(names))
    if not known:
        return "; none available"
    is_name = isinstance(name, str) and len(name) <= MAX_NAME_LENGTH
    close = get_close_matches(str(name), known, n=3, cutoff=0.6) if is_name else []
    if close:
        return "; did you mean " + " or ".join(repr(text) for text in close) + "?"
    if len(known) <= MAX_LISTED_NAMES:
        return "; available: " + ", ".join(known)
    return f"; available: {known[0]}, {known[1]} and {len(known) - 2} others"
