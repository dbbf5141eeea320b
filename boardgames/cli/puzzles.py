"""`boardgames puzzles`: positions with exactly one winning move, and their solutions."""

import shlex
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
    from boardgames.game import Game
    from boardgames.puzzles import Puzzle

MAX_PUZZLES = 1_000_000


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
    """Make puzzles of GAME: positions in which exactly one move wins.

    The solver of the game has proven that, and the agent `greedy` misses the
    move. The solutions follow after all puzzles. Equal seeds give equal puzzles.
    """
    from boardgames.plugins import solver_of

    loaded = load_game(game, layout, options)
    kinds = _chosen_kinds(loaded, kind)
    solver = solver_of(loaded)
    if solver is None:
        raise OptionError(f"there is no solver for {loaded!r}, which has to verify puzzles")
    found, is_interrupted = _make(loaded, solver, kinds, number=number, seed=seed)
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


def _make(
    game: "Game", solver: str, kinds: tuple[str, ...], *, number: int, seed: int
) -> "tuple[list[Puzzle], bool]":
    """Return the puzzles that were found, and whether Ctrl-C ended the search."""
    from itertools import islice

    from boardgames.player import Context, ExactPlayer
    from boardgames.plugins import close_player
    from boardgames.puzzles import find_puzzles

    player, tried = load_player(solver, game), 0
    found: list[Puzzle] = []
    assert isinstance(player, ExactPlayer)

    def report() -> None:
        nonlocal tried
        tried += 1

    def done() -> str:
        return (
            f"{len(found)} of {number * len(kinds)} found, {count_text(tried, 'position')} tried, "
            f"{player.solver_nodes():,} nodes"
        )

    try:
        with spinner("looking for puzzles; Ctrl-C ends it", done), stop_on_interrupt() as stop:
            context = Context(stop=stop)
            for kind in kinds:
                made = find_puzzles(game, kind, player, seed=seed, context=context, report=report)
                try:
                    for puzzle in islice(made, number):
                        found.append(puzzle)  # noqa: PERF402 - those found so far stay, and are counted
                except MatchError:
                    if not stop.is_set():
                        raise
                    break
            return found, stop.is_set()
    finally:
        close_player(player)


def _draw(found: "list[Puzzle]", folder: Path) -> list[Path]:
    """Draw each puzzle in a file of a folder and return the files."""
    from boardgames.draw.svg import svg
    from boardgames.paths import write_atomic
    from boardgames.picture import Caption

    files = []
    for index, puzzle in enumerate(found, start=1):
        file = folder / f"{index}-{puzzle.kind}.svg"
        picture = puzzle.position.picture().with_captions(Caption("bottom-right", _task(puzzle)))
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(file, svg(picture))
        files.append(file)
    return files


def _task(puzzle: "Puzzle") -> str:
    return f"{puzzle.position.game.facts.sides[puzzle.position.side_to_move]} to move and win"


def _print_puzzle(puzzle: "Puzzle", title: str) -> None:
    say(f"{title}: {_task(puzzle)}\n")
    print_picture(puzzle.position.picture())
    say(f"\n{puzzle.position}\n{play_command(puzzle)}\n")


def play_command(puzzle: "Puzzle") -> str:
    """Return the command with which a person plays the puzzle against the solver of the game."""
    from boardgames.plugins import solver_of

    game = puzzle.position.game
    agents = ["--first", "human"], ["--second", solver_of(game) or game.facts.default_agent]
    if puzzle.position.side_to_move == 1:
        agents = ["--first", agents[1][1]], ["--second", "human"]
    options = [
        part for name, value in game.changed_options() for part in ("--option", f"{name}={value}".lower())
    ]
    words = [PROGRAM, "play", game.facts.name, *options, *agents[0], *agents[1]]
    return shlex.join([*words, "--position", str(puzzle.position)])


def _print_solutions(found: "list[Puzzle]") -> None:
    say("solutions, with proven scores for the side to move:")
    rows: list[tuple[str, ...]] = [("puzzle", "kind", "move", "score", "next best", "greedy plays")]
    for index, puzzle in enumerate(found, start=1):
        mistake = f"{puzzle.mistake} ({puzzle.mistake_score.text(proven=True)})"
        scores = (score.text(proven=True) for score in (puzzle.score, puzzle.next_best))
        rows.append((str(index), puzzle.kind, str(puzzle.solution), *scores, mistake))
    print_table(rows, right=(3, 4), cut=())
    for kind, summary in dict.fromkeys((puzzle.kind, puzzle.summary) for puzzle in found):
        say(f"{kind}: {summary}")


def _puzzle_json(puzzle: "Puzzle") -> dict[str, object]:
    position = puzzle.position
    unit = position.game.evaluation.unit
    return {
        "kind": puzzle.kind,
        "summary": puzzle.summary,
        "options": dict(position.game.options),
        "position": str(position),
        "side_to_move": position.side_to_move,
        "solution": str(puzzle.solution),
        **score_json(puzzle.score, unit, proven=True),
        "next_best": score_json(puzzle.next_best, unit, proven=True),
        "mistake": {
            "agent": "greedy",
            "move": str(puzzle.mistake),
            **score_json(puzzle.mistake_score, unit, proven=True),
        },
        "play": play_command(puzzle),
    }
