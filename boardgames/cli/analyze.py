"""`boardgames analyze`: the values of a position's moves, or a review of a recorded match."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import complete_game
from boardgames.cli.interrupts import stop_on_interrupt
from boardgames.cli.loading import (
    STDIN,
    count_matches,
    explain_errors,
    load_game,
    load_game_for,
    load_player,
    load_position,
    name_of,
    position_text,
    read_source,
    record_defaults,
    say_assumptions,
    split_notation,
)
from boardgames.cli.options import (
    DEPTH,
    NODES,
    POSITIVE,
    SECONDS,
    OutputFile,
    agent_option,
    apply_moves,
    examples,
    game_options,
    json_option,
    position_text_options,
)
from boardgames.cli.output import (
    BOOK,
    count_text,
    outcome_text,
    print_errors,
    print_json,
    print_table,
    say,
    score_json,
)
from boardgames.cli.program import EXIT_INTERRUPTED, EXIT_WRONG_INPUT
from boardgames.cli.progress import search_spinner, spinner
from boardgames.cli.stored import PREFIX, has_stored_match, stored_match, stored_number
from boardgames.draw.text import printable
from boardgames.errors import (
    BoardgamesError,
    FileError,
    MatchError,
    OptionError,
    PositionError,
    RecordError,
    quote,
)
from boardgames.options import agent_title
from boardgames.paths import check_writable, write_atomic

if TYPE_CHECKING:
    from boardgames.game import Game, Move
    from boardgames.player import Analysis, Limit, Player, Stop
    from boardgames.reading import Defaults
    from boardgames.record import Record
    from boardgames.review import Review, ReviewedMove, ReviewedPosition

LINE_MOVES = 8
"""Maximum number of moves to print from a line of play."""
RECORD_SUFFIXES = (".record", ".pgn", ".txt")
REVIEW_SECONDS = 0.2
"""Time for each position of a recorded match if neither the user nor the agent sets a limit."""


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """The options that positions and recorded matches have in common."""

    game: str
    agent: str | None
    seconds: float | None
    depth: int | None
    nodes: int | None
    as_json: bool

    def agent_for(self, game: "Game") -> str:
        """Return the given agent, or else the default agent of the game.

        A solver is limited by time only, so it is not chosen if depth or nodes are given.
        """
        from boardgames.plugins import searching_agent

        if self.agent is not None:
            return self.agent
        is_searching = self.depth is not None or self.nodes is not None
        return searching_agent(game) if is_searching else game.facts.default_agent

    @property
    def limit(self) -> "Limit":
        """Return the limit for the search of one position."""
        from boardgames.player import Limit

        return Limit(seconds=self.seconds, depth=self.depth, nodes=self.nodes)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The match to review: number, title and record, and whether other matches of the file have errors."""

    number: int
    title: str
    record: "Record"
    has_errors: bool = False


@click.command(
    epilog=examples(
        "boardgames analyze abalone",
        "boardgames analyze abalone --lines 3 --time 5",
        "boardgames analyze connect4 4453",
        "boardgames analyze abalone --depth 8",
        "boardgames analyze connect4 match.record --svg match.svg",
        "boardgames analyze abalone all.record --match 12 --time 1 --mistakes 10",
        "boardgames analyze abalone 12",
    )
)
@click.argument("game", shell_complete=complete_game)
@game_options
@position_text_options
@click.argument("subject", metavar="[POSITION|RECORD|ID]", required=False)
@agent_option("Agent that evaluates; default: the default agent of the game.")
@click.option(
    "--time",
    "seconds",
    type=SECONDS,
    metavar="S",
    help="Seconds per position; without other limits, the default is 1, in a review 0.2, for a solver 10.",
)
@click.option("--depth", type=DEPTH, metavar="N", help="Search depth in plies.")
@click.option("--nodes", type=NODES, metavar="N", help="Maximum number of positions to search.")
@click.option(
    "--lines", type=POSITIVE, metavar="N", help="Position: evaluate only the N best moves, which is faster."
)
@click.option(
    "--match",
    "number",
    type=POSITIVE,
    metavar="N",
    help="Record: review match N; default: the first match of GAME that can be read.",
)
@click.option("--mistakes", type=POSITIVE, metavar="N", help="Record: list the N worst moves; default: 5.")
@click.option(
    "--svg",
    "svg_file",
    type=OutputFile(),
    metavar="FILE",
    help="Record: draw a chart of the values.",
)
@json_option
def analyze(
    game: str,
    subject: str | None,
    position_text: str | None,
    moves: str | None,
    notation: str | None,
    layout: str | None,
    options: tuple[str, ...],
    agent: str | None,
    seconds: float | None,
    depth: int | None,
    nodes: int | None,
    lines: int | None,
    number: int | None,
    mistakes: int | None,
    svg_file: Path | None,
    as_json: bool,
) -> None:
    """Evaluate the moves of a position of GAME, or review a recorded match.

    RECORD is an existing file, a name that ends in .record, .pgn or .txt, or
    `-` for standard input. The file may also contain PGN from another program,
    only moves, or a position. ID is the number of a stored match, which
    `boardgames matches` lists; write match:12 if 12 is also a position. Anything
    else is a POSITION; the default is the start of the game. If it lists the
    moves of a finished match, that match is reviewed. Only one match of a file
    is reviewed. If others cannot be read, they are listed, and the exit code
    is 2.

    The values of a position's moves are for the side to move. A review shows
    what every move of the match lost. Ctrl-C stops the search and prints the
    results so far.
    """
    request = AnalysisRequest(game, agent, seconds, depth, nodes, as_json)
    _ = request.limit  # report a bad limit before anything is loaded
    for_position, for_moves = split_notation(load_game(game, layout, options), notation)
    defaults = record_defaults(game, layout, options, for_moves)
    is_reviewed = subject is not None and (
        (is_record(subject) and not _has_position(defaults, subject, for_position))
        or _is_stored(request, subject, layout, options, for_position)
    )
    finished = None if is_reviewed or position_text or moves else _finished_match(defaults, subject)
    if subject is None or not (is_reviewed or finished):
        _reject_options({"match": number, "mistakes": mistakes, "svg": svg_file}, "a recorded match")
        analyze_position(request, defaults, subject, position_text, moves, for_position, lines=lines)
        return
    unsuitable = {"position": position_text, "moves": moves, "lines": lines}
    _reject_options(unsuitable, "a position")
    if finished is not None:
        if number is not None:
            raise OptionError("--match only works with a file of matches, not with the moves of one match")
        print_review(request, finished, 1, "the match", mistakes=mistakes, svg_file=svg_file)
        return
    if svg_file is not None:
        _check_chart_file(svg_file, subject)
    chosen = _chosen_record(request, defaults, subject, number)
    print_review(request, chosen.record, chosen.number, chosen.title, mistakes=mistakes, svg_file=svg_file)
    if chosen.has_errors:
        click.get_current_context().exit(EXIT_WRONG_INPUT)


def _has_position(defaults: "Defaults", source: str, notation: str | None) -> bool:
    """Return whether a file has a position and cannot be read as matches."""
    from boardgames.reading import read_position

    if source != STDIN and not Path(source).is_file():
        return False
    options = tuple(f"{name}={value}" for name, value in defaults.options.items())
    try:
        text = position_text(source, defaults.game, read_source(source)[0])
        game = load_game_for(defaults.game, defaults.layout or None, options, text)
        read_position(game, text, notation)
    except BoardgamesError:
        return False
    return not count_matches(text, game, defaults.notation)


def _is_stored(
    request: AnalysisRequest,
    subject: str,
    layout: str | None,
    options: tuple[str, ...],
    notation: str | None,
) -> bool:
    """Return whether an argument is the number of a stored match; a number can also be a position."""
    from boardgames.reading import read_position

    number = stored_number(subject)
    if number is None or subject.startswith(PREFIX):
        return number is not None
    is_stored = has_stored_match(number)
    game = load_game(request.game, layout, options)
    try:
        read_position(game, subject, notation)
    except BoardgamesError as error:
        if not is_stored:
            raise PositionError(f"{error}, and there is no stored match {number}") from error
        return True
    if is_stored:
        say(f"{subject} is read as a position; {PREFIX}{number} is the stored match", err=True)
    return False


def _reject_options(options: Mapping[str, object], subject: str) -> None:
    """Raise OptionError if one of the options was given."""
    for name, value in options.items():
        if value is not None:
            raise OptionError(f"--{name} only works with {subject}")


# --- positions ---------------------------------------------------------------


def analyze_position(
    request: AnalysisRequest,
    defaults: "Defaults",
    argument: str | None,
    text: str | None,
    moves: str | None,
    notation: str | None,
    *,
    lines: int | None,
) -> None:
    """Print the values of a position's moves; `notation` is the notation of the position."""
    from boardgames.player import Context, ExactPlayer
    from boardgames.plugins import close_player

    options = tuple(f"{name}={value}" for name, value in defaults.options.items())
    first = load_position(request.game, defaults.layout or None, options, argument, text, None, notation)
    position = apply_moves(first, moves, defaults.notation)
    if position.outcome is not None:
        how = outcome_text(position.outcome, position.game)
        raise MatchError(f"nothing to analyze, the match is over: {how}; position {position}")
    player = load_player(request.agent_for(position.game), position.game)
    task = "evaluating every move" if lines is None else "evaluating the best moves"
    try:
        with search_spinner(task) as report, stop_on_interrupt() as stop:
            context = Context(stop=stop, report=report)
            analysis = player.analyse(position, request.limit, context, lines=lines)
    finally:
        close_player(player)
    if request.as_json:
        _print_analysis_json(analysis, request.game, player.describe())
    else:
        _print_analysis(analysis, lines, is_exact=isinstance(player, ExactPlayer))
    if stop.is_set():
        click.get_current_context().exit(EXIT_INTERRUPTED)


def _print_analysis(analysis: "Analysis", lines: int | None, *, is_exact: bool) -> None:
    facts = analysis.position.game.facts
    side = facts.sides[analysis.position.side_to_move]
    which = "all moves" if lines is None else "the best moves"
    say(f"values of {which} for {side}, {analysis.unit.in_words}, with best play:")
    rows = [
        (
            f"{entry.move}{BOOK * entry.from_book}",
            facts.score_text(entry.score, proven=entry.proven) + _proof(entry.proven),
            line_text(entry.line),
        )
        for entry in analysis.moves
    ]
    print_table(rows, right=(1,), cut=(2,))
    if is_exact and not all(entry.proven for entry in analysis.moves):
        say("not every move was solved in time: values without ! are estimates; --time S allows more time")
    marks = "! marks a proven value"
    if any(entry.from_book for entry in analysis.moves):
        marks += f",{BOOK} one from the opening book"
    say(f"depth {analysis.depth}, {analysis.nodes:,} nodes, {analysis.seconds:.2f} s; {marks}")


def _print_analysis_json(analysis: "Analysis", game: str, agent: str) -> None:
    moves = [
        {
            "move": str(entry.move),
            **score_json(entry.score, analysis.unit, proven=entry.proven),
            "line": [str(move) for move in entry.line],
        }
        for entry in analysis.moves
    ]
    print_json(
        game=game,
        position=str(analysis.position),
        agent=agent,
        **score_json(analysis.score, analysis.unit, proven=analysis.proven),
        moves=moves,
        depth=analysis.depth,
        nodes=analysis.nodes,
        seconds=analysis.seconds,
    )


# --- recorded matches --------------------------------------------------------


def is_record(text: str) -> bool:
    """Return whether an argument names a record file rather than a position.

    Examples
    --------
    >>> is_record("-"), is_record("not-there.record"), is_record("4453")
    (True, True, False)
    """
    if text == STDIN or text.lower().endswith(RECORD_SUFFIXES):
        return True
    return os.path.exists(text)  # noqa: PTH110 - unlike Path.exists, it never raises


def _finished_match(defaults: "Defaults", subject: str | None) -> "Record | None":
    """Return the match whose moves an argument lists, or None if it is not over or lists no match."""
    from boardgames.plugins import load_game_of
    from boardgames.record import choose_record

    if subject is None:
        return None
    with suppress(BoardgamesError):
        record = choose_record(subject, load_game_of, defaults=defaults)[2]
        return None if record.outcome is None else record
    return None


def _chosen_record(
    request: AnalysisRequest, defaults: "Defaults", source: str, number: int | None
) -> "_Chosen":
    """Return the match that an argument and `--match` name, from a file, standard input or the store."""
    if is_record(source):
        return _match_of_file(request, defaults, source, number)
    if number is not None:
        raise OptionError("--match only works with a file of matches, not with a stored match")
    number, record = _stored_record(request.game, source)
    return _Chosen(number, f"match {number}", record)


def _match_of_file(
    request: AnalysisRequest, defaults: "Defaults", source: str, number: int | None
) -> "_Chosen":
    """Return a match of a file, by default the first readable one of the game; print the errors of others.

    Raises
    ------
    RecordError
        If there is no such match, or it cannot be reviewed.
    """
    from boardgames.plugins import load_game_of
    from boardgames.record import parse_records

    where = name_of(source)
    text, warning = read_source(source)
    parsed = replace(parse_records(text, load_game_of, defaults), warnings=(warning,) if warning else ())
    readable = dict(zip(parsed.numbers, parsed.records, strict=True))
    count = len(parsed.records) + len(parsed.errors)
    if count == 0:
        raise RecordError(f"no matches in {where}")
    broken = [one for one in range(1, count + 1) if one not in readable]
    errors = [f"{where}: {error}" for error in explain_errors(parsed, text, request.game)]
    if not readable and number is None:
        print_errors(errors)
        click.get_current_context().exit(EXIT_WRONG_INPUT)
    if number is None:
        suitable = (one for one, record in readable.items() if record.game == request.game and record.moves)
        number = next(suitable, min(readable))
    if number > count:
        raise RecordError(f"no match {number} in {where}; the last one is {count}")
    if number not in readable:
        raise RecordError(errors[broken.index(number)] if len(errors) == len(broken) else errors[0])
    record = readable[number]
    if record.game != request.game:
        raise RecordError(f"{where}: match {number} is a match of {quote(record.game)}, not {request.game}")
    if not record.moves:
        raise RecordError(f"{where}: match {number} has no moves")
    say_assumptions(where, parsed)
    print_errors(errors)
    return _Chosen(number, f"match {number} of {count}", record, has_errors=bool(parsed.errors))


def print_review(
    request: AnalysisRequest,
    record: "Record",
    number: int,
    title: str,
    *,
    mistakes: int | None,
    svg_file: Path | None,
) -> None:
    """Print the review of a match; after Ctrl-C, only of the plies reviewed so far."""
    from boardgames.player import ExactPlayer
    from boardgames.plugins import close_player, load_game_of

    game = load_game_of(record)
    player = load_player(request.agent_for(game), game)
    try:
        with stop_on_interrupt() as stop:
            review = _review(record, player, review_limit(request, player), stop)
    finally:
        close_player(player)
    if request.as_json:
        print_json(**_review_json(review, request.game, number, mistakes))
    else:
        _print_review(review, title, mistakes, is_exact=isinstance(player, ExactPlayer))
    if svg_file is not None:
        write_atomic(svg_file, review.svg())
        if not request.as_json:
            say(f"wrote {svg_file}")
    if not review.is_complete:
        say(f"interrupted after {len(review.moves)} of {len(record.moves)} plies", err=True)
        click.get_current_context().exit(EXIT_INTERRUPTED)


def review_limit(request: AnalysisRequest, player: "Player") -> "Limit":
    """Return the limit for each position: the user's, the agent's own, or a short time."""
    from boardgames.player import ExactPlayer

    limits = (option.name for option in player.declared_options if option.role == "limit")
    is_limited = any(player.options.get(name) is not None for name in limits)
    if request.limit.is_unlimited and not is_limited and not isinstance(player, ExactPlayer):
        return replace(request.limit, seconds=REVIEW_SECONDS)
    return request.limit


def _stored_record(game: str, subject: str) -> "tuple[int, Record]":
    """Return the number and the record of the stored match that an argument names."""
    from boardgames.plugins import load_game_of
    from boardgames.record import choose_record

    number = stored_number(subject)
    assert number is not None
    stored = stored_match(number)
    if stored.game != game:
        raise RecordError(
            f"match {number} is a match of {stored.game}: boardgames analyze {stored.game} {PREFIX}{number}"
        )
    return number, choose_record(stored.record, load_game_of, where=f"stored match {number}")[2]


def _check_chart_file(path: Path, source: str) -> None:
    """Fail before the search if the chart cannot be drawn or written, or would replace the record."""
    from boardgames.adapters.charts import check_installed

    check_installed()
    if source != STDIN and path.exists() and path.samefile(source):
        raise FileError(f"--svg would overwrite the record {path}")
    check_writable(path)


def _review(record: "Record", player: "Player", limit: "Limit", stop: "Stop") -> "Review":
    from boardgames.player import Context
    from boardgames.review import Review, review_positions

    count = len(record.moves) + 1
    reviewed: list[ReviewedPosition] = []
    with spinner(f"position 1 of {count}") as update:
        for position in review_positions(record, player, limit, Context(stop=stop)):
            reviewed.append(position)
            update(f"position {min(len(reviewed) + 1, count)} of {count}")
    return Review(record, player.describe(), reviewed[0].unit, tuple(reviewed))


def _print_review(review: "Review", title: str, mistakes: int | None, *, is_exact: bool) -> None:
    record, sides = review.record, review.game.facts.sides
    first, second = map(agent_title, record.names)
    names = f"{first} - {second} {record.result}, {count_text(len(record.moves), 'ply', 'plies')}"
    say(printable(f"{title}: {names}"))
    unit, agent = review.unit.in_words, agent_title(review.agent)
    say(printable(f"value for {sides[0]} after each move, {unit}, by {agent} (! is proven):"))
    rows: list[tuple[str, ...]] = [("ply", "side", "move", "value", "loss", "best")]
    rows += [("", "", "start", _marked(review.positions[0], 0), "", "")]
    rows += [_move_row(move, sides[move.side]) for move in review.moves]
    print_table(rows, right=(0, 3, 4), cut=(5,))
    _print_mistakes(review, mistakes)
    for side in (0, 1):
        say(review.summary(side))
    if is_exact and not all(reviewed.proven for reviewed in review.positions):
        say(
            "not every position was solved in time: values without ! are estimates; --time S allows more time"
        )


def _move_row(move: "ReviewedMove", side: str) -> tuple[str, ...]:
    unit = move.after.unit
    loss = unit.loss_text(move.loss)
    has_loss = move.delay > 0 or loss != unit.loss_text(0.0)
    if move.delay:
        loss = f"{move.delay} plies"
    loss += _proof(move.before.proven and move.after.proven)
    return (
        str(move.number),
        side,
        f"{move.move}{move.mark}",
        _marked(move.after, 0),
        loss if has_loss else "",
        str(move.best) if has_loss else "",
    )


def _print_mistakes(review: "Review", mistakes: int | None) -> None:
    from boardgames.review import MISTAKES

    unit, legend = review.unit, review.unit.legend
    rows: list[tuple[str, ...]] = [("ply", "side", "move", "loss", "value", "better")]
    for ply in review.mistakes(MISTAKES if mistakes is None else mistakes):
        is_proven = ply.before.proven and ply.after.proven
        before = ply.before.text_for_side(ply.side)
        change = (
            f"{before}{_proof(ply.before.proven).strip()} -> {ply.text}{_proof(ply.after.proven).strip()}"
        )
        side, better = review.game.facts.sides[ply.side], line_text(ply.before.line)
        move, loss = f"{ply.move}{ply.mark}", unit.loss_text(ply.loss) + _proof(is_proven)
        rows.append((str(ply.number), side, move, loss, change, better))
    if len(rows) == 1:
        say(f"no mistakes ({legend})")
        return
    say(f"worst moves, with values for the side that moved ({legend}):")
    print_table(rows, right=(0, 3), cut=(5,), wrapped=(4,))


def _marked(reviewed: "ReviewedPosition", side: int) -> str:
    """Return the score of a position for a side, marked if it is proven.

    The number of plies to a win is left out, because the wide table has to fit a narrow terminal.
    """
    return reviewed.text_for_side(side).partition(" (")[0] + _proof(reviewed.proven)


def _proof(is_proven: bool) -> str:
    """Return the suffix of a number in a column: `!` if the number is proven, otherwise a space."""
    return "!" if is_proven else " "


def _review_json(review: "Review", game: str, number: int, mistakes: int | None) -> dict[str, object]:
    from boardgames.review import MARK_NAMES, MISTAKES

    worst = review.mistakes(MISTAKES if mistakes is None else mistakes)
    return {
        "game": game,
        "match": number,
        "names": review.record.names,
        "outcome": review.record.outcome,
        "agent": review.agent,
        "unit": review.unit.name,
        "complete": review.is_complete,
        "values_for_side_0": review.values_for_side(0),
        "plies": [_ply_json(ply) for ply in review.moves],
        "marks": [
            {names[1]: review.marks(side)[mark] for mark, names in MARK_NAMES.items()} for side in (0, 1)
        ],
        "mistakes": [ply.number for ply in worst],
        "mean_loss": [review.mean_loss(side) for side in (0, 1)],
        "bound": review.unit.bound,
        "nodes": sum(reviewed.nodes for reviewed in review.positions),
        "seconds": sum(reviewed.seconds for reviewed in review.positions),
    }


def _ply_json(ply: "ReviewedMove") -> dict[str, object]:
    return {
        "ply": ply.number,
        "side": ply.side,
        "position": str(ply.before.position),
        "move": str(ply.move),
        "value": ply.score.amount,
        "win_in": ply.score.win_in,
        "best_move": str(ply.best),
        "best_value": ply.before.score.amount,
        "best_win_in": ply.before.score.win_in,
        "proven": ply.before.proven and ply.after.proven,
        "line": [str(move) for move in ply.before.line],
        "depth": ply.before.depth,
        "loss": ply.loss,
        "delay": ply.delay,
        "mark": ply.mark,
    }


def line_text(line: "Sequence[Move]") -> str:
    """Return the first moves of a line of play."""
    return " ".join(str(move) for move in line[:LINE_MOVES])
