"""The opening book that Abalone ships: whole, legal, for the layouts that are played most."""

import pytest

import boardgames
from boardgames.books import find_books
from boardgames.books.book import canonical

GAME = boardgames.load("abalone")
(BOOK,) = find_books("opening", GAME)
LAYOUTS = ("belgian-daisy", "standard", "german-daisy", "swiss-daisy", "dutch-daisy")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_it_has_moves_for_the_start_of_every_layout(layout: str) -> None:
    known = BOOK.lookup(boardgames.load("abalone", layout=layout).start())
    assert any(told.weight > 0 for _, told in known)


def test_every_page_is_a_position_as_the_book_knows_it_with_legal_moves() -> None:
    for page in BOOK.pages.values():
        position = GAME.parse(page.position)
        assert canonical(position)[0] == page.position
        assert all(position.is_legal(told.move) for told in page.moves)
        assert page.moves[0].weight > 0


def test_it_says_what_made_it() -> None:
    assert {"command", "agent", "fingerprint", "version", "limit"} <= set(BOOK.provenance)
    assert BOOK.provenance["command"].startswith("bg book abalone --layout ")


def test_the_simplified_game_has_no_book() -> None:
    assert find_books("true", boardgames.load("abalone", broadside=False)) == ()
