"""Random and greedy: uniform choice, seeds, and the best move one ply ahead by brute force."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from nim import Nim
from reference.minimax import cases, minimax_values, reached, search_value

import boardgames
from boardgames.errors import MatchError, PositionError, UnknownNameError
from boardgames.game import Game, Position
from boardgames.player import Analysis, Limit
from boardgames.search.alphabeta.searcher import Searcher

CONNECT4 = boardgames.load("connect4")
CASES = cases()
DEVIATIONS = 5
"""A seeded test that fails by chance would do so once in a million seeds."""


@pytest.mark.parametrize("text", ["", "1111", "111111"], ids=["start", "later", "a full column"])
def test_random_plays_every_legal_move_equally_often(text: str) -> None:
    position, times = CONNECT4.parse(text or "-"), 3000
    player = boardgames.load_player("random", CONNECT4, seed=5)
    counts = Counter(player.choose(position).move for _ in range(times))
    assert set(counts) == set(position.legal_moves)
    chance = 1 / len(position.legal_moves)
    deviation = np.sqrt(times * chance * (1 - chance))
    assert all(abs(count - times * chance) < DEVIATIONS * deviation for count in counts.values())


@pytest.mark.parametrize("agent", ["random", "greedy"])
def test_the_seed_determines_the_match(agent: str) -> None:
    assert self_play(agent, 7) == self_play(agent, 7)
    assert len({self_play(agent, seed) for seed in range(6)}) > 1


def self_play(agent: str, seed: int) -> tuple[str, ...]:
    """Return the moves of a match of an agent against itself."""
    game = boardgames.load("connect4", columns=5, rows=4)
    player, position = boardgames.load_player(agent, game, seed=seed), game.start()
    moves: list[str] = []
    while position.outcome is None:
        moves.append(str(player.choose(position).move))
        position = position.apply(moves[-1])
    return tuple(moves)


def test_greedy_gets_ready_before_its_clock_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    searched, search = list[Position](), Searcher.search

    def recorded(self: Searcher, position: Position, *arguments: Any, **more: Any) -> Analysis:
        searched.append(position)
        return search(self, position, *arguments, **more)

    monkeypatch.setattr(Searcher, "search", recorded)
    player = boardgames.load_player("greedy", CONNECT4, seed=1)
    player.match_started(0)
    assert searched, "the first search loads or compiles kernels"


@pytest.mark.parametrize("name", CASES)
def test_greedy_plays_a_best_move_one_ply_ahead(name: str) -> None:
    position, _ = CASES[name]
    player = boardgames.load_player("greedy", position.game, seed=1)
    values = dict(zip(position.actions, minimax_values(position, 1), strict=True))
    best = max(values.values())
    choice = player.choose(position)
    assert choice.move is not None
    assert values[choice.move.action] == pytest.approx(best, abs=1e-9)
    assert choice.score is not None
    value = search_value(choice.score, position.game.evaluation.scale)
    assert value == pytest.approx(best, abs=1e-9)
    assert (choice.depth, choice.line) == (1, (choice.move,))


def test_greedy_breaks_ties_at_random() -> None:
    position = boardgames.load("tictactoe").start()
    player = boardgames.load_player("greedy", position.game, seed=1)
    assert {player.choose(position).move for _ in range(200)} == set(position.legal_moves)


def test_greedy_values_every_move() -> None:
    position = reached(CONNECT4, 12, 3)
    analysis = boardgames.load_player("greedy", CONNECT4).analyse(position, Limit(depth=5))
    assert analysis.depth == 1
    assert sorted(entry.move.action for entry in analysis.moves) == list(position.actions)


def test_greedy_takes_a_win() -> None:
    assert str(boardgames.load_player("greedy", CONNECT4).choose(CONNECT4.parse("112233")).move) == "4"


@pytest.mark.parametrize("agent", ["random", "greedy"])
def test_choosing_a_move_after_the_end_raises(agent: str) -> None:
    game = boardgames.load("tictactoe")
    with pytest.raises(MatchError, match="is over"):
        boardgames.load_player(agent, game).choose(game.parse("xxx/oo./..."))


@pytest.mark.parametrize("agent", ["random", "greedy"])
@pytest.mark.parametrize("other", [Nim(), boardgames.load("connect4", columns=6)], ids=["game", "options"])
def test_a_position_of_another_game_is_rejected(agent: str, other: Game) -> None:
    position: Position = other.start()
    with pytest.raises(PositionError, match="connect4"):
        boardgames.load_player(agent, CONNECT4).choose(position)


def test_random_cannot_analyse() -> None:
    with pytest.raises(boardgames.BoardgamesError, match="'random'"):
        boardgames.load_player("random", CONNECT4).analyse(CONNECT4.start())


def test_ntuple_says_how_to_train_weights_if_a_game_ships_none() -> None:
    message = "has no weights for 'ntuple'; train some with --learner ntuple"
    game = boardgames.load("tictactoe")
    with pytest.raises(UnknownNameError, match=message):
        boardgames.load_player("ntuple", game)


def test_ntuple_rejects_a_game_without_patterns() -> None:
    with pytest.raises(
        UnknownNameError, match=r"hexifence.* has no patterns, which the agent 'ntuple' needs"
    ):
        boardgames.load_player("ntuple", boardgames.load("hexifence"))


def test_ntuple_names_weights_that_are_not_found() -> None:
    with pytest.raises(UnknownNameError, match="no such weights, run or file 'ntupel'"):
        boardgames.load_player("ntuple:weights=ntupel", CONNECT4)
