"""Notation of Abalone: board text and FEN, Aba-Pro and Nacre, and texts that are rejected."""

import string

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference.abalone import Abalone as Reference

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
    """Return a position with black to move: `board(b="e5 f5", w="a1")`."""
    marble_on: dict[str, str] = {}
    for side, names in marbles.items():
        marble_on |= dict.fromkeys(names.split(), side)
    rows = [
        "".join(marble_on.get(f"{row}{diagonal}", ".") for diagonal in range(first, last + 1))
        for row, first, last in zip(
            "ihgfedcba", (5, 4, 3, 2, 1, 1, 1, 1, 1), (9,) * 5 + (8, 7, 6, 5), strict=True
        )
    ]
    return GAME.parse("/".join(rows))


def test_layouts_round_trip() -> None:
    for name, text in LAYOUTS.items():
        assert str(boardgames.load("abalone", layout=name).start()) == f"{text}:b:0:0"


def test_a_board_alone_means_black_to_move_and_no_marbles_lost() -> None:
    assert GAME.parse(LAYOUTS["standard"]) == GAME.parse(LAYOUTS["standard"] + ":b:0:0")


def test_side_and_marbles_lost_round_trip() -> None:
    position = GAME.parse(f"{EMPTY}:w:2:5")
    assert (position.side_to_move, position.score, str(position)) == (1, (5, 2), f"{EMPTY}:w:2:5")


def test_playstrategys_start_is_read() -> None:
    # S is black; PlayStrategy's board is the mirror image of our layout
    assert GAME.parse(f"{BELGIAN_FEN} 0 0 b 0 1") == GAME.parse(f"{BELGIAN}:b:0:0")


def test_playstrategys_start_is_written() -> None:
    position = GAME.parse(f"{BELGIAN}:b:0:0")
    assert GAME.format(position, notation="fen") == f"{BELGIAN_FEN} 0 0 b 0 1"


def test_fen_scores_are_the_marbles_pushed_off_by_each_side() -> None:
    position = GAME.parse(f"{BELGIAN_FEN} 2 1 w 0 1")
    assert (position.score, position.side_to_move) == ((2, 1), 1)
    assert str(position) == f"{BELGIAN}:w:1:2"
    assert GAME.format(position, notation="fen") == f"{BELGIAN_FEN} 2 1 w 0 1"


@pytest.mark.parametrize("tail", ["", " 17", " 17 40"], ids=["no counts", "plies", "plies and moves"])
def test_fen_counts_are_ignored(tail: str) -> None:
    assert GAME.parse(f"{BELGIAN_FEN} 0 0 b{tail}") == GAME.parse(f"{BELGIAN}:b:0:0")


@settings(max_examples=30)
@given(positions(GAME, max_plies=40))
def test_reached_positions_round_trip_in_both_notations(position: Position) -> None:
    for notation in (None, *GAME.facts.position_notations):
        text = GAME.format(position, notation=notation)
        assert GAME.parse(text, notation=notation) == position
    assert str(position).split() == [str(position)]


MALFORMED = {
    "empty": ("", "a board has 9 rows, I to A, separated by '/', not 1: ''"),
    "eight rows": (EMPTY[:-6], "a board has 9 rows, I to A, separated by '/', not 8: "),
    "ten rows": (EMPTY + "/.....", "a board has 9 rows, I to A, separated by '/', not 10: "),
    "a short row": (EMPTY[1:], "row I must have 5 cells, not 4: '....'"),
    "a long row": (EMPTY + ".", "row A must have 5 cells, not 6: '......'"),
    "an unknown symbol": ("x" + EMPTY[1:], "row I contains 'x'; cells are '.', 'b' or 'w'"),
    "upper case": ("B" + EMPTY[1:], "row I contains 'B'; cells are '.', 'b' or 'w'"),
    "a digit": ("5" + EMPTY[5:], "row I contains '5'; cells are '.', 'b' or 'w'"),
    "no side": (f"{EMPTY}::0:0", "the side to move must be 'b' or 'w', not ''"),
    "both sides": (f"{EMPTY}:bw:0:0", "the side to move must be 'b' or 'w', not 'bw'"),
    "an unknown side": (f"{EMPTY}:r:0:0", "the side to move must be 'b' or 'w', not 'r'"),
    "a side alone": (f"{EMPTY}:b", f"'{EMPTY}:b' is not a position; write BOARD or BOARD:SIDE:LOST:LOST"),
    "five parts": (f"{EMPTY}:b:0:0:0", f"'{EMPTY}:b:0:0:0' is not a position; write BOARD or BOARD:"),
    "seven lost": (f"{EMPTY}:b:0:7", "marbles lost must be 0 to 6, not '7'"),
    "a negative count": (f"{EMPTY}:b:-1:0", "marbles lost must be 0 to 6, not '-1'"),
    "six lost by both": (f"{EMPTY}:b:6:6", "both sides have lost 6 marbles, but the match ends when one has"),
    "a count in words": (f"{EMPTY}:b:one:0", "marbles lost must be 0 to 6, not 'one'"),
    "a digit of another script": (f"{EMPTY}:b:٣:0", "marbles lost must be 0 to 6, not '٣'"),
    "two digits": (f"{EMPTY}:b:00:0", "marbles lost must be 0 to 6, not '00'"),
    "a space inside": (f"{EMPTY} :b:0:0", "the side to move must be 'b' or 'w', not ':b:0:0'"),
    "a FEN without scores": (BELGIAN_FEN + " b", "a FEN has the fields board, two scores, side to move"),
    "a FEN with a field too many": (f"{BELGIAN_FEN} 0 0 b 0 1 2", "a FEN has the fields board, two scores"),
    "a FEN of eight rows": ("5/6/7/8/9/8/7/6 0 0 b 0 1", "a board has 9 rows, I to A, separated by '/', not"),
    "a FEN with a long row": ("6/6/7/8/9/8/7/6/5 0 0 b 0 1", "row I must have 5 cells, not 6: '......'"),
    "a FEN with unknown marbles": ("b4/6/7/8/9/8/7/6/5 0 0 b 0 1", "row I contains 'b'; cells are '.', 'S'"),
    "a FEN with a zero": ("05/6/7/8/9/8/7/6/5 0 0 b 0 1", "row I contains '0'; cells are '.', 'S' or 's'"),
    "a FEN with seven": (f"{BELGIAN_FEN} 7 0 b 0 1", "marbles pushed off must be 0 to 6, not '7'"),
    "a FEN with a wrong side": (f"{BELGIAN_FEN} 0 0 B 0 1", "the side to move must be 'b' or 'w', not 'B'"),
    "a FEN with a count in words": (f"{BELGIAN_FEN} 0 0 b x 1", "'x' is not a count of plies"),
    "a FEN with a negative count": (f"{BELGIAN_FEN} 0 0 b 0 -1", "'-1' is not a count of plies"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_position_is_rejected_with_a_one_line_reason(text: str, message: str) -> None:
    with pytest.raises(PositionError) as raised:
        GAME.parse(text)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize(
    ("text", "notation"), [(f"{EMPTY}:b:0:0", "fen"), (f"{BELGIAN_FEN} 0 0 b 0 1", "board")]
)
def test_a_position_in_another_notation_than_the_given_one_is_rejected(text: str, notation: str) -> None:
    assert GAME.parse(text)
    with pytest.raises(PositionError):
        GAME.parse(text, notation=notation)


VALID = [f"{LAYOUTS['snakes']}:w:1:2", LAYOUTS["standard"], f"{BELGIAN_FEN} 2 1 w 0 1"]
SYMBOLS = st.sampled_from([*"bwSs.:/0123456789 -\n\tBW", "", "\0", "é", "٣", "\u017f", "//", "::"])


@st.composite
def mutated(draw: st.DrawFn, texts: list[str]) -> str:
    """Return a valid text with a few characters inserted, removed or replaced."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(SYMBOLS) + text[place + draw(st.integers(0, 2)) :]
    return text


@given(st.text() | mutated(VALID), st.sampled_from([None, "board", "fen"]))
@example("9" * 5000, None)
@example("\ud800", "fen")
def test_any_text_is_parsed_or_raises_a_position_error(text: str, notation: str | None) -> None:
    try:
        position = GAME.parse(text, notation=notation)
    except PositionError as error:
        assert "\n" not in str(error)  # noqa: PT017 - most texts raise
    else:
        assert GAME.parse(str(position)) == position
        assert position.outcome is not None or position.legal_moves


LINE = board(b="e3 e4 e5", w="e6")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("e3e4", "e3e4"),  # a push, written as the tail and the cell ahead of it
        ("E3E4", "e3e4"),
        ("  e3e4 ", "e3e4"),
        ("e5f5", "e5f5"),  # a single marble
        ("e3e5f3", "e3e5f3"),  # three marbles side-step
        ("E3e5F3", "e3e5f3"),
        ("e5e3f5", "e3e5f3"),  # starting from the other end
        ("e4e5d3", "e4e5d3"),
        ("e5e4d4", "e4e5d3"),
    ],
)
def test_aba_pro_moves_are_read_from_either_end_and_in_either_case(text: str, canonical: str) -> None:
    for notation in (None, "aba-pro"):
        assert str(GAME.parse_move(LINE, text, notation=notation)) == canonical


def test_side_steps_are_written_starting_with_the_lower_row_or_digit() -> None:
    column = board(b="c3 d4 e5")
    side_steps = [str(move) for move in column.legal_moves if len(str(move)) == 6]
    assert side_steps
    assert all(text[:2] < text[2:4] for text in side_steps)
    assert "c3e5d3" in side_steps


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("e3e6", "e3e4"),  # the tail, and the target of the front
        ("E3E6", "e3e4"),
        ("e3f3", "e3f3"),
        ("e3f6", "e3e5f4"),  # one end, and the target of the other
        ("e5f3", "e3e5f3"),
    ],
)
def test_nacre_moves_are_read_if_asked_for(text: str, canonical: str) -> None:
    assert str(GAME.parse_move(LINE, text, notation="nacre")) == canonical


@pytest.mark.parametrize(("text", "nacre"), [("e3e4", "e3e6"), ("e5f5", "e5f5"), ("e3e5f3", "e3f5")])
def test_nacre_moves_are_written_if_asked_for(text: str, nacre: str) -> None:
    assert GAME.format_move(LINE, GAME.parse_move(LINE, text), notation="nacre") == nacre


def test_a_text_that_means_different_moves_is_read_in_the_given_notation() -> None:
    # e4e5 is a push by e4 and e5 in Aba-Pro; in Nacre e4 would move alone to an occupied cell
    assert str(GAME.parse_move(LINE, "e4e5")) == "e4e5"
    with pytest.raises(IllegalMoveError):
        GAME.parse_move(LINE, "e4e5", notation="nacre")


def test_an_ambiguous_nacre_move_is_rejected_naming_both_moves() -> None:
    # the ends of e3 e5 go to f3 and f5, those of e3 e4 to f4 and f5
    with pytest.raises(AmbiguousMoveError) as raised:
        GAME.parse_move(LINE, "e3f5", notation="nacre")
    assert str(raised.value) == "'e3f5' is ambiguous: 'e3e4f4' or 'e3e5f3'"


@settings(max_examples=6)
@given(positions(GAME, max_plies=60))
def test_every_move_round_trips_in_both_notations(position: Position) -> None:
    for move in position.legal_moves:
        assert GAME.parse_move(position, str(move)) == move
        text = GAME.format_move(position, move, notation="nacre")
        try:
            assert GAME.parse_move(position, text, notation="nacre") == move
        except AmbiguousMoveError as error:
            assert repr(str(move)) in str(error)  # noqa: PT017 - few texts raise


@settings(max_examples=30)
@given(positions(GAME, max_plies=60))
def test_move_texts_match_the_reference(position: Position) -> None:
    reference = Reference()
    assert {str(move) for move in position.legal_moves} == reference.legal(reference.start(str(position)))


@pytest.mark.parametrize("text", ["e5f6e4", "f6e5f5"])
def test_a_blocked_side_step_is_not_read_as_that_of_another_group(text: str) -> None:
    # e5 and f5 can side-step west; e5 and f6 cannot, since f5 is the target of f6
    position = board(b="e5 f5 f6")
    assert "e5f5e4" in map(str, position.legal_moves)
    with pytest.raises(IllegalMoveError, match=repr(text)):
        position.apply(text)


@settings(max_examples=40)
@given(positions(GAME, max_plies=60), st.data())
def test_parsed_side_steps_move_the_named_marbles(position: Position, data: st.DataObject) -> None:
    reference = Reference()
    legal = reference.legal(reference.start(str(position)))
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
    "", "a", "a1", "a1b", "a1b2c", "a1b2c3d4", "a1.b2", "a1--", "j1a1", "a0b1", "a1a1", "a1c3", "a1e5",
    "a6b6", "i1i2", "e5e5e5", "e5e6e5", "e5e9f5", "e5f7f5", "e5e6g5", "e3e4e5", "e5e4e6", "pass", "é5e6",
    "\uff411b2", "a1\nb2", "9" * 400,
]  # fmt: skip


@pytest.mark.parametrize("notation", [None, "aba-pro"])
@pytest.mark.parametrize("text", MALFORMED_MOVES)
def test_a_malformed_move_is_rejected_with_a_one_line_reason(text: str, notation: str | None) -> None:
    with pytest.raises(MalformedMoveError) as raised:
        GAME.parse_move(START, text, notation=notation)
    assert "\n" not in str(raised.value)
    assert repr(text.strip()[:80])[1:-1] in str(raised.value)


@pytest.mark.parametrize("text", ["", "a1", "a1b2c3", "x1y2"])
def test_a_malformed_nacre_move_is_rejected(text: str) -> None:
    with pytest.raises(MalformedMoveError):
        GAME.parse_move(START, text, notation="nacre")


@pytest.mark.parametrize(
    ("notation", "text", "help_"),
    [
        (None, "e5e6", ": e5 is empty$"),
        (None, "b1b3c1", ": c2 is occupied$"),
        ("nacre", "e5e6", ": e5 is empty$"),
        ("nacre", "a1c2", "; did you mean .*'a1c1'"),
    ],
)
def test_an_illegal_move_is_rejected_with_a_reason_or_suggestions(
    notation: str | None, text: str, help_: str
) -> None:
    with pytest.raises(IllegalMoveError, match=f"^illegal move {text!r}{help_}"):
        GAME.parse_move(START, text, notation=notation)


@given(
    st.text(string.ascii_letters[:10] + string.digits + "٣é- ", max_size=8) | st.text(),
    st.sampled_from([None, "aba-pro", "nacre"]),
)
def test_any_text_is_a_legal_move_or_raises_a_move_error(text: str, notation: str | None) -> None:
    try:
        move = GAME.parse_move(START, text, notation=notation)
    except (MalformedMoveError, IllegalMoveError, AmbiguousMoveError) as error:
        assert "\n" not in str(error)  # noqa: PT017 - most texts raise
    else:
        assert move in START.legal_moves


def test_move_texts_have_no_spaces() -> None:
    for move in START.legal_moves:
        for notation in GAME.facts.move_notations:
            text = GAME.format_move(START, move, notation=notation)
            assert text.split() == [text]


def test_packing_does_not_depend_on_the_order_of_marbles() -> None:
    assert np.array_equal(board(b="a1 e5", w="i9").words, board(w="i9", b="e5 a1").words)
