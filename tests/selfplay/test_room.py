"""Rooms: tasks that are decided by their arguments, pairs of one opening, both sides in turn."""

import threading
from collections import Counter

import numpy as np
import pytest
from waiting import interrupted

import boardgames
from boardgames.errors import BoardgamesError, OptionError, UnknownNameError
from boardgames.kernels import JIT, STOP
from boardgames.selfplay import (
    GAME_PLAYS,
    RANDOM_PLAYS,
    Contestant,
    Ended,
    Rates,
    Setting,
    play,
    seed_of,
    teach,
)
from boardgames.selfplay.room import Room, room_of

pytestmark = pytest.mark.plain

GAME = boardgames.load("connect4", columns=5, rows=4)
SETTING = Setting.of(GAME, "lines", opening=2, ply_limit=60)
WEIGHTS = np.random.default_rng(3).uniform(-0.5, 0.5, (2, 11))
MATCHES = 12 if JIT else 4


def told(ended: list[Ended]) -> list[tuple[object, ...]]:
    return [(e.side, e.winner, e.is_undecided, e.plies, e.course, e.scores) for e in ended]


# --- settings -------------------------------------------------------------


def test_a_setting_makes_the_same_game_anywhere() -> None:
    for game in (
        GAME,
        boardgames.load("abalone", layout="german-daisy", broadside=False),
        boardgames.load("hexifence", dimension=2),
    ):
        names = boardgames.registry().offers("features", game.facts.name)
        room = Room(Setting.of(game, names[0].entry.name, opening=0, ply_limit=10))
        assert room.game == game
        assert room.game.start() == game.start()


def test_a_room_stays_ready_for_its_setting_alone() -> None:
    room = room_of(SETTING)
    assert room_of(SETTING) is room
    other = room_of(Setting.of(GAME, "lines", opening=3, ply_limit=60))
    assert other is not room
    assert other.setting.opening == 3


def test_every_thread_has_a_room_of_its_own() -> None:
    rooms = [room_of(SETTING)]
    thread = threading.Thread(target=lambda: rooms.append(room_of(SETTING)))
    thread.start()
    thread.join()
    assert rooms[0] is not rooms[1]


def test_seeds_follow_from_content() -> None:
    assert seed_of(1, "td", 2) == seed_of(1, "td", 2)
    assert len({seed_of(1, "td", 2), seed_of(1, "td", 3), seed_of(2, "td", 2), seed_of(12, "td")}) == 4
    assert 0 <= seed_of() < 2**64


# --- contests -------------------------------------------------------------


def test_a_task_is_decided_by_its_arguments() -> None:
    contestants = Contestant(WEIGHTS[0], 2), Contestant(plays=RANDOM_PLAYS)
    first = play(SETTING, *contestants, matches=MATCHES, seed=7)
    play(SETTING, *contestants, matches=3, seed=8)
    assert told(play(SETTING, *contestants, matches=MATCHES, seed=7)) == told(first)
    assert told(play(SETTING, *contestants, matches=MATCHES, seed=8)) != told(first)


def test_the_matches_of_a_pair_have_one_opening_and_exchanged_sides() -> None:
    opening_only = Setting.of(GAME, "lines", opening=4, ply_limit=4)
    first, second = Contestant(WEIGHTS[0]), Contestant(WEIGHTS[1])
    ended = play(opening_only, first, second, matches=MATCHES, seed=1)
    assert [match.side for match in ended] == [0, 1] * (MATCHES // 2)
    courses = [match.course for match in ended]
    assert courses[::2] == courses[1::2]
    assert len(set(courses)) > 1
    assert all(match.is_undecided and match.plies == 4 and match.points == 0.5 for match in ended)


def test_two_that_are_alike_share_the_points_of_every_pair() -> None:
    alike = Contestant(WEIGHTS[0])
    ended = play(SETTING, alike, Contestant(WEIGHTS[0].copy()), matches=MATCHES, seed=2)
    for one, other in zip(ended[::2], ended[1::2], strict=True):
        assert one.points + other.points == 1
        assert one.course == other.course


def test_points_and_margin_are_those_of_the_first() -> None:
    assert [Ended(side, 1, False, 9, 0, (2, 5)).points for side in (0, 1)] == [0.0, 1.0]
    assert [Ended(side, 1, False, 9, 0, (2, 5)).margin for side in (0, 1)] == [-3, 3]
    assert Ended(0, None, False, 9, 0, (0, 0)).points == 0.5


def test_a_stronger_contestant_wins_with_either_side() -> None:
    deep, weak = Contestant(depth=4 if JIT else 2), Contestant(plays=RANDOM_PLAYS)
    for first, second, better in ((deep, weak, 1.0), (weak, deep, 0.0)):
        ended = play(SETTING, first, second, matches=2 * MATCHES, seed=3)
        points = Counter(match.points for match in ended)
        assert points[better] > 0.7 * len(ended)


def test_a_contestant_plays_by_the_games_evaluation_its_weights_or_at_random() -> None:
    contestants = [Contestant(depth=2), Contestant(WEIGHTS[0], 2), Contestant(plays=RANDOM_PLAYS)]
    courses = [
        [match.course for match in play(SETTING, one, Contestant(WEIGHTS[1], 2), matches=4, seed=4)]
        for one in contestants
    ]
    assert contestants[0].plays == GAME_PLAYS
    assert len({tuple(course) for course in courses}) == 3


@pytest.mark.skipif(not JIT, reason="too slow in plain Python")
def test_a_contestant_may_have_features_of_its_own() -> None:
    game = boardgames.load("abalone")
    setting = Setting.of(game, "classic14", opening=2, ply_limit=12)
    simple, classic = np.arange(6.0), np.arange(14.0)
    of_simple = Setting.of(game, "simple", opening=2, ply_limit=12)
    ended = play(setting, Contestant(simple, features="simple"), Contestant(classic), matches=4, seed=5)
    other = play(of_simple, Contestant(simple), Contestant(classic, features="classic14"), matches=4, seed=5)
    assert told(ended) == told(other)


@pytest.mark.parametrize(
    ("contestant", "error", "message"),
    [
        (Contestant(np.zeros(10)), OptionError, r"expected 11 weights: \(10,\)"),
        (Contestant(np.zeros((1, 11))), OptionError, r"expected 11 weights: \(1, 11\)"),
        (Contestant(np.zeros(11), features="rows"), UnknownNameError, "'rows'"),
    ],
    ids=["too few", "a table", "unknown features"],
)
def test_weights_that_do_not_fit_are_refused(
    contestant: Contestant, error: type[BoardgamesError], message: str
) -> None:
    with pytest.raises(error, match=message):
        play(SETTING, contestant, Contestant(), matches=1, seed=1)


# --- learning -------------------------------------------------------------


def test_players_learn_and_what_was_given_stays() -> None:
    before = WEIGHTS.copy()
    taught = teach(SETTING, WEIGHTS, Rates(epsilon=0.2), matches=MATCHES, seed=1)
    assert np.array_equal(WEIGHTS, before)
    assert (np.abs(taught.weights - before).max(axis=1) > 1e-6).all()
    assert [match.side for match in taught.matches] == [0, 1] * (MATCHES // 2)


def test_equal_tasks_teach_the_same_and_other_seeds_do_not() -> None:
    first, again, other = (
        teach(SETTING, WEIGHTS, Rates(epsilon=0.3), matches=MATCHES, seed=seed) for seed in (1, 1, 2)
    )
    assert np.array_equal(first.weights, again.weights)
    assert told(first.matches) == told(again.matches)
    assert not np.array_equal(first.weights, other.weights)


def test_players_change_sides_after_each_match() -> None:
    """Of two matches from one opening, the second is the first with the players exchanged."""
    still = Setting.of(GAME, "lines", opening=0, ply_limit=60)
    rates = Rates(epsilon=0.0)
    both = teach(still, WEIGHTS, rates, matches=2, seed=1)
    one = teach(still, WEIGHTS, rates, matches=1, seed=1)
    two = teach(still, one.weights[::-1], rates, matches=1, seed=1)
    assert np.array_equal(both.weights, two.weights[::-1])


def test_players_that_share_weights_both_learn_into_the_first_row() -> None:
    taught = teach(SETTING, WEIGHTS, Rates(shares=True), matches=MATCHES, seed=1)
    assert not np.array_equal(taught.weights[0], WEIGHTS[0])
    assert np.array_equal(taught.weights[1], WEIGHTS[1])


def test_without_learning_nothing_is_learned() -> None:
    rates = Rates(alpha=0.0, epsilon=0.0)
    taught = teach(SETTING, WEIGHTS, rates, matches=MATCHES, seed=1)
    assert np.array_equal(taught.weights, WEIGHTS)
    assert len({match.course for match in taught.matches}) > 1


def test_the_limit_of_plies_ends_lessons_too() -> None:
    short = Setting.of(GAME, "lines", opening=0, ply_limit=5)
    taught = teach(short, WEIGHTS, Rates(), matches=2, seed=1)
    assert [(match.plies, match.is_undecided) for match in taught.matches] == [(5, True)] * 2


def test_a_room_that_is_stopped_ends_its_matches() -> None:
    room = Room(SETTING)
    room.control[STOP] = 1
    ended = room.play(Contestant(), Contestant(), 3, 1)
    taught = room.teach(WEIGHTS, Rates(), 3, 1)
    assert [(match.plies, match.is_undecided) for match in (*ended, *taught.matches)] == [(0, True)] * 6
    assert np.array_equal(taught.weights, WEIGHTS)


@pytest.mark.skipif(not JIT, reason="plain Python shares its thread")
def test_another_thread_stops_a_match_under_way() -> None:
    room = Room(Setting.of(boardgames.load("abalone"), "classic14", opening=0, ply_limit=400))
    timer = threading.Timer(0.1, room.control.__setitem__, (STOP, 1))
    timer.start()
    ended = room.play(Contestant(depth=12), Contestant(depth=12), 2, 1)
    timer.join()
    assert [match.is_undecided for match in ended] == [True, True]


@pytest.mark.skipif(not JIT, reason="plain Python ends its moves first")
def test_ctrl_c_ends_a_task_in_the_middle_of_a_long_match_and_the_next_is_whole() -> None:
    setting = Setting.of(boardgames.load("abalone"), "classic14", opening=2, ply_limit=20)
    deep, quick = Contestant(depth=12), Contestant(depth=1)
    whole = play(setting, quick, quick, matches=2, seed=1)
    with interrupted(0.3):
        play(setting, deep, deep, matches=2, seed=1)
    assert play(setting, quick, quick, matches=2, seed=1) == whole
    assert [match.plies for match in whole] == [20, 20]
