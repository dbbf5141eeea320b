"""The player `td`: the best move one ply ahead by learned weights, which can go on learning as it plays.

It learns as matches of self-play do, see `boardgames.selfplay.temporal`, but
from its own moves alone: the other side may be anybody. What it has learned is
saved after each match to the file that its weights came from, or to the one
that `save` names. Weights of a plug-in or a run stay as they are: without
`save` theirs go to `weights/GAME-NAME.safetensors` in the user's data folder.
Where the file that it saves to is there already, it goes on from that one.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from boardgames.errors import FileError, OptionError, UnknownNameError, WeightsError, near, shown
from boardgames.game import Game, Move, Outcome, Position
from boardgames.kernels import Reals
from boardgames.kernels.bundles import Bundle
from boardgames.learning.td import RATES
from boardgames.options import Option, is_finite
from boardgames.paths import data_folder
from boardgames.player import (
    NO_CONTEXT,
    NO_LIMIT,
    Analysis,
    Choice,
    Context,
    Limit,
    MoveValue,
    Player,
)
from boardgames.score import RETURN, Score, Unit
from boardgames.selfplay import TDParameters, temporal
from boardgames.weights import Weights
from boardgames.weights.finding import find_source, offered_names, owner_of, read_weights, run_names
from boardgames.weights.linear import WEIGHTED_SUM

DEFAULT_WEIGHTS = "td"
"""Name of the weights that a game offers for this player."""
EPSILON_FLOOR = 0.1
LEARNED_RATES = ("alpha", "gamma", "lambda")


class TemporalPlayer(Player):
    """Plays the move after which its weights value the position most, the first of equals.

    Unless it learns, a position that the match has had already is worth a draw.
    Where a move is taken back, it forgets what led there and learns on from
    the position that came instead. One player may have both sides; of two
    players that save to one file, the second overwrites what the first learned.

    Attributes
    ----------
    saves_to : Path or None
        Where it saves what it learns; None if it does not learn.

    Raises
    ------
    OptionError, UnknownNameError, WeightsError, FileError
        If the weights cannot be had or are not the game's.
    """

    name: ClassVar[str] = "td"
    declared_options = (
        Option("weights", str, None, "a name, a run or a file; else what the game has under the name td"),
        Option("learn", bool, False, "go on learning, and save it after each match"),
        Option("save", str, None, "file to save to; else the weights' own, a copy of a plug-in's or run's"),
        *(
            replace(option, default=None, summary=f"{option.summary}; else as the weights were learned")
            for option in RATES
            if option.name in LEARNED_RATES
        ),
        Option(
            "epsilon", float, None, "share of exploratory moves; else 0, or as saved, if it learns",
            minimum=0, maximum=1,
        ),
        Option(
            "epsilon_decay", float, 0.95, "factor of it a match that it learns from, down to 0.1",
            minimum=0, maximum=1,
        ),
    )  # fmt: skip
    respects_limits: ClassVar[bool] = False

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        path, self.saves_to = self._paths()
        self._kept, self._features = read_weights(path, game)
        self._epsilon = self._first_epsilon()
        self._values = np.array([self._kept.values])
        self._parameters = self._rates().record()
        self._workspace = temporal.new_workspace(game, self._features, self._values, self._parameters)
        self._bundle = Bundle(temporal.KINDS, self._workspace)
        self._memory = _Memory(self._workspace)
        self._has_news = False

    @property
    def is_learning(self) -> bool:
        """Say whether it learns as it plays."""
        return self.saves_to is not None

    @property
    def weights(self) -> Weights:
        """Return what it plays by now."""
        kept = self._kept
        values: Reals = self._values[0]
        return Weights.of(
            self.game, self._features, values, squashes=kept.squashes, provenance=kept.provenance
        )

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the best move one ply ahead, or now and then any; learn from it if that is wanted."""
        started = time.perf_counter()
        actions = self._check_position(position).actions
        is_exploring = self._epsilon > 0 and float(self.random.random()) < self._epsilon
        first = int(self.random.integers(len(actions))) if is_exploring else 0
        last = first + 1 if is_exploring else len(actions)
        place, value = self._best(position, first, last)
        if not (self.is_learning or is_exploring) and value > 0:
            place, value = self._without_repetition(position, place, value, context.history)
        move = position.game.decode(position, actions[place])
        if self.saves_to is not None:
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
        """Return what every legal move is worth, or the best `lines` of them; nothing is learned."""
        started = time.perf_counter()
        moves = []
        for place, action in enumerate(self._check_position(position).actions):
            move = position.game.decode(position, action)
            _, value = self._best(position, place, place + 1)
            score = Score.of(value, self._unit)
            moves.append(MoveValue(move, score, _has_ended(position.apply(move)), (move,)))
        moves.sort(key=lambda entry: entry.score, reverse=True)
        best, seconds = moves[0], time.perf_counter() - started
        valued = tuple(moves[:lines])
        return Analysis(position, best.score, self._unit, best.proven, valued, 1, len(moves), seconds)

    def match_started(self, side: int) -> None:
        """Forget the match before."""
        self._memory.forget()

    def match_ended(self, outcome: Outcome) -> None:
        """Learn from the end, if that is wanted, and save the weights.

        Raises
        ------
        FileError
            If they cannot be saved.
        WeightsError
            If they are no numbers any more, the rates being too high; those of before the match are back.
        """
        if not self._has_news:
            return
        for side in (0, 1):
            if self._memory.after[side] is not None:
                self._update(side, outcome.returns[side])
        self._memory.forget()
        self._has_news = False
        self._save()

    def fingerprint(self) -> str:
        """Return the hash of the weights as they are now."""
        return self.weights.fingerprint()

    def label(self) -> str:
        """Return what `describe` does, and where the player saves what it learns."""
        return self.describe() + (f" (saves to {self.saves_to.name})" if self.saves_to else "")

    # --- helpers ---------------------------------------------------------

    def _without_repetition(
        self, position: Position, place: int, value: float, history: Sequence[Position]
    ) -> tuple[int, float]:
        """Return the best action where a position that the match has had already is worth a draw.

        Looking one ply ahead, it would else go to and fro when it is ahead.
        """
        known = set(history)
        moves = [position.game.decode(position, action) for action in position.actions]
        if position.apply(moves[place]) not in known:
            return place, value
        values = [
            0.0 if position.apply(move) in known else self._best(position, index, index + 1)[1]
            for index, move in enumerate(moves)
        ]
        best = int(np.argmax(values))
        return best, values[best]

    @property
    def _unit(self) -> Unit:
        return RETURN if self._kept.squashes else WEIGHTED_SUM

    def _best(self, position: Position, first: int, last: int) -> tuple[int, float]:
        """Return place and value of the best action from `first` to before `last`; see `temporal.choose`."""
        self._workspace.positions[0] = position.words
        self._workspace.moves[0, : len(position.actions)] = position.actions
        place, value = temporal.choose(self._bundle.words, first, last, position.side_to_move)
        return int(place), float(value)

    def _learn(
        self, position: Position, move: Move, value: float, history: Sequence[Position], *, is_exploring: bool
    ) -> None:
        """Do what `temporal.learn_match` does after a choice."""
        memory, side = self._memory, position.side_to_move
        memory.check(side, position, history)
        after = position.apply(move)
        if is_exploring:
            memory.traces[side] = 0.0
        elif memory.after[side] is not None:
            self._update(side, value if _has_ended(after) else float(self._parameters[0].gamma) * value)
        memory.previous[side] = self._workspace.scratch[1]
        memory.after[side] = None if _has_ended(after) else after
        memory.plies[side] = len(history) + 1
        self._has_news = True

    def _update(self, side: int, target: float) -> None:
        temporal.learn(self._bundle.words, side, target)

    def _save(self) -> None:
        assert self.saves_to is not None
        self._epsilon = max(self._epsilon * self._number("epsilon_decay"), min(self._epsilon, EPSILON_FLOOR))
        told, matches = self._kept.provenance, self._kept.provenance.get("matches")
        provenance = {
            "player": self.name,
            "begun": str(told.get("begun") or self._kept.fingerprint()),
            "matches": 1 + (matches if "begun" in told and isinstance(matches, int) else 0),
            "epsilon": self._epsilon,
            "rates": {name: float(self._parameters[0][place]) for place, name in enumerate(LEARNED_RATES)},
        }
        values: Reals = self._values[0]
        try:
            learned = Weights.of(
                self.game, self._features, values, squashes=self._kept.squashes, provenance=provenance
            )
        except WeightsError as error:
            self._values[0] = self._kept.values
            raise WeightsError(f"{error} (rates of {self.describe()} too high)") from None
        self._kept = learned
        learned.write(self.saves_to)

    def _paths(self) -> tuple[Path, Path | None]:
        """Return where the weights are read and, if it learns, where they are saved."""
        save = self.options["save"]
        if not self.options["learn"]:
            if save is not None:
                raise OptionError(f"expected learn=true beside save: {self.describe()}")
            return find_source(self._named(), self.game).path, None
        target = None if save is None else _checked(str(save), self.game)
        if target is None or self.options["weights"] is not None or not target.exists():
            source = find_source(self._named(), self.game)
            own = source.path if not source.name else _copy_of(source.name, self.game)
            target = target or own
            if not target.exists():
                return source.path, target
            if source.name:
                self._check_begun(target, source.path)
            return target, target
        return target, target

    def _check_begun(self, target: Path, source: Path) -> None:
        """Raise WeightsError if the copy has not been learned from the weights that it is named after."""
        begun = read_weights(target, self.game)[0].provenance.get("begun")
        if begun is not None and begun != read_weights(source, self.game)[0].fingerprint():
            raise WeightsError(
                f"expected weights that go on from those of now, move it away or name save=FILE: {target}"
            )

    def _named(self) -> str:
        """Return the text that names the weights."""
        text = self.options["weights"]
        names = offered_names(self.game)
        if text is None and DEFAULT_WEIGHTS not in names:
            known = near(DEFAULT_WEIGHTS, [*names, *run_names()])
            raise UnknownNameError(
                f"expected weights=NAME, RUN or FILE: {self.game} has no {self.name!r}{known}"
            )
        return DEFAULT_WEIGHTS if text is None else str(text)

    def _first_epsilon(self) -> float:
        """Return the option, else what was saved with the weights if it learns, else 0 or the floor."""
        if self.options["epsilon"] is not None:
            return self._number("epsilon")
        if self.saves_to is None:
            return 0.0
        saved = self._kept.provenance.get("epsilon")
        return float(saved) if is_finite(saved) and 0 <= saved <= 1 else EPSILON_FLOOR

    def _rates(self) -> TDParameters:
        alpha, gamma, trace = (self._rate(option) for option in RATES if option.name in LEARNED_RATES)
        return TDParameters(alpha, gamma, trace, 0.0, self._kept.squashes, shared=True)

    def _rate(self, option: Option) -> float:
        """Return a rate: as asked for, else as the weights were last learned, else the default."""
        told = self._kept.provenance
        kept = [told.get(place) for place in ("rates", "metrics", "settings")]
        found = [self.options[option.name], *(at.get(option.name) for at in kept if isinstance(at, dict))]
        for value in [*found, option.default]:
            if is_finite(value):
                return float(option.read(value) or 0.0)
        raise OptionError(f"expected a default of {option.name}")

    def _number(self, name: str) -> float:
        value = self.options[name]
        assert isinstance(value, int | float)
        return float(value)


class _Memory:
    """What a player that learns remembers of a match, for each side.

    Attributes
    ----------
    traces, previous : float64[2, n]
        As `temporal.learn` has them.
    after : list of Position or None
        The position after the side's last move, if it is to be learned from.
    plies : list of int
        The place of that position in the match.
    """

    def __init__(self, workspace: temporal.Workspace) -> None:
        self.traces, self.previous = workspace.traces, workspace.previous
        self.forget()

    def forget(self) -> None:
        """Begin a match."""
        self.traces[:] = 0.0
        self.after: list[Position | None] = [None, None]
        self.plies = [0, 0]

    def check(self, side: int, position: Position, history: Sequence[Position]) -> None:
        """Forget a side's last move unless it led to `position`: it has been taken back."""
        after, ply, path = self.after[side], self.plies[side], (*history, position)
        if after is None:
            leads_here = False
        elif history:
            leads_here = ply < len(path) and path[ply] == after
        else:  # whoever asks keeps no history
            successors = [after.apply(Move(action, "")) for action in after.actions]
            leads_here = position in (after, *successors)
        if not leads_here:
            self.traces[side] = 0.0
            self.after[side] = None


def _has_ended(position: Position) -> bool:
    """Say whether a move has ended the match; the lack of moves is seen by the side that lacks them."""
    return int(position.game.kernels.outcome(position.words)) >= 0


def _copy_of(name: str, game: Game) -> Path:
    """Return where the user has what goes on from weights that are not theirs."""
    return data_folder() / "weights" / f"{game.facts.name}-{name}.safetensors"


def _checked(text: str, game: Game) -> Path:
    """Return the file to save to that a text names; raise what is wrong with it."""
    try:
        path = Path(text).expanduser()
        path.exists()  # says what no file can be called
    except (OSError, ValueError, RuntimeError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise FileError(f"expected a file to save to: {shown(text)} ({reason})") from None
    if owner_of(path, game):
        raise OptionError(f"expected a file of your own to save to: {path} is not")
    return path
