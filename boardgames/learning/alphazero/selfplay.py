"""Self-play: a network plays many matches against itself side by side, with a batched search for each move.

Most moves are chosen by a fast search, the others by a full one, whose policy the network should learn
(playout cap randomisation: D. Wu, "Accelerating self-play learning in Go", 2019). Matches begin with random
moves, so that training covers positions that the network would not reach by itself. A match ends as soon as
the search has proven its result. The value target is a lambda-return: a weighted average of the values of
this search and the later ones in the match, with decaying weights, and the result of the match (R. Sutton
and A. Barto, "Reinforcement learning", 2018, section 12.1).
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from boardgames.batch import Batch
from boardgames.game import Game
from boardgames.kernels import Actions
from boardgames.kernels.abi import Floats
from boardgames.learning.alphazero.replay import MOST_SHARES, NO_ACTION, Samples
from boardgames.search.batched import BatchSearch, BatchSearchOptions, EvaluationCache, Evaluator, Found
from boardgames.selfplay import derive_seed

READY_SHARE = 8
"""Moves are made once 1 / `READY_SHARE` of the searches are done, since each round has a fixed cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfPlay:
    """Settings of self-play: how matches are played.

    Attributes
    ----------
    simulations, fast_simulations : int
        Number of simulations of a full search and of a fast one.
    full_share : float
        The share of moves that get a full search, 0 to 1.
    random_plies : int
        Maximum number of random moves at the beginning of a match; the number is random too.
    temperature, temperature_plies : float, int
        For the first `temperature_plies` plies, moves are drawn from the policy to the power of
        1 / temperature; after that, the best move is played. Gumbel roots ignore both.
    trace_decay : float
        Lambda, 0 to 1. The target of a position is (1 - lambda) times the value of its search plus lambda
        times the target of the next position or, after the last one, the result of the match. If the search
        has proven the result, the target is that result.
    ply_limit : int or None
        Plies after which a match ends; by default the limit of the game.
    to_the_end : bool
        Whether matches continue after a search has proven the result, so that the final score is known.
    search : BatchSearchOptions
        Options of the searches.
    """

    simulations: int = 64
    fast_simulations: int = 16
    full_share: float = 0.25
    random_plies: int = 12
    temperature: float = 1.0
    temperature_plies: int = 12
    trace_decay: float = 1.0
    ply_limit: int | None = None
    to_the_end: bool = False
    search: BatchSearchOptions = field(default_factory=BatchSearchOptions)


@dataclass(frozen=True, slots=True)
class Played:
    """Samples of matches, and statistics of the matches.

    Attributes
    ----------
    samples : Samples
        One for each full search.
    wins : tuple of int
        Number of matches that side 0 won, that side 1 won, and that nobody won.
    plies, evaluations : int
        Number of moves after the random ones, and of positions that the network evaluated.
    """

    samples: Samples
    wins: tuple[int, int, int]
    plies: int
    evaluations: int


def play_matches(game: Game, evaluator: Evaluator, matches: int, *, settings: SelfPlay, seed: int) -> Played:
    """Play matches side by side and return their samples.

    Equal seeds give equal samples if the evaluator gives equal values to a position in every batch.
    """
    generator = np.random.default_rng(seed)
    batch = Batch(game, matches, ply_limit=settings.ply_limit, seed=seed, threads=1)
    play_random_moves(batch, settings.random_plies, generator)
    search = BatchSearch(
        game,
        matches,
        options=settings.search,
        ply_limit=settings.ply_limit,
        seed=derive_seed(seed, "search"),  # so that the noise does not depend on the random moves
        threads=1,
    )
    recorder, cache = _Recorder(batch), EvaluationCache(evaluator)
    is_over = batch.over
    is_full = np.zeros(matches, dtype=np.bool_)
    ready = ~is_over
    plies = 0
    while True:
        if ready.any():
            is_full[ready] = generator.random(matches)[ready] < settings.full_share
            simulations = np.where(is_full, settings.simulations, settings.fast_simulations)
            search.start(batch, simulations=simulations, which=ready, noisy=is_full)
        while (leaves := search.leaves()) is not None:
            search.update(*cache(*leaves))
            ready = search.done & ~is_over
            if READY_SHARE * ready.sum() >= (~is_over).sum():
                break
        ready = search.done & ~is_over
        if not ready.any():
            break
        found = search.found()
        recorder.record(ready, is_full, found)
        if not settings.to_the_end:
            recorder.decide(ready & (found.results >= 0), found.results)
        moves = _moves(batch, found, settings, generator)
        plies += int(ready.sum())
        batch.step(np.where(ready, moves, 0), which=ready)
        is_over = batch.over | recorder.is_decided
        ready &= ~is_over
    winners = recorder.winners()
    wins = tuple(int((winners == side).sum()) for side in (0, 1, -1))
    return Played(recorder.samples(settings.trace_decay), (wins[0], wins[1], wins[2]), plies, cache.evaluated)


def play_random_moves(batch: Batch, most: int, generator: np.random.Generator) -> None:
    """Begin each match with 0 to `most` random moves, or with fewer if they would end the match."""
    plies = generator.integers(most + 1, size=batch.size)
    while True:
        while (going := (batch.plies < plies) & ~batch.over).any():
            batch.step(batch.sample(), which=going)
        if not batch.over.any():
            return
        plies[batch.over] //= 2
        batch.reset(batch.over)


class _Recorder:
    """The samples of matches, and the results that searches have proven."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._results = np.full(batch.size, -1, dtype=np.int64)
        self._parts: list[tuple[npt.NDArray[np.generic], ...]] = []
        self._values: list[tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_], Actions, Floats]] = []
        """For each round: the matches, and whether each search was full, its proven result and its value."""

    @property
    def is_decided(self) -> npt.NDArray[np.bool_]:
        """Whether a search has proven the result of each match, `bool[n]`."""
        decided: npt.NDArray[np.bool_] = self._results >= 0
        return decided

    def decide(self, which: npt.NDArray[np.bool_], results: Actions) -> None:
        """End matches with the results that searches have proven."""
        self._results[which] = results[which]

    def record(self, which: npt.NDArray[np.bool_], is_full: npt.NDArray[np.bool_], found: Found) -> None:
        """Remember the values of all searches, and the positions and policies of full ones."""
        searched = np.flatnonzero(which)
        signs = (1 - 2 * self._batch.sides[searched]).astype(np.float32)
        self._values.append(
            (searched, is_full[searched], found.results[searched], signs * found.values[searched])
        )
        chosen = searched[is_full[searched]]
        kept = min(MOST_SHARES, found.policies.shape[1])
        policies = found.policies[chosen]
        actions = np.argsort(-policies, axis=1, kind="stable")[:, :kept].astype(np.int32)
        shares = np.take_along_axis(policies, actions, axis=1)
        actions[shares == 0] = NO_ACTION
        shares /= shares.sum(axis=1, keepdims=True)
        words = self._batch.packed()[chosen, : self._batch.game.facts.words]
        self._parts.append((words, actions, shares, self._batch.sides[chosen], chosen))

    def winners(self) -> Actions:
        """Return the side that won each match, or -1 if nobody did."""
        proven = np.where(self._results == 2, -1, self._results)
        return np.where(self.is_decided, proven, self._batch.winners)

    def leads(self) -> Floats:
        """Return how many points side 0 is ahead in each match."""
        game, packed = self._batch.game, self._batch.packed()
        if not game.counts_points:
            return np.zeros(self._batch.size, dtype=np.float32)
        scores = np.array([game.score(words[: game.facts.words]) for words in packed], dtype=np.float32)
        ahead: Floats = scores[:, 0] - scores[:, 1]
        return ahead

    def samples(self, trace_decay: float) -> Samples:
        """Return the samples, with lambda-returns as their results."""
        words, actions, shares, sides, matches = (
            np.concatenate(part) for part in zip(*self._parts, strict=True)
        )
        certain = np.eye(3)[[0, 2, 1]]  # what is certain if side 0, side 1 or nobody has won
        returns = certain[self.winners()]  # the probabilities of a win, a draw and a loss for side 0
        targets = []
        for searched, is_full, proven, values in reversed(self._values):
            expected = np.stack([(1 + values) / 2, np.zeros_like(values), (1 - values) / 2], axis=1)
            mixed = trace_decay * returns[searched] + (1 - trace_decay) * expected
            returns[searched] = np.where(proven[:, None] >= 0, certain[proven], mixed)
            targets.append(returns[searched[is_full]])
        results = np.concatenate(targets[::-1]).astype(np.float32)
        is_first = sides == 0
        leads = self.leads()[matches]
        return Samples(
            words,
            actions,
            shares,
            np.where(is_first[:, None], results, results[:, ::-1]),
            np.where(is_first, leads, -leads),
        )


def _moves(batch: Batch, found: Found, settings: SelfPlay, generator: np.random.Generator) -> Actions:
    """Return the move to make in each match."""
    if settings.search.root == "gumbel":
        return found.actions
    chances = found.policies.astype(np.float64) ** (1 / settings.temperature)
    bounds = chances.cumsum(axis=1)
    drawn = (bounds < generator.random((batch.size, 1)) * bounds[:, -1:]).sum(axis=1)
    return np.where(batch.plies < settings.temperature_plies, drawn, found.actions)
