"""Options as engines offer them: names, defaults, and ranges that numbers are brought into."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.ugi.offer import Offer, parse_offer


@pytest.mark.parametrize(
    ("line", "offer"),
    [
        ("option name Hash type spin default 16 min 1 max 1024", Offer("Hash", "16", 1, 1024)),
        ("option name Clear Hash type button", Offer("Clear Hash")),
        ("option name Book File type string default my book.bin", Offer("Book File", "my book.bin")),
        (
            "option name Style type combo default calm down var calm down var wild",
            Offer("Style", "calm down"),
        ),
        ("option name N type spin min x max 9999999999999999", Offer("N")),
        ("option name", None),
        ("optional name N type spin", None),
        ("id name N", None),
    ],
)
def test_an_offer_is_read(line: str, offer: Offer | None) -> None:
    assert parse_offer(line) == offer


@given(
    st.integers(0, 2**63), st.none() | st.integers(-(10**6), 10**6), st.none() | st.integers(-(10**6), 2**40)
)
def test_a_number_comes_within_the_range_and_one_of_the_range_stays(
    number: int, low: int | None, high: int | None
) -> None:
    if low is not None and high is not None and low > high:
        low, high = high, low
    within = Offer("Seed", None, low, high).within(number)
    assert low is None or within >= low
    assert high is None or high < 0 or within <= high
    if (low is None or number >= low) and (high is None or number <= high):
        assert within == number


def test_an_empty_range_gives_its_least() -> None:
    assert Offer("Seed", None, 5, 3).within(77) == 5
