"""Policies of abstract states: experience from matches, the values computed from it, and files.

For each state and action, `Experience` adds up the rewards and counts the states at the same side's
next turn. For each side and state, it counts the matches that the side won after reaching the state.
All tables are sparse: they only have rows for what has been observed. `Experience.solve` computes the
values of states by value iteration. Workers play matches by calling `play_recorded`.

Source: R. Sutton and A. Barto, "Reinforcement Learning", 1998, chapter 4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from boardgames.errors import OptionError, WeightsError, quote, suggest
from boardgames.game import Game
from boardgames.kernels import Actions, Reals
from boardgames.kernels.bundles import Bundle
from boardgames.learner import STATE_PREFIX
from boardgames.options import Option, OptionValue, is_finite
from boardgames.player import fingerprint_of
from boardgames.selfplay import SelfPlayMatch, SelfPlaySetup, derive_seed
from boardgames.selfplay.contest import new_workspaces
from boardgames.selfplay.worker import WorkerState, worker_state
from boardgames.weights.files import Array, read_arrays, write_arrays
from boardgames_connect4.value_iteration import table_play
from boardgames_connect4.value_iteration.abstraction import GUARDS, StateAbstraction, find_abstraction
from boardgames_connect4.value_iteration.table_play import (
    ACTION,
    BY_TABLE,
    NEXT,
    NO_STATE,
    REACHED,
    SIDE,
    STATE,
)

TOLERANCE = 1e-9
"""Value iteration ends when a sweep changes no value by more than this. If the largest absolute mean reward
is above 1, the limit is multiplied by it."""
MAX_STATES = 1_000_000
MAX_PAIRS = 50_000_000
"""Maximum number of pairs of state and action in a file; a table of this size takes 400 MB."""
SCHEMA = 1
MAX_GAMMA = 0.99

CHOICES = {"value": (1.0, 0.0), "success": (0.0, 1.0), "both": (1.0, 1.0)}
"""Weights of value and success for each value of the option `choose`."""
CHOOSE = Option(
    "choose", str, "value", "what decides between moves: their value, their success, or the sum of both",
    choices=tuple(CHOICES),
)  # fmt: skip
REWARD = Option(
    "reward", str, "board", "reward of a move: on the board, or the mean observed in its state",
    choices=("board", "observed"),
)  # fmt: skip
GUARD_NAMES = Option("guards", str, "all", "enabled guards: all, none, or names with + between them")
WINS_FIRST = Option("wins_first", bool, True, "play a winning move before a guard is applied")

# --- experience ---------------------------------------------------------------


class Solution(NamedTuple):
    """Values computed from experience.

    Attributes
    ----------
    values : float64[states]
        Value of each state; 0 if it has not been visited.
    rewards : float64[states, actions]
        Mean reward of each action; 0 for actions that have not been tried.
    ahead : float64[states, actions]
        Discounted expected value of the state at the next turn after each action; 0 for actions that
        have not been tried.
    sweeps : int
        Number of sweeps of value iteration.
    """

    values: Reals
    rewards: Reals
    ahead: Reals
    sweeps: int


@dataclass(frozen=True, slots=True, eq=False)
class Experience:
    """Observations from matches, as sparse tables with ascending keys.

    Attributes
    ----------
    states, actions : int
        Number of states, and of actions in each of them.
    pairs : int64[m]
        Visited pairs of state and action: state * `actions` + action.
    visits : int64[m]
        How often each pair was visited.
    rewards : float64[m]
        Sum of the rewards of each pair.
    links : int64[n]
        Observed transitions: pair * `states` + state at the same side's next turn.
    counts : int64[n]
        How often each transition was observed. If the match ends first, there is none.
    won : int64[k]
        States to which the winners of matches have moved: side * `states` + state.
    wins : int64[k]
        The number of such matches for each of these states.

    Examples
    --------
    >>> record = np.array([[0, 3, 1, 5, 4], [1, 0, 0, -1, 2], [0, 5, 2, -1, 6]])  # see `table_play.SIDE`
    >>> once = Experience.of_match(7, 3, record, np.array([1.0, 0.0, 2.0]), winner=0)
    >>> once.pairs.tolist(), once.links.tolist(), once.won.tolist()
    ([0, 10, 17], [75], [4, 6])
    >>> twice = once.merged([once])
    >>> twice.visits.tolist(), twice.rewards.tolist(), twice.success()[0].tolist()
    ([2, 2, 2], [0.0, 2.0, 4.0], [0.0, 0.0, 0.0, 0.0, 0.75, 0.0, 0.75])
    """

    states: int
    actions: int
    pairs: Actions
    visits: Actions
    rewards: Reals
    links: Actions
    counts: Actions
    won: Actions
    wins: Actions

    NAMES: ClassVar[tuple[str, ...]] = ("pairs", "visits", "rewards", "links", "counts", "won", "wins")
    """The names of the tables."""

    @classmethod
    def empty(cls, states: int, actions: int) -> "Experience":
        """Return the experience before the first match."""
        none = np.zeros(0, dtype=np.int64)
        return cls(states, actions, none, none, np.zeros(0), none, none, none, none)

    @classmethod
    def of_match(
        cls,
        states: int,
        actions: int,
        record: Actions,
        rewards: Reals,
        winner: int | None,
        *,
        weight: int = 1,
    ) -> "Experience":
        """Return the experience of one match.

        Parameters
        ----------
        record, rewards : int64[plies, 5], float64[plies]
            The moves as recorded by `table_play.play_match`.
        winner : int or None
            The side that won.
        weight : int
            How often each move counts.
        """
        pairs = record[:, STATE] * actions + record[:, ACTION]
        has_next = record[:, NEXT] != NO_STATE
        links = pairs[has_next] * states + record[has_next, NEXT]
        won = np.unique(record[record[:, SIDE] == winner, REACHED]) if winner is not None else pairs[:0]
        once = np.full(len(record), weight)
        return cls(states, actions, *_summed(
            (pairs, once, weight * rewards), (links, once[has_next]),
            (won + (winner or 0) * states, np.full(len(won), weight)),
        ))  # fmt: skip

    @classmethod
    def from_arrays(cls, states: int, actions: int, arrays: Mapping[str, Array]) -> "Experience":
        """Return the experience stored in arrays, whose integers may have any type.

        Raises
        ------
        ValueError
            If the tables are damaged or do not fit together.
        """
        columns: dict[str, Any] = {name: _column(arrays, name) for name in cls.NAMES}  # two types
        for name, keys in {"visits": "pairs", "rewards": "pairs", "counts": "links", "wins": "won"}.items():
            if len(columns[name]) != len(columns[keys]):
                raise ValueError(f"the table {name!r} must have as many rows as {keys!r}")
            if name != "rewards" and (columns[name] < 1).any():
                raise ValueError(f"the table {name!r} has counts below 1")
        for name, limit in {
            "pairs": states * actions, "links": states * actions * states, "won": 2 * states
        }.items():  # fmt: skip
            if (np.diff(columns[name], prepend=-1) < 1).any() or (columns[name] >= limit).any():
                raise ValueError(f"the table {name!r} has keys that are out of order or out of range")
        if not np.isfinite(columns["rewards"]).all():
            raise ValueError("the rewards must be finite")
        if not np.isin(columns["links"] // states, columns["pairs"]).all():
            raise ValueError("the table 'links' has pairs that were never visited")
        return cls(states, actions, **columns)

    def merged(self, others: "Sequence[Experience]") -> "Experience":
        """Return the sum of this and other experiences with the same states and actions."""
        every = (self, *others)
        columns = {name: np.concatenate([getattr(one, name) for one in every]) for name in self.NAMES}
        return Experience(self.states, self.actions, *_summed(
            (columns["pairs"], columns["visits"], columns["rewards"]),
            (columns["links"], columns["counts"]),
            (columns["won"], columns["wins"]),
        ))  # fmt: skip

    @property
    def visited(self) -> int:
        """Return the number of states in which a move has been made."""
        return len(np.unique(self.pairs // self.actions))

    def describe(self) -> str:
        """Return a text that says how much has been observed."""
        return (
            f"visited {self.visited:,} of {self.states:,} states, with {len(self.pairs):,} different moves "
            f"and {len(self.links):,} transitions"
        )

    def arrays(self) -> dict[str, Array]:
        """Return the tables by name."""
        return {name: getattr(self, name) for name in self.NAMES}

    def solve(self, gamma: float, tolerance: float = TOLERANCE) -> Solution:
        """Return the values of states and actions, computed by value iteration.

        V(s) = max over visited a of R(s, a) + gamma * sum over s' of P(s' | s, a) V(s'),
        where R is the mean reward and P the share of the visits that were followed by s'.
        Visits after which the match ended before the side's next turn add nothing to the sum.

        Parameters
        ----------
        gamma : float
            Discount, less than 1.
        tolerance : float
            See `TOLERANCE`.

        Examples
        --------
        >>> record = np.array([[0, 0, 0, 1, 1], [0, 1, 1, -1, 2]])
        >>> solution = Experience.of_match(3, 2, record, np.array([1.0, 8.0]), winner=0).solve(0.5)
        >>> solution.values.tolist(), solution.ahead[0].tolist()
        ([5.0, 8.0, 0.0], [4.0, 0.0])
        """
        values = np.zeros(self.states)
        rewards, ahead = (np.zeros((self.states, self.actions)) for _ in range(2))
        if not self.pairs.size:
            return Solution(values, rewards, ahead, 0)
        places = np.searchsorted(self.pairs, self.links // self.states)
        targets = self.links % self.states
        chances = gamma * self.counts / self.visits[places]
        means = self.rewards / self.visits
        starts = np.flatnonzero(np.diff(self.pairs // self.actions, prepend=-1))
        visited = self.pairs[starts] // self.actions
        # relative to the rewards, because values are rounded
        tolerance *= max(1.0, float(np.abs(means).max()))
        change, sweeps = np.inf, 0
        while change > tolerance:
            expected = np.bincount(places, chances * values[targets], self.pairs.size)
            updated = np.maximum.reduceat(means + expected, starts)
            change = float(np.abs(updated - values[visited]).max())
            values[visited] = updated
            sweeps += 1
        ahead.ravel()[self.pairs] = np.bincount(places, chances * values[targets], self.pairs.size)
        rewards.ravel()[self.pairs] = means
        return Solution(values, rewards, ahead, sweeps)

    def success(self) -> Reals:
        """Return the success of each state for side 0 and side 1, `float64[2, states]`, from 0 to 1.

        It is 0 at first. Each match that the side won after moving to the state halves its distance to 1.
        """
        success = np.zeros(2 * self.states)
        success[self.won] = 1.0 - 0.5**self.wins
        return success.reshape(2, self.states)


def _column(arrays: Mapping[str, Array], name: str) -> Array:
    """Return a column from a file: the rewards as real numbers, every other table as integers.

    Raises
    ------
    ValueError
        If the table is missing, has more than one dimension, or has a type that cannot be converted.
    """
    array, kind = arrays.get(name), np.float64 if name == "rewards" else np.int64
    if array is None or array.ndim != 1 or not np.can_cast(array.dtype, kind, "same_kind"):
        raise ValueError(f"the table {name!r} is missing or of another type")
    return array.astype(kind)


def _summed(*tables: tuple[Array, ...]) -> list[Array]:
    """Add up the rows of each table that have the same key in the first column; return all columns."""
    columns: list[Array] = []
    for keys, *added in tables:
        unique, places = np.unique(keys, return_inverse=True)
        columns.append(unique)
        columns += [np.bincount(places, column, len(unique)).astype(column.dtype) for column in added]
    return columns


# --- policies -----------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """Experience with the states of a game, and a discount.

    Attributes
    ----------
    game, abstraction : str
        Names of the game and of its state abstraction.
    experience : Experience
        What was observed.
    gamma : float
        Discount.
    provenance : mapping
        How the policy was made, as JSON values: learner, settings, seed, metrics.
    """

    kind: ClassVar[str] = "policy"

    game: str
    abstraction: str
    experience: Experience
    gamma: float
    provenance: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))  # JSON values

    @classmethod
    def read(cls, path: Path) -> "Policy":
        """Return the policy in a file, which may be a checkpoint of a run.

        Raises
        ------
        FileError, WeightsError
            If the file cannot be read or has no policy.
        """
        return cls.from_arrays(*read_arrays(path), path)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], header: Mapping[str, Any], path: Path) -> "Policy":
        """Return the policy among the arrays of a file, given its header."""
        names = [header.get(key) for key in ("game", "abstraction")]
        states, actions = header.get("states"), header.get("actions")
        gamma, provenance = header.get("gamma"), header.get("provenance")
        if not (
            header.get("schema") == SCHEMA
            and all(isinstance(name, str) for name in names)
            and type(states) is type(actions) is int
            and 0 < states <= MAX_STATES
            and 0 < actions <= MAX_PAIRS // states
            and is_finite(gamma)
            and 0 <= gamma <= MAX_GAMMA
            and isinstance(provenance, dict)
        ):
            raise WeightsError(
                f"{path} has no policy of version {SCHEMA}; the learner 'value-iteration' makes policies"
            )
        stored = {name.removeprefix(STATE_PREFIX): array for name, array in arrays.items()}
        try:
            experience = Experience.from_arrays(states, actions, _unpacked(stored, states))
        except ValueError as error:
            raise WeightsError(f"{path} has no policy: {error}") from None
        return cls(str(names[0]), str(names[1]), experience, float(gamma), provenance)

    def describe(self) -> str:
        """Return a text that says how much was observed."""
        return self.experience.describe()

    def header(self) -> dict[str, Any]:
        """Return the header of the file without the provenance, as JSON values."""
        return {
            "schema": SCHEMA,
            "game": self.game,
            "abstraction": self.abstraction,
            "states": self.experience.states,
            "actions": self.experience.actions,
            "gamma": self.gamma,
        }

    def write(self, path: Path) -> None:
        """Write the policy to a file atomically, in as few bytes as possible.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        header = {**self.header(), "provenance": dict(self.provenance)}
        write_arrays(path, _packed(self.experience), header)

    def fingerprint(self) -> str:
        """Return a short hash of everything but the provenance."""
        tables = [array.tobytes() for array in self.experience.arrays().values()]
        return fingerprint_of(f"{self.abstraction} {self.gamma!r}".encode(), *tables)

    def check(self, game: Game, abstraction: StateAbstraction) -> None:
        """Raise WeightsError unless the policy is for this game and state abstraction."""
        if (self.game, self.abstraction) != (game.facts.name, abstraction.name):
            raise WeightsError(
                f"the policy is for {quote(self.abstraction)} of {quote(self.game)}, not for "
                f"{abstraction.name!r} of {game.facts.name}"
            )
        sizes = (self.experience.states, self.experience.actions)
        if sizes != (abstraction.states, game.facts.actions):
            raise WeightsError(
                f"the policy is for {sizes[0]} states and {sizes[1]} actions, but {game.describe()} has "
                f"{abstraction.states} and {game.facts.actions}; it is probably for a board of another size"
            )


def _packed(experience: Experience) -> dict[str, Array]:
    """Return the tables in the smallest types that hold them.

    `links` is replaced by `targets`, its states, and `followers`, the number of these states for each pair.
    """
    arrays, states = experience.arrays(), experience.states
    links = arrays.pop("links")
    places = np.searchsorted(experience.pairs, links // states)
    arrays |= {"targets": links % states, "followers": np.bincount(places, minlength=len(experience.pairs))}
    return {name: _small(array) for name, array in arrays.items()}


def _unpacked(arrays: Mapping[str, Array], states: int) -> Mapping[str, Array]:
    """Undo `_packed`; return the tables of a checkpoint, which have `links`, unchanged.

    Raises
    ------
    ValueError
        If the tables do not fit together.
    """
    if "links" in arrays:
        return arrays
    pairs, targets, followers = (_column(arrays, name) for name in ("pairs", "targets", "followers"))
    if (
        len(followers) != len(pairs)
        or (followers < 0).any()
        or followers.sum() != len(targets)
        or (targets >= states).any()
    ):
        raise ValueError("the tables 'pairs', 'followers' and 'targets' do not fit together")
    return {**arrays, "links": np.repeat(pairs, followers) * states + targets}


def _small(array: Array) -> Array:
    """Return whole numbers with the smallest integer type that holds them, and other arrays unchanged."""
    whole = array.astype(np.int64)
    if not np.array_equal(whole, array):
        return array
    ends = (whole.min(initial=0), whole.max(initial=0))
    return whole.astype(np.result_type(*map(np.min_scalar_type, ends)))


def guard_bits(text: str) -> int:
    """Return the guards that the option `guards` enables, as bits.

    Raises
    ------
    OptionError
        If a name is not that of a guard.

    Examples
    --------
    >>> [guard_bits(text) for text in ("all", "none", "gap+open-two")]
    [7, 0, 6]
    """
    if text == "all":
        return (1 << len(GUARDS)) - 1
    bits = 0
    for name in () if text == "none" else text.split("+"):
        if name not in GUARDS:
            raise OptionError(f"no such guard {quote(name)}{suggest(name, [*GUARDS, 'all', 'none'])}")
        bits |= 1 << GUARDS.index(name)
    return bits


# --- matches ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChoiceOptions:
    """How a player chooses between moves; see `boardgames_connect4.value_iteration.table_play`.

    Attributes
    ----------
    value_weight, success_weight : float
        Weights of the value and of the success of a move.
    board_reward : bool
        True if the reward is that on the board, False if it is the mean observed.
    epsilon : float
        Probability of a random move.
    bound : float
        A random move is only played if its worth is less than this below that of the best one.
    guards : int
        Enabled guards, as bits.
    wins_first : bool
        True if a winning move is played before a guard is applied.
    """

    value_weight: float = 1.0
    success_weight: float = 0.0
    board_reward: bool = True
    epsilon: float = 0.0
    bound: float = np.inf
    guards: int = -1
    wins_first: bool = True

    @classmethod
    def read(
        cls,
        options: Mapping[str, OptionValue],
        *,
        epsilon: float = 0.0,
        bound: float = np.inf,
    ) -> "ChoiceOptions":
        """Read the options `CHOOSE`, `REWARD`, `GUARD_NAMES` and `WINS_FIRST` of a player.

        Raises
        ------
        OptionError
            If there is no guard with one of the names.
        """
        return cls(
            *CHOICES[str(options["choose"])], options["reward"] == "board", epsilon, bound,
            guard_bits(str(options["guards"])), bool(options["wins_first"]),
        )  # fmt: skip

    def table(self, solution: Solution) -> Reals:
        """Return the learned part of the value of each action in each state, `float64[states, actions]`."""
        return solution.ahead if self.board_reward else solution.rewards + solution.ahead

    def record(self) -> np.ndarray:
        """Return the parameters as a record for the kernels."""
        return np.array([astuple(self)], dtype=table_play.PARAMETERS_DTYPE).view(np.recarray)


@dataclass(frozen=True, slots=True, eq=False)
class TablePlayer:
    """A player in `play_recorded`.

    Attributes
    ----------
    experience : Experience or None
        The experience from which its tables are computed; None for an empty one.
    gamma : float
        Discount.
    options : ChoiceOptions
        How it chooses between moves.
    depth : int
        `BY_TABLE`, 0 for random moves, or the depth to which it searches with the game's evaluation.
    """

    experience: Experience | None = None
    gamma: float = 0.1
    options: ChoiceOptions = field(default_factory=ChoiceOptions)
    depth: int = BY_TABLE


@dataclass(frozen=True, slots=True, eq=False)
class RecordedMatches:
    """Matches, from the first player's point of view, and the experience that both sides gained."""

    experience: Experience
    matches: list[SelfPlayMatch]


def play_recorded(
    setup: SelfPlaySetup, first: TablePlayer, second: TablePlayer | None = None, *, matches: int, seed: int
) -> RecordedMatches:
    """Play matches and return them with the experience gained; a task for workers.

    Parameters
    ----------
    setup : SelfPlaySetup
        Made with the name of a state abstraction instead of features.
    first, second : TablePlayer
        They play two matches from each opening, with the sides swapped. Without a second player, the first
        plays against itself, and every match has a different opening.
    matches : int
        Number of matches.
    seed : int
        Seeds openings and random choices.
    """
    state = worker_state(setup)
    return state.run_stoppable(lambda: _play(state, first, second, matches, seed))


def _play(
    state: WorkerState, first: TablePlayer, second: TablePlayer | None, matches: int, seed: int
) -> RecordedMatches:
    setup, game = state.setup, state.game
    abstraction, players = find_abstraction(setup.features, game), (first, second or first)
    longest = min(setup.ply_limit, game.facts.longest_match or setup.ply_limit)
    workspaces = _workspaces(state, abstraction, players, longest)
    bundles = [Bundle(workspace) for workspace in workspaces]
    depth = max(1, *(player.depth for player in players))
    search = Bundle(new_workspaces(game, [game.evaluation], depth, state.control)[0])
    depths = np.array([player.depth for player in players], dtype=np.int64)
    positions, record, rewards = workspaces[0].positions, workspaces[0].record, workspaces[0].rewards
    nothing = Experience.empty(abstraction.states, game.facts.actions)
    results, experiences = [], []
    for number in range(matches):
        side = number % 2  # side of the first player
        order = 1 - 2 * side
        by_side = bundles[::order]
        positions[0] = state.start
        opening = number if second is None else number // 2
        random_state = np.array([derive_seed(seed, opening)], dtype=np.uint64)
        moves_hash = np.zeros(1, dtype=np.uint64)
        code = table_play.play_match(
            by_side[0].words, by_side[1].words, search.words, np.ascontiguousarray(depths[::order]),
            random_state, moves_hash, setup.opening, longest,
        )  # fmt: skip
        result = state.result(code, side, moves_hash, positions[0])
        played = (record[: result.plies], rewards[: result.plies], result.winner)
        results.append(result)
        experiences.append(Experience.of_match(nothing.states, nothing.actions, *played))
    return RecordedMatches(nothing.merged(experiences), results)


def _workspaces(
    state: WorkerState, abstraction: StateAbstraction, players: Sequence[TablePlayer], plies: int
) -> list[table_play.TablePlayWorkspace]:
    """Return the workspaces of two players, which share their buffers."""
    nothing = Experience.empty(abstraction.states, state.game.facts.actions)
    tables = []
    for player in players:
        experience = player.experience or nothing
        tables.append((player.options.table(experience.solve(player.gamma)), experience.success()))
    shared = table_play.new_workspace(
        state.game, abstraction, *tables[0], players[0].options.record(),
        control=state.control, plies=plies,
    )  # fmt: skip
    table, success = tables[1]
    return [shared, shared._replace(table=table, success=success, parameters=players[1].options.record())]
