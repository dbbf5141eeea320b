"""Boards of any position, set-up and records over a socket, and what is refused."""

from typing import Any

import pytest
from web_pages import Page

import boardgames
from boardgames.cli.saving import today


def ask(page: Page, kind: str, **fields: object) -> Any:
    reply = page.ask(kind, **fields)
    assert reply["type"] != "refused", reply
    return reply


def reason(page: Page, kind: str, **fields: object) -> str:
    reply = page.ask(kind, **fields)
    assert reply["type"] == "refused", reply
    assert "\n" not in reply["reason"]
    return str(reply["reason"])


def connect4(moves: str) -> str:
    """Return a position of Connect Four in canonical notation."""
    return str(boardgames.load("connect4").parse(moves))


# --- boards ----------------------------------------------------------------------


@pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
def test_the_board_of_the_start_has_clicks_for_all_legal_moves(page: Page, game: str) -> None:
    reply = ask(page, "board", game=game)
    start = boardgames.load(game).start()
    assert (reply["position"], reply["start"], reply["ply"]) == (str(start), None, 0)
    assert set(reply["picture"]["clicks"]) == {move.text for move in start.legal_moves}
    assert set(reply["notations"]) >= {start.game.facts.position_notations[0]}


def test_clicks_that_make_no_move_are_explained(page: Page) -> None:
    def explanation(game: str, *ids: str, **fields: object) -> str:
        return str(ask(page, "explain", game=game, ids=ids, **fields)["reason"])

    assert explanation("abalone", "c3", "b3", layout="standard") == "b3 is your own marble"
    assert explanation("connect4", "c1r6", moves=["1"] * 6) == "the column is full"
    assert reason(page, "explain", game="abalone", ids=["z9"]) == (
        "there is nothing to click with the id 'z9'"
    )


def test_a_position_within_a_line_keeps_all_moves_of_the_line(page: Page) -> None:
    reply = ask(page, "board", game="connect4", moves=list("4453"), ply=2)
    assert (reply["moves"], reply["movers"], reply["ply"]) == (list("4453"), [0, 1, 0, 1], 2)
    assert (reply["position"], reply["to_move"]) == (connect4("44"), 0)
    assert reply["picture"]["changed"] == ["c4r2"]


def test_moves_are_written_in_canonical_notation(page: Page) -> None:
    reply = ask(page, "board", game="hexifence", moves=["0,1"])
    hexifence = boardgames.load("hexifence")
    assert reply["moves"] == [hexifence.parse_move(hexifence.start(), "0,1").text] != ["0,1"]


def test_the_end_of_a_line_tells_who_has_won(page: Page) -> None:
    reply = ask(page, "board", game="connect4", position="112233", moves=["4"])
    assert (reply["outcome"]["winner"], reply["outcome"]["termination"]) == (0, "rules")
    assert reply["start"] == connect4("112233")


def test_the_board_of_a_match_on_the_server_can_be_shown(page: Page) -> None:
    match = page.start("here", "here")
    for ply, move in enumerate("44"):
        page.send("move", match=match, ply=ply, move=move)
    page.state(ply=2)
    reply = ask(page, "board", match=match, ply=1)
    assert (reply["moves"], reply["ply"], reply["game"]) == (["4", "4"], 1, "connect4")


def test_overlays_are_drawn_on_request(page: Page) -> None:
    offered = ask(page, "board", game="hexifence")["overlays"]
    assert offered
    names = [one["name"] for one in offered]
    reply = ask(page, "board", game="hexifence", overlays=names)
    assert [one["name"] for one in reply["picture"]["overlays"]] == names


# --- setting up ------------------------------------------------------------------


def test_pieces_are_placed_and_removed_and_earlier_moves_are_dropped(page: Page) -> None:
    put = ask(page, "edit", game="connect4", moves=["4"], target="c1r1", piece="blue")
    assert (put["position"], put["moves"]) == (connect4("41"), [])
    taken = ask(page, "edit", game="connect4", position="41", target="c1r1")
    assert taken["position"] == connect4("4")


def test_the_other_side_can_be_given_the_move(page: Page) -> None:
    assert ask(page, "edit", game="abalone", side=1)["to_move"] == 1


@pytest.mark.parametrize(("game", "moves"), [("connect4", list("1122334")), ("hexifence", ["1", "2"])])
def test_the_board_can_be_cleared(page: Page, game: str, moves: list[str]) -> None:
    picture = ask(page, "edit", game=game, moves=moves, clear=True)["picture"]
    assert picture["pieces"] == []
    assert all(line["side"] is None for line in picture["lines"])


# --- records ---------------------------------------------------------------------


def test_a_record_is_exported_and_imported_again(page: Page) -> None:
    moves = list("1122334")
    text = ask(page, "export", game="connect4", moves=moves, names=["Ann", "Bob"], seconds=[1.5] * 7)["text"]
    assert '[First "Ann"]' in text
    reply = ask(page, "import", text=text)
    assert (reply["moves"], reply["names"], reply["seconds"]) == (moves, ["Ann", "Bob"], [1.5] * 7)
    assert (reply["game"], reply["result"], reply["outcome"]) == ("connect4", "1-0", "red wins")


def test_a_match_on_the_server_is_exported_with_its_day_and_times(page: Page) -> None:
    days = [today()]
    match = page.start("here", "here")
    page.send("move", match=match, ply=0, move="4")
    page.state(ply=1)
    text = ask(page, "export", match=match)["text"]
    days.append(today())
    assert any(f'[Date "{day:%Y.%m.%d}"]' in text for day in days)
    assert "1. 4 {" in text


def test_one_of_several_records_is_imported(page: Page) -> None:
    texts = [ask(page, "export", game="connect4", moves=[move])["text"] for move in "12"]
    second = ask(page, "import", text="\n".join(texts), number=2)
    assert (second["number"], second["count"], second["moves"]) == (2, 2, ["2"])


def test_pgn_of_another_program_is_imported_with_its_notes(page: Page) -> None:
    text = '[White "Ann"]\n[Black "Bob"]\n\n1. 4! {why} (1. 3 3) 4 2. 5 1-0'
    reply = ask(page, "import", game="connect4", text=text)
    assert (reply["names"], reply["moves"], reply["result"]) == (["Ann", "Bob"], ["4", "4", "5"], "1-0")
    assert reply["tree"] == "4 $1 {why} (3 3) 4 5"
    exported = ask(page, "export", game="connect4", moves=reply["moves"], tree=reply["tree"])["text"]
    assert ask(page, "import", text=exported)["tree"] == reply["tree"]


@pytest.mark.parametrize(
    ("game", "text", "notation", "moves"),
    [
        ("connect4", "4 4 5 3", "column", ["4", "4", "5", "3"]),
        ("connect4", "1. 4 {0.5} 4 $2 2. 5 *", "column", ["4", "4", "5"]),
        ("connect4", "4453", "column", ["4", "4", "5", "3"]),
        ("connect4", "g d g", "letter", ["7", "4", "7"]),
        ("connect4", "g1 d1 g2", "cell", ["7", "4", "7"]),
        ("connect4", "6 6 0", "zero-based", ["7", "7", "1"]),
        ("connect4", "7/7/7/7/3b3/3rr2", "fen", []),
        ("connect4", "......./......./......./...b.../...r.../...r...", "rows", []),
        ("abalone", "1. a1b2 i5h5", "aba-pro", ["a1b2", "i5h5"]),
        ("abalone", "g8g6 a5a3 g7i7", "nacre", ["g8g7", "a5a4", "g7h7"]),
        ("abalone", "c2c4 i6g6 c3c2", "playstrategy", ["c2c3", "i6h6", "c3c2"]),
        ("abalone", "c2E i6SE c3W", "direction", ["c2c3", "i6h6", "c3c2"]),
        ("abalone", "1,3,44 1,4,1 1,0,45", "code", ["c2c3", "i6h6", "c3c2"]),
        ("abalone", "2:c2c4 2:i6g6 1:c3c2", "course-moves", ["c2c3", "i6h6", "c3c2"]),
        ("abalone", "c2,c3->c3,c4 (I6, H6) -> (H6, G6) c3->c2", "before-after", ["c2c3", "i6h6", "c3c2"]),
        ("hexifence", "49 54 5", "canonical", ["49", "54", "5"]),
        ("hexifence", "0,1 0,3", "place", ["1", "3"]),
    ],
)
def test_moves_and_positions_are_read_in_any_notation_which_is_named(
    page: Page, game: str, text: str, notation: str, moves: list[str]
) -> None:
    reply = ask(page, "import", game=game, text=text)
    kind = "moves" if moves else "position"
    assert (reply["kind"], reply["notation"], reply["moves"]) == (kind, notation, moves)


def test_a_tag_names_the_notation_of_moves_that_could_be_read_in_another_one(page: Page) -> None:
    reply = ask(page, "import", game="connect4", text='[Notation "zero-based"]\n\n3 3 4 *')
    assert (reply["kind"], reply["moves"]) == ("record", ["4", "4", "5"])


@pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
def test_a_position_is_read_in_every_notation_that_the_page_shows(page: Page, game: str) -> None:
    shown = ask(page, "board", game=game)
    for text in shown["notations"].values():
        reply = ask(page, "import", game=game, text=text)
        assert (reply["kind"], reply["start"]) == ("position", shown["position"])


def test_moves_that_are_not_legal_at_the_start_continue_from_the_position_that_is_shown(page: Page) -> None:
    reply = ask(page, "import", game="abalone", moves=["a1b2"], text="i5h5")
    assert reply["moves"] == ["a1b2", "i5h5"]


@pytest.mark.parametrize(
    ("kind", "fields", "expected"),
    [
        ("board", {}, "a position needs a match or a game"),
        ("board", {"game": "connect4", "ply": 3}, "the match has 0 moves, not 3"),
        ("board", {"game": "connect4", "overlays": ["x"]}, "overlay"),
        ("board", {"match": "nowhere"}, "there is no such match on this server"),
        ("board", {"game": "connect4", "position": "1122334", "moves": ["1"]}, "the match is over"),
        ("edit", {"game": "connect4", "target": "c1r1", "piece": "blue"}, "the stones alternate"),
        ("edit", {"game": "connect4", "target": "x"}, "not a place on the board"),
        ("edit", {"game": "connect4", "side": 1}, "the side to move cannot be chosen"),
        ("import", {"text": "nonsense"}, "no matches in the text; a record begins with tags"),
        (
            "import",
            {"game": "connect4", "text": " "},
            "there is no text; paste a record, moves or a position",
        ),
        ("import", {"game": "connect4", "text": "4 4 9"}, "columns are 1 to 7 (ply 3, token '9')"),
        (
            "import",
            {"game": "abalone", "text": "hello"},
            "that cannot be read as a record, moves or a position of Abalone: 'hello' is not a move",
        ),
        ("import", {"text": '[Game "connect4"] [Start "-"]\n1. 4 9 *'}, "ply 2, token '9'"),
        ("import", {"text": '[Game "chess"] [Start "-"]\n1. e4 *'}, "no such game 'chess'"),
        ("export", {"game": "connect4", "moves": ["9"]}, "move 1: "),
    ],
)
def test_what_is_wrong_is_refused_with_the_reason(
    page: Page, kind: str, fields: dict[str, Any], expected: str
) -> None:
    assert expected in reason(page, kind, **fields)
