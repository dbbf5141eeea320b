"""An overlay, which `boardgames show tictactoe --features` draws over the board."""

from boardgames import Position
from boardgames.picture import MarkClass, Overlay


def threats(position: Position) -> Overlay:
    """Mark the cells where the side to move wins at once, and the cells where it must block."""
    wins = {move.text: "w" for move in position.legal_moves if position.apply(move).outcome is not None}
    blocks = {
        reply.text: "b"
        for move in position.legal_moves
        if position.apply(move).outcome is None
        for reply in position.apply(move).legal_moves
        if (ended := position.apply(move).apply(reply).outcome) is not None and ended.winner is not None
    }
    classes = (MarkClass("w", "winning", "wins at once"), MarkClass("b", "block", "the opponent wins here"))
    return Overlay(classes=classes, marks={**blocks, **wins})
