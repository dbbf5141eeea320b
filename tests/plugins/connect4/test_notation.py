"""Notation of Connect Four: rows, move sequences, columns, and texts that are rejected."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference.connect4 import ReferencePosition

import boardgames
from boardgames.compiling import compilation_deferred, rules_interpreted
from boardgames.errors import (
    IllegalMoveError,
    MalformedMoveError,
    MoveError,
    PositionError,
)
from boardgames.game import Game
from boardgames_connect4.game import Connect4

NAMES = Connect4().facts.position_notations
PLAYABLE = {*"1234567", *"abcdefg", *(f"{column}1" for column in "abcdefg")}
"""Texts of moves in the start position."""
COMPILED_SIZES = [(4, 4), (5, 4), (7, 6), (8, 7), (8, 8)]
"""Sizes that other tests compile too."""
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


@pytest.mark.parametrize("size", [(4, 4), (4, 8), (8, 4), (7, 6), (8, 8)], ids=str)
def test_positions_of_every_size_round_trip(size: tuple[int, int]) -> None:
    random = np.random.default_rng(1)
    with compilation_deferred(), rules_interpreted():  # most sizes are compiled by no other test
        game = connect4(*size)
        position = game.start()
        while position.legal_moves:
            assert game.parse(str(position)) == position
            position = position.apply(random.choice([str(move) for move in position.legal_moves]))
        assert game.parse(str(position)) == position


@pytest.mark.parametrize("size", COMPILED_SIZES, ids=str)
def test_a_sequence_of_moves_that_leads_to_a_position_is_found(size: tuple[int, int]) -> None:
    game, random = connect4(*size), np.random.default_rng(2)
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
        "xyz",
        "'xyz' is not a position; write 6 rows separated by '/', a sequence of moves, or '-'",
    ),
    ("......./.......", "a board has 6 rows separated by '/', not 2: '......./.......'"),
    (START.replace("./", "/", 1), "row 1 from the top must have 7 cells, not 6"),
    (f"{START[:-1]}z", "row 6 from the top contains 'z'; cells are '.', 'r' or 'b'"),
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


@given(st.text(max_size=5).filter(lambda text: text.strip().lower() not in PLAYABLE))
def test_any_text_that_is_not_a_column_is_malformed(text: str) -> None:
    with pytest.raises(MalformedMoveError):
        connect4().start().apply(text)


# --- moves in other forms ----------------------------------------------------


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("4453", ["4", "4", "5", "3"]),
        ("4 4,5, 3;2", ["4", "4", "5", "3", "2"]),
        ("ddec", ["d", "d", "e", "c"]),
        ("d1 d2 e1", ["d1", "d2", "e1"]),
        ("D1d2E1", ["D1", "d2", "E1"]),
        ("x4 -", ["x4", "-"]),
        ("", []),
    ],
)
def test_moves_may_be_written_without_separators(text: str, moves: list[str]) -> None:
    assert connect4().split_moves(text) == moves


@pytest.mark.parametrize("text", ["4", "d", "D", "d1", "D1"])
def test_columns_are_numbers_letters_or_cells(text: str) -> None:
    assert connect4().start().apply(text) == connect4().parse("4")


@pytest.mark.parametrize("notation", ["column", "letter", "cell", "zero-based"])
@pytest.mark.parametrize("moves", ["-", "4453", "111111"])
def test_every_move_is_read_as_it_is_written(notation: str, moves: str) -> None:
    position = connect4().parse(moves)
    for move in position.legal_moves:
        text = connect4().format_move(position, move, notation=notation)
        assert connect4().parse_move(position, text, notation=notation) == move


@pytest.mark.parametrize(
    ("notation", "text"), [("column", "4"), ("letter", "d"), ("cell", "d3"), ("zero-based", "3")]
)
def test_a_move_is_written_in_the_notation_that_is_named(notation: str, text: str) -> None:
    position = connect4().parse("44")
    move = connect4().parse_move(position, "4")
    assert connect4().format_move(position, move, notation=notation) == text


def test_a_cell_must_be_the_one_in_which_the_stone_lands() -> None:
    with pytest.raises(IllegalMoveError, match=r"'d3': the stone lands in row 2, not in row 3$"):
        connect4().parse("4").apply("d3")
    with pytest.raises(IllegalMoveError, match=r"'d6': the column is full"):
        connect4().parse("444444").apply("d6")


def test_zero_names_the_notation_that_counts_from_zero() -> None:
    with pytest.raises(MalformedMoveError, match="the notation 'zero-based' counts them from 0"):
        connect4().start().apply("0")
    with pytest.raises(
        PositionError, match=r"^'3042' has a column 0, .*'zero-based-moves' counts them from 0$"
    ):
        connect4().parse("3042")
    assert connect4().parse("3042", notation="zero-based-moves") == connect4().parse("4153")


@pytest.mark.parametrize(
    ("notation", "text", "message"),
    [
        ("zero-based", "7", "columns are 0 to 6"),
        ("letter", "4", "columns are a to g"),
        ("letter", "h", "columns are a to g"),
        ("cell", "d", "cells are a1 to g6"),
        ("cell", "d7", "cells are a1 to g6"),
        ("cell", "h1", "cells are a1 to g6"),
        ("column", "d", "columns are 1 to 7"),
    ],
)
def test_a_named_notation_for_moves_excludes_the_others(notation: str, text: str, message: str) -> None:
    with pytest.raises(MalformedMoveError, match=message):
        connect4().parse_move(connect4().start(), text, notation=notation)


@pytest.mark.parametrize(
    "text", ["ddec", "DDEC", "d1 d2 e1 c1", "d1d2e1c1", "4,4,5,3", "4 4 5 3", "d, d, e, c"]
)
def test_a_position_may_be_given_as_moves_of_any_form(text: str) -> None:
    assert connect4().parse(text) == connect4().parse("4453")


# --- boards of other programs ------------------------------------------------

BOARDS = {
    "bars": """
|   |   |   |   |   |   |   |
|   |   |   |   |   |   |   |
|   |   |   |   |   |   |   |
|   |   |   |   |   |   |   |
|   |   |   | O |   |   |   |
|   |   | O | X | X |   |   |
  1   2   3   4   5   6   7""",
    "rules": """
+---+---+---+---+---+---+---+
|   |   |   |   |   |   |   |
+---+---+---+---+---+---+---+
|   |   |   |   |   |   |   |
+---+---+---+---+---+---+---+
|   |   |   |   |   |   |   |
+---+---+---+---+---+---+---+
|   |   |   |   |   |   |   |
+---+---+---+---+---+---+---+
|   |   |   | o |   |   |   |
+---+---+---+---+---+---+---+
|   |   | o | x | x |   |   |
+---+---+---+---+---+---+---+""",
    "points": ". . . . . . .\n" * 4 + ". . . o . . .\n. . o x x . .\n0 1 2 3 4 5 6",
    "two bars": "|.......|\n" * 4 + "|...o...|\n|..oxx..|\n ------- ",
    "spaces between bars": "|       |\n" * 4 + "|   o   |\n|  oxx  |",
    "wide spaces between bars": "|             |\n" * 4 + "|      o      |\n|    o x x    |",
    "spaces": "       \n" * 4 + "   o\n  oxx  \n",
    "spaces above letters": "\n" * 4 + "      o\n    o x x\na b c d e f g",
    "digits": "0000000\n" * 4 + "0002000\n0021100",
    "digits in rows": "0000000/" * 4 + "0002000/0021100",
    "numbers of an array": "[[0 0 0 0 0 0 0]\n"
    + " [0 0 0 0 0 0 0]\n" * 3
    + " [0 0 0 2 0 0 0]\n [0 0 2 1 1 0 0]]",
    "dashes": "- - - - - - -\n" * 4 + "- - - o - - -\n- - o x x - -",
    "underscores": "|_|_|_|_|_|_|_|\n" * 4 + "|_|_|_|o|_|_|_|\n|_|_|o|x|x|_|_|",
    "numbers of rows": "6 . . . . . . .\n5 . . . . . . .\n4 . . . . . . .\n3 . . . . . . .\n2 . . . o . . .\n"
    "1 . . o x x . .\n  a b c d e f g",
    "line of a box": "║ ║ ║ ║ ║ ║ ║ ║\n" * 4 + "║ ║ ║ ║o║ ║ ║ ║\n║ ║ ║o║x║x║ ║ ║\n╚═╩═╩═╩═╩═╩═╩═╝",
    "lines of Windows": ".......\r\n" * 4 + "...y...\r\n..yrr..\r\n",
    "cells": "0" * 28 + "0002000" + "0021100",
    "list of cells": str([0] * 28 + [0, 0, 0, 2, 0, 0, 0] + [0, 0, 2, 1, 1, 0, 0]),
    "cells as letters": "." * 28 + "...o..." + "..oxx..",
    "fen": "7/7/7/7/3b3/2brr2",
    "fen with the side to move": "7/7/7/7/3y3/2yrr2 r 3",
    "data set": ",".join("b" * 12 + "obbbbb" + "xobbbb" + "xbbbbb" + "b" * 12),
    "data set with its class": ",".join("b" * 12 + "obbbbb" + "xobbbb" + "xbbbbb" + "b" * 12) + ",loss",
}


@pytest.mark.parametrize("name", BOARDS)
def test_boards_of_other_programs_are_read(name: str) -> None:
    assert connect4().parse(BOARDS[name]) == connect4().parse("4453")


def test_the_board_that_is_printed_is_read() -> None:
    position = connect4().parse("44533")
    assert connect4().parse(position.board()) == position


@pytest.mark.parametrize(
    ("notation", "text"),
    [
        ("rows", "......./......./......./......./...b.../..brr.."),
        ("moves", "4354"),
        ("zero-based-moves", "3243"),
        ("fen", "7/7/7/7/3y3/2yrr2 r 3"),
        ("cells", "0" * 28 + "0002000" + "0021100"),
        ("data-set", ",".join("b" * 12 + "obbbbb" + "xobbbb" + "xbbbbb" + "b" * 12)),
    ],
)
def test_a_position_is_written_in_the_notation_that_is_named(notation: str, text: str) -> None:
    position = connect4().parse("4453")
    assert connect4().format(position, notation=notation) == text
    assert connect4().parse(text, notation=notation) == position


@given(st.sampled_from(COMPILED_SIZES), st.lists(st.integers(0, 7), max_size=64))
def test_positions_round_trip_in_every_notation(size: tuple[int, int], choices: list[int]) -> None:
    game, position = connect4(*size), connect4(*size).start()
    for choice in choices:
        if not position.legal_moves:
            break
        position = position.apply(position.legal_moves[choice % len(position.legal_moves)])
    for notation in game.facts.position_notations:
        text = game.format(position, notation=notation)
        assert game.parse(text, notation=notation) == position
        if notation != "zero-based-moves":
            assert game.parse(text) == position


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("7/7/7/7/7/3o3", "4"),
        ("7/7/7/7/7/2oox2", "354"),
        ("7/7/7/7/3o3/3x3", "44"),
        ("7/7/7/7/3x3/3o3", "44"),
        ("7/7/7/7/3r3/3b3", "44"),
        ("7/7/7/7/7/2ox3", "43"),
        ("7/7/7/7/7/2ox3 o 2", "34"),
        ("7/7/7/7/7/2ry3 y", "43"),
        ("7/7/7/7/7/7 y 1", "-"),
    ],
)
def test_who_moved_first_follows_from_the_stones(text: str, position: str) -> None:
    assert connect4().parse(text) == connect4().parse(position)


REFUSED_BOARDS = [
    ("7/7/7/7/7/3x2", "row 6 from the top must have 7 cells, not 6"),
    ("7/7/7/7/7/2xr3", "a board has two kinds of stones and one of empty cells, not '.', 'r', 'x'"),
    ("7/7/7/7/7/2oo3", "one side one more, not 0 'x' against 2 'o'"),
    ("7/7/7/7/7/3r3 r 1", "not 1 'r' against 0 'b' with 'r' to move"),
    ("7/7/7/7/7/3r3 red 1", "'red 1' after the rows is not a side and a number"),
    ("0" * 40 + "1", "7x6 has 42 cells, not 41"),
    (".......\n......x", "a board has 6 rows, not 2"),
    (",".join("x" * 41), "7x6 has 42 cells, not 41"),
    (",".join("b" * 41 + "z"), "row 6 from the top contains 'z'"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED_BOARDS)
def test_boards_that_are_not_positions_are_rejected_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        connect4().parse(text)


@given(st.text(alphabet="./|xoXOrRbBy012 37\n-_+,dwinlos[]", max_size=120), st.sampled_from([None, *NAMES]))
def test_any_board_is_parsed_or_raises_a_position_error(text: str, notation: str | None) -> None:
    try:
        position = connect4().parse(text, notation=notation)
    except PositionError:
        return
    assert connect4().parse(str(position)) == position


@given(st.text(), st.sampled_from([None, "column", "letter", "cell", "zero-based"]))
def test_any_text_is_a_move_or_raises_a_move_error(text: str, notation: str | None) -> None:
    try:
        move = connect4().parse_move(connect4().start(), text, notation=notation)
    except MoveError:
        return
    assert move in connect4().start().legal_moves


def test_the_size_of_the_board_follows_from_its_rows() -> None:
    options = Connect4.options_for_position
    assert options("..../..../..../...r") == options("4/4/4/3r b 1") == {"columns": 4, "rows": 4}
    assert options(START) == {"columns": 7, "rows": 6}
    assert options("4453") == options("./.") == options("") == options("/") == {}
