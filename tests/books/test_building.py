"""Building books: what is searched first, how scores are backed up, and how building is resumed."""

from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import boardgames
from boardgames.books import Book, BookPage, building
from boardgames.books.book import canonical
from boardgames.books.building import BATCH, BookPlan, Builder
from boardgames.errors import BookError, LimitError, UnknownNameError
from boardgames.executors import InProcess, ProcessPool
from boardgames.player import Limit

GAME = boardgames.load("connect4")
SMALL = boardgames.load("connect4", columns=4, rows=4)
PLAN = BookPlan(game=GAME, agent="alphabeta:table=1", limit=Limit(depth=3), plies=4, positions=20)


def build(path: Path, plan: BookPlan = PLAN, executor: Executor | None = None) -> Book:
    Builder(plan, path).build(executor or InProcess())
    return Book.read(path)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of the book of `PLAN`."""
    path = tmp_path_factory.mktemp("books") / "built.book"
    build(path)
    return path


def after(page: BookPage, move: str) -> str:
    return canonical(GAME.parse(page.position).apply(move))[0]


def test_the_pages_are_positions_that_good_moves_lead_to(built: Path) -> None:
    book = Book.read(built)
    assert len(book.pages) == PLAN.positions
    reached = {after(page, entry.move) for page in book.pages.values() for entry in page.moves}
    assert set(book.pages) <= reached | {str(GAME.start())}
    assert max(page.ply for page in book.pages.values()) < PLAN.plies


def test_a_book_may_begin_after_some_moves(tmp_path: Path) -> None:
    book = build(tmp_path / "after.book", replace(PLAN, moves="4 4", positions=1))
    assert list(book.pages) == [str(GAME.parse("44"))]
    assert " --moves '4 4' " in book.provenance["command"]


def test_a_page_has_the_best_moves_without_mirror_images(built: Path) -> None:
    start = Book.read(built).pages[str(GAME.start())]
    assert len({after(start, entry.move) for entry in start.moves}) == len(start.moves) == 4
    analysis = boardgames.load_player("alphabeta", GAME).analyse(GAME.start(), Limit(depth=3))
    searched = {str(entry.move): building._rounded(entry.score) for entry in analysis.moves}
    assert {entry.move: entry.searched for entry in start.moves}.items() <= searched.items()


def test_the_score_of_a_move_is_backed_up_from_its_page(built: Path) -> None:
    pages = Book.read(built).pages
    backed_up = 0
    for page in pages.values():
        scores = [entry.score for entry in page.moves]
        assert scores == sorted(scores, reverse=True)
        for entry in page.moves:
            later = pages.get(after(page, entry.move))
            if later is None or later.ply <= page.ply:
                assert entry.score == entry.searched
            else:
                assert entry.score == (-later.score).delayed()
                backed_up += 1
    assert backed_up >= BATCH


def test_the_best_move_has_the_largest_weight_and_a_bad_move_has_none(built: Path) -> None:
    for page in Book.read(built).pages.values():
        assert page.moves[0].weight == 10
        for entry in page.moves:
            loss = page.score.clipped(1.0) - entry.score.clipped(1.0)
            assert (entry.weight > 0) == (loss < 0.025 * 0.95)


@pytest.mark.slow
def test_the_number_of_workers_does_not_change_the_book(built: Path, tmp_path: Path) -> None:
    pool = ProcessPool(2)
    try:
        build(tmp_path / "two.book", executor=pool)
    finally:
        pool.kill()
    assert built.read_bytes() == (tmp_path / "two.book").read_bytes()


def test_resuming_an_interrupted_book_gives_the_same_file(built: Path, tmp_path: Path) -> None:
    class Interrupting(InProcess):
        left = BATCH + 3

        def submit(self, *arguments: Any, **more: Any) -> Any:  # arguments of the base class
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt
            return super().submit(*arguments, **more)

    path = tmp_path / "cut.book"
    with pytest.raises(KeyboardInterrupt):
        Builder(PLAN, path).build(Interrupting())
    begun = len(Book.read(path).pages)
    again = Builder(PLAN, path)
    assert 0 < again.resumed == begun < PLAN.positions
    again.build(InProcess())
    assert built.read_bytes() == path.read_bytes()


def test_an_existing_book_is_extended(built: Path, tmp_path: Path) -> None:
    before, path = Book.read(built), tmp_path / "a.book"
    before.write(path)
    pages = build(path, replace(PLAN, positions=24)).pages
    assert len(pages) == 24
    assert set(before.pages) < set(pages)


def test_finished_positions_have_no_page(tmp_path: Path) -> None:
    plan = BookPlan(game=SMALL, agent="alphabeta:table=1", limit=Limit(depth=9), plies=16, positions=40)
    for page in build(tmp_path / "a.book", plan).pages.values():
        assert SMALL.parse(page.position).outcome is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"limit": Limit(depth=2)}, r"was made with limit \{'depth': 3\}, not \{'depth': 2\}"),
        ({"agent": "minimax"}, "was made with agent 'alphabeta:table=1,book=false', not 'minimax'"),
        ({"lines": 2}, "was made with lines 4, not 2"),
        ({"game": boardgames.load("connect4", columns=6)}, "is a book for connect4 .*not for connect4 6x6"),
    ],
)
def test_a_book_made_with_other_settings_is_not_extended(
    built: Path, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(BookError, match=message):
        Builder(replace(PLAN, **changed), built)


def test_the_provenance_is_the_command_without_times(built: Path) -> None:
    made = Book.read(built).provenance
    assert made["command"] == (
        "boardgames book connect4 --agent alphabeta:table=1 --plies 4 --positions 20 --lines 4 --depth 3"
    )
    assert made["agent"] == "alphabeta:table=1,book=false"
    assert set(made) == {"command", "agent", "fingerprint", "version", "limit", "lines", "margin"}


@pytest.mark.parametrize("name", ["plies", "positions", "lines"])
def test_numbers_of_a_plan_must_be_positive(name: str) -> None:
    with pytest.raises(LimitError, match=f"{name} must be at least 1, not 0"):
        replace(PLAN, **{name: cast(Any, 0)})  # the field is a number


def test_layouts_and_agents_of_a_plan_must_exist() -> None:
    with pytest.raises(UnknownNameError, match="'nowhere'"):
        replace(PLAN, layouts=("nowhere",))
    with pytest.raises(UnknownNameError, match="'nobody'"):
        replace(PLAN, agent="nobody")
