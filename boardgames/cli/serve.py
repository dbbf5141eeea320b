"""`boardgames serve`: play and watch matches in the browser."""

import webbrowser
from importlib.util import find_spec

import click

from boardgames.cli.completion import complete_game
from boardgames.cli.options import Number, examples
from boardgames.cli.output import say
from boardgames.errors import MissingExtraError

DEFAULT_PORT = 8765
WEB_MODULES = ("msgspec", "starlette", "uvicorn", "websockets")


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
    check_web_extra()
    from boardgames.plugins import registry
    from boardgames.web.server import serve as run

    if game is not None:
        registry().check_name("games", game)

    def announce(address: str) -> None:
        announce_page(address + (f"#/new/{game}" if game else ""), opens=opens)

    run(host, port, announce)


def check_web_extra() -> None:
    """Raise MissingExtraError unless the extra `web` is installed."""
    if any(find_spec(module) is None for module in WEB_MODULES):
        raise MissingExtraError("web", "the browser")


def announce_page(address: str, *, opens: bool) -> None:
    """Print the address of the page, and open it in the browser."""
    say(f"open {address}")
    say("Ctrl-C ends the server")
    if opens:
        webbrowser.open(address)
