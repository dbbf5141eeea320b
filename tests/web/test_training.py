"""Training runs on pages: updates while another process trains, damaged and deleted runs, hostile names."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training import EVOLVE, Walker, small, train
from training import walker as walker  # noqa: PLC0414 - a fixture
from web_pages import Page, Server

from boardgames.executors import InProcess
from boardgames.learning.config import Config
from boardgames.learning.measurement import Measurement, Series
from boardgames.learning.metrics import METRICS
from boardgames.learning.runs import Run
from boardgames.learning.trainer import Trainer
from boardgames.web import training
from boardgames.weights.lookup import BEST

Walk = Callable[..., Config]
ENVIRONMENT = dict(os.environ)
"""With the usual cache of kernels, so that a process needs not compile them."""


@pytest.fixture
def runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of runs, at which the server looks often."""
    monkeypatch.setattr(training, "INTERVAL_SECONDS", 0.02)
    return home / "runs"


def until(page: Page, kind: str, is_reached: Callable[[Any], bool]) -> Any:
    """Return the first update with a property."""
    while not is_reached(update := page.receive(kind)):
        continue
    return update


def test_the_measured_strength_is_sent(runs: Path, page: Page) -> None:
    train(runs / "first", small())
    assert page.ask("run", name="first")["strength"] == []
    series = Series("td:weights=first", "lines", 1, 1, 0)
    Measurement(2, 2, (series,), 2).write(runs / "first")
    update = until(page, "run", lambda update: bool(update["strength"]))
    assert update["strength"] == ["td:weights=first against lines: 1 won, 1 lost, 0 drawn"]
    assert update["measuring"] == [2, 4]


# --- the list --------------------------------------------------------------------


def test_there_are_no_runs_at_first_and_a_new_one_appears(runs: Path, page: Page, walker: Walk) -> None:
    assert page.ask("runs")["runs"] == []
    train(runs / "first", walker(steps=3))
    (run,) = until(
        page, "runs", lambda update: update["runs"] and update["runs"][0]["facts"]["state"] == "finished"
    )["runs"]
    facts = run["facts"]
    assert (run["name"], facts["game"], facts["learner"]) == ("first", "connect4", "walker")
    assert (facts["step"], facts["length"], facts["error"]) == (3, None, None)


def test_damaged_runs_are_listed_with_the_reason_and_break_nothing(
    runs: Path, page: Page, walker: Walk
) -> None:
    for name in ("good", "settings", "checkpoints"):
        train(runs / name, walker(steps=2))
    (runs / "settings" / "config.toml").write_text("game = [")
    for path in (runs / "checkpoints" / "checkpoints").iterdir():
        path.write_bytes(b"rubbish")
    (runs / "empty").mkdir()
    reply = page.ask("runs")
    found = {run["name"]: run for run in reply["runs"]}
    assert {name: run["facts"]["state"] for name, run in found.items()} == {
        "good": "finished",
        "settings": "broken",
        "checkpoints": "broken",
        "empty": "broken",
    }
    assert found["settings"]["facts"]["error"].startswith("config.toml is not valid TOML")
    assert found["empty"]["facts"]["error"] == "the run is not a training run: it has no config.toml"
    assert str(runs.parent) not in json.dumps(reply)
    for name in found:
        reply = page.ask("run", name=name)
        assert reply["run"]["facts"]["error"] == found[name]["facts"]["error"]
        assert str(runs.parent) not in json.dumps(reply)


def test_a_run_without_permissions_breaks_nothing(
    runs: Path, page: Page, walker: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(runs / "first", walker(steps=2))

    def refuse(folder: Path) -> None:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(training, "run_summary", refuse)
    (run,) = page.ask("runs")["runs"]
    assert (run["facts"]["state"], run["facts"]["error"]) == ("broken", "cannot read it: PermissionError")


# --- one run ---------------------------------------------------------------------


def test_curves_and_weights_grow_with_every_step(runs: Path, page: Page, walker: Walk) -> None:
    with Run.create(runs / "first", walker(steps=4)) as run:
        trainer = Trainer(run)
        assert page.ask("run", name="first")["run"]["facts"]["state"] == "running"

        def watch(trainer: Trainer) -> None:
            step = trainer.progress.step
            update = until(
                page,
                "run",
                lambda update: update["run"]["facts"]["step"] == step and len(update["steps"]) == step,
            )
            assert update["steps"] == list(range(1, step + 1))
            assert update["metrics"]["score"] == pytest.approx(
                [one.metrics["score"] for one in trainer.steps], rel=1e-5
            )
            assert update["metrics"]["odd"] == [None] * step
            assert update["weights"]["names"] == ["weight 1", "weight 2"]
            assert [len(values) for values in update["weights"]["values"]] == [step, step]

        trainer.train(InProcess(), watch)
    update = until(page, "run", lambda update: update["run"]["facts"]["state"] == "finished")
    assert update["run"]["facts"]["best"] == pytest.approx(trainer.progress.best, rel=1e-5)


@pytest.mark.slow
def test_a_page_watches_while_another_process_trains_until_it_is_killed(runs: Path, page: Page) -> None:
    command = [
        sys.executable,
        "-m",
        "boardgames",
        "train",
        "connect4",
        "--run",
        str(runs / "far"),
        "--workers",
        "1",
    ]
    settings = ["--set", "matches=2", "--set", "test_matches=2", "--set", "steps=1000000"]
    page.ask("runs")
    process = subprocess.Popen([*command, *settings], stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    try:
        until(
            page, "runs", lambda update: update["runs"] and update["runs"][0]["facts"]["state"] == "running"
        )
        first = page.ask("run", name="far")["run"]["facts"]["step"]
        update = until(page, "run", lambda update: update["run"]["facts"]["step"] > first + 20)
        assert update["run"]["facts"]["state"] == "running"
        assert len(update["metrics"]["score"]) == len(update["steps"]) > 20
    finally:
        process.kill()
        process.wait()
    stopped = until(page, "run", lambda update: update["run"]["facts"]["state"] != "running")
    assert stopped["run"]["facts"]["state"] == "stopped"


def test_a_half_written_line_is_left_out(runs: Path, page: Page, walker: Walk) -> None:
    train(runs / "first", walker(steps=3))
    page.ask("run", name="first")
    with (runs / "first" / METRICS).open("a") as file:
        file.write('{"schema": 1, "step": 4, "sec')
    assert page.receive("run")["steps"] == [1, 2, 3]


def test_a_deleted_run_is_noticed_and_so_is_its_return(runs: Path, page: Page, walker: Walk) -> None:
    train(runs / "first", walker(steps=2))
    page.ask("run", name="first")
    (runs / "first").rename(runs.parent / "away")
    assert page.receive("run-gone")["name"] == "first"
    (runs.parent / "away").rename(runs / "first")
    assert page.receive("run")["run"]["facts"]["step"] == 2
    assert [run["name"] for run in page.ask("runs")["runs"]] == ["first"]
    shutil.rmtree(runs / "first")
    assert until(page, "runs", lambda update: not update["runs"])


def test_long_runs_are_thinned_and_keep_the_last_step(
    runs: Path, page: Page, walker: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "MAX_POINTS", 5)
    train(runs / "first", walker(steps=12))
    reply = page.ask("run", name="first")
    assert 3 <= len(reply["steps"]) <= 7
    assert reply["steps"][-1] == 12
    assert reply["weights"]["steps"] == reply["steps"]


def test_settings_have_their_meaning_and_no_paths(runs: Path, page: Page, walker: Walk) -> None:
    train(runs / "first", walker(steps=2, note="/srv/private/secret.toml"))
    settings = {one["name"]: one for one in page.ask("run", name="first")["settings"]}
    assert settings["steps"] == {"name": "steps", "value": 2, "summary": "number of steps"}
    assert settings["note"]["value"] == "…/secret.toml"


def test_large_tables_are_shown_as_a_summary(
    runs: Path, page: Page, walker: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = np.ones(2000)
    monkeypatch.setattr(Walker, "weights", lambda self, state: table * state.arrays["place"][0, 0])
    train(runs / "first", walker(steps=2))
    weights = page.ask("run", name="first")["weights"]
    assert (weights["names"], weights["total"]) == (["norm", "min", "max"], 0)
    norm, least, most = (values[-1] for values in weights["values"])
    assert norm == pytest.approx(abs(least) * 2000**0.5, rel=1e-4)
    assert least == most


def test_standings_of_a_population_are_sent(runs: Path, page: Page) -> None:
    train(runs / "first", Config("connect4", "evolve", seed=1, settings=EVOLVE))
    standings = page.ask("run", name="first")["standings"]
    assert [one["step"] for one in standings] == [2, 4]
    points = [points for _, points in standings[-1]["rows"]]
    assert len(points) == 3
    assert points == sorted(points, reverse=True)


# --- playing against it -----------------------------------------------------------


def test_the_best_weights_so_far_can_be_played_against(runs: Path, page: Page) -> None:
    train(runs / "a, b", small())
    reply = page.ask("run", name="a, b")
    assert reply["agent"] == 'td:weights="a, b"'
    match = page.start("here", reply["agent"], layout=reply["layout"], options=reply["options"])
    page.send("move", match=match, ply=0, move="4")
    assert page.state(ply=2)["names"][1] == reply["agent"]


def test_a_game_names_the_agents_that_play_with_the_weights_of_runs(
    runs: Path, page: Page, walker: Walk
) -> None:
    train(runs / "first", small())
    train(runs / "walk", walker(steps=2))
    (runs / "broken").mkdir()
    trained = page.ask("game", name="connect4")["trained"]
    assert trained == {"first": "td:weights=first"}
    page.start("here", trained["first"])
    assert page.ask("game", name="abalone")["trained"] == {}


def test_a_run_that_cannot_be_played_against_says_why(runs: Path, page: Page, walker: Walk) -> None:
    train(runs / "walk", walker(steps=2))
    assert page.ask("run", name="walk")["obstacle"] == "no agent plays with what it learns"
    train(runs / "new", small())
    (runs / "new" / BEST).unlink()
    reply = page.ask("run", name="new")
    assert (reply["agent"], reply["obstacle"]) == (None, "it has no weights yet")


# --- what is refused, and pages that leave ------------------------------------------


@pytest.mark.parametrize(
    "name", ["../..", "..", ".", "/etc", "first/../first", "first\0", "x" * 300, "x" * 250, "", "no-such-run"]
)
def test_names_that_are_not_of_a_run_are_refused(runs: Path, page: Page, walker: Walk, name: str) -> None:
    train(runs / "first", walker(steps=1))
    page.send("run", re=1, name=name)
    reason = page.receive("refused")["reason"]
    assert str(runs.parent) not in reason
    assert page.ask("runs")["type"] == "runs"


def test_nothing_is_read_when_nobody_watches(
    runs: Path, server: Server, walker: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(runs / "first", walker(steps=1))
    page, other = server.page(), server.page()
    page.ask("run", name="first")
    other.ask("run", name="first")
    page.close()
    other.send("unwatch")
    (runs / "first").rename(runs / "second")
    assert [run["name"] for run in other.ask("runs")["runs"]] == ["second"]
    other.send("unwatch")
    other.ask("matches")
    looked: list[str] = []
    read = training._Reader.read

    def noted(reader: training._Reader, name: str) -> Any:  # may return anything
        looked.append(name)
        return read(reader, name)

    monkeypatch.setattr(training._Reader, "read", noted)
    (runs / "second").rename(runs / "third")
    time.sleep(10 * training.INTERVAL_SECONDS)
    assert looked == []
    other.close()
