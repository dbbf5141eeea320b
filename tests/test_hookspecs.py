"""The hooks and their documentation: each hook has a test that is named after it."""

import inspect
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pluggy
import pytest
from installed import add_plugin
from training import small

import boardgames
from boardgames import hookspecs
from boardgames.books import Book, BookMove, BookPage
from boardgames.errors import MatchError, UnknownNameError
from boardgames.executors import InProcess
from boardgames.experiments import Experiment
from boardgames.game import Outcome, PlayedMove, Termination
from boardgames.hookspecs import PROJECT, Entry, hookimpl
from boardgames.learning.runs import Run
from boardgames.learning.trainer import Trainer
from boardgames.picture import MarkClass, Overlay
from boardgames.player import ExactPlayer
from boardgames.plugins import Registry, load_overlay, overlay_names
from boardgames.puzzles import Candidate, make_puzzles, puzzle_kinds
from boardgames.score import RETURN, Score
from boardgames.weights import Weights, find_weights

HOOKS = sorted(name for name in vars(hookspecs) if name.startswith("bg_"))
DOCUMENTATION = Path(__file__).parent.parent / "docs" / "hooks.md"

Install = Callable[..., Registry]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that installs a plug-in with the given hooks."""

    def add(*hooks: Callable[..., Any]) -> Registry:
        module = ModuleType("hook_under_test")
        for hook in hooks:
            setattr(module, hook.__name__, hookimpl(hook))
        return add_plugin(monkeypatch, module)

    return add


def short_match() -> boardgames.Manager:
    game = boardgames.load("connect4")
    players = [boardgames.load_player("random", game, seed=seed) for seed in (1, 2)]
    return boardgames.Manager(game, players)


def test_bg_games(install: Install) -> None:
    def bg_games() -> list[Entry]:
        return [Entry("four", "Connect Four by another name", "boardgames_connect4.game:Connect4")]

    install(bg_games)
    assert boardgames.load("four").start() == boardgames.load("connect4").start()


def test_bg_agents(install: Install) -> None:
    def bg_agents() -> list[Entry]:
        return [Entry("dice", "random by another name", "boardgames.players.simple:Random")]

    install(bg_agents)
    game = boardgames.load("connect4")
    choice = boardgames.load_player("dice", game, seed=1).choose(game.start())
    assert choice.move in game.start().legal_moves


def test_bg_features(install: Install) -> None:
    def bg_features() -> list[Entry]:
        return [Entry("again", "lines by another name", "boardgames_connect4.features:lines", "connect4")]

    install(bg_features)
    game = boardgames.load("connect4")
    assert (
        boardgames.load_features("again", game).features == boardgames.load_features("lines", game).features
    )


def test_bg_patterns(install: Install) -> None:
    def bg_patterns() -> list[Entry]:
        return [Entry("again", "cells by another name", "boardgames_connect4.patterns:cells", "connect4")]

    install(bg_patterns)
    game = boardgames.load("connect4")
    assert boardgames.load_patterns("again", game).kernel is boardgames.load_patterns("cells", game).kernel


def test_bg_learners(install: Install) -> None:
    def bg_learners() -> list[Entry]:
        return [Entry("idle", "learns nothing", "test_learner_module:Idle")]

    registry = install(bg_learners)
    assert "idle" in [offer.entry.name for offer in registry.offers("learners")]


def test_bg_weights(install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = boardgames.load("connect4")
    features, path = boardgames.load_features("lines", game), tmp_path / "td.safetensors"
    Weights.of(game, features, np.linspace(-1, 1, 11)).write(path)
    shipping = ModuleType("shipping_module")
    shipping.TD = path  # type: ignore[attr-defined]  # a module made by hand
    monkeypatch.setitem(sys.modules, shipping.__name__, shipping)

    def bg_weights() -> list[Entry]:
        return [Entry("deep", "made for a test", "shipping_module:TD", "connect4")]

    install(bg_weights)
    assert find_weights("deep", game)[0].values.tolist() == np.linspace(-1, 1, 11).tolist()
    assert (
        boardgames.load_player("td:weights=deep", game).choose(game.start()).move in game.start().legal_moves
    )
    with pytest.raises(UnknownNameError, match="'deep'"):
        boardgames.load_player("td:weights=deep", boardgames.load("abalone"))


def test_bg_books(install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = boardgames.load("connect4")
    page = BookPage(
        str(game.start()), 0, 8, 900, (BookMove("2", Score.of(0.0, RETURN), Score.of(0.0, RETURN), 10),)
    )
    Book("connect4", game.options, RETURN, {}, [page]).write(tmp_path / "odd.book")
    shipping = ModuleType("shipping_module")
    shipping.BOOK = tmp_path / "odd.book"  # type: ignore[attr-defined]  # a module made by hand
    monkeypatch.setitem(sys.modules, shipping.__name__, shipping)

    def bg_books() -> list[Entry]:
        return [Entry("odd", "made for a test", "shipping_module:BOOK", "connect4")]

    install(bg_books)
    soon = boardgames.Limit(seconds=0.01)
    assert str(boardgames.load_player("alphabeta", game).choose(game.start(), soon).move) == "2"
    assert str(boardgames.load_player("alphabeta:book=false", game).choose(game.start(), soon).move) == "4"


def test_bg_experiments(install: Install) -> None:
    def bg_experiments() -> list[Entry]:
        target = "boardgames_abalone.experiments.basic_training:BasicTraining"
        return [Entry("basics", "basic-training by another name", target, "connect4")]

    registry = install(bg_experiments)
    made = registry.load("experiments", "basics", "connect4")(boardgames.load("connect4"), matches=2)
    assert isinstance(made, Experiment)
    assert made.settings["matches"] == 2
    with pytest.raises(UnknownNameError, match="'basics'"):
        registry.load("experiments", "basics", "abalone")


def test_bg_overlays(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("overlaying_module")
    module.lowest = lambda position: Overlay(  # type: ignore[attr-defined]  # a module of its own
        classes=(MarkClass("o", "lowest"),), marks={"a1": "o"}
    )
    monkeypatch.setitem(sys.modules, "overlaying_module", module)

    def bg_overlays() -> list[Entry]:
        return [Entry("bottom", "the lowest cells", "overlaying_module:lowest", "connect4")]

    install(bg_overlays)
    position = boardgames.load("connect4").start()
    assert overlay_names(position.game) == ("bottom",)
    assert load_overlay("bottom", position).legend == ("bottom: the lowest cells", "o lowest")
    assert overlay_names(boardgames.load("abalone")) == ()


def test_bg_puzzles(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    game = boardgames.load("connect4", columns=5, rows=4)
    solver = boardgames.load_player("solver", game)
    assert isinstance(solver, ExactPlayer)

    def quiet(game: boardgames.Game, generator: np.random.Generator) -> Iterator[Candidate]:
        for _ in range(400):
            position = game.start()
            for _ in range(8):
                if position.outcome is None:
                    position = position.apply(position.legal_moves[generator.integers(len(position.actions))])
            moves = [move for move in position.legal_moves if position.apply(move).outcome is None]
            yield Candidate(position, tuple(moves))

    module = ModuleType("puzzling_module")
    module.quiet = quiet  # type: ignore[attr-defined]  # a module of its own
    monkeypatch.setitem(sys.modules, "puzzling_module", module)

    def bg_puzzles() -> list[Entry]:
        return [Entry("quiet", "the only winning move is quiet", "puzzling_module:quiet", "connect4")]

    install(bg_puzzles)
    assert "quiet" in puzzle_kinds(game)
    [puzzle] = make_puzzles(game, "quiet", solver, count=1, seed=1)
    assert (puzzle.score.sign, puzzle.position.apply(puzzle.solution).outcome) == (1, None)
    analysis = solver.analyse(puzzle.position)
    assert [entry.move for entry in analysis.moves if entry.score.sign > 0] == [puzzle.solution]
    with pytest.raises(MatchError, match="no more puzzles of the kind 'quiet' among "):
        make_puzzles(game, "quiet", solver, count=1000, seed=1)


def test_bg_commands(install: Install) -> None:
    import click

    def bg_commands(group: click.Group) -> None:
        @group.command()
        def hello() -> None:
            """Say hello."""

    registry = install(bg_commands)
    group = click.Group()
    registry.notify("bg_commands", group=group)
    assert "hello" in group.commands


def test_bg_match_started(install: Install) -> None:
    calls: list[tuple[str, int]] = []

    def bg_match_started(manager: boardgames.Manager) -> None:
        calls.append((manager.game.facts.name, manager.ply))

    install(bg_match_started)
    short_match().play()
    assert calls == [("connect4", 0)]


def test_bg_move_made(install: Install) -> None:
    calls: list[tuple[int, int, str]] = []

    def bg_move_made(manager: boardgames.Manager, played: PlayedMove) -> None:
        calls.append((played.ply, played.side, str(played.move)))
        assert played.seconds >= 0

    install(bg_move_made)
    match = short_match()
    match.play()
    assert calls == [(played.ply, played.side, str(played.move)) for played in match.moves]
    assert [ply for ply, _, _ in calls] == list(range(1, len(calls) + 1))


def test_bg_match_ended(install: Install) -> None:
    calls: list[Outcome] = []

    def bg_match_ended(manager: boardgames.Manager, outcome: Outcome) -> None:
        calls.append(outcome)
        assert manager.record().outcome == outcome

    install(bg_match_ended)
    match = short_match()
    match.resign(0)
    assert calls == [Outcome(1, Termination.RESIGNATION)]


def test_bg_training_stepped(install: Install, tmp_path: Path) -> None:
    calls: list[tuple[str, int, dict[str, float], Path]] = []

    def bg_training_stepped(run: str, step: int, metrics: dict[str, float], folder: Path) -> None:
        calls.append((run, step, metrics, folder))

    install(bg_training_stepped)
    with Run.create(tmp_path / "small", small(steps=2)) as run:
        trainer = Trainer(run)
        trainer.train(InProcess())
    assert calls == [("small", step.step, step.metrics, run.folder) for step in trainer.steps]
    assert [one[1] for one in calls] == [1, 2]


def test_implementation_may_omit_arguments(install: Install) -> None:
    calls: list[str] = []

    def bg_match_ended() -> None:
        calls.append("ended")

    install(bg_match_ended)
    short_match().play()
    assert calls == ["ended"]


ORDERS: list[tuple[dict[str, dict[str, bool]], str]] = [
    ({"a": {}, "b": {}, "c": {}}, "cba"),
    ({"a": {"tryfirst": True}, "b": {}, "c": {}}, "acb"),
    ({"a": {}, "b": {}, "c": {"trylast": True}}, "bac"),
    ({"a": {"tryfirst": True}, "b": {"tryfirst": True}, "c": {"trylast": True}}, "bac"),
]


@pytest.mark.parametrize(("marks", "order"), ORDERS, ids=[order for _, order in ORDERS])
def test_hooks_are_called_in_the_order_of_pluggy(
    marks: dict[str, dict[str, bool]], order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    project = pluggy.PluginManager(PROJECT)
    project.add_hookspecs(hookspecs)
    points = []
    for name, options in marks.items():

        def listen(name: str = name) -> None:
            calls.append(name)

        module = ModuleType(f"ordered_{name}")
        # by another name, as `specname` allows
        module.listen = hookimpl(listen, specname="bg_match_ended", **options)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        points.append(EntryPoint(name, module.__name__, PROJECT))
        project.register(module, name)
    Registry(points).notify("bg_match_ended", manager=None, outcome=None)
    assert "".join(calls) == order
    calls.clear()
    project.hook.bg_match_ended(manager=None, outcome=None)
    assert "".join(calls) == order


@pytest.mark.parametrize("option", ["wrapper", "hookwrapper"])
@pytest.mark.parametrize("hook", ["bg_match_ended", "bg_games"])
def test_wrapper_is_refused_when_its_plugin_is_loaded(
    option: str, hook: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrap() -> Iterator[None]:
        yield

    module = ModuleType("wrapping")
    module.wrap = hookimpl(wrap, specname=hook, **{option: True})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    plugin = Registry([EntryPoint("wrapping", module.__name__, PROJECT)]).plugins[-1]
    assert plugin.error == (
        f"hook wrappers are not supported, so {hook} must not be marked with {option}=True"
    )


def test_hook_that_does_not_exist_is_allowed_if_it_is_marked_as_optional(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def bg_of_a_later_version() -> None:
        raise AssertionError

    module = ModuleType("ahead_of_its_time")
    module.bg_of_a_later_version = hookimpl(bg_of_a_later_version, optionalhook=True)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert Registry([EntryPoint("ahead", module.__name__, PROJECT)]).plugins[-1].error is None


def test_plugin_that_raises_does_not_end_the_match(install: Install) -> None:
    def bg_move_made(played: PlayedMove) -> None:
        raise ValueError("no luck")

    install(bg_move_made)
    with pytest.warns(
        RuntimeWarning, match="plug-in 'under-test', hook bg_move_made, raised ValueError: no luck"
    ):
        record = short_match().play()
    assert record.outcome is not None


@pytest.mark.parametrize("hook", HOOKS)
def test_hook_has_a_test_named_after_it(hook: str) -> None:
    assert f"test_{hook}" in globals()


@pytest.mark.parametrize("hook", HOOKS)
def test_hook_has_a_docstring(hook: str) -> None:
    assert inspect.getdoc(getattr(hookspecs, hook))


@pytest.mark.parametrize("hook", HOOKS)
def test_hook_has_a_section_with_an_example(hook: str) -> None:
    sections = DOCUMENTATION.read_text("utf-8").split("\n## ")
    (section,) = [text for text in sections if text.startswith(f"`{hook}(")]
    arguments = ", ".join(inspect.signature(getattr(hookspecs, hook)).parameters)
    assert section.startswith(f"`{hook}({arguments})`")
    assert f"def {hook}(" in section


def test_section_has_a_hook() -> None:
    headings = [line for line in DOCUMENTATION.read_text("utf-8").splitlines() if line.startswith("## `bg_")]
    assert sorted(line.split("`")[1].partition("(")[0] for line in headings) == HOOKS


def test_examples_of_the_documentation_are_valid_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    text = DOCUMENTATION.read_text("utf-8")
    examples = [part.partition("```")[0] for part in text.split("```python\n")[1:]]
    assert len(examples) >= len(HOOKS)
    for index, example in enumerate(examples):
        module = ModuleType(f"documented_{index}")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(compile(example, f"hooks.md example {index}", "exec"), vars(module))
        registry = Registry([EntryPoint("documented", module.__name__, PROJECT)])
        assert registry.plugins[-1].error is None
