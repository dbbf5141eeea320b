"""The state abstractions of Connect Four, compared with scans of the whole board in plain Python."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.connect4 import DIRECTIONS, ReferencePosition

import boardgames
from boardgames.errors import UnknownNameError
from boardgames.game import Position
from boardgames_connect4.value_iteration.abstraction import StateAbstraction, find_abstraction

pytestmark = pytest.mark.plain

SIZES = [(7, 6), (8, 8), (5, 4)]
DIAGONAL, GAP, OPEN_TWO = 1, 2, 4
ALL = DIAGONAL | GAP | OPEN_TWO
CHOICES = st.lists(st.integers(0, 7), max_size=60)


def abstraction(position: Position, name: str = "tops") -> StateAbstraction:
    return find_abstraction(name, position.game)


def play(size: tuple[int, int], choices: list[int]) -> tuple[Position, ReferencePosition]:
    """Return the position after a sequence of moves, in both representations."""
    position = boardgames.load("connect4", columns=size[0], rows=size[1]).start()
    reference = ReferencePosition.start(*size)
    for choice in choices:
        moves = reference.legal_moves()
        if moves:
            move = moves[choice % len(moves)]
            position, reference = position.apply(str(move)), reference.apply(move)
    return position, reference


def along(reference: ReferencePosition, cell: tuple[int, int], step: tuple[int, int], stones: str) -> int:
    """Return how many cells in a row, beginning with `cell`, have one of these contents."""
    count = 0
    while (content := reference.at(*cell)) and content in stones:
        cell = (cell[0] + step[0], cell[1] + step[1])
        count += 1
    return count


def longest_line(reference: ReferencePosition, stone: str, *, needs_room: bool) -> int:
    """Return the length of the longest run of stones; with `needs_room` only if four would fit there."""
    lengths = [0]
    for column in range(len(reference.stones)):
        for row in range(reference.rows):
            for right, up in DIRECTIONS:
                length = along(reference, (column, row), (right, up), stone)
                ahead, back = (
                    along(reference, (column, row), step, f"{stone}.")
                    for step in ((right, up), (-right, -up))
                )
                if length and (not needs_room or ahead + back - 1 >= 4):
                    lengths.append(length)
    return min(max(lengths), 4)


def expected_state(reference: ReferencePosition, stone: str) -> int:
    digits = "".join(
        "0" if not stones else "1" if stones[-1] == stone else "2" for stones in reversed(reference.stones)
    )
    return int(digits, 3)


def expected_reward(reference: ReferencePosition, stone: str, *, needs_room: bool) -> float:
    own, other = (
        longest_line(reference, colour, needs_room=needs_room) for colour in (stone, "br"[stone == "b"])
    )
    return 2 * own - (3 * other if other >= 3 else other)


def playable(reference: ReferencePosition, column: int, row: int) -> bool:
    return 0 <= column < len(reference.stones) and len(reference.stones[column]) == row < reference.rows


def holes(reference: ReferencePosition, other: str) -> set[int]:
    """Return the columns of playable holes inside diagonal lines of four."""
    found = set()
    for column in range(len(reference.stones)):
        for row in range(reference.rows):
            for up in (1, -1):
                cells = [(column + index, row + up * index) for index in range(4)]
                content = "".join(reference.at(*cell) or "#" for cell in cells)
                for hole, wanted in ((1, f"{other}.{other}{other}"), (2, f"{other}{other}.{other}")):
                    if content == wanted and playable(reference, *cells[hole]):
                        found.add(cells[hole][0])
    return found


def gaps(reference: ReferencePosition, other: str) -> set[int]:
    """Return the columns of gaps in a row that would complete four or an open three."""
    found = set()
    for column, stones in enumerate(reference.stones):
        outer, left, right, beyond = (reference.at(column + offset, len(stones)) for offset in (-2, -1, 1, 2))
        is_dangerous = other in (outer, beyond) or (outer, beyond) == (".", ".")
        if len(stones) < reference.rows and (left, right) == (other, other) and is_dangerous:
            found.add(column)
    return found


def ends_of_open_twos(reference: ReferencePosition, other: str) -> set[int]:
    """Return the columns beside two stones in a row, with one free cell there and two on the other side."""
    found = set()
    for column in range(len(reference.stones)):
        for row in range(reference.rows):
            if reference.at(column, row) == reference.at(column + 1, row) == other:
                left = [playable(reference, column - 1 - index, row) for index in range(2)]
                right = [playable(reference, column + 2 + index, row) for index in range(2)]
                if left == [True, False] and all(right):
                    found.add(column - 1)
                if right == [True, False] and all(left):
                    found.add(column + 2)
    return found


# --- states -------------------------------------------------------------------


def test_stones_1_2_1_2_in_the_first_four_of_eight_columns_are_state_70() -> None:
    position = boardgames.load("connect4", columns=8, rows=7).parse("1234")
    assert abstraction(position).states == 3**8
    assert abstraction(position).state(position.words, 0) == 70


@pytest.mark.parametrize("size", SIZES, ids=str)
@given(choices=CHOICES, side=st.integers(0, 1))
@settings(max_examples=20)
def test_state_is_the_top_stones_in_base_3(size: tuple[int, int], choices: list[int], side: int) -> None:
    position, reference = play(size, choices)
    number = abstraction(position).state(position.words, side)
    assert number == expected_state(reference, "rb"[side])
    assert 0 <= number < abstraction(position).states == 3 ** size[0]


# --- rewards ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tops", "tops-plain"])
@pytest.mark.parametrize("size", SIZES, ids=str)
@given(choices=CHOICES, side=st.integers(0, 1))
@settings(max_examples=15)
def test_reward_compares_the_longest_lines(
    name: str, size: tuple[int, int], choices: list[int], side: int
) -> None:
    position, reference = play(size, choices)
    reward = abstraction(position, name).reward(position.words, side)
    assert reward == expected_reward(reference, "rb"[side], needs_room=name == "tops")


@pytest.mark.parametrize(
    ("moves", "plain", "with_room"),
    [
        ("1", 2, 2),  # a single stone
        ("1122", 2, 2),  # two lines of two: 4 - 2
        ("112233", -3, -3),  # 6 - 9: a line of three of the opponent counts three times
        ("4142431", -3, 5),  # the three in the row have no room for four: 6 - 9, or 6 - 1
    ],
)
def test_rewards_of_known_positions(moves: str, plain: float, with_room: float) -> None:
    position = boardgames.load("connect4").parse(moves)
    side = 1 - position.side_to_move
    for name, expected in (("tops-plain", plain), ("tops", with_room)):
        assert abstraction(position, name).reward(position.words, side) == expected, name


def test_line_of_five_counts_four() -> None:
    position = boardgames.load("connect4").parse("112244553")
    assert position.outcome is not None
    assert abstraction(position).reward(position.words, 0) == 2 * 4 - 2


# --- guards -------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=str)
@given(choices=CHOICES)
@settings(max_examples=40)
def test_guards_choose_what_a_scan_of_the_board_finds(size: tuple[int, int], choices: list[int]) -> None:
    position, reference = play(size, choices)
    if position.outcome is not None:
        return
    other = "br"[reference.side_to_move == "b"]
    demanded = [find(reference, other) for find in (holes, gaps, ends_of_open_twos)]
    guard_action = abstraction(position).guard_action
    for guard, columns in zip((DIAGONAL, GAP, OPEN_TWO), demanded, strict=True):
        assert guard_action(position.words, guard) == min(columns, default=-1)
    first = next((columns for columns in demanded if columns), {-1})
    assert guard_action(position.words, ALL) == min(first)


@pytest.mark.parametrize(
    ("moves", "guard", "column"),
    [
        ("314", OPEN_TWO, 2),  # b.rr...: one free cell on the left, more on the right
        ("1122", OPEN_TWO, None),  # the cell on the left of the two is the edge
        ("45", OPEN_TWO, None),  # one stone
        ("426", GAP, 5),  # .b.r.r.: red would have an open three
        ("32561", GAP, None),  # rbr.rb.: no room for four
        ("564776677", DIAGONAL, 5),  # the hole below the third stone
    ],
)
def test_guard_demands_a_move_in_its_pattern(moves: str, guard: int, column: int | None) -> None:
    position = boardgames.load("connect4").parse(moves)
    expected = -1 if column is None else column - 1
    assert abstraction(position).guard_action(position.words, guard) == expected
    assert abstraction(position).guard_action(position.words, ALL & ~guard) == -1


def test_unknown_abstraction_is_rejected() -> None:
    with pytest.raises(UnknownNameError, match=r"no such state abstraction 'top'; did you mean 'tops'"):
        find_abstraction("top", boardgames.load("connect4"))
