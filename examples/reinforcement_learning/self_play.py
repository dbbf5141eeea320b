"""A PyTorch policy learns a game by playing against itself, hundreds of matches at a time.

The batch plays the matches in compiled code, and the network sees all their positions as one tensor. This is
an actor-critic: moves are drawn from the policy, and a move is encouraged if its match ended better for the
side that made it than the value had predicted.

Source: R. S. Sutton and A. G. Barto, "Reinforcement Learning: An Introduction", 2018, chapter 13.
"""

import argparse
import time

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

import boardgames
from boardgames import Batch

LEARNING_RATE = 1e-3
ENTROPY_WEIGHT = 0.1
MINIBATCH = 512
"""Number of moves, at most, from which the network learns in one step."""


class Network(nn.Module):
    """A policy and a value for observations, `int8[n, planes, rows, columns]`."""

    def __init__(self, shape: tuple[int, ...], actions: int, width: int = 128) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Flatten(), nn.Linear(int(np.prod(shape)), width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Categorical, Tensor]:
        """Return the distribution over legal actions, and the expected result from -1 to 1, `float32[n]`."""
        hidden = self.body(observations.float())
        logits = self.policy(hidden).masked_fill(~masks, -1e9)
        return Categorical(logits=logits), self.value(hidden).squeeze(-1).tanh()


def see(batch: Batch, which: Tensor) -> tuple[Tensor, Tensor]:
    """Return the observations and masks of some matches."""
    return torch.from_numpy(batch.observations())[which], torch.from_numpy(batch.masks())[which]


def play(batch: Batch, network: Network) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Play every match to its end; return observations, masks, actions and the mover's result, by move."""
    batch.reset()
    moves, returns = [], torch.zeros(batch.size, 2)
    while not batch.over.all():
        playing = torch.from_numpy(~batch.over).nonzero().squeeze(1)
        observations, masks = see(batch, playing)
        with torch.no_grad():
            chosen = network(observations, masks)[0].sample()
        moves.append((playing, torch.from_numpy(batch.sides)[playing], observations, masks, chosen))
        actions = torch.zeros(batch.size, dtype=torch.int64)
        actions[playing] = chosen
        returns += torch.from_numpy(batch.step(actions.numpy()).rewards)
    matches, sides, observations, masks, actions = (torch.cat(part) for part in zip(*moves, strict=True))
    return observations, masks, actions, returns[matches, sides]


def improve(batch: Batch, network: Network, optimizer: torch.optim.Optimizer) -> int:
    """Play one round of matches, learn from all of its moves once, and return their number."""
    observations, masks, actions, results = play(batch, network)
    for some in torch.randperm(len(actions)).chunk(1 + len(actions) // MINIBATCH):
        policy, values = network(observations[some], masks[some])
        errors = results[some] - values
        gain = (policy.log_prob(actions[some]) * errors.detach()).mean()
        loss = errors.square().mean() - gain - ENTROPY_WEIGHT * policy.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return len(actions)


@torch.no_grad()
def wins(batch: Batch, network: Network, side: int) -> float:
    """Return the share of matches that the network wins as `side` against random moves."""
    batch.reset()
    while not batch.over.all():
        policy, _ = network(*see(batch, torch.arange(batch.size)))
        batch.step(np.where(batch.sides == side, policy.probs.argmax(dim=1).numpy(), batch.sample()))
    return float(np.mean(batch.winners == side))


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description="Train a network by self-play.")
    parser.add_argument("game", help="name of a game, such as connect4")
    parser.add_argument("--minutes", type=float, default=2, help="length of the training; default: 2")
    parser.add_argument("--matches", type=int, default=256, help="matches played side by side; default: 256")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()

    # the network is small, so more threads would cost more time than they save, above all on a busy machine
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    game = boardgames.load(given.game)
    batch = Batch(game, given.matches, seed=given.seed)
    network = Network(game.observation().shape, game.facts.actions)
    optimizer = torch.optim.Adam(network.parameters(), LEARNING_RATE)
    end, moves = time.monotonic() + 60 * given.minutes, 0
    while time.monotonic() < end:
        moves += improve(batch, network, optimizer)
    for side, name in enumerate(game.facts.sides):
        print(f"as {name}, it wins {wins(batch, network, side):.0%} against random moves")
    print(f"{moves:,} moves")


if __name__ == "__main__":
    main()
