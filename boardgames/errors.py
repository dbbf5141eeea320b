"""The exceptions that users of the package meet, with one root.

Every message is one lower-case clause: what was expected, what came, and
where. The command line prints it as it is and exits with code 2.
"""

from collections.abc import Iterable
from difflib import get_close_matches

LISTED = 20


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


class FileError(BoardgamesError, OSError):
    """A file or folder cannot be read or written."""


def near(name: str, names: Iterable[str]) -> str:
    """Name the alternatives nearest to `name`, else all of a few, for the end of a message.

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
    close = get_close_matches(name, known, n=3, cutoff=0.6)
    if close:
        return "; did you mean " + " or ".join(repr(text) for text in close) + "?"
    return "; known: " + ", ".join(known) if len(known) <= LISTED else ""
