"""The oracle for searches: minimax with quiescence and extensions, but without pruning.

Principal variation search must return the same results if it prunes and reduces
nothing. The two searches share no code except the values of finished positions,
the root and iterative deepening. `boardgames.search.minimax` is the same search
without quiescence and extensions.
"""

from boardgames.declarations import Evaluation
from boardgames.game import Position
from boardgames.kernels import FORCING, Actions, is_stopped, kernel, row, row_out
from boardgames.player import Analysis, Context, Limit
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher
from boardgames.search.alphabeta.workspace import NODE, final_value, unpack, update_line
from boardgames.search.rules import INFINITY, MAX_DEPTH, ONGOING


@kernel(NODE)
def unpruned_quiescence(bundle: Actions, ply: int, depth: int, alpha: float, beta: float) -> float:
    """Return the larger of the evaluation and the best tactical move's value, searched `depth` plies deep."""
    game = unpack(bundle)
    positions, moves, lines, control = game.positions, game.moves, game.lines, game.control
    control[0].nodes += 1
    lines[ply, 0] = 0
    if game.outcome(row(positions, ply)) != ONGOING or ply >= game.options[0].plies_left:
        return final_value(bundle, ply)
    control[0].evaluated += 1
    best = game.evaluate(row(positions, ply), game.weights)
    count = 0
    if depth > 0:
        count = game.tactical_moves(row(positions, ply), row_out(moves, 2 * ply))
    side = game.side_to_move(row(positions, ply))
    for index in range(count):
        if is_stopped(control):
            break
        action = moves[2 * ply, index]
        game.apply(row(positions, ply), action, row_out(positions, ply + 1))
        value = unpruned_quiescence(bundle, ply + 1, depth - 1, alpha, beta)
        if game.side_to_move(row(positions, ply + 1)) != side:
            value = -value
        if value > best:
            best = value
            update_line(lines, ply, action)
    return best


@kernel(NODE)
def unpruned_search(bundle: Actions, ply: int, depth: int, alpha: float, beta: float) -> float:
    """Return the value of the position at `ply` for its side to move; the window is ignored."""
    game = unpack(bundle)
    options, positions, moves, lines = game.options[0], game.positions, game.moves, game.lines
    if depth <= 0 or ply >= MAX_DEPTH or ply >= options.plies_left:
        return unpruned_quiescence(bundle, ply, options.quiescence, alpha, beta)
    game.control[0].nodes += 1
    lines[ply, 0] = 0
    count = game.legal_moves(row(positions, ply), row_out(moves, 2 * ply))
    if count == 0:
        return final_value(bundle, ply)
    side = game.side_to_move(row(positions, ply))
    best = -INFINITY
    for index in range(count):
        if is_stopped(game.control):
            break
        action = moves[2 * ply, index]
        following = depth - 1
        if options.extensions != 0 and game.move_order(row(positions, ply), action) >= FORCING:
            following = depth
        game.apply(row(positions, ply), action, row_out(positions, ply + 1))
        value = unpruned_search(bundle, ply + 1, following, alpha, beta)
        if game.side_to_move(row(positions, ply + 1)) != side:
            value = -value
        if value > best:
            best = value
            update_line(lines, ply, action)
    return best


def search_unpruned(
    position: Position,
    evaluation: Evaluation,
    depth: int,
    *,
    quiescence: int = 0,
    extensions: bool = False,
    lines: int | None = 1,
    plies_left: int | None = None,
) -> Analysis:
    """Analyse a position by minimax with quiescence and extensions.

    Parameters
    ----------
    quiescence : int
        Number of plies for which quiescence search follows tactical moves.
    extensions : bool
        Search forcing moves one ply deeper.
    lines : int, optional
        Number of best moves whose scores are needed; None for all moves.
    plies_left : int, optional
        Number of plies after which a limit ends the match.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> analysis = search_unpruned(game.parse("112233"), game.evaluation, 4)
    >>> str(analysis.moves[0].move), analysis.proven
    ('4', True)
    """
    options = SearchOptions.plain(quiescence=quiescence, extensions=extensions)
    searcher = Searcher(position.game, evaluation, options, node=unpruned_search)
    return searcher.search(position, Limit(depth=depth), Context(plies_left=plies_left), lines=lines)
