"""Monte Carlo values of moves."""

import pytest

from boardgames_hexifence.game import Hexifence
from boardgames_hexifence.monte_carlo import MonteCarlo

ONE_LEFT = "0 1 4 5 8"  # edge 9 is the last one of cell 0
CHAIN = "0 1 4 8 2 3 6 10"  # cells 0 and 1 make a chain between edges 5, 9 and 11


@pytest.fixture(scope="module")
def monte_carlo() -> MonteCarlo:
    return MonteCarlo(Hexifence(dimension=2))


def test_a_free_edge_is_the_only_candidate(monte_carlo: MonteCarlo) -> None:
    position = Hexifence(dimension=2).start().apply_moves(ONE_LEFT)
    means, simulations, _ = monte_carlo.estimate(position, 0, seed=1, simulations=20)
    assert set(means) == {9}
    assert simulations == 20


def test_only_safe_edges_are_candidates_as_long_as_there_are_any(monte_carlo: MonteCarlo) -> None:
    position = Hexifence(dimension=2).start().apply_moves(CHAIN)
    means, _, _ = monte_carlo.estimate(position, 0, seed=1, simulations=20)
    assert means
    assert not {5, 9, 11} & set(means)


def test_all_moves_are_estimated_if_asked_for_even_without_time(monte_carlo: MonteCarlo) -> None:
    position = Hexifence(dimension=2).start().apply_moves(CHAIN)
    means, _, _ = monte_carlo.estimate(position, 0, seed=1, simulations=1, all_moves=True)
    assert sorted(means) == [move.action for move in position.legal_moves]


def test_sacrifice_of_a_chain_is_worth_less_than_a_safe_edge(monte_carlo: MonteCarlo) -> None:
    position = Hexifence(dimension=2).start().apply_moves(CHAIN)
    means, _, _ = monte_carlo.estimate(position, 0, seed=1, simulations=2_000, all_moves=True)
    safe = [mean for edge, mean in means.items() if edge not in {5, 9, 11}]
    assert max(means[edge] for edge in (5, 9, 11)) < max(safe)


def test_the_seed_determines_the_estimates(monte_carlo: MonteCarlo) -> None:
    position = Hexifence(dimension=2).start()
    first, again, other = (
        monte_carlo.estimate(position, 0, seed=seed, simulations=50)[0] for seed in (1, 1, 2)
    )
    assert first == again != other


def test_last_move_has_the_final_difference(monte_carlo: MonteCarlo) -> None:
    game = Hexifence(dimension=2)
    position = game.parse("2:BBBBBBBBBBBBBBBBBBBBBBBBBBBBB.:BRBRBR.:B")
    means, _, _ = monte_carlo.estimate(position, 0, seed=1, simulations=5)
    assert means == {29: 1.0}
