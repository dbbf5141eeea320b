"""Messages of UGI: formatting and parsing of `go`, `info`, `option` and `position` lines."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardgames
from boardgames.errors import IllegalMoveError, MalformedMoveError
from boardgames.game import Game, Position
from boardgames.player import Choice, Clock, Limit
from boardgames.score import RETURN, Score, Unit
from boardgames.ugi.protocol import (
    Info,
    MoveHistory,
    OfferedOption,
    go_line,
    info_line,
    parse_go,
    parse_option,
)

START = boardgames.load("connect4").start()
MARBLE = Unit("marble", "marbles")


@pytest.mark.parametrize(
    ("limit", "side", "line"),
    [
        (Limit(seconds=0.95), 0, "go movetime 950"),
        (Limit(seconds=0.0001), 0, "go movetime 1"),
        (Limit(depth=4), 0, "go depth 4"),
        (Limit(nodes=1000), 1, "go nodes 1000"),
        (Limit(depth=4, seconds=1), 1, "go movetime 1000 depth 4"),
        (
            Limit(clock=Clock((60.0, 59.5), (1.0, 2.0))),
            1,
            "go p1time 60000 p2time 59500 p1inc 1000 p2inc 2000",
        ),
        (Limit(clock=Clock((60.0, 3.0)), seconds=1), 0, "go movetime 1000"),
        (Limit(clock=Clock((60.0, 3.0)), seconds=1), 1, "go movetime 100"),
        (Limit(), 0, "go movetime 2000"),
        (Limit(simulations=100), 0, "go movetime 2000"),
    ],
)
def test_go_states_the_limit(limit: Limit, side: int, line: str) -> None:
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
        ("p1time 1000 p2time 2000 p1inc 10 p2inc 20", 0, Limit(clock=Clock((1.0, 2.0), (0.01, 0.02)))),
        ("p1time 1000 p2time 2000 p2inc 20", 1, Limit(clock=Clock((1.0, 2.0), (0.0, 0.02)))),
        ("p1time -30 p2time 2000", 0, Limit(clock=Clock((0.0, 2.0)))),
        ("p2time 2000", 0, Limit(clock=Clock((2.0, 2.0)))),
        ("infinite", 0, Limit()),
        ("", 0, Limit()),
    ],
)
def test_limits_may_be_combined(words: str, side: int, limit: Limit) -> None:
    request = parse_go(words.split())
    assert request.limit(side) == limit
    assert request.problems == ()
    assert request.is_infinite == (words == "infinite")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("depth four", "depth must be an integer, not 'four'"),
        ("movetime", "movetime must be an integer, not ''"),
        ("movetime 1e3", "movetime must be an integer, not '1e3'"),
        ("nodes " + "9" * 30, f"nodes must be an integer, not '{'9' * 30}'"),
        ("depth ٣", "depth must be an integer, not '٣'"),
        ("ponder", "go has no limit 'ponder'"),
    ],
)
def test_invalid_limits_are_reported_and_ignored(words: str, message: str) -> None:
    request = parse_go(words.split())
    assert request.problems == (message,)
    assert request.limit(0) == Limit()


@given(
    st.lists(st.sampled_from(["depth", "nodes", "p1time", "p2inc", "movetime", "infinite", "7", "-1", "x"]))
)
def test_arbitrary_words_after_go_give_a_valid_limit(words: list[str]) -> None:
    request = parse_go(words)
    assert isinstance(request.limit(0), Limit)
    assert isinstance(request.limit(1), Limit)


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (Score.of(0.25, RETURN), "cp 25"),
        (Score.of(-1.5, MARBLE), "cp -150"),
        (Score.of(3.0, MARBLE), "cp 300"),
        (Score.win(3), "mate 3"),
        (Score.loss(4), "mate -4"),
    ],
)
def test_a_score_survives_the_round_trip(score: Score, text: str) -> None:
    line = info_line(Choice(None, score, depth=2, nodes=10, seconds=0.5))
    assert line.endswith(f"score {text}")
    info = Info()
    info.read(line.split()[1:])
    assert info.score_in(score.unit or RETURN) == score
    assert (info.depth, info.nodes) == (2, 10)


def test_a_proven_return_is_a_mate_in_the_length_of_its_line() -> None:
    line = tuple(START.legal_moves[:3])
    said = info_line(Choice(line[0], Score.of(-1.0, RETURN), line, proven=True))
    assert said.endswith("score mate -3 pv 1 2 3")
    info = Info()
    info.read(said.split()[1:])
    assert info.score_in(RETURN) == Score.loss(3)


def test_an_unknown_score_is_omitted() -> None:
    assert "score" not in info_line(Choice(None))


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
def test_a_malformed_info_is_ignored(words: str) -> None:
    info = Info()
    info.read(words.split())
    assert info == Info()


@pytest.mark.parametrize(
    ("words", "amount"),
    [
        ("multipv 1 score cp 40 pv 4", 0.4),
        ("score cp 40 multipv 2 pv 1", 0.1),
        ("multipv 3 depth 9 score mate 2", 0.1),
        ("score cp 40 string multipv 2", 0.4),
        ("multipv x score cp 40", 0.4),
    ],
)
def test_only_the_best_of_several_lines_counts(words: str, amount: float) -> None:
    info = Info()
    info.read(["depth", "4", "score", "cp", "10", "pv", "7"])
    info.read(words.split())
    assert info.score_in(MARBLE) == Score.of(amount, MARBLE)
    assert info.depth == 4


def test_a_foreign_score_is_clipped_to_the_range_of_returns() -> None:
    info = Info()
    info.read(["score", "cp", "350"])
    assert info.score_in(RETURN) == Score.of(1.0, RETURN)


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("option name Hash type spin default 16 min 1 max 1024", OfferedOption("Hash", "16", 1, 1024)),
        ("option name Clear Hash type button", OfferedOption("Clear Hash")),
        ("option name Book File type string default my book.bin", OfferedOption("Book File", "my book.bin")),
        (
            "option name Style type combo default calm down var calm down var wild",
            OfferedOption("Style", "calm down"),
        ),
        ("option name N type spin min x max 9999999999999999", OfferedOption("N")),
        ("option name", None),
        ("optional name N type spin", None),
        ("id name N", None),
    ],
)
def test_an_option_line_is_parsed(line: str, option: OfferedOption | None) -> None:
    assert parse_option(line) == option


@given(
    st.integers(0, 2**63), st.none() | st.integers(-(10**6), 10**6), st.none() | st.integers(-(10**6), 2**40)
)
def test_a_number_is_wrapped_into_the_range(number: int, low: int | None, high: int | None) -> None:
    if low is not None and high is not None and low > high:
        low, high = high, low
    wrapped = OfferedOption("Seed", None, low, high).wrapped(number)
    assert low is None or wrapped >= low
    assert high is None or high < 0 or wrapped <= high
    if (low is None or number >= low) and (high is None or number <= high):
        assert wrapped == number


def test_a_number_is_wrapped_to_the_minimum_of_an_empty_range() -> None:
    assert OfferedOption("Seed", None, 5, 3).wrapped(77) == 5


GAMES = {name: boardgames.load(name) for name in ("abalone", "connect4", "hexifence")}
CONNECT4 = GAMES["connect4"]


def play(game: Game, picks: list[int], layout: str | None = None) -> tuple[list[Position], list[str]]:
    """Return the positions and moves of a match in which each pick selects a legal move."""
    start = game.start() if layout is None else game.parse(game.facts.layouts[layout])
    positions, moves = [start], []
    for pick in picks:
        if positions[-1].outcome is not None:
            break
        legal = positions[-1].legal_moves
        moves.append(legal[pick % len(legal)].text)
        positions.append(positions[-1].apply(moves[-1]))
    return positions, moves


PICKS = st.lists(st.integers(0, 10**6), max_size=60)


@pytest.mark.parametrize("name", GAMES)
@given(picks=PICKS)
@settings(max_examples=20)
def test_moves_and_positions_give_the_same_history(name: str, picks: list[int]) -> None:
    positions, moves = play(GAMES[name], picks)
    assert MoveHistory(positions[:1]).with_moves(moves).positions == tuple(positions)
    assert MoveHistory(positions[:1]).with_positions(positions).moves == tuple(moves)


@pytest.mark.parametrize("name", GAMES)
def test_positions_and_moves_are_written_without_spaces(name: str) -> None:
    game = GAMES[name]
    for number, layout in enumerate(game.facts.layouts):
        positions, _ = play(game, [7 * number + 13 * ply**2 for ply in range(20)], layout)
        texts = [str(position) for position in positions]
        texts += [move.text for position in positions for move in position.legal_moves]
        assert not any(len(text.split()) != 1 for text in texts)


def test_known_moves_are_not_applied_again() -> None:
    first = MoveHistory([CONNECT4.start()]).with_moves(["4", "4", "1"])
    second = first.with_moves(["4", "4", "2", "2"])
    assert all(one is other for one, other in zip(first.positions[:3], second.positions, strict=False))
    assert str(second.position) == str(CONNECT4.parse("4422"))


def test_a_takeback_is_followed() -> None:
    positions, moves = play(CONNECT4, [3, 3, 0, 1])
    history = MoveHistory(positions[:1]).with_positions(positions)
    other = positions[2].apply("7")
    assert history.with_positions([*positions[:3], other]).moves == (*moves[:2], "7")


def test_the_moves_start_after_a_jump_between_positions() -> None:
    positions, moves = play(CONNECT4, [3, 3])
    other = CONNECT4.parse("1")
    jumped = MoveHistory([other]).with_positions([other, *positions])
    assert jumped.command() == f"position fen {positions[0]} moves {' '.join(moves)}"
    at_the_end = MoveHistory(positions).with_positions([positions[0], positions[2]])
    assert (str(at_the_end.start), at_the_end.moves) == (str(positions[2]), ())
    assert at_the_end.command() == f"position fen {positions[2]}"


@pytest.mark.parametrize(
    ("moves", "kind", "message"),
    [
        (["4", "x"], MalformedMoveError, r"^'x' is not a column.* \(ply 2\)$"),
        (["1"] * 7, IllegalMoveError, r"\(ply 7\)$"),
        (["1", "2", "1", "2", "1", "2", "1", "2"], IllegalMoveError, r"\(ply 8\)$"),
    ],
    ids=["malformed", "full column", "after the end"],
)
def test_an_error_names_the_ply_of_the_move(moves: list[str], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        MoveHistory([CONNECT4.start()]).with_moves(moves)
