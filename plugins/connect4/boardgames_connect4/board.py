"""Geometry of a Connect Four board: its size and the layout of its bitboards.

Bits run from the bottom up in every column, column by column from the left. On top of
each column is a guard bit that is never set, so that a step in any direction is one
shift of the whole board without wrapping around. A board of 8 x 8 fills the word and has no
guard bits; instead, a mask of the cells in which lines can start prevents wrapping around.
For 7 x 6:

     6 13 20 27 34 41 48      guard bits
     5 12 19 26 33 40 47      top row, row 6
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42      bottom row, row 1

Source: J. Tromp, "Fhourstones", which uses the same layout.
"""

from dataclasses import dataclass

CONNECT = 4
MIN_SIZE, MAX_SIZE = 4, 8
SIZES = range(MIN_SIZE, MAX_SIZE + 1)
WORD_BITS = 64


@dataclass(frozen=True, slots=True)
class Board:
    """The size of a board, with sets of cells as bitboards in Python integers.

    Examples
    --------
    >>> board = Board(7, 6)
    >>> board.height, board.bit(3, 0), bin(board.column(0))
    (7, 21, '0b111111')
    """

    columns: int
    rows: int

    @property
    def name(self) -> str:
        """Return columns and rows, `7x6`."""
        return f"{self.columns}x{self.rows}"

    @property
    def has_guards(self) -> bool:
        """Return True if all columns fit into one word with their guard bits."""
        return self.columns * (self.rows + 1) <= WORD_BITS

    @property
    def height(self) -> int:
        """Return the number of bits per column, including the guard bit if there is one."""
        return self.rows + 1 if self.has_guards else self.rows

    @property
    def line_starts(self) -> int:
        """Return the cells in which a vertical or rising line of four can start.

        With guard bits, these are all bits of the word, since lines cannot wrap around.
        """
        if self.has_guards:
            return (1 << WORD_BITS) - 1
        return sum(self.bottom << row for row in range(self.rows - CONNECT + 1))

    @property
    def bottom(self) -> int:
        """Return the cells of the bottom row."""
        return sum(1 << self.bit(column, 0) for column in range(self.columns))

    @property
    def full(self) -> int:
        """Return all cells."""
        return sum(self.column(column) for column in range(self.columns))

    @property
    def centre(self) -> int:
        """Return the cells of the middle column, or of the two middle columns."""
        return self.column((self.columns - 1) // 2) | self.column(self.columns // 2)

    @property
    def odd_rows(self) -> int:
        """Return the cells of rows 1, 3, 5, ..., counted from 1 at the bottom."""
        return sum(self.bottom << row for row in range(0, self.rows, 2))

    def bit(self, column: int, row: int) -> int:
        """Return the bit of a cell; column and row count from 0."""
        return column * self.height + row

    def column(self, column: int) -> int:
        """Return the cells of a column."""
        return ((1 << self.rows) - 1) << self.bit(column, 0)

    def mirror(self, cells: int) -> int:
        """Return a set of cells reflected from left to right.

        Examples
        --------
        >>> board = Board(7, 6)
        >>> board.mirror(board.column(0)) == board.column(6)
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
        >>> Board(5, 4).empty_text()
        '...../...../...../.....'
        """
        return "/".join(["." * self.columns] * self.rows)

    def lines(self) -> int:
        """Return the number of lines of four on the board.

        Examples
        --------
        >>> Board(7, 6).lines()
        69
        """
        across, up = self.columns - CONNECT + 1, self.rows - CONNECT + 1
        return across * self.rows + self.columns * up + 2 * across * up
