"""Symmetric images of samples, and the arrays that a network is trained with, made in compiled code.

A symmetric image costs next to nothing, because the observation, mask and policy of a sample are written to
their images' places from the start.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

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
from boardgames.symmetries import identity_of, images_of

WORDS_TABLE = types.Array(types.uint64, 2, "C", readonly=True)
INTEGERS_TABLE = types.Array(types.int32, 2, "C", readonly=True)
FLOATS_TABLE = types.Array(types.float32, 2, "C", readonly=True)
ACTIONS_TABLE = types.Array(types.int64, 2, "C", readonly=True)
"""Types of read-only arrays."""


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
    leads : float32[n]
        The final lead of the side to move, in points.
    """

    planes: Floats
    legal: npt.NDArray[np.bool_]
    policies: Floats
    results: Floats
    leads: Floats


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
    ...     np.zeros(1, np.float32),
    ... )
    >>> batch = encoder.batch(one, np.array([1]))
    >>> batch.planes[0, 1, 5].astype(int).tolist(), batch.policies.astype(int).tolist()
    ([0, 0, 0, 1, 1, 0, 0], [[0, 0, 0, 0, 0, 1, 0]])
    """

    def __init__(self, game: Game, *, symmetries: bool = True) -> None:
        self.game = game
        self.observation = observation_of(game)
        self.images = images_of(game) if symmetries else identity_of(game)

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
        return TrainingBatch(
            planes, workspace.legal.view(np.bool_), workspace.policies, samples.results, samples.leads
        )
