"""Simultaneous perturbation: the steps that the learners `spsa` and `tune` share.

A step changes all numbers x at once in two opposite ways, along random directions d whose components
are 1 or -1, measures how much better f is on one side than on the other, and moves x to the better side:

    x = x + a / (2 c) (f(x + c d) - f(x - c d)) d

The change c and the gain a decrease from step to step as in Spall's papers: c is proportional to
(1 + step)^-0.101, and a to (delay + 1 + step)^-0.602. The option `rate` is the initial value of
a / (2 c).

Sources: J. Spall, "Multivariate Stochastic Approximation Using a Simultaneous Perturbation Gradient
Approximation", IEEE Transactions on Automatic Control 37, 1992; the exponents are those that he
recommends in "Implementation of the Simultaneous Perturbation Algorithm for Stochastic
Optimization", IEEE Transactions on Aerospace and Electronic Systems 34, 1998.
"""

import numpy as np

from boardgames.kernels import Reals
from boardgames.learning.base import Configured

GAIN_EXPONENT, CHANGE_EXPONENT = 0.602, 0.101
"""How fast gain and change decrease: the smallest exponents for which convergence has been proved."""


class Perturbation(Configured):
    """Mixin that computes the directions and lengths of the steps.

    A subclass declares the options `change`, `rate` and `delay`.
    """

    def rate(self, step: int) -> float:
        """Return how far every number moves in step `step`, counted from 0, if f differs by 1."""
        delay = self.number("delay") + 1
        gain = (delay / (delay + step)) ** GAIN_EXPONENT
        return float(self.number("rate") * gain * (1 + step) ** CHANGE_EXPONENT)

    def change(self, step: int) -> float:
        """Return how far every number is changed for the matches of step `step`."""
        return float(self.number("change") / (1 + step) ** CHANGE_EXPONENT)

    def directions(self, count: int, size: int, seed: int) -> Reals:
        """Return random directions, `float64[count, size]` of 1 and -1."""
        return np.where(np.random.default_rng(seed).integers(0, 2, (count, size)), 1.0, -1.0)

    def moved(self, point: Reals, directions: Reals, differences: Reals, step: int) -> Reals:
        """Return the numbers after step `step`.

        Parameters
        ----------
        point : float64[size]
            The numbers before the step.
        directions : float64[count, size]
            From `directions`.
        differences : float64[count]
            How much better each direction is than its opposite.
        """
        gradient: Reals = (differences[:, None] * directions).mean(axis=0)
        return point + self.rate(step) * gradient
