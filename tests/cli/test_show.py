import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from boardgames import plugins

Run = Callable[..., Any]
HEXIFENCE = ("hexifence", "--option", "dimension=2")


def test_show_prints_board_text_score_and_moves(bg: Run) -> None:
    out = bg("show", "abalone", "--layout", "standard").out
    assert "I  w w w w w" in out
    assert "wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb:b:0:0" in out
    assert "black to move, 44 legal moves:\n" in out


@pytest.mark.parametrize("given", [["4453"], ["--position", "4453"]], ids=["argument", "option"])
def test_a_position_is_an_argument_or_an_option(given: list[str], bg: Run) -> None:
    assert ".b.../..brr.." in bg("show", "connect4", *given).out


def test_a_finished_position_says_who_has_won(bg: Run) -> None:
    assert bg("show", "connect4", "1212121").out.endswith("\nred wins\n")


def test_lines_fit_a_terminal_of_80(bg: Run) -> None:
    assert max(map(len, bg("show", "abalone").out.splitlines())) <= 80


def test_moves_are_written_in_the_chosen_notation(bg: Run) -> None:
    plain, nacre = (bg("show", "abalone", *more).out for more in ([], ["--notation", "nacre"]))
    assert plain != nacre


def test_the_position_is_written_in_the_chosen_notation(bg: Run) -> None:
    assert (
        "\n4354\nred to move, 7 legal moves:\n" in bg("show", "connect4", "4453", "--notation", "moves").out
    )
    assert json.loads(bg("show", "connect4", "11", "--notation", "moves", "--json").out)["position"] == "11"


def test_the_size_of_the_board_follows_from_the_position(bg: Run) -> None:
    assert "\n..../..../..../...r\n" in bg("show", "connect4", "..../..../..../...r").out
    assert "\n..../..../..../...r\n" in bg("show", "connect4", "--position", "4/4/4/3x").out
    ran = bg("show", "connect4", "..../..../..../...r", "--option", "rows=5")
    assert (ran.code, ran.err) == (
        2,
        "error: a board has 5 rows separated by '/', not 4: '..../..../..../...r'\n",
    )


def test_a_position_of_hexifence_needs_no_option(bg: Run) -> None:
    text = bg("show", *HEXIFENCE, "--json", "--moves", "3,0 1:0 29").out
    position = json.loads(text)["position"]
    assert f"\n{position}\n" in bg("show", "hexifence", position).out
    board = bg("show", "hexifence", position, "--notation", "board-file", "--json").out
    assert f"\n{position}\n" in bg("show", "hexifence", json.loads(board)["position"]).out
    ran = bg("show", "hexifence", position, "--option", "dimension=3")
    assert (ran.code, ran.err) == (
        2,
        "error: the position has dimension '2', but the game has 3; set the option dimension=2\n",
    )


def test_moves_may_be_given_without_separators(bg: Run) -> None:
    assert ".b.../..brr.." in bg("show", "connect4", "--moves", "4453").out


def test_svg_is_written_completely(home: Path, bg: Run) -> None:
    assert bg("show", "abalone", "--svg", "board.svg").out == "wrote board.svg\n"
    assert ET.fromstring((home.parent / "board.svg").read_text()).tag.endswith("svg")


def test_svg_and_json_can_be_combined(home: Path, bg: Run) -> None:
    assert bg("show", "connect4", "--svg", "board.svg", "--json").out.startswith('{"schema": 1')
    assert (home.parent / "board.svg").exists()


@pytest.mark.parametrize(
    ("game", "before", "last", "mover"),
    [
        (("connect4",), "4 4 5", "3", 1),
        (HEXIFENCE, "0 1 2 3 4 5 6 7", "8", 0),
        (HEXIFENCE, "0 1 2 3 4 5 6 7 8", "9", 1),  # captures, so red moves again
    ],
    ids=["connect4", "the turn passes", "the same side moves again"],
)
def test_features_are_for_the_side_that_has_moved_and_add_up_to_the_value_given_by_td(
    game: tuple[str, ...], before: str, last: str, mover: int, bg: Run
) -> None:
    moves = ("--moves", f"{before} {last}")
    shown = json.loads(bg("show", *game, *moves, "--features", "--json").out)["features"]
    assert shown["side"] == mover
    assert shown["sum"] == pytest.approx(sum(term["contribution"] for term in shown["terms"]))
    assert shown["value"] == pytest.approx(math.tanh(shown["sum"]))
    analysed = json.loads(bg("analyze", *game, "--moves", before, "--agent", "td", "--json").out)["moves"]
    assert shown["value"] == pytest.approx(next(m["value"] for m in analysed if m["move"] == last))


@pytest.mark.parametrize(
    ("moves", "view"),
    [
        ((), "red, with blue to move"),  # nobody has moved
        (("--moves", "0 1 2 3 4 5 6 7 8"), "blue, with red to move"),
        (("--moves", "0 1 2 3 4 5 6 7 8 9"), "red, with red to move"),
    ],
    ids=["start", "the turn passes", "the same side moves again"],
)
def test_the_features_are_headed_by_their_side_and_the_side_to_move(
    moves: tuple[str, ...], view: str, bg: Run
) -> None:
    out = bg("show", *HEXIFENCE, *moves, "--features").out
    assert f"from the point of view of {view}\n" in out
    assert f"value for {view[:4].strip(',')} with weights td" in out


def test_features_are_printed_as_a_table(bg: Run) -> None:
    out = bg("show", "abalone", "--features", "--weights", "engine").out
    assert "features engine from the point of view of white, with black to move\n" in out
    row = next(line for line in out.splitlines() if line.startswith("early tempo"))
    assert row.split()[2] == "-1"
    assert "sum" in out


def test_without_weights_the_features_have_values_only(bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(plugins.registry()._offers, "weights", [])
    out = bg("show", "hexifence", "--features").out
    assert "contribution" not in out
    assert "\nfeature" in out


def test_weights_need_features(bg: Run) -> None:
    assert "--weights needs --features" in bg("show", "connect4", "--weights", "td").err


def test_overlays_are_drawn_and_explained_with_the_features(home: Path, bg: Run) -> None:
    hexifence = ("show", "hexifence", "--option", "dimension=2", "--moves", "0 1 4 8 2 3 6 10", "--features")
    out = bg(*hexifence).out
    assert "|b a2  5x  a2   |b\n" in out
    assert "\na2 chain of 2\n" in out
    assert "\ns safe: makes no cell capturable\n" in out
    bg(*hexifence, "--svg", "board.svg")
    assert "a2 chain of 2" in (home.parent / "board.svg").read_text()


def test_overlays_are_only_drawn_on_request(bg: Run) -> None:
    assert "safe" not in bg("show", "hexifence", "--option", "dimension=2").out


def test_a_game_without_features_and_overlays_says_so_in_one_line(bg: Run, monkeypatch: Any) -> None:
    registry = plugins.registry()
    monkeypatch.setitem(registry._offers, "features", [])
    ran = bg("show", "connect4", "--features")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)


# --- successors, files and notations ---------------------------------------------


def test_successors_of_a_position_in_a_file_of_the_course_are_listed_one_per_line(bg: Run) -> None:
    Path("Test1.input").write_text("w\nA1b,A2b,B2b,C3w,C4w\n", encoding="utf-8")
    ran = bg("show", "abalone", "Test1.input", "--successors", "--notation", "course")
    lines = ran.out.splitlines()
    assert (ran.code, lines[0], len(lines)) == (0, "A1b,A2b,B2b,C4w,D4w", len(set(lines)))
    assert all(line.startswith("A1b,A2b,B2b,") and line.count(",") == 4 for line in lines)
    listed = json.loads(bg("show", "abalone", "Test1.input", "--successors", "--json").out)
    assert len(listed["successors"]) == len(lines)


def test_successors_of_several_lines_are_separated_by_empty_lines(bg: Run) -> None:
    ran = bg("show", "hexifence", "--option", "dimension=2", "--successors", "--notation", "board-file")
    boards = ran.out.split("\n\n")
    assert len(boards) == 30
    assert all(board.startswith("2\n") for board in boards)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--features",), "--successors cannot be used with --svg or --features"),
        (("--notation", "nacre"), "abalone has no notation 'nacre' for positions"),
        (("--notation", "cours"), "abalone has no notation 'cours'; did you mean 'course'?"),
    ],
)
def test_successors_prints_only_positions(options: tuple[str, ...], error: str, bg: Run) -> None:
    ran = bg("show", "abalone", "--successors", *options)
    assert (ran.code, ran.err[: len(error) + 7]) == (2, f"error: {error}")


def test_the_option_position_is_read_as_text_even_if_a_file_has_that_name(bg: Run) -> None:
    Path("4453").write_text("1", encoding="utf-8")
    assert "./....r../" not in bg("show", "connect4", "4453").out
    assert "......./......./......./......./......./r......" in bg("show", "connect4", "4453").out
    assert "...b.../..brr.." in bg("show", "connect4", "--position", "4453").out


AMBIGUOUS = "." * 30 + "b" + "." * 29 + "w"


@pytest.mark.parametrize("command", ["show", "perft", "analyze", "play", "solve"])
def test_a_text_with_two_meanings_is_read_in_the_notation_that_is_named(command: str, bg: Run) -> None:
    more = {"perft": ("--depth", "1"), "analyze": ("--depth", "1"), "play": ("--second", "human")}
    arguments = (command, "abalone", "--position", AMBIGUOUS, *more.get(command, ()))
    ran = bg(*arguments)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "can be read in two ways" in ran.err
    for notation in ("line", "line-from-a"):
        ran = bg(*arguments, "--notation", notation)
        assert "can be read in two ways" not in ran.err


def test_columns_from_zero_are_read_if_they_are_named(bg: Run) -> None:
    board = bg("show", "connect4", "4453").out.split("\n\n")[0]
    assert bg("show", "connect4", "3342", "--notation", "zero-based-moves").out.startswith(board)


@pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
def test_a_text_that_fits_nothing_gets_an_example_of_each_form_in_three_lines(game: str, bg: Run) -> None:
    ran = bg("show", game, "nonsense")
    assert ran.code == 2
    assert len(ran.err) < 3 * 120
    for notation in plugins.load(game).facts.position_notations:
        assert f" {notation} '" in ran.err


def test_a_text_that_nearly_fits_gets_the_reason_alone(bg: Run) -> None:
    assert bg("show", "connect4", "44444444").err == (
        "error: illegal move '4': the column is full; open columns: 1, 2, 3, 5, 6, 7 (ply 7 of '44444444')\n"
    )
