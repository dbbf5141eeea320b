"""`boardgames engine`: an agent as a UGI engine on stdin and stdout."""

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import complete_game
from boardgames.cli.options import NON_NEGATIVE, agent_option, examples, game_options
from boardgames.options import parse_assignments

if TYPE_CHECKING:
    from boardgames.ugi.server import Server
    from boardgames.ugi.setup import EngineSetup

READ_BYTES = 1 << 16


@click.command(
    epilog=examples(
        "boardgames engine connect4",
        "boardgames engine abalone --agent simple --layout standard",
        "boardgames engine hexifence --agent alphabeta:depth=6",
    )
)
@click.argument("game", shell_complete=complete_game)
@agent_option("Agent that plays; default: the game's default agent, or alphabeta if that is a solver.")
@game_options
@click.option("--seed", type=NON_NEGATIVE, metavar="N", help="Seed for the agent's random choices.")
def engine(
    game: str, agent: str | None, layout: str | None, options: tuple[str, ...], seed: int | None
) -> None:
    """Run an agent as a UGI engine for GAME, driven by another program.

    The protocol runs on stdin and stdout; anything else goes to stderr. The
    engine ends at `quit`, or when its input has ended and the last search is
    finished.
    """
    source, write = _private_streams()
    from boardgames.ugi.setup import EngineSetup

    settings = {} if seed is None else {"seed": str(seed)}
    setup = EngineSetup(game, layout, parse_assignments(options), agent, settings)
    setup.check_names()
    _serve(setup, source, write)


def _serve(setup: "EngineSetup", source: int, write: Callable[[str], None]) -> None:
    """Handle lines until `quit`, or until the input ends and the last search is finished."""
    server: Server | None = None
    try:
        for line in _lines(source, write):
            if line.split()[:1] == ["ugi"]:
                write(setup.introduction())
            server = server or _start_server(setup, write)
            if not server.handle(line):
                return
        if server is not None:
            server.drain()
    finally:
        if server is not None:
            server.close()


def _start_server(setup: "EngineSetup", write: Callable[[str], None]) -> "Server":
    from boardgames.ugi.server import Server  # imported late, since it may compile kernels

    return Server(setup, write)


def _lines(source: int, write: Callable[[str], None]) -> Iterator[str]:
    """Yield the lines of the input; report those that are too long."""
    from boardgames.ugi.process import MAX_LINE, LineBuffer

    lines = LineBuffer()
    data = b"\n"
    while data:
        data = os.read(source, READ_BYTES)
        dropped = lines.dropped
        complete = lines.feed(data or b"\n")
        if lines.dropped > dropped:
            write(f"info string ignored a line longer than {MAX_LINE} bytes\n")
        yield from complete


def _private_streams() -> tuple[int, Callable[[str], None]]:
    """Reserve stdin and stdout for the protocol and redirect all other output to stderr."""
    null = os.open(os.devnull, os.O_RDWR)
    source, target = _reserve(0, null, null), _reserve(1, 2, null)
    os.close(null)

    def write(text: str) -> None:
        data = text.encode()
        while data:
            data = data[os.write(target, data) :]

    return source, write


def _reserve(descriptor: int, replacement: int, null: int) -> int:
    """Return a private copy of a descriptor and replace the original."""
    try:
        copy = os.dup(descriptor)
    except OSError:  # the descriptor is closed
        copy = os.dup(null)
    if hasattr(os, "set_blocking"):
        os.set_blocking(copy, True)  # the other end may have made the pipe non-blocking
    try:
        os.dup2(replacement, descriptor)
    except OSError:
        os.dup2(null, descriptor)
    return copy
