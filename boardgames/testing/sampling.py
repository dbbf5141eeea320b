"""Positions on which a game is checked: random play through its kernels, and Hypothesis strategies.

The kernels may be faulty, so `check_game` calls them with copies and guarded buffers.
A guarded buffer has extra elements with known contents at its end, so that a kernel
that writes too much is detected and does not affect other checks. Hypothesis, which
the extra `test` installs, is imported only when a strategy is created.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from boardgames.errors import BoardgamesError, describe_error
from boardgames.faults import HangError
from boardgames.game import Game, Move, Position
from boardgames.kernels import Words

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

MAX_PLIES = 200
"""Maximum number of plies of a random match if the game declares no limit."""
GUARD = 8
"""Number of extra elements at the end of a guarded buffer."""
REPEATS = 8
"""Number of calls with which `is_repeatable` compares results."""
FILLS = (0, -0x5A5A5A5A5A5A5A5B)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and the position, action and other positions that it concerns.

    A remark does not count as a finding, because it may be right in some games.
    """

    message: str
    words: Words | None = None
    action: int | None = None
    others: tuple[Words, ...] = ()
    is_remark: bool = False


class KernelFaultError(Exception):
    """A kernel has a fault after which nothing else can be checked."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class WrittenMoves:
    """The result of a kernel that writes moves; if `is_clean`, it wrote nothing after the last move."""

    actions: tuple[int, ...]
    count: int
    is_clean: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One position of a walk: words, side to move, outcome code, legal actions, and the action played."""

    words: Words
    side: int
    outcome: int
    actions: tuple[int, ...]
    played: int | None = None


@dataclass(slots=True)
class Walk:
    """A match that was played for the checks.

    If `has_ended` is False, the match was stopped by the maximum number of plies or
    by a fault, which `fault` describes.
    """

    layout: str
    steps: list[Step] = field(default_factory=list)
    has_ended: bool = False
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """The positions in which a game is checked.

    Attributes
    ----------
    game : Game
        The game that is checked.
    seed : int
        Seed of all random choices.
    walks : tuple of Walk
        Random matches from every layout, and matches in which the first or the
        last legal move is always played.
    words : tuple of uint64[n]
        Distinct positions of these matches: starts, ends, then others in random order,
        and as many more as are needed to include every action that was ever legal.
    move : str
        Text of the only move to check; empty for all moves.
    """

    game: Game
    seed: int
    walks: tuple[Walk, ...]
    words: tuple[Words, ...]
    move: str = ""

    def positions(self) -> Iterator[Position]:
        """Yield each sampled position as a new, unchecked `Position`."""
        for words in self.words:
            yield Position(self.game, words.copy())


def write_moves(game: Game, words: Words, fill: int = FILLS[1], *, name: str = "legal_moves") -> WrittenMoves:
    """Call `legal_moves`, or another kernel that writes moves, with a guarded buffer."""
    size = game.facts.actions
    buffer = np.full(size + GUARD, fill, dtype=np.int64)
    count = int(getattr(game.kernels, name)(words.copy(), buffer[:size]))
    kept = min(max(count, 0), size)
    return WrittenMoves(tuple(buffer[:kept].tolist()), count, bool((buffer[kept:] == fill).all()))


def write_successor(game: Game, words: Words, action: int, fill: int = FILLS[1]) -> tuple[Words, bool]:
    """Call `apply` on a copy of `words`; return the successor, and True if nothing was written after it."""
    size = game.facts.words
    buffer = np.full(size + GUARD, fill, dtype=np.int64).view(np.uint64)
    guard = buffer[size:].copy()
    game.kernels.apply(words.copy(), action, buffer[:size])
    return buffer[:size].copy(), bool((buffer[size:] == guard).all())


def is_repeatable(write: Callable[[Words], object], size: int) -> bool:
    """Return True if `write` fills a buffer of `size` words with the same words each time.

    Examples
    --------
    >>> is_repeatable(lambda buffer: buffer.fill(3), 2)
    True
    """
    results = set()
    for _ in range(REPEATS):
        buffer = np.zeros(size, dtype=np.uint64)
        write(buffer)
        results.add(buffer.tobytes())
    return len(results) == 1


def is_sound(game: Game, written: WrittenMoves) -> bool:
    """Return True if the actions are within range and their count is right, so that they can be applied."""
    is_complete = written.count == len(written.actions)
    return is_complete and all(0 <= action < game.facts.actions for action in written.actions)


class Calls:
    """Calls the kernels of the rules; `boardgames.testing.probe` has a subclass that checks more."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def legal_moves(self, words: Words) -> WrittenMoves:
        """Return the legal actions."""
        return write_moves(self.game, words)

    def side_to_move(self, words: Words) -> int:
        """Return the side to move."""
        return int(self.game.kernels.side_to_move(words.copy()))

    def outcome(self, words: Words) -> int:
        """Return the code of the outcome."""
        return int(self.game.kernels.outcome(words.copy()))

    def apply(self, words: Words, action: int) -> Words:
        """Return the successor."""
        return write_successor(self.game, words, action)[0]


@dataclass(frozen=True, slots=True)
class Place:
    """Texts of a position and a move, for messages and commands.

    `is_exact` is True if parsing the texts gives the same position and move.
    """

    position: str
    move: str = ""
    is_exact: bool = False

    @property
    def quoted(self) -> str:
        """Return the position for messages, in quotes unless it is a list of words."""
        return self.position if self.position.startswith("words [") else repr(self.position)


def place(game: Game, words: Words, action: int | None = None) -> Place:
    """Return the texts of a position and an action, or their numbers if the game cannot format them."""
    position, is_exact = f"words {words.tolist()}", False
    with suppress(Exception, HangError):  # another check reports faults of the notation
        position = game.format_words(words.copy())
        is_exact = bool(np.array_equal(game.parse(position).words, words))
    if action is None:
        return Place(position, "", is_exact)
    try:
        move = game.format_action(words.copy(), action)
    except (Exception, HangError):  # noqa: BLE001 - as above
        move, is_exact = f"action {action}", False
    return Place(position, move, is_exact)


def sample_positions(
    game: Game, *, matches: int, positions: int, seed: int, calls: Calls | None = None
) -> Sample:
    """Return positions of random matches, and of matches that always play the first or the last move.

    Parameters
    ----------
    matches : int
        Number of random matches, at least one from each layout.
    positions : int
        Number of distinct positions to keep.
    seed : int
        Equal seeds give equal samples.
    calls : Calls, optional
        How to call the rules.

    Raises
    ------
    KernelFaultError
        Only if `calls` raises it.
    """
    calls = calls or Calls(game)
    generator = np.random.default_rng(seed)
    layouts = list(game.facts.layouts)
    count = max(matches, len(layouts)) if layouts else 0
    walks = [_walk(calls, layouts[number % len(layouts)], generator) for number in range(count)]
    for layout in layouts:
        walks += [_walk(calls, layout, 0), _walk(calls, layout, -1)]
    return Sample(game, seed, tuple(walks), _chosen(walks, positions, generator))


def more_walks(sample: Sample, count: int) -> tuple[Walk, ...]:
    """Play `count` more random matches; different counts give different matches."""
    layouts, generator = list(sample.game.facts.layouts), np.random.default_rng([sample.seed, count])
    calls = Calls(sample.game)
    return tuple(_walk(calls, layouts[number % len(layouts)], generator) for number in range(count))


def ply_bound(game: Game) -> int:
    """Return the number of plies after which a match is stopped: `longest_match` + 1 if it is declared."""
    facts = game.facts
    if facts.longest_match is not None:
        return facts.longest_match + 1
    return min(facts.ply_limit or MAX_PLIES, MAX_PLIES)


def _walk(calls: Calls, layout: str, choice: np.random.Generator | int) -> Walk:
    walk, game = Walk(layout), calls.game
    try:
        words = game.parse_words(game.facts.layouts[layout]).copy()
        for _ in range(ply_bound(game) + 1):
            # first the outcome: the other kernels may call it, and so hang where it does
            code = calls.outcome(words)
            side, written = calls.side_to_move(words), calls.legal_moves(words)
            walk.steps.append(Step(words, side, code, written.actions))
            if not is_sound(game, written):
                walk.fault = f"the legal moves are faulty in {place(game, words).quoted}"
                return walk
            if code >= 0 or not written.actions:
                walk.has_ended = True
                return walk
            action = _pick(written.actions, choice)
            walk.steps[-1] = replace(walk.steps[-1], played=action)
            words = calls.apply(words, action)
    except KernelFaultError:
        raise
    except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
        walk.fault = str(error) if isinstance(error, BoardgamesError) else describe_error(error)
    return walk


def _pick(actions: Sequence[int], choice: np.random.Generator | int) -> int:
    return actions[choice] if isinstance(choice, int) else actions[int(choice.integers(len(actions)))]


def _chosen(walks: Sequence[Walk], most: int, generator: np.random.Generator) -> tuple[Words, ...]:
    """Choose distinct positions: starts, up to a third ends, random ones, and ones with missing actions."""
    starts = {step.words.tobytes(): step.words for walk in walks for step in walk.steps[:1]}
    ends = {step.words.tobytes(): step.words for walk in walks for step in walk.steps[-1:]}
    others = {step.words.tobytes(): step.words for walk in walks for step in walk.steps}
    keys = sorted(others)
    generator.shuffle(keys)
    first = list(dict.fromkeys([*starts, *list(ends)[: most // 3]]))
    kept = list(dict.fromkeys([*first, *keys]))[: max(most, len(starts))]
    steps = {step.words.tobytes(): step for walk in walks for step in walk.steps}
    covered = {action for key in kept for action in steps[key].actions}
    for key in keys:
        if not covered.issuperset(steps[key].actions):
            kept.append(key)
            covered.update(steps[key].actions)
    return tuple(others[key] for key in kept)


def selected(sample: Sample, words: Words, actions: Sequence[int]) -> tuple[int, ...]:
    """Return the actions to check in a position: all, or only those whose text is `sample.move`."""
    if not sample.move:
        return tuple(actions)
    return tuple(
        action for action in actions if sample.game.format_action(words.copy(), action) == sample.move
    )


def sample_given(game: Game, words: Sequence[Words], move: str, seed: int) -> Sample:
    """Return a sample of the given positions; unless `move` is empty, only that move is checked."""
    return Sample(game, seed, (), tuple(words), move)


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A random match: its positions, beginning with the start, and its moves, of which there is one less."""

    positions: tuple[Position, ...]
    moves: tuple[Move, ...]


def matches(game: Game, *, max_plies: int | None = None) -> SearchStrategy[PlayedMatch]:
    """Return a strategy for random matches from any layout, which may stop after any ply.

    Parameters
    ----------
    max_plies : int, optional
        Maximum number of plies; by default just above the game's `longest_match` or, if it declares none,
        its ply limit, but not more than 200.

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
    """Return a strategy for positions reached by random play from any layout.

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
