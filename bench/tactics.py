"""Make the suite of tactical positions of Abalone by exhaustive search.

    python bench/tactics.py --seed 1 --matches 112     a quarter of an hour

Positions come from matches of the agent `simple:depth=2` with itself, which
stays as it is, a quarter of the moves being random. Who wins or saves a marble
is found by exhaustive search over marbles alone, and whether it pays by the deep
searches of two judges (tests/reference/tactics.py).
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
from reference.tactics import SUITE, Balances, Tactic, judges, pays, tactic_of

LAYOUTS = ("belgian-daisy", "standard", "german-daisy", "swiss-daisy", "dutch-daisy", "snakes", "the-wall")
WANTED = {
    ("win 1", "marble"): 1, ("win 1", "match"): 1,
    ("win 3", "marble"): 7, ("win 3", "match"): 3,
    ("win 5", "marble"): 5, ("win 5", "match"): 3,
    ("save 2", "marble"): 7, ("save 2", "match"): 3,
    ("save 4", "marble"): 5, ("save 4", "match"): 2,
}  # fmt: skip
"""Positions for either side, by what they ask for and what is at stake."""
A_MATCH = 3
"""Positions of one kind that one match gives at most."""
FIRST_PLY, LAST_PLY = 8, 250
RANDOM_SHARE = 0.25


def main() -> None:
    """Make the suite."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--matches", type=int, default=400, help="matches to take positions from, at most")
    parser.add_argument("--workers", type=int, help="processes, by default one a core")
    parser.add_argument("--out", type=Path, default=SUITE)
    arguments = parser.parse_args()
    header = [
        "# Tactical positions of Abalone by exhaustive search, as tests/reference/tactics.py defines them.",
        f"# python bench/tactics.py --seed {arguments.seed} --matches {arguments.matches}",
        "# position, win or save, plies, moves that do it, what is at stake, layout",
    ]
    found: list[Tactic] = []
    with open_executor(arguments.workers) as executor:
        for tactic in collected(executor, arguments.seed, arguments.matches):
            found.append(tactic)
            print(f"{len(found)} {tactic}", flush=True)
            lines = [*header, *map(str, sorted(found, key=_order)), ""]
            write_atomic(arguments.out, "\n".join(lines))


def collected(executor: Executor, seed: int, matches: int) -> Iterator[Tactic]:
    """Yield tactics until there are as many of each sort as are wanted."""
    left = Counter({(*sort, side): count for sort, count in WANTED.items() for side in "bw"})
    waiting: deque[Future[list[Tactic]]] = deque()
    ahead = 2 * worker_count(executor)
    for number in range(matches + ahead):
        if number < matches:
            waiting.append(executor.submit(match_tactics, seed, number))
        if number < ahead or not waiting:
            continue
        taken: Counter[str] = Counter()
        for tactic in waiting.popleft().result():
            sort = tactic.name, tactic.stake, tactic.position.split(":")[1]
            if left[sort] > 0 and taken[tactic.name] < A_MATCH:
                left[sort] -= 1
                taken[tactic.name] += 1
                yield tactic
        if not any(left.values()):
            return


def match_tactics(seed: int, number: int) -> list[Tactic]:
    """Return the tactics of a match, each position once."""
    layout = LAYOUTS[number % len(LAYOUTS)]
    game = boardgames.load("abalone", layout=layout)
    positions = match_positions(game, random.Random(f"tactics {seed} {number}"))
    found = (tactic_of(position, Balances(game), layout) for position in dict.fromkeys(positions))
    sitting = judges()
    return [tactic for tactic in found if tactic is not None and pays(tactic, sitting)]


def match_positions(game: Game, chance: random.Random) -> Iterator[Position]:
    """Yield the positions of a match of the simple agent with itself, some moves being random."""
    player, position = boardgames.load_player("simple:depth=2", game), game.start()
    for ply in range(LAST_PLY):
        if position.outcome is not None:
            return
        if ply >= FIRST_PLY:
            yield position
        if chance.random() < RANDOM_SHARE:
            move = game.decode(position, chance.choice(position.actions))
        else:
            chosen = player.choose(position).move
            assert chosen is not None
            move = chosen
        position = position.apply(move)


def _order(tactic: Tactic) -> tuple[str, int, str, str]:
    return tactic.kind, tactic.plies, tactic.stake, tactic.position


if __name__ == "__main__":
    main()
