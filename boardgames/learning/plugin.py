"""The learners that every game with features has."""

from boardgames.hookspecs import Entry, hookimpl


@hookimpl
def bg_learners() -> list[Entry]:
    """Offer the core's learners."""
    return [Entry("td", "TD(lambda) in self-play", "boardgames.learning.td:TemporalDifference")]
