"""Agents as functions for ConnectX: whole matches on Kaggle's boards, its clock, and wrong input."""

import re
from types import SimpleNamespace
from typing import Any

import pytest

import boardgames
from boardgames import Choice, Limit, MatchState
from boardgames.adapters import kaggle
from boardgames.errors import BoardgamesError, OptionError, PositionError, UnknownNameError
from boardgames.players.simple import Random

CONFIGURATION = {"columns": 7, "rows": 6, "inarow": 4, "actTimeout": 2, "timeout": 2}


def board_of(state: MatchState, columns: int = 7) -> list[int]:
    """Return the board of a match as Kaggle does: cells from the top, mark 1 for the first side."""
    board: list[int] = [0] * columns * 6
    for ply, column in enumerate(state.played):
        row = max(row for row in range(6) if board[row * columns + column] == 0)
        board[row * columns + column] = 1 + ply % 2
    return board


@pytest.mark.parametrize("columns", [7, 8])
def test_agents_play_whole_matches_on_boards_of_kaggle(columns: int) -> None:
    agents = [kaggle.agent("random", seed=1), kaggle.agent("greedy", seed=2)]
    configuration = CONFIGURATION | {"columns": columns}
    for _ in range(3):
        state = MatchState(boardgames.load("connect4", columns=columns).start())
        while state.outcome is None:
            side = state.side_to_move
            observation = SimpleNamespace(board=board_of(state, columns), mark=side + 1)
            state.push(agents[side](observation, SimpleNamespace(**configuration)))


def test_an_agent_sees_the_board_of_kaggle_the_right_way_round() -> None:
    play = kaggle.agent("alphabeta:depth=3", seed=1)
    board = [0] * 42
    for cell, mark in ((35, 1), (28, 1), (21, 1), (40, 2), (41, 2)):
        board[cell] = mark
    assert play({"board": board, "mark": 2}, CONFIGURATION) == 0


def test_an_agent_thinks_for_a_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[Limit] = []

    def choose(self: Random, position: Any, limit: Limit, context: object = None) -> Choice:
        limits.append(limit)
        return Choice(position.legal_moves[0])

    monkeypatch.setattr(Random, "choose", choose)
    kaggle.agent("random")({"board": [0] * 42, "mark": 1}, CONFIGURATION)
    kaggle.agent("random", limit=Limit(depth=4))({"board": [0] * 42, "mark": 1}, CONFIGURATION)
    assert limits == [Limit(seconds=1.4), Limit(depth=4)]


@pytest.mark.parametrize(
    ("observation", "configuration", "error", "message"),
    [
        ({"board": [0] * 41, "mark": 1}, {}, PositionError, "a board of 7x6 has 42 cells with 0, 1"),
        ({"board": [3] + [0] * 41, "mark": 1}, {}, PositionError, "a board of 7x6 has 42 cells with 0, 1"),
        ({"board": [0] * 42, "mark": 2}, {}, PositionError, "it is not the turn of mark 2 on the board"),
        ({"board": [0] * 42, "mark": 1}, {"inarow": 5}, OptionError, "`inarow` must be 4, because"),
        ({"board": [0] * 42, "mark": 1}, {"columns": 99}, OptionError, "columns must be "),
    ],
)  # fmt: skip
def test_boards_that_cannot_be_played_are_refused(
    observation: dict[str, Any], configuration: dict[str, int], error: type[BoardgamesError], message: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        kaggle.agent("random")(observation, CONFIGURATION | configuration)


def test_an_unknown_agent_and_a_person_are_refused_at_once() -> None:
    with pytest.raises(UnknownNameError, match=r"^connect4 has no agent 'gredy'; did you mean 'greedy'\?"):
        kaggle.agent("gredy")
    with pytest.raises(OptionError, match=r"^the agent must be a program, not 'human'$"):
        kaggle.agent("human")
