"""A `Picture` as a self-contained SVG document, accessible without colour or sight.

One unit of the picture is 100 units of the drawing. Pieces are glossy, changed
cells have rings, and drawn lines of the second side are double lines, so that any
CSS colours work for the sides. Overlays have a legend below the board; each class of
marks has a letter and a pattern of dashes. The drawing has its own background and looks the
same on dark and light pages. Everything that can be clicked has its id in the
attribute `data-id`.
"""

import hashlib
import textwrap
from collections.abc import Iterator, Sequence
from html import escape

from boardgames.draw.lattice import corners
from boardgames.picture import Cell, Line, Picture, Piece, Surface

UNIT = 100
WIDTH_PX = 480

MARGIN = 30
BUTTON_SIZE, BUTTON_HEIGHT, BUTTON_GAP = 36, 64, 20
"""Font size and height of buttons, and the space around them."""
CAPTION_SHARE = 0.042
"""Font size of captions as a fraction of the width of the board."""
CAPTION_HEIGHT = 1.35
"""Line height of captions as a multiple of their font size."""
LINE_LABEL_SIZE = 19
"""Font size of the labels on lines that have not been drawn yet."""
LINE_LABEL_WIDTH = 36
"""Largest width of such a label; longer ones get a smaller font."""
LEGEND_SHARE, LEGEND_SIZE = 0.03, 20
"""Font size of the legend as a fraction of the width of the board, and the largest one."""
CHARACTER_WIDTH = 0.62
"""Upper estimate of the average width of a sans-serif character, relative to the font size."""

BACKDROP, TEXT, FAINT = "#f6f3ec", "#3b3630", "#8b8478"
MARK = "#f59f00"
GROUP_FILL, GROUP_EDGE, GROUP_WIDTH = "#ece4d0", "#6f6657", 46
CLASS_STYLES = (
    ("#00704f", "14 5"),
    ("#8a5200", "10 4 2 4"),
    ("#5c5c5c", "3 5"),
    ("#7b1fa2", "6 4"),
    ("#33691e", "12 3 3 3 3 3"),
    ("#4e342e", "2 3"),
)
"""Colour and dashes of the classes of marks, in order; they begin again if there are more classes."""
FONT = "font-family=\"'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif\""

_RIM_WIDTHS: dict[Surface, float] = {"paper": 0, "wood": 20, "front": 12}
_DISCS: dict[Surface, float] = {"paper": 38, "wood": 42, "front": 35}
_EMPTY: dict[Surface, str] = {"paper": "#fffdf8", "wood": "#4f3420", "front": "#eef3fb"}
_CELL_STROKES: dict[Surface, str] = {"paper": "#b9b1a2", "wood": "#2f1e11", "front": "#102a5c"}


def svg(picture: Picture, *, width: int = WIDTH_PX, flipped: bool = False) -> str:
    """Return the picture as an SVG document; equal pictures give equal text.

    Parameters
    ----------
    picture : Picture
        What to draw.
    width : int
        Width in pixels; the height follows from it.
    flipped : bool
        Show the board from the other side.

    Examples
    --------
    >>> text = svg(Picture(cells=(Cell("a1", 0, 0),), title="One < two"), width=200)
    >>> text.startswith("<svg ") and 'aria-label="One &lt; two' in text
    True
    """
    return _Drawing(picture.flipped() if flipped else picture).document(width)


class _Drawing:
    """Draws one picture; `prefix` makes the ids of its gradients unique."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.cells = {cell.id: cell for cell in picture.cells}
        # a page may contain several drawings, and ids must be unique in a page
        digest = hashlib.sha256(f"{picture.surface}{picture.colours}".encode(errors="replace"))
        self.prefix = f"bg{digest.hexdigest()[:8]}"
        self.marks, self.group_labels = picture.marks, picture.group_labels
        self.occupied = {piece.cell for piece in picture.pieces}
        symbols = [one.symbol for overlay in picture.overlays for one in overlay.classes]
        self.class_numbers = {symbol: number for number, symbol in enumerate(dict.fromkeys(symbols))}

    def document(self, width: int) -> str:
        """Return the document, `width` pixels wide."""
        above, below = self.picture.caption_lines("top"), self.picture.caption_lines("bottom")
        left, top, right, bottom = self._extent()
        size = CAPTION_SHARE * (right - left)
        step = CAPTION_HEIGHT * size
        row = list(self._button_row((left + right) / 2, bottom))
        if row:
            bottom += BUTTON_HEIGHT + BUTTON_GAP
        needed = max(
            [right - left, self._buttons_width(), *(size * _caption_width(pair) for pair in above + below)]
        )
        left, span = (left + right - needed) / 2 - MARGIN, needed + 2 * MARGIN
        top -= MARGIN + step * len(above)
        legend_top = bottom + step * len(below) + 0.8 * MARGIN
        legend = list(self._legend((left + MARGIN, legend_top), span - 2 * MARGIN))
        legend_height = len(legend) * CAPTION_HEIGHT * self._legend_size() + 0.8 * MARGIN * bool(legend)
        height = bottom - top + MARGIN + step * len(below) + legend_height
        label = _text(self.picture.describe())
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" '
            f'width="{width}" height="{round(width * height / span)}" '
            f'viewBox="{_number(left)} {_number(top)} {_number(span)} {_number(height)}">'
        )
        lines = [
            head,
            f"<title>{_text(self.picture.title or 'Board')}</title>",
            *self._definitions(),
            _rectangle(left, top, span, height, f'rx="24" fill="{BACKDROP}"'),
            *self._board(),
            *row,
            *_caption_texts(above, size, (left + MARGIN, left + span - MARGIN), top + 0.6 * MARGIN),
            *_caption_texts(below, size, (left + MARGIN, left + span - MARGIN), bottom + 0.4 * MARGIN),
            *legend,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _extent(self) -> tuple[float, float, float, float]:
        """Return the left, top, right and bottom edge of the board, including labels."""
        left, top, right, bottom = (UNIT * length for length in self.picture.bounds())
        rim = _RIM_WIDTHS[self.picture.surface]
        return left - rim, top - rim, right + rim, bottom + rim

    def _legend_size(self) -> float:
        left, _, right, _ = self._extent()
        return min(LEGEND_SHARE * (right - left), LEGEND_SIZE)

    def _legend(self, corner: tuple[float, float], width: float) -> Iterator[str]:
        """Yield the lines of the legend, each as one element; those of classes begin with a sample."""
        size, (left, top) = self._legend_size(), corner
        columns = int(width / (CHARACTER_WIDTH * size))
        symbols = {one.text: one.symbol for overlay in self.picture.overlays for one in overlay.classes}
        lines = [
            (symbols.get(text, "") if part == 0 else "", 2.6 * size * (text in symbols), line)
            for text in self.picture.legend
            for part, line in enumerate(textwrap.wrap(text, columns - 4 * (text in symbols)))
        ]
        for number, (symbol, indent, line) in enumerate(lines):
            y = top + size * (CAPTION_HEIGHT * number + 0.85)
            sample = ""
            if symbol:
                ends = f'x1="{_number(left)}" x2="{_number(left + 2 * size)}"'
                middle = _number(y - 0.35 * size)
                sample = f'<line {ends} y1="{middle}" y2="{middle}" {self._class_stroke(symbol, size / 3)}/>'
            place = f'x="{_number(left + indent)}" y="{_number(y)}"'
            yield (
                f'{sample}<text {place} {FONT} font-size="{_number(size)}" fill="{TEXT}">{_text(line)}</text>'
            )

    def _class_stroke(self, symbols: str, width: float) -> str:
        """Return how lines of a class are drawn; the first class counts if there are several."""
        colour, dashes = self._class_style(symbols)
        return f'stroke="{colour}" stroke-width="{_number(width)}" stroke-dasharray="{dashes}"'

    def _class_style(self, symbols: str) -> tuple[str, str]:
        return CLASS_STYLES[self.class_numbers.get(symbols[:1], 0) % len(CLASS_STYLES)]

    def _button_widths(self) -> list[float]:
        return [CHARACTER_WIDTH * BUTTON_SIZE * (len(one.text) + 2) for one in self.picture.buttons]

    def _buttons_width(self) -> float:
        return sum(width + BUTTON_GAP for width in self._button_widths())

    def _button_row(self, middle: float, top: float) -> Iterator[str]:
        """Yield the buttons, side by side below the board."""
        left = middle - self._buttons_width() / 2
        for button, width in zip(self.picture.buttons, self._button_widths(), strict=True):
            left += BUTTON_GAP / 2
            paint = f'{_id(button.id)} rx="14" fill="#fffdf8" stroke="{FAINT}" stroke-width="3"'
            yield _rectangle(left, top + BUTTON_GAP, width, BUTTON_HEIGHT, paint)
            x, y = left + width / 2, top + BUTTON_GAP + BUTTON_HEIGHT / 2
            yield _centred(x / UNIT, y / UNIT, button.text, size=BUTTON_SIZE, colour=TEXT)
            left += width + BUTTON_GAP / 2

    def _definitions(self) -> Iterator[str]:
        """Yield the gradients of discs, hollows and board surfaces."""
        yield "<defs>"
        yield f'<radialGradient id="{self.prefix}-gloss" cx="0.36" cy="0.3" r="0.75">'
        yield '<stop offset="0" stop-color="#fff" stop-opacity="0.55"/>'
        yield '<stop offset="0.35" stop-color="#fff" stop-opacity="0.08"/>'
        yield '<stop offset="0.7" stop-color="#000" stop-opacity="0"/>'
        yield '<stop offset="1" stop-color="#000" stop-opacity="0.35"/></radialGradient>'
        yield f'<radialGradient id="{self.prefix}-hollow" cx="0.5" cy="0.62" r="0.62">'
        yield '<stop offset="0.4" stop-color="#000" stop-opacity="0"/>'
        yield '<stop offset="1" stop-color="#000" stop-opacity="0.45"/></radialGradient>'
        yield f'<linearGradient id="{self.prefix}-wood" x1="0" y1="0" x2="1" y2="1">'
        yield '<stop offset="0" stop-color="#8a5f3a"/><stop offset="1" stop-color="#6b4526"/>'
        yield "</linearGradient>"
        yield f'<linearGradient id="{self.prefix}-front" x1="0" y1="0" x2="0" y2="1">'
        yield '<stop offset="0" stop-color="#2a5cb8"/><stop offset="1" stop-color="#153a82"/>'
        yield "</linearGradient></defs>"

    def _board(self) -> Iterator[str]:
        """Yield everything but the captions, from back to front."""
        yield from self._surface()
        for cell in self.picture.cells:
            yield from self._cell(cell)
        yield from self._groups()
        changed = self.picture.changed
        for line in sorted(self.picture.lines, key=lambda line: (line.side is not None, line.id in changed)):
            yield from self._line(line)
        for piece in self.picture.pieces:
            if piece.cell in self.cells:
                yield from self._piece(piece, self.cells[piece.cell])
        yield from self._cell_marks()
        for cell in self.picture.cells:
            if cell.id in changed:
                yield self._mark(cell)
        for label in self.picture.labels:
            yield _centred(label.x, label.y, label.text, size=34, colour=FAINT, extra=' font-weight="600"')

    def _surface(self) -> Iterator[str]:
        """Yield the body of the board, behind the cells."""
        cells, surface = self.picture.cells, self.picture.surface
        if not cells or surface == "paper":
            return
        if surface == "front":
            left, right = (UNIT * end for end in _ends([cell.x for cell in cells]))
            top, bottom = (UNIT * end for end in _ends([cell.y for cell in cells]))
            paint = f'rx="26" fill="url(#{self.prefix}-front)" stroke="#102a5c" stroke-width="6"'
            yield _rectangle(left - 58, top - 58, right - left + 116, bottom - top + 116, paint)
            return
        outline = " ".join(_point(x, y) for x, y in _hull([(cell.x, cell.y) for cell in cells]))
        wood = f"url(#{self.prefix}-wood)"
        for thickness, colour in ((138, "#3a2616"), (120, wood)):
            yield (
                f'<polygon points="{outline}" fill="{colour}" stroke="{colour}" '
                f'stroke-width="{thickness}" stroke-linejoin="round"/>'
            )

    def _cell(self, cell: Cell) -> Iterator[str]:
        surface = self.picture.surface
        paint = f'fill="{_EMPTY[surface]}" stroke="{_CELL_STROKES[surface]}" stroke-width="3"'
        if cell.shape == "hexagon":
            yield from self._hexagon(cell)
        elif cell.shape == "square" and surface != "front":
            yield _rectangle(UNIT * cell.x - 50, UNIT * cell.y - 50, 100, 100, f"{_id(cell.id)} {paint}")
        else:
            radius = 38 if surface == "wood" else 40
            yield _circle(cell, radius, f"{_id(cell.id)} {paint}")
            if surface != "paper":
                yield _circle(cell, radius, f'fill="url(#{self.prefix}-hollow)" pointer-events="none"')

    def _hexagon(self, cell: Cell) -> Iterator[str]:
        points = " ".join(_point(x, y) for x, y in corners(cell.x, cell.y))
        empty, stroke = _EMPTY[self.picture.surface], _CELL_STROKES[self.picture.surface]
        rim = 'stroke="none"' if self.picture.lines else f'stroke="{stroke}" stroke-width="3"'
        yield f'<polygon {_id(cell.id)} points="{points}" fill="{empty}" {rim}/>'
        if cell.owner is None:
            return
        colour = _text(self.picture.colours[cell.owner])
        yield f'<polygon points="{points}" fill="{colour}" fill-opacity="0.3" pointer-events="none"/>'
        letter = self.picture.sides[cell.owner][:1].upper()
        yield _centred(cell.x, cell.y, letter, size=40, colour=colour, extra=' font-weight="700"')

    def _groups(self) -> Iterator[str]:
        """Yield an outline around the cells of each group, and its label in the middle one."""
        for group in (group for overlay in self.picture.overlays for group in overlay.groups):
            places = [self.cells[name] for name in group.cells if name in self.cells]
            points = " ".join(_point(cell.x, cell.y) for cell in places)
            path = f"M {points}" + (" Z" if group.is_closed else " l 0.1,0")
            ends = 'fill="none" stroke-linecap="round" stroke-linejoin="round" pointer-events="none"'
            for width, colour in ((GROUP_WIDTH, GROUP_EDGE), (GROUP_WIDTH - 6, GROUP_FILL)):
                yield f'<path d="{path}" stroke="{colour}" stroke-width="{width}" {ends}/>'
            middle = places[len(places) // 2]
            yield _centred(middle.x, middle.y, group.label, size=26, colour=TEXT, extra=' font-weight="700"')

    def _cell_marks(self) -> Iterator[str]:
        for cell in self.picture.cells:
            if cell.id in self.marks:
                yield from self._cell_mark(cell)

    def _cell_mark(self, cell: Cell) -> Iterator[str]:
        """Yield a ring in the style of a class, and its symbol: inside, or beside what is on the cell."""
        symbols = self.marks[cell.id]
        is_free = cell.owner is None and cell.id not in {*self.group_labels, *self.occupied}
        yield _circle(
            cell, 24 if is_free else 44, f'fill="none" pointer-events="none" {self._class_stroke(symbols, 5)}'
        )
        colour = self._class_style(symbols)[0]
        if is_free:
            yield _centred(cell.x, cell.y, symbols, size=30, colour=colour, extra=' font-weight="700"')
        else:
            yield from _line_label(cell.x + 0.3, cell.y + 0.3, symbols, colour)

    def _line(self, line: Line) -> Iterator[str]:
        ends = " ".join(
            f'{name}="{_number(UNIT * value)}"'
            for name, value in (("x1", line.x1), ("y1", line.y1), ("x2", line.x2), ("y2", line.y2))
        )
        if line.side is None:
            symbols = self.marks.get(line.id, "")
            dots = 'stroke="#d3ccbe" stroke-width="4" stroke-dasharray="2 9" stroke-linecap="round"'
            stroke = self._class_stroke(symbols, 7) if symbols else dots
            yield f"<line {_id(line.id)} {ends} {stroke}/>"
            if label := line.label + symbols:
                colour = self._class_style(symbols)[0] if symbols else FAINT
                yield from _line_label((line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2, label, colour)
            return
        if line.id in self.picture.changed:
            yield f'<line {ends} stroke="{MARK}" stroke-width="24" stroke-linecap="round"/>'
        colour = _text(self.picture.colours[line.side])
        yield f'<line {_id(line.id)} {ends} stroke="{colour}" stroke-width="11" stroke-linecap="round"/>'
        if line.side == 1:
            core = f'stroke="{BACKDROP}" stroke-width="3.5" stroke-linecap="round" pointer-events="none"'
            yield f"<line {ends} {core}/>"

    def _piece(self, piece: Piece, cell: Cell) -> Iterator[str]:
        colour = _text(self.picture.colours[piece.side])
        if piece.shape == "letter":
            extra = ' font-weight="700"'
            yield _centred(cell.x, cell.y, piece.symbol.upper(), size=70, colour=colour, extra=extra)
            return
        radius = _DISCS[self.picture.surface]
        edge = 'stroke="#000" stroke-opacity="0.45" stroke-width="2" pointer-events="none"'
        yield _circle(cell, radius, f'fill="{colour}" {edge}')
        yield _circle(cell, radius, f'fill="url(#{self.prefix}-gloss)" pointer-events="none"')

    def _mark(self, cell: Cell) -> str:
        """Return the ring around a cell that the last move changed, dashed if the cell is now empty."""
        is_occupied = cell.id in self.occupied or cell.owner is not None
        dashes = "" if is_occupied else ' stroke-dasharray="9 8"'
        stroke = f'fill="none" stroke="{MARK}" stroke-width="7" pointer-events="none"'
        return _circle(cell, 34 if is_occupied else 26, stroke + dashes)


def _caption_texts(
    pairs: Sequence[tuple[str, str]], size: float, ends: tuple[float, float], top: float
) -> Iterator[str]:
    """Yield the captions line by line, aligned left and right."""
    for number, pair in enumerate(pairs):
        y = _number(top + size * (CAPTION_HEIGHT * number + 0.85))
        for text, x, anchor in zip(pair, ends, ("start", "end"), strict=True):
            if text:
                yield (
                    f'<text x="{_number(x)}" y="{y}" text-anchor="{anchor}" {FONT} '
                    f'font-size="{_number(size)}" fill="{TEXT}">{_text(text)}</text>'
                )


def _caption_width(pair: tuple[str, str]) -> float:
    """Return the width of a line of two captions, relative to the font size."""
    count = len(pair[0]) + len(pair[1]) + 2 * bool(pair[0] and pair[1])
    return CHARACTER_WIDTH * count


def _circle(cell: Cell, radius: float, paint: str) -> str:
    centre = f'cx="{_number(UNIT * cell.x)}" cy="{_number(UNIT * cell.y)}"'
    return f'<circle {centre} r="{_number(radius)}" {paint}/>'


def _rectangle(left: float, top: float, width: float, height: float, paint: str) -> str:
    place = f'x="{_number(left)}" y="{_number(top)}"'
    return f'<rect {place} width="{_number(width)}" height="{_number(height)}" {paint}/>'


def _centred(x: float, y: float, text: str, *, size: float, colour: str, extra: str = "") -> str:
    # compute the baseline, because not every renderer supports
    # dominant-baseline
    place = f'x="{_number(UNIT * x)}" y="{_number(UNIT * y + 0.36 * size)}"'
    return (
        f'<text {place} text-anchor="middle" {FONT} font-size="{_number(size)}" fill="{colour}"{extra} '
        f'pointer-events="none">{_text(text)}</text>'
    )


def _line_label(x: float, y: float, text: str, colour: str) -> Iterator[str]:
    """Yield the label of an open line, on a small plate that interrupts the line."""
    # not an outline of the letters: some renderers draw it over them, whatever `paint-order` says
    size = min(LINE_LABEL_SIZE, LINE_LABEL_WIDTH / (CHARACTER_WIDTH * len(text)))
    width, height = CHARACTER_WIDTH * size * len(text) + 6, 1.1 * size
    paint = f'rx="5" fill="{BACKDROP}" pointer-events="none"'
    yield _rectangle(UNIT * x - width / 2, UNIT * y - height / 2, width, height, paint)
    yield _centred(x, y, text, size=size, colour=colour)


def _id(text: str) -> str:
    return f'data-id="{_text(text)}"'


def _point(x: float, y: float) -> str:
    return f"{_number(UNIT * x)},{_number(UNIT * y)}"


def _number(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _text(text: str) -> str:
    """Escape text for XML; characters that XML does not allow become U+FFFD."""
    allowed = (char if _is_allowed(ord(char)) else "\N{REPLACEMENT CHARACTER}" for char in text)
    return escape("".join(allowed), quote=True)


def _is_allowed(code: int) -> bool:
    """Return True if XML 1.0 allows the character: https://www.w3.org/TR/xml/#charsets."""
    return code in (9, 10, 13) or 32 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code > 0xFFFF


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)


def _hull(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the convex hull (A. M. Andrew's monotone chain, 1979)."""

    def chain(ordered: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for point in ordered:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], point) <= 1e-9:
                kept.pop()
            kept.append(point)
        return kept[:-1]

    ordered = sorted(set(points))
    return chain(ordered) + chain(ordered[::-1]) if len(ordered) > 2 else ordered


def _turn(start: tuple[float, float], middle: tuple[float, float], end: tuple[float, float]) -> float:
    across, down = middle[0] - start[0], middle[1] - start[1]
    return across * (end[1] - start[1]) - down * (end[0] - start[0])
