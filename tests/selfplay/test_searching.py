"""Matches that label positions: the search agrees with others, and labels are quiet, fair and repeatable."""

from dataclasses import replace

import numpy as np
import pytest

import boardgames
from boardgames.kernels import new_control
from boardgames.player import NO_CONTEXT, Limit
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher
from boardgames.selfplay.searching import LabelledPositions, LabelPlay, LabelSettings, NodeSearch

ABALONE, CONNECT4 = boardgames.load("abalone"), boardgames.load("connect4")
QUICK = LabelSettings(nodes=300, ply_limit=60)


def label(settings: LabelSettings, seed: int, *, matches: int = 2) -> LabelledPositions:
    control = new_control()
    search = NodeSearch(ABALONE, ABALONE.evaluation, control)
    play = LabelPlay(ABALONE, [ABALONE.start().words], control, settings)
    return play.play(search, [None] * matches, 0, np.random.default_rng(seed))


@pytest.mark.parametrize("text", ["", "4", "443", "4431155", "44335", "112233"])
def test_a_search_finds_the_value_of_the_searcher(text: str) -> None:
    position = CONNECT4.parse(text) if text else CONNECT4.start()
    search = NodeSearch(CONNECT4, CONNECT4.evaluation, new_control())
    found = search.search(position.words, [], node_limit=100_000)
    # the same depth without a window gives the same value
    options = replace(SearchOptions(table=1), aspiration=False)
    values = [
        Searcher(CONNECT4, CONNECT4.evaluation, options)
        .search(position, Limit(depth=depth), NO_CONTEXT)
        .score
        for depth in range(1, 13)
    ]
    assert found.is_proven or CONNECT4.evaluation.score(found.value) in values


def test_a_win_is_found_and_proven() -> None:
    search = NodeSearch(CONNECT4, CONNECT4.evaluation, new_control())
    found = search.search(CONNECT4.parse("112233").words, [], node_limit=1000)
    assert (found.action, found.is_proven) == (3, True)


@pytest.mark.parametrize(
    ("start", "count"),
    [
        ("...../....../......./......../.......bb/....w.../......./....../.....:b:0:0", 1),
        ("...../....../......./......../......bbw/......../......./....../.....:b:0:4", 0),  # a push-off
    ],
)
def test_only_positions_with_a_quiet_best_move_are_labelled(start: str, count: int) -> None:
    control = new_control()
    search = NodeSearch(ABALONE, ABALONE.evaluation, control)
    settings = LabelSettings(nodes=300, ply_limit=1, opening=0, side_positions=0.0)
    play = LabelPlay(ABALONE, [ABALONE.parse(start).words], control, settings)
    assert len(play.play(search, [None], 0, np.random.default_rng(1)).values) == count


def test_labels_are_values_for_the_side_to_move() -> None:
    labelled = label(QUICK, seed=2)
    evaluation = ABALONE.evaluation
    static = np.array([evaluation.value(words) for words in labelled.words])
    assert np.corrcoef(static, labelled.values)[0, 1] > 0.5


def test_side_positions_have_no_result() -> None:
    only_match = label(replace(QUICK, side_positions=0.0), seed=3)
    with_others = label(replace(QUICK, side_positions=1.0), seed=3)
    assert not np.isnan(only_match.points).any()
    assert np.isnan(with_others.points).mean() > 0.2


def test_points_of_the_two_sides_add_up() -> None:
    labelled = label(replace(QUICK, side_positions=0.0, ply_limit=200, nodes=200), seed=4)
    sides = np.array([ABALONE.kernels.side_to_move(words) for words in labelled.words])
    for match in np.unique(labelled.matches):
        here = labelled.matches == match
        points = [set(labelled.points[here & (sides == side)].tolist()) for side in (0, 1)]
        assert len(points[0]) == len(points[1]) == 1
        assert sum(points[0]) + sum(points[1]) == pytest.approx(1.0)


def test_the_same_seed_gives_the_same_labels() -> None:
    first, second, other = (label(QUICK, seed) for seed in (5, 5, 6))
    assert np.array_equal(first.words, second.words)
    assert np.array_equal(first.values, second.values)
    assert first.lengths == second.lengths
    assert not np.array_equal(first.words, other.words[: len(first.words)])


def test_only_searches_of_the_player_give_labels() -> None:
    control = new_control()
    player, opponent = (NodeSearch(ABALONE, ABALONE.evaluation, control) for _ in range(2))
    settings = replace(QUICK, side_positions=0.0, epsilon=0.0)
    play = LabelPlay(ABALONE, [ABALONE.start().words], control, settings)
    labelled = play.play(player, [opponent] * 2, 0, np.random.default_rng(1))
    sides = np.array([ABALONE.kernels.side_to_move(words) for words in labelled.words])
    assert set(sides[labelled.matches == 0]) == {0}
    assert set(sides[labelled.matches == 1]) == {1}


def test_stopping_drops_the_unfinished_match() -> None:
    control = new_control()
    search = NodeSearch(ABALONE, ABALONE.evaluation, control)
    play = LabelPlay(ABALONE, [ABALONE.start().words], control, QUICK)
    control[0].stop = 1
    labelled = play.play(search, [None], 0, np.random.default_rng(1))
    assert len(labelled.values) == 0
    assert labelled.lengths == ()
