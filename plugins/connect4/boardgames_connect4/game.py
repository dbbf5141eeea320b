"""Connect Four as a `Game`: its facts, options and kernels, its notation, and checks of positions."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from boardgames.declarations import Facts, Kernels, Symmetry
from boardgames.errors import PositionError
from boardgames.game import Game, Position
from boardgames.kernels import Words
from boardgames.options import Option, OptionValue
from boardgames.picture import Picture
from boardgames_connect4 import notation as texts
from boardgames_connect4 import rules, view
from boardgames_connect4.board import MAX_SIZE, MIN_SIZE, SIZES, Board
from boardgames_connect4.evaluation import evaluation
from boardgames_connect4.lessons import LESSONS
from boardgames_connect4.patterns import TRAINING

if TYPE_CHECKING:
    from boardgames.observation import Observation

RULES = (
    "The sides take turns to drop a stone into a column, red first; it falls to the lowest empty cell. Four "
    "stones of one side in a row, column or diagonal win. If the board is full without such a line, the "
    "match is a draw."
)

USUAL_SIZES = (Board(7, 6), Board(8, 7), Board(8, 8))
OTHER_SIZES = (Board(columns, rows) for columns in SIZES for rows in SIZES)
LAYOUTS = {
    board.name: {"columns": board.columns, "rows": board.rows}
    for board in dict.fromkeys((*USUAL_SIZES, *OTHER_SIZES))
}
"""The options that each layout sets; `8x7` is an empty board with 8 columns and 7 rows."""

PERFT = {
    Board(7, 6): (7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234),
    Board(8, 7): (8, 64, 512, 4_096, 32_768, 262_144, 2_097_152, 16_553_656),
    Board(8, 8): (8, 64, 512, 4_096, 32_768, 262_144, 2_097_152, 16_553_664),
}
"""Perft counts by board size.

Sources: J. Tromp, "John's Connect Four Playground", for 7 x 6; for the other sizes, a separate program
that represents the board as an array.
"""

RANDOM_PLIES = 24
"""Maximum number of random moves at the start of a self-play match."""
CRITICAL = 200
"""Number of critical positions with which networks are tested; only on 7 x 6, where the solver has a book."""


class Connect4(Game):
    """Connect Four on 7 x 6, or any other size from 4 x 4 to 8 x 8.

    Examples
    --------
    >>> game = Connect4()
    >>> position = game.parse("4453").apply("4")
    >>> str(position), position.side_to_move
    ('......./......./......./...r.../...b.../..brr..', 1)
    """

    edit_pieces = view.SIDES
    lessons = LESSONS
    declared_options = (
        Option("columns", int, 7, "number of columns", minimum=MIN_SIZE, maximum=MAX_SIZE),
        Option("rows", int, 6, "number of rows", minimum=MIN_SIZE, maximum=MAX_SIZE),
    )

    layout_options = LAYOUTS

    def __init__(self, *, layout: str | None = None, **options: object) -> None:
        # records of earlier versions call the empty board of any size `standard`
        super().__init__(layout=None if layout == "standard" else layout, **options)

    def prepare(self) -> None:
        """Set facts and kernels for the size."""
        columns, rows = int(self.options["columns"] or 0), int(self.options["rows"] or 0)
        self.board = Board(columns, rows)
        empty = self.board.empty_text()
        critical = CRITICAL if self.board == USUAL_SIZES[0] else 0
        self.facts = Facts(
            name="connect4",
            title="Connect Four",
            rules=RULES,
            move_help="Type the number of the column, such as 4.",
            sides=view.SIDES,
            words=rules.POSITION_WORDS,
            actions=columns,
            longest_match=columns * rows,
            layouts={self.board.name: empty},
            move_notations=texts.MOVE_NOTATIONS,
            position_notations=texts.POSITION_NOTATIONS,
            perft={empty: PERFT[self.board]} if self.board in PERFT else {},
            presets={
                "default": {
                    "ntuple": TRAINING,
                    "alphazero": {"random_plies": RANDOM_PLIES, "critical": critical},
                }
            },
            default_agent="solver",
            baseline="lines",
            search_baseline="lines:depth=3",
        )
        sized = rules.sized_rules(self.board)
        self.kernels = Kernels(
            legal_moves=sized.legal_moves,
            apply=sized.apply,
            side_to_move=rules.side_to_move,
            outcome=rules.outcome,
            move_order=sized.move_order,
            symmetric_key=sized.symmetric_key,
        )
        self.evaluation = evaluation(self.board)

    @classmethod
    def options_for_position(cls, text: str) -> Mapping[str, OptionValue]:
        """Return the size of a board whose rows are separated by `/`."""
        return texts.options_for_position(text)

    def observation(self) -> "Observation":
        """Return the observation: the stones of both sides."""
        # imported late, since most programs need no observation
        from boardgames_connect4.observation import observation

        return observation(self.board)

    def parse(self, text: str, *, notation: str | None = None) -> Position:
        """Return the position that `text` describes; spaces at the start or end of a line can be cells."""
        if not isinstance(text, str) or "\n" not in text:
            return super().parse(text, notation=notation)
        self._check_notation(notation, self.facts.position_notations)
        return self.unpack(self.parse_words(text, notation))

    def parse_words(self, text: str, notation: str | None = None) -> Words:
        """Return the packed position of a board or of a sequence of moves."""
        return texts.parse_words(text, self.board, notation)

    def format_words(self, words: Words, notation: str | None = None) -> str:
        """Return the rows of a packed position, or its text in another notation."""
        return texts.format_words(words, self.board, notation)

    def parse_action(self, position: Position, text: str, notation: str | None = None) -> int:
        """Return the legal action for the column named by a text."""
        return texts.parse_action(position.words, position.actions, text, self.board, notation)

    def format_action(self, words: Words, action: int, notation: str | None = None) -> str:
        """Return the column of an action as text."""
        return texts.format_action(words, action, self.board, notation)

    def split_moves(self, text: str, notation: str | None = None) -> list[str]:
        """Return the texts of the moves in a line, which need no separators, as in `4453`."""
        return texts.split_moves(text)

    def explain_illegal_move(self, position: Position, text: str, notation: str | None = None) -> str:
        """Return why a move is illegal: the column is full, or the stone would land in another row."""
        return texts.explain_illegal_move(position.words, position.actions, text, self.board, notation)

    def explain_clicks(self, position: Position, ids: Sequence[str]) -> str:
        """Return why a click makes no move: the column is full, or the match is over."""
        return "the column is full" if position.outcome is None else "the match is over"

    def check_words(self, words: Words) -> None:
        """Reject positions that cannot occur in a match."""
        texts.check_words(words, self.board)

    def edit_words(self, words: Words, target: str, piece: str | None) -> Words:
        """Return the position with a stone added on top of a cell's column, or its top stone removed.

        Stones are added in turn, so only a stone of the side to move can be added, and only one of the
        other side can be removed.
        """
        stones = [int(words[0]), int(words[1])]
        occupied, surplus = stones[0] | stones[1], stones[0].bit_count() - stones[1].bit_count()
        column = int(target[1 : target.index("r")]) - 1
        height = (occupied & self.board.column(column)).bit_count()
        if piece is None:
            if height == 0:
                raise PositionError(f"there is no stone in column {column + 1}")
            bit = 1 << self.board.bit(column, height - 1)
            side = 0 if stones[0] & bit else 1
            if side == surplus:
                continue_with = self.edit_pieces[1 - side]
                raise PositionError(f"the stones alternate, so take away a {continue_with} one first")
        else:
            if height == self.board.rows:
                raise PositionError(f"column {column + 1} is full")
            bit, side = 1 << self.board.bit(column, height), self.edit_pieces.index(piece)
            if side != surplus:
                raise PositionError(f"the stones alternate, so the next one is {self.edit_pieces[surplus]}")
        stones[side] ^= bit
        return texts.pack(stones[0], stones[1], self.board)

    def symmetries(self) -> tuple[Symmetry, ...]:
        """Return the reflection from left to right."""
        return (Symmetry("reflection", self._reflect, self._reflect_action),)

    def draw(self, position: Position) -> Picture:
        """Return the board as a picture."""
        return view.draw(position.words, position.actions, self.board)

    def _reflect(self, words: Words) -> Words:
        red, blue = (self.board.mirror(int(words[side])) for side in (0, 1))
        return np.array([red, blue, words[rules.STATUS]], dtype=np.uint64)

    def _reflect_action(self, words: Words, action: int) -> int:
        return self.board.columns - 1 - action
