"""What `genetic`, `cem` and `cmaes` share: fitness, search space and opponents."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learning.helpers import make, small, states_of, train

import boardgames
from boardgames import plugins
from boardgames.errors import LearnerStateError, OptionError, UnknownNameError
from boardgames.executors import InProcess
from boardgames.learning.base import gather_results, mean_points, rank
from boardgames.learning.fitness import (
    Fitness,
    FitnessLearner,
    fitness_by_margin,
    fitness_by_wins,
    match_value,
    search_space,
)
from boardgames.selfplay import Contestant, SelfPlayMatch
from boardgames.weights import Weights

PLY_LIMIT = 400
LEARNERS = pytest.mark.parametrize("name", ["genetic", "cem", "cmaes"])


def result(
    winner: int | None, scores: tuple[int, int] = (0, 0), plies: int = 30, side: int = 0
) -> SelfPlayMatch:
    return SelfPlayMatch(side, winner, winner is None, plies, 7, scores)


@st.composite
def results(draw: st.DrawFn) -> SelfPlayMatch:
    scores = draw(st.tuples(st.integers(0, 3), st.integers(0, 40)))
    plies = draw(st.integers(1, PLY_LIMIT))
    return result(draw(st.sampled_from([0, 1, None])), scores, plies, draw(st.sampled_from([0, 1])))


# --- fitness ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        (result(0, (0, 6)), 1.0),
        (result(1, (6, 0)), 0.0),
        (result(None), 0.5),
        (result(None, (3, 0)), 0.5 + 3 / 4 / 4),
        (result(None, (3, 0), side=1), 0.5 - 3 / 4 / 4),
        (result(None, (0, 5000)), 0.25),
    ],
    ids=["won", "lost", "no score", "ahead", "behind", "far behind"],
)
def test_value_of_a_match_is_its_result_or_its_margin(match: SelfPlayMatch, expected: float) -> None:
    assert match_value(match) == pytest.approx(expected, abs=2**-13)


@given(results())
def test_values_of_both_contestants_sum_to_one(match: SelfPlayMatch) -> None:
    assert match_value(match) + match_value(replace(match, side=1 - match.side)) == 1


@given(*[st.lists(results(), min_size=3, max_size=3)] * 2)
def test_plies_only_break_ties_in_fitness_by_margin(
    first: list[SelfPlayMatch], second: list[SelfPlayMatch]
) -> None:
    fitness = [fitness_by_margin(matches, PLY_LIMIT) for matches in (first, second)]
    sums = [sum(map(match_value, matches)) for matches in (first, second)]
    plies = [one.plies_to_win for one in fitness]
    is_fitter = fitness[0].value > fitness[1].value
    assert is_fitter == (sums[0] > sums[1] if sums[0] != sums[1] else plies[0] < plies[1])


def test_smallest_margin_outweighs_all_plies() -> None:
    ahead = [result(0, plies=PLY_LIMIT), result(None, (512, 511))]
    quick = [result(0, plies=1), result(None, (511, 511))]
    assert fitness_by_margin(ahead, PLY_LIMIT).value > fitness_by_margin(quick, PLY_LIMIT).value


@pytest.mark.parametrize("fitness", [fitness_by_wins, fitness_by_margin])
def test_most_wins_rank_first_then_the_quickest(fitness: Callable[..., Fitness]) -> None:
    slow, quick = [result(0, plies=90), result(1)], [result(0, plies=60), result(1)]
    never, twice = [result(1), result(1)], [result(0, plies=399), result(0, plies=399)]
    values = [fitness(matches, PLY_LIMIT).value for matches in (never, slow, quick, twice)]
    assert rank(np.array(values)) == [3, 2, 1, 0]


@given(*[st.lists(results(), min_size=4, max_size=4)] * 2)
def test_fitness_by_wins_depends_only_on_wins_and_plies_to_win(
    first: list[SelfPlayMatch], second: list[SelfPlayMatch]
) -> None:
    keys = []
    for matches in (first, second):
        won = [match.plies for match in matches if match.winner == match.side]
        keys.append((len(won), -Fraction(sum(won), len(won) or 1)))
    values = [fitness_by_wins(matches, PLY_LIMIT).value for matches in (first, second)]
    assert (values[0] > values[1], values[0] == values[1]) == (keys[0] > keys[1], keys[0] == keys[1])


@pytest.mark.parametrize("won", [1, 19_999, 20_000])
def test_one_ply_changes_fitness_by_wins_even_with_the_largest_options(won: int) -> None:
    """20,000 matches of up to 100,000 plies."""
    lost = [result(1)] * (20_000 - won)
    slow = [result(0, plies=100_000)] * won
    slow, quick = [*slow, *lost], [*slow[1:], result(0, plies=99_999), *lost]
    fewer = [*slow[1:], result(1)] if won > 1 else [result(1)] * 20_000
    values = [fitness_by_wins(matches, 100_000).value for matches in (quick, slow, fewer)]
    assert values[0] > values[1] > values[2]


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("genetic", {}, fitness_by_wins),
        ("genetic", {"fitness": "margin"}, fitness_by_margin),
        ("cem", {}, fitness_by_margin),
        ("cem", {"fitness": "wins"}, fitness_by_wins),
        ("cmaes", {}, fitness_by_margin),
    ],
)
def test_learners_use_the_fitness_of_their_option(
    name: str, options: dict[str, object], expected: Callable[..., Fitness]
) -> None:
    learner = make(name, opponent="game", **options)
    individuals = np.random.default_rng(1).uniform(-1, 1, (5, learner.space.size))
    matches = [
        gather_results(learner.submit_matches(Contestant(weights, 1), learner.opponent, 2, InProcess(), 5))
        for weights in learner.space.weights(individuals)
    ]
    assert any(match.winner == match.side for own in matches for match in own)
    measured = learner.measure_fitness(individuals, learner.opponent, InProcess(), 5)
    assert measured == [expected(own, learner.setup.ply_limit) for own in matches]


def test_unknown_fitness_is_rejected() -> None:
    with pytest.raises(OptionError, match=r"wins.*margin.*'plies'"):
        make("cem", fitness="plies")


def test_all_individuals_of_a_generation_meet_the_same_openings() -> None:
    learner = make("cem", opponent="game", pairs=12)
    twins = np.tile(np.linspace(-1, 1, learner.space.size), (3, 1))
    measured = learner.measure_fitness(twins, learner.opponent, InProcess(), 5)
    assert measured[0] == measured[1] == measured[2]
    assert measured != learner.measure_fitness(twins, learner.opponent, InProcess(), 6)


# --- search space -------------------------------------------------------------


@pytest.mark.parametrize("name", ["simple", "classic14", "extended"])
def test_mirrored_weights_give_opposite_values_to_both_sides(name: str) -> None:
    game = boardgames.load("abalone")
    features = plugins.load_features(name, game)
    space = search_space(features, mirrored=True)
    assert space.size == len(features.features) // 2
    weights = space.weights(np.random.default_rng(1).uniform(-1, 1, space.size))
    seen = np.zeros((2, len(features.features)))
    position, random = game.start(), np.random.default_rng(1)
    for _ in range(30):
        position = position.apply(position.legal_moves[random.integers(len(position.legal_moves))])
        for side in (0, 1):
            features.kernel(position.words, side, seen[side])
        values = features.normalised(seen) @ weights
        assert values[0] == pytest.approx(-values[1])


def test_unmirrored_space_has_a_dimension_for_each_weight() -> None:
    numbers = np.arange(11.0)
    space = search_space(plugins.load_features("lines", small()), mirrored=False)
    assert space.weights(numbers).tolist() == numbers.tolist()


@pytest.mark.parametrize("change", ["name", "range"])
def test_features_without_partners_cannot_be_mirrored(change: str) -> None:
    features = plugins.load_features("lines", small())
    first, *rest = features.features
    other = replace(first, name="own other") if change == "name" else replace(first, high=first.high + 1)
    lopsided = replace(features, features=(other, *rest))
    assert search_space(lopsided).size == 11
    with pytest.raises(OptionError, match="'lines' cannot be mirrored"):
        search_space(lopsided, mirrored=True)


# --- opponents ----------------------------------------------------------------


def test_opponent_may_have_other_features(tmp_path: Path) -> None:
    game = boardgames.load("abalone")
    simple = plugins.load_features("simple", game)
    path = tmp_path / "other.safetensors"
    Weights.of(game, simple, np.array([-1.0, -1, -1, 1, 1, 1])).write(path)
    options = {"features": "classic14", "depth": 1, "pairs": 1, "ply_limit": 20}
    learner = plugins.load_learner("cem", game, opponent=str(path), **options)
    assert isinstance(learner, FitnessLearner)
    assert isinstance(learner.opponent.weights, Weights)
    assert learner.opponent.weights.features == "simple"
    assert len(learner.measure_fitness(np.zeros((2, 7)), learner.opponent, InProcess(), 1)) == 2


def test_opponent_may_be_random() -> None:
    assert make("cmaes", opponent="random").opponent.is_random


def test_unknown_opponent_is_rejected() -> None:
    with pytest.raises(UnknownNameError, match="'stockfish'"):
        make("cem", opponent="stockfish")


@LEARNERS
def test_run_does_not_resume_against_other_weights(name: str, tmp_path: Path) -> None:
    game, path = small(), tmp_path / "other.safetensors"
    lines = plugins.load_features("lines", game)
    Weights.of(game, lines, np.ones(11)).write(path)
    state = make(name, opponent=str(path)).start(1)
    Weights.of(game, lines, -np.ones(11)).write(path)
    with pytest.raises(LearnerStateError, match=r"the weights of the opponent .* have changed"):
        make(name, opponent=str(path)).step(state, InProcess())


# --- learners -----------------------------------------------------------------


@LEARNERS
def test_standings_rank_the_last_generation(name: str) -> None:
    states, learner = states_of(name), make(name)
    assert list(learner.standings(states[0])) == []
    values = [value for _, value in learner.standings(states[-1])]
    assert len(values) == 6
    assert values == sorted(values, reverse=True)


@pytest.mark.slow
@LEARNERS
def test_learned_weights_beat_random(name: str) -> None:
    """Weights of zero score less. The matches that are not won end with a full board."""
    learner = make(name, population=16, pairs=10, steps=6, test_matches=0)
    scores = [
        mean_points(learner.play(Contestant(weights), Contestant(is_random=True), 400, InProcess(), 9))
        for weights in (learner.weights(train(learner, seed=3)[-1]), np.zeros(11))
    ]
    assert scores[0] > 0.85
    assert scores[1] < 0.75
