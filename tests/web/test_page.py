"""The messages of pages: matches, seats, clocks, and what is refused."""

import asyncio
import json
import threading
import time
from typing import Any

import pytest
from installed import add_offers
from web_pages import ANSWER_SECONDS, Page, Server
from websockets.exceptions import ConnectionClosed

import boardgames
from boardgames import compiling
from boardgames.game import Game, Move, Position, Termination
from boardgames.manager import Manager
from boardgames.player import NO_CONTEXT, NO_LIMIT, Choice, Context, Limit, Player
from boardgames.web import match as match_module
from boardgames.web.lobby import Lobby
from boardgames.web.match import _forfeit_if_to_move
from boardgames.web.page import Page as ServerPage


def play_out(page: Page, match: str) -> Any:
    """Make the first legal move whenever it is this page's turn; return the last state."""
    while True:
        state = page.receive("match")
        if state["outcome"] is not None:
            return state
        if state["to_move"] in state["yours"] and not state["thinking"]:
            move = next(iter(state["picture"]["clicks"]))
            page.send("move", match=match, ply=state["ply"], move=move)


# --- lobby and matches ---------------------------------------------------------


def test_every_page_is_told_what_the_server_compiles(page: Page, server: Server) -> None:
    page.ask("catalogue")
    compiling.report("boardgames_abalone.rules", 3)
    told = page.receive("compiling")
    assert (told["title"], told["count"], told["ended"]) == ("Abalone", 3, False)
    late = server.page()
    try:
        assert late.receive("compiling")["count"] == 3
    finally:
        late.close()
    compiling.report("boardgames.search.perft", 4)
    assert page.receive("compiling")["title"] == "", "it may be for any game"
    compiling.report("", 4)
    assert page.receive("compiling")["ended"]


def test_a_game_is_described_with_its_agents_but_without_those_that_start_programs(page: Page) -> None:
    games = [game["name"] for game in page.ask("catalogue")["games"]]
    assert {"abalone", "connect4", "hexifence"} <= set(games)
    described = page.ask("game", name="hexifence")
    agents = [agent["name"] for agent in described["agents"]]
    assert "strong" in agents
    assert not {"engine", "human"} & set(agents)
    assert [option["name"] for option in described["options"]] == ["dimension"]


@pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
def test_a_whole_match_against_an_agent(page: Page, game: str) -> None:
    match = page.start("here", "random", game=game, ply_limit=40)
    state = play_out(page, match)
    position = boardgames.load(game, **state["options"]).start()
    for move in state["moves"]:
        position = position.apply(move["text"])
    assert len(state["moves"]) == state["ply"] > 0
    assert position.outcome is not None or state["outcome"]["text"] == "draw (ply limit)"


def test_two_people_play_and_a_spectator_sees_every_move(server: Server, page: Page, other: Page) -> None:
    match = page.start("here", "open")
    spectator = server.page()
    spectator.send("join", match=match)
    token = other.ask("claim", match=match, side=1, name="Ann")["token"]
    other.send("join", match=match, token=token)
    page.send("move", match=match, ply=0, move="4")
    assert other.state(ply=1)["yours"] == [1]
    other.send("move", match=match, ply=1, move="5")
    state = spectator.state(ply=2)
    assert ([move["text"] for move in state["moves"]], state["yours"]) == (["4", "5"], [])
    assert state["names"][1] == "Ann"
    assert state["announcement"] == "Blue played 5. Red to move."
    spectator.close()


def test_a_page_with_both_seats_plays_both_sides(page: Page) -> None:
    match = page.start("here", "open")
    page.send("join", match=match, token=page.ask("claim", match=match, side=1)["token"])
    assert page.state(yours=[0, 1])["to_move"] == 0
    page.send("move", match=match, ply=0, move="4")
    page.send("move", match=match, ply=1, move="4")
    assert page.state(ply=2)["yours"] == [0, 1]


def test_earlier_positions_are_shown_while_the_match_continues(page: Page) -> None:
    match = page.start("here", "here")
    page.send("move", match=match, ply=0, move="4")
    page.state(ply=1)
    assert page.ask("view", match=match, ply=0)["picture"]["pieces"] == []
    assert len(page.ask("view", match=match, ply=1)["picture"]["changed"]) == 1
    assert "1 moves, not 2" in page.ask("view", match=match, ply=2)["reason"]


def test_agents_offer_the_weights_that_fit_a_game(page: Page) -> None:
    agents = {agent["name"]: agent["options"] for agent in page.ask("game", name="connect4")["agents"]}
    choices = {option["name"]: option["choices"] for option in agents["greedy"]}
    assert "td" in choices["weights"]
    for name in choices["weights"]:
        assert page.create("here", f"greedy:weights={name}").get("reason") is None
    assert {option["name"] for option in agents["td"]}.isdisjoint({"save"})


def test_a_game_names_its_overlays_and_draws_those_that_are_asked_for(page: Page) -> None:
    names = [overlay["name"] for overlay in page.ask("game", name="hexifence")["overlays"]]
    assert names == ["chains", "edges"]
    match = page.start("here", "here", game="hexifence", options={"dimension": 2})
    page.send("move", match=match, ply=0, move="0")
    page.state(ply=1)
    [overlay] = page.ask("view", match=match, ply=1, overlays=["edges"])["picture"]["overlays"]
    assert (overlay["name"], overlay["marks"]["e2"]) == ("edges", "s")
    assert "no overlay" in page.ask("view", match=match, ply=1, overlays=["nothing"])["reason"]


def test_a_move_against_an_agent_is_taken_back_with_its_answer(page: Page) -> None:
    match = page.start("here", "random")
    page.send("move", match=match, ply=0, move="4")
    page.state(ply=2, thinking=False)
    page.send("undo", match=match)
    assert page.state(ply=0)["moves"] == []


def test_a_person_has_to_agree_before_a_move_is_taken_back(page: Page, other: Page) -> None:
    match = page.start("here", "open")
    other.send("join", match=match, token=other.ask("claim", match=match, side=1)["token"])
    page.send("move", match=match, ply=0, move="4")
    other.state(ply=1)
    page.send("undo", match=match)
    assert other.state(offer={"kind": "undo", "side": 0, "reason": ""})["ply"] == 1
    other.send("answer", match=match, accept=True)
    assert page.state(ply=0, offer=None)["to_move"] == 0


def test_a_draw_is_agreed(page: Page, other: Page) -> None:
    match = page.start("here", "open")
    other.send("join", match=match, token=other.ask("claim", match=match, side=1)["token"])
    page.send("offer-draw", match=match)
    other.state(offer={"kind": "draw", "side": 0, "reason": ""})
    other.send("answer", match=match, accept=True)
    assert page.outcome()["termination"] == "agreement"


def test_agents_can_be_watched_step_by_step(page: Page) -> None:
    match = page.start("mcts", "mcts", move_time=[0.2, 0.2])
    page.send("pause", match=match)
    ply = page.state(paused=True, thinking=False)["ply"]
    page.send("step", match=match)
    assert page.state(ply=ply + 1)["paused"]
    page.send("resume", match=match)
    assert not page.state(ply=ply + 3)["paused"]


def test_a_match_continues_after_a_resignation_is_taken_back(page: Page) -> None:
    match = page.start("here", "random")
    page.send("resign", match=match)
    assert page.outcome()["winner"] == 1
    page.send("undo", match=match)
    page.state(outcome=None)
    page.send("move", match=match, ply=0, move="4")
    assert page.state(ply=2)["outcome"] is None


def test_a_hint_is_a_legal_move(page: Page) -> None:
    match = page.start("here", "here")
    hint = page.ask("hint", match=match)
    assert hint["move"] in page.ask("view", match=match, ply=hint["ply"])["picture"]["clicks"]


# --- what is refused -----------------------------------------------------------


def test_only_the_page_with_the_token_can_act(page: Page, other: Page) -> None:
    match = page.start("here", "here")
    other.send("join", match=match, token="guessed")
    for kind, fields in (
        ("move", {"ply": 0, "move": "4"}),
        ("undo", {}),
        ("resign", {}),
        ("offer-draw", {}),
        ("answer", {"accept": True}),
    ):
        reason = other.ask(kind, match=match, **fields)["reason"]
        assert reason == "only the players can do that; you are watching this match", kind
    assert page.ask("view", match=match, ply=0)["type"] == "view"


def test_a_token_opens_only_its_own_seat(page: Page, other: Page) -> None:
    first, second = page.start("here", "open"), page.start("here", "open")
    token = other.ask("claim", match=first, side=1)["token"]
    other.send("join", match=second, token=token)
    assert other.state(id=second)["yours"] == []
    other.send("join", match=first, token=token)
    assert other.state(id=first)["yours"] == [1]
    for match in (first, second):
        assert other.ask("move", match=match, ply=0, move="4")["type"] == "refused"
    assert "taken" in page.ask("claim", match=first, side=1)["reason"]


def test_moves_out_of_turn_too_late_or_illegal_are_refused(page: Page, other: Page) -> None:
    match = page.start("here", "open")
    other.send("join", match=match, token=other.ask("claim", match=match, side=1)["token"])
    assert "turn" in other.ask("move", match=match, ply=0, move="4")["reason"]
    assert "moved on" in page.ask("move", match=match, ply=3, move="4")["reason"]
    assert "9" in page.ask("move", match=match, ply=0, move="9")["reason"]
    assert "taken" in page.ask("claim", match=match, side=0)["reason"]


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("engine:command=ls", "cannot be used in the browser"),
        ("human", "cannot be used in the browser"),
        ("td:weights=/etc/passwd", "weights cannot be a file in the browser"),
        ("td:weights=..", "weights cannot be a file in the browser"),
        ("alphabeta:weights=pyproject.toml", "weights cannot be a file in the browser"),
        ("solver:book=secret", "book cannot be a file in the browser"),
        ("td:learn=true,save=copy", "save cannot be used in the browser"),
        ("alphabeta:table=1025", "table can be at most 1024 in the browser, not '1025'"),
        ("mcts:memory=2000", "memory can be at most 1024 in the browser"),
        ("nobody", "no agent"),
    ],
)
def test_agents_that_start_programs_use_files_or_take_too_much_are_refused(
    page: Page, agent: str, reason: str
) -> None:
    assert reason in page.create("here", agent)["reason"]


def test_a_layout_among_the_options_is_refused_with_the_reason(page: Page) -> None:
    reason = page.create("here", "random", options={"layout": "7x6"})["reason"]
    assert reason.startswith("the layout is not an option of a game")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"type":"fly"}',
        '{"type":"view","match":"x"}',
        '{"type":"view","match":"x","ply":-1}',
        "[" * 20_000,
        '{"type":"join","match":"x","colour":1}',
    ],
)
def test_rubbish_is_refused_and_the_page_stays_connected(page: Page, text: str) -> None:
    page.socket.send(text)
    assert page.receive("refused")["reason"].startswith("not a message of this protocol")
    assert page.ask("matches")["type"] == "matches"


def test_binary_messages_end_the_connection(page: Page) -> None:
    page.socket.send(b"{}")
    with pytest.raises(ConnectionClosed, match="must be text"):
        page.socket.recv(timeout=ANSWER_SECONDS)


def test_messages_that_are_too_long_end_the_connection(page: Page) -> None:
    page.socket.send(json.dumps({"type": "catalogue", "re": "1" * 70_000}))
    with pytest.raises(ConnectionClosed):
        page.socket.recv(timeout=ANSWER_SECONDS)


def test_a_flood_of_messages_ends_the_connection(page: Page, other: Page) -> None:
    def flood() -> None:
        for _ in range(1_000):
            page.send("matches")
        while True:
            page.socket.recv(timeout=ANSWER_SECONDS)

    with pytest.raises(ConnectionClosed, match="too many messages"):
        flood()
    assert other.ask("matches")["type"] == "matches"


class _ClosedSocket:
    """A WebSocket that has just been closed, while the page still has something to send."""

    def __init__(self) -> None:
        self.requests = ['{"type": "matches"}']

    async def accept(self) -> None:
        return

    async def receive(self) -> dict[str, str]:
        if not self.requests:
            await asyncio.Event().wait()
        return {"type": "websocket.receive", "text": self.requests.pop()}

    async def send_text(self, text: str) -> None:
        raise RuntimeError("Unexpected ASGI message 'websocket.send', after sending 'websocket.close'.")


class _ClosingSocket(_ClosedSocket):
    """A WebSocket that is being closed, so that it cannot receive anything or be closed again."""

    def __init__(self, received: dict[str, str] | None) -> None:
        self.received = received

    async def receive(self) -> dict[str, str]:
        if self.received is None:
            raise RuntimeError('Cannot call "receive" once a disconnect message has been received.')
        return self.received

    async def close(self, code: int, reason: str) -> None:
        raise RuntimeError("Unexpected ASGI message 'websocket.close', after sending 'websocket.close'.")


@pytest.mark.parametrize(
    "received",
    [
        None,
        {"type": "websocket.receive"},
        {"type": "websocket.receive", "text": "x" * 2_000_000},
        {"type": "websocket.receive", "text": "{}"},
    ],
    ids=["nothing", "binary", "too long", "flood"],
)
def test_message_on_a_connection_that_is_closing_is_no_error(received: dict[str, str] | None) -> None:
    async def visit() -> None:
        lobby = Lobby()
        await ServerPage(_ClosingSocket(received), lobby).run()  # type: ignore[arg-type]  # it has what is used
        await lobby.close()

    asyncio.run(visit())


def test_page_that_is_closed_while_it_is_sent_something_ends_without_an_error() -> None:
    async def visit() -> None:
        lobby = Lobby()
        await ServerPage(_ClosedSocket(), lobby).run()  # type: ignore[arg-type]  # it has what is used
        await lobby.close()

    asyncio.run(visit())


def test_players_are_not_sent_states_when_spectators_come_and_go(
    server: Server, page: Page, other: Page
) -> None:
    match = page.start("here", "here")
    page.state(id=match)
    other.send("join", match=match)
    other.state(id=match)
    other.send("leave", match=match)
    assert other.ask("catalogue")["type"] == "catalogue"
    page.send("view", re=7, match=match, ply=0)
    while (message := json.loads(page.socket.recv(timeout=ANSWER_SECONDS))).get("re") != 7:
        assert message["type"] not in ("match", "match-change")


# --- agents that fail --------------------------------------------------------------


class _Hanging(Player):
    """Thinks for ever, and ignores that it is told to stop."""

    name = "hanging"

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        time.sleep(3600)
        raise AssertionError


@pytest.mark.slow  # waits for a search that does not end
def test_server_with_a_hanging_agent_plays_other_matches_and_can_be_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_offers(monkeypatch, "bg_agents", hanging=_Hanging)
    server = Server(searches=1)
    page = server.page()
    page.start("hanging", "hanging")
    page.start("random", "random")
    assert page.outcome()["text"]
    page.close()
    server.close()
    hanging = [thread for thread in threading.enumerate() if thread.name == "search"]
    assert hanging
    assert all(thread.daemon for thread in hanging)  # the program can end


@pytest.mark.parametrize(
    ("fields", "text", "fault"),
    [
        ({}, "red wins (crash)", "it does not answer"),
        ({"clock": (60.0, 0.1)}, "red wins on time", None),
    ],
    ids=["without a clock", "with a clock"],
)
def test_an_agent_that_hangs_loses(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, object], text: str, fault: str | None
) -> None:
    add_offers(monkeypatch, "bg_agents", hanging=_Hanging)
    if fault:
        monkeypatch.setattr(match_module, "OVERDUE_SECONDS", 0.05)
    server = Server()
    page = server.page()
    match = page.start("here", "hanging", move_time=[None, 0.05], **fields)
    page.send("move", match=match, ply=0, move="4")
    while (state := page.receive("match"))["outcome"] is None:
        continue
    outcome = state["outcome"]
    assert (outcome["winner"], outcome["text"], state["fault"]) == (0, text, fault)
    assert page.ask("matches")["type"] == "matches"
    page.close()
    server.close()


def test_an_agent_that_moves_at_the_last_moment_does_not_lose() -> None:
    manager = Manager(boardgames.load("connect4"), (None, None))
    manager.make_move(0, "4")
    _forfeit_if_to_move(0, manager)
    before = manager.outcome
    assert before is None
    manager.resign(1)
    _forfeit_if_to_move(1, manager)
    assert manager.outcome is not None
    assert manager.outcome.termination is Termination.RESIGNATION


class _Crashing(_Hanging):
    """Fails as soon as it is asked for a move."""

    name = "crashing"

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        raise ValueError("cannot read '/srv/my-games/book.bin': no such file")


class _Cheating(_Hanging):
    """Plays a move that does not exist."""

    name = "cheating"

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        return Choice(Move(99, "9"))


@pytest.mark.parametrize(
    ("agent", "text", "fault"), [("crashing", "crash", "ValueError"), ("cheating", "illegal move", "99")]
)
def test_an_agent_that_crashes_or_cheats_loses(
    monkeypatch: pytest.MonkeyPatch, agent: str, text: str, fault: str
) -> None:
    add_offers(monkeypatch, "bg_agents", crashing=_Crashing, cheating=_Cheating)
    server = Server()
    page = server.page()
    match = page.start("here", agent)
    page.send("move", match=match, ply=0, move="4")
    while (state := page.receive("match"))["outcome"] is None:
        continue
    assert (state["outcome"]["winner"], state["outcome"]["text"]) == (0, f"red wins ({text})")
    assert fault in state["fault"]
    assert "/srv" not in json.dumps(state)
    page.close()
    server.close()


class _Broken(_Hanging):
    """Cannot be created."""

    name = "broken"

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        raise ValueError("cannot read '/srv/my-games/book.bin': no such file")


def test_paths_are_removed_from_errors_of_plug_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    add_offers(monkeypatch, "bg_agents", broken=_Broken)
    server = Server()
    page = server.page()
    reason = page.create("here", "broken")["reason"]
    assert page.ask("catalogue")["games"]
    page.close()
    server.close()
    assert reason == "agent 'broken' is broken: ValueError: cannot read 'book.bin': no such file"
