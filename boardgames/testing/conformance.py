"""`check_game`: run every check on a game and return a report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from boardgames.declarations import FeatureSet
from boardgames.errors import BoardgamesError, PluginError
from boardgames.game import Game
from boardgames.plugins import load_features, registry
from boardgames.testing import checks
from boardgames.testing.checks import RunningCheck, counted
from boardgames.testing.reference import Reference, check_reference, check_reference_perft
from boardgames.testing.sampling import sample_positions, write_moves

MAX_FINDINGS = 3
"""Findings after which a check is stopped."""
MATCHES = 24
POSITIONS = 120

NO_REFERENCE = (
    "the rules themselves were not checked: a missing legal move, or a win that is missed or given to the "
    "wrong side, shows only in comparison with a second implementation written from the rule book; pass one "
    "with --reference module:Class, or reference=... in Python (see boardgames.testing.Reference)"
)
OVERFLOW = "the other checks did not run, because legal_moves writes beyond its buffer of facts.actions"
NO_PERFT = "no perft is declared: leaf counts from another source in facts.perft reveal wrong rules too"


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that a check has detected: the name of the check, and what is wrong and where."""

    check: str
    message: str

    def __str__(self) -> str:
        return f"{self.check}: {self.message}"


@dataclass(frozen=True, slots=True)
class Check:
    """A check that was run: its name and a description of what it covered."""

    name: str
    covered: str


@dataclass(frozen=True, slots=True)
class Report:
    """The result of checking one game.

    Attributes
    ----------
    game : str
        The game with its options, see `Game.describe`.
    checks : tuple of Check
        In the order in which they were run.
    findings : tuple of Finding
        Empty if nothing is wrong; at most three per check.
    notes : tuple of str
        What was not checked, and what to do about it.

    Examples
    --------
    >>> report = Report("nim", (Check("actions", "12 positions"),), ())
    >>> report.ok
    True
    >>> print(report)
    nim: 1 check, no findings
      actions: 12 positions
    """

    game: str
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()

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
        lines = [f"{self.game}: {counted(len(self.checks), 'check')}, {total}"]
        lines += [f"  {check.name}: {check.covered}" for check in self.checks]
        lines += [f"  FAILED {finding}" for finding in self.findings]
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])


def check_game(
    game: Game,
    *,
    matches: int = MATCHES,
    positions: int = POSITIONS,
    seed: int = 0,
    reference: Reference[Any] | None = None,  # the state is the reference's own
    perft_depth: int | None = None,
    feature_sets: Sequence[FeatureSet] | None = None,
) -> Report:
    """Check on positions from random play that a game implements the interface correctly.

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
        A second implementation of the rules; without it the rules are not checked.
    perft_depth : int, optional
        Deepest declared perft to count; by default as deep as a few million leaves allow.
    feature_sets : sequence of FeatureSet, optional
        By default those that plug-ins register for the game.

    Returns
    -------
    Report
        Findings, what each check covered, and what was not checked.

    Examples
    --------
    >>> from boardgames import load
    >>> check_game(load("connect4"), matches=1, positions=5, perft_depth=2).ok
    True
    """
    run = _Run()
    run.check("signatures", checks.check_signatures(game))
    if run.findings:  # a kernel with another signature would misread its arguments
        return run.report(game, ("the other checks did not run, because they call the kernels",))
    run.check("facts", checks.check_facts(game))
    run.check("unit", checks.check_unit(game))
    sample = sample_positions(game, matches=matches, positions=positions, seed=seed)
    if any(write_moves(game, words).count > game.facts.actions for words in sample.words):
        run.check("actions", checks.check_actions(sample))
        return run.report(game, (OVERFLOW,))
    run.check("playouts", checks.check_playouts(sample))
    for name, check in _SAMPLE_CHECKS.items():
        run.check(name, check(sample))
    run.check("features", checks.check_features(sample, _feature_sets(game, feature_sets, run)))
    run.check("perft", checks.check_perft(game, perft_depth))
    if reference is None:
        return run.report(game, (NO_REFERENCE,) if game.facts.perft else (NO_REFERENCE, NO_PERFT))
    run.check("reference", check_reference(sample, reference))
    run.check("reference-perft", check_reference_perft(game, reference, perft_depth))
    return run.report(game, ())


_SAMPLE_CHECKS = {
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
    "score": checks.check_score,
    "evaluation": checks.check_evaluation,
    "symmetries": checks.check_symmetries,
    "tactical": checks.check_tactical,
    "keys": checks.check_keys,
}


class _Run:
    """The checks that have been run so far, and their findings."""

    def __init__(self) -> None:
        self.checks: list[Check] = []
        self.findings: list[Finding] = []

    def check(self, name: str, running: RunningCheck) -> None:
        """Run a check to its end or its third finding; an exception is a finding."""
        covered = f"stopped after {MAX_FINDINGS} findings"
        try:
            for _ in range(MAX_FINDINGS):
                self.findings.append(Finding(name, next(running)))
        except StopIteration as end:
            covered = end.value
        except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
            self.findings.append(Finding(name, f"{type(error).__name__}: {error}"))
            covered = "stopped by an exception"
        self.checks.append(Check(name, covered))

    def report(self, game: Game, notes: tuple[str, ...]) -> Report:
        """Return the report."""
        return Report(game.describe(), tuple(self.checks), tuple(self.findings), notes)


def _feature_sets(game: Game, given: Sequence[FeatureSet] | None, run: _Run) -> tuple[FeatureSet, ...]:
    if given is not None:
        return tuple(given)
    return tuple(_registered(game, run))


def _registered(game: Game, run: _Run) -> Iterator[FeatureSet]:
    for offer in registry().offers("features", game.facts.name):
        try:
            yield load_features(offer.entry.name, game)
        except BoardgamesError as error:
            run.findings.append(Finding("features", str(error)))
