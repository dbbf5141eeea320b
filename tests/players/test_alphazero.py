"""The agents `alphazero` and `policy`: moves, limits, reports, and networks that do not fit."""

from pathlib import Path

import numpy as np
import pytest
from maze import Maze, random_maze

import boardgames
from boardgames.declarations import Repetition
from boardgames.errors import OptionError, UnknownNameError, WeightsError
from boardgames.game import Game
from boardgames.networks import Network, NetworkShape
from boardgames.player import Choice, Context, Limit, Player, Stop
from boardgames.players.alphazero import AlphaZero, Policy


def network_of(game: Game, seed: int = 1) -> Network:
    return Network.random(game, NetworkShape.of(game, channels=4, blocks=1), seed=seed)


@pytest.fixture
def connect4(tmp_path: Path) -> tuple[Game, Path]:
    game = boardgames.load("connect4", columns=5, rows=4)
    path = tmp_path / "network.safetensors"
    network_of(game).write(path)
    return game, path


def agent(connect4: tuple[Game, Path], text: str = "alphazero:simulations=60") -> Player:
    game, path = connect4
    return boardgames.load_player(f"{text}{',' if ':' in text else ':'}weights={path}", game)


@pytest.mark.parametrize(
    ("moves", "expected"), [("1 5 1 5 1", "1"), ("1 5 1 5 1 2 2 4", "1"), ("1 5 2 5 1 5", "5")]
)
def test_it_wins_at_once_and_prevents_a_loss(connect4: tuple[Game, Path], moves: str, expected: str) -> None:
    game, _ = connect4
    position = game.start().apply_moves(moves)
    choice = agent(connect4).choose(position)
    assert str(choice.move) == expected


@pytest.mark.parametrize("moves", ["1 5 1 5 1 2", "1 5 1 5 2 5 4"])
def test_a_win_is_proven_from_either_seat(connect4: tuple[Game, Path], moves: str) -> None:
    game, _ = connect4
    analysis = agent(connect4).analyse(game.start().apply_moves(moves))
    assert analysis.proven
    assert analysis.score.to_return() == 1
    assert analysis.moves[0].proven
    assert analysis.favours_draw(1 - analysis.position.side_to_move)
    assert not analysis.favours_draw(analysis.position.side_to_move)


def test_an_analysis_has_all_moves_with_their_visits_priors_and_lines(connect4: tuple[Game, Path]) -> None:
    game, _ = connect4
    analysis = agent(connect4).analyse(game.start())
    assert {value.move for value in analysis.moves} == set(game.start().legal_moves)
    assert sum(value.visits or 0 for value in analysis.moves) == analysis.simulations == 60
    alone = agent(connect4, "policy").analyse(game.start())
    assert alone.network_value == alone.score
    assert analysis.network_value is not None
    assert analysis.network_value.to_return() == pytest.approx(alone.score.to_return(), abs=1e-5)
    priors = {value.move: value.prior for value in alone.moves}
    assert {value.move: value.prior for value in analysis.moves} == pytest.approx(priors, abs=1e-5)
    assert sum(value.prior or 0 for value in analysis.moves) == pytest.approx(1, abs=1e-5)
    for value in analysis.moves:
        position = game.start()
        for move in value.line:
            position = position.apply(move)
    assert len(agent(connect4).analyse(game.start(), lines=2).moves) == 2


def test_a_network_that_is_not_asked_says_nothing(connect4: tuple[Game, Path]) -> None:
    game, _ = connect4
    analysis = agent(connect4).analyse(game.start().apply_moves("1 5 1 5 1 5"))
    assert (analysis.proven, analysis.network_value) == (True, None)


def test_equal_simulations_give_equal_moves(connect4: tuple[Game, Path]) -> None:
    game, _ = connect4
    position, choices = game.start(), []
    for _ in range(2):
        player = agent(connect4)
        choices.append([str(player.choose(position.apply_moves(text)).line) for text in ("1", "1 2", "3 3")])
    assert choices[0] == choices[1]


@pytest.mark.parametrize("name", ["alphazero", "policy"])
def test_a_shipped_network_for_another_board_is_refused_before_the_match(name: str) -> None:
    game = boardgames.load("connect4", layout="8x7")
    expected = r"^cannot use the network 'alphazero': .* columns=7, not for 8; train one with .*weights=RUN$"
    with pytest.raises(OptionError, match=expected):
        boardgames.load_player(name, game)


def test_each_level_makes_twice_as_many_simulations(connect4: tuple[Game, Path]) -> None:
    game, _ = connect4
    made = [
        agent(connect4, f"alphazero:level={level}").choose(game.start()).simulations for level in (1, 2, 10)
    ]
    assert made == [1, 2, 512]
    assert agent(connect4, "alphazero:level=10,simulations=9").choose(game.start()).simulations == 9


def test_limits_and_stops_end_the_search(connect4: tuple[Game, Path]) -> None:
    game, _ = connect4
    player = agent(connect4, "alphazero:leaves=4")
    assert player.choose(game.start(), Limit(simulations=9)).simulations == 9
    assert player.choose(game.start(), Limit(nodes=7)).simulations == 7
    stop, reports = Stop(), list[Choice]()
    stop.set()
    choice = player.choose(game.start(), Limit(seconds=60), Context(stop=stop, report=reports.append))
    assert choice.move in game.start().legal_moves
    assert reports[-1].move == choice.move
    assert player.choose(game.start(), Limit(seconds=0.01)).move in game.start().legal_moves


def test_moves_that_repetition_forbids_are_not_chosen(tmp_path: Path) -> None:
    game = Maze(rooms=random_maze(3))
    network = network_of(game)
    network.write(tmp_path / "maze.safetensors")
    player = AlphaZero(game, weights=str(tmp_path / "maze.safetensors"), simulations=30)
    policy = Policy(game, weights=str(tmp_path / "maze.safetensors"))
    rule = Repetition("forbidden", 2)
    generator = np.random.default_rng(1)
    tried = 0
    for _ in range(20):
        history = [game.start()]
        while history[-1].outcome is None and len(history) < 8:
            context = Context(history=tuple(history[:-1]), repetition=rule)
            allowed = context.legal_actions(history[-1])
            if not allowed:
                break
            if len(allowed) < len(history[-1].actions):
                tried += 1
                for one in (player, policy):
                    move = one.choose(history[-1], context=context).move
                    assert move is not None
                    assert move.action in allowed
            history.append(history[-1].apply_action(int(generator.choice(allowed))))
    assert tried > 0


def test_policy_plays_the_most_likely_move(connect4: tuple[Game, Path]) -> None:
    game, path = connect4
    position = game.start().apply_moves("1 1 1 1")  # the first column is full
    policies, _ = Network.read(path).evaluate(position.observation()[None])
    analysis = agent(connect4, "policy").analyse(position)
    legal = list(position.actions)
    assert 0 not in legal
    assert analysis.moves[0].move.action == legal[int(policies[0, legal].argmax())]
    assert sum(value.prior or 0 for value in analysis.moves) == pytest.approx(1, abs=1e-5)


def test_a_draw_is_accepted_when_nothing_better_is_expected(connect4: tuple[Game, Path]) -> None:
    game, _ = connect4
    position = game.start().apply_moves("1 5 1 5 1 2")  # the side to move wins
    player = agent(connect4)
    assert not player.accepts_draw(position, 0)
    assert player.accepts_draw(position, 1)


def test_networks_that_do_not_fit_are_refused(connect4: tuple[Game, Path], tmp_path: Path) -> None:
    _, path = connect4
    with pytest.raises(OptionError, match="train one with 'boardgames train abalone --learner alphazero'"):
        boardgames.load_player("alphazero", boardgames.load("abalone"))
    with pytest.raises(WeightsError, match="columns"):
        boardgames.load_player(f"alphazero:weights={path}", boardgames.load("connect4"))
    with pytest.raises(WeightsError, match="for 'connect4', not for hexifence"):
        boardgames.load_player(f"alphazero:weights={path}", boardgames.load("hexifence"))
    with pytest.raises(UnknownNameError):
        boardgames.load_player("alphazero:weights=nothing", boardgames.load("connect4"))
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(WeightsError, match="damaged"):
        agent(connect4)
