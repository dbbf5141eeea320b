"""Ratings of a field of agents on one Elo scale, from series or from single matches.

The model is that of Bradley and Terry with draws as half-points. The fit is
the maximum likelihood, by the package choix. The intervals do not trust the
model's variance: draws and the two matches of a pair are no independent throws
of a coin, so each pair, or each match without one, is a cluster of its own.

Sources: R. Bradley and M. Terry, "Rank analysis of incomplete block designs",
Biometrika 39, 1952; L. Ford, "Solution of a ranking problem from binary
comparisons", 1957 (when the fit is finite); L. Maystre and M. Grossglauser,
"Fast and accurate inference of Plackett-Luce models", 2015 (the algorithm);
H. White, "Maximum likelihood estimation of misspecified models", Econometrica
50, 1982, and J. MacKinnon and H. White, 1985 (the intervals and their
correction by leverage).
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boardgames.arena.pentanomial import (
    ELO_PER_LOG_ODDS,
    SCORES,
    TAIL,
    Estimate,
    Pairs,
    crossing,
    quantile,
    swept_score,
)
from boardgames.errors import LimitError, MissingExtraError, shown

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

MOST_ITERATIONS = 100_000
"""Lopsided fields take some hundred; each is the solution of one small linear system."""

_MATCH_SCORES = (1.0, 0.5, 0.0)
_LARGEST_LOG_ODDS = 1e4
_LARGEST_LEVERAGE = 0.5  # that of either of two clusters; a single one is met exactly by the fit


Estimates = tuple[Estimate | None, ...]
"""What a field's matches say of each agent, in order: Elo over the mean, None if nothing compares it."""


@dataclass(frozen=True, slots=True)
class _Cells:
    """Clusters of equal outcome, each of `size` matches; `score` is that of `first`, below `second`."""

    count: int
    first: IntArray
    second: IntArray
    score: FloatArray
    clusters: FloatArray
    size: int

    def among(self, members: IntArray) -> "_Cells":
        """Return the clusters between members, who are numbered anew in their order."""
        numbers = np.full(self.count, -1)
        numbers[members] = np.arange(len(members))
        first, second = numbers[self.first], numbers[self.second]
        inside = (first >= 0) & (second >= 0)
        return _Cells(
            len(members),
            first[inside],
            second[inside],
            self.score[inside],
            self.clusters[inside],
            self.size,
        )

    def summed(self, values: FloatArray) -> FloatArray:
        """Return the matrix of sums by first-named and second-named agent."""
        matrix = np.zeros((self.count, self.count))
        np.add.at(matrix, (self.first, self.second), values)
        return matrix

    def points(self) -> FloatArray:
        """Return how many points each agent has from each other."""
        won, lost = self.clusters * self.score, self.clusters * (1 - self.score)
        return self.size * (self.summed(won) + self.summed(lost).T)

    def met(self) -> FloatArray:
        """Return in how many clusters two agents met."""
        matrix = self.summed(self.clusters)
        return matrix + matrix.T


def ratings(count: int, series: Mapping[tuple[int, int], Pairs]) -> Estimates:
    """Rate agents who played pairs of matches: each opening twice, with the sides exchanged.

    Parameters
    ----------
    count : int
        Number of agents, who are 0 to count - 1.
    series : mapping of (int, int) to Pairs
        Pairs of two agents, from the point of view of the one named first. Both
        orders may stand side by side.

    Returns
    -------
    tuple of Estimate or None
        One for each agent, in order. The mean is 0 over those comparable; an
        agent that only won or only lost counts there with a guess.

    Raises
    ------
    LimitError
        If an agent is none of the field or meets itself.
    MissingExtraError
        If there are more than two agents and the package choix is not installed.

    Examples
    --------
    >>> estimates = ratings(3, {(0, 1): Pairs((2, 5, 9, 7, 7)), (1, 2): Pairs((2, 4, 9, 8, 7))})
    >>> print(*estimates, sep="; ")
    +74 [14, 135]; +4 [-34, 42]; -79 [-138, -19]
    """
    return _estimates(_cells(count, {agents: pairs.counts for agents, pairs in series.items()}, SCORES, 2))


def match_ratings(count: int, results: Mapping[tuple[int, int], tuple[int, int, int]]) -> Estimates:
    """Rate agents who played single matches, each from a start of its own.

    Parameters
    ----------
    count : int
        Number of agents, who are 0 to count - 1.
    results : mapping of (int, int) to (int, int, int)
        Wins, draws and losses of the agent named first. Who had which side is
        not used: sides should be equally frequent.

    Returns
    -------
    tuple of Estimate or None
        As of `ratings`.

    Raises
    ------
    LimitError, MissingExtraError
        As of `ratings`, and if a count is negative.

    Examples
    --------
    >>> print(*match_ratings(2, {(0, 1): (60, 10, 30)}), sep="; ")
    +54 [20, 88]; -54 [-88, -20]
    """
    for agents, counts in results.items():
        if len(counts) != 3 or not all(isinstance(number, int) and number >= 0 for number in counts):
            raise LimitError(f"expected wins, draws and losses of {shown(agents)}: {shown(counts)}")
    return _estimates(_cells(count, results, _MATCH_SCORES, 1))


def _cells(
    count: int, results: Mapping[tuple[int, int], Sequence[int]], scores: Sequence[float], size: int
) -> _Cells:
    rows = []
    for agents, counts in results.items():
        first, second = agents
        if not (0 <= first < count and 0 <= second < count) or first == second:
            raise LimitError(f"expected two different agents below {count}: {shown(agents)}")
        named = counts if first < second else counts[::-1]  # the scores are symmetric about 1/2
        met = (min(agents), max(agents))
        rows += [(*met, score, number) for score, number in zip(scores, named, strict=True) if number]
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    first_second = table[:, :2].astype(np.int64)
    return _Cells(count, first_second[:, 0], first_second[:, 1], table[:, 2], table[:, 3], size)


def _estimates(cells: _Cells) -> Estimates:
    """Rate the core, bound those above and below it, and set the mean to 0."""
    if cells.count == 0:
        return ()
    reach, met = _reach(cells.points() > 0), cells.met()
    core = _core(reach, met)
    within = np.zeros(cells.count)
    for block in _blocks(reach):
        within[block] = _fit(cells.among(block))
    elos, is_above, is_below = _placed(within, reach, met, core=core, offset=_guessed_offset)
    bounds, _, _ = _placed(within, reach, met, core=core, offset=_least_offset)
    is_core = is_above & is_below
    extents = np.zeros(cells.count)
    extents[core] = ELO_PER_LOG_ODDS * _extents(cells.among(core), within[core])
    if len(core) == 1:  # nobody is rated both ways: the core itself only won, only lost, or neither
        is_above[core], is_below[core] = is_below.sum() > 1, is_above.sum() > 1
        elos[core] = np.where(is_above[core] == is_below[core], np.nan, elos[core])
        is_core[core] = False
    lows = np.where(is_core, elos - extents, np.minimum(bounds, elos))
    highs = np.where(is_core, elos + extents, np.maximum(bounds, elos))
    known = zip(elos, lows, highs, is_above, is_below, strict=True)
    return tuple(
        None
        if math.isnan(elo)
        else Estimate(float(elo), float(low) if above else None, float(high) if below else None)
        for elo, low, high, above, below in known
    )


def _reach(links: BoolArray) -> BoolArray:
    """Return who took a point from whom, directly or from somebody who did; all reach themselves."""
    reach = links | np.eye(len(links), dtype=np.bool_)
    for middle in range(len(links)):
        reach |= reach[:, middle, None] & reach[None, middle, :]
    return reach


def _blocks(reach: BoolArray) -> Iterator[IntArray]:
    """Yield the sets of agents who reach each other: within one a fit is finite (Ford 1957).

    A block comes after all those that it reaches.
    """
    mutual = reach & reach.T
    leaders = [agent for agent in range(len(reach)) if mutual[agent].argmax() == agent]
    for leader in sorted(leaders, key=lambda leader: int(reach[leader].sum())):
        yield np.flatnonzero(mutual[leader])


def _core(reach: BoolArray, met: FloatArray) -> IntArray:
    """Return the largest block of the largest group that met; the one that played more if equal."""
    groups = _reach(met > 0).sum(axis=1)

    def weight(block: IntArray) -> tuple[int, int, float]:
        return int(groups[block[0]]), len(block), float(met[block].sum())

    return max(_blocks(reach), key=weight)


def check_installed() -> None:
    """Raise MissingExtraError unless the package choix is there, which more than two agents need."""
    try:
        import choix  # noqa: F401 - importing is all it takes
    except ImportError:
        raise MissingExtraError("rating", "ratings of more than two agents") from None


def _fit(cells: _Cells) -> FloatArray:
    """Return the likeliest log-odds of agents who reach each other, their mean 0.

    Raises
    ------
    MissingExtraError
        If there are more than two and choix is not installed.
    """
    if cells.count == 1:
        return np.zeros(1)
    points = cells.points()
    if cells.count == 2:
        lead = math.log(points[0, 1] / points[1, 0])
        return np.array([lead / 2, -lead / 2])
    check_installed()
    import choix

    log_odds: FloatArray = choix.ilsr_pairwise_dense(points, max_iter=MOST_ITERATIONS)
    return np.asarray(log_odds - log_odds.mean(), dtype=np.float64)


def _extents(cells: _Cells, log_odds: FloatArray) -> FloatArray:
    """Return how far each agent's interval reaches to either side of its log-odds.

    The sandwich of the information, with the clusters' squared residuals
    between (White 1982), each divided by 1 - leverage (MacKinnon and White
    1985, HC2). Two agents' residuals amount to those of one cluster won
    outright at least, so that equal pairs do not count as certainty.
    """
    expected = 1 / (1 + np.exp(log_odds[cells.second] - log_odds[cells.first]))
    spread = cells.size * expected * (1 - expected)
    inverse = np.linalg.pinv(_laplacian(cells.summed(cells.clusters * spread)), hermitian=True)
    distance = np.diag(inverse)[cells.first] + np.diag(inverse)[cells.second]
    leverage = np.minimum(spread * (distance - 2 * inverse[cells.first, cells.second]), _LARGEST_LEVERAGE)
    residuals = cells.clusters * (cells.size * (cells.score - expected)) ** 2 / (1 - leverage)
    floors = np.zeros((cells.count, cells.count))
    floors[cells.first, cells.second] = cells.size * spread
    middle = _laplacian(np.maximum(cells.summed(residuals), floors))
    freedom = int(cells.clusters.sum()) - cells.count + 1
    extents: FloatArray = quantile(freedom) * np.sqrt(np.diag(inverse @ middle @ inverse))
    return extents


def _laplacian(weights: FloatArray) -> FloatArray:
    """Return the sum over all entries of weight times (e_i - e_j)(e_i - e_j)'."""
    weights = weights + weights.T
    laplacian: FloatArray = np.diag(weights.sum(axis=1)) - weights
    return laplacian


def _placed(
    within: FloatArray,
    reach: BoolArray,
    met: FloatArray,
    *,
    core: IntArray,
    offset: Callable[[FloatArray, FloatArray], float],
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Return everybody's Elo, and who is above the core or in it, and who below it or in it.

    `offset` says how far a block stands above those that it only won against.
    Agents who only won against some and only lost to others are nan.
    """
    above = _above(within, reach, met, core=core, offset=offset)
    below = -_above(-within, reach.T, met, core=core, offset=offset)
    elos = np.where(np.isnan(above), below, above)  # the core stands in both
    return ELO_PER_LOG_ODDS * (elos - np.nanmean(elos)), ~np.isnan(above), ~np.isnan(below)


def _above(
    within: FloatArray,
    reach: BoolArray,
    met: FloatArray,
    *,
    core: IntArray,
    offset: Callable[[FloatArray, FloatArray], float],
) -> FloatArray:
    """Return log-odds of the core and of all blocks that only won on the way to it; nan elsewhere."""
    placed = np.full(len(within), np.nan)
    for block in _blocks(reach):
        if not reach[block[0], core[0]]:
            continue
        if block[0] == core[0]:
            placed[block] = within[block]
            continue
        known = np.flatnonzero(~np.isnan(placed))
        leads = within[block, None] - placed[None, known]
        placed[block] = within[block] + offset(leads, met[np.ix_(block, known)])
    return placed


def _least_offset(leads: FloatArray, clusters: FloatArray) -> float:
    """Return what to add to `leads`, in log-odds, to win all clusters with a probability of `TAIL`.

    Each counts with its expected score: no cluster is won outright more often.
    """

    def excess(offset: float) -> float:
        return -float((clusters * np.logaddexp(0.0, -(leads + offset))).sum()) - math.log(TAIL)

    return crossing(excess, -_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS)


def _guessed_offset(leads: FloatArray, clusters: FloatArray) -> float:
    """Return what to add to `leads`, in log-odds, to expect of all clusters together the `swept_score`."""
    count = float(clusters.sum())
    points = count * swept_score(round(count))

    def excess(offset: float) -> float:
        return float((clusters * np.exp(-np.logaddexp(0.0, -(leads + offset)))).sum()) - points

    return crossing(excess, -_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS)
