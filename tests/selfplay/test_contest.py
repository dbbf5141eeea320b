"""Contests: what is played is best by minimax, and a match is its opening and what follows from it."""

import threading

import numpy as np
import pytest
from boardgames.search.tree import SETTINGS
from hypothesis import given, settings
from hypothesis import strategies as st
from nim import Nim
from reference.minimax import move_worths, reached, search_value

import boardgames
from boardgames.declarations import Evaluation
from boardgames.game import Game, Position
from boardgames.kernels import JIT, NODE_LIMIT, STOP, Control, Words, new_control
from boardgames.search.playout import DRAWN, UNDECIDED
from boardgames.selfplay.contest import best_action, contest
from boardgames.selfplay.temporal import RESULTS, note_move
from boardgames.weights.linear import linear_evaluation

pytestmark = pytest.mark.plain

CONNECT4 = boardgames.load("connect4")
SMALL = boardgames.load("connect4", columns=4, rows=4)
ABALONE = boardgames.load("abalone")
CELLS = boardgames.load("hexifence", dimension=2)


def learned(game: Game, features: str, *, squashes: bool = False) -> Evaluation:
    known = boardgames.load_features(features, game)
    weights = np.random.default_rng(2).uniform(-1, 1, len(known.features))
    return linear_evaluation(game, known, weights, squashes=squashes)


def buffers(game: Game, depth: int) -> tuple[Words, np.ndarray, np.ndarray, np.ndarray]:
    """Return positions, moves, lines and settings of a search so deep."""
    rows = depth + 2
    flags = np.zeros(SETTINGS, dtype=np.int64)
    flags[0] = game.facts.no_moves_draws
    return (
        np.zeros((rows, game.facts.words), dtype=np.uint64),
        np.zeros((2 * rows, game.facts.actions), dtype=np.int64),
        np.zeros((rows, rows + 1), dtype=np.int64),
        flags,
    )


def chosen(position: Position, evaluation: Evaluation, depth: int, control: Control | None = None) -> int:
    """Return what `best_action` chooses."""
    kernels = position.game.kernels
    positions, moves, lines, flags = buffers(position.game, depth)
    positions[0] = position.words
    count = kernels.legal_moves(position.words, moves[0])
    return int(
        best_action(
            kernels.legal_moves, kernels.apply, kernels.side_to_move, kernels.outcome, kernels.move_order,
            evaluation.kernel, evaluation.weights, positions, moves, lines, count, depth, flags,
            new_control() if control is None else control,
        )
    )  # fmt: skip


CASES = {
    "connect4": (CONNECT4, CONNECT4.evaluation, 10, 3),
    "connect4, weights": (CONNECT4, learned(CONNECT4, "lines"), 8, 2),
    "connect4, tanh": (CONNECT4, learned(CONNECT4, "lines", squashes=True), 8, 2),
    "connect4 of 4 x 4, near the end": (SMALL, SMALL.evaluation, 10, 5),
    "abalone": (ABALONE, ABALONE.evaluation, 12, 1),
    "abalone, weights": (ABALONE, learned(ABALONE, "classic14"), 12, 1),
    "hexifence, where a side moves again": (CELLS, CELLS.evaluation, 22, 3),
    "hexifence, weights": (CELLS, learned(CELLS, "simple"), 20, 2),
    "nim where one stone keeps the turn": (Nim(again=True), Nim().evaluation, 0, 5),
    "nim ended by lack of moves": (Nim(stuck=True), Nim().evaluation, 0, 5),
}


@pytest.mark.parametrize("name", CASES)
def test_the_move_is_best_by_slow_minimax(name: str) -> None:
    game, evaluation, plies, depth = CASES[name]
    for seed in range(3 if JIT else 1):
        position = reached(game, plies, seed)
        worths = move_worths(position, depth, evaluation=evaluation)
        action = chosen(position, evaluation, depth)
        assert worths[position.actions.index(action)] == pytest.approx(max(worths), abs=1e-9)


@pytest.mark.skipif(not JIT, reason="too slow in plain Python")
@pytest.mark.parametrize(("game", "depth"), [(CONNECT4, 4), (ABALONE, 2), (CELLS, 3)], ids=str)
def test_the_move_has_the_value_that_the_player_minimax_finds(game: Game, depth: int) -> None:
    player = boardgames.load_player(f"minimax:depth={depth}", game)
    for seed in range(6):
        analysis = player.analyse(reached(game, 14, seed))
        values = {entry.move.action: search_value(entry.score) for entry in analysis.moves}
        if analysis.depth == depth:
            assert values[chosen(analysis.position, game.evaluation, depth)] == pytest.approx(
                search_value(analysis.score)
            )


class Played:
    """A match as the kernel plays it."""

    def __init__(
        self,
        game: Game,
        depths: tuple[int, int],
        *,
        seed: int = 1,
        opening: int = 0,
        ply_limit: int = 400,
        control: Control | None = None,
    ) -> None:
        kernels, by = game.kernels, game.evaluation
        self.positions, moves, lines, flags = buffers(game, max(depths))
        self.positions[0] = game.start().words
        self.state = np.array([seed, 0], dtype=np.uint64)
        code = contest(
            kernels.legal_moves, kernels.apply, kernels.side_to_move, kernels.outcome, kernels.move_order,
            by.kernel, by.weights, by.kernel, by.weights, self.positions, moves, lines,
            np.array(depths), self.state, opening, ply_limit, game.facts.no_moves_draws, flags,
            new_control() if control is None else control,
        )  # fmt: skip
        self.plies, self.result = divmod(int(code), RESULTS)
        self.course = int(self.state[1])
        self.last = game.unpack(self.positions[0])


@pytest.mark.parametrize("seed", range(3))
def test_a_match_ends_as_the_rules_say(seed: int) -> None:
    for game in (SMALL, Nim(), Nim(stuck=True)):
        played = Played(game, (2, 0), seed=seed)
        outcome = played.last.outcome
        assert outcome is not None
        assert played.result == (DRAWN if outcome.winner is None else outcome.winner)


def test_a_match_without_chance_is_what_best_moves_make_of_it() -> None:
    position, plies = SMALL.start(), 0
    while position.outcome is None:
        position = position.apply(SMALL.decode(position, chosen(position, SMALL.evaluation, 2)))
        plies += 1
    played = Played(SMALL, (2, 2))
    assert (played.last, played.plies) == (position, plies)


@pytest.mark.parametrize("ply_limit", [0, 1, 7])
def test_at_the_limit_of_plies_a_match_is_undecided(ply_limit: int) -> None:
    played = Played(ABALONE, (1, 1), ply_limit=ply_limit)
    assert (played.plies, played.result) == (ply_limit, UNDECIDED)


def test_a_match_that_ends_at_the_limit_is_decided() -> None:
    plies = Played(SMALL, (2, 0)).plies
    assert Played(SMALL, (2, 0), ply_limit=plies).result != UNDECIDED
    assert Played(SMALL, (2, 0), ply_limit=plies - 1).result == UNDECIDED


def test_the_opening_follows_from_the_seed_alone() -> None:
    def opening(depths: tuple[int, int], seed: int) -> Position:
        return Played(CONNECT4, depths, seed=seed, opening=4, ply_limit=4).last

    assert opening((1, 2), 5) == opening((2, 0), 5)
    assert len({opening((1, 1), seed) for seed in range(8)}) > 6


def test_equal_matches_have_equal_courses_whatever_their_seed() -> None:
    first, second = Played(SMALL, (1, 1), seed=1), Played(SMALL, (1, 1), seed=2)
    assert first.last == second.last
    assert first.course == second.course
    assert Played(SMALL, (1, 0), seed=1).course != Played(SMALL, (1, 0), seed=2).course


lists = st.lists(st.integers(0, 9), max_size=6)


@settings(max_examples=200)
@given(lists, lists, st.integers(0, 2**64 - 1))
def test_courses_are_equal_where_all_moves_are(first: list[int], second: list[int], seed: int) -> None:
    courses = []
    for moves, held in ((first, seed), (second, 1)):
        state = np.array([held, 0], dtype=np.uint64)
        for action in moves:
            note_move(state, action)
        assert state[0] == held
        courses.append(int(state[1]))
    assert (courses[0] == courses[1]) == (first == second)


def test_the_deeper_side_wins() -> None:
    deep = 5 if JIT else 3
    seeds = range(20 if JIT else 2)
    won = [Played(SMALL, (deep, 1), seed=seed, opening=2).result for seed in seeds]
    lost = [Played(SMALL, (1, deep), seed=seed, opening=2).result for seed in seeds]
    assert won.count(0) + lost.count(1) > 2 * (won.count(1) + lost.count(0))


def test_a_stop_before_the_start_leaves_the_match_undecided() -> None:
    control = new_control()
    control[STOP] = 1
    played = Played(CONNECT4, (3, 3), control=control)
    assert (played.plies, played.result) == (0, UNDECIDED)


@pytest.mark.skipif(not JIT, reason="plain Python shares its thread")
def test_a_stop_from_another_thread_ends_a_match_that_would_take_hours() -> None:
    control = new_control()
    timer = threading.Timer(0.1, control.__setitem__, (STOP, 1))
    timer.start()
    played = Played(ABALONE, (12, 12), control=control)
    timer.join()
    assert played.result == UNDECIDED
    assert control[STOP] == 1


def test_a_search_that_is_stopped_has_a_legal_move() -> None:
    control = new_control()
    control[NODE_LIMIT] = 1
    position = ABALONE.start()
    assert chosen(position, ABALONE.evaluation, 3, control) in position.actions
