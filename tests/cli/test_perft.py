from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("depth", "leaves"), [("0", "1 leaf"), ("1", "44 leaves"), ("2", "1936 leaves"), ("3", "98912 leaves")]
)
def test_perft_prints_the_leaves(depth: str, leaves: str, bg: Run) -> None:
    out = bg("perft", "abalone", "--layout", "standard", "--depth", depth).out
    assert out.startswith(f"{leaves} at depth {depth} in ")


def test_divide_prints_a_line_for_each_move(bg: Run) -> None:
    lines = bg("perft", "connect4", "--depth", "2", "--divide").out.splitlines()
    assert [line.split() for line in lines[:-1]] == [[str(column), "7"] for column in range(1, 8)]
    assert lines[-1].startswith("49 leaves")


def test_a_layout_sets_the_size_of_the_board(bg: Run) -> None:
    assert bg("perft", "connect4", "--layout", "8x8", "--depth", "3").out.startswith("512 leaves")


def test_options_reach_the_game(bg: Run) -> None:
    arguments = ("--layout", "standard", "--option", "broadside=false", "--depth", "1")
    assert bg("perft", "abalone", *arguments).out.startswith("34 leaves")
