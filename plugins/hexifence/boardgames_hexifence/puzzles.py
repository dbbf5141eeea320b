"""Candidates for puzzles: late positions of matches between careless sides, by the kind of solution.

Both sides usually capture what they can and draw safe edges otherwise, and make a random move now
and then. The number of open edges is small enough for the solver.
"""

from collections.abc import Callable, Iterator

import numpy as np

from boardgames.errors import OptionError
from boardgames.game import Game, Move, Position
from boardgames.puzzles import Candidate
from boardgames_hexifence.chains import chains_of
from boardgames_hexifence.edges import kind_of, new_edge_set
from boardgames_hexifence.features import CAPTURING, FREE, SACRIFICING, SAFE
from boardgames_hexifence.game import Hexifence

FEWEST_OPEN = 5
MOST_OPEN = {2: 24, 3: 22}
"""Largest number of open edges, by dimension."""
RANDOM_SHARE = 0.1
"""Share of random moves."""
FEWEST_SAFE = 3
"""Minimum number of safe edges in a position in which only one of them wins."""


def sacrifices(game: Game, generator: np.random.Generator) -> Iterator[Candidate]:
    """Yield positions with a safe edge and nothing to capture, in which a sacrifice may win."""

    def solutions(position: Position, kinds: dict[Move, int]) -> list[Move]:
        is_quiet = SAFE in kinds.values() and not {FREE, CAPTURING} & set(kinds.values())
        return [move for move, kind in kinds.items() if kind == SACRIFICING] if is_quiet else []

    return _candidates(game, generator, solutions)


def hand_outs(game: Game, generator: np.random.Generator) -> Iterator[Candidate]:
    """Yield positions with an opened chain or loop whose last cells can be handed out."""

    def solutions(position: Position, kinds: dict[Move, int]) -> list[Move]:
        opened = {edge for chain in chains_of(position.words) if chain.is_opened for edge in chain.edges}
        return [move for move, kind in kinds.items() if kind == SACRIFICING and move.action in opened]

    return _candidates(game, generator, solutions)


def safe_edges(game: Game, generator: np.random.Generator) -> Iterator[Candidate]:
    """Yield positions with several safe edges and nothing to capture, in which one of them may win."""

    def solutions(position: Position, kinds: dict[Move, int]) -> list[Move]:
        if {FREE, CAPTURING} & set(kinds.values()):
            return []
        safe = [move for move, kind in kinds.items() if kind == SAFE]
        return safe if len(safe) >= FEWEST_SAFE else []

    return _candidates(game, generator, solutions)


def _candidates(
    game: Game,
    generator: np.random.Generator,
    solutions: Callable[[Position, dict[Move, int]], list[Move]],
) -> Iterator[Candidate]:
    """Yield the positions of random matches that have possible solutions, one from each match."""
    assert isinstance(game, Hexifence)
    if game.dimension not in MOST_OPEN:
        raise OptionError(f"puzzles have dimension 2 or 3, not {game.dimension}")
    most = MOST_OPEN[game.dimension]
    while True:
        found = []
        position = game.start()
        while len(position.legal_moves) > FEWEST_OPEN:
            kinds = _kinds(position)
            if len(kinds) <= most and (moves := solutions(position, kinds)):
                found.append(Candidate(position, tuple(moves)))
            position = position.apply(_careless_move(kinds, generator))
        if found:
            yield found[int(generator.integers(len(found)))]


def _kinds(position: Position) -> dict[Move, int]:
    """Return the kind of edge of each move."""
    edge_set = new_edge_set(position.words)
    return {move: int(kind_of(edge_set, move.action)) for move in position.legal_moves}


def _careless_move(kinds: dict[Move, int], generator: np.random.Generator) -> Move:
    """Return a move that captures or is safe, if there is one, or sometimes any move."""
    moves = list(kinds)
    if generator.random() >= RANDOM_SHARE:
        for good in ((FREE, CAPTURING), (SAFE,)):
            moves = [move for move in kinds if kinds[move] in good] or moves
            if len(moves) < len(kinds):
                break
    return moves[int(generator.integers(len(moves)))]
