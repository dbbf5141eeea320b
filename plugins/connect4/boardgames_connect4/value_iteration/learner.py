"""The learner `value-iteration`: a table of abstract states, learned from self-play.

Each step plays some matches with the current policy, adds what was observed to its experience, and
recomputes the values of all states by value iteration; see
`boardgames_connect4.value_iteration.policy`. The matches are divided into tasks of a fixed size that all
use the same policy, so the result does not depend on the number of workers.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import ClassVar

from boardgames.errors import LearnerStateError
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import Checkpoint, LearnerState
from boardgames.learning.base import (
    PLY_LIMIT,
    START,
    TEST_BATCH,
    TEST_MATCHES,
    SteppedLearner,
    match_metrics,
    mean_points,
)
from boardgames.options import Option
from boardgames.selfplay import SelfPlaySetup, derive_seed
from boardgames.weights.lookup import find_source
from boardgames_connect4.value_iteration.abstraction import ABSTRACTIONS, find_abstraction
from boardgames_connect4.value_iteration.policy import (
    CHOOSE,
    GUARD_NAMES,
    MAX_GAMMA,
    REWARD,
    WINS_FIRST,
    ChoiceOptions,
    Experience,
    Policy,
    RecordedMatches,
    TablePlayer,
    play_recorded,
)

TASK = 10
"""Matches per task."""
TEST_OPENING = 4
"""Random opening plies of test matches."""
GAMMA = Option("gamma", float, 0.1, "discount factor", minimum=0, maximum=MAX_GAMMA)


class ValueIteration(SteppedLearner):
    """Value iteration on the transitions between abstract states that were observed in matches.

    Attributes
    ----------
    abstraction : StateAbstraction
        The states whose values are learned.
    setup : SelfPlaySetup
        Setup of the training matches.
    """

    name: ClassVar[str] = "value-iteration"
    follows_curve: ClassVar[bool] = False
    declared_options = (
        Option("abstraction", str, "tops", "state abstraction", choices=tuple(ABSTRACTIONS)),
        replace(START, summary="policy whose experience to start with: a name, a run or a file"),
        GAMMA,
        Option("epsilon", float, 0.1, "probability of a random move", minimum=0, maximum=1),
        CHOOSE,
        REWARD,
        GUARD_NAMES,
        WINS_FIRST,
        Option("steps", int, 20, "number of steps", minimum=1, maximum=10**9),
        Option("matches", int, 50, "matches per step", minimum=1, maximum=10**6),
        Option("opening", int, 1, "number of random opening plies", minimum=0, maximum=1000),
        PLY_LIMIT,
        TEST_MATCHES,
    )  # fmt: skip

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        self.abstraction = find_abstraction(self.text("abstraction"), game)
        self.setup = SelfPlaySetup.of(
            game, self.abstraction.name, opening=self.integer("opening"), ply_limit=self.integer("ply_limit")
        )
        self._choice_options = ChoiceOptions.read(self.options)

    def start(self, seed: int) -> LearnerState:
        """Return a state with the experience of the policy in the option `start`, or with none."""
        experience = Experience.empty(self.abstraction.states, self.game.facts.actions)
        if self.text("start"):
            policy = Policy.read(find_source(self.text("start"), self.game).path)
            policy.check(self.game, self.abstraction)
            experience = policy.experience
        return LearnerState(experience.arrays(), {"step": 0, "seed": seed})

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Play matches, learn from them, and score the policy."""
        step, seed = state.integer("step"), state.scalars["seed"]
        before = self.experience(state)
        played = self.play(
            self.player(before, epsilon=self.number("epsilon")), None, executor,
            matches=self.integer("matches"), task=TASK, seed=derive_seed(seed, "matches", step),
        )  # fmt: skip
        after = before.merged([one.experience for one in played])
        metrics = {
            **self._score(after, executor, derive_seed(seed, "test", step)),
            **match_metrics([match for one in played for match in one.matches]),
            "states": float(after.visited),
            "moves": float(len(after.pairs)),
            "transitions": float(len(after.links)),
            "sweeps": float(after.solve(self.number("gamma")).sweeps),
        }
        return LearnerState(after.arrays(), {**state.scalars, "step": step + 1}), metrics

    def weights(self, state: LearnerState) -> Reals:
        """Return the values of all states, `float64[states]`."""
        return self.experience(state).solve(self.number("gamma")).values

    def experience(self, state: LearnerState) -> Experience:
        """Return the experience that a training state contains.

        Raises
        ------
        LearnerStateError
            If its tables are damaged.
        """
        try:
            return Experience.from_arrays(self.abstraction.states, self.game.facts.actions, state.arrays)
        except ValueError as error:
            raise LearnerStateError(f"the state cannot be used: {error}") from None

    def agent_with(self, result: str) -> str:
        """Return the agent that plays by the policy."""
        return f"{self.name}:policy={result}"

    def matchups(self, result: str) -> Sequence[tuple[str, str]]:
        """Return two pairs of agents: the policy against `random`, and against the game's baseline."""
        opponents = dict.fromkeys(("random", self.game.facts.baseline))
        return [(self.agent_with(result), opponent) for opponent in opponents]

    def summary(self, state: LearnerState) -> str:
        """Return a text that says how much of the table has been visited."""
        return self.experience(state).describe()

    def header(self, state: LearnerState) -> Mapping[str, object]:
        """Return the header from which `Policy` can read a checkpoint."""
        experience, gamma = self.experience(state), self.number("gamma")
        return Policy(self.game.facts.name, self.abstraction.name, experience, gamma).header()

    def result_in(self, checkpoint: Checkpoint) -> Policy:
        """Return the policy in a checkpoint."""
        return Policy.from_arrays(checkpoint.arrays, checkpoint.header, checkpoint.path)

    def player(self, experience: Experience, *, epsilon: float = 0.0) -> TablePlayer:
        """Return a player that uses this experience and chooses moves by the options of this learner."""
        options = replace(self._choice_options, epsilon=epsilon)
        return TablePlayer(experience, self.number("gamma"), options)

    def play(
        self,
        first: TablePlayer,
        second: TablePlayer | None,
        executor: Executor,
        *,
        matches: int,
        task: int,
        seed: int,
        setup: SelfPlaySetup | None = None,
    ) -> Sequence[RecordedMatches]:
        """Play matches in tasks of `task` matches each."""
        futures = [
            executor.submit(
                play_recorded, setup or self.setup, first, second,
                matches=min(task, matches - begun), seed=derive_seed(seed, begun),
            )
            for begun in range(0, matches, task)
        ]  # fmt: skip
        return [future.result() for future in futures]

    def _score(self, experience: Experience, executor: Executor, seed: int) -> dict[str, float]:
        """Return the share of points against the game's evaluation one ply deep."""
        matches = self.integer("test_matches")
        if not matches:
            return {}
        setup = SelfPlaySetup.of(
            self.game, self.abstraction.name, opening=TEST_OPENING, ply_limit=self.integer("ply_limit")
        )
        played = self.play(
            self.player(experience), TablePlayer(depth=1), executor,
            matches=matches, task=TEST_BATCH, seed=seed, setup=setup,
        )  # fmt: skip
        return {"score": mean_points([match for one in played for match in one.matches])}
