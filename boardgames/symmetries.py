"""Symmetries of a game as permutations, for augmenting training samples.

The symmetries of a game are Python functions of packed positions and actions. They permute the places of
observations and, in most games, also the actions. Both permutations are found by trying the functions on
positions of random matches.

A symmetry is left out if it does not permute the places, or if the image of an action depends on the
position. The other symmetries are composed until they form a group.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from boardgames.declarations import Symmetry
from boardgames.game import Game, observation_of
from boardgames.kernels import Actions, Words
from boardgames.observation import place_images, random_positions

COMPARED_POSITIONS = 400
"""Number of positions whose observations are compared."""
LEAST_TRIES, MOST_TRIES = 20, 20_000
"""Each action is tried up to `MOST_TRIES` / actions times, but at least up to `LEAST_TRIES` times."""
MOST_IMAGES = 64
"""Maximum number of symmetries to use, including the identity."""
UNKNOWN = -1
"""Replaces the image of an action that did not occur in the matches."""


@dataclass(frozen=True, eq=False)
class Images:
    """Symmetries as permutations of places and of actions; the first one is the identity.

    Attributes
    ----------
    places : int64[g, rows * columns]
        Where each symmetry moves each place, in all planes; places are numbered row by row.
    actions : int64[g, actions]
        The image of each action under each symmetry; -1 if it is not known.
    """

    places: Actions
    actions: Actions

    @property
    def count(self) -> int:
        """The number of symmetries, including the identity."""
        return len(self.places)


@lru_cache(maxsize=16)
def images_of(game: Game) -> Images:
    """Return the symmetries of a game as permutations of the places of its observation and of its actions.

    Equal games share the result, so do not change its arrays. If a legal action of a sample has no known
    image, leave the sample as it is.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4", columns=4, rows=4)
    >>> images = images_of(game)
    >>> images.count, images.actions.tolist()
    (2, [[0, 1, 2, 3], [3, 2, 1, 0]])

    A sample is an observation with a policy; this is its image under the reflection:

    >>> planes = game.parse("12").observation()
    >>> policy = np.array([0.1, 0.2, 0.7, 0])
    >>> image, image_policy = np.zeros_like(planes), np.zeros_like(policy)
    >>> image.reshape(len(planes), -1)[:, images.places[1]] = planes.reshape(len(planes), -1)
    >>> image_policy[images.actions[1]] = policy
    >>> planes[0, 3].tolist(), image[0, 3].tolist(), image_policy.tolist()
    ([1, 0, 0, 0], [0, 0, 0, 1], [0.0, 0.7, 0.2, 0.1])
    """
    observation, found = observation_of(game), identity_of(game)
    symmetries = game.symmetries()
    if not symmetries:
        return found
    kernels, starts = game.kernels, [game.parse(text).words for text in game.facts.layouts.values()]
    buffer = np.zeros(game.facts.actions, dtype=np.int64)
    positions = random_positions(kernels, game.facts.actions, starts)
    probes = [words for words in positions if kernels.legal_moves(words, buffer)]
    compared = probes[:: max(1, len(probes) // COMPARED_POSITIONS)]
    for symmetry in symmetries:
        places = place_images(observation, symmetry, compared, kernels.side_to_move)
        if places is None or (found.places == places).all(axis=1).any():
            continue
        actions = _action_images(game, symmetry, probes)
        if actions is not None:
            found = _closed(found, places, actions)
    return found


def identity_of(game: Game) -> Images:
    """Return only the identity."""
    observation = observation_of(game)
    places, actions = observation.rows * observation.columns, game.facts.actions
    return Images(np.arange(places)[None].copy(), np.arange(actions)[None].copy())


def _closed(images: Images, places: Actions, actions: Actions) -> Images:
    """Add a symmetry to a group and close the group under composition, up to `MOST_IMAGES` members."""
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
