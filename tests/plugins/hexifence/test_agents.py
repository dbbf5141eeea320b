"""The agent `strong`."""

import random

import numpy as np
import pytest
from reference.hexifence_values import move_values, random_edges, text_of

import boardgames
from boardgames.errors import OptionError
from boardgames.game import Move, Position
from boardgames.player import Limit, Stop
from boardgames_hexifence import agents
from boardgames_hexifence.agents import Strong
from boardgames_hexifence.edges import make, member, new_edge_set, number_of
from boardgames_hexifence.features import SAFE
from boardgames_hexifence.game import Hexifence, lead_of
from boardgames_hexifence.monte_carlo import Estimate, MonteCarlo
from boardgames_hexifence.solver import Solver
from boardgames_hexifence.solver.small import index_of
from boardgames_hexifence.solver.solver import cells_taken, keeps_turn

BEFORE_SACRIFICES = 32
"""Open edges left by random safe ones: the first sacrifices decide the match, and the solver is exact."""
MIDDLE_GAME = (
    "3:..RR.RRRBR.RB..B.R.BBB.B..R.B....R..R.R.B.R..BRB..B.....BB.BBRRB.B..RR..:...................:B"
)
"""22 safe edges are left; only edges 10 and 18 win, and simulations prefer edge 44."""
LATE = "0 5 10 12 21 28 24 3 14 16 26 7 17 18"


def test_values_of_moves_are_final_differences_of_cells() -> None:
    chance, game = random.Random(8), Hexifence(dimension=3)
    player = Strong(game, table=4)
    for _ in range(10):
        open_edges = random_edges(3, 9, chance)
        position = game.parse(text_of(3, open_edges))
        analysis = player.analyse(position, Limit(seconds=60))
        values = {entry.move.action: entry.score.amount for entry in analysis.moves}
        before = lead_of(position)
        expected = {edge: before + value for edge, value in move_values(3, open_edges).items()}
        assert values == expected
        assert analysis.proven


def test_best_line_ends_with_the_value() -> None:
    game = Hexifence(dimension=2)
    position = game.start().apply_moves(LATE)
    analysis = Strong(game, table=4).analyse(position, Limit(seconds=60))
    end = position.apply_moves(" ".join(map(str, analysis.moves[0].line)))
    assert end.outcome is not None
    difference = end.score[position.side_to_move] - end.score[1 - position.side_to_move]
    assert difference == analysis.score.amount


def test_moves_that_are_not_solved_in_time_are_not_proven() -> None:
    game = Hexifence(dimension=4)
    analysis = Strong(game, table=4).analyse(game.start(), Limit(seconds=0.2))
    assert not analysis.proven
    assert len(analysis.moves) == len(game.start().legal_moves)
    assert not any(entry.proven for entry in analysis.moves)


@pytest.mark.parametrize("dimension", [2, 5, 8])
def test_every_dimension_has_a_legal_move(dimension: int) -> None:
    game = Hexifence(dimension=dimension)
    choice = Strong(game, table=4).choose(game.start(), Limit(seconds=0.2))
    assert choice.move is not None
    assert game.start().is_legal(choice.move)


def test_the_end_of_a_match_on_a_large_board_is_solved() -> None:
    game, chance = Hexifence(dimension=8), random.Random(3)
    open_edges = random_edges(8, 9, chance)
    analysis = Strong(game, table=4).analyse(game.parse(text_of(8, open_edges)), Limit(seconds=60))
    assert analysis.proven
    assert analysis.score.amount is not None
    assert analysis.score.amount - lead_of(analysis.position) == max(move_values(8, open_edges).values())


@pytest.mark.slow
def test_estimated_moves_are_not_proven_and_say_how_many_simulations_there_were() -> None:
    game = Hexifence(dimension=3)
    player = Strong(game, table=4, seed=1)
    choice = player.choose(game.start())
    assert not choice.proven
    assert choice.simulations >= 500


@pytest.mark.slow
def test_a_difficult_middle_game_is_won_with_enough_time() -> None:
    game = Hexifence(dimension=3)
    choice = Strong(game, seed=1).choose(game.parse(MIDDLE_GAME), Limit(seconds=60))
    assert choice.move is not None
    assert choice.move.action in (10, 18)


def test_a_move_that_is_proven_to_lose_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Hexifence(dimension=3)
    position = game.parse(MIDDLE_GAME)
    refuted: list[Position] = []

    def is_won(solver: Solver, after: Position, **limits: object) -> bool | None:
        if len(refuted) == 4 or after == position:
            return None
        refuted.append(after)
        return True  # for the opponent

    monkeypatch.setattr(Solver, "is_won", is_won)
    choice = Strong(game, seed=1).choose(position, Limit(seconds=1))
    assert choice.move is not None
    assert refuted
    assert position.apply(choice.move) not in refuted


def test_a_move_that_is_proven_to_win_is_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Hexifence(dimension=3)
    position = game.parse(MIDDLE_GAME)
    winning = position.apply(game.decode(position, 10))
    known = {position: True, winning: False}
    monkeypatch.setattr(Solver, "is_won", lambda solver, asked, **limits: known.get(asked))
    choice = Strong(game, seed=1).choose(position, Limit(seconds=4))
    assert choice.move is not None
    assert choice.move.action == 10
    assert choice.seconds < 4


def test_a_winning_move_that_the_tree_leaves_out_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    position = Hexifence(dimension=3).parse(MIDDLE_GAME)
    winning, estimates = position.apply(position.game.decode(position, 10)), MonteCarlo.estimates

    def listed(tree: MonteCarlo) -> dict[int, Estimate]:
        return {edge: one for edge, one in estimates(tree).items() if edge != 10}

    monkeypatch.setattr(agents, "TREE_SHARE", 0.01)
    monkeypatch.setattr(MonteCarlo, "estimates", listed)
    monkeypatch.setattr(Solver, "is_won", lambda solver, asked, **limits: asked != winning)
    choice = Strong(position.game, seed=1).choose(position, Limit(seconds=4))
    assert choice.move is not None
    assert choice.move.action == 10
    assert choice.score is not None
    assert choice.score.amount == 1


def test_bounds_of_moves_that_are_not_solved_decide_their_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    def bounds_of(
        player: Strong, position: Position, move: Move, *, stop: Stop | None = None, **limits: object
    ) -> object:
        if stop is not None:
            stop.set()
        return (1, 3) if move.action == 18 else (-5, -1)

    position = Hexifence(dimension=3).parse(MIDDLE_GAME)
    monkeypatch.setattr(Strong, "_bounds_of", bounds_of)
    analysis = Strong(position.game, seed=1).analyse(position, Limit(seconds=1))
    amounts = [entry.score.amount or 0.0 for entry in analysis.moves]
    assert (analysis.moves[0].move.action, amounts[0] >= 1, max(amounts[1:]) <= -1) == (18, True, True)


def test_beginners_of_low_levels_lose_to_the_best() -> None:
    game = Hexifence(dimension=2)
    for seed in range(4):
        players = [Strong(game, seed=seed, level=1), Strong(game, seed=seed)]
        position, best = game.start(), 1  # the second side wins with best play
        while position.outcome is None:
            move = players[position.side_to_move].choose(position).move
            assert move is not None
            position = position.apply(move)
        assert position.outcome.winner == best


def test_in_a_lost_position_the_best_move_with_most_traps_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    position = Hexifence(dimension=2).start()  # all 30 moves lose by three cells
    asked: list[tuple[int, int, bool]] = []

    def chances(states: list[tuple[int, int, bool]]) -> list[float]:
        asked.extend(states)
        return [float(place == 17) for place in range(len(states))]

    player = Strong(position.game, seed=1)
    player.match_started(position.side_to_move)
    monkeypatch.setattr(agents, "chances", chances)
    choice = player.choose(position)
    assert choice.move is not None
    after = position.apply(choice.move)
    assert len(asked) == 30
    assert (index_of(after.words), 0, True) == asked[17]


def test_solver_wins_a_won_position_against_greedy() -> None:
    game = Hexifence(dimension=2)
    position = game.start().apply_moves(LATE)
    player, opponent = Strong(game, table=4, seed=1), boardgames.load_player("greedy", game, seed=1)
    amount = player.analyse(position, Limit(seconds=60)).score.amount
    assert amount is not None
    winner = position.side_to_move if amount >= 0 else 1 - position.side_to_move
    players = {winner: player, 1 - winner: opponent}
    while position.outcome is None:
        move = players[position.side_to_move].choose(position, Limit(seconds=60)).move
        assert move is not None
        position = position.apply(move)
    assert position.outcome.winner == winner


@pytest.mark.slow
def test_the_default_agent_loses_no_cells_before_the_sacrifices() -> None:
    game, chance = Hexifence(dimension=3), np.random.default_rng(1)
    player, solver = boardgames.load_player(game.facts.default_agent, game, seed=1), Solver(game)
    losses = 0
    for _ in range(12):
        position = random_safe_position(game, BEFORE_SACRIFICES, chance)
        move = player.choose(position, Limit(seconds=1)).move
        assert move is not None
        after = position.apply(move)
        best, rest = solver.values([position, after])
        kept = cells_taken(position, after) + (rest if keeps_turn(position, after) else -rest)
        losses += kept < best
    assert losses <= 1  # `alphabeta` loses cells in ten of them


def random_safe_position(game: Hexifence, edges: int, chance: np.random.Generator) -> Position:
    start = game.start()
    while True:
        edge_set = new_edge_set(start.words)
        drawn: list[int] = []
        while len(start.legal_moves) - len(drawn) > edges and number_of(edge_set, SAFE):
            drawn.append(int(member(edge_set, SAFE, int(chance.integers(number_of(edge_set, SAFE))))))
            make(edge_set, drawn[-1])
        if len(start.legal_moves) - len(drawn) == edges:
            return start.apply_moves(" ".join(map(str, drawn)))


def test_other_games_are_rejected() -> None:
    with pytest.raises(OptionError, match="plays Hexifence, not Connect Four"):
        Strong(boardgames.load("connect4"))
