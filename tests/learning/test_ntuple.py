"""The learner `ntuple`: which groups it draws, what it saves, and that it learns to play perfectly."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from learning.helpers import make, small, train
from training import content
from training import resume as resume_run
from training import train as train_run

import boardgames
from boardgames import plugins
from boardgames.errors import OptionError, UnknownNameError
from boardgames.executors import InProcess
from boardgames.game import Position
from boardgames.learning.config import Config
from boardgames.learning.ntuple import NTuple, draw_groups
from boardgames.learning.runs import Run
from boardgames.learning.trainer import Trainer
from boardgames.weights import find_weights

CELLS = boardgames.load_patterns("cells", boardgames.load("connect4"))
QUICK = {"steps": 4, "matches": 40, "tuples": 5, "length": 4, "test_matches": 4}


def is_connected(group: tuple[int, ...]) -> bool:
    reached = {group[0]}
    for _ in group:
        reached |= {cell for one in reached for cell in CELLS.neighbours[one] if cell in group}
    return reached == set(group)


def test_drawn_groups_are_walks_of_the_given_length() -> None:
    groups = draw_groups(CELLS, 50, 6, seed=1)
    assert len(groups) == 50
    assert all(len(set(group)) == 6 and is_connected(group) for group in groups)
    assert draw_groups(CELLS, 50, 6, seed=1) == groups != draw_groups(CELLS, 50, 6, seed=2)


def test_no_two_drawn_groups_are_equal_or_symmetric() -> None:
    groups = draw_groups(CELLS, 100, 2, seed=1)
    (mirror,) = CELLS.symmetries
    images = [frozenset(image) for group in groups for image in (group, [mirror[cell] for cell in group])]
    assert len(set(images)) == len(images) - sum(
        frozenset(group) == frozenset(mirror[cell] for cell in group) for group in groups
    )


def test_all_groups_are_drawn_if_there_are_fewer() -> None:
    lonely = replace(CELLS, neighbours=(), symmetries=(), cells=5)
    assert sorted(draw_groups(lonely, 1000, 2, seed=1)) == [
        (first, second) for first in range(5) for second in range(first + 1, 5)
    ]


@pytest.mark.parametrize("groups", [(), ((0, 1),)], ids=["no groups", "with groups"])
@pytest.mark.parametrize("neighbours", [(), ((),) * 42], ids=["too few cells", "not connected"])
def test_impossible_length_is_rejected(
    neighbours: tuple[tuple[int, ...], ...], groups: tuple[tuple[int, ...], ...]
) -> None:
    length, longest = (2, 1) if neighbours else (32, 10)
    with pytest.raises(OptionError, match=f"no {length} connected cells; set length to {longest} or less"):
        draw_groups(
            replace(
                CELLS, neighbours=neighbours, cells=42 if neighbours else 10, symmetries=(), groups=groups
            ),
            3,
            length,
            1,
        )


def test_declared_groups_come_before_drawn_ones(offer: Callable[..., None]) -> None:
    game, corners = boardgames.load("connect4"), ((0, 5), (36, 41))
    offer("bg_patterns", corners=lambda game: replace(CELLS, name="corners", groups=corners))
    assert NTuple(game, patterns="corners").groups(1) == corners
    more = NTuple(game, patterns="corners", tuples=7).groups(1)
    assert more[:2] == corners
    assert len(set(more)) == 9


def test_a_declared_group_is_not_drawn_again() -> None:
    few = replace(CELLS, cells=4, neighbours=(), symmetries=(), groups=((0, 1), (2, 3)))
    assert sorted(draw_groups(few, 10, 2, seed=1)) == [(0, 2), (0, 3), (1, 2), (1, 3)]


def test_settings_that_leave_nothing_to_learn_are_rejected() -> None:
    with pytest.raises(OptionError, match="there are no groups to learn: 'cells' declares none"):
        make("ntuple", tuples=0).start(1)


def test_tables_that_are_too_large_are_rejected() -> None:
    with pytest.raises(OptionError, match=r"would have .* weights; .*; set length or tuples to a smaller"):
        make("ntuple", length=20).start(1)


def test_match_that_needs_too_much_memory_is_rejected(offer: Callable[..., None]) -> None:
    offer("bg_patterns", any=lambda game: replace(CELLS, name="any", neighbours=()))
    game = boardgames.load("connect4")
    game.facts = replace(game.facts, longest_match=None)
    learner = NTuple(game, patterns="any", tuples=1000, length=3, ply_limit=100_000)
    with pytest.raises(OptionError, match=r"a match of 100,000 plies .*; set ply_limit to 67108 or less"):
        learner.start(1)


def test_game_without_patterns_is_rejected() -> None:
    with pytest.raises(OptionError, match="hexifence has no patterns to learn with"):
        NTuple(boardgames.load("hexifence"))


def test_unknown_pattern_set_is_rejected() -> None:
    with pytest.raises(UnknownNameError, match=r"'rows'.*; available: cells"):
        make("ntuple", patterns="rows")


def test_killed_run_ends_with_the_same_bytes(tmp_path: Path) -> None:
    config = Config("connect4", "ntuple", seed=3, settings=QUICK, options={"columns": 5, "rows": 4})
    train_run(tmp_path / "whole", config)
    with Run.create(tmp_path / "parted", config) as run:

        class Killed(InProcess):
            left = 5

            def submit(self, *arguments: object, **named: object) -> object:  # type: ignore[override]
                self.left -= 1
                if self.left == 0:
                    raise KeyboardInterrupt
                return super().submit(*arguments, **named)  # type: ignore[arg-type]  # passed on

        with pytest.raises(KeyboardInterrupt):
            Trainer(run).train(Killed())
    assert resume_run(tmp_path / "parted").progress.step == 4
    assert content(tmp_path / "parted") == content(tmp_path / "whole")


def test_weights_file_has_the_randomly_chosen_groups(tmp_path: Path) -> None:
    config = Config("connect4", "ntuple", seed=3, settings=QUICK, options={"columns": 5, "rows": 4})
    trainer = train_run(tmp_path / "run", config)
    weights, patterns = find_weights(str(tmp_path / "run"), small())
    assert weights.groups == trainer.learner.groups(3)  # type: ignore[attr-defined]  # NTuple has it
    result = trainer.learner.result(trainer.state)  # type: ignore[attr-defined]  # likewise
    assert np.array_equal(result.values, weights.values)
    game = small()
    agent = boardgames.load_player(f"ntuple:weights={tmp_path / 'run'}", game, seed=1)
    evaluation = weights.evaluation(game, patterns)
    best = max(-evaluation.value(game.start().apply(move).words) for move in game.start().legal_moves)
    score = agent.choose(game.start()).score
    assert score is not None
    assert score.amount == pytest.approx(best)


def perfect_value(position: Position, known: dict[Position, int]) -> int:
    """Return the return of the side to move with perfect play."""
    if position.outcome is not None:
        return int(position.outcome.returns[position.side_to_move])
    if position not in known:
        known[position] = max(-perfect_value(position.apply(move), known) for move in position.legal_moves)
    return known[position]


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, 1])
def test_tictactoe_is_learned_perfectly(side: int, tmp_path: Path) -> None:
    """No reply of the opponent wins: all matches that can happen against the agent are played."""
    game = boardgames.load("tictactoe")
    settings = {"steps": 5, "matches": 4000, "length": 9, "epsilon": 0.5, "test_matches": 0}
    learner = plugins.load_learner("ntuple", game, **settings)
    assert isinstance(learner, NTuple)
    learner.result(train(learner, seed=1)[-1]).write(tmp_path / "x")
    agent = boardgames.load_player(f"ntuple:weights={tmp_path / 'x'}", game, seed=1)

    def lost(position: Position) -> bool:
        if position.outcome is not None:
            return position.outcome.returns[side] < 0
        if position.side_to_move == side:
            move = agent.choose(position).move
            assert move is not None
            return lost(position.apply(move))
        return any(lost(position.apply(move)) for move in position.legal_moves)

    assert not lost(game.start())
