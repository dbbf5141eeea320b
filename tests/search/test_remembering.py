"""Rules about repetition in searches, compared with full minimax over whole histories."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from maze import Maze, PlainMaze, random_maze
from reference.superko import best_moves

from boardgames.declarations import NO_EVALUATION, Repetition
from boardgames.errors import MatchError
from boardgames.game import Game, Position
from boardgames.match_setup import MatchSetup
from boardgames.player import Context, Limit
from boardgames.plugins import load_player
from boardgames.search import playouts
from boardgames.search.remembering import remembering

RULES = ("draw:2", "draw:3", "loss:2", "loss:3", "forbidden:2", "forbidden:3")
QUICK = ("draw:2", "draw:3", "loss:2", "forbidden:2")
"""Rules for which the reference is quick."""
PLAIN = ("loss:2", "loss:3", "forbidden:2", "forbidden:3")
"""Rules for which the searches are quick without compilation, too."""
DEEP = Limit(depth=60)
MANY = Limit(simulations=5_000)


def mazes(
    rule: str, kind: type[Game], count: int, rooms: int
) -> Iterator[tuple[Position, tuple[Position, ...]]]:
    """Yield positions of random mazes with the positions of a match before them."""
    for seed in range(count):
        game = kind(repetition=rule, again=seed % 3 == 0, draws=seed % 2 == 0, rooms=random_maze(seed, rooms))
        match = MatchSetup(game, (None, None), ply_limit=60).start_match()
        generator = random.Random(seed)
        for _ in range(seed % 6):
            if match.outcome is None:
                match.make_move(match.side_to_move, generator.choice(match.legal_moves))
        if match.outcome is None:
            yield match.position, match.positions[:-1]


@cache
def solved_mazes(
    rule: str, kind: type[Game]
) -> list[tuple[Position, tuple[Position, ...], int, dict[str, int]]]:
    """Return positions with their history, the result of best play and that of each move."""
    count, is_quick = (30, rule in QUICK) if kind is Maze else (14, rule in QUICK and rule != "draw:3")
    return [
        (position, history, *best_moves(position, history, Repetition.parse(rule)))
        for position, history in mazes(rule, kind, count, 4 if is_quick else 3)
    ]


CASES = [
    *(pytest.param(Maze, rule, marks=[pytest.mark.plain] if rule in PLAIN else []) for rule in RULES),
    *((PlainMaze, rule) for rule in ("draw:3", "loss:2", "forbidden:2")),
]


@pytest.mark.parametrize(("kind", "rule"), CASES)
@pytest.mark.parametrize(
    "agent", ["alphabeta:table=1", "alphabeta:table=0,repetition=false", "mcts:memory=8"]
)
def test_choices_agree_with_full_minimax(agent: str, rule: str, kind: type[Game]) -> None:
    results, sides = set(), set()
    counts_first_repetition, proven = agent == "alphabeta:table=1" and rule.startswith("draw"), 0
    for position, history, best, values in solved_mazes(rule, kind):
        player = load_player(agent, position.game, seed=1)
        choice = player.choose(position, MANY if agent.startswith("mcts") else DEEP, Context(history=history))
        player.close()
        assert choice.move is not None
        assert choice.score is not None
        assert values[choice.move.text] == best, (position, rule, values)
        if choice.proven:
            assert choice.score.sign == best
            proven += 1
        results.add(best)
        sides.add(position.side_to_move)
    assert sides == {0, 1}
    assert len(results) > 1 or kind is PlainMaze
    assert proven > 5 or counts_first_repetition  # such a draw is never proven


@pytest.mark.plain
@pytest.mark.parametrize("rule", ["loss:2", "forbidden:2"])
def test_all_moves_are_analysed_except_forbidden_ones(rule: str) -> None:
    for position, history in mazes(rule, Maze, 30, 4):
        _, values = best_moves(position, history, Repetition.parse(rule))
        for agent in ("alphabeta:table=1", "mcts:memory=8"):
            player = load_player(agent, position.game, seed=1)
            limit = DEEP if agent.startswith("alphabeta") else MANY
            analysis = player.analyse(position, limit, Context(history=history))
            assert {one.move.text for one in analysis.moves} == values.keys()
            for one in analysis.moves:
                assert not one.proven or one.score.sign == values[one.move.text]


@pytest.mark.plain
def test_a_search_without_an_allowed_move_says_that_the_match_is_over() -> None:
    game = Maze(repetition="forbidden", rooms="a:0:b..,a..")
    start = game.start()
    dead_end, history = start.apply("b"), (start,)
    for agent in ("alphabeta:table=1", "mcts:memory=8", "random"):
        with pytest.raises(MatchError, match="the match is over: repetition forbids every move"):
            load_player(agent, game).choose(dead_end, Limit(depth=2, nodes=10), Context(history=history))


@pytest.mark.plain
@pytest.mark.parametrize("agent", ["alphabeta:table=1", "mcts:memory=8"])
def test_the_rule_of_the_match_replaces_that_of_the_game(agent: str) -> None:
    # ann can only go to b and back, unless she leaves by the exit that bob wins
    game = Maze(repetition="loss", rooms="a:0:bY.,a..")
    start = game.start()
    player = load_player(agent, game, seed=1)
    scores = [
        player.choose(start, MANY if agent.startswith("mcts") else DEEP, Context(repetition=rule)).score
        for rule in (None, Repetition("draw", 2), Repetition("loss", 3), Repetition("forbidden"))
    ]
    assert [score.sign for score in scores if score is not None] == [1, 0, 1, 1]


@pytest.mark.plain
def test_a_tree_is_not_kept_for_a_position_that_has_occurred_before() -> None:
    for position, history in mazes("loss:2", Maze, 20, 4):
        fresh = load_player("mcts:memory=8", position.game, seed=1)
        first = fresh.choose(position, MANY, Context(history=history))
        again = fresh.choose(position, MANY, Context(history=(*history, position)))
        best, values = best_moves(position, (*history, position), Repetition("loss"))
        assert again.move is not None
        assert values[again.move.text] == best
        assert first.move is not None


@pytest.mark.plain
def test_random_playouts_obey_repetition() -> None:
    rooms = "a:0:b..,a.."
    results = {
        rule: playouts(Maze(repetition=rule, rooms=rooms).start(), 10)
        for rule in ("", "draw:3", "draw:5", "loss", "forbidden")
    }
    assert (results[""].unfinished, results[""].plies) == (10, 600)  # 60 plies is the limit of the game
    assert (results["draw:3"].draws, results["draw:3"].plies) == (10, 40)
    assert (results["draw:5"].draws, results["draw:5"].plies) == (10, 80)
    assert (results["loss"].wins, results["loss"].plies) == ((10, 0), 20)  # bob leads back to the start
    assert (results["forbidden"].wins, results["forbidden"].plies) == ((10, 0), 10)  # and may not here


@pytest.mark.plain
def test_a_packed_position_is_the_same_whether_it_was_reached_by_kernels_or_packed() -> None:
    for position, history in mazes("forbidden:2", Maze, 10, 4):
        rules = remembering(position.game, Repetition("forbidden"), 5)
        line = [*history, position]
        words = rules.pack(line[0])
        for before, after in pairwise(line):
            move = next(move for move in before.legal_moves if before.apply(move) == after)
            successor = np.zeros_like(words)
            rules.game.kernels.apply(words, move.action, successor)
            words = successor
        assert np.array_equal(words, rules.pack(position, history))


@pytest.mark.plain
def test_the_oldest_positions_are_overwritten_when_there_is_no_more_room() -> None:
    game = Maze(repetition="draw:3", rooms="a:0:b..,a..")
    rules, position, history = remembering(game, Repetition("draw", 1000), 5), game.start(), []
    for _ in range(300):
        history.append(position)
        position = position.apply(position.legal_moves[0])
    words, successor = rules.pack(position, history), np.zeros(rules.game.facts.words, dtype=np.uint64)
    rules.game.kernels.apply(words, position.legal_moves[0].action, successor)
    after = position.apply(position.legal_moves[0])
    assert np.array_equal(successor, rules.pack(after, (*history, position)))


@pytest.mark.plain
def test_an_evaluation_knows_an_end_by_repetition() -> None:
    game = Maze(repetition="loss", rooms="a:0:b..,a..")
    rules = remembering(game, Repetition("loss"), 5)
    evaluation = rules.evaluation(NO_EVALUATION)
    words, values = rules.pack(game.start()), []
    for action in (1, 0):  # to b, and back to the start, for which bob loses
        successor = np.zeros_like(words)
        rules.game.kernels.apply(words, action, successor)
        words = successor
        values.append(float(evaluation.kernel(words, evaluation.weights)))
    assert values == [0.0, 1.0]
