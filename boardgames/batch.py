"""Play many matches of one game side by side in compiled code, for learners and vector environments.

    batch = Batch(boardgames.load("connect4"), 4096, seed=1)
    while training:
        actions = policy(batch.observations(), batch.masks())
        rewards, terminated, truncated = batch.step(actions)
        batch.reset(terminated | truncated)

Moves and positions stay in arrays: none is converted to text or to a Python object.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boardgames.errors import IllegalMoveError, LimitError, OptionError, PositionError, quote
from boardgames.executors.pool import core_count
from boardgames.game import Game, Position, observation_of
from boardgames.kernels import Actions, Bytes, Observe, Words, kernel, random_below, row, row_out, types
from boardgames.kernels.abi import (
    ACTIONS,
    ACTIONS_OUT,
    ACTIONS_STACK,
    BYTES,
    BYTES_OUT,
    BYTES_STACK,
    FLOATS_STACK,
    WORDS,
    WORDS_STACK,
    ApplyKernel,
    Floats,
    LegalMovesKernel,
    OutcomeKernel,
    SideToMoveKernel,
    record_array,
)
from boardgames.kernels.bits import random_states
from boardgames.kernels.bundles import BUNDLE, Bundle, unpacker
from boardgames.search.remembering import declared_remembering
from boardgames.search.rules import (
    DRAWN,
    ONGOING,
    UNFINISHED,
    UNLIMITED,
    final_result,
    result_at_limit,
    rules_of,
)

LARGEST = 1 << 22
"""The largest number of matches in a batch."""
WORTH_A_THREAD = 2048
"""The default minimum of matches per thread; giving work to a thread takes about 50 microseconds."""
NO_ACTION = -1
"""The sampled action of a match that is over."""


OPTIONS_DTYPE = np.dtype([("ply_limit", np.int64), ("no_moves_draws", np.bool_)], align=True)
OPTIONS = record_array(OPTIONS_DTYPE, readonly=True)


class Step(NamedTuple):
    """The result of a step.

    Attributes
    ----------
    rewards : float32[n, 2]
        For side 0 and side 1: 1 for a win and -1 for a loss if the match ended with this step, otherwise 0.
    terminated : bool[n]
        Whether the rules of the game ended the match in this step.
    truncated : bool[n]
        Whether the limit of plies ended the match in this step. If the game says who wins at the limit,
        the match is terminated instead.
    """

    rewards: Floats
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]


class BatchWorkspace(NamedTuple):
    """Kernels and arrays of a batch of n matches.

    Attributes
    ----------
    legal_moves, apply, side_to_move, outcome, outcome_at_limit, observe : kernels
        The rules, and the kernel that writes what networks see.
    positions : uint64[2 n, words]
        Two rows for each match: the current position, and space for its successor.
    moves : int64[n, actions]
        The legal actions of each match.
    current : int64[n]
        Which of the two rows holds the current position of each match, 0 or 1.
    counts, sides, plies, results : int64[n]
        The number of legal moves, the side to move, the number of plies, and the result: `ONGOING`, the
        winning side, `DRAWN`, or `UNFINISHED` if a limit has ended the match.
    actions : int64[n]
        The actions to take, or the actions that were sampled.
    moving : int8[n]
        0 for matches in which the step makes no move.
    ended : int64[n]
        What ended the match in the last step: 1 for the rules, 2 for the limit of plies, 0 for nothing.
    random_states : uint64[n, 1]
        A random generator for each match, so that samples do not depend on the number of threads.
    options : one record
        The limit of plies, and whether a match is drawn when the side to move has no legal move.
    """

    legal_moves: LegalMovesKernel
    apply: ApplyKernel
    side_to_move: SideToMoveKernel
    outcome: OutcomeKernel
    outcome_at_limit: OutcomeKernel
    observe: Annotated[Callable[[Words, int, Bytes], None], Observe]
    positions: Annotated[Words, WORDS_STACK]
    moves: Annotated[Actions, ACTIONS_STACK]
    current: Annotated[Actions, ACTIONS_OUT]
    counts: Annotated[Actions, ACTIONS_OUT]
    sides: Annotated[Actions, ACTIONS_OUT]
    plies: Annotated[Actions, ACTIONS_OUT]
    results: Annotated[Actions, ACTIONS_OUT]
    actions: Annotated[Actions, ACTIONS_OUT]
    moving: Annotated[Bytes, BYTES_OUT]
    ended: Annotated[Actions, ACTIONS_OUT]
    random_states: Annotated[Words, WORDS_STACK]
    options: Annotated[npt.NDArray[Any], OPTIONS]  # one record: NumPy cannot annotate its fields


unpack = unpacker(BatchWorkspace)

RULES_ENDED, LIMIT_ENDED = 1, 2


@kernel(types.int64(BUNDLE, types.int64))
def look(bundle: Actions, match: int) -> int:
    """Update the legal moves, side to move and result of a match; return what has ended it, or 0."""
    batch = unpack(bundle)
    position = row(batch.positions, 2 * match + batch.current[match])
    count = batch.legal_moves(position, row_out(batch.moves, match))
    side = batch.side_to_move(position)
    batch.sides[match] = side if side == 1 else 0  # after the end of a match, the kernel may return anything
    result, ended = ONGOING, 0
    if count == 0:
        result = final_result(batch.side_to_move, batch.outcome, position, batch.options[0].no_moves_draws)
        ended = RULES_ENDED
    elif batch.plies[match] >= batch.options[0].ply_limit:
        count = 0
        result = result_at_limit(batch.outcome_at_limit, position)
        ended = LIMIT_ENDED if result == UNFINISHED else RULES_ENDED
    batch.counts[match] = count
    batch.results[match] = result
    return ended


@kernel(types.void(BUNDLE, WORDS, BYTES, types.int64, types.int64))
def start_again(bundle: Actions, start: Words, which: Bytes, first: int, last: int) -> None:
    """Restart the matches whose entry in `which` is not 0, from the position `start`."""
    batch = unpack(bundle)
    for match in range(first, last):
        if which[match] != 0:
            for word in range(start.size):
                batch.positions[2 * match, word] = start[word]
            batch.current[match] = 0
            batch.plies[match] = 0
            look(bundle, match)


@kernel(types.int64(BUNDLE, types.int64, types.int64))
def find_illegal(bundle: Actions, first: int, last: int) -> int:
    """Return the first unfinished match whose action is illegal, or -1."""
    batch = unpack(bundle)
    for match in range(first, last):
        if batch.results[match] == ONGOING and batch.moving[match]:
            action = batch.actions[match]
            place = min(action, batch.counts[match] - 1)  # moves ascend from 0, so it is never further right
            if place < 0 or batch.moves[match, place] != action:
                low = 0
                while low < place:
                    middle = (low + place) >> 1
                    if batch.moves[match, middle] < action:
                        low = middle + 1
                    else:
                        place = middle
                if place < 0 or batch.moves[match, place] != action:
                    return match
    return -1


@kernel(types.void(BUNDLE, FLOATS_STACK, types.int64, types.int64))
def make_moves(bundle: Actions, rewards: Floats, first: int, last: int) -> None:
    """Take the actions, which must be legal, in all matches that are not over, and write the rewards."""
    batch = unpack(bundle)
    for match in range(first, last):
        batch.ended[match] = 0
        if batch.results[match] != ONGOING or not batch.moving[match]:
            continue
        here = batch.current[match]
        successor = row_out(batch.positions, 2 * match + 1 - here)
        batch.apply(row(batch.positions, 2 * match + here), batch.actions[match], successor)
        batch.current[match] = 1 - here
        batch.plies[match] += 1
        batch.ended[match] = look(bundle, match)
        result = batch.results[match]
        if ONGOING < result < DRAWN:
            rewards[match, result] = 1.0
            rewards[match, 1 - result] = -1.0


@kernel(types.void(BUNDLE, types.int64, types.int64))
def sample_actions(bundle: Actions, first: int, last: int) -> None:
    """Choose a legal action uniformly at random in each match."""
    batch = unpack(bundle)
    for match in range(first, last):
        count = batch.counts[match]
        if count == 0:
            batch.actions[match] = NO_ACTION
        else:
            number = random_below(row_out(batch.random_states, match), count)
            batch.actions[match] = batch.moves[match, number]


@kernel(types.void(BUNDLE, BYTES_STACK, types.int64, types.int64))
def write_masks(bundle: Actions, masks: Bytes, first: int, last: int) -> None:
    """Write 1 for each legal action into masks of zeros."""
    batch = unpack(bundle)
    for match in range(first, last):
        for number in range(batch.counts[match]):
            masks[match, batch.moves[match, number]] = 1


@kernel(types.void(BUNDLE, ACTIONS, BYTES_STACK, types.int64, types.int64))
def write_observations(bundle: Actions, sides: Actions, planes: Bytes, first: int, last: int) -> None:
    """Write what a network sees of each position, from the point of view of a side."""
    batch = unpack(bundle)
    for match in range(first, last):
        position = row(batch.positions, 2 * match + batch.current[match])
        batch.observe(position, sides[match], row_out(planes, match))


class Batch:
    """Many matches of one game side by side. Only one thread at a time may use a batch.

    A match ends by the rules of the game, including its rule about repetition, or at a limit of plies.
    It then stays unchanged until `reset` starts it again.

    Parameters
    ----------
    game : Game
        A game in plain Python works too, but is not faster in a batch.
    size : int
        Number of matches, 1 to 4,194,304.
    start : Position, optional
        Position from which matches start; by default the start position of the game.
    ply_limit : int, optional
        Number of plies after which a match ends; by default `Facts.ply_limit`. A limit is needed if the
        rules do not limit the length of a match.
    seed : int
        Equal seeds give equal samples, regardless of the number of threads.
    threads : int, optional
        Number of threads; by default as many as are worthwhile for this size on this machine.

    Raises
    ------
    LimitError
        If the size, the limit or the number of threads is out of range.
    OptionError
        If `game` is not a Game, or the seed is not an integer.
    PositionError
        If the start belongs to another game.

    Examples
    --------
    >>> import boardgames
    >>> batch = Batch(boardgames.load("connect4"), 1000, seed=1)
    >>> rewards = np.zeros(2)
    >>> while not batch.over.all():
    ...     rewards += batch.step(batch.sample()).rewards.sum(axis=0)
    >>> bool(rewards[0] > 0), bool(rewards.sum() == 0)  # the first player wins more often
    (True, True)
    """

    def __init__(
        self,
        game: Game,
        size: int,
        *,
        start: Position | None = None,
        ply_limit: int | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        if not isinstance(game, Game):
            raise OptionError(f"a batch needs a Game, as boardgames.load returns it, not {quote(game)}")
        facts = game.facts
        ply_limit = facts.ply_limit if ply_limit is None else ply_limit
        if ply_limit is None and facts.longest_match is None:
            raise LimitError(
                f"a batch of {facts.name} needs a ply_limit, because its rules do not limit a match"
            )
        _check_count("size", size, LARGEST)
        _check_count("ply_limit", UNLIMITED if ply_limit is None else ply_limit, UNLIMITED)
        worthwhile = min(core_count(), size // WORTH_A_THREAD)
        threads = max(1, worthwhile) if threads is None else threads
        _check_count("threads", threads, 1024)
        self.game = game
        self.size = size
        limit = UNLIMITED if ply_limit is None else ply_limit
        self._threads = min(threads, size)
        self._workers = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self._rules = declared_remembering(game, limit)
        longer = game if self._rules is None else self._rules.game
        self._observation = observation_of(game)
        self._start = self._packed(game.start() if start is None else start)
        self._workspace = BatchWorkspace(
            **rules_of(longer),
            observe=self._observation.kernel,
            positions=np.zeros((2 * size, longer.facts.words), dtype=np.uint64),
            moves=np.zeros((size, facts.actions), dtype=np.int64),
            current=np.zeros(size, dtype=np.int64),
            counts=np.zeros(size, dtype=np.int64),
            sides=np.zeros(size, dtype=np.int64),
            plies=np.zeros(size, dtype=np.int64),
            results=np.zeros(size, dtype=np.int64),
            actions=np.zeros(size, dtype=np.int64),
            moving=np.ones(size, dtype=np.int8),
            ended=np.zeros(size, dtype=np.int64),
            random_states=random_states(seed, size),
            options=np.array([(limit, facts.no_moves_draws)], dtype=OPTIONS_DTYPE).view(np.recarray),
        )
        self._bundle = Bundle(self._workspace)
        self.reset()

    @property
    def remembers(self) -> bool:
        """Return True if the game has a rule about repetition, so that earlier positions matter."""
        return self._rules is not None

    @property
    def sides(self) -> Actions:
        """The side to move in each match, 0 or 1, as `int64[n]`; meaningless if the match is over."""
        return self._workspace.sides.copy()

    @property
    def plies(self) -> Actions:
        """The number of plies that each match has lasted, `int64[n]`."""
        return self._workspace.plies.copy()

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Whether each match is over, `bool[n]`."""
        over: npt.NDArray[np.bool_] = self._workspace.results != ONGOING
        return over

    @property
    def winners(self) -> Actions:
        """The winning side of each match, `int64[n]`; -1 if it was drawn or is not over."""
        results = self._workspace.results
        return np.where(results < DRAWN, results, -1)

    def position(self, match: int) -> Position:
        """Return the position of a match.

        Raises
        ------
        IndexError
            If there is no such match.
        """
        match = range(self.size)[match]
        words = self._workspace.positions[2 * match + self._workspace.current[match]]
        return self.game.unpack(words[: self.game.facts.words])

    def packed(self) -> Words:
        """Return the packed positions, `uint64[n, words]`.

        If the game has a rule about repetition, each of them also contains keys of the earlier positions, so
        `words` is larger than `Facts.words`.
        """
        state = self._workspace
        return state.positions[2 * np.arange(self.size) + state.current]

    def reset(
        self, which: npt.ArrayLike | None = None, *, start: Position | None = None, seed: int | None = None
    ) -> None:
        """Start matches again.

        Parameters
        ----------
        which : bool[n], optional
            Which matches to start again; by default all of them.
        start : Position, optional
            Position from which they start; by default the `start` of the batch.
        seed : int, optional
            A new seed for their random generators; by default they continue from their current states.

        Raises
        ------
        LimitError
            If `which` has the wrong type or shape.
        OptionError
            If the seed is not an integer.
        PositionError
            If the start belongs to another game.
        """
        chosen = np.ones(self.size, dtype=np.bool_) if which is None else self._chosen(which)
        if seed is not None:
            self._workspace.random_states[chosen] = random_states(seed, self.size)[chosen]
        packed = self._start if start is None else self._packed(start)
        words, again = self._bundle.words, chosen.view(np.int8)
        self._share(lambda *rows: start_again(words, packed, again, *rows))

    def step(self, actions: npt.ArrayLike, *, which: npt.ArrayLike | None = None) -> Step:
        """Make a move in each match that is not over.

        Parameters
        ----------
        actions : int[n]
            A legal action for each match; ignored in matches that are over or not in `which`.
        which : bool[n], optional
            The matches in which to make a move; by default all of them.

        Raises
        ------
        IllegalMoveError
            If an action is not legal; no move has then been made in any match.
        LimitError
            If an array has the wrong type or shape.
        """
        given = _array(actions, "actions")
        if given.dtype.kind not in "iu" or given.shape != (self.size,):
            raise LimitError(f"actions must be integers of the shape ({self.size},), not {_described(given)}")
        state, words = self._workspace, self._bundle.words
        state.actions[:] = given
        state.moving[:] = 1 if which is None else self._chosen(which)
        found = [match for match in self._share(lambda *rows: find_illegal(words, *rows)) if match >= 0]
        if found:
            match = min(found)
            action = quote(int(given[match]))
            raise IllegalMoveError(f"match {match}: illegal action {action} in {self.position(match)}")
        rewards = np.zeros((self.size, 2), dtype=np.float32)
        self._share(lambda *rows: make_moves(words, rewards, *rows))
        return Step(rewards, state.ended == RULES_ENDED, state.ended == LIMIT_ENDED)

    def sample(self) -> Actions:
        """Return a random legal action for each match, `int64[n]`; -1 if the match is over."""
        self._share(lambda *rows: sample_actions(self._bundle.words, *rows))
        return self._workspace.actions.copy()

    def masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal, `bool[n, actions]`; none in matches that are over."""
        masks = np.zeros((self.size, self.game.facts.actions), dtype=np.int8)
        self._share(lambda *rows: write_masks(self._bundle.words, masks, *rows))
        return masks.view(np.bool_)

    def observations(self, sides: npt.ArrayLike | None = None) -> npt.NDArray[np.int8]:
        """Return what a network sees of each position, `int8[n, planes, rows, columns]`.

        Parameters
        ----------
        sides : int[n] or int, optional
            The side from whose point of view each position is seen; by default the side to move.

        Raises
        ------
        PositionError
            If a side is not 0 or 1.
        LimitError
            If the sides are not integers, or their number is wrong.
        """
        chosen = self._workspace.sides if sides is None else _array(sides, "sides")
        if chosen.dtype.kind not in "iu" or chosen.shape not in ((), (self.size,)):
            raise LimitError(f"sides must be integers of the shape ({self.size},), not {_described(chosen)}")
        if not (chosen.min() >= 0 and chosen.max() <= 1):
            wrong = int(chosen.max() if chosen.max() > 1 else chosen.min())
            raise PositionError(f"the side of an observation must be 0 or 1, not {quote(wrong)}")
        seen_by = np.broadcast_to(chosen, self.size).astype(np.int64)
        planes, words = np.zeros((self.size, self._observation.size), dtype=np.int8), self._bundle.words
        self._share(lambda *rows: write_observations(words, seen_by, planes, *rows))
        return planes.reshape(self.size, *self._observation.shape)

    def copy(self) -> "Batch":
        """Return an independent batch of the same matches, which gives the same samples."""
        limit = int(self._workspace.options[0].ply_limit)
        copied = Batch(self.game, self.size, ply_limit=limit, threads=self._threads)
        copied._start = self._start
        for name, own in self._workspace._asdict().items():
            if isinstance(own, np.ndarray):
                getattr(copied._workspace, name)[...] = own
        return copied

    def __copy__(self) -> "Batch":
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> "Batch":
        return self.copy()

    def __reduce__(self) -> str:
        raise TypeError("a Batch cannot be pickled: make one in each process")

    def __repr__(self) -> str:
        return f"<batch of {self.size} matches of {self.game}, {int(self.over.sum())} over>"

    def _share(self, work: Callable[[int, int], int | None]) -> list[int]:
        """Divide the matches among the threads, and return the result of `work(first, last)` of each."""
        if self._workers is None:
            return [work(0, self.size) or 0]
        bounds = [self.size * thread // self._threads for thread in range(self._threads + 1)]
        return [done or 0 for done in self._workers.map(work, bounds[:-1], bounds[1:])]

    def _chosen(self, which: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        chosen = np.ascontiguousarray(_array(which, "which"))
        if chosen.dtype != np.bool_ or chosen.shape != (self.size,):
            raise LimitError(f"matches must be chosen by bool[{self.size}], not {_described(chosen)}")
        return chosen

    def _packed(self, start: Position) -> Words:
        words = self.game.pack(start)
        return words if self._rules is None else self._rules.pack(start)


def _array(value: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError:  # rows of different lengths
        raise LimitError(f"{name} must be an array, not {quote(value)}") from None


def _check_count(name: str, value: Any, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or not 1 <= int(value) <= most:
        expected = "at least 1" if most == UNLIMITED else f"1 to {most:,}"
        raise LimitError(f"{name} must be {expected}, not {quote(value)}")


def _described(array: npt.NDArray[np.generic]) -> str:
    return f"{array.dtype}{list(array.shape)}"
