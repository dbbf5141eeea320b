"""Plan: what an arena is to play, checked."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from boardgames import plugins
from boardgames.arena.identity import code_stamp
from boardgames.arena.openings import DEFAULT_OPENINGS
from boardgames.arena.play import Setting
from boardgames.arena.schedule import swiss_rounds
from boardgames.arena.sprt import Sprt
from boardgames.clock import UNTIMED, TimeControl
from boardgames.errors import LimitError, MatchError, shown
from boardgames.game import Game
from boardgames.manager import MatchRules
from boardgames.player import NO_LIMIT, Limit
from boardgames.record import options_as_texts
from boardgames.store import PlayerKey

Schedule = Literal["round-robin", "gauntlet", "swiss"]
SCHEDULES: tuple[str, ...] = get_args(Schedule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be played.

    Attributes
    ----------
    game : Game
        With its layout and options.
    agents : sequence of str
        Agent texts, two or more; kept as a tuple.
    matches : int
        Of each meeting, an even number: every opening is played with both colours.
    schedule : str
        `round-robin`, `gauntlet` (the first agent meets all others) or `swiss`.
    rounds : int or None
        Of a Swiss; by default as many as leave one agent unbeaten.
    openings : str
        As `arena.openings` reads it.
    limit : Limit
        What an agent may spend on a move.
    time : TimeControl
        Whoever spends more loses.
    ply_limit : int or None
        Plies after which a match is drawn, instead of the game's own.
    sprt : Sprt or None
        Stops two agents' series as soon as it decides.

    Raises
    ------
    LimitError, MatchError
        If numbers or agents make no arena.
    """

    game: Game
    agents: Sequence[str]
    matches: int = 100
    schedule: Schedule = "round-robin"
    rounds: int | None = None
    openings: str = DEFAULT_OPENINGS
    limit: Limit = NO_LIMIT
    time: TimeControl = UNTIMED
    ply_limit: int | None = None
    sprt: Sprt | None = None

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "agents", (self.agents,) if isinstance(self.agents, str) else tuple(self.agents)
        )
        if len(self.agents) < 2:
            raise MatchError(f"expected at least two agents: {', '.join(self.agents) or 'none'}")
        if not (type(self.matches) is int and self.matches >= 2 and self.matches % 2 == 0):
            raise LimitError(
                f"expected an even number of matches, each opening played with both colours: "
                f"{shown(self.matches)}"
            )
        if self.schedule not in SCHEDULES:
            raise LimitError(f"expected one of {', '.join(SCHEDULES)}: {shown(self.schedule)}")
        if self.sprt is not None and len(self.agents) != 2:
            raise LimitError(f"expected two agents for a sequential test: {len(self.agents)} came")
        if self.rounds is not None and self.schedule != "swiss":
            raise LimitError(f"expected rounds of a Swiss only: {self.rounds} came")
        MatchRules(ply_limit=self.ply_limit)  # these two check their numbers
        assert self.round_count

    @property
    def round_count(self) -> int:
        """Return the number of rounds; only a Swiss has several."""
        return swiss_rounds(len(self.agents), self.rounds) if self.schedule == "swiss" else 1

    @property
    def planned(self) -> int:
        """Return the number of matches."""
        agents = len(self.agents)
        meetings = {
            "round-robin": agents * (agents - 1) // 2,
            "gauntlet": agents - 1,
            "swiss": agents // 2 * self.round_count,
        }
        return self.matches * meetings[self.schedule]

    @property
    def limits(self) -> str:
        """Return what is allowed besides the agents' own options, in words; empty if nothing is said.

        Examples
        --------
        >>> import boardgames
        >>> game = boardgames.load("connect4")
        >>> Plan(game=game, agents=("random", "greedy"), limit=Limit(nodes=100), ply_limit=30).limits
        '100 nodes, 30 plies'
        """
        time, limit = self.time, self.limit
        seconds = Limit(seconds=time.agent_seconds).tightened(limit).seconds
        parts = {
            f"{seconds or 0:g} s a move": seconds,
            f"{time.match or 0:g}+{time.increment:g} s": time.match,
            f"{limit.nodes} nodes": limit.nodes,
            f"depth {limit.depth}": limit.depth,
            f"{limit.simulations} simulations": limit.simulations,
        }
        known = [words for words, number in parts.items() if number is not None]
        return ", ".join([*known, *([self._ply_words] if self._ply_words else [])])

    @property
    def _ply_words(self) -> str:
        return "" if self.ply_limit is None else f"{self.ply_limit} plies"

    def setting(self, seed: int) -> Setting:
        """Return what the tasks need to know."""
        return Setting(
            game=self.game.facts.name,
            layout=self.game.layout,
            options=tuple(options_as_texts(self.game.options).items()),
            agents=tuple(self.agents),
            seed=seed,
            limit=self.limit,
            time=self.time,
            ply_limit=self.ply_limit,
            code=code_stamp([type(self.game)]),
        )

    def inspect(self) -> tuple[list[PlayerKey], list[str], str]:
        """Make every agent once: return who they are, their names for tables, the stamp of the code they run.

        Raises
        ------
        UnknownNameError, OptionError, PluginError, MatchError
            If one cannot be had, is a person, or learns as it plays.
        """
        keys: list[PlayerKey] = []
        labels: list[str] = []
        classes: list[type] = [type(self.game)]
        for text in self.agents:
            player = plugins.load_player(text, self.game)
            try:
                if player.is_human:
                    raise MatchError(f"expected agents: {text!r} is a person")
                if player.is_learning:
                    raise MatchError(f"expected agents that stay as they are: {text!r} learns as it plays")
                limits = self.limits if player.respects_limits else self._ply_words
                keys.append(PlayerKey(player.describe(), player.fingerprint(), limits))
                labels.append(text if player.label() == player.describe() else player.label())
                classes += type(player).__mro__
            finally:
                player.close()
        return keys, numbered(labels), code_stamp(classes)

    def settings(
        self, players: Sequence[PlayerKey], *, code: str, book: str, seed: int | None
    ) -> dict[str, object]:
        """Return all that decides what the matches are, as JSON has it.

        Parameters
        ----------
        players : sequence of PlayerKey
            As `inspect` has them.
        code : str
            The stamp of the sources.
        book : str
            The fingerprint of the openings.
        seed : int or None
            As it was given.
        """
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {
            **fields,
            "limit": dataclasses.asdict(self.limit),
            "time": dataclasses.asdict(self.time),
            "sprt": None if self.sprt is None else dataclasses.asdict(self.sprt),
            "game": self.game.describe(),
            "agents": list(self.agents),
            "players": [str(player) for player in players],
            "planned": self.planned,
            "code": code,
            "book": book,
            "seed": seed,
        }


def numbered(names: Sequence[str]) -> list[str]:
    """Return names with a number where one comes again.

    Examples
    --------
    >>> numbered(["random", "greedy", "random"])
    ['random', 'greedy', 'random #2']
    """
    times = [list(names[: place + 1]).count(name) for place, name in enumerate(names)]
    return [name if time == 1 else f"{name} #{time}" for name, time in zip(names, times, strict=True)]
