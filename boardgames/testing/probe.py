"""Run the kernels of a game in a separate process, with bounds checks, before anything else uses them.

A kernel that reads or writes outside its arrays can crash the interpreter, and a
kernel that never returns blocks it. Therefore a child process compiles the kernels
with `NUMBA_BOUNDSCHECK=1` (the cache keeps this code apart from normal code) and
plays the matches of the sample with guarded buffers. It logs each call before making
it, so that the last entry shows which kernel was running if the child dies.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from boardgames.declarations import FeatureSet, argument_of, arrays_of, with_arrays
from boardgames.errors import BoardgamesError, DeadWorkerError, RulesError, describe_error
from boardgames.executors import run_isolated
from boardgames.faults import HangError
from boardgames.game import Game, observation_of
from boardgames.kernels import Words
from boardgames.observation import Observation
from boardgames.patterns import PatternSet
from boardgames.plugins import load_features, load_patterns, registry
from boardgames.testing.hangs import PATIENCE_S, interrupt_hangs
from boardgames.testing.sampling import (
    FILLS,
    GUARD,
    Calls,
    Fault,
    KernelFaultError,
    Place,
    Sample,
    WrittenMoves,
    is_repeatable,
    is_sound,
    place,
    sample_given,
    sample_positions,
    selected,
)

BOUNDS_CHECKS = {"NUMBA_BOUNDSCHECK": "1"}
REAL_FILLS = (0.0, -12345.5)
BYTE_FILLS = (0, -77)
"""Initial contents of buffers of real numbers and of bytes, before a kernel writes into them."""
MAX_NAMED = 3
"""Maximum number of unwritten numbers that a message names."""
MORE_ROOM = 4096
"""Number of elements added to a buffer to find out whether this buffer was too short."""

Result = TypeVar("Result")
Declared = TypeVar("Declared", FeatureSet, PatternSet)


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """The positions on which kernels are run: those of random matches, or given ones."""

    matches: int
    positions: int
    seed: int
    given: tuple[tuple[int, ...], ...] = ()
    move: str = ""

    def sample(self, game: Game, calls: Calls | None = None) -> Sample:
        """Return the sample of positions."""
        if not self.given:
            return sample_positions(
                game, matches=self.matches, positions=self.positions, seed=self.seed, calls=calls
            )
        words = [np.array(numbers, dtype=np.uint64) for numbers in self.given]
        return sample_given(game, words, self.move, self.seed)


@dataclass(frozen=True, slots=True)
class Probed:
    """The faults found, the reason if the kernels could not be run, and the number of positions."""

    faults: tuple[Fault, ...] = ()
    problem: str = ""
    positions: int = 0


def probe_kernels(game: Game, plan: SamplePlan, *, patience_s: float = PATIENCE_S) -> Probed:
    """Run all kernels of a game in a new process with bounds checks, and return their faults.

    Parameters
    ----------
    game : Game
        The game, which that process creates again from its class, layout and options.
    plan : SamplePlan
        The positions on which the kernels are run.
    patience_s : float
        How long one call may take, in seconds.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "call"
        log.touch()

        def progress() -> object:
            return log.read_bytes() or time.monotonic()  # compilation has no time limit

        try:
            return run_isolated(
                partial(run_kernels, game, plan, str(log)),
                environment=BOUNDS_CHECKS,
                progress=progress,
                patience_s=patience_s,
            )
        except DeadWorkerError as error:
            return Probed((_last_call(log.read_bytes(), error, patience_s),))
        except BoardgamesError:
            raise
        except Exception as error:  # noqa: BLE001 - a class that cannot be pickled, a game that cannot be created
            return Probed(problem=describe_error(error))


def place_isolated(game: Game, words: Words, action: int | None = None) -> Place:
    """Return the texts of a position and an action, formatted in another process as this may call kernels."""
    try:
        return run_isolated(
            partial(place, game, words, action),
            environment=BOUNDS_CHECKS,
            progress=int,
            patience_s=PATIENCE_S,
        )
    except Exception:  # noqa: BLE001 - the kernel is reported anyway
        return Place(f"words {words.tolist()}", "" if action is None else f"action {action}")


def _last_call(content: bytes, error: DeadWorkerError, patience_s: float) -> Fault:
    """Return a fault for the call that a dead process logged last."""
    line = content.decode().partition("\n")[0]  # the rest of an earlier, longer line may follow
    if not line:
        return Fault(f"a process that loads the kernels {error}")
    action, numbers, kernel = line.split(" ", 2)
    words = np.frombuffer(bytes.fromhex(numbers), dtype=np.uint64)
    what = f"{error}" if error.exit_code is not None else f"does not return within {patience_s:g} s"
    return Fault(f"{kernel} {what}", words, None if action == "-" else int(action))


# --- in the child --------------------------------------------------------------------------


def run_kernels(
    game: Game,
    plan: SamplePlan,
    log: str,
    feature_sets: Sequence[FeatureSet] | None = None,
    pattern_sets: Sequence[PatternSet] | None = None,
) -> Probed:
    """Run the kernels in this process, and write each call to the file `log` before making it."""
    descriptor = os.open(log, os.O_WRONLY)
    try:
        with interrupt_hangs(game):
            if feature_sets is None:
                feature_sets = _registered("features", load_features, game)
            if pattern_sets is None:
                pattern_sets = _registered("patterns", load_patterns, game)
            calls = _CheckedCalls(game, descriptor)
            sample = plan.sample(game, calls)
            for words in sample.words:
                with suppress(RulesError):  # a method in Python has failed: the other checks report it
                    calls.check_rules(sample, words)
            faults = tuple(_first_faults(calls, sample, feature_sets, pattern_sets))
            return Probed(faults, positions=len(sample.words))
    except KernelFaultError as error:
        return Probed((error.fault,))
    except HangError as error:
        return Probed((Fault(str(error)),))
    finally:
        os.close(descriptor)


def _registered(
    kind: Literal["features", "patterns"], load: Callable[[str, Game], Declared], game: Game
) -> list[Declared]:
    sets = []
    for offer in registry().offers(kind, game.facts.name):
        try:
            sets.append(load(offer.entry.name, game))
        except BoardgamesError:  # reported by the check of that kind
            continue
    return sets


def _first_faults(
    calls: "_CheckedCalls",
    sample: Sample,
    feature_sets: Sequence[FeatureSet],
    pattern_sets: Sequence[PatternSet],
) -> Iterator[Fault]:
    """Yield the first fault of each kernel that is not part of the rules."""

    def order(words: Words) -> None:
        for action in calls.actions(sample, words):
            calls.order(words, action)

    def tactical(words: Words) -> None:
        calls.legal_moves(words, "tactical_moves")

    features: list[Callable[[Words], None]] = [
        partial(calls.features, feature_set) for feature_set in feature_sets
    ]
    patterns: list[Callable[[Words], None]] = [
        partial(calls.patterns, pattern_set) for pattern_set in pattern_sets
    ]
    checks = [tactical, order, calls.evaluate, calls.key, calls.pass_turn, *features, *patterns]
    with suppress(BoardgamesError):  # reported by the check of the observation
        checks.append(partial(calls.observation, observation_of(calls.game)))
    for check in checks:
        try:
            for words in sample.words:
                with suppress(RulesError):  # as above
                    check(words)
        except KernelFaultError as error:
            yield error.fault


class _CheckedCalls(Calls):
    """Calls kernels with guarded buffers, and logs each call first."""

    def __init__(self, game: Game, descriptor: int) -> None:
        super().__init__(game)
        self._descriptor = descriptor

    def legal_moves(self, words: Words, name: str = "legal_moves") -> WrittenMoves:
        """Return the actions that a kernel writes; raise KernelFaultError if it exceeds its buffer."""
        kernel, size = getattr(self.game.kernels, name), self.game.facts.actions

        def written(room: int) -> tuple[int, np.ndarray]:
            buffer = np.full(room + GUARD, FILLS[1], dtype=np.int64)
            return int(kernel(words.copy(), buffer[:room])), buffer

        count, buffer = self._run(
            name,
            partial(written, size),
            words,
            None,
            f"its buffer of facts.actions = {size}",
            partial(written, size + MORE_ROOM),
        )
        if count > size or not (buffer[size:] == FILLS[1]).all():
            raise self._fault(f"{name} writes {count} moves into a buffer of facts.actions = {size}", words)
        kept = max(count, 0)
        return WrittenMoves(tuple(buffer[:kept].tolist()), count, bool((buffer[kept:] == FILLS[1]).all()))

    def side_to_move(self, words: Words) -> int:
        """Return the side to move."""
        return self._run("side_to_move", lambda: int(self.game.kernels.side_to_move(words.copy())), words)

    def outcome(self, words: Words) -> int:
        """Return the code of the outcome."""
        return self._run("outcome", lambda: int(self.game.kernels.outcome(words.copy())), words)

    def apply(self, words: Words, action: int) -> Words:
        """Return the successor; raise KernelFaultError if `apply` writes too few or too many words."""
        return self._successor("apply", partial(self.game.kernels.apply, words.copy(), action), words, action)

    def pass_turn(self, words: Words) -> None:
        """Check `pass_turn`, which may write nothing if passing is not possible."""
        call = partial(self.game.kernels.pass_turn, words.copy())
        self._successor("pass_turn", call, words, None, may_be_empty=True)

    def evaluate(self, words: Words) -> None:
        """Check that the evaluation does not read beyond its weights."""
        evaluation = self.game.evaluation
        arrays = arrays_of(evaluation.weights)
        longer = [np.concatenate([one, np.zeros((MORE_ROOM, *one.shape[1:]), one.dtype)]) for one in arrays]
        argument = argument_of(with_arrays(evaluation.weights, longer))
        self._run(
            "evaluate",
            lambda: evaluation.value(words.copy()),
            words,
            None,
            f"its {sum(one.size for one in arrays)} weights",
            lambda: evaluation.kernel(words.copy(), argument),
        )

    def features(self, feature_set: FeatureSet, words: Words) -> None:
        """Check that a feature set writes each of its features and nothing else."""
        names = [feature.name for feature in feature_set.features]
        self._check_numbers(f"features {feature_set.name!r}", feature_set.kernel, names, words, REAL_FILLS)

    def observation(self, observation: Observation, words: Words) -> None:
        """Check the planes of an observation."""
        names = [
            f"row {row}, column {column} of {plane!r}"
            for plane in observation.planes
            for row in range(observation.rows)
            for column in range(observation.columns)
        ]
        self._check_numbers("the observation", observation.kernel, names, words, BYTE_FILLS, np.int8)

    def patterns(self, pattern_set: PatternSet, words: Words) -> None:
        """Check that a pattern set writes each of its cells and nothing else, and computes a phase."""
        name, cells = f"patterns {pattern_set.name!r}", [f"cell {cell}" for cell in range(pattern_set.cells)]
        self._check_numbers(name, pattern_set.kernel, cells, words, FILLS)
        for side in (0, 1):
            self._run(f"phase of {name}", partial(pattern_set.phase, words.copy(), side), words)

    def _check_numbers(
        self,
        name: str,
        kernel: Callable[[Words, int, Any], None],  # into an array of integers or real numbers
        names: Sequence[str],
        words: Words,
        fills: tuple[float, float],
        dtype: npt.DTypeLike | None = None,
    ) -> None:
        """Check that a kernel writes one number for each name, from the point of view of each side."""
        size = len(names)
        for side in (0, 1):
            results = []
            for fill in fills:

                def written(room: int, fill: float = fill, side: int = side) -> np.ndarray:
                    out = np.full(room + GUARD, fill, dtype)
                    kernel(words.copy(), side, out[:room])
                    return out

                room = f"its buffer of {size} numbers"
                results.append(
                    self._run(
                        name, partial(written, size), words, None, room, partial(written, size + MORE_ROOM)
                    )
                )
                if not (results[-1][size:] == fill).all():
                    raise self._fault(f"{name} writes beyond {room}", words)
            same = (results[0][:size] == results[1][:size]) | np.isnan(results[0][:size])
            if not same.all():
                missing = [one for one, kept in zip(names, same, strict=True) if not kept]
                more = f" and {len(missing) - MAX_NAMED} more" if len(missing) > MAX_NAMED else ""
                named = ", ".join(missing[:MAX_NAMED])
                raise self._fault(f"{name} leaves numbers unwritten ({named}{more})", words)

    def key(self, words: Words) -> None:
        """Check `symmetric_key`."""
        self._run("symmetric_key", lambda: int(self.game.kernels.symmetric_key(words.copy())), words)

    def order(self, words: Words, action: int) -> None:
        """Check `move_order`."""
        self._run(
            "move_order", lambda: int(self.game.kernels.move_order(words.copy(), action)), words, action
        )

    def check_rules(self, sample: Sample, words: Words) -> None:
        """Run the rules in a position, and `apply` with all legal moves."""
        self.side_to_move(words)
        self.outcome(words)
        for action in self.actions(sample, words):
            self.apply(words, action)

    def actions(self, sample: Sample, words: Words) -> tuple[int, ...]:
        """Return the legal actions to check, or none if `legal_moves` is faulty."""
        written = self.legal_moves(words)
        if not is_sound(self.game, written):
            return ()
        return selected(sample, words, written.actions)

    def _successor(
        self,
        name: str,
        call: Callable[[Words], None],
        words: Words,
        action: int | None,
        *,
        may_be_empty: bool = False,
    ) -> Words:
        size = self.game.facts.words
        buffers = []
        for fill in FILLS:

            def written(room: int, fill: int = fill) -> Words:
                buffer = np.full(room + GUARD, fill, dtype=np.int64).view(np.uint64)
                call(buffer[:room])
                return buffer

            buffers.append(
                self._run(
                    name,
                    partial(written, size),
                    words,
                    action,
                    f"the successor of facts.words = {size}",
                    partial(written, size + MORE_ROOM),
                )
            )
            if not (buffers[-1][size:].view(np.int64) == fill).all():
                raise self._fault(
                    f"{name} writes beyond the successor of facts.words = {size}", words, action
                )
        unwritten = np.flatnonzero(buffers[0][:size] != buffers[1][:size]).tolist()
        if unwritten and not is_repeatable(call, size):
            return buffers[0][:size].copy()  # reported by another check
        if unwritten and not (may_be_empty and len(unwritten) == size):
            what = "word" if len(unwritten) == 1 else "words"
            places = ", ".join(map(str, unwritten))
            raise self._fault(f"{name} leaves {what} {places} of the successor unwritten", words, action)
        return buffers[0][:size].copy()

    def _run(
        self,
        name: str,
        call: Callable[[], Result],
        words: Words,
        action: int | None = None,
        room: str = "",
        with_more_room: Callable[[], object] | None = None,
    ) -> Result:
        """Log a call and run it. Exceptions become a KernelFaultError, but a RulesError is passed on."""
        place = "-" if action is None else action
        os.pwrite(self._descriptor, f"{place} {words.tobytes().hex()} {name}\n".encode(), 0)
        try:
            return call()
        except IndexError:
            if with_more_room is not None and _succeeds(with_more_room):
                where = room
            else:
                where = f"the end of an array ({room})" if room else "the end of an array"
            raise self._fault(f"{name} reads or writes beyond {where}", words, action) from None
        except RulesError:  # by a method in Python
            raise
        except Exception as error:  # noqa: BLE001 - a kernel must not raise anything
            raise self._fault(f"{name} raises {describe_error(error)}", words, action) from None

    @staticmethod
    def _fault(message: str, words: Words, action: int | None = None) -> KernelFaultError:
        return KernelFaultError(Fault(message, words.copy(), action))


def _succeeds(call: Callable[[], object]) -> bool:
    try:
        call()
    except Exception:  # noqa: BLE001 - then the fault is elsewhere
        return False
    return True
