"""`bg arena`: series of matches between agents, and how strong that shows them to be."""

import math
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from boardgames.cli.interrupts import interrupt_on_termination
from boardgames.cli.loading import load_game
from boardgames.cli.options import (
    DEPTH,
    NODES,
    NON_NEGATIVE,
    POSITIVE,
    SECONDS,
    Number,
    examples,
    game_options,
    json_option,
)
from boardgames.cli.output import (
    duration_text,
    estimate_json,
    print_json,
    shorten_names,
    table_lines,
)
from boardgames.cli.program import EXIT_INTERRUPTED
from boardgames.cli.progress import compile_notice
from boardgames.draw.text import printable
from boardgames.errors import BoardgamesError, OptionError

if TYPE_CHECKING:
    from boardgames.arena.arena import Arena
    from boardgames.arena.plan import Plan
    from boardgames.arena.report import Report, Standing
    from boardgames.arena.sprt import SprtState
    from boardgames.clock import TimeControl

REFRESH_S = 0.25
DEFAULT_MATCHES = 100
MOST_MATCHES = 1_000_000
DEFAULT_MARGIN_S = 0.1
BESIDE_NAMES = 46
"""Signs that the other columns of a table take, as a rule."""
FEW = 0.02
"""Above this share of pairs that repeat others, of all matches, the report says so."""
MOST_MEETINGS = 15


@click.command(
    epilog=examples(
        "boardgames arena connect4 alphabeta:depth=4 greedy",
        "boardgames arena abalone alphabeta simple --time 0.1 --openings layouts",
        "boardgames arena connect4 random greedy alphabeta:depth=2 --matches 20",
        "boardgames arena connect4 alphabeta:depth=4 greedy --sprt 0,50",
        "boardgames arena connect4 random 'engine:command=\"python bot.py\"'",
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
@click.option(
    "--rounds", type=POSITIVE, metavar="N", help="Rounds of a Swiss; as many as leave one unbeaten."
)
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
@click.option("--depth", type=DEPTH, metavar="N", help="Plies an agent may look ahead.")
@click.option("--plies", type=POSITIVE, metavar="N", help="Draw after N plies.")
@click.option(
    "--sprt",
    metavar="ELO0,ELO1[,A,B]",
    help="Stop a series of two when it is clear which difference is nearer.",
)
@click.option(
    "--seed", type=NON_NEGATIVE, metavar="N", help="Make openings and chance repeatable; else drawn."
)
@click.option("--workers", type=POSITIVE, metavar="N", help="Processes; by default one a core.")
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
    from boardgames.executors import open_executor
    from boardgames.store import Store

    with redirect_stdout(sys.stderr), interrupt_on_termination(), Store() as store:
        with compile_notice():
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
        progress = f"{self.matches} of {self.planned} matches, {duration_text(elapsed)}"
        if played:
            left = (self.planned - self.matches) * elapsed / played
            progress += f", {played / elapsed:.1f} a second, {duration_text(left)} left"
        height = max(shutil.get_terminal_size().lines - 2, 1)
        lines = [*self.lines[: height - 1], progress]
        return Text("\n".join(lines), no_wrap=True, overflow="ellipsis")


# --- the report ---


def report_json(report: "Report") -> dict[str, object]:
    """Return a report as JSON has it."""
    share = report.first_side_share
    return {
        "game": report.game,
        "matches": report.matches,
        "planned": report.planned,
        "distinct": report.distinct,
        "repeated_pairs": report.repeated,
        "first_side_share": share if share is None else round(share, 6),
        "players": [_standing_json(standing) for standing in report.standings],
        "encounters": [
            {
                "first": report.standings[met.first].agent,
                "second": report.standings[met.second].agent,
                "wins": met.wins,
                "losses": met.losses,
                "draws": met.draws,
            }
            for met in report.crosstable
        ],
        "pairs": None if report.pairs is None else list(report.pairs.counts),
        "superiority": None if report.superiority is None else round(report.superiority, 6),
        "sprt": None if report.sprt is None else _sprt_json(report.sprt),
    }


def _standing_json(standing: "Standing") -> dict[str, object]:
    return {
        "agent": standing.agent,
        "wins": standing.wins,
        "losses": standing.losses,
        "draws": standing.draws,
        **estimate_json(standing.estimate),
        "faults": sum(standing.faults.values()),
        "faults_by_kind": dict(standing.faults),
    }


def _sprt_json(state: "SprtState") -> dict[str, object]:
    lower, upper = state.test.bounds
    return {
        "elo0": state.test.elo0,
        "elo1": state.test.elo1,
        "llr": round(state.llr, 4),
        "lower": round(lower, 4),
        "upper": round(upper, 4),
        "decision": state.decision,
    }


def report_lines(report: "Report", names: Sequence[str]) -> list[str]:
    """Return a report as lines of text, for a terminal of 80 columns; `names` are those of the agents."""
    ranked = report.ranked
    fitting = shorten_names(list(names), other_columns=BESIDE_NAMES)
    called = {standing.agent: name for standing, name in zip(report.standings, fitting, strict=True)}
    rows: list[tuple[str, ...]] = [("agent", "wins", "losses", "draws", "score", "Elo")]
    rows += [_row(standing, called) for standing in ranked]
    table = table_lines(rows, right=range(1, 6), cut=())
    lines = [_headline(report), "", *table, "", *_meetings(report, called), *_remarks(report, called)]
    while not lines[-1]:
        lines.pop()
    return lines


def _headline(report: "Report") -> str:
    parts = [f"{report.game}: {report.matches} matches"]
    if report.matches:
        parts.append(f"{report.distinct} distinct")
    if report.first_side_share is not None:
        parts.append(f"the first side has {report.first_side_share:.1%}")
    return ", ".join(parts)


def _row(standing: "Standing", called: "Mapping[str, str]") -> tuple[str, ...]:
    score = "" if standing.score is None else f"{standing.score:.1%}"
    elo = "?" if standing.estimate is None else str(standing.estimate)
    numbers = (standing.wins, standing.losses, standing.draws)
    return called[standing.agent], *map(str, numbers), score, elo


def _meetings(report: "Report", called: "Mapping[str, str]") -> list[str]:
    """Return who beat whom, where more than two have met and a screen can hold it."""
    if len(report.standings) == 2 or not 0 < len(report.crosstable) <= MOST_MEETINGS:
        return []
    names = [called[standing.agent] for standing in report.standings]
    rows = [
        (f"{names[met.first]} - {names[met.second]}", f"{met.wins}-{met.losses}-{met.draws}")
        for met in report.crosstable
    ]
    return ["wins, losses and draws of the first:", *table_lines(rows, right=[1], cut=[0]), ""]


def _remarks(report: "Report", called: "Mapping[str, str]") -> "Iterator[str]":
    if report.pairs is not None and report.pairs.count and report.superiority is not None:
        first = called[report.standings[0].agent]
        counts = " ".join(map(str, report.pairs.counts))
        yield f"pairs of {first} by points, 0 to 2 in halves: {counts}"
        yield f"likelihood that {first} is the stronger one: {report.superiority:.1%}"
    elif report.pairs is None and report.matches:
        yield "Elo is over the mean of all"
    if any(standing.estimate is None and standing.matches for standing in report.standings):
        yield "?: nothing compares these with the others, not even through others"
    for standing in report.standings:
        faults = ", ".join(f"{times} by {kind}" for kind, times in standing.faults.items() if times)
        if faults:
            yield f"{called[standing.agent]} lost {faults}: {printable(standing.reason)}"
    if report.sprt is not None:
        yield _sprt_line(report.sprt)
    if report.repeated > FEW * report.matches:
        yield (
            f"{report.repeated} of {report.matches // 2} pairs repeat another one: "
            "intervals are too narrow; take more openings"
        )


def _sprt_line(state: "SprtState") -> str:
    lower, upper = state.test.bounds
    accepted = {"H0": state.test.elo0, "H1": state.test.elo1}
    decision = "no decision yet"
    if state.decision is not None:
        decision = f"{state.decision} accepted: nearer to {accepted[state.decision]:+g} Elo"
    return f"{state.test}: ratio {state.llr:.2f} in [{lower:.2f}, {upper:.2f}], {decision}"
