"""Trails: moves to positions and back, what is known kept, jumps seen."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardgames
from boardgames.errors import IllegalMoveError, MalformedMoveError
from boardgames.game import Game, Position
from boardgames.ugi.trail import Trail

GAMES = {name: boardgames.load(name) for name in ("abalone", "connect4", "hexifence")}
CONNECT4 = GAMES["connect4"]


def played(game: Game, picks: list[int], layout: str | None = None) -> tuple[list[Position], list[str]]:
    """Return the positions and move texts of a match in which each pick chooses a move."""
    start = game.start() if layout is None else game.parse(game.facts.layouts[layout])
    positions, texts = [start], []
    for pick in picks:
        if positions[-1].outcome is not None:
            break
        moves = positions[-1].legal_moves
        texts.append(moves[pick % len(moves)].text)
        positions.append(positions[-1].apply(texts[-1]))
    return positions, texts


PICKS = st.lists(st.integers(0, 10**6), max_size=60)


@pytest.mark.parametrize("name", GAMES)
@given(picks=PICKS)
@settings(max_examples=20)
def test_positions_and_moves_tell_the_same_match(name: str, picks: list[int]) -> None:
    positions, texts = played(GAMES[name], picks)
    assert Trail(positions[:1]).follow(texts).positions == tuple(positions)
    assert Trail(positions[:1]).reach(positions).moves == tuple(texts)


@pytest.mark.parametrize("name", GAMES)
def test_no_text_of_a_position_or_move_has_a_space(name: str) -> None:
    game = GAMES[name]
    for number, layout in enumerate(game.facts.layouts):
        positions, _ = played(game, [7 * number + 13 * ply**2 for ply in range(80)], layout)
        texts = [str(position) for position in positions]
        texts += [move.text for position in positions for move in position.legal_moves]
        assert not any(len(text.split()) != 1 for text in texts)


def test_known_moves_are_not_played_again() -> None:
    first = Trail([CONNECT4.start()]).follow(["4", "4", "1"])
    second = first.follow(["4", "4", "2", "2"])
    assert all(one is other for one, other in zip(first.positions[:3], second.positions, strict=False))
    assert str(second.position) == str(CONNECT4.parse("4422"))


def test_a_takeback_is_followed() -> None:
    positions, texts = played(CONNECT4, [3, 3, 0, 1])
    trail = Trail(positions[:1]).reach(positions)
    other = positions[2].apply("7")
    assert trail.reach([*positions[:3], other]).moves == (*texts[:2], "7")


def test_moves_begin_after_a_jump() -> None:
    positions, texts = played(CONNECT4, [3, 3])
    jumped = Trail([CONNECT4.parse("1")]).reach([CONNECT4.parse("1"), *positions])
    assert str(jumped.start) == str(positions[0])
    assert jumped.moves == tuple(texts)
    alone = Trail(positions).reach([positions[0], positions[2]])
    assert (str(alone.start), alone.moves) == (str(positions[2]), ())


@pytest.mark.parametrize(
    ("texts", "kind", "message"),
    [
        (["4", "x"], MalformedMoveError, r"expected a column 1 to 7: 'x' \(ply 2\)"),
        (["1"] * 7, IllegalMoveError, r"\(ply 7\)"),
        (["1", "2", "1", "2", "1", "2", "1", "2"], IllegalMoveError, r"after the end.*\(ply 8\)"),
    ],
)
def test_a_move_that_cannot_be_made_is_named_with_its_ply(
    texts: list[str], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        Trail([CONNECT4.start()]).follow(texts)
