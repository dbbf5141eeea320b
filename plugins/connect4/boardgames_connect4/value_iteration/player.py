"""The player `value-iteration`: chooses moves by a policy of abstract states, and can continue to learn.

With `adapt` it learns from its own moves during a match, and forgets that afterwards; the option's
value is the weight of each move. With `learn` it also saves what it has observed, together with the
result, as the player `td` does: to the file of the policy, or to a copy in the user's data folder if
the file is a plug-in's or a run's.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from boardgames.errors import OptionError, UnknownNameError, WeightsError
from boardgames.game import Game, Outcome, Position
from boardgames.kernels import new_control
from boardgames.kernels.bundles import Bundle
from boardgames.learning.player import check_target
from boardgames.options import Option
from boardgames.paths import check_writable
from boardgames.player import NO_CONTEXT, NO_LIMIT, Analysis, Choice, Context, Limit, MoveValue, Player
from boardgames.score import Score, Unit
from boardgames.weights.lookup import Source, find_source, learned_copy
from boardgames_connect4.value_iteration import table_play
from boardgames_connect4.value_iteration.abstraction import find_abstraction, tops
from boardgames_connect4.value_iteration.learner import GAMMA
from boardgames_connect4.value_iteration.policy import (
    CHOOSE,
    GUARD_NAMES,
    REWARD,
    WINS_FIRST,
    ChoiceOptions,
    Experience,
    Policy,
)
from boardgames_connect4.value_iteration.table_play import NO_STATE

VALUE = Unit("value", "values of moves", half_return=4.0)
"""Unit of the values of moves: rewards, with the weight of success that the option `choose` sets."""


class PolicyPlayer(Player):
    """Plays by a policy; see the modules `table_play` and `policy`.

    If a move is taken back, what was learned from it is dropped, too. One player may play both sides. If
    two players save to the same file, the last one overwrites what the other has saved.

    Attributes
    ----------
    saves_to : Path or None
        The file to save to; None if the player does not learn.

    Raises
    ------
    OptionError, UnknownNameError, WeightsError, FileError
        If the policy cannot be found or read, or is for another game.
    """

    name: ClassVar[str] = "value-iteration"
    declared_options = (
        Option(
            "policy", str, None, "a run or a file; default: the policy that comes with the game",
            file="read", role="run",
        ),
        replace(GAMMA, default=None, summary="discount factor; default: as the policy was learned"),
        CHOOSE,
        REWARD,
        GUARD_NAMES,
        WINS_FIRST,
        Option("epsilon", float, 0.1, "probability of a random move", minimum=0, maximum=1),
        Option(
            "bound", float, 2.0, "a random move must be worth less than this below the best one",
            minimum=0, maximum=1e6,
        ),
        Option(
            "adapt", int, 0, "weight of each own move in the experience until the end of the match",
            minimum=0, maximum=10**6,
        ),
        Option("learn", bool, False, "learn while playing, and save the policy after each match"),
        Option(
            "save", str, None, "file to save to; default: that of the policy, or a copy if it is not yours",
            file="write",
        ),
    )  # fmt: skip
    respects_limits: ClassVar[bool] = False

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        source, self.saves_to = self._files()
        if self.saves_to is not None:
            check_writable(self.saves_to)  # report errors now, not after a match
        self._policy = Policy.read(source)
        self._begun = str(self._policy.provenance.get("begun") or self._policy.fingerprint())
        self._abstraction = find_abstraction(self._policy.abstraction, game)
        self._policy.check(game, self._abstraction)
        if self.options["gamma"] is not None:
            self._policy = replace(self._policy, gamma=self._number("gamma"))
        states = self._abstraction.states
        self._choice_options = ChoiceOptions.read(
            self.options, epsilon=self._number("epsilon"), bound=self._number("bound")
        )
        self._workspace = table_play.new_workspace(
            game, self._abstraction, np.zeros((states, game.facts.actions)), np.zeros((2, states)),
            self._choice_options.record(), control=new_control(),
        )  # fmt: skip
        self._bundle = Bundle(self._workspace)
        self._solve(self._policy.experience)
        self._adapted = False
        self._paths: dict[int, tuple[Position, ...]] = {}
        self._has_saved = False

    @property
    def saved_to(self) -> Path | None:
        """Return the file that was saved after the last match, or None if none was."""
        return self.saves_to if self._has_saved else None

    @property
    def is_learning(self) -> bool:
        """Return whether the player learns while playing."""
        return self.saves_to is not None

    @property
    def policy(self) -> Policy:
        """Return the current policy, without what the player has observed in the current match."""
        return self._policy

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return a winning move, one that a guard demands, the best one, or a random one nearly as good."""
        started = time.perf_counter()
        actions, side = context.sound_actions(self._check_position(position)), position.side_to_move
        path = (*context.history, position)
        self._adapt(path, side)
        values = self._values(position, actions)
        seed = np.array([int(self.random.integers(2**63))], dtype=np.uint64)
        action = int(table_play.choose(self._bundle.words, len(actions), seed))
        move = position.game.decode(position, action)
        self._paths[side] = (*path, position.apply(move))
        score = Score.of(values[actions.index(action)], VALUE)
        return Choice(move, score, (move,), 1, len(actions), time.perf_counter() - started)

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the values of all legal moves, or of the best `lines` of them; guards are ignored."""
        started = time.perf_counter()
        self._check_position(position, lines=lines)
        self._adapt((*context.history, position), position.side_to_move)
        moves = []
        actions = context.legal_actions(position)
        for action, value in zip(actions, self._values(position, actions), strict=True):
            move = position.game.decode(position, action)
            is_over = position.apply(move).outcome is not None
            moves.append(MoveValue(move, Score.of(value, VALUE), is_over, (move,)))
        moves.sort(key=lambda entry: entry.score, reverse=True)
        best, seconds = moves[0], time.perf_counter() - started
        returned = tuple(moves[:lines])
        return Analysis(position, best.score, VALUE, best.proven, returned, 1, len(moves), seconds)

    def match_started(self, side: int) -> None:
        """Forget the previous match."""
        self._paths = {}
        self._has_saved = False
        if self._adapted:
            self._solve(self._policy.experience)
            self._adapted = False

    def match_ended(self, outcome: Outcome) -> None:
        """Add the match to the policy and save it, if the player learns.

        Raises
        ------
        FileError
            If it cannot be saved.
        """
        paths, self._paths = self._paths, {}
        if self.saves_to is None or not paths:
            return
        observed = [
            self._observed(path, side, outcome.winner if outcome.winner == side else None)
            for side, path in paths.items()
        ]
        before = self._policy.provenance
        matches = before.get("matches")
        provenance = {
            "player": self.name,
            "begun": self._begun,
            "matches": 1 + (matches if "begun" in before and isinstance(matches, int) else 0),
        }
        experience = self._policy.experience.merged(observed)
        self._policy = replace(self._policy, experience=experience, provenance=provenance)
        self._policy.write(self.saves_to)
        self._has_saved = True
        self._solve(experience)
        self._adapted = False

    def fingerprint(self) -> str:
        """Return the hash of the current policy."""
        return self._policy.fingerprint()

    def label(self) -> str:
        """Return the description of the player and, if it learns, the file to which it saves."""
        return self.describe() + (f" (saves to {self.saves_to.name})" if self.saves_to else "")

    # --- moves ---------------------------------------------------------------

    def _values(self, position: Position, actions: Sequence[int]) -> list[float]:
        """Return the values of these actions; the workspace keeps both for `table_play.choose`."""
        work, count = self._workspace, len(actions)
        work.positions[0] = position.words
        work.moves[0, :count] = actions
        table_play.best_move(self._bundle.words, count, np.zeros(1, dtype=np.uint64))
        return [float(value) for value in work.values[:count]]

    def _solve(self, experience: Experience) -> None:
        self._workspace.table[:] = self._choice_options.table(experience.solve(self._policy.gamma))
        self._workspace.success[:] = experience.success()

    def _number(self, name: str) -> float:
        value = self.options[name]
        assert isinstance(value, int | float)
        return float(value)

    # --- learning ------------------------------------------------------------

    def _adapt(self, path: Sequence[Position], side: int) -> None:
        """Add what was observed in this match to the experience that is used, if the options say so."""
        weight = max(int(self._number("adapt")), int(self.is_learning))
        if weight:
            observed = self._observed(path, side, None, weight)
            self._solve(self._policy.experience.merged([observed]))
            self._adapted = True

    def _observed(
        self, path: Sequence[Position], side: int, winner: int | None, weight: int = 1
    ) -> Experience:
        """Return the experience of a side in the match whose positions are given."""
        state, reward = self._abstraction.state, self._abstraction.reward
        turns = [place for place, one in enumerate(path) if one.side_to_move == side and one.outcome is None]
        rows, rewards = [], []
        for turn, following in zip(turns, [*turns[1:], None], strict=True):
            if turn + 1 == len(path):
                continue
            before, after = path[turn], path[turn + 1]
            action = next(move.action for move in before.legal_moves if before.apply(move) == after)
            next_state = NO_STATE if following is None else state(path[following].words, side)
            rows.append((side, state(before.words, side), action, next_state, state(after.words, side)))
            rewards.append(reward(after.words, side))
        record = np.array(rows, dtype=np.int64).reshape(-1, table_play.REACHED + 1)
        sizes = (self._abstraction.states, self.game.facts.actions)
        return Experience.of_match(*sizes, record, np.array(rewards, dtype=np.float64), winner, weight=weight)

    # --- files ---------------------------------------------------------------

    def _files(self) -> tuple[Path, Path | None]:
        """Return the file to read the policy from and, if the player learns, the file to save to."""
        save = self.options["save"]
        if not self.options["learn"]:
            if save is not None:
                raise OptionError(f"save needs learn=true: {self.describe()}")
            return self._source().path, None
        target = None if save is None else check_target(str(save), self.game)
        if target is not None and self.options["policy"] is None and target.exists():
            return target, target
        source = self._source()
        if target is None:
            target = learned_copy(source.name, self.game) if source.name else source.path
        if not target.exists() or target == source.path:
            return source.path, target
        begun = Policy.read(target).provenance.get("begun")
        if begun != Policy.read(source.path).fingerprint():
            raise WeightsError(
                f"{target} was not learned from {source.path} as it is now; move it away, or choose another "
                "file with save=FILE"
            )
        return target, target

    def _source(self) -> Source:
        """Return the file of the policy, with the name of the player if it comes with the game."""
        text = self.options["policy"]
        if text is not None:
            return find_source(str(text), self.game)
        path = tops(self.game).policy
        if path is None:
            raise UnknownNameError(
                f"{self.game} has no policy of its own: train one with --learner {self.name}, and choose it "
                "with policy=RUN or FILE"
            )
        return Source(path, self.name)
