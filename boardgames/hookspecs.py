"""The hooks: what a plug-in may add, and what it may be told.

The docstring of each hook is its manual. A plug-in is a module (or object)
named by an entry point of the group `boardgames`; it marks implementations
with `hookimpl`:

    from boardgames.hookspecs import Entry, hookimpl

    @hookimpl
    def bg_games():
        return [Entry("mygame", "a small game", "my_package.game:MyGame")]

Hooks that offer something return entries, which name the thing and say where
it is; it is imported when it is first used, so keep the plug-in module light.
A hook only ever gains arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from pathlib import Path

    import click

    from boardgames.game import Outcome
    from boardgames.manager import Manager, MoveMade

PROJECT = "boardgames"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@dataclass(frozen=True, slots=True)
class Entry:
    """Something a plug-in offers: its name, one sentence, and where it is.

    Attributes
    ----------
    name : str
        Lower-case letters, digits, `-` and `_`; unique within `game`.
    summary : str
        One sentence for listings.
    target : str
        `package.module:attribute`, imported at first use.
    game : str or None
        The only game it is for; None if it is for every game.
    """

    name: str
    summary: str
    target: str
    game: str | None = None


@hookspec
def bg_games() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Offer games: each target is a subclass of `boardgames.game.Game`."""


@hookspec
def bg_agents() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Offer agents: each target is a subclass of `boardgames.player.Player`.

    A game's own agent (its `game` is set) comes before one for every game of
    the same name.
    """


@hookspec
def bg_features() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Offer feature sets: each target takes a `Game` and returns a `FeatureSet` for it."""


@hookspec
def bg_learners() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Offer learners: each target is a subclass of `boardgames.learner.Learner`."""


@hookspec
def bg_weights() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Offer weights: each target is the path (`pathlib.Path`) of a file that `Weights.write` has made.

    Players take them by name, `td:weights=NAME`; an entry names its game.
    """


@hookspec
def bg_books() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Offer opening books: each target is the path (`pathlib.Path`) of a file that `bg book` has made.

    Agents that search play by them where only their time is limited; an entry names its game.
    """


@hookspec
def bg_experiments() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Offer experiments: each target is a subclass of `boardgames.learning.experiments.Experiment`."""


@hookspec
def bg_commands(group: click.Group) -> None:
    """Add commands to the command line's group; keep imports inside the commands."""


@hookspec
def bg_match_started(manager: Manager) -> None:
    """Learn that a match has begun; `manager` is to be read, not driven."""


@hookspec
def bg_move_made(manager: Manager, made: MoveMade) -> None:
    """Learn that a move has been made, with the time it took."""


@hookspec
def bg_match_ended(manager: Manager, outcome: Outcome) -> None:
    """Learn how a match ended; its record is `manager.record()`."""


@hookspec
def bg_training_stepped(run: str, step: int, metrics: dict[str, float], folder: Path) -> None:
    """Learn of one more step of a training run: its name, its metrics, and the folder of its files."""
