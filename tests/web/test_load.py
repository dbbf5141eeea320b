"""Memory and descriptors stay the same, however many matches are played."""

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from web_pages import Server

from boardgames.web import lobby

SESSIONS = 6
MATCHES = 1
PLIES = 8
MARGIN_MB = 40

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system has no /proc")


def usage() -> tuple[float, int]:
    """Return the resident memory of this process in MB, and how many descriptors it has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6, sum(1 for _ in Path("/proc/self/fd").iterdir())


def play_matches(server: Server, session: int) -> None:
    """Play matches against an agent, each on a page of its own; some are resigned early."""
    chance = random.Random(session)
    for _ in range(MATCHES):
        page = server.page()
        match = page.start("here", "random", ply_limit=PLIES)
        while (state := page.receive("match"))["outcome"] is None:
            if chance.random() < 0.02:
                page.send("resign", match=match)
            elif state["to_move"] in state["yours"] and not state["thinking"]:
                move = chance.choice(sorted(state["picture"]["clicks"]))
                page.send("move", match=match, ply=state["ply"], move=move)
        page.close()


@pytest.mark.slow
def test_many_sessions_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "MAX_MATCHES", SESSIONS + 5)
    server = Server()
    with ThreadPoolExecutor(SESSIONS) as people:
        rounds = []
        for _ in range(3):
            list(people.map(lambda session: play_matches(server, session), range(SESSIONS)))
            server.wait_until_idle()
            rounds.append(usage())
    server.close()
    memory, descriptors = zip(*rounds[1:], strict=True)
    assert max(descriptors) <= min(descriptors) + 2
    assert max(memory) - memory[0] < MARGIN_MB
