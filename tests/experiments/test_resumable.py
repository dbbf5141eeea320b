"""Results of finished tasks: kept in files, used when an experiment is resumed, equal to computed ones."""

import json
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np
import pytest
from learning.helpers import small

from boardgames.errors import FileError
from boardgames.executors import InProcess
from boardgames.experiments import ResumableExecutor, load_experiment
from boardgames.experiments.resumable import decode, encode
from boardgames.kernels import Reals

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

SETTINGS: dict[str, dict[str, object]] = {
    "ancestors": {
        "evolutions": 1, "population": 4, "survivors": 1, "generations": 2, "matches": 2,
        "training_matches": 2, "tournament_matches": 2,
    },
    "basic-training": {"repetitions": 5, "matches": 4, "test_matches": 2},
    "fine-tuning": {"candidates": 3, "couples": 2, "matches": 4, "test_matches": 2},
    "lookahead": {"repetitions": 4, "matches": 2, "test_matches": 2},
}  # fmt: skip


class Counting(InProcess):
    """Counts the tasks, and is interrupted after `limit` of them."""

    def __init__(self, limit: int = 1000) -> None:
        self.tasks = 0
        self.limit = limit

    def submit(
        self, fn: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> "Future[Result]":
        if self.tasks == self.limit:
            raise KeyboardInterrupt
        self.tasks += 1
        return super().submit(fn, *args, **kwargs)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_resumed_experiment_runs_only_the_rest_and_finds_the_same(name: str, tmp_path: Path) -> None:
    experiment = load_experiment(name, small(), **SETTINGS[name])
    whole, first, rest = Counting(), Counting(3), Counting()
    expected = experiment.run(whole, 7)
    with pytest.raises(KeyboardInterrupt):
        experiment.run(ResumableExecutor(first, tmp_path, "code"), 7)
    assert experiment.run(ResumableExecutor(rest, tmp_path, "code"), 7) == expected
    assert first.tasks + rest.tasks == whole.tasks > 3


@dataclass(frozen=True)
class Kept:
    number: int
    share: float
    text: str
    is_done: bool
    winner: int | None
    weights: Reals
    parts: tuple[list[tuple[int, int]], ...]


KEPT = Kept(2**63, 1 / 3, "Zürich", False, None, np.array([[0.1, np.inf], [-0.0, 2.5]]), ([(1, 2)], [(3, 4)]))


def make_kept(number: int) -> Kept:
    return Kept(number, KEPT.share, KEPT.text, KEPT.is_done, KEPT.winner, KEPT.weights, KEPT.parts)


def identity(number: int) -> int:
    return number


def undeclared(number):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201 - the point of a test
    return number


def fails(number: int) -> int:
    raise ValueError(number)


def test_every_kind_of_value_is_read_as_it_was_written() -> None:
    copy = decode(Kept, json.loads(json.dumps(encode(KEPT))))
    assert copy.weights.tobytes() == KEPT.weights.tobytes()
    assert copy.weights.flags.writeable
    assert encode(copy) == encode(KEPT)
    assert (copy.number, copy.share, copy.parts) == (2**63, 1 / 3, KEPT.parts)


@pytest.mark.parametrize(
    ("fn", "argument"),
    [(identity, 4), (make_kept, 3), (partial(identity), 5), (make_kept, 4)],
    ids=["function", "argument", "other argument of a partial", "both"],
)
def test_a_task_with_another_function_or_argument_is_run(
    fn: Callable[[int], object], argument: int, tmp_path: Path
) -> None:
    inner = Counting()
    executor = ResumableExecutor(inner, tmp_path, "code")
    executor.submit(identity, 3).result()
    executor.submit(fn, argument).result()
    assert (inner.tasks, executor.finished) == (2, 2)


def test_other_code_runs_the_task_again(tmp_path: Path) -> None:
    inner = Counting()
    for code in ("old", "new"):
        assert ResumableExecutor(inner, tmp_path, code).submit(identity, 3).result() == 3
    assert inner.tasks == 2


def test_a_damaged_file_is_replaced(tmp_path: Path) -> None:
    executor = ResumableExecutor(InProcess(), tmp_path, "code")
    executor.submit(identity, 3).result()
    (path,) = tmp_path.iterdir()
    for damage in ("", "[3", '"3"', "[]"):
        path.write_text(damage)
        assert executor.submit(identity, 3).result() == 3
        assert path.read_text() == "3"


@pytest.mark.parametrize("damage", ["[]", "5", "{}", '{"class": 1, "fields": {}}', "fields", "data"])
def test_a_damaged_dataclass_is_replaced(damage: str, tmp_path: Path) -> None:
    executor = ResumableExecutor(InProcess(), tmp_path, "code")
    expected = executor.submit(make_kept, 3).result()
    (path,) = tmp_path.iterdir()
    text = path.read_text()
    tree = json.loads(text)
    if damage == "fields":
        damage = json.dumps({**tree, "fields": []})
    elif damage == "data":
        tree["fields"]["weights"]["data"] = "AAAA"
        damage = json.dumps(tree)
    path.write_text(damage)
    assert encode(executor.submit(make_kept, 3).result()) == encode(expected)
    assert path.read_text() == text


@pytest.mark.parametrize(
    "fn", [undeclared, abs, lambda number: number], ids=["undeclared", "builtin", "lambda"]
)
def test_a_task_without_a_declared_result_is_run_again(fn: Callable[[int], int], tmp_path: Path) -> None:
    inner = Counting()
    executor = ResumableExecutor(inner, tmp_path, "code")
    assert [executor.submit(fn, 3).result() for _ in range(2)] == [3, 3]
    assert (inner.tasks, executor.finished) == (2, 0)


def test_an_error_is_passed_on_and_not_kept(tmp_path: Path) -> None:
    executor = ResumableExecutor(InProcess(), tmp_path, "code")
    with pytest.raises(ValueError, match="3"):
        executor.submit(fails, 3).result()
    assert executor.finished == 0


def test_a_result_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="cannot create the folder"):
        ResumableExecutor(InProcess(), tmp_path / "file" / "tasks", "code").submit(identity, 3).result()
