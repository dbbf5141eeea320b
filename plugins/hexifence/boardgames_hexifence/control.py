"""The feature set `control`: the result if both sides only drew safe edges and kept control from now on.

From the position, the side to move captures what it can, or hands out the last cells if that is
worth more. Then both sides draw random safe edges and open the smallest chain or loop each time
(`value_of_smallest_first`). A few such *forecasts* are averaged. Their random numbers depend on
the open edges alone, so a position always has the same features.

Every feature is a number from -1 to 1 that means the same on boards of all sizes, so the same
weights can be used at all dimensions. From the other side's point of view, all signs are reversed.
"""

from pathlib import Path

import numpy as np

from boardgames.declarations import Feature, FeatureSet
from boardgames.game import Game
from boardgames.kernels import Actions, Features, Reals, Words, kernel, mix, row_out, types
from boardgames.kernels.abi import ACTIONS_OUT, ACTIONS_STACK, WORDS_OUT
from boardgames_hexifence.board import CELLS, EDGE_WORDS, EDGES
from boardgames_hexifence.chains import ROWS, scan
from boardgames_hexifence.edges import PLACES, load, make, member, number_of, random_member, unmake
from boardgames_hexifence.endgame import next_capture
from boardgames_hexifence.features import CAPTURING, FREE, SAFE
from boardgames_hexifence.handouts import value_of_opened
from boardgames_hexifence.rules import ONE, closed_cells, dimension_of, open_edges, side_to_move
from boardgames_hexifence.sacrifices import value_of_smallest_first

TD_WEIGHTS = Path(__file__).parent / "data" / "td.safetensors"

FORECASTS = 8
"""Number of forecasts for a position with several safe edges; with fewer safe edges, one is enough."""
PHASES = ("without safe edges", "with 1 to 4 safe edges", "with 5 to 12 safe edges", "with more")
"""Each phase has its own features for margin and result, since forecasts become better late in the match."""
MARGIN, TURN, CAPTURES, FINAL_MARGIN, RESULT = 0, 1, 2, 3, 7
COUNT = 11
HALF = 3.0
"""Number of cells that is scaled to 0.5 when numbers of cells are scaled to the range -1 to 1."""


@kernel(types.int64(ACTIONS_OUT, ACTIONS_STACK, ACTIONS_STACK, WORDS_OUT))
def _forecast(edge_set: Actions, chains: Actions, lists: Actions, state: Words) -> int:
    """Return the value of a position without captures for the side to move, according to one forecast.

    Parameters
    ----------
    edge_set : int64[:]
        The edge set of the position.
    chains : int64[13, 6C]
        Scratch memory for its chain set.
    lists : int64[2, E]
        Scratch memory for the edges that are drawn, and for the chains that are taken.
    state : uint64[1]
        State of the random generator, which is advanced.
    """
    drawn = 0
    while number_of(edge_set, SAFE) > 0:
        lists[0, drawn] = random_member(edge_set, SAFE, state)
        make(edge_set, lists[0, drawn])
        drawn += 1
    count = scan(edge_set, chains)
    moves = np.zeros((count + 1, 1), dtype=np.int64)
    value = value_of_smallest_first(chains, count, row_out(lists, 1), 0, moves, 0)
    for index in range(drawn - 1, -1, -1):
        unmake(edge_set, lists[0, index])
    return value if drawn & 1 == 0 else -value


@kernel(Features)
def control_features(position: Words, side: int, out: Reals) -> None:
    """Write the features of `control` for `side` into `out`, `float64[11]`."""
    dimension = dimension_of(position)
    edge_set = np.zeros(PLACES + 6 * EDGES[dimension] + CELLS[dimension], dtype=np.int64)
    chains = np.zeros((ROWS, 6 * CELLS[dimension]), dtype=np.int64)
    lists = np.zeros((2, EDGES[dimension]), dtype=np.int64)
    state = np.zeros(1, dtype=np.uint64)
    for word in range(EDGE_WORDS[dimension]):
        state[0] = mix(state[0] ^ open_edges(position, dimension, word)) + ONE
    load(position, edge_set)
    safe = number_of(edge_set, SAFE)
    captured = hand_out = 0
    while number_of(edge_set, FREE) + number_of(edge_set, CAPTURING) > 0:
        if number_of(edge_set, FREE) > 0:
            edge, cells = member(edge_set, FREE, 0), 0
        else:
            edge, cells, _ = next_capture(edge_set)
        hand_out = max(hand_out, cells)
        captured += make(edge_set, edge)
    mover = 1.0 if side_to_move(position) == side else -1.0
    margin = float(closed_cells(position, side) - closed_cells(position, 1 - side))
    final = result = 0.0
    count = FORECASTS if safe > 1 else 1
    for _ in range(count):
        rest = _forecast(edge_set, chains, lists, state)
        end = margin + mover * value_of_opened(captured, hand_out, rest)
        final += end / count
        result += np.sign(end) / count
    phase = 0 if safe == 0 else 1 if safe <= 4 else 2 if safe <= 12 else 3
    for index in range(COUNT):
        out[index] = 0.0
    out[MARGIN] = margin / (HALF + abs(margin))
    out[TURN] = mover
    if captured > 0:
        out[CAPTURES] = mover * captured / (HALF + captured)
    out[FINAL_MARGIN + phase] = final / (HALF + abs(final))
    out[RESULT + phase] = result


def control(game: Game) -> FeatureSet:
    """Return the feature set `control`, which has 11 features and is the same for all dimensions.

    Examples
    --------
    >>> from boardgames_hexifence.game import Hexifence
    >>> control(Hexifence(dimension=2)).features == control(Hexifence(dimension=6)).features
    True
    """
    features = [
        Feature("margin", "", -1.0, 1.0, "own cells minus the opponent's, half at three cells"),
        Feature("turn", "", -1.0, 1.0, "1 if this side is to move, otherwise -1"),
        Feature("captures", "", -1.0, 1.0, "cells that the side to move can capture in a row"),
        *(
            Feature(f"margin {phase}", "", -1.0, 1.0, "mean final margin of the forecasts")
            for phase in PHASES
        ),
        *(Feature(f"result {phase}", "", -1.0, 1.0, "mean result of the forecasts") for phase in PHASES),
    ]
    return FeatureSet("control", control_features, tuple(features))
