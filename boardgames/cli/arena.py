"""`boardgames arena`: play series of matches between agents and rate the agents."""

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import partial
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from boardgames.cli.completion import complete_agent, complete_game
from boardgames.cli.continuing import Repeatable, add_continue_text, continue_text, same_command
from boardgames.cli.interrupts import interrupt_on_termination
from boardgames.cli.loading import load_game
from boardgames.cli.options import (
    DEPTH,
    NODES,
    NON_NEGATIVE,
    NON_NEGATIVE_SECONDS,
    POSITIVE,
    SECONDS,
    ForEachSide,
    Number,
    examples,
    game_options,
    increment_option,
    json_option,
    worker_options,
)
from boardgames.cli.output import count_text, estimate_json, print_json, say, shorten_names, table_lines
from boardgames.cli.program import EXIT_INTERRUPTED
from boardgames.cli.progress import new_bars
from boardgames.compiling import compilation_at_import
from boardgames.draw.text import printable
from boardgames.errors import BoardgamesError, ClusterError, OptionError, StoreError, WorkerError
from boardgames.options import spelled_out

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from boardgames.arena.arena import Arena
    from boardgames.arena.pentanomial import Estimate
    from boardgames.arena.plan import Plan
    from boardgames.arena.report import Report, Standing
    from boardgames.arena.sprt import SprtState
    from boardgames.clock import TimeControls
    from boardgames.store import Store

REFRESHES_PER_SECOND = 2
RATING_INTERVAL_S = 0.25
"""Seconds between two updates of the report: rating many agents takes time."""
DEFAULT_MATCHES = 100
MAX_MATCHES = 1_000_000
DEFAULT_MARGIN_S = 0.1
OTHER_COLUMNS = 46
"""Typical width of the columns beside the names."""
REPEATED_SHARE = 0.02
"""The report warns if the number of repeated pairs exceeds this share of the number of matches."""
MAX_ENCOUNTERS = 15
FRESH = ("--fresh",)


@click.command(
    cls=Repeatable,
    epilog=examples(
        "boardgames arena connect4 alphabeta:depth=4 greedy",
        "boardgames arena abalone alphabeta simple --time 0.1 --openings layouts",
        "boardgames arena connect4 random greedy alphabeta:depth=2 --matches 20",
        "boardgames arena connect4 alphabeta:depth=4 greedy --sprt 0,50",
        "boardgames arena connect4 random 'engine:command=\"python bot.py\"'",
    ),
)
@click.argument("game_name", metavar="GAME", shell_complete=complete_game)
@click.argument("agents", nargs=-1, metavar="AGENT AGENT...", shell_complete=complete_agent)
@click.option(
    "--matches",
    type=Number(int, 1, MAX_MATCHES),
    default=DEFAULT_MATCHES,
    show_default=True,
    metavar="N",
    help="Matches per pairing; an even number.",
)
@click.option(
    "--gauntlet",
    metavar="AGENT",
    shell_complete=complete_agent,
    help="Gauntlet: this agent plays all the others.",
)
@click.option("--swiss", is_flag=True, help="Swiss system: agents with similar scores meet.")
@click.option(
    "--rounds",
    type=POSITIVE,
    metavar="N",
    help="Rounds of the Swiss system; default: log2 of the number of agents, rounded up.",
)
@game_options
@click.option(
    "--openings",
    default="random:4",
    show_default=True,
    metavar="OPENINGS",
    help="random:PLIES, every:PLIES, layouts, the name of a suite of the game, or a file of positions.",
)
@click.option("--time", "move_time", type=SECONDS, metavar="S", help="Seconds per move.")
@click.option(
    "--clock",
    type=ForEachSide(SECONDS),
    metavar="S[,S]",
    help="Seconds that each side has for a match; two numbers set the sides separately.",
)
@increment_option
@click.option(
    "--margin",
    type=NON_NEGATIVE_SECONDS,
    default=DEFAULT_MARGIN_S,
    show_default=True,
    metavar="S",
    help="Seconds by which a move may exceed --time before the agent loses.",
)
@click.option("--nodes", type=NODES, metavar="N", help="Nodes an agent may search per move.")
@click.option("--depth", type=DEPTH, metavar="N", help="Search depth of the agents in plies.")
@click.option("--plies", type=POSITIVE, metavar="N", help="End a match after N plies, usually in a draw.")
@click.option(
    "--repetition",
    metavar="RULE",
    help="What a repeated position means: draw, loss (for the side that repeats it), forbidden or none; "
    "draw:4 is a draw at the fourth occurrence. Default: the game's own rule, or else draw:3.",
)
@click.option(
    "--resign",
    metavar="RULE",
    help="With score=3,moves=4, an agent loses once it has expected to be 3 behind, or to lose, for 4 moves "
    "in a row. Default: off.",
)
@click.option(
    "--draw",
    metavar="RULE",
    help="With score=0.1,moves=8,after=40 a match is drawn if neither agent has expected a lead of more than "
    "0.1 in its last 8 moves, from ply 40 on. Default: off.",
)
@click.option(
    "--points-at-limit",
    is_flag=True,
    help="If a match ends at a ply limit, the side with more points wins.",
)
@click.option(
    "--sprt",
    metavar="ELO0,ELO1[,A,B]",
    help="Two agents: stop when a sequential test accepts ELO0 or ELO1; A and B are its error rates.",
)
@click.option("--seed", type=NON_NEGATIVE, metavar="N", help="Seed for openings and agents; default: random.")
@worker_options
@click.option(*FRESH, is_flag=True, help="Start over even if the same arena was interrupted.")
@click.option(
    "--no-store", is_flag=True, help="Do not store matches; an interrupted arena then cannot be resumed."
)
@json_option
@click.pass_context
@compilation_at_import()
def arena(
    context: click.Context,
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
    clock: float | tuple[float, float] | None,
    increment: float | tuple[float, float] | None,
    margin: float,
    nodes: int | None,
    depth: int | None,
    plies: int | None,
    repetition: str | None,
    resign: str | None,
    draw: str | None,
    points_at_limit: bool,
    sprt: str | None,
    seed: int | None,
    workers: int | None,
    cluster: str | None,
    fresh: bool,
    no_store: bool,
    as_json: bool,
) -> None:
    """Play matches of GAME between AGENTs and rate the agents.

    Every opening is played twice, with sides exchanged. All agents meet each
    other unless --gauntlet or --swiss is given. Matches are stored as they
    end: after an interruption, the same command continues where it stopped.

    Elo is the difference to the opponent, or to the average of all if there
    are more than two agents, with a 95% confidence interval. An agent that
    won every match has only a lower bound: "> +X".
    """
    if gauntlet is not None and swiss:
        raise OptionError("give --gauntlet or --swiss, not both")
    game = load_game(game_name, layout, options)
    from boardgames.adjudication import Adjudication, DrawRule, ResignRule
    from boardgames.arena.plan import Plan
    from boardgames.arena.sprt import Sprt
    from boardgames.player import Limit

    if move_time is None and context.get_parameter_source("margin") is not ParameterSource.DEFAULT:
        raise OptionError("--margin is added to --time: give --time too, or leave out --margin")
    plan = Plan(
        game=game,
        agents=_with_champion(agents, gauntlet),
        matches=matches,
        schedule="gauntlet" if gauntlet is not None else "swiss" if swiss else "round-robin",
        rounds=rounds,
        openings=openings,
        limit=Limit(seconds=move_time, nodes=nodes, depth=depth),
        time=_time_controls(move_time, clock, increment, margin),
        ply_limit=plies,
        repetition=repetition or "",
        adjudication=Adjudication(
            None if resign is None else ResignRule.parse(resign),
            None if draw is None else DrawRule.parse(draw),
            points=points_at_limit,
        ),
        sprt=None if sprt is None else Sprt.parse(sprt),
    )
    if no_store and fresh:
        raise OptionError("--fresh applies to stored matches; it does not work with --no-store")
    with _open_store(no_store) as store:
        context.exit(_play(plan, seed, workers, cluster, fresh, as_json, store))


def _with_champion(agents: tuple[str, ...], champion: str | None) -> tuple[str, ...]:
    """Return the agents, beginning with the agent that plays the gauntlet."""
    if champion is None:
        return agents
    champion, others = spelled_out(champion), list(map(spelled_out, agents))
    if champion in others:
        others.remove(champion)
    return champion, *others


def _time_controls(
    move: float | None,
    clock: float | tuple[float, float] | None,
    increment: float | tuple[float, float] | None,
    margin: float,
) -> "TimeControls":
    from boardgames.clock import TimeControl
    from boardgames.match_setup import pair

    first, second = (
        TimeControl(
            move=None if move is None else move + margin, match=seconds, increment=added, margin=margin
        )
        for seconds, added in zip(pair(clock), pair(increment or 0.0), strict=True)
    )
    return first, second


@contextmanager
def _open_store(is_off: bool) -> "Iterator[Store | None]":
    """Open the user's store; yields None if matches are not to be stored."""
    from boardgames.store import Store

    if is_off:
        yield None
        return
    try:
        store = Store()
    except StoreError as error:
        error.args = (f"{error}; --no-store plays without storing matches",)
        raise
    with store:
        yield store


def _play(
    plan: "Plan",
    seed: int | None,
    workers: int | None,
    cluster: str | None,
    fresh: bool,
    as_json: bool,
    store: "Store | None",
) -> int:
    """Play the remaining matches, print the report and return the exit code."""
    from boardgames.arena.arena import Arena
    from boardgames.executors import open_executor

    with redirect_stdout(sys.stderr), interrupt_on_termination():
        arena = Arena(plan, seed=seed, store=store, fresh=fresh)
        if arena.resumed:
            say(f"resuming: {arena.resumed} of {plan.planned} matches are already played", err=True)
        try:
            announce = partial(say, err=True)
            with (
                open_executor(workers, cluster=cluster, announce=announce) as executor,
                _live_report(arena, executor) as listener,
            ):
                arena.run(executor, listener)
        except KeyboardInterrupt:
            with redirect_stdout(sys.__stdout__):
                _print_report(arena, as_json)
            message = f"interrupted after {arena.matches} of {plan.planned} matches"
            how = "" if store is None else f"; {continue_text(same_command(without=FRESH))}"
            say(f"{message}{how}", err=True)
            return EXIT_INTERRUPTED
        except BoardgamesError as error:
            if arena.matches and not as_json:  # show the results so far, for example if the disk is full
                with redirect_stdout(sys.__stdout__):
                    _print_report(arena, as_json)
            if store is not None and arena.matches and isinstance(error, ClusterError | WorkerError):
                add_continue_text(error, same_command(without=FRESH))
            raise
    _print_report(arena, as_json)
    return 0


def _print_report(arena: "Arena", as_json: bool) -> None:
    report = arena.report()
    if as_json:
        print_json(**report_json(report), seed=arena.seed)
    else:
        say("\n".join([*report_lines(report, arena.names), f"seed {arena.seed}"]))


@contextmanager
def _live_report(arena: "Arena", executor: "Executor") -> "Iterator[Callable[[Arena], None] | None]":
    """Show a progress bar above the report so far; yields the listener that updates them."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    from boardgames.executors import worker_progress

    console = Console(stderr=True, highlight=False)
    bars = new_bars(console, partial(worker_progress, executor))
    task = bars.add_task("matches", total=arena.plan.planned, completed=arena.matches)
    report, rated = Text(), -math.inf

    def update(arena: "Arena") -> None:
        nonlocal report, rated
        bars.update(task, completed=arena.matches)
        if time.monotonic() - rated >= RATING_INTERVAL_S:
            text = "\n".join(report_lines(arena.report(), arena.names))
            report = Text(text, no_wrap=True, overflow="ellipsis")
            rated = time.monotonic()

    update(arena)
    with Live(
        console=console,
        get_renderable=lambda: Group(bars, report),
        refresh_per_second=REFRESHES_PER_SECOND,
        transient=True,
    ):
        yield update


# --- the report --------------------------------------------------------------


def report_json(report: "Report") -> dict[str, object]:
    """Return a report as a JSON object."""
    share = report.first_side_share
    return {
        "game": report.game,
        "matches": report.matches,
        "planned": report.planned,
        "distinct": report.distinct,
        "repeated_pairs": report.repeated,
        "adjudicated": report.adjudicated,
        "first_side_share": share if share is None else round(share, 6),
        "players": [_standing_json(standing) for standing in report.standings],
        "encounters": [
            {
                "first": report.standings[entry.first].agent,
                "second": report.standings[entry.second].agent,
                "wins": entry.wins,
                "losses": entry.losses,
                "draws": entry.draws,
            }
            for entry in report.crosstable
        ],
        "pairs": None if report.pairs is None else report.pairs.counts,
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
        "faults_by_kind": standing.faults,
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
    """Return a report as lines of text; `names` are the agents in the order of the standings."""
    ranked = report.ranked
    short = shorten_names(list(names), other_columns=OTHER_COLUMNS)
    labels = {standing.agent: name for standing, name in zip(report.standings, short, strict=True)}
    rows: list[tuple[str, ...]] = [("agent", "wins", "losses", "draws", "score", "Elo")]
    rows += [_row(standing, labels) for standing in ranked]
    table = table_lines(rows, right=range(1, 6), cut=())
    lines = [_headline(report), "", *table, "", *_encounter_lines(report, labels), *_remarks(report, labels)]
    while not lines[-1]:
        lines.pop()
    return lines


def _headline(report: "Report") -> str:
    parts = [f"{report.game}: {report.matches} matches"]
    if report.matches:
        parts.append(f"{report.distinct} distinct")
    if report.adjudicated:
        parts.append(f"{report.adjudicated} adjudicated")
    if report.first_side_share is not None:
        parts.append(f"the first side scores {report.first_side_share:.1%}")
    return ", ".join(parts)


def _row(standing: "Standing", labels: "Mapping[str, str]") -> tuple[str, ...]:
    score = "" if standing.score is None else f"{standing.score:.1%}"
    elo = "?" if standing.estimate is None else str(standing.estimate)
    numbers = (standing.wins, standing.losses, standing.draws)
    return labels[standing.agent], *map(str, numbers), score, elo


def _encounter_lines(report: "Report", labels: "Mapping[str, str]") -> list[str]:
    """Return the results of each pairing, unless there is only one pairing or too many to read."""
    if len(report.standings) == 2 or not 0 < len(report.crosstable) <= MAX_ENCOUNTERS:
        return []
    names = [labels[standing.agent] for standing in report.standings]
    rows = [
        (f"{names[entry.first]} - {names[entry.second]}", f"{entry.wins}-{entry.losses}-{entry.draws}")
        for entry in report.crosstable
    ]
    return ["wins, losses and draws of the first agent:", *table_lines(rows, right=[1], cut=[0]), ""]


def _remarks(report: "Report", labels: "Mapping[str, str]") -> "Iterator[str]":
    from boardgames.game import Termination

    if report.pairs is not None and report.pairs.count and report.superiority is not None:
        leader = report.ranked[0]
        is_first = leader == report.standings[0]  # the report has the view of the agent that was named first
        pairs = report.pairs if is_first else report.pairs.reversed()
        superiority = report.superiority if is_first else 1 - report.superiority
        name, counts = labels[leader.agent], " ".join(map(str, pairs.counts))
        yield _lead(name, leader.estimate)
        yield f"pairs in which {name} scored 0, 0.5, 1, 1.5 and 2: {counts}"
        likelihood = f"{superiority:.1%}"
        yield f"likelihood that {name} is stronger: {likelihood if likelihood != '100.0%' else 'over 99.9%'}"
    elif report.pairs is None and report.matches:
        yield from _lead_in_field(report.ranked, labels)
        yield "Elo is relative to the average of all agents"
    if any(standing.estimate is None and standing.matches for standing in report.standings):
        yield "?: no chain of matches with wins and losses links these agents to the others"
    for standing in report.standings:
        faults = ", ".join(
            f"{count_text(times, 'match', 'matches')}{Termination(reason).ending}"
            for reason, times in standing.faults.items()
            if times
        )
        if faults:
            yield f"{labels[standing.agent]} lost {faults}; first reason: {printable(standing.reason)}"
    if report.sprt is not None:
        yield _sprt_line(report.sprt)
    if report.repeated > REPEATED_SHARE * report.matches:
        yield (
            f"{report.repeated} of {report.matches // 2} pairs repeat an earlier one: "
            "the intervals are too narrow; use more openings"
        )


def _lead(name: str, estimate: "Estimate | None") -> str:
    """Say by how much the better of two agents leads."""
    if estimate is None or round(estimate.elo) == 0:
        return "neither agent leads"
    if estimate.low is None or estimate.high is None:
        bound = round(estimate.low or 0)
        if bound <= 0:
            return f"{name} has won every match, but too few were played to say by how much it leads"
        return f"{name} has won every match and leads by more than {bound} Elo"
    lead, low, high = map(round, (estimate.elo, estimate.low, estimate.high))
    if low <= 0:
        return f"{name} leads by {lead} Elo, but that may be chance: the interval contains 0"
    return f"{name} leads by {lead} Elo, with 95% confidence by {low} to {high}"


def _lead_in_field(ranked: "Sequence[Standing]", labels: "Mapping[str, str]") -> "Iterator[str]":
    """Say which of several agents leads, and how far it is above the average."""
    elo = [None if one.estimate is None else round(one.estimate.elo) for one in ranked]
    if (lead := elo[0]) is None:
        return
    leaders = [labels[one.agent] for one, value in zip(ranked, elo, strict=True) if value == lead]
    if len(leaders) == len(ranked):
        yield "no agent leads"
    elif len(leaders) > 1:
        yield f"{', '.join(leaders[:-1])} and {leaders[-1]} lead, {lead} Elo above the average"
    else:
        yield f"{leaders[0]} leads, {lead} Elo above the average"


def _sprt_line(state: "SprtState") -> str:
    lower, upper = state.test.bounds
    accepted = {"H0": state.test.elo0, "H1": state.test.elo1}
    decision = "no decision yet"
    if state.decision is not None:
        decision = f"{state.decision} accepted: the difference is nearer to {accepted[state.decision]:+g} Elo"
    return f"{state.test}: log-likelihood ratio {state.llr:.2f} in [{lower:.2f}, {upper:.2f}], {decision}"
