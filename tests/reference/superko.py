"""Values of positions with a rule about repetition, by full minimax over whole histories in plain Python."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

from boardgames.declarations import Repetition
from boardgames.game import Position

Occurrences = frozenset[tuple[bytes, int]]


def best_moves(
    position: Position, history: Sequence[Position], repetition: Repetition
) -> tuple[int, dict[str, int]]:
    """Return the result for the side to move, 1, 0 or -1, and the result of each allowed move."""
    facts = position.game.facts
    key: dict[bytes, Position] = {}

    @cache
    def value(words: bytes, mover: int, seen: Occurrences) -> int:
        """Return the result for side 0 after a move of `mover`; `seen` includes the position itself."""
        here = key[words]
        if here.outcome is not None:
            return int(here.outcome.returns[0])
        counts = dict(seen)
        if repetition.meaning in ("draw", "loss") and counts[words] >= repetition.count:
            return 0 if repetition.meaning == "draw" else 2 * mover - 1
        values = moves(here, counts).values()
        side = here.side_to_move
        if not values:
            return 0 if facts.no_moves_draws else 2 * side - 1
        return max(values) if side == 0 else min(values)

    def moves(here: Position, counts: dict[bytes, int]) -> dict[str, int]:
        values = {}
        for move in here.legal_moves:
            after = here.apply(move)
            words = after.words.tobytes()
            key[words] = after
            seen = Counter(counts)
            seen[words] += 1
            if repetition.meaning == "forbidden" and seen[words] >= repetition.count:
                continue
            values[move.text] = value(words, here.side_to_move, frozenset(seen.items()))
        return values

    sign = 1 - 2 * position.side_to_move
    counts = Counter(one.words.tobytes() for one in (*history, position))
    values = {text: sign * number for text, number in moves(position, dict(counts)).items()}
    return max(values.values(), default=-2), values
