import pytest

from boardgames.cli.options import DEPTH, NODES, POSITIVE, SECONDS
from boardgames.errors import OptionError
from boardgames.players import alphabeta


@pytest.mark.parametrize("text", ["nan", "inf", "-1", "x", "", "1_0", "1e9", "9" * 5000])
def test_seconds_must_be_finite_and_at_most_a_week(text: str) -> None:
    with pytest.raises(OptionError, match=r"must be (a number|0.001 to 604800), not"):
        SECONDS.convert(text, None, None)


def test_huge_counts_are_accepted() -> None:
    assert POSITIVE.convert("9" * 400, None, None) == int("9" * 400)


def test_limits_have_the_bounds_of_the_agents_own_options() -> None:
    for number, option in ((DEPTH, alphabeta.DEPTH), (NODES, alphabeta.NODES)):
        assert (number.kind, number.minimum, number.maximum) == (option.kind, option.minimum, option.maximum)
