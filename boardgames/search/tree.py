"""Small search trees that show what minimax and alpha-beta visit, and what alpha-beta prunes.

This is plain Python for lessons, not one of the engines. Values in a tree are those for the side
to move at its root, as in textbooks: a node where this side moves takes the maximum of the nodes
below, and any other node the minimum, even if a side moves twice in a row. The values at the leaves
and at the ends of matches are those of `boardgames.search.minimax`.

Source: S. Russell and P. Norvig, "Artificial Intelligence: A Modern Approach", chapter on games.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from boardgames.declarations import Evaluation
from boardgames.draw.svg import BACKDROP, CHARACTER_WIDTH, FAINT, FONT, TEXT, xml_text
from boardgames.draw.tables import html_text
from boardgames.errors import LimitError, MatchError, MoveError, quote
from boardgames.game import Game, Move, Outcome, Position, Termination, check_is_position
from boardgames.search.results import score_of
from boardgames.search.rules import INFINITY, WIN

MOST_NODES = 20_000
"""Maximum number of nodes of a tree."""
MOST_ROWS = 400
"""Maximum number of rows of a drawing; the deepest plies of larger trees are left out."""

ROW, MARGIN, SIZE, GAP, FONT_SIZE = 20, 16, 6, 40, 12
"""Lengths in a drawing in pixels: height of a leaf, border, half a node, space between plies, and font."""
BEST = "#a03c00"
"""Colour of the best line."""

Order = Callable[[Position], Iterable[Move]]


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A position in a search tree.

    Attributes
    ----------
    position : Position
        The position.
    move : Move or None
        The move that leads here; None at the root.
    is_maximum : bool
        True if the side to move here is the one to move at the root.
    low, high : float
        Bounds of the value for the side to move at the root, on the scale of the search kernels. They are
        equal if the value is exact, and infinite where nothing is known.
    children : tuple of Node
        The positions after the moves, in the order of the search, including those that were pruned.
    is_pruned : bool
        True if the position was not searched, because it cannot change the value of the root.
    is_proven : bool
        True if every line of play that was searched below leads to the end of the match.
    """

    position: Position
    move: Move | None
    is_maximum: bool
    low: float
    high: float
    children: tuple["Node", ...] = field(default=(), repr=False)
    is_pruned: bool = False
    is_proven: bool = False

    @property
    def is_exact(self) -> bool:
        """Return True if the value itself is known, not only bounds."""
        return self.low == self.high

    def walk(self) -> Iterator["Node"]:
        """Yield the node and all nodes below it, in the order of the search."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SearchTree:
    """The positions that a search has visited and pruned, which notebooks show as a drawing.

    Attributes
    ----------
    root : Node
        The position that was searched.
    evaluation : Evaluation
        The evaluation of the leaves.
    depth : int
        Depth of the search in plies.
    pruning : bool
        True for alpha-beta, False for minimax.
    """

    root: Node
    evaluation: Evaluation
    depth: int
    pruning: bool

    @property
    def value(self) -> float:
        """Return the value of the root for its side to move, on the scale of the search kernels."""
        return self.root.low

    @property
    def visited(self) -> int:
        """Return the number of positions that were searched, including the root."""
        return sum(not node.is_pruned for node in self.root.walk())

    @property
    def pruned(self) -> int:
        """Return the number of pruned moves; positions below them are not counted."""
        return sum(node.is_pruned for node in self.root.walk())

    @property
    def line(self) -> tuple[Move, ...]:
        """Return the best line of play, or the first one if several are equally good."""
        return tuple(node.move for node in self._best_nodes() if node.move is not None)

    def text(self, node: Node) -> str:
        """Return the value of a node for the side to move at the root, or the bounds that are known.

        Wins and losses are counted in plies from the root.
        """
        if node.is_pruned:
            return "pruned"
        if node.is_exact:
            return self._value_text(node.low, is_proven=node.is_proven)
        if node.low < -WIN:
            return f"≤ {self._value_text(node.high)}"
        if node.high > WIN:
            return f"≥ {self._value_text(node.low)}"
        return f"{self._value_text(node.low)} to {self._value_text(node.high)}"

    def summary(self) -> str:
        """Return one line that says what was searched and how much was pruned."""
        name = "alpha-beta" if self.pruning else "minimax"
        side = self.root.position.game.facts.sides[self.root.position.side_to_move]
        plies = "1 ply" if self.depth == 1 else f"{self.depth} plies"
        moves = "move" if self.pruned == 1 else "moves"
        pruned = f", {self.pruned:,} {moves} pruned" if self.pruning else ""
        return f"{name} to {plies}: {self.visited:,} positions{pruned}; values for {side}"

    def svg(self) -> str:
        """Return the tree as an SVG document, with the root on the left and the best line emphasised."""
        return _Drawing(self).document()

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.svg()}</div><p>{html_text(self.summary())}</p>'

    def __repr__(self) -> str:
        return f"<{self.summary()}>"

    def __str__(self) -> str:
        return "\n".join([self.summary(), *self._lines(self.root, 0)])

    def _lines(self, node: Node, ply: int) -> Iterator[str]:
        start = "root" if node.move is None else node.move.text
        yield f"{'  ' * ply}{start}: {self.text(node)}"
        for child in node.children:
            yield from self._lines(child, ply + 1)

    def _value_text(self, value: float, *, is_proven: bool = False) -> str:
        return score_of(value, self.evaluation).text(proven=is_proven, alternates=False)

    def _best_nodes(self) -> Iterator[Node]:
        node: Node | None = self.root
        while node is not None:
            yield node
            best = node.low
            node = next((child for child in node.children if child.low == child.high == best), None)


def search_tree(
    position: Position,
    depth: int,
    pruning: bool = True,
    *,
    evaluation: Evaluation | None = None,
    order: Order | None = None,
) -> SearchTree:
    """Search a position in plain Python and return the tree of visited and pruned positions.

    Parameters
    ----------
    position : Position
        A position in which the match is not over.
    depth : int
        Depth in plies, at least 1. It must be small, since a tree can have at most `MOST_NODES` nodes.
    pruning : bool, default True
        True for alpha-beta, False for minimax.
    evaluation : Evaluation, optional
        Evaluation of the leaves; by default that of the game.
    order : callable, optional
        Returns the legal moves of a position in the order in which they are searched; by default
        they are in the order of `Position.legal_moves`.

    Raises
    ------
    LimitError
        If the depth is less than 1, or the tree becomes too large.
    MatchError
        If the match is over.
    MoveError
        If `order` does not return every legal move once.

    Examples
    --------
    >>> import boardgames
    >>> start = boardgames.load("connect4", columns=4, rows=4).start()
    >>> full, pruned = search_tree(start, 3, pruning=False), search_tree(start, 3)
    >>> full.visited, pruned.visited, full.value == pruned.value
    (85, 53, True)
    """
    check_is_position(position)
    if type(depth) is not int or depth < 1:
        raise LimitError(f"depth must be 1 or more, not {quote(depth)}")
    if position.outcome is not None:
        raise MatchError("there is nothing to search: the match is over")
    evaluation = position.game.evaluation if evaluation is None else evaluation
    search = _Search(position.game, position.side_to_move, evaluation, pruning, order)
    root = search.node(position, None, 0, depth, (-INFINITY, INFINITY))[0]
    return SearchTree(root, evaluation, depth, pruning)


class _Search:
    """One search, in which values are those for `side`."""

    def __init__(
        self, game: Game, side: int, evaluation: Evaluation, pruning: bool, order: Order | None
    ) -> None:
        self.game, self.side, self.evaluation = game, side, evaluation
        self.pruning, self.order = pruning, order
        self.count = 0

    def node(
        self, position: Position, move: Move | None, ply: int, depth: int, window: tuple[float, float]
    ) -> tuple[Node, float]:
        """Return the node of a position and the value that the search returns for it.

        A value outside the window is only a bound.
        """
        is_maximum = position.side_to_move == self.side
        value, is_end = self._value_at_leaf(position, ply, depth)
        if value is not None:
            self._count()
            return Node(position, move, is_maximum, value, value, is_proven=is_end), value
        self._count()
        alpha, beta = window
        best = -INFINITY if is_maximum else INFINITY
        children: list[Node] = []
        for played in self._moves(position):
            after = position.apply_action(played.action)
            if alpha >= beta and self.pruning:
                self._count()
                is_own = after.side_to_move == self.side
                children.append(Node(after, played, is_own, -INFINITY, INFINITY, is_pruned=True))
                continue
            child, value = self.node(after, played, ply + 1, depth - 1, (alpha, beta))
            children.append(child)
            if is_maximum:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
        choose = max if is_maximum else min
        node = Node(
            position,
            move,
            is_maximum,
            choose(child.low for child in children),
            choose(child.high for child in children),
            tuple(children),
            is_proven=all(child.is_proven or child.is_pruned for child in children),
        )
        return node, best

    def _value_at_leaf(self, position: Position, ply: int, depth: int) -> tuple[float | None, bool]:
        """Return the value of a leaf for `side`, or None if it is not a leaf; and whether the match ends."""
        sign = 1 if position.side_to_move == self.side else -1
        outcome = position.outcome
        if depth == 0 and (outcome is None or outcome.termination is Termination.NO_MOVES):
            return sign * self.evaluation.value(
                position.words
            ), False  # like the searches, which do not look for moves here
        if outcome is None:
            return None, False
        if self.evaluation.exact_at_end and outcome.termination is Termination.RULES:
            return sign * self.evaluation.value(position.words), True
        return self._value_at_end(outcome, ply), True

    def _value_at_end(self, outcome: Outcome, ply: int) -> float:
        if outcome.winner is None:
            return 0.0
        return WIN - ply if outcome.winner == self.side else ply - WIN

    def _moves(self, position: Position) -> tuple[Move, ...]:
        legal = position.legal_moves
        if self.order is None:
            return legal
        moves = tuple(self.order(position))
        if sorted(move.action for move in moves) != sorted(move.action for move in legal):
            raise MoveError("order must return every legal move once")
        return moves

    def _count(self) -> None:
        self.count += 1
        if self.count > MOST_NODES:
            raise LimitError(f"the tree has more than {MOST_NODES:,} nodes; choose a smaller depth")


class _Drawing:
    """Draws a tree from left to right; each leaf has a row, and other nodes are centred beside theirs."""

    def __init__(self, tree: SearchTree) -> None:
        self.tree = tree
        self.depth = max(
            ply for ply in range(1, tree.depth + 1) if ply == 1 or _rows(tree.root, ply) <= MOST_ROWS
        )
        self.best = {id(node) for node in tree._best_nodes()}
        shown = _upper(tree.root, self.depth)
        self.column = 2 * SIZE + GAP + max(_width(self._node_text(node)) for node in shown)
        self.rows = 0
        self.edges: list[str] = []
        self.nodes: list[str] = []

    def document(self) -> str:
        """Return the document."""
        self._draw(self.tree.root, 0)
        legend = "▲ maximum, ▼ minimum, dashed: pruned, thick: best line"
        if self.depth < self.tree.depth:
            legend += f"; only {self.depth} of {self.tree.depth} plies are shown"
        width = 2 * MARGIN + max(self.column * (self.depth + 1) - GAP, _width(legend))
        height = 2 * MARGIN + ROW * (self.rows + 1.5)
        label = xml_text(f"Search tree. {self.tree.summary()}. Root: {self.tree.text(self.tree.root)}.")
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" '
            f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        )
        return "\n".join(
            [
                head,
                f"<title>{xml_text(self.tree.summary())}</title>",
                f'<rect width="{width}" height="{height}" rx="8" fill="{BACKDROP}"/>',
                *self.edges,
                *self.nodes,
                _label(MARGIN, height - MARGIN, legend, FAINT),
                "</svg>",
            ]
        )

    def _draw(self, node: Node, ply: int) -> float:
        """Draw a node and all nodes below it, and return its y coordinate."""
        x, next_x = (MARGIN + SIZE + self.column * place for place in (ply, ply + 1))
        below = node.children if ply < self.depth else ()
        heights = [self._draw(child, ply + 1) for child in below]
        if heights:
            y = (heights[0] + heights[-1]) / 2
        else:
            y = MARGIN + ROW * (self.rows + 0.5)
            self.rows += 1
        start = x + SIZE + _width(self._node_text(node))
        for child, height in zip(below, heights, strict=True):
            paint = f'stroke="{BEST}" stroke-width="3"' if id(child) in self.best else f'stroke="{FAINT}"'
            dashes = ' stroke-dasharray="3 4"' if child.is_pruned else ""
            ends = f'x1="{start:.0f}" y1="{y:.0f}" x2="{next_x - SIZE:.0f}" y2="{height:.0f}"'
            self.edges.append(f"<line {ends} {paint}{dashes}/>")
        self.nodes += self._node(node, x, y)
        return y

    def _node(self, node: Node, x: float, y: float) -> list[str]:
        tip, base = (y - SIZE, y + SIZE) if node.is_maximum else (y + SIZE, y - SIZE)
        points = f"{x:.0f},{tip:.0f} {x - SIZE:.0f},{base:.0f} {x + SIZE:.0f},{base:.0f}"
        colour = FAINT if node.is_pruned else BEST if id(node) in self.best else TEXT
        fill = f'fill="none" stroke="{FAINT}"' if node.is_pruned else f'fill="{colour}"'
        title = f"<title>{xml_text(str(node.position))}</title>"
        return [
            f'<polygon points="{points}" {fill}>{title}</polygon>',
            _label(x + SIZE + 4, y + 4, self._node_text(node), colour),
        ]

    def _node_text(self, node: Node) -> str:
        value = self.tree.text(node)
        return value if node.move is None else f"{node.move.text}: {value}"


def _upper(node: Node, plies: int) -> Iterator[Node]:
    """Yield a node and all nodes up to `plies` plies below it."""
    yield node
    if plies:
        for child in node.children:
            yield from _upper(child, plies - 1)


def _rows(node: Node, plies: int) -> int:
    """Return the number of rows that a node takes if `plies` plies below it are drawn."""
    if plies == 0 or not node.children:
        return 1
    return sum(_rows(child, plies - 1) for child in node.children)


def _width(text: str) -> float:
    """Return a generous estimate of the width of a label, with space at both ends."""
    return CHARACTER_WIDTH * FONT_SIZE * len(text) + 8


def _label(x: float, y: float, text: str, colour: str) -> str:
    place = f'x="{x:.0f}" y="{y:.0f}"'
    return f'<text {place} {FONT} font-size="{FONT_SIZE}" fill="{colour}">{xml_text(text)}</text>'
