"""Make an opening book: search positions one after another, the most likely ones first.

From the starts on, the good moves of every page lead to the positions that come
next: the fewer plies and the less the moves on the way lose, the sooner (T. Lincke,
"Strategies for the automatic construction of opening books", 2000). Then the
values of later pages are carried back to earlier ones. What is done stands in
the file, so that the work can be interrupted and gone on with.
"""

import heapq
import shlex
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boardgames import __version__
from boardgames.books.book import Book, BookMove, Page, canonical
from boardgames.errors import BookError, LimitError, MoveError, PositionError, shown
from boardgames.game import Game, Position
from boardgames.options import parse_agent
from boardgames.player import Limit
from boardgames.plugins import load_player, registry
from boardgames.score import RETURN, Score, Unit

BATCH = 8
"""Positions that are searched before the next ones are chosen, whatever the number of workers."""
PLIES_OF_MARGIN = 2.0
"""A loss of the whole margin puts a position off by so many plies."""
BEST_WEIGHT = 10
DECIMALS = 4
"""Of amounts in a book."""
DEFAULT_LIMIT = Limit(nodes=200_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class BookPlan:
    """What a book is made of.

    Attributes
    ----------
    game : Game
        Its options count, its layout does not.
    layouts : tuple of str
        Starts; empty for that of the game.
    agent : str
        Who values moves; it never plays by a book itself.
    limit : Limit
        Of one position.
    plies : int
        Positions so many plies from a start are not searched any more.
    positions : int
        Pages of the whole book.
    lines : int
        Moves of a page.
    margin : float or None
        What a good move loses at most, in the agent's unit; None for the `book_margin` of the unit.

    Raises
    ------
    LimitError, UnknownNameError
        If a number makes no sense, or a layout is unknown.
    """

    game: Game
    layouts: tuple[str, ...] = ()
    agent: str = "alphabeta"
    limit: Limit = DEFAULT_LIMIT
    plies: int = 8
    positions: int = 500
    lines: int = 4
    margin: float | None = None

    def __post_init__(self) -> None:
        for name in ("plies", "positions", "lines"):
            if getattr(self, name) < 1:
                raise LimitError(f"expected {name} of at least 1: {shown(getattr(self, name))}")
        if self.margin is not None and not self.margin > 0:
            raise LimitError(f"expected a margin above 0: {shown(self.margin)}")
        if self.limit.is_unlimited:
            raise LimitError("expected a limit of nodes, depth or time for each position")
        load_player(self.bookless, self.game).close()
        assert list(self.starts())

    @property
    def bookless(self) -> str:
        """Return the agent's text, its own book left out."""
        name, options = parse_agent(self.agent)
        kind = registry().load("agents", name, self.game.facts.name)
        if "book" in options or all(option.name != "book" for option in kind.declared_options):
            return self.agent
        return f"{self.agent}{',' if ':' in self.agent else ':'}book=false"

    def starts(self) -> Iterator[Position]:
        """Yield the start of every layout."""
        for layout in self.layouts or (self.game.layout or None,):
            yield type(self.game)(layout=layout, **self.game.options).start()

    @property
    def command(self) -> str:
        """Return the command that makes the book, but for the name of its file."""
        words = ["bg", "book", self.game.facts.name]
        for layout in self.layouts:
            words += ["--layout", layout]
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

    def made(self) -> dict[str, Any]:  # JSON values
        """Return what decides the searches of a book; with another it is not gone on with."""
        valuer = load_player(self.bookless, self.game)
        try:
            limit = {name: getattr(self.limit, name) for name in ("nodes", "depth", "seconds")}
            return {
                "agent": valuer.describe(),
                "fingerprint": valuer.fingerprint(),
                "version": __version__,
                "limit": {name: value for name, value in limit.items() if value is not None},
                "lines": self.lines,
            }
        finally:
            valuer.close()


class Builder:
    """Searches the positions of a plan, batch by batch, and keeps the book in a file.

    Parameters
    ----------
    plan : BookPlan
        What is wanted.
    path : Path
        The file; if it is there, it is gone on with.

    Attributes
    ----------
    pages : dict of str to Page
        What is there, by position.
    resumed : int
        Pages that were there before.

    Raises
    ------
    BookError, FileError
        If the file is no book, or was made in another way.
    """

    def __init__(self, plan: BookPlan, path: Path) -> None:
        self.plan, self.path = plan, path
        self.made = plan.made()
        self.unit: Unit = RETURN
        self.pages: dict[str, Page] = {}
        self._successors: dict[tuple[str, str], _Successor | None] = {}
        self._margin_in_file: object = None
        if path.exists():
            self._take(Book.read(path))
        self.resumed = len(self.pages)

    def build(self, executor: Executor, listener: Callable[["Builder"], None] | None = None) -> Book:
        """Search until the plan is fulfilled, the file being written after every batch.

        Parameters
        ----------
        executor : Executor
            Does the searches; how many at a time changes nothing.
        listener : callable, optional
            Called after every batch.
        """
        while batch := self._next():
            plan = self.plan
            futures = [
                executor.submit(searched, plan.game, plan.bookless, text, plan.limit, plan.lines)
                for text, _ in batch
            ]
            results = [future.result() for future in futures]  # all or, if interrupted, none
            for (_, ply), found in zip(batch, results, strict=True):
                self._add(ply, found)
            self._write()
            if listener is not None:
                listener(self)
        if self.pages and self.margin != self._margin_in_file:
            self._write()
        return self.book()

    def _write(self) -> None:
        self.book().write(self.path)
        self._margin_in_file = self.margin

    def book(self) -> Book:
        """Return what is there, values carried back and moves weighed."""
        self._carry_back()
        provenance = {"command": self.plan.command, **self.made, "margin": self.margin}
        game = self.plan.game
        return Book(game.facts.name, game.options, self.unit, provenance, self.pages.values())

    @property
    def margin(self) -> float:
        """Return what a good move loses at most."""
        return self.unit.book_margin if self.plan.margin is None else self.plan.margin

    def _take(self, book: Book) -> None:
        """Go on with a book that was made in the same way."""
        if not book.fits(self.plan.game):
            raise BookError(
                f"expected a book for {self.plan.game.describe()}: {self.path} is for another game"
            )
        for name, wanted in self.made.items():
            if book.provenance.get(name) != wanted:
                came = shown(book.provenance.get(name))
                raise BookError(f"expected a book made with {name} {shown(wanted)}: {self.path} has {came}")
        for page in book.pages.values():
            try:
                position = self.plan.game.parse(page.position)
                for told in page.moves:
                    position.apply(told.move)
            except (PositionError, MoveError) as error:
                raise BookError(f"{error}, on the page of {page.position} of {self.path}") from None
        self.pages, self.unit = dict(book.pages), book.unit
        self._margin_in_file = book.provenance.get("margin")

    def _next(self) -> list[tuple[str, int]]:
        """Return the positions to search next, each with its ply."""
        room = min(BATCH, self.plan.positions - len(self.pages))
        if room <= 0:
            return []
        self._carry_back()
        found: list[tuple[str, int]] = []
        for text, ply in self._by_cost():
            if text not in self.pages:
                found.append((text, ply))
            if len(found) == room:
                break
        return found

    def _by_cost(self) -> Iterator[tuple[str, int]]:
        """Yield the positions that good moves lead to, the most likely first, with their plies."""
        waiting = [(0.0, 0, canonical(start)[0]) for start in self.plan.starts()]
        heapq.heapify(waiting)
        seen: set[str] = set()
        while waiting:
            cost, ply, text = heapq.heappop(waiting)
            if text in seen:
                continue
            seen.add(text)
            yield text, ply
            page = self.pages.get(text)
            if page is None or ply + 1 >= self.plan.plies:
                continue
            for told in page.moves:
                loss, after = self._loss(page.score, told.score), self._after(page, told)
                if after is not None and loss <= self.margin:
                    added = 1.0 + PLIES_OF_MARGIN * loss / self.margin
                    heapq.heappush(waiting, (cost + added, ply + 1, after.text))

    def _after(self, page: Page, told: BookMove) -> "_Successor | None":
        """Return where a move leads; None if the match is over there."""
        known = page.position, told.move
        if known not in self._successors:
            position = self.plan.game.parse(page.position)
            after = position.apply(told.move)
            turns = after.side_to_move != position.side_to_move
            self._successors[known] = None if after.outcome else _Successor(canonical(after)[0], turns)
        return self._successors[known]

    def _carry_back(self) -> None:
        """Let the value of every move be that of the page behind it, where there is one, the last first."""
        for text in sorted(self.pages, key=lambda text: -self.pages[text].ply):
            page = self.pages[text]
            scored = [replace(told, score=self._score(page, told)) for told in page.moves]
            best = max(told.score for told in scored)
            weighed = [replace(told, weight=self._weight(self._loss(best, told.score))) for told in scored]
            weighed.sort(key=lambda told: told.move)
            weighed.sort(key=lambda told: told.score, reverse=True)
            self.pages[text] = replace(page, moves=tuple(weighed))

    def _loss(self, best: Score, score: Score) -> float:
        bound = self.unit.bound
        return best.clipped(bound) - score.clipped(bound)

    def _score(self, page: Page, told: BookMove) -> Score:
        after = self._after(page, told)
        behind = None if after is None else self.pages.get(after.text)
        if after is None or behind is None or behind.ply <= page.ply:
            return told.searched
        return (-behind.score if after.turns else behind.score).delayed()

    def _weight(self, loss: float) -> int:
        """Return how often a move is played: the best most, one that loses half the margin never."""
        return max(0, round(BEST_WEIGHT * (1.0 - 2.0 * loss / self.margin)))

    def _add(self, ply: int, found: "Searched") -> None:
        """Take in a page, one move of those that symmetries of its position map onto each other."""
        self.unit = found.unit
        page = Page(found.position, ply, found.depth, found.nodes, found.moves)
        different: dict[str, BookMove] = {}
        for told in page.moves:
            after = self._after(page, told)
            different.setdefault(told.move if after is None else after.text, told)
        self.pages[page.position] = replace(page, moves=tuple(different.values()))


@dataclass(frozen=True, slots=True)
class _Successor:
    """The position that a move leads to, and whether the other side moves there."""

    text: str
    turns: bool


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search of a position found, its moves best first."""

    position: str
    unit: Unit
    depth: int
    nodes: int
    moves: tuple[BookMove, ...]


def searched(game: Game, agent: str, text: str, limit: Limit, lines: int) -> Searched:
    """Return what an agent says of a position: a task for an executor.

    More lines are asked for where symmetries leave the position as it is, since
    they double its moves.
    """
    position, valuer = game.parse(text), load_player(agent, game, seed=0)
    try:
        found = valuer.analyse(position, limit, lines=lines * doublings(position))
    finally:
        valuer.close()
    scored = ((str(told.move), _rounded(told.score)) for told in found.moves)
    moves = tuple(BookMove(move, score, score, 0) for move, score in scored)
    return Searched(text, found.unit, found.depth, found.nodes, moves)


def _rounded(score: Score) -> Score:
    if score.amount is None or score.unit is None:
        return score
    return Score.of(round(score.amount, DECIMALS), score.unit)


def doublings(position: Position) -> int:
    """Return how many symmetries, that of doing nothing included, leave a position as it is.

    Examples
    --------
    >>> import boardgames
    >>> doublings(boardgames.load("connect4").start())
    2
    """
    text, game = str(position), position.game
    kept = (symmetry for symmetry in game.symmetries() if not symmetry.swaps_sides)
    return 1 + sum(game.format_words(symmetry.words(position.words)) == text for symmetry in kept)
