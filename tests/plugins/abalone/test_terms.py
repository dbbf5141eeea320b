"""Evaluation terms against definitions computed cell by cell, and against diagrams counted by hand."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.abalone import CELLS as CUBE_CELLS
from reference.abalone import Abalone as ReferenceRules
from reference.abalone import Board
from reference.abalone_terms import features as reference_features

import boardgames
from boardgames.game import Position
from boardgames.kernels import Words
from boardgames.testing import positions
from boardgames_abalone import rules
from boardgames_abalone.board import CELLS, CENTRE, LAYOUTS
from boardgames_abalone.evaluation import engine_evaluation
from boardgames_abalone.notation import pack_marbles
from boardgames_abalone.terms import ENGINE, ENGINE_TERMS, TERM_COUNT, centre_distance, density, marbles_lost

GAME = boardgames.load("abalone")
SETS = st.sets(st.integers(0, CELLS - 1))
LOST = st.tuples(st.integers(0, 6), st.integers(0, 5))
SIDE = st.integers(0, 1)
EMPTY = "...../....../......./......../........./......../......./....../....."

FEW_LAYOUTS = list(LAYOUTS)[::8]

Policy = Callable[[Words, list[int]], int]


@pytest.mark.plain
@pytest.mark.parametrize(
    ("cells", "expected"),
    [({CENTRE}, 0.0), ({0}, 4.0), (set(range(5)), 4.0), ({CENTRE, 0}, 2.0), (set(), 0.0)],
    ids=["centre", "corner", "edge", "centre and corner", "no marble"],
)
def test_centre_distance_is_the_average_distance_to_the_centre(cells: set[int], expected: float) -> None:
    low, high, *_ = pack_marbles(cells, (), 0, (0, 0))
    assert centre_distance(low, high) == expected


@pytest.mark.plain
@pytest.mark.parametrize(
    ("cells", "expected"),
    [({CENTRE}, 0.0), ({0, 1}, 0.5), ({0, 60}, 4.0), ({0, 1, 2}, 8 / 9), (set(), 0.0)],
    ids=["one", "neighbours", "far apart", "three in line", "no marble"],
)
def test_density_divides_the_sum_of_distances_by_the_square_of_the_count(
    cells: set[int], expected: float
) -> None:
    low, high, *_ = pack_marbles(cells, (), 0, (0, 0))
    assert density(low, high) == pytest.approx(expected)


@pytest.mark.plain
@pytest.mark.parametrize("side", [0, 1])
def test_marbles_lost_are_those_of_the_side(side: int) -> None:
    assert marbles_lost(GAME.start().apply("a1b1").words[rules.STATUS], side) == 0.0
    assert marbles_lost(pack_marbles((), (), 1, (2, 5))[rules.STATUS], side) == (2.0, 5.0)[side]


def features_of(words: Words, side: int) -> list[float]:
    out = np.full(len(ENGINE.features), np.nan)
    ENGINE.kernel(words, side, out)
    return out.tolist()


def terms_of(text: str) -> dict[str, float]:
    """Return the terms of a position for the side to move, with both phases added up."""
    position = GAME.parse(text)
    numbers = features_of(position.words, position.side_to_move)
    return {
        term.name: numbers[index] + numbers[index + TERM_COUNT] for index, term in enumerate(ENGINE_TERMS)
    }


def match_positions(layout: str, plies: int, policy: Policy) -> list[Words]:
    """Return the positions of a match played by a policy."""
    words = boardgames.load("abalone", layout=layout).start().words
    moves, visited = np.zeros(rules.ACTIONS, dtype=np.int64), [words]
    for _ in range(plies):
        count = rules.legal_moves(words, moves)
        if count == 0:
            break
        successor = np.zeros(rules.WORDS, dtype=np.uint64)
        rules.apply(words, policy(words, moves[:count].tolist()), successor)
        words = successor
        visited.append(words)
    return visited


def random_policy(seed: int) -> Policy:
    random = np.random.default_rng(seed)
    return lambda words, actions: actions[int(random.integers(len(actions)))]


def greedy_policy(seed: int) -> Policy:
    """Return a policy that looks one ply ahead, and plays one move in six at random."""
    random, evaluation = np.random.default_rng(seed), engine_evaluation()
    after = np.zeros(rules.WORDS, dtype=np.uint64)

    def opponent_value(words: Words, action: int) -> float:
        rules.apply(words, action, after)
        return evaluation.value(after)

    def choose(words: Words, actions: list[int]) -> int:
        if random.random() < 1 / 6:
            return actions[int(random.integers(len(actions)))]
        return min(actions, key=lambda action: opponent_value(words, action))

    return choose


@pytest.mark.plain
@settings(max_examples=40)
@given(SETS, SETS, LOST, SIDE, SIDE)
def test_features_of_any_board_match_the_reference(
    first: set[int], second: set[int], lost: tuple[int, int], to_move: int, side: int
) -> None:
    marbles = (first - second, second)
    black, white = (frozenset(CUBE_CELLS[cell] for cell in own) for own in marbles)
    board = Board((black, white), to_move, lost)
    values = features_of(pack_marbles(*marbles, to_move, lost), side)
    assert values == pytest.approx(reference_features(board, side), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("layout", FEW_LAYOUTS)
def test_features_in_matches_agree_with_the_reference(layout: str) -> None:
    for policy in (random_policy(1), greedy_policy(2)):
        for words in match_positions(layout, 100, policy)[::4]:
            board = ReferenceRules().start(str(GAME.unpack(words)))
            for side in (0, 1):
                assert features_of(words, side) == pytest.approx(reference_features(board, side), abs=1e-9)


@pytest.mark.plain
@settings(max_examples=30)
@given(SETS, SETS, LOST, SIDE)
def test_the_two_sides_see_opposite_values(
    first: set[int], second: set[int], lost: tuple[int, int], to_move: int
) -> None:
    words = pack_marbles(first - second, second, to_move, lost)
    assert features_of(words, 0) == [-number for number in features_of(words, 1)]


@pytest.mark.plain
@settings(max_examples=10)
@given(positions(GAME, max_plies=40), SIDE)
def test_symmetric_positions_have_equal_features(position: Position, side: int) -> None:
    expected = pytest.approx(features_of(position.words, side), abs=1e-9)
    for symmetry in GAME.symmetries():
        same_side = 1 - side if symmetry.swaps_sides else side
        assert features_of(symmetry.words(position.words), same_side) == expected, symmetry.name


@pytest.mark.plain
@pytest.mark.parametrize(
    ("lost", "late"), [("0:0", 0.0), ("1:1", 0.25), ("3:1", 0.5), ("3:5", 1.0), ("5:5", 1.0)]
)
def test_the_phase_depends_on_the_marbles_lost_by_both_sides(lost: str, late: float) -> None:
    position = GAME.parse(str(GAME.start()).removesuffix("0:0") + lost)
    numbers = features_of(position.words, 0)
    assert (numbers[16], numbers[33]) == pytest.approx((1 - late, late))


@pytest.mark.plain
@pytest.mark.parametrize(
    ("row", "line", "expected"),
    [
        # the row counted from the top; the rest of the board is empty and black is to move
        (4, ".bbw.....", {"pushes": 1, "pairs": 1}),
        (4, ".wbb.....", {"pushes": 1, "edge pressure": 1}),
        (4, "..wbb....", {"pushes": 1, "push-offs": 0, "edge pressure": 0}),
        (4, "wbb......", {"pushes": 1, "push-offs": 1, "edge danger": 1}),
        (4, "wbbb.....", {"pushes": 2, "push-offs": 2, "edge danger": 1}),
        (4, ".wbbb....", {"pushes": 2, "push-offs": 0, "edge pressure": 2}),
        (4, "wwbbb....", {"pushes": 1, "push-offs": 1, "pairs": 1}),
        (4, ".wwbbb...", {"pushes": 1, "push-offs": 0, "edge pressure": 1}),
        (4, "wwwbbb...", {"pushes": 0, "push-offs": 0}),
        (4, "wwbb.....", {"pushes": 0, "push threats": 0}),
        (4, "w.wbb....", {"pushes": 1}),
        (4, "wbwbb....", {"pushes": 0, "sandwiched": 0}),  # one marble of each side
        (4, "wbw.bb...", {"sandwiched": -1}),
        (4, "bww......", {"push threats": -1, "push-off threats": -1, "edge danger": -1}),
        (4, ".bww.....", {"push threats": -1, "push-off threats": 0, "edge pressure": -1}),
        (4, "..wbw....", {"sandwiched": -1, "pushes": 0}),
        (4, "..bwb....", {"sandwiched": 1}),
        (0, "..wbb", {"pushes": 1, "edge pressure": 0}),  # along the border, not onto it
        (0, "wbb..", {"push-offs": 1}),
    ],
)  # fmt: skip
def test_terms_of_single_rows(row: int, line: str, expected: dict[str, float]) -> None:
    board = EMPTY.split("/")
    board[row] = line
    values = terms_of("/".join(board) + ":b:0:0")
    assert {name: values[name] for name in expected} == expected


@pytest.mark.plain
@pytest.mark.parametrize(
    ("board", "expected"),
    [
        # a flower has twelve pairs, and six of its marbles are one step from the centre of mass
        ("...../....../......./...bb.../...bbb.../...bb.../......./....../.....:b:0:0",
         {"flowers": 1, "pairs": 12, "spread": -6, "off centre": -6, "outside ring 1": 0}),
        ("w..../....../......./......../....b..../......../......./....../.....:b:0:0",
         {"off centre": 1, "outside ring 1": 1, "outside ring 2": 1, "border": 1, "spread": 0, "tempo": 1}),
        # opposite corners are eight steps apart, each four from their centre of mass
        ("b..../....../......./......../........./......../......./....../....b:b:0:0",
         {"spread": -32, "pairs": 0, "border": -2}),
        (f"{EMPTY}:b:2:5", {"material": 3, "lead": 21, "tempo": 1}),
        (f"{EMPTY}:w:2:5", {"material": -3, "lead": -21, "tempo": 1}),
    ],
    ids=["flower", "rings", "far apart", "lost by black", "lost by white"],
)  # fmt: skip
def test_terms_of_whole_boards(board: str, expected: dict[str, float]) -> None:
    values = terms_of(board)
    assert {name: values[name] for name in expected} == pytest.approx(expected)


def test_pushes_count_for_the_side_to_move_and_push_threats_for_the_other() -> None:
    board = "...../....../......./......../wbbb...../......../......./....../....."
    to_move, waiting = terms_of(f"{board}:b:0:0"), terms_of(f"{board}:w:0:0")
    assert (to_move["pushes"], to_move["push threats"]) == (2, 0)
    assert (waiting["pushes"], waiting["push threats"]) == (0, -2)
    assert (to_move["push-offs"], waiting["push-off threats"]) == (2, -2)


@pytest.mark.parametrize("layout", FEW_LAYOUTS)
def test_features_in_matches_stay_within_their_declared_ranges(layout: str) -> None:
    low, high = (np.array([getattr(feature, end) for feature in ENGINE.features]) for end in ("low", "high"))
    for policy in (random_policy(3), greedy_policy(4)):
        for words in match_positions(layout, 60, policy):
            numbers = np.array(features_of(words, 0))
            assert ((low <= numbers) & (numbers <= high)).all()


def test_every_range_is_centred_on_0() -> None:
    # a learned value then has no constant part, which would change its sign with the side
    assert not ENGINE.scale[0].any()
