"""The learner `tune`: steps and rounding, wins that move values, what a run keeps, and wrong settings."""

import math
from pathlib import Path
from typing import Any

import arena_agents
import numpy as np
import pytest
from installed import add_plugin
from learning.helpers import QUICK, make, small, train

from boardgames.errors import MatchError, OptionError, UnknownNameError, WeightsError
from boardgames.executors import InProcess
from boardgames.executors.counting import CountingExecutor
from boardgames.learner import LearnerState
from boardgames.learning.config import Config
from boardgames.learning.measurement import measure, plan_measurement
from boardgames.learning.runs import Run
from boardgames.learning.trainer import Trainer
from boardgames.learning.tune import Range, TunableAgent, Tune
from boardgames.options import Option, parse_agent
from boardgames.plugins import load_player

AGENT = "mcts:simulations=10,exploration=1,cutoff=10"
RANGES = "exploration=0:4,cutoff=0:20"


def tune(**options: object) -> Tune:
    """Return a learner that is quick."""
    learner = make("tune", **options)
    assert isinstance(learner, Tune)
    return learner


def finished_run(folder: Path, **settings: object) -> Run:
    """Return a run that has been trained, and is still open."""
    config = Config(
        "connect4", "tune", seed=3, options={"columns": 5, "rows": 4}, settings={**QUICK["tune"], **settings}
    )
    run = Run.create(folder, config)
    Trainer(run).train(InProcess())
    return run


def options_of(agent: str) -> dict[str, float]:
    """Return the options of an agent as numbers."""
    return {name: float(text) for name, text in parse_agent(agent)[1].items()}


# --- steps ------------------------------------------------------------------


def test_agents_of_a_pair_have_opposite_changes_and_values_move_to_the_better_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learner = tune(agent="mcts:exploration=1", ranges="exploration=0:4", change=0.25, rate=0.1, pairs=2)
    played: list[Any] = []

    def points(first: Any, second: Any, executor: Any, seed: int) -> Any:
        played.extend(zip(first, second, strict=True))
        return np.array([float(options_of(agent)["exploration"] == 2) for agent in first])

    monkeypatch.setattr(learner, "_points", points)
    after, metrics = learner.step(learner.start(1), InProcess())
    assert {frozenset(pair) for pair in played} == {frozenset(("mcts:exploration=2", "mcts:exploration=0"))}
    assert after.arrays["shares"].tolist() == pytest.approx([0.25 + 0.1])
    assert metrics["exploration"] == pytest.approx(1.4)
    assert (metrics["gain"], metrics["change"], metrics["rate"]) == (1.0, 0.25, 0.1)


def test_optimum_of_a_noisy_quadratic_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimum is 600 Elo better than an end of a range, and chances of winning follow from that."""
    learner = tune(agent="mcts:exploration=3.6,cutoff=1", ranges=RANGES, steps=300)

    def strength(agent: str) -> float:
        given = options_of(agent)
        distance = (given["exploration"] / 4 - 0.3) ** 2 + (given["cutoff"] / 20 - 0.7) ** 2
        return -1200 * distance

    def points(first: Any, second: Any, executor: Any, seed: int) -> Any:
        leads = [strength(one) - strength(other) for one, other in zip(first, second, strict=True)]
        chances = [1 / (1 + 10 ** (-lead / 400)) for lead in leads]
        return np.random.default_rng(seed).binomial(2, chances) / 2

    monkeypatch.setattr(learner, "_points", points)
    last = train(learner, seed=1)[-1]
    assert learner.weights(last) == pytest.approx([1.2, 14], rel=0.15)
    assert learner.agent_with("") == ""


def test_a_deeper_search_wins_and_is_found() -> None:
    learner = tune(agent="alphabeta:depth=1,table=0", ranges="depth=1:5", steps=12, pairs=4, rate=0.3)
    depths = [learner.weights(state)[0] for state in train(learner, seed=1)]
    assert depths[0] == 1
    assert depths[-1] > 2


def test_values_stay_within_their_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = tune(agent="mcts:exploration=0,cutoff=20", ranges=RANGES, rate=5.0, change=1.0, steps=6)
    played: list[str] = []

    def points(first: Any, second: Any, executor: Any, seed: int) -> Any:
        played.extend((*first, *second))
        return np.random.default_rng(seed).integers(0, 3, len(first)) / 2

    monkeypatch.setattr(learner, "_points", points)
    values = np.array([learner.weights(state) for state in train(learner, seed=1)])
    tried = [options_of(agent) for agent in played]
    assert (values >= 0).all()
    assert (values <= [4, 20]).all()
    assert all(0 <= one["exploration"] <= 4 and 0 <= one["cutoff"] <= 20 for one in tried)


def test_equal_agents_do_not_play() -> None:
    """The integer stays at 10, as its change of 0.2 is rounded away by most draws."""
    learner = tune(agent="mcts:simulations=10,cutoff=10", ranges="cutoff=0:20", change=0.01, pairs=20)
    tasks = CountingExecutor(InProcess())
    learner.step(learner.start(1), tasks)
    assert 0 < tasks.done < learner.task_count(0) == 20


def test_tasks_of_a_step_are_its_pairs() -> None:
    learner, tasks = tune(pairs=5, test_matches=6), CountingExecutor(InProcess())
    learner.step(learner.step(learner.start(1), InProcess())[0], tasks)
    assert tasks.done == learner.task_count(1) == 5 + 3


def test_an_agent_that_crashes_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    number = Option("number", int, 5, "a number without a meaning", minimum=0, maximum=10)
    monkeypatch.setattr(arena_agents.Crasher, "declared_options", (number,))
    add_plugin(monkeypatch, arena_agents)
    learner = tune(agent="crasher", ranges="number=0:10", change=0.5)
    with pytest.raises(MatchError, match=r"agent 'crasher:number=.*' lost a match .*lost my way"):
        learner.step(learner.start(1), InProcess())


# --- ranges -----------------------------------------------------------------


def test_integers_are_rounded_to_their_value_on_average() -> None:
    cutoff = Range(Option("cutoff", int, 0, "plies"), 10, 20)
    draws = np.random.default_rng(1).random(4000)
    rounded = [int(cutoff.text(0.53, draw)) for draw in draws.tolist()]
    assert set(rounded) == {15, 16}
    assert np.mean(rounded) == pytest.approx(15.3, abs=0.03)
    assert (cutoff.text(0.53), cutoff.text(0.56)) == ("15", "16")
    assert cutoff.text(1.0, draw=math.nextafter(1.0, 0.0)) == "20"


@pytest.mark.parametrize("is_log", [False, True])
def test_shares_of_a_range_and_values_are_converted_both_ways(is_log: bool) -> None:
    one = Range(Option("exploration", float, 1.0, "weight"), 0.1, 10, is_log)
    assert [one.value(share) for share in (0.0, 0.5, 1.0)] == pytest.approx([0.1, 1 if is_log else 5.05, 10])
    assert [one.share(one.value(share)) for share in (0.0, 0.3, 1.0)] == pytest.approx([0.0, 0.3, 1.0])


@pytest.mark.parametrize(
    ("agent", "default"),
    [
        ("mcts", "mcts:exploration=1"),
        ("mcts:simulations=9,exploration=2.50", "mcts:simulations=9,exploration=1"),
        ("mcts:exploration=2,cutoff=9", "mcts:exploration=1,cutoff=9"),
    ],
)
def test_the_default_agent_has_the_default_values_of_tuned_options(agent: str, default: str) -> None:
    assert TunableAgent.parse(agent, "exploration=0:3", small()).default == default
    both = TunableAgent.parse("mcts:cutoff=9,simulations=8", "exploration=0:3,cutoff=0:9", small())
    assert both.default == "mcts:simulations=8,exploration=1"  # cutoff has no default


# --- results ----------------------------------------------------------------


def test_a_run_is_measured_against_the_default_and_the_first_values(tmp_path: Path) -> None:
    with finished_run(tmp_path / "run") as run:
        tuned = run.learner.agent_with(str(run.folder))
        assert run.learner.summary(Trainer(run).state) == f"tuned: {tuned}"
        series = measure(run, plan_measurement(run, 2), InProcess()).series
    default, first = "mcts:simulations=10,exploration=1", QUICK["tune"]["agent"]
    assert [(one.before, one.agent, one.opponent) for one in series] == [
        (True, first, default), (False, tuned, default), (False, tuned, first),
    ]  # fmt: skip
    assert tuned not in (first, default)
    load_player(tuned, small())


def test_an_agent_that_starts_with_defaults_does_not_play_itself(tmp_path: Path) -> None:
    agent = "mcts:simulations=10,exploration=1"
    with finished_run(tmp_path / "run", agent="mcts:simulations=10", ranges="exploration=0.1:4") as run:
        series = measure(run, plan_measurement(run, 2), InProcess()).series
    assert [(one.before, one.opponent) for one in series] == [(False, agent)]


def test_a_run_with_a_comma_in_its_name_is_measured(tmp_path: Path) -> None:
    with finished_run(tmp_path / "a,b") as run:
        assert measure(run, plan_measurement(run, 2), InProcess()).series[1].agent.startswith("mcts:")


def test_a_damaged_checkpoint_has_no_agent(tmp_path: Path) -> None:
    with finished_run(tmp_path / "run") as run:
        run.best_path.write_bytes(run.best_path.read_bytes()[:-1])
        assert run.learner.agent_with(str(run.folder)) == ""
        with pytest.raises(WeightsError):
            run.learner.matchups(str(run.folder))


def test_values_to_start_with_must_be_those_of_the_same_options(tmp_path: Path) -> None:
    with finished_run(tmp_path / "run") as run:
        values = run.learner.weights(Trainer(run).state)
    given = {"start": str(tmp_path / "run"), "agent": AGENT}
    wide = tune(**given, ranges="exploration=0:50,cutoff=0:30")
    assert wide.weights(wide.start(1)) == pytest.approx(values)
    with pytest.raises(OptionError, match="has values of exploration, cutoff, not of cutoff"):
        tune(**given, ranges="cutoff=0:20").start(1)
    with pytest.raises(OptionError, match=r"exploration starts at .*, which is outside its range 0\.99:1"):
        tune(**given, ranges="exploration=0.99:1,cutoff=0:20").start(1)
    with (
        finished_of("td", tmp_path / "td"),
        pytest.raises(WeightsError, match="no values for the options of an agent"),
    ):
        tune(start=str(tmp_path / "td")).start(1)


def finished_of(name: str, folder: Path) -> Run:
    """Return a run of another learner that has been trained."""
    run = Run.create(folder, Config("connect4", name, seed=1, settings=QUICK[name]))
    Trainer(run).train(InProcess())
    return run


def test_a_state_of_other_options_is_rejected() -> None:
    with pytest.raises(ValueError, match="'shares' must be float64 of length 2"):
        tune().step(LearnerState({"shares": np.zeros(3)}, {"step": 0, "seed": 1}), InProcess())


# --- wrong settings ---------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "ranges", "message"),
    [
        (None, RANGES, "tune needs an agent, such as --set agent=mcts:simulations=200"),
        ("random", RANGES, "agent 'random' has no numeric options to tune"),
        ("mcts", None, "tune needs the options to tune, such as --set ranges=.*=LOW:HIGH; those of agent"),
        ("mcts", "explore=1:2", "agent 'mcts' has no option 'explore'; did you mean 'exploration'"),
        ("mcts", "prior=1:2", "the option prior of agent 'mcts' is not a number, so it cannot be tuned"),
        ("alphabeta", "pvs=0:1", "the option pvs of agent 'alphabeta' is not a number"),
        ("mcts", "exploration", "an option is written name=value, not 'exploration'"),
        ("mcts", "exploration=2", "the range of exploration must be LOW:HIGH or LOW:HIGH:log, not '2'"),
        ("mcts", "exploration=1:2:lin", "must be LOW:HIGH or LOW:HIGH:log, not '1:2:lin'"),
        ("mcts", "exploration=3:0.5", "the range of exploration must have LOW below HIGH, not '3:0.5'"),
        ("mcts", "exploration=1:1", "the range of exploration must have LOW below HIGH, not '1:1'"),
        ("mcts", "exploration=0:x", "exploration must be a number, not 'x'"),
        ("mcts", "exploration=0:200", "exploration must be 0 to 100, not '200'"),
        ("mcts:cutoff=1", "cutoff=0.5:3", "cutoff must be an integer, not '0.5'"),
        ("mcts", "exploration=0:3:log", "a logarithmic range must be above 0; that of exploration is"),
        ("mcts", "exploration=2:3", "exploration starts at 1, which is outside its range 2:3; give"),
        ("mcts:depth=3", "cutoff=0:9", "cutoff has no default; give it .* --set agent=mcts:depth=3,cutoff=5"),
        ("mcts:exploration=no", "exploration=0:3", "exploration must be a number, not 'no'"),
    ],
)  # fmt: skip
def test_wrong_agents_and_ranges_are_rejected(agent: str | None, ranges: str | None, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        tune(agent=agent, ranges=ranges)


def test_unknown_agents_are_rejected() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'mcts'"):
        tune(agent="mctss", ranges=RANGES)


def test_an_odd_number_of_test_matches_is_rejected() -> None:
    with pytest.raises(OptionError, match="test_matches must be even"):
        tune(test_matches=3)


@pytest.mark.parametrize(
    "settings",
    [{"agent": "mcts:exploration=1,cutoff=9,bogus=1"}, {"openings": "no-such-suite"}],
    ids=["option", "openings"],
)
def test_agents_that_cannot_be_loaded_are_found_before_the_first_step(settings: dict[str, object]) -> None:
    with pytest.raises((OptionError, UnknownNameError), match=r"bogus|no-such-suite"):
        tune(**settings).start(1)
