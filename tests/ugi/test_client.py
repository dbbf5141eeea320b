"""The conversation with an engine: handshake, `isready`, options, stop, deadlines and protocol errors.

The engines here are scripts in memory with their own clock, so that no test
waits; tests/players/test_engine.py tests the same conversation with real
programs.
"""

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence

import pytest

from boardgames.errors import EngineError, MalformedMoveError
from boardgames.player import Stop
from boardgames.ugi import client as module
from boardgames.ugi.client import Client, Deadline
from boardgames.ugi.protocol import Info

POSITION = "position startpos"
ANSWER = "info depth 3 time 5 nodes 77 score cp 25 pv 4 1 4 nonsense\nbestmove 4"
HANDSHAKE = (
    "id name fake\noption name Level type spin default 1 min 1 max 9\noption name seed type string\nugiok"
)
READ_S = 0.001
"""Seconds of the script's clock that it takes to read a line."""


class ScriptedEngine:
    """Stands for `EngineProcess`: answers the first word of a line, or the whole line, as scripted.

    An answer that ends with "..." is repeated forever.
    """

    def __init__(self, answers: Mapping[str, str] | None = None, *, stderr: str = "") -> None:
        self.answers = {"ugi": HANDSHAKE, "isready": "readyok", "go": ANSWER, **(answers or {})}
        self.stderr = stderr
        self.now = 1000.0
        self.sent: list[str] = []
        self.label = "it"
        self.is_killed = False
        self._pending: deque[str] = deque()
        self._endless = ""

    def monotonic(self) -> float:
        return self.now

    def send(self, line: str, *, deadline: float) -> None:
        self.sent.append(line)
        answer = self.answers.get(line, self.answers.get(line.split(maxsplit=1)[0], ""))
        if answer.endswith("..."):
            self._endless = answer.removesuffix("...")
        self._pending.extend(answer.splitlines() if not self._endless else [])

    def read(self, deadline: float) -> str | None:
        if self.now >= deadline:
            return None
        if not self._pending and not self._endless:
            self.now = deadline
            return None
        self.now += READ_S
        return self._pending.popleft() if self._pending else self._endless

    def error(self, reason: str) -> EngineError:
        return EngineError(f"{self.label} {reason}")

    def stderr_tail(self) -> str:
        return self.stderr

    def kill(self) -> None:
        self.is_killed = True

    close = kill


Connect = Callable[..., Client]


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Connect:
    """Return a function that connects a client to a scripted engine."""

    def connect(
        engine: ScriptedEngine,
        settings: Mapping[str, str] | None = None,
        game_options: Mapping[str, str] | None = None,
    ) -> Client:
        def start(command: Sequence[str], label: str, *, log: logging.Logger | None) -> ScriptedEngine:
            engine.label = label
            return engine

        monkeypatch.setattr(module, "EngineProcess", start)
        monkeypatch.setattr(module, "time", engine)
        return Client(
            ["program"], "the engine 'x'", settings=settings or {}, seconds=5, game_options=game_options or {}
        )

    return connect


def test_an_answer_has_the_move_and_what_was_reported(connect: Connect) -> None:
    answer = connect(ScriptedEngine()).go(POSITION, "go", deadline=Deadline(20))
    assert answer.move == "4"
    assert answer.info == Info(3, 77, ("cp", 25), ("4", "1", "4", "nonsense"))


def test_the_engine_is_ready_before_each_position(connect: Connect) -> None:
    engine = ScriptedEngine()
    client = connect(engine)
    client.new_match(seconds=5, settings={})
    client.go(POSITION, "go depth 3", deadline=Deadline(20))
    client.close()
    assert engine.sent == [
        *("ugi", "isready"),
        *("isready", "uginewgame", "isready"),
        *("isready", POSITION, "go depth 3"),
    ]


def test_a_second_answer_is_not_mistaken_for_the_next_one(connect: Connect) -> None:
    client = connect(ScriptedEngine({"go": f"{ANSWER}\nbestmove 1"}))
    moves = [client.go(POSITION, "go", deadline=Deadline(20)).move for _ in range(5)]
    assert moves == ["4"] * 5


def test_garbage_around_the_answer_is_skipped(connect: Connect) -> None:
    garbage = "\0\x7f\ufffd bestmove\ninfo depth x score cp\ninfo pv\n\ninfo"
    engine = ScriptedEngine({"go": f"{garbage}\n{ANSWER}", "isready": "what?\nreadyok"})
    assert connect(engine).go(POSITION, "go", deadline=Deadline(20)).move == "4"


def test_the_move_to_ponder_on_is_ignored(connect: Connect) -> None:
    client = connect(ScriptedEngine({"go": "bestmove 4 ponder 5"}))
    assert client.go(POSITION, "go", deadline=Deadline(20)).move == "4"


@pytest.mark.parametrize("line", ["bestmove 4 5", "bestmove", "bestmove 4 ponder", "bestmove 4 5 6"])
def test_a_bestmove_without_exactly_one_move_is_malformed(line: str, connect: Connect) -> None:
    with pytest.raises(MalformedMoveError) as caught:
        connect(ScriptedEngine({"go": line})).go(POSITION, "go", deadline=Deadline(20))
    said = "must answer `bestmove MOVE`, perhaps with `ponder MOVE` after it"
    assert str(caught.value) == f"the engine 'x' {said}, not {line!r}"


def test_an_engine_without_a_move_is_quoted(connect: Connect) -> None:
    client = connect(ScriptedEngine({"go": "info string the book is lost\nbestmove 0000"}))
    with pytest.raises(EngineError, match=r"^the engine 'x' has no move: the book is lost$"):
        client.go(POSITION, "go", deadline=Deadline(20))


@pytest.mark.parametrize("answer", ["", "info depth 1 score cp 1 pv 4...", "garbage..."])
def test_the_deadline_holds_even_if_the_engine_misbehaves(answer: str, connect: Connect) -> None:
    client = connect(ScriptedEngine({"go": answer}))
    with pytest.raises(EngineError, match=r"^the engine 'x' sent no bestmove within 1 s$"):
        client.go(POSITION, "go", deadline=Deadline(1.0))


@pytest.mark.parametrize(
    ("answer", "received"),
    [
        pytest.param("", "it sent nothing", id="silent"),
        pytest.param("id name fake\nuciok", "its first line was 'id name fake'", id="another protocol"),
        pytest.param("hello...", "its first line was 'hello'", id="endless"),
    ],
)
def test_an_engine_that_does_not_shake_hands_is_killed(answer: str, received: str, connect: Connect) -> None:
    engine = ScriptedEngine({"ugi": answer})
    with pytest.raises(EngineError) as caught:
        connect(engine)
    reason = f"sent no ugiok within 5 s ({received}; does it flush its output?)"
    assert str(caught.value) == f"the engine 'x' {reason}"
    assert engine.is_killed


@pytest.mark.parametrize("answer", ["", "ready..."])
def test_an_engine_that_is_never_ready_is_killed(answer: str, connect: Connect) -> None:
    engine = ScriptedEngine({"isready": answer})
    with pytest.raises(EngineError, match=r"^the engine 'x' sent no readyok within 5 s$"):
        connect(engine)
    assert engine.is_killed


def test_diagnostics_quote_the_last_info_string_and_stderr(connect: Connect) -> None:
    said = "info string one\ninfo string expected 7 \x1b columns\n"
    client = connect(ScriptedEngine({"go": said + ANSWER}, stderr="columns?"))
    client.go(POSITION, "go", deadline=Deadline(20))
    expected = "; last info string: expected 7 ? columns; last line on stderr: columns?"
    assert client.diagnostics() == expected
    assert connect(ScriptedEngine()).diagnostics() == ""


def test_only_the_best_of_several_lines_is_reported(connect: Connect) -> None:
    lines = (
        "info depth 5 nodes 90 multipv 1 score cp 40 pv 4 1",
        "info depth 5 nodes 80 multipv 2 score cp -30 pv 1 4",
        "bestmove 4",
    )
    client = connect(ScriptedEngine({"go": "\n".join(lines)}))
    assert client.go(POSITION, "go", deadline=Deadline(20)).info == Info(5, 90, ("cp", 40), ("4", "1"))


@pytest.mark.parametrize(
    ("game_options", "settings", "sent"),
    [
        pytest.param({"columns": "5", "rows": "6"}, {}, ["Columns value 5"], id="another default"),
        pytest.param({"columns": "7"}, {}, [], id="same default"),
        pytest.param({"dimension": "3"}, {}, [], id="not offered"),
        pytest.param({"columns": "5"}, {"COLUMNS": "4"}, ["Columns value 4"], id="the user's setting wins"),
        pytest.param({"level": "2"}, {}, ["game-level value 2"], id="prefixed"),
    ],
)
def test_options_of_the_game_are_set_where_the_engine_offers_them(
    game_options: dict[str, str], settings: dict[str, str], sent: list[str], connect: Connect
) -> None:
    offered = (
        "option name Columns type spin default 7 min 2 max 8",
        "option name rows type spin default 6",
        "option name level type spin default 1",
        "option name game-level type spin default 1",
        "ugiok",
    )
    engine = ScriptedEngine({"ugi": "\n".join(offered)})
    connect(engine, settings, game_options)
    assert engine.sent[1:-1] == [f"setoption name {text}" for text in sent]


def test_stop_is_passed_on_and_reports_arrive(connect: Connect) -> None:
    stop, infos = Stop(), []

    def on_info(info: Info) -> None:
        infos.append((info.score, info.line))
        stop.set()

    engine = ScriptedEngine({"go": "info depth 1 nodes 5 score mate 3 pv 4 1 4", "stop": ANSWER})
    answer = connect(engine).go(POSITION, "go infinite", deadline=Deadline(20), stop=stop, on_info=on_info)
    assert answer.move == "4"
    assert infos == [(("mate", 3), ("4", "1", "4"))]
    assert engine.sent.count("stop") == 1


def test_reports_are_thinned_out(connect: Connect) -> None:
    infos: list[int] = []
    lines = [f"info depth {depth} pv 4" for depth in range(1, 101)]
    client = connect(ScriptedEngine({"go": "\n".join([*lines, "bestmove 4"])}))
    client.go(POSITION, "go", deadline=Deadline(20), on_info=lambda info: infos.append(info.depth))
    assert 1 < len(infos) <= 1 + 100 * READ_S / module.INFO_INTERVAL_S


def test_an_engine_that_ignores_stop_fails_after_five_seconds(connect: Connect) -> None:
    stop = Stop()
    stop.set()
    engine = ScriptedEngine({"go": ""})
    client = connect(engine)
    start = engine.now
    with pytest.raises(EngineError, match=r"sent no bestmove within 5 s"):
        client.go(POSITION, "go", deadline=Deadline(600), stop=stop)
    assert engine.now - start < 6


def test_options_are_set_under_the_names_that_the_engine_uses(connect: Connect) -> None:
    engine = ScriptedEngine()
    client = connect(engine, {"level": "3"})
    assert engine.sent == ["ugi", "setoption name Level value 3", "isready"]
    client.new_match(seconds=20, settings={"SEED": "7"})
    assert engine.sent[-4:] == ["isready", "setoption name seed value 7", "uginewgame", "isready"]


def test_an_option_that_the_engine_does_not_have_is_named(connect: Connect) -> None:
    engine = ScriptedEngine()
    with pytest.raises(EngineError, match=r"^the engine 'x' has no option 'Levle'; did you mean 'Level'\?$"):
        connect(engine, {"Levle": "3"})
    assert engine.is_killed


def test_the_number_of_options_is_bounded(connect: Connect) -> None:
    offered = "\n".join(f"option name o{number} type string" for number in range(2000))
    assert len(connect(ScriptedEngine({"ugi": f"{offered}\nugiok"})).options) == module.MAX_OPTIONS
