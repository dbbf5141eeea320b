"""The learner `tune`: finds good values for numeric options of an agent by SPSA.

It learns values of options, such as the exploration of `mcts`, not weights of features. Each step
plays a few pairs of matches, as in an arena: one opening, played twice with sides swapped. The agents
of a pair have opposite changes of all values, in a direction that is drawn for each pair, and the
values move towards those that score more; see `perturbation`.

Values are handled as shares of their ranges, from 0 to 1. Integers are rounded up or down at random, with
the same random number for both agents, so that they are right on average. If both agents of a pair
are the same after rounding, they do not play.

Sources: see `perturbation`; fishtest tunes the parameters of Stockfish in the same way.
"""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from boardgames import plugins
from boardgames.arena.openings import DEFAULT_OPENINGS, Openings
from boardgames.arena.plan import Plan
from boardgames.arena.play import MatchResult, OpeningPair, PairBatch, play_batch
from boardgames.errors import (
    FileError,
    LearnerStateError,
    MatchError,
    OptionError,
    UnknownNameError,
    WeightsError,
    quote,
    suggest,
)
from boardgames.game import Game, Termination
from boardgames.kernels import Reals
from boardgames.learner import LearnerState
from boardgames.learning.base import START, TEST_MATCHES, SteppedLearner
from boardgames.learning.history import option_value
from boardgames.learning.perturbation import Perturbation
from boardgames.options import Option, parse_agent, parse_assignments
from boardgames.selfplay import derive_seed
from boardgames.weights.files import read_arrays
from boardgames.weights.lookup import find_source
from boardgames.weights.weights import TUNED, VALUES

LOG = "log"
HALF = 0.5
"""The value of `draw` in `Range.text` with which values are rounded to the nearest integer."""


class Tune(Perturbation, SteppedLearner):
    """SPSA for numeric options of an agent.

    Attributes
    ----------
    tunable : TunableAgent
        The agent and the ranges of its options.

    Raises
    ------
    OptionError
        If the agent or the ranges are missing, an option does not exist or is not a number, a range is
        invalid, or the agent's initial value is outside its range.
    UnknownNameError
        If there is no such agent or opening suite.
    """

    name: ClassVar[str] = "tune"
    follows_curve: ClassVar[bool] = False
    declared_options = (
        Option("agent", str, None, "agent with the values to start with, such as mcts:simulations=200"),
        Option(
            "ranges", str, None,
            "options to tune with their ranges, such as exploration=0.5:3,cutoff=10:80; LOW:HIGH:log for a "
            "logarithmic scale",
        ),
        replace(START, summary="run whose tuned values come first; default: the values of the agent"),
        Option("steps", int, 100, "number of steps", minimum=1, maximum=10**6),
        Option(
            "pairs", int, 8, "pairs of matches per step, each with its own random direction",
            minimum=1, maximum=10_000,
        ),
        Option(
            "change", float, 0.1, "initial change of each value in matches, as a share of its range",
            minimum=1e-6, maximum=1,
        ),
        Option(
            "rate", float, 0.1, "how far each value moves in the first step, as a share of its range, if one "
            "side wins all matches", minimum=0, maximum=100,
        ),
        Option(
            "delay", float, 10.0, "number of steps before the rate falls noticeably", minimum=0, maximum=1e6
        ),
        Option("openings", str, DEFAULT_OPENINGS, "opening suite, as in the arena", file="read"),
        Option(
            "ply_limit", int, None, "plies after which a match is drawn; default: the game's limit",
            minimum=1, maximum=100_000,
        ),
        replace(
            TEST_MATCHES, default=0,
            summary="matches per step against the agent with its first values, which give the score",
        ),
    )  # fmt: skip

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        self.tunable = TunableAgent.parse(self.text("agent"), self.text("ranges"), game)
        if self.integer("test_matches") % 2:
            raise OptionError(
                "test_matches must be even, because every opening is played twice; not "
                f"{self.integer('test_matches')}"
            )
        self._openings: Openings | None = None

    @property
    def weight_names(self) -> Sequence[str]:
        """Return the names of the options."""
        return [one.name for one in self.tunable.ranges]

    def start(self, seed: int) -> LearnerState:
        """Return the values of the agent, or those of the given run.

        The agent is loaded too, so that an error is raised here if that is impossible.
        """
        shares = self.tunable.start if not self.text("start") else self._given_shares(self.text("start"))
        agent = self.tunable.agent(shares)
        Plan(game=self.game, agents=(agent, agent), ply_limit=self._ply_limit).load_lineup()
        self._take_openings(1, 0)
        return LearnerState({"shares": shares}, {"step": 0, "seed": seed})

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Play pairs of matches between opposite changes, and move the values towards the winners'."""
        shares, step, pairs = self._shares(state), state.integer("step"), self.integer("pairs")
        directions = self.directions(pairs, shares.size, self._seed(state, "directions"))
        draws = np.random.default_rng(self._seed(state, "rounding")).random(directions.shape)
        changes = self.change(step) * directions
        points = self._points(
            [self._changed(shares + one, draw) for one, draw in zip(changes, draws, strict=True)],
            [self._changed(shares - one, draw) for one, draw in zip(changes, draws, strict=True)],
            executor,
            self._seed(state, "matches"),
        )
        differences = 2.0 * points - 1.0
        moved = self.moved(shares, directions, differences, step).clip(0.0, 1.0)
        after = LearnerState({"shares": moved}, {**state.scalars, "step": step + 1})
        metrics = {
            **self._score(after, executor, self._seed(state, "test")),
            **dict(zip(self.weight_names, self.tunable.values(moved), strict=True)),
            "gain": float(np.abs(differences).mean()),
            "change": self.change(step),
            "rate": self.rate(step),
        }
        return after, metrics

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return the values of the options; integers are not rounded."""
        return np.array(self.tunable.values(self._shares(state)))

    def task_count(self, step: int) -> int:
        """Return the maximum number of pairs of matches; pairs of equal agents are not played."""
        return self.integer("pairs") + self.integer("test_matches") // 2

    def agent_with(self, result: str) -> str:
        """Return the agent with its tuned values, or an empty string if they cannot be read."""
        with suppress(FileError, WeightsError):
            return self._tuned_agent(result) or ""
        return ""

    def matchups(self, result: str) -> Sequence[tuple[str, str]]:
        """Return matchups of the tuned agent against itself with default values and with its first values."""
        agent = self._tuned_agent(result) or self.tunable.first
        return [(agent, opponent) for opponent in dict.fromkeys((self.tunable.default, self.tunable.first))]

    def summary(self, state: LearnerState) -> str:
        """Return the tuned agent."""
        return f"tuned: {self.tunable.agent(self._shares(state))}"

    def header(self, state: LearnerState) -> Mapping[str, object]:
        """Return the tuned agent and the names of its tuned options."""
        agent = self.tunable.agent(self._shares(state))
        return {TUNED: {"agent": agent, "options": list(self.weight_names)}}

    def _tuned_agent(self, result: str) -> str | None:
        """Return the agent in the checkpoint of a run, or None if there is no checkpoint yet.

        Raises
        ------
        WeightsError, FileError
            If it cannot be read or is damaged.
        """
        (text,) = parse_assignments([f"result={result}"]).values()
        try:
            path = find_source(text, self.game).path
        except (UnknownNameError, WeightsError):
            return None
        return str(_read(path)[0]["agent"])

    def _given_shares(self, text: str) -> Reals:
        """Return the tuned values of another run as shares of the ranges of this one."""
        tuned, values = _read(find_source(text, self.game).path)
        if sorted(tuned["options"]) != sorted(self.weight_names):
            raise OptionError(
                f"{quote(text)} has values of {', '.join(tuned['options'])}, not of "
                f"{', '.join(self.weight_names)}"
            )
        given = dict(zip(tuned["options"], values, strict=True))
        return np.array([one.checked_share(given[one.name]) for one in self.tunable.ranges])

    def _changed(self, shares: Reals, draws: Reals) -> str:
        return self.tunable.agent(shares.clip(0.0, 1.0), draws)

    def _points(
        self, first: Sequence[str], second: Sequence[str], executor: Executor, seed: int
    ) -> npt.NDArray[np.float64]:
        """Return the share of the points that each of the first agents scores against its opponent."""
        openings = self._take_openings(len(first), seed)
        tasks = {}
        for number, agents in enumerate(zip(first, second, strict=True)):
            if agents[0] != agents[1]:
                settings = Plan(game=self.game, agents=agents, ply_limit=self._ply_limit).match_settings(seed)
                pair = OpeningPair(number, 0, 1, openings[number])
                tasks[number] = executor.submit(play_batch, PairBatch(settings, (pair,), keep_players=False))
        points = np.full(len(first), HALF)
        for number, task in tasks.items():
            results, _ = task.result()
            _check_faults(results, (first[number], second[number]))
            points[number] = np.mean([match.points(0) for match in results])
        return points

    def _score(self, state: LearnerState, executor: Executor, seed: int) -> dict[str, float]:
        """Return the share of points that the values score against the agent with its first values."""
        pairs = self.integer("test_matches") // 2
        if not pairs:
            return {}
        agent = self.tunable.agent(self._shares(state))
        return {
            "score": float(self._points([agent] * pairs, [self.tunable.first] * pairs, executor, seed).mean())
        }

    def _take_openings(self, count: int, seed: int) -> list[str]:
        if self._openings is None:
            self._openings = Openings(self.game, self.text("openings"))
        return self._openings.take(count, seed=seed)

    @property
    def _ply_limit(self) -> int | None:
        return None if self.options["ply_limit"] is None else self.integer("ply_limit")

    def _shares(self, state: LearnerState) -> Reals:
        """Return the shares in a state, which may come from a damaged file."""
        shares = state.arrays.get("shares", np.empty(0))
        if shares.shape != (len(self.tunable.ranges),) or shares.dtype != np.float64:
            raise LearnerStateError(
                f"the state's array 'shares' must be float64 of length {len(self.tunable.ranges)}"
            )
        return shares

    def _seed(self, state: LearnerState, *content: object) -> int:
        """Return a seed for the step that follows a state."""
        return derive_seed(state.scalars["seed"], self.name, state.integer("step"), *content)


@dataclass(frozen=True, slots=True)
class Range:
    """The values that an option may take.

    Attributes
    ----------
    option : Option
        A numeric option of the agent.
    low, high : float
        The ends, both included.
    is_log : bool
        Whether the scale is logarithmic.
    """

    option: Option
    low: float
    high: float
    is_log: bool = False

    @property
    def name(self) -> str:
        """Return the name of the option."""
        return self.option.name

    @classmethod
    def parse(cls, option: Option, text: str) -> "Range":
        """Return the range that `0.5:3` or `0.5:3:log` describes.

        Raises
        ------
        OptionError
            If the text has another form, or its ends are not values of the option in ascending order.

        Examples
        --------
        >>> option = Option("exploration", float, 1.0, "weight", minimum=0, maximum=100)
        >>> Range.parse(option, "0.5:3").value(0.5), Range.parse(option, "0.1:10:log").value(0.5)
        (1.75, 1.0)
        """
        ends = text.split(":")
        if len(ends) not in (2, 3) or ends[2:] not in ([], [LOG]):
            raise OptionError(
                f"the range of {option.name} must be LOW:HIGH or LOW:HIGH:log, not {quote(text)}"
            )
        low, high = (_number(option.read(end.strip())) for end in ends[:2])
        if low >= high:
            raise OptionError(f"the range of {option.name} must have LOW below HIGH, not {quote(text)}")
        if len(ends) == 3 and low <= 0:
            raise OptionError(f"a logarithmic range must be above 0; that of {option.name} is {quote(text)}")
        return cls(option, low, high, len(ends) == 3)

    def value(self, share: float) -> float:
        """Return the value at a share of the range, 0 to 1; an integer is not rounded."""
        if self.is_log:
            value = self.low * (self.high / self.low) ** share
        else:
            value = self.low + share * (self.high - self.low)
        return float(min(max(value, self.low), self.high))  # rounding errors may leave the range

    def share(self, value: float) -> float:
        """Return the share of the range at which a value lies, 0 to 1."""
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def checked_share(self, value: float) -> float:
        """Return the share of the range at which an initial value lies, 0 to 1.

        Raises
        ------
        OptionError
            If it is outside the range.
        """
        if not self.low <= value <= self.high:
            raise OptionError(
                f"{self.name} starts at {value:g}, which is outside its range {self.low:g}:{self.high:g}; "
                "give the agent another value or widen the range"
            )
        return self.share(value)

    def text(self, share: float, draw: float = HALF) -> str:
        """Return the value of the option at a share of the range, as text.

        An integer is rounded up if its fraction and `draw`, a random number below 1, add up to at least 1.

        Examples
        --------
        >>> cutoff = Range(Option("cutoff", int, 0, "plies"), 10, 20)
        >>> cutoff.text(0.53), cutoff.text(0.53, draw=0.75), cutoff.text(0.53, draw=0.25)
        ('15', '16', '15')
        """
        value = self.value(share)
        if self.option.kind is int:  # a sum such as 20 + 0.999... may be 21
            value = min(math.floor(value + draw), self.high)
        return self.format(value)

    def format(self, value: float) -> str:
        """Return a value of the option as text."""
        return str(int(value)) if self.option.kind is int else f"{value:.6g}"


@dataclass(frozen=True, slots=True)
class TunableAgent:
    """An agent and the ranges of its options that are tuned.

    Attributes
    ----------
    name : str
        Name of the agent.
    options : mapping of str to str
        The options that the user gave.
    ranges : tuple of Range
        One for each option that is tuned.
    start : float64[n]
        The agent's initial values, as shares of the ranges.
    """

    name: str
    options: Mapping[str, str]
    ranges: tuple[Range, ...]
    start: Reals

    @classmethod
    def parse(cls, agent: str, ranges: str, game: Game) -> "TunableAgent":
        """Return the agent and ranges that the learner's options `agent` and `ranges` describe.

        Raises
        ------
        OptionError, UnknownNameError
            If one of them is missing or invalid.
        """
        if not agent:
            raise OptionError("tune needs an agent, such as --set agent=mcts:simulations=200")
        name, options = parse_agent(agent)
        declared = {
            option.name: option
            for option in plugins.registry().load("agents", name, game.facts.name).declared_options
        }
        numeric = [one.name for one in declared.values() if _is_numeric(one)]
        if not numeric:
            raise OptionError(f"agent {quote(name)} has no numeric options to tune")
        if not ranges:
            raise OptionError(
                f"tune needs the options to tune, such as --set ranges={numeric[0]}=LOW:HIGH; those of "
                f"agent {quote(name)} are {', '.join(numeric)}"
            )
        parsed = []
        for option_name, text in parse_assignments(ranges.split(",")).items():
            if option_name not in declared:
                raise OptionError(
                    f"agent {quote(name)} has no option {quote(option_name)}{suggest(option_name, declared)}"
                )
            if not _is_numeric(declared[option_name]):
                raise OptionError(
                    f"the option {option_name} of agent {quote(name)} is not a number, so it cannot be tuned"
                )
            parsed.append(Range.parse(declared[option_name], text))
        starts = []
        for one in parsed:
            value = one.option.read(options.get(one.name, one.option.default))
            if value is None:
                raise OptionError(
                    f"{one.name} has no default; give it a value to start with, such as "
                    f"--set agent={agent}{',' if options else ':'}{one.name}={one.text(HALF)}"
                )
            starts.append(one.checked_share(_number(value)))
        return cls(name, options, tuple(parsed), np.array(starts))

    @property
    def first(self) -> str:
        """Return the agent with its initial values."""
        return self.agent(self.start)

    @property
    def default(self) -> str:
        """Return the agent with the default values of the options that are tuned."""
        options = dict(self.options)
        for one in self.ranges:
            if one.option.default is None:
                options.pop(one.name, None)
            else:
                options[one.name] = one.format(_number(one.option.default))
        return _agent_text(self.name, options)

    def agent(self, shares: Reals, draws: Reals | None = None) -> str:
        """Return the agent with the values at shares of the ranges, `float64[n]`.

        Parameters
        ----------
        draws : float64[n], optional
            Random numbers that decide how integers are rounded; by default, to the nearest.
        """
        draws = np.full(shares.size, HALF) if draws is None else draws
        texts = (
            (one.name, one.text(share, draw))
            for one, share, draw in zip(self.ranges, shares.tolist(), draws.tolist(), strict=True)
        )
        return _agent_text(self.name, dict(chain(self.options.items(), texts)))

    def values(self, shares: Reals) -> list[float]:
        """Return the values at shares of the ranges; integers are not rounded."""
        return [one.value(share) for one, share in zip(self.ranges, shares.tolist(), strict=True)]


def _read(path: Path) -> tuple[dict[str, Any], list[float]]:  # JSON values
    """Read the settings of a tuning run and the tuned values from a checkpoint."""
    arrays, header = read_arrays(path)
    tuned = header.get(TUNED)
    if not isinstance(tuned, dict) or VALUES not in arrays:
        raise WeightsError(
            f"{path} has no values for the options of an agent; give `--from` a run of the learner `tune`"
        )
    return tuned, arrays[VALUES].tolist()


def _agent_text(name: str, options: Mapping[str, str]) -> str:
    values = ",".join(f"{option}={option_value(text)}" for option, text in options.items())
    return f"{name}:{values}" if values else name


def _is_numeric(option: Option) -> bool:
    return option.kind in (int, float) and not option.choices


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)


def _check_faults(results: Sequence[MatchResult], agents: tuple[str, str]) -> None:
    """Raise MatchError if an agent crashed or made an illegal move, which says nothing about strength."""
    for match in results:
        if match.faulty_agent is not None and match.termination is not Termination.TIME:
            agent = quote(agents[match.faulty_agent])
            raise MatchError(f"agent {agent} lost a match{match.termination.ending}: {match.fault}")
