"""A browser, a server with all games and the example, and people who visit it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import Visitor, chromium, playwright, prepare
from installed import GAMES
from web_pages import Kept, Server


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder as slow, since it takes a second to start the browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("slow")


@pytest.fixture(scope="package")
def driver() -> Iterator[Any]:
    with playwright() as driver:
        yield driver


@pytest.fixture(scope="package")
def browser(driver: Any) -> Iterator[Any]:
    with chromium(driver) as browser:
        yield browser


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    prepare(*GAMES)
    server = Server()
    yield server
    server.close()


@pytest.fixture(scope="module")
def scripts(browser: Any, server: Server) -> Iterator[Any]:
    """Return a page for scripts that use the modules of the page and leave nothing behind."""
    visitor = Visitor(browser, server)
    yield visitor.open("#/training")
    visitor.close()


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
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
