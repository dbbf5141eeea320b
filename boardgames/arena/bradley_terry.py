"""Ratings of a field of agents on one Elo scale, from pairs of matches or single matches.

This is the Bradley-Terry model with draws as half points, fitted by maximum
likelihood. The intervals do not use the variance of the
model, because draws and the two matches of a pair are not independent coin
tosses. They use a robust variance in which each pair (or each single match) is
a cluster.

Sources: R. Bradley and M. Terry, "Rank analysis of incomplete block designs",
Biometrika 39, 1952; L. Ford, "Solution of a ranking problem from binary
comparisons", 1957 (when the fit is finite); H. White, "Maximum likelihood
estimation of misspecified models", Econometrica 50, 1982, and J. MacKinnon
and H. White, 1985 (the intervals and their correction by leverage).
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
    find_root,
    score_after_sweep,
    t_quantile,
)
from boardgames.errors import LimitError, quote

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

MAX_ITERATIONS = 1000
"""Maximum for Newton's method; ordinary fields need about five, lopsided ones a few dozen."""

_MATCH_SCORES = (1.0, 0.5, 0.0)
_MAX_LOG_ODDS = 1e4
_PRECISION = 1e-16  # a step that promises a smaller gain in log-likelihood is the last
_SMALLEST_STEP = 1e-12
_MAX_LEVERAGE = 0.5  # a cap: a single cluster has leverage 1, and 1 - leverage would be 0


Estimates = tuple[Estimate | None, ...]
"""Elo of each agent relative to the mean of the field; None if no results connect it with the others."""


@dataclass(frozen=True, slots=True)
class _Results:
    """Groups of clusters that have the same players and score.

    Attributes
    ----------
    count : int
        Number of agents.
    first, second : int64[n]
        The agents, first < second.
    score : float64[n]
        Mean score of `first` in a cluster.
    clusters : float64[n]
        Number of clusters.
    size : int
        Matches per cluster.
    """

    count: int
    first: IntArray
    second: IntArray
    score: FloatArray
    clusters: FloatArray
    size: int

    def among(self, members: IntArray) -> "_Results":
        """Return the results among `members`, which are renumbered in that order."""
        numbers = np.full(self.count, -1)
        numbers[members] = np.arange(len(members))
        first, second = numbers[self.first], numbers[self.second]
        inside = (first >= 0) & (second >= 0)
        return _Results(
            len(members),
            first[inside],
            second[inside],
            self.score[inside],
            self.clusters[inside],
            self.size,
        )

    def sum_by_pairing(self, values: FloatArray) -> FloatArray:
        """Return the matrix of sums by first and second agent."""
        matrix = np.zeros((self.count, self.count))
        np.add.at(matrix, (self.first, self.second), values)
        return matrix

    def points(self) -> FloatArray:
        """Return the points that each agent (row) scored against each other agent (column)."""
        won, lost = self.clusters * self.score, self.clusters * (1 - self.score)
        return self.size * (self.sum_by_pairing(won) + self.sum_by_pairing(lost).T)

    def meetings(self) -> FloatArray:
        """Return the number of clusters between each pair of agents."""
        matrix = self.sum_by_pairing(self.clusters)
        return matrix + matrix.T


def ratings(count: int, series: Mapping[tuple[int, int], Pairs]) -> Estimates:
    """Rate agents that played pairs of matches.

    Parameters
    ----------
    count : int
        Number of agents. They are numbered from 0.
    series : mapping of (int, int) to Pairs
        Pairs between two agents, from the first one's point of view. Two
        agents may occur in both orders.

    Returns
    -------
    tuple of Estimate or None
        One per agent. The mean of all comparable agents is 0; agents that won or
        lost every match enter the mean with a cautious guess.

    Raises
    ------
    LimitError
        If an agent is out of range or plays itself.

    Examples
    --------
    >>> estimates = ratings(3, {(0, 1): Pairs((2, 5, 9, 7, 7)), (1, 2): Pairs((2, 4, 9, 8, 7))})
    >>> print(*estimates, sep="; ")
    +74 [14, 135]; +4 [-34, 42]; -79 [-138, -19]
    """
    counts = {agents: pairs.counts for agents, pairs in series.items()}
    return _estimates(_collect(count, counts, SCORES, 2))


def match_ratings(count: int, results: Mapping[tuple[int, int], tuple[int, int, int]]) -> Estimates:
    """Rate agents that played single matches, each from its own opening.

    Parameters
    ----------
    count : int
        Number of agents. They are numbered from 0.
    results : mapping of (int, int) to (int, int, int)
        Wins, draws and losses of the first agent. Sides are ignored, so each
        agent should have played both sides equally often.

    Returns
    -------
    tuple of Estimate or None
        As for `ratings`.

    Raises
    ------
    LimitError
        As for `ratings`, and if a count is negative.

    Examples
    --------
    >>> print(*match_ratings(2, {(0, 1): (60, 10, 30)}), sep="; ")
    +54 [20, 88]; -54 [-88, -20]
    """
    for agents, counts in results.items():
        if len(counts) != 3 or not all(isinstance(number, int) and number >= 0 for number in counts):
            raise LimitError(
                f"wins, draws and losses must be three non-negative integers, not {quote(counts)} "
                f"(agents {agents[0]} and {agents[1]})"
            )
    return _estimates(_collect(count, results, _MATCH_SCORES, 1))


def _collect(
    count: int, results: Mapping[tuple[int, int], Sequence[int]], scores: Sequence[float], size: int
) -> _Results:
    rows = []
    for agents, counts in results.items():
        first, second = agents
        if not (0 <= first < count and 0 <= second < count) or first == second:
            raise LimitError(f"a pairing needs two different agents below {count}, not {quote(agents)}")
        ordered = counts if first < second else counts[::-1]  # the scores are symmetric about 1/2
        pairing = (min(agents), max(agents))
        rows += [(*pairing, score, number) for score, number in zip(scores, ordered, strict=True) if number]
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    agents_columns = table[:, :2].astype(np.int64)
    return _Results(count, agents_columns[:, 0], agents_columns[:, 1], table[:, 2], table[:, 3], size)


def _estimates(results: _Results) -> Estimates:
    """Rate the core, find bounds for the agents above and below it, and set the mean to 0."""
    if results.count == 0:
        return ()
    reach, meetings = _reachability(results.points() > 0), results.meetings()
    core = _core(reach, meetings)
    within = np.zeros(results.count)
    for component in _components(reach):
        within[component] = _fit(results.among(component))
    elos, is_above, is_below = _place(within, reach, meetings, core=core, offset=_offset_guess)
    bounds, _, _ = _place(within, reach, meetings, core=core, offset=_offset_bound)
    is_core = is_above & is_below
    widths = np.zeros(results.count)
    widths[core] = ELO_PER_LOG_ODDS * _half_widths(results.among(core), within[core])
    if len(core) == 1:  # no agent has both won and lost: the core has only wins, only losses, or no matches
        is_above[core], is_below[core] = is_below.sum() > 1, is_above.sum() > 1
        elos[core] = np.where(is_above[core] == is_below[core], np.nan, elos[core])
        is_core[core] = False
    lows = np.where(is_core, elos - widths, np.minimum(bounds, elos))
    highs = np.where(is_core, elos + widths, np.maximum(bounds, elos))
    agents = zip(elos, lows, highs, is_above, is_below, strict=True)
    return tuple(
        None
        if math.isnan(elo)
        else Estimate(float(elo), float(low) if above else None, float(high) if below else None)
        for elo, low, high, above, below in agents
    )


def _reachability(links: BoolArray) -> BoolArray:
    """Return the transitive closure of "has scored against"; every agent reaches itself."""
    reach = links | np.eye(len(links), dtype=np.bool_)
    for middle in range(len(links)):
        reach |= reach[:, middle, None] & reach[None, middle, :]
    return reach


def _components(reach: BoolArray) -> Iterator[IntArray]:
    """Yield the strongly connected components, within which a fit is finite (Ford 1957).

    A component comes after all those that it reaches.
    """
    mutual = reach & reach.T
    leaders = [agent for agent in range(len(reach)) if mutual[agent].argmax() == agent]
    for leader in sorted(leaders, key=lambda leader: int(reach[leader].sum())):
        yield np.flatnonzero(mutual[leader])


def _core(reach: BoolArray, meetings: FloatArray) -> IntArray:
    """Return the largest component of the largest connected group; the number of matches breaks ties."""
    groups = _reachability(meetings > 0).sum(axis=1)

    def weight(component: IntArray) -> tuple[int, int, float]:
        return int(groups[component[0]]), len(component), float(meetings[component].sum())

    return max(_components(reach), key=weight)


def _fit(results: _Results) -> FloatArray:
    """Return the maximum likelihood log-odds of a component, with mean 0.

    The likelihood is concave, so Newton's method with step halving finds its maximum, which is finite.
    """
    points = results.points()
    meetings, scored = points + points.T, points.sum(axis=1)
    log_odds = np.zeros(results.count)
    for _ in range(MAX_ITERATIONS):
        # the expected score of each agent against each other agent
        expected = 1 / (1 + np.exp(log_odds[None, :] - log_odds[:, None]))
        gradient = scored - (meetings * expected).sum(axis=1)
        information = _laplacian(np.triu(meetings * expected * expected.T))
        step = np.linalg.pinv(information, hermitian=True) @ gradient
        gain, likelihood = float(gradient @ step), _log_likelihood(points, log_odds)
        size = 1.0
        while _log_likelihood(points, log_odds + size * step) < likelihood and size > _SMALLEST_STEP:
            size /= 2
        log_odds = log_odds + size * step
        if gain < _PRECISION:
            break
    centred: FloatArray = log_odds - log_odds.mean()
    return centred


def _log_likelihood(points: FloatArray, log_odds: FloatArray) -> float:
    """Return the logarithm of the likelihood of the points that each agent scored against each other."""
    return float(-(points * np.logaddexp(0, log_odds[None, :] - log_odds[:, None])).sum())


def _half_widths(results: _Results, log_odds: FloatArray) -> FloatArray:
    """Return half the width of each agent's interval in log-odds.

    This is the sandwich estimator: the squared residuals of the clusters, each
    divided by 1 - leverage (MacKinnon and White 1985, HC2), between two inverse
    information matrices (White 1982). The residuals of two agents count at
    least as much as one cluster won outright, so that a series of even pairs is
    not treated as certain.
    """
    expected = 1 / (1 + np.exp(log_odds[results.second] - log_odds[results.first]))
    variance = results.size * expected * (1 - expected)
    information = _laplacian(results.sum_by_pairing(results.clusters * variance))
    inverse = np.linalg.pinv(information, hermitian=True)
    distance = np.diag(inverse)[results.first] + np.diag(inverse)[results.second]
    leverage = variance * (distance - 2 * inverse[results.first, results.second])
    leverage = np.minimum(leverage, _MAX_LEVERAGE)
    residuals = results.clusters * (results.size * (results.score - expected)) ** 2 / (1 - leverage)
    floors = np.zeros((results.count, results.count))
    floors[results.first, results.second] = results.size * variance
    middle = _laplacian(np.maximum(results.sum_by_pairing(residuals), floors))
    degrees_of_freedom = int(results.clusters.sum()) - results.count + 1
    widths: FloatArray = t_quantile(degrees_of_freedom) * np.sqrt(np.diag(inverse @ middle @ inverse))
    return widths


def _laplacian(weights: FloatArray) -> FloatArray:
    """Return the sum of weight times (e_i - e_j)(e_i - e_j)' over all entries."""
    weights = weights + weights.T
    laplacian: FloatArray = np.diag(weights.sum(axis=1)) - weights
    return laplacian


def _place(
    within: FloatArray,
    reach: BoolArray,
    meetings: FloatArray,
    *,
    core: IntArray,
    offset: Callable[[FloatArray, FloatArray], float],
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Return the Elo of all agents, a mask of those in or above the core, and one of those in or below it.

    `offset` returns how far to place a component above those that it only won
    against. Agents that are neither above nor below the core are nan.
    """
    above = _place_above(within, reach, meetings, core=core, offset=offset)
    below = -_place_above(-within, reach.T, meetings, core=core, offset=offset)
    elos = np.where(np.isnan(above), below, above)  # the core is in both masks
    return ELO_PER_LOG_ODDS * (elos - np.nanmean(elos)), ~np.isnan(above), ~np.isnan(below)


def _place_above(
    within: FloatArray,
    reach: BoolArray,
    meetings: FloatArray,
    *,
    core: IntArray,
    offset: Callable[[FloatArray, FloatArray], float],
) -> FloatArray:
    """Return the log-odds of the core and of all components that reach it, and nan elsewhere."""
    placed = np.full(len(within), np.nan)
    for component in _components(reach):
        if not reach[component[0], core[0]]:
            continue
        if component[0] == core[0]:
            placed[component] = within[component]
            continue
        known = np.flatnonzero(~np.isnan(placed))
        leads = within[component, None] - placed[None, known]
        placed[component] = within[component] + offset(leads, meetings[np.ix_(component, known)])
    return placed


def _offset_bound(leads: FloatArray, clusters: FloatArray) -> float:
    """Return the offset to `leads`, in log-odds, at which all clusters are won with probability `TAIL`.

    The probability of winning a cluster is approximated by its expected score,
    which is an upper bound.
    """

    def excess(offset: float) -> float:
        return -float((clusters * np.logaddexp(0.0, -(leads + offset))).sum()) - math.log(TAIL)

    return find_root(excess, -_MAX_LOG_ODDS, _MAX_LOG_ODDS)


def _offset_guess(leads: FloatArray, clusters: FloatArray) -> float:
    """Return the offset to `leads`, in log-odds, at which all clusters together score `score_after_sweep`."""
    count = float(clusters.sum())
    points = count * score_after_sweep(round(count))

    def excess(offset: float) -> float:
        return float((clusters * np.exp(-np.logaddexp(0.0, -(leads + offset)))).sum()) - points

    return find_root(excess, -_MAX_LOG_ODDS, _MAX_LOG_ODDS)
