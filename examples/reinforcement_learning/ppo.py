"""Proximal policy optimization: a PyTorch network learns a game from matches against an agent.

Everything is in this file, so that it can be read from top to bottom and changed.

Sources: J. Schulman et al., "Proximal Policy Optimization Algorithms", 2017; S. Huang and S. Ontañón, "A
Closer Look at Invalid Action Masking in Policy Gradient Algorithms", 2022, for the masks of legal actions.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import Tensor, nn
from torch.distributions import Categorical

import boardgames
from boardgames.adapters.vector import VersusVectorEnv

STEPS = 64
"""Number of steps in every match between two updates of the network."""
EPOCHS, MINIBATCHES = 4, 4
DISCOUNT, LAMBDA = 0.99, 0.95
CLIP = 0.2
ENTROPY_WEIGHT, VALUE_WEIGHT = 0.01, 0.5
MAX_GRADIENT_NORM = 0.5
LEARNING_RATE = 1e-3
REPORT_S = 15
"""Seconds between two lines of progress."""


class Network(nn.Module):
    """A policy and a value for observations, `int8[n, planes, rows, columns]`."""

    def __init__(self, shape: tuple[int, ...], actions: int, width: int = 256) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Flatten(),
            nn.Linear(int(np.prod(shape)), width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
        )
        self.policy = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)
        nn.init.normal_(self.policy.weight, std=0.01)  # all moves are almost equally likely at first

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Categorical, Tensor]:
        """Return the distribution over legal actions, and the expected return, `float32[n]`."""
        hidden = self.body(observations.float())
        logits = self.policy(hidden).masked_fill(~masks, -1e9)
        return Categorical(logits=logits), self.value(hidden).squeeze(-1)


@dataclass
class Rollout:
    """What happened in `STEPS` steps of all matches; each list has one array per step."""

    observations: list[Tensor] = field(default_factory=list)
    masks: list[Tensor] = field(default_factory=list)
    actions: list[Tensor] = field(default_factory=list)
    log_probabilities: list[Tensor] = field(default_factory=list)
    values: list[Tensor] = field(default_factory=list)
    rewards: list[Tensor] = field(default_factory=list)
    ends: list[Tensor] = field(default_factory=list)

    def advantages(self, next_value: Tensor) -> Tensor:
        """Return how much better each action was than expected, by generalized advantage estimation."""
        advantages, advantage = [], torch.zeros_like(next_value)
        for step in reversed(range(len(self.rewards))):
            going_on = 1 - self.ends[step].float()
            surprise = self.rewards[step] + DISCOUNT * going_on * next_value - self.values[step]
            advantage = surprise + DISCOUNT * LAMBDA * going_on * advantage
            advantages.append(advantage)
            next_value = self.values[step]
        return torch.stack(advantages[::-1])


class Learner:
    """Plays matches with a network and improves it.

    Parameters
    ----------
    envs : VersusVectorEnv
        Matches against the opponent, with the autoreset mode `SAME_STEP`.
    seed : int
        Seed of the network, of the matches and of the order of the samples.
    """

    def __init__(self, envs: VersusVectorEnv, seed: int) -> None:
        torch.manual_seed(seed)
        self.envs = envs
        shape, actions = envs.single_observation_space.shape, envs.single_action_space
        assert shape is not None
        self.network = Network(shape, int(actions.n))  # type: ignore[attr-defined]  # a Discrete space
        self.optimizer = torch.optim.Adam(self.network.parameters(), LEARNING_RATE, eps=1e-5)
        self.observations, self.masks = tensors(*envs.reset(seed=seed))
        self.results: list[float] = []
        """The rewards at the end of the matches since they were last cleared."""

    def improve(self) -> None:
        """Play `STEPS` moves in every match, and then update the network."""
        rollout = self.play()
        with torch.no_grad():
            advantages = rollout.advantages(self.network(self.observations, self.masks)[1]).flatten()
        observations, masks = torch.cat(rollout.observations), torch.cat(rollout.masks)
        actions, old = torch.cat(rollout.actions), torch.cat(rollout.log_probabilities)
        returns = advantages + torch.cat(rollout.values)
        for _ in range(EPOCHS):
            for some in torch.randperm(len(actions)).chunk(MINIBATCHES):
                policy, values = self.network(observations[some], masks[some])
                scaled = (advantages[some] - advantages[some].mean()) / (advantages[some].std() + 1e-8)
                ratio = (policy.log_prob(actions[some]) - old[some]).exp()
                gain = torch.minimum(scaled * ratio, scaled * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
                value_loss = (values - returns[some]).square().mean()
                loss = -gain + VALUE_WEIGHT * value_loss - ENTROPY_WEIGHT * policy.entropy().mean()
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), MAX_GRADIENT_NORM)
                self.optimizer.step()

    @torch.no_grad()
    def play(self) -> Rollout:
        """Play `STEPS` moves in every match, drawn from the policy."""
        rollout = Rollout()
        for _ in range(STEPS):
            policy, values = self.network(self.observations, self.masks)
            actions = policy.sample()
            rollout.observations.append(self.observations)
            rollout.masks.append(self.masks)
            rollout.actions.append(actions)
            rollout.log_probabilities.append(policy.log_prob(actions))
            rollout.values.append(values)
            observations, rewards, terminated, truncated, infos = self.envs.step(actions.numpy())
            ends = terminated | truncated
            rollout.rewards.append(torch.from_numpy(rewards))
            rollout.ends.append(torch.from_numpy(ends))
            self.results += rewards[ends].tolist()
            self.observations, self.masks = tensors(observations, infos)
        return rollout


def tensors(observations: np.ndarray[Any, Any], infos: dict[str, Any]) -> tuple[Tensor, Tensor]:
    """Return observations and the masks of legal actions as tensors."""
    return torch.from_numpy(observations), torch.from_numpy(infos["action_mask"])


@torch.no_grad()
def measure(network: Network, envs: VersusVectorEnv, seed: int) -> tuple[int, int, int]:
    """Play the most likely moves in one match per environment; return how many were won, lost and drawn.

    The autoreset mode of `envs` must be `DISABLED`.
    """
    observations, infos = envs.reset(seed=seed)
    total = np.zeros(envs.num_envs)
    while infos["action_mask"].any():
        policy, _ = network(*tensors(observations, infos))
        observations, rewards, _, _, infos = envs.step(policy.probs.argmax(dim=1).numpy())
        total += rewards
    return int((total > 0).sum()), int((total < 0).sum()), int((total == 0).sum())


def train(
    make: Callable[..., VersusVectorEnv], *, minutes: float, matches: int, measured: int, seed: int
) -> None:
    """Train a network for some minutes, and print its results against the opponent before and after.

    `make` returns environments, given their number and `autoreset_mode`.
    """
    learner = Learner(make(matches, autoreset_mode=AutoresetMode.SAME_STEP), seed)
    judges = make(measured, autoreset_mode=AutoresetMode.DISABLED)
    print(f"before training: {text(measure(learner.network, judges, seed))}", flush=True)
    start = reported = time.monotonic()
    steps = 0
    while time.monotonic() < start + 60 * minutes:
        learner.improve()
        steps += STEPS * matches
        now = time.monotonic()
        if now > reported + REPORT_S and learner.results:
            mean = np.mean(learner.results)
            print(f"{now - start:4.0f} s, {steps:,} moves: mean reward {mean:+.2f}", flush=True)
            learner.results.clear()
            reported = now
    print(f"after {steps:,} moves: {text(measure(learner.network, judges, seed))}")


def text(results: tuple[int, int, int]) -> str:
    """Return results in words."""
    return "{} won, {} lost, {} drawn".format(*results)


def assignment(text: str) -> tuple[str, str]:
    """Return the name and the value in `NAME=VALUE`."""
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"write NAME=VALUE, not {text!r}")
    return name, value


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description="Train a network by PPO against an agent.")
    parser.add_argument("game", help="name of a game, such as connect4")
    parser.add_argument("--opponent", default="greedy", metavar="AGENT", help="default: greedy")
    parser.add_argument(
        "--option",
        type=assignment,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="option of the game; repeatable",
    )
    parser.add_argument("--ply-limit", type=int, metavar="N", help="plies after which a match ends")
    parser.add_argument("--minutes", type=float, default=5, help="length of the training; default: 5")
    parser.add_argument("--matches", type=int, default=32, help="matches played side by side; default: 32")
    parser.add_argument("--measured", type=int, default=200, help="matches before and after; default: 200")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    # the network is small, so more threads would cost more time than they save, above all on a busy machine
    torch.set_num_threads(1)
    game = boardgames.load(given.game, **dict(given.option))

    def make(count: int, autoreset_mode: AutoresetMode) -> VersusVectorEnv:
        return VersusVectorEnv(
            game,
            count,
            given.opponent,
            side="random",
            ply_limit=given.ply_limit,
            autoreset_mode=autoreset_mode,
        )

    train(make, minutes=given.minutes, matches=given.matches, measured=given.measured, seed=given.seed)


if __name__ == "__main__":
    main()
