import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from boardgames.pgn import escape

Run = Callable[..., Any]
MATCH = '[Game "connect4"]\n[Start "-"]\n[First "Ann"]\n[Second "Bob"]\n\n1. 4 5 2. 6 *\n'


@pytest.fixture
def two(home: Path) -> Path:
    """Return a file of two matches, of which only the second is over."""
    path = home.parent / "two"
    over = '[Game "connect4"]\n[Start "-"]\n[Termination "rules"]\n\n1. 1 2 2. 1 2 3. 1 2 4. 1 1-0\n'
    path.write_text(f"{MATCH}\n{over}")
    return path


def test_list_prints_one_line_per_match(two: Path, bg: Run) -> None:
    assert bg("replay", "two", "--list").out == (
        "1. connect4: Ann - Bob *, 3 plies\n2. connect4: ? - ? 1-0, 7 plies\n"
    )


def test_a_pipe_gets_every_position_and_the_end(two: Path, bg: Run) -> None:
    out = bg("replay", "two").out
    assert len(re.findall("1 +2 +3 +4 +5 +6 +7", out)) == 4 + 8
    assert "ply 2, blue: 5\n" in out
    assert out.endswith("red wins\n")


def test_the_option_match_chooses_one_match(two: Path, bg: Run) -> None:
    assert bg("replay", "two", "--match", "2", "--list").out.startswith("2. ")


def test_a_match_with_an_error_keeps_its_number(home: Path, bg: Run) -> None:
    (home.parent / "mixed").write_text(f"{MATCH.replace('1. 4', '1. 9')}\n{MATCH}")
    done = bg("replay", "mixed", "--match", "2", "--list")
    assert done.out == "2. connect4: Ann - Bob *, 3 plies\n"
    assert done.code == 2
    assert done.err.startswith("error: match 1: ")


def test_svg_writes_a_drawing_of_every_position(two: Path, bg: Run) -> None:
    ran = bg("replay", "two", "--svg", "pictures")
    files = sorted((two.parent / "pictures").iterdir())
    assert ran.out == "wrote 12 pictures to pictures\n"
    assert [file.name for file in files[:2]] == ["match-001-ply-0000.svg", "match-001-ply-0001.svg"]
    assert all(ET.fromstring(file.read_text()).tag.endswith("svg") for file in files)  # our own files


def test_flip_turns_the_board(two: Path, bg: Run) -> None:
    assert bg("replay", "two", "--flip").out != bg("replay", "two").out


def test_pictures_are_written_to_a_folder_not_to_a_file(two: Path, bg: Run) -> None:
    done = bg("replay", "two", "--svg", "out.svg")
    assert (done.code, done.err) == (
        2,
        "error: --svg takes a folder, for one picture per ply, not a file: out.svg\n",
    )
    assert not (two.parent / "out.svg").exists()


FORGED = "Ann\x1b]0;title\x07\n9. connect4: Eve - Ann 1-0, 3 plies\u202e"


@pytest.mark.parametrize(
    "arguments",
    [
        ("replay", "evil", "--list"),
        ("replay", "evil"),
        ("analyze", "connect4", "evil", "--depth", "1"),
        ("matches", "list"),
        ("matches", "show", "1"),
        ("matches", "list", "--json"),
        ("matches", "export", "-"),
        ("play", "connect4", "--resume", "evil"),
    ],
    ids=" ".join,
)
def test_names_in_a_record_cannot_control_the_terminal(
    arguments: tuple[str, ...], home: Path, bg: Run
) -> None:
    names = f'[First "{escape(FORGED)}"]\n[Second "{escape(FORGED)}"]\n[Event "{escape(FORGED)}"]'
    (home.parent / "evil").write_text(f'[Game "connect4"]\n[Start "-"]\n{names}\n\n1. 4 5 2. 6 *\n')
    assert bg("matches", "import", "evil").code == 0
    ran = bg(*arguments, typed="history\nquit\n")
    assert ran.code == 0
    assert (ran.out + ran.err).replace("\n", "").isprintable()
    assert not any(line.startswith("9. ") for line in (ran.out + ran.err).splitlines())


@pytest.mark.parametrize("command", [("replay",), ("matches", "import")], ids=" ".join)
def test_only_the_first_of_many_errors_are_printed(command: tuple[str, ...], home: Path, bg: Run) -> None:
    (home.parent / "bad").write_text('[Game "connect4"]\n[Start "-"]\n\n1. 9 *\n\n' * 50)
    ran = bg(*command, "bad")
    lines = ran.err.splitlines()
    assert (ran.code, len(lines)) == (2, 21)
    assert "match 20: " in lines[19]
    assert lines[20] == "error: 30 more errors like these"


def test_a_stored_match_is_named_by_its_number(two: Path, bg: Run) -> None:
    bg("matches", "import", "two")
    assert bg("replay", "2", "--list").out == "2. connect4: ? - ? 1-0, 7 plies\n"
    (two.parent / "2").write_text(MATCH)
    assert bg("replay", "2", "--list").out.startswith("1. connect4: Ann - Bob")
    assert bg("replay", "match:2", "--list").out.startswith("2. connect4: ? - ?")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["9"], "there is no stored match 9; boardgames matches lists them"),
        (["match:x"], "match: is followed by the number of a stored match, not by 'x'"),
        (["9", "--match", "1"], "--match only works with a file of matches, not with a stored match"),
    ],
)
def test_a_stored_match_that_does_not_exist_is_named(arguments: list[str], said: str, bg: Run) -> None:
    done = bg("replay", *arguments)
    assert (done.code, done.err) == (2, f"error: {said}\n")
