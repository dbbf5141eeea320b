"""Training of a network on samples of self-play, with PyTorch (extra `neural`).

The loss of a sample is the cross-entropy between the shares of its actions and the policy, over legal
actions only, plus the cross-entropy between its result and the value. In games with points, a third head
can learn to predict the final lead, which helps the tower to learn; its loss is the squared error. AdamW
minimises the sum. The network that plays has the average of the weights over the last steps, which is
stronger than the last weights.

`Trainer.arrays` has everything that changes, so resumed training gives the same bytes as uninterrupted
training if PyTorch uses the same number of threads on the same kind of processor.

Sources: D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go
through self-play", 2018; I. Loshchilov and F. Hutter, "Decoupled weight decay regularization", 2019.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from boardgames.errors import LearnerStateError, MissingExtraError, OptionError
from boardgames.game import Game, observation_of
from boardgames.learner import Array
from boardgames.learning.alphazero.augmentation import Encoder, TrainingBatch
from boardgames.learning.alphazero.replay import Indices, Samples, draw
from boardgames.networks import Network, NetworkShape

try:
    import torch
    from torch.nn import functional

    from boardgames.learning.alphazero.tower import Tower
except ImportError:
    raise MissingExtraError("neural", "training a network") from None

MOMENTS = (0.9, 0.999)
ILLEGAL = -1e9
"""The logit of actions that are not legal, so that their probability is 0."""


class Source(Protocol):
    """A source of training samples: a `ReplayBuffer` or `Samples`."""

    @property
    def size(self) -> int:
        """The number of samples."""

    def take(self, chosen: Indices) -> Samples:
        """Return the samples with these indices."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a network is trained.

    Attributes
    ----------
    normalised : bool
        Whether to use batch normalisation in training.
    weight_decay : float
        Decoupled weight decay of AdamW.
    value_weight : float
        Weight of the value loss; the policy loss has the weight 1.
    lead_weight : float
        Weight of the lead loss; 0 leaves the head out.
    average : float
        Decay of the exponential moving average of the weights.
    max_gradient_norm : float
        Gradients are clipped to this norm.
    warm_up : int
        Number of steps during which the learning rate rises to its full value.
    threads : int or None
        Number of threads that PyTorch uses; by default its own choice.
    """

    normalised: bool = True
    weight_decay: float = 1e-3
    value_weight: float = 1.0
    lead_weight: float = 0.0
    average: float = 0.999
    max_gradient_norm: float = 4.0
    warm_up: int = 100
    threads: int | None = None


class Trainer:
    """A network in training, with the moments of AdamW and the averaged weights.

    Parameters
    ----------
    game : Game
        The game.
    shape : NetworkShape
        The shape of the network.
    settings : Settings
        How to train.
    seed : int
        Determines the initial weights.
    device : str, optional
        `cpu` or `cuda`; by default a GPU if PyTorch finds one.

    Attributes
    ----------
    steps : int
        The number of steps so far.

    Raises
    ------
    MissingExtraError
        When the module is imported without PyTorch.
    """

    def __init__(
        self,
        game: Game,
        shape: NetworkShape,
        *,
        settings: Settings | None = None,
        seed: int = 0,
        device: str | None = None,
    ) -> None:
        self.game, self.shape = game, shape
        self.settings = settings or Settings()
        self.encoder = Encoder(game)
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self.tower = Tower(
            shape,
            scales=observation_of(game).scales,
            normalised=self.settings.normalised,
            predicts_lead=self.settings.lead_weight > 0,
            seed=seed,
        ).to(self.device)
        self._names = METRICS if self.tower.lead is None else (*METRICS, LEAD_LOSS)
        self.average = deepcopy(self.tower).requires_grad_(False).eval()
        matrices = [one for one in self.tower.parameters() if one.dim() > 1]
        vectors = [one for one in self.tower.parameters() if one.dim() == 1]
        self._optimiser = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": self.settings.weight_decay},
                {"params": vectors, "weight_decay": 0.0},
            ],
            betas=MOMENTS,
            fused=True,
        )
        self.steps = 0

    def train(
        self, source: Source, *, steps: int, batch_size: int, learning_rate: float, seed: int
    ) -> dict[str, float]:
        """Train on random samples, each under a random symmetry, and return the mean metrics of the steps.

        Parameters
        ----------
        source : ReplayBuffer or Samples
            The samples; none is used again before all have been used.
        steps, batch_size : int
            Number of steps, and of samples in each of them.
        learning_rate : float
            The learning rate of AdamW after the warm-up.
        seed : int
            Determines which samples and which symmetries are used.

        Returns
        -------
        dict
            `loss`, `policy_loss` and `value_loss`; `policy_entropy` of the network; `value_accuracy`,
            the share of samples whose most likely result the network predicts; `gradient_norm`; with a
            head for the lead, `lead_loss`.

        Raises
        ------
        LearnerStateError
            If there are no samples, or the loss is not finite.
        OptionError
            If the GPU does not have enough memory.
        """
        if not source.size:
            raise LearnerStateError("there are no samples to train on")
        order = draw(source.size, steps * batch_size, seed).reshape(steps, batch_size)
        images = np.random.default_rng([seed % 2**63, 1]).integers(
            self.encoder.images.count, size=order.shape
        )
        sums = torch.zeros(len(self._names), dtype=torch.float64)
        self.tower.train()
        with _threads(self.settings.threads):
            for chosen, image in zip(order, images, strict=True):
                batch = self.encoder.batch(source.take(chosen), image)
                try:
                    sums += self._step(batch, learning_rate)
                except torch.OutOfMemoryError:
                    raise OptionError(
                        f"the GPU does not have enough memory for batches of {batch_size} positions; use "
                        "smaller batches or a smaller network"
                    ) from None
        return dict(zip(self._names, (sums / max(steps, 1)).tolist(), strict=True))

    def network(self, provenance: Mapping[str, Any] | None = None) -> Network:  # JSON values
        """Return the network with the averaged weights."""
        return Network.of(self.game, self.shape, self.average.export(), provenance=provenance)

    def arrays(self) -> dict[str, Array]:
        """Return weights, averages and moments as named arrays, for `restore`."""
        arrays: dict[str, Array] = {"steps": np.array([self.steps], dtype=np.int64)}
        for part, tensors in self._tensors().items():
            for name, tensor in tensors.items():
                arrays[f"{part}.{name}"] = tensor.detach().cpu().numpy().copy(order="C")
        return arrays

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Continue from arrays that `arrays` returned.

        Raises
        ------
        LearnerStateError
            If an array is missing or of another shape.
        """
        parts, steps = self._tensors(), arrays.get("steps")
        if steps is None or steps.shape != (1,):
            raise LearnerStateError("the training state has no step count")
        for part, tensors in parts.items():
            for name, tensor in tensors.items():
                given = arrays.get(f"{part}.{name}")
                if given is None or given.shape != tuple(tensor.shape) or given.dtype != np.float32:
                    raise LearnerStateError(
                        f"the state of training must have the array {part}.{name} as float32 of shape "
                        f"{tuple(tensor.shape)}"
                    )
        self.steps = int(steps[0])
        with torch.no_grad():
            for part, tensors in parts.items():
                for name, tensor in tensors.items():
                    tensor.copy_(torch.from_numpy(np.array(arrays[f"{part}.{name}"])))
            for moments in self._optimiser.state.values():
                moments["step"].fill_(self.steps)

    def start_from(self, network: Network) -> None:
        """Start from the weights of a network.

        Raises
        ------
        WeightsError
            If the network has another shape.
        """
        for tower in (self.tower, self.average):
            tower.restore(network.tensors)

    def _step(self, batch: TrainingBatch, learning_rate: float) -> torch.Tensor:
        """Take a step on a batch and return its metrics."""
        settings = self.settings
        losses = _losses(self.tower, batch, self.device)
        loss = losses["policy_loss"] + settings.value_weight * losses["value_loss"]
        if LEAD_LOSS in losses:
            loss = loss + settings.lead_weight * losses[LEAD_LOSS]
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # has no types
        gradient = torch.nn.utils.clip_grad_norm_(self.tower.parameters(), settings.max_gradient_norm)
        known = losses | {"loss": loss, "gradient_norm": gradient}
        measured = [known[name] for name in self._names]
        values = torch.stack([one.detach() for one in measured]).double().cpu()
        if not torch.isfinite(values).all():
            raise LearnerStateError(
                f"the loss is {float(values[0])} in step {self.steps + 1} of training; use a lower learning "
                "rate"
            )
        rate = learning_rate * min(1.0, (self.steps + 1) / max(settings.warm_up, 1))
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        self._optimiser.step()
        self.steps += 1
        # at first a plain average over all steps, so that it soon forgets the initial weights
        change = max(1 - settings.average, 1 / (self.steps + 1))
        with torch.no_grad():
            torch._foreach_lerp_(_values(self.average), _values(self.tower), change)
        return values

    def _tensors(self) -> dict[str, dict[str, torch.Tensor]]:
        """Return all tensors that change, by part and name."""
        parts = {"weights": self.tower.state_dict(), "average": self.average.state_dict()}
        moments: dict[str, dict[str, torch.Tensor]] = {"first": {}, "second": {}}
        for name, parameter in self.tower.named_parameters():
            state = self._optimiser.state[parameter]
            if not state:
                state["step"] = torch.zeros((), dtype=torch.float32, device=self.device)
                state["exp_avg"] = torch.zeros_like(parameter)
                state["exp_avg_sq"] = torch.zeros_like(parameter)
            moments["first"][name], moments["second"][name] = state["exp_avg"], state["exp_avg_sq"]
        return {**parts, **moments}


METRICS = ("loss", "policy_loss", "value_loss", "policy_entropy", "value_accuracy", "gradient_norm")
LEAD_LOSS = "lead_loss"
HALF_LEAD = 3.0
"""The target for a lead m is m / (HALF_LEAD + |m|), so that a point matters most in a close match."""


def scheduled(peak: float, progress: float, *, last: float = 0.05) -> float:
    """Return a learning rate that falls along half a cosine, from `peak` to `last` times `peak`.

    Parameters
    ----------
    peak : float
        The learning rate at the beginning.
    progress : float
        The share of the training that is done, by steps or by time, 0 to 1.
    last : float
        The final learning rate, as a share of `peak`.

    Examples
    --------
    >>> [round(scheduled(0.01, progress), 4) for progress in (0, 0.5, 1)]
    [0.01, 0.0053, 0.0005]
    """
    return peak * (last + (1 - last) * (1 + math.cos(math.pi * min(max(progress, 0.0), 1.0))) / 2)


def _losses(tower: Tower, batch: TrainingBatch, device: torch.device) -> dict[str, torch.Tensor]:
    """Return the losses and other metrics of a batch."""
    planes, policies = torch.from_numpy(batch.planes).to(device), torch.from_numpy(batch.policies).to(device)
    legal, results = torch.from_numpy(batch.legal).to(device), torch.from_numpy(batch.results).to(device)
    channels = tower.trunk(planes)
    logits, value = tower.policy(channels), tower.value(channels)
    log_policy = functional.log_softmax(torch.where(legal, logits, ILLEGAL), dim=1)
    log_value = functional.log_softmax(value, dim=1)
    with_policy = policies.sum(dim=1).count_nonzero().clamp(min=1)
    entropies = -(log_policy.detach().exp() * log_policy.detach()).sum(dim=1)
    losses = {
        "policy_loss": -(policies * log_policy).sum() / with_policy,
        "value_loss": -(results * log_value).sum() / len(results),
        "policy_entropy": entropies.mean(),
        "value_accuracy": (value.argmax(dim=1) == results.argmax(dim=1)).float().mean(),
    }
    if tower.lead is not None:
        leads = torch.from_numpy(batch.leads).to(device)
        target = leads / (HALF_LEAD + leads.abs())
        losses[LEAD_LOSS] = functional.mse_loss(torch.tanh(tower.lead(channels)[:, 0]), target)
    return losses


def _values(tower: Tower) -> list[torch.Tensor]:
    return list(tower.state_dict().values())


@contextmanager
def _threads(count: int | None) -> Iterator[None]:
    """Make PyTorch use this number of threads within the block."""
    before = torch.get_num_threads()
    if count is not None:
        torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
