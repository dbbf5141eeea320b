"""Measure speed and memory, compare them with other programs in the same run, and print a table.

    make bench                      all sections except the long ones (`LONG`)
    make bench ARGS="perft start"   only these sections

Results are medians of several runs, followed by the minimum and maximum. They depend on the
machine and its load, so compare only rows of the same table.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
import numpy as np

import boardgames
from boardgames.paths import cache_folder
from boardgames.player import Limit, Player
from boardgames.players.simple import Random
from boardgames.selfplay import SelfPlaySetup, TDParameters, train_players

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import alphazero
import engine
import environments
import hexifence
import networks
import selfplay
import solver
import web
from engine import Row, summary
from reference.tactics import Tactic, material_player, read_suite, solving_depth
from reference.temporal import PlainLearner

RUNS = 5
PROGRAM = [sys.executable, "-m", "boardgames"]
OPENSPIEL: tuple[tuple[str, str, dict[str, int], int], ...] = (
    ("connect_four", "connect_four", {}, 50_000),
    ("dots_and_boxes with 71 edges", "dots_and_boxes", {"num_rows": 5, "num_cols": 6}, 5_000),
)
"""Games of OpenSpiel with their options and the number of playouts or simulations; Hexifence has 72 edges."""


def main() -> None:
    """Run the requested sections and print their rows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "sections", nargs="*", choices=[*SECTIONS, []], help="default: all except the long ones"
    )
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of each measurement")
    arguments = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, ", end="")
    print(f"Numba {numba.__version__}, NumPy {np.__version__}; median (min to max) of {arguments.runs}\n")
    print("| benchmark | result | target |")
    print("| --- | --- | --- |")
    for section in arguments.sections or [name for name in SECTIONS if name not in LONG]:
        for benchmark, result, target in SECTIONS[section](arguments.runs):
            print(f"| {benchmark} | {result} | {target} |", flush=True)


def perft(runs: int) -> Iterator[Row]:
    """Measure perft from three Abalone layouts, with and without broadside moves."""
    for layout, depth in (("belgian-daisy", 5), ("standard", 5), ("german-daisy", 4)):
        for broadside in (True, False):
            start = boardgames.load("abalone", layout=layout, broadside=broadside).start()
            leaves = boardgames.perft(start, depth)
            times = _times(lambda: boardgames.perft(start, depth), runs)
            rates = summary([leaves / seconds / 1e6 for seconds in times], "million leaves/s")
            moves = "" if broadside else ", no broadside"
            yield f"perft abalone {layout}{moves}, depth {depth}", rates, "150; 300"


def playouts(runs: int) -> Iterator[Row]:
    """Measure random playouts, with OpenSpiel's rollouts of similar games for comparison."""
    cases: tuple[tuple[str, dict[str, Any], int, int | None, str], ...] = (
        ("abalone", {}, 5_000, 200, "10,000"),
        ("connect4", {}, 500_000, None, "1,000,000"),
        ("hexifence", {"dimension": 3}, 50_000, None, ""),
    )
    for name, options, count, limit, target in cases:
        start = boardgames.load(name, **options).start()
        times = _times(lambda: boardgames.playouts(start, count, seed=1, ply_limit=limit), runs)
        length = f", at most {limit} plies" if limit else ""
        yield f"playouts {name}{length}", summary([count / t for t in times], "matches/s"), target
    yield from _openspiel_playouts(runs)


def search(runs: int) -> Iterator[Row]:
    """Measure searches in Abalone: plain searches, then the speed, threads and limits of `alphabeta`."""
    game = boardgames.load("abalone")
    for agent in ("simple:depth=5", "minimax:depth=4"):
        player = boardgames.load_player(agent, game)
        choices = [player.choose(game.start()) for _ in range(runs + 1)][1:]
        rates = [choice.nodes / choice.seconds / 1e6 for choice in choices]
        yield f"{agent} abalone", summary(rates, "million nodes/s"), ""
        yield f"{agent} abalone, one move", summary([choice.seconds for choice in choices], "s"), ""
    for section in (engine.speed, engine.threads, engine.limits):
        yield from section(runs)


def simulations(runs: int) -> Iterator[Row]:
    """Measure Monte Carlo tree search, with OpenSpiel's bot on similar games for comparison."""
    cases = (("connect4", 500_000, "500,000"), ("abalone", 50_000, ""), ("hexifence", 50_000, ""))
    for name, count, target in cases:
        game, rates = boardgames.load(name), []
        for _ in range(runs + 1):
            choice = boardgames.load_player("mcts", game, seed=1).choose(
                game.start(), Limit(simulations=count)
            )
            rates.append(choice.simulations / choice.seconds)
        yield f"mcts {name}", summary(rates[1:], "simulations/s"), target
    yield from _openspiel_simulations(runs)


def tactics(runs: int) -> Iterator[Row]:
    """Solve the tactical positions of Abalone, each at the depth of its tactic and up to two plies deeper."""
    suite = read_suite()
    player = boardgames.load_player("alphabeta", boardgames.load("abalone"))
    for name in dict.fromkeys(tactic.name for tactic in suite):
        yield _solved(name, [tactic for tactic in suite if tactic.name == name], player)
    yield _solved("all", suite, player, "all at their own depth")
    yield _solved("all, evaluating marbles only", suite, material_player("alphabeta"))


def _solved(name: str, suite: list[Tactic], player: Player, target: str = "") -> Row:
    margins = range(3)
    depths = [solving_depth(tactic, player, tactic.plies + max(margins)) for tactic in suite]
    counts = [
        sum(
            depth is not None and depth <= tactic.plies + margin
            for tactic, depth in zip(suite, depths, strict=True)
        )
        for margin in margins
    ]
    result = f"{', '.join(map(str, counts))} of {len(suite)}"
    return f"tactics of abalone, {name}: solved at their depth, one ply deeper, two deeper", result, target


def start(runs: int) -> Iterator[Row]:
    """Measure whole processes: `--help`, and the first board of a match with and without compiled kernels."""
    times = _times(lambda: _process(["--help"]), runs)
    yield "boardgames --help", summary(times, "s"), "< 0.2"
    _first_board(dict(os.environ))
    times = [_first_board(dict(os.environ)) for _ in range(runs)]
    yield "boardgames play abalone to the first board, warm", summary(times, "s"), "< 0.6"
    cold = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(_first_board({**os.environ, "BOARDGAMES_HOME": folder}))
    yield "the same with an empty cache", summary(cold, "s"), "< 2"


def memory(runs: int) -> Iterator[Row]:
    """Measure the peak memory of a process that counts perft."""
    title, target = "boardgames perft abalone --depth 5, peak memory", "< 286 (300 MB)"
    if sys.platform == "win32":
        yield title, "not available on this system", target
        return
    arguments = [*PROGRAM[1:], "perft", "abalone", "--depth", "5"]
    peaks = [engine.measure_process(arguments)[1] for _ in range(runs)]
    yield title, summary(peaks, "MiB"), target


def matches(runs: int) -> Iterator[Row]:
    """Measure the overhead of the manager per ply, and an arena as a whole process."""
    for name in ("connect4", "abalone", "hexifence"):
        game = boardgames.load(name)
        overheads = [_overhead(game) * 1e6 for _ in range(runs + 1)][1:]
        yield f"manager, {name}, overhead per ply", summary(overheads, "us"), "< 50"
    arena = ["arena", "connect4", "random", "random", "--matches", "1000", "--workers", "2", "--fresh"]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "BOARDGAMES_HOME": folder}
        times = _times(lambda: _process(arena, environment), runs)
    yield "boardgames arena connect4 random random, 1,000 matches, 2 workers", summary(times, "s"), "< 3"


def learning(runs: int) -> Iterator[Row]:
    """Measure TD(lambda), compiled and in plain Python, and evolution with one and two workers."""
    game, parameters = boardgames.load("abalone"), TDParameters(shared=True)
    setup = SelfPlaySetup.of(game, "classic14", opening=0, ply_limit=200)
    weights = np.random.default_rng(1).uniform(-0.1, 0.1, (2, 14))
    times = _times(lambda: train_players(setup, weights, parameters, matches=300, seed=1), runs)
    compiled = [300 / seconds for seconds in times]
    yield "TD(lambda) abalone classic14, at most 200 plies", summary(compiled, "matches/s"), "300"
    features = boardgames.load_features("classic14", game)
    learner = PlainLearner(features, weights, parameters.record(), seed=1)
    times = _times(lambda: learner.play(game.start(), 200), runs)
    yield "the same update in plain Python", summary([1 / seconds for seconds in times], "matches/s"), ""
    evolve = ["train", "abalone", "--evolve", "--preset", "original", "--measure", "0", "--seed", "1"]
    ratios, one, two, memory = [], [], [], []
    for _ in range(runs):
        short = [*evolve, "--set", "generations=1"]
        alone, both = (_timed_training([*short, "--workers", count])[0] for count in ("1", "2"))
        ratios.append(alone / both)
        one.append(alone)
        two.append(both)
    yield (
        "boardgames train abalone --evolve --preset original, one generation, 1 worker",
        summary(one, "s"),
        "",
    )
    yield "the same, 2 workers", summary(two, "s"), ""
    yield "speed-up with 2 workers", summary(ratios, "x"), "1.7"
    times = []
    for _ in range(runs):
        seconds, peak = _timed_training([*evolve, "--workers", "2"])
        times.append(seconds)
        memory.append(peak)
    yield "boardgames train abalone --evolve --preset original, 2 workers", summary(times, "s"), "< 120"
    yield "the same, peak memory of all processes", summary(memory, "MB"), "< 500"


SECTIONS: dict[str, Callable[[int], Iterator[Row]]] = {
    "perft": perft,
    "playouts": playouts,
    "positions": environments.positions,
    "batch": environments.batches,
    "pettingzoo": environments.pettingzoo,
    "search": search,
    "evaluation": engine.evaluation,
    "ablation": engine.ablation,
    "simulations": simulations,
    "tactics": tactics,
    "start": start,
    "memory": memory,
    "matches": matches,
    "learning": learning,
    "networks": networks.inference,
    "networks-selfplay": selfplay.with_networks,
    "alphazero": alphazero.strength,
    "alphazero-ablation": alphazero.ablations,
    "alphazero-alphabeta": alphazero.in_alphabeta,
    "edge-sets": hexifence.edge_sets,
    "hexifence-table": hexifence.table,
    "hexifence-solver": hexifence.solver,
    "hexifence-agents": hexifence.agents,
    "solver": solver.speed,
    "solver-books": solver.books,
    "solver-threads": solver.threads,
    "solver-boards": solver.boards,
    "solver-moves": solver.first_moves,
    "solver-compilation": solver.compilation,
    "solver-long": solver.long_boards,
    "web-start": web.start,
    "web-memory": web.memory,
    "web-states": web.states,
    "web-spectators": web.spectators,
    "web-sessions": web.sessions,
}
LONG = {"alphazero", "alphazero-ablation", "alphazero-alphabeta", "solver-long", "web-sessions"}


def _openspiel_playouts(runs: int) -> Iterator[Row]:
    for title, name, options, count in OPENSPIEL:
        try:
            import pyspiel
        except ImportError:
            yield f"playouts {title}, OpenSpiel (C++)", "not installed", ""
            continue
        game = pyspiel.load_game(name, options)
        evaluator = pyspiel.RandomRolloutEvaluator(count, 1)
        # a single simulation performs `count` rollouts from the start, all in C++
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 10, False, 1, False)
        times = _times(lambda: bot.mcts_search(game.new_initial_state()), runs)
        yield f"playouts {title}, OpenSpiel (C++)", summary([count / t for t in times], "matches/s"), ""


def _openspiel_simulations(runs: int) -> Iterator[Row]:
    for title, name, options, count in OPENSPIEL:
        try:
            import pyspiel
        except ImportError:
            yield f"MCTSBot {title}, OpenSpiel (C++)", "not installed", ""
            continue
        game = pyspiel.load_game(name, options)
        for solve in (False, True):
            evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
            bot = pyspiel.MCTSBot(game, evaluator, 2.0, count, 1000, solve, 1, False)
            times = _times(lambda: bot.mcts_search(game.new_initial_state()), runs)
            row = f"MCTSBot {title}, OpenSpiel (C++)" + (", with solver" if solve else "")
            yield row, summary([count / seconds for seconds in times], "simulations/s"), ""


def _times(work: Callable[[], object], runs: int) -> list[float]:
    """Return the duration of each of several calls in seconds, after one call to warm up."""
    work()
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return times


def _overhead(game: boardgames.Game) -> float:
    """Return the time per ply in seconds that random matches spend outside of the players."""
    inside = 0.0

    class Timed(Random):
        def choose(self, *arguments: Any) -> Any:  # as in the base class
            nonlocal inside
            started = time.perf_counter()
            choice = super().choose(*arguments)
            inside += time.perf_counter() - started
            return choice

    players = [Timed(game, seed=seed) for seed in (1, 2)]
    started, plies = time.perf_counter(), 0
    while plies < 2000:
        match = boardgames.Manager(game, players)
        match.play()
        plies += match.ply
    return (time.perf_counter() - started - inside) / plies


def _process(arguments: list[str], environment: dict[str, str] | None = None) -> None:
    subprocess.run([*PROGRAM, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)


def _timed_training(arguments: list[str]) -> tuple[float, float]:
    """Return the duration in seconds and the peak memory in MB of a training run and its workers.

    Shared memory is divided among the processes that share it.
    """
    import psutil

    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "BOARDGAMES_HOME": folder}
        Path(folder, "cache").symlink_to(cache_folder())
        started, peak = time.perf_counter(), 0.0
        with subprocess.Popen(
            [*PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        ) as process:
            trainer = psutil.Process(process.pid)
            while process.poll() is None:
                with suppress(psutil.Error):
                    family = [trainer, *trainer.children(recursive=True)]
                    peak = max(peak, sum(_memory_of(member) for member in family))
                time.sleep(0.2)
        if process.returncode:
            raise RuntimeError(f"the training run failed with exit code {process.returncode}")
        return time.perf_counter() - started, peak / 1e6


def _memory_of(process: Any) -> int:  # psutil has no type stubs
    memory = process.memory_full_info()
    return int(getattr(memory, "pss", memory.rss))


def _first_board(environment: dict[str, str]) -> float:
    """Return the seconds from the start of the program to the last row of its first board."""
    started = time.perf_counter()
    command = [*PROGRAM, "play", "abalone"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.lstrip().startswith("1 2 3 4 5"):
                break
        seconds = time.perf_counter() - started
        process.communicate("quit\n")
    return seconds


if __name__ == "__main__":
    main()
