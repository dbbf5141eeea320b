"""The exception tree, and the helpers for messages."""

import inspect

import pytest

from boardgames import errors
from boardgames.errors import BoardgamesError, MissingExtraError, MoveError, quote, suggest

CLASSES = [
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
    assert str(MissingExtraError("rating", "boardgames ladder")) == (
        "boardgames ladder needs the extra 'rating': run pip install 'boardgames-core[rating]', "
        "or in a checkout pip install -e '.[rating]'"
    )


@pytest.mark.parametrize("text", ["short", "", "\u00e9\n", "a" * 80])
def test_short_text_is_quoted_completely(text: str) -> None:
    assert quote(text) == repr(text)


def test_long_text_is_truncated_with_its_length() -> None:
    assert quote("a" * 81) == f"'{'a' * 80}'... (81 characters)"
