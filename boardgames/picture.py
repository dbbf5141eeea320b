"""Picture: what a position looks like, as plain data that knows no rule.

A game's view makes a picture; terminal, SVG, notebook and browser draw it.
Lengths are in units of the distance between two neighbouring cells, x to the
right, y down. Everything that can be clicked has an `id`, unique in the
picture, without spaces.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeVar

Shape = Literal["circle", "square", "hexagon"]
PieceShape = Literal["disc", "letter"]
Surface = Literal["paper", "wood", "front"]
Corner = Literal["top-left", "top-right", "bottom-left", "bottom-right"]

CELL_REACH = 0.5
HEXAGON_REACH = 0.57735
LABEL_REACH = 0.4


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
    """A piece of one side on a cell; `symbol` is the letter the terminal shows.

    It is drawn as a disc in the side's colour, or as the letter itself.
    """

    cell: str
    side: int
    symbol: str
    shape: PieceShape = "disc"


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


_OPPOSITE: Mapping[Corner, Corner] = MappingProxyType(
    {
        "top-left": "bottom-left",
        "top-right": "bottom-right",
        "bottom-left": "top-left",
        "bottom-right": "top-right",
    }
)


def _no_clicks() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    return MappingProxyType({})


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
        CSS colours of the two sides; `#rrggbb` is one that terminals know too.
    clicks : mapping of str to tuple of tuple of str
        For every legal move, in canonical notation, the sequences of ids that
        make it; the first one is the one to show. No sequence belongs to two
        moves or begins another one.
    changed : frozenset of str
        Ids of cells and lines that the last move changed.
    title : str
        What is shown, `Abalone`, for screen readers.
    surface : {'paper', 'wood', 'front'}
        What the board is made of: cells drawn on paper, hollows in wood, or
        an upright front with round windows, behind which pieces fall.

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
    clicks: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=_no_clicks)
    changed: frozenset[str] = frozenset()
    title: str = ""
    surface: Surface = "paper"

    def bounds(self) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of everything but the captions."""
        points = []
        for cell in self.cells:
            reach = HEXAGON_REACH if cell.shape == "hexagon" else CELL_REACH
            points += [(cell.x - CELL_REACH, cell.y - reach), (cell.x + CELL_REACH, cell.y + reach)]
        for label in self.labels:
            points += [(label.x + reach, label.y + reach) for reach in (-LABEL_REACH, LABEL_REACH)]
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

    def flipped(self) -> "Picture":
        """Return the picture as the other player sees it.

        A board on the table is turned by half a turn, and the captions of the
        near and the far side change places; an upright front is seen from
        behind, with left and right exchanged. Clicks stay, since ids do.

        Examples
        --------
        >>> Picture(cells=(Cell("a", 0, 0), Cell("b", 1.5, 3.5))).flipped().cells[1]
        Cell(id='b', x=0.0, y=0.0, shape='square', owner=None)
        """
        if not self.cells and not self.lines:
            return self
        xs = [cell.x for cell in self.cells] + [x for line in self.lines for x in (line.x1, line.x2)]
        ys = [cell.y for cell in self.cells] + [y for line in self.lines for y in (line.y1, line.y2)]
        across, down = min(xs) + max(xs), min(ys) + max(ys)
        is_turned = self.surface != "front"

        def turn(x: float, y: float) -> tuple[float, float]:
            # rounding keeps the coordinates that neighbours share equal
            return round(across - x, 6), round(down - y if is_turned else y, 6)

        return replace(
            self,
            cells=tuple(_moved(cell, turn(cell.x, cell.y)) for cell in self.cells),
            labels=tuple(_moved(label, turn(label.x, label.y)) for label in self.labels),
            lines=tuple(
                _drawn_between(line, turn(line.x1, line.y1), turn(line.x2, line.y2)) for line in self.lines
            ),
            captions=tuple(
                replace(caption, corner=_OPPOSITE[caption.corner]) if is_turned else caption
                for caption in self.captions
            ),
        )

    def describe(self) -> str:
        """Return the picture in words, for screen readers.

        Examples
        --------
        >>> cells = (Cell("a1", 0, 0), Cell("a2", 1, 0))
        >>> Picture(cells, pieces=(Piece("a2", 0, "x"),), title="Line").describe()
        'Line. first: 1 on a2. second: 0.'
        """
        parts = [self.title or "Board", *(caption.text for caption in self.captions)]
        for side, name in enumerate(self.sides):
            places = [piece.cell for piece in self.pieces if piece.side == side]
            places += [cell.id for cell in self.cells if cell.owner == side]
            drawn = sum(line.side == side for line in self.lines)
            lines = f", {drawn} lines" if self.lines else ""
            parts.append(f"{name}: {len(places)}{' on ' + ' '.join(places) if places else ''}{lines}")
        if self.changed:
            parts.append("Last changed: " + " ".join(sorted(self.changed)))
        return ". ".join(parts) + "."


_Placed = TypeVar("_Placed", Cell, Label)


def _moved(placed: _Placed, place: tuple[float, float]) -> _Placed:
    return replace(placed, x=place[0], y=place[1])


def _drawn_between(line: Line, *ends: tuple[float, float]) -> Line:
    (x1, y1), (x2, y2) = sorted(ends)
    return replace(line, x1=x1, y1=y1, x2=x2, y2=y2)
