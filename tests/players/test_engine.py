"""The player `engine`: a seat like any other, whose faults lose a match and nothing else."""

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import boardgames
from boardgames.errors import EngineError, FileError, IllegalMoveError, OptionError
from boardgames.manager import Manager, MatchRules, TimeControl
from boardgames.player import Choice, Context, Limit, Stop
from boardgames.players import engine as module
from boardgames.players.engine import Engine

pytestmark = pytest.mark.skipif(os.name != "posix", reason="engines need POSIX pipes")

FAKES = Path(__file__).parents[1] / "ugi" / "fakes.py"
CONNECT4 = boardgames.load("connect4")
START = CONNECT4.start()
opened: list[Engine] = []


@pytest.fixture(autouse=True)
def _closing() -> Iterator[None]:
    yield
    while opened:
        opened.pop().close()


def player(command: str, game: str = "connect4", seed: int | None = None, **options: str) -> Engine:
    made = Engine(boardgames.load(game), seed=seed, command=command, **options)
    opened.append(made)
    return made


def fake(mode: str, move: str = "4", **options: str) -> Engine:
    return player(f"{sys.executable} {FAKES} {mode} {move}", **options)


def served(game: str, agent: str, **options: str) -> Engine:
    return player(f"{sys.executable} -m boardgames.cli engine {game} --agent {agent}", game, **options)


def lost(engine: Engine, move: float = 20.0) -> Manager:
    """Return the match of this engine against nobody in particular."""
    rules = MatchRules(time=TimeControl(move=move))
    match = Manager(CONNECT4, [engine, boardgames.load_player("random", CONNECT4, seed=1)], rules=rules)
    match.play()
    return match


def test_a_move_comes_with_depth_nodes_value_and_line() -> None:
    choice = fake("plain").choose(START)
    assert (str(choice.move), choice.depth, choice.nodes) == ("4", 3, 77)
    assert (choice.value, choice.unit) == (0.25, "return")
    assert [str(move) for move in choice.line] == ["4", "1", "4"]


@pytest.mark.parametrize(
    ("mode", "termination", "reason"),
    [
        ("exit-at-once", "crash", "ended (exit code 1): ImportError: no module named 'brain'"),
        ("exit-at-greeting", "crash", "ended (exit code 0)"),
        ("exit", "crash", "ended (exit code 3): out of ideas"),
        ("killed", "crash", "ended (signal 9)"),
        ("no-move", "crash", "gave no move: the book is lost"),
        ("silent", "crash", "gave no ugiok within 0.3 s"),
        ("hang", "time", "gave no bestmove within"),
        ("flood", "time", "gave no bestmove within"),
        ("endless-line", "time", "gave no bestmove within"),
        ("stderr-flood", "time", "gave no bestmove within"),
        ("closed-stdout", "time", "has closed its input or output"),
        ("late", "time", "the move 4 came after"),
        ("two-moves", "illegal-move", "expected one move after bestmove"),
        ("no-word", "illegal-move", "expected one move after bestmove"),
        ("plain", "illegal-move", "expected a column with room"),
    ],
)
def test_every_fault_is_a_lost_match_with_its_reason(
    mode: str, termination: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ANSWER_MARGIN_S", 10.0 if mode == "late" else 1.0)
    engine = fake(mode, start="0.3" if mode == "silent" else "20")
    match = lost(engine, move=0.2 if termination == "time" else 20.0)
    assert match.outcome is not None
    assert (match.outcome.winner, match.outcome.termination) == (1, termination)
    assert reason in (match.fault or "")
    assert "\n" not in (match.fault or "")


def test_an_illegal_move_is_told_with_the_engines_last_words() -> None:
    match = lost(fake("talks-past-us", "9"))
    assert match.fault == (
        "expected a column 1 to 7: '9'; its last info string: expected 7 columns; "
        "its last line on stderr: columns?"
    )


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["", " --option dimension=3"], ids=["by default", "by command"])
def test_an_engine_of_our_own_plays_the_game_with_its_options(arguments: str) -> None:
    game = boardgames.load("hexifence", dimension=2)
    command = f"{sys.executable} -m boardgames.cli engine hexifence --agent greedy{arguments}"
    engine = Engine(game, seed=1, command=command)
    opened.append(engine)
    match = Manager(game, [engine, boardgames.load_player("greedy", game, seed=1)])
    match.play()
    assert match.fault is None
    assert match.position.outcome is not None


@pytest.mark.slow
def test_an_engine_of_another_game_says_why_it_cannot_play() -> None:
    game = boardgames.load("hexifence", dimension=2)
    engine = Engine(game, command=f"{sys.executable} -m boardgames.cli engine connect4")
    opened.append(engine)
    match = Manager(game, [engine, boardgames.load_player("greedy", game)])
    match.play()
    assert "; its last info string: expected" in (match.fault or "")


@pytest.mark.parametrize(("seed", "told"), [(7, 7), (1000, 1000), (2**62 + 3, (2**62 + 2) % 1000 + 1)])
def test_a_seed_comes_within_what_the_engine_takes(seed: int, told: int, tmp_path: Path) -> None:
    log = tmp_path / "log"
    engine = fake("ranged", log=str(log))
    engine.reseed(seed)
    engine.match_started(0)
    assert f" > setoption name Seed value {told}\n" in log.read_text("utf-8")


@pytest.mark.slow
def test_fifty_faulty_engines_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("open files are counted in /proc")
    monkeypatch.setattr(module, "ANSWER_MARGIN_S", 0.01)
    fake("plain").match_started(0)  # the guardian stays
    modes = ["exit-at-once", "exit", "killed", "two-moves", "flood"]
    modes += ["closed-stdin", "rubbish", "hang", "loud", "twice"]
    before, threads = len(os.listdir("/proc/self/fd")), threading.active_count()  # noqa: PTH208 - quicker
    for mode in modes * 5:
        engine = fake(mode)
        lost(engine, move=0.03)
        engine.close()
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - quicker
    assert threading.active_count() == threads


@pytest.mark.parametrize("mode", ["exit", "hang", "killed"])
def test_an_engine_that_has_ended_is_started_again(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_one_program_plays_match_after_match() -> None:
    engine = fake("plain")
    programs = set()
    for side in (0, 1, 0):
        engine.match_started(side)
        engine.choose(START)
        assert engine._client is not None
        programs.add(engine._client.program._process.pid)
    assert len(programs) == 1


def test_after_close_it_can_play_again() -> None:
    engine = fake("plain")
    for _ in range(2):
        assert str(engine.choose(START).move) == "4"
        engine.close()
        engine.close()


def test_an_interrupt_ends_the_program_and_the_next_request_starts_another() -> None:
    engine = fake("waits")

    def report(choice: Choice) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.choose(START, Limit(seconds=20), Context(report=report))
    stop = Stop()
    stop.set()
    assert str(engine.choose(START, Limit(seconds=20), Context(stop=stop)).move) == "4"


def test_reports_come_while_it_thinks_and_a_stop_ends_it() -> None:
    stop, reports = Stop(), []

    def report(choice: Choice) -> None:
        reports.append(choice)
        stop.set()

    choice = fake("waits").choose(START, Limit(seconds=20), Context(stop=stop, report=report))
    assert str(choice.move) == "4"
    assert str(reports[0].move) == "4"
    assert reports[0].value == 1.0


def test_the_engine_is_told_start_and_moves() -> None:
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
        ({}, r'expected a program to run, engine:command="PROGRAM ARGUMENTS": none was given'),
        ({"command": ""}, "expected a program that can be run: ''"),
        ({"command": "no-such-program -x"}, "expected a program that can be run: 'no-such-program'"),
        ({"command": f"{FAKES} -x"}, r"expected a program that can be run: '.*fakes\.py' is not executable"),
        ({"command": "'cat"}, "expected a command line as in a shell: .*no closing quotation"),
        ({"command": "cat", "options": "Hash"}, "expected option=value: 'Hash'"),
        ({"command": "cat", "start": "0"}, "expected a number from 0.01 to 3600 for start"),
    ],
)
def test_bad_options_are_refused_before_anything_is_started(options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Engine(CONNECT4, **options)


def test_an_engine_can_be_written_as_agent_text() -> None:
    made = boardgames.load_player('engine:command="cat -u",options="Hash=16;Level=3",start=2', CONNECT4)
    assert isinstance(made, Engine)
    assert made._settings == {"Hash": "16", "Level": "3"}
    again = boardgames.load_player(made.describe(), CONNECT4)
    assert again.options == made.options


def test_a_program_beside_us_is_told_how_to_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot.sh").touch(mode=0o755)
    with pytest.raises(OptionError, match=r"can be run: 'bot\.sh' is not on PATH, write '\./bot\.sh'"):
        player("bot.sh")
    player("./bot.sh")


@pytest.mark.parametrize(
    ("command", "name", "label"),
    [
        (f"{sys.executable} {FAKES} plain", "", "fakes.py"),
        (f"{sys.executable} {FAKES} plain", "Fritz", "Fritz"),
        ("cat -u", "", "cat -u"),
        ("cat " + "x" * 5000, "", "cat " + "x" * 5000),
    ],
)
def test_tables_call_it_by_its_name_or_file(command: str, name: str, label: str) -> None:
    engine = player(command, name=name)
    assert engine.label() == label
    assert engine.fingerprint() != ""
    assert ("name=Fritz" in engine.describe()) == (name == "Fritz")


def test_tables_call_other_players_by_their_agent_text() -> None:
    assert boardgames.load_player("alphabeta:depth=4", CONNECT4).label() == "alphabeta:depth=4"


def test_a_log_is_kept_and_makes_no_other_player(tmp_path: Path) -> None:
    log = tmp_path / "engine.log"
    engine = fake("plain", log=str(log))
    assert engine.describe() == fake("plain").describe()
    engine.match_started(0)
    engine.choose(START)
    marked = [line.split(" ", 3)[-1] for line in log.read_text("utf-8").splitlines()]
    assert marked[1] == "> ugi"
    assert marked[-2:] == ["< info depth 3 time 5 nodes 77 score cp 25 pv 4 1 4 nonsense", "< bestmove 4"]


def test_a_log_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(FileError, match="expected a file that can be written: '/'"):
        fake("plain", log="/")


def test_another_program_is_another_player(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("first")
    engine = player(f"cat {bot} --level 3")
    first = engine.fingerprint()
    assert engine.fingerprint() == first != ""
    bot.write_text("second")
    assert engine.fingerprint() != first


@pytest.mark.slow
@pytest.mark.parametrize(("game", "depth"), [("abalone", 2), ("connect4", 5), ("hexifence", 2)])
def test_engines_of_our_own_play_whole_matches(game: str, depth: int) -> None:
    rules = MatchRules(ply_limit=120, repetition=True)
    players = [served(game, f"alphabeta:depth={depth}"), served(game, "random", options="seed=1")]
    for number in (0, 1):
        seats = players[number:] + players[:number]
        match = Manager(boardgames.load(game), seats, rules=rules)
        record = match.play()
        assert match.fault is None
        assert record.outcome is not None
        assert record.outcome.winner in (number, None) if game != "abalone" else True
        assert len(record.moves) > 5


@pytest.mark.slow
def test_an_engine_of_our_own_is_the_agent_it_serves() -> None:
    engine, agent = (
        served("abalone", "alphabeta"),
        boardgames.load_player("alphabeta", boardgames.load("abalone")),
    )
    position = boardgames.load("abalone").start()
    for _ in range(4):
        there, here = (one.choose(position, Limit(depth=3)) for one in (engine, agent))
        assert (there.move, there.depth, there.line) == (here.move, here.depth, here.line)
        assert there.value == pytest.approx(here.value, abs=0.5)
        position = position.apply(here.move)


@pytest.mark.slow
def test_a_seed_decides_what_an_engine_of_our_own_plays() -> None:
    engine = served("connect4", "random")
    records = []
    for seed in (5, 6, 5):
        engine.reseed(seed)
        match = Manager(CONNECT4, [engine, boardgames.load_player("random", CONNECT4, seed=1)])
        records.append(match.play().moves)
    assert records[0] == records[2] != records[1]


def test_an_illegal_move_is_an_error_of_choose_that_leaves_the_engine_running() -> None:
    engine = fake("plain")
    full = CONNECT4.parse("444444")
    with pytest.raises(IllegalMoveError):
        engine.choose(full)
    assert str(engine.choose(START).move) == "4"
