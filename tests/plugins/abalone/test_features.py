"""Features of Abalone against distances walked cell by cell on the neighbour table."""

from collections import deque
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardgames
from boardgames_abalone.board import CELLS, CENTRE, LAYOUTS, NEIGHBOURS
from boardgames_abalone.notation import pack_marbles

pytestmark = pytest.mark.plain

GAME = boardgames.load("abalone")
SETS = st.sets(st.integers(0, CELLS - 1))


@cache
def steps_from(start: int) -> tuple[int, ...]:
    """Return the steps from one cell to every other."""
    steps, queue = {start: 0}, deque([start])
    while queue:
        cell = queue.popleft()
        for neighbour in NEIGHBOURS[cell].tolist():
            if neighbour >= 0 and neighbour not in steps:
                steps[neighbour] = steps[cell] + 1
                queue.append(neighbour)
    return tuple(steps[cell] for cell in range(CELLS))


def slow_terms(cells: set[int], lost: int) -> list[float]:
    """Return the three terms of one side as they are defined."""
    if not cells:
        return [0.0, 0.0, float(lost)]
    centre = sum(steps_from(CENTRE)[cell] for cell in cells) / len(cells)
    spread = [sum(steps_from(cell)[other] for other in cells) / len(cells) for cell in cells]
    return [centre, sum(spread) / len(cells), float(lost)]


@given(SETS, SETS, st.tuples(st.integers(0, 5), st.integers(0, 5)), st.integers(0, 1), st.integers(0, 1))
def test_features_are_the_terms_of_both_sides_own_first(
    first: set[int], second: set[int], lost: tuple[int, int], to_move: int, side: int
) -> None:
    marbles = (first - second, second)
    words = pack_marbles(*marbles, to_move, lost)
    out = np.full(6, np.nan)
    boardgames.load_features("simple", GAME).kernel(words, side, out)
    expected = [*slow_terms(marbles[side], lost[side]), *slow_terms(marbles[1 - side], lost[1 - side])]
    assert out.tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_features_stay_within_their_declared_range(layout: str) -> None:
    features = boardgames.load_features("simple", GAME)
    out = np.zeros(6)
    features.kernel(boardgames.load("abalone", layout=layout).start().words, 0, out)
    assert len(features.features) == out.size
    assert all(
        feature.low <= value <= feature.high for feature, value in zip(features.features, out, strict=True)
    )


def test_features_are_named_own_first() -> None:
    names = [feature.name for feature in boardgames.load_features("simple", GAME).features]
    assert names == [
        "own centre distance", "own density", "own lost",
        "other's centre distance", "other's density", "other's lost",
    ]  # fmt: skip


# --- the numbers of `classic14` and `extended`, cell by cell ------------------------------------


def slow_moves(own: set[int], other: set[int], *, broadside: bool) -> int:
    """Return how many moves a side has: pushes, steps in line, steps aside."""
    count = len(list(slow_pushes(own, other)))
    for cell in own:
        for direction in range(6):
            line = line_of(cell, direction)
            length = next((place for place, at in enumerate(line) if at not in own), 9)
            count += length <= 3 and line[length : length + 1] != [-1] and is_empty(line[length], own, other)
            for side in ((direction + 1) % 6, (direction + 2) % 6) if broadside else ():
                for length in (2, 3):
                    row = line_of(cell, side)[:length]
                    free = [int(NEIGHBOURS[at][direction]) for at in row if at in own]
                    count += len(free) == length and all(is_empty(at, own, other) for at in free)
    return count


def is_empty(cell: int, own: set[int], other: set[int]) -> bool:
    return cell >= 0 and cell not in own and cell not in other


def line_of(cell: int, direction: int) -> list[int]:
    """Return a cell and those after it in a direction, -1 where the board ends."""
    line = [cell]
    while line[-1] >= 0:
        line.append(int(NEIGHBOURS[line[-1]][direction]))
    return line


def slow_pushes(own: set[int], other: set[int]) -> Iterator[tuple[set[int], bool]]:
    """Yield the marbles that each push moves, and whether one goes off the board."""
    for cell in own:
        for direction in range(6):
            line = line_of(cell, direction)
            ours = next(place for place, at in enumerate(line) if at not in own)
            behind = line[ours:]
            theirs = next((place for place, at in enumerate(behind) if at not in other), 0)
            end = behind[theirs]
            if ours in (2, 3) and 0 < theirs < ours and (end == -1 or is_empty(end, own, other)):
                yield set(behind[:theirs]), end == -1


def slow_groups(cells: set[int]) -> int:
    left, count = set(cells), 0
    while left:
        queue, count = [left.pop()], count + 1
        while queue:
            near = set(NEIGHBOURS[queue.pop()].tolist()) & left
            left -= near
            queue += near
    return count


def slow_numbers(own: set[int], other: set[int], lost: int, *, broadside: bool) -> list[float]:
    """Return the fourteen numbers of a side as they are defined."""
    steps = [steps_from(CENTRE)[cell] for cell in own]
    threatened = set().union(*(moved for moved, _ in slow_pushes(other, own)))
    danger = {
        cell
        for cell in own
        for direction in range(6)
        if NEIGHBOURS[cell][direction] < 0 and int(NEIGHBOURS[cell][(direction + 3) % 6]) in other
    }
    pushes = list(slow_pushes(own, other))
    return [
        sum(step <= 1 for step in steps),
        sum(step in (2, 3) for step in steps),
        sum(step == 4 for step in steps),
        len(own) - len(other),
        sum(set(NEIGHBOURS[cell].tolist()) <= own for cell in own),
        slow_terms(own, 0)[0],
        len(threatened),
        slow_terms(own, 0)[1],
        lost,
        slow_moves(own, other, broadside=broadside),
        len(pushes),
        sum(is_off for _, is_off in pushes),
        len(danger),
        slow_groups(own),
    ]


@given(SETS, SETS, st.tuples(st.integers(0, 5), st.integers(0, 5)), st.integers(0, 1), st.booleans())
def test_the_larger_sets_are_what_their_names_say(
    first: set[int], second: set[int], lost: tuple[int, int], side: int, broadside: bool
) -> None:
    game = boardgames.load("abalone", broadside=broadside)
    marbles = (first - second, second)
    words = pack_marbles(*marbles, 0, lost)
    own = slow_numbers(marbles[side], marbles[1 - side], lost[side], broadside=broadside)
    others = slow_numbers(marbles[1 - side], marbles[side], lost[1 - side], broadside=broadside)
    out = np.full(28, np.nan)
    boardgames.load_features("extended", game).kernel(words, side, out)
    assert out.tolist() == pytest.approx([*own, *others], abs=1e-12)
    classic = np.full(14, np.nan)
    boardgames.load_features("classic14", game).kernel(words, side, classic)
    assert classic.tolist() == pytest.approx([*own[:7], *others[:7]], abs=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mobility_is_the_number_of_legal_moves(layout: str) -> None:
    for broadside in (True, False):
        position = boardgames.load("abalone", layout=layout, broadside=broadside).start()
        out = np.zeros(28)
        boardgames.load_features("extended", position.game).kernel(position.words, 0, out)
        assert out[9] == len(position.actions)


@pytest.mark.parametrize("name", ["simple", "classic14", "extended"])
def test_numbers_of_matches_stay_within_the_declared_ranges(name: str) -> None:
    features = boardgames.load_features(name, GAME)
    out = np.zeros(len(features.features))
    chance = np.random.default_rng(1)
    for layout in LAYOUTS:
        position = boardgames.load("abalone", layout=layout).start()
        for _ in range(60):
            features.kernel(position.words, position.side_to_move, out)
            for value, feature in zip(out.tolist(), features.features, strict=True):
                assert feature.low <= value <= feature.high, feature.name
            if position.outcome is not None:
                break
            action = position.actions[int(chance.integers(len(position.actions)))]
            position = position.apply(position.game.decode(position, action))
