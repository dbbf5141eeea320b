"""Reading what people type: a prompt with editing and completion on a terminal, or plain lines."""

import asyncio
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from boardgames.cli.interrupts import wakeup_fd_preserved
from boardgames.errors import FileError, MalformedMoveError
from boardgames.faults import Interrupted

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer

    from boardgames.game import Move, Position

POLL_S = 0.1
MAX_LINE = 1 << 16
"""Maximum length of a line, so that an endless line from a device or a pipe cannot fill the memory."""
MENU_LINES = 4
"""Lines kept free below the prompt for completions."""
FILE_COMMANDS = ("save", "load")
"""Commands whose argument is completed as a path."""


class Prompt(Protocol):
    """Reads one line at a time; both methods raise EOFError at the end of the input."""

    def command(self, text: str) -> str:
        """Show a prompt and return the line typed, with completion and history on a terminal."""

    def question(self, text: str) -> str:
        """Ask a question and return the line typed."""


class PlainPrompt:
    """Reads lines from a pipe, a file, or a terminal without cursor control."""

    def command(self, text: str) -> str:
        """Print a prompt and return the next line; raise FileError if it is longer than `MAX_LINE`."""
        sys.stdout.write(text)
        sys.stdout.flush()
        line = sys.stdin.readline(MAX_LINE + 1)
        if not line:
            raise EOFError
        if len(line) > MAX_LINE:
            raise FileError(f"cannot read the input: a line is longer than {MAX_LINE:,} characters")
        if not sys.stdin.isatty():  # the input is not echoed, so the line of the prompt has not ended yet
            sys.stdout.write("\n")
        return line

    def question(self, text: str) -> str:
        """Print a question and return the next line."""
        return self.command(text)


class TerminalPrompt:
    """Reads lines with prompt_toolkit: editing, history, completion with Tab and a toolbar.

    Parameters
    ----------
    words : callable
        Returns the possible completions of a line: commands and moves.
    toolbar : callable
        Returns the text below the prompt; without text there is no toolbar.
    is_time_up : callable
        Called ten times a second. As soon as it returns True, the prompt ends with an empty line.
    """

    def __init__(
        self, words: Callable[[], Iterable[str]], toolbar: Callable[[], str], is_time_up: Callable[[], bool]
    ) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.shortcuts import CompleteStyle

        self._toolbar, self._is_time_up = toolbar, is_time_up
        self._commands: PromptSession[str] = PromptSession(
            completer=_completer(words),
            complete_while_typing=False,
            complete_style=CompleteStyle.MULTI_COLUMN,
            reserve_space_for_menu=MENU_LINES,
        )
        self._questions: PromptSession[str] = PromptSession()

    def command(self, text: str) -> str:
        """Show a prompt and return the line typed; Tab completes commands and moves."""
        return self._read(self._commands, text)

    def question(self, text: str) -> str:
        """Ask a question and return the line typed."""
        return self._read(self._questions, text)

    def _read(self, session: "PromptSession[str]", text: str) -> str:
        session.bottom_toolbar = self._toolbar if self._toolbar() else None
        try:
            with wakeup_fd_preserved():
                return session.prompt(text, pre_run=self._watch)
        except KeyboardInterrupt:
            raise Interrupted from None

    def _watch(self) -> None:
        """Redraw the toolbar when it changes, and leave the prompt when time is up."""
        from prompt_toolkit.application import get_app

        app = get_app()

        async def watch() -> None:
            shown = self._toolbar()
            while not app.is_done:
                await asyncio.sleep(POLL_S)
                if self._is_time_up() and not app.is_done:
                    app.exit(result="")
                elif self._toolbar() != shown:
                    shown = self._toolbar()
                    app.invalidate()

        app.create_background_task(watch())


def typed_move(position: "Position", line: str, notation: str | None = None) -> "Move":
    """Return the move that a line names: in notation, or by the cells to click (`a1 b2`).

    Raises
    ------
    MalformedMoveError, IllegalMoveError, AmbiguousMoveError
        As `Game.parse_move`.
    """
    clicks = tuple(line.lower().split())
    if len(clicks) > 1:
        for text, sequences in position.picture().clicks.items():
            if clicks in sequences:
                return position.game.parse_move(position, text)
        try:
            return position.game.parse_move(position, line, notation=notation)
        except MalformedMoveError:
            if all(word.isdigit() for word in clicks):  # joined together, they would form a different number
                raise
    return position.game.parse_move(position, "".join(clicks), notation=notation)


def open_prompt(
    *,
    words: Callable[[], Iterable[str]] = lambda: (),
    toolbar: Callable[[], str] = lambda: "",
    is_time_up: Callable[[], bool] = lambda: False,
) -> Prompt:
    """Return a `TerminalPrompt` if stdin and stdout are a terminal with a cursor, else a `PlainPrompt`."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return PlainPrompt()
    from prompt_toolkit.utils import is_dumb_terminal

    return PlainPrompt() if is_dumb_terminal() else TerminalPrompt(words, toolbar, is_time_up)


def _completer(words: Callable[[], Iterable[str]]) -> "Completer":
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
    from prompt_toolkit.document import Document

    paths = PathCompleter(expanduser=True)

    class WordCompleter(Completer):
        """Completes a line to one of the words, and the argument of a file command to a path."""

        def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
            line = document.text_before_cursor.lstrip()
            command, space, argument = line.partition(" ")
            if space and command.lower() in FILE_COMMANDS:
                yield from paths.get_completions(Document(argument), complete_event)
                return
            for word in words():
                if word.lower().startswith(line.lower()):
                    yield Completion(word, start_position=-len(line))

    return WordCompleter()
