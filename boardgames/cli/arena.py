"""`bg arena`: series of matches between agents, and how strong that shows them to be."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from boardgames.cli.common import (
    COUNT,
    EXIT_INTERRUPTED,
    SECONDS,
    WHOLE,
    estimate_json,
    examples,
    game_options,
    json_option,
    load_game,
    print_json,
)
from boardgames.cli.tables import fitting, table_lines
from boardgames.draw.text import printable
from boardgames.errors import OptionError

if TYPE_CHECKING:
    from boardgames.arena.arena import Arena
    from boardgames.arena.plan import Plan
    from boardgames.arena.report import Report, SprtState, Standing
    from boardgames.clock import TimeControl

REFRESH_S = 0.25
NO_FAULTS = "none"
BESIDE_NAMES = 46
"""Signs that the other columns of a table take, as a rule."""
DEFAULT_MATCHES = 100
DEFAULT_MARGIN_S = 0.1
FEW = 0.9
"""Below this share of distinct matches the report says that they repeat each other."""


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
    type=COUNT,
    default=DEFAULT_MATCHES,
    show_default=True,
    metavar="N",
    help="Matches of each two agents that meet; an even number.",
)
@click.option("--gauntlet", metavar="AGENT", help="This one, of the agents or besides, meets all others.")
@click.option("--swiss", is_flag=True, help="Rounds in which agents of equal score meet.")
@click.option("--rounds", type=COUNT, metavar="N", help="Rounds of a Swiss.")
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
@click.option("--nodes", type=COUNT, metavar="N", help="Positions an agent may visit for a move.")
@click.option("--depth", type=COUNT, metavar="N", help="Plies an agent may look ahead.")
@click.option("--plies", type=COUNT, metavar="N", help="Draw after N plies.")
@click.option("--sprt", metavar="ELO0,ELO1", help="Stop as soon as it is clear which difference is nearer.")
@click.option("--seed", type=WHOLE, metavar="N", help="Make openings and chance repeatable.")
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
    from boardgames.playing import Limit

    plan = Plan(
        game=game,
        agents=_with_champion(agents, gauntlet),
        matches=matches,
        schedule="gauntlet" if gauntlet is not None else "swiss" if swiss else "round-robin",
        rounds=rounds,
        openings=openings,
        limit=Limit(nodes=nodes, depth=depth),
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

    code = 0
    with redirect_stdout(sys.stderr), leaving_on_signals(), Store() as store:
        found = Arena(plan, seed=seed, store=store, fresh=fresh)
        if found.resumed:
            click.echo(f"bg: going on: {found.resumed} of {plan.planned} matches are there", err=True)
        try:
            with open_executor(workers, cluster=cluster) as executor, _live(found) as listener:
                found.run(executor, listener)
        except KeyboardInterrupt:
            code = EXIT_INTERRUPTED
        report = found.report()
    if as_json:
        print_json(**report_json(report), seed=found.seed)
    else:
        click.echo("\n".join(report_lines(report)))
    if code:
        click.echo(
            f"bg: interrupted after {found.matches} of {plan.planned} matches; the same command goes on",
            err=True,
        )
    return code


@contextmanager
def _live(arena: "Arena") -> "Iterator[Callable[[Arena], None] | None]":
    """Keep the report before the user's eyes on a terminal; yields what hears of news."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True, highlight=False)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        shown = started = time.monotonic()
        before = arena.matches

        def show(arena: "Arena") -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown < REFRESH_S:
                return
            shown = now
            speed = (arena.matches - before) / (now - started)
            live.update(_screen(arena, speed), refresh=True)

        live.update(_screen(arena, 0.0), refresh=True)
        yield show


def _screen(arena: "Arena", speed: float) -> Any:  # rich's text
    from rich.text import Text

    report = arena.report()
    left = (report.planned - arena.matches) / speed if speed else None
    progress = f"{arena.matches} of {report.planned} matches"
    if left is not None:
        progress += f", {speed:.1f} a second, {_duration(left)} left"
    return Text("\n".join([*report_lines(report), progress]), no_wrap=True, overflow="ellipsis")


def _duration(seconds: float) -> str:
    """Return a time in the largest two units.

    Examples
    --------
    >>> _duration(7), _duration(125), _duration(7300)
    ('7 s', '2 min 5 s', '2 h 1 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


# --- the report ----------------------------------------------------------------


def report_json(report: "Report") -> dict[str, object]:
    """Return a report as JSON has it."""
    share = report.first_side_share
    return {
        "game": report.game,
        "matches": report.matches,
        "planned": report.planned,
        "distinct": report.distinct,
        "first_side_share": share if share is None else round(share, 6),
        "players": [_standing_json(standing) for standing in report.standings],
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


def report_lines(report: "Report") -> list[str]:
    """Return a report as lines of text, for a terminal of 80 columns."""
    rows: list[tuple[str, ...]] = [("agent", "wins", "losses", "draws", "score", "Elo", "faults")]
    rows += [_row(standing) for standing in report.ranked]
    if all(row[-1] == NO_FAULTS for row in rows[1:]):
        rows = [row[:-1] for row in rows]
    lines = [_headline(report), "", *table_lines(rows, right=range(1, 6), cut=[6]), "", *_remarks(report)]
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


def _row(standing: "Standing") -> tuple[str, ...]:
    score = "" if standing.score is None else f"{standing.score:.1%}"
    elo = "?" if standing.estimate is None else str(standing.estimate)
    faults = ", ".join(f"{times} {kind}" for kind, times in standing.faults.items() if times)
    numbers = (standing.wins, standing.losses, standing.draws)
    name = fitting(printable(standing.agent), beside=BESIDE_NAMES)
    return name, *map(str, numbers), score, elo, faults or NO_FAULTS


def _remarks(report: "Report") -> Iterator[str]:
    if report.pairs is not None and report.pairs.count and report.superiority is not None:
        first = fitting(printable(report.standings[0].agent), beside=BESIDE_NAMES)
        counts = " ".join(map(str, report.pairs.counts))
        yield f"pairs of {first} by points, 0 to 2 in halves: {counts}"
        yield f"likelihood that {first} is the stronger one: {report.superiority:.1%}"
    if report.sprt is not None:
        yield _sprt_line(report.sprt)
    if report.matches and report.distinct < FEW * report.matches:
        yield (
            f"only {report.distinct} of {report.matches} matches are distinct: intervals are too narrow; "
            "take other openings"
        )


def _sprt_line(state: "SprtState") -> str:
    lower, upper = state.test.bounds
    accepted = {"H0": state.test.elo0, "H1": state.test.elo1}
    decision = "no decision yet"
    if state.decision is not None:
        decision = f"{state.decision} accepted: nearer to {accepted[state.decision]:+g} Elo"
    return f"{state.test}: ratio {state.llr:.2f} in [{lower:.2f}, {upper:.2f}], {decision}"
