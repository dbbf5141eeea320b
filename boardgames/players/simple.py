"""Players that look at most one ply ahead: random, greedy and ntuple."""

from dataclasses import replace
from typing import ClassVar

from boardgames.declarations import Evaluation
from boardgames.errors import MatchError, UnknownNameError
from boardgames.game import Game, Position
from boardgames.player import (
    NO_CONTEXT,
    NO_LIMIT,
    Analysis,
    Choice,
    Context,
    Limit,
    Player,
)
from boardgames.players.alphabeta import WEIGHTS, fingerprint_of_evaluation, learned_evaluation
from boardgames.plugins import registry
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher


class Random(Player):
    """Plays a legal move at random, each with the same probability."""

    name: ClassVar[str] = "random"
    respects_limits: ClassVar[bool] = False

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return a legal move drawn from the player's random generator."""
        actions = context.legal_actions(self._check_position(position))
        if not actions:
            raise MatchError("the match is over: repetition forbids every move")
        action = actions[int(self.random.integers(len(actions)))]
        return Choice(position.game.decode(position, action))


class Greedy(Player):
    """Plays the move with the best evaluation one ply ahead; ties are broken at random."""

    name: ClassVar[str] = "greedy"
    declared_options = (WEIGHTS,)
    respects_limits: ClassVar[bool] = False

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self._learned = learned_evaluation(self)
        self._searcher = Searcher(game, self._evaluation, SearchOptions.plain())

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return a move with the best evaluation one ply ahead."""
        analysis = self.analyse(position, limit, context)
        best = [entry for entry in analysis.moves if entry.score == analysis.score]
        entry = best[int(self.random.integers(len(best)))]
        return Choice(entry.move, entry.score, entry.line, 1, analysis.nodes, analysis.seconds)

    def match_started(self, side: int) -> None:
        """Get the search ready before the clock starts."""
        self._searcher.prepare()

    def fingerprint(self) -> str:
        """Return a hash of the evaluation."""
        return fingerprint_of_evaluation(self._evaluation, is_learned=self._learned is not None)

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the evaluation after every legal move, or after the best `lines` moves."""
        self._check_position(position, lines=lines)
        analysis = self._searcher.search(position, Limit(depth=1), context, lines=None)
        return replace(analysis, moves=analysis.moves[:lines])

    @property
    def _evaluation(self) -> Evaluation:
        return self._learned or self.game.evaluation


class NTuple(Greedy):
    """Plays the best move one ply ahead, evaluating positions with learned tables of pattern weights."""

    name: ClassVar[str] = "ntuple"
    declared_options = (replace(WEIGHTS, default=name),)

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        try:
            super().__init__(game, seed=seed, **options)
        except UnknownNameError:
            if self.options[WEIGHTS.name] != self.name:
                raise
            if registry().offers("patterns", game.facts.name):
                message = "has no weights for 'ntuple'; train some with --learner ntuple, and use weights=RUN"
            else:
                message = "has no patterns, which the agent 'ntuple' needs"
            raise UnknownNameError(f"{game} {message}") from None
