"""Checks of a game's checked face: notations, packed words, pictures, score."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from boardgames.errors import AmbiguousMoveError, MoveError, PositionError
from boardgames.game import Game, Move, Position
from boardgames.picture import Picture
from boardgames.testing.rules import Checking
from boardgames.testing.sample import Sample, told

BAD_TEXTS = ("", " ", "?", "-1", "nonsense", "\x00", "ſ½", "9" * 30, ":" * 9, "a b", "x" * 300)
MUTATIONS = 20
NAMED_EVERY = 4
PRINTABLE = (32, 127)
BEYOND_ASCII = (160, 1000)


def check_move_notation(sample: Sample) -> Checking:
    """Read the text of every legal move back, in every notation, to the move or a named ambiguity."""
    game, count = sample.game, 0
    for number, position in enumerate(sample.positions()):
        texts = [move.text for move in position.legal_moves]
        for text, times in Counter(texts).items():
            if times > 1:
                yield f"expected one move a text: {text!r} names {times} in {told(game, position.words)}"
        # a default parser compares all texts, so named notations are read in some positions only
        for notation in (None, *(game.facts.move_notations if number % NAMED_EVERY == 0 else ())):
            for move in position.legal_moves:
                for fault in _unread_move(position, move, notation):
                    yield f"{fault} (as {notation or 'canonical'} in {told(game, position.words)})"
                count += 1
    return f"{count} texts in {', '.join(game.facts.move_notations)}"


def check_position_notation(sample: Sample) -> Checking:
    """Read the text of every position back, in every notation."""
    game, count = sample.game, 0
    for position in sample.positions():
        for notation in (None, *game.facts.position_notations):
            text = game.format(position, notation=notation)
            is_canonical = notation in (None, game.facts.position_notations[0])
            if is_canonical and (not text or text.split() != [text]):
                yield f"expected the text of a position without spaces: {text!r}"
            try:
                back = game.parse(text, notation=notation)
            except PositionError as error:
                yield f"a reached position is refused as {notation or 'canonical'}: {error}"
                continue
            if back != position:
                yield f"{text!r} reads as another position: {told(game, back.words)}"
            count += 1
    return f"{count} texts in {', '.join(game.facts.position_notations)}"


def check_words(sample: Sample) -> Checking:
    """Pack and unpack reached positions; offer words of another length."""
    game = sample.game
    for position in sample.positions():
        try:
            back = game.unpack(game.pack(position))
        except PositionError as error:
            yield f"check_words refuses a reached position: {error}"
            continue
        if back != position or hash(back) != hash(position):
            yield f"unpacking gives another position: {told(game, position.words)}"
    try:
        game.unpack(np.zeros(game.facts.words + 1, dtype=np.uint64))
        yield f"words of length {game.facts.words + 1} are taken for a position"
    except PositionError:
        pass
    return f"{len(sample.words)} positions"


def check_bad_input(sample: Sample) -> Checking:
    """Give bad texts for positions and moves: each must make a value or the error for it."""
    game, generator = sample.game, np.random.default_rng(sample.seed)
    for position in list(sample.positions())[:MUTATIONS]:
        move_texts = [move.text for move in position.legal_moves]
        for text in (*BAD_TEXTS, *_mutated(str(position), generator)):
            yield from _other_error(game, text, None)
        for text in (*BAD_TEXTS, *(bad for good in move_texts[:5] for bad in _mutated(good, generator))):
            yield from _other_error(game, text, position)
    return f"{len(BAD_TEXTS)} bad texts and changed good ones"


def check_pictures(sample: Sample) -> Checking:
    """See that pictures have unique ids, and clicks for each legal move and no other."""
    count = 0
    for position in sample.positions():
        picture = position.picture()
        where = f"in {told(sample.game, position.words)}"
        for fault in (*_bad_ids(picture), *_bad_clicks(picture, position)):
            yield f"{fault} {where}"
        count += len(picture.clicks)
    return f"{len(sample.words)} pictures, {count} moves"


def check_score(sample: Sample) -> Checking:
    """See that the score is a pair of integers."""
    for position in sample.positions():
        score = position.score
        if len(score) != 2 or any(type(points) is not int for points in score):
            yield f"expected a score of two integers: {score!r} in {told(sample.game, position.words)}"
    return sample.game.facts.score_name or "no score"


def _unread_move(position: Position, move: Move, notation: str | None) -> Iterator[str]:
    game = position.game
    text = game.format_move(position, move, notation=notation)
    if not text or text.split() != [text]:
        yield f"expected the text of a move without spaces: {text!r}"
    try:
        back = game.parse_move(position, text, notation=notation)
    except AmbiguousMoveError as error:
        if notation in (None, game.facts.move_notations[0]):
            yield f"a legal move's text is ambiguous: {error}"
        elif sum(other.text in str(error) for other in position.legal_moves) < 2:
            yield f"expected an ambiguity error that names both moves: {error}"
        return
    except MoveError as error:
        yield f"a legal move's text is refused: {error}"
        return
    if back.action != move.action:
        yield f"{text!r} reads as action {back.action} and not {move.action}"


def _other_error(game: Game, text: str, position: Position | None) -> Iterator[str]:
    what, expected = ("position", PositionError) if position is None else ("move", MoveError)
    try:
        if position is None:
            game.parse(text)
        else:
            game.parse_move(position, text)
    except Exception as error:  # noqa: BLE001 - that nothing else is raised is the claim
        if not isinstance(error, expected):
            yield f"expected a value or {expected.__name__} for the {what} {text!r}: {error!r}"


def _mutated(text: str, generator: np.random.Generator) -> Iterator[str]:
    """Give the text with a character removed, one doubled, one replaced and the end cut off."""
    place = int(generator.integers(len(text))) if text else 0
    other = chr(int(generator.integers(*PRINTABLE if generator.integers(2) else BEYOND_ASCII)))
    yield text[:place] + text[place + 1 :]
    yield text[:place] + text[place : place + 1] + text[place:]
    yield text[:place] + other + text[place + 1 :]
    yield text[:place]


def _bad_ids(picture: Picture) -> Iterator[str]:
    cells = [cell.id for cell in picture.cells]
    for name, times in Counter([*cells, *(line.id for line in picture.lines)]).items():
        if times > 1:
            yield f"expected ids once: {name!r} comes {times} times"
        if not name or name.split() != [name]:
            yield f"expected an id without spaces: {name!r}"
    for piece in picture.pieces:
        if piece.cell not in cells or piece.side not in (0, 1):
            yield f"expected a piece of side 0 or 1 on a cell: {piece!r}"


def _bad_clicks(picture: Picture, position: Position) -> Iterator[str]:
    legal = {move.text for move in position.legal_moves}
    for text in sorted(legal ^ picture.clicks.keys()):
        yield f"no clicks make {text!r}" if text in legal else f"clicks make no legal move: {text!r}"
    ids = {cell.id for cell in picture.cells} | {line.id for line in picture.lines}
    sequences = []
    for text, choices in picture.clicks.items():
        if not choices or not all(choices):
            yield f"expected clicks for {text!r}: {choices!r}"
        for unknown in sorted({name for clicks in choices for name in clicks} - ids):
            yield f"clicks for {text!r} name an id that is not drawn: {unknown!r}"
        sequences += [tuple(clicks) for clicks in choices]
    # in sorted order a sequence stands right before those that it begins
    for first, second in pairwise(sorted(sequences)):
        if second[: len(first)] == first:
            yield f"expected clicks that begin no others: {first!r} and {second!r}"
