"""Picture: what a position looks like, as plain data that knows no rule.

A game's view makes a picture; terminal, SVG, notebook and browser draw it.
Lengths are in units of the distance between two neighbouring cells, x to the
right, y down. Everything that can be clicked has an `id`, unique in the
picture, without spaces.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

Shape = Literal["circle", "square", "hexagon"]
Corner = Literal["top-left", "top-right", "bottom-left", "bottom-right"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A place on the board: its centre, its shape and the id that clicks name.

    `owner` is the side that has closed the cell, where a game has that, or None.
    """

    id: str
    x: float
    y: float
    shape: Shape = "square"
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of one side on a cell; `symbol` is the letter the terminal shows."""

    cell: str
    side: int
    symbol: str


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line, an edge of a cell say: drawn by `side`, or open (None)."""

    id: str
    x1: float
    y1: float
    x2: float
    y2: float
    side: int | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A text beside the board: the name of a row or a column."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Caption:
    """A text in a corner of the drawing; several in one corner stand below each other."""

    corner: Corner
    text: str


_NO_CLICKS: Mapping[str, tuple[tuple[str, ...], ...]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn position.

    Attributes
    ----------
    cells, pieces, lines, labels, captions : tuples
        What is drawn, in this order from the bottom up.
    sides : (str, str)
        Names of the two sides, as captions and screen readers give them.
    colours : (str, str)
        CSS colours of the two sides.
    clicks : mapping of str to tuple of tuple of str
        For every legal move, in canonical notation, the sequences of ids that
        make it; the first one is the one to show. No sequence belongs to two
        moves or begins another one.
    changed : frozenset of str
        Ids of cells and lines that the last move changed.

    Examples
    --------
    >>> picture = Picture(cells=(Cell("a", 0, 0), Cell("b", 1, 0)))
    >>> picture.bounds()
    (-0.5, -0.5, 1.5, 0.5)
    """

    cells: tuple[Cell, ...] = ()
    pieces: tuple[Piece, ...] = ()
    lines: tuple[Line, ...] = ()
    labels: tuple[Label, ...] = ()
    captions: tuple[Caption, ...] = ()
    sides: tuple[str, str] = ("first", "second")
    colours: tuple[str, str] = ("#222222", "#eeeeee")
    clicks: Mapping[str, tuple[tuple[str, ...], ...]] = field(default=_NO_CLICKS)
    changed: frozenset[str] = frozenset()

    def bounds(self) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of everything but the captions."""
        points = [(cell.x + dx, cell.y + dx) for cell in self.cells for dx in (-0.5, 0.5)]
        points += [(label.x + dx, label.y + dx) for label in self.labels for dx in (-0.4, 0.4)]
        points += [(line.x1, line.y1) for line in self.lines]
        points += [(line.x2, line.y2) for line in self.lines]
        if not points:
            return 0.0, 0.0, 1.0, 1.0
        xs, ys = [x for x, _ in points], [y for _, y in points]
        return min(xs), min(ys), max(xs), max(ys)

    def with_captions(self, *captions: Caption) -> "Picture":
        """Return the picture with more captions."""
        return replace(self, captions=self.captions + captions)

    def since(self, previous: "Picture") -> "Picture":
        """Return the picture with what differs from `previous` marked as changed."""
        before = {piece.cell: piece for piece in previous.pieces}
        after = {piece.cell: piece for piece in self.pieces}
        changed = {cell for cell in before.keys() | after.keys() if before.get(cell) != after.get(cell)}
        sides = {line.id: line.side for line in previous.lines}
        changed |= {line.id for line in self.lines if sides.get(line.id) != line.side}
        owners = {cell.id: cell.owner for cell in previous.cells}
        changed |= {cell.id for cell in self.cells if owners.get(cell.id) != cell.owner}
        return replace(self, changed=frozenset(changed))
