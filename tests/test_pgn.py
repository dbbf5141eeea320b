"""The syntax of records: the numbers of moves."""

import pytest

from boardgames import pgn


@pytest.mark.parametrize(
    ("sides", "line"),
    [
        ([], "1. a b 2. c d *"),
        ([0, 1, 0, 1], "1. a b 2. c d *"),
        ([1, 0, 1, 0], "1. a b 2. c d *"),
        ([0, 0, 1, 0], "1. a b 1... c 2. d *"),
        ([0, 1, 1, 0], "1. a 1... b c 2. d *"),
        ([1, 1, 0, 1], "1... a b 2. c 2... d *"),
        ([0, 0, 0, 0], "1. a b c d *"),
    ],
)
def test_move_numbers_show_who_moved_when_a_side_moves_twice(sides: list[int], line: str) -> None:
    match = pgn.MatchText([("Game", "x")], list("abcd"), [None] * 4, "*", sides=sides)
    text = pgn.format_match(match)
    assert text.splitlines()[-1] == line
    assert pgn.format_match(pgn.parse_match(text.splitlines())) == text


def test_comments_and_variations_keep_the_number_of_the_turn() -> None:
    notes = {2: pgn.Note(comments=("so",)), 3: pgn.Note(variations=(pgn.Line(("x", "y")),))}
    match = pgn.MatchText([("Game", "x")], list("abcd"), [None] * 4, "*", notes, [0, 1, 1, 0])
    text = pgn.format_match(match)
    assert text.splitlines()[-1] == "1. a 1... b {so} 1... c (1... x y) 2. d *"
    assert pgn.format_match(pgn.parse_match(text.splitlines())) == text
    assert pgn.without_values(text.replace("{so}", "{[%eval 0] so}")) == text
