"""Analyses of positions over a socket, and what is refused."""

import threading
import time
from functools import cached_property
from typing import Any

import pytest
from installed import add_offers
from waiting import TIMEOUT_S
from web_pages import Page, Server

import boardgames
from boardgames.errors import MatchError
from boardgames.game import Position
from boardgames.networks import Network, NetworkShape
from boardgames.player import Analysis, Context, Limit
from boardgames.players.alphabeta import AlphaBeta
from boardgames.players.alphazero import AlphaZero
from boardgames.plugins import load_player
from boardgames.web import lobby as lobbies
from boardgames.web import searches
from boardgames.web.analysis import _KeptAgent
from boardgames.web.tables import Tables


def analysis(page: Page, **fields: object) -> Any:
    reply = page.ask("analyse", **{"game": "connect4", "seconds": 0.2, **fields})
    assert reply["type"] == "analysis", reply
    return reply


def reason(page: Page, **fields: object) -> str:
    reply = page.ask("analyse", **fields)
    assert reply["type"] == "refused", reply
    assert "\n" not in reply["reason"]
    return str(reply["reason"])


# --- values ----------------------------------------------------------------------


@pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
def test_every_legal_move_has_a_value_best_first(page: Page, game: str) -> None:
    reply = analysis(page, game=game, lines=2)
    start = boardgames.load(game).start()
    assert {entry["move"] for entry in reply["values"]} == {move.text for move in start.legal_moves}
    assert reply["best"] == reply["values"][0]["move"] == reply["lines"][0]["moves"][0]
    assert len(reply["lines"]) == 2
    scores = [entry["score"] for entry in reply["values"]]
    assert scores == sorted(scores, reverse=True)  # side 0 moves first


def test_a_solver_is_used_and_its_values_are_proven(page: Page) -> None:
    reply = analysis(page, position="112233", seconds=2)
    assert (reply["agent"], reply["value"], reply["score"], reply["proven"]) == (
        "solver",
        "win in 1 move (1 ply)",
        1.0,
        True,
    )
    assert reply["best"] == "4"


def test_scores_are_for_the_first_side_and_texts_for_the_side_to_move(page: Page) -> None:
    reply = analysis(page, position="33445", seconds=2)
    assert (reply["to_move"], reply["value"], reply["score"]) == (1, "loss in 1 move (2 plies)", 1.0)


class WithNetwork(AlphaZero):
    """An agent with a random network, as no network is installed."""

    @cached_property
    def network(self) -> Network:
        return Network.random(self.game, NetworkShape.of(self.game, channels=4, blocks=1), seed=1)


def test_a_network_shows_its_policy_and_value_beside_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    add_offers(monkeypatch, "bg_agents", guesser=WithNetwork)
    server = Server()
    page = server.page()
    reply = analysis(page, agent="guesser:simulations=40", moves=["4"])
    assert sum(entry["policy"] for entry in reply["values"]) == pytest.approx(1, abs=1e-5)
    assert sum(entry["share"] for entry in reply["values"]) == pytest.approx(1)
    assert reply["network_value"].endswith("%")
    for agent, moves in (("lines", []), ("mcts:simulations=50", []), ("guesser", ["1", "7"] * 3)):
        without = analysis(page, agent=agent, moves=moves)  # in the last one, the network is not asked
        assert (without["network_value"], without["values"][0]["policy"]) == ("", None)
    page.close()
    server.close()


def test_a_position_is_reached_by_moves(page: Page) -> None:
    reply = analysis(page, moves=["1", "1", "2", "2", "3", "3"], values=False)
    assert (reply["ply"], reply["best"], len(reply["values"])) == (6, "4", 1)


def test_a_finished_match_has_its_result_as_value(page: Page) -> None:
    reply = analysis(page, position="1122334")
    assert (reply["best"], reply["score"], reply["values"]) == (None, 1.0, [])


def test_analysis_takes_the_ply_limit_of_a_match_into_account(page: Page) -> None:
    board = "...../....../......./......../wbb....bw/......../......./....w./....."
    rules = {"game": "abalone", "options": {"limit": "score"}, "position": f"{board}:b:2:2", "ply_limit": 2}
    match = page.start("here", "here", **rules)
    page.state(ply=0)
    asked = {"game": None, "match": match, "agent": "alphabeta"}
    assert analysis(page, **asked)["value"] == "win in 1 move (2 plies)"
    assert page.ask("hint", match=match)["move"] == "e3e2"
    page.send("move", match=match, ply=0, move="e3e2")
    page.state(ply=1)
    assert analysis(page, **asked)["value"] == "loss in 1 move (1 ply)"
    page.send("move", match=match, ply=1, move="e9f9")
    outcome = page.outcome()
    assert (outcome["winner"], outcome["termination"]) == (0, "ply-limit")
    at_end = analysis(page, **asked)
    assert (at_end["value"], at_end["score"], at_end["best"]) == ("won", 1.0, None)
    assert analysis(page, **asked, ply=0)["value"] == "win in 1 move (2 plies)"


def test_a_position_of_a_match_on_the_server(page: Page) -> None:
    match = page.start("here", "here")
    for ply, move in enumerate("112233"):
        page.send("move", match=match, ply=ply, move=move)
    page.state(ply=6)
    now = analysis(page, game=None, match=match)
    assert (now["match"], now["ply"], now["best"]) == (match, 6, "4")
    before = analysis(page, game=None, match=match, ply=2)
    assert (before["ply"], before["to_move"]) == (2, 0)


def test_a_new_analysis_ends_the_previous_one(page: Page) -> None:
    page.send("analyse", re=1, game="abalone", seconds=30)
    page.send("analyse", re=2, game="abalone", seconds=0.1)
    answers = {message["re"]: message for message in (page.receive("analysis", "refused") for _ in range(2))}
    assert answers[1]["reason"] == "the analysis was stopped because a new one has started"
    assert answers[2]["type"] == "analysis"


def test_the_bar_and_the_analysis_run_side_by_side(page: Page) -> None:
    page.send("analyse", re=1, game="connect4", seconds=0.5)
    page.send("analyse", re=2, game="connect4", seconds=0.5, purpose="bar", values=False)
    assert {page.receive("analysis")["re"] for _ in range(2)} == {1, 2}


def test_an_analysis_that_is_stopped_answers_with_what_it_has(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyse, started = AlphaBeta.analyse, threading.Event()

    def analyse_when_stopped(
        self: AlphaBeta, position: Position, limit: Limit, context: Context, *, lines: int | None
    ) -> Analysis:
        started.set()
        while context.stop is None or not context.stop.is_set():
            time.sleep(0.001)
        return analyse(self, position, limit, context, lines=lines)

    monkeypatch.setattr(AlphaBeta, "analyse", analyse_when_stopped)
    page.send("analyse", re=1, game="abalone", agent="alphabeta")
    assert started.wait(TIMEOUT_S)
    page.send("stop-analysis")
    assert page.receive("analysis")["best"]


def test_closing_the_page_stops_its_search(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    started, stopped = threading.Event(), threading.Event()

    def load_and_watch(text: str, game: Any, **options: Any) -> Any:
        player = load_player(text, game, **options)
        monkeypatch.setattr(player, "close", stopped.set)
        started.set()
        return player

    monkeypatch.setattr(lobbies, "load_player", load_and_watch)
    page = server.page()
    page.send("analyse", game="abalone", seconds=30)
    assert started.wait(25)
    page.close()
    assert stopped.wait(25)


def test_an_analysis_that_does_not_end_gives_way_to_others(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.web.analysis.STUCK_SECONDS", 0.1)
    analyse, held = AlphaBeta.analyse, threading.Event()
    started: list[AlphaBeta] = []

    def hang_at_first(self: AlphaBeta, *arguments: Any, **options: Any) -> Analysis:
        started.append(self)
        if len(started) == 1:
            held.wait(TIMEOUT_S)
        return analyse(self, *arguments, **options)

    monkeypatch.setattr(AlphaBeta, "analyse", hang_at_first)
    try:
        page.send("analyse", re=1, game="connect4", agent="alphabeta", seconds=0.1)
        while not started:
            time.sleep(0.001)
        assert reason(page, game="connect4", agent="alphabeta") == (
            "the previous analysis by 'alphabeta' did not stop within 0.1 s"
        )
        assert analysis(page, agent="alphabeta")["best"]
        assert started[1] is not started[0]
    finally:
        held.set()


def test_an_agent_is_released_before_a_search_that_begins_after_its_page_has_gone() -> None:
    kept, released = _KeptAgent(Tables()), []
    game = boardgames.load("connect4")
    _, player = kept.think("alphabeta", game, lambda player: player)
    player.close = lambda: released.append(player)  # type: ignore[method-assign]  # to see the call
    kept.is_closed = True
    kept.release_if_closed()
    with pytest.raises(MatchError):
        kept.think("alphabeta", game, lambda player: player)
    assert released == [player]


# --- what is refused -------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "a position needs a match or a game"),
        ({"game": "chess"}, "no such game 'chess'; available: abalone, connect4, hexifence"),
        ({"game": "connect4", "position": "x" * 9_000}, "'xxxxxxxx"),
        ({"game": "connect4", "position": "5" * 9_000}, "the column is full"),
        ({"game": "connect4", "moves": ["4"] * 1_500}, "move 7: illegal move '4'"),
        ({"game": "connect4", "options": {"layout": "7x6"}}, "the layout is not an option of a game"),
        ({"game": "connect4", "options": {"self": 1}}, "has no option 'self'"),
        ({"game": "connect4", "options": {"columns": 1e9}}, "columns must be"),
        ({"game": "hexifence", "options": {"dimension": 10**9}}, "dimension must be 2 to 8"),
        ({"game": "connect4", "layout": "../../etc/passwd"}, "no layout"),
        ({"match": "nowhere"}, "there is no such match on this server"),
        ({"game": "connect4", "agent": "engine:cmd=sh"}, "the agent 'engine' cannot be used in the browser"),
        ({"game": "connect4", "agent": "human"}, "the agent 'human' cannot be used in the browser"),
        ({"game": "connect4", "agent": "alphabeta:weights=/x/y"}, "weights cannot be a file in the browser"),
        ({"game": "connect4", "agent": "alphabeta:weights=../x"}, "weights cannot be a file in the browser"),
        ({"game": "connect4", "agent": "random"}, "the player 'random' does not evaluate moves"),
        ({"game": "connect4", "agent": "alphabeta:depth=99999"}, "depth must be 1 to 100"),
    ],
)  # fmt: skip
def test_a_wrong_analysis_is_refused_with_the_reason(
    page: Page, fields: dict[str, Any], expected: str
) -> None:
    assert expected in reason(page, **fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"seconds": 1e9},
        {"seconds": -1},
        {"seconds": "1"},
        {"lines": 6},
        {"lines": -1},
        {"moves": "444"},
        {"moves": [4]},
        {"moves": ["4"] * 3_000},
        {"position": 4},
        {"position": "4" * 20_000},
        {"options": [1]},
        {"agent": ["alphabeta"]},
        {"ply": -1, "match": "x"},
        {"purpose": "another"},
        {"command": "sh"},
    ],
)
def test_a_malformed_analysis_is_refused_and_the_page_stays_connected(
    page: Page, fields: dict[str, Any]
) -> None:
    page.send("analyse", **{"game": "connect4", **fields})
    assert page.receive("refused")["reason"].startswith("not a message of this protocol")
    assert analysis(page)["best"] == "4"


# --- reviews of records ----------------------------------------------------------


def test_a_review_has_the_value_of_every_position_and_better_moves_for_mistakes(page: Page) -> None:
    page.send("annotate", re=7, key="a", game="connect4", moves=list("121213"), agent="alphabeta:depth=2")
    told = [page.receive("annotated") for _ in range(7)]
    assert [one["ply"] for one in told] == list(range(7))
    last = told[-1]["move"]
    assert (last["move"], last["mark"], last["better"][0]) == ("3", "??", "1")
    end = page.receive("annotation")
    assert (end["re"], end["key"], end["complete"]) == (7, "a", True)
    assert end["summaries"][1].startswith("blue: 0 inaccuracies, 0 mistakes, 1 blunder, mean loss ")


def test_a_review_that_is_stopped_says_that_it_is_not_complete(page: Page) -> None:
    page.send("annotate", re=7, key="a", game="abalone", moves=["a1b2", "g4g3"], seconds=0.5)
    page.receive("annotated")
    page.send("stop-analysis", purpose="annotation")
    assert page.receive("annotation")["complete"] is False


def test_accuracy_is_full_for_best_moves_and_low_for_a_blunder(page: Page) -> None:
    page.send("annotate", re=7, key="a", game="connect4", moves=list("121213"), agent="alphabeta:depth=2")
    first, second = page.receive("annotation")["accuracies"]
    assert 0 < second < first - 20 <= 80  # the second side loses at once


def test_a_review_is_kept_with_its_match_until_the_match_has_other_moves(page: Page) -> None:
    match = page.start("here", "here")
    for ply, move in enumerate("12"):
        page.send("move", match=match, ply=ply, move=move)
    page.state(ply=2)
    page.send("annotate", re=7, key="a", match=match, kept=True)
    assert page.receive("refused")["reason"] == "there is no finished review of this match"
    page.send("annotate", re=8, key="b", match=match, agent="alphabeta:depth=2")
    told, end = [page.receive("annotated") for _ in range(3)], page.receive("annotation")
    page.send("annotate", re=9, key="c", match=match, kept=True)
    again, kept = [page.receive("annotated") for _ in range(3)], page.receive("annotation")
    assert again == [{**one, "key": "c"} for one in told]
    assert kept == {**end, "key": "c", "re": 9}
    page.send("move", match=match, ply=2, move="3")
    page.state(ply=3)
    page.send("annotate", re=10, key="d", match=match, kept=True)
    assert page.receive("refused")["re"] == 10


@pytest.mark.slow  # several reviews, one after another
def test_long_reviews_do_not_count_as_stuck_while_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "MAX_WAIT_SECONDS", 0.05)
    monkeypatch.setattr(searches, "GRACE_SECONDS", 0.05)
    server = Server(searches=1)
    pages = [server.page() for _ in range(5)]
    for page in pages:
        page.send("annotate", key="a", game="abalone", agent="alphabeta", seconds=0.4)
    answers = [page.receive("annotation", "refused") for page in pages]
    assert [answer.get("complete", answer) for answer in answers] == [True] * 5
    for page in pages:
        page.close()
    server.close()
