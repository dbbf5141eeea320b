"""Matches, runs and ratings, kept in one SQLite file that any number of processes use at once.

    from boardgames.store import NewMatch, Store

    with Store() as store:
        store.add([NewMatch.of(record)])

Nothing here is needed for play.
"""

from boardgames.store.files import default_path, has_store
from boardgames.store.store import Store
from boardgames.store.values import (
    Encounter,
    NewMatch,
    PlayerKey,
    Rating,
    Run,
    StoredMatch,
    course_of,
    variant_of,
)

__all__ = [
    "Encounter",
    "NewMatch",
    "PlayerKey",
    "Rating",
    "Run",
    "Store",
    "StoredMatch",
    "course_of",
    "default_path",
    "has_store",
    "variant_of",
]
