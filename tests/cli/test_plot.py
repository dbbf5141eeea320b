"""`boardgames plot`: the content and the files of plots of runs."""

import csv
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from training import EVOLVE, small

import boardgames
from boardgames.executors import InProcess
from boardgames.learning.config import Config
from boardgames.learning.metrics import read_metrics
from boardgames.learning.runs import Run as Folder
from boardgames.learning.trainer import Trainer

pytest.importorskip("matplotlib")

Run = Callable[..., Any]
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train two small runs and return their folder."""
    folder = tmp_path_factory.mktemp("runs")
    for name, alpha in (("slow", 0.01), ("fast", 0.1)):
        with Folder.create(folder / name, small(alpha=alpha)) as run:
            Trainer(run).train(InProcess())
    return folder


@pytest.fixture
def runs(home: Path, trained: Path) -> Path:
    """Return the user's folder of runs with copies of the two."""
    return shutil.copytree(trained, home / "runs")


def texts(path: Path) -> list[str]:
    """Return the texts in a picture, which matplotlib writes as comments beside their outlines."""
    ET.parse(path)
    return re.findall(r"<!-- (.*?) -->", path.read_text("utf-8"))


def test_a_chart_names_score_steps_and_every_feature(bg: Run, runs: Path) -> None:
    ran = bg("plot", "slow")
    assert (ran.code, ran.out) == (0, f"wrote {runs / 'slow' / 'plot.svg'}\n")
    labels = texts(runs / "slow" / "plot.svg")
    features = boardgames.load_features("lines", boardgames.load("connect4")).features
    assert {feature.name for feature in features} <= set(labels)
    assert {"score", "step", "weight", "slow: td on connect4, seed 7"} <= set(labels)
    assert any(text.startswith("best ") for text in labels)


def test_several_runs_share_one_chart(bg: Run, runs: Path, tmp_path: Path) -> None:
    assert bg("plot", "slow", "fast", "--output", str(tmp_path / "both.svg")).code == 0
    labels = texts(tmp_path / "both.svg")
    assert {"slow", "fast", "score"} <= set(labels)
    assert "weight" not in labels


def test_a_chart_of_several_runs_keeps_that_of_the_first(bg: Run, runs: Path) -> None:
    ran = bg("plot", "slow", "fast")
    assert (ran.code, ran.out) == (0, f"wrote {runs / 'slow' / 'comparison.svg'}\n")
    assert not (runs / "slow" / "plot.svg").exists()


def test_runs_of_different_games_do_not_share_a_chart(bg: Run, runs: Path) -> None:
    config = shutil.copytree(runs / "slow", runs / "other") / "config.toml"
    config.write_text(config.read_text().replace("connect4", "abalone"))
    ran = bg("plot", "slow", "other")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: runs of different games cannot be compared: abalone, connect4\n"


def test_the_file_extension_sets_the_image_format(bg: Run, runs: Path, tmp_path: Path) -> None:
    assert bg("plot", "slow", "--output", str(tmp_path / "slow.PNG")).code == 0
    assert (tmp_path / "slow.PNG").read_bytes().startswith(PNG)


def test_runs_are_written_as_csv_without_matplotlib(
    bg: Run, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = bg("plot", "slow", "fast", "--output", str(tmp_path / "both.csv"))
    assert (ran.code, ran.out) == (0, f"wrote {tmp_path / 'both.csv'}\n")
    with (tmp_path / "both.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for name in ("slow", "fast"):
        of_run = [row for row in rows if row["run"] == name]
        steps = read_metrics(runs / name / "metrics.jsonl")
        assert [(int(row["step"]), float(row["score"])) for row in of_run] == [
            (step.step, step.metrics["score"]) for step in steps
        ]
        assert float(of_run[-1]["weight: own twos"]) == steps[-1].weights[0]
        assert {row["seed"] for row in of_run} == {"7"}


def test_a_table_has_metrics_before_points_in_tournaments_and_these_before_weights(
    bg: Run, home: Path, tmp_path: Path
) -> None:
    with Folder.create(
        home / "runs" / "evolution", Config("connect4", "evolve", seed=1, settings=EVOLVE)
    ) as run:
        Trainer(run).train(InProcess())
    assert bg("plot", "evolution", "--output", str(tmp_path / "all.csv")).code == 0
    with (tmp_path / "all.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    kinds = [name.partition(": ")[0] for name in rows[0]]
    first = [kinds.index("score"), kinds.index("points"), kinds.index("weight")]
    assert first == sorted(first)
    assert kinds.index("weight") == kinds.index("points") + 3
    standings = dict(read_metrics(home / "runs" / "evolution" / "metrics.jsonl")[1].standings)
    assert {name: float(rows[1][f"points: {name}"]) for name in standings} == standings
    assert rows[0]["points: player 1"] == ""


def test_equal_runs_have_equal_charts(bg: Run, runs: Path, tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        bg("plot", "slow", "--output", str(tmp_path / name))
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_a_run_of_an_uninstalled_game_is_plotted_without_feature_names(bg: Run, runs: Path) -> None:
    config = runs / "slow" / "config.toml"
    config.write_text(config.read_text().replace('"connect4"', '"gone"'))
    assert bg("plot", "slow").code == 0
    assert {"weight 1", "weight 11", "score"} <= set(texts(runs / "slow" / "plot.svg"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["slo"], "did you mean 'slow'"),
        (["slow", "--output", "slow.pdf"], "must end in .svg, .png or .csv, not 'slow.pdf'"),
        (["slow", "--output", "slow"], "must end in .svg, .png or .csv"),
        (["slow", "--output", "letter.txt/slow.svg"], "letter.txt is not a folder"),
        (["slow", "--output", "a\0.svg"], "not a file name"),
        (["/"], "cannot read run /: "),
        (["early"], "the run early has no steps yet"),
        (["empty"], "cannot read run empty"),
    ],
)
def test_runs_that_cannot_be_plotted_give_a_one_line_error(
    arguments: list[str], words: str, bg: Run, runs: Path, tmp_path: Path
) -> None:
    (tmp_path / "letter.txt").touch()
    (runs / "empty").mkdir()
    Folder.create(runs / "early", small()).close()
    ran = bg("plot", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


def test_names_are_not_interpreted_as_formulas(bg: Run, runs: Path) -> None:
    (runs / "slow").rename(runs / "$^$")
    assert bg("plot", "$^$").code == 0
    assert any(text.startswith("$^$: td") for text in texts(runs / "$^$" / "plot.svg"))


def test_without_matplotlib_the_error_names_the_extra(
    bg: Run, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = bg("plot", "slow")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "pip install 'boardgames-core[plot]'" in ran.err
