"""The checks that `check_game` runs: kernels, notations, packed words, pictures, evaluation, perft.

The contract of the kernels is the table in DESIGN.md. Each check is a generator
that yields a message for each fault and returns a description of what it covered.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from boardgames.declarations import (
    NO_EVALUATION,
    NO_REPETITION,
    SIGNATURES,
    Exercise,
    FeatureSet,
    Symmetry,
    no_tactical_moves,
    position_key,
)
from boardgames.errors import (
    AmbiguousMoveError,
    BoardgamesError,
    MoveError,
    OptionError,
    PluginError,
    PositionError,
    quote,
)
from boardgames.game import DRAWN, Game, Move, Outcome, Position, Termination, observation_of
from boardgames.kernels import JIT, Actions, Observe, Words
from boardgames.kernels.abi import check_kernel
from boardgames.kernels.plain import plain_kernel
from boardgames.observation import Observation, of_words, place_images
from boardgames.patterns import PatternSet
from boardgames.picture import Direction, Flip, Frame, Overlay, Picture
from boardgames.players.alphabeta import WEIGHTS
from boardgames.plugins import close_player, load_overlay, load_player, overlay_names, registry
from boardgames.puzzles import exercise_game, puzzle_kinds, ready_puzzles
from boardgames.repetition import allowed_actions, outcome_after
from boardgames.score import RETURN
from boardgames.search.perft import perft
from boardgames.search.remembering import remembering
from boardgames.testing.sampling import (
    FILLS,
    Fault,
    Sample,
    WrittenMoves,
    is_repeatable,
    is_sound,
    place,
    ply_bound,
    selected,
    write_moves,
    write_successor,
)
from boardgames.weights.linear import WEIGHTED_SUM

RunningCheck = Generator["Fault | str", None, str]
"""A check that is running: it yields faults, and returns a description of what it covered."""

MAX_LEAVES = 3_000_000 if JIT else 3_000
RANGE_TOLERANCE = 1e-9
MAX_RANK = 1 << 40
"""The largest rank that `move_order` may return; search uses larger values for its own ranks."""

MALFORMED_TEXTS = ("", " ", "?", "-1", "nonsense", "\x00", "ſ½", "9" * 30, ":" * 9, "a b", "x" * 300)
REMEMBERED_PLIES = 150
"""Number of plies of a match for which a rule about repetition is checked."""
MUTATED_POSITIONS = 20
OVERLAID_POSITIONS = 20
"""Number of positions in which overlays are checked; an overlay may need a search, which takes time."""
NOTATION_INTERVAL = 4
"""Named notations are checked in every fourth position and for every new action, as parsing can be slow."""
RESERVED_UNITS = {unit.name: unit for unit in (RETURN, WEIGHTED_SUM)}
"""Units that the core declares, by name."""
PRINTABLE = (32, 127)
MIN_VALUES = 20
"""Minimum number of values for which their distribution is checked."""
NEAR_BOUND, MOST_AT_BOUND = 0.99, 0.8
"""Share of the bound from which a value counts as extreme, and maximum share of extreme values."""
BEYOND_ASCII = (160, 1000)


def check_signatures(game: Game) -> RunningCheck:
    """Check the signatures of the kernels, before any is called."""
    for name, signature in SIGNATURES.items():
        try:
            check_kernel(name, getattr(game.kernels, name, None), signature)
        except TypeError as error:
            yield str(error)
    return f"{len(SIGNATURES)} kernels"


def check_facts(game: Game) -> RunningCheck:
    """Check layouts, notations and baselines; `Facts` itself validates the numbers."""
    facts = game.facts
    for name in ("layouts", "move_notations", "position_notations"):
        if not getattr(facts, name):
            yield f"facts.{name} is empty"
    for entry in (offer.entry for offer in registry().offers("games") if offer.entry.name == facts.name):
        if entry.shown_title != facts.title:
            yield (
                f"facts.title is {quote(facts.title)}, but the entry of the plug-in says "
                f"{quote(entry.shown_title)}"
            )
    for name in ("baseline", "search_baseline"):
        yield from _baseline_faults(game, name)
    return f"{facts.words} words, {facts.actions} actions, {counted(len(facts.layouts), 'layout')}"


def _baseline_faults(game: Game, name: str) -> Iterator["Fault | str"]:
    """Yield the reasons why an agent named in the facts cannot be a baseline."""
    text = getattr(game.facts, name)
    if not text:
        return
    fact = f"facts.{name} {quote(text)}"
    try:
        player = load_player(text, game)
    except BoardgamesError as error:
        yield f"{fact} cannot be loaded: {error}"
        return
    try:
        if player.is_human or player.is_learning:
            yield f"{fact} must be an agent that does not learn as it plays"
        elif game.evaluation is not NO_EVALUATION and player.options.get(WEIGHTS.name, "") is None:
            yield Fault(
                f"{fact} uses the game's own evaluation and changes with it, so results of different "
                "versions cannot be compared; "
                f"name fixed weights, as in {quote(f'{player.name}:weights=NAME')}",
                is_remark=True,
            )
    finally:
        close_player(player)


def check_playouts(sample: Sample) -> RunningCheck:
    """Check that matches do not end at the start, but within `longest_match` plies if it is declared."""
    longest = sample.game.facts.longest_match
    for layout, walk in {walk.layout: walk for walk in sample.walks}.items():
        if walk.has_ended and len(walk.steps) == 1:
            start = place(sample.game, walk.steps[0].words).quoted
            yield f"the match is over in the start position of {layout!r}, {start}"
    faults = {walk.fault: walk for walk in reversed(sample.walks)}  # the first one with each fault
    for walk in sample.walks:
        if walk.fault and faults[walk.fault] is walk:
            yield f"a match from {walk.layout!r} failed at ply {len(walk.steps)}: {walk.fault}"
        elif longest is not None and len(walk.steps) - 1 > longest:
            end = place(sample.game, walk.steps[-1].words).quoted
            plies = f"{len(walk.steps) - 1} plies, but longest_match is {longest}"
            yield f"a match from {walk.layout!r} to {end} took {plies}"
    ended = sum(walk.has_ended for walk in sample.walks)
    return f"{ended} of {len(sample.walks)} matches ended within {ply_bound(sample.game)} plies"


def check_actions(sample: Sample) -> RunningCheck:
    """Check that `legal_moves` writes distinct ascending actions in range, and nothing else."""
    game, count = sample.game, 0
    for words in sample.words:
        written = write_moves(game, words)
        for fault in _action_faults(game.facts.actions, written):
            yield Fault(f"legal_moves {fault}", words)
        count += len(written.actions)
    return f"{len(sample.words)} positions, {count} actions"


def check_apply(sample: Sample) -> RunningCheck:
    """Check that `apply` writes all words of the successor and nothing after them.

    Successors that differ from call to call are reported by `check_purity`.
    """
    game, count = sample.game, 0
    for words, action in _plies(sample):
        one, is_clean = write_successor(game, words, action, FILLS[0])
        other, _ = write_successor(game, words, action, FILLS[1])
        apply = partial(game.kernels.apply, words.copy(), action)
        if not np.array_equal(one, other) and is_repeatable(apply, game.facts.words):
            yield Fault("apply leaves words of the successor unwritten", words, action)
        if not is_clean:
            yield Fault("apply writes beyond the successor", words, action)
        count += 1
    return counted(count, "move")


def check_inputs(sample: Sample) -> RunningCheck:
    """Check that no kernel changes its input position."""
    for words in sample.words:
        for name, action, call in _calls(sample, words):
            given = words.copy()
            call(given)
            if given.tobytes() != words.tobytes():
                yield Fault(f"{name} changes its input", words, action)
    return counted(len(sample.words), "position")


def check_purity(sample: Sample) -> RunningCheck:
    """Check that kernels give the same result twice, regardless of what their output buffers contained."""
    game = sample.game
    for words in sample.words:
        if write_moves(game, words, FILLS[0]).actions != write_moves(game, words, FILLS[1]).actions:
            yield Fault("legal_moves depends on the old content of its buffer", words)
        for name, action, call in _calls(sample, words):
            first, second = call(words.copy()), call(words.copy())
            if not _same(first, second):
                results = " and ".join(_result_text(game, name, result) for result in (first, second))
                comma = "," if action is None else ""
                yield Fault(f"{name} gives two different results, {results}{comma}", words, action)
    return counted(len(sample.words), "position")


def check_outcomes(sample: Sample) -> RunningCheck:
    """Check outcome codes, `Position.outcome`, and that there are no legal moves after the end."""
    game, over = sample.game, 0
    for words in sample.words:
        code = int(game.kernels.outcome(words.copy()))
        written = write_moves(game, words)
        if not -1 <= code <= 2:
            yield Fault(f"outcome is {code}, not -1 to 2,", words)
            continue
        if code >= 0 and written.actions:
            yield Fault(f"{counted(len(written.actions), 'legal move')} after the end of the match", words)
        expected = _expected_outcome(game, code, written.actions, words)
        actual = Position(game, words.copy()).outcome
        if actual != expected or (actual is not None and actual.returns != _returns(actual)):
            yield Fault(f"Position.outcome is {actual}, not {expected},", words)
        if code < 0 and game.kernels.decides_at_limit:
            at_limit = int(game.kernels.outcome_at_limit(words.copy()))
            if not 0 <= at_limit <= 2:
                yield Fault(f"outcome_at_limit is {at_limit}, not 0 to 2,", words)
        over += expected is not None
    return f"{len(sample.words)} positions, {over} at the end"


def check_sides(sample: Sample) -> RunningCheck:
    """Check that the side to move is 0 or 1, and changes every ply if the game alternates."""
    game, count, repeats = sample.game, 0, 0
    for words in all_words(sample):
        side = int(game.kernels.side_to_move(words.copy()))
        if side not in (0, 1) and game.kernels.outcome(words.copy()) < 0:
            yield Fault(f"side_to_move is {side}, not 0 or 1,", words)
    for words, action in _transitions(sample):
        successor, _ = write_successor(game, words, action)
        if game.kernels.outcome(successor.copy()) >= 0:
            continue
        before, after = (int(game.kernels.side_to_move(given.copy())) for given in (words, successor))
        count += 1
        repeats += before == after
        if np.array_equal(words, successor):
            yield Fault("a move does not change the position, nor the side to move", words, action)
        elif before == after and game.facts.alternates:
            who = game.facts.sides[after] if after in (0, 1) else f"side {after}"
            yield Fault(f"{who} moves twice in a row, but facts.alternates is true", words, action)
    return f"{count} plies, {repeats} by the same side as before"


def check_repetition(sample: Sample) -> RunningCheck:
    """Check that kernels that remember earlier positions apply the rule about repetition like the manager."""
    game, rule = sample.game, sample.game.facts.repetition or NO_REPETITION
    rules, count, repeated = remembering(game, rule, REMEMBERED_PLIES), 0, 0
    buffer = np.zeros(game.facts.actions, dtype=np.int64)
    for walk in sample.walks:
        path = [Position(game, walk.steps[0].words.copy())] if walk.steps else []
        words = rules.pack(path[0]) if path else np.zeros(0, dtype=np.uint64)
        for step in walk.steps[:REMEMBERED_PLIES]:
            legal = allowed_actions(path[-1], path[:-1], rule)
            written = tuple(buffer[: rules.game.kernels.legal_moves(words, buffer)].tolist())
            if written != legal:
                message = f"given the match so far, {len(legal)} moves are legal, not {len(written)},"
                yield Fault(message, step.words)
            if step.played is None:
                break
            successor = np.zeros_like(words)
            rules.game.kernels.apply(words, step.played, successor)
            path.append(path[-1].apply(Move(step.played, "")))
            words, count = successor, count + 1
            repeated += path[-1] in path[:-1]
            expected = outcome_after(path, rule)
            if rule.meaning != "forbidden" and expected is not None:
                code = int(rules.game.kernels.outcome(words))
                if expected.termination is Termination.REPETITION and code != _code(expected):
                    yield Fault(
                        f"after a repetition the kernels return {code}, not {_code(expected)},", step.words
                    )
                break
    return f"{rule}, {count} plies, {repeated} of them lead to earlier positions"


def _code(outcome: Outcome) -> int:
    """Return the code with which the kernel `outcome` describes an outcome."""
    return DRAWN if outcome.winner is None else outcome.winner


def check_evaluation(sample: Sample) -> RunningCheck:
    """Check that evaluations are finite and within their bound, and `move_order` within its range."""
    game, evaluation = sample.game, sample.game.evaluation
    for words, action in _plies(sample):
        rank = int(game.kernels.move_order(words.copy(), action))
        if abs(rank) > MAX_RANK:
            yield Fault(f"move_order is {rank}, not within ±2^40", words, action)
    evaluations = {} if evaluation is NO_EVALUATION else {"the evaluation": evaluation}
    if game.contempt is not None:
        evaluations |= {
            f"the evaluation of contempt for side {side}": game.contempt.evaluation(side) for side in range(2)
        }
    for what, checked in evaluations.items():
        if checked.unit != evaluation.unit:
            yield f"{what} is in {checked.unit.label}, but the evaluation in {evaluation.unit.label}"
        for words in sample.words:
            value = checked.value(words.copy())
            if not abs(value) <= checked.bound:
                yield Fault(f"{what} is {value!r}, not within ±{checked.bound:g},", words)
    also = "; contempt" if game.contempt is not None else ""
    if evaluation is NO_EVALUATION:
        return f"no evaluation{also}; move order"
    yield from _uniform_values(sample)
    return f"{len(sample.words)} positions, {evaluation.name!r} in {evaluation.unit.label}{also}; move order"


def _uniform_values(sample: Sample) -> Iterator[Fault | str]:
    """Report an evaluation that is extreme in almost all positions, or equal in all of them."""
    game, evaluation = sample.game, sample.game.evaluation
    ongoing = [words for words in sample.words if int(game.kernels.outcome(words.copy())) < 0]
    values = [evaluation.value(words.copy()) for words in ongoing]
    if len(values) < MIN_VALUES:
        return
    extreme = sum(abs(value) >= NEAR_BOUND * evaluation.bound for value in values)
    zeros, what = values.count(0.0), f"of {len(values)} positions in which the match is not over"
    is_extreme = extreme > MOST_AT_BOUND * len(values)
    # with many zeros, it may be a feature that one side has, the other or neither
    may_be = extreme > max(MOST_AT_BOUND * (len(values) - zeros), len(values) / 2)
    if is_extreme or may_be:
        also = f", and 0 in {zeros}," if zeros else ""
        message = (
            f"the evaluation is within 1% of ±{evaluation.bound:g} in {extreme}{also} {what}, so it cannot "
            "distinguish them; scale it down, or give it a larger bound"
        )
        yield Fault(message, is_remark=not is_extreme)
    elif min(values) == max(values):
        message = f"the evaluation is {values[0]:g} in all {what}, so search learns nothing from it"
        yield Fault(message, is_remark=True)


def check_unit(game: Game) -> RunningCheck:
    """Check that the declared unit fits the evaluation, and that its thresholds can be printed."""
    evaluation, unit = game.evaluation, game.evaluation.unit
    if evaluation is NO_EVALUATION:
        return "no evaluation"
    if unit.name in RESERVED_UNITS and unit not in RESERVED_UNITS.values():
        yield f"the unit name {unit.name!r} is reserved: use boardgames.score.RETURN or another name"
    if unit.is_return and evaluation.bound > evaluation.scale:
        largest = evaluation.bound / evaluation.scale
        yield f"returns are from -1 to 1, but evaluation {evaluation.name!r} goes to {largest:g}"
    if float(unit.format(unit.inaccuracy)) == 0.0:
        yield f"{unit.digits} digits are too few for {unit}: an inaccuracy of {unit.inaccuracy:g} prints as 0"
    covered = f"evaluation {evaluation.name!r}, in {unit.label}"
    if unit.is_return:
        return covered
    return f"{covered}; an advantage of {unit.half_return:g} is a chance of winning of 75%"


def check_features(sample: Sample, feature_sets: tuple[FeatureSet, ...]) -> RunningCheck:
    """Check that features are within their declared ranges, for both sides."""
    for feature_set in feature_sets:
        for words in sample.words:
            for side in (0, 1):
                out = np.full(len(feature_set.features), np.nan)
                feature_set.kernel(words.copy(), side, out)
                for feature, value in zip(feature_set.features, out.tolist(), strict=True):
                    if not feature.low - RANGE_TOLERANCE <= value <= feature.high + RANGE_TOLERANCE:
                        span = f"{feature.low:g} to {feature.high:g}"
                        name = f"{feature_set.name}.{feature.name}"
                        yield Fault(f"{name} of side {side} is {value!r}, not {span},", words)
    names = ", ".join(feature_set.name for feature_set in feature_sets)
    return f"{len(sample.words)} positions: {names}" if names else "no features"


def check_observation(sample: Sample) -> RunningCheck:
    """Check that planes are 0 off the board and distinguish positions, and symmetries permute places.

    Numbers that do not fit into `int8` are found if the kernel runs as plain Python.
    """
    observation = observation_of(sample.game)
    off_board, seen = ~observation.mask, dict[bytes, tuple[Words, tuple[int, ...]]]()
    for words in sample.words:
        for side in (0, 1):
            planes = observation.array(words.copy(), side)
            unwrapped = _unwrapped(observation, words, side, planes)
            for wrong, values, reason in (
                (unwrapped != planes, unwrapped, "but numbers must be -128 to 127,"),
                (planes * off_board, planes, "which is not on the board,"),
            ):
                for plane, row, column in np.argwhere(wrong)[:1].tolist():
                    name, value = quote(observation.planes[plane]), values[plane, row, column]
                    place = f"row {row}, column {column}"
                    yield Fault(f"the plane {name} is {value} in {place}, {reason}", words)
        actions = write_moves(sample.game, words).actions
        side = int(sample.game.kernels.side_to_move(words.copy()))
        other, moves = seen.setdefault(observation.array(words.copy(), side).tobytes(), (words, actions))
        if moves != actions:
            message = "the observation is the same as in a position with other legal moves"
            yield Fault(message, words, others=(other,), is_remark=True)
    permuted, symmetries = 0, sample.game.symmetries() if sample.words else ()
    for symmetry in symmetries:
        fault = _not_permuted(sample, observation, symmetry)
        permuted += fault is None
        if fault and not symmetry.swaps_sides and observation is not of_words(sample.game.facts.words):
            yield fault
    count = "1 plane" if len(observation.planes) == 1 else f"{len(observation.planes)} planes"
    also = f"; {permuted} of {counted(len(symmetries), 'symmetry', 'symmetries')}" if symmetries else ""
    return f"{len(sample.words)} positions: {count} of {observation.rows} x {observation.columns}{also}"


def _unwrapped(
    observation: Observation, words: Words, side: int, planes: npt.NDArray[np.int8]
) -> npt.NDArray[np.int64]:
    """Return the numbers that an observation would write into wider planes; `planes` if that is not known."""
    wide = np.zeros(observation.size, dtype=np.int64)
    function: Any = getattr(observation.kernel, "py_func", observation.kernel)  # its planes are wider
    try:
        plain_kernel(function, Observe)(words, side, wide)
    except Exception:  # noqa: BLE001 - a helper may not accept the wider planes
        return planes.astype(np.int64)
    # plain Python may compute something else than compiled code, which only counts if it explains the planes
    is_explained = wide.astype(np.int8) == planes.ravel()
    return np.where(is_explained, wide, planes.ravel()).reshape(planes.shape)


def _not_permuted(sample: Sample, observation: Observation, symmetry: Symmetry) -> Fault | None:
    """Return a remark if a symmetry does not permute the places of all observations in the same way."""
    ongoing = [words for words in sample.words if sample.game.kernels.outcome(words.copy()) < 0]
    side_to_move = sample.game.kernels.side_to_move
    if not ongoing or place_images(observation, symmetry, ongoing, side_to_move) is not None:
        return None
    return Fault(
        f"{symmetry.name} does not permute the places of the observation, so networks cannot use it",
        is_remark=True,
    )


def check_patterns(sample: Sample, pattern_sets: tuple[PatternSet, ...]) -> RunningCheck:
    """Check that cells and phases are in range, and that bitboards and symmetries are correct."""
    for patterns in pattern_sets:
        name = f"patterns {patterns.name!r}"
        for words in sample.words:
            for side in (0, 1):
                phase = int(patterns.phase(words.copy(), side))
                if not 0 <= phase < patterns.phases:
                    yield Fault(f"the phase of {name} is {phase}, not 0 to {patterns.phases - 1},", words)
                values = _cells(patterns, words, side)
                for cell in np.flatnonzero((values < 0) | (values >= patterns.values)):
                    message = f"cell {cell} of {name} is {values[cell]}, not 0 to {patterns.values - 1},"
                    yield Fault(message, words)
                for cell in np.flatnonzero(_from_bitboards(patterns, words, side) != values):
                    yield Fault(f"the bitboards of {name} differ from its kernel in cell {cell},", words)
        for permutation in patterns.symmetries:
            fits = sample.game.symmetries()
            for words in sample.words:
                before, fits = (
                    fits,
                    tuple(one for one in fits if _permutes(patterns, permutation, one, words)),
                )
                if before and not fits:
                    yield Fault(f"symmetry {permutation} of {name} is not a symmetry of the game,", words)
        yield from _check_model(sample, patterns)
    names = ", ".join(patterns.name for patterns in pattern_sets)
    return f"{len(sample.words)} positions: {names}" if names else "no patterns"


def _check_model(sample: Sample, patterns: PatternSet) -> RunningCheck:
    """Check the features and the initial weights of a model; its values are clipped to their bound."""
    if patterns.model is not None:
        patterns.initial_weights()
        yield from check_features(sample, patterns.model.features)
    return ""


def _cells(patterns: PatternSet, words: Words, side: int) -> Actions:
    values = np.full(patterns.cells, -1)
    patterns.kernel(words.copy(), side, values)
    return values


def _from_bitboards(patterns: PatternSet, words: Words, side: int) -> Actions:
    """Return the values of all cells according to the bitboards, or to the kernel if there are none.

    Bits beyond the words of the position count as set, so that they show up as differences.
    """
    if not patterns.bitboards:
        return _cells(patterns, words, side)
    values = np.zeros(patterns.cells, dtype=np.int64)
    for value, starts in enumerate(patterns.bitboards, start=1):
        for cell, bit in enumerate(patterns.bits):
            place = starts[side] + bit // 64
            if place >= len(words) or int(words[place]) >> bit % 64 & 1:
                values[cell] += value
    return values


def _permutes(patterns: PatternSet, permutation: Sequence[int], symmetry: Symmetry, words: Words) -> bool:
    """Return True if a symmetry of the game permutes the cells of a position like `permutation`."""
    mapped = symmetry.words(words.copy())
    return all(
        np.array_equal(
            _cells(patterns, mapped, 1 - side if symmetry.swaps_sides else side)[list(permutation)],
            _cells(patterns, words, side),
        )
        for side in (0, 1)
    )


def check_symmetries(sample: Sample) -> RunningCheck:
    """Check that legal moves, successors, sides and outcomes commute with the symmetries.

    Each symmetry is checked with every action that occurs.
    """
    symmetries, count = sample.game.symmetries(), 0
    if not symmetries:
        return "none declared"
    seen: set[int] = set()
    for position, words in enumerate(sample.words):
        actions = selected(sample, words, write_moves(sample.game, words).actions)
        new = [action for action in actions if action not in seen]
        seen.update(actions)
        for number, symmetry in enumerate(symmetries):
            is_turn = bool(sample.move) or position % len(symmetries) == number
            if is_turn or new:
                mapped = actions if is_turn else new
                yield from _asymmetries(sample.game, symmetry, words, mapped)
                count += len(mapped)
    return f"{len(sample.words)} positions, {len(symmetries)} declared, {count} moves"


def check_tactical(sample: Sample) -> RunningCheck:
    """Check that tactical moves are legal and ascending; the rest of the buffer may contain anything."""
    game, count = sample.game, 0
    if game.kernels.tactical_moves is no_tactical_moves:
        return "not declared"
    for words in sample.words:
        written = write_moves(game, words, name="tactical_moves")
        for fault in _action_faults(game.facts.actions, replace(written, is_clean=True)):
            yield Fault(f"tactical_moves {fault}", words)
        others = sorted(set(written.actions) - set(write_moves(game, words).actions))
        if others:
            texts = _texts(game, words, others)
            yield Fault(f"tactical_moves writes actions that are not legal, {texts},", words)
        count += len(written.actions)
    return f"{len(sample.words)} positions, {count} tactical moves"


def check_keys(sample: Sample) -> RunningCheck:
    """Check that symmetric positions have the same key, and that no other positions share it."""
    game, key = sample.game, sample.game.kernels.symmetric_key
    if key is position_key:
        return "not declared"
    kept = [symmetry for symmetry in game.symmetries() if not symmetry.swaps_sides]
    known: dict[int, Words] = {}
    for words in sample.words:
        own = int(key(words.copy()))
        for symmetry in kept:
            if int(key(symmetry.words(words.copy()))) != own:
                yield Fault(f"symmetric_key differs under {symmetry.name}", words)
        other = known.setdefault(own, words)
        if not np.array_equal(other, words) and not _are_symmetric(kept, words, other):
            text = place(game, other).quoted
            yield Fault(
                f"symmetric_key is the same as in {text}, which is not symmetric,", words, others=(other,)
            )
    return f"{len(sample.words)} positions, {counted(len(kept), 'symmetry', 'symmetries')}"


def check_perft(game: Game, depth: int | None) -> RunningCheck:
    """Compare perft counts with the declared ones, up to `depth` and a few million leaves."""
    covered = []
    for text, counts in game.facts.perft.items():
        position = game.parse(text)
        for ply, expected in enumerate(counts[:depth], start=1):
            if ply > 1 and expected > MAX_LEAVES:
                break
            actual = perft(position, ply)
            if actual != expected:
                yield f"{counted(actual, 'leaf', 'leaves')} at depth {ply}, not {expected}, from {text!r}"
            covered.append(ply)
    if not covered:
        return "none declared"
    return f"{counted(len(game.facts.perft), 'position')}, to depth {max(covered)}"


def _are_symmetric(symmetries: list[Symmetry], words: Words, other: Words) -> bool:
    """Return True if a sequence of symmetries maps one position onto the other."""
    reached, left = {words.tobytes()}, [words]
    while left:
        image = left.pop()
        for symmetry in symmetries:
            following = symmetry.words(image.copy())
            if following.tobytes() not in reached:
                reached.add(following.tobytes())
                left.append(following)
    return other.tobytes() in reached


def _action_faults(size: int, written: WrittenMoves) -> Iterator[str]:
    """Yield the faults of the actions that a kernel has written, each as the end of a message."""
    if not 0 <= written.count <= size:
        yield f"returns the count {written.count}, not 0 to {size},"
    elif not written.is_clean:
        yield f"writes more than the {counted(written.count, 'action')} that it counts"
    if any(first >= second for first, second in pairwise(written.actions)):
        yield f"writes actions that are not ascending and distinct, {list(written.actions)},"
    if any(not 0 <= action < size for action in written.actions):
        yield f"writes actions that are not 0 to {size - 1}, {list(written.actions)},"


def _plies(sample: Sample) -> Iterator[tuple[Words, int]]:
    """Yield each legal move of each sampled position, unless its actions are faulty."""
    for words in sample.words:
        written = write_moves(sample.game, words)
        if is_sound(sample.game, written):
            for action in selected(sample, words, written.actions):
                yield words, action


def all_words(sample: Sample) -> Iterator[Words]:
    """Yield each position of each match, or the sampled positions if there are no matches."""
    if not sample.walks:
        yield from sample.words
    for walk in sample.walks:
        for step in walk.steps:
            yield step.words


def _transitions(sample: Sample) -> Iterator[tuple[Words, int]]:
    """Yield sampled positions with each legal move, and positions of matches with the move played."""
    yield from _plies(sample)
    for walk in sample.walks:
        for step in walk.steps:
            if step.played is not None:
                yield step.words, step.played


def _calls(sample: Sample, words: Words) -> Iterator[tuple[str, int | None, Callable[[Words], object]]]:
    """Yield each kernel's name, its action, and a function that calls the kernel with new buffers."""
    game = sample.game
    kernels, evaluation, facts = game.kernels, game.evaluation, game.facts
    yield "side_to_move", None, kernels.side_to_move
    yield "outcome", None, kernels.outcome
    if int(kernels.outcome(words.copy())) < 0:  # the kernel is never called after the end
        yield "outcome_at_limit", None, kernels.outcome_at_limit
    yield "evaluate", None, evaluation.value

    def moves(given: Words) -> object:
        buffer = np.zeros(facts.actions, dtype=np.int64)
        return buffer[: kernels.legal_moves(given, buffer)].tolist()

    def tactical(given: Words) -> object:
        buffer = np.zeros(facts.actions, dtype=np.int64)
        return buffer[: kernels.tactical_moves(given, buffer)].tolist()

    yield "legal_moves", None, moves
    yield "tactical_moves", None, tactical
    yield "symmetric_key", None, kernels.symmetric_key
    written = write_moves(game, words)
    if not is_sound(game, written):
        return
    for action in selected(sample, words, written.actions):
        yield "apply", action, partial(_successor, game, action)
        yield "move_order", action, partial(_order, game, action)


def _successor(game: Game, action: int, words: Words) -> object:
    buffer = np.zeros(game.facts.words, dtype=np.uint64)
    game.kernels.apply(words, action, buffer)
    return buffer.tolist()


def _order(game: Game, action: int, words: Words) -> object:
    return game.kernels.move_order(words, action)


def _result_text(game: Game, name: str, result: object) -> str:
    """Return the text of a kernel's result in `_calls`: a position for `apply`."""
    return place(game, np.array(result, dtype=np.uint64)).quoted if name == "apply" else repr(result)


def _same(first: object, second: object) -> bool:
    return repr(first) == repr(second)  # NaN equals NaN as text


def _expected_outcome(game: Game, code: int, actions: tuple[int, ...], words: Words) -> Outcome | None:
    if code >= 0:
        return Outcome(code if code < 2 else None, Termination.RULES)
    if actions:
        return None
    loser = int(game.kernels.side_to_move(words.copy()))
    return Outcome(None if game.facts.no_moves_draws else 1 - loser, Termination.NO_MOVES)


def _returns(outcome: Outcome) -> tuple[float, float]:
    return {None: (0.0, 0.0), 0: (1.0, -1.0), 1: (-1.0, 1.0)}[outcome.winner]


def _asymmetries(game: Game, symmetry: Symmetry, words: Words, actions: Sequence[int]) -> Iterator[Fault]:
    """Yield the differences between a position and its image under a symmetry, for some of the actions."""
    image = symmetry.words(words.copy())
    game.check_words(image)

    def at(given: Words) -> str:
        return place(game, given).quoted

    written = write_moves(game, words)
    if not is_sound(game, written):
        return
    images = {action: int(symmetry.action(words.copy(), action)) for action in written.actions}
    legal = set(write_moves(game, image).actions)
    for action in [action for action in actions if images.get(action) not in legal]:
        mapped = _text(game, image, images[action])
        yield Fault(
            f"{symmetry.name} makes a legal move {mapped}, which is not legal in {at(image)}", words, action
        )
    if more := sorted(legal - set(images.values())):
        what = _texts(game, image, more)
        yield Fault(
            f"{symmetry.name} maps no legal move to {what}, which is legal in the image {at(image)},", words
        )
    for action in [action for action in actions if images.get(action) in legal]:
        successor, _ = write_successor(game, words, action)
        reached, _ = write_successor(game, image, images[action])
        expected = symmetry.words(successor.copy())
        if not np.array_equal(expected, reached):
            first, second, third = map(at, (successor, expected, reached))
            mapped = _text(game, image, images[action])
            yield Fault(
                f"the successor is {first}, which {symmetry.name} makes {second}, but the image of the move, "
                f"{mapped} in {at(image)}, leads to {third}", words, action,
            )  # fmt: skip
    yield from _asymmetric_ends(game, symmetry, words, image)


def _asymmetric_ends(game: Game, symmetry: Symmetry, words: Words, image: Words) -> Iterator[Fault]:
    """Yield the differences of outcome and side to move between a position and its image."""
    kernels = game.kernels
    turned = f"{symmetry.name} turns the position into {place(game, image).quoted}, where"
    outcome = int(kernels.outcome(words.copy()))
    results = {"outcome": kernels.outcome}
    if outcome < 0:  # the kernel is never called after the end
        results["outcome at a limit"] = kernels.outcome_at_limit
    for what, kernel in results.items():
        code, mapped = int(kernel(words.copy())), int(kernel(image.copy()))
        expected = 1 - code if symmetry.swaps_sides and code in (0, 1) else code
        if mapped != expected:
            yield Fault(f"{turned} the {what} should be {expected}, not {mapped}; it is {code}", words)
    side, mapped = (int(kernels.side_to_move(given.copy())) for given in (words, image))
    expected = 1 - side if symmetry.swaps_sides else side
    if outcome < 0 and mapped != expected:
        yield Fault(
            f"{turned} side {expected} should be to move, not {mapped}; side {side} is to move", words
        )


def _text(game: Game, words: Words, action: int) -> str:
    return place(game, words, action).move


def _texts(game: Game, words: Words, actions: Iterable[int]) -> str:
    return ", ".join(_text(game, words, action) for action in actions)


def check_move_notation(sample: Sample) -> RunningCheck:
    """Check that the text of each legal move is parsed as the move, or is ambiguous in a named notation."""
    game, count = sample.game, 0
    seen: set[int] = set()
    for number, position in enumerate(sample.positions()):
        texts = [move.text for move in position.legal_moves]
        for text, times in Counter(texts).items():
            if times > 1:
                yield Fault(f"{times} legal moves have the text {text!r}", position.words)
        for move in _moves(sample, position):
            is_checked = number % NOTATION_INTERVAL == 0 or move.action not in seen
            notations = (None, *(game.facts.move_notations if is_checked else ()))
            for fault in _by_notation(partial(_move_text_faults, position, move), notations):
                yield Fault(fault, position.words, move.action)
            count += len(notations)
        seen.update(position.actions)
    return f"{count} texts in {', '.join(game.facts.move_notations)}"


def check_position_notation(sample: Sample) -> RunningCheck:
    """Check that the text of each position is parsed as the same position, in every notation."""
    game, count = sample.game, 0
    for position in sample.positions():
        notations = (None, *game.facts.position_notations)
        for fault in _by_notation(partial(_position_text_faults, position), notations):
            yield Fault(fault, position.words)
        count += len(notations)
    return f"{count} texts in {', '.join(game.facts.position_notations)}"


def _position_text_faults(position: Position, notation: str | None) -> Iterator[str]:
    game = position.game
    text = game.format(position, notation=notation)
    is_canonical = notation in (None, game.facts.position_notations[0])
    if is_canonical and (not text or text.split() != [text]):
        yield f"the text of a position is empty or has spaces: {text!r}"
    try:
        back = game.parse(text, notation=notation)
    except PositionError as error:
        yield f"{text!r} is rejected: {error}"
        return
    if back != position:
        other = place(game, back.words).quoted
        if other == repr(text):
            other = f"words {back.words.tolist()}, not {position.words.tolist()}"
        yield f"{text!r} is parsed as another position, {other}"


def _by_notation(
    check: Callable[[str | None], Iterable[str]], notations: Sequence[str | None]
) -> Iterator[str]:
    """Yield each fault once, with all notations in which it occurs; None is the canonical one."""
    found: dict[str, list[str]] = {}
    for notation in notations:
        for fault in check(notation):
            found.setdefault(fault, []).append(notation or "canonical")
    for fault, names in found.items():
        unique = dict.fromkeys(names)
        yield f"{fault} ({', '.join(unique)} {'notation' if len(unique) == 1 else 'notations'})"


def check_words(sample: Sample) -> RunningCheck:
    """Check that unpacking returns the position that was packed, and rejects a wrong number of words."""
    game = sample.game
    for words, action in _plies(sample):
        successor, _ = write_successor(game, words, action)
        if not _rejection(game, words) and (why := _rejection(game, successor)):
            yield Fault(
                f"check_words rejects the successor, words {successor.tolist()} ({why})", words, action
            )
    for position in sample.positions():
        try:
            back = game.unpack(game.pack(position))
        except PositionError as error:
            yield Fault(
                f"check_words rejects a position that was reached by legal moves ({error})", position.words
            )
            continue
        if back != position or hash(back) != hash(position):
            yield Fault("unpack returns another position than the one that was packed", position.words)
    try:
        game.unpack(np.zeros(game.facts.words + 1, dtype=np.uint64))
        yield f"unpack accepts {game.facts.words + 1} words, but facts.words is {game.facts.words}"
    except PositionError:
        pass
    return counted(len(sample.words), "position")


def _rejection(game: Game, words: Words) -> str:
    """Return why `check_words` rejects words, or an empty string."""
    try:
        game.check_words(words.copy())
    except PositionError as error:
        return str(error) or "without a reason"
    return ""


def check_bad_input(sample: Sample) -> RunningCheck:
    """Check that parsing malformed positions and moves raises no exceptions but the declared ones."""
    game, generator = sample.game, np.random.default_rng(sample.seed)
    for position in list(sample.positions())[:MUTATED_POSITIONS]:
        move_texts = [move.text for move in position.legal_moves]
        for text in (*MALFORMED_TEXTS, *_mutations(str(position), generator)):
            yield from _parser_faults(game, text, None)
        for text in (
            *MALFORMED_TEXTS,
            *(bad for good in move_texts[:5] for bad in _mutations(good, generator)),
        ):
            yield from _parser_faults(game, text, position)
    return f"{len(MALFORMED_TEXTS)} malformed texts, and mutated texts of positions and moves"


def check_pictures(sample: Sample) -> RunningCheck:
    """Check that pictures have unique ids, and clicks for exactly the legal moves."""
    count = 0
    for position in sample.positions():
        picture = position.picture()
        for fault in (*_id_faults(picture), *_material_faults(picture)):
            yield Fault(fault, position.words)
        actions = {move.text: move.action for move in position.legal_moves}
        for text, fault in _click_faults(picture, actions):
            if sample.move in ("", text):
                yield Fault(fault, position.words, actions.get(text))
        count += len(picture.clicks)
    return f"{len(sample.words)} pictures, {count} moves"


def check_overlays(sample: Sample) -> RunningCheck:
    """Check that overlays can be made for positions, and that their ids and symbols exist."""
    names = overlay_names(sample.game)
    positions = list(sample.positions())[:OVERLAID_POSITIONS] if names else []
    for position in positions:
        picture = position.picture()
        for name in names:
            try:
                overlay = load_overlay(name, position)
            except PluginError as error:
                yield Fault(f"{error},", position.words)
                continue
            for fault in _overlay_faults(overlay, picture):
                yield Fault(f"overlay {name!r}: {fault},", position.words)
    return f"{len(positions)} positions: {', '.join(names)}" if names else "no overlays"


def check_exercises(game: Game) -> RunningCheck:
    """Check that lessons and ready puzzles can be solved by the moves that they declare."""
    lessons: object = type(game).lessons
    if not (isinstance(lessons, tuple) and all(isinstance(one, Exercise) for one in lessons)):
        yield f"lessons must be a tuple of Exercise, not {quote(lessons)}"
        return "no lessons"
    puzzles: list[Exercise] = []
    for kind in puzzle_kinds(game):
        try:
            puzzles += ready_puzzles(game, kind)
        except OptionError:
            continue  # there are none for the options of the game
        except PluginError as error:
            yield str(error)
    for exercise in (*lessons, *puzzles):
        try:
            exercise_game(game, exercise).lines_of(exercise)
        except BoardgamesError as error:
            yield str(error)
        if exercise.overlay not in ("", *overlay_names(game)):
            yield f"invalid exercise {exercise.title!r}: there is no overlay {quote(exercise.overlay)}"
    return f"{counted(len(lessons), 'lesson')}, {counted(len(puzzles), 'puzzle')}"


def check_score(sample: Sample) -> RunningCheck:
    """Check that the score is a pair of integers."""
    for position in sample.positions():
        score = position.score
        if len(score) != 2 or any(type(points) is not int for points in score):
            yield Fault(f"the score is {score!r}, not two integers,", position.words)
    return sample.game.facts.score_name or "no score"


def _moves(sample: Sample, position: Position) -> list[Move]:
    """Return the legal moves to check."""
    return [move for move in position.legal_moves if sample.move in ("", move.text)]


def _move_text_faults(position: Position, move: Move, notation: str | None) -> Iterator[str]:
    game = position.game
    text = game.format_move(position, move, notation=notation)
    if not text or text.split() != [text]:
        yield f"the text of a move is empty or has spaces: {text!r}"
    try:
        back = game.parse_move(position, text, notation=notation)
    except AmbiguousMoveError as error:
        if notation in (None, game.facts.move_notations[0]):
            yield f"the text of a legal move is ambiguous: {error}"
        elif sum(other.text in str(error) for other in position.legal_moves) < 2:
            yield f"the error about the ambiguous text {text!r} does not name two legal moves: {error}"
        return
    except MoveError as error:
        yield f"the text of a legal move is rejected: {error}"
        return
    if back.action != move.action:
        yield f"{text!r} is parsed as action {back.action}, not {move.action}"


def _parser_faults(game: Game, text: str, position: Position | None) -> Iterator[str]:
    what, expected = ("position", PositionError) if position is None else ("move", MoveError)
    try:
        if position is None:
            game.parse(text)
        else:
            game.parse_move(position, text)
    except Exception as error:  # noqa: BLE001 - any other exception is a fault
        if not isinstance(error, expected):
            yield f"parsing the {what} {text!r} raises {error!r}, not {expected.__name__}"


def _mutations(text: str, generator: np.random.Generator) -> Iterator[str]:
    """Yield the text with a character removed, doubled or replaced, and the text cut off there."""
    place = int(generator.integers(len(text))) if text else 0
    other = chr(int(generator.integers(*PRINTABLE if generator.integers(2) else BEYOND_ASCII)))
    yield text[:place] + text[place + 1 :]
    yield text[:place] + text[place : place + 1] + text[place:]
    yield text[:place] + other + text[place + 1 :]
    yield text[:place]


def _id_faults(picture: Picture) -> Iterator[str]:
    cells = [cell.id for cell in picture.cells]
    for name, times in Counter(picture.ids).items():
        if times > 1:
            yield f"the id {name!r} is used {times} times"
        if not name or name.split() != [name]:
            yield f"an id is empty or has spaces: {name!r}"
    for piece in picture.pieces:
        if piece.cell not in cells or piece.side not in (0, 1):
            yield f"a piece is not on a cell, or not of side 0 or 1: {piece!r}"


def _material_faults(picture: Picture) -> Iterator[str]:
    """Yield the faults of the frame, flip, gravity, trays and winning ids of a picture."""
    known = {"frame": get_args(Frame), "flip": get_args(Flip), "gravity": (None, *get_args(Direction))}
    for name, values in known.items():
        if (value := getattr(picture, name)) not in values:
            yield f"the {name} of the picture must be one of {', '.join(map(repr, values))}, not {value!r},"
    marbles = [piece.cell for tray in picture.trays for piece in tray.pieces]
    for name, times in Counter((*picture.ids, *marbles)).items():
        if name in marbles and times > 1:
            yield f"a piece in a tray has the id {name!r}, which is used {times} times"
    if any(tray.side not in (0, 1) for tray in picture.trays):
        yield "a tray is not of side 0 or 1"
    for name in sorted(picture.winning.difference(picture.ids, marbles)):
        yield f"an unknown id is marked as winning, {name!r}"


def _overlay_faults(overlay: Overlay, picture: Picture) -> Iterator[str]:
    """Yield the faults of an overlay of a picture."""
    cells = {cell.id for cell in picture.cells}
    marked = cells | {line.id for line in picture.lines}
    symbols = Counter(one.symbol for one in overlay.classes)
    for symbol, times in symbols.items():
        if len(symbol) != 1 or not symbol.isprintable() or symbol.isspace() or times > 1:
            yield f"the symbol of a class must be one character that no other class has, not {symbol!r}"
    for name in sorted(set(overlay.marks) - marked):
        yield f"a mark is on an unknown line or cell, {name!r}"
    for symbol in sorted(set(overlay.marks.values()) - set(symbols)):
        yield f"a mark has the symbol {symbol!r}, which no class has"
    for group in overlay.groups:
        for name in sorted(set(group.cells) - cells) if group.cells else [""]:
            yield f"group {group.label!r} has no cells or an unknown cell, {name!r}"
    for name, times in Counter(name for group in overlay.groups for name in group.cells).items():
        if times > 1:
            yield f"cell {name!r} is in {times} groups"


def _click_faults(picture: Picture, legal: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield, for each fault of the clicks, the text of the move (empty if it is not legal) and a message."""
    for text in sorted(legal.keys() ^ picture.clicks.keys()):
        if text in legal:
            yield text, "the picture has no clicks for a legal move"
        else:
            yield "", f"clicks for {text!r}, which is not legal,"
    owners: dict[tuple[str, ...], str] = {}
    for text, choices in picture.clicks.items():
        if not choices or not all(choices):
            yield text, f"the clicks for a move are empty, {choices!r}"
        for unknown in sorted({name for clicks in choices for name in clicks}.difference(picture.ids)):
            yield text, f"the clicks for a move use an unknown id, {unknown!r}"
        for clicks in choices:
            if owners.setdefault(tuple(clicks), text) != text:
                yield text, f"the clicks {clicks!r} make two moves, {owners[tuple(clicks)]!r} and {text!r}"
    # after sorting, the sequences that start with a sequence come right after it
    for first, second in pairwise(sorted(owners)):
        if second[: len(first)] == first:
            yield owners[second], f"the clicks {first!r} are the beginning of {second!r}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with a noun, which is in the plural unless the number is 1.

    Examples
    --------
    >>> counted(2, "check")
    '2 checks'
    """
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"
