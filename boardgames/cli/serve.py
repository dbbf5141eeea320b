"""`boardgames serve`: play and watch matches in the browser."""

import webbrowser

import click

from boardgames.cli.completion import complete_game
from boardgames.cli.options import Number, examples
from boardgames.cli.output import say
from boardgames.errors import MissingExtraError

DEFAULT_PORT = 8765


@click.command(
    epilog=examples("boardgames serve", "boardgames serve abalone", "boardgames serve --port 9000 --no-open")
)
@click.argument("game", required=False, shell_complete=complete_game)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=Number(int, 0, 65_535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Port to listen on; 0 takes any that is free.",
)
@click.option("--open/--no-open", "opens", default=True, help="Open the page in the browser.")
def serve(game: str | None, host: str, port: int, opens: bool) -> None:
    """Serve a page on which matches are played and watched in the browser.

    With GAME the page begins with a new match of it. Only this computer can open the page, unless
    another --host is given; then it demands the token that is part of the printed address. This
    command needs the extra `web`: pip install 'boardgames-core[web]'.
    """
    try:
        from boardgames.web.server import serve as run
    except ImportError:
        raise MissingExtraError("web", "the browser") from None
    from boardgames.plugins import registry

    if game is not None:
        registry().check_name("games", game)

    def announce(address: str) -> None:
        address += f"#/new/{game}" if game else ""
        say(f"open {address}")
        say("Ctrl-C ends the server")
        if opens:
            webbrowser.open(address)

    run(host, port, announce)
