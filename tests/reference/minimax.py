"""Minimax over `Position` objects in plain Python, and positions to test searches on.

It shares only the value of a won match with the search kernels. It takes the
maximum for one side and the minimum for the other, whichever side moves next.
"""

from collections.abc import Iterator

import numpy as np
from nim import Nim

import boardgames
from boardgames.declarations import Evaluation
from boardgames.game import Game, Move, Position, Termination
from boardgames.score import Score
from boardgames.search.rules import WIN

SPARSE = "...../....../...w.../...w..../....b..../...bb.../..w..../....../....."


def minimax_value(
    position: Position, side: int, depth: int, *, evaluation: Evaluation | None = None, ply: int = 0
) -> float:
    """Return the value of a position for `side`, searched to `depth` plies.

    At depth 0, a side without a legal move is not recognised as having lost.
    """
    evaluation = evaluation or position.game.evaluation
    sign = 1 if position.side_to_move == side else -1
    outcome = position.outcome
    if outcome is not None and outcome.termination is Termination.NO_MOVES and depth == 0:
        outcome = None
    elif outcome is not None and outcome.termination is Termination.RULES and evaluation.exact_at_end:
        outcome, depth = None, 0
    if outcome is not None:
        if outcome.winner is None:
            return 0.0
        return WIN - ply if outcome.winner == side else ply - WIN
    if depth == 0:
        return sign * evaluation.value(position.words)
    choose = max if position.side_to_move == side else min
    return choose(
        minimax_value(after, side, depth - 1, evaluation=evaluation, ply=ply + 1)
        for after in successors(position)
    )


def minimax_values(position: Position, depth: int, *, evaluation: Evaluation | None = None) -> list[float]:
    """Return the value of each legal move for the side to move, in ascending order of actions."""
    side = position.side_to_move
    return [
        minimax_value(after, side, depth - 1, evaluation=evaluation, ply=1) for after in successors(position)
    ]


def successors(position: Position) -> Iterator[Position]:
    """Yield the position after each legal move, in ascending order of actions."""
    for action in position.actions:
        yield position.apply(Move(action, ""))


def search_value(score: Score, scale: float = 1.0) -> float:
    """Return a score as a value of the search kernels; `scale` is the evaluation's scale."""
    if score.amount is not None:
        return score.amount * scale
    assert score.win_in is not None
    return score.sign * WIN - score.win_in


def reached(game: Game, plies: int, seed: int) -> Position:
    """Return an unfinished position after a number of random plies."""
    random = np.random.default_rng([plies, seed])
    while True:
        position = game.start()
        for _ in range(plies):
            if position.outcome is not None:
                break
            position = position.apply(Move(int(random.choice(position.actions)), ""))
        if position.outcome is None:
            return position


def cases() -> dict[str, tuple[Position, int]]:
    """Return positions, each with a depth to which minimax in Python can search it within a second."""
    four, seven = boardgames.load("connect4", columns=4, rows=4), boardgames.load("connect4")
    hexifence, abalone = boardgames.load("hexifence", dimension=2), boardgames.load("abalone")
    positions = {
        "tictactoe from the start": (boardgames.load("tictactoe").start(), 4),
        "connect4 from the start": (seven.start(), 3),
        "abalone from the start": (abalone.start(), 1),
        "abalone about to win": (abalone.parse(f"{SPARSE}:b:5:5"), 2),
        "abalone with few marbles": (
            abalone.parse("b..../....../......./......../....w..../b......./......./....../....w:w:5:5"),
            3,
        ),
        "nim": (Nim().parse("6:0:0:0"), 9),
        "nim where one stone keeps the turn": (Nim(again=True).parse("6:1:0:0"), 9),
        "nim cut short": (Nim(again=True).parse("7:0:0:0"), 3),
        "nim ended by lack of moves": (Nim(stuck=True).parse("7:0:0:0"), 9),
    }
    for seed in range(4):
        positions[f"tictactoe {seed}"] = reached(boardgames.load("tictactoe"), 3 + seed % 2, seed), 9
        positions[f"connect4 of 4 x 4 {seed}"] = reached(four, 9, seed), 16
        positions[f"connect4 {seed}"] = reached(seven, 10 + 5 * seed, seed), 3
        positions[f"hexifence to the end {seed}"] = reached(hexifence, 25, seed), 9
        positions[f"hexifence {seed}"] = reached(hexifence, 18, seed), 2
    return positions
