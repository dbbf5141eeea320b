"""The tree of simulations that is kept: followed from move to move, packed, refused where it is too large."""

import numpy as np
import pytest
from nim import Nim

import boardgames
from boardgames.errors import OptionError
from boardgames.game import Position
from boardgames.kernels import Actions
from boardgames.player import Context, Limit
from boardgames.search import kept_tree
from boardgames.search.growing import Style, grow
from boardgames.search.kept_tree import Tree
from boardgames.search.nodes import (
    ACTION_SHIFT,
    COUNT_SHIFT,
    FACTS,
    KEPT,
    LINK,
    NODE_WORDS,
    PLACE_MASK,
    ROOT,
    TOTAL,
    USED,
    VISITS,
)

CONNECT4 = boardgames.load("connect4")
Shape = tuple[int, int, int, tuple["Shape", ...]]


def grown(
    tree: Tree, position: Position, history: tuple[Position, ...] = (), simulations: int = 2000
) -> None:
    """Search a position as the next one of a match."""
    seeds = np.ones(1, dtype=np.uint64)
    limit, context = Limit(simulations=simulations), Context(history=history)
    grow(tree, position, position.game.evaluation, Style(prior="none", cutoff=5), limit, context, seeds=seeds)


def shape(words: Actions, node: int) -> Shape:
    """Return all that a tree knows below a node, wherever it stands."""
    link = int(words[node + LINK])
    first, count = link & PLACE_MASK, max(link, 0) >> COUNT_SHIFT
    facts = int(words[node + FACTS])
    assert facts & KEPT == 0
    below = tuple(shape(words, first + index * NODE_WORDS) for index in range(count))
    return int(words[node + VISITS]), int(words[node + TOTAL]), facts, below


def size(of: Shape) -> int:
    return 1 + sum(size(below) for below in of[3])


def found_below(words: Actions, *actions: int) -> int:
    """Return the node that actions lead to from the root."""
    node = ROOT
    for action in actions:
        link = int(words[node + LINK])
        first, count = link & PLACE_MASK, link >> COUNT_SHIFT
        places = [first + index * NODE_WORDS for index in range(count)]
        node = next(place for place in places if words[place + FACTS] >> ACTION_SHIFT == action)
    return node


@pytest.mark.plain
@pytest.mark.parametrize("actions", [(0,), (3,), (6,), (3, 3), (6, 0), (0, 6, 3)])
def test_what_was_known_of_the_new_root_is_kept_exactly(actions: tuple[int, ...]) -> None:
    tree, path = Tree(1), [CONNECT4.start()]
    grown(tree, path[0], simulations=1500)
    for action in actions:
        path.append(path[-1].apply(path[-1].legal_moves[action]))
    expected = shape(tree.words, found_below(tree.words, *actions))
    words = tree.grown_from(path[-1], path[:-1])
    assert shape(words, ROOT) == expected
    assert size(expected) >= 8
    assert words[USED] == (size(expected) + 1) * NODE_WORDS


@pytest.mark.parametrize("name", ["abalone", "hexifence", "connect4"])
def test_a_match_is_followed_to_its_end(name: str) -> None:
    game, tree, history = boardgames.load(name), Tree(2), ()
    position, chance = game.start(), np.random.default_rng(1)
    while position.outcome is None and len(history) < 40:
        grown(tree, position, history)
        for _ in range(chance.integers(1, 3)):
            if position.outcome is None:
                history = (*history, position)
                position = position.apply(chance.choice(np.array(position.legal_moves, dtype=object)))
        if position.outcome is None and tree.knows(position, history):
            words = tree.grown_from(position, history)
            assert words[USED] == (size(shape(words, ROOT)) + 1) * NODE_WORDS


def test_the_same_position_is_thought_on_about() -> None:
    tree = Tree(4)
    for times in (1, 2, 3):
        grown(tree, CONNECT4.start())
        assert tree.words[ROOT + VISITS] == times * 2000


def test_a_tree_that_is_kept_knows_more() -> None:
    tree, start = Tree(4), CONNECT4.start()
    grown(tree, start)
    grown(tree, start.apply("4").apply("4"), (start, start.apply("4")))
    assert tree.words[ROOT + VISITS] > 2000


@pytest.mark.parametrize(
    "history",
    [
        pytest.param((), id="no history"),
        pytest.param((CONNECT4.parse("12"),), id="another match"),
        pytest.param((CONNECT4.start(),), id="a ply is missing"),
    ],
)
def test_a_position_that_the_old_root_does_not_lead_to_begins_anew(history: tuple[Position, ...]) -> None:
    tree = Tree(4)
    grown(tree, CONNECT4.start())
    grown(tree, CONNECT4.parse("44"), history)
    assert tree.words[ROOT + VISITS] == 2000


def test_a_move_that_is_taken_back_begins_anew() -> None:
    tree, start = Tree(4), CONNECT4.start()
    grown(tree, start.apply("4"), (start,))
    grown(tree, start)
    assert tree.words[ROOT + VISITS] == 2000


def test_a_repeated_position_is_found_where_it_came_last() -> None:
    game, tree = Nim(passing=True), Tree(1)
    start = game.parse("9:0:0:0")
    passed = start.apply("pass")
    grown(tree, start)
    grown(tree, passed, (start, passed, start))
    assert tree.words[ROOT + VISITS] > 2000


def test_a_tree_that_is_forgotten_begins_anew() -> None:
    tree = Tree(4)
    for _ in range(2):
        grown(tree, CONNECT4.start())
        tree.forget()
        assert tree.words[ROOT + VISITS] == 2000


def test_memory_is_given_back() -> None:
    tree = Tree(4)
    grown(tree, CONNECT4.start())
    tree.release()
    assert tree.words.size == 0
    grown(tree, CONNECT4.start())
    assert tree.words[ROOT + VISITS] == 2000


@pytest.mark.parametrize("megabytes", [0, -1, 1.5, "64", True, 2**40])
def test_a_size_that_is_none_is_refused(megabytes: object) -> None:
    with pytest.raises(OptionError, match="expected a tree of 1 to 1048576 MB"):
        Tree(megabytes)  # type: ignore[arg-type]  # what a caller may do


def test_a_tree_larger_than_what_is_free_is_refused_before_it_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept_tree, "free_memory", lambda: 100 << 20)
    assert Tree(100).megabytes == 100
    with pytest.raises(
        OptionError, match=r"^expected a tree that fits into the 100 MB that are free: 101 MB$"
    ):
        Tree(101)


def test_a_tree_that_the_system_refuses_is_an_option_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **keywords: object) -> None:
        raise MemoryError

    tree = Tree(1)
    monkeypatch.setattr(kept_tree.np, "zeros", refuse)
    with pytest.raises(OptionError, match=r"^expected a tree that the system has memory for: 1 MB$"):
        tree.grown_from(CONNECT4.start(), ())
