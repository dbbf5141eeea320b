"""Rules of Connect Four: kernels against the reference, published perft counts, every kind of line."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.connect4 import ReferencePosition

import boardgames
from boardgames.game import Game
from boardgames.kernels import JIT
from boardgames_connect4.board import Board
from boardgames_connect4.rules import has_line, sized_rules

ALL_SIZES = [(columns, rows) for columns in range(4, 9) for rows in range(4, 9)]
SIZES = [(4, 4), (5, 4), (7, 6), (8, 7), (8, 8)] if JIT else ALL_SIZES
"""All sizes without compilation; with it only those that other tests compile, since each takes seconds."""
PERFT = [7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234]  # source: J. Tromp

LAST_STONE_WINS = {
    (4, 4): "2122433431424131",
    (8, 8): "1468861511642888311677183251277774562328658757554353622464243334",
}
DRAWS = {
    (4, 4): "4321311144234232",
    (8, 8): "3153517247142534465581518253262277431332145324176468786886688677",
}

CHOICES = st.lists(st.integers(0, 7), max_size=64)


def connect4(columns: int = 7, rows: int = 6) -> Game:
    return boardgames.load("connect4", columns=columns, rows=rows)


@pytest.mark.plain
@pytest.mark.parametrize("size", SIZES, ids=str)
@given(choices=CHOICES)
@settings(max_examples=24 if JIT else 6)
def test_kernels_match_the_reference_during_whole_matches(size: tuple[int, int], choices: list[int]) -> None:
    position, reference = connect4(*size).start(), ReferencePosition.start(*size)
    for choice in [*choices, 0]:
        assert str(position) == reference.text()
        assert [str(move) for move in position.legal_moves] == [str(move) for move in reference.legal_moves()]
        assert outcome_name(position.outcome) == reference.outcome
        if not reference.legal_moves():
            return
        assert "rb"[position.side_to_move] == reference.side_to_move
        move = reference.legal_moves()[choice % len(reference.legal_moves())]
        position, reference = position.apply(str(move)), reference.apply(move)


def outcome_name(outcome: Any) -> str | None:
    if outcome is None:
        return None
    return "draw" if outcome.winner is None else "rb"[outcome.winner]


@pytest.mark.parametrize("depth", range(1, 8))
def test_perft_counts_match_the_published_ones(depth: int) -> None:
    assert boardgames.perft(connect4().start(), depth) == PERFT[depth - 1]


@pytest.mark.slow
def test_perft_of_depth_8_matches_the_published_count() -> None:
    assert boardgames.perft(connect4().start(), 8) == PERFT[7]


ARRAY_COUNTS = {
    (4, 4): [4, 16, 64, 256, 1_020, 4_020, 15_540, 57_504, 206_904],
    (8, 7): [8, 64, 512, 4_096, 32_768, 262_144, 2_097_152],
    (8, 8): [8, 64, 512, 4_096, 32_768, 262_144, 2_097_152],
}
"""Leaf counts of a program in C that keeps the board as an array and looks along lines cell by cell."""


@pytest.mark.parametrize("size", ARRAY_COUNTS, ids=str)
def test_perft_counts_of_other_sizes_match_another_program(size: tuple[int, int]) -> None:
    start = connect4(*size).start()
    counts = ARRAY_COUNTS[size]
    assert [boardgames.perft(start, depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.slow
@pytest.mark.parametrize(("size", "leaves"), [((8, 7), 131_465_088), ((8, 8), 131_465_592)], ids=str)
def test_perft_of_depth_9_matches_another_program(size: tuple[int, int], leaves: int) -> None:
    assert boardgames.perft(connect4(*size).start(), 9) == leaves


@pytest.mark.slow
@pytest.mark.parametrize("size", [(7, 6), (8, 8)], ids=str)
def test_outcomes_and_moves_agree_with_openspiel(size: tuple[int, int]) -> None:
    pyspiel: Any = pytest.importorskip("pyspiel")  # compiled code without type stubs
    columns, rows = size
    random = np.random.default_rng(1)
    for _ in range(200):
        position = connect4(*size).start()
        state = pyspiel.load_game("connect_four", {"columns": columns, "rows": rows}).new_initial_state()
        while position.legal_moves:
            assert not state.is_terminal()
            assert list(position.actions) == state.legal_actions()
            action = int(random.choice(position.actions))
            position = position.apply(position.game.decode(position, action))
            state.apply_action(action)
        assert position.outcome is not None
        assert list(position.outcome.returns) == state.returns()


@pytest.mark.plain
@pytest.mark.parametrize(("size", "depth"), [((4, 4), 4), ((5, 4), 3), ((8, 7), 2), ((8, 8), 2)], ids=str)
def test_perft_counts_of_other_sizes_match_the_reference(size: tuple[int, int], depth: int) -> None:
    reference = ReferencePosition.start(*size)
    assert boardgames.perft(connect4(*size).start(), depth) == reference.perft(depth)


WINS = [
    ("......./......./......./......./bbb..../rrr....", "4", "horizontal"),
    ("......./......./......./r....../rb...../rbb....", "1", "vertical"),
    ("......./......./......./..rb.../.rbr.../rbbr..b", "4", "rising"),
    ("......./......./......./...br../...rbr./b..rbbr", "4", "falling"),
    ("......./......./......./......./bb.b.../rr.r...", "3", "filling a gap"),
    ("......./......./......./......./..b.bbb/..r.rrr", "4", "seven in a row from the middle"),
]


@pytest.mark.plain
@pytest.mark.parametrize(("text", "move"), [case[:2] for case in WINS], ids=[case[2] for case in WINS])
def test_four_in_a_line_wins(text: str, move: str) -> None:
    position = connect4().parse(text).apply(move)
    assert position.outcome == boardgames.Outcome(0, boardgames.Termination.RULES)
    assert position.legal_moves == ()


@pytest.mark.plain
@pytest.mark.parametrize(
    "sequence",
    # stones at the top of one column and the bottom of the next, and at both ends of rows
    ["121212", "5566", "1717172", "3334343"],
    ids=["columns of three", "rows of two", "both edges", "three in a column and one"],
)
def test_lines_do_not_wrap_around_the_edge(sequence: str) -> None:
    reference = ReferencePosition.start()
    for column in sequence:
        reference = reference.apply(int(column))
    assert reference.outcome is None
    assert connect4().parse(sequence).outcome is None


@pytest.mark.plain
@pytest.mark.parametrize("board", [Board(7, 6), Board(8, 8), Board(4, 8)], ids=str)
def test_four_equally_spaced_bits_count_only_on_a_line_of_the_board(board: Board) -> None:
    reference = ReferencePosition.start(board.columns, board.rows)
    lines = {frozenset(board.bit(*cell) for cell in line) for line in reference.lines()}
    for start in range(board.columns * board.height):
        for step in (1, board.height - 1, board.height, board.height + 1):
            bits = [start + step * index for index in range(4)]
            if all(board.full >> bit & 1 for bit in bits):
                stones = np.uint64(sum(1 << bit for bit in bits))
                starts = np.uint64(board.line_starts)
                assert has_line(stones, board.height, starts) == (frozenset(bits) in lines)


@pytest.mark.plain
def test_a_full_board_without_four_in_a_line_is_a_draw() -> None:
    for size, sequence in DRAWS.items():
        position = connect4(*size).parse(sequence)
        assert position.outcome == boardgames.Outcome(None, boardgames.Termination.RULES)
        assert position.legal_moves == ()


@pytest.mark.plain
def test_the_last_stone_on_the_board_can_win() -> None:
    for size, sequence in LAST_STONE_WINS.items():
        position = connect4(*size).parse(sequence)
        assert "." not in str(position)
        assert position.outcome == boardgames.Outcome(1, boardgames.Termination.RULES)


def test_the_second_player_wins_with_four_in_a_line() -> None:
    position = connect4().parse("12121232")
    assert position.outcome == boardgames.Outcome(1, boardgames.Termination.RULES)


@pytest.mark.plain
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_apply_does_not_change_its_input_and_writes_all_words(size: tuple[int, int]) -> None:
    rules = sized_rules(Board(*size))
    position = connect4(*size).start().words.copy()
    before = position.copy()
    for filling in (0, 2**64 - 1):
        successor = np.full(3, filling, dtype=np.uint64)
        rules.apply(position, 1, successor)
        assert successor.tolist() == [1 << Board(*size).bit(1, 0), 0, 1]
    assert np.array_equal(position, before)


@pytest.mark.plain
def test_playouts_reach_every_outcome() -> None:
    result = boardgames.playouts(connect4().start(), 500, seed=1)
    assert sum(result.wins) + result.draws == 500
    assert min(*result.wins, result.draws) > 0
    assert result.wins[0] > result.wins[1]


def test_move_order_prefers_the_centre() -> None:
    order = connect4().kernels.move_order
    words = connect4().start().words
    assert [order(words, action) for action in range(7)] == [-6, -4, -2, 0, -2, -4, -6]
