"""`boardgames forget`: list or delete what agents have learned while playing."""

import click

from boardgames.cli.completion import complete_game
from boardgames.cli.options import examples
from boardgames.cli.output import confirm, say
from boardgames.cli.program import PROGRAM
from boardgames.errors import FileError, UnknownNameError, quote, suggest


@click.command(
    epilog=examples("boardgames forget connect4", "boardgames forget connect4 value-iteration --yes")
)
@click.argument("game_name", metavar="GAME", shell_complete=complete_game)
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation; required without a terminal.")
def forget(game_name: str, name: str | None, yes: bool) -> None:
    """Delete what agents learned while playing GAME, or list what they have learned.

    Agents with learn=true save what they learn to your data folder, under the
    name of the weights or the policy that they started from, unless save=FILE
    names another file. Once that file is deleted, they start from the original
    weights or policy again.
    """
    from boardgames.plugins import registry
    from boardgames.weights.lookup import learned_files

    registry().check_name("games", game_name)
    files = learned_files(game_name)
    if name is None:
        for known, path in files.items():
            say(f"{known}: {path}")
        if files:
            say(f"`{PROGRAM} forget {game_name} NAME` deletes one")
        else:
            say(f"no agent has learned anything while playing {game_name}")
        return
    if name not in files:
        raise UnknownNameError(f"nothing was learned under the name {quote(name)}{suggest(name, files)}")
    if not yes and not confirm(f"delete {files[name]} permanently?"):
        say("nothing deleted")
        return
    try:
        files[name].unlink()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f"cannot delete {files[name]}: {reason}") from None
    say(f"deleted {files[name]}")
