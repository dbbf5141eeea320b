"""SVG: well-formed for any texts, deterministic, clickable, without overlaps."""

import importlib
import re
from dataclasses import dataclass, replace
from io import BytesIO
from math import hypot
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames import load
from boardgames.draw.lattice import corners, hexagon_side, square
from boardgames.draw.svg import WIN, svg
from boardgames.picture import (
    Button,
    Caption,
    Cell,
    Corner,
    Frame,
    Group,
    Label,
    Line,
    MarkClass,
    Overlay,
    Picture,
    Piece,
    Tray,
)

COLOUR_TOLERANCE = 30
"""Largest difference of a channel between a colour and what a renderer makes of it."""
DARK = 170
"""Brightness below which a pixel belongs to a number; paper and dots are brighter."""
NAMESPACE = "{http://www.w3.org/2000/svg}"
CELLS = tuple(Cell(f"{row}{column}", *square(row, column)) for row in range(3) for column in range(4))
BOARD = Picture(CELLS, (Piece("11", 0, "x"), Piece("12", 1, "o")), title="Test")


def parsed(picture: Picture, **options: Any) -> ET.Element:  # the options of svg
    return ET.fromstring(svg(picture, **options))


def elements(root: ET.Element, tag: str) -> list[ET.Element]:
    return list(root.iter(NAMESPACE + tag))


def numbers(element: ET.Element, *names: str) -> list[float]:
    return [float(element.get(name, "nan")) for name in names]


def test_drawing_has_a_label_for_screen_readers() -> None:
    root = parsed(BOARD)
    assert root.get("role") == "img"
    assert root.get("aria-label") == "Test. first: 1 on 11. second: 1 on 12."
    assert elements(root, "title")[0].text == "Test"


@given(st.text(max_size=20))
def test_any_text_gives_well_formed_xml(text: str) -> None:
    picture = Picture(
        cells=(Cell(text, 0.0, 0.0, "hexagon", 0), Cell("b", 1.0, 0.0, "circle")),
        pieces=(Piece("b", 1, text, "letter"),),
        lines=(Line(text, 0.0, 0.0, 1.0, 0.0, None, text),),
        labels=(Label(0.0, 1.0, text),),
        buttons=(Button(text, text),),
        captions=(Caption("top-left", text), Caption("bottom-right", text)),
        sides=(text, text),
        colours=(text, text),
        changed=frozenset([text]),
        title=text,
    )
    svg(picture).encode()
    assert parsed(picture).tag == NAMESPACE + "svg"


def test_markup_in_captions_is_escaped() -> None:
    root = parsed(BOARD.with_captions(Caption("top-left", "<script>&\"'")))
    assert not elements(root, "script")
    assert any(text.text == "<script>&\"'" for text in elements(root, "text"))


@pytest.mark.parametrize("frame", ["none", "board", "panel"])
def test_equal_pictures_give_equal_documents(frame: Frame) -> None:
    picture = replace(BOARD, frame=frame, changed=frozenset(["11", "00", "23"]))
    assert svg(picture) == svg(replace(picture, changed=frozenset(["23", "00", "11"])))


def test_width_is_respected_and_height_follows() -> None:
    root = parsed(BOARD, width=1000)
    _, _, across, down = map(float, root.get("viewBox", "").split())
    assert root.get("width") == "1000"
    assert float(root.get("height", "0")) == pytest.approx(1000 * down / across, abs=1)


def test_all_cells_and_lines_can_be_clicked() -> None:
    lines = (Line("l0", 0.0, 0.0, 1.0, 0.0), Line("l1", 0.0, 1.0, 1.0, 1.0, 1))
    root = parsed(replace(BOARD, lines=lines))
    ids = {element.get("data-id") for element in root.iter()} - {None}
    assert ids == {cell.id for cell in CELLS} | {"l0", "l1"}


def test_pieces_do_not_catch_clicks() -> None:
    root = parsed(replace(BOARD, frame="panel", changed=frozenset(["11"])))
    drawn = [element for element in elements(root, "circle") if element.get("data-id") is None]
    assert drawn
    assert {element.get("pointer-events") for element in drawn} == {"none"}


@pytest.mark.parametrize("frame", ["none", "board", "panel"])
@pytest.mark.parametrize("corner", ["top-left", "top-right", "bottom-left", "bottom-right"])
def test_captions_do_not_overlap_the_board(frame: Frame, corner: Corner) -> None:
    caption = Caption(corner, "caption")
    root = parsed(replace(BOARD, frame=frame).with_captions(caption, caption, caption))
    texts = [text for text in elements(root, "text") if text.text == "caption"]
    heights = [
        y for text in texts for y in (float(text.get("y", "nan")), float(text.get("font-size", "nan")))
    ]
    top, bottom = (-50, 250) if frame == "none" else (-62, 262)
    for baseline, size in zip(heights[::2], heights[1::2], strict=True):
        assert baseline + 0.25 * size < top or baseline - 0.8 * size > bottom


def test_captions_are_inside_the_drawing() -> None:
    captions = [
        Caption(corner, f"{corner} of forty characters {'m' * 12}") for corner in ("top-left", "top-right")
    ]
    root = parsed(BOARD.with_captions(*captions, Caption("bottom-left", "below")))
    left, top, across, down = map(float, root.get("viewBox", "").split())
    for text in elements(root, "text"):
        x, y, size = numbers(text, "x", "y", "font-size")
        assert left < x < left + across
        assert top + size / 2 < y < top + down


def test_two_long_captions_do_not_overlap() -> None:
    captions = (Caption("top-left", "a" * 40), Caption("top-right", "b" * 40))
    root = parsed(BOARD.with_captions(*captions))
    first, second = (text for text in elements(root, "text") if text.text and len(text.text) == 40)
    x1, size, x2 = *numbers(first, "x", "font-size"), *numbers(second, "x")
    assert x2 - x1 >= 80 * 0.6 * size


def test_changed_cells_have_a_ring_which_is_dashed_around_empty_ones() -> None:
    root = parsed(replace(BOARD, changed=frozenset(["11", "00"])))
    rings = [circle for circle in elements(root, "circle") if circle.get("fill") == "none"]
    dashed = {tuple(numbers(ring, "cx", "cy")): ring.get("stroke-dasharray") is not None for ring in rings}
    assert dashed == {(100.0, 100.0): False, (0.0, 0.0): True}


def test_changed_line_has_a_mark_behind_it() -> None:
    line = Line("l", 0.0, 0.0, 1.0, 0.0, 1)
    drawn = elements(parsed(replace(BOARD, lines=(line,), changed=frozenset(["l"]))), "line")
    assert [float(stroke.get("stroke-width", "0")) for stroke in drawn] == [24, 11, 3.5]


def test_changed_line_is_in_front_of_the_others() -> None:
    lines = tuple(
        Line(name, 0.0, 0.0, 1.0, 0.0, side) for name, side in (("new", 0), ("old", 1), ("open", None))
    )
    drawn = elements(parsed(replace(BOARD, lines=lines, changed=frozenset(["new"]))), "line")
    assert [stroke.get("data-id") for stroke in drawn] == ["open", "old", None, None, "new"]


@pytest.mark.parametrize(("side", "size"), [(3, "13"), (9, "34")])
def test_coordinates_are_smaller_beside_few_cells(side: int, size: str) -> None:
    cells = tuple(Cell(f"{x} {y}", x, y) for x in range(side) for y in range(side))
    root = ET.fromstring(svg(Picture(cells=cells, labels=(Label(0.0, -1.0, "A"),))))
    label = next(one for one in root.iter() if one.text == "A")
    assert float(str(label.get("font-size"))) == pytest.approx(float(size), abs=1.5)


def test_open_line_shows_its_label_and_drawn_line_its_side() -> None:
    ends = hexagon_side(0.0, 0.0, 1)
    cell = Cell("c", 0.0, 0.0, "hexagon")
    lines = tuple(Line(f"l{side}", *ends[0], *ends[1], side, "17") for side in (None, 1))
    picture = Picture((cell,), colours=("#0000ff", "#ff0000"))
    opened, drawn = (parsed(replace(picture, lines=(line,))) for line in lines)
    assert [text.text for text in elements(opened, "text")] == ["17"]
    assert not elements(drawn, "text")
    assert elements(drawn, "line")[0].get("stroke") == "#ff0000"


def test_classes_of_lines_differ_by_letter_and_dashes() -> None:
    ends = [hexagon_side(0.0, 0.0, side) for side in range(3)]
    lines = tuple(Line(f"l{side}", *start, *end, None, "7") for side, (start, end) in enumerate(ends))
    classes = (MarkClass("f", "free"), MarkClass("s", "safe"))
    overlay = Overlay("kinds", "edges by kind", classes, {"l0": "f", "l1": "s"})
    root = parsed(Picture((Cell("c", 0.0, 0.0, "hexagon"),), lines=lines).with_overlays(overlay))
    dashes = {line.get("data-id"): line.get("stroke-dasharray") for line in elements(root, "line")}
    assert len({dashes["l0"], dashes["l1"], dashes["l2"]}) == 3
    texts = [text.text for text in elements(root, "text")]
    assert texts == ["7 f", "7 s", "7", "kinds: edges by kind", "f free", "s safe"]


def test_a_group_is_outlined_through_its_cells_and_labelled() -> None:
    overlay = Overlay("rows", "rows of cells", groups=(Group("a3", "row of 3", ("00", "01", "02"), True),))
    root = parsed(Picture(CELLS).with_overlays(overlay))
    assert {path.get("d") for path in elements(root, "path")} == {"M 0,0 100,0 200,0 Z"}
    assert "a3" in [text.text for text in elements(root, "text")]


def test_the_legend_is_inside_the_drawing_below_everything_else() -> None:
    overlay = Overlay("long", "long remarks", remarks=("word " * 40,) * 3)
    root = parsed(replace(BOARD, captions=(Caption("bottom-left", "x 3"),)).with_overlays(overlay))
    _, top, _, height = map(float, (root.get("viewBox") or "").split())
    places = [numbers(text, "y")[0] for text in elements(root, "text")]
    assert places == sorted(places)
    assert places[-1] < top + height


def test_owned_cell_shows_colour_and_letter_of_its_owner() -> None:
    picture = Picture((Cell("c", 0.0, 0.0, "hexagon", 1),), sides=("blue", "red"), colours=("#00f", "#f00"))
    root = parsed(picture)
    assert [text.text for text in elements(root, "text")] == ["R"]
    assert [polygon.get("fill") for polygon in elements(root, "polygon")][1:] == ["#f00"]


def test_hexagons_have_the_corners_of_the_lattice() -> None:
    polygon = elements(parsed(Picture((Cell("c", 2.0, 1.0, "hexagon"),))), "polygon")[0]
    points = [tuple(map(float, point.split(","))) for point in polygon.get("points", "").split()]
    assert points == [(round(100 * x, 1), round(100 * y, 1)) for x, y in corners(2.0, 1.0)]


def test_flipped_drawing_shows_the_other_side() -> None:
    rings = [parsed(replace(BOARD, changed=frozenset(["00"])), flipped=flipped) for flipped in (False, True)]
    places = [numbers(elements(root, "circle")[-1], "cx", "cy") for root in rings]
    assert places == [[0.0, 0.0], [300.0, 200.0]]


def test_different_drawings_have_different_gradient_ids() -> None:
    first, second = svg(BOARD), svg(replace(BOARD, colours=("red", "gold")))
    names = [set(re.findall(r'id="(bg[^"]*)"', text)) for text in (first, second)]
    assert names[0].isdisjoint(names[1])


def test_a_tray_shows_its_pieces_free_places_and_the_piece_that_won() -> None:
    pieces = (Piece("lost-1", 0, "x"), Piece("lost-2", 0, "x"))
    tray = Tray(0, "lost", pieces=pieces, places=6)
    picture = Picture(CELLS, trays=(tray,), winning=frozenset(["lost-2"]), colours=("#123456", "#ffffff"))
    root = parsed(picture)
    left, top, across, down = map(float, root.get("viewBox", "").split())
    low = [circle for circle in elements(root, "circle") if numbers(circle, "cy")[0] > 250]
    assert sum(circle.get("fill") == "#123456" for circle in low) == 2
    assert len({circle.get("cx") for circle in low}) == 6
    (ring,) = (circle for circle in low if circle.get("stroke") == WIN)
    assert all(left < float(circle.get("cx", "nan")) < left + across for circle in low)
    assert all(top < float(circle.get("cy", "nan")) < top + down for circle in low)
    assert sorted({numbers(circle, "cx")[0] for circle in low})[1] == numbers(ring, "cx")[0]
    assert [text.text for text in elements(root, "text")] == ["first lost 2 of 6"]


def test_winning_cells_have_a_ring() -> None:
    root = parsed(replace(BOARD, winning=frozenset(["11", "12"])))
    rings = [circle for circle in elements(root, "circle") if circle.get("stroke") == WIN]
    assert [numbers(ring, "cx", "cy") for ring in rings] == [[100, 100], [200, 100]]


def test_all_gradients_in_use_are_defined() -> None:
    text = svg(replace(BOARD, frame="board", changed=frozenset(["11"])))
    assert set(re.findall(r"url\(#([^)]*)\)", text)) <= set(re.findall(r' id="([^"]*)"', text))


@pytest.mark.parametrize("frame", ["none", "board", "panel"])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_tiny_boards_can_be_drawn(frame: Frame, count: int) -> None:
    assert "NaN" not in svg(Picture(CELLS[:count], frame=frame)).upper().replace("NAN", "NaN")


def test_buttons_can_be_clicked_and_are_inside_the_drawing_between_board_and_captions() -> None:
    picture = replace(BOARD, buttons=(Button("pass"), Button("swap", "take the other side"))).with_captions(
        Caption("bottom-left", "Ann")
    )
    root = ET.fromstring(svg(picture))
    left, _, width, _ = map(float, root.attrib["viewBox"].split())
    buttons = [one for one in root.iter(f"{NAMESPACE}rect") if one.get("data-id") in ("pass", "swap")]
    assert len(buttons) == 2
    bottom = 100 * picture.bounds()[3]
    (caption,) = (one for one in root.iter(f"{NAMESPACE}text") if one.text == "Ann")
    for button in buttons:
        x, y, across, down = (float(button.attrib[name]) for name in ("x", "y", "width", "height"))
        assert left <= x <= x + across <= left + width
        assert bottom < y < y + down < float(caption.attrib["y"])


# --- the drawing in another renderer than a browser --------------------------


@dataclass(frozen=True)
class Rendered:
    """A picture as cairosvg draws it."""

    image: Any
    left: float
    top: float
    scale: float

    def colour(self, x: float, y: float) -> tuple[int, int, int]:
        """Return the colour at a point of the picture."""
        pixel = int((100 * x - self.left) * self.scale), int((100 * y - self.top) * self.scale)
        red, green, blue = self.image.getpixel(pixel)
        return red, green, blue

    def darkest(self, x: float, y: float, reach: float) -> int:
        """Return the brightness of the darkest pixel within `reach` of a point."""
        steps = [reach * step / 10 for step in range(-10, 11)]
        return min(sum(self.colour(x + across, y + down)) // 3 for across in steps for down in steps)


def rendered(picture: Picture) -> Rendered:
    cairosvg = load_cairosvg()
    from PIL import Image

    text = svg(picture, width=960)
    left, top, span, _ = map(float, ET.fromstring(text).get("viewBox", "").split())
    image = Image.open(BytesIO(cairosvg.svg2png(text.encode()))).convert("RGB")
    return Rendered(image, left, top, 960 / span)


def load_cairosvg() -> Any:
    try:
        return importlib.import_module("cairosvg")
    except ImportError:
        pytest.skip("cairosvg is not installed (extra `check`)")
    except OSError:
        pytest.skip("the library libcairo, which cairosvg needs, cannot be loaded")


def is_close(colour: tuple[int, int, int], wanted: str) -> bool:
    channels = bytes.fromhex(wanted.removeprefix("#"))
    return all(abs(one - other) <= COLOUR_TOLERANCE for one, other in zip(colour, channels, strict=True))


def after_random_moves(name: str, plies: int) -> Picture:
    position = load(name).start()
    choices = Random(1)
    for _ in range(plies):
        position = position.apply(choices.choice(position.legal_moves))
    return position.picture()


@pytest.mark.parametrize(("name", "plies"), [("abalone", 20), ("connect4", 14)])
def test_a_piece_has_the_colour_of_its_side_in_cairo(name: str, plies: int) -> None:
    picture = after_random_moves(name, plies)
    image = rendered(picture)
    cells = {cell.id: cell for cell in picture.cells}
    assert picture.pieces
    for piece in picture.pieces:
        cell = cells[piece.cell]
        assert is_close(image.colour(cell.x + 0.08, cell.y + 0.1), picture.colours[piece.side])


def test_an_edge_has_the_colour_of_its_side_in_cairo() -> None:
    picture = after_random_moves("hexifence", 36)
    image = rendered(picture)
    drawn = [line for line in picture.lines if line.side is not None]
    assert {line.side for line in drawn} == {0, 1}
    for line in drawn:
        assert line.side is not None
        along = line.x2 - line.x1, line.y2 - line.y1
        length = hypot(*along)
        aside = 0.033 * along[1] / length, -0.033 * along[0] / length  # beside the light core
        for share in (0.25, 0.5, 0.75):
            x, y = line.x1 + share * along[0] + aside[0], line.y1 + share * along[1] + aside[1]
            assert is_close(image.colour(x, y), picture.colours[line.side])


def test_the_number_of_an_open_edge_can_be_read_in_cairo() -> None:
    picture = after_random_moves("hexifence", 36)
    image = rendered(picture)
    for line in picture.lines:
        if line.side is None:
            assert image.darkest((line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2, 0.08) < DARK
