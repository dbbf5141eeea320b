"""`bg play`: one match, between people and agents in any combination."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.common import (
    game_options,
    load_game,
    outcome_text,
    print_picture,
)
from boardgames.errors import OptionError, RecordError

if TYPE_CHECKING:
    from boardgames.game import Game, Position
    from boardgames.manager import Manager, MatchRules
    from boardgames.playing import Limit
    from boardgames.record import Record

THINKING_S = 1.0


@dataclass(frozen=True, slots=True)
class Setup:
    """What a match is made of; makes a manager for it, and again for the next match."""

    game: "Game"
    agents: tuple[str, str]
    names: tuple[str, str] | None
    start: "Position | None"
    limits: dict[str, object]
    limit: "Limit"
    seed: int | None

    def manager(self, record: "Record | None" = None) -> "Manager":
        """Return a manager at the start, or where an unfinished record stands."""
        from boardgames.manager import Manager
        from boardgames.plugins import player

        game = self.game if record is None else record.load_game()
        seeds = [None if self.seed is None else self.seed + seat for seat in (0, 1)]
        players = [player(agent, game, seed=seed) for agent, seed in zip(self.agents, seeds, strict=True)]
        rules = self._rules(players, game)
        if record is not None:
            return Manager.resume(record, players, rules=rules, limit=self.limit)
        return Manager(
            game, players, names=self.names, start=self.start, rules=rules, limit=self.limit
        )

    def has_person(self) -> bool:
        """Say whether a person plays."""
        return any(agent.partition(":")[0] == "human" for agent in self.agents)

    def _rules(self, players: list[object], game: "Game") -> "MatchRules":
        from boardgames.manager import MatchRules

        return MatchRules.between(players, game, **self.limits)  # type: ignore[arg-type]  # checked there


@click.command(
    epilog="Examples: bg play abalone; bg play abalone --layout standard --agent alphabeta:depth=4; "
    "bg play connect4 --first human --second human --names Ann,Bob; "
    "bg play hexifence --first random --second greedy --seed 1."
)
@click.argument("game_name", metavar="GAME")
@click.option("--first", metavar="AGENT", help="Who moves first; a person by default.")
@click.option("--second", metavar="AGENT", help="Who moves second; the game's default agent.")
@click.option("--agent", metavar="AGENT", help="Short for --second.")
@game_options
@click.option("--position", "position_text", metavar="TEXT", help="Start from this position.")
@click.option(
    "--time",
    "move_time",
    type=float,
    metavar="S",
    help="Seconds an agent thinks about a move (1); between two people, their limit for a move.",
)
@click.option("--clock", type=float, metavar="S", help="Seconds a side has for the match.")
@click.option("--increment", type=float, metavar="S", help="Seconds added after each move.")
@click.option("--plies", type=int, metavar="N", help="Draw after N plies.")
@click.option("--no-progress", type=int, metavar="N", help="Draw after N plies without a score.")
@click.option("--repetition/--no-repetition", default=None, help="Draw when a position comes thrice.")
@click.option("--seed", type=int, metavar="N", help="Make the agents' chance repeatable.")
@click.option("--names", metavar="A,B", help="Names of the two players.")
@click.option("--notation", metavar="NAME", help="Read and write moves in this notation.")
@click.option("--resume", type=click.Path(path_type=Path), metavar="FILE", help="Go on with a match.")
@click.option("--confirm", is_flag=True, help="Show a move before the turn passes; it can be taken back.")
@click.option("--watch", is_flag=True, help="Show every move of two agents.")
@click.option("--delay", type=float, default=0.5, show_default=True, metavar="S", help="Wait with --watch.")
def play(
    game_name: str,
    first: str | None,
    second: str | None,
    agent: str | None,
    layout: str | None,
    options: tuple[str, ...],
    position_text: str | None,
    move_time: float | None,
    clock: float | None,
    increment: float | None,
    plies: int | None,
    no_progress: int | None,
    repetition: bool | None,
    seed: int | None,
    names: str | None,
    notation: str | None,
    resume: Path | None,
    confirm: bool,
    watch: bool,
    delay: float,
) -> None:
    """Play a match of GAME: by default you against the game's default agent.

    Type a move, or `help` for what else there is to type. Moves are read from
    a pipe as well. An agent is written NAME or NAME:OPTION=VALUE,...
    """
    if agent is not None and second is not None:
        raise OptionError("expected the second player once: as --agent or as --second")
    game = load_game(game_name, layout, options)
    agents = (first or "human", second or agent or game.facts.default_agent)
    setup = Setup(
        game=game,
        agents=agents,
        names=_names(names),
        start=None if position_text is None else game.parse(position_text),
        limits=_limits(agents, move_time, clock, increment, plies, no_progress, repetition),
        limit=_thinking(move_time),
        seed=seed,
    )
    if notation is not None:
        _check_notation(game, notation)
    manager = setup.manager(None if resume is None else _unfinished(resume, game))
    if setup.has_person():
        from boardgames.cli.session import Session

        sys.exit(Session(setup, manager, notation=notation, confirm=confirm).run())
    _between_agents(manager, watch, delay)


def _names(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise OptionError(f"expected two names with a comma between: {text!r}")
    return names[0], names[1]


def _thinking(move_time: float | None) -> "Limit":
    from boardgames.playing import Limit

    return Limit(seconds=THINKING_S if move_time is None else move_time)


def _limits(
    agents: tuple[str, str],
    move_time: float | None,
    clock: float | None,
    increment: float | None,
    plies: int | None,
    no_progress: int | None,
    repetition: bool | None,
) -> dict[str, object]:
    """Return the match rules that were asked for; the others are the game's own."""
    from boardgames.manager import TimeControl

    people = all(agent.partition(":")[0] == "human" for agent in agents)
    control = TimeControl(
        move=move_time if people else None, match=clock, increment=increment or 0.0
    )
    asked = {"ply_limit": plies, "no_progress_limit": no_progress, "repetition": repetition}
    return {"time": control, **{name: value for name, value in asked.items() if value is not None}}


def _check_notation(game: "Game", notation: str) -> None:
    start = game.start()
    for move in start.legal_moves[:1]:
        game.format_move(start, move, notation=notation)


def _unfinished(path: Path, game: "Game") -> "Record":
    record = last_record(path)
    if record.game != game.facts.name:
        raise RecordError(f"expected a match of {game.facts.name} in {path}: {record.game!r}")
    if record.outcome is not None:
        raise RecordError(f"expected an unfinished match in {path}: it ended {record.result}")
    return record


def last_record(path: Path) -> "Record":
    """Return the last match of a file.

    Raises
    ------
    FileError, RecordError
        If the file cannot be read, holds no match, or has an error.
    """
    from boardgames.record import read_records

    parsed = read_records(path)
    if parsed.errors:
        raise parsed.errors[0]
    if not parsed.records:
        raise RecordError(f"expected a recorded match: {path} has none")
    return parsed.records[-1]


def _between_agents(manager: "Manager", watch: bool, delay: float) -> None:
    if watch:
        print_picture(manager.position.picture())
        while manager.outcome is None:
            before = manager.position
            manager.step()
            if manager.position is not before:
                click.echo(f"\n{manager.ply}. {manager.moves[-1].move}")
                print_picture(manager.position.picture().since(before.picture()))
                time.sleep(max(delay, 0.0))
    else:
        manager.play()
        print_picture(manager.position.picture())
    assert manager.outcome is not None
    click.echo(f"\n{outcome_text(manager.outcome, manager.game)} after {manager.ply} plies\n")
    if manager.fault:
        click.echo(f"{manager.fault}\n", err=True)
    click.echo(str(manager.record()))
