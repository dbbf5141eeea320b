"""A match is shown move by move: your own move before the reply, and clicks in between do nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from browsers import Visitor

Visit = Callable[..., Visitor]
PACE = """async (script) => {
  const { Pace } = await import("/pace.js");
  let now = 0;
  const [timers, shown] = [[], []];
  const pace = new Pace({
    show: ({ ply, picture, to_move, moves }) =>
      shown.push([now, ply, picture, to_move, moves.length, pace.isBehind]),
    look: async (ply) => `board ${ply}`, now: () => now, isHidden: () => Boolean(script.hidden),
    later: (call, ms) => timers.push({ at: now + ms, call }),
  });
  const seats = (script.seats ?? ["here", "agent"]).map((kind) => ({ kind }));
  const rest = async () => { for (let i = 0; i < 20; i++) await null; };
  for (const [at, text] of script.states) {
    const moves = [...text].map((c) => ({ text: c, side: c === c.toUpperCase() ? 1 : 0 }));
    const later = [...script.next ?? "aA"][moves.length % 2];
    const side = later === later.toUpperCase() ? 1 : 0;
    const state = { moves, seats, yours: script.yours ?? [0], to_move: side, picture: `state ${text}` };
    timers.push({ at, call: () => pace.receive({ ...state, ply: moves.length }) });
  }
  while (timers.length) {
    timers.sort((a, b) => a.at - b.at);
    const { at, call } = timers.shift();
    now = Math.max(now, at);
    call();
    await rest();
  }
  return shown;
}"""


def shown(page: Any, states: list[tuple[int, str]], **script: object) -> list[Any]:
    """Return when each ply was shown, given when states arrive; capitals are moves of the second side."""
    return list(page.evaluate(PACE, {"states": states, **script}))


def test_a_reply_is_shown_half_a_second_after_the_users_move(scripts: Any) -> None:
    found = shown(scripts, [(0, ""), (1000, "a"), (1010, "aB")])
    assert [(at, ply, is_behind) for at, ply, *_, is_behind in found] == [
        (0, 0, False),
        (1000, 1, False),
        (1500, 2, False),
    ]


def test_the_users_move_is_shown_even_if_only_the_reply_arrives(scripts: Any) -> None:
    found = shown(scripts, [(0, ""), (1000, "aB")])
    assert found[1:] == [[1000, 1, "board 1", 1, 1, True], [1500, 2, "state aB", 0, 2, False]]


@pytest.mark.parametrize(
    ("states", "script", "times"),
    [
        pytest.param([(0, ""), (900, "a"), (1900, "aB")], {}, [0, 900, 1900], id="a slow reply"),
        pytest.param([(0, ""), (9, "a"), (9, "aBC")], {}, [0, 9, 509, 759], id="two moves in a row"),
        pytest.param([(0, ""), (9, "a"), (9, "aB")], {"hidden": True}, [0, 9, 9], id="in a hidden page"),
        pytest.param([(0, ""), (9, "aBcDeFgHi")], {}, [0, 9], id="after a long absence"),
        pytest.param([(0, ""), (9, "a"), (19, "aB"), (29, "")], {}, [0, 9, 29], id="taken back meanwhile"),
        pytest.param([(0, ""), (9, "a"), (9, "aB")], {"seats": ["agent"] * 2}, [0, 9, 9], id="agents"),
        pytest.param([(0, ""), (9, "a"), (9, "aB")], {"yours": [0, 1]}, [0, 9, 9], id="against oneself"),
    ],
)
def test_a_state_is_not_delayed_without_a_reason(
    scripts: Any, states: list[tuple[int, str]], script: dict[str, object], times: list[int]
) -> None:
    assert [at for at, *_ in shown(scripts, states, **script)] == times


@pytest.mark.slow
@pytest.mark.parametrize("gap_ms", [0, 300])
def test_a_double_click_plays_one_move(visit: Visit, gap_ms: int) -> None:
    visitor = visit()
    visitor.start("connect4")
    target = visitor.target("c4r1")
    target.click(force=True)
    visitor.page.wait_for_timeout(gap_ms)
    target.click(force=True)
    visitor.wait_for_ply(2)
    visitor.page.wait_for_timeout(100)
    assert len(visitor.shown_moves()) == 2
    assert not visitor.page.locator(".board-notice").is_visible()


@pytest.mark.slow
def test_a_double_click_plays_one_move_when_the_user_plays_both_sides(visit: Visit) -> None:
    visitor = visit()
    visitor.start("connect4", "here")
    visitor.target("c4r1").dblclick(force=True, delay=60)
    visitor.page.wait_for_timeout(200)
    assert visitor.shown_moves() == ["4"]


@pytest.mark.slow
@pytest.mark.parametrize("confirm", ["button", "second click", "keys"])
def test_a_move_waits_for_confirmation_if_that_is_switched_on(visit: Visit, confirm: str) -> None:
    visitor = visit()
    visitor.start("abalone", "here")
    page = visitor.page
    page.get_by_role("checkbox", name="Confirm moves").check()
    button = page.get_by_role("button", name="Confirm", exact=True)
    click = page.get_by_role("button", name="Cancel", exact=True).click
    for cancel in (click, lambda: page.keyboard.press("Escape"), None):
        for cell in ("c3", "c2"):
            visitor.target(cell).click(force=True)
        visitor.target("d2").click(force=True)
        page.locator(".result .after").first.wait_for()
        assert button.is_visible()
        assert visitor.state["ply"] == 0
        if cancel is not None:
            cancel()
            page.locator(".result .after").first.wait_for(state="detached")
            assert not button.is_visible()
    if confirm == "button":
        button.click()
    elif confirm == "keys":
        button.focus()
        page.keyboard.press("Enter")
    else:
        visitor.target("d2").click(force=True)
    visitor.wait_for_ply(1)
    assert not button.is_visible()
    page.reload()
    visitor.wait(page.get_by_role("checkbox", name="Confirm moves").is_checked, "the setting")
