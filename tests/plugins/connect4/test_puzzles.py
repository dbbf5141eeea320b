"""Puzzles of Connect Four: the slow rules confirm what each kind of puzzle claims."""

from itertools import islice
from typing import Any

import numpy as np
import pytest
from reference.connect4 import ReferencePosition

import boardgames
from boardgames.game import Position
from boardgames_connect4.puzzles import two_threats, zugzwang

GAME = boardgames.load("connect4")


def reference_of(position: Position) -> ReferencePosition:
    rows = str(position).split("/")
    columns = ("".join(column).rstrip(".") for column in zip(*reversed(rows), strict=True))
    return ReferencePosition(tuple(columns), len(rows))


def columns_that_win(position: ReferencePosition, stone: str) -> set[int]:
    """Return the columns in which a stone would complete a line of four."""
    columns = range(len(position.stones))
    return {
        column
        for column in columns
        if len(position.stones[column]) < position.rows
        and ReferencePosition(
            tuple(old + stone * (column == other) for other, old in enumerate(position.stones)), position.rows
        ).outcome
        == stone
    }


def test_the_reference_sees_threats() -> None:
    three = reference_of(GAME.start().apply_moves("3 3 4 4 5"))
    assert columns_that_win(three, "r") == {1, 5}
    assert columns_that_win(three, "b") == set()


@pytest.mark.parametrize(("kind", "threats"), [(two_threats, {2, 3, 4}), (zugzwang, {0, 1})])
def test_every_solution_wins_by_as_many_threats_as_the_kind_says(kind: Any, threats: set[int]) -> None:
    for candidate in islice(kind(GAME, np.random.default_rng(3)), 6):
        stone = reference_of(candidate.position).side_to_move
        for move in candidate.moves:
            after = candidate.position.apply(move)
            assert len(columns_that_win(reference_of(after), stone)) in threats
            assert all(
                columns_that_win(reference_of(after.apply(reply)), stone) for reply in after.legal_moves
            )
