"""The learner `genetic`: crossover, mutation, and duels for the best."""

from concurrent.futures import Future

import numpy as np
import pytest
from learning.helpers import TARGET, QuadraticGenetic, make, small, train

from boardgames.errors import OptionError
from boardgames.executors import InProcess
from boardgames.learning.genetic import Genetic, breed
from boardgames.selfplay import SelfPlayMatch

# --- breeding -----------------------------------------------------------------


def test_children_have_each_weight_from_one_of_two_parents() -> None:
    parents = np.arange(12.0).reshape(3, 4)
    children = breed(parents, 200, mutation=0.5, rate=0.0, random=np.random.default_rng(1))
    origins = (children // 4).astype(int)
    assert np.array_equal(children % 4, np.tile(np.arange(4.0), (200, 1)))
    assert {len(set(row)) for row in origins.tolist()} == {1, 2}
    assert set(origins.ravel().tolist()) == {0, 1, 2}


def test_single_parent_is_copied() -> None:
    parents = np.array([[1.0, 2.0]])
    children = breed(parents, 3, mutation=0.0, rate=1.0, random=np.random.default_rng(1))
    assert children.tolist() == [[1.0, 2.0]] * 3


@pytest.mark.parametrize("rate", [0.0, 0.25, 1.0])
def test_mutation_changes_a_share_of_the_weights_within_bounds(rate: float) -> None:
    changes = breed(np.zeros((2, 50)), 100, mutation=0.5, rate=rate, random=np.random.default_rng(1))
    assert np.abs(changes).max() <= 0.5
    assert np.mean(changes != 0) == pytest.approx(rate, abs=0.03)
    assert rate == 0 or (changes.min() < -0.45 and changes.max() > 0.45)


# --- optimisation -------------------------------------------------------------


def test_optimum_of_a_quadratic_is_found() -> None:
    learner = QuadraticGenetic(small(), steps=80, mutation=0.2)
    states = train(learner, seed=1)
    assert np.abs(states[-1].arrays["best"] - TARGET).max() < 0.15
    assert np.array_equal(learner.weights(states[-1]), learner.space.weights(states[-1].arrays["best"]))
    distances = [float(np.square(state.arrays["best"] - TARGET).sum()) for state in states]
    assert distances == sorted(distances, reverse=True)
    for state in states:  # the best stays in the population
        assert np.array_equal(state.arrays["population"][0], state.arrays["best"])


def test_fittest_individuals_breed() -> None:
    learner = QuadraticGenetic(small(), steps=1, parents=3, mutation_rate=0.0)
    before = learner.start(1)
    after, _ = learner.step(before, InProcess())
    population = before.arrays["population"]
    fittest = population[np.argsort(np.square(population - TARGET).sum(axis=1))[:3]]
    for child in after.arrays["population"]:
        assert (child == fittest).any(axis=0).all()


def test_more_parents_than_individuals_are_rejected() -> None:
    with pytest.raises(OptionError, match="parents must be at most the population of 6, not 7"):
        make("genetic", parents=7)


# --- duels --------------------------------------------------------------------


class FixedDuel(QuadraticGenetic):
    """A learner whose duels all have the same result."""

    share = 0.25

    def duel(self, *_: object) -> float:
        return self.share


@pytest.mark.parametrize(
    ("share", "replaces"), [(0.25, False), (0.5, False), (np.nextafter(0.5, 1), True), (1.0, True)]
)
def test_only_more_than_half_of_a_duel_replaces_the_best(share: float, replaces: bool) -> None:
    learner = FixedDuel(small(), steps=1)
    learner.share = share
    before = learner.start(1)
    after, metrics = learner.step(before, InProcess())
    assert np.array_equal(after.arrays["best"], before.arrays["best"]) != replaces
    assert (metrics["stepped_back"], metrics["against_previous"]) == (float(not replaces), share)


class NoDuel(QuadraticGenetic):
    def duel(self, *_: object) -> float:
        raise AssertionError("a duel with itself")


def test_best_that_is_still_fittest_does_not_duel_itself() -> None:
    learner = NoDuel(small(), steps=1)
    arrays = dict(learner.start(1).arrays)
    arrays["best"] = TARGET.copy()
    arrays["population"] = np.vstack([TARGET, arrays["population"][1:]])
    after, metrics = learner.step(learner.first_state(1, arrays), InProcess())
    assert np.array_equal(after.arrays["best"], TARGET)
    assert metrics["stepped_back"] == 0.0
    assert "against_previous" not in metrics


def test_improvement_is_not_a_step_back() -> None:
    learner = QuadraticGenetic(small(), steps=1)
    _, metrics = learner.step(learner.start(1), InProcess())
    assert (metrics["stepped_back"], metrics["against_previous"]) == (0.0, 1.0)


def test_individual_draws_a_duel_with_itself() -> None:
    learner = make("genetic")
    weights = np.linspace(-1, 1, learner.space.size)
    assert learner.duel(weights, weights, InProcess(), 7) == 0.5


class FixedMatches(Genetic):
    """The individual wins one match; the other one is unfinished, with the individual far behind."""

    def submit_matches(self, *_: object) -> list[Future[list[SelfPlayMatch]]]:
        future: Future[list[SelfPlayMatch]] = Future()
        future.set_result([
            SelfPlayMatch(0, 0, False, 9, 1, (6, 0)),
            SelfPlayMatch(0, None, True, 9, 2, (0, 5000)),
        ])  # fmt: skip
        return [future]


@pytest.mark.parametrize(("fitness", "share"), [("wins", 0.75), ("margin", 0.625)])
def test_duel_counts_scores_only_with_fitness_by_margin(fitness: str, share: float) -> None:
    learner = FixedMatches(small(), fitness=fitness)
    assert learner.duel(np.zeros(6), np.zeros(6), InProcess(), 1) == share


@pytest.mark.parametrize(("options", "meets_itself"), [({}, True), ({"opponent": "random"}, False)])
def test_individuals_meet_the_best_by_default(options: dict[str, str], meets_itself: bool) -> None:
    """The best individual is in the population, and scores one half against itself."""
    learner = make("genetic", population=2, pairs=20, fitness="margin", test_matches=0, **options)
    state, _ = learner.step(learner.start(1), InProcess())
    assert (state.arrays["measured"][0] == pytest.approx(0.5, abs=1e-3)) == meets_itself
