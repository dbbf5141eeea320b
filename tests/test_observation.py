"""What networks see of a position agrees with its text."""

import random
from typing import Any

import numpy as np
import pytest
from nim import Nim

import boardgames
from boardgames import PlainGame
from boardgames.declarations import Symmetry
from boardgames.errors import KernelError, PluginError, PositionError
from boardgames.game import Game, Position, observation_of
from boardgames.kernels import Bytes, Observe, Words, kernel
from boardgames.observation import Observation, of_patterns, place_images
from boardgames_abalone.board import DIAGONAL_OF, NEIGHBOURS_OF, ROW_OF

pytestmark = pytest.mark.plain

Planes = list[list[list[int]]]


def positions(game: Game, count: int = 40) -> list[Position]:
    """Return positions of random matches; they include the last ones."""
    generator, found = random.Random(1), list[Position]()
    while len(found) < count:
        position = game.start()
        found.append(position)
        while position.outcome is None and len(found) < count:
            position = position.apply_action(generator.choice(position.actions))
            found.append(position)
    return found


def abalone_planes(position: Position, side: int) -> Planes:
    """Return the planes of an Abalone position from its text: rows i to a, each sheared to nine columns."""
    board, _, *lost = str(position).split(":")
    rows = [" " * max(0, 4 - number) + row for number, row in enumerate(board.split("/"))]
    rows = [row.ljust(9) for row in rows]
    own, other = "bw"[side], "wb"[side]
    planes = [[[int(cell == colour) for cell in row] for row in rows] for colour in (own, other)]
    counts = int(lost[side]), int(lost[1 - side])
    return planes + [[[count * (cell != " ") for cell in row] for row in rows] for count in counts]


def connect4_planes(position: Position, side: int) -> Planes:
    """Return the planes of a Connect Four position from its text."""
    rows = str(position).split("/")
    return [[[int(cell == colour) for cell in row] for row in rows] for colour in ("rb"[side], "br"[side])]


def hexifence_planes(position: Position, side: int) -> Planes:
    """Return the planes of a Hexifence position from the board that the original program printed."""
    *printed, _ = position.game.format(position, notation="grid").split("\n")
    rows = [row.split() for row in printed]
    own, other = "br"[side], "rb"[side]
    is_drawn = [[int(cell in ("R", "B")) for cell in row] for row in rows]
    cells = [[[int(cell == colour) for cell in row] for row in rows] for colour in (own, other)]
    lead = position.score[side] - position.score[1 - side]
    mask = observation_of(position.game).mask
    return [is_drawn, *cells, (lead * mask).tolist()]


def tictactoe_planes(position: Position, side: int) -> Planes:
    """Return the planes of a Tic-tac-toe position from its text."""
    rows = str(position).split("/")
    return [[[int(cell == mark) for cell in row] for row in rows] for mark in ("xo"[side], "ox"[side])]


REFERENCES = [
    (lambda: boardgames.load("abalone"), abalone_planes),
    (lambda: boardgames.load("abalone", layout="alien-attack"), abalone_planes),
    (lambda: boardgames.load("connect4"), connect4_planes),
    (lambda: boardgames.load("connect4", columns=8, rows=8), connect4_planes),
    (lambda: boardgames.load("connect4", columns=5, rows=4), connect4_planes),
    (lambda: boardgames.load("hexifence", dimension=2), hexifence_planes),
    (lambda: boardgames.load("hexifence", dimension=4), hexifence_planes),
    (lambda: boardgames.load("tictactoe"), tictactoe_planes),
]


@pytest.mark.parametrize(("load", "reference"), REFERENCES)
def test_planes_show_what_the_text_of_a_position_says(load: Any, reference: Any) -> None:
    game = load()
    for position in positions(game):
        for side in (0, 1):
            planes = position.observation(side)
            assert planes.dtype == np.int8
            assert planes.tolist() == reference(position, side)
        assert (position.observation() == position.observation(position.side_to_move)).all()


def test_planes_of_abalone_count_the_marbles_that_are_lost() -> None:
    game = boardgames.load("abalone")
    position = game.parse("ww.bb/wwwbbb/.ww.bb./......../........./......../.bb.ww./bb.www/bb.w.:w:1:2")
    for side in (0, 1):
        assert position.observation(side).tolist() == abalone_planes(position, side)
    assert position.observation().max(axis=(1, 2)).tolist() == [1, 1, 2, 1]


@pytest.mark.parametrize(("name", "places"), [("abalone", 61), ("connect4", 42), ("hexifence", 91)])
def test_the_mask_has_the_places_of_the_board_and_planes_are_0_elsewhere(name: str, places: int) -> None:
    game = boardgames.load(name)
    observation = observation_of(game)
    assert observation.mask.sum() == places
    assert observation.mask.shape == observation.shape[1:]
    for position in positions(game):
        assert not position.observation()[:, ~observation.mask].any()


def test_cells_of_a_pattern_set_can_be_seen() -> None:
    game = boardgames.load("connect4")
    observation = of_patterns(boardgames.load_patterns("lines", game))
    assert observation.shape == (4, 1, 42)
    for position in positions(game):
        planes = observation.array(position.words, position.side_to_move)
        assert (planes.sum(axis=0) == 1).all()
        sets = [sorted(plane) for plane in planes.reshape(4, 42).tolist()]
        for stones in connect4_planes(position, position.side_to_move):
            assert sorted(np.ravel(stones).tolist()) in sets


def test_a_game_without_an_observation_is_seen_by_its_packed_words() -> None:
    game = Nim()
    for position in positions(game):
        bits, side = position.observation(1)
        assert side.all()
        packed = np.packbits(bits.astype(np.uint8), axis=1, bitorder="little").view(np.uint64)
        assert packed.ravel().tolist() == position.words.tolist()
        assert not position.observation(0)[1].any()


@pytest.mark.parametrize("name", ["abalone", "connect4", "hexifence"])
def test_the_mask_of_actions_has_the_legal_ones(name: str) -> None:
    for position in positions(boardgames.load(name)):
        mask = position.action_mask()
        assert mask.shape == (position.game.facts.actions,)
        assert mask.dtype == np.bool_
        assert tuple(np.flatnonzero(mask).tolist()) == position.actions


def test_no_action_is_legal_after_the_end() -> None:
    assert not boardgames.load("connect4").parse("1212121").action_mask().any()


@pytest.mark.parametrize("side", [2, -1, "0", True, 1.0])
def test_an_observation_by_no_side_is_refused(side: Any) -> None:
    with pytest.raises(PositionError, match=f"the side of an observation must be 0 or 1, not {side!r}"):
        Nim().start().observation(side)


# --- declarations ---------------------------------------------------------------


@kernel(Observe)
def observe_nothing(position: Words, side: int, out: Bytes) -> None:
    """Fill the planes with zeros."""
    out[:] = 0


@kernel(Observe)
def observe_first_word(position: Words, side: int, out: Bytes) -> None:
    """Write the first word of the position."""
    out[0] = np.int64(position[0])


@pytest.mark.parametrize(
    ("planes", "size", "places", "message"),
    [
        ((), (3, 3), (), "need names, not"),
        (("own", ""), (3, 3), (), "need names, not"),
        (("own", "own"), (3, 3), (), "two planes of an observation have the same name"),
        (("own",), (0, 3), (), "cannot be 0 x 3"),
        (("own",), (3, 3), ((0, 0), (3, 0)), "the place 3, 0 is not on a plane of 3 rows and 3 columns"),
    ],
)
def test_a_wrong_declaration_is_refused(planes: Any, size: Any, places: Any, message: str) -> None:
    rows, columns = size
    with pytest.raises(PluginError, match=message):
        Observation(observe_nothing, planes, rows, columns, places)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"taps": ((0, 1),)}, r"the taps of an observation must be steps to nearby places and \(0, 0\)"),
        ({"taps": ((0, 0), (0, 9))}, "the taps of an observation must be steps to nearby places"),
        ({"scales": (1.0,)}, "the scales of an observation must be a positive number for each plane"),
        ({"scales": (1.0, 0.0)}, "the scales of an observation must be a positive number for each plane"),
    ],
)
def test_wrong_taps_and_scales_are_refused(settings: Any, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        Observation(observe_nothing, ("own", "other"), 3, 3, **settings)


def test_taps_of_abalone_are_the_neighbours_on_its_board() -> None:
    observation = observation_of(boardgames.load("abalone"))
    places = list(zip(ROW_OF, (diagonal - 1 for diagonal in DIAGONAL_OF), strict=True))
    for place, near in zip(places, NEIGHBOURS_OF, strict=True):
        reached = {(place[0] + down, place[1] + right) for down, right in observation.taps} - {place}
        assert reached & set(places) == {places[cell] for cell in near if cell >= 0}


@pytest.mark.parametrize(
    ("name", "count"), [("abalone", 12), ("connect4", 1), ("hexifence", 12), ("tictactoe", 7)]
)
def test_symmetries_permute_the_places_of_an_observation(name: str, count: int) -> None:
    game = boardgames.load(name)
    observation, found = observation_of(game), positions(game, 200)
    known, others = found[::2], found[1::2]
    assert len(game.symmetries()) == count
    for symmetry in game.symmetries():
        images = place_images(observation, symmetry, [one.words for one in known], game.kernels.side_to_move)
        assert images is not None
        assert sorted(images) == list(range(observation.rows * observation.columns))
        for position in others:
            mapped = game.unpack(symmetry.words(position.words.copy()))
            expected = position.observation().reshape(len(observation.planes), -1)
            assert (mapped.observation().reshape(expected.shape)[:, images] == expected).all()


def test_no_places_are_permuted_if_planes_differ_otherwise() -> None:
    class Numbered(Nim):
        def symmetries(self) -> tuple[Symmetry, ...]:
            return (Symmetry("more stones", lambda words: words + np.uint64(1), lambda _, action: action),)

    game = Numbered()
    observation = Observation(observe_first_word, ("stones",), 1, 1)
    found = [one.words for one in positions(game)]
    assert place_images(observation, game.symmetries()[0], found, game.kernels.side_to_move) is None


def test_a_kernel_of_another_signature_is_refused() -> None:
    with pytest.raises(KernelError, match="the kernel observe must have the signature"):
        Observation(Nim().kernels.outcome, ("own",), 1, 1)  # type: ignore[arg-type]  # wrong on purpose


def test_a_game_that_returns_no_observation_is_named() -> None:
    class Wrong(Nim):
        def observation(self) -> Any:
            return "planes"

    with pytest.raises(PluginError, match=r"Wrong\.observation must return an Observation, not 'planes'"):
        Wrong().start().observation()


# --- plain games -----------------------------------------------------------------


class Pieces(PlainGame[tuple[str, ...], str]):
    """Two kinds of pieces of the first side and one of the second; a move takes a piece away."""

    name, sides, symbols = "pieces", ("low", "high"), ("xk", "o")

    def initial_state(self) -> tuple[str, ...]:
        return "xk.", "oo"

    def side_to_move(self, state: tuple[str, ...]) -> int:
        return "".join(state).count(".") % 2 == 0

    def legal_moves(self, state: tuple[str, ...]) -> list[str]:
        return [symbol for symbol in "xko" if symbol in "".join(state)]

    def apply(self, state: tuple[str, ...], move: str) -> tuple[str, ...]:
        return tuple("/".join(state).replace(move, ".", 1).split("/"))

    def outcome(self, state: tuple[str, ...]) -> int | None:
        return None

    def board(self, state: tuple[str, ...]) -> tuple[str, ...]:
        return state


def test_a_plain_game_is_seen_by_its_board() -> None:
    position = Pieces().start().apply("k")
    assert observation_of(position.game).planes == (
        "own pieces 1",
        "own pieces 2",
        "opponent's pieces 1",
        "opponent's pieces 2",
    )
    first, none, low = [[1, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [1, 1, 0]]
    assert position.observation(0).tolist() == [first, none, low, none]
    assert position.observation(1).tolist() == [low, none, first, none]


def test_a_plain_game_declares_its_own_planes() -> None:
    class Counted(Pieces):
        plane_names = ("pieces left",)

        def planes(self, state: tuple[str, ...], side: int) -> list[list[list[int]]]:
            return [[["".join(state).count(symbol) for symbol in "xko"]]]

    assert Counted().start().observation().tolist() == [[[1, 1, 2]]]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([[[1, 300]]], "not planes of rows of integers from -128 to 127"),
        ([[[1, 2, 3]]], "returned 3 numbers, but 2 for another state"),
        ([[["a", "b"]]], "not planes of rows of integers"),
        ([[[0.5, 1.0]]], "not planes of rows of integers"),
        (np.array([[[200, 1]]]), "not planes of rows of integers"),
        ([[[1, 2], [1]]], "not planes of rows of integers"),
    ],
)
def test_wrong_planes_of_a_plain_game_are_reported(returned: Any, message: str) -> None:
    class Wrong(Pieces):
        plane_names = ("pieces",)

        def planes(self, state: tuple[str, ...], side: int) -> Any:
            return [[[0, 0]]] if state == self.initial_state() else returned

    with pytest.raises(PluginError, match=message):
        Wrong().start().apply("x").observation()


def test_rows_of_different_lengths_are_refused() -> None:
    class Wrong(Pieces):
        def planes(self, state: tuple[str, ...], side: int) -> Any:
            return [[[0, 0], [0]]]

    with pytest.raises(PluginError, match=r"planes returned rows of different lengths"):
        Wrong().start().observation()


def test_planes_without_names_are_refused() -> None:
    class Wrong(Pieces):
        plane_names = ("one", "two")

        def planes(self, state: tuple[str, ...], side: int) -> Any:
            return [[[0, 0]]]

    with pytest.raises(PluginError, match="returned 1 planes, but `plane_names` has 2"):
        Wrong().start().observation()
