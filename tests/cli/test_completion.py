"""Completion of the command line: what each kind of value is completed to."""

from collections.abc import Callable
from pathlib import Path

import pytest
from training import small

from boardgames.cli.completion import register_shells
from boardgames.cli.main import bg as group
from boardgames.cli.program import COMPLETION_VARIABLE
from boardgames.learning.runs import Run as Folder

Complete = Callable[[str], list[str]]


@pytest.fixture
def complete(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Complete:
    """Return a function that returns the completions in bash of the last word of a line."""
    register_shells()

    def run(line: str) -> list[str]:
        with monkeypatch.context() as patched:
            patched.setenv(COMPLETION_VARIABLE, "bash_complete")
            patched.setenv("COMP_WORDS", line)
            patched.setenv("COMP_CWORD", line.rpartition(" ")[2])
            with pytest.raises(SystemExit):
                group.main(prog_name="boardgames", complete_var=COMPLETION_VARIABLE)
        # click prints an empty line if there is nothing
        return [row.partition(",")[2] for row in capsys.readouterr().out.splitlines() if row]

    return run


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("boardgames pl", ["play", "plot", "plugins"]),
        ("boardgames show con", ["connect4"]),
        ("boardgames play abalone --layout b", ["belgian-daisy"]),
        ("boardgames play --layout b", []),
        ("boardgames play connect4 --layout 8x", ["8x7", "8x8", "8x4", "8x5", "8x6"]),
        ("boardgames show abalone --notation n", ["nacre"]),
        ("boardgames show abalone --notation f", ["fen"]),
        ("boardgames play abalone --notation f", ["fen"]),
        ("boardgames play abalone --option ", ["broadside=", "limit="]),
        ("boardgames play abalone --option limit=", ["limit=draw", "limit=score"]),
        ("boardgames play abalone --option broadside=", ["broadside=true", "broadside=false"]),
        ("boardgames play abalone --agent sim", ["simple"]),
        ("boardgames play connect4 --agent sim", []),
        ("boardgames arena connect4 random le", ["level"]),
        ("boardgames agents abalone mc", ["mcts"]),
        ("boardgames play abalone --agent alphabeta:de", ["alphabeta:depth="]),
        ("boardgames play abalone --agent mcts:depth=3,dep", []),
        ("boardgames play abalone --agent mcts:prior=o", ["mcts:prior=order"]),
        ("boardgames play abalone --agent td:weights=t", ["td:weights=td", "td:weights=three-terms"]),
        ("boardgames play hexifence --agent nt", []),
        ("boardgames train connect4 --learner ev", ["evolve"]),
        ("boardgames train connect4 --learner nt", ["ntuple"]),
        ("boardgames train hexifence --learner nt", []),
        ("boardgames train connect4 --set lam", ["lambda="]),
        ("boardgames train connect4 --learner evolve --set surv", ["survivors="]),
        ("boardgames experiment abalone fine", ["fine-tuning"]),
        ("boardgames experiment abalone fine-tuning --set coup", ["couples="]),
        ("boardgames play nothing --option ", []),
    ],
)
def test_a_word_is_completed(line: str, words: list[str], complete: Complete) -> None:
    completed = complete(line)
    assert completed[: len(words)] == words
    assert bool(completed) == bool(words)


def test_training_runs_are_completed(home: Path, complete: Complete) -> None:
    Folder.create(home / "runs" / "early", small()).close()
    assert complete("boardgames plot ") == ["early"]
    assert complete("boardgames train --resume ea") == ["early"]
    assert complete("boardgames play connect4 --agent td:weights=ea") == []  # it has no weights yet
    agent = "value-iteration:policy="
    assert complete(f"boardgames play connect4 --agent {agent}ea") == [f"{agent}early"]
