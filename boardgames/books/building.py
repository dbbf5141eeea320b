"""Building an opening book by searching positions one after another, most likely first.

The first positions are the starts, and the good moves of every page lead to the next ones. Positions
are searched in the order of their distance in plies from a start, plus a penalty for the losses of the
moves on the way (T. Lincke, "Strategies for the automatic construction of opening books", 2000).
The scores of later pages are then backed up to earlier pages. The book is written after every batch, so
that building can be interrupted and resumed.
"""

import heapq
import shlex
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boardgames import __version__
from boardgames.books.book import Book, BookMove, BookPage, canonical, options_of_book
from boardgames.errors import BookError, LimitError, MoveError, PositionError, quote
from boardgames.game import Game, Position
from boardgames.options import parse_agent
from boardgames.player import Limit
from boardgames.plugins import close_player, load_player, registry
from boardgames.score import RETURN, Score, Unit

BATCH = 8
"""Number of positions chosen and searched at a time, regardless of the number of workers."""
PLIES_OF_MARGIN = 2.0
"""A move that loses the whole margin counts as this many additional plies."""
BEST_WEIGHT = 10
DECIMALS = 4
"""Decimals of amounts in a book."""
DEFAULT_LIMIT = Limit(nodes=200_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class BookPlan:
    """The settings of a book to build.

    Attributes
    ----------
    game : Game
        The game with its options. Its layout is used only if `layouts` is empty.
    layouts : tuple of str
        Layouts to start from; if empty, the game's own layout.
    moves : str
        Moves made from the start of each layout, separated by spaces.
    agent : str
        The agent that analyses positions, without opening books.
    limit : Limit
        Limit of the analysis of each position.
    plies : int
        Positions at least this many plies from a start are not searched.
    positions : int
        Number of pages of the book.
    lines : int
        Maximum number of moves on a page.
    margin : float or None
        Moves that lose more than this are not followed; None for the `book_margin` of
        the agent's unit.

    Raises
    ------
    LimitError, UnknownNameError
        If a number is out of range, or a layout or agent is unknown.
    """

    game: Game
    layouts: tuple[str, ...] = ()
    moves: str = ""
    agent: str = "alphabeta"
    limit: Limit = DEFAULT_LIMIT
    plies: int = 8
    positions: int = 500
    lines: int = 4
    margin: float | None = None

    def __post_init__(self) -> None:
        for name in ("plies", "positions", "lines"):
            if getattr(self, name) < 1:
                raise LimitError(f"{name} must be at least 1, not {quote(getattr(self, name))}")
        if self.margin is not None and not self.margin > 0:
            raise LimitError(f"the margin must be positive, not {quote(self.margin)}")
        if self.limit.is_unlimited:
            raise LimitError("a book needs a limit of nodes, depth or time for each position")
        close_player(load_player(self.bookless_agent, self.game))
        assert list(self.starts())

    @property
    def bookless_agent(self) -> str:
        """Return the agent text with opening books turned off."""
        name, options = parse_agent(self.agent)
        kind = registry().load("agents", name, self.game.facts.name)
        if "book" in options or all(option.name != "book" for option in kind.declared_options):
            return self.agent
        return f"{self.agent}{',' if ':' in self.agent else ':'}book=false"

    def starts(self) -> Iterator[Position]:
        """Yield the position of every layout after `moves`."""
        for layout in self.layouts or (self.game.layout or None,):
            yield type(self.game)(layout=layout, **self.game.options).start().apply_moves(self.moves)

    @property
    def command(self) -> str:
        """Return the command that builds the book, without the name of the file."""
        words = ["boardgames", "book", self.game.facts.name]
        for layout in self.layouts:
            words += ["--layout", layout]
        if self.moves:
            words += ["--moves", self.moves]
        for option in self.game.declared_options:
            value = self.game.options[option.name]
            if value != option.default:
                words += ["--option", f"{option.name}={value}".lower()]
        words += ["--agent", self.agent, "--plies", str(self.plies), "--positions", str(self.positions)]
        words += ["--lines", str(self.lines)]
        if self.margin is not None:
            words += ["--margin", f"{self.margin:g}"]
        for name, flag in (("nodes", "--nodes"), ("depth", "--depth"), ("seconds", "--time")):
            if getattr(self.limit, name) is not None:
                words += [flag, str(getattr(self.limit, name))]
        return shlex.join(words)

    def search_settings(self) -> dict[str, Any]:  # JSON values
        """Return the settings of the searches. A book made with other settings cannot be extended."""
        player = load_player(self.bookless_agent, self.game)
        try:
            limit = {name: getattr(self.limit, name) for name in ("nodes", "depth", "seconds")}
            return {
                "agent": player.describe(),
                "fingerprint": player.fingerprint(),
                "version": __version__,
                "limit": {name: value for name, value in limit.items() if value is not None},
                "lines": self.lines,
            }
        finally:
            close_player(player)


class Builder:
    """Searches the positions of a plan, batch by batch, and writes the book after each.

    Parameters
    ----------
    plan : BookPlan
        The settings of the book.
    path : Path
        Output file. An existing book is extended.

    Attributes
    ----------
    pages : dict of str to BookPage
        The pages so far, by position.
    resumed : int
        Number of pages that the file already had.

    Raises
    ------
    BookError, FileError
        If the file is not a book, or was made with other settings.
    """

    def __init__(self, plan: BookPlan, path: Path) -> None:
        self.plan, self.path = plan, path
        self.settings = plan.search_settings()
        self.unit: Unit = RETURN
        self.pages: dict[str, BookPage] = {}
        self._successors: dict[tuple[str, str], _Successor | None] = {}
        self._margin_in_file: object = None
        if path.exists():
            self._resume(Book.read(path))
        self.resumed = len(self.pages)

    def build(self, executor: Executor, listener: Callable[["Builder"], None] | None = None) -> Book:
        """Search until the plan is complete, and return the book.

        Parameters
        ----------
        executor : Executor
            Runs the searches; the number of its workers does not change the book.
        listener : callable, optional
            Called after every batch.
        """
        while batch := self._next_batch():
            agent, plan = self.plan.bookless_agent, self.plan
            futures = [
                executor.submit(search_page, plan.game, agent, text, ply, plan.limit, plan.lines)
                for text, ply in batch
            ]
            for page, unit in [future.result() for future in futures]:  # an interrupted batch adds nothing
                self._add(page, unit)
            self._write()
            if listener is not None:
                listener(self)
        if self.pages and self.margin != self._margin_in_file:
            self._write()
        return self.book()

    def book(self) -> Book:
        """Return the book so far, with scores backed up and moves weighted."""
        self._back_up()
        provenance = {"command": self.plan.command, **self.settings, "margin": self.margin}
        game = self.plan.game
        return Book(game.facts.name, options_of_book(game), self.unit, provenance, self.pages.values())

    @property
    def margin(self) -> float:
        """Return the largest loss at which a move is still followed."""
        return self.unit.book_margin if self.plan.margin is None else self.plan.margin

    def _write(self) -> None:
        self.book().write(self.path)
        self._margin_in_file = self.margin

    def _resume(self, book: Book) -> None:
        """Continue with the pages of a book that was made with the same settings."""
        game = self.plan.game
        if not book.fits(game):
            raise BookError(f"{self.path} is a book for {book.describe()}, not for {game.describe()}")
        for name, value in self.settings.items():
            if book.provenance.get(name) != value:
                other = quote(book.provenance.get(name))
                raise BookError(f"{self.path} was made with {name} {other}, not {quote(value)}")
        for page in book.pages.values():
            try:
                position = game.parse(page.position)
                for entry in page.moves:
                    position.apply(entry.move)
            except (PositionError, MoveError) as error:
                raise BookError(f"{self.path}, page of {page.position}: {error}") from None
        self.pages, self.unit = dict(book.pages), book.unit
        self._margin_in_file = book.provenance.get("margin")

    def _next_batch(self) -> list[tuple[str, int]]:
        """Return the positions to search next, with their plies."""
        wanted = min(BATCH, self.plan.positions - len(self.pages))
        if wanted <= 0:
            return []
        self._back_up()
        batch: list[tuple[str, int]] = []
        for text, ply in self._by_cost():
            if text not in self.pages:
                batch.append((text, ply))
            if len(batch) == wanted:
                break
        return batch

    def _by_cost(self) -> Iterator[tuple[str, int]]:
        """Yield the positions that good moves lead to, most likely first, with their plies."""
        queue = [(0.0, 0, canonical(start)[0]) for start in self.plan.starts()]
        heapq.heapify(queue)
        seen: set[str] = set()
        while queue:
            cost, ply, text = heapq.heappop(queue)
            if text in seen:
                continue
            seen.add(text)
            yield text, ply
            page = self.pages.get(text)
            if page is None or ply + 1 >= self.plan.plies:
                continue
            for entry in page.moves:
                loss, successor = self._loss(page.score, entry.score), self._successor(page, entry)
                if successor is not None and loss <= self.margin:
                    step = 1.0 + PLIES_OF_MARGIN * loss / self.margin
                    heapq.heappush(queue, (cost + step, ply + 1, successor.text))

    def _successor(self, page: BookPage, entry: BookMove) -> "_Successor | None":
        """Return the position after a move, or None if the match is over there."""
        key = page.position, entry.move
        if key not in self._successors:
            position = self.plan.game.parse(page.position)
            after = position.apply(entry.move)
            changes_side = after.side_to_move != position.side_to_move
            self._successors[key] = None if after.outcome else _Successor(canonical(after)[0], changes_side)
        return self._successors[key]

    def _back_up(self) -> None:
        """Set the score of every move to the score of the page it leads to, beginning with the last ply."""
        for text in sorted(self.pages, key=lambda text: -self.pages[text].ply):
            page = self.pages[text]
            scored = [replace(entry, score=self._backed_up(page, entry)) for entry in page.moves]
            best = max(entry.score for entry in scored)
            weighted = [
                replace(entry, weight=self._weight(self._loss(best, entry.score))) for entry in scored
            ]
            weighted.sort(key=lambda entry: entry.move)
            weighted.sort(key=lambda entry: entry.score, reverse=True)
            self.pages[text] = replace(page, moves=tuple(weighted))

    def _backed_up(self, page: BookPage, entry: BookMove) -> Score:
        successor = self._successor(page, entry)
        later = None if successor is None else self.pages.get(successor.text)
        if successor is None or later is None or later.ply <= page.ply:
            return entry.searched
        return (-later.score if successor.changes_side else later.score).delayed()

    def _loss(self, best: Score, score: Score) -> float:
        bound = self.unit.bound
        return best.clipped(bound) - score.clipped(bound)

    def _weight(self, loss: float) -> int:
        """Return the weight of a move: `BEST_WEIGHT` for the best, 0 if it loses half the margin or more."""
        return max(0, round(BEST_WEIGHT * (1.0 - 2.0 * loss / self.margin)))

    def _add(self, page: BookPage, unit: Unit) -> None:
        """Add a page, keeping only one of the moves that symmetries of its position map onto each other."""
        self.unit = unit
        distinct: dict[str, BookMove] = {}
        for entry in page.moves:
            successor = self._successor(page, entry)
            distinct.setdefault(entry.move if successor is None else successor.text, entry)
        self.pages[page.position] = replace(page, moves=tuple(distinct.values()))


@dataclass(frozen=True, slots=True)
class _Successor:
    """The position after a move, and whether the other side is to move in it."""

    text: str
    changes_side: bool


def search_page(
    game: Game, agent: str, text: str, ply: int, limit: Limit, lines: int
) -> tuple[BookPage, Unit]:
    """Return the page of a position after searching it with an agent; a task for an executor.

    More lines are searched if symmetries leave the position unchanged, because they map
    its moves onto each other.
    """
    position, player = game.parse(text), load_player(agent, game, seed=0)
    try:
        analysis = player.analyse(position, limit, lines=lines * symmetry_count(position))
    finally:
        close_player(player)
    moves = []
    for entry in analysis.moves:
        score = _rounded(entry.score)
        moves.append(BookMove(str(entry.move), score, score, 0))
    return BookPage(text, ply, analysis.depth, analysis.nodes, tuple(moves)), analysis.unit


def symmetry_count(position: Position) -> int:
    """Return the number of symmetries, including the identity, that leave a position unchanged.

    Examples
    --------
    >>> import boardgames
    >>> symmetry_count(boardgames.load("connect4").start())
    2
    """
    text, game = str(position), position.game
    kept = (symmetry for symmetry in game.symmetries() if not symmetry.swaps_sides)
    return 1 + sum(game.format_words(symmetry.words(position.words)) == text for symmetry in kept)


def _rounded(score: Score) -> Score:
    if score.amount is None or score.unit is None:
        return score
    return Score.of(round(score.amount, DECIMALS), score.unit)
