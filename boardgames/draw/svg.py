"""A `Picture` as a self-contained SVG document, accessible without colour or sight.

One unit of the picture is 100 units of the drawing. Pieces are glossy, marks
are rings, and drawn lines of the second side have a light core, so that any CSS
colours work for the sides. The drawing has its own background and looks the
same on dark and light pages. Everything that can be clicked has its id in the
attribute `data-id`.
"""

import hashlib
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
CHARACTER_WIDTH = 0.62
"""Upper estimate of the average width of a sans-serif character, relative to the font size."""

BACKDROP, TEXT, FAINT = "#f6f3ec", "#3b3630", "#8b8478"
MARK = "#f59f00"
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
        height = bottom - top + MARGIN + step * len(below)
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
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _extent(self) -> tuple[float, float, float, float]:
        """Return the left, top, right and bottom edge of the board, including labels."""
        left, top, right, bottom = (UNIT * length for length in self.picture.bounds())
        rim = _RIM_WIDTHS[self.picture.surface]
        return left - rim, top - rim, right + rim, bottom + rim

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
        changed = self.picture.changed
        for line in sorted(self.picture.lines, key=lambda line: (line.side is not None, line.id in changed)):
            yield from self._line(line)
        for piece in self.picture.pieces:
            if piece.cell in self.cells:
                yield from self._piece(piece, self.cells[piece.cell])
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

    def _line(self, line: Line) -> Iterator[str]:
        ends = " ".join(
            f'{name}="{_number(UNIT * value)}"'
            for name, value in (("x1", line.x1), ("y1", line.y1), ("x2", line.x2), ("y2", line.y2))
        )
        if line.side is None:
            dots = 'stroke="#d3ccbe" stroke-width="4" stroke-dasharray="2 9" stroke-linecap="round"'
            yield f"<line {_id(line.id)} {ends} {dots}/>"
            if line.label:
                yield from _line_label((line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2, line.label)
            return
        if line.id in self.picture.changed:
            yield f'<line {ends} stroke="{MARK}" stroke-width="24" stroke-linecap="round"/>'
        colour = _text(self.picture.colours[line.side])
        yield f'<line {_id(line.id)} {ends} stroke="{colour}" stroke-width="11" stroke-linecap="round"/>'
        if line.side == 1:
            core = f'stroke="{BACKDROP}" stroke-width="2" stroke-linecap="round" pointer-events="none"'
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
        is_occupied = any(piece.cell == cell.id for piece in self.picture.pieces) or cell.owner is not None
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


def _line_label(x: float, y: float, text: str) -> Iterator[str]:
    """Yield the label of an open line, on a small plate that interrupts the line."""
    # not an outline of the letters: some renderers draw it over them, whatever `paint-order` says
    width, height = CHARACTER_WIDTH * LINE_LABEL_SIZE * len(text) + 6, 1.1 * LINE_LABEL_SIZE
    paint = f'rx="5" fill="{BACKDROP}" pointer-events="none"'
    yield _rectangle(UNIT * x - width / 2, UNIT * y - height / 2, width, height, paint)
    yield _centred(x, y, text, size=LINE_LABEL_SIZE, colour=FAINT)


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
