"""`bg analyze`: the values of a position's moves, or of every position of a recorded match."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.interrupts import stop_on_interrupt
from boardgames.cli.loading import load_game, load_player, load_position
from boardgames.cli.options import DEPTH, NODES, POSITIVE, SECONDS, examples, game_options, json_option
from boardgames.cli.output import outcome_json, outcome_text, print_json, print_table, score_json
from boardgames.cli.program import EXIT_INTERRUPTED
from boardgames.cli.progress import search_spinner
from boardgames.draw.text import printable
from boardgames.errors import FileError, MatchError, OptionError, RecordError, quote
from boardgames.paths import MAX_TEXT_LENGTH, check_writable, read_text, write_atomic

if TYPE_CHECKING:
    from boardgames.game import Move
    from boardgames.player import Analysis, Limit, Player, Stop
    from boardgames.record import Record
    from boardgames.review import Review, ReviewedMove, ReviewedPosition

SHOWN_LINE = 8
"""Moves of a line that are printed."""
STDIN = "-"
ENDINGS = (".record", ".pgn", ".txt")
POSITION_S = 0.2
MARKS = {
    "?!": ("inaccuracy", "inaccuracies"),
    "?": ("mistake", "mistakes"),
    "??": ("blunder", "blunders"),
}
OWN_LIMITS = ("depth", "time", "nodes", "simulations")
"""Options by which an agent limits itself."""


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """What was asked for, of positions and of records alike."""

    game: str
    agent: str | None
    seconds: float | None
    depth: int | None
    nodes: int | None
    as_json: bool

    @property
    def limit(self) -> "Limit":
        """Return what the agent may spend on a position."""
        from boardgames.player import Limit

        return Limit(seconds=self.seconds, depth=self.depth, nodes=self.nodes)


@click.command(
    epilog=examples(
        "boardgames analyze abalone",
        "boardgames analyze abalone --lines 3 --time 5",
        "boardgames analyze connect4 4453 --depth 10",
        "boardgames analyze connect4 match.record --svg match.svg",
        "boardgames analyze abalone all.record --match 12 --time 1 --mistakes 10",
        "boardgames matches export - 12 | boardgames analyze abalone - --json",
    )
)
@click.argument("game")
@game_options
@click.option(
    "--position", "position_text", metavar="TEXT", help="The position, whatever the text looks like."
)
@click.argument("subject", metavar="[POSITION|RECORD]", required=False)
@click.option("--agent", metavar="AGENT", help="Who values the moves; the game's default agent.")
@click.option(
    "--time",
    "seconds",
    type=SECONDS,
    metavar="S",
    help="Seconds a position; if nothing is limited 1, and 0.2 for those of a record.",
)
@click.option("--depth", type=DEPTH, metavar="N", help="Plies to look ahead.")
@click.option("--nodes", type=NODES, metavar="N", help="Positions to visit.")
@click.option(
    "--lines", type=POSITIVE, metavar="N", help="Of a position: only the N best moves, which saves time."
)
@click.option(
    "--match", "number", type=POSITIVE, metavar="N", help="Of a record: the Nth match, not the first."
)
@click.option(
    "--mistakes", type=POSITIVE, metavar="N", help="Of a record: tell N mistakes at the end, not 5."
)
@click.option(
    "--svg",
    "svg_file",
    type=click.Path(path_type=Path),
    help="Of a record: write a chart of the values here.",
)
@json_option
def analyze(
    game: str,
    subject: str | None,
    position_text: str | None,
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
    """Value the moves of a position of GAME, or say what every move of a recorded match lost.

    RECORD is `-` (standard input), a file that is there, or a name that ends in
    .record, .pgn or .txt. Anything else is a POSITION, the start by default;
    the text after --position always is.

    Values of a position's moves are for the side to move. Ctrl-C ends the work
    and prints what is known so far.
    """
    request = AnalysisRequest(game, agent, seconds, depth, nodes, as_json)
    _ = request.limit  # a bad one is told before anything is loaded
    if subject is None or not is_record(subject):
        _refuse({"match": number, "mistakes": mistakes, "svg": svg_file}, "a record", "a position")
        analyze_position(request, layout, options, subject, position_text, lines=lines)
        return
    given = {"layout": layout, "option": options or None, "position": position_text, "lines": lines}
    _refuse(given, "a position", "a record")
    analyze_record(request, subject, number=number, mistakes=mistakes, svg_file=svg_file)


def analyze_position(
    request: AnalysisRequest,
    layout: str | None,
    options: tuple[str, ...],
    argument: str | None,
    text: str | None,
    *,
    lines: int | None,
) -> None:
    """Print the value of the moves of a position."""
    from boardgames.player import Context

    position = load_position(request.game, layout, options, argument, text)
    if position.outcome is not None:
        how = outcome_text(position.outcome, position.game)
        raise MatchError(f"expected a position with moves: {position} is over, {how}")
    chosen = load_player(request.agent or position.game.facts.default_agent, position.game)
    what = "valuing every move" if lines is None else "valuing the best moves"
    try:
        with search_spinner(what) as report, stop_on_interrupt() as stop:
            context = Context(stop=stop, report=report)
            found = chosen.analyse(position, request.limit, context, lines=lines)
    finally:
        chosen.close()
    if request.as_json:
        _print_analysis_json(found, request.game, chosen.describe())
    else:
        _print_analysis(found, lines)
    if stop.is_set():
        click.get_current_context().exit(EXIT_INTERRUPTED)


def _refuse(given: Mapping[str, object], allowed: str, came: str) -> None:
    """Complain of an option that makes no sense here."""
    for name, value in given.items():
        if value is not None:
            raise OptionError(f"expected --{name} with {allowed} only: {came} came")


def _print_analysis(found: "Analysis", lines: int | None) -> None:
    side = found.position.game.facts.sides[found.position.side_to_move]
    which = "each move" if lines is None else "the best moves"
    click.echo(f"value of {which} for {side}, in {found.unit.label}, and the line it begins:")
    rows = [
        (
            str(entry.move),
            str(entry.score) + ("!" if entry.proven else " "),
            line_text(entry.line),
        )
        for entry in found.moves
    ]
    print_table(rows, right=(1,), cut=(2,))
    click.echo(f"depth {found.depth}, {found.nodes} nodes, {found.seconds:.2f} s; ! is proven")


def _print_analysis_json(found: "Analysis", game: str, agent: str) -> None:
    moves = [
        {
            "move": str(entry.move),
            **score_json(entry.score, found.unit, proven=entry.proven),
            "line": [str(move) for move in entry.line],
        }
        for entry in found.moves
    ]
    print_json(
        game=game,
        position=str(found.position),
        agent=agent,
        **score_json(found.score, found.unit, proven=found.proven),
        moves=moves,
        depth=found.depth,
        nodes=found.nodes,
        seconds=found.seconds,
    )


# --- recorded matches ---


def is_record(text: str) -> bool:
    """Say whether an argument stands for a record and not for a position.

    Examples
    --------
    >>> is_record("-"), is_record("not-there.record"), is_record("4453")
    (True, True, False)
    """
    return text == STDIN or text.lower().endswith(ENDINGS) or os.path.exists(text)  # noqa: PTH110 - never raises


def analyze_record(
    request: AnalysisRequest, source: str, *, number: int | None, mistakes: int | None, svg_file: Path | None
) -> None:
    """Print the review of a recorded match, or as much of it as there is when it is interrupted."""
    load_game(request.game, None, ())  # an unknown one is told first, and compiling too
    place, count, record = chosen_record(request.game, source, number)
    if svg_file is not None:
        _check_chart(svg_file, source)
    from boardgames.plugins import load_game_of

    game = load_game_of(record)
    chosen = load_player(request.agent or game.facts.default_agent, game)
    try:
        with stop_on_interrupt() as stop:
            found = _reviewed(record, chosen, position_limit(request, chosen), stop)
    finally:
        chosen.close()
    if not request.as_json:
        _print_review(found, f"match {place} of {count}", mistakes)
    if request.as_json:
        print_json(**_review_json(found, request.game, place, mistakes))
    if svg_file is not None:
        write_atomic(svg_file, found.svg())
        if not request.as_json:
            click.echo(f"wrote {svg_file}")
    if not found.is_complete:
        click.echo(f"interrupted after {len(found.moves)} of {len(record.moves)} plies", err=True)
        click.get_current_context().exit(EXIT_INTERRUPTED)


def chosen_record(game: str, source: str, number: int | None) -> "tuple[int, int, Record]":
    """Return a match's number, how many there are, and the match, every move checked.

    Raises
    ------
    FileError
        If the file cannot be read.
    RecordError
        If there is no such match, it has an error, or it is one of another game or without moves.
    """
    from boardgames.plugins import load_game_of
    from boardgames.record import parse_records

    where = "standard input" if source == STDIN else source
    parsed = parse_records(_text(source), None)  # of many matches only one is replayed
    count, place = len(parsed.records) + len(parsed.errors), number or 1
    if place > count:
        told = "it has none" if count == 0 else f"it has {count}"
        raise RecordError(f"expected {f'match {number}' if number else 'a match'} in {where}: {told}")
    records = dict(zip(parsed.numbers, parsed.records, strict=True))
    if place not in records:
        broken = [number for number in range(1, count + 1) if number not in records]
        raise RecordError(f"{where}: {parsed.errors[broken.index(place)]}")
    record = records[place]
    if record.game != game:
        raise RecordError(f"expected a match of {game} in {where}: {quote(record.game)}")
    if not record.moves:
        raise RecordError(f"expected a match with moves in {where}: match {place} has none")
    checked = parse_records(str(record), load_game_of)
    for error in checked.errors:
        raise RecordError(f"{where}: match {place}: {str(error).removeprefix('match 1: ')}")
    return place, count, checked.records[0]


def position_limit(request: AnalysisRequest, chosen: "Player") -> "Limit":
    """Return what may be spent on each position: a little time if neither user nor agent says."""
    is_limited = any(chosen.options.get(name) is not None for name in OWN_LIMITS)
    if request.limit.is_unlimited and not is_limited:
        return replace(request.limit, seconds=POSITION_S)
    return request.limit


def _text(source: str) -> str:
    if source != STDIN:
        return read_text(Path(source))
    text = sys.stdin.read(MAX_TEXT_LENGTH + 1)
    if len(text) > MAX_TEXT_LENGTH:
        raise FileError(f"expected at most {MAX_TEXT_LENGTH:,} characters from standard input: more came")
    return text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")


def _check_chart(path: Path, source: str) -> None:
    """Complain of a file that cannot be written, or is the record itself, before time is spent."""
    if source != STDIN and path.exists() and path.samefile(source):
        raise FileError(f"expected another file for the chart than the record: {path}")
    check_writable(path)


def _reviewed(record: "Record", chosen: "Player", limit: "Limit", stop: "Stop") -> "Review":
    from boardgames.player import Context
    from boardgames.review import Review, review_positions

    found: list[ReviewedPosition] = []
    with _progress(len(record.moves) + 1) as tell:
        for position in review_positions(record, chosen, limit, Context(stop=stop)):
            found.append(position)
            tell(len(found))
    return Review(record, chosen.describe(), found[0].unit, tuple(found))


@contextmanager
def _progress(count: int) -> Iterator[Callable[[int], None]]:
    """Show on a terminal how many positions were looked at; yields what is to be told of each."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console

    with Console(stderr=True).status(f"position 1 of {count}") as status:
        yield lambda done: status.update(f"position {min(done + 1, count)} of {count}")


# --- printing ----------------------------------------------------------------


def _print_review(found: "Review", place: str, mistakes: int | None) -> None:
    record, sides = found.record, found.game.facts.sides
    names = f"{record.names[0]} - {record.names[1]} {record.result}, {len(record.moves)} plies"
    click.echo(printable(f"{place}: {names}"))
    click.echo(printable(f"value for {sides[0]} after each move, in {found.unit.label}, by {found.agent}:"))
    rows: list[tuple[str, ...]] = [("ply", "side", "move", "value", "loss", "best")]
    rows += [("", "", "start", _value(found.positions[0], 0), "", "")]
    rows += [_row(ply, sides[ply.side]) for ply in found.moves]
    print_table(rows, right=(0, 3, 4), cut=(5,))
    _print_mistakes(found, mistakes)
    for number, side in enumerate(sides):
        click.echo(_summary(found, number, side))


def _summary(found: "Review", number: int, side: str) -> str:
    """Return the numbers of marks and the mean loss of a side in one line."""
    mean, marks = found.mean_loss(number), found.marks(number)
    if mean is None:
        return f"{side}: no moves"
    counts = [f"{marks[mark]} {names[marks[mark] != 1]}" for mark, names in MARKS.items()]
    return f"{side}: {', '.join(counts)}, mean loss {found.unit.format(mean)}"


def _row(ply: "ReviewedMove", side: str) -> tuple[str, ...]:
    loss = ply.after.unit.format(ply.loss)
    is_shown = float(loss) > 0
    return (
        str(ply.number),
        side,
        f"{ply.move}{ply.mark}",
        _value(ply.after, 0),
        loss if is_shown else "",
        str(ply.best) if is_shown else "",
    )


def _print_mistakes(found: "Review", mistakes: int | None) -> None:
    from boardgames.review import MISTAKES

    unit = found.unit
    inaccuracy, mistake, blunder = map(unit.format, (unit.inaccuracy, unit.mistake, unit.blunder))
    marks = f"?! is a loss of {inaccuracy} or more, ? of {mistake}, ?? of {blunder}"
    rows: list[tuple[str, ...]] = [("ply", "side", "move", "loss", "value", "better")]
    for ply in found.mistakes(MISTAKES if mistakes is None else mistakes):
        became = _value(ply.after, ply.side) if _is_end(ply.after) else str(ply.score)
        change = f"{ply.before.score} -> {became}"
        side, better = found.game.facts.sides[ply.side], line_text(ply.before.line)
        move, loss = f"{ply.move}{ply.mark}", unit.format(ply.loss)
        rows.append((str(ply.number), side, move, loss, change, better))
    if len(rows) == 1:
        click.echo(f"no mistakes; {marks}")
        return
    click.echo(f"biggest mistakes, as their side saw the position before; {marks}:")
    print_table(rows, right=(0, 3), cut=(5,))


def _value(reviewed: "ReviewedPosition", side: int) -> str:
    """Return the score of a position as a side sees it; `drawn` at the end of a drawn match."""
    outcome = reviewed.position.outcome
    is_drawn = outcome is not None and outcome.winner is None
    return "drawn" if is_drawn else str(reviewed.score_for_side(side))


def _is_end(reviewed: "ReviewedPosition") -> bool:
    return reviewed.position.outcome is not None


def _review_json(found: "Review", game: str, place: int, mistakes: int | None) -> dict[str, object]:
    from boardgames.review import MISTAKES

    worst = found.mistakes(MISTAKES if mistakes is None else mistakes)
    return {
        "game": game,
        "match": place,
        "names": list(found.record.names),
        "outcome": outcome_json(found.record.outcome),
        "agent": found.agent,
        "unit": found.unit.name,
        "complete": found.is_complete,
        "values_for_side_0": list(found.values_for_side(0)),
        "plies": [_ply_json(ply) for ply in found.moves],
        "marks": [{names[1]: found.marks(side)[mark] for mark, names in MARKS.items()} for side in (0, 1)],
        "mistakes": [ply.number for ply in worst],
        "mean_loss": [found.mean_loss(side) for side in (0, 1)],
        "bound": found.unit.bound,
        "nodes": sum(reviewed.nodes for reviewed in found.positions),
        "seconds": sum(reviewed.seconds for reviewed in found.positions),
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
        "mark": ply.mark,
    }


def line_text(line: "Sequence[Move]") -> str:
    """Return the first moves of a line."""
    return " ".join(str(move) for move in line[:SHOWN_LINE])
