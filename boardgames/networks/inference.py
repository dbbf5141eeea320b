"""Kernels that evaluate networks for many positions, on one core.

A layer multiplies rows by matrices: for each of its *taps*, which are places of the board, the channels at
that place are multiplied by weights, and the products are added up. In a linear layer, all places of the
board are taps. A `Program` describes the layers of a network, and one kernel runs the layers of any network.

Activations are ordered by place, then by position, then by channel. Six rows are
computed at once, usually the same place in six positions. With few positions, they are different places, and
taps that lead off the board read a row of zeros. This adds nothing to the sums, so the results for a
position do not depend on the number of other positions.
"""

from math import exp, inf, isfinite
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boardgames.kernels import Actions, Bytes, kernel, local_integers, types
from boardgames.kernels.abi import (
    ACTIONS,
    ACTIONS_OUT,
    BYTES,
    FLOATS,
    FLOATS_OUT,
    FLOATS_STACK,
    Floats,
    record_array,
)
from boardgames.kernels.bundles import BUNDLE, unpacker
from boardgames.networks.panels import ENTRY, LANES, PANELS, ROWS, multiply_row, multiply_rows

PART = 2 * ROWS
"""Number of positions that are evaluated together, so that activations and a panel stay in the cache. From
6 to 36 positions, the speed differs by less than a tenth."""
GROUP = 8
"""Number of blocks of `ROWS` rows that are multiplied by a panel before the next panel follows."""

LISTED = 2 * ROWS + 2
"""Length of the array `rows` that `list_taps` reads."""

PRODUCT, POOL, SPREAD = range(3)
"""Kinds of layers: products; mean and maximum over the board; adding one row to the rows of all places."""

LAYER_DTYPE = np.dtype(
    [
        ("kind", np.int64),
        ("source", np.int64),
        ("source_stride", np.int64),
        ("channels", np.int64),
        ("target", np.int64),
        ("target_stride", np.int64),
        ("places", np.int64),
        ("taps", np.int64),
        ("table", np.int64),
        ("weights", np.int64),
        ("bias", np.int64),
        ("panels", np.int64),
        ("is_added", np.int64),
        ("is_rectified", np.int64),
    ],
    align=True,
)
"""Fields of a layer.

kind : `PRODUCT`, `POOL` or `SPREAD`
source, source_stride : where the rows begin that are read, and the distance from one row to the next
channels : number of values that are read from each row
target, target_stride : the same for the rows that are written
places : number of rows that are written for each position
taps, table : number of taps, and where the taps of the first place begin in `tables`
weights, bias : where weights, ordered by panel, tap, channel and lane, and biases begin
panels : number of panels that have results
is_added, is_rectified : as for `multiply_rows`
"""
LAYERS = record_array(LAYER_DTYPE, readonly=True)
Layers = npt.NDArray[Any]  # records of LAYER_DTYPE: NumPy cannot annotate their fields

SIZES_DTYPE = np.dtype(
    [
        ("observation", np.int64),
        ("planes", np.int64),
        ("cells", np.int64),
        ("actions", np.int64),
        ("zeros", np.int64),
        ("policy", np.int64),
        ("value", np.int64),
    ],
    align=True,
)
"""Sizes of a network.

observation, planes, cells : size of an observation, and numbers of its planes and of places on the board
actions : number of actions
zeros : length of the row of zeros with which the memory begins
policy, value : the layers with the results
"""
SIZES = record_array(SIZES_DTYPE, readonly=True)
Sizes = npt.NDArray[Any]  # one record of SIZES_DTYPE


class Program(NamedTuple):
    """A network in the form that the kernels read.

    Attributes
    ----------
    sizes : SIZES_DTYPE[1]
        The sizes of the network.
    layers : LAYER_DTYPE[n]
        The layers in the order in which they are computed.
    tables : int64[n]
        For each place on the board, its index in a plane. Then, for each place that a layer writes, the
        places of its taps, -1 off the board.
    weights : float32[n]
        Matrices and biases.
    """

    sizes: Annotated[Sizes, SIZES]
    layers: Annotated[Layers, LAYERS]
    tables: Annotated[Actions, ACTIONS]
    weights: Annotated[Floats, FLOATS]


unpack = unpacker(Program)


# --- layers ---


@kernel(types.int64(ACTIONS, ACTIONS_OUT, types.int64, ACTIONS, types.int64))
def list_taps(tables: Actions, entries: Actions, first: int, rows: Actions, taps: int) -> int:
    """Write an entry for each tap that is on the board for at least one of `ROWS` rows.

    Parameters
    ----------
    tables : int64[n]
        The tables of the program.
    entries : int64[n]
        Filled from `first` on.
    rows : int64[LISTED]
        For each row, where its taps begin in `tables`, or -1 for an unused row; for each row, where
        place 0 of its position begins; the distance between places; and the size of a matrix.
    taps : int
        Number of taps.

    Returns
    -------
    int
        Number of entries.
    """
    distance, size = rows[2 * ROWS], rows[2 * ROWS + 1]
    count = 0
    for tap in range(taps):
        entry = first + count * ENTRY
        entries[entry] = tap * size
        is_used = False
        for row in range(ROWS):
            seen = tables[rows[row] + tap] if rows[row] >= 0 else -1
            entries[entry + 1 + row] = rows[ROWS + row] + seen * distance if seen >= 0 else 0
            is_used |= seen >= 0
        count += is_used
    return count


@kernel(types.void(BUNDLE, types.int64, FLOATS_OUT, ACTIONS_OUT, types.int64))
def run_product(bundle: Actions, number: int, work: Floats, entries: Actions, count: int) -> None:
    """Compute a layer of the kind `PRODUCT` for `count` positions."""
    program = unpack(bundle)
    layer, tables, weights = program.layers[number], program.tables, program.weights
    stride, taps, total = layer.source_stride, layer.taps, layer.places * count
    matrix = layer.channels * LANES
    step = taps * matrix
    rows, used = local_integers(LISTED), local_integers(GROUP)
    rows[2 * ROWS], rows[2 * ROWS + 1] = count * stride, matrix
    table, position = layer.table, 0
    for group in range(0, total, GROUP * ROWS):
        blocks = min(GROUP, (total - group + ROWS - 1) // ROWS)
        for block in range(blocks):
            for row in range(ROWS):
                rows[row] = table if group + block * ROWS + row < total else -1
                rows[ROWS + row] = layer.source + position * stride
                position += 1
                if position == count:
                    position = 0
                    table += taps
            used[block] = list_taps(tables, entries, block * taps * ENTRY, rows, taps)
        if total - group == 1 and layer.target_stride % (PANELS * LANES) == 0:
            for panel in range(0, layer.panels, PANELS):
                multiply_row(
                    work, weights, entries, 0, used[0], layer.channels,
                    layer.weights + panel * step, step, layer.bias + panel * LANES,
                    layer.target + group * layer.target_stride + panel * LANES, layer.target_stride,
                    layer.is_added, layer.is_rectified,
                )  # fmt: skip
            return
        for panel in range(layer.panels):
            for block in range(blocks):
                multiply_rows(
                    work, weights, entries, block * taps * ENTRY, used[block], layer.channels,
                    layer.weights + panel * step, step, layer.bias + panel * LANES,
                    layer.target + (group + block * ROWS) * layer.target_stride + panel * LANES,
                    layer.target_stride, layer.is_added, layer.is_rectified,
                )  # fmt: skip


@kernel(types.void(BUNDLE, types.int64, FLOATS_OUT, types.int64))
def run_pool(bundle: Actions, number: int, work: Floats, count: int) -> None:
    """Write the mean and the maximum of each channel over the board for `count` positions."""
    layer = unpack(bundle).layers[number]
    share = np.float32(1.0 / layer.places)
    for position in range(count):
        mean = layer.target + position * layer.target_stride
        highest = mean + layer.channels
        for channel in range(layer.channels):
            work[mean + channel] = np.float32(0.0)
            work[highest + channel] = work[layer.source + position * layer.source_stride + channel]
        for place in range(layer.places):
            row = layer.source + (place * count + position) * layer.source_stride
            for channel in range(layer.channels):
                work[mean + channel] += work[row + channel]
                work[highest + channel] = max(work[highest + channel], work[row + channel])
        for channel in range(layer.channels):
            work[mean + channel] *= share


@kernel(types.void(BUNDLE, types.int64, FLOATS_OUT, types.int64))
def run_spread(bundle: Actions, number: int, work: Floats, count: int) -> None:
    """Add the row of each position to the rows of all its places, and replace negative sums by 0."""
    layer = unpack(bundle).layers[number]
    for row in range(layer.places * count):
        added = layer.source + (row % count) * layer.source_stride
        target = layer.target + row * layer.target_stride
        for channel in range(layer.channels):
            work[target + channel] = max(work[target + channel] + work[added + channel], np.float32(0.0))


# --- networks ---


@kernel(types.void(BUNDLE, FLOATS_OUT, ACTIONS_OUT, types.int64))
def run_layers(bundle: Actions, work: Floats, entries: Actions, count: int) -> None:
    """Compute all layers for at most `PART` positions."""
    program = unpack(bundle)
    for number in range(len(program.layers)):
        kind = program.layers[number].kind
        if kind == PRODUCT:
            run_product(bundle, number, work, entries, count)
        elif kind == POOL:
            run_pool(bundle, number, work, count)
        else:
            run_spread(bundle, number, work, count)


@kernel(types.void(BUNDLE, FLOATS_OUT, BYTES, types.int64, types.int64))
def read_observations(bundle: Actions, work: Floats, observations: Bytes, begin: int, count: int) -> None:
    """Copy `count` observations, starting at index `begin`, into the rows that the first layer reads."""
    program = unpack(bundle)
    sizes, layer = program.sizes[0], program.layers[0]
    plane_size = sizes.observation // sizes.planes
    for place in range(sizes.cells):
        for position in range(count):
            seen = (begin + position) * sizes.observation + program.tables[place]
            row = layer.source + (place * count + position) * layer.source_stride
            for plane in range(sizes.planes):
                work[row + plane] = np.float32(observations[seen + plane * plane_size])


@kernel(types.void(BUNDLE, FLOATS_OUT, ACTIONS_OUT, BYTES, FLOATS_STACK, FLOATS_STACK))
def infer(
    bundle: Actions, work: Floats, entries: Actions, observations: Bytes, logits: Floats, outcomes: Floats
) -> None:
    """Compute the logits of actions, and the logits of a win, a draw and a loss for the side to move.

    Parameters
    ----------
    bundle : words of a bundle
        A `Program`.
    work, entries : float32[n], int64[n]
        Buffers of the sizes in `boardgames.networks.preparation.Prepared`.
    observations : int8[k * size]
        Observations one after another.
    logits, outcomes : float32[k, actions], float32[k, 3]
        Results, a row for each position.
    """
    program = unpack(bundle)
    sizes = program.sizes[0]
    policy, value = program.layers[sizes.policy], program.layers[sizes.value]
    for number in range(sizes.zeros):
        work[number] = np.float32(0.0)
    for begin in range(0, len(logits), PART):
        count = min(PART, len(logits) - begin)
        read_observations(bundle, work, observations, begin, count)
        run_layers(bundle, work, entries, count)
        for position in range(count):
            row = policy.target + position * policy.target_stride
            for action in range(sizes.actions):
                logits[begin + position, action] = work[row + action]
            row = value.target + position * value.target_stride
            for outcome in range(3):
                outcomes[begin + position, outcome] = work[row + outcome]


@kernel(types.boolean(FLOATS_STACK, FLOATS_STACK, BYTES, FLOATS_OUT))
def finish(logits: Floats, outcomes: Floats, masks: Bytes, values: Floats) -> bool:
    """Turn logits into probabilities of legal actions, and outcomes into values.

    Parameters
    ----------
    logits : float32[k, actions]
        Overwritten by the probabilities.
    outcomes : float32[k, 3]
        Logits of a win, a draw and a loss.
    masks : int8[k * actions]
        1 for legal actions; if it is empty, all actions are legal.
    values : float32[k]
        Receives the probability of a win minus the probability of a loss.

    Returns
    -------
    bool
        False if a result is not finite.
    """
    actions, is_finite = logits.shape[1], True
    for position in range(len(logits)):
        highest, total, first = -inf, 0.0, position * actions
        for action in range(actions):
            if len(masks) == 0 or masks[first + action] != 0:
                highest = max(highest, logits[position, action])
        for action in range(actions):
            share = 0.0
            if len(masks) == 0 or masks[first + action] != 0:
                share = exp(logits[position, action] - highest)
                total += share
            logits[position, action] = np.float32(share)
        if total > 0.0:
            for action in range(actions):
                logits[position, action] = np.float32(logits[position, action] / total)
        highest = max(outcomes[position, 0], outcomes[position, 1], outcomes[position, 2])
        win, draw = exp(outcomes[position, 0] - highest), exp(outcomes[position, 1] - highest)
        loss = exp(outcomes[position, 2] - highest)
        values[position] = np.float32((win - loss) / (win + draw + loss))
        is_finite &= isfinite(total) and isfinite(values[position])
    return is_finite
