"""Critical positions, and the moves that keep their results, compared with an exhaustive search."""

import numpy as np
import pytest

import boardgames
from boardgames import Position
from boardgames.errors import OptionError
from boardgames.learning.critical import find_critical_positions


def result(position: Position, side: int, known: dict[Position, int]) -> int:
    """Return 1, 0 or -1 for a win, draw or loss of a side with best play, by trying everything."""
    if position.outcome is not None:
        winner = position.outcome.winner
        return 0 if winner is None else 1 if winner == side else -1
    if position not in known:
        mover = position.side_to_move
        sign = 1 if mover == 0 else -1
        known[position] = sign * max(sign * result(after, 0, known) for after in successors(position))
    return known[position] if side == 0 else -known[position]


def successors(position: Position) -> list[Position]:
    return [position.apply(move) for move in position.legal_moves]


@pytest.mark.slow
def test_only_some_moves_keep_the_result_of_perfect_play() -> None:
    game, known = boardgames.load("connect4", columns=4, rows=4), dict[Position, int]()
    found = find_critical_positions(game, 40, most_plies=11, seed=3)
    assert len(np.unique(found.positions, axis=0)) == 40
    plies = set()
    for words, keeping in zip(found.positions, found.keeping, strict=True):
        position = game.unpack(words)
        side = position.side_to_move
        results = {
            game.encode(move): result(position.apply(move), side, known) for move in position.legal_moves
        }
        best = max(results.values())
        assert min(results.values()) < best
        assert set(np.flatnonzero(keeping)) == {action for action, value in results.items() if value == best}
        plies.add(sum(str(position).count(stone) for stone in "br"))
    assert plies >= {2, 11}


def test_share_counts_the_positions_whose_result_is_kept() -> None:
    found = find_critical_positions(boardgames.load("connect4", columns=4, rows=4), 8, seed=1)
    actions = found.keeping.argmax(axis=1)
    actions[:2] = found.keeping[:2].argmin(axis=1)
    assert found.share_kept(actions) == 0.75


def test_equal_seeds_find_equal_positions() -> None:
    game = boardgames.load("connect4", columns=4, rows=4)
    first, second, other = (find_critical_positions(game, 5, seed=seed).positions for seed in (1, 1, 2))
    assert (first == second).all()
    assert not (first == other).all()


@pytest.mark.parametrize(
    ("name", "most_plies", "message"),
    [
        ("abalone", 29, "abalone has no solver, which is needed"),
        ("connect4", 0, "too rare: 1 of 3 were found in"),
    ],
)
def test_games_without_critical_positions_are_refused(
    name: str, most_plies: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.learning.critical.MAX_TRIES", 10)
    with pytest.raises(OptionError, match=message):
        find_critical_positions(boardgames.load(name), 3, most_plies=most_plies, seed=1)
