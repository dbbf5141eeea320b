"""Declarations of games: checks, immutability and defaults."""

import dataclasses
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from nim import Nim, apply, legal_moves, outcome, side_to_move

import boardgames
from boardgames.declarations import (
    NO_EVALUATION,
    Evaluation,
    Facts,
    Feature,
    FeatureSet,
    Kernels,
    no_evaluation,
    no_move_order,
)
from boardgames.errors import KernelError, PluginError
from boardgames.kernels import Evaluate, Reals, Words, kernel
from boardgames.kernels.abi import REALS, SHORTS_TABLE, Shorts
from boardgames.kernels.bundles import unpacker
from boardgames.score import RETURN

RULES = {"legal_moves": legal_moves, "apply": apply, "side_to_move": side_to_move, "outcome": outcome}
START = Nim().start()


@pytest.mark.parametrize("name", [*RULES, "move_order"])
@pytest.mark.parametrize("wrong", [no_evaluation, len, None], ids=["signature", "function", "nothing"])
def test_kernel_with_another_signature_raises(name: str, wrong: object) -> None:
    with pytest.raises(KernelError, match=f"the kernel {name} must have the signature "):
        Kernels(**(RULES | {name: wrong}))  # type: ignore[arg-type]  # wrong on purpose


def test_evaluation_with_another_signature_raises() -> None:
    with pytest.raises(KernelError, match="evaluation 'mine'"):
        Evaluation("mine", outcome, np.zeros(0))  # type: ignore[arg-type]  # wrong on purpose


def test_feature_kernel_with_another_signature_raises() -> None:
    with pytest.raises(KernelError, match="features 'mine'"):
        FeatureSet("mine", outcome, ())  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.plain
def test_moves_are_ranked_equally_without_a_move_order() -> None:
    kernels = Kernels(legal_moves, apply, side_to_move, outcome)
    assert kernels.move_order is no_move_order
    assert [kernels.move_order(START.words, action) for action in START.actions] == [0, 0, 0]


@pytest.mark.plain
def test_all_positions_are_worth_zero_without_an_evaluation() -> None:
    assert Nim().evaluation is NO_EVALUATION
    assert no_evaluation(START.words, NO_EVALUATION.weights) == 0.0
    assert NO_EVALUATION.unit is RETURN


def test_weights_are_a_read_only_copy() -> None:
    weights = np.ones(3)
    evaluation = Evaluation("mine", no_evaluation, weights)
    weights[0] = 5.0
    assert evaluation.weights.tolist() == [1.0, 1.0, 1.0]
    assert not evaluation.weights.flags.writeable


class Parts(NamedTuple):
    tables: Annotated[Shorts, SHORTS_TABLE]
    scale: Annotated[Reals, REALS]


unpack = unpacker(Parts)


@kernel(Evaluate)
def with_parts(position: Words, weights: Reals) -> float:
    parts = unpack(weights)
    return float(parts.scale[0] * parts.tables[1, position[0]])


def parts() -> Parts:
    return Parts(np.arange(40, dtype=np.int16).reshape(2, 20), np.array([0.5]))


@pytest.mark.plain
def test_an_evaluation_reads_arrays_of_several_types() -> None:
    evaluation = Evaluation("mine", with_parts, parts())
    assert evaluation.value(np.array([3, 0], dtype=np.uint64)) == 11.5
    game = Nim()
    game.evaluation = evaluation
    choice = boardgames.load_player("alphabeta:depth=1,table=1", game).choose(game.start())
    assert choice.move in game.start().legal_moves


def test_the_arrays_of_an_evaluation_are_read_only_copies() -> None:
    given = parts()
    evaluation = Evaluation("mine", with_parts, given)
    given.tables[1, 3] = 0
    assert evaluation.value(np.array([3, 0], dtype=np.uint64)) == 11.5
    assert not any(array.flags.writeable for array in evaluation.weights)


def test_evaluations_with_other_arrays_have_other_bytes() -> None:
    one, other = (Evaluation("mine", with_parts, parts()._replace(scale=np.array([x]))) for x in (0.5, 1.0))
    assert one.weight_bytes() != other.weight_bytes()
    assert one.weight_bytes() == Evaluation("mine", with_parts, parts()).weight_bytes()


def test_an_array_of_another_type_than_declared_raises() -> None:
    with pytest.raises(KernelError, match="an array of int16 with 2 axes, not int64"):
        Evaluation("mine", with_parts, parts()._replace(tables=np.zeros((2, 20), dtype=np.int64)))


@pytest.mark.parametrize(
    "value", [Nim().facts, Nim().kernels, NO_EVALUATION], ids=["facts", "kernels", "evaluation"]
)
def test_declarations_are_frozen(value: object) -> None:
    for field in dataclasses.fields(value):  # type: ignore[arg-type]  # each is a dataclass
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field.name, None)


def test_defaults_of_facts() -> None:
    facts = Facts(name="x", title="X", sides=("a", "b"), words=1, actions=1)
    assert (facts.longest_match, facts.ply_limit, facts.no_progress_limit) == (None, None, None)
    assert (facts.alternates, facts.no_moves_draws) == (True, False)
    assert (facts.default_agent, facts.score_name) == ("alphabeta", "")
    assert (dict(facts.layouts), dict(facts.perft)) == ({}, {})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"name": ""}, "the names in the facts of a game must not be empty"),
        ({"default_agent": None}, "the names in the facts of a game must not be empty"),
        ({"sides": ("black", "black")}, "a game has two sides with different names"),
        ({"sides": ("a", "b", "c")}, "a game has two sides with different names"),
        ({"actions": 0}, "the counts and limits in the facts must be positive integers"),
        ({"words": 1.5}, "the counts and limits in the facts must be positive integers"),
        ({"ply_limit": -1}, "the counts and limits in the facts must be positive integers"),
    ],
)
def test_invalid_facts_raise(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(PluginError, match=message):
        dataclasses.replace(Nim().facts, **changed)


def test_features_are_normalised_by_their_ranges() -> None:
    features = boardgames.load_features("classic14", boardgames.load("abalone"))
    lows = np.array([feature.low for feature in features.features])
    highs = np.array([feature.high for feature in features.features])
    assert features.normalised(lows).tolist() == [-1.0] * 14
    assert features.normalised(np.stack([highs, (lows + highs) / 2])).tolist() == [[1.0] * 14, [0.0] * 14]
    assert features.normalised(highs + (highs - lows)).tolist() == [3.0] * 14


def test_constant_feature_is_normalised_to_zero() -> None:
    kernel = boardgames.load_features("simple", boardgames.load("abalone")).kernel
    flat, wide = (Feature(name, "cells", 2.0, high, "") for name, high in (("flat", 2.0), ("wide", 4.0)))
    features = FeatureSet("two", kernel, (flat, wide))
    assert features.normalised(np.array([2.0, 4.0])).tolist() == [0.0, 1.0]


def test_range_of_a_feature_must_not_be_reversed() -> None:
    kernel = boardgames.load_features("simple", boardgames.load("abalone")).kernel
    with pytest.raises(PluginError, match="range of feature 'odd'"):
        FeatureSet("odd", kernel, (Feature("odd", "cells", 1.0, 0.0, "a reversed range"),))
