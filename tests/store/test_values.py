"""What a match of the store says of its record."""

import nim
import pytest

import boardgames
from boardgames import plugins
from boardgames.errors import RecordError
from boardgames.game import Outcome, Termination
from boardgames.plugins import EntryPoint, Registry
from boardgames.record import Record
from boardgames.store import NewMatch, PlayerKey, Rating, variant_of

ANN, BOB = PlayerKey("Ann"), PlayerKey("Bob")


@pytest.fixture
def _nim_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    nim.as_plugin()
    installed = Registry(found=[EntryPoint("nim", "nim_plugin", "boardgames")])
    monkeypatch.setattr(plugins, "registry", lambda: installed)


@pytest.mark.parametrize(
    ("options", "variant"),
    [({}, ""), ({"rows": 6}, ""), ({"rows": 4}, "rows=4"), ({"rows": 4, "columns": 5}, "columns=5 rows=4")],
    ids=["none", "the default", "one", "two"],
)
def test_a_variant_is_what_differs_from_the_defaults(options: dict[str, int], variant: str) -> None:
    assert variant_of(boardgames.load("connect4", **options)) == variant


def test_a_layout_makes_no_variant() -> None:
    assert variant_of(boardgames.load("abalone", layout="standard")) == ""


def test_a_match_says_what_its_record_says() -> None:
    outcome = Outcome(1, Termination.TIME)
    record = Record("connect4", start="-", names=("Ann", "Bob"), moves=("4",), outcome=outcome)
    match = NewMatch.of(record, fault="too slow", run=3, number=7)
    assert match == NewMatch(
        (ANN, BOB), str(record), "connect4", "", 1, "time", 1, (0.0, 0.0), "too slow", 3, 7
    )


def test_options_of_a_record_that_are_the_defaults_make_no_variant() -> None:
    record = Record("connect4", start="-", options={"rows": "6", "columns": "5"})
    assert NewMatch.of(record).variant == "columns=5"


def test_a_game_that_is_not_installed_has_the_records_options_as_variant() -> None:
    record = Record("chess", start="-", options={"b": "2", "a": "1"}, moves=("e4",), seconds=(1.0,))
    match = NewMatch.of(record)
    assert (match.variant, match.seconds) == ("a=1 b=2", (0.0, 0.0))


@pytest.mark.usefixtures("_nim_is_installed")
def test_seconds_belong_to_who_moved() -> None:
    # with this option taking one stone keeps the turn
    moves, seconds = ("take1", "take1", "take2", "take3"), (1.0, 2.0, 4.0, None)
    record = Record("nim", start="7:0:0:0", options={"again": "true"}, moves=moves, seconds=seconds)
    assert NewMatch.of(record).seconds == (7.0, 0.0)


@pytest.mark.parametrize(
    "change",
    [
        {"termination": "boredom"},
        {"winner": 2},
        {"termination": None, "winner": 0},
        {"seconds": (-1.0, 0.0)},
        {"seconds": (0.0, float("nan"))},
    ],
    ids=str,
)
def test_what_is_no_match_is_refused(change: dict[str, object]) -> None:
    right = {"winner": 0, "termination": "rules", "plies": 1, "seconds": (0.0, 0.0)}
    with pytest.raises(RecordError, match=r"^expected "):
        NewMatch((ANN, BOB), "", "connect4", "", **{**right, **change})


def test_a_rating_is_a_number_or_none() -> None:
    assert Rating(ANN, 3, None, None, None).elo is None
    with pytest.raises(RecordError, match="expected a finite rating of Ann, or none: inf"):
        Rating(ANN, 3, 10.0, 0.0, float("inf"))
