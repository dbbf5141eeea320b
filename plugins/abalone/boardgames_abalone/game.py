"""Abalone as a `Game`: its facts, options and kernels, its notation, and checks of positions."""

from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from boardgames.declarations import (
    LIMIT,
    Contempt,
    Evaluation,
    Facts,
    Kernels,
    Symmetry,
    no_outcome_at_limit,
)
from boardgames.errors import PositionError
from boardgames.game import Game, Position
from boardgames.kernels import Words
from boardgames.options import Option
from boardgames.picture import Picture
from boardgames_abalone import dialects, rules, view
from boardgames_abalone import notation as texts
from boardgames_abalone.board import (
    BOARD_HIGH,
    BOARD_LOW,
    CELL_OF_NAME,
    LAYOUTS,
    MARBLES_TO_WIN,
    SYMMETRIES,
    layout_named,
)
from boardgames_abalone.lessons import LESSONS
from boardgames_abalone.presets import PRESETS
from boardgames_abalone.reasons import explain_clicks, explain_illegal_move

if TYPE_CHECKING:
    from boardgames.observation import Observation

FORTRESS_OPENINGS = Path(__file__).parent / "data" / "fortress.txt"
STATUS_BITS = np.uint64(0xFFFF01)
"""Mask of the bits that are used in the status word."""

RULES = (
    "The sides take turns, black first. You move one, two or three of your marbles that stand in a line by "
    "one cell: along the line{sideways}. Moving along the line, you may push marbles of the other side "
    "ahead, if they are fewer than yours and the cell behind them is empty or off the board. Whoever pushes "
    "six marbles off the board wins."
)
BY_SCORE = " If a limit of plies ends the match, whoever has pushed off more marbles wins."
SIDEWAYS = ", or sideways onto empty cells"
MOVE_HELP = "Type the last marble of the line and the cell ahead of it, such as a1b2."
SIDEWAYS_HELP = (
    "Type the last marble of the line and the cell ahead of it, such as a1b2. To move sideways, type both "
    "ends of the line and the cell that the first one goes to, such as c3c5d4."
)

PERFT = {  # by `broadside`
    True: {
        "standard": (44, 1936, 98_912, 5_045_110),
        "belgian-daisy": (52, 2_692, 149_322, 8_270_666),
        "german-daisy": (80, 6_244, 493_480, 38_240_570),
    },
    False: {
        "standard": (34, 1_156, 45_356, 1_778_714),
        "belgian-daisy": (44, 1_922, 87_686, 3_997_062),
        "german-daisy": (64, 4_044, 255_988, 16_038_656),
    },
}


class Abalone(Game):
    """Abalone with full rules, or without broadside moves (`broadside=False`).

    With `limit="score"`, the side that has pushed off more marbles wins at a limit of plies.
    """

    edit_pieces = view.SIDE_NAMES
    lessons = LESSONS
    _default_evaluation: ClassVar[Evaluation | None] = None
    declared_options = (Option("broadside", bool, True, "allow broadside moves (side-steps)"), LIMIT)

    def __init__(self, *, layout: str | None = None, **options: object) -> None:
        super().__init__(layout=layout_named(layout) if isinstance(layout, str) else layout, **options)

    def prepare(self) -> None:
        """Set facts and kernels for the options."""
        broadside, by_score = bool(self.options["broadside"]), self.options["limit"] == "score"
        layouts = {name: f"{board}:b:0:0" for name, board in LAYOUTS.items()}
        self.facts = Facts(
            name="abalone",
            title="Abalone",
            rules=RULES.format(sideways=SIDEWAYS if broadside else "") + (BY_SCORE if by_score else ""),
            move_help=SIDEWAYS_HELP if broadside else MOVE_HELP,
            sides=("black", "white"),
            words=rules.WORDS,
            actions=rules.ACTIONS,
            ply_limit=400,
            no_progress_limit=None if by_score else 100,  # the side that is ahead may wait for the limit
            allows_reductions=True,
            score_name="marbles pushed off",
            no_progress="nothing was pushed off",
            default_features="classic14",
            layouts=layouts,
            move_notations=dialects.MOVE_NOTATIONS,
            position_notations=dialects.POSITION_NOTATIONS,
            baseline="greedy:weights=three-terms-by-hand",
            search_baseline="simple:depth=3",
            presets=PRESETS,
            openings={"fortress": _read_openings(FORTRESS_OPENINGS)},
            perft={layouts[name]: leaves for name, leaves in PERFT[broadside].items()},
        )
        self.kernels = Kernels(
            legal_moves=rules.legal_moves if broadside else rules.legal_moves_in_line,
            apply=rules.apply,
            side_to_move=rules.side_to_move,
            outcome=rules.outcome,
            move_order=rules.move_order,
            tactical_moves=rules.tactical_moves,
            symmetric_key=rules.symmetric_key,
            pass_turn=rules.pass_turn,
            outcome_at_limit=rules.outcome_by_score if by_score else no_outcome_at_limit,
        )

    @cached_property
    def evaluation(self) -> Evaluation:  # type: ignore[override]  # can be set, like the base's attribute
        """Default evaluation, with the patterns `shapes`; made when it is first needed."""
        from boardgames.weights import Weights
        from boardgames_abalone.evaluation import SHAPES_WEIGHTS
        from boardgames_abalone.patterns import SHAPES

        if Abalone._default_evaluation is None:  # the evaluation does not depend on the options
            Abalone._default_evaluation = Weights.read(SHAPES_WEIGHTS).evaluation(self, SHAPES)
        return Abalone._default_evaluation

    @cached_property
    def contempt(self) -> Contempt:  # type: ignore[override]  # can be set, like the base's attribute
        """How to play against opponents that only wait; made when it is first needed."""
        from boardgames_abalone.contempt import contempt

        return contempt(self)

    def parse_words(self, text: str, notation: str | None = None) -> Words:
        """Return the packed position that a text describes, by default in any unambiguous notation."""
        return dialects.parse_words(text, notation)

    def format_words(self, words: Words, notation: str | None = None) -> str:
        """Return the text of a packed position."""
        return dialects.format_words(words, notation)

    def successor_texts(self, position: Position, notation: str | None = None) -> list[str]:
        """Return the positions after each legal move; `course` has the order of the course's output files."""
        if notation == dialects.COURSE:
            return dialects.successors(position)
        return super().successor_texts(position, notation)

    def parse_action(self, position: Position, text: str, notation: str | None = None) -> int:
        """Return the legal action that a text names, by default in any unambiguous notation."""
        return dialects.parse_action(position.words, position.actions, text, notation)

    def format_action(self, words: Words, action: int, notation: str | None = None) -> str:
        """Return the text of a legal action."""
        return dialects.format_action(words, action, notation)

    def split_moves(self, text: str, notation: str | None = None) -> list[str]:
        """Return the texts of the moves in a line, which may have spaces and commas inside."""
        return dialects.split_moves(text, notation)

    def explain_illegal_move(self, position: Position, text: str, notation: str | None = None) -> str:
        """Return why a move is illegal, such as which marble is in the way; empty if that is unknown."""
        move = dialects.aba_pro_text(text, notation)
        if not move:
            return ""
        return explain_illegal_move(position.words, move, broadside=bool(self.options["broadside"]))

    def explain_clicks(self, position: Position, ids: Sequence[str]) -> str:
        """Return why a group cannot go to the last cell, or why a single cell cannot be selected."""
        if position.outcome is not None:
            return "the match is over"
        return explain_clicks(position.words, ids, broadside=bool(self.options["broadside"]))

    def observation(self) -> "Observation":
        """Return the observation: the marbles of both sides, and how many each has lost."""
        # imported late, since most programs need no observation
        from boardgames_abalone.observation import OBSERVATION

        return OBSERVATION

    def check_words(self, words: Words) -> None:
        """Reject marbles off the board or on the same cell, and impossible counts of marbles lost.

        A side may have any number of marbles on the board, since layouts differ.
        """
        off_board = (words[0] | words[2]) & ~BOARD_LOW | (words[1] | words[3]) & ~BOARD_HIGH
        if off_board or words[0] & words[2] | words[1] & words[3]:
            raise PositionError(f"marbles are off the board or share a cell: {words.tolist()}")
        black, white = texts.lost(words)
        if words[rules.STATUS] & ~STATUS_BITS or max(black, white) > MARBLES_TO_WIN:
            raise PositionError(f"marbles lost must be 0 to 6, not {black} and {white}")
        if black == white == MARBLES_TO_WIN:
            raise PositionError("both sides have lost 6 marbles, but the match ends when one has")

    def edit_words(self, words: Words, target: str, piece: str | None) -> Words:
        """Return the position with a marble on a cell, or with the cell empty if `piece` is None."""
        cell = CELL_OF_NAME[target]
        black, white = ([other for other in cells if other != cell] for cells in texts.cells_of(words))
        if piece is not None:
            (black, white)[self.edit_pieces.index(piece)].append(cell)
        return texts.pack_marbles(black, white, int(rules.side_to_move(words)), texts.lost(words))

    def turn_words(self, words: Words, side: int) -> Words:
        """Return the position with the given side to move."""
        return texts.pack_marbles(*texts.cells_of(words), side, texts.lost(words))

    def score(self, words: Words) -> tuple[int, int]:
        """Return the marbles that black and white have pushed off the board."""
        black, white = texts.lost(words)
        return white, black

    def symmetries(self) -> tuple[Symmetry, ...]:
        """Return the eleven rotations and reflections of the board, and the swap of sides."""
        of_board = [
            Symmetry(name, partial(_map_words, cells=cells), partial(_map_action, cells=cells))
            for name, cells in SYMMETRIES.items()
            if name
        ]
        identity = SYMMETRIES[""]
        swap_words = partial(_map_words, cells=identity, swaps_sides=True)
        return (*of_board, Symmetry("swap of sides", swap_words, partial(_map_action, cells=identity), True))

    def draw(self, position: Position) -> Picture:
        """Return the board as a picture."""
        return view.draw(position.words, position.actions)


def _read_openings(path: Path) -> tuple[str, ...]:
    """Return the positions in a file, one per line; `#` begins a comment."""
    lines = (line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    return tuple(line for line in lines if line)


def _map_words(words: Words, *, cells: Sequence[int], swaps_sides: bool = False) -> Words:
    """Return the position with the marble of cell k moved to `cells[k]`."""
    black, white = (tuple(cells[cell] for cell in side) for side in texts.cells_of(words))
    side, lost = int(rules.side_to_move(words)), texts.lost(words)
    if swaps_sides:
        black, white, side, lost = white, black, 1 - side, (lost[1], lost[0])
    return texts.pack_marbles(black, white, side, lost)


def _map_action(words: Words, action: int, *, cells: Sequence[int]) -> int:
    return texts.action_from_cells([cells[cell] for cell in texts.action_cells(words, action)])
