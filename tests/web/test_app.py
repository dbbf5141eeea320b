"""Which requests the server accepts: host, origin, token, and the headers of its answers."""

import asyncio
import gzip
import json
import os
import re
import socket
import subprocess
import sys
import zlib
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from starlette.types import ASGIApp, Message
from web_pages import Page, Server
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from boardgames.draw.svg import STYLES_FILE
from boardgames.errors import StoreError
from boardgames.web.app import STATIC, create_app
from boardgames.web.files import PageFiles
from boardgames.web.lobby import Lobby

TOKEN = "secret"


@pytest.fixture
def guarded() -> Iterator[Server]:
    server = Server(token=TOKEN)
    yield server
    server.close()


def get(server: Server, path: str = "/", **headers: str) -> tuple[int, dict[str, str], str]:
    connection = HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    found = (
        response.status,
        {name.lower(): text for name, text in response.getheaders()},
        response.read().decode(),
    )
    connection.close()
    return found


def test_the_page_allows_no_foreign_code(server: Server) -> None:
    status, headers, body = get(server)
    assert status == 200
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "<script" in body


def test_the_page_and_drawings_share_their_styles(server: Server) -> None:
    status, headers, body = get(server, "/styles.json")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert body == STYLES_FILE.read_text(encoding="utf-8")


def imported(module: str) -> set[str]:
    """Return a module and all that it imports, apart from those that are only loaded when they are needed."""
    modules = {module}
    for name in re.findall(r'^import .* from "\./(.+)";$', (STATIC / module).read_text(), re.MULTILINE):
        modules |= imported(name)
    return modules


@pytest.mark.parametrize("module", ["lobby.js", "match.js", "analysis.js", "training.js"])
def test_pages_load_at_most_80_kb_of_compressed_files(module: str) -> None:
    assert f'import("./{module}")' in (STATIC / "app.js").read_text()
    files = {"index.html", "style.css", "icon.svg"} | imported("app.js") | imported(module)
    files |= {
        name for file in files for name in re.findall(r'loadStyles\("(.+)"\)', (STATIC / file).read_text())
    }
    assert len(files) > 6
    assert sum(len(zlib.compress((STATIC / name).read_bytes())) for name in files) <= 80_000


def test_the_modules_of_the_first_page_and_of_a_match_are_preloaded() -> None:
    """Otherwise each would be requested only after the module that imports it has arrived."""
    preloaded = re.findall(r'<link rel="modulepreload" href="(.+)">', (STATIC / "index.html").read_text())
    first, lobby, match = imported("app.js"), imported("lobby.js"), imported("match.js")
    parts = (first - {"app.js"}, lobby - first, match - lobby - first)
    assert preloaded == [name for part in parts for name in sorted(part)], "the connection is opened first"


def test_files_are_served_before_the_matches_have_been_loaded() -> None:
    """Loading them imports Numba and may compile kernels; a WebSocket waits until that is done."""

    async def ask(app: ASGIApp, kind: str, path: str) -> list[Message]:
        sent: list[Message] = []
        headers = [(b"host", b"here"), (b"origin", b"http://here")]
        scope = {"type": kind, "method": "GET", "path": path, "query_string": b"", "headers": headers}

        async def receive() -> Message:
            if kind == "http":
                await asyncio.Event().wait()  # the connection stays open
            return {"type": "websocket.connect"}

        async def send(message: Message) -> None:
            sent.append(message)

        await app(scope, receive, send)
        return sent

    async def visit() -> None:
        matches: asyncio.Future[Lobby] = asyncio.get_running_loop().create_future()
        app = create_app(matches, hosts=frozenset())
        socket = asyncio.create_task(ask(app, "websocket", "/ws"))
        for path in ("/", "/match.js", "/styles.json", "/games.json"):
            assert (await ask(app, "http", path))[0]["status"] == 200
        assert not socket.done()
        matches.set_exception(StoreError("the store cannot be used"))
        assert [message["type"] for message in await socket] == ["websocket.close"]

    asyncio.run(visit())


def test_the_list_of_games_is_the_same_before_and_after_they_are_loaded(server: Server, page: Page) -> None:
    listed = json.loads(get(server, "/games.json")[2])["games"]
    assert {game["title"] for game in listed} >= {"Abalone", "Connect Four", "Hexifence"}
    assert listed == page.ask("catalogue")["games"]


@pytest.mark.slow
def test_games_are_listed_without_numba() -> None:
    code = """
import sys
from boardgames.web import app, server
assert len(app._listed_games().games) >= 3
assert not {"numba", "numpy"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
def test_the_lobby_is_opened_without_numba(tmp_path: Path) -> None:
    code = """
import asyncio, sys
from boardgames.web.server import _open_lobby
async def open_and_close():
    lobby = await _open_lobby(is_private=True)
    print("numba" in sys.modules)
    await lobby.close()
asyncio.run(open_and_close())
"""
    environment = os.environ | {"BOARDGAMES_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    )
    assert done.stdout == "False\n"


def test_the_page_is_complete_without_a_network() -> None:
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    texts = "".join(path.read_text() for path in files)
    addresses = set(re.findall(r"https?://[^\s\"'`<)]+", texts))
    assert addresses <= {"http://www.w3.org/2000/svg"}  # names an XML namespace and is not fetched


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", ""])
def test_another_host_is_refused(server: Server, host: str) -> None:
    status, _, body = get(server, Host=host)
    assert (status, body) == (403, f"the host must be {server.host}\n")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1", "https://localhost:1"])
def test_a_page_of_another_server_is_refused(server: Server, origin: str) -> None:
    assert get(server, Origin=origin)[0] == 403
    with pytest.raises(InvalidStatus, match="403"):
        connect(f"ws://{server.host}/ws", origin=Origin(origin)).__enter__()


def test_a_web_socket_for_another_host_is_refused_even_if_its_origin_agrees(server: Server) -> None:
    """A name that leads to this computer (DNS rebinding) does not help a page elsewhere."""
    for host in ("evil.example", f"evil.example:{server.port}"):
        with pytest.raises(InvalidStatus, match="403"):
            connect(
                f"ws://{host}/ws",
                origin=Origin(f"http://{host}"),
                sock=socket.create_connection(("127.0.0.1", server.port)),
            ).__enter__()


def test_a_web_socket_without_origin_is_refused(server: Server) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        connect(f"ws://{server.host}/ws").__enter__()


@pytest.mark.parametrize("path", ["/../app.py", "/..%2fapp.py", "/%2e%2e/app.py", "/etc/passwd"])
def test_files_outside_of_the_page_are_not_served(server: Server, path: str) -> None:
    assert get(server, path)[0] == 404


def test_a_server_for_other_computers_demands_its_token(guarded: Server) -> None:
    assert get(guarded)[0] == 403
    assert get(guarded, "/?token=wrong")[0] == 403
    with pytest.raises(InvalidStatus, match="403"):
        guarded.page()
    status, headers, _ = get(guarded, f"/?token={TOKEN}")
    cookie = headers["set-cookie"]
    assert (status, headers["location"]) == (307, "/")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    value = cookie.partition(";")[0]
    assert get(guarded, Cookie=value)[0] == 200
    page = guarded.page(Cookie=value)
    assert page.ask("matches")["type"] == "matches"
    page.close()


def test_files_of_the_page_are_compressed_for_browsers_that_accept_gzip(server: Server) -> None:
    plain = get(server, "/style.css")[1]
    connection = HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", "/style.css", headers={"Accept-Encoding": "gzip"})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    assert "content-encoding" not in plain
    assert response.getheader("content-encoding") == "gzip"
    assert gzip.decompress(body) == (STATIC / "style.css").read_bytes()


def test_browsers_cache_the_files_of_a_version_and_revalidate_others(server: Server) -> None:
    _, headers, index = get(server)
    assert headers["cache-control"] == "no-cache"
    modules = re.findall(r'href="(\w+/[\w.]+\.js)"', index)
    assert len(modules) > 20
    (version,) = {module.partition("/")[0] for module in modules}
    status, kept, body = get(server, f"/{modules[0]}")
    assert (status, kept["content-type"]) == (200, "text/javascript; charset=utf-8")
    assert "immutable" in kept["cache-control"]
    name = modules[0].partition("/")[2]
    for path in (f"/{name}", f"/other-version/{name}"):
        status, headers, other = get(server, path)
        assert (status, headers["cache-control"], other) == (200, "no-cache", body)
        assert get(server, path, **{"If-None-Match": headers["etag"]})[::2] == (304, "")
        assert get(server, path, **{"If-None-Match": '"other"'})[0] == 200
    assert get(server, f"/{version}/missing.js")[0] == 404


def test_a_new_version_of_the_page_loads_all_files_again(tmp_path: Path) -> None:
    for name in ("index.html", "app.js"):
        (tmp_path / name).write_text('<script src="app.js"></script>')
    before = PageFiles(tmp_path.iterdir()).version
    assert PageFiles(tmp_path.iterdir()).version == before
    (tmp_path / "app.js").write_text("changed")
    assert PageFiles(tmp_path.iterdir()).version != before


def test_messages_are_compressed_for_pages_that_ask_for_it(page: Page) -> None:
    assert [extension.name for extension in page.socket.protocol.extensions] == ["permessage-deflate"]
