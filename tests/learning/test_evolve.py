"""The learner `evolve`: round robins, breeding, tournaments, ancestors, and that it learns."""

from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learning.helpers import Recording, make, train

from boardgames.errors import OptionError
from boardgames.executors import InProcess
from boardgames.executors.counting import CountingExecutor
from boardgames.learning.base import mean_points, rank
from boardgames.learning.evolve import MARGIN_POINTS, START_FACTOR, breed, round_robin
from boardgames.selfplay import Contestant, SelfPlayMatch


@given(st.integers(2, 17))
def test_in_a_round_robin_each_pair_meets_once_and_nobody_twice_in_a_round(count: int) -> None:
    rounds = round_robin(count)
    meetings = [frozenset(pair) for pairs in rounds for pair in pairs]
    assert len(meetings) == len(set(meetings)) == count * (count - 1) // 2
    for pairs in rounds:
        seats = [seat for pair in pairs for seat in pair]
        assert len(seats) == len(set(seats)) >= count - 1


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"population": 5, "reference_matches": 25, "test_matches": 41},
        {"self_play": True, "test_matches": 0},
        {"training_matches": 0},
    ],
)
def test_the_tasks_of_each_step_are_known_in_advance(options: dict[str, object]) -> None:
    learner = make("evolve", **options)
    state, tasks = learner.start(1), CountingExecutor(InProcess())
    for step in range(learner.length):
        before = tasks.done
        state, _ = learner.step(state, tasks)
        assert tasks.done - before == learner.task_count(step)


def test_the_time_of_a_tournament_includes_reference_matches() -> None:
    few, many = (make("evolve", reference_matches=count) for count in (0, 100))
    assert few.relative_time(1) < many.relative_time(1)
    assert few.relative_time(0) == many.relative_time(0)


def test_there_are_no_standings_before_a_tournament() -> None:
    learner = make("evolve")
    start, trained, ranked, *_ = train(learner, seed=1)
    assert (learner.standings(start), learner.standings(trained)) == ((), ())
    assert len(learner.standings(ranked)) == 6


# --- breeding -----------------------------------------------------------------


def test_children_have_each_weight_from_one_of_their_parents() -> None:
    parents = np.array([[1.0, 10, 100, 1000], [2, 20, 200, 2000], [3, 30, 300, 3000]])
    children = breed(parents, 9, 0.0, np.random.default_rng(5))
    pairs = [(first, second) for first in range(3) for second in range(3)]
    for child, (first, second) in zip(children, pairs, strict=True):
        assert np.all((child == parents[first]) | (child == parents[second]))
    for place in (0, 4, 8):  # a parent paired with itself
        assert children[place].tolist() == parents[pairs[place][0]].tolist()
    mixed = [child for child, (first, second) in zip(children, pairs, strict=True) if first != second]
    assert any(len({int(weight) % 9 for weight in child}) > 1 for child in mixed)


def test_mutation_changes_every_weight_within_bounds() -> None:
    child = breed(np.zeros((1, 1000)), 1, 0.25, np.random.default_rng(5))[0]
    assert 0.2 < np.abs(child).max() <= 0.25
    assert np.count_nonzero(child) == 1000


# --- generations --------------------------------------------------------------


def test_survivors_of_all_tournaments_but_the_last_are_kept_as_ancestors() -> None:
    learner = make("evolve", generations=3)
    states = train(learner, 3)
    assert len(states) == 1 + 2 * 3 == 1 + learner.length
    assert [len(state.arrays["ancestors"]) for state in states] == [0, 0, 0, 2, 2, 4, 4]
    first = states[2]
    best = first.arrays["players"][rank(first.arrays["points"])[:2]]
    assert states[3].arrays["ancestors"].tolist() == best.tolist()
    assert states[-1].arrays["ancestors"][:2].tolist() == best.tolist()
    for before, after in ((2, 3), (4, 5)):  # while the next generation trains, the last winner is the result
        state = states[before]
        winner = state.arrays["players"][rank(state.arrays["points"])[0]]
        assert learner.weights(state).tolist() == learner.weights(states[after]).tolist() == winner.tolist()
        assert learner.standings(state)[0][1] == round(float(state.arrays["points"].max()), 1)
        assert learner.standings(states[after]) == ()


def test_exploration_keeps_decaying_over_generations() -> None:
    """Six players meet in five training rounds per generation; the metric is that of the last round."""
    learner = make(
        "evolve", generations=3, training_matches=1, test_matches=0,
        epsilon=0.5, epsilon_decay=0.9, epsilon_floor=0.0,
    )  # fmt: skip
    state, epsilons = learner.start(1), []
    while not learner.is_done(state):
        state, metrics = learner.step(state, InProcess())
        epsilons += [metrics["epsilon"]] if "epsilon" in metrics else []
    assert epsilons == pytest.approx([0.5 * 0.9**4, 0.5 * 0.9**9, 0.5 * 0.9**14])


def test_players_that_train_against_themselves_do_not_learn_from_each_other() -> None:
    options = {"generations": 1, "training_matches": 4, "test_matches": 0, "self_play": True}
    learner = make("evolve", **options)
    start = learner.start(1)
    others = replace(start, arrays={**start.arrays, "players": np.vstack([start.arrays["players"][:1]] * 6)})
    first, second = (learner.step(state, InProcess())[0].arrays["players"][0] for state in (start, others))
    assert first.tolist() == second.tolist() != start.arrays["players"][0].tolist()


def test_with_population_based_training_children_inherit_rates_that_are_changed_a_little() -> None:
    learner = make("evolve", perturbation=0.25, alpha=0.1, generations=3, **{"lambda": 0.5})
    states = train(learner, 3)
    first, second, third = (states[step].arrays["rates"] for step in (1, 3, 5))
    assert first[0].tolist() == [0.1, 0.5]
    assert (first[:, 0] >= 0.1 / START_FACTOR).all()
    assert (first[:, 0] <= 0.1 * START_FACTOR).all()
    assert len(np.unique(first[:, 0])) == 6
    for before, state, after in ((first, states[2], second), (second, states[4], third)):
        best = rank(state.arrays["points"])[:2]
        for column, kept in ((0, before[best, 0]), (1, 1 - before[best, 1])):
            values = after[:, 0] if column == 0 else 1 - after[:, 1]
            allowed = np.concatenate([kept * 1.25, kept / 1.25])
            assert all(np.isclose(min(value, 1.0), np.minimum(allowed, 1.0)).any() for value in values)


def test_with_population_based_training_each_player_learns_at_its_own_rate() -> None:
    learner = make("evolve", perturbation=0.25, test_matches=0)
    start = learner.start(1)
    rates = start.arrays["rates"].copy()
    rates[2, 0] = 0.0
    after, metrics = learner.step(replace(start, arrays={**start.arrays, "rates": rates}), InProcess())
    changed = np.abs(after.arrays["players"] - start.arrays["players"]).max(axis=1)
    assert (changed > 0).tolist() == [place != 2 for place in range(6)]
    assert metrics["alpha"] == pytest.approx(rates[:, 0].mean())
    assert metrics["lambda"] == pytest.approx(rates[:, 1].mean())


def test_training_without_matches_changes_nothing() -> None:
    learner = make("evolve", training_matches=0)
    state, metrics = learner.step(learner.start(1), InProcess())
    assert state.arrays["players"].tolist() == learner.start(1).arrays["players"].tolist()
    assert "decided" not in metrics


@pytest.mark.parametrize(
    ("options", "words"),
    [({"survivors": 7}, "survivors must be at most the population of 6, not 7"), ({"population": 1}, "1")],
)
def test_impossible_populations_are_rejected(options: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        make("evolve", **options)


def test_the_whole_population_may_survive() -> None:
    assert len(train(make("evolve", survivors=6), 3)[-1].arrays["ancestors"]) == 6


# --- tournaments --------------------------------------------------------------


def test_tournament_points_are_those_of_all_matches() -> None:
    learner = make("evolve", generations=1, training_matches=0, tournament_matches=6)
    state, metrics = learner.step(learner.step(learner.start(1), InProcess())[0], InProcess())
    assert state.arrays["points"].sum() == pytest.approx(15 * 6)
    assert metrics["winner"] == pytest.approx(state.arrays["points"].max() / (5 * 6))


def test_matches_against_the_reference_player_count_in_the_tournament() -> None:
    learner = make("evolve", generations=1, training_matches=0, tournament_matches=2, reference_matches=4)
    state, metrics = learner.step(learner.step(learner.start(1), InProcess())[0], InProcess())
    won = state.arrays["points"].sum() - 15 * 2
    assert 0 < won < 6 * 4
    assert metrics["winner"] == pytest.approx(state.arrays["points"].max() / (5 * 2 + 4))


class FixedResult(InProcess):
    """An executor whose tasks all have the same result."""

    def __init__(self, match: SelfPlayMatch) -> None:
        super().__init__()
        self.match = match

    def submit(self, fn: Any, /, *_: Any, **__: Any) -> Any:  # any task
        future: Future[list[SelfPlayMatch]] = Future()
        future.set_result([self.match])
        return future


@pytest.mark.parametrize(("side", "ahead"), [(0, 0), (1, 1)])
@pytest.mark.parametrize("winner", [None, 0])
def test_score_breaks_ties_of_points(side: int, ahead: int, winner: int | None) -> None:
    """Side 0 scores 3 to 1; the first contestant plays `side`."""
    learner = make(
        "evolve", population=2, survivors=1, tournament_matches=1, training_matches=0, test_matches=0
    )
    trained, _ = learner.step(learner.start(1), InProcess())
    match = SelfPlayMatch(side, winner, winner is None, 9, 1, (3, 1))
    state, metrics = learner.step(trained, FixedResult(match))
    points = (0.5 if winner is None else 1.0) + 2 * MARGIN_POINTS
    assert state.arrays["points"][ahead] == pytest.approx(points, abs=1e-12)
    assert state.arrays["points"][1 - ahead] == pytest.approx(1 - points, abs=1e-12)
    assert metrics["winner"] == pytest.approx(points)


def test_each_pair_of_a_tournament_has_its_own_openings() -> None:
    learner = make("evolve", opening=4, ply_limit=4, tournament_matches=2, training_matches=0, test_matches=0)
    recording = Recording()
    learner.step(learner.step(learner.start(1), InProcess())[0], recording)
    hashes = [[match.moves_hash for match in results] for results in recording.results]
    assert len(hashes) == 15
    assert all(first == second for first, second in hashes)
    assert len({first for first, _ in hashes}) > 12


@pytest.mark.slow
def test_winner_beats_random_and_an_untrained_ancestor() -> None:
    learner = make(
        "evolve", generations=3, training_matches=30, tournament_matches=6, population=8, opening=2
    )
    states = train(learner, 3)
    winner, untrained = Contestant(learner.weights(states[-1])), Contestant(states[0].arrays["players"][0])
    for opponent, share in ((Contestant(is_random=True), 0.85), (untrained, 0.7)):
        assert mean_points(learner.play(winner, opponent, 200, InProcess(), 1)) > share
