"""Openings: random ones, books, files; whatever is drawn can be repeated."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from nim import Nim

import boardgames
from boardgames.arena.openings import Openings
from boardgames.errors import BoardgamesError, FileError, LimitError, PositionError, UnknownNameError
from boardgames.game import Game

CONNECT4 = boardgames.load("connect4")
ABALONE = boardgames.load("abalone")


def openings(game: Game, text: str, *, count: int, seed: int) -> list[str]:
    return Openings(game, text).take(count, seed=seed)


@pytest.mark.parametrize("plies", [0, 1, 4, 7])
def test_random_openings_are_so_many_plies_from_the_start(plies: int) -> None:
    for text in openings(CONNECT4, f"random:{plies}", count=20, seed=1):
        assert sum(text.count(piece) for piece in "rb") == plies


def test_random_openings_differ_while_there_are_others() -> None:
    assert len(set(openings(CONNECT4, "random:4", count=300, seed=1))) == 300
    counts = Counter(openings(CONNECT4, "random:1", count=14, seed=1))
    assert len(counts) == 7


def test_when_there_are_no_others_openings_are_repeated_evenly_and_soon() -> None:
    counts = Counter(openings(CONNECT4, "random:1", count=70_000, seed=1))
    assert set(counts.values()) == {10_000}


def test_more_openings_begin_with_those_of_fewer() -> None:
    for text in ("random:4", "every:2"):
        few, many = (openings(CONNECT4, text, count=count, seed=1) for count in (20, 40))
        assert many[:20] == few


def test_a_book_has_a_fingerprint_that_its_positions_decide(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text("44\n43\n")
    before = Openings(CONNECT4, str(path)).fingerprint
    path.write_text("# the same\n44\n43\n")
    assert Openings(CONNECT4, str(path)).fingerprint == before != ""
    path.write_text("44\n42\n")
    assert Openings(CONNECT4, str(path)).fingerprint != before
    assert Openings(CONNECT4, "random:4").fingerprint == ""


def test_a_seed_repeats_its_openings_and_another_has_others() -> None:
    for text in ("random:4", "every:2"):
        first, again, other = (openings(CONNECT4, text, count=30, seed=seed) for seed in (1, 1, 2))
        assert first == again != other


def test_random_openings_start_from_the_layout() -> None:
    game = boardgames.load("abalone", layout="standard")
    assert openings(game, "random:0", count=2, seed=1) == [str(game.start())] * 2


def test_no_opening_is_over() -> None:
    for text in openings(Nim(), "random:3", count=40, seed=1):
        assert Nim().parse(text).outcome is None


@pytest.mark.parametrize(("plies", "count"), [(0, 1), (1, 7), (2, 49), (3, 238)])
def test_every_position_after_some_plies_is_in_its_book(plies: int, count: int) -> None:
    """The counts are those of different positions, as solvers of the game publish them (Tromp)."""
    assert len(set(openings(CONNECT4, f"every:{plies}", count=500, seed=1))) == count


def test_a_short_book_is_repeated_evenly() -> None:
    counts = Counter(openings(CONNECT4, "every:1", count=21, seed=1))
    assert set(counts.values()) == {3}


def test_the_layouts_are_a_book() -> None:
    found = openings(ABALONE, "layouts", count=len(ABALONE.facts.layouts), seed=1)
    assert set(found) == {str(ABALONE.parse(text)) for text in ABALONE.facts.layouts.values()}


def test_a_game_brings_books_of_its_own() -> None:
    game = boardgames.load("connect4")
    game.facts = replace(game.facts, books={"edges": ("1", "7")})
    assert set(openings(game, "edges", count=2, seed=1)) == {str(game.parse("1")), str(game.parse("7"))}
    with pytest.raises(UnknownNameError, match="did you mean 'edges'"):
        openings(game, "edgse", count=1, seed=1)


def test_a_file_has_a_position_a_line_in_any_notation(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text("# openings\n44\n\n  1234  # all along\n" + str(CONNECT4.parse("44")) + "\n")
    assert set(openings(CONNECT4, str(path), count=5, seed=1)) == {
        str(CONNECT4.parse("44")),
        str(CONNECT4.parse("1234")),
    }


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        ("44\n9\n", PositionError, "line 2"),
        ("1212121\n", FileError, "goes on.*line 1"),
        ("# nothing\n", FileError, "at least one position"),
        ("\n", FileError, "at least one position"),
        (b"\xff\xfe", FileError, "UTF-8"),
    ],
    ids=["no position", "over", "comments", "empty", "no text"],
)
def test_what_is_wrong_in_a_file_is_said_with_its_line(
    content: str | bytes, error: type[BoardgamesError], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "book.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(error, match=words):
        openings(CONNECT4, str(path), count=2, seed=1)


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
def test_other_texts_are_refused(text: str, error: type[BoardgamesError]) -> None:
    with pytest.raises(error, match="expected"):
        openings(CONNECT4, text, count=2, seed=1)


def test_a_book_of_matches_that_are_all_over_is_refused() -> None:
    with pytest.raises(LimitError, match="every match of"):
        openings(boardgames.load("connect4", columns=2, rows=2), "every:4", count=1, seed=1)
