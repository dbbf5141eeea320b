"""Saves the server's matches in the store, so that they survive a restart.

Finished matches are also added to the user's matches, which `boardgames matches` lists. All of these can
be read here.
"""

import asyncio
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from boardgames.errors import BoardgamesError
from boardgames.record import parse_records
from boardgames.store import MatchSummary, NewMatch, ServedMatch, Store, StoredMatch
from boardgames.store.lock import RunLock

SAVE_INTERVAL_SECONDS = 0.2
"""Seconds between two writes, so that quick matches between agents do not keep the disk busy."""

_Result = TypeVar("_Result")


class Archive:
    """Keeps the matches of one server in the store. Its methods are called in the event loop.

    Parameters
    ----------
    path : Path, optional
        The file of the store; by default the user's store.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="archive")
        self._store: Store | None = None
        self._lock: RunLock | None = None
        self._changed: dict[str, Callable[[], ServedMatch]] = {}
        self._saver: asyncio.Task[None] | None = None
        self._added: dict[str, tuple[str, list[int]]] = {}
        """The record of each match that was added to the user's matches, and its IDs there, by key."""
        self._is_closing = asyncio.Event()

    async def open(self) -> list[ServedMatch]:
        """Return the matches of the store, the oldest first.

        If another server uses the store, the list is empty, and this server does not save its own matches.

        Raises
        ------
        StoreError
            If the store cannot be used.
        """
        return await self._call(self._open)

    @property
    def is_saving(self) -> bool:
        """Return True if matches are saved."""
        return self._lock is not None

    def save(self, key: str, read: Callable[[], ServedMatch]) -> None:
        """Schedule a match to be saved soon.

        Parameters
        ----------
        key : str
            The key of the match.
        read : callable
            Returns what to save. It is called when the match is saved, perhaps after further changes.
        """
        if not self.is_saving:
            return
        self._changed[key] = read
        is_idle = self._saver is None or self._saver.done()
        if is_idle and not self._is_closing.is_set():  # `close` saves what is left
            self._saver = asyncio.get_running_loop().create_task(self._save())

    async def forget(self, keys: Iterable[str]) -> None:
        """Delete matches from the store."""
        keys = list(keys)
        for key in keys:
            self._changed.pop(key, None)
        if self._store is not None and self.is_saving:
            await self._call(self._store.forget_served, keys)

    async def stored(self, limit: int, known: Iterable[str]) -> tuple[list[MatchSummary], int]:
        """Return the user's newest matches, and how many matches the user has.

        Parameters
        ----------
        limit : int
            Maximum number of matches.
        known : iterable of str
            Records of matches that are neither returned nor counted.

        Raises
        ------
        StoreError
            If the store cannot be read.
        """
        await self._flush()
        if self._store is None:
            return [], 0
        return await self._call(_summaries, self._store, limit, tuple(known))

    async def find_stored(self, number: int) -> StoredMatch | None:
        """Return one of the user's matches by its ID, or None if there is no such match."""
        if self._store is None:
            return None
        found: list[StoredMatch] = await self._call(_matches, self._store, [number])
        return found[0] if found else None

    async def delete_stored(self, numbers: Iterable[int], records: Iterable[str]) -> None:
        """Delete the user's matches that have one of these IDs or one of these records."""
        if self._store is not None:
            await self._call(_delete, self._store, list(numbers), list(records))

    async def close(self) -> None:
        """Save what has changed and close the store."""
        self._is_closing.set()
        if self._saver is not None:
            await self._saver
        await self._flush()
        await self._call(self._close)
        self._thread.shutdown()

    async def _save(self) -> None:
        while self._changed:
            await self._flush()
            if self._is_closing.is_set():
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_closing.wait(), SAVE_INTERVAL_SECONDS)

    async def _flush(self) -> None:
        changed, self._changed = self._changed, {}
        if self._store is not None and changed:
            matches: list[ServedMatch] = []
            for key, read in changed.items():
                try:
                    matches.append(read())
                except Exception as error:  # noqa: BLE001 - a plug-in may raise anything; the others are saved
                    warnings.warn(f"match {key} is not saved: {error}", RuntimeWarning, stacklevel=1)
            try:
                await self._call(self._keep, self._store, matches)
            except BoardgamesError as error:
                warnings.warn(f"matches are not saved: {error}", RuntimeWarning, stacklevel=1)

    async def _call(self, function: Callable[..., _Result], *arguments: object) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)

    def _keep(self, store: Store, matches: Sequence[ServedMatch]) -> None:
        """Save matches, and add each finished one to the user's matches once.

        A match whose end is taken back, so that it continues, is removed from them again.
        """
        store.save_served(matches)
        for match in matches:
            record, added = self._added.get(match.key, (match.record, []))
            if record != match.record:
                store.delete(added)
                del self._added[match.key]
            ended = [
                NewMatch.from_record(one, fault=str(match.data.get("fault") or ""))
                for one in parse_records(match.record, None).records
                if one.outcome is not None and one.moves
            ]
            if new := store.add_new(ended):
                self._added[match.key] = match.record, new

    def _open(self) -> list[ServedMatch]:
        store = Store(self._path)
        self._lock = RunLock.try_acquire(store.path.with_name(f"{store.path.name}.server.lock"))
        self._store = store
        return store.served() if self.is_saving else []

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()
        if self._lock is not None:
            self._lock.release()
        self._store = self._lock = None


def _summaries(store: Store, limit: int, known: Sequence[str]) -> tuple[list[MatchSummary], int]:
    return store.summaries(limit=limit, without=store.ids_of(known))


def _matches(store: Store, numbers: Sequence[int]) -> list[StoredMatch]:
    return list(store.matches(ids=numbers))


def _delete(store: Store, numbers: Sequence[int], records: Sequence[str]) -> None:
    store.delete([*numbers, *store.ids_of(records)])
