"""Colours that colour-blind people can tell apart, in every theme of the page.

How people see a colour is simulated with the matrices of G. M. Machado, M. M. Oliveira and
L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE
Transactions on Visualization and Computer Graphics 15(6), 2009, at full severity. They apply to linear RGB.
Distances are those of CIE 1976 L*a*b*, contrasts those of WCAG 2.2, whose threshold for graphics is 3.
"""

import json
import math
from collections.abc import Sequence

import pytest

from boardgames import load
from boardgames.draw.svg import STYLES_FILE

STYLES = json.loads(STYLES_FILE.read_text(encoding="utf-8"))
THEMES = STYLES["themes"]
GAMES = ("abalone", "connect4", "hexifence", "tictactoe")
LEAST_DISTANCE, LEAST_CONTRAST = 30.0, 3.0
VISION = {
    "normal": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
"""From linear sRGB (IEC 61966-2-1)."""
WHITE = (0.9505, 1.0, 1.089)
"""The white of sRGB, D65."""

Colour = tuple[float, float, float]
"""Red, green and blue from 0 to 1."""


def times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> Colour:
    red, green, blue = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return red, green, blue


def parse(colour: str) -> Colour:
    digits = colour.removeprefix("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    red, green, blue = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
    return red, green, blue


def linear(colour: Colour) -> Colour:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return red, green, blue


def lab(light: Colour) -> Colour:
    """Return L*, a* and b* of a colour in linear RGB."""
    x, y, z = (
        math.cbrt(t) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116
        for t in (value / white for value, white in zip(times(TO_XYZ, light), WHITE, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(colour: Colour, vision: str) -> Colour:
    """Return how people see a colour, as linear RGB clipped to what screens can show."""
    red, green, blue = (min(1.0, max(0.0, c)) for c in times(VISION[vision], linear(colour)))
    return red, green, blue


def distance(colours: Sequence[Colour], vision: str) -> float:
    first, second = (lab(seen(colour, vision)) for colour in colours)
    return math.dist(first, second)


def luminance(colour: Colour) -> float:
    return times(TO_XYZ, linear(colour))[1]


def contrast(first: Colour, second: Colour) -> float:
    darker, lighter = sorted(map(luminance, (first, second)))
    return (lighter + 0.05) / (darker + 0.05)


def mixed(colour: Colour, recipe: str) -> Colour:
    """Return a colour with a share of another one in it, as `color-mix(in srgb, ...)` in CSS does it."""
    other, share = recipe.split()
    weight = float(share.removesuffix("%")) / 100
    red, green, blue = ((1 - weight) * a + weight * b for a, b in zip(colour, parse(other), strict=True))
    return red, green, blue


def sides_of(game: str, theme: str) -> list[Colour]:
    """Return the colours of the sides of a game, as a theme changes the lighter and the darker one."""
    colours = [parse(colour) for colour in load(game).start().picture().colours]
    if recipes := THEMES[theme].get("sides"):
        darker = min(colours, key=luminance)
        colours = [mixed(colour, recipes["darker" if colour is darker else "lighter"]) for colour in colours]
    return colours


def shades(colour: str | list[str]) -> list[Colour]:
    """Return a colour of a theme on light pages, and on dark ones."""
    return [parse(one) for one in ([colour] if isinstance(colour, str) else colour)]


def test_the_simulation_agrees_with_known_values() -> None:
    """Red, green and blue of sRGB have known L*a*b* values, and grey looks the same to everybody."""
    assert lab(linear(parse("#ff0000"))) == pytest.approx((53.24, 80.09, 67.20), abs=0.05)
    assert lab(linear(parse("#00f"))) == pytest.approx((32.30, 79.19, -107.86), abs=0.05)
    assert contrast(parse("#000000"), parse("#ffffff")) == pytest.approx(21.0)
    for vision in VISION:
        assert seen(parse("#808080"), vision) == pytest.approx(linear(parse("#808080")), abs=1e-5)
    # red and green of the same lightness are close to each other for those who lack one kind of cones
    pair = [parse("#c05a4e"), parse("#6f8433")]
    assert distance(pair, "deuteranopia") < LEAST_DISTANCE / 2 < distance(pair, "normal") / 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("game", GAMES)
def test_everybody_can_tell_the_sides_apart(game: str, theme: str) -> None:
    for vision in VISION:
        assert distance(sides_of(game, theme), vision) >= LEAST_DISTANCE, vision


@pytest.mark.parametrize("frame", THEMES["wood"]["palettes"])
@pytest.mark.parametrize("game", GAMES)
def test_pieces_stand_out_from_the_board_in_high_contrast(game: str, frame: str) -> None:
    """A piece is larger than its cell, so it is compared with the cell and with the board around it."""
    palette = THEMES["contrast"]["palettes"][frame]
    for side in sides_of(game, "contrast"):
        for name in ("cell", "board"):
            assert all(contrast(side, shade) >= LEAST_CONTRAST for shade in shades(palette[name])), name


def test_all_themes_set_the_same_colours() -> None:
    """A colour that a theme does not set would be the one of the game, or of the first theme."""
    for theme in THEMES.values():
        assert theme["colours"].keys() == THEMES["wood"]["colours"].keys()
        for frame, palette in THEMES["wood"]["palettes"].items():
            assert theme["palettes"][frame].keys() == palette.keys()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("page", [0, 1], ids=["light", "dark"])
def test_labels_of_lines_can_be_read(theme: str, page: int) -> None:
    plate, ink = (shades(THEMES[theme]["colours"][name]) for name in ("plate", "ink"))
    assert contrast(plate[page % len(plate)], ink[page % len(ink)]) >= 4.5
