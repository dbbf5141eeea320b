"""Plan: what an arena plays, and the settings that identify it."""

import dataclasses
import hashlib
import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from boardgames import plugins
from boardgames.adjudication import NO_ADJUDICATION, Adjudication
from boardgames.arena.openings import DEFAULT_OPENINGS
from boardgames.arena.schedule import swiss_round_count
from boardgames.arena.sprt import Sprt
from boardgames.clock import UNTIMED, TimeControl, TimeControls, of_both_sides
from boardgames.declarations import Repetition
from boardgames.errors import LimitError, MatchError, OptionError, PluginError, quote
from boardgames.game import Game
from boardgames.installation import code_stamp
from boardgames.match_state import MatchRules
from boardgames.options import agent_title, parse_agent, spelled_out
from boardgames.player import NO_LIMIT, Limit, Player
from boardgames.record import options_as_texts
from boardgames.store import PlayerKey

Schedule = Literal["round-robin", "gauntlet", "swiss"]
SCHEDULES: tuple[str, ...] = get_args(Schedule)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSettings:
    """Settings that all matches of an arena share, as sent to the workers.

    Attributes
    ----------
    game, layout : str
        Names as for `boardgames.load`.
    options : tuple of (str, str)
        Options of the game as text.
    agents : tuple of str
        The agents with their options.
    seed : int
        Seeds all matches.
    limit : Limit
        Limit per move.
    time : TimeControl or pair of TimeControl
        For both sides, or for each. A side that exceeds its time loses.
    ply_limit : int or None
        Replaces the limit that the game declares.
    repetition : str
        The repetition rule as text for `Repetition.parse`; if empty, the rule that the game declares.
    adjudication : Adjudication
        Whether scores or points may decide a match.
    code : str
        Hash of the code of the core and the game. Workers with different code
        raise MatchError.
    fingerprints : tuple of str
        The fingerprints of the agents, or none. Workers that find other weights or programs
        under the same names raise MatchError.
    players : tuple of (Player or None)
        For each agent, the player that was given, or None if every process loads its own. A player
        cannot be sent to worker processes.
    """

    game: str
    layout: str
    options: tuple[tuple[str, str], ...]
    agents: tuple[str, ...]
    seed: int
    limit: Limit = NO_LIMIT
    time: TimeControl | TimeControls = UNTIMED
    ply_limit: int | None = None
    repetition: str = ""
    adjudication: Adjudication = NO_ADJUDICATION
    code: str = ""
    fingerprints: tuple[str, ...] = ()
    players: tuple[Player | None, ...] = ()

    def load_game(self) -> Game:
        """Return the game with its layout and options."""
        return plugins.load(self.game, layout=self.layout or None, **dict(self.options))


class Lineup(NamedTuple):
    """The identities and names of a plan's agents, and the hash of their code.

    Attributes
    ----------
    players : list of PlayerKey
        Their identities in the store.
    names : list of str
        Names for tables, in which an engine's command is shortened.
    code : str
        Hash of the code that the agents run.
    """

    players: list[PlayerKey]
    names: list[str]
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an arena plays.

    Attributes
    ----------
    game : Game
        The game with its layout and options.
    agents : sequence of str, player, class or function
        At least two agents: texts with their options; subclasses of `Player`, or functions that take a
        game and the keyword `seed` and return a player; or players. The arena makes a new player for
        a text, class or function. A player plays all of its matches itself, with everything that it
        knows; the arena reseeds it before each match, and the caller closes it. Players, and classes and
        functions that no plug-in offers, exist in this process only, so that they need the executor
        `boardgames.executors.InProcess`.
    matches : int
        Matches per pairing, an even number: every opening is played with sides
        swapped.
    schedule : str
        `round-robin`, `gauntlet` (the first agent plays all others) or `swiss`.
    rounds : int or None
        Rounds of a Swiss tournament, by default enough to leave one agent unbeaten.
    openings : str
        Opening suite, see `boardgames.arena.openings.Openings`.
    limit : Limit
        Limit per move.
    time : TimeControl or pair of TimeControl
        For both sides, or for each. A side that exceeds its time loses.
    ply_limit : int or None
        Matches end after this many plies, usually in a draw; replaces the limit of the game.
    repetition : str
        What a repeated position means, such as `draw:3`, `loss`, `forbidden` or `none`. If empty, the
        game's own rule applies, or a draw at the third occurrence if it declares none.
    adjudication : Adjudication
        Whether scores or points may decide a match.
    sprt : Sprt or None
        A sequential test of two agents; the arena ends as soon as it is decided.

    Raises
    ------
    LimitError, MatchError
        If a value is out of range, there are too few agents, or a player is given twice.
    OptionError
        If points are to decide matches of a game without points, or the repetition rule is invalid.
    """

    game: Game
    agents: Sequence[str | Player | Callable[..., Player]]
    matches: int = 100
    schedule: Schedule = "round-robin"
    rounds: int | None = None
    openings: str = DEFAULT_OPENINGS
    limit: Limit = NO_LIMIT
    time: TimeControl | TimeControls = UNTIMED
    ply_limit: int | None = None
    repetition: str = ""
    adjudication: Adjudication = NO_ADJUDICATION
    sprt: Sprt | None = None

    def __post_init__(self) -> None:
        agents = (self.agents,) if isinstance(self.agents, str) else self.agents
        if not isinstance(agents, Sequence):
            raise MatchError(f"the agents of an arena must be a list, not {quote(agents)}")
        targets: dict[str, object] = {}
        object.__setattr__(self, "agents", tuple(_checked_agent(one, self.game, targets) for one in agents))
        if len(self.agents) < 2:
            raise MatchError(f"an arena needs at least two agents, not {len(self.agents)}")
        if len({id(player) for player in self.given_players}) < len(self.given_players):
            raise MatchError("the same player is given twice; make a player for each agent of the arena")
        if not (type(self.matches) is int and self.matches >= 2 and self.matches % 2 == 0):
            raise LimitError(
                "the number of matches must be even, because every opening is played with sides swapped; "
                f"not {quote(self.matches)}"
            )
        if self.schedule not in SCHEDULES:
            raise LimitError(
                f"the schedule must be one of {', '.join(SCHEDULES)}, not {quote(self.schedule)}"
            )
        if self.sprt is not None and len(self.agents) != 2:
            raise LimitError(f"a sequential test compares two agents, not {len(self.agents)}")
        if self.rounds is not None and self.schedule != "swiss":
            raise LimitError(f"rounds can only be set for a Swiss tournament, not for {self.schedule!r}")
        MatchRules(ply_limit=self.ply_limit, time=self.time)  # checks the limits
        if self.adjudication.points and not self.game.counts_points:
            raise OptionError(
                f"{self.game.facts.name} counts no points, so points cannot decide matches at a ply limit"
            )
        if self.repetition:
            object.__setattr__(self, "repetition", str(Repetition.parse(self.repetition)))
        assert self.round_count  # checks the number

    @property
    def local_names(self) -> list[str]:
        """Return the names of the agents, and of the game, that are only registered in this process."""
        registry, game = plugins.registry(), self.game.facts.name
        names = [parse_agent(agent)[0] for agent in self.agents if isinstance(agent, str)]
        local = [name for name in names if registry.is_registered_here("agents", name, game)]
        return local + ([game] if registry.is_registered_here("games", game) else [])

    @property
    def agent_texts(self) -> tuple[str, ...]:
        """Return the agents as texts with their options."""
        return tuple(
            agent.describe() if isinstance(agent, Player) else agent
            for agent in self.agents
            if isinstance(agent, str | Player)
        )

    @property
    def given_players(self) -> tuple[Player, ...]:
        """Return the agents that were given as players."""
        return tuple(agent for agent in self.agents if isinstance(agent, Player))

    @property
    def round_count(self) -> int:
        """Return the number of rounds, which is 1 except in a Swiss tournament."""
        return swiss_round_count(len(self.agents), self.rounds) if self.schedule == "swiss" else 1

    @property
    def planned(self) -> int:
        """Return the total number of matches."""
        agents = len(self.agents)
        pairings = {
            "round-robin": agents * (agents - 1) // 2,
            "gauntlet": agents - 1,
            "swiss": agents // 2 * self.round_count,
        }
        return self.matches * pairings[self.schedule]

    @property
    def limits(self) -> str:
        """Return the limits as text, or an empty string if there are none.

        Examples
        --------
        >>> import boardgames
        >>> game = boardgames.load("connect4")
        >>> Plan(game=game, agents=("random", "greedy"), limit=Limit(nodes=100), ply_limit=30).limits
        '100 nodes, 30 plies'
        """
        limit = self.limit
        times = dict.fromkeys(self._time_text(control) for control in of_both_sides(self.time))
        parts = {
            f"{limit.nodes} nodes": limit.nodes,
            f"depth {limit.depth}": limit.depth,
            f"{limit.simulations} simulations": limit.simulations,
        }
        imposed = [words for words, number in parts.items() if number is not None]
        return ", ".join(filter(None, [" against ".join(times), *imposed, self._ends_text]))

    def _time_text(self, control: TimeControl) -> str:
        """Return the time of a side as text, or an empty string if it is not limited."""
        seconds = Limit(seconds=control.agent_seconds).tightened(self.limit).seconds
        parts = {
            f"{seconds or 0:g} s a move": seconds,
            f"{control.match or 0:g}+{control.increment:g} s": control.match,
        }
        return ", ".join(words for words, number in parts.items() if number is not None)

    @property
    def _time_settings(self) -> object:
        """Return the time control as JSON values; a list if the sides have different ones."""
        times = [dataclasses.asdict(control) for control in of_both_sides(self.time)]
        return times[0] if times[0] == times[1] else times

    @property
    def _ends_text(self) -> str:
        """Return the ply limit and the repetition rule as text, or an empty string if neither is set."""
        plies = "" if self.ply_limit is None else f"{self.ply_limit} plies"
        return ", ".join(filter(None, [plies, self.repetition and f"repetition {self.repetition}"]))

    def match_settings(self, seed: int) -> MatchSettings:
        """Return the settings for the workers."""
        return MatchSettings(
            game=self.game.facts.name,
            layout=self.game.layout,
            options=tuple(options_as_texts(self.game.options).items()),
            agents=self.agent_texts,
            seed=seed,
            limit=self.limit,
            time=self.time,
            ply_limit=self.ply_limit,
            repetition=self.repetition,
            adjudication=self.adjudication,
            code=code_stamp([type(self.game)]),
            players=tuple(agent if isinstance(agent, Player) else None for agent in self.agents),
        )

    def load_lineup(self) -> Lineup:
        """Check every agent and determine its identity; agents that are not player objects are loaded once.

        Raises
        ------
        UnknownNameError, OptionError, PluginError, MatchError
            If an agent cannot be loaded, is a person, or learns while it plays.
        """
        keys: list[PlayerKey] = []
        labels: list[str] = []
        classes: list[type] = [type(self.game)]
        for agent, text in zip(self.agents, self.agent_texts, strict=True):
            player = agent if isinstance(agent, Player) else plugins.load_player(text, self.game)
            try:
                with plugins.attributing_errors("agent", player.name):
                    key, label = self._key_and_label(text, player)
            finally:
                if player is not agent:
                    plugins.close_player(player)
            keys.append(key)
            labels.append(label)
            classes += type(player).__mro__
        code = code_stamp(classes)
        # code in a notebook has no version, and players have a state: such an arena must not be resumed
        if self.local_names or self.given_players:
            code += f"-{secrets.token_hex(4)}"
        return Lineup(keys, number_duplicates(labels), code)

    def _key_and_label(self, text: str, player: Player) -> tuple[PlayerKey, str]:
        if player.is_human:
            raise MatchError(f"{text!r} is a person; an arena needs agents")
        if player.is_learning:
            raise MatchError(f"{text!r} learns while it plays; an arena needs agents that do not change")
        limits = self.limits if player.respects_limits else self._ends_text
        description, fingerprint, label = player.describe(), player.fingerprint(), player.label()
        for answer in (description, fingerprint, label):
            if not isinstance(answer, str):
                raise _description_error(text, answer)
        if label == description:
            # `level` becomes `level 5`; other agents keep the text that was given
            title = agent_title(description)
            label = text if title == description else title
        return PlayerKey(description, fingerprint, limits), label

    def settings(
        self, players: Sequence[PlayerKey], *, code: str, openings_fingerprint: str, seed: int | None
    ) -> dict[str, object]:
        """Return everything that determines the matches, as JSON values.

        Parameters
        ----------
        players : sequence of PlayerKey
            The players of the `Lineup`.
        code : str
            Hash of the code.
        openings_fingerprint : str
            Hash of the opening suite.
        seed : int or None
            The given seed; None if it was drawn at random.
        """
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        if not self.repetition:
            del fields["repetition"]  # arenas stored before this setting existed do not have it
        return {
            **fields,
            "limit": dataclasses.asdict(self.limit),
            "time": self._time_settings,
            "adjudication": dataclasses.asdict(self.adjudication),
            "sprt": None if self.sprt is None else dataclasses.asdict(self.sprt),
            "game": self.game.describe(),
            "agents": list(self.agent_texts),
            "players": [str(player) for player in players],
            "planned": self.planned,
            "code": code,
            "openings_fingerprint": openings_fingerprint,
            "seed": seed,
        }


def _checked_agent(agent: Any, game: Game, targets: dict[str, object]) -> str | Player:
    """Return the text of an agent, or the player that was given.

    A class or function is registered, unless a plug-in offers it. `targets` maps the names that have occurred
    so far to their classes or functions.
    """
    if isinstance(agent, str) or not (isinstance(agent, Player) or callable(agent)):
        return spelled_out(agent)  # which rejects what is not an agent at all
    target: object = type(agent) if isinstance(agent, Player) else agent
    if isinstance(target, type) and issubclass(target, Player):
        name = getattr(target, "name", "")
        if not name:
            raise PluginError(f"{quote(target)} needs a name, such as name = 'mine'")
    else:
        title = str(getattr(target, "__name__", "")).lower()
        name = re.sub("[^a-z0-9_-]+", "-", title).strip("-_") or "agent"
    if targets.setdefault(name, target) is not target:
        raise PluginError(f"two agents of the arena have the name {name!r}; give each a name of its own")
    registry, own = plugins.registry(), game.facts.name
    is_offered = any(offer.entry.name == name for offer in registry.offers("agents", own))
    is_from_plugin = is_offered and not registry.is_registered_here("agents", name, own)
    if is_from_plugin and registry.load("agents", name, own) is not target:
        raise PluginError(
            f"{quote(target)} has the name of another agent, {name!r}; give it a name of its own"
        )
    if isinstance(agent, Player):
        return _checked_player(agent, game)
    if not is_from_plugin:
        registry.register("agents", name, target, game=own)
    return name


def _checked_player(player: Player, game: Game) -> Player:
    """Check that a given player plays this game and can describe itself, and return it."""
    if player.game != game:
        raise OptionError(f"{player!r} plays {player.game!r}, not {game!r}")
    with plugins.attributing_errors("agent", player.name):
        description: object = player.describe()
    if not isinstance(description, str):
        raise _description_error(player.name, description)
    return player


def _description_error(agent: str, answer: object) -> PluginError:
    return PluginError(f"agent {agent!r} describes itself as {quote(answer)}, which is not a string")


def number_duplicates(names: Sequence[str]) -> list[str]:
    """Return the names, with numbers appended to those that occur more than once.

    Examples
    --------
    >>> number_duplicates(["random", "greedy", "random"])
    ['random', 'greedy', 'random #2']
    """
    counts = [list(names[: place + 1]).count(name) for place, name in enumerate(names)]
    return [name if count == 1 else f"{name} #{count}" for name, count in zip(names, counts, strict=True)]


def settings_key(settings: Mapping[str, object]) -> str:
    """Return a hash of settings that does not depend on their order.

    Examples
    --------
    >>> settings_key({"a": 1, "b": 2}) == settings_key({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:32]
