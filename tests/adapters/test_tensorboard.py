"""The plug-in `tensorboard`: the content of a run's log, and that it is optional."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from training import small, train

from boardgames.adapters import tensorboard
from boardgames.plugins import Registry


@pytest.fixture(autouse=True)
def _close_log() -> Iterator[None]:
    yield
    tensorboard.close()


def read_logs(folder: Path) -> dict[tuple[str, int], float]:
    """Return the numbers in all logs of a run, by name and step."""
    proto = pytest.importorskip("tensorboardX.proto.event_pb2")
    values: dict[tuple[str, int], float] = {}
    for path in sorted((folder / "tensorboard").iterdir()):
        data, place = path.read_bytes(), 0
        while place < len(data):  # 8 bytes of length, 4 of its checksum, the event, 4 of its checksum
            size = int.from_bytes(data[place : place + 8], "little")
            event = proto.Event.FromString(data[place + 12 : place + 12 + size])
            for value in event.summary.value:
                values[value.tag, event.step] = value.simple_value
            place += size + 16
    return values


def test_log_has_each_metric_of_each_step(tmp_path: Path) -> None:
    trainer = train(tmp_path / "run", small())
    expected = {
        (name, step.step): pytest.approx(value, rel=1e-6)
        for step in trainer.steps
        for name, value in step.metrics.items()
    }
    assert read_logs(tmp_path / "run") == expected


def test_each_run_has_its_own_log(tmp_path: Path) -> None:
    for name in ("one", "two", "one"):
        tensorboard.bg_training_stepped(step=1, metrics={name: 0.5}, folder=tmp_path / name)
    assert {tag for tag, _ in read_logs(tmp_path / "one")} == {"one"}
    assert {tag for tag, _ in read_logs(tmp_path / "two")} == {"two"}


def test_training_works_without_tensorboardx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboardX.event_file_writer", None)
    assert train(tmp_path / "run", small(steps=2)).is_done
    assert not (tmp_path / "run" / "tensorboard").exists()


def test_plugin_can_be_blocked() -> None:
    names = [plugin.name for plugin in Registry(points=[], blocked=frozenset({"tensorboard"})).plugins]
    assert "tensorboard" not in names
    assert "tensorboard" in [plugin.name for plugin in Registry(points=[], blocked=frozenset()).plugins]
