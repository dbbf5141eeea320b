"""Rules in which the earlier positions of a match are part of the packed position.

Repetition is a rule about a match, but kernels only see a position. For a game with such a rule, searches,
playouts and self-play therefore get other kernels, which work on longer positions: the words of the game,
followed by a key for each position so far. A forbidden move is not among the legal moves, and a
repeated position that ends the match has an outcome. So the generic kernels need not know the rule, and
games without such a rule are not affected.

The words after those of the game are

    ended   0 while repetition has not ended the match, otherwise the result of the match + 1
    count   number of positions so far, including this one
    sum     sum of their mixed keys, which does not depend on their order
    keys    a ring of keys, one for each position; when it is full, the oldest keys are overwritten

Two positions have the same key in a transposition table only if the same positions came before them, because
the value may depend on these (M. Campbell, "The graph-history interaction: on ignoring position history",
1985). A table therefore saves less work than in other games.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from boardgames.declarations import (
    Evaluation,
    FeatureSet,
    Kernels,
    Repetition,
    no_move_order,
    no_outcome_at_limit,
    no_pass_turn,
    no_tactical_moves,
    position_key,
)
from boardgames.game import Game, Position
from boardgames.kernels import (
    Actions,
    Apply,
    Evaluate,
    Features,
    LegalMoves,
    MoveOrder,
    OutcomeOf,
    PassTurn,
    PositionKey,
    Reals,
    SideToMove,
    Words,
    head,
    head_out,
    kernel,
    local_words,
    mix,
    types,
)
from boardgames.kernels.abi import ACTIONS_OUT, WORDS
from boardgames.search.rules import DRAWN, ONGOING

ENDED, COUNT, SUM, KEYS = range(4)
"""Offsets of these words from the end of the game's own words."""
ROOM = 256
"""The number of keys is a multiple of this, so that a longer match rarely needs a new workspace."""
MAX_REMEMBERED = 1024
"""Maximum number of positions that are remembered; repetitions of older positions go unnoticed."""
ZERO, ONE = np.uint64(0), np.uint64(1)


@dataclass(frozen=True)
class Remembering:
    """A game for kernels that remember the positions of a match.

    Attributes
    ----------
    game : Game
        A copy of the game with longer positions and other kernels, for workspaces only: it cannot read,
        write or draw positions.
    words : int
        Length of the game's own positions, with which the longer ones begin.
    """

    game: Game
    words: int

    @property
    def room(self) -> int:
        """Return the number of positions that can be remembered."""
        return self.game.facts.words - self.words - KEYS

    def pack(self, position: Position, history: Sequence[Position] = ()) -> Words:
        """Pack a position and the positions before it into one longer position, `uint64[n]`.

        Parameters
        ----------
        history : sequence of Position
            The earlier positions of the match, oldest first.
        """
        packed = np.zeros(self.game.facts.words, dtype=np.uint64)
        packed[: self.words] = position.words
        tail = packed[self.words :]
        total = 0
        for count, one in enumerate((*history, position)):
            key = position_key(one.words)
            tail[KEYS + count % self.room] = key
            total += int(mix(key))
        tail[COUNT], tail[SUM] = len(history) + 1, total % 2**64
        return packed

    def evaluation(self, evaluation: Evaluation) -> Evaluation:
        """Return an evaluation of the game as an evaluation of longer positions.

        If repetition has ended the match, a win has the largest possible value and a draw the value 0.
        """
        evaluate = _evaluate(
            evaluation.kernel, self.words, self.game.kernels.side_to_move, float(evaluation.bound)
        )
        return replace(evaluation, kernel=evaluate)

    def features(self, features: FeatureSet) -> FeatureSet:
        """Return a feature set of the game as a feature set of longer positions."""
        return replace(features, kernel=_features(features.kernel, self.words))


def remembering(game: Game, repetition: Repetition, positions: int) -> Remembering:
    """Return the rules of a game together with a rule about repeated positions.

    Parameters
    ----------
    positions : int
        Number of positions to remember, in the match and in a search together.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> rules = remembering(game, Repetition("forbidden"), 10)
    >>> rules.pack(game.start()).size == game.facts.words + KEYS + ROOM
    True
    """
    words = game.facts.words
    kernels = _kernels(game.kernels, words, repetition.meaning, repetition.count)
    longer = copy(game)
    longer.facts = replace(game.facts, words=words + KEYS + -(-positions // ROOM) * ROOM)
    longer.kernels = kernels
    return Remembering(longer, words)


def declared_remembering(game: Game, ply_limit: int) -> Remembering | None:
    """Return the rules of a game with its own rule about repetition, or None if it has no such rule."""
    return remembering_if_needed(game, game.facts.repetition, ply_limit)


def remembering_if_needed(game: Game, rule: Repetition | None, plies: int) -> Remembering | None:
    """Return the rules for matches of at most `plies` plies, or None if there is no rule about repetition."""
    if rule is None or rule.meaning == "none":
        return None
    return remembering(game, rule, min(plies, MAX_REMEMBERED))


@cache
def _features(base: Callable[[Words, int, Reals], None], words: int) -> Callable[[Words, int, Reals], None]:
    @kernel(Features)
    def features(position: Words, side: int, out: Reals) -> None:
        """Write the features from the point of view of a side."""
        base(head(position, words), side, out)

    return features


@cache
def _evaluate(
    base: Callable[[Words, Reals], float], words: int, side_to_move: Callable[[Words], int], bound: float
) -> Callable[[Words, Reals], float]:
    @kernel(Evaluate)
    def evaluate(position: Words, weights: Reals) -> float:
        """Return the value of a position for its side to move."""
        ended = np.int64(position[words + ENDED]) - 1
        if ended == ONGOING:
            return base(head(position, words), weights)
        if ended == DRAWN:
            return 0.0
        return bound if ended == side_to_move(position) else -bound

    return evaluate


@kernel(types.int64(WORDS, types.int64, types.uint64))
def count_key(position: Words, first: int, key: np.uint64) -> int:
    """Return how often a key occurs among the keys of a longer position, which begin at `first`."""
    count, room = int(np.int64(position[first - KEYS + COUNT])), position.size - first
    occurrences = 0
    for place in range(first, first + (min(room, count))):
        if position[place] == key:
            occurrences += 1
    return occurrences


@cache
def _kernels(base: Kernels, words: int, meaning: str, least: int) -> Kernels:  # noqa: C901 - many kernels
    """Return the kernels for longer positions, given those of the game and the length of its positions."""
    base_moves, base_apply, base_side, base_outcome = (
        base.legal_moves, base.apply, base.side_to_move, base.outcome,
    )  # fmt: skip
    base_order, base_tactical, base_pass, base_limit = (
        base.move_order, base.tactical_moves, base.pass_turn, base.outcome_at_limit,
    )  # fmt: skip
    forbids, draws, first = meaning == "forbidden", meaning == "draw", words + KEYS

    @kernel(PositionKey)
    def key_of(position: Words) -> np.uint64:
        """Return the key of a position together with the set of earlier positions."""
        return position_key(head(position, words)) ^ mix(position[words + SUM] + position[words + ENDED])

    @kernel(Apply)
    def apply(position: Words, action: int, successor: Words) -> None:
        """Write the position after a move, and remember it."""
        base_apply(head(position, words), action, head_out(successor, words))
        count, room = int(np.int64(position[words + COUNT])), position.size - first
        key = position_key(head(successor, words))
        for place in range(first, first + (min(room, count))):
            successor[place] = position[place]
        successor[words + ENDED] = ZERO
        if not forbids and count_key(position, first, key) + 1 >= least:
            loser = base_side(head(position, words))
            successor[words + ENDED] = np.uint64(DRAWN + 1 if draws else 2 - loser)
        successor[words + COUNT] = position[words + COUNT] + ONE
        successor[words + SUM] = position[words + SUM] + mix(key)
        successor[first + count % room] = key

    @kernel(types.int64(WORDS, ACTIONS_OUT, types.int64))
    def keep_allowed(position: Words, moves: Actions, count: int) -> int:
        """Remove the moves to forbidden positions from the first `count`, and return how many are left."""
        successor = local_words(words)
        kept = 0
        for index in range(count):
            base_apply(head(position, words), moves[index], head_out(successor, words))
            if count_key(position, first, position_key(head(successor, words))) + 1 < least:
                moves[kept] = moves[index]
                kept += 1
        return kept

    @kernel(LegalMoves)
    def legal_moves(position: Words, moves: Actions) -> int:
        """Write the legal moves that are not forbidden; none if repetition has ended the match."""
        if position[words + ENDED] != ZERO:
            return 0
        count = base_moves(head(position, words), moves)
        return keep_allowed(position, moves, count) if forbids else count

    @kernel(LegalMoves)
    def tactical_moves(position: Words, moves: Actions) -> int:
        """Write the tactical moves that are not forbidden; none if repetition has ended the match."""
        if position[words + ENDED] != ZERO:
            return 0
        count = base_tactical(head(position, words), moves)
        return keep_allowed(position, moves, count) if forbids else count

    @kernel(SideToMove)
    def side_to_move(position: Words) -> int:
        """Return the side to move."""
        return base_side(head(position, words))

    @kernel(OutcomeOf)
    def outcome(position: Words) -> int:
        """Return the result by the rules of the game, or else by repetition."""
        result = base_outcome(head(position, words))
        return int(result if result != ONGOING else np.int64(position[words + ENDED]) - 1)

    @kernel(MoveOrder)
    def move_order(position: Words, action: int) -> int:
        """Return the rank of a move."""
        return base_order(head(position, words), action)

    @kernel(PassTurn)
    def pass_turn(position: Words, successor: Words) -> None:
        """Write the position after a null move, which is not remembered."""
        base_pass(head(position, words), head_out(successor, words))
        for place in range(words, position.size):
            successor[place] = position[place]

    @kernel(OutcomeOf)
    def outcome_at_limit(position: Words) -> int:
        """Return the result at a limit of plies."""
        return base_limit(head(position, words))

    return Kernels(
        legal_moves,
        apply,
        side_to_move,
        outcome,
        move_order=base_order if base_order is no_move_order else move_order,
        tactical_moves=base_tactical if base_tactical is no_tactical_moves else tactical_moves,
        symmetric_key=key_of,
        pass_turn=base_pass if base_pass is no_pass_turn else pass_turn,
        outcome_at_limit=base_limit if base_limit is no_outcome_at_limit else outcome_at_limit,
    )
