"""Tactics of Abalone by exhaustive search over marbles alone, and the suite of them.

The *balance* of a move at n plies is what its side then has pushed off more
than it has lost since, both sides playing for nothing else; the match won or
lost counts more than any marbles. A move *wins* at n plies if its balance there
is at least 1, and *saves* if it is at least 0.

A marble is not all there is to Abalone: it may cost more than it is worth. The
suite has the tactics that *pay*: two judges, searches that reduce nothing, one by
the game's evaluation and one by the weights that were set by hand, play a move
that does it at the depth that it takes, and still do when they look far deeper.

A line of the suite is a position, `win` or `save`, the plies that it takes, the
moves that do it, what is at stake (`marble` or `match`), and the layout that the
match began from; `#` starts a comment.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numba import types

import boardgames
from boardgames.declarations import Evaluation
from boardgames.game import Game, Position
from boardgames.kernels import Actions, Evaluate, Reals, Words, kernel, row, row_out
from boardgames.kernels.abi import ACTIONS_STACK, WORDS, WORDS_STACK
from boardgames.kernels.bundles import Bundle
from boardgames.player import Limit, Player
from boardgames.search.alphabeta.search import pvs
from boardgames.search.alphabeta.workspace import KINDS
from boardgames.search.rules import INFINITY
from boardgames.selfplay.contest import new_workspaces
from boardgames_abalone.rules import apply, legal_moves, outcome, tactical_moves

Kind = Literal["win", "save"]
Stake = Literal["marble", "match"]
SUITE = Path(__file__).parents[1] / "plugins" / "abalone" / "tactics.txt"
SEEMING = 2
"""So many moves that lose, at least, seem to save two plies sooner."""
LAST_MARBLE = 5
DEEPEST = 5
"""Plies that a tactic takes at most."""
JUDGED = 1_000_000
"""Positions that a judge visits."""
MOST_MOVES = 3
"""A position has at most so many moves that do it: otherwise it is no test."""


@kernel(types.int64(WORDS, types.int64))
def lost_by(position: Words, side: int) -> int:
    """Return the marbles that a side has lost."""
    return np.int64((position[4] >> np.uint64(8 + 8 * side)) & np.uint64(0xFF))


@kernel(Evaluate)
def material(position: Words, weights: Reals) -> float:
    """Return what the side to move has pushed off more than it has lost."""
    side = np.int64(position[4] & np.uint64(1))
    return float(lost_by(position, 1 - side) - lost_by(position, side))


MATERIAL = Evaluation("material", material, np.zeros(0), bound=6.0)


@dataclass(frozen=True, slots=True)
class Tactic:
    """A position in which few moves win a marble, or save one, within so many plies."""

    position: str
    kind: Kind
    plies: int
    moves: tuple[str, ...]
    stake: Stake
    layout: str

    def __str__(self) -> str:
        told = self.position, self.kind, str(self.plies), ",".join(self.moves), self.stake
        return " ".join([*told, self.layout])

    @property
    def name(self) -> str:
        """Return `win 3`."""
        return f"{self.kind} {self.plies}"

    @classmethod
    def parse(cls, line: str) -> "Tactic":
        """Return the tactic of a line of the suite."""
        position, kind, plies, moves, stake, layout = line.split()
        assert kind in get_args(Kind), line
        assert stake in get_args(Stake), line
        return cls(position, kind, int(plies), tuple(moves.split(",")), stake, layout)  # type: ignore[arg-type]  # seen to


def read_suite(path: Path = SUITE) -> list[Tactic]:
    """Return the tactics of a file."""
    lines = (line.partition("#")[0].strip() for line in path.read_text("utf-8").splitlines())
    return [Tactic.parse(line) for line in lines if line]


@kernel(types.boolean(WORDS_STACK, ACTIONS_STACK, types.int64, types.int64, types.int64))
def can_gain(positions: Words, moves: Actions, ply: int, plies: int, goal: int) -> bool:
    """Say whether the side to move can have a balance of `goal` at so many plies.

    It is exhaustive, but for what is clear at once: a ply pushes off one marble
    at most, so that some goals are out of reach and some cannot be missed, and the
    last ply gains if there is a push-off.

    Parameters
    ----------
    positions : uint64[m, 5]
        Stack; rows after `ply` are overwritten.
    moves : int64[2 m, 1098]
        Overwritten from row 2 ply on.
    """
    side = np.int64(positions[ply, 4] & np.uint64(1))
    lost, other_lost = lost_by(row(positions, ply), side), lost_by(row(positions, ply), 1 - side)
    own, others = (plies + 1) // 2, plies // 2
    if goal > own and other_lost + own <= LAST_MARBLE:
        return False
    if goal <= -others and lost + others <= LAST_MARBLE:
        return True
    for is_rest in range(2):
        line = 2 * ply + is_rest
        if is_rest == 1:
            count = legal_moves(row(positions, ply), row_out(moves, line))
        else:
            count = tactical_moves(row(positions, ply), row_out(moves, line))
        for index in range(count):
            apply(row(positions, ply), moves[line, index], row_out(positions, ply + 1))
            gain = lost_by(row(positions, ply + 1), 1 - side) - other_lost
            if gain == 1 and other_lost == LAST_MARBLE:
                return True
            if plies == 1 and goal <= gain:
                return True
            if plies > 1 and not can_gain(positions, moves, ply + 1, plies - 1, gain - goal + 1):
                return True
        if plies == 1:
            return goal <= 0
    return False


class Balances:
    """Which moves have a balance of so much, and exactly how much by a search of the core."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.workspace = new_workspaces(game, [MATERIAL], 2 * DEEPEST)[0]
        self.positions, self.moves = self.workspace.positions, self.workspace.moves

    def at_least(
        self, position: Position, goal: int, plies: int, among: Iterable[int] | None = None
    ) -> frozenset[int]:
        """Return the actions whose balance at `plies` plies is at least `goal`."""
        actions = position.actions if among is None else among
        return frozenset(action for action in actions if self._reaches(position, action, goal, plies))

    def balance(self, position: Position, action: int, plies: int, node: Callable[..., float] = pvs) -> float:
        """Return the balance of an action by alpha-beta or minimax; millions if the match is decided."""
        kernels = self.game.kernels
        kernels.apply(position.words, action, self.positions[1])
        bundle = Bundle(KINDS, self.workspace)
        value = node(bundle.words, 1, plies - 1, -INFINITY, INFINITY)
        return -float(value) - float(material(position.words, MATERIAL.weights))

    def _reaches(self, position: Position, action: int, goal: int, plies: int) -> bool:
        before, after = position.words, self.positions[0]
        apply(before, action, after)
        if outcome(after) >= 0:
            return True
        gain = lost_by(after, 1 - position.side_to_move) - lost_by(before, 1 - position.side_to_move)
        if plies == 1:
            return bool(gain >= goal)
        return not can_gain(self.positions, self.moves, 0, plies - 1, gain - goal + 1)


def over_marbles(agent: str) -> Player:
    """Return an agent that searches as it does otherwise, but for marbles alone."""
    game = boardgames.load("abalone")
    game.evaluation = MATERIAL
    return boardgames.load_player(agent, game)


def depth_that_solves(tactic: Tactic, player: Player, deepest: int) -> int | None:
    """Return the depth, `tactic.plies` or more, at which a player makes one of the moves; None if at none."""
    position = player.game.parse(tactic.position)
    for depth in range(tactic.plies, deepest + 1):
        player.match_started(position.side_to_move)
        if str(player.choose(position, Limit(depth=depth)).move) in tactic.moves:
            return depth
    return None


def tactic_of(position: Position, balances: Balances, layout: str, deepest: int = DEEPEST) -> Tactic | None:
    """Return what a position is a test of, up to so many plies; None if of nothing.

    Nothing wins a marble sooner. One to three moves win one at n plies, still
    have it at n + 1, and no other move has won one at n + 2. Or one to three
    moves save one at n plies, and at n + 2 too; no other has won back at n + 1
    what it loses, nothing wins one instead, and at n - 2 plies two moves more,
    at least, seem to save it.
    """
    for plies in range(1, deepest + 1):
        kind: Kind = "win" if plies % 2 else "save"
        found = balances.at_least(position, int(kind == "win"), plies)
        if kind == "win" and not found:
            continue
        if kind == "save" and len(found) > MOST_MOVES:
            continue
        is_test = _is_winning if kind == "win" else _is_saving
        if 0 < len(found) <= MOST_MOVES and is_test(balances, position, plies, found):
            return _tactic(position, kind, plies, found, layout)
        return None
    return None


def _is_winning(balances: Balances, position: Position, plies: int, wins: frozenset[int]) -> bool:
    """Say whether what is won at so many plies is kept, and no other move wins it a little later."""
    if balances.at_least(position, 1, plies + 1, wins) != wins:
        return False
    return balances.at_least(position, 1, plies + 2) == wins


def _is_saving(balances: Balances, position: Position, plies: int, saves: frozenset[int]) -> bool:
    """Say whether what is saved stays so, other moves lose for good, and that could not be seen sooner."""
    sooner = balances.at_least(position, 0, plies - 2) if plies > 2 else position.actions
    if len(sooner) < len(saves) + SEEMING or balances.at_least(position, 1, plies + 1):
        return False
    if balances.at_least(position, 0, plies + 1) != saves:
        return False
    return balances.at_least(position, 0, plies + 2, saves) == saves


def _tactic(position: Position, kind: Kind, plies: int, actions: frozenset[int], layout: str) -> Tactic:
    score, side = position.score, position.side_to_move
    lost = score[side] if kind == "win" else score[1 - side]
    stake: Stake = "match" if lost == LAST_MARBLE else "marble"
    moves = tuple(str(position.game.decode(position, action)) for action in sorted(actions))
    return Tactic(str(position), kind, plies, moves, stake, layout)


def judges() -> tuple[Player, ...]:
    """Return those who say whether a tactic pays."""
    game = boardgames.load("abalone")
    whole = "alphabeta:lmr=false,futility=false,null_move=false"
    return boardgames.load_player(whole, game), boardgames.load_player(
        f"{whole},weights=engine-by-hand", game
    )


def pays(tactic: Tactic, judges: Sequence[Player]) -> bool:
    """Say whether all judges would make a move that does it, at the depth that it takes and far deeper."""
    for limit in (Limit(depth=tactic.plies), Limit(nodes=JUDGED)):
        for judge in judges:
            position = judge.game.parse(tactic.position)
            judge.match_started(position.side_to_move)
            if str(judge.choose(position, limit).move) not in tactic.moves:
                return False
    return True
