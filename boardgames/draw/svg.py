"""A `Picture` as a self-contained SVG document, accessible without colour or sight.

One unit of the picture is 100 units of the drawing. Pieces are glossy, changed
cells have rings, and drawn lines of the second side are double lines, so that any
CSS colours can be used for the sides. Overlays have a legend below the board; each
class of marks has a letter and a pattern of dashes. The drawing has its own background
and looks the same on dark and light pages. Everything that can be clicked has its id in
the attribute `data-id`.

Sizes, colours and gradients come from styles.json, which the page of `boardgames serve`
reads too. A colour in this file may be a pair, for light and dark pages. Drawings use the
theme `wood`; the page also offers the other themes.
"""

import hashlib
import json
import math
import textwrap
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from boardgames.draw.lattice import corners
from boardgames.picture import Cell, GridLine, Line, Picture, Piece, Tray

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
"""Maximum width of a label on such a line; longer labels have a smaller font."""
LEGEND_SHARE, LEGEND_SIZE = 0.03, 20
"""Font size of the legend as a fraction of the width of the board, and maximum font size."""
CHARACTER_WIDTH = 0.62
"""A cautious estimate of the average width of a sans-serif character, relative to the font size."""

BACKDROP, TEXT, FAINT = "#f6f3ec", "#3b3630", "#8b8478"
GROUP_FILL, GROUP_EDGE, GROUP_WIDTH = "#ece4d0", "#6f6657", 46
FONT = "font-family=\"'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif\""

STYLES_FILE = Path(__file__).with_name("styles.json")
"""Sizes, gradients, and the colours of themes."""
_STYLES: dict[str, Any] = json.loads(STYLES_FILE.read_text(encoding="utf-8"))  # Any: JSON
_SIZES = _STYLES["sizes"]
_THEME = _STYLES["themes"]["wood"]
MARK, WIN, OPEN = (_THEME["colours"][name] for name in ("mark", "win", "open"))


def svg(picture: Picture, *, width: int = WIDTH_PX, flipped: bool = False) -> str:
    """Return the picture as an SVG document; equal pictures give equal text.

    Parameters
    ----------
    picture : Picture
        What to draw.
    width : int
        Width in pixels; the height is determined by the picture.
    flipped : bool
        Show the board from the other side.

    Examples
    --------
    >>> text = svg(Picture(cells=(Cell("a1", 0, 0),), title="One < two"), width=200)
    >>> text.startswith("<svg ") and 'aria-label="One &lt; two' in text
    True
    """
    return _Drawing(picture.flipped() if flipped else picture).document(width)


def palette_of(picture: Picture) -> dict[str, str]:
    """Return the colours of the board, its cells and their edges; missing colours come from the theme."""
    return {
        name: getattr(picture.palette, name) or _first(colour)
        for name, colour in _THEME["palettes"][picture.frame].items()
    }


def size_of(picture: Picture, part: str) -> float:
    """Return the size of a part, from styles.json, for the frame of a picture, in units of the drawing."""
    size: float = _SIZES[part][picture.frame]
    return size


class _Drawing:
    """Draws one picture. `prefix` makes the ids of its gradients unique."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.cells = {cell.id: cell for cell in picture.cells}
        self.palette = {name: xml_text(colour) for name, colour in palette_of(picture).items()}
        # a page may contain several drawings, and ids must be unique in a page
        digest = hashlib.sha256(f"{picture.frame}{picture.colours}".encode(errors="replace"))
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
        trays = [
            size * (_caption_width((f"{self.picture.sides[tray.side]} {tray.text}", "")) + tray.places + 1)
            for tray in self.picture.trays
        ]
        captions = [size * _caption_width(pair) for pair in above + below]
        needed = max([right - left, self._buttons_width(), *captions, *trays])
        left, span = (left + right - needed) / 2 - MARGIN, needed + 2 * MARGIN
        top -= MARGIN + step * len(above)
        legend_top = bottom + step * len(below) + 0.8 * MARGIN
        legend = list(self._legend((left + MARGIN, legend_top), span - 2 * MARGIN))
        legend_height = len(legend) * CAPTION_HEIGHT * self._legend_size() + 0.8 * MARGIN * bool(legend)
        height = bottom - top + MARGIN + step * len(below) + legend_height
        label = xml_text(self.picture.describe())
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" '
            f'width="{width}" height="{round(width * height / span)}" '
            f'viewBox="{_number(left)} {_number(top)} {_number(span)} {_number(height)}">'
        )
        lines = [
            head,
            f"<title>{xml_text(self.picture.title or 'Board')}</title>",
            *self._definitions(),
            _rectangle(left, top, span, height, f'rx="24" fill="{BACKDROP}"'),
            *self._board(),
            *row,
            *_caption_texts(above, size, (left + MARGIN, left + span - MARGIN), top + 0.6 * MARGIN),
            *_caption_texts(below, size, (left + MARGIN, left + span - MARGIN), bottom + 0.4 * MARGIN),
            *self._trays(self.picture.trays_at("top"), size, left + span - MARGIN, top + 0.6 * MARGIN),
            *self._trays(self.picture.trays_at("bottom"), size, left + span - MARGIN, bottom + 0.4 * MARGIN),
            *legend,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _extent(self) -> tuple[float, float, float, float]:
        """Return the left, top, right and bottom edge of the board, including labels."""
        left, top, right, bottom = (UNIT * length for length in self.picture.bounds())
        rim = _SIZES["rim"][self.picture.frame]
        return left - rim, top - rim, right + rim, bottom + rim

    def _trays(self, trays: Sequence[Tray], size: float, right: float, top: float) -> Iterator[str]:
        """Yield the pieces and free places of trays, right-aligned in the line of each tray's caption."""
        for number, tray in enumerate(trays):
            y = (top + size * (CAPTION_HEIGHT * number + 0.55)) / UNIT
            places = max(tray.places, len(tray.pieces))
            for place in range(places):
                cell = Cell("", (right - size * (places - place - 0.5)) / UNIT, y)
                yield _circle(cell, 0.4 * size, f'fill="none" stroke="{FAINT}" stroke-width="2"')
                if place >= len(tray.pieces):
                    continue
                piece = tray.pieces[place]
                colour = xml_text(self.picture.colours[piece.side])
                yield _circle(cell, 0.42 * size, f'fill="{colour}" stroke="#000" stroke-opacity="0.45"')
                yield _circle(cell, 0.42 * size, self._over("gloss"))
                if piece.cell in self.picture.winning:
                    yield _circle(cell, 0.46 * size, f'fill="none" stroke="{WIN}" stroke-width="5"')

    def _legend_size(self) -> float:
        left, _, right, _ = self._extent()
        return min(LEGEND_SHARE * (right - left), LEGEND_SIZE)

    def _legend(self, corner: tuple[float, float], width: float) -> Iterator[str]:
        """Yield the lines of the legend as elements; lines about classes begin with a sample of the style."""
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
                f'{sample}<text {place} {FONT} font-size="{_number(size)}" fill="{TEXT}">'
                f"{xml_text(line)}</text>"
            )

    def _class_stroke(self, symbols: str, width: float) -> str:
        """Return the stroke of lines with these marks, in the style of the first mark's class."""
        colour, dashes = self._class_style(symbols)
        return f'stroke="{colour}" stroke-width="{_number(width)}" stroke-dasharray="{dashes}"'

    def _class_style(self, symbols: str) -> tuple[str, str]:
        styles = _STYLES["classes"]
        colour, dashes = styles[self.class_numbers.get(symbols[:1], 0) % len(styles)]
        return colour, dashes

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
        """Yield the definitions of gradients, which lighten and darken the shapes below them."""
        yield "<defs>"
        for name, gradient in _STYLES["gradients"].items():
            tag = "radialGradient" if "r" in gradient["shape"] else "linearGradient"
            shape = " ".join(f'{key}="{value}"' for key, value in gradient["shape"].items())
            stops = "".join(
                f'<stop offset="{offset}" stop-color="{colour}" stop-opacity="{opacity}"/>'
                for offset, colour, opacity in gradient["stops"]
            )
            yield f'<{tag} id="{self.prefix}-{name}" {shape}>{stops}</{tag}>'
        yield "</defs>"

    def _over(self, gradient: str) -> str:
        """Return the attributes of a shape that draws a gradient over another shape."""
        return f'fill="url(#{self.prefix}-{gradient})" pointer-events="none"'

    def _board(self) -> Iterator[str]:
        """Yield the elements of the board, from back to front."""
        is_panel = self.picture.frame == "panel"
        pieces = [
            part
            for piece in self.picture.pieces
            if piece.cell in self.cells
            for part in self._piece(piece, self.cells[piece.cell])
        ]
        yield from self._body()
        yield from map(self._grid_line, self.picture.grid)
        for cell in self.picture.cells:
            yield from self._cell(cell)
        yield from self._groups()
        if is_panel:
            yield from pieces
            yield from self._panel()
        changed = self.picture.changed
        for line in sorted(self.picture.lines, key=lambda line: (line.side is not None, line.id in changed)):
            yield from self._line(line)
        if not is_panel:
            yield from pieces
        yield from self._cell_marks()
        for cell in self.picture.cells:
            if cell.id in changed:
                yield self._mark(cell)
        for cell in self.picture.cells:
            if cell.id in self.picture.winning:
                yield _circle(cell, 44, f'fill="none" stroke="{WIN}" stroke-width="9" pointer-events="none"')
        left, _, right, _ = self._extent()
        size = min(_SIZES["label"], _SIZES["label_share"] * (right - left))  # smaller for small boards
        for label in self.picture.labels:
            yield _centred(label.x, label.y, label.text, size=size, colour=FAINT, extra=' font-weight="600"')

    def _body(self) -> Iterator[str]:
        """Yield the body of a board with hollows, behind the cells."""
        if not self.cells or self.picture.frame != "board":
            return
        hull = [(UNIT * x, UNIT * y) for x, y in _hull([(cell.x, cell.y) for cell in self.picture.cells])]
        for reach, name, lightness in _SIZES["body"]:
            outline = f'<path d="{_around(hull, reach)}"'
            yield f'{outline} fill="{self.palette[name]}"/>'
            if lightness:
                yield f'{outline} fill="#fff" fill-opacity="{lightness}"/>'
        yield f'<path d="{_around(hull, _SIZES["body"][-1][0])}" {self._over("sheen")}/>'

    def _panel(self) -> Iterator[str]:
        """Yield the panel, with a hole in front of each cell."""
        if not self.cells:
            return
        reach, corner, radius = _SIZES["panel"], _SIZES["corner"], _SIZES["hollow"]["panel"]
        left, right = (UNIT * end for end in _ends([cell.x for cell in self.picture.cells]))
        top, bottom = (UNIT * end for end in _ends([cell.y for cell in self.picture.cells]))
        left, top, right, bottom = left - reach, top - reach, right + reach, bottom + reach
        path = _rounded_path(left, top, right, bottom, corner) + "".join(
            _circle_path(UNIT * cell.x, UNIT * cell.y, radius) for cell in self.picture.cells
        )
        edge = f'stroke="{self.palette["edge"]}"'
        shape = f'<path d="{path}" fill-rule="evenodd"'
        yield f'{shape} fill="{self.palette["board"]}" {edge} stroke-width="4" pointer-events="none"/>'
        yield f"{shape} {self._over('sheen')}/>"
        outline = f'rx="{corner}" fill="none" {edge} stroke-width="6" pointer-events="none"'
        yield _rectangle(left, top, right - left, bottom - top, outline)

    def _grid_line(self, line: GridLine) -> str:
        stroke = f'stroke="{self.palette["edge"]}" stroke-width="{_SIZES["grid"]}" stroke-linecap="round"'
        return f"<line {_ends_of(line)} {stroke}/>"

    def _cell(self, cell: Cell) -> Iterator[str]:
        frame, shape = self.picture.frame, cell.shape
        empty, edge = self.palette["cell"], self.palette["edge"]
        if frame == "panel" and self.cells:
            # the whole square of the cell; the window in the panel shows a part of it
            half = _SIZES["panel"] - 2
            place = (UNIT * cell.x - half, UNIT * cell.y - half, 2 * half, 2 * half)
            yield _rectangle(*place, f'{_id(cell.id)} rx="{_SIZES["corner"]}" fill="{empty}"')
        elif shape == "hexagon":
            yield from self._hexagon(cell)
        elif shape == "square":
            paint = f'{_id(cell.id)} fill="{empty}" stroke="{edge}" stroke-width="3"'
            yield _rectangle(UNIT * cell.x - 50, UNIT * cell.y - 50, 100, 100, paint)
        elif shape == "point":
            yield _circle(cell, _SIZES["hollow"]["none"], f'{_id(cell.id)} fill-opacity="0"')
            yield _circle(cell, _SIZES["point"], f'fill="{edge}" pointer-events="none"')
        else:
            radius = _SIZES["hollow"][frame]
            yield _circle(cell, radius, f'{_id(cell.id)} fill="{empty}" stroke="{edge}" stroke-width="3"')
            if frame == "board":
                yield _circle(cell, radius, self._over("well"))
                yield _circle(cell, radius, self._over("hollow"))

    def _hexagon(self, cell: Cell) -> Iterator[str]:
        points = " ".join(_point(x, y) for x, y in corners(cell.x, cell.y))
        edge = self.palette["edge"]
        rim = 'stroke="none"' if self.picture.lines else f'stroke="{edge}" stroke-width="3"'
        yield f'<polygon {_id(cell.id)} points="{points}" fill="{self.palette["cell"]}" {rim}/>'
        if cell.owner is None:
            return
        colour = xml_text(self.picture.colours[cell.owner])
        yield f'<polygon points="{points}" fill="{colour}" fill-opacity="0.3" pointer-events="none"/>'
        letter = self.picture.sides[cell.owner][:1].upper()
        yield _centred(cell.x, cell.y, letter, size=40, colour=colour, extra=' font-weight="700"')

    def _groups(self) -> Iterator[str]:
        """Yield an outline around the cells of each group, and a label in its middle cell."""
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
        """Yield a ring in the style of a class, and its symbol inside an empty cell or beside its content."""
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
        ends = _ends_of(line)
        if line.side is None:
            symbols = self.marks.get(line.id, "")
            dots = f'stroke="{OPEN}" stroke-width="4" stroke-dasharray="2 9" stroke-linecap="round"'
            stroke = self._class_stroke(symbols, 7) if symbols else dots
            yield f"<line {_id(line.id)} {ends} {stroke}/>"
            if label := " ".join(filter(None, (line.label, symbols))):
                colour = self._class_style(symbols)[0] if symbols else FAINT
                yield from _line_label((line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2, label, colour)
            return
        if line.id in self.picture.changed:
            yield f'<line {ends} stroke="{MARK}" stroke-width="24" stroke-linecap="round"/>'
        colour = xml_text(self.picture.colours[line.side])
        yield f'<line {_id(line.id)} {ends} stroke="{colour}" stroke-width="11" stroke-linecap="round"/>'
        if line.side == 1:
            core = f'stroke="{BACKDROP}" stroke-width="3.5" stroke-linecap="round" pointer-events="none"'
            yield f"<line {ends} {core}/>"

    def _piece(self, piece: Piece, cell: Cell) -> Iterator[str]:
        colour = xml_text(self.picture.colours[piece.side])
        if piece.shape == "letter":
            extra = ' font-weight="700"'
            yield _centred(cell.x, cell.y, piece.symbol.upper(), size=70, colour=colour, extra=extra)
            return
        radius = _SIZES["disc"][self.picture.frame]
        edge = 'stroke="#000" stroke-opacity="0.45" stroke-width="2" pointer-events="none"'
        yield _circle(cell, radius, f'fill="{colour}" {edge}')
        yield _circle(cell, radius, self._over("gloss"))

    def _mark(self, cell: Cell) -> str:
        """Return the ring around a cell that the last move changed, dashed if the cell is now empty."""
        is_occupied = cell.id in self.occupied or cell.owner is not None
        dashes = "" if is_occupied else ' stroke-dasharray="9 8"'
        stroke = f'fill="none" stroke="{MARK}" stroke-width="7" pointer-events="none"'
        radius = _SIZES["ring" if is_occupied else "emptied"][self.picture.frame]
        return _circle(cell, radius, stroke + dashes)


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
                    f'font-size="{_number(size)}" fill="{TEXT}">{xml_text(text)}</text>'
                )


def _caption_width(pair: tuple[str, str]) -> float:
    """Return the width of a line of two captions, relative to the font size."""
    count = len(pair[0]) + len(pair[1]) + 2 * bool(pair[0] and pair[1])
    return CHARACTER_WIDTH * count


def _first(colour: str | Sequence[str]) -> str:
    """Return a colour of a theme for light pages."""
    return colour if isinstance(colour, str) else colour[0]


def _ends_of(line: Line | GridLine) -> str:
    places = (("x1", line.x1), ("y1", line.y1), ("x2", line.x2), ("y2", line.y2))
    return " ".join(f'{name}="{_number(UNIT * value)}"' for name, value in places)


def _around(hull: Sequence[tuple[float, float]], reach: float) -> str:
    """Return a path around a convex polygon, at distance `reach`."""
    if len(hull) == 1:
        return _circle_path(*hull[0], reach)
    parts: list[str] = []
    for (x1, y1), (x2, y2) in zip(hull, [*hull[1:], hull[0]], strict=True):
        length = math.hypot(x2 - x1, y2 - y1)
        across, down = reach * (y2 - y1) / length, reach * (x1 - x2) / length
        start, end = (f"{_number(x + across)},{_number(y + down)}" for x, y in ((x1, y1), (x2, y2)))
        parts.append(f"{f'A{reach},{reach} 0 0 1 {start}' if parts else f'M{start}'}L{end}")
    first = parts[0][1:].partition("L")[0]
    return f"{''.join(parts)}A{reach},{reach} 0 0 1 {first}Z"


def _rounded_path(left: float, top: float, right: float, bottom: float, radius: float) -> str:
    """Return a rectangle with round corners as part of a path."""
    arc = f"a{radius},{radius} 0 0 1"
    return (
        f"M{_number(left + radius)},{_number(top)}H{_number(right - radius)}{arc} {radius},{radius}"
        f"V{_number(bottom - radius)}{arc} -{radius},{radius}"
        f"H{_number(left + radius)}{arc} -{radius},-{radius}"
        f"V{_number(top + radius)}{arc} {radius},-{radius}Z"
    )


def _circle_path(x: float, y: float, radius: float) -> str:
    """Return a circle as part of a path."""
    half = f"a{radius},{radius} 0 1 0"
    return f"M{_number(x - radius)},{_number(y)}{half} {2 * radius},0{half} -{2 * radius},0Z"


def _circle(cell: Cell, radius: float, paint: str) -> str:
    centre = f'cx="{_number(UNIT * cell.x)}" cy="{_number(UNIT * cell.y)}"'
    return f'<circle {centre} r="{_number(radius)}" {paint}/>'


def _rectangle(left: float, top: float, width: float, height: float, paint: str) -> str:
    place = f'x="{_number(left)}" y="{_number(top)}"'
    return f'<rect {place} width="{_number(width)}" height="{_number(height)}" {paint}/>'


def _centred(x: float, y: float, text: str, *, size: float, colour: str, extra: str = "") -> str:
    # compute the baseline, because not every renderer supports dominant-baseline
    place = f'x="{_number(UNIT * x)}" y="{_number(UNIT * y + 0.36 * size)}"'
    return (
        f'<text {place} text-anchor="middle" {FONT} font-size="{_number(size)}" fill="{colour}"{extra} '
        f'pointer-events="none">{xml_text(text)}</text>'
    )


def _line_label(x: float, y: float, text: str, colour: str) -> Iterator[str]:
    """Yield the label of an open line, on a small rectangle that interrupts the line."""
    # an outline of the letters does not work: some renderers ignore `paint-order` and draw it over them
    size = min(LINE_LABEL_SIZE, LINE_LABEL_WIDTH / (CHARACTER_WIDTH * len(text)))
    width, height = CHARACTER_WIDTH * size * len(text) + 6, 1.1 * size
    paint = f'rx="5" fill="{BACKDROP}" pointer-events="none"'
    yield _rectangle(UNIT * x - width / 2, UNIT * y - height / 2, width, height, paint)
    yield _centred(x, y, text, size=size, colour=colour)


def _id(text: str) -> str:
    return f'data-id="{xml_text(text)}"'


def _point(x: float, y: float) -> str:
    return f"{_number(UNIT * x)},{_number(UNIT * y)}"


def _number(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def xml_text(text: str) -> str:
    """Escape text for XML; characters that XML does not allow become U+FFFD.

    Examples
    --------
    >>> xml_text("a < b")
    'a &lt; b'
    """
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
