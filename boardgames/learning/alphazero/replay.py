"""Samples of self-play, and the replay buffer that holds the most recent ones.

A sample is a position, a target policy from the search, a target result, which is that of the match mixed
with the values of searches, and the lead at the end of the match. The probabilities of a policy are kept as
16-bit integers, so that 300,000 samples of Connect Four take 17 MB, and `ReplayBuffer.arrays` omits the
unused entries of policies, so that checkpoints of games with many actions stay small.

The window grows with the number of samples made so far, as in KataGo: while the network learns quickly,
old samples are worth little.

Source: D. Wu, "Accelerating Self-Play Learning in Go", 2019, appendix C.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boardgames.errors import LearnerStateError
from boardgames.kernels import Words
from boardgames.kernels.abi import Floats
from boardgames.learner import Array

WHOLE = 65_535
"""The 16-bit integer that stands for a share of 1."""
MOST_SHARES = 64
"""Maximum number of actions in the policy of a sample from self-play; the least likely ones are dropped."""
NO_ACTION = -1
"""Fills the unused entries at the end of a row of actions."""
SMALL = 2**15
"""The largest number of actions that fit into 16 bits."""
LEAST_ROOM = 1024
MOST_LEAD = 2**15 - 1
"""Maximum lead that can be stored; larger ones are clipped."""

Indices = npt.NDArray[np.int64]


class Samples(NamedTuple):
    """Training samples: positions, and what a network should predict for them.

    Attributes
    ----------
    positions : uint64[n, words]
        Packed positions.
    actions : int32[n, k]
        The actions of the policy; unused entries at the end of a row are -1.
    shares : float32[n, k]
        Probability of each of these actions; they add up to 1.
    results : float32[n, 3]
        The probabilities of a win, a draw and a loss for the side to move.
    leads : float32[n]
        How many points the side to move was ahead when the match ended; 0 in games without points.
    """

    positions: Words
    actions: npt.NDArray[np.int32]
    shares: Floats
    results: Floats
    leads: Floats

    @property
    def size(self) -> int:
        """The number of samples."""
        return len(self.positions)

    def take(self, chosen: Indices) -> "Samples":
        """Return the samples with these indices."""
        return Samples(
            self.positions[chosen],
            self.actions[chosen],
            self.shares[chosen],
            self.results[chosen],
            self.leads[chosen],
        )


@dataclass(frozen=True, slots=True)
class Window:
    """How many of the most recent samples are kept, depending on the number of samples made so far.

    Up to `least`, all samples are kept. Of a larger number n, the window keeps least (1 + slope
    ((n / least)^exponent - 1) / exponent), but never more than `most`.

    Examples
    --------
    >>> window = Window(least=1000, most=10_000)
    >>> [window.size(made) for made in (10, 1000, 4000, 100_000)]
    [10, 1000, 1975, 10000]
    """

    least: int = 30_000
    most: int = 500_000
    exponent: float = 0.75
    slope: float = 0.4

    def size(self, made: int) -> int:
        """Return the size of the window after this number of samples."""
        if made <= self.least:
            return min(made, self.most)
        grown = ((made / self.least) ** self.exponent - 1) / self.exponent
        return min(int(self.least * (1 + self.slope * grown)), made, self.most)


@dataclass
class ReplayBuffer:
    """The most recent samples, oldest first.

    Parameters
    ----------
    words, actions : int
        Length of a packed position, and number of actions of the game.
    width : int
        Maximum number of actions in the policy of a sample.
    window : Window
        How many samples are kept.

    Attributes
    ----------
    made : int
        The number of samples that were ever added.

    Examples
    --------
    >>> buffer = ReplayBuffer(words=1, actions=7, width=2, window=Window(least=3, most=3))
    >>> for number in range(5):
    ...     buffer.add(
    ...         Samples(
    ...             np.array([[number]], np.uint64),
    ...             np.array([[0, -1]], np.int32),
    ...             np.array([[1, 0]], np.float32),
    ...             np.array([[1, 0, 0]], np.float32),
    ...             np.zeros(1, np.float32),
    ...         )
    ...     )
    >>> buffer.size, buffer.made, buffer.take(np.arange(3)).positions.ravel().tolist()
    (3, 5, [2, 3, 4])
    """

    words: int
    actions: int
    width: int
    window: Window = field(default_factory=Window)
    made: int = 0

    def __post_init__(self) -> None:
        self._begin = self._end = 0
        self._dtype: np.dtype[np.signedinteger] = (
            np.dtype(np.int16) if self.actions <= SMALL else np.dtype(np.int32)
        )
        self._room = self._empty(0)

    @property
    def size(self) -> int:
        """The number of samples in the window."""
        return self._end - self._begin

    def add(self, samples: Samples) -> None:
        """Add samples, and drop those that are no longer in the window.

        Raises
        ------
        LearnerStateError
            If the policy of a sample has more than `width` actions.
        """
        if samples.actions.shape[1] > self.width and (samples.actions[:, self.width :] != NO_ACTION).any():
            raise LearnerStateError(f"the replay buffer stores at most {self.width} actions per sample")
        self.made += samples.size
        added = _Room.of(samples, self.width, self._dtype)
        kept = self.window.size(self.made)
        first = max(0, samples.size - kept)
        self._reserve(samples.size - first, kept)
        begin, self._end = self._end, self._end + samples.size - first
        for own, new in zip(self._room.columns, added.columns, strict=True):
            own[begin : self._end] = new[first:]
        self._begin = max(self._begin, self._end - kept)

    def take(self, chosen: Indices) -> Samples:
        """Return the samples with these indices, 0 to `size` - 1; 0 is the oldest one."""
        return self._room.samples(chosen + self._begin)

    def arrays(self) -> dict[str, Array]:
        """Return the content of the buffer as named arrays, for `restore`."""
        kept = self._room.part(slice(self._begin, self._end))
        is_used = kept.actions != NO_ACTION
        return {
            "positions": np.ascontiguousarray(kept.positions),
            "lengths": np.count_nonzero(is_used, axis=1).astype(np.uint16),
            "actions": kept.actions[is_used],
            "shares": kept.shares[is_used],
            "results": np.ascontiguousarray(kept.results),
            "leads": np.ascontiguousarray(kept.leads),
            "made": np.array([self.made], dtype=np.int64),
        }

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Replace the content of the buffer with arrays that `arrays` returned.

        Raises
        ------
        LearnerStateError
            If the arrays do not fit together, or belong to a game with other positions.
        """
        try:
            positions, lengths = arrays["positions"], arrays["lengths"].astype(np.int64)
            room = self._empty(len(positions))
            is_used = np.arange(self.width) < lengths[:, None]
            count = int(lengths.sum())
            for name, array in zip(_Room._fields, room.columns, strict=True):
                given, is_sparse = arrays[name], name in ("actions", "shares")
                if given.dtype != array.dtype or given.shape != ((count,) if is_sparse else array.shape):
                    raise ValueError
                array[is_used if is_sparse else ...] = given
            if len(lengths) != len(positions) or room.actions.max(initial=0) >= self.actions:
                raise ValueError
            if room.actions.min(initial=NO_ACTION) < NO_ACTION:
                raise ValueError
            made = int(arrays["made"][0])
        except (KeyError, IndexError, ValueError):
            raise LearnerStateError("the replay buffer is damaged or belongs to another game") from None
        self._room, self._begin, self._end, self.made = room, 0, len(positions), made

    def _empty(self, size: int) -> "_Room":
        return _Room.empty(size, self.words, self.width, self._dtype)

    def _reserve(self, added: int, kept: int) -> None:
        """Make room for more samples at the end, by moving the samples that are kept to the beginning."""
        if self._end + added <= len(self._room.positions):
            return
        staying = min(self.size, max(kept - added, 0))
        room = self._empty(max(LEAST_ROOM, (staying + added) * 3 // 2))
        for own, new in zip(self._room.columns, room.columns, strict=True):
            new[:staying] = own[self._end - staying : self._end]
        self._room, self._begin, self._end = room, 0, staying


def draw(available: int, count: int, seed: int) -> Indices:
    """Return `count` random indices from 0 to `available` - 1; none is repeated before all have been drawn.

    Examples
    --------
    >>> drawn = draw(4, 10, seed=1)
    >>> [sorted(drawn[:4].tolist()), sorted(drawn[4:8].tolist())]
    [[0, 1, 2, 3], [0, 1, 2, 3]]
    """
    generator = np.random.default_rng(seed)
    passes = [generator.permutation(available) for _ in range(-(-count // available))]
    return np.concatenate(passes)[:count].astype(np.int64) if passes else np.zeros(0, dtype=np.int64)


class _Room(NamedTuple):
    """Samples as they are stored: actions in 16 bits if they fit, shares as 16-bit integers."""

    positions: Words
    actions: npt.NDArray[np.signedinteger]
    shares: npt.NDArray[np.uint16]
    results: npt.NDArray[np.uint16]
    leads: npt.NDArray[np.int16]

    @property
    def columns(self) -> list[Array]:
        return list(self)

    @classmethod
    def empty(cls, size: int, words: int, width: int, dtype: np.dtype[np.signedinteger]) -> "_Room":
        return cls(
            np.zeros((size, words), dtype=np.uint64),
            np.full((size, width), NO_ACTION, dtype=dtype),
            np.zeros((size, width), dtype=np.uint16),
            np.zeros((size, 2), dtype=np.uint16),
            np.zeros(size, dtype=np.int16),
        )

    @classmethod
    def of(cls, samples: Samples, width: int, dtype: np.dtype[np.signedinteger]) -> "_Room":
        room = cls.empty(samples.size, samples.positions.shape[1], width, dtype)
        columns = min(width, samples.actions.shape[1])
        room.actions[:, :columns] = samples.actions[:, :columns]
        room.shares[:, :columns] = np.rint(samples.shares[:, :columns] * WHOLE)
        room.positions[:] = samples.positions
        room.results[:, 0] = np.rint(samples.results[:, 0] * WHOLE)
        # capped, so that win and draw together do not exceed 1
        room.results[:, 1] = np.minimum(np.rint(samples.results[:, 1] * WHOLE), WHOLE - room.results[:, 0])
        room.leads[:] = np.clip(samples.leads, -MOST_LEAD, MOST_LEAD)
        return room

    def part(self, kept: slice) -> "_Room":
        return _Room(
            self.positions[kept], self.actions[kept], self.shares[kept], self.results[kept], self.leads[kept]
        )

    def samples(self, chosen: Indices) -> Samples:
        shares = self.shares[chosen].astype(np.float32)
        results = np.empty((len(chosen), 3), dtype=np.float32)
        results[:, :2] = self.results[chosen] / np.float32(WHOLE)
        results[:, 2] = 1 - results[:, 0] - results[:, 1]
        return Samples(
            self.positions[chosen],
            self.actions[chosen].astype(np.int32),
            shares / np.maximum(shares.sum(axis=1, keepdims=True), 1),
            np.maximum(results, 0),
            self.leads[chosen].astype(np.float32),
        )
