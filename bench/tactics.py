"""Generate the suite of tactical positions of Abalone by exhaustive search.

    python bench/tactics.py --seed 1 --matches 112     # takes a quarter of an hour

Positions come from matches of the agent `simple:depth=2` against itself, with a quarter
of the moves random; that agent never changes. Exhaustive search finds the moves that
win or save a marble, and deep searches by two players decide whether these moves are worthwhile
(tests/reference/tactics.py).
"""

import argparse
import random
import sys
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from pathlib import Path

import boardgames
from boardgames.executors import open_executor, worker_count
from boardgames.game import Game, Position
from boardgames.paths import write_atomic

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from reference.tactics import SUITE, Balances, Tactic, find_tactic, judges, pays

LAYOUTS = ("belgian-daisy", "standard", "german-daisy", "swiss-daisy", "dutch-daisy", "snakes", "the-wall")
WANTED = {
    ("win 1", "marble"): 1, ("win 1", "match"): 1,
    ("win 3", "marble"): 7, ("win 3", "match"): 3,
    ("win 5", "marble"): 5, ("win 5", "match"): 3,
    ("save 2", "marble"): 7, ("save 2", "match"): 3,
    ("save 4", "marble"): 5, ("save 4", "match"): 2,
}  # fmt: skip
"""Number of positions for each side, by kind and stake."""
MAX_PER_MATCH = 3
"""Maximum number of positions of one kind from one match."""
FIRST_PLY, LAST_PLY = 8, 250
RANDOM_SHARE = 0.25


def main() -> None:
    """Generate the suite."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--matches", type=int, default=400, help="maximum number of matches")
    parser.add_argument("--workers", type=int, help="number of processes, one per core by default")
    parser.add_argument("--out", type=Path, default=SUITE)
    arguments = parser.parse_args()
    header = [
        "# Tactical positions of Abalone by exhaustive search; tests/reference/tactics.py defines them.",
        f"# python bench/tactics.py --seed {arguments.seed} --matches {arguments.matches}",
        "# position, win or save, plies, solutions, what is at stake, layout",
    ]
    suite: list[Tactic] = []
    with open_executor(arguments.workers) as executor:
        for tactic in collect(executor, arguments.seed, arguments.matches):
            suite.append(tactic)
            print(f"{len(suite)} {tactic}", flush=True)
            lines = [*header, *map(str, sorted(suite, key=_order)), ""]
            write_atomic(arguments.out, "\n".join(lines))


def collect(executor: Executor, seed: int, matches: int) -> Iterator[Tactic]:
    """Yield tactical positions until there are enough of each kind, stake and side."""
    left = Counter({(*kind, side): count for kind, count in WANTED.items() for side in "bw"})
    pending: deque[Future[list[Tactic]]] = deque()
    ahead = 2 * worker_count(executor)
    for number in range(matches + ahead):
        if number < matches:
            pending.append(executor.submit(match_tactics, seed, number))
        if number < ahead or not pending:
            continue
        taken: Counter[str] = Counter()
        for tactic in pending.popleft().result():
            kind = tactic.name, tactic.stake, tactic.position.split(":")[1]
            if left[kind] > 0 and taken[tactic.name] < MAX_PER_MATCH:
                left[kind] -= 1
                taken[tactic.name] += 1
                yield tactic
        if not any(left.values()):
            return


def match_tactics(seed: int, number: int) -> list[Tactic]:
    """Return the different tactical positions of one match."""
    layout = LAYOUTS[number % len(LAYOUTS)]
    game = boardgames.load("abalone", layout=layout)
    positions = match_positions(game, random.Random(f"tactics {seed} {number}"))
    tactics = (find_tactic(position, Balances(game), layout) for position in dict.fromkeys(positions))
    players = judges()
    return [tactic for tactic in tactics if tactic is not None and pays(tactic, players)]


def match_positions(game: Game, rng: random.Random) -> Iterator[Position]:
    """Yield the positions of a match of `simple` against itself, with some random moves."""
    player, position = boardgames.load_player("simple:depth=2", game), game.start()
    for ply in range(LAST_PLY):
        if position.outcome is not None:
            return
        if ply >= FIRST_PLY:
            yield position
        if rng.random() < RANDOM_SHARE:
            move = game.decode(position, rng.choice(position.actions))
        else:
            chosen = player.choose(position).move
            assert chosen is not None
            move = chosen
        position = position.apply(move)


def _order(tactic: Tactic) -> tuple[str, int, str, str]:
    return tactic.kind, tactic.plies, tactic.stake, tactic.position


if __name__ == "__main__":
    main()
