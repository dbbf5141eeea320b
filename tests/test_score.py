"""Units and scores: order, negation, texts, and invalid declarations."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.errors import ScoreError
from boardgames.score import RETURN, Score, Unit

PAWN = Unit("pawn", "pawns", half_return=2.0)
SCORES = st.one_of(
    st.floats(-1e6, 1e6).map(lambda amount: Score.of(amount, PAWN)),
    st.integers(0, 500).map(Score.win),
    st.integers(0, 500).map(Score.loss),
)


# --- units ---


def test_thresholds_follow_from_half_return() -> None:
    assert (PAWN.inaccuracy, PAWN.mistake, PAWN.blunder) == (0.25, 0.5, 1.5)
    assert (PAWN.bound, PAWN.book_margin) == (10.0, 0.3)
    assert Unit("pawn", "pawns", mistake=0.5).mistake == 0.5


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": ""}, "a unit needs a name and a label, not ''"),
        ({"label": " "}, "a unit needs a name and a label, not ' '"),
        ({"name": 3}, "a unit needs a name and a label, not 3"),
        ({"digits": -1}, "digits of unit 'pawn' must be 0 to 6, not -1"),
        ({"digits": 1.5}, "digits of unit 'pawn' must be 0 to 6, not 1.5"),
        ({"half_return": 0.0}, "half_return of unit 'pawn' must be positive and finite, not 0.0"),
        ({"half_return": float("nan")}, "half_return of unit 'pawn' must be positive and finite, not nan"),
        ({"half_return": "2"}, "half_return of unit 'pawn' must be positive and finite, not '2'"),
        ({"book_margin": float("inf")}, "book_margin of unit 'pawn' must be positive and finite, not inf"),
        ({"mistake": -1.0}, "mistake of unit 'pawn' must be positive and finite, not -1.0"),
        (
            {"mistake": 2.0},
            "the thresholds inaccuracy, mistake and blunder of unit 'pawn' must not decrease: 0.125, 2, 0.75",
        ),
    ],
)
def test_an_invalid_declaration_is_rejected(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ScoreError) as raised:
        Unit(**{"name": "pawn", "label": "pawns", **fields})
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("unit", "amount", "expected"),
    [(PAWN, 2.0, 0.5), (PAWN, -2.0, -0.5), (PAWN, 0.0, 0.0), (RETURN, 0.25, 0.25), (RETURN, -3.0, -1.0)],
)
def test_an_amount_has_an_expected_return(unit: Unit, amount: float, expected: float) -> None:
    assert unit.to_return(amount) == Score.of(amount, unit).to_return() == expected


@pytest.mark.parametrize("unit", [PAWN, RETURN])
def test_half_return_is_the_amount_worth_half_a_win(unit: Unit) -> None:
    assert unit.to_return(unit.half_return) == 0.5


def test_people_read_returns_as_chances_of_winning() -> None:
    assert (RETURN.text(-0.2), RETURN.loss_text(0.2), RETURN.in_words) == (
        "40.0%",
        "10.0%",
        "as chances of winning",
    )
    assert RETURN.legend == "?! loses 5% or more, ? 10%, ?? 25%"
    assert (PAWN.text(-0.2), PAWN.loss_text(0.2), PAWN.in_words) == ("-0.20", "0.20", "in pawns")


# --- scores ---


@given(SCORES, SCORES)
def test_negation_reverses_the_order(first: Score, second: Score) -> None:
    assert (first < second) == (-first > -second)
    opposite = -first
    assert -opposite == first
    assert opposite.sign == -first.sign


@given(st.lists(SCORES, min_size=2))
def test_scores_are_ordered_from_quick_losses_to_quick_wins(scores: list[Score]) -> None:
    for worse, better in pairwise(sorted(scores)):
        assert worse <= better
        if worse.win_in is not None and better.win_in is not None and worse.sign == better.sign:
            assert worse.win_in >= better.win_in
        assert worse.to_return() <= better.to_return() + 1e-12


@given(SCORES, SCORES)
def test_equal_scores_hash_alike(first: Score, second: Score) -> None:
    assert (first == second) == (not first < second and not second < first)
    assert first != second or hash(first) == hash(second)


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (Score.of(0.4249, PAWN), "+0.42"),
        (Score.of(-12.0, PAWN), "-12.00"),
        (Score.of(-0.001, PAWN), "0.00"),
        (Score.of(0.5, RETURN), "75.0%"),
        (Score.win(5), "win in 3 moves (5 plies)"),
        (Score.loss(4), "loss in 2 moves (4 plies)"),
        (Score.win(1), "win in 1 move (1 ply)"),
        (Score.win(0), "won"),
        (Score.loss(0), "lost"),
    ],
)
def test_scores_are_printed_as_players_read_them(score: Score, text: str) -> None:
    assert str(score) == text


def test_no_number_of_moves_is_given_if_a_side_may_move_again() -> None:
    assert Score.win(5).text(alternates=False) == "win in 5 plies"
    assert Score.loss(1).text(alternates=False) == "loss in 1 ply"


def test_a_proven_return_is_a_result() -> None:
    returns = [Score.of(amount, RETURN) for amount in (1.0, 0.0, -1.0, 0.5)]
    assert [score.text(proven=True) for score in returns] == ["win", "draw", "loss", "75.0%"]
    assert Score.of(0.0, PAWN).text(proven=True) == "0.00"


@pytest.mark.parametrize(
    ("score", "win_in", "sign", "is_decisive", "amount"),
    [
        (Score.win(5), 5, 1, True, None),
        (Score.loss(4), -4, -1, True, None),
        (Score.loss(0), 0, -1, True, None),
        (Score.of(0.5, PAWN), None, 1, False, 0.5),
        (Score.of(0.0, PAWN), None, 0, False, 0.0),
    ],
)
def test_win_in_is_negative_for_a_loss(
    score: Score, win_in: int | None, sign: int, is_decisive: bool, amount: float | None
) -> None:
    assert (score.win_in, score.sign, score.is_decisive, score.amount) == (win_in, sign, is_decisive, amount)


def test_amounts_of_different_units_cannot_be_ordered() -> None:
    with pytest.raises(ScoreError, match="cannot compare scores in pawns and in returns from -1 to 1"):
        _ = Score.of(1.0, PAWN) < Score.of(1.0, RETURN)
    assert Score.of(1.0, PAWN) != Score.of(1.0, RETURN)
    assert Score.loss(2) < Score.of(-1.0, RETURN) < Score.win(90)


@pytest.mark.parametrize("amount", [float("nan"), float("inf")])
def test_an_amount_must_be_finite(amount: float) -> None:
    with pytest.raises(ScoreError, match="a score must be finite"):
        Score.of(amount, PAWN)


def test_a_match_cannot_end_in_the_past() -> None:
    with pytest.raises(ScoreError, match="a match cannot end in -1 plies"):
        Score.win(-1)


def test_a_negative_zero_is_zero() -> None:
    assert str(-Score.of(0.0, PAWN)) == "0.00"
    assert repr(-Score.of(0.0, PAWN)) == "Score.of(0.0, <unit 'pawn'>)"


def test_a_win_counts_as_the_bound_where_a_number_is_needed() -> None:
    scores = [Score.win(3), Score.of(12.0, PAWN), Score.of(1.0, PAWN), Score.loss(3)]
    assert [score.clipped(10.0) for score in scores] == [10.0, 10.0, 1.0, -10.0]


def test_a_win_is_farther_away_when_seen_earlier() -> None:
    assert Score.win(4).delayed() == Score.win(5)
    assert Score.loss(4).delayed(2) == Score.loss(6)
    assert Score.of(1.0, PAWN).delayed() == Score.of(1.0, PAWN)
