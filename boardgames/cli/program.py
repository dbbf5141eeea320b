"""The program's name, how it is called, and its exit codes."""

import os
import shlex
import shutil
import sysconfig
from pathlib import Path

PROGRAM = "boardgames"
"""The name used in help and messages; in an interactive shell `bg` is a builtin."""

COMPLETION_VARIABLE = "_BOARDGAMES_COMPLETE"
DEBUG_VARIABLE = "BOARDGAMES_DEBUG"
"""If this environment variable is set, errors show their traceback."""

EXIT_CHECK_FAILED = 1
EXIT_WRONG_INPUT = 2
EXIT_INTERRUPTED = 130


def command_here(command: str) -> str:
    """Return a command in a form that works in the current folder.

    If the program is not on the PATH, as after `make play`, the command begins with its path.

    Examples
    --------
    >>> command_here("boardgames play --resume").endswith("boardgames play --resume")
    True
    """
    installed = shutil.which(PROGRAM, path=sysconfig.get_path("scripts"))
    if installed is None or shutil.which(PROGRAM) is not None:
        return command
    path, folder = Path(installed), Path.cwd()
    shown = os.path.relpath(path, folder) if path.is_relative_to(folder) else installed
    return shlex.quote(shown) + command.removeprefix(PROGRAM)
