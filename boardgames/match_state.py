"""The state of a match: its positions so far, and the rules that say when it ends.

A `MatchState` has no players, clocks or listeners. It can be created and copied in microseconds, and works
with actions rather than texts of moves. `Manager` adds the rest. Programs that play many matches, such as
environments for reinforcement learning, use a `MatchState` without a manager.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from boardgames.adjudication import NO_ADJUDICATION, Adjudication
from boardgames.clock import UNTIMED, TimeControl, TimeControls, of_both_sides
from boardgames.declarations import NO_REPETITION, THREEFOLD, Repetition
from boardgames.errors import IllegalMoveError, LimitError, MatchError, quote
from boardgames.game import Game, Outcome, Position, Termination, check_is_position
from boardgames.player import Context, Player
from boardgames.repetition import is_forbidden, outcome_by_repetition

Players = Sequence[Player | None]
"""The players of side 0 and side 1; None for a side whose moves are made by the caller."""


@dataclass(frozen=True, slots=True)
class MatchRules:
    """What can end a match besides the rules of the game; by default nothing.

    Attributes
    ----------
    ply_limit : int or None
        The match ends after this many plies: in a draw, unless the game says who wins.
    move_limits : (int, int) or None
        The number of moves that each side may make. When a side that has made all of its moves is to
        move, the match ends in the same way.
    no_progress_limit : int or None
        The match is drawn after this many plies without a change of score.
    repetition : bool or Repetition
        The meaning of a repeated position. True means a draw when a position occurs for the third
        time, and False means nothing.
    time : TimeControl or pair of TimeControl
        One time control for both sides, or one for each. A side that exceeds its time loses.
    adjudication : Adjudication
        Whether scores or points may decide a match.

    Raises
    ------
    LimitError
        If a limit is below 1, or only one side has a match clock.
    """

    ply_limit: int | None = None
    no_progress_limit: int | None = None
    repetition: bool | Repetition = False
    time: TimeControl | TimeControls = UNTIMED
    move_limits: tuple[int, int] | None = None
    adjudication: Adjudication = NO_ADJUDICATION

    def __post_init__(self) -> None:
        for name in ("ply_limit", "no_progress_limit"):
            limit = getattr(self, name)
            if limit is not None and not (type(limit) is int and limit >= 1):
                raise LimitError(f"{name} must be at least 1 ply, not {quote(limit)}")
        limits: Any = self.move_limits
        if limits is not None:
            is_pair = isinstance(limits, tuple) and len(limits) == 2
            if not (is_pair and all(type(limit) is int and limit >= 1 for limit in limits)):
                raise LimitError(f"move_limits must be two numbers, at least 1, not {quote(limits)}")
        if not isinstance(self.adjudication, Adjudication):
            raise LimitError(f"adjudication must be an Adjudication, not {quote(self.adjudication)}")
        if not isinstance(self.repetition, bool | Repetition):
            raise LimitError(f"repetition must be True, False or a Repetition, not {quote(self.repetition)}")
        of_both_sides(self.time)

    @property
    def times(self) -> TimeControls:
        """Return the time control of each side."""
        return of_both_sides(self.time)

    @property
    def repetition_rule(self) -> Repetition:
        """Return what a repeated position means.

        Examples
        --------
        >>> MatchRules(repetition=True).repetition_rule
        Repetition(meaning='draw', count=3)
        """
        if isinstance(self.repetition, bool):
            return THREEFOLD if self.repetition else NO_REPETITION
        return self.repetition

    def plies_left(self, positions: Sequence[Position]) -> int | None:
        """Return the number of plies after which a limit ends the match, or None without a limit.

        Limits of each side's moves are ignored in games in which a side may move several times in a row.

        Parameters
        ----------
        positions : sequence of Position
            The positions of the match so far, beginning with the start.
        """
        position, before = positions[-1], positions[:-1]
        limits = [] if self.ply_limit is None else [self.ply_limit - len(before)]
        if self.move_limits is not None and position.game.facts.alternates:
            side, made = position.side_to_move, sum(one.side_to_move for one in before)  # moves of side 1
            left = self.move_limits[0] - (len(before) - made), self.move_limits[1] - made
            limits.append(min(2 * left[side], 2 * left[1 - side] + 1))
        return min(limits, default=None)

    def context(self, positions: Sequence[Position]) -> Context:
        """Return what players are told about a match besides the position.

        Its `repetition` is None if players expect the rule anyway: the rule that the game declares or,
        if it declares none, no rule or a draw at the third occurrence.

        Parameters
        ----------
        positions : sequence of Position
            The positions of the match so far, beginning with the start.
        """
        rule, declared = self.repetition_rule, positions[-1].game.facts.repetition
        is_expected = rule == declared or (declared is None and rule in (NO_REPETITION, THREEFOLD))
        return Context(
            history=tuple(positions[:-1]),
            plies_left=self.plies_left(positions),
            repetition=None if is_expected else rule,
        )

    @classmethod
    def between(cls, players: Players, game: Game, **overrides: Any) -> "MatchRules":  # its own fields
        """Return the default rules: between agents the limits of the game, with a person no limits.

        The repetition rule that the game declares applies in both cases, and also if `repetition` is True.

        Examples
        --------
        >>> import boardgames
        >>> MatchRules.between([None, None], boardgames.load("connect4"), ply_limit=50).ply_limit
        50
        """
        facts = game.facts
        if any(is_person(player) for player in players):
            defaults = cls(repetition=facts.repetition or False)
        else:
            defaults = cls.between_agents(game)
        if overrides.get("repetition") is True:
            overrides["repetition"] = facts.repetition or True
        return replace(defaults, **overrides)

    @classmethod
    def between_agents(cls, game: Game) -> "MatchRules":
        """Return the rules of a match between agents: the limits of the game and its rule about repetition.

        In a game that declares no such rule, a match is drawn when a position occurs for the third time.

        Examples
        --------
        >>> import boardgames
        >>> rules = MatchRules.between_agents(boardgames.load("abalone"))
        >>> rules.ply_limit, rules.repetition_rule.meaning
        (400, 'draw')
        """
        facts = game.facts
        return cls(facts.ply_limit, facts.no_progress_limit, repetition=facts.repetition or True)


class MatchState:
    """A match without players and clocks: the positions so far, and what ends it.

    Actions are played with `push` and taken back with `pop`. A copy is independent of the original.

    Parameters
    ----------
    start : Position
        First position.
    rules : MatchRules, optional
        By default the rules of a match between agents, `MatchRules.between_agents(game)`. Time controls,
        and adjudication by the players' scores, have no effect here.

    Raises
    ------
    PositionError, LimitError
        If the start is not a position, or the rules are not `MatchRules`.

    Examples
    --------
    >>> import boardgames
    >>> state = MatchState(boardgames.load("connect4").start(), MatchRules(ply_limit=3))
    >>> state.push(3)
    >>> other = state.copy()
    >>> other.push(3); other.push(3)
    >>> other.outcome
    Outcome(winner=None, termination=<Termination.PLY_LIMIT: 'ply-limit'>)
    >>> other.is_truncated, state.outcome, state.plies_left
    (True, None, 2)
    """

    def __init__(self, start: Position, rules: MatchRules | None = None) -> None:
        check_is_position(start)
        if not isinstance(rules, MatchRules | None):
            raise LimitError(f"the rules of a match must be MatchRules, not {quote(rules)}")
        self.rules = MatchRules.between_agents(start.game) if rules is None else rules
        self._repetition = self.rules.repetition_rule
        self._positions = [start]
        self._actions: list[int] = []
        self._occurrences = Counter([start.words.tobytes()])
        # for each position seen by `plies_since_score`: the ply at which the points last changed; the points
        self._scores: list[tuple[int, tuple[int, int]]] = []
        # the outcome, and whether a limit has ended the match; None until it is computed
        self._end: tuple[Outcome | None, bool] | None = None

    @property
    def game(self) -> Game:
        """Return the game."""
        return self._positions[0].game

    @property
    def position(self) -> Position:
        """Return the current position."""
        return self._positions[-1]

    @property
    def positions(self) -> tuple[Position, ...]:
        """Return all positions, beginning with the start."""
        return tuple(self._positions)

    @property
    def played(self) -> tuple[int, ...]:
        """Return the actions of the match so far."""
        return tuple(self._actions)

    @property
    def side_to_move(self) -> int:
        """Return the side to move; meaningless once the match is over."""
        return self._positions[-1].side_to_move

    @property
    def ply(self) -> int:
        """Return the number of moves made."""
        return len(self._actions)

    @property
    def moves_made(self) -> tuple[int, int]:
        """Return the number of moves that each side has made."""
        second = sum(position.side_to_move for position in self._positions[:-1])
        return self.ply - second, second

    @property
    def actions(self) -> tuple[int, ...]:
        """Return the actions that can be played now, in ascending order; empty if the match is over.

        These are the legal actions of the position, except actions that the rule about repetition forbids.
        """
        if self.outcome is not None:
            return ()
        legal = self.position.actions
        if self._repetition.meaning != "forbidden":
            return legal
        return tuple(action for action in legal if not self.is_forbidden(action))

    @property
    def outcome(self) -> Outcome | None:
        """Return the outcome, or None if the match is not over."""
        return self._find_end()[0]

    @property
    def is_truncated(self) -> bool:
        """Return True if a limit of plies or moves has truncated the match.

        In the terms of environments for reinforcement learning, all other ends are terminations: by the
        rules of the game, by repetition, because nobody has scored, or at a limit if the game itself says
        who wins there.
        """
        return self.is_at_limit and not self.game.kernels.decides_at_limit

    @property
    def is_at_limit(self) -> bool:
        """Return True if the match has ended because it has reached a limit of plies or moves."""
        return self._find_end()[1]

    @property
    def plies_left(self) -> int | None:
        """Return the number of plies after which a limit ends the match; see `MatchRules.plies_left`."""
        return self.rules.plies_left(self._positions)

    @property
    def plies_since_score(self) -> int:
        """Return the number of plies since the score changed or the match began."""
        scores = self._scores
        for ply in range(len(scores), len(self._positions)):
            score = self._positions[ply].score
            is_same = bool(scores) and scores[-1][1] == score
            scores.append((scores[-1][0] if is_same else ply, score))
        return self.ply - scores[-1][0]

    @property
    def context(self) -> Context:
        """Return what players are told about the match besides the position; see `MatchRules.context`."""
        return replace(self.rules.context(self._positions), actions=self.played)

    def is_forbidden(self, action: int) -> bool:
        """Return True if the rule about repetition forbids a legal action."""
        return is_forbidden(self.position, action, self._occurrences, self._repetition)

    def push(self, action: int) -> None:
        """Play an action, one of `actions`.

        Raises
        ------
        MatchError
            If the match is over.
        IllegalMoveError
            If the action is not legal, or repetition forbids it; the match does not change.
        """
        if self.outcome is not None:
            raise MatchError(f"the match is over ({self.outcome.describe(self.game.facts.sides)})")
        position = self.position.apply_action(action)
        if self.is_forbidden(action):
            raise IllegalMoveError(f"illegal action {quote(action)}: it repeats an earlier position")
        self._append(action, position)

    def replay(self, action: int) -> None:
        """Play a legal action of a recorded match, even if the match is already over by the current rules.

        Raises
        ------
        IllegalMoveError
            If the action is not legal in the position.
        """
        self._append(action, self.position.apply_action(action))

    def pop(self, count: int = 1) -> None:
        """Take back the last `count` actions.

        Raises
        ------
        MatchError
            If fewer actions have been played.
        """
        if not 0 <= count <= self.ply:
            raise MatchError(f"cannot take back {quote(count)} plies of {self.ply}")
        for _ in range(count):
            self._occurrences[self._positions.pop().words.tobytes()] -= 1
            self._actions.pop()
        del self._scores[len(self._positions) :]
        self._end = None

    def copy(self) -> Self:
        """Return an independent copy."""
        copied = type(self).__new__(type(self))
        vars(copied).update(vars(self))
        copied._positions, copied._actions = self._positions.copy(), self._actions.copy()
        copied._occurrences, copied._scores = self._occurrences.copy(), self._scores.copy()
        return copied

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.copy()

    def __repr__(self) -> str:
        return f"<match of {self.game}, ply {self.ply}: {self.position}>"

    def _append(self, action: int, position: Position) -> None:
        self._positions.append(position)
        self._actions.append(int(action))
        self._occurrences[position.words.tobytes()] += 1
        self._end = None

    def _find_end(self) -> tuple[Outcome | None, bool]:
        if self._end is None:
            outcome = self._outcome_by_rules()
            is_at_limit = outcome is None and self._has_reached_limit()
            self._end = (self._outcome_at_limit() if is_at_limit else outcome), is_at_limit
        return self._end

    def _outcome_by_rules(self) -> Outcome | None:
        position, limit = self.position, self.rules.no_progress_limit
        if position.outcome is not None:
            return position.outcome
        mover = self._positions[-2].side_to_move if self._actions else position.side_to_move
        repeated = outcome_by_repetition(position, mover, self._occurrences, self._repetition)
        if repeated is not None:
            return repeated
        if limit is not None and self.plies_since_score >= limit:
            return Outcome(None, Termination.NO_PROGRESS)
        return None

    def _has_reached_limit(self) -> bool:
        rules = self.rules
        if rules.ply_limit is not None and self.ply >= rules.ply_limit:
            return True
        limits, side = rules.move_limits, self.side_to_move
        return limits is not None and self.moves_made[side] >= limits[side]

    def _outcome_at_limit(self) -> Outcome:
        position = self.position
        if self.game.kernels.decides_at_limit:
            return position.outcome_at_limit
        return self.rules.adjudication.outcome_at_limit(position.score)


def is_person(player: Player | None) -> bool:
    """Return True for a person. None, a side whose moves are made by the caller, counts as a person."""
    return player is None or player.is_human
