"""Arena: series of paired matches between agents, on any executor, that can be stopped and gone on with.

A pair is the unit of everything: it is played from one opening with both
colours, kept as a whole, and counted as one observation. Which matches there
are, and every agent's chance in them, follows from plan and seed alone, so
that neither the number of workers nor an interruption changes a match.
"""

import secrets
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import replace

from boardgames.arena.bradley_terry import check_installed
from boardgames.arena.identity import key_of
from boardgames.arena.in_order import InOrder
from boardgames.arena.openings import Openings
from boardgames.arena.plan import Plan, numbered
from boardgames.arena.play import Batch, Pairing, Played, close_players, play_batch
from boardgames.arena.report import Report, Tally
from boardgames.arena.schedule import Meeting, gauntlet, round_robin, swiss_round
from boardgames.errors import MatchError
from boardgames.executors import InProcess, ProcessPool, worker_count
from boardgames.game import Termination
from boardgames.store import NewMatch, PlayerKey, Rating, Run, Store, StoredMatch, variant_of

BATCH_S = 0.25
"""What a task should last: long beside what it costs to send, short beside a person's patience."""
CLUSTER_BATCH_S = 1.0
"""The same where players are made anew for every task, and a task costs some milliseconds."""
LARGEST_BATCH = 500


class Arena:
    """The matches of a plan, those that are kept in a store already among them.

    Parameters
    ----------
    plan : Plan
        What is to be played.
    seed : int, optional
        Decides openings and chance; without it, another one every time.
    store : Store, optional
        Where matches are kept, and where an unfinished arena of the very same
        plan, code and agents is found and gone on with.
    fresh : bool
        Begin anew whatever the store has.

    Attributes
    ----------
    seed : int
        The given one, or what was drawn.
    names : list of str
        What to call the agents in a table, where an engine's whole text is too long.
    resumed : int
        Matches that were found in the store.

    Raises
    ------
    UnknownNameError, OptionError, PluginError, MatchError
        If an agent or an opening cannot be had, an agent is a person, or
        another process plays the same arena now.

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
        if len(plan.agents) > 2:
            check_installed()
        self._players, self.names, code = plan.inspect()
        self._labels = numbered(plan.agents)
        self._openings = Openings(plan.game, plan.openings)
        self._store = store
        self._run: Run | None = None
        self.seed = secrets.randbits(32) if seed is None else seed
        if store is not None:
            settings = plan.settings(self._players, code=code, book=self._openings.fingerprint, seed=seed)
            self._run = self._run_of(store, settings, fresh=fresh)
            self.seed = self._run.seed
        self._setting = plan.setting(self.seed)
        self._strays: set[int] = set()  # matches that are kept, those of pairs that are not whole among them
        self._is_finished = False
        self._recall()
        self.resumed = self.matches

    @property
    def matches(self) -> int:
        """Return the number of matches that have been played."""
        return 2 * len(self._results)

    @property
    def is_done(self) -> bool:
        """Say whether all matches have been played, or the test has decided."""
        return self._has_decided or self.matches >= self.plan.planned

    @property
    def _has_decided(self) -> bool:
        return self._test is not None and self._test.decision is not None

    def run(self, executor: Executor, listener: "Callable[[Arena], object] | None" = None) -> Report:
        """Play what has not been played yet; return the report.

        Parameters
        ----------
        executor : Executor
            Does the tasks, batches of pairs.
        listener : callable, optional
            Called with this arena after every batch.

        Raises
        ------
        KeyboardInterrupt
            What has been played until then is kept, and in `report()`.
        StoreError
            If a match cannot be kept.
        """
        try:
            for pairings in self._rounds():
                for pairs in self._fan_out(pairings, executor):
                    self._keep(pairs)
                    if listener is not None:
                        listener(self)
                    if self._has_decided:
                        break
                if self._has_decided:
                    break
        except KeyboardInterrupt:
            if self._run is not None:
                self._recall()  # it may have come when matches were kept and not yet counted
            raise
        finally:
            close_players()
        return self._finish()

    def report(self) -> Report:
        """Return what is known so far; once a test has decided, of the pairs up to the decision."""
        tally, test = self._tally, self._test
        if test is not None and test.decision is not None:
            tally = Tally(self._labels)
            for number in range(test.seen):
                tally.add(*self._results[number])
        state = None if test is None else test.state
        return tally.report(self.plan.game.facts.name, self.plan.planned, state)

    # --- what is played ---------------------------------------------------

    def _rounds(self) -> Iterator[list[Pairing]]:
        """Yield each round's pairs that have not been played; a round follows from those before."""
        agents, plan = len(self.plan.agents), self.plan
        if self._has_decided:
            return
        if plan.schedule != "swiss":
            meetings = round_robin(agents) if plan.schedule == "round-robin" else gauntlet(agents, 0)
            yield self._open(meetings, self._starts(0), begin=0)
            return
        met: dict[Meeting, int] = {}
        begin, rests = 0, [0.0] * agents
        for number in range(plan.round_count):
            points = Tally(plan.agents)
            for pair in range(begin):
                points.add(*self._results[pair])
            scores = [points.points(agent) + rests[agent] for agent in range(agents)]
            meetings, resting = swiss_round(scores, met)
            starts = self._starts(number)
            yield self._open(meetings, starts, begin=begin)
            begin += len(meetings) * len(starts)
            for meeting in [*meetings, *([(resting, resting)] if resting is not None else [])]:
                met[meeting] = met.get(meeting, 0) + 1
            if resting is not None:
                rests[resting] += plan.matches

    def _starts(self, number: int) -> list[str]:
        """Return the openings of a round: all who meet in it play the same ones."""
        return self._openings.take(self.plan.matches // 2, seed=self.seed + number)

    def _open(self, meetings: Sequence[Meeting], starts: Sequence[str], *, begin: int) -> list[Pairing]:
        """Return the pairs of a round that are not there, all meetings from one opening together."""
        pairings = [
            Pairing(begin + place * len(meetings) + index, first, second, start)
            for place, start in enumerate(starts)
            for index, (first, second) in enumerate(meetings)
        ]
        return [pairing for pairing in pairings if pairing.number not in self._results]

    def _fan_out(
        self, pairings: Sequence[Pairing], executor: Executor
    ) -> Iterator[list[tuple[Played, Played]]]:
        """Yield pairs as they are done; batches grow until one takes about `BATCH_S`."""
        width, is_ours = worker_count(executor), isinstance(executor, InProcess | ProcessPool)
        wanted = BATCH_S if is_ours else CLUSTER_BATCH_S
        under_way: set[Future[tuple[list[Played], float]]] = set()
        recent: deque[float] = deque(maxlen=2 * width)  # seconds a pair took
        begun, size = 0, 1
        try:
            while begun < len(pairings) or under_way:
                while begun < len(pairings) and len(under_way) < (1 if width == 1 else 2 * width):
                    batch = Batch(self._setting, tuple(pairings[begun : begun + size]), is_ours)
                    under_way.add(executor.submit(play_batch, batch))
                    begun += len(batch.pairings)
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    played, seconds = future.result()
                    recent.append(2 * seconds / len(played))
                    fitting = int(wanted / max(*recent, 1e-9))
                    rest = (len(pairings) - begun) // (2 * width)
                    size = max(min(fitting, 2 * size, LARGEST_BATCH, rest), 1)
                    yield list(zip(played[::2], played[1::2], strict=True))
        finally:
            for future in under_way:
                future.cancel()

    # --- what has been played ---------------------------------------------

    def _keep(self, pairs: Sequence[tuple[Played, Played]]) -> None:
        if self._store is not None and self._run is not None:
            matches = [played for pair in pairs for played in pair if played.number not in self._strays]
            self._store.add([self._as_stored(played, self._run.id) for played in matches])
        for pair in pairs:
            self._count(pair)

    def _count(self, pair: tuple[Played, Played]) -> None:
        first, second = (replace(played, record="") for played in pair)  # it is kept, or nobody wants it
        self._results[first.number // 2] = first, second
        self._tally.add(first, second)
        if self._test is not None:
            self._test.look(self._results)

    def _as_stored(self, played: Played, run: int) -> NewMatch:
        sides = played.sides
        return NewMatch(
            (self._players[sides[0]], self._players[sides[1]]),
            played.record,
            self._setting.game,
            variant_of(self.plan.game),
            played.winner,
            str(played.termination),
            played.plies,
            played.seconds,
            played.fault,
            run,
            played.number,
        )

    def _finish(self) -> Report:
        report = self.report()
        if self._store is not None and self._run is not None and not self._is_finished:
            self._store.finish_run(self._run.id, _ratings(report, self._players))
            self._is_finished = True
        return report

    # --- what the store has -----------------------------------------------

    def _run_of(self, store: Store, settings: dict[str, object], *, fresh: bool) -> Run:
        """Return the run to play: an unfinished one of the same settings, or a new one."""
        key, name = key_of(settings), self.plan.game.facts.name
        run = None if fresh else store.unfinished_run(key)
        if run is not None:
            if not store.claim_run(run.id):
                raise MatchError(
                    f"expected an arena that nobody plays now: another process is at run {run.id}"
                )
            run = store.unfinished_run(key)  # it may have been finished meanwhile
        if run is None:
            run = store.begin_run("arena", name, key=key, settings=settings, seed=self.seed)
            store.claim_run(run.id)
        return run

    def _recall(self) -> None:
        """Count the kept pairs that are whole, round by round, since a round follows from others."""
        self._results: dict[int, tuple[Played, Played]] = {}
        self._tally = Tally(self._labels)
        self._test = None if self.plan.sprt is None else InOrder(self.plan.sprt)
        if self._store is None or self._run is None:
            return
        stored = {match.number: match for match in self._store.run_matches(self._run.id)}
        self._strays = {number for number in stored if number is not None}
        for pairings in self._rounds():
            for pairing in pairings:
                matches = [stored.get(2 * pairing.number + index) for index in (0, 1)]
                if all(matches):
                    sides = ((pairing.first, pairing.second), (pairing.second, pairing.first))
                    first, second = (
                        _as_played(match, side) for match, side in zip(matches, sides, strict=True)
                    )
                    self._count((first, second))
            if any(pairing.number not in self._results for pairing in pairings):
                break


def _as_played(match: StoredMatch | None, sides: tuple[int, int]) -> Played:
    assert match is not None
    assert match.number is not None
    assert match.termination is not None
    return Played(
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
    """Yield what the store keeps of the standings, over the mean; of an agent that met itself, the first."""
    share = 1.0 if report.pairs is None else 0.5  # the difference of two is twice what each has over the mean
    seen: set[PlayerKey] = set()
    for standing, player in zip(report.standings, players, strict=True):
        if player not in seen and standing.estimate is not None:
            found = standing.estimate
            numbers = (None if end is None else share * end for end in (found.elo, found.low, found.high))
            yield Rating(player, standing.matches, *numbers)
        seen.add(player)
