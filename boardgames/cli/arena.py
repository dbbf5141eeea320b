"""`bg arena`: series of matches between agents, and how strong that shows them to be."""

import math
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from boardgames.cli.common import (
    COUNT,
    EXIT_INTERRUPTED,
    NODES,
    PLIES_AHEAD,
    SECONDS,
    WHOLE,
    Number,
    compiling,
    examples,
    game_options,
    json_option,
    load_game,
    print_json,
)
from boardgames.cli.reports import report_json, report_lines
from boardgames.cli.tables import duration
from boardgames.errors import BoardgamesError, OptionError

if TYPE_CHECKING:
    from boardgames.arena.arena import Arena
    from boardgames.arena.plan import Plan
    from boardgames.clock import TimeControl

REFRESH_S = 0.25
DEFAULT_MATCHES = 100
MOST_MATCHES = 1_000_000
DEFAULT_MARGIN_S = 0.1


@click.command(
    epilog=examples(
        "bg arena connect4 alphabeta:depth=4 greedy",
        "bg arena abalone alphabeta simple --time 0.1 --openings layouts",
        "bg arena connect4 random greedy alphabeta:depth=2 --matches 20",
        "bg arena connect4 alphabeta:depth=4 greedy --sprt 0,50 --matches 9000",
        "bg arena connect4 random 'engine:command=\"python bot.py\"'",
    )
)
@click.argument("game_name", metavar="GAME")
@click.argument("agents", nargs=-1, metavar="AGENT AGENT...")
@click.option(
    "--matches",
    type=Number(int, 1, MOST_MATCHES),
    default=DEFAULT_MATCHES,
    show_default=True,
    metavar="N",
    help="Matches of each two agents that meet; an even number.",
)
@click.option("--gauntlet", metavar="AGENT", help="This one, of the agents or besides, meets all others.")
@click.option("--swiss", is_flag=True, help="Rounds in which agents of equal score meet.")
@click.option("--rounds", type=COUNT, metavar="N", help="Rounds of a Swiss; as many as leave one unbeaten.")
@game_options
@click.option(
    "--openings",
    default="random:4",
    show_default=True,
    metavar="TEXT",
    help="random:PLIES, every:PLIES, layouts, the name of a book, or a file of positions.",
)
@click.option("--time", "move_time", type=SECONDS, metavar="S", help="Seconds a move.")
@click.option("--clock", type=SECONDS, metavar="S", help="Seconds a side has for a match.")
@click.option("--increment", type=SECONDS, metavar="S", help="Seconds added after each move.")
@click.option(
    "--margin",
    type=SECONDS,
    default=DEFAULT_MARGIN_S,
    show_default=True,
    metavar="S",
    help="A move may take so much more than --time before it loses.",
)
@click.option("--nodes", type=NODES, metavar="N", help="Positions an agent may visit for a move.")
@click.option("--depth", type=PLIES_AHEAD, metavar="N", help="Plies an agent may look ahead.")
@click.option("--plies", type=COUNT, metavar="N", help="Draw after N plies.")
@click.option(
    "--sprt",
    metavar="ELO0,ELO1[,A,B]",
    help="Stop a series of two when it is clear which difference is nearer.",
)
@click.option("--seed", type=WHOLE, metavar="N", help="Make openings and chance repeatable; else drawn.")
@click.option("--workers", type=COUNT, metavar="N", help="Processes; by default one a core.")
@click.option("--cluster", metavar="ADDRESS", help="Play on a cluster: local, or a scheduler's address.")
@click.option("--fresh", is_flag=True, help="Begin anew, even if such an arena was interrupted.")
@json_option
def arena(
    game_name: str,
    agents: tuple[str, ...],
    matches: int,
    gauntlet: str | None,
    swiss: bool,
    rounds: int | None,
    layout: str | None,
    options: tuple[str, ...],
    openings: str,
    move_time: float | None,
    clock: float | None,
    increment: float | None,
    margin: float,
    nodes: int | None,
    depth: int | None,
    plies: int | None,
    sprt: str | None,
    seed: int | None,
    workers: int | None,
    cluster: str | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Let AGENTs play series of GAME against each other and report their strength.

    Every opening is played twice, with the sides exchanged. All meet all,
    unless --gauntlet or --swiss says otherwise. Matches are kept as they end:
    if it is interrupted, the same command goes on where it stopped.

    Elo is the difference to the other agent, among more than two to the mean
    of all, with its interval of 95 %; "> +X" after nothing but wins.
    """
    if gauntlet is not None and swiss:
        raise OptionError("expected --gauntlet or --swiss, not both")
    game = load_game(game_name, layout, options)
    from boardgames.arena.plan import Plan
    from boardgames.arena.sprt import Sprt
    from boardgames.player import Limit

    plan = Plan(
        game=game,
        agents=_with_champion(agents, gauntlet),
        matches=matches,
        schedule="gauntlet" if gauntlet is not None else "swiss" if swiss else "round-robin",
        rounds=rounds,
        openings=openings,
        limit=Limit(seconds=move_time, nodes=nodes, depth=depth),
        time=_time_control(move_time, clock, increment, margin),
        ply_limit=plies,
        sprt=None if sprt is None else Sprt.parse(sprt),
    )
    click.get_current_context().exit(_play(plan, seed, workers, cluster, fresh, as_json))


def _with_champion(agents: tuple[str, ...], champion: str | None) -> tuple[str, ...]:
    """Return the agents, the one that meets all others first."""
    if champion is None:
        return agents
    others = list(agents)
    if champion in others:
        others.remove(champion)
    return champion, *others


def _time_control(
    move: float | None, clock: float | None, increment: float | None, margin: float
) -> "TimeControl":
    from boardgames.clock import TimeControl

    return TimeControl(
        move=None if move is None else move + margin,
        match=clock,
        increment=increment or 0.0,
        margin=margin,
    )


def _play(
    plan: "Plan", seed: int | None, workers: int | None, cluster: str | None, fresh: bool, as_json: bool
) -> int:
    """Play what is not there yet, show it, and return the exit code."""
    from boardgames.arena.arena import Arena
    from boardgames.cli.saving import leaving_on_signals
    from boardgames.executors import open_executor
    from boardgames.store import Store

    with redirect_stdout(sys.stderr), leaving_on_signals(), Store() as store:
        with compiling():
            found = Arena(plan, seed=seed, store=store, fresh=fresh)
        if found.resumed:
            click.echo(f"bg: going on: {found.resumed} of {plan.planned} matches are there", err=True)
        try:
            with open_executor(workers, cluster=cluster) as executor, _live(found) as listener:
                found.run(executor, listener)
        except KeyboardInterrupt:
            with redirect_stdout(sys.__stdout__):
                _print(found, as_json)
            told = f"interrupted after {found.matches} of {plan.planned} matches; the same command goes on"
            click.echo(f"bg: {told}", err=True)
            return EXIT_INTERRUPTED
        except BoardgamesError:
            if found.matches and not as_json:  # what is known is not lost with a full disk
                with redirect_stdout(sys.__stdout__):
                    _print(found, as_json)
            raise
    _print(found, as_json)
    return 0


def _print(arena: "Arena", as_json: bool) -> None:
    report = arena.report()
    if as_json:
        print_json(**report_json(report), seed=arena.seed)
    else:
        click.echo("\n".join([*report_lines(report, arena.names), f"seed {arena.seed}"]))


@contextmanager
def _live(arena: "Arena") -> "Iterator[Callable[[Arena], None] | None]":
    """Keep the report before the user's eyes on a terminal; yields what hears of news."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True, highlight=False)
    screen = _Screen(arena)
    with Live(console=console, get_renderable=screen.text, refresh_per_second=2, transient=True):
        yield screen.renew


class _Screen:
    """What a terminal shows while an arena is under way: drawn by another thread than the arena's."""

    def __init__(self, arena: "Arena") -> None:
        self.started = time.monotonic()
        self.before = arena.matches
        self.planned = arena.plan.planned
        self.renewed = -math.inf
        self.renew(arena)

    def renew(self, arena: "Arena") -> None:
        """Take over what the arena has found, now and then: rating many agents takes its time."""
        self.matches = arena.matches
        now = time.monotonic()
        if now - self.renewed >= REFRESH_S:
            self.renewed = now
            self.lines = report_lines(arena.report(), arena.names)

    def text(self) -> Any:  # rich's text
        """Return the report and how far it has come, as many lines as the terminal has."""
        from rich.text import Text

        elapsed = time.monotonic() - self.started
        played = self.matches - self.before
        progress = f"{self.matches} of {self.planned} matches, {duration(elapsed)}"
        if played:
            left = (self.planned - self.matches) * elapsed / played
            progress += f", {played / elapsed:.1f} a second, {duration(left)} left"
        height = max(shutil.get_terminal_size().lines - 2, 1)
        lines = [*self.lines[: height - 1], progress]
        return Text("\n".join(lines), no_wrap=True, overflow="ellipsis")
