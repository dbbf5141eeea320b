"""Connect Four as a `Game`: sizes, facts, symmetry, conformance."""

import pytest
from reference.connect4 import Reference

import boardgames
from boardgames.errors import OptionError, UnknownNameError


@pytest.mark.parametrize("size", [(8, 8), (8, 9), (1, 6), (7, 1), (9, 2)], ids=str)
def test_sizes_that_are_too_large_or_too_small_are_rejected(size: tuple[int, int]) -> None:
    with pytest.raises(OptionError):
        boardgames.load("connect4", columns=size[0], rows=size[1])


def test_the_message_for_a_board_that_is_too_large_names_its_size() -> None:
    with pytest.raises(OptionError, match="8 columns and 8 rows is too large"):
        boardgames.load("connect4", columns="8", rows="8")


def test_a_match_without_a_winner_has_the_longest_length() -> None:
    game = boardgames.load("connect4", columns=2, rows=2)
    position, plies = game.start(), 0
    while position.legal_moves:
        position, plies = position.apply(position.legal_moves[0]), plies + 1
    assert plies == game.facts.longest_match == 4


def test_perft_counts_are_declared_for_the_standard_size_only() -> None:
    assert list(boardgames.load("connect4").facts.perft) == [str(boardgames.load("connect4").start())]
    assert not boardgames.load("connect4", columns=8, rows=7).facts.perft


@pytest.mark.parametrize("size", [(7, 6), (8, 7), (5, 3)], ids=str)
def test_the_game_passes_every_check_against_the_reference(size: tuple[int, int]) -> None:
    game = boardgames.load("connect4", columns=size[0], rows=size[1])
    report = boardgames.check_game(game, matches=20, positions=60, perft_depth=3, reference=Reference(*size))
    assert report.ok, report.findings


def test_the_reflection_is_declared_as_a_symmetry() -> None:
    game = boardgames.load("connect4")
    (reflection,) = game.symmetries()
    assert game.unpack(reflection.words(game.parse("1124").words)) == game.parse("7764")
    assert reflection.action(game.start().words, 0) == 6


def test_the_only_layout_is_the_empty_board() -> None:
    assert boardgames.load("connect4", layout="standard").start() == boardgames.load("connect4").start()
    with pytest.raises(UnknownNameError, match="connect4 has no layout 'empty'"):
        boardgames.load("connect4", layout="empty")
