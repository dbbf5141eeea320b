"""The exception tree and the alternatives that messages name."""

import inspect

import pytest

from boardgames import errors
from boardgames.errors import BoardgamesError, MoveError, near, shown

CLASSES = [
    value for value in vars(errors).values() if inspect.isclass(value) and value.__module__ == errors.__name__
]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_exception_has_the_one_root(kind: type[Exception]) -> None:
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
def test_an_exception_is_the_builtin_that_callers_expect(
    kind: type[Exception], builtin: type[Exception]
) -> None:
    assert issubclass(kind, builtin)


def test_the_three_faults_of_a_move_are_different_errors() -> None:
    assert {kind.__name__ for kind in MoveError.__subclasses__()} == {
        "MalformedMoveError",
        "IllegalMoveError",
        "AmbiguousMoveError",
    }


def test_a_unknown_name_is_printed_without_quotes_around_the_message() -> None:
    # KeyError would print the repr of its message
    assert str(errors.UnknownNameError("no such game 'x'")) == "no such game 'x'"


@pytest.mark.parametrize(
    ("name", "names", "ending"),
    [
        ("abalon", ["abalone", "connect4"], "; did you mean 'abalone'?"),
        ("alphabta", ["alphabeta", "alphabetb"], "; did you mean 'alphabeta' or 'alphabetb'?"),
        ("zzz", ["b", "a", "a"], "; known: a, b"),
        ("zzz", [], "; none is known"),
    ],
    ids=["one near", "two near", "none near", "nothing known"],
)
def test_near_names_the_alternatives(name: str, names: list[str], ending: str) -> None:
    assert near(name, names) == ending


@pytest.mark.parametrize(
    "value",
    ["x" * 10**6, 10**5000, [10**5000], "a\nb", ["a\n"] * 1000],
    ids=["long text", "long number", "long number in a list", "two lines", "long list"],
)
def test_any_value_is_shown_on_one_short_line(value: object) -> None:
    text = shown(value)
    assert len(text) < 150
    assert "\n" not in text


@pytest.mark.parametrize("name", [5, None, ["abalone"], "abalone" * 10**6])
def test_what_is_no_name_is_near_to_none(name: object) -> None:
    assert near(name, ["abalone", "connect4"]) == "; known: abalone, connect4"
