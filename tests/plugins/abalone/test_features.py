"""Feature sets of Abalone, compared with their definitions, which are computed cell by cell."""

from collections import deque
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardgames
from boardgames_abalone import rules
from boardgames_abalone.board import CELLS, CENTRE, LAYOUTS, NEIGHBOURS
from boardgames_abalone.notation import pack_marbles

GAME = boardgames.load("abalone")
GAMES = {True: GAME, False: boardgames.load("abalone", broadside=False)}
SETS = st.sets(st.integers(0, CELLS - 1))


@cache
def distances_from(start: int) -> tuple[int, ...]:
    """Return the distance from one cell to every other, by breadth-first search."""
    steps, queue = {start: 0}, deque([start])
    while queue:
        cell = queue.popleft()
        for neighbour in NEIGHBOURS[cell].tolist():
            if neighbour >= 0 and neighbour not in steps:
                steps[neighbour] = steps[cell] + 1
                queue.append(neighbour)
    return tuple(steps[cell] for cell in range(CELLS))


@cache
def line_from(cell: int, direction: int) -> list[int]:
    """Return a cell and the cells ahead of it, then -1 for the end of the board."""
    line = [cell]
    while line[-1] >= 0:
        line.append(int(NEIGHBOURS[line[-1]][direction]))
    return line


def is_empty(cell: int, own: set[int], other: set[int]) -> bool:
    return cell >= 0 and cell not in own and cell not in other


def simple_terms(own: set[int], lost: int) -> list[float]:
    """Return the three terms of `simple` for one side."""
    if not own:
        return [0.0, 0.0, float(lost)]
    centre = sum(distances_from(CENTRE)[cell] for cell in own) / len(own)
    means = [sum(distances_from(cell)[other] for other in own) / len(own) for cell in own]
    return [centre, sum(means) / len(own), float(lost)]


def pushes(own: set[int], other: set[int]) -> Iterator[tuple[set[int], bool]]:
    """Yield the marbles that each push moves, and whether one of them goes off the board."""
    for cell in own:
        for direction in range(6):
            line = line_from(cell, direction)
            length = next(index for index, at in enumerate(line) if at not in own)
            ahead = line[length:]
            pushed = next((index for index, at in enumerate(ahead) if at not in other), 0)
            end = ahead[pushed]
            if length in (2, 3) and 0 < pushed < length and (end == -1 or is_empty(end, own, other)):
                yield set(ahead[:pushed]), end == -1


def count_moves(own: set[int], other: set[int], *, broadside: bool) -> int:
    """Return the number of moves of a side: pushes, other in-line moves and side-steps."""
    count = len(list(pushes(own, other)))
    for cell in own:
        for direction in range(6):
            line = line_from(cell, direction)
            length = next((index for index, at in enumerate(line) if at not in own), 9)
            count += length <= 3 and line[length : length + 1] != [-1] and is_empty(line[length], own, other)
            for side in ((direction + 1) % 6, (direction + 2) % 6) if broadside else ():
                for size in (2, 3):
                    row = line_from(cell, side)[:size]
                    targets = [int(NEIGHBOURS[at][direction]) for at in row if at in own]
                    count += len(targets) == size and all(is_empty(at, own, other) for at in targets)
    return count


def count_groups(cells: set[int]) -> int:
    """Return the number of connected groups, by flood fill."""
    left, count = set(cells), 0
    while left:
        queue, count = [left.pop()], count + 1
        while queue:
            near = set(NEIGHBOURS[queue.pop()].tolist()) & left
            left -= near
            queue += near
    return count


def extended_terms(own: set[int], other: set[int], lost: int, *, broadside: bool) -> list[float]:
    """Return the fourteen terms of `extended` for one side; the first seven are those of `classic14`."""
    rings = [distances_from(CENTRE)[cell] for cell in own]
    threatened = set().union(*(moved for moved, _ in pushes(other, own)))
    in_danger = {
        cell
        for cell in own
        for direction in range(6)
        if NEIGHBOURS[cell][direction] < 0 and int(NEIGHBOURS[cell][(direction + 3) % 6]) in other
    }
    own_pushes = list(pushes(own, other))
    return [
        sum(ring <= 1 for ring in rings),
        sum(ring in (2, 3) for ring in rings),
        sum(ring == 4 for ring in rings),
        len(own) - len(other),
        sum(set(NEIGHBOURS[cell].tolist()) <= own for cell in own),
        simple_terms(own, 0)[0],
        len(threatened),
        simple_terms(own, 0)[1],
        lost,
        count_moves(own, other, broadside=broadside),
        len(own_pushes),
        sum(is_off for _, is_off in own_pushes),
        len(in_danger),
        count_groups(own),
    ]


@pytest.mark.plain
@settings(max_examples=50)
@given(SETS, SETS, st.tuples(st.integers(0, 5), st.integers(0, 5)), st.integers(0, 1), st.integers(0, 1))
def test_simple_features_match_their_definition(
    first: set[int], second: set[int], lost: tuple[int, int], to_move: int, side: int
) -> None:
    marbles = (first - second, second)
    words = pack_marbles(*marbles, to_move, lost)
    out = np.full(6, np.nan)
    boardgames.load_features("simple", GAME).kernel(words, side, out)
    expected = [*simple_terms(marbles[side], lost[side]), *simple_terms(marbles[1 - side], lost[1 - side])]
    assert out.tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.plain
@settings(max_examples=50)
@given(SETS, SETS, st.tuples(st.integers(0, 5), st.integers(0, 5)), st.integers(0, 1), st.booleans())
def test_classic14_and_extended_features_match_their_definitions(
    first: set[int], second: set[int], lost: tuple[int, int], side: int, broadside: bool
) -> None:
    marbles = (first - second, second)
    words = pack_marbles(*marbles, 0, lost)
    own = extended_terms(marbles[side], marbles[1 - side], lost[side], broadside=broadside)
    other = extended_terms(marbles[1 - side], marbles[side], lost[1 - side], broadside=broadside)
    extended, classic = np.full(28, np.nan), np.full(14, np.nan)
    boardgames.load_features("extended", GAMES[broadside]).kernel(words, side, extended)
    assert extended.tolist() == pytest.approx([*own, *other], abs=1e-12)
    boardgames.load_features("classic14", GAMES[broadside]).kernel(words, side, classic)
    assert classic.tolist() == pytest.approx([*own[:7], *other[:7]], abs=1e-12)


@pytest.mark.plain
@settings(max_examples=50)
@given(SETS, SETS, st.tuples(st.integers(4, 5), st.integers(4, 5)), st.integers(0, 1), st.integers(0, 1))
def test_decisive_features_add_wins_at_once_and_threats_of_them_to_extended(
    first: set[int], second: set[int], lost: tuple[int, int], to_move: int, side: int
) -> None:
    marbles = (first - second, second)
    words = pack_marbles(*marbles, to_move, lost)
    expected: list[float] = []
    for player in (side, 1 - side):
        own, other = marbles[player], marbles[1 - player]
        wins = lost[1 - player] == 5 and any(is_off for _, is_off in pushes(own, other))
        terms = extended_terms(own, other, lost[player], broadside=True)
        expected += [*terms, float(wins and player == to_move), float(wins and player != to_move)]
    out = np.full(32, np.nan)
    boardgames.load_features("decisive", GAME).kernel(words, side, out)
    assert out.tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.plain
def test_full_features_are_those_of_decisive_and_engine() -> None:
    words = GAME.parse("bbbbb/b.b.../bb...../bw....../bbww...../www...../......w/.....w/wwwww:w:2:1").words
    parts = [boardgames.load_features(name, GAME) for name in ("full", "decisive", "engine")]
    full, decisive, engine = (np.full(len(part.features), np.nan) for part in parts)
    for part, out in zip(parts, (full, decisive, engine), strict=True):
        part.kernel(words, 0, out)
    assert full.tolist() == [*decisive, *engine]


def test_features_are_named_own_first() -> None:
    names = [feature.name for feature in boardgames.load_features("simple", GAME).features]
    assert names == [
        "own centre distance", "own density", "own lost",
        "opponent's centre distance", "opponent's density", "opponent's lost",
    ]  # fmt: skip


@pytest.mark.plain
@pytest.mark.parametrize("broadside", [True, False])
def test_mobility_is_the_number_of_legal_moves(broadside: bool) -> None:
    game = boardgames.load("abalone", broadside=broadside)
    kernel, out = boardgames.load_features("extended", game).kernel, np.zeros(28)
    for layout, text in LAYOUTS.items():
        position = game.parse(text)
        kernel(position.words, 0, out)
        assert out[9] == len(position.actions), layout


@pytest.mark.parametrize("name", ["simple", "classic14", "extended", "decisive"])
def test_features_in_matches_stay_within_their_declared_ranges(name: str) -> None:
    features = boardgames.load_features(name, GAME)
    low, high = (
        np.array([getattr(feature, end) for feature in features.features]) for end in ("low", "high")
    )
    out, moves = np.zeros(len(features.features)), np.zeros(rules.ACTIONS, dtype=np.int64)
    random = np.random.default_rng(1)
    for layout in LAYOUTS:
        words = boardgames.load("abalone", layout=layout).start().words
        for _ in range(40):
            features.kernel(words, int(rules.side_to_move(words)), out)
            assert ((low <= out) & (out <= high)).all(), out
            count = rules.legal_moves(words, moves)
            if count == 0:
                break
            successor = np.zeros(rules.WORDS, dtype=np.uint64)
            rules.apply(words, int(moves[random.integers(count)]), successor)
            words = successor
