"""Hypothesis strategies for authors of games: reached positions and whole matches.

Hypothesis is imported when a strategy is made: it comes with the extra `test`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boardgames.game import Game, Move, Position
from boardgames.testing.sample import ply_bound

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


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
