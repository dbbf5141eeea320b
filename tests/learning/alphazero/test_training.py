"""Training lowers the loss, and resumes with the same bytes."""

import sys
from typing import Any

import numpy as np
import pytest
import torch

import boardgames
from boardgames.errors import LearnerStateError, MissingExtraError, OptionError
from boardgames.game import Position
from boardgames.learning.alphazero.replay import ReplayBuffer, Samples
from boardgames.learning.alphazero.training import Settings, Trainer
from boardgames.networks import Network, NetworkShape

GAME = boardgames.load("connect4", columns=4, rows=4)
SHAPE = NetworkShape.of(GAME, channels=4, blocks=1, policy_channels=2, value_channels=2, value_units=4)


def samples(count: int = 64) -> Samples:
    """Return positions in which the leftmost legal move is right, and who wins depends on its column."""
    generator, positions = np.random.default_rng(1), list[Position]()
    while len(positions) < count:
        position = GAME.start()
        while position.outcome is None and len(positions) < count:
            positions.append(position)
            position = position.apply_action(int(generator.choice(position.actions)))
    actions = np.array([[one.actions[0], -1] for one in positions], dtype=np.int32)
    shares = np.tile(np.array([1, 0], dtype=np.float32), (count, 1))
    results = np.eye(3, dtype=np.float32)[np.minimum(actions[:, 0], 2)]
    leads = actions[:, 0].astype(np.float32) - 1
    return Samples(np.array([one.words for one in positions]), actions, shares, results, leads)


def trainer(**settings: Any) -> Trainer:
    return Trainer(GAME, SHAPE, settings=Settings(threads=1, warm_up=5, **settings), seed=1, device="cpu")


def train(one: Trainer, steps: int, seed: int, rate: float = 0.01) -> dict[str, float]:
    return one.train(samples(), steps=steps, batch_size=16, learning_rate=rate, seed=seed)


@pytest.mark.parametrize("normalised", [True, False], ids=["normalised", "plain"])
def test_training_lowers_the_losses(normalised: bool) -> None:
    one = trainer(normalised=normalised)
    first = train(one, steps=5, seed=1)
    train(one, steps=150, seed=2)
    last = train(one, steps=5, seed=3)
    assert last["policy_loss"] < 0.5 * first["policy_loss"]
    assert last["value_loss"] < 0.7 * first["value_loss"]
    assert last["policy_entropy"] < first["policy_entropy"]


def test_a_tower_can_learn_the_final_lead_without_changing_the_form_of_its_network() -> None:
    one = trainer(lead_weight=1.0)
    first = train(one, steps=5, seed=1)
    train(one, steps=150, seed=2)
    assert train(one, steps=5, seed=3)["lead_loss"] < 0.5 * first["lead_loss"]
    assert first["loss"] == pytest.approx(first["policy_loss"] + first["value_loss"] + first["lead_loss"])
    assert one.network().tensors.keys() == SHAPE.tensors.keys()
    assert "lead_loss" not in train(trainer(), steps=1, seed=1)


@pytest.mark.parametrize(
    "settings",
    [{"normalised": True}, {"normalised": False}, {"lead_weight": 0.5}],
    ids=["normalised", "plain", "with lead"],
)
def test_resumed_training_ends_in_the_same_bytes(settings: dict[str, Any]) -> None:
    one, other = trainer(**settings), trainer(**settings)
    train(one, steps=4, seed=1)
    saved = one.arrays()
    one_metrics = train(one, steps=4, seed=2)
    other.restore(saved)
    assert train(other, steps=4, seed=2) == one_metrics
    first, second = one.arrays(), other.arrays()
    assert first.keys() == second.keys()
    assert all(first[name].tobytes() == second[name].tobytes() for name in first)
    assert one.network().fingerprint() == other.network().fingerprint()
    assert one.steps == other.steps == 8


def test_equal_seeds_train_equal_networks() -> None:
    networks = []
    for seed in (1, 1, 2):
        one = trainer()
        train(one, steps=3, seed=seed)
        networks.append(one.network().fingerprint())
    assert networks[0] == networks[1] != networks[2]


def test_a_replay_buffer_gives_the_samples() -> None:
    replay = ReplayBuffer(words=GAME.facts.words, actions=4, width=2)
    replay.add(samples())
    metrics = trainer().train(replay, steps=2, batch_size=100, learning_rate=0.01, seed=1)
    assert metrics["policy_loss"] == pytest.approx(np.log(3.5), abs=0.4)


def test_samples_without_a_policy_only_teach_the_value() -> None:
    given = samples()
    unknown = given._replace(actions=np.full_like(given.actions, -1))
    metrics = trainer().train(unknown, steps=2, batch_size=16, learning_rate=0.01, seed=1)
    assert metrics["policy_loss"] == 0
    assert metrics["value_loss"] > 0


def test_illegal_actions_have_no_influence() -> None:
    full = GAME.parse("1111")
    one = samples(1)._replace(positions=full.words[None], actions=np.array([[1, -1]], np.int32))
    measured = trainer(normalised=False).train(one, steps=1, batch_size=1, learning_rate=0.01, seed=1)
    assert measured["policy_loss"] == pytest.approx(np.log(3), abs=0.02)
    assert measured["policy_entropy"] == pytest.approx(np.log(3), abs=0.02)


def test_training_continues_from_a_network() -> None:
    network = Network.random(GAME, SHAPE, seed=5)
    one = trainer(normalised=False)
    one.start_from(network)
    assert all(np.array_equal(one.network().tensors[name], network.tensors[name]) for name in network.tensors)


def test_a_loss_that_is_not_finite_names_the_step() -> None:
    one = trainer(normalised=False)
    train(one, steps=2, seed=1)
    with torch.no_grad():
        one.tower.input.bias[0] = torch.nan
    with pytest.raises(LearnerStateError, match="the loss is nan in step 3 of training"):
        train(one, steps=2, seed=1)


def test_a_state_of_another_network_is_refused() -> None:
    wider = NetworkShape.of(GAME, channels=5, blocks=1)
    with pytest.raises(LearnerStateError, match=r"must have the array weights\.input\.weight as float32"):
        Trainer(GAME, wider, device="cpu").restore(trainer().arrays())
    with pytest.raises(LearnerStateError, match="has no step count"):
        trainer().restore({})


def test_training_without_samples_is_refused() -> None:
    one, empty = trainer(), ReplayBuffer(words=GAME.facts.words, actions=4, width=2)
    with pytest.raises(LearnerStateError, match="there are no samples to train on"):
        one.train(empty, steps=1, batch_size=1, learning_rate=0.01, seed=1)


def test_running_out_of_gpu_memory_is_a_one_line_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object) -> None:
        raise torch.OutOfMemoryError

    one = trainer()
    monkeypatch.setattr(one, "_step", exhausted)
    with pytest.raises(OptionError, match="the GPU does not have enough memory for batches of 16 positions"):
        train(one, steps=1, seed=1)


def test_without_pytorch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in ("tower", "training"):
        monkeypatch.delitem(sys.modules, f"boardgames.learning.alphazero.{name}", raising=False)
        with pytest.raises(MissingExtraError, match="needs the extra 'neural'"):
            __import__(f"boardgames.learning.alphazero.{name}", fromlist=["Trainer"])
