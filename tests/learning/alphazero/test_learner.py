"""The learner `alphazero`: equal seeds give equal bytes, training resumes exactly, and it learns."""

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import boardgames
from boardgames.errors import LearnerStateError, MissingExtraError, OptionError
from boardgames.executors import InProcess, open_executor
from boardgames.learner import Checkpoint, LearnerState
from boardgames.learning.alphazero.learner import AlphaZero
from boardgames.learning.alphazero.tasks import SentNetwork, points_against
from boardgames.learning.config import Config
from boardgames.learning.critical import CriticalPositions
from boardgames.learning.runs import Run
from boardgames.learning.trainer import Trainer
from boardgames.options import OptionValue
from boardgames.weights.files import read_arrays
from boardgames.weights.lookup import BEST

TINY: Mapping[str, OptionValue] = {
    "steps": 3,
    "matches": 6,
    "parts": 2,
    "simulations": 6,
    "fast_simulations": 2,
    "channels": 4,
    "blocks": 1,
    "batch_size": 8,
    "test_matches": 0,
}


def learner(**options: OptionValue) -> AlphaZero:
    game = boardgames.load("connect4", columns=4, rows=4)
    return AlphaZero(game, **{**TINY, **options})


def trained(state: LearnerState, steps: int, **options: OptionValue) -> LearnerState:
    for _ in range(steps):
        state, _ = learner(**options).step(state, InProcess())
    return state


def assert_equal(first: LearnerState, second: LearnerState) -> None:
    assert first.scalars == second.scalars
    assert first.arrays.keys() == second.arrays.keys()
    for name, array in first.arrays.items():
        assert array.tobytes() == second.arrays[name].tobytes(), name


@pytest.mark.slow
def test_training_resumes_with_the_same_bytes() -> None:
    whole = trained(learner().start(5), 3)
    half = trained(learner().start(5), 2)
    restored = LearnerState({name: array.copy() for name, array in half.arrays.items()}, half.scalars)
    assert_equal(trained(restored, 1), whole)
    assert learner().is_done(whole)
    assert not learner().is_done(half)
    other = trained(learner().start(6), 3)
    assert other.arrays["replay.positions"].tobytes() != whole.arrays["replay.positions"].tobytes()


@pytest.mark.slow
def test_workers_give_the_same_bytes(tmp_path: Path) -> None:
    alone = trained(learner().start(1), 2)
    with open_executor(2) as executor:
        state = learner().start(1)
        for _ in range(2):
            state, metrics = learner().step(state, executor)
    assert_equal(state, alone)
    assert metrics["positions"] > 0
    assert metrics["policy_loss"] > 0


@pytest.mark.slow
def test_a_run_saves_a_network_that_agents_play_with(tmp_path: Path) -> None:
    options = {"columns": 4, "rows": 4}
    config = Config("connect4", "alphazero", seed=2, options=options, settings={**TINY, "steps": 1})
    with Run.create(tmp_path / "run", config) as run:
        Trainer(run).train(InProcess())
        checkpoint = Checkpoint(tmp_path / "run" / BEST, *read_arrays(tmp_path / "run" / BEST))
        result = run.learner.result_in(checkpoint)
    assert result is not None
    assert result.describe().startswith("a network of 4 channels x 1 blocks")
    result.write(tmp_path / "network.safetensors")
    game = boardgames.load("connect4", columns=4, rows=4)
    exported = boardgames.load_player(f"policy:weights={tmp_path / 'network.safetensors'}", game)
    assert exported.choose(game.start()).move in game.start().legal_moves
    agent = boardgames.load_player(f"alphazero:weights={tmp_path / 'run'},simulations=5", game)
    assert agent.choose(game.start()).move in game.start().legal_moves


@pytest.mark.slow
def test_it_learns_to_beat_random_moves() -> None:
    game = boardgames.load("connect4", columns=4, rows=4)
    options = {**TINY, "steps": 6, "matches": 120, "simulations": 24, "channels": 16, "blocks": 2, "reuse": 8}
    state = (one := AlphaZero(game, **options)).start(1)
    scores = []
    for _ in range(6):
        points = points_against(
            SentNetwork.of(game, one.network(state)), "random", 100,
            simulations=1, random_plies=2, ply_limit=None, seed=1,
        )  # fmt: skip
        scores.append(float(np.mean(points)))
        state, metrics = one.step(state, InProcess())
    assert scores[-1] > scores[0]
    assert scores[-1] > 0.65
    assert metrics["value_accuracy"] > 0.5


@pytest.mark.slow
def test_training_ends_when_the_minutes_are_up() -> None:
    by_time = learner(steps=None, minutes=0.5)
    assert by_time.length is None
    scalars = {"step": 2, "seed": 1, "owed": 0.0}
    assert not by_time.is_done(LearnerState({}, {**scalars, "seconds": 29.0}))
    assert by_time.is_done(LearnerState({}, {**scalars, "seconds": 30.0}))
    assert learner(steps=2, minutes=9.0).is_done(LearnerState({}, {**scalars, "seconds": 1.0}))
    assert "seconds" not in learner().start(1).scalars
    without, _ = by_time.step(learner(steps=None).start(1), InProcess())  # resumed with minutes
    assert float(without.scalars["seconds"] or 0) > 0


@pytest.mark.slow
def test_unused_samples_are_used_in_later_steps() -> None:
    state, counts = learner(batch_size=64, reuse=1.0).start(1), []
    for _ in range(6):
        state, metrics = learner(batch_size=64, reuse=1.0, full_share=1.0).step(state, InProcess())
        counts.append(metrics["training_steps"])
    assert 0 in counts
    assert sum(counts) > 0


@pytest.mark.slow
def test_critical_positions_measure_the_agents_that_play_with_the_network(tmp_path: Path) -> None:
    one = learner(critical=30, test_simulations=20)
    state = one.start(1)
    one.network(state).write(path := tmp_path / "network.safetensors")
    after, metrics = one.step(state, InProcess())
    critical = CriticalPositions(after.arrays["critical.positions"], after.arrays["critical.keeping"])
    for name, agent in (("policy_kept", "policy"), ("search_kept", "alphazero:simulations=20,leaves=1")):
        player = boardgames.load_player(f"{agent}{',' if ':' in agent else ':'}weights={path}", one.game)
        choices = [player.choose(one.game.unpack(words)).move for words in critical.positions]
        actions = [one.game.encode(move) for move in choices if move is not None]
        assert metrics[name] == critical.share_kept(np.array(actions))
    assert after.arrays["critical.positions"].shape == (30, one.game.facts.words)
    again, metrics = one.step(after, InProcess())
    assert (again.arrays["critical.keeping"] == after.arrays["critical.keeping"]).all()
    assert "search_kept" not in metrics  # by default, only every fifth step tests the network
    assert "search_kept" not in learner().step(learner().start(1), InProcess())[1]


def test_a_game_with_points_can_learn_the_final_lead() -> None:
    game = boardgames.load("hexifence", dimension=2)
    one = AlphaZero(game, **{**TINY, "lead_weight": 0.5})
    state, _ = one.step(one.start(1), InProcess())
    _, metrics = one.step(state, InProcess())
    assert 0 < metrics["lead_loss"] < 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pooled": 2}, "pooled must be at most blocks, 1, not 2"),
        ({"matches": 200_000}, "each part can have at most 65,536 matches"),
        ({"lead_weight": 1.0}, "connect4 counts no points, so lead_weight must be 0"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(options: dict[str, OptionValue], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        learner(**options)
    with pytest.raises(OptionError, match="abalone has no solver, which is needed"):
        AlphaZero(boardgames.load("abalone"), critical=5, ply_limit=100)


def test_a_state_of_another_network_is_refused(tmp_path: Path) -> None:
    state = learner(channels=5).start(1)
    arrays = {f"state.{name}": array for name, array in state.arrays.items()}
    checkpoint = Checkpoint(tmp_path / "other", arrays, {"state": dict(state.scalars)})
    learner(channels=5).check(checkpoint, 1)
    with pytest.raises(LearnerStateError, match=r"input\.weight"):
        learner().check(checkpoint, 1)
    learner(channels=5, critical=5).check(checkpoint, 1)  # the first step finds them
    later = Checkpoint(tmp_path / "other", arrays, {"state": {**state.scalars, "step": 1}})
    with pytest.raises(LearnerStateError, match="has 0 critical positions; set critical to 0"):
        learner(channels=5, critical=5).check(later, 1)
    damaged = Checkpoint(tmp_path / "other", arrays, {"state": {"seed": 1}})
    with pytest.raises(LearnerStateError, match="has no valid number of steps"):
        learner().check(damaged, 1)


@pytest.mark.slow
def test_weights_that_diverge_end_training_with_advice() -> None:
    state = trained(learner().start(1), 1)
    broken = {
        name: np.full_like(array, np.nan) if name.startswith("training.weights") else array
        for name, array in state.arrays.items()
    }
    with pytest.raises(LearnerStateError, match="use a lower learning rate"):
        learner().step(LearnerState(broken, state.scalars), InProcess())


def test_without_pytorch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in [name for name in sys.modules if name.startswith("boardgames.learning.alphazero.t")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtraError, match="neural"):
        learner().start(1)
