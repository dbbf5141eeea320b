"""The engine's end: every message, at every time, with one answer to each `go`."""

import queue
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boardgames.game import Position
from boardgames.player import NO_CONTEXT, NO_LIMIT, Choice, Context, Limit, Player
from boardgames.ugi import server as module
from boardgames.ugi.server import Server
from boardgames.ugi.setup import Setup

LONGEST_WAIT_S = 30.0


class Driven:
    """A server together with what it says."""

    def __init__(self, setup: Setup) -> None:
        self.said: queue.Queue[str] = queue.Queue()
        self.server = Server(setup, lambda text: [self.said.put(line) for line in text.splitlines()] and None)
        self.tell("isready")
        self.until("readyok")

    def tell(self, *lines: str) -> None:
        for line in lines:
            assert self.server.receive(line)

    def until(self, start: str) -> list[str]:
        """Return what is said, up to and with a line that starts so."""
        found: list[str] = []
        while not found or not found[-1].startswith(start):
            found.append(self.said.get(timeout=LONGEST_WAIT_S))
        return found

    def after(self, line: str) -> list[str]:
        """Return what is said to a line at once, if nothing else goes on."""
        self.tell(line, "isready")
        return self.until("readyok")[:-1]


@pytest.fixture
def engine() -> Iterator[Driven]:
    driven = Driven(Setup("connect4", agent="alphabeta", settings={"depth": "4"}))
    yield driven
    driven.server.end()


def test_a_greeting_is_answered_by_options_and_ugiok(engine: Driven) -> None:
    lines = engine.after("ugi")
    assert lines[-1] == "ugiok"
    assert lines[0] == "option name depth type spin default 4 min 0 max 100"
    assert all(line.startswith("option name ") for line in lines[:-1])


def test_a_search_says_info_and_then_one_move(engine: Driven) -> None:
    engine.tell("position startpos moves 4 1 4 1 4 2", "go depth 4")
    lines = engine.until("bestmove")
    assert lines[-1] == "bestmove 4"
    for word in ("depth", "nodes", "time", "score mate 1", "pv 4"):
        assert f" {word} " in f"{lines[-2]} "


def test_without_a_position_the_start_is_searched(engine: Driven) -> None:
    engine.tell("go depth 1")
    assert engine.until("bestmove")[-1] == "bestmove 4"


@pytest.mark.parametrize(
    ("position", "p1turn", "gameover", "result"),
    [
        ("startpos", "true", "false", "none"),
        ("startpos moves 4", "false", "false", "none"),
        ("fen ......./......./......./......./...b.../...r...", "true", "false", "none"),
        ("startpos moves 4 1 4 1 4 1 4", None, "true", "p1win"),
        ("startpos moves 7 4 1 4 1 4 1 5 2 4", None, "true", "p2win"),
    ],
)
def test_queries_are_answered_by_the_rules(
    engine: Driven, position: str, p1turn: str | None, gameover: str | None, result: str | None
) -> None:
    engine.tell(f"position {position}")
    for name, expected in (("p1turn", p1turn), ("gameover", gameover), ("result", result)):
        if expected is not None:
            assert engine.after(f"query {name}")[-1] == f"response {expected}"


def test_a_full_board_is_a_draw() -> None:
    engine = Driven(Setup("connect4", options={"columns": "2", "rows": "2"}))
    engine.tell("position startpos moves 1 1 2 2")
    assert engine.after("query result") == ["response draw"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("hello world", "expected a command of UGI: 'hello'"),
        ("position", "expected position startpos or position fen TEXT: ''"),
        ("position fen", "expected position startpos or position fen TEXT: 'fen'"),
        ("position fen nonsense", "expected"),
        ("position startpos moves 4 9", "expected a column 1 to 7: '9' (ply 2)"),
        ("position fen a b c moves 1", "expected"),
        ("query", "expected a query of p1turn, gameover, result: ''"),
        ("query weather", "expected a query of p1turn, gameover, result: 'weather'"),
        ("setoption name Depth value many", "expected a whole number from 1 to 100 for depth: 'many'"),
        ("setoption name Hash value 16", "expected an option of the engine: 'Hash'"),
        ("setoption depth 3", "expected setoption name NAME value VALUE: 'depth 3'"),
        ("setoption name columns value 99", "expected"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(engine: Driven, line: str, reason: str) -> None:
    engine.tell("position startpos moves 4 4 4")
    before, setup = engine.server._trail, engine.server.setup
    said = engine.after(line)
    assert said[-1].startswith(f"info string {reason}")
    assert engine.server._trail is before
    assert engine.server.setup == setup


def test_bad_limits_are_named_and_the_search_goes_on(engine: Driven) -> None:
    engine.tell("go depth four nodes 50")
    lines = engine.until("bestmove")
    assert "info string expected a whole number for depth: 'four'" in lines


def test_an_option_makes_the_agent_anew_and_keeps_the_position(engine: Driven) -> None:
    engine.tell("position startpos moves 4", "setoption name Depth value 2")
    assert engine.after("query p1turn") == ["response false"]
    engine.tell("go")
    assert engine.until("bestmove")[-2].startswith("info depth 2 ")


def test_an_option_of_the_game_begins_at_its_start(engine: Driven) -> None:
    engine.tell("position startpos moves 4", "setoption name columns value 5")
    assert engine.after("query p1turn") == ["response true"]
    assert engine.after("position startpos moves 6")[0].startswith("info string expected a column 1 to 5")


def test_an_infinite_search_answers_only_a_stop(engine: Driven) -> None:
    engine.tell("position startpos moves 4 1 4 1 4 2", "go infinite")  # won in one: it is found at once
    engine.until("info depth 1")
    time.sleep(0.3)
    assert not any(line.startswith("bestmove") for line in engine.after("isready"))
    engine.tell("stop")
    assert engine.until("bestmove")[-1] == "bestmove 4"


def test_a_stop_is_answered_soon_and_once() -> None:
    engine = Driven(Setup("abalone", agent="alphabeta:book=false"))
    for _ in range(5):
        engine.tell("go infinite")
        engine.until("info depth")
        asked = time.monotonic()
        engine.tell("stop", "stop")
        engine.until("bestmove")
        assert time.monotonic() - asked < 5.0
        assert engine.after("stop") == []


def test_while_a_search_goes_on_what_needs_the_agent_is_refused(engine: Driven) -> None:
    engine.tell("setoption name depth value 0", "go infinite")
    engine.until("info depth")
    for line in ("go depth 1", "uginewgame", "setoption name depth value 3"):
        engine.tell(line)
        word = line.partition(" ")[0]
        assert engine.until("info string")[-1].startswith(
            f"info string expected {word} when no search is under way"
        )
    engine.tell("position startpos moves 1", "query p1turn", "isready")
    engine.until("response false")
    engine.until("readyok")
    engine.tell("stop")
    engine.until("bestmove")


def test_at_the_end_of_the_input_a_search_with_a_limit_goes_on(engine: Driven) -> None:
    engine.tell("setoption name depth value 0", "go depth 6")
    engine.server.finish()
    assert engine.until("bestmove")[-2].startswith("info depth 6 ")
    engine.server.finish()


@pytest.mark.parametrize(
    ("go", "seconds"),
    [(["go infinite"], LONGEST_WAIT_S), (["go infinite", "stop"], LONGEST_WAIT_S), (["go depth 60"], 0.3)],
)
def test_at_the_end_of_the_input_no_search_goes_on_for_ever(
    engine: Driven, go: list[str], seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LAST_SEARCH_S", seconds)
    engine.tell("setoption name depth value 0", *go)
    began = time.monotonic()
    engine.server.finish()
    assert time.monotonic() - began < LONGEST_WAIT_S / 2
    engine.server.end()
    assert len(engine.until("bestmove")[-1].split()) == 2


def test_a_search_that_nobody_listens_to_does_not_go_on() -> None:
    is_gone = threading.Event()

    def write(text: str) -> None:
        if is_gone.is_set():
            raise BrokenPipeError

    server = Server(Setup("abalone", agent="alphabeta:book=false"), write)
    server.receive("go movetime 1000000")
    is_gone.set()
    began = time.monotonic()
    server.finish()
    assert time.monotonic() - began < LONGEST_WAIT_S  # and not to its last second
    assert not server.is_heard
    server.end()


def test_after_a_stop_the_next_search_may_follow_at_once(engine: Driven) -> None:
    for _ in range(5):
        engine.tell("go infinite", "stop", "uginewgame", "go depth 1")
        answers = [engine.until("bestmove")[-1] for _ in range(2)]
        assert all(answer != "bestmove 0000" for answer in answers)


class Odd(Player):
    """Does what its class says instead of choosing."""

    name = "odd"
    deed = "raise"

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        if self.deed == "raise":
            raise ZeroDivisionError("no idea\nat all")
        if self.deed == "exit":
            raise SystemExit(3)
        if self.deed == "resign":
            return Choice(None)
        if self.deed == "illegal":
            return Choice(position.game.start().legal_moves[0])
        return None  # type: ignore[return-value]  # on purpose

    def match_started(self, side: int) -> None:
        self.side = side


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        ("raise", "the agent 'odd' raised ZeroDivisionError: no idea at all"),
        ("exit", "the agent 'odd' raised SystemExit: 3"),
        ("resign", "the agent resigns"),
        ("illegal", "expected a legal move in"),
        ("nothing", "expected a Choice from the agent 'odd': None"),
    ],
)
def test_an_agent_without_a_move_is_told_as_such(
    engine: Driven, deed: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Odd(engine.server._game)
    monkeypatch.setattr(agent, "deed", deed, raising=False)
    engine.server._agent = agent
    engine.tell("position startpos moves 1 1 1 1 1 1", "go")
    *_, said, answer = engine.until("bestmove")
    assert said.startswith(f"info string {reason}")
    assert answer == "bestmove 0000"
    assert agent.side == 0
    assert engine.after("query gameover") == ["response false"]


def test_after_the_end_there_is_no_move(engine: Driven) -> None:
    engine.tell("position startpos moves 4 1 4 1 4 1 4", "go")
    *_, said, answer = engine.until("bestmove")
    assert said.startswith("info string expected a position with moves: ")
    assert answer == "bestmove 0000"


def test_nothing_is_said_any_more_when_nobody_listens() -> None:
    def write(text: str) -> None:
        raise BrokenPipeError

    server = Server(Setup("connect4"), write)
    assert not server.receive("isready")


def test_quit_alone_ends_it(engine: Driven) -> None:
    assert not engine.server.receive("quit")
    assert engine.server.receive("exit")
    assert engine.server.receive("")


PARTS = ["position", "startpos", "fen", "moves", "go", "depth", "1", "4", "-7", "stop", "setoption", "name"]
PARTS += [
    "value",
    "columns",
    "rows",
    "layout",
    "query",
    "result",
    "uginewgame",
    "ugi",
    "isready",
    "\x00",
    "é",
    "0" * 99,
]


@given(st.lists(st.lists(st.sampled_from(PARTS), max_size=6).map(" ".join), max_size=8))
@settings(max_examples=50)
def test_no_line_ends_it_and_every_search_is_answered(lines: list[str]) -> None:
    engine = Driven(Setup("connect4", agent="random", settings={"seed": "1"}))
    engine.tell(*lines, "stop")
    deadline = time.monotonic() + LONGEST_WAIT_S
    while engine.server._thinking is not None:
        assert time.monotonic() < deadline
        engine.tell("stop")
    said = engine.after("isready")
    assert sum(line.startswith("bestmove") for line in said) <= sum(line.startswith("go") for line in lines)
    assert all(len(line.split()) == 2 for line in said if line.startswith("bestmove"))
