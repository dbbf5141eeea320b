"""A `Picture` as lines of text for a terminal, plain or coloured.

Neighbouring cells are a fixed number of text columns apart, and alternate rows
of a hexagonal board are shifted by half of this distance. A board with lines
(edges of cells) has a text row between adjacent rows of cells. An open line shows
its label, and a drawn line shows the letter of its side. Hexagons whose sides are
lines have dotted outlines, in which drawn lines are solid. If this drawing would
be too high, they are drawn like other cells with lines.

Changes by the last move are marked even without colour: pieces switch between
lower and upper case, cells that became empty show a `*`, owners are put in
brackets, and lines consist of `#` and the letter. Pieces that have won the match
are in brackets too. Printed lines are drawn where there is room between the cells.

Overlays add the symbol of a mark to the labels of open lines and to pieces; empty
cells show the symbol or the label of their group. The legend is below the board.
"""

import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from boardgames.picture import HALF_CELL, Cell, GridLine, Line, Picture, Piece

if TYPE_CHECKING:
    from rich.style import Style
    from rich.text import Text

Role = Literal[
    "cell",
    "piece",
    "owner",
    "line",
    "open",
    "corner",
    "grid",
    "label",
    "button",
    "caption",
    "legend",
    "blank",
]

CELL, EMPTIED, CHANGED_LINE, CORNER = ".", "*", "#", "."
CAPTION_GAP = 3
LEGEND_WIDTH = 78

TOUCH = 0.1
"""Maximum distance from the centre of a cell at which a line counts as touching the centre."""
NEAR = 0.01
"""Maximum difference between coordinates that count as equal."""
SHORTEST_SLOT = 3
"""Minimum number of columns between the ends of a hexagon's slanted side; makes it about as wide as high."""

_BOARD_ROLES = ("cell", "piece", "owner", "line", "open", "corner", "grid")


class _Ink(NamedTuple):
    """What a character represents; this determines its colour."""

    role: Role
    side: int | None = None
    is_changed: bool = False
    is_on_board: bool = False


_BLANK = _Ink("blank")


class _Char(NamedTuple):
    text: str
    ink: _Ink


@dataclass(frozen=True, slots=True)
class _Scale:
    """Conversion of coordinates to text columns and rows."""

    left: float
    top: float
    columns: int
    row: float
    rows: int

    def column(self, x: float) -> float:
        return (x - self.left) * self.columns

    def line(self, y: float) -> int:
        return math.floor((y - self.top) / self.row * self.rows + 0.5)


@dataclass(frozen=True, slots=True)
class _Honeycomb:
    """Conversion of coordinates for hexagons with a corner at the top, whose sides are lines.

    Attributes
    ----------
    left : float
        The x coordinate of the first column.
    columns : int
        Number of text columns from one cell to the next.
    levels : tuple of float
        The y coordinates of the corners, from the top. Between two levels, all sides are slanted or all are
        vertical.
    rows : tuple of int
        The first text row below each level; a slanted side takes two rows, a vertical side takes one.
    """

    left: float
    columns: int
    levels: tuple[float, ...]
    rows: tuple[int, ...]

    def column(self, x: float) -> float:
        return (x - self.left) * self.columns

    def line(self, y: float) -> int:
        """Return the text row of a cell or label."""
        level = max((index for index, other in enumerate(self.levels) if other <= y), default=0)
        return self.rows[level]

    def level(self, y: float) -> int:
        """Return the index of the level with this y coordinate."""
        return next(index for index, other in enumerate(self.levels) if abs(y - other) < NEAR)

    def corner_row(self, y: float) -> int:
        """Return the text row of the corners with this y coordinate, where slanted sides begin or end."""
        level = self.level(y)
        is_above = level + 1 < len(self.rows) and self.rows[level + 1] - self.rows[level] == 2
        return self.rows[level] if is_above else self.rows[level] - 1


def plain_text(
    picture: Picture, *, flipped: bool = False, legend_width: int = LEGEND_WIDTH, height: int | None = None
) -> str:
    """Return the picture as lines of text without colour.

    Parameters
    ----------
    picture : Picture
        What to draw. Everything except its symbols and captions is drawn in ASCII.
    flipped : bool
        Show the board from the other side.
    legend_width : int
        Number of columns to which the legend is wrapped.
    height : int, optional
        The available number of lines, not counting the legend. A drawing that would be higher is made
        lower if possible.

    Examples
    --------
    >>> from boardgames.picture import Cell, Piece
    >>> cells = tuple(Cell(f"c{x}", float(x), 0.0) for x in range(4))
    >>> print(plain_text(Picture(cells, (Piece("c1", 0, "x"),), changed=frozenset(["c1", "c2"]))))
    . X * .
    """
    lines = _lines(picture.flipped() if flipped else picture, legend_width, height)
    return "\n".join("".join(char.text for char in line).rstrip() for line in lines)


def printable(text: str) -> str:
    r"""Replace characters that could move the cursor or otherwise control the terminal by `?`.

    Examples
    --------
    >>> printable("Ann\x1b[2J")
    'Ann?[2J'
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "?" for char in text)


def styled_text(
    picture: Picture, *, flipped: bool = False, legend_width: int = LEGEND_WIDTH, height: int | None = None
) -> "Text":
    """Return the picture as `rich` text: as in `plain_text`, but in colour and with a background."""
    from rich.text import Text

    text = Text()
    for number, line in enumerate(_lines(picture.flipped() if flipped else picture, legend_width, height)):
        text.append("\n" if number else "")
        for ink, chars in groupby(line, key=lambda char: char.ink):
            text.append("".join(char.text for char in chars), style=_style(ink, picture))
    return text


def _lines(picture: Picture, legend_width: int, height: int | None) -> list[list[_Char]]:
    """Return the lines of the drawing, if possible at most `height`, followed by the legend."""
    board = _board(picture)
    lines = _drawing(picture, board, gap=1)
    if height is not None and len(lines) > height:
        lines = _drawing(picture, board, gap=0)
    if height is not None and len(lines) > height:
        lines = _drawing(picture, _board(picture, is_low=True), gap=1)
    if height is not None and len(lines) > height:
        lines = _drawing(picture, _board(picture, is_low=True), gap=0)
    legend = [part for line in picture.legend for part in textwrap.wrap(printable(line), legend_width)]
    return lines + [[]] * bool(legend) + [[_Char(char, _Ink("legend")) for char in line] for line in legend]


def _drawing(picture: Picture, board: list[list[_Char]], *, gap: int) -> list[list[_Char]]:
    """Return captions, board, buttons and captions, with `gap` empty lines above and below the board."""
    above, below = _captions(picture, "top"), _captions(picture, "bottom")
    across = max((len(line) for line in board), default=0)
    width = max([across, *(len(left) + CAPTION_GAP + len(right) for left, right in above + below if right)])
    margin = [_Char(" ", _BLANK)] * ((width - across) // 2)
    lines = [_caption_line(pair, width) for pair in above]
    lines += [[]] * (gap if above and board else 0) + [margin + line if line else [] for line in board]
    if picture.buttons:
        text = printable("  ".join(f"[{button.text}]" for button in picture.buttons))
        lines += [[], [_Char(char, _Ink("button")) for char in text.center(width).rstrip()]]
    return lines + [[]] * (gap if below and board else 0) + [_caption_line(pair, width) for pair in below]


def _captions(picture: Picture, end: Literal["top", "bottom"]) -> list[tuple[str, str]]:
    """Return the lines of captions at the top or bottom, with only printable characters."""
    return [(printable(left), printable(right)) for left, right in picture.caption_lines(end)]


def _caption_line(pair: tuple[str, str], width: int) -> list[_Char]:
    left, right = pair
    text = left + right.rjust(width - len(left)) if right else left
    return [_Char(char, _Ink("caption")) for char in text]


def _board(picture: Picture, *, is_low: bool = False) -> list[list[_Char]]:
    """Return the lines of the board: cells, pieces, lines and labels."""
    placed: dict[tuple[int, int], _Char] = {}
    for line, start, text, ink in _texts(picture, is_low=is_low):
        for offset, char in enumerate(printable(text)):
            placed[line, start + offset] = _Char(char, ink)
    if not placed:
        return []
    rim = 0 if picture.frame == "none" else 1
    first = min(column - rim * (char.ink.role in _BOARD_ROLES) for (_, column), char in placed.items())
    lines = range(min(line for line, _ in placed), max(line for line, _ in placed) + 1)
    return [_row(placed, line, first=first, rim=rim) for line in lines]


def _row(placed: Mapping[tuple[int, int], _Char], line: int, *, first: int, rim: int) -> list[_Char]:
    """Return one line, from column `first` on; the board extends by `rim` columns on both sides."""
    chars = {column: char for (other, column), char in placed.items() if other == line}
    ends = [column for column, char in chars.items() if char.ink.role in _BOARD_ROLES]
    board = range(min(ends) - rim, max(ends) + rim + 1) if ends else range(0)
    row = []
    for column in range(first, max([*chars, *board], default=first - 1) + 1):
        char = chars.get(column, _Char(" ", _BLANK))
        row.append(char._replace(ink=char.ink._replace(is_on_board=column in board)))
    return row


def _texts(picture: Picture, *, is_low: bool) -> Iterator[tuple[int, int, str, _Ink]]:
    """Yield the text row, first column, text and ink of everything on and beside the board."""
    picture, over = _with_marked_lines(picture), _texts_over_cells(picture)
    longest_over = max(map(len, over.values()), default=0)
    honeycomb, plain = None if is_low else _honeycomb(picture, longest_over), _scale(picture, longest_over)
    scale = honeycomb or plain
    for grid_line in picture.grid:
        yield from _grid_texts(grid_line, scale)
    for line in picture.lines:
        ink = _Ink("open" if line.side is None else "line", line.side, line.id in picture.changed)
        if honeycomb is None:
            yield *_line_text(line, plain, picture), ink
            continue
        yield from ((*placed, ink) for placed in _side_texts(line, honeycomb, picture))
        for x, y in ((line.x1, line.y1), (line.x2, line.y2)):
            yield honeycomb.corner_row(y), round(honeycomb.column(x)), CORNER, _Ink("corner")
    # after the lines, so that lines never hide a cell
    pieces = {piece.cell: piece for piece in picture.pieces}
    for cell in picture.cells:
        text, ink = _cell_text(cell, pieces.get(cell.id), picture)
        is_empty = ink.role == "cell" and not ink.is_changed
        text = over[cell.id] if is_empty and cell.id in over else text + over.get(cell.id, "")
        if text.strip():
            yield scale.line(cell.y), _start(scale.column(cell.x), text), text, ink
    for label in picture.labels:
        yield scale.line(label.y), _start(scale.column(label.x), label.text), label.text, _Ink("label")


def _with_marked_lines(picture: Picture) -> Picture:
    """Return the picture with the symbols of overlays appended to the labels of open lines."""
    marks = picture.marks
    lines = (
        replace(line, label=line.label + marks.get(line.id, "")) if line.side is None else line
        for line in picture.lines
    )
    return replace(picture, lines=tuple(lines))


def _texts_over_cells(picture: Picture) -> dict[str, str]:
    """Return the symbols and labels of overlays on cells, by the id of the cell."""
    labels, marks = picture.group_labels, picture.marks
    texts = {cell.id: marks.get(cell.id, "") + labels.get(cell.id, "") for cell in picture.cells}
    return {cell: text for cell, text in texts.items() if text}


def _cell_text(cell: Cell, piece: Piece | None, picture: Picture) -> tuple[str, _Ink]:
    """Return the text of a cell: its piece, the letter of its owner, or the character for an empty cell."""
    is_changed, is_winning = cell.id in picture.changed, cell.id in picture.winning
    if piece is not None:
        text = piece.symbol.swapcase() if is_changed else piece.symbol
        return f"[{text}]" if is_winning else text, _Ink("piece", piece.side, is_changed)
    if cell.owner is not None:
        letter = picture.sides[cell.owner][:1].upper()
        is_bracketed = is_changed or is_winning
        return f"[{letter}]" if is_bracketed else letter, _Ink("owner", cell.owner, is_changed)
    # an empty cell that is surrounded by edges needs no character
    lines: tuple[Line | GridLine, ...] = (*picture.lines, *picture.grid)
    is_outlined = picture.lines and not any(_touches(line, cell) for line in lines)
    empty = " " if is_outlined else CELL
    return EMPTIED if is_changed else empty, _Ink("cell", None, is_changed)


def _touches(line: Line | GridLine, cell: Cell) -> bool:
    """Return True if a line leads to the centre of a cell, or through it."""
    if not (
        min(line.x1, line.x2) - TOUCH <= cell.x <= max(line.x1, line.x2) + TOUCH
        and min(line.y1, line.y2) - TOUCH <= cell.y <= max(line.y1, line.y2) + TOUCH
    ):
        return False
    across, down = line.x2 - line.x1, line.y2 - line.y1
    x, y = cell.x - line.x1, cell.y - line.y1
    share = (x * across + y * down) / ((across**2 + down**2) or 1)
    share = min(1, max(0, share))
    return math.hypot(x - share * across, y - share * down) < TOUCH


def _grid_texts(line: GridLine, scale: _Scale | _Honeycomb) -> Iterator[tuple[int, int, str, _Ink]]:
    """Yield the strokes of a printed line, one for each column or row between its ends."""
    (x1, y1), (x2, y2) = sorted(((line.x1, line.y1), (line.x2, line.y2)))
    columns = [math.floor(scale.column(x) + 0.5) for x in (x1, x2)]
    rows = [scale.line(y) for y in (y1, y2)]
    ink = _Ink("grid")
    if rows[0] == rows[1]:
        if columns[1] - columns[0] > 1:
            yield rows[0], columns[0] + 1, "-" * (columns[1] - columns[0] - 1), ink
        return
    stroke = "|" if columns[0] == columns[1] else "\\" if rows[0] < rows[1] else "/"
    step = 1 if rows[0] < rows[1] else -1
    for row in range(rows[0] + step, rows[1], step):
        share = (row - rows[0]) / (rows[1] - rows[0])
        yield row, math.floor(columns[0] + share * (columns[1] - columns[0]) + 0.5), stroke, ink


def _honeycomb(picture: Picture, longest_over: int) -> _Honeycomb | None:
    """Return the scale of a board of hexagons whose sides are lines; None for any other board."""
    ends = [(x, y) for line in picture.lines for x, y in ((line.x1, line.y1), (line.x2, line.y2))]
    heights = sorted({round(y, 3) for _, y in ends})
    kinds: dict[int, set[bool]] = {}  # whether the lines that begin at each level are slanted
    for line in picture.lines:
        levels = [heights.index(round(y, 3)) for y in sorted((line.y1, line.y2))]
        across = abs(line.x2 - line.x1)
        if levels[1] != levels[0] + 1 or min(across, abs(across - HALF_CELL)) > NEAR:
            return None
        kinds.setdefault(levels[0], set()).add(across > NEAR)
    is_slanted = [kind for level in sorted(kinds) for kind in kinds[level]]
    alternates = all(kind != below for kind, below in pairwise(is_slanted))
    if not any(is_slanted) or not alternates or len(is_slanted) != len(heights) - 1:
        return None
    if any(_touches(line, cell) for line in picture.lines for cell in picture.cells):
        return None
    rows = tuple(accumulate((2 if kind else 1 for kind in is_slanted), initial=0))
    columns = 2 * (max(SHORTEST_SLOT, _slot(picture.lines), longest_over) + 1)
    return _Honeycomb(min(x for x, _ in ends), columns, tuple(heights), rows)


def _scale(picture: Picture, longest_over: int) -> _Scale:
    rows = sorted({round(cell.y, 3) for cell in picture.cells})
    steps = [lower - upper for upper, lower in pairwise(rows)]
    left = min((cell.x for cell in picture.cells), default=0.0)
    top, row = min(rows, default=0.0), min(steps, default=1.0)
    if picture.lines:
        return _Scale(left, top, 2 * (max(_slot(picture.lines), longest_over) + 1), row, 2)
    texts = [label.text for label in picture.labels] + [
        f"[{piece.symbol}]" if piece.cell in picture.winning else piece.symbol for piece in picture.pieces
    ]
    longest = max(max(map(len, texts), default=1), longest_over and longest_over + 1)
    return _Scale(left, top, 2 * ((longest + 2) // 2), row, 1)


def _slot(lines: Sequence[Line]) -> int:
    """Return the number of columns that a slanted line or the longest label needs."""
    return max([2, *(len(line.label) for line in lines)])


def _side_texts(line: Line, honeycomb: _Honeycomb, picture: Picture) -> Iterator[tuple[int, int, str]]:
    """Yield the text rows, first columns and texts of a side of a hexagon.

    A drawn side has strokes from corner to corner and the letter of the side that drew it. An open side has
    its label and, if it is slanted, dots.
    """
    (x1, y1), (x2, y2) = sorted(((line.x1, line.y1), (line.x2, line.y2)))
    row = honeycomb.rows[honeycomb.level(min(y1, y2))]
    left, right = round(honeycomb.column(x1)), round(honeycomb.column(x2))
    if line.side is None:
        if left == right:
            yield row, _start(left, line.label), line.label
        elif y2 < y1:  # move the label as far away from the corner in the second row as possible
            yield row, right - 2, ".'"
            yield row + 1, right - len(line.label), line.label
        else:
            yield row, left + 1, "'."
            yield row + 1, left + 1, line.label
        return
    letter, is_changed = picture.sides[line.side][:1].lower(), line.id in picture.changed
    falling, rising, upright, flat = (CHANGED_LINE,) * 4 if is_changed else ("\\", "/", "|", "_")
    run = flat * (right - left - 3)
    if left == right:
        yield row, left, upright + letter
    elif y2 < y1:
        yield row, left + 2, run + rising
        yield row + 1, left + 1, rising + letter
    else:
        yield row, left + 1, falling + run
        yield row + 1, right - 2, letter + falling


def _line_text(line: Line, scale: _Scale, picture: Picture) -> tuple[int, int, str]:
    """Return the text row, first column and text of a line: its label, or a stroke and a letter."""
    text = (line.label or CELL) if line.side is None else _stroke(line, line.side, scale, picture)
    return scale.line((line.y1 + line.y2) / 2), _start(scale.column((line.x1 + line.x2) / 2), text), text


def _stroke(line: Line, side: int, scale: _Scale, picture: Picture) -> str:
    """Return a stroke in the direction of a line, with the letter of the side that drew it."""
    letter = picture.sides[side][:1].lower()
    (x1, y1), (x2, y2) = sorted(((line.x1, line.y1), (line.x2, line.y2)))
    slot = scale.columns // 2 - 1
    if abs(x2 - x1) < abs(y2 - y1) / 4:
        stroke = f" |{letter}"  # the stroke in the middle
    elif abs(y2 - y1) < abs(x2 - x1) / 4:
        stroke = letter.center(scale.columns - 1, "-")
    else:
        stroke = f"{letter:_>{slot - 1}}/" if y2 < y1 else f"\\{letter:_<{slot - 1}}"
    return re.sub(r"[^\w ]|_", CHANGED_LINE, stroke) if line.id in picture.changed else stroke


def _start(middle: float, text: str) -> int:
    """Return the first column of a text centred at `middle`."""
    return math.floor(middle - (len(text) - 1) / 2 + 0.5 - 1e-6)


def _style(ink: _Ink, picture: Picture) -> "Style":
    from rich.style import Style

    ground = rgb_of(picture.palette.board) if ink.is_on_board and picture.frame != "none" else None
    background = _hexadecimal(ground) if ground else None
    if ink.role in ("piece", "owner") and ink.side is not None:
        colour = rgb_of(picture.colours[ink.side])
        if colour is None:
            return Style(bold=True, reverse=ink.side == 0, underline=ink.is_changed)
        return Style(
            color=_contrasting(colour),
            bgcolor=_hexadecimal(colour),
            bold=True,
            underline=ink.is_changed,
        )
    if ink.role == "line" and ink.side is not None:
        colour = rgb_of(picture.colours[ink.side])
        return Style(color=_hexadecimal(colour) if colour else None, bold=True)
    if ink.role in ("open", "grid", "label"):
        return Style(dim=True, bgcolor=background)
    if ink.role in ("button", "caption"):
        return Style(bold=True)
    return Style(color=_contrasting(ground) if ground else None, bgcolor=background, bold=ink.is_changed)


def _contrasting(colour: tuple[int, int, int]) -> str:
    """Return black or white, whichever is easier to read on a colour."""
    return "#000000" if sum(colour) > 3 * 128 else "#ffffff"


def rgb_of(colour: str) -> tuple[int, int, int] | None:
    """Parse `#rgb` or `#rrggbb`; return None for other CSS colours, which are not used in terminals."""
    digits = colour.removeprefix("#")
    digits = "".join(digit * 2 for digit in digits) if len(digits) == 3 else digits
    if not colour.startswith("#") or len(digits) != 6:
        return None
    try:
        red, green, blue = bytes.fromhex(digits)
    except ValueError:
        return None
    return red, green, blue


def _hexadecimal(colour: tuple[int, int, int]) -> str:
    return "#" + bytes(colour).hex()
