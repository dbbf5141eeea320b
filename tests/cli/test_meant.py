"""Unknown options and commands: the message says what was meant."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("arena connect4 greedy random --games 10", "--matches"),
        ("play connect4 --difficulty 3", "--level"),
        ("play connect4 --opponent mcts", "--agent"),
        ("train connect4 --steps 10", "--set steps=10"),
        ("train connect4 --steps=10 --seed 1", "--set steps=10"),
        ("train connect4 --steps --seed 1", "--set steps=VALUE"),
        ("train connect4 --lr 0.1", "--set alpha=0.1"),
        ("train connect4 --test-matches 10", "--set test_matches=10"),
        ("train abalone --evolve --steps 10", "--set generations=10"),
        ("train abalone --learner cem --elite 3", "--set elite=3"),
        ("experiment connect4 ablation --repetitions 2", "--set repetitions=2"),
        ("play abalone --depth 3", "--agent alphabeta:depth=3"),
        ("play abalone --simulations 30", "--agent mcts:simulations=30"),
        ("play connect4 --levle 3", "--level"),
    ],
)
def test_the_error_of_an_unknown_option_suggests_what_was_meant(line: str, meant: str, bg: Run) -> None:
    done = bg(*line.split())
    said = rf"error: no such option '--[a-z-]+'; did you mean {re.escape(repr(meant))}\?\n"
    assert (done.code, bool(re.fullmatch(said, done.err))) == (2, True), done.err


@pytest.mark.parametrize("option", ["--games", "--matches", "--rounds"])
def test_several_matches_are_played_by_the_arena(option: str, bg: Run) -> None:
    done = bg("play", "connect4", option, "5")
    said = "this command plays one match; for many between agents, see `boardgames arena --help`"
    assert (done.code, done.err) == (2, f"error: no such option '{option}'; {said}\n")


@pytest.mark.slow
@pytest.mark.parametrize("line", ["train connect4 --steps 10", "play connect4 --simulations 30"])
def test_an_unknown_option_is_reported_without_compiling(line: str, program: Run, tmp_path: Path) -> None:
    done = program(*line.split(), BOARDGAMES_HOME=str(tmp_path / "new"))
    assert done.code == 2
    assert not [path for path in (tmp_path / "new").rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("command", "rest"),
    [("train", "--learner nosuch --elite 3"), ("play", "nosuch --depth 3"), ("show", "connect4 --xyz")],
)
def test_the_error_names_the_help_if_there_is_nothing_similar(command: str, rest: str, bg: Run) -> None:
    assert bg(command, *rest.split()).err.endswith(f"; see `boardgames {command} --help`\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("plya abalone", "'plya'; did you mean 'play' or 'replay'? `boardgames --help` lists all commands"),
        ("tournament abalone", "'tournament'; did you mean 'arena'? `boardgames --help` lists all commands"),
        ("tune connect4", "'tune'; did you mean 'train'? `boardgames --help` lists all commands"),
        ("xyz", "'xyz'; `boardgames --help` lists all commands"),
        ("matches lst", "'lst'; did you mean 'list'? `boardgames matches --help` lists all commands"),
        ("matches view", "'view'; `boardgames matches --help` lists all commands"),
    ],
)
def test_the_error_of_an_unknown_command_names_similar_ones_and_the_help(
    line: str, said: str, bg: Run
) -> None:
    done = bg(*line.split())
    assert (done.code, done.err) == (2, f"error: no command {said}\n")


def test_the_number_of_a_match_without_a_command_suggests_the_command_show(bg: Run) -> None:
    ran = bg("matches", "12")
    assert (ran.code, ran.err) == (2, "error: no command '12'; did you mean `boardgames matches show 12`?\n")
