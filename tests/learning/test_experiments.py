"""Experiments measure what they say: same openings, right players, honest intervals, repeatable tables."""

import csv
import io
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from types import ModuleType

import numpy as np
import pytest

import boardgames
from boardgames.errors import OptionError, PluginError, UnknownNameError
from boardgames.executors import InProcess, ProcessPool
from boardgames.hookspecs import Entry, hookimpl
from boardgames.kernels import Reals
from boardgames.learning.experiments import (
    CSV_FIELDS,
    Figure,
    Findings,
    Progress,
    Table,
    experiment,
    merged,
)
from boardgames.learning.experiments.basic_training import BasicTraining
from boardgames.learning.experiments.fine_tuning import CONTROL, VARIANTS, FineTuning, _conclusion
from boardgames.learning.experiments.tasks import Trained, meet_twice, train, train_and_meet
from boardgames.learning.td import first_weights
from boardgames.plugins import PROJECT, Registry
from boardgames.selfplay import MatchResult, MatchSetup, TDParameters

GAME = boardgames.load("connect4", columns=5, rows=4)
SETTING = MatchSetup.of(GAME, "lines", opening=3, ply_limit=100)
SIZE = len(boardgames.load_features("lines", GAME).features)
RATES = TDParameters()
FROZEN = TDParameters(alpha=0.0, epsilon=0.0)


def two(seed: int) -> Reals:
    return first_weights(2, SIZE, 1.0, seed)


def found(name: str, seed: int = 1, **options: object) -> Findings:
    return experiment(name, GAME, **options).run(InProcess(), seed)


def is_even(figure: Figure) -> bool:
    return figure.wins[0] == figure.wins[1]


# --- tasks -----------------------------------------------------------------


def test_both_matches_of_a_pair_have_one_opening() -> None:
    one = two(1)[[0, 0]]  # who has which side makes no difference then
    courses = [match.moves_hash for match in train(SETTING, one, [FROZEN] * 8, seed=3).matches]
    assert courses[::2] == courses[1::2]
    assert len(set(courses)) > 1


def test_openings_do_not_depend_on_how_is_learned() -> None:
    only_opening = replace(SETTING, ply_limit=SETTING.opening)
    rates = [TDParameters(alpha=0.5, epsilon=0.9), FROZEN]
    courses = [
        [match.moves_hash for match in train(only_opening, two(1), [rate] * 10, seed=3).matches]
        for rate in rates
    ]
    assert courses[0] == courses[1]


def test_a_training_changes_sides_and_keeps_weights_and_wins_with_their_player() -> None:
    good = train(SETTING, two(1), [RATES] * 60, seed=1).weights[0]
    players = np.stack([good, -good])
    won = [match.winner == match.side for match in train(SETTING, players, [FROZEN] * 20, seed=2).matches]
    lost = [
        match.winner == match.side for match in train(SETTING, players[::-1], [FROZEN] * 20, seed=2).matches
    ]
    assert sum(won) > 15
    assert sum(lost) < 5
    learned = train(SETTING, players, [RATES] * 3, seed=2).weights
    assert np.abs(learned - players).max() < np.abs(learned - players[::-1]).max()


def test_a_training_leaves_what_it_was_given_alone() -> None:
    weights = two(1)
    taught = train(SETTING, weights, [RATES] * 4, seed=1)
    assert np.array_equal(weights, two(1))
    assert not np.array_equal(taught.weights, weights)


def test_players_meet_from_the_same_openings_learning_or_not() -> None:
    only_opening = replace(SETTING, ply_limit=SETTING.opening)
    learning, frozen = meet_twice(only_opening, *two(1), replace(RATES, epsilon=0.0), matches=10, seed=4)
    assert [match.moves_hash for match in learning] == [match.moves_hash for match in frozen]


def test_each_player_meets_its_own_opponent_who_is_named_first() -> None:
    good = train(SETTING, two(1), [RATES] * 60, seed=1).weights[0]
    weights, opponents = np.stack([-good, good]), np.stack([good, -good])
    trained = train_and_meet(SETTING, weights, [FROZEN] * 2, opponents, tests=20, seed=1)
    points = [sum(match.points for match in contest) for contest in trained.contests]
    assert points[0] > 15
    assert points[1] < 5


# --- basic training --------------------------------------------------------


def test_trained_players_beat_their_old_selves() -> None:
    table = found("basic-training", repetitions=8).tables[0]
    share = table.share(table.totals[-1])
    assert share is not None
    assert table.share_name == "trained self"
    assert share.low > 0.5


def test_who_learns_nothing_is_even_with_its_old_self() -> None:
    (table,) = found("basic-training", alpha=0, repetitions=3).tables
    assert all(map(is_even, table.figures))


def test_equal_seeds_give_equal_findings() -> None:
    assert found("basic-training", repetitions=2) == found("basic-training", repetitions=2)
    assert found("basic-training", repetitions=2) != found("basic-training", repetitions=2, seed=2)


def test_repetitions_are_trainings_of_their_own() -> None:
    (table,) = found("basic-training", repetitions=3).tables
    assert [figure.row for figure in table.figures[::2]] == ["training 1", "training 2", "training 3"]
    assert len({figure.units for figure in table.figures}) > 1


@pytest.mark.parametrize(("first", "winner"), [(0, 0), (1, 1)], ids=["first", "second"])
def test_the_winner_is_who_won_more_training_matches(first: int, winner: int) -> None:
    match = MatchResult(0, first, False, 9, 1, (0, 0))
    contests = [MatchResult(0, 0, False, 9, 1, (0, 0))], [MatchResult(0, 1, False, 9, 1, (0, 0))]
    trained = Trained(two(1), [match], contests)
    figures = BasicTraining(GAME)._figures(0, trained)
    assert [figure.wins for figure in figures] == ([(1, 0), (0, 1)] if winner == 0 else [(0, 1), (1, 0)])


def test_totals_sum_up_columns_and_both() -> None:
    (table,) = found("basic-training", repetitions=3).tables
    winner, loser, both = table.totals
    assert winner.wins == tuple(sum(wins) for wins in zip(*(f.wins for f in table.figures[::2]), strict=True))
    assert both.wins == (winner.wins[0] + loser.wins[0], winner.wins[1] + loser.wins[1])
    assert both.matches == 60
    assert len(both.units) == 3


# --- ancestors -------------------------------------------------------------

SMALL = {"population": 4, "survivors": 2, "training_matches": 6, "tournament_matches": 4, "matches": 6}


def test_the_winner_meets_every_ancestor_learning_and_not() -> None:
    (table,) = found("ancestors", generations=3, **SMALL).tables
    rows = [f"ancestor {evolution}.{number}" for evolution in (1, 2) for number in (1, 2, 3, 4)]
    assert [(figure.row, figure.column) for figure in table.figures] == [
        (row, column) for row in rows for column in ("learning", "not learning")
    ]
    assert {figure.matches for figure in table.figures} == {6}
    assert [figure.matches for figure in table.totals] == [24, 24, 48] * 2


def test_a_winner_is_even_with_an_ancestor_of_the_same_weights() -> None:
    alone = {**SMALL, "survivors": 1}  # its only couple is with itself, and nobody learns
    (table,) = found("ancestors", generations=2, alpha=0, evolutions=1, **alone).tables
    assert all(map(is_even, table.figures))


@pytest.mark.parametrize("evolutions", [2, 3])
def test_all_ancestors_of_an_evolution_are_one_unit_of_the_total(evolutions: int) -> None:
    """They have met the same winner; two such units tell no interval, and the conclusion says so."""
    findings = found("ancestors", generations=3, evolutions=evolutions, **SMALL)
    (table,) = findings.tables
    totals = [figure for figure in table.totals if figure.row == "total"]
    assert len(totals) == 2
    for figure in totals:
        own = [f for f in table.totals if f.column == figure.column and f.row != "total"]
        assert figure.units == tuple(f.wins for f in own)
        share = table.share(figure)
        assert share is not None
        assert ((share.low, share.high) == (0, 1)) == (evolutions == 2)
    assert ("fewer than 3 evolutions: no interval is known" in findings.conclusion) == (evolutions == 2)


def test_an_evolution_that_cannot_be_is_refused_before_any_work() -> None:
    with pytest.raises(OptionError, match="expected survivors within the population of 4: 5"):
        experiment("ancestors", GAME, **{**SMALL, "survivors": 5})


def test_ancestors_hears_of_evolutions_and_contests() -> None:
    heard: list[Progress] = []
    experiment("ancestors", GAME, generations=2, evolutions=1, **SMALL).run(InProcess(), 1, heard.append)
    assert [progress.done for progress in heard if progress.stage == "evolution 1"] == [0, 1, 2, 3]
    assert heard[-1] == Progress("ancestors 1", 2, 2)


# --- fine-tuning -----------------------------------------------------------

QUICK = {"couples": 2, "candidates": 4, "matches": 20, "test_matches": 4}


def test_every_player_meets_every_variant_and_a_control() -> None:
    _, table = found("fine-tuning", **QUICK).tables
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
def test_a_variant_that_is_the_baseline_is_trained_to_the_same_weights(
    option: str, value: float, variant: str
) -> None:
    """The same first weights and the same matches: what differs in others is the one setting."""
    _, table = found("fine-tuning", **QUICK, **{option: value}).tables
    assert all(is_even(figure) for figure in table.figures if figure.row == variant)
    assert not all(is_even(figure) for figure in table.figures if figure.row != variant)


def test_the_control_is_the_baseline_at_other_matches() -> None:
    _, table = found("fine-tuning", **QUICK).tables
    control = [figure for figure in table.figures if figure.row == CONTROL.name]
    assert not all(map(is_even, control))
    still = found("fine-tuning", **QUICK, alpha=0).tables[1]
    assert all(is_even(figure) for figure in still.figures if figure.row == CONTROL.name)


def test_the_couples_that_learned_best_are_chosen() -> None:
    couples, _ = found("fine-tuning", **{**QUICK, "candidates": 6, "matches": 5}).tables
    rows: dict[str, int] = {}
    for figure in couples.figures:
        rows[figure.row] = rows.get(figure.row, 0) + figure.wins[1] - figure.wins[0]
    chosen = [lead for row, lead in rows.items() if row.endswith(", chosen")]
    others = [lead for row, lead in rows.items() if not row.endswith(", chosen")]
    assert (len(chosen), len(others)) == (2, 4)
    assert min(chosen) >= max(others)
    assert max(chosen) > min(others)


def figures_of(*wins: tuple[int, int]) -> Table:
    """Return a table of which only the totals count: of each variant, the control last."""
    names = [*(variant.name for variant in VARIANTS), CONTROL.name]
    totals = [
        Figure(name, "total", ((first // 2, second // 2),) * 2, 0, 10)
        for name, (first, second) in zip(names, wins, strict=True)
    ]
    return Table("table", "baseline", "modified", 0, (), tuple(totals))


def test_chosen_couples_are_judged_by_the_control_and_others_by_one_half() -> None:
    even, good, better, bad = (200, 200), (300, 100), (380, 20), (20, 380)
    chosen = _conclusion(figures_of(good, better, bad, *[even] * 5, good), is_chosen=True)
    assert chosen.startswith("against its own settings at other matches the baseline won 75 %")
    assert "clearly more against gamma 0.8, clearly less against gamma 0.6" in chosen
    free = _conclusion(figures_of(good, better, bad, *[even] * 5, even), is_chosen=False)
    assert "clearly more against dynamic epsilon, gamma 0.8, clearly less against gamma 0.6" in free


def test_exploration_falls_over_a_training() -> None:
    tuning = FineTuning(GAME, matches=150)
    dynamic, *_ = (tuning._schedule(variant) for variant in VARIANTS)
    epsilons = [rates.epsilon for rates in dynamic]
    assert (len(epsilons), epsilons[0], epsilons[-1]) == (150, 0.5, pytest.approx(0.1))
    assert epsilons == sorted(epsilons, reverse=True)


def test_more_couples_than_candidates_are_refused() -> None:
    with pytest.raises(OptionError, match="expected at least 9 candidates: 8"):
        experiment("fine-tuning", GAME, couples=9)


# --- tables ----------------------------------------------------------------


def test_a_figure_counts_wins_rests_and_distinct_matches() -> None:
    won, lost = MatchResult(0, 0, False, 9, 1, (0, 0)), MatchResult(1, 0, False, 9, 2, (0, 0))
    drawn = MatchResult(1, None, False, 9, 3, (0, 0))
    figure = Figure.of("row", "column", [won, lost, won, drawn])
    assert (figure.wins, figure.undecided, figure.distinct, figure.matches) == ((2, 1), 1, 3, 4)


def test_matches_without_random_openings_repeat_and_the_table_says_so() -> None:
    (table,) = found("basic-training", opening=0, repetitions=1).tables
    assert all(figure.distinct <= 2 and figure.matches == 10 for figure in table.figures)
    (table,) = found("basic-training", opening=4, repetitions=1).tables
    assert all(figure.distinct > 5 for figure in table.figures)


def test_csv_has_every_figure_and_total_once() -> None:
    findings = found("fine-tuning", **QUICK)
    text = findings.csv("connect4", "fine-tuning", 7, {"alpha": 0.1, "tanh": True})
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert tuple(rows[0]) == CSV_FIELDS
    places = [(row["table"], row["row"], row["column"]) for row in rows]
    assert len(places) == len(set(places)) == sum(len(t.figures) + len(t.totals) for t in findings.tables)
    assert {(row["game"], row["seed"], row["settings"]) for row in rows} == {
        ("connect4", "7", "alpha=0.1 tanh=true")
    }
    figures = [row for row in rows if row["total"] == "0"]
    assert sum(int(row["distinct"]) for row in figures) == findings.distinct
    counted = ("first_wins", "second_wins", "undecided")
    assert sum(int(row[name]) for row in figures for name in counted) == findings.matches


def test_the_share_is_that_of_the_subject() -> None:
    figure = Figure("row", "column", ((1, 3),), 0, 4, original=(2, 6))
    table = Table("table", "old", "new", 1, (figure,), ())
    fields = table.fields(figure)
    assert (fields["share"], table.share_name) == (0.75, "new")
    assert (fields["original_first_wins"], fields["original_second_wins"]) == (2, 6)
    assert replace(table, subject=0).fields(figure)["share"] == 0.25


def test_what_is_merged_is_a_unit_each() -> None:
    figures = [Figure("1", "", ((1, 1), (0, 2)), 0, 4), Figure("2", "", ((0, 0),), 2, 2)]
    assert merged("total", "", figures, (1, 2)) == Figure(
        "total", "", ((1, 3), (0, 0)), 2, 6, (1, 2), fewest_units=3
    )


# --- by name, anywhere -----------------------------------------------------


@pytest.mark.parametrize("game", ["connect4", "hexifence", "abalone"])
def test_every_game_with_features_has_the_experiments(game: str) -> None:
    offers = boardgames.registry().offers("experiments", game)
    assert [offer.entry.name for offer in offers] == ["ancestors", "basic-training", "fine-tuning"]


def test_an_unknown_experiment_or_option_is_refused_with_near_names() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'basic-training'"):
        experiment("basic-trainin", GAME)
    with pytest.raises(OptionError, match="did you mean 'repetitions'"):
        experiment("basic-training", GAME, repetition=4)


class Raising(BasicTraining):
    def __init__(self, game: boardgames.Game, **options: object) -> None:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("target", "words"),
    [("Raising", "experiment 'other' is broken: RuntimeError: no"), ("two", "expected a subclass")],
)
def test_a_broken_experiment_is_blamed(target: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("hook_under_test")

    def bg_experiments() -> list[Entry]:
        return [Entry("other", "broken", f"hook_under_test:{target}")]

    monkeypatch.setattr(module, "bg_experiments", hookimpl(bg_experiments), raising=False)
    monkeypatch.setattr(module, target, globals()[target], raising=False)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    registry = Registry([EntryPoint("under-test", module.__name__, PROJECT)])
    monkeypatch.setattr("boardgames.learning.experiments.base.registry", lambda: registry)
    with pytest.raises(PluginError, match=words):
        experiment("other", GAME)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("basic-training", {"repetitions": 4}),
        ("ancestors", {"generations": 2, **SMALL}),
        ("fine-tuning", QUICK),
    ],
)
def test_the_number_of_workers_changes_nothing(name: str, options: dict[str, object]) -> None:
    with ProcessPool(2) as pool:
        assert experiment(name, GAME, **options).run(pool, 1) == found(name, **options)
