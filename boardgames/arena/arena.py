"""Arena: plays the matches of a plan on any executor, and can be stopped and resumed.

The unit of play, storage and statistics is a pair of matches: one opening,
played twice with sides swapped. The plan and the seed determine every match, so
neither the number of workers nor an interruption changes any of them.
"""

import secrets
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import replace

from boardgames.arena.openings import Openings
from boardgames.arena.plan import Plan, number_duplicates, settings_key
from boardgames.arena.play import MatchResult, OpeningPair, PairBatch, close_players, play_batch
from boardgames.arena.report import Report, Tally
from boardgames.arena.schedule import Pairing, gauntlet, round_robin, swiss_pairings
from boardgames.arena.sprt import SprtRun
from boardgames.errors import MatchError
from boardgames.executors import InProcess, ProcessPool, worker_count
from boardgames.game import Termination
from boardgames.store import NewMatch, PlayerKey, Rating, Store, StoredMatch, StoredRun, variant_of

BATCH_S = 0.25
"""Target duration of a task: long compared with sending it, short enough for frequent progress reports."""
CLUSTER_BATCH_S = 1.0
"""Target duration on a cluster, where a task has an overhead of milliseconds and reloads its players."""
MAX_BATCH_PAIRS = 500

PairResult = tuple[MatchResult, MatchResult]


class Arena:
    """The matches of a plan, including those already in the store.

    Parameters
    ----------
    plan : Plan
        What to play.
    seed : int, optional
        Determines openings and random choices; drawn at random by default.
    store : Store, optional
        Where to keep matches. An unfinished arena of the same plan, code and
        agents found there is resumed.
    fresh : bool
        Start a new arena even if there is an unfinished one.

    Attributes
    ----------
    seed : int
        The given seed, or the one that was drawn.
    names : list of str
        Names of the agents for tables.
    resumed : int
        Number of matches found in the store.

    Raises
    ------
    UnknownNameError, OptionError, PluginError, MatchError
        If an agent or the openings cannot be loaded, an agent is a person, or
        another process is playing the same arena.

    Examples
    --------
    >>> import boardgames
    >>> from boardgames.executors import InProcess
    >>> plan = Plan(game=boardgames.load("connect4"), agents=("greedy", "random"), matches=4)
    >>> Arena(plan, seed=1).run(InProcess()).matches
    4
    """

    def __init__(
        self, plan: Plan, *, seed: int | None = None, store: Store | None = None, fresh: bool = False
    ) -> None:
        self.plan = plan
        self._openings = Openings(plan.game, plan.openings)  # before agents, which may have to be compiled
        self._players, self.names, code = plan.load_lineup()
        self._labels = number_duplicates(plan.agent_texts)
        self._store = store
        self._run: StoredRun | None = None
        self.seed = secrets.randbits(32) if seed is None else seed
        if store is not None:
            fingerprint = self._openings.fingerprint
            settings = plan.settings(self._players, code=code, openings_fingerprint=fingerprint, seed=seed)
            self._run = self._find_or_begin_run(store, settings, fresh=fresh)
            self.seed = self._run.seed
        fingerprints = tuple(player.fingerprint for player in self._players)
        self._settings = replace(plan.match_settings(self.seed), fingerprints=fingerprints)
        self._stored_numbers: set[int] = set()  # includes single matches of incomplete pairs
        self._is_finished = False
        self._load_results()
        self.resumed = self.matches

    @property
    def matches(self) -> int:
        """Return the number of matches played."""
        return 2 * len(self._results)

    @property
    def is_done(self) -> bool:
        """Return True if all matches have been played or the sequential test has reached a decision."""
        return self._is_decided or self.matches >= self.plan.planned

    @property
    def _is_decided(self) -> bool:
        return self._sprt is not None and self._sprt.decision is not None

    def run(self, executor: Executor, listener: "Callable[[Arena], object] | None" = None) -> Report:
        """Play the remaining matches and return the report.

        Parameters
        ----------
        executor : Executor
            Runs the tasks, which are batches of pairs.
        listener : callable, optional
            Called with this arena after every batch.

        Raises
        ------
        KeyboardInterrupt
            If the user interrupts; the matches so far are stored, and `report()` includes them.
        MatchError
            If worker processes would need a game or an agent that only exists in this process.
        StoreError
            If a match cannot be stored.
        """
        if not isinstance(executor, InProcess):
            self._check_workers()
        try:
            for pairs in self._rounds():
                for results in self._play(pairs, executor):
                    self._store_and_count(results)
                    if listener is not None:
                        listener(self)
                    if self._is_decided:
                        break
                if self._is_decided:
                    break
        except KeyboardInterrupt:
            if self._run is not None:
                self._load_results()  # matches may have been stored but not counted yet
            raise
        finally:
            close_players()
        return self._finish()

    def report(self) -> Report:
        """Return the report so far, without pairs that were played after a sequential test had ended."""
        tally, sprt = self._tally, self._sprt
        if sprt is not None and sprt.decision is not None:
            tally = Tally(self._labels)
            for number in range(sprt.seen):
                tally.add(*self._results[number])
        state = None if sprt is None else sprt.state
        return tally.report(self.plan.game.facts.name, self.plan.planned, state)

    def _check_workers(self) -> None:
        """Raise MatchError if an agent or the game only exists in this process."""
        players, names = self.plan.given_players, self.plan.local_names
        if players:
            raise MatchError(
                f"worker processes do not have the player object {players[0].describe()!r}; run the arena "
                "with boardgames.executors.InProcess(), or give the name of an agent instead"
            )
        if names:
            raise MatchError(
                f"worker processes do not know {names[0]!r}, which is registered in this process only; "
                "run the arena with boardgames.executors.InProcess()"
            )

    # --- playing ----------------------------------------------------------

    def _rounds(self) -> Iterator[list[OpeningPair]]:
        """Yield the remaining pairs of each round. A Swiss round depends on the results of earlier rounds."""
        agents, plan = len(self.plan.agents), self.plan
        if self._is_decided:
            return
        if plan.schedule != "swiss":
            pairings = round_robin(agents) if plan.schedule == "round-robin" else gauntlet(agents, 0)
            yield self._remaining_pairs(pairings, self._round_openings(0), begin=0)
            return
        played: dict[Pairing, int] = {}
        begin, bye_points = 0, [0.0] * agents
        for number in range(plan.round_count):
            tally = Tally(plan.agent_texts)
            for pair in range(begin):
                tally.add(*self._results[pair])
            scores = [tally.points(agent) + bye_points[agent] for agent in range(agents)]
            pairings, bye = swiss_pairings(scores, played)
            openings = self._round_openings(number)
            yield self._remaining_pairs(pairings, openings, begin=begin)
            begin += len(pairings) * len(openings)
            for pairing in [*pairings, *([(bye, bye)] if bye is not None else [])]:
                played[pairing] = played.get(pairing, 0) + 1
            if bye is not None:
                bye_points[bye] += plan.matches

    def _round_openings(self, number: int) -> list[str]:
        """Return the openings of a round, which are the same for all its pairings."""
        return self._openings.take(self.plan.matches // 2, seed=self.seed + number)

    def _remaining_pairs(
        self, pairings: Sequence[Pairing], openings: Sequence[str], *, begin: int
    ) -> list[OpeningPair]:
        """Return the unplayed pairs of a round. Pairs are numbered from `begin`, opening by opening."""
        pairs = [
            OpeningPair(begin + place * len(pairings) + index, first, second, opening)
            for place, opening in enumerate(openings)
            for index, (first, second) in enumerate(pairings)
        ]
        return [pair for pair in pairs if pair.number not in self._results]

    def _play(self, pairs: Sequence[OpeningPair], executor: Executor) -> Iterator[list[PairResult]]:
        """Yield results as they arrive. Batches grow until one takes about `BATCH_S`."""
        is_local = isinstance(executor, InProcess | ProcessPool)
        target_s = BATCH_S if is_local else CLUSTER_BATCH_S
        running: set[Future[tuple[list[MatchResult], float]]] = set()
        seconds_per_pair: deque[float] = deque()  # seconds per pair in recent batches
        submitted, size = 0, 1
        try:
            while submitted < len(pairs) or running:
                workers = worker_count(executor)  # on a cluster, more workers may have joined
                while submitted < len(pairs) and len(running) < (1 if workers == 1 else 2 * workers):
                    batch = PairBatch(self._settings, tuple(pairs[submitted : submitted + size]), is_local)
                    running.add(executor.submit(play_batch, batch))
                    submitted += len(batch.pairs)
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    results, seconds = future.result()
                    seconds_per_pair.append(2 * seconds / len(results))
                    while len(seconds_per_pair) > 2 * workers:
                        seconds_per_pair.popleft()
                    fitting = int(target_s / max(*seconds_per_pair, 1e-9))
                    fair_share = (len(pairs) - submitted) // (2 * workers)
                    size = max(min(fitting, 2 * size, MAX_BATCH_PAIRS, fair_share), 1)
                    yield list(zip(results[::2], results[1::2], strict=True))
        finally:
            for future in running:
                future.cancel()

    # --- results ----------------------------------------------------------

    def _store_and_count(self, pairs: Sequence[PairResult]) -> None:
        """Store and count the results of a batch."""
        if self._store is not None and self._run is not None:
            matches = [match for pair in pairs for match in pair if match.number not in self._stored_numbers]
            self._store.add([self._new_match(match, self._run.id) for match in matches])
        for pair in pairs:
            self._count(pair)

    def _count(self, pair: PairResult) -> None:
        first, second = (replace(match, record="") for match in pair)  # saves memory
        number = first.number // 2
        self._results[number] = first, second
        self._tally.add(first, second)
        if self._sprt is not None:
            points, content = first.points(0) + second.points(0), (first.moves_hash, second.moves_hash)
            self._sprt_results[number] = points, content
            self._sprt.update(self._sprt_results)

    def _new_match(self, match: MatchResult, run: int) -> NewMatch:
        sides = match.sides
        return NewMatch(
            (self._players[sides[0]], self._players[sides[1]]),
            match.record,
            self._settings.game,
            variant_of(self.plan.game),
            match.winner,
            str(match.termination),
            match.plies,
            match.seconds,
            match.fault,
            run,
            match.number,
        )

    def _finish(self) -> Report:
        report = self.report()
        if self._store is not None and self._run is not None and not self._is_finished:
            self._delete_surplus(self._store, self._run)
            self._store.finish_run(self._run.id, _ratings(report, self._players))
            self._is_finished = True
        return report

    def _delete_surplus(self, store: Store, run: StoredRun) -> None:
        """Delete the pairs that were played after the sequential test had ended.

        Their number depends on the timing of the workers, which must not affect ratings.
        """
        if self._sprt is None or self._sprt.decision is None:
            return
        end = 2 * self._sprt.seen
        surplus = [match.id for match in store.run_matches(run.id) if (match.number or 0) >= end]
        store.delete(surplus)

    # --- resuming ---------------------------------------------------------

    def _find_or_begin_run(self, store: Store, settings: dict[str, object], *, fresh: bool) -> StoredRun:
        """Return an unfinished run with the same settings, or a new one, and claim it."""
        key, name = settings_key(settings), self.plan.game.facts.name
        run = None if fresh else store.unfinished_run(key)
        if run is not None:
            if not store.claim_run(run.id):
                raise MatchError(f"another process is playing this arena (run {run.id})")
            run = store.unfinished_run(key)  # another process may have finished it before we claimed it
        if run is None:
            run = store.begin_run("arena", name, key=key, settings=settings, seed=self.seed)
            store.claim_run(run.id)
        return run

    def _load_results(self) -> None:
        """Count the complete pairs in the store, round by round: Swiss rounds depend on earlier ones."""
        self._results: dict[int, PairResult] = {}
        self._sprt_results: dict[int, tuple[float, tuple[bytes, bytes]]] = {}
        self._tally = Tally(self._labels)
        self._sprt = None if self.plan.sprt is None else SprtRun(self.plan.sprt)
        if self._store is None or self._run is None:
            return
        stored = {match.number: match for match in self._store.run_matches(self._run.id)}
        self._stored_numbers = {number for number in stored if number is not None}
        for pairs in self._rounds():
            for pair in pairs:
                matches = [stored.get(2 * pair.number + index) for index in (0, 1)]
                if all(matches):
                    sides = ((pair.first, pair.second), (pair.second, pair.first))
                    first, second = (
                        _match_result(match, side) for match, side in zip(matches, sides, strict=True)
                    )
                    self._count((first, second))
            if any(pair.number not in self._results for pair in pairs):
                break


def _match_result(match: StoredMatch | None, sides: tuple[int, int]) -> MatchResult:
    assert match is not None
    assert match.number is not None
    assert match.termination is not None
    return MatchResult(
        match.number,
        sides,
        match.winner,
        Termination(match.termination),
        match.plies,
        match.seconds,
        "",
        match.moves_hash,
        match.fault,
    )


def _ratings(report: Report, players: Sequence[PlayerKey]) -> Iterator[Rating]:
    """Yield the ratings to store, relative to the mean; an agent that plays against itself is rated once."""
    # with two agents, the report has their difference: twice the distance of each from the mean
    factor = 1.0 if report.pairs is None else 0.5
    rated: set[PlayerKey] = set()
    for standing, player in zip(report.standings, players, strict=True):
        if player not in rated and standing.estimate is not None:
            estimate = standing.estimate
            elos = (estimate.elo, estimate.low, estimate.high)
            yield Rating(player, standing.matches, *(None if elo is None else factor * elo for elo in elos))
        rated.add(player)
