"""Lessons: exercises for beginners, on the smallest board, which is the easiest to survey."""

from types import MappingProxyType

from boardgames.declarations import Exercise
from boardgames_hexifence import notation
from boardgames_hexifence.board import edges_of

SMALL = MappingProxyType({"dimension": 2})
CHAINS = "chains"
CHAIN = "5 8 14 15 22"
"""The edges that capture the chain of both positions below."""
ENDGAME = (
    "3:BB.BRBBR.B.BRBR.RRRBBR.R.BRB.BR.BR.RB.RBRR.B..RBR..RBBBRBBBRRR..BBRR.BRR:B...B..........R..R:B",
    "3:BB.BRBBR.B.BRBR.RRRBBR.R.BRB.BR.BR.RB.RBRR.B..RBRR.RBBBRBBBRRRRBBBRRRBRR:B...B..........RRRR:B",
    "3:BB.BRBBR.BBBRBR.RRRBBRRRRBRB.BR.BRBRB.RBRRBB..RBRRBRBBBRBBBRRRRBBBRRRBRR:B..RB..RB...BB.RRRR:B",
)
"""Three positions of one endgame; in the second and third, Red has replied to the lesson before it."""

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
    Exercise(
        "Endgame: count",
        ENDGAME[0],
        "The score is 2 to 2. Open the chain c2 so that Red cannot hand it back to you.",
        ("63",),
        "No safe edge is left, so every move opens a chain for the opponent. On the board, each chain has a "
        "letter and its length. Give away short chains first. A chain of two that is opened in the middle "
        "falls apart into single cells, which cannot be handed back.",
        "Red gets two cells, but then has to open b5. An odd number of short chains has left you in control.",
        overlay=CHAINS,
    ),
    Exercise(
        "Endgame: keep control",
        ENDGAME[1],
        "Red has captured c2 and opened b5. Capture three of its cells, and hand out the last two.",
        ("50 42 34 10",),
        "If you captured all five cells, you would have to open a8 for Red. The side in control gives up two "
        "cells of every long chain but the last, and never has to open one.",
        "Red gets two cells and has to open a8.",
        overlay=CHAINS,
    ),
    Exercise(
        "Endgame: the last chain",
        ENDGAME[2],
        "Red leads by 6 to 5. Capture the last chain.",
        ("31 37 45 44 28 15 8 2",),
        "Nothing follows the last chain, so there is no reason to hand out cells.",
        "You win by 13 to 6. Control was worth more than the cells that it cost.",
        overlay=CHAINS,
    ),
)
