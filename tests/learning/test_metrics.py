"""The steps of a run: its file of metrics, and which step is the best."""

from pathlib import Path

import numpy as np
import pytest

from boardgames.learning.metrics import Progress, StepRecord, read_metrics, truncate_metrics


def test_later_of_equal_scores_is_best() -> None:
    progress = Progress().after({"score": 0.5}, "score").after({"score": 0.5}, "score")
    assert progress.best_step == 2


@pytest.mark.parametrize(
    "damage",
    ['"score": NaN', '"score": Infinity', '"score": 1e999', '"score": ' + "1" * 400, '"score": "1"',
     '"score": true'],
)  # fmt: skip
def test_metrics_with_impossible_numbers_are_removed(damage: str, tmp_path: Path) -> None:
    line = StepRecord(1, 0.5, {"score": 0.5}, (1.0,), (("player 2", 3.5),)).as_line()
    others = [
        line.replace('"step": 1', f'"step": {step}') for step in ("1e999", "-1", "1.0", "true", "1" * 40)
    ]
    path = tmp_path / "metrics.jsonl"
    path.write_text("".join([line, line.replace('"score": 0.5', damage), *others]))
    assert truncate_metrics(path, 10**9) == [StepRecord(1, 0.5, {"score": 0.5}, (1.0,), (("player 2", 3.5),))]
    assert path.read_text() == line


def test_a_choice_of_steps_has_the_metrics_of_every_second_step_and_the_last(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    records = [StepRecord(step, 0.5, {"even" if step % 2 == 0 else "odd": 1.0}) for step in range(1, 1001)]
    path.write_text("".join(record.as_line() for record in records))
    chosen = read_metrics(path, most=100)
    assert chosen[-1] == records[-1]
    assert 50 <= len(chosen) <= 102
    for name in ("even", "odd"):
        assert sum(name in one.metrics for one in chosen) > len(chosen) / 4
    with path.open("a") as file:
        file.write(StepRecord(1001, 0.5, {}).as_line())
    later = {one.step for one in read_metrics(path, most=100)}
    assert later.issuperset(one.step for one in chosen[:-2])
    assert read_metrics(path, most=2000)[:-1] == records


def test_weights_that_are_too_many_are_logged_as_a_summary(tmp_path: Path) -> None:
    weights = np.linspace(-3.0, 4.0, 2000)
    (tmp_path / "metrics.jsonl").write_text(StepRecord.of(1, 0.5, {}, weights).as_line())
    (logged,) = read_metrics(tmp_path / "metrics.jsonl")
    assert logged.weights == ()
    assert logged.summary == {"norm": pytest.approx((weights**2).sum() ** 0.5), "min": -3.0, "max": 4.0}
