"""Principal variation search against full minimax: with everything on but reductions, equal values."""

from dataclasses import replace

import pytest
from boardgames.search.means import Means
from boardgames.search.thinking import Thinker
from nim import Nim
from reference.minimax import search_value
from reference.repetition import NOISE, value_with_repetition
from reference.searching import CASES, EXACT, Case, lone_marbles, oracle, thinker_of

import boardgames
from boardgames.declarations import NO_EVALUATION
from boardgames.game import Move, Position
from boardgames.player import NO_CONTEXT, Analysis, Context, Limit

NAMES = pytest.mark.parametrize("name", CASES)
PATHS = replace(EXACT, quiescence=0, extensions=False)
"""What can be compared with minimax that minds repetition."""


def values(analysis: Analysis) -> dict[int, float]:
    """Return what every move is worth."""
    scale = analysis.position.game.evaluation.scale
    return {entry.move.action: search_value(entry.score, scale) for entry in analysis.moves}


def assert_exact(case: Case, thinker: Thinker, position: Position, depth: int) -> None:
    """Compare the best move and all moves with full minimax."""
    limit = Limit(depth=depth)
    found = thinker.search(position, limit, NO_CONTEXT)
    full = oracle(case, position, depth, all_moves=False, means=thinker.means)
    what = f"{position} to depth {depth}"
    scale = position.game.evaluation.scale
    expected = search_value(full.score, scale)
    assert search_value(found.score, scale) == pytest.approx(expected, abs=1e-9), what
    assert (found.depth, found.proven) == (full.depth, full.proven), what
    every = thinker.search(position, limit, NO_CONTEXT, lines=None)
    worths = values(oracle(case, position, depth, all_moves=True, means=thinker.means))
    assert values(every) == pytest.approx(worths, abs=1e-9), what


def assert_all_exact(case: Case, thinker: Thinker, count: int, seed: int) -> None:
    """Search so many positions one after another, with what is in the table by then."""
    for position, depth in case.positions(count, seed):
        assert_exact(case, thinker, position, depth)


@NAMES
def test_values_are_those_of_full_minimax(name: str) -> None:
    assert_all_exact(CASES[name], thinker_of(CASES[name]), 12, 1)


@pytest.mark.slow
@NAMES
def test_values_of_hundreds_of_positions_are_those_of_full_minimax(name: str) -> None:
    assert_all_exact(CASES[name], thinker_of(CASES[name]), 300, 2)


@NAMES
def test_values_found_by_two_threads_are_those_of_full_minimax(name: str) -> None:
    assert_all_exact(CASES[name], thinker_of(CASES[name], threads=2), 5, 3)


@pytest.mark.slow
@NAMES
def test_values_of_many_positions_found_by_two_threads_are_exact(name: str) -> None:
    assert_all_exact(CASES[name], thinker_of(CASES[name], threads=2), 60, 4)


@pytest.mark.parametrize("name", ["abalone near pushes", "connect4 of 5 x 4", "hexifence to the end"])
@pytest.mark.parametrize(
    "means",
    [
        {"table": 0},
        {"quiescence": 0},
        {"quiescence": 1},
        {"scouts": False},
        {"aspiration": False},
        {"killers": False},
        {"history": False},
        {"extensions": False},
        {"repetition": False},
        {"symmetry": True},
    ],
    ids=lambda means: "=".join(map(str, *means.items())),
)
def test_values_stay_exact_without_each_of_the_means(name: str, means: dict[str, object]) -> None:
    assert_all_exact(CASES[name], thinker_of(CASES[name], **means), 4, 5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tictactoe", "connect4 of 4 x 4", "connect4", "abalone near pushes"])
def test_values_of_many_positions_are_exact_with_keys_of_symmetric_positions(name: str) -> None:
    assert_all_exact(CASES[name], thinker_of(CASES[name], symmetry=True), 200, 6)


@pytest.mark.plain
@pytest.mark.parametrize("name", ["tictactoe", "nim", "abalone near pushes"])
def test_values_are_exact_without_compilation_too(name: str) -> None:
    case = replace(CASES[name], depth=2)
    assert_all_exact(case, thinker_of(case), 2, 7)


@pytest.mark.parametrize("name", ["abalone", "abalone near pushes"])
def test_reductions_visit_fewer_positions(name: str) -> None:
    case, nodes = CASES[name], []
    for reductions in (True, False):
        thinker = thinker_of(case, reductions=reductions)
        positions = [position for position, _ in case.positions(5, 8)]
        nodes.append(sum(thinker.search(place, Limit(depth=5), NO_CONTEXT).nodes for place in positions))
    assert nodes[0] < nodes[1]


# red wins by its third stone; by its second, after one of blue's; blue can but put it off
MATES = [
    pytest.param(boardgames.load("connect4").parse("112233"), 1, id="at once"),
    pytest.param(boardgames.load("connect4").parse("2233"), 3, id="with three in a row, both ends open"),
    pytest.param(boardgames.load("connect4").parse("22334"), -2, id="lost"),
    pytest.param(Nim(again=True).parse("6:0:0:0"), 4, id="nim"),
]


@pytest.mark.parametrize("depth", [1, 5, 9])
@pytest.mark.parametrize(("position", "plies"), MATES)
def test_a_win_is_worth_more_the_sooner_it_comes(position: Position, plies: int, depth: int) -> None:
    thinker = Thinker(position.game, NO_EVALUATION, PATHS)
    found = thinker.search(position, Limit(depth=depth), NO_CONTEXT)
    if depth < abs(plies):
        assert (search_value(found.score), found.proven) == (0, False)
    else:
        assert (found.score.win_in, found.proven) == (plies, True)


@pytest.mark.parametrize("table", [0, 1], ids=["no table", "table"])
@pytest.mark.parametrize("depth", [2, 5, 6])
def test_values_with_repetition_are_those_of_minimax_that_minds_it(depth: int, table: int) -> None:
    differs = 0
    for position in lone_marbles(25, depth):
        expected = value_with_repetition(position, NOISE, depth)
        thinker = Thinker(position.game, NOISE, replace(PATHS, table=table))
        found = thinker.search(position, Limit(depth=depth), NO_CONTEXT)
        assert search_value(found.score) == pytest.approx(expected, abs=1e-9), f"{position} to depth {depth}"
        blind = Thinker(position.game, NOISE, replace(PATHS, repetition=False))
        differs += blind.search(position, Limit(depth=depth), NO_CONTEXT).score != found.score
    assert (differs > 0) == (depth > 4)  # a marble is back after four plies, and the horizon is not compared


@pytest.mark.slow
@pytest.mark.parametrize("depth", [7, 8])
def test_values_with_repetition_are_exact_without_a_table_at_any_depth(depth: int) -> None:
    for position in lone_marbles(60, depth):
        thinker = Thinker(position.game, NOISE, replace(PATHS, table=0))
        found = thinker.search(position, Limit(depth=depth), NO_CONTEXT)
        expected = value_with_repetition(position, NOISE, depth)
        assert search_value(found.score) == pytest.approx(expected, abs=1e-9), f"{position} to depth {depth}"


@pytest.mark.parametrize("passing", [3, 6, 9])
def test_values_with_repetition_are_exact_where_a_side_may_pass(passing: int) -> None:
    game = Nim(passing=True)
    for depth in (2, 4, 7):
        position = game.parse(f"{passing}:0:0:0")
        found = Thinker(game, NO_EVALUATION, replace(PATHS, table=0)).search(
            position, Limit(depth=depth), NO_CONTEXT
        )
        assert search_value(found.score) == value_with_repetition(position, NO_EVALUATION, found.depth)


@pytest.mark.parametrize("depth", [2, 4])
def test_positions_of_the_match_count_as_repeated(depth: int) -> None:
    differs = 0
    for start in lone_marbles(6, depth + 10):
        thinker, history, position = Thinker(start.game, NOISE, PATHS), list[Position](), start
        for _ in range(6):
            context = Context(history=tuple(history))
            found = thinker.search(position, Limit(depth=depth), context)
            expected = value_with_repetition(position, NOISE, depth, history)
            assert search_value(found.score) == pytest.approx(expected, abs=1e-9)
            differs += expected != value_with_repetition(position, NOISE, depth)
            history.append(position)
            position = position.apply(found.moves[0].move)
    assert differs


def chosen(
    position: Position, history: tuple[Position, ...], depth: int, means: Means = PATHS
) -> tuple[Position, float]:
    """Return where the best move leads to, and its value."""
    found = Thinker(position.game, NOISE, means).search(
        position, Limit(depth=depth), Context(history=history)
    )
    return position.apply(found.moves[0].move), search_value(found.score)


def test_a_side_that_is_ahead_does_not_repeat() -> None:
    tried = 0
    for position in lone_marbles(30, 1):
        favourite, value = chosen(position, (), 3)
        again, later = chosen(position, (favourite,), 3)
        if value > 0 and later > 0:
            tried += 1
            assert again != favourite
    assert tried > 3


def test_a_side_that_is_behind_repeats() -> None:
    tried = 0
    for position in lone_marbles(60, 2):
        _, value = chosen(position, (), 2)
        if value < 0:
            tried += 1
            known = position.apply(Move(position.actions[-1], ""))
            assert chosen(position, (known,), 2) == (known, 0.0)
            assert chosen(position, (known,), 2, replace(PATHS, repetition=False))[1] == value
    assert tried > 3


def test_a_draw_by_repetition_is_not_proven() -> None:
    game = Nim(passing=True)
    position = game.parse("4:0:0:0")
    found = Thinker(game, NO_EVALUATION, PATHS).search(position, Limit(depth=3), NO_CONTEXT)
    assert (search_value(found.score), found.proven) == (0.0, False)
