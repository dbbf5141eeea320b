"""`bg shell-init`: make `bg` in an interactive shell mean this program and job control."""

import click

from boardgames.cli.options import examples
from boardgames.cli.program import COMPLETION_VARIABLE

SHELLS = ("bash", "zsh", "fish")

POSIX_FUNCTION = """\
# boardgames: `bg play`, `bg games`, ... run the program; `bg`, `bg %1` stay job control
bg() {{
  case "$1" in
    {names}|-h|--help|--version) command boardgames "$@" ;;
    *) builtin bg "$@" ;;
  esac
}}
"""

FISH_FUNCTION = """\
# boardgames: `bg play`, `bg games`, ... run the program; `bg`, `bg %1` stay job control
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
if (( $+functions[compdef] )); then  # where completion has been set up
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
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def shell_init(context: click.Context, shell: str) -> None:
    """Print a function for SHELL that sends our commands to us and the rest to job control.

    Completion of commands and options comes with it.
    """
    from click.shell_completion import get_completion_class

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
