"""The list of matches: filtered, sorted, renamed and cleared."""

from collections.abc import Callable

import pytest
from browsers import Visitor, press
from web_pages import Kept, Server

Visit = Callable[..., Visitor]


@pytest.fixture
def server(kept: Kept) -> Server:
    """Return a server with a list of its own, for the visitors."""
    return kept.server


def names(visitor: Visitor) -> list[str]:
    return [str(text) for text in visitor.page.locator(".matches strong").all_inner_texts()]


def wait_for_names(visitor: Visitor, *expected: str) -> None:
    visitor.wait(lambda: names(visitor) == list(expected), f"the list {expected}, not {names(visitor)}")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1400])
def test_matches_are_filtered_sorted_renamed_and_cleared(visit: Visit, kept: Kept, width: int) -> None:
    page = kept.server.page()
    page.create("here", "here")
    over = page.create("here", "here", game="abalone")
    page.send("join", match=over["match"], token=over["token"])
    page.send("resign", match=over["match"])
    page.outcome()
    page.close()
    visitor = visit(viewport={"width": width, "height": 900})
    visitor.start("hexifence", dimension=2)
    visitor.open("#/")
    wait_for_names(visitor, "Hexifence", "Connect Four", "Abalone")

    visitor.page.get_by_label("Sort by").select_option("game")
    wait_for_names(visitor, "Abalone", "Connect Four", "Hexifence")
    visitor.page.get_by_label("Show").select_option("finished")
    wait_for_names(visitor, "Abalone")
    visitor.page.reload()
    wait_for_names(visitor, "Abalone")
    press(visitor, "Clear finished")  # it is somebody else's
    visitor.page.get_by_text("No finished match can be deleted by you.").first.wait_for()
    visitor.page.get_by_label("Show").select_option("mine")
    wait_for_names(visitor, "Hexifence")

    visitor.page.get_by_role("button", name="Rename").click()
    visitor.page.get_by_role("textbox", name="Name of this match").fill("Practice")
    visitor.page.keyboard.press("Enter")
    wait_for_names(visitor, "Practice")
    visitor.page.get_by_role("button", name="Delete Practice").click()
    press(visitor, "Cancel")
    wait_for_names(visitor, "Practice")
    visitor.page.get_by_role("button", name="Delete Practice").click()
    visitor.page.get_by_role("button", name="Delete", exact=True).click()
    visitor.page.get_by_text("There are no such matches.").wait_for()

    visitor.open(f"#/match/{over['match']}/{over['token']}")
    visitor.wait(lambda: visitor.state, "the match")
    visitor.open("#/")
    visitor.page.get_by_label("Show").select_option("all")
    press(visitor, "Clear finished")
    visitor.page.get_by_text("Delete 1 finished match?").wait_for()
    visitor.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    wait_for_names(visitor, "Connect Four")


@pytest.mark.slow
def test_a_long_list_says_how_many_more_there_are(visit: Visit, kept: Kept) -> None:
    page = kept.server.page()
    for _ in range(14):
        page.create("here", "here")
    page.close()
    visitor = visit()
    visitor.open("#/")
    visitor.wait(lambda: len(names(visitor)) == 12, "the first matches")
    press(visitor, "2 more")
    visitor.wait(lambda: len(names(visitor)) == 14, "all matches")
    assert not visitor.page.get_by_role("button", name="more").is_visible()


@pytest.mark.slow
def test_a_match_that_is_deleted_says_so_to_those_who_watch_it(visit: Visit, kept: Kept) -> None:
    page = kept.server.page()
    created = page.create("here", "here")
    visitor = visit()
    visitor.open(f"#/match/{created['match']}")
    visitor.wait(lambda: visitor.state, "the match")
    page.ask("delete", matches=[{"match": created["match"], "tokens": [created["token"]]}])
    page.close()
    visitor.page.get_by_text("It has been deleted.").first.wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, 1])
def test_a_seat_is_taken_by_its_link_and_spectators_by_theirs_are_offered_none(
    visit: Visit, side: int
) -> None:
    creator, spectator, guest, late = (visit() for _ in range(4))
    creator.start("connect4", "open", side=side)
    key = creator.page.url.rpartition("/")[2]
    for button in ("Copy invitation", "Copy link to watch"):
        assert creator.page.get_by_role("button", name=button).is_visible()
    spectator.open(f"#/watch/{key}")
    spectator.wait(lambda: spectator.state, "the match")
    play = f"Play {creator.state['sides'][1 - side]}"
    assert creator.page.get_by_role("button", name=play, exact=True).is_visible()
    assert not spectator.page.get_by_role("button", name=play, exact=True).is_visible()
    creator.page.get_by_text("1 spectator", exact=True).wait_for()
    guest.open(f"#/seat/{key}")
    guest.wait(lambda: guest.state.get("yours") == [1 - side], "the seat")
    late.open(f"#/seat/{key}")
    late.page.get_by_text("The free seat has been taken").first.wait_for()
    creator.page.get_by_text("2 spectators", exact=True).wait_for()
    guest.page.reload()
    guest.wait(lambda: guest.state.get("yours") == [1 - side], "the seat again")
