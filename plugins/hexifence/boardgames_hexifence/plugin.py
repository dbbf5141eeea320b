"""Hooks of the Hexifence plug-in."""

from boardgames.hookspecs import Entry, hookimpl


@hookimpl
def bg_games() -> list[Entry]:
    """Return the game."""
    return [
        Entry(
            "hexifence",
            "complete hexagons to own them and move again; more cells win",
            "boardgames_hexifence.game:Hexifence",
        )
    ]


@hookimpl
def bg_agents() -> list[Entry]:
    """Return the agents."""
    return [
        Entry(
            "double",
            "captures cells, and hands out the ends of chains to keep control",
            "boardgames_hexifence.original:Double",
            game="hexifence",
        ),
        Entry(
            "farrugiulian",
            "searches the last safe edges, then the sacrifices, for a win",
            "boardgames_hexifence.original:Farrugiulian",
            game="hexifence",
        ),
        Entry(
            "strong",
            "exact values where time allows, else Monte Carlo tree search",
            "boardgames_hexifence.agents:Strong",
            game="hexifence",
        ),
    ]


@hookimpl
def bg_features() -> list[Entry]:
    """Return the feature sets."""
    return [
        Entry(
            "control",
            "who will have to open chains and loops, and what that is worth",
            "boardgames_hexifence.control:control",
            game="hexifence",
        ),
        Entry(
            "simple",
            "cells of both sides, open edges by kind, cells almost closed",
            "boardgames_hexifence.features:simple",
            game="hexifence",
        ),
    ]


@hookimpl
def bg_weights() -> list[Entry]:
    """Return the shipped weights; data/README.md says how they were made and how strong they are."""
    return [
        Entry(
            "td",
            "for control at any dimension, learned by TD(lambda) in 800 matches of self-play",
            "boardgames_hexifence.control:TD_WEIGHTS",
            game="hexifence",
        )
    ]


@hookimpl
def bg_experiments() -> list[Entry]:
    """Return the experiment."""
    return [
        Entry(
            "blind-spot",
            "how often a sacrifice is better than every safe edge, from exact values",
            "boardgames_hexifence.experiments:BlindSpot",
            game="hexifence",
        )
    ]


@hookimpl
def bg_overlays() -> list[Entry]:
    """Return the overlays of the board."""
    return [
        Entry("edges", "open edges by kind", "boardgames_hexifence.overlays:edges", game="hexifence"),
        Entry(
            "chains",
            "chains and loops, and who is in control",
            "boardgames_hexifence.overlays:chains",
            game="hexifence",
        ),
    ]


@hookimpl
def bg_puzzles() -> list[Entry]:
    """Return the kinds of puzzles."""
    return [
        Entry(
            "sacrifice",
            "the only winning move is a sacrifice, although there is a safe edge",
            "boardgames_hexifence.puzzles:sacrifices",
            game="hexifence",
        ),
        Entry(
            "hand-out",
            "the only winning move hands out cells that could be captured",
            "boardgames_hexifence.puzzles:hand_outs",
            game="hexifence",
        ),
        Entry(
            "safe-edge",
            "only one of several safe edges wins",
            "boardgames_hexifence.puzzles:safe_edges",
            game="hexifence",
        ),
    ]
