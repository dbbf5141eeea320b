"""Principal variation search: equal to unpruned minimax when nothing is pruned, and sound when it prunes."""

from dataclasses import replace

import numpy as np
import pytest
from nim import Nim
from reference.minimax import cases, minimax_value, minimax_values, reached, search_value
from reference.repetition import NOISE, value_with_repetition
from reference.searching import CASES, EXACT, Case, lone_marbles, near_pushes, oracle, searcher_for

import boardgames
from boardgames.declarations import NO_EVALUATION
from boardgames.game import Move, Position
from boardgames.kernels import FORCING, Words
from boardgames.kernels.bundles import Bundle
from boardgames.player import NO_CONTEXT, Analysis, Context, Limit
from boardgames.score import Score
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.search import (
    is_repetition,
    is_searched_elsewhere,
    is_threatened,
    nth_best,
    reduction,
    uses_table,
)
from boardgames.search.alphabeta.searcher import Searcher
from boardgames.search.alphabeta.workspace import REDUCTIONS
from boardgames.search.minimax import minimax
from boardgames.search.rules import INFINITY
from boardgames.selfplay.contest import new_workspaces

NAMES = pytest.mark.parametrize("name", CASES)
DEPTH_ONLY = replace(EXACT, quiescence=0, extensions=False)
"""The techniques that a search may use when it is compared with a reference that detects repetitions."""
ABALONE = boardgames.load("abalone")
PLAIN = SearchOptions.plain()


def values(analysis: Analysis) -> dict[int, float]:
    """Return the search value of each action."""
    scale = analysis.position.game.evaluation.scale
    return {entry.move.action: search_value(entry.score, scale) for entry in analysis.moves}


def value(analysis: Analysis) -> float:
    """Return the search value of the best move."""
    return search_value(analysis.score, analysis.position.game.evaluation.scale)


def searched(
    position: Position, depth: int, options: SearchOptions, *, lines: int | None = 1, node: object = None
) -> Analysis:
    """Return a search of a position with the game's own evaluation."""
    kernel = {} if node is None else {"node": node}
    searcher = Searcher(position.game, position.game.evaluation, options, **kernel)  # type: ignore[arg-type]
    return searcher.search(position, Limit(depth=depth), NO_CONTEXT, lines=lines)


# --- against the oracle ------------------------------------------------------------------------------


def assert_exact(case: Case, searcher: Searcher, position: Position, depth: int) -> None:
    """Compare the best move, and then all moves, with unpruned minimax."""
    limit = Limit(depth=depth)
    result = searcher.search(position, limit, NO_CONTEXT)
    full = oracle(case, position, depth, lines=1, options=searcher.options)
    what = f"{position} to depth {depth}"
    assert value(result) == pytest.approx(value(full), abs=1e-9), what
    assert (result.depth, result.proven) == (full.depth, full.proven), what
    every = searcher.search(position, limit, NO_CONTEXT, lines=None)
    expected = values(oracle(case, position, depth, lines=None, options=searcher.options))
    assert values(every) == pytest.approx(expected, abs=1e-9), what


def assert_all_exact(case: Case, searcher: Searcher, count: int, seed: int) -> None:
    """Search `count` positions one after another with the same table."""
    for position, depth in case.positions(count, seed):
        assert_exact(case, searcher, position, depth)


@NAMES
def test_values_agree_with_the_oracle(name: str) -> None:
    assert_all_exact(CASES[name], searcher_for(CASES[name]), 8, 1)


@pytest.mark.slow
@NAMES
def test_values_of_many_positions_agree_with_the_oracle(name: str) -> None:
    assert_all_exact(CASES[name], searcher_for(CASES[name]), 30, 2)


@NAMES
def test_two_threads_find_the_values_of_the_oracle(name: str) -> None:
    assert_all_exact(CASES[name], searcher_for(CASES[name], threads=2), 3, 3)


@pytest.mark.slow
@NAMES
def test_two_threads_find_the_values_of_the_oracle_in_many_positions(name: str) -> None:
    assert_all_exact(CASES[name], searcher_for(CASES[name], threads=2), 10, 4)


@pytest.mark.parametrize("name", ["abalone near pushes", "connect4 of 5 x 4", "hexifence to the end"])
@pytest.mark.parametrize(
    "option",
    [
        {"table": 0},
        {"quiescence": 0},
        {"quiescence": 1},
        {"pvs": False},
        {"aspiration": False},
        {"killers": False},
        {"history": False},
        {"extensions": False},
        {"repetition": False},
        {"symmetry": True},
    ],
    ids=lambda option: "=".join(map(str, *option.items())),
)
def test_values_do_not_depend_on_any_technique(name: str, option: dict[str, object]) -> None:
    assert_all_exact(CASES[name], searcher_for(CASES[name], **option), 3, 5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tictactoe", "connect4 of 4 x 4", "connect4", "abalone near pushes"])
def test_values_of_many_positions_are_exact_with_symmetric_keys(name: str) -> None:
    assert_all_exact(CASES[name], searcher_for(CASES[name], symmetry=True), 25, 6)


@pytest.mark.plain
@pytest.mark.parametrize("name", ["tictactoe", "nim", "abalone near pushes"])
def test_values_are_exact_without_compilation_too(name: str) -> None:
    case = replace(CASES[name], depth=2)
    assert_all_exact(case, searcher_for(case), 2, 7)


# --- plain alpha-beta: every technique switched off --------------------------------------------------

PLAIN_CASES = cases()
WHOLE = ("tictactoe", "connect4 of 4 x 4", "connect4", "hexifence", "hexifence to the end", "abalone", "nim")


@pytest.mark.parametrize("name", WHOLE)
def test_plain_alpha_beta_finds_every_value_of_minimax_in_fewer_nodes(name: str) -> None:
    nodes = [0, 0]
    for position, depth in CASES[name].positions(4, 8):
        best, expected = (searched(position, depth, PLAIN, node=node) for node in (None, minimax))
        assert value(best) == pytest.approx(value(expected), abs=1e-9)
        assert best.proven == expected.proven
        nodes = [nodes[0] + best.nodes, nodes[1] + expected.nodes]
        every, expected = (
            searched(position, depth, PLAIN, node=node, lines=None) for node in (None, minimax)
        )
        assert values(every) == pytest.approx(values(expected), abs=1e-9)
    assert nodes[0] <= nodes[1]


def test_alpha_beta_visits_a_fifth_of_the_nodes_of_minimax() -> None:
    pruned, full = (searched(ABALONE.start(), 3, PLAIN, node=node) for node in (None, minimax))
    assert pruned.nodes < full.nodes / 5


@pytest.mark.plain
@pytest.mark.parametrize("name", ["hexifence to the end 0", "connect4 of 4 x 4 0", "nim"])
def test_plain_alpha_beta_finds_the_values_of_the_slow_reference(name: str) -> None:
    position, depth = PLAIN_CASES[name]
    result = searched(position, depth, PLAIN)
    expected = max(minimax_values(position, result.depth))
    assert value(result) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("lines", [1, None], ids=["best move", "all moves"])
@pytest.mark.parametrize("name", PLAIN_CASES)
def test_lines_are_legal_and_end_in_a_position_of_their_value(name: str, lines: int | None) -> None:
    position, depth = PLAIN_CASES[name]
    analysis = searched(position, depth, PLAIN, lines=lines)
    for entry in analysis.moves:
        assert entry.line[0] == entry.move
        end = position
        for move in entry.line:
            end = end.apply(str(move))
        assert len(entry.line) == analysis.depth or end.outcome is not None
        left = analysis.depth - len(entry.line)
        expected = minimax_value(end, position.side_to_move, left, ply=len(entry.line))
        assert values(analysis)[entry.move.action] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", PLAIN_CASES)
def test_every_legal_move_is_valued_once_best_first(name: str) -> None:
    position, depth = PLAIN_CASES[name]
    result = searched(position, depth, PLAIN, lines=None)
    ordered = [entry.score for entry in result.moves]
    assert sorted(entry.move.action for entry in result.moves) == list(position.actions)
    assert ordered == sorted(ordered, reverse=True)
    assert result.score == ordered[0]


# --- wins, losses and margins ------------------------------------------------------------------------

WON = [
    pytest.param(boardgames.load("connect4").parse("112233"), "4", id="connect4"),
    pytest.param(boardgames.load("tictactoe").parse("xx./oo./..."), "c3", id="tictactoe"),
    pytest.param(
        ABALONE.parse("w..../b...../b....../......../........./......../......./....../.....:b:0:5"),
        "g3h4",
        id="abalone",
    ),
]


@pytest.mark.parametrize(("position", "move"), WON)
def test_a_win_is_found_and_proven(position: Position, move: str) -> None:
    result = searched(position, 4, PLAIN)
    assert (result.score, result.proven, result.depth) == (Score.win(1), True, 1)
    assert str(result.moves[0].move) == move


def test_a_loss_is_proven() -> None:
    # red has three in the bottom row with both ends open, and blue is to move
    result = searched(boardgames.load("connect4").parse("22334"), 6, PLAIN)
    assert (result.score, result.proven, result.depth) == (Score.loss(2), True, 2)


def test_an_estimate_is_not_proven() -> None:
    assert not searched(boardgames.load("connect4").start(), 3, PLAIN).proven


def test_a_match_searched_to_its_end_is_proven() -> None:
    result = searched(boardgames.load("tictactoe").parse("xox/.o./.x."), 9, PLAIN)
    assert (result.score.amount, result.proven) == (0.0, True)


MATES = [
    pytest.param(boardgames.load("connect4").parse("112233"), 1, id="win in 1"),
    pytest.param(boardgames.load("connect4").parse("2233"), 3, id="win in 3"),
    pytest.param(boardgames.load("connect4").parse("22334"), -2, id="loss in 2"),
    pytest.param(Nim(again=True).parse("6:0:0:0"), 4, id="nim, win in 4"),
]


@pytest.mark.parametrize("depth", [1, 5, 9])
@pytest.mark.parametrize(("position", "plies"), MATES)
def test_a_win_is_seen_at_its_distance(position: Position, plies: int, depth: int) -> None:
    searcher = Searcher(position.game, NO_EVALUATION, DEPTH_ONLY)
    result = searcher.search(position, Limit(depth=depth), NO_CONTEXT)
    if depth < abs(plies):
        assert (result.score.amount, result.proven) == (0, False)
    else:
        expected = Score.win(plies) if plies > 0 else Score.loss(-plies)
        assert (result.score, result.proven) == (expected, True)


@pytest.mark.parametrize("node", [None, minimax], ids=["alphabeta", "minimax"])
@pytest.mark.parametrize(
    ("heap", "expected"),
    [
        ("3:0:0:0", [("take3", Score.win(1)), ("take1", Score.win(2)), ("take2", Score.win(2))]),
        ("6:0:0:0", [("take1", Score.win(4)), ("take2", Score.loss(3)), ("take3", Score.loss(2))]),
    ],
    ids=["quick wins first", "slow losses first"],
)
def test_moves_are_ordered_by_the_distance_to_the_end(
    heap: str, expected: list[tuple[str, Score]], node: object
) -> None:
    game = Nim(again=True)
    kernel = {} if node is None else {"node": node}
    searcher = Searcher(game, NO_EVALUATION, PLAIN, **kernel)  # type: ignore[arg-type]  # a kernel
    result = searcher.search(game.parse(heap), Limit(depth=9), NO_CONTEXT, lines=None)
    assert [(str(entry.move), entry.score) for entry in result.moves] == expected


@pytest.mark.parametrize("seed", range(4))
def test_margins_at_the_end_are_exact(seed: int) -> None:
    position = reached(boardgames.load("hexifence", dimension=2), 24, seed)
    result = searched(position, 9, PLAIN, lines=None)
    assert result.proven
    margins, side = values(result), position.side_to_move
    for action in position.actions:
        assert margins[action] == best_margin(position.apply(Move(action, "")), side)


def best_margin(position: Position, side: int) -> int:
    """Return the margin in cells that `side` reaches with best play, by brute force."""
    if not position.actions:
        return position.score[side] - position.score[1 - side]
    best = max if position.side_to_move == side else min
    return best(best_margin(position.apply(Move(action, "")), side) for action in position.actions)


def test_a_side_without_moves_loses() -> None:
    result = searched(Nim(stuck=True).parse("3:0:0:0"), 3, PLAIN)
    assert (result.score, str(result.moves[0].move), result.proven) == (Score.win(1), "take3", True)


def test_a_side_without_moves_draws_where_the_game_says_so() -> None:
    game = Nim(stuck=True)
    game.facts = replace(game.facts, no_moves_draws=True)
    result = searched(game.parse("3:0:0:0"), 9, PLAIN)
    assert (result.score.amount, result.proven) == (0.0, True)


# --- repetition --------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [0, 1], ids=["no table", "table"])
@pytest.mark.parametrize("depth", [2, 5, 6])
def test_values_with_repetition_agree_with_the_reference(depth: int, table: int) -> None:
    differs = 0
    for position in lone_marbles(15, depth):
        expected = value_with_repetition(position, NOISE, depth)
        searcher = Searcher(position.game, NOISE, replace(DEPTH_ONLY, table=table))
        result = searcher.search(position, Limit(depth=depth), NO_CONTEXT)
        assert search_value(result.score) == pytest.approx(expected, abs=1e-9), f"{position} to depth {depth}"
        blind = Searcher(position.game, NOISE, replace(DEPTH_ONLY, repetition=False))
        differs += blind.search(position, Limit(depth=depth), NO_CONTEXT).score != result.score
    assert (differs > 0) == (depth > 4)  # a marble is back after four plies; the horizon is not checked


@pytest.mark.slow
@pytest.mark.parametrize("depth", [7, 8])
def test_values_with_repetition_are_exact_without_a_table_at_any_depth(depth: int) -> None:
    for position in lone_marbles(20, depth):
        searcher = Searcher(position.game, NOISE, replace(DEPTH_ONLY, table=0))
        result = searcher.search(position, Limit(depth=depth), NO_CONTEXT)
        expected = value_with_repetition(position, NOISE, depth)
        assert search_value(result.score) == pytest.approx(expected, abs=1e-9), f"{position} to depth {depth}"


@pytest.mark.parametrize("passing", [3, 6, 9])
def test_values_with_repetition_are_exact_where_a_side_may_pass(passing: int) -> None:
    game = Nim(passing=True)
    for depth in (2, 4, 7):
        position = game.parse(f"{passing}:0:0:0")
        searcher = Searcher(game, NO_EVALUATION, replace(DEPTH_ONLY, table=0))
        result = searcher.search(position, Limit(depth=depth), NO_CONTEXT)
        assert search_value(result.score) == value_with_repetition(position, NO_EVALUATION, result.depth)


@pytest.mark.parametrize("depth", [2, 4])
def test_earlier_positions_of_the_match_count_as_repeated(depth: int) -> None:
    differs = 0
    for start in lone_marbles(6, depth + 10):
        searcher, history, position = Searcher(start.game, NOISE, DEPTH_ONLY), list[Position](), start
        for _ in range(6):
            context = Context(history=tuple(history))
            result = searcher.search(position, Limit(depth=depth), context)
            expected = value_with_repetition(position, NOISE, depth, history)
            assert search_value(result.score) == pytest.approx(expected, abs=1e-9)
            differs += expected != value_with_repetition(position, NOISE, depth)
            history.append(position)
            position = position.apply(result.moves[0].move)
    assert differs


def chosen(
    position: Position, history: tuple[Position, ...], depth: int, options: SearchOptions = DEPTH_ONLY
) -> tuple[Position, float]:
    """Return the position after the best move, and its value."""
    searcher = Searcher(position.game, NOISE, options)
    result = searcher.search(position, Limit(depth=depth), Context(history=history))
    return position.apply(result.moves[0].move), search_value(result.score)


def test_a_side_that_is_ahead_avoids_a_repetition() -> None:
    tried = 0
    for position in lone_marbles(30, 1):
        favourite, ahead = chosen(position, (), 3)
        again, later = chosen(position, (favourite,), 3)
        if ahead > 0 and later > 0:
            tried += 1
            assert again != favourite
    assert tried > 3


def test_a_side_that_is_behind_repeats() -> None:
    tried = 0
    for position in lone_marbles(60, 2):
        _, behind = chosen(position, (), 2)
        if behind < 0:
            tried += 1
            known = position.apply(Move(position.actions[-1], ""))
            assert chosen(position, (known,), 2) == (known, 0.0)
            assert chosen(position, (known,), 2, replace(DEPTH_ONLY, repetition=False))[1] == behind
    assert tried > 3


def test_a_draw_by_repetition_is_not_proven() -> None:
    game = Nim(passing=True)
    searcher = Searcher(game, NO_EVALUATION, DEPTH_ONLY)
    result = searcher.search(game.parse("4:0:0:0"), Limit(depth=3), NO_CONTEXT)
    assert (result.score.amount, result.proven) == (0.0, False)


def keys(*threads: str) -> Words:
    """Return the keys of each thread's path, a letter for each ply."""
    letters = "".join(path.ljust(LONGEST, ".") for path in threads)
    return np.array([ord(letter) for letter in letters], dtype=np.uint64)


LONGEST = 6


@pytest.mark.plain
@pytest.mark.parametrize(
    ("path", "place", "repeats"),
    [("abcad", 3, True), ("abcad", 4, False), ("aab", 1, False), ("abab", 3, True), ("a", 0, False)],
)
def test_a_position_repeats_if_it_occurred_two_plies_earlier_or_more(
    path: str, place: int, repeats: bool
) -> None:
    assert is_repetition(keys(path), 0, place) is repeats
    assert is_repetition(keys("xy", path), LONGEST, LONGEST + place) is repeats


@pytest.mark.plain
def test_positions_of_other_threads_are_not_repeated() -> None:
    assert not is_repetition(keys("abc", "dea"), LONGEST, LONGEST + 2)


# --- futility and reverse futility -------------------------------------------------------------------

# black needs one more marble; white can parry the threat only if it looks four plies ahead
AT_STAKE = ABALONE.parse("...../....w./.wbb.w./.b.b..bb/..bbwbb.w/..bww.w./.b.bb../....w./.....:w:0:5")
# black can trap the last white marble: a side that cannot move has lost
TRAPPED = ABALONE.parse("wb.../b...../..b..../.....bb./........./...b..../.b...b./....../....b:b:0:0")
PRUNING = SearchOptions(table=1)


def threatened(position: Position) -> bool:
    work = new_workspaces(position.game, [position.game.evaluation], 3)[0]
    work.positions[1] = position.words
    return bool(is_threatened(Bundle(work).words, 1))


def with_losses(position: Position, losses: str) -> Position:
    """Return the same board with other numbers of marbles lost."""
    board, side, *_ = str(position).split(":")
    return ABALONE.parse(f"{board}:{side}:{losses}")


def after_a_pass(position: Position) -> Position:
    board, side, *losses = str(position).split(":")
    return ABALONE.parse(":".join([board, "w" if side == "b" else "b", *losses]))


@pytest.mark.plain
@pytest.mark.parametrize("losses", ["0:0", "5:0", "0:5", "5:5"])
def test_a_side_is_threatened_if_the_opponent_would_have_a_forcing_move(losses: str) -> None:
    answers, move_order = set(), ABALONE.kernels.move_order
    for seed in range(30):
        position = with_losses(near_pushes(ABALONE, 4, np.random.default_rng(seed)), losses)
        other = after_a_pass(position)
        expected = any(move_order(other.words, action) >= FORCING for action in other.actions)
        assert threatened(position) == expected, str(position)
        answers.add(expected)
    assert (True in answers) == (losses != "0:0")


@pytest.mark.parametrize("depth", [4, 5, 6])
def test_a_side_that_could_lose_at_once_is_searched(depth: int) -> None:
    assert str(searched(AT_STAKE, depth, PRUNING).moves[0].move) in {"d7e8", "e9d8"}


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 6])
def test_a_side_that_is_about_to_be_stuck_is_searched(depth: int) -> None:
    result = searched(TRAPPED, depth, PRUNING)
    assert not TRAPPED.apply(result.moves[0].move).legal_moves
    assert result.proven


def test_futility_pruning_halves_the_nodes() -> None:
    nodes = {True: 0, False: 0}
    for seed in range(4):
        for futility in nodes:
            options = replace(PRUNING, aspiration=False, futility=futility)
            nodes[futility] += searched(reached(ABALONE, 20, seed), 6, options).nodes
    assert nodes[True] < nodes[False] / 2


@pytest.mark.plain
def test_the_table_is_used_at_depth_1_only_where_futility_does_not_prune() -> None:
    options = SearchOptions(table=0).record(ABALONE, ABALONE.evaluation)
    assert not uses_table(options, 2)
    options[0].table = 1
    assert options[0].futility_margin > 0
    assert not uses_table(options, 1)
    assert uses_table(options, 2)
    options[0].selective = 0
    assert uses_table(options, 1)
    options[0].selective, options[0].futility_margin = 1, 0.0
    assert uses_table(options, 1)


# --- null move, late-move reductions, ABDADA ---------------------------------------------------------


@pytest.mark.parametrize("technique", ["null_move", "lmr", "futility"])
@pytest.mark.parametrize("name", ["abalone", "abalone near pushes"])
def test_selective_techniques_save_nodes(name: str, technique: str) -> None:
    nodes = []
    for switched_on in (True, False):
        searcher = searcher_for(CASES[name], **{technique: switched_on})
        positions = [position for position, _ in CASES[name].positions(5, 8)]
        nodes.append(sum(searcher.search(place, Limit(depth=5), NO_CONTEXT).nodes for place in positions))
    assert nodes[0] < nodes[1]


@pytest.mark.plain
def test_reductions_grow_with_depth_and_place_and_leave_two_plies() -> None:
    table = REDUCTIONS
    assert [reduction(table, 6, place) for place in (0, 2, 3, 10, 40)] == [0, 0, 1, 2, 3]
    assert reduction(table, 3, 63) == 1
    assert reduction(table, 100, 500) == table[31, 63]


@pytest.mark.plain
@pytest.mark.parametrize(
    ("threads", "letter", "expected"),
    [(("abc", "ab"), "c", True), (("acb", "ab"), "c", False), (("ab", "abx", "abc"), "c", True)],
)
def test_a_move_is_searched_elsewhere_if_another_thread_is_there_at_the_same_ply(
    threads: tuple[str, ...], letter: str, expected: bool
) -> None:
    paths = keys(*threads)
    place = LONGEST + 2  # a place of the second thread
    paths[place] = ord("z")
    assert is_searched_elsewhere(paths, place, np.uint64(ord(letter)), LONGEST) is expected


@pytest.mark.plain
def test_a_thread_does_not_count_itself() -> None:
    assert not is_searched_elsewhere(keys("abc", "xyz"), 2, np.uint64(ord("c")), LONGEST)


@pytest.mark.plain
def test_a_single_thread_defers_nothing() -> None:
    assert not is_searched_elsewhere(keys("abc", "abc"), 2, np.uint64(ord("c")), 0)


@pytest.mark.plain
def test_the_nth_best_value_bounds_the_others() -> None:
    array = np.array([3.0, 7.0, 5.0, 7.0, 1.0])
    assert [nth_best(array, 5, n) for n in (1, 2, 3, 4, 5)] == [7, 7, 5, 3, 1]
    assert nth_best(array, 2, 3) == -INFINITY
