import pytest

from boardgames.cli.common import COUNT, NODES, PLIES_AHEAD, SECONDS, listed, outcome_text
from boardgames.errors import OptionError
from boardgames.game import Outcome, Termination
from boardgames.players import search
from boardgames.plugins import load


@pytest.mark.parametrize("text", ["nan", "inf", "-1", "x", "", "1_0", "1e9", "9" * 5000])
def test_seconds_are_a_finite_number_of_a_week_at_most(text: str) -> None:
    with pytest.raises(OptionError, match="expected a number from 0 to 604800"):
        SECONDS.convert(text, None, None)


def test_a_huge_count_is_a_count() -> None:
    assert COUNT.convert("9" * 400, None, None) == int("9" * 400)


def test_limits_have_the_bounds_of_the_agents_own_options() -> None:
    for number, option in ((PLIES_AHEAD, search.DEPTH), (NODES, search.NODES)):
        assert (number.kind, number.minimum, number.maximum) == (option.kind, option.minimum, option.maximum)


def test_listed_counts_numbers_as_numbers_and_breaks_no_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    assert listed(["a10", "a9", "b1-b2"]) == "a9 a10\nb1-b2"


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Outcome(0, Termination.RULES), "red wins"),
        (Outcome(1, Termination.TIME), "blue wins (time)"),
        (Outcome(None, Termination.RULES), "drawn"),
        (Outcome(None, Termination.AGREEMENT), "drawn (agreement)"),
    ],
)
def test_an_outcome_says_why_unless_the_rules_do(outcome: Outcome, text: str) -> None:
    assert outcome_text(outcome, load("connect4")) == text
