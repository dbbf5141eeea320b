"""Measure the data structures, the solver and the agents of Hexifence.

The solver is measured in CPU time of one thread, with an empty transposition table. Its positions
arise from drawing random safe edges, so nothing has been sacrificed yet.
"""

import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from engine import Row, measure_process, summary

import boardgames
from boardgames.game import Game, Position
from boardgames.kernels import Actions, kernel, types
from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT
from boardgames.player import Limit, Stop
from boardgames_hexifence.edges import make, member, new_edge_set, number_of, unmake
from boardgames_hexifence.features import SAFE
from boardgames_hexifence.solver import Solver, small

PAIRS = 10_000_000
ORDERS = 100
TARGET_DIMENSION = 3
EMPTY_BOARD = -3
"""The value of the empty board of dimension 2."""
POSITIONS = ((3, 34, 1, "90"), (3, 36, 3, "90"), (4, 52, 1, "60"), (5, 72, 1, ""))
"""Dimension, number of open edges, seconds, and the target percentage of positions solved in that time."""
POSITIONS_PER_RUN, FEWEST_POSITIONS = 10, 30
LONGEST_S = 20
"""Time limit for a position; one that takes longer counts as not solved."""
SEED = 1
RANDOM_PLIES, LONGEST_MATCHES_S = 4, 30
LARGE_DIMENSION, MAX_DIMENSION = 6, 8
QUICK_MOVES = 5
"""Number of positions of a match in which moves are timed, each with three time limits."""


def edge_sets(runs: int) -> Iterator[Row]:
    """Measure how fast all edges are drawn in random orders and taken back."""

    @kernel(types.int64(ACTIONS_OUT, ACTIONS))
    def draw_and_take_back(edge_set: Actions, order: Actions) -> int:
        captured = 0
        for edge in order:
            captured += make(edge_set, edge)
        for edge in order[::-1]:
            captured -= unmake(edge_set, edge)
        return captured

    for dimension in (2, TARGET_DIMENSION, 6):
        start, generator = boardgames.load("hexifence", dimension=dimension).start(), np.random.default_rng(1)
        edges = len(start.legal_moves)
        edge_set, rates = new_edge_set(start.words), []
        orders = [generator.permutation(edges) for _ in range(ORDERS)]
        for _ in range(runs + 1):
            started = time.perf_counter()
            for turn in range(PAIRS // edges):
                draw_and_take_back(edge_set, orders[turn % ORDERS])
            rates.append(PAIRS // edges * edges / (time.perf_counter() - started) / 1e6)
        target = "10" if dimension == TARGET_DIMENSION else ""
        yield f"edge set, dimension {dimension}", summary(rates[1:], "million makes and unmakes/s"), target


def table(runs: int) -> Iterator[Row]:
    """Measure how fast the table of dimension 2 is built and read, in new processes and in this one."""
    arguments = ["-c", "from boardgames_hexifence.solver.small import all_values; all_values()"]
    cases = (
        ("table of dimension 2, a process that compiles and builds", "< 10"),
        ("the same with compiled kernels", "< 5"),
        ("the same with the table in the cache folder", ""),
    )
    figures: list[list[tuple[float, float]]] = [[], [], []]
    building, reading = [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "BOARDGAMES_HOME": folder}
            figures[0].append(measure_process(arguments, environment))
            for path in Path(folder).rglob(small.FILE):
                path.unlink()
            figures[1].append(measure_process(arguments, environment))
            figures[2].append(measure_process(arguments, environment))
            path = Path(folder, small.FILE)
            building.append(_seconds_to_load(path))
            reading.append(_seconds_to_load(path))
    for (title, target), measured in zip(cases, figures, strict=True):
        yield title, summary([seconds for seconds, _ in measured], "s"), target
        memory_target = "< 191 (200 MB)" if target else ""
        yield "the same, peak memory", summary([peak for _, peak in measured], "MiB"), memory_target
    yield "building and writing the table, in a running process", summary(building, "s"), ""
    yield "reading it", summary(reading, "s"), ""


def solver(runs: int) -> Iterator[Row]:
    """Measure the solver on the empty board of dimension 2 without its table, and on random positions."""
    game = boardgames.load("hexifence", dimension=small.DIMENSION)
    empty_board, times = Solver(game, all_values=False), []
    for _ in range(runs + 1):
        empty_board.clear()
        started = time.process_time()
        assert empty_board.values([game.start()]) == [EMPTY_BOARD]
        times.append(time.process_time() - started)
    yield "empty board of dimension 2 by search", summary(times[1:], "s"), "< 0.5"
    yield "the same, nodes", f"{empty_board.nodes:,}", ""
    for case in POSITIONS:
        yield from _random_positions(max(runs * POSITIONS_PER_RUN, FEWEST_POSITIONS), *case)


def agents(runs: int) -> Iterator[Row]:
    """Measure how long agents take for a move in matches against `double`."""
    game = boardgames.load("hexifence", dimension=TARGET_DIMENSION)
    yield _simulations(game, runs)
    yield from _quick_moves(runs)
    offers = boardgames.plugins.registry().offers("agents", "hexifence")
    own = [offer.entry.name for offer in offers if offer.entry.game == "hexifence"]
    game = boardgames.load("hexifence", dimension=LARGE_DIMENSION)
    for name in ("greedy", *own):
        if name != "strong":  # it uses all the time that it is given
            yield from _move_times(name, game, runs, "", "< 1 s")


def _simulations(game: Game, runs: int) -> Row:
    player, rates = boardgames.load_player("strong", game, seed=SEED), []
    for _ in range(runs + 1):
        started = time.perf_counter()
        choice = player.choose(game.start(), Limit(seconds=1))
        rates.append(choice.simulations / (time.perf_counter() - started))
    return "strong, simulations from the empty board of dimension 3", summary(rates[1:], "simulations/s"), ""


def _quick_moves(runs: int) -> Iterator[Row]:
    """Measure by how much `strong` exceeds its time limits, from the first move of a match on."""
    for dimension in (TARGET_DIMENSION, LARGE_DIMENSION, MAX_DIMENSION):
        game = boardgames.load("hexifence", dimension=dimension)
        player = boardgames.load_player("strong", game, seed=SEED)
        player.match_started(0)
        late, generator = [], np.random.default_rng(SEED)
        for _ in range(runs):
            position = game.start()
            for seconds in (0.05, 0.1, 0.2) * QUICK_MOVES:
                started = time.perf_counter()
                player.choose(position, Limit(seconds=seconds))
                late.append(1000 * (time.perf_counter() - started - seconds))
                for _ in range(len(game.start().legal_moves) // (4 * QUICK_MOVES)):
                    position = position.apply(
                        position.legal_moves[generator.integers(len(position.legal_moves))]
                    )
        title = f"strong, dimension {dimension}, {len(late)} moves in 50 to 200 ms, time exceeded by"
        yield f"{title}, median", f"{statistics.median(late):.1f} ms", "< 50 ms"
        yield "the same, longest", f"{max(late):.1f} ms", "< 200 ms"


def _move_times(name: str, game: Game, matches: int, mean_target: str, target: str) -> Iterator[Row]:
    """Measure one agent in up to `matches` matches that begin with random moves, until the time is up."""
    player, opponent = (boardgames.load_player(agent, game, seed=SEED) for agent in (name, "double"))
    player.choose(game.start())  # builds tables, which should not count
    generator, times, played = np.random.default_rng(SEED), [], 0
    first = time.perf_counter()
    while played < matches and time.perf_counter() - first < LONGEST_MATCHES_S:
        position, side = game.start(), played % 2
        player.match_started(side)
        opponent.match_started(1 - side)
        for _ in range(RANDOM_PLIES):
            position = position.apply(position.legal_moves[generator.integers(len(position.legal_moves))])
        while position.outcome is None:
            if position.side_to_move == side:
                started = time.perf_counter()
                move = player.choose(position).move
                times.append(time.perf_counter() - started)
            else:
                move = opponent.choose(position).move
            assert move is not None
            position = position.apply(move)
        played += 1
    title = f"{name}, dimension {game.options['dimension']}, {len(times)} moves of {played} matches"
    yield f"{title}, mean", f"{statistics.mean(times) * 1000:.2f} ms", mean_target
    yield "the same, slowest move", f"{max(times):.3f} s", target


def _random_positions(count: int, dimension: int, edges: int, limit: int, target: str) -> Iterator[Row]:
    game, generator = boardgames.load("hexifence", dimension=dimension), np.random.default_rng(SEED)
    times, nodes, solved = [], [], 0
    searcher = Solver(game)
    for _ in range(count):
        position, stop = _random_safe_position(game, edges, generator), Stop()
        searcher.clear()
        timer = threading.Timer(LONGEST_S, stop.set)
        timer.start()
        started = time.process_time()
        low, high = searcher.bounds([position], stop=stop)[0]
        times.append(time.process_time() - started)
        timer.cancel()
        nodes.append(searcher.nodes)
        solved += low == high and times[-1] <= limit
    title = f"dimension {dimension} with {edges} open edges, {count} positions, solved within {limit} s"
    yield title, f"{100 * solved / count:.0f} %", target and f"{target} %"
    for name, share in (("median", 50), ("90th percentile", 90)):
        seconds, visited = np.percentile(times, share), np.percentile(nodes, share)
        yield f"the same, {name}", f"{seconds:.3f} s, {visited:,.0f} nodes", ""
    yield "the same, speed", f"{sum(nodes) / sum(times) / 1e6:.2f} million nodes/s", ""


def _random_safe_position(game: Game, edges: int, generator: np.random.Generator) -> Position:
    """Return a position with `edges` open edges that is reached by drawing random safe edges."""
    start = game.start()
    while True:
        edge_set = new_edge_set(start.words)
        drawn: list[int] = []
        while len(start.legal_moves) - len(drawn) > edges and number_of(edge_set, SAFE):
            drawn.append(int(member(edge_set, SAFE, int(generator.integers(number_of(edge_set, SAFE))))))
            make(edge_set, drawn[-1])
        if len(start.legal_moves) - len(drawn) == edges:
            return start.apply_moves(" ".join(map(str, drawn)))


def _seconds_to_load(path: Path) -> float:
    started = time.perf_counter()
    small.load(path)
    return time.perf_counter() - started
