"""Sprt: stop a series as soon as the pairs decide between two Elo differences.

The generalised sequential probability ratio test on pairs of matches: the
likelihoods are the largest that the five cells allow under each mean score,
not a quadratic approximation.

Sources: A. Wald, "Sequential Tests of Statistical Hypotheses", 1945 (bounds);
M. Van den Bergh, notes on the generalised sequential probability ratio test
for engines (likelihoods). docs/statistics.md has measured error rates.
"""

import math
from dataclasses import dataclass
from typing import Literal

from boardgames.arena.pentanomial import Pairs, log_likelihood, score_of
from boardgames.errors import LimitError, shown
from boardgames.options import is_finite

HIGHEST_ELO = 4000.0

FEWEST_PAIRS = 16
"""No decision before: with hypotheses far apart, fewer pairs led to more errors than allowed."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of H0, the first-named player is better by `elo0`, against H1, by `elo1`.

    Attributes
    ----------
    elo0, elo1 : float
        Elo of the first-named player over the other, logistic; elo0 < elo1.
    alpha, beta : float
        Probabilities allowed for accepting H1 if H0 holds, and H0 if H1 holds;
        above 0, together below 1.

    Raises
    ------
    LimitError
        If the hypotheses or the probabilities make no sense.

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
        if not all(is_finite(elo) and abs(elo) <= HIGHEST_ELO for elo in elos) or self.elo0 >= self.elo1:
            raise LimitError(f"expected ELO0 below ELO1, both within {HIGHEST_ELO:g}: {shown(elos)}")
        errors = (self.alpha, self.beta)
        if not all(is_finite(error) and error > 0 for error in errors) or sum(errors) >= 1:
            raise LimitError(f"expected alpha and beta above 0, together below 1: {shown(errors)}")

    @classmethod
    def parse(cls, text: str) -> "Sprt":
        """Return the test of the hypotheses in `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`.

        Raises
        ------
        LimitError
            If the text is not of this form.

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
            raise LimitError(f"expected the hypotheses as ELO0,ELO1: {shown(text)}")
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
        """Return the logarithm of the likelihood under H1 over that under H0; 0 without pairs.

        Examples
        --------
        >>> round(Sprt(0, 2.716).llr(Pairs((13, 37, 50, 25, 3))), 4)
        -0.5378
        """
        if pairs.count == 0:
            return 0.0
        return log_likelihood(pairs, score_of(self.elo1)) - log_likelihood(pairs, score_of(self.elo0))

    def decision(self, pairs: Pairs) -> Literal["H0", "H1"] | None:
        """Return the hypothesis that the pairs decide for, None if more are needed.

        There is none before `FEWEST_PAIRS`.

        Examples
        --------
        >>> print(Sprt(0, 10).decision(Pairs((3, 10, 20, 11, 3))))
        None
        """
        if pairs.count < FEWEST_PAIRS:
            return None
        lower, upper = self.bounds
        ratio = self.llr(pairs)
        if ratio >= upper:
            return "H1"
        return "H0" if ratio <= lower else None

    def __str__(self) -> str:
        return f"SPRT [{self.elo0:g}, {self.elo1:g}], alpha {self.alpha:g}, beta {self.beta:g}"
