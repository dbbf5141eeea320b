"""`bg play`: one match, between people and agents in any combination."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.common import (
    COUNT,
    EXIT_INTERRUPTED,
    SECONDS,
    WHOLE,
    Number,
    examples,
    game_options,
    load_game,
    load_player,
    outcome_text,
    print_picture,
)
from boardgames.draw.text import printable
from boardgames.errors import OptionError

if TYPE_CHECKING:
    from boardgames.game import Game, Position
    from boardgames.manager import Manager, MatchRules
    from boardgames.player import Limit, Player
    from boardgames.record import Record

THINKING_S = 1.0
STRONGEST = 10
"""Of the levels; the player's own table is too much to import for a help text."""


@dataclass(frozen=True, slots=True)
class Timing:
    """What time was asked for, in seconds: None where nothing was said."""

    move: float | None
    clock: float | None
    increment: float | None


@dataclass(frozen=True, slots=True)
class Setup:
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

        game = self.game if record is None else record.load_game()
        seeds = [None if self.seed is None else self.seed + seat for seat in (0, 1)]
        players = [
            load_player(agent, game, seed=seed) for agent, seed in zip(self.agents, seeds, strict=True)
        ]
        rules = self._rules(players, game, record)
        if record is None:
            return Manager(game, players, names=self.names, start=self.start, rules=rules, limit=self.limit)
        names = self.names or record.names
        return Manager.resume(record, players, names=names, rules=rules, limit=self.limit)

    def _rules(self, players: "Sequence[Player]", game: "Game", record: "Record | None") -> "MatchRules":
        """Return what was asked for; of time, else what the record has, and of the rest the game's own."""
        from boardgames.manager import MatchRules, TimeControl

        move = self.timing.move if all(player.is_human for player in players) else None
        control = TimeControl(move=move, match=self.timing.clock, increment=self.timing.increment or 0.0)
        if record is not None and control.is_open:
            control = TimeControl.parse(record.tags.get("TimeControl", "-"))
        return MatchRules.between(players, game, time=control, **self.limits)


@click.command(
    epilog=examples(
        "bg play abalone",
        "bg play abalone --level 3",
        "bg play abalone --layout standard --agent alphabeta:depth=4",
        "bg play connect4 --first human --second human --names Ann,Bob",
        "bg play connect4 --clock 300 --increment 2",
        "bg play hexifence --first random --second greedy --seed 1",
    )
)
@click.argument("game_name", metavar="GAME")
@click.option("--first", metavar="AGENT", help="Who moves first; a person by default.")
@click.option("--second", metavar="AGENT", help="Who moves second; the game's default agent.")
@click.option("--agent", metavar="AGENT", help="Short for --second.")
@click.option(
    "--level",
    type=Number(int, 1, STRONGEST),
    metavar="N",
    help="Who moves second is a program of strength 1 (for beginners) to 10.",
)
@game_options
@click.option("--position", "position_text", metavar="TEXT", help="Start from this position.")
@click.option(
    "--time",
    "move_time",
    type=SECONDS,
    metavar="S",
    help="Seconds an agent thinks about a move (1); between two people, their limit for a move.",
)
@click.option("--clock", type=SECONDS, metavar="S", help="Seconds a side has for the match.")
@click.option("--increment", type=SECONDS, metavar="S", help="Seconds added after each move.")
@click.option("--plies", type=COUNT, metavar="N", help="Draw after N plies.")
@click.option("--no-progress", type=COUNT, metavar="N", help="Draw after N plies without a score.")
@click.option("--repetition/--no-repetition", default=None, help="Draw when a position comes thrice.")
@click.option("--seed", type=WHOLE, metavar="N", help="Make the agents' chance repeatable.")
@click.option("--names", metavar="A,B", help="Names of the two players.")
@click.option("--notation", metavar="NAME", help="Read and write moves in this notation.")
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Go on with the last match of a file, which is unfinished.",
)
@click.option("--confirm", is_flag=True, help="Ask after each of your moves; it can be taken back.")
@click.option("--watch", is_flag=True, help="Show every move of two agents.")
@click.option("--delay", type=SECONDS, default=0.5, show_default=True, metavar="S", help="Wait with --watch.")
def play(
    game_name: str,
    first: str | None,
    second: str | None,
    agent: str | None,
    level: int | None,
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
    opponent = _opponent(second, agent, level)
    if resume is not None and (layout or options or position_text is not None):
        raise OptionError(
            f"expected no layout, option or position beside --resume: {str(resume)!r} has its own"
        )
    game = load_game(game_name, layout, options)
    asked = {"ply_limit": plies, "no_progress_limit": no_progress, "repetition": repetition}
    setup = Setup(
        game=game,
        agents=(_given(first, "human"), _given(opponent, game.facts.default_agent)),
        names=_names(names),
        start=None if position_text is None else game.parse(position_text),
        timing=Timing(move_time, clock, increment),
        limits={name: value for name, value in asked.items() if value is not None},
        seed=seed,
    )
    if notation is not None:
        _check_notation(game, notation)
    from boardgames.cli.saving import close_players, leaving_on_signals

    manager = setup.manager(None if resume is None else _resumed(resume, game))
    with leaving_on_signals():
        if any(player is not None and player.is_human for player in manager.players):
            from boardgames.cli.session import Session

            code = Session(setup, manager, notation=notation, confirm=confirm).run()
        else:
            try:
                code = _between_agents(manager, watch, delay)
            finally:
                close_players(manager)
    click.get_current_context().exit(code)


def _opponent(second: str | None, agent: str | None, level: int | None) -> str | None:
    """Return the agent text of the second player, None if nothing was said."""
    by_level = None if level is None else f"level:level={level}"
    said = {"--second": second, "--agent": agent, "--level": by_level}
    texts = {name: text for name, text in said.items() if text is not None}
    if len(texts) > 1:
        raise OptionError(f"expected the second player once: as {' and as '.join(texts)}")
    return next(iter(texts.values()), None)


def _given(text: str | None, default: str) -> str:
    return default if text is None else text


def _names(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(name and name.isprintable() for name in names):
        raise OptionError(f"expected two names with a comma between: {text!r}")
    return names[0], names[1]


def _check_notation(game: "Game", notation: str) -> None:
    start = game.start()
    for move in start.legal_moves[:1]:
        game.format_move(start, move, notation=notation)


def _resumed(path: Path, game: "Game") -> "Record":
    from boardgames.cli.saving import unfinished_record

    return unfinished_record(path, game)


def _between_agents(manager: "Manager", watch: bool, delay: float) -> int:
    """Let two agents play; an interrupted match is saved. Return the exit code."""
    try:
        if watch:
            _watch(manager, delay)
        else:
            manager.play()
            print_picture(manager.position.picture())
    except KeyboardInterrupt:
        from boardgames.cli.saving import save_away

        click.echo()
        save_away(manager)
        return EXIT_INTERRUPTED
    assert manager.outcome is not None
    click.echo(f"\n{outcome_text(manager.outcome, manager.game)} after {manager.ply} plies\n")
    if manager.fault:
        click.echo(f"{printable(manager.fault)}\n", err=True)
    click.echo(str(manager.record()))
    return 0


def _watch(manager: "Manager", delay: float) -> None:
    print_picture(manager.position.picture())
    while manager.outcome is None:
        before, side = manager.position, manager.game.facts.sides[manager.side_to_move]
        manager.step()
        if manager.position is not before:
            click.echo(f"\n{manager.ply}. {side} plays {manager.moves[-1].move}\n")
            print_picture(manager.position.picture().since(before.picture()))
            time.sleep(delay)
