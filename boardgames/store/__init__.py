"""Matches, runs and ratings in one SQLite file, which any number of processes can use at the same time.

    from boardgames.store import NewMatch, Store

    with Store() as store:
        store.add([NewMatch.from_record(record)])

Matches can be played without a store.
"""

from boardgames.store.database import default_path, has_store
from boardgames.store.store import Store
from boardgames.store.values import (
    Added,
    MatchSummary,
    NewMatch,
    PlayerKey,
    Rating,
    ResultCount,
    ServedMatch,
    StoredMatch,
    StoredRun,
    moves_hash,
    variant_of,
)

__all__ = [
    "Added",
    "MatchSummary",
    "NewMatch",
    "PlayerKey",
    "Rating",
    "ResultCount",
    "ServedMatch",
    "Store",
    "StoredMatch",
    "StoredRun",
    "default_path",
    "has_store",
    "moves_hash",
    "variant_of",
]
