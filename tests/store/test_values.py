"""Values of the store: the match of a record, variants, checks."""

from importlib.metadata import EntryPoint
from typing import Any

import nim
import pytest
from nim import Nim

import boardgames
from boardgames import plugins
from boardgames.errors import RecordError
from boardgames.game import Outcome, Termination
from boardgames.plugins import Registry, load_game_of
from boardgames.record import Record, parse_records
from boardgames.store import NewMatch, PlayerKey, Rating, variant_of

ANN, BOB = PlayerKey("Ann"), PlayerKey("Bob")


@pytest.fixture
def _nim_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    nim.as_plugin()
    installed = Registry(points=[EntryPoint("nim", "nim_plugin", "boardgames")])
    monkeypatch.setattr(plugins, "registry", lambda: installed)


@pytest.mark.parametrize(
    ("options", "variant"),
    [({}, ""), ({"rows": 6}, ""), ({"rows": 4}, "rows=4"), ({"rows": 4, "columns": 5}, "columns=5 rows=4")],
    ids=["none", "the default", "one", "two"],
)
def test_variant_lists_the_options_that_differ_from_their_defaults(
    options: dict[str, Any], variant: str
) -> None:
    assert variant_of(boardgames.load("connect4", **options)) == variant


def test_layout_is_not_part_of_the_variant() -> None:
    assert variant_of(Nim(layout="hundred")) == ""


def test_match_takes_its_values_from_the_record() -> None:
    outcome = Outcome(1, Termination.TIME)
    record = Record("connect4", start="-", names=("Ann", "Bob"), moves=("4",), outcome=outcome)
    match = NewMatch.from_record(record, fault="too slow", run=3, number=7)
    assert match == NewMatch(
        (ANN, BOB), str(record), "connect4", "", 1, "time", 1, (0.0, 0.0), "too slow", 3, 7
    )


def test_default_options_in_a_record_are_not_part_of_the_variant() -> None:
    record = Record("connect4", start="-", options={"rows": "6", "columns": "5"})
    assert NewMatch.from_record(record).variant == "columns=5"


def test_variant_of_an_unknown_game_lists_all_options_of_the_record() -> None:
    record = Record("chess", start="-", options={"b": "2", "a": "1"}, moves=("e4",), seconds=(1.0,))
    match = NewMatch.from_record(record)
    assert (match.variant, match.seconds) == ("a=1 b=2", (0.0, 0.0))


@pytest.mark.usefixtures("_nim_is_installed")
def test_seconds_are_summed_by_the_side_that_moved() -> None:
    # with this option taking one stone keeps the turn
    moves, seconds = ("take1", "take1", "take2", "take3"), (1.0, 2.0, 4.0, None)
    record = Record("nim", start="9:0:0:0", options={"again": "true"}, moves=moves, seconds=seconds)
    assert NewMatch.from_record(record).seconds == (7.0, 0.0)
    assert parse_records(str(record), load_game_of).side_seconds == ((7.0, 0.0),)


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
def test_contradictory_values_are_rejected(change: dict[str, Any]) -> None:
    right: dict[str, Any] = {"winner": 0, "termination": "rules", "plies": 1, "seconds": (0.0, 0.0)}
    with pytest.raises(RecordError, match=r"termination|winner|time used"):
        NewMatch((ANN, BOB), "", "connect4", "", **{**right, **change})


def test_rating_must_be_finite_or_none() -> None:
    assert Rating(ANN, 3, None, None, None).elo is None
    with pytest.raises(RecordError, match="the rating of Ann must be a finite number, not inf"):
        Rating(ANN, 3, 10.0, 0.0, float("inf"))
