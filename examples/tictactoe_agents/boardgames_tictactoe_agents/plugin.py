"""Hooks of the plug-in, which adds agents, a learner and an overlay to a game of another plug-in."""

from boardgames.hookspecs import Entry, hookimpl

PACKAGE = "boardgames_tictactoe_agents"


@hookimpl
def bg_agents() -> list[Entry]:
    """Return the agents; `boardgames solve` uses the agent named `solver`."""
    return [
        Entry("solver", "knows every position", f"{PACKAGE}.solver:Solver", game="tictactoe"),
        Entry("watchful", "wins and blocks, else random", f"{PACKAGE}.agent:Watchful", game="tictactoe"),
    ]


@hookimpl
def bg_learners() -> list[Entry]:
    """Return the learner, which works for every game with features."""
    summary = "keeps random changes of the weights that win matches"
    return [Entry("hill-climbing", summary, f"{PACKAGE}.learner:HillClimbing", needs=("features",))]


@hookimpl
def bg_overlays() -> list[Entry]:
    """Return the overlay."""
    summary = "cells that win and cells to block"
    return [Entry("threats", summary, f"{PACKAGE}.overlay:threats", game="tictactoe")]
