"""Compare two checkouts: whether their searches give the same results, and how fast they are.

    python bench/compare.py OLD NEW                  # equality and speed
    python bench/compare.py OLD NEW --turns 5 --skip-equality

Each checkout runs in its own processes, with its own packages first on the path.
Equality: in random positions of each game, the best move, its value and the
number of nodes are compared for `alphabeta` at a fixed depth (with its defaults,
and with all pruning and reductions off) and for `mcts` with a fixed number of
simulations. Speed: the two checkouts run alternately, and the result is the
median of the ratios.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

GAMES = ("abalone", "connect4", "hexifence")
PLIES = 30
DEPTHS = {"abalone": (5, 3), "connect4": (7, 6), "hexifence": (3, 3)}
"""Depths of the default search and of the exhaustive search."""
SIMULATIONS = 300


# --- inside a checkout; older checkouts have other names
# --------------------------------------------------------


def load_player(text: str, game: Any, seed: int = 1) -> Any:
    """Return a player by its agent text."""
    import boardgames

    make: Any = getattr(boardgames, "load_player", None) or boardgames.player  # its name in old versions
    return make(text, game, seed=seed)


def exhaustive() -> str:
    """Return the text of options that switch off all selective pruning and all reductions."""
    from boardgames.plugins import registry

    declared = registry().load("agents", "alphabeta", None).declared_options
    names = {option.name for option in declared}
    return ",".join(
        f"{name}=false" for name in ("lmr", "futility", "null_move", "reductions", "passes") if name in names
    )


def positions(name: str, count: int) -> Iterator[Any]:
    """Yield unfinished positions after up to 30 random plies, which are the same in every checkout."""
    import boardgames

    game, random = boardgames.load(name), np.random.default_rng(7)
    while count:
        position = game.start()
        for _ in range(int(random.integers(PLIES))):
            moves = position.legal_moves
            position = position.apply(moves[int(random.integers(len(moves)))])
            if position.outcome is not None:
                break
        if position.outcome is None:
            count -= 1
            yield position


def value_of(choice: Any, scale: float) -> list[Any]:
    """Return a value as a win, a loss or a rounded amount, so that checkouts can be compared."""
    score = getattr(choice, "score", None)
    if score is None:  # old versions used floats; a win in n plies was 1,000,000 - n, or 1 for returns
        value = choice.value
        if abs(value) > 900_000 or (choice.unit == "return" and choice.proven and abs(value) == 1):
            return ["decisive", 1 if value > 0 else -1]
        return ["amount", round(value, 9)]
    if score.amount is None or (score.unit.is_return and choice.proven and abs(score.amount) == 1):
        return ["decisive", score.sign]
    return ["amount", round(score.amount * scale, 9)]


def results(count: int) -> dict[str, list[Any]]:
    """Return the best move, its value and the number of nodes of every search."""
    searches: dict[str, list[Any]] = {}
    for name in GAMES:
        depth, full_depth = DEPTHS[name]
        agents = {
            f"alphabeta to depth {depth}": f"alphabeta:depth={depth},book=false",
            f"exhaustive to depth {full_depth}": f"alphabeta:depth={full_depth},book=false,{exhaustive()}",
            f"mcts with {SIMULATIONS} simulations": f"mcts:simulations={SIMULATIONS}",
        }
        for label, text in agents.items():
            rows = searches[f"{name}, {label}"] = []
            for position in positions(name, count):
                player = load_player(text, position.game)
                choice = player.choose(position)
                scale = getattr(position.game.evaluation, "scale", 1.0) if "mcts" not in label else 1.0
                rows.append([str(choice.move), value_of(choice, scale), choice.nodes])
    return searches


def rate(work: Callable[[], float], seconds: float = 0.7) -> float:
    """Return units of work per second of processor time."""
    work()
    done, started = 0.0, time.process_time()
    while time.process_time() - started < seconds:
        done += work()
    return done / (time.process_time() - started)


def speeds() -> dict[str, float]:
    """Return the speed of each kind of work, in units per second of processor time."""
    import boardgames

    abalone, connect4 = boardgames.load("abalone"), boardgames.load("connect4")
    sample = list(positions("abalone", 6))
    figures: dict[str, float] = {}

    def alphabeta_work(options: str, depth: int) -> Callable[[], float]:
        player = load_player(f"alphabeta:book=false,depth={depth},{options}".rstrip(","), abalone)

        def work() -> float:
            nodes = 0
            for position in sample:
                player.match_started(0)
                nodes += player.choose(position).nodes
            return nodes

        return work

    def mcts_work(game: Any) -> Callable[[], float]:
        player = load_player("mcts:simulations=20000", game)

        def work() -> float:
            player.match_started(0)
            return float(player.choose(game.start()).simulations)

        return work

    start = abalone.start()
    figures["abalone perft, leaves"] = rate(lambda: boardgames.perft(start, 4))
    figures["connect4 playouts"] = rate(lambda: sum(boardgames.playouts(connect4.start(), 20_000).wins))
    figures["alphabeta abalone, nodes"] = rate(alphabeta_work("", 8))
    figures["alphabeta abalone, nothing reduced, nodes"] = rate(alphabeta_work(exhaustive(), 5))
    figures["mcts connect4, simulations"] = rate(mcts_work(connect4))
    figures["mcts abalone, simulations"] = rate(mcts_work(abalone))
    figures.update(selfplay(abalone, connect4))
    return figures


def selfplay(abalone: Any, connect4: Any) -> dict[str, float]:
    """Return matches per second of TD self-play and of contests."""
    from boardgames import selfplay as module

    renamed = (
        ("SelfPlaySetup", "MatchSetup", "Setting"),
        ("TDParameters", "Rates"),
        ("train_players", "teach"),
        ("play_matches", "play"),
    )
    setup_class, parameters, train, play = (
        next(getattr(module, name) for name in names if hasattr(module, name)) for names in renamed
    )
    figures = {}
    for game, features, size in ((abalone, "classic14", 14), (connect4, "lines", 11)):
        setup = setup_class.of(game, features, opening=4, ply_limit=100)
        weights = np.random.default_rng(1).uniform(-0.5, 0.5, (2, size))
        contestants = {depth: module.Contestant(None, depth) for depth in (1, 3)}
        name = game.facts.name
        figures[f"{name} td, matches"] = rate(
            lambda: len(train(setup, weights, parameters(), matches=20, seed=1).matches or [0] * 20)
        )
        for depth, one in contestants.items():
            figures[f"{name} contest at depth {depth}, matches"] = rate(
                lambda: len(play(setup, one, one, matches=10, seed=1))
            )
    return figures


# --- outside: two checkouts --------------------------------------------------------------------------


def run(checkout: Path, *arguments: str) -> Any:
    """Run this script with the packages of a checkout and return the JSON that it prints."""
    checkout = checkout.resolve()
    folders = [checkout, *sorted((checkout / "plugins").glob("*/"))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    command = [sys.executable, str(Path(__file__).resolve()), "--inside", *arguments, ".", "."]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{checkout}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def compare_results(old: Path, new: Path, count: int) -> bool:
    """Print the number of positions in which the checkouts agree, by search; return True if all agree."""
    before, after = (run(checkout, "--positions", str(count)) for checkout in (old, new))
    agree = True
    for label, rows in before.items():
        same = [one == other for one, other in zip(rows, after[label], strict=True)]
        print(f"{label:48} {sum(same):4} of {len(same)} the same", flush=True)
        for one, other, equal in zip(rows, after[label], same, strict=True):
            if not equal:
                print(f"    first difference: {one} and {other}")
                agree = False
                break
    return agree


def compare_speeds(old: Path, new: Path, turns: int) -> None:
    """Print the speed of both checkouts and the median ratio over the turns."""
    run(old, "--speeds"), run(new, "--speeds")  # compile everything first
    pairs = [(run(old, "--speeds"), run(new, "--speeds")) for _ in range(turns)]
    print(f"{'per second of processor time':48} {'old':>12} {'new':>12}  new/old (min to max)")
    for label in pairs[0][0]:
        ratios = [after[label] / before[label] for before, after in pairs]
        middle = [statistics.median(side[label] for side in sides) for sides in zip(*pairs, strict=True)]
        spread = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        print(f"{label:48} {middle[0]:12,.0f} {middle[1]:12,.0f}  {spread}", flush=True)


def main() -> None:
    """Run the comparison that the arguments ask for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path, help="checkout to compare with")
    parser.add_argument("new", type=Path, help="checkout to compare")
    parser.add_argument("--positions", type=int, default=200, help="positions of each game")
    parser.add_argument("--turns", type=int, default=5, help="runs of each checkout, alternating")
    parser.add_argument("--skip-equality", action="store_true", help="compare speeds only")
    parser.add_argument("--skip-speed", action="store_true", help="compare results only")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--speeds", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        print(json.dumps(speeds() if given.speeds else results(given.positions)))
        return
    agree = given.skip_equality or compare_results(given.old, given.new, given.positions)
    if not given.skip_speed:
        compare_speeds(given.old, given.new, given.turns)
    raise SystemExit(0 if agree else 1)


if __name__ == "__main__":
    main()
