"""The examples of reinforcement learning: networks get better, and agents meet bots of OpenSpiel."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import boardgames
from boardgames import Batch

torch = pytest.importorskip("torch", reason="the examples need PyTorch")

FOLDER = Path(__file__).parents[1] / "examples" / "reinforcement_learning"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Return a function that imports a program."""

    def imported(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)  # dataclasses look for their module there
        spec.loader.exec_module(module)
        return module

    return imported


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.mark.slow
def test_ppo_learns_to_beat_its_opponent(example: Callable[[str], ModuleType]) -> None:
    from gymnasium.vector import AutoresetMode

    from boardgames.adapters.vector import VersusVectorEnv

    ppo = example("ppo")
    game = boardgames.load("connect4", columns=5, rows=4)
    training = VersusVectorEnv(game, 32, side="random", autoreset_mode=AutoresetMode.SAME_STEP)
    judges = VersusVectorEnv(game, 200, side="random", autoreset_mode=AutoresetMode.DISABLED)
    learner = ppo.Learner(training, 1)
    before = ppo.measure(learner.network, judges, 1)
    for _ in range(25):
        learner.improve()
    after = ppo.measure(learner.network, judges, 1)
    assert sum(before) == sum(after) == 200
    assert after[0] > before[0] + 20
    assert after[0] > 140


@pytest.mark.slow
def test_an_actor_critic_learns_from_matches_against_itself(example: Callable[[str], ModuleType]) -> None:
    self_play = example("self_play")
    torch.manual_seed(1)
    game = boardgames.load("connect4", columns=6, rows=5)
    batch = Batch(game, 256, seed=1)
    network = self_play.Network(game.observation().shape, game.facts.actions)
    optimizer = torch.optim.Adam(network.parameters(), self_play.LEARNING_RATE)

    def wins() -> float:
        return float(self_play.wins(batch, network, 0) + self_play.wins(batch, network, 1)) / 2

    before = wins()
    for _ in range(40):
        self_play.improve(batch, network, optimizer)
    assert wins() > before + 0.1


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["ppo connect4 --measured 2", "self_play connect4"])
def test_pytorch_does_not_compete_for_cores(
    example: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, arguments: str
) -> None:
    name, *others = arguments.split()
    program = example(name)
    monkeypatch.setattr(sys, "argv", [name, *others, "--minutes", "0", "--matches", "2"])
    torch.set_num_threads(2)
    program.main()
    assert torch.get_num_threads() == 1


@pytest.mark.slow
def test_agents_and_bots_of_openspiel_meet_in_a_tournament(
    example: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not available everywhere")
    tournament = example("tournament")
    monkeypatch.setattr(sys, "argv", ["tournament.py", "connect4", "--rounds", "1"])
    tournament.main()
    table = [line.rsplit(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert {name.strip() for name, _ in table} == {
        "uniform",
        "OpenSpiel's mcts",
        "our mcts",
        "our alphabeta",
    }
    points = [float(total) for _, total in table]
    assert sum(points) == 0  # a zero-sum game
    assert points == sorted(points, reverse=True)
    assert table[-1][0].strip() == "uniform"
