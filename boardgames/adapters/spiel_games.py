"""OpenSpiel's games and bots in this framework (extra `openspiel`): `boardgames play spiel:breakthrough`.

Any game of OpenSpiel for two players without chance or hidden information is loaded as `spiel:NAME`, where
NAME is its name in OpenSpiel, and its parameters are options. A position is the list of all actions from the
start, so the same board is a different position after another order of moves. The board is drawn if OpenSpiel
prints it as rows of pieces; otherwise its text is shown. `bot_player` makes a player of any bot.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from boardgames.adapters import SPIEL_MAX_PLIES, SPIEL_PREFIX
from boardgames.errors import (
    BoardgamesError,
    IllegalMoveError,
    MissingExtraError,
    OptionError,
    UnknownNameError,
    quote,
    suggest,
)
from boardgames.game import Game, Position
from boardgames.hookspecs import Entry
from boardgames.options import Option
from boardgames.picture import Caption, Picture
from boardgames.plain_game import DRAW, EMPTY, LETTERS, PlainGame
from boardgames.player import NO_CONTEXT, NO_LIMIT, Choice, Context, Limit, Player

START = "-"
"""The text of the start position."""
MAX_ACTIONS = 100_000
"""Maximum number of actions of a game; with more, the game would take minutes to load."""
MCTS = "spiel-mcts"
MAX_SEED = 2**31

_SAMPLES = 2
_SAMPLED_PLIES = 200
_EMPTY_CELLS = "-."
_CELL = "[-.xXoObBwW]"
_BOARD_ROW = re.compile(f"{_CELL}+")
_LABELS = re.compile(r"^[0-9]+|[0-9]+$")
_SIDE_LETTERS = ("xo", "bw")
_NOT_IN_MOVES = re.compile(r"[^\w+=>*.:'@-]+")

State = Any  # of OpenSpiel, which has no types
MakeBot = Callable[[int], Any]
"""A function that returns a bot of OpenSpiel for a side."""


class SpielAction(int):
    """An action of OpenSpiel with its text in a position."""

    text: str = ""

    @classmethod
    def of(cls, action: int, text: str) -> "SpielAction":
        """Return an action with a text."""
        made = cls(action)
        made.text = text
        return made


class Look(NamedTuple):
    """How the states of a game look.

    Attributes
    ----------
    board : (int, int) or None
        The numbers of rows and columns of the board that OpenSpiel prints; None if it prints no such board.
    planes : (int, int, int) or None
        The shape of OpenSpiel's observation; None if it has none that consists of small whole numbers.
    """

    board: tuple[int, int] | None
    planes: tuple[int, int, int] | None


class SpielGame(PlainGame[State, int]):
    """Base class of the games of OpenSpiel; each game has a subclass, made when it is first loaded.

    Attributes
    ----------
    spiel_name : str
        Its name in OpenSpiel.
    """

    spiel_name: ClassVar[str] = ""
    symbols: ClassVar[tuple[str, str]] = ("x", "o")

    def prepare(self) -> None:
        """Load the game of OpenSpiel, and set facts, kernels and evaluation."""
        defaults = {option.name: option.default for option in self.declared_options}
        changed = {name: value for name, value in self.options.items() if value != defaults[name]}
        try:
            self.spiel = _pyspiel().load_game(self.spiel_name, changed)
            actions: int = self.spiel.num_distinct_actions()
            if actions <= MAX_ACTIONS:
                self._start = self.spiel.new_initial_state()
        except Exception as error:  # noqa: BLE001 - its C++ code may raise anything
            reason = (str(error).strip().splitlines() or [type(error).__name__])[-1]
            raise OptionError(f"OpenSpiel cannot load {self.spiel_name!r} with {changed}: {reason}") from None
        if not 1 <= actions <= MAX_ACTIONS:
            raise OptionError(f"{self.name} with {changed} has {actions:,} actions, not 1 to {MAX_ACTIONS:,}")
        if self._start.is_chance_node():
            raise OptionError(f"{self.name} with {changed} begins with a chance node")
        if self.spiel.num_players() != 2:
            raise OptionError(f"{self.name} must have 2 players, not {self.spiel.num_players()}")
        self._longest: int = min(self.spiel.max_game_length(), SPIEL_MAX_PLIES)
        digits: int = len(str(self.spiel.num_distinct_actions()))
        self._most_bytes = max(len(START), self._longest * (digits + 1))
        self._most_digits = digits
        self._look = _look_of(self.spiel)
        self._first = self._letters_of_first()
        super().prepare()
        self.facts = replace(self.facts, longest_match=self._longest, alternates=False, default_agent="mcts")

    @property
    def longest_text(self) -> int:  # type: ignore[override]  # depends on the parameters
        """Return the largest number of bytes in the text of a state."""
        return int(self._most_bytes)

    @property
    def plane_names(self) -> tuple[str, ...]:  # type: ignore[override]  # depends on the parameters
        """Return names for OpenSpiel's planes and one for the side; () if there is a board, or no planes."""
        if self._look.board is not None or self._look.planes is None:
            return ()
        return (*(f"plane {number} of OpenSpiel" for number in range(1, self._look.planes[0] + 1)), "side 1")

    def all_moves(self) -> Sequence[int]:
        """Return all actions of OpenSpiel; they have the same numbers here."""
        return range(self.spiel.num_distinct_actions())

    def initial_state(self) -> State:
        """Return the state at the start."""
        return self._start

    def side_to_move(self, state: State) -> int:
        """Return the side to move; 0 once the match is over."""
        side: int = max(0, int(state.current_player()))
        return side

    def legal_moves(self, state: State) -> Sequence[int]:
        """Return the legal actions with their texts."""
        moves, texts = [], set[str]()
        for action in state.legal_actions():
            text = _NOT_IN_MOVES.sub("_", _text_of(state, action)).strip("_") or str(action)
            if text.lower() in texts:
                text = f"{text}:{action}"
            texts.add(text.lower())
            moves.append(SpielAction.of(action, text))
        return moves

    def apply(self, state: State, move: int) -> State:
        """Return the state after an action."""
        return state.child(int(move))

    def outcome(self, state: State) -> int | str | None:
        """Return the winner according to OpenSpiel; a match of `SPIEL_MAX_PLIES` plies is a draw."""
        if not state.is_terminal():
            return DRAW if state.move_number() >= self._longest else None
        first, second = state.returns()
        return DRAW if first == second else int(second > first)

    def move_text(self, move: int) -> str:
        """Return the text of an action."""
        return move.text if isinstance(move, SpielAction) else str(int(move))

    def state_text(self, state: State) -> str:
        """Return the actions from the start, with commas."""
        return ",".join(map(str, state.history())) or START

    def parse_state(self, text: str) -> State:
        """Return the state after these actions; raise ValueError if one of them is not legal."""
        state = self._start.clone()
        if text == START:
            return state
        for count, part in enumerate(text.split(","), start=1):
            is_number = part.isascii() and part.isdigit() and len(part) <= self._most_digits
            action = int(part) if is_number else -1
            if count > self._longest or state.is_terminal() or action not in state.legal_actions():
                raise ValueError(
                    f"write the actions from the start, such as 0,1, or {START} for the start; "
                    f"action {count} is not legal: {quote(part)}"
                )
            state.apply_action(action)
        return state

    def board(self, state: State) -> Sequence[str]:
        """Return the rows of the board if OpenSpiel always prints it as rows of x and o, or b and w."""
        rows = [] if self._look.board is None else _rows_of(str(state))
        first = self._first
        return [
            "".join(
                EMPTY if one in _EMPTY_CELLS else self.symbols[0 if one.lower() == first else 1]
                for one in row
            )
            for row in rows
        ]

    def picture(self, state: State) -> Picture:
        """Return the picture of the board, or the text that OpenSpiel prints."""
        picture = super().picture(state)
        if picture.cells:
            return picture
        lines = [line for line in str(state).splitlines() if line.strip()]
        return replace(picture, captions=tuple(Caption("top-left", line) for line in lines))

    def planes(self, state: State, side: int) -> Sequence[Sequence[Sequence[int]]]:
        """Return the planes of the board, or OpenSpiel's observation if the game has no board."""
        if not self.plane_names or self._look.planes is None:
            return super().planes(state, side)
        count, rows, columns = self._look.planes
        values = iter(map(round, state.observation_tensor(side)))
        planes = [[[next(values) for _ in range(columns)] for _ in range(rows)] for _ in range(count)]
        return [*planes, [[side] * columns for _ in range(rows)]]

    def parse_action(self, position: Position, text: str, notation: str | None = None) -> int:
        """Return the action that a text names; upper and lower case differ if both are legal."""
        for action in position.actions:
            if self.format_action(position.words, action) == text:
                return action
        return super().parse_action(position, text, notation)

    def _letters_of_first(self) -> str:
        """Return the letter of the pieces of side 0, which the first move puts on the board."""
        before = _rows_of(str(self._start))
        for action in self._start.legal_actions():
            after = _rows_of(str(self._start.child(action)))
            for old, new in zip("".join(before), "".join(after), strict=False):
                if old != new and new.isalpha():
                    return str(new.lower())
        return "x"


def _text_of(state: State, action: int) -> str:
    """Return OpenSpiel's text of an action, or its number where OpenSpiel fails, as on some large boards."""
    try:
        text: str = state.action_to_string(action)
    except UnicodeDecodeError:
        return str(action)
    return text


class BotPlayer(Player):
    """Bots of OpenSpiel, one for each side, as a player; `bot_player` makes one."""

    name = "spiel-bot"
    respects_limits = False

    def __init__(
        self, game: Game, make_bot: MakeBot | None = None, *, seed: int | None = None, **options: object
    ) -> None:
        super().__init__(game, seed=seed, **options)
        if not callable(make_bot) or isinstance(make_bot, _pyspiel().Bot):
            what = "" if make_bot is None else f", not {quote(make_bot)}"
            raise OptionError(
                f"{self.name} needs a function that returns a bot for a side: "
                f"bot_player(lambda side: ..., game){what}"
            )
        self._make_bot = make_bot
        self._bots: dict[int, Any] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.game, self._make_bot)

    def match_started(self, side: int) -> None:
        """Restart the bots for a new match."""
        for bot in self._bots.values():
            bot.restart()

    def reseed(self, seed: int) -> None:
        """Discard the bots, so that new ones are made; the seed has no effect on them."""
        super().reseed(seed)
        self._bots = {}

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the move of the bot for the side to move; bots take no limits."""
        self._check_position(position)
        bot = self._bot_of(position.side_to_move)
        action = int(bot.step(_state_at(position, context)))
        if action not in position.actions:
            raise IllegalMoveError(f"the bot chose the illegal action {action} in {position}")
        return Choice(position.game.decode(position, action))

    def _bot_of(self, side: int) -> Any:
        if side not in self._bots:
            bot = self._make_bot(side)
            if not isinstance(bot, _pyspiel().Bot):
                raise OptionError(f"a bot must be a pyspiel.Bot, not {quote(bot)}")
            self._bots[side] = bot
        return self._bots[side]


class SpielMCTS(BotPlayer):
    """The Monte Carlo tree search of OpenSpiel, in C++."""

    name = MCTS
    declared_options = (
        Option(
            "simulations", int, 1000, "simulations for a move", minimum=1, maximum=10_000_000, role="limit"
        ),
        Option("exploration", float, 2.0, "constant of UCT", minimum=0),
        Option("rollouts", int, 1, "random matches from a leaf", minimum=1, maximum=1000),
    )

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, self._new_bot, seed=seed, **options)
        self._seed = int(self.random.integers(MAX_SEED))

    def reseed(self, seed: int) -> None:
        """Make new bots with a seed."""
        super().reseed(seed)
        self._seed = seed % MAX_SEED

    __reduce__ = Player.__reduce__  # recreated from its options

    def _new_bot(self, side: int) -> Any:
        spiel, options, seed = _pyspiel(), self.options, self._seed
        evaluator = spiel.RandomRolloutEvaluator(options["rollouts"], seed)
        return spiel.MCTSBot(
            _spiel_game_of(self.game), evaluator, options["exploration"], options["simulations"],
            1000, True, seed, False,
        )  # fmt: skip


def bot_player(make_bot: MakeBot, game: Game) -> BotPlayer:
    """Return a player, for either side of a game, that plays the moves of OpenSpiel's bots.

    Parameters
    ----------
    make_bot : function
        Given a side, 0 or 1, it returns a `pyspiel.Bot` that plays this side, which is the player with this
        number in OpenSpiel. It is called when the player first has to move on that side. The bot must be
        made for the game `game.spiel`, or for the game that OpenSpiel loads by the name that
        `boardgames.adapters.openspiel.register` returns.
    game : Game
        A game named `spiel:...`, or one of ours.

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    OptionError
        If `make_bot` is not a function. `choose` raises it if the function does not return a bot.
    """
    return BotPlayer(game, make_bot)


def entries(name: str) -> dict[str, list[Entry]]:
    """Return the entries of a game and of the agents for it, by kind: `games` and `agents`.

    Parameters
    ----------
    name : str
        The name of a game of OpenSpiel, after `spiel:`.

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    UnknownNameError
        If OpenSpiel has no such game, or the game does not fit this framework.
    """
    title = _class_of(name).title
    mcts = Entry(
        MCTS, "Monte Carlo tree search of OpenSpiel", f"{__name__}:{SpielMCTS.__name__}", SPIEL_PREFIX + name
    )
    return {
        "games": [Entry(SPIEL_PREFIX + name, f"{title} of OpenSpiel", f"{__name__}:{name}", title=title)],
        "agents": [mcts],
    }


def __getattr__(name: str) -> type[SpielGame]:
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return _class_of(name)
    except BoardgamesError as error:
        raise AttributeError(str(error)) from None


@cache
def _class_of(name: str) -> type[SpielGame]:
    """Return the class of a game of OpenSpiel."""
    kinds = dict(_kinds())
    if name not in kinds:
        if name in _pyspiel().registered_names():
            reason = "has chance, hidden information or a number of players other than two"
            raise UnknownNameError(f"the game {SPIEL_PREFIX + name!r} cannot be played here: it {reason}")
        raise UnknownNameError(f"OpenSpiel has no game {quote(name)}{suggest(name, kinds)}")
    options = tuple(_options_of(kinds[name].parameter_specification))
    attributes = {
        "__module__": __name__, "__doc__": f"{kinds[name].long_name} of OpenSpiel.",
        "name": SPIEL_PREFIX + name, "title": kinds[name].long_name, "spiel_name": name,
        "declared_options": options,
    }  # fmt: skip
    return type(name, (SpielGame,), attributes)


@cache
def _kinds() -> tuple[tuple[str, Any], ...]:
    """Return the games of OpenSpiel that can be played here, with their types."""
    kind = _pyspiel().GameType
    return tuple(
        (one.short_name, one)
        for one in _pyspiel().registered_games()
        if one.dynamics == kind.Dynamics.SEQUENTIAL
        and one.chance_mode == kind.ChanceMode.DETERMINISTIC
        and one.information == kind.Information.PERFECT_INFORMATION
        and one.utility in (kind.Utility.ZERO_SUM, kind.Utility.CONSTANT_SUM)
        and one.default_loadable
        and one.min_num_players <= 2 <= one.max_num_players
        and not one.short_name.startswith(("python_", "boardgames_"))
    )


def _options_of(specification: Mapping[str, Any]) -> Iterator[Option]:
    for name, default in sorted(specification.items()):
        if isinstance(default, bool | int | float | str):
            yield Option(name, type(default), default, "parameter of OpenSpiel")


def _look_of(spiel: Any) -> Look:
    """Return how the states of a game of OpenSpiel look, judging by some random matches."""
    planes = _planes_of(spiel)
    sizes = set[tuple[int, int]]()
    generator = np.random.default_rng(0)
    for _ in range(_SAMPLES):
        state = spiel.new_initial_state()
        for ply in range(_SAMPLED_PLIES + 1):
            if (0, 0) not in sizes:
                rows = _rows_of(str(state))
                sizes.add((len(rows), len(rows[0]) if rows else 0))
            if planes is not None and not _is_int8(state.observation_tensor(0)):
                planes = None
            if ply == _SAMPLED_PLIES or state.is_terminal():
                break
            actions = state.legal_actions()
            state.apply_action(actions[generator.integers(len(actions))])
    board = sizes.pop() if len(sizes) == 1 else (0, 0)
    return Look(board if board != (0, 0) else None, planes)


def _is_int8(values: Sequence[float]) -> bool:
    return np.array_equal(values, np.rint(np.clip(values, -128, 127)))


def _planes_of(spiel: Any) -> tuple[int, int, int] | None:
    """Return the shape of the observation of a game, or None if it has none."""
    if not spiel.get_type().provides_observation_tensor:
        return None
    shape = spiel.observation_tensor_shape()
    first, *others = shape if len(shape) > 1 else (1, *shape)
    *rows, columns = others
    return first, math.prod(rows), columns


def _rows_of(text: str) -> list[str]:
    """Return the rows of a board in a text, from the last to the first, without labels.

    The list is empty unless the whole board consists of such rows: no other line may have as many cells side
    by side.
    """
    lines = [(line, _LABELS.sub("", line.replace(" ", ""))) for line in text.splitlines()]
    places = [place for place, (_, row) in enumerate(lines) if _BOARD_ROW.fullmatch(row)]
    rows = [lines[place][1] for place in places]
    edges = {len(line) - len(line.lstrip(" 0123456789")) for line, _ in (lines[place] for place in places)}
    if len(rows) < 2 or len(set(map(len, rows))) > 1 or len(rows[0]) < 2 or len(edges) > 1:
        return []
    is_together = places[-1] - places[0] == len(places) - 1
    rest = [row for place, (_, row) in enumerate(lines) if place not in places]
    others = {row for row in rest if len(row) == len(rows[0])}
    has_more_rows = any(re.search(f"{_CELL}{{{len(rows[0])}}}", row) for row in rest)
    letters = set("".join(rows).lower()) - set(_EMPTY_CELLS)
    is_known = any(letters <= set(pair) for pair in _SIDE_LETTERS)
    if not (is_together and is_known and not has_more_rows and others <= {LETTERS[: len(rows[0])]}):
        return []
    is_upside_down = lines[places[0]][0].replace(" ", "").startswith("1" + rows[0])
    return rows[::-1] if is_upside_down else rows


def _spiel_game_of(game: Game) -> Any:
    """Return the game of OpenSpiel that corresponds to a game of this framework."""
    if isinstance(game, SpielGame):
        return game.spiel
    from boardgames.adapters.openspiel import register

    return _pyspiel().load_game(register(game.facts.name), _parameters_of(game))


def _parameters_of(game: Game) -> dict[str, Any]:
    changed = dict(game.changed_options())
    return changed | ({"layout": game.layout} if game.layout else {})


def _state_at(position: Position, context: Context) -> State:
    """Return a state of OpenSpiel for a position, with the moves of the match so far if they are known."""
    game = position.game
    if isinstance(game, SpielGame):
        return game.state_of(position).clone()
    from boardgames.match_state import MatchState

    spiel = _spiel_game_of(game)
    state = spiel.new_initial_state()
    rules = state.match.rules
    if context.history and len(context.actions) == len(context.history):
        state.match = MatchState(context.history[0], rules)
        for action in context.actions:
            if state.is_terminal():
                break
            state.apply_action(action)
        if state.match.position == position and not state.is_terminal():
            return state
        state = spiel.new_initial_state()  # its limits are wider than those of matches between agents
    state.match = MatchState(position, rules)
    return state


def _pyspiel() -> Any:  # a module without types
    try:
        import pyspiel
    except ImportError:
        raise MissingExtraError("openspiel", "a game of OpenSpiel") from None
    return pyspiel
