"""Hypothesis strategies: random positions and matches that can be replayed."""

from itertools import pairwise

from faulty import Noughts
from hypothesis import given, settings

from boardgames.game import Position
from boardgames.testing import PlayedMatch, matches, positions


@given(positions(Noughts()))
@settings(max_examples=50)
def test_positions_survive_the_round_trip_through_their_text(position: Position) -> None:
    assert position.game.parse(str(position)) == position


@given(matches(Noughts()))
@settings(max_examples=50)
def test_the_moves_of_a_match_lead_through_its_positions(match: PlayedMatch) -> None:
    assert len(match.positions) == len(match.moves) + 1
    for (before, after), move in zip(pairwise(match.positions), match.moves, strict=True):
        assert before.apply(str(move)) == after
