"""Monte Carlo tree search in Hexifence: candidate moves, estimates, and proofs checked by the solver."""

from collections.abc import Callable

import pytest

from boardgames.game import Position
from boardgames.kernels import Control
from boardgames_hexifence import monte_carlo
from boardgames_hexifence.game import Hexifence, lead_of
from boardgames_hexifence.monte_carlo import Estimate, MonteCarlo
from boardgames_hexifence.solver import Solver

ONE_LEFT = "0 1 4 5 8"  # edge 9 is the last one of cell 0
CHAIN = "0 1 4 8 2 3 6 10"  # cells 0 and 1 make a chain between edges 5, 9 and 11
NEARLY_SAFE = "0 5 10 12 21 28 24 3 14 16 26 7 17 18"


@pytest.fixture(scope="module")
def tree() -> MonteCarlo:
    return MonteCarlo(Hexifence(dimension=2))


def estimates_of(
    tree: MonteCarlo, position: Position, simulations: int, *, seed: int = 1, all_moves: bool = False
) -> dict[int, Estimate]:
    tree.start(position, lead_of(position), seed=seed, all_moves=all_moves)
    tree.simulate(simulations=simulations)
    return tree.estimates()


@pytest.mark.plain
def test_a_free_edge_is_the_only_move(tree: MonteCarlo) -> None:
    position = Hexifence(dimension=2).start().apply_moves(ONE_LEFT)
    assert set(estimates_of(tree, position, 20)) == {9}
    assert tree.simulations == 20


@pytest.mark.plain
def test_a_chain_is_opened_by_one_edge_and_interchangeable_edges_are_one_move(tree: MonteCarlo) -> None:
    position = Hexifence(dimension=2).start().apply_moves(CHAIN)
    edges = set(estimates_of(tree, position, 150))
    assert {5, 9, 11} & edges == {5}  # in the middle
    assert len({23, 26, 27} & edges) == 1  # the rim of the cell at the bottom left


@pytest.mark.plain
def test_all_moves_are_estimated_if_asked_for_even_without_time(tree: MonteCarlo) -> None:
    position = Hexifence(dimension=2).start().apply_moves(CHAIN)
    estimates = estimates_of(tree, position, 1, all_moves=True)
    assert sorted(estimates) == [move.action for move in position.legal_moves]
    assert min(estimate.simulations for estimate in estimates.values()) > 0


def test_giving_a_chain_away_is_worth_less_than_a_safe_edge(tree: MonteCarlo) -> None:
    position = Hexifence(dimension=2).start().apply_moves(CHAIN)
    results = {
        edge: estimate.result
        for edge, estimate in estimates_of(tree, position, 5_000, all_moves=True).items()
    }
    assert max(results[edge] for edge in (5, 9, 11)) < max(results.values())


def test_the_seed_determines_the_estimates(tree: MonteCarlo) -> None:
    position = Hexifence(dimension=2).start()
    first, again, other = (estimates_of(tree, position, 500, seed=seed) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.plain
def test_the_last_move_decides_the_match(tree: MonteCarlo) -> None:
    position = Hexifence(dimension=2).parse("2:BBBBBBBBBBBBBBBBBBBBBBBBBBBBB.:BRBRBR.:B")
    assert estimates_of(tree, position, 5)[29].is_won
    assert tree.is_decided


def test_what_the_tree_decides_agrees_with_the_solver(tree: MonteCarlo) -> None:
    position = Hexifence(dimension=2).start().apply_moves(NEARLY_SAFE)
    solver, decided = Solver(position.game), 0
    for move in position.legal_moves:
        after = position.apply(move)
        estimates = estimates_of(tree, after, 20_000)
        if tree.is_decided:
            decided += 1
            assert solver.is_won(after) == any(estimate.is_won for estimate in estimates.values())
    assert decided > len(position.legal_moves) // 2


def test_moves_that_the_tree_leaves_out_are_no_proof_of_a_loss() -> None:
    """Edges 53, 54, 60 and 65 win, but some replies only lose because they open a chain of four or more."""
    position = Hexifence(dimension=3).parse(
        "3:..BRBR..BB.BB.BBRRRRRRB.R..RRBBB..RR.BBRRRR.BR.R.B........RB.RBRR.BB.BBR:..R..RR............:R"
    )
    tree = MonteCarlo(position.game)
    estimates = estimates_of(tree, position, 3_000)
    assert not any(estimates[edge].is_won is False for edge in {53, 54, 60, 65} & set(estimates))


def test_a_settled_move_gets_no_more_simulations(tree: MonteCarlo) -> None:
    position = Hexifence(dimension=2).start()
    edge, estimate = next(iter(estimates_of(tree, position, 500).items()))
    tree.settle(edge, is_won=False)
    tree.simulate(simulations=500)
    assert tree.estimates()[edge].simulations == estimate.simulations
    assert tree.estimates()[edge].is_won is False


@pytest.mark.plain
def test_an_interrupted_kernel_does_not_disturb_the_next_search(monkeypatch: pytest.MonkeyPatch) -> None:
    position, late = Hexifence(dimension=2).start(), []

    def interrupted(work: Callable[[], None], control: Control, **limits: object) -> None:
        late.append(work)
        raise KeyboardInterrupt

    tree = MonteCarlo(position.game)
    with monkeypatch.context() as patched:
        patched.setattr(monte_carlo, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            estimates_of(tree, position, 50)
    tree.start(position, 0, seed=1)
    late[0]()  # the kernel has not noticed the interrupt yet
    tree.simulate(simulations=50)
    assert tree.simulations == 50
    assert tree.estimates() == estimates_of(MonteCarlo(position.game), position, 50)


def test_simulations_leave_the_position_as_it_was() -> None:
    """Edges at the rim of a cell are interchangeable, so a node can be reached with different ones drawn."""
    position = Hexifence(dimension=2).start()
    tree = MonteCarlo(position.game)
    estimates_of(tree, position, 20_000)
    first = estimates_of(tree, position, 500)
    assert first == estimates_of(MonteCarlo(position.game), position, 500)
