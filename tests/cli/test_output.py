import json
import logging
import os
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType

import pytest
from rich.cells import cell_len

from boardgames.cli.output import (
    NARROWEST_NAME,
    install_exception_hooks,
    log_to_stderr,
    one_line,
    outcome_text,
    print_error,
    print_json,
    print_table,
    say,
    shorten_names,
    table_lines,
    wrapped_moves,
    wrapped_settings,
)
from boardgames.game import Outcome, Termination
from boardgames.plugins import load

ROWS = [("7", "a long text that may be cut", "kept"), ("123", "short", "kept too")]
BESIDE = 46
OPENINGS = [f'engine:command="python bot.py --opening {number} --time 3"' for number in range(12)]

Terminal = Callable[[int], None]


@pytest.fixture
def terminal_of(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Return a function that turns standard output into a terminal with a given number of columns."""
    pty = pytest.importorskip("pty", reason="the system has no pseudo-terminals")
    end, other = pty.openpty()
    with os.fdopen(other, "w") as stream, monkeypatch.context() as patched:

        def use(columns: int) -> None:
            patched.setenv("COLUMNS", str(columns))
            patched.setattr(sys, "stdout", stream)

        yield use
    os.close(end)


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (80, ["  7 a long text that may be cut kept", "123 short                       kept too"]),
        (24, ["  7 a long tex… kept", "123 short       kept too"]),
    ],
)
def test_columns_are_aligned_and_fit_the_line(columns: int, lines: list[str], terminal_of: Terminal) -> None:
    terminal_of(columns)
    assert table_lines(ROWS, right=(0,), cut=(1,)) == lines


def test_control_characters_are_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    print_table([("a\x1b[2Jb\nc", "[red]d")], right=(), cut=())
    assert capsys.readouterr().out == "a?[2Jb?c [red]d\n"


def test_nothing_is_truncated_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    rows = [("1", "x" * 300, "名前" * 100, "end"), ("2", "y", "", "z" * 500)]
    lines = table_lines(rows, right=(0,), cut=(1, 2))
    assert [line.split() for line in lines] == [list(filter(None, row)) for row in rows]
    assert shorten_names(OPENINGS, other_columns=BESIDE) == OPENINGS


@pytest.mark.parametrize("columns", [20, 64, 80, 110])
def test_shortened_names_stay_distinct(columns: int, terminal_of: Terminal) -> None:
    terminal_of(columns)
    names = shorten_names([*OPENINGS, "名前" * 40, "random"], other_columns=BESIDE)
    assert len(set(names)) == len(names)
    assert max(map(cell_len, names)) <= max(columns - BESIDE, NARROWEST_NAME)
    assert names[-1] == "random"


def test_moves_are_sorted_naturally_and_never_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    assert wrapped_moves(["a10", "a9", "b1-b2"]) == "a9 a10\nb1-b2"


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Outcome(0, Termination.RULES), "red wins"),
        (Outcome(0, Termination.NO_MOVES), "red wins (no legal moves)"),
        (Outcome(1, Termination.TIME), "blue wins on time"),
        (Outcome(1, Termination.RESIGNATION), "blue wins by resignation"),
        (Outcome(1, Termination.ILLEGAL_MOVE), "blue wins (illegal move)"),
        (Outcome(0, Termination.CRASH), "red wins (crash)"),
        (Outcome(None, Termination.RULES), "draw"),
        (Outcome(None, Termination.NO_MOVES), "draw (no legal moves)"),
        (Outcome(None, Termination.AGREEMENT), "draw by agreement"),
        (Outcome(None, Termination.REPETITION), "draw by repetition"),
        (Outcome(None, Termination.NO_PROGRESS), "draw (no progress)"),
        (Outcome(None, Termination.PLY_LIMIT), "draw (ply limit)"),
    ],
)
def test_an_outcome_has_a_reason_unless_the_rules_decided(outcome: Outcome, text: str) -> None:
    assert outcome_text(outcome, load("connect4")) == text


CONTROLS = "\x1b]0;title\x07\x9b2J\x7f\r\u202e\udcff"


def test_terminal_control_sequences_are_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    say(f"Ann{CONTROLS}\nsecond line")
    assert capsys.readouterr().out == "Ann?]0;title??2J????\nsecond line\n"


def test_an_error_is_wrapped_between_words_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    message = "no such layout 'belgian'; did you mean 'belgian-daisy'?"
    print_error(message)
    assert capsys.readouterr().err == f"error: {message}\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    print_error(message)
    assert capsys.readouterr().err.splitlines() == [
        "error: no such layout",
        "  'belgian'; did you mean",
        "  'belgian-daisy'?",
    ]


def test_a_text_from_outside_cannot_add_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(f"no such name: {CONTROLS}\nerror: forged")
    assert capsys.readouterr().err == "error: no such name: ?]0;title??2J? ?? error: forged\n"
    assert one_line("a\u2028b\x85c\x0bd") == "a b c d"


def test_json_has_collections_of_any_type_as_lists(capsys: pytest.CaptureFixture[str]) -> None:
    print_json(ids=frozenset({"a1"}), values=(one for one in (1, 2)))
    assert json.loads(capsys.readouterr().out) == {"schema": 1, "ids": ["a1"], "values": [1, 2]}


def test_json_has_dataclasses_and_mappings_as_objects(capsys: pytest.CaptureFixture[str]) -> None:
    print_json(outcome=Outcome(None, Termination.AGREEMENT), options=MappingProxyType({"rows": 5}))
    assert capsys.readouterr().out == (
        '{"schema": 1, "outcome": {"winner": null, "termination": "agreement"}, "options": {"rows": 5}}\n'
    )


def test_json_of_anything_else_is_an_error_and_not_a_text() -> None:
    with pytest.raises(TypeError, match="Path cannot be printed as JSON"):
        print_json(folder=Path("runs"))


def test_json_escapes_control_characters_and_loses_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_json(name=CONTROLS, plain="Zoë 黒")
    out = capsys.readouterr().out
    assert out.rstrip("\n").isprintable()
    assert json.loads(out)["name"] == CONTROLS
    assert "Zoë 黒" in out


EVIL = "no ink\x1b[2J\x9b"


def test_logs_and_tracebacks_cannot_control_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    log_to_stderr()
    install_exception_hooks()
    try:
        raise ValueError(EVIL)
    except ValueError as error:
        logging.getLogger("uvicorn.error").exception("a request failed: %s", EVIL)
        sys.excepthook(type(error), error, error.__traceback__)

    def fail() -> None:
        raise ValueError(EVIL)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    printed = capsys.readouterr().err
    assert printed.count("ValueError: no ink?[2J?") == 3
    assert "ERROR: a request failed: no ink?[2J?" in printed
    assert printed.replace("\n", "").isprintable()


SETTINGS = """learner = "tune"

[settings]
agent = "engine:command=\\"a #\\"" # agent with the values to start with
alpha = 0.05 # learning rate of the first round of training
# start is not set: weights to start with; default: new ones
steps = 3 # number of steps
"""


def test_comments_behind_settings_are_wrapped_and_remain_comments(terminal_of: Terminal) -> None:
    terminal_of(40)
    shown = wrapped_settings(SETTINGS)
    assert tomllib.loads(shown) == tomllib.loads(SETTINGS)
    assert max(map(len, shown.splitlines())) <= 40
    assert "\n# start is not set: weights to start\n# with; default: new ones\n" in shown
    assert "learning rate of the\n             # first round of training\n" in shown


def test_settings_are_not_changed_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert wrapped_settings(SETTINGS) == SETTINGS
