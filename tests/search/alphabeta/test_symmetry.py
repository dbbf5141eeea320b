"""Symmetric keys: equal for positions that a symmetry maps onto each other, different for others."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from reference.minimax import reached, search_value
from reference.searching import EXACT

import boardgames
from boardgames.declarations import position_key
from boardgames.game import Game, Position
from boardgames.kernels import Words
from boardgames.player import NO_CONTEXT, Limit
from boardgames.search.alphabeta.searcher import Searcher

GAMES: dict[str, tuple[Game, int]] = {
    "tictactoe": (boardgames.load("tictactoe"), 8),
    "connect4": (boardgames.load("connect4"), 25),
    "connect4 of 4 x 4": (boardgames.load("connect4", columns=4, rows=4), 10),
    "connect4 of 8 x 7": (boardgames.load("connect4", columns=8, rows=7), 30),
    "abalone": (boardgames.load("abalone"), 25),
    "abalone without broadside moves": (boardgames.load("abalone", broadside=False), 25),
}
NAMES = pytest.mark.parametrize("name", GAMES)


def some(name: str, count: int) -> Iterator[Position]:
    """Yield positions after 0, 1, 2, ... random plies."""
    game, plies = GAMES[name]
    for seed in range(count):
        yield reached(game, seed % plies, seed)


def images(position: Position) -> list[Words]:
    """Return the images of a position under the symmetries that do not swap the sides."""
    kept = [symmetry for symmetry in position.game.symmetries() if not symmetry.swaps_sides]
    assert kept
    return [symmetry.words(position.words) for symmetry in kept]


@pytest.mark.plain
@NAMES
def test_symmetric_positions_have_one_key(name: str) -> None:
    for position in some(name, 40):
        key = position.game.kernels.symmetric_key
        assert {key(image) for image in images(position)} == {key(position.words)}


@pytest.mark.plain
@NAMES
def test_other_positions_have_other_keys(name: str) -> None:
    known: dict[int, list[int]] = {}
    for position in some(name, 60):
        orbit = min(words.tolist() for words in [position.words, *images(position)])
        assert known.setdefault(int(position.game.kernels.symmetric_key(position.words)), orbit) == orbit
    assert len(known) > 20


@NAMES
def test_the_side_to_move_and_the_colours_count(name: str) -> None:
    swaps = [symmetry for symmetry in GAMES[name][0].symmetries() if symmetry.swaps_sides]
    for position in some(name, 10):
        key = position.game.kernels.symmetric_key
        assert all(key(swap.words(position.words)) != key(position.words) for swap in swaps)


def test_a_game_without_a_symmetric_key_uses_the_position_key() -> None:
    assert boardgames.load("hexifence", dimension=2).kernels.symmetric_key is position_key


@pytest.mark.parametrize(("name", "depth"), [("tictactoe", 6), ("connect4", 9), ("abalone", 5)])
def test_fewer_positions_are_visited_from_a_symmetric_start(name: str, depth: int) -> None:
    start = GAMES[name][0].start()
    nodes, values = [], []
    for symmetry in (False, True):
        options = replace(EXACT, table=8, symmetry=symmetry)
        searcher = Searcher(start.game, start.game.evaluation, options)
        result = searcher.search(start, Limit(depth=depth), NO_CONTEXT)
        nodes.append(result.nodes)
        values.append(search_value(result.score))
    assert nodes[1] < 0.9 * nodes[0]
    assert values[1] == pytest.approx(values[0], abs=1e-9)
