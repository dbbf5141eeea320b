"""The agent `siege`: alpha-beta search that seeks contact with the opponent once a match is stuck.

An opponent that keeps its marbles together and never attacks leaves the centre to the search, which
then sees no way to improve its position. When nothing has been pushed off for some plies, this
agent adds a term to the evaluation `engine`: each pair of touching marbles of different sides
counts in favour of the agent. Its marbles then surround the group, so that pushes at its
corners come within the horizon. The term has a point of view of its own, because an opponent
that waits avoids contact.
"""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from boardgames.declarations import Evaluation
from boardgames.game import Game, Position
from boardgames.kernels import Evaluate, Reals, Words, kernel, popcount
from boardgames.options import Option
from boardgames.player import NO_CONTEXT, NO_LIMIT, Analysis, Context, Limit, fingerprint_of
from boardgames.players.alphabeta import AlphaBeta
from boardgames.search.alphabeta.searcher import Searcher
from boardgames_abalone.evaluation import engine_evaluation, evaluate_engine
from boardgames_abalone.rules import ONE, STATUS, behind

CONTACT = 8.0
"""What a pair of touching marbles of different sides is worth to the besieger, in centimarbles."""
PATIENCE = Option(
    "patience", int, 10, "plies without a push-off after which it seeks contact", minimum=0, maximum=1000
)


class Siege(AlphaBeta):
    """Searches as `alphabeta` does until nothing has been pushed off for `patience` plies."""

    name: ClassVar[str] = "siege"
    declared_options = (*AlphaBeta.declared_options, PATIENCE)

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self._besiegers = [Searcher(game, siege_evaluation(side), self.search_options()) for side in range(2)]

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the value of every legal move, or of the best `lines`, each searched to the same depth."""
        if plies_without_progress(position, context) < int(self.options[PATIENCE.name] or 0):
            return super().analyse(position, limit, context, lines=lines)
        self._check_position(position, lines=lines)
        besieger = self._besiegers[position.side_to_move]
        return besieger.search(position, self._limit(limit), context, lines=lines)

    def match_started(self, side: int) -> None:
        """Forget the previous match, and allocate the memory of the searches before the clock runs."""
        super().match_started(side)
        for besieger in self._besiegers:
            besieger.forget()
        self._besiegers[side].prepare()

    def close(self) -> None:
        """Free the memory of the searches, after waiting for a search in another thread to end."""
        super().close()
        with self._in_use(wait=True):
            for besieger in self._besiegers:
                besieger.release()

    def fingerprint(self) -> str:
        """Return the hash of the evaluations and of the books, if there are any."""
        return fingerprint_of(super().fingerprint().encode(), siege_evaluation(0).weights.tobytes())


def plies_without_progress(position: Position, context: Context) -> int:
    """Return the number of plies since the last push-off, or since the start of the match.

    Examples
    --------
    >>> import boardgames
    >>> start = boardgames.load("abalone").start()
    >>> plies_without_progress(start.apply("a1b1"), Context(history=(start,)))
    1
    """
    plies = 0
    for earlier in reversed(context.history):
        if earlier.score != position.score:
            break
        plies += 1
    return plies


@kernel(Evaluate)
def evaluate_siege(position: Words, weights: Reals) -> float:
    """Return the evaluation `engine`, in which contact counts in favour of one side, for the side to move.

    Parameters
    ----------
    position : uint64[5]
        Packed position.
    weights : float64[36]
        Those of `engine`, the side in whose favour contact counts, and the weight of a contact.
    """
    black_low, black_high, white_low, white_high = position[0], position[1], position[2], position[3]
    contacts = 0
    for direction in range(6):
        low, high = behind(white_low, white_high, direction)
        contacts += popcount(black_low & low) + popcount(black_high & high)
    value = weights[35] * contacts
    if np.int64(weights[34]) != np.int64(position[STATUS] & ONE):
        value = -value
    return evaluate_engine(position, weights) + value


def siege_evaluation(side: int) -> Evaluation:
    """Return the evaluation of a besieger that plays `side`."""
    engine = engine_evaluation()
    weights = np.array([*engine.weights, side, CONTACT])
    return replace(engine, name="siege", kernel=evaluate_siege, weights=weights)
