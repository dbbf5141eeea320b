"""Checks of the kernels against their contract, the table in DESIGN.md.

Every check is a generator: it gives a message for each fault and returns what
it covered, in words.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np

from boardgames.declarations import (
    NO_EVALUATION,
    SIGNATURES,
    FeatureSet,
    Symmetry,
    no_tactical_moves,
    position_key,
)
from boardgames.errors import AmbiguousMoveError, MoveError, PositionError
from boardgames.game import Game, Move, Outcome, Position, Termination
from boardgames.kernels import JIT, Words
from boardgames.kernels.abi import check_kernel
from boardgames.picture import Picture
from boardgames.search.perft import perft
from boardgames.testing.sampling import (
    FILLS,
    Sample,
    Written,
    is_sound,
    ply_bound,
    told,
    write_moves,
    write_successor,
)

Checking = Generator[str, None, str]
"""Messages of faults; at the end what was covered."""

LEAVES = 3_000_000 if JIT else 3_000
FULLY_MAPPED = 10
RANGE_SLACK = 1e-9
LARGEST_RANK = 1 << 40
"""Of `move_order`: search puts other orders above it."""

BAD_TEXTS = ("", " ", "?", "-1", "nonsense", "\x00", "ſ½", "9" * 30, ":" * 9, "a b", "x" * 300)
MUTATIONS = 20
NAMED_EVERY = 4
PRINTABLE = (32, 127)
BEYOND_ASCII = (160, 1000)


def check_signatures(game: Game) -> Checking:
    """See that kernels have the signatures of their places, before one is called."""
    for name, signature in SIGNATURES.items():
        try:
            check_kernel(name, getattr(game.kernels, name, None), signature)
        except TypeError as error:
            yield str(error)
    return f"{len(SIGNATURES)} kernels"


def check_facts(game: Game) -> Checking:
    """See that there is a layout and a notation; `Facts` has checked the numbers."""
    facts = game.facts
    for name in ("layouts", "move_notations", "position_notations"):
        if not getattr(facts, name):
            yield f"expected something declared as {name}: {getattr(facts, name)!r}"
    return f"{facts.words} words, {facts.actions} actions, {counted(len(facts.layouts), 'layout')}"


def check_playouts(sample: Sample) -> Checking:
    """See that matches end, within `longest_match` plies if that is declared."""
    longest = sample.game.facts.longest_match
    for walk in sample.walks:
        if walk.fault:
            yield f"a match from {walk.layout!r} broke off at ply {len(walk.steps)}: {walk.fault}"
        elif longest is not None and len(walk.steps) - 1 > longest:
            end = told(sample.game, walk.steps[-1].words)
            yield f"expected at most {longest} plies: {len(walk.steps) - 1} from {walk.layout!r} to {end}"
    ended = sum(walk.has_ended for walk in sample.walks)
    return f"{ended} of {len(sample.walks)} matches ended within {ply_bound(sample.game)} plies"


def check_actions(sample: Sample) -> Checking:
    """See that `legal_moves` writes distinct actions, ascending, in range, and no more."""
    game, count = sample.game, 0
    for words in sample.words:
        written = write_moves(game, words)
        for fault in _unsound(game.facts.actions, written):
            yield f"{fault} in {told(game, words)}"
        count += len(written.actions)
    return f"{len(sample.words)} positions, {count} actions"


def check_apply(sample: Sample) -> Checking:
    """See that `apply` writes all of the successor and nothing beyond it."""
    game, count = sample.game, 0
    for words, action in _plies(sample):
        one, is_clean = write_successor(game, words, action, FILLS[0])
        other, _ = write_successor(game, words, action, FILLS[1])
        if not np.array_equal(one, other):
            yield f"apply leaves words of the successor unwritten: action {action} in {told(game, words)}"
        if not is_clean:
            yield f"apply writes beyond the successor: action {action} in {told(game, words)}"
        count += 1
    return f"{count} moves"


def check_inputs(sample: Sample) -> Checking:
    """See that no kernel touches the position that it is given."""
    for words in sample.words:
        for name, call in _calls(sample.game, words):
            given = words.copy()
            call(given)
            if given.tobytes() != words.tobytes():
                yield f"{name} changes the position that it is given: {told(sample.game, words)}"
    return f"{len(sample.words)} positions"


def check_purity(sample: Sample) -> Checking:
    """Ask twice, with other rubbish in the buffers: answers must be equal."""
    game = sample.game
    for words in sample.words:
        if write_moves(game, words, FILLS[0]).actions != write_moves(game, words, FILLS[1]).actions:
            yield f"legal_moves depends on what the buffer held: {told(game, words)}"
        for name, call in _calls(game, words):
            if _same(call(words.copy()), call(words.copy())):
                continue
            yield f"{name} gives two answers for {told(game, words)}"
    return f"{len(sample.words)} positions"


def check_outcomes(sample: Sample) -> Checking:
    """See that outcome codes are -1 to 2, nobody moves after the end, and returns agree."""
    game, over = sample.game, 0
    for words in sample.words:
        code = int(game.kernels.outcome(words.copy()))
        written = write_moves(game, words)
        if not -1 <= code <= 2:
            yield f"expected an outcome of -1 to 2: {code} in {told(game, words)}"
            continue
        if code >= 0 and written.actions:
            yield f"expected no move after the end: {len(written.actions)} in {told(game, words)}"
        expected = _expected_outcome(game, code, written.actions, words)
        found = Position(game, words.copy()).outcome
        if found != expected or (found is not None and found.returns != _returns(found)):
            yield f"expected the outcome {expected}: {found} in {told(game, words)}"
        over += expected is not None
    return f"{len(sample.words)} positions, {over} at the end"


def check_sides(sample: Sample) -> Checking:
    """See that the side to move is 0 or 1, and changes every ply if the game alternates."""
    game, count, repeats = sample.game, 0, 0
    for walk in sample.walks:
        going_on = [step for step in walk.steps if step.outcome < 0]
        for step in going_on:
            if step.side not in (0, 1):
                yield f"expected side 0 or 1 to move: {step.side} in {told(game, step.words)}"
        for before, after in pairwise(going_on):
            count += 1
            repeats += before.side == after.side
            if before.side == after.side and game.facts.alternates:
                where = told(game, after.words)
                yield f"side {after.side} moves twice in a row, but the game alternates: {where}"
    return f"{count} plies, {repeats} by the same side as before"


def check_evaluation(sample: Sample) -> Checking:
    """See that values are finite and within their bound, and ranks of moves within theirs."""
    game, evaluation = sample.game, sample.game.evaluation
    for words, action in _plies(sample):
        rank = int(game.kernels.move_order(words.copy(), action))
        if abs(rank) > LARGEST_RANK:
            yield f"expected a rank within ±2^40: {rank} of action {action} in {told(game, words)}"
    if evaluation is NO_EVALUATION:
        return "no evaluation; move order"
    for words in sample.words:
        value = float(evaluation.kernel(words.copy(), evaluation.weights))
        if not abs(value) <= evaluation.bound:
            yield f"expected a value within ±{evaluation.bound:g}: {value!r} in {told(game, words)}"
    return f"{len(sample.words)} positions, {evaluation.name} in {evaluation.unit.label}; move order"


def check_features(sample: Sample, feature_sets: tuple[FeatureSet, ...]) -> Checking:
    """See that features stay within their declared ranges, for both sides."""
    for feature_set in feature_sets:
        for words in sample.words:
            for side in (0, 1):
                out = np.full(len(feature_set.features), np.nan)
                feature_set.kernel(words.copy(), side, out)
                for feature, value in zip(feature_set.features, out.tolist(), strict=True):
                    if not feature.low - RANGE_SLACK <= value <= feature.high + RANGE_SLACK:
                        span = f"{feature.low:g} to {feature.high:g}"
                        where = told(sample.game, words)
                        yield f"expected {feature_set.name} {feature.name} {span}: {value!r} in {where}"
    names = ", ".join(feature_set.name for feature_set in feature_sets)
    return f"{len(sample.words)} positions: {names}" if names else "no features"


def check_symmetries(sample: Sample) -> Checking:
    """See that legal moves, successors, sides and outcomes commute with the symmetries."""
    symmetries = sample.game.symmetries()
    if not symmetries:
        return "none declared"
    for number, words in enumerate(sample.words):
        several = number < FULLY_MAPPED
        for symmetry in symmetries if several else [symmetries[number % len(symmetries)]]:
            yield from _asymmetries(sample.game, symmetry, words)
    return f"{len(sample.words)} positions, {len(symmetries)} declared"


def check_tactical(sample: Sample) -> Checking:
    """See that tactical moves are legal ones, ascending; what the buffer has behind them is nobody's."""
    game, count = sample.game, 0
    if game.kernels.tactical_moves is no_tactical_moves:
        return "none named"
    for words in sample.words:
        written = write_moves(game, words, name="tactical_moves")
        for fault in _unsound(game.facts.actions, replace(written, is_clean=True)):
            yield f"{fault}, tactical, in {told(game, words)}"
        others = sorted(set(written.actions) - set(write_moves(game, words).actions))
        if others:
            yield f"expected tactical moves to be legal: {others} in {told(game, words)}"
        count += len(written.actions)
    return f"{len(sample.words)} positions, {count} tactical moves"


def check_keys(sample: Sample) -> Checking:
    """See that symmetric positions have one key, and that no other positions share it."""
    game, key = sample.game, sample.game.kernels.symmetric_key
    if key is position_key:
        return "the key of all words"
    kept = [symmetry for symmetry in game.symmetries() if not symmetry.swaps_sides]
    known: dict[int, Words] = {}
    for words in sample.words:
        found = int(key(words.copy()))
        for symmetry in kept:
            if int(key(symmetry.words(words.copy()))) != found:
                yield f"symmetric_key differs under {symmetry.name}: {told(game, words)}"
        other = known.setdefault(found, words)
        if not np.array_equal(other, words) and not _are_symmetric(kept, words, other):
            yield f"symmetric_key is one for {told(game, words)} and {told(game, other)}"
    return f"{len(sample.words)} positions under {counted(len(kept), 'map')}"


def check_perft(game: Game, depth: int | None) -> Checking:
    """Count the leaves of declared perfts, as deep as `depth` and a few million go."""
    covered = []
    for text, counts in game.facts.perft.items():
        position = game.parse(text)
        for ply, expected in enumerate(counts[:depth], start=1):
            if ply > 1 and expected > LEAVES:
                break
            found = perft(position, ply)
            if found != expected:
                yield f"expected {expected} leaves at depth {ply}: {found} from {text!r}"
            covered.append(ply)
    if not covered:
        return "none declared"
    return f"{counted(len(game.facts.perft), 'position')}, to depth {max(covered)}"


def _are_symmetric(symmetries: list[Symmetry], words: Words, other: Words) -> bool:
    """Say whether symmetries, one after another, take a position to another one."""
    reached, left = {words.tobytes()}, [words]
    while left:
        image = left.pop()
        for symmetry in symmetries:
            following = symmetry.words(image.copy())
            if following.tobytes() not in reached:
                reached.add(following.tobytes())
                left.append(following)
    return other.tobytes() in reached


def _unsound(size: int, written: Written) -> Iterator[str]:
    if not 0 <= written.count <= size:
        yield f"expected a count of 0 to {size}: {written.count}"
    elif not written.is_clean:
        yield f"expected nothing written beyond the {written.count} actions that are counted"
    if any(first >= second for first, second in pairwise(written.actions)):
        yield f"expected ascending, distinct actions: {list(written.actions)}"
    if any(not 0 <= action < size for action in written.actions):
        yield f"expected actions 0 to {size - 1}: {list(written.actions)}"


def _plies(sample: Sample) -> Iterator[tuple[Words, int]]:
    """Give every legal move of every sampled position whose actions can be applied."""
    for words in sample.words:
        written = write_moves(sample.game, words)
        if is_sound(sample.game, written):
            for action in written.actions:
                yield words, action


def _calls(game: Game, words: Words) -> Iterator[tuple[str, Callable[[Words], object]]]:
    """Name the kernels and give a call of each on a position, the buffer new each time."""
    kernels, evaluation, facts = game.kernels, game.evaluation, game.facts
    yield "side_to_move", kernels.side_to_move
    yield "outcome", kernels.outcome
    yield "evaluate", lambda given: evaluation.kernel(given, evaluation.weights)

    def moves(given: Words) -> object:
        buffer = np.zeros(facts.actions, dtype=np.int64)
        return buffer[: kernels.legal_moves(given, buffer)].tolist()

    def tactical(given: Words) -> object:
        buffer = np.zeros(facts.actions, dtype=np.int64)
        return buffer[: kernels.tactical_moves(given, buffer)].tolist()

    yield "legal_moves", moves
    yield "tactical_moves", tactical
    yield "symmetric_key", kernels.symmetric_key
    written = write_moves(game, words)
    if not is_sound(game, written):
        return
    for action in written.actions:
        yield "apply", partial(_successor, game, action)
    for action in written.actions:
        yield "move_order", partial(_order, game, action)


def _successor(game: Game, action: int, words: Words) -> object:
    buffer = np.zeros(game.facts.words, dtype=np.uint64)
    game.kernels.apply(words, action, buffer)
    return buffer.tolist()


def _order(game: Game, action: int, words: Words) -> object:
    return game.kernels.move_order(words, action)


def _same(first: object, second: object) -> bool:
    return repr(first) == repr(second)  # as texts, two NaN are equal


def _expected_outcome(game: Game, code: int, actions: tuple[int, ...], words: Words) -> Outcome | None:
    if code >= 0:
        return Outcome(code if code < 2 else None, Termination.RULES)
    if actions:
        return None
    loser = int(game.kernels.side_to_move(words.copy()))
    return Outcome(None if game.facts.no_moves_draws else 1 - loser, Termination.NO_MOVES)


def _returns(outcome: Outcome) -> tuple[float, float]:
    return {None: (0.0, 0.0), 0: (1.0, -1.0), 1: (-1.0, 1.0)}[outcome.winner]


def _asymmetries(game: Game, symmetry: Symmetry, words: Words) -> Iterator[str]:
    for fault in _differences(game, symmetry, words):
        yield f"{fault} under {symmetry.name}: {told(game, words)}"


def _differences(game: Game, symmetry: Symmetry, words: Words) -> Iterator[str]:
    image = symmetry.words(words.copy())
    game.check_words(image)
    written = write_moves(game, words)
    if not is_sound(game, written):
        return
    images = {action: int(symmetry.action(words.copy(), action)) for action in written.actions}
    if sorted(images.values()) != sorted(write_moves(game, image).actions):
        yield "legal moves differ"
        return
    for action, mapped in images.items():
        successor, _ = write_successor(game, words, action)
        expected, _ = write_successor(game, image, mapped)
        if not np.array_equal(symmetry.words(successor), expected):
            yield f"the successors of action {action} differ"
    code, mapped_code = int(game.kernels.outcome(words.copy())), int(game.kernels.outcome(image.copy()))
    side, mapped_side = (int(game.kernels.side_to_move(given.copy())) for given in (words, image))
    if mapped_code != (1 - code if symmetry.swaps_sides and code in (0, 1) else code):
        yield f"outcomes {code} and {mapped_code} differ"
    if code < 0 and mapped_side != (1 - side if symmetry.swaps_sides else side):
        yield f"sides to move {side} and {mapped_side} differ"


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


def counted(count: int, noun: str) -> str:
    """Return `1 check` or `2 checks`: the number and its noun.

    Examples
    --------
    >>> counted(2, "check")
    '2 checks'
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
