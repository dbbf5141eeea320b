"""The exceptions that users of the package meet, with one root.

Every message is one lower-case clause: what was expected, what came, and
where. The command line prints it as it is and exits with code 2.
"""

from collections.abc import Iterable
from difflib import get_close_matches

LISTED = 20
SHOWN_TEXT = 80
LONGEST_NAME = 100


class BoardgamesError(Exception):
    """Root of every exception that this package raises on purpose."""


class PositionError(BoardgamesError, ValueError):
    """Text or words do not describe a position of the game."""


class MoveError(BoardgamesError, ValueError):
    """A move cannot be taken; the three subclasses say why."""


class MalformedMoveError(MoveError):
    """The text is not a move in the game's notation."""


class IllegalMoveError(MoveError):
    """The text or action is a move, but the position does not allow it."""


class AmbiguousMoveError(MoveError):
    """The text fits two legal moves or more."""


class RecordError(BoardgamesError, ValueError):
    """A record cannot be read; says the match, the ply and the token."""


class OptionError(BoardgamesError, ValueError):
    """An option of a game or an agent is unknown or has a bad value."""


class UnknownNameError(BoardgamesError, LookupError):
    """No game, agent, layout or notation has this name."""


class PluginError(BoardgamesError):
    """A plug-in broke its contract: raised, returned rubbish, repeated a name."""


class KernelError(PluginError, TypeError):
    """A kernel does not have the signature that its place asks for."""


class MatchError(BoardgamesError):
    """The match does not allow this now: out of turn, over, nothing to undo."""


class LimitError(BoardgamesError, ValueError):
    """A limit on time, depth, nodes or simulations makes no sense."""


class LearnerStateError(BoardgamesError, ValueError):
    """The state of a learner does not fit: wrong arrays, or another learner's."""


class WeightsError(BoardgamesError, ValueError):
    """A file holds no weights, or those of another game or of other features."""


class BookError(BoardgamesError, ValueError):
    """A file holds no opening book, or one of another game or made in another way."""


class ScoreError(BoardgamesError, ValueError):
    """A unit or score makes no sense, or scores of different units are compared."""


class EngineError(BoardgamesError):
    """An external program that should play does not: it ended, is silent, or talks out of turn."""


class FileError(BoardgamesError, OSError):
    """A file or folder cannot be read or written."""


class StoreError(BoardgamesError, OSError):
    """The database of matches cannot be used."""


class WorkerError(BoardgamesError, RuntimeError):
    """A task was lost with its worker, again and again."""


class ClusterError(BoardgamesError, ConnectionError):
    """No scheduler answers at the address of a cluster."""


class MissingExtraError(BoardgamesError, ImportError):
    """Something needs packages that only an extra installs.

    Parameters
    ----------
    extra : str
        Its name, `rating`.
    purpose : str
        What it is needed for, for the message.
    """

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(
            f"expected the extra {extra!r} for {purpose}: pip install 'boardgames-core[{extra}]'"
        )


def shown(value: object) -> str:
    """Quote a text or any other value for a message, on one line, cut where it is long.

    Examples
    --------
    >>> shown("a" * 200).endswith("... (200 characters)")
    True
    >>> shown(4), shown(10**5000)
    ('4', 'a value of type int')
    """
    if isinstance(value, str):
        if len(value) <= SHOWN_TEXT:
            return repr(value)
        return f"{value[:SHOWN_TEXT]!r}... ({len(value)} characters)"
    try:
        text = " ".join(repr(value).split())
    except Exception:  # noqa: BLE001 - Python refuses to write very long numbers, and a stranger's class anything
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= SHOWN_TEXT else f"{text[:SHOWN_TEXT]}..."


def describe_error(error: BaseException) -> str:
    r"""Return class and message of an exception on one line, whatever its `__str__` does.

    Examples
    --------
    >>> describe_error(ValueError("no\nluck"))
    'ValueError: no luck'
    """
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - an exception of a plug-in may not even have a message
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def near(name: object, names: Iterable[str]) -> str:
    """Name the alternatives nearest to `name`, else all of a few, for the end of a message.

    A name that is no text, or longer than any, is near to none.

    Examples
    --------
    >>> near("abalon", ["abalone", "connect4"])
    "; did you mean 'abalone'?"
    >>> near("x", ["abalone", "connect4"])
    '; known: abalone, connect4'
    """
    known = sorted(set(names))
    if not known:
        return "; none is known"
    is_name = isinstance(name, str) and len(name) <= LONGEST_NAME
    close = get_close_matches(str(name), known, n=3, cutoff=0.6) if is_name else []
    if close:
        return "; did you mean " + " or ".join(repr(text) for text in close) + "?"
    return "; known: " + ", ".join(known) if len(known) <= LISTED else ""
