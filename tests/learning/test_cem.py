"""The learner `cem`: one update by hand, optimisation of a quadratic, and the noise."""

from typing import Any

import numpy as np
import pytest
from learning.helpers import TARGET, QuadraticCem, make, small, train

from boardgames.errors import OptionError
from boardgames.learning.cem import Gaussian


def gaussian(**options: float) -> Gaussian:
    defaults: dict[str, Any] = {"population": 4, "elite": 2, "noise": 0.0, "smoothing": 0.0, "seed": 1}
    return Gaussian(np.array([8.0]), np.array([4.0]), **{**defaults, **options})


@pytest.mark.parametrize(
    ("options", "mean", "deviation"),
    [
        ({}, 2.0, 1.0),
        ({"noise": 3.0}, 2.0, 2.0),
        ({"smoothing": 0.5}, 5.0, 2.5),
        ({"elite": 1}, 1.0, 0.0),
    ],
    ids=["elite", "noise", "smoothing", "elite of one"],
)
def test_update_agrees_with_a_calculation_by_hand(
    options: dict[str, float], mean: float, deviation: float
) -> None:
    """The best two of four are 1 and 3: mean 2, variance 1."""
    distribution = gaussian(**options)
    distribution.tell(np.array([[9.0], [3.0], [7.0], [1.0]]), np.array([0.1, 0.8, 0.2, 0.9]))
    assert (distribution.mean.tolist(), distribution.deviation.tolist()) == ([mean], [deviation])


def test_individuals_are_sampled_from_the_distribution() -> None:
    samples = gaussian(population=20_000).ask()
    assert samples.mean() == pytest.approx(8, abs=0.1)
    assert samples.std() == pytest.approx(4, abs=0.1)


def test_optimum_of_a_quadratic_is_found() -> None:
    last = train(QuadraticCem(small(), steps=60), seed=1)[-1]
    assert np.abs(last.arrays["mean"] - TARGET).max() < 0.05
    assert last.arrays["deviation"].max() < 0.1


def test_noise_prevents_premature_convergence() -> None:
    """From far away, a small elite shrinks the distribution before it arrives."""
    options = {"steps": 60, "deviation": 0.02, "elite": 2, "smoothing": 0.0}
    noisy, quiet = (
        train(QuadraticCem(small(), noise=noise, **options), seed=1)[-1].arrays["mean"]
        for noise in (0.05, 0.0)
    )
    assert np.abs(noisy - TARGET).max() < 0.1
    assert np.abs(quiet - TARGET).max() > 0.5


def test_noise_decreases_linearly_to_zero() -> None:
    learner = make("cem", noise=0.5, noise_decay=0.25)
    assert [learner.noise(step) for step in range(6)] == [0.5, 0.375, 0.25, 0.125, 0.0, 0.0]


def test_elite_larger_than_the_population_is_rejected() -> None:
    with pytest.raises(OptionError, match="elite must be at most the population of 6, not 7"):
        make("cem", elite=7)
