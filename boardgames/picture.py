"""Pictures: what positions look like, as plain data.

The view of a game makes a picture; terminal, SVG, notebook and browser draw it
without knowing any rules. The unit of lengths is the distance between
neighbouring cells; x points right and y points down. Everything that can be
clicked has an `id` without spaces that is unique in the picture.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from types import MappingProxyType
from typing import Literal, TypeVar

Shape = Literal["circle", "square", "hexagon", "point"]
PieceShape = Literal["disc", "letter"]
Frame = Literal["none", "board", "panel"]
Flip = Literal["turn", "mirror"]
Direction = Literal["up", "down", "left", "right"]
Corner = Literal["top-left", "top-right", "bottom-left", "bottom-right"]

HALF_CELL = 0.5
HALF_HEXAGON = 0.57735
"""Half the height of a hexagonal cell, which is as wide as any other cell."""
HALF_LABEL = 0.4


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the board: its id, centre and shape.

    A `point` is where printed lines meet; it is drawn as a dot. `owner` is the side
    that owns the cell, or None; in many games cells have no owner.
    """

    id: str
    x: float
    y: float
    shape: Shape = "square"
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of one side on a cell; `symbol` is its letter in a terminal.

    Elsewhere it is drawn as a disc in the colour of the side, or as the letter. For a
    piece in a tray, `cell` is the id of the piece itself.
    """

    cell: str
    side: int
    symbol: str
    shape: PieceShape = "disc"


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line, such as an edge of a cell, that `side` has drawn; if None, nobody has drawn it yet.

    Lines are part of the game; a line that is only printed on the board is a `GridLine`.
    """

    id: str
    x1: float
    y1: float
    x2: float
    y2: float
    side: int | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class GridLine:
    """A straight line printed on the board, such as a line between points of Nine Men's Morris."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a board as `#rrggbb`; an empty string stands for the colour of the theme.

    Attributes
    ----------
    board : str
        The body of the board, or the ground below the cells if there is no frame.
    cell : str
        Empty cells, or the space behind the windows of a panel.
    edge : str
        The edges of the board and of its cells, and printed lines.
    """

    board: str = ""
    cell: str = ""
    edge: str = ""


@dataclass(frozen=True, slots=True)
class Button:
    """A button below the board, such as `Button("pass")`.

    `label` is the text on the button, by default its id.
    """

    id: str
    label: str = ""

    @property
    def text(self) -> str:
        """Return the text on the button."""
        return self.label or self.id


@dataclass(frozen=True, slots=True)
class Label:
    """Text beside the board, such as the name of a row or column."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Caption:
    """Text in a corner of the drawing; several captions in one corner are stacked."""

    corner: Corner
    text: str


@dataclass(frozen=True, slots=True)
class Tray:
    """What one side has beside the board: pieces that lie there, or only a number.

    Attributes
    ----------
    side : int
        The side that owns the tray, which is at its edge of the board.
    label : str
        What is counted, such as `lost` or `cells`; may be empty.
    count : int
        The number that is shown if no pieces are drawn.
    pieces : tuple of Piece
        The pieces that lie in the tray.
    places : int
        How many pieces the tray has room for, if they are drawn.

    Examples
    --------
    >>> Tray(0, "cells", 3).text, Tray(1, "lost", pieces=(Piece("lost-1", 1, "o"),), places=6).text
    ('cells 3', 'lost 1 of 6')
    """

    side: int
    label: str
    count: int = 0
    pieces: tuple[Piece, ...] = ()
    places: int = 0

    @property
    def total(self) -> int:
        """Return the number of pieces, or the count that is shown instead."""
        return len(self.pieces) if self.places or self.pieces else self.count

    @property
    def text(self) -> str:
        """Return what is in the tray, without the name of the side."""
        return f"{self.label} {self.total}".lstrip() + (f" of {self.places}" if self.places else "")


@dataclass(frozen=True, slots=True)
class MarkClass:
    """A class of marked lines or cells in an overlay: its symbol, one character, its name and meaning.

    Examples
    --------
    >>> MarkClass("s", "safe", "offers no cell").text
    's safe: offers no cell'
    """

    symbol: str
    name: str
    summary: str = ""

    @property
    def text(self) -> str:
        """Return the line that explains the class."""
        return f"{self.symbol} {self.name}" + (f": {self.summary}" if self.summary else "")


@dataclass(frozen=True, slots=True)
class Group:
    """A row of adjacent cells that belong together, drawn with an outline.

    Attributes
    ----------
    label : str
        A few characters that are shown in the cells.
    text : str
        What the group is, such as `chain of 4 cells`.
    cells : tuple of str
        The ids of the cells in order.
    is_closed : bool
        True if the last cell is adjacent to the first.
    """

    label: str
    text: str
    cells: tuple[str, ...]
    is_closed: bool = False


def _no_marks() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Overlay:
    """Information that can be drawn over the picture of a position: marks, groups of cells, and remarks.

    Attributes
    ----------
    name, summary : str
        Name of the overlay, and what it shows in one line; `load_overlay` sets them from the hook's entry.
    classes : tuple of MarkClass
        The classes of marks.
    marks : mapping of str to str
        For the id of each marked line or cell, the symbol of its class.
    groups : tuple of Group
        Cells to outline; a cell belongs to at most one group.
    remarks : tuple of str
        Sentences about the position.
    """

    name: str = ""
    summary: str = ""
    classes: tuple[MarkClass, ...] = ()
    marks: Mapping[str, str] = field(default_factory=_no_marks)
    groups: tuple[Group, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def legend(self) -> tuple[str, ...]:
        """Return the lines below the drawing: the summary, the classes and groups shown, and the remarks.

        Examples
        --------
        >>> Overlay("rows", "rows of cells", groups=(Group("a", "row of 2", ("a1", "a2")),)).legend
        ('rows: rows of cells', 'a row of 2')
        """
        used = set(self.marks.values())
        classes = (one.text for one in self.classes if one.symbol in used)
        groups = "; ".join(f"{group.label} {group.text}" for group in self.groups)
        return (f"{self.name}: {self.summary}", *classes, *([groups] if groups else []), *self.remarks)


_OPPOSITE: Mapping[Corner, Corner] = MappingProxyType(
    {
        "top-left": "bottom-left",
        "top-right": "bottom-right",
        "bottom-left": "top-left",
        "bottom-right": "top-right",
    }
)
_AGAINST: Mapping[Direction, Direction] = MappingProxyType(
    {"up": "down", "down": "up", "left": "right", "right": "left"}
)


def _no_clicks() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Picture:
    """What a position looks like.

    Attributes
    ----------
    cells, pieces, lines, labels, captions : tuples
        What to draw, in this order from back to front.
    buttons : tuple of Button
        Buttons that can be clicked now, such as a pass.
    overlays : tuple of Overlay
        What is drawn over the board, with a legend below it; see `with_overlays`.
    sides : (str, str)
        Names of the two sides.
    colours : (str, str)
        CSS colours of the two sides; terminals only support `#rrggbb` and `#rgb`.
    clicks : mapping of str to tuple of tuple of str
        For every legal move, in canonical notation, the sequences of ids to
        click; the first sequence is suggested to people. No sequence belongs to
        two moves or is a prefix of another sequence.
    changed : frozenset of str
        Ids of the cells and lines that the last move changed.
    title : str
        Name of the game, for screen readers.
    frame : {'none', 'board', 'panel'}
        What holds the cells: nothing, a board in which round cells are
        hollows, or a panel with a round window in front of each cell.
    gravity : {'up', 'down', 'left', 'right'}, optional
        Direction in which new pieces fall; they enter at the opposite edge.
    flip : {'turn', 'mirror'}
        How the other player sees the board: turned by 180 degrees, or with
        left and right exchanged, as if from behind.
    palette : Palette
        Colours of the board.
    grid : tuple of GridLine
        Lines printed on the board, behind the cells.
    trays : tuple of Tray
        What the sides have beside the board, such as lost pieces.
    near : int
        The side whose edge of the board is at the bottom.
    winning : frozenset of str
        Ids of the cells, lines or pieces in trays that won the match, such as
        the cells of a line. Empty unless the position is won.

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
    frame: Frame = "none"
    gravity: Direction | None = None
    flip: Flip = "turn"
    palette: Palette = Palette()
    grid: tuple[GridLine, ...] = ()
    trays: tuple[Tray, ...] = ()
    near: int = 0
    winning: frozenset[str] = frozenset()
    buttons: tuple[Button, ...] = ()
    overlays: tuple[Overlay, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of everything that can be clicked: cells, lines and buttons."""
        return tuple(item.id for items in (self.cells, self.lines, self.buttons) for item in items)

    def bounds(self) -> tuple[float, float, float, float]:
        """Return the left, top, right and bottom edge of everything except captions and buttons."""
        points = []
        for cell in self.cells:
            half = HALF_HEXAGON if cell.shape == "hexagon" else HALF_CELL
            points += [(cell.x - HALF_CELL, cell.y - half), (cell.x + HALF_CELL, cell.y + half)]
        for label in self.labels:
            points += [(label.x + half, label.y + half) for half in (-HALF_LABEL, HALF_LABEL)]
        lines: tuple[Line | GridLine, ...] = (*self.lines, *self.grid)
        points += [end for line in lines for end in ((line.x1, line.y1), (line.x2, line.y2))]
        if not points:
            return 0.0, 0.0, 1.0, 1.0
        xs, ys = [x for x, _ in points], [y for _, y in points]
        return min(xs), min(ys), max(xs), max(ys)

    def with_captions(self, *captions: Caption) -> "Picture":
        """Return the picture with these captions added."""
        return replace(self, captions=self.captions + captions)

    def with_overlays(self, *overlays: Overlay) -> "Picture":
        """Return the picture with these overlays added."""
        return replace(self, overlays=self.overlays + overlays)

    @property
    def marks(self) -> Mapping[str, str]:
        """Return the symbols of all overlays on lines and cells, by id."""
        marks: dict[str, str] = {}
        for overlay in self.overlays:
            for name, symbol in overlay.marks.items():
                marks[name] = marks.get(name, "") + symbol
        return marks

    @property
    def group_labels(self) -> Mapping[str, str]:
        """Return the labels of the groups of cells in the overlays, by the id of the cell."""
        groups = [group for overlay in self.overlays for group in overlay.groups]
        return {cell: group.label for group in groups for cell in group.cells}

    @property
    def legend(self) -> tuple[str, ...]:
        """Return the lines that explain the overlays."""
        return tuple(line for overlay in self.overlays for line in overlay.legend)

    def caption_lines(self, end: Literal["top", "bottom"]) -> list[tuple[str, str]]:
        """Return the captions at the top or bottom as pairs (left, right), one per line; trays come first.

        Examples
        --------
        >>> captions = Caption("top-left", "Ann"), Caption("top-right", "0:30"), Caption("top-left", "2")
        >>> Picture(captions=captions).caption_lines("top")
        [('Ann', '0:30'), ('2', '')]
        """
        left = [f"{self.sides[tray.side]} {tray.text}" for tray in self.trays_at(end)]
        left += [caption.text for caption in self.captions if caption.corner == f"{end}-left"]
        right = [caption.text for caption in self.captions if caption.corner == f"{end}-right"]
        return list(zip_longest(left, right, fillvalue=""))

    def trays_at(self, end: Literal["top", "bottom"]) -> list[Tray]:
        """Return the trays at the top or bottom."""
        return [tray for tray in self.trays if (tray.side == self.near) == (end == "bottom")]

    def since(self, previous: "Picture") -> "Picture":
        """Return the picture with the differences from `previous` marked as changed."""
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

        A board that is turned by 180 degrees has its top and bottom captions
        swapped. Ids and clicks do not change.

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
        is_turned = self.flip == "turn"

        def turned(x: float, y: float) -> tuple[float, float]:
            # rounded, so that cells of one row or column still have equal coordinates
            return round(across - x, 6), round(down - y if is_turned else y, 6)

        gravity = self.gravity
        if gravity is not None and (is_turned or gravity in ("left", "right")):
            gravity = _AGAINST[gravity]
        return replace(
            self,
            cells=tuple(_moved(cell, turned(cell.x, cell.y)) for cell in self.cells),
            labels=tuple(_moved(label, turned(label.x, label.y)) for label in self.labels),
            lines=tuple(_drawn_between(line, turned) for line in self.lines),
            grid=tuple(_drawn_between(line, turned) for line in self.grid),
            captions=tuple(
                replace(caption, corner=_OPPOSITE[caption.corner]) if is_turned else caption
                for caption in self.captions
            ),
            gravity=gravity,
            near=1 - self.near if is_turned else self.near,
        )

    def describe(self) -> str:
        """Return a description in words, for screen readers.

        Examples
        --------
        >>> cells = (Cell("a1", 0, 0), Cell("a2", 1, 0))
        >>> Picture(cells, pieces=(Piece("a2", 0, "x"),), title="Line").describe()
        'Line. first: 1 on a2. second: 0.'
        """
        parts = [self.title or "Board", *(caption.text for caption in self.captions)]
        parts += [f"{self.sides[tray.side]} {tray.text}" for tray in self.trays]
        for side, name in enumerate(self.sides):
            places = [piece.cell for piece in self.pieces if piece.side == side]
            places += [cell.id for cell in self.cells if cell.owner == side]
            drawn = sum(line.side == side for line in self.lines)
            lines = f", {drawn} lines" if self.lines else ""
            parts.append(f"{name}: {len(places)}{' on ' + ' '.join(places) if places else ''}{lines}")
        if self.buttons:
            parts.append("Buttons: " + ", ".join(button.text for button in self.buttons))
        if self.changed:
            parts.append("Last changed: " + " ".join(sorted(self.changed)))
        if self.winning:
            parts.append("Won by: " + " ".join(sorted(self.winning)))
        for overlay in self.overlays:
            parts += _described(overlay)
        return ". ".join(parts) + "."


def _described(overlay: Overlay) -> list[str]:
    """Return an overlay in words: the ids of each class and group, and the remarks without full stops."""
    parts = [f"{overlay.name}: {overlay.summary}"]
    for one in overlay.classes:
        ids = [name for name, symbol in overlay.marks.items() if symbol == one.symbol]
        if ids:
            parts.append(f"{one.name}: {' '.join(ids)}")
    parts += [f"{group.label} {group.text}: {' '.join(group.cells)}" for group in overlay.groups]
    return parts + [remark.removesuffix(".") for remark in overlay.remarks]


_Placed = TypeVar("_Placed", Cell, Label)
_Straight = TypeVar("_Straight", Line, GridLine)


def _moved(placed: _Placed, place: tuple[float, float]) -> _Placed:
    return replace(placed, x=place[0], y=place[1])


def _drawn_between(line: _Straight, turned: Callable[[float, float], tuple[float, float]]) -> _Straight:
    (x1, y1), (x2, y2) = sorted((turned(line.x1, line.y1), turned(line.x2, line.y2)))
    return replace(line, x1=x1, y1=y1, x2=x2, y2=y2)
