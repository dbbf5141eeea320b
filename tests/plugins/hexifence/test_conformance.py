"""Hexifence keeps the rules for games, and those of the slow reference."""

import pytest
from reference.hexifence import HexifenceReference

from boardgames import check_game
from boardgames_hexifence.game import Hexifence


@pytest.mark.parametrize("dimension", [2, 3, pytest.param(5, marks=pytest.mark.slow)])
def test_checks_of_the_package_pass(dimension: int) -> None:
    report = check_game(
        Hexifence(dimension=dimension), matches=6, positions=20, reference=HexifenceReference(dimension)
    )
    assert report.ok, report
