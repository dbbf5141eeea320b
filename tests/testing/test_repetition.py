"""The check of a rule about repetition."""

from dataclasses import replace

import pytest
from maze import Maze, PlainMaze
from nim import Nim

from boardgames.game import Game
from boardgames.kernels import Actions, LegalMoves, Words, kernel
from boardgames.search import remembering
from boardgames.testing import check_game


@kernel(LegalMoves)
def two_moves(position: Words, moves: Actions) -> int:
    """Write other moves than the maze has."""
    moves[0], moves[1] = 0, 1
    return 2 if position[0] == position[1] else 1


@pytest.mark.parametrize("kind", [Maze, PlainMaze])
@pytest.mark.parametrize("rule", ["draw:3", "loss:2", "forbidden:2", "forbidden:3"])
def test_a_game_passes_if_kernels_and_matches_agree(rule: str, kind: type[Game]) -> None:
    report = check_game(kind(repetition=rule, rooms="a:0:bc.,aXd,abd,bYc"), only=("repetition",))
    assert report.ok
    (check,) = report.checks
    assert check.name == "repetition"
    assert check.covered.startswith(f"{rule}, ")
    assert not check.covered.endswith(" 0 of them lead to earlier positions")


def test_a_game_without_a_rule_has_no_such_check() -> None:
    assert check_game(Nim(passing=True), only=("repetition",)).checks == ()


def test_kernels_that_do_not_agree_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Maze(repetition="forbidden")
    made, wrong = remembering._kernels, replace(game.kernels, legal_moves=two_moves)
    monkeypatch.setattr(remembering, "_kernels", lambda base, *given: made(wrong, *given))
    report = check_game(game, only=("repetition",))
    assert report.findings
    assert "given the match so far," in report.findings[0].message
