"""Connect Four as a `Game`: sizes, facts, symmetry, conformance."""

import pytest
from reference.connect4 import Reference

import boardgames
from boardgames.compiling import compilation_deferred, rules_interpreted
from boardgames.errors import OptionError, UnknownNameError
from boardgames_connect4.game import Connect4


@pytest.mark.parametrize("size", [(8, 9), (3, 6), (7, 3), (9, 4)], ids=str)
def test_sizes_that_are_too_large_or_too_small_are_rejected(size: tuple[int, int]) -> None:
    with pytest.raises(OptionError):
        boardgames.load("connect4", columns=size[0], rows=size[1])


def test_a_match_without_a_winner_has_the_longest_length() -> None:
    game = boardgames.load("connect4", layout="4x4")
    position = game.parse("4321311144234232")
    assert position.outcome == boardgames.Outcome(None, boardgames.Termination.RULES)
    assert sum(str(position).count(stone) for stone in "rb") == game.facts.longest_match == 16


@pytest.mark.parametrize("size", [(7, 6), (8, 8), (5, 4)], ids=str)
def test_the_game_passes_every_check_against_the_reference(size: tuple[int, int]) -> None:
    game = boardgames.load("connect4", columns=size[0], rows=size[1])
    report = boardgames.check_game(game, matches=6, positions=20, perft_depth=3, reference=Reference(*size))
    assert report.ok, report.findings


def test_the_reflection_is_declared_as_a_symmetry() -> None:
    game = boardgames.load("connect4")
    (reflection,) = game.symmetries()
    assert game.unpack(reflection.words(game.parse("1124").words)) == game.parse("7764")
    assert reflection.action(game.start().words, 0) == 6


@pytest.mark.parametrize("columns", range(4, 9))
@pytest.mark.parametrize("rows", range(4, 9))
def test_every_size_is_a_layout(columns: int, rows: int) -> None:
    with compilation_deferred(), rules_interpreted():  # most sizes are compiled by no other test
        game = boardgames.load("connect4", layout=f"{columns}x{rows}")
        assert str(game.start()) == "/".join(["." * columns] * rows)
        assert game == boardgames.load("connect4", columns=columns, rows=rows)


def test_a_layout_of_another_size_is_an_error() -> None:
    with pytest.raises(OptionError, match="the layout '8x7' sets columns to 8, so columns cannot be 6"):
        boardgames.load("connect4", layout="8x7", columns=6)
    game = boardgames.load("connect4", layout="8x7", columns="8")
    assert isinstance(game, Connect4)
    assert game.board.rows == 7


def test_unknown_layouts_are_rejected() -> None:
    with pytest.raises(UnknownNameError, match="connect4 has no layout '7x9'; did you mean"):
        boardgames.load("connect4", layout="7x9")


def test_the_former_name_of_the_layout_stands_for_the_board_that_the_options_describe() -> None:
    assert boardgames.load("connect4", layout="standard").layout == "7x6"
    assert boardgames.load("connect4", layout="standard", columns=8, rows=7).layout == "8x7"
