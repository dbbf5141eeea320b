"""`boardgames replay`: step through recorded matches, print them, or draw every position."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.loading import explain_errors, name_of, read_matches, record_defaults, say_assumptions
from boardgames.cli.options import POSITIVE, examples, record_options
from boardgames.cli.output import count_text, one_line, outcome_text, print_errors, print_picture, say
from boardgames.cli.program import EXIT_WRONG_INPUT
from boardgames.cli.stored import stored_match, stored_number
from boardgames.errors import FileError, OptionError, RecordError
from boardgames.options import agent_title

if TYPE_CHECKING:
    from boardgames.game import Position
    from boardgames.record import Record

HELP = "Enter: next ply, b: back, a number: that ply, n: next match, q: quit"


@click.command(
    epilog=examples(
        "boardgames replay match.record",
        "boardgames replay matches.record --match 2",
        "boardgames replay match.record --svg pictures",
        "boardgames replay match.record --list",
        "boardgames replay 12",
        "boardgames replay moves.txt --game abalone --layout standard",
        "echo 4 4 5 3 | boardgames replay - --game connect4",
    )
)
@click.argument("file", metavar="FILE|ID")
@click.option("--match", "number", type=POSITIVE, metavar="N", help="Only match N of the file.")
@click.option(
    "--svg", "folder", type=click.Path(path_type=Path), metavar="FOLDER", help="Draw every position as SVG."
)
@click.option("--list", "as_list", is_flag=True, help="Print one line per match.")
@click.option("--flip", is_flag=True, help="Turn the board around.")
@record_options
def replay(
    file: str,
    number: int | None,
    folder: Path | None,
    as_list: bool,
    flip: bool,
    game: str | None,
    layout: str | None,
    options: tuple[str, ...],
    notation: str | None,
) -> None:
    """Step through the recorded matches of FILE, or print them if there is no terminal.

    FILE may be `-` for standard input.
    ID is the number of a stored match, which `boardgames matches` lists.

    FILE may also contain PGN from another program or, with --game, only moves:
    one match per line, or matches separated by empty lines.

    Press Enter for the next ply, or type b (back), the number of a ply, n
    (next match) or q (quit) and Enter.

    Matches with errors are reported and skipped; the exit code is then 2.
    """
    from boardgames.plugins import load_game_of
    from boardgames.record import parse_records

    text = ""
    if (stored := stored_number(file)) is None:
        defaults = record_defaults(game, layout, options, notation)
        text, parsed = read_matches(file, defaults)
    elif number is not None:
        raise OptionError("--match only works with a file of matches, not with a stored match")
    else:
        parsed = parse_records(stored_match(stored).record, load_game_of)
    where = name_of(file)
    say_assumptions(where, parsed)
    print_errors(explain_errors(parsed, text, game or ""))
    records = [
        (stored or place, record) for place, record in zip(parsed.numbers, parsed.records, strict=True)
    ]
    if number is not None:
        records = [(place, record) for place, record in records if place == number]
    if not records and not parsed.errors:
        raise RecordError(f"no match {number} in {where}" if number else f"no matches in {where}")
    if as_list:
        for place, record in records:
            say(f"{place}. {_title(record)}")
    else:
        show_records(records, folder=folder, flip=flip)
    if parsed.errors:
        click.get_current_context().exit(EXIT_WRONG_INPUT)


def show_records(records: "list[tuple[int, Record]]", *, folder: Path | None, flip: bool) -> None:
    """Draw matches into a folder if one is given, else step through them or print them."""
    if folder is not None:
        _draw(records, folder)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _step(records, flip)
    else:
        _print(records, flip)


def _title(record: "Record") -> str:
    names = " - ".join(one_line(agent_title(name)) for name in record.names)
    return (
        f"{one_line(record.game)}: {names} {record.result}, {count_text(len(record.moves), 'ply', 'plies')}"
    )


def _draw(records: "list[tuple[int, Record]]", folder: Path) -> None:
    from boardgames.paths import make_folder, write_atomic
    from boardgames.plugins import load_game_of

    if folder.suffix == ".svg":
        raise FileError(f"--svg takes a folder, for one picture per ply, not a file: {folder}")
    make_folder(folder)
    count = 0
    for place, record in records:
        for ply, drawing in enumerate(record.svgs(load_game_of(record))):
            write_atomic(folder / f"match-{place:03}-ply-{ply:04}.svg", drawing)
            count += 1
    say(f"wrote {count_text(count, 'picture')} to {folder}")


def _print(records: "list[tuple[int, Record]]", flip: bool) -> None:
    from boardgames.plugins import load_game_of

    for place, record in records:
        say(f"{place}. {_title(record)}")
        positions = list(record.positions(load_game_of(record)))
        for ply in range(len(positions)):
            _show(record, positions, ply, flip)


def _show(record: "Record", positions: "list[Position]", ply: int, flip: bool) -> None:
    picture = positions[ply].picture()
    if ply:
        picture = picture.since(positions[ply - 1].picture())
        side = positions[ply].game.facts.sides[positions[ply - 1].side_to_move]
        say(f"\nply {ply}, {side}: {record.moves[ply - 1]}")
    print_picture(picture, flipped=flip)
    if ply == len(positions) - 1 and record.outcome is not None:
        say(outcome_text(record.outcome, positions[0].game))


def _step(records: "list[tuple[int, Record]]", flip: bool) -> None:
    from boardgames.cli.prompt import open_prompt
    from boardgames.plugins import load_game_of

    prompt = open_prompt()
    say(HELP)
    for place, record in records:
        say(f"\n{place}. {_title(record)}")
        positions = list(record.positions(load_game_of(record)))
        ply = 0
        while True:
            _show(record, positions, ply, flip)
            try:
                answer = prompt.question(f"[{ply}/{len(positions) - 1}] ").strip().lower()
            except EOFError:
                return
            if answer == "q":
                return
            if answer == "n" or (answer == "" and ply == len(positions) - 1):
                break
            if answer == "b":
                ply = max(ply - 1, 0)
            elif answer.isascii() and answer.isdigit():
                ply = min(int(answer[:9]), len(positions) - 1)
            elif answer == "":
                ply += 1
            else:
                say(HELP)
