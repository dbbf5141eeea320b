"""`boardgames puzzles`: positions with a task, such as finding the only winning move."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from boardgames.cli.completion import complete_game
from boardgames.cli.interrupts import stop_on_interrupt
from boardgames.cli.loading import load_game, load_player
from boardgames.cli.options import NON_NEGATIVE, Number, examples, game_options, json_option
from boardgames.cli.output import count_text, print_json, print_picture, print_table, say, score_json, wrap
from boardgames.cli.program import EXIT_INTERRUPTED, PROGRAM
from boardgames.cli.progress import spinner
from boardgames.draw.text import printable
from boardgames.errors import MatchError, MoveError, OptionError, command_line

if TYPE_CHECKING:
    from boardgames.cli.prompt import Prompt
    from boardgames.declarations import Exercise
    from boardgames.game import Game, Move, Position
    from boardgames.puzzles import Puzzle

MAX_PUZZLES = 1_000_000
SOLVING_COMMANDS = ("solution", "skip", "quit")
SOLVING_HELP = "type a move, or solution, skip or quit"


@dataclass(frozen=True, slots=True)
class _Shown:
    """A puzzle with what is printed about it; `proof` has the scores if a solver has proven them."""

    kind: str
    summary: str
    position: "Position"
    task: str
    lines: "tuple[tuple[Move, ...], ...]"
    proof: "Puzzle | None" = None

    @property
    def texts(self) -> list[str]:
        """Return the moves of each line."""
        return [" ".join(map(str, line)) for line in self.lines]

    @property
    def solution(self) -> str:
        """Return all lines in one text."""
        return " or ".join(self.texts)


@click.command(
    epilog=examples(
        "boardgames puzzles",
        "boardgames puzzles abalone --number 5 --solve",
        "boardgames puzzles hexifence --option dimension=2 --solutions",
        "boardgames puzzles hexifence --kind sacrifice --number 10 --seed 1 --json",
        "boardgames puzzles hexifence --kind hand-out --svg puzzles",
    )
)
@click.argument("game", required=False, shell_complete=complete_game)
@game_options
@click.option("--kind", metavar="NAME", help="Make puzzles of this kind only; default: all kinds.")
@click.option(
    "--number",
    type=Number(int, 1, MAX_PUZZLES),
    default=1,
    metavar="N",
    help="Number of puzzles of each kind; default: 1.",
)
@click.option("--seed", type=NON_NEGATIVE, default=0, metavar="N", help="Seed of the puzzles; default: 0.")
@click.option("--solve", "is_solved_here", is_flag=True, help="Solve the puzzles here, move by move.")
@click.option("--solutions", "has_solutions", is_flag=True, help="Print the solutions after the puzzles.")
@click.option(
    "--svg", "folder", type=click.Path(path_type=Path), metavar="FOLDER", help="Draw the puzzles as SVG."
)
@json_option
def puzzles(
    game: str | None,
    layout: str | None,
    options: tuple[str, ...],
    kind: str | None,
    number: int,
    seed: int,
    is_solved_here: bool,
    has_solutions: bool,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Make puzzles of GAME, or list the games that have puzzles.

    In most puzzles exactly one move wins. The solver of the game has proven
    that, and the agent `greedy` misses the move. A game without a solver may
    have a fixed set of puzzles. Equal seeds give equal puzzles. Ctrl-C ends the
    search and shows the puzzles found so far.

    The solutions are only shown with --solutions. With --solve you make the
    moves, and the program answers for the other side; `solution` shows the
    moves that solve a puzzle, and `skip` moves on to the next one.
    """
    if game is None:
        _list_games()
        return
    given = {"--json": as_json, "--svg": folder is not None, "--solutions": has_solutions}
    if is_solved_here and any(given.values()):
        unsuitable = next(name for name, is_given in given.items() if is_given)
        raise OptionError(f"--solve cannot be combined with {unsuitable}")
    loaded = load_game(game, layout, options)
    found, is_interrupted = _find(loaded, _chosen_kinds(loaded, kind), number=number, seed=seed)
    files = [] if folder is None else _draw(found, folder)
    if as_json:
        shown = [_puzzle_json(one) for one in found]
        print_json(game=game, seed=seed, complete=not is_interrupted, puzzles=shown)
    elif is_solved_here:
        _solve(found)
    elif found:
        _print(found, files, has_solutions=has_solutions)
    if is_interrupted:
        click.get_current_context().exit(EXIT_INTERRUPTED)


def _list_games() -> None:
    """List the games that have puzzles, with the kinds of each.

    Raises
    ------
    OptionError
        If options are given without a game.
    """
    from boardgames.plugins import registry
    from boardgames.puzzles import kinds_of

    context = click.get_current_context()
    for name in context.params:
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise OptionError(f"the options need a game; `{PROGRAM} puzzles` lists the games with puzzles")
    rows = [("game", "kind", "what is special about the solutions")]
    for offer in registry().offers("games"):
        game = offer.entry.name
        rows += [(game, kind, summary) for kind, summary in kinds_of(game).items()]
    if len(rows) == 1:
        say("no installed game has puzzles")
        return
    print_table(rows, right=(), cut=(), wrapped=(2,))
    say()
    say(wrap(f"`{PROGRAM} puzzles GAME` shows a puzzle of each kind, and --solve lets you solve them.", 0))


def _chosen_kinds(game: "Game", kind: str | None) -> tuple[str, ...]:
    from boardgames.plugins import registry
    from boardgames.puzzles import puzzle_kinds

    kinds = puzzle_kinds(game)
    if not kinds:
        raise OptionError(f"no plug-in offers puzzles of {game}")
    if kind is None:
        return kinds
    registry().check_name("puzzles", kind, game.facts.name)
    return (kind,)


def _find(game: "Game", kinds: tuple[str, ...], *, number: int, seed: int) -> tuple[list[_Shown], bool]:
    """Return puzzles of each kind, and whether Ctrl-C ended the search."""
    from boardgames.puzzles import ready_puzzles

    found, is_interrupted = list[_Shown](), False
    for kind in kinds:
        if ready := ready_puzzles(game, kind):
            found += _choose(game, kind, ready, number=number, seed=seed)
        elif not is_interrupted:
            made, is_interrupted = _make(game, kind, number=number, seed=seed)
            found += made
    return found, is_interrupted


def _choose(
    game: "Game", kind: str, ready: "tuple[Exercise, ...]", *, number: int, seed: int
) -> list[_Shown]:
    """Return some puzzles of a fixed set."""
    import numpy as np

    from boardgames.puzzles import exercise_game, kind_summary

    summary = kind_summary(game, kind)
    order = np.random.default_rng(seed).permutation(len(ready))[:number]
    found = []
    for index in order:
        exercise = ready[int(index)]
        own = exercise_game(game, exercise)
        position, lines = own.parse(exercise.position), own.lines_of(exercise)
        found.append(_Shown(kind, summary, position, exercise.task, lines))
    return found


def _make(game: "Game", kind: str, *, number: int, seed: int) -> tuple[list[_Shown], bool]:
    """Return the puzzles that were found, and whether Ctrl-C ended the search."""
    from itertools import islice

    from boardgames.player import Context, ExactPlayer
    from boardgames.plugins import close_player, solver_of
    from boardgames.puzzles import find_puzzles

    solver = solver_of(game)
    if solver is None:
        raise OptionError(f"puzzles must be verified by a solver, and there is none for {game!r}")
    player, tried = load_player(solver, game), 0
    found: list[_Shown] = []
    assert isinstance(player, ExactPlayer)

    def report() -> None:
        nonlocal tried
        tried += 1

    def done() -> str:
        return (
            f"{len(found)} of {number} found, {count_text(tried, 'position')} tried, "
            f"{player.solver_nodes():,} nodes"
        )

    try:
        with spinner(f"looking for puzzles, {kind}", done), stop_on_interrupt() as stop:
            context = Context(stop=stop)
            made = find_puzzles(game, kind, player, seed=seed, context=context, report=report)
            try:
                for one in islice(made, number):
                    task = f"{game.facts.sides[one.position.side_to_move]} to move and win"
                    found.append(_Shown(kind, one.summary, one.position, task, ((one.solution,),), proof=one))
            except MatchError:
                if not stop.is_set():
                    raise
            return found, stop.is_set()
    finally:
        close_player(player)


def _draw(found: list[_Shown], folder: Path) -> list[Path]:
    """Draw each puzzle in a file of a folder and return the files."""
    from boardgames.draw.svg import svg
    from boardgames.paths import write_atomic
    from boardgames.picture import Caption

    files = []
    for index, puzzle in enumerate(found, start=1):
        file = folder / f"{index}-{puzzle.kind}.svg"
        picture = puzzle.position.picture().with_captions(Caption("bottom-right", puzzle.task))
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(file, svg(picture))
        files.append(file)
    return files


def _print(found: list[_Shown], files: list[Path], *, has_solutions: bool) -> None:
    """Print the puzzles, or the files with their drawings, then the solutions or how to see them."""
    for file in files:
        say(f"wrote {file}")
    for index, puzzle in enumerate([] if files else found, start=1):
        _print_puzzle(puzzle, f"puzzle {index} of {len(found)}")
    if has_solutions:
        _print_solutions(found)
    else:
        say("--solve lets you solve them here, and --solutions shows the solutions")


def _print_puzzle(puzzle: _Shown, title: str) -> None:
    say(f"{title}: {puzzle.task}\n")
    print_picture(puzzle.position.picture())
    say(f"\n{puzzle.position}\n{play_command(puzzle.position)}\n")


def play_command(position: "Position") -> str:
    """Return the command with which a person continues from a puzzle against the game's best agent."""
    from boardgames.plugins import solver_of

    game = position.game
    agents = ["--first", "human"], ["--second", solver_of(game) or game.facts.default_agent]
    if position.side_to_move == 1:
        agents = ["--first", agents[1][1]], ["--second", "human"]
    options = [
        part for name, value in game.changed_options() for part in ("--option", f"{name}={value}".lower())
    ]
    words = [PROGRAM, "play", game.facts.name, *options, *agents[0], *agents[1]]
    return command_line([*words, "--position", str(position)])


def _print_solutions(found: list[_Shown]) -> None:
    is_proven = any(puzzle.proof is not None for puzzle in found)
    say("solutions" + (", with proven scores for the side to move:" if is_proven else ":"))
    rows: list[tuple[str, ...]] = [("puzzle", "kind", "moves", "score", "next best", "greedy plays")]
    for index, puzzle in enumerate(found, start=1):
        scores, mistake, proof = ("", ""), "", puzzle.proof
        if proof is not None:
            facts = puzzle.position.game.facts
            scores = (
                facts.score_text(proof.score, proven=True),
                facts.score_text(proof.next_best, proven=True),
            )
            mistake = f"{proof.mistake}: {facts.score_text(proof.mistake_score, proven=True)}"
        rows.append((str(index), puzzle.kind, puzzle.solution, *scores, mistake))
    if is_proven:
        print_table(rows, right=(3, 4), cut=())
    else:
        print_table([row[:3] for row in rows], right=(), cut=(), wrapped=(2,))
    for kind, summary in dict.fromkeys((puzzle.kind, puzzle.summary) for puzzle in found):
        say(f"{kind}: {summary}")


# --- solving -----------------------------------------------------------------


def _solve(found: list[_Shown]) -> None:
    """Let a person solve puzzles one after another, and print how many were solved."""
    from boardgames.cli.prompt import open_prompt

    words: list[str] = []
    prompt, solved = open_prompt(words=lambda: words), 0
    say(SOLVING_HELP)
    try:
        for index, puzzle in enumerate(found, start=1):
            say(f"\npuzzle {index} of {len(found)}: {puzzle.task}\n")
            print_picture(puzzle.position.picture())
            solved += _solve_one(puzzle, prompt, words)
    except EOFError:
        say()
    say(f"\n{solved} of {count_text(len(found), 'puzzle')} solved")


def _solve_one(puzzle: _Shown, prompt: "Prompt", words: list[str]) -> bool:
    """Ask for the moves of a puzzle; return True if it is solved, or False if the person gives up.

    Parameters
    ----------
    words : list of str
        Filled with the possible completions of a line.

    Raises
    ------
    EOFError
        If the input ends, or the person leaves.
    """
    from boardgames.cli.prompt import typed_move
    from boardgames.puzzles import Attempt

    attempt, side = Attempt(puzzle.position, puzzle.lines), puzzle.position.side_to_move
    sides = puzzle.position.game.facts.sides
    while not attempt.is_solved:
        before = attempt.position
        words[:] = [*map(str, before.legal_moves), *SOLVING_COMMANDS]
        line = prompt.command(f"{sides[side]} to move: ").strip()
        word = line.lower()
        if word in ("quit", "q", "exit"):
            raise EOFError
        if word == "solution":
            say(f"the solution is {puzzle.solution}")
        if word in ("solution", "skip"):
            return False
        if not word:
            continue
        if word in ("help", "?"):
            say(SOLVING_HELP)
            continue
        try:
            move = typed_move(before, line)
        except MoveError as error:
            say(wrap(printable(f"{error}; {SOLVING_HELP}"), 2))
            continue
        if not attempt.play(move):
            say(f"{move} does not solve it; try another move")
            continue
        replies = []
        while not attempt.is_solved and attempt.position.side_to_move != side:
            reply = attempt.next
            assert reply is not None
            attempt.play(reply)
            replies.append(f"; {sides[1 - side]} plays {reply}")
        say(f"{move} is right{''.join(replies)}\n")
        print_picture(attempt.position.picture().since(before.picture()))
    say("solved")
    return True


def _puzzle_json(puzzle: _Shown) -> dict[str, object]:
    position, proof = puzzle.position, puzzle.proof
    game = position.game
    unit = game.evaluation.unit
    if proof is None:
        scores: dict[str, object] = {
            "solution": None, "value": None, "unit": None, "win_in": None, "proven": False, "next_best": None,
            "mistake": None,
        }  # fmt: skip
    else:
        scores = {
            "solution": str(proof.solution),
            **score_json(proof.score, unit, proven=True),
            "next_best": score_json(proof.next_best, unit, proven=True),
            "mistake": {
                "agent": "greedy",
                "move": str(proof.mistake),
                **score_json(proof.mistake_score, unit, proven=True),
            },
        }
    return {
        "kind": puzzle.kind,
        "summary": puzzle.summary,
        "options": game.options,
        "position": str(position),
        "side_to_move": position.side_to_move,
        "task": puzzle.task,
        "lines": puzzle.texts,
        **scores,
        "play": play_command(puzzle.position),
    }
