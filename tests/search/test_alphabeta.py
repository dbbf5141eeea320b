"""Alpha-beta against minimax: equal values, lines that bear them out, ends told by unit."""

from dataclasses import replace

import pytest
from boardgames.search.deepening import NodeSearch
from nim import Nim
from reference.minimax import cases, move_worths, reached, search_value, tictactoe, worth

import boardgames
from boardgames.declarations import NO_EVALUATION, Evaluation
from boardgames.game import Game, Move, Position
from boardgames.player import NO_CONTEXT, Analysis, Limit
from boardgames.score import Score
from boardgames.search import search
from boardgames.search.alphabeta import negamax
from boardgames.search.minimax import minimax

CASES = cases()

GAMES: dict[str, tuple[Game, int, int]] = {
    "tictactoe": (tictactoe(), 3, 6),
    "connect4 of 4 x 4": (boardgames.load("connect4", columns=4, rows=4), 7, 9),
    "connect4 of 5 x 4": (boardgames.load("connect4", columns=5, rows=4), 6, 5),
    "connect4": (boardgames.load("connect4"), 12, 5),
    "hexifence to the end": (boardgames.load("hexifence", dimension=2), 23, 7),
    "hexifence": (boardgames.load("hexifence", dimension=2), 14, 3),
    "abalone": (boardgames.load("abalone"), 20, 2),
    "abalone at depth 1": (boardgames.load("abalone", layout="german-daisy"), 30, 1),
    "abalone without broadside moves": (boardgames.load("abalone", broadside=False), 30, 3),
    "nim": (Nim(again=True), 1, 7),
}
PLAIN = ("tictactoe", "hexifence to the end 0", "connect4 of 4 x 4 0", "nim where one stone keeps the turn")


def analysed(
    position: Position,
    depth: int,
    *,
    node: NodeSearch = negamax,
    evaluation: Evaluation | None = None,
    all_moves: bool = False,
) -> Analysis:
    evaluation = evaluation or position.game.evaluation
    return search(position, node, evaluation, Limit(depth=depth), NO_CONTEXT, all_moves=all_moves)


def scored(analysis: Analysis) -> list[tuple[str, Score]]:
    """Return the texts of the moves with their scores, best first."""
    return [(str(entry.move), entry.score) for entry in analysis.moves]


def value(analysis: Analysis) -> float:
    """Return the score of a position as the kernels of its evaluation count."""
    return search_value(analysis.score, analysis.position.game.evaluation.scale)


def end_of(position: Position, line: tuple[Move, ...]) -> Position:
    """Return the position after a line, every move of which must be legal."""
    for move in line:
        position = position.apply(str(move))
    return position


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", GAMES)
def test_value_is_that_of_minimax(name: str, seed: int) -> None:
    game, plies, depth = GAMES[name]
    position = reached(game, plies, seed)
    full = analysed(position, depth, node=minimax)
    pruned = analysed(position, depth)
    assert value(pruned) == pytest.approx(value(full))
    assert (pruned.depth, pruned.proven) == (full.depth, full.proven)
    assert pruned.nodes <= full.nodes


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("layout", ["standard", "belgian-daisy"])
def test_value_is_that_of_minimax_three_plies_ahead_in_abalone(layout: str, seed: int) -> None:
    position = reached(boardgames.load("abalone", layout=layout), 25, seed)
    expected = value(analysed(position, 3, node=minimax))
    assert value(analysed(position, 3)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.plain
@pytest.mark.parametrize("name", PLAIN[1:])
def test_value_is_that_of_the_slow_minimax(name: str) -> None:
    position, depth = CASES[name]
    found = analysed(position, depth)
    expected = max(move_worths(position, found.depth))
    assert value(found) == pytest.approx(expected, abs=1e-9)


def test_fewer_positions_are_visited_than_by_minimax() -> None:
    position = boardgames.load("abalone").start()
    full, pruned = analysed(position, 3, node=minimax), analysed(position, 3)
    assert pruned.nodes < full.nodes / 5


@pytest.mark.parametrize("all_moves", [False, True], ids=["best move", "all moves"])
@pytest.mark.parametrize("name", CASES)
def test_lines_are_legal_and_end_in_what_they_are_worth(name: str, all_moves: bool) -> None:
    position, depth = CASES[name]
    analysis = analysed(position, depth, all_moves=all_moves)
    for entry in analysis.moves:
        assert entry.line[0] == entry.move
        end = end_of(position, entry.line)
        assert len(entry.line) == analysis.depth or end.outcome is not None
        left = analysis.depth - len(entry.line)
        expected = worth(end, position.side_to_move, left, ply=len(entry.line))
        found = search_value(entry.score, position.game.evaluation.scale)
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_every_legal_move_is_valued_once_best_first(name: str) -> None:
    position, depth = CASES[name]
    found = analysed(position, depth, all_moves=True)
    scores = [entry.score for entry in found.moves]
    assert sorted(entry.move.action for entry in found.moves) == list(position.actions)
    assert scores == sorted(scores, reverse=True)
    assert found.score == scores[0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", GAMES)
def test_values_of_all_moves_are_those_of_minimax(name: str, seed: int) -> None:
    game, plies, depth = GAMES[name]
    position = reached(game, plies, seed)
    found = [analysed(position, depth, node=node, all_moves=True) for node in (minimax, negamax)]
    full, pruned = (
        {entry.move: search_value(entry.score, game.evaluation.scale) for entry in analysis.moves}
        for analysis in found
    )
    assert pruned == pytest.approx(full, abs=1e-9)


WON = [
    pytest.param(boardgames.load("connect4").parse("112233"), "4", id="connect4"),
    pytest.param(tictactoe().parse("xx./oo./..."), "c3", id="tictactoe"),
    pytest.param(
        boardgames.load("abalone").parse("w..../b...../b....../......../........./......../......./....../.....:b:0:5"),
        "g3h4", id="abalone",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("position", "move"), WON)
def test_a_win_is_found_and_reported_as_proven(position: Position, move: str) -> None:
    found = analysed(position, 4)
    assert (found.score, found.proven, found.depth) == (Score.win(1), True, 1)
    assert found.unit is position.game.evaluation.unit
    assert str(found.moves[0].move) == move


def test_a_loss_is_told_as_proven() -> None:
    # red has three in the bottom row with both ends open, and blue is to move
    found = analysed(boardgames.load("connect4").parse("22334"), 6)
    assert (found.score, found.proven, found.depth) == (Score.loss(2), True, 2)


def test_what_is_only_estimated_is_not_proven() -> None:
    assert not analysed(boardgames.load("connect4").start(), 3).proven


def test_a_match_seen_to_its_end_is_proven() -> None:
    found = analysed(tictactoe().parse("xox/.o./.x."), 9)
    assert (value(found), found.proven) == (0.0, True)


ROOTS = pytest.mark.parametrize("node", [minimax, negamax], ids=["minimax", "alphabeta"])


@ROOTS
def test_a_quick_win_is_preferred(node: NodeSearch) -> None:
    found = analysed(Nim(again=True).parse("3:0:0:0"), 9, node=node, evaluation=NO_EVALUATION, all_moves=True)
    assert scored(found) == [("take3", Score.win(1)), ("take1", Score.win(2)), ("take2", Score.win(2))]


@ROOTS
def test_a_slow_loss_is_preferred(node: NodeSearch) -> None:
    found = analysed(Nim(again=True).parse("6:0:0:0"), 9, node=node, evaluation=NO_EVALUATION, all_moves=True)
    assert scored(found) == [("take1", Score.win(4)), ("take2", Score.loss(3)), ("take3", Score.loss(2))]


@pytest.mark.parametrize("seed", range(6))
def test_margins_at_the_end_are_exact(seed: int) -> None:
    position = reached(boardgames.load("hexifence", dimension=2), 24, seed)
    found = analysed(position, 9, all_moves=True)
    assert found.proven
    margins = {entry.move.action: entry.score.amount for entry in found.moves}
    side = position.side_to_move
    for action in position.actions:
        assert margins[action] == _best_margin(position.apply(Move(action, "")), side)


def _best_margin(position: Position, side: int) -> int:
    """Return the cells that `side` ends up ahead by, by brute force over the score."""
    if not position.actions:
        return position.score[side] - position.score[1 - side]
    best = max if position.side_to_move == side else min
    return best(_best_margin(position.apply(Move(action, "")), side) for action in position.actions)


def test_a_side_without_a_move_loses() -> None:
    found = analysed(Nim(stuck=True).parse("3:0:0:0"), 3)
    assert (found.score, str(found.moves[0].move), found.proven) == (Score.win(1), "take3", True)


def test_a_side_without_a_move_draws_where_the_game_says_so() -> None:
    game = Nim(stuck=True)
    game.facts = replace(game.facts, no_moves_draws=True)
    found = analysed(game.parse("3:0:0:0"), 9)
    assert (value(found), found.proven) == (0.0, True)
