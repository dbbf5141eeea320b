"""Connect Four as a `Picture`: square cells, round stones, and columns numbered from 1."""

from collections.abc import Sequence

from boardgames.draw.lattice import square
from boardgames.kernels import Words
from boardgames.picture import Cell, Label, Palette, Picture, Piece
from boardgames_connect4.board import CONNECT, Board
from boardgames_connect4.notation import DIGITS, SYMBOLS

SIDES = ("red", "blue")
COLOURS = ("#d7263d", "#4cc0ff")


def draw(words: Words, actions: Sequence[int], board: Board) -> Picture:
    """Return the picture of a packed position, with clicks for its legal actions.

    A click on any cell of a column makes the move; the cell into which the stone falls
    comes first.

    Examples
    --------
    >>> from boardgames_connect4.notation import parse_words
    >>> picture = draw(parse_words("11", Board(7, 6)), range(7), Board(7, 6))
    >>> [(piece.cell, piece.symbol) for piece in picture.pieces], picture.clicks["1"][0]
    ([('c1r1', 'r'), ('c1r2', 'b')], ('c1r3',))
    """
    places = [(column, row) for row in range(board.rows) for column in range(board.columns)]
    cells = tuple(Cell(cell_id(column, row), *square(board.rows - 1 - row, column)) for column, row in places)
    pieces = tuple(
        Piece(cell_id(column, row), side, SYMBOLS[side])
        for column, row in places
        for side in (0, 1)
        if int(words[side]) >> board.bit(column, row) & 1
    )
    labels = tuple(Label(*square(board.rows, column), DIGITS[column]) for column in range(board.columns))
    clicks = {DIGITS[action]: _clicks(words, action, board) for action in actions}
    return Picture(
        cells=cells,
        pieces=pieces,
        labels=labels,
        sides=SIDES,
        colours=COLOURS,
        clicks=clicks,
        winning=frozenset(cell_id(*place) for place in winning_cells(words, board)),
        title="Connect Four",
        frame="panel",
        gravity="down",
        flip="mirror",
        palette=Palette(board="#2a57a4", cell="#e4ebf6", edge="#14305f"),
    )


def winning_cells(words: Words, board: Board) -> set[tuple[int, int]]:
    """Return column and row of all stones in lines of four.

    Examples
    --------
    >>> from boardgames_connect4.notation import parse_words
    >>> board = Board(7, 6)
    >>> sorted(winning_cells(parse_words("1122334", board), board))
    [(0, 0), (1, 0), (2, 0), (3, 0)]
    """
    cells = {(column, row) for column in range(board.columns) for row in range(board.rows)}
    found = set()
    for stones in (int(words[0]), int(words[1])):
        own = {place for place in cells if stones >> board.bit(*place) & 1}
        for column, row in own:
            for across, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                line = {(column + step * across, row + step * up) for step in range(CONNECT)}
                if line <= own:
                    found |= line
    return found


def cell_id(column: int, row: int) -> str:
    """Return the id of a cell, column and row counted from 0; `c1r1` is the lower left cell."""
    return f"c{column + 1}r{row + 1}"


def _clicks(words: Words, column: int, board: Board) -> tuple[tuple[str, ...], ...]:
    stones = (int(words[0] | words[1]) & board.column(column)).bit_count()
    others = [row for row in range(board.rows) if row != stones]
    return tuple((cell_id(column, row),) for row in (stones, *others))
