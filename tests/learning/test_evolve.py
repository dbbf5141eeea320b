"""The learner `evolve`: rounds, breeding, resuming, and that it learns."""

from concurrent.futures import Future

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learning.searching import Recording

import boardgames
from boardgames import plugins
from boardgames.errors import OptionError
from boardgames.executors import InProcess, ProcessPool
from boardgames.learner import Learner, LearnerState
from boardgames.learning.evolve import MARGIN_WEIGHT, breed, ranking, rounds_of
from boardgames.selfplay import Contestant, MatchResult

SMALL = {
    "population": 6,
    "survivors": 2,
    "generations": 3,
    "training_matches": 4,
    "tournament_matches": 6,
    "test_matches": 10,
}


def learner(**options: object) -> Learner:
    game = boardgames.load("connect4", columns=5, rows=4)
    return plugins.load_learner("evolve", game, **{**SMALL, **options})


def states(made: Learner, seed: int = 3) -> list[LearnerState]:
    found = [made.start(seed)]
    while not made.is_done(found[-1]):
        found.append(made.step(found[-1], InProcess())[0])
    return found


@given(st.integers(2, 17))
def test_in_a_round_robin_each_two_meet_once_and_nobody_twice_in_a_round(count: int) -> None:
    rounds = rounds_of(count)
    meetings = [frozenset(pair) for pairs in rounds for pair in pairs]
    assert len(meetings) == len(set(meetings)) == count * (count - 1) // 2
    for pairs in rounds:
        seats = [seat for pair in pairs for seat in pair]
        assert len(seats) == len(set(seats)) >= count - 1


def test_children_have_every_weight_from_one_of_their_two_parents() -> None:
    parents = np.array([[1.0, 10, 100, 1000], [2, 20, 200, 2000], [3, 30, 300, 3000]])
    children = breed(parents, 9, 0.0, np.random.default_rng(5))
    couples = [(first, second) for first in range(3) for second in range(3)]
    for child, (first, second) in zip(children, couples, strict=True):
        assert np.all((child == parents[first]) | (child == parents[second]))
    for place in (0, 4, 8):  # of one with itself
        assert children[place].tolist() == parents[couples[place][0]].tolist()
    mixed = [child for child, (first, second) in zip(children, couples, strict=True) if first != second]
    assert any(len({int(weight) % 9 for weight in child}) > 1 for child in mixed)


def test_mutation_changes_every_weight_by_no_more_than_it_says() -> None:
    parents = np.zeros((1, 1000))
    child = breed(parents, 1, 0.25, np.random.default_rng(5))[0]
    assert 0.2 < np.abs(child).max() <= 0.25
    assert np.count_nonzero(child) == 1000


def test_a_tournament_ranks_by_points() -> None:
    assert ranking(np.array([0.0, 2.0, 1.0, 2.0])) == [1, 3, 2, 0]


def test_each_tournament_but_the_last_leaves_its_best_as_ancestors() -> None:
    made = learner()
    found = states(made)
    assert len(found) == 1 + 2 * 3 == 1 + made.length
    assert [len(state.arrays["ancestors"]) for state in found] == [0, 0, 0, 2, 2, 4, 4]
    after_first = found[2]
    best = after_first.arrays["players"][ranking(after_first.arrays["points"])[:2]]
    assert found[3].arrays["ancestors"].tolist() == best.tolist()
    assert found[-1].arrays["ancestors"][:2].tolist() == best.tolist()


def test_the_result_is_the_winner_of_the_tournament_played_last() -> None:
    made = learner()
    found = states(made)
    for before, after in ((2, 3), (4, 5)):  # the next generation trains, and has not competed yet
        state = found[before]
        winner = state.arrays["players"][ranking(state.arrays["points"])[0]]
        assert made.weights(state).tolist() == made.weights(found[after]).tolist() == winner.tolist()
        assert made.standings(state)[0][1] == round(float(state.arrays["points"].max()), 1)
        assert made.standings(found[after]) == ()


def test_points_of_a_tournament_are_those_of_all_its_matches() -> None:
    state = states(learner(generations=1))[-1]
    assert state.arrays["points"].sum() == pytest.approx(15 * 6)


class Ending(InProcess):
    """Has every task end in one match, whatever it is."""

    def __init__(self, match: MatchResult) -> None:
        super().__init__()
        self.match = match

    def submit(self, *_: object, **__: object) -> Future[list[MatchResult]]:
        future: Future[list[MatchResult]] = Future()
        future.set_result([self.match])
        return future


@pytest.mark.parametrize(("side", "ahead"), [(0, 0), (1, 1)])
@pytest.mark.parametrize(("winner", "points"), [(None, 0.5), (0, None)])
def test_of_equal_players_the_one_with_more_of_the_score_has_more_points(
    side: int, ahead: int, winner: int | None, points: float | None
) -> None:
    """Side 0 has 3 to 1; the player named first has `side`."""
    made = learner(population=2, survivors=1, tournament_matches=1, training_matches=0, test_matches=0)
    trained, _ = made.step(made.start(1), InProcess())
    state, metrics = made.step(trained, Ending(MatchResult(side, winner, winner is None, 9, 1, (3, 1))))
    of_side_0 = (0.5 if points else 1.0) + 2 * MARGIN_WEIGHT
    assert state.arrays["points"][ahead] == pytest.approx(of_side_0, abs=1e-12)
    assert state.arrays["points"][1 - ahead] == pytest.approx(1 - of_side_0, abs=1e-12)
    assert metrics["winner"] == pytest.approx(of_side_0)


def test_each_two_of_a_tournament_have_openings_of_their_own() -> None:
    made = learner(opening=4, ply_limit=4, tournament_matches=2, training_matches=0, test_matches=0)
    recording = Recording()
    made.step(made.step(made.start(1), InProcess())[0], recording)
    courses = [[match.moves_hash for match in played] for played in recording.results]
    assert len(courses) == 15
    assert all(first == second for first, second in courses)
    assert len({first for first, _ in courses}) > 12


def test_exploration_goes_on_falling_from_generation_to_generation() -> None:
    """Six players meet in five rounds of training; the last one's is told."""
    made = learner(epsilon=0.5, epsilon_decay=0.9, epsilon_floor=0.0)
    state, told = made.start(1), []
    while not made.is_done(state):
        state, metrics = made.step(state, InProcess())
        told += [metrics["epsilon"]] if "epsilon" in metrics else []
    assert told == pytest.approx([0.5 * 0.9**4, 0.5 * 0.9**9, 0.5 * 0.9**14])


def test_a_tournament_tells_its_winners_share_and_a_score_only_of_matches_played() -> None:
    for matches in (0, 2):
        made = learner(test_matches=matches)
        state, metrics = made.step(made.step(made.start(1), InProcess())[0], InProcess())
        assert ("score" in metrics) == (matches > 0)
        assert metrics["winner"] == pytest.approx(state.arrays["points"].max() / (5 * 6))
        assert "best" not in metrics  # the progress line has another one


def test_more_survivors_than_players_are_refused() -> None:
    with pytest.raises(OptionError, match="expected survivors within the population of 6: 7"):
        learner(survivors=7)
    assert len(states(learner(survivors=6, generations=2))[-1].arrays["ancestors"]) == 6


def test_a_learner_made_anew_goes_on_bit_for_bit() -> None:
    whole = states(learner())
    for place in range(len(whole) - 1):
        state, _ = learner().step(whole[place], InProcess())
        for name, array in whole[place + 1].arrays.items():
            assert state.arrays[name].tobytes() == array.tobytes()
        assert state.scalars == whole[place + 1].scalars


def test_a_step_leaves_the_state_it_is_given_as_it_is() -> None:
    made = learner()
    for state in states(made)[:-1]:
        copies = {name: array.copy() for name, array in state.arrays.items()}
        made.step(state, InProcess())
        assert all(np.array_equal(state.arrays[name], copy) for name, copy in copies.items())


def test_no_training_and_no_tournament_of_nobody() -> None:
    made = learner(training_matches=0)
    state, metrics = made.step(made.start(1), InProcess())
    assert state.arrays["players"].tolist() == made.start(1).arrays["players"].tolist()
    assert "decided" not in metrics
    with pytest.raises(OptionError, match="population must be 2 to 1024, not 1"):
        learner(population=1)


@pytest.mark.slow
def test_workers_change_nothing() -> None:
    alone = states(learner())[-1]
    made = learner()
    state = made.start(3)
    pool = ProcessPool(2)
    try:
        while not made.is_done(state):
            state, _ = made.step(state, pool)
    finally:
        pool.kill()
    for name, array in alone.arrays.items():
        assert state.arrays[name].tobytes() == array.tobytes()


@pytest.mark.slow
def test_the_winner_beats_random_and_its_untrained_ancestors() -> None:
    made = learner(generations=3, training_matches=30, population=8, opening=2)
    found = states(made)
    winner = Contestant(made.weights(found[-1]))
    against_random = made.contests(winner, Contestant(is_random=True), 200, InProcess(), 1)
    assert np.mean([match.points for match in against_random]) > 0.85
    untrained = Contestant(found[0].arrays["players"][0])
    assert np.mean([match.points for match in made.contests(winner, untrained, 200, InProcess(), 2)]) > 0.7
