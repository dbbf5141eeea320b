"""Candidates for puzzles, from late positions of random matches, by the kind of solution.

In these matches both sides usually capture what they can and otherwise draw safe edges, and sometimes make
a random move. The number of open edges is small enough for the solver.
"""

from collections.abc import Callable, Iterator

import numpy as np

from boardgames.errors import OptionError
from boardgames.game import Game, Position
from boardgames.puzzles import Candidate
from boardgames_hexifence.chains import chains_of
from boardgames_hexifence.edges import kinds_of, new_edge_set
from boardgames_hexifence.features import CAPTURING, FREE, SACRIFICING, SAFE
from boardgames_hexifence.game import Hexifence

FEWEST_OPEN = 5
MOST_OPEN = {2: 24, 3: 22, 4: 20, 5: 18}
"""Maximum number of open edges, by dimension."""
RANDOM_SHARE = 0.1
"""Share of random moves."""
FEWEST_SAFE = 3
"""Minimum number of safe edges in the puzzles in which only one of them wins."""


def sacrifices(game: Game, generator: np.random.Generator) -> Iterator[Candidate]:
    """Yield positions with a safe edge and nothing to capture, in which a sacrifice may win."""

    def solutions(position: Position, kinds: dict[int, int]) -> list[int]:
        is_quiet = SAFE in kinds.values() and not {FREE, CAPTURING} & set(kinds.values())
        return [edge for edge, kind in kinds.items() if kind == SACRIFICING] if is_quiet else []

    return _candidates(game, generator, solutions)


def hand_outs(game: Game, generator: np.random.Generator) -> Iterator[Candidate]:
    """Yield positions with an opened chain or loop whose last cells can be handed out."""

    def solutions(position: Position, kinds: dict[int, int]) -> list[int]:
        opened = {edge for chain in chains_of(position.words) if chain.is_opened for edge in chain.edges}
        return [edge for edge, kind in kinds.items() if kind == SACRIFICING and edge in opened]

    return _candidates(game, generator, solutions)


def safe_edges(game: Game, generator: np.random.Generator) -> Iterator[Candidate]:
    """Yield positions with several safe edges and nothing to capture, in which one of them may win."""

    def solutions(position: Position, kinds: dict[int, int]) -> list[int]:
        if {FREE, CAPTURING} & set(kinds.values()):
            return []
        safe = [edge for edge, kind in kinds.items() if kind == SAFE]
        return safe if len(safe) >= FEWEST_SAFE else []

    return _candidates(game, generator, solutions)


def _candidates(
    game: Game,
    generator: np.random.Generator,
    solutions: Callable[[Position, dict[int, int]], list[int]],
) -> Iterator[Candidate]:
    """Yield the positions of random matches that have possible solutions, one from each match.

    `solutions` returns the edges that may be solutions of a position, given the kind of each open edge.
    Matches are played with actions, not moves, since formatting moves of positions that are thrown away
    would take long.
    """
    assert isinstance(game, Hexifence)
    if game.dimension not in MOST_OPEN:
        raise OptionError(f"puzzles have dimension 2 to {max(MOST_OPEN)}, not {game.dimension}")
    most, start = MOST_OPEN[game.dimension], game.start()
    while True:
        found = []
        position = start
        while len(position.actions) > FEWEST_OPEN:
            kinds = _kinds(position)
            if len(kinds) <= most and (edges := solutions(position, kinds)):
                found.append((position, edges))
            position = position.apply_action(_careless_edge(kinds, generator))
        if found:
            position, edges = found[int(generator.integers(len(found)))]
            yield Candidate(position, tuple(move for move in position.legal_moves if move.action in edges))


def _kinds(position: Position) -> dict[int, int]:
    """Return the kind of each open edge."""
    kinds = kinds_of(new_edge_set(position.words))
    return {edge: kinds[edge] for edge in position.actions}


def _careless_edge(kinds: dict[int, int], generator: np.random.Generator) -> int:
    """Return a random capturing edge, else a safe one, else any. Now and then ignore this and return any."""
    edges = list(kinds)
    if generator.random() >= RANDOM_SHARE:
        for good in ((FREE, CAPTURING), (SAFE,)):
            edges = [edge for edge in kinds if kinds[edge] in good] or edges
            if len(edges) < len(kinds):
                break
    return edges[int(generator.integers(len(edges)))]
