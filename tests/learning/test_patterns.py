"""The learner `patterns`: the loss falls, the right matches are played, and wrong options are rejected."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from learning.helpers import make, small, train

import boardgames
from boardgames import plugins
from boardgames.errors import LearnerStateError, OptionError, UnknownNameError
from boardgames.executors import InProcess
from boardgames.learner import LearnerState
from boardgames.learning.config import Config
from boardgames.learning.patterns import HELD_OUT, Patterns, default_anchors
from boardgames.patterns import single_phase
from boardgames.weights import find_weights

TINY = {"steps": 1, "matches": 4, "nodes": 100, "test_matches": 0, "ply_limit": 40}


def abalone(**options: object) -> Patterns:
    learner = plugins.load_learner("patterns", boardgames.load("abalone"), **{**TINY, **options})
    assert isinstance(learner, Patterns)
    return learner


def test_learning_lowers_the_loss_on_matches_that_it_has_not_seen() -> None:
    learner = make("patterns", steps=1, matches=80, epochs=30, rate=0.01, pull=5.0, test_matches=0)
    _, metrics = learner.step(learner.start(1), InProcess())
    assert metrics["least_loss"] <= metrics["loss"] < metrics["initial_loss"]


def test_positions_add_up_over_the_steps() -> None:
    states = train(make("patterns"), 1)
    counts = [len(state.arrays["values"]) for state in states]
    assert counts[0] == 0
    assert counts == sorted(set(counts))
    matches = states[-1].arrays["matches"]
    assert matches.max() < 18
    assert (np.diff(matches) >= 0).all()


def test_every_layout_that_is_named_is_played() -> None:
    learner = abalone(layouts="standard+snakes", matches=4, opening=0, epsilon=0.0)
    state, _ = learner.step(learner.start(1), InProcess())
    starts = {tuple(boardgames.load("abalone", layout=name).start().words) for name in ("standard", "snakes")}
    assert starts <= {tuple(words) for words in state.arrays["words"]}


def test_all_stands_for_every_layout() -> None:
    game = boardgames.load("abalone")
    assert abalone(layouts="standard+all").layouts == ("standard", *game.facts.layouts)


def test_matches_are_in_the_layout_of_the_game_by_default() -> None:
    game = boardgames.load("abalone", layout="snakes")
    assert plugins.load_learner("patterns", game).layouts == ("snakes",)  # type: ignore[attr-defined]


def test_a_layout_of_the_config_replaces_those_of_the_preset() -> None:
    learners = [Config("abalone", learner="patterns", layout=layout).load() for layout in ("snakes", None)]
    layouts = [learner.layouts for learner in learners]  # type: ignore[attr-defined]
    assert layouts[0] == ("snakes",)
    assert len(set(layouts[1])) == len(boardgames.load("abalone").facts.layouts)


def test_a_set_with_one_phase_is_learned_with_one_anchor() -> None:
    one = replace(
        boardgames.load_patterns("shapes", boardgames.load("abalone")), phases=1, phase=single_phase
    )
    assert [default_anchors(patterns) for patterns in (abalone().features, one)] == [2, 1]


def test_changed_opponents_are_refused() -> None:
    learner = abalone(opponents="engine")
    other = abalone(opponents="engine-by-hand")
    with pytest.raises(LearnerStateError, match="weights of the opponents 'engine-by-hand' have changed"):
        other.step(learner.start(1), InProcess())


def test_arrays_that_do_not_fit_together_are_refused() -> None:
    learner = abalone()
    state = learner.start(1)
    arrays = {**state.arrays, "values": np.zeros(3, dtype=np.float32)}
    with pytest.raises(LearnerStateError, match="differ in length"):
        learner.step(LearnerState(arrays, state.scalars), InProcess())


def test_matches_without_positions_are_an_error() -> None:
    learner = abalone(opening=40, ply_limit=10)  # every match ends within the opening
    with pytest.raises(OptionError, match="no position to learn from"):
        learner.step(learner.start(1), InProcess())


def test_the_player_meets_opponents_with_other_weights() -> None:
    alone, against = (
        abalone(opponents="engine", opponent_share=share, epsilon=0.0, side_positions=0.0)
        for share in (0.0, 1.0)
    )
    counts = [len(one.step(one.start(1), InProcess())[0].arrays["values"]) for one in (alone, against)]
    assert counts[1] < counts[0]  # only the player's own searches give labels


def test_held_out_matches_do_not_change_the_weights() -> None:
    learner = make("patterns", matches=1)
    state, metrics = learner.step(learner.start(1), InProcess())
    assert HELD_OUT > 1
    assert len(state.arrays["values"])  # the positions of match 0, which is held out
    assert not learner.weights(state).any()
    assert metrics["loss"] == metrics["initial_loss"]


def test_search_plays_with_the_weights(tmp_path: Path) -> None:
    learner = make("patterns")
    path = tmp_path / "learned.safetensors"
    learner.result(train(learner, 1)[-1]).write(path)
    weights, patterns = find_weights(str(path), small())
    assert patterns.name == "lines"
    assert weights.values.any()
    player = boardgames.load_player(f"alphabeta:depth=3,weights={path}", small())
    assert player.choose(small().start()).move in small().start().legal_moves


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"patterns": "cells"}, OptionError, "the patterns 'cells' of connect4 have no model for search"),
        ({"anchors": 3}, OptionError, "anchors must be at most 2"),
        ({"layouts": "5x4+nowhere"}, UnknownNameError, "connect4 has no layout"),
        ({"opponents": "nobody"}, UnknownNameError, "no such weights, run or file 'nobody'"),
        ({"nodes": 0}, OptionError, "nodes"),
        ({"side_positions": 1.5}, OptionError, "side_positions"),
    ],
)
def test_impossible_options_are_refused(
    options: dict[str, object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        make("patterns", **options)
