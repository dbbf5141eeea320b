"""The observation of a game that declares none: planes that show the board.

The places are the cells of the picture and the midpoints of its lines. The planes show what the picture has
there: the pieces of each side, the cells it owns and the lines it has drawn. Drawing every position would be
too slow. Instead, some positions from random matches are drawn once and compared with their packed form, to
find the bits that identify what is at each place. A kernel then only reads these bits.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from boardgames.draw.lattice import ROW_STEP, Point
from boardgames.kernels import Bytes, Observe, Words, has_bit, kernel
from boardgames.observation import HEXAGONAL, SQUARE, Observation, Places
from boardgames.picture import Picture

SIGHTINGS = 8
"""Positions are drawn until each bit has been 0 in this many of them, and 1 in as many."""
MOST_BITS = 8
"""Maximum number of bits that identify what is at a place."""
MOST_PLANES = 60
"""Maximum number of planes that show the board."""
MOST_EMPTY = 4
"""If a grid had more than this many points per place, the places form a single row instead."""
TOLERANCE = 0.01
"""Maximum distance of a place from its grid point, as a fraction of the grid spacing."""

Bits = npt.NDArray[np.bool_]
What = Literal["pieces", "cells", "lines"]
WHATS: tuple[What, ...] = ("pieces", "cells", "lines")


class Content(NamedTuple):
    """What is at a place: a piece with its symbol, the owner of a cell, or a line that a side has drawn."""

    what: What
    side: int
    symbol: str = ""


Contents = frozenset[Content]
"""Everything at one place."""


class Grid(NamedTuple):
    """A grid: its size, the row and column of each place, and which places are neighbours."""

    rows: int
    columns: int
    places: Places
    taps: Places = SQUARE


def of_pictures(positions: Sequence[Words], draw: Callable[[Words], Picture]) -> Observation | None:
    """Return an observation that shows the board, or None if no bits identify what is at each place.

    The planes of the observing side come first; the last plane is 1 if side 1 observes. Nothing but the board
    is shown, so pieces in a tray, for example, are missing.

    Parameters
    ----------
    positions : sequence of uint64[n]
        Positions from random matches, in random order. Only some of them are drawn.
    draw : callable
        Returns the picture of a packed position.

    Examples
    --------
    >>> import boardgames
    >>> from boardgames.observation import random_positions
    >>> game = boardgames.load("connect4", columns=4, rows=4)
    >>> positions = random_positions(game.kernels, game.facts.actions, [game.start().words])
    >>> observation = of_pictures(positions, lambda words: game.unpack(words).picture())
    >>> observation.planes
    ('own pieces', "opponent's pieces", 'seen by side 1')
    >>> observation.array(game.parse("11").words, 0)[:2, :, 0].tolist()
    [[0, 0, 0, 1], [0, 0, 1, 0]]
    """
    if not positions:
        return None
    bits = _unpacked(positions)
    drawn = _to_draw(bits)
    pictures = [draw(positions[index]) for index in drawn]
    points = places_of(pictures[0])
    if not points or any(places_of(picture) != points for picture in pictures):
        return None
    seen = list(zip(*map(contents_of, pictures), strict=True))
    names, planes_of = _planes({content for at_place in seen for here in at_place for content in here})
    telling = [_telling_bits(at_place, bits[drawn]) for at_place in seen]
    if not names or len(names) > MOST_PLANES or None in telling:
        return None
    bits_of = _padded([chosen or [] for chosen in telling])
    shown = np.zeros((2, len(points), 1 << bits_of.shape[1]), dtype=np.int64)
    for place, at_place in enumerate(seen):
        used = bits_of[place][bits_of[place] >= 0]
        numbers = bits[np.ix_(drawn, used)] @ (1 << np.arange(len(used)))
        for number, here in zip(numbers.tolist(), at_place, strict=True):
            shown[:, place, number] = planes_of(here, 0), planes_of(here, 1)
    grid = grid_of(points)
    return Observation(_kernel(grid, len(names), bits_of, shown), (*names, "seen by side 1"), *grid)


def places_of(picture: Picture) -> list[Point]:
    """Return the middles of the cells and of the lines of a picture."""
    lines = [((line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2) for line in picture.lines]
    return [(cell.x, cell.y) for cell in picture.cells] + lines


def contents_of(picture: Picture) -> list[Contents]:
    """Return what is at each of the places of a picture."""
    pieces: dict[str, set[Content]] = {}
    for piece in picture.pieces:
        pieces.setdefault(piece.cell, set()).add(Content("pieces", piece.side, piece.symbol))
    cells = [frozenset(pieces.get(cell.id, set()) | _owned("cells", cell.owner)) for cell in picture.cells]
    return cells + [frozenset(_owned("lines", line.side)) for line in picture.lines]


def _owned(what: What, side: int | None) -> set[Content]:
    return set() if side is None else {Content(what, side)}


def grid_of(points: Sequence[Point]) -> Grid:
    """Return a grid of points: square, sheared if the points are hexagonal, or else a single row.

    Examples
    --------
    >>> grid_of([(0, 0), (1, 0), (0.5, 0.5), (0, 1), (1, 1)])[:3]
    (3, 3, ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2)))
    >>> grid_of([(0, 0), (1, 0), (0.5, 3**0.5 / 2)])[:3]
    (2, 2, ((0, 0), (0, 1), (1, 0)))
    >>> grid_of([(0, 0), (1, 0.3), (0.2, 0.9)])[:2]
    (1, 3)
    """
    xs, ys = np.array(points, dtype=float).T
    ys = ys - ys.min()
    for taps, down, right in ((SQUARE, ys, xs), (HEXAGONAL, ys / ROW_STEP, xs - ys / ROW_STEP / 2)):
        for step in (1.0, 0.5):  # half a cell if there are lines between the cells
            exact = np.stack([down, right - right.min()], axis=1) / step
            places = np.rint(exact).astype(int)
            rows, columns = (int(size) for size in places.max(axis=0) + 1)
            is_exact = np.abs(exact - places).max() <= TOLERANCE
            listed = tuple((row, column) for row, column in places.tolist())
            if is_exact and len(set(listed)) == len(points) and rows * columns <= MOST_EMPTY * len(points):
                return Grid(rows, columns, listed, taps)
    return Grid(1, len(points), tuple((0, column) for column in range(len(points))))


def _unpacked(positions: Sequence[Words]) -> Bits:
    """Return the bits of positions, `bool[n, words * 64]`."""
    little = np.array(positions).astype("<u8")
    return np.unpackbits(little.view(np.uint8), axis=1, bitorder="little").astype(np.bool_)


def _to_draw(bits: Bits) -> list[int]:
    """Return the indices of the positions to draw: a position is skipped if it has no rare bits."""
    bits = bits[:, bits.any(axis=0) & ~bits.all(axis=0)]
    seen = np.zeros((2, bits.shape[1]), dtype=int)
    drawn: list[int] = []
    for index, position in enumerate(bits):
        if not drawn or (np.where(position, seen[1], seen[0]) < SIGHTINGS).any():
            drawn.append(index)
            seen += [~position, position]
    return drawn


def _telling_bits(seen: Sequence[Contents], bits: Bits) -> list[int] | None:
    """Return a small set of bits that identifies what is at a place, or None if there is no such set.

    A bit can only be used if it always has the same value for the same contents.
    """
    cases = [bits[[one == contents for one in seen]] for contents in dict.fromkeys(seen)]
    values = np.array([case[0] for case in cases])
    is_fixed = np.all([(case == case[0]).all(axis=0) for case in cases], axis=0)
    usable = np.flatnonzero(is_fixed & (values != values[0]).any(axis=0)).tolist()
    chosen: list[int] = []
    told = 1
    while told < len(cases):
        counts = {bit: len(np.unique(values[:, [*chosen, bit]], axis=0)) for bit in usable}
        best = max(counts, key=counts.__getitem__, default=-1)
        if best < 0 or counts[best] == told or len(chosen) == MOST_BITS:
            return None
        told = counts[best]
        chosen.append(best)
    return chosen


def _planes(contents: set[Content]) -> tuple[tuple[str, ...], Callable[[Contents, int], int]]:
    """Return the names of the planes, and a function that returns the planes of a place as bits.

    The symbols of the two sides are matched in alphabetical order.
    """
    ranks: dict[Content, tuple[What, int]] = {}
    for what in WHATS:
        for side in (0, 1):
            same = sorted(content for content in contents if content[:2] == (what, side))
            ranks |= {content: (what, rank) for rank, content in enumerate(same)}
    kinds = sorted(set(ranks.values()), key=lambda kind: (WHATS.index(kind[0]), kind[1]))
    numbered = {what for what, rank in kinds if rank}
    names = tuple(
        f"{owner} {what}" + (f" {rank + 1}" if what in numbered else "")
        for owner in ("own", "opponent's")
        for what, rank in kinds
    )

    def planes_of(here: Contents, side: int) -> int:
        planes = [kinds.index(ranks[one]) + (0 if one.side == side else len(kinds)) for one in here]
        return sum(1 << plane for plane in planes)

    return names, planes_of


def _padded(lists: Sequence[list[int]]) -> npt.NDArray[np.int64]:
    """Return lists as the rows of an array, padded with -1."""
    width = max(map(len, lists))
    return np.array([one + [-1] * (width - len(one)) for one in lists], dtype=np.int64)


def _kernel(
    grid: Grid, planes: int, bits_of: npt.NDArray[np.int64], shown: npt.NDArray[np.int64]
) -> Callable[[Words, int, Bytes], None]:
    """Return the kernel `observe`.

    Parameters
    ----------
    bits_of : int64[places, k]
        The bits that identify what is at each place, padded with -1.
    shown : int64[2, places, 2 ** k]
        For each side, place and combination of its bits: the planes that are 1 there, as a bit set.
    """
    size, places, most = grid.rows * grid.columns, len(grid.places), bits_of.shape[1]
    points = np.array([row * grid.columns + column for row, column in grid.places])

    @kernel(Observe)
    def observe(position: Words, side: int, out: Bytes) -> None:
        seen_by = 1 if side == 1 else 0  # a wrong side must not read outside of the tables
        for index in range((planes + 1) * size):
            out[index] = 0
        for place in range(places):
            combination = 0
            for index in range(most):
                bit = bits_of[place, index]
                if bit >= 0 and has_bit(position[bit >> 6], bit & 63):
                    combination |= 1 << index
            for plane in range(planes):
                out[plane * size + points[place]] = (shown[seen_by, place, combination] >> plane) & 1
            out[planes * size + points[place]] = seen_by

    return observe
