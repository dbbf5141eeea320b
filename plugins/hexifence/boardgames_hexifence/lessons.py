"""Lessons: what beginners try on the board. They use the smallest board, which is easy to take in."""

from types import MappingProxyType

from boardgames.declarations import Exercise
from boardgames_hexifence import notation
from boardgames_hexifence.board import edges_of

SMALL = MappingProxyType({"dimension": 2})
CHAIN = "5 8 14 15 22"
"""The edges that capture the chain of both positions below."""

LESSONS = (
    Exercise(
        "Draw",
        notation.start_text(2),
        "Draw any edge.",
        tuple(map(str, range(edges_of(2)))),
        "A move draws one open edge, between two cells or on the border of the board.",
        "Now it is your opponent's turn.",
        SMALL,
    ),
    Exercise(
        "Capture",
        "2:.........BBRR.R.B..BRBR.......:.......:B",
        "Two cells lack only the edge between them. Capture both.",
        ("15",),
        "Whoever draws the last open edge of a cell captures the cell and moves again.",
        "One edge has captured two cells, and you move again.",
        SMALL,
    ),
    Exercise(
        "Chain",
        "2:RBBRB.RR.RBBRB..RRRBRB.BRBRRBB:.....RR:B",
        "Red has opened a chain of cells. Capture them one after the other.",
        (CHAIN,),
        "Neighbouring cells that have two open edges each form chains. If you must draw an edge of a chain, "
        "your opponent can capture all of it.",
        "You have captured all five cells in one turn.",
        SMALL,
    ),
    Exercise(
        "Hand out",
        "2:RBB.B.RR.RBBRB..RRR.RB.B.BRRBB:.......:B",
        "You can capture two cells, but then you must open the long chain. Hand out the two cells instead.",
        (f"19 24 3 {CHAIN}",),
        "Capturing is optional. If you draw the far edge of the two cells, your opponent captures both with "
        "one edge, and then has to move again.",
        "Red got two cells and had to open the chain, so you got five.",
        SMALL,
    ),
)
