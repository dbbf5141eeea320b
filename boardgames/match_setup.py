"""Setting up a match: who plays, and with which names, seeds, clocks and limits.

The terminal, the page, the arena and Python programs describe a match as a `MatchSetup`. Only
this module decides what the description means; front ends just parse their input.
"""

from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass, replace
from datetime import date
from typing import Any, Protocol, TypeVar

from boardgames.adjudication import Adjudication
from boardgames.clock import UNTIMED, TimeControl, TimeControls, of_both_sides, parse_time_controls
from boardgames.declarations import Repetition
from boardgames.errors import BoardgamesError, MatchError, quote
from boardgames.game import Game, Position
from boardgames.manager import Manager, name_of
from boardgames.match_state import MatchRules
from boardgames.options import parse_agent, spelled_out
from boardgames.player import Limit, Player
from boardgames.plugins import close_player, load_game_of, load_player, registry
from boardgames.record import Record, options_as_texts

HUMAN = "human"
"""The name of the agent for a person, and the default name of a person."""
DEFAULT_LIMIT = Limit(seconds=1.0)
SEAT_TAGS = "FirstAgent", "SecondAgent"
"""Tags of a record that name a player's agent if the player's own name is not that of the agent."""

Seat = str | Player | None
"""A player object, the text of an agent, or None for a side whose moves are made by `Manager.make_move`."""

_Value = TypeVar("_Value")


class LoadPlayer(Protocol):
    """A function that loads agents: `boardgames.load_player`, or one that rejects some of them."""

    def __call__(self, text: str, game: Game, /, *, seed: int | None) -> Player:
        """Return the player that `text` describes."""


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """Everything that is decided before a match begins. Any number of matches can be started from it.

    Attributes
    ----------
    game : Game
        The game with its layout and options.
    players : two of str, Player or None
        An agent with its options, such as `alphabeta:depth=4`; a player; or None for a person
        whose moves are made by `Manager.make_move`. Moves of the agent `human` may also be made
        in this way.
    names : two of str or None
        Names of the players; by default the text of an agent, the description of a player object,
        or `human` for a person.
    start : Position, optional
        First position; by default the start of the game.
    seed : int, optional
        Seed of the first player; the second player gets the next number. A player that is given
        as an object keeps its own seed.
    time : TimeControl or pair of TimeControl
        One time control for both sides, or one for each. A side that exceeds it loses, even if it
        is an agent.
    move_time : float or pair of (float or None), optional
        Seconds per move, for both sides or for each. An agent thinks for that long. A person who
        takes longer loses the match; but if a person plays against an agent, a single number is
        only for the agent.
    limit : Limit
        Limit of an agent's search for a move; `move_time` replaces its seconds.
    ply_limit, move_limits, no_progress_limit, repetition, adjudication
        As in `MatchRules`; None for the default of `MatchRules.between`.

    Raises
    ------
    MatchError, LimitError
        If there are not two players or two names, or a time is not valid.

    Examples
    --------
    >>> import boardgames
    >>> setup = MatchSetup(boardgames.load("connect4"), ("random", "greedy"), seed=1, ply_limit=10)
    >>> match = setup.start_match()
    >>> match.names, match.limit_for(0).seconds
    (('random', 'greedy'), 1.0)
    >>> match.play().moves == setup.start_match().play().moves
    True
    """

    game: Game
    players: tuple[Seat, Seat]
    _: KW_ONLY
    names: tuple[str | None, str | None] = (None, None)
    start: Position | None = None
    seed: int | None = None
    time: TimeControl | TimeControls = UNTIMED
    move_time: float | tuple[float | None, float | None] | None = None
    limit: Limit = DEFAULT_LIMIT
    ply_limit: int | None = None
    move_limits: tuple[int, int] | None = None
    no_progress_limit: int | None = None
    repetition: bool | Repetition | None = None
    adjudication: Adjudication | None = None

    def __post_init__(self) -> None:
        if isinstance(self.players, str) or len(self.players) != 2:
            raise MatchError(f"a match has two players, not {quote(self.players)}")
        if isinstance(self.names, str) or len(self.names) != 2:
            raise MatchError(f"a match has two names, not {quote(self.names)}")
        first, second = (spelled_out(seat) if isinstance(seat, str) else seat for seat in self.players)
        object.__setattr__(self, "players", (first, second))
        assert self.limits  # checks the seconds
        of_both_sides(self.time)

    @property
    def limits(self) -> tuple[Limit, Limit]:
        """Return the limit of each side's agent for a move, without the clocks."""
        first, second = (
            self.limit if seconds is None else replace(self.limit, seconds=seconds)
            for seconds in self.move_times
        )
        return first, second

    @property
    def move_times(self) -> tuple[float | None, float | None]:
        """Return each side's seconds per move; against an agent, a single number is not for the person."""
        return self._move_times(self.players)

    def start_match(
        self,
        record: Record | None = None,
        *,
        today: date | None = None,
        load: LoadPlayer = load_player,
        **settings: Any,  # further arguments of Manager
    ) -> Manager:
        """Return the manager of a new match, or of a match that continues from its record.

        Parameters
        ----------
        record : Record, optional
            A match of the same game to continue. Layout, options, start and tags are taken from the
            record, and names, clocks and times per move too unless the setup has others. If an
            agent replaces another agent that is named by its text, its own text becomes its name.
            A finished match stays finished, and no players are loaded for it.
        today : date, optional
            The day on which a new match begins, for the tag Date of its record.
        load : callable
            Called with the text of an agent, the game and a seed; returns the player.
        settings
            Further arguments of `Manager`, such as `listeners`.

        Raises
        ------
        MatchError
            If the record is of another game.
        BoardgamesError
            If an agent cannot be loaded, or a limit, the start or a move of the record is
            invalid. Players that have already been loaded are closed.
        """
        game = self.game if record is None else self._game_of(record)
        is_over = record is not None and record.outcome is not None
        with ExitStack() as on_failure:
            players = [None if is_over else self._player(side, game, load, on_failure) for side in (0, 1)]
            seats = self.players if is_over else (players[0], players[1])
            known = (None, None) if record is None else self._names_of(record, game)
            names = [
                given or recorded or _name_of(seat)
                for given, recorded, seat in zip(self.names, known, self.players, strict=True)
            ]
            rules = MatchRules.between(players, game, time=self._times(seats, record), **self._ends())
            settings = {"tags": self._tags(names, record, today)} | settings
            if record is not None:
                settings = {
                    "played": zip(record.moves, record.seconds, strict=True),
                    "outcome": record.outcome,
                } | settings
            manager = Manager(
                game,
                players,
                names=(names[0], names[1]),
                start=self.start if record is None else game.parse(record.start),
                rules=rules,
                limit=self.limits,
                **settings,
            )
            on_failure.pop_all()
        return manager

    def _game_of(self, record: Record) -> Game:
        """Return the game of a record, which may have another layout or other options."""
        if record.game != self.game.facts.name:
            raise MatchError(f"this is a match of {quote(record.game)}, not {self.game.facts.name}")
        same = record.layout == self.game.layout and record.options == options_as_texts(self.game.options)
        return self.game if same else load_game_of(record)

    def _names_of(self, record: Record, game: Game) -> tuple[str | None, ...]:
        """Return the names in a record; None for an agent's own name if another agent replaces it."""
        if record.outcome is not None:
            return record.names
        return tuple(
            None if isinstance(seat, str) and seat.strip() != name == text and _is_agent(name, game) else name
            for seat, name, text in zip(self.players, record.names, _seat_texts(record), strict=True)
        )

    def _tags(self, names: list[str], record: Record | None, today: date | None) -> dict[str, str]:
        """Return the tags of the record, including `SEAT_TAGS` of players not named after their agent."""
        known = date_tag(today) if record is None else dict(record.tags)
        if record is not None and record.outcome is not None:
            return known
        tags = {tag: value for tag, value in known.items() if tag not in SEAT_TAGS}
        for tag, seat, name in zip(SEAT_TAGS, self.players, names, strict=True):
            text = HUMAN if is_person(seat) else seat.strip() if isinstance(seat, str) else name
            if name != text:
                tags[tag] = text
        return tags

    def _player(self, side: int, game: Game, load: LoadPlayer, on_failure: ExitStack) -> Player | None:
        seat = self.players[side]
        if not isinstance(seat, str):
            return seat
        player = load(seat, game, seed=None if self.seed is None else self.seed + side)
        on_failure.callback(close_player, player)
        return player

    def _move_times(self, seats: tuple[Seat, Seat]) -> tuple[float | None, float | None]:
        first, second = (is_person(seat) for seat in seats)
        if isinstance(self.move_time, tuple) or first == second:
            return pair(self.move_time)
        return (None, self.move_time) if first else (self.move_time, None)

    def _times(self, seats: tuple[Seat, Seat], record: Record | None) -> TimeControls:
        """Return the time control of each side; times that are not given come from the record."""
        controls = [
            replace(control, move=seconds) if seconds is not None and is_person(seat) else control
            for control, seconds, seat in zip(
                of_both_sides(self.time), self._move_times(seats), seats, strict=True
            )
        ]
        if record is not None:
            recorded = parse_time_controls(record.tags.get("TimeControl", "-"))
            if all(control.move is None for control in controls):
                controls = [
                    replace(control, move=old.move) for control, old in zip(controls, recorded, strict=True)
                ]
            if all(control.match is None for control in controls):
                controls = [
                    replace(control, match=old.match, increment=old.increment)
                    for control, old in zip(controls, recorded, strict=True)
                ]
        return controls[0], controls[1]

    def _ends(self) -> dict[str, Any]:  # values of several types
        """Return the limits and rules that were given and can end a match, apart from the clocks."""
        names = ("ply_limit", "move_limits", "no_progress_limit", "repetition", "adjudication")
        given = {name: getattr(self, name) for name in names}
        return {name: value for name, value in given.items() if value is not None}


def date_tag(day: date | None) -> dict[str, str]:
    """Return the tag Date of a match, or no tag if its day is unknown.

    Examples
    --------
    >>> date_tag(date(2026, 11, 27))
    {'Date': '2026.11.27'}
    """
    return {} if day is None else {"Date": f"{day:%Y.%m.%d}"}


def pair(value: _Value | tuple[_Value, _Value]) -> tuple[_Value, _Value]:
    """Return a pair unchanged, and a single value twice: once for each side.

    Examples
    --------
    >>> pair(300.0), pair((300.0, 60.0))
    ((300.0, 300.0), (300.0, 60.0))
    """
    return value if isinstance(value, tuple) else (value, value)


def seats_of(record: Record, game: Game) -> tuple[str, str]:
    """Return the agents for resuming a match: the agents that its record names, and `human` for other names.

    If the record names no agent at all, a person plays against the default agent of the game.
    If a tag names an agent, it is returned even if it no longer exists.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> record = boardgames.Record("connect4", start="-", names=("greedy", "Ann"), moves=("4",))
    >>> seats_of(record, game)
    ('greedy', 'human')
    """
    first, second = (
        record.tags.get(tag) or (name if _is_agent(name, game) else None)
        for tag, name in zip(SEAT_TAGS, record.names, strict=True)
    )
    if first is None and second is None:
        return HUMAN, game.facts.default_agent
    return first or HUMAN, second or HUMAN


def _seat_texts(record: Record) -> list[str]:
    """Return the text of each side's agent, or the side's name if no tag names an agent."""
    return [record.tags.get(tag, name) for tag, name in zip(SEAT_TAGS, record.names, strict=True)]


def _is_agent(text: str, game: Game) -> bool:
    """Return True if a text describes an agent that can play a game."""
    try:
        name, _ = parse_agent(text)
        registry().check_name("agents", name, game.facts.name)
    except BoardgamesError:
        return False
    return True


def is_person(seat: Seat) -> bool:
    """Return True for a person: None, the agent `human`, or a player that is human."""
    if isinstance(seat, str):
        return parse_agent(seat)[0] == HUMAN
    return seat is None or seat.is_human


def _name_of(seat: Seat) -> str:
    """Return the default name of a player."""
    if isinstance(seat, str):
        return seat.strip()
    return HUMAN if seat is None else name_of(seat)
