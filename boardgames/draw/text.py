"""A `Picture` as lines of text for a terminal, plain or coloured.

Neighbouring cells are a fixed number of text columns apart, and alternate rows
of a hexagonal board are shifted by half of that. A board with lines (edges of
cells) has a text row between any two rows of cells. An open line shows its
label, and a drawn one the letter of its side. Changes by the last move are
marked even without colour: pieces switch between lower and upper case, cells
that became empty show a `*`, owners are put in brackets, and lines consist of
`#` and the letter. What has won the match is in brackets too. Printed lines are
drawn where there is room between the cells. Overlays add the symbol of its
class to the label of an open line and to a piece; empty cells show it, or the
label of their group. The legend is below the board.
"""

import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from boardgames.picture import Cell, GridLine, Line, Picture, Piece

if TYPE_CHECKING:
    from rich.style import Style
    from rich.text import Text

Role = Literal[
    "cell", "piece", "owner", "line", "open", "grid", "label", "button", "caption", "legend", "blank"
]

CELL, EMPTIED, CHANGED_LINE = ".", "*", "#"
CAPTION_GAP = 3
LEGEND_WIDTH = 78

TOUCH = 0.1
"""Distance from the centre of a cell within which a line leads to it or through it."""

_BOARD_ROLES = ("cell", "piece", "owner", "line", "open", "grid")


class _Ink(NamedTuple):
    """What a character represents, which determines its colour."""

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


def plain_text(picture: Picture, *, flipped: bool = False, legend_width: int = LEGEND_WIDTH) -> str:
    """Return the picture as lines of text without colour.

    Parameters
    ----------
    picture : Picture
        What to draw. Everything but its symbols and captions is drawn in ASCII.
    flipped : bool
        Show the board from the other side.
    legend_width : int
        Columns to which the legend is wrapped.

    Examples
    --------
    >>> from boardgames.picture import Cell, Piece
    >>> cells = tuple(Cell(f"c{x}", float(x), 0.0) for x in range(4))
    >>> print(plain_text(Picture(cells, (Piece("c1", 0, "x"),), changed=frozenset(["c1", "c2"]))))
    . X * .
    """
    lines = _lines(picture.flipped() if flipped else picture, legend_width)
    return "\n".join("".join(char.text for char in line).rstrip() for line in lines)


def printable(text: str) -> str:
    r"""Replace the characters that could move the cursor or otherwise control the terminal.

    Examples
    --------
    >>> printable("Ann\x1b[2J")
    'Ann?[2J'
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "?" for char in text)


def styled_text(picture: Picture, *, flipped: bool = False, legend_width: int = LEGEND_WIDTH) -> "Text":
    """Return the picture as `rich` text: like `plain_text`, but in colour and with a rim around the board."""
    from rich.text import Text

    text = Text()
    for number, line in enumerate(_lines(picture.flipped() if flipped else picture, legend_width)):
        text.append("\n" if number else "")
        for ink, chars in groupby(line, key=lambda char: char.ink):
            text.append("".join(char.text for char in chars), style=_style(ink, picture))
    return text


def _lines(picture: Picture, legend_width: int) -> list[list[_Char]]:
    """Return the lines of the drawing: captions, board, captions."""
    board = _board(picture)
    above, below = _captions(picture, "top"), _captions(picture, "bottom")
    across = max((len(line) for line in board), default=0)
    width = max([across, *(len(left) + CAPTION_GAP + len(right) for left, right in above + below if right)])
    margin = [_Char(" ", _BLANK)] * ((width - across) // 2)
    lines = [_caption_line(pair, width) for pair in above]
    lines += [[]] * bool(above and board) + [margin + line if line else [] for line in board]
    if picture.buttons:
        text = printable("  ".join(f"[{button.text}]" for button in picture.buttons))
        lines += [[], [_Char(char, _Ink("button")) for char in text.center(width).rstrip()]]
    lines += [[]] * bool(below and board) + [_caption_line(pair, width) for pair in below]
    legend = [part for line in picture.legend for part in textwrap.wrap(printable(line), legend_width)]
    return lines + [[]] * bool(legend) + [[_Char(char, _Ink("legend")) for char in line] for line in legend]


def _captions(picture: Picture, end: Literal["top", "bottom"]) -> list[tuple[str, str]]:
    """Return the lines of captions at the top or bottom, with only printable characters."""
    return [(printable(left), printable(right)) for left, right in picture.caption_lines(end)]


def _caption_line(pair: tuple[str, str], width: int) -> list[_Char]:
    left, right = pair
    text = left + right.rjust(width - len(left)) if right else left
    return [_Char(char, _Ink("caption")) for char in text]


def _board(picture: Picture) -> list[list[_Char]]:
    """Return the lines of the board: cells, pieces, lines and labels."""
    placed: dict[tuple[int, int], _Char] = {}
    for line, start, text, ink in _texts(picture):
        for offset, char in enumerate(printable(text)):
            placed[line, start + offset] = _Char(char, ink)
    if not placed:
        return []
    rim = 0 if picture.frame == "none" else 1
    first = min(column - rim * (char.ink.role in _BOARD_ROLES) for (_, column), char in placed.items())
    lines = range(min(line for line, _ in placed), max(line for line, _ in placed) + 1)
    return [_row(placed, line, first=first, rim=rim) for line in lines]


def _row(placed: Mapping[tuple[int, int], _Char], line: int, *, first: int, rim: int) -> list[_Char]:
    """Return one line, from column `first` on; the board has a rim of `rim` columns."""
    chars = {column: char for (other, column), char in placed.items() if other == line}
    ends = [column for column, char in chars.items() if char.ink.role in _BOARD_ROLES]
    board = range(min(ends) - rim, max(ends) + rim + 1) if ends else range(0)
    row = []
    for column in range(first, max([*chars, *board], default=first - 1) + 1):
        char = chars.get(column, _Char(" ", _BLANK))
        row.append(char._replace(ink=char.ink._replace(is_on_board=column in board)))
    return row


def _texts(picture: Picture) -> Iterator[tuple[int, int, str, _Ink]]:
    """Yield the text row, first column, text and ink of everything on and beside the board."""
    picture, over = _with_marked_lines(picture), _texts_over_cells(picture)
    scale = _scale(picture, max(map(len, over.values()), default=0))
    for grid_line in picture.grid:
        yield from _grid_texts(grid_line, scale)
    for line in picture.lines:
        text = _line_text(line, scale, picture)
        middle = scale.column((line.x1 + line.x2) / 2)
        ink = _Ink("open" if line.side is None else "line", line.side, line.id in picture.changed)
        yield scale.line((line.y1 + line.y2) / 2), _start(middle, text), text, ink
    # after the lines, so that these never hide a cell
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
    """Return the picture with the symbols of overlays at the end of the labels of open lines."""
    marks = picture.marks
    lines = (
        replace(line, label=line.label + marks.get(line.id, "")) if line.side is None else line
        for line in picture.lines
    )
    return replace(picture, lines=tuple(lines))


def _texts_over_cells(picture: Picture) -> dict[str, str]:
    """Return the symbols and labels that overlays give to cells, by id."""
    labels, marks = picture.group_labels, picture.marks
    texts = {cell.id: marks.get(cell.id, "") + labels.get(cell.id, "") for cell in picture.cells}
    return {cell: text for cell, text in texts.items() if text}


def _cell_text(cell: Cell, piece: Piece | None, picture: Picture) -> tuple[str, _Ink]:
    """Return the text of a cell: its piece, or the letter of its owner, or the sign for an empty cell."""
    is_changed, is_winning = cell.id in picture.changed, cell.id in picture.winning
    if piece is not None:
        text = piece.symbol.swapcase() if is_changed else piece.symbol
        return f"[{text}]" if is_winning else text, _Ink("piece", piece.side, is_changed)
    if cell.owner is not None:
        letter = picture.sides[cell.owner][:1].upper()
        is_bracketed = is_changed or is_winning
        return f"[{letter}]" if is_bracketed else letter, _Ink("owner", cell.owner, is_changed)
    # a cell with edges around it needs no sign of its own
    lines: tuple[Line | GridLine, ...] = (*picture.lines, *picture.grid)
    is_outlined = picture.lines and not any(_touches(line, cell) for line in lines)
    empty = " " if is_outlined else CELL
    return EMPTIED if is_changed else empty, _Ink("cell", None, is_changed)


def _touches(line: Line | GridLine, cell: Cell) -> bool:
    """Return True if a line leads to the centre of a cell, or through it."""
    across, down = line.x2 - line.x1, line.y2 - line.y1
    x, y = cell.x - line.x1, cell.y - line.y1
    share = (x * across + y * down) / ((across**2 + down**2) or 1)
    share = min(1, max(0, share))
    return math.hypot(x - share * across, y - share * down) < TOUCH


def _grid_texts(line: GridLine, scale: _Scale) -> Iterator[tuple[int, int, str, _Ink]]:
    """Yield the strokes of a printed line: between its ends, one in each column or row."""
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
    """Return the number of columns for a slanted line or a label."""
    return max([2, *(len(line.label) for line in lines)])


def _line_text(line: Line, scale: _Scale, picture: Picture) -> str:
    """Return the text of a line: its label if it is open, otherwise a stroke with the letter of its side."""
    if line.side is None:
        return line.label or CELL
    letter = picture.sides[line.side][:1].lower()
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

    ground = _rgb(picture.palette.board) if ink.is_on_board and picture.frame != "none" else None
    background = _hexadecimal(ground) if ground else None
    if ink.role in ("piece", "owner") and ink.side is not None:
        colour = _rgb(picture.colours[ink.side])
        if colour is None:
            return Style(bold=True, reverse=ink.side == 0, underline=ink.is_changed)
        return Style(
            color=_contrasting(colour),
            bgcolor=_hexadecimal(colour),
            bold=True,
            underline=ink.is_changed,
        )
    if ink.role == "line" and ink.side is not None:
        colour = _rgb(picture.colours[ink.side])
        return Style(color=_hexadecimal(colour) if colour else None, bold=True)
    if ink.role in ("open", "grid", "label"):
        return Style(dim=True, bgcolor=background)
    if ink.role in ("button", "caption"):
        return Style(bold=True)
    return Style(color=_contrasting(ground) if ground else None, bgcolor=background, bold=ink.is_changed)


def _contrasting(colour: tuple[int, int, int]) -> str:
    """Return black or white, whichever can be read on a colour."""
    return "#000000" if sum(colour) > 3 * 128 else "#ffffff"


def _rgb(colour: str) -> tuple[int, int, int] | None:
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
