"""Sequential probability ratio test: stop as soon as the pairs decide between two Elo differences.

This is the generalised test on pairs of matches. Likelihoods are not
approximated by a quadratic function, but maximised over all probabilities of
the five outcomes that have the mean of the hypothesis.

Sources: A. Wald, "Sequential Tests of Statistical Hypotheses", 1945 (bounds);
M. Van den Bergh, notes on the generalised sequential probability ratio test for
engines (likelihoods). docs/statistics.md has measured error rates.
"""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Literal

from boardgames.arena.pentanomial import Pairs, expected_score, log_likelihood
from boardgames.errors import LimitError, quote
from boardgames.options import is_finite

MAX_ELO = 4000.0

MIN_PAIRS = 16
"""Minimum for a decision: with fewer pairs, distant hypotheses led to more errors than allowed."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of H0, that the first player is stronger by `elo0`, against H1, that it is stronger by `elo1`.

    Attributes
    ----------
    elo0, elo1 : float
        Elo of the first player over the other, logistic; elo0 < elo1.
    alpha, beta : float
        Allowed probabilities of accepting H1 if H0 is true, and H0 if H1 is
        true; positive, with a sum below 1.

    Raises
    ------
    LimitError
        If a number is out of range.

    Examples
    --------
    >>> test = Sprt(0, 10)
    >>> test.decision(Pairs((4, 3, 34, 42, 117)))
    'H1'
    >>> print(test)
    SPRT [0, 10], alpha 0.05, beta 0.05
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        elos = (self.elo0, self.elo1)
        if not all(is_finite(elo) and abs(elo) <= MAX_ELO for elo in elos) or self.elo0 >= self.elo1:
            raise LimitError(
                f"ELO0 must be below ELO1, both from -{MAX_ELO:g} to {MAX_ELO:g}, not {quote(elos)}"
            )
        errors = (self.alpha, self.beta)
        if not all(is_finite(error) and error > 0 for error in errors) or sum(errors) >= 1:
            raise LimitError(f"alpha and beta must be positive with a sum below 1, not {quote(errors)}")

    @classmethod
    def parse(cls, text: str) -> "Sprt":
        """Return the test for `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`.

        Raises
        ------
        LimitError
            If the text does not have this form.

        Examples
        --------
        >>> Sprt.parse("0,10")
        Sprt(elo0=0.0, elo1=10.0, alpha=0.05, beta=0.05)
        """
        try:
            if not text.isascii() or "_" in text:
                raise ValueError
            numbers = [float(number) for number in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 4):
            raise LimitError(f"a sequential test is written ELO0,ELO1, such as 0,10; not {quote(text)}")
        return cls(*numbers)

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the log-likelihood ratios at which H0 and H1 are accepted (Wald 1945).

        Examples
        --------
        >>> [round(bound, 2) for bound in Sprt(0, 10).bounds]
        [-2.94, 2.94]
        """
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Pairs) -> float:
        """Return the log-likelihood ratio of H1 to H0, or 0 if there are no pairs.

        Examples
        --------
        >>> round(Sprt(0, 2.716).llr(Pairs((13, 37, 50, 25, 3))), 4)
        -0.5378
        """
        if pairs.count == 0:
            return 0.0
        score0, score1 = expected_score(self.elo0), expected_score(self.elo1)
        return log_likelihood(pairs, score1) - log_likelihood(pairs, score0)

    def decision(self, pairs: Pairs) -> Literal["H0", "H1"] | None:
        """Return the accepted hypothesis, or None while there is none or there are fewer than `MIN_PAIRS`.

        Examples
        --------
        >>> print(Sprt(0, 10).decision(Pairs((3, 10, 20, 11, 3))))
        None
        """
        if pairs.count < MIN_PAIRS:
            return None
        lower, upper = self.bounds
        llr = self.llr(pairs)
        if llr >= upper:
            return "H1"
        return "H0" if llr <= lower else None

    def __str__(self) -> str:
        return f"SPRT [{self.elo0:g}, {self.elo1:g}], alpha {self.alpha:g}, beta {self.beta:g}"


@dataclass(frozen=True, slots=True)
class SprtState:
    """Progress of a sequential test: the log-likelihood ratio, and the decision once there is one."""

    test: Sprt
    llr: float
    decision: Literal["H0", "H1"] | None


class SprtRun:
    """A sequential test that evaluates pairs by number, regardless of the order in which they finish.

    Short matches finish first. A test that took pairs as they finish would see
    too many of them, and its result would depend on the number of workers. A
    pair whose matches repeat the matches of an earlier pair is skipped: otherwise
    two deterministic agents would decide the test with a single opening.

    Attributes
    ----------
    seen : int
        Number of consecutive pairs evaluated, from pair 0 on.
    decision : {"H0", "H1"} or None
        Pairs after the decision are not evaluated.
    """

    def __init__(self, test: Sprt) -> None:
        self.test = test
        self.seen = 0
        self.decision: Literal["H0", "H1"] | None = None
        self._pairs = Pairs()
        self._contents: set[Hashable] = set()

    def update(self, results: Mapping[int, tuple[float, Hashable]]) -> None:
        """Evaluate the next pairs in order, until the test is decided.

        Parameters
        ----------
        results : mapping of int to (float, hashable)
            All finished pairs by number: the points of the first player, and
            a value that is equal for pairs that repeat each other.
        """
        while self.decision is None and self.seen in results:
            points, content = results[self.seen]
            self.seen += 1
            if content in self._contents:
                continue
            self._contents.add(content)
            self._pairs += Pairs.of([points])
            self.decision = self.test.decision(self._pairs)

    @property
    def state(self) -> SprtState:
        """Return the state of the test so far."""
        return SprtState(self.test, self.test.llr(self._pairs), self.decision)
