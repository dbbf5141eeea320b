"""Visitors, each with a browser (Chromium driven by Playwright), and checks of what no page may do."""

import json
import os
import random
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from web_pages import Server

import boardgames
from boardgames.web.deltas import StateReader

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REQUIRED = "BROWSER_TESTS"
"""If this environment variable is `required`, tests fail without a browser or Node.js instead of skipping."""
PATIENCE_MS = 60_000
"""How long to wait for what a page must show; a minute is enough, since `prepare` has compiled everything."""
POLL_MS = 15
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
"""Argument that keeps Chromium from reaching other servers, without the delays of intercepted requests."""
LONGEST_MATCH = 400
LEAST_WIDTH = 250
"""Smallest width, in pixels, of a board that can be used."""
_DRAWN = """() => {
  const { width, left, right } = document.querySelector("svg.board").getBoundingClientRect();
  const height = (e) => Math.round(e.getBoundingClientRect().top + e.getBoundingClientRect().height / 2);
  const count = (selector) => document.querySelectorAll(`.board ${selector}`).length;
  return {
    width, left, right, pieces: count(".pieces > g") + count(".under > g"), lines: count(".drawn-line"),
    targets: Object.fromEntries(
      [...document.querySelectorAll(".board .target")].map((e) => [e.dataset.id, height(e)])),
    names: [...document.querySelectorAll(".bar-name")].map((e) => e.textContent),
  };
}"""
"""Script that returns what a page shows: the board's targets with their heights, and the players' names."""
ARROWS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown")


def chromium_program() -> str | None:
    """Return the path of the Chromium on this machine, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@contextmanager
def playwright() -> Iterator[Any]:
    """Yield a driver of browsers (a thread can have only one); skip the test if Playwright is missing."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip_unless_required("Playwright is not installed: pip install 'boardgames-core[browser]'")
    with sync_playwright() as driver:
        yield driver


@contextmanager
def chromium(driver: Any, *arguments: str) -> Iterator[Any]:
    """Yield a running Chromium; skip the test if this machine has none."""
    program = chromium_program()
    if program is None:
        skip_unless_required("there is no Chromium on this machine; on Debian: apt install chromium")
    browser = driver.chromium.launch(
        executable_path=program, chromium_sandbox=False, args=[*arguments, OFFLINE, "--disable-gpu"]
    )
    yield browser
    browser.close()


def prepare(*games: str) -> None:
    """Load games and their default agents, so that kernels that are not in the cache are compiled now."""
    for name in games:
        game = boardgames.load(name)
        for agent in ("alphabeta", "mcts"):
            boardgames.load_player(agent, game)


def skip_unless_required(reason: str) -> None:
    """Skip a test because a program is missing, or fail it where such tests are required."""
    if os.environ.get(REQUIRED) == "required":
        pytest.fail(reason)
    pytest.skip(reason)


class Visitor:
    """A person with a browser profile of their own.

    It records what must not happen: messages on the console, exceptions, and requests to other servers.
    It keeps the latest state of the match from the server, so that a test knows the legal moves.
    """

    def __init__(self, browser: Any, server: Server, **options: object) -> None:
        self.server, self.origin = server, f"http://{server.host}"
        self.problems: list[str] = []
        self.state: dict[str, Any] = {}
        self._readers: dict[str, StateReader] = defaultdict(StateReader)
        self.context = browser.new_context(**{"viewport": {"width": 1000, "height": 900}, **options})
        self.context.set_default_timeout(PATIENCE_MS)
        self.context.on("request", self._check)
        self.page = self.context.new_page()
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))
        self.page.on("websocket", self._listen)

    def close(self) -> None:
        """Close the browser profile, and fail if something happened that must not happen."""
        self.context.close()
        assert not self.problems, self.problems

    def forgive(self, problem: str) -> None:
        """Forget the problems that contain a text, because the test has caused them."""
        self.problems = [one for one in self.problems if problem not in one]

    def open(self, address: str = "#/") -> Any:
        """Open a page of the server and return it."""
        self.page.goto(f"{self.origin}/{address}")
        self.page.get_by_role("main").get_by_role("heading").first.wait_for()
        return self.page

    def _is_own(self, url: str) -> bool:
        own = (
            f"{self.origin}/",
            f"{self.origin.replace('http', 'ws')}/",
            f"blob:{self.origin}/",
            "data:",
            "about:",
        )
        return url.startswith(own)

    def _check(self, request: Any) -> None:
        if not self._is_own(request.url):
            self.problems.append(f"request to {request.url}")

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def _listen(self, socket: Any) -> None:
        if not self._is_own(socket.url):
            self.problems.append(f"WebSocket to {socket.url}")
        socket.on("framereceived", self._receive)

    def _receive(self, frame: str) -> None:
        message = json.loads(frame)
        if message["type"] in ("match", "match-change"):
            self.state = self._readers[message["id"]].read(message)

    # --- waiting ---------------------------------------------------------------

    def wait(self, condition: Callable[[], object], what: str) -> None:
        """Wait until a condition is true."""
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while not condition():
            if time.monotonic() > deadline:
                break
            self.page.wait_for_timeout(POLL_MS)
        else:
            return
        pytest.fail(f"waited in vain for {what}; the page says: {self.status}")

    def wait_for_ply(self, ply: int) -> None:
        """Wait until the match has this many plies and the page shows all of them."""
        self.wait(
            lambda: self.state.get("ply") == ply and self.shown_moves() == self.played_moves(), f"ply {ply}"
        )

    def wait_for_turn(self) -> bool:
        """Wait until this person is to move; return False if the match is over."""

        def is_settled() -> bool:
            state = self.state
            if not state or self.shown_moves() != self.played_moves():
                return False
            return state["outcome"] is not None or (
                state["to_move"] in state["yours"] and not state["thinking"]
            )

        self.wait(is_settled, "the turn")
        return self.state["outcome"] is None

    # --- what the page shows ---------------------------------------------------

    @property
    def status(self) -> str:
        """Return the status of the match that the page shows."""
        found = self.page.locator(".status")
        return str(found.inner_text()) if found.count() else ""

    def shown_moves(self) -> list[str]:
        """Return the moves in the list of moves."""
        return list(self.page.locator(".moves .move-text").all_inner_texts())

    def played_moves(self) -> list[str]:
        """Return the moves that the server knows."""
        return [move["text"] for move in self.state["moves"]]

    def target(self, cell: str) -> Any:
        """Return the target on the board with an id."""
        return self.page.locator(f'.board [data-id="{cell}"]')

    def check_board(self, near: int) -> None:
        """Check that the whole board is drawn, fits into the window and has side `near` at the bottom."""
        self.wait_for_ply(self.state["ply"])
        picture, found = self.state["picture"], self.page.evaluate(_DRAWN)
        assert set(found["targets"]) == {one["id"] for one in picture["cells"] + picture["lines"]}
        assert found["pieces"] == len(picture["pieces"])
        assert found["lines"] == sum(line["side"] is not None for line in picture["lines"])
        assert found["width"] > LEAST_WIDTH
        assert found["left"] >= 0
        assert found["right"] <= self.page.viewport_size["width"]
        for name, side in zip(found["names"], (1 - near, near), strict=True):
            assert name == (self.state["names"][side] if self.state["seats"][side]["taken"] else "free seat")
        is_turned = near == 1 and picture["flip"] == "turn"
        by_height = sorted(picture["cells"], key=lambda cell: cell["y"], reverse=is_turned)
        heights = [found["targets"][cell["id"]] for cell in by_height]
        assert heights == sorted(heights), "the board is the wrong way up"

    def focused(self, expression: str) -> Any:
        """Return the value of a JavaScript expression about the element `e` that has the focus."""
        return self.page.evaluate(f"() => {{ const e = document.activeElement; return {expression}; }}")

    # --- starting and playing --------------------------------------------------

    def start(
        self,
        game: str,
        opponent: Literal["agent", "open", "here"] = "agent",
        *,
        side: int = 0,
        limits: Mapping[str, object] | None = None,
        paused: bool = False,
        **options: object,
    ) -> None:
        """Start and open a match without the form. This person plays `side`; the agent is `random`."""
        other = "random" if opponent == "agent" else opponent
        seats = ("here", other) if side == 0 else (other, "here")
        page = self.server.page()
        created = page.create(*seats, game=game, options=options, paused=paused, **(limits or {}))
        page.close()
        self.state = {}
        self.page.goto(f"{self.origin}/#/match/{created['match']}/{created['token']}")
        self.wait(lambda: self.state and self.page.locator(".status").count(), "the match")

    def start_by_form(
        self, game: str, *, side: int = 0, limits: Mapping[str, object] | None = None, **options: object
    ) -> None:
        """Start a match against `random` with the form and the mouse. This person plays `side`."""
        page = self.open(f"#/new/{game}")
        if options:
            page.get_by_text("Options", exact=True).first.click()
        for name, value in options.items():
            page.get_by_label(name).fill(str(value))
        page.locator(".seat").nth(side).get_by_label("Me", exact=True).check()
        seat = page.locator(".seat").nth(1 - side)
        seat.get_by_label("Computer", exact=True).check()
        seat.get_by_label("Strength", exact=True).select_option(label="Another agent")
        seat.get_by_label("Agent", exact=True).select_option("random")
        if limits:
            page.get_by_text("Limits and position").click()
        for name, value in (limits or {}).items():
            page.get_by_label(name).fill(str(value))
        self.state = {}
        page.get_by_role("button", name="Start match").click()
        self.wait(lambda: self.state and self.page.locator(".status").count(), "the match")

    def move(self, move: str) -> None:
        """Click on the board to make a move, and wait until the page shows it."""
        ply = self.state["ply"]
        for cell in self.state["picture"]["clicks"][move][0]:
            if self.target(cell).count():
                # nothing can be clicked until the match runs and the last move is shown
                self.page.locator(f'.board .live[data-id="{cell}"]').wait_for(state="attached")
                # the middle of a line may be under its label
                self.target(cell).click(force=True)
            else:
                self.page.get_by_role("button", name=cell, exact=True).click()
        self.choose(move)
        self.wait(lambda: self.state["ply"] > ply, f"the move {move}")

    def choose(self, move: str) -> None:
        """Choose a move if the last click has several meanings."""
        choice = self.page.get_by_role("group", name="Which move?")
        if choice.is_visible():
            choice.get_by_role("button", name=move).click()

    def play_by_mouse(self, seed: int = 1) -> None:
        """Click random legal moves until the match is over."""
        chance = random.Random(seed)
        while self.wait_for_turn():
            self.move(chance.choice(sorted(self.state["picture"]["clicks"])))

    def tab_to(self, expression: str) -> None:
        """Press Tab until a JavaScript expression about the focused element `e` is true."""
        for _ in range(LONGEST_MATCH):
            self.page.keyboard.press("Tab")
            if self.focused(expression):
                return
        pytest.fail(f"Tab does not reach {expression}")

    def play_by_keyboard(self, seed: int = 1) -> None:
        """Make random moves by keyboard only until the match is over, typing every third move."""
        chance, keyboard = random.Random(seed), self.page.keyboard
        while self.wait_for_turn():
            ply = self.state["ply"]
            if ply % 3 == 2:
                self.tab_to("e.id === 'typed'")
                keyboard.type(chance.choice(sorted(self.state["picture"]["clicks"])))
                keyboard.press("Enter")
            else:
                self.tab_to("e.closest('.board') !== null")
                self._move_with_arrows(ply, chance)
            self.wait(lambda: self.state["ply"] > ply, f"move {ply + 1}")

    def _move_with_arrows(self, ply: int, chance: random.Random) -> None:
        """Move around with the arrow keys and press Enter until a move is made."""
        keyboard = self.page.keyboard
        for _ in range(LONGEST_MATCH):
            for _ in range(chance.randrange(1, 5)):
                keyboard.press(chance.choice(ARROWS))
            is_move = ", plays " in self.focused("e.getAttribute('aria-label') ?? ''")
            keyboard.press("Enter")
            if is_move:
                return
        pytest.fail(f"no move is made with the arrow keys after {ply} moves")


def join(visitor: Visitor, other: Visitor) -> None:
    """Open the match of another visitor."""
    visitor.open(f"#{urlsplit(other.page.url).fragment}")
    visitor.wait(lambda: visitor.state, "the match")


def play_until(ply: int, *players: Visitor) -> None:
    """Make players choose the first legal move in turn, up to this ply or the end of the match."""
    while all(visitor.state["outcome"] is None for visitor in players) and players[0].state["ply"] < ply:
        before = players[0].state["ply"]
        mover = next(visitor for visitor in players if visitor.state["to_move"] in visitor.state["yours"])
        mover.move(min(mover.state["picture"]["clicks"]))
        for visitor in players:
            visitor.wait_for_ply(before + 1)


def press(visitor: Visitor, name: str) -> None:
    """Click on the button with a name."""
    visitor.page.get_by_role("button", name=name, exact=True).click()


def resign(visitor: Visitor) -> None:
    """Resign, and confirm the question."""
    press(visitor, "Resign")
    visitor.page.get_by_role("dialog").get_by_role("button", name="Resign").click()


def wait_for(visitor: Visitor, status: str) -> None:
    """Wait until the page shows a status of the match."""
    visitor.wait(lambda: visitor.status == status, status)


def take_seat(visitor: Visitor, side: str, name: str = "") -> None:
    """Take the free seat of the current match, under a name."""
    press(visitor, f"Play {side}")
    give_name(visitor, name)


def give_name(visitor: Visitor, name: str = "") -> None:
    """Answer the question for a name."""
    dialog = visitor.page.get_by_role("dialog", name="Your name")
    dialog.get_by_role("textbox").fill(name)
    dialog.get_by_role("button", name="Play").click()


def sit_down(visitor: Visitor, other: Visitor, side: str = "blue") -> None:
    """Make another visitor take the free seat of a match."""
    join(other, visitor)
    take_seat(other, side)
    for one in (visitor, other):
        one.wait(lambda: one.state["yours"] and "move" in one.status, "the seats")


def address(visitor: Visitor) -> str:
    """Return the part of a page's address after the `#`."""
    return str(visitor.page.url.partition("#")[2])


def wait_for_next(*visitors: Visitor, after: str) -> None:
    """Wait until all visitors see the same match, and not the match at the address `after`."""
    for visitor in visitors:
        visitor.wait(lambda: address(visitor) != after, "the next match")
        visitor.wait(lambda: visitor.state["id"] == address(visitor).split("/")[2], "it")
    assert len({address(visitor) for visitor in visitors}) == 1
