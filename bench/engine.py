"""Measure the search of Abalone: speed, depth, threads, limits, and what each of its means is worth.

Figures of time come from positions of one match, so that no single one decides.
"""

import statistics
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import boardgames
from boardgames.game import Position
from boardgames.player import NO_CONTEXT, Analysis, Context, Limit, Player, Stop
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher

Row = tuple[str, str, str]

GAME = boardgames.load("abalone")
PLIES = range(4, 44, 5)
"""Of a match from the belgian daisy, at which its positions are searched."""
ABLATION_DEPTH = 8
THREADS_DEPTH = 13
"""Searches of a second: shorter ones end before the threads have told each other much."""
WITHOUT: tuple[dict[str, object], ...] = (
    {},
    {"table": 0},
    {"pvs": False},
    {"aspiration": False},
    {"killers": False},
    {"history": False},
    {"null_move": False},
    {"extensions": False},
    {"quiescence": 0},
    {"repetition": False},
    {"lmr": False, "futility": False, "null_move": False},
)


def speed(runs: int) -> Iterator[Row]:
    """Search the belgian daisy to some depths, and count positions."""
    start = GAME.start()
    for depth, bar in ((6, "0.25"), (8, "3"), (10, "")):
        found = [_searched(start, Limit(depth=depth)) for _ in range(runs)]
        yield f"alphabeta abalone to depth {depth}", _shown([one.seconds for one in found], "s"), bar
    whole = [
        _searched(start, Limit(depth=6), lmr=False, futility=False, null_move=False) for _ in range(runs)
    ]
    rates = [one.nodes / one.seconds / 1e6 for one in whole]
    yield "the same, nothing reduced, to depth 6", _shown(rates, "million nodes/s"), "5"
    found = [_searched(start, Limit(nodes=3_000_000)) for _ in range(runs)]
    yield "alphabeta abalone", _shown([one.nodes / one.seconds / 1e6 for one in found], "million nodes/s"), ""


def threads(runs: int) -> Iterator[Row]:
    """Compare the time to a depth of one thread and of two: geometric means over positions."""
    limit, ratios = Limit(depth=THREADS_DEPTH), []
    for _ in range(runs):
        found = [
            [_searched(position, limit, threads=count).seconds for count in (1, 2)]
            for position in positions()
        ]
        ratios.append(statistics.geometric_mean(one / two for one, two in found))
    yield f"two threads reach depth {THREADS_DEPTH} sooner by", _shown(ratios, "times"), "1.4"


def limits(runs: int) -> Iterator[Row]:
    """Measure by how much limits of time are overshot, and how soon a search stops when told."""
    over, late = [], []
    player = boardgames.load_player("alphabeta:time=60,book=false", GAME)
    for position in positions():
        for seconds in (0.05, 0.1, 0.2):
            player.match_started(0)  # an empty table: a full one may settle the search at once
            begun = time.perf_counter()
            player.choose(position, Limit(seconds=seconds))
            over.append(1e3 * (time.perf_counter() - begun - seconds))
            late.append(1e3 * _told_to_stop(player, position))
    yield "a limit of time is overshot by", _shown(over, "ms"), "< 20"
    yield "from stop to the answer", _shown(late, "ms"), "< 10"


def ablation(runs: int) -> Iterator[Row]:
    """Search positions of a match with each of the means switched off."""
    whole: list[Analysis] = []
    for without in WITHOUT:
        found = [_searched(position, Limit(depth=ABLATION_DEPTH), **without) for position in positions()]
        whole = whole or found
        nodes, seconds = (
            sum(getattr(one, name) for one in found) / sum(getattr(one, name) for one in whole)
            for name in ("nodes", "seconds")
        )
        name = ", ".join(f"{key}={str(value).lower()}" for key, value in without.items()) or "all means"
        figure = f"{nodes:.2f} times the nodes, {seconds:.2f} times the seconds"
        yield f"to depth {ABLATION_DEPTH}, {name}", figure, ""


def positions() -> list[Position]:
    """Return positions of a match that the search plays against itself, the same ones every time."""
    random = np.random.default_rng(5)
    searcher = Searcher(GAME, GAME.evaluation, SearchOptions(table=1))
    position, found = GAME.start(), []
    for ply in range(max(PLIES) + 1):
        if ply in PLIES:
            found.append(position)
        if ply < PLIES.start:
            moves = position.legal_moves
            position = position.apply(moves[int(random.integers(len(moves)))])
        else:
            position = position.apply(searcher.search(position, Limit(nodes=3000), NO_CONTEXT).moves[0].move)
    return found


def _searched(position: Position, limit: Limit, **options: object) -> Analysis:
    """Return a search that knows nothing of earlier ones; its buffers are there already."""
    searcher = Searcher(GAME, GAME.evaluation, replace(SearchOptions(), **options))  # type: ignore[arg-type]  # of any kind
    searcher.search(position, Limit(depth=2), NO_CONTEXT)
    searcher.forget()
    return searcher.search(position, limit, NO_CONTEXT)


def _told_to_stop(player: Player, position: Position) -> float:
    """Return the seconds from another thread's wish to the answer."""
    stop, told = Stop(), []

    def tell() -> None:
        told.append(time.perf_counter())
        stop.set()

    timer = threading.Timer(0.1, tell)
    timer.start()
    player.match_started(0)
    player.choose(position, context=Context(stop=stop))
    return time.perf_counter() - told[0]


def _shown(figures: list[float], unit: str) -> str:
    digits = 3 if unit == "s" else 2
    low, middle, high = min(figures), statistics.median(figures), max(figures)
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f}) {unit}"
