"""The learner `td`: it learns any game with features, the same on any number of workers, and goes on."""

from collections.abc import Iterator

import numpy as np
import pytest
from installed import tictactoe_installed
from learning.searching import Recording
from nim import Nim

import boardgames
from boardgames import plugins
from boardgames.errors import OptionError, UnknownNameError
from boardgames.executors import InProcess, open_executor
from boardgames.game import Game
from boardgames.learner import LearnerState
from boardgames.learning.td import TemporalDifference, first_weights
from boardgames.selfplay import Contestant, MatchResult, play_matches

CONNECT4 = boardgames.load("connect4")
QUICK = {"steps": 4, "matches": 12, "test_matches": 4}


@pytest.fixture
def tictactoe() -> Iterator[Game]:
    with tictactoe_installed() as game:
        yield game


def learner(game: Game = CONNECT4, **options: object) -> TemporalDifference:
    made = plugins.load_learner("td", game, **{**QUICK, **options})
    assert isinstance(made, TemporalDifference)
    return made


def trained(made: TemporalDifference, seed: int = 1, state: LearnerState | None = None) -> LearnerState:
    state = state or made.start(seed)
    while not made.is_done(state):
        state, _ = made.step(state, InProcess())
    return state


def against_random(made: TemporalDifference, state: LearnerState) -> list[MatchResult]:
    """Return 200 matches of the weights against any moves."""
    return play_matches(
        made.setup, Contestant(made.weights(state)), Contestant(is_random=True), matches=200, seed=5
    )


def points(ended: list[MatchResult]) -> float:
    return float(np.mean([match.points for match in ended]))


# --- what is learned ------------------------------------------------------


def test_connect_four_is_learned_until_random_has_no_chance() -> None:
    made = learner(steps=20, matches=100, test_matches=0, opening=2)
    assert points(against_random(made, made.start(1))) < 0.7
    assert points(against_random(made, trained(made))) > 0.93


def test_the_game_of_a_stranger_is_learned_too(tictactoe: Game) -> None:
    made = learner(tictactoe, steps=20, matches=200, test_matches=0, opening=1)
    before, after = against_random(made, made.start(1)), against_random(made, trained(made))
    assert points(after) > max(0.93, points(before) + 0.05)
    assert sum(match.points == 0 for match in after) <= 6


def test_what_is_learned_can_be_played_by(tictactoe: Game) -> None:
    made = learner(tictactoe, steps=2)
    weights = made.result(trained(made))
    assert (weights.game, weights.features, weights.squashes) == ("tictactoe", "lines", True)
    evaluation = weights.evaluation(tictactoe, made.features)
    assert -1 <= evaluation.kernel(tictactoe.start().words, evaluation.weights) <= 1


def test_a_step_takes_the_mean_of_all_its_groups() -> None:
    made, recording = learner(shared=False, groups=3, matches=7, test_matches=0), Recording()
    after, metrics = made.step(made.start(1), recording)
    assert [len(taught.matches) for taught in recording.results] == [3, 2, 2]
    weights = [taught.weights for taught in recording.results]
    assert not np.array_equal(weights[0], weights[1])
    assert after.arrays["players"] == pytest.approx((weights[0] + weights[1] + weights[2]) / 3, abs=1e-15)
    plies = [match.plies for taught in recording.results for match in taught.matches]
    assert metrics["plies"] == pytest.approx(sum(plies) / 7)


@pytest.mark.parametrize(("scores", "leader"), [((0.25, 0.75), 1), ((0.75, 0.25), 0)])
def test_the_result_is_the_side_that_did_better(
    scores: tuple[float, float], leader: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = iter(scores)
    monkeypatch.setattr(TemporalDifference, "test", lambda *_, **__: next(given))
    made = learner(shared=False)
    state, metrics = made.step(made.start(1), InProcess())
    assert np.array_equal(made.weights(state), state.arrays["players"][leader])
    assert not np.array_equal(made.weights(state), state.arrays["players"][1 - leader])
    assert metrics["score"] == 0.75


@pytest.mark.parametrize("shared", [True, False])
def test_without_test_matches_there_is_no_score(shared: bool) -> None:
    made = learner(shared=shared, test_matches=0)
    state, metrics = made.step(made.start(1), InProcess())
    assert "score" not in metrics
    assert np.array_equal(made.weights(state), state.arrays["players"][0])


# --- a pure machine -------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"shared": False}, {"tanh": False, "alpha": 0.01}], ids=str)
def test_equal_seeds_give_equal_weights_and_others_do_not(options: dict[str, object]) -> None:
    first, again, other = (trained(learner(**options), seed).arrays["players"] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_learner_made_anew_goes_on_from_a_state_bit_for_bit() -> None:
    made = learner(shared=False)
    whole = trained(made)
    state = made.start(1)
    for _ in range(4):
        kept = LearnerState({name: array.copy() for name, array in state.arrays.items()}, dict(state.scalars))
        state, _ = learner(shared=False).step(kept, InProcess())
    assert state.arrays["players"].tobytes() == whole.arrays["players"].tobytes()
    assert state.scalars == whole.scalars


def test_a_step_leaves_the_state_before_as_it_was() -> None:
    made = learner()
    state = made.start(1)
    before, scalars = state.arrays["players"].copy(), dict(state.scalars)
    made.step(state, InProcess())
    assert np.array_equal(state.arrays["players"], before)
    assert state.scalars == scalars


@pytest.mark.slow
def test_one_worker_and_two_learn_the_same_weights() -> None:
    made, found = learner(steps=2), []
    for workers in (1, 2):
        with open_executor(workers) as executor:
            state = made.start(3)
            while not made.is_done(state):
                state, metrics = made.step(state, executor)
            found.append((state.arrays["players"].tobytes(), state.scalars, dict(metrics)))
    assert found[0] == found[1]


# --- settings -------------------------------------------------------------


def test_it_is_done_after_its_steps() -> None:
    made = learner(steps=3)
    assert made.length == 3
    assert trained(made).scalars["step"] == 3


def test_a_step_is_told_of_in_numbers() -> None:
    made = learner(test_matches=8)
    _, metrics = made.step(made.start(1), InProcess())
    assert set(metrics) >= {"score", "decided", "plies", "epsilon", "alpha", "change"}
    assert all(isinstance(value, int | float) for value in metrics.values())
    assert 0 <= metrics["score"] <= 1
    assert 0 < metrics["plies"] <= 42
    assert metrics["change"] > 0


def test_epsilon_falls_to_its_floor_and_alpha_as_it_is_told() -> None:
    made = learner(epsilon=0.5, epsilon_decay=0.5, epsilon_floor=0.1, alpha=0.2, alpha_decay=0.5)
    assert [made.rates(step).epsilon for step in range(4)] == [0.5, 0.25, 0.125, 0.1]
    assert [made.rates(step).alpha for step in range(3)] == [0.2, 0.1, 0.05]
    assert learner(epsilon=0.05).rates(9).epsilon <= 0.05


def test_sides_that_share_weights_have_the_same() -> None:
    same = trained(learner()).arrays["players"]
    assert np.array_equal(same[0], same[1])
    own = trained(learner(shared=False)).arrays["players"]
    assert not np.array_equal(own[0], own[1])


def test_a_step_without_matches_for_every_group_still_learns() -> None:
    made = learner(matches=2, groups=4)
    state = made.start(1)
    after, _ = made.step(state, InProcess())
    assert not np.array_equal(after.arrays["players"], state.arrays["players"])


def test_first_weights_are_random_within_their_spread() -> None:
    weights = first_weights(16, 14, 0.1, seed=1)
    assert weights.shape == (16, 14)
    assert 0.09 < np.abs(weights).max() <= 0.1
    assert not np.array_equal(weights, first_weights(16, 14, 0.1, seed=2))


def test_a_game_without_features_is_refused() -> None:
    with pytest.raises(OptionError, match="expected a game with features: nim has none"):
        TemporalDifference(Nim())


def test_an_unknown_feature_set_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="'rows'; available: lines"):
        learner(features="rows")


@pytest.mark.parametrize("option", ["alpha", "epsilon", "gamma", "lambda", "matches", "groups", "ply_limit"])
def test_options_out_of_their_range_are_refused(option: str) -> None:
    with pytest.raises(OptionError, match=f"{option} must be .* to .*, not -1"):
        learner(**{option: -1})
