"""Puzzles: positions with a task, mostly to find the only winning move, which a beginner misses.

A plug-in offers kinds of puzzles by the hook `bg_puzzles`. The target of such an entry takes a
game and a random generator. It either returns a sequence of exercises, which are ready puzzles, or
yields candidates without end. A candidate is a puzzle if the game's solver proves that exactly one
move wins, this move is of the puzzle's kind, and the agent `greedy` plays another move.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from boardgames import plugins
from boardgames.declarations import Exercise
from boardgames.errors import MatchError, OptionError, PluginError, quote
from boardgames.game import Game, Move, Position
from boardgames.player import NO_CONTEXT, Context, ExactPlayer, Player
from boardgames.review import review_end
from boardgames.score import Score

BEGINNER = "greedy"
MAX_CANDIDATES = 20_000
"""Maximum number of candidates that are tried for one puzzle."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A position, and the moves that can be the solution in this kind of puzzle."""

    position: Position
    moves: tuple[Move, ...]


class Attempt:
    """An attempt to solve an exercise: the moves made so far, which follow one of its lines.

    Parameters
    ----------
    start : Position
        The position of the exercise.
    lines : sequence of sequences of Move
        The lines of play that solve the exercise, as returned by `Game.lines_of`.

    Examples
    --------
    >>> import boardgames
    >>> start = boardgames.load("connect4").parse("112233")
    >>> wrong, right = (start.game.parse_move(start, text) for text in "74")
    >>> attempt = Attempt(start, [[right]])
    >>> attempt.play(wrong), attempt.play(right), attempt.is_solved
    (False, True, True)
    """

    def __init__(self, start: Position, lines: Sequence[Sequence[Move]]) -> None:
        self.position = start
        self._lines = tuple(map(tuple, lines))
        self._moves: tuple[Move, ...] = ()

    @property
    def is_solved(self) -> bool:
        """Return True if the moves complete one of the lines."""
        return self._moves in self._lines

    @property
    def next(self) -> Move | None:
        """Return the next move of a solution, or None if the exercise is solved."""
        return None if self.is_solved else self._next_moves()[0]

    def play(self, move: Move) -> bool:
        """Make a move of either side if it continues a line, and return True; otherwise return False."""
        if self.is_solved or move not in self._next_moves():
            return False
        self._moves += (move,)
        self.position = self.position.apply(move)
        return True

    def _next_moves(self) -> tuple[Move, ...]:
        count = len(self._moves)
        return tuple(line[count] for line in self._lines if line[:count] == self._moves and len(line) > count)


Maker = Callable[[Game, np.random.Generator], Iterator[Candidate] | Sequence[Exercise]]
"""The target of an entry of `bg_puzzles`."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which exactly one move wins.

    Attributes
    ----------
    kind, summary : str
        Name of the kind of puzzle, and a description of its solutions.
    position : Position
        The position; its side to move wins.
    solution : Move
        The only winning move.
    score : Score
        The proven score of the solution for the side to move.
    next_best : Score
        The proven score of the second-best move.
    mistake : Move
        The move that the agent `greedy` plays.
    mistake_score : Score
        The proven score of `mistake`.
    """

    kind: str
    summary: str
    position: Position
    solution: Move
    score: Score
    next_best: Score
    mistake: Move
    mistake_score: Score


def puzzle_kinds(game: Game) -> tuple[str, ...]:
    """Return the names of the kinds of puzzles that plug-ins offer for a game."""
    return tuple(kinds_of(game.facts.name))


def kinds_of(game: str) -> dict[str, str]:
    """Return the summaries of the kinds of puzzles that plug-ins offer for a game, by name.

    Examples
    --------
    >>> kinds_of("abalone")
    {'tactics': 'win or save a marble, or the match'}
    """
    return {offer.entry.name: offer.entry.summary for offer in plugins.registry().offers("puzzles", game)}


def exercise_game(game: Game, exercise: Exercise) -> Game:
    """Return the game with the options of an exercise, and defaults for all other options.

    Raises
    ------
    PluginError
        If the game has no such option.
    """
    make: Callable[..., Game] = type(game)
    try:
        return make(**exercise.options)
    except OptionError as error:
        raise PluginError(f"invalid exercise {exercise.title!r}: {error}") from None


def ready_puzzles(game: Game, kind: str) -> tuple[Exercise, ...]:
    """Return the ready puzzles of a kind; empty if `find_puzzles` has to search for them.

    Raises
    ------
    UnknownNameError, OptionError, PluginError
        If there is no such kind, the options of the game do not allow it, or the plug-in is broken.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("abalone")
    >>> puzzle = ready_puzzles(game, "tactics")[0]
    >>> puzzle.title, [[move.text for move in line] for line in game.lines_of(puzzle)]
    ('Push off a marble', [['e4f5']])
    """
    made = _made(game, kind, seed=0)
    if not isinstance(made, Sequence):
        return ()
    for one in made:
        if not isinstance(one, Exercise):
            raise PluginError(f"puzzle {kind!r} has {quote(one)}, which is not an Exercise")
    return tuple(made)


def find_puzzles(
    game: Game,
    kind: str,
    solver: ExactPlayer,
    *,
    seed: int,
    context: Context = NO_CONTEXT,
    report: Callable[[], object] | None = None,
) -> Iterator[Puzzle]:
    """Yield different puzzles of a kind without end; equal seeds give equal puzzles.

    Parameters
    ----------
    kind : str
        One of `puzzle_kinds`.
    solver : ExactPlayer
        A player of the game that proves the scores of moves.
    seed : int
        Seed of the candidates, and of the agent `greedy`, which must miss the solution.
    context : Context
        Its `stop` ends the solver's search.
    report : callable, optional
        Called before each candidate is tried; most candidates are not puzzles.

    Raises
    ------
    UnknownNameError, PluginError
        If there is no such kind, or the plug-in is broken.
    OptionError
        If this kind only has ready puzzles, so there is nothing to search for.
    MatchError
        If there is no puzzle among the next 20,000 candidates, or `context.stop` was set.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("hexifence", dimension=2)
    >>> solver = boardgames.load_player("strong", game)
    >>> puzzle = next(find_puzzles(game, "hand-out", solver, seed=1))
    >>> puzzle.score.sign, puzzle.next_best.sign
    (1, -1)
    """
    candidates = _made(game, kind, seed)
    if isinstance(candidates, Sequence):
        raise OptionError(f"the puzzles of the kind {quote(kind)} are a fixed set; none can be searched for")
    summary = kind_summary(game, kind)
    beginner, seen, tried = plugins.load_player(BEGINNER, game, seed=seed), set[Position](), 0
    while True:
        with plugins.attributing_errors("puzzle", kind):
            candidate = next(candidates, None)
        tried += 1
        if report is not None:
            report()
        if candidate is None or tried > MAX_CANDIDATES:
            raise MatchError(f"no more puzzles of the kind {quote(kind)} among {tried - 1:,} positions")
        if not isinstance(candidate, Candidate):
            raise PluginError(f"puzzle {kind!r} yields {quote(candidate)}, which is not a Candidate")
        if not candidate.moves or candidate.position in seen:
            continue
        seen.add(candidate.position)
        puzzle = _verified(kind, summary, candidate, solver, beginner, context)
        if puzzle is not None:
            tried = 0
            yield puzzle


def kind_summary(game: Game, kind: str) -> str:
    """Return the description of a kind of puzzles."""
    return kinds_of(game.facts.name)[kind]


def make_puzzles(
    game: Game, kind: str, solver: ExactPlayer, *, count: int, seed: int, context: Context = NO_CONTEXT
) -> list[Puzzle]:
    """Return `count` puzzles of a kind, as `find_puzzles` yields them."""
    return list(islice(find_puzzles(game, kind, solver, seed=seed, context=context), count))


def scores_of_moves(
    position: Position, solver: ExactPlayer, context: Context = NO_CONTEXT
) -> dict[Move, Score]:
    """Return the proven score of every move of a position for its side to move.

    Raises
    ------
    MatchError
        If `context.stop` was set before all scores were found.
    """
    after = {move: position.apply(move) for move in position.legal_moves}
    ongoing = [successor for successor in after.values() if successor.outcome is None]
    found = dict(zip(ongoing, solver.scores(ongoing, context) if ongoing else [], strict=True))
    unit = position.game.evaluation.unit
    scores = {}
    for move, successor in after.items():
        score = found[successor] if successor in found else review_end(successor, unit).score
        is_own = successor.side_to_move == position.side_to_move
        scores[move] = (score if is_own else -score).delayed()
    return scores


def _made(game: Game, kind: str, seed: int) -> Iterator[Candidate] | Sequence[Exercise]:
    make: Maker = plugins.registry().load("puzzles", kind, game.facts.name)
    with plugins.attributing_errors("puzzle", kind):
        made = make(game, np.random.default_rng(seed))
        return made if isinstance(made, Sequence) else iter(made)


def _verified(
    kind: str, summary: str, candidate: Candidate, solver: ExactPlayer, beginner: Player, context: Context
) -> Puzzle | None:
    """Return a candidate as a puzzle, or None if it is not a puzzle."""
    position = candidate.position
    # for most candidates the sign of the score is enough
    if len(position.legal_moves) < 2 or solver.scores([position], context)[0].sign <= 0:
        return None
    mistake = beginner.choose(position).move
    if mistake is None:
        raise OptionError(f"the agent {BEGINNER!r} has not moved in {position}")
    scores = scores_of_moves(position, solver, context)
    winning = [move for move, score in scores.items() if score.sign > 0]
    if len(winning) != 1 or winning[0] not in candidate.moves or mistake in winning:
        return None
    next_best = max(score for move, score in scores.items() if move != winning[0])
    return Puzzle(
        kind, summary, position, winning[0], scores[winning[0]], next_best, mistake, scores[mistake]
    )
