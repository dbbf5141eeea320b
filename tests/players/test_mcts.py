"""The player `mcts`: moves that must be found, matches that must be won, limits, options, threads."""

import threading
from functools import cache
from typing import Any

import pytest
from nim import Nim
from reference.minimax import minimax_value, reached, successors, tictactoe
from waiting import interrupted

import boardgames
from boardgames import Manager
from boardgames.declarations import NO_EVALUATION
from boardgames.errors import MatchError, OptionError, PositionError
from boardgames.game import Game, Position
from boardgames.player import NO_LIMIT, Choice, Clock, Context, Limit, Stop
from boardgames.players.alphabeta import DEFAULT_SECONDS
from boardgames.players.mcts import MonteCarlo
from boardgames.score import RETURN

ABALONE = boardgames.load("abalone")
CONNECT4 = boardgames.load("connect4")
TICTACTOE = tictactoe()
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
OPTIONS = [
    "",
    ",prior=none",
    ",prior=evaluation,cutoff=0",
    ",cutoff=3",
    ",threads=3",
    ",memory=1,depth=2,prior=order",
]


def made(text: str, game: Game, seed: int = 1) -> MonteCarlo:
    """Return the player of an agent text."""
    player = boardgames.load_player(text, game, seed=seed)
    assert isinstance(player, MonteCarlo)
    return player


def chosen(text: str, position: Position, limit: Limit = NO_LIMIT, seed: int = 1) -> Choice:
    return made(text, position.game, seed).choose(position, limit)


@pytest.mark.plain
@pytest.mark.parametrize("options", OPTIONS[:4])
@pytest.mark.parametrize(
    ("game", "text", "move"),
    [
        pytest.param(TICTACTOE, "xx./oo./...", "c3", id="win in a row"),
        pytest.param(CONNECT4, "121212", "1", id="win in a column"),
        pytest.param(CONNECT4, "223344", "1", id="win at either end"),
    ],
)
def test_a_win_at_once_is_taken_and_proven(game: Game, text: str, move: str, options: str) -> None:
    position = game.parse(text)
    choice = chosen(f"mcts:simulations=50{options}", position)
    assert position.apply(choice.move).outcome is not None
    assert (choice.score.amount, choice.proven) == (1.0, True)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(
    ("text", "moves", "value"),
    [
        pytest.param("12121", "1", None, id="a column of three is blocked"),
        pytest.param("33445", "26", -1.0, id="two ends cannot both be blocked"),
        pytest.param("415", "36", None, id="two in the middle row are not left alone"),
    ],
)
def test_forced_lines_are_seen(text: str, moves: str, value: float | None, options: str) -> None:
    position = CONNECT4.parse(text)
    choice = chosen(f"mcts:simulations=20000{options}", position)
    if value is None:
        assert str(choice.move) in moves
    else:
        assert (choice.score.amount, choice.proven) == (value, True)


@cache
def best_moves(position: Position) -> tuple[boardgames.Move, ...]:
    """Return the moves that keep what perfect play gives."""
    side = position.side_to_move
    values = [minimax_value(after, side, 9, ply=1) for after in successors(position)]
    returns = [(found > 0) - (found < 0) for found in values]
    pairs = zip(position.legal_moves, returns, strict=True)
    return tuple(move for move, found in pairs if found == max(returns))


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, 1])
def test_tictactoe_is_never_lost_against_any_perfect_play(side: int) -> None:
    player, waiting, seen = made("mcts:simulations=2000", TICTACTOE), [TICTACTOE.start()], set()
    while waiting:
        position = waiting.pop()
        if position.outcome is not None:
            assert position.outcome.winner in (None, side)
        elif position in seen:
            continue
        elif position.side_to_move != side:
            waiting += [position.apply(move) for move in best_moves(position)]
        else:
            player.match_started(side)
            waiting.append(position.apply(player.choose(position).move))
        seen.add(position)
    assert len(seen) > 20


def test_random_play_is_beaten_every_time() -> None:
    for seed in range(10):
        players = [
            made("mcts:simulations=1000", CONNECT4, seed),
            boardgames.load_player("random", CONNECT4, seed=seed),
        ]
        side = seed % 2
        match = Manager(CONNECT4, players if side == 0 else players[::-1])
        match.play()
        assert match.outcome is not None
        assert match.outcome.winner == side


@pytest.mark.slow
def test_abalone_is_played_well_enough_to_win_marbles() -> None:
    players = [made("mcts:simulations=2000", ABALONE), boardgames.load_player("random", ABALONE, seed=1)]
    match = Manager(ABALONE, players)
    for _ in range(120):
        if match.outcome is None:
            match.make_move(match.position.side_to_move, _next(match, players))
    own, other = match.position.score
    assert own >= other + 3


def _next(match: Manager, players: list[boardgames.Player]) -> boardgames.Move:
    choice = players[match.position.side_to_move].choose(match.position)
    assert choice.move is not None
    return choice.move


@pytest.mark.plain
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_played(name: str, options: str) -> None:
    position = reached(GAMES[name], 1, 1)
    player = made(f"mcts:simulations=20{options}", GAMES[name])
    choice, analysis = player.choose(position), player.analyse(position)
    assert choice.line[0] == choice.move
    for entry in (*analysis.moves, choice):
        after = position
        for move in entry.line:
            after = after.apply(str(move))
        assert -1 <= entry.score.amount <= 1
    assert sorted(entry.move.action for entry in analysis.moves) == list(position.actions)
    assert (choice.score.unit, analysis.unit) == (RETURN, RETURN)


@pytest.mark.parametrize("name", ["connect4", "abalone", "hexifence"])
def test_seed_and_match_decide_every_move(name: str) -> None:
    game = GAMES[name]

    def played(player: MonteCarlo) -> list[tuple[object, ...]]:
        player.match_started(0)
        position, history, told = game.start(), (), []
        for _ in range(4):
            choice = player.choose(position, context=Context(history=history))
            told.append((choice.move, choice.score, choice.nodes, choice.line))
            history = (*history, position)
            position = position.apply(choice.move)
        return told

    first, second = (made("mcts:simulations=300", game, seed) for seed in (1, 2))
    found = [played(first), played(second)]
    second.reseed(1)
    assert found[0] == played(second)
    # without playouts nothing is left to chance
    assert (found[0] != found[1]) is (game.facts.longest_match is not None)


def test_a_limit_of_depth_holds_on_a_tree_that_is_deeper() -> None:
    position = CONNECT4.parse("444")
    player = made("mcts:simulations=20000", CONNECT4)
    deep = player.analyse(position)
    shallow = player.analyse(position, Limit(depth=1, simulations=2000))
    assert max(len(entry.line) for entry in deep.moves) > 3
    assert shallow.simulations == 2000


def test_a_draw_offer_changes_no_later_move() -> None:
    asked, left = (made("mcts:simulations=500", CONNECT4) for _ in range(2))
    asked.choose(CONNECT4.start())
    left.choose(CONNECT4.start())
    asked.accepts_draw(CONNECT4.start(), 0)
    assert asked.choose(CONNECT4.start()).line == left.choose(CONNECT4.start()).line


def test_the_best_moves_come_first_and_as_many_as_asked_for() -> None:
    player = made("mcts:simulations=5000", CONNECT4)
    analysis = player.analyse(CONNECT4.start(), lines=3)
    assert len(analysis.moves) == 3
    assert str(analysis.moves[0].move) == "4"
    assert analysis.score == analysis.moves[0].score
    assert analysis.score.sign > 0
    assert analysis.simulations == 5000


def test_every_move_is_valued_after_the_best_is_proven() -> None:
    # one wins, and whoever leaves the column to the other side loses at once
    position = CONNECT4.parse("1212122")
    analysis = made("mcts:simulations=20000", CONNECT4).analyse(position)
    values = {str(entry.move): (entry.score.amount, entry.proven) for entry in analysis.moves}
    assert all(-1 <= value <= 1 for value, _ in values.values())
    assert analysis.moves[-1].score <= analysis.moves[0].score


@pytest.mark.parametrize(
    ("agent", "given", "kept"),
    [
        ("mcts", NO_LIMIT, Limit(seconds=DEFAULT_SECONDS)),
        ("mcts", Limit(depth=3), Limit(seconds=DEFAULT_SECONDS, depth=3)),
        ("mcts:simulations=100", NO_LIMIT, Limit(simulations=100)),
        ("mcts:simulations=100", Limit(simulations=50), Limit(simulations=50)),
        ("mcts:nodes=100", Limit(nodes=500), Limit(nodes=100)),
        ("mcts:time=0.5", Limit(seconds=2.0), Limit(seconds=0.5)),
        ("mcts", Limit(clock=Clock((9.0, 9.0))), Limit(clock=Clock((9.0, 9.0)))),
    ],
)
def test_the_tighter_of_own_and_given_limits_is_kept(agent: str, given: Limit, kept: Limit) -> None:
    assert made(agent, CONNECT4)._limit(given) == kept


def test_simulations_are_reported_and_exact() -> None:
    assert chosen("mcts:simulations=123", CONNECT4.start()).simulations == 123
    assert chosen("mcts:simulations=123,threads=4", CONNECT4.start()).simulations == 123


def test_listeners_hear_of_the_best_line_so_far() -> None:
    heard: list[Choice] = []
    player = made("mcts", ABALONE)
    last = player.choose(ABALONE.start(), Limit(seconds=0.7), Context(report=heard.append))
    assert len(heard) >= 2
    assert [choice.simulations for choice in heard] == sorted(choice.simulations for choice in heard)
    assert all(choice.line[0] == choice.move and choice.depth == len(choice.line) for choice in heard)
    assert heard[-1].move == last.move


def test_a_stop_set_before_the_start_gives_a_legal_move() -> None:
    stop = Stop()
    stop.set()
    choice = made("mcts", ABALONE).choose(ABALONE.start(), context=Context(stop=stop))
    assert choice.move in ABALONE.start().legal_moves


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stop_from_another_thread_ends_the_choice(threads: int) -> None:
    stop, limit = Stop(), Limit(simulations=10**12)
    player = made(f"mcts:threads={threads}", ABALONE)

    def report(choice: Choice) -> None:
        threading.Thread(target=stop.set).start()

    choice = player.choose(ABALONE.start(), limit, Context(stop=stop, report=report))
    assert 0 < choice.simulations < 10**12


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_the_choice_and_is_raised_again(threads: int) -> None:
    player = made(f"mcts:threads={threads}", ABALONE)
    with interrupted():
        player.choose(ABALONE.start(), Limit(simulations=10**12))
    assert not any(thread.name.startswith("boardgames-") for thread in threading.enumerate())
    assert player.choose(ABALONE.start(), Limit(simulations=10)).simulations == 10


def test_no_move_is_chosen_after_the_end() -> None:
    with pytest.raises(MatchError, match="is over"):
        chosen("mcts", TICTACTOE.parse("xxx/oo./..."))


def test_a_position_of_another_game_is_refused() -> None:
    with pytest.raises(PositionError, match="not a position of <game abalone"):
        made("mcts", ABALONE).choose(CONNECT4.start())


@pytest.mark.parametrize(
    ("position", "takes"),
    [
        pytest.param(CONNECT4.parse("22334"), (False, True), id="first side wins"),
        pytest.param(CONNECT4.parse("722334"), (True, False), id="second side wins"),
        pytest.param(TICTACTOE.start(), (True, True), id="nobody wins"),
        pytest.param(TICTACTOE.parse("xxx/oo./..."), (False, False), id="the match is over"),
    ],
)
def test_a_draw_is_taken_by_a_side_that_is_not_better(position: Position, takes: tuple[bool, bool]) -> None:
    player = made("mcts", position.game)
    assert tuple(player.accepts_draw(position, side) for side in (0, 1)) == takes


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("mcts:simulations=0", "simulations must be 1 to 1000000000000, not '0'"),
        ("mcts:threads=0", "threads must be 1 to 64, not '0'"),
        ("mcts:threads=65", "threads must be "),
        ("mcts:memory=0", "memory must be "),
        ("mcts:memory=1000000", "MB that are free: 1000000 MB"),
        ("mcts:exploration=-1", "exploration must be 0 to 100, not '-1'"),
        ("mcts:exploration=nan", "exploration must be "),
        ("mcts:prior=best", "expected one of none, order, evaluation for prior: 'best'"),
        ("mcts:cutoff=-1", "cutoff must be "),
        ("mcts:depth=501", "depth must be "),
        ("mcts:rollouts=3", "agent 'mcts' has no option 'rollouts'"),
    ],
)
def test_a_bad_option_is_refused(agent: str, message: str) -> None:
    with pytest.raises(OptionError) as raised:
        boardgames.load_player(agent, CONNECT4)
    assert message in str(raised.value)


def test_a_player_that_was_closed_plays_on() -> None:
    player = made("mcts:simulations=100", CONNECT4)
    player.choose(CONNECT4.start())
    player.close()
    player.close()
    assert player.choose(CONNECT4.start()).simulations == 100


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
def test_the_fingerprint_tells_evaluations_that_are_used(agent: str, game: Game, is_empty: bool) -> None:
    assert (made(agent, game).fingerprint() == "") is is_empty


def test_learned_weights_take_the_place_of_the_evaluation() -> None:
    settings: dict[str, Any] = {"limit": Limit(simulations=300)}
    hand, learned = (made(text, ABALONE) for text in ("mcts", "mcts:weights=td"))
    assert hand.fingerprint() != learned.fingerprint()
    assert (
        hand.analyse(ABALONE.start(), **settings).moves != learned.analyse(ABALONE.start(), **settings).moves
    )
