"""The picture of an Abalone position: cells, names, score, and clicks that make the moves."""

import random
from itertools import pairwise

import numpy as np
import pytest

from boardgames.draw.text import plain_text
from boardgames_abalone import rules
from boardgames_abalone.board import BIT_OF_CELL, CELL_NAMES, CELL_OF_NAME, CELLS, LAYOUTS, NEIGHBOURS
from boardgames_abalone.notation import cells_of, format_action, parse_words
from boardgames_abalone.view import clicks, draw

POSITIONS = 60

BELGIAN_DAISY = """\
white lost 0 of 6

    I  w w . b b
   H  w w w b b b
  G  . w w . b b .
 F  . . . . . . . .
E  . . . . . . . . .
 D  . . . . . . . . 9
  C  . b b . w w . 8
   B  b b b w w w 7
    A  b b . w w 6
        1 2 3 4 5

black lost 0 of 6"""


def legal_actions(words: np.ndarray) -> list[int]:
    buffer = np.zeros(rules.ACTIONS, dtype=np.int64)
    actions: list[int] = buffer[: rules.legal_moves(words, buffer)].tolist()
    return actions


def crowded(generator: random.Random) -> np.ndarray:
    """Return a position with 9 to 14 marbles of each side on random cells."""
    words = np.zeros(rules.WORDS, dtype=np.uint64)
    cells = generator.sample(range(CELLS), 28)
    for side, count in enumerate((generator.randint(9, 14), generator.randint(9, 14))):
        for _ in range(count):
            bit = int(BIT_OF_CELL[cells.pop()])
            words[2 * side + bit // 64] |= np.uint64(1 << bit % 64)
    words[rules.STATUS] = np.uint64(generator.randint(0, 1))
    return words


def positions() -> list[np.ndarray]:
    generator = random.Random(17)
    boards = [crowded(generator) for _ in range(POSITIONS)]
    for board in LAYOUTS.values():
        words = parse_words(board)
        for _ in range(5):
            successor = np.empty_like(words)
            rules.apply(words, generator.choice(legal_actions(words)), successor)
            words = successor
            boards.append(words)
    return boards


@pytest.fixture(scope="module")
def reached() -> list[tuple[np.ndarray, list[int]]]:
    return [(words, legal_actions(words)) for words in positions()]


def test_the_text_drawing_of_belgian_daisy() -> None:
    assert plain_text(draw(parse_words(LAYOUTS["belgian-daisy"]), [])) == BELGIAN_DAISY


def test_the_rows_of_the_text_drawing_match_the_board_text() -> None:
    for text in LAYOUTS.values():
        rows = plain_text(draw(parse_words(text), [])).splitlines()[2:11]
        drawn = ["".join(symbol for symbol in row[1:] if symbol in ".bw") for row in rows]
        assert "/".join(drawn) == text


def test_cells_have_their_names_as_ids() -> None:
    assert tuple(cell.id for cell in draw(parse_words(LAYOUTS["standard"]), []).cells) == CELL_NAMES


def test_the_marbles_that_a_side_has_lost_lie_in_its_tray() -> None:
    trays = draw(parse_words(LAYOUTS["standard"] + ":b:2:5"), []).trays
    assert [(tray.side, {piece.side for piece in tray.pieces}, tray.text) for tray in trays] == [
        (0, {0}, "lost 2 of 6"),
        (1, {1}, "lost 5 of 6"),
    ]


@pytest.mark.parametrize(
    ("lost", "winning"), [("5:5", set()), ("6:2", {"black-lost-6"}), ("0:6", {"white-lost-6"})]
)
def test_the_sixth_marble_pushed_off_has_won_the_match(lost: str, winning: set[str]) -> None:
    assert draw(parse_words(f"{LAYOUTS['standard']}:b:{lost}"), []).winning == winning


def test_neighbours_are_drawn_one_unit_apart_in_their_direction() -> None:
    cells = draw(parse_words(LAYOUTS["standard"]), []).cells
    for direction, (across, down) in enumerate([(-1, 0), (-0.5, -1), (0.5, -1), (1, 0), (0.5, 1), (-0.5, 1)]):
        for cell, other in enumerate(NEIGHBOURS[:, direction]):
            if other >= 0:
                assert cells[other].x - cells[cell].x == across
                assert np.sign(round(cells[other].y - cells[cell].y, 6)) == down


def test_a_single_marble_is_moved_by_clicking_it_and_its_target() -> None:
    words = parse_words("...../....../......./......../....b..../......../......./....../.....")
    picture = draw(words, legal_actions(words))
    assert picture.clicks["e5e6"] == (("e5", "e6"),)


def test_an_in_line_move_is_clicked_from_tail_to_front() -> None:
    words = parse_words("...../....../......./......../..bbbw.../......../......./....../.....")
    assert draw(words, legal_actions(words)).clicks["e3e4"] == (("e3", "e4", "e5", "e6"), ("e3", "e5", "e6"))


def test_a_side_step_is_clicked_from_either_end_or_finished_with_the_middle() -> None:
    words = parse_words("...../....../......./......../..bbb..../......../......./....../.....")
    assert draw(words, legal_actions(words)).clicks["e3e5f4"] == (
        ("e3", "e4", "e5", "f6"),
        ("e3", "e5", "f6"),
        ("e5", "e4", "e3", "f4"),
        ("e5", "e3", "f4"),
        ("e3", "e5", "e4", "f5"),
        ("e5", "e3", "e4", "f5"),
    )


def test_every_legal_move_has_clicks(reached: list[tuple[np.ndarray, list[int]]]) -> None:
    for words, actions in reached:
        picture = draw(words, actions)
        assert list(picture.clicks) == [format_action(words, action) for action in actions]
        assert all(picture.clicks.values())


def test_no_click_sequence_is_shared_or_a_prefix_of_another(
    reached: list[tuple[np.ndarray, list[int]]],
) -> None:
    for words, actions in reached:
        sequences = sorted(sequence for action in actions for sequence in clicks(words, action))
        # in sorted order a prefix comes directly before the sequences that begin with it
        assert all(later[: len(sequence)] != sequence for sequence, later in pairwise(sequences))


def test_clicks_move_the_marbles_between_the_ends_towards_the_target(
    reached: list[tuple[np.ndarray, list[int]]],
) -> None:
    for words, actions in reached:
        side = int(words[rules.STATUS]) & 1
        for action in actions:
            successor = np.empty_like(words)
            rules.apply(words, action, successor)
            before, after = set(cells_of(words)[side]), set(cells_of(successor)[side])
            for sequence in clicks(words, action):
                *ends, target = (CELL_OF_NAME[name] for name in sequence)
                group = line(min(ends), max(ends))
                assert set(ends) <= group
                step = NEIGHBOURS[ends[-1]].tolist().index(target)
                assert group <= before
                assert (before - group) | {int(NEIGHBOURS[cell, step]) for cell in group} == after


def line(start: int, end: int) -> set[int]:
    """Return the cells from one end of a group to the other."""
    for direction in range(6):
        cells = [start]
        while cells[-1] >= 0 and cells[-1] != end:
            cells.append(int(NEIGHBOURS[cells[-1], direction]))
        if cells[-1] == end:
            return set(cells)
    raise AssertionError(f"{CELL_NAMES[start]} and {CELL_NAMES[end]} are not in line")
