"""States as deltas: whatever happens in a match, a page can reconstruct the whole state from them."""

import itertools
import json
import random
import shutil
import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import skip_unless_required
from hypothesis import given
from hypothesis import strategies as st
from web_pages import Kept, Page, Server

import boardgames
from boardgames.web.app import STATIC
from boardgames.web.deltas import REMEMBERED, StateReader, state_difference
from boardgames.web.messages import picture_json

MOVES = 12
TEXTS = st.sampled_from(["a", "b", "c", "value"])
LEAVES = st.none() | st.booleans() | st.integers(2, 5) | TEXTS
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)
CLICKS = st.dictionaries(TEXTS, st.lists(st.lists(TEXTS)), max_size=4)
OBJECTS = st.lists(st.fixed_dictionaries({"id": TEXTS, "side": LEAVES}), max_size=8)
STATES = st.fixed_dictionaries(
    {
        "id": st.just("x"),
        "any": VALUES,
        "moves": OBJECTS,
        "picture": st.fixed_dictionaries({"clicks": CLICKS, "pieces": OBJECTS}),
    }
)


@pytest.mark.slow
@given(st.lists(STATES, min_size=2, max_size=6))
def test_change_leads_from_any_state_to_any_other(states: list[dict[str, Any]]) -> None:
    reader, remembered = StateReader(), [states[0]["picture"]["clicks"]]
    reader.read({"type": "match", **states[0]})
    for old, new in itertools.pairwise({"type": "match", **state} for state in states):
        change = state_difference(old, new, remembered)
        assert (change is None) == (json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True))
        if change is not None:
            message = json.loads(json.dumps({"type": "match-change", "id": "x", "change": change}))
            assert json.dumps(reader.read(message), sort_keys=True) == json.dumps(new, sort_keys=True)
        remembered = [*remembered, new["picture"]["clicks"]][-2:]


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    kept = Kept(tmp_path / "matches.db")
    yield kept
    kept.server.close()


def whole_state(server: Server, key: str, token: str | None) -> Any:
    page = server.page()
    page.send("join", match=key, token=token)
    message = json.loads(page.socket.recv(timeout=60))
    page.close()
    assert message["type"] == "match"
    return message


@pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
def test_pages_that_join_at_any_time_get_the_whole_state(kept: Kept, game: str) -> None:
    chance, page = random.Random(1), kept.server.page()
    created = page.create("here", "here", game=game, clock=[600, 600])
    key, token = created["match"], created["token"]
    page.send("join", match=key, token=token)
    state, others, ply = page.state(id=key), [], 0
    for number in range(MOVES):
        if number % 4 == 3:
            page.send("undo", match=key)
        else:
            page.send("move", match=key, ply=ply, move=chance.choice(sorted(state["picture"]["clicks"])))
        while state["ply"] == ply:
            state = page.receive("match")
        ply = state["ply"]
        if number % 3 == 1:
            others.append(kept.server.page())
            others[-1].send("join", match=key)
        for other in others:
            while (seen := other.receive("match"))["version"] != state["version"]:
                continue
            assert seen == {**state, "yours": [], "owner": False} | clocks(seen)
    whole = whole_state(kept.server, key, token)
    assert state | clocks(whole) | {"seats": whole["seats"]} == whole
    for one in (page, *others):
        one.close()
    kept.restart()
    restored = whole_state(kept.server, key, token)
    assert restored["picture"]["pieces"] == state["picture"]["pieces"]
    assert [move["text"] for move in restored["moves"]] == [move["text"] for move in state["moves"]]


def clocks(state: Any) -> dict[str, Any]:
    """Return the fields that change without a new version."""
    return {name: state[name] for name in ("clocks", "move_left", "used", "running", "spectators")}


def test_a_page_that_joins_again_gets_a_whole_state(page: Page) -> None:
    key = page.start("here", "here")
    page.state(id=key)
    for token in (None, None):
        page.send("join", match=key, token=token)
        assert json.loads(page.socket.recv(timeout=60))["type"] == "match"


def test_a_move_of_abalone_takes_less_than_two_kilobytes_on_average(page: Page) -> None:
    chance = random.Random(1)
    created = page.create("here", "here", game="abalone")
    page.send("join", match=created["match"], token=created["token"])
    reader = StateReader()
    sizes: list[int] = []
    state: dict[str, Any] = {"ply": 0}
    while state["ply"] < 40:
        text = page.socket.recv(timeout=60)
        before, state = state["ply"], reader.read(json.loads(text))
        if state["ply"] > before:
            sizes.append(len(text))
        if not sizes or state["ply"] > before:
            move = chance.choice(sorted(state["picture"]["clicks"]))
            page.send("move", match=created["match"], ply=state["ply"], move=move)
    assert statistics.mean(sizes) < 2000


@pytest.mark.parametrize("game", ["abalone", "hexifence"])
def test_the_page_reconstructs_the_same_states(game: str) -> None:
    chance, position = random.Random(2), boardgames.load(game).start()
    states: list[dict[str, Any]] = []
    for _ in range(30):
        picture = json.loads(bytes(picture_json(position.picture())))
        states.append({"type": "match", "id": "x", "gone": 1, "picture": picture, "moves": picture["pieces"]})
        position = position.apply(chance.choice(position.legal_moves))
    del states[20]["gone"]
    messages, remembered = [states[0]], [states[0]["picture"]["clicks"]]
    for old, new in itertools.pairwise(states):
        change = state_difference(old, new, remembered)
        messages.append({"type": "match-change", "id": "x", "change": change})
        remembered = [*remembered, new["picture"]["clicks"]][-REMEMBERED:]
    node = shutil.which("node")
    if node is None:
        skip_unless_required("there is no Node.js on this machine; on Debian: apt install nodejs")
    assert node is not None
    program = (
        f'import {{ StateReader }} from "{(STATIC / "deltas.js").as_uri()}"; import fs from "node:fs"; '
        "const reader = new StateReader(); const messages = JSON.parse(fs.readFileSync(0)); "
        "console.log(JSON.stringify(messages.map((message) => reader.read(message))));"
    )
    command = [node, "--input-type=module", "--eval", program]
    ran = subprocess.run(command, input=json.dumps(messages), capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == states
