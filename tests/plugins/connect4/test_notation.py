import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference.connect4 import SlowPosition

import boardgames
from boardgames.errors import (
    IllegalMoveError,
    MalformedMoveError,
    PositionError,
)
from boardgames.game import Game

START = "......./......./......./......./......./......."


def connect4(columns: int = 7, rows: int = 6) -> Game:
    return boardgames.load("connect4", columns=columns, rows=rows)


def test_sequence_of_moves_is_read_as_the_position_after_it() -> None:
    game = connect4()
    position = game.parse("4453")
    assert str(position) == "......./......./......./......./...b.../..brr.."
    assert position == game.start().apply("4").apply("4").apply("5").apply("3")


def test_dash_is_the_empty_sequence() -> None:
    assert connect4().parse("-") == connect4().start()
    assert str(connect4().start()) == START


@pytest.mark.parametrize("size", [(7, 6), (2, 2), (8, 7), (7, 8), (3, 5)], ids=str)
def test_positions_of_every_size_come_back_from_their_text(size: tuple[int, int]) -> None:
    game, position = connect4(*size), connect4(*size).start()
    random = np.random.default_rng(1)
    while position.legal_moves:
        assert game.parse(str(position)) == position
        position = position.apply(random.choice([str(move) for move in position.legal_moves]))
    assert game.parse(str(position)) == position


REFUSED = [
    ("", "expected 6 rows with '/' between them, a sequence of moves, or '-': ''"),
    ("abc", "expected 6 rows with '/' between them, a sequence of moves, or '-': 'abc'"),
    ("......./.......", "expected 6 rows: 2 in '......./.......'"),
    (START.replace("./", "/", 1), "expected 7 cells in each row: '......' (row 1 from the top)"),
    (f"{START[:-1]}x", "expected '.', 'r' or 'b' in a cell: 'x' (row 6 from the top)"),
    (f"{START[:-1]}R", "expected '.', 'r' or 'b' in a cell: 'R' (row 6 from the top)"),
    ("r" + START[1:], "expected no stone above an empty cell: column 1"),
    (f"{START[:-1]}b", "expected as many red stones as blue or one more: 0 and 1"),
    (f"{START[:-2]}rr", "expected as many red stones as blue or one more: 2 and 0"),
    (
        "......./......./......./......./bbbb.../rrrr...",
        "expected four in a line of one side at most: both have it",
    ),
    (
        "......./......./......./......./bbb..../rrrr..b",
        "expected the winner to have moved last: red is to move",
    ),
    (
        "......./......./r....../r.bbb../r.bbb../r.rrrrb",
        "expected fours that share their last stone: no one stone completes them",
    ),
    ("4444444", "expected a column with room (1, 2, 3, 5, 6, 7): '4' (ply 7 of '4444444')"),
    ("4849", "expected a column 1 to 7: '8' (ply 2 of '4849')"),
    ("12121211", "expected no move after the end of the match: '1' (ply 8 of '12121211')"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[text[:30] or "nothing" for text, _ in REFUSED])
def test_what_is_no_position_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        connect4().parse(text)
    assert str(caught.value) == message


def test_text_of_another_size_is_refused() -> None:
    with pytest.raises(PositionError, match="expected 5 rows: 6 in"):
        connect4(8, 5).parse(START)


@given(st.text(alphabet="./rb-1234567890x\u0663 ", max_size=60) | st.text(max_size=20))
@example("\u0664")
@example("9" * 5_000)
@example("/" * 5_000)
def test_any_text_gives_a_position_or_a_position_error(text: str) -> None:
    game = connect4()
    try:
        position = game.parse(text)
    except PositionError:
        return
    assert game.parse(str(position)) == position


@given(st.lists(st.integers(0, 2**64 - 1), min_size=3, max_size=3))
def test_any_words_give_a_position_or_a_position_error(words: list[int]) -> None:
    try:
        position = connect4().unpack(words)
    except PositionError:
        return
    assert connect4().parse(str(position)) == position


@pytest.mark.parametrize(
    "words",
    [[0, 0, 1], [0, 0, 8], [0, 0, 2], [1 << 6, 0, 1], [1, 1, 0], [1 << 63, 0, 1], [2, 0, 1]],
    ids=["blue to move", "unknown fact", "won", "guard", "two on a cell", "off the board", "floating"],
)
def test_words_of_no_position_are_refused(words: list[int]) -> None:
    with pytest.raises(PositionError):
        connect4().unpack(words)


def test_words_of_positions_are_taken_and_given_back() -> None:
    position = connect4().parse("4453")
    assert connect4().unpack(position.words) == position


@pytest.mark.parametrize("text", ["0", "8", "x", "", "44", "-1", "4.", "\u0664", "4 4"])
def test_what_is_no_column_is_malformed(text: str) -> None:
    with pytest.raises(MalformedMoveError, match="expected a column 1 to 7"):
        connect4().start().apply(text)


def test_full_column_is_illegal_and_the_others_are_named() -> None:
    with pytest.raises(IllegalMoveError, match=r"expected a column with room \(1, 2, 3, 5, 6, 7\): '4'"):
        connect4().parse("444444").apply("4")


def test_moves_after_the_end_are_illegal() -> None:
    with pytest.raises(IllegalMoveError, match="expected no move after the end of the match: '4'"):
        connect4().parse("1212121").apply("4")


def test_texts_of_the_slow_rules_are_read() -> None:
    slow = SlowPosition.start(5, 4)
    for column in (1, 1, 3, 5, 3):
        slow = slow.apply(column)
    assert str(connect4(5, 4).parse("11353")) == slow.text()


@given(st.text(max_size=5).filter(lambda text: text.strip() not in list("1234567")))
def test_any_text_that_is_no_column_is_malformed(text: str) -> None:
    with pytest.raises(MalformedMoveError):
        connect4().start().apply(text)
