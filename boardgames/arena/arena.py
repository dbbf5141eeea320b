"""Arena: series of paired matches between agents, on any executor, that can be stopped and gone on with.

A pair is the unit of everything: it is played from one opening with both
colours, kept as a whole, and counted as one observation. Which matches there
are, and every agent's chance in them, follows from plan and seed alone, so
that neither the number of workers nor an interruption changes a match.
"""

import secrets
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Literal

from boardgames.arena.bradley_terry import check_installed
from boardgames.arena.identity import key_of
from boardgames.arena.openings import openings
from boardgames.arena.pentanomial import Pairs
from boardgames.arena.plan import Plan
from boardgames.arena.play import Batch, Pairing, Played, close_players, course_of, play_batch
from boardgames.arena.report import Report, SprtState, Tally
from boardgames.arena.schedule import Meeting, gauntlet, round_robin, swiss_round
from boardgames.executors import InProcess, ProcessPool, width_of
from boardgames.game import Termination
from boardgames.record import parse_records
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
    resumed : int
        Matches that were found in the store.

    Raises
    ------
    UnknownNameError, OptionError, PluginError, MatchError
        If an agent or an opening cannot be had, or an agent is a person.

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
        self._players, stamp = plan.inspect()
        self._store = store
        self._run: Run | None = None
        self.seed = secrets.randbits(32) if seed is None else seed
        if store is not None:
            settings = plan.settings(self._players, stamp, seed)
            self._run = self._run_of(store, settings, fresh=fresh)
            self.seed = self._run.seed
        self._setting = plan.setting(self.seed)
        self._results: dict[int, tuple[Played, Played]] = {}
        self._tally = Tally(plan.labels)
        self._strays: set[int] = set()  # matches that are kept, those of pairs that are not whole among them
        self._tested = 0  # so many pairs from the first on are there without a gap
        self._tested_pairs = Pairs()
        self.decision: Literal["H0", "H1"] | None = None
        self.resumed = 0
        self._first_round = openings(plan.game, plan.openings, count=plan.matches // 2, seed=self.seed)
        if self._run is not None:
            self._recall(self._run)

    @property
    def matches(self) -> int:
        """Return the number of matches that have been played."""
        return 2 * len(self._results)

    @property
    def is_done(self) -> bool:
        """Say whether all matches have been played, or the test has decided."""
        return self.decision is not None or self.matches >= self.plan.planned

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
                    if self.decision is not None:
                        break
                if self.decision is not None:
                    break
        finally:
            close_players()
        return self._finish()

    def report(self) -> Report:
        """Return what is known so far; once a test has decided, of the pairs it has seen."""
        test = self.plan.sprt
        state = None if test is None else SprtState(test, test.llr(self._tested_pairs), self.decision)
        tally = self._tally
        if self.decision is not None:
            tally = Tally(self.plan.labels)
            for number in range(self._tested):
                tally.add(*self._results[number])
        return tally.report(self.plan.game.facts.name, self.plan.planned, state)

    # --- what is played ---------------------------------------------------

    def _rounds(self) -> Iterator[list[Pairing]]:
        """Yield each round's pairs that have not been played; a round follows from those before."""
        agents, plan = len(self.plan.agents), self.plan
        if plan.schedule != "swiss":
            meetings = round_robin(agents) if plan.schedule == "round-robin" else gauntlet(agents, 0)
            yield self._open(meetings, self._first_round, begin=0)
            return
        met: dict[Meeting, int] = {}
        begin, rests = 0, [0.0] * agents
        for number in range(plan.round_count):
            points = Tally(plan.agents)
            for pair in range(begin):
                points.add(*self._results[pair])
            scores = [points.points(agent) + rests[agent] for agent in range(agents)]
            meetings, resting = swiss_round(scores, met)
            starts = self._openings(number)
            yield self._open(meetings, starts, begin=begin)
            begin += len(meetings) * len(starts)
            for meeting in [*meetings, *([(resting, resting)] if resting is not None else [])]:
                met[meeting] = met.get(meeting, 0) + 1
            if resting is not None:
                rests[resting] += plan.matches

    def _openings(self, number: int) -> list[str]:
        if number == 0:
            return self._first_round
        count = self.plan.matches // 2
        return openings(self.plan.game, self.plan.openings, count=count, seed=self.seed + number)

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
        width, is_ours = width_of(executor), isinstance(executor, InProcess | ProcessPool)
        under_way: set[Future[tuple[list[Played], float]]] = set()
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
                    per_pair = 2 * seconds / len(played)
                    rest = max((len(pairings) - begun) // (2 * width), 1)
                    fitting = int((BATCH_S if is_ours else CLUSTER_BATCH_S) / max(per_pair, 1e-9))
                    size = max(min(fitting, LARGEST_BATCH, rest), 1)
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
        self._results[pair[0].number // 2] = pair
        self._tally.add(*pair)
        while self.plan.sprt is not None and self.decision is None and self._tested in self._results:
            first, second = self._results[self._tested]
            self._tested_pairs += Pairs.of([first.points(0) + second.points(0)])
            self._tested += 1
            self.decision = self.plan.sprt.decision(self._tested_pairs)

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
        if self._store is not None and self._run is not None:
            self._store.finish_run(self._run.id, _ratings(report, self._players))
        return report

    # --- what the store has -----------------------------------------------

    def _run_of(self, store: Store, settings: dict[str, object], *, fresh: bool) -> Run:
        key = key_of(settings)
        run = None if fresh else store.unfinished_run(key)
        name = self.plan.game.facts.name
        return run or store.begin_run("arena", name, key=key, settings=settings, seed=self.seed)

    def _recall(self, run: Run) -> None:
        """Count the pairs of the run that are whole, round by round, since a round follows from others."""
        assert self._store is not None
        stored = {match.number: match for match in self._store.run_matches(run.id)}
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
        self.resumed = self.matches


def _as_played(match: StoredMatch | None, sides: tuple[int, int]) -> Played:
    assert match is not None
    assert match.number is not None
    assert match.termination is not None
    record = parse_records(match.record, replay=False).records[0]
    return Played(
        match.number,
        sides,
        match.winner,
        Termination(match.termination),
        match.plies,
        match.seconds,
        match.record,
        course_of(record),
        match.fault,
    )


def _ratings(report: Report, players: Sequence[PlayerKey]) -> Iterator[Rating]:
    """Yield what the store keeps of the standings; of an agent that met itself, the first."""
    seen: set[PlayerKey] = set()
    for standing, player in zip(report.standings, players, strict=True):
        if player not in seen and standing.estimate is not None:
            found = standing.estimate
            yield Rating(player, standing.matches, found.elo, found.low, found.high)
        seen.add(player)
