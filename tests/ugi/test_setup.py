"""The options that our engine offers, and what setting them does."""

import pytest

from boardgames.errors import OptionError, UnknownNameError
from boardgames.options import Option
from boardgames.ugi.setup import EngineOption, EngineSetup, engine_options, find_option


def offered(setup: EngineSetup) -> dict[str, EngineOption]:
    return engine_options(setup.make_agent(setup.make_game()))


def test_options_of_agent_game_and_layout_are_offered() -> None:
    options = offered(EngineSetup("abalone", agent="alphabeta:depth=3"))
    lines = [option.declaration() for option in options.values()]
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
        (Option("n", int, 8, "", choices=(6, 8)), 6, "combo default 6 var 6 var 8"),
    ],
)
def test_each_kind_of_option_is_declared_with_its_type(option: Option, value: object, line: str) -> None:
    assert EngineOption("agent", "n", option, value).declaration() == f"option name n type {line}"  # type: ignore[arg-type]  # from the table


def test_a_layout_can_change_the_size_of_the_board() -> None:
    setup = EngineSetup("connect4")
    layout = offered(setup)["layout"]
    setup = setup.with_value(layout, layout.parse("8x8"))
    assert setup.make_game().facts.actions == 8


def test_options_change_the_agent_and_the_game() -> None:
    setup = EngineSetup("connect4", agent="alphabeta:depth=4")
    options = offered(setup)
    setup = setup.with_value(options["depth"], options["depth"].parse("7"))
    setup = setup.with_value(options["columns"], options["columns"].parse("5"))
    game = setup.make_game()
    assert setup.make_agent(game).options["depth"] == 7
    assert game.facts.actions == 5


@pytest.mark.parametrize("text", ["0", "<empty>", ""])
def test_not_set_restores_the_default(text: str) -> None:
    setup = EngineSetup("connect4", settings={"depth": "7"})
    depth = offered(setup)["depth"]
    assert depth.parse(text) is None
    assert setup.with_value(depth, depth.parse(text)).settings == {}


def test_a_value_may_contain_quotes_commas_and_backslashes() -> None:
    setup = EngineSetup("connect4", agent="engine", settings={"command": 'cat "a, b=c" \\\\'})
    assert setup.make_agent(setup.make_game()).options["command"] == 'cat "a, b=c" \\\\'


@pytest.mark.parametrize("value", ["-1", "1.5", "many", "101"])
def test_an_invalid_value_is_rejected(value: str) -> None:
    with pytest.raises(OptionError, match=f"depth.*'{value}'"):
        offered(EngineSetup("connect4"))["depth"].parse(value)


def test_option_names_ignore_case() -> None:
    assert find_option("DEPTH", offered(EngineSetup("connect4"))).name == "depth"


def test_an_unknown_option_is_reported_with_similar_names() -> None:
    with pytest.raises(UnknownNameError, match="the engine has no option 'dept'; did you mean 'depth'"):
        find_option("dept", offered(EngineSetup("connect4")))


def test_a_human_player_cannot_be_an_engine() -> None:
    setup = EngineSetup("connect4", agent="human")
    with pytest.raises(OptionError, match="'human' cannot run as an engine: it is a person, not a program"):
        setup.make_agent(setup.make_game())


@pytest.mark.parametrize(
    "setup",
    [EngineSetup("connect5"), EngineSetup("connect4", agent="nobody"), EngineSetup("connect4", agent=":")],
)
def test_names_are_checked_before_anything_is_loaded(setup: EngineSetup) -> None:
    with pytest.raises((UnknownNameError, OptionError)):
        setup.check_names()
