"""Measure how fast networks are evaluated on one core, alternating with ONNX Runtime and PyTorch.

`BENCH_PEERS` names the Python interpreter of an environment with `onnxruntime`, `onnx` and `torch`. By
default it is the interpreter that runs this program, and a library that is not installed is left out. On a
busy machine, `taskset -c 0 make bench ARGS=networks` keeps all of them on the same core.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from engine import Row, summary

import boardgames
from boardgames.networks import HEXAGONAL, SQUARE, Network, NetworkShape

NETWORKS = (("connect4", SQUARE, 32, 3), ("connect4", SQUARE, 64, 5), ("abalone", HEXAGONAL, 64, 5))
"""Games with the taps, channels and blocks of their networks."""
SIZES = (1, 8, 64, 256)
PEERS = ("onnxruntime", "pytorch")
SECONDS, TOLERANCE = 0.15, 1e-3


def inference(runs: int) -> Iterator[Row]:
    """Measure evaluations per second of CPU time for each batch size, and compare them with each peer."""
    program = [os.environ.get("BENCH_PEERS", sys.executable), str(Path(__file__).parent / "network_peers.py")]
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(program, stdin=pipe, stdout=pipe, text=True) as process,
    ):
        for name, taps, channels, blocks in NETWORKS:
            network, observations = _prepared(
                name, taps, channels, blocks, Path(folder) / f"{name}{channels}"
            )
            for size in SIZES:
                rates: dict[str, list[float]] = {peer: [] for peer in ("", *PEERS)}
                for _ in range(runs):
                    rates[""].append(_rate(network, observations[:size]))
                    for peer in PEERS:
                        answer = _ask(process, f"{peer} {folder}/{name}{channels} {size}")
                        if answer is not None:
                            assert max(answer[1:]) < TOLERANCE, f"{peer} computes a different result"
                            rates[peer].append(answer[0])
                title = f"network {name}, {channels} channels x {blocks} blocks, batch of {size}"
                yield title, summary(rates[""], "evaluations/CPU s"), ""
                for peer in PEERS:
                    if rates[peer]:
                        ratio = median(own / other for own, other in zip(rates[""], rates[peer], strict=True))
                        result = f"{summary(rates[peer], 'evaluations/CPU s')}, ours {ratio:.2f} times"
                        yield f"the same, {peer}", result, ""
        assert process.stdin is not None
        process.stdin.close()


def _prepared(name: str, taps: Any, channels: int, blocks: int, folder: Path) -> tuple[Network, Any]:
    """Write a network for the peers, and return it with observations of positions after random moves."""
    game = boardgames.load(name)
    shape = NetworkShape.of(game, taps=taps, channels=channels, blocks=blocks)
    network = Network.random(game, shape, seed=1)
    batch = boardgames.Batch(game, max(SIZES), seed=1)
    for _ in range(6):
        batch.step(batch.sample())
    observations = batch.observations()
    policies, values = network.evaluate(observations)
    folder.mkdir()
    facts = {**network.header()["network"], "places": shape.board}
    (folder / "shape.json").write_text(json.dumps(facts))
    np.savez(folder / "tensors.npz", **network.tensors)  # type: ignore[arg-type]  # no tensor has the name of a parameter
    np.save(folder / "observations.npy", observations)
    np.save(folder / "policies.npy", policies)
    np.save(folder / "values.npy", values)
    return network, observations


def _rate(network: Network, observations: Any) -> float:
    count, started = 0, time.process_time()
    while (seconds := time.process_time() - started) < SECONDS:
        network.evaluate(observations)
        count += len(observations)
    return count / seconds


def _ask(process: "subprocess.Popen[str]", line: str) -> list[float] | None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    answer: list[float] | None = json.loads(process.stdout.readline())
    return answer
