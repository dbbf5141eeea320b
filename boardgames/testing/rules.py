"""Checks of the kernels against their contract, the table in DESIGN.md.

Every check is a generator: it gives a message for each fault and returns what
it covered, in words.
"""

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
from boardgames.game import Game, Outcome, Position, Termination
from boardgames.kernels import JIT, Words
from boardgames.kernels.abi import check_kernel
from boardgames.search.perft import perft
from boardgames.testing.report import counted
from boardgames.testing.sample import (
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
    return f"{len(sample.words)} positions, {evaluation.name} in {evaluation.unit}; move order"


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
