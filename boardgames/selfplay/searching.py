"""Matches that are played by search and yield quiet positions, labelled with the values of the searches.

A search of a few thousand nodes takes a millisecond, so the Python code of
`search.alphabeta.Searcher` would slow it down noticeably. Here a whole search by iterative
deepening is one call of a kernel. A position is quiet if its best move is not tactical. Only then can a
static evaluation learn its value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boardgames.declarations import Evaluation
from boardgames.game import Game
from boardgames.kernels import TACTICAL, Actions, Control, Reals, Words, kernel, load_stop, types
from boardgames.kernels.abi import ACTIONS_OUT, ACTIONS_STACK, REALS_OUT
from boardgames.kernels.bundles import BUNDLE, Bundle
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.search import pvs, search_root
from boardgames.search.alphabeta.searcher import FEW_MOVES
from boardgames.search.alphabeta.table import GENERATIONS, clear, new_table
from boardgames.search.alphabeta.workspace import ROWS, new_workspace, unpack
from boardgames.search.rules import EVALUATION_BOUND, INFINITY, MAX_DEPTH

TABLE_MB = 1
REMEMBERED_PLIES = 32
"""Maximum number of earlier positions of a match in which a search recognises repetitions."""
FEWEST_NODES, MOST_NODES = 0.6, 1.6
"""The node limit varies from match to match, between these multiples of `LabelSettings.nodes`."""
RANDOM_MOVES = 3
"""A side position is at most this many random moves away from the position of a match."""
AHEAD = 0.4
"""Points above one half for the side that is ahead in an unfinished or drawn match."""


@kernel(
    types.void(
        BUNDLE, ACTIONS_OUT, types.int64, types.int64, REALS_OUT, ACTIONS_OUT, ACTIONS_STACK, REALS_OUT
    )
)
def deepen(
    bundle: Actions,
    order: Actions,
    count: int,
    node_limit: int,
    values: Reals,
    evaluated: Actions,
    lines: Actions,
    value: Reals,
) -> None:
    """Search `positions[0]` by iterative deepening, until the node limit is reached or the value is proven.

    Parameters
    ----------
    bundle : int64[m]
        Words of a `search.alphabeta.workspace.AlphaBetaWorkspace`. `moves[0]` begins with the `count` legal
        moves; after the search, the best move is first.
    node_limit : int64
        Maximum number of nodes. Depth 1 is always completed, unless the search is stopped.
    order, values, evaluated, lines : int64[n], float64[n], int64[n], int64[n, k]
        Buffers for `search_root`.
    value : float64[2]
        Receives the value of the best move, and 1 if the value is proven, otherwise 0.
    """
    search = unpack(bundle)
    control, moves = search.control, search.moves
    control[0].nodes = 0
    control[0].evaluated = 0
    control[0].path_dependent = 0
    depth = 0
    while depth < MAX_DEPTH and load_stop(control) == 0:
        control[0].node_limit = 0 if depth == 0 else node_limit
        control[0].finished_moves = 0
        for index in range(count):
            order[index] = index
        search_root(bundle, order[:count], depth + 1, -INFINITY, INFINITY, values, evaluated, lines)
        finished = control[0].finished_moves
        if finished == 0:
            break
        best = 0
        for index in range(1, finished):
            if values[index] > values[best]:
                best = index
        value[0] = values[best]
        value[1] = 1.0 if evaluated[best] == 0 or abs(values[best]) > EVALUATION_BOUND else 0.0
        action = moves[0, order[best]]
        for index in range(order[best], 0, -1):
            moves[0, index] = moves[0, index - 1]
        moves[0, 0] = action
        if finished < count or value[1] != 0.0:
            break
        depth += 1
        if control[0].nodes >= node_limit:
            break
    control[0].node_limit = 0


@dataclass(frozen=True, slots=True)
class FoundMove:
    """The result of a search: an action, its value for the side to move, and whether the value is proven."""

    action: int
    value: float
    is_proven: bool


class NodeSearch:
    """Searches positions one after another with a node limit, for matches of self-play.

    Parameters
    ----------
    evaluation : Evaluation
        Evaluates positions at the horizon.
    control : Control
        Its stop flag ends a search; its counters and node limit are overwritten.

    Examples
    --------
    >>> import boardgames
    >>> from boardgames.kernels import new_control
    >>> game = boardgames.load("connect4")
    >>> search = NodeSearch(game, game.evaluation, new_control())
    >>> found = search.search(game.parse("112233").words, [], node_limit=1000)
    >>> found.action, found.is_proven
    (3, True)
    """

    def __init__(self, game: Game, evaluation: Evaluation, control: Control) -> None:
        options = SearchOptions(table=TABLE_MB)
        self._table = new_table(TABLE_MB)
        self._work = new_workspace(game, evaluation, options.record(game, evaluation), pvs, control)._replace(
            table=self._table, keys=np.zeros(REMEMBERED_PLIES + ROWS, dtype=np.uint64)
        )
        self._bundle = Bundle(self._work)
        self._options: Any = self._work.options[0]  # a record
        self._options.exact_moves = 1
        self._margin = float(self._options.futility_margin)
        count = game.facts.actions
        self._order: Actions = np.zeros(count, dtype=np.int64)
        self._values: Reals = np.zeros(count)
        self._evaluated: Actions = np.zeros(count, dtype=np.int64)
        self._lines: Actions = np.zeros((count, ROWS + 1), dtype=np.int64)
        self._value: Reals = np.zeros(2)

    def forget(self) -> None:
        """Forget everything, so that later searches do not depend on earlier ones."""
        clear(self._table)
        self._work.history.fill(0)
        self._options.generation = 0

    def search(self, words: Words, earlier: Sequence[Words], *, node_limit: int) -> FoundMove:
        """Return the best move in a position that has legal moves.

        Parameters
        ----------
        words : uint64[n]
            The position.
        earlier : sequence of uint64[n]
            Earlier positions of the match that may be repeated, oldest first.
        node_limit : int
            Maximum number of nodes.
        """
        work, options = self._work, self._options
        work.positions[0] = words
        known = earlier[-REMEMBERED_PLIES:]
        for index, position in enumerate(known):
            work.keys[index] = work.position_key(position)
        options.root_key = len(known)
        options.generation = options.generation % (GENERATIONS - 1) + 1
        work.killers.fill(-1)
        work.history[:] //= 2
        count = int(work.legal_moves(words, work.moves[0]))
        options.futility_margin = 0.0 if count < FEW_MOVES else self._margin
        deepen(
            self._bundle.words, self._order, count, node_limit, self._values, self._evaluated, self._lines,
            self._value,
        )  # fmt: skip
        return FoundMove(int(work.moves[0, 0]), float(self._value[0]), bool(self._value[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSettings:
    """How to play the matches whose positions are labelled.

    Attributes
    ----------
    nodes : int
        Node limit of a search; for each match it is multiplied by a random factor from `FEWEST_NODES`
        to `MOST_NODES`.
    opening : int
        Maximum number of random opening plies; at least half as many are played.
    ply_limit : int
        Maximum length. A match that reaches it is unfinished, unless the game says who wins at the limit.
    epsilon : float
        Probability of a random move after the opening.
    side_positions : float
        Probability that, after a search of the player, another position is searched and labelled too. It
        is 1 to `RANDOM_MOVES` random moves away.
    """

    nodes: int = 2_500
    opening: int = 8
    ply_limit: int = 300
    epsilon: float = 0.02
    side_positions: float = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPositions:
    """Quiet positions of matches, with the values of searches.

    Attributes
    ----------
    words : uint64[m, n]
        The positions.
    values : float32[m]
        Values for the side to move, on the scale of the evaluation's kernel.
    points : float32[m]
        Points that the side to move got at the end of the match; NaN for side positions. In an
        unfinished or drawn match, the side with the higher score gets 0.5 + `AHEAD` points.
    matches : int32[m]
        The number of each position's match.
    results : tuple of float
        Points of the player in each match against an opponent.
    lengths : tuple of int
        Plies of each match.
    decided : int
        Number of matches with a winner.
    """

    words: Words
    values: np.ndarray[Any, np.dtype[np.float32]]
    points: np.ndarray[Any, np.dtype[np.float32]]
    matches: np.ndarray[Any, np.dtype[np.int32]]
    results: tuple[float, ...]
    lengths: tuple[int, ...]
    decided: int


class LabelPlay:
    """Plays matches and keeps their quiet positions.

    Parameters
    ----------
    game : Game
        The game.
    starts : sequence of uint64[n]
        Start positions, used in turn. Each is used for two matches, in which the player changes sides.
    control : Control
        Its stop flag ends the matches.
    settings : LabelSettings
        How the matches are played.
    """

    def __init__(
        self, game: Game, starts: Sequence[Words], control: Control, settings: LabelSettings
    ) -> None:
        self.game, self.starts, self.control, self.settings = game, starts, control, settings

    def play(
        self,
        player: NodeSearch,
        opponents: Sequence[NodeSearch | None],
        first: int,
        random: np.random.Generator,
    ) -> LabelledPositions:
        """Play a match against each of the opponents; None stands for the player itself.

        Only the player's searches give labels. Its side alternates.

        Parameters
        ----------
        first : int
            Number of the first match, which selects the start position and the player's side.
        """
        records: list[tuple[Words, float, float, int]] = []
        results, lengths, decided = [], [], 0
        for number, opponent in enumerate(opponents):
            match = _LabelledMatch(self, player, opponent or player, random)
            start = self.starts[(first + number) // 2 % len(self.starts)]
            side_of_player = None if opponent is None else (first + number) % 2
            match.play(start, side=side_of_player)
            if self.control[0].stop:
                break
            if side_of_player is not None:
                results.append(match.points(side_of_player))
            records += [
                (words, value, match.points(side) if is_played else np.nan, first + number)
                for words, value, side, is_played in match.labels
            ]
            lengths.append(len(match.history))
            decided += match.winner is not None
        width = self.game.facts.words
        return LabelledPositions(
            np.array([record[0] for record in records], dtype=np.uint64).reshape(-1, width),
            np.array([record[1] for record in records], dtype=np.float32),
            np.array([record[2] for record in records], dtype=np.float32),
            np.array([record[3] for record in records], dtype=np.int32),
            tuple(results),
            tuple(lengths),
            decided,
        )


class _LabelledMatch:
    """One match of `LabelPlay`."""

    def __init__(
        self, plan: LabelPlay, player: NodeSearch, opponent: NodeSearch, random: np.random.Generator
    ) -> None:
        self.game, self.kernels, self.settings = plan.game, plan.game.kernels, plan.settings
        self.control = plan.control
        self.player, self.opponent, self.random = player, opponent, random
        self.history: list[Words] = []
        self.labels: list[tuple[Words, float, int, bool]] = []
        """Positions with their values, the side to move, and whether they occurred in the match."""
        self.winner: int | None = None
        self._moves: Actions = np.zeros(plan.game.facts.actions, dtype=np.int64)

    def play(self, words: Words, *, side: int | None) -> None:
        """Play from a position; the player has one side, or both if `side` is None."""
        settings, random = self.settings, self.random
        self.player.forget()
        self.opponent.forget()
        opening = int(random.integers(settings.opening // 2, settings.opening + 1))
        node_limit = max(1, int(settings.nodes * random.uniform(FEWEST_NODES, MOST_NODES)))
        progressed, limit = 0, self.game.facts.no_progress_limit
        score = self.game.score(words)
        while len(self.history) < settings.ply_limit and not self.control[0].stop:
            has_stalled = limit is not None and len(self.history) - progressed >= limit
            if has_stalled or not self._count_moves(words):
                break
            mover = int(self.kernels.side_to_move(words))
            if len(self.history) < opening:
                action = self._random_action(words)
            else:
                by_player = side is None or mover == side
                action = self._choose(
                    words, mover, node_limit, self.history[progressed:], by_player=by_player
                )
                if random.random() < settings.epsilon:
                    action = self._random_action(words)
            self.history.append(words)
            words = self._after(words, action)
            if (after := self.game.score(words)) != score:
                score, progressed = after, len(self.history)
        self.last = words
        outcome = int(self.kernels.outcome(words))
        if outcome in (0, 1):
            self.winner = outcome
        elif outcome < 0 and not self._count_moves(words):
            loser = int(self.kernels.side_to_move(words))
            self.winner = None if self.game.facts.no_moves_draws else 1 - loser
        elif outcome < 0 and len(self.history) >= settings.ply_limit:
            at_limit = int(self.kernels.outcome_at_limit(words))
            self.winner = at_limit if at_limit in (0, 1) else None

    def points(self, side: int) -> float:
        """Return the points of a side at the end of the match."""
        if self.winner is not None:
            return float(self.winner == side)
        score = self.game.score(self.last)
        return 0.5 + AHEAD * float(np.sign(score[side] - score[1 - side]))

    def _choose(
        self, words: Words, mover: int, node_limit: int, earlier: list[Words], *, by_player: bool
    ) -> int:
        """Return the best action. If the player is to move, label the position, and sometimes one nearby."""
        searcher = self.player if by_player else self.opponent
        found = searcher.search(words, earlier, node_limit=node_limit)
        if by_player:
            self._keep(words, found, mover, is_played=True)
            if self.random.random() < self.settings.side_positions:
                self._search_side_position(words, node_limit)
        return found.action

    def _search_side_position(self, words: Words, node_limit: int) -> None:
        """Search and label a position that is a few random moves away."""
        for _ in range(int(self.random.integers(1, RANDOM_MOVES + 1))):
            if not self._count_moves(words):
                return
            words = self._after(words, self._random_action(words))
        if self._count_moves(words):
            found = self.player.search(words, [], node_limit=node_limit)
            self._keep(words, found, int(self.kernels.side_to_move(words)), is_played=False)

    def _keep(self, words: Words, found: FoundMove, mover: int, *, is_played: bool) -> None:
        """Keep the label of a position if it is quiet and its value is not proven."""
        is_quiet = int(self.kernels.move_order(words, found.action)) < TACTICAL
        if is_quiet and not found.is_proven and not self.control[0].stop:
            self.labels.append((words, found.value, mover, is_played))

    def _count_moves(self, words: Words) -> int:
        return int(self.kernels.legal_moves(words, self._moves))

    def _random_action(self, words: Words) -> int:
        """Return a random action in a position that has legal moves."""
        count = self._count_moves(words)
        return int(self._moves[self.random.integers(count)])

    def _after(self, words: Words, action: int) -> Words:
        successor = np.zeros_like(words)
        self.kernels.apply(words, action, successor)
        return successor
