"""Results of finished matches."""

import pytest
from nim import Nim

import boardgames
from boardgames.game import Position
from boardgames.search.rules import DRAWN, final_result

pytestmark = pytest.mark.plain


def result(position: Position, *, no_moves_draws: bool = False) -> int:
    kernels = position.game.kernels
    return int(final_result(kernels.side_to_move, kernels.outcome, position.words, no_moves_draws))


@pytest.mark.parametrize(
    ("text", "expected"), [("xxx/oo./...", 0), ("ooo/xx./x..", 1), ("xox/xxo/oxo", DRAWN)]
)
def test_the_rules_decide_first(text: str, expected: int) -> None:
    for no_moves_draws in (False, True):
        assert result(boardgames.load("tictactoe").parse(text), no_moves_draws=no_moves_draws) == expected


def test_a_side_without_moves_loses_or_draws_as_the_game_says() -> None:
    position = Nim(stuck=True).parse("0:0:3:4")
    assert result(position) == 1
    assert result(position, no_moves_draws=True) == DRAWN
