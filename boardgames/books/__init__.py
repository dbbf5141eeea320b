"""Opening books: moves found by deep searches of the first positions of a game, for agents to play.

`book` reads, writes, finds and looks up books; `building` makes them. The
openings of an arena, from which its matches start, are unrelated: see
`boardgames.arena.openings`.
"""

from boardgames.books.book import Book, BookMove, Page, book_choice, find_books

__all__ = ["Book", "BookMove", "Page", "book_choice", "find_books"]
