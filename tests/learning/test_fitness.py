"""What individuals are ranked by, what is looked for, and what all three learners keep."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import EntryPoint
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learning.searching import NAMES, made, same, small, trained
from reference.minimax import EXAMPLE

import boardgames
from boardgames import plugins
from boardgames.errors import LearnerStateError, OptionError, UnknownNameError
from boardgames.executors import InProcess, open_executor
from boardgames.learning import base
from boardgames.learning.fitness import (
    Fitness,
    Searcher,
    ended_of,
    fitness_by_margin,
    fitness_by_wins,
    ranking,
    space_of,
    worth,
)
from boardgames.selfplay import Contestant, MatchResult
from boardgames.weights import Weights

PLY_LIMIT = 400
LEARNERS = pytest.mark.parametrize("name", NAMES)


def ended(
    winner: int | None, scores: tuple[int, int] = (0, 0), plies: int = 30, side: int = 0
) -> MatchResult:
    return MatchResult(side, winner, winner is None, plies, 7, scores)


@st.composite
def matches(draw: st.DrawFn) -> MatchResult:
    scores = draw(st.tuples(st.integers(0, 3), st.integers(0, 40)))
    plies = draw(st.integers(1, PLY_LIMIT))
    return ended(draw(st.sampled_from([0, 1, None])), scores, plies, draw(st.sampled_from([0, 1])))


# --- fitness ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        (ended(0, (0, 6)), 1.0),
        (ended(1, (6, 0)), 0.0),
        (ended(None), 0.5),
        (ended(None, (3, 0)), 0.5 + 3 / 4 / 4),
        (ended(None, (3, 0), side=1), 0.5 - 3 / 4 / 4),
        (ended(None, (0, 5000)), 0.25),
    ],
    ids=["won", "lost", "no score", "ahead", "behind", "far behind"],
)
def test_a_match_counts_by_its_end_and_then_by_the_score(match: MatchResult, expected: float) -> None:
    assert worth(match) == pytest.approx(expected, abs=2**-13)


@given(matches())
def test_what_one_gains_in_a_match_the_other_loses(match: MatchResult) -> None:
    assert worth(match) + worth(replace(match, side=1 - match.side)) == 1


@given(*[st.lists(matches(), min_size=3, max_size=3)] * 2)
def test_plies_decide_between_equals_only(first: list[MatchResult], second: list[MatchResult]) -> None:
    values = [fitness_by_margin(played, PLY_LIMIT).value for played in (first, second)]
    sums = [sum(map(worth, played)) for played in (first, second)]
    plies = [fitness_by_margin(played, PLY_LIMIT).plies_to_win for played in (first, second)]
    if sums[0] != sums[1]:
        assert (values[0] > values[1]) == (sums[0] > sums[1])
    else:
        assert (values[0] > values[1]) == (plies[0] < plies[1])


def test_the_smallest_margin_outweighs_all_plies() -> None:
    ahead = [ended(0, plies=PLY_LIMIT), ended(None, (512, 511))]
    quick = [ended(0, plies=1), ended(None, (511, 511))]
    assert fitness_by_margin(ahead, PLY_LIMIT).value > fitness_by_margin(quick, PLY_LIMIT).value


@pytest.mark.parametrize("fitness", [fitness_by_wins, fitness_by_margin])
def test_who_wins_more_comes_first_and_then_who_wins_sooner(fitness: Callable[..., Fitness]) -> None:
    slow, quick = [ended(0, plies=90), ended(1)], [ended(0, plies=60), ended(1)]
    never, twice = [ended(1), ended(1)], [ended(0, plies=399), ended(0, plies=399)]
    measured = [fitness(played, PLY_LIMIT) for played in (never, slow, quick, twice)]
    assert ranking(measured) == [3, 2, 1, 0]


@given(*[st.lists(matches(), min_size=4, max_size=4)] * 2)
def test_by_wins_their_number_counts_then_fewest_plies_and_nothing_else(
    first: list[MatchResult], second: list[MatchResult]
) -> None:
    keys = []
    for played in (first, second):
        won = [match.plies for match in played if match.winner == match.side]
        keys.append((len(won), -Fraction(sum(won), len(won) or 1)))
    values = [fitness_by_wins(played, PLY_LIMIT).value for played in (first, second)]
    assert (values[0] > values[1], values[0] == values[1]) == (keys[0] > keys[1], keys[0] == keys[1])


@pytest.mark.parametrize("won", [1, 19_999, 20_000])
def test_by_wins_one_ply_decides_in_the_largest_of_measurements(won: int) -> None:
    """20,000 matches of up to 100,000 plies: as large as the options go."""
    lost = [ended(1)] * (20_000 - won)
    slow = [ended(0, plies=100_000)] * won
    slow, quick = [*slow, *lost], [*slow[1:], ended(0, plies=99_999), *lost]
    fewer = [*slow[1:], ended(1)] if won > 1 else [ended(1)] * 20_000
    values = [fitness_by_wins(played, 100_000).value for played in (quick, slow, fewer)]
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
def test_each_learner_ranks_by_the_fitness_that_it_is_told(
    name: str, options: dict[str, object], expected: Callable[..., Fitness]
) -> None:
    learner = made(name, opponent="game", **options)
    individuals = np.random.default_rng(1).uniform(-1, 1, (5, learner.space.size))
    own = [
        ended_of(learner.submit(Contestant(weights, 1), learner.opponent, 2, InProcess(), 5))
        for weights in learner.space.weights(individuals)
    ]
    assert any(match.winner == match.side for played in own for match in played)
    measured = learner.measure(individuals, learner.opponent, InProcess(), 5)
    assert measured == [expected(played, learner.setup.ply_limit) for played in own]


def test_an_unknown_fitness_is_refused() -> None:
    with pytest.raises(OptionError, match="expected one of wins, margin for fitness: 'plies'"):
        made("cem", fitness="plies")


@LEARNERS
def test_without_test_matches_there_is_no_score(name: str) -> None:
    for matches in (0, 2):
        learner = made(name, test_matches=matches)
        _, metrics = learner.step(learner.start(1), InProcess())
        assert ("score" in metrics) == (matches > 0)


def test_all_of_a_generation_meet_the_same_openings() -> None:
    learner = made("cem", opponent="game", pairs=12)
    twins = np.tile(np.linspace(-1, 1, learner.space.size), (3, 1))
    measured = learner.measure(twins, learner.opponent, InProcess(), 5)
    assert measured[0] == measured[1] == measured[2]
    assert measured != learner.measure(twins, learner.opponent, InProcess(), 6)


# --- what is looked for -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["simple", "classic14", "extended"])
def test_mirrored_weights_see_opposite_worth_for_both_sides(name: str) -> None:
    game = boardgames.load("abalone")
    features = plugins.load_features(name, game)
    space = space_of(features, mirrored=True)
    assert space.size == len(features.features) // 2
    weights = space.weights(np.random.default_rng(1).uniform(-1, 1, space.size))
    seen = np.zeros((2, len(features.features)))
    position, chance = game.start(), np.random.default_rng(1)
    for _ in range(60):
        position = position.apply(position.legal_moves[chance.integers(len(position.legal_moves))])
        for side in (0, 1):
            features.kernel(position.words, side, seen[side])
        values = features.normalised(seen) @ weights
        assert values[0] == pytest.approx(-values[1])


def test_without_mirroring_each_weight_is_looked_for() -> None:
    features = plugins.load_features("lines", small())
    numbers = np.arange(11.0)
    assert space_of(features, mirrored=False).weights(numbers).tolist() == numbers.tolist()


def lopsided(change: str) -> boardgames.declarations.FeatureSet:
    """Return features of which the first has no counterpart, or one with another range."""
    features = plugins.load_features("lines", small())
    first, *rest = features.features
    other = replace(first, name="own other") if change == "name" else replace(first, high=first.high + 1)
    return replace(features, features=(other, *rest))


@pytest.mark.parametrize("change", ["name", "range"])
def test_features_without_counterpart_are_mirrored_for_nobody(change: str) -> None:
    assert space_of(lopsided(change)).size == 11
    with pytest.raises(OptionError, match=r"expected features 'own \.\.\.' with 'other's \.\.\.' to mirror"):
        space_of(lopsided(change), mirrored=True)


# --- opponents ----------------------------------------------------------------------------


def test_an_opponent_may_be_weights_of_other_features(tmp_path: Path) -> None:
    game = boardgames.load("abalone")
    simple = plugins.load_features("simple", game)
    path = tmp_path / "other.safetensors"
    Weights.of(game, simple, np.array([-1.0, -1, -1, 1, 1, 1])).write(path)
    options = {"features": "classic14", "depth": 1, "pairs": 1, "ply_limit": 20}
    learner = plugins.load_learner("cem", game, opponent=str(path), **options)
    assert learner.opponent.features == "simple"
    assert len(learner.measure(np.zeros((2, 7)), learner.opponent, InProcess(), 1)) == 2


def test_an_opponent_that_nobody_knows_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="expected weights, a run or a file: 'stockfish'"):
        made("cem", opponent="stockfish")


def test_random_is_an_opponent() -> None:
    assert made("cmaes", opponent="random").opponent.is_random


@LEARNERS
def test_a_run_does_not_go_on_against_other_weights(name: str, tmp_path: Path) -> None:
    game, path = small(), tmp_path / "other.safetensors"
    lines = plugins.load_features("lines", game)
    Weights.of(game, lines, np.ones(11)).write(path)
    state = made(name, opponent=str(path)).start(1)
    Weights.of(game, lines, -np.ones(11)).write(path)
    with pytest.raises(LearnerStateError, match="expected the opponent's weights as they were at the start"):
        made(name, opponent=str(path)).step(state, InProcess())


# --- all three ----------------------------------------------------------------------------


@LEARNERS
def test_a_learner_made_anew_goes_on_from_any_generation(name: str) -> None:
    states = trained(made(name), seed=3)
    for before, after in pairwise(states):
        assert same(made(name).step(before, InProcess())[0], after)
    assert len(states) == made(name).length + 1


@LEARNERS
def test_a_step_leaves_the_state_before_as_it_was(name: str) -> None:
    learner = made(name)
    state = learner.step(learner.start(3), InProcess())[0]
    learner.step(state, InProcess())
    assert same(state, made(name).step(made(name).start(3), InProcess())[0])


@LEARNERS
def test_a_step_that_is_dropped_leaves_no_trace(name: str) -> None:
    class Interrupted(InProcess):
        def submit(self, *_: object, **__: object) -> None:
            raise KeyboardInterrupt

    learner = made(name)
    state = learner.step(learner.start(3), InProcess())[0]
    with pytest.raises(KeyboardInterrupt):
        learner.step(state, Interrupted())
    assert same(learner.step(state, InProcess())[0], made(name).step(state, InProcess())[0])


@LEARNERS
def test_other_seeds_find_other_weights(name: str) -> None:
    first, second = (made(name).weights(trained(made(name), seed)[-1]) for seed in (1, 2))
    assert not np.array_equal(first, second)


@pytest.mark.slow
@LEARNERS
def test_two_workers_find_the_weights_that_one_finds(name: str) -> None:
    with open_executor(2) as executor:
        many = trained(made(name, steps=2), 3, executor)
    assert same(many[-1], trained(made(name, steps=2), 3)[-1])


@LEARNERS
def test_the_standings_are_those_of_the_last_generation(name: str) -> None:
    states = trained(made(name), seed=3)
    learner = made(name)
    assert list(learner.standings(states[0])) == []
    points = [points for _, points in learner.standings(states[-1])]
    assert len(points) == 6
    assert points == sorted(points, reverse=True)


def points_against_random(learner: Searcher, weights: np.ndarray) -> float:
    first, second = Contestant(weights, 1), Contestant(is_random=True)
    return base.points_of(learner.contests(first, second, 400, InProcess(), 9))


@pytest.mark.slow
@LEARNERS
def test_weights_that_are_found_beat_random(name: str) -> None:
    """Weights of nothing but 0 have less; the rest of the matches are full boards."""
    learner = made(name, population=16, pairs=10, steps=6)
    found = learner.weights(trained(learner, seed=3)[-1])
    assert points_against_random(learner, found) > 0.85
    assert points_against_random(learner, np.zeros(11)) < 0.75


# --- a game of somebody else's ------------------------------------------------------------


@pytest.fixture
def tictactoe(monkeypatch: pytest.MonkeyPatch) -> boardgames.game.Game:
    """Return the example game, as if it were installed."""
    monkeypatch.syspath_prepend(str(EXAMPLE))
    point = EntryPoint("tictactoe", "boardgames_tictactoe.plugin", "boardgames")
    registry = plugins.Registry(found=[point])
    for module in (plugins, base):
        monkeypatch.setattr(module, "registry", lambda: registry)
    if not registry.offers("features", "tictactoe"):
        pytest.skip("the example has no features")
    return plugins.load("tictactoe")


@pytest.mark.slow
@LEARNERS
def test_the_example_game_is_learned_too(name: str, tictactoe: boardgames.game.Game) -> None:
    learner = plugins.load_learner(name, tictactoe, depth=1, pairs=20, steps=8, opening=1, opponent="random")
    found = learner.weights(trained(learner, seed=3)[-1])
    assert points_against_random(learner, found) > 0.8
