"""Store: reads and writes matches, players, runs and ratings."""

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from boardgames import pgn
from boardgames.errors import MatchError, OptionError, StoreError, quote
from boardgames.store.database import Database, Row, default_path
from boardgames.store.lock import RunLock
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
    day_of,
    moves_hash,
    split_date,
)

PAGE_SIZE = 256
MAX_INTEGER = 2**63 - 1
RESULTS = ("1-0", "0-1", "draw")

_SELECT_MATCHES = """
    SELECT matches.id, played,
        one.agent, one.fingerprint, one.limits, two.agent, two.fingerprint, two.limits,
        record, game, variant, winner, termination, plies, first_seconds, second_seconds, fault,
        run, number, course
    FROM matches JOIN players AS one ON one.id = first JOIN players AS two ON two.id = second
"""
_COUNT_MATCHES = "SELECT COUNT(*) FROM matches"
_SELECT_SUMMARIES = """
    SELECT matches.id, played, game, one.agent, two.agent, winner, termination, plies
    FROM matches JOIN players AS one ON one.id = first JOIN players AS two ON two.id = second
    WHERE matches.id NOT IN (SELECT value FROM json_each(?)) ORDER BY matches.id DESC LIMIT ?
"""
_FILTERS = {
    "game": "game = :game",
    "run": "run = :run",
    "faults": "(fault <> '' OR termination IN ('time', 'illegal-move', 'crash'))",
    "result": """(termination IS NOT NULL
        AND winner IS CASE :result WHEN '1-0' THEN 0 WHEN '0-1' THEN 1 ELSE NULL END)""",
    "ids": "matches.id IN (SELECT value FROM json_each(:ids))",
    "agent": """(first IN (SELECT id FROM players WHERE agent = :agent OR instr(agent, :agent || ':') = 1)
        OR second IN (SELECT id FROM players WHERE agent = :agent OR instr(agent, :agent || ':') = 1))""",
}
_INSERT_MATCH = """
    INSERT INTO matches (played, game, variant, first, second, winner, termination, plies,
        first_seconds, second_seconds, fault, course, text, record, run, number)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SELECT_RUNS = """
    SELECT id, kind, game, key, settings, seed, started, finished,
        (SELECT COUNT(*) FROM matches WHERE run = runs.id)
    FROM runs
"""
_SELECT_RATINGS = """
    SELECT agent, fingerprint, limits, matches, elo, low, high
    FROM ratings JOIN players ON players.id = player
    WHERE run = ? ORDER BY elo DESC, agent, fingerprint, limits
"""
_COUNT_RESULTS = """
    SELECT one.agent, one.fingerprint, one.limits, two.agent, two.fingerprint, two.limits, winner, count
    FROM (
        SELECT first, second, winner, COUNT(DISTINCT course) AS count FROM matches
        WHERE game = ? AND variant = ? AND termination IS NOT NULL AND first <> second
        GROUP BY first, second, winner
    )
    JOIN players AS one ON one.id = first JOIN players AS two ON two.id = second
    ORDER BY 1, 2, 3, 4, 5, 6, winner IS NULL, winner
"""
_SELECT_TAKEN_NUMBERS = (
    "SELECT number FROM matches WHERE run = ? AND number IN (SELECT value FROM json_each(?))"
)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Store:
    """The stored matches, runs and ratings. Use it in one thread, as a context manager.

    Any number of processes can open the same file. Readers never wait; writers
    wait for each other.

    Parameters
    ----------
    path : Path, optional
        The file, by default the user's. It is created if it is missing.
    now : callable
        Returns the current time as an aware datetime.

    Raises
    ------
    StoreError
        If the file cannot be used, or is damaged and has been set aside. Every
        method may raise it.

    Examples
    --------
    >>> import tempfile
    >>> from boardgames.record import Record
    >>> record = Record("connect4", start="-", names=("Ann", "Bob"), moves=("4",))
    >>> match = NewMatch.from_record(record)
    >>> with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "matches.db") as store:
    ...     store.add([match, match])
    ...     [(match.id, match.players[0].agent, match.plies) for match in store.matches()]
    [1, 2]
    [(2, 'Ann', 1), (1, 'Ann', 1)]
    """

    def __init__(self, path: Path | None = None, *, now: Callable[[], datetime] = _utc_now) -> None:
        self._database = Database(default_path() if path is None else path)
        self._now = now
        self._run_locks: dict[int, RunLock] = {}

    @property
    def path(self) -> Path:
        """Return the file."""
        return self._database.path

    def close(self) -> None:
        """Close the file and release all claims on runs. May be called again."""
        while self._run_locks:
            self._run_locks.popitem()[1].release()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- matches ---------------------------------------------------------

    def add(self, matches: Sequence[NewMatch]) -> list[int]:
        """Store all of the matches or none, and return their IDs. Stored matches survive a power failure.

        Raises
        ------
        RecordError
            If the text of a record cannot be parsed.
        MatchError
            If a run does not exist or already has a match with that number.
        """
        with self._database.transaction() as connection:
            _check_numbers(connection, matches)
            players, played = _PlayerIds(connection), self._timestamp()
            return [_insert_match(connection, match, players, played=played) for match in matches]

    def add_new(self, matches: Sequence[NewMatch]) -> list[int]:
        """Store the matches whose records are not stored yet, and return their IDs.

        A record also counts as stored if the stored text lacks its date or the values of its moves, or has
        a date that it lacks.

        Raises
        ------
        RecordError, MatchError
            As for `add`.
        """
        return self.add_missing(matches).ids

    def add_missing(self, matches: Sequence[NewMatch]) -> Added:
        """Store matches as `add_new` does, and count the others that differ in their dates."""
        with self._database.transaction() as connection:
            _check_numbers(connection, matches)
            players, played = _PlayerIds(connection), self._timestamp()
            dated = _undated_texts(connection, matches)
            ids, with_date, without_date = [], 0, 0
            for match in matches:
                if (known := _known(connection, match.record, dated)) is None:
                    ids.append(_insert_match(connection, match, players, played=played))
                    undated, day = split_date(match.record)
                    dated |= {_text_hash(undated)} if day else set()
                with_date += known == "with date"
                without_date += known == "without date"
        return Added(ids, with_date, without_date)

    def matches(
        self,
        *,
        game: str | None = None,
        agent: str | None = None,
        run: int | None = None,
        faults: bool = False,
        result: str | None = None,
        ids: Iterable[int] | None = None,
        limit: int | None = None,
    ) -> Iterator[StoredMatch]:
        """Yield the matches that meet all given conditions, newest first.

        Matches are read page by page, so changes made in the meantime may be visible.

        Parameters
        ----------
        game : str, optional
            Name of the game.
        agent : str, optional
            Agent of either player: its full text, or only its name without
            options.
        run : int, optional
            ID of the run.
        faults : bool
            Only matches lost by an illegal move, on time or by a crash.
        result : str, optional
            `1-0`, `0-1` or `draw`.
        ids : iterable of int, optional
            IDs of matches.
        limit : int, optional
            Maximum number of matches.

        Raises
        ------
        OptionError
            If `result` is none of these.
        """
        filters = _given_filters(game=game, agent=agent, run=run, faults=faults, result=result, ids=ids)
        conditions = " AND ".join([*(_FILTERS[name] for name in filters), "matches.id < :before"])
        query = f"{_SELECT_MATCHES} WHERE {conditions} ORDER BY matches.id DESC LIMIT :size"
        before, left = MAX_INTEGER, MAX_INTEGER if limit is None else limit
        while left > 0:
            parameters = {**filters, "before": before, "size": min(left, PAGE_SIZE)}
            page = [_match_from_row(row) for row in self._database.named(query, parameters)]
            yield from page
            if len(page) < PAGE_SIZE:
                return
            before, left = page[-1].id, left - len(page)

    def count(self, **filters: Any) -> int:  # the filters of `matches`
        """Count the matches that meet all given conditions; the parameters are those of `matches`."""
        given = _given_filters(**filters)
        conditions = " AND ".join(_FILTERS[name] for name in given) or "TRUE"
        (count,) = self._database.named(f"{_COUNT_MATCHES} WHERE {conditions}", given)[0]
        return int(count)

    def summaries(self, *, limit: int, without: Iterable[int] = ()) -> tuple[list[MatchSummary], int]:
        """Return the newest matches without their records, newest first, and the number of all matches.

        This is much faster than `matches`.

        Parameters
        ----------
        limit : int
            Maximum number of matches.
        without : iterable of int
            IDs of matches that are neither returned nor counted.
        """
        left_out = json.dumps(list(without))
        rows = self._database.rows(_SELECT_SUMMARIES, left_out, limit)
        query = "SELECT COUNT(*) FROM matches WHERE id NOT IN (SELECT value FROM json_each(?))"
        (total,) = self._database.rows(query, left_out)[0]
        found = [
            MatchSummary(number, played, game, (one, two), winner, termination, plies)
            for number, played, game, one, two, winner, termination, plies in rows
        ]
        return found, total

    def ids_of(self, records: Iterable[str]) -> list[int]:
        """Return the IDs of the matches with these records, which are given as text."""
        query = "SELECT id FROM matches WHERE text = ?"
        return [row[0] for record in records for row in self._database.rows(query, _text_hash(record))]

    def run_matches(self, run: int) -> list[StoredMatch]:
        """Return the matches of a run, ordered by their number in it."""
        rows = self._database.rows(f"{_SELECT_MATCHES} WHERE run = ? ORDER BY number", run)
        return [_match_from_row(row) for row in rows]

    def delete(self, ids: Iterable[int]) -> int:
        """Delete matches, but not their players and runs, and return how many were deleted."""
        with self._database.transaction() as connection:
            query = "DELETE FROM matches WHERE id IN (SELECT value FROM json_each(?))"
            return connection.execute(query, [json.dumps(list(ids))]).rowcount

    def delete_run(self, run: int) -> int:
        """Delete a run with its matches and ratings, and return how many matches it had.

        Raises
        ------
        MatchError
            If there is no such run.
        """
        with self._database.transaction() as connection:
            _check_run(connection, run)
            deleted = connection.execute("DELETE FROM matches WHERE run = ?", [run]).rowcount
            connection.execute("DELETE FROM ratings WHERE run = ?", [run])
            connection.execute("DELETE FROM runs WHERE id = ?", [run])
        return deleted

    def result_counts(self, game: str, variant: str = "") -> list[ResultCount]:
        """Return how often each result has occurred, by players and sides.

        Only finished matches between different players count, and identical
        ones (same players, sides, start, moves and winner) count once.
        """
        return [
            ResultCount(PlayerKey(*row[0:3]), PlayerKey(*row[3:6]), row[6], row[7])
            for row in self._database.rows(_COUNT_RESULTS, _encodable(game), _encodable(variant))
        ]

    # --- runs ------------------------------------------------------------

    def begin_run(
        self, kind: str, game: str, *, key: str, settings: Mapping[str, object], seed: int
    ) -> StoredRun:
        """Store a new run and return it; for the parameters see `StoredRun`.

        Raises
        ------
        OptionError
            If the settings cannot be written as JSON.
        """
        try:
            text = json.dumps(dict(settings), allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            raise OptionError(f"cannot write these settings as JSON: {quote(settings)}") from None
        row = [_encodable(kind), _encodable(game), _encodable(key), text, str(seed), self._timestamp()]
        query = "INSERT INTO runs (kind, game, key, settings, seed, started) VALUES (?, ?, ?, ?, ?, ?)"
        with self._database.transaction() as connection:
            run = connection.execute(query, row).lastrowid
        return _run_from_row(self._database.rows(f"{_SELECT_RUNS} WHERE id = ?", run)[0])

    def unfinished_run(self, key: str) -> StoredRun | None:
        """Return the latest unfinished run with this key, or None if there is no such run."""
        query = f"{_SELECT_RUNS} WHERE key = ? AND finished IS NULL ORDER BY id DESC LIMIT 1"
        rows = self._database.rows(query, _encodable(key))
        return _run_from_row(rows[0]) if rows else None

    def claim_run(self, run: int) -> bool:
        """Lock a run for this store, until the store is closed or the process ends.

        Returns
        -------
        bool
            False if another process, or another store of this one, holds the lock.

        Raises
        ------
        MatchError
            If there is no such run.
        StoreError
            If no lock file can be created beside the store.
        """
        if run in self._run_locks:
            return True
        path = self.path.with_name(f"{self.path.name}.run-{run}.lock")
        try:
            lock = RunLock.try_acquire(path)
        except OSError as error:
            raise StoreError(f"cannot lock {path}: {error.strerror}") from None
        if lock is None:
            return False
        with ExitStack() as stack, self._database.reporting_errors():
            stack.callback(lock.release)
            _check_run(self._database.connection, run)  # another process may have deleted it before
            stack.pop_all()
        self._run_locks[run] = lock
        return True

    def finish_run(self, run: int, ratings: Iterable[Rating] = ()) -> None:
        """Mark a run as finished and store its ratings.

        Raises
        ------
        MatchError
            If there is no such run, or it is already finished.
        """
        query = "UPDATE runs SET finished = ? WHERE id = ? AND finished IS NULL"
        with self._database.transaction() as connection:
            if connection.execute(query, [self._timestamp(), run]).rowcount != 1:
                raise MatchError(f"there is no unfinished run {run!r}")
            players = _PlayerIds(connection)
            connection.executemany(
                "INSERT INTO ratings (run, player, matches, elo, low, high) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (run, players.id_of(rating.player), rating.matches, rating.elo, rating.low, rating.high)
                    for rating in ratings
                ],
            )

    def runs(self) -> list[StoredRun]:
        """Return all runs, newest first."""
        return [_run_from_row(row) for row in self._database.rows(f"{_SELECT_RUNS} ORDER BY id DESC")]

    def ratings(self, run: int) -> list[Rating]:
        """Return the ratings of a finished run, strongest player first."""
        return [Rating(PlayerKey(*row[:3]), *row[3:]) for row in self._database.rows(_SELECT_RATINGS, run)]

    # --- matches on a server ---------------------------------------------

    def save_served(self, matches: Iterable[ServedMatch]) -> None:
        """Store matches of a server, replacing their earlier states."""
        saved = self._timestamp()
        rows = [(match.key, saved, json.dumps(match.data), _encodable(match.record)) for match in matches]
        with self._database.transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO served VALUES (?, ?, ?, ?)", rows)

    def served(self) -> list[ServedMatch]:
        """Return the matches of a server, the most recently changed ones last."""
        rows = self._database.rows("SELECT key, data, record FROM served ORDER BY saved, rowid")
        try:
            return [ServedMatch(key, json.loads(data), record) for key, data, record in rows]
        except (ValueError, RecursionError):
            raise StoreError(f"a match of the server in {self.path} cannot be read") from None

    def forget_served(self, keys: Iterable[str]) -> None:
        """Delete matches of a server."""
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM served WHERE key = ?", [(key,) for key in keys])

    # --- helpers ---------------------------------------------------------

    def _timestamp(self) -> str:
        return self._now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class _PlayerIds:
    """IDs of players within one transaction; new players are added to the table."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._ids: dict[PlayerKey, int] = {}

    def id_of(self, player: PlayerKey) -> int:
        if player not in self._ids:
            key = (_encodable(player.agent), _encodable(player.fingerprint), _encodable(player.limits))
            query = "INSERT OR IGNORE INTO players (agent, fingerprint, limits) VALUES (?, ?, ?)"
            self._connection.execute(query, key)
            query = "SELECT id FROM players WHERE agent = ? AND fingerprint = ? AND limits = ?"
            self._ids[player] = self._connection.execute(query, key).fetchone()[0]
        return self._ids[player]


def _given_filters(
    *,
    game: str | None = None,
    agent: str | None = None,
    run: int | None = None,
    faults: bool = False,
    result: str | None = None,
    ids: Iterable[int] | None = None,
) -> dict[str, object]:
    """Return the filters that are set, as parameters of a query.

    Raises
    ------
    OptionError
        If `result` is none of these.
    """
    if result not in (None, *RESULTS):
        raise OptionError(f"the result must be one of {', '.join(RESULTS)}, not {quote(result)}")
    given = {
        "game": game,
        "agent": agent,
        "run": run,
        "faults": faults or None,
        "result": result,
        "ids": None if ids is None else json.dumps(list(ids)),
    }
    return {name: value for name, value in given.items() if value is not None}


def _insert_match(
    connection: sqlite3.Connection, match: NewMatch, players: _PlayerIds, *, played: str
) -> int:
    row = [
        played,
        _encodable(match.game),
        _encodable(match.variant),
        players.id_of(match.players[0]),
        players.id_of(match.players[1]),
        match.winner,
        None if match.termination is None else str(match.termination),
        match.plies,
        *match.seconds,
        _encodable(match.fault),
        match.moves_hash or _moves_hash_of_record(match.record),
        _text_hash(match.record),
        _encodable(match.record),
        match.run,
        match.number,
    ]
    match_id = connection.execute(_INSERT_MATCH, row).lastrowid
    assert match_id is not None
    return match_id


def _match_from_row(row: Row) -> StoredMatch:
    match_id, played, *players = row[:8]
    record, game, variant, winner, termination, plies, first, second, fault, run, number, course = row[8:]
    return StoredMatch(
        match_id,
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
        moves_hash=course,
    )


def _run_from_row(row: Row) -> StoredRun:
    run, kind, game, key, settings, seed, started, finished, matches = row
    try:
        return StoredRun(run, kind, game, key, json.loads(settings), int(seed), started, finished, matches)
    except (ValueError, RecursionError):
        raise StoreError(f"the settings or the seed of run {run} cannot be read: {quote(settings)}") from None


def _check_run(connection: sqlite3.Connection, run: int) -> None:
    if connection.execute("SELECT 1 FROM runs WHERE id = ?", [run]).fetchone() is None:
        raise MatchError(f"there is no run {run!r}")


def _check_numbers(connection: sqlite3.Connection, matches: Sequence[NewMatch]) -> None:
    """Raise MatchError if a run does not exist or the number of a new match is already taken."""
    new = Counter((match.run, match.number) for match in matches if match.run is not None)
    for run in {run for run, _ in new}:
        numbers = [number for other, number in new if other == run and number is not None]
        _check_run(connection, run)
        taken = {row[0] for row in connection.execute(_SELECT_TAKEN_NUMBERS, [run, json.dumps(numbers)])}
        taken |= {number for number in numbers if new[run, number] > 1}
        if taken:
            listed = ", ".join(str(number) for number in sorted(taken))
            raise MatchError(f"run {run} already has a match with this number: {listed}")


def _undated_texts(connection: sqlite3.Connection, matches: Sequence[NewMatch]) -> set[bytes]:
    """Return hashes of the stored records that have a date and the moves of one of the undated `matches`.

    The records are hashed without their dates. All are found in one pass through the table.
    """
    undated = [match for match in matches if not split_date(match.record)[1]]
    moves = {(match.moves_hash or _moves_hash_of_record(match.record)).hex().upper() for match in undated}
    if not moves:
        return set()
    query = "SELECT record FROM matches WHERE hex(course) IN (SELECT value FROM json_each(?))"
    divided = (split_date(record) for (record,) in connection.execute(query, [json.dumps(list(moves))]))
    return {_text_hash(text) for text, day in divided if day}


def _known(connection: sqlite3.Connection, record: str, dated: Collection[bytes]) -> str | None:
    """Return the form in which a record is stored, or None if it is not stored.

    The record may be stored as it is or without the values of its moves (`same`), or in either form `with
    date` or `without date`. `dated` has hashes of the records stored with a date, computed without the date.
    """
    texts = dict.fromkeys((record, pgn.without_values(record)))
    found = [_known_text(connection, text, dated) for text in texts]
    return next((known for known in ("same", "with date", "without date") if known in found), None)


def _known_text(connection: sqlite3.Connection, record: str, dated: Collection[bytes]) -> str | None:
    """Return the form in which a record is stored, or None if it is not stored.

    Runs may repeat a match, so a match of a run counts only if it was played on the day of the record.
    """
    query = "SELECT 1 FROM matches WHERE text = ?"
    if connection.execute(query, [_text_hash(record)]).fetchone() is not None:
        return "same"
    undated, day = split_date(record)
    if not day:
        return "with date" if _text_hash(record) in dated else None
    query = "SELECT run, played FROM matches WHERE text = ?"
    rows = connection.execute(query, [_text_hash(undated)]).fetchall()
    if any(run is not None and day_of(played) == day for run, played in rows):
        return "same"
    return "without date" if any(run is None for run, _ in rows) else None


def _moves_hash_of_record(record: str) -> bytes:
    match = pgn.parse_match(record.split("\n"))
    start = next((value for name, value in match.tags if name == "Start"), "")
    return moves_hash(start, match.moves)


def _text_hash(text: str) -> bytes:
    return hashlib.sha256(_encodable(text).encode()).digest()


def _encodable(text: str) -> str:
    """Replace lone surrogates, as in undecodable file names, with question marks."""
    return text.encode(errors="replace").decode()
