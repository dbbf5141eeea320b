"""Interpretation of match texts by the rules of the game, whichever program wrote them.

Our own records are complete: they name the game, the start, both players and why the match
ended. Files from other programs leave most of this out. The game then comes from the caller, the
start from the name of a layout, and the end from the moves. The tags White and Black refer to the
sides with these names or, if the game has no such sides, to the side that moves first and its
opponent. The result `1-0` is a win for the side that moved first, unless the moves show that it is
a win for White, who moved second.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from itertools import accumulate, islice

from boardgames.errors import (
    AmbiguousMoveError,
    MoveError,
    OptionError,
    PositionError,
    RecordError,
    UnknownNameError,
    quote,
    suggest,
)
from boardgames.game import Game, Outcome, Position, Termination
from boardgames.pgn import MAX_PLIES, RESULTS, Line, MatchText, Note

WINNERS: Mapping[str, int | None] = {"1-0": 0, "0-1": 1, "1/2-1/2": None}
UNFINISHED = "*"
FIRST_WINS = "1-0"
MAX_SAMPLE = 20
"""Number of lines that are examined to find out whether each line is a match."""
EXAMPLE_PLIES, EXAMPLE_LENGTH = 4, 20
"""Number of moves to the example position in an error message, and maximum length of its text."""
MAX_EXAMPLES = 12
"""Number of legal moves from which an error message chooses its example."""
LIKENESS = 0.6
"""A text looks like a notation if more than this share of its characters occur in an example of it."""
START_TAGS = ("Start", "FEN", "Position")
BY_POSITION = (Termination.RULES, Termination.NO_MOVES)
"""Terminations that are determined by the last position."""
MAX_READINGS = 100
"""Maximum number of readings that are tried for a match with ambiguous moves."""
MAX_STARTS = 1_000
"""Maximum number of start positions that are cached; almost all files have fewer."""
_REASONS = tuple(reason.value for reason in Termination)
_TERMINATIONS: Mapping[str, Termination] = {
    "time": Termination.TIME,
    "temps": Termination.TIME,
    "resign": Termination.RESIGNATION,
    "abandon": Termination.RESIGNATION,
    "agreement": Termination.AGREEMENT,
    "accord": Termination.AGREEMENT,
    "adjudicat": Termination.ADJUDICATION,
    "repetition": Termination.REPETITION,
}
"""Words in the tags of other programs, and their meanings. PGN's own `abandoned` is too vague to be used."""
_WORDS = re.compile(r"[A-Za-z][A-Za-z' _-]*")
"""A line that may be the name of a layout."""
_MOVE_NUMBER = re.compile(r"(?<![^\s])[0-9]+\.+\s*")
_TESTED = re.compile(r"(\S+)\s+([-+]?[0-9]+(?:\.[0-9]+)?)", re.ASCII)
"""A line of a test set for solvers: a position without spaces, and its score."""
MIN_TESTED_LENGTH = 3
"""Minimum length of such a position; a shorter text may be a move, such as a place in Hexifence."""
_COMMENT = re.compile(r"\{[^}]*\}|;[^\n]*|(?m:^)%[^\n]*|\$[0-9]+")


@dataclass(frozen=True, slots=True)
class Defaults:
    """Values to use if the text of a match does not give them.

    Attributes
    ----------
    game, layout : str
        Names for `boardgames.load`; empty if unknown.
    options : mapping of str to str
        Options of the game.
    notation : str or None
        The game's notation in which the moves are written; by default it is inferred from the moves.
    """

    game: str = ""
    layout: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    notation: str | None = None


_NO_DEFAULTS = Defaults()
LoadGame = Callable[[str, str, Mapping[str, str]], Game]
"""Returns a game, given its name, layout and options."""


@dataclass(frozen=True, slots=True)
class ReadMatch:
    """A match whose moves have been checked.

    Attributes
    ----------
    game : Game
        The game of the match.
    start : str
        Canonical text of the start position.
    names : (str, str)
        Names of the players of side 0 and side 1.
    moves : tuple of str
        The moves in canonical notation.
    seconds : tuple of float or None
        Time spent on each move.
    side_seconds : (float, float)
        Time spent by side 0 and side 1, as far as it is known.
    notes : mapping of int to Note
        Notes by ply, with the moves of variations in canonical notation.
    outcome : Outcome or None
        The outcome; None if the match is unfinished.
    notation : str or None
        The notation in which the moves were written; None for the canonical notation.
    white_won_first : bool or None
        Whether `1-0` means that White won, although White moved second; None if the moves do not show it.
    is_winner_assumed : bool
        True if White moved second and the match was not drawn, but neither its moves nor other matches
        show whether `1-0` is a win for White.
    """

    game: Game
    start: str
    names: tuple[str, str]
    moves: tuple[str, ...]
    seconds: tuple[float | None, ...]
    side_seconds: tuple[float, float]
    notes: Mapping[int, Note]
    outcome: Outcome | None
    notation: str | None = None
    white_won_first: bool | None = None
    is_winner_assumed: bool = False


@dataclass(frozen=True, slots=True)
class _Played:
    """The moves of a match; `plies` contains the ply that is reached after each word of the text.

    `positions` contains the start and the position after each move. For a match without times and notes, it
    may contain only the first and last position, because the others are not needed.
    """

    positions: Sequence[Position]
    moves: tuple[str, ...]
    plies: Sequence[int]
    notation: str | None


@dataclass(frozen=True, slots=True)
class Memory:
    """Cache of positions and moves that have been read from a text.

    It saves work because many matches begin in the same position, moves without tags are played once to
    find where a match ends and again to read it, and a match is read again if later matches show what
    its text means.
    """

    starts: dict[tuple[Game, str, str | None], list[Position]] = field(default_factory=dict)
    played: dict[tuple[object, ...], _Played] = field(default_factory=dict)
    problems: dict[tuple[object, ...], str] = field(default_factory=dict)


def read_match(
    match: MatchText,
    tags: Mapping[str, str],
    options: Mapping[str, str],
    load: LoadGame,
    defaults: Defaults = _NO_DEFAULTS,
    *,
    white_is_one: bool = False,
    memory: Memory | None = None,
) -> ReadMatch:
    """Check the moves and the result of a match, and fill in missing values.

    Parameters
    ----------
    match : MatchText
        The parts of the match's text.
    tags, options : mapping of str to str
        The tags of the match, and the options of the game.
    load : callable
        Returns the game.
    defaults : Defaults
        Values to use if the text does not give them.
    white_is_one : bool
        Read `1-0` as a win for White, even if White moved second.
    memory : Memory, optional
        Cache that matches of the same text share.

    Raises
    ------
    RecordError
        If a move cannot be made, the result contradicts the moves, or the game is unknown.
    BoardgamesError
        If the game cannot be loaded, or the start is not a position.
    """
    game, layout_tag = _load_game(tags, options, load, defaults)
    memory = Memory() if memory is None else memory
    starts = _starts(game, tags, layout_tag, memory)
    # our own records are always in the canonical notation
    notation = None if is_own(tags) else named_notation(game, tags)
    played = _played(starts, match, notation or defaults.notation, memory, is_own=is_own(tags))
    sides = _sides(game, played.positions[0])
    outcome, white_won_first = _outcome(match, tags, played, sides, white_is_one=white_is_one)
    names = _names(tags, sides)
    seconds, notes = _by_ply(match, played)
    return ReadMatch(
        game,
        str(played.positions[0]),
        names,
        played.moves,
        seconds,
        _side_seconds(seconds, played),
        notes,
        outcome,
        None if played.notation == game.facts.move_notations[0] else played.notation,
        white_won_first,
        not is_own(tags)
        and "White" in tags
        and not white_is_one
        and sides["White"] != played.positions[0].side_to_move
        and outcome is not None
        and outcome.winner is not None
        and played.positions[-1].outcome is None,
    )


def is_own(tags: Mapping[str, str]) -> bool:
    """Return True if a match has the tags that our own records always have."""
    return "Game" in tags and "Start" in tags


# --- the game and its start ---------------------------------------------------


def _load_game(
    tags: Mapping[str, str], options: Mapping[str, str], load: LoadGame, defaults: Defaults
) -> tuple[Game, str]:
    """Return the game, and the name of the tag that gave its layout or an empty string."""
    name = tags.get("Game", defaults.game)
    if not name:
        raise RecordError("the tag Game is missing; name the game with --game NAME")
    is_expected = name == defaults.game and not is_own(tags)
    given = {**defaults.options, **options} if is_expected else options
    if is_own(tags) or "Layout" in tags:
        return load(name, tags.get("Layout", ""), given), "Layout"
    for tag in ("Variant", "Position"):
        for layout in dict.fromkeys((tags.get(tag, ""), layout_name(tags.get(tag, "")))):
            if layout:
                with suppress(UnknownNameError, OptionError):
                    return load(name, layout, given), tag
    game = load(name, defaults.layout if is_expected else "", given)
    if (variant := layout_name(tags.get("Variant", ""))) not in ("", name, layout_name(game.facts.title)):
        known = suggest(variant, game.layout_names)
        raise RecordError(
            f"{name} has no layout {quote(tags['Variant'])}{known} (before ply 1, token "
            f"{quote(tags['Variant'])})"
        )
    return game, ""


def read_position(game: Game, text: str, notation: str | None = None) -> Position:
    """Return the position that a text describes in any of the game's notations.

    Parameters
    ----------
    notation : str, optional
        The notation for positions to try first.

    Raises
    ------
    PositionError
        If the text fits no notation, or means different positions in two notations.
    """
    if notation is not None:
        with suppress(PositionError):
            return game.parse(text, notation=notation)
    try:
        return game.parse(text)
    except PositionError as error:
        problem = error
    found: dict[Position, str] = {}
    for name in game.facts.position_notations[1:]:
        with suppress(PositionError):
            found.setdefault(game.parse(text, notation=name), name)
    if len(found) > 1:
        first, second = list(found.items())[:2]
        raise PositionError(
            f"the position can be read in two ways, {first[0]} ({first[1]}) or {second[0]} ({second[1]}); "
            "name the notation"
        )
    if found:
        return next(iter(found))
    examples = position_examples(game)
    if any(_looks_like(text, example) for example in examples.values()):
        raise problem
    forms = ", ".join(f"{name} {quote(_shortened(example))}" for name, example in examples.items())
    raise PositionError(f"{problem}; accepted notations: {forms}")


def position_notation(text: str, position: Position) -> str | None:
    """Return the notation in which the text of a position was read, or None if it is canonical.

    Moves from the start in the canonical notation for moves count as canonical, too.
    """
    game = position.game
    if position == game.start():
        return None
    for name in game.facts.position_notations:
        with suppress(PositionError):
            if game.parse(text, notation=name) == position:
                break
    else:
        return None
    with suppress(MoveError):
        if game.start().apply_moves(text, notation=game.facts.move_notations[0]) == position:
            return None
    return None if name == game.facts.position_notations[0] else name


def read_moves(start: Position, words: Sequence[str]) -> tuple[Sequence[Position], tuple[str, ...], str]:
    """Return the positions and moves that words describe, in any notation in which all moves are legal.

    Parameters
    ----------
    words : sequence of str
        The words of the text; a word may contain several moves if the game can split it.

    Returns
    -------
    positions : sequence of Position
        The start, and the position after each move.
    moves : tuple of str
        The moves in canonical notation.
    notation : str
        The first of the game's notations in which all words mean these moves; empty if there is none.

    Raises
    ------
    RecordError
        If a move cannot be made, or the words mean different moves in two notations.
    """
    played = _made((start,), MatchText(moves=list(words)), None, is_own=False)
    notation = played.notation or _notation_in(start, words, played.moves)
    return played.positions, played.moves, notation or ""


def without_examples(error: object) -> str:
    """Return the message of an error about a text, without the list of accepted notations."""
    return re.split("; (?:tried the notations|accepted notations:) ", str(error))[0]


@lru_cache(maxsize=32)  # a file with many errors has few games
def position_examples(game: Game) -> Mapping[str, str]:
    """Return an example position in each of the game's notations."""
    position = game.start()
    for _ in range(EXAMPLE_PLIES):
        if position.legal_moves:
            position = position.apply(position.legal_moves[len(position.legal_moves) // 2])
    examples = {}
    for notation in game.facts.position_notations:
        with suppress(PositionError):
            examples[notation] = game.format(position, notation=notation)
    return examples


def _looks_like(text: str, example: str) -> bool:
    """Return True if most characters of a text occur in an example; all digits count as equal."""
    written, known = (re.sub("[0-9]", "0", "".join(one.lower().split())) for one in (text, example))
    return sum(character in known for character in written) > LIKENESS * len(written)


def _shortened(example: str) -> str:
    flat = " ".join(example.split())
    return flat if len(flat) <= EXAMPLE_LENGTH else flat[: EXAMPLE_LENGTH - 3] + "..."


def layout_name(text: str) -> str:
    """Return the name of a layout as games spell it.

    Examples
    --------
    >>> layout_name("Belgian Daisy"), layout_name("german_daisy")
    ('belgian-daisy', 'german-daisy')
    """
    return "-".join(re.findall(r"[^\s_-]+", text.lower()))


def _starts(game: Game, tags: Mapping[str, str], layout_tag: str, memory: Memory) -> list[Position]:
    """Return the possible start positions: the given one, or those of the layout with either side to move."""
    text = next((tags[tag] for tag in START_TAGS if tag in tags and tag != layout_tag), None)
    key = game, game.layout, text
    if key not in memory.starts:
        if len(memory.starts) == MAX_STARTS:
            memory.starts.clear()
        memory.starts[key] = _possible_starts(game) if text is None else [read_position(game, text)]
    return memory.starts[key]


def _possible_starts(game: Game) -> list[Position]:
    start = game.start()
    with suppress(PositionError):
        return [start, game.edit_turn(start, 1 - start.side_to_move)]
    return [start]


# --- test sets for solvers -----------------------------------------------------


def split_score(line: str) -> tuple[str, float | None]:
    """Split a line into a position and its score, or return the line and None if there is no score.

    Examples
    --------
    >>> split_score("44455 2"), split_score("4 4 5"), split_score("44455")
    (('44455', 2.0), ('4 4 5', None), ('44455', None))
    """
    match = _TESTED.fullmatch(line)
    return (match[1], float(match[2])) if match else (line, None)


def check_no_test_set(text: str, game: Game) -> None:
    """Raise RecordError if most lines of a text have a position and its score, as in test sets for solvers.

    Only the first lines are examined.
    """
    lines = (line.partition("#")[0].strip() for line in text.split("\n"))
    sample = list(islice(filter(None, lines), MAX_SAMPLE))
    if 2 * sum(_is_tested(line, game) for line in sample) > len(sample):
        raise RecordError(
            "the lines are positions with scores, a test set for solvers; "
            f"`boardgames solve {game.facts.name} --file FILE` compares the scores"
        )


def _is_tested(line: str, game: Game) -> bool:
    """Return True if a line is a position with a score."""
    position, score = split_score(line)
    if score is None or len(position) < MIN_TESTED_LENGTH:
        return False
    with suppress(PositionError):
        game.parse(position)
        return True
    return False


# --- moves --------------------------------------------------------------------


def named_notation(game: Game, tags: Mapping[str, str]) -> str | None:
    """Return the notation of moves that the tag Notation names, or None if the game has no such notation."""
    named = layout_name(tags.get("Notation", ""))
    return named if named in game.facts.move_notations else None


def move_notations(matches: Iterable[tuple[MatchText, ReadMatch]]) -> list[str]:
    """Return the notations, other than the canonical one, in which the moves of matches were read.

    To save time, texts whose moves all have shapes seen before are skipped; so are texts that fit no
    single notation.
    """
    found: dict[str, None] = {}
    seen: set[str] = set()
    for match, read in matches:
        notation = read.notation
        if notation is None:
            seen.update(map(_shape, set(read.moves)))
            shapes = set(map(_shape, set(match.moves)))
            if shapes <= seen:
                continue
            seen |= shapes
            notation = _notation_in(read.game.parse(read.start), match.moves, read.moves)
        if notation not in (None, read.game.facts.move_notations[0]):
            found[notation] = None
    return list(found)


def other_notations(matches: Iterable[tuple[MatchText, ReadMatch]]) -> list[str]:
    """Return the notations in which the texts of all matches are also legal, but mean other moves.

    The matches have been read in the canonical notation of one game. In most files, a few moves suffice
    to rule out the other notations.
    """
    others: list[str] | None = None
    different: set[str] = set()
    starts: dict[tuple[Game, str], Position] = {}  # almost all matches of a file have the same start
    for match, read in matches:
        if others is None:
            others = list(read.game.facts.move_notations[1:])
        if not others:
            break
        begun = read.game, read.start
        if begun not in starts:
            starts[begun] = read.game.parse(read.start)
        for notation in tuple(others):
            try:
                moves = _play(starts[begun], match.moves, notation).moves
            except RecordError:
                others.remove(notation)
            else:
                different |= {notation} if moves != read.moves else set()
    return [notation for notation in others or () if notation in different]


def _shape(text: str) -> str:
    """Replace every digit of a text by `0` and every letter by `a`."""
    return re.sub("[A-Za-z]", "a", re.sub("[0-9]", "0", text))


def _notation_in(start: Position, words: Sequence[str], moves: tuple[str, ...]) -> str | None:
    """Return the first notation in which words mean these moves; None if there is none."""
    for notation in start.game.facts.move_notations:
        with suppress(RecordError):
            if _play(start, words, notation).moves == moves:
                return notation
    return None


def _played(
    starts: Sequence[Position], match: MatchText, notation: str | None, memory: Memory, *, is_own: bool
) -> _Played:
    """Return the moves of a match, from memory if they have been read before."""
    if len(match.moves) > MAX_PLIES:
        place = f"(ply {MAX_PLIES + 1:,}, token {quote(match.moves[MAX_PLIES])})"
        raise RecordError(f"more than {MAX_PLIES:,} moves {place}")
    if is_own or _has_times_or_notes(match):
        return _made(starts, match, notation, is_own=is_own)
    key = (*starts, notation, *match.moves)
    if key in memory.problems:
        raise RecordError(memory.problems[key])
    if key not in memory.played:
        try:
            played = _made(starts, match, notation, is_own=False)
        except RecordError as error:
            memory.problems[key] = str(error)
            raise
        memory.played[key] = replace(played, positions=(played.positions[0], played.positions[-1]))
    return memory.played[key]


def _made(starts: Sequence[Position], match: MatchText, notation: str | None, *, is_own: bool) -> _Played:
    """Read the moves in the given notation or, without one, in the only notation in which all are legal.

    Without a notation, the canonical notation is tried first, including other unambiguous spellings.
    """
    canonical, *others = starts[0].game.facts.move_notations
    try:
        return _play(starts[0], match.moves, notation)
    except RecordError as error:
        problem = error
    found: dict[tuple[str, ...], _Played] = {}
    tried = [notation] if notation is not None or is_own else [None, *others]
    for one in tried:
        for start in starts:
            if (one, start) == (notation, starts[0]):
                continue  # tried above
            with suppress(RecordError):
                played = _play(start, match.moves, one)
                found.setdefault(played.moves, played)
                break  # prefer the start in which the side to move is the usual one
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        first, second = list(found.values())[:2]
        shorter = min(len(first.moves), len(second.moves))
        at = next((i for i in range(shorter) if first.moves[i] != second.moves[i]), shorter - 1)
        raise RecordError(
            f"the moves can be read in two ways, {first.moves[at]} ({first.notation or canonical}) or "
            f"{second.moves[at]} ({second.notation or canonical}); name the notation (ply {at + 1}, token "
            f"{quote(match.moves[min(at, len(match.moves) - 1)])})"
        )
    if len(tried) > 1:
        raise RecordError(f"{problem}; tried the notations {_move_examples(starts[0])}")
    raise problem


@lru_cache(maxsize=32)  # a file with many errors has few starts
def _move_examples(position: Position) -> str:
    """Return the names of all move notations, each with an example that shows the differences."""
    game, notations = position.game, position.game.facts.move_notations
    moves = [
        [game.format_move(position, move, notation=notation) for notation in notations]
        for move in position.legal_moves[-MAX_EXAMPLES:]
    ]
    texts = max(moves, key=lambda texts: len(set(texts)), default=[""] * len(notations))
    return ", ".join(f"{name} {quote(text)}" for name, text in zip(notations, texts, strict=True))


def _play(start: Position, words: Sequence[str], notation: str | None, *, first_ply: int = 1) -> _Played:
    """Play one move for each word or, if that fails, the moves into which the game splits the words.

    Parameters
    ----------
    first_ply : int
        Ply of the first move, for messages; larger than 1 for a variation.

    Raises
    ------
    RecordError
        If a move cannot be made; the message names ply and token.
    """
    try:
        positions, moves = _make_moves(start, words, notation, first_ply)
        return _Played(positions, tuple(moves), range(1, len(words) + 1), notation)
    except RecordError:
        split = {word: start.game.split_moves(word, notation) for word in set(words)}
        parts = [split[word] for word in words]
        by_word = [part for word in parts for part in word]
        try:
            if by_word == list(words) or not by_word:
                raise
            positions, moves = _make_moves(start, by_word, notation, first_ply)
            plies = list(accumulate(map(len, parts)))
        except RecordError:  # a move may consist of several words
            whole = start.game.split_moves(" ".join(words), notation)
            if whole in (list(words), by_word) or not whole:
                raise
            positions, moves = _make_moves(start, whole, notation, first_ply)
            plies = list(range(1, len(whole) + 1))
    return _Played(positions, tuple(moves), plies if len(plies) == len(words) else [], notation)


def _make_moves(
    start: Position, words: Sequence[str], notation: str | None, first_ply: int
) -> tuple[list[Position], list[str]]:
    """Play one move for each word. If a word is ambiguous, the words after it decide.

    Raises
    ------
    RecordError
        If a move cannot be made, or the words can be read in two ways; the message names ply and token.
    """
    game = start.game
    begun: list[tuple[list[Position], list[str]]] = [([start], [])]
    found: tuple[list[Position], list[str]] | None = None
    problems: dict[tuple[str, ...], RecordError] = {}  # by the moves before the problem
    readings = 0
    while begun:
        positions, moves = begun.pop()
        while len(moves) < len(words):
            word = words[len(moves)]
            try:
                move = game.parse_move(positions[-1], word, notation=notation)
                position = positions[-1].apply(move)
            except MoveError as error:
                place = f"(ply {first_ply + len(moves)}, token {quote(word)})"
                problem = problems[tuple(moves)] = RecordError(f"{error} {place}")
                if isinstance(error, AmbiguousMoveError):
                    readings += len(error.moves)
                    if not error.moves:
                        raise problem from None
                    if readings > MAX_READINGS:
                        raise problems[min(problems, key=len)] from None
                    begun += [
                        ([*positions, positions[-1].apply(text)], [*moves, text])
                        for text in reversed(error.moves)
                    ]
                break
            positions.append(position)
            moves.append(move.text)
        else:
            if found is not None:
                same = next(
                    i for i, pair in enumerate(zip(found[1], moves, strict=True)) if pair[0] != pair[1]
                )
                raise problems[tuple(moves[:same])]
            found = positions, moves
    if found is None:
        raise problems[max(problems, key=len)]
    return found


def _has_times_or_notes(match: MatchText) -> bool:
    return bool(match.notes) or any(second is not None for second in match.seconds)


def _by_ply(match: MatchText, played: _Played) -> tuple[tuple[float | None, ...], Mapping[int, Note]]:
    """Return the times and notes of all plies, with the moves of variations in canonical notation."""
    if not _has_times_or_notes(match):
        return (None,) * len(played.moves), {}
    notes = _checked_notes(match.notes, played)
    seconds: list[float | None] = [None] * len(played.moves)
    for ply, second in zip(played.plies, match.seconds, strict=False):
        seconds[ply - 1] = second
    return tuple(seconds), notes


def _side_seconds(seconds: Sequence[float | None], played: _Played) -> tuple[float, float]:
    """Add up the times of each side, which may move twice in a row."""
    if not any(seconds):
        return 0.0, 0.0
    used: list[float] = [0, 0]
    for position, second in zip(played.positions, seconds, strict=False):  # nobody moved in the last position
        if second is not None:
            used[position.side_to_move] += second
    return used[0], used[1]


def _checked_notes(notes: Mapping[int, Note], played: _Played, *, first_ply: int = 1) -> dict[int, Note]:
    """Convert notes by word into notes by ply; `first_ply` is the ply of the first move.

    Raises
    ------
    RecordError
        If several words form one move, so that it is unclear which move a note is about.
    """
    if notes and played.moves and not played.plies:
        raise RecordError("there are comments or variations within moves that consist of several words")
    plies = (0, *played.plies)
    return {
        plies[word]: _checked_note(
            note,
            played.positions[max(plies[word] - 1, 0)],
            played.notation,
            first_ply=first_ply + plies[word] - 1,
        )
        for word, note in notes.items()
    }


def _checked_note(note: Note, before: Position, notation: str | None, *, first_ply: int) -> Note:
    """Return a note on the move of ply `first_ply`, which was made in the position `before`."""
    if not note.variations:
        return note
    variations = []
    for line in note.variations:
        try:
            played = _play(before, line.moves, notation, first_ply=first_ply)
        except RecordError as error:
            raise RecordError(f"in a variation: {error}") from None
        variations.append(Line(played.moves, _checked_notes(line.notes, played, first_ply=first_ply)))
    return replace(note, variations=tuple(variations))


# --- players and result --------------------------------------------------------


def _sides(game: Game, start: Position) -> Mapping[str, int]:
    """Return the sides that the tags White and Black refer to."""
    names = [name.lower() for name in game.facts.sides]
    if set(names) == {"white", "black"}:
        return {"White": names.index("white"), "Black": names.index("black")}
    return {"White": start.side_to_move, "Black": 1 - start.side_to_move}


def _names(tags: Mapping[str, str], sides: Mapping[str, int]) -> tuple[str, str]:
    names = ["?", "?"]
    for tag, side in (*sides.items(), ("First", 0), ("Second", 1)):
        names[side] = tags.get(tag, names[side])
    return names[0], names[1]


def _outcome(
    match: MatchText,
    tags: Mapping[str, str],
    played: _Played,
    sides: Mapping[str, int],
    *,
    white_is_one: bool,
) -> tuple[Outcome | None, bool | None]:
    """Return the outcome, and the value of `ReadMatch.white_won_first`."""
    start, last = played.positions[0], played.positions[-1]
    where = f"(ply {len(played.moves) + 1}, token {quote(match.result)})"
    if tags.get("Result", match.result) != match.result:
        raise RecordError(f"the result differs from the tag Result, {quote(tags['Result'])} {where}")
    termination = tags.get("Termination")
    if is_own(tags):
        return _own_outcome(match, termination, last, where), None
    if match.result == UNFINISHED:
        return last.outcome, None
    winner = WINNERS[match.result]
    is_at_limit = termination_of(termination) == Termination.PLY_LIMIT
    end = last.outcome_at_limit if last.outcome is None and is_at_limit else last.outcome
    if winner is None:
        if end is not None and end.winner is not None:
            raise RecordError(f"according to the rules, {_outcome_text(end, last)} {where}")
        drawn = end or Outcome(None, termination_of(termination))
        _check_end(drawn, last, where)
        return drawn, None
    by_move = winner if start.side_to_move == 0 else 1 - winner
    by_colour = sides["White"] if match.result == FIRST_WINS else sides["Black"]
    if end is not None:
        if end.winner not in (by_move, by_colour):
            raise RecordError(f"according to the rules, {_outcome_text(end, last)} {where}")
        return end, None if by_move == by_colour else end.winner == by_colour
    won = Outcome(by_colour if white_is_one else by_move, termination_of(termination))
    _check_end(won, last, where)
    return won, None


def _own_outcome(match: MatchText, termination: str | None, last: Position, where: str) -> Outcome | None:
    """Return the outcome of one of our own records, which name the termination."""
    if match.result == UNFINISHED:
        if termination is not None and termination in _REASONS:
            raise RecordError(f"an unfinished match cannot have the termination {quote(termination)} {where}")
        outcome = None
    elif termination is None:
        raise RecordError(f"the tag Termination is missing {where}")
    else:
        if termination not in _REASONS and not is_foreign_termination(termination):
            hint = suggest(termination, _REASONS)
            raise RecordError(f"no such termination {quote(termination)}{hint} {where}")
        outcome = Outcome(WINNERS[match.result], termination_of(termination))
        if termination not in _REASONS and last.outcome is not None:
            outcome = replace(last.outcome, winner=outcome.winner)
    _check_end(outcome, last, where)
    return outcome


def _check_end(outcome: Outcome | None, last: Position, where: str) -> None:
    """Raise RecordError if the outcome contradicts what the rules say about the last position."""
    ended = outcome is not None and outcome.termination in BY_POSITION
    if (ended or last.outcome is not None) and last.outcome != outcome:
        raise RecordError(f"according to the rules, {_outcome_text(last.outcome, last)} {where}")
    if outcome is not None and outcome.termination == Termination.PLY_LIMIT:
        expected = last.outcome_at_limit
        if outcome != expected:
            text = expected.describe(last.game.facts.sides)
            raise RecordError(f"according to the rules, the result is {text!r} {where}")


def termination_of(text: str | None) -> Termination:
    """Return why a match ended, given the text of the tag Termination.

    Examples
    --------
    >>> [termination_of(text).value for text in ("resignation", "White lost on time", "Normal")]
    ['resignation', 'time', 'unknown']
    """
    if text in _REASONS:
        return Termination(text)
    words = (text or "").lower()
    if words != "abandoned":
        for part, reason in _TERMINATIONS.items():
            if part in words:
                return reason
    return Termination.UNKNOWN


@lru_cache(maxsize=1_000)  # a file with many matches has few different texts
def is_foreign_termination(text: str) -> bool:
    """Return True if a text is another program's termination: not one of ours, nor a misspelling of one."""
    return bool(text) and (" " in text or not get_close_matches(text, _REASONS))


def _outcome_text(outcome: Outcome | None, last: Position) -> str:
    if outcome is None:
        return "the match is not over"
    return f"the result is {outcome.describe(last.game.facts.sides)!r}"


# --- moves without tags ----------------------------------------------------------


def plain_matches(
    text: str, load: Callable[[str], Game], notation: str | None = None, memory: Memory | None = None
) -> Iterator[MatchText]:
    """Yield the matches of a text that consists of moves, with or without numbers.

    Matches are separated by empty lines, or each match is on its own line. A line with the name of a
    layout applies to the matches after it; matches after an unknown name cannot be read. Instead of
    moves, a text may also contain all positions of one match.

    Parameters
    ----------
    load : callable
        Takes the name of a layout and returns the game; an empty name stands for the default layout.
    notation : str, optional
        The notation of the moves.
    memory : Memory, optional
        Cache of the moves that have been read, for `read_match`.

    Raises
    ------
    RecordError
        If the text contains the positions of a match, and one of them cannot be read or reached by one move.
    """
    memory = Memory() if memory is None else memory
    for positions in (text.split("\n"), re.split(r"\n\s*\n", text)):
        if match := _match_of_positions(list(filter(None, map(str.strip, positions))), load(""), memory):
            yield match
            return
    yield from _matches_of_moves(text, load, notation, memory)


def _matches_of_moves(
    text: str, load: Callable[[str], Game], notation: str | None, memory: Memory
) -> Iterator[MatchText]:
    """Yield the matches of a text that consists of moves; for the parameters see `plain_matches`."""
    layout, game, unknown = "", load(""), ""
    for block in re.split(r"\n\s*\n", _COMMENT.sub(" ", text)):
        lines: list[str] = []
        for line in [*filter(None, map(str.strip, block.split("\n"))), ""]:
            named = _layout_in(line, game, load) if line else None
            if (named is not None or not line) and lines:
                for words in _divided(lines, game, notation, memory):
                    yield _plain_match(words, layout, game, notation)
                lines, unknown = [], ""
            if named is not None:
                layout, game = named.layout, named
            elif not lines and _WORDS.fullmatch(line) and not _is_match(line, game, notation, memory):
                if unknown:
                    yield _plain_match(unknown, "", game, notation)
                layout = unknown = line  # no such layout: the matches after it cannot be read
            elif line:
                lines.append(line)
    if unknown:  # no match follows, so this is not a layout either
        yield _plain_match(unknown, "", game, notation)


def _match_of_positions(texts: list[str], game: Game, memory: Memory) -> MatchText | None:
    """Return the match whose positions are listed, or None if the texts do not begin like such a match."""
    if len(texts) < 2:
        return None
    try:
        first, second = (read_position(game, text) for text in texts[:2])
    except PositionError:
        return None
    if _move_between(first, second) is None or _is_match(texts[0], game, None, memory):
        return None
    position, moves = first, list[str]()
    for number, text in enumerate(texts[1:], start=2):
        try:
            following = read_position(game, text)
        except PositionError as error:
            raise RecordError(f"position {number} of the match: {error}") from None
        if (move := _move_between(position, following)) is None:
            raise RecordError(f"position {number} of the match cannot be reached by one move")
        position = following
        moves.append(move)
    return MatchText([("Start", str(first))], moves, [None] * len(moves), UNFINISHED)


def _move_between(before: Position, after: Position) -> str | None:
    """Return the move that leads from one position to another, or None if there is none."""
    found = (move.text for move in before.legal_moves if before.apply_action(move.action) == after)
    return next(found, None)


def _layout_in(line: str, game: Game, load: Callable[[str], Game]) -> Game | None:
    """Return the game with the layout that a line names, or None if the line names no layout."""
    if any(mark in line for mark in ".0123456789") and layout_name(line) not in game.layout_names:
        return None
    try:
        return load(layout_name(line))
    except (UnknownNameError, OptionError):
        return None


def _divided(lines: list[str], game: Game, notation: str | None, memory: Memory) -> list[str]:
    """Join the lines of a block into one text for each match."""
    if any(_MOVE_NUMBER.match(line) for line in lines):
        matches: list[str] = []
        for line in lines:
            if not matches or re.match(r"1\.(?!\.)", line):
                matches.append(line)
            else:
                matches[-1] += f" {line}"
        return matches
    if len(lines) == 1 or all(_is_match(line, game, notation, memory) for line in lines[:MAX_SAMPLE]):
        has_one_move_each = all(len(_plain_match(line, "", game, notation).moves) == 1 for line in lines)
        whole = " ".join(lines)
        return [whole] if has_one_move_each and _is_match(whole, game, notation, memory) else lines
    whole = " ".join(lines)
    return [whole] if _is_match(whole, game, notation, memory) else lines


def _is_match(text: str, game: Game, notation: str | None, memory: Memory) -> bool:
    """Return True if a text consists of legal moves from the start of the game's layout."""
    match = _plain_match(text, "", game, notation)
    try:
        _played(_starts(game, {}, "", memory), match, notation, memory, is_own=False)
    except RecordError:
        return False
    return True


def _plain_match(text: str, layout: str, game: Game, notation: str | None) -> MatchText:
    words = game.split_moves(_MOVE_NUMBER.sub(" ", text), notation)
    result = words.pop() if words and words[-1] in RESULTS else UNFINISHED
    tags = [("Layout", layout)] if layout else []
    return MatchText(tags, words, [None] * len(words), result)
