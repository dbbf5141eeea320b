"""The public names of the package, which are imported lazily."""

import importlib
import pkgutil
import subprocess
import sys
from types import FunctionType

import pytest

import boardgames

LIGHT = (
    "import sys, boardgames; {use}; print(*sorted({{'numpy', 'numba', 'click', 'rich'}} & set(sys.modules)))"
)


def test_public_names_exist() -> None:
    for name in boardgames.__all__:
        assert getattr(boardgames, name) is not None, name


def test_dir_lists_the_public_names() -> None:
    assert dir(boardgames) == sorted(set(boardgames.__all__))


def test_public_names_have_a_module() -> None:
    assert set(boardgames._MODULE_OF) == set(boardgames.__all__) - {"__version__"}


def test_unknown_name_raises_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'boardgames' has no attribute 'plya'"):
        boardgames.plya  # noqa: B018 - looking it up is the test


def test_public_names_are_not_module_names() -> None:
    modules = {module.name for module in pkgutil.iter_modules(boardgames.__path__)}
    assert not modules & set(boardgames.__all__)


def test_importing_all_modules_does_not_hide_load_player() -> None:
    for module in pkgutil.walk_packages(boardgames.__path__, "boardgames."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert isinstance(boardgames.load_player, FunctionType)


@pytest.mark.parametrize(("use", "loaded"), [("pass", ""), ("boardgames.BoardgamesError", "")])
def test_importing_the_package_imports_nothing_heavy(use: str, loaded: str) -> None:
    command = [sys.executable, "-c", LIGHT.format(use=use)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == loaded


def test_public_names_work_together() -> None:
    game = boardgames.load("abalone", layout="standard", broadside=True)
    position = game.start()
    assert position.side_to_move in (0, 1)
    assert "a1b2" in [str(move) for move in position.legal_moves]
    position = position.apply("a1b2")
    assert position.outcome is None
    assert game.parse(str(position)) == position
    assert boardgames.perft(game.start(), 4) == 5_045_110
    player = boardgames.load_player("alphabeta:depth=4", game)
    move = player.choose(position, boardgames.Limit(seconds=1.0)).move
    assert move in position.legal_moves


def test_match_of_two_agents_is_recorded(home: object) -> None:
    game = boardgames.load("abalone", layout="standard", broadside=True)
    player = boardgames.load_player("alphabeta:depth=1", game)
    match = boardgames.Manager(game, [player, boardgames.load_player("random", game, seed=7)])
    record = match.play()
    assert isinstance(record, boardgames.Record)
    assert record.outcome is not None
