"""Search trees for teaching: their values against a slow reference, pruning, and how a tree is drawn."""

from xml.etree import ElementTree as ET

import pytest
from nim import Nim
from reference.minimax import cases, minimax_value

import boardgames
from boardgames.errors import LimitError, MatchError, MoveError, PositionError
from boardgames.game import Move, Position
from boardgames.search import tree as tree_module
from boardgames.search.tree import SearchTree, search_tree

CASES = cases()
FOUR = boardgames.load("connect4", columns=4, rows=4)
FORK = boardgames.load("tictactoe").parse("xox/o../.xo")
pytestmark = pytest.mark.plain

SVG = "{http://www.w3.org/2000/svg}"


def shallow(name: str) -> tuple[Position, int]:
    position, depth = CASES[name]
    return position, min(depth, 2 if position.game.facts.name == "abalone" else 3)


def texts(tree: SearchTree) -> list[str]:
    return [element.text or "" for element in ET.fromstring(tree.svg()).iter(f"{SVG}text")]


@pytest.mark.parametrize("pruning", [True, False], ids=["alpha-beta", "minimax"])
@pytest.mark.parametrize("name", CASES)
def test_the_value_of_the_root_agrees_with_the_slow_reference(name: str, pruning: bool) -> None:
    position, depth = shallow(name)
    tree = search_tree(position, depth, pruning)
    assert tree.root.is_exact
    assert tree.value == pytest.approx(minimax_value(position, position.side_to_move, depth), abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_bounds_in_a_pruned_tree_contain_the_true_values(name: str) -> None:
    position, depth = shallow(name)
    full = {str(line): node for line, node in numbered(search_tree(position, depth, pruning=False))}
    for line, node in numbered(search_tree(position, depth)):
        if node.is_pruned:
            continue
        assert node.low <= full[str(line)].low <= node.high


def numbered(tree: SearchTree) -> list[tuple[tuple[int, ...], tree_module.Node]]:
    """Return the nodes of a tree, each with the actions that lead to it."""
    found = []

    def visit(node: tree_module.Node, line: tuple[int, ...]) -> None:
        found.append((line, node))
        for child in node.children:
            assert child.move is not None
            visit(child, (*line, child.move.action))

    visit(tree.root, ())
    return found


def test_minimax_visits_every_position_and_prunes_none() -> None:
    tree = search_tree(FOUR.start(), 3, pruning=False)
    assert (tree.visited, tree.pruned) == (1 + 4 + 16 + 64, 0)


def test_alpha_beta_visits_less_and_counts_the_moves_that_it_prunes() -> None:
    tree = search_tree(FOUR.start(), 3)
    assert tree.visited < 85
    skipped = [node for node in tree.root.walk() if node.is_pruned]
    assert len(skipped) == tree.pruned > 0
    assert not any(node.children for node in skipped)
    assert tree.visited + tree.pruned == sum(1 for _ in tree.root.walk())


def count_alpha_beta(position: Position, depth: int, alpha: float, beta: float) -> tuple[float, int]:
    """Return value and number of visited positions, by alpha-beta from the side to move; sides take turns."""
    if position.outcome is not None:
        return (0.0 if position.outcome.winner is None else -1000.0 - depth), 1
    if depth == 0:
        return position.game.evaluation.value(position.words), 1
    visited = 1
    for move in position.legal_moves:
        value, more = count_alpha_beta(position.apply(move), depth - 1, -beta, -alpha)
        visited += more
        alpha = max(alpha, -value)
        if alpha >= beta:
            break
    return alpha, visited


@pytest.mark.parametrize("line", ["", "2 2 3", "1 2 3 4 2 3"])
def test_as_many_positions_are_visited_as_by_alpha_beta_from_textbooks(line: str) -> None:
    position = FOUR.start().apply_moves(line)
    assert search_tree(position, 5).visited == count_alpha_beta(position, 5, -2000.0, 2000.0)[1]


def test_good_moves_first_prune_more() -> None:
    def best_first(position: Position) -> list[Move]:
        def value(move: Move) -> float:
            return minimax_value(position.apply(move), position.side_to_move, 1)

        return sorted(position.legal_moves, key=value, reverse=True)

    position = boardgames.load("connect4").start().apply_moves("4 4")
    ordered, plain = search_tree(position, 3, order=best_first), search_tree(position, 3)
    assert ordered.value == plain.value
    assert ordered.visited < plain.visited


@pytest.mark.parametrize("order", [lambda position: [], lambda position: position.legal_moves[:1] * 4])
def test_an_order_that_loses_moves_is_refused(order: tree_module.Order) -> None:
    with pytest.raises(MoveError, match="every legal move once"):
        search_tree(FOUR.start(), 2, order=order)


def test_values_are_for_the_side_to_move_at_the_root_also_if_that_is_the_second() -> None:
    position = Nim().parse("4:1:0:0")  # the second side to move loses
    tree = search_tree(position, 9)
    assert tree.summary().endswith("values for second")
    assert tree.text(tree.root) == "loss in 2 plies"
    assert tree.root.is_maximum
    assert [child.is_maximum for child in tree.root.children] == [False] * 3
    (winning,) = (node for node in tree.root.children if node.move is not None and node.move.text == "take3")
    assert tree.text(winning) == "loss in 2 plies"


def test_a_side_that_moves_twice_takes_the_maximum_twice() -> None:
    tree = search_tree(Nim(again=True).parse("4:0:0:0"), 3, pruning=False)
    takes_one = tree.root.children[0]
    assert takes_one.is_maximum
    assert tree.text(takes_one) == "win in 2 plies"
    assert [move.text for move in tree.line] == ["take1", "take3"]


def test_the_best_line_leads_to_the_value_of_the_root() -> None:
    tree = search_tree(FORK, 9)
    position = FORK
    for move in tree.line:
        position = position.apply(move)
    assert position.outcome is not None
    assert tree.text(tree.root) == ("draw" if position.outcome.winner is None else tree.text(tree.root))


def test_bounds_are_written_as_such() -> None:
    tree = search_tree(FOUR.start(), 3)
    written = {tree.text(node)[:1] for node in tree.root.walk() if not node.is_exact and not node.is_pruned}
    assert written <= {"≤", "≥"} | set("0123456789")
    assert "≤" in written
    assert {tree.text(node) for node in tree.root.walk() if node.is_pruned} == {"pruned"}


def test_a_proven_draw_is_called_a_draw() -> None:
    tree = search_tree(boardgames.load("tictactoe").parse("xox/xoo/..x"), 9)
    assert "draw" in {tree.text(node) for node in tree.root.walk() if node.is_proven}


def test_a_drawing_has_every_node_and_dashes_to_those_that_were_pruned() -> None:
    tree = search_tree(FOUR.start(), 2)
    page = tree.svg()
    root = ET.fromstring(page)
    assert root.get("role") == "img"
    assert (root.get("aria-label") or "").startswith("Search tree. alpha-beta to 2 plies: ")
    assert len(list(root.iter(f"{SVG}polygon"))) == tree.visited + tree.pruned
    assert page.count("stroke-dasharray") == tree.pruned > 0
    assert texts(tree)[-1] == "▲ maximum, ▼ minimum, dashed: pruned, thick: best line"


def test_a_drawing_of_a_narrow_tree_is_as_wide_as_its_legend() -> None:
    tree = search_tree(FOUR.start(), 1)
    root = ET.fromstring(tree.svg())
    assert float(root.get("width") or 0) > 2 * tree_module.MARGIN + 6.5 * len(texts(tree)[-1])  # as measured


def test_a_large_tree_is_drawn_to_a_smaller_depth() -> None:
    tree = search_tree(boardgames.load("connect4").start(), 4, pruning=False)
    assert texts(tree)[-1].endswith("; only 3 of 4 plies are shown")
    assert len(texts(tree)) < 420


class Tagged(Nim):
    """Nim whose moves are not safe in HTML."""

    def format_action(self, words: boardgames.kernels.Words, action: int, notation: str | None = None) -> str:
        return f"<b>{action}"


def test_texts_of_plug_ins_are_escaped_in_drawings() -> None:
    tree = search_tree(Tagged().parse("3:0:0:0"), 2)
    html = tree._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;2: " in html
    ET.fromstring(f"<div>{html}</div>")


def test_a_tree_is_readable_as_text() -> None:
    tree = search_tree(Nim().parse("2:0:0:0"), 2, pruning=False)
    assert repr(tree) == "<minimax to 2 plies: 4 positions; values for first>"
    assert str(tree).splitlines() == [
        "minimax to 2 plies: 4 positions; values for first",
        "root: win in 1 ply",
        "  take1: loss in 2 plies",
        "    take1: loss in 2 plies",
        "  take2: win in 1 ply",
    ]


def test_a_position_without_a_next_move_or_depth_cannot_be_searched() -> None:
    with pytest.raises(MatchError, match="the match is over"):
        search_tree(Nim().parse("3:0:0:0").apply("take3"), 1)
    for depth in (0, -1, True, 1.5):
        with pytest.raises(LimitError, match="depth must be 1 or more"):
            search_tree(FOUR.start(), depth)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(PositionError):
        search_tree("-", 1)  # type: ignore[arg-type]  # what is refused


def test_a_tree_that_becomes_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_module, "MOST_NODES", 50)
    with pytest.raises(LimitError, match="more than 50 nodes; choose a smaller depth"):
        search_tree(FOUR.start(), 3, pruning=False)
