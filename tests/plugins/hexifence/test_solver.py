"""The solver of Hexifence: known values, plain negamax, and the rules about captures."""

import random
import threading
from pathlib import Path

import numpy as np
import pytest
from reference.hexifence_values import cell_masks, move_values, random_chains, random_edges, text_of, value

import boardgames
from boardgames.errors import MatchError, OptionError, PositionError
from boardgames.game import Position
from boardgames.player import Stop
from boardgames_hexifence.board import board, cells_of, symmetries
from boardgames_hexifence.edges import member, new_edge_set, number_of
from boardgames_hexifence.features import CAPTURING, FREE, SACRIFICING, SAFE
from boardgames_hexifence.game import Hexifence, lead_of
from boardgames_hexifence.handouts import value_of_opened
from boardgames_hexifence.solver import Solver, small
from boardgames_hexifence.solver.captures import take_all
from boardgames_hexifence.solver.strings import MAX_CELLS, Frame, edge_towards, frame_of

VALUE_OF_DIMENSION_2 = -3

GAMES = {dimension: Hexifence(dimension=dimension) for dimension in range(2, 9)}


def position_of(dimension: int, open_edges: int) -> Position:
    return GAMES[dimension].parse(text_of(dimension, open_edges))


def edges_of(frame: Frame, open_edges: int, state: np.ndarray) -> int:
    """Return the open edges of a position that are left in a later state of it."""
    edges = 0
    for bit, cell in enumerate(frame.cells):
        around = board(frame.dimension).edges_of_cell[cell]
        grounded = [direction for direction in range(6) if frame.neighbours[direction, bit] == 0]
        tied = [direction for direction in range(6) if int(state[direction]) >> bit & 1]
        outer = [edge_towards(around, direction) for direction in grounded]
        outer = [edge for edge in outer if open_edges >> edge & 1][: len({*tied} & {*grounded})]
        inner = [edge_towards(around, direction) for direction in tied if direction not in grounded]
        edges |= sum(1 << edge for edge in outer) | sum(1 << edge for edge in inner if not edges >> edge & 1)
    return edges


def sample(dimension: int, count: int, most: int, seed: int) -> list[int]:
    chance = random.Random(seed)
    return [random_edges(dimension, chance.randint(1, most), chance) for _ in range(count)]


# --- values ------------------------------------------------------------------


def assert_values_are_those_of_negamax(dimension: int, sets: list[int], *, by_moves: bool) -> None:
    game = GAMES[dimension]
    solver = Solver(game, table=4, all_values=False)
    positions = [position_of(dimension, open_edges) for open_edges in sets]
    expected = [value(dimension, open_edges) for open_edges in sets]
    assert solver.values(positions) == expected
    if by_moves:
        for position, open_edges in zip(positions, sets, strict=True):
            found = {move.action: value for move, value in solver.solve(position).values.items()}
            assert found == move_values(dimension, open_edges), position


@pytest.mark.parametrize("dimension", [2, 3])
def test_values_agree_with_plain_negamax(dimension: int) -> None:
    assert_values_are_those_of_negamax(dimension, sample(dimension, 60, 9, seed=1), by_moves=True)


@pytest.mark.parametrize("dimension", [5, 6, 8])
def test_values_on_large_boards_agree_with_plain_negamax(dimension: int) -> None:
    assert_values_are_those_of_negamax(dimension, sample(dimension, 30, 9, seed=8), by_moves=True)


def test_positions_of_a_large_board_may_have_different_open_cells() -> None:
    chance, game = random.Random(9), GAMES[8]
    sets = [random_edges(8, 11, chance) for _ in range(20)]
    together = {cell for edges in sets for cell, mask in enumerate(cell_masks(8)) if edges & mask}
    assert len(together) > MAX_CELLS
    values = Solver(game, table=4).values([position_of(8, open_edges) for open_edges in sets])
    assert values == [value(8, open_edges) for open_edges in sets]


def test_values_of_chains_and_loops_agree_with_plain_negamax() -> None:
    chance = random.Random(6)
    for dimension in (4, 6):
        sets = [random_chains(dimension, 11, chance) for _ in range(10)]
        assert_values_are_those_of_negamax(dimension, sets, by_moves=False)


def test_shortest_of_isolated_chains_is_opened_first() -> None:
    edges = (88, 102, 103, 113, 144, 178, 210, 212, 217, 220, 221, 222, 230, 233, 236, 237, 247, 256, 259)
    position = position_of(6, sum(1 << edge for edge in (*edges, 269, 271, 305)))
    assert Solver(GAMES[6], table=4).values([position]) == [4]  # plain negamax finds this value in a minute


@pytest.mark.slow
@pytest.mark.parametrize(("dimension", "most"), [(4, 13), (6, 11)])
def test_values_of_many_chains_and_loops_agree_with_plain_negamax(dimension: int, most: int) -> None:
    chance = random.Random(7)
    sets = [random_chains(dimension, most, chance) for _ in range(6)]
    assert_values_are_those_of_negamax(dimension, sets, by_moves=False)
    value.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("dimension", [2, 3])
def test_values_of_many_positions_agree_with_plain_negamax(dimension: int) -> None:
    assert_values_are_those_of_negamax(dimension, sample(dimension, 50, 14, seed=2), by_moves=False)
    value.cache_clear()


@pytest.mark.slow
def test_empty_board_of_dimension_2_is_worth_minus_three() -> None:
    game = GAMES[2]
    assert Solver(game, all_values=False).values([game.start()]) == [VALUE_OF_DIMENSION_2]


def test_images_of_a_position_are_searched_once() -> None:
    solver, moves = Solver(GAMES[2], table=16, all_values=False), (0, 5, 10, 12, 21, 28, 24)
    positions = [
        GAMES[2].start().apply_moves(" ".join(str(image[edge]) for edge in moves))
        for image in symmetries(2)[0].tolist()
    ]
    first, *others = solver.values(positions[:1]) + solver.values(positions[1:])
    assert others == [first] * 11
    nodes = solver.nodes
    solver.clear()
    solver.values(positions[:1])
    assert nodes < 1.5 * solver.nodes


# --- the table of dimension 2 ------------------------------------------------


@pytest.fixture(scope="module")
def content() -> bytearray:
    return small.build()


@pytest.fixture(scope="module")
def table(content: bytearray) -> np.ndarray:
    return small.values_in(content)


def test_table_and_search_agree(table: np.ndarray) -> None:
    assert_table_agrees_with_search(table, sample(2, 300, 22, seed=9))


@pytest.mark.slow
def test_table_and_search_agree_on_4000_positions_and_the_empty_board(table: np.ndarray) -> None:
    assert table[-1] == VALUE_OF_DIMENSION_2
    assert_table_agrees_with_search(table, [(1 << 30) - 1, *sample(2, 4_000, 26, seed=10)])


def assert_table_agrees_with_search(table: np.ndarray, sets: list[int]) -> None:
    game = GAMES[2]
    positions = [game.parse(text_of(2, open_edges)) for open_edges in sets]
    found = [int(table[small.index_of(position.words)]) for position in positions]
    assert found == Solver(game, table=64, all_values=False).values(positions)


def test_table_is_kept_and_a_damaged_file_is_built_again(
    content: bytearray, table: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds = []

    def build(*, safe_first: bool) -> bytearray:
        builds.append(safe_first)
        return content

    monkeypatch.setattr(small, "build", build)
    path = tmp_path / "values"
    small.load(path)
    assert (small.load(path) == table).all()
    assert len(builds) == 1
    wrong_byte = content[:99] + b"?" + content[100:]
    for count, damaged in enumerate([bytearray(), content[:-1], wrong_byte], start=2):
        path.write_bytes(damaged)
        assert (small.load(path) == table).all()
        assert len(builds) == count
        assert path.read_bytes() == content


def test_solver_looks_values_of_dimension_2_up(home: Path) -> None:
    game = GAMES[2]
    solver = Solver(game, table=4)
    assert solver.solve(game.start()).value == VALUE_OF_DIMENSION_2
    assert solver.nodes == len(game.start().legal_moves)


@pytest.mark.parametrize(("dimension", "all_values"), [(2, True), (2, False), (3, False)])
def test_best_moves_are_those_of_the_solution(dimension: int, all_values: bool) -> None:
    solver = Solver(GAMES[dimension], table=4, all_values=all_values)
    for open_edges in sample(dimension, 40, 20, seed=6):
        position = position_of(dimension, open_edges)
        solution, moves = solver.solve(position), position.legal_moves
        assert solver.best_moves(position, moves, solution.value) == list(solution.best)
        assert solver.best_moves(position, moves[::-1], solution.value, count=1) == [solution.best[-1]]


def random_endgame(game: Hexifence, chance: random.Random) -> Position:
    """Return a position without captures and with few open edges, after a match with few mistakes."""
    position = game.start()
    while True:
        edge_set = new_edge_set(position.words)
        kind = next(kind for kind in (FREE, CAPTURING, SAFE, SACRIFICING) if number_of(edge_set, kind))
        if len(position.legal_moves) <= 11 and kind in (SAFE, SACRIFICING):
            return position
        edge = int(member(edge_set, kind, chance.randrange(number_of(edge_set, kind))))
        position = position.apply(game.decode(position, edge))
        if position.outcome is not None:
            position = game.start()


@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_a_side_wins_if_its_lead_and_the_value_are_positive(dimension: int) -> None:
    chance, solver, wins = random.Random(4), Solver(GAMES[dimension], table=4), 0
    for _ in range(30):
        position = random_endgame(GAMES[dimension], chance)
        (rest,) = solver.values([position])
        solver.clear()
        assert solver.is_won(position) is (lead_of(position) + rest > 0)
        wins += lead_of(position) + rest > 0
    assert 3 < wins < 27


def test_nobody_knows_who_wins_after_too_few_nodes() -> None:
    assert Solver(GAMES[3], table=4).is_won(GAMES[3].start(), node_limit=1_000) is None


def test_values_outside_a_window_are_its_nearest_end() -> None:
    solver = Solver(GAMES[3], table=4)
    for open_edges in sample(3, 60, 20, seed=7):
        position = position_of(3, open_edges)
        (true,) = solver.values([position])
        for low in range(true - 6, true + 6, 2):
            window = (low, low + 2)
            assert solver.bounds([position], window=window).tolist() == [[min(max(true, low), low + 2)] * 2]


# --- captures ----------------------------------------------------------------


@pytest.mark.plain
@pytest.mark.parametrize("dimension", [2, 3])
def test_value_follows_from_the_captures_and_the_value_of_the_rest(dimension: int) -> None:
    frame = frame_of(dimension, tuple(range(cells_of(dimension))))
    for open_edges in sample(dimension, 150, 9, seed=3):
        state = frame.state_of(position_of(dimension, open_edges).words)
        taken, hand_out = take_all(state, frame.neighbours)
        rest = value(dimension, edges_of(frame, open_edges, state))
        assert value_of_opened(taken, hand_out, rest) == value(dimension, open_edges)


@pytest.mark.plain
def test_nothing_can_be_captured_after_the_captures() -> None:
    frame = frame_of(3, tuple(range(cells_of(3))))
    for open_edges in sample(3, 200, 30, seed=4):
        state = frame.state_of(position_of(3, open_edges).words)
        take_all(state, frame.neighbours)
        assert take_all(state, frame.neighbours) == (0, 0)


# --- limits and errors -------------------------------------------------------


def test_a_stopped_solver_remembers_no_wrong_values() -> None:
    game = GAMES[2]
    positions = [game.parse(text_of(2, open_edges)) for open_edges in sample(2, 40, 14, seed=5)]
    start, stopped = game.start(), Solver(game, table=4, all_values=False)
    for limit in range(1, 1_500, 97):
        with pytest.raises(MatchError, match="stopped before"):
            stopped.values([start], node_limit=limit)
    assert stopped.values(positions) == Solver(game, table=4, all_values=False).values(positions)


def test_node_limit_is_kept() -> None:
    solver = Solver(GAMES[3], table=4)
    with pytest.raises(MatchError):
        solver.values([solver.game.start()], node_limit=1_000)
    assert solver.nodes == 1_000


def test_solver_stops_when_told_to() -> None:
    solver, stop = Solver(GAMES[4], table=4), Stop()
    threading.Timer(0.1, stop.set).start()
    with pytest.raises(MatchError, match="stopped before"):
        solver.values([solver.game.start()], stop=stop)


def test_bounds_of_a_stopped_search_hold() -> None:
    solver = Solver(GAMES[2], table=4, all_values=False)
    ((lower, upper),) = solver.bounds([solver.game.start()], node_limit=100_000)
    assert lower <= VALUE_OF_DIMENSION_2 <= upper
    assert lower < upper


def test_solver_rejects_other_games_and_positions() -> None:
    with pytest.raises(OptionError, match="solves Hexifence, not Connect Four"):
        Solver(boardgames.load("connect4"))
    with pytest.raises(PositionError, match="at most 64 open cells, not 91"):
        Solver(GAMES[6]).values([GAMES[6].start()])
    with pytest.raises(PositionError, match="not a position of"):
        Solver(GAMES[3]).values([GAMES[2].start()])
    game = GAMES[2]
    with pytest.raises(MatchError, match="the match is over"):
        Solver(game).solve(game.parse(text_of(2, 0)))
