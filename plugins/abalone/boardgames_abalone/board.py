r"""Geometry of the Abalone board: cells, names, directions, bitboard layout, opening layouts.

Cells are numbered 0 to 60 from the top row, left to right; rows have the
letters I (top) to A, diagonals the digits 1 to 9:

        I  . . . . .            cells  0 to 4,  i5 to i9
       H  . . . . . .
      G  . . . . . . .               1   2
     F  . . . . . . . .               \ /
    E  . . . . . . . . .          0 -- o -- 3
     D  . . . . . . . . 9             / \
      C  . . . . . . . 8             5   4
       B  . . . . . . 7
        A  . . . . . 6          cells 56 to 60, a1 to a5
            1 2 3 4 5

Directions run clockwise: 0 west, 1 north-west, 2 north-east, 3 east, 4 south-east,
5 south-west. The neighbours of cell 0 are therefore -1 -1 -1 1 6 5.

On a bitboard of 128 bits, the cell in row r from the top on diagonal d is bit
10 (r + 1) + d - 1: a skewed 9 x 9 matrix with a column and rows of guard bits, so
that a step in any direction is one shift of the whole board.
"""

import re
import unicodedata
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

CELLS = 61
ROWS = "IHGFEDCBA"
ROW_LENGTHS = (5, 6, 7, 8, 9, 8, 7, 6, 5)
DIRECTIONS = ("west", "north-west", "north-east", "east", "south-east", "south-west")
BIT_STEPS = (-1, -10, -9, 1, 10, 9)
CENTRE = 30
MARBLES = 14
"""Number of marbles of a side at the start, except in the layouts `atomouche` and `corners`."""
MARBLES_TO_WIN = 6

_UNIT = ((0, -1), (-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1))


def _first_diagonal(row: int) -> int:
    return max(1, 5 - row)


ROW_OF = tuple(row for row in range(9) for _ in range(ROW_LENGTHS[row]))
DIAGONAL_OF = tuple(_first_diagonal(row) + index for row in range(9) for index in range(ROW_LENGTHS[row]))
CELL_NAMES = tuple(
    f"{ROWS[row].lower()}{diagonal}" for row, diagonal in zip(ROW_OF, DIAGONAL_OF, strict=True)
)
CELL_OF_NAME = MappingProxyType({name: cell for cell, name in enumerate(CELL_NAMES)})


def _neighbours() -> npt.NDArray[np.int64]:
    place = {pair: cell for cell, pair in enumerate(zip(ROW_OF, DIAGONAL_OF, strict=True))}
    table = np.full((CELLS, 6), -1, dtype=np.int64)
    for (row, diagonal), cell in place.items():
        for direction, (down, right) in enumerate(_UNIT):
            table[cell, direction] = place.get((row + down, diagonal + right), -1)
    return table


def _distances() -> npt.NDArray[np.int64]:
    """Return the distances in steps between all cells: the largest differences of their cube coordinates."""
    row, diagonal = np.array(ROW_OF), np.array(DIAGONAL_OF)
    down = row[:, None] - row[None, :]
    right = diagonal[:, None] - diagonal[None, :]
    steps: npt.NDArray[np.int64] = np.maximum(np.maximum(abs(down), abs(right)), abs(down + right))
    return steps.astype(np.int64)


NEIGHBOURS: npt.NDArray[np.int64] = _neighbours()
"""`int64[61, 6]`: neighbour by cell and direction, -1 off the board."""
DISTANCES: npt.NDArray[np.int64] = _distances()
"""`int64[61, 61]`: distance between two cells in steps."""
BIT_OF_CELL: npt.NDArray[np.int64] = np.array(
    [10 * (row + 1) + diagonal - 1 for row, diagonal in zip(ROW_OF, DIAGONAL_OF, strict=True)]
)
"""`int64[61]`: bit of a cell, 0 to 127."""
CELL_OF_BIT: npt.NDArray[np.int64] = np.full(128, -1, dtype=np.int64)
"""`int64[128]`: cell of a bit, -1 for guard bits."""
CELL_OF_BIT[BIT_OF_CELL] = np.arange(CELLS)
for _table in (NEIGHBOURS, DISTANCES, BIT_OF_CELL, CELL_OF_BIT):
    _table.flags.writeable = False
NEIGHBOURS_OF: tuple[tuple[int, ...], ...] = tuple(map(tuple, NEIGHBOURS.tolist()))
"""The same as `NEIGHBOURS`, as tuples, from which plain Python reads single numbers faster."""
MASK_OF_CELL: tuple[int, ...] = tuple(1 << bit for bit in BIT_OF_CELL.tolist())
"""For each cell, the bitboard with only its bit set, as an integer of 128 bits."""

_BOARD_BITS = sum(1 << int(bit) for bit in BIT_OF_CELL)
BOARD_LOW = np.uint64(_BOARD_BITS & (1 << 64) - 1)
BOARD_HIGH = np.uint64(_BOARD_BITS >> 64)

LAYOUTS = MappingProxyType(
    {
        "belgian-daisy": "ww.bb/wwwbbb/.ww.bb./......../........./......../.bb.ww./bbbwww/bb.ww",
        "standard": "wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb",
        "german-daisy": "...../ww..bb/www.bbb/.ww..bb./........./.bb..ww./bbb.www/bb..ww/.....",
        "swiss-daisy": "...../ww..bb/wbw.bwb/.ww..bb./........./.bb..ww./bwb.wbw/bb..ww/.....",
        "dutch-daisy": "ww.bb/wbwbwb/.ww.bb./......../........./......../.bb.ww./bwbwbw/bb.ww",
        "alien-attack": "b.b.b/.bwwb./.bwbwb./...bb.../........./...ww.../.wbwbw./.wbbw./w.w.w",
        "domination": "...../w....b/ww...bb/wwww.bbb/...b.b.../bbb.wwww/bb...ww/b....w/.....",
        "the-wall": "..w../....../.wwwww./wwwwwwww/........./bbbbbbbb/.bbbbb./....../..b..",
        "infiltration": ".bwb./.bbbb./.bwbwb./.b....b./........./.w....w./.wbwbw./.wwww./.wbw.",
        "fujiyama": "wwwww/.wbbw./..wbw../...ww.../........./...bb.../..bwb../.bwwb./bbbbb",
        "atomouche": "bw.../w..bwb/..b..../b.w....w/w..b.w..b/b....b.w/....w../wbw..b/...bw",
        "centrifuge": ".www./b....b/bb.w.bb/bb....bb/........./ww....ww/ww.b.ww/w....w/.bbb.",
        "snakes": "bbbbb/b...../b....../b..bbww./.b.b.w.w./.bbww..w/......w/.....w/wwwww",
        "snakes-variant": "bbbbb/b...../b....../b.wwwww./.b.....w./.bbbbb.w/......w/.....w/wwwww",
        "alliances": "...../.wwbb./.w.wbb./.w.bw.b./.w.b.w.b./.w.bw.b./.wwb.b./.wwbb./.....",
        "star": "b...w/.w..b./w.b.w.b/...wb.../wbwb.wbwb/...wb.../w.b.w.b/.w..b./b...w",
        "corners": "bb.ww/bw..bw/......./w..b...b/wb.....wb/w...w..b/......./bw..bw/bb.ww",
        "duel": ".w.b./wwwbbb/..w.b../b......w/bb.....ww/b......w/..w.b../wwwbbb/.w.b.",
        "crossed-hearts": "bb.bb/b.bb.b/.b...b./..b.wb../...b.w.../..wb.w../.w...w./w.ww.w/ww.ww",
        "face-to-face": "...../....../ww...bb/www..bbb/wwww.bbbb/www..bbb/ww...bb/....../.....",
        "6-9": "...../wwwwww/wbw...w/.ww..ww./........./.bb..bb./b...bwb/bbbbbb/.....",
        "aliening": "..w../.bbbb./.b.w.b./bwb..bwb/........./wbw..wbw/.w.b.w./.wwww./..b..",
        "alitration": ".wbw./..bb../w.bwb.w/.wb..bw./........./.bw..wb./b.wbw.b/..ww../.bwb.",
        "anglattack": "ww.bb/wb..wb/..b.w../......../wbbw.bwwb/......../..b.w../wb..wb/ww.bb",
        "april-fish": "w.www/.wwwbw/.w.www./....w.../........./...b..../.bbb.b./bwbbb./bbb.b",
        "buttonhole": "...../.wwbb./......./bb.wb.ww/bwbw.bwbw/bb.wb.ww/......./.wwbb./.....",
        "checkerboard": "...../bwbwbw/......./wbwbwbwb/........./bwbwbwbw/......./wbwbwb/.....",
        "cross": "bb.ww/b.bw.w/.b...w./..b.ww../...b.w.../..bb.w../.b...w./b.bw.w/bb.ww",
        "crown": "..b../b.bb.b/.bbwbb./..bbbb../........./..wwww../.wwbww./w.ww.w/..w..",
        "forcing": "...../....../..w.b../bwwwbbbw/bbbw.bwww/bwwwbbbw/..w.b../....../.....",
        "fracture": "..b../..w.../..w.bbb/..w.bwww/.bww.bbw./bbbw.b../www.b../...b../..w..",
        "french-king-cake": "w.bbb/w.b.../w....ww/.ww..w.w/b.......w/b.b..bb./bb....b/...w.b/www.b",
        "infiltralien": "wbwbw/.wwww./..bbb../...ww.../........./...bb.../..www../.bbbb./bwbwb",
        "intimidation": ".www./b.ww../bbwww../bbb...../........./.....www/..bbbww/..bb.w/.bbb.",
        "labyrinth": "..bwb/.w...b/.wbw..b/.w..w..w/.w.b.w.b./b..b..b./w..bwb./w...b./wbw..",
        "mosaic": "wwwww/.bbbb./..www../...bb.../........./...ww.../..bbb../.wwww./bbbbb",
        "neko": "..www/..wb.w/..wwwbw/.....ww./..b...w../.bb...../bwbbb../b.wb../bbb..",
        "octopus": "wbw../b.w.../wwbwww./..w...b./..w...b../.w...b../.bbbwbb/...b.w/..bwb",
        "pyramid": "w..../ww..../www..../wwww..../wwww.bbbb/....bbbb/....bbb/....bb/....b",
        "scottish-daisy": "wb.wb/bwwbbw/.wb.wb./......../........./......../.bw.bw./wbbwwb/bw.bw",
        "slaloms": ".wwww/.w..../..wwwww/.......w/.bbb.www./b......./bbbbb../....b./bbbb.",
        "snowflake": ".b.w./bw..bw/..w.b../w..bw..b/.wb...wb./w..wb..b/..w.b../bb..ww/.b.w.",
        "spider": "w...w/.w..w./..w.w../..wwww../bbbb.wwww/..bbbb../..b.b../.b..b./b...b",
        "tinsels": ".bwbw/.w..../..bwbwb/.......w/.wbw.bwb./b......./wbwbw../....b./bwbw.",
        "trench": "...../wwwwww/.bbbbb./..www.../........./...bbb../.wwwww./bbbbbb/.....",
        "wheel": "w...w/.w..w./..w.w../..wbwb../bbwb.wbww/..wbwb../..b.b../.b..b./b...b",
        "xmas-star": "..w../..ww../bbw.bbb/.bb..bb./..b...w../.ww..ww./www.bww/..bb../..b..",
    }
)
"""Opening layouts by name as board strings: rows I to A from the top, b black, w white.

Sources: the servers Aba-Pro and MiGs and the MindSports page on Abalone. The layouts from `snakes-variant`
on are in at least two of the public programs gym-abalone, KAAH and Abalassembly, those from `6-9` on in
gym-abalone and KAAH, which agree up to symmetry. Layouts that differ between the sides, such as
`french-daisy`, and those found in only one program, such as `sibe`, are left out.
"""

LAYOUT_ALIASES = MappingProxyType(
    {
        "69": "6-9",
        "aliances": "alliances",
        "alien": "alien-attack",
        "alienage": "aliening",
        "araignee": "spider",
        "belgian": "belgian-daisy",
        "boutonniere": "buttonhole",
        "centrifugeuse": "centrifuge",
        "classic": "standard",
        "classical": "standard",
        "classique": "standard",
        "coeurs-croises": "crossed-hearts",
        "coins": "corners",
        "couronne": "crown",
        "croix": "cross",
        "damier": "checkerboard",
        "dutch": "dutch-daisy",
        "etoile": "star",
        "face-2-face": "face-to-face",
        "face-a-face": "face-to-face",
        "flocons-de-neige": "snowflake",
        "forcage": "forcing",
        "french-king-cake1": "french-king-cake",
        "galette": "french-king-cake",
        "german": "german-daisy",
        "guirlandes": "tinsels",
        "l-atomouche": "atomouche",
        "labyrinthe": "labyrinth",
        "le-mur": "the-wall",
        "marguerite-allemande": "german-daisy",
        "marguerite-belge": "belgian-daisy",
        "marguerite-ecossaise": "scottish-daisy",
        "marguerite-hollandaise": "dutch-daisy",
        "marguerite-suisse": "swiss-daisy",
        "mosaique": "mosaic",
        "pieuvre": "octopus",
        "poissons-d-avril": "april-fish",
        "pyramide": "pyramid",
        "roue": "wheel",
        "serpents": "snakes",
        "serpents-variante": "snakes-variant",
        "snakes-variante": "snakes-variant",
        "snakes-variation": "snakes-variant",
        "swiss": "swiss-daisy",
        "tranchee": "trench",
        "wall": "the-wall",
        "wedding-rings": "alliances",
    }
)
"""Layouts by the names that servers and other programs use, in the simplified spelling of `layout_named`."""


def layout_named(name: str) -> str:
    """Return the canonical name of a layout, given its name or an alias; return an unknown name unchanged.

    Case, accents, and whether words are separated by spaces, underscores or hyphens do not matter.

    Examples
    --------
    >>> layout_named("Belgian Daisy"), layout_named("the_wall"), layout_named("Étoile")
    ('belgian-daisy', 'the-wall', 'star')
    >>> layout_named("pillar")
    'pillar'
    """
    plain = unicodedata.normalize("NFKD", name.casefold().replace("\u0153", "oe"))
    simple = "-".join(re.findall("[a-z0-9]+", re.sub("[\u0300-\u036f]", "", plain)))
    simple = LAYOUT_ALIASES.get(simple, simple)
    return simple if simple in LAYOUTS else name


def _symmetries() -> dict[str, tuple[int, ...]]:
    """Return the images of all cells under the rotations and reflections of the board."""
    places = [(row - 4, diagonal - 5) for row, diagonal in zip(ROW_OF, DIAGONAL_OF, strict=True)]
    number = {place: cell for cell, place in enumerate(places)}
    maps = {}
    for mirrored in (False, True):
        turned = [(right, down) if mirrored else (down, right) for down, right in places]
        for turns in range(6):
            name = f"rotation by {60 * turns} degrees" if turns else ""
            names = ["reflection" if mirrored else "", name]
            maps[" and ".join(part for part in names if part)] = tuple(number[p] for p in turned)
            turned = [(-right, down + right) for down, right in turned]
    return maps


SYMMETRIES = MappingProxyType(_symmetries())
"""Image of each cell, by name of the symmetry; the first, without a name, is the identity."""


def _half_boards() -> npt.NDArray[np.uint64]:
    """Return, for each of the three axes, the cells on its first 1 to 8 lines."""
    lines = (ROW_OF, tuple(d - 1 for d in DIAGONAL_OF), None)
    table = np.zeros((3, 8, 2), dtype=np.uint64)
    for axis, line_of in enumerate(lines):
        for cell in range(CELLS):
            line = line_of[cell] if line_of else ROW_OF[cell] + DIAGONAL_OF[cell] - 5
            bit = int(BIT_OF_CELL[cell])
            for cut in range(line, 8):
                table[axis, cut, bit >> 6] |= np.uint64(1 << (bit & 63))
    return table


def _rings() -> npt.NDArray[np.uint64]:
    """Return the cells at least 1, 2, 3 and 4 steps from the centre."""
    table = np.zeros((4, 2), dtype=np.uint64)
    for cell in range(CELLS):
        bit = int(BIT_OF_CELL[cell])
        for distance in range(int(DISTANCES[CENTRE, cell])):
            table[distance, bit >> 6] |= np.uint64(1 << (bit & 63))
    return table


HALF_BOARDS: npt.NDArray[np.uint64] = _half_boards()
"""`uint64[3, 8, 2]`: cells on the first 1 to 8 lines of an axis.

The distance between two cells is half the sum of their differences in row, diagonal and
antidiagonal. So the distances of all pairs of marbles can be added up by counting, for each cut
between two lines, the marbles before and behind it, as `terms.density` does.
"""
OUTER_RINGS: npt.NDArray[np.uint64] = _rings()
"""`uint64[4, 2]`: cells at least 1, 2, 3 and 4 steps from the centre."""
BORDER_LOW, BORDER_HIGH = OUTER_RINGS[3]
for _bitboards in (HALF_BOARDS, OUTER_RINGS):
    _bitboards.flags.writeable = False
