"""Crossover, mutation, and a best that only a better one replaces."""

from concurrent.futures import Future

import numpy as np
import pytest
from learning.searching import TARGET, QuadraticGenetic, made, small, trained

from boardgames.errors import OptionError
from boardgames.executors import InProcess
from boardgames.learning.genetic import Genetic, breed
from boardgames.selfplay import MatchResult


def chance(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_every_weight_of_a_child_is_one_of_its_parents() -> None:
    parents = np.arange(12.0).reshape(3, 4)
    children = breed(parents, 200, mutation=0.5, rate=0.0, chance=chance())
    origins = (children // 4).astype(int)
    assert np.array_equal(children % 4, np.tile(np.arange(4.0), (200, 1)))
    assert {len(set(row)) for row in origins.tolist()} == {1, 2}
    assert set(origins.ravel().tolist()) == {0, 1, 2}


def test_a_parent_alone_has_its_like() -> None:
    children = breed(np.array([[1.0, 2.0]]), 3, mutation=0.0, rate=1.0, chance=chance())
    assert children.tolist() == [[1.0, 2.0]] * 3


@pytest.mark.parametrize("rate", [0.0, 0.25, 1.0])
def test_a_share_of_the_weights_mutates_within_bounds(rate: float) -> None:
    changes = breed(np.zeros((2, 50)), 100, mutation=0.5, rate=rate, chance=chance())
    assert np.abs(changes).max() <= 0.5
    assert np.mean(changes != 0) == pytest.approx(rate, abs=0.03)
    assert rate == 0 or (changes.min() < -0.45 and changes.max() > 0.45)


def test_it_finds_the_top_of_a_hill() -> None:
    learner = QuadraticGenetic(small(), steps=80, mutation=0.2)
    states = trained(learner, seed=1)
    assert np.abs(states[-1].arrays["best"] - TARGET).max() < 0.15
    assert np.array_equal(learner.weights(states[-1]), learner.space.weights(states[-1].arrays["best"]))


def test_the_best_so_far_stays_in_and_never_gets_worse() -> None:
    states = trained(QuadraticGenetic(small(), steps=20), seed=1)
    far = [float(np.square(state.arrays["best"] - TARGET).sum()) for state in states]
    assert far == sorted(far, reverse=True)
    for state in states:
        assert np.array_equal(state.arrays["population"][0], state.arrays["best"])


def test_the_fittest_breed() -> None:
    learner = QuadraticGenetic(small(), steps=1, parents=3, mutation_rate=0.0)
    before = learner.start(1)
    after, _ = learner.step(before, InProcess())
    population = before.arrays["population"]
    fittest = population[np.argsort(np.square(population - TARGET).sum(axis=1))[:3]]
    for child in after.arrays["population"]:
        assert (child == fittest).any(axis=0).all()


class Duelled(QuadraticGenetic):
    """Every duel ends as it is told to."""

    share = 0.25

    def duel(self, *_: object) -> float:
        return self.share


@pytest.mark.parametrize(
    ("share", "replaces"), [(0.25, False), (0.5, False), (np.nextafter(0.5, 1), True), (1.0, True)]
)
def test_only_more_than_half_of_a_duel_replaces_the_best_so_far(share: float, replaces: bool) -> None:
    learner = Duelled(small(), steps=1)
    learner.share = share
    before = learner.start(1)
    after, metrics = learner.step(before, InProcess())
    assert np.array_equal(after.arrays["best"], before.arrays["best"]) != replaces
    assert (metrics["stepped_back"], metrics["against_previous"]) == (float(not replaces), share)


class Unduelled(QuadraticGenetic):
    """There is nothing to duel about."""

    def duel(self, *_: object) -> float:
        raise AssertionError("a duel with itself")


def test_a_best_that_comes_out_first_again_does_not_duel_itself() -> None:
    learner = Unduelled(small(), steps=1)
    arrays = dict(learner.start(1).arrays)
    arrays["best"] = TARGET.copy()
    arrays["population"] = np.vstack([TARGET, arrays["population"][1:]])
    after, metrics = learner.step(learner.begin(1, arrays), InProcess())
    assert np.array_equal(after.arrays["best"], TARGET)
    assert metrics["stepped_back"] == 0.0
    assert "against_previous" not in metrics


def test_a_step_forward_is_told_as_one() -> None:
    learner = QuadraticGenetic(small(), steps=1)
    _, metrics = learner.step(learner.start(1), InProcess())
    assert (metrics["stepped_back"], metrics["against_previous"]) == (0.0, 1.0)


def test_an_individual_and_itself_are_equal_in_a_duel() -> None:
    learner = made("genetic")
    weights = np.linspace(-1, 1, learner.space.size)
    assert learner.duel(weights, weights, InProcess(), 7) == 0.5


class Told(Genetic):
    """Whoever duels has one win, no loss, and a match that ends undecided far behind."""

    def submit(self, *_: object) -> list[Future[list[MatchResult]]]:
        task: Future[list[MatchResult]] = Future()
        task.set_result([MatchResult(0, 0, False, 9, 1, (6, 0)), MatchResult(0, None, True, 9, 2, (0, 5000))])
        return [task]


@pytest.mark.parametrize(("fitness", "share"), [("wins", 0.75), ("margin", 0.625)])
def test_a_duel_counts_scores_only_where_fitness_does(fitness: str, share: float) -> None:
    learner = Told(small(), fitness=fitness)
    assert learner.duel(np.zeros(6), np.zeros(6), InProcess(), 1) == share


def test_individuals_meet_the_best_so_far_unless_told_otherwise() -> None:
    """Weights in place of the best meet themselves in the population, and have half of all."""
    learner = made("genetic", population=2, pairs=20, fitness="margin")
    state = learner.start(1)
    state, _ = learner.step(state, InProcess())
    assert state.arrays["measured"][0] == pytest.approx(0.5, abs=1e-3)
    other = made("genetic", population=2, pairs=20, fitness="margin", opponent="random")
    state, _ = other.step(other.start(1), InProcess())
    assert state.arrays["measured"][0] != pytest.approx(0.5, abs=1e-3)


def test_more_parents_than_individuals_are_refused() -> None:
    with pytest.raises(OptionError, match="expected parents within the population of 6: 7"):
        made("genetic", parents=7)
