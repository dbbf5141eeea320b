"""The UGI engine: every command at any time, and exactly one answer to each `go`."""

import queue
import threading
import time
from collections.abc import Iterator

import maze
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from installed import add_plugin
from waiting import TIMEOUT_S

from boardgames.game import Position
from boardgames.player import NO_CONTEXT, NO_LIMIT, Choice, Context, Limit, Player
from boardgames.players.alphabeta import AlphaBeta
from boardgames.ugi import server as module
from boardgames.ugi.server import Server
from boardgames.ugi.setup import EngineSetup


class Driver:
    """A server and the lines that it writes."""

    def __init__(self, setup: EngineSetup) -> None:
        self.output: queue.Queue[str] = queue.Queue()
        self.server = Server(setup, self._write)
        self.send("isready")
        self.read_until("readyok")

    def _write(self, text: str) -> None:
        for line in text.splitlines():
            self.output.put(line)

    def send(self, *lines: str) -> None:
        for line in lines:
            assert self.server.handle(line)

    def read_until(self, start: str) -> list[str]:
        """Return the lines up to the first that starts with `start`."""
        lines: list[str] = []
        while not lines or not lines[-1].startswith(start):
            lines.append(self.output.get(timeout=TIMEOUT_S))
        return lines

    def answer_to(self, line: str) -> list[str]:
        """Return the immediate answer to a line, if no search is running."""
        self.send(line, "isready")
        return self.read_until("readyok")[:-1]


@pytest.fixture
def engine() -> Iterator[Driver]:
    driver = Driver(EngineSetup("connect4", agent="alphabeta", settings={"depth": "4"}))
    yield driver
    driver.server.close()


def test_the_handshake_lists_the_options_and_ends_with_ugiok(engine: Driver) -> None:
    lines = engine.answer_to("ugi")
    assert lines[-1] == "ugiok"
    assert lines[0] == "option name depth type spin default 4 min 0 max 100"
    assert all(line.startswith("option name ") for line in lines[:-1])


def test_a_search_sends_info_and_then_one_bestmove(engine: Driver) -> None:
    engine.send("position startpos moves 4 1 4 1 4 2", "go depth 4")
    lines = engine.read_until("bestmove")
    assert lines[-1] == "bestmove 4"
    for part in ("depth", "nodes", "time", "score mate 1", "pv 4"):
        assert f" {part} " in f"{lines[-2]} "


def test_without_a_position_the_start_is_searched(engine: Driver) -> None:
    engine.send("go depth 1")
    assert engine.read_until("bestmove")[-1] == "bestmove 4"


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
def test_queries_follow_the_rules(
    engine: Driver, position: str, p1turn: str | None, gameover: str | None, result: str | None
) -> None:
    engine.send(f"position {position}")
    for name, expected in (("p1turn", p1turn), ("gameover", gameover), ("result", result)):
        if expected is not None:
            assert engine.answer_to(f"query {name}")[-1] == f"response {expected}"


def test_an_engine_obeys_the_rule_of_the_game_about_repetition(monkeypatch: pytest.MonkeyPatch) -> None:
    add_plugin(monkeypatch, maze.as_plugin())
    options = {"repetition": "forbidden", "rooms": "a:0:b..,aYc,b.."}
    setup = EngineSetup("maze", agent="alphabeta", settings={"depth": "5", "table": "0"}, options=options)
    driver = Driver(setup)
    driver.send("position startpos moves b", "go")  # bob could go back, to c, or leave by his exit
    assert driver.read_until("bestmove")[-1] == "bestmove Y"
    assert driver.answer_to("query gameover")[-1] == "response false"
    driver.send("position startpos moves b c", "go")  # ann could only go back to where she has been
    assert driver.read_until("bestmove")[-2:] == [
        "info string the match is over: repetition forbids every move",
        "bestmove 0000",
    ]
    assert driver.answer_to("query gameover")[-1] == "response true"
    assert driver.answer_to("query result")[-1] == "response p2win"
    driver.server.close()


def test_a_full_board_is_a_draw() -> None:
    engine = Driver(EngineSetup("connect4", layout="4x4"))
    engine.send("position startpos moves 4 3 2 1 3 1 1 1 4 4 2 3 4 2 3 2")
    assert engine.answer_to("query result") == ["response draw"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("hello world", "unknown command 'hello'"),
        ("position", "position takes 'startpos' or 'fen TEXT', not ''"),
        ("position fen", "position takes 'startpos' or 'fen TEXT', not 'fen'"),
        ("position fen nonsense", "'nonsense'"),
        ("position startpos moves 4 9", "(ply 2)"),
        ("position fen x y z moves 1", "'x y z'"),
        ("query", "unknown query ''; available: gameover, p1turn, result"),
        ("query weather", "unknown query 'weather'"),
        ("setoption name Depth value many", "'many'"),
        ("setoption name Hash value 16", "the engine has no option 'Hash'"),
        ("setoption depth 3", "setoption takes 'name NAME value VALUE', not 'depth 3'"),
        ("setoption name columns value 99", "'99'"),
    ],
)
def test_invalid_commands_are_reported_and_change_nothing(engine: Driver, line: str, reason: str) -> None:
    engine.send("position startpos moves 4 4 4")
    history, setup = engine.server._history, engine.server.setup
    (answer,) = engine.answer_to(line)
    assert answer.startswith("info string ")
    assert reason in answer
    assert engine.server._history is history
    assert engine.server.setup == setup


def test_invalid_limits_are_reported_and_the_search_runs(engine: Driver) -> None:
    engine.send("go depth four nodes 50")
    assert "info string depth must be an integer, not 'four'" in engine.read_until("bestmove")


def test_an_option_of_the_agent_keeps_the_position(engine: Driver) -> None:
    engine.send("position startpos moves 4", "setoption name Depth value 2")
    assert engine.answer_to("query p1turn") == ["response false"]
    engine.send("go")
    assert engine.read_until("bestmove")[-2].startswith("info depth 2 ")


def test_an_option_of_the_game_resets_the_position(engine: Driver) -> None:
    engine.send("position startpos moves 4", "setoption name columns value 5")
    assert engine.answer_to("query p1turn") == ["response true"]
    assert "1 to 5" in engine.answer_to("position startpos moves 6")[0]


def test_go_infinite_answers_only_after_stop(engine: Driver) -> None:
    engine.send("position startpos moves 4 1 4 1 4 2", "go infinite")  # a win in one ends the search at once
    search = engine.server._search
    assert search is not None
    engine.read_until("info depth 1")
    assert not search.wait(0.05)
    engine.send("isready")
    assert not any(line.startswith("bestmove") for line in engine.read_until("readyok"))
    engine.send("stop")
    assert engine.read_until("bestmove")[-1] == "bestmove 4"


def test_stop_is_answered_once() -> None:
    engine = Driver(EngineSetup("abalone", agent="alphabeta:book=false"))
    for _ in range(3):
        engine.send("go infinite")
        engine.read_until("info depth")
        engine.send("stop", "stop")
        engine.read_until("bestmove")
        assert engine.answer_to("stop") == []


def test_during_a_search_only_commands_without_the_agent_are_accepted(engine: Driver) -> None:
    engine.send("setoption name depth value 0", "go infinite")
    engine.read_until("info depth")
    for line in ("go depth 1", "uginewgame", "setoption name depth value 3"):
        engine.send(line)
        command = line.partition(" ")[0]
        answer = engine.read_until("info string")[-1]
        assert answer == f"info string {command} is not possible during a search; send stop first"
    engine.send("position startpos moves 1", "query p1turn", "isready")
    engine.read_until("response false")
    engine.read_until("readyok")
    engine.send("stop")
    engine.read_until("bestmove")


def test_at_the_end_of_the_input_a_limited_search_is_finished(engine: Driver) -> None:
    engine.send("setoption name depth value 0", "go depth 6")
    engine.server.drain()
    assert engine.read_until("bestmove")[-2].startswith("info depth 6 ")
    engine.server.drain()


@pytest.mark.parametrize(
    ("commands", "timeout"),
    [(["go infinite"], 600.0), (["go infinite", "stop"], 600.0), (["go depth 60"], 0.1)],
    ids=["infinite", "stopped", "too long"],
)
def test_at_the_end_of_the_input_an_infinite_search_is_stopped(
    engine: Driver, commands: list[str], timeout: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "DRAIN_TIMEOUT_S", timeout)
    engine.send("setoption name depth value 0", *commands)
    engine.server.drain()
    engine.server.close()
    assert len(engine.read_until("bestmove")[-1].split()) == 2


def test_a_search_ends_when_nobody_reads_its_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DRAIN_TIMEOUT_S", 600.0)
    is_closed = threading.Event()

    def write(text: str) -> None:
        if is_closed.is_set():
            raise BrokenPipeError

    server = Server(EngineSetup("abalone", agent="alphabeta:book=false"), write)
    server.handle("go movetime 1000000")
    is_closed.set()
    server.drain()
    assert not server.is_connected
    server.close()


def test_the_next_search_may_start_right_after_stop(engine: Driver) -> None:
    for _ in range(5):
        engine.send("go infinite", "stop", "uginewgame", "go depth 1")
        answers = [engine.read_until("bestmove")[-1] for _ in range(2)]
        assert all(answer != "bestmove 0000" for answer in answers)


class Faulty(Player):
    """Fails to choose a legal move, in the way that `fault` says."""

    name = "faulty"
    fault = "raise"

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        if self.fault == "raise":
            raise ZeroDivisionError("no idea\nat all")
        if self.fault == "exit":
            raise SystemExit(3)
        if self.fault == "interrupt":
            raise KeyboardInterrupt
        if self.fault == "resign":
            return Choice(None)
        if self.fault == "illegal":
            return Choice(position.game.start().legal_moves[0])
        return None  # type: ignore[return-value]  # the fault

    def match_started(self, side: int) -> None:
        self.side = side


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("raise", "Faulty.choose raised ZeroDivisionError: no idea at all"),
        ("exit", "Faulty.choose raised SystemExit: 3"),
        ("interrupt", "Faulty.choose raised KeyboardInterrupt"),
        ("resign", "the agent resigns"),
        ("illegal", "legal move"),
        ("none", "Faulty.choose returned None, not a Choice"),
    ],
)
def test_an_agent_without_a_legal_move_is_reported(engine: Driver, fault: str, reason: str) -> None:
    agent = Faulty(engine.server._game)
    agent.fault = fault
    engine.server._agent = agent
    engine.send("uginewgame", "position startpos moves 1 1 1 1 1 1", "go")
    *_, info, answer = engine.read_until("bestmove")
    assert info.startswith("info string ")
    assert reason in info
    assert answer == "bestmove 0000"
    assert agent.side == 0
    assert engine.answer_to("query gameover") == ["response false"]


class Preparing(Faulty):
    """Writes to the engine's output when a match starts and when a move is asked for."""

    output: queue.Queue[str]

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        self.output.put("choose")
        return Choice(position.legal_moves[0])

    def match_started(self, side: int) -> None:
        self.output.put(f"started on side {side}")
        if self.fault == "unprepared":
            raise ZeroDivisionError("no memory")


@pytest.fixture
def preparing(engine: Driver) -> Driver:
    engine.server._agent = agent = Preparing(engine.server._game)
    agent.output = engine.output
    return engine


def test_the_agent_prepares_for_a_match_before_readyok(preparing: Driver) -> None:
    preparing.send("uginewgame", "isready", "isready", "go", "stop")
    assert preparing.read_until("readyok") == ["started on side 0", "readyok"]
    assert preparing.read_until("bestmove")[:2] == ["readyok", "choose"]


def test_an_agent_that_plays_the_other_side_is_notified_before_its_first_move_only(preparing: Driver) -> None:
    preparing.send("uginewgame", "position startpos moves 4", "go")
    assert preparing.read_until("bestmove")[:3] == ["started on side 0", "started on side 1", "choose"]
    assert preparing.server._is_idle()
    preparing.send("position startpos moves 4 4", "go")
    assert preparing.read_until("bestmove")[0] == "choose"


def test_a_new_agent_prepares_before_readyok_without_uginewgame(engine: Driver) -> None:
    engine.send("setoption name table value 1", "isready")
    engine.read_until("readyok")
    agent = engine.server._agent
    assert isinstance(agent, AlphaBeta)
    assert agent._searcher._table is not None


def test_an_agent_that_fails_to_prepare_is_reported_before_readyok(preparing: Driver) -> None:
    assert isinstance(preparing.server._agent, Preparing)
    preparing.server._agent.fault = "unprepared"
    module = __name__.partition(".")[0]
    reason = (
        f"info string the module {module!r} is broken: "
        "Preparing.match_started raised ZeroDivisionError: no memory"
    )
    preparing.send("uginewgame", "isready")
    assert preparing.read_until("readyok") == [*["started on side 0", reason] * 2, "readyok"]


def test_after_the_end_of_the_match_there_is_no_move(engine: Driver) -> None:
    engine.send("position startpos moves 4 1 4 1 4 1 4", "go")
    *_, info, answer = engine.read_until("bestmove")
    assert info.startswith("info string ")
    assert "over" in info
    assert answer == "bestmove 0000"


def test_the_server_shuts_down_when_nobody_reads_its_output() -> None:
    def write(text: str) -> None:
        raise BrokenPipeError

    assert not Server(EngineSetup("connect4"), write).handle("isready")


def test_only_quit_ends_the_server(engine: Driver) -> None:
    assert not engine.server.handle("quit")
    assert engine.server.handle("exit")
    assert engine.server.handle("")


WORDS = ["position", "startpos", "fen", "moves", "go", "depth", "1", "4", "-7", "stop", "setoption", "name"]
WORDS += [
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


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=8))
@settings(max_examples=50)
def test_arbitrary_lines_do_not_end_the_server_and_every_search_is_answered(lines: list[str]) -> None:
    engine = Driver(EngineSetup("connect4", agent="random", settings={"seed": "1"}))
    engine.send(*lines, "stop")
    deadline = time.monotonic() + TIMEOUT_S
    while engine.server._search is not None:
        assert time.monotonic() < deadline
        engine.send("stop")
    answers = engine.answer_to("")
    assert sum(line.startswith("bestmove") for line in answers) <= sum(
        line.startswith("go") for line in lines
    )
    assert all(len(line.split()) == 2 for line in answers if line.startswith("bestmove"))
