"""Finding and checking plug-ins, calling their hooks, and loading games and players by name.

Plug-ins are found through the entry-point group `boardgames`. A plug-in that
cannot be imported, violates the contract of a hook or reuses a name is listed
with its error and does not affect other plug-ins. The agents of the core are
registered first, through the same hooks; other plug-ins follow, sorted by name.
If two plug-ins offer the same name, the first that works is used.
"""

import importlib
import inspect
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib.metadata import Distribution, EntryPoint, distributions, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import pluggy

from boardgames import hookspecs
from boardgames.errors import (
    BoardgamesError,
    OptionError,
    PluginError,
    UnknownNameError,
    describe_error,
    quote,
    suggest,
)
from boardgames.faults import must_propagate, name_package, package_of, translated_errors
from boardgames.hookspecs import PROJECT, Entry
from boardgames.options import Option, parse_agent, read_options
from boardgames.paths import blocked_plugins

if TYPE_CHECKING:
    from boardgames.declarations import FeatureSet
    from boardgames.game import Game, Position
    from boardgames.learner import Learner
    from boardgames.patterns import PatternSet
    from boardgames.picture import Overlay
    from boardgames.player import Player
    from boardgames.record import Record

Kind = Literal[
    "games",
    "agents",
    "features",
    "patterns",
    "learners",
    "weights",
    "books",
    "experiments",
    "overlays",
    "puzzles",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
_SINGULAR: dict[Kind, str] = {kind: kind if kind == "weights" else kind.removesuffix("s") for kind in KINDS}
_SINGULAR |= {"features": "feature set", "patterns": "pattern set"}
NEEDS: dict[str, str] = {
    "features": "features",
    "patterns": "patterns",
    "weights": "weights",
    "network": "network",
}
"""The values that `Entry.needs` can contain, and their names in messages."""
CORE_PLUGINS = {
    "core-players": "boardgames.players.plugin",
    "core-learners": "boardgames.learning.plugin",
    "tensorboard": "boardgames.adapters.tensorboard",
}

THIS_PROCESS = "this process"
"""The name of the plug-in in offers that `Registry.register` adds."""

ON_DEMAND = {"spiel": "boardgames.adapters.spiel_games"}
"""Modules that offer a game when its name is first used: the module for `spiel` offers `spiel:chess`.

Their function `entries` takes the part of the name after the colon, and returns entries by kind.
"""

SEED = Option("seed", int, None, "seed of the agent's random choices", minimum=0)

Made = TypeVar("Made")

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plug-in: its name, version, summary and, if it is broken, its error."""

    name: str
    version: str
    summary: str
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """An entry, the plug-in that offers it and, if it was registered by `Registry.register`, its target."""

    entry: Entry
    plugin: str
    target: Any = None  # a class or function


class Registry:
    """The plug-ins and what they offer.

    Parameters
    ----------
    points : iterable of EntryPoint, optional
        Plug-ins in addition to the core's; by default all that are installed.
    blocked : set of str, optional
        Names of plug-ins to ignore; by default those in `BOARDGAMES_BLOCK`.

    Attributes
    ----------
    plugins : list of Plugin
        All plug-ins, including broken ones.
    loaded : set of (Kind, str, str or None)
        Kind, name and game of all entries that were loaded.
    """

    def __init__(
        self, points: Iterable[EntryPoint] | None = None, blocked: frozenset[str] | None = None
    ) -> None:
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self.plugins: list[Plugin] = []
        self._offers: dict[Kind, list[Offer]] = {kind: [] for kind in KINDS}
        self._reserves: dict[Kind, list[Offer]] = {kind: [] for kind in KINDS}
        """Offers whose name another plug-in already has; they are used if that plug-in is broken."""
        self._replacing = threading.Lock()
        self._reported: set[str] = set()
        self.loaded: set[tuple[Kind, str, str | None]] = set()
        blocked = blocked_plugins() if blocked is None else blocked
        core = [EntryPoint(name, module, PROJECT) for name, module in CORE_PLUGINS.items()]
        others, unreadable = _installed_plugins() if points is None else (points, [])
        for point in [*core, *sorted(others, key=lambda point: (point.name, point.value))]:
            if point.name not in blocked:
                self._add(point)
        self.plugins += unreadable

    def register(
        self, kind: Kind, name: str, target: object, *, game: str | None = None, summary: str = ""
    ) -> None:
        """Offer something in this process only, such as a game or an agent that is defined in a notebook.

        An earlier registration under the same name is replaced, so that a notebook cell can be run again.

        Parameters
        ----------
        kind : str
            One of `KINDS`, such as `"games"` or `"agents"`.
        name : str
            As in `Entry`.
        target : class or function
            What `Entry.target` would name. An agent may also be a function that takes a game and the
            keyword `seed`, and returns a player.
        game : str, optional
            The game for which it is offered; by default every game.
        summary : str
            One sentence for listings.

        Raises
        ------
        PluginError
            If the target is of the wrong kind, if it is an agent that cannot be made from a game and a seed
            alone, or if a plug-in already offers the name.

        Examples
        --------
        >>> from boardgames.players.simple import Greedy
        >>> class Cautious(Greedy):
        ...     name = "cautious"
        >>> own = Registry()  # normally registry(), which the rest of the program uses
        >>> own.register("agents", "cautious", Cautious)
        >>> own.load("agents", "cautious") is Cautious
        True
        """
        if kind not in KINDS:
            raise PluginError(f"there is no kind {quote(kind)}{suggest(kind, KINDS)}")
        if not (isinstance(summary, str) and isinstance(game, str | None)):
            raise PluginError(f"summary and game must be texts, not {quote(summary)} and {quote(game)}")
        module, attribute = (getattr(target, key, None) for key in ("__module__", "__qualname__"))
        entry = _checked(Entry(name, summary, f"{module or '__main__'}:{attribute or 'object'}", game), kind)
        if not (kind == "agents" and callable(target) and not isinstance(target, type)):
            _check_target(kind, name, target)
        if kind == "agents":
            _check_signature(name, target)
        other = self._plugin_offering(kind, entry)
        if other not in (None, THIS_PROCESS):
            raise PluginError(f"{_duplicate_error(kind, Offer(entry, ''), other or '')}; choose another name")
        kept = [one for one in self._offers[kind] if (one.entry.name, one.entry.game) != (name, game)]
        self._offers[kind] = [*kept, Offer(entry, THIS_PROCESS, target)]

    def is_registered_here(self, kind: Kind, name: str, game: str | None = None) -> bool:
        """Return True if this name was added by `register`, so that other processes do not know it."""
        return any(
            offer.entry.name == name and offer.plugin == THIS_PROCESS
            for offer in self._named_offers(kind, game)
        )

    def notify(self, hook: str, *, check: Callable[[], object] | None = None, **arguments: object) -> None:
        """Call a hook of every plug-in that implements it, with the arguments that it accepts.

        The order is that of pluggy: the plug-in registered last comes first, unless implementations are
        marked with `tryfirst` or `trylast`. If a plug-in raises an exception, a warning is issued, once
        for each hook; the caller and other plug-ins are not affected.

        Parameters
        ----------
        check : callable, optional
            Called after each plug-in; it raises PluginError if the plug-in has done something wrong.
        """
        for implementation in reversed(getattr(self._manager.hook, hook).get_hookimpls()):
            name = implementation.plugin_name
            try:
                implementation.function(*(arguments[argument] for argument in implementation.argnames))
                if check is not None:
                    check()
            except BaseException as error:
                if must_propagate(error):
                    raise
                self.record_error(name, f"{hook} raised {describe_error(error)}")
                warn_once(f"plug-in {name!r}, hook {hook},", error, self._reported)

    def offers(self, kind: Kind, game: str | None = None) -> list[Offer]:
        """Return all offers of one kind, sorted by name.

        With `game`, only offers that this game can use, because it has the features or patterns that
        they need. Offers for this game take precedence over general ones with the same name.
        """
        offers = self._named_offers(kind, game)
        return [offer for offer in offers if game is None or self.missing(offer.entry, game) is None]

    def missing(self, entry: Entry, game: str) -> Kind | None:
        """Return the first kind that an entry needs but no plug-in offers for a game, or None.

        Weights never count as missing, because users can have weights of their own;
        `boardgames.weights.lookup.usable_agents` checks whether there are any.
        """
        kinds: tuple[Kind, ...] = ("features", "patterns")
        return next(
            (kind for kind in kinds if kind in entry.needs and not self._named_offers(kind, game)), None
        )

    def load(self, kind: Kind, name: str, game: str | None = None) -> Any:  # a class or function
        """Import and return the target of the entry with this name.

        Raises
        ------
        UnknownNameError
            If no entry has this name; the message suggests similar names.
        PluginError
            If the import fails or the target is of the wrong kind.
        """
        return self.make(kind, name, game, lambda target: target)

    def make(self, kind: Kind, name: str, game: str | None, make: Callable[[Any], Made]) -> Made:
        """Call `make` with the target of the entry with this name, and return its result.

        If importing or calling raises a PluginError and another plug-in offers the same name, a warning
        is issued and the other plug-in's entry is used.

        Raises
        ------
        UnknownNameError, PluginError
            As in `load`; also whatever `make` raises.
        """
        self.check_name(kind, name, game)
        while True:
            offer = next(offer for offer in self.offers(kind, game) if offer.entry.name == name)
            try:
                made = make(_import_target(kind, offer))
            except PluginError as error:
                if not self._give_way(kind, offer, str(error)):
                    raise
            else:
                self.loaded.add((kind, name, game))
                return made

    def check_name(self, kind: Kind, name: str, game: str | None = None) -> None:
        """Raise UnknownNameError if no entry has this name or, given a game, the game cannot use it."""
        if kind == "games":
            self._offer_on_demand(name)
        names = [offer.entry.name for offer in self.offers(kind, game)]
        if name in names:
            return
        unusable = [offer.entry for offer in self._named_offers(kind, game) if offer.entry.name == name]
        lacking = self.missing(unusable[0], game) if unusable and game is not None else None
        if lacking is not None:
            raise UnknownNameError(
                f"{game} has no {NEEDS[lacking]}, which the {_SINGULAR[kind]} {name!r} needs; "
                f"plug-ins offer them through the hook bg_{lacking}"
            )
        hint = f"{suggest(name, names)}{self._broken_plugins_hint()}"
        subject = f"{game} has no" if game else "no such"
        raise UnknownNameError(f"{subject} {_SINGULAR[kind]} {quote(name)}{hint}")

    def check_targets(self, report: Callable[[str, int, int], object] | None = None) -> None:
        """Import the targets of all entries, and record each failure as an error of its plug-in.

        This compiles the kernels of every game unless they are cached.

        Parameters
        ----------
        report : callable, optional
            Called before each import with the name of the plug-in, the number of imports so far,
            and their total number.
        """
        offers = [(kind, offer) for kind in KINDS for offer in self._offers[kind]]
        for done, (kind, offer) in enumerate(offers):
            if report is not None:
                report(offer.plugin, done, len(offers))
            try:
                self.load(kind, offer.entry.name, offer.entry.game)
            except BoardgamesError as error:
                self.record_error(offer.plugin, str(error))

    def record_error(self, name: str, error: str) -> None:
        """Record an error that a plug-in caused after it was loaded; only the first one is kept."""
        self.plugins = [
            replace(plugin, error=plugin.error or error) if plugin.name == name else plugin
            for plugin in self.plugins
        ]

    def _offer_on_demand(self, name: object) -> None:
        """Add the entries of a game such as `spiel:chess` if it has none yet."""
        family, colon, rest = name.partition(":") if isinstance(name, str) else ("", "", "")
        if not colon or family not in ON_DEMAND:
            return
        with self._replacing:
            if all(offer.entry.name != name for offer in self._offers["games"]):
                added = importlib.import_module(ON_DEMAND[family]).entries(rest)
                for kind in ("agents", "games"):
                    self._offers[kind] += [Offer(entry, family) for entry in added.get(kind, ())]

    def _named_offers(self, kind: Kind, game: str | None) -> list[Offer]:
        """Return the offers for a game, including those whose needs the game does not meet."""
        offers = self._offers[kind]
        if game is not None:
            own = {offer.entry.name for offer in offers if offer.entry.game == game}
            offers = [
                offer
                for offer in offers
                if offer.entry.game == game or (offer.entry.game is None and offer.entry.name not in own)
            ]
        return sorted(offers, key=lambda offer: (offer.entry.name, offer.entry.game or ""))

    def _give_way(self, kind: Kind, broken: Offer, error: str) -> bool:
        """Use the next offer of the same name instead of a broken one; return False if there is none."""
        names = (broken.entry.name, broken.entry.game)
        with self._replacing:
            if all(one is not broken for one in self._offers[kind]):  # already replaced by another thread
                return True
            equals = [one for one in self._reserves[kind] if (one.entry.name, one.entry.game) == names]
            if not equals:
                return False
            offer = equals[0]
            self._reserves[kind].remove(offer)
            self._offers[kind] = [offer if one is broken else one for one in self._offers[kind]]
            self.record_error(broken.plugin, error)
            self._forget_error(offer.plugin, _duplicate_error(kind, offer, broken.plugin))
        warnings.warn(
            f"{error}; {_SINGULAR[kind]} {offer.entry.name!r} now comes from the plug-in {offer.plugin!r}",
            RuntimeWarning,
            stacklevel=4,
        )
        return True

    def _forget_error(self, name: str, error: str) -> None:
        """Remove one of the errors of a plug-in."""
        for place, plugin in enumerate(self.plugins):
            if plugin.name == name and plugin.error is not None:
                errors = [one for one in plugin.error.split("; ") if one != error]
                self.plugins[place] = replace(plugin, error="; ".join(errors) or None)

    def _add(self, point: EntryPoint) -> None:
        version, summary = _version_and_summary(point.dist)
        if self._manager.has_plugin(point.name):
            error = f"another plug-in has the name {point.name!r}"
            self.plugins.append(Plugin(point.name, version, summary, error))
            return
        try:
            if point.pattern.match(point.value) is None:
                raise PluginError(f"the entry point must name a package.module, not {quote(point.value)}")
            with _printing_on_stderr:
                module = point.load()
            self._manager.register(module, name=point.name)
            self._manager.check_pending()
            self._check_wrappers(module)
            with _printing_on_stderr:
                entries = {kind: self._entries(module, kind) for kind in KINDS}
        except BaseException as error:
            if must_propagate(error):
                raise
            if self._manager.has_plugin(point.name):
                self._manager.unregister(name=point.name)
            text = str(error) if isinstance(error, BoardgamesError) else describe_error(error)
            self.plugins.append(Plugin(point.name, version, summary, text))
            return
        duplicates = []
        name_package(package_of(point.module), point.name, is_own=True)
        for kind in KINDS:
            for entry in entries[kind]:
                name_package(package_of(entry.target), point.name, is_own=False)
                other = self._plugin_offering(kind, entry)
                if other is None:
                    self._offers[kind].append(Offer(entry, point.name))
                else:
                    self._reserves[kind].append(Offer(entry, point.name))
                    duplicates.append(_duplicate_error(kind, Offer(entry, point.name), other))
        summary = summary or (inspect.getdoc(module) or "").partition("\n")[0]
        self.plugins.append(Plugin(point.name, version, summary, "; ".join(duplicates) or None))

    def _check_wrappers(self, module: object) -> None:
        """Raise PluginError if a plug-in has hook wrappers.

        A wrapper would enclose the calls of all other plug-ins. Here, plug-ins are called one by one, so
        that an error in one does not affect the others.
        """
        for caller in self._manager.get_hookcallers(module) or ():
            for implementation in caller.get_hookimpls():
                kind = "wrapper" if implementation.wrapper else "hookwrapper"
                if implementation.plugin is module and getattr(implementation, kind):
                    raise PluginError(
                        "hook wrappers are not supported, "
                        f"so {caller.name} must not be marked with {kind}=True"
                    )

    def _entries(self, module: object, kind: Kind) -> list[Entry]:
        """Call the hook of a plug-in and check what it returns."""
        caller = self._manager.subset_hook_caller(
            f"bg_{kind}", [other for other in self._manager.get_plugins() if other is not module]
        )
        entries: list[Entry] = []
        for returned in caller():
            if not isinstance(returned, list | tuple):
                raise PluginError(f"bg_{kind} must return a list of entries, not {quote(returned)}")
            entries += [_checked(entry, kind) for entry in returned]
        return entries

    def _broken_plugins_hint(self) -> str:
        """Return a hint about broken plug-ins, for the message about an unknown name."""
        names = [plugin.name for plugin in self.plugins if plugin.error]
        return f" (broken plug-ins, see `boardgames plugins`: {', '.join(names)})" if names else ""

    def _plugin_offering(self, kind: Kind, entry: Entry) -> str | None:
        for offer in self._offers[kind]:
            if (offer.entry.name, offer.entry.game) == (entry.name, entry.game):
                return offer.plugin
        return None


def _import_target(kind: Kind, offer: Offer) -> Any:  # a class or function
    """Return the target of an offer; raise PluginError if it cannot be imported or is of the wrong kind."""
    if offer.target is not None:
        return offer.target
    name, target_name = offer.entry.name, offer.entry.target
    module, _, attribute = target_name.partition(":")
    try:
        with _printing_on_stderr:
            target = getattr(importlib.import_module(module), attribute)
        _check_target(kind, name, target)
    except BoardgamesError as error:
        raise PluginError(f"plug-in {offer.plugin!r}: cannot load {name!r}: {error}") from error
    except BaseException as error:
        if must_propagate(error):
            raise
        raise PluginError(
            f"plug-in {offer.plugin!r}: cannot import {name!r} from {target_name}: {describe_error(error)}"
        ) from error
    return target


def _duplicate_error(kind: Kind, offer: Offer, other: str) -> str:
    return f"{_SINGULAR[kind]} {offer.entry.name!r} is already offered by {other!r}"


def _installed_plugins() -> tuple[list[EntryPoint], list[Plugin]]:
    """Return the entry points of the installed plug-ins, and the plug-ins with malformed entry points."""
    with suppress(Exception):  # raised if the metadata of any distribution is malformed
        return list(entry_points(group=PROJECT)), []
    points: dict[tuple[str, str], EntryPoint] = {}
    unreadable: list[Plugin] = []
    for distribution in distributions():
        try:
            for point in distribution.entry_points.select(group=PROJECT):
                points.setdefault((point.name, point.value), point)
        except Exception as error:  # noqa: BLE001 - the parser may raise anything
            name = Path(str(getattr(distribution, "_path", "unknown"))).name.partition("-")[0]
            reason = f"cannot read its entry_points.txt: {describe_error(error)}"
            unreadable.append(Plugin(name, *_version_and_summary(distribution), reason))
    return list(points.values()), unreadable


def _version_and_summary(distribution: Distribution | None) -> tuple[str, str]:
    """Return version and summary of a distribution, as empty strings if its metadata is unusable."""
    if distribution is None:
        return "", ""
    try:
        metadata = distribution.metadata
        return metadata.get_all("Version", [""])[0], metadata.get_all("Summary", [""])[0]
    except Exception:  # noqa: BLE001 - the parser may raise anything
        return "", ""


def singular(kind: Kind) -> str:
    """Return the word for one entry of a kind, for messages.

    Examples
    --------
    >>> singular("games")
    'game'
    """
    return _SINGULAR[kind]


class _PrintingOnStderr:
    """Redirects what plug-ins print to stderr, since stdout may carry JSON or a conversation over UGI.

    Several threads may import plug-ins at the same time; the last one to finish restores stdout.
    """

    def __init__(self) -> None:
        self._lock, self._count = threading.Lock(), 0
        self._stdout = sys.stdout

    def __enter__(self) -> None:
        with self._lock:
            if self._count == 0:
                self._stdout, sys.stdout = sys.stdout, sys.stderr
            self._count += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0:
                sys.stdout = self._stdout


_printing_on_stderr = _PrintingOnStderr()


def _check_target(kind: Kind, name: str, target: object) -> None:
    """Raise PluginError if the target of an entry is not of the kind that its hook asks for."""
    what = f"{_SINGULAR[kind]} {name!r}"
    bases: dict[Kind, tuple[str, str]] = {  # imported only when needed
        "games": ("boardgames.game", "Game"),
        "agents": ("boardgames.player", "Player"),
        "learners": ("boardgames.learner", "Learner"),
        "experiments": ("", "Experiment"),  # the class is in a module of a higher level
    }
    if kind in bases:
        module, base_name = bases[kind]
        base = getattr(importlib.import_module(module), base_name) if module else object
        if not (isinstance(target, type) and issubclass(target, base)):
            raise PluginError(f"{what} is not a subclass of {base_name}: {quote(target)}")
        declared = getattr(target, "declared_options", None)
        if not (isinstance(declared, tuple) and all(isinstance(option, Option) for option in declared)):
            raise PluginError(
                f"{what} is broken: declared_options must be a tuple of Option, not {quote(declared)}"
            )
    elif kind in ("weights", "books"):
        if not isinstance(target, Path):
            raise PluginError(f"{what} is not a pathlib.Path: {quote(target)}")
    elif not callable(target):
        raise PluginError(f"{what} is not callable: {quote(target)}")


def _check_signature(name: str, target: Any) -> None:  # a class or function
    """Raise PluginError unless an agent can be made from a game and the keyword `seed`."""
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):  # some callables have none
        return
    try:
        signature.bind(None, seed=None)
    except TypeError as error:
        raise PluginError(
            f"agent {name!r} must be callable with a game and the keyword seed and nothing else, as in "
            f"lambda game, *, seed: Mine(game, seed=seed) ({error})"
        ) from None


def _checked(entry: object, kind: Kind) -> Entry:
    if not isinstance(entry, Entry):
        raise PluginError(f"bg_{kind} must return entries, not {quote(entry)}")
    texts = (entry.name, entry.summary, entry.target, "" if entry.game is None else entry.game)
    if not all(isinstance(text, str) for text in texts) or not _NAME.fullmatch(entry.name):
        raise PluginError(
            f"the names in an entry of bg_{kind} must be lower-case words, not {quote(entry.name)}"
        )
    if not (isinstance(entry.needs, tuple) and all(need in NEEDS for need in entry.needs)):
        raise PluginError(
            f"what {entry.name!r} needs must be a tuple of {', '.join(map(repr, NEEDS))}, "
            f"not {quote(entry.needs)}"
        )
    if not all(entry.target.partition(":")):
        raise PluginError(
            f"the target in an entry of bg_{kind} must be package.module:attribute, not {quote(entry.target)}"
        )
    return entry


def warn_once(source: str, error: BaseException, reported: set[str]) -> None:
    """Warn that `source` raised `error`, once for each source; `reported` keeps the sources so far."""
    if source not in reported:
        reported.add(source)
        names_plugin = isinstance(error, PluginError) and " is broken: " in error.summary
        text = str(error) if names_plugin else f"{source} raised {describe_error(error)}"
        warnings.warn(text, RuntimeWarning, stacklevel=3)


_creating_registry = threading.RLock()


def registry() -> Registry:
    """Return the registry of this process, which is created at the first call."""
    with _creating_registry:
        return _registry()


@lru_cache(maxsize=1)
def _registry() -> Registry:
    return Registry()


def notify(hook: str, *, check: Callable[[], object] | None = None, **arguments: object) -> None:
    """Call a hook of the installed plug-ins, as `Registry.notify` does."""
    registry().notify(hook, check=check, **arguments)


def load(name: str, /, *, layout: str | None = None, **options: object) -> "Game":
    """Return a game by name.

    Parameters
    ----------
    name : str
        As listed by `boardgames games`.
    layout : str, optional
        Name of the start position; by default the game's first.
    options : keywords
        Options of the game, as values or as text.

    Raises
    ------
    UnknownNameError, OptionError, PluginError
        If there is no such game, layout or option, or the plug-in is broken.

    Examples
    --------
    >>> load("abalone", layout="standard", broadside=False)
    <game abalone standard broadside=false>
    """

    def make(cls: "type[Game]") -> "Game":
        with attributing_errors("game", name):
            # checked here, so that an option cannot be mistaken for another keyword argument
            read = read_options(cls.declared_options, options, f"game {name!r}")
            game = cls(layout=layout, **{option: read[option] for option in options})
        _check_declarations(game, name)
        return game

    return registry().make("games", name, None, make)


def load_game_of(record: "Record") -> "Game":
    """Return the game of a record, with the record's layout and options.

    Raises
    ------
    UnknownNameError, OptionError, PluginError
        As in `load`.
    """
    return load(record.game, layout=record.layout or None, **record.options)


def load_player(text: str, game: "Game", *, seed: int | None = None) -> "Player":
    """Return a player by the name and options of an agent, such as `alphabeta:depth=4`.

    Every agent also has the option `seed`, which overrides the argument.

    Raises
    ------
    UnknownNameError, OptionError, PluginError
        If there is no such agent or option, or the plug-in is broken.

    Examples
    --------
    >>> load_player("random", load("abalone"), seed=7)
    <player random>
    """
    name, options = parse_agent(text)
    _check_game(game)
    registry().check_name("agents", name, game.facts.name)
    seed_read = SEED.read(options.pop("seed", seed))

    def make(cls: "type[Player]") -> "Player":
        declared = getattr(cls, "declared_options", ())  # a function instead of a class has none
        if name in options and all(option.name != name for option in declared):
            raise OptionError(f"the agent {name!r} has no option that can be written {name}:{options[name]}")
        with attributing_errors("agent", name):
            # checked here, so that an option cannot be mistaken for another keyword argument
            read = read_options(declared, options, f"agent {name!r}")
            player: object = cls(game, seed=None if seed_read is None else int(seed_read), **read)
        return _checked_player(player, name)

    return registry().make("agents", name, game.facts.name, make)


def _checked_player(player: object, name: str) -> "Player":
    """Return the result of an agent's class or function; raise PluginError if it is not a player."""
    from boardgames.player import Player

    if not isinstance(player, Player):
        raise PluginError(f"agent {name!r} must make a Player, not {quote(player)}")
    return player


def close_player(player: "Player") -> None:
    """Close a player that is no longer needed; if that fails, only a warning is issued."""
    try:
        player.close()
    except BaseException as error:
        if must_propagate(error):
            raise
        warnings.warn(
            f"the agent {player.name!r} could not be closed: {describe_error(error)}",
            RuntimeWarning,
            stacklevel=2,
        )


def solver_of(game: "Game") -> str | None:
    """Return the agent that solves positions of a game, or None if no plug-in offers it."""
    name = game.facts.solver
    offers = registry().offers("agents", game.facts.name)
    return name if any(offer.entry.name == name and offer.entry.game for offer in offers) else None


def searching_agent(game: "Game") -> str:
    """Return the default agent, or `alphabeta` if the default is the solver, which obeys only time limits."""
    agent = game.facts.default_agent
    return "alphabeta" if agent.partition(":")[0] == solver_of(game) else agent


def load_features(name: str, game: "Game") -> "FeatureSet":
    """Return a feature set of a game by name.

    Raises
    ------
    UnknownNameError, PluginError
        If there is no such feature set, or the plug-in is broken.
    """
    from boardgames.declarations import FeatureSet

    return _make_for("features", name, game, game, FeatureSet)


def load_patterns(name: str, game: "Game") -> "PatternSet":
    """Return a pattern set of a game by name.

    Raises
    ------
    UnknownNameError, PluginError
        If there is no such pattern set, or the plug-in is broken.
    """
    from boardgames.patterns import PatternSet

    return _make_for("patterns", name, game, game, PatternSet)


def load_overlay(name: str, position: "Position") -> "Overlay":
    """Return an overlay for a position, with the name and summary of its entry.

    `overlay_names` lists the overlays of a game.

    Raises
    ------
    UnknownNameError, PluginError
        If there is no such overlay, or the plug-in is broken.
    """
    from boardgames.picture import Overlay

    game = position.game
    overlay = _make_for("overlays", name, game, position, Overlay)
    offers = registry().offers("overlays", game.facts.name)
    entry = next(offer.entry for offer in offers if offer.entry.name == name)
    return replace(overlay, name=name, summary=entry.summary)


def overlay_names(game: "Game") -> tuple[str, ...]:
    """Return the names of the overlays of a game, for `load_overlay`; most games have none."""
    return tuple(offer.entry.name for offer in registry().offers("overlays", game.facts.name))


def load_learner(name: str, game: "Game", /, **options: object) -> "Learner":
    """Return a learner by name, with its options as values or as text.

    Raises
    ------
    UnknownNameError, OptionError, PluginError
        If there is no such learner or option, or the plug-in is broken.
    """
    _check_game(game)

    def make(cls: "type[Learner]") -> "Learner":
        with attributing_errors("learner", name):
            # checked here, so that an option cannot be mistaken for another keyword argument
            return cls(game, **read_options(cls.declared_options, options, f"learner {name!r}"))

    return registry().make("learners", name, game.facts.name, make)


def _check_game(game: object) -> None:
    """Raise OptionError if a value is not a Game but, for example, the name of a game."""
    from boardgames.game import Game

    if not isinstance(game, Game):
        raise OptionError(f"a game must be a Game, not {quote(game)}; use load to get one by name")


def _make_for(kind: Kind, name: str, game: "Game", argument: object, base: type[Made]) -> Made:
    """Call a plug-in's function for a game; raise PluginError if the result is not an instance of `base`."""
    _check_game(game)

    def make(function: Callable[[object], object]) -> Made:
        with attributing_errors(_SINGULAR[kind], name):
            made = function(argument)
        if not isinstance(made, base):
            article = "an" if base.__name__[0] in "AEIOU" else "a"
            raise PluginError(f"{_SINGULAR[kind]} {name!r} is not {article} {base.__name__}: {quote(made)}")
        return made

    return registry().make(kind, name, game.facts.name, make)


def _check_declarations(game: "Game", name: str) -> None:
    """Raise PluginError if the attributes that a game sets in `prepare` are not of the right types."""
    from boardgames.declarations import Evaluation, Facts, Kernels

    for attribute, kind in (("facts", Facts), ("kernels", Kernels), ("evaluation", Evaluation)):
        is_lazy = isinstance(getattr(type(game), attribute, None), cached_property)
        if is_lazy and attribute not in vars(game):  # the game makes it when it is needed
            continue
        value = getattr(game, attribute, None)
        if not isinstance(value, kind):
            raise PluginError(
                f"game {name!r} is broken: {attribute} must be of type {kind.__name__}, not {quote(value)}"
            )


@contextmanager
def attributing_errors(what: str, name: str) -> Iterator[None]:
    """Turn every exception that the code of a plug-in raises into a PluginError that names what is broken."""

    def broken(error: BaseException) -> PluginError:
        kind, _, text = describe_error(error).partition(": ")
        return PluginError(f"{what} {name!r} is broken: {kind}", text)

    with translated_errors(broken), _printing_on_stderr:
        yield
