"""The agent `passive`: opponents that keep their marbles together, whatever the evaluation of the game is."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from reference.minimax import reached

import boardgames
from boardgames.declarations import NO_EVALUATION
from boardgames.game import Position
from boardgames.player import Context, Limit
from boardgames_abalone.board import CELLS, DISTANCES
from boardgames_abalone.notation import cells_of
from boardgames_abalone.passive import KIND, Formation

GAME = boardgames.load("abalone", layout="standard")
KINDS = [str(kind) for kind in KIND.choices]


def value(formation: Formation, side: int, position: Position) -> float:
    """Return what a formation is worth to `side`."""
    evaluation = formation.evaluation(side)
    for_mover = evaluation.value(position.words)
    return for_mover if position.side_to_move == side else -for_mover


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_plays_the_same_match_again(kind: str) -> None:
    records = []
    for seed in (1, 2):
        player = boardgames.load_player(f"passive:kind={kind},depth=2", GAME, seed=seed)
        history = [GAME.start()]
        for _ in range(12):
            move = player.choose(history[-1], context=Context(history=tuple(history[:-1]))).move
            assert move is not None
            history.append(history[-1].apply(move))
        records.append(str(history[-1]))
    assert records[0] == records[1]


@pytest.mark.parametrize("kind", KINDS)
def test_the_evaluation_of_the_game_does_not_matter(kind: str) -> None:
    position = reached(GAME, 12, 1)
    before = boardgames.load_player(f"passive:kind={kind},depth=2", GAME).choose(position)
    changed = boardgames.load("abalone", layout="standard")
    changed.evaluation = NO_EVALUATION
    after = boardgames.load_player(f"passive:kind={kind},depth=2", changed).choose(
        changed.parse(str(position))
    )
    assert (after.move, after.score) == (before.move, before.score)


def test_the_caller_can_limit_the_depth() -> None:
    player = boardgames.load_player("passive", GAME)
    assert player.choose(GAME.start()).depth == 4
    assert player.choose(GAME.start(), Limit(depth=2)).depth == 2


def test_kinds_have_different_fingerprints() -> None:
    prints = {boardgames.load_player(f"passive:kind={kind}", GAME).fingerprint() for kind in KINDS}
    assert len(prints) == len(KINDS) - 1  # the shuffler has the evaluation of `compact`


@pytest.mark.parametrize("seed", range(3))
def test_formations_count_what_they_say(seed: int) -> None:
    position = reached(GAME, 40, seed)
    cells = cells_of(position.words)[position.side_to_move]
    marbles = set(cells)
    distances = [int(DISTANCES[30, cell]) for cell in cells]
    none = Formation(threatened=0.0, push_offs=0.0)
    empty = value(none, position.side_to_move, position)
    touching = sum(int(DISTANCES[one, other]) == 1 for one in marbles for other in marbles) / 2
    full = sum(
        sum(int(DISTANCES[cell, other]) == 1 and other in marbles for other in range(CELLS)) == 6
        for cell in marbles
    )
    mean = np.mean([[DISTANCES[one, other] for one in cells] for other in cells])
    for formation, expected in (
        (replace(none, pairs=1.0), touching),
        (replace(none, flowers=1.0), full),
        (replace(none, density=1.0), -mean),
        (replace(none, rings=(1.0, 0.0, 0.0, 0.0)), -sum(distance >= 1 for distance in distances)),
        (replace(none, rings=(0.0, 0.0, 0.0, 1.0)), -sum(distance >= 4 for distance in distances)),
    ):
        assert value(formation, position.side_to_move, position) - empty == pytest.approx(float(expected))


def test_rows_of_three_count_in_every_direction() -> None:
    formation = Formation(rows=1.0, threatened=0.0, push_offs=0.0)
    position = GAME.parse("...../....../..b..../...b..../bbbbb..../.b....../b....../....../.....:b:0:0")
    assert value(formation, 0, position) == 5.0


def test_a_formation_that_can_be_pushed_is_worth_less() -> None:
    threatened = GAME.parse("...../....../......./......../..wwbb.../......../......./....../.....:b:0:0")
    pushable = GAME.parse("...../....../......./......../.wwwbb.../......../......./....../.....:b:0:0")
    formation = Formation(threatened=1.0)
    assert value(formation, 0, pushable) - value(formation, 0, threatened) == -2.0


def test_the_formation_of_the_opponent_does_not_matter() -> None:
    together = GAME.parse("...../....../......./......../bb......./......../....www/....../.....:b:0:0")
    apart = GAME.parse("w..../....../......./......../bb......./......../....w../....../....w:b:0:0")
    assert value(Formation(pairs=1.0), 0, together) == value(Formation(pairs=1.0), 0, apart)


def test_the_shuffler_undoes_its_last_move() -> None:
    player = boardgames.load_player("passive:kind=shuffler,depth=2", GAME)
    opponent = boardgames.load_player("passive:kind=compact,depth=1", GAME)
    history = [GAME.start()]
    for ply in range(24):
        side = (player, opponent)[ply % 2]
        move = side.choose(history[-1], context=Context(history=tuple(history[:-1]))).move
        assert move is not None
        history.append(history[-1].apply(move))
    own = [position.words[:2].tolist() for position in history[12::2]]
    assert any(first == third != second for (first, second), (_, third) in pairwise(pairwise(own)))


def test_the_shuffler_does_not_undo_a_move_if_that_loses_a_marble() -> None:
    # black has moved e9d8 and white e6e7; on e9 the marble would be pushed off
    before = GAME.parse("...../....../......./......../.....ww.b/......../......./....../.....:b:0:0")
    between = before.apply("e9d8")
    player = boardgames.load_player("passive:kind=shuffler", GAME)
    choice = player.choose(between.apply("e6e7"), context=Context(history=(before, between)))
    assert str(choice.move) != "d8e9"
