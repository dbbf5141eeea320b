"""The exception tree, and the helpers for messages."""

import inspect
import json
import pickle
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from boardgames import errors, load, load_player
from boardgames.books import book
from boardgames.books.book import Book
from boardgames.errors import (
    MAX_MESSAGE_LENGTH,
    BoardgamesError,
    MissingExtraError,
    MoveError,
    command_line,
    describe_error,
    quote,
    shortened,
    suggest,
)
from boardgames.learning.config import Config
from boardgames.plugins import load_game_of
from boardgames.record import choose_record
from boardgames.weights.files import read_arrays

CLASSES: list[Any] = [  # classes that mypy cannot know
    value for value in vars(errors).values() if inspect.isclass(value) and value.__module__ == errors.__name__
]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_exception_derives_from_boardgames_error(kind: type[Exception]) -> None:
    assert issubclass(kind, BoardgamesError)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (errors.PositionError, ValueError),
        (errors.MoveError, ValueError),
        (errors.RecordError, ValueError),
        (errors.OptionError, ValueError),
        (errors.LimitError, ValueError),
        (errors.UnknownNameError, LookupError),
        (errors.KernelError, TypeError),
        (errors.FileError, OSError),
        (errors.StoreError, OSError),
        (errors.WorkerError, RuntimeError),
        (errors.ClusterError, ConnectionError),
    ],
    ids=lambda kind: kind.__name__,
)
def test_exceptions_derive_from_builtin_ones_too(kind: type[Exception], builtin: type[Exception]) -> None:
    assert issubclass(kind, builtin)


def test_move_errors_have_three_subclasses() -> None:
    assert {kind.__name__ for kind in MoveError.__subclasses__()} == {
        "MalformedMoveError",
        "IllegalMoveError",
        "AmbiguousMoveError",
    }


def test_message_of_an_unknown_name_has_no_quotes_around_it() -> None:
    # KeyError would print the repr of its message
    assert str(errors.UnknownNameError("no such game 'x'")) == "no such game 'x'"


@pytest.mark.parametrize(
    ("name", "names", "ending"),
    [
        ("abalon", ["abalone", "connect4"], "; did you mean 'abalone'?"),
        ("alphabta", ["alphabeta", "alphabetb"], "; did you mean 'alphabeta' or 'alphabetb'?"),
        ("zzz", ["b", "a", "a"], "; available: a, b"),
        ("zzz", [], "; none available"),
        (
            "zzz",
            [f"{width}x{height}" for width in range(4, 9) for height in range(4, 9)],
            "; available: 4x4, 4x5 and 23 others",
        ),
    ],
    ids=["one similar", "two similar", "none similar", "no names", "many names"],
)
def test_similar_names_are_suggested(name: str, names: list[str], ending: str) -> None:
    assert suggest(name, names) == ending


@pytest.mark.parametrize(
    "value",
    ["x" * 10**6, 10**5000, [10**5000], "a\nb", ["a\n"] * 1000],
    ids=["long text", "long number", "long number in a list", "two lines", "long list"],
)
def test_every_value_is_quoted_on_one_short_line(value: object) -> None:
    text = quote(value)
    assert len(text) < 150
    assert "\n" not in text


@pytest.mark.parametrize("name", [5, None, ["abalone"], "abalone" * 10**6])
def test_no_suggestions_for_something_that_is_not_a_name(name: object) -> None:
    assert suggest(name, ["abalone", "connect4"]) == "; available: abalone, connect4"


def test_missing_extra_names_the_command_that_installs_it() -> None:
    assert str(MissingExtraError("plot", "boardgames plot")) == (
        "boardgames plot needs the extra 'plot': run pip install 'boardgames-core[plot]', "
        "or in a checkout pip install -e '.[plot]'"
    )


@pytest.mark.parametrize("text", ["short", "", "\u00e9\n", "a" * 80])
def test_short_text_is_quoted_completely(text: str) -> None:
    assert quote(text) == repr(text)


def test_long_text_is_truncated_with_its_length() -> None:
    assert quote("a" * 81) == f"'{'a' * 80}'... (81 characters)"


# --- foreign text in messages ----------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["a\nb", "a\r\n\u2028b", " ".join(9999 * ["word"]), 99_999 * "x", "\n".join(9999 * ["a long line"])],
    ids=["lines", "line ends", "many words", "a long word", "many lines"],
)
def test_a_message_is_one_short_line_whatever_it_quotes(text: str) -> None:
    for kind in CLASSES:
        if kind is MissingExtraError:
            continue
        error = kind(f"cannot read {text}: not what was expected")
        message = str(error)
        assert message.startswith("cannot read ")
        assert message.endswith(": not what was expected")
        assert len(message.splitlines()) == 1
        assert len(message) <= MAX_MESSAGE_LENGTH
        assert str(pickle.loads(pickle.dumps(error))) == message


@pytest.mark.parametrize("text", ["x" * 10**6, "x " * 10**6], ids=["word", "words"])
def test_a_very_long_message_is_shortened_in_the_middle(text: str) -> None:
    message = shortened(f"cannot read {text}: no such file")
    assert len(message) <= MAX_MESSAGE_LENGTH
    assert message.startswith("cannot read x")
    assert "…" in message
    assert message.endswith(("x: no such file", "x : no such file"))


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, ValueError])
def test_text_that_cannot_be_obtained_is_replaced_by_the_class(raised: type[BaseException]) -> None:
    class Wordless(Exception):  # noqa: N818 - a plug-in may call it as it likes
        def __str__(self) -> str:
            raise raised

        __repr__ = __str__

    assert describe_error(Wordless()) == "Wordless"
    assert quote(Wordless()) == "a value of type Wordless"


def test_descriptions_of_foreign_exceptions_are_one_short_line() -> None:
    described = describe_error(ValueError("\n".join(9999 * ["a long line"])))
    assert len(described.splitlines()) == 1
    assert len(described) <= MAX_MESSAGE_LENGTH


FOREIGN = "x\ny" + 9999 * "z"
HEADER = {"format": book.FORMAT, "version": book.VERSION, "game": "connect4", "options": {}, "made": {}}
READERS: dict[str, Callable[[Path], object]] = {
    "a book with another unit": lambda path: Book.parse(json.dumps(HEADER | {"unit": {FOREIGN: 1}})),
    "a book with a wrong unit": lambda path: Book.parse(json.dumps(HEADER | {"unit": {"name": FOREIGN}})),
    "a book that is none": lambda path: Book.parse(FOREIGN),
    "a long key in TOML": lambda path: Config.read(written(path, f'"{FOREIGN[2:]}" = 1')),
    "a table twice in TOML": lambda path: Config.read(written(path, 2 * f"[{FOREIGN[2:]}]\n")),
    "weights": lambda path: read_arrays(written(path, f"{struct.pack('<Q', 5).decode()}{FOREIGN}")),
    "a record with a long tag": lambda path: choose_record(f'[{FOREIGN[2:]} "x"]\n\n*', load_game_of),
    "a record with a long move": lambda path: choose_record(
        f'[Game "connect4"]\n[Start "......./......./......./......./......./......."]\n\n{FOREIGN} *',
        load_game_of,
    ),
    "a position of Connect Four": lambda path: load("connect4").parse(FOREIGN),
    "a position of Hexifence": lambda path: load("hexifence").parse(FOREIGN),
    "a position of Abalone": lambda path: load("abalone").parse(FOREIGN),
    "a move": lambda path: load("connect4").start().apply(FOREIGN),
    "an option of a game": lambda path: load("connect4", **cast(Any, {FOREIGN: 1})),
    "a layout": lambda path: load("connect4", layout=FOREIGN),
    "a game": lambda path: load(FOREIGN),
    "an agent": lambda path: load_player(FOREIGN, load("connect4")),
    "an option of an agent": lambda path: load_player(f"alphabeta:depth={FOREIGN[2:]}", load("connect4")),
}


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_errors_about_foreign_files_and_texts_are_one_short_line(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    with pytest.raises(BoardgamesError) as raised:
        read(tmp_path / "file")
    message = str(raised.value)
    assert len(message.splitlines()) == 1
    assert len(message) <= MAX_MESSAGE_LENGTH


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell")
@pytest.mark.parametrize(
    ("word", "is_double"),
    [
        ("{'left':[1],'who\\x20moves':'x'}", True),
        ("it's", True),
        ("{'a':\"it's\"}", False),
        ("'$HOME' `id`", False),
        ("'a\\\\b'", False),
        ("'\\", False),
        ("'hi!'", False),
        ("plain:text", False),
    ],
)
def test_a_word_of_a_command_is_quoted_so_that_shells_read_the_same(word: str, is_double: bool) -> None:
    command = command_line(["printf", "%s", word])
    ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert ran.stdout == word
    assert command.endswith(f'"{word}"') == is_double
