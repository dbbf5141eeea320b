"""Terminal text, compared with whole drawings."""

import re
from dataclasses import replace

import pytest
from rich.console import Console

from boardgames.draw.lattice import hexagon_places, hexagon_side, hexagonal, square
from boardgames.draw.text import plain_text, printable, styled_text
from boardgames.picture import (
    Button,
    Caption,
    Cell,
    Frame,
    GridLine,
    Group,
    Label,
    Line,
    MarkClass,
    Overlay,
    Palette,
    Picture,
    Piece,
)


def drawing(text: str) -> str:
    """Return a drawing written between bars: `|..|`."""
    lines = text.strip().splitlines()
    return "\n".join(line.strip().removeprefix("|").removesuffix("|").rstrip() for line in lines)


def square_board(rows: int, columns: int) -> Picture:
    cells = [Cell(f"{row}{column}", *square(row, column)) for row in range(rows) for column in range(columns)]
    labels = [Label(*square(rows, column), str(column + 1)) for column in range(columns)]
    return Picture(tuple(cells), labels=tuple(labels))


def hexagon_board(size: int, *drawn: int) -> Picture:
    """Return a board of hexagons with edges that are open or drawn by side 0, numbered by height."""
    centres = [hexagonal(row, column) for row, column in hexagon_places(size)]
    sides = {hexagon_side(x, y, side) for x, y in centres for side in range(6)}
    ordered = sorted(sides, key=lambda ends: (round(ends[0][1] + ends[1][1], 3), ends[0][0] + ends[1][0]))
    cells = tuple(Cell(f"c{index}", x, y, "hexagon") for index, (x, y) in enumerate(centres))
    lines = tuple(
        Line(f"e{index}", *start, *end, 0 if index in drawn else None, str(index))
        for index, (start, end) in enumerate(ordered)
    )
    return Picture(cells, lines=lines, sides=("blue", "red"), colours=("#2040c0", "#c02020"))


Ends = tuple[float, float, float, float]


def morris_board() -> tuple[tuple[Cell, ...], list[Ends]]:
    """Return the 24 points of Nine Men's Morris, and the lines between neighbours."""
    around = [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)]
    places = {
        (ring, step): (3.0 + ring * x, 3.0 + ring * y)
        for ring in (3, 2, 1)
        for step, (x, y) in enumerate(around)
    }
    pairs = [((ring, step), (ring, (step + 1) % 8)) for ring, step in places]
    pairs += [((ring, step), (ring - 1, step)) for ring, step in places if ring > 1 and step % 2]
    cells = tuple(Cell(f"p{ring}{step}", *place, "point") for (ring, step), place in places.items())
    return cells, [(*places[one], *places[other]) for one, other in pairs]


@pytest.mark.parametrize("side", [None, 0, 1], ids=["open", "first", "second"])
@pytest.mark.parametrize("label", ["", "7", "123"])
def test_lines_between_cells_never_hide_a_cell(side: int | None, label: str) -> None:
    cells, ends = morris_board()
    lines = tuple(Line(f"l{number}", *end, side, label) for number, end in enumerate(ends))
    lines += (Line("through", 0.0, 0.0, 6.0, 0.0, side, label),)  # the middle of this line is a point
    pieces = tuple(Piece(cell.id, 0, "X") for cell in cells[:12])
    for flipped in (False, True):
        text = plain_text(Picture(cells, pieces, lines, colours=("#111111", "#eeeeee")), flipped=flipped)
        assert text.count("X") == 12
        empty = plain_text(
            Picture(cells, lines=tuple(replace(line, label="-") for line in lines)), flipped=flipped
        )
        assert empty.count(".") == 24


def test_printed_lines_join_the_cells() -> None:
    cells, ends = morris_board()
    picture = Picture(
        cells, (Piece("p31", 0, "w"), Piece("p17", 1, "b")), grid=tuple(GridLine(*end) for end in ends)
    )
    expected = """
        |.-----w-----.|
        || .---.---. ||
        || | .-.-. | ||
        |.-.-b   .-.-.|
        || | .-.-. | ||
        || .---.---. ||
        |.-----.-----.|"""
    assert plain_text(picture) == drawing(expected)


def test_printed_diagonals_are_slanted() -> None:
    cells = tuple(Cell(f"{x}{y}", 2.0 * x, 2.0 * y, "point") for y in range(2) for x in range(2))
    grid = (GridLine(0, 0, 2, 2), GridLine(0, 2, 2, 0), GridLine(0, 2, 2, 2))
    cells += (Cell("m", 1.0, 1.0, "point"), Cell("n", 1.0, 3.0, "point"))
    assert plain_text(Picture(cells, grid=(*grid, GridLine(1, 3, 3, 1)))).splitlines()[2] == ".---."


def test_square_board() -> None:
    picture = replace(square_board(2, 3), pieces=(Piece("10", 0, "r"), Piece("11", 1, "b")))
    expected = """
        |. . .|
        |r b .|
        |1 2 3|"""
    assert plain_text(picture) == drawing(expected)


def test_rows_of_a_hexagonal_board_are_shifted_by_half_a_cell() -> None:
    cells = [Cell(f"{row}{column}", *hexagonal(row, column), "circle") for row, column in hexagon_places(3)]
    expected = """
        |  . . .|
        | . b . .|
        |. . . . .|
        | . . . .|
        |  . . .|"""
    assert plain_text(Picture(tuple(cells), (Piece("12", 0, "b"),))) == drawing(expected)


def test_changed_pieces_switch_case_and_emptied_cells_show_a_star() -> None:
    picture = replace(square_board(1, 3), pieces=(Piece("00", 0, "r"), Piece("01", 1, "B")))
    assert plain_text(replace(picture, changed=frozenset(["00", "01", "02"]))).startswith("R b *")


def test_winning_pieces_are_in_brackets() -> None:
    row = tuple(Piece(f"0{column}", 0, "x") for column in (0, 1, 2))
    won = replace(
        square_board(1, 4),
        pieces=row,
        winning=frozenset(["00", "01", "02", "tray"]),
        changed=frozenset(["02"]),
    )
    assert plain_text(won) == drawing(
        """
        |[x] [x] [X]  .|
        | 1   2   3   4|
        """
    )


def outlined_board() -> Picture:
    """Return a board with all edges drawn, some by the second side, and two owned cells."""
    picture = hexagon_board(2, *range(30))
    cells = (replace(picture.cells[0], owner=0), *picture.cells[1:3], replace(picture.cells[3], owner=1))
    lines = tuple(replace(line, side=int(line.id in ("e0", "e15"))) for line in picture.lines)
    return replace(picture, cells=cells + picture.cells[4:], lines=lines)


LOW = 1
"""A height that no drawing has, so that it becomes as low as possible."""


def test_hexagons_with_open_edges_are_dotted_and_show_the_labels() -> None:
    expected = """
        |       .'.'.   .'.'.|
        |     .  0 1  .  2 3  .|
        |     4       5       6|
        |   .'.'.   .'.'.   .'.'.|
        | .  7 8  .  9 10 . 11 12 .|
        |13      14      15      16|
        | .'.   .'.'.   .'.'.   .'.|
        |  17 . 18 19 . 20 21 . 22|
        |    23      24      25|
        |     .'.   .'.'.   .'.|
        |      26 . 27 28 . 29|"""
    assert plain_text(hexagon_board(2)) == drawing(expected)


def test_drawn_edges_outline_the_hexagons_and_show_who_drew_them() -> None:
    expected = r"""
        |      _/.\_   _/.\_|
        |    ./r   b\./b   b\.|
        |    |b  B   |b      |b|
        |  _/.\_   _/.\_   _/.\_|
        |./b   b\./b   b\./b   b\.|
        ||b      |b  R   |r      |b|
        |.\_   _/.\_   _/.\_   _/.|
        |  b\./b   b\./b   b\./b|
        |    |b      |b      |b|
        |    .\_   _/.\_   _/.|
        |      b\./b   b\./b|"""
    assert plain_text(outlined_board()) == drawing(expected)


def test_edges_drawn_by_the_last_move_and_their_cell_are_marked() -> None:
    picture = hexagon_board(2, 0, 1, 4, 5, 8, 9)
    cells = (replace(picture.cells[0], owner=1), *picture.cells[1:])
    changed = frozenset(["e0", "e1", "e4", "c0"])
    expected = r"""
        |       ##.##   .'.'.|
        |     .#b   b#.  2 3  .|
        |     #b [R]  |b      6|
        |   .'.\_   _/.'.   .'.'.|"""
    text = plain_text(replace(picture, cells=cells, changed=changed))
    assert text.splitlines()[:4] == drawing(expected).splitlines()


def test_open_edges_of_a_low_board_show_their_labels() -> None:
    expected = r"""
        |     0  1  2  3|
        |    4     5     6|
        |  7  8  9  10 11 12|
        |13    14    15    16|
        |  17 18 19 20 21 22|
        |   23    24    25|
        |     26 27 28 29|"""
    assert plain_text(hexagon_board(2), height=LOW) == drawing(expected)


def test_drawn_edges_of_a_low_board_outline_the_cells_and_show_who_drew_them() -> None:
    expected = r"""
        |     r/ \b b/ \b|
        |    |b B  |b    |b|
        |  b/ \b b/ \b b/ \b|
        | |b    |b R  |r    |b|
        |  \b b/ \b b/ \b b/|
        |    |b    |b    |b|
        |     \b b/ \b b/|"""
    assert plain_text(outlined_board(), height=LOW) == drawing(expected)


def test_changed_line_and_its_cell_are_marked_on_a_low_board() -> None:
    picture = hexagon_board(2, *range(30))
    cells = (replace(picture.cells[0], owner=1), *picture.cells[1:])
    changed = frozenset(["e0", "e4", "c0"])
    text = plain_text(replace(picture, cells=cells, changed=changed), height=LOW)
    top, middle, *_ = text.splitlines()
    assert top.split() == ["b#", r"\b", "b/", r"\b"]
    assert middle.split() == ["#b[R]", "|b", "|b"]


@pytest.mark.parametrize("height", [None, LOW], ids=["full", "low"])
@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_labels_of_open_edges_do_not_touch(size: int, height: int | None) -> None:
    picture = hexagon_board(size)
    labels = [line.label for line in picture.lines]
    assert re.findall(r"\d+", plain_text(picture, height=height)) == labels
    flipped = plain_text(picture, flipped=True, height=height)
    assert re.findall(r"\d+", flipped) == labels[::-1]


@pytest.mark.parametrize(("size", "step"), [(2, 1), (3, 5), (4, 17), (6, 101)])
@pytest.mark.parametrize("flipped", [False, True])
def test_every_edge_of_a_hexagon_has_a_place_of_its_own(size: int, step: int, flipped: bool) -> None:
    board = hexagon_board(size)
    for drawn in range(0, len(board.lines), step):
        text = plain_text(hexagon_board(size, drawn), flipped=flipped)
        others = [line.label for line in board.lines if line.id != f"e{drawn}"]
        assert re.findall(r"\d+", text) == (others[::-1] if flipped else others)
        assert text.count("b") == 1


def test_a_drawing_without_enough_room_becomes_lower() -> None:
    captions = Caption("top-left", "red 0"), Caption("bottom-left", "blue 0")
    picture = hexagon_board(2).with_captions(*captions)
    heights = [
        len(plain_text(picture, height=height).splitlines()) for height in (None, 15, 14, 13, 12, 10, 1)
    ]
    assert heights == [15, 15, 13, 13, 11, 9, 9]
    legend = Overlay("marks", "marked", remarks=("One.", "Two."))
    with_legend = plain_text(picture.with_overlays(legend), height=15)
    assert with_legend.startswith(plain_text(picture))


def test_only_hexagons_with_corners_at_the_top_are_dotted() -> None:
    upright = hexagon_board(2)
    turned = replace(
        upright,
        cells=tuple(replace(cell, x=cell.y, y=cell.x) for cell in upright.cells),
        lines=tuple(replace(line, x1=line.y1, y1=line.x1, x2=line.y2, y2=line.x2) for line in upright.lines),
    )
    through_cells = replace(
        upright, cells=(*upright.cells, Cell("corner", upright.lines[0].x1, upright.lines[0].y1))
    )
    for picture in (turned, through_cells):
        assert plain_text(picture) == plain_text(picture, height=LOW)
    assert plain_text(upright) != plain_text(upright, height=LOW)


def test_edges_of_square_cells_are_drawn() -> None:
    lines = (
        Line("n", -0.5, -0.5, 0.5, -0.5, 0),
        Line("e", 0.5, -0.5, 0.5, 0.5, 1),
        Line("s", -0.5, 0.5, 0.5, 0.5, None, "2"),
        Line("w", -0.5, -0.5, -0.5, 0.5, None, "3"),
    )
    expected = """
        | --f--|
        |3     |s|
        |   2|"""
    assert plain_text(Picture((Cell("c", 0.0, 0.0),), lines=lines)) == drawing(expected)


def test_captions_are_in_the_corners() -> None:
    captions = (
        Caption("top-left", "white 2"),
        Caption("top-right", "move 12"),
        Caption("bottom-right", "0:41"),
        Caption("bottom-right", "0:12"),
    )
    lines = plain_text(replace(square_board(2, 3), captions=captions)).splitlines()
    width = len(lines[0])
    assert lines[0].split() == ["white", "2", "move", "12"]
    assert lines[1] == ""
    assert lines[-3:] == ["", "0:41".rjust(width), "0:12".rjust(width)]


def test_long_captions_do_not_touch() -> None:
    captions = (Caption("top-left", "a" * 50), Caption("top-right", "b" * 50))
    assert plain_text(replace(square_board(2, 3), captions=captions)).split()[:2] == ["a" * 50, "b" * 50]


def test_control_characters_are_replaced() -> None:
    picture = replace(square_board(1, 1), captions=(Caption("top-left", "\x1b[2J\n\tname"),))
    assert plain_text(picture).splitlines()[0] == "?[2J??name"


def test_drawing_is_ascii() -> None:
    assert plain_text(hexagon_board(3, 1, 2, 3)).isascii()


def test_empty_picture_is_an_empty_text() -> None:
    assert plain_text(Picture()) == ""


@pytest.mark.parametrize("frame", ["none", "board", "panel"])
@pytest.mark.parametrize("flipped", [False, True])
def test_styled_text_has_the_characters_of_plain_text(frame: Frame, flipped: bool) -> None:
    picture = replace(
        square_board(3, 4),
        pieces=(Piece("10", 0, "r"), Piece("11", 1, "b")),
        captions=(Caption("top-left", "red"),),
        frame=frame,
    )
    styled = styled_text(picture, flipped=flipped).plain
    lines = [line.rstrip() for line in styled.split("\n")]
    assert "\n".join(lines) == plain_text(picture, flipped=flipped)


@pytest.mark.parametrize("colour", ["#fff", "#f0f0f0", "gold", "rgb(1, 2, 3)", "#12", "#gggggg", ""])
def test_any_css_colour_can_be_styled(colour: str) -> None:
    picture = replace(
        hexagon_board(2, 1), colours=(colour, colour), frame="board", palette=Palette(board=colour)
    )
    picture = replace(picture, pieces=(Piece("c0", 0, "x"), Piece("c1", 1, "o")))
    console = Console(force_terminal=True, color_system="truecolor", width=100)
    with console.capture() as capture:
        console.print(styled_text(picture))
    assert "\x1b[" in capture.get()


@pytest.mark.parametrize(("colour", "letter"), [("#111111", "#ffffff"), ("#eeeeee", "#000000")])
def test_letter_contrasts_with_its_piece(colour: str, letter: str) -> None:
    picture = replace(square_board(1, 1), pieces=(Piece("00", 0, "x"),), colours=(colour, colour))
    span = next(span for span in styled_text(picture).spans if "bold" in str(span.style))
    assert letter in str(span.style)


def test_printable_replaces_control_characters() -> None:
    assert printable("é\x1b\n\x07\ud800").isprintable()
    assert printable("Ann é") == "Ann é"


def test_buttons_are_below_the_board() -> None:
    picture = Picture(
        (Cell("a", 0, 0), Cell("b", 1, 0)), buttons=(Button("pass"), Button("swap", "Swap\x1b"))
    ).with_captions(Caption("bottom-left", "Ann"))
    assert plain_text(picture).splitlines() == [". .", "", "[pass]  [Swap?]", "", "Ann"]


def test_overlays_add_symbols_and_labels_and_a_legend_below_the_board() -> None:
    overlay = Overlay(
        "kinds",
        "open edges by kind",
        classes=(MarkClass("s", "safe", "offers nothing"), MarkClass("x", "unsafe")),
        marks={"e0": "s", "e2": "x", "c0": "x"},
        groups=(Group("a1", "chain of 1", ("c0",)),),
        remarks=("Nobody is in control.",),
    )
    expected = r"""
        |   .'.\_|
        | . 0s  b\.|
        |2x  xa1   3|
        | .'.   .'.|
        |   4 . 5|
        ||
        |kinds: open edges by kind|
        |s safe: offers nothing|
        |x unsafe|
        |a1 chain of 1|
        |Nobody is in control.|"""
    assert plain_text(hexagon_board(1, 1).with_overlays(overlay)).split() == drawing(expected).split()


def test_marks_on_pieces_and_empty_cells_do_not_touch() -> None:
    board = replace(square_board(1, 3), pieces=(Piece("00", 0, "r"),))
    overlay = Overlay("marks", "marked", classes=(MarkClass("w", "winning"),), marks={"00": "w", "01": "w"})
    assert plain_text(board.with_overlays(overlay)).splitlines()[0].split() == ["rw", "w", "."]
