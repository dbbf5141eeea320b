"""Notation of Abalone: board text and FEN, Aba-Pro and Nacre, and every way to get them wrong."""

import string

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference.abalone import Abalone as Slow

import boardgames
from boardgames.errors import (
    AmbiguousMoveError,
    BoardgamesError,
    IllegalMoveError,
    MalformedMoveError,
    PositionError,
)
from boardgames.game import Position
from boardgames.testing import positions
from boardgames_abalone.board import LAYOUTS

GAME = boardgames.load("abalone")
START = GAME.start()
EMPTY = "...../....../......./......../........./......../......./....../....."
BELGIAN = "bb.ww/bbbwww/.bb.ww./......../........./......../.ww.bb./wwwbbb/ww.bb"
BELGIAN_FEN = "SS1ss/SSSsss/1SS1ss1/8/9/8/1ss1SS1/sssSSS/ss1SS"


def board(**marbles: str) -> Position:
    """Return black to move with marbles on the cells named: `board(b="e5 f5", w="")`."""
    words = {}
    for side, names in marbles.items():
        words |= dict.fromkeys(names.split(), side)
    rows = [
        "".join(words.get(f"{row}{diagonal}", ".") for diagonal in range(first, last + 1))
        for row, first, last in zip(
            "ihgfedcba", (5, 4, 3, 2, 1, 1, 1, 1, 1), (9,) * 5 + (8, 7, 6, 5), strict=True
        )
    ]
    return GAME.parse("/".join(rows))


# --- positions ---------------------------------------------------------------


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_are_written_as_they_are_read(name: str) -> None:
    assert str(boardgames.load("abalone", layout=name).start()) == f"{LAYOUTS[name]}:b:0:0"


def test_a_bare_board_is_black_to_move_and_nothing_lost() -> None:
    assert GAME.parse(LAYOUTS["standard"]) == GAME.parse(LAYOUTS["standard"] + ":b:0:0")


def test_side_and_marbles_lost_are_read_and_written() -> None:
    position = GAME.parse(f"{EMPTY}:w:2:5")
    assert (position.side_to_move, position.score, str(position)) == (1, (5, 2), f"{EMPTY}:w:2:5")


def test_start_of_playstrategy_is_read() -> None:
    # S is black; PlayStrategy's board lies the other way round than the layout here
    assert GAME.parse(f"{BELGIAN_FEN} 0 0 b 0 1") == GAME.parse(f"{BELGIAN}:b:0:0")


def test_start_of_playstrategy_is_written() -> None:
    position = GAME.parse(f"{BELGIAN}:b:0:0")
    assert GAME.format(position, notation="fen") == f"{BELGIAN_FEN} 0 0 b 0 1"


def test_scores_of_a_fen_are_what_each_side_has_pushed_off() -> None:
    position = GAME.parse(f"{BELGIAN_FEN} 2 1 w 0 1")
    assert (position.score, position.side_to_move) == ((2, 1), 1)
    assert str(position) == f"{BELGIAN}:w:1:2"
    assert GAME.format(position, notation="fen") == f"{BELGIAN_FEN} 2 1 w 0 1"


@pytest.mark.parametrize("tail", ["", " 17", " 17 40"], ids=["no counts", "plies", "plies and moves"])
def test_counts_of_the_match_are_read_but_not_kept(tail: str) -> None:
    assert GAME.parse(f"{BELGIAN_FEN} 0 0 b{tail}") == GAME.parse(f"{BELGIAN}:b:0:0")


@given(positions(GAME, max_plies=60))
def test_reached_positions_are_read_back_in_both_notations(position: Position) -> None:
    for notation in (None, *GAME.facts.position_notations):
        text = GAME.format(position, notation=notation)
        assert GAME.parse(text, notation=notation) == position
    assert str(position).split() == [str(position)]


MALFORMED = {
    "nothing": ("", "expected 9 rows with '/' between, I to A: 1 in ''"),
    "eight rows": (EMPTY[:-6], "expected 9 rows with '/' between, I to A: 8 in"),
    "ten rows": (EMPTY + "/.....", "expected 9 rows with '/' between, I to A: 10 in"),
    "a short row": (EMPTY[1:], "expected 5 cells in row I: 4 in '....'"),
    "a long row": (EMPTY + ".", "expected 5 cells in row A: 6 in '......'"),
    "another sign": ("x" + EMPTY[1:], "expected '.', 'b' or 'w' in row I: 'x'"),
    "upper case": ("B" + EMPTY[1:], "expected '.', 'b' or 'w' in row I: 'B'"),
    "a digit": ("5" + EMPTY[5:], "expected '.', 'b' or 'w' in row I: '5'"),
    "no side": (f"{EMPTY}::0:0", "expected the side to move, 'b' or 'w': ''"),
    "both sides": (f"{EMPTY}:bw:0:0", "expected the side to move, 'b' or 'w': 'bw'"),
    "another side": (f"{EMPTY}:r:0:0", "expected the side to move, 'b' or 'w': 'r'"),
    "a side alone": (f"{EMPTY}:b", "expected BOARD or BOARD:SIDE:LOST:LOST: "),
    "five parts": (f"{EMPTY}:b:0:0:0", "expected BOARD or BOARD:SIDE:LOST:LOST: "),
    "seven lost": (f"{EMPTY}:b:0:7", "expected 0 to 6 marbles lost: '7'"),
    "less than none lost": (f"{EMPTY}:b:-1:0", "expected 0 to 6 marbles lost: '-1'"),
    "six lost by both": (f"{EMPTY}:b:6:6", "expected at most one side to have lost 6 marbles: both have"),
    "a count in words": (f"{EMPTY}:b:one:0", "expected 0 to 6 marbles lost: 'one'"),
    "a count of another script": (f"{EMPTY}:b:٣:0", "expected 0 to 6 marbles lost: '٣'"),
    "two digits": (f"{EMPTY}:b:00:0", "expected 0 to 6 marbles lost: '00'"),
    "a space within": (f"{EMPTY} :b:0:0", "expected BOARD, two scores, side and two counts: "),
    "a FEN without scores": (BELGIAN_FEN + " b", "expected BOARD, two scores, side and two counts: "),
    "a FEN with too much": (f"{BELGIAN_FEN} 0 0 b 0 1 2", "expected BOARD, two scores, side and two"),
    "a FEN of eight rows": ("5/6/7/8/9/8/7/6 0 0 b 0 1", "expected 9 rows with '/' between, I to A: 8 in"),
    "a FEN with a long row": ("6/6/7/8/9/8/7/6/5 0 0 b 0 1", "expected 5 cells in row I: 6 in '......'"),
    "a FEN with other marbles": ("b4/6/7/8/9/8/7/6/5 0 0 b 0 1", "expected '.', 'S' or 's' in row I: 'b'"),
    "a FEN with a zero": ("05/6/7/8/9/8/7/6/5 0 0 b 0 1", "expected '.', 'S' or 's' in row I: '0'"),
    "a FEN with seven": (f"{BELGIAN_FEN} 7 0 b 0 1", "expected 0 to 6 marbles pushed off: '7'"),
    "a FEN of another side": (f"{BELGIAN_FEN} 0 0 B 0 1", "expected the side to move, 'b' or 'w': 'B'"),
    "a FEN with a count in words": (f"{BELGIAN_FEN} 0 0 b x 1", "expected a count of plies or moves: 'x'"),
    "a FEN with a negative count": (f"{BELGIAN_FEN} 0 0 b 0 -1", "expected a count of plies or moves: '-1'"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_position_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(PositionError) as raised:
        GAME.parse(text)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize(
    ("text", "notation"), [(f"{EMPTY}:b:0:0", "fen"), (f"{BELGIAN_FEN} 0 0 b 0 1", "board")]
)
def test_a_position_in_another_notation_than_asked_for_is_refused(text: str, notation: str) -> None:
    assert GAME.parse(text)
    with pytest.raises(PositionError):
        GAME.parse(text, notation=notation)


VALID = [f"{LAYOUTS['snakes']}:w:1:2", LAYOUTS["standard"], f"{BELGIAN_FEN} 2 1 w 0 1"]
SIGNS = st.sampled_from([*"bwSs.:/0123456789 -\n\tBW", "", "\0", "é", "٣", "\u017f", "//", "::"])


@st.composite
def changed(draw: st.DrawFn, texts: list[str]) -> str:
    """Return a valid text with a few signs put in, taken out or replaced."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(SIGNS) + text[place + draw(st.integers(0, 2)) :]
    return text


@given(st.text() | changed(VALID), st.sampled_from([None, "board", "fen"]))
@example("9" * 5000, None)
@example("\ud800", "fen")
def test_any_text_is_a_position_or_a_position_error(text: str, notation: str | None) -> None:
    try:
        position = GAME.parse(text, notation=notation)
    except PositionError as error:
        assert "\n" not in str(error)  # noqa: PT017 - most texts raise
    else:
        assert GAME.parse(str(position)) == position
        assert position.outcome is not None or position.legal_moves


# --- moves -------------------------------------------------------------------

LINE = board(b="e3 e4 e5", w="e6")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("e3e4", "e3e4"),  # pushes, named by the tail and its own next cell
        ("E3E4", "e3e4"),
        ("  e3e4 ", "e3e4"),
        ("e5f5", "e5f5"),  # a single marble
        ("e3e5f3", "e3e5f3"),  # three step aside
        ("E3e5F3", "e3e5f3"),
        ("e5e3f5", "e3e5f3"),  # from the other end
        ("e4e5d3", "e4e5d3"),
        ("e5e4d4", "e4e5d3"),
    ],
)
def test_aba_pro_is_read_from_either_end_and_in_either_case(text: str, canonical: str) -> None:
    for notation in (None, "aba-pro"):
        assert str(GAME.parse_move(LINE, text, notation=notation)) == canonical


def test_the_first_marble_written_is_the_one_of_the_lower_row_then_digit() -> None:
    column = board(b="c3 d4 e5")
    asides = [str(move) for move in column.legal_moves if len(str(move)) == 6]
    assert asides
    assert all(text[:2] < text[2:4] for text in asides)
    assert "c3e5d3" in asides


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("e3e6", "e3e4"),  # the tail, and where the front goes
        ("E3E6", "e3e4"),
        ("e3f3", "e3f3"),
        ("e3f6", "e3e5f4"),  # one end, and the other end's target
        ("e5f3", "e3e5f3"),
    ],
)
def test_nacre_is_read_when_asked_for(text: str, canonical: str) -> None:
    assert str(GAME.parse_move(LINE, text, notation="nacre")) == canonical


@pytest.mark.parametrize(("text", "nacre"), [("e3e4", "e3e6"), ("e5f5", "e5f5"), ("e3e5f3", "e3f5")])
def test_nacre_is_written_when_asked_for(text: str, nacre: str) -> None:
    assert GAME.format_move(LINE, GAME.parse_move(LINE, text), notation="nacre") == nacre


def test_a_text_that_differs_between_notations_is_read_as_the_one_asked_for() -> None:
    # e4e5: in Aba-Pro e4 and e5 push; in Nacre e4 would go alone to a cell that is taken
    assert str(GAME.parse_move(LINE, "e4e5")) == "e4e5"
    with pytest.raises(IllegalMoveError):
        GAME.parse_move(LINE, "e4e5", notation="nacre")


def test_nacre_that_fits_two_moves_is_refused_naming_both() -> None:
    # the ends of e3 e5 go to f3 and f5, those of e3 e4 to f4 and f5
    with pytest.raises(AmbiguousMoveError) as raised:
        GAME.parse_move(LINE, "e3f5", notation="nacre")
    assert str(raised.value) == "expected a move that fits once: 'e3f5' fits 'e3e4f4' and 'e3e5f3'"


@settings(max_examples=10)
@given(positions(GAME, max_plies=80))
def test_every_move_is_read_back_in_both_notations(position: Position) -> None:
    for move in position.legal_moves:
        assert GAME.parse_move(position, str(move)) == move
        text = GAME.format_move(position, move, notation="nacre")
        try:
            assert GAME.parse_move(position, text, notation="nacre") == move
        except AmbiguousMoveError as error:
            assert repr(str(move)) in str(error)  # noqa: PT017 - few texts raise


@given(positions(GAME, max_plies=80))
def test_moves_have_the_names_of_the_slow_rules(position: Position) -> None:
    slow = Slow()
    assert {str(move) for move in position.legal_moves} == slow.legal(slow.start(str(position)))


@pytest.mark.parametrize("text", ["e5f6e4", "f6e5f5"])
def test_a_group_that_cannot_step_aside_is_not_taken_for_its_neighbour(text: str) -> None:
    # e5 and f5 may step west; e5 and f6 may not, since f5 is where f6 would go
    position = board(b="e5 f5 f6")
    assert "e5f5e4" in map(str, position.legal_moves)
    with pytest.raises(IllegalMoveError, match=repr(text)):
        position.apply(text)


@given(positions(GAME, max_plies=80), st.data())
def test_a_side_step_that_is_read_moves_the_marbles_named(position: Position, data: st.DataObject) -> None:
    slow = Slow()
    legal = slow.legal(slow.start(str(position)))
    names = [f"{row}{digit}" for row in "abcdefghi" for digit in range(1, 10)]
    text = "".join(data.draw(st.sampled_from(names)) for _ in range(data.draw(st.integers(2, 3))))
    try:
        read = str(GAME.parse_move(position, text))
    except BoardgamesError:
        assert text not in legal
    else:
        assert read in legal
        assert len(read) == len(text)
        assert {read[:2], read[-4:-2]} <= {text[index : index + 2] for index in (0, 2, 4)}


MALFORMED_MOVES = [
    "", "a", "a1", "a1b", "a1b2c", "a1b2c3d4", "a1 b2", "a1-b2", "j1a1", "a0b1", "a1a1", "a1c3", "a1e5",
    "a6b6", "i1i2", "e5e5e5", "e5e6e5", "e5e9f5", "e5f7f5", "e5e6g5", "e3e4e5", "e5e4e6", "pass", "é5e6",
    "\uff411b2", "a1\nb2", "9" * 400,
]  # fmt: skip


@pytest.mark.parametrize("notation", [None, "aba-pro"])
@pytest.mark.parametrize("text", MALFORMED_MOVES)
def test_a_malformed_move_is_refused_in_one_line(text: str, notation: str | None) -> None:
    with pytest.raises(MalformedMoveError) as raised:
        GAME.parse_move(START, text, notation=notation)
    assert "\n" not in str(raised.value)
    assert repr(text.strip()[:80])[1:-1] in str(raised.value)


@pytest.mark.parametrize("text", ["", "a1", "a1b2c3", "x1y2"])
def test_malformed_nacre_is_refused(text: str) -> None:
    with pytest.raises(MalformedMoveError):
        GAME.parse_move(START, text, notation="nacre")


@pytest.mark.parametrize(
    ("notation", "text", "near"),
    [(None, "e5e6", ""), (None, "b1b3c1", "'b1c1'"), ("nacre", "e5e6", ""), ("nacre", "b1a1", "'b1c1'")],
)
def test_an_illegal_move_is_refused_with_near_ones(notation: str | None, text: str, near: str) -> None:
    with pytest.raises(IllegalMoveError, match=f"^expected a legal move: {text!r}.*{near}"):
        GAME.parse_move(START, text, notation=notation)


@given(
    st.text(string.ascii_letters[:10] + string.digits + "٣é- ", max_size=8) | st.text(),
    st.sampled_from([None, "aba-pro", "nacre"]),
)
def test_any_text_is_a_legal_move_or_a_move_error(text: str, notation: str | None) -> None:
    try:
        move = GAME.parse_move(START, text, notation=notation)
    except (MalformedMoveError, IllegalMoveError, AmbiguousMoveError) as error:
        assert "\n" not in str(error)  # noqa: PT017 - most texts raise
    else:
        assert move in START.legal_moves


def test_moves_and_positions_have_no_spaces() -> None:
    for move in START.legal_moves:
        for notation in GAME.facts.move_notations:
            text = GAME.format_move(START, move, notation=notation)
            assert text.split() == [text]


def test_packing_is_independent_of_the_order_of_marbles() -> None:
    assert np.array_equal(board(b="a1 e5", w="i9").words, board(w="i9", b="e5 a1").words)
