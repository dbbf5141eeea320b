"""Third-party plug-ins get the whole page without any web code: new games, and the example."""

from collections.abc import Callable, Iterator

import pytest
from browsers import Visitor, prepare
from installed import plugins_installed
from web_pages import Server

from boardgames.cli.new import KINDS, plugin_files, write_folder

pytestmark = pytest.mark.slow

Visit = Callable[..., Visitor]
BOARDS = {"square": "square:4x3", "hex": "hex:3", "edges": "edges:2x2"}
GAMES = (*BOARDS, "tictactoe")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a server with tic-tac-toe and a new game for each kind of board, named after the kind."""
    folders = {name: tmp_path_factory.mktemp("plugins") / name for name in BOARDS}
    for name, folder in folders.items():
        write_folder(folder, plugin_files(name, BOARDS[name]))
    with plugins_installed(**folders):
        prepare(*GAMES)
        server = Server()
        yield server
        server.close()


def test_every_kind_of_board_is_played() -> None:
    assert BOARDS.keys() == KINDS.keys()


@pytest.mark.parametrize("game", BOARDS)
def test_a_plugin_is_played_from_either_seat_and_to_its_end(visit: Visit, game: str) -> None:
    visitor = visit()
    for side in (0, 1):
        visitor.start(game, side=side)
        visitor.wait_for_turn()
        visitor.check_board(side)
    visitor.play_by_mouse()
    winner = visitor.state["outcome"]["winner"]
    result = "Draw" if winner is None else "You won" if winner in visitor.state["yours"] else "You lost"
    assert visitor.status.startswith(result)
    assert visitor.shown_moves() == visitor.played_moves()


@pytest.mark.parametrize("game", GAMES)
def test_a_plugin_has_hints_and_is_analysed(visit: Visit, game: str) -> None:
    visitor = visit()
    visitor.start_by_form(game, limits={"Maximum number of moves in the match": 4})
    page = visitor.page
    page.get_by_role("button", name="Hint", exact=True).click()
    page.locator(".status").get_by_text("Hint: ").wait_for()
    visitor.play_by_mouse()
    last = visitor.played_moves()[-1]
    page.get_by_role("button", name="Analyse").click()
    page.get_by_role("button", name="One move back").click()  # the match may be won by now
    page.locator(".best-line").first.wait_for()
    page.get_by_role("button", name="Current position").click()
    page.get_by_role("button", name="Review the moves").click()
    page.get_by_role("figure").get_by_text(f" {last}").first.wait_for()
    assert page.locator(".value").inner_text()
