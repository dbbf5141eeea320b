import pytest
from reference.connect4 import Reference

import boardgames
from boardgames.errors import OptionError, UnknownNameError


@pytest.mark.parametrize("size", [(8, 8), (8, 9), (1, 6), (7, 1), (9, 2)], ids=str)
def test_sizes_that_fit_no_word_or_are_out_of_range_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(OptionError):
        boardgames.load("connect4", columns=size[0], rows=size[1])


def test_size_beyond_a_word_is_named_in_the_message() -> None:
    with pytest.raises(OptionError, match=r"at most 64: 8 columns, 8 rows"):
        boardgames.load("connect4", columns="8", rows="8")


def test_longest_match_is_reached_when_nobody_wins() -> None:
    game = boardgames.load("connect4", columns=3, rows=3)
    position, plies = game.start(), 0
    while position.legal_moves:
        position, plies = position.apply(position.legal_moves[0]), plies + 1
    assert plies == game.facts.longest_match == 9


def test_perft_is_declared_for_the_usual_size_only() -> None:
    assert list(boardgames.load("connect4").facts.perft) == [str(boardgames.load("connect4").start())]
    assert not boardgames.load("connect4", rows=5).facts.perft


@pytest.mark.parametrize("size", [(7, 6), (8, 7), (4, 3)], ids=str)
def test_game_passes_every_check_beside_the_slow_rules(size: tuple[int, int]) -> None:
    game = boardgames.load("connect4", columns=size[0], rows=size[1])
    report = boardgames.check_game(game, matches=20, positions=60, perft_depth=4, reference=Reference(*size))
    assert report.ok, report.findings


def test_reflection_is_declared_as_a_symmetry() -> None:
    game = boardgames.load("connect4")
    (reflection,) = game.symmetries()
    assert game.unpack(reflection.words(game.parse("1124").words)) == game.parse("7764")
    assert reflection.action(game.start().words, 0) == 6


def test_only_layout_is_the_empty_board() -> None:
    assert boardgames.load("connect4", layout="standard").start() == boardgames.load("connect4").start()
    with pytest.raises(UnknownNameError, match="connect4 has no layout 'empty'"):
        boardgames.load("connect4", layout="empty")
