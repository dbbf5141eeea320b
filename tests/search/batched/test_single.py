"""A search of one position keeps its limits and reports moves with lines."""

import time

import numpy as np
import numpy.typing as npt
import pytest

import boardgames
from boardgames.player import NO_CONTEXT, Choice, Context, Limit, Stop
from boardgames.search.batched import BatchSearchOptions
from boardgames.search.batched.single import SingleSearch

pytestmark = pytest.mark.plain

GAME = boardgames.load("connect4", columns=4, rows=4)


def uniform(
    observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]
) -> tuple[npt.ArrayLike, npt.ArrayLike]:
    return masks, np.zeros(len(masks))


def test_the_best_move_comes_first_and_every_move_has_a_line() -> None:
    search = SingleSearch(GAME, uniform, BatchSearchOptions(root="plain", leaves=4))
    position = GAME.start().apply_moves("1 2 1 2")
    analysis = search.search(position, Limit(simulations=60), NO_CONTEXT, all_moves=True)
    assert analysis.simulations == analysis.nodes == sum(value.visits or 0 for value in analysis.moves)
    assert {value.move for value in analysis.moves} == set(position.legal_moves)
    for value in analysis.moves:
        after = position
        for move in value.line:
            after = after.apply(move)
    search.release()
    search.prepare()
    assert search.search(position, Limit(nodes=5), NO_CONTEXT).simulations == 5


def test_moves_without_simulations_have_the_value_that_the_evaluator_gives_them() -> None:
    def middle_first(
        observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]
    ) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        """Prefer column 2, and count the stones in the bottom row of column 4."""
        policies = np.where(np.arange(4) == 1, 1.0, 1e-9) * masks
        return policies, 0.25 * observations[:, 0, 3, 3] - 0.25 * observations[:, 1, 3, 3]

    search = SingleSearch(GAME, middle_first, BatchSearchOptions(root="plain"))
    analysis = search.search(GAME.start(), Limit(simulations=3), NO_CONTEXT, all_moves=True)
    unvisited = {str(value.move): value.score.amount for value in analysis.moves if not value.visits}
    assert unvisited == {"1": 0.0, "3": 0.0, "4": 0.25}
    assert [str(value.move) for value in analysis.moves][:2] == ["2", "4"]


def test_compiling_takes_no_time_from_a_search() -> None:
    calls: list[int] = []

    def slow_at_first(
        observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]
    ) -> tuple[npt.ArrayLike, npt.ArrayLike]:
        if not calls:
            time.sleep(0.7)
        calls.append(len(masks))
        return uniform(observations, masks)

    search = SingleSearch(GAME, slow_at_first, BatchSearchOptions(root="plain"))
    analysis = search.search(GAME.start(), Limit(seconds=0.5), NO_CONTEXT)
    assert analysis.simulations > 0


def test_a_stop_ends_a_search_without_a_limit() -> None:
    search = SingleSearch(GAME, uniform, BatchSearchOptions(root="plain"))
    stop, reports = Stop(), list[Choice]()
    stop.set()
    analysis = search.search(GAME.start(), Limit(), Context(stop=stop, report=reports.append))
    assert reports[-1].move == analysis.moves[0].move
