import io
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output

import boardgames
from boardgames.cli.prompt import MAX_LINE, PlainPrompt, TerminalPrompt, open_prompt, typed_move
from boardgames.errors import FileError, MalformedMoveError

WORDS = ("a1b2", "a1a2", "i9i8", "moves", "save ", "quit")
ENTER, TAB, UP, LEFT, DELETE = "\r", "\t", "\x1b[A", "\x1b[D", "\x1b[3~"
CTRL_C, CTRL_D = "\x03", "\x04"
CURSOR_AT_TOP = "\x1b[1;1R"
"""What a terminal answers when it is asked where its cursor is."""


def new_prompt(
    toolbar: Callable[[], str] = lambda: "", is_time_up: Callable[[], bool] = lambda: False
) -> TerminalPrompt:
    return TerminalPrompt(lambda: WORDS, toolbar, is_time_up)


@pytest.fixture
def keyboard() -> Iterator[PipeInput]:
    """Replace the terminal by a pipe of keys and an output that is discarded."""
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield keys


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("4" + ENTER, "4"),
        ("x4" + LEFT + LEFT + DELETE + ENTER, "4"),
    ],
    ids=["typed", "edited"],
)
def test_typed_keys_make_a_line(keys: str, line: str, keyboard: PipeInput) -> None:
    keyboard.send_text(keys)
    assert new_prompt().command("> ") == line


def press_one_by_one(keyboard: PipeInput, keys: list[str]) -> Callable[[], bool]:
    """Return a function that presses one key per call, so that each takes effect before the next."""
    coming = iter(keys)

    def press() -> bool:
        keyboard.send_text(next(coming, ""))
        return False

    return press


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (["mo", TAB, ENTER], "moves"),
        (["I9", TAB, ENTER], "i9i8"),
        (["zz", TAB, ENTER], "zz"),
        (["a1", TAB, TAB, TAB, ENTER, ENTER], "a1a2"),
    ],
    ids=["command", "move", "no match", "second match"],
)
def test_tab_completes_a_line(keys: list[str], line: str, keyboard: PipeInput) -> None:
    press = press_one_by_one(keyboard, keys)
    assert new_prompt(is_time_up=press).command("> ") == line


def test_tab_completes_the_file_of_a_command(keyboard: PipeInput, tmp_path: Path) -> None:
    (tmp_path / "mine.record").write_text("")
    press = press_one_by_one(keyboard, [f"save {tmp_path}/mi", TAB, ENTER])
    assert new_prompt(is_time_up=press).command("> ") == f"save {tmp_path}/mine.record"


def test_up_recalls_commands_but_not_answers(keyboard: PipeInput) -> None:
    prompt = new_prompt()
    keyboard.send_text("i9i8" + ENTER)
    assert prompt.command("> ") == "i9i8"
    keyboard.send_text("y" + ENTER)
    assert prompt.question("sure? ") == "y"
    keyboard.send_text(UP + ENTER)
    assert prompt.command("> ") == "i9i8"


def test_answers_to_questions_are_not_completed_as_commands(keyboard: PipeInput) -> None:
    press = press_one_by_one(keyboard, ["qu", TAB, ENTER])
    assert new_prompt(is_time_up=press).question("sure? ").strip() == "qu"


@pytest.mark.parametrize(("key", "error"), [(CTRL_C, KeyboardInterrupt), (CTRL_D, EOFError)])
def test_control_keys_raise(key: str, error: type[BaseException], keyboard: PipeInput) -> None:
    keyboard.send_text(key)
    with pytest.raises(error):
        new_prompt().command("> ")


def test_a_prompt_ends_when_the_time_is_up(keyboard: PipeInput) -> None:
    polls = count(1)
    keyboard.send_text("half a li")
    assert new_prompt(is_time_up=lambda: next(polls) == 3).command("> ") == ""


def test_the_toolbar_is_redrawn_while_nobody_types() -> None:
    screen, polls = io.StringIO(), 0

    def poll() -> bool:
        nonlocal polls
        polls += 1
        return polls == 6

    output = Vt100_Output(screen, lambda: Size(rows=24, columns=80))
    with create_pipe_input() as keys, create_app_session(input=keys, output=output):
        keys.send_text(CURSOR_AT_TOP)
        assert new_prompt(lambda: "earlier" if polls < 3 else "LATER", poll).command("> ") == ""
    assert "earlier" in screen.getvalue()
    assert "LATER" in screen.getvalue()


def test_there_is_no_toolbar_without_a_text(keyboard: PipeInput) -> None:
    prompt = new_prompt()
    keyboard.send_text(ENTER)
    prompt.command("> ")
    assert prompt._commands.bottom_toolbar is None


class FakeTerminal(io.StringIO):
    """A stream that claims to be a terminal, or not."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self.isatty = lambda: is_terminal  # type: ignore[method-assign]


@pytest.mark.parametrize(
    ("stdin", "stdout", "term", "kind"),
    [
        (True, True, "xterm", TerminalPrompt),
        (True, True, "dumb", PlainPrompt),
        (True, False, "xterm", PlainPrompt),
        (False, True, "xterm", PlainPrompt),
    ],
    ids=["terminal", "dumb terminal", "output to a pipe", "input from a pipe"],
)
def test_the_prompt_that_is_used_depends_on_whether_the_streams_are_terminals(
    stdin: bool, stdout: bool, term: str, kind: type, keyboard: PipeInput, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr("sys.stdin", FakeTerminal(is_terminal=stdin))
    monkeypatch.setattr("sys.stdout", FakeTerminal(is_terminal=stdout))
    prompt = open_prompt(words=lambda: WORDS, toolbar=lambda: "", is_time_up=lambda: False)
    assert type(prompt) is kind


def test_line_without_end_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.StringIO):
        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # as in TextIOBase
            assert size is not None
            assert 0 <= size <= 2 * MAX_LINE
            return size * "x"

    monkeypatch.setattr("sys.stdin", Endless())
    with pytest.raises(FileError, match="a line is longer than 65,536 characters"):
        PlainPrompt().command("> ")


@pytest.mark.parametrize(("line", "action"), [("1 0", 4), ("(1, 0)", 4), ("10", 10), (" 1,0 ", 4)])
def test_numbers_with_a_space_between_them_are_not_joined(line: str, action: int) -> None:
    start = boardgames.load("hexifence", dimension=2).start()
    assert typed_move(start, line).action == action


def test_numbers_that_name_no_edge_are_not_joined() -> None:
    with pytest.raises(MalformedMoveError, match="the printed board has no edge at '1 1'"):
        typed_move(boardgames.load("hexifence", dimension=2).start(), "1 1")
    with pytest.raises(MalformedMoveError, match="'4 4' is not a column"):
        typed_move(boardgames.load("connect4").start(), "4 4")
