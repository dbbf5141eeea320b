"""The tree that is kept from move to move: which subtree is kept, compaction, memory."""

import numpy as np
import pytest
from nim import Nim
from reference.tree_search import Child, children_of, nodes_of, search, searcher_for, tree_of

import boardgames
from boardgames.errors import OptionError
from boardgames.game import Position
from boardgames.kernels import Actions
from boardgames.player import Context
from boardgames.search.mcts import tree as trees
from boardgames.search.mcts.options import MctsOptions
from boardgames.search.mcts.searcher import Searcher
from boardgames.search.mcts.tree import (
    ACTION_SHIFT,
    FACTS,
    MARK,
    ROOT,
    TOTAL,
    VISITS,
    WORDS_PER_NODE,
    WORDS_USED,
    MoveStatistics,
    Tree,
    principal_variation,
    ranked_moves,
)

CONNECT4 = boardgames.load("connect4")
START = CONNECT4.start()
Shape = tuple[int, int, int, tuple["Shape", ...]]


def new_searcher(game: boardgames.Game = CONNECT4) -> Searcher:
    return searcher_for(game, MctsOptions(memory=4, prior="none", cutoff=5))


def continue_with(
    searcher: Searcher, position: Position, history: tuple[Position, ...] = (), simulations: int = 300
) -> int:
    """Search a position as the next one of a match, and return the visits of the root."""
    search(position, simulations, searcher=searcher, context=Context(history=history))
    return int(searcher.tree.words[ROOT + VISITS])


def shape(words: Actions, node: int) -> Shape:
    """Return everything below a node of a tree, regardless of where it is stored."""
    facts = int(words[node + FACTS])
    assert facts & MARK == 0
    below = tuple(shape(words, child) for child in children_of(words, node))
    return int(words[node + VISITS]), int(words[node + TOTAL]), facts, below


def size(of: Shape) -> int:
    return 1 + sum(size(below) for below in of[3])


def node_after(words: Actions, *actions: int) -> int:
    """Return the node that actions lead to from the root."""
    node = ROOT
    for action in actions:
        node = next(
            child for child in children_of(words, node) if words[child + FACTS] >> ACTION_SHIFT == action
        )
    return node


def is_compact(words: Actions) -> bool:
    """Return True if the words in use are the nodes below the root and no others."""
    return int(words[WORDS_USED]) == (len(list(nodes_of(words))) + 1) * WORDS_PER_NODE


@pytest.mark.plain
@pytest.mark.parametrize("actions", [(0,), (3,), (6,), (3, 3), (6, 0), (0, 6, 3)])
def test_the_subtree_of_the_new_root_is_kept_exactly(actions: tuple[int, ...]) -> None:
    searcher, path = new_searcher(), [START]
    continue_with(searcher, START, simulations=500 * len(actions))
    for action in actions:
        path.append(path[-1].apply(path[-1].legal_moves[action]))
    expected = shape(searcher.tree.words, node_after(searcher.tree.words, *actions))
    words = searcher.tree.set_root(path[-1], path[:-1])
    assert shape(words, ROOT) == expected
    assert size(expected) >= 8
    assert is_compact(words)


@pytest.mark.parametrize("name", ["abalone", "hexifence", "connect4"])
def test_a_match_is_followed_to_its_end(name: str) -> None:
    game = boardgames.load(name)
    searcher, position, random = new_searcher(game), game.start(), np.random.default_rng(1)
    history: tuple[Position, ...] = ()
    kept = 0
    while position.outcome is None and len(history) < 40:
        continue_with(searcher, position, history, 1000)
        for _ in range(random.integers(1, 3)):
            if position.outcome is None:
                history = (*history, position)
                position = position.apply(random.choice(np.array(position.legal_moves, dtype=object)))
        if position.outcome is None and searcher.tree.contains(position, history):
            assert is_compact(searcher.tree.set_root(position, history))
            kept += 1
    assert kept > 0


def test_a_search_of_the_same_position_continues() -> None:
    searcher = new_searcher()
    assert [continue_with(searcher, START) for _ in range(3)] == [300, 600, 900]


def test_a_search_continues_from_the_visits_of_earlier_ones() -> None:
    searcher = new_searcher()
    continue_with(searcher, START)
    assert continue_with(searcher, START.apply("4").apply("4"), (START, START.apply("4"))) > 300


@pytest.mark.parametrize(
    "history",
    [
        pytest.param((), id="no history"),
        pytest.param((CONNECT4.parse("12"),), id="another match"),
        pytest.param((START,), id="a ply is missing"),
    ],
)
def test_a_position_that_does_not_follow_from_the_old_root_starts_afresh(
    history: tuple[Position, ...],
) -> None:
    searcher = new_searcher()
    continue_with(searcher, START)
    assert continue_with(searcher, CONNECT4.parse("44"), history) == 300


def test_a_move_that_is_undone_starts_afresh() -> None:
    searcher = new_searcher()
    continue_with(searcher, START.apply("4"), (START,))
    assert continue_with(searcher, START) == 300


def test_a_repeated_position_is_followed_from_its_last_occurrence() -> None:
    start = Nim(passing=True).parse("9:0:0:0")
    searcher, passed = new_searcher(start.game), start.apply("pass")
    continue_with(searcher, start)
    assert continue_with(searcher, passed, (start, passed, start)) > 300


def test_a_tree_that_was_told_to_forget_starts_afresh() -> None:
    searcher = new_searcher()
    for _ in range(2):
        assert continue_with(searcher, START) == 300
        searcher.forget()


def test_memory_is_freed_and_allocated_again() -> None:
    searcher = new_searcher()
    continue_with(searcher, START)
    searcher.release()
    assert searcher.tree.words.size == 0
    assert continue_with(searcher, START) == 300


def test_nodes_do_not_straddle_cache_lines() -> None:
    for megabytes in (1, 2, 3):
        words = Tree(megabytes).set_root(START, ())
        assert (words.ctypes.data % 64, words.nbytes) == (0, megabytes << 20)


@pytest.mark.parametrize("megabytes", [0, -1, 1.5, "64", True, 2**40])
def test_a_bad_size_is_rejected(megabytes: object) -> None:
    with pytest.raises(OptionError, match=r"^the tree must have 1 to 1048576 MB, not "):
        Tree(megabytes)  # type: ignore[arg-type]  # what a caller may do


def test_a_tree_larger_than_the_free_memory_is_rejected_before_it_is_allocated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trees, "free_memory", lambda: 100 << 20)
    assert Tree(100).megabytes == 100
    with pytest.raises(OptionError, match=r"^a tree of 101 MB does not fit into the 100 MB of free memory$"):
        Tree(101)


def test_a_tree_that_the_system_refuses_is_an_option_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **keywords: object) -> None:
        raise MemoryError

    tree = Tree(1)
    monkeypatch.setattr(np, "zeros", refuse)
    with pytest.raises(OptionError, match=r"^the system has no memory for a tree of 1 MB$"):
        tree.set_root(START, ())


def test_moves_are_ranked_by_visits_between_proven_wins_and_losses() -> None:
    # any move but 1 loses at once
    searcher = searcher_for(CONNECT4, MctsOptions(memory=1))
    search(CONNECT4.parse("121217"), 3000, searcher=searcher, all_moves=True)
    moves = ranked_moves(searcher.tree.words, ROOT)
    standings = [move.value if move.proven else 0.0 for move in moves]
    assert standings == sorted(standings, reverse=True)
    visits = [move.visits for move in moves if not move.proven]
    assert visits == sorted(visits, reverse=True)


OPEN, WON, LOST, DRAWN = 0, 1, 2, 3
"""Proofs, where side 0 is to move."""


@pytest.mark.plain
@pytest.mark.parametrize(
    ("moves", "ranked"),
    [
        pytest.param([(0.5, OPEN), (1.0, WON), (-1.0, LOST)], [1, 0, 2], id="wins first, losses last"),
        pytest.param([(-0.5, OPEN), (0.0, DRAWN)], [1, 0], id="a draw before a probable loss"),
        pytest.param([(0.5, OPEN), (0.0, DRAWN)], [0, 1], id="a draw after a probable win"),
        pytest.param([(0.1, OPEN), (0.2, OPEN), (0.1, OPEN)], [1, 0, 2], id="by value, then by action"),
    ],
)
def test_proofs_decide_the_rank_of_a_move(moves: list[tuple[float, int]], ranked: list[int]) -> None:
    children = [Child(visits=10, value=value, proof=proof) for value, proof in moves]
    words = tree_of(START, children).words
    assert [move.action for move in ranked_moves(words, ROOT)] == ranked


@pytest.mark.plain
def test_a_line_follows_the_best_moves_as_far_as_they_have_visits() -> None:
    searcher = searcher_for(CONNECT4, MctsOptions(memory=1))
    search(START, 200, searcher=searcher)
    words = searcher.tree.words
    best = ranked_moves(words, ROOT)[0]
    line = principal_variation(words, best, longest=100)
    node, followed = ROOT, []
    while (moves := ranked_moves(words, node)) and moves[0].has_value:
        node = moves[0].node
        followed.append(moves[0].action)
    assert line == tuple(followed)
    assert principal_variation(words, best, longest=2) == line[:2]


@pytest.mark.plain
def test_a_move_without_visits_has_no_value() -> None:
    assert not MoveStatistics(8, 3, 0, 0.0, proven=False).has_value
    assert MoveStatistics(8, 3, 0, 0.0, proven=True).has_value
