"""Confidence intervals."""

import pytest

from boardgames.arena.intervals import wilson


@pytest.mark.parametrize(
    ("share", "count", "low", "high"),
    [(0.5, 10, 0.2366, 0.7634), (0.9, 10, 0.5958, 0.9821), (0.0, 10, 0.0, 0.2775), (1.0, 10, 0.7225, 1.0)],
)
def test_wilson_interval_matches_published_values(share: float, count: int, low: float, high: float) -> None:
    """Source: R. Newcombe, "Two-sided confidence intervals for the single proportion", 1998, method 3."""
    assert wilson(share, count) == pytest.approx((low, high), abs=1e-4)
