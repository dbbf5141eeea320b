"""`boardgames solve`: the exact scores of positions, by the solver of a game."""

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import complete_game
from boardgames.cli.interrupts import stop_on_interrupt
from boardgames.cli.loading import (
    load_game_for,
    load_player,
    load_position,
    name_of,
    position_source,
    read_file,
    say_notations,
    split_notation,
)
from boardgames.cli.options import SECONDS, WEEK_S, agent_option, examples, json_option, position_options
from boardgames.cli.output import (
    MAX_ERRORS,
    count_text,
    outcome_text,
    print_error,
    print_json,
    print_table,
    say,
    score_json,
    wrap,
)
from boardgames.cli.program import EXIT_CHECK_FAILED, EXIT_INTERRUPTED, EXIT_WRONG_INPUT
from boardgames.cli.progress import spinner
from boardgames.errors import BoardgamesError, FileError, MatchError, OptionError, PositionError
from boardgames.machine import peak_memory

if TYPE_CHECKING:
    from boardgames.game import Game, Position
    from boardgames.player import Analysis, ExactPlayer
    from boardgames.score import Score

MAX_PROGRESS_UPDATES = 200
"""Approximate number of progress updates while the positions of files are solved."""
ALWAYS_COUNTED = 2
"""Number of counts in the summary of a test set that are printed even if they are 0."""
TOLERANCE = 1e-9
"""Largest difference between two scores that count as equal."""


@dataclass(frozen=True, slots=True)
class FilePosition:
    """A position in a file: its place, its text, and its score if the file states one."""

    file: str
    line: int
    text: str
    position: "Position"
    expected: float | None


@dataclass(frozen=True, slots=True)
class Used:
    """The time and the number of nodes that solving took."""

    seconds: float
    nodes: int


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line whose position cannot be read or solved: where it is, and the reason."""

    file: str
    line: int
    error: str


@click.command(
    epilog=examples(
        "boardgames solve connect4 445353",
        "boardgames solve connect4 --layout 6x5 --moves '3 3'",
        "boardgames solve connect4 --file positions.txt > scores.txt",
        "boardgames solve connect4 --file test-set.txt",
        "boardgames solve connect4 445353 --agent solver:table=1024 --json",
    )
)
@click.argument("game", shell_complete=complete_game)
@position_options
@click.option(
    "--file",
    "files",
    metavar="FILE",
    type=click.Path(),
    multiple=True,
    help="Solve the positions in a file, one per line, and compare their scores if the file states them; "
    "`-` for standard input; repeatable.",
)
@agent_option("The solver, with its options; default: that of the game.")
@click.option("--time", "seconds", type=SECONDS, metavar="S", help="Give up after S seconds.")
@json_option
def solve(
    game: str,
    position_argument: str | None,
    position_text: str | None,
    moves: str | None,
    layout: str | None,
    options: tuple[str, ...],
    notation: str | None,
    files: tuple[str, ...],
    agent: str | None,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Solve a position of GAME: who wins with best play, and how soon.

    POSITION may also be the name of a file with a position, or `-` for standard
    input.

    Print the score of every move, all best moves, best play to the end, the
    number of positions searched, and the time and memory used. Memory is the peak
    of the whole program. The score is the number that solvers of the game use. In
    Connect Four it is positive for a win, and larger the sooner the win comes. In
    Hexifence it is the final difference of cells.

    With --file, one score is printed for each position. If a position is not
    solved, the output says why, and the exit code is 1. Without --time, an early
    position may take very long.

    A line of the file may state the score after the position, as the test sets of
    solvers do: `44455 2`. If lines do, the scores are compared, and only the
    differences and a summary of all files are printed. If a score differs, the exit code is 1.
    Lines that cannot be read are named and skipped, and the exit code is 2.
    """
    if not files:
        position = load_position(game, layout, options, position_argument, position_text, moves, notation)
        if position.outcome is not None:
            how = outcome_text(position.outcome, position.game)
            raise MatchError(f"nothing to solve, the match is over: {how}; position {position}")
        code = _solve_one(_load_solver(agent, position.game), position, seconds, as_json)
    else:
        if any(value is not None for value in (position_argument, position_text, moves)):
            repeated = (
                ""
                if position_argument is None or position_source(position_argument) is None
                else (f"; for another file, write --file {position_argument}")
            )
            raise OptionError(f"give either a position or --file, not both{repeated}")
        code = _solve_files(game, layout, options, notation, files, agent, seconds, as_json)
    click.get_current_context().exit(code)


def _solve_files(
    game: str,
    layout: str | None,
    options: tuple[str, ...],
    notation: str | None,
    files: tuple[str, ...],
    agent: str | None,
    seconds: float | None,
    as_json: bool,
) -> int:
    """Solve the positions of all files together, and return the exit code."""
    from boardgames.reading import split_score

    lines: dict[str, list[tuple[int, str]]] = {}
    for file in dict.fromkeys(files):
        try:
            lines[file] = read_lines(file)
        except FileError as error:
            if len(files) == 1:
                raise
            print_error(error)
    is_complete = len(lines) == len(set(files))
    if not lines:
        return EXIT_WRONG_INPUT
    first = next(iter(lines.values()))
    loaded = load_game_for(game, layout, options, split_score(first[0][1])[0])
    for_position, _ = split_notation(loaded, notation)
    positions: list[FilePosition] = []
    bad: list[BadLine] = []
    for file, numbered in lines.items():
        found, wrong = read_positions(file, numbered, loaded, for_position)
        positions, bad = positions + found, bad + wrong
        for one in wrong[:MAX_ERRORS]:
            print_error(f"{one.error} ({name_of(file)}, line {one.line})")
        if len(wrong) > MAX_ERRORS:
            print_error(f"{len(wrong) - MAX_ERRORS:,} more lines of {name_of(file)} cannot be read")
        if for_position is None:
            _say_notations(file, found)
    if not positions:
        return EXIT_WRONG_INPUT
    solved = _solve_all(_load_solver(agent, loaded), positions, bad, seconds, as_json)
    return EXIT_WRONG_INPUT if (bad or not is_complete) and solved != EXIT_INTERRUPTED else solved


def _say_notations(file: str, positions: list[FilePosition]) -> None:
    """Say in which notation the first positions of a file were read."""
    from boardgames.reading import MAX_SAMPLE, position_notation

    sample = (position_notation(one.text, one.position) for one in positions[:MAX_SAMPLE])
    say_notations(name_of(file), "positions", sample)


def read_lines(file: str) -> list[tuple[int, str]]:
    """Return the lines of a file with their numbers, without empty ones; `#` begins a comment.

    Parameters
    ----------
    file : str
        Name of the file; standard input if it is `-`.

    Raises
    ------
    FileError
        If the file cannot be read or has no positions.
    """
    text = read_file(file)
    numbered = enumerate((line.partition("#")[0].strip() for line in text.splitlines()), start=1)
    if lines := [(number, line) for number, line in numbered if line]:
        return lines
    raise FileError(f"there are no positions in {name_of(file)}")


def read_positions(
    file: str, lines: list[tuple[int, str]], game: "Game", notation: str | None = None
) -> "tuple[list[FilePosition], list[BadLine]]":
    """Return the positions in lines, and the lines whose positions cannot be read or solved."""
    from boardgames.reading import read_position, split_score

    positions, bad = [], []
    for number, line in lines:
        text, expected = split_score(line)
        try:
            position = read_position(game, text, notation)
            if position.outcome is not None:
                raise PositionError(f"the match is over in {text}")
        except BoardgamesError as error:
            bad.append(BadLine(file, number, str(error)))
        else:
            positions.append(FilePosition(file, number, text, position, expected))
    return positions, bad


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
        with spinner(text, player.progress), stop_on_interrupt() as stop:
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
        if not analysis.proven and (bounds := player.bounds(position)) is not None:
            lower, upper = (facts.score_text(bound, proven=True) for bound in bounds)
            say(f"the score is between {lower} and {upper}")
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
    player: "ExactPlayer",
    positions: list[FilePosition],
    bad: list[BadLine],
    seconds: float | None,
    as_json: bool,
) -> int:
    """Print the score of each position, or compare it with that in the file; return the exit code."""
    from boardgames.player import Context, stop_after
    from boardgames.plugins import close_player

    scores: list[Score] = []
    chunk_size = max(1, len(positions) // MAX_PROGRESS_UPDATES)

    def done() -> str:
        return f"{len(scores):,} of {len(positions):,} positions, {player.solver_nodes():,} nodes"

    try:
        with spinner("solving", done), stop_on_interrupt() as interrupted:
            _load_code(player, positions[0].position)  # before the clock starts
            started = time.monotonic()
            with stop_after(seconds, interrupted) as stop, suppress(MatchError):  # stopped early
                for first in range(0, len(positions), chunk_size):
                    chunk = [one.position for one in positions[first : first + chunk_size]]
                    scores += player.scores(chunk, Context(stop=stop))
            used = Used(time.monotonic() - started, player.solver_nodes())
    finally:
        close_player(player)
    solved = list(zip(positions, scores, strict=False))
    is_compared = any(one.expected is not None for one in positions) and not as_json
    if solved and is_compared:
        _print_comparison(player, solved, bad, used)
    if len(scores) < len(positions):
        count = len(positions) - len(scores)
        left = f"; {count_text(count, 'is', 'are')} left" if is_compared else ""
        print_error(("not all positions were solved in time" if seconds else "interrupted") + left)
        return EXIT_INTERRUPTED if interrupted.is_set() else EXIT_CHECK_FAILED
    different = [one for one, score in solved if is_different(player, one, score)]
    if as_json:
        _print_all_json(player, solved, bad, used)
    elif not is_compared:
        say("\n".join(number_of(player, one.position, score) for one, score in solved))
    return EXIT_CHECK_FAILED if different else 0


def _load_code(player: "ExactPlayer", position: "Position") -> None:
    """Load or compile the code of the solver by starting a call and stopping it immediately."""
    from boardgames.player import Context, Stop

    stop = Stop()
    stop.set()
    with suppress(MatchError):
        player.scores([position], Context(stop=stop))


def is_different(player: "ExactPlayer", one: FilePosition, score: "Score") -> bool:
    """Return True if a file states a score other than the exact one."""
    number = player.solver_score(one.position, score)
    return one.expected is not None and (number is None or abs(number - one.expected) > TOLERANCE)


def _print_comparison(
    player: "ExactPlayer", solved: "list[tuple[FilePosition, Score]]", bad: list[BadLine], used: Used
) -> None:
    """Print the positions whose scores differ from those in the files, and a summary."""
    stated = [(one, score) for one, score in solved if one.expected is not None]
    different = [(one, score) for one, score in stated if is_different(player, one, score)]
    has_many_files = len({one.file for one, _ in solved} | {one.file for one in bad}) > 1
    for one, score in different:
        place = f"{name_of(one.file)}, " * has_many_files + f"line {one.line}"
        number = number_of(player, one.position, score)
        say(f"{place}: the score of {one.text} is {number}, not {one.expected:g}")
    counts = (
        (len(stated) - len(different), "score agrees", "scores agree"),
        (len(different), "differs", "differ"),
        (len(solved) - len(stated), "position has none", "positions have none"),
        (len(bad), "line cannot be read", "lines cannot be read"),
    )
    parts = [
        f"{count:,} {one if count == 1 else more}"
        for place, (count, one, more) in enumerate(counts)
        if count or place < ALWAYS_COUNTED
    ]
    say(wrap(", ".join(parts), 4))
    mean, nodes = used.seconds / len(solved), used.nodes / len(solved)
    say(f"{len(solved):,} positions in {used.seconds:.2f} s: mean {1000 * mean:.3g} ms, {nodes:,.0f} nodes")


def _print_all_json(
    player: "ExactPlayer", solved: "list[tuple[FilePosition, Score]]", bad: list[BadLine], used: Used
) -> None:
    game = solved[0][0].position.game
    entries = [
        {
            "position": str(one.position),
            "file": one.file,
            "line": one.line,
            "score": player.solver_score(one.position, score),
            "expected": one.expected,
            **score_json(score, game.evaluation.unit, proven=True),
        }
        for one, score in solved
    ]
    print_json(
        game=game.facts.name,
        agent=player.describe(),
        positions=entries,
        different=sum(is_different(player, one, score) for one, score in solved),
        bad_lines=bad,
        nodes=used.nodes,
        seconds=used.seconds,
    )


def number_of(player: "ExactPlayer", position: "Position", score: "Score") -> str:
    """Return the number that solvers use for a score, or the score as text if there is no such number."""
    number = player.solver_score(position, score)
    return position.game.facts.score_text(score, proven=True) if number is None else f"{number:g}"
