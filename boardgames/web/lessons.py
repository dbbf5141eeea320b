"""Lessons and puzzles for the page."""

from functools import partial

from boardgames.declarations import Exercise
from boardgames.errors import MatchError, OptionError
from boardgames.game import Game
from boardgames.player import Context, ExactPlayer, Stop
from boardgames.plugins import close_player, load, solver_of
from boardgames.puzzles import Puzzle, exercise_game, find_puzzles, kind_summary, puzzle_kinds, ready_puzzles
from boardgames.record import options_as_texts
from boardgames.web.lobby import Lobby, agent_of
from boardgames.web.match import agent_subject
from boardgames.web.messages import (
    AskLessons,
    AskPuzzle,
    ExerciseEntry,
    LessonsReply,
    PuzzleKind,
    PuzzleReply,
)
from boardgames.web.positions import in_thread

PUZZLE_SECONDS = 60.0
"""Time limit of a search for a puzzle, which takes a second or two once its code is compiled."""
MAX_KEPT_PUZZLES = 1000


async def lessons(lobby: Lobby, request: AskLessons) -> LessonsReply:
    """Return the rules, the lessons and the kinds of puzzles of a game.

    Raises
    ------
    BoardgamesError
        If there is no such game, or a lesson is wrong.
    """
    name = request.game
    return await in_thread(lobby, name, partial(_lessons, name), load=partial(load, name))


async def puzzle(lobby: Lobby, request: AskPuzzle) -> PuzzleReply:
    """Return a puzzle of a game; the same number is always the same puzzle.

    Raises
    ------
    BoardgamesError
        If there is no such game, kind or number, or no puzzle has been found.
    """
    key = request.game, request.kind, request.number
    if key in lobby.puzzles:
        return lobby.puzzles[key]
    ready = await in_thread(
        lobby, request.game, partial(_ready_puzzle, *key), load=partial(load, request.game)
    )
    reply = ready or await _search(lobby, request)
    while len(lobby.puzzles) >= MAX_KEPT_PUZZLES:
        del lobby.puzzles[next(iter(lobby.puzzles))]
    lobby.puzzles[key] = reply
    return reply


async def _search(lobby: Lobby, request: AskPuzzle) -> PuzzleReply:
    """Let the solver of the game find a puzzle."""
    game = await in_thread(lobby, request.game, partial(load, request.game))
    solver, stop = solver_of(game), Stop()
    if solver is None:
        raise OptionError(f"puzzles need a solver to verify them, and {game.facts.title} has none")
    await lobby.games.compile_agents(game, (solver,))

    def search() -> Puzzle:
        player = agent_of(solver, game, tables=lobby.tables)
        try:
            assert isinstance(player, ExactPlayer)
            context = Context(stop=stop)
            return next(find_puzzles(game, request.kind, player, seed=request.number, context=context))
        except MatchError:
            if not stop.is_set():
                raise
            raise MatchError("the server is too busy to look for a puzzle; try again later") from None
        finally:
            close_player(player)

    found = await lobby.searches.run(
        search, stop, subject=agent_subject(solver, request.game), seconds=PUZZLE_SECONDS
    )
    side = game.facts.sides[found.position.side_to_move]
    exercise = Exercise(
        found.kind,
        str(found.position),
        f"{side.capitalize()} to move and win. Only one move wins.",
        (str(found.solution),),
        praise=f"{found.summary.capitalize()}.",
    )
    return PuzzleReply(kind=request.kind, number=request.number, exercise=_entry(game, exercise))


def _lessons(name: str) -> LessonsReply:
    game = load(name)
    kinds = []
    for kind in puzzle_kinds(game):
        count = len(ready_puzzles(game, kind))
        if count or solver_of(game) is not None:
            kinds.append(PuzzleKind(kind, kind_summary(game, kind), count or None))
    return LessonsReply(
        game=name,
        title=game.facts.title,
        rules=game.facts.rules,
        lessons=[_entry(game, one) for one in game.lessons],
        puzzles=kinds,
    )


def _ready_puzzle(name: str, kind: str, number: int) -> PuzzleReply | None:
    game = load(name)
    puzzles = ready_puzzles(game, kind)
    if not puzzles:
        return None
    if number > len(puzzles):
        raise OptionError(f"there are {len(puzzles)} puzzles of this kind, not {number}")
    return PuzzleReply(kind=kind, number=number, exercise=_entry(game, puzzles[number - 1]))


def _entry(game: Game, exercise: Exercise) -> ExerciseEntry:
    """Return an exercise for pages, with its moves in canonical notation."""
    own = exercise_game(game, exercise)
    return ExerciseEntry(
        title=exercise.title,
        text=exercise.text,
        task=exercise.task,
        praise=exercise.praise,
        layout=own.layout or None,
        options=options_as_texts(dict(own.changed_options())),
        position=str(own.parse(exercise.position)),
        lines=[[str(move) for move in line] for line in own.lines_of(exercise)],
        overlay=exercise.overlay,
    )
