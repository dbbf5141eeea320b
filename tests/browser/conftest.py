"""A browser, a server with all games and the example, and people who visit it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import Visitor, chromium
from installed import tictactoe_installed
from web_pages import Kept, Server


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with tictactoe_installed():
        server = Server()
        yield server
        server.close()


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    with tictactoe_installed():
        kept = Kept(tmp_path / "matches.db")
        yield kept
        kept.server.close()


@pytest.fixture
def visit(browser: Any, server: Server) -> Iterator[Callable[..., Visitor]]:
    """Return a function that makes visitors; at the end none of them must have had a problem."""
    visitors: list[Visitor] = []

    def make(**options: object) -> Visitor:
        visitors.append(Visitor(browser, server, **options))
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.close()
