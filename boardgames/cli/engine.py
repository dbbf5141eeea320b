"""`bg engine`: an agent as an engine that other programs drive over UGI, on stdin and stdout."""

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from boardgames.cli.options import NON_NEGATIVE, examples, game_options
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
@click.argument("game")
@click.option("--agent", metavar="AGENT", default="", help="Who plays; the game's default agent.")
@game_options
@click.option("--seed", type=NON_NEGATIVE, metavar="N", help="Makes the agent's chance repeatable.")
def engine(game: str, agent: str, layout: str | None, options: tuple[str, ...], seed: int | None) -> None:
    """Let another program play GAME against an agent, over UGI on stdin and stdout.

    It ends at `quit`, or at the end of its input when the last search is
    done. Whatever else is printed goes to stderr.
    """
    source, write = _private_streams()
    from boardgames.ugi.setup import EngineSetup

    settings = {} if seed is None else {"seed": str(seed)}
    setup = EngineSetup(game, layout, parse_assignments(options), agent, settings)
    setup.check_names()
    _serve(setup, source, write)


def _serve(setup: "EngineSetup", source: int, write: Callable[[str], None]) -> None:
    """Act on line after line until one says `quit`, or there are no more and the last search is done."""
    server: Server | None = None
    try:
        for line in _lines(source, write):
            if line.split()[:1] == ["ugi"]:
                write(setup.introduction())
            server = server or _made(setup, write)
            if not server.handle(line):
                return
        if server is not None:
            server.drain()
    finally:
        if server is not None:
            server.close()


def _made(setup: "EngineSetup", write: Callable[[str], None]) -> "Server":
    from boardgames.ugi.server import Server  # only now: it may have to be compiled

    return Server(setup, write)


def _lines(source: int, write: Callable[[str], None]) -> Iterator[str]:
    """Yield the lines that come; say so if one was too long."""
    from boardgames.ugi.process import MAX_LINE, LineBuffer

    lines = LineBuffer()
    data = b"\n"
    while data:
        data = os.read(source, READ_BYTES)
        dropped = lines.dropped
        found = lines.feed(data or b"\n")
        if lines.dropped > dropped:
            write(f"info string expected lines of at most {MAX_LINE} bytes: one was longer\n")
        yield from found


def _private_streams() -> tuple[int, Callable[[str], None]]:
    """Take stdin and stdout for the protocol alone; whoever else prints, prints to stderr."""
    null = os.open(os.devnull, os.O_RDWR)
    source, target = _taken(0, null, null), _taken(1, 2, null)
    os.close(null)

    def write(text: str) -> None:
        data = text.encode()
        while data:
            data = data[os.write(target, data) :]

    return source, write


def _taken(descriptor: int, instead: int, null: int) -> int:
    """Return a private copy of a descriptor, in whose place there is another one from now on."""
    try:
        copy = os.dup(descriptor)
    except OSError:  # it was closed
        copy = os.dup(null)
    if hasattr(os, "set_blocking"):
        os.set_blocking(copy, True)  # a driver may share pipes that do not wait
    try:
        os.dup2(instead, descriptor)
    except OSError:
        os.dup2(null, descriptor)
    return copy
