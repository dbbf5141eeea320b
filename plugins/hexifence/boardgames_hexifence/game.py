"""Hexifence as a `Game`: its facts, option and kernels, its notation, and checks of positions."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import perm
from typing import TYPE_CHECKING

from boardgames.declarations import Facts, Kernels, Symmetry
from boardgames.errors import IllegalMoveError, PositionError, quote
from boardgames.game import Game, Position
from boardgames.kernels import Words
from boardgames.options import Option, OptionValue
from boardgames.picture import Picture
from boardgames_hexifence import notation as texts
from boardgames_hexifence import rules, view
from boardgames_hexifence.board import (
    CELL_WORDS,
    EDGE_WORDS,
    MAX_DIMENSION,
    MIN_DIMENSION,
    SIDES_OF_CELL,
    board,
    edges_of,
    symmetries,
)
from boardgames_hexifence.evaluation import margin_evaluation, move_order
from boardgames_hexifence.lessons import LESSONS

if TYPE_CHECKING:
    from boardgames.observation import Observation

RULES = (
    "The sides take turns to draw an edge of a hexagon, blue first. Whoever draws the last open edge of a "
    "hexagon, or of two at once, owns them and moves again. When all edges are drawn, the side with more "
    "hexagons wins."
)
MAX_SOLVED_DIMENSION = 5
"""Largest dimension at which the solver accepts every position."""
PERFT_LEAVES = 1_000_000
"""Maximum leaf count that is declared; checks count all declared leaves."""


TRAINING = {
    "features": "control",
    "gamma": 1.0,
    "lambda": 0.8,
    "alpha": 0.02,
    "alpha_decay": 0.9,
    "epsilon": 0.2,
    "epsilon_decay": 0.9,
    "epsilon_floor": 0.05,
    "steps": 15,
    "matches": 80,
    "test_matches": 60,
}
"""Settings with which the weights `td` were learned."""


class Hexifence(Game):
    """Hexifence on a hexagon with 2 to 8 cells per side."""

    edit_pieces = view.SIDES
    lessons = LESSONS
    declared_options = (
        Option(
            "dimension", int, 3, "cells per side of the board", minimum=MIN_DIMENSION, maximum=MAX_DIMENSION
        ),
    )

    def prepare(self) -> None:
        """Set facts and kernels for the dimension."""
        self.dimension = int(self.options["dimension"] or 0)
        start = texts.start_text(self.dimension)
        edges = edges_of(self.dimension)
        self.facts = Facts(
            name="hexifence",
            title="Hexifence",
            rules=RULES,
            move_help="Type the number of the edge, which the board shows, such as 24.",
            sides=view.SIDES,
            words=1 + 2 * int(EDGE_WORDS[self.dimension] + CELL_WORDS[self.dimension]),
            actions=edges,
            longest_match=edges,
            alternates=False,
            score_name="cells closed",
            no_progress="no cell was closed",
            default_features="control",
            presets={"default": {"td": TRAINING}},
            default_agent="strong",
            solver="strong",
            baseline="double",
            layouts={"empty": start},
            move_notations=texts.MOVE_NOTATIONS,
            position_notations=texts.POSITION_NOTATIONS,
            perft={start: _perft(edges)},
        )
        self.kernels = Kernels(
            legal_moves=rules.legal_moves,
            apply=rules.apply,
            side_to_move=rules.side_to_move,
            outcome=rules.outcome,
            move_order=move_order,
        )
        self.evaluation = margin_evaluation(self.dimension)

    @classmethod
    def options_for_position(cls, text: str) -> Mapping[str, OptionValue]:
        """Return the dimension that the text of a position implies."""
        return texts.options_for_position(text)

    def parse_words(self, text: str, notation: str | None = None) -> Words:
        """Return the packed position that a text or a printed board describes."""
        return texts.parse_words(text, self.dimension, notation)

    def format_words(self, words: Words, notation: str | None = None) -> str:
        """Return the text of a packed position, the printed board or a board file."""
        if notation == texts.BOARD_FILE:
            return texts.format_board_file(words)
        return texts.format_grid(words) if notation == texts.GRID else texts.format_words(words)

    def parse_action(self, position: Position, text: str, notation: str | None = None) -> int:
        """Return the open edge of a move text."""
        edge = texts.parse_edge(text, self.dimension, notation)
        if edge not in position.actions:
            raise IllegalMoveError(f"illegal move {quote(text)}")
        return edge

    def format_action(self, words: Words, action: int, notation: str | None = None) -> str:
        """Return the number of the edge as text, or its place on the printed board."""
        return texts.format_edge(action, self.dimension, notation)

    def observation(self) -> "Observation":
        """Return the observation: the drawn edges, the cells of both sides, and the lead."""
        # imported late, since most programs need no observation
        from boardgames_hexifence.observation import observation

        return observation(self.dimension)

    def split_moves(self, text: str, notation: str | None = None) -> list[str]:
        """Return the texts of the moves in a line: numbers of edges, or places such as `3,0` or `(3, 0)`."""
        return texts.split_moves(text, notation)

    def explain_illegal_move(self, position: Position, text: str, notation: str | None = None) -> str:
        """Return why a move is illegal: which side has already drawn the edge."""
        edges, _ = texts.unpack_sides(position.words)
        edge = texts.parse_edge(text, self.dimension, notation)
        return f"{self.facts.sides[edges[edge]]} has already drawn edge {edge}"

    def check_words(self, words: Words) -> None:
        """Reject edges or cells that belong to both sides, and owners or counts that do not match the edges.

        The sides that drew the edges are not checked, so that positions can be set up freely.
        """
        status, dimension = int(words[rules.STATUS]), self.dimension
        if status >> rules.DIMENSION_SHIFT != dimension:
            raise PositionError(
                f"the position has dimension {status >> rules.DIMENSION_SHIFT}, but the game has {dimension}"
            )
        if status & 0xFE or texts.has_unused_bits(words, dimension):
            raise PositionError(f"unused bits are set: {words.tolist()}")
        self._check_edges(words)
        _, cells = texts.unpack_sides(words)
        for side in (0, 1):
            count, owned = int(rules.closed_cells(words, side)), cells.count(side)
            if count != owned:
                raise PositionError(
                    f"the cell count of {self.facts.sides[side]} is {count}, but {owned} cells are marked"
                )

    def edit_words(self, words: Words, target: str, piece: str | None) -> Words:
        """Return the position with an edge drawn by a side or open again, or a closed cell with a new owner.

        A cell that the edge closes gets the side that draws the edge as its owner.
        """
        drawn, owned = (list(owners) for owners in texts.unpack_sides(words))
        side, number = -1 if piece is None else self.edit_pieces.index(piece), int(target[1:])
        cells = board(self.dimension).edges_of_cell
        if target.startswith("c"):
            if owned[number] < 0 or side < 0:
                raise PositionError("a cell has an owner if and only if all six of its edges are drawn")
            owned[number] = side
        else:
            drawn[number] = side
            for cell, around in enumerate(cells):
                is_closed = all(drawn[edge] >= 0 for edge in around)
                if number in around:
                    owned[cell] = side if is_closed else -1
        return texts.pack_sides(self.dimension, drawn, owned, int(rules.side_to_move(words)))

    def turn_words(self, words: Words, side: int) -> Words:
        """Return the position with the given side to move."""
        return texts.pack_sides(self.dimension, *texts.unpack_sides(words), side)

    def score(self, words: Words) -> tuple[int, int]:
        """Return the cells that blue and red have closed."""
        return int(rules.closed_cells(words, 0)), int(rules.closed_cells(words, 1))

    def draw(self, position: Position) -> Picture:
        """Return the board as a picture."""
        return view.draw(position.words)

    def symmetries(self) -> tuple[Symmetry, ...]:
        """Return the eleven rotations and reflections of the board, and the swap of sides."""
        edge_maps, cell_maps = (table.tolist() for table in symmetries(self.dimension))
        names = [f"rotation by {60 * turns} degrees" for turns in range(6)]
        names += ["reflection", *(f"reflection and {name}" for name in names[1:])]
        maps = list(zip(names, edge_maps, cell_maps, strict=True))
        of_board = [
            Symmetry(name, partial(_map_words, edges=edges, cells=cells), partial(_map_action, edges=edges))
            for name, edges, cells in maps[1:]
        ]
        _, edges, cells = maps[0]
        swap_words = partial(_map_words, edges=edges, cells=cells, swaps_sides=True)
        return (*of_board, Symmetry("swap of sides", swap_words, partial(_map_action, edges=edges), True))

    def _check_edges(self, words: Words) -> None:
        """Reject edges or cells of both sides, open cells with an owner, and closed cells without one."""
        if texts.has_shared_bits(words, self.dimension):
            raise PositionError(f"an edge or a cell belongs to both sides: {words.tolist()}")
        edges, cells = texts.unpack_sides(words)
        for cell, around in enumerate(board(self.dimension).edges_of_cell):
            drawn = sum(edges[edge] >= 0 for edge in around)
            if (drawn == SIDES_OF_CELL) != (cells[cell] >= 0):
                owner = texts.SIDES[cells[cell]] if cells[cell] >= 0 else texts.EMPTY
                raise PositionError(
                    "a cell has an owner if and only if all six of its edges are drawn, "
                    f"but cell {cell} has {drawn} drawn edges and the owner {owner!r}"
                )


def lead_of(position: Position) -> int:
    """Return the cells of the side to move minus those of its opponent."""
    own, other = position.score
    return own - other if position.side_to_move == 0 else other - own


def _map_words(
    words: Words, *, edges: Sequence[int], cells: Sequence[int], swaps_sides: bool = False
) -> Words:
    """Return the position with edge k moved to `edges[k]` and cell k to `cells[k]`."""
    sides = (1, 0, -1) if swaps_sides else (0, 1, -1)  # the last entry maps -1, no side, to itself
    drawn, owned = [-1] * len(edges), [-1] * len(cells)
    for images, owners, target in zip((edges, cells), texts.unpack_sides(words), (drawn, owned), strict=True):
        for image, owner in zip(images, owners, strict=True):
            target[image] = sides[owner]
    dimension, side = int(rules.dimension_of(words)), int(rules.side_to_move(words))
    return texts.pack_sides(dimension, drawn, owned, sides[side])


def _map_action(words: Words, action: int, *, edges: Sequence[int]) -> int:
    return edges[action]


def _perft(edges: int) -> tuple[int, ...]:
    """Return the leaf counts of depths 1 to 4: any sequence of different edges is a line of play."""
    return tuple(perm(edges, depth) for depth in range(1, 5) if perm(edges, depth) <= PERFT_LEAVES)
