"""`boardgames shell-init`: a shell function that lets `bg` run this program and control jobs.

`--install` stores the code in a file, so that new shells do not have to run the program, and adds a line
that reads this file to the start-up file of the shell.
"""

import os
import shlex
import sys
from pathlib import Path

import click

from boardgames.cli.completion import completion_code
from boardgames.cli.options import examples
from boardgames.cli.output import confirm, say
from boardgames.cli.program import PROGRAM, program_path
from boardgames.errors import FileError, OptionError

SHELLS = ("bash", "zsh", "fish")
MARK = f"# {PROGRAM} shell-init"
"""Marks the line that `--install` adds to a start-up file, so that it can be found again."""

POSIX_FUNCTION = """\
# `bg play`, `bg games` etc. run boardgames; `bg` and `bg %1` still control jobs
bg() {{
  case "$1" in
    {names}|-h|--help|--version) command {program} "$@" ;;
    *) builtin bg "$@" ;;
  esac
}}
"""

FISH_FUNCTION = """\
# `bg play`, `bg games` etc. run boardgames; `bg` and `bg %1` still control jobs
functions -q __boardgames_bg; or functions -c bg __boardgames_bg 2>/dev/null
function bg
    switch "$argv[1]"
        case {names} -h --help --version
            command {program} $argv
        case '*'
            if functions -q __boardgames_bg
                __boardgames_bg $argv
            else
                builtin bg $argv
            end
    end
end
"""

ZSH_GUARD = """\
if (( $+functions[compdef] )); then  # only if completion is set up
{}
fi
"""


@click.command(
    "shell-init",
    epilog=examples(
        "boardgames shell-init --install",
        "boardgames shell-init --remove",
        'eval "$(boardgames shell-init bash)"',
        "boardgames shell-init fish | source",
    ),
)
@click.argument("shell", type=click.Choice(SHELLS), metavar="[SHELL]", required=False)
@click.option(
    "--install", is_flag=True, help="Set it up for all new shells with a line in the start-up file."
)
@click.option("--remove", is_flag=True, help="Remove what --install has added.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation; required without a terminal.")
@click.pass_context
def shell_init(context: click.Context, shell: str | None, install: bool, remove: bool, yes: bool) -> None:
    """Let `bg` run this program at the prompt of SHELL: bash, zsh or fish.

    In an interactive shell `bg` is a builtin that resumes jobs. This command
    prints a function that passes our commands to `boardgames` and everything
    else to the builtin. It also completes commands, games, agents and
    options. With --install, all new shells get it; SHELL then defaults to your
    login shell.
    """
    if install and remove:
        raise OptionError("give --install or --remove, not both")
    if not (install or remove):
        if shell is None:
            raise OptionError(f"name the shell: {', '.join(SHELLS)}; --install sets it up for all new shells")
        say(_code(context, shell, PROGRAM), nl=False)
        return
    shell = shell or _login_shell()
    if remove:
        _remove(shell)
    else:
        _install(shell, _code(context, shell, program_path()), yes=yes)


def _code(context: click.Context, shell: str, program: str) -> str:
    """Return the function and the completion for a shell; `program` is the name or path that they run."""
    group = context.find_root().command
    assert isinstance(group, click.Group)
    names = group.list_commands(context)
    template, separator = (FISH_FUNCTION, " ") if shell == "fish" else (POSIX_FUNCTION, "|")
    function = template.format(names=separator.join(names), program=shlex.quote(program))
    completion = completion_code(group, shell, program)
    return f"{function}\n{ZSH_GUARD.format(completion) if shell == 'zsh' else completion}\n"


def _login_shell() -> str:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise OptionError(f"name the shell: {PROGRAM} shell-init --install {'|'.join(SHELLS)}")
    return name


def _startup_file(shell: str) -> Path:
    """Return the file that an interactive shell reads when it starts."""
    home = Path.home()
    if shell == "zsh":
        return Path(os.environ.get("ZDOTDIR") or home) / ".zshrc"
    if shell == "fish":
        return Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "fish" / "config.fish"
    profile = home / ".bash_profile"  # on macOS, terminals start login shells
    return profile if sys.platform == "darwin" and profile.exists() else home / ".bashrc"


def _code_file(shell: str) -> Path:
    from boardgames.paths import data_folder

    return data_folder() / f"shell-init.{shell}"


def _install(shell: str, code: str, *, yes: bool) -> None:
    """Write the code, and add the line that reads it unless the start-up file already has this line."""
    from boardgames.paths import make_folder, write_atomic

    startup, file = _startup_file(shell), _code_file(shell)
    quoted = shlex.quote(str(file))
    test = f"test -r {quoted}; and source {quoted}" if shell == "fish" else f"[ ! -r {quoted} ] || . {quoted}"
    line, before = f"{test}  {MARK}", _read(startup)
    others = [one for one in before.splitlines(keepends=True) if not one.rstrip().endswith(MARK)]
    after = "".join(others)
    after += f"{'' if after.endswith(chr(10)) or not after else chr(10)}{line}\n"
    if line in before.splitlines():
        write_atomic(file, code)
        say(f"{startup} already has the line; the file that it reads is up to date")
        return
    say(f"This line makes `bg play abalone` work at the prompt of {shell}:\n\n    {line}\n")
    if not yes and not confirm(f"add it to {startup}?"):
        say("nothing added")
        return
    make_folder(startup.parent)
    write_atomic(file, code)
    write_atomic(startup, after)
    say(f"added to {startup}; it works in new terminals")


def _remove(shell: str) -> None:
    """Remove the line from the start-up file, and the file that it reads."""
    from boardgames.paths import write_atomic

    startup = _startup_file(shell)
    before = _read(startup)
    after = "".join(one for one in before.splitlines(keepends=True) if not one.rstrip().endswith(MARK))
    if after == before:
        say(f"there is nothing to remove in {startup}")
        return
    write_atomic(startup, after)
    _code_file(shell).unlink(missing_ok=True)
    say(f"removed from {startup}; open shells keep the function")


def _read(startup: Path) -> str:
    from boardgames.paths import read_text

    if not startup.exists():
        return ""
    try:
        return read_text(startup, exact=True)
    except FileError as error:
        raise FileError(f"{error}; add the output of {PROGRAM} shell-init SHELL by hand") from None
