"""Options of games and agents: declaring, reading, and the text form of agents."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames import Game, Learner, PlainGame, Player
from boardgames.errors import BoardgamesError, OptionError, PluginError
from boardgames.options import Option, OptionValue, parse_agent, parse_assignments, read_options

DEPTH = Option("depth", int, 3, "plies", minimum=1, maximum=60)
TIME = Option("time", float, None, "seconds", minimum=0)
BROADSIDE = Option("broadside", bool, True, "whether side-steps are moves")
QUOTED = '\\",=: ab\n'
SIZE = Option("size", int, 8, "rows and columns", choices=(6, 8))
STYLE = Option("style", str, "calm", "playing style", choices=("calm", "wild"))


@pytest.mark.parametrize(
    ("option", "given_value", "value"),
    [
        (DEPTH, "4", 4),
        (DEPTH, 4, 4),
        (DEPTH, " 4 ", 4),
        (TIME, "0.5", 0.5),
        (TIME, 2, 2.0),
        (TIME, None, None),
        (BROADSIDE, "false", False),
        (BROADSIDE, "ON", True),
        (BROADSIDE, False, False),
        (STYLE, "wild", "wild"),
        (SIZE, "6", 6),
        (SIZE, 8, 8),
    ],
)
def test_option_reads_texts_and_values_of_its_type(
    option: Option, given_value: object, value: OptionValue
) -> None:
    read = option.read(given_value)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("option", "given_value", "message"),
    [
        (DEPTH, "four", "depth must be an integer, not 'four'"),
        (DEPTH, "0", "depth must be 1 to 60, not '0'"),
        (DEPTH, 61, "depth must be 1 to 60, not 61"),
        (DEPTH, "1_0", "depth must be an integer, not '1_0'"),
        (DEPTH, 4.0, "depth must be an integer, not 4.0"),
        (DEPTH, True, "depth must be an integer, not True"),
        (DEPTH, None, "depth must be an integer, not None"),
        (TIME, "nan", "time must be a number, not 'nan'"),
        (TIME, "inf", "time must be a number, not 'inf'"),
        (TIME, 10**400, f"time must be a number, not 1{'0' * 79}..."),
        (DEPTH, "\N{ARABIC-INDIC DIGIT THREE}", "depth must be an integer, not '\u0663'"),
        (BROADSIDE, "perhaps", "broadside must be true or false, not 'perhaps'"),
        (BROADSIDE, 1, "broadside must be true or false, not 1"),
        (TIME, "-0.5", "time must be at least 0, not '-0.5'"),
        (STYLE, "mild", "style must be calm or wild, not 'mild'"),
        (SIZE, "7", "size must be 6 or 8, not '7'"),
        (SIZE, "six", "size must be 6 or 8, not 'six'"),
        (SIZE, 6.0, "size must be 6 or 8, not 6.0"),
    ],
)
def test_invalid_value_raises_an_error_that_says_what_is_valid(
    option: Option, given_value: object, message: str
) -> None:
    with pytest.raises(OptionError) as caught:
        option.read(given_value)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (DEPTH, "int, 1 to 60"),
        (TIME, "float, at least 0"),
        (Option("x", float, 0.0, "", maximum=1), "float, at most 1"),
        (Option("x", str, "", ""), "text"),
        (Option("x", int, 0, ""), "int"),
        (BROADSIDE, "true or false"),
        (STYLE, "calm or wild"),
        (Option("x", str, "a", "", choices=("a", "b", "c")), "a, b or c"),
    ],
)
def test_option_describes_its_values(option: Option, words: str) -> None:
    assert option.describe_values() == words


def test_options_default_if_not_given() -> None:
    assert read_options([DEPTH, TIME, BROADSIDE], {"time": "1"}, "agent 'x'") == {
        "depth": 3,
        "time": 1.0,
        "broadside": True,
    }


def test_unknown_option_raises_with_suggestions() -> None:
    with pytest.raises(OptionError, match="agent 'x' has no option 'dept'; did you mean 'depth'") as caught:
        read_options([DEPTH], {"dept": 3}, "agent 'x'")
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("random", "random", {}),
        ("alphabeta:depth=4,time=1", "alphabeta", {"depth": "4", "time": "1"}),
        (" alphabeta : depth = 4 ", "alphabeta", {"depth": "4"}),
        ("td:weights=C:/a b.bin", "td", {"weights": "C:/a b.bin"}),
        ('engine:command="a, b=c",time=1', "engine", {"command": "a, b=c", "time": "1"}),
        (r'x:name="say \"hi\" \\ bye"', "x", {"name": r'say "hi" \ bye'}),
        ("x:name=", "x", {"name": ""}),
        ("level:3", "level", {"level": "3"}),
        (" level=3", "level", {"level": "3"}),
        ("level:3,table=1", "level", {"level": "3", "table": "1"}),
    ],
)
def test_agent_text_splits_into_name_and_options(text: str, name: str, options: dict[str, str]) -> None:
    assert parse_agent(text) == (name, options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an agent is written name or name:option=value,..., not ''"),
        (":depth=4", "an agent is written name or name:option=value,..., not ':depth=4'"),
        ("alphabeta:", "no options after the colon in 'alphabeta:'"),
        ("alphabeta:depth", "an option is written name=value, not 'depth'"),
        ("alphabeta:depth=4,", "an option is written name=value, not ''"),
        ("alphabeta:3x", "an option is written name=value, not '3x'"),
        ("alphabeta:=4", "an option is written name=value, not '=4'"),
        ("alphabeta:depth=4,depth=5", "the option 'depth' is given twice"),
        ('engine:command="a, b', "missing closing quote in 'command=\"a, b'"),
    ],
)
def test_malformed_agent_text_raises(text: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_agent(text)
    assert str(caught.value) == message


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,6}", fullmatch=True), st.text(alphabet=st.sampled_from(QUOTED)))
)
def test_quoted_values_round_trip(options: dict[str, str]) -> None:
    quoted = {name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in options.items()}
    text = ",".join(f'{name}="{value}"' for name, value in quoted.items())
    assert parse_agent(f"agent:{text}" if text else "agent") == ("agent", options)


@given(st.text())
def test_any_text_is_parsed_or_raises_our_error(text: str) -> None:
    try:
        name, _ = parse_agent(text)
    except BoardgamesError:
        return
    assert name


def test_assignments_keep_their_order() -> None:
    assert list(parse_assignments(["b=1", "a=2"]).items()) == [("b", "1"), ("a", "2")]


@pytest.mark.parametrize("kind", [bool, int, float, str])
def test_number_too_long_for_repr_raises(kind: type) -> None:
    with pytest.raises(OptionError, match=r"^x must be .*, not a value of type int"):
        Option("x", kind, None, "", minimum=0, maximum=5).read(10**5000)


def test_numpy_integers_are_integers() -> None:
    assert Option("x", int, 0, "").read(np.int64(3)) == 3


@pytest.mark.parametrize("text", [5, None, b"random"])
def test_agent_that_is_not_text_raises(text: Any) -> None:
    with pytest.raises(OptionError, match="an agent is written"):
        parse_agent(text)


def test_long_value_is_truncated_in_the_message() -> None:
    with pytest.raises(OptionError) as caught:
        Option("depth", int, 3, "").read("x" * 10**6)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", ["", "two words", "a=b", "a,b", "a:b", '"a"', 7])
@pytest.mark.parametrize("base", [Game, Player, Learner])
def test_an_option_whose_name_cannot_be_written_is_refused(base: type, name: Any) -> None:
    with pytest.raises(PluginError, match=r"^Made cannot declare an option .*: a name is a word without"):
        type("Made", (base,), {"name": "made", "declared_options": (Option(name, int, 1, "a number"),)})


@pytest.mark.parametrize(
    ("base", "names"),
    [
        (Game, ("self", "name", "layout")),
        (PlainGame, ("self", "name", "layout")),
        (Player, ("self", "game", "seed")),
        (Learner, ("self", "game")),
    ],
)
def test_an_option_whose_name_means_something_else_is_refused(base: type, names: tuple[str, ...]) -> None:
    for name in names:
        message = f"Made cannot declare an option '{name}', since that name has another meaning"
        with pytest.raises(PluginError, match=message):
            type("Made", (base,), {"name": "made", "declared_options": (Option(name, int, 1, "a number"),)})
