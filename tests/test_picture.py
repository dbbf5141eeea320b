"""Pictures: bounds, changes, flipping, and descriptions for screen readers."""

from dataclasses import replace

import pytest

from boardgames.picture import (
    Button,
    Caption,
    Cell,
    Direction,
    Flip,
    GridLine,
    Group,
    Label,
    Line,
    MarkClass,
    Overlay,
    Picture,
    Piece,
    Tray,
)

CELLS = (Cell("a", 0.0, 0.0), Cell("b", 1.0, 0.0), Cell("c", 1.0, 2.0))


def test_bounds_include_cells_labels_and_lines() -> None:
    picture = Picture(CELLS, labels=(Label(-1.0, 0.0, "A"),), lines=(Line("l", 0.0, 0.0, 4.0, 5.0),))
    assert picture.bounds() == (-1.4, -0.5, 4.0, 5.0)


def test_bounds_include_the_corners_of_hexagons() -> None:
    left, top, right, bottom = Picture((Cell("a", 0.0, 0.0, "hexagon"),)).bounds()
    assert (left, right) == (-0.5, 0.5)
    assert bottom == -top == 0.57735


def test_empty_picture_has_bounds() -> None:
    assert Picture().bounds() == (0.0, 0.0, 1.0, 1.0)


def test_moved_piece_changes_both_cells() -> None:
    before = Picture(CELLS, pieces=(Piece("a", 0, "x"), Piece("c", 1, "o")))
    after = Picture(CELLS, pieces=(Piece("b", 0, "x"), Piece("c", 1, "o")))
    assert after.since(before).changed == {"a", "b"}


def test_replaced_piece_is_a_change() -> None:
    before = Picture(CELLS, pieces=(Piece("c", 1, "o"),))
    after = Picture(CELLS, pieces=(Piece("c", 0, "x"),))
    assert after.since(before).changed == {"c"}


def test_drawn_line_and_owned_cell_are_changes() -> None:
    before = Picture(CELLS, lines=(Line("l", 0.0, 0.0, 1.0, 0.0), Line("m", 0.0, 1.0, 1.0, 1.0)))
    cells = (replace(CELLS[0], owner=1), *CELLS[1:])
    after = Picture(cells, lines=(replace(before.lines[0], side=1), before.lines[1]))
    assert after.since(before).changed == {"a", "l"}


def test_equal_pictures_have_no_changes() -> None:
    picture = Picture(CELLS, pieces=(Piece("a", 0, "x"),), changed=frozenset(["a"]))
    assert picture.since(picture).changed == frozenset()


def test_flipping_turns_a_board_on_a_table() -> None:
    flipped = Picture(CELLS, labels=(Label(0.0, 3.0, "1"),)).flipped()
    assert [(cell.x, cell.y) for cell in flipped.cells] == [(1.0, 2.0), (0.0, 2.0), (0.0, 0.0)]
    assert (flipped.labels[0].x, flipped.labels[0].y) == (1.0, -1.0)


def test_flipping_mirrors_a_board_that_is_seen_from_behind() -> None:
    flipped = Picture(CELLS, flip="mirror", captions=(Caption("top-left", "red"),)).flipped()
    assert [(cell.x, cell.y) for cell in flipped.cells] == [(1.0, 0.0), (0.0, 0.0), (0.0, 2.0)]
    assert flipped.captions[0].corner == "top-left"


@pytest.mark.parametrize(
    ("flip", "gravity", "flipped"),
    [
        ("turn", "down", "up"),
        ("turn", "left", "right"),
        ("mirror", "down", "down"),
        ("mirror", "right", "left"),
        ("turn", None, None),
    ],
)
def test_pieces_fall_towards_the_same_cells_on_a_flipped_board(
    flip: Flip, gravity: Direction | None, flipped: Direction | None
) -> None:
    assert Picture(CELLS, flip=flip, gravity=gravity).flipped().gravity == flipped


def test_printed_lines_are_flipped_with_the_cells() -> None:
    picture = Picture(CELLS, grid=(GridLine(0.0, 0.0, 1.0, 0.0),))
    assert picture.flipped().grid == (GridLine(0.0, 2.0, 1.0, 2.0),)
    assert picture.flipped().flipped() == picture


def test_flipping_swaps_top_and_bottom_captions() -> None:
    picture = Picture(CELLS, captions=(Caption("top-left", "white"), Caption("bottom-right", "0:10")))
    assert [caption.corner for caption in picture.flipped().captions] == ["bottom-left", "top-right"]


def test_flipping_twice_gives_the_same_picture() -> None:
    picture = Picture(CELLS, lines=(Line("l", 0.0, 0.0, 0.5, 0.25),), labels=(Label(2.0, 1.0, "1"),))
    assert picture.flipped().flipped() == picture


def test_flipping_keeps_ids_and_clicks() -> None:
    picture = Picture(CELLS, clicks={"ab": (("a", "b"),)})
    assert picture.flipped().clicks == picture.clicks
    assert [cell.id for cell in picture.flipped().cells] == ["a", "b", "c"]


def test_captions_are_appended() -> None:
    picture = Picture(captions=(Caption("top-left", "white 2"),))
    added = picture.with_captions(Caption("top-left", "0:10"))
    assert [caption.text for caption in added.captions] == ["white 2", "0:10"]


def trays() -> tuple[Tray, ...]:
    return Tray(0, "lost", pieces=(Piece("lost-1", 0, "x"),), places=6), Tray(1, "cells", 3)


def test_trays_are_captions_at_the_edge_of_their_side() -> None:
    picture = Picture(CELLS, captions=(Caption("top-right", "0:10"),), trays=trays())
    assert picture.caption_lines("bottom") == [("first lost 1 of 6", "")]
    assert picture.caption_lines("top") == [("second cells 3", "0:10")]


@pytest.mark.parametrize(("flip", "side"), [("turn", "second cells 3"), ("mirror", "first lost 1 of 6")])
def test_trays_stay_with_their_side_on_a_flipped_board(flip: Flip, side: str) -> None:
    flipped = Picture(CELLS, flip=flip, trays=trays()).flipped()
    assert flipped.caption_lines("bottom") == [(side, "")]
    assert flipped.flipped().caption_lines("bottom") == [("first lost 1 of 6", "")]


def test_a_screen_reader_gets_the_trays_and_what_won_the_match() -> None:
    text = Picture(CELLS, title="Test", trays=trays(), winning=frozenset(["b", "a"])).describe()
    assert text == "Test. first lost 1 of 6. second cells 3. first: 0. second: 0. Won by: a b."


def test_description_has_pieces_and_changes() -> None:
    pieces = (Piece("a", 0, "x"), Piece("c", 0, "x"))
    text = Picture(CELLS, pieces, title="Test", changed=frozenset(["c"])).describe()
    assert text == "Test. first: 2 on a c. second: 0. Last changed: c."


def test_description_counts_owned_cells_and_drawn_lines() -> None:
    cells = (replace(CELLS[0], owner=1), CELLS[1])
    text = Picture(cells, lines=(Line("l", 0.0, 0.0, 1.0, 0.0, 1),)).describe()
    assert "second: 1 on a, 1 lines" in text


def test_ids_are_those_of_cells_lines_and_buttons() -> None:
    picture = Picture((Cell("a1", 0, 0),), lines=(Line("e1", 0, 0, 1, 0),), buttons=(Button("pass"),))
    assert picture.ids == ("a1", "e1", "pass")


def test_description_has_the_buttons() -> None:
    assert Picture(buttons=(Button("pass", "Pass"),)).describe().endswith("Buttons: Pass.")


def test_a_screen_reader_gets_the_marks_and_groups_of_overlays() -> None:
    overlay = Overlay(
        "kinds",
        "cells by kind",
        (MarkClass("s", "safe"), MarkClass("x", "unsafe")),
        {"a": "s", "b": "s"},
        (Group("r2", "row of 2", ("a", "b")),),
        ("Red can win.",),
    )
    description = Picture(CELLS, title="Test").with_overlays(overlay).describe()
    assert description.endswith(". kinds: cells by kind. safe: a b. r2 row of 2: a b. Red can win.")


def test_overlays_stay_when_a_picture_is_flipped() -> None:
    overlay = Overlay("kinds", "cells by kind", (MarkClass("s", "safe"),), {"a": "s"})
    assert Picture(CELLS).with_overlays(overlay).flipped().overlays == (overlay,)
