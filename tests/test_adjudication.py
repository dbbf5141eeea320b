"""Adjudication: who loses by its own scores, what is drawn by those of both, and what points decide."""

from collections.abc import Sequence

import pytest

from boardgames.adjudication import Adjudication, DrawRule, ResignRule
from boardgames.errors import OptionError
from boardgames.game import Move, Outcome, PlayedMove, Termination
from boardgames.score import RETURN, Score

LOST, WON = Score.loss(4), Score.win(3)


def played(*scores: float | Score | None, sides: Sequence[int] = ()) -> list[PlayedMove]:
    """Return moves with these scores, made in turn unless `sides` says otherwise."""
    found = [Score.of(score, RETURN) if isinstance(score, float) else score for score in scores]
    by = sides or [ply % 2 for ply in range(len(scores))]
    return [
        PlayedMove(side, Move(0, "a"), 1.0, ply, score)
        for ply, (side, score) in enumerate(zip(by, found, strict=True), start=1)
    ]


@pytest.mark.parametrize(
    ("moves", "loser"),
    [
        (played(), None),
        (played(-0.8, 0.5, -0.8), 0),
        (played(0.5, -0.8, 0.5, -0.9), 1),
        (played(-0.8, 0.5, LOST), 0),
        (played(-0.8, 0.5, WON), None),
        (played(-0.8, 0.5), None),
        (played(-0.8, 0.5, -0.79), None),
        (played(-0.8, 0.5, None), None),
        (played(-0.8, None, -0.8), 0),
        (played(-0.8, -0.8, sides=(1, 1)), 1),
        (played(-0.8, 0.1, -0.8, -0.9, sides=(0, 1, 0, 1)), None),
    ],
)
def test_a_side_that_expects_to_lose_for_some_moves_in_a_row_loses(
    moves: list[PlayedMove], loser: int | None
) -> None:
    expected = None if loser is None else Outcome(1 - loser, Termination.ADJUDICATION)
    assert Adjudication(ResignRule(0.8, 2)).outcome(moves) == expected


@pytest.mark.parametrize(
    ("moves", "is_drawn"),
    [
        (played(0.1, -0.1, 0.0, 0.1), True),
        (played(0.9, 0.9, 0.1, -0.1, 0.0, 0.1), True),
        (played(0.1, -0.1, 0.0), False),
        (played(0.1, -0.1, 0.0, 0.2), False),
        (played(0.1, -0.2, 0.0, 0.1), False),
        (played(0.1, -0.1, None, 0.1), False),
        (played(0.1, -0.1, WON, 0.1), False),
        (played(0.1, 0.1, 0.1, 0.1, sides=(0, 0, 0, 1)), False),
    ],
)
def test_a_match_is_drawn_if_both_sides_expect_it(moves: list[PlayedMove], is_drawn: bool) -> None:
    expected = Outcome(None, Termination.ADJUDICATION) if is_drawn else None
    assert Adjudication(draw=DrawRule(0.1, 2)).outcome(moves) == expected


def test_a_draw_comes_at_the_earliest_ply() -> None:
    rule = Adjudication(draw=DrawRule(0.1, moves=1, after=4))
    assert rule.outcome(played(0.0, 0.0, 0.0)) is None
    assert rule.outcome(played(0.0, 0.0, 0.0, 0.0)) == Outcome(None, Termination.ADJUDICATION)


@pytest.mark.parametrize(
    ("points", "outcome"),
    [
        ((2, 1), Outcome(0, Termination.ADJUDICATION)),
        ((0, 1), Outcome(1, Termination.ADJUDICATION)),
        ((1, 1), Outcome(None, Termination.PLY_LIMIT)),
    ],
)
def test_points_decide_at_a_limit_of_plies_if_they_may(points: tuple[int, int], outcome: Outcome) -> None:
    assert Adjudication(points=True).outcome_at_limit(points) == outcome
    assert Adjudication().outcome_at_limit(points) == Outcome(None, Termination.PLY_LIMIT)


def test_by_default_nothing_is_adjudicated() -> None:
    assert Adjudication().outcome(played(*[LOST] * 20)) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("moves=4", "--resign needs a score: --resign score=3,moves=4"),
        ("3", "an option is written name=value, not '3'"),
        ("score=-1", "score must be at least 0, not '-1'"),
        ("score=1,moves=0", "moves must be 1 to 10000, not '0'"),
        ("score=1,after=3", "--resign has no option 'after'; available: moves, score"),
    ],
)
def test_a_rule_that_is_not_valid_is_one_line(text: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        ResignRule.parse(text)
    assert str(caught.value) == message
