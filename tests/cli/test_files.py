"""Files that people have: what the commands that read them say about each form."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import boardgames

Run = Callable[..., Any]

TEST_SET = "2252576253462244111563365343671351441 -1\n7422341735647741166133573473242566 1\n"


# --- test sets for solvers ---------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        ("replay", "set.txt", "--game", "connect4"),
        ("show", "connect4", "set.txt"),
        ("analyze", "connect4", "set.txt"),
        ("solve", "connect4", "set.txt"),
        ("matches", "import", "set.txt", "--game", "connect4"),
    ],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize(
    "text", [TEST_SET, "# easy\n44455 2\n", f"{TEST_SET}a bad line\n"], ids=["two", "one", "a bad line"]
)
def test_a_test_set_is_not_read_as_moves_and_the_error_names_the_solver(
    text: str, command: tuple[str, ...], bg: Run
) -> None:
    Path("set.txt").write_text(text)
    ran = bg(*command)
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert "a test set for solvers" in ran.err
    assert "`boardgames solve connect4 --file FILE`" in ran.err


def test_short_moves_in_two_words_are_not_a_test_set(bg: Run) -> None:
    Path("moves.txt").write_text("44 5\n33 2\n")
    ran = bg("replay", "moves.txt", "--game", "connect4", "--list")
    assert (ran.code, [line[-7:] for line in ran.out.splitlines()]) == (0, ["3 plies", "3 plies"])


# --- files without a position ------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[Game "connect4"]\n[Start "-"]\n\n1. 4 *\n',
            "file.txt has matches, not a position; `boardgames replay",
        ),
        (" \n", "file.txt is empty"),
        ("4" * 10_001, "file.txt is too long for a position: more than 10,000 characters"),
    ],
    ids=["record", "empty", "long"],
)
def test_a_file_without_a_position_says_what_it_has(text: str, said: str, bg: Run) -> None:
    Path("file.txt").write_text(text)
    ran = bg("show", "connect4", "file.txt")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert said in ran.err


@pytest.mark.parametrize(
    ("game", "text", "said"),
    [
        ("connect4", "4453\n44\n", "2 matches"),
        ("connect4", "44\n53\n\n332\n", "3 matches"),
        ("connect4", "3340\n3342\n", "2 matches"),
        ("abalone", "1. a1b2 i5h5\n", "a match"),
    ],
)
@pytest.mark.parametrize("more", [(), ("--notation", "zero-based-moves")], ids=["", "named"])
def test_matches_are_not_joined_into_one_position(
    game: str, text: str, said: str, more: tuple[str, ...], bg: Run
) -> None:
    Path("moves.txt").write_text(text)
    ran = bg("show", game, "moves.txt", *(more if game == "connect4" else ()))
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert f"moves.txt has {said}, not a position; `boardgames replay moves.txt --game {game}`" in ran.err


def test_a_full_board_of_digits_is_a_position_although_its_rows_could_be_matches(bg: Run) -> None:
    Path("board.txt").write_text("2112212\n1221121\n" * 3)
    ran = bg("show", "connect4", "board.txt")
    assert ran.code == 0
    assert "draw" in ran.out


def test_a_folder_is_not_called_a_wrong_position(bg: Run) -> None:
    Path("games").mkdir()
    assert bg("show", "connect4", "games").err == (
        "error: games is a folder; give the name of a file, or a position\n"
    )


def test_a_position_in_latin_1_is_read_with_a_warning(bg: Run) -> None:
    Path("board.txt").write_bytes(b"4453\xa0")
    ran = bg("show", "connect4", "board.txt")
    assert (ran.code, ran.err) == (0, "board.txt: not UTF-8, read as Latin-1\n")


# --- notations that the command does not name ----------------------------------


def nacre_moves() -> str:
    """Return a match of which some moves look different in Nacre's notation."""
    position, texts = boardgames.load("abalone").start(), []
    for _ in range(6):
        game = position.game
        move = max(
            position.legal_moves,
            key=lambda one: game.format_move(position, one, notation="nacre") != str(one),
        )
        texts.append(game.format_move(position, move, notation="nacre"))
        position = position.apply(move)
    return " ".join(texts)


@pytest.mark.parametrize(
    ("game", "text", "notation"),
    [
        ("abalone", nacre_moves(), "nacre"),
        ("abalone", "A1-B2 I5-H5", None),
        ("abalone", "1,2,56", "code"),
        ("connect4", "d d e c", "letter"),
        ("connect4", "d1d2e1", "cell"),
        ("connect4", "3340", "zero-based"),
        ("connect4", "1. 4 4 2. 7 3", None),
        ("hexifence", "3,0 5,0", "place"),
    ],
)
def test_a_notation_that_was_not_asked_for_is_reported_once(
    game: str, text: str, notation: str | None, bg: Run
) -> None:
    Path("moves.txt").write_text(f"{text}\n{text}\n")
    said = f"moves.txt: moves read in the notation '{notation}'; --notation sets another one\n"
    for command in (("replay", "--list"), ("matches", "import")):
        ran = bg(*command, "moves.txt", "--game", game)
        assert (ran.code, ran.err) == (0, said if notation else "")
    if game == "connect4":
        ran = bg("analyze", game, "moves.txt", "--depth", "1")
        assert (ran.code, ran.err) == (0, said if notation else "")
    if notation:
        assert bg("replay", "--list", "moves.txt", "--game", game, "--notation", notation).err == ""


def test_columns_counted_from_zero_on_the_command_line_are_reported(bg: Run) -> None:
    ran = bg("show", "connect4", "3340")
    assert (ran.code, ran.err) == (
        0,
        "'3340': position read in the notation 'zero-based-moves'; --notation sets another one\n",
    )
    assert bg("show", "connect4", "3340", "--notation", "zero-based-moves").err == ""


@pytest.mark.parametrize(
    ("game", "text", "own", "other"),
    [
        ("connect4", "3342\n4453", "column", "zero-based"),
        ("connect4", "3342\n7453", "column", ""),
        ("hexifence", "3 0", "canonical", "place"),
        ("abalone", "a1b2 i5h5", "aba-pro", ""),
    ],
)
def test_moves_that_fit_another_notation_too_are_reported(
    game: str, text: str, own: str, other: str, bg: Run
) -> None:
    Path("moves.txt").write_text(text)
    said = f"moves.txt: moves read in the notation '{own}', but they also fit '{other}'\n"
    assert bg("replay", "--list", "moves.txt", "--game", game).err == (said if other else "")
    for notation in filter(None, (own, other)):
        ran = bg("replay", "--list", "moves.txt", "--game", game, "--notation", notation)
        assert "also fit" not in ran.err


@pytest.mark.parametrize("shown", ["", "1-0", "0-1"])
def test_a_result_1_0_is_reported_if_it_does_not_say_who_won(shown: str, bg: Run) -> None:
    match = '[White "Ann"]\n[Black "Bob"]\n\n1. a1b2 i5h5 1-0\n\n'
    won = '[White "Ann"]\n[Black "Bob"]\n[Position "{}"]\n\n1. {} 1-0\n'.format(
        "...../....../......./......../......bbw/......../......./....../.....:b:5:5", "e7e8"
    )
    Path("server.pgn").write_text(match * 2 + (won.replace("1-0", shown) if shown else ""))
    ran = bg("replay", "--list", "server.pgn", "--game", "abalone")
    assert ran.code == 0
    said = "server.pgn: in 2 matches, White moved second and the moves do not show who won; "
    assert ran.err == ("" if shown else f"{said}1-0 is read as a win for the side that moved first\n")
    assert [line.split()[5] for line in ran.out.splitlines()[:2]] == (
        ["0-1,"] if shown == "0-1" else ["1-0,"]
    ) * 2


def test_a_match_of_another_program_is_resumed_if_the_game_is_named(bg: Run) -> None:
    Path("moves.pgn").write_text('[White "Ann"]\n\n1. 4 4 2. 7 *\n')
    agents = ("--first", "random", "--second", "random", "--seed", "1")
    ran = bg("play", "connect4", "--resume", "moves.pgn", *agents)
    assert ran.code == 0
    assert "1. 4 {0.0} 4 {0.0} 2. 7 " in ran.out
    assert bg("play", "--resume", "moves.pgn", *agents).err == (
        "error: moves.pgn does not name the game; write `boardgames play GAME --resume moves.pgn`\n"
    )


@pytest.mark.parametrize(
    ("game", "text", "notation"),
    [
        ("connect4", "4453", None),
        ("connect4", "......./......./......./......./...b.../..brr..", None),
        ("connect4", "7/7/7/7/3y3/2yrr2 r 3", "fen"),
        ("connect4", "ddec", "moves"),
        ("abalone", "b\nA1b,I5w", "course"),
    ],
)
def test_a_position_in_a_foreign_notation_is_reported_with_its_name(
    game: str, text: str, notation: str | None, bg: Run
) -> None:
    Path("board.txt").write_text(f"{text}\n")
    said = f"board.txt: position read in the notation '{notation}'; --notation sets another one\n"
    assert bg("show", game, "board.txt").err == (said if notation else "")
    if notation:
        assert bg("show", game, "board.txt", "--notation", notation).err == ""
        assert bg("show", game, "--position", text).err == ""


# --- files of another game -----------------------------------------------------

MOVES = "1. a1b2 i5h5 2. a2b3 h4g4\n"
FEN = "ss1SS/sssSSS/1ss1SS1/8/9/8/1SS1ss1/SSSsss/SS1ss 0 0 b 0 1\n"


@pytest.mark.parametrize(
    ("text", "command", "said"),
    [
        (MOVES, ("replay", "file", "--game", "connect4"), "match of abalone"),
        (f'[White "A"]\n\n{MOVES}*\n', ("replay", "file", "--game", "connect4"), "match of abalone"),
        (MOVES * 3, ("matches", "import", "file", "--game", "hexifence"), "match of abalone"),
        (MOVES, ("analyze", "connect4", "file"), "match of abalone"),
        (MOVES, ("show", "connect4", "file"), "match of abalone"),
        (FEN, ("show", "connect4", "file"), "position of abalone"),
        (FEN, ("analyze", "connect4", "file"), "position of abalone"),
        ("4 4 5 3", ("show", "abalone", "file"), "position of connect4"),
        (TEST_SET, ("replay", "file", "--game", "hexifence"), "test set of connect4"),
    ],
)
def test_a_file_of_another_game_is_recognised_in_one_line(
    text: str, command: tuple[str, ...], said: str, bg: Run
) -> None:
    Path("file").write_text(text)
    ran = bg(*command)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert ran.err.endswith(f"; it looks like a {said}\n")
    assert "tried the notations" not in ran.err


def test_a_text_with_a_mistake_is_not_taken_for_another_game(bg: Run) -> None:
    Path("file").write_text("4 5 3 9 2 1\n")  # with or without the mistake, these could be edges of Hexifence
    for command in (("replay", "file", "--game", "connect4"), ("show", "connect4", "file")):
        ran = bg(*command)
        assert ran.code == 2
        assert "'9' is not a column" in ran.err
        assert "looks like" not in ran.err


# --- standard input ---

RECORD = '[Game "connect4"]\n[Start "-"]\n\n1. 4 4 *\n'
BOARD_FILE = "2\n++++---\n+-+-+--\n++++++-\n+-+-+-+\n-++++++\n--+-+-+\n---++++\n"
"""Its first line is also a move."""


@pytest.mark.parametrize(
    ("arguments", "typed", "said"),
    [
        (["replay", "-", "--list"], RECORD, "1. connect4: ? - ? *, 2 plies"),
        (["replay", "-", "--list", "--game", "connect4"], "4 5 7\n", "1. connect4: ? - ? *, 3 plies"),
        (["matches", "import", "-"], RECORD, "added 1 match"),
        (["show", "connect4", "-"], "4457", "......./......./......./......./...b.../...rr.b"),
        (["perft", "connect4", "-", "--depth", "1"], "4457", "7 leaves at depth 1"),
        (["analyze", "connect4", "-", "--depth", "1"], "4 5 7", "match 1 of 1: ? - ? *, 3 plies"),
        (["analyze", "connect4", "-", "--depth", "1"], "7/7/7/7/7/3r3 b", "values of all moves for blue"),
        (
            ["analyze", "hexifence", "-", "--depth", "1", "--lines", "1"],
            BOARD_FILE,
            "the best moves for blue",
        ),
        (
            ["play", "--resume", "-", "--first", "random", "--second", "random", "--seed", "1"],
            RECORD,
            "\n1. 4 {0.0} 4 {0.0} 2. ",
        ),
    ],
    ids=[
        "replay",
        "moves",
        "import",
        "show",
        "perft",
        "review",
        "position",
        "board file",
        "resume",
    ],
)
def test_a_hyphen_is_standard_input(arguments: list[str], typed: str, said: str, bg: Run) -> None:
    ran = bg(*arguments, typed=typed)
    assert ran.code == 0
    assert said in ran.out


def test_standard_input_is_named_in_errors(bg: Run) -> None:
    ran = bg("replay", "-")
    assert (ran.code, ran.err) == (2, "error: no matches in standard input\n")


def test_standard_input_in_latin_1_is_read_with_a_warning(bg: Run) -> None:
    ran = bg(
        "replay", "-", "--list", typed=RECORD.replace("[Start", '[First "J\xf6rg"]\n[Start').encode("latin-1")
    )
    assert "J\xf6rg" in ran.out
    assert ran.err == "standard input: not UTF-8, read as Latin-1\n"


def test_a_person_cannot_resume_a_match_from_standard_input(bg: Run) -> None:
    ran = bg("play", "--resume", "-", typed=RECORD)
    assert (ran.code, ran.out) == (2, "")
    assert "write --resume FILE" in ran.err
