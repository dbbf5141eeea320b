"""Pages work whatever the order of events: lost connections, or quick changes of the address."""

import json
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from browsers import Visitor
from web_pages import Kept

import boardgames
from boardgames.web.messages import picture_json

Visit = Callable[..., Visitor]
SLOW_S = 0.2
"""How long the loading of a module is delayed."""


DRAW_IN_EVERY_ORDER = """async (picture) => {
  const { Board } = await import("/board.js");
  const { Marks } = await import("/overlays.js");
  const [{ id }] = picture.cells;
  const classes = [{ symbol: "m", name: "mark", summary: "" }];
  const marks = new Marks([{ classes, marks: { [id]: "m" }, groups: [] }]);
  const steps = [
    (board) => board.show(picture, { interactive: true }),
    (board) => board.setFlipped(true),
    (board) => board.setCoordinates(false),
    (board) => board.setMarks(marks),
    (board) => board.click("nowhere"),
    (board) => [Object.keys(picture.clicks)[0], null].forEach((move) => board.preview(move)),
    (board) => [picture, null].forEach((result) => board.showResult(result)),
    (board) => board.clear(),
  ];
  return steps.map((_, first) => {
    const board = new Board({ onMove() {} });
    for (const step of [...steps.slice(first), ...steps.slice(0, first)]) step(board);
    board.close();
    return board.svg.outerHTML.replaceAll(/board\\d+/g, "board");
  });
}"""


def lose(page: Any, kind: str, moves: list[str] | None = None) -> None:
    """Break the connection of a page at its first request of this kind, which is never answered.

    With `moves` it is the first one that has these moves.
    """
    lost: list[str] = []

    def connect(socket: Any) -> None:
        server, is_first = socket.connect_to_server(), not lost

        def forward(message: str) -> None:
            if is_first and lost:
                return  # the page has sent it before it learned that the connection is lost
            asked = json.loads(message)
            if not lost and asked["type"] == kind and moves in (None, asked.get("moves")):
                lost.append(message)
                server.close()
                socket.close()
            else:
                server.send(message)

        socket.on_message(forward)

    page.route_web_socket("**/ws", connect)


def test_the_order_in_which_its_properties_are_set_does_not_change_the_board(scripts: Any) -> None:
    for game in ("abalone", "connect4", "hexifence"):
        picture = msgspec.json.decode(picture_json(boardgames.load(game).start().picture()))
        drawn = scripts.evaluate(DRAW_IN_EVERY_ORDER, picture)
        assert len(set(drawn)) == 1
        assert drawn[0].count('data-id="') == len(picture["cells"]) + len(picture["lines"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "kind", "shown"),
    [
        ("#/new/tictactoe", "catalogue", ".seat"),
        ("#/new/tictactoe", "game", ".seat"),
        ("#/analysis/tictactoe", "board", ".board .target"),
        ("#/analysis/tictactoe", "game", "#evaluators option"),
        ("match", "join", ".board .target"),
        ("match", "game", "#evaluators option"),
        ("#/learn/tictactoe/1", "lessons", ".board .target.live"),
        ("#/learn/tictactoe/1", "board", ".board .target.live"),
        ("#/learn/tictactoe/puzzles", "puzzle", ".board .target.live"),
        ("#/training", "runs", "text=There are no training runs yet"),
    ],
)
def test_unanswered_requests_are_repeated_after_reconnecting(
    visit: Visit, home: object, address: str, kind: str, shown: str
) -> None:
    visitor = visit()
    if address == "match":
        player = visit()
        player.start("tictactoe", "here")
        address = f"#{player.page.url.partition('#')[2]}"
    lose(visitor.page, kind)
    visitor.page.goto(f"{visitor.origin}/{address}")
    visitor.page.locator(shown).first.wait_for(state="attached")


@pytest.mark.slow
def test_a_move_that_was_lost_in_an_analysis_is_shown_after_reconnecting(visit: Visit) -> None:
    page = (visitor := visit()).page
    lose(page, "board", ["b2"])
    visitor.open("#/analysis/tictactoe")
    page.locator('.board .live[data-id="b2"]').click(force=True)
    page.locator(".status").get_by_text("O to move").wait_for()
    assert not page.locator(".board-notice").is_visible()


@pytest.mark.slow
def test_a_piece_that_was_lost_in_set_up_is_placed_after_reconnecting(visit: Visit) -> None:
    page = (visitor := visit()).page
    lose(page, "edit")
    visitor.open("#/analysis/abalone")
    page.get_by_role("tab", name="Set up").click()
    pieces = page.locator(".board .pieces > g")
    before = pieces.count()
    page.locator('.board .live[data-id="e5"]').click(force=True)
    visitor.wait(lambda: pieces.count() == before + 1, "the piece")


@pytest.mark.slow
def test_an_exercise_goes_on_after_reconnecting(visit: Visit) -> None:
    lesson = boardgames.load("tictactoe").lessons[0]
    move = lesson.lines[0]
    page = (visitor := visit()).page
    lose(page, "board", [move])
    visitor.open("#/learn/tictactoe/1")
    page.locator(f'.board .live[data-id="{move}"]').click(force=True)
    page.locator(".status.right").wait_for()


@pytest.mark.slow
def test_a_page_that_could_not_be_loaded_appears_after_reconnecting(visit: Visit) -> None:
    visitor, sockets = visit(), []

    def connect(socket: Any) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    page = visitor.page
    page.route_web_socket("**/ws", connect)
    page.route("**/analysis.js", lambda route: route.abort())
    visitor.open()
    page.evaluate("() => (location.hash = '#/analysis/tictactoe')")
    page.get_by_text("The server did not answer.").wait_for()
    page.unroute("**/analysis.js")
    sockets[0].close()
    page.locator(".analysis .board").wait_for()
    visitor.forgive("ERR_FAILED")


@pytest.mark.slow
def test_a_lost_connection_is_not_blamed_for_a_move_that_was_made(visit: Visit) -> None:
    visitor, sockets = visit(), []

    def connect(socket: Any) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    page, creator = visitor.page, visitor.server.page()
    created = creator.create("here", "here", game="tictactoe")
    creator.close()
    page.route_web_socket("**/ws", connect)
    page.goto(f"{visitor.origin}/#/match/{created['match']}/{created['token']}")
    page.locator('.board .live[data-id="b2"]').click(force=True)
    page.locator(".moves").get_by_text("b2").wait_for()
    sockets[0].close()
    visitor.wait(lambda: len(sockets) == 2, "a new connection")
    assert not page.locator(".board-notice").is_visible()


@pytest.mark.slow
def test_games_can_be_chosen_before_the_server_has_loaded_them(visit: Visit) -> None:
    visitor, sockets = visit(), []
    visitor.page.route_web_socket("**/ws", lambda socket: sockets.append(socket))  # noqa: PLW0108 - Playwright marks it
    visitor.page.goto(visitor.origin)
    visitor.page.get_by_text("Hexifence").click()
    assert visitor.page.locator(".card", has_text="Tic-tac-toe").is_visible()
    assert visitor.page.locator(".seat").count() == 0
    visitor.page.unroute_all()
    visitor.page.route_web_socket("**/ws", lambda socket: socket.connect_to_server())
    sockets[0].close()
    visitor.page.locator(".seat").first.wait_for()
    assert visitor.page.get_by_role("radio", name="Hexifence").is_checked()
    assert visitor.page.locator("details", has_text="dimension").count() == 1


@pytest.mark.slow
def test_the_page_says_that_a_match_is_gone_if_the_server_has_lost_it(browser: Any) -> None:
    kept = Kept(None)
    visitor = Visitor(browser, kept.server)
    visitor.start("connect4", "here")
    kept.restart()
    visitor.wait(lambda: "This match is not available" in visitor.status, "the news")
    visitor.forgive("ERR_CONNECTION_REFUSED")
    visitor.close()
    kept.server.close()


@pytest.mark.slow
def test_leaving_a_page_while_it_loads_does_not_affect_the_next(visit: Visit) -> None:
    player, spectator = visit(), visit()
    player.start("tictactoe", "here")
    spectator.open()

    def load_slowly(route: Any) -> None:  # Playwright is optional
        time.sleep(SLOW_S)
        route.continue_()

    spectator.page.route("**/match.js", load_slowly)
    match = f"#{player.page.url.partition('#')[2]}"
    spectator.page.evaluate(
        "(hashes) => hashes.forEach((hash) => (location.hash = hash))", [match, "#/", match]
    )
    spectator.wait(lambda: spectator.state, "the match")
    for ply in (1, 2):
        player.move(min(player.state["picture"]["clicks"]))
        spectator.wait_for_ply(ply)
