"""Plan: what an arena is to play, checked."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from boardgames import plugins
from boardgames.arena.identity import code_stamp
from boardgames.arena.openings import DEFAULT_OPENINGS
from boardgames.arena.play import Setting
from boardgames.arena.schedule import swiss_rounds
from boardgames.arena.sprt import Sprt
from boardgames.clock import UNTIMED, TimeControl
from boardgames.errors import LimitError, MatchError, shown
from boardgames.game import Game
from boardgames.playing import NO_LIMIT, Limit
from boardgames.record import options_as_texts
from boardgames.store import PlayerKey

Schedule = Literal["round-robin", "gauntlet", "swiss"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be played.

    Attributes
    ----------
    game : Game
        With its layout and options.
    agents : tuple of str
        Agent texts, two or more.
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
    agents: tuple[str, ...]
    matches: int = 100
    schedule: Schedule = "round-robin"
    rounds: int | None = None
    openings: str = DEFAULT_OPENINGS
    limit: Limit = NO_LIMIT
    time: TimeControl = UNTIMED
    ply_limit: int | None = None
    sprt: Sprt | None = None

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            raise MatchError(f"expected at least two agents: {', '.join(self.agents) or 'none'}")
        if not (type(self.matches) is int and self.matches >= 2 and self.matches % 2 == 0):
            raise LimitError(
                f"expected an even number of matches, each opening played with both colours: "
                f"{shown(self.matches)}"
            )
        if self.sprt is not None and len(self.agents) != 2:
            raise LimitError(f"expected two agents for a sequential test: {len(self.agents)} came")
        if self.rounds is not None and self.schedule != "swiss":
            raise LimitError(f"expected rounds of a Swiss only: {self.rounds} came")

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

    def setting(self, seed: int) -> Setting:
        """Return what the tasks need to know."""
        return Setting(
            game=self.game.facts.name,
            layout=self.game.layout,
            options=tuple(options_as_texts(self.game.options).items()),
            agents=self.agents,
            seed=seed,
            limit=self.limit,
            time=self.time,
            ply_limit=self.ply_limit,
        )

    @property
    def labels(self) -> list[str]:
        """Return the agents' texts, numbered where one comes again.

        Examples
        --------
        >>> import boardgames
        >>> Plan(game=boardgames.load("connect4"), agents=("random", "greedy", "random")).labels
        ['random', 'greedy', 'random #2']
        """
        times = [self.agents[: place + 1].count(agent) for place, agent in enumerate(self.agents)]
        both = zip(self.agents, times, strict=True)
        return [agent if time == 1 else f"{agent} #{time}" for agent, time in both]

    def inspect(self) -> tuple[list[PlayerKey], str]:
        """Make every agent once: return who they are, and the stamp of the code they run.

        Raises
        ------
        UnknownNameError, OptionError, PluginError, MatchError
            If one cannot be had or is a person.
        """
        keys: list[PlayerKey] = []
        classes: list[type] = [type(self.game)]
        for text in self.agents:
            player = plugins.player(text, self.game)
            try:
                if player.is_human:
                    raise MatchError(f"expected agents: {text!r} is a person")
                keys.append(PlayerKey(player.describe(), player.fingerprint()))
                classes += type(player).__mro__
            finally:
                player.close()
        return keys, code_stamp(classes)

    def settings(self, players: Sequence[PlayerKey], stamp: str, seed: int | None) -> dict[str, object]:
        """Return all that decides what the matches are, as JSON has it."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        texts = {name: str(value) for name, value in fields.items() if dataclasses.is_dataclass(value)}
        return {
            **fields,
            **texts,
            "game": self.game.describe(),
            "agents": list(self.agents),
            "players": [str(player) for player in players],
            "code": stamp,
            "seed": seed,
        }
