"""Agents that search: limits, answers and draw offers."""

import subprocess
import sys
import threading

import pytest
from reference.minimax import cases, minimax_values, reached, search_value
from waiting import interrupted

import boardgames
from boardgames.declarations import NO_EVALUATION
from boardgames.errors import MatchError, OptionError, PositionError
from boardgames.game import Position
from boardgames.player import NO_LIMIT, Choice, Clock, Context, Limit, Stop
from boardgames.players.alphabeta import DEFAULT_SECONDS, AlphaBeta, SearchPlayer
from boardgames.score import RETURN, Score

AGENTS = pytest.mark.parametrize("agent", ["alphabeta", "minimax"])
ABALONE = boardgames.load("abalone")
CONNECT4 = boardgames.load("connect4")
CASES = cases()
LOADED_WHILE_THINKING = """
import sys
import boardgames
from boardgames.kernels import cache
from boardgames.player import Limit

loaded, load = [], cache.KernelCache.load_overload

def recorded(self, *arguments):
    loaded.append(self.cache_path)
    return load(self, *arguments)

cache.KernelCache.load_overload = recorded
game = boardgames.load("abalone")
player = boardgames.load_player(sys.argv[1], game)
position = game.start()
position.outcome, position.legal_moves
player.match_started(0)
before = len(loaded)
player.choose(position, Limit(seconds=0.02))
print(before > 0, len(loaded) - before)
"""


def limit_of(agent: str, limit: Limit = NO_LIMIT) -> Limit:
    """Return the limit that a player keeps to when the caller gives another."""
    player = boardgames.load_player(agent, CONNECT4)
    assert isinstance(player, SearchPlayer)
    return player._limit(limit)


@pytest.mark.parametrize(
    ("agent", "given", "kept"),
    [
        ("alphabeta:depth=4", Limit(depth=6), Limit(depth=4)),
        ("alphabeta:depth=6", Limit(depth=4), Limit(depth=4)),
        ("alphabeta:time=2", Limit(seconds=0.5), Limit(seconds=0.5)),
        ("alphabeta:time=0.5", Limit(seconds=2.0), Limit(seconds=0.5)),
        ("minimax:nodes=100", Limit(nodes=50), Limit(nodes=50)),
        ("minimax:depth=3", Limit(nodes=50), Limit(depth=3, nodes=50)),
        ("alphabeta", Limit(depth=2), Limit(depth=2)),
        ("alphabeta", Limit(clock=Clock((9.0, 9.0))), Limit(clock=Clock((9.0, 9.0)))),
        ("alphabeta", NO_LIMIT, Limit(seconds=DEFAULT_SECONDS)),
        ("alphabeta", Limit(simulations=10), Limit(seconds=DEFAULT_SECONDS)),
    ],
)
def test_the_tighter_of_own_and_given_limits_is_kept(agent: str, given: Limit, kept: Limit) -> None:
    assert limit_of(agent, given) == kept


@AGENTS
@pytest.mark.parametrize("name", CASES)
def test_the_best_move_is_chosen(agent: str, name: str) -> None:
    position, depth = CASES[name]
    choice = boardgames.load_player(f"{agent}:depth={depth}", position.game).choose(position)
    expected = dict(zip(position.actions, minimax_values(position, choice.depth), strict=True))
    assert choice.move is not None
    assert expected[choice.move.action] == pytest.approx(max(expected.values()), abs=1e-9)
    assert choice.score is not None
    value = search_value(choice.score, position.game.evaluation.scale)
    assert value == pytest.approx(max(expected.values()), abs=1e-9)
    assert choice.line[0] == choice.move


@AGENTS
def test_an_analysis_has_every_legal_move(agent: str) -> None:
    position = reached(CONNECT4, 9, 2)
    analysis = boardgames.load_player(agent, CONNECT4).analyse(position, Limit(depth=3))
    assert sorted(entry.move.action for entry in analysis.moves) == list(position.actions)
    assert analysis.position == position


@AGENTS
def test_a_choice_with_a_node_limit_is_repeatable(agent: str) -> None:
    choices = [
        boardgames.load_player(f"{agent}:nodes=3000", ABALONE).choose(ABALONE.start()) for _ in range(3)
    ]
    assert len({(choice.move, choice.score, choice.nodes, choice.line) for choice in choices}) == 1


@AGENTS
def test_a_stop_set_before_the_start_gives_a_legal_move(agent: str) -> None:
    stop = Stop()
    stop.set()
    choice = boardgames.load_player(agent, ABALONE).choose(ABALONE.start(), context=Context(stop=stop))
    assert choice.move in ABALONE.start().legal_moves


@AGENTS
def test_a_stop_from_another_thread_ends_the_choice(agent: str) -> None:
    stop = Stop()

    def report(choice: Choice) -> None:
        threading.Thread(target=stop.set).start()

    limit = Limit(depth=50)
    context = Context(stop=stop, report=report)
    choice = boardgames.load_player(agent, ABALONE).choose(ABALONE.start(), limit, context)
    assert choice.move in ABALONE.start().legal_moves
    assert choice.depth < 50


@AGENTS
def test_an_interrupt_ends_the_choice_and_is_raised(agent: str) -> None:
    player = boardgames.load_player(agent, ABALONE)
    player.choose(ABALONE.start(), Limit(depth=1))  # compile everything first
    with interrupted():
        player.choose(ABALONE.start(), Limit(depth=50))


@AGENTS
def test_choosing_a_move_after_the_end_raises(agent: str) -> None:
    game = boardgames.load("tictactoe")
    with pytest.raises(MatchError, match="is over"):
        boardgames.load_player(agent, game).choose(game.parse("xxx/oo./..."))


@AGENTS
def test_a_position_of_another_game_is_rejected(agent: str) -> None:
    # the evaluation would read beyond the end of the words
    with pytest.raises(PositionError, match="not a position of <game abalone"):
        boardgames.load_player(agent, ABALONE).choose(CONNECT4.start(), Limit(depth=1))


@pytest.mark.parametrize(
    ("position", "accepts"),
    [
        pytest.param(CONNECT4.parse("22334"), (False, True), id="first side wins"),
        pytest.param(CONNECT4.parse("722334"), (True, False), id="second side wins"),
        pytest.param(boardgames.load("tictactoe").start(), (True, True), id="nobody wins"),
    ],
)
def test_a_side_that_is_not_better_accepts_a_draw(position: Position, accepts: tuple[bool, bool]) -> None:
    player = boardgames.load_player("alphabeta:depth=6", position.game)
    assert tuple(player.accepts_draw(position, side) for side in (0, 1)) == accepts


def test_a_draw_offer_changes_no_later_move() -> None:
    asked, left = (boardgames.load_player("alphabeta:nodes=3000,book=false", ABALONE) for _ in range(2))
    position = ABALONE.start()
    for _ in range(6):
        asked.accepts_draw(position, 1 - position.side_to_move)
        choices = [player.choose(position) for player in (asked, left)]
        assert choices[0].nodes == choices[1].nodes
        assert choices[0].move is not None
        assert choices[0].move == choices[1].move
        position = position.apply(choices[0].move)


def test_a_closed_player_can_be_used_again() -> None:
    player = boardgames.load_player("alphabeta:depth=3", CONNECT4)
    first = player.choose(CONNECT4.start())
    player.close()
    player.close()
    again = player.choose(CONNECT4.start())
    assert (again.move, again.nodes) == (first.move, first.nodes)


def test_a_draw_is_not_accepted_after_the_end() -> None:
    game = boardgames.load("tictactoe")
    assert not boardgames.load_player("alphabeta", game).accepts_draw(game.parse("xxx/oo./..."), 1)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("alphabeta:depth=0", "depth must be 1 to 100, not '0'"),
        ("alphabeta:depth=four", "depth must be an integer, not 'four'"),
        ("minimax:time=0", "time must be "),
        ("minimax:nodes=-1", "nodes must be "),
        ("alphabeta:deep=3", "agent 'alphabeta' has no option 'deep'; did you mean 'depth'"),
    ],
)
def test_an_invalid_option_is_rejected(agent: str, message: str) -> None:
    with pytest.raises(OptionError) as raised:
        boardgames.load_player(agent, CONNECT4)
    assert message in str(raised.value)


def test_an_agent_with_an_evaluation_of_its_own_uses_it() -> None:
    class Blind(AlphaBeta):
        name = "blind"

        def evaluation(self) -> boardgames.Evaluation:
            return NO_EVALUATION

    choice = Blind(ABALONE).choose(ABALONE.start(), Limit(depth=2))
    assert choice.score == Score.of(0.0, RETURN)


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["alphabeta:book=false", "minimax", "mcts"])
def test_code_is_loaded_before_the_clock_runs(agent: str) -> None:
    program = [sys.executable, "-c", LOADED_WHILE_THINKING, agent]
    assert subprocess.run(program, capture_output=True, text=True, check=True).stdout.split() == ["True", "0"]
