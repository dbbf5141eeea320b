"""Find plug-ins, check what they offer, and make games and players by name.

Plug-ins are found through the entry-point group `boardgames`. One that cannot
be imported, breaks a hook's contract or repeats a name is kept in the list
with its error and takes nothing else down. The core's own agents are
registered through the same hooks, first; other plug-ins follow by name.
"""

import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Literal, get_args

import pluggy

from boardgames import hookspecs
from boardgames.errors import BoardgamesError, PluginError, UnknownNameError, near, shown
from boardgames.hookspecs import PROJECT, Entry
from boardgames.options import Option, parse_agent, read_options
from boardgames.paths import blocked_plugins

if TYPE_CHECKING:
    from boardgames.declarations import FeatureSet
    from boardgames.game import Game
    from boardgames.learner import Learner
    from boardgames.player import Player

Kind = Literal["games", "agents", "features", "learners", "weights", "books", "experiments"]
KINDS: tuple[Kind, ...] = get_args(Kind)
CORE_PLUGINS = {
    "core-players": "boardgames.players.plugin",
    "core-learners": "boardgames.learning.plugin",
    "tensorboard": "boardgames.adapters.tensorboard",
}

SEED = Option("seed", int, None, "makes an agent's chance repeatable", minimum=0)

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plug-in that was found: where it came from, what it offers, what is wrong with it."""

    name: str
    version: str
    summary: str
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """An entry together with the plug-in that offers it."""

    entry: Entry
    plugin: str


class Registry:
    """All plug-ins of this process and what they offer.

    Parameters
    ----------
    found : iterable of EntryPoint, optional
        Plug-ins besides the core's; by default every installed one.
    blocked : set of str, optional
        Names of plug-ins to leave out; by default those of `BOARDGAMES_BLOCK`.
    """

    def __init__(
        self, found: Iterable[EntryPoint] | None = None, blocked: frozenset[str] | None = None
    ) -> None:
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self.plugins: list[Plugin] = []
        self._offers: dict[Kind, list[Offer]] = {kind: [] for kind in KINDS}
        blocked = blocked_plugins() if blocked is None else blocked
        core = [EntryPoint(name, module, PROJECT) for name, module in CORE_PLUGINS.items()]
        others = entry_points(group=PROJECT) if found is None else found
        for point in [*core, *sorted(others, key=lambda point: (point.name, point.value))]:
            if point.name not in blocked:
                self._add(point)

    @property
    def hook(self) -> Any:  # pluggy makes its attributes at run time
        """Return pluggy's relay: `registry.hook.bg_match_ended(...)` calls every plug-in."""
        return self._manager.hook

    def offers(self, kind: Kind, game: str | None = None) -> list[Offer]:
        """Return what is offered of a kind, sorted by name.

        With `game`, what that game can use: its own comes before one for
        every game with the same name.
        """
        offers = self._offers[kind]
        if game is not None:
            own = {offer.entry.name for offer in offers if offer.entry.game == game}
            offers = [
                offer
                for offer in offers
                if offer.entry.game == game or (offer.entry.game is None and offer.entry.name not in own)
            ]
        return sorted(offers, key=lambda offer: (offer.entry.name, offer.entry.game or ""))

    def load(self, kind: Kind, name: str, game: str | None = None) -> Any:  # a class or function
        """Import what is offered under a name.

        Raises
        ------
        UnknownNameError
            If nothing of that name is offered; the message names near ones.
        PluginError
            If importing it fails.
        """
        self.check_name(kind, name, game)
        offer = next(offer for offer in self.offers(kind, game) if offer.entry.name == name)
        module, _, attribute = offer.entry.target.partition(":")
        try:
            return getattr(importlib.import_module(module), attribute)
        except BoardgamesError as error:
            raise PluginError(f"plug-in {offer.plugin!r}: {name!r} is broken: {error}") from error
        except (Exception, SystemExit) as error:
            raise PluginError(
                f"plug-in {offer.plugin!r}: {name!r} at {offer.entry.target} cannot be imported: "
                f"{told(error)}"
            ) from error

    def check_name(self, kind: Kind, name: str, game: str | None = None) -> None:
        """Raise UnknownNameError unless something of that name is offered, to `game` if it is given."""
        names = [offer.entry.name for offer in self.offers(kind, game)]
        if name not in names:
            where = f" of {game}" if game else ""
            raise UnknownNameError(
                f"expected one of the {kind}{where}: {shown(name)}{near(name, names)}{self._broken()}"
            )

    def check_targets(self) -> None:
        """Import everything that is offered; what fails is noted with its plug-in."""
        for kind in KINDS:
            for offer in self._offers[kind]:
                try:
                    self.load(kind, offer.entry.name, offer.entry.game)
                except BoardgamesError as error:
                    self.fail(offer.plugin, str(error))

    def implementations(self, hook: str) -> list[tuple[str, Callable[..., object]]]:
        """Return the plug-ins that implement a hook, each with its function."""
        found = getattr(self._manager.hook, hook).get_hookimpls()
        return [(implementation.plugin_name, implementation.function) for implementation in found]

    def fail(self, name: str, error: str) -> None:
        """Note an error of a plug-in that showed itself after loading."""
        self.plugins = [
            replace(plugin, error=plugin.error or error) if plugin.name == name else plugin
            for plugin in self.plugins
        ]

    def _add(self, point: EntryPoint) -> None:
        distribution = point.dist
        version = distribution.version if distribution is not None else ""
        summary = (distribution.metadata["Summary"] or "") if distribution is not None else ""
        if any(plugin.name == point.name for plugin in self.plugins):
            error = f"another plug-in is named {point.name!r} too"
            self.plugins.append(Plugin(point.name, version, summary, error))
            return
        try:
            module = point.load()
            self._manager.register(module, name=point.name)
            self._manager.check_pending()
            entries = {kind: self._entries(module, kind, point.name) for kind in KINDS}
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's module may do anything
            if self._manager.has_plugin(point.name):
                self._manager.unregister(name=point.name)
            self.plugins.append(Plugin(point.name, version, summary, told(error)))
            return
        repeats = []
        for kind in KINDS:
            for entry in entries[kind]:
                other = self._holder(kind, entry)
                if other is None:
                    self._offers[kind].append(Offer(entry, point.name))
                else:
                    one = kind if kind == "weights" else kind[:-1]
                    repeats.append(f"{one} {entry.name!r} is offered by {other!r} already")
        summary = summary or (inspect.getdoc(module) or "").partition("\n")[0]
        self.plugins.append(Plugin(point.name, version, summary, "; ".join(repeats) or None))

    def _entries(self, module: object, kind: Kind, name: str) -> list[Entry]:
        """Call one plug-in's hook and check what it returns."""
        caller = self._manager.subset_hook_caller(
            f"bg_{kind}", [other for other in self._manager.get_plugins() if other is not module]
        )
        entries: list[Entry] = []
        for returned in caller():
            if not isinstance(returned, list | tuple):
                raise PluginError(f"expected a list of entries from bg_{kind}: {shown(returned)}")
            entries += [_checked(entry, kind) for entry in returned]
        return entries

    def _broken(self) -> str:
        """Name the plug-ins that have an error, for the end of a message about a missing name."""
        names = [plugin.name for plugin in self.plugins if plugin.error]
        return f" (broken plug-ins, see `bg plugins`: {', '.join(names)})" if names else ""

    def _holder(self, kind: Kind, entry: Entry) -> str | None:
        for offer in self._offers[kind]:
            if (offer.entry.name, offer.entry.game) == (entry.name, entry.game):
                return offer.plugin
        return None


def _checked(entry: object, kind: Kind) -> Entry:
    if not isinstance(entry, Entry):
        raise PluginError(f"expected an Entry from bg_{kind}: {shown(entry)}")
    texts = (entry.name, entry.summary, entry.target, "" if entry.game is None else entry.game)
    if not all(isinstance(text, str) for text in texts) or not _NAME.fullmatch(entry.name):
        raise PluginError(f"expected a lower-case name from bg_{kind}: {shown(entry.name)}")
    if not all(entry.target.partition(":")):
        raise PluginError(f"expected package.module:attribute from bg_{kind}: {shown(entry.target)}")
    return entry


def told(error: BaseException) -> str:
    """Return class and text of an error, on one line, whatever its author made of it."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - a stranger's error may not even be written
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@lru_cache(maxsize=1)
def registry() -> Registry:
    """Return this process's registry, made at the first call."""
    return Registry()


def load(name: str, /, *, layout: str | None = None, **options: object) -> "Game":
    """Return a game by name.

    Parameters
    ----------
    name : str
        As `bg games` lists it.
    layout : str, optional
        Name of a start; the default is the game's first.
    options : keywords
        The game's own, as values or texts.

    Raises
    ------
    UnknownNameError, OptionError, PluginError
        If there is no such game, layout or option, or its plug-in is broken.

    Examples
    --------
    >>> load("abalone", layout="standard", broadside=False)
    <game abalone standard broadside=false>
    """
    from boardgames.game import Game

    made = registry().load("games", name)
    if not (isinstance(made, type) and issubclass(made, Game)):
        raise PluginError(f"expected a subclass of Game as game {name!r}: {made!r}")
    with _blamed("game", name):
        # first, so that no option takes the place of another keyword
        read = read_options(made.declared_options, options, f"game {name!r}")
        return made(layout=layout, **read)


def load_player(text: str, game: "Game", *, seed: int | None = None) -> "Player":
    """Return a player by its agent text, `alphabeta:depth=4`.

    Every agent takes the option `seed` too, which comes before the argument.

    Raises
    ------
    UnknownNameError, OptionError, PluginError
        If there is no such agent or option, or its plug-in is broken.

    Examples
    --------
    >>> load_player("random", load("abalone"), seed=7)
    <player random>
    """
    from boardgames.player import Player

    name, options = parse_agent(text)
    made = registry().load("agents", name, game.facts.name)
    if not (isinstance(made, type) and issubclass(made, Player)):
        raise PluginError(f"expected a subclass of Player as agent {name!r}: {made!r}")
    seed_read = SEED.read(options.pop("seed", seed))
    with _blamed("agent", name):
        # first, so that no option takes the place of another keyword
        read = read_options(made.declared_options, options, f"agent {name!r}")
        return made(game, seed=None if seed_read is None else int(seed_read), **read)


def load_features(name: str, game: "Game") -> "FeatureSet":
    """Return a feature set of a game by name.

    Raises
    ------
    UnknownNameError, PluginError
        If there is no such feature set, or its plug-in is broken.
    """
    from boardgames.declarations import FeatureSet

    target = registry().load("features", name, game.facts.name)
    with _blamed("features", name):
        made = target(game)
    if not isinstance(made, FeatureSet):
        raise PluginError(f"expected a FeatureSet as features {name!r}: {made!r}")
    return made


def load_learner(name: str, game: "Game", /, **options: object) -> "Learner":
    """Return a learner by name, with its options as values or texts.

    Raises
    ------
    UnknownNameError, OptionError, PluginError
        If there is no such learner or option, or its plug-in is broken.
    """
    from boardgames.learner import Learner

    made = registry().load("learners", name, game.facts.name)
    if not (isinstance(made, type) and issubclass(made, Learner)):
        raise PluginError(f"expected a subclass of Learner as learner {name!r}: {made!r}")
    with _blamed("learner", name):
        # first, so that no option takes the place of another keyword
        return made(game, **read_options(made.declared_options, options, f"learner {name!r}"))


@contextmanager
def _blamed(what: str, name: str) -> Iterator[None]:
    """Turn whatever a plug-in's own code raises into a PluginError that names the thing."""
    try:
        yield
    except BoardgamesError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"{what} {name!r} is broken: {told(error)}") from error
