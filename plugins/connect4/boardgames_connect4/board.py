"""Geometry of a Connect Four board: sizes, bits, cell names.

Cells are bits column by column from the left and from the bottom up, each
column with one guard bit on top that is never set, so that a step in any
direction is one shift of the whole board and never wraps. For 7 x 6:

     6 13 20 27 34 41 48      guards
     5 12 19 26 33 40 47      top row, row 6
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42      bottom row, row 1

Source: J. Tromp, "Fhourstones" (the same layout in its bitboard notes).
"""

from dataclasses import dataclass

CONNECT = 4
SMALLEST, LARGEST = 2, 8
WORD_BITS = 64


@dataclass(frozen=True, slots=True)
class Board:
    """The size of a board and its sets of cells as Python integers.

    Examples
    --------
    >>> board = Board(7, 6)
    >>> board.height, board.bit(3, 0), bin(board.column(0))
    (7, 21, '0b111111')
    """

    columns: int
    rows: int

    @property
    def height(self) -> int:
        """Return the bits a column takes, its guard included."""
        return self.rows + 1

    @property
    def fits(self) -> bool:
        """Say whether the columns with their guards fit into one word."""
        return self.columns * self.height <= WORD_BITS

    @property
    def bottom(self) -> int:
        """Return the cells of the lowest row."""
        return sum(1 << self.bit(column, 0) for column in range(self.columns))

    @property
    def full(self) -> int:
        """Return all cells."""
        return sum(self.column(column) for column in range(self.columns))

    @property
    def centre(self) -> int:
        """Return the cells of the middle column, or of both where two are in the middle."""
        return self.column((self.columns - 1) // 2) | self.column(self.columns // 2)

    @property
    def odd_rows(self) -> int:
        """Return the cells of rows 1, 3, 5 and so on, counted from the bottom."""
        return sum(self.bottom << row for row in range(0, self.rows, 2))

    def bit(self, column: int, row: int) -> int:
        """Return the bit of a cell, column and row from 0."""
        return column * self.height + row

    def column(self, column: int) -> int:
        """Return the cells of a column."""
        return ((1 << self.rows) - 1) << self.bit(column, 0)

    def mirrored(self, cells: int) -> int:
        """Return a set of cells with left and right exchanged.

        Examples
        --------
        >>> board = Board(7, 6)
        >>> board.mirrored(board.column(0)) == board.column(6)
        True
        """
        bits = (1 << self.height) - 1
        return sum(
            (cells >> self.bit(column, 0) & bits) << self.bit(self.columns - 1 - column, 0)
            for column in range(self.columns)
        )

    def empty_text(self) -> str:
        """Return the text of the empty board.

        Examples
        --------
        >>> Board(4, 3).empty_text()
        '..../..../....'
        """
        return "/".join(["." * self.columns] * self.rows)

    def lines(self) -> int:
        """Return how many lines of four the board has.

        Examples
        --------
        >>> Board(7, 6).lines()
        69
        """
        across, up = max(self.columns - CONNECT + 1, 0), max(self.rows - CONNECT + 1, 0)
        return across * self.rows + self.columns * up + 2 * across * up
