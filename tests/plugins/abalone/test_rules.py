"""Rules of Abalone: every kind of move, and the kernels against slow rules on cube coordinates."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.abalone import CELLS as SLOW_CELLS
from reference.abalone import Abalone as Slow
from reference.abalone import name_of

import boardgames
from boardgames.kernels import FORCING, TACTICAL, Actions, Words, new_control
from boardgames.search.perft import count_leaves
from boardgames.testing import check_game
from boardgames_abalone.board import BIT_OF_CELL, CELL_NAMES, CELLS, DIRECTIONS, LAYOUTS, NEIGHBOURS
from boardgames_abalone.rules import (
    ACTIONS,
    TYPE_STRIDE,
    apply,
    legal_moves,
    legal_moves_in_line,
    move_order,
    outcome,
    side_to_move,
)

MoveKernel = Callable[[Words, Actions], int]
GENERATORS = {True: legal_moves, False: legal_moves_in_line}
SIDES = "bw"
CENTRE = 30
EAST = DIRECTIONS.index("east")
SEEDS = st.integers(0, 2**32 - 1)


def packed(text: str) -> Words:
    """Return the words of `BOARD:b:0:0`."""
    board, side, black_lost, white_lost = text.split(":")
    words = [0] * 5
    for cell, sign in enumerate(board.replace("/", "")):
        if sign in SIDES:
            bit = int(BIT_OF_CELL[cell])
            words[2 * SIDES.index(sign) + bit // 64] |= 1 << bit % 64
    words[4] = SIDES.index(side) | int(black_lost) << 8 | int(white_lost) << 16
    return np.array(words, dtype=np.uint64)


def unpacked(words: Words) -> str:
    """Return `BOARD:b:0:0` of words, whose guards must be empty."""
    black, white = (int(words[2 * side]) | int(words[2 * side + 1]) << 64 for side in (0, 1))
    assert not black & white
    signs = ""
    for cell in range(CELLS):
        bit = 1 << int(BIT_OF_CELL[cell])
        signs += "b" if black & bit else "w" if white & bit else "."
        black, white = black & ~bit, white & ~bit
    assert black == white == 0
    lengths, rows, start = (5, 6, 7, 8, 9, 8, 7, 6, 5), [], 0
    for length in lengths:
        rows.append(signs[start : start + length])
        start += length
    facts = int(words[4])
    return f"{'/'.join(rows)}:{SIDES[facts & 1]}:{facts >> 8 & 255}:{facts >> 16 & 255}"


def actions_of(words: Words, generator: MoveKernel = legal_moves) -> list[int]:
    """Return the legal actions."""
    moves = np.zeros(ACTIONS, dtype=np.int64)
    return moves[: generator(words, moves)].tolist()


def after(words: Words, action: int) -> Words:
    """Return the successor."""
    successor = np.full(5, 0xDEAD, dtype=np.uint64)
    apply(words, action, successor)
    return successor


def line_cells(direction: int) -> list[int]:
    """Return the nine cells of the line through the centre, in reading direction."""
    cells = [CENTRE]
    while NEIGHBOURS[cells[0], (direction + 3) % 6] >= 0:
        cells.insert(0, int(NEIGHBOURS[cells[0], (direction + 3) % 6]))
    while NEIGHBOURS[cells[-1], direction] >= 0:
        cells.append(int(NEIGHBOURS[cells[-1], direction]))
    return cells


def on_line(diagram: str, direction: int, side: int) -> Words:
    """Place nine cells on that line: `o` marbles of the side to move, `x` the other side's."""
    marbles = {"o": SIDES[side], "x": SIDES[1 - side], ".": "."}
    signs = ["."] * CELLS
    for cell, sign in zip(line_cells(direction), diagram, strict=True):
        signs[cell] = marbles[sign]
    return packed(f"{''.join(signs)}:{SIDES[side]}:0:0")


def ahead_from_tail(diagram: str, direction: int) -> int:
    """Return the in-line action of the first `o` in the diagram."""
    return direction * CELLS + line_cells(direction)[diagram.index("o")]


def reached(layout: str, seed: int, plies: int, generator: MoveKernel) -> list[Words]:
    """Return the positions of a random match."""
    choice = np.random.default_rng(seed)
    positions = [packed(f"{LAYOUTS[layout]}:b:0:0")]
    while len(positions) <= plies:
        actions = actions_of(positions[-1], generator)
        if not actions:
            break
        positions.append(after(positions[-1], actions[int(choice.integers(len(actions)))]))
    return positions


def crowded(seed: int) -> Words:
    """Return a random board of up to sixty marbles, up to five of each side lost."""
    choice = np.random.default_rng(seed)
    counts = choice.integers(1, 31, size=2)
    cells = choice.permutation(CELLS)[: counts.sum()].tolist()
    signs = ["."] * CELLS
    for index, cell in enumerate(cells):
        signs[cell] = SIDES[int(index >= counts[0])]
    lost = choice.integers(0, 6, size=2)
    return packed(f"{''.join(signs)}:{SIDES[int(choice.integers(2))]}:{lost[0]}:{lost[1]}")


def agrees_with_the_reference(words: Words, broadside: bool) -> None:
    """Make sure that kernels and slow rules give the same successors, each as often, and outcome."""
    slow = Slow(broadside=broadside)
    state = slow.start(unpacked(words))
    found = Counter(unpacked(after(words, action)) for action in actions_of(words, GENERATORS[broadside]))
    assert found == Counter(slow.text(slow.play(state, move)) for move in slow.legal(state))
    assert outcome(words) == (slow.outcome(state) if 6 in state.lost else -1)
    assert slow.outcome(state) == -1 or not found


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
    "1 ahead", "2 ahead", "3 ahead", "2v1", "3v1", "3v2", "2v1 off", "3v1 off", "3v2 off",
    "up to a gap", "gap behind the pushed", "own marble after a gap", "3v2 up to an own marble",
]  # fmt: skip
REFUSED = {
    "1v1": "...ox....",
    "1v1 at the rim": ".......ox",
    "1v2": "...oxx...",
    "2v2": "...ooxx..",
    "2v2 at the rim": ".....ooxx",
    "3v3": "..oooxxx.",
    "3v3 at the rim": "...oooxxx",
    "4v3": "oooo.xxx.",
    "4v3 in contact": "ooooxxx..",
    "4v1": "oooox....",
    "4 ahead": "oooo.....",
    "5 ahead": "ooooo....",
    "own marble behind the pushed": "..ooxo...",
    "own marble behind two pushed": "..oooxxo.",
    "own marble over the rim": "........o",
    "two own marbles over the rim": ".......oo",
    "three own marbles over the rim": "......ooo",
}


@pytest.mark.plain
@pytest.mark.parametrize("side", [0, 1], ids=["black", "white"])
@pytest.mark.parametrize("direction", range(6), ids=DIRECTIONS)
@pytest.mark.parametrize(("before", "expected"), PUSHES, ids=PUSH_IDS)
def test_a_column_moves_and_pushes(before: str, expected: str, direction: int, side: int) -> None:
    words = on_line(before, direction, side)
    action = ahead_from_tail(before, direction)
    assert action in actions_of(words)
    successor = after(words, action)
    goal = on_line(expected, direction, side)
    pushed_off = before.count("x") - expected.count("x")
    assert successor[:4].tolist() == goal[:4].tolist()
    assert int(successor[4]) == (1 - side) | pushed_off << (16 if side == 0 else 8)


@pytest.mark.plain
@pytest.mark.parametrize("side", [0, 1], ids=["black", "white"])
@pytest.mark.parametrize("direction", range(6), ids=DIRECTIONS)
@pytest.mark.parametrize("diagram", REFUSED.values(), ids=REFUSED)
def test_a_column_does_not_move(diagram: str, direction: int, side: int) -> None:
    action = ahead_from_tail(diagram, direction)
    assert action not in actions_of(on_line(diagram, direction, side))


@pytest.mark.plain
@pytest.mark.parametrize("generator", GENERATORS.values(), ids=["full", "simplified"])
def test_no_column_of_four_pushes_three_with_its_front(generator: MoveKernel) -> None:
    words = on_line("ooooxxx..", EAST, 0)
    assert [action for action in actions_of(words, generator) if action // CELLS == EAST] == []


# own group, the cells it goes to, whether it may; rows E and D in the middle of the board
BROADSIDE = {
    "two": ("oo.", "...", True),
    "three": ("ooo", "...", True),
    "two, own marble ahead": ("oo.", "o..", False),
    "two, other marble ahead of the second": ("oo.", ".x.", False),
    "three, other marble ahead of the middle": ("ooo", ".x.", False),
    "three, other marble ahead of the last": ("ooo", "..x", False),
}


@pytest.mark.plain
@pytest.mark.parametrize(("group", "targets", "is_legal"), BROADSIDE.values(), ids=BROADSIDE)
def test_a_group_steps_aside_onto_empty_cells_only(group: str, targets: str, is_legal: bool) -> None:
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
    words = packed("/".join(rows).replace("o", "b").replace("x", "w") + ":b:0:0")
    stepped = [*rows[:4], ".........", f"..{group}...", *rows[6:]]
    goal = packed("/".join(stepped).replace("o", "b").replace("x", "w") + ":w:0:0")
    successors = [after(words, action).tolist() for action in actions_of(words)]
    assert (goal.tolist() in successors) == is_legal


@pytest.mark.plain
def test_the_simplified_game_has_no_broadside_move() -> None:
    words = packed(f"{LAYOUTS['standard']}:b:0:0")
    in_line = [action for action in actions_of(words) if action < TYPE_STRIDE]
    assert actions_of(words, legal_moves_in_line) == in_line


@pytest.mark.plain
@pytest.mark.parametrize(("lost", "winner"), [("5:0", -1), ("0:5", -1), ("6:0", 1), ("0:6", 0)])
def test_six_pushed_off_end_the_match(lost: str, winner: int) -> None:
    words = packed(f"{LAYOUTS['standard']}:b:{lost}")
    assert outcome(words) == winner
    assert (actions_of(words) == []) == (winner >= 0)


@pytest.mark.plain
@pytest.mark.parametrize("side", [0, 1], ids=["black", "white"])
def test_the_sixth_push_off_wins(side: int) -> None:
    words = on_line("......oox", EAST, side)
    words[4] |= np.uint64(5 << (16 if side == 0 else 8))
    successor = after(words, ahead_from_tail("......oox", EAST))
    assert outcome(successor) == side
    assert actions_of(successor) == []


@pytest.mark.plain
@pytest.mark.parametrize("generator", GENERATORS.values(), ids=["full", "simplified"])
def test_a_stuck_side_has_no_move_and_no_outcome_of_its_own(generator: MoveKernel) -> None:
    board = "...../....../......./......../........./......../w....../ww..../bww.."
    words = packed(f"{board}:b:0:0")
    assert actions_of(words, generator) == []
    assert outcome(words) == -1
    assert Slow().outcome(Slow().start(f"{board}:b:0:0")) == 1


@pytest.mark.plain
def test_sides_alternate_from_black() -> None:
    sides = [side_to_move(words) for words in reached("standard", 1, 20, legal_moves)]
    assert sides == [0, 1] * 10 + [0]


@pytest.mark.parametrize("broadside", [True, False], ids=["full", "simplified"])
@given(layout=st.sampled_from(list(LAYOUTS)), seed=SEEDS, plies=st.integers(0, 60))
@settings(max_examples=80, deadline=None)
def test_reached_positions_have_the_successors_of_the_reference(
    broadside: bool, layout: str, seed: int, plies: int
) -> None:
    agrees_with_the_reference(reached(layout, seed, plies, GENERATORS[broadside])[-1], broadside)


@pytest.mark.slow
@pytest.mark.parametrize("broadside", [True, False], ids=["full", "simplified"])
@given(layout=st.sampled_from(list(LAYOUTS)), seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_whole_matches_have_the_successors_of_the_reference(broadside: bool, layout: str, seed: int) -> None:
    for words in reached(layout, seed, 400, GENERATORS[broadside])[::8]:
        agrees_with_the_reference(words, broadside)


@pytest.mark.plain
@pytest.mark.parametrize("broadside", [True, False], ids=["full", "simplified"])
@given(seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_crowded_boards_have_the_successors_of_the_reference(broadside: bool, seed: int) -> None:
    agrees_with_the_reference(crowded(seed), broadside)


@given(seed=SEEDS)
@settings(max_examples=200, deadline=None)
def test_every_action_of_a_crowded_board_has_a_successor_of_its_own(seed: int) -> None:
    words = crowded(seed)
    actions = actions_of(words)
    assert actions == sorted(set(actions))
    assert len({unpacked(after(words, action)) for action in actions}) == len(actions)


@given(seed=SEEDS)
@settings(max_examples=100, deadline=None)
def test_own_marbles_are_never_lost(seed: int) -> None:
    words = crowded(seed)
    side = int(words[4]) & 1
    text = unpacked(words).partition(":")[0]
    for action in actions_of(words):
        successor = unpacked(after(words, action))
        assert successor.partition(":")[0].count(SIDES[side]) == text.count(SIDES[side])
        assert successor.split(":")[2 + side] == unpacked(words).split(":")[2 + side]


@pytest.mark.plain
@given(seed=SEEDS)
@settings(max_examples=50, deadline=None)
def test_apply_and_legal_moves_leave_their_input_alone(seed: int) -> None:
    words = crowded(seed)
    before = words.tobytes()
    for action in actions_of(words):
        after(words, action)
        move_order(words, action)
    assert words.tobytes() == before


@pytest.mark.plain
@given(seed=SEEDS)
@settings(max_examples=50, deadline=None)
def test_move_order_knows_pushes_and_push_offs(seed: int) -> None:
    words = crowded(seed)
    side = int(words[4]) & 1
    for action in actions_of(words):
        successor = after(words, action)
        is_push = (
            successor[2 - 2 * side : 4 - 2 * side].tolist() != words[2 - 2 * side : 4 - 2 * side].tolist()
        )
        is_push_off = int(successor[4]) >> 8 != int(words[4]) >> 8
        order = move_order(words, action)
        assert (order in (1000, FORCING + 1), order >= TACTICAL) == (is_push_off, is_push)


def test_the_push_off_that_wins_comes_before_threats() -> None:
    board = "...../....../...bbw./......../......bbw/......../......./....../.....:b:0:"
    for lost, wins in ((4, False), (5, True)):
        position = boardgames.load("abalone").parse(f"{board}{lost}")
        first, second = sorted(position.actions, key=lambda a: -move_order(position.words, a))[:2]
        assert (position.apply(position.game.decode(position, first)).outcome is not None) is wins
        assert (move_order(position.words, second) >= FORCING) is wins


# Leaves at depth 1, 2, 3, ... by layout and with broadside moves or without
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
    positions = np.zeros((depth + 1, 5), dtype=np.uint64)
    positions[0] = packed(f"{LAYOUTS[layout]}:b:0:0")
    moves = np.zeros((depth + 1, ACTIONS), dtype=np.int64)
    leaves = count_leaves(GENERATORS[broadside], apply, positions, moves, 0, depth, new_control())
    assert leaves == PERFT[layout, broadside][depth - 1]


@pytest.mark.parametrize(("layout", "broadside"), PERFT, ids=str)
def test_perft_of_the_reference(layout: str, broadside: bool) -> None:
    slow = Slow(broadside=broadside)
    start = slow.start(f"{LAYOUTS[layout]}:b:0:0")
    counts = [len(slow.legal(slow.play(start, move))) for move in slow.legal(start)]
    assert (len(counts), sum(counts)) == PERFT[layout, broadside][:2]


def test_cells_of_the_reference_have_the_names_of_the_board() -> None:
    assert tuple(name_of(cell) for cell in SLOW_CELLS) == CELL_NAMES


@pytest.mark.slow
@pytest.mark.parametrize("broadside", [True, False], ids=["full", "simplified"])
def test_the_game_passes_every_check(broadside: bool) -> None:
    game = boardgames.load("abalone", broadside=broadside)
    report = check_game(game, matches=13, positions=40, reference=Slow(broadside=broadside))
    assert report.findings == ()
