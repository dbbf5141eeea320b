"""The plug-in `tensorboard`: what stands in the log of a run, and that nobody needs it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from training import small

from boardgames.adapters import tensorboard
from boardgames.executors import InProcess
from boardgames.learning.runs import Run
from boardgames.learning.trainer import Trainer
from boardgames.plugins import Registry


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    tensorboard.close()


def logged(folder: Path) -> dict[tuple[str, int], float]:
    """Return the numbers of all logs of a run, by name and step."""
    proto = pytest.importorskip("tensorboardX.proto.event_pb2")
    found: dict[tuple[str, int], float] = {}
    for path in sorted((folder / "tensorboard").iterdir()):
        data, place = path.read_bytes(), 0
        while place < len(data):  # a length of 8 bytes, its check sum of 4, the event, its check sum of 4
            size = int.from_bytes(data[place : place + 8], "little")
            event = proto.Event.FromString(data[place + 12 : place + 12 + size])
            for value in event.summary.value:
                found[value.tag, event.step] = value.simple_value
            place += size + 16
    return found


def test_every_metric_of_every_step_is_in_the_log(tmp_path: Path) -> None:
    with Run.create(tmp_path, small()) as run:
        trainer = Trainer(run)
        trainer.train(InProcess())
    expected = {
        (name, step.step): pytest.approx(value, rel=1e-6)
        for step in trainer.steps
        for name, value in step.metrics.items()
    }
    assert logged(tmp_path) == expected


def test_each_run_has_a_log_of_its_own(tmp_path: Path) -> None:
    for name in ("one", "two", "one"):
        tensorboard.bg_training_stepped(step=1, metrics={name: 0.5}, folder=tmp_path / name)
    assert {tag for tag, _ in logged(tmp_path / "one")} == {"one"}
    assert {tag for tag, _ in logged(tmp_path / "two")} == {"two"}


def test_without_tensorboardx_training_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboardX.event_file_writer", None)
    with Run.create(tmp_path, small()) as run:
        trainer = Trainer(run)
        trainer.train(InProcess())
    assert trainer.is_done
    assert not (tmp_path / "tensorboard").exists()


def test_it_is_kept_out_by_name() -> None:
    names = [plugin.name for plugin in Registry(found=[], blocked=frozenset({"tensorboard"})).plugins]
    assert "tensorboard" not in names
    assert "tensorboard" in [plugin.name for plugin in Registry(found=[], blocked=frozenset()).plugins]
