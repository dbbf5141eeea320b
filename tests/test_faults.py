"""Faults of plug-ins, and how they are distinguished from a user's Ctrl-C."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from faulty import Noughts
from installed import add_plugin

import boardgames
from boardgames.cli.interrupts import interrupts
from boardgames.errors import MatchError, PluginError, PositionError, RulesError, describe_error
from boardgames.faults import Interrupted, as_exception, must_propagate, plugin_fault, translated_errors
from boardgames.game import Game
from boardgames.kernels import Actions, LegalMoves, SideToMove, Words, kernel
from boardgames.player import Choice, Player
from boardgames.players.simple import Random
from boardgames_connect4.game import Connect4

RAISED = [ValueError("no ink"), SystemExit(0), KeyboardInterrupt(), StopIteration(), GeneratorExit()]


@pytest.fixture
def handler() -> Iterator[None]:
    """Let Ctrl-C be handled as on the command line."""
    with interrupts():
        yield


@pytest.mark.usefixtures("handler")
@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(
    ("method", "call"),
    [
        ("draw", lambda game: game.start().picture()),
        ("format_action", lambda game: game.start().legal_moves),
        ("format_words", lambda game: str(game.start())),
        ("parse_words", lambda game: game.parse("x")),
        ("score", lambda game: game.start().score),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_whatever_a_game_raises_names_the_game_and_its_method(
    method: str, call: Callable[[Game], object], error: BaseException
) -> None:
    def fail(self: Game, *arguments: Any, **more: Any) -> Any:
        raise error

    fail.__qualname__ = f"Broken.{method}"
    broken = type("Broken", (Connect4,), {method: fail, "__module__": __name__})
    with pytest.raises(PluginError) as caught:
        call(broken())
    assert f"is broken: Broken.{method} raised {type(error).__name__}" in str(caught.value)
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    ("method", "call", "expected"),
    [
        ("draw", lambda game: game.start().picture(), "draw returned None, not a Picture"),
        ("format_action", lambda game: game.start().legal_moves, "format_action returned None, not a str"),
        ("format_words", lambda game: str(game.start()), "format_words returned None, not a str"),
        ("score", lambda game: game.start().score, "score returned None, not a tuple"),
        (
            "parse_action",
            lambda game: game.parse_move(game.start(), "4"),
            "parse_action returned None for '4', which is not a legal action",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)
def test_game_that_returns_nothing_is_broken(
    method: str, call: Callable[[Game], object], expected: str
) -> None:
    def nothing(self: Game, *arguments: Any, **more: Any) -> None:
        return None

    nothing.__qualname__ = f"Broken.{method}"
    broken = type("Broken", (Connect4,), {method: nothing, "__module__": __name__})
    with pytest.raises(PluginError, match=rf"is broken: Broken\.{expected}"):
        call(broken())


class Disguised(str):
    """A text whose own methods fail."""

    __slots__ = ()

    def __str__(self) -> str:
        raise ValueError("no text")

    __format__ = __repr__ = __str__  # type: ignore[assignment]  # they fail like it


def test_texts_of_a_game_are_plain_strings() -> None:
    broken = type("Broken", (Connect4,), {"format_words": lambda *_: Disguised("x"), "__module__": __name__})
    assert f"{broken().start()}" == "x"


@pytest.mark.parametrize(
    "points",
    [(1,), (1, 2, 3), (float("nan"), 0), (0, 10**5000), ("1", "2")],
    ids=["one", "three", "no number", "huge", "texts"],
)
def test_points_are_two_integers(points: tuple[object, ...]) -> None:
    broken = type("Broken", (Connect4,), {"score": lambda *_: points, "__module__": __name__})
    with pytest.raises(RulesError, match=r"is broken: Broken.score returned .*, not two integers"):
        _ = broken().start().score


@pytest.mark.parametrize("side", [0, 1])
def test_no_agent_loses_because_the_rules_fail(side: int) -> None:
    def fail(self: Game, *arguments: Any, **more: Any) -> str:
        raise ValueError("no words")

    fail.__qualname__ = "Broken.format_action"
    broken = type("Broken", (Connect4,), {"format_action": fail, "__module__": __name__})()
    start = broken.parse("4") if side else broken.start()
    match = boardgames.Manager(broken, [Random(broken), Random(broken)], start=start)
    with pytest.raises(RulesError, match=r"is broken: Broken\.format_action raised ValueError: no words"):
        match.step()
    assert match.outcome is None


@kernel(LegalMoves)
def moves_out_of_range(position: Words, moves: Actions) -> int:
    """Write an action that does not exist."""
    moves[0] = 3
    moves[1] = 99
    return 2


@kernel(LegalMoves)
def more_moves_than_actions(position: Words, moves: Actions) -> int:
    """Return a count that is too large."""
    return 99


@kernel(SideToMove)
def third_side(position: Words) -> int:
    """Return a side that does not exist."""
    return 2


@pytest.mark.parametrize(
    ("kernels", "call", "expected"),
    [
        (
            {"legal_moves": moves_out_of_range},
            lambda position: position.legal_moves,
            "the kernel legal_moves of Noughts wrote the action 99 in .../.../...:x, but actions are 0 to 8",
        ),
        (
            {"legal_moves": more_moves_than_actions},
            lambda position: position.legal_moves,
            "the kernel legal_moves of Noughts returned 99, not 0 to 9 moves",
        ),
        (
            {"side_to_move": third_side},
            lambda position: position.side_to_move,
            "the kernel side_to_move of Noughts returned 2, not 0 or 1",
        ),
    ],
    ids=["action", "count", "side"],
)
def test_kernel_out_of_range_is_broken(
    kernels: dict[str, Any], call: Callable[[Any], object], expected: str
) -> None:
    game = Noughts()
    game.kernels = replace(game.kernels, **kernels)
    with pytest.raises(PluginError, match=f"the module 'faulty' is broken: {expected}"):
        call(game.start())


def agent_of(method: str, answer: Callable[..., Any]) -> Player:
    answer.__qualname__ = f"Broken.{method}"
    kind = type("Broken", (Random,), {method: answer, "__module__": __name__, "name": "broken"})
    made = kind(boardgames.load("connect4"))
    assert isinstance(made, Player)
    return made


@pytest.mark.parametrize(("method", "kind"), [("analyse", "an Analysis"), ("choose", "a Choice")])
def test_agent_that_returns_nothing_is_broken(method: str, kind: str) -> None:
    player = agent_of(method, lambda self, *arguments, **more: None)
    with pytest.raises(PluginError, match=rf"Broken\.{method} returned None, not {kind}"):
        getattr(player, method)(player.game.start())


def test_valid_results_and_exceptions_of_an_agent_pass() -> None:
    game = boardgames.load("connect4")
    choice = Choice(game.start().legal_moves[0])
    assert agent_of("choose", lambda self, *_: choice).choose(game.start()) is choice
    with pytest.raises(MatchError, match="over"):
        agent_of("choose", lambda self, *_: _raise(MatchError("over"))).choose(game.start())
    with pytest.raises(PositionError):
        game.parse("rubbish")


def _raise(error: BaseException) -> Any:
    raise error


def test_message_names_the_plugin_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    add_plugin(monkeypatch, ModuleType("some_plugin"))
    error = plugin_fault("some_plugin.game", "Nim.draw", "raised OSError", "/srv/ink: no such file")
    assert str(error) == "plug-in 'under-test' is broken: Nim.draw raised OSError: /srv/ink: no such file"
    assert error.summary == "plug-in 'under-test' is broken: Nim.draw raised OSError"


def blame(error: BaseException) -> PluginError:
    return PluginError(f"it raised {describe_error(error)}")


def test_whatever_a_call_raises_is_translated() -> None:
    with pytest.raises(PluginError, match="it raised SystemExit: 3") as caught, translated_errors(blame):
        raise SystemExit(3)
    assert isinstance(caught.value.__cause__, SystemExit)
    with pytest.raises(MatchError, match="on purpose"), translated_errors(blame):
        raise MatchError("on purpose")


def test_ctrl_c_of_a_user_is_not_taken_for_a_fault() -> None:
    with pytest.raises(Interrupted), translated_errors(blame):
        raise Interrupted
    with pytest.raises(KeyboardInterrupt), translated_errors(blame):  # Python's own handler
        raise KeyboardInterrupt


def test_keyboard_interrupt_in_another_thread_counts_as_a_fault_of_a_plugin() -> None:
    answers: list[bool] = []
    thread = threading.Thread(target=lambda: answers.append(must_propagate(KeyboardInterrupt())))
    thread.start()
    thread.join()
    assert answers == [False]


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_error_of_a_thread_ends_neither_the_program_nor_a_task(error: BaseException) -> None:
    made = as_exception(error)
    assert isinstance(made, Exception)
    assert not isinstance(made, StopIteration)
    assert type(error).__name__ in repr(made)


def test_a_plugin_is_not_blamed_for_the_code_of_the_core_that_it_offers() -> None:
    boardgames.registry()  # several plug-ins of the core offer functions of the package itself
    assert str(plugin_fault("boardgames.search", "perft", "failed")).startswith(
        "the module 'boardgames' is broken"
    )
