"""Critical positions: those in which only some of the legal moves keep the result of perfect play.

A game's solver finds them among random positions. The share of critical positions in which an agent keeps
the result measures its strength without an opponent.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boardgames.batch import Batch
from boardgames.errors import OptionError
from boardgames.game import Game, Position
from boardgames.kernels import Actions, Words
from boardgames.player import ExactPlayer
from boardgames.plugins import close_player, load_player, solver_of

MOST_PLIES = 29
"""Maximum number of random moves before a position."""
MATCHES = 64
"""Number of random matches that are played side by side to find positions."""
MAX_TRIES = 10_000
"""Maximum number of matches that are played for each critical position."""


@dataclass(frozen=True, slots=True, eq=False)
class CriticalPositions:
    """Positions with the moves that keep the result of perfect play.

    Attributes
    ----------
    positions : uint64[n, words]
        Packed positions.
    keeping : bool[n, actions]
        The actions that keep the result; at least one in each position, and not all that are legal.
    """

    positions: Words
    keeping: npt.NDArray[np.bool_]

    def share_kept(self, actions: Actions) -> float:
        """Return the share of positions in which the action, `int64[n]`, keeps the result."""
        return float(self.keeping[np.arange(len(actions)), actions].mean())


def find_critical_positions(
    game: Game, count: int, *, most_plies: int = MOST_PLIES, seed: int
) -> CriticalPositions:
    """Return `count` different critical positions, each reached by 0 to `most_plies` random moves.

    Raises
    ------
    OptionError
        If the game has no solver, or hardly any random position is critical.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4", columns=4, rows=4)
    >>> found = find_critical_positions(game, 10, seed=1)
    >>> found.share_kept(found.keeping.argmax(axis=1)), found.share_kept(found.keeping.argmin(axis=1))
    (1.0, 0.0)
    """
    solver = load_player(needed_solver(game), game)
    try:
        assert isinstance(solver, ExactPlayer)
        return _find(game, solver, count, most_plies, seed)
    finally:
        close_player(solver)


def needed_solver(game: Game) -> str:
    """Return the name of the agent that finds critical positions; raise OptionError if there is none."""
    name = solver_of(game)
    if name is None:
        raise OptionError(f"{game.facts.name} has no solver, which is needed to find critical positions")
    return name


def _find(game: Game, solver: ExactPlayer, count: int, most_plies: int, seed: int) -> CriticalPositions:
    generator = np.random.default_rng(seed)
    batch = Batch(game, MATCHES, ply_limit=most_plies + 1, seed=seed, threads=1)
    found: dict[Position, npt.NDArray[np.bool_]] = {}
    others: set[Position] = set()
    played = 0
    while len(found) < count:
        if played > MAX_TRIES * (1 + len(found)):
            raise OptionError(
                f"critical positions of {game.facts.name} are too rare: {len(found)} of {count} were found "
                f"in {played:,} random matches"
            )
        played += batch.size
        batch.reset()
        plies = generator.integers(most_plies + 1, size=batch.size)
        while (going := (batch.plies < plies) & ~batch.over).any():
            batch.step(batch.sample(), which=going)
        for match in np.flatnonzero(~batch.over).tolist():
            position = batch.position(match)
            if len(found) == count or position in found or position in others:
                continue
            keeping = _keeping(position, solver)
            if keeping is None:
                others.add(position)
            else:
                found[position] = keeping
    words = np.array([position.words for position in found], dtype=np.uint64)
    return CriticalPositions(words, np.array(list(found.values())))


def _keeping(position: Position, solver: ExactPlayer) -> npt.NDArray[np.bool_] | None:
    """Return which actions keep the result of perfect play; None if all legal ones do."""
    side, game = position.side_to_move, position.game
    moves = position.legal_moves
    successors = [position.apply(move) for move in moves]
    going_on = [successor for successor in successors if successor.outcome is None]
    scores = dict(zip(going_on, solver.scores(going_on), strict=True)) if going_on else {}
    results = []
    for successor in successors:
        if successor.outcome is None:
            results.append(scores[successor].sign * (1 if successor.side_to_move == side else -1))
        else:
            winner = successor.outcome.winner
            results.append(0 if winner is None else 1 if winner == side else -1)
    best = max(results)
    if min(results) == best:
        return None
    keeping = np.zeros(game.facts.actions, dtype=np.bool_)
    keeping[[game.encode(move) for move, result in zip(moves, results, strict=True) if result == best]] = True
    return keeping
