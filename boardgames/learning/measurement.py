"""Measuring the result of a run: matches between agents that use it and opponents that never change.

A file in the run's folder has the planned number of matches and the results of the complete
series. Each series of matches is played by an `Arena`, which keeps its matches in a
store in the run's folder until the whole measurement is complete. So a measurement can
be interrupted at any time and continued later.
"""

import json
import re
import shutil
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from boardgames.errors import FileError, OptionError
from boardgames.learning.history import option_value, result_of
from boardgames.learning.runs import MEASUREMENT, MEASURING, Run
from boardgames.paths import read_text, write_atomic

MATCHES = "matches.db"
SCHEMA = 1
PAIR_RESULTS = 5
START = "start"
MAX_MATCHES = 10**6
MAX_BYTES = 1 << 20

Listener = Callable[[int, int], object]
"""Called with the number of matches played so far and the number planned."""


@dataclass(frozen=True, slots=True)
class Series:
    """The results of an agent that uses the weights of a run, against one opponent.

    Attributes
    ----------
    before : bool
        True if the agent used the weights from before the training, which `START` stands for in `agent`.
    pairs : tuple of int
        How many pairs gave the agent 0, 1/2, 1, 3/2 and 2 points; empty in files of early versions.
    """

    agent: str
    opponent: str
    wins: int
    losses: int
    draws: int
    before: bool = False
    pairs: tuple[int, ...] = ()

    @property
    def matches(self) -> int:
        """Return the number of matches played."""
        return self.wins + self.losses + self.draws

    def __str__(self) -> str:
        agent = self.agent
        if self.before:
            agent = f"before training, {re.sub(f'[:,][a-z]+={START}$', '', agent)}"
        return f"{agent} against {self.opponent}: {self.wins} won, {self.losses} lost, {self.draws} drawn"


@dataclass(frozen=True, slots=True)
class Measurement:
    """The planned number of matches that measure a run's result, and the results so far.

    Attributes
    ----------
    matches : int
        Matches against each opponent.
    opponents : int
        Number of opponents.
    series : tuple of Series
        The complete series, including those of earlier measurements until this one is complete.
    played : int
        Matches played, including those of a series that is not complete.
    """

    matches: int
    opponents: int
    series: tuple[Series, ...] = ()
    played: int = 0

    @property
    def planned(self) -> int:
        """Return the number of matches of the complete measurement."""
        return self.matches * self.opponents

    @property
    def is_done(self) -> bool:
        """Return whether all matches have been played."""
        return len(self.own_series) >= self.opponents

    @property
    def own_series(self) -> tuple[Series, ...]:
        """Return the complete series of this measurement; other ones have a different number of matches."""
        return tuple(one for one in self.series if one.matches == self.matches)

    @classmethod
    def read(cls, folder: Path) -> "Measurement | None":
        """Return the measurement of a run, or None if none was planned.

        Warn and return None if its file is damaged, since the matches can be played again.
        """
        found = cls._read(folder)
        if found is None and (folder / MEASUREMENT).exists():
            warnings.warn(f"{folder / MEASUREMENT} is damaged: measure the run again", stacklevel=2)
        return found

    @classmethod
    def _read(cls, folder: Path) -> "Measurement | None":
        try:
            content = json.loads(read_text(folder / MEASUREMENT, limit=MAX_BYTES))
            series = tuple(
                Series(**{**one, "pairs": tuple(one.get("pairs", ()))}) for one in content["series"]
            )
            found = cls(content["matches"], content["opponents"], series, content["played"])
        except (FileError, ValueError, TypeError, KeyError, RecursionError):
            return None
        counts = (
            found.opponents,
            found.played,
            *(n for one in series for n in (one.wins, one.losses, one.draws, *one.pairs)),
        )
        are_counts = all(type(count) is int and 0 <= count <= MAX_MATCHES for count in counts)
        are_pairs = all(len(one.pairs) in (0, PAIR_RESULTS) for one in series)
        are_texts = all(isinstance(text, str) for one in series for text in (one.agent, one.opponent))
        is_whole = _are_matches(found.matches) and are_counts and are_pairs and are_texts
        return found if is_whole else None

    def write(self, folder: Path) -> None:
        """Write the file of a run.

        Raises
        ------
        FileError
            If it cannot be written.
        """
        content = {"schema": SCHEMA, **asdict(self)}
        write_atomic(folder / MEASUREMENT, json.dumps(content) + "\n", follow_links=False)


def check_matches(matches: int) -> None:
    """Check the number of matches against each opponent.

    Raises
    ------
    OptionError
        If it is odd or out of range.
    """
    if not _are_matches(matches):
        raise OptionError(
            f"the number of matches must be even, because every opening is played twice, and from 2 to "
            f"{MAX_MATCHES:,}; not {matches}"
        )


def plan_measurement(run: Run, matches: int) -> Measurement:
    """Return the measurement of a run with this number of matches against each opponent, and write its file.

    If the same measurement has been begun or completed already, it is returned. The results of
    another measurement are kept until this one is complete.

    Raises
    ------
    OptionError
        If the number is odd or out of range, a larger measurement is complete, or no agent can use the
        learner's result.
    FileError
        If the file cannot be written.
    """
    opponents = len(_matchups(run))
    if not opponents:
        raise OptionError(f"no agent plays with what learner {run.config.learner!r} learns")
    check_matches(matches)
    found = Measurement.read(run.folder)
    if found is not None and found.matches == matches:
        return found
    series = () if found is None else found.series
    counts = Counter(one.matches for one in series)
    largest = max((number for number, count in counts.items() if count >= opponents), default=0)
    if matches < largest:
        raise OptionError(
            f"run {run.name!r} has already been measured in {largest:,} matches against each opponent; "
            f"give a larger number than that, not {matches:,}"
        )
    planned = Measurement(matches, opponents, series)
    planned = replace(planned, played=len(planned.own_series) * matches)
    planned.write(run.folder)
    return planned


def forget_results(folder: Path) -> None:
    """Forget the measured results of a run that is about to change, but keep the number of matches.

    Raises
    ------
    FileError
        If the file cannot be written.
    """
    found = Measurement.read(folder)
    if found is not None:
        Measurement(found.matches, found.opponents).write(folder)
        shutil.rmtree(folder / MEASURING, ignore_errors=True)


def measure(
    run: Run, planned: Measurement, executor: Executor, listener: Listener | None = None
) -> Measurement:
    """Play the remaining matches of a measurement, and keep the results in the run.

    Parameters
    ----------
    run : Run
        A run whose training is complete; otherwise its result may still change.
    planned : Measurement
        From `plan_measurement`.
    listener : callable, optional
        Called before the agents are loaded and whenever some matches have been played.

    Raises
    ------
    KeyboardInterrupt
        If the user interrupts; the results so far are saved, and `Measurement.read` returns them.
    FileError, StoreError
        If the results cannot be saved.
    """
    from boardgames.arena import Arena, Plan  # here, so that reading a measurement is fast
    from boardgames.store import Store

    game, seed, done = run.learner.game, run.config.seed, list(planned.own_series)
    matchups = _matchups(run)
    earlier = tuple(one for one in planned.series if one not in done)

    def report(playing: int) -> Measurement:
        kept = earlier if len(done) < len(matchups) else ()
        played = len(done) * planned.matches + playing
        known = Measurement(planned.matches, len(matchups), (*kept, *done), played)
        known.write(run.folder)
        if listener is not None:
            listener(known.played, known.planned)
        return known

    known = planned
    if listener is not None:
        listener(planned.played, planned.planned)  # compiling the agents may take a minute
    with Store(run.folder / MEASURING / MATCHES) as store:
        for agent, opponent, before in matchups[len(done) :]:
            plan = Plan(game=game, agents=(agent, opponent), matches=planned.matches)
            arena = Arena(plan, seed=seed, store=store)
            report(arena.matches)
            result = arena.run(executor, lambda arena: report(arena.matches))
            first, pairs = result.standings[0], result.pairs
            named = agent.replace(_start_of(run), START)
            counts = () if pairs is None else pairs.counts
            done.append(Series(named, opponent, first.wins, first.losses, first.draws, before, counts))
            known = report(0)
    shutil.rmtree(run.folder / MEASURING, ignore_errors=True)
    return known


def _matchups(run: Run) -> list[tuple[str, str, bool]]:
    """Return the matchups that measure a run, and whether each uses the weights before training."""
    after = run.learner.matchups(result_of(run.folder, run.learner.game))
    before = run.learner.matchups(_start_of(run)) if run.start_path.exists() else ()
    first = [(agent, opponent, True) for agent, opponent in before[:1] if agent != opponent]
    return first + [(*matchup, False) for matchup in after]


def _start_of(run: Run) -> str:
    """Return the option value with which agents load the weights from before the training."""
    return option_value(str(run.start_path))


def _are_matches(number: object) -> bool:
    return type(number) is int and 2 <= number <= MAX_MATCHES and number % 2 == 0
