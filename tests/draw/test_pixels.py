"""Pictures as images: the colours of what is where."""

from dataclasses import replace

import numpy as np
import pytest

import boardgames
from boardgames.draw.pixels import pixels
from boardgames.draw.svg import BACKDROP, MARK, palette_of
from boardgames.draw.text import rgb_of
from boardgames.errors import OptionError
from boardgames.picture import Cell, GridLine, Line, Picture, Piece

WIDTH = 200
ROW = (Cell("a", 0, 0), Cell("b", 1, 0), Cell("c", 2, 0))


def colour_at(picture: Picture, x: float, y: float) -> tuple[int, ...]:
    """Return the colour of the pixel at a place of the picture."""
    image = pixels(picture, width=1000)
    left, top, right, _ = picture.bounds()
    scale = 1000 / (right - left + 0.4)
    return tuple(image[int((y - top + 0.2) * scale), int((x - left + 0.2) * scale)].tolist())


@pytest.mark.parametrize("width", [0, -5])
def test_an_image_without_any_width_is_refused(width: int) -> None:
    message = rf"^the width of an image must be at least 1 pixel, not {width}$"
    with pytest.raises(OptionError, match=message):
        pixels(Picture(ROW), width=width)


def test_pieces_have_the_colours_of_their_sides_and_empty_cells_that_of_the_board() -> None:
    picture = Picture(ROW, pieces=(Piece("a", 0, "x"), Piece("b", 1, "o")), colours=("#102030", "#fed"))
    assert colour_at(picture, 0, 0) == (0x10, 0x20, 0x30)
    assert colour_at(picture, 1, 0) == (0xFF, 0xEE, 0xDD)
    assert colour_at(picture, 2, 0) == rgb_of(palette_of(picture)["cell"])
    assert colour_at(picture, -0.65, 0) == rgb_of(BACKDROP)


def test_a_drawn_line_has_the_colour_of_its_side() -> None:
    lines = Line("e", 0, 0, 0, 2), Line("f", 1, 0, 1, 2, side=1)
    picture = Picture(lines=lines, grid=(GridLine(0, 2, 1, 2),), colours=("#102030", "#405060"))
    assert colour_at(picture, 1, 1) == (0x40, 0x50, 0x60)
    assert colour_at(picture, 0, 1) not in (rgb_of(BACKDROP), (0x40, 0x50, 0x60))
    assert colour_at(picture, 0.5, 1) == rgb_of(BACKDROP)


def test_a_change_is_marked_with_a_ring() -> None:
    picture = replace(Picture(ROW), changed=frozenset("b"))
    image = pixels(picture, width=WIDTH)
    marked = (image == rgb_of(MARK)).all(axis=2)
    assert marked.any()
    assert not marked[:, : WIDTH // 3].any()


@pytest.mark.parametrize("name", ["abalone", "connect4", "hexifence"])
def test_every_game_can_be_drawn(name: str) -> None:
    picture = boardgames.load(name).start().picture()
    image = pixels(picture, width=WIDTH)
    assert image.dtype == np.uint8
    assert image.shape[1:] == (WIDTH, 3)
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 3


def test_the_other_side_sees_the_board_from_its_own() -> None:
    picture = Picture(ROW, pieces=(Piece("a", 0, "x"),))
    assert colour_at(picture.flipped(), 2, 0) == colour_at(picture, 0, 0) != colour_at(picture, 2, 0)
    assert np.array_equal(pixels(picture, flipped=True), pixels(picture.flipped()))


def test_colours_that_only_css_knows_are_replaced() -> None:
    picture = Picture(ROW, pieces=(Piece("a", 0, "x"),), colours=("navy", "white"))
    assert colour_at(picture, 0, 0) != rgb_of(palette_of(picture)["cell"])
