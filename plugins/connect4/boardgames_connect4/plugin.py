"""Hooks of the Connect Four plug-in."""

from typing import TYPE_CHECKING

from boardgames.hookspecs import Entry, hookimpl

if TYPE_CHECKING:
    import click


@hookimpl
def bg_games() -> list[Entry]:
    """Return the game."""
    return [
        Entry(
            "connect4",
            "drop stones into columns; four in a row wins",
            "boardgames_connect4.game:Connect4",
            title="Connect Four",
        )
    ]


@hookimpl
def bg_agents() -> list[Entry]:
    """Return the agents."""
    return [
        Entry(
            "solver",
            "perfect play with exact scores, and nine weaker levels",
            "boardgames_connect4.agents:SolverPlayer",
            game="connect4",
        ),
        Entry(
            "lines",
            "alpha-beta of fixed depth with weights that never change",
            "boardgames_connect4.agents:Lines",
            game="connect4",
        ),
        Entry(
            "value-iteration",
            "a learned table of abstract states, with guards",
            "boardgames_connect4.value_iteration.player:PolicyPlayer",
            game="connect4",
        ),
    ]


@hookimpl
def bg_learners() -> list[Entry]:
    """Return the learner."""
    return [
        Entry(
            "value-iteration",
            "value iteration on a table of abstract states, in self-play",
            "boardgames_connect4.value_iteration.learner:ValueIteration",
            game="connect4",
        )
    ]


@hookimpl
def bg_features() -> list[Entry]:
    """Return the feature set."""
    return [
        Entry(
            "lines",
            "open twos and threes, centre stones, odd and even threats, per side",
            "boardgames_connect4.features:lines",
            game="connect4",
        )
    ]


@hookimpl
def bg_patterns() -> list[Entry]:
    """Return the pattern sets that `ntuple` can learn with."""
    return [
        Entry(
            "cells",
            "empty, playable, own and opponent's cells, with tables for each side",
            "boardgames_connect4.patterns:cells",
            game="connect4",
        ),
        Entry(
            "lines",
            "the same cells, in groups of two adjacent lines of four",
            "boardgames_connect4.patterns:lines",
            game="connect4",
        ),
    ]


@hookimpl
def bg_weights() -> list[Entry]:
    """Return the shipped weights; data/README.md says how they were made and how strong they are."""
    return [
        Entry(
            "td",
            "for lines on 7 x 6, learned by TD(lambda) in 9,800 matches of self-play",
            "boardgames_connect4.evaluation:TD_WEIGHTS",
            game="connect4",
        ),
        Entry(
            "ntuple",
            "for lines and n-tuples on 7 x 6, learned by TD(lambda) in 1,280,000 matches of self-play",
            "boardgames_connect4.patterns:WEIGHTS",
            game="connect4",
        ),
        Entry(
            "alphazero",
            "a network for 7 x 6 of 32 channels x 3 blocks, learned by self-play in an hour on two cores",
            "boardgames_connect4.observation:NETWORK",
            game="connect4",
        ),
    ]


@hookimpl
def bg_experiments() -> list[Entry]:
    """Return the experiments."""
    return [
        Entry(
            "ablation",
            "how much each part of value-iteration matters, against opponents and perfect play",
            "boardgames_connect4.ablations:Ablation",
            game="connect4",
        ),
        Entry(
            "discount",
            "what value-iteration gains from several discounts, against opponents and perfect play",
            "boardgames_connect4.ablations:Discount",
            game="connect4",
        ),
        Entry(
            "perfection",
            "how often agents play a best move, and how much they give away, measured by the solver",
            "boardgames_connect4.experiments:Perfection",
            game="connect4",
        ),
    ]


@hookimpl
def bg_puzzles() -> list[Entry]:
    """Return the kinds of puzzles."""
    return [
        Entry(
            "two-threats",
            "the only winning move makes two threats, of which only one can be blocked",
            "boardgames_connect4.puzzles:two_threats",
            game="connect4",
        ),
        Entry(
            "zugzwang",
            "the only winning move leaves the opponent only replies that lose",
            "boardgames_connect4.puzzles:zugzwang",
            game="connect4",
        ),
    ]


@hookimpl
def bg_commands(group: "click.Group") -> None:
    """Add the command that builds books for the solver."""
    from boardgames_connect4.commands import connect4_book

    group.add_command(connect4_book)
