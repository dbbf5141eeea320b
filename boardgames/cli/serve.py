"""`boardgames serve`: play and watch matches in the browser; also `boardgames play --web`."""

import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import complete_game
from boardgames.cli.interrupts import end_if_stuck, end_now
from boardgames.cli.options import Number, examples
from boardgames.cli.output import log_to_stderr, say
from boardgames.errors import MissingExtraError

if TYPE_CHECKING:
    from boardgames.match_setup import MatchSetup
    from boardgames.record import Record

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765
END_SECONDS = 1.8
"""How long the server may take to save matches and exit after Ctrl-C."""
WEB_MODULES = ("msgspec", "starlette", "uvicorn", "websockets")


@click.command(
    epilog=examples("boardgames serve", "boardgames serve abalone", "boardgames serve --port 9000 --no-open")
)
@click.argument("game", required=False, shell_complete=complete_game)
@click.option("--host", default=DEFAULT_HOST, show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=Number(int, 0, 65_535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Port to listen on; 0 picks any free port.",
)
@click.option("--open/--no-open", "opens", default=True, help="Open the page in the browser.")
def serve(game: str | None, host: str, port: int, opens: bool) -> None:
    """Serve a page for playing and watching matches in the browser.

    With GAME, the page begins with a new match of that game. Only this computer can open the page
    unless another --host is given; the page then asks for the token in the printed address. This
    command needs the extra `web`.
    """
    _check_web_extra()
    from boardgames.plugins import registry
    from boardgames.web.server import serve as run

    if game is not None:
        registry().check_name("games", game)

    def announce(address: str) -> None:
        _announce(address + (f"#/new/{game}" if game else ""), opens=opens)

    _run_until_interrupted(lambda: run(host, port, announce))


def serve_match(
    setup: "MatchSetup", record: "Record | None", *, port: int | None = None, opens: bool
) -> None:
    """Serve the page for a match, new or from its record; people play all sides that no agent plays.

    The default port is the same as for `boardgames serve`, or any free port if that is taken.

    Raises
    ------
    MissingExtraError
        If the extra `web` is not installed.
    BoardgamesError
        If the match cannot be started.
    """
    _check_web_extra()
    from boardgames.web.lobby import request_of
    from boardgames.web.server import is_free, serve

    request = request_of(setup)
    if port is None:
        port = DEFAULT_PORT if is_free(DEFAULT_HOST, DEFAULT_PORT) else 0
    _run_until_interrupted(
        lambda: serve(
            DEFAULT_HOST,
            port,
            lambda address: _announce(address, opens=opens),
            match=request,
            record=record,
        )
    )


def _run_until_interrupted(serve: Callable[[], None]) -> None:
    """Run a server; after Ctrl-C, end the program without waiting for other threads."""
    log_to_stderr()
    try:
        with end_if_stuck(seconds=END_SECONDS, always=True):
            serve()
    except KeyboardInterrupt:
        end_now()


def _check_web_extra() -> None:
    """Raise MissingExtraError unless the extra `web` is installed."""
    if any(find_spec(module) is None for module in WEB_MODULES):
        raise MissingExtraError("web", "the browser")


def _announce(address: str, *, opens: bool) -> None:
    """Print the address of the page, and open it in the browser."""
    say(f"open {address}")
    say("Ctrl-C ends the server")
    if opens:
        webbrowser.open(address)
