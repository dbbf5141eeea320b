"""Looking up weights by name, run and file, and errors for unknown ones."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import boardgames
from boardgames.errors import FileError, PluginError, UnknownNameError, WeightsError
from boardgames.weights import Weights, find_evaluation, find_weights
from boardgames.weights.linear import WEIGHTED_SUM
from boardgames.weights.lookup import find_source, owner_of, run_names, usable_agents, usable_names

GAME = boardgames.load("connect4")
LINES = boardgames.load_features("lines", GAME)


def write(path: Path, first: float = 1.0) -> Path:
    """Write weights that differ in the first number."""
    Weights.of(GAME, LINES, np.array([first, *[0.0] * 10])).write(path)
    return path


def first_of(text: str) -> float:
    return float(find_weights(text, GAME)[0].values[0])


def test_weights_of_plugins_take_precedence_over_runs(
    offer: Callable[..., None], tmp_path: Path, home: Path
) -> None:
    offer("bg_weights", house=write(tmp_path / "shipped.safetensors", 2.0))
    write(home / "runs" / "house" / "checkpoints" / "best.safetensors", 3.0)
    assert first_of("house") == 2.0


def test_run_is_found_by_name_and_by_folder(home: Path) -> None:
    write(home / "runs" / "first-try" / "checkpoints" / "best.safetensors", 3.0)
    assert run_names() == ["first-try"]
    assert first_of("first-try") == 3.0
    assert first_of(str(home / "runs" / "first-try")) == 3.0


def test_file_is_found_by_path(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "mine.safetensors", 4.0)
    write(tmp_path / "bare", 5.0)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert first_of(str(tmp_path / "mine.safetensors")) == 4.0
    assert first_of("mine.safetensors") == 4.0
    assert first_of("bare") == 5.0
    assert first_of("~/mine.safetensors") == 4.0


def test_evaluation_uses_the_weights(tmp_path: Path) -> None:
    evaluation = find_evaluation(str(write(tmp_path / "x.safetensors")), GAME)
    assert evaluation.unit is WEIGHTED_SUM
    twos = LINES.features[0]
    empty = -(twos.low + twos.high) / (twos.high - twos.low)
    assert evaluation.value(GAME.start().words) == pytest.approx(-empty)


def test_weights_of_other_games_and_sizes_are_not_usable(home: Path) -> None:
    write(home / "runs" / "mine" / "checkpoints" / "best.safetensors")
    (home / "runs" / "empty").mkdir()
    assert usable_names(GAME) == ["ntuple", "td", "mine"]
    assert usable_names(boardgames.load("connect4", columns=8)) == []
    assert "mine" not in usable_names(boardgames.load("abalone"))


def test_an_agent_without_weights_is_usable_once_the_user_has_learned_some(home: Path) -> None:
    game = boardgames.load("tictactoe")
    before = {offer.entry.name for offer in usable_agents("tictactoe")}
    lines = boardgames.load_features("lines", game)
    path = home / "runs" / "mine" / "checkpoints" / "best.safetensors"
    Weights.of(game, lines, np.zeros(len(lines.features))).write(path)
    after = {offer.entry.name for offer in usable_agents("tictactoe")}
    assert before.isdisjoint({"td", "ntuple"})
    assert after - before == {"td"}


def test_unknown_name_suggests_similar_ones(home: Path) -> None:
    write(home / "runs" / "abalone-td" / "checkpoints" / "best.safetensors")
    with pytest.raises(
        UnknownNameError, match="no such weights, run or file 'abalone-dt'; did you mean 'abalone-td'"
    ):
        find_weights("abalone-dt", GAME)


@pytest.mark.parametrize(
    "text", ["", ".", "..", "x" * 5000, "a\0b", "a\nb", "~no-such-user/x", "~"], ids=ascii
)
def test_texts_that_name_no_weights_are_rejected_in_one_line(home: Path, text: str) -> None:
    with pytest.raises((UnknownNameError, WeightsError, FileError)) as raised:
        find_weights(text, GAME)
    assert "\n" not in str(raised.value)


def test_run_without_weights_is_rejected(home: Path) -> None:
    (home / "runs" / "young" / "checkpoints").mkdir(parents=True)
    for text in ("young", str(home / "runs" / "young")):
        with pytest.raises(WeightsError, match=r"the run .*young has no weights yet"):
            find_weights(text, GAME)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read .*x\.safetensors: no such file"):
        find_weights(str(tmp_path / "x.safetensors"), GAME)


def test_weights_for_another_game_are_rejected(tmp_path: Path) -> None:
    path = write(tmp_path / "x.safetensors")
    with pytest.raises(WeightsError, match=r"x\.safetensors has weights for 'connect4', not for abalone"):
        find_weights(str(path), boardgames.load("abalone"))


def test_weights_for_unknown_features_name_them_and_the_file(tmp_path: Path) -> None:
    weights = Weights("connect4", "rows", "", np.zeros(3))
    weights.write(tmp_path / "x.safetensors")
    with pytest.raises(WeightsError, match=r"x\.safetensors: connect4 has no feature set 'rows'"):
        find_weights(str(tmp_path / "x.safetensors"), GAME)


def test_weights_for_another_board_name_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "x.safetensors")
    with pytest.raises(WeightsError, match=r"x\.safetensors: .* with other ranges"):
        find_weights(str(path), boardgames.load("connect4", columns=5, rows=4))


def test_offer_that_is_not_a_path_is_a_plugin_error(offer: Callable[..., None]) -> None:
    offer("bg_weights", house="a text")
    with pytest.raises(PluginError, match=r"weights 'house' is not a pathlib\.Path: 'a text'"):
        find_source("house", GAME)


def test_owner_is_known_by_path_too(offer: Callable[..., None], home: Path, tmp_path: Path) -> None:
    shipped, mine = write(tmp_path / "shipped.safetensors"), write(tmp_path / "mine.safetensors")
    offer("bg_weights", broken="no path", house=shipped)
    best = write(home / "runs" / "young" / "checkpoints" / "best.safetensors")
    (home / "runs" / "young" / "config.toml").touch()
    assert [owner_of(path, GAME) for path in (shipped, best, mine)] == ["house", "young", ""]
    assert find_source(str(shipped), GAME).name == find_source("house", GAME).name == "house"
    assert find_source(str(best), GAME).name == find_source("young", GAME).name == "young"
    assert find_source(str(mine), GAME).name == ""
