"""The solver of Connect Four: known values, a slow solver, and another program."""

import random
import threading
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from reference.connect4 import FIRST_MOVE_SCORES, VALUES, ReferencePosition, ReferenceSolver
from reference.connect4_search import Cells, descendants, plain_scores, random_positions, text_of

import boardgames
from boardgames.errors import MatchError, OptionError, PositionError
from boardgames.game import Game, Position
from boardgames.kernels import Words
from boardgames.player import Stop
from boardgames_connect4.board import Board
from boardgames_connect4.solver import Solver
from boardgames_connect4.solver.geometry import geometry_of
from boardgames_connect4.solver.table import MULTIPLIER, TAG_SHIFT, bucket_of, key_of, tag_bits, tag_of

SOLVED_SIZES = [
    (5, 4),
    *(pytest.param(size, marks=pytest.mark.slow) for size in ((4, 4), (4, 7), (8, 4), (6, 6))),
]
"""Each size has kernels of its own, which take seconds to compile; 7 x 6 has a test of its own.
`make bench ARGS=solver-long` solves larger boards."""
COMPARED_SIZES = [(4, 4), (7, 6), (8, 5), (7, 7), (4, 8), (7, 8), (8, 8)]
"""The smallest and the largest boards, odd and even numbers, and the only board without guard bits."""


def connect4(columns: int = 7, rows: int = 6) -> Game:
    return boardgames.load("connect4", columns=columns, rows=rows)


def random_position(game: Game, left: int, chance: random.Random) -> Position:
    """Return a position of an unfinished match with `left` empty cells."""
    assert game.facts.longest_match is not None
    while True:
        position = game.start()
        for _ in range(game.facts.longest_match - left):
            successors = [position.apply(move) for move in position.legal_moves]
            ongoing = [successor for successor in successors if successor.outcome is None]
            if not ongoing:
                break
            position = chance.choice(ongoing)
        else:
            return position


def as_reference(position: Position, game: Game) -> ReferencePosition:
    rows = str(position).split("/")[::-1]
    return ReferencePosition(
        tuple("".join(column).rstrip(".") for column in zip(*rows, strict=True)), len(rows)
    )


def packed(cells: Cells) -> Words:
    """Return positions of stones by column and row as the solver has them."""
    columns, rows = cells.shape[1:]
    board = Board(columns, rows)
    bits = np.array(
        [[1 << board.bit(column, row) for row in range(rows)] for column in range(columns)], dtype=np.uint64
    )
    first, second = ((bits * (cells == stone)).sum(axis=(1, 2), dtype=np.uint64) for stone in (1, 2))
    is_first = (cells != 0).sum(axis=(1, 2)) % 2 == 0
    return np.stack([np.where(is_first, first, second), first | second], axis=1)


# --- values ------------------------------------------------------------------


@pytest.mark.parametrize("size", SOLVED_SIZES, ids=str)
def test_value_of_the_empty_board_is_the_known_one(size: tuple[int, int]) -> None:
    game = connect4(*size)
    score = Solver(game, book=False).scores([game.start()])[0]
    assert ("=" if score == 0 else "+" if score > 0 else "-") == VALUES[size]


@pytest.mark.slow
def test_the_empty_board_of_7x6_has_the_known_score() -> None:
    game = connect4()
    assert Solver(game, book=False).scores([game.start()]) == [max(FIRST_MOVE_SCORES)]


def test_first_moves_on_7x6_have_the_known_scores() -> None:
    game = connect4()
    assert tuple(Solver(game).solve(game.start()).scores.values()) == FIRST_MOVE_SCORES


@pytest.mark.parametrize("size", [(5, 4), (7, 6), (8, 8)], ids=str)
def test_scores_agree_with_a_slow_solver(size: tuple[int, int]) -> None:
    game, chance = connect4(*size), random.Random(1)
    solver, reference = Solver(game, table=64), ReferenceSolver(*size)
    sampled = [random_position(game, chance.randint(1, 7), chance) for _ in range(6)]
    for position, score in zip(sampled, solver.scores(sampled), strict=True):
        assert score == reference.score(as_reference(position, game)), position


@pytest.mark.slow
@pytest.mark.parametrize("size", COMPARED_SIZES, ids=str)
def test_scores_of_300_positions_agree_with_plain_alpha_beta(size: tuple[int, int]) -> None:
    columns, rows = size
    cells = random_positions(columns, rows, 300, 1, min(14 + columns * rows // 6, columns * rows), seed=1)
    scores = Solver(connect4(*size), table=64, book=False).packed_scores(packed(cells))
    assert scores.tolist() == plain_scores(cells).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("size", [(5, 4), (4, 7), (6, 6)], ids=str)
def test_scores_of_related_positions_agree_with_plain_alpha_beta(size: tuple[int, int]) -> None:
    solver = Solver(connect4(*size), table=64, book=False)
    left = min(15 + size[0] * size[1] // 7, size[0] * size[1])
    for seed, cells in enumerate(random_positions(*size, 3, left, left, seed=2)):
        related = descendants(cells, 4)
        # the results of one position must not mislead the search of the next
        np.random.default_rng(seed).shuffle(related)
        solver.clear()
        assert solver.packed_scores(packed(related)).tolist() == plain_scores(related).tolist()


def test_entries_of_the_table_tell_all_positions_of_8x8_apart() -> None:
    game, chance = connect4(8, 8), random.Random(4)
    geometry, table = geometry_of(Board(8, 8)), np.zeros(1 << 23, dtype=np.int64)
    positions = [random_position(game, chance.randint(1, 50), chance) for _ in range(50)]
    early = [f"{column}" * 8 + f"{other}" * 3 for column in range(1, 9) for other in range(1, 9)]
    # positions with a full column
    positions += [game.parse(moves) for moves in early if moves[0] != moves[-1]]
    for position in positions:
        own, discs = (int(word) for word in position.words[:2])
        discs |= own
        left = 64 - discs.bit_count()
        key = key_of(geometry, np.uint64(own), np.uint64(discs), left)
        tag = int(tag_of(table, geometry, key, np.uint64(discs), left))
        bucket = bucket_of(table, geometry, key, left)
        bits = tag_bits(table, geometry, left)
        assert tag.bit_length() + int(TAG_SHIFT) <= 64
        cells = (bucket // 2 << bits | tag % (1 << bits)) * pow(int(MULTIPLIER), -1, 1 << 64) % (1 << 64)
        is_full = tag >> bits
        decoded_own = decoded_discs = 0
        for column in range(8):
            stones = cells >> 8 * column & 255
            rows = 8 if is_full >> column & 1 else stones.bit_length() - 1
            decoded_own |= stones % (1 << rows) << 8 * column
            decoded_discs |= (1 << rows) - 1 << 8 * column
        assert (decoded_own, decoded_discs) == (own, discs)


@pytest.mark.parametrize("size", [(7, 6), (8, 7), (4, 4), (4, 8)], ids=str)
def test_entries_of_the_table_tell_all_positions_apart(size: tuple[int, int]) -> None:
    geometry, table = geometry_of(Board(*size)), np.zeros(1 << 17, dtype=np.int64)
    cells = size[0] * size[1]
    positions = packed(random_positions(*size, 100, 1, cells, seed=5))
    for own, discs in positions:
        left = cells - int(discs).bit_count()
        key = key_of(geometry, own, discs, left)
        tag, bits = int(tag_of(table, geometry, key, discs, left)), tag_bits(table, geometry, left)
        assert tag.bit_length() + int(TAG_SHIFT) <= 64
        bucket = bucket_of(table, geometry, key, left) % (table.size // 2) // 2
        decoded = (bucket << bits | tag) * pow(int(MULTIPLIER), -1, 1 << 64) % (1 << geometry.key_bits)
        images = (int(own), int(discs)), (Board(*size).mirror(int(own)), Board(*size).mirror(int(discs)))
        assert decoded == min(sum(image) for image in images[: 2 if left > cells - 14 else 1])


def test_a_table_too_small_for_8x8_is_rejected() -> None:
    with pytest.raises(OptionError, match="8x8 needs a table of at least 64 MB, not 4"):
        Solver(connect4(8, 8), table=4)


def test_scores_do_not_depend_on_what_was_solved_before() -> None:
    game, chance = connect4(), random.Random(2)
    positions = [random_position(game, chance.randint(8, 22), chance) for _ in range(40)]
    solver = Solver(game, table=4)
    together = solver.scores(positions)
    alone = []
    for position in positions:
        solver.clear()
        alone += solver.scores([position])
    assert together == alone == solver.scores(positions)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_find_the_same_scores(threads: int) -> None:
    game, chance = connect4(), random.Random(7)
    positions = [random_position(game, chance.randint(16, 30), chance) for _ in range(60)]
    alone, together = Solver(game, table=4), Solver(game, table=4, threads=threads)
    expected = alone.scores(positions)
    assert together.scores(positions) == expected
    together.clear()
    assert [together.scores([position])[0] for position in positions] == expected


@pytest.mark.slow
def test_scores_of_all_columns_agree_with_bitbully() -> None:
    bitbully: Any = pytest.importorskip("bitbully.bitbully_core")  # compiled code without type stubs
    books = pytest.importorskip("bitbully_databases").BitBullyDatabases
    game = connect4()
    solver, other = Solver(game), bitbully.BitBullyCore(books.get_database_path("12-ply-dist"))
    for cells in random_positions(7, 6, 40, 42 - 38, 42 - 8, seed=3):
        board, position = bitbully.BoardCore(), game.parse(text_of(cells))
        assert board.setBoard(cells.tolist())
        expected = {column: score for column, score in enumerate(other.scoreMoves(board)) if score > -1000}
        solution = solver.solve(position)
        assert {move.action: score for move, score in solution.scores.items()} == expected, position


# --- answers -----------------------------------------------------------------


def test_a_win_at_once_scores_by_the_discs_that_are_left() -> None:
    game = connect4()
    solution = Solver(game, table=4).solve(game.parse("112233"))
    assert [str(move) for move in solution.best] == ["4"]
    assert solution.score == (42 + 1 - 6) // 2


def test_the_last_disc_draws() -> None:
    game = connect4(4, 4)
    chance = random.Random(5)
    position = random_position(game, 1, chance)
    solution = Solver(game, table=4).solve(position)
    outcome = position.apply(position.legal_moves[0]).outcome
    assert outcome is not None
    assert solution.score == (1 if outcome.winner == position.side_to_move else 0)


def test_a_finished_match_is_rejected() -> None:
    game = connect4()
    with pytest.raises(MatchError, match="the match is over"):
        Solver(game, table=4).solve(game.parse("1122334"))


def test_positions_of_another_board_are_rejected() -> None:
    position = connect4(8, 8).parse("33")
    for request in (Solver(connect4(), table=4).solve, lambda one: Solver(connect4(), table=4).scores([one])):
        with pytest.raises(PositionError, match="not a position of"):
            request(position)


def test_no_positions_have_no_scores() -> None:
    assert Solver(connect4(), table=4).scores([]) == []


def test_another_game_is_rejected() -> None:
    with pytest.raises(OptionError, match="the solver solves Connect Four, not Hexifence"):
        Solver(boardgames.load("hexifence"))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_can_be_stopped(threads: int) -> None:
    game = connect4()
    solver, stop = Solver(game, table=4, threads=threads, book=False), Stop()
    threading.Timer(0.2, stop.set).start()
    with pytest.raises(MatchError, match="stopped"):
        solver.solve(game.start(), stop=stop)
    assert solver.scores([game.parse("112233")]) == [18]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stopped_search_leaves_no_wrong_scores_behind(threads: int) -> None:
    game = connect4()
    position = game.parse("4444443")
    solver = Solver(game, table=4, threads=threads, book=False)
    for seconds in (0.01, 0.02, 0.04):
        stop = Stop()
        threading.Timer(seconds, stop.set).start()
        with suppress(MatchError):
            solver.solve(position, stop=stop)
    assert solver.solve(position) == Solver(game, table=4).solve(position)


@pytest.mark.parametrize("threads", [0, 65, 1.5])
def test_a_wrong_number_of_threads_is_rejected(threads: Any) -> None:
    with pytest.raises(OptionError, match=f"threads must be 1 to 64, not {threads}"):
        Solver(connect4(), threads=threads)
