"""The tables of the store, and the migrations that bring older files up to date.

`PRAGMA application_id` identifies our files, `PRAGMA user_version` is the schema
version: the number of migrations applied. A released migration never changes.
"""

import sqlite3

APPLICATION_ID = 0x62674D61
"""The application ID of our SQLite files, `bgMa` in ASCII."""

_VERSION_1 = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    """
    CREATE TABLE players (
        id INTEGER PRIMARY KEY,
        agent TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        limits TEXT NOT NULL,
        UNIQUE (agent, fingerprint, limits)
    )
    """,
    # `course` is a hash of the start and the moves, `text` a hash of the whole record
    """
    CREATE TABLE matches (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        played TEXT NOT NULL,
        game TEXT NOT NULL,
        variant TEXT NOT NULL,
        first INTEGER NOT NULL REFERENCES players,
        second INTEGER NOT NULL REFERENCES players,
        winner INTEGER CHECK (winner IN (0, 1)),
        termination TEXT,
        plies INTEGER NOT NULL,
        first_seconds REAL NOT NULL,
        second_seconds REAL NOT NULL,
        fault TEXT NOT NULL,
        course BLOB NOT NULL,
        text BLOB NOT NULL,
        record TEXT NOT NULL
    )
    """,
    "CREATE INDEX matches_by_text ON matches (text)",
    "CREATE INDEX matches_by_first ON matches (first)",
    "CREATE INDEX matches_by_second ON matches (second)",
    """
    CREATE INDEX encounters ON matches (game, variant, first, second, winner, course)
    WHERE termination IS NOT NULL
    """,
)

_VERSION_2 = (
    """
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        game TEXT NOT NULL,
        key TEXT NOT NULL,
        settings TEXT NOT NULL,
        seed TEXT NOT NULL,
        started TEXT NOT NULL,
        finished TEXT
    )
    """,
    """
    CREATE TABLE ratings (
        run INTEGER NOT NULL REFERENCES runs,
        player INTEGER NOT NULL REFERENCES players,
        matches INTEGER NOT NULL,
        elo REAL,
        low REAL,
        high REAL,
        PRIMARY KEY (run, player)
    )
    """,
    "ALTER TABLE matches ADD COLUMN run INTEGER REFERENCES runs",
    "ALTER TABLE matches ADD COLUMN number INTEGER",
    "CREATE UNIQUE INDEX matches_by_number ON matches (run, number) WHERE run IS NOT NULL",
    "CREATE INDEX runs_by_key ON runs (key)",
)

_VERSION_3 = (
    """
    CREATE TABLE served (
        key TEXT PRIMARY KEY,
        saved TEXT NOT NULL,
        data TEXT NOT NULL,
        record TEXT NOT NULL
    )
    """,
)

MIGRATIONS = (_VERSION_1, _VERSION_2, _VERSION_3)
VERSION = len(MIGRATIONS)


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the schema version of a database, or 0 if it is empty.

    Examples
    --------
    >>> schema_version(sqlite3.connect(":memory:"))
    0
    """
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    assert isinstance(version, int)
    return version


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Migrate a database from `version` to the next one, in the caller's transaction.

    Examples
    --------
    >>> connection = sqlite3.connect(":memory:")
    >>> migrate(connection, 0)
    >>> schema_version(connection)
    1
    """
    for statement in MIGRATIONS[version]:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {version + 1}")
