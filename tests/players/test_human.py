"""The human player: reads moves from a stream, asks again, resigns, and never hangs."""

import io

import pytest

import boardgames
from boardgames.errors import MatchError, PositionError
from boardgames.player import Choice
from boardgames.players.human import Human

GAME = boardgames.load("tictactoe")
START = GAME.start()


def enter(typed: str) -> tuple[Choice, str]:
    """Return the choice of a person who types this, and the prompts."""
    output = io.StringIO()
    return Human(GAME, input=io.StringIO(typed), output=output).choose(START), output.getvalue()


@pytest.mark.parametrize("typed", ["b2\n", "  B2 \n", "b2", "\n\n  \nb2\n"])
def test_a_move_is_read(typed: str) -> None:
    assert str(enter(typed)[0].move) == "b2"


def test_the_prompt_names_the_side_to_move() -> None:
    assert enter("b2\n")[1] == "X to move: "


@pytest.mark.parametrize("wrong", ["d9", "nonsense", "?", "b2b2"])
def test_a_malformed_move_is_quoted_and_the_prompt_repeated(wrong: str) -> None:
    choice, prompts = enter(f"{wrong}\nb2\n")
    assert str(choice.move) == "b2"
    assert repr(wrong) in prompts
    assert prompts.count("X to move: ") == 2


def test_an_illegal_move_repeats_the_prompt() -> None:
    output = io.StringIO()
    player = Human(GAME, input=io.StringIO("b2\na1\n"), output=output)
    choice = player.choose(START.apply("b2"))
    assert str(choice.move) == "a1"
    assert "illegal move 'b2'" in output.getvalue()


def test_resign_is_a_resignation() -> None:
    choice, _ = enter("resign\n")
    assert choice.resigns


@pytest.mark.parametrize("typed", ["", "nonsense\n", "\n\n"])
def test_the_end_of_the_input_is_a_match_error(typed: str) -> None:
    with pytest.raises(MatchError, match=r"^the input ended before a move was entered$"):
        enter(typed)


def test_later_lines_are_kept_for_the_next_move() -> None:
    player = Human(GAME, input=io.StringIO("b2\na1\n"))
    first = player.choose(START)
    assert str(player.choose(START.apply("b2")).move) == "a1"
    assert str(first.move) == "b2"


def test_without_an_input_there_is_no_move() -> None:
    with pytest.raises(MatchError, match="has no input"):
        boardgames.load_player("human", GAME).choose(START)


def test_there_is_no_prompt_after_the_end_of_the_match() -> None:
    with pytest.raises(MatchError, match="is over"):
        Human(GAME, input=io.StringIO("b2\n")).choose(GAME.parse("xxx/oo./..."))


def test_a_position_of_another_game_is_rejected() -> None:
    with pytest.raises(PositionError, match="tictactoe"):
        Human(GAME, input=io.StringIO("4\n")).choose(boardgames.load("connect4").start())


def test_only_the_human_player_is_human() -> None:
    assert boardgames.load_player("human", GAME).is_human
    assert not boardgames.load_player("random", GAME).is_human


def test_a_draw_is_not_accepted_automatically() -> None:
    assert not boardgames.load_player("human", GAME).accepts_draw(START, 0)
