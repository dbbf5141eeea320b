"""Rules of Abalone: every kind of move, and the kernels against reference rules on cube coordinates."""

from collections import Counter
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.abalone import CELLS as REFERENCE_CELLS
from reference.abalone import Abalone as Reference
from reference.abalone import name_of

import boardgames
from boardgames.kernels import FORCING, TACTICAL, Actions, Words
from boardgames_abalone.board import BIT_OF_CELL, CELL_NAMES, CELLS, DIRECTIONS, LAYOUTS, NEIGHBOURS
from boardgames_abalone.rules import (
    ACTIONS,
    TYPE_STRIDE,
    apply,
    legal_moves,
    legal_moves_in_line,
    move_order,
    outcome,
    pass_turn,
    side_to_move,
    tactical_moves,
)

MoveKernel = Callable[[Words, Actions], int]
GENERATORS = {True: legal_moves, False: legal_moves_in_line}
SIDES = "bw"
CENTRE = 30
EAST = DIRECTIONS.index("east")
SEEDS = st.integers(0, 2**32 - 1)


def pack(text: str) -> Words:
    """Return the packed position of `BOARD:b:0:0`."""
    board, side, black_lost, white_lost = text.split(":")
    words = [0] * 5
    for cell, symbol in enumerate(board.replace("/", "")):
        if symbol in SIDES:
            bit = int(BIT_OF_CELL[cell])
            words[2 * SIDES.index(symbol) + bit // 64] |= 1 << bit % 64
    words[4] = SIDES.index(side) | int(black_lost) << 8 | int(white_lost) << 16
    return np.array(words, dtype=np.uint64)


def unpack(words: Words) -> str:
    """Return the text of a packed position, whose guard bits must be clear."""
    black, white = (int(words[2 * side]) | int(words[2 * side + 1]) << 64 for side in (0, 1))
    assert not black & white
    symbols = ""
    for cell in range(CELLS):
        bit = 1 << int(BIT_OF_CELL[cell])
        symbols += "b" if black & bit else "w" if white & bit else "."
        black, white = black & ~bit, white & ~bit
    assert black == white == 0
    lengths, rows, start = (5, 6, 7, 8, 9, 8, 7, 6, 5), [], 0
    for length in lengths:
        rows.append(symbols[start : start + length])
        start += length
    status = int(words[4])
    return f"{'/'.join(rows)}:{SIDES[status & 1]}:{status >> 8 & 255}:{status >> 16 & 255}"


def actions_of(words: Words, generator: MoveKernel = legal_moves) -> list[int]:
    moves = np.zeros(ACTIONS, dtype=np.int64)
    actions: list[int] = moves[: generator(words, moves)].tolist()
    return actions


def successor_of(words: Words, action: int) -> Words:
    successor = np.full(5, 0xDEAD, dtype=np.uint64)
    apply(words, action, successor)
    return successor


def line_cells(direction: int) -> list[int]:
    """Return the nine cells of the line through the centre, in order of the direction."""
    cells = [CENTRE]
    while NEIGHBOURS[cells[0], (direction + 3) % 6] >= 0:
        cells.insert(0, int(NEIGHBOURS[cells[0], (direction + 3) % 6]))
    while NEIGHBOURS[cells[-1], direction] >= 0:
        cells.append(int(NEIGHBOURS[cells[-1], direction]))
    return cells


def on_line(diagram: str, direction: int, side: int) -> Words:
    """Return a position with marbles on that line: `o` of the side to move, `x` of the opponent."""
    marbles = {"o": SIDES[side], "x": SIDES[1 - side], ".": "."}
    symbols = ["."] * CELLS
    for cell, symbol in zip(line_cells(direction), diagram, strict=True):
        symbols[cell] = marbles[symbol]
    return pack(f"{''.join(symbols)}:{SIDES[side]}:0:0")


def in_line_action(diagram: str, direction: int) -> int:
    """Return the in-line action of the first `o` of the diagram."""
    return direction * CELLS + line_cells(direction)[diagram.index("o")]


def match_positions(layout: str, seed: int, plies: int, generator: MoveKernel) -> list[Words]:
    """Return the positions of a random match."""
    random = np.random.default_rng(seed)
    positions = [pack(f"{LAYOUTS[layout]}:b:0:0")]
    while len(positions) <= plies:
        actions = actions_of(positions[-1], generator)
        if not actions:
            break
        positions.append(successor_of(positions[-1], actions[int(random.integers(len(actions)))]))
    return positions


def crowded(seed: int) -> Words:
    """Return a random board with up to sixty marbles, and up to five lost by each side."""
    random = np.random.default_rng(seed)
    counts = random.integers(1, 31, size=2)
    cells = random.permutation(CELLS)[: counts.sum()].tolist()
    symbols = ["."] * CELLS
    for index, cell in enumerate(cells):
        symbols[cell] = SIDES[int(index >= counts[0])]
    lost = random.integers(0, 6, size=2)
    return pack(f"{''.join(symbols)}:{SIDES[int(random.integers(2))]}:{lost[0]}:{lost[1]}")


def assert_matches_reference(words: Words, broadside: bool) -> None:
    """Check that kernels and reference give the same successors, each equally often, and the same outcome."""
    reference = Reference(broadside=broadside)
    state = reference.start(unpack(words))
    actual = Counter(
        unpack(successor_of(words, action)) for action in actions_of(words, GENERATORS[broadside])
    )
    assert actual == Counter(reference.text(reference.play(state, move)) for move in reference.legal(state))
    assert outcome(words) == (reference.outcome(state) if 6 in state.lost else -1)
    assert reference.outcome(state) == -1 or not actual


PUSHES = [
    ("o........", ".o......."),
    (".oo......", "..oo....."),
    (".ooo.....", "..ooo...."),
    ("..oox....", "...oox..."),
    ("..ooox...", "...ooox.."),
    ("..oooxx..", "...oooxx."),
    ("......oox", ".......oo"),
    (".....ooox", "......ooo"),
    ("....oooxx", ".....ooox"),
    ("..oo.x...", "...oox..."),
    ("..oox.x..", "...ooxx.."),
    ("..oox.o..", "...ooxo.."),
    ("..oooxx.o", "...oooxxo"),
]
PUSH_IDS = [
    "1 alone", "2 alone", "3 alone", "2v1", "3v1", "3v2", "2v1 off", "3v1 off", "3v2 off",
    "into a gap", "pushed into a gap", "own marble after a gap", "3v2 and an own marble after a gap",
]  # fmt: skip
REFUSED = {
    "1v1": "...ox....",
    "1v1 at the edge": ".......ox",
    "1v2": "...oxx...",
    "2v2": "...ooxx..",
    "2v2 at the edge": ".....ooxx",
    "3v3": "..oooxxx.",
    "3v3 at the edge": "...oooxxx",
    "4v3": "oooo.xxx.",
    "4v3 in contact": "ooooxxx..",
    "4v1": "oooox....",
    "4 alone": "oooo.....",
    "5 alone": "ooooo....",
    "own marble behind the pushed one": "..ooxo...",
    "own marble behind two pushed ones": "..oooxxo.",
    "own marble over the edge": "........o",
    "two own marbles over the edge": ".......oo",
    "three own marbles over the edge": "......ooo",
}


@pytest.mark.plain
@pytest.mark.parametrize(("before", "expected"), PUSHES, ids=PUSH_IDS)
def test_legal_in_line_moves(before: str, expected: str) -> None:
    for direction, side in product(range(6), (0, 1)):
        words = on_line(before, direction, side)
        action = in_line_action(before, direction)
        assert action in actions_of(words), (direction, side)
        successor = successor_of(words, action)
        goal = on_line(expected, direction, side)
        pushed_off = before.count("x") - expected.count("x")
        assert successor[:4].tolist() == goal[:4].tolist(), (direction, side)
        assert int(successor[4]) == (1 - side) | pushed_off << (16 if side == 0 else 8), (direction, side)


@pytest.mark.plain
@pytest.mark.parametrize("diagram", REFUSED.values(), ids=REFUSED)
def test_illegal_in_line_moves(diagram: str) -> None:
    for direction, side in product(range(6), (0, 1)):
        action = in_line_action(diagram, direction)
        assert action not in actions_of(on_line(diagram, direction, side)), (direction, side)


@pytest.mark.plain
@pytest.mark.parametrize("generator", GENERATORS.values(), ids=["full", "in-line only"])
def test_a_column_of_four_cannot_push_three(generator: MoveKernel) -> None:
    words = on_line("ooooxxx..", EAST, 0)
    assert [action for action in actions_of(words, generator) if action // CELLS == EAST] == []


# own group in row E, its target cells in row D, and whether the side-step is legal
BROADSIDE = {
    "two": ("oo.", "...", True),
    "three": ("ooo", "...", True),
    "two, own marble in the way": ("oo.", "o..", False),
    "two, opposing marble in the way of the second": ("oo.", ".x.", False),
    "three, opposing marble in the way of the middle one": ("ooo", ".x.", False),
    "three, opposing marble in the way of the last": ("ooo", "..x", False),
}


@pytest.mark.plain
@pytest.mark.parametrize(("group", "targets", "is_legal"), BROADSIDE.values(), ids=BROADSIDE)
def test_side_steps_need_empty_target_cells(group: str, targets: str, is_legal: bool) -> None:
    rows = [
        ".....",
        "......",
        ".......",
        "........",
        f"..{group}....",
        f"..{targets}...",
        ".......",
        "......",
        ".....",
    ]
    words = pack("/".join(rows).replace("o", "b").replace("x", "w") + ":b:0:0")
    stepped = [*rows[:4], ".........", f"..{group}...", *rows[6:]]
    goal = pack("/".join(stepped).replace("o", "b").replace("x", "w") + ":w:0:0")
    successors = [successor_of(words, action).tolist() for action in actions_of(words)]
    assert (goal.tolist() in successors) == is_legal


@pytest.mark.plain
def test_broadside_moves_are_left_out_of_in_line_moves() -> None:
    words = pack(f"{LAYOUTS['standard']}:b:0:0")
    in_line = [action for action in actions_of(words) if action < TYPE_STRIDE]
    assert actions_of(words, legal_moves_in_line) == in_line


@pytest.mark.plain
@pytest.mark.parametrize(("lost", "winner"), [("5:0", -1), ("0:5", -1), ("6:0", 1), ("0:6", 0)])
def test_losing_six_marbles_ends_the_match(lost: str, winner: int) -> None:
    words = pack(f"{LAYOUTS['standard']}:b:{lost}")
    assert outcome(words) == winner
    assert (actions_of(words) == []) == (winner >= 0)


@pytest.mark.plain
@pytest.mark.parametrize("side", [0, 1], ids=["black", "white"])
def test_the_sixth_push_off_wins(side: int) -> None:
    words = on_line("......oox", EAST, side)
    words[4] |= np.uint64(5 << (16 if side == 0 else 8))
    successor = successor_of(words, in_line_action("......oox", EAST))
    assert outcome(successor) == side
    assert actions_of(successor) == []


@pytest.mark.plain
@pytest.mark.parametrize("generator", GENERATORS.values(), ids=["full", "in-line only"])
def test_a_side_without_moves_has_no_outcome_in_the_kernel(generator: MoveKernel) -> None:
    board = "...../....../......./......../........./......../w....../ww..../bww.."
    words = pack(f"{board}:b:0:0")
    assert actions_of(words, generator) == []
    assert outcome(words) == -1
    assert Reference().outcome(Reference().start(f"{board}:b:0:0")) == 1


@pytest.mark.plain
def test_sides_alternate_and_black_starts() -> None:
    sides = [side_to_move(words) for words in match_positions("standard", 1, 20, legal_moves)]
    assert sides == [0, 1] * 10 + [0]


@pytest.mark.parametrize("broadside", [True, False], ids=["full", "in-line only"])
@given(layout=st.sampled_from(list(LAYOUTS)), seed=SEEDS, plies=st.integers(0, 60))
@settings(max_examples=40)
def test_successors_of_reached_positions_match_the_reference(
    broadside: bool, layout: str, seed: int, plies: int
) -> None:
    assert_matches_reference(match_positions(layout, seed, plies, GENERATORS[broadside])[-1], broadside)


@pytest.mark.slow
@pytest.mark.parametrize("broadside", [True, False], ids=["full", "in-line only"])
@given(layout=st.sampled_from(list(LAYOUTS)), seed=SEEDS)
@settings(max_examples=8)
def test_successors_in_whole_matches_match_the_reference(broadside: bool, layout: str, seed: int) -> None:
    for words in match_positions(layout, seed, 400, GENERATORS[broadside])[::20]:
        assert_matches_reference(words, broadside)


@pytest.mark.plain
@pytest.mark.parametrize("broadside", [True, False], ids=["full", "in-line only"])
@given(seed=SEEDS)
@settings(max_examples=30)
def test_successors_of_crowded_boards_match_the_reference(broadside: bool, seed: int) -> None:
    assert_matches_reference(crowded(seed), broadside)


@given(seed=SEEDS)
@settings(max_examples=60)
def test_actions_are_ascending_and_have_different_successors(seed: int) -> None:
    words = crowded(seed)
    actions = actions_of(words)
    assert actions == sorted(set(actions))
    assert len({unpack(successor_of(words, action)) for action in actions}) == len(actions)


@given(seed=SEEDS)
@settings(max_examples=50)
def test_own_marbles_are_never_lost(seed: int) -> None:
    words = crowded(seed)
    side = int(words[4]) & 1
    text = unpack(words).partition(":")[0]
    for action in actions_of(words):
        successor = unpack(successor_of(words, action))
        assert successor.partition(":")[0].count(SIDES[side]) == text.count(SIDES[side])
        assert successor.split(":")[2 + side] == unpack(words).split(":")[2 + side]


@pytest.mark.plain
@given(seed=SEEDS)
@settings(max_examples=20)
def test_kernels_do_not_change_their_input(seed: int) -> None:
    words = crowded(seed)
    before = words.tobytes()
    for action in actions_of(words):
        successor_of(words, action)
        move_order(words, action)
    assert words.tobytes() == before


@pytest.mark.plain
@given(seed=SEEDS)
@settings(max_examples=25)
def test_move_order_ranks_pushes_and_push_offs(seed: int) -> None:
    words = crowded(seed)
    side = int(words[4]) & 1
    for action in actions_of(words):
        successor = successor_of(words, action)
        is_push = (
            successor[2 - 2 * side : 4 - 2 * side].tolist() != words[2 - 2 * side : 4 - 2 * side].tolist()
        )
        is_push_off = int(successor[4]) >> 8 != int(words[4]) >> 8
        rank = move_order(words, action)
        assert (rank in (1000, FORCING + 1), rank >= TACTICAL) == (is_push_off, is_push)


def on_border(words: Words, side: int) -> int:
    """Return the number of marbles of a side that have a neighbour off the board."""
    symbols = unpack(words).partition(":")[0].replace("/", "")
    return sum(symbols[cell] == SIDES[side] and bool((NEIGHBOURS[cell] < 0).any()) for cell in range(CELLS))


@pytest.mark.plain
@given(seed=SEEDS)
@settings(max_examples=25)
def test_tactical_moves_are_push_offs_and_pushes_to_the_border(seed: int) -> None:
    words = crowded(seed)
    side = int(words[4]) & 1
    expected = []
    for action in actions_of(words):
        successor = successor_of(words, action)
        is_push_off = int(successor[4]) >> 8 != int(words[4]) >> 8
        if is_push_off or on_border(successor, 1 - side) > on_border(words, 1 - side):
            expected.append(action)
    assert actions_of(words, tactical_moves) == expected


@pytest.mark.plain
def test_pass_turn_changes_the_side_to_move_only() -> None:
    words, successor = crowded(1), np.zeros(5, dtype=np.uint64)
    pass_turn(words, successor)
    assert unpack(successor).split(":")[0] == unpack(words).split(":")[0]
    assert int(successor[4]) == int(words[4]) ^ 1


def test_a_winning_push_off_ranks_above_threats() -> None:
    board = "...../....../...bbw./......../......bbw/......../......./....../.....:b:0:"
    for lost, wins in ((4, False), (5, True)):
        position = boardgames.load("abalone").parse(f"{board}{lost}")
        first, second = sorted(position.actions, key=lambda a: -move_order(position.words, a))[:2]
        assert (position.apply(position.game.decode(position, first)).outcome is not None) is wins
        assert (move_order(position.words, second) >= FORCING) is wins


# leaf counts from depth 1, by layout and with or without broadside moves
PERFT = {
    ("standard", True): (44, 1936, 98912, 5045110),
    ("standard", False): (34, 1156, 45356, 1778714),
    ("belgian-daisy", True): (52, 2692, 149322, 8270666),
    ("belgian-daisy", False): (44, 1922, 87686, 3997062),
    ("german-daisy", True): (80, 6244, 493480, 38240570),
    ("german-daisy", False): (64, 4044, 255988, 16038656),
}
PERFT_CASES = [
    pytest.param(layout, broadside, depth, marks=[pytest.mark.plain] if depth < 3 else [])
    for layout, broadside in PERFT
    for depth in range(1, 5)
]


@pytest.mark.parametrize(("layout", "broadside", "depth"), PERFT_CASES)
def test_perft_counts(layout: str, broadside: bool, depth: int) -> None:
    start = boardgames.load("abalone", layout=layout, broadside=broadside).start()
    assert boardgames.perft(start, depth) == PERFT[layout, broadside][depth - 1]


@pytest.mark.parametrize("layout", ["standard", "belgian-daisy"])
@pytest.mark.parametrize("broadside", [True, False], ids=["full", "in-line only"])
def test_perft_counts_of_the_reference(layout: str, broadside: bool) -> None:
    reference = Reference(broadside=broadside)
    start = reference.start(f"{LAYOUTS[layout]}:b:0:0")
    counts = [len(reference.legal(reference.play(start, move))) for move in reference.legal(start)]
    assert (len(counts), sum(counts)) == PERFT[layout, broadside][:2]


def test_the_reference_has_the_same_cell_names() -> None:
    assert tuple(name_of(cell) for cell in REFERENCE_CELLS) == CELL_NAMES
