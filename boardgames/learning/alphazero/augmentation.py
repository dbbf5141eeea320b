"""Symmetric images of samples, and the arrays that a network is trained with, made in compiled code.

The symmetries of a game are Python functions of packed positions and actions. They permute the places of
observations and, in most games, also the actions. Both permutations are found by trying the functions on
positions of random matches. With these tables a symmetric image costs next to nothing, because the
observation, mask and policy of a sample are written to their images' places from the start.

A symmetry is left out if it does not permute the places, or if the image of an action depends on the
position. The other symmetries are composed until they form a group.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from boardgames.declarations import Symmetry
from boardgames.game import Game, observation_of
from boardgames.kernels import Actions, Bytes, Observe, Words, kernel, row, row_out, types
from boardgames.kernels.abi import (
    ACTIONS,
    ACTIONS_OUT,
    BYTES_STACK,
    FLOATS_STACK,
    Floats,
    LegalMovesKernel,
    SideToMoveKernel,
)
from boardgames.kernels.bundles import BUNDLE, Bundle, unpacker
from boardgames.learning.alphazero.replay import Samples
from boardgames.observation import place_images

PROBED_PLIES = 8000
"""Number of plies in the random matches on which symmetries are tried."""
PROBED_POSITIONS = 400
"""Number of positions whose observations are compared."""
LEAST_TRIES, MOST_TRIES = 20, 20_000
"""Each action is tried up to `MOST_TRIES` / actions times, but at least up to `LEAST_TRIES` times."""
LONGEST_MATCH = 400
MOST_IMAGES = 64
"""Maximum number of symmetries to use, including the identity."""
UNKNOWN = -1
"""Replaces the image of an action that did not occur in the matches."""

WORDS_TABLE = types.Array(types.uint64, 2, "C", readonly=True)
INTEGERS_TABLE = types.Array(types.int32, 2, "C", readonly=True)
FLOATS_TABLE = types.Array(types.float32, 2, "C", readonly=True)
ACTIONS_TABLE = types.Array(types.int64, 2, "C", readonly=True)
"""Types of read-only arrays."""


@dataclass(frozen=True, eq=False)
class Images:
    """Symmetries as permutations of places and of actions; the first symmetry changes nothing.

    Attributes
    ----------
    places : int64[g, rows * columns]
        The place to which each symmetry moves a place.
    actions : int64[g, actions]
        The image of each action under each symmetry, -1 if unknown.
    """

    places: Actions
    actions: Actions

    @property
    def count(self) -> int:
        """The number of symmetries."""
        return len(self.places)


class TrainingBatch(NamedTuple):
    """A batch of samples as arrays that a network is trained with.

    Attributes
    ----------
    planes : float32[n, planes, rows, columns]
        Observations from the point of view of the side to move.
    legal : bool[n, actions]
        The legal actions.
    policies : float32[n, actions]
        The target probability of each action.
    results : float32[n, 3]
        The probabilities of a win, a draw and a loss for the side to move.
    """

    planes: Floats
    legal: npt.NDArray[np.bool_]
    policies: Floats
    results: Floats


class AugmentationWorkspace(NamedTuple):
    """Kernels and arrays with which n samples are encoded.

    Attributes
    ----------
    legal_moves, side_to_move, observe : kernels
        The rules, and what networks see.
    positions, actions, shares : uint64[n, words], int32[n, k], float32[n, k]
        The samples.
    chosen : int64[n]
        Which symmetry is applied to each sample.
    place_images, action_images : int64[g, places], int64[g, actions]
        The images of places and actions, as in `Images`.
    seen, moves : int8[1, planes * places], int64[actions]
        Buffers: an observation, and the legal actions.
    planes, legal, policies : float32[n, planes * places], int8[n, actions], float32[n, actions]
        Outputs; must be 0 before the call.
    """

    legal_moves: LegalMovesKernel
    side_to_move: SideToMoveKernel
    observe: Annotated[Callable[[Words, int, Bytes], None], Observe]
    positions: Annotated[Words, WORDS_TABLE]
    actions: Annotated[npt.NDArray[np.int32], INTEGERS_TABLE]
    shares: Annotated[Floats, FLOATS_TABLE]
    chosen: Annotated[Actions, ACTIONS]
    place_images: Annotated[Actions, ACTIONS_TABLE]
    action_images: Annotated[Actions, ACTIONS_TABLE]
    seen: Annotated[Bytes, BYTES_STACK]
    moves: Annotated[Actions, ACTIONS_OUT]
    planes: Annotated[Floats, FLOATS_STACK]
    legal: Annotated[Bytes, BYTES_STACK]
    policies: Annotated[Floats, FLOATS_STACK]


unpack = unpacker(AugmentationWorkspace)


@kernel(types.void(BUNDLE))
def encode(bundle: Actions) -> None:
    """Write planes, legal actions and policies of all samples, each under its symmetry.

    A sample with a legal action whose image is unknown is not transformed.
    """
    batch = unpack(bundle)
    places = batch.place_images.shape[1]
    for sample in range(batch.chosen.size):
        position = row(batch.positions, sample)
        count = batch.legal_moves(position, batch.moves)
        image = batch.chosen[sample]
        for index in range(count):
            if batch.action_images[image, batch.moves[index]] < 0:
                image = 0
        batch.observe(position, batch.side_to_move(position), row_out(batch.seen, 0))
        for first in range(0, batch.seen.shape[1], places):
            for place in range(places):
                moved = first + batch.place_images[image, place]
                batch.planes[sample, moved] = batch.seen[0, first + place]
        for index in range(count):
            batch.legal[sample, batch.action_images[image, batch.moves[index]]] = 1
        for index in range(batch.actions.shape[1]):
            action = batch.actions[sample, index]
            if action >= 0 and batch.action_images[image, action] >= 0:
                batch.policies[sample, batch.action_images[image, action]] = batch.shares[sample, index]


class Encoder:
    """Turns samples of a game into arrays that a network is trained with.

    Parameters
    ----------
    game : Game
        The game.
    symmetries : bool
        Whether to use the symmetries of the game.

    Attributes
    ----------
    images : Images
        The symmetries that can be used.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> encoder = Encoder(game)
    >>> encoder.images.count
    2
    >>> position = game.start().apply_moves("4 4 3")
    >>> one = Samples(
    ...     position.words[None],
    ...     np.array([[1]], np.int32),
    ...     np.ones((1, 1), np.float32),
    ...     np.array([[1, 0, 0]], np.float32),
    ... )
    >>> batch = encoder.batch(one, np.array([1]))
    >>> batch.planes[0, 1, 5].astype(int).tolist(), batch.policies.astype(int).tolist()
    ([0, 0, 0, 1, 1, 0, 0], [[0, 0, 0, 0, 0, 1, 0]])
    """

    def __init__(self, game: Game, *, symmetries: bool = True) -> None:
        self.game = game
        self.observation = observation_of(game)
        self.images = images_of(game) if symmetries else _identity(game)

    def batch(self, samples: Samples, chosen: npt.ArrayLike | int = 0) -> TrainingBatch:
        """Return the training arrays of samples, each transformed by its own symmetry.

        Parameters
        ----------
        samples : Samples
            Samples of this game.
        chosen : int[n] or int
            Which symmetry to apply to each sample, 0 to `images.count` - 1; 0 changes nothing.
        """
        count, actions, observation = samples.size, self.game.facts.actions, self.observation
        kernels = self.game.kernels
        workspace = AugmentationWorkspace(
            legal_moves=kernels.legal_moves,
            side_to_move=kernels.side_to_move,
            observe=observation.kernel,
            positions=np.ascontiguousarray(samples.positions, dtype=np.uint64),
            actions=np.ascontiguousarray(samples.actions, dtype=np.int32),
            shares=np.ascontiguousarray(samples.shares, dtype=np.float32),
            chosen=np.ascontiguousarray(np.broadcast_to(chosen, count), dtype=np.int64),
            place_images=self.images.places,
            action_images=self.images.actions,
            seen=np.zeros((1, observation.size), dtype=np.int8),
            moves=np.zeros(actions, dtype=np.int64),
            planes=np.zeros((count, observation.size), dtype=np.float32),
            legal=np.zeros((count, actions), dtype=np.int8),
            policies=np.zeros((count, actions), dtype=np.float32),
        )
        bundle = Bundle(workspace)
        encode(bundle.words)
        planes = workspace.planes.reshape(count, *observation.shape)
        return TrainingBatch(planes, workspace.legal.view(np.bool_), workspace.policies, samples.results)


@lru_cache(maxsize=16)
def images_of(game: Game) -> Images:
    """Return the symmetries of a game that can be applied to samples.

    Examples
    --------
    >>> import boardgames
    >>> images = images_of(boardgames.load("connect4", columns=4, rows=4))
    >>> images.actions.tolist()
    [[0, 1, 2, 3], [3, 2, 1, 0]]
    """
    observation, found = observation_of(game), _identity(game)
    symmetries = game.symmetries()
    if not symmetries:
        return found
    probes = list(_positions(game))
    np.random.default_rng(1).shuffle(probes)  # successive positions of a match are similar
    chosen = probes[:: max(1, len(probes) // PROBED_POSITIONS)]
    for symmetry in symmetries:
        places = place_images(observation, symmetry, chosen, game.kernels.side_to_move)
        if places is None or (found.places == places).all(axis=1).any():
            continue
        actions = _action_images(game, symmetry, probes)
        if actions is not None:
            found = _closed(found, places, actions)
    return found


def _identity(game: Game) -> Images:
    observation = observation_of(game)
    places, actions = observation.rows * observation.columns, game.facts.actions
    return Images(np.arange(places)[None].copy(), np.arange(actions)[None].copy())


def _closed(images: Images, places: Actions, actions: Actions) -> Images:
    """Add a symmetry to a group, with everything that follows from it, up to `MOST_IMAGES` in all."""
    found = list(zip(images.places, images.actions, strict=True))
    known = {one.tobytes() for one, _ in found}
    generators = [*found[1:], (places, actions)]
    for moved, changed in found:  # grows in the loop
        for more, others in generators:
            composed = more[moved]
            if composed.tobytes() not in known and len(found) < MOST_IMAGES:
                known.add(composed.tobytes())
                found.append((composed, np.where(changed < 0, UNKNOWN, others[changed])))
    return Images(np.stack([one for one, _ in found]), np.stack([one for _, one in found]))


def _action_images(game: Game, symmetry: Symmetry, probes: Sequence[Words]) -> Actions | None:
    """Return the image of each action, or None if it depends on the position."""
    size = game.facts.actions
    most = max(LEAST_TRIES, MOST_TRIES // size)
    images, tries, buffer = np.full(size, UNKNOWN), np.zeros(size, dtype=int), np.zeros(size, dtype=np.int64)
    for words in probes:
        for action in buffer[: game.kernels.legal_moves(words, buffer)].tolist():
            if tries[action] == most:
                continue
            image = int(symmetry.action(words.copy(), action))
            if images[action] not in (UNKNOWN, image):
                return None
            images[action] = image
            tries[action] += 1
    return images if len(set(images.tolist()) - {UNKNOWN}) == np.count_nonzero(images >= 0) else None


def _positions(game: Game) -> Iterator[Words]:
    """Yield the positions of random matches from all layouts."""
    generator, kernels = np.random.default_rng(0), game.kernels
    layouts = [game.parse_words(text) for text in game.facts.layouts.values()]
    buffer, plies, match = np.zeros(game.facts.actions, dtype=np.int64), 0, 0
    while plies < PROBED_PLIES:
        words = layouts[match % len(layouts)].copy()
        match += 1
        for _ in range(LONGEST_MATCH):
            count = kernels.legal_moves(words, buffer)
            plies += 1
            if count == 0:
                break
            yield words
            successor = np.zeros_like(words)
            kernels.apply(words, int(buffer[generator.integers(count)]), successor)
            words = successor
