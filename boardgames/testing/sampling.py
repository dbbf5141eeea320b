"""Reach positions of a game through its own kernels, which may be faulty.

Kernels are called with guarded buffers: copies of the position, cells with a
known fill behind the end, so that whatever a kernel does wrong shows and
spoils no other check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from boardgames.game import Game, Move, Position
from boardgames.kernels import Words

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

PLIES_WITHOUT_END = 200
GUARD = 8
FILLS = (0, -0x5A5A5A5A5A5A5A5B)


@dataclass(frozen=True, slots=True)
class Written:
    """What a kernel that writes moves did: the actions, and whether it kept to its part of the buffer."""

    actions: tuple[int, ...]
    count: int
    is_clean: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One position of a walk: its words, side to move, outcome code and legal actions."""

    words: Words
    side: int
    outcome: int
    actions: tuple[int, ...]


@dataclass(slots=True)
class Walk:
    """A match that was played for the checks.

    `has_ended` is false where the bound on plies, or a fault, cut it short;
    `fault` says which.
    """

    layout: str
    steps: list[Step] = field(default_factory=list)
    has_ended: bool = False
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """What the checks look at.

    Attributes
    ----------
    game : Game
        The game that is checked.
    seed : int
        Of every random choice.
    walks : tuple of Walk
        Random playouts from every layout, and walks that always take the
        first, or the last, legal move.
    words : tuple of uint64[n]
        Distinct positions from them, in random order, starts and ends first.
    """

    game: Game
    seed: int
    walks: tuple[Walk, ...]
    words: tuple[Words, ...]

    def positions(self) -> Iterator[Position]:
        """Give each sampled position as a fresh value, unchecked."""
        for words in self.words:
            yield Position(self.game, words.copy())


def write_moves(game: Game, words: Words, fill: int = FILLS[1], *, name: str = "legal_moves") -> Written:
    """Call `legal_moves`, or another kernel that writes moves, with a guarded buffer full of `fill`."""
    size = game.facts.actions
    buffer = np.full(size + GUARD, fill, dtype=np.int64)
    count = int(getattr(game.kernels, name)(words.copy(), buffer[:size]))
    kept = min(max(count, 0), size)
    return Written(tuple(buffer[:kept].tolist()), count, bool((buffer[kept:] == fill).all()))


def write_successor(game: Game, words: Words, action: int, fill: int = FILLS[1]) -> tuple[Words, bool]:
    """Call `apply` on a copy of `words`; return the successor and whether it kept to its buffer."""
    size = game.facts.words
    buffer = np.full(size + GUARD, fill, dtype=np.int64).view(np.uint64)
    guard = buffer[size:].copy()
    game.kernels.apply(words.copy(), action, buffer[:size])
    return buffer[:size].copy(), bool((buffer[size:] == guard).all())


def is_sound(game: Game, written: Written) -> bool:
    """Say whether the actions can be applied at all: counted right and within range."""
    whole = written.count == len(written.actions)
    return whole and all(0 <= action < game.facts.actions for action in written.actions)


def told(game: Game, words: Words) -> str:
    """Describe a position for a message, even where the game cannot format it."""
    try:
        return repr(game.format_words(words))
    except Exception:  # noqa: BLE001 - a faulty notation is found by its own check
        return f"words {words.tolist()}"


def reach(game: Game, *, matches: int, positions: int, seed: int) -> Sample:
    """Play `matches` random matches, at least one a layout, and two walks a layout.

    Parameters
    ----------
    game : Game
        Whose kernels play.
    matches, positions : int
        Random matches, and most distinct positions to keep of them all.
    seed : int
        Equal seeds give equal samples.
    """
    generator = np.random.default_rng(seed)
    layouts = list(game.facts.layouts)
    count = max(matches, len(layouts)) if layouts else 0
    walks = [_walk(game, layouts[number % len(layouts)], generator) for number in range(count)]
    for layout in layouts:
        walks += [_walk(game, layout, 0), _walk(game, layout, -1)]
    return Sample(game, seed, tuple(walks), _chosen(walks, positions, generator))


def ply_bound(game: Game) -> int:
    """Return after how many plies a walk is cut short, `longest_match` and one if it is declared."""
    facts = game.facts
    if facts.longest_match is not None:
        return facts.longest_match + 1
    return min(facts.ply_limit or PLIES_WITHOUT_END, PLIES_WITHOUT_END)


def _walk(game: Game, layout: str, choice: np.random.Generator | int) -> Walk:
    walk = Walk(layout)
    kernels = game.kernels
    try:
        words = game.parse_words(game.facts.layouts[layout]).copy()
        for _ in range(ply_bound(game) + 1):
            written = write_moves(game, words)
            side, code = int(kernels.side_to_move(words.copy())), int(kernels.outcome(words.copy()))
            walk.steps.append(Step(words, side, code, written.actions))
            if not is_sound(game, written):
                walk.fault = f"no sound list of actions in {told(game, words)}"
                return walk
            if code >= 0 or not written.actions:
                walk.has_ended = True
                return walk
            words, _ = write_successor(game, words, _pick(written.actions, choice))
    except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything
        walk.fault = f"{type(error).__name__}: {error}"
    return walk


def _pick(actions: Sequence[int], choice: np.random.Generator | int) -> int:
    return actions[choice] if isinstance(choice, int) else actions[int(choice.integers(len(actions)))]


def _chosen(walks: Sequence[Walk], most: int, generator: np.random.Generator) -> tuple[Words, ...]:
    """Choose distinct positions: every start, ends for a third at most, then any."""
    starts = {step.words.tobytes(): step.words for walk in walks for step in walk.steps[:1]}
    ends = {step.words.tobytes(): step.words for walk in walks for step in walk.steps[-1:]}
    others = {step.words.tobytes(): step.words for walk in walks for step in walk.steps}
    keys = sorted(others)
    generator.shuffle(keys)
    first = list(dict.fromkeys([*starts, *list(ends)[: most // 3]]))
    kept = list(dict.fromkeys([*first, *keys]))[: max(most, len(starts))]
    return tuple(others[key] for key in kept)


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match played at random: one more position than moves, the start first."""

    positions: tuple[Position, ...]
    moves: tuple[Move, ...]


def matches(game: Game, *, max_plies: int | None = None) -> SearchStrategy[PlayedMatch]:
    """Return a strategy of random matches from any layout, cut short after any ply.

    Parameters
    ----------
    game : Game
        Whose rules are played.
    max_plies : int, optional
        By default the longest match, or the ply limit where there is none.

    Examples
    --------
    >>> from boardgames import load
    >>> strategy = matches(load("connect4"), max_plies=4)
    """
    from hypothesis import strategies as st

    longest = ply_bound(game) if max_plies is None else max_plies
    return st.builds(
        lambda layout, plies, seed: _played(game, layout, plies, seed),
        st.sampled_from(list(game.facts.layouts)),
        st.integers(0, longest),
        st.integers(0, 2**32 - 1),
    )


def positions(game: Game, *, max_plies: int | None = None) -> SearchStrategy[Position]:
    """Return a strategy of positions reached by random play from any layout.

    Examples
    --------
    >>> from boardgames import load
    >>> strategy = positions(load("connect4"))
    """
    return matches(game, max_plies=max_plies).map(lambda match: match.positions[-1])


def _played(game: Game, layout: str, plies: int, seed: int) -> PlayedMatch:
    generator = np.random.default_rng(seed)
    reached, moves = [game.parse(game.facts.layouts[layout])], list[Move]()
    while len(moves) < plies and reached[-1].outcome is None:
        move = game.decode(
            reached[-1], reached[-1].actions[int(generator.integers(len(reached[-1].actions)))]
        )
        moves.append(move)
        reached.append(reached[-1].apply(move))
    return PlayedMatch(tuple(reached), tuple(moves))
