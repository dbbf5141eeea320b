"""Tic-tac-toe: notation and picture of the positions that the rules define."""

from functools import partial

import numpy as np
import numpy.typing as npt

from boardgames.declarations import Exercise, Facts, Kernels, Symmetry
from boardgames.errors import PositionError, quote
from boardgames.game import Game, Position
from boardgames.kernels import Words
from boardgames.observation import Observation
from boardgames.picture import Cell, Label, Picture, Piece
from boardgames_tictactoe.rules import (
    CELLS,
    EMPTY,
    LINES,
    SYMMETRIES,
    apply,
    legal_moves,
    observe,
    outcome,
    side_to_move,
    symmetric_key,
)

NAMES = ("a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1")
SYMBOLS = ".xo"

FORKS = {
    "..x/.o./x.o": "a3 b3 a2",
    "..x/o../xxo": "b2 a3 c2",
    "..o/x../o.x": "b2 a3 c2",
    "..x/o.x/.xo": "a3 b2 a1",
    ".o./o.x/.x.": "c1 c3 a1",
    "..o/x.x/.ox": "b2 b3 a1",
}
"""Positions in which a move threatens to complete two lines, each with that move, a reply and a win."""


def forks(game: Game, generator: np.random.Generator) -> tuple[Exercise, ...]:
    """Return positions in which one move makes two threats."""
    task = "Fill a cell so that you threaten to complete two lines, and then complete one."
    return tuple(Exercise("Fork", position, task, (line,)) for position, line in FORKS.items())


class TicTacToe(Game):
    """Tic-tac-toe.

    Examples
    --------
    >>> position = TicTacToe().start().apply("b2").apply("a1")
    >>> str(position), position.side_to_move
    ('.../.x./o..', 0)
    """

    lessons = (
        Exercise(
            "Win",
            "xx./oo./...",
            "Complete a line of three.",
            ("c3",),
            "Three of your own in a row, column or diagonal win.",
            "X has won.",
        ),
        Exercise(
            "Block",
            "x../oo./..x",
            "O threatens to complete a line. Prevent it.",
            ("c2",),
            "If the other side has two in a line, fill the third cell yourself.",
            "The line is blocked, and there is a threat of your own in the right-hand column.",
        ),
    )

    def prepare(self) -> None:
        """Set facts and kernels."""
        self.facts = Facts(
            name="tictactoe",
            title="Tic-tac-toe",
            rules="The sides take turns to fill one cell of a 3 x 3 board, X first. Three of your own "
            "in a row, column or diagonal win; a full board without them is a draw.",
            move_help="Type the cell, such as b2.",
            sides=("X", "O"),
            words=CELLS,
            actions=CELLS,
            longest_match=CELLS,
            layouts={"standard": ".../.../..."},
            perft={".../.../...": (9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872)},
        )
        self.kernels = Kernels(legal_moves, apply, side_to_move, outcome, symmetric_key=symmetric_key)

    def parse_words(self, text: str, notation: str | None = None) -> Words:
        """Return the packed position that three rows of `x`, `o` and `.` describe, from the top."""
        symbols = text.replace("/", "")
        if [len(row) for row in text.split("/")] != [3, 3, 3] or set(symbols) - set(SYMBOLS):
            raise PositionError(
                f"{quote(text)} is not a position; write three rows of 'x', 'o' and '.', such as x../.o./..."
            )
        return np.array([SYMBOLS.index(symbol) for symbol in symbols], dtype=np.uint64)

    def format_words(self, words: Words, notation: str | None = None) -> str:
        """Return the three rows of a packed position, from the top."""
        symbols = "".join(SYMBOLS[int(word)] for word in words)
        return "/".join((symbols[:3], symbols[3:6], symbols[6:]))

    def format_action(self, words: Words, action: int, notation: str | None = None) -> str:
        """Return the name of a cell, `a1` to `c3`."""
        return NAMES[action]

    def is_move_text(self, text: str) -> bool:
        """Return True if a text is the name of a cell."""
        return text.lower() in NAMES

    def explain_illegal_move(self, position: Position, text: str, notation: str | None = None) -> str:
        """Return the only possible reason, which is that the cell is occupied."""
        return f"{text.lower()} is occupied"

    def check_words(self, words: Words) -> None:
        """Reject positions that cannot occur in a match."""
        crosses, noughts = (int(np.count_nonzero(words == side)) for side in (1, 2))
        if int(words.max()) > 2 or crosses - noughts not in (0, 1):
            raise PositionError(f"there must be as many crosses as noughts or one more: {words.tolist()}")
        winners = {int(words[a]) for a, b, c in LINES if 0 < words[a] == words[b] == words[c]}
        if winners - {2 - (crosses - noughts)}:
            raise PositionError(f"only the last to move can have three in a line: {words.tolist()}")

    def symmetries(self) -> tuple[Symmetry, ...]:
        """Return the rotations and reflections of the board."""
        return tuple(
            Symmetry(
                f"symmetry {number}", partial(_map_words, cells=cells), partial(_map_action, cells=cells)
            )
            for number, cells in enumerate(SYMMETRIES)
            if number
        )

    def observation(self) -> Observation:
        """Return the observation for networks: a plane for the marks of each side."""
        return Observation(observe, ("own marks", "opponent's marks"), 3, 3)

    def draw(self, position: Position) -> Picture:
        """Return the board as a picture."""
        words = position.words
        return Picture(
            cells=tuple(Cell(name, index % 3, index // 3) for index, name in enumerate(NAMES)),
            pieces=tuple(
                Piece(NAMES[index], int(word) - 1, SYMBOLS[int(word)], shape="letter")
                for index, word in enumerate(words)
                if word
            ),
            labels=tuple(Label(column, 3, "abc"[column]) for column in range(3))
            + tuple(Label(-1, row, "321"[row]) for row in range(3)),
            sides=self.facts.sides,
            colours=("#222222", "#c0392b"),
            clicks={NAMES[cell]: ((NAMES[cell],),) for cell in position.actions},
            winning=frozenset(NAMES[cell] for line in LINES if _is_won(words[line]) for cell in line),
        )


def _is_won(line: Words) -> bool:
    """Return True if the three words of a line are the same side."""
    return bool(line[0] != EMPTY and np.all(line == line[0]))


def _map_words(words: Words, *, cells: npt.NDArray[np.int64]) -> Words:
    """Return the position in which each cell k has the content of `cells[k]`."""
    return words[cells]


def _map_action(words: Words, action: int, *, cells: npt.NDArray[np.int64]) -> int:
    """Return the image of a cell under a symmetry."""
    return int(np.flatnonzero(cells == action)[0])
