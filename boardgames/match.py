"""What a match is played by, what it is made of, and telling others of it.

`Manager` conducts matches with these; users import them from there.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from boardgames import plugins
from boardgames.clock import TimeControl
from boardgames.errors import LimitError
from boardgames.game import Game, Move, Outcome
from boardgames.player import Player

if TYPE_CHECKING:
    from boardgames.manager import Manager

Seats = Sequence[Player | None]
"""Two players; None is a seat that is driven from outside."""

HOOKS = {"started": "bg_match_started", "move": "bg_move_made", "ended": "bg_match_ended"}


@dataclass(frozen=True, slots=True)
class MatchRules:
    """What ends a match besides the rules of the game; by default nothing does.

    Attributes
    ----------
    ply_limit : int or None
        After so many plies the match is drawn.
    no_progress_limit : int or None
        After so many plies without a change of score it is drawn.
    repetition : bool
        When a position comes up the third time it is drawn.
    time : TimeControl
        Who spends more loses.

    Raises
    ------
    LimitError
        If a limit is below 1.
    """

    ply_limit: int | None = None
    no_progress_limit: int | None = None
    repetition: bool = False
    time: TimeControl = TimeControl()

    def __post_init__(self) -> None:
        for limit in (self.ply_limit, self.no_progress_limit):
            if limit is not None and limit < 1:
                raise LimitError(f"expected a limit of at least 1 ply: {limit!r}")

    @classmethod
    def between(cls, players: Seats, game: Game, **overrides: Any) -> "MatchRules":  # its own fields
        """Return the rules for these players: none with a person, the game's between agents.

        Examples
        --------
        >>> MatchRules.between([None, None], None, ply_limit=50).ply_limit
        50
        """
        if any(is_person(player) for player in players):
            return replace(cls(), **overrides)
        facts = game.facts
        usual = cls(facts.ply_limit, facts.no_progress_limit, repetition=True)
        return replace(usual, **overrides)


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A move of a match: who made it, the seconds it took, its ply, counted from 1."""

    side: int
    move: Move
    seconds: float
    ply: int


@dataclass(frozen=True, slots=True)
class Change:
    """What listeners are told: the kind of change, and what that kind has to say.

    Attributes
    ----------
    kind : str
        A draw offer is declined by a move too; an undo may follow an end.
    side : int or None
        Whose move, offer or refusal it is.
    made : MoveMade or None
        The move of a `move`.
    outcome : Outcome or None
        The outcome of an `ended`.
    plies : int
        The number of plies an `undo` took back.
    """

    kind: Literal["started", "move", "undo", "draw-offer", "draw-declined", "ended"]
    side: int | None = None
    made: MoveMade | None = None
    outcome: Outcome | None = None
    plies: int = 0


Listener = Callable[["Manager", Change], None]


class Audience:
    """Listeners and plug-ins of one match; one that raises is reported once and told on."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self._listeners = tuple(listeners)
        self._reported: set[object] = set()

    def tell(self, manager: "Manager", change: Change) -> None:
        """Tell every listener, then every plug-in that has the hook, whatever they raise."""
        for listener in self._listeners:
            self._call(f"listener {listener!r}", listener, (manager, change))
        if change.kind not in HOOKS:
            return
        hook = HOOKS[change.kind]
        told = {"manager": manager, "made": change.made, "outcome": change.outcome}
        for implementation in getattr(plugins.registry().hook, hook).get_hookimpls():
            arguments = tuple(told[name] for name in implementation.argnames)
            self._call(f"{hook} of {implementation.plugin_name}", implementation.function, arguments)

    def report(self, name: str, error: BaseException) -> None:
        """Warn that `name` raised, the first time only."""
        if name not in self._reported:
            self._reported.add(name)
            warnings.warn(f"{name} raised {error!r}; the match goes on", RuntimeWarning, stacklevel=2)

    def _call(self, name: str, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
        try:
            function(*arguments)
        except Exception as error:  # a stranger's code may raise anything
            self.report(name, error)


def is_person(player: Player | None) -> bool:
    """Say whether a person has the seat; one that is driven from outside counts as that."""
    return player is None or player.is_human
