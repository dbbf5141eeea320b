"""Measure how fast positions, batches and environments for PettingZoo make moves.

Pgx and PettingZoo's own games (which need pygame) are measured in the same run if they are installed.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from engine import Row, summary

import boardgames
from boardgames import Batch

GAMES = {"connect4": 4096, "hexifence": 4096, "abalone": 1024}
"""Number of matches in a batch of each game."""
SECONDS = 1.0
MOST_PLIES = 400
PGX_MATCHES, PGX_STEPS = 4096, 200


def positions(runs: int) -> Iterator[Row]:
    """Measure the loop over positions that the documentation shows, with random moves."""
    for name in GAMES:
        game, generator = boardgames.load(name), random.Random(1)

        def play(game: boardgames.Game = game, generator: random.Random = generator) -> int:
            position, plies = game.start(), 0
            while position.outcome is None and plies < MOST_PLIES:
                position = position.apply_action(generator.choice(position.actions))
                plies += 1
            return plies

        yield f"position by position, {name}", summary(_rates(play, runs), "moves/CPU s"), "100,000"


def batches(runs: int) -> Iterator[Row]:
    """Measure batches with random moves on one core, with and without what a network needs."""
    for name, size in GAMES.items():
        batch = Batch(boardgames.load(name), size, seed=1, threads=1)

        def step(batch: Batch = batch) -> int:
            ended = batch.step(batch.sample())
            batch.reset(ended.terminated | ended.truncated)
            return batch.size

        def seen(batch: Batch = batch, step: Callable[[], int] = step) -> int:
            batch.masks()
            batch.observations()
            return step()

        target = {"connect4": "5 times Pgx", "abalone": "1.00"}.get(name, "")
        for work, what in ((step, "random moves"), (seen, "random moves, masks and observations")):
            rates = [rate / 1e6 for rate in _rates(work, runs)]
            yield f"batch of {size} {name}, {what}", summary(rates, "million moves/CPU s"), target
            target = ""
    yield from _pgx(runs)


def pettingzoo(runs: int) -> Iterator[Row]:
    """Measure matches with random moves in environments for PettingZoo, ours and its own."""
    from boardgames.adapters import pettingzoo as ours

    targets = {"connect4": "3 times connect_four_v3.env", "hexifence": "the same", "abalone": "2 times"}
    for name, target in targets.items():
        yield _pettingzoo_row(f"PettingZoo {name}", ours.env(name), runs, target)
    with suppress(ImportError):
        from pettingzoo.classic import connect_four_v3

        for make, what in ((connect_four_v3.raw_env, "raw"), (connect_four_v3.env, "wrapped")):
            yield _pettingzoo_row(f"PettingZoo's own connect_four_v3, {what}", make(), runs, "")


def _pettingzoo_row(name: str, env: Any, runs: int, target: str) -> Row:  # PettingZoo has no types
    generator = random.Random(1)

    def play() -> int:
        moves = 0
        env.reset(seed=1)
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0].tolist()
            env.step(generator.choice(legal))
            moves += 1
        return moves

    return name, summary(_rates(play, runs), "moves/CPU s"), target


def _pgx(runs: int) -> Iterator[Row]:
    """Measure Pgx's Connect Four with random moves and automatic reset, compiled by JAX for the CPU."""
    with suppress(ImportError):
        import jax  # whose types are not installed
        import pgx
        from pgx.experimental import auto_reset

        environment = pgx.make("connect_four")
        make = jax.vmap(environment.init)
        move = jax.vmap(auto_reset(environment.step, environment.init))

        @jax.jit  # type: ignore[untyped-decorator]  # as above
        def play(state: Any, key: Any) -> Any:
            def one(carry: Any, _: None) -> tuple[Any, None]:
                state, key = carry
                key, own, keys = jax.random.split(key, 3)
                scores = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
                actions = jax.random.categorical(own, scores, axis=-1)
                return (move(state, actions, jax.random.split(keys, PGX_MATCHES)), key), None

            return jax.lax.scan(one, (state, key), None, length=PGX_STEPS)[0]

        held = [play(make(jax.random.split(jax.random.PRNGKey(0), PGX_MATCHES)), jax.random.PRNGKey(1))]

        def work() -> int:
            held[0] = play(*held[0])
            jax.block_until_ready(held[0])
            return PGX_MATCHES * PGX_STEPS

        rates = [rate / 1e6 for rate in _rates(work, runs)]
        yield f"Pgx, {PGX_MATCHES} connect_four", summary(rates, "million moves/CPU s"), ""


def _rates(work: Callable[[], int], runs: int) -> list[float]:
    """Return the moves per second of processor time of all cores, for each of several runs."""
    work()
    rates = []
    for _ in range(runs):
        moves, started = 0, time.process_time()
        while time.process_time() - started < SECONDS:
            moves += work()
        rates.append(moves / (time.process_time() - started))
    return rates
