"""Messages of UGI: limits to `go` and back, choices to `info` and back."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardgames
from boardgames.declarations import Unit
from boardgames.player import Choice, Clock, Limit
from boardgames.search import WIN
from boardgames.ugi.text import Info, go_line, info_line, parse_go

START = boardgames.load("connect4").start()


@pytest.mark.parametrize(
    ("limit", "side", "line"),
    [
        (Limit(seconds=0.95), 0, "go movetime 950"),
        (Limit(seconds=0.0001), 0, "go movetime 1"),
        (Limit(depth=4), 0, "go depth 4"),
        (Limit(nodes=1000), 1, "go nodes 1000"),
        (Limit(depth=4, seconds=1), 1, "go movetime 1000 depth 4"),
        (Limit(clock=Clock((60.0, 59.5), 1.0)), 1, "go p1time 60000 p2time 59500 p1inc 1000 p2inc 1000"),
        (Limit(clock=Clock((60.0, 3.0)), seconds=1), 0, "go movetime 1000"),
        (Limit(clock=Clock((60.0, 3.0)), seconds=1), 1, "go movetime 100"),
        (Limit(), 0, "go movetime 2000"),
        (Limit(simulations=100), 0, "go movetime 2000"),
    ],
)
def test_a_limit_is_told_as_tight_as_it_is(limit: Limit, side: int, line: str) -> None:
    assert go_line(limit, side, default_seconds=2.0) == line


@pytest.mark.parametrize(
    ("words", "side", "limit"),
    [
        ("movetime 1000", 0, Limit(seconds=0.98)),
        ("movetime 20", 0, Limit(seconds=0.01)),
        ("movetime 0", 0, Limit(seconds=0.0005)),
        ("depth 0", 0, Limit(depth=1)),
        ("nodes -5", 0, Limit(nodes=1)),
        ("depth 3 nodes 50 movetime 1000", 0, Limit(seconds=0.98, depth=3, nodes=50)),
        ("p1time 1000 p2time 2000 p1inc 10 p2inc 20", 0, Limit(clock=Clock((1.0, 2.0), 0.01))),
        ("p1time 1000 p2time 2000 p1inc 10 p2inc 20", 1, Limit(clock=Clock((1.0, 2.0), 0.02))),
        ("p1time -30 p2time 2000", 0, Limit(clock=Clock((0.0, 2.0)))),
        ("p2time 2000", 0, Limit(clock=Clock((2.0, 2.0)))),
        ("infinite", 0, Limit()),
        ("", 0, Limit()),
    ],
)
def test_limits_are_read_in_any_combination(words: str, side: int, limit: Limit) -> None:
    asked = parse_go(words.split())
    assert asked.limit(side) == limit
    assert asked.refused == ()
    assert asked.is_infinite == (words == "infinite")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("depth four", "expected a whole number for depth: 'four'"),
        ("movetime", "expected a whole number for movetime: ''"),
        ("movetime 1e3", "expected a whole number for movetime: '1e3'"),
        ("nodes " + "9" * 30, f"expected a whole number for nodes: '{'9' * 30}'"),
        ("depth ٣", "expected a whole number for depth: '٣'"),
        ("ponder", "expected a limit of go: 'ponder'"),
    ],
)
def test_what_is_no_limit_is_named_and_left_out(words: str, message: str) -> None:
    asked = parse_go(words.split())
    assert asked.refused == (message,)
    assert asked.limit(0) == Limit()


@given(
    st.lists(st.sampled_from(["depth", "nodes", "p1time", "p2inc", "movetime", "infinite", "7", "-1", "x"]))
)
def test_any_words_after_go_give_a_limit(words: list[str]) -> None:
    asked = parse_go(words)
    assert isinstance(asked.limit(0), Limit)
    assert isinstance(asked.limit(1), Limit)


@pytest.mark.parametrize(
    ("value", "unit", "score"),
    [
        (0.25, "return", "cp 25"),
        (-150.0, "centimarble", "cp -150"),
        (3.0, "cell", "cp 300"),
        (-2.0, "score", "cp -200"),
        (WIN - 3, "centimarble", "mate 3"),
        (-(WIN - 4), "cell", "mate -4"),
    ],
)
def test_a_value_comes_back_as_it_went(value: float, unit: Unit, score: str) -> None:
    line = info_line(Choice(None, value, unit, depth=2, nodes=10, seconds=0.5))
    assert line.endswith(f"score {score}")
    info = Info()
    info.read(line.split()[1:])
    assert info.value(unit) == value
    assert (info.depth, info.nodes) == (2, 10)


def test_a_proven_return_is_a_mate_at_the_end_of_its_line() -> None:
    line = tuple(START.legal_moves[:3])
    said = info_line(Choice(line[0], -1.0, "return", line, proven=True))
    assert said.endswith("score mate -3 pv 1 2 3")
    info = Info()
    info.read(said.split()[1:])
    assert info.value("return") == -1.0


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_what_is_no_number_is_no_score(value: float | None) -> None:
    assert "score" not in info_line(Choice(None, value))


@pytest.mark.parametrize(
    "words",
    [
        "",
        "depth",
        "depth x nodes",
        "score cp",
        "score mate",
        "score cp nan",
        "pv",
        "string",
        "cp cp cp",
        "depth -4",
    ],
)
def test_an_info_that_cannot_be_read_says_nothing(words: str) -> None:
    info = Info()
    info.read(words.split())
    assert info == Info()


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("multipv 1 score cp 40 pv 4", 40.0),
        ("score cp 40 multipv 2 pv 1", 10.0),
        ("multipv 3 depth 9 score mate 2", 10.0),
        ("score cp 40 string multipv 2", 40.0),
        ("multipv x score cp 40", 40.0),
    ],
)
def test_only_the_best_of_several_lines_counts(words: str, value: float) -> None:
    info = Info()
    info.read(["depth", "4", "score", "cp", "10", "pv", "7"])
    info.read(words.split())
    assert info.value("centimarble") == value
    assert info.depth == 4


def test_a_foreign_score_stays_within_returns() -> None:
    info = Info()
    info.read(["score", "cp", "350"])
    assert info.value("return") == 1.0
