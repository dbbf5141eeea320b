"""Evaluation of networks on one core."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from boardgames.errors import WeightsError
from boardgames.kernels.abi import Floats
from boardgames.networks.shape import NetworkShape


def evaluate(
    shape: NetworkShape,
    tensors: Mapping[str, Floats],
    observations: npt.NDArray[np.int8],
    masks: npt.NDArray[np.bool_] | None = None,
) -> tuple[Floats, Floats]:
    """Return what `Network.evaluate` describes."""
    observations = np.asarray(observations)
    wanted = (len(observations), shape.planes, shape.rows, shape.columns)
    if observations.dtype != np.int8 or observations.shape != wanted:
        raise WeightsError(
            f"observations must be an int8 array of shape {wanted}, not {observations.dtype} "
            f"{observations.shape}"
        )
    logits, outcomes = _forward(shape, tensors, observations)
    legal = np.ones(logits.shape, bool) if masks is None else np.asarray(masks, dtype=bool)
    if legal.shape != logits.shape:
        raise WeightsError(f"masks must have the shape {logits.shape}, not {legal.shape}")
    policies = _softmax(np.where(legal, logits, -np.inf)) * legal
    chances = _softmax(outcomes)
    return policies.astype(np.float32), (chances[:, 0] - chances[:, 2]).astype(np.float32)


def _softmax(logits: Floats) -> Floats:
    highest = logits.max(axis=1, keepdims=True)
    shares = np.exp(logits - np.where(np.isfinite(highest), highest, np.float32(0)))
    total = shares.sum(axis=1, keepdims=True)
    return (shares / np.where(total > 0, total, 1.0)).astype(np.float32)


def _forward(
    shape: NetworkShape, tensors: Mapping[str, Floats], observations: npt.NDArray[np.int8]
) -> tuple[Floats, Floats]:
    places = {place: index for index, place in enumerate(shape.board)}
    neighbours = np.array(
        [
            [places.get((row + down, column + right), -1) for down, right in shape.taps]
            for row, column in places
        ]
    )

    def relu(x: Floats) -> Floats:
        return np.maximum(x, np.float32(0))

    def convolved(x: Floats, name: str) -> Floats:
        seen = np.where(neighbours >= 0, x[:, :, neighbours], np.float32(0))
        bias = tensors[f"{name}.bias"][:, None]
        total: Floats = np.einsum("nipt,oit->nop", seen, tensors[f"{name}.weight"], optimize=True) + bias
        return total

    def projected(x: Floats, name: str) -> Floats:
        weight = tensors[f"{name}.weight"]
        bias = tensors[f"{name}.bias"]
        total: Floats = x.reshape(len(x), -1) @ weight.reshape(len(weight), -1).T + bias
        return total

    rows, columns = np.array(shape.board).T
    x = relu(convolved(observations[:, :, rows, columns].astype(np.float32), "input"))
    for block in range(shape.blocks):
        y = convolved(x, f"blocks.{block}.first")
        if block in shape.pooled_blocks:
            pooled = np.concatenate([y.mean(axis=2), y.max(axis=2)], axis=1)
            y = y + projected(pooled, f"blocks.{block}.pool")[:, :, None]
        x = relu(x + convolved(relu(y), f"blocks.{block}.second"))
    heads = []
    for head in ("policy", "value"):
        weight, bias = tensors[f"{head}.convolution.weight"], tensors[f"{head}.convolution.bias"]
        heads.append(relu(np.einsum("nip,oi->nop", x, weight) + bias[:, None]))
    hidden = relu(projected(heads[1], "value.hidden"))
    return projected(heads[0], "policy.output"), projected(hidden, "value.output")
