"""Weights by name, by run, by file; and what is said where there are none."""

import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import boardgames
from boardgames import plugins
from boardgames.errors import FileError, PluginError, UnknownNameError, WeightsError
from boardgames.hookspecs import PROJECT, Entry, hookimpl
from boardgames.plugins import Registry
from boardgames.weights import Weights, find_evaluation, find_weights
from boardgames.weights.finding import find_source, owner_of, run_names, weights_path
from boardgames.weights.linear import WEIGHTED_SUM

GAME = boardgames.load("connect4")
LINES = boardgames.load_features("lines", GAME)


def write(path: Path, first: float = 1.0) -> Path:
    """Write weights that are told apart by their first number."""
    Weights.of(GAME, LINES, np.array([first, *[0.0] * 10])).write(path)
    return path


def first_of(text: str) -> float:
    return float(find_weights(text, GAME)[0].values[0])


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function by which a plug-in offers files of weights of Connect Four."""

    def add(**targets: object) -> None:
        module = ModuleType("weights_under_test")
        entries = []
        for number, (name, target) in enumerate(targets.items()):
            setattr(module, f"W{number}", target)
            entries.append(Entry(name, "made for a test", f"{module.__name__}:W{number}", "connect4"))
        module.bg_weights = hookimpl(lambda: entries)  # type: ignore[attr-defined]  # a module made by hand
        module.bg_weights.__name__ = "bg_weights"
        monkeypatch.setitem(sys.modules, module.__name__, module)
        games = [EntryPoint(name, f"boardgames_{name}.plugin", PROJECT) for name in ("abalone", "connect4")]
        registry = Registry([*games, EntryPoint("under-test", module.__name__, PROJECT)])
        assert registry.plugins[-1].error is None
        monkeypatch.setattr(plugins, "registry", lambda: registry)

    return add


def test_a_name_that_a_plugin_offers_comes_first(
    offer: Callable[..., None], tmp_path: Path, home: Path
) -> None:
    offer(house=write(tmp_path / "shipped.safetensors", 2.0))
    write(home / "runs" / "house" / "checkpoints" / "best.safetensors", 3.0)
    assert first_of("house") == 2.0


def test_a_run_of_the_users_is_found_by_its_name_and_by_its_folder(home: Path) -> None:
    write(home / "runs" / "first-try" / "checkpoints" / "best.safetensors", 3.0)
    assert run_names() == ["first-try"]
    assert first_of("first-try") == 3.0
    assert first_of(str(home / "runs" / "first-try")) == 3.0


def test_a_file_is_found_by_its_path(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "mine.safetensors", 4.0)
    write(tmp_path / "bare", 5.0)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert first_of(str(tmp_path / "mine.safetensors")) == 4.0
    assert first_of("mine.safetensors") == 4.0
    assert first_of("bare") == 5.0
    assert first_of("~/mine.safetensors") == 4.0


def test_an_evaluation_is_that_of_the_weights(tmp_path: Path) -> None:
    evaluation = find_evaluation(str(write(tmp_path / "x.safetensors")), GAME)
    assert evaluation.unit is WEIGHTED_SUM
    twos = LINES.features[0]
    empty = -(twos.low + twos.high) / (twos.high - twos.low)
    assert evaluation.kernel(GAME.start().words, evaluation.weights) == pytest.approx(-empty)


def test_an_unknown_name_is_told_with_near_ones(home: Path) -> None:
    write(home / "runs" / "abalone-td" / "checkpoints" / "best.safetensors")
    with pytest.raises(
        UnknownNameError, match="expected weights, a run or a file: 'abalone-dt'; did you mean 'abalone-td'"
    ):
        find_weights("abalone-dt", GAME)


@pytest.mark.parametrize(
    "text", ["", ".", "..", "x" * 5000, "a\0b", "a\nb", "~no-such-user/x", "~"], ids=ascii
)
def test_odd_texts_are_refused_in_one_line(home: Path, text: str) -> None:
    with pytest.raises((UnknownNameError, WeightsError, FileError), match="expected") as raised:
        find_weights(text, GAME)
    assert "\n" not in str(raised.value)


def test_a_run_that_has_no_weights_yet_says_so(home: Path) -> None:
    (home / "runs" / "young" / "checkpoints").mkdir(parents=True)
    for text in ("young", str(home / "runs" / "young")):
        with pytest.raises(WeightsError, match=r"expected a run with weights: .*young has none yet"):
            find_weights(text, GAME)


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read .*x\.safetensors: no such file"):
        find_weights(str(tmp_path / "x.safetensors"), GAME)


def test_weights_of_another_game_name_both(tmp_path: Path) -> None:
    path = write(tmp_path / "x.safetensors")
    with pytest.raises(WeightsError, match=r"expected weights of abalone: .*x\.safetensors has 'connect4'"):
        find_weights(str(path), boardgames.load("abalone"))


def test_weights_of_features_that_are_not_there_name_them_and_the_file(tmp_path: Path) -> None:
    weights = Weights("connect4", "rows", "", np.zeros(3))
    weights.write(tmp_path / "x.safetensors")
    with pytest.raises(WeightsError, match=r"connect4 has no feature set 'rows'; .*x\.safet"):
        find_weights(str(tmp_path / "x.safetensors"), GAME)


def test_weights_of_another_board_name_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "x.safetensors")
    with pytest.raises(WeightsError, match=r"the ranges that they have.*x\.safetensors"):
        find_weights(str(path), boardgames.load("connect4", columns=5, rows=4))


def test_an_offer_that_is_no_path_is_blamed_on_the_plugin(offer: Callable[..., None]) -> None:
    offer(house="a text")
    with pytest.raises(PluginError, match="expected the path of a file as weights 'house': 'a text'"):
        weights_path("house", GAME)


def test_what_belongs_to_a_plugin_or_a_run_is_known_by_its_path_too(
    offer: Callable[..., None], home: Path, tmp_path: Path
) -> None:
    shipped, mine = write(tmp_path / "shipped.safetensors"), write(tmp_path / "mine.safetensors")
    offer(broken="no path", house=shipped)
    best = write(home / "runs" / "young" / "checkpoints" / "best.safetensors")
    (home / "runs" / "young" / "config.toml").touch()
    assert [owner_of(path, GAME) for path in (shipped, best, mine)] == ["house", "young", ""]
    assert find_source(str(shipped), GAME).name == find_source("house", GAME).name == "house"
    assert find_source(str(best), GAME).name == find_source("young", GAME).name == "young"
    assert find_source(str(mine), GAME).name == ""
