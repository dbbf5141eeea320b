"""`boardgames book`: building and extending a book, interruption, errors."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boardgames.books import Book

Run = Callable[..., Any]
SMALL = ("connect4", "--agent", "alphabeta:table=1", "--depth", "2", "--positions", "5", "--workers", "1")


def test_a_book_is_built_and_extended(bg: Run, home: Path) -> None:
    ran = bg("book", *SMALL, "--out", "a.book")
    assert (ran.code, ran.out) == (0, "5 positions, 5 new: a.book\n")
    assert len(Book.read(Path("a.book")).pages) == 5
    ran = bg("book", *SMALL[:-4], "--positions", "7", "--workers", "1", "--out", "a.book")
    assert ran.out == "7 positions, 2 new: a.book\n"
    assert ran.err == "resuming: 5 of 7 positions are done\n"
    ran = bg("book", *SMALL, "--out", "a.book")
    assert (ran.code, ran.out) == (0, "7 positions, 0 new: a.book\n")
    assert ran.err == "nothing to do: the book already has 7 positions; --positions is only 5\n"


def test_a_book_that_ends_early_says_why(bg: Run, home: Path) -> None:
    ran = bg("book", *SMALL, "--plies", "1", "--margin", "0.001", "--positions", "50", "--out", "a.book")
    assert (ran.code, ran.err) == (0, "good moves lead to no further positions within --plies 1\n")
    assert int(ran.out.split()[0]) == len(Book.read(Path("a.book")).pages) < 50


def test_json_describes_the_book(bg: Run, home: Path) -> None:
    report = json.loads(bg("book", *SMALL, "--out", "a.book", "--json").out)
    assert (report["game"], report["file"], report["pages"], report["new"]) == ("connect4", "a.book", 5, 5)
    assert report["made"] == {
        "agent": "alphabeta:table=1,book=false",
        "fingerprint": report["made"]["fingerprint"],
        "version": report["made"]["version"],
        "limit": {"depth": 2},
        "lines": 4,
    }


def test_the_command_in_the_header_makes_the_same_book(bg: Run, home: Path) -> None:
    bg("book", *SMALL, "--out", "a.book")
    command = Book.read(Path("a.book")).provenance["command"].split()
    assert bg(*command[1:], "--workers", "1", "--out", "b.book").code == 0
    assert Path("a.book").read_bytes() == Path("b.book").read_bytes()


def test_ctrl_c_keeps_the_pages_written_so_far(bg: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from boardgames.books import building

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(building, "search_page", interrupted)
    ran = bg("book", *SMALL, "--out", "a.book")
    assert ran.code == 130
    command = shlex.join(["boardgames", "book", *SMALL, "--out", "a.book"])
    assert ran.err == f"interrupted after 0 positions; to continue, run: {command}\n"


def test_ctrl_c_reports_the_number_of_pages_in_the_file(
    bg: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from boardgames.books import building

    searched, calls = building.search_page, iter(range(100))

    def interrupted(*arguments: Any) -> object:
        if next(calls) == building.BATCH + 2:  # within the second batch
            raise KeyboardInterrupt
        return searched(*arguments)

    monkeypatch.setattr(building, "search_page", interrupted)
    many = [*SMALL[:-4], "--positions", str(building.BATCH + 5), "--workers", "1"]
    ran = bg("book", *many, "--plies", "4", "--lines", "7", "--margin", "2", "--out", "a.book")
    assert ran.code == 130
    kept = len(Book.read(Path("a.book")).pages)
    assert f"interrupted after {kept} positions" in ran.err
    assert ran.out == f"{kept} positions, {kept} new: a.book\n"


def test_another_margin_recomputes_all_weights(bg: Run, home: Path) -> None:
    bg("book", *SMALL, "--out", "a.book")
    ran = bg("book", *SMALL, "--margin", "0.5", "--json", "--out", "a.book")
    assert json.loads(ran.out)["new"] == 0
    assert Book.read(Path("a.book")).provenance["margin"] == 0.5


def test_an_unwritable_output_is_reported_before_the_search(
    bg: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.books.building.search_page", None)
    for place, why in (("/dev/full", "not a regular file"), (".", "is a directory")):
        ran = bg("book", *SMALL, "--out", place)
        assert (ran.code, ran.err) == (2, f"error: cannot write {place}: {why}\n")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [("moves", [["99", 0.0, 0.0, 1]], "'99'"), ("position", "garbage", "'garbage'")],
)
def test_a_page_that_cannot_be_extended_is_named(
    bg: Run, home: Path, field: str, value: object, message: str
) -> None:
    bg("book", *SMALL, "--out", "a.book")
    lines = Path("a.book").read_text().splitlines()
    lines[1] = json.dumps({**json.loads(lines[1]), field: value})
    Path("a.book").write_text("\n".join(lines) + "\n")
    ran = bg("book", *SMALL[:-4], "--positions", "7", "--workers", "1", "--out", "a.book")
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.startswith("error: a.book, page of ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("connect4",), "missing option '--out'"),
        (("connect4", "--out", ""), "not a file name: ''"),
        (("connect4", "--out", "x", "--positions", "0"), "must be at least"),
        (("connect4", "--out", "x", "--margin", "0"), "must be at least"),
        (("connect4", "--out", "x", "--agent", "random"), "does not evaluate moves"),
        (("abalone", "--out", "x", "--layout", "nowhere"), "abalone has no layout 'nowhere'"),
        (("abalone", "--out", "x", *("--layout", "standard") * 2), "names the same layout twice"),
        (("connect4", "--out", "rubbish"), "rubbish, line 1: not a JSON object: 'rubbish'"),
    ],
)
def test_invalid_input_gives_a_one_line_error(
    bg: Run, home: Path, arguments: tuple[str, ...], message: str
) -> None:
    Path("rubbish").write_text("rubbish\n")
    ran = bg("book", *arguments, *(() if "--workers" in arguments else ("--workers", "1")))
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
