"""Contests: moves are the best according to minimax, and seeds affect only the opening."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nim import Nim
from reference.minimax import minimax_values, reached, search_value

import boardgames
from boardgames.declarations import Evaluation
from boardgames.game import Game, Position
from boardgames.kernels import JIT, Control, new_control
from boardgames.kernels.bundles import Bundle
from boardgames.search.rules import DRAWN, UNFINISHED
from boardgames.selfplay.contest import best_action, contest, new_workspaces
from boardgames.selfplay.temporal import RESULTS, hash_move
from boardgames.weights.linear import linear_evaluation

pytestmark = pytest.mark.plain

CONNECT4 = boardgames.load("connect4")
SMALL = boardgames.load("connect4", columns=4, rows=4)
ABALONE = boardgames.load("abalone")
CELLS = boardgames.load("hexifence", dimension=2)


def learned(game: Game, features: str, *, tanh: bool = False) -> Evaluation:
    known = boardgames.load_features(features, game)
    weights = np.random.default_rng(2).uniform(-1, 1, len(known.features))
    return linear_evaluation(game, known, weights, tanh=tanh)


def chosen(position: Position, evaluation: Evaluation, depth: int, control: Control | None = None) -> int:
    """Return the action that `best_action` chooses."""
    work = new_workspaces(position.game, [evaluation], depth, control)[0]
    work.positions[0] = position.words
    count = position.game.kernels.legal_moves(position.words, work.moves[0])
    return int(best_action(Bundle(work).words, count, depth))


CASES = {
    "connect4": (CONNECT4, CONNECT4.evaluation, 10, 3),
    "connect4, weights": (CONNECT4, learned(CONNECT4, "lines"), 8, 2),
    "connect4, tanh": (CONNECT4, learned(CONNECT4, "lines", tanh=True), 8, 2),
    "connect4 of 4 x 4, near the end": (SMALL, SMALL.evaluation, 10, 5),
    "abalone": (ABALONE, ABALONE.evaluation, 12, 1),
    "abalone, weights": (ABALONE, learned(ABALONE, "classic14"), 12, 1),
    "hexifence, where a side moves again": (CELLS, CELLS.evaluation, 22, 3),
    "hexifence, weights": (CELLS, learned(CELLS, "simple"), 20, 2),
    "nim where one stone keeps the turn": (Nim(again=True), Nim().evaluation, 0, 5),
    "nim ended by lack of moves": (Nim(stuck=True), Nim().evaluation, 0, 5),
}


@pytest.mark.parametrize("name", CASES)
def test_the_chosen_move_is_best_by_the_slow_reference(name: str) -> None:
    game, evaluation, plies, depth = CASES[name]
    for seed in range(3 if JIT else 1):
        position = reached(game, plies, seed)
        expected = minimax_values(position, depth, evaluation=evaluation)
        action = chosen(position, evaluation, depth)
        assert expected[position.actions.index(action)] == pytest.approx(max(expected), abs=1e-9)


@pytest.mark.skipif(not JIT, reason="too slow in plain Python")
@pytest.mark.parametrize(("game", "depth"), [(CONNECT4, 4), (ABALONE, 2), (CELLS, 3)], ids=str)
def test_the_chosen_move_has_the_value_that_minimax_finds(game: Game, depth: int) -> None:
    player = boardgames.load_player(f"minimax:depth={depth}", game)
    for seed in range(6):
        analysis = player.analyse(reached(game, 14, seed))
        values = {entry.move.action: search_value(entry.score) for entry in analysis.moves}
        if analysis.depth == depth:
            assert values[chosen(analysis.position, game.evaluation, depth)] == pytest.approx(
                search_value(analysis.score)
            )


class Contest:
    """One match of the game's own evaluation against itself, searched to a depth for each side."""

    def __init__(
        self,
        game: Game,
        depths: tuple[int, int],
        *,
        seed: int = 1,
        opening: int = 0,
        ply_limit: int = 400,
        epsilon: float = 0.0,
        control: Control | None = None,
    ) -> None:
        workspaces = new_workspaces(game, [game.evaluation] * 2, max(depths), control)
        first, second = (Bundle(work) for work in workspaces)
        positions = workspaces[0].positions
        positions[0] = game.start().words
        random_state = np.array([seed], dtype=np.uint64)
        moves_hash = np.zeros(1, dtype=np.uint64)
        code = contest(
            first.words, second.words, np.array(depths), random_state, moves_hash, opening, ply_limit, epsilon
        )
        self.plies, self.result = divmod(int(code), RESULTS)
        self.moves_hash = int(moves_hash[0])
        self.last = game.unpack(positions[0])


@pytest.mark.parametrize("seed", range(3))
def test_a_match_ends_as_the_rules_say(seed: int) -> None:
    for game in (SMALL, Nim(), Nim(stuck=True)):
        played = Contest(game, (2, 0), seed=seed)
        outcome = played.last.outcome
        assert outcome is not None
        assert played.result == (DRAWN if outcome.winner is None else outcome.winner)


def test_without_a_random_opening_both_sides_play_their_best_moves() -> None:
    position, plies = SMALL.start(), 0
    while position.outcome is None:
        position = position.apply(SMALL.decode(position, chosen(position, SMALL.evaluation, 2)))
        plies += 1
    played = Contest(SMALL, (2, 2))
    assert (played.last, played.plies) == (position, plies)


@pytest.mark.parametrize("ply_limit", [0, 1, 7])
def test_a_match_at_the_ply_limit_is_unfinished(ply_limit: int) -> None:
    played = Contest(ABALONE, (1, 1), ply_limit=ply_limit)
    assert (played.plies, played.result) == (ply_limit, UNFINISHED)


def test_a_match_that_ends_at_the_ply_limit_has_a_result() -> None:
    plies = Contest(SMALL, (2, 0)).plies
    assert Contest(SMALL, (2, 0), ply_limit=plies).result != UNFINISHED
    assert Contest(SMALL, (2, 0), ply_limit=plies - 1).result == UNFINISHED


def test_the_opening_follows_from_the_seed_alone() -> None:
    def opening(depths: tuple[int, int], seed: int) -> Position:
        return Contest(CONNECT4, depths, seed=seed, opening=4, ply_limit=4).last

    assert opening((1, 2), 5) == opening((2, 0), 5)
    assert len({opening((1, 1), seed) for seed in range(8)}) > 6


def test_equal_matches_have_equal_hashes_whatever_their_seed() -> None:
    first, second = Contest(SMALL, (1, 1), seed=1), Contest(SMALL, (1, 1), seed=2)
    assert first.last == second.last
    assert first.moves_hash == second.moves_hash
    assert Contest(SMALL, (1, 0), seed=1).moves_hash != Contest(SMALL, (1, 0), seed=2).moves_hash


lists = st.lists(st.integers(0, 9), max_size=6)


@settings(max_examples=200)
@given(lists, lists)
def test_hashes_are_equal_if_all_moves_are(first: list[int], second: list[int]) -> None:
    hashes = []
    for moves in (first, second):
        moves_hash = np.zeros(1, dtype=np.uint64)
        for action in moves:
            hash_move(moves_hash, action)
        hashes.append(int(moves_hash[0]))
    assert (hashes[0] == hashes[1]) == (first == second)


def test_the_deeper_side_wins() -> None:
    deep = 5 if JIT else 3
    seeds = range(20 if JIT else 2)
    won = [Contest(SMALL, (deep, 1), seed=seed, opening=2).result for seed in seeds]
    lost = [Contest(SMALL, (1, deep), seed=seed, opening=2).result for seed in seeds]
    assert won.count(0) + lost.count(1) > 2 * (won.count(1) + lost.count(0))


def test_a_match_that_is_stopped_before_it_starts_is_unfinished() -> None:
    control = new_control()
    control[0].stop = 1
    played = Contest(CONNECT4, (3, 3), control=control)
    assert (played.plies, played.result) == (0, UNFINISHED)


@pytest.mark.skipif(not JIT, reason="plain Python shares its thread")
def test_another_thread_stops_a_match_that_would_take_hours() -> None:
    control = new_control()
    timer = threading.Timer(0.1, setattr, (control[0], "stop", 1))
    timer.start()
    played = Contest(ABALONE, (12, 12), control=control)
    timer.join()
    assert played.result == UNFINISHED
    assert control[0].stop == 1


def test_a_stopped_search_still_chooses_a_legal_move() -> None:
    control = new_control()
    control[0].node_limit = 1
    position = ABALONE.start()
    assert chosen(position, ABALONE.evaluation, 3, control) in position.actions
