"""Random playouts: totals, seeds, limits, and known probabilities."""

import math
import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from nim import Nim
from waiting import interrupted

import boardgames
from boardgames.errors import LimitError, OptionError
from boardgames.game import Position
from boardgames.kernels import Reals
from boardgames.search.playout import Playouts, playouts

START = boardgames.load("connect4").start()
LONE = "b..../....../......./......../........./......../......./....../....w"
DEVIATIONS = 5
"""A seeded test that fails by chance would do so once in a million seeds."""


def is_near(count: int, matches: int, chance: float) -> bool:
    """Return whether a count is within five standard deviations of its expected value."""
    return abs(count - matches * chance) <= DEVIATIONS * math.sqrt(matches * chance * (1 - chance))


@pytest.mark.plain
@pytest.mark.parametrize("ply_limit", [None, 9])
@pytest.mark.parametrize("name", ["connect4", "hexifence"])
def test_totals_add_up(name: str, ply_limit: int | None) -> None:
    result = playouts(boardgames.load(name).start(), 20, ply_limit=ply_limit)
    assert sum(result.wins) + result.draws + result.unfinished == 20
    assert result.unfinished == (0 if ply_limit is None else result.unfinished)


@pytest.mark.plain
def test_equal_seeds_give_equal_playouts_and_others_do_not() -> None:
    results = [playouts(START, 30, seed=seed) for seed in (7, 7, 8)]
    assert results[0] == results[1] != results[2]


@pytest.mark.parametrize("seed", [-1, 0, 2**64 - 1, 2**64 + 5, -(2**70)])
def test_every_integer_is_a_seed(seed: int) -> None:
    assert sum(playouts(START, 10, seed=seed).wins) > 0


@pytest.mark.plain
@pytest.mark.parametrize("ply_limit", [1, 2, 6])
def test_matches_are_cut_at_the_limit(ply_limit: int) -> None:
    assert playouts(START, 10, ply_limit=ply_limit) == Playouts((0, 0), 0, 10, 10 * ply_limit)


@pytest.mark.plain
def test_a_match_that_ends_on_the_last_ply_allowed_is_decided() -> None:
    # one cell is left, and it makes a line
    result = playouts(boardgames.load("tictactoe").parse("xxo/oox/xo."), 5, ply_limit=1)
    assert (result.unfinished, result.plies, result.draws) == (0, 5, 5)


@pytest.mark.plain
def test_a_finished_match_counts_with_its_result() -> None:
    assert playouts(boardgames.load("tictactoe").parse("xxx/oo./..."), 3) == Playouts((3, 0), 0, 0, 0)


@pytest.mark.plain
@pytest.mark.parametrize(("draws", "expected"), [(False, (0, 4, 0)), (True, (0, 0, 4))])
def test_a_side_without_a_move_loses_or_draws_as_the_game_says(
    draws: bool, expected: tuple[int, int, int]
) -> None:
    game = Nim(stuck=True)
    game.facts = replace(game.facts, no_moves_draws=draws)
    result = playouts(game.parse("0:0:3:4"), 4, ply_limit=1)
    assert (*result.wins, result.draws) == expected


def test_a_game_without_any_limit_needs_one() -> None:
    game = Nim(passing=True)
    game.facts = replace(game.facts, ply_limit=None)
    with pytest.raises(
        LimitError, match=r"^playouts of nim need a ply_limit, because its rules do not limit a match$"
    ):
        playouts(game.start(), 1)


def test_the_ply_limit_of_the_game_is_the_default() -> None:
    start = Nim(passing=True, layout="hundred").start()
    assert playouts(start, 20, seed=1) == playouts(start, 20, seed=1, ply_limit=40)
    assert playouts(start, 20, seed=1).unfinished > 0


@pytest.mark.parametrize("count", [0, -3, 1.5, "7", True, 2**70])
def test_an_impossible_count_is_rejected(count: object) -> None:
    with pytest.raises(LimitError, match=f"^count must be at least 1, not {count!r}$"):
        playouts(START, count)  # type: ignore[arg-type]  # what a caller may do


@pytest.mark.parametrize("limit", [0, -3, 1.5, "7", 2**70])
def test_an_impossible_ply_limit_is_rejected(limit: object) -> None:
    with pytest.raises(LimitError, match=f"^ply_limit must be at least 1, not {limit!r}$"):
        playouts(START, 1, ply_limit=limit)  # type: ignore[arg-type]  # what a caller may do


def test_first_side_wins_its_share_of_random_connect_four() -> None:
    # known to a tenth of a percent: about 55.6 against 44.2
    matches = 100_000
    result = playouts(START, matches, seed=1)
    assert is_near(result.wins[0], matches, 0.556)
    assert is_near(result.wins[1], matches, 0.442)


def test_shares_agree_with_an_enumeration_of_all_random_matches_of_tictactoe() -> None:
    position = boardgames.load("tictactoe").parse("x../.o./...")
    shares = _shares(position)
    result = playouts(position, 50_000, seed=3)
    for count, share in zip((*result.wins, result.draws), shares, strict=True):
        assert is_near(count, 50_000, share)


def _shares(position: Position) -> Reals:
    """Return the probabilities that side 0 wins, side 1 wins and of a draw, by enumerating every match."""
    if position.outcome is not None:
        winner = position.outcome.winner
        certain: Reals = np.eye(3)[2 if winner is None else winner]
        return certain
    mean: Reals = np.mean([_shares(position.apply(move)) for move in position.legal_moves], axis=0)
    return mean


def test_an_interrupt_ends_the_playouts() -> None:
    with interrupted():
        playouts(START, 10**12)
    assert not any(thread.name == "boardgames-search" for thread in threading.enumerate())


def test_an_interrupt_ends_a_match_without_end() -> None:
    # two lone marbles cannot push each other off
    position = boardgames.load("abalone").parse(LONE)
    with interrupted():
        playouts(position, 1, ply_limit=2**62)
    assert not any(thread.name == "boardgames-search" for thread in threading.enumerate())


@pytest.mark.parametrize("seed", [None, "x", 1.5, []])
def test_a_bad_seed_is_an_option_error(seed: Any) -> None:
    with pytest.raises(OptionError, match="seed must be an integer"):
        playouts(boardgames.load("connect4").start(), 1, seed=seed)


@pytest.mark.parametrize("count", [None, 10**5000], ids=["none", "huge"])
def test_an_impossible_count_is_a_limit_error(count: Any) -> None:
    with pytest.raises(LimitError, match="count must be at least 1"):
        playouts(boardgames.load("connect4").start(), count)
