"""Lessons and puzzles over a socket."""

from typing import Any

import pytest
from web_pages import Page

import boardgames


def ask(page: Page, kind: str, /, **fields: object) -> Any:
    reply = page.ask(kind, **fields)
    assert reply["type"] != "refused", reply
    return reply


@pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
def test_the_lessons_of_a_game_are_solved_by_their_lines(page: Page, game: str) -> None:
    reply = ask(page, "lessons", game=game)
    assert reply["rules"] == boardgames.load(game).facts.rules
    assert len(reply["lessons"]) >= 4
    for lesson in reply["lessons"]:
        for line in lesson["lines"][:2]:
            place = {name: lesson[name] for name in ("layout", "options", "position")}
            board = ask(page, "board", game=game, **place, moves=line)
            assert board["moves"] == line, "moves are not in canonical notation"


def test_a_puzzle_of_a_fixed_set_has_a_number(page: Page) -> None:
    [kind] = ask(page, "lessons", game="abalone")["puzzles"]
    first, last = (
        ask(page, "puzzle", game="abalone", kind=kind["name"], number=n) for n in (1, kind["count"])
    )
    assert first["exercise"]["position"] != last["exercise"]["position"]
    refused = page.ask("puzzle", game="abalone", kind=kind["name"], number=kind["count"] + 1)
    assert refused["reason"] == f"there are {kind['count']} puzzles of this kind, not {kind['count'] + 1}"


@pytest.mark.slow
def test_a_puzzle_that_the_solver_finds_is_always_the_same(page: Page, other: Page) -> None:
    kind, _ = ask(page, "lessons", game="connect4")["puzzles"]
    assert kind["count"] is None
    puzzles = [ask(one, "puzzle", game="connect4", kind=kind["name"], number=2) for one in (page, other)]
    assert puzzles[0]["exercise"] == puzzles[1]["exercise"]
    assert puzzles[0]["exercise"]["task"].endswith(" to move and win. Only one move wins.")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"game": "conect4", "kind": "x"}, "no such game 'conect4'; did you mean 'connect4'?"),
        ({"game": "abalone", "kind": "tactic"}, "abalone has no puzzle 'tactic'; did you mean 'tactics'?"),
    ],
)
def test_wrong_puzzles_are_refused(page: Page, fields: dict[str, object], reason: str) -> None:
    assert page.ask("puzzle", **fields)["reason"] == reason
