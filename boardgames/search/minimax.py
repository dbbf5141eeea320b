"""Minimax: plain search without pruning. Read it before the other searches."""

from boardgames.kernels import Actions, is_stopped, kernel, row, row_out
from boardgames.search.alphabeta.workspace import NODE, final_value, unpack, update_line
from boardgames.search.rules import INFINITY, ONGOING


@kernel(NODE)
def minimax(bundle: Actions, ply: int, depth: int, alpha: float, beta: float) -> float:
    """Return the value of the position at `ply` for its side to move, searched to `depth` plies.

    The window is ignored; the other parameters are those of `alphabeta.search.pvs`.
    """
    game = unpack(bundle)
    positions, moves, lines, control = game.positions, game.moves, game.lines, game.control
    control[0].nodes += 1
    lines[ply, 0] = 0
    if ply >= game.options[0].plies_left:
        return final_value(bundle, ply)
    if depth == 0 and game.outcome(row(positions, ply)) == ONGOING:
        control[0].evaluated += 1
        return game.evaluate(row(positions, ply), game.weights)
    count = game.legal_moves(row(positions, ply), row_out(moves, 2 * ply))
    if count == 0:
        return final_value(bundle, ply)
    side = game.side_to_move(row(positions, ply))
    best = -INFINITY
    for index in range(count):
        if is_stopped(control):
            break
        action = moves[2 * ply, index]
        game.apply(row(positions, ply), action, row_out(positions, ply + 1))
        value = minimax(bundle, ply + 1, depth - 1, alpha, beta)
        if game.side_to_move(row(positions, ply + 1)) != side:
            value = -value
        if value > best:
            best = value
            update_line(lines, ply, action)
    return best
