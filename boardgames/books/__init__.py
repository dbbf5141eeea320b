"""Opening books: moves for the first positions of a match, found by deep searches, for agents to play.

`book` reads, writes, finds and looks up books; `building` makes them. The
openings from which the matches of an arena start are something else: see
`boardgames.arena.openings`.
"""

from boardgames.books.book import Book, BookMove, BookPage, book_choice, find_books

__all__ = ["Book", "BookMove", "BookPage", "book_choice", "find_books"]
