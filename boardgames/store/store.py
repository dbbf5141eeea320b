"""Store: matches, players, runs and ratings by name, above the tables."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from boardgames.errors import MatchError, OptionError, StoreError, shown
from boardgames.store.database import Database
from boardgames.store.files import default_path
from boardgames.store.lock import RunLock
from boardgames.store.rows import (
    ENCOUNTERS,
    FILTERS,
    MATCHES,
    RATINGS,
    RUNS,
    Players,
    check_numbers,
    check_run,
    hash_of,
    insert,
    is_kept,
    match_of,
    plain,
    run_of,
)
from boardgames.store.values import Encounter, NewMatch, PlayerKey, Rating, Run, StoredMatch

PAGE = 256
LARGEST = 2**63 - 1
RESULTS = ("1-0", "0-1", "draw")


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Store:
    """The matches that are kept, and what is known of them; used by one thread, and by `with`.

    Any number of processes may have one of the same file: readers wait for
    nobody, writers for each other.

    Parameters
    ----------
    path : Path, optional
        The file, which is made if it is missing; by default the user's.
    now : callable
        Returns the time of day, with its zone.

    Raises
    ------
    StoreError
        From every method too: the file cannot be used, or is damaged and has
        been set aside.

    Examples
    --------
    >>> import tempfile
    >>> from boardgames.record import Record
    >>> record = Record("connect4", start="-", names=("Ann", "Bob"), moves=("4",))
    >>> with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "matches.db") as store:
    ...     store.add([NewMatch.of(record), NewMatch.of(record)])
    ...     [(match.id, match.players[0].agent, match.plies) for match in store.matches()]
    [1, 2]
    [(2, 'Ann', 1), (1, 'Ann', 1)]
    """

    def __init__(self, path: Path | None = None, *, now: Callable[[], datetime] = _utc_now) -> None:
        self._database = Database(default_path() if path is None else path)
        self._now = now
        self._claims: dict[int, RunLock] = {}

    @property
    def path(self) -> Path:
        """Return where the file is."""
        return self._database.path

    def close(self) -> None:
        """Give the file and all claims back, any number of times."""
        while self._claims:
            self._claims.popitem()[1].release()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- matches ---------------------------------------------------------

    def add(self, matches: Sequence[NewMatch]) -> list[int]:
        """Keep matches, all or none; return their ids. Then they survive a crash and a power cut.

        Raises
        ------
        RecordError
            If the text of one is no record.
        MatchError
            If a run has a match of the same number already.
        """
        return self._add(matches, is_repeated=True)

    def add_new(self, matches: Sequence[NewMatch]) -> list[int]:
        """Keep those matches of which no record with the same text is kept; return their ids.

        Raises
        ------
        RecordError, MatchError
            As `add`.
        """
        return self._add(matches, is_repeated=False)

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
        """Yield matches, newest first, in the state of the store when they are reached.

        Parameters
        ----------
        game : str, optional
            Only of this game.
        agent : str, optional
            Only those in which a player has this agent text, or this name before its options.
        run : int, optional
            Only of this run.
        faults : bool
            Only those that a player lost by an illegal move, time or a crash.
        result : str, optional
            Only those that ended so: `1-0`, `0-1` or `draw`.
        ids : iterable of int, optional
            Only these.
        limit : int, optional
            So many at most.

        Raises
        ------
        OptionError
            If there is no such result.
        """
        if result not in (None, *RESULTS):
            raise OptionError(f"expected one of {', '.join(RESULTS)}: {shown(result)}")
        listed = None if ids is None else json.dumps(list(ids))
        given = {"game": game, "agent": agent, "run": run, "ids": listed, "result": result}
        given["faults"] = faults or None
        wanted: dict[str, object] = {name: value for name, value in given.items() if value is not None}
        before, left = LARGEST, LARGEST if limit is None else limit
        while left > 0:
            page = self._page(wanted, before, min(left, PAGE))
            yield from page
            if len(page) < PAGE:
                return
            before, left = page[-1].id, left - len(page)

    def run_matches(self, run: int) -> list[StoredMatch]:
        """Return the matches of a run by their numbers."""
        return [match_of(row) for row in self._database.rows(f"{MATCHES} WHERE run = ? ORDER BY number", run)]

    def delete(self, ids: Iterable[int]) -> int:
        """Delete matches; return how many there were. Their players and runs stay."""
        with self._database.transaction() as connection:
            query = "DELETE FROM matches WHERE id IN (SELECT value FROM json_each(?))"
            return connection.execute(query, [json.dumps(list(ids))]).rowcount

    def delete_run(self, run: int) -> int:
        """Delete a run with its matches and ratings; return how many matches there were.

        Raises
        ------
        MatchError
            If there is no such run.
        """
        with self._database.transaction() as connection:
            check_run(connection, run)
            deleted = connection.execute("DELETE FROM matches WHERE run = ?", [run]).rowcount
            connection.execute("DELETE FROM ratings WHERE run = ?", [run])
            connection.execute("DELETE FROM runs WHERE id = ?", [run])
        return deleted

    def encounters(self, game: str, variant: str = "") -> list[Encounter]:
        """Return who beat whom how often, in finished matches of two different players.

        Matches of the same players on the same sides with the same start,
        moves and winner count once, however often they were played.
        """
        return [
            Encounter(PlayerKey(*row[0:3]), PlayerKey(*row[3:6]), row[6], row[7])
            for row in self._database.rows(ENCOUNTERS, plain(game), plain(variant))
        ]

    # --- runs ------------------------------------------------------------

    def begin_run(self, kind: str, game: str, *, key: str, settings: Mapping[str, object], seed: int) -> Run:
        """Keep that a run has begun, and return it.

        Raises
        ------
        OptionError
            If JSON cannot hold the settings.
        """
        try:
            text = json.dumps(dict(settings), allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            raise OptionError(f"expected settings that JSON can hold: {shown(settings)}") from None
        row = [plain(kind), plain(game), plain(key), text, str(seed), self._stamp()]
        query = "INSERT INTO runs (kind, game, key, settings, seed, started) VALUES (?, ?, ?, ?, ?, ?)"
        with self._database.transaction() as connection:
            number = connection.execute(query, row).lastrowid
        return run_of(self._database.rows(f"{RUNS} WHERE id = ?", number)[0])

    def unfinished_run(self, key: str) -> Run | None:
        """Return the latest run with this key that has not been finished."""
        query = f"{RUNS} WHERE key = ? AND finished IS NULL ORDER BY id DESC LIMIT 1"
        rows = self._database.rows(query, plain(key))
        return run_of(rows[0]) if rows else None

    def claim_run(self, run: int) -> bool:
        """Say whether the run is this store's to go on with, until it is closed or its process ends.

        False if another process, or another store of this one, has claimed it.

        Raises
        ------
        MatchError
            If there is no such run, or no longer.
        StoreError
            If nothing can be locked beside the store's file.
        """
        if run in self._claims:
            return True
        path = self.path.with_name(f"{self.path.name}.run-{run}.lock")
        try:
            claim = RunLock.try_acquire(path)
        except OSError as error:
            raise StoreError(f"expected a file that can be locked: {path} ({error.strerror})") from None
        if claim is None:
            return False
        with ExitStack() as stack, self._database.telling():
            stack.callback(claim.release)
            check_run(self._database.connection, run)  # it may have been deleted before it was ours
            stack.pop_all()
        self._claims[run] = claim
        return True

    def finish_run(self, run: int, ratings: Iterable[Rating] = ()) -> None:
        """Keep that a run has ended, and its ratings.

        Raises
        ------
        MatchError
            If there is no such run, or it has been finished already.
        """
        query = "UPDATE runs SET finished = ? WHERE id = ? AND finished IS NULL"
        with self._database.transaction() as connection:
            if connection.execute(query, [self._stamp(), run]).rowcount != 1:
                raise MatchError(f"expected a run that is not finished: {run!r}")
            players = Players(connection)
            connection.executemany(
                "INSERT INTO ratings (run, player, matches, elo, low, high) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (run, players.id_of(rating.player), rating.matches, rating.elo, rating.low, rating.high)
                    for rating in ratings
                ],
            )

    def runs(self) -> list[Run]:
        """Return all runs, newest first."""
        return [run_of(row) for row in self._database.rows(f"{RUNS} ORDER BY id DESC")]

    def ratings(self, run: int) -> list[Rating]:
        """Return what a finished run found of its players, the strongest first."""
        return [Rating(PlayerKey(*row[:3]), *row[3:]) for row in self._database.rows(RATINGS, run)]

    # --- helpers ---------------------------------------------------------

    def _add(self, matches: Sequence[NewMatch], *, is_repeated: bool) -> list[int]:
        played = self._stamp()
        with self._database.transaction() as connection:
            check_numbers(connection, matches)
            players = Players(connection)
            return [
                insert(connection, match, players, played=played)
                for match in matches
                if is_repeated or not is_kept(connection, hash_of(match.record))
            ]

    def _page(self, wanted: Mapping[str, object], before: int, size: int) -> list[StoredMatch]:
        conditions = " AND ".join([FILTERS[name] for name in wanted] + ["matches.id < :before"])
        query = f"{MATCHES} WHERE {conditions} ORDER BY matches.id DESC LIMIT :size"
        return [
            match_of(row) for row in self._database.named(query, {**wanted, "before": before, "size": size})
        ]

    def _stamp(self) -> str:
        return self._now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
