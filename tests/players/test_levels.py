"""The agent `level`: limits, noise, and matches that a seed repeats."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nim import Nim

import boardgames
from boardgames.arena.arena import Arena
from boardgames.arena.plan import Plan
from boardgames.declarations import Evaluation
from boardgames.errors import MatchError, OptionError
from boardgames.executors import InProcess
from boardgames.game import Game, Move, Position
from boardgames.player import Choice, Clock, Context, Limit
from boardgames.players.alphabeta import DEFAULT_SECONDS
from boardgames.players.levels import DECIDED, STRENGTHS, Level, standardised_values
from boardgames.score import Score, Unit
from boardgames.search.alphabeta import table
from boardgames_abalone.evaluation import CLASSIC

ABALONE = boardgames.load("abalone")
CONNECT4 = boardgames.load("connect4")
GAMES = pytest.mark.parametrize(
    "game",
    [ABALONE, CONNECT4, boardgames.load("hexifence"), boardgames.load("tictactoe"), Nim(), Nim(again=True)],
    ids=["abalone", "connect4", "hexifence", "tictactoe", "nim", "nim again"],
)
LEVELS = range(1, len(STRENGTHS) + 1)
TIMELESS = LEVELS[:-1]
WIN_IN_ONE = "112233"
"""Red, to move, wins in column 4."""


def level(number: int, game: Game = CONNECT4, seed: int = 1) -> Level:
    """Return a level with a small table, which is allocated faster."""
    return Level(game, seed=seed, level=number, table=1)


def first_moves(number: int, game: Game, seed: int, plies: int = 12) -> list[Move]:
    """Return the first moves of a level against itself."""
    player, position = level(number, game, seed), game.start()
    moves: list[Move] = []
    player.match_started(0)
    while position.outcome is None and len(moves) < plies:
        move = player.choose(position, Limit(nodes=3000)).move
        assert move is not None
        position = position.apply(move)
        moves.append(move)
    return moves


def share(first: str, second: str, game: Game, matches: int) -> float:
    """Return the share of the points that the first agent scores against the second."""
    plan = Plan(game=game, agents=(first, second), matches=matches)
    by_agent = {standing.agent: standing for standing in Arena(plan, seed=1).run(InProcess()).ranked}
    won = by_agent[first].score
    assert won is not None
    return won


@GAMES
@pytest.mark.parametrize("number", [LEVELS[0], LEVELS[len(LEVELS) // 2], LEVELS[-1]])
def test_every_level_plays_every_game(number: int, game: Game) -> None:
    choice = level(number, game).choose(game.start(), Limit(nodes=500))
    assert choice.move in game.start().legal_moves
    assert choice.line[0] == choice.move


@pytest.mark.parametrize("number", TIMELESS)
def test_a_seed_reproduces_the_match(number: int) -> None:
    assert first_moves(number, CONNECT4, 1) == first_moves(number, CONNECT4, 1)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_different_seed_gives_a_different_match(number: int) -> None:
    assert len({tuple(first_moves(number, ABALONE, seed)) for seed in range(5)}) == 5


@pytest.mark.parametrize("number", TIMELESS)
def test_a_match_does_not_depend_on_the_one_before(number: int) -> None:
    player = level(number)
    choices = []
    for _ in range(2):
        player.match_started(0)
        player.reseed(1)
        choices.append(player.choose(CONNECT4.parse("44"), Limit(nodes=2000)))
    assert len({(choice.move, choice.score, choice.nodes) for choice in choices}) == 1


def test_only_the_strongest_level_is_limited_by_time() -> None:
    limits = [level(number)._limit(boardgames.Limit()) for number in LEVELS]
    assert [limit.seconds for limit in limits] == [None] * (len(LEVELS) - 1) + [DEFAULT_SECONDS]


@pytest.mark.parametrize(
    "given_limit", [Limit(nodes=1), Limit(depth=1), Limit(seconds=0.01), Limit(clock=Clock((0.1, 0.1)))]
)
def test_a_limit_of_the_caller_applies_as_well(given_limit: Limit) -> None:
    for number in TIMELESS:
        kept = level(number)._limit(given_limit)
        assert kept == given_limit.tightened(STRENGTHS[number - 1].limit)


def test_no_level_has_a_weaker_setting_than_the_one_below() -> None:
    for weaker, stronger in pairwise(STRENGTHS):
        assert weaker != stronger
        assert weaker.noise >= stronger.noise
        assert (weaker.limit.depth or 100) <= (stronger.limit.depth or 100)


def test_the_strongest_level_is_the_search_itself() -> None:
    limit = Limit(nodes=20_000)
    choice = level(10, ABALONE).choose(ABALONE.start(), limit)
    own = boardgames.load_player("alphabeta:table=1", ABALONE).choose(ABALONE.start(), limit)
    assert (choice.move, choice.score, choice.line) == (own.move, own.score, own.line)


def test_the_weakest_level_misses_a_win_that_a_better_one_sees() -> None:
    position = CONNECT4.parse(WIN_IN_ONE)
    seen = [
        sum(str(level(number, seed=seed).choose(position).move) == "4" for seed in range(50))
        for number in (1, 5)
    ]
    assert seen[0] < 40
    assert seen[1] == 50


@pytest.mark.parametrize("factor", [0.001, 10.0])
def test_noise_is_proportional_to_the_evaluation(factor: float) -> None:
    class Plain(Level):
        def evaluation(self) -> Evaluation:
            return CLASSIC

    class Scaled(Level):
        def evaluation(self) -> Evaluation:
            return replace(CLASSIC, weights=factor * CLASSIC.weights, bound=factor * CLASSIC.bound)

    position = ABALONE.start()
    for number in (1, 2, 3):
        players = [kind(ABALONE, seed=3, level=number, table=1) for kind in (Plain, Scaled)]
        moves = [[player.choose(position).move for _ in range(20)] for player in players]
        assert moves[0] == moves[1]


UNIT = Unit("point", "points", half_return=10.0)
VALUES = st.lists(st.floats(-9000, 9000), min_size=1, max_size=60).map(lambda one: sorted(one)[::-1])


def amounts(values: list[float]) -> list[Score]:
    return [Score.of(value, UNIT) for value in values]


@given(VALUES, st.integers(0, 3), st.integers(0, 3))
def test_wins_are_ranked_above_and_losses_below_all_other_moves(
    values: list[float], won: int, lost: int
) -> None:
    wins, losses = [Score.win(ply) for ply in range(won)], [Score.loss(ply) for ply in range(lost)][::-1]
    standardised = standardised_values([*wins, *amounts(values), *losses])
    assert all(before > after for before, after in pairwise(standardised[:won]))
    if won:
        assert standardised[won - 1] > standardised[won] + DECIDED - 1
    if lost:
        assert standardised[-lost] < standardised[-lost - 1] - DECIDED + 1
    assert all(before >= after for before, after in pairwise(standardised))


@given(VALUES)
def test_the_standard_deviation_of_amounts_is_1(values: list[float]) -> None:
    standardised = standardised_values(amounts(values))
    assert np.ptp(values) < 1e-6 or standardised.std() == pytest.approx(1.0)


@pytest.mark.parametrize("number", [1, 4, 5, 6])
def test_only_the_chosen_move_is_reported(number: int) -> None:
    for seed in range(10):
        reported: list[Choice] = []
        player = level(number, ABALONE, seed)
        choice = player.choose(ABALONE.start(), context=Context(report=reported.append))
        assert reported == [choice]


def test_an_analysis_has_no_noise() -> None:
    position = CONNECT4.parse("4435")
    analyses = [level(2, seed=seed).analyse(position).moves for seed in range(3)]
    assert sorted(entry.move.action for entry in analyses[0]) == list(position.actions)
    assert analyses[0] == analyses[1] == analyses[2]


def test_only_the_best_move_proves_the_value_of_the_position() -> None:
    position = CONNECT4.parse(WIN_IN_ONE)
    choices = [level(1, seed=seed).choose(position) for seed in range(50)]
    assert all(choice.proven == (str(choice.move) == "4") for choice in choices)


@pytest.mark.parametrize("number", LEVELS)
def test_choosing_a_move_after_the_end_raises(number: int) -> None:
    with pytest.raises(MatchError, match="is over"):
        level(number).choose(CONNECT4.parse("1212121"))


@pytest.mark.parametrize(
    ("value", "allowed"),
    [("0", "1 to 10"), ("11", "1 to 10"), ("-1", "1 to 10"), ("2.5", "an integer"), ("easy", "an integer")],
)
def test_an_invalid_level_is_rejected(value: str, allowed: str) -> None:
    with pytest.raises(OptionError, match=f"level must be {allowed}, not '{value}'"):
        boardgames.load_player(f"level:level={value}", CONNECT4)


@pytest.mark.parametrize("text", ["level", "level:5", "level=5", "level:level=5"])
def test_the_description_always_names_the_level(text: str) -> None:
    assert boardgames.load_player(text, CONNECT4).describe() == "level:level=5"


@pytest.mark.parametrize("agent", ["level", "alphabeta"])
def test_a_table_larger_than_free_memory_is_rejected_when_the_agent_is_made(
    agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "free_memory", lambda: 100 << 20)
    boardgames.load_player(f"{agent}:table=127", CONNECT4)  # rounded down to a power of two
    with pytest.raises(OptionError, match="a table of 128 MB does not fit into the 100 MB of free memory"):
        boardgames.load_player(f"{agent}:table=128", CONNECT4)


def test_a_level_that_sees_its_win_declines_a_draw() -> None:
    position: Position = CONNECT4.parse("22334")
    assert [level(8).accepts_draw(position, side) for side in (0, 1)] == [False, True]


@pytest.mark.slow
@pytest.mark.parametrize("game", [ABALONE, CONNECT4], ids=["abalone", "connect4"])
def test_the_weakest_level_loses_to_greedy_and_not_to_random(game: Game) -> None:
    assert share("level:level=1", "greedy", game, 20) <= 0.2
    assert share("level:level=1", "random", game, 20) >= 0.5


@pytest.mark.slow
@pytest.mark.parametrize("weaker", [2, 6])
def test_two_levels_of_difference_win_clearly(weaker: int) -> None:
    assert share(f"level:level={weaker + 2}", f"level:level={weaker}", ABALONE, 20) >= 0.65
