"""The agents of the original program in whole matches."""

import pytest

import boardgames


@pytest.mark.parametrize("dimension", [2, 6])
def test_double_plays_whole_matches_and_repeats_them_with_the_same_seed(dimension: int) -> None:
    game, records = boardgames.load("hexifence", dimension=dimension), []
    for _ in range(2):
        players = [boardgames.load_player("double", game, seed=seed) for seed in (1, 2)]
        match = boardgames.Manager(game, players)
        match.play()
        assert match.outcome is not None
        records.append(match.record().moves)
    assert records[0] == records[1]
