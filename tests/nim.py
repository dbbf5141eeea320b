"""Nim with a single heap: a small game for tests.

A move takes one to three stones, and the side that takes the last stone wins. Four
options add features of other games. With `passing`, a side may pass, so that positions
repeat and the score stays the same. With `again`, a side that takes one stone
moves again. With `stuck`, the match ends only because there are no legal moves.
With `forced`, side 1 must pass if four stones are left.

A position is `uint64[5]`: stones, side to move, options as bits, stones taken
by each side. Its text is `stones:side:taken:taken`. Action 0 passes, action n
takes n stones.
"""

import sys
from types import ModuleType

import numpy as np

from boardgames.declarations import Facts, Kernels
from boardgames.errors import PositionError
from boardgames.game import Game, Position
from boardgames.hookspecs import Entry, hookimpl
from boardgames.kernels import Actions, Apply, LegalMoves, OutcomeOf, SideToMove, Words, kernel
from boardgames.options import Option
from boardgames.picture import Button, Cell, Picture, Piece

PASSING, AGAIN, STUCK, FORCED = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(8)
ZERO, ONE, FOUR = np.uint64(0), np.uint64(1), np.uint64(4)
MAX_STONES = 1000


@kernel(LegalMoves)
def legal_moves(position: Words, moves: Actions) -> int:
    """Write pass (0), if it is allowed, and the numbers of stones that can be taken."""
    if position[0] == ZERO:
        return 0
    if position[2] & FORCED != ZERO and position[0] == FOUR and position[1] == ONE:
        moves[0] = 0
        return 1
    count = 0
    if position[2] & PASSING != ZERO:
        moves[count] = 0
        count += 1
    for stones in range(1, 4):
        if np.uint64(stones) <= position[0]:
            moves[count] = stones
            count += 1
    return count


@kernel(Apply)
def apply(position: Words, action: int, successor: Words) -> None:
    """Write the position after `action` stones are taken."""
    for index in range(5):
        successor[index] = position[index]
    taken = np.uint64(action)
    successor[0] -= taken
    if position[1] == ZERO:
        successor[3] += taken
    else:
        successor[4] += taken
    if not (action == 1 and position[2] & AGAIN != ZERO):
        successor[1] = ONE - position[1]


@kernel(SideToMove)
def side_to_move(position: Words) -> int:
    """Return the side to move."""
    return np.int64(position[1])


@kernel(OutcomeOf)
def outcome(position: Words) -> int:
    """Return the side that took the last stone, or -1."""
    if position[0] != ZERO or position[2] & STUCK != ZERO:
        return -1
    return 1 - np.int64(position[1])


class Nim(Game):
    """One heap of stones."""

    declared_options = (
        Option("passing", bool, False, "a side may pass"),
        Option("again", bool, False, "a side that takes one stone moves again"),
        Option("stuck", bool, False, "the match ends because there are no legal moves"),
        Option("forced", bool, False, "side 1 must pass if four stones are left"),
    )

    def prepare(self) -> None:
        """Set the facts and kernels."""
        self.kernels = Kernels(legal_moves, apply, side_to_move, outcome)
        self.facts = Facts(
            name="nim",
            title="Nim",
            sides=("first", "second"),
            words=5,
            actions=4,
            ply_limit=40,
            no_progress_limit=9,
            alternates=not self.options["again"],
            score_name="stones taken",
            layouts={"seven": "7:0:0:0", "hundred": "100:0:0:0"},
        )

    def parse_words(self, text: str, notation: str | None = None) -> Words:
        """Return the words of `stones:side:taken:taken`."""
        parts = text.split(":")
        if len(parts) != 4 or not all(part.isascii() and part.isdigit() and len(part) < 5 for part in parts):
            raise PositionError(f"a position is written stones:side:taken:taken, not {text!r}")
        stones, side, first, second = (int(part) for part in parts)
        if stones > MAX_STONES or side > 1:
            raise PositionError(f"a position has at most {MAX_STONES} stones and side 0 or 1: {text!r}")
        names = ("passing", "again", "stuck", "forced")
        options = sum(1 << index for index, name in enumerate(names) if self.options[name])
        return np.array([stones, side, options, first, second], dtype=np.uint64)

    def format_words(self, words: Words, notation: str | None = None) -> str:
        """Return `stones:side:taken:taken`."""
        return f"{words[0]}:{words[1]}:{words[3]}:{words[4]}"

    def format_action(self, words: Words, action: int, notation: str | None = None) -> str:
        """Return `pass` or `take2`."""
        return f"take{action}" if action else "pass"

    def score(self, words: Words) -> tuple[int, int]:
        """Return the stones taken by each side."""
        return int(words[3]), int(words[4])

    def draw(self, position: Position) -> Picture:
        """Return a row of stones; a click on the third one takes the first three."""
        stones = tuple(Cell(f"stone{index}", index, 0) for index in range(int(position.words[0])))
        pieces = tuple(Piece(cell.id, 0, "o") for cell in stones)
        moves = position.legal_moves
        clicks = {move.text: ((stones[move.action - 1].id if move.action else "pass",),) for move in moves}
        buttons = (Button("pass"),) if "pass" in clicks else ()
        return Picture(cells=stones, pieces=pieces, clicks=clicks, buttons=buttons)


def as_plugin() -> ModuleType:
    """Return a plug-in module, imported as `nim_plugin`, that registers the game."""

    @hookimpl
    def bg_games() -> list[Entry]:
        return [Entry("nim", "one heap of stones", f"{__name__}:Nim")]

    module = ModuleType("nim_plugin", "Nim for the tests.")
    module.bg_games = bg_games  # type: ignore[attr-defined]  # a module made by hand
    sys.modules["nim_plugin"] = module
    return module
