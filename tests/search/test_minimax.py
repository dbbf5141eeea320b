"""Minimax against a slow reference on positions, which shares no code with it."""

import numpy as np
import pytest
from reference.minimax import cases, minimax_values, search_value

from boardgames.game import Position
from boardgames.player import NO_CONTEXT, Analysis, Limit
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher
from boardgames.search.minimax import minimax

CASES = cases()

pytestmark = pytest.mark.plain


def analysed(position: Position, depth: int) -> Analysis:
    """Return the values of all moves."""
    searcher = Searcher(position.game, position.game.evaluation, SearchOptions.plain(), node=minimax)
    return searcher.search(position, Limit(depth=depth), NO_CONTEXT, lines=None)


@pytest.mark.parametrize("name", CASES)
def test_every_value_agrees_with_the_slow_reference(name: str) -> None:
    position, depth = CASES[name]
    analysis = analysed(position, depth)
    scale = position.game.evaluation.scale
    actual = {entry.move.action: search_value(entry.score, scale) for entry in analysis.moves}
    expected = minimax_values(position, analysis.depth)
    assert [actual[action] for action in position.actions] == pytest.approx(expected, abs=1e-9)


def test_every_leaf_is_visited() -> None:
    # 1 root ply counts its 9 successors; 9 + 9 * 8 at depth 2
    position, _ = CASES["tictactoe from the start"]
    assert analysed(position, 2).nodes == 9 + (9 + 9 * 8)


def test_a_search_does_not_change_the_position() -> None:
    position, depth = CASES["abalone about to win"]
    before = position.words.copy()
    analysed(position, depth)
    assert np.array_equal(position.words, before)
