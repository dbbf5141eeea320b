"""Rules and notation of tic-tac-toe."""

import doctest
import sys
from itertools import product

import pytest

import boardgames
from boardgames.errors import IllegalMoveError, MalformedMoveError, PositionError
from boardgames.game import Game

LINES = ("a1b1c1", "a2b2c2", "a3b3c3", "a1a2a3", "b1b2b3", "c1c2c3", "a1b2c3", "a3b2c1")
CELLS = [f"{column}{row}" for row in "321" for column in "abc"]


@pytest.fixture(scope="module")
def game() -> Game:
    return boardgames.load("tictactoe")


def has_line(text: str, symbol: str) -> bool:
    """Return True if a symbol has three in a line, judging by the names of the cells."""
    cells = {cell for cell, content in zip(CELLS, text.replace("/", ""), strict=True) if content == symbol}
    return any({line[:2], line[2:4], line[4:]} <= cells for line in LINES)


class Reference:
    """Reference rules on texts, in the form of `boardgames.testing.Reference`."""

    def start(self, text: str) -> str:
        return text

    def legal(self, state: str) -> list[str]:
        cells = zip(CELLS, state.replace("/", ""), strict=True)
        return [cell for cell, content in cells if content == "."] if self.outcome(state) < 0 else []

    def play(self, state: str, move: str) -> str:
        place = CELLS.index(move) + CELLS.index(move) // 3
        symbol = "x" if state.count("x") == state.count("o") else "o"
        return state[:place] + symbol + state[place + 1 :]

    def outcome(self, state: str) -> int:
        for side, symbol in enumerate("xo"):
            if has_line(state, symbol):
                return side
        return -1 if "." in state else 2

    def text(self, state: str) -> str:
        return state


def test_the_game_passes_every_check_against_the_reference(game: Game) -> None:
    report = boardgames.check_game(game, matches=10, positions=30, reference=Reference())
    assert report.ok, report.findings


def test_doctests_pass(game: Game) -> None:
    assert doctest.testmod(sys.modules[type(game).__module__]) == (0, 2)


def test_boards_are_accepted_or_rejected_as_the_rules_say(game: Game) -> None:
    """Every seventh of the 19,683 boards is tried."""
    for symbols in list(product(".xo", repeat=9))[::7]:
        text = "/".join("".join(symbols[start : start + 3]) for start in (0, 3, 6))
        more = text.count("x") - text.count("o")
        is_over_early = (has_line(text, "x") and more != 1) or (has_line(text, "o") and more != 0)
        if more in (0, 1) and not is_over_early:
            assert str(game.parse(text)) == text
        else:
            with pytest.raises(PositionError):
                game.parse(text)


@pytest.mark.parametrize(
    "text", ["", "...", ".../...", ".../.../....", "X../.../...", "........./", "x" * 500]
)
def test_texts_of_another_shape_are_rejected(game: Game, text: str) -> None:
    with pytest.raises(PositionError, match="is not a position"):
        game.parse(text)


def test_occupied_cells_are_illegal_and_other_texts_malformed(game: Game) -> None:
    position = game.start().apply("b2")
    with pytest.raises(IllegalMoveError, match="'b2'"):
        position.apply("b2")
    with pytest.raises(MalformedMoveError, match="'d4'"):
        position.apply("d4")
