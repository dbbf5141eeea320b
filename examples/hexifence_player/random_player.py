"""A Hexifence player for the referee of COMP30024 that draws random edges."""

import random
from typing import TextIO

from player_engine import BLUE, RED, Board, Move


class RandomPlayer:
    """Draws a random open edge."""

    def init(self, dimension: int, piece: int) -> int:
        """Prepare for a match; return 0, or -1 if the dimension or the piece is not valid."""
        if dimension < 1 or piece not in (BLUE, RED):
            return -1
        self.board, self.piece = Board(dimension), piece
        return 0

    def makeMove(self) -> Move:  # noqa: N802 - the referee calls it by this name
        """Draw a random open edge, and return the move."""
        is_drawn = self.board.drawn.__contains__
        place = random.choice([place for place in self.board.places if not is_drawn(place)])  # noqa: S311 - it only plays
        self.board.draw(place)
        return Move(self.piece, *place)

    def opponentMove(self, move: Move) -> int:  # noqa: N802 - the referee calls it by this name
        """Draw the opponent's edge; return -1 if it is illegal, 1 if it captures a cell, otherwise 0."""
        before = sum(self.board.captured.values())
        try:
            self.board.draw((move.Row, move.Col))
        except ValueError:
            return -1
        return int(sum(self.board.captured.values()) > before)

    def getWinner(self) -> int:  # noqa: N802 - the referee calls it by this name
        """Return the piece of the winner, or 0 while the match is not over."""
        return self.board.winner

    def printBoard(self, output: TextIO) -> None:  # noqa: N802 - the referee calls it by this name
        """Print the board, with `+` for open edges and `x` for drawn edges."""
        size = 1 + max(row for row, _ in self.board.places)
        for row in range(size):
            symbols = ["-"] * size
            for place in self.board.places:
                if place[0] == row:
                    symbols[place[1]] = "x" if place in self.board.drawn else "+"
            output.write(" ".join(symbols) + "\n")
