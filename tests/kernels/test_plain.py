"""Every game's kernels, compiled and as plain Python: the same answers, and coverage of their lines.

`make check` runs the marked tests with `NUMBA_DISABLE_JIT=1` to measure coverage.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boardgames
from boardgames import Game
from boardgames.kernels import JIT, Words
from boardgames.plugins import Offer

MATCHES, LONGEST = (3, 60) if JIT else (1, 6)  # plain Python is slow, and few positions cover its lines
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("abalone", {}),
    ("abalone", {"layout": "german-daisy", "broadside": False}),
    ("connect4", {}),
    ("hexifence", {}),
]
IDS = ["abalone", "abalone without broadside", "connect4", "hexifence"]


def reached(game: Game, matches: int, longest: int) -> list[Words]:
    """Return the positions of a few seeded matches, ends included."""
    generator = np.random.default_rng(1)
    positions = []
    for _ in range(matches):
        position = game.start()
        positions.append(position.words)
        while position.outcome is None and len(positions) < matches * longest:
            position = position.apply(position.legal_moves[generator.integers(len(position.legal_moves))])
            positions.append(position.words)
    return positions


def digest(game: Game, matches: int = MATCHES, longest: int = LONGEST) -> str:
    """Return a hash of what all kernels of a game return for the positions."""
    hashed = hashlib.sha256()
    buffer = np.zeros(game.facts.actions, dtype=np.int64)
    successor = np.zeros(game.facts.words, dtype=np.uint64)
    sets = [boardgames.load_features(offer.entry.name, game) for offer in feature_offers(game)]
    for words in reached(game, matches, longest):
        count = game.kernels.legal_moves(words, buffer)
        said = [game.kernels.side_to_move(words), game.kernels.outcome(words), *buffer[:count].tolist()]
        said += [game.kernels.move_order(words, action) for action in buffer[:count]]
        said.append(round(game.evaluation.value(words), 9))
        for features in sets:
            numbers = np.zeros(len(features.features))
            for side in (0, 1):
                features.kernel(words, side, numbers)
                said += [round(number, 9) for number in numbers.tolist()]
        hashed.update(repr([float(number) for number in said]).encode())
        for action in buffer[:count]:
            game.kernels.apply(words, action, successor)
            hashed.update(successor.tobytes())
    return hashed.hexdigest()


def feature_offers(game: Game) -> list[Offer]:
    return boardgames.registry().offers("features", game.facts.name)


@pytest.mark.plain
@pytest.mark.parametrize(("name", "options"), GAMES, ids=IDS)
def test_kernels_of_a_game_give_the_same_results_every_time(name: str, options: dict[str, Any]) -> None:
    assert digest(boardgames.load(name, **options)) == digest(boardgames.load(name, **options))


@pytest.mark.plain
@pytest.mark.parametrize(("name", "options"), GAMES, ids=IDS)
def test_the_generic_functions_run_on_a_game(name: str, options: dict[str, Any]) -> None:
    game = boardgames.load(name, **options)
    start = game.start()
    assert boardgames.perft(start, 1) == len(start.legal_moves)
    played = boardgames.playouts(start, 2, seed=1, ply_limit=5)
    assert sum(played.wins) + played.draws + played.unfinished == 2
    for agent in ("minimax:depth=2", "alphabeta:depth=2", "greedy"):
        assert boardgames.load_player(agent, game, seed=1).choose(start).move in start.legal_moves


def printed(expression: str, before: str = "", **environment: str) -> list[str]:
    """Return what another process prints of each game: an expression in which the game is `game`."""
    code = f"""
from contextlib import ExitStack
from boardgames.compiling import compilation_deferred, rules_interpreted

with ExitStack() as stack:
    {before or "pass"}
    import boardgames, test_plain
    for name, options in test_plain.GAMES:
        game = boardgames.load(name, **options)
        print({expression})
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="there is nothing to compare with")
def test_a_game_is_the_same_without_compilation() -> None:
    plain = printed("test_plain.digest(game, 1, 40)", NUMBA_DISABLE_JIT="1")
    assert plain == [digest(boardgames.load(name, **options), 1, 40) for name, options in GAMES]


@pytest.mark.skipif(not JIT, reason="everything is interpreted")
def test_interpreted_rules_play_as_compiled_ones(tmp_path: Path) -> None:
    contexts = "[stack.enter_context(one()) for one in (compilation_deferred, rules_interpreted)]"
    interpreted = printed("repr(test_plain.match_text(game))", contexts, BOARDGAMES_HOME=str(tmp_path))
    assert interpreted == [repr(match_text(boardgames.load(name, **options))) for name, options in GAMES]
    assert not list(tmp_path.rglob("*.kernel"))


def match_text(game: Game, plies: int = 25) -> str:
    """Return the first positions of a seeded match, with their legal moves, pictures and outcomes."""
    generator, position, texts = np.random.default_rng(2), game.start(), []
    for _ in range(plies):
        moves = position.legal_moves
        texts += [repr((str(position), moves, position.outcome, position.score, position.board()))]
        if position.outcome is not None:
            break
        position = position.apply(moves[generator.integers(len(moves))])
    return "\n".join(texts)
