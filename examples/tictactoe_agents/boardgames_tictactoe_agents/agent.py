"""An agent with options."""

from typing import ClassVar

from boardgames import Choice, Context, Limit, Option, Player, Position
from boardgames.player import NO_CONTEXT, NO_LIMIT


class Watchful(Player):
    """Wins at once if it can, blocks the opponent if told to, and otherwise plays at random."""

    name: ClassVar[str] = "watchful"
    declared_options = (
        Option("blocks", bool, True, "prevent the opponent from winning at once"),
        Option("care", float, 1.0, "probability of looking for wins and threats", minimum=0, maximum=1),
    )

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return a move; the match seeds `self.random`, so matches can be repeated."""
        moves, care = position.legal_moves, self.options["care"]
        assert isinstance(care, float)  # the type that the option declares
        if self.random.random() < care:
            wins = [move for move in moves if position.apply(move).outcome is not None]
            safe = [move for move in moves if not _can_win(position.apply(move))]
            moves = tuple(wins or (safe if self.options["blocks"] and safe else moves))
        return Choice(moves[int(self.random.integers(len(moves)))])


def _can_win(position: Position) -> bool:
    """Return True if the side to move can win at once."""
    if position.outcome is not None:
        return False
    outcomes = [position.apply(move).outcome for move in position.legal_moves]
    return any(outcome is not None and outcome.winner is not None for outcome in outcomes)
