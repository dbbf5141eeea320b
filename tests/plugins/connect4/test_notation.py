"""Notation of Connect Four: rows, move sequences, columns, and texts that are rejected."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference.connect4 import ReferencePosition

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


def test_a_move_sequence_is_read_as_the_position_after_it() -> None:
    game = connect4()
    position = game.parse("4453")
    assert str(position) == "......./......./......./......./...b.../..brr.."
    assert position == game.start().apply("4").apply("4").apply("5").apply("3")


def test_a_dash_is_the_empty_sequence() -> None:
    assert connect4().parse("-") == connect4().start()
    assert str(connect4().start()) == START


@pytest.mark.parametrize("columns", range(4, 9))
@pytest.mark.parametrize("rows", range(4, 9))
def test_positions_of_every_size_round_trip(columns: int, rows: int) -> None:
    game, position = connect4(columns, rows), connect4(columns, rows).start()
    random = np.random.default_rng(1)
    while position.legal_moves:
        assert game.parse(str(position)) == position
        position = position.apply(random.choice([str(move) for move in position.legal_moves]))
    assert game.parse(str(position)) == position


@pytest.mark.parametrize("columns", range(4, 9))
@pytest.mark.parametrize("rows", range(4, 9))
def test_a_sequence_of_moves_that_leads_to_a_position_is_found(columns: int, rows: int) -> None:
    game, random = connect4(columns, rows), np.random.default_rng(2)
    for _ in range(3):
        position = game.start()
        while position.legal_moves:
            position = position.apply(random.choice([str(move) for move in position.legal_moves]))
        moves = game.format(position, notation="moves")
        assert len(moves) == sum(str(position).count(stone) for stone in "rb")
        assert game.parse(moves, notation="moves") == position
    assert game.format(game.start(), notation="moves") == "-"


def test_a_position_that_no_moves_lead_to_has_no_sequence() -> None:
    position = connect4().parse("......./......./......./......./rrr..../bbb....")
    with pytest.raises(PositionError, match="no sequence of moves was found that leads to"):
        connect4().format(position, notation="moves")


def test_a_named_notation_excludes_the_other() -> None:
    with pytest.raises(PositionError, match=r"^'4453' is not a position; write 6 rows separated by '/'$"):
        connect4().parse("4453", notation="rows")
    with pytest.raises(PositionError, match=r"is not a position; write a sequence of moves, or '-'$"):
        connect4().parse(START, notation="moves")


REFUSED = [
    (
        "",
        "'' is not a position; write 6 rows separated by '/', a sequence of moves, or '-'",
    ),
    (
        "abc",
        "'abc' is not a position; write 6 rows separated by '/', a sequence of moves, or '-'",
    ),
    ("......./.......", "a board has 6 rows separated by '/', not 2: '......./.......'"),
    (START.replace("./", "/", 1), "row 1 from the top must have 7 cells, not 6"),
    (f"{START[:-1]}x", "row 6 from the top contains 'x'; cells are '.', 'r' or 'b'"),
    (f"{START[:-1]}R", "row 6 from the top contains 'R'; cells are '.', 'r' or 'b'"),
    ("r" + START[1:], "a stone is above an empty cell in column 1"),
    (f"{START[:-1]}b", "red must have as many stones as blue or one more, not 0 against 1"),
    (f"{START[:-2]}rr", "red must have as many stones as blue or one more, not 2 against 0"),
    ("......./......./......./......./bbbb.../rrrr...", "both sides have four in a line"),
    ("......./......./......./......./bbb..../rrrr..b", "red has four in a line, but is to move"),
    (
        "......./......./r....../r.bbb../r.bbb../r.rrrrb",
        "no single last stone completes all fours in a line",
    ),
    (
        "4444444",
        "illegal move '4': the column is full; open columns: 1, 2, 3, 5, 6, 7 (ply 7 of '4444444')",
    ),
    ("4849", "'8' is not a column; columns are 1 to 7 (ply 2 of '4849')"),
    ("12121211", "illegal move '1': the match is over (ply 8 of '12121211')"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[text[:30] or "empty" for text, _ in REFUSED])
def test_invalid_positions_are_rejected_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        connect4().parse(text)
    assert str(caught.value) == message


REFUSED_BY_EVERY_SIZE = [
    ("r......./{empty}", "a stone is above an empty cell in column 1"),
    ("{empty}/.r....../........", "a stone is above an empty cell in column 2"),
    ("{empty}/b.......", "red must have as many stones as blue or one more, not 0 against 1"),
    ("{empty}/rr......", "red must have as many stones as blue or one more, not 2 against 0"),
    ("{empty}/r..bb...", "red must have as many stones as blue or one more, not 1 against 2"),
    ("{empty}/bbbb..../rrrr....", "both sides have four in a line"),
    ("{empty}/bbb...../rrrrb...", "red has four in a line, but is to move"),
    ("{empty}/rr....../rrr...../bbbb....", "blue has four in a line, but is to move"),
]


@pytest.mark.parametrize(
    ("text", "message"), REFUSED_BY_EVERY_SIZE, ids=[message for _, message in REFUSED_BY_EVERY_SIZE]
)
@pytest.mark.parametrize("size", [(8, 8), (7, 6), (8, 7), (5, 8)], ids=str)
def test_impossible_boards_are_refused_at_every_size(size: tuple[int, int], text: str, message: str) -> None:
    columns, rows = size
    lines = text.replace("{empty}/", "").replace("/{empty}", "").split("/")
    empty = ["........"] * (rows - len(lines))
    filled = [*lines, *empty] if text.endswith("{empty}") else [*empty, *lines]
    with pytest.raises(PositionError) as caught:
        connect4(columns, rows).parse("/".join(line[:columns] for line in filled))
    assert str(caught.value) == message


def test_a_text_of_another_size_is_rejected() -> None:
    with pytest.raises(PositionError, match="a board has 4 rows separated by '/', not 6"):
        connect4(5, 4).parse(START)


@given(st.text(alphabet="./rb-1234567890x\u0663 ", max_size=60) | st.text(max_size=20))
@example("\u0664")
@example("9" * 5_000)
@example("/" * 5_000)
def test_any_text_is_parsed_or_raises_a_position_error(text: str) -> None:
    game = connect4()
    try:
        position = game.parse(text)
    except PositionError:
        return
    assert game.parse(str(position)) == position


@given(st.lists(st.integers(0, 2**64 - 1), min_size=3, max_size=3))
def test_any_words_are_unpacked_or_raise_a_position_error(words: list[int]) -> None:
    try:
        position = connect4().unpack(words)
    except PositionError:
        return
    assert connect4().parse(str(position)) == position


@pytest.mark.parametrize(
    "words",
    [[0, 0, 1], [0, 0, 8], [0, 0, 2], [1 << 6, 0, 1], [1, 1, 0], [1 << 63, 0, 1], [2, 0, 1]],
    ids=["blue to move", "unused bit", "won", "guard bit", "shared cell", "off the board", "floating"],
)
def test_invalid_packed_positions_are_rejected(words: list[int]) -> None:
    with pytest.raises(PositionError):
        connect4().unpack(words)


def test_packed_positions_round_trip() -> None:
    position = connect4().parse("4453")
    assert connect4().unpack(position.words) == position


@pytest.mark.parametrize("text", ["0", "8", "x", "", "44", "-1", "4.", "\u0664", "4 4"])
def test_a_text_that_is_not_a_column_is_malformed(text: str) -> None:
    with pytest.raises(MalformedMoveError, match="is not a column; columns are 1 to 7"):
        connect4().start().apply(text)


def test_a_move_into_a_full_column_is_illegal_and_the_open_columns_are_named() -> None:
    with pytest.raises(IllegalMoveError, match="'4': the column is full; open columns: 1, 2, 3, 5, 6, 7"):
        connect4().parse("444444").apply("4")


def test_moves_after_the_end_are_illegal() -> None:
    with pytest.raises(IllegalMoveError, match="illegal move '4': the match is over"):
        connect4().parse("1212121").apply("4")


def test_position_texts_match_the_reference() -> None:
    reference = ReferencePosition.start(5, 4)
    for column in (1, 1, 3, 5, 3):
        reference = reference.apply(column)
    assert str(connect4(5, 4).parse("11353")) == reference.text()


@given(st.text(max_size=5).filter(lambda text: text.strip() not in list("1234567")))
def test_any_text_that_is_not_a_column_is_malformed(text: str) -> None:
    with pytest.raises(MalformedMoveError):
        connect4().start().apply(text)
