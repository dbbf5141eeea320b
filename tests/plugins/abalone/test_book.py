"""The opening book shipped with Abalone: complete, and with legal moves only."""

import pytest

import boardgames
from boardgames.books import find_books
from boardgames.books.book import canonical

GAME = boardgames.load("abalone")
(BOOK,) = find_books("opening", GAME)
LAYOUTS = ("belgian-daisy", "standard", "german-daisy", "swiss-daisy", "dutch-daisy")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_book_has_moves_for_the_start_of_every_layout(layout: str) -> None:
    moves = BOOK.lookup(boardgames.load("abalone", layout=layout).start())
    assert any(move.weight > 0 for _, move in moves)


def test_every_entry_has_a_canonical_position_and_legal_moves() -> None:
    for page in BOOK.pages.values():
        position = GAME.parse(page.position)
        assert canonical(position)[0] == page.position
        assert all(position.is_legal(move.move) for move in page.moves)
        assert page.moves[0].weight > 0


def test_the_book_records_how_it_was_made() -> None:
    assert {"command", "agent", "fingerprint", "version", "limit"} <= set(BOOK.provenance)
    assert BOOK.provenance["command"].startswith("boardgames book abalone --layout ")


def test_the_command_that_made_the_book_could_extend_it() -> None:
    agent = boardgames.load_player(BOOK.provenance["agent"], GAME)
    assert agent.fingerprint() == BOOK.provenance["fingerprint"]


def test_the_game_without_broadside_moves_has_no_book() -> None:
    assert find_books("true", boardgames.load("abalone", broadside=False)) == ()
