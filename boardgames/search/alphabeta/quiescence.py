"""Quiescence search: follow tactical moves beyond the horizon, so that only quiet positions are evaluated.

The side to move may always stand pat, that is, take the evaluation instead of
a tactical move (C. Shannon, "Programming a computer for playing chess", 1950;
D. Beal, "A generalised quiescence search algorithm", 1990).
"""

from boardgames.kernels import Actions, is_stopped, kernel, row, row_out
from boardgames.search.alphabeta.ordering import pick_move, rank_tactical_moves
from boardgames.search.alphabeta.workspace import NODE, final_value, unpack, update_line
from boardgames.search.rules import ONGOING

AT_LIMIT = -1
"""Value of `depth` for a position in which a ply limit ends the match."""


@kernel(NODE)
def quiescence(bundle: Actions, ply: int, depth: int, alpha: float, beta: float) -> float:
    """Return the value of the position at `ply`, following at most `depth` tactical moves.

    The parameters are those of `search.pvs`. At depth 0 the evaluation is returned. At depth
    `AT_LIMIT`, a ply limit ends the match here unless the rules have already ended it.
    """
    game = unpack(bundle)
    positions, moves, lines, control = game.positions, game.moves, game.lines, game.control
    lines[ply, 0] = 0
    position = row(positions, ply)
    if depth == AT_LIMIT or game.outcome(position) != ONGOING:
        return final_value(bundle, ply)
    control[0].evaluated += 1
    best = game.evaluate(position, game.weights)
    if depth == 0 or best >= beta:
        return best
    count = game.tactical_moves(position, row_out(moves, 2 * ply))
    if count == 0:
        return best
    rank_tactical_moves(bundle, ply, count)
    side = game.side_to_move(row(positions, ply))
    following = AT_LIMIT if ply + 1 >= game.options[0].plies_left else depth - 1
    for index in range(count):
        if is_stopped(control):
            return best
        action = pick_move(moves, ply, index, count)
        game.apply(row(positions, ply), action, row_out(positions, ply + 1))
        control[0].nodes += 1
        low = max(alpha, best)
        if game.side_to_move(row(positions, ply + 1)) == side:
            value = quiescence(bundle, ply + 1, following, low, beta)
        else:
            value = -quiescence(bundle, ply + 1, following, -beta, -low)
        if value > best:
            best = value
            update_line(lines, ply, action)
            if best >= beta:
                return best
    return best
