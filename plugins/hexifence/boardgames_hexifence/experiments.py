"""The experiment `blind-spot`: how often a sacrifice is better than every safe edge.

As long as there were safe edges, the agent of the original program searched nothing else. Its authors
called winning sacrifices before the endgame a rare blind spot. Here two sides draw random safe edges. For
each position on the way, exact values show whether a sacrifice is strictly better than every safe edge, and
whether only a sacrifice wins. Positions that are not solved within a number of nodes are counted as
unsolved and left out of the shares.

Source: J. Tran and M. Farrugia, Hexifence agent (COMP30024, University of Melbourne, 2016).
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from boardgames.errors import OptionError
from boardgames.experiments import (
    Experiment,
    Grid,
    Listener,
    Measurements,
    Share,
    Wins,
    estimate_share,
    run_tasks,
)
from boardgames.game import Game, Position
from boardgames.options import Option
from boardgames.plugins import load
from boardgames.selfplay import derive_seed
from boardgames_hexifence.features import SACRIFICING, SAFE, edge_kind
from boardgames_hexifence.game import MAX_SOLVED_DIMENSION, Hexifence, lead_of
from boardgames_hexifence.solver import Solver
from boardgames_hexifence.solver.small import DIMENSION as TABLE_DIMENSION
from boardgames_hexifence.solver.solver import cells_taken, keeps_turn

NO_LIMIT = 0
BATCH = 10
"""Number of matches in a task."""
TABLE_MB = 64
NO, YES, UNSOLVED = 0, 1, -1
ALL, MATCHES = "all", "matches"
BETTER, ONLY = "a sacrifice is strictly better", "only a sacrifice wins"


@dataclass(frozen=True, slots=True)
class Finding:
    """The solver's verdict on sacrifices in a position with safe edges.

    Attributes
    ----------
    safe_edges : int
        Number of safe edges.
    better, wins : int
        Whether a sacrifice is strictly better than every safe edge, and whether only a sacrifice
        wins: `YES`, `NO` or `UNSOLVED`.
    """

    safe_edges: int
    better: int
    wins: int


class BlindSpot(Experiment):
    """Measures how often a search that considers only safe edges misses the best move."""

    name: ClassVar[str] = "blind-spot"
    has_chart: ClassVar[bool] = True
    declared_options = (
        Option("matches", int, 400, "number of matches with random safe edges", minimum=1, maximum=1_000_000),
        Option(
            "safe",
            int,
            12,
            "leave out positions with more safe edges; ignored at dimension 2",
            minimum=1,
            maximum=1000,
        ),
        Option(
            "nodes",
            int,
            300_000,
            "node limit for the safe edges of a position, and again for its sacrifices",
            minimum=1,
            maximum=10**12,
        ),
    )

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        if not isinstance(game, Hexifence) or game.dimension > MAX_SOLVED_DIMENSION:
            raise OptionError(
                f"the experiment 'blind-spot' solves Hexifence up to dimension {MAX_SOLVED_DIMENSION}, "
                f"not {game.describe()}"
            )
        self._dimension = game.dimension

    def run(self, executor: Executor, seed: int, listener: Listener | None = None) -> Measurements:
        """Return both shares for each number of safe edges left, for all positions, and for matches."""
        count = self.integer("matches")
        most = NO_LIMIT if self._dimension == TABLE_DIMENSION else self.integer("safe")
        tasks = [
            partial(
                find,
                self._dimension,
                min(BATCH, count - first),
                most,
                self.integer("nodes"),
                derive_seed(seed, "blind-spot", first),
            )
            for first in range(0, count, BATCH)
        ]
        batches = run_tasks(executor, tasks, listener, "solving positions")
        return _measured([match for batch in batches for match in batch])


def find(dimension: int, count: int, most: int, nodes: int, seed: int) -> list[tuple[Finding, ...]]:
    """Play matches with random safe edges, and return the findings in each.

    Parameters
    ----------
    count : int
        Number of matches.
    most : int
        Positions with more safe edges are not solved; `NO_LIMIT` to solve all.
    nodes : int
        Node limit for the safe edges of a position, and again for its sacrifices.
    """
    game = load("hexifence", layout=None, dimension=dimension)
    solver, random = Solver(game, table=TABLE_MB), np.random.default_rng(seed)
    return [_match(game, solver, random, most, nodes) for _ in range(count)]


def _match(
    game: Game, solver: Solver, random: np.random.Generator, most: int, nodes: int
) -> tuple[Finding, ...]:
    """Return the findings in one match; nothing is captured while both sides draw safe edges."""
    findings: list[Finding] = []
    position = game.start()
    while safe := edges_of_kind(position, SAFE):
        if most == NO_LIMIT or len(safe) <= most:
            findings.append(judge(position, solver, nodes))
        edge = safe[int(random.integers(len(safe)))]
        position = position.apply(game.decode(position, edge))
    return tuple(findings)


def judge(position: Position, solver: Solver, nodes: int) -> Finding:
    """Compare the best sacrifice in a position with the best safe edge.

    Parameters
    ----------
    position : Position
        A position with safe edges in which nothing can be captured.
    solver : Solver
        A solver for its game.
    nodes : int
        Node limit for the safe edges, and again for the sacrifices; 0 for no limit.
    """
    safe, sacrifices = (edges_of_kind(position, kind) for kind in (SAFE, SACRIFICING))
    if not sacrifices:
        return Finding(len(safe), NO, NO)
    lead = lead_of(position)
    low, high = _bounds(position, safe, solver, nodes)
    lowest, highest = _bounds(position, sacrifices, solver, nodes)
    better = YES if lowest > high else NO if highest <= low else UNSOLVED
    if lead + lowest > 0 >= lead + high:
        wins = YES
    else:
        wins = NO if lead + low > 0 or lead + highest <= 0 else UNSOLVED
    return Finding(len(safe), better, wins)


def edges_of_kind(position: Position, kind: int) -> list[int]:
    """Return the open edges of a kind (features.py)."""
    dimension = int(position.game.options["dimension"] or 0)
    return [edge for edge in position.actions if edge_kind(position.words, dimension, edge) == kind]


def _bounds(position: Position, edges: Sequence[int], solver: Solver, nodes: int) -> tuple[int, int]:
    """Return bounds on the value of the best of several edges, for the side to move."""
    after = [position.apply(position.game.decode(position, edge)) for edge in edges]
    lows, highs = [], []
    for successor, (low, high) in zip(after, solver.bounds(after, node_limit=nodes).tolist(), strict=True):
        taken = cells_taken(position, successor)
        if keeps_turn(position, successor):
            lows.append(taken + low)
            highs.append(taken + high)
        else:
            lows.append(taken - high)
            highs.append(taken - low)
    return max(lows), max(highs)


def _measured(matches: Sequence[tuple[Finding, ...]]) -> Measurements:
    most = max((finding.safe_edges for match in matches for finding in match), default=0)
    columns = (*map(str, range(1, most + 1)), ALL, MATCHES)
    grids, sentences = [], []
    for name in (BETTER, ONLY):
        counts = [_count(matches, name, safe) for safe in (*range(1, most + 1), None)]
        counts.append(_count_matches(matches, name))
        shares = [estimate_share(units) for units, _ in counts]
        numbers = (
            tuple(float(sum(map(sum, units))) for units, _ in counts),
            tuple(float(unsolved) for _, unsolved in counts),
        )
        grids += [
            Grid(f"share in which {name}", columns, ("share", "low", "high"), _ends(shares), 3),
            Grid(f"cases in which it is known whether {name}", columns, ("solved", "unsolved"), numbers, 0),
        ]
        sentences.append(_sentence(name, *counts[-1]))
    return Measurements("safe edges left", tuple(grids), "; ".join(sentences))


def _count(
    matches: Sequence[tuple[Finding, ...]], name: str, safe: int | None = None
) -> tuple[list[Wins], int]:
    """Count `YES` and `NO` in each match, and the unsolved positions in all of them."""
    codes = [
        [_code(finding, name) for finding in match if safe in (None, finding.safe_edges)] for match in matches
    ]
    units = [(match.count(YES), match.count(NO)) for match in codes]
    return units, sum(match.count(UNSOLVED) for match in codes)


def _count_matches(matches: Sequence[tuple[Finding, ...]], name: str) -> tuple[list[Wins], int]:
    """Return (1, 0) for each match with a `YES`, (0, 1) for each without, and how many are undecided."""
    codes = [{_code(finding, name) for finding in match} for match in matches]
    units = [(1, 0) if YES in match else (0, 1) for match in codes if YES in match or UNSOLVED not in match]
    return units, len(codes) - len(units)


def _code(finding: Finding, name: str) -> int:
    return finding.better if name == BETTER else finding.wins


def _ends(shares: Sequence[Share | None]) -> tuple[tuple[float | None, ...], ...]:
    return (
        tuple(None if share is None else share.value for share in shares),
        tuple(None if share is None else share.low for share in shares),
        tuple(None if share is None else share.high for share in shares),
    )


def _sentence(name: str, units: Sequence[Wins], unsolved: int) -> str:
    """Return a sentence with the share of matches, and the range in which it is given the unsolved ones."""
    share = estimate_share(units)
    if share is None:
        return f"{name} in an unknown share of matches: none is solved"
    found, every = sum(won for won, _ in units), len(units) + unsolved
    interval = f"{share.value:.1%} [{share.low:.1%}, {share.high:.1%}]"
    sentence = f"{name} somewhere in {found} of {len(units)} matches, {interval}"
    if unsolved:
        low, high = found / every, (found + unsolved) / every
        sentence += f"; with the {unsolved} unsolved ones it is {low:.1%} to {high:.1%} of all"
    return sentence
