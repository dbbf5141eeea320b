"""The list of matches: filtered, sorted, renamed and cleared."""

from collections.abc import Callable

import pytest
from browsers import Visitor, give_name, press
from web_pages import Kept, Server

from boardgames.game import Outcome, Termination
from boardgames.record import Record
from boardgames.store import NewMatch, Store

Visit = Callable[..., Visitor]
RESIGNED = Outcome(1, Termination.RESIGNATION)


@pytest.fixture
def server(kept: Kept) -> Server:
    """Return a server with a list of its own, for the visitors."""
    return kept.server


def names(visitor: Visitor) -> list[str]:
    return [str(text) for text in visitor.page.locator(".matches strong").all_inner_texts()]


def pieces(visitor: Visitor) -> int:
    return int(visitor.page.locator(".board .pieces > g, .board .under > g").count())


def stored(*moves: str, outcome: Outcome | None = RESIGNED) -> NewMatch:
    """Return a match without names, as programs store it."""
    return NewMatch.from_record(Record("connect4", start="-", moves=moves, outcome=outcome))


def stored_plies(kept: Kept) -> list[int]:
    with Store(kept.store) as store:
        return [match.plies for match in store.matches()]


def wait_for_names(visitor: Visitor, *expected: str) -> None:
    visitor.wait(lambda: names(visitor) == list(expected), f"the list {expected}, not {names(visitor)}")


@pytest.mark.slow
def test_matches_are_filtered_sorted_renamed_and_cleared(visit: Visit, kept: Kept) -> None:
    page = kept.server.page()
    page.create("here", "here")
    over = page.create("here", "here", game="abalone")
    page.send("join", match=over["match"], token=over["token"])
    page.send("resign", match=over["match"])
    page.outcome()
    page.close()
    visitor = visit(viewport={"width": 390, "height": 900})
    visitor.start("hexifence", dimension=2)
    visitor.open("#/")
    wait_for_names(visitor, "Hexifence", "Connect Four", "Abalone")

    visitor.page.get_by_label("Sort by").select_option("game")
    wait_for_names(visitor, "Abalone", "Connect Four", "Hexifence")
    visitor.page.get_by_label("Show").select_option("finished")
    wait_for_names(visitor, "Abalone")
    visitor.page.get_by_text("2 matches are hidden by this filter.").wait_for()
    visitor.page.reload()
    wait_for_names(visitor, "Abalone")
    clear = visitor.page.get_by_role("button", name="Clear finished")
    assert clear.is_disabled()  # the finished match belongs to somebody else
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
    visitor.page.get_by_text("No matches fit this filter.").wait_for()

    visitor.open(f"#/match/{over['match']}/{over['token']}")
    visitor.wait(lambda: visitor.state, "the match")
    visitor.open("#/")
    visitor.page.get_by_label("Show").select_option("all")
    press(visitor, "Clear finished")
    visitor.page.get_by_text("Delete 1 finished match, also from “boardgames matches”?").wait_for()
    visitor.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    wait_for_names(visitor, "Connect Four")


@pytest.mark.slow
def test_a_match_played_in_the_terminal_is_listed_opened_stepped_through_and_deleted(
    visit: Visit, kept: Kept
) -> None:
    visitor = visit(viewport={"width": 1400, "height": 900})
    visitor.start("hexifence", dimension=2)
    with Store(kept.store) as store:
        store.add([stored("4", "4", "5"), stored("1", "2", outcome=None)])
    visitor.open("#/")
    wait_for_names(visitor, "Hexifence", "Connect Four", "Connect Four")
    entries = [text.split("\n") for text in visitor.page.locator(".match-text").all_inner_texts()[1:]]
    assert [entry[1] for entry in entries] == ["red \N{EN DASH} blue"] * 2
    assert [" · ".join(entry[2].split(" · ")[:2]) for entry in entries] == [
        "2 moves · unfinished",
        "3 moves · blue wins by resignation",
    ]
    assert [entry[2].split(" · ")[-1] for entry in entries] == ["stored as 2", "stored as 1"]
    visitor.page.get_by_label("Sort by").select_option("game")
    wait_for_names(visitor, "Connect Four", "Connect Four", "Hexifence")
    visitor.page.get_by_label("Show").select_option("finished")
    wait_for_names(visitor, "Connect Four")

    visitor.page.get_by_role("link", name="View").click()
    visitor.wait(lambda: visitor.state.get("id") == "stored.1", "the match")
    visitor.wait(lambda: pieces(visitor) == 3, "three stones")
    visitor.page.keyboard.press("ArrowLeft")
    visitor.wait(lambda: pieces(visitor) == 2, "two stones")
    visitor.page.keyboard.press("ArrowRight")
    visitor.wait(lambda: pieces(visitor) == 3, "three stones again")
    press(visitor, "Review")
    visitor.page.get_by_role("button", name="Review the moves").click()
    visitor.page.get_by_text("% accuracy").first.wait_for()
    visitor.open("#/match/stored.2")
    visitor.page.get_by_text("The match stopped: it was stored unfinished").first.wait_for()
    press(visitor, "Analyse")
    visitor.page.get_by_role("button", name="Review the moves").wait_for()

    visitor.open("#/")
    wait_for_names(visitor, "Connect Four")
    visitor.page.get_by_role("button", name="Delete Connect Four").click()
    press(visitor, "Cancel")
    assert stored_plies(kept) == [2, 3]
    visitor.page.get_by_role("button", name="Delete Connect Four").click()
    visitor.page.get_by_text("It is deleted from “boardgames matches” too.").wait_for()
    visitor.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    visitor.page.get_by_text("No matches fit this filter.").wait_for()
    assert stored_plies(kept) == [2]


@pytest.mark.slow
def test_matches_played_meanwhile_are_listed_when_the_window_is_used_again(visit: Visit, kept: Kept) -> None:
    visitor = visit()
    visitor.open("#/")
    visitor.page.get_by_text("No matches yet.").wait_for()
    with Store(kept.store) as store:
        store.add([stored("4", "4", "5")])
    visitor.page.evaluate("dispatchEvent(new Event('focus'))")
    wait_for_names(visitor, "Connect Four")
    assert not visitor.page.get_by_text("hidden by this filter").is_visible()


@pytest.mark.slow
def test_a_long_list_says_how_many_more_there_are(visit: Visit, kept: Kept) -> None:
    page = kept.server.page()
    for _ in range(14):
        page.create("here", "here")
    page.close()
    visitor = visit()
    visitor.open("#/")
    visitor.wait(lambda: len(names(visitor)) == 12, "the first matches")
    with Store(kept.store) as store:
        store.add([stored(*["1"] * count) for count in range(1, 101)])
    visitor.page.reload()
    press(visitor, "102 more")
    visitor.wait(lambda: len(names(visitor)) == 112, "more matches")
    press(visitor, "2 more")
    visitor.wait(lambda: len(names(visitor)) == 114, "all matches")
    assert not visitor.page.get_by_role("button", name="more").is_visible()


@pytest.mark.slow
def test_people_who_watch_a_match_are_told_when_it_is_deleted(visit: Visit, kept: Kept) -> None:
    page = kept.server.page()
    created = page.create("here", "here")
    visitor = visit()
    visitor.open(f"#/match/{created['match']}")
    visitor.wait(lambda: visitor.state, "the match")
    page.ask("delete", matches=[{"match": created["match"], "tokens": [created["token"]]}])
    page.close()
    visitor.page.get_by_text("it has been deleted").first.wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, 1])
def test_the_link_of_a_seat_takes_it_and_that_for_spectators_offers_none(visit: Visit, side: int) -> None:
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
    give_name(guest, "Bob")
    creator.wait(lambda: "Bob" in creator.state["names"], "the name")
    guest.wait(lambda: guest.state.get("yours") == [1 - side], "the seat")
    late.open(f"#/seat/{key}")
    late.page.get_by_text("The free seat has been taken").first.wait_for()
    creator.page.get_by_text("2 spectators", exact=True).wait_for()
    guest.page.reload()
    guest.wait(lambda: guest.state.get("yours") == [1 - side], "the seat again")
