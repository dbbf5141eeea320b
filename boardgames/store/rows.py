"""The queries of the store, and how their rows are read and written.

Columns of `matches` besides the plain ones: `course` is the hash of start and
moves, `text` that of the whole record.
"""

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Any

from boardgames import pgn
from boardgames.errors import MatchError, StoreError, shown
from boardgames.store.values import NewMatch, PlayerKey, Run, StoredMatch, course_of

Row = tuple[Any, ...]  # what a query asks for

MATCHES = """
    SELECT matches.id, played,
        one.agent, one.fingerprint, one.limits, two.agent, two.fingerprint, two.limits,
        record, game, variant, winner, termination, plies, first_seconds, second_seconds, fault,
        run, number, course
    FROM matches JOIN players AS one ON one.id = first JOIN players AS two ON two.id = second
"""
FILTERS = {
    "game": "game = :game",
    "run": "run = :run",
    "faults": "(fault <> '' OR termination IN ('time', 'illegal-move', 'crash'))",
    "result": """(termination IS NOT NULL
        AND winner IS CASE :result WHEN '1-0' THEN 0 WHEN '0-1' THEN 1 ELSE NULL END)""",
    "ids": "matches.id IN (SELECT value FROM json_each(:ids))",
    "agent": """(first IN (SELECT id FROM players WHERE agent = :agent OR instr(agent, :agent || ':') = 1)
        OR second IN (SELECT id FROM players WHERE agent = :agent OR instr(agent, :agent || ':') = 1))""",
}
INSERT = """
    INSERT INTO matches (played, game, variant, first, second, winner, termination, plies,
        first_seconds, second_seconds, fault, course, text, record, run, number)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
RUNS = """
    SELECT id, kind, game, key, settings, seed, started, finished,
        (SELECT COUNT(*) FROM matches WHERE run = runs.id)
    FROM runs
"""
RATINGS = """
    SELECT agent, fingerprint, limits, matches, elo, low, high
    FROM ratings JOIN players ON players.id = player
    WHERE run = ? ORDER BY elo DESC, agent, fingerprint, limits
"""
ENCOUNTERS = """
    SELECT one.agent, one.fingerprint, one.limits, two.agent, two.fingerprint, two.limits, winner, times
    FROM (
        SELECT first, second, winner, COUNT(DISTINCT course) AS times FROM matches
        WHERE game = ? AND variant = ? AND termination IS NOT NULL AND first <> second
        GROUP BY first, second, winner
    )
    JOIN players AS one ON one.id = first JOIN players AS two ON two.id = second
    ORDER BY 1, 2, 3, 4, 5, 6, winner IS NULL, winner
"""
TAKEN = "SELECT number FROM matches WHERE run = ? AND number IN (SELECT value FROM json_each(?))"


class Players:
    """The ids of players within one transaction; who is not known yet is added."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._ids: dict[PlayerKey, int] = {}

    def id_of(self, player: PlayerKey) -> int:
        """Return the player's id."""
        if player not in self._ids:
            key = (plain(player.agent), plain(player.fingerprint), plain(player.limits))
            query = "INSERT OR IGNORE INTO players (agent, fingerprint, limits) VALUES (?, ?, ?)"
            self._connection.execute(query, key)
            query = "SELECT id FROM players WHERE agent = ? AND fingerprint = ? AND limits = ?"
            self._ids[player] = self._connection.execute(query, key).fetchone()[0]
        return self._ids[player]


def is_kept(connection: sqlite3.Connection, text: bytes) -> bool:
    """Say whether a record of this hash is kept."""
    return connection.execute("SELECT 1 FROM matches WHERE text = ?", [text]).fetchone() is not None


def insert(connection: sqlite3.Connection, match: NewMatch, players: Players, *, played: str) -> int:
    """Add a match within the caller's transaction and return its id."""
    row = [
        played,
        plain(match.game),
        plain(match.variant),
        players.id_of(match.players[0]),
        players.id_of(match.players[1]),
        match.winner,
        None if match.termination is None else str(match.termination),
        match.plies,
        *match.seconds,
        plain(match.fault),
        _course(match.record),
        hash_of(match.record),
        plain(match.record),
        match.run,
        match.number,
    ]
    number = connection.execute(INSERT, row).lastrowid
    assert number is not None
    return number


def match_of(row: Row) -> StoredMatch:
    """Return the match of a row of `MATCHES`."""
    key, played, *players = row[:8]
    record, game, variant, winner, termination, plies, first, second, fault, run, number, course = row[8:]
    return StoredMatch(
        key,
        played,
        players=(PlayerKey(*players[:3]), PlayerKey(*players[3:])),
        record=record,
        game=game,
        variant=variant,
        winner=winner,
        termination=termination,
        plies=plies,
        seconds=(first, second),
        fault=fault,
        run=run,
        number=number,
        course=course,
    )


def run_of(row: Row) -> Run:
    """Return the run of a row of `RUNS`."""
    number, kind, game, key, settings, seed, started, finished, matches = row
    try:
        read = json.loads(settings)
        return Run(number, kind, game, key, read, int(seed), started, finished, matches)
    except (ValueError, RecursionError):
        raise StoreError(f"expected JSON and a seed of run {number}: {shown((settings, seed))}") from None


def hash_of(text: str) -> bytes:
    """Return the hash under which a text is kept."""
    return hashlib.sha256(plain(text).encode()).digest()


def plain(text: str) -> str:
    """Return a text that UTF-8 can hold: lone surrogates, of file names say, become question marks."""
    return text.encode(errors="replace").decode()


def check_run(connection: sqlite3.Connection, run: int) -> None:
    """Raise MatchError unless the run is there."""
    if connection.execute("SELECT 1 FROM runs WHERE id = ?", [run]).fetchone() is None:
        raise MatchError(f"expected a run that is kept: {run!r}")


def check_numbers(connection: sqlite3.Connection, matches: Sequence[NewMatch]) -> None:
    """Raise MatchError unless every run is there and has no match of a number that is to come."""
    coming = Counter((match.run, match.number) for match in matches if match.run is not None)
    for run in {run for run, _ in coming}:
        numbers = [number for other, number in coming if other == run and number is not None]
        check_run(connection, run)
        taken = {row[0] for row in connection.execute(TAKEN, [run, json.dumps(numbers)])}
        taken |= {number for number in numbers if coming[run, number] > 1}
        if taken:
            told = ", ".join(str(number) for number in sorted(taken))
            raise MatchError(f"expected matches that run {run} does not have yet: number {told}")


def _course(record: str) -> bytes:
    """Return the hash of a record's start and moves."""
    match = pgn.parse_match(record.split("\n"))
    start = next((value for name, value in match.tags if name == "Start"), "")
    return course_of(start, match.moves)
