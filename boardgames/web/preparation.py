"""The games of a server: described without delay, and compiled in other processes in the meantime."""

import asyncio
import os
import threading
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from enum import IntEnum
from functools import partial
from typing import Any, TypeVar

from boardgames import plugins
from boardgames.compiling import report
from boardgames.errors import describe_error
from boardgames.executors import run_isolated
from boardgames.faults import package_of
from boardgames.game import Game
from boardgames.hookspecs import Entry
from boardgames.kernels.lazy import load_kernel, uncompiled_kernels
from boardgames.options import parse_agent
from boardgames.paths import cache_folder
from boardgames.plugins import close_player, load, load_player
from boardgames.web.calls import LOAD_SECONDS, Calls, call_in_thread, game_subject
from boardgames.web.games import description, load_agents
from boardgames.web.messages import CatalogueReply, GameEntry, GameReply

CATALOGUE_SECONDS = 3.0
"""How long the catalogue waits for games to load; for slower ones, it shows what their plug-ins declare."""
NICENESS = 10
"""Niceness of a process that nobody is waiting for."""
TURN_SECONDS = 60.0
"""How long to wait for another compilation of the same game before assuming that it hangs."""
MAX_KNOWN = 1000
"""Maximum number of compiled combinations of a game and agents that are remembered."""
PREEMPTION_POLL_SECONDS = 0.1
"""How often a preempted compilation checks whether it can continue."""

_Result = TypeVar("_Result")


class _Urgency(IntEnum):
    """How soon compiled code is needed; smaller is more urgent."""

    NOW = 0
    """Somebody is waiting for it."""
    SOON = 1
    """Somebody has opened the form of the game."""
    LATER = 2


class _PreemptedError(Exception):
    """A compilation was stopped because a more urgent one has started."""


class Games:
    """Loads, describes and compiles the games of a server. Its methods are called in the event loop.

    Loading a game compiles nothing, and `Calls` interprets the rules until their kernels are compiled.
    Kernels are compiled in separate processes, which free all of their memory when they end and do not
    delay the requests of pages. The most urgent compilation stops the others. These start again
    afterwards, and find in the cache what they had already compiled.

    Parameters
    ----------
    calls : Calls
        Calls the code of the games in threads.

    Attributes
    ----------
    titles : dict of str to (str, (str, str))
        The titles of games and the names of their sides, for the games that have been loaded.
    """

    def __init__(self, calls: Calls) -> None:
        self.titles: dict[str, tuple[str, tuple[str, str]]] = {}
        self._calls = calls
        self._tasks: dict[object, asyncio.Task[Any]] = {}
        self._compiling: dict[str, asyncio.Lock] = {}
        """Locks by game, held while somebody waits for a process that compiles the game."""
        self._urgencies: tuple[_Urgency, ...] = ()
        """The urgencies of all compilations that are running or preempted."""
        self._ready: set[tuple[object, ...]] = set()
        """Combinations of a game and its agents that have been compiled."""
        self._reporting = threading.Lock()
        """Held on behalf of the process whose progress is reported."""

    async def catalogue(self) -> CatalogueReply:
        """Return the games that are installed, without those that cannot be loaded."""
        offers = plugins.registry().offers("games")
        tasks = await self._load_entries([offer.entry for offer in offers])
        games = []
        for offer, task in zip(offers, tasks, strict=True):
            game = task.result() if task.done() else GameEntry.of(offer.entry)
            if game is not None:
                games.append(game)
        return CatalogueReply(games=games)

    def title_of(self, module: str) -> str:
        """Return the title of the game whose kernels are being compiled, or an empty string if unknown.

        Parameters
        ----------
        module : str
            The title itself, or a module of the game or its plug-in.
        """
        if module in (title for title, _ in self.titles.values()):
            return module
        offers = plugins.registry().offers("games")
        names = {one.entry.name for one in offers if package_of(one.entry.target) == package_of(module)}
        titles = [self.titles[name][0] for name in names & self.titles.keys()]
        return titles[0] if len(titles) == 1 else ""

    async def learn_titles(self, games: Iterable[str]) -> None:
        """Learn the titles of those of these games that are installed and load within `CATALOGUE_SECONDS`."""
        unknown = set(games) - self.titles.keys()
        await self._load_entries(
            [offer.entry for offer in plugins.registry().offers("games") if offer.entry.name in unknown]
        )

    async def _load_entries(self, entries: Sequence[Entry]) -> list[asyncio.Task[GameEntry | None]]:
        tasks = [_task(self._entry_of_game(entry)) for entry in entries]
        if tasks:
            await asyncio.wait(tasks, timeout=CATALOGUE_SECONDS)
        return tasks

    async def _entry_of_game(self, entry: Entry) -> GameEntry | None:
        """Return a game as pages list it, or None, with a warning, if it cannot be loaded."""
        try:
            game = await self._calls.run(
                game_subject(entry.name), partial(load, entry.name), seconds=LOAD_SECONDS
            )
        except Exception as error:  # noqa: BLE001 - a plug-in may raise anything; the others can be played
            warnings.warn(f"{entry.name}: {describe_error(error)}", RuntimeWarning, stacklevel=1)
            return None
        self.titles[entry.name] = game.facts.title, game.facts.sides
        return GameEntry(entry.name, game.facts.title, entry.summary)

    async def describe(self, name: str) -> GameReply:
        """Return what can be chosen for a match of a game, and start to compile the game.

        Raises
        ------
        UnknownNameError, PluginError
            If there is no such game, or it cannot be loaded.
        """
        plugins.registry().check_name("games", name)
        reply = await self._calls.run(game_subject(name), partial(description, name), seconds=LOAD_SECONDS)
        _task(self._once(name, lambda: self._compile_default(name, _Urgency.SOON)))
        return reply

    async def warm_up(self) -> None:
        """Load and compile all games with their agents, so that no page has to wait for this."""
        names = [offer.entry.name for offer in plugins.registry().offers("games")]
        for prepare in (partial(self._compile_default, urgency=_Urgency.LATER), self._compile_all):
            for name in names:
                with suppress(Exception):  # a page that asks for the game gets the reason
                    await prepare(name)

    async def compile_agents(self, game: Game, agents: Sequence[str]) -> None:
        """Compile what these agents need for a match of a game, unless this has been done.

        Errors are ignored here; they are reported when the agents play.
        """
        await self._once((game, *agents), lambda: self._compile_agents(game, agents, _Urgency.NOW))

    async def _compile_agents(self, game: Game, agents: Sequence[str], urgency: _Urgency) -> None:
        if (game, *agents) in self._ready:
            return
        name = game.facts.name
        self.titles[name] = game.facts.title, game.facts.sides
        load_classes = partial(_load_classes, game, [parse_agent(agent)[0] for agent in agents])
        get_ready = partial(_get_ready, game, agents)
        await self._compile_missing(name, load_classes, get_ready, urgency, title=game.facts.title)
        with suppress(Exception):  # reported when the rules are needed
            await call_in_thread(partial(_load_rules, game), name="load")
        self._ready.add((game, *agents))

    async def _compile_default(self, name: str, urgency: _Urgency) -> None:
        game = await self._calls.run(game_subject(name), partial(load, name), seconds=LOAD_SECONDS)
        await self._compile_agents(game, (game.facts.default_agent,), urgency)

    async def _compile_all(self, name: str) -> None:
        load_all = partial(load_agents, name)
        await self._compile_missing(name, load_all, load_all, _Urgency.LATER)

    async def _compile_missing(
        self,
        name: str,
        load: Callable[[], object],
        compile_all: Callable[[], object],
        urgency: _Urgency,
        *,
        title: str = "",
    ) -> None:
        """Call `load` here, and if kernels are not compiled then, call `compile_all` in another process."""

        async def is_missing() -> bool:
            find = partial(_has_uncompiled, name, load)
            return await self._calls.run(game_subject(name), find, seconds=LOAD_SECONDS)

        if not await is_missing():
            return
        if urgency == _Urgency.LATER:
            compile_all, title = partial(_at_low_priority, compile_all), ""
        is_preempted = partial(self._is_preempted, urgency)
        run = partial(_run_elsewhere, compile_all, title, is_preempted, self._reporting)
        self._urgencies = (*self._urgencies, urgency)
        try:
            if urgency == _Urgency.NOW:  # otherwise two processes could compile the same kernels
                async with _turn(self._compiling.setdefault(name, asyncio.Lock())):
                    if await is_missing():
                        await call_in_thread(run, name="compile")
                return
            while True:
                while is_preempted():
                    await asyncio.sleep(PREEMPTION_POLL_SECONDS)
                if not await is_missing() or await call_in_thread(run, name="compile"):
                    return
        finally:
            left = list(self._urgencies)
            left.remove(urgency)
            self._urgencies = tuple(left)

    def _is_preempted(self, urgency: _Urgency) -> bool:
        """Return True if there is a more urgent compilation; called in any thread."""
        return min(self._urgencies, default=urgency) < urgency

    async def _once(self, key: object, work: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
        """Do the work once for all callers with this key, and return its result; repeat it if it failed."""
        task = self._tasks.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            if len(self._tasks) >= MAX_KNOWN:  # pages can ask for agents with any options
                self._tasks = {other: known for other, known in self._tasks.items() if not known.done()}
                self._ready.clear()
            task = self._tasks[key] = _task(work())
        return await asyncio.shield(task)


@asynccontextmanager
async def _turn(lock: asyncio.Lock) -> AsyncIterator[None]:
    """Hold a lock, or continue without it if its holder takes so long that it probably hangs."""
    try:
        async with asyncio.timeout(TURN_SECONDS):
            await lock.acquire()
    except TimeoutError:
        yield
        return
    try:
        yield
    finally:
        lock.release()


def _task(work: Coroutine[Any, Any, _Result]) -> asyncio.Task[_Result]:
    """Start a task; asyncio does not complain if nobody retrieves its exception."""
    task = asyncio.create_task(work)
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return task


def _has_uncompiled(name: str, load: Callable[[], object]) -> bool:
    """Load a game's code; return True if a kernel of the game, its agents or the core is not compiled."""
    load()
    known = plugins.registry()
    offers = [offer for offer in known.offers("games") if offer.entry.name == name]
    offers += known.offers("agents", name)
    packages = {package_of(offer.entry.target) for offer in offers} | {package_of(__name__)}
    return any(package_of(module) in packages for module in uncompiled_kernels())


def _load_classes(game: Game, agents: Sequence[str]) -> None:
    """Import all modules with kernels that the agents need."""
    _ = game.evaluation, game.contempt  # a game may create them only when they are needed
    for agent in agents:
        plugins.registry().load("agents", agent, game.facts.name)


def _get_ready(game: Game, agents: Sequence[str]) -> None:
    """Compile the rules of a game, and all that the agents compile before a match."""
    _load_rules(game)
    for agent in agents:
        player = load_player(agent, game)
        try:
            player.match_started(0)
        finally:
            close_player(player)


def _at_low_priority(function: Callable[[], object]) -> None:
    """Lower the priority of this process and call a function."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    function()


def _load_rules(game: Game) -> None:
    """Load or compile the rules of a game without calling them, since a faulty rule may never return."""
    rules = game.kernels
    for kernel in (rules.legal_moves, rules.apply, rules.side_to_move, rules.outcome):
        load_kernel(kernel)


def _run_elsewhere(
    function: Callable[[], object], title: str, is_preempted: Callable[[], bool], reporting: threading.Lock
) -> bool:
    """Call a function that compiles kernels in another process, until it returns or is preempted.

    Parameters
    ----------
    function : callable
        Called without arguments. Its exceptions are dropped.
    title : str
        The title under which progress is reported; empty to report nothing.
    is_preempted : callable
        Returns True if the process has to be stopped.
    reporting : Lock
        Held by the process that reports its progress; the others report nothing.

    Returns
    -------
    bool
        False if it was preempted.
    """
    folder = cache_folder() / "kernels"
    has_lock = False

    def count() -> int:
        return sum(1 for _ in folder.glob("*/*.kernel"))

    earlier = count()

    def progress() -> int:
        nonlocal has_lock
        if is_preempted():
            raise _PreemptedError
        compiled = count()
        has_lock = has_lock or (bool(title) and reporting.acquire(blocking=False))
        if has_lock:
            report(title, compiled - earlier)
        return compiled

    try:
        run_isolated(function, progress=progress, patience_s=LOAD_SECONDS)
    except _PreemptedError:
        return False
    except Exception:  # noqa: BLE001 - reported when the agents are needed
        return True
    finally:
        if has_lock:
            report("", count() - earlier)
            reporting.release()
    return True
