"""Messages of UGI: limits to `go` and back, choices to `info` and back."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardgames
from boardgames.declarations import Unit
from boardgames.errors import IllegalMoveError, MalformedMoveError
from boardgames.game import Game, Position
from boardgames.player import Choice, Clock, Limit
from boardgames.search import WIN
from boardgames.ugi.protocol import Info, Offer, Trail, go_line, info_line, parse_go, parse_offer

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


@pytest.mark.parametrize(
    ("line", "offer"),
    [
        ("option name Hash type spin default 16 min 1 max 1024", Offer("Hash", "16", 1, 1024)),
        ("option name Clear Hash type button", Offer("Clear Hash")),
        ("option name Book File type string default my book.bin", Offer("Book File", "my book.bin")),
        (
            "option name Style type combo default calm down var calm down var wild",
            Offer("Style", "calm down"),
        ),
        ("option name N type spin min x max 9999999999999999", Offer("N")),
        ("option name", None),
        ("optional name N type spin", None),
        ("id name N", None),
    ],
)
def test_an_offer_is_read(line: str, offer: Offer | None) -> None:
    assert parse_offer(line) == offer


@given(
    st.integers(0, 2**63), st.none() | st.integers(-(10**6), 10**6), st.none() | st.integers(-(10**6), 2**40)
)
def test_a_number_comes_within_the_range_and_one_of_the_range_stays(
    number: int, low: int | None, high: int | None
) -> None:
    if low is not None and high is not None and low > high:
        low, high = high, low
    within = Offer("Seed", None, low, high).within(number)
    assert low is None or within >= low
    assert high is None or high < 0 or within <= high
    if (low is None or number >= low) and (high is None or number <= high):
        assert within == number


def test_an_empty_range_gives_its_least() -> None:
    assert Offer("Seed", None, 5, 3).within(77) == 5


GAMES = {name: boardgames.load(name) for name in ("abalone", "connect4", "hexifence")}
CONNECT4 = GAMES["connect4"]


def played(game: Game, picks: list[int], layout: str | None = None) -> tuple[list[Position], list[str]]:
    """Return the positions and move texts of a match in which each pick chooses a move."""
    start = game.start() if layout is None else game.parse(game.facts.layouts[layout])
    positions, texts = [start], []
    for pick in picks:
        if positions[-1].outcome is not None:
            break
        moves = positions[-1].legal_moves
        texts.append(moves[pick % len(moves)].text)
        positions.append(positions[-1].apply(texts[-1]))
    return positions, texts


PICKS = st.lists(st.integers(0, 10**6), max_size=60)


@pytest.mark.parametrize("name", GAMES)
@given(picks=PICKS)
@settings(max_examples=20)
def test_positions_and_moves_tell_the_same_match(name: str, picks: list[int]) -> None:
    positions, texts = played(GAMES[name], picks)
    assert Trail(positions[:1]).follow(texts).positions == tuple(positions)
    assert Trail(positions[:1]).reach(positions).moves == tuple(texts)


@pytest.mark.parametrize("name", GAMES)
def test_no_text_of_a_position_or_move_has_a_space(name: str) -> None:
    game = GAMES[name]
    for number, layout in enumerate(game.facts.layouts):
        positions, _ = played(game, [7 * number + 13 * ply**2 for ply in range(80)], layout)
        texts = [str(position) for position in positions]
        texts += [move.text for position in positions for move in position.legal_moves]
        assert not any(len(text.split()) != 1 for text in texts)


def test_known_moves_are_not_played_again() -> None:
    first = Trail([CONNECT4.start()]).follow(["4", "4", "1"])
    second = first.follow(["4", "4", "2", "2"])
    assert all(one is other for one, other in zip(first.positions[:3], second.positions, strict=False))
    assert str(second.position) == str(CONNECT4.parse("4422"))


def test_a_takeback_is_followed() -> None:
    positions, texts = played(CONNECT4, [3, 3, 0, 1])
    trail = Trail(positions[:1]).reach(positions)
    other = positions[2].apply("7")
    assert trail.reach([*positions[:3], other]).moves == (*texts[:2], "7")


def test_moves_begin_after_a_jump() -> None:
    positions, texts = played(CONNECT4, [3, 3])
    jumped = Trail([CONNECT4.parse("1")]).reach([CONNECT4.parse("1"), *positions])
    assert str(jumped.start) == str(positions[0])
    assert jumped.moves == tuple(texts)
    alone = Trail(positions).reach([positions[0], positions[2]])
    assert (str(alone.start), alone.moves) == (str(positions[2]), ())


@pytest.mark.parametrize(
    ("texts", "kind", "message"),
    [
        (["4", "x"], MalformedMoveError, r"expected a column 1 to 7: 'x' \(ply 2\)"),
        (["1"] * 7, IllegalMoveError, r"\(ply 7\)"),
        (["1", "2", "1", "2", "1", "2", "1", "2"], IllegalMoveError, r"after the end.*\(ply 8\)"),
    ],
)
def test_a_move_that_cannot_be_made_is_named_with_its_ply(
    texts: list[str], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        Trail([CONNECT4.start()]).follow(texts)
