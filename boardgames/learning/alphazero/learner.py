"""The learner `alphazero`: a network learns a game from scratch, from searches in matches against itself.

A step plays matches with the network as it was before the step, and meanwhile trains it on the samples
of earlier steps, so that all cores have work. Both end before the next step begins, so the result does not
depend on how fast they are.

Source: D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go
through self-play", 2018. The modules of this folder say what is different here.
"""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from boardgames.errors import LearnerStateError, OptionError
from boardgames.game import Game
from boardgames.learner import Array, Checkpoint, Learner, LearnerState, Scalar
from boardgames.learning.base import START, TEST_MATCHES, Configured
from boardgames.learning.metrics import is_step
from boardgames.networks import Network, NetworkShape, load_network
from boardgames.networks.shape import MAX_BLOCKS, MAX_CHANNELS
from boardgames.options import Option, is_finite
from boardgames.search.batched import BatchSearchOptions
from boardgames.search.batched.options import MAX_CONSIDERED, ROOTS
from boardgames.search.batched.searcher import LARGEST
from boardgames.selfplay import derive_seed

if TYPE_CHECKING:  # PyTorch and the kernels of self-play are loaded when training begins
    from boardgames.learning.alphazero.replay import ReplayBuffer
    from boardgames.learning.alphazero.selfplay import Played, SelfPlay
    from boardgames.learning.alphazero.tasks import SentNetwork
    from boardgames.learning.alphazero.training import Trainer

SECONDS_PER_MINUTE = 60
TRAINING, REPLAY, NETWORK, CRITICAL = "training.", "replay.", "network.", "critical."
"""Prefixes of the names of arrays in a state."""
DEFAULT_STEPS = 100
FIRST_WINDOW = 30_000
"""Up to this number of samples, all are kept; above it, the window grows more slowly than their number."""
TEST_PLIES = 4
"""Maximum number of random moves at the beginning of a test match."""
SEARCH = BatchSearchOptions()


class AlphaZero(Configured, Learner):
    """Self-play with a batched search, and training of a residual network with PyTorch."""

    name: ClassVar[str] = "alphazero"
    follows_curve: ClassVar[bool] = False
    extensible: ClassVar[tuple[str, ...]] = ("steps", "minutes")
    declared_options = (
        Option("steps", int, None, "number of steps; default: 100, or no limit with minutes", minimum=1,
               maximum=10**9),
        Option("minutes", float, None, "minutes of training, after which no new step begins",
               minimum=0.01, maximum=10**6),
        replace(START, summary="network to start with: a name, a run or a file; default: a random one"),
        Option("matches", int, 512, "matches per step", minimum=1, maximum=10**6),
        Option("parts", int, 2, "tasks into which the matches of a step are divided", minimum=1,
               maximum=1024),
        Option("simulations", int, 48, "simulations of a full search, from which the network learns",
               minimum=1, maximum=10**6),
        Option("fast_simulations", int, 12, "simulations of the other searches", minimum=1, maximum=10**6),
        Option("full_share", float, 0.3, "share of the moves that get a full search", minimum=0.001,
               maximum=1),
        Option("root", str, SEARCH.root, "how a search explores at its root", choices=ROOTS),
        Option("considered", int, SEARCH.considered, "moves that a Gumbel root samples", minimum=2,
               maximum=MAX_CONSIDERED),
        Option("forced", float, SEARCH.forced,
               "forced playouts: with noise, a move of the root with prior p gets at least sqrt(forced p n) "
               "of n simulations, which are then pruned from the policy", minimum=0, maximum=100),
        Option("random_plies", int, 12, "maximum number of random moves at the beginning of a match",
               minimum=0, maximum=1000),
        Option("lambda", float, 0.9,
               "trace decay: a value target is (1 - lambda) times the value of the search, plus lambda times "
               "the next position's target, or the result after the last one", minimum=0, maximum=1),
        Option("ply_limit", int, None, "plies after which a match ends; default: the game's limit",
               minimum=1, maximum=100_000),
        Option("channels", int, 32, "channels of the network", minimum=1, maximum=MAX_CHANNELS),
        Option("blocks", int, 3, "residual blocks of the network", minimum=0, maximum=MAX_BLOCKS),
        Option("pooled", int, 0, "how many of the last blocks see the whole board at once", minimum=0,
               maximum=100),
        Option("symmetries", bool, True, "train on symmetric images of positions"),
        Option("lead_weight", float, 0.0,
               "weight of learning to predict the final lead in points, which is only used in training",
               minimum=0, maximum=1000),
        Option("reuse", float, 4.0, "how often a sample is used in training, on average", minimum=0.01,
               maximum=1000),
        Option("batch_size", int, 64, "samples per step of the optimiser", minimum=1, maximum=100_000),
        Option("rate", float, 0.003, "learning rate at the beginning", minimum=1e-9, maximum=10),
        Option("device", str, "auto", "where to train; auto is a GPU if PyTorch finds one",
               choices=("auto", "cpu", "cuda")),
        Option("window", int, 500_000, "maximum number of samples that are kept", minimum=1,
               maximum=10**9),
        Option("test_every", int, 5, "number of steps between tests of the network", minimum=1,
               maximum=10**6),
        replace(TEST_MATCHES, summary="matches per test against the reference player, which give the score"),
        Option("critical", int, 0,
               "number of positions per test in which only some moves keep the result of perfect play; the "
               "game's solver finds them in the first step", minimum=0, maximum=LARGEST),
        Option("test_simulations", int, 32, "simulations per move in test matches and critical positions",
               minimum=1, maximum=10**6),
    )  # fmt: skip

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        facts, blocks = game.facts, self.integer("blocks")
        if self.integer("pooled") > blocks:
            raise OptionError(f"pooled must be at most blocks, {blocks}, not {self.integer('pooled')}")
        if -(-self.integer("matches") // self.integer("parts")) > LARGEST:
            raise OptionError(f"each part can have at most {LARGEST:,} matches; set parts to a larger number")
        if self._ply_limit is None and facts.ply_limit is None and facts.longest_match is None:
            raise OptionError(f"the rules of {facts.name} do not limit the length of a match; set ply_limit")
        if self.number("lead_weight") and not game.counts_points:
            raise OptionError(f"{facts.name} counts no points, so lead_weight must be 0")
        if self.integer("critical"):
            from boardgames.learning.critical import needed_solver

            needed_solver(game)
        self.shape = NetworkShape.of(
            game,
            channels=self.integer("channels"),
            blocks=blocks,
            pooled_blocks=tuple(range(max(0, blocks - self.integer("pooled")), blocks)),
        )

    @property
    def length(self) -> int | None:
        """Return the number of steps, or None if only time limits training."""
        if self.options["steps"] is None:
            return DEFAULT_STEPS if self.options["minutes"] is None else None
        return self.integer("steps")

    @property
    def self_play(self) -> "SelfPlay":
        """Return the settings of self-play."""
        from boardgames.learning.alphazero.selfplay import SelfPlay

        return SelfPlay(
            simulations=self.integer("simulations"),
            fast_simulations=self.integer("fast_simulations"),
            full_share=self.number("full_share"),
            random_plies=self.integer("random_plies"),
            trace_decay=self.number("lambda"),
            ply_limit=self._ply_limit,
            to_the_end=self.number("lead_weight") > 0,
            search=BatchSearchOptions(
                root=self.text("root"),  # type: ignore[arg-type]  # one of ROOTS
                considered=self.integer("considered"),
                forced=self.number("forced"),
            ),
        )

    def start(self, seed: int) -> LearnerState:
        """Return a state with a random network, or the given one, and no samples.

        Raises
        ------
        OptionError
            If the given network has another size.
        """
        trainer, replay = self._trainer(seed), self._replay()
        if self.text("start"):
            given = load_network(self.text("start"), self.game, any_layout=True)
            if given.shape != self.shape:
                raise OptionError(
                    f"the network {self.text('start')!r} has {given.shape.channels} channels and "
                    f"{given.shape.blocks} blocks, {len(given.shape.pooled_blocks)} of them pooled; set "
                    "channels, blocks and pooled to these numbers"
                )
            trainer.start_from(given)
        scalars: dict[str, Scalar] = {"step": 0, "seed": seed, "owed": 0.0}
        if self.options["minutes"] is not None:
            scalars["seconds"] = 0.0
        return _state(trainer, replay, scalars, {})

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Play matches, and train on the samples of earlier steps."""
        from boardgames.learning.alphazero.tasks import SentNetwork, play_against_itself

        begun = time.monotonic()
        step, seed = _integer(state, "step"), _integer(state, "seed")
        critical = self._critical_arrays(state)
        trainer, replay = self._restored(state)
        sent = SentNetwork.of(self.game, trainer.network())
        matches, parts = self.integer("matches"), min(self.integer("parts"), self.integer("matches"))
        futures = [
            executor.submit(
                play_against_itself, sent, matches // parts + (part < matches % parts), self.self_play,
                derive_seed(seed, self.name, step, part),
            )
            for part in range(parts)
        ]  # fmt: skip
        score, kept = None, None
        if self._is_tested(step):
            score = self._submit_test(sent, executor, derive_seed(seed, "test", step))
            kept = self._submit_critical(sent, executor, critical, seed)
        metrics, owed = self._train(trainer, replay, state)
        played = [future.result() for future in futures]
        for part in played:
            replay.add(part.samples)
        added = sum(part.samples.size for part in played)
        scalars = {**state.scalars, "step": step + 1, "owed": owed + added * self.number("reuse")}
        if score is not None:
            metrics["score"] = float(np.mean(score.result()))
        if kept is not None:
            metrics["policy_kept"], metrics["search_kept"] = kept.result()
        if self.options["minutes"] is not None:
            scalars["seconds"] = float(scalars.get("seconds") or 0) + time.monotonic() - begun
        metrics |= {**_counts(played), "samples": replay.size}
        return _state(trainer, replay, scalars, critical), metrics

    def is_done(self, state: LearnerState) -> bool:
        """Return whether all steps are done or the time is up."""
        return self._progress(state) >= 1

    def task_count(self, step: int) -> int:
        """Return the number of tasks for self-play and tests."""
        tests = bool(self.integer("test_matches")) + bool(self.integer("critical"))
        return min(self.integer("parts"), self.integer("matches")) + tests * self._is_tested(step)

    def _is_tested(self, step: int) -> bool:
        """Return whether a step tests the network; steps are counted from 0."""
        return step % self.integer("test_every") == 0

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return all weights of the network as one array."""
        tensors = self._tensors(state.arrays)
        return np.concatenate([tensors[name].ravel() for name in self.shape.tensors]).astype(np.float64)

    def saved(self, state: LearnerState) -> tuple[Mapping[str, Array], Mapping[str, object]]:
        """Return the arrays and the header of the network."""
        network = self.network(state)
        return dict(network.tensors), network.header()

    def result_in(self, checkpoint: Checkpoint) -> Network:
        """Return the network in a checkpoint."""
        return Network.from_arrays(checkpoint.arrays, checkpoint.header, checkpoint.path)

    def network(self, state: LearnerState) -> Network:
        """Return the network of a state, with averaged weights."""
        return Network.of(self.game, self.shape, self._tensors(state.arrays))

    def check(self, checkpoint: Checkpoint, seed: int) -> None:
        """Raise an error unless the state fits the network and the game."""
        scalars = checkpoint.state.scalars
        if not is_step(scalars.get("step")) or not is_finite(scalars.get("owed")):
            raise LearnerStateError(f"the state in {checkpoint.path} has no valid number of steps")
        self._check_critical(checkpoint)
        self._restored(LearnerState(checkpoint.state.arrays, {**scalars, "seed": seed}))

    def _check_critical(self, checkpoint: Checkpoint) -> None:
        arrays, facts, count = checkpoint.state.arrays, self.game.facts, self.integer("critical")
        for name, size, kind in (("positions", facts.words, np.uint64), ("keeping", facts.actions, np.bool_)):
            array = arrays.get(CRITICAL + name)
            found = 0 if array is None else len(array)
            if found != (count if checkpoint.state.scalars["step"] else 0):
                raise LearnerStateError(
                    f"the state in {checkpoint.path} has {found} critical positions; set critical to {found}"
                )
            if array is not None and (array.shape != (count, size) or array.dtype != kind):
                raise LearnerStateError(f"the critical positions in {checkpoint.path} are damaged")

    def agent_with(self, result: str) -> str:
        """Return the agent that plays with the network."""
        return f"alphazero:weights={result}"

    def matchups(self, result: str) -> Sequence[tuple[str, str]]:
        """Return the agent with `test_simulations` per move, and the baseline for searching agents."""
        facts = self.game.facts
        agent = f"alphazero:weights={result},simulations={self.integer('test_simulations')}"
        return ((agent, facts.search_baseline or facts.baseline),)

    def _train(
        self, trainer: "Trainer", replay: "ReplayBuffer", state: LearnerState
    ) -> tuple[dict[str, float], float]:
        """Train as often as the option `reuse` requires for the samples of earlier steps.

        Returns
        -------
        metrics : dict
        owed : float
            Number of samples still to be used in the next step, because they do not fill a batch.
        """
        from boardgames.learning.alphazero.training import scheduled

        batch_size = self.integer("batch_size")
        steps, owed = divmod(float(state.scalars["owed"] or 0), batch_size)
        metrics = {"rate": scheduled(self.number("rate"), self._progress(state)), "training_steps": steps}
        if steps:
            seed = derive_seed(state.scalars["seed"], "training", _integer(state, "step"))
            metrics |= trainer.train(
                replay, steps=int(steps), batch_size=batch_size, learning_rate=metrics["rate"], seed=seed
            )
        return metrics, owed

    def _submit_test(
        self, sent: "SentNetwork", executor: Executor, seed: int
    ) -> "Future[list[float]] | None":
        """Submit the network's test matches against the game's baseline, if there are any."""
        from boardgames.learning.alphazero.tasks import points_against

        if not self.integer("test_matches"):
            return None
        facts = self.game.facts
        return executor.submit(
            points_against, sent, facts.search_baseline or facts.baseline, self.integer("test_matches"),
            simulations=self.integer("test_simulations"),
            random_plies=min(self.integer("random_plies"), TEST_PLIES),
            ply_limit=self._ply_limit,
            seed=seed,
        )  # fmt: skip

    def _critical_arrays(self, state: LearnerState) -> dict[str, Array]:
        """Return the critical positions of a state, or find them in the first step."""
        from boardgames.learning.critical import find_critical_positions

        kept = {name: array for name, array in state.arrays.items() if name.startswith(CRITICAL)}
        if kept or not self.integer("critical"):
            return kept
        seed = derive_seed(_integer(state, "seed"), CRITICAL)
        found = find_critical_positions(self.game, self.integer("critical"), seed=seed)
        return {f"{CRITICAL}positions": found.positions, f"{CRITICAL}keeping": found.keeping}

    def _submit_critical(
        self, sent: "SentNetwork", executor: Executor, arrays: Mapping[str, Array], seed: int
    ) -> "Future[tuple[float, float]] | None":
        """Submit a test of the network in the critical positions, if there are any."""
        from boardgames.learning.alphazero.tasks import shares_kept
        from boardgames.learning.critical import CriticalPositions

        if not self.integer("critical"):
            return None
        critical = CriticalPositions(arrays[f"{CRITICAL}positions"], arrays[f"{CRITICAL}keeping"])
        return executor.submit(
            shares_kept, sent, critical, simulations=self.integer("test_simulations"),
            seed=seed,
        )  # fmt: skip

    def _progress(self, state: LearnerState) -> float:
        """Return the share of the training that is done, by steps or by time, whichever share is larger."""
        progress = 0.0 if self.length is None else _integer(state, "step") / self.length
        if self.options["minutes"] is not None:
            minutes = float(state.scalars.get("seconds") or 0) / SECONDS_PER_MINUTE
            progress = max(progress, minutes / self.number("minutes"))
        return progress

    def _trainer(self, seed: int) -> "Trainer":
        from boardgames.learning.alphazero.augmentation import Encoder
        from boardgames.learning.alphazero.training import Settings, Trainer

        # one thread, so that the result does not depend on the number of cores
        device = None if self.options["device"] == "auto" else self.text("device")
        settings = Settings(lead_weight=self.number("lead_weight"), threads=1)
        trainer = Trainer(self.game, self.shape, settings=settings, seed=seed, device=device)
        if not self.options["symmetries"]:
            trainer.encoder = Encoder(self.game, symmetries=False)
        return trainer

    def _replay(self) -> "ReplayBuffer":
        from boardgames.learning.alphazero.replay import MOST_SHARES, ReplayBuffer, Window

        facts, most = self.game.facts, self.integer("window")
        window = Window(least=min(FIRST_WINDOW, most), most=most)
        return ReplayBuffer(facts.words, facts.actions, min(MOST_SHARES, facts.actions), window)

    def _restored(self, state: LearnerState) -> "tuple[Trainer, ReplayBuffer]":
        trainer, replay = self._trainer(_integer(state, "seed")), self._replay()
        for part, prefix in ((trainer, TRAINING), (replay, REPLAY)):
            part.restore({
                name.removeprefix(prefix): array
                for name, array in state.arrays.items()
                if name.startswith(prefix)
            })  # fmt: skip
        return trainer, replay

    def _tensors(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        try:
            return {name: arrays[NETWORK + name] for name in self.shape.tensors}
        except KeyError as error:
            raise LearnerStateError(f"the state has no array {error}") from None

    @property
    def _ply_limit(self) -> int | None:
        return None if self.options["ply_limit"] is None else self.integer("ply_limit")


def _state(
    trainer: "Trainer", replay: "ReplayBuffer", scalars: Mapping[str, Scalar], critical: Mapping[str, Array]
) -> LearnerState:
    arrays = {
        **critical,
        **{TRAINING + name: array for name, array in trainer.arrays().items()},
        **{REPLAY + name: array for name, array in replay.arrays().items()},
        **{NETWORK + name: np.array(array) for name, array in trainer.network().tensors.items()},
    }
    return LearnerState(arrays, scalars)


def _counts(played: "Sequence[Played]") -> dict[str, float]:
    """Return the metrics of the matches of a step."""
    wins = np.sum([part.wins for part in played], axis=0)
    matches = float(wins.sum())
    return {
        "decided": float(wins[:2].sum()) / matches,
        "first_side": float(wins[0] + wins[2] / 2) / matches,
        "plies": sum(part.plies for part in played) / matches,
        "positions": float(sum(part.samples.size for part in played)),
        "evaluations": float(sum(part.evaluations for part in played)),
    }


def _integer(state: LearnerState, name: str) -> int:
    value = state.scalars[name]
    if not isinstance(value, int):
        raise LearnerStateError(f"the state has no integer {name!r}")
    return value
