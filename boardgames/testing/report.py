"""Report: what `check_game` looked at and what it found."""

from dataclasses import dataclass

from boardgames.errors import PluginError


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


def counted(count: int, noun: str) -> str:
    """Return `1 check` or `2 checks`: the number and its noun.

    Examples
    --------
    >>> counted(2, "check")
    '2 checks'
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
