"""A plug-in framework for two-player board games.

    import boardgames

    game = boardgames.load("abalone", layout="standard")
    position = game.start().apply("a1b2")

Names are imported when they are first used, so that importing the package and
running `boardgames --help` need neither NumPy nor Numba.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from boardgames.batch import Batch
    from boardgames.clock import TimeControl
    from boardgames.declarations import (
        Contempt,
        Evaluation,
        Exercise,
        Facts,
        Feature,
        FeatureSet,
        Kernels,
        Repetition,
    )
    from boardgames.errors import BoardgamesError
    from boardgames.game import Game, Move, Outcome, Position, Termination
    from boardgames.hookspecs import Entry, hookimpl
    from boardgames.learner import Learner, LearnerState
    from boardgames.manager import Manager
    from boardgames.match_setup import MatchSetup
    from boardgames.match_state import MatchRules, MatchState
    from boardgames.options import Option
    from boardgames.patterns import PatternModel, PatternSet
    from boardgames.picture import Button, GridLine, Group, MarkClass, Overlay, Palette, Picture, Tray
    from boardgames.plain_game import DRAW, PlainGame
    from boardgames.player import Analysis, Choice, Clock, Context, ExactPlayer, Limit, Player, Stop
    from boardgames.plugins import (
        load,
        load_features,
        load_learner,
        load_patterns,
        load_player,
        registry,
    )
    from boardgames.record import Record
    from boardgames.score import Score, Unit
    from boardgames.search.perft import divide, perft
    from boardgames.search.playout import Playouts, playouts
    from boardgames.testing import check_game

__version__ = "0.1.0"

_MODULES = {
    "boardgames.batch": ("Batch",),
    "boardgames.clock": ("TimeControl",),
    "boardgames.declarations": (
        "Contempt",
        "Evaluation",
        "Exercise",
        "Facts",
        "Feature",
        "FeatureSet",
        "Kernels",
        "Repetition",
    ),
    "boardgames.errors": ("BoardgamesError",),
    "boardgames.game": ("Game", "Move", "Outcome", "Position", "Termination"),
    "boardgames.hookspecs": ("Entry", "hookimpl"),
    "boardgames.learner": ("Learner", "LearnerState"),
    "boardgames.manager": ("Manager",),
    "boardgames.match_setup": ("MatchSetup",),
    "boardgames.match_state": ("MatchRules", "MatchState"),
    "boardgames.options": ("Option",),
    "boardgames.patterns": ("PatternModel", "PatternSet"),
    "boardgames.picture": (
        "Button",
        "GridLine",
        "Group",
        "MarkClass",
        "Overlay",
        "Palette",
        "Picture",
        "Tray",
    ),
    "boardgames.plain_game": ("DRAW", "PlainGame"),
    "boardgames.player": ("Analysis", "Choice", "Clock", "Context", "ExactPlayer", "Limit", "Player", "Stop"),
    "boardgames.plugins": (
        "load",
        "load_features",
        "load_learner",
        "load_patterns",
        "load_player",
        "registry",
    ),
    "boardgames.record": ("Record",),
    "boardgames.score": ("Score", "Unit"),
    "boardgames.search": ("Playouts", "divide", "perft", "playouts"),
    "boardgames.testing": ("check_game",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "DRAW",
    "Analysis",
    "Batch",
    "BoardgamesError",
    "Button",
    "Choice",
    "Clock",
    "Contempt",
    "Context",
    "Entry",
    "Evaluation",
    "ExactPlayer",
    "Exercise",
    "Facts",
    "Feature",
    "FeatureSet",
    "Game",
    "GridLine",
    "Group",
    "Kernels",
    "Learner",
    "LearnerState",
    "Limit",
    "Manager",
    "MarkClass",
    "MatchRules",
    "MatchSetup",
    "MatchState",
    "Move",
    "Option",
    "Outcome",
    "Overlay",
    "Palette",
    "PatternModel",
    "PatternSet",
    "Picture",
    "PlainGame",
    "Player",
    "Playouts",
    "Position",
    "Record",
    "Repetition",
    "Score",
    "Stop",
    "Termination",
    "TimeControl",
    "Tray",
    "Unit",
    "__version__",
    "check_game",
    "divide",
    "hookimpl",
    "load",
    "load_features",
    "load_learner",
    "load_patterns",
    "load_player",
    "perft",
    "playouts",
    "registry",
]


def __getattr__(name: str) -> "Any":  # any public object
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
