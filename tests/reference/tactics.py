"""Tactical test positions of Abalone, defined by exhaustive search for marbles.

The *balance* of a move at n plies is the number of marbles that its side has pushed off after
n plies, minus the number that it has lost, if both sides play only for marbles. Winning
or losing the match counts more than any number of marbles. A move *wins* at n plies if its
balance is at least 1, and *saves* if its balance is at least 0.

Winning a marble may cost more than it is worth. The suite contains the tactics that *pay*:
two judges choose a solution both at the depth of the tactic and in far deeper searches. The judges
are exact searches with the default evaluation and with the weights set by hand.

A line of the suite contains a position, `win` or `save`, the number of plies, the
solutions, what is at stake (`marble` or `match`), and the layout that the match started
from. `#` starts a comment.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

import boardgames
from boardgames.declarations import Evaluation
from boardgames.game import Game, Position
from boardgames.kernels import Actions, Evaluate, Reals, Words, kernel, row, row_out, types
from boardgames.kernels.abi import ACTIONS_STACK, WORDS, WORDS_STACK
from boardgames.kernels.bundles import Bundle
from boardgames.player import Limit, Player
from boardgames.search.alphabeta.search import pvs
from boardgames.search.rules import INFINITY
from boardgames.selfplay.contest import new_workspaces
from boardgames_abalone.rules import apply, legal_moves, outcome, tactical_moves

Kind = Literal["win", "save"]
Stake = Literal["marble", "match"]
SUITE = Path(__file__).parents[1] / "plugins" / "abalone" / "tactics.txt"
LAST_MARBLE = 5
MAX_PLIES = 5
"""Length of the longest tactics in plies."""
MAX_SOLUTIONS = 3
MIN_TEMPTING = 2
"""Minimum number of losing moves that seem to save the marble in a search two plies shallower."""
JUDGE_NODES = 1_000_000
EXACT = "lmr=false,futility=false,null_move=false"
"""Options of `alphabeta` without selective search."""


@kernel(types.int64(WORDS, types.int64))
def lost_by(position: Words, side: int) -> int:
    """Return the number of marbles that a side has lost."""
    return np.int64((position[4] >> np.uint64(8 + 8 * side)) & np.uint64(0xFF))


@kernel(Evaluate)
def material(position: Words, weights: Reals) -> float:
    """Return the number of marbles that the opponent has lost minus the number the side to move has lost."""
    side = np.int64(position[4] & np.uint64(1))
    return float(lost_by(position, 1 - side) - lost_by(position, side))


MATERIAL = Evaluation("material", material, np.zeros(0), bound=6.0)


@dataclass(frozen=True, slots=True)
class Tactic:
    """A position in which one to three moves win or save a marble within a number of plies."""

    position: str
    kind: Kind
    plies: int
    moves: tuple[str, ...]
    stake: Stake
    layout: str

    def __str__(self) -> str:
        fields = self.position, self.kind, str(self.plies), ",".join(self.moves), self.stake, self.layout
        return " ".join(fields)

    @property
    def name(self) -> str:
        """Return the kind and the number of plies, for instance `win 3`."""
        return f"{self.kind} {self.plies}"

    @classmethod
    def parse(cls, line: str) -> "Tactic":
        """Return the tactic of a line of the suite."""
        position, kind, plies, moves, stake, layout = line.split()
        assert kind in get_args(Kind), line
        assert stake in get_args(Stake), line
        return cls(position, kind, int(plies), tuple(moves.split(",")), stake, layout)


def read_suite(path: Path = SUITE) -> list[Tactic]:
    """Return the tactics of a file."""
    lines = (line.partition("#")[0].strip() for line in path.read_text("utf-8").splitlines())
    return [Tactic.parse(line) for line in lines if line]


@kernel(types.boolean(WORDS_STACK, ACTIONS_STACK, types.int64, types.int64, types.int64))
def can_gain(positions: Words, moves: Actions, ply: int, plies: int, goal: int) -> bool:
    """Return whether the side to move can reach a balance of `goal` in a number of plies.

    The search is exhaustive except for two shortcuts. A ply pushes off at most one
    marble, so some goals cannot be reached and others cannot be missed. And on the last
    ply, tactical moves are tried first.

    Parameters
    ----------
    positions : uint64[m, 5]
        Stack of positions; rows after `ply` are overwritten.
    moves : int64[2 m, 1098]
        Stack of moves; overwritten from row 2 `ply`.
    """
    side = np.int64(positions[ply, 4] & np.uint64(1))
    lost, other_lost = lost_by(row(positions, ply), side), lost_by(row(positions, ply), 1 - side)
    own_plies, other_plies = (plies + 1) // 2, plies // 2
    if goal > own_plies and other_lost + own_plies <= LAST_MARBLE:
        return False
    if goal <= -other_plies and lost + other_plies <= LAST_MARBLE:
        return True
    for stage in range(2):
        line = 2 * ply + stage
        if stage == 0:
            count = tactical_moves(row(positions, ply), row_out(moves, line))
        else:
            count = legal_moves(row(positions, ply), row_out(moves, line))
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
    """Computes the balances of moves."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.workspace = new_workspaces(game, [MATERIAL], 2 * MAX_PLIES)[0]
        self.positions, self.moves = self.workspace.positions, self.workspace.moves

    def at_least(
        self, position: Position, goal: int, plies: int, among: Iterable[int] | None = None
    ) -> frozenset[int]:
        """Return the actions whose balance at `plies` plies is at least `goal`."""
        actions = position.actions if among is None else among
        return frozenset(action for action in actions if self._reaches(position, action, goal, plies))

    def balance(self, position: Position, action: int, plies: int, node: Callable[..., float] = pvs) -> float:
        """Return the balance of an action by a search kernel; beyond a million if the match is decided."""
        kernels = self.game.kernels
        kernels.apply(position.words, action, self.positions[1])
        bundle = Bundle(self.workspace)
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


def material_player(agent: str) -> Player:
    """Return an agent that evaluates positions only by lost marbles."""
    game = boardgames.load("abalone")
    game.evaluation = MATERIAL
    return boardgames.load_player(agent, game)


def solving_depth(tactic: Tactic, player: Player, max_depth: int) -> int | None:
    """Return the first depth, from `tactic.plies`, at which a player finds a solution, or None."""
    position = player.game.parse(tactic.position)
    for depth in range(tactic.plies, max_depth + 1):
        player.match_started(position.side_to_move)
        if str(player.choose(position, Limit(depth=depth)).move) in tactic.moves:
            return depth
    return None


def find_tactic(
    position: Position, balances: Balances, layout: str, max_plies: int = MAX_PLIES
) -> Tactic | None:
    """Return the tactic of a position with at most `max_plies` plies, or None.

    No move wins a marble sooner. In a *win*, one to three moves win a marble at n plies and
    are still ahead at n + 1, and no other move wins a marble by n + 2. In a *save*, one to three
    moves save a marble at n and n + 2 plies, no other move regains the lost marble by n + 1,
    no move wins a marble instead, and at n - 2 plies at least two more moves seem to save it.
    """
    for plies in range(1, max_plies + 1):
        kind: Kind = "win" if plies % 2 else "save"
        moves = balances.at_least(position, int(kind == "win"), plies)
        if kind == "win" and not moves:
            continue
        if kind == "save" and len(moves) > MAX_SOLUTIONS:
            continue
        is_test = _is_win if kind == "win" else _is_save
        if 0 < len(moves) <= MAX_SOLUTIONS and is_test(balances, position, plies, moves):
            return _tactic(position, kind, plies, moves, layout)
        return None
    return None


def _is_win(balances: Balances, position: Position, plies: int, solutions: frozenset[int]) -> bool:
    """Return whether the solutions stay ahead, and no other move wins a marble a little later."""
    if balances.at_least(position, 1, plies + 1, solutions) != solutions:
        return False
    return balances.at_least(position, 1, plies + 2) == solutions


def _is_save(balances: Balances, position: Position, plies: int, solutions: frozenset[int]) -> bool:
    """Return whether only the solutions save the marble for good, and shallower searches do not see this."""
    tempting = balances.at_least(position, 0, plies - 2) if plies > 2 else position.actions
    if len(tempting) < len(solutions) + MIN_TEMPTING or balances.at_least(position, 1, plies + 1):
        return False
    if balances.at_least(position, 0, plies + 1) != solutions:
        return False
    return balances.at_least(position, 0, plies + 2, solutions) == solutions


def _tactic(position: Position, kind: Kind, plies: int, actions: frozenset[int], layout: str) -> Tactic:
    score, side = position.score, position.side_to_move
    lost = score[side] if kind == "win" else score[1 - side]
    stake: Stake = "match" if lost == LAST_MARBLE else "marble"
    moves = tuple(str(position.game.decode(position, action)) for action in sorted(actions))
    return Tactic(str(position), kind, plies, moves, stake, layout)


def judges() -> tuple[Player, ...]:
    """Return the players that decide whether a tactic pays."""
    game = boardgames.load("abalone")
    by_hand = boardgames.load_player(f"alphabeta:{EXACT},weights=engine-by-hand", game)
    return boardgames.load_player(f"alphabeta:{EXACT}", game), by_hand


def pays(tactic: Tactic, judges: Sequence[Player]) -> bool:
    """Return whether all judges choose a solution, at the depth of the tactic and in a far deeper search."""
    for limit in (Limit(depth=tactic.plies), Limit(nodes=JUDGE_NODES)):
        for judge in judges:
            position = judge.game.parse(tactic.position)
            judge.match_started(position.side_to_move)
            if str(judge.choose(position, limit).move) not in tactic.moves:
                return False
    return True
