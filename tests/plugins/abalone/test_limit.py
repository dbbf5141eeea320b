"""The option `limit=score`: the side that has pushed off more marbles wins at a limit of plies."""

import numpy as np
import pytest

import boardgames
from boardgames.errors import RecordError
from boardgames.game import Game, Outcome, Position, Termination
from boardgames.kernels import new_control
from boardgames.manager import Manager
from boardgames.match_setup import MatchSetup
from boardgames.match_state import MatchRules
from boardgames.player import Context, Limit
from boardgames.plugins import load_game_of
from boardgames.record import Record, format_record, parse_records
from boardgames.score import Score
from boardgames.search.playout import Playouts, playouts
from boardgames.selfplay import SelfPlaySetup, TDParameters
from boardgames.selfplay.searching import LabelPlay, LabelSettings, NodeSearch
from boardgames.selfplay.worker import Contestant, WorkerState
from boardgames.testing import check_game
from boardgames.testing.oracle import search_unpruned

BY_SCORE, DRAWN = boardgames.load("abalone", limit="score"), boardgames.load("abalone")

READY = "...../....../......./......../wbb....bw/......../......./....w./....."
"""Whoever has two marbles in a row can push off a marble with `e3e2`, and with no other move."""


def at_limit(game: Game, score: str, *, first: str = "b") -> Manager:
    """Return a match of two plies that begins with a score: the marbles lost by black and white."""
    start = game.parse(f"{game.start()}".replace(":b:0:0", f":{first}:{score}"))
    match = Manager(game, (None, None), start=start, rules=MatchRules(ply_limit=2))
    for _ in range(2):
        match.make_move(match.side_to_move, match.position.legal_moves[0])
    return match


def value(position: Position, plies: int) -> int:
    """Return 1, 0 or -1: whether the side to move wins a match that ends after so many plies."""
    end = position.outcome or (position.outcome_at_limit if plies == 0 else None)
    if end is not None:
        return 0 if end.winner is None else 1 if end.winner == position.side_to_move else -1
    return max(-value(position.apply(move), plies - 1) for move in position.legal_moves)


def random_positions(count: int) -> list[Position]:
    """Return positions of few marbles in which several are next to the border."""
    random = np.random.default_rng(7)
    found: list[Position] = []
    while len(found) < count:
        cells = np.array(list(str(BY_SCORE.start()).split(":")[0].replace("w", ".").replace("b", ".")))
        places = random.permutation(np.flatnonzero(cells != "/"))
        cells[places[:5]], cells[places[5:10]] = "b", "w"
        lost = random.integers(2, 4, 2)
        found.append(BY_SCORE.parse(f"{''.join(cells)}:{'bw'[random.integers(2)]}:{lost[0]}:{lost[1]}"))
    return found


POSITIONS = random_positions(12)


# --- the end of a match ----------------------------------------------------------


@pytest.mark.parametrize(
    ("lost", "winner"), [("1:3", 0), ("3:1", 1), ("0:0", None), ("2:2", None), ("5:4", 1)]
)
@pytest.mark.parametrize("first", ["b", "w"])
def test_the_side_that_has_pushed_off_more_marbles_wins_at_the_limit(
    lost: str, winner: int | None, first: str
) -> None:
    assert at_limit(BY_SCORE, lost, first=first).outcome == Outcome(winner, Termination.PLY_LIMIT)


def test_the_limit_is_a_draw_by_default() -> None:
    assert at_limit(DRAWN, "1:3").outcome == Outcome(None, Termination.PLY_LIMIT)
    assert DRAWN.options["limit"] == "draw"


def test_limits_of_moves_are_decided_by_the_score_too() -> None:
    start = BY_SCORE.parse(f"{BY_SCORE.start()}".replace(":b:0:0", ":b:0:1"))
    match = Manager(BY_SCORE, (None, None), start=start, rules=MatchRules(move_limits=(1, 1)))
    match.make_move(0, match.position.legal_moves[0])
    assert match.make_move(1, match.position.legal_moves[0]) == Outcome(0, Termination.PLY_LIMIT)


def test_the_sixth_push_off_decides_even_if_it_comes_on_the_last_ply() -> None:
    start = BY_SCORE.parse(f"{READY}:b:5:5")
    match = Manager(BY_SCORE, (None, None), start=start, rules=MatchRules(ply_limit=1))
    assert match.make_move(0, "e3e2") == Outcome(0, Termination.RULES)


def test_a_match_without_push_offs_goes_on_until_the_limit() -> None:
    agents = tuple(boardgames.load_player("random", BY_SCORE, seed=seed) for seed in range(2))
    rules = MatchRules.between(agents, BY_SCORE)
    assert (rules.ply_limit, rules.no_progress_limit) == (400, None)


@pytest.mark.slow
def test_the_game_passes_its_checks() -> None:
    kinds = ("signatures", "outcomes", "inputs", "purity", "facts")
    assert check_game(BY_SCORE, matches=1, positions=3, only=kinds).findings == ()


# --- records ----------------------------------------------------------------------


def record() -> Record:
    """Return a match that black wins 1 : 0 at the limit."""
    start = BY_SCORE.parse(f"{READY}:b:0:0")
    match = Manager(BY_SCORE, (None, None), start=start, rules=MatchRules(ply_limit=2))
    match.make_move(0, "e3e2")
    match.make_move(1, match.position.legal_moves[0])
    return match.record()


def test_a_record_says_by_which_rule_the_match_was_won() -> None:
    text = format_record(record())
    assert '[Option "limit=score"]' in text
    assert '[Termination "ply-limit"]' in text
    parsed = parse_records(text, load_game_of)
    assert (parsed.records, parsed.errors) == ((record(),), ())
    assert load_game_of(parsed.records[0]) == BY_SCORE
    assert MatchSetup(DRAWN, (None, None)).start_match(parsed.records[0]).outcome == record().outcome


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1-0", "0-1", "black wins (ply limit)"),
        ("1-0", "1/2-1/2", "black wins (ply limit)"),
        ("limit=score", "limit=draw", "draw (ply limit)"),
    ],
)
def test_a_record_whose_result_differs_from_the_rule_is_refused(old: str, new: str, expected: str) -> None:
    text = format_record(record()).replace(old, new)
    (error,) = parse_records(text, load_game_of).errors
    assert isinstance(error, RecordError)
    assert f"according to the rules, the result is {expected!r}" in str(error)


# --- search -----------------------------------------------------------------------

AGENTS = ("alphabeta", "alphabeta:threads=2", "mcts", "minimax", "simple")


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("plies", [1, 2, 3])
@pytest.mark.parametrize("side", [0, 1], ids=["black", "white"])
def test_agents_find_the_push_off_that_wins_at_the_limit(agent: str, plies: int, side: int) -> None:
    text = READY if side == 0 else READY.translate(str.maketrans("bw", "wb"))
    position = BY_SCORE.parse(f"{text}:{'bw'[side]}:2:2")
    player = boardgames.load_player(agent, BY_SCORE, seed=1)
    choice = player.choose(position, Limit(depth=4, seconds=60), Context(plies_left=plies))
    assert str(choice.move) == "e3e2"
    assert choice.score is not None
    assert choice.score.to_return() == 1.0
    assert agent == "mcts" or choice.score == Score.win(plies)
    assert choice.proven


@pytest.mark.parametrize("agent", AGENTS)
def test_agents_expect_no_win_where_the_limit_is_a_draw(agent: str) -> None:
    player = boardgames.load_player(agent, DRAWN, seed=1)
    choice = player.choose(DRAWN.parse(f"{READY}:b:2:2"), Limit(nodes=5_000, depth=2), Context(plies_left=1))
    assert choice.score is not None
    assert not choice.proven
    assert choice.score.to_return() < 1.0


@pytest.mark.parametrize("agent", ["alphabeta", "mcts", "minimax"])
@pytest.mark.parametrize("position", POSITIONS, ids=str)
def test_near_the_limit_agents_find_the_result_of_perfect_play(agent: str, position: Position) -> None:
    player = boardgames.load_player(agent, BY_SCORE, seed=1)
    for plies in (1, 2):
        expected = value(position, plies)
        choice = player.choose(position, Limit(depth=4, seconds=60), Context(plies_left=plies))
        assert choice.proven
        assert choice.score is not None
        assert choice.score.to_return() == expected
        assert choice.move is not None
        assert -value(position.apply(choice.move), plies - 1) == expected


def test_the_results_of_perfect_play_differ() -> None:
    assert {value(position, 2) for position in POSITIONS} == {-1, 0, 1}


@pytest.mark.parametrize("position", POSITIONS[:4], ids=str)
def test_pruning_changes_no_result_near_the_limit(position: Position) -> None:
    player = boardgames.load_player("alphabeta", BY_SCORE, seed=1)
    choice = player.choose(position, Limit(depth=7), Context(plies_left=3))
    unpruned = search_unpruned(position, BY_SCORE.evaluation, 3, plies_left=3)
    assert choice.proven
    assert choice.score == unpruned.score


@pytest.mark.parametrize("agent", ["alphabeta", "mcts"])
def test_results_of_a_search_near_a_limit_are_not_used_for_another_limit(agent: str) -> None:
    position = BY_SCORE.parse(f"{READY}:b:2:2")
    player = boardgames.load_player(agent, BY_SCORE, seed=1)
    limit = Limit(depth=3, nodes=3_000)
    assert player.choose(position, limit, Context(plies_left=3)).proven
    assert not player.choose(position, limit, Context()).proven
    assert player.choose(position, limit, Context(plies_left=1)).proven


def test_an_agent_that_is_ahead_keeps_its_lead_on_the_last_plies() -> None:
    start = BY_SCORE.parse(f"{BY_SCORE.start()}".replace(":b:0:0", ":b:1:2"))
    setup = MatchSetup(
        BY_SCORE, ("alphabeta", "alphabeta"), start=start, limit=Limit(nodes=20_000), ply_limit=6
    )
    assert setup.start_match().play().outcome == Outcome(0, Termination.PLY_LIMIT)


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (MatchRules(), [None, None, None]),
        (MatchRules(ply_limit=5), [5, 4, 3]),
        (MatchRules(move_limits=(2, 3)), [4, 3, 2]),
        (MatchRules(move_limits=(3, 1)), [3, 2, 1]),
        (MatchRules(ply_limit=3, move_limits=(9, 9)), [3, 2, 1]),
    ],
    ids=str,
)
def test_a_match_knows_how_many_plies_are_left(rules: MatchRules, expected: list[int | None]) -> None:
    match, left = Manager(BY_SCORE, (None, None), rules=rules), []
    for _ in expected:
        left.append(match.plies_left)
        match.make_move(match.side_to_move, match.position.legal_moves[0])
    assert left == expected
    while match.outcome is None and match.plies_left is not None:
        plies = match.plies_left
        match.make_move(match.side_to_move, match.position.legal_moves[0])
        assert (match.outcome is not None) == (plies == 1)


# --- playouts and training --------------------------------------------------------


def test_playouts_that_reach_the_limit_have_a_result() -> None:
    start = str(BY_SCORE.start())
    for lost, wins, draws in (("1:3", (5, 0), 0), ("3:1", (0, 5), 0), ("2:2", (0, 0), 5)):
        position = BY_SCORE.parse(start.replace("0:0", lost))
        assert playouts(position, 5, ply_limit=2) == Playouts(wins, draws, 0, 10)
    assert playouts(DRAWN.parse(start.replace("0:0", "1:3")), 5, ply_limit=2).unfinished == 5


def ahead(game: Game, features: str) -> WorkerState:
    """Return a worker for matches of four plies in which white is ahead."""
    state = WorkerState(SelfPlaySetup.of(game, features, opening=0, ply_limit=4))
    state.start = game.parse(f"{game.start()}".replace("0:0", "4:1")).words
    return state


@pytest.mark.parametrize(("game", "winner"), [(BY_SCORE, 1), (DRAWN, None)], ids=["score", "draw"])
def test_test_matches_of_training_are_decided_at_their_limit(game: Game, winner: int | None) -> None:
    results = ahead(game, "simple").play_matches(Contestant(), Contestant(is_random=True), 2, seed=1)
    assert [(one.winner, one.is_unfinished, one.plies) for one in results] == [
        (winner, winner is None, 4)
    ] * 2


@pytest.mark.parametrize(("game", "winner"), [(BY_SCORE, 1), (DRAWN, None)], ids=["score", "draw"])
def test_temporal_differences_are_learned_from_the_result_at_the_limit(
    game: Game, winner: int | None
) -> None:
    weights = np.zeros((2, 6))
    trained = ahead(game, "simple").train_players(weights, (TDParameters(), TDParameters()), 1, seed=1)
    assert [one.winner for one in trained.matches] == [winner]
    assert trained.weights.any() == (winner is not None)  # all values are 0 until something is won or lost


@pytest.mark.parametrize(("game", "winner"), [(BY_SCORE, 1), (DRAWN, None)], ids=["score", "draw"])
def test_labelled_positions_count_matches_that_are_decided_at_the_limit(
    game: Game, winner: int | None
) -> None:
    start, control = game.parse(f"{game.start()}".replace("0:0", "4:1")), new_control()
    play = LabelPlay(game, [start.words], control, LabelSettings(nodes=200, opening=0, ply_limit=4))
    labelled = play.play(NodeSearch(game, game.evaluation, control), [None], 0, np.random.default_rng(1))
    assert labelled.decided == (winner is not None)


def test_the_opening_book_is_used_with_either_option() -> None:
    agents = [boardgames.load_player("alphabeta", game, seed=1) for game in (BY_SCORE, DRAWN)]
    choices = [agent.choose(agent.game.start()) for agent in agents]
    assert all(choice.from_book for choice in choices)
    assert choices[0].move == choices[1].move
