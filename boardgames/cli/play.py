"""`boardgames play`: one match between people and agents in any combination."""

import os
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import complete_agent, complete_game
from boardgames.cli.interrupts import end_if_stuck, interrupt_on_termination, without_interrupts
from boardgames.cli.loading import STDIN, load_game_for, split_notation
from boardgames.cli.options import (
    NON_NEGATIVE,
    NON_NEGATIVE_SECONDS,
    POSITIVE,
    SECONDS,
    ForEachSide,
    Number,
    agent_option,
    apply_moves,
    examples,
    game_options,
    increment_option,
    moves_option,
    notation_option,
)
from boardgames.cli.output import outcome_text, played_text, print_error, print_picture, say
from boardgames.cli.program import EXIT_INTERRUPTED
from boardgames.cli.saving import (
    MatchFile,
    UnfinishedMatch,
    add_to_store,
    close_players,
    newest_unfinished,
    print_learned,
    read_unfinished,
    today,
)
from boardgames.compiling import rules_interpreted
from boardgames.draw.text import printable
from boardgames.errors import FileError, OptionError, quote

if TYPE_CHECKING:
    from boardgames.manager import Manager

WATCH_DELAY_S = 0.5
NEWEST = ""
"""The value of `--resume` without a file."""
HIGHEST_LEVEL = 10
"""The strongest level, copied from `boardgames.players.levels`, which is too slow to import for `--help`."""


@click.command(
    epilog=examples(
        "boardgames play abalone",
        "boardgames play abalone --level 3",
        "boardgames play abalone --layout standard --agent alphabeta:depth=4",
        "boardgames play connect4 --first human --second human --names Ann,Bob",
        "boardgames play connect4 --clock 300,60 --increment 2,0",
        "boardgames play hexifence --first random --second greedy --seed 1",
        "boardgames play abalone --level 5 --web",
        "boardgames play --resume",
    )
)
@click.argument("game_name", metavar="[GAME]", required=False, shell_complete=complete_game)
@click.option("--first", metavar="AGENT", shell_complete=complete_agent, help="First player; default: human.")
@click.option(
    "--second",
    metavar="AGENT",
    shell_complete=complete_agent,
    help="Second player; default: the game's default agent.",
)
@agent_option("Same as --second, or as --first if you resume a match as the second player.")
@click.option(
    "--level",
    type=Number(int, 1, HIGHEST_LEVEL),
    metavar="N",
    help="Play against an agent of strength 1 (beginner) to 10.",
)
@game_options
@click.option("--position", "position_text", metavar="TEXT", help="Starting position.")
@moves_option
@click.option(
    "--time",
    "move_time",
    type=ForEachSide(SECONDS),
    metavar="S[,S]",
    help="Seconds per move: how long an agent thinks (default: 1), or the limit if two people play. "
    "Two numbers set the first and the second side; a person is then also limited against an agent.",
)
@click.option(
    "--clock",
    type=ForEachSide(SECONDS),
    metavar="S[,S]",
    help="Seconds that each side has for the match; two numbers set the sides separately.",
)
@increment_option
@click.option(
    "--plies",
    type=ForEachSide(POSITIVE),
    metavar="N[,N]",
    help="End the match after N plies, usually in a draw; two numbers limit the moves of each side.",
)
@click.option(
    "--no-progress",
    type=POSITIVE,
    metavar="N",
    help="End the match in a draw after N plies without a change of the score.",
)
@click.option(
    "--repetition/--no-repetition",
    default=None,
    help="Draw when a position occurs for the third time; default: as the rules of the game say.",
)
@click.option("--seed", type=NON_NEGATIVE, metavar="N", help="Seed for the agents' random choices.")
@click.option("--names", metavar="A,B", help="Names of the first and the second player.")
@notation_option("Notation of the moves, or of the position.")
@click.option(
    "--resume",
    type=click.Path(),
    is_flag=False,
    flag_value=NEWEST,
    metavar="[FILE]",
    help="Resume the last match of FILE or, without FILE, the unfinished match that was saved last. "
    "GAME may be left out. `-` reads standard input; this only works with two agents or --web.",
)
@click.option("--confirm", is_flag=True, help="Ask for confirmation after each of your moves.")
@click.option("--watch", is_flag=True, help="Show the board after every move of two agents.")
@click.option(
    "--delay",
    type=NON_NEGATIVE_SECONDS,
    metavar="S",
    help="Seconds between moves with --watch; default: 0.5.",
)
@click.option("--web", is_flag=True, help="Play in the browser (extra `web`).")
@click.option(
    "--port",
    type=Number(int, 0, 65_535),
    help="With --web: port to listen on; 0 is any free port; default: as for `serve`, or 0 if it is in use.",
)
@click.option("--open/--no-open", "opens", default=None, help="With --web: open the page in the browser.")
def play(
    game_name: str | None,
    first: str | None,
    second: str | None,
    agent: str | None,
    level: int | None,
    layout: str | None,
    options: tuple[str, ...],
    position_text: str | None,
    moves: str | None,
    move_time: float | tuple[float, float] | None,
    clock: float | tuple[float, float] | None,
    increment: float | tuple[float, float] | None,
    plies: int | tuple[int, int] | None,
    no_progress: int | None,
    repetition: bool | None,
    seed: int | None,
    names: str | None,
    notation: str | None,
    resume: str | None,
    confirm: bool,
    watch: bool,
    delay: float | None,
    web: bool,
    port: int | None,
    opens: bool | None,
) -> None:
    """Play a match of GAME, by default against the game's default agent.

    Type a move, or `help` for a list of commands. An AGENT is written NAME or
    NAME:OPTION=VALUE,...; `boardgames agents GAME` lists them, and `human` is
    a person at the keyboard.
    """
    from boardgames.clock import TimeControl
    from boardgames.match_setup import HUMAN, MatchSetup, is_person, pair, seats_of
    from boardgames.plugins import load_game_of
    from boardgames.reading import read_position

    opponent = _opponent(second, agent, level)
    if resume is not None and (layout or options or position_text is not None or moves is not None):
        raise OptionError(
            "--resume takes the game from the saved match; remove --layout, --option, --position and --moves"
        )
    game_name, resumed = _what_to_play(game_name, resume)
    if resumed is None:
        game = load_game_for(game_name, layout, options, position_text)
    else:
        game = load_game_of(resumed.record)
    if delay is not None and not watch:
        raise OptionError("--delay only works with --watch")
    for_position, for_moves = split_notation(game, notation)
    start = None if position_text is None else read_position(game, position_text, for_position)
    if moves is not None:
        start = apply_moves(start or game.start(), moves, for_moves)
    times = [
        TimeControl(match=seconds, increment=added)
        for seconds, added in zip(pair(clock), pair(increment or 0.0), strict=True)
    ]
    seats = (HUMAN, game.facts.default_agent) if resumed is None else seats_of(resumed.record, game)
    setup = MatchSetup(
        game,
        _players(seats, first, opponent, is_second=second is not None),
        names=_names(names),
        start=start,
        seed=seed,
        time=(times[0], times[1]),
        move_time=move_time,
        ply_limit=plies if isinstance(plies, int) else None,
        move_limits=plies if isinstance(plies, tuple) else None,
        no_progress_limit=no_progress,
        repetition=repetition,
    )

    record = None if resumed is None else resumed.record
    if web:
        terminal = {"--notation": notation, "--confirm": confirm, "--watch": watch}
        if given := [name for name, value in terminal.items() if value]:
            raise OptionError(f"{given[0]} is for the terminal; it does not work with --web")
        from boardgames.cli.serve import serve_match

        serve_match(setup, record, port=port, opens=opens is not False)
        return
    _check_terminal(opens, port)
    from boardgames.cli.session import Session, has_person

    session = Session(setup, notation=for_moves, confirm=confirm)
    listeners = () if watch else (session.on_event,)
    background = any(is_person(seat) for seat in setup.players)
    if background:
        _check_person(watch, resume)
    with rules_interpreted() if background else nullcontext():
        manager = setup.start_match(
            record, today=today(), starts_clocks=False, listeners=listeners, background=background
        )
    with interrupt_on_termination():
        if has_person(manager):
            code = session.run(manager, resumed)
        else:
            try:
                code = _play_agents(
                    manager, MatchFile(manager, resumed), watch, WATCH_DELAY_S if delay is None else delay
                )
            finally:
                close_players(manager)
    click.get_current_context().exit(code)


def _what_to_play(game_name: str | None, resume: str | None) -> "tuple[str, UnfinishedMatch | None]":
    """Return the name of the game, and the match to resume or None."""
    if resume is None:
        if game_name is None:
            raise click.MissingParameter(param_hint="'GAME'", param_type="argument")
        return game_name, None
    if game_name is None and not Path(resume).exists() and _is_game(resume):  # `--resume GAME`
        game_name, resume = resume, NEWEST
    if game_name is not None:
        from boardgames.plugins import registry

        registry().check_name("games", game_name)
    resumed = newest_unfinished(game_name) if resume == NEWEST else read_unfinished(Path(resume), game_name)
    return resumed.record.game, resumed


def _is_game(name: str) -> bool:
    """Return True if a plug-in offers a game of this name."""
    from boardgames.plugins import registry

    return any(offer.entry.name == name for offer in registry().offers("games"))


def _check_terminal(opens: bool | None, port: int | None) -> None:
    """Raise OptionError if an option for the browser is given."""
    if opens is not None:
        raise OptionError("--open and --no-open only work with --web")
    if port is not None:
        raise OptionError("--port only works with --web")


def _check_person(watch: bool, resume: str | None) -> None:
    """Raise OptionError if a person cannot play a match with these options."""
    if watch:
        raise OptionError("--watch only works with two agents; a person sees every move anyway")
    if resume == STDIN:
        raise OptionError("a person cannot play if the match comes from standard input; write --resume FILE")


def _opponent(second: str | None, agent: str | None, level: int | None) -> str | None:
    """Return the second player, or None if none was given."""
    by_level = None if level is None else f"level:level={level}"
    given = {"--second": second, "--agent": agent, "--level": by_level}
    texts = {name: text for name, text in given.items() if text is not None}
    if len(texts) > 1:
        raise OptionError(f"give only one of {' and '.join(texts)}")
    return next(iter(texts.values()), None)


def _players(
    seats: tuple[str, str], first: str | None, opponent: str | None, *, is_second: bool
) -> tuple[str, str]:
    """Return the given players, or those of `seats` where none is given.

    The opponent is the first player if a person has the second seat against an agent.
    """
    from boardgames.match_setup import is_person

    is_open = first is None and not is_second  # then the seats decide which side the opponent plays
    if opponent is not None and is_open and is_person(seats[1]) and not is_person(seats[0]):
        return opponent, seats[1]
    return seats[0] if first is None else first, seats[1] if opponent is None else opponent


def _names(text: str | None) -> tuple[str, str] | tuple[None, None]:
    if text is None:
        return None, None
    names = [name.strip() for name in _decoded(text).split(",")]
    if len(names) != 2 or not all(name and name.isprintable() for name in names):
        raise OptionError(f"--names takes two names separated by a comma, not {quote(text)}")
    return names[0], names[1]


def _decoded(text: str) -> str:
    """Return an argument decoded as UTF-8 if the locale, such as `LC_ALL=C`, could not decode it."""
    try:
        return text if text.isprintable() else os.fsencode(text).decode()
    except UnicodeError:
        return text


def _play_agents(manager: "Manager", file: MatchFile, watch: bool, delay: float) -> int:
    """Play a match between two agents and return the exit code.

    A finished match is added to the database of `boardgames matches`. An interrupted match is saved in a
    file, and so is a resumed match, which would otherwise be resumed again.
    """
    try:
        with end_if_stuck(file.save):
            if watch:
                _watch(manager, delay)
            else:
                manager.play()
                print_picture(manager.position.picture())
    except KeyboardInterrupt:
        with without_interrupts():
            say()
            file.save()
        return EXIT_INTERRUPTED
    assert manager.outcome is not None
    plies = "1 ply" if manager.ply == 1 else f"{manager.ply} plies"
    say(f"\n{outcome_text(manager.outcome, manager.game)} after {plies}")
    print_learned(manager)
    if manager.fault:
        say(printable(manager.fault), err=True)
    say()
    say(str(manager.record()))
    if file.is_resumed:
        file.save()
    elif manager.ply > 0:
        try:
            add_to_store(manager.record())
        except FileError as error:  # the record has been printed
            print_error(error, kind="warning")
    return 0


def _watch(manager: "Manager", delay: float) -> None:
    print_picture(manager.position.picture())
    while manager.outcome is None:
        before = manager.position
        manager.step()
        if manager.position is not before:
            played = manager.moves[-1]
            say(f"\n{played.ply}. {played_text(played, manager.game.facts)}\n")
            print_picture(manager.position.picture().since(before.picture()))
            time.sleep(delay)
