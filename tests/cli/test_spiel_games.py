"""Games of OpenSpiel on the command line."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pyspiel")


@pytest.mark.parametrize("command", ["show", "perft", "agents"])
def test_commands_take_the_name_of_a_game_of_openspiel(command: str, bg: Callable[..., Any]) -> None:
    ran = bg(command, "spiel:tic_tac_toe", *(["2"] if command == "perft" else []))
    assert (ran.code, ran.err) == (0, "")


def test_a_command_says_on_one_line_that_there_is_no_such_game(bg: Callable[..., Any]) -> None:
    ran = bg("play", "spiel:chess_")
    assert ran.code == 2
    assert ran.err == "error: OpenSpiel has no game 'chess_'; did you mean 'chess' or 'antichess'?\n"
