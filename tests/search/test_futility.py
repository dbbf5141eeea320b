"""What is settled near the horizon as it stands, and what a threat to win at once keeps open."""

from dataclasses import replace

import numpy as np
import pytest
from boardgames.search.futility import has_entry, is_threatened
from boardgames.search.means import Means
from boardgames.search.thinking import Thinker
from boardgames.search.tree import MARGIN, PRINCIPAL_SETTINGS, TABLE
from reference.minimax import reached
from reference.searching import near_pushes

import boardgames
from boardgames.game import Position
from boardgames.kernels import FORCING
from boardgames.player import NO_CONTEXT, Limit

ABALONE = boardgames.load("abalone")
KERNELS = ABALONE.kernels
# black needs one more marble, and white has an answer to what it threatens, if it looks four plies ahead
AT_STAKE = ABALONE.parse("...../....w./.wbb.w./.b.b..bb/..bbwbb.w/..bww.w./.b.bb../....w./.....:w:0:5")


def threatened(position: Position) -> bool:
    facts = position.game.facts
    positions = np.zeros((3, facts.words), dtype=np.uint64)
    positions[1] = position.words
    moves = np.zeros((6, facts.actions), dtype=np.int64)
    return bool(
        is_threatened(KERNELS.move_order, KERNELS.tactical_moves, KERNELS.pass_turn, positions, moves, 1)
    )


def at_stake(position: Position, lost: str) -> Position:
    """Return the same marbles with others lost."""
    marbles, side, *_ = str(position).split(":")
    return ABALONE.parse(f"{marbles}:{side}:{lost}")


def passed(position: Position) -> Position:
    marbles, side, *lost = str(position).split(":")
    return ABALONE.parse(":".join([marbles, "w" if side == "b" else "b", *lost]))


@pytest.mark.plain
@pytest.mark.parametrize("lost", ["0:0", "5:0", "0:5", "5:5"])
def test_a_side_is_threatened_if_the_other_one_had_a_forcing_move(lost: str) -> None:
    found = set()
    for seed in range(30):
        position = at_stake(near_pushes(ABALONE, 4, np.random.default_rng(seed)), lost)
        other = passed(position)
        expected = any(KERNELS.move_order(other.words, action) >= FORCING for action in other.actions)
        assert threatened(position) == expected, str(position)
        found.add(expected)
    assert (True in found) == (lost != "0:0")


@pytest.mark.parametrize("depth", [4, 5, 6])
def test_a_side_that_could_lose_at_once_is_not_taken_to_stand_well(depth: int) -> None:
    found = Thinker(ABALONE, ABALONE.evaluation, Means(table=1)).search(
        AT_STAKE, Limit(depth=depth), NO_CONTEXT
    )
    assert str(found.moves[0].move) in {"d7e8", "e9d8"}


# black can trap the last white marble: a side that cannot move has lost
TRAPPED = ABALONE.parse("wb.../b...../..b..../.....bb./........./...b..../.b...b./....../....b:b:0:0")


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 6])
def test_a_side_with_few_moves_is_seen_to_have_none_left(depth: int) -> None:
    found = Thinker(ABALONE, ABALONE.evaluation, Means(table=1)).search(
        TRAPPED, Limit(depth=depth), NO_CONTEXT
    )
    assert not TRAPPED.apply(found.moves[0].move).legal_moves
    assert found.proven


@pytest.mark.parametrize("depth", [6, 7])
def test_what_is_settled_as_it_stands_saves_half_of_the_positions(depth: int) -> None:
    evaluations = {"known": ABALONE.evaluation, "unknown": replace(ABALONE.evaluation, margin=0.0)}
    nodes = dict.fromkeys(evaluations, 0)
    for seed in range(5):
        for name, evaluation in evaluations.items():
            thinker = Thinker(ABALONE, evaluation, Means(table=1, aspiration=False))
            nodes[name] += thinker.search(reached(ABALONE, 20, seed), Limit(depth=depth), NO_CONTEXT).nodes
    assert nodes["known"] < nodes["unknown"] / 2


def test_a_margin_means_nothing_where_no_moves_are_tactical() -> None:
    game = boardgames.load("connect4")
    settings = Means().settings(game, replace(game.evaluation, margin=1.0))
    assert settings[MARGIN] == 0


@pytest.mark.plain
def test_the_table_is_asked_next_to_the_horizon_only_where_no_margin_settles_most() -> None:
    settings = np.zeros(PRINCIPAL_SETTINGS, dtype=np.int64)
    assert not has_entry(settings, False, 2)
    settings[TABLE] = 1
    assert has_entry(settings, False, 1)
    settings[MARGIN] = 1
    assert not has_entry(settings, False, 1)
    assert has_entry(settings, False, 2)
    assert has_entry(settings, True, 1)
