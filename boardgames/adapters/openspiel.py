"""Our games and agents in OpenSpiel (extra `openspiel`).

    from boardgames.adapters import openspiel

    game = pyspiel.load_game(openspiel.register("abalone"))

Everything in OpenSpiel that works with games in Python then works with ours; games and states can be pickled.
`bot` makes a bot of any of our agents, for OpenSpiel's tournaments. `boardgames.adapters.spiel_games` works
in the other direction.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from boardgames.adapters import SPIEL_MAX_PLIES, SPIEL_PREFIX
from boardgames.errors import MatchError, MissingExtraError, OptionError, quote
from boardgames.game import Game, observation_of
from boardgames.match_setup import DEFAULT_LIMIT
from boardgames.match_state import MatchRules, MatchState
from boardgames.options import OptionValue
from boardgames.player import Limit, Player
from boardgames.plugins import load, load_player

if TYPE_CHECKING:
    import pyspiel

PREFIX = "boardgames_"
LAYOUT = "layout"


def register(name: str) -> str:
    """Register a game with OpenSpiel; return the name by which `pyspiel.load_game` loads it.

    Its options and the `layout` become parameters: `boardgames_hexifence(dimension=2)`. Matches end like
    matches between agents; if there is no other limit, a match is drawn after 1000 plies.

    Parameters
    ----------
    name : str
        The name of a game, as `boardgames games` lists it.

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    OptionError
        If it is a game of OpenSpiel.
    UnknownNameError, PluginError
        If there is no such game, or it is broken.
    """
    if not isinstance(name, str):
        raise OptionError(f"a game is registered by its name, not {quote(name)}")
    if name.startswith(SPIEL_PREFIX):
        own = name.removeprefix(SPIEL_PREFIX)
        raise OptionError(f"{name!r} is a game of OpenSpiel: load it as pyspiel.load_game({own!r})")
    spiel, game = _pyspiel(), load(name)
    short_name = PREFIX + name
    if short_name not in spiel.registered_names():
        _register(game, short_name)
    return short_name


def bot(
    agent: str | Player, game: "pyspiel.Game", *, seed: int | None = None, limit: Limit = DEFAULT_LIMIT
) -> Any:
    """Return an agent as a bot for a registered game, a `pyspiel.Bot`.

    Parameters
    ----------
    agent : str or Player
        An agent with its options, such as `alphabeta:depth=4`, or a player of the game.
    game : pyspiel.Game
        A game whose name `register` has returned.
    seed : int, optional
        Seed of the random choices of an agent.
    limit : Limit
        What the agent may spend on a move.

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    OptionError
        If the game is not one of ours, or the player is a person or plays another game.
    UnknownNameError
        If there is no such agent.
    """
    own: object = getattr(game, "boardgame", None)
    if not isinstance(own, Game):
        raise OptionError(f"the game must be loaded by a name that register returns, not {quote(game)}")
    player = load_player(agent, own, seed=seed) if isinstance(agent, str) else agent
    if not isinstance(player, Player) or player.game != own:
        raise OptionError(f"the agent must be a name or a player of {own!r}, not {quote(agent)}")
    if player.is_human:
        raise OptionError(f"a bot must be an agent, not a person: {quote(agent)}")
    return _bot_class()(player, limit)


def match_of(state: "pyspiel.State") -> MatchState:
    """Return a copy of the match that a state of a registered game represents.

    Raises
    ------
    OptionError
        If the state is of another game.
    """
    match: object = getattr(state, "match", None)
    if not isinstance(match, MatchState):
        raise OptionError(f"not a state of a game that register has registered: {quote(state)}")
    return match.copy()


def _pyspiel() -> Any:  # a module without types
    try:
        import pyspiel
    except ImportError:
        raise MissingExtraError("openspiel", "OpenSpiel") from None
    return pyspiel


def _register(example: Game, short_name: str) -> None:
    """Register the class of a game under a name; `example` has its default options."""
    spiel, facts = _pyspiel(), example.facts
    defaults: dict[str, OptionValue] = {LAYOUT: example.layout}
    for option in example.declared_options:
        defaults[option.name] = "" if option.default is None else option.default
    kind = spiel.GameType(
        short_name=short_name,
        long_name=facts.title,
        dynamics=spiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=spiel.GameType.ChanceMode.DETERMINISTIC,
        information=spiel.GameType.Information.PERFECT_INFORMATION,
        utility=spiel.GameType.Utility.ZERO_SUM,
        reward_model=spiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=defaults,
    )
    state_class = _state_class()

    class RegisteredGame(spiel.Game):  # type: ignore[misc,name-defined]  # no types
        """A game of this framework."""

        def __init__(self, params: dict[str, OptionValue] | None = None) -> None:
            given = params or {}
            changed = {key: value for key, value in given.items() if value != defaults.get(key)}
            layout = changed.pop(LAYOUT, None)
            self.boardgame = load(facts.name, layout=None if layout is None else str(layout), **changed)
            self.rules = _limited(self.boardgame)
            info = spiel.GameInfo(
                num_distinct_actions=self.boardgame.facts.actions,
                max_chance_outcomes=0,
                num_players=2,
                min_utility=-1.0,
                max_utility=1.0,
                utility_sum=0.0,
                max_game_length=_longest(self.boardgame, self.rules),
            )
            super().__init__(kind, info, given)
            self.start = self.boardgame.start()

        def __reduce__(self) -> tuple[object, ...]:
            return _loaded_game, (str(self),)

        def new_initial_state(self, state: object = None) -> Any:
            """Return the state at the start of a match."""
            if state is not None:
                raise MatchError("a match of OpenSpiel begins at the start: apply actions to a new state")
            return state_class(self)

        def make_py_observer(self, iig_obs_type: Any = None, params: object = None) -> Any:
            """Return an observer of positions, or of histories if it needs perfect recall."""
            if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
                return _Observer(self.boardgame)
            from open_spiel.python.observation import IIGObserverForPublicInfoGame

            return IIGObserverForPublicInfoGame(iig_obs_type, params)

    spiel.register_game(kind, RegisteredGame)


def _loaded_game(text: str) -> Any:
    """Unpickle a game from its text in OpenSpiel; another process may have to register it first."""
    register(text.partition("(")[0].removeprefix(PREFIX))
    return _pyspiel().load_game(text)


def _loaded_state(game: str, text: str) -> Any:
    """Unpickle a state that OpenSpiel has serialized."""
    _loaded_game(game)
    return _pyspiel().deserialize_game_and_state(text)[1]


def _limited(game: Game) -> MatchRules:
    """Return the rules of a match between agents, with a limit of plies if nothing else ends every match."""
    rules = MatchRules.between_agents(game)
    if game.facts.longest_match is None and rules.ply_limit is None:
        return MatchRules(SPIEL_MAX_PLIES, rules.no_progress_limit, rules.repetition)
    return rules


def _longest(game: Game, rules: MatchRules) -> int:
    return min(limit for limit in (game.facts.longest_match, rules.ply_limit) if limit is not None)


@cache
def _state_class() -> type:
    """Return the class of states; OpenSpiel copies their attributes with `copy.deepcopy`."""
    spiel = _pyspiel()

    class SpielState(spiel.State):  # type: ignore[misc,name-defined]  # no types
        """A match as a state of OpenSpiel."""

        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.match = MatchState(game.start, game.rules)

        def __reduce__(self) -> tuple[object, ...]:
            game = self.get_game()
            return _loaded_state, (str(game), spiel.serialize_game_and_state(game, self))

        def current_player(self) -> int:
            """Return the side to move, or TERMINAL."""
            is_over = self.match.outcome is not None
            return int(spiel.PlayerId.TERMINAL) if is_over else self.match.side_to_move

        def is_terminal(self) -> bool:
            """Return True if the match is over."""
            return self.match.outcome is not None

        def returns(self) -> list[float]:
            """Return 1, -1 or 0 for each side."""
            return [0.0, 0.0] if self.match.outcome is None else list(self.match.outcome.returns)

        def _legal_actions(self, player: int) -> list[int]:
            return list(self.match.actions)

        def _apply_action(self, action: int) -> None:
            self.match.push(action)

        def _action_to_string(self, player: int, action: int) -> str:
            position = self.match.position
            return position.game.format_action(position.words, action)

        def __str__(self) -> str:
            return str(self.match.position)

    return SpielState


class _Observer:
    """Observes positions as OpenSpiel's observers do: planes as a tensor, and the text."""

    def __init__(self, game: Game) -> None:
        observation = observation_of(game)
        self.tensor: npt.NDArray[np.float32] = np.zeros(observation.size, np.float32)
        self.dict = {"observation": self.tensor.reshape(observation.shape)}

    def set_from(self, state: Any, player: int) -> None:
        """Write the observation of a player into `self.tensor`."""
        self.dict["observation"][:] = state.match.position.observation(player)

    def string_from(self, state: Any, player: int) -> str:
        """Return the position as text."""
        return str(state)


@cache
def _bot_class() -> type:
    spiel = _pyspiel()

    class SpielBot(spiel.Bot):  # type: ignore[misc,name-defined]  # no types
        """An agent of this framework as a bot."""

        def __init__(self, player: Player, limit: Limit) -> None:
            super().__init__()
            self.player, self.limit = player, limit

        def restart_at(self, state: Any) -> None:
            """Get ready for a match that begins in a state."""
            side = state.current_player()
            self.player.match_started(max(side, 0))

        def restart(self) -> None:
            """Get ready for a match."""
            self.player.match_started(0)

        def inform_action(self, state: Any, player: int, action: int) -> None:
            """Ignore moves, since each state has the whole match."""

        def step(self, state: Any) -> int:
            """Return the action that the agent chooses."""
            match = match_of(state)
            move = self.player.choose(match.position, self.limit, match.context).move
            if move is None:
                raise MatchError(f"{self.player!r} resigns, which OpenSpiel's bots cannot do")
            return move.action

    return SpielBot
