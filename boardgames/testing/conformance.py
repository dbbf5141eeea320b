"""`check_game`: run every check on a game and return a report."""

import traceback
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from boardgames import plugins
from boardgames.declarations import FeatureSet
from boardgames.errors import (
    BoardgamesError,
    IllegalMoveError,
    PluginError,
    command_line,
    describe_error,
    quote,
)
from boardgames.faults import HangError, must_propagate
from boardgames.game import Game, Position
from boardgames.kernels import Words
from boardgames.plain_game import PlainGame
from boardgames.plugins import load_features, load_patterns
from boardgames.testing import checks
from boardgames.testing.checks import RunningCheck, counted
from boardgames.testing.hangs import interrupt_hangs
from boardgames.testing.mirrors import check_mirrors
from boardgames.testing.probe import SamplePlan, place_isolated, probe_kernels
from boardgames.testing.reference import (
    PlainRules,
    Reference,
    check_reference,
    check_reference_perft,
    reference_file,
)
from boardgames.testing.results import check_coverage, check_results, check_stuck
from boardgames.testing.sampling import Fault, Place, Sample, place, selected, write_moves

Declared = TypeVar("Declared")

MAX_FINDINGS = 3
"""Number of findings after which a check is stopped."""
MATCHES = 24
POSITIONS = 120

NO_REFERENCE = (
    "the rules themselves were not checked: only a comparison with a second implementation, written from the "
    "rule book, can find a missing legal move, or a win that is missed or given to the wrong side; pass one "
    "with --reference module:Class, or reference=... in Python (see boardgames.testing.Reference)"
)
OVERFLOW = "the other checks did not run, because legal_moves writes beyond its buffer of facts.actions"
NO_CALLS = "the other checks did not run, because they call the kernels"
UNSAFE = "the other checks did not run, because this call may crash or hang the program"
NOT_PROBED = "the kernels were not run in a separate process first, because the game cannot be created there"
NO_PERFT = "no perft is declared: leaf counts from another source, in facts.perft, can also show wrong rules"


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that a check has detected.

    Attributes
    ----------
    check : str
        Name of the check.
    message : str
        What is wrong, with the move and the position.
    position, move : str
        Texts of the position and the move; empty if the fault does not concern a single one.
    command : str
        The `boardgames check` command that reproduces this fault.
    """

    check: str
    message: str
    position: str = ""
    move: str = ""
    command: str = ""

    def __str__(self) -> str:
        return f"{self.check}: {self.message}"


@dataclass(frozen=True, slots=True)
class Check:
    """A check that was run: its name and a description of what it covered."""

    name: str
    covered: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of checking one game.

    Attributes
    ----------
    game : str
        The game with its options, as returned by `Game.describe`.
    checks : tuple of Check
        The checks, in the order in which they were run.
    findings : tuple of Finding
        The faults, at most three for each check; empty if nothing is wrong.
    notes : tuple of str
        What was not checked, and what to do about it.
    remarks : tuple of Finding
        What is unusual, but may be right in this game.

    Examples
    --------
    >>> report = CheckReport("nim", (Check("actions", "12 positions"),), ())
    >>> report.ok
    True
    >>> print(report)
    nim: 1 check
      actions: 12 positions
    no findings
    """

    game: str
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    remarks: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Return True if there are no findings."""
        return not self.findings

    def failed(self) -> frozenset[str]:
        """Return the names of the checks that have findings."""
        return frozenset(finding.check for finding in self.findings)

    def raise_if_failed(self) -> None:
        """Raise an error if there are findings.

        Raises
        ------
        PluginError
            With all findings in its message.
        """
        if self.findings:
            findings = "; ".join(str(finding) for finding in self.findings)
            raise PluginError(f"{self.game} has faults: {findings}")

    def __str__(self) -> str:
        total = counted(len(self.findings), "finding") if self.findings else "no findings"
        remarks = f", {counted(len(self.remarks), 'remark')}" if self.remarks else ""
        lines = [f"{self.game}: {counted(len(self.checks), 'check')}"]
        lines += [f"  {check.name}: {check.covered}" for check in self.checks]
        for label, found in (("FAILED", self.findings), ("remark:", self.remarks)):
            for finding in found:
                lines.append(f"  {label} {finding}")
                if finding.command:
                    lines.append(f"    reproduce: {finding.command}")
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes), f"{total}{remarks}"])


def check_game(
    game: Game,
    *,
    matches: int = MATCHES,
    positions: int = POSITIONS,
    seed: int = 0,
    reference: Reference[Any] | None = None,  # the state has a type of the reference
    perft_depth: int | None = None,
    feature_sets: Sequence[FeatureSet] | None = None,
    isolated: bool = False,
    only: Collection[str] = (),
    at: Sequence[Position] = (),
    move: str = "",
    announce: Callable[[str], object] = lambda name: None,
) -> CheckReport:
    """Check, in positions from random play, that a game implements the interface correctly.

    Parameters
    ----------
    game : Game
        The game with its options; only these options are checked.
    matches : int
        Number of random matches.
    positions : int
        Number of positions to check closely.
    seed : int
        Seed of the matches; equal seeds give equal reports.
    reference : Reference, optional
        A second implementation of the rules; without one, the rules are not checked. For a `PlainGame`
        that also has kernels, its methods are the default.
    perft_depth : int, optional
        Maximum depth of perft; by default, as deep as is possible with a few million leaves.
    feature_sets : sequence of FeatureSet, optional
        The feature sets to check; by default all that plug-ins offer for the game.
    isolated : bool
        Run the kernels in a separate process first, with bounds checks, and interrupt Python methods
        that do not return, so that a crash or a hang becomes a finding. `boardgames check` does
        this. The process creates the game again, so its class must be importable. The interval timer
        of this process (`SIGALRM`) is used.
    only : collection of str
        Names of the checks to run, from `CHECKS`; by default all checks.
    at : sequence of Position
        Check these positions instead of those of random matches.
    move : str
        Check only this move, in canonical notation, in the positions `at`.
    announce : callable
        Called with the name of each check before it is run.

    Returns
    -------
    CheckReport
        Findings, what each check covered, and what was not checked.

    Raises
    ------
    IllegalMoveError
        If `move` is not legal in any of the positions.

    Examples
    --------
    >>> from boardgames import load
    >>> check_game(load("connect4"), matches=1, positions=5, perft_depth=2).ok
    True
    """
    given = tuple(tuple(position.words.tolist()) for position in at)
    plan = SamplePlan(matches, positions, seed, given, move)
    if reference is None and isinstance(game, PlainGame) and game.compiled():
        reference = PlainRules(game)
    run = _Run(game, plan, reference, frozenset(only), announce)
    with interrupt_hangs(game) if isolated else nullcontext():
        try:
            return _run_checks(run, perft_depth, feature_sets, is_isolated=isolated)
        except HangError as error:
            run.add(run.current, _raised(game, error), partial(place, game))
            run.checks.append(Check(run.current, "stopped, because a call does not return"))
            return run.report(UNSAFE)


def _run_checks(
    run: "_Run", perft_depth: int | None, feature_sets: Sequence[FeatureSet] | None, *, is_isolated: bool
) -> CheckReport:
    """Run the requested checks, except checks that are not safe to run.

    Raises
    ------
    HangError, IllegalMoveError
        See `check_game`.
    """
    game, plan, reference = run.game, run.plan, run.reference
    run.check("signatures", lambda: checks.check_signatures(game))
    if run.findings:  # a kernel with another signature would misread its arguments
        return run.report(NO_CALLS)
    if is_isolated and not run.probe():
        return run.report(UNSAFE)
    run.check("facts", lambda: checks.check_facts(game))
    run.check("unit", lambda: checks.check_unit(game))
    sample = plan.sample(game)
    if plan.move and not any(
        selected(sample, words, write_moves(game, words).actions) for words in sample.words
    ):
        given = ", ".join(map(str, sample.positions()))
        raise IllegalMoveError(f"illegal move {quote(plan.move)} in {given}")
    if any(write_moves(game, words).count > game.facts.actions for words in sample.words):
        run.check("actions", lambda: checks.check_actions(sample))
        return run.report(OVERFLOW)
    for name, check in _SAMPLE_CHECKS.items():
        run.check(name, partial(check, sample))
    if game.facts.repetition is not None:
        run.check("repetition", lambda: checks.check_repetition(sample))
    run.check("features", lambda: checks.check_features(sample, _feature_sets(feature_sets, run)))
    run.check("patterns", lambda: checks.check_patterns(sample, _registered("patterns", load_patterns, run)))
    run.check("exercises", lambda: checks.check_exercises(game))
    run.check("perft", lambda: checks.check_perft(game, perft_depth))
    if reference is None:
        return run.report(NO_REFERENCE, *(() if game.facts.perft else (NO_PERFT,)))
    run.check("reference", lambda: check_reference(sample, reference))
    run.check("reference-perft", lambda: check_reference_perft(game, reference, perft_depth))
    return run.report()


_SAMPLE_CHECKS: dict[str, Callable[[Sample], RunningCheck]] = {
    "playouts": checks.check_playouts,
    "coverage": check_coverage,
    "stuck": check_stuck,
    "results": check_results,
    "actions": checks.check_actions,
    "apply": checks.check_apply,
    "inputs": checks.check_inputs,
    "purity": checks.check_purity,
    "outcomes": checks.check_outcomes,
    "sides": checks.check_sides,
    "move-notation": checks.check_move_notation,
    "position-notation": checks.check_position_notation,
    "words": checks.check_words,
    "bad-input": checks.check_bad_input,
    "pictures": checks.check_pictures,
    "overlays": checks.check_overlays,
    "score": checks.check_score,
    "evaluation": checks.check_evaluation,
    "symmetries": checks.check_symmetries,
    "mirrors": check_mirrors,
    "tactical": checks.check_tactical,
    "keys": checks.check_keys,
    "observation": checks.check_observation,
}


CHECKS = (
    "kernels",
    "signatures",
    "facts",
    "unit",
    *_SAMPLE_CHECKS,
    "repetition",
    "features",
    "patterns",
    "exercises",
    "perft",
    "reference",
    "reference-perft",
)
"""The names of all checks, in the order in which they are run."""


class _Run:
    """The checks that have been run so far, and what they have found."""

    def __init__(
        self,
        game: Game,
        plan: SamplePlan,
        reference: Reference[Any] | None,
        only: frozenset[str],
        announce: Callable[[str], object],
    ) -> None:
        self.game, self.plan, self.reference, self.only = game, plan, reference, only
        self.announce = announce
        self.checks: list[Check] = []
        self.findings: list[Finding] = []
        self.remarks: list[Finding] = []
        self.notes: list[str] = []
        self._exceptions: dict[str, str] = {}
        """For each exception, by its message: the check that reported it."""
        self.current = "playouts"
        """Name of the check that is running; `playouts` while matches are sampled for all checks."""

    def check(self, name: str, start: Callable[[], RunningCheck]) -> None:
        """Run a check if it was requested, until its third finding; an exception counts as a finding."""
        if self.only and name not in self.only:
            return
        covered, found = f"stopped after {MAX_FINDINGS} findings", 0
        before, self.current = self.current, name
        self.announce(name)
        try:
            running = start()
            while found < MAX_FINDINGS:
                found += self.add(name, next(running), partial(place, self.game))
        except StopIteration as end:
            covered = end.value
        except BaseException as error:
            if must_propagate(error):
                raise
            covered = self._add_exception(name, error)
        self.current = before
        self.checks.append(Check(name, covered))

    def _add_exception(self, check: str, error: BaseException) -> str:
        """Report an exception as a finding, unless an earlier check did; return what stopped this check."""
        fault = _raised(self.game, error, self.reference)
        message = fault.message.rstrip(",")  # there is a comma if a position follows
        if message in self._exceptions:
            return f"stopped by the same exception as {self._exceptions[message]}"
        self._exceptions[message] = check
        self.add(check, fault, partial(place, self.game))
        return "stopped by an exception"

    def probe(self) -> bool:
        """Run the kernels in a separate process; return False if they are not safe to call here."""
        self.announce("kernels")
        probed = probe_kernels(self.game, self.plan)
        if probed.problem:
            self.notes.append(f"{NOT_PROBED}: {probed.problem}")
            return True
        for fault in probed.faults:
            self.add("kernels", fault, partial(place_isolated, self.game))
        covered = f"{counted(probed.positions, 'position')}, with bounds checks in a separate process"
        self.checks.append(Check("kernels", "stopped by a fault" if probed.faults else covered))
        return not probed.faults

    def add(self, check: str, fault: Fault | str, locate: Callable[[Words, int | None], Place]) -> bool:
        """Add a fault as a finding or a remark; return True if it is a finding."""
        if isinstance(fault, str):
            fault = Fault(fault)
        places = [] if fault.words is None else [locate(fault.words, fault.action)]
        places += [locate(words, None) for words in fault.others]
        message = fault.message
        if places:
            message += (
                f": {places[0].move} in {places[0].quoted}" if places[0].move else f" in {places[0].quoted}"
            )
        finding = Finding(
            check,
            message,
            places[0].position if places else "",
            places[0].move if places else "",
            self._command(check, places),
        )
        (self.remarks if fault.is_remark else self.findings).append(finding)
        return not fault.is_remark

    def _command(self, check: str, places: Sequence[Place]) -> str:
        """Return the command that reproduces a fault."""
        game, plan = self.game, self.plan
        words = ["boardgames", "check", game.facts.name]
        layouts = list(game.facts.layouts)
        if layouts and game.layout != layouts[0]:
            words += ["--layout", game.layout]
        for name, value in game.changed_options():
            words += ["--option", f"{name}={value}"]
        if places and all(one.is_exact for one in places):
            words += [part for one in places for part in ("--position", one.position)]
            if places[0].move:
                words += ["--move", places[0].move]
        else:
            given = (
                ("matches", plan.matches, MATCHES),
                ("positions", plan.positions, POSITIONS),
                ("seed", plan.seed, 0),
            )
            words += [
                part
                for name, value, default in given
                if value != default
                for part in (f"--{name}", str(value))
            ]
        is_given = self.reference is not None and not isinstance(self.reference, PlainRules)
        if is_given and check.startswith("reference"):
            kind = type(self.reference)
            words += ["--reference", f"{kind.__module__}:{kind.__qualname__}"]
        return command_line([*words, "--only", check])

    def report(self, *notes: str) -> CheckReport:
        """Return the report."""
        return CheckReport(
            self.game.describe(),
            tuple(self.checks),
            tuple(self.findings),
            () if self.only else (*self.notes, *notes),
            tuple(self.remarks),
        )


def _raised(game: Game, error: BaseException, reference: Reference[Any] | None = None) -> Fault:
    """Convert an exception into a fault, with the line that raised it and the position being checked."""
    trace = list(traceback.walk_tb(error.__traceback__))
    if isinstance(error, PluginError) and error.__cause__ is not None:  # the game's own exception
        error = error.__cause__
        trace += traceback.walk_tb(error.__traceback__)
    message = str(error) if isinstance(error, BoardgamesError) else describe_error(error)
    package, words = type(game).__module__.partition(".")[0], None
    place_of_error, other = "", reference_file(reference)
    for frame, line in trace:
        module, code = str(frame.f_globals.get("__name__")), frame.f_code
        if module.partition(".")[0] == package:
            place_of_error = f", raised in {code.co_name} ({Path(code.co_filename).name}:{line}),"
        elif other and Path(code.co_filename) == Path(other):
            place_of_error = f", raised in {code.co_name} of the reference ({other}:{line}),"
        elif module.startswith("boardgames.testing."):
            position, given = frame.f_locals.get("position"), frame.f_locals.get("words")
            given = position.words if isinstance(position, Position) else given
            words = given.copy() if isinstance(given, np.ndarray) else words
    if isinstance(error, HangError):  # the message already names the line
        return Fault(f"{error}," if words is not None else str(error), words)
    message += place_of_error or ","
    return Fault(message if words is not None else message.rstrip(","), words)


def _feature_sets(given: Sequence[FeatureSet] | None, run: _Run) -> tuple[FeatureSet, ...]:
    return _registered("features", load_features, run) if given is None else tuple(given)


def _registered(
    kind: Literal["features", "patterns"], load: Callable[[str, Game], Declared], run: _Run
) -> tuple[Declared, ...]:
    """Load what plug-ins offer for the game; an offer that cannot be loaded is a finding."""
    loaded = []
    for offer in plugins.registry().offers(kind, run.game.facts.name):
        try:
            loaded.append(load(offer.entry.name, run.game))
        except BoardgamesError as error:
            run.add(kind, str(error), partial(place, run.game))
    return tuple(loaded)
