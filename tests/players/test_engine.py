"""The player `engine`: whatever an external program does wrong loses a match and nothing else."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from processes import usage, wait_until_freed

import boardgames
from boardgames.clock import TimeControl
from boardgames.errors import EngineError, FileError, IllegalMoveError, OptionError
from boardgames.manager import Manager
from boardgames.match_state import MatchRules
from boardgames.player import Choice, Context, Limit, Stop
from boardgames.players import engine as module
from boardgames.players.engine import Engine
from boardgames.score import RETURN, Score
from boardgames.ugi import process

pytestmark = pytest.mark.skipif(os.name != "posix", reason="engines need POSIX pipes")

FAKE_ENGINE = Path(__file__).parents[1] / "ugi" / "fake_engine.py"
CONNECT4 = boardgames.load("connect4")
START = CONNECT4.start()
opened: list[Engine] = []


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    while opened:
        opened.pop().close()


def player(command: str, game: str = "connect4", seed: int | None = None, **options: str) -> Engine:
    engine = Engine(boardgames.load(game), seed=seed, command=command, **options)
    opened.append(engine)
    return engine


def fake(mode: str, move: str = "4", **options: Any) -> Engine:  # texts
    return player(f"{sys.executable} {FAKE_ENGINE} {mode} {move}", **options)


@pytest.fixture(scope="module")
def plain() -> Iterator[Engine]:
    """Return an engine without faults that tests share; it always plays column 4."""
    engine = Engine(CONNECT4, command=f"{sys.executable} {FAKE_ENGINE} plain")
    yield engine
    engine.close()


def own(game: str, agent: str, **options: Any) -> Engine:  # texts
    """Return one of our agents as an engine."""
    return player(f"{sys.executable} -m boardgames engine {game} --agent {agent}", game, **options)


def play_random(engine: Engine, move_time: float = 20.0) -> Manager:
    """Return a match of an engine against random moves, with a time limit per move."""
    rules = MatchRules(time=TimeControl(move=move_time))
    match = Manager(CONNECT4, [engine, boardgames.load_player("random", CONNECT4, seed=1)], rules=rules)
    match.play()
    return match


def test_a_move_comes_with_depth_nodes_value_and_line(plain: Engine) -> None:
    choice = plain.choose(START)
    assert (str(choice.move), choice.depth, choice.nodes) == ("4", 3, 77)
    assert choice.score == Score.of(0.25, RETURN)
    assert [str(move) for move in choice.line] == ["4", "1", "4"]


@pytest.mark.parametrize(
    ("mode", "termination", "reason"),
    [
        ("exit-at-once", "crash", "exited with code 1: ImportError: no module named 'brain'"),
        ("exit-at-handshake", "crash", "exited with code 0"),
        ("exit", "crash", "exited with code 3: out of ideas"),
        ("killed", "crash", "was killed by signal 9"),
        ("no-move", "crash", "has no move: the book is lost"),
        ("silent", "crash", "sent no ugiok within 0.1 s"),
        ("hang", "time", "sent no "),
        ("flood", "time", "sent no "),
        ("endless-line", "time", "sent no "),
        ("flood-of-stderr", "time", "sent no "),
        ("closed-stdout", "time", "closed its stdin or stdout"),
        ("late", "time", "move 4 "),
        ("two-moves", "illegal-move", "must answer `bestmove MOVE`"),
        ("bestmove-alone", "illegal-move", "must answer `bestmove MOVE`"),
        ("plain", "illegal-move", "column"),
    ],
)
def test_every_fault_loses_the_match_with_its_reason(
    mode: str, termination: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ANSWER_MARGIN_S", 20.0 if mode in ("late", "closed-stdout") else 0.2)
    monkeypatch.setattr(process, "EXIT_TIMEOUT_S", 0.3 if mode == "closed-stdout" else 20.0)
    engine = fake(mode, start="0.1" if mode == "silent" else "20")
    match = play_random(engine, 0.2 if termination == "time" else 20.0)
    assert match.outcome is not None
    assert (match.outcome.winner, match.outcome.termination) == (1, termination)
    assert reason in (match.fault or "")
    assert "\n" not in (match.fault or "")


def test_an_illegal_move_is_reported_with_the_diagnostics_of_the_engine() -> None:
    fault = play_random(fake("other-game", "9")).fault or ""
    assert "'9'" in fault
    assert fault.endswith("; last info string: expected 7 columns; last line on stderr: columns?")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["", " --option dimension=3"], ids=["set by us", "in the command"])
def test_our_engine_plays_the_game_with_its_options(arguments: str) -> None:
    game = boardgames.load("hexifence", dimension=2)
    command = f"{sys.executable} -m boardgames engine hexifence --agent greedy{arguments}"
    engine = Engine(game, seed=1, command=command, start=120.0)
    opened.append(engine)
    match = Manager(game, [engine, boardgames.load_player("greedy", game, seed=1)])
    match.play()
    assert match.fault is None
    assert match.position.outcome is not None


@pytest.mark.slow
def test_an_engine_for_another_game_says_why_it_cannot_play() -> None:
    game = boardgames.load("hexifence", dimension=2)
    engine = Engine(game, command=f"{sys.executable} -m boardgames engine connect4")
    opened.append(engine)
    match = Manager(game, [engine, boardgames.load_player("greedy", game)])
    match.play()
    assert "; last info string: " in (match.fault or "")


@pytest.mark.parametrize(("seed", "sent"), [(7, 7), (1000, 1000), (2**62 + 3, (2**62 + 2) % 1000 + 1)])
def test_the_seed_is_wrapped_into_the_range_of_the_engine(seed: int, sent: int, tmp_path: Path) -> None:
    log = tmp_path / "log"
    engine = fake("ranged-seed", log=str(log))
    engine.reseed(seed)
    engine.match_started(0)
    assert f" > setoption name seed value {sent}\n" in log.read_text("utf-8")


@pytest.mark.slow
def test_faulty_engines_leave_no_files_or_threads_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("open files are counted in /proc")
    monkeypatch.setattr(module, "ANSWER_MARGIN_S", 0.01)
    fake("plain").match_started(0)  # the watchdog stays
    modes = ["exit-at-once", "exit", "killed", "two-moves", "flood"]
    modes += ["closed-stdin", "garbage", "hang", "long-stderr", "twice"]
    before = usage()
    for mode in modes * 2:
        engine = fake(mode)
        play_random(engine, 0.03)
        engine.close()
    wait_until_freed(before)


@pytest.mark.parametrize("mode", ["exit", "hang", "killed"])
def test_an_engine_that_failed_is_started_again(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWER_MARGIN_S", 0.01)
    engine = fake(mode)
    for _ in range(2):
        engine.match_started(0)
        with pytest.raises(EngineError):
            engine.choose(START, Limit(seconds=0.05))


def test_an_engine_that_was_killed_between_matches_is_started_again() -> None:
    engine = fake("plain")
    engine.match_started(0)
    assert engine._client is not None
    engine._client.program._process.kill()
    engine.match_started(1)
    assert str(engine.choose(START).move) == "4"


def test_one_program_plays_several_matches(plain: Engine) -> None:
    pids = set()
    for side in (0, 1, 0):
        plain.match_started(side)
        plain.choose(START)
        assert plain._client is not None
        pids.add(plain._client.program._process.pid)
    assert len(pids) == 1


def test_an_engine_can_play_again_after_close() -> None:
    engine = fake("plain")
    for _ in range(2):
        assert str(engine.choose(START).move) == "4"
        engine.close()
        engine.close()


def test_an_interrupt_ends_the_program_and_the_next_request_starts_another() -> None:
    engine = fake("until-stop")

    def report(choice: Choice) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.choose(START, Limit(seconds=20), Context(report=report))
    stop = Stop()
    stop.set()
    assert str(engine.choose(START, Limit(seconds=20), Context(stop=stop)).move) == "4"


def test_reports_arrive_during_the_search_and_stop_ends_it() -> None:
    stop, reports = Stop(), []

    def report(choice: Choice) -> None:
        reports.append(choice)
        stop.set()

    choice = fake("until-stop").choose(START, Limit(seconds=20), Context(stop=stop, report=report))
    assert str(choice.move) == "4"
    assert str(reports[0].move) == "4"
    assert reports[0].score == Score.win(3)


def test_the_engine_gets_the_start_and_the_moves() -> None:
    engine = player("cat")
    positions = [CONNECT4.parse("1")]
    for text in ("2", "3"):
        positions.append(positions[-1].apply(text))
    line = engine._position_line(positions[-1], Context(history=tuple(positions[:-1])))
    assert line == f"position fen {positions[0]} moves 2 3"
    assert engine._position_line(positions[-1], Context()) == f"position fen {positions[-1]}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r'^no program to run; use engine:command="PROGRAM ARGUMENTS"$'),
        ({"command": ""}, "^cannot run '': no such program$"),
        ({"command": "no-such-program -x"}, "^cannot run 'no-such-program': no such program$"),
        ({"command": f"{FAKE_ENGINE} -x"}, r"^cannot run '.*fake_engine\.py': the file is not executable$"),
        ({"command": "'cat"}, r"^cannot parse the command \"'cat\": no closing quotation$"),
        ({"command": "cat", "options": "Hash"}, "'Hash'"),
        ({"command": "cat", "start": "0"}, "start"),
    ],
)
def test_invalid_options_are_rejected_before_the_engine_is_started(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        Engine(CONNECT4, **options)


def test_an_engine_survives_the_round_trip_as_agent_text() -> None:
    engine = boardgames.load_player('engine:command="cat -u",options="Hash=16;Level=3",start=2', CONNECT4)
    assert isinstance(engine, Engine)
    assert engine._settings == {"Hash": "16", "Level": "3"}
    again = boardgames.load_player(engine.describe(), CONNECT4)
    assert again.options == engine.options


def test_a_program_in_the_current_folder_needs_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot.sh").touch(mode=0o755)
    with pytest.raises(OptionError, match=r"^cannot run 'bot\.sh': it is not on PATH; write '\./bot\.sh'$"):
        player("bot.sh")
    player("./bot.sh")


@pytest.mark.parametrize(
    ("command", "name", "label"),
    [
        (f"{sys.executable} {FAKE_ENGINE} plain", "", "fake_engine.py"),
        (f"{sys.executable} {FAKE_ENGINE} plain", "Fritz", "Fritz"),
        ("cat -u", "", "cat -u"),
        ("cat " + "x" * 5000, "", "cat " + "x" * 5000),
    ],
)
def test_the_label_is_the_name_the_file_or_the_command(command: str, name: str, label: str) -> None:
    engine = player(command, name=name)
    assert engine.label() == label
    assert engine.fingerprint() != ""
    assert ("name=Fritz" in engine.describe()) == (name == "Fritz")


def test_the_label_of_other_players_is_their_agent_text() -> None:
    assert boardgames.load_player("alphabeta:depth=4", CONNECT4).label() == "alphabeta:depth=4"


def test_a_log_is_written_and_does_not_change_the_player(tmp_path: Path) -> None:
    log = tmp_path / "engine.log"
    engine = fake("plain", log=str(log))
    assert engine.describe() == fake("plain").describe()
    engine.match_started(0)
    engine.choose(START)
    lines = [line.split(" ", 3)[-1] for line in log.read_text("utf-8").splitlines()]
    assert lines[1] == "> ugi"
    assert lines[-2:] == ["< info depth 3 time 5 nodes 77 score cp 25 pv 4 1 4 nonsense", "< bestmove 4"]


def test_a_log_that_cannot_be_written_is_an_error() -> None:
    with pytest.raises(FileError, match="cannot write the log '/'"):
        fake("plain", log="/")


def test_a_changed_program_has_another_fingerprint(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("first")
    engine = player(f"cat {bot} --level 3")
    first = engine.fingerprint()
    assert engine.fingerprint() == first != ""
    bot.write_text("second")
    assert engine.fingerprint() != first


def test_a_log_among_the_arguments_changes_neither_fingerprint_nor_label(tmp_path: Path) -> None:
    bot, log = tmp_path / "bot.py", tmp_path / "bot.log"
    bot.write_text("first")
    engine = player(f"cat {bot} {log}")
    before = engine.fingerprint(), engine.label()
    log.write_text("written by the engine")
    assert (engine.fingerprint(), engine.label()) == before


@pytest.mark.slow
@pytest.mark.parametrize(("game", "depth"), [("abalone", 2), ("connect4", 5), ("hexifence", 2)])
def test_our_engines_play_whole_matches(game: str, depth: int) -> None:
    rules = MatchRules(ply_limit=50, repetition=True)
    players = [own(game, f"alphabeta:depth={depth}"), own(game, "random", options="seed=1")]
    for number in (0, 1):
        seats = players[number:] + players[:number]
        match = Manager(boardgames.load(game), seats, rules=rules)
        record = match.play()
        assert match.fault is None
        assert record.outcome is not None
        assert record.outcome.winner in (number, None) if game != "abalone" else True
        assert len(record.moves) > 5


@pytest.mark.slow
def test_our_engine_plays_like_its_agent() -> None:
    engine, agent = (
        own("abalone", "alphabeta"),
        boardgames.load_player("alphabeta", boardgames.load("abalone")),
    )
    position = boardgames.load("abalone").start()
    for _ in range(4):
        remote, local = (player.choose(position, Limit(depth=3)) for player in (engine, agent))
        assert (remote.move, remote.depth, remote.line) == (local.move, local.depth, local.line)
        assert remote.score is not None
        assert local.score is not None
        assert remote.score.amount == pytest.approx(local.score.amount, abs=0.005)
        assert local.move is not None
        position = position.apply(local.move)


@pytest.mark.slow
def test_the_seed_decides_what_our_engine_plays() -> None:
    engine = own("connect4", "random")
    records = []
    for seed in (5, 6, 5):
        engine.reseed(seed)
        match = Manager(CONNECT4, [engine, boardgames.load_player("random", CONNECT4, seed=1)])
        records.append(match.play().moves)
    assert records[0] == records[2] != records[1]


def test_an_illegal_move_raises_and_leaves_the_engine_running(plain: Engine) -> None:
    plain.choose(START)
    client = plain._client
    with pytest.raises(IllegalMoveError):
        plain.choose(CONNECT4.parse("444444"))
    assert str(plain.choose(START).move) == "4"
    assert plain._client is client
