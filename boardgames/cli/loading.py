"""Loading games, positions and players from the arguments of commands."""

import shlex
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.options import apply_moves
from boardgames.cli.output import say
from boardgames.cli.program import PROGRAM
from boardgames.compiling import rules_interpreted
from boardgames.errors import (
    BoardgamesError,
    FileError,
    MoveError,
    OptionError,
    PositionError,
    RecordError,
    UnknownNameError,
    quote,
    suggest,
)
from boardgames.options import parse_assignments
from boardgames.paths import MAX_TEXT_BYTES, decode_any_text, find_path, read_any_text

if TYPE_CHECKING:
    from boardgames.game import Game, Position
    from boardgames.player import Player
    from boardgames.reading import Defaults
    from boardgames.record import ParsedRecords

STDIN = "-"
"""Stands for standard input where a file of matches or positions is expected."""
MAX_POSITION_LENGTH = 10_000
"""Maximum number of characters in a position; longer files are not read as positions."""


def load_game(name: str, layout: str | None, options: tuple[str, ...]) -> "Game":
    """Load a game.

    Parameters
    ----------
    name : str
        Name of the game.
    layout : str, optional
        Name of the starting layout; the game's default if not given.
    options : tuple of str
        Settings as given to `--option`: `name=value`.
    """
    from boardgames.plugins import load

    settings = parse_assignments(options)
    if "layout" in settings:
        raise OptionError(f"use --layout {settings['layout']} instead of --option layout=...")
    _check_game_name(name)
    return load(name, layout=layout, **settings)


def load_game_for(name: str, layout: str | None, options: tuple[str, ...], text: str | None) -> "Game":
    """Load a game with the options that the text of a position implies, unless the user sets them."""
    from boardgames.plugins import attributing_errors

    game = load_game(name, layout, options)
    if text is None or layout is not None:
        return game
    with attributing_errors("game", name):
        implied = dict(type(game).options_for_position(text))
    given = parse_assignments(options)
    changed = [
        f"{key}={value}"
        for key, value in implied.items()
        if key not in given and game.options.get(key) != value
    ]
    return load_game(name, None, (*options, *changed)) if changed else game


def _check_game_name(name: str) -> None:
    """Raise UnknownNameError if there is no such game; for a file, say that the game comes first."""
    from boardgames.plugins import registry

    try:
        registry().check_name("games", name)
    except UnknownNameError:
        context, path = click.get_current_context(silent=True), find_path(name)
        if context is None or path is None or not path.is_file():
            raise
        arguments = [text for text in context.command.collect_usage_pieces(context) if text != "[OPTIONS]"]
        usage = " ".join([context.command_path, *arguments])
        raise UnknownNameError(f"{quote(name)} is a file, but the game comes first: {usage}") from None


def load_position(
    name: str,
    layout: str | None,
    options: tuple[str, ...],
    argument: str | None,
    text: str | None,
    moves: str | None,
    notation: str | None = None,
) -> "Position":
    """Load a game and return the position given as an argument or with `--position`, by default the start.

    The argument may also be the name of a file with a position, or `-` for standard input. Moves given with
    `--moves` are made from there. The notation may be one for positions or for moves.
    """
    if argument is not None and text is not None:
        raise OptionError("give the position either as an argument or with --position, not both")
    source = None if argument is None else position_source(argument)
    chosen = text if argument is None else argument
    if source is not None:
        chosen = position_text(source, name, read_file(source))
    game = load_game_for(name, layout, options, chosen)
    for_position, for_moves = split_notation(game, notation)
    if chosen is None:
        return apply_moves(game.start(), moves, for_moves)
    from boardgames.reading import position_notation, read_position

    try:
        position = read_position(game, chosen, for_position)
    except PositionError as error:
        folder = None if argument is None else find_path(argument)
        if source is None and folder is not None and folder.is_dir():
            raise PositionError(f"{folder} is a folder; give the name of a file, or a position") from None
        if better := _why_no_position(source, chosen, game, error):
            raise PositionError(better) from None
        raise
    if source is not None and (count := _count_joined_matches(chosen, position)) > 1:
        raise PositionError(_not_a_position(source, name, count))
    if for_position is None and (source is not None or not _needs_no_notation(chosen, game)):
        where = quote(chosen) if source is None else name_of(source)
        say_notations(where, "position", [position_notation(chosen, position)])
    return apply_moves(position, moves, for_moves)


def _needs_no_notation(text: str, game: "Game") -> bool:
    """Return whether a game reads a position without being told its notation."""
    with suppress(PositionError):
        game.parse(text)
        return True
    return False


def _why_no_position(source: str | None, text: str, game: "Game", error: PositionError) -> str:
    """Say what a text is instead of a position, or return an empty string if that is unknown."""
    from boardgames.pgn import has_tags
    from boardgames.reading import without_examples

    if source is not None and has_tags(text):
        return _not_a_position(source, game.facts.name)
    if source is not None and (count := count_matches(text, game)):
        return _not_a_position(source, game.facts.name, count)
    other = what_it_looks_like(text, game.facts.name)
    return f"{without_examples(error)}; {other}" if other else ""


def _not_a_position(source: str, game: str, count: int = 0) -> str:
    """Return a message that a file has matches instead of a position, and how to show them."""
    shown, matches = shlex.quote(source), f"{count} matches" if count else "matches"
    return (
        f"{name_of(source)} has {'a match' if count == 1 else matches}, not a position; "
        f"`{PROGRAM} replay {shown} --game {game}` shows {'it' if count == 1 else 'them'}"
    )


def count_matches(text: str, game: "Game", notation: str | None = None) -> int:
    """Return the number of matches in a text without tags, or 0 if one of them cannot be read."""
    from boardgames.plugins import load_game_of
    from boardgames.reading import Defaults
    from boardgames.record import options_as_texts, parse_records

    options = options_as_texts(dict(game.changed_options()))
    with suppress(RecordError):
        parsed = parse_records(text, load_game_of, Defaults(game.facts.name, game.layout, options, notation))
        return 0 if parsed.errors else len(parsed.records)
    return 0


def _count_joined_matches(text: str, position: "Position") -> int:
    """Return the number of matches in a text that was read as one list of moves leading to a position."""
    start = position.game.start()
    for notation in position.game.facts.move_notations:
        with suppress(MoveError):
            if start.apply_moves(text, notation=notation) == position:
                return count_matches(text, position.game, notation)
    return 1


def split_notation(game: "Game", notation: str | None) -> tuple[str | None, str | None]:
    """Return the notation for positions and the notation for moves; None where the given one does not apply.

    Raises
    ------
    UnknownNameError
        If the game has no such notation.
    """
    facts = game.facts
    for_position = notation if notation in facts.position_notations else None
    for_moves = notation if notation in facts.move_notations else None
    if notation is not None and for_position is None and for_moves is None:
        known = suggest(notation, dict.fromkeys((*facts.position_notations, *facts.move_notations)))
        raise UnknownNameError(f"{facts.name} has no notation {quote(notation)}{known}")
    return for_position, for_moves


def what_it_looks_like(text: str, game: str) -> str:
    """Return a remark if a text that a game cannot read is valid in another game, or else an empty string.

    Only the beginning of the text is tried, as a test set, as a position and as a match.
    """
    from boardgames.plugins import registry

    start = text[:MAX_POSITION_LENGTH]
    if len(text) > len(start):
        start = start[: max(start.rfind(" "), start.rfind("\n"), 0)]
    for offer in registry().offers("games"):
        name = offer.entry.name
        if name != game:
            with rules_interpreted(), suppress(BoardgamesError):  # the plug-in may be broken
                if kind := _kind_of(start, name, load_game(game, None, ())):
                    return f"it looks like a {kind} of {name}"
    return ""


def _kind_of(text: str, name: str, expected: "Game") -> str:
    """Return `test set`, `position` or `match` if a text is one in a game, or else an empty string.

    If at least half of its moves are moves of the `expected` game, a match is assumed to be a faulty match of
    that game.
    """
    from boardgames.plugins import load_game_of
    from boardgames.reading import Defaults, check_no_test_set, read_position
    from boardgames.record import choose_record

    game = load_game_for(name, None, (), text)
    try:
        check_no_test_set(text, game)
    except RecordError:
        return "test set"
    with suppress(PositionError):
        if read_position(game, text).outcome is None:
            return "position"
    with suppress(RecordError):
        moves = choose_record(text, load_game_of, game=name, defaults=Defaults(name))[2].moves
        known = 0
        for move in moves:
            with suppress(MoveError):
                known += expected.parse_move(expected.start(), move) is not None
        return "match" if len(moves) > 1 and 2 * known < len(moves) else ""
    return ""


def read_matches(source: str, defaults: "Defaults") -> "tuple[str, ParsedRecords]":
    """Return the text of a file, or of standard input if its name is `-`, and the matches in it.

    Raises
    ------
    FileError, RecordError
        If the file is missing or unreadable, is not a text file, or is a test set for solvers.
    """
    from boardgames.plugins import load_game_of
    from boardgames.record import parse_records

    text, warning = read_source(source)
    parsed = parse_records(text, load_game_of, defaults)
    return text, replace(parsed, warnings=(*parsed.warnings, warning)) if warning else parsed


def explain_errors(parsed: "ParsedRecords", text: str, game: str) -> list[str]:
    """Return the errors in the matches of a text, or a single one if the text looks like another game's."""
    from boardgames.reading import without_examples

    errors = [str(error) for error in parsed.errors]
    if errors and not parsed.records and game and (other := what_it_looks_like(text, game)):
        return [f"{without_examples(errors[0])}; {other}"]
    return errors


def say_notations(where: str, what: str, notations: Iterable[str | None], *, can_choose: bool = True) -> None:
    """Say which notations were inferred when a file was read; None stands for the game's usual notation.

    Parameters
    ----------
    where : str
        The file, or the text that was given.
    what : str
        What was read, such as `moves`.
    can_choose : bool
        Whether the command has the option `--notation` for this.
    """
    names = " and ".join(map(repr, filter(None, dict.fromkeys(notations))))
    if names:
        advice = "; --notation sets another one" if can_choose else ""
        say(f"{where}: {what} read in the notation {names}{advice}", err=True)


def say_assumptions(where: str, parsed: "ParsedRecords", *, can_choose: bool = True) -> None:
    """Say what was assumed about the matches of a file; for `can_choose` see `say_notations`."""
    for warning in parsed.warnings:
        say(f"{where}: {warning}", err=True)
    say_notations(where, "moves", parsed.notations, can_choose=can_choose)


def position_source(argument: str) -> str | None:
    """Return the file or `-` that an argument names, or None if the argument is itself a position."""
    if argument == STDIN:
        return STDIN
    path = find_path(argument)
    return str(path) if path is not None and path.is_file() else None


def name_of(source: str) -> str:
    """Return what messages call a source: the name of the file, or `standard input` for `-`."""
    return "standard input" if source == STDIN else source


def read_source(source: str) -> tuple[str, str]:
    """Return the text of a file, or of standard input if its name is `-`, and a warning if it is not UTF-8.

    Standard input is read once and remembered for the rest of the command.

    Raises
    ------
    FileError
        If the text cannot be read, is too long, or is not text.
    """
    if source != STDIN:
        return read_any_text(Path(source))
    memory = click.get_current_context().meta
    if STDIN not in memory:
        data = sys.stdin.buffer.read(MAX_TEXT_BYTES + 1)
        if len(data) > MAX_TEXT_BYTES:
            raise FileError(f"standard input is too long: more than {MAX_TEXT_BYTES:,} bytes")
        memory[STDIN] = decode_any_text(data, name_of(STDIN))
    text, warning = memory[STDIN]
    return text, warning


def read_file(source: str) -> str:
    """Return the text of `read_source`, with line feeds as line ends; warn if it is not UTF-8."""
    text, warning = read_source(source)
    if warning:
        say(f"{name_of(source)}: {warning}", err=True)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def position_text(source: str, game: str, text: str) -> str:
    """Return the text of a file if it can be a position of a game.

    Raises
    ------
    PositionError, RecordError
        If it is a test set for solvers, empty, or too long.
    """
    from boardgames.reading import check_no_test_set

    check_no_test_set(text, load_game(game, None, ()))
    if not text.strip():
        raise PositionError(f"{name_of(source)} is empty")
    if len(text) > MAX_POSITION_LENGTH:
        raise PositionError(
            f"{name_of(source)} is too long for a position: more than {MAX_POSITION_LENGTH:,} characters"
        )
    return text


def record_defaults(
    game: str | None, layout: str | None, options: tuple[str, ...], notation: str | None
) -> "Defaults":
    """Return the game, layout, options and notation of matches whose text does not give them.

    Raises
    ------
    OptionError, UnknownNameError
        If the other options are given without a game, or the game does not have them.
    """
    from boardgames.reading import Defaults

    if game is None:
        for name, value in (("layout", layout), ("option", options), ("notation", notation)):
            if value:
                raise OptionError(f"--{name} needs --game")
        return Defaults()
    loaded = load_game(game, layout, options)
    if notation is not None and notation not in loaded.facts.move_notations:
        raise UnknownNameError(
            f"{game} has no notation {quote(notation)} for moves"
            f"{suggest(notation, loaded.facts.move_notations)}"
        )
    settings = {name: str(value) for name, value in parse_assignments(options).items()}
    return Defaults(game, layout or "", settings, notation)


def load_player(agent: str, game: "Game", *, seed: int | None = None) -> "Player":
    """Load an agent for a game."""
    from boardgames.plugins import load_player

    return load_player(agent, game, seed=seed)
