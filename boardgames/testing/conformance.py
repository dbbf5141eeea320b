"""check_game: run every check on one game and report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from boardgames.declarations import FeatureSet
from boardgames.errors import BoardgamesError, PluginError
from boardgames.game import Game
from boardgames.plugins import load_features, registry
from boardgames.testing import checks
from boardgames.testing.checks import Checking, counted
from boardgames.testing.reference import Reference, check_reference, check_reference_perft
from boardgames.testing.sampling import reach, write_moves

FINDINGS_A_CHECK = 3
MATCHES = 24
POSITIONS = 120

NO_REFERENCE = (
    "the rules themselves were not checked: a legal move never offered, a win not seen or given to the "
    "wrong side shows only against a slow reference written from the rule book; give one with "
    "--reference module:Class, or reference=... in Python (see boardgames.testing.Reference)"
)
OVERFLOW = "the other checks did not run: `legal_moves` writes more than `facts.actions`, into foreign memory"
NO_PERFT = "no perft is declared: counts from another source in facts.perft find wrong rules too"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: the check that saw it, and what it saw where."""

    check: str
    message: str

    def __str__(self) -> str:
        return f"{self.check}: {self.message}"


@dataclass(frozen=True, slots=True)
class Check:
    """A check that ran: its name and what it covered, in words."""

    name: str
    covered: str


@dataclass(frozen=True, slots=True)
class Report:
    """The result of checking one game.

    Attributes
    ----------
    game : str
        The game as `Game.describe` has it.
    checks : tuple of Check
        In the order in which they ran.
    findings : tuple of Finding
        Empty if nothing is wrong; a check gives at most three.
    notes : tuple of str
        What could not be checked, and what to do about it.

    Examples
    --------
    >>> report = Report("nim", (Check("actions", "12 positions"),), ())
    >>> report.ok
    True
    >>> print(report)
    nim: 1 check, no finding
      actions: 12 positions
    """

    game: str
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Say whether nothing was found."""
        return not self.findings

    def failed(self) -> frozenset[str]:
        """Return the names of the checks that found something."""
        return frozenset(finding.check for finding in self.findings)

    def raise_if_failed(self) -> None:
        """Do nothing if the report is clean.

        Raises
        ------
        PluginError
            With all findings in one clause, if there are any.
        """
        if self.findings:
            told = "; ".join(str(finding) for finding in self.findings)
            raise PluginError(f"expected {self.game} to keep the rules for games: {told}")

    def __str__(self) -> str:
        found = counted(len(self.findings), "finding") if self.findings else "no finding"
        lines = [f"{self.game}: {counted(len(self.checks), 'check')}, {found}"]
        lines += [f"  {check.name}: {check.covered}" for check in self.checks]
        lines += [f"  FOUND {finding}" for finding in self.findings]
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
    """Check that a game keeps every rule for games, on positions it reaches itself.

    Parameters
    ----------
    game : Game
        The game with its options; other options are another check.
    matches, positions : int
        Random matches to play, and most positions of them to look at closely.
    seed : int
        Of the matches; equal seeds give equal reports.
    reference : Reference, optional
        Slow rules to compare with; without them the rules are not checked.
    perft_depth : int, optional
        Deepest declared perft to count; by default as far as a few million leaves.
    feature_sets : sequence of FeatureSet, optional
        By default those that plug-ins offer for the game.

    Returns
    -------
    Report
        Findings, what each check covered, and what could not be checked.

    Examples
    --------
    >>> from boardgames import load
    >>> check_game(load("connect4"), matches=1, positions=5, perft_depth=2).ok
    True
    """
    done = _Done()
    done.run("signatures", checks.check_signatures(game))
    if done.findings:  # a kernel of another signature would not read its arguments as they are
        return done.report(game, ("the other checks did not run: they call the kernels",))
    done.run("facts", checks.check_facts(game))
    sample = reach(game, matches=matches, positions=positions, seed=seed)
    if any(write_moves(game, words).count > game.facts.actions for words in sample.words):
        done.run("actions", checks.check_actions(sample))
        return done.report(game, (OVERFLOW,))
    done.run("playouts", checks.check_playouts(sample))
    for name, check in _SAMPLE_CHECKS.items():
        done.run(name, check(sample))
    done.run("features", checks.check_features(sample, _feature_sets(game, feature_sets, done)))
    done.run("perft", checks.check_perft(game, perft_depth))
    if reference is None:
        return done.report(game, (NO_REFERENCE,) if game.facts.perft else (NO_REFERENCE, NO_PERFT))
    done.run("reference", check_reference(sample, reference))
    done.run("reference-perft", check_reference_perft(game, reference, perft_depth))
    return done.report(game, ())


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


class _Done:
    """The checks that have run so far, and what they found."""

    def __init__(self) -> None:
        self.checks: list[Check] = []
        self.findings: list[Finding] = []

    def run(self, name: str, checking: Checking) -> None:
        """Run one check to its end or its third finding; an exception is a finding."""
        covered = f"stopped after {FINDINGS_A_CHECK} findings"
        try:
            for _ in range(FINDINGS_A_CHECK):
                self.findings.append(Finding(name, next(checking)))
        except StopIteration as end:
            covered = end.value
        except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything
            self.findings.append(Finding(name, f"{type(error).__name__}: {error}"))
            covered = "stopped by an exception"
        self.checks.append(Check(name, covered))

    def report(self, game: Game, notes: tuple[str, ...]) -> Report:
        """Return it all as a value."""
        return Report(game.describe(), tuple(self.checks), tuple(self.findings), notes)


def _feature_sets(game: Game, given: Sequence[FeatureSet] | None, done: _Done) -> tuple[FeatureSet, ...]:
    if given is not None:
        return tuple(given)
    return tuple(_registered(game, done))


def _registered(game: Game, done: _Done) -> Iterator[FeatureSet]:
    for offer in registry().offers("features", game.facts.name):
        try:
            yield load_features(offer.entry.name, game)
        except BoardgamesError as error:
            done.findings.append(Finding("features", str(error)))
