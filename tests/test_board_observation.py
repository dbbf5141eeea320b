"""Games without an observation of their own get planes that match their picture."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from othello import Othello

import boardgames
from boardgames.board_observation import grid_of, of_pictures
from boardgames.game import Game, Position, observation_of
from boardgames.kernels import Words
from boardgames.observation import HEXAGONAL, SQUARE, Places, place_images
from boardgames.picture import Cell, Picture, Piece


def undeclared(name: str, **options: Any) -> Game:
    """Return a game without its observation."""
    kind: Any = Othello if name == "othello" else type(boardgames.load(name))

    class Undeclared(kind):  # type: ignore[misc]  # a class that is only known here
        observation = Game.observation

    return Undeclared(**options)


def played(game: Game, matches: int) -> list[Position]:
    """Return positions of random matches, with the last ones."""
    generator, found = random.Random(5), list[Position]()
    for _ in range(matches):
        position = game.start()
        found.append(position)
        while position.outcome is None and len(found) < 80 * matches:
            position = position.apply_action(generator.choice(position.actions))
            found.append(position)
    return found


def shown(picture: Picture, place: int, side: int) -> set[str]:
    """Return the planes that must be 1 at a place: of the cells first, then of the lines."""
    owner = "own", "opponent's"
    if place >= len(picture.cells):
        line = picture.lines[place - len(picture.cells)]
        return set() if line.side is None else {f"{owner[line.side != side]} lines"}
    cell = picture.cells[place]
    planes = {f"{owner[piece.side != side]} pieces" for piece in picture.pieces if piece.cell == cell.id}
    return planes if cell.owner is None else planes | {f"{owner[cell.owner != side]} cells"}


GAMES = [
    ("abalone", {}, (3, 9, 9), 61, HEXAGONAL),
    ("abalone", {"layout": "alien-attack"}, (3, 9, 9), 61, HEXAGONAL),
    ("connect4", {}, (3, 6, 7), 42, SQUARE),
    ("hexifence", {"dimension": 2}, (5, 7, 7), 37, HEXAGONAL),
    ("othello", {}, (3, 6, 6), 36, SQUARE),
]


@pytest.mark.parametrize(("name", "options", "shape", "places", "taps"), GAMES)
def test_planes_show_what_is_in_the_picture(
    name: str, options: dict[str, Any], shape: tuple[int, int, int], places: int, taps: Places
) -> None:
    game = undeclared(name, **options)
    observation = observation_of(game)
    assert (observation.shape, observation.taps) == (shape, taps)
    assert observation.mask.sum() == places == len(observation.places)
    for position in played(game, 2):
        picture = position.picture()
        for side in (0, 1):
            planes = position.observation(side)
            assert not planes[:, ~observation.mask].any()
            assert (planes[-1][observation.mask] == side).all()
            for number, (row, column) in enumerate(observation.places):
                ones = np.flatnonzero(planes[:-1, row, column]).tolist()
                assert {observation.planes[plane] for plane in ones} == shown(picture, number, side)


@pytest.mark.parametrize(
    ("name", "count"), [("abalone", 11), ("connect4", 1), ("hexifence", 11), ("othello", 7)]
)
def test_symmetries_permute_the_places(name: str, count: int) -> None:
    game = undeclared(name)
    words = [position.words for position in played(game, 3) if position.outcome is None]
    side_to_move, observation = game.kernels.side_to_move, observation_of(game)
    fitting = [one for one in game.symmetries() if not one.swaps_sides]
    assert len(fitting) == count
    for symmetry in fitting:
        assert place_images(observation, symmetry, words, side_to_move) is not None


# --- other ways to pack positions -----------------------------------------------


CODES = ("", "K", "Q", "k", "q")
"""What may be on a cell, by the number of its 3 bits."""


def boards(count: int = 400) -> list[Words]:
    """Return boards of four cells, with three bits for each cell."""
    codes = np.random.default_rng(1).integers(0, len(CODES), (count, 4)).astype(np.uint64)
    return list((codes << np.arange(0, 12, 3, dtype=np.uint64)).sum(axis=1, keepdims=True, dtype=np.uint64))


def pieces_of(words: Words) -> tuple[Piece, ...]:
    codes = [CODES[int(words[0]) >> 3 * cell & 7] for cell in range(4)]
    return tuple(Piece(f"c{cell}", int(code.islower()), code) for cell, code in enumerate(codes) if code)


def board_at(*middles: tuple[float, float]) -> Callable[[Words], Picture]:
    """Return what draws a board with these middles of its four cells."""
    cells = tuple(Cell(f"c{cell}", x, y) for cell, (x, y) in enumerate(middles))
    return lambda words: Picture(cells, pieces_of(words))


SQUARES = board_at((0, 0), (1, 0), (0, 1), (1, 1))


@pytest.mark.plain
def test_kinds_of_pieces_are_read_from_several_bits() -> None:
    observation = of_pictures(boards(), SQUARES)
    assert observation is not None
    kinds = "own pieces 1", "own pieces 2", "opponent's pieces 1", "opponent's pieces 2"
    assert observation.planes == (*kinds, "seen by side 1")
    board = np.array([0o2013], dtype=np.uint64)  # k, K, nothing and Q
    king, queen, other = [[0, 1], [0, 0]], [[0, 0], [0, 1]], [[1, 0], [0, 0]]
    none, every = [[0, 0], [0, 0]], [[1, 1], [1, 1]]
    assert observation.array(board, 0).tolist() == [king, queen, other, none, none]
    assert observation.array(board, 1).tolist() == [other, none, king, queen, every]


@pytest.mark.plain
def test_cells_without_rows_and_columns_form_one_row() -> None:
    observation = of_pictures(boards(), board_at((0, 0), (1, 0.3), (0.2, 0.9), (1.4, 1.4)))
    assert observation is not None
    assert observation.shape == (5, 1, 4)


@pytest.mark.plain
def test_places_far_apart_form_one_row() -> None:
    assert grid_of([(0, 0), (30, 30)])[:2] == (1, 2)


def piece_list(words: Words) -> Picture:
    """Draw a piece whose cell is a number of two bits, which no single bit tells."""
    cells = tuple(Cell(f"c{cell}", cell, 0) for cell in range(4))
    return Picture(cells, (Piece(f"c{int(words[0]) & 3}", 0, "x"),))


def growing(words: Words) -> Picture:
    """Draw a cell for each number up to the content of the first cell."""
    return Picture(tuple(Cell(f"c{cell}", cell, 0) for cell in range(1 + (int(words[0]) & 7))))


@pytest.mark.plain
@pytest.mark.parametrize(
    "draw",
    [piece_list, growing, lambda words: Picture(), lambda words: Picture((Cell("a", 0, 0),))],
    ids=["a list of pieces", "cells that come and go", "no cells", "nothing on a cell"],
)
def test_boards_that_no_bits_tell_are_not_seen(draw: Callable[[Words], Picture]) -> None:
    assert of_pictures(boards(), draw) is None


@pytest.mark.plain
def test_without_positions_nothing_is_seen() -> None:
    assert of_pictures([], SQUARES) is None


@pytest.mark.plain
def test_few_positions_are_drawn() -> None:
    drawn = []

    def draw(words: Words) -> Picture:
        drawn.append(words)
        return SQUARES(words)

    of_pictures(boards(4000), draw)
    assert 16 <= len(drawn) < 100
