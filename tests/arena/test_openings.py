"""Opening suites: random ones, named ones, files."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from nim import Nim

import boardgames
from boardgames.arena.openings import Openings
from boardgames.errors import (
    BoardgamesError,
    FileError,
    LimitError,
    MalformedMoveError,
    PositionError,
    UnknownNameError,
)
from boardgames.game import Game

CONNECT4 = boardgames.load("connect4")
ABALONE = boardgames.load("abalone")


def take(game: Game, text: str, *, count: int, seed: int) -> list[str]:
    return Openings(game, text).take(count, seed=seed)


@pytest.mark.parametrize("plies", [0, 1, 4, 7])
def test_random_openings_have_the_given_number_of_plies(plies: int) -> None:
    for text in take(CONNECT4, f"random:{plies}", count=20, seed=1):
        assert sum(text.count(piece) for piece in "rb") == plies


def test_random_openings_repeat_only_after_all_have_been_used() -> None:
    assert len(set(take(CONNECT4, "random:4", count=300, seed=1))) == 300
    counts = Counter(take(CONNECT4, "random:1", count=14, seed=1))
    assert len(counts) == 7


def test_random_openings_are_repeated_evenly_if_there_are_too_few() -> None:
    counts = Counter(take(CONNECT4, "random:1", count=70_000, seed=1))
    assert set(counts.values()) == {10_000}


def test_larger_count_only_appends_openings() -> None:
    for text in ("random:4", "every:2"):
        few, many = (take(CONNECT4, text, count=count, seed=1) for count in (20, 40))
        assert many[:20] == few


def test_fingerprint_depends_only_on_the_positions(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text("44\n43\n")
    before = Openings(CONNECT4, str(path)).fingerprint
    path.write_text("# the same\n44\n43\n")
    assert Openings(CONNECT4, str(path)).fingerprint == before != ""
    path.write_text("44\n42\n")
    assert Openings(CONNECT4, str(path)).fingerprint != before
    assert Openings(CONNECT4, "random:4").fingerprint == ""


def test_openings_depend_on_the_seed() -> None:
    for text in ("random:4", "every:2"):
        first, again, other = (take(CONNECT4, text, count=30, seed=seed) for seed in (1, 1, 2))
        assert first == again != other


def test_random_openings_start_from_the_layout() -> None:
    game = boardgames.load("abalone", layout="standard")
    assert take(game, "random:0", count=2, seed=1) == [str(game.start())] * 2


def test_openings_are_unfinished() -> None:
    for text in take(Nim(), "random:3", count=40, seed=1):
        assert Nim().parse(text).outcome is None


@pytest.mark.parametrize(("plies", "count"), [(0, 1), (1, 7), (2, 49), (3, 238)])
def test_suite_every_contains_all_positions_after_the_given_plies(plies: int, count: int) -> None:
    """The counts are the published numbers of distinct positions (Tromp)."""
    assert len(set(take(CONNECT4, f"every:{plies}", count=500, seed=1))) == count


def test_short_suite_is_repeated_evenly() -> None:
    counts = Counter(take(CONNECT4, "every:1", count=21, seed=1))
    assert set(counts.values()) == {3}


def test_layouts_are_a_suite() -> None:
    layouts = take(ABALONE, "layouts", count=len(ABALONE.facts.layouts), seed=1)
    assert set(layouts) == {str(ABALONE.parse(text)) for text in ABALONE.facts.layouts.values()}


def test_game_may_declare_suites() -> None:
    game = boardgames.load("connect4")
    game.facts = replace(game.facts, openings={"edges": ("1", "7")})
    assert set(take(game, "edges", count=2, seed=1)) == {str(game.parse("1")), str(game.parse("7"))}
    with pytest.raises(UnknownNameError, match="did you mean 'edges'"):
        take(game, "edgse", count=1, seed=1)


def test_file_has_one_position_per_line_in_any_notation(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text("# openings\n44\n\n  1234  # comment\n" + str(CONNECT4.parse("44")) + "\n")
    assert set(take(CONNECT4, str(path), count=5, seed=1)) == {
        str(CONNECT4.parse("44")),
        str(CONNECT4.parse("1234")),
    }


def test_a_line_of_a_file_may_be_the_moves_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text("moves: 1. 4 4 2. 3  # comment\n")
    assert take(CONNECT4, str(path), count=1, seed=1) == [str(CONNECT4.parse("443"))]


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        ("44\n9\n", PositionError, "line 2"),
        ("1212121\n", FileError, "already over.*line 1"),
        ("moves: 4 9\n", MalformedMoveError, "move 2: '9' is not a column.*line 1"),
        ("# nothing\n", FileError, "no positions"),
        ("\n", FileError, "no positions"),
        (b"\xff\xfe", FileError, "UTF-8"),
    ],
    ids=["invalid", "finished", "moves", "comments", "empty", "not text"],
)
def test_errors_in_a_file_name_the_line(
    content: str | bytes, error: type[BoardgamesError], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "book.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(error, match=words):
        take(CONNECT4, str(path), count=2, seed=1)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", UnknownNameError),
        ("nowhere.txt", UnknownNameError),
        ("random", UnknownNameError),
        ("x" * 5000, UnknownNameError),
        ("a\0b", UnknownNameError),
        ("random:", LimitError),
        ("random:-1", LimitError),
        ("random:1.5", LimitError),
        ("random:101", LimitError),
        ("random:\u0663", LimitError),
        ("every:99", LimitError),
        ("random:100", LimitError),
    ],
)
def test_invalid_texts_are_rejected(
    text: str, error: type[BoardgamesError], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.arena.openings.MAX_POSITIONS", 500)
    with pytest.raises(error):
        take(CONNECT4, text, count=2, seed=1)


def test_suite_with_only_finished_matches_is_rejected() -> None:
    with pytest.raises(LimitError, match="every match of"):
        take(Nim(), "every:7", count=1, seed=1)
