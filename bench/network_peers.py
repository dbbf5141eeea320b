"""Evaluate networks with ONNX Runtime and PyTorch on one thread, for the section `networks` of run.py.

It runs in its own environment, which needs NumPy and the libraries to be measured, but not boardgames.
A line on standard input names a peer, a folder with a network and a batch size. The answer is a line of
JSON with evaluations per second of CPU time and the largest differences from the expected policy and value.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

SECONDS = 0.15
Run = Callable[[Any], tuple[Any, Any]]


def main() -> None:
    """Answer lines until standard input ends."""
    for line in sys.stdin:
        peer, folder, size = line.split()
        planes = np.load(Path(folder) / "observations.npy").astype(np.float32)[: int(size)]
        try:
            run = PEERS[peer](folder)
        except ImportError:
            print(json.dumps(None), flush=True)
            continue
        policies, outcomes = run(planes)
        chances = softmax(np.asarray(outcomes))
        differences = [
            float(np.abs(got - np.load(Path(folder) / name)[: int(size)]).max())
            for got, name in (
                (softmax(np.asarray(policies)), "policies.npy"),
                (chances[:, 0] - chances[:, 2], "values.npy"),
            )
        ]
        count, started = 0, time.process_time()
        while (seconds := time.process_time() - started) < SECONDS:
            run(planes)
            count += int(size)
        print(json.dumps([count / seconds, *differences]), flush=True)


def softmax(logits: Any) -> Any:  # arrays of any type
    """Return the probabilities of rows of logits."""
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


@cache
def read(folder: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the shape of a network, and its tensors as 3 x 3 kernels and weights for whole planes."""
    shape = json.loads((Path(folder) / "shape.json").read_text())
    tensors = dict(np.load(Path(folder) / "tensors.npz"))
    rows, columns = np.array(shape["places"]).T
    for name, tensor in tensors.items():
        if tensor.ndim == 3 and name.startswith(("input", "blocks")):
            full = np.zeros((*tensor.shape[:2], 3, 3), np.float32)
            for tap, (down, right) in enumerate(shape["taps"]):
                full[:, :, down + 1, right + 1] = tensor[:, :, tap]
            tensors[name] = full
        elif tensor.ndim == 3:
            full = np.zeros((*tensor.shape[:2], shape["rows"], shape["columns"]), np.float32)
            full[:, :, rows, columns] = tensor
            tensors[name] = full.reshape(len(tensor), -1)
        elif "convolution.weight" in name:
            tensors[name] = tensor[:, :, None, None]
    mask = np.zeros((1, 1, shape["rows"], shape["columns"]), np.float32)
    mask[:, :, rows, columns] = 1
    return shape, {**tensors, "mask": mask}


@cache
def onnx_runtime(folder: str) -> Run:
    """Return a function that evaluates a network with ONNX Runtime."""
    import onnxruntime
    from onnx import TensorProto, checker, helper, numpy_helper

    shape, tensors = read(folder)
    nodes: list[Any] = []  # onnx is optional, and so are its types

    def node(kind: str, *inputs: str, **settings: Any) -> str:
        nodes.append(helper.make_node(kind, list(inputs), [f"n{len(nodes)}"], **settings))
        return f"n{len(nodes) - 1}"

    def conv(x: str, name: str, pads: int) -> str:
        return node("Conv", x, f"{name}.weight", f"{name}.bias", pads=[pads] * 4)

    def on_board(x: str) -> str:
        return x if tensors["mask"].all() else node("Mul", x, "mask")

    def linear(x: str, name: str) -> str:
        return node("Gemm", x, f"{name}.weight", f"{name}.bias", transB=1)

    x = on_board(node("Relu", conv("planes", "input", 1)))
    for block in range(shape["blocks"]):
        y = on_board(node("Relu", conv(x, f"blocks.{block}.first", 1)))
        x = on_board(node("Relu", node("Add", x, conv(y, f"blocks.{block}.second", 1))))
    policy = linear(node("Flatten", node("Relu", conv(x, "policy.convolution", 0))), "policy.output")
    flat = node("Flatten", node("Relu", conv(x, "value.convolution", 0)))
    value = linear(node("Relu", linear(flat, "value.hidden")), "value.output")
    graph = helper.make_graph(
        nodes, "network",
        [helper.make_tensor_value_info("planes", TensorProto.FLOAT,
                                       ["n", shape["planes"], shape["rows"], shape["columns"]])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size])
         for name, size in ((policy, shape["actions"]), (value, 3))],
        [numpy_helper.from_array(tensor, name) for name, tensor in tensors.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    return lambda planes: session.run([policy, value], {"planes": planes})


@cache
def pytorch(folder: str) -> Run:
    """Return a function that evaluates a network with PyTorch."""
    import torch
    from torch.nn import functional

    torch.set_num_threads(1)
    shape, arrays = read(folder)
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    is_whole = bool(arrays["mask"].all())

    def conv(x: Any, name: str, padding: int) -> Any:
        return functional.conv2d(x, tensors[f"{name}.weight"], tensors[f"{name}.bias"], padding=padding)

    def on_board(x: Any) -> Any:
        return x if is_whole else x * tensors["mask"]

    def linear(x: Any, name: str) -> Any:
        return functional.linear(x, tensors[f"{name}.weight"], tensors[f"{name}.bias"])

    def run(planes: Any) -> tuple[Any, Any]:
        with torch.inference_mode():
            x = on_board(torch.relu(conv(torch.from_numpy(planes), "input", 1)))
            for block in range(shape["blocks"]):
                y = on_board(torch.relu(conv(x, f"blocks.{block}.first", 1)))
                x = on_board(torch.relu(x + conv(y, f"blocks.{block}.second", 1)))
            policy = linear(torch.relu(conv(x, "policy.convolution", 0)).flatten(1), "policy.output")
            flat = torch.relu(conv(x, "value.convolution", 0)).flatten(1)
            value = linear(torch.relu(linear(flat, "value.hidden")), "value.output")
            return policy.numpy(), value.numpy()

    return run


PEERS: dict[str, Callable[[str], Run]] = {"onnxruntime": onnx_runtime, "pytorch": pytorch}

if __name__ == "__main__":
    main()
