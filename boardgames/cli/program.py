"""The program's name, how it is called, and its exit codes."""

import os
import shlex
import shutil
import sysconfig
from contextlib import suppress
from pathlib import Path

PROGRAM = "boardgames"
"""The name used in help and messages; in an interactive shell `bg` is a builtin."""
SHORT_NAME = "bg"

COMPLETION_VARIABLE = "_BOARDGAMES_COMPLETE"
DEBUG_VARIABLE = "BOARDGAMES_DEBUG"
"""If this environment variable is set, errors show their traceback."""

EXIT_CHECK_FAILED = 1
EXIT_WRONG_INPUT = 2
EXIT_INTERRUPTED = 130


def program_path() -> str:
    """Return the absolute path of the installed program, or its name if it is not installed."""
    return shutil.which(PROGRAM, path=sysconfig.get_path("scripts")) or PROGRAM


def command_here(command: str) -> str:
    """Return a command in a form that works in the current folder.

    If PATH leads to another program of this name or to none, as after `make play`, the command begins
    with the path of this program.

    Examples
    --------
    >>> command_here("boardgames play --resume").endswith("boardgames play --resume")
    True
    """
    installed, found = shutil.which(PROGRAM, path=sysconfig.get_path("scripts")), shutil.which(PROGRAM)
    if installed is None or (found is not None and Path(found).samefile(installed)):
        return command
    shown, path = installed, Path(installed)
    with suppress(OSError):  # the current folder has been deleted
        if path.parent.is_relative_to(folder := Path.cwd()):
            shown = os.path.join(os.curdir if path.parent == folder else "", path.relative_to(folder))  # noqa: PTH118
    return shlex.quote(shown) + command.removeprefix(PROGRAM)
