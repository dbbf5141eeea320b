"""The agent `mcts`: moves it must find, matches it must win, options and limits."""

import threading
from functools import cache

import pytest
from nim import Nim
from reference.minimax import reached, successors
from reference.tree_search import exact_value
from waiting import interrupted

import boardgames
from boardgames import Manager
from boardgames.declarations import NO_EVALUATION
from boardgames.errors import MatchError, OptionError, PositionError
from boardgames.game import Game, Move, Position
from boardgames.player import NO_LIMIT, Choice, Clock, Context, Limit, Stop
from boardgames.players import mcts as agents
from boardgames.players.alphabeta import DEFAULT_SECONDS
from boardgames.players.mcts import MonteCarlo
from boardgames.score import RETURN
from boardgames.search.mcts import searcher as searchers
from boardgames.search.runner import IDLE

ABALONE = boardgames.load("abalone")
CONNECT4 = boardgames.load("connect4")
TICTACTOE = boardgames.load("tictactoe")
START = CONNECT4.start()
GAMES = {
    "abalone": ABALONE,
    "connect4": CONNECT4,
    "hexifence": boardgames.load("hexifence"),
    "tictactoe": TICTACTOE,
    "nim": Nim(),
    "nim with passing": Nim(passing=True),
    "nim where one stone keeps the turn": Nim(again=True),
    "nim ended by lack of moves": Nim(stuck=True),
}
LARGE = ("abalone", "hexifence")
OPTIONS = [
    "",
    ",prior=none",
    ",prior=evaluation,cutoff=0",
    ",cutoff=3",
    ",threads=3",
    ",memory=1,depth=2,prior=order",
]
ENDLESS = Limit(simulations=10**12)
THREADS = pytest.mark.parametrize("threads", [1, 2])


def player_of(agent: str, game: Game, seed: int = 1) -> MonteCarlo:
    player = boardgames.load_player(agent, game, seed=seed)
    assert isinstance(player, MonteCarlo)
    return player


def choice_of(agent: str, position: Position, limit: Limit = NO_LIMIT) -> Choice:
    return player_of(agent, position.game).choose(position, limit)


@pytest.mark.plain
@pytest.mark.parametrize("options", OPTIONS[:4])
@pytest.mark.parametrize(
    ("game", "text", "move"),
    [
        pytest.param(TICTACTOE, "xx./oo./...", "c3", id="a row"),
        pytest.param(CONNECT4, "121212", "1", id="a column"),
        pytest.param(CONNECT4, "223344", "1", id="either end"),
    ],
)
def test_an_immediate_win_is_played_and_proven(game: Game, text: str, move: str, options: str) -> None:
    choice = choice_of(f"mcts:simulations=50{options}", game.parse(text))
    assert choice.move is not None
    assert game.parse(text).apply(choice.move).outcome is not None
    assert choice.score is not None
    assert (choice.score.amount, choice.proven) == (1.0, True)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(
    ("text", "moves"),
    [
        pytest.param("12121", "1", id="a column of three"),
        pytest.param("415", "36", id="two in the middle of the bottom row"),
    ],
)
def test_a_threat_is_blocked(text: str, moves: str, options: str) -> None:
    choice = choice_of(f"mcts:simulations=5000{options}", CONNECT4.parse(text))
    assert str(choice.move) in moves


@pytest.mark.parametrize("options", OPTIONS)
def test_a_lost_position_is_proven_lost(options: str) -> None:
    # three in the bottom row with two open ends
    choice = choice_of(f"mcts:simulations=5000{options}", CONNECT4.parse("33445"))
    assert choice.score is not None
    assert (choice.score.amount, choice.proven) == (-1.0, True)


@cache
def perfect_moves(position: Position) -> tuple[Move, ...]:
    """Return the moves that keep the return of perfect play."""
    value = exact_value(position)
    return tuple(
        move
        for move, after in zip(position.legal_moves, successors(position), strict=True)
        if exact_value(position, after=after) == value
    )


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, 1])
def test_tictactoe_is_never_lost_against_perfect_play(side: int) -> None:
    player, waiting, seen = player_of("mcts:simulations=2000", TICTACTOE), [TICTACTOE.start()], set()
    while waiting:
        position = waiting.pop()
        if position.outcome is not None:
            assert position.outcome.winner in (None, side)
        elif position in seen:
            continue
        elif position.side_to_move != side:
            waiting += [position.apply(move) for move in perfect_moves(position)]
        else:
            player.match_started(side)
            move = player.choose(position).move
            assert move is not None
            waiting.append(position.apply(move))
        seen.add(position)
    assert len(seen) > 20


def test_random_play_is_beaten_every_time() -> None:
    for seed in range(10):
        players = [
            player_of("mcts:simulations=300", CONNECT4, seed),
            boardgames.load_player("random", CONNECT4, seed=seed),
        ]
        side = seed % 2
        match = Manager(CONNECT4, players if side == 0 else players[::-1])
        match.play()
        assert match.outcome is not None
        assert match.outcome.winner == side


@pytest.mark.slow
def test_marbles_are_won_in_abalone() -> None:
    players = [player_of("mcts:simulations=2000", ABALONE), boardgames.load_player("random", ABALONE, seed=1)]
    position = ABALONE.start()
    for _ in range(120):
        if position.outcome is None:
            move = players[position.side_to_move].choose(position).move
            assert move is not None
            position = position.apply(move)
    own, other = position.score
    assert own >= other + 3


@pytest.mark.parametrize(
    ("name", "options"),
    [
        # without compilation large games are slow, and the options cover the same lines in small ones
        pytest.param(name, options, marks=() if options and name in LARGE else pytest.mark.plain)
        for name in GAMES
        for options in OPTIONS
    ],
)
def test_every_game_can_be_played(name: str, options: str) -> None:
    position = reached(GAMES[name], 1, 1)
    player = player_of(f"mcts:simulations=20{options}", GAMES[name])
    choice, analysis = player.choose(position), player.analyse(position)
    assert choice.line[0] == choice.move
    assert choice.score is not None
    answers = [(entry.line, entry.score) for entry in analysis.moves]
    for line, score in [*answers, (choice.line, choice.score)]:
        after = position
        for move in line:
            after = after.apply(str(move))
        assert score.amount is not None
        assert -1 <= score.amount <= 1
    assert sorted(entry.move.action for entry in analysis.moves) == list(position.actions)
    assert (choice.score.unit, analysis.unit) == (RETURN, RETURN)


@pytest.mark.parametrize("name", ["connect4", "abalone", "hexifence"])
def test_seed_and_match_decide_every_move(name: str) -> None:
    game = GAMES[name]

    def play(player: MonteCarlo) -> list[tuple[object, ...]]:
        player.match_started(0)
        position = game.start()
        history: tuple[Position, ...] = ()
        answers: list[tuple[object, ...]] = []
        for _ in range(4):
            choice = player.choose(position, context=Context(history=history))
            answers.append((choice.move, choice.score, choice.nodes, choice.line))
            history = (*history, position)
            assert choice.move is not None
            position = position.apply(choice.move)
        return answers

    first, second = (player_of("mcts:simulations=300", game, seed) for seed in (1, 2))
    answers = [play(first), play(second)]
    second.reseed(1)
    assert answers[0] == play(second)
    # without playouts nothing is random
    assert (answers[0] != answers[1]) is (game.facts.longest_match is not None)


def test_a_depth_limit_does_not_end_the_search_of_a_deeper_tree() -> None:
    position = CONNECT4.parse("444")
    player = player_of("mcts:simulations=5000", CONNECT4)
    deep = player.analyse(position)
    shallow = player.analyse(position, Limit(depth=1, simulations=2000))
    assert max(len(entry.line) for entry in deep.moves) > 3
    assert shallow.simulations == 2000


def test_a_draw_offer_changes_no_later_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "DRAW_OFFER_LIMIT", Limit(simulations=1000))
    asked, left = (player_of("mcts:simulations=500", CONNECT4) for _ in range(2))
    asked.choose(START)
    left.choose(START)
    asked.accepts_draw(START, 0)
    assert asked.choose(START).line == left.choose(START).line


def test_the_best_moves_come_first() -> None:
    analysis = player_of("mcts:simulations=5000", CONNECT4).analyse(START, lines=3)
    assert len(analysis.moves) == 3
    assert str(analysis.moves[0].move) == "4"
    assert analysis.score == analysis.moves[0].score
    assert analysis.score.sign > 0
    assert analysis.simulations == 5000


def test_every_move_gets_a_value_even_when_the_best_is_proven() -> None:
    # 1 wins, and every other move loses at once
    analysis = player_of("mcts:simulations=5000", CONNECT4).analyse(CONNECT4.parse("1212122"))
    amounts = [entry.score.amount for entry in analysis.moves]
    assert all(amount is not None and -1 <= amount <= 1 for amount in amounts)
    assert analysis.moves[-1].score <= analysis.moves[0].score


@pytest.mark.parametrize(
    ("agent", "given", "expected"),
    [
        ("mcts", NO_LIMIT, Limit(seconds=DEFAULT_SECONDS)),
        ("mcts", Limit(depth=3), Limit(seconds=DEFAULT_SECONDS, depth=3)),
        ("mcts:simulations=100", NO_LIMIT, Limit(simulations=100)),
        ("mcts:simulations=100", Limit(simulations=50), Limit(simulations=50)),
        ("mcts:nodes=100", Limit(nodes=500), Limit(nodes=100)),
        ("mcts:time=0.5", Limit(seconds=2.0), Limit(seconds=0.5)),
        ("mcts:depth=4", Limit(nodes=9, depth=6), Limit(nodes=9, depth=4)),
        ("mcts", Limit(clock=Clock((9.0, 9.0))), Limit(clock=Clock((9.0, 9.0)))),
    ],
)
def test_the_tighter_of_own_and_given_limits_applies(agent: str, given: Limit, expected: Limit) -> None:
    assert player_of(agent, CONNECT4)._limit(given) == expected


@pytest.mark.parametrize("options", ["", ",threads=4"])
def test_simulations_are_reported_and_exact(options: str) -> None:
    assert choice_of(f"mcts:simulations=123{options}", START).simulations == 123


def test_a_stop_set_before_the_start_gives_a_legal_move() -> None:
    stop = Stop()
    stop.set()
    choice = player_of("mcts", ABALONE).choose(ABALONE.start(), context=Context(stop=stop))
    assert choice.move in ABALONE.start().legal_moves


@THREADS
def test_a_stop_from_another_thread_ends_the_search(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searchers, "REPORT_S", 0.01)
    stop = Stop()

    def report(choice: Choice) -> None:
        threading.Thread(target=stop.set).start()

    player = player_of(f"mcts:threads={threads}", ABALONE)
    choice = player.choose(ABALONE.start(), ENDLESS, Context(stop=stop, report=report))
    assert 0 < choice.simulations < 10**12


@THREADS
def test_an_interrupt_ends_the_search_and_is_raised_again(threads: int) -> None:
    player = player_of(f"mcts:threads={threads}", ABALONE)
    with interrupted():
        player.choose(ABALONE.start(), ENDLESS)
    names = {thread.name for thread in threading.enumerate()}
    assert not any(name.startswith("boardgames-") for name in names - {IDLE})
    assert player.choose(ABALONE.start(), Limit(simulations=10)).simulations == 10


def test_choosing_a_move_after_the_end_of_a_match_raises() -> None:
    with pytest.raises(MatchError, match="is over"):
        choice_of("mcts", TICTACTOE.parse("xxx/oo./..."))


def test_a_position_of_another_game_is_rejected() -> None:
    with pytest.raises(PositionError, match="not a position of <game abalone"):
        player_of("mcts", ABALONE).choose(START)


@pytest.mark.parametrize(
    ("position", "accepts"),
    [
        pytest.param(CONNECT4.parse("22334"), (False, True), id="the first side wins"),
        pytest.param(CONNECT4.parse("722334"), (True, False), id="the second side wins"),
        pytest.param(TICTACTOE.start(), (True, True), id="neither side wins"),
        pytest.param(TICTACTOE.parse("xxx/oo./..."), (False, False), id="the match is over"),
    ],
)
def test_a_side_that_is_not_better_accepts_a_draw(
    position: Position, accepts: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agents, "DRAW_OFFER_LIMIT", Limit(simulations=100_000))
    player = player_of("mcts", position.game)
    assert tuple(player.accepts_draw(position, side) for side in (0, 1)) == accepts


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("mcts:simulations=0", "simulations must be 1 to 1000000000000, not '0'"),
        ("mcts:threads=0", "threads must be 1 to 64, not '0'"),
        ("mcts:threads=65", "threads must be 1 to 64, not '65'"),
        ("mcts:memory=0", "memory must be "),
        ("mcts:memory=1000000", "a tree of 1000000 MB does not fit into "),
        ("mcts:exploration=-1", "exploration must be 0 to 100, not '-1'"),
        ("mcts:exploration=nan", "exploration must be "),
        ("mcts:cutoff=-1", "cutoff must be "),
        ("mcts:depth=501", "depth must be "),
        ("mcts:prior=best", "prior must be none, order or evaluation, not 'best'"),
        ("mcts:rollouts=3", "agent 'mcts' has no option 'rollouts'"),
    ],
)
def test_an_invalid_option_is_rejected(agent: str, message: str) -> None:
    with pytest.raises(OptionError) as raised:
        boardgames.load_player(agent, CONNECT4)
    assert message in str(raised.value)


def test_a_closed_player_can_still_play() -> None:
    player = player_of("mcts:simulations=100", CONNECT4)
    player.choose(START)
    player.close()
    player.close()
    assert player.choose(START).simulations == 100


@pytest.mark.parametrize(
    ("agent", "game", "is_empty"),
    [
        ("mcts:prior=none", CONNECT4, True),
        ("mcts:prior=order", CONNECT4, True),
        ("mcts:prior=order,cutoff=9", CONNECT4, False),
        ("mcts", CONNECT4, False),
        ("mcts", TICTACTOE, TICTACTOE.evaluation is NO_EVALUATION),
        ("mcts", ABALONE, False),
    ],
)
def test_the_fingerprint_depends_on_the_evaluation_if_it_is_used(
    agent: str, game: Game, is_empty: bool
) -> None:
    assert (player_of(agent, game).fingerprint() == "") is is_empty


def test_learned_weights_replace_the_evaluation() -> None:
    own, learned = (player_of(agent, ABALONE) for agent in ("mcts", "mcts:weights=td"))
    assert own.fingerprint() != learned.fingerprint()
    limit = Limit(simulations=300)
    assert own.analyse(ABALONE.start(), limit).moves != learned.analyse(ABALONE.start(), limit).moves


def test_an_analysis_says_how_often_moves_were_played_and_how_likely_they_were_before() -> None:
    game = boardgames.load("connect4")
    with_priors = boardgames.load_player("mcts:prior=order", game, seed=1)
    analysis = with_priors.analyse(game.start(), Limit(simulations=200))
    assert sum(move.visits or 0 for move in analysis.moves) == 200
    assert sum(move.prior or 0 for move in analysis.moves) == pytest.approx(1, abs=1e-4)
    assert max(analysis.moves, key=lambda move: move.prior or 0).move.text == "4"
    without = boardgames.load_player("mcts:prior=none", game, seed=1)
    analysis = without.analyse(game.start(), Limit(simulations=200))
    assert {move.prior for move in analysis.moves} == {None}
    search = boardgames.load_player("alphabeta:depth=2", game)
    assert {move.visits for move in search.analyse(game.start()).moves} == {None}
