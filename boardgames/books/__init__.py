"""Opening books: what deep searches said of the first positions of a game, for agents to play by.

The module `book` has the file, `finding` the ones that a game has, `building`
makes them. Openings of an arena, positions that series begin with, are
something else: `boardgames.arena.openings`.
"""

from boardgames.books.book import Book, BookMove, Page, book_choice
from boardgames.books.finding import find_books

__all__ = ["Book", "BookMove", "Page", "book_choice", "find_books"]
