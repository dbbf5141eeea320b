"""Measure the solver of Connect Four, and compare it with bitbully on the same positions."""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from engine import Row, summary
from reference.connect4 import FIRST_MOVE_SCORES, VALUES

import boardgames
from boardgames.game import Game, Position
from boardgames.kernels import Words
from boardgames_connect4.solver.solver import TABLE_MB, Solver, pack

SETS = {"early": (8, 13, 60, "0.2"), "middle": (14, 27, 600, "0.25"), "late": (28, 41, 6000, "0.3")}
"""Fewest and most discs, number of positions, and the target for the ratio of our time to bitbully's."""
EARLY_WINS, EARLY_DISCS, EARLY_PLIES = 200, (4, 13), 13
"""Number of positions that are won early, their fewest and most discs, and the most plies to the win."""
SEED = 1
HARD, HARD_DISCS = 12, (4, 7)
BOARDS = ((6, 6), (7, 5), (8, 5), (6, 7), (7, 6))
LONG_BOARDS = ((7, 7), (8, 6))
LONG_TABLE_MB = 2048
EMPTY_LIMITS = {(7, 6): "< 30"}
LATE = "366241373674445377651127"


def speed(runs: int) -> Iterator[Row]:
    """Measure the CPU time for the score of a position, and compare it with bitbully's."""
    game, chance = boardgames.load("connect4"), random.Random(SEED)
    sets = [
        (f"{name} positions ({fewest} to {most} discs)", _random_positions(game, fewest, most, count, chance))
        for name, (fewest, most, count, _) in SETS.items()
    ]
    fewest, most = EARLY_DISCS
    title = f"positions with {fewest} to {most} discs that are won within {EARLY_PLIES} plies"
    sets.append((title, _early_wins(game, chance)))
    targets = [target for *_, target in SETS.values()] + ["0.5"]
    for (name, positions), target in zip(sets, targets, strict=True):
        count = len(positions)
        packed, boards = pack(positions), [_board(position) for position in positions]
        ours, theirs, nodes = [], [], 0
        for _ in range(runs):
            solver = Solver(game, book=False)
            solver.packed_scores(packed[:1])  # allocates the table
            solver.clear()
            seconds, scores = _timed(partial(solver.packed_scores, packed))
            ours.append(seconds / count)
            nodes = solver.nodes
            if boards[0] is not None:
                other = _bitbully().BitBullyCore()
                seconds, others = _timed(lambda: [other.mtdf(board, 0) for board in boards])
                assert scores.tolist() == others, "the solvers disagree"
                theirs.append(seconds / count)
        yield f"score of {name}, one on average", summary([seconds * 1e6 for seconds in ours], "us"), ""
        yield "the same, nodes", f"{nodes / count:,.1f}", ""
        if not theirs:
            yield "the same, bitbully (C++)", "not installed", ""
            continue
        yield "the same, bitbully (C++)", summary([seconds * 1e6 for seconds in theirs], "us"), ""
        ratios = [own / other for own, other in zip(ours, theirs, strict=True)]
        yield "ratio", summary(ratios, "").strip(), f"< {target}"


def books(runs: int) -> Iterator[Row]:
    """Measure the time for the score of early positions with books: ours of 8 plies, bitbully's of 12."""
    game, (_, most, count, _) = boardgames.load("connect4"), SETS["early"]
    try:
        from bitbully_databases import BitBullyDatabases
    except ImportError:
        yield "early positions with books", "bitbully is not installed", ""
        return
    for discs in range(4, most + 1):
        positions = _random_positions(game, discs, discs, count, random.Random(SEED))
        packed, boards = pack(positions), [_board(position) for position in positions]
        ours, theirs = [], []
        for _ in range(runs):
            solver = Solver(game)
            solver.packed_scores(packed[:1])  # reads the book
            solver.clear()
            seconds, scores = _timed(partial(solver.packed_scores, packed))
            ours.append(seconds / count * 1e6)
            other = _bitbully().BitBullyCore(BitBullyDatabases.get_database_path("12-ply-dist"))
            seconds, others = _timed(lambda: [other.mtdf(board, 0) for board in boards])
            assert scores.tolist() == others, "the solvers disagree"
            theirs.append(seconds / count * 1e6)
        yield f"score of positions with {discs} discs, with a book of 8 plies", summary(ours, "us"), ""
        yield "the same, bitbully with a book of 12 plies", summary(theirs, "us"), ""


def boards(runs: int, sizes: Sequence[tuple[int, int]] = BOARDS, table: int = TABLE_MB) -> Iterator[Row]:
    """Measure the CPU time for empty boards without a book, and check that their values are right."""
    for columns, rows in sizes:
        game = boardgames.load("connect4", columns=columns, rows=rows)
        times, score, nodes = [], 0, 0
        for _ in range(runs):
            solver = Solver(game, table=table, book=False)
            seconds, (score,) = _timed(partial(solver.scores, [game.start()]))
            times.append(seconds)
            nodes = solver.nodes
        value = "=" if score == 0 else "+" if score > 0 else "-"
        assert value == VALUES[columns, rows], f"the value of {columns}x{rows} is wrong: {value}"
        title = f"empty board of {columns} x {rows}, score {score}"
        yield title, summary(times, "s"), EMPTY_LIMITS.get((columns, rows), "")
        yield "the same, nodes", f"{nodes / 1e6:,.1f} million", ""


def long_boards(runs: int) -> Iterator[Row]:
    """Measure boards that take minutes, as `boards` does but only once."""
    yield from boards(min(runs, 1), LONG_BOARDS, LONG_TABLE_MB)


def first_moves(runs: int) -> Iterator[Row]:
    """Measure the CPU time for the scores of all first moves without a book, and check the scores."""
    game, times = boardgames.load("connect4"), []
    for _ in range(runs):
        solver = Solver(game, book=False)
        seconds, solution = _timed(partial(solver.solve, game.start()))
        assert tuple(solution.scores.values()) == FIRST_MOVE_SCORES, "the scores of the first moves are wrong"
        times.append(seconds)
    yield f"scores {FIRST_MOVE_SCORES} of the first moves", summary(times, "s"), ""


def compilation(runs: int) -> Iterator[Row]:
    """Measure the CPU time of processes that prepare the solver or solve a late position, without a cache."""
    prepare = "import boardgames; from boardgames_connect4.solver import Solver; "
    prepare += "Solver(boardgames.load('connect4'))"
    solve = ["-m", "boardgames", "solve", "connect4", LATE]
    cases = (
        ("rules and solver, compiled in a process without a cache", ["-c", prepare], "< 12"),
        ("boardgames solve, which also compiles `alphabeta`", solve, ""),
    )
    for title, arguments, target in cases:
        times = []
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as folder:
                times.append(_cpu_time(arguments, {**os.environ, "BOARDGAMES_HOME": folder}))
        yield title, summary(times, "s"), target
    for command, target in ((f"solve connect4 {LATE}", ""), ("analyze connect4 44", "< 1")):
        arguments = ["-m", "boardgames", *command.split()]
        _cpu_time(arguments, dict(os.environ))
        times = [_cpu_time(arguments, dict(os.environ)) for _ in range(runs)]
        yield f"boardgames {command}, with a cache", summary(times, "s"), target


def threads(runs: int) -> Iterator[Row]:
    """Measure how much faster two threads solve hard positions than one, and what the machine allows.

    As a control, two solvers with one thread each run side by side and solve all positions. If these do not
    get two free cores, two threads cannot be faster than one thread either.
    """
    game = boardgames.load("connect4")
    packed = pack(_random_positions(game, *HARD_DISCS, HARD, random.Random(SEED)))
    one, other, both = (Solver(game, threads=number, book=False) for number in (1, 1, 2))
    speed, control, cpu, nodes = [], [], [], []
    for _ in range(runs):
        alone, alone_cpu = _time_to_solve([one], packed)
        together, together_cpu = _time_to_solve([both], packed)
        beside, _ = _time_to_solve([one, other], packed)
        speed.append(alone / together)
        control.append(2 * alone / beside)
        cpu.append(together_cpu / alone_cpu)
        nodes.append(both.nodes / one.nodes)
    fewest, most = HARD_DISCS
    yield (
        f"{HARD} positions with {fewest} to {most} discs, speed-up with 2 threads",
        summary(speed, "x"),
        "1.4",
    )
    yield "the same, two solvers side by side (2 if both cores are free)", summary(control, "x"), ""
    yield "CPU time of 2 threads, relative to one", summary(cpu, "x"), ""
    yield "nodes of 2 threads, relative to one", summary(nodes, "x"), ""


def _time_to_solve(solvers: Sequence[Solver], packed: Words) -> tuple[float, float]:
    """Return the time in seconds and the CPU time in which solvers side by side each solve all positions."""

    def work(solver: Solver) -> None:
        solver.clear()
        for index in range(len(packed)):
            solver.packed_scores(packed[index : index + 1])

    started, cpu = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(len(solvers)) as pool:
        list(pool.map(work, solvers))
    return time.perf_counter() - started, time.process_time() - cpu


def _random_positions(
    game: Game, fewest: int, most: int, count: int, chance: random.Random
) -> list[Position]:
    """Return positions of unfinished matches after random moves."""
    found: list[Position] = []
    while len(found) < count:
        position = game.start()
        for _ in range(chance.randint(fewest, most)):
            successors = [position.apply(move) for move in position.legal_moves]
            ongoing = [successor for successor in successors if successor.outcome is None]
            if not ongoing:
                break
            position = chance.choice(ongoing)
        else:
            found.append(position)
    return found


def _early_wins(game: Game, chance: random.Random) -> list[Position]:
    """Return random positions in which a side wins within `EARLY_PLIES` with best play."""
    found: list[Position] = []
    solver = Solver(game)
    while len(found) < EARLY_WINS:
        positions = _random_positions(game, *EARLY_DISCS, EARLY_WINS, chance)
        for position, score in zip(positions, solver.scores(positions), strict=True):
            left = sum(square == "." for square in str(position))
            # the win takes `left` + 1 - 2 |score| or `left` + 2 - 2 |score| more plies
            if score and left + 2 - 2 * abs(score) <= EARLY_PLIES:
                found.append(position)
    return found[:EARLY_WINS]


def _cpu_time(arguments: list[str], environment: dict[str, str]) -> float:
    """Return the CPU time of a Python process."""
    before = os.times()
    subprocess.run([sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU time of a call and its result."""
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def _bitbully() -> Any:  # compiled code without type stubs
    import bitbully.bitbully_core

    return bitbully.bitbully_core


def _board(position: Position) -> Any:
    """Convert a position to a board of bitbully; return None if bitbully is not installed."""
    try:
        board = _bitbully().BoardCore()
    except ImportError:
        return None
    rows = str(position).split("/")[::-1]
    assert board.setBoard([[".rb".index(row[column]) for row in rows] for column in range(7)])
    return board
