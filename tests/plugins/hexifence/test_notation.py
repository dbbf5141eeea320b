"""Notation of Hexifence: round trips, and texts that are rejected."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import hexifence as reference

from boardgames.errors import BoardgamesError, IllegalMoveError, MalformedMoveError, PositionError
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
    with pytest.raises(MalformedMoveError, match="is not an edge; edges are 0 to 29"):
        GAME.start().apply(text)


def test_a_drawn_edge_is_illegal_and_the_message_names_who_drew_it() -> None:
    with pytest.raises(IllegalMoveError, match=r"^illegal move '12': blue has already drawn edge 12$"):
        GAME.start().apply("12").apply("12")


@pytest.mark.parametrize("edge", [0, 9, 10, 29])
def test_a_move_text_is_the_number_of_the_edge(edge: int) -> None:
    position = GAME.start()
    assert str(position.legal_moves[edge]) == str(edge)
    assert GAME.parse_move(position, str(edge)).action == edge
