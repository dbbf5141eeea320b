"""The agent `solver` of Connect Four: exact scores, perfect play, levels, and limits that are too short."""

import random
from functools import cache
from pathlib import Path

import pytest
from reference.connect4 import ReferencePosition, ReferenceSolver
from reference.connect4_search import random_positions, scores_of_moves, text_of
from waiting import TIMEOUT_S

import boardgames
from boardgames.errors import BookError, MatchError
from boardgames.game import Game, Position
from boardgames.player import Clock, Context, ExactPlayer, Limit, Stop
from boardgames.score import Score
from boardgames_connect4.agents import TEMPERATURES, points_of, score_of
from boardgames_connect4.board import Board
from boardgames_connect4.solver import Solver
from boardgames_connect4.solver.book import build_book

SIZES = [(7, 6), (8, 8), (5, 4)]


def connect4(columns: int = 7, rows: int = 6) -> Game:
    return boardgames.load("connect4", columns=columns, rows=rows)


def solver(game: Game, text: str = "", seed: int = 1) -> ExactPlayer:
    small = "solver" if game.facts.longest_match == 64 else "solver:table=4"  # 8 x 8 needs a larger table
    player = boardgames.load_player(text or small, game, seed=seed)
    assert isinstance(player, ExactPlayer)
    return player


@cache
def late_positions(columns: int, rows: int, left: int, count: int) -> list[Position]:
    """Return positions of unfinished matches with 1 to `left` empty cells."""
    game, chance = connect4(columns, rows), random.Random(1)
    positions: list[Position] = []
    while len(positions) < count:
        plies = columns * rows - chance.randint(1, left)
        position = game.start()
        for _ in range(plies):
            ongoing = [after for after in map(position.apply, position.legal_moves) if after.outcome is None]
            if not ongoing:
                break
            position = chance.choice(ongoing)
        else:
            positions.append(position)
    return positions


def reference_score(solved: ReferenceSolver, position: Position) -> int:
    rows = str(position).split("/")[::-1]
    columns = tuple("".join(column).rstrip(".") for column in zip(*rows, strict=True))
    return solved.score(ReferencePosition(columns, len(rows)))


def loss_of(player: ExactPlayer, solved: ReferenceSolver, position: Position) -> int:
    """Return how much worse the player's move is than the best one, by the scores of the slow solver."""
    after = position.apply(player.choose(position).move or "resigns")
    if after.outcome is None:
        score = -reference_score(solved, after)
    else:
        left = str(position).count(".")
        score = 0 if after.outcome.winner is None else (left + 1) // 2
    return reference_score(solved, position) - score


# --- scores ------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_best_play_ends_the_match_when_the_score_says(size: tuple[int, int]) -> None:
    player = solver(connect4(*size))
    for position in late_positions(*size, 10, 5):
        analysis = player.analyse(position)
        assert analysis.proven
        end = position
        for move in analysis.moves[0].line:
            end = end.apply(move)
        assert end.outcome is not None
        expected = {None: 0, position.side_to_move: 1, 1 - position.side_to_move: -1}[end.outcome.winner]
        assert analysis.score.sign == expected
        assert abs(analysis.score.win_in or len(analysis.moves[0].line)) == len(analysis.moves[0].line)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_move_has_the_score_of_a_slow_solver(size: tuple[int, int]) -> None:
    player, reference = solver(connect4(*size)), ReferenceSolver(*size)
    for position in late_positions(*size, 8, 20):
        analysis = player.analyse(position)
        assert {entry.move for entry in analysis.moves} == set(position.legal_moves)
        assert player.solver_score(position, analysis.score) == reference_score(reference, position)
        for entry in analysis.moves:
            after = position.apply(entry.move)
            if after.outcome is None:
                expected = -reference_score(reference, after)
                assert player.solver_score(position, entry.score) == expected


def test_several_threads_find_the_same_scores() -> None:
    one, two = solver(connect4()), solver(connect4(), "solver:table=4,threads=2")
    for position in late_positions(7, 6, 16, 12):
        scores = [
            {entry.move: entry.score for entry in player.analyse(position).moves} for player in (one, two)
        ]
        assert scores[0] == scores[1]


def test_many_positions_are_scored_at_once() -> None:
    player, positions = solver(connect4()), late_positions(7, 6, 12, 40)
    assert player.scores(positions) == [player.analyse(position).score for position in positions]


def test_finished_matches_are_rejected() -> None:
    player = solver(connect4())
    for request in (player.analyse, player.choose, lambda position: player.scores([position])):
        with pytest.raises(MatchError, match="the match is over"):
            request(connect4().parse("1212121"))


@pytest.mark.parametrize("left", [1, 2, 3, 4, 41, 42])
def test_plies_to_the_end_and_the_number_of_solvers_are_converted(left: int) -> None:
    for points in range(-(left // 2), (left + 1) // 2 + 1):
        assert points_of(score_of(points, left), left) == points
    assert score_of((left + 1) // 2, left) == Score.win(1)
    if left > 1:
        assert score_of(-(left // 2), left) == Score.loss(2)


# --- play --------------------------------------------------------------------


def test_a_win_at_once_is_played_without_solving_other_moves() -> None:
    choice = solver(connect4()).choose(connect4().parse("112233"))
    assert (str(choice.move), choice.score, choice.nodes, choice.proven) == ("4", Score.win(1), 0, True)


def test_equally_good_moves_are_drawn_by_the_seed() -> None:
    position = connect4().parse("273345567754735234737423")  # 1 and 5 win at the same ply
    chosen = [str(solver(connect4(), seed=seed).choose(position).move) for seed in range(12)]
    assert set(chosen) == {"1", "5"}
    assert chosen == [str(solver(connect4(), seed=seed).choose(position).move) for seed in range(12)]


def test_draws_are_accepted_unless_the_match_is_won() -> None:
    player, won = solver(connect4()), connect4().parse("112233")
    assert [player.accepts_draw(won, side) for side in (0, 1)] == [False, True]


@pytest.mark.slow
def test_perfect_play_never_gives_away_half_a_point() -> None:
    game, player = connect4(), solver(connect4())
    for cells in random_positions(7, 6, 100, 1, 22, seed=6):
        scores = scores_of_moves(cells)
        move = player.choose(game.parse(text_of(cells))).move
        assert move is not None
        assert scores[move.action] == max(scores.values()), text_of(cells)


@pytest.mark.slow
def test_weaker_levels_give_away_more() -> None:
    reference, positions = ReferenceSolver(7, 6), late_positions(7, 6, 9, 250)
    losses = []
    for level in range(1, len(TEMPERATURES) + 1):
        player = solver(connect4(), f"solver:table=4,level={level}")
        losses.append(sum(loss_of(player, reference, position) for position in positions))
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == 0 < losses[-2]


# --- limits ------------------------------------------------------------------


def test_without_enough_time_unsolved_moves_have_estimates() -> None:
    game = connect4()
    agent = solver(game, "solver:table=4,book=false")
    analysis = agent.analyse(game.start(), Limit(seconds=0.1))
    assert not analysis.proven
    assert {entry.move for entry in analysis.moves} == set(game.start().legal_moves)
    assert all(entry.score.amount is not None for entry in analysis.moves)
    assert game.start().is_legal(agent.choose(game.start(), Limit(seconds=0.05)).move or "")


def test_the_first_moves_are_known_from_the_book(tmp_path: Path) -> None:
    game = connect4()
    assert solver(game).choose(game.start(), Limit(seconds=0.05)).proven
    small, path = connect4(5, 4), tmp_path / "5x4.xz"
    searched = solver(small, "solver:book=false")
    build_book(path, Board(5, 4), 3, Solver(small, book=False).packed_scores)
    with_book = solver(small, f"solver:book={path}")
    assert with_book.analyse(small.parse("1")).score == searched.analyse(small.parse("1")).score
    with pytest.raises(BookError, match="is a book for 5x4, not for 7x6"):
        solver(game, f"solver:book={path}")


def test_a_clock_at_zero_leaves_no_time_to_solve() -> None:
    game = connect4()
    position, searching = game.parse("4444443"), "solver:table=4,book=false"
    assert solver(game, searching).choose(position, Limit(seconds=TIMEOUT_S)).proven
    assert not solver(game, searching).choose(position, Limit(clock=Clock((0.0, 0.0)))).proven


def test_a_move_that_is_solved_in_time_is_proven_though_others_are_not() -> None:
    analysis = solver(connect4()).analyse(connect4().parse("112233"), Limit(seconds=0.05))
    assert analysis.proven
    assert (str(analysis.moves[0].move), analysis.score) == ("4", Score.win(1))


def test_a_search_can_be_stopped() -> None:
    stop = Stop()
    stop.set()
    choice = solver(connect4()).choose(connect4().start(), context=Context(stop=stop))
    assert connect4().start().is_legal(choice.move or "")
