"""Geometry of the Abalone board against cube coordinates."""

import numpy as np
import numpy.typing as npt
import pytest
from reference.abalone import Cell, beside, cell_named, is_on_board, name_of

from boardgames_abalone import board
from boardgames_abalone.board import (
    BIT_OF_CELL,
    BIT_STEPS,
    BOARD_HIGH,
    BOARD_LOW,
    CELL_NAMES,
    CELL_OF_BIT,
    CELL_OF_NAME,
    CELLS,
    CENTRE,
    DIRECTIONS,
    DISTANCES,
    LAYOUT_ALIASES,
    LAYOUTS,
    NEIGHBOURS,
    ROW_LENGTHS,
    ROWS,
    SYMMETRIES,
    layout_named,
)

# cube coordinates of the steps in the order of DIRECTIONS
STEPS: tuple[Cell, ...] = ((-1, 0, 1), (0, -1, 1), (1, -1, 0), (1, 0, -1), (0, 1, -1), (-1, 1, 0))

TABLES = {
    name: table
    for name, table in vars(board).items()
    if isinstance(table, np.ndarray) and not name.startswith("_")
}


def test_the_first_cell_has_three_neighbours() -> None:
    assert NEIGHBOURS[0].tolist() == [-1, -1, -1, 1, 6, 5]


def test_directions_run_clockwise_from_west() -> None:
    names = [CELL_NAMES[cell] for cell in NEIGHBOURS[CENTRE]]
    assert dict(zip(DIRECTIONS, names, strict=True)) == {
        "west": "e4",
        "north-west": "f5",
        "north-east": "f6",
        "east": "e6",
        "south-east": "d5",
        "south-west": "d4",
    }


@pytest.mark.parametrize("direction", range(6), ids=DIRECTIONS)
def test_neighbours_are_one_step_away_in_cube_coordinates(direction: int) -> None:
    places = [beside(cell_named(name), STEPS[direction]) for name in CELL_NAMES]
    expected = [CELL_OF_NAME[name_of(place)] if is_on_board(place) else -1 for place in places]
    assert NEIGHBOURS[:, direction].tolist() == expected


def test_cells_are_numbered_from_the_top_row_left_to_right() -> None:
    assert [CELL_NAMES[cell] for cell in (0, 4, 5, 26, 30, 34, 56, 60)] == [
        "i5", "i9", "h4", "e1", "e5", "e9", "a1", "a5",
    ]  # fmt: skip
    assert [sum(name[0] == row.lower() for name in CELL_NAMES) for row in ROWS] == list(ROW_LENGTHS)


def test_cells_are_found_by_name() -> None:
    assert [CELL_OF_NAME[name] for name in CELL_NAMES] == list(range(CELLS))


def test_distances_match_cube_coordinates() -> None:
    cubes = np.array([cell_named(name) for name in CELL_NAMES])
    expected = abs(cubes[:, None] - cubes[None, :]).sum(axis=2) // 2
    assert DISTANCES.tolist() == expected.tolist()


def test_bits_and_cells_map_to_each_other() -> None:
    assert [int(CELL_OF_BIT[bit]) for bit in BIT_OF_CELL] == list(range(CELLS))
    assert (CELL_OF_BIT >= 0).sum() == CELLS


@pytest.mark.parametrize("direction", range(6), ids=DIRECTIONS)
def test_a_step_is_one_shift_and_leads_to_a_guard_bit_off_the_board(direction: int) -> None:
    targets = BIT_OF_CELL + BIT_STEPS[direction]
    assert ((targets >= 0) & (targets < 128)).all()
    assert CELL_OF_BIT[targets].tolist() == NEIGHBOURS[:, direction].tolist()


def test_the_board_mask_has_the_bits_of_all_cells() -> None:
    assert int(BOARD_LOW) | int(BOARD_HIGH) << 64 == sum(1 << int(bit) for bit in BIT_OF_CELL)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_tables_are_read_only(table: npt.NDArray[np.generic]) -> None:
    assert not table.flags.writeable


def test_belgian_daisy_is_the_first_layout_of_47() -> None:
    assert len(LAYOUTS) == 47
    assert next(iter(LAYOUTS)) == "belgian-daisy"


def test_layouts_differ_even_if_the_board_is_turned_or_mirrored() -> None:
    images = [
        frozenset(
            "".join(board[cell] for cell in cells).translate(str.maketrans("bw", sides))
            for cells in SYMMETRIES.values()
            for sides in ("bw", "wb")
        )
        for board in (text.replace("/", "") for text in LAYOUTS.values())
    ]
    assert len(set(images)) == len(LAYOUTS)


def test_all_layouts_but_domination_treat_the_sides_alike() -> None:
    for name, text in LAYOUTS.items():
        board = text.replace("/", "")
        swapped = board.translate(str.maketrans("bw", "wb"))
        images = {"".join(board[cell] for cell in cells) for cells in SYMMETRIES.values()}
        assert (swapped in images) == (name != "domination"), name


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("belgian", "belgian-daisy"),
        ("Belgian Daisy", "belgian-daisy"),
        ("german_daisy", "german-daisy"),
        ("Marguerite hollandaise", "dutch-daisy"),
        ("the_wall", "the-wall"),
        ("Centrifugeuse", "centrifuge"),
        ("Face \u00e0 face", "face-to-face"),
        ("C\u0153urs crois\u00e9s", "crossed-hearts"),
        ("L'Atomouche", "atomouche"),
        ("snakes_variant", "snakes-variant"),
        ("Araign\u00e9e", "spider"),
        ("Poissons d'Avril", "april-fish"),
        ("6 9", "6-9"),
        ("pillar", "pillar"),
        ("", ""),
    ],
)
def test_layouts_are_known_by_their_names_on_other_sites(alias: str, name: str) -> None:
    assert layout_named(alias) == name


def test_aliases_stand_for_layouts_and_hide_none() -> None:
    assert set(LAYOUT_ALIASES.values()) <= set(LAYOUTS)
    assert not set(LAYOUT_ALIASES) & set(LAYOUTS)
    assert all(layout_named(name) == name for name in LAYOUTS)


def test_layouts_have_the_rows_of_the_board() -> None:
    for name, text in LAYOUTS.items():
        rows = text.split("/")
        assert [len(row) for row in rows] == list(ROW_LENGTHS), name
        assert set("".join(rows)) == set(".bw"), name


def test_both_sides_have_the_published_number_of_marbles() -> None:
    for name, text in LAYOUTS.items():
        expected = {"atomouche": 12, "corners": 13}.get(name, 14)
        assert (text.count("b"), text.count("w")) == (expected, expected), name
