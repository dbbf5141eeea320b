"""`boardgames forget`: listing and deleting what agents have learned while playing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def learned(home: Path, bg: Run) -> Path:
    """Let both kinds of agents that learn play a match; return the folder of their files."""
    for agent in ("td:learn=true", "value-iteration:learn=true"):
        played = bg("play", "connect4", "--agent", agent, "--first", "random", "--seed", "1")
        assert played.code == 0
    return home / "data" / "weights"


def test_what_was_learned_is_listed(learned: Path, bg: Run) -> None:
    assert bg("forget", "connect4").out.splitlines() == [
        f"td: {learned / 'connect4-td.safetensors'}",
        f"value-iteration: {learned / 'connect4-value-iteration.safetensors'}",
        "`boardgames forget connect4 NAME` deletes one",
    ]
    assert bg("forget", "abalone").out == "no agent has learned anything while playing abalone\n"


def test_the_game_plays_with_its_own_policy_again_once_the_learned_one_is_deleted(
    learned: Path, bg: Run
) -> None:
    path = learned / "connect4-value-iteration.safetensors"
    ran = bg("forget", "connect4", "value-iteration", "--yes")
    assert (ran.code, ran.out) == (0, f"deleted {path}\n")
    assert [file.name for file in learned.iterdir()] == ["connect4-td.safetensors"]
    again = bg("play", "connect4", "--agent", "value-iteration:learn=true", "--first", "random")
    assert again.code == 0
    assert path.exists()


def test_nothing_is_deleted_without_consent(learned: Path, bg: Run) -> None:
    ran = bg("forget", "connect4", "td")
    assert (ran.code, "--yes is required" in ran.err) == (2, True)
    assert len(list(learned.iterdir())) == 2


def test_unknown_names_are_reported_with_suggestions(learned: Path, bg: Run) -> None:
    assert bg("forget", "connect4", "value", "--yes").err == (
        "error: nothing was learned under the name 'value'; available: td, value-iteration\n"
    )
    assert "no such game 'conect4'; did you mean 'connect4'" in bg("forget", "conect4").err
