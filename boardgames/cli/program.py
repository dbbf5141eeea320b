"""The program's name and exit codes."""

PROGRAM = "boardgames"
"""The name used in help and messages; in an interactive shell `bg` is a builtin."""

COMPLETION_VARIABLE = "_BOARDGAMES_COMPLETE"
DEBUG_VARIABLE = "BOARDGAMES_DEBUG"
"""If this environment variable is set, errors show their traceback."""

EXIT_CHECK_FAILED = 1
EXIT_WRONG_INPUT = 2
EXIT_INTERRUPTED = 130
