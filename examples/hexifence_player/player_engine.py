"""A UGI engine around a Hexifence player that is written for the referee of COMP30024 in 2016.

Such a player is a class with the methods `init(dimension, piece)`, `makeMove()`, `opponentMove(move)`,
`getWinner()` and `printBoard(output)`. A move has the attributes `P`, `Row` and `Col`. Start it with

    python player_engine.py MODULE:CLASS [--print]

where MODULE is in the current folder or next to this file. Only Python is needed to run it.
"""

import importlib
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, TextIO

BLUE, RED, DEAD = 1, 2, 3
DEFAULT_DIMENSION, MIN_DIMENSION, MAX_DIMENSION = 3, 2, 8
STEPS = ((-1, -1), (-1, 0), (0, -1), (0, 1), (1, 0), (1, 1))
"""Steps from a cell to its edges, in rows and columns."""
NO_MOVE = "bestmove 0000"

Place = tuple[int, int]


class Move:
    """A move as the referee passes it to a player."""

    def __init__(self, piece: int, row: int, column: int) -> None:
        self.P, self.Row, self.Col = piece, row, column


class Board:
    """A board: which edges are drawn, who is to move, and how many cells each side has.

    Parameters
    ----------
    dimension : int
        Number of cells along each side of the board.
    """

    def __init__(self, dimension: int) -> None:
        size = 2 * dimension - 1
        indices = [(row, column) for row in range(size) for column in range(size)]
        cells = [(2 * row + 1, 2 * column + 1) for row, column in indices if abs(row - column) < dimension]
        self.edges_of_cell = [
            [(row + down, column + right) for down, right in STEPS] for row, column in cells
        ]
        self.places = sorted({edge for around in self.edges_of_cell for edge in around})
        self.drawn: set[Place] = set()
        self.side = BLUE
        self.captured = {BLUE: 0, RED: 0}

    @property
    def is_over(self) -> bool:
        """Return True if all edges are drawn."""
        return len(self.drawn) == len(self.places)

    @property
    def winner(self) -> int:
        """Return the side with more cells, or 0 while the match is not over."""
        if not self.is_over:
            return 0
        return BLUE if self.captured[BLUE] > self.captured[RED] else RED

    def draw(self, place: Place) -> None:
        """Draw an edge for the side to move; raise ValueError if there is no such open edge."""
        if place not in self.places or place in self.drawn:
            raise ValueError(f"the edge at {place} cannot be drawn")
        self.drawn.add(place)
        closed = sum(place in around and self.drawn.issuperset(around) for around in self.edges_of_cell)
        self.captured[self.side] += closed
        if not closed:
            self.side = BLUE + RED - self.side


class PlayerEngine:
    """Answers the messages of UGI with the moves of a player.

    Parameters
    ----------
    player_class : type
        The class of the player, which is instantiated for each match.
    output : text stream
        Receives the answers. Everything that the player prints goes to stderr.
    prints_board : bool
        Whether the player prints its board to stderr after each of its moves.
    """

    def __init__(self, player_class: type[Any], output: TextIO, *, prints_board: bool = False) -> None:
        self.player_class, self.output, self.prints_board = player_class, output, prints_board
        self.dimension = DEFAULT_DIMENSION
        self.moves: list[int] = []
        self.problem = ""
        self._forget()

    def run(self, lines: TextIO) -> None:
        """Answer lines until `quit` or the end of the input."""
        for line in lines:
            words = line.split()
            if words == ["quit"]:
                return
            if words:
                self.answer(words)

    def answer(self, words: list[str]) -> None:
        """Answer one message; unknown messages are ignored."""
        if words == ["ugi"]:
            self._say(f"id name {self.player_class.__name__}", "id author the author of the player")
            limits = f"default {DEFAULT_DIMENSION} min {MIN_DIMENSION} max {MAX_DIMENSION}"
            self._say(f"option name dimension type spin {limits}", "ugiok")
        elif words == ["isready"]:
            self._say("readyok")
        elif words[:3] == ["setoption", "name", "dimension"]:
            self.dimension = int(words[-1])
            self._forget()
        elif words == ["uginewgame"]:
            self._forget()
        elif words[0] == "position":
            self._set_position(words[1:])
        elif words[0] == "go":
            self._go()
        elif words[0] == "query":
            board = self._board_after(self.moves)
            result = {0: "none", BLUE: "p1win", RED: "p2win"}[board.winner]
            answers = {"p1turn": board.side == BLUE, "gameover": board.is_over, "result": result}
            self._say(f"response {answers.get(words[-1], 'none')}".lower())

    def _say(self, *lines: str) -> None:
        self.output.write("".join(f"{line}\n" for line in lines))
        self.output.flush()

    def _forget(self) -> None:
        """Forget the match, so that the next move begins a new one."""
        self.player: Any = None
        self.piece = 0
        self.known: list[int] = []

    def _set_position(self, words: list[str]) -> None:
        place = words.index("moves") if "moves" in words else len(words)
        self.problem = ""
        if words[0] == "fen":
            number, edges, *_ = words[1].split(":")
            if int(number) != self.dimension:
                self.dimension = int(number)
                self._forget()
            if set(edges) != {"."}:
                self.problem = "the player can only start from the empty board"
        self.moves = [int(word) for word in words[place + 1 :]]

    def _board_after(self, moves: list[int]) -> Board:
        board = Board(self.dimension)
        for move in moves:
            board.draw(board.places[move])
        return board

    def _go(self) -> None:
        """Tell the player which moves its opponent has made, and answer with the player's move."""
        try:
            if self.problem:
                raise ValueError(self.problem)
            board = self._catch_up()
            with redirect_stdout(sys.stderr):
                move = self.player.makeMove()
                if self.prints_board:
                    self.player.printBoard(sys.stderr)
            place = int(move.Row), int(move.Col)
            if place not in board.places or place in board.drawn:
                self._say(f"bestmove {place[0]},{place[1]}")  # the referee rejects an illegal move
                return
            self.known.append(board.places.index(place))
            board.draw(place)
            self._check_winner(board)
        except Exception as error:  # noqa: BLE001 - whatever the player raises loses the match, not the engine
            self._say(f"info string {type(error).__name__}: {error}", NO_MOVE)
            self._forget()
        else:
            self._say(f"bestmove {self.known[-1]}")

    def _catch_up(self) -> Board:
        """Bring the player to the current position; it must have chosen the moves of its side itself."""
        board = self._board_after(self.moves)
        if self.player is None or self.piece != board.side or self.moves[: len(self.known)] != self.known:
            self._forget()
            self.piece, self.player = board.side, self.player_class()
            with redirect_stdout(sys.stderr):
                if self.player.init(self.dimension, self.piece) < 0:
                    raise ValueError(f"init refuses dimension {self.dimension}")
        board = self._board_after(self.known)
        for move in self.moves[len(self.known) :]:
            if board.side == self.piece:
                raise ValueError("the player can only continue with moves that it has chosen itself")
            row, column = board.places[move]
            with redirect_stdout(sys.stderr):
                if self.player.opponentMove(Move(board.side, row, column)) < 0:
                    raise ValueError(f"opponentMove refuses the edge at {row},{column}")
            board.draw((row, column))
            self.known.append(move)
        return board

    def _check_winner(self, board: Board) -> None:
        """Warn if the match has ended and the player reports the wrong winner."""
        if not board.is_over:
            return
        with redirect_stdout(sys.stderr):
            winner = self.player.getWinner()
        if winner != board.winner:
            self._say(f"info string getWinner returned {winner}, but {board.winner} has won")


def main(arguments: list[str]) -> None:
    """Load the player that the command line names, and run it as an engine."""
    names = [argument for argument in arguments if argument != "--print"]
    if len(names) != 1 or ":" not in names[0]:
        sys.exit("usage: player_engine.py MODULE:CLASS [--print]")
    module, _, name = names[0].partition(":")
    sys.path.insert(0, str(Path.cwd()))
    output = sys.stdout
    with redirect_stdout(sys.stderr):
        player_class = getattr(importlib.import_module(module), name)
    PlayerEngine(player_class, output, prints_board="--print" in arguments).run(sys.stdin)


if __name__ == "__main__":
    main(sys.argv[1:])
