"""What a match of `bg play` is made of; saving it, and resuming a saved one."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.loading import load_player
from boardgames.cli.program import PROGRAM
from boardgames.errors import FileError, RecordError
from boardgames.paths import data_folder

if TYPE_CHECKING:
    from boardgames.game import Game, Position
    from boardgames.manager import Manager, MatchRules
    from boardgames.player import Limit, Player
    from boardgames.record import Record

THINKING_S = 1.0


@dataclass(frozen=True, slots=True)
class Timing:
    """What time was asked for, in seconds: None where nothing was said."""

    move: float | None
    clock: float | None
    increment: float | None


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """What a match is made of; makes a manager for it, and again for the next match."""

    game: "Game"
    agents: tuple[str, str]
    names: tuple[str, str] | None
    start: "Position | None"
    timing: Timing
    limits: dict[str, int | bool]
    seed: int | None

    @property
    def limit(self) -> "Limit":
        """Return what an agent may spend on a move."""
        from boardgames.player import Limit

        return Limit(seconds=THINKING_S if self.timing.move is None else self.timing.move)

    def manager(self, record: "Record | None" = None) -> "Manager":
        """Return a manager at the start, or where an unfinished record stands."""
        from boardgames.manager import Manager
        from boardgames.plugins import load_game_of

        game = self.game if record is None else load_game_of(record)
        seeds = [None if self.seed is None else self.seed + seat for seat in (0, 1)]
        players = [
            load_player(agent, game, seed=seed) for agent, seed in zip(self.agents, seeds, strict=True)
        ]
        rules = self._rules(players, game, record)
        if record is None:
            return Manager(game, players, names=self.names, start=self.start, rules=rules, limit=self.limit)
        names = self.names or record.names
        return Manager.resume(record, game, players, names=names, rules=rules, limit=self.limit)

    def _rules(self, players: "Sequence[Player]", game: "Game", record: "Record | None") -> "MatchRules":
        """Return what was asked for; of time, else what the record has, and of the rest the game's own."""
        from boardgames.clock import TimeControl
        from boardgames.manager import MatchRules

        move = self.timing.move if all(player.is_human for player in players) else None
        control = TimeControl(move=move, match=self.timing.clock, increment=self.timing.increment or 0.0)
        if record is not None and control.is_unlimited:
            control = TimeControl.parse(record.tags.get("TimeControl", "-"))
        return MatchRules.between(players, game, time=control, **self.limits)


def save_match(manager: "Manager") -> None:
    """Save a match in the user's data folder and say where; show it instead if that fails.

    Raises
    ------
    FileError
        If it cannot be saved, after it has been shown.
    """
    from boardgames.record import write_records

    record = manager.record()
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S-%f")
    path = data_folder() / "records" / f"{record.game}-{stamp}.record"
    try:
        write_records(path, [record])
    except FileError:
        click.echo(str(record))
        raise
    click.echo(f"the match is saved in {path}")
    if record.outcome is None and record.moves:
        click.echo(f"go on with: {PROGRAM} play {record.game} --resume {shlex.quote(str(path))}")


def close_players(manager: "Manager") -> None:
    """Let the players of a match give back what they hold: programs end here."""
    for player in manager.players:
        if player is not None:
            player.close()


def read_unfinished(path: Path, game: "Game") -> "Record":
    """Return the last match of a file, if it can be gone on with.

    Raises
    ------
    FileError, RecordError
        If the file cannot be read or has an error, or if its last match is
        none, is over, or is one of another game.
    """
    from boardgames.plugins import load_game_of
    from boardgames.record import read_records

    parsed = read_records(path, load_game_of)
    if parsed.errors:
        raise RecordError(f"expected matches without errors in {path}: {parsed.errors[0]}")
    if not parsed.records:
        raise RecordError(f"expected a recorded match in {path}: it has none")
    record = parsed.records[-1]
    if record.game != game.facts.name:
        raise RecordError(f"expected a match of {game.facts.name} in {path}: {record.game!r}")
    if record.outcome is not None:
        raise RecordError(f"expected an unfinished match in {path}: it ended {record.result}")
    return record
