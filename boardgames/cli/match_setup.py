"""Setting up a match of `boardgames play`; saving and resuming it."""

import shlex
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from boardgames.cli.continuing import continue_text
from boardgames.cli.loading import load_player
from boardgames.cli.output import say, wrap
from boardgames.cli.program import PROGRAM
from boardgames.draw.text import printable
from boardgames.errors import FileError, RecordError, quote
from boardgames.paths import data_folder

if TYPE_CHECKING:
    from boardgames.clock import TimeControl
    from boardgames.game import Game, Position
    from boardgames.manager import Manager
    from boardgames.player import Limit
    from boardgames.record import Record

DEFAULT_MOVE_SECONDS = 1.0

_Value = TypeVar("_Value", float, float | None)


@dataclass(frozen=True, slots=True)
class TimeOptions:
    """Time options as given on the command line, in seconds: for both sides or each; None if not given."""

    move: float | tuple[float, float] | None
    clock: float | tuple[float, float] | None
    increment: float | None


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """Everything needed to start a match, and the next one.

    Attributes
    ----------
    agents : tuple of str
        The two players, as `NAME` or `NAME:OPTION=VALUE,...`.
    names : tuple of str, optional
        Names of the players, if given.
    start : Position, optional
        Starting position; the game's own if not given.
    rules : dict
        The options of `MatchRules` that were given.
    seed : int, optional
        Seed of the first player; the second one's is the next number.
    """

    game: "Game"
    agents: tuple[str, str]
    names: tuple[str, str] | None
    start: "Position | None"
    time: TimeOptions
    rules: dict[str, int | bool | tuple[int, int]]
    seed: int | None

    @property
    def limits(self) -> "tuple[Limit, Limit]":
        """Return the limit for each move of an agent, by side."""
        from boardgames.player import Limit

        first, second = pair(DEFAULT_MOVE_SECONDS if self.time.move is None else self.time.move)
        return Limit(seconds=first), Limit(seconds=second)

    def new_match(self, record: "Record | None" = None) -> "Manager":
        """Return the manager of a new match, or of an unfinished one from its record.

        Clocks of people wait until they see the board (`Manager.start_clock`).
        """
        from boardgames.manager import Manager, MatchRules
        from boardgames.plugins import load_game_of

        game = self.game if record is None else load_game_of(record)
        seeds = [None if self.seed is None else self.seed + seat for seat in (0, 1)]
        players = [
            load_player(agent, game, seed=seed) for agent, seed in zip(self.agents, seeds, strict=True)
        ]
        first, second = (player.is_human for player in players)
        rules = MatchRules.between(players, game, time=self.times((first, second), record), **self.rules)
        if record is None:
            return Manager(
                game,
                players,
                names=self.names,
                start=self.start,
                rules=rules,
                limit=self.limits,
                starts_clocks=False,
            )
        names = self.names or record.names
        return Manager.resume(
            record, game, players, names=names, rules=rules, limit=self.limits, starts_clocks=False
        )

    def times(
        self, are_people: tuple[bool, bool], record: "Record | None"
    ) -> "tuple[TimeControl, TimeControl]":
        """Return the time control of each side; that of a record is kept unless another one was given."""
        from boardgames.clock import TimeControl, parse_time_controls

        # for an agent, --time is how long it thinks; a person is limited by it against another person,
        # and against an agent only if there is a separate limit for each side
        is_limited = isinstance(self.time.move, tuple) or all(are_people)
        controls = [
            TimeControl(
                move=seconds if is_limited and is_person else None,
                match=clock,
                increment=self.time.increment or 0.0,
            )
            for is_person, seconds, clock in zip(
                are_people, pair(self.time.move), pair(self.time.clock), strict=True
            )
        ]
        times = controls[0], controls[1]
        if record is not None and all(control.is_unlimited for control in times):
            times = parse_time_controls(record.tags.get("TimeControl", "-"))
        return times


def pair(value: _Value | tuple[_Value, _Value]) -> tuple[_Value, _Value]:
    """Return a value for each side, given a single one for both or a pair."""
    return value if isinstance(value, tuple) else (value, value)


def print_learned(manager: "Manager") -> None:
    """Say for each player that learns where it has saved its weights, or that it has not saved them."""
    for player in manager.players:
        if player is None or not player.is_learning:
            continue
        if player.saved_to is not None:
            text = f"{player.describe()} has learned from this match: weights saved to {player.saved_to}"
        else:
            reason = ", since the match is not finished" if manager.outcome is None else ""
            text = f"{player.describe()} has not saved its weights{reason}"
        say(wrap(printable(text), 2))


def close_players(manager: "Manager") -> None:
    """Release what the players of a match hold, such as engine processes; an interrupt closes them all."""
    from boardgames.plugins import close_player

    with ExitStack() as stack:
        for player in manager.players:
            if player is not None:
                stack.callback(close_player, player)


def save_match(record: "Record") -> None:
    """Save a match in the user's data folder and print the path; if that fails, print the match.

    A match without moves is not saved.

    Raises
    ------
    FileError
        If the match cannot be saved.
    """
    from boardgames.record import write_records

    if not record.moves:
        return
    timestamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S-%f")
    path = data_folder() / "records" / f"{record.game}-{timestamp}.record"
    try:
        write_records(path, [record])
    except FileError:
        say(str(record))
        raise
    say(f"match saved to {path}")
    if record.outcome is None:
        say(continue_text(f"{PROGRAM} play {record.game} --resume {shlex.quote(str(path))}"))


def read_unfinished(path: Path, game: "Game") -> "Record":
    """Return the last match of a file if it can be resumed.

    Raises
    ------
    FileError, RecordError
        If the file cannot be read or has errors or no matches, or if its last
        match is finished or of another game.
    """
    from boardgames.plugins import load_game_of
    from boardgames.record import read_records

    parsed = read_records(path, load_game_of)
    if parsed.errors:
        raise RecordError(f"{path} has an error: {parsed.errors[0]}")
    if not parsed.records:
        raise RecordError(f"no matches in {path}")
    record = parsed.records[-1]
    if record.game != game.facts.name:
        raise RecordError(f"{path} contains a match of {quote(record.game)}, not {game.facts.name}")
    if record.outcome is not None:
        raise RecordError(f"the match in {path} is finished ({record.result})")
    return record
