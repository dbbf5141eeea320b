"""The cells of Connect Four, compared with the reference on boards of several sizes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.connect4 import ReferencePosition

import boardgames
from boardgames.kernels import JIT
from boardgames_connect4.patterns import WEIGHTS
from boardgames_connect4.solver import Solver

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("size", [(7, 6), (8, 8), (4, 4)], ids=str)
@given(choices=st.lists(st.integers(0, 7), max_size=50), side=st.integers(0, 1))
@settings(max_examples=15)
def test_cells_match_the_reference(size: tuple[int, int], choices: list[int], side: int) -> None:
    position = boardgames.load("connect4", columns=size[0], rows=size[1]).start()
    reference = ReferencePosition.start(*size)
    for choice in choices:
        if reference.legal_moves():
            move = reference.legal_moves()[choice % len(reference.legal_moves())]
            position, reference = position.apply(str(move)), reference.apply(move)
    patterns = boardgames.load_patterns("cells", position.game)
    out = np.full(patterns.cells, -1)
    patterns.kernel(position.words, side, out)
    expected = []
    for stones in reference.stones:
        contents = [1 if stone == "rb"[side] else 2 for stone in stones]
        expected += (contents + [3] + [0] * size[1])[: size[1]]
    assert out.tolist() == expected


def test_both_sides_have_tables_of_their_own() -> None:
    game = boardgames.load("connect4")
    patterns = boardgames.load_patterns("cells", game)
    words = game.parse("4453").words
    assert [patterns.phase(words, side) for side in (0, 1)] == [0, 1]
    assert patterns.phases == 2


@pytest.mark.parametrize("size", [(7, 6), (8, 8), (4, 4)], ids=str)
def test_every_line_of_four_is_in_a_group(size: tuple[int, int]) -> None:
    patterns = boardgames.load_patterns("lines", boardgames.load("connect4", columns=size[0], rows=size[1]))
    looked_up = [set(group) for group, _ in patterns.lookups]
    columns, rows = size
    for column in range(columns):
        for row in range(rows):
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                line = [(column + right * step, row + up * step) for step in range(4)]
                if all(0 <= x < columns and 0 <= y < rows for x, y in line):
                    assert any({x * rows + y for x, y in line} <= group for group in looked_up)


def test_no_group_is_the_reflection_of_another() -> None:
    patterns = boardgames.load_patterns("lines", boardgames.load("connect4"))
    (mirror,) = patterns.symmetries
    groups = {frozenset(group) for group in patterns.groups}
    images = {frozenset(mirror[cell] for cell in group) for group in patterns.groups}
    own = {group for group in groups if group == frozenset(mirror[cell] for cell in group)}
    assert groups & images == own


def test_the_preset_sets_options_of_the_learner() -> None:
    game = boardgames.load("connect4")
    settings = game.facts.presets["default"]["ntuple"]
    learner = boardgames.load_learner("ntuple", game, **settings)
    assert {name: learner.options[name] for name in settings} == settings


def test_the_agent_needs_no_options_on_the_usual_board() -> None:
    game = boardgames.load("connect4")
    default, named = (boardgames.load_player(text, game) for text in ("ntuple", "ntuple:weights=ntuple"))
    assert default.fingerprint() == named.fingerprint()
    assert str(default.choose(game.start()).move) == "4"  # the only move that wins


def test_shipped_weights_are_a_small_file() -> None:
    assert WEIGHTS.stat().st_size <= 2 * 2**20


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="too slow in plain Python")
def test_shipped_weights_hold_the_first_players_win_against_perfect_play() -> None:
    game = boardgames.load("connect4")
    agent, solver = boardgames.load_player("ntuple", game, seed=1), Solver(game, table=64)
    random = np.random.default_rng(1)
    returns = []
    for _ in range(40):
        position = game.start()
        while position.outcome is None:
            if position.side_to_move == 0:
                move = agent.choose(position).move
                assert move is not None
                position = position.apply(move)
            else:
                best = solver.solve(position).best
                position = position.apply(best[int(random.integers(len(best)))])
        returns.append(position.outcome.returns[0])
    assert sum(result >= 0 for result in returns) >= 34
    assert returns.count(1) >= 26
