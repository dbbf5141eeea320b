"""The agents `alphazero`, a search with a network, and `policy`, which plays the most probable moves."""

from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from boardgames.errors import OptionError, WeightsError
from boardgames.game import Game, Position
from boardgames.networks import Network, load_network
from boardgames.options import Option
from boardgames.player import NO_CONTEXT, NO_LIMIT, Analysis, Choice, Context, Limit, MoveValue, Player
from boardgames.players.alphabeta import DEFAULT_SECONDS, TIME
from boardgames.players.mcts import SIMULATIONS
from boardgames.score import RETURN, Score
from boardgames.search.batched import BatchSearchOptions
from boardgames.search.batched.options import MAX_LEAVES
from boardgames.search.batched.single import MEMORY, SingleSearch

NETWORK = Option(
    "weights",
    str,
    None,
    "the network: a name, a run or a file; default: alphazero, if the game has it",
    file="read",
    role="network",
)
DRAW_OFFER = Limit(simulations=100)
PLAIN = BatchSearchOptions(root="plain")


class NetworkPlayer(Player):
    """Base class of agents that play with a network; they do not need PyTorch.

    Raises
    ------
    OptionError, UnknownNameError, WeightsError, FileError
        If there is no network, or it is for another game or other options.
    """

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        _ = self.network  # reject a network that does not fit before the match

    @cached_property
    def network(self) -> Network:
        """Return the network that the option `weights` names, by default the one in the game's plug-in."""
        from boardgames.weights.lookup import offered_names

        if (name := self.options[NETWORK.name]) is not None:
            return load_network(str(name), self.game, any_layout=True)
        problem = f"{self.name} needs a network"
        if ALPHAZERO in offered_names(self.game):
            try:
                return load_network(ALPHAZERO, self.game, any_layout=True)
            except WeightsError as error:
                problem = str(error)
        raise OptionError(
            f"{problem}; train one with 'boardgames train {self.game.facts.name} --learner {ALPHAZERO}' "
            f"and pass it with {self.name}:weights=RUN"
        )

    def fingerprint(self) -> str:
        """Return the hash of the network."""
        return self.network.fingerprint()


ALPHAZERO = "alphazero"
LEVEL = Option(
    "level", int, None, "strength from 1, a single simulation, to 10; each level doubles the simulations",
    minimum=1, maximum=10, role="strength",
)  # fmt: skip


class AlphaZero(NetworkPlayer):
    """Searches with a network within its own limits and the caller's, by default for one second.

    With a limit of simulations, the same match gives the same moves.
    """

    name: ClassVar[str] = ALPHAZERO
    declared_options: ClassVar[tuple[Option, ...]] = (
        NETWORK,
        SIMULATIONS,
        TIME,
        LEVEL,
        Option(
            "exploration", float, PLAIN.exploration, "weight of exploration in PUCT", minimum=0, maximum=100
        ),
        Option(
            "leaves", int, 8, "number of leaves that are evaluated in one batch", minimum=1,
            maximum=MAX_LEAVES,
        ),
        Option(
            "memory", int, MEMORY, "size of the tree in MB; when it is full, the search ends", minimum=1,
            maximum=1 << 20, role="memory",
        ),
    )  # fmt: skip

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        exploration, leaves = self.options["exploration"], self.options["leaves"]
        assert isinstance(exploration, int | float)
        assert isinstance(leaves, int)
        search_options = replace(PLAIN, exploration=float(exploration), leaves=leaves)
        memory = self.options["memory"]
        assert isinstance(memory, int)
        self._search = SingleSearch(game, self.network.evaluate, search_options, memory=memory)

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the move with the most simulations, or one that is proven to be best."""
        self._check_position(position)
        return self._search.search(position, self._limit(limit), context).choice()

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the value of every move, or of the best `lines`; the network values unsearched moves."""
        self._check_position(position, lines=lines)
        analysis = self._search.search(position, self._limit(limit), context, all_moves=True)
        return replace(analysis, moves=analysis.moves[:lines])

    def accepts_draw(self, position: Position, side: int) -> bool:
        """Accept a draw if a short search favours one for `side`."""
        self._check_game(position)
        if position.outcome is not None:
            return False
        return self._search.search(position, DRAW_OFFER, NO_CONTEXT).favours_draw(side)

    def match_started(self, side: int) -> None:
        """Get the search ready before the clock starts."""
        self._search.prepare()

    def close(self) -> None:
        """Free the memory of the search, after waiting for a search in another thread to end."""
        with self._in_use(wait=True):
            self._search.release()

    def _limit(self, limit: Limit) -> Limit:
        own = Limit(simulations=self.options[SIMULATIONS.name], seconds=self.options[TIME.name])  # type: ignore[arg-type]  # read by kind
        both = limit.tightened(own)
        if isinstance(level := self.options[LEVEL.name], int):
            both = both.tightened(Limit(simulations=2 ** (level - 1)))
        if all(value is None for value in (both.seconds, both.nodes, both.simulations, both.clock)):
            return replace(both, seconds=DEFAULT_SECONDS)
        return both


class Policy(NetworkPlayer):
    """Plays the most probable move of a network's policy, without a search."""

    name: ClassVar[str] = "policy"
    declared_options: ClassVar[tuple[Option, ...]] = (NETWORK,)

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the most probable move."""
        return self.analyse(position, limit, context).choice()

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the moves with their probabilities, most probable first, and the value of the position.

        Moves that lose by repetition come last.
        """
        self._check_position(position, lines=lines)
        actions, sound = context.legal_actions(position), context.sound_actions(position)
        mask = np.zeros((1, self.game.facts.actions), dtype=np.bool_)
        mask[0, list(actions)] = True
        policies, values = self.network.evaluate(position.observation()[None], mask)
        order = sorted(actions, key=lambda action: (action not in sound, -policies[0, action], action))
        score = Score.of(float(values[0]), RETURN)
        moves = [
            MoveValue(move, score, proven=False, line=(move,), visits=0, prior=float(policies[0, action]))
            for action in order[:lines]
            for move in (self.game.decode(position, action),)
        ]
        return Analysis(
            position,
            score,
            RETURN,
            proven=False,
            moves=tuple(moves),
            depth=0,
            nodes=1,
            seconds=0.0,
            network_value=score,
        )
