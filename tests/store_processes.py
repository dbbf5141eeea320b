"""Processes that use a store, for its tests.

They are forked from a server that has imported the store, which is much faster
than starting Python for each.
"""

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from boardgames.errors import StoreError
from boardgames.game import Outcome, Termination
from boardgames.record import Record
from boardgames.store import NewMatch, Store

HAS_SERVER = "forkserver" in multiprocessing.get_all_start_methods()
CONTEXT = multiprocessing.get_context("forkserver") if HAS_SERVER else multiprocessing.get_context("spawn")
CONTEXT.set_forkserver_preload(["boardgames.store"])

TIMEOUT_S = 120.0


class StoreProcess:
    """A running process, with a connection for messages."""

    def __init__(self, target: Callable[..., None], *arguments: object) -> None:
        self._connection, theirs = CONTEXT.Pipe()
        self.process: BaseProcess = CONTEXT.Process(target=target, args=(theirs, *arguments), daemon=True)
        self.process.start()
        theirs.close()

    def receive(self) -> Any:  # whatever the process sends
        """Return the next message."""
        if not self._connection.poll(TIMEOUT_S):
            raise TimeoutError("the process sends nothing")
        return self._connection.recv()

    def ask(self, message: object) -> Any:  # whatever the process sends
        """Send a message and return the answer."""
        self._connection.send(message)
        return self.receive()

    def rest(self) -> list[Any]:  # whatever the process sends
        """Wait until the process has ended, and return the remaining messages."""
        messages: list[Any] = []  # whatever the process sends
        try:
            while True:
                messages.append(self.receive())
        except EOFError:
            self.process.join(TIMEOUT_S)
            return messages

    def kill(self) -> None:
        self.process.kill()


def make_match(*moves: str, name: str = "Ann") -> NewMatch:
    outcome = Outcome(0, Termination.RESIGNATION)
    record = Record("connect4", start="-", names=(name, "Bob"), moves=moves, outcome=outcome)
    return NewMatch.from_record(record, variant="")


def add_matches(connection: Connection, path: Path, count: int, name: str) -> None:
    """Add matches one by one, and send the ID of each once it is stored."""
    match = make_match("4", "4", "5", name=name)
    with Store(path) as store:
        connection.send("open")
        for _ in range(count):
            connection.send(store.add([match])[0])


def claim_run(connection: Connection, path: Path) -> None:
    """Try to claim the run of every message, and send the result."""
    with Store(path) as store:
        while True:
            connection.send(store.claim_run(connection.recv()))


def fill_disk(connection: Connection, path: Path, limit: int) -> None:
    """Add matches until no file can grow any more; send the number of matches and the error."""
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    stored = 0
    try:
        with Store(path) as store:
            while True:
                stored += len(store.add([make_match(*"444444")] * 10))
    except StoreError as error:
        connection.send((stored, str(error)))
