"""Abalone's experiments: the figures of the original beside ours, and learning that works."""

import pytest

import boardgames
from boardgames.executors import InProcess
from boardgames.learning.experiments import Table, experiment
from boardgames.learning.experiments.fine_tuning import VARIANTS
from boardgames_abalone.experiments import Ancestors, BasicTraining, FineTuning

GAME = boardgames.load("abalone")
QUICK = {"ply_limit": 20, "matches": 2, "test_matches": 2}


def table(name: str, **options: object) -> Table:
    return experiment(name, GAME, **options).run(InProcess(), 1).tables[-1]


@pytest.mark.parametrize("made", [BasicTraining, Ancestors, FineTuning])
def test_abalone_has_experiments_of_its_own(made: type) -> None:
    assert type(experiment(made.name, GAME)) is made
    assert type(experiment(made.name, boardgames.load("connect4"))) is not made


def test_the_originals_basic_training_adds_up_to_its_own_totals() -> None:
    """Source: the report of the original, 8 : 39 for winners and 6 : 20 for losers."""
    winner, loser, both = table("basic-training", repetitions=1, **QUICK).totals
    assert (winner.original, loser.original, both.original) == ((8, 39), (6, 20), (14, 59))


def test_a_training_that_the_original_has_not_stands_alone() -> None:
    rows = table("basic-training", repetitions=6, **QUICK).figures
    assert [figure.original for figure in rows[8:]] == [(1, 9), (0, 3), None, None]


def test_the_originals_ancestors_stand_beside_those_that_learn() -> None:
    small = {"population": 3, "survivors": 2, "training_matches": 1, "tournament_matches": 2}
    found = table("ancestors", generations=2, matches=2, ply_limit=20, **small)
    assert [(figure.row, figure.column, figure.original) for figure in found.figures] == [
        ("ancestor 1.1", "learning", (2, 2)),
        ("ancestor 1.1", "not learning", None),
        ("ancestor 1.2", "learning", (0, 0)),
        ("ancestor 1.2", "not learning", None),
        ("ancestor 2.1", "learning", (0, 3)),
        ("ancestor 2.1", "not learning", None),
        ("ancestor 2.2", "learning", (0, 0)),
        ("ancestor 2.2", "not learning", None),
    ]
    assert [figure.original for figure in found.totals[:3]] == [(31, 7), (1, 3), (32, 10)]


def test_the_originals_players_and_variants_stand_beside_ours() -> None:
    found = table("fine-tuning", candidates=3, **QUICK)
    beside = {(figure.row, figure.column): figure.original for figure in found.figures}
    assert beside["gamma 0.8", "player 4"] == (9, 0)
    assert beside["alpha 0.01", "player 8"] == (8, 1)
    assert beside["dynamic epsilon", "player 1"] == (0, 2)
    assert beside["other matches", "player 1"] is None
    assert all(beside[variant.name, "player 6"] for variant in VARIANTS)
    assert found.totals[0].original == (11, 19)
    assert all(max(wins) <= 10 for player in FineTuning.original for wins in player)


@pytest.mark.slow
def test_trained_selves_win_at_least_85_per_cent_of_decided_matches() -> None:
    found = table("basic-training", repetitions=20)
    share = found.share(found.totals[-1])
    assert share is not None
    assert share.value >= 0.85
    assert sum(found.totals[-1].wins) > 100
