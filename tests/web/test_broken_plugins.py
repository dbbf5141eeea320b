"""Broken plug-ins on the server: only the request or the match concerned fails, and the plug-in is named."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest
from installed import add_offers, add_plugin
from waiting import TIMEOUT_S
from web_pages import Page, Server

from boardgames import faults
from boardgames.hookspecs import Entry, hookimpl
from boardgames.players.simple import Random
from boardgames.web import calls, match, searches
from boardgames_connect4.game import Connect4


class Exits(Connect4):
    def draw(self, position: Any) -> Any:
        raise SystemExit(3)


class Interrupts(Connect4):
    def draw(self, position: Any) -> Any:
        raise KeyboardInterrupt


class Mute(Connect4):
    def format_action(self, words: Any, action: int, notation: str | None = None) -> Any:
        return None


class Blank(Connect4):
    def draw(self, position: Any) -> Any:
        return None


class Late(Connect4):
    """Fails as soon as a move has been made."""

    def draw(self, position: Any) -> Any:
        if position != self.start():
            raise SystemExit(3)
        return super().draw(position)


class Sleeps(Connect4):
    """Draws once the test ends."""

    opened = threading.Event()

    def draw(self, position: Any) -> Any:
        self.opened.wait(TIMEOUT_S)
        return super().draw(position)


class ExitingAgent(Random):
    name = "exiting"

    def analyse(self, *arguments: Any, **more: Any) -> Any:
        raise SystemExit("/srv/files/secret")


class InterruptingAgent(Random):
    name = "interrupting"

    def analyse(self, *arguments: Any, **more: Any) -> Any:
        raise KeyboardInterrupt

    def choose(self, *arguments: Any, **more: Any) -> Any:
        raise KeyboardInterrupt


class StubbornAgent(Random):
    """Moves once the test allows it, and ignores a request to stop."""

    name = "stubborn"
    opened = threading.Event()

    def choose(self, *arguments: Any, **more: Any) -> Any:
        self.opened.wait(TIMEOUT_S)
        return super().choose(*arguments, **more)


class EmptyAgent(Random):
    name = "empty"

    def analyse(self, *arguments: Any, **more: Any) -> Any:
        return None


GAMES = {
    "exits": Exits,
    "interrupts": Interrupts,
    "blank": Blank,
    "late": Late,
    "mute": Mute,
    "sleeps": Sleeps,
}
AGENTS = {
    "exiting": ExitingAgent,
    "interrupting": InterruptingAgent,
    "empty": EmptyAgent,
    "stubborn": StubbornAgent,
}


@contextmanager
def served() -> Iterator[Callable[[], Page]]:
    """Yield a function that opens a page of a server with the broken plug-in; the server must survive."""
    server = Server()
    pages: list[Page] = []

    def page() -> Page:
        pages.append(server.page())
        return pages[-1]

    try:
        yield page
        assert page().create("here", "random")["type"] == "created"
    finally:
        Sleeps.opened.set()
        StubbornAgent.opened.set()
        for one in pages:
            one.close()
        server.close()


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Page]]:
    module = ModuleType("broken_on_server")
    for kind in (*GAMES.values(), *AGENTS.values()):
        setattr(module, kind.__name__, kind)

    def bg_games() -> list[Entry]:
        return [Entry(name, "x", f"broken_on_server:{kind.__name__}") for name, kind in GAMES.items()]

    def bg_agents() -> list[Entry]:
        return [Entry(name, "x", f"broken_on_server:{kind.__name__}") for name, kind in AGENTS.items()]

    module.bg_games, module.bg_agents = hookimpl(bg_games), hookimpl(bg_agents)  # type: ignore[attr-defined]
    add_plugin(monkeypatch, module)
    monkeypatch.setitem(faults._plugins, __name__.partition(".")[0], "under-test")
    Sleeps.opened.clear()
    StubbornAgent.opened.clear()
    with served() as page:
        yield page


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ("exits", "Exits.draw raised SystemExit: 3"),
        ("interrupts", "Interrupts.draw raised KeyboardInterrupt"),
        ("blank", "Blank.draw returned None, not a Picture"),
    ],
)
@pytest.mark.parametrize(
    ("request_", "fields"),
    [("create", {"seats": [{"kind": "here"}, {"kind": "here"}]}), ("board", {})],
    ids=["create", "board"],
)
def test_broken_game_fails_only_the_request(
    page: Callable[[], Page], game: str, reason: str, request_: str, fields: dict[str, Any]
) -> None:
    answer = page().ask(request_, game=game, **fields)
    assert (answer["type"], answer["reason"]) == ("refused", f"plug-in 'under-test' is broken: {reason}")


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("exiting", "plug-in 'under-test' is broken: ExitingAgent.analyse raised SystemExit: secret"),
        (
            "interrupting",
            "plug-in 'under-test' is broken: InterruptingAgent.analyse raised KeyboardInterrupt",
        ),
        ("empty", "plug-in 'under-test' is broken: EmptyAgent.analyse returned None, not an Analysis"),
    ],
)
def test_broken_agent_fails_only_the_analysis(page: Callable[[], Page], agent: str, reason: str) -> None:
    answer = page().ask("analyse", game="connect4", agent=agent, seconds=0.1)
    assert (answer["type"], answer["reason"]) == ("refused", reason)


def test_agent_that_cannot_be_imported_is_left_out_and_affects_no_game(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    add_offers(monkeypatch, "bg_agents", working=Random, missing=None)
    with served() as page:
        person = page()
        agents = {agent["name"] for agent in person.ask("game", name="connect4")["agents"]}
        assert {"alphabeta", "working"} < agents
        assert "missing" not in agents
        assert person.ask("board", game="connect4")["type"] == "board"
        assert "agent 'missing' is not a subclass" in person.create("here", "missing")["reason"]
    warned = [str(one.message) for one in recwarn]
    assert any(one.startswith("the agent 'missing' of connect4 cannot be used: ") for one in warned), warned


def test_agent_that_raises_keyboard_interrupt_loses_its_match(page: Callable[[], Page]) -> None:
    person = page()
    key = person.start("here", "interrupting")
    person.send("move", match=key, ply=0, move="4")
    while (state := person.receive("match"))["outcome"] is None:
        continue
    assert state["outcome"]["winner"] == 0
    assert state["fault"] == (
        "plug-in 'under-test' is broken: InterruptingAgent.choose raised KeyboardInterrupt"
    )


def test_move_that_has_no_text_is_refused(page: Callable[[], Page]) -> None:
    person = page()
    key = person.start("here", "here", game="mute")
    answer = person.ask("move", match=key, ply=0, move="4")
    assert answer["reason"] == "plug-in 'under-test' is broken: Mute.format_action returned None, not a str"


def test_match_whose_board_cannot_be_drawn_any_more_says_so(page: Callable[[], Page]) -> None:
    person = page()
    person.start("random", "here", game="late")
    while (state := person.receive("match"))["fault"] is None:
        continue
    assert state["outcome"] is None
    assert state["fault"] == "plug-in 'under-test' is broken: Late.draw raised SystemExit"


@pytest.mark.slow
def test_match_continues_when_its_agent_can_be_used_again(
    page: Callable[[], Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "MAX_WAIT_SECONDS", 0.01)
    monkeypatch.setattr(searches, "GRACE_SECONDS", 0.01)
    monkeypatch.setattr(match, "RETRY_SECONDS", 0.05)
    person = page()
    others = [person.start("stubborn", "random") for _ in range(8)]
    while (state := person.receive("match"))["fault"] is None:
        continue
    assert state["fault"] == (
        f"agent 'stubborn' of connect4 is broken: {searches.MAX_STUCK_SEARCHES} of its searches did not stop "
        "when told to"
    )
    StubbornAgent.opened.set()
    ended: set[str] = set()
    while len(ended) < len(others):
        state = person.receive("match")
        if state["outcome"] is not None and state["fault"] is None:
            ended.add(state["id"])


def test_clock_runs_out_although_the_game_did_not_answer_for_a_while(
    page: Callable[[], Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match, "RETRY_SECONDS", 0.05)
    Sleeps.opened.set()
    person, other = page(), page()
    key = person.start("here", "here", game="sleeps", clock=[0.3, 60.0])
    person.send("shown", match=key, ply=0)
    person.state(running=0)
    monkeypatch.setattr(calls, "HANG_SECONDS", 0.1)
    Sleeps.opened.clear()
    assert "did not answer" in other.ask("board", game="sleeps")["reason"]
    while (state := person.receive("match"))["fault"] is None:
        continue
    assert "did not answer" in state["fault"]
    monkeypatch.setattr(calls, "HANG_SECONDS", TIMEOUT_S)
    Sleeps.opened.set()
    assert person.outcome()["text"] == "blue wins on time"


def test_hanging_game_is_refused_until_it_answers_and_does_not_delay_other_games(
    page: Callable[[], Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, other = page(), page()
    assert other.ask("board", game="connect4")["type"] == "board"
    for number in range(10):
        stuck.send("board", game="sleeps", re=100 + number)
    for free in (other, stuck):
        answer = free.ask("board", game="connect4")
        assert answer["type"] == "board", answer
    with monkeypatch.context() as patch:
        patch.setattr(calls, "HANG_SECONDS", 0.05)
        answer = other.ask("board", game="sleeps")
    assert answer["reason"] == "game 'sleeps' did not answer within 0.05 s and cannot be used until it does"
    assert other.create("here", "here", game="sleeps")["reason"] == answer["reason"]
    assert page().ask("catalogue")["type"] == "catalogue"
    Sleeps.opened.set()
    while other.ask("board", game="sleeps")["type"] == "refused":
        time.sleep(0.05)  # a page may not ask too often
