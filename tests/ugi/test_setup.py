"""What an engine offers to set, and what setting it makes."""

import pytest

from boardgames.errors import OptionError, UnknownNameError
from boardgames.options import Option
from boardgames.ugi.setup import Setting, Setup, setting_named, settings_of


def offered(setup: Setup) -> dict[str, Setting]:
    return settings_of(setup.make_agent(setup.make_game()))


def test_options_of_agent_game_and_layout_are_offered() -> None:
    lines = [setting.line() for setting in offered(Setup("abalone", agent="alphabeta:depth=3")).values()]
    assert "option name depth type spin default 3 min 0 max 100" in lines
    assert "option name time type string default <empty>" in lines
    assert "option name seed type string default <empty>" in lines
    assert "option name broadside type check default true" in lines
    assert any(line.startswith("option name layout type combo default ") for line in lines)


@pytest.mark.parametrize(
    ("option", "value", "line"),
    [
        (Option("n", int, 3, "", 1, 9), 4, "spin default 4 min 1 max 9"),
        (Option("n", int, 3, ""), 3, "spin default 3 min -2147483647 max 2147483647"),
        (Option("n", int, None, "", 1), None, "spin default 0 min 0 max 2147483647"),
        (Option("n", int, None, ""), None, "string default <empty>"),
        (Option("n", float, 0.5, ""), 0.5, "string default 0.5"),
        (Option("n", bool, True, ""), True, "check default true"),
        (Option("n", bool, None, ""), None, "string default <empty>"),
        (Option("n", str, "", ""), "", "string default <empty>"),
        (Option("n", str, "a", "", choices=("a", "b")), "b", "combo default b var a var b"),
    ],
)
def test_each_kind_of_option_has_its_type(option: Option, value: object, line: str) -> None:
    assert Setting("agent", "n", option, value).line() == f"option name n type {line}"  # type: ignore[arg-type]  # of a table


def test_what_is_set_is_what_plays() -> None:
    setup = Setup("connect4", agent="alphabeta:depth=4")
    settings = offered(setup)
    setup = setup.with_value(settings["depth"], settings["depth"].read("7"))
    setup = setup.with_value(settings["columns"], settings["columns"].read("5"))
    game = setup.make_game()
    assert setup.make_agent(game).options["depth"] == 7
    assert game.facts.actions == 5


@pytest.mark.parametrize("text", ["0", "<empty>", ""])
def test_not_set_takes_a_value_back(text: str) -> None:
    setup = Setup("connect4", settings={"depth": "7"})
    depth = offered(setup)["depth"]
    assert depth.read(text) is None
    assert setup.with_value(depth, depth.read(text)).settings == {}


def test_a_value_may_hold_any_sign() -> None:
    setup = Setup("connect4", agent="engine", settings={"command": 'cat "a, b=c" \\\\'})
    assert setup.make_agent(setup.make_game()).options["command"] == 'cat "a, b=c" \\\\'


@pytest.mark.parametrize("value", ["-1", "1.5", "many", "101"])
def test_a_bad_value_is_refused(value: str) -> None:
    with pytest.raises(OptionError, match="expected a whole number from 1 to 100 for depth"):
        offered(Setup("connect4"))["depth"].read(value)


def test_an_unknown_name_is_told_with_near_ones() -> None:
    with pytest.raises(
        UnknownNameError, match="expected an option of the engine: 'dept'; did you mean 'depth'"
    ):
        setting_named("dept", offered(Setup("connect4")))
    assert setting_named("DEPTH", offered(Setup("connect4"))).name == "depth"


def test_a_person_is_no_engine() -> None:
    setup = Setup("connect4", agent="human")
    with pytest.raises(OptionError, match="expected an agent that is a program: 'human'"):
        setup.make_agent(setup.make_game())


@pytest.mark.parametrize(
    "setup", [Setup("connect5"), Setup("connect4", agent="nobody"), Setup("connect4", agent=":")]
)
def test_names_are_checked_before_anything_is_loaded(setup: Setup) -> None:
    with pytest.raises((UnknownNameError, OptionError)):
        setup.check_names()
