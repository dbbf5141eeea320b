"""`boardgames solve`: the exact scores of positions, by the solver of a game."""

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import complete_agent, complete_game
from boardgames.cli.interrupts import stop_on_interrupt
from boardgames.cli.loading import load_game, load_player, load_position
from boardgames.cli.options import SECONDS, WEEK_S, examples, json_option, position_options
from boardgames.cli.output import (
    outcome_text,
    print_error,
    print_json,
    print_table,
    say,
    score_json,
    wrap,
)
from boardgames.cli.program import EXIT_CHECK_FAILED, EXIT_INTERRUPTED
from boardgames.cli.progress import spinner
from boardgames.errors import BoardgamesError, FileError, MatchError, OptionError, PositionError
from boardgames.machine import peak_memory
from boardgames.paths import read_text

if TYPE_CHECKING:
    from boardgames.game import Game, Position
    from boardgames.player import Analysis, ExactPlayer
    from boardgames.score import Score

STDIN = "-"
MAX_PROGRESS_UPDATES = 200
"""How often the progress is shown while the positions of a file are solved."""


@click.command(
    epilog=examples(
        "boardgames solve connect4 445353",
        "boardgames solve connect4 --layout 6x5 --moves '3 3'",
        "boardgames solve connect4 --file positions.txt > scores.txt",
        "boardgames solve connect4 445353 --agent solver:table=1024 --json",
    )
)
@click.argument("game", shell_complete=complete_game)
@position_options
@click.option(
    "--file",
    "file",
    metavar="FILE",
    type=click.Path(),
    help="Solve the positions in a file, one a line; `-` for standard input.",
)
@click.option(
    "--agent",
    metavar="AGENT",
    shell_complete=complete_agent,
    help="The solver, with its options; default: that of the game.",
)
@click.option("--time", "seconds", type=SECONDS, metavar="S", help="Give up after S seconds.")
@json_option
def solve(
    game: str,
    position_argument: str | None,
    position_text: str | None,
    moves: str | None,
    layout: str | None,
    options: tuple[str, ...],
    file: str | None,
    agent: str | None,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Solve a position of GAME: who wins with best play, and how soon.

    Prints the score of every move, all best moves, best play to the end, how
    many positions were searched, and the time and memory that it took. Memory is
    the largest amount that the whole program has used. The score is the
    number that solvers of the game state; in Connect Four it is positive for a
    win, and the larger, the sooner the win. In Hexifence it is the final
    difference of cells.

    With --file the positions are solved together, and one score is printed for
    each. If not everything is solved, it says why, and the exit code is 1; without
    --time an early position may take very long.
    """
    if file is None:
        position = load_position(game, layout, options, position_argument, position_text, moves)
        if position.outcome is not None:
            how = outcome_text(position.outcome, position.game)
            raise MatchError(f"nothing to solve, the match is over: {how}; position {position}")
        code = _solve_one(_load_solver(agent, position.game), position, seconds, as_json)
    else:
        if any(value is not None for value in (position_argument, position_text, moves)):
            raise OptionError("give either a position or --file, not both")
        loaded = load_game(game, layout, options)
        positions = read_positions(file, loaded)
        code = _solve_all(_load_solver(agent, loaded), positions, seconds, as_json)
    click.get_current_context().exit(code)


def read_positions(file: str, game: "Game") -> "list[Position]":
    """Return the positions in a file, or on standard input if it is `-`; `#` begins a comment.

    Raises
    ------
    FileError, PositionError
        If the file cannot be read or has no positions, or one of them is not valid or finished.
    """
    where = "standard input" if file == STDIN else file
    text = sys.stdin.read() if file == STDIN else read_text(Path(file))
    positions = []
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        try:
            position = game.parse(content)
        except BoardgamesError as error:
            raise PositionError(f"{error} ({where}, line {number})") from None
        if position.outcome is not None:
            raise PositionError(f"the match is over in {content} ({where}, line {number})")
        positions.append(position)
    if not positions:
        raise FileError(f"there are no positions in {where}")
    return positions


def _load_solver(agent: str | None, game: "Game") -> "ExactPlayer":
    from boardgames.player import ExactPlayer
    from boardgames.plugins import close_player, solver_of

    agent = solver_of(game) if agent is None else agent
    if agent is None:
        raise OptionError(f"there is no solver for {game}; `boardgames agents {game}` lists its agents")
    player = load_player(agent, game)
    if not isinstance(player, ExactPlayer):
        close_player(player)
        raise OptionError(f"the agent {player.name!r} does not solve positions")
    return player


def _solve_one(player: "ExactPlayer", position: "Position", seconds: float | None, as_json: bool) -> int:
    """Print the solution of a position and return the exit code."""
    from boardgames.player import Context, Limit
    from boardgames.plugins import close_player

    limit = Limit(seconds=seconds or WEEK_S)
    try:
        text = "solving" if seconds else "solving; Ctrl-C ends it"
        with spinner(text, lambda: f"{player.solver_nodes():,} nodes"), stop_on_interrupt() as stop:
            analysis = player.analyse(position, limit, Context(stop=stop))
    finally:
        close_player(player)
    is_solved = all(entry.proven for entry in analysis.moves)
    reason = None if is_solved else _reason(player, analysis, stop.is_set())
    if as_json:
        _print_solution_json(player, analysis, reason)
    else:
        _print_solution(player, analysis, reason)
    if stop.is_set():
        return EXIT_INTERRUPTED
    return 0 if is_solved else EXIT_CHECK_FAILED


def _reason(player: "ExactPlayer", analysis: "Analysis", is_interrupted: bool) -> str:
    """Return why not all moves were solved, and what would help."""
    if (obstacle := player.obstacle(analysis.position)) is not None:
        return obstacle
    if is_interrupted:
        return f"interrupted after {analysis.seconds:.1f} s"
    return (
        f"out of time after {analysis.seconds:.1f} s; allow more time, or solve a position nearer to the end"
    )


def _print_solution(player: "ExactPlayer", analysis: "Analysis", reason: str | None) -> None:
    position, best = analysis.position, analysis.moves[0]
    facts = position.game.facts
    side = facts.sides[position.side_to_move]
    result = facts.score_text(analysis.score, proven=True) if analysis.proven else "not solved"
    say(f"{side} to move: {result}")
    rows = [("move", "score", "result")]
    for entry in analysis.moves:
        number, text = number_of(player, position, entry.score), facts.score_text(entry.score, proven=True)
        rows.append((str(entry.move), number, text) if entry.proven else (str(entry.move), "?", "not solved"))
    unsolved = sum(not entry.proven for entry in analysis.moves)
    if unsolved < len(analysis.moves):
        print_table(rows, right=(1,), cut=())
    if reason is not None:
        count = "no move is" if unsolved == len(analysis.moves) else "not all moves are"
        say(wrap(f"{count} solved: {reason}", 4))
    if analysis.proven:
        say(wrap("best moves: " + " ".join(_best_moves(analysis)), 4))
        say(wrap("best play: " + " ".join(map(str, best.line)), 4))
    states, memory = player.tabulated_states, peak_memory()
    table = f", looked up in a table of {states:,} states" if states else ""
    used = "" if memory is None else f", {memory >> 20} MB of memory"
    say(f"{analysis.nodes:,} nodes{table}, {analysis.seconds:.2f} s{used}")


def _best_moves(analysis: "Analysis") -> list[str]:
    """Return all moves that are proven to be as good as the best one."""
    return [
        str(entry.move) for entry in analysis.moves if entry.proven and entry.score == analysis.moves[0].score
    ]


def _print_solution_json(player: "ExactPlayer", analysis: "Analysis", reason: str | None) -> None:
    position, unit = analysis.position, analysis.unit
    moves = [
        {
            "move": str(entry.move),
            "score": player.solver_score(position, entry.score) if entry.proven else None,
            **score_json(entry.score, unit, proven=entry.proven),
        }
        for entry in analysis.moves
    ]
    print_json(
        game=position.game.facts.name,
        position=str(position),
        agent=player.describe(),
        score=player.solver_score(position, analysis.score) if analysis.proven else None,
        **score_json(analysis.score, unit, proven=analysis.proven),
        reason=reason,
        moves=moves,
        best=_best_moves(analysis) if analysis.proven else [],
        line=[str(move) for move in analysis.moves[0].line] if analysis.proven else [],
        nodes=analysis.nodes,
        tabulated_states=player.tabulated_states,
        seconds=analysis.seconds,
        peak_memory=peak_memory(),
    )


def _solve_all(
    player: "ExactPlayer", positions: "list[Position]", seconds: float | None, as_json: bool
) -> int:
    """Print the score of each position and return the exit code."""
    from boardgames.player import Context, stop_after
    from boardgames.plugins import close_player

    started = time.monotonic()
    scores: list[Score] = []
    chunk_size = max(1, len(positions) // MAX_PROGRESS_UPDATES)

    def done() -> str:
        return f"{len(scores):,} of {len(positions):,} positions, {player.solver_nodes():,} nodes"

    try:
        with (
            spinner("solving", done),
            stop_on_interrupt() as interrupted,
            stop_after(seconds, interrupted) as stop,
            suppress(MatchError),  # stopped before all were solved
        ):
            for first in range(0, len(positions), chunk_size):
                scores += player.scores(positions[first : first + chunk_size], Context(stop=stop))
    finally:
        close_player(player)
    if len(scores) < len(positions):
        print_error("not all positions were solved in time" if seconds else "interrupted")
        return EXIT_INTERRUPTED if interrupted.is_set() else EXIT_CHECK_FAILED
    solved = list(zip(positions, scores, strict=True))
    if not as_json:
        say("\n".join(number_of(player, position, score) for position, score in solved))
        return 0
    unit = positions[0].game.evaluation.unit
    entries = [
        {
            "position": str(position),
            "score": player.solver_score(position, score),
            **score_json(score, unit, proven=True),
        }
        for position, score in solved
    ]
    print_json(
        game=positions[0].game.facts.name,
        agent=player.describe(),
        positions=entries,
        seconds=time.monotonic() - started,
    )
    return 0


def number_of(player: "ExactPlayer", position: "Position", score: "Score") -> str:
    """Return the number that solvers state for a score, or the score itself if there is none."""
    number = player.solver_score(position, score)
    return position.game.facts.score_text(score, proven=True) if number is None else f"{number:g}"
