"""Options of games and agents: declared, read, and written in agent texts."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.errors import BoardgamesError, OptionError
from boardgames.options import Option, OptionValue, parse_agent, parse_assignments, read_options

DEPTH = Option("depth", int, 3, "plies", minimum=1, maximum=60)
TIME = Option("time", float, None, "seconds", minimum=0)
BROADSIDE = Option("broadside", bool, True, "whether side-steps are moves")
QUOTED = '\\",=: ab\n'
STYLE = Option("style", str, "calm", "how it plays", choices=("calm", "wild"))


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
    ],
)
def test_an_option_reads_texts_and_values_of_its_kind(
    option: Option, given_value: object, value: OptionValue
) -> None:
    read = option.read(given_value)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("option", "given_value", "message"),
    [
        (DEPTH, "four", "expected a whole number from 1 to 60 for depth: 'four'"),
        (DEPTH, "0", "expected a whole number from 1 to 60 for depth: '0'"),
        (DEPTH, 61, "expected a whole number from 1 to 60 for depth: 61"),
        (DEPTH, "1_0", "expected a whole number from 1 to 60 for depth: '1_0'"),
        (DEPTH, 4.0, "expected a whole number from 1 to 60 for depth: 4.0"),
        (DEPTH, True, "expected a whole number from 1 to 60 for depth: True"),
        (DEPTH, None, "expected a whole number from 1 to 60 for depth: None"),
        (TIME, "nan", "expected a number of at least 0 for time: 'nan'"),
        (TIME, "inf", "expected a number of at least 0 for time: 'inf'"),
        (TIME, 10**400, f"expected a number of at least 0 for time: 1{'0' * 79}..."),
        (DEPTH, "\N{ARABIC-INDIC DIGIT THREE}", "expected a whole number from 1 to 60 for depth: '\u0663'"),
        (BROADSIDE, "perhaps", "expected true or false for broadside: 'perhaps'"),
        (BROADSIDE, 1, "expected true or false for broadside: 1"),
        (STYLE, "mild", "expected one of calm, wild for style: 'mild'"),
    ],
)
def test_a_bad_value_is_an_error_that_says_what_was_expected(
    option: Option, given_value: object, message: str
) -> None:
    with pytest.raises(OptionError) as caught:
        option.read(given_value)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (DEPTH, "a whole number from 1 to 60"),
        (TIME, "a number of at least 0"),
        (Option("x", float, 0.0, "", maximum=1), "a number of at most 1"),
        (Option("x", str, "", ""), "text"),
        (STYLE, "one of calm, wild"),
    ],
)
def test_an_option_says_in_words_what_it_takes(option: Option, words: str) -> None:
    assert option.expectation() == words


def test_options_that_are_not_given_have_their_defaults() -> None:
    assert read_options([DEPTH, TIME, BROADSIDE], {"time": "1"}, "agent 'x'") == {
        "depth": 3,
        "time": 1.0,
        "broadside": True,
    }


def test_an_unknown_option_is_an_error_that_names_near_ones() -> None:
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
    ],
)
def test_an_agent_text_is_a_name_and_options(text: str, name: str, options: dict[str, str]) -> None:
    assert parse_agent(text) == (name, options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected an agent as name or name:option=value: ''"),
        (":depth=4", "expected an agent as name or name:option=value: ':depth=4'"),
        ("alphabeta:", "expected option=value after the colon: 'alphabeta:'"),
        ("alphabeta:depth", "expected option=value: 'depth'"),
        ("alphabeta:depth=4,", "expected option=value: ''"),
        ("alphabeta:=4", "expected option=value: '=4'"),
        ("alphabeta:depth=4,depth=5", "expected option 'depth' once: 'depth=5'"),
        ('engine:command="a, b', "expected a closing quote: 'engine:command=\"a, b'"),
    ],
)
def test_a_malformed_agent_text_is_an_error_that_quotes_it(text: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_agent(text)
    assert str(caught.value) == message


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,6}", fullmatch=True), st.text(alphabet=st.sampled_from(QUOTED)))
)
def test_any_quoted_value_comes_back(options: dict[str, str]) -> None:
    quoted = {name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in options.items()}
    text = ",".join(f'{name}="{value}"' for name, value in quoted.items())
    assert parse_agent(f"agent:{text}" if text else "agent") == ("agent", options)


@given(st.text())
def test_any_text_is_an_agent_or_an_error_of_ours(text: str) -> None:
    try:
        name, _ = parse_agent(text)
    except BoardgamesError:
        return
    assert name


def test_assignments_are_read_in_order() -> None:
    assert list(parse_assignments(["b=1", "a=2"]).items()) == [("b", "1"), ("a", "2")]


@pytest.mark.parametrize("kind", [bool, int, float, str])
def test_a_number_too_long_to_be_written_is_an_option_error(kind: type) -> None:
    with pytest.raises(OptionError, match="for x: a value of type int"):
        Option("x", kind, None, "", minimum=0, maximum=5).read(10**5000)


def test_numbers_of_numpy_are_whole_numbers_too() -> None:
    assert Option("x", int, 0, "").read(np.int64(3)) == 3


@pytest.mark.parametrize("text", [5, None, b"random"])
def test_an_agent_that_is_no_text_is_an_option_error(text: Any) -> None:
    with pytest.raises(OptionError, match="expected an agent as name"):
        parse_agent(text)


def test_a_long_bad_value_is_cut_in_the_message() -> None:
    with pytest.raises(OptionError) as caught:
        Option("depth", int, 3, "").read("x" * 10**6)
    assert len(str(caught.value)) < 200
