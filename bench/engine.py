"""Measure the search in Abalone: speed, threads, limits, and the effect of each option.

Times are measured in several positions of one match, so that they do not depend on
a single position.
"""

import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

import numpy as np

import boardgames
from boardgames.game import Move, Position
from boardgames.kernels import Reals, Words, kernel, row, types
from boardgames.kernels.abi import REALS, WORDS_STACK
from boardgames.player import NO_CONTEXT, Analysis, Context, Limit, Player, Stop
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher
from boardgames_abalone.evaluation import engine_evaluation

PASSES = 100
"""Number of passes over the positions; the fastest pass counts, since others may have been interrupted."""
Row = tuple[str, str, str]
"""A line of results: what was measured, the result, and the target."""

GAME = boardgames.load("abalone")
PLIES = range(4, 44, 5)
"""Plies of a match from the Belgian daisy after which the positions are searched."""
ABLATION_DEPTH = 8
THREADS_DEPTH = 13
"""Searches to this depth take about a second; in shorter searches, a second thread hardly helps."""
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
    """Measure the time to several depths, and nodes per second, from the Belgian daisy."""
    start = GAME.start()
    for depth, target in ((6, "0.25"), (8, "3"), (10, "")):
        seconds = [_search(start, Limit(depth=depth)).seconds for _ in range(runs)]
        yield f"alphabeta abalone to depth {depth}", summary(seconds, "s"), target
    exact = {"lmr": False, "futility": False, "null_move": False}
    searches = [_search(start, Limit(depth=6), **exact) for _ in range(runs)]
    rates = [search.nodes / search.seconds / 1e6 for search in searches]
    yield "the same to depth 6 without selective search", summary(rates, "million nodes/s"), "5"
    searches = [_search(start, Limit(nodes=3_000_000)) for _ in range(runs)]
    rates = [search.nodes / search.seconds / 1e6 for search in searches]
    yield "alphabeta abalone", summary(rates, "million nodes/s"), ""


def evaluation(runs: int) -> Iterator[Row]:
    """Measure the evaluation `engine` and the default, `shapes`, alone and in searches."""
    engine = engine_evaluation()
    shapes = GAME.evaluation
    found = np.array([words for seed in range(10) for words in _random_match(seed)])
    played, limit = positions(), Limit(nodes=300_000)
    times: dict[str, list[float]] = {"engine": [], "shapes": []}
    rates: dict[str, list[float]] = {"engine": [], "shapes": []}
    for _ in range(runs):
        for name, one in (("engine", engine), ("shapes", shapes)):
            evaluate = _evaluate_all(one.kernel)
            passes = []
            for _ in range(PASSES):
                started = time.perf_counter()
                evaluate(found, one.argument)
                passes.append(1e9 * (time.perf_counter() - started) / len(found))
            times[name].append(min(passes))
            searcher = Searcher(GAME, one, SearchOptions())
            searcher.search(GAME.start(), Limit(depth=2), NO_CONTEXT)
            started = time.process_time()
            nodes = sum(searcher.search(position, limit, NO_CONTEXT).nodes for position in played)
            rates[name].append(nodes / (time.process_time() - started) / 1e6)
    for what, unit, figures in (
        ("time of an evaluation", "ns", times),
        ("alphabeta, processor time", "million nodes/s", rates),
    ):
        for name in ("engine", "shapes"):
            yield f"{what}, `{name}`", summary(figures[name], unit), ""
        ratios = [one / other for one, other in zip(figures["shapes"], figures["engine"], strict=True)]
        yield f"{what}, `shapes` divided by `engine`", summary(ratios, "x"), ""


@cache
def _evaluate_all(evaluate: Callable[[Words, Reals], float]) -> Callable[[Words, Reals], float]:
    """Return a kernel that evaluates all positions of a stack."""

    @kernel(types.float64(WORDS_STACK, REALS))
    def evaluate_all(stack: Words, weights: Reals) -> float:
        total = 0.0
        for index in range(stack.shape[0]):
            total += evaluate(row(stack, index), weights)
        return total

    return evaluate_all


def _random_match(seed: int) -> Iterator[Words]:
    """Yield the positions of the first plies of a random match."""
    random, position = np.random.default_rng(seed), GAME.start()
    for _ in range(100):
        position = position.apply(Move(int(random.choice(position.actions)), ""))
        yield position.words


def threads(runs: int) -> Iterator[Row]:
    """Measure the speed-up with two threads, as the geometric mean over positions.

    As a control, two searches with one thread each run side by side. If these do not get two free cores, two
    threads cannot be faster than one thread either.
    """
    limit = Limit(depth=THREADS_DEPTH)
    speed_ups: list[float] = []
    controls: list[float] = []
    nodes: list[float] = []
    for _ in range(runs):
        ratios = []
        for position in positions():
            one, two = (_search(position, limit, threads=count) for count in (1, 2))
            with ThreadPoolExecutor(2) as pool:
                beside = list(pool.map(_search, (position, position), (limit, limit)))
            slower = max(search.seconds for search in beside)
            ratios.append((one.seconds / two.seconds, 2 * one.seconds / slower, two.nodes / one.nodes))
        for figures, column in zip((speed_ups, controls, nodes), zip(*ratios, strict=True), strict=True):
            figures.append(statistics.geometric_mean(column))
    yield f"speed-up to depth {THREADS_DEPTH} with two threads", summary(speed_ups, "x"), "1.4"
    yield "the same, two searches side by side (2 if both cores are free)", summary(controls, "x"), ""
    yield "nodes of two threads, relative to one", summary(nodes, "x"), ""


def limits(runs: int) -> Iterator[Row]:
    """Measure by how much time limits are exceeded, and how quickly a search stops."""
    excess, delays = [], []
    player = boardgames.load_player("alphabeta:time=60,book=false", GAME)
    for position in positions():
        for seconds in (0.05, 0.1, 0.2):
            player.match_started(0)  # clear the table, which could answer immediately
            started = time.perf_counter()
            player.choose(position, Limit(seconds=seconds))
            excess.append(1e3 * (time.perf_counter() - started - seconds))
            delays.append(1e3 * _stop_delay(player, position))
    yield "time limit exceeded by", summary(excess, "ms"), "< 20"
    yield "time from stop to the answer", summary(delays, "ms"), "< 10"


def ablation(runs: int) -> Iterator[Row]:
    """Compare the default search with searches in which one option is switched off."""
    default: list[Analysis] = []
    for without in WITHOUT:
        searches = [_search(position, Limit(depth=ABLATION_DEPTH), **without) for position in positions()]
        default = default or searches
        nodes, seconds = (
            sum(getattr(search, name) for search in searches)
            / sum(getattr(search, name) for search in default)
            for name in ("nodes", "seconds")
        )
        name = ", ".join(f"{key}={str(value).lower()}" for key, value in without.items()) or "default options"
        yield f"to depth {ABLATION_DEPTH}, {name}", f"{nodes:.2f} x nodes, {seconds:.2f} x seconds", ""


def positions() -> list[Position]:
    """Return positions of a match of the search against itself, which are the same in every run."""
    random = np.random.default_rng(5)
    searcher = Searcher(GAME, GAME.evaluation, SearchOptions(table=1))
    position, selected = GAME.start(), []
    for ply in range(max(PLIES) + 1):
        if ply in PLIES:
            selected.append(position)
        if ply < PLIES.start:
            moves = position.legal_moves
            position = position.apply(moves[int(random.integers(len(moves)))])
        else:
            position = position.apply(searcher.search(position, Limit(nodes=3000), NO_CONTEXT).moves[0].move)
    return selected


def summary(figures: list[float], unit: str) -> str:
    """Return the median, minimum and maximum of measurements as text."""
    middle, low, high = statistics.median(figures), min(figures), max(figures)
    digits = 0 if middle >= 100 else 3 if unit == "s" else 2
    return f"{middle:,.{digits}f} ({low:,.{digits}f} to {high:,.{digits}f}) {unit}"


def measure_process(arguments: list[str], environment: dict[str, str] | None = None) -> tuple[float, float]:
    """Return the run time in seconds and the peak memory in MiB of a new Python process.

    It is started by a small process, because the memory of the starting process would count as its own.
    """
    script = (
        "import resource, subprocess, sys, time\n"
        "started = time.perf_counter()\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "seconds = time.perf_counter() - started\n"
        "print(seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-c", script, sys.executable, *arguments]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    seconds, peak = done.stdout.split()
    return float(seconds), int(peak) / (1024**2 if sys.platform == "darwin" else 1024)


def _search(position: Position, limit: Limit, **options: object) -> Analysis:
    """Search a position with an empty table, but with buffers already allocated."""
    searcher = Searcher(GAME, GAME.evaluation, replace(SearchOptions(), **options))  # type: ignore[arg-type]  # any option
    searcher.search(position, Limit(depth=2), NO_CONTEXT)
    searcher.forget()
    return searcher.search(position, limit, NO_CONTEXT)


def _stop_delay(player: Player, position: Position) -> float:
    """Return the seconds from a stop request in another thread to the answer."""
    stop, requested = Stop(), []

    def request() -> None:
        requested.append(time.perf_counter())
        stop.set()

    timer = threading.Timer(0.1, request)
    timer.start()
    player.match_started(0)
    player.choose(position, context=Context(stop=stop))
    return time.perf_counter() - requested[0]
