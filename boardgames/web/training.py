"""Training runs for pages: read from their folders, and read again if files change while a page watches.

Training happens in other processes, which know nothing about pages. While a page watches, the files'
modification times are therefore checked about once a second, and what has changed is read.
"""

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from boardgames.errors import BoardgamesError, UnknownNameError, quote, suggest
from boardgames.learner import Learner
from boardgames.learning.config import Config
from boardgames.learning.history import (
    learner_of,
    metric_names,
    result_of,
    sample,
    weight_names,
    weights_over_time,
)
from boardgames.learning.measurement import Measurement, Series
from boardgames.learning.metrics import METRICS, StepRecord, read_metrics
from boardgames.learning.runs import CONFIG, MEASUREMENT, is_running
from boardgames.learning.summaries import RunSummary, run_summary
from boardgames.options import OptionValue
from boardgames.paths import runs_folder
from boardgames.web.calls import LOAD_SECONDS, Calls
from boardgames.web.messages import (
    RunEntry,
    RunGone,
    RunReply,
    RunsReply,
    SettingEntry,
    StandingsEntry,
    WeightsEntry,
)
from boardgames.weights.lookup import BEST, run_names

INTERVAL_SECONDS = 1.0
"""Seconds between two checks of the files."""
BUSY_SHARE = 5
"""After reading, the pause is at least this many times as long as the reading took."""
MAX_POINTS = 500
MAX_WEIGHTS = 100
MAX_WEIGHT_POINTS = 20_000
MAX_STANDINGS = 50
DIGITS = 6

TrainingReply = RunsReply | RunReply | RunGone
Listener = Callable[[TrainingReply], None]
Stamp = tuple[object, ...]
"""A value that changes whenever the files of a run change."""


@dataclass(slots=True)
class _Watch:
    """What a page watches (the name of a run, or None for the list), and the last reply sent to it."""

    name: str | None
    latest: TrainingReply | None


class Training:
    """The training runs in the user's folder. Its methods are called in the event loop."""

    def __init__(self) -> None:
        self._calls, self._turn = Calls(), asyncio.Lock()  # one thread at a time
        self._reader = _Reader()
        self._watches: dict[Listener, _Watch] = {}
        self._task: asyncio.Task[None] | None = None

    async def watch(self, name: str | None, listener: Listener) -> TrainingReply:
        """Return a run or the list of all runs, and call `listener` with it whenever it changes.

        A listener can watch only one thing at a time.

        Raises
        ------
        UnknownNameError
            If there is no such run.
        """
        watch = self._watches[listener] = _Watch(name, None)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._poll())
        watch.latest = news = await self._read(name)
        if isinstance(news, RunGone):
            if self._watches.get(listener) is watch:
                self.unwatch(listener)
            raise UnknownNameError(f"no such run {quote(name)}{suggest(str(name), run_names())}")
        return news

    def unwatch(self, listener: Listener) -> None:
        """Stop calling a listener."""
        self._watches.pop(listener, None)

    def close(self) -> None:
        """End all watches."""
        self._watches.clear()
        if self._task is not None:
            self._task.cancel()

    async def _read(self, name: str | None) -> TrainingReply:
        async with self._turn:
            return await self._calls.run(
                "the display of training runs", partial(self._reader.read, name), seconds=LOAD_SECONDS
            )

    async def _poll(self) -> None:
        """Check the files as long as somebody watches."""
        pause = INTERVAL_SECONDS
        while self._watches:
            await asyncio.sleep(pause)
            begun = time.monotonic()
            for name in {watch.name for watch in self._watches.values()}:
                news = await self._read(name)
                for listener, watch in tuple(self._watches.items()):
                    if watch.name == name and watch.latest is not None and watch.latest is not news:
                        watch.latest = news
                        listener(news)
            pause = max(INTERVAL_SECONDS, BUSY_SHARE * (time.monotonic() - begun))


def trained_agents(names: Sequence[str]) -> dict[str, str]:
    """Return the agents that play with the best weights of runs, by the name of the run.

    Names without a run are left out, and so are runs that no agent can use.
    """
    agents = {}
    for name in set(run_names()).intersection(names):
        folder = runs_folder() / name
        with suppress(BoardgamesError):
            agent, _ = _agent_of(folder, learner_of(Config.read(folder / CONFIG)))
            if agent:
                agents[name] = agent
    return dict(sorted(agents.items()))


class _Reader:
    """Reads runs in one thread; for a run that has not changed, it returns the same object again."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[Stamp, RunEntry]] = {}
        self._runs: dict[str, tuple[Stamp, RunReply]] = {}
        self._learners: dict[str, tuple[object, Learner | None]] = {}
        self._list = RunsReply(runs=[])

    def read(self, name: str | None) -> TrainingReply:
        """Return the run called `name`, `RunGone` if there is none, or without a name the list of runs."""
        names = run_names()
        if name is None:
            return self._read_list(names)
        if name not in names:
            self._runs.pop(name, None)
            return RunGone(name=name)
        folder = runs_folder() / name
        stamp = _stamp(folder)
        if name not in self._runs or self._runs[name][0] != stamp:
            self._runs[name] = (stamp, self._read_run(folder))
        return self._runs[name][1]

    def _read_list(self, names: Sequence[str]) -> RunsReply:
        entries = {}
        for name in names:
            folder = runs_folder() / name
            stamp = _stamp(folder)
            known = self._entries.get(name)
            entry = known if known and known[0] == stamp else (stamp, _entry_of(_summary(folder)))
            if entry[1].facts.error is None or folder.is_dir():  # the run may have been deleted meanwhile
                entries[name] = entry
        self._entries = entries
        listed = RunsReply(runs=sorted((entry for _, entry in entries.values()), key=_age))
        if listed != self._list:
            self._list = listed
        return self._list

    def _read_run(self, folder: Path) -> RunReply:
        summary = _summary(folder)
        try:
            steps = read_metrics(folder / METRICS, most=MAX_POINTS)
        except BoardgamesError as error:
            return RunReply(run=_entry_of(summary, broken=str(error)))
        if summary.config is None:
            return RunReply(run=_entry_of(summary))
        config, learner = summary.config, self._learner(folder, summary)
        agent, obstacle = _agent_of(folder, learner)
        names, measured = metric_names(steps), Measurement.read(folder)
        return RunReply(
            run=_entry_of(summary),
            layout=config.layout,
            options=_plain(config.options),
            settings=_settings(config.settings, learner),
            curve="score" if learner is None else learner.curve,
            follows_curve=learner is None or learner.follows_curve,
            steps=[one.step for one in steps],
            seconds=[_rounded(one.seconds) for one in steps],
            metrics={name: [_rounded(one.metrics.get(name)) for one in steps] for name in names},
            weights=_weights(steps, learner),
            standings=[
                StandingsEntry(one.step, [(who, _rounded(points)) for who, points in one.standings])
                for one in sample([one for one in steps if one.standings], MAX_STANDINGS)
            ],
            agent=agent,
            obstacle=obstacle,
            strength=[_plain_text(one, folder) for one in ([] if measured is None else measured.series)],
            measuring=None
            if measured is None or measured.is_done or not measured.played
            else (measured.played, measured.planned),
        )

    def _learner(self, folder: Path, summary: RunSummary) -> Learner | None:
        """Return the learner of a run, loading it only once, since loading a game takes a moment."""
        assert summary.config is not None
        known = self._learners.get(folder.name)
        if known is None or known[0] != summary.config:
            known = self._learners[folder.name] = (summary.config, learner_of(summary.config))
        return known[1]


def _stamp(folder: Path) -> Stamp:
    # the time of the lock file is not used, because checking whether the lock is free changes it
    return (
        is_running(folder),
        *(_stat(folder / name) for name in (CONFIG, METRICS, MEASUREMENT, BEST, BEST.parent)),
    )


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _summary(folder: Path) -> RunSummary:
    try:
        return run_summary(folder)
    except (OSError, ValueError) as error:  # the folder may be unreadable, for example
        return RunSummary(folder.name, folder, "broken", error=f"cannot read it: {type(error).__name__}")


def _age(entry: RunEntry) -> tuple[float, str]:
    return -entry.created, entry.name


def _entry_of(summary: RunSummary, *, broken: str | None = None) -> RunEntry:
    facts, folder = summary.facts, summary.folder
    if error := broken or facts.error:
        facts = replace(facts, state="broken", error=_without_paths(error, folder))
    times = [found[0] for name in (METRICS, BEST, CONFIG) if (found := _stat(folder / name)) is not None]
    return RunEntry(
        name=summary.name,
        facts=replace(facts, best=_rounded(facts.best)),
        created=summary.created,
        changed=max(times, default=0) / 1e9,
    )


def _without_paths(text: str, folder: Path) -> str:
    """Return the message of an error with the paths of the run's files relative to its folder."""
    text = text.partition("\n")[0].replace(f"{folder}{os.sep}", "").replace(str(folder), "the run")
    parents = (str(runs_folder()), repr(str(runs_folder()))[1:-1])
    return "its files cannot be read" if any(parent in text for parent in parents) else text


def _plain_text(series: Series, folder: Path) -> str:
    """Return the results of a series, with the run's path relative to the folder of runs."""
    return str(series).replace(str(folder), folder.name)


def _plain(options: Mapping[str, object]) -> dict[str, OptionValue]:
    """Return the options of a config, with paths shortened to file names."""
    plain: dict[str, OptionValue] = {}
    for name, value in options.items():
        if isinstance(value, str) and ("/" in value or "\\" in value):
            plain[name] = "…/" + value.replace("\\", "/").rpartition("/")[2]
        else:
            plain[name] = value if isinstance(value, bool | int | float | str | None) else str(value)
    return plain


def _settings(settings: Mapping[str, object], learner: Learner | None) -> list[SettingEntry]:
    declared = () if learner is None else learner.declared_options
    summaries = {option.name: " ".join(option.summary.split()) for option in declared}
    return [SettingEntry(name, value, summaries.get(name, "")) for name, value in _plain(settings).items()]


def _weights(steps: Sequence[StepRecord], learner: Learner | None) -> WeightsEntry | None:
    """Return the weights after each step, only those largest at the end, or a summary of all weights."""
    places, rows = weights_over_time(steps)
    if rows:
        last = rows[-1]
        names = weight_names(learner, len(last))
        largest = sorted(range(len(last)), key=lambda index: -abs(last[index]))[:MAX_WEIGHTS]
        shown = sample(list(zip(places, rows, strict=True)), MAX_WEIGHT_POINTS // len(largest))
        return WeightsEntry(
            steps=[step for step, _ in shown],
            names=[names[index] for index in sorted(largest)],
            values=[[_rounded(row[index]) for _, row in shown] for index in sorted(largest)],
            total=len(last),
        )
    summarised = [one for one in steps if one.summary]
    if not summarised:
        return None
    names = list(summarised[-1].summary)
    return WeightsEntry(
        steps=[one.step for one in summarised],
        names=names,
        values=[[_rounded(one.summary.get(name)) for one in summarised] for name in names],
        total=0,
    )


def _agent_of(folder: Path, learner: Learner | None) -> tuple[str | None, str]:
    """Return the agent that plays with the best weights so far, or None and the reason why there is none."""
    if learner is None:
        return None, "its game or learner is not installed"
    with suppress(OSError):
        if not (folder / BEST).is_file():
            return None, "it has no weights yet"
    result = result_of(folder, learner.game)
    if any(sign in result for sign in "/\\~"):
        return (
            None,
            "its name cannot be used here: it has special characters, or the game has weights of this name",
        )
    agent = learner.agent_with(result)
    return (agent, "") if agent else (None, "no agent plays with what it learns")


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")
