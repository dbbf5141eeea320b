"""How to play: lessons and puzzles are tried on the board, on their own page, in a match and in the form."""

from collections.abc import Callable
from typing import Any

import pytest
from browsers import Visitor

import boardgames

Visit = Callable[..., Visitor]
GAMES = ("abalone", "connect4", "hexifence", "tictactoe")


def make_move(visitor: Visitor, game: Any, position: Any, move: str) -> None:
    """Click on the board of an exercise."""
    board = visitor.page.locator(".learn .board")
    for cell in position.picture().clicks[move][0]:
        board.locator(f'[data-id="{cell}"]').click(force=True)
    visitor.choose(move)


def solve(visitor: Visitor, game: str, exercise: Any, *, line: int = 0) -> None:
    """Make the moves of a line of an exercise, after its position has been drawn."""
    loaded = boardgames.load(game, **exercise.options)
    start = loaded.parse(exercise.position)
    position = start
    for move in loaded.lines_of(exercise)[line]:
        if position.side_to_move == start.side_to_move:
            visitor.page.locator(".learn .board .target.live").first.wait_for(state="attached")
            make_move(visitor, loaded, position, move.text)
        position = position.apply(move)
    visitor.page.locator(".status.right").get_by_text("✓").wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_all_lessons_can_be_solved_with_the_mouse(visit: Visit, game: str) -> None:
    visitor = visit()
    page = visitor.open(f"#/learn/{game}")
    lessons = boardgames.load(game).lessons
    page.get_by_role("button", name="Try it").first.click()
    for number, lesson in enumerate(lessons, start=1):
        page.locator(".task").get_by_text(lesson.task).wait_for()
        solve(visitor, game, lesson, line=-1)
        page.locator(".status").get_by_text(lesson.praise).wait_for()
        assert page.url.endswith(f"#/learn/{game}/{number}")
        page.get_by_role("button", name="Next", exact=True).click()
    page.get_by_text("Puzzle 1").wait_for()
    page.reload()
    page.get_by_role("navigation", name="How to play").wait_for()
    assert page.get_by_role("img", name="solved").count() == len(lessons)


@pytest.mark.slow
def test_an_endgame_is_walked_through_with_its_chains_named(visit: Visit) -> None:
    visitor = visit()
    page, lessons = visitor.open("#/learn/hexifence/5"), boardgames.load("hexifence").lessons
    legend, labels = page.locator(".exercise .legend"), page.locator(".learn .board text")
    legend.get_by_text("chain of 8").wait_for()
    assert labels.get_by_text("c2").count() == 1
    solve(visitor, "hexifence", lessons[4])
    page.get_by_role("button", name="Next", exact=True).click()
    legend.get_by_text("chain of 5, opened").wait_for()
    page.get_by_role("button", name="3 Chain").click()
    page.get_by_text(lessons[2].task).wait_for()
    visitor.wait(lambda: legend.inner_text() == "", "a lesson without an overlay")


@pytest.mark.slow
def test_a_wrong_move_is_shown_and_taken_back(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/learn/connect4/2")
    page.locator(".learn .board .target.live").first.wait_for(state="attached")
    pieces = page.locator(".learn .board .under > g")
    before = pieces.count()
    page.locator('.learn .board [data-id="c7r6"]').click()
    page.get_by_text("That is not it. Try again.").wait_for()
    visitor.wait(lambda: pieces.count() == before + 1, "the wrong move")
    visitor.wait(lambda: pieces.count() == before, "the position before it")
    solve(visitor, "connect4", boardgames.load("connect4").lessons[1])


@pytest.mark.slow
def test_the_solution_can_be_shown_and_the_exercise_started_again(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/learn/connect4/4")
    page.get_by_role("button", name="Show the solution").click()
    page.get_by_text("The solution is 2 5 1.").wait_for()
    assert page.get_by_role("img", name="solved").count() == 0
    page.get_by_role("button", name="Start again").click()
    solve(visitor, "connect4", boardgames.load("connect4").lessons[3], line=1)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "kind"), [("abalone", "tactics"), ("tictactoe", "fork")])
def test_puzzles_follow_each_other_and_solved_ones_are_remembered(visit: Visit, game: str, kind: str) -> None:
    from boardgames.puzzles import ready_puzzles

    visitor = visit()
    puzzles = ready_puzzles(boardgames.load(game), kind)
    page = visitor.open(f"#/learn/{game}/puzzles")
    for number in (1, 2, 3, 4):
        page.get_by_text(f"Puzzle {number} of {len(puzzles)}").wait_for()
        if number != 2:
            solve(visitor, game, puzzles[number - 1])
            page.get_by_text(f"{min(number, number - (number > 2))} solved").wait_for()
        page.get_by_role("button", name="Next", exact=True).click()
    page.get_by_text(f"Puzzle 5 of {len(puzzles)}").wait_for()
    page.reload()
    page.get_by_text(f"Puzzle 5 of {len(puzzles)}").wait_for()
    page.get_by_text("3 solved").wait_for()


@pytest.mark.slow
@pytest.mark.parametrize(("part", "name"), [("puzzles", "Puzzles"), ("3", "3 Push"), ("rules", "Rules")])
def test_the_part_that_is_open_can_be_seen_in_the_row_of_parts_on_a_phone(
    visit: Visit, part: str, name: str
) -> None:
    visitor = visit(viewport={"width": 390, "height": 844})
    page = visitor.open(f"#/learn/abalone/{part}")
    box = page.get_by_role("button", name=name, exact=True).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


@pytest.mark.slow
def test_pictures_of_lessons_show_letters_where_the_board_does(visit: Visit) -> None:
    page = visit().open("#/learn/tictactoe")
    letters = page.locator(".before-after").first.locator("text")
    letters.first.wait_for()
    assert sorted(letters.all_text_contents()) == ["O"] * 4 + ["X"] * 5


@pytest.mark.slow
def test_edges_at_the_border_of_a_small_picture_are_drawn_in_their_whole_width(visit: Visit) -> None:
    page = visit().open("#/learn/hexifence")
    picture = page.locator(".before-after svg").first
    picture.wait_for()
    assert picture.evaluate("(svg) => getComputedStyle(svg).overflow") == "visible"


@pytest.mark.slow
@pytest.mark.parametrize("game", ["connect4", "hexifence"])
def test_puzzles_made_by_the_solver_can_be_solved(visit: Visit, game: str) -> None:
    visitor = visit()
    page = visitor.open(f"#/learn/{game}/puzzles")
    page.get_by_text("Only one move wins.").wait_for()
    page.locator(".learn .board .target.live").first.wait_for(state="attached")
    page.get_by_role("button", name="Show the solution").click()
    page.get_by_text("The solution is").wait_for()
    solution = page.locator(".status").inner_text().split()[3].removesuffix(".")
    page.get_by_role("button", name="Start again").click()
    page.locator(".learn .board .target.live").first.wait_for(state="attached")
    page.locator(f'.learn .board [aria-label$=", plays {solution}"]').first.click(force=True)
    page.locator(".status.right").wait_for()


@pytest.mark.slow
def test_how_to_play_is_a_dialog_in_the_form_and_in_a_match(visit: Visit) -> None:
    visitor = visit()
    lesson = boardgames.load("tictactoe").lessons[0]
    page = visitor.open("#/new/tictactoe")
    for where in ("the form", "a match"):
        if where == "a match":
            visitor.start("tictactoe", "here")
        page.get_by_role("button", name="How to play").click()
        dialog = page.get_by_role("dialog", name="How to play")
        dialog.get_by_role("button", name="1 Win").click()
        solve(visitor, "tictactoe", lesson)
        dialog.get_by_role("button", name="Close").click()
        dialog.wait_for(state="detached")
    visitor.move("b2")
    visitor.wait_for_ply(1)


@pytest.mark.slow
def test_escape_deselects_before_it_closes_the_dialog(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/new/abalone")
    page.get_by_role("button", name="How to play").click()
    dialog = page.get_by_role("dialog", name="How to play")
    dialog.get_by_role("button", name="1 In line").click()
    dialog.locator(".board .target.live").first.wait_for(state="attached")
    dialog.locator('.board [data-id="e3"]').click()
    dialog.locator(".hint.chosen").first.wait_for(state="attached")
    page.keyboard.press("Escape")
    dialog.locator(".hint.chosen").first.wait_for(state="detached")
    assert dialog.is_visible()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")


@pytest.mark.slow
def test_the_dialog_closes_when_another_page_is_opened(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/new/tictactoe")
    page.get_by_role("button", name="How to play").click()
    dialog = page.get_by_role("dialog", name="How to play")
    close = dialog.get_by_role("button", name="Close").bounding_box()
    title = dialog.get_by_role("heading", name="How to play Tic-tac-toe").bounding_box()
    assert close["width"] < title["width"] / 2, "the button covers the title"
    dialog.get_by_role("button", name="1 Win").click()
    dialog.get_by_role("link", name="Analyse").click()
    page.get_by_role("heading", name="Analysis: Tic-tac-toe").wait_for()
    assert not dialog.is_visible()


@pytest.mark.slow
def test_a_puzzle_is_analysed_from_the_side_that_solves_it(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/learn/abalone/puzzles")
    page.get_by_role("button", name="Next", exact=True).click()  # white is to move in the second one
    page.locator(".learn .board .target.live").first.wait_for(state="attached")
    heights = [visitor.target(cell).bounding_box()["y"] for cell in ("i9", "a1")]
    assert heights[0] > heights[1]
    page.get_by_role("link", name="Analyse").click()
    page.locator(".analysis .board").wait_for()
    heights = [visitor.target(cell).bounding_box()["y"] for cell in ("i9", "a1")]
    assert heights[0] > heights[1]


@pytest.mark.slow
def test_a_lesson_is_solved_with_the_keys(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/learn/connect4/2")
    page.locator(".learn .board .target.live").first.wait_for(state="attached")
    visitor.tab_to("e.closest('.board') !== null")
    for _ in range(20):
        if visitor.focused("e.dataset.id").startswith("c4"):
            break
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator(".status.right").wait_for()
    assert visitor.focused("e.textContent") == "Next"


@pytest.mark.parametrize("part", ["99", "middlegame"])
def test_the_address_of_a_missing_lesson_leads_to_the_rules(visit: Visit, part: str) -> None:
    visitor = visit()
    page = visitor.open(f"#/learn/abalone/{part}")
    page.get_by_role("alert").get_by_text(f"There is no lesson {part}").wait_for()
    page.get_by_role("heading", name="Push off").wait_for()
    page.get_by_role("button", name="2 Side-step").click()
    page.get_by_text("Move all three marbles sideways.").wait_for()
    assert not page.get_by_role("alert").count()
