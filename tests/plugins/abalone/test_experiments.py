"""The experiments of the original project: openings, players, units, and the original results."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import boardgames
from boardgames.errors import OptionError, WeightsError
from boardgames.executors import InProcess, ProcessPool
from boardgames.experiments import Experiment, Figure, Findings, StageProgress, Table, load_experiment
from boardgames.kernels import Reals
from boardgames.learning.td import initial_weights
from boardgames.selfplay import SelfPlayMatch, SelfPlaySetup, TDParameters
from boardgames_abalone.experiments import fine_tuning
from boardgames_abalone.experiments.basic_training import BasicTraining
from boardgames_abalone.experiments.fine_tuning import CONTROL, VARIANTS, FineTuning
from boardgames_abalone.experiments.lookahead import compare
from boardgames_abalone.experiments.tasks import (
    TrainedPair,
    play_learning_and_frozen,
    train_and_test,
    train_pair,
)

ABALONE = boardgames.load("abalone")
QUICK_ABALONE = {"ply_limit": 20, "matches": 2, "test_matches": 2}
SMALL = boardgames.load("connect4", columns=5, rows=4)
SETUP = SelfPlaySetup.of(SMALL, "lines", opening=3, ply_limit=100)
LEARNING, FROZEN = TDParameters(), TDParameters(alpha=0.0, epsilon=0.0)
ANCESTORS = {"population": 4, "survivors": 2, "training_matches": 6, "tournament_matches": 4, "matches": 6}
TUNING = {"couples": 2, "candidates": 4, "matches": 20, "test_matches": 4}


def findings_of(experiment: Experiment, seed: int = 1) -> Findings:
    """Run an experiment that plays matches."""
    findings = experiment.run(InProcess(), seed)
    assert isinstance(findings, Findings)
    return findings


@cache
def _run(name: str, seed: int, options: tuple[tuple[str, object], ...]) -> Findings:
    return findings_of(load_experiment(name, SMALL, **dict(options)), seed)


def run(name: str, seed: int = 1, **options: Any) -> Findings:  # those of the experiment
    """Return the findings of an experiment on a small board; each experiment runs only once."""
    return _run(name, seed, tuple(options.items()))


def is_even(figure: Figure) -> bool:
    return figure.wins[0] == figure.wins[1]


# --- tasks --------------------------------------------------------------------


def two(seed: int) -> Reals:
    return initial_weights(2, 11, 1.0, seed)


@cache
def good_weights() -> Reals:
    weights: Reals = train_pair(SETUP, two(1), [LEARNING] * 60, seed=1).weights[0]
    return weights


def hashes(results: list[SelfPlayMatch]) -> list[int]:
    return [match.moves_hash for match in results]


def test_training_matches_come_in_pairs_from_one_opening() -> None:
    twins = two(1)[[0, 0]]  # so that swapping the sides changes nothing
    played = hashes(train_pair(SETUP, twins, [FROZEN] * 8, seed=3).matches)
    assert played[::2] == played[1::2]
    assert len(set(played)) > 1


def test_openings_do_not_depend_on_hyperparameters_or_learning() -> None:
    opening_only = replace(SETUP, ply_limit=SETUP.opening)
    other = TDParameters(alpha=0.5, epsilon=0.9)
    first, second = (
        hashes(train_pair(opening_only, two(1), [one] * 10, seed=3).matches) for one in (other, FROZEN)
    )
    assert first == second
    greedy = replace(LEARNING, epsilon=0.0)
    own, other_weights = two(1)
    learning, frozen = play_learning_and_frozen(opening_only, own, other_weights, greedy, matches=10, seed=4)
    assert hashes(learning) == hashes(frozen)


def test_weights_and_wins_stay_with_their_player_when_sides_change() -> None:
    players = np.stack([good_weights(), -good_weights()])
    for seats, least, most in ((players, 16, 20), (players[::-1], 0, 4)):
        matches = train_pair(SETUP, seats, [FROZEN] * 20, seed=2).matches
        assert least <= sum(match.winner == match.side for match in matches) <= most
    learned = train_pair(SETUP, players, [LEARNING] * 3, seed=2).weights
    assert np.abs(learned - players).max() < np.abs(learned - players[::-1]).max()


def test_training_does_not_change_its_input() -> None:
    weights = two(1)
    result = train_pair(SETUP, weights, [LEARNING] * 4, seed=1)
    assert np.array_equal(weights, two(1))
    assert not np.array_equal(result.weights, weights)


def test_each_player_is_tested_against_its_own_opponent() -> None:
    good = good_weights()
    weights, opponents = np.stack([-good, good]), np.stack([good, -good])
    trained = train_and_test(SETUP, weights, [FROZEN] * 2, opponents, tests=20, seed=1)
    points = [sum(match.points for match in test) for test in trained.tests]  # points of the opponents
    assert points[0] > 15
    assert points[1] < 5


# --- lookahead ----------------------------------------------------------------


def test_two_plies_get_as_many_positions_as_one_ply_valued() -> None:
    compared = compare(SETUP, two(1)[[0, 0]], replace(LEARNING, shared=True), matches=12, tests=2, seed=1)
    one, equal = compared.one, compared.equal_time
    assert one.matches == compared.equal_matches.matches == 12 > equal.matches
    assert one.valued <= equal.valued < one.valued + compared.equal_matches.valued
    assert compared.equal_matches.valued > 2 * one.valued


def test_lookahead_has_a_column_for_each_budget_and_depth() -> None:
    table = run("lookahead", repetitions=1, matches=4, test_matches=2).tables[0]
    assert [figure.column for figure in table.figures] == [
        "equal time, 1 ply", "equal time, 2 plies", "equal matches, 1 ply", "equal matches, 2 plies",
    ]  # fmt: skip
    assert all(figure.matches == 2 for figure in table.figures)


# --- basic training -----------------------------------------------------------


@pytest.mark.slow
def test_exploration_in_test_matches_is_an_option() -> None:
    plain = run("basic-training", test_matches=20).tables[0]
    explored = run("basic-training", test_matches=20, test_epsilon=0.5).tables[0]
    assert [figure.units for figure in plain.figures] != [figure.units for figure in explored.figures]
    assert [f.units for f in run("basic-training", test_matches=20, test_epsilon=0.0).tables[0].figures] == [
        figure.units for figure in plain.figures
    ]


def test_trained_players_beat_their_old_selves() -> None:
    table = run("basic-training", repetitions=8).tables[0]
    share = table.share(table.totals[-1])
    assert share is not None
    assert table.share_name == "trained self"
    assert share.low > 0.5
    rows = [figure.row for figure in table.figures[::2]]
    assert rows == [f"training {number}" for number in range(1, 9)]
    assert len({figure.units for figure in table.figures}) > 1  # trainings differ


def test_without_learning_players_are_even_with_their_old_selves() -> None:
    (table,) = run("basic-training", alpha=0, repetitions=3, matches=20).tables
    assert all(map(is_even, table.figures))


def test_seed_decides_the_findings() -> None:
    options = {"repetitions": 2, "matches": 20}
    fresh = load_experiment("basic-training", SMALL, **options).run(InProcess(), 1)
    assert fresh == run("basic-training", **options)
    assert fresh != run("basic-training", seed=2, **options)


@pytest.mark.parametrize(("winner", "wins"), [(0, [(1, 0), (0, 1)]), (1, [(0, 1), (1, 0)])])
def test_winner_of_a_training_won_more_of_its_matches(winner: int, wins: list[tuple[int, int]]) -> None:
    matches = [SelfPlayMatch(0, side, False, 9, 1, (0, 0)) for side in (0, 1)]
    trained = TrainedPair(two(1), [matches[winner]], ([matches[0]], [matches[1]]))
    figures = BasicTraining(SMALL)._figures(0, trained)
    assert [figure.wins for figure in figures] == wins


def test_totals_sum_up_columns_and_both() -> None:
    table = run("basic-training", repetitions=8).tables[0]
    winner, loser, both = table.totals
    assert winner.wins == tuple(sum(wins) for wins in zip(*(f.wins for f in table.figures[::2]), strict=True))
    assert both.wins == (winner.wins[0] + loser.wins[0], winner.wins[1] + loser.wins[1])


def test_matches_without_random_openings_are_repetitions() -> None:
    (table,) = run("basic-training", opening=0, repetitions=1, matches=20).tables
    assert all(figure.distinct <= 2 and figure.matches == 10 for figure in table.figures)
    assert all(figure.distinct > 5 for figure in run("basic-training", repetitions=8).tables[0].figures)


# --- ancestors ----------------------------------------------------------------


def test_winner_meets_every_ancestor_learning_and_not_learning() -> None:
    (table,) = run("ancestors", generations=3, evolutions=2, **ANCESTORS).tables
    rows = [f"ancestor {evolution}.{number}" for evolution in (1, 2) for number in (1, 2, 3, 4)]
    assert [(figure.row, figure.column) for figure in table.figures] == [
        (row, column) for row in rows for column in ("learning", "not learning")
    ]
    assert {figure.matches for figure in table.figures} == {6}
    assert [figure.matches for figure in table.totals] == [24, 24, 48] * 2


def test_winner_is_even_with_an_ancestor_of_the_same_weights() -> None:
    copies = {**ANCESTORS, "survivors": 1}  # children are copies, and nobody learns
    (table,) = run("ancestors", generations=2, alpha=0, evolutions=1, **copies).tables
    assert all(map(is_even, table.figures))


@pytest.mark.parametrize("evolutions", [2, 3])
def test_evolutions_are_the_units_of_the_total(evolutions: int) -> None:
    """Two such units give no interval, and the conclusion says so."""
    findings = run("ancestors", generations=3, evolutions=evolutions, **ANCESTORS)
    (table,) = findings.tables
    totals = [figure for figure in table.totals if figure.row == "total"]
    assert len(totals) == 2
    for total in totals:
        parts = [one for one in table.totals if one.column == total.column and one.row != "total"]
        assert total.units == tuple(part.wins for part in parts)
        share = table.share(total)
        assert share is not None
        assert ((share.low, share.high) == (0, 1)) == (evolutions == 2)
    assert ("no interval: fewer than 3 evolutions" in findings.conclusion) == (evolutions == 2)


def test_impossible_evolution_is_rejected_before_any_work() -> None:
    with pytest.raises(OptionError, match="survivors must be at most the population of 4, not 5"):
        load_experiment("ancestors", SMALL, **{**ANCESTORS, "survivors": 5})


def test_evolutions_and_matches_report_progress() -> None:
    reports: list[StageProgress] = []
    experiment = load_experiment("ancestors", SMALL, generations=2, evolutions=1, **ANCESTORS)
    experiment.run(InProcess(), 1, reports.append)
    assert [progress.done for progress in reports if progress.stage == "evolution 1"] == [0, 1, 2, 3]
    assert reports[-1] == StageProgress("ancestors 1", 2, 2)


# --- fine-tuning --------------------------------------------------------------


def test_each_player_meets_each_variant_and_a_control() -> None:
    _, table = run("fine-tuning", **TUNING).tables
    names = [*(variant.name for variant in VARIANTS), CONTROL.name]
    players = ["player 1", "player 2", "player 3", "player 4"]
    assert [(figure.row, figure.column) for figure in table.figures] == [
        (name, player) for name in names for player in players
    ]
    assert [(figure.row, figure.matches) for figure in table.totals] == [(name, 16) for name in names]


@pytest.mark.parametrize(
    ("option", "value", "variant"),
    [
        ("gamma", 0.8, "gamma 0.8"),
        ("lambda", 0.3, "lambda 0.3"),
        ("alpha", 0.01, "alpha 0.01"),
        ("epsilon", 0.5, "dynamic epsilon"),
    ],
)
def test_variant_equal_to_the_baseline_gives_the_same_weights(
    option: str, value: float, variant: str
) -> None:
    """Initial weights and openings are the same; only the hyperparameter differs."""
    options: dict[str, Any] = {**TUNING, "candidates": 2, option: value}
    _, table = run("fine-tuning", **options).tables
    assert all(is_even(figure) for figure in table.figures if figure.row == variant)
    assert not all(is_even(figure) for figure in table.figures if figure.row != variant)


def test_control_is_the_baseline_in_other_matches() -> None:
    _, table = run("fine-tuning", **TUNING).tables
    assert not all(is_even(figure) for figure in table.figures if figure.row == CONTROL.name)
    _, frozen = run("fine-tuning", **{**TUNING, "candidates": 2}, alpha=0).tables
    assert all(is_even(figure) for figure in frozen.figures if figure.row == CONTROL.name)


def test_pairs_that_learned_best_are_selected() -> None:
    couples, _ = run("fine-tuning", **{**TUNING, "candidates": 6, "matches": 5}).tables
    leads: dict[str, int] = {}
    for figure in couples.figures:
        leads[figure.row] = leads.get(figure.row, 0) + figure.wins[1] - figure.wins[0]
    selected = [lead for row, lead in leads.items() if row.endswith(", selected")]
    others = [lead for row, lead in leads.items() if not row.endswith(", selected")]
    assert (len(selected), len(others)) == (2, 4)
    assert min(selected) >= max(others)
    assert max(selected) > min(others)


def totals(*wins: tuple[int, int]) -> Table:
    """Return a table with these totals for the variants and, last, the control."""
    names = [*(variant.name for variant in VARIANTS), CONTROL.name]
    figures = [
        Figure(name, "total", ((first // 2, second // 2),) * 2, 0, 10)
        for name, (first, second) in zip(names, wins, strict=True)
    ]
    return Table("table", "baseline", "modified", 0, (), tuple(figures))


def test_conclusion_compares_with_the_control_or_one_half() -> None:
    even, good, better, bad = (200, 200), (300, 100), (380, 20), (20, 380)
    with_selection = fine_tuning._conclusion(totals(good, better, bad, *[even] * 5, good), is_selection=True)
    assert with_selection.startswith("in other matches against its own hyperparameters the baseline won 75%")
    assert "clearly more against gamma 0.8, clearly less against gamma 0.6" in with_selection
    without = fine_tuning._conclusion(totals(good, better, bad, *[even] * 5, even), is_selection=False)
    assert "clearly more against dynamic epsilon, gamma 0.8, clearly less against gamma 0.6" in without


def test_dynamic_epsilon_decays_over_a_training() -> None:
    dynamic = FineTuning(SMALL, matches=150)._schedule(VARIANTS[0])
    epsilons = [parameters.epsilon for parameters in dynamic]
    assert (len(epsilons), epsilons[0]) == (150, 0.5)
    assert epsilons[-1] == pytest.approx(0.1)
    assert epsilons == sorted(epsilons, reverse=True)


def test_more_couples_than_candidates_are_rejected() -> None:
    with pytest.raises(OptionError, match=r"candidates must be at least couples \(9\), not 8"):
        load_experiment("fine-tuning", SMALL, couples=9)


# --- the original's results ---------------------------------------------------


def abalone_table(name: str, **options: object) -> Table:
    return findings_of(load_experiment(name, ABALONE, **options)).tables[-1]


@pytest.mark.parametrize("game", ["connect4", "hexifence", "abalone"])
def test_every_game_with_features_has_the_experiments(game: str) -> None:
    offers = boardgames.registry().offers("experiments", game)
    assert [offer.entry.name for offer in offers if offer.plugin == "abalone"] == [
        "ancestors",
        "basic-training",
        "fine-tuning",
        "lookahead",
    ]


def test_other_games_have_no_original_results() -> None:
    tables = [
        table
        for findings in (
            run("basic-training", repetitions=8),
            run("ancestors", generations=3, evolutions=2, **ANCESTORS),
            run("fine-tuning", **TUNING),
        )
        for table in findings.tables
    ]
    assert all(figure.original is None for table in tables for figure in (*table.figures, *table.totals))


def test_original_basic_training_has_its_published_totals() -> None:
    """Source: the original's report, 8 : 39 for winners and 6 : 20 for losers; it has five trainings."""
    table = abalone_table("basic-training", repetitions=6, **QUICK_ABALONE)
    winner, loser, both = table.totals
    assert (winner.original, loser.original, both.original) == ((8, 39), (6, 20), (14, 59))
    assert [figure.original for figure in table.figures[8:]] == [(1, 9), (0, 3), None, None]


def test_original_ancestors_are_compared_with_those_that_learn() -> None:
    evolution = {"population": 3, "survivors": 2, "training_matches": 1, "tournament_matches": 2}
    table = abalone_table("ancestors", generations=2, matches=2, ply_limit=20, **evolution)
    assert [(figure.row, figure.column, figure.original) for figure in table.figures] == [
        ("ancestor 1.1", "learning", (2, 2)),
        ("ancestor 1.1", "not learning", None),
        ("ancestor 1.2", "learning", (0, 0)),
        ("ancestor 1.2", "not learning", None),
        ("ancestor 2.1", "learning", (0, 3)),
        ("ancestor 2.1", "not learning", None),
        ("ancestor 2.2", "learning", (0, 0)),
        ("ancestor 2.2", "not learning", None),
    ]
    assert [figure.original for figure in table.totals[:3]] == [(31, 7), (1, 3), (32, 10)]


def test_original_wins_are_shown_for_players_and_variants() -> None:
    table = abalone_table("fine-tuning", candidates=3, **QUICK_ABALONE)
    originals = {(figure.row, figure.column): figure.original for figure in table.figures}
    assert originals["gamma 0.8", "player 4"] == (9, 0)
    assert originals["alpha 0.01", "player 8"] == (8, 1)
    assert originals["dynamic epsilon", "player 1"] == (0, 2)
    assert originals["other matches", "player 1"] is None
    assert all(originals[variant.name, "player 6"] for variant in VARIANTS)
    assert table.totals[0].original == (11, 19)
    assert all(max(wins) <= 10 for player in fine_tuning.ORIGINAL for wins in player)


# --- slow ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPool]:
    with ProcessPool(2) as pool:
        yield pool


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("basic-training", {"repetitions": 2, "matches": 20}),
        ("ancestors", {"generations": 2, "evolutions": 2, **ANCESTORS}),
        ("fine-tuning", TUNING),
    ],
)
def test_workers_do_not_change_the_findings(name: str, options: dict[str, Any], pool: ProcessPool) -> None:
    assert load_experiment(name, SMALL, **options).run(pool, 1) == run(name, **options)


@pytest.mark.slow
def test_trained_selves_win_at_least_85_per_cent_of_decided_matches() -> None:
    table = abalone_table("basic-training", repetitions=5)
    total = table.totals[-1]
    share = table.share(total)
    assert share is not None
    assert share.value >= 0.85
    assert sum(total.wins) > 25


# --- divergence and exploration ------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("basic-training", {"repetitions": 1}),
        ("fine-tuning", {"couples": 1, "candidates": 1}),
        ("ancestors", {"evolutions": 1, "population": 2, "survivors": 1, "generations": 2}),
        ("lookahead", {"repetitions": 1}),
    ],
)
def test_an_experiment_whose_weights_diverge_names_the_learning_rate(
    name: str, options: dict[str, object]
) -> None:
    experiment = load_experiment(name, SMALL, alpha=100, tanh=False, **options)
    with pytest.raises(WeightsError, match=r"^the weights diverged with alpha=100; choose a smaller alpha$"):
        experiment.run(InProcess(), 1)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("basic-training", {"repetitions": 1, "matches": 2, "test_matches": 20}),
        ("fine-tuning", {"couples": 1, "candidates": 1, "matches": 2, "test_matches": 20}),
        ("ancestors", {"evolutions": 1, "population": 2, "survivors": 1, "generations": 2}),
    ],
)
def test_test_matches_explore_only_if_they_are_told_to(name: str, options: dict[str, object]) -> None:
    plain, same, exploring = (
        findings_of(load_experiment(name, SMALL, **options, **more))
        for more in ({}, {"test_epsilon": 0.0}, {"test_epsilon": 1.0})
    )
    assert plain == same
    assert all(
        one.order != other.order
        for one, other in zip(plain.tables[-1].figures, exploring.tables[-1].figures, strict=True)
    )
