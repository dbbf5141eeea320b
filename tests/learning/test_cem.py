"""The cross-entropy method by hand, on a hill, and its noise."""

import numpy as np
import pytest
from learning.searching import TARGET, QuadraticCem, made, small, trained

from boardgames.errors import OptionError
from boardgames.learning.cem import Gaussian


def step(**options: float) -> Gaussian:
    given = {"population": 4, "elite": 2, "noise": 0.0, "smoothing": 0.0, "seed": 1}
    return Gaussian(np.array([8.0]), np.array([4.0]), **{**given, **options})


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
def test_the_next_distribution_by_hand(options: dict[str, float], mean: float, deviation: float) -> None:
    """The best two of four are 1 and 3: mean 2, variance 1."""
    made = step(**options)
    made.tell(np.array([[9.0], [3.0], [7.0], [1.0]]), np.array([0.1, 0.8, 0.2, 0.9]))
    assert (made.mean.tolist(), made.deviation.tolist()) == ([mean], [deviation])


def test_individuals_are_drawn_from_the_distribution() -> None:
    drawn = step(population=20_000).ask()
    assert drawn.mean() == pytest.approx(8, abs=0.1)
    assert drawn.std() == pytest.approx(4, abs=0.1)


def test_it_finds_the_top_of_a_hill() -> None:
    learner = QuadraticCem(small(), steps=60)
    last = trained(learner, seed=1)[-1]
    assert np.abs(last.arrays["mean"] - TARGET).max() < 0.05
    assert last.arrays["deviation"].max() < 0.1


def test_noise_keeps_it_from_standing_still_too_early() -> None:
    """From afar, a small elite shrinks the distribution before it is there."""
    far = {"steps": 60, "deviation": 0.02, "elite": 2, "smoothing": 0.0}
    with_noise, without = (
        trained(QuadraticCem(small(), noise=noise, **far), seed=1)[-1].arrays["mean"] for noise in (0.05, 0.0)
    )
    assert np.abs(with_noise - TARGET).max() < 0.1
    assert np.abs(without - TARGET).max() > 0.5


def test_the_noise_falls_evenly_to_nothing() -> None:
    learner = made("cem", noise=0.5, noise_decay=0.25)
    assert [learner.noise(number) for number in range(6)] == [0.5, 0.375, 0.25, 0.125, 0.0, 0.0]


def test_an_elite_larger_than_the_population_is_refused() -> None:
    with pytest.raises(OptionError, match="expected an elite within the population of 6: 7"):
        made("cem", elite=7)
