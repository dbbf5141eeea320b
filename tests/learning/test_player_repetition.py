"""The player `td` and positions that a match has had: avoided when ahead, welcome when behind."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import boardgames
from boardgames.game import Position
from boardgames.learning.player import TemporalPlayer
from boardgames.player import Context
from boardgames.weights import Weights

CONNECT4 = boardgames.load("connect4")


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """Return a file of random weights."""
    features = boardgames.load_features("lines", CONNECT4)
    values = np.random.default_rng(1).uniform(-0.5, 0.5, len(features.features))
    path = tmp_path / "mine.safetensors"
    Weights.of(CONNECT4, features, values, squashes=True).write(path)
    return path


def player(text: str) -> TemporalPlayer:
    made = boardgames.load_player(text, CONNECT4, seed=1)
    assert isinstance(made, TemporalPlayer)
    return made


def positions() -> Iterator[Position]:
    """Yield positions of matches by chance that have several moves."""
    chance = np.random.default_rng(2)
    for _ in range(200):
        position = CONNECT4.start()
        for _ in range(8):
            position = position.apply(position.legal_moves[chance.integers(len(position.legal_moves))])
            if position.outcome is not None:
                break
            if len(position.legal_moves) > 1:
                yield position


def worths(found: TemporalPlayer, position: Position) -> dict[str, float]:
    """Return what the moves are worth, as `analyse` has it, in the order of legal moves."""
    known = {entry.move: entry.score.amount for entry in found.analyse(position).moves}
    return {str(move): known[move] for move in position.legal_moves}


def test_ahead_it_takes_what_the_match_has_had_for_a_draw(weights: Path) -> None:
    found, turned_away = player(f"td:weights={weights}"), 0
    for position in positions():
        free = found.choose(position)
        if free.score.sign <= 0:
            continue
        had = Context(history=(position.apply(free.move),))
        values = worths(found, position) | {str(free.move): 0.0}
        best = max(values, key=lambda move: values[move])
        choice = found.choose(position, context=had)
        assert (str(choice.move), choice.score.amount) == (best, values[best])
        turned_away += choice.move != free.move
    assert turned_away > 5


def test_ahead_it_heeds_every_position_that_the_match_has_had(weights: Path) -> None:
    found, seen = player(f"td:weights={weights}"), 0
    for position in positions():
        values = worths(found, position)
        if max(values.values()) <= 0:
            continue
        seen += 1
        had = Context(history=tuple(map(position.apply, position.legal_moves)))
        assert found.choose(position, context=had).score.amount == 0
        assert found.choose(position, context=Context(history=(CONNECT4.start(),))).score.sign > 0
    assert seen > 5


@pytest.mark.parametrize(
    ("options", "sign"), [("", -1), (",learn=true,epsilon=0,alpha=0", 1)], ids=["behind", "learning"]
)
def test_behind_or_learning_it_may_repeat(weights: Path, options: str, sign: int) -> None:
    found, seen = player(f"td:weights={weights}{options}"), 0
    for position in positions():
        free = found.choose(position)
        if free.score.sign * sign <= 0:
            continue
        seen += 1
        choice = found.choose(position, context=Context(history=(position.apply(free.move),)))
        assert (choice.move, choice.score) == (free.move, free.score)
    assert seen > 5
