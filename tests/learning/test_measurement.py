"""Measuring the result of a run: planning, interruption at any match, damaged files."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from learning.helpers import QUICK
from training import small

from boardgames.errors import OptionError
from boardgames.executors import InProcess
from boardgames.learning.config import Config
from boardgames.learning.measurement import Measurement, measure, plan_measurement
from boardgames.learning.runs import MEASUREMENT, MEASURING, Run
from boardgames.learning.trainer import Trainer
from boardgames.weights import Weights

MATCHES, SERIES = 4, 3
WRONG_PAIRS = {"agent": "a", "opponent": "b", "wins": 2, "losses": 0, "draws": 0, "pairs": [1, 2]}
SEARCHING = Config("connect4", "cem", seed=1, settings={**QUICK["cem"], "depth": 2})


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run that has been trained."""
    folder = tmp_path_factory.mktemp("runs") / "finished"
    with Run.create(folder, small()) as run:
        Trainer(run).train(InProcess())
    return folder


@pytest.fixture
def run(finished: Path) -> Iterator[Run]:
    """Return the run, which has not been measured."""
    (finished / MEASUREMENT).unlink(missing_ok=True)
    with Run.open(finished) as run:
        yield run


def stopping(after: int) -> Callable[[int, int], None]:
    def listen(played: int, planned: int) -> None:
        if played >= after:
            raise KeyboardInterrupt

    return listen


def test_an_interrupted_measurement_ends_like_an_uninterrupted_one(run: Run) -> None:
    whole = measure(run, plan_measurement(run, MATCHES), InProcess())
    (run.folder / MEASUREMENT).unlink()
    planned = plan_measurement(run, MATCHES)
    for after in range(2, SERIES * MATCHES, 2):
        with pytest.raises(KeyboardInterrupt):
            measure(run, planned, InProcess(), stopping(after))
        known = Measurement.read(run.folder)
        assert known is not None
        assert known.played == after
        planned = plan_measurement(run, MATCHES)
    assert measure(run, planned, InProcess()) == whole
    assert Measurement.read(run.folder) == whole


def test_the_weights_before_training_are_measured_like_the_result(run: Run) -> None:
    before, after, _ = measure(run, plan_measurement(run, MATCHES), InProcess()).series
    assert (before.before, after.before) == (True, False)
    assert before.opponent == after.opponent
    assert before.agent == "td:weights=start"
    assert str(before).startswith("before training, td against lines: ")
    policy = replace(before, agent="value-iteration:policy=start")
    assert str(policy).startswith("before training, value-iteration against lines: ")
    assert run.config.seed is not None
    start = run.learner.weights(run.learner.start(run.config.seed))
    assert Weights.read(run.start_path).values.tolist() == start.tolist()


def test_weights_learned_in_search_are_only_measured_in_search(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", SEARCHING) as run:
        Trainer(run).train(InProcess())
        series = measure(run, plan_measurement(run, 2), InProcess()).series
    assert [(one.before, one.opponent) for one in series] == [
        (True, "lines:depth=3"),
        (False, "lines:depth=3"),
    ]


def test_a_run_without_the_weights_before_training_is_measured_without_them(run: Run) -> None:
    content = run.start_path.read_bytes()
    run.start_path.unlink()
    try:
        assert [one.before for one in measure(run, plan_measurement(run, 2), InProcess()).series] == [
            False
        ] * 2
    finally:
        run.start_path.write_bytes(content)


def test_the_results_of_pairs_are_kept(run: Run) -> None:
    for one in measure(run, plan_measurement(run, MATCHES), InProcess()).series:
        assert 2 * sum(one.pairs) == MATCHES
        points = sum(count * halves / 2 for halves, count in enumerate(one.pairs))
        assert points == one.wins + one.draws / 2
    written = (run.folder / MEASUREMENT).read_text()
    (run.folder / MEASUREMENT).write_text(re.sub(r', "pairs": \[[0-9, ]*\]', "", written))
    known = Measurement.read(run.folder)  # a measurement by an early version
    assert known is not None
    assert [one.pairs for one in known.series] == [()] * SERIES


def test_no_match_is_played_twice(run: Run) -> None:
    counts: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        measure(run, plan_measurement(run, MATCHES), InProcess(), stopping(2))
    measure(run, plan_measurement(run, MATCHES), InProcess(), lambda played, planned: counts.append(played))
    assert counts[0] == 2
    assert sorted(counts) == counts
    assert counts[-1] == SERIES * MATCHES


def test_a_measurement_is_announced_before_its_agents_are_loaded(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(**settings: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("boardgames.arena.Plan", load)
    told: list[tuple[int, int]] = []
    with pytest.raises(KeyboardInterrupt):
        measure(run, plan_measurement(run, MATCHES), InProcess(), lambda *counts: told.append(counts))
    assert told == [(0, SERIES * MATCHES)]


def test_the_matches_are_deleted_once_the_measurement_is_complete(run: Run) -> None:
    with pytest.raises(KeyboardInterrupt):
        measure(run, plan_measurement(run, MATCHES), InProcess(), stopping(2))
    assert (run.folder / MEASURING).is_dir()
    measure(run, plan_measurement(run, MATCHES), InProcess())
    assert not (run.folder / MEASURING).exists()


def test_a_different_number_of_matches_starts_a_different_measurement(run: Run) -> None:
    measure(run, plan_measurement(run, 2), InProcess())
    assert plan_measurement(run, 2).is_done
    assert plan_measurement(run, MATCHES).played == 0


@pytest.mark.parametrize("after", [0, 6], ids=["at once", "second opponent"])
def test_an_earlier_result_is_kept_until_the_next_measurement_is_complete(after: int, run: Run) -> None:
    earlier = measure(run, plan_measurement(run, 2), InProcess())
    with pytest.raises(KeyboardInterrupt):
        measure(run, plan_measurement(run, MATCHES), InProcess(), stopping(after))
    known = Measurement.read(run.folder)
    assert known is not None
    assert (known.series[:SERIES], known.played, known.is_done) == (earlier.series, after, False)
    counts: list[int] = []
    whole = measure(run, known, InProcess(), lambda played, planned: counts.append(played))
    assert (counts[0], counts[-1]) == (after, SERIES * MATCHES)
    assert whole.is_done
    assert [one.matches for one in whole.series] == SERIES * [MATCHES]


def test_an_earlier_number_of_matches_brings_back_its_result(run: Run) -> None:
    earlier = measure(run, plan_measurement(run, 2), InProcess())
    with pytest.raises(KeyboardInterrupt):
        measure(run, plan_measurement(run, MATCHES), InProcess(), stopping(2))
    assert plan_measurement(run, 2) == earlier


def test_fewer_matches_never_replace_a_complete_measurement(run: Run) -> None:
    earlier = measure(run, plan_measurement(run, MATCHES), InProcess())
    with pytest.raises(OptionError, match=f"already been measured in {MATCHES} matches .*, not 2"):
        plan_measurement(run, 2)
    plan_measurement(run, 8)
    with pytest.raises(OptionError, match="already been measured"):
        plan_measurement(run, 2)
    assert plan_measurement(run, MATCHES) == earlier


@pytest.mark.parametrize("matches", [0, -2, 3, 10**7])
def test_impossible_numbers_of_matches_are_rejected(matches: int, run: Run) -> None:
    with pytest.raises(OptionError, match=f"must be even.*not {matches}"):
        plan_measurement(run, matches)


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"matches": 3, "opponents": 2, "series": [], "played": 0}',
     '{"matches": 2, "opponents": 2, "series": [], "played": -1}',
     '{"matches": 2, "opponents": "2", "series": [], "played": 0}',
     '{"matches": 2, "opponents": 2, "series": [{"agent": 1}], "played": 0}',
     f'{{"matches": 2, "opponents": 1, "played": 2, "series": [{json.dumps(WRONG_PAIRS)}]}}',
     "[" * 100_000, "\0"],
)  # fmt: skip
def test_a_damaged_measurement_is_reported_and_counts_as_none(content: str, run: Run) -> None:
    (run.folder / MEASUREMENT).write_text(content)
    with pytest.warns(UserWarning, match="measurement.json is damaged: measure the run again"):
        assert Measurement.read(run.folder) is None
    with pytest.warns(UserWarning, match="is damaged"):
        assert plan_measurement(run, 2) == Measurement(2, SERIES)
