"""Opening books: moves for the first positions of a match, found by deep searches, for agents to play.

`book` reads, writes and finds books and looks up moves; `building` makes books.
The openings from which the matches of an arena start are different; see
`boardgames.arena.openings`.
"""

from boardgames.books.book import Book, BookMove, BookPage, book_choice, find_books

__all__ = ["Book", "BookMove", "BookPage", "book_choice", "find_books"]
