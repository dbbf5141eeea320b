"""Positions of every game to test searches on, and the options with which they must be exact."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from nim import Nim
from reference.minimax import reached

import boardgames
from boardgames.declarations import Evaluation
from boardgames.game import Game, Position
from boardgames.player import Analysis
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher
from boardgames.testing.oracle import search_unpruned
from boardgames_abalone.board import CELLS, NEIGHBOURS, ROW_LENGTHS

EXACT = SearchOptions(table=1, lmr=False, futility=False, null_move=False)
"""Options with only those techniques that do not change values, so a search must agree with minimax."""


@dataclass(frozen=True)
class Case:
    """Random positions of a game, with the maximum search depth and the aspiration margin.

    With `marbles`, they are Abalone positions with about that many marbles per side and pushes to make.
    """

    game: Game
    plies: int
    depth: int
    margin: float
    marbles: int = 0
    least: int = 0

    @property
    def evaluation(self) -> Evaluation:
        """Return the game's own evaluation, with narrow windows switched on."""
        return replace(self.game.evaluation, margin=self.margin)

    def positions(self, count: int, seed: int) -> Iterator[tuple[Position, int]]:
        """Yield positions, each with its search depth."""
        random = np.random.default_rng([seed, self.plies, self.marbles])
        for index in range(count):
            depth = int(random.integers(1, self.depth + 1))
            if self.marbles:
                yield near_pushes(self.game, self.marbles, random), depth
            else:
                plies = int(random.integers(self.least, self.plies))
                yield reached(self.game, plies, seed * 10_000 + index), depth


def near_pushes(game: Game, marbles: int, random: np.random.Generator) -> Position:
    """Return an Abalone position with about `marbles` marbles per side and pushes to or over the edge."""
    while True:
        board = ["."] * CELLS
        for side in ("bw", "wb", "bw"[:: random.choice([-1, 1])]):
            _place_push(board, side, random)
        for side in "bw":
            for cell in random.choice(CELLS, max(0, marbles - board.count(side)), replace=False):
                if board[cell] == ".":
                    board[cell] = side
        losses = random.integers(4, 6, 2)
        position = game.parse(f"{_rows(board)}:{'bw'[random.integers(2)]}:{losses[0]}:{losses[1]}")
        if position.actions:
            return position


def _place_push(board: list[str], sides: str, random: np.random.Generator) -> None:
    """Put two marbles of the first side behind a marble of the second, on a line that leads off the board."""
    inwards = int(random.integers(6))
    cell = int(random.choice(np.flatnonzero(NEIGHBOURS[:, (inwards + 3) % 6] < 0)))
    if random.random() < 0.6:  # to the edge, not yet over it
        cell = int(NEIGHBOURS[cell, inwards])
    for side in (sides[1], sides[0], sides[0]):
        if cell >= 0:
            board[cell] = side
            cell = int(NEIGHBOURS[cell, inwards])


def lone_marbles(count: int, seed: int) -> list[Position]:
    """Return Abalone positions with one marble per side, in which every move can be undone."""
    game, random = boardgames.load("abalone", broadside=False), np.random.default_rng(seed)
    positions = []
    for _ in range(count):
        board = ["."] * CELLS
        for cell, side in zip(random.choice(CELLS, 2, replace=False), "bw", strict=True):
            board[cell] = side
        positions.append(game.parse(f"{_rows(board)}:{'bw'[random.integers(2)]}:5:5"))
    return positions


def _rows(board: list[str]) -> str:
    """Return the text of a board."""
    left = iter(board)
    return "/".join("".join(next(left) for _ in range(length)) for length in ROW_LENGTHS)


def drawn_nim() -> Nim:
    """Return a variant of Nim in which an empty heap is a draw."""
    game = Nim(stuck=True, again=True)
    game.facts = replace(game.facts, no_moves_draws=True)
    return game


CASES = {
    "tictactoe": Case(boardgames.load("tictactoe"), 9, 7, 0.1),
    "connect4 of 4 x 4": Case(boardgames.load("connect4", columns=4, rows=4), 12, 8, 0.02),
    "connect4 of 5 x 4": Case(boardgames.load("connect4", columns=5, rows=4), 14, 6, 0.02),
    "connect4": Case(boardgames.load("connect4"), 30, 5, 0.02),
    "hexifence": Case(boardgames.load("hexifence", dimension=2), 20, 3, 1.0),
    "hexifence to the end": Case(boardgames.load("hexifence", dimension=2), 28, 6, 1.0, least=22),
    "abalone": Case(boardgames.load("abalone"), 60, 2, 20.0),
    "abalone near pushes": Case(boardgames.load("abalone"), 0, 3, 20.0, marbles=6),
    "abalone without broadside moves": Case(boardgames.load("abalone", broadside=False), 60, 2, 20.0),
    "abalone without broadside moves near pushes": Case(
        boardgames.load("abalone", broadside=False), 0, 4, 20.0, marbles=5
    ),
    "nim": Case(Nim(again=True), 4, 8, 0.1),
    "nim ended by lack of moves": Case(Nim(stuck=True), 4, 8, 0.1),
    "nim drawn by lack of moves": Case(drawn_nim(), 4, 8, 0.1),
}


def searcher_for(case: Case, **options: object) -> Searcher:
    """Return a searcher that neither prunes nor reduces, with the other options as given.

    Repetition is off near pushes: extensions make lines long enough to repeat positions there, and the
    oracle does not detect this.
    """
    exact = replace(EXACT, repetition=case.marbles == 0)
    return Searcher(case.game, case.evaluation, replace(exact, **options))  # type: ignore[arg-type]  # any field


def oracle(
    case: Case, position: Position, depth: int, *, lines: int | None, options: SearchOptions = EXACT
) -> Analysis:
    """Return the result of unpruned minimax with the same quiescence search and extensions."""
    return search_unpruned(
        position,
        case.evaluation,
        depth,
        quiescence=options.quiescence,
        extensions=options.extensions,
        lines=lines,
    )
