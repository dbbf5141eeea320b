"""The agents `simple` and `tapered`, which keep their evaluations whatever that of the game is."""

from dataclasses import replace

import numpy as np
import pytest
from reference.minimax import reached

import boardgames
from boardgames.declarations import NO_EVALUATION
from boardgames.errors import OptionError
from boardgames.player import Limit
from boardgames.score import RETURN
from boardgames_abalone.evaluation import CLASSIC, MARBLE, engine_evaluation

GAME = boardgames.load("abalone")


def test_simple_searches_three_plies_deep() -> None:
    assert boardgames.load_player("simple", GAME).choose(GAME.start()).depth == 3


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_the_depth_can_be_set(depth: int) -> None:
    assert boardgames.load_player(f"simple:depth={depth}", GAME).choose(GAME.start()).depth == depth


def test_a_depth_limit_of_the_caller_is_respected() -> None:
    assert boardgames.load_player("simple", GAME).choose(GAME.start(), Limit(depth=2)).depth == 2


@pytest.mark.parametrize("seed", range(3))
def test_simple_plays_like_minimax_of_depth_3_with_classic(seed: int) -> None:
    position = reached(GAME, 12, seed)
    game = boardgames.load("abalone")
    game.evaluation = CLASSIC
    simple = boardgames.load_player("simple", GAME).choose(position)
    minimax = boardgames.load_player("minimax:depth=3", game).choose(game.parse(str(position)))
    assert (simple.move, simple.score) == (minimax.move, minimax.score)
    assert simple.score is not None
    assert simple.score.unit is MARBLE


@pytest.mark.parametrize("seed", range(3))
def test_simple_ignores_the_evaluation_of_the_game(seed: int) -> None:
    position = reached(GAME, 12, seed)
    before = boardgames.load_player("simple", GAME).choose(position)
    changed = boardgames.load("abalone")
    changed.evaluation = replace(CLASSIC, weights=-np.array(CLASSIC.weights))
    after = boardgames.load_player("simple", changed).choose(changed.parse(str(position)))
    assert (after.move, after.score) == (before.move, before.score)


def test_alphabeta_uses_the_evaluation_of_the_game() -> None:
    game = boardgames.load("abalone")
    game.evaluation = NO_EVALUATION
    score = boardgames.load_player("alphabeta:depth=2", game).choose(game.start()).score
    assert score is not None
    assert score.unit is RETURN


def test_simple_is_available_for_abalone_only() -> None:
    agents = {
        offer.entry.name: offer.entry.game for offer in boardgames.registry().offers("agents", "abalone")
    }
    assert agents["simple"] == "abalone"
    others = [offer.entry.name for offer in boardgames.registry().offers("agents", "connect4")]
    assert "simple" not in others


def test_an_unknown_option_is_rejected() -> None:
    with pytest.raises(OptionError, match="'time'"):
        boardgames.load_player("simple:time=1", GAME)


@pytest.mark.parametrize(
    ("layout", "move", "value"),
    [
        ("standard", "a5b5", 23.979591836734727),
        ("belgian-daisy", "a1b2", 30.102040816326536),
        ("german-daisy", "c1d2", 30.102040816326564),
        ("fujiyama", "h6g6", 29.58579881656803),
    ],
)
def test_simple_plays_as_it_always_has(layout: str, move: str, value: float) -> None:
    game = boardgames.load("abalone", layout=layout)
    choice = boardgames.load_player("simple", game).choose(game.start())
    assert choice.score is not None
    assert str(choice.move) == move
    assert choice.score.amount == pytest.approx(value / 100)


def test_tapered_searches_with_engine_whatever_the_evaluation_of_the_game() -> None:
    position, game = reached(GAME, 12, 1), boardgames.load("abalone")
    game.evaluation = CLASSIC
    tapered = boardgames.load_player("tapered:depth=4", game).choose(game.parse(str(position)))
    game = boardgames.load("abalone")
    game.evaluation = engine_evaluation()
    alphabeta = boardgames.load_player("alphabeta:depth=4", game).choose(game.parse(str(position)))
    assert (tapered.move, tapered.score) == (alphabeta.move, alphabeta.score)


def test_tapered_has_no_opening_book() -> None:
    choice = boardgames.load_player("tapered:time=0.05", GAME).choose(GAME.start())
    assert choice.nodes > 0
