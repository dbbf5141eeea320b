"""`boardgames shell-init`: a shell function that lets `bg` run this program and control jobs."""

import click

from boardgames.cli.options import examples
from boardgames.cli.program import COMPLETION_VARIABLE

SHELLS = ("bash", "zsh", "fish")

POSIX_FUNCTION = """\
# `bg play`, `bg games` etc. run boardgames; `bg` and `bg %1` still control jobs
bg() {{
  case "$1" in
    {names}|-h|--help|--version) command boardgames "$@" ;;
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
            command boardgames $argv
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
        'eval "$(boardgames shell-init bash)"      in ~/.bashrc',
        'eval "$(boardgames shell-init zsh)"       in ~/.zshrc',
        "boardgames shell-init fish | source       in ~/.config/fish/config.fish",
    ),
)
@click.argument("shell", type=click.Choice(SHELLS), metavar="SHELL")
@click.pass_context
def shell_init(context: click.Context, shell: str) -> None:
    """Print code for SHELL (bash, zsh or fish) that makes `bg` run this program.

    In an interactive shell `bg` is a builtin that resumes jobs. The printed
    function passes our commands to `boardgames` and everything else to the
    builtin. It also completes commands, games, agents and options.
    """
    from click.shell_completion import get_completion_class

    from boardgames.cli.completion import register_shells

    register_shells()

    group = context.find_root().command
    assert isinstance(group, click.Group)
    names = group.list_commands(context)
    template = FISH_FUNCTION if shell == "fish" else POSIX_FUNCTION
    click.echo(template.format(names=" ".join(names) if shell == "fish" else "|".join(names)))
    completion = get_completion_class(shell)
    if completion is not None:
        for program in ("boardgames", "bg"):
            source = completion(group, {}, program, COMPLETION_VARIABLE).source()
            click.echo(ZSH_GUARD.format(source) if shell == "zsh" else source)
