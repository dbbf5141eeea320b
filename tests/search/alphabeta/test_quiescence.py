"""Quiescence search: captures beyond the horizon are seen exactly as far as the option allows."""

from dataclasses import replace

import numpy as np
import pytest
from reference.minimax import search_value
from reference.searching import CASES, EXACT, near_pushes

import boardgames
from boardgames.declarations import Evaluation
from boardgames.game import Position
from boardgames.player import NO_CONTEXT, Analysis, Limit
from boardgames.search.alphabeta.searcher import Searcher
from boardgames_abalone.evaluation import CLASSIC

ABALONE = boardgames.load("abalone")
# white threatens to push off i5 and i9, and black can save only one of them
TWO_THREATS = ABALONE.parse("b...b/w....w/w.....w/......../........./......../..b..../....../.....:b:0:0")
# neither side can push anything
QUIET = ABALONE.parse("...../....../......./...w..../........./....b.../......./....../.....:w:0:0")


MARBLES = replace(CLASSIC, weights=np.array([0.0, 0.0, -100.0, 0.0, 0.0, 100.0]))
"""Counts marbles pushed off, and nothing else."""


def searched(
    position: Position, depth: int, quiescence: int, evaluation: Evaluation = ABALONE.evaluation
) -> Analysis:
    options = replace(EXACT, table=0, extensions=False, quiescence=quiescence)
    searcher = Searcher(position.game, evaluation, options)
    return searcher.search(position, Limit(depth=depth), NO_CONTEXT)


def end_of(analysis: Analysis) -> Position:
    position = analysis.position
    for move in analysis.moves[0].line:
        position = position.apply(str(move))
    return position


@pytest.mark.plain
def test_a_push_off_beyond_the_horizon_is_seen() -> None:
    blind, seeing = (searched(TWO_THREATS, 1, quiescence, MARBLES) for quiescence in (0, 1))
    assert (blind.score.amount, end_of(blind).score) == (0, (0, 0))
    assert (seeing.score.amount, end_of(seeing).score) == (-1, (0, 1))


def test_without_tactical_moves_the_evaluation_is_returned() -> None:
    assert searched(QUIET, 1, 4).moves == searched(QUIET, 1, 0).moves


@pytest.mark.parametrize("quiescence", [0, 1, 3])
def test_lines_are_no_longer_than_depth_and_quiescence_together(quiescence: int) -> None:
    lengths = [
        len(searched(position, 2, quiescence).moves[0].line)
        for position, _ in CASES["abalone near pushes"].positions(20, 21)
    ]
    assert max(lengths) <= 2 + quiescence
    assert quiescence == 0 or max(lengths) > 2


@pytest.mark.parametrize("seed", range(8))
def test_lines_are_legal_and_end_in_a_position_of_their_value(seed: int) -> None:
    position = near_pushes(ABALONE, 5, np.random.default_rng(seed))
    analysis = searched(position, 2, 4)
    end = end_of(analysis)
    if end.outcome is None:
        evaluation = ABALONE.evaluation
        value = evaluation.value(end.words)
        sign = 1 if end.side_to_move == position.side_to_move else -1
        assert search_value(analysis.score, evaluation.scale) == pytest.approx(sign * value, abs=1e-9)
