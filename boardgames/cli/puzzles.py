"""`boardgames puzzles`: positions with a task, such as the only winning move, and their solutions."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import complete_game
from boardgames.cli.interrupts import stop_on_interrupt
from boardgames.cli.loading import load_game, load_player
from boardgames.cli.options import NON_NEGATIVE, Number, examples, game_options, json_option
from boardgames.cli.output import count_text, print_json, print_picture, print_table, say, score_json
from boardgames.cli.program import EXIT_INTERRUPTED, PROGRAM
from boardgames.cli.progress import spinner
from boardgames.errors import MatchError, OptionError

if TYPE_CHECKING:
    from boardgames.declarations import Exercise
    from boardgames.game import Game, Position
    from boardgames.puzzles import Puzzle

MAX_PUZZLES = 1_000_000


@dataclass(frozen=True, slots=True)
class _Shown:
    """A puzzle with what is printed of it; `proof` has the scores, if the solver has proven them."""

    kind: str
    summary: str
    position: "Position"
    task: str
    lines: tuple[str, ...]
    proof: "Puzzle | None" = None


@click.command(
    epilog=examples(
        "boardgames puzzles hexifence --option dimension=2",
        "boardgames puzzles hexifence --kind sacrifice --number 10 --seed 1 --json",
        "boardgames puzzles hexifence --kind hand-out --svg puzzles",
    )
)
@click.argument("game", shell_complete=complete_game)
@game_options
@click.option("--kind", metavar="NAME", help="Make puzzles of this kind only; default: some of each.")
@click.option(
    "--number",
    type=Number(int, 1, MAX_PUZZLES),
    default=1,
    metavar="N",
    help="Number of each kind; default: 1.",
)
@click.option("--seed", type=NON_NEGATIVE, default=0, metavar="N", help="Seed of the puzzles; default: 0.")
@click.option(
    "--svg", "folder", type=click.Path(path_type=Path), metavar="FOLDER", help="Draw the puzzles as SVG."
)
@json_option
def puzzles(
    game: str,
    layout: str | None,
    options: tuple[str, ...],
    kind: str | None,
    number: int,
    seed: int,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Make puzzles of GAME: in most of them exactly one move wins.

    The solver of the game has proven that, and the agent `greedy` misses the
    move. A game without a solver may have a fixed set of puzzles. The solutions
    follow after all puzzles. Equal seeds give equal puzzles.
    """
    from boardgames.puzzles import ready_puzzles

    loaded = load_game(game, layout, options)
    kinds = _chosen_kinds(loaded, kind)
    found, is_interrupted = list[_Shown](), False
    for name in kinds:
        if ready := ready_puzzles(loaded, name):
            found += _choose(loaded, name, ready, number=number, seed=seed)
        elif not is_interrupted:
            made, is_interrupted = _make(loaded, name, number=number, seed=seed)
            found += made
    files = [] if folder is None else _draw(found, folder)
    if as_json:
        print_json(
            game=game, seed=seed, complete=not is_interrupted, puzzles=[_puzzle_json(one) for one in found]
        )
    elif files:
        say("\n".join(f"wrote {file}" for file in files))
    else:
        for index, puzzle in enumerate(found, start=1):
            _print_puzzle(puzzle, f"puzzle {index} of {len(found)}")
    if found and not as_json:
        _print_solutions(found)
    if is_interrupted:
        click.get_current_context().exit(EXIT_INTERRUPTED)


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


def _choose(
    game: "Game", kind: str, ready: "tuple[Exercise, ...]", *, number: int, seed: int
) -> list[_Shown]:
    """Return some puzzles of a fixed set."""
    import numpy as np

    from boardgames.puzzles import exercise_game, kind_summary

    summary = kind_summary(game, kind)
    order = np.random.default_rng(seed).permutation(len(ready))[:number]
    return [
        _Shown(kind, summary, exercise_game(game, one).parse(one.position), one.task, one.lines)
        for one in (ready[int(index)] for index in order)
    ]


def _make(game: "Game", kind: str, *, number: int, seed: int) -> tuple[list[_Shown], bool]:
    """Return the puzzles that were found, and whether Ctrl-C ended the search."""
    from itertools import islice

    from boardgames.player import Context, ExactPlayer
    from boardgames.plugins import close_player, solver_of
    from boardgames.puzzles import find_puzzles

    solver = solver_of(game)
    if solver is None:
        raise OptionError(f"there is no solver for {game!r}, which has to verify puzzles")
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
        with spinner("looking for puzzles; Ctrl-C ends it", done), stop_on_interrupt() as stop:
            context = Context(stop=stop)
            made = find_puzzles(game, kind, player, seed=seed, context=context, report=report)
            try:
                for one in islice(made, number):
                    task = f"{game.facts.sides[one.position.side_to_move]} to move and win"
                    found.append(
                        _Shown(kind, one.summary, one.position, task, (str(one.solution),), proof=one)
                    )
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


def _print_puzzle(puzzle: _Shown, title: str) -> None:
    say(f"{title}: {puzzle.task}\n")
    print_picture(puzzle.position.picture())
    say(f"\n{puzzle.position}\n{play_command(puzzle.position)}\n")


def play_command(position: "Position") -> str:
    """Return the command with which a person plays on from a puzzle against the best agent of the game."""
    from boardgames.plugins import solver_of

    game = position.game
    agents = ["--first", "human"], ["--second", solver_of(game) or game.facts.default_agent]
    if position.side_to_move == 1:
        agents = ["--first", agents[1][1]], ["--second", "human"]
    options = [
        part for name, value in game.changed_options() for part in ("--option", f"{name}={value}".lower())
    ]
    words = [PROGRAM, "play", game.facts.name, *options, *agents[0], *agents[1]]
    return shlex.join([*words, "--position", str(position)])


def _print_solutions(found: list[_Shown]) -> None:
    say("solutions, with proven scores for the side to move:")
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
        rows.append((str(index), puzzle.kind, puzzle.lines[0], *scores, mistake))
    print_table(rows, right=(3, 4), cut=())
    for kind, summary in dict.fromkeys((puzzle.kind, puzzle.summary) for puzzle in found):
        say(f"{kind}: {summary}")


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
        "options": dict(game.options),
        "position": str(position),
        "side_to_move": position.side_to_move,
        "task": puzzle.task,
        "lines": list(puzzle.lines),
        **scores,
        "play": play_command(puzzle.position),
    }
