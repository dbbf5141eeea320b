"""Books that are made: what is searched first, what is carried back, and going on where one stopped."""

from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import boardgames
from boardgames.books import Book, Page, building
from boardgames.books.book import canonical
from boardgames.books.building import BATCH, BookPlan, Builder
from boardgames.errors import BookError, LimitError, UnknownNameError
from boardgames.executors import InProcess, ProcessPool
from boardgames.player import Limit

GAME = boardgames.load("connect4")
PLAN = BookPlan(game=GAME, agent="alphabeta:table=1", limit=Limit(depth=3), plies=4, positions=20)


def built(
    tmp_path: Path, plan: BookPlan = PLAN, name: str = "a.book", executor: Executor | None = None
) -> Book:
    Builder(plan, tmp_path / name).build(executor or InProcess())
    return Book.read(tmp_path / name)


def after(page: Page, move: str) -> str:
    return canonical(GAME.parse(page.position).apply(move))[0]


def test_the_file_has_so_many_pages_that_good_moves_lead_to(tmp_path: Path) -> None:
    book = built(tmp_path)
    assert len(book.pages) == PLAN.positions
    reached = {after(page, told.move) for page in book.pages.values() for told in page.moves}
    assert set(book.pages) <= reached | {str(GAME.start())}
    assert max(page.ply for page in book.pages.values()) < PLAN.plies


def test_a_page_has_the_engines_best_moves_one_of_those_that_mirror_each_other(tmp_path: Path) -> None:
    start = built(tmp_path).pages[str(GAME.start())]
    assert len({after(start, told.move) for told in start.moves}) == len(start.moves) == 4
    found = boardgames.load_player("alphabeta", GAME).analyse(GAME.start(), Limit(depth=3))
    searched = {str(told.move): building._rounded(told.score) for told in found.moves}
    assert {told.move: told.searched for told in start.moves}.items() <= searched.items()


def test_the_value_of_a_move_is_that_of_the_page_behind_it(tmp_path: Path) -> None:
    pages = built(tmp_path).pages
    carried = 0
    for page in pages.values():
        scores = [told.score for told in page.moves]
        assert scores == sorted(scores, reverse=True)
        for told in page.moves:
            behind = pages.get(after(page, told.move))
            is_later = behind is not None and behind.ply > page.ply
            expected = (-behind.score).delayed() if behind is not None and is_later else told.searched
            assert told.score == expected
            carried += is_later
    assert carried >= BATCH


def test_the_best_move_has_the_largest_weight_and_a_bad_one_none(tmp_path: Path) -> None:
    for page in built(tmp_path).pages.values():
        assert page.moves[0].weight == 10
        for told in page.moves:
            assert (told.weight > 0) == (page.score.clipped(1) - told.score.clipped(1) < 0.025 * 0.95)


def test_workers_change_nothing(tmp_path: Path) -> None:
    pool = ProcessPool(2)
    try:
        built(tmp_path, name="two.book", executor=pool)
    finally:
        pool.kill()
    built(tmp_path)
    assert (tmp_path / "a.book").read_bytes() == (tmp_path / "two.book").read_bytes()


def test_an_interrupted_book_goes_on_to_the_same_file(tmp_path: Path) -> None:
    class Impatient(InProcess):
        left = BATCH + 3

        def submit(self, *arguments: Any, **more: Any) -> Any:  # what the base class takes
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt
            return super().submit(*arguments, **more)

    with pytest.raises(KeyboardInterrupt):
        Builder(PLAN, tmp_path / "cut.book").build(Impatient())
    begun = len(Book.read(tmp_path / "cut.book").pages)
    again = Builder(PLAN, tmp_path / "cut.book")
    assert 0 < again.resumed == begun < PLAN.positions
    again.build(InProcess())
    built(tmp_path)
    assert (tmp_path / "a.book").read_bytes() == (tmp_path / "cut.book").read_bytes()


def test_a_book_grows(tmp_path: Path) -> None:
    built(tmp_path)
    before = Book.read(tmp_path / "a.book").pages
    grown = built(tmp_path, replace(PLAN, positions=24)).pages
    assert len(grown) == 24
    assert set(before) < set(grown)


def test_an_end_of_the_match_ends_a_line(tmp_path: Path) -> None:
    small = boardgames.load("connect4", columns=4, rows=4)
    plan = BookPlan(game=small, agent="alphabeta:table=1", limit=Limit(depth=9), plies=16, positions=40)
    for page in built(tmp_path, plan).pages.values():
        assert small.parse(page.position).outcome is None


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"limit": Limit(depth=2)}, r"made with limit \{'depth': 2\}"),
        ({"agent": "minimax"}, "made with agent 'minimax'"),
        ({"lines": 2}, "made with lines 2"),
        ({"game": boardgames.load("connect4", columns=6)}, "expected a book for connect4 .*columns=6"),
    ],
)
def test_a_book_made_in_another_way_is_not_gone_on_with(
    tmp_path: Path, changed: dict[str, Any], told: str
) -> None:
    built(tmp_path, replace(PLAN, positions=1))
    with pytest.raises(BookError, match=told):
        Builder(replace(PLAN, **changed), tmp_path / "a.book")


def test_the_provenance_has_no_times_and_the_command(tmp_path: Path) -> None:
    made = built(tmp_path, replace(PLAN, positions=1)).provenance
    assert made["command"] == (
        "bg book connect4 --agent alphabeta:table=1 --plies 4 --positions 1 --lines 4 --depth 3"
    )
    assert made["agent"] == "alphabeta:table=1,book=false"
    assert set(made) == {"command", "agent", "fingerprint", "version", "limit", "lines", "margin"}


@pytest.mark.parametrize("name", ["plies", "positions", "lines"])
def test_a_plan_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(LimitError, match=f"expected {name} of at least 1: 0"):
        replace(PLAN, **{name: 0})


def test_a_plan_names_layouts_and_agents_that_are_there() -> None:
    with pytest.raises(UnknownNameError, match="has no layout 'nowhere'"):
        replace(PLAN, layouts=("nowhere",))
    with pytest.raises(UnknownNameError, match="'nobody'"):
        replace(PLAN, agent="nobody")
