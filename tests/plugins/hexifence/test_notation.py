"""Notation of Hexifence: round trips, and texts that are rejected."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import hexifence as reference

from boardgames.errors import (
    BoardgamesError,
    IllegalMoveError,
    MalformedMoveError,
    MoveError,
    PositionError,
)
from boardgames_hexifence.board import board, grid_places
from boardgames_hexifence.game import Hexifence

GAME = Hexifence(dimension=2)
EDGES, CELLS = "." * 30, "." * 7


@settings(max_examples=30)
@given(st.lists(st.integers(0, 71), unique=True))
def test_position_texts_round_trip(moves: list[int]) -> None:
    game = Hexifence()
    text = reference.play(3, moves).text()
    assert str(game.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "DIMENSION:EDGES:CELLS:SIDE"),
        (f"2:{EDGES}:{CELLS}", "DIMENSION:EDGES:CELLS:SIDE"),
        (f"3:{'.' * 72}:{'.' * 19}:B", "but the game has 2"),
        (f"9:{EDGES}:{CELLS}:B", "but the game has 2"),
        (f"two:{EDGES}:{CELLS}:B", "but the game has 2"),
        (f"2:{EDGES}.:{CELLS}:B", "must have 30 edges, not 31"),
        (f"2:{EDGES}:.{CELLS}:B", "must have 7 cells, not 8"),
        (f"2:{EDGES[1:]}b:{CELLS}:B", "the edges contain 'b'"),
        (f"2:{EDGES}:{CELLS[1:]}x:B", "the cells contain 'x'"),
        (f"2:{EDGES}:{CELLS}:b", "side to move"),
        (f"2:{EDGES}:{CELLS}:", "side to move"),
        (f"2:{EDGES}:B{CELLS[1:]}:B", "cell 0 has 0 drawn edges and the owner 'B'"),
        ("2:" + "B" * 30 + f":{'B' * 6}.:B", "cell 6 has 6 drawn edges and the owner '.'"),
    ],
)
def test_malformed_positions_are_rejected_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        GAME.parse(text)


@given(st.one_of(st.text(), st.text(".BR:2", max_size=50)))
def test_any_text_is_parsed_or_raises_an_error_of_the_package(text: str) -> None:
    try:
        GAME.parse(text)
    except BoardgamesError:
        return


@given(st.text(".BR", min_size=30, max_size=30), st.text(".BR", min_size=7, max_size=7))
def test_any_text_of_the_right_shape_round_trips_or_raises_a_position_error(edges: str, cells: str) -> None:
    text = f"2:{edges}:{cells}:R"
    try:
        assert str(GAME.parse(text)) == text
    except PositionError:
        return


@pytest.mark.parametrize("text", ["30", "-1", "007", "e5", "", "1.0", "1_0", "\u0663", "9" * 5000])
def test_a_text_that_is_not_an_edge_is_malformed(text: str) -> None:
    with pytest.raises(MalformedMoveError, match="is not an edge; edges are 0 to 29, or ROW,COLUMN"):
        GAME.start().apply(text)


def test_a_drawn_edge_is_illegal_and_the_message_names_who_drew_it() -> None:
    with pytest.raises(IllegalMoveError, match=r"^illegal move '12': blue has already drawn edge 12$"):
        GAME.start().apply("12").apply("12")


@pytest.mark.parametrize("edge", [0, 9, 10, 29])
def test_a_move_text_is_the_number_of_the_edge(edge: int) -> None:
    position = GAME.start()
    assert str(position.legal_moves[edge]) == str(edge)
    assert GAME.parse_move(position, str(edge)).action == edge


# --- the printed board -------------------------------------------------------

PRINTED = """\
+ + + + - - -
+ - + - B - -
+ + + + + + -
+ - + - R - +
- + + + + + +
- - + - + - +
- - - + + + +
B"""
ROWS = PRINTED.split("\n")
CAPTURED = [
    "B R + + - - -",
    "B b R - + - -",
    "B R + + + + -",
    *ROWS[3:7],
]
"""Rows of a position in which blue has captured the first cell."""


def test_the_printed_board_shows_edges_cells_and_the_side_to_move() -> None:
    position = GAME.start().apply_moves("6 15")
    assert GAME.format(position, notation="grid") == PRINTED
    assert GAME.parse(PRINTED) == GAME.parse(PRINTED, notation="grid") == position


def test_captured_cells_are_lower_case_letters() -> None:
    position = GAME.start().apply_moves("0 1 4 5 8 9")
    assert GAME.format(position, notation="grid").split("\n")[1] == "B r R - + - -"


@pytest.mark.parametrize("dimension", range(2, 9))
def test_edges_and_cells_of_the_printed_board_are_numbered_in_row_major_order(dimension: int) -> None:
    edges, cells = grid_places(dimension)
    assert list(edges) == sorted(edges)
    assert list(cells) == sorted(cells)
    for (row, column), around in zip(cells, board(dimension).edges_of_cell, strict=True):
        assert row % 2 == column % 2 == 1
        assert {edges[edge] for edge in around} == {
            (row, column - 1),
            (row + 1, column),
            (row + 1, column + 1),
            (row, column + 1),
            (row - 1, column),
            (row - 1, column - 1),
        }
    places = {*edges, *cells}
    assert max(row for row, _ in places) == max(column for _, column in places) == 4 * dimension - 2


@settings(max_examples=30)
@given(st.lists(st.integers(0, 71), unique=True))
def test_printed_boards_round_trip(moves: list[int]) -> None:
    game = Hexifence()
    position = game.parse(reference.play(3, moves).text())
    assert game.parse(game.format(position, notation="grid")) == position


@pytest.mark.parametrize(
    "text",
    [
        PRINTED.replace("\n", "/"),
        PRINTED.replace(" ", ""),
        PRINTED.replace("\n", "\r\n"),
        "\n".join(ROWS[:7]),
    ],
    ids=["slashes", "no spaces", "line ends of Windows", "no side to move"],
)
def test_printed_boards_are_read_in_one_line_and_without_spaces(text: str) -> None:
    assert GAME.parse(text) == GAME.parse(PRINTED)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS[:6], "not a board of dimension 2; write 7 rows of the printed board and the side"),
        ([*ROWS, "B"], "not a board of dimension 2; write 7 rows"),
        ([*ROWS[:7], "b"], "the side to move, after the rows, must be 'B' or 'R', not 'b'"),
        (CAPTURED, "the side to move is missing; write 'B' or 'R' after the rows"),
        (["+ + + +", *ROWS[1:]], "row 0 must have 7 symbols, not 4: '[+]{4}'"),
        (["b + + + - - -", *ROWS[1:]], "the edge at 0,0 must be 'B', 'R' or '[+]', not 'b'"),
        (["+ + - + - - -", *ROWS[1:]], "the edge at 0,2 must be 'B', 'R' or '[+]', not '-'"),
        ([ROWS[0], "+ B + - B - -", *ROWS[2:]], "the cell at 1,1 must be 'b', 'r' or '-', not 'B'"),
        (["+ + + + + - -", *ROWS[1:]], "there is no edge or cell at 0,4; write '-', not '[+]'"),
        ([ROWS[0], "+ b + - B - -", *ROWS[2:]], "cell 0 has 0 drawn edges and the owner 'B'"),
    ],
)
def test_malformed_printed_boards_are_rejected_with_the_reason(rows: list[str], message: str) -> None:
    with pytest.raises(PositionError, match=message):
        GAME.parse("\n".join(rows))


@given(st.text("+-BRbr \n/", max_size=120))
def test_any_text_is_a_printed_board_or_raises_a_position_error(text: str) -> None:
    try:
        GAME.parse(text, notation="grid")
    except PositionError:
        return


def test_each_notation_alone_rejects_the_other() -> None:
    with pytest.raises(PositionError, match=r"write DIMENSION:EDGES:CELLS:SIDE$"):
        GAME.parse(PRINTED, notation="canonical")
    with pytest.raises(PositionError, match="write 7 rows of the printed board"):
        GAME.parse(f"2:{EDGES}:{CELLS}:B", notation="grid")


def test_every_move_is_read_as_row_and_column_too() -> None:
    position = GAME.start()
    for edge, (row, column) in enumerate(grid_places(2)[0]):
        assert GAME.parse_move(position, f"{row},{column}").action == edge


@pytest.mark.parametrize("text", ["1,1", "0,4", "7,0", "99,99"])
def test_a_place_without_an_edge_is_malformed(text: str) -> None:
    with pytest.raises(MalformedMoveError, match=rf"^the printed board has no edge at '{text}'"):
        GAME.start().apply(text)


def test_a_drawn_edge_is_illegal_as_a_place_too() -> None:
    with pytest.raises(IllegalMoveError, match=r"^illegal move '3,0': blue has already drawn edge 13$"):
        GAME.start().apply("13").apply("3,0")


# --- places and lines of moves -----------------------------------------------


@pytest.mark.parametrize("text", ["3 0", "3,0", "(3,0)", "3:0", "( 3, 0 )", "3, 0", "03,00"])
def test_a_place_is_read_however_it_is_written(text: str) -> None:
    assert GAME.parse_move(GAME.start(), text).action == 13
    assert GAME.parse_move(GAME.start(), text, notation="place").action == 13


@pytest.mark.parametrize("text", ["(3,0", "3,0)", "3;0", "3", "3,0,1", "3 , ", "100,0"])
def test_other_texts_are_not_places(text: str) -> None:
    with pytest.raises(MalformedMoveError):
        GAME.parse_move(GAME.start(), text, notation="place")


def test_every_move_is_read_as_it_is_written() -> None:
    position = GAME.start()
    for move in position.legal_moves:
        for notation in GAME.facts.move_notations:
            text = GAME.format_move(position, move, notation=notation)
            assert GAME.parse_move(position, text, notation=notation) == move
    assert GAME.format_move(position, position.legal_moves[13], notation="place") == "3,0"
    with pytest.raises(MalformedMoveError, match=r"^'3,0' is not an edge; edges are 0 to 29$"):
        GAME.parse_move(position, "3,0", notation="canonical")


@pytest.mark.parametrize(
    ("text", "notation", "moves"),
    [
        ("1 0 13", None, ["1", "0", "13"]),
        ("12 3,0 (1, 0); 4:1 4 : 1", None, ["12", "3,0", "(1, 0)", "4:1", "4 : 1"]),
        ("0, 1, 4", None, ["0", "1", "4"]),
        ("1 0\n2 2", "place", ["1,0", "2,2"]),
        ("(1,0) 2:2 3, 0", "place", ["1,0", "2,2", "3,0"]),
        ("1,0,13", "canonical", ["1", "0", "13"]),
        ("1 0 2", "place", ["1,0", "2"]),
        ("x 1", "place", ["x", "1"]),
    ],
)
def test_a_line_of_moves_is_split(text: str, notation: str | None, moves: list[str]) -> None:
    assert GAME.split_moves(text, notation) == moves


def test_a_line_of_places_is_played() -> None:
    assert GAME.start().apply_moves("3,0 (0, 1) 6:6") == GAME.start().apply_moves("13 1 29")


# --- board files of the original program -------------------------------------

FILE = "\n".join(["2", *ROWS[:7]])


@pytest.mark.parametrize(
    "text",
    [
        FILE,
        FILE.replace(" ", ""),
        FILE.replace("\n", "\r\n") + "\r\n",
        FILE.replace("\n", "/"),
        f"{FILE}\nB",
        *(FILE.replace("-", dash) for dash in "\u2010\u2011\u2012\u2013\u2014\u2212"),
    ],
)
def test_board_files_are_read(text: str) -> None:
    assert GAME.parse(text) == GAME.parse(text, notation="board-file") == GAME.parse(PRINTED)


def test_a_board_file_is_written_as_the_original_reads_it() -> None:
    assert GAME.format(GAME.parse(PRINTED), notation="board-file") == FILE


@settings(max_examples=60)
@given(st.lists(st.integers(0, 71), unique=True), st.integers(0, 1))
def test_board_files_round_trip(moves: list[int], side: int) -> None:
    game = Hexifence()
    played = game.parse(reference.play(3, moves).text())
    for position in (played, game.edit_turn(played, side)):
        text = game.format(position, notation="board-file")
        assert game.parse(text) == game.parse(text, notation="board-file") == position


@pytest.mark.parametrize(
    ("moves", "turn"),
    [("0 1 4 5 8 9", "R"), ("0 1 4 5 8 9 29", "B"), ("0 1 4 8 9 2 3 6 10 11 5", "B")],
    ids=["a capture", "a move after a capture", "two cells at once"],
)
def test_the_side_to_move_follows_from_edges_and_captures(moves: str, turn: str) -> None:
    position = GAME.start().apply_moves(moves)
    printed = GAME.format(position, notation="grid")
    assert printed.endswith(turn)
    assert GAME.parse(printed[:-2]) == position


def test_a_captured_cell_without_a_letter_belongs_to_whoever_drew_more_of_its_edges() -> None:
    rows = ["R R + + - - -", "R - R - + - -", "+ B B + + + -", *ROWS[3:7]]
    assert GAME.parse("\n".join(["2", *rows, "R"])).score == (0, 1)
    rows[:3] = ["R R + + - - -", "B - R - + - -", "+ B B + + + -"]
    assert GAME.parse("\n".join(["2", *rows, "R"])).score == (1, 0)


def test_blue_is_to_move_if_a_board_file_does_not_name_the_side() -> None:
    rows = ["B B + + - - -", "B b B - + - -", "+ B B + + + -", "+ - + - + - +", *ROWS[4:7]]
    assert GAME.parse("\n".join(["2", *rows])).side_to_move == 0
    with pytest.raises(PositionError, match="the side to move is missing; write 'B' or 'R' after the rows"):
        GAME.parse("\n".join(rows))


@pytest.mark.parametrize(
    ("text", "notation", "message"),
    [
        (
            FILE.replace("2", "3", 1),
            None,
            "has dimension '3', but the game has 2; set the option dimension=3",
        ),
        (FILE[2:], "board-file", "is not a board file; write the dimension in the first line"),
        (FILE, "grid", "is not a board of dimension 2|the side to move, after the rows"),
        ("2", "board-file", "is not a board of dimension 2"),
        ("\u00b2/+", None, "has dimension '\u00b2', but the game has 2$"),
    ],
)
def test_other_board_files_are_rejected_with_the_reason(
    text: str, notation: str | None, message: str
) -> None:
    with pytest.raises(PositionError, match=message):
        GAME.parse(text, notation=notation)


def test_the_dimension_follows_from_the_position() -> None:
    options = Hexifence.options_for_position
    for dimension in range(2, 9):
        game = Hexifence(dimension=dimension)
        for notation in game.facts.position_notations:
            assert options(game.format(game.start(), notation=notation)) == {"dimension": dimension}
    assert options("9:") == options("") == options("++") == options("1\n+") == options("+++\n+++") == {}


@given(st.text("+-BRbr \n/:.,()012345\u2013", max_size=120), st.sampled_from([None, "canonical", "place"]))
def test_any_text_is_a_move_or_raises_a_move_error(text: str, notation: str | None) -> None:
    Hexifence.options_for_position(text)
    for word in GAME.split_moves(text, notation):
        try:
            GAME.parse_move(GAME.start(), word, notation=notation)
        except MoveError:
            continue


@given(st.text("2+-BRbr \n/", max_size=120), st.sampled_from([None, *GAME.facts.position_notations]))
def test_any_text_is_a_board_file_or_raises_a_position_error(text: str, notation: str | None) -> None:
    try:
        position = GAME.parse(f"2\n{text}", notation=notation)
    except PositionError:
        return
    assert GAME.parse(str(position)) == position
