"""Worker tasks: determined by their arguments, two matches from each opening, with sides swapped."""

import threading
from collections import Counter

import numpy as np
import pytest
from waiting import interrupted

import boardgames
from boardgames.errors import BoardgamesError, OptionError
from boardgames.kernels import JIT
from boardgames.selfplay import (
    Contestant,
    SelfPlayMatch,
    SelfPlaySetup,
    TDParameters,
    derive_seed,
    play_matches,
    train_players,
)
from boardgames.selfplay.temporal import hash_move
from boardgames.selfplay.worker import WorkerState, worker_state
from boardgames.weights import Weights

pytestmark = pytest.mark.plain

GAME = boardgames.load("connect4", columns=5, rows=4)
SETUP = SelfPlaySetup.of(GAME, "lines", opening=2, ply_limit=60)
WEIGHTS = np.random.default_rng(3).uniform(-0.5, 0.5, (2, 11))
MATCHES = 12 if JIT else 4


def hashes(results: list[SelfPlayMatch]) -> list[int]:
    return [match.moves_hash for match in results]


# --- setup and state --------------------------------------------------------


def test_setup_recreates_the_game_in_another_process() -> None:
    for game in (
        GAME,
        boardgames.load("abalone", layout="german-daisy", broadside=False),
        boardgames.load("hexifence", dimension=2),
    ):
        features = boardgames.registry().offers("features", game.facts.name)[0].entry.name
        state = WorkerState(SelfPlaySetup.of(game, features, opening=0, ply_limit=10))
        assert state.game == game
        assert state.game.start() == game.start()


def test_state_is_kept_until_the_setup_changes() -> None:
    state = worker_state(SETUP)
    assert worker_state(SETUP) is state
    other = worker_state(SelfPlaySetup.of(GAME, "lines", opening=3, ply_limit=60))
    assert other is not state
    assert other.setup.opening == 3


def test_each_thread_has_its_own_state() -> None:
    states = [worker_state(SETUP)]
    thread = threading.Thread(target=lambda: states.append(worker_state(SETUP)))
    thread.start()
    thread.join()
    assert states[0] is not states[1]


def test_seeds_depend_on_their_content() -> None:
    contents = [(1, "td", 2), (1, "td", 3), (2, "td", 2), (12, "td")]
    assert derive_seed(1, "td", 2) == derive_seed(1, "td", 2)
    assert len({derive_seed(*content) for content in contents}) == 4
    assert 0 <= derive_seed() < 2**64


# --- play_matches -----------------------------------------------------------


def test_play_matches_depends_on_its_arguments_alone() -> None:
    contestants = Contestant(WEIGHTS[0], 2), Contestant(is_random=True)
    first = play_matches(SETUP, *contestants, matches=MATCHES, seed=7)
    play_matches(SETUP, *contestants, matches=3, seed=8)
    assert play_matches(SETUP, *contestants, matches=MATCHES, seed=7) == first
    assert play_matches(SETUP, *contestants, matches=MATCHES, seed=8) != first


def test_pairs_share_an_opening_and_exchange_sides() -> None:
    opening_only = SelfPlaySetup.of(GAME, "lines", opening=4, ply_limit=4)
    first, second = Contestant(WEIGHTS[0]), Contestant(WEIGHTS[1])
    results = play_matches(opening_only, first, second, matches=MATCHES, seed=1)
    assert [match.side for match in results] == [0, 1] * (MATCHES // 2)
    assert hashes(results)[::2] == hashes(results)[1::2]
    assert len(set(hashes(results))) > 1
    assert all(match.is_unfinished and match.plies == 4 and match.points == 0.5 for match in results)


def test_equal_contestants_share_the_points_of_each_pair() -> None:
    contestants = Contestant(WEIGHTS[0]), Contestant(WEIGHTS[0].copy())
    results = play_matches(SETUP, *contestants, matches=MATCHES, seed=2)
    for one, other in zip(results[::2], results[1::2], strict=True):
        assert one.points + other.points == 1
        assert one.moves_hash == other.moves_hash


def test_points_and_margin_are_those_of_the_first_contestant() -> None:
    assert [SelfPlayMatch(side, 1, False, 9, 0, (2, 5)).points for side in (0, 1)] == [0.0, 1.0]
    assert [SelfPlayMatch(side, 1, False, 9, 0, (2, 5)).margin for side in (0, 1)] == [-3, 3]
    assert SelfPlayMatch(0, None, False, 9, 0, (0, 0)).points == 0.5


def test_stronger_contestant_wins_with_both_sides() -> None:
    deep, weak = Contestant(depth=4 if JIT else 2), Contestant(is_random=True)
    for first, second, better in ((deep, weak, 1.0), (weak, deep, 0.0)):
        results = play_matches(SETUP, first, second, matches=2 * MATCHES, seed=3)
        points = Counter(match.points for match in results)
        assert points[better] > 0.7 * len(results)


def test_game_evaluation_weights_and_random_moves_play_differently() -> None:
    opponent = Contestant(WEIGHTS[1], 2)
    played = [
        tuple(hashes(play_matches(SETUP, first, opponent, matches=4, seed=4)))
        for first in (Contestant(depth=2), Contestant(WEIGHTS[0], 2), Contestant(is_random=True))
    ]
    assert len(set(played)) == 3


@pytest.mark.skipif(not JIT, reason="too slow in plain Python")
def test_contestant_may_use_another_feature_set() -> None:
    game = boardgames.load("abalone")
    classic = SelfPlaySetup.of(game, "classic14", opening=2, ply_limit=12)
    simple = SelfPlaySetup.of(game, "simple", opening=2, ply_limit=12)
    first, second = np.arange(6.0), np.arange(14.0)
    named = [
        Weights.of(game, boardgames.load_features(name, game), values)
        for name, values in (("simple", first), ("classic14", second))
    ]
    assert play_matches(classic, Contestant(named[0]), Contestant(second), matches=4, seed=5) == play_matches(
        simple, Contestant(first), Contestant(named[1]), matches=4, seed=5
    )


def test_contestant_may_use_patterns() -> None:
    game = boardgames.load("connect4")
    middle = boardgames.load_patterns("cells", game).grouped([(18,)])
    stone = Weights.of_patterns(game, middle, np.array([1, 5]), np.array([1.0, 1.0]), tanh=True)
    setup = SelfPlaySetup.of(game, "lines", opening=0, ply_limit=1)
    (played,) = play_matches(setup, Contestant(stone), Contestant(stone), matches=1, seed=1)
    moves_hash = np.zeros(1, dtype=np.uint64)
    hash_move(moves_hash, 3)
    assert played.moves_hash == moves_hash[0]


@pytest.mark.parametrize(
    ("contestant", "error", "message"),
    [
        (Contestant(np.zeros(10)), OptionError, r"'lines' need 11 weights, .* shape \(10,\)"),
        (Contestant(np.zeros((1, 11))), OptionError, r"'lines' need 11 weights, .* shape \(1, 11\)"),
    ],
    ids=["too few", "two-dimensional"],
)
def test_weights_of_the_wrong_shape_are_rejected(
    contestant: Contestant, error: type[BoardgamesError], message: str
) -> None:
    with pytest.raises(error, match=message):
        play_matches(SETUP, contestant, Contestant(), matches=1, seed=1)


# --- train_players ----------------------------------------------------------


def test_training_changes_both_players_but_not_its_input() -> None:
    before = WEIGHTS.copy()
    result = train_players(SETUP, WEIGHTS, TDParameters(epsilon=0.2), matches=MATCHES, seed=1)
    assert np.array_equal(WEIGHTS, before)
    assert (np.abs(result.weights - before).max(axis=1) > 1e-6).all()
    assert [match.side for match in result.matches] == [0, 1] * (MATCHES // 2)


def test_training_depends_on_its_arguments_alone() -> None:
    first, again, other = (
        train_players(SETUP, WEIGHTS, TDParameters(epsilon=0.3), matches=MATCHES, seed=seed)
        for seed in (1, 1, 2)
    )
    assert np.array_equal(first.weights, again.weights)
    assert first.matches == again.matches
    assert not np.array_equal(first.weights, other.weights)


def test_players_change_sides_after_each_training_match() -> None:
    """Training on for a second match equals training once more with the players exchanged."""
    setup = SelfPlaySetup.of(GAME, "lines", opening=0, ply_limit=60)
    greedy = TDParameters(epsilon=0.0)
    both = train_players(setup, WEIGHTS, greedy, matches=2, seed=1)
    one = train_players(setup, WEIGHTS, greedy, matches=1, seed=1)
    two = train_players(setup, one.weights[::-1], greedy, matches=1, seed=1)
    assert np.array_equal(both.weights, two.weights[::-1])


def test_shared_weights_are_trained_in_the_first_row() -> None:
    result = train_players(SETUP, WEIGHTS, TDParameters(shared=True), matches=MATCHES, seed=1)
    assert not np.array_equal(result.weights[0], WEIGHTS[0])
    assert np.array_equal(result.weights[1], WEIGHTS[1])


def test_learning_rate_zero_leaves_the_weights() -> None:
    frozen = TDParameters(alpha=0.0, epsilon=0.0)
    result = train_players(SETUP, WEIGHTS, frozen, matches=MATCHES, seed=1)
    assert np.array_equal(result.weights, WEIGHTS)
    assert len(set(hashes(result.matches))) > 1


def test_players_keep_their_parameters_and_errors_when_they_change_sides() -> None:
    setup = SelfPlaySetup.of(GAME, "lines", opening=0, ply_limit=60)
    ann, ben = TDParameters(alpha=0.02, epsilon=0.0, beta=2.7), TDParameters(alpha=0.2, epsilon=0.0, beta=1.0)
    both = train_players(setup, WEIGHTS, (ann, ben), matches=2, seed=1)
    one = train_players(setup, WEIGHTS, (ann, ben), matches=1, seed=1)
    two = train_players(
        setup, one.weights[::-1], (ben, ann), matches=1, seed=1, errors=one.errors[::-1].copy()
    )
    assert np.array_equal(both.weights, two.weights[::-1])
    assert np.array_equal(both.errors, two.errors[::-1])
    assert (both.errors[:, 1] >= np.abs(both.errors[:, 0])).all()
    assert both.errors[:, 1].any(axis=1).all()
    frozen = train_players(setup, WEIGHTS, (ann, TDParameters(alpha=0.0)), matches=2, seed=1)
    assert np.array_equal(frozen.weights[1], WEIGHTS[1])
    assert not np.array_equal(frozen.weights[0], WEIGHTS[0])


def test_training_matches_end_at_the_ply_limit() -> None:
    short = SelfPlaySetup.of(GAME, "lines", opening=0, ply_limit=5)
    result = train_players(short, WEIGHTS, TDParameters(), matches=2, seed=1)
    assert [(match.plies, match.is_unfinished) for match in result.matches] == [(5, True)] * 2


# --- stopping ---------------------------------------------------------------


def test_stopped_state_ends_its_matches() -> None:
    state = WorkerState(SETUP)
    state.control[0].stop = 1
    played = state.play_matches(Contestant(), Contestant(), 3, 1)
    trained = state.train_players(WEIGHTS, (TDParameters(), TDParameters()), 3, 1)
    assert [(match.plies, match.is_unfinished) for match in (*played, *trained.matches)] == [(0, True)] * 6
    assert np.array_equal(trained.weights, WEIGHTS)


@pytest.mark.skipif(not JIT, reason="plain Python does not release the GIL")
def test_another_thread_can_stop_a_running_match() -> None:
    state = WorkerState(SelfPlaySetup.of(boardgames.load("abalone"), "classic14", opening=0, ply_limit=400))
    timer = threading.Timer(0.1, setattr, (state.control[0], "stop", 1))
    timer.start()
    results = state.play_matches(Contestant(depth=12), Contestant(depth=12), 2, 1)
    timer.join()
    assert [match.is_unfinished for match in results] == [True, True]


@pytest.mark.skipif(not JIT, reason="plain Python ends its moves first")
def test_ctrl_c_stops_a_task_and_the_next_one_is_complete() -> None:
    setup = SelfPlaySetup.of(boardgames.load("abalone"), "classic14", opening=2, ply_limit=20)
    deep, quick = Contestant(depth=12), Contestant(depth=1)
    complete = play_matches(setup, quick, quick, matches=2, seed=1)
    with interrupted(0.2):
        play_matches(setup, deep, deep, matches=2, seed=1)
    assert play_matches(setup, quick, quick, matches=2, seed=1) == complete
    assert [match.plies for match in complete] == [20, 20]
