"""The feature set `engine` against cells and moves walked one by one, and diagrams counted by hand."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.abalone import CELLS as PLACES
from reference.abalone import Abalone as Rules
from reference.abalone import Board
from reference.abalone_strategy import features as slow_features

import boardgames
from boardgames.game import Position
from boardgames.kernels import Words
from boardgames.testing import positions
from boardgames_abalone import rules
from boardgames_abalone.board import CELLS, LAYOUTS
from boardgames_abalone.evaluation import engine_evaluation
from boardgames_abalone.notation import pack_marbles
from boardgames_abalone.strategy import ENGINE, TERMS

GAME = boardgames.load("abalone")
SETS = st.sets(st.integers(0, CELLS - 1))
LOST = st.tuples(st.integers(0, 6), st.integers(0, 5))
SIDE = st.integers(0, 1)


def features_of(words: Words, side: int) -> list[float]:
    out = np.full(len(ENGINE.features), np.nan)
    ENGINE.kernel(words, side, out)
    return out.tolist()


def terms_of(text: str) -> dict[str, float]:
    """Return the terms of a board text for the side to move, early and late together."""
    position = GAME.parse(text)
    numbers = features_of(position.words, position.side_to_move)
    return {term.name: numbers[index] + numbers[index + len(TERMS)] for index, term in enumerate(TERMS)}


def walked(layout: str, plies: int, choose: Callable[[Words, list[int]], int]) -> list[Words]:
    """Return the positions of a match in which `choose` says what is played."""
    words = boardgames.load("abalone", layout=layout).start().words
    moves, found = np.zeros(rules.ACTIONS, dtype=np.int64), [words]
    for _ in range(plies):
        count = rules.legal_moves(words, moves)
        if count == 0:
            break
        successor = np.zeros(rules.WORDS, dtype=np.uint64)
        rules.apply(words, choose(words, moves[:count].tolist()), successor)
        words = successor
        found.append(words)
    return found


def any_move(seed: int) -> Callable[[Words, list[int]], int]:
    chance = np.random.default_rng(seed)
    return lambda words, actions: actions[int(chance.integers(len(actions)))]


def good_move(seed: int) -> Callable[[Words, list[int]], int]:
    """Return a player that looks one ply ahead, with a move in six that is any."""
    chance, evaluation = np.random.default_rng(seed), engine_evaluation()
    after = np.zeros(rules.WORDS, dtype=np.uint64)

    def worth(words: Words, action: int) -> float:
        rules.apply(words, action, after)
        return float(evaluation.kernel(after, evaluation.weights))

    def choose(words: Words, actions: list[int]) -> int:
        if chance.random() < 1 / 6:
            return actions[int(chance.integers(len(actions)))]
        return min(actions, key=lambda action: worth(words, action))

    return choose


@pytest.mark.plain
@settings(max_examples=60)
@given(SETS, SETS, LOST, SIDE, SIDE)
def test_numbers_are_what_the_slow_definitions_give_on_any_board(
    first: set[int], second: set[int], lost: tuple[int, int], to_move: int, side: int
) -> None:
    marbles = (first - second, second)
    cells = tuple(frozenset(PLACES[cell] for cell in own) for own in marbles)
    board = Board((cells[0], cells[1]), to_move, lost)
    found = features_of(pack_marbles(*marbles, to_move, lost), side)
    assert found == pytest.approx(slow_features(board, side), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_numbers_are_what_the_slow_definitions_give_in_matches(layout: str) -> None:
    for choose in (any_move(1), good_move(2)):
        for words in walked(layout, 100, choose):
            board = Rules().start(str(GAME.unpack(words)))
            for side in (0, 1):
                assert features_of(words, side) == pytest.approx(slow_features(board, side), abs=1e-9)


@pytest.mark.plain
@given(SETS, SETS, LOST, SIDE)
def test_what_one_side_has_the_other_lacks(
    first: set[int], second: set[int], lost: tuple[int, int], to_move: int
) -> None:
    words = pack_marbles(first - second, second, to_move, lost)
    assert features_of(words, 0) == [-number for number in features_of(words, 1)]


@pytest.mark.plain
@settings(max_examples=20)
@given(positions(GAME, max_plies=80), SIDE)
def test_turned_mirrored_and_swapped_boards_have_the_same_numbers(position: Position, side: int) -> None:
    expected = pytest.approx(features_of(position.words, side), abs=1e-9)
    for symmetry in GAME.symmetries():
        seen_by = 1 - side if symmetry.swaps_sides else side
        assert features_of(symmetry.words(position.words), seen_by) == expected, symmetry.name


@pytest.mark.plain
@pytest.mark.parametrize(
    ("lost", "late"), [("0:0", 0.0), ("1:1", 0.25), ("3:1", 0.5), ("3:5", 1.0), ("5:5", 1.0)]
)
def test_the_phase_goes_by_the_marbles_that_both_have_lost(lost: str, late: float) -> None:
    position = GAME.parse(str(GAME.start()).removesuffix("0:0") + lost)
    numbers = features_of(position.words, 0)
    assert (numbers[16], numbers[33]) == pytest.approx((1 - late, late))


EMPTY = "...../....../......./......../........./......../......./....../....."


@pytest.mark.plain
@pytest.mark.parametrize(
    ("row", "line", "expected"),
    [
        # rows by their number from the top, the others empty; black is to move
        (4, ".bbw.....", {"pushes at hand": 1, "pairs": 1}),
        (4, ".wbb.....", {"pushes at hand": 1, "edge pressure": 1}),
        (4, "..wbb....", {"pushes at hand": 1, "push-offs at hand": 0, "edge pressure": 0}),
        (4, "wbb......", {"pushes at hand": 1, "push-offs at hand": 1, "edge danger": 1}),
        (4, "wbbb.....", {"pushes at hand": 2, "push-offs at hand": 2, "edge danger": 1}),
        (4, ".wbbb....", {"pushes at hand": 2, "push-offs at hand": 0, "edge pressure": 2}),
        (4, "wwbbb....", {"pushes at hand": 1, "push-offs at hand": 1, "pairs": 1}),
        (4, ".wwbbb...", {"pushes at hand": 1, "push-offs at hand": 0, "edge pressure": 1}),
        (4, "wwwbbb...", {"pushes at hand": 0, "push-offs at hand": 0}),
        (4, "wwbb.....", {"pushes at hand": 0, "pushes waiting": 0}),
        (4, "w.wbb....", {"pushes at hand": 1}),
        (4, "wbwbb....", {"pushes at hand": 0, "sandwiched": 0}),  # one of each side
        (4, "wbw.bb...", {"sandwiched": -1}),
        (4, "bww......", {"pushes waiting": -1, "push-offs waiting": -1, "edge danger": -1}),
        (4, ".bww.....", {"pushes waiting": -1, "push-offs waiting": 0, "edge pressure": -1}),
        (4, "..wbw....", {"sandwiched": -1, "pushes at hand": 0}),
        (4, "..bwb....", {"sandwiched": 1}),
        (0, "..wbb", {"pushes at hand": 1, "edge pressure": 0}),  # along the border, not to it
        (0, "wbb..", {"push-offs at hand": 1}),
    ],
)  # fmt: skip
def test_diagrams_counted_by_hand(row: int, line: str, expected: dict[str, float]) -> None:
    board = EMPTY.split("/")
    board[row] = line
    found = terms_of("/".join(board) + ":b:0:0")
    assert {name: found[name] for name in expected} == expected


@pytest.mark.plain
@pytest.mark.parametrize(
    ("board", "expected"),
    [
        # a flower has twelve pairs; its spread is six marbles one step from the middle one
        ("...../....../......./...bb.../...bbb.../...bb.../......./....../.....:b:0:0",
         {"flowers": 1, "pairs": 12, "spread": -6, "off centre": -6, "outside 1": 0}),
        ("w..../....../......./......../....b..../......../......./....../.....:b:0:0",
         {"off centre": 1, "outside 1": 1, "outside 2": 1, "border": 1, "spread": 0, "tempo": 1}),
        # opposite corners: eight steps apart, each four from their middle
        ("b..../....../......./......../........./......../......./....../....b:b:0:0",
         {"spread": -32, "pairs": 0, "border": -2}),
        (f"{EMPTY}:b:2:5", {"material": 3, "lead": 21, "tempo": 1}),
        (f"{EMPTY}:w:2:5", {"material": -3, "lead": -21, "tempo": 1}),
    ],
    ids=["flower", "rings", "far apart", "lost by black", "lost by white"],
)  # fmt: skip
def test_boards_counted_by_hand(board: str, expected: dict[str, float]) -> None:
    found = terms_of(board)
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_pushes_and_push_offs_belong_to_whoever_moves() -> None:
    board = "...../....../......./......../wbbb...../......../......./....../....."
    at_hand, waiting = terms_of(f"{board}:b:0:0"), terms_of(f"{board}:w:0:0")
    assert (at_hand["pushes at hand"], at_hand["pushes waiting"]) == (2, 0)
    assert (waiting["pushes at hand"], waiting["pushes waiting"]) == (0, -2)
    assert (at_hand["push-offs at hand"], waiting["push-offs waiting"]) == (2, -2)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_numbers_of_matches_stay_within_the_declared_ranges(layout: str) -> None:
    for choose in (any_move(3), good_move(4)):
        for words in walked(layout, 60, choose):
            for number, feature in zip(features_of(words, 0), ENGINE.features, strict=True):
                assert feature.low <= number <= feature.high, feature.name


def test_every_range_has_0_in_its_middle() -> None:
    # so that a value has no constant part, which would change its sign with the side
    assert not ENGINE.scale[0].any()
