"""A slow reference for matches, played position by position."""

from boardgames.declarations import NO_REPETITION
from boardgames.game import Position
from boardgames.repetition import allowed_actions, outcome_after


class SlowMatch:
    """A match as a list of positions, with the rules for its end."""

    def __init__(self, start: Position, ply_limit: int) -> None:
        self.positions = [start]
        self.ply_limit = ply_limit
        self.repetition = start.game.facts.repetition or NO_REPETITION

    @property
    def actions(self) -> tuple[int, ...]:
        """The legal actions; none after the end of the match."""
        if self.end() is not None:
            return ()
        return allowed_actions(self.positions[-1], self.positions[:-1], self.repetition)

    def end(self) -> tuple[int | None, bool] | None:
        """Return the winner and whether the match was truncated, or None if it is not over."""
        last = self.positions[-1]
        outcome = outcome_after(self.positions, self.repetition)
        if outcome is not None:
            return outcome.winner, False
        if len(self.positions) > self.ply_limit:
            return last.outcome_at_limit.winner, not last.game.kernels.decides_at_limit
        return None

    def after(self, action: int) -> "SlowMatch":
        """Return the match after another move."""
        longer = SlowMatch(self.positions[0], self.ply_limit)
        longer.positions = [*self.positions, self.positions[-1].apply_action(action)]
        return longer
