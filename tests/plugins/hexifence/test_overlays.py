"""The overlays of Hexifence: kinds of edges, chains and loops, and what is said about control."""

import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from boardgames.game import Position
from boardgames.plugins import load_overlay
from boardgames.testing import check_game
from boardgames_hexifence.board import edges_of
from boardgames_hexifence.game import Hexifence
from boardgames_hexifence.solver import Solver


def random_positions(dimension: int, count: int, most: int) -> Iterator[Position]:
    """Yield positions of random matches with at most `most` open edges."""
    chance, game = random.Random(dimension), Hexifence(dimension=dimension)
    for _ in range(count):
        position, left = game.start(), chance.randint(1, most)
        while len(position.legal_moves) > left:
            position = position.apply(chance.choice(position.legal_moves))
        yield position


def after(moves: str, dimension: int = 2) -> Position:
    return Hexifence(dimension=dimension).start().apply_moves(moves)


def remarks(position: Position) -> str:
    return " ".join(load_overlay("chains", position).remarks)


def what_it_does(position: Position, edge: str) -> str:
    """Return the symbol of an edge by making the move and looking at the cells."""

    def capturable(at: Position) -> set[str]:
        lines = at.picture().lines
        around = {cell.id: [line for line in lines if _is_beside(cell, line)] for cell in at.picture().cells}
        return {name for name, own in around.items() if sum(line.side is None for line in own) == 1}

    following = position.apply(edge)
    takes = sum(following.score) > sum(position.score)
    offers = bool(capturable(following) - capturable(position))
    return {(True, False): "f", (True, True): "c", (False, False): "s", (False, True): "x"}[takes, offers]


def _is_beside(cell: object, line: object) -> bool:
    x, y = (line.x1 + line.x2) / 2 - cell.x, (line.y1 + line.y2) / 2 - cell.y  # type: ignore[attr-defined]  # of a picture
    return bool(x * x + y * y < 0.3)


@pytest.mark.parametrize("dimension", [2, 3])
def test_each_open_edge_is_marked_by_what_drawing_it_does(dimension: int) -> None:
    seen: Counter[str] = Counter()
    for position in random_positions(dimension, 8, edges_of(dimension)):
        expected = {f"e{move}": what_it_does(position, str(move)) for move in position.legal_moves}
        assert load_overlay("edges", position).marks == expected
        seen.update(expected.values())
    assert set(seen) == set("fcsx")


def test_chains_and_loops_have_their_lengths() -> None:
    position = after("0 1 4 7 2 3 6 12 13 16 17 23 26 22 25 29 5 15 24 27")
    groups = {group.text: group for group in load_overlay("chains", position).groups}
    assert all(str(len(group.cells)) in text for text, group in groups.items())
    assert any(text.startswith("chain") for text in groups)


def test_nobody_is_in_control_while_safe_edges_are_left() -> None:
    told = remarks(after("0 1 4 8 2 3 6 10"))
    assert "neither side is in control yet" in told
    assert not re.search(r"(Blue|Red|blue|red) is in control", told)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "2:B.BBR.RBBRR..R.RBB.B.RRRBR.BB.:.......:R",
            "All chains and loops are long, so blue is in control.",
        ),
        (
            "2:BRBRR.BBB.R.B.RR..R.BBRB.RRB.B:.......:R",
            "blue then has to open a long one, and red is in control.",
        ),
        (
            "2:R..BRR...BRRBRR.RRB.B.BB.BBBBR:.......:R",
            "red then has to open a long one, and blue is in control.",
        ),
        (
            "2:.RR..B.BBRRR.R.R.B..BRRBB.BBB.:.......:R",
            "too short to hand out cells, so neither side is in",
        ),
        ("2:R.BRB.R.RR.BR.BR.BBB..RR.BR.BB:.......:B", "their number does not say who will be in control."),
        (
            "2:R..B.BRRRBB.R.B.RR.B..BBRBBBRR:.......:R",
            "Red is in control: it can capture everything and then",
        ),
        (
            "2:.RR..B.BBRRR.R.R.BR.BRRBB.BBB.:.......:B",
            "Blue cannot hand out what it can capture, and then has to",
        ),
        ("2:RRRBB.RB.R.BRRB.R.BBB.RB.RBBBR:.......:R", "Red can capture all cells that are left."),
    ],
    ids=["long", "one short", "two short", "all short", "intersections", "hand out", "loop of 3", "all"],
)
def test_control_follows_from_the_lengths_of_chains(text: str, expected: str) -> None:
    assert expected in remarks(Hexifence(dimension=2).parse(text))


@pytest.mark.parametrize("dimension", [2, 3])
def test_values_called_proven_agree_with_the_solver(dimension: int) -> None:
    game = Hexifence(dimension=dimension)
    solver, proven = Solver(game, all_values=False), 0
    for position in random_positions(dimension, 10, 16):
        found = re.search(r"Proven: .* (blue|red) wins by (\d+)\.", remarks(position))
        if found is None:
            continue
        proven += 1
        [value] = solver.values([position])
        own, other = position.score[position.side_to_move], position.score[1 - position.side_to_move]
        final = own - other + value
        winner = position.side_to_move if final > 0 else 1 - position.side_to_move
        assert (found[1], int(found[2])) == (game.facts.sides[winner], abs(final))
    assert proven >= 8


def test_nothing_is_called_proven_where_the_solver_needs_time() -> None:
    assert "Proven" not in remarks(Hexifence(dimension=3).start())
    assert "Proven" not in remarks(Hexifence(dimension=6).start())


def test_a_finished_match_has_no_remarks() -> None:
    position = Hexifence(dimension=2).start()
    while position.outcome is None:
        position = position.apply(position.legal_moves[0])
    assert load_overlay("chains", position).remarks == ()


@pytest.mark.parametrize("dimension", [2, 3, 6, 8])
def test_overlays_fit_the_pictures(dimension: int) -> None:
    check_game(Hexifence(dimension=dimension), matches=3, positions=15, only=["overlays"]).raise_if_failed()
