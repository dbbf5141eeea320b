"""The experiments `discount` and `ablation`: what they compare, and that results do not depend on workers."""

import numpy as np
import pytest

import boardgames
from boardgames.errors import OptionError
from boardgames.executors import InProcess, ProcessPool
from boardgames.experiments import Measurements, load_experiment
from boardgames_connect4.ablations import OPPONENTS, Discount, Variant, losses_of, measure
from boardgames_connect4.experiments import Scored, sample
from boardgames_connect4.solver import Solver

OPTIONS = (("columns", 5), ("rows", 4))
SMALL = boardgames.load("connect4", layout="5x4")


def scored(text: str) -> Scored:
    position = SMALL.parse(text)
    return Scored(str(position), tuple(Solver(SMALL, table=1).solve(position).scores.values()))


def untrained_losses(variant: Variant, positions: list[Scored]) -> list[int]:
    learner = variant.learner(SMALL, {})
    return losses_of(learner, variant.player(learner, learner.experience(learner.start(1))), positions, 1)


@pytest.mark.parametrize(
    ("text", "variant", "column"),
    [
        ("314422", Variant("default"), 5),
        ("314422", Variant("guards before wins", {"wins_first": False}), 3),
        ("223", Variant("default"), 1),
    ],
    ids=["win", "guard before a win", "guard"],
)
def test_loss_is_how_far_the_chosen_move_is_below_the_best(text: str, variant: Variant, column: int) -> None:
    one = scored(text)
    place = [str(move) for move in SMALL.parse(text).legal_moves].index(str(column))
    assert untrained_losses(variant, [one]) == [max(one.scores) - one.scores[place]]


def test_random_moves_give_more_away_unless_their_value_must_be_near_the_best() -> None:
    positions = sample(OPTIONS, 8, 60, 1)
    none, within, all_random = (
        sum(untrained_losses(Variant("", {"wins_first": False, "guards": "none"}, *random), positions))
        for random in ((0.0, np.inf), (1.0, 1.0), (1.0, np.inf))
    )
    assert none == pytest.approx(within, rel=0.5)
    assert all_random > 2 * none


def test_training_is_measured_before_and_after() -> None:
    positions = sample(OPTIONS, 8, 20, 2)
    variant = Variant("observed", {"reward": "observed"})
    measured = measure(OPTIONS, variant, {"steps": 4}, positions, test_matches=10, seed=3)
    assert len(measured.shares) == len(OPPONENTS)
    assert measured.shares[0] > measured.shares[-1]
    assert len(measured.before) == len(measured.after) == 20
    assert measured.before != measured.after
    assert measured == measure(OPTIONS, variant, {"steps": 4}, positions, test_matches=10, seed=3)


@pytest.mark.slow
def test_experiments_compare_variants_on_any_number_of_workers() -> None:
    settings = {
        "repetitions": 2, "steps": 1, "test_matches": 4, "positions": 4, "first": 8, "last": 12,
    }  # fmt: skip
    with ProcessPool(2) as pool:
        names = ("discount", "ablation")
        experiments = [load_experiment(name, SMALL, **settings) for name in names]
        both = [(experiment.run(InProcess(), 3), experiment.run(pool, 3)) for experiment in experiments]
    for (results, again), first in zip(both, ("gamma 0.1", "default"), strict=True):
        assert isinstance(results, Measurements)
        assert results == again
        shares, *others = results.grids
        assert all(grid.rows == shares.rows for grid in others)
        assert shares.rows[0] == first
        losses, gained, behind = (np.array(grid.values, dtype=float) for grid in others)
        assert gained[:, 0] == pytest.approx(losses[:, 0] - losses[:, 1])
        assert behind[:, 0] == pytest.approx(losses[:, 1] - losses[0, 1])
        for intervals in (gained, behind):
            assert (intervals[:, 1] <= intervals[:, 0]).all()
            assert (intervals[:, 0] <= intervals[:, 2]).all()


def test_settings_of_the_learner_apply_to_all_variants() -> None:
    experiment = load_experiment("discount", SMALL, last=16, learner="epsilon=0.3 reward=observed")
    assert isinstance(experiment, Discount)
    for variant in experiment.variants():
        learner = variant.learner(SMALL, experiment.training)
        assert (learner.number("epsilon"), learner.text("reward")) == (0.3, "observed")
    with pytest.raises(OptionError, match="did you mean 'epsilon'"):
        load_experiment("ablation", SMALL, last=16, learner="epsilo=0.3")


@pytest.mark.parametrize("gammas", ["", "1", "0.1 x"])
def test_discounts_out_of_range_are_rejected(gammas: str) -> None:
    with pytest.raises(OptionError, match="gamma"):
        load_experiment("discount", SMALL, gammas=gammas, last=16)
