"""Notations of other programs for Abalone: forms, round trips, a slow reference, and rejected texts."""

import math
import random
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference.abalone import (
    CELLS,
    DIRECTIONS,
    Board,
    Cell,
    broadside,
    groups,
    in_line,
    is_along,
    is_on_board,
    move_text,
    name_of,
)
from reference.abalone import Abalone as Reference
from reference.abalone import beside as step
from reference.abalone import rows as board_rows

import boardgames
from boardgames.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    MalformedMoveError,
    MoveError,
    PositionError,
)
from boardgames.game import Move, Position
from boardgames.plugins import load_game_of
from boardgames.reading import Defaults
from boardgames.record import parse_records
from boardgames.testing import positions
from boardgames_abalone import dialects
from boardgames_abalone.board import LAYOUTS
from boardgames_abalone.dialects import MOVE_NOTATIONS, POSITION_NOTATIONS, successors

GAME = boardgames.load("abalone")
START = GAME.start()
STANDARD = GAME.parse(LAYOUTS["standard"])
REFERENCE = Reference()
COMPASS = {
    "W": (-1, 0, 1),
    "NW": (0, -1, 1),
    "NE": (1, -1, 0),
    "E": (1, 0, -1),
    "SE": (0, 1, -1),
    "SW": (-1, 1, 0),
}
"""Steps in cube coordinates, in the order of the directions in action codes."""


def parse(position: Position, text: str, notation: str | None = None) -> str:
    """Return the canonical text of a move text."""
    return str(GAME.parse_move(position, text, notation=notation))


# --- positions ---

POSITION_FORMS = {
    "apgn": ("ww3/www3/2www2/8/9/8/2bbb2/3bbb/3bb-5b4w b",
             "ww.../www.../..www../......../........./......../..bbb../...bbb/...bb:b:5:4"),
    "apgn without losses": ("ww3/www3/2www2/8/9/8/2bbb2/3bbb/3bb-0b0w w",
                            "ww.../www.../..www../......../........./......../..bbb../...bbb/...bb:w:0:0"),
    "fen with underscores": ("5/6/7/8/4SSs2/8/7/6/5_2_1_w_0_9",
                             "...../....../......./......../....bbw../......../......./....../.....:w:1:2"),
    "course": ("w\nA1b,A2b,A3b,A4b,A5b,B1b,B2b,B3b,I5w,I6w,I7w,I8w,I9w,H4w,H5w,H6w,H7w",
               "wwwww/wwww../......./......../........./......../......./bbb.../bbbbb:w:6:5"),
    "course, small letters and spaces": (
        "B a1b a2b a3b a4b a5b b1b b2b b3b, i5w i6w i7w i8w i9w h4w h5w h6w",
        "wwwww/www.../......./......../........./......../......./bbb.../bbbbb:b:0:0"),
    "61 characters, the same from both sides": ("." * 26 + "....b.w.." + "." * 26,
                                                "...../....../......./......../....b.w../......../......./....../.....:b:0:0"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "board"), POSITION_FORMS.values(), ids=POSITION_FORMS)
def test_positions_of_other_programs_are_read(text: str, board: str) -> None:
    assert str(GAME.parse(text)) == board


@pytest.mark.parametrize("symbols", [".bw", ".BW", "012", "+@O", "*$!"])
def test_61_characters_are_read_from_the_row_that_the_notation_names(symbols: str) -> None:
    line = LAYOUTS["standard"].replace("/", "").translate(str.maketrans(".bw", symbols))
    assert GAME.parse(line, notation="line") == STANDARD
    turned = str(GAME.parse(line, notation="line-from-a"))
    assert turned == "bbbbb/bbbbbb/..bbb../......../........./......../..www../wwwwww/wwwww:b:0:0"
    with pytest.raises(PositionError, match="row I in the notation 'line', and with row A in 'line-from-a'"):
        GAME.parse(line)


def test_61_characters_may_be_in_groups_and_have_a_status() -> None:
    text = "22222 222222 0022200 00000000 000000000 00000000 0011100 111111 11111:w:1:2"
    assert str(GAME.parse(text, notation="line")) == f"{LAYOUTS['standard']}:w:1:2"


def test_positions_are_written_for_other_programs() -> None:
    position = GAME.parse(
        "w" + "A1b,A2b,A3b,A4b,A5b,B1b,B2b,B3b,B4b,I5w,I6w,I7w,I8w,H4w,H5w,H6w,H7w".join("\n\n")
    )
    assert {notation: GAME.format(position, notation=notation) for notation in POSITION_NOTATIONS} == {
        "board": "wwww./wwww../......./......../........./......../......./bbbb../bbbbb:w:5:6",
        "fen": "ssss1/ssss2/7/8/9/8/7/SSSS2/SSSSS 6 5 w 0 1",
        "apgn": "wwww1/wwww2/7/8/9/8/7/bbbb2/bbbbb-5b6w w",
        "course": "w\nA1b,A2b,A3b,A4b,A5b,B1b,B2b,B3b,B4b,H4w,H5w,H6w,H7w,I5w,I6w,I7w,I8w",
        "line": "wwww.wwww.." + "." * 39 + "bbbb..bbbbb:w:5:6",
        "line-from-a": "w:5:6:" + "bbbbbbbbb.." + "." * 39 + "wwww..wwww.",
    }


def test_the_course_has_the_marbles_lost_only_if_they_are_not_those_missing_from_14() -> None:
    start = boardgames.load("abalone", layout="atomouche").start()
    text = start.game.format(start, notation="course")
    assert text.startswith("b:0:0\nA4b,B2b,B6b,")
    assert start.game.parse(text) == start
    assert START.game.format(START, notation="course").startswith("b\nA1b,")


@pytest.mark.parametrize(
    "text", ["b\nC5b,D5w", "w\n" + ",".join(f"{row}{n}b" for row in "DEF" for n in "45678") + ",A1w"]
)
def test_nobody_has_lost_marbles_in_a_list_from_which_too_many_are_missing(text: str) -> None:
    position = GAME.parse(text)
    assert (position.score, position.outcome) == ((0, 0), None)
    assert GAME.format(position, notation="course") == text


@settings(max_examples=30)
@given(positions(GAME, max_plies=60))
def test_reached_positions_round_trip_and_match_the_reference(position: Position) -> None:
    texts = {notation: GAME.format(position, notation=notation) for notation in POSITION_NOTATIONS}
    for notation, text in texts.items():
        assert GAME.parse(text, notation=notation) == position
        assert GAME.parse(text) == position
        assert GAME.parse(text.replace("\n", "")) == position
    assert texts == position_texts(REFERENCE.start(str(position)))


def position_texts(board: Board) -> dict[str, str]:
    """Return the position in every notation, written cell by cell."""
    black, white = board.marbles
    rows = [["b" if c in black else "w" if c in white else "." for c in row] for row in board_rows()]
    side, (lost_black, lost_white) = "bw"[board.side], board.lost
    status = f":{side}:{lost_black}:{lost_white}"
    is_implied = (14 - len(black), 14 - len(white)) == board.lost

    def packed(row: list[str]) -> str:
        text, gap = "", 0
        for symbol in [*row, ""]:
            if symbol == ".":
                gap += 1
                continue
            text, gap = text + (str(gap) if gap else "") + symbol, 0
        return text

    runs = "/".join(map(packed, rows))
    ejected = f"-{lost_black}b{lost_white}w" if lost_black + lost_white else ""
    marbles = [
        f"{name.upper()}{symbol}"
        for symbol, side_marbles in zip("bw", board.marbles, strict=True)
        for name in sorted(map(name_of, side_marbles))
    ]
    return {
        "board": "/".join("".join(row) for row in rows) + status,
        "fen": f"{runs.replace('b', 'S').replace('w', 's')} {lost_white} {lost_black} {side} 0 1",
        "apgn": f"{runs}{ejected} {side}",
        "course": f"{side if is_implied else f'{side}:{lost_black}:{lost_white}'}\n{','.join(marbles)}",
        "line": "".join("".join(row) for row in rows) + status,
        "line-from-a": f"{status[1:]}:" + "".join("".join(row) for row in reversed(rows)),
    }


MALFORMED_POSITIONS = {
    "apgn without a side": ("apgn", "ww3/www3/2www2/8/9/8/2bbb2/3bbb/3bb", "a position of APGN has rows and"),
    "apgn with a short row": (None, "4/6/7/8/9/8/7/6/5 b", "row I must have 5 cells, not 4"),
    "apgn with a cut count": (None, "5/6/7/8/9/8/7/6/5-5b w", "marbles lost are written as in '-5b4w', not"),
    "apgn with seven lost": (None, "5/6/7/8/9/8/7/6/5-7b0w w", "marbles lost must be 0 to 6, not '7'"),
    "a list without a side": (None, "C5b,D5b", "a list of marbles does not say who is to move"),
    "a list with a wrong cell": (None, "b C5b,A6w", "'a6w' is not a marble such as 'C5b'"),
    "a list with a cell twice": (None, "b C5b,C5w", "there are two marbles on c5"),
    "60 characters": ("line", "." * 60, "61 characters, all from one of '.bw', '012', '+@O', '*$!', are"),
    "mixed symbols": ("line", "." * 60 + "1", "61 characters, all from one of"),
    "half a status": ("line", "." * 61 + ":b", "is not a position; write BOARD or BOARD:SIDE:LOST:LOST"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("notation", "text", "message"), MALFORMED_POSITIONS.values(), ids=MALFORMED_POSITIONS
)
def test_a_malformed_position_is_rejected_with_a_reason(
    notation: str | None, text: str, message: str
) -> None:
    with pytest.raises(PositionError) as raised:
        GAME.parse(text, notation=notation)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


# --- moves ---

ABA_PRO_SPELLINGS = ["A1B2", "a1-b2", "A1 - B2", "a1 b2", "a1,b2", "A1\u2013B2", "-a1b2"]


@pytest.mark.parametrize("text", ABA_PRO_SPELLINGS)
@pytest.mark.parametrize("notation", [None, "aba-pro"])
def test_aba_pro_moves_may_have_hyphens_spaces_and_capitals(text: str, notation: str | None) -> None:
    assert parse(START, text, notation) == "a1b2"


@pytest.mark.parametrize("text", ["c3-c5-d4", "C3 C5 D4", "c5, c3, d6", "C3C5-D4"])
def test_side_steps_may_be_spelled_in_the_same_ways(text: str) -> None:
    assert parse(STANDARD, text) == "c3c5d4"


MOVE_FORMS = [
    ("direction", "a1 NE", "a1b2"),
    ("direction", "a1ne", "a1b2"),
    ("direction", "a1,b2,c3 NE", "a1b2"),
    ("direction", "c3 a1 NE", "a1b2"),
    ("direction", "a1-c3>NE", "a1b2"),
    ("direction", "b3 E", ""),
    ("direction", "c2,c3 NW", "c2c3d2"),
    ("direction", "i9 w", "i9i8"),
    ("code", "(1,2,56)", "a1b2"),
    ("code", "1,2,56", "a1b2"),
    ("code", "1 2 56", "a1b2"),
    ("code", "[1, 2, 56]", "a1b2"),
    ("code", "2,1,45", ""),
    ("course-moves", "3:a1d4", "a1b2"),
    ("course-moves", "2:A1D4", ""),
    ("course-moves", "2:c2-c3>NW", "c2c3d2"),
    ("course-moves", "2:c3-c2>nw", "c2c3d2"),
    ("before-after", "a1,b2,c3->b2,c3,d4", "a1b2"),
    ("before-after", "(A1, C3) -> (B2, D4) INLINE BLACK", "a1b2"),
    ("before-after", "'I', ['C3', 'B2', 'A1'] => ['D4', 'C3', 'B2']", "a1b2"),
    ("before-after", "'SS', ['C2', 'C3'] => ['D2', 'D3']", "c2c3d2"),
    ("before-after", "c3,c2 \u2192 d3,d2", "c2c3d2"),
    ("before-after", "(I8, I8) -> (I7, I7) SINGLE BLACK", "i8i7"),
    ("before-after", "a1->b2", ""),
    ("before-after", "a1,b2->b2,c3", ""),
]


@pytest.mark.parametrize(("notation", "text", "canonical"), MOVE_FORMS)
def test_other_forms_of_moves_are_read_with_and_without_their_name(
    notation: str, text: str, canonical: str
) -> None:
    for name in (None, notation):
        if canonical:
            assert parse(START, text, name) == canonical
        else:
            with pytest.raises(IllegalMoveError):
                parse(START, text, name)


PUSH = GAME.parse("...../....../......./......../..bbbww../......../......./....../.....")
PUSH_OFF = GAME.parse("...../....../......./......../......bbw/......../......./....../.....")


@pytest.mark.parametrize(
    ("position", "text", "canonical", "written"),
    [
        (START, "a1d4", "a1b2", "a1d4"),  # the cell that the front marble moves to
        (PUSH, "e3e8", "e3e4", "e3e8"),  # the cell that the last pushed marble moves to
        (PUSH, "e3e6", "e3e4", "e3e8"),  # the older form: the cell that the front marble moves to
        (PUSH_OFF, "e7e9", "e7e8", "e7e9"),  # the cell from which a marble is pushed off
        (PUSH_OFF, "e7xe9", "e7e8", "e7e9"),
        (PUSH, "e3f6", "e3e5f4", "e3f6"),  # a side-step from the end that is farther from the target
        (PUSH, "e5f3", None, ""),
        (PUSH, "e5f5", "e5f5", "e5f5"),
    ],
)
def test_moves_of_playstrategy_are_read_if_asked_for(
    position: Position, text: str, canonical: str | None, written: str
) -> None:
    if canonical is None:
        canonical, written = "e3e5f3", "e5f3"
    move = GAME.parse_move(position, text, notation="playstrategy")
    assert str(move) == canonical
    assert GAME.format_move(position, move, notation="playstrategy") == written


def test_a_text_in_a_notation_that_must_be_named_is_rejected_with_both_readings() -> None:
    with pytest.raises(MalformedMoveError) as raised:
        parse(START, "a1d4")
    assert str(raised.value) == (
        "'a1d4' is not a move: a1 and d4 are not neighbours; "
        "in the notation 'nacre' or 'playstrategy' it is a1b2"
    )


REASONS = {
    "direction onto an own marble": ("b1 SW", "marbles cannot leave the board"),
    "direction off the board": ("a1 W", "marbles cannot leave the board"),
    "direction of an empty cell": ("e5 NE", "e5 is empty"),
    "direction of a part of the marbles": ("a1,b2 NE", "the marbles a1, b2, c3 would move"),
    "direction of a blocked group": ("b1,b2 NW", "c2 is occupied"),
    "code": ("1,0,40", "e6 is empty"),
    "course": ("1:e5e6", "e5 is empty"),
    "lists of an empty cell": ("e5->e6", "e5 is empty"),
    "lists of a part of the marbles": ("a1->b2", "the marbles a1, b2, c3 would move"),
    "lists of a blocked group": ("b1,b2->c1,c2", "c2 is occupied"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "reason"), REASONS.values(), ids=REASONS)
def test_an_illegal_move_in_another_form_is_rejected_with_its_reason(text: str, reason: str) -> None:
    if text == "1,0,40":
        text = "1,0,31"
    with pytest.raises(IllegalMoveError) as raised:
        parse(START, text)
    assert str(raised.value) == f"illegal move {text!r}: {reason}"


MALFORMED_MOVES = {
    "direction of four": ("direction", "a1,a2,a3,a4 E", "write marbles and a direction"),
    "a bent group": (None, "a1,a2,b3 E", "a group is two or three marbles in a line"),
    "a marble twice": (None, "a1,a1 E", "a group is two or three marbles in a line"),
    "no such cell": (None, "a9 E", "there is no cell 'a9'"),
    "type": (None, "4,0,0", "the type must be 1 to 3, not 4"),
    "direction number": (None, "1,6,0", "the direction must be 0 to 5, not 6"),
    "cell": (None, "(1,0,61)", "the cell must be 0 to 60, not 61"),
    "a code with two numbers": ("code", "1,2", "write TYPE,DIRECTION,CELL"),
    "the course's count": ("course-moves", "4:a1b2", "write moves like 1:c5c6"),
    "lists of different lengths": ("before-after", "a1,b2->b2", "as in 'a1,b2->b2,c3'"),
    "lists with two directions": (None, "a1,a2->b1,a3", "in the same direction"),
    "lists that are too far apart": (None, "a1->c3", "in the same direction"),
    "lists with no such cell": (None, "a5->a6", "there is no cell 'a6'"),
    "lists of a bent group": (None, "a1,a2,b3->b1,b2,c3", "a group is two or three marbles in a line"),
    "three cells": ("playstrategy", "a1b2c3", "write two cells"),
}  # fmt: skip


@pytest.mark.parametrize(("notation", "text", "message"), MALFORMED_MOVES.values(), ids=MALFORMED_MOVES)
def test_a_malformed_move_is_rejected_with_a_reason(notation: str | None, text: str, message: str) -> None:
    with pytest.raises(MalformedMoveError) as raised:
        parse(START, text, notation)
    assert message in str(raised.value)
    assert repr(text) in str(raised.value)


@settings(max_examples=3)
@given(positions(GAME, max_plies=60))
def test_every_move_round_trips_and_matches_the_reference(position: Position) -> None:
    expected = {texts["aba-pro"]: texts for texts, _ in reference_moves(REFERENCE.start(str(position)))}
    assert expected.keys() == {str(move) for move in position.legal_moves}
    for move in position.legal_moves:
        for notation in MOVE_NOTATIONS:
            text = GAME.format_move(position, move, notation=notation)
            assert text == expected[str(move)][notation]
            assert text.split() == [text]
            try:
                assert GAME.parse_move(position, text, notation=notation) == move
            except AmbiguousMoveError as error:
                assert notation == "nacre"
                assert repr(str(move)) in str(error)  # noqa: PT017
            if notation not in ("nacre", "playstrategy"):
                assert GAME.parse_move(position, text) == move


def reference_moves(board: Board) -> Iterator[tuple[dict[str, str], Board]]:
    """Yield the texts of each legal move by notation, and the board after it."""
    for group in groups(board.own):
        for compass, direction in COMPASS.items():
            is_broadside = len(group) > 1 and not is_along(group, direction)
            after = (broadside if is_broadside else in_line)(board, group, direction)
            if after is not None and 6 not in board.lost:
                yield move_texts(board, group, direction, compass, is_broadside), after


def move_texts(
    board: Board, group: tuple[Cell, ...], direction: Cell, compass: str, is_broadside: bool
) -> dict[str, str]:
    """Return the texts of a move, found by looking at the board instead of at actions."""
    count = len(group)
    by_name = sorted(group, key=name_of)
    if is_broadside:
        ends = by_name[0], by_name[-1]
        to = [step(end, direction) for end in ends]
        far = max((0, 1), key=lambda end: distance(ends[end], to[1 - end]))
        nacre = name_of(ends[0]) + name_of(to[1])
        playstrategy = name_of(ends[far]) + name_of(to[1 - far])
        compact = name_of(ends[0]) + name_of(ends[1]) + compass
        course = f"{count}:{name_of(ends[0])}-{name_of(ends[1])}>{compass}"
        corner = max(group, key=lambda cell: leftness(cell, direction))
    else:
        corner = next(cell for cell in group if step(cell, direction, -1) not in group)
        front = next(cell for cell in group if step(cell, direction) not in group)
        nacre = name_of(corner) + name_of(step(front, direction))
        course = f"{count}:{nacre}" + "*" * (step(front, direction) in board.other)
        target = step(front, direction)
        while target in board.other and is_on_board(step(target, direction)):
            target = step(target, direction)
        playstrategy = name_of(corner) + name_of(target)
        compact = name_of(corner) + compass
    number = list(COMPASS).index(compass)
    return {
        "aba-pro": move_text(group, direction, is_broadside),
        "nacre": nacre,
        "playstrategy": playstrategy,
        "direction": compact,
        "code": f"{count if is_broadside else 1},{number},{CELLS.index(corner)}",
        "course-moves": course,
        "before-after": "->".join(
            ",".join(sorted(map(name_of, cells)))
            for cells in (group, [step(cell, direction) for cell in group])
        ),
    }


def distance(one: Cell, other: Cell) -> int:
    """Return the number of steps between two cells."""
    return max(abs(here - there) for here, there in zip(one, other, strict=True))


def leftness(cell: Cell, direction: Cell) -> float:
    """Return how far a cell is to the left for somebody who faces a direction."""
    (x, y), (dx, dy) = ((a + b / 2, -b * math.sqrt(0.75)) for a, b, _ in (cell, direction))
    return y * dx - x * dy


# --- lines of moves ---

LINES = {
    "plain": ("a1b2 i5h5  a2b3", ["a1b2", "i5h5", "a2b3"]),
    "capitals and commas": ("A1B2, I5H5,A2B3", ["A1B2", "I5H5", "A2B3"]),
    "hyphens": ("a1-b2 c3-c5-d4 A2\u2013B3", ["a1-b2", "c3-c5-d4", "A2\u2013B3"]),
    "hyphens with spaces": ("A1 - B2 I5 - H5", ["A1 - B2", "I5 - H5"]),
    "a hyphen before the moves of white": ("a1b2 -i5h5", ["a1b2", "-i5h5"]),
    "cells": ("a1 b2 i5 h5", ["a1 b2", "i5 h5"]),
    "cells of side-steps": ("c3 c5 d4 i5 h5", ["c3 c5 d4", "i5 h5"]),
    "cells and commas between moves": ("c3 c4 d4, a1 b2", ["c3 c4 d4", "a1 b2"]),
    "commas between cells": ("a1,b2,i5,h5", ["a1 b2", "i5 h5"]),
    "directions": ("a1 NE, c3,c4,c5 E a1,b2,c3 NE", ["a1 NE", "c3,c4,c5 E", "a1,b2,c3 NE"]),
    "codes": ("(1,2,56) 1,2,5 (1, 5, 0)", ["(1,2,56)", "1,2,5", "(1, 5, 0)"]),
    "the course's moves": ("3:d5g8* 2:b2-c2>NW 1:c5c6", ["3:d5g8*", "2:b2-c2>NW", "1:c5c6"]),
    "lists of cells": ("a1,b2->b2,c3, i5->h5", ["a1,b2->b2,c3", "i5->h5"]),
    "lists in brackets": (
        "'I', ['B2', 'A1'] => ['C3', 'B2']\n(I5, I6) -> (H5, H6) SIDE_STEP WHITE",
        ["'I', ['B2', 'A1'] => ['C3', 'B2']", "(I5, I6) -> (H5, H6) SIDE_STEP WHITE"],
    ),
    "others are left as they are": ("a1b2 pass 1-0", ["a1b2", "pass", "1-0"]),
    "nothing": (" ", []),
}  # fmt: skip


@pytest.mark.parametrize(("line", "moves"), LINES.values(), ids=LINES)
def test_a_line_is_split_into_moves(line: str, moves: list[str]) -> None:
    assert GAME.split_moves(line) == moves


def test_cells_are_joined_in_pairs_in_notations_with_two_cells() -> None:
    assert GAME.split_moves("a1 d4 e9 e6", "nacre") == ["a1 d4", "e9 e6"]


def test_cells_that_can_be_grouped_in_two_ways_are_rejected_with_both() -> None:
    with pytest.raises(MalformedMoveError) as raised:
        GAME.split_moves("a1 a2 b2 b3 c3 c4")
    assert "is ambiguous: " in str(raised.value)
    assert "a1 a2, b2 b3, c3 c4" in str(raised.value)
    assert "a1 a2 b2, b3 c3 c4" in str(raised.value)


def test_a_long_text_is_not_split_again_for_every_notation() -> None:
    dialects._split.cache_clear()
    assert parse_records("a1 " * 50, load_game_of, Defaults("abalone")).errors
    assert dialects._split.cache_info().misses <= 4


def spellings(position: Position, move: Move) -> list[str]:
    """Return ways to write a move that need no name and no other move to be told apart."""
    cells = [move.text[start : start + 2] for start in range(0, len(move.text), 2)]
    names = ("direction", "code", "course-moves", "before-after")
    texts = [GAME.format_move(position, move, notation=name) for name in names]
    return [*texts, move.text, move.text.upper(), "-".join(cells), " \u2013 ".join(cells), f"({texts[1]})"]


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.sampled_from([" ", "\n", ", ", "; "]))
def test_a_match_in_any_mixture_of_forms_is_read(seed: int, separator: str) -> None:
    generator, position, texts, moves = random.Random(seed), START, list[str](), list[Move]()
    for _ in range(12):
        moves.append(generator.choice(position.legal_moves))
        texts.append(generator.choice(spellings(position, moves[-1])))
        position = position.apply(moves[-1])
    position = START
    for text, move in zip(GAME.split_moves(separator.join(texts)), moves, strict=True):
        assert GAME.parse_move(position, text) == move
        position = position.apply(move)


# --- random texts ---

CHARACTERS = st.sampled_from(
    [*"aAbceiI12356790 -,:;()[]*>xw/._@O+$!NESW\n\t\u2013\u0663\u0130\u017f\0", "NE", "a1", "b2"]
)
ANY_TEXT = st.text() | st.lists(CHARACTERS, max_size=70).map("".join)


@given(ANY_TEXT, st.sampled_from([None, *MOVE_NOTATIONS]))
@example("\u01305e", None)  # a capital i with a dot, which is an i if case does not matter
@example("1,2," + "9" * 5000, None)
@example("9" * 5000 + ",2,3", "code")
@example("a1 " * 500, "direction")
def test_any_text_is_a_legal_move_or_raises_a_move_error(text: str, notation: str | None) -> None:
    try:
        move = GAME.parse_move(START, text, notation=notation)
    except MoveError as error:
        assert "\n" not in str(error)  # noqa: PT017 - most texts raise
    else:
        assert move in START.legal_moves


@given(ANY_TEXT, st.sampled_from([None, *MOVE_NOTATIONS]))
@example("a1 " * 500, None)
@example("\x85", None)
def test_any_line_is_split_or_raises_a_move_error(text: str, notation: str | None) -> None:
    try:
        moves = GAME.split_moves(text, notation)
    except MoveError as error:
        assert "\n" not in str(error)  # noqa: PT017 - few texts raise
    else:
        assert all(move.strip() for move in moves)


@given(
    ANY_TEXT | st.lists(st.sampled_from(".bw012+@O/:"), min_size=60, max_size=63).map("".join),
    st.sampled_from([None, *POSITION_NOTATIONS]),
)
def test_any_text_is_a_position_or_raises_a_position_error(text: str, notation: str | None) -> None:
    try:
        position = GAME.parse(text, notation=notation)
    except PositionError as error:
        assert "\n" not in str(error)  # noqa: PT017 - most texts raise
    else:
        assert GAME.parse(str(position)) == position


# --- successors ---


@settings(max_examples=10)
@given(positions(GAME, max_plies=60))
def test_successors_are_listed_as_by_the_programs_of_the_course(position: Position) -> None:
    board = REFERENCE.start(str(position))
    assert successors(position) == ([] if 6 in board.lost else list(listed_successors(board)))


def listed_successors(board: Board) -> Iterator[str]:
    """Yield the lines in the order in which nested loops find the moves: in-line ones, then side-steps."""
    clockwise = [COMPASS[name] for name in ("NE", "E", "SE", "SW", "W", "NW")]
    marbles = sorted(board.own, key=name_of)
    found: list[Board | None] = []
    for tail in marbles:
        for direction in clockwise:
            lines = [tuple(step(tail, direction, place) for place in range(count)) for count in (1, 2, 3)]
            found += [in_line(board, line, direction) for line in lines if board.own.issuperset(line)]
    for first in marbles:
        for axis in (COMPASS["E"], COMPASS["NW"], COMPASS["NE"]):
            sideways = [one for one in clockwise if one not in (axis, step((0, 0, 0), axis, -1))]
            lines = [tuple(step(first, axis, place) for place in range(count)) for count in (2, 3)]
            own = [line for line in lines if board.own.issuperset(line)]
            found += [broadside(board, line, direction) for line in own for direction in sideways]
    for after in found:
        if after is not None:
            yield position_texts(after)["course"].partition("\n")[2]


def test_a_game_lists_successors_as_the_course_does_only_in_its_notation() -> None:
    assert STANDARD.game.successor_texts(STANDARD, "course") == successors(STANDARD)
    after = [STANDARD.apply(move) for move in STANDARD.legal_moves]
    assert STANDARD.game.successor_texts(STANDARD) == list(map(str, after))


def test_directions_of_the_reference_are_those_of_the_compass() -> None:
    assert set(DIRECTIONS) == set(COMPASS.values())
