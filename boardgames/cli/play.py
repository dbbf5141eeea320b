"""`bg play`: one match, between people and agents in any combination."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.interrupts import interrupt_on_termination
from boardgames.cli.loading import load_game
from boardgames.cli.match_setup import MatchSetup, Timing, close_players, read_unfinished, save_match
from boardgames.cli.options import NON_NEGATIVE, POSITIVE, SECONDS, Number, examples, game_options
from boardgames.cli.output import outcome_text, print_picture
from boardgames.cli.program import EXIT_INTERRUPTED
from boardgames.draw.text import printable
from boardgames.errors import OptionError

if TYPE_CHECKING:
    from boardgames.game import Game
    from boardgames.manager import Manager

STRONGEST = 10
"""Of the levels; the player's own table is too much to import for a help text."""


@click.command(
    epilog=examples(
        "boardgames play abalone",
        "boardgames play abalone --level 3",
        "boardgames play abalone --layout standard --agent alphabeta:depth=4",
        "boardgames play connect4 --first human --second human --names Ann,Bob",
        "boardgames play connect4 --clock 300 --increment 2",
        "boardgames play hexifence --first random --second greedy --seed 1",
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
@click.option("--plies", type=POSITIVE, metavar="N", help="Draw after N plies.")
@click.option("--no-progress", type=POSITIVE, metavar="N", help="Draw after N plies without a score.")
@click.option("--repetition/--no-repetition", default=None, help="Draw when a position comes thrice.")
@click.option("--seed", type=NON_NEGATIVE, metavar="N", help="Make the agents' chance repeatable.")
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
    setup = MatchSetup(
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

    manager = setup.manager(None if resume is None else read_unfinished(resume, game))
    with interrupt_on_termination():
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


def _between_agents(manager: "Manager", watch: bool, delay: float) -> int:
    """Let two agents play; an interrupted match is saved. Return the exit code."""
    try:
        if watch:
            _watch(manager, delay)
        else:
            manager.play()
            print_picture(manager.position.picture())
    except KeyboardInterrupt:
        click.echo()
        save_match(manager)
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
