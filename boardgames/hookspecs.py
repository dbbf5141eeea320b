"""The hooks: what a plug-in can add, and the events it can listen to.

The docstring of each hook documents it. A plug-in is a module (or object)
named by an entry point of the group `boardgames`; it marks implementations
with `hookimpl`:

    from boardgames.hookspecs import Entry, hookimpl

    @hookimpl
    def bg_games():
        return [Entry("mygame", "a small game", "my_package.game:MyGame")]

Hooks that add something return entries, each with a name and the place to
import from. Targets are imported when they are first used, so keep the imports
of the plug-in module itself light. An implementation may leave out arguments
that it does not need. Later versions may add arguments to a hook, but never
remove any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import pluggy

if TYPE_CHECKING:
    from pathlib import Path

    import click

    from boardgames.game import Game, Outcome, PlayedMove, Position
    from boardgames.player import Player
    from boardgames.record import Record

PROJECT = "boardgames"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that a plug-in adds: its name, a one-sentence summary, and where to import it from.

    Attributes
    ----------
    name : str
        Lower-case letters, digits, `-` and `_`; unique within `game`.
    summary : str
        One sentence for listings.
    target : str
        `package.module:attribute`, imported at first use.
    game : str or None
        The game that the entry is for, or None if it is for every game.
    needs : tuple of str
        What plug-ins must offer for a game so that the entry can be used: `"features"` or
        `"patterns"`. An agent that by default plays with weights of its own name also needs
        `"weights"`, and `"network"` if these weights are a network. The entry is not listed for
        other games.
    title : str
        What the page calls a game before it is loaded, such as `Connect Four`; by default its name
        with a capital letter, and with spaces for hyphens.
    """

    name: str
    summary: str
    target: str
    game: str | None = None
    needs: tuple[str, ...] = ()
    title: str = ""

    @property
    def shown_title(self) -> str:
        """The title, or if there is none, the name as a title."""
        return self.title or self.name.replace("-", " ").replace("_", " ").capitalize()


class Match(Protocol):
    """The part of a match that hooks may use; the object passed to them is its `boardgames.Manager`."""

    @property
    def game(self) -> Game:
        """The game."""

    @property
    def players(self) -> Sequence[Player | None]:
        """The players of side 0 and side 1; None for a side whose moves are made by the caller."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the players, as in the record."""

    @property
    def position(self) -> Position:
        """The current position."""

    @property
    def positions(self) -> Sequence[Position]:
        """All positions so far, beginning with the start."""

    @property
    def moves(self) -> Sequence[PlayedMove]:
        """The moves made so far."""

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, or None as long as the match is not over."""

    def record(self) -> Record:
        """Return the match so far as a record."""


@hookspec
def bg_games() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Add games: each target is a subclass of `boardgames.game.Game`."""


@hookspec
def bg_agents() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Add agents: each target is a subclass of `boardgames.player.Player`.

    An agent for one game (its `game` is set) takes precedence over an agent of
    the same name for every game.
    """


@hookspec
def bg_features() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Add feature sets: each target takes a `Game` and returns a `FeatureSet` for it."""


@hookspec
def bg_patterns() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Add pattern sets: each target takes a `Game` and returns a `PatternSet` for it."""


@hookspec
def bg_learners() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Add learners: each target is a subclass of `boardgames.learner.Learner`."""


@hookspec
def bg_weights() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Add weights: each target is the path (`pathlib.Path`) of a file written by `Weights.write`.

    Players load them by name, as in `td:weights=NAME`; each entry names its game.
    """


@hookspec
def bg_books() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Add opening books: each target is the path (`pathlib.Path`) of a file made by `boardgames book`.

    Agents that search use a book if time is their only limit; each entry names its game.
    """


@hookspec
def bg_experiments() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Add experiments: each target is a subclass of `boardgames.experiments.Experiment`."""


@hookspec
def bg_overlays() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Add overlays: each target takes a `Position` and returns a `boardgames.picture.Overlay`.

    An overlay uses the ids of the position's picture; each entry names its game.
    """


@hookspec
def bg_puzzles() -> Sequence[Entry]:  # type: ignore[empty-body]  # pluggy calls the implementations
    """Add kinds of puzzles: each target takes a `Game` and a random generator.

    The target yields `Candidate`s, among which the solver of the game finds puzzles, or returns a sequence
    of `Exercise`s, which are ready puzzles. See `boardgames.puzzles`; each entry names its game.
    """


@hookspec
def bg_commands(group: click.Group) -> None:
    """Add commands to the command line. Import what they need inside the commands."""


@hookspec
def bg_match_started(manager: Match) -> None:
    """React to the start of a match; `manager` is for reading only."""


@hookspec
def bg_move_made(manager: Match, played: PlayedMove) -> None:
    """React to a move; `played` contains its side, time and ply."""


@hookspec
def bg_match_ended(manager: Match, outcome: Outcome) -> None:
    """React to the end of a match; its record is `manager.record()`."""


@hookspec
def bg_training_stepped(run: str, step: int, metrics: Mapping[str, float], folder: Path) -> None:
    """React to a training step, given the name of the run, the metrics and the run's folder."""
