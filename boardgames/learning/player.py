"""The player `td`: searches one ply ahead with learned weights, and can continue to learn.

It learns by the algorithm of `boardgames.selfplay.temporal`, but only from
its own moves, so the opponent may be any player. After each match it saves the
weights to the file that they came from, or to the file that `save` names.
Weights of a plug-in or a run are never changed: without `save`, weights learned
from them are saved as `weights/GAME-NAME.safetensors` in the user's data folder.
If that file exists already, learning continues from it.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from boardgames.errors import FileError, OptionError, UnknownNameError, WeightsError, quote, suggest
from boardgames.game import Game, Move, Outcome, Position
from boardgames.kernels import Reals
from boardgames.kernels.bundles import Bundle
from boardgames.learning.td import DEFAULTS, TD_OPTIONS
from boardgames.options import Option, is_finite
from boardgames.paths import check_folder, check_writable
from boardgames.player import NO_CONTEXT, NO_LIMIT, Analysis, Choice, Context, Limit, MoveValue, Player
from boardgames.score import RETURN, Score, Unit
from boardgames.selfplay import TDParameters, temporal
from boardgames.weights import Weights
from boardgames.weights.linear import WEIGHTED_SUM
from boardgames.weights.lookup import (
    find_source,
    learned_copy,
    offered_names,
    owner_of,
    read_feature_weights,
    run_names,
)

DEFAULT_WEIGHTS = "td"
"""Name of the weights that a game ships for this player."""
EPSILON_FLOOR = DEFAULTS.epsilon
LEARNING_OPTIONS = tuple(option for option in TD_OPTIONS if option.name in ("alpha", "gamma", "lambda"))
"""Options that default to the values with which the weights were learned."""


class TDPlayer(Player):
    """Plays the move that leads to the position with the highest value, or the first of several such moves.

    Unless it learns, it values a repeated position as a draw. After a move has
    been taken back, it continues to learn from the new position. One player may play
    both sides. If two players save to the same file, the later one overwrites it.

    Attributes
    ----------
    saves_to : Path or None
        The file to save to; None if the player does not learn.

    Raises
    ------
    OptionError, UnknownNameError, WeightsError, FileError
        If the weights cannot be found or read, or are for another game.
    """

    name: ClassVar[str] = "td"
    declared_options = (
        Option(
            "weights", str, None, "a name, a run or a file; default: the game's weights named td",
            file="read", role="weights",
        ),
        Option("learn", bool, False, "learn while playing, and save the weights after each match"),
        Option(
            "save", str, None, "file to save to; default: the weights' file, or a copy if it is not yours",
            file="write",
        ),
        *(
            replace(option, default=None, summary=f"{option.summary}; default: as the weights were learned")
            for option in LEARNING_OPTIONS
        ),
        Option(
            "epsilon", float, None,
            "probability of an exploratory move; default: 0, or the saved value if the player learns",
            minimum=0, maximum=1,
        ),
        Option(
            "epsilon_decay", float, 0.95,
            f"factor applied to epsilon after each match, down to {EPSILON_FLOOR}", minimum=0, maximum=1,
        ),
    )  # fmt: skip
    respects_limits: ClassVar[bool] = False

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        path, self.saves_to = self._paths()
        if self.saves_to is not None:
            check_writable(self.saves_to)  # report errors now, not after a match
        self._saved, self._features = read_feature_weights(path, game)
        self._epsilon = self._initial_epsilon()
        self._values = np.array([self._saved.values])
        self._parameters = self._td_parameters()
        self._workspace = temporal.new_workspace(
            game, self._features, self._values, self._parameters.record()
        )
        self._bundle = Bundle(self._workspace)
        self._memory = _Memory(self._workspace)
        self._has_learned = False
        self._has_saved = False

    @property
    def saved_to(self) -> Path | None:
        """Return the file to which the last match was saved, or None if it has not been saved."""
        return self.saves_to if self._has_saved else None

    @property
    def is_learning(self) -> bool:
        """Return whether the player learns while playing."""
        return self.saves_to is not None

    @property
    def weights(self) -> Weights:
        """Return the current weights."""
        saved = self._saved
        values: Reals = self._values[0]
        return Weights.of(self.game, self._features, values, tanh=saved.tanh, provenance=saved.provenance)

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the best move one ply ahead, or an exploratory move; learn if the player learns."""
        started = time.perf_counter()
        actions = context.sound_actions(self._check_position(position))
        is_exploring = self._epsilon > 0 and float(self.random.random()) < self._epsilon
        first = int(self.random.integers(len(actions))) if is_exploring else 0
        last = first + 1 if is_exploring else len(actions)
        index, value = self._best(position, actions, first, last)
        if not (self.is_learning or is_exploring) and value > 0:
            index, value = self._avoid_repetition(position, actions, index, value, context.history)
        move = position.game.decode(position, actions[index])
        if self.is_learning:
            self._learn(position, move, value, context.history, is_exploring=is_exploring)
        seconds = time.perf_counter() - started
        score = Score.of(value, self._unit) if math.isfinite(value) else None  # learning may diverge
        return Choice(move, score, (move,), 1, last - first, seconds)

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the values of all legal moves, or of the best `lines` of them, without learning."""
        started = time.perf_counter()
        moves, actions = [], context.legal_actions(self._check_position(position, lines=lines))
        for index, action in enumerate(actions):
            move = position.game.decode(position, action)
            _, value = self._best(position, actions, index, index + 1)
            score = Score.of(value, self._unit)
            moves.append(MoveValue(move, score, _is_over(position.apply(move)), (move,)))
        moves.sort(key=lambda entry: entry.score, reverse=True)
        best, seconds = moves[0], time.perf_counter() - started
        returned = tuple(moves[:lines])
        return Analysis(position, best.score, self._unit, best.proven, returned, 1, len(moves), seconds)

    def match_started(self, side: int) -> None:
        """Forget the previous match, and load compiled code before the clock starts."""
        self._memory.forget()
        self._has_saved = False
        start = self.game.start()
        self._best(start, start.actions, 0, 1)

    def match_ended(self, outcome: Outcome) -> None:
        """Learn from the outcome and save the weights, if the player learns.

        Raises
        ------
        FileError
            If they cannot be saved.
        WeightsError
            If they have diverged; the weights from before the match are restored.
        """
        if not self._has_learned:
            return
        for side in (0, 1):
            if self._memory.after[side] is not None:
                self._update(side, outcome.returns[side])
        self._memory.forget()
        self._has_learned = False
        self._save()

    def fingerprint(self) -> str:
        """Return the hash of the current weights."""
        return self.weights.fingerprint()

    def label(self) -> str:
        """Return the description of the player and, if it learns, the file to which it saves."""
        return self.describe() + (f" (saves to {self.saves_to.name})" if self.saves_to else "")

    # --- moves ---------------------------------------------------------------

    @property
    def _unit(self) -> Unit:
        return RETURN if self._saved.tanh else WEIGHTED_SUM

    def _best(self, position: Position, actions: Sequence[int], first: int, last: int) -> tuple[int, float]:
        """Return the index in `actions` of the best action from `first` to `last` - 1, and its value."""
        self._workspace.positions[0] = position.words
        self._workspace.moves[0, : len(actions)] = actions
        index, value = temporal.choose(self._bundle.words, first, last, position.side_to_move)
        return int(index), float(value)

    def _avoid_repetition(
        self,
        position: Position,
        actions: Sequence[int],
        index: int,
        value: float,
        history: Sequence[Position],
    ) -> tuple[int, float]:
        """Return the index and value of the best action if repeated positions are draws.

        Otherwise a player that is ahead and searches only one ply could move back and forth forever.
        """
        known = set(history)
        moves = [position.game.decode(position, action) for action in actions]
        if position.apply(moves[index]) not in known:
            return index, value
        values = [
            0.0 if position.apply(move) in known else self._best(position, actions, number, number + 1)[1]
            for number, move in enumerate(moves)
        ]
        best = int(np.argmax(values))
        return best, values[best]

    # --- learning ------------------------------------------------------------

    def _learn(
        self, position: Position, move: Move, value: float, history: Sequence[Position], *, is_exploring: bool
    ) -> None:
        """Learn from a chosen move as `temporal.learn_match` does."""
        memory, side = self._memory, position.side_to_move
        memory.check(side, position, history)
        after = position.apply(move)
        if is_exploring:
            memory.traces[side] = 0.0
        elif memory.after[side] is not None:
            self._update(side, value if _is_over(after) else self._parameters.gamma * value)
        memory.previous[side] = self._workspace.scratch[1]
        memory.after[side] = None if _is_over(after) else after
        memory.plies[side] = len(history) + 1
        self._has_learned = True

    def _update(self, side: int, target: float) -> None:
        temporal.learn(self._bundle.words, side, target)

    def _save(self) -> None:
        assert self.saves_to is not None
        self._epsilon = max(self._epsilon * self._number("epsilon_decay"), min(self._epsilon, EPSILON_FLOOR))
        before, matches = self._saved.provenance, self._saved.provenance.get("matches")
        parameters = self._parameters
        provenance = {
            "player": self.name,
            "begun": str(before.get("begun") or self._saved.fingerprint()),
            "matches": 1 + (matches if "begun" in before and isinstance(matches, int) else 0),
            "epsilon": self._epsilon,
            "rates": {
                "alpha": parameters.alpha, "gamma": parameters.gamma, "lambda": parameters.trace_decay
            },
        }  # fmt: skip
        values: Reals = self._values[0]
        try:
            learned = Weights.of(
                self.game, self._features, values, tanh=self._saved.tanh, provenance=provenance
            )
        except WeightsError as error:
            self._values[0] = self._saved.values
            raise WeightsError(
                f"{error}; the weights of {self.describe()} are restored; a smaller learning rate may help"
            ) from None
        self._saved = learned
        learned.write(self.saves_to)
        self._has_saved = True

    def _td_parameters(self) -> TDParameters:
        alpha, gamma, trace_decay = map(self._learning_option, LEARNING_OPTIONS)
        return TDParameters(alpha, gamma, trace_decay, 0.0, self._saved.tanh, shared=True)

    def _learning_option(self, option: Option) -> float:
        """Return the given value, else the one used when the weights were learned, else the default."""
        provenance = self._saved.provenance
        tables = [provenance.get(name) for name in ("rates", "metrics", "settings")]
        learned = [table.get(option.name) for table in tables if isinstance(table, dict)]
        for value in [self.options[option.name], *learned]:
            if is_finite(value):
                return float(option.read(value) or 0.0)
        assert isinstance(option.default, float)
        return option.default

    def _initial_epsilon(self) -> float:
        """Return the given value, else 0 or, if the player learns, the saved value or the floor."""
        if self.options["epsilon"] is not None:
            return self._number("epsilon")
        if self.saves_to is None:
            return 0.0
        saved = self._saved.provenance.get("epsilon")
        return float(saved) if is_finite(saved) and 0 <= saved <= 1 else EPSILON_FLOOR

    def _number(self, name: str) -> float:
        value = self.options[name]
        assert isinstance(value, int | float)
        return float(value)

    # --- files ---------------------------------------------------------------

    def _paths(self) -> tuple[Path, Path | None]:
        """Return the file to read weights from and, if the player learns, the file to save to."""
        save = self.options["save"]
        if not self.options["learn"]:
            if save is not None:
                raise OptionError(f"save needs learn=true: {self.describe()}")
            return find_source(self._weights_text(), self.game).path, None
        target = None if save is None else check_target(str(save), self.game)
        if target is not None and self.options["weights"] is None and target.exists():
            return target, target
        source = find_source(self._weights_text(), self.game)
        if target is None:
            target = learned_copy(source.name, self.game) if source.name else source.path
        if not target.exists():
            return source.path, target
        if source.name:
            self._check_ancestry(target, source.path)
        return target, target

    def _check_ancestry(self, target: Path, source: Path) -> None:
        """Raise WeightsError if the weights in `target` were not learned from those in `source`."""
        begun = read_feature_weights(target, self.game)[0].provenance.get("begun")
        if begun is not None and begun != read_feature_weights(source, self.game)[0].fingerprint():
            raise WeightsError(
                f"{target} was learned from other weights than {source} has now; move it away, or choose "
                "another file with save=FILE"
            )

    def _weights_text(self) -> str:
        """Return the text that names the weights."""
        text = self.options["weights"]
        names = offered_names(self.game)
        if text is None and DEFAULT_WEIGHTS not in names:
            known = suggest(DEFAULT_WEIGHTS, [*names, *run_names()])
            raise UnknownNameError(
                f"{self.game} has no weights {DEFAULT_WEIGHTS!r}; train some with --learner td, or choose "
                f"others with weights=NAME, RUN or FILE{known}"
            )
        return DEFAULT_WEIGHTS if text is None else str(text)


class _Memory:
    """What a learning player remembers about a match, for each side.

    Attributes
    ----------
    traces, previous : float64[2, n]
        Arrays of the workspace of `temporal`.
    after : list of Position or None
        The position after the side's last move, if it can be learned from.
    plies : list of int
        The ply of that position.
    """

    def __init__(self, workspace: temporal.TemporalWorkspace) -> None:
        self.traces, self.previous = workspace.traces, workspace.previous
        self.forget()

    def forget(self) -> None:
        """Begin a new match."""
        self.traces[:] = 0.0
        self.after: list[Position | None] = [None, None]
        self.plies = [0, 0]

    def check(self, side: int, position: Position, history: Sequence[Position]) -> None:
        """Forget a side's last move if it did not lead to `position` because it was taken back."""
        after, ply, path = self.after[side], self.plies[side], (*history, position)
        if after is None:
            leads_here = False
        elif history:
            leads_here = ply < len(path) and path[ply] == after
        else:  # the caller keeps no history
            successors = [after.apply(Move(action, "")) for action in after.actions]
            leads_here = position in (after, *successors)
        if not leads_here:
            self.traces[side] = 0.0
            self.after[side] = None


def _is_over(position: Position) -> bool:
    """Return whether the last move ended the match; a lack of legal moves shows only on the next turn."""
    return int(position.game.kernels.outcome(position.words)) >= 0


def check_target(text: str, game: Game) -> Path:
    """Return the file that the option `save` names; raise if it cannot be written or is not the user's."""
    try:
        path = Path(text).expanduser()
        path.exists()  # raises for names that no file can have
    except (OSError, ValueError, RuntimeError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise FileError(f"cannot save to {quote(text)}: {reason}") from None
    owner = owner_of(path, game)
    if owner:
        raise OptionError(f"cannot save to {path}: it belongs to {owner!r}; choose another file")
    check_folder(path)
    return path
