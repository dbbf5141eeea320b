"""A `Picture` as pixels, for programs that need images, such as environments that record videos.

The image is plainer than the SVG document: cells, lines and pieces have edges but no gloss, and there is
no text, so pieces with letters are drawn as discs. No drawing library is needed.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from boardgames.draw.lattice import corners
from boardgames.draw.svg import BACKDROP, MARK, OPEN, UNIT, WIDTH_PX, WIN, palette_of, size_of
from boardgames.draw.text import rgb_of
from boardgames.errors import OptionError, quote
from boardgames.picture import Picture

Image = npt.NDArray[np.uint8]
"""An image, `uint8[height, width, 3]`, with red, green and blue."""
Reals = npt.NDArray[np.floating[Any]]
Colour = tuple[int, int, int]

UNKNOWN_COLOURS = "#2a2a30", "#f4efe4"
"""Colours of the sides if theirs are names, which only CSS can interpret."""
GREY = 136, 136, 136
EDGE, MARGIN, RIM = 0.03, 0.2, 0.66
LINE_WIDTH, OPEN_WIDTH = 0.11, 0.05
RING_WIDTH = 0.07


def pixels(picture: Picture, *, width: int = WIDTH_PX, flipped: bool = False) -> Image:
    """Return the picture as an image of a given width, `uint8[height, width, 3]`.

    Parameters
    ----------
    flipped : bool
        Show the board from the other side.

    Raises
    ------
    OptionError
        If the width is less than 1 pixel.

    Examples
    --------
    >>> from boardgames.picture import Cell
    >>> pixels(Picture(cells=(Cell("a", 0, 0), Cell("b", 1, 0))), width=240).shape
    (140, 240, 3)
    """
    if width < 1:
        raise OptionError(f"the width of an image must be at least 1 pixel, not {quote(width)}")
    return _Canvas(picture.flipped() if flipped else picture, width).draw()


class _Canvas:
    """Paints shapes with smooth edges; coordinates and lengths are in units of the picture."""

    part: tuple[slice, slice]

    def __init__(self, picture: Picture, width: int) -> None:
        self.picture = picture
        left, top, right, bottom = picture.bounds()
        self.left, self.top = left - MARGIN, top - MARGIN
        self.scale = width / (right - left + 2 * MARGIN)
        height = max(1, round(self.scale * (bottom - top + 2 * MARGIN)))
        self.image: Reals = np.empty((height, width, 3))
        self.image[:] = _colour(BACKDROP)

    def draw(self) -> Image:
        """Paint everything from back to front, and return the image."""
        picture = self.picture
        palette = {name: _colour(colour) for name, colour in palette_of(picture).items()}
        self._draw_board(palette)
        self._draw_cells(palette)
        for line in sorted(picture.lines, key=lambda line: line.side is not None):
            is_open = line.side is None
            colour = _colour(OPEN) if line.side is None else self._of_side(line.side)
            self._segment(line.x1, line.y1, line.x2, line.y2, OPEN_WIDTH if is_open else LINE_WIDTH, colour)
        cells = {cell.id: cell for cell in picture.cells}
        radius = size_of(picture, "disc") / UNIT
        for piece in picture.pieces:
            if piece.cell in cells:
                cell, colour = cells[piece.cell], self._of_side(piece.side)
                self._disc(cell.x, cell.y, radius, palette["edge"])
                self._disc(cell.x, cell.y, radius - EDGE, colour)
        for names, mark in ((picture.changed, MARK), (picture.winning, WIN)):
            for name in names & cells.keys():
                self._ring(cells[name].x, cells[name].y, radius, _colour(mark))
        return np.rint(self.image).astype(np.uint8)

    def _draw_board(self, palette: dict[str, Colour]) -> None:
        """Paint the board or panel that holds the cells, and the printed lines."""
        picture = self.picture
        for cell in picture.cells:
            if picture.frame == "board":
                self._disc(cell.x, cell.y, RIM, palette["board"])
            elif picture.frame == "panel":
                square = [(cell.x + 2 * RIM * x, cell.y + 2 * RIM * y) for x, y in _CORNERS]
                self._polygon(square, palette["board"])
        for line in picture.grid:
            self._segment(line.x1, line.y1, line.x2, line.y2, EDGE, palette["edge"])

    def _draw_cells(self, palette: dict[str, Colour]) -> None:
        picture, empty, edge = self.picture, palette["cell"], palette["edge"]
        for cell in picture.cells:
            if picture.frame != "none" or cell.shape == "circle":
                radius = size_of(picture, "hollow") / UNIT
                self._disc(cell.x, cell.y, radius, edge)
                self._disc(cell.x, cell.y, radius - EDGE, empty)
            elif cell.shape == "point":
                self._disc(cell.x, cell.y, 0.1, edge)
            else:
                outline = [(cell.x + x, cell.y + y) for x, y in _CORNERS]
                if cell.shape == "hexagon":
                    outline = list(corners(cell.x, cell.y))
                self._polygon(outline, edge)
                inside = [(cell.x + (x - cell.x) * 0.96, cell.y + (y - cell.y) * 0.96) for x, y in outline]
                owned = None if cell.owner is None else self._of_side(cell.owner)
                self._polygon(inside, empty if owned is None else _mixed(empty, owned))

    def _of_side(self, side: int) -> Colour:
        return rgb_of(self.picture.colours[side]) or _colour(UNKNOWN_COLOURS[side])

    def _disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        across, down = self._around(x - radius, y - radius, x + radius, y + radius)
        self._paint(radius - np.hypot(across - x, down - y), colour)

    def _ring(self, x: float, y: float, radius: float, colour: Colour) -> None:
        reach = radius + RING_WIDTH
        across, down = self._around(x - reach, y - reach, x + reach, y + reach)
        self._paint(RING_WIDTH / 2 - np.abs(np.hypot(across - x, down - y) - radius), colour)

    def _segment(self, x1: float, y1: float, x2: float, y2: float, width: float, colour: Colour) -> None:
        half, length = width / 2, max((x2 - x1) ** 2 + (y2 - y1) ** 2, 1e-9)
        across, down = self._around(
            min(x1, x2) - half, min(y1, y2) - half, max(x1, x2) + half, max(y1, y2) + half
        )
        along = np.clip(((across - x1) * (x2 - x1) + (down - y1) * (y2 - y1)) / length, 0, 1)
        distance = np.hypot(across - x1 - along * (x2 - x1), down - y1 - along * (y2 - y1))
        self._paint(half - distance, colour)

    def _polygon(self, points: list[tuple[float, float]], colour: Colour) -> None:
        """Paint a convex polygon."""
        xs, ys = [x for x, _ in points], [y for _, y in points]
        across, down = self._around(min(xs), min(ys), max(xs), max(ys))
        middle = sum(xs) / len(xs), sum(ys) / len(ys)
        inside = np.full(np.broadcast(across, down).shape, np.inf)
        for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1], strict=True):
            normal = np.array((y2 - y1, x1 - x2)) / np.hypot(x2 - x1, y2 - y1)
            sign = np.sign(normal @ (middle[0] - x1, middle[1] - y1))
            inside = np.minimum(inside, sign * (normal[0] * (across - x1) + normal[1] * (down - y1)))
        self._paint(inside, colour)

    def _around(self, left: float, top: float, right: float, bottom: float) -> tuple[Reals, Reals]:
        """Return the coordinates of the columns and rows of pixels in a rectangle, and store it as `part`."""
        height, width = self.image.shape[:2]
        columns = slice(*_clipped((left - self.left) * self.scale, (right - self.left) * self.scale, width))
        rows = slice(*_clipped((top - self.top) * self.scale, (bottom - self.top) * self.scale, height))
        self.part = rows, columns
        across = (np.arange(columns.start, columns.stop) + 0.5) / self.scale + self.left
        down = (np.arange(rows.start, rows.stop) + 0.5) / self.scale + self.top
        return across[None, :], down[:, None]

    def _paint(self, depth: Reals, colour: Colour) -> None:
        """Paint a shape, given for each pixel of `part` its distance inside the shape's edge."""
        share = np.clip(depth * self.scale + 0.5, 0, 1)[:, :, None]
        self.image[self.part] += share * (np.array(colour) - self.image[self.part])


_CORNERS = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))


def _clipped(first: float, last: float, size: int) -> tuple[int, int]:
    return max(0, int(first) - 1), min(size, int(last) + 2)


def _colour(text: str) -> Colour:
    return rgb_of(text) or GREY


def _mixed(first: Colour, second: Colour) -> Colour:
    red, green, blue = ((7 * one + 3 * other) // 10 for one, other in zip(first, second, strict=True))
    return red, green, blue
