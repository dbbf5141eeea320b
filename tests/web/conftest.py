"""Fixtures: a server, and pages that are connected to it."""

from collections.abc import Iterator

import pytest
from web_pages import Page, Server


@pytest.fixture(scope="package")
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    page = server.page()
    yield page
    page.close()


@pytest.fixture
def other(server: Server) -> Iterator[Page]:
    page = server.page()
    yield page
    page.close()
