"""Tournaments and matches between agents, and statistics of their strength.

For example::

    import boardgames
    from boardgames.arena import Arena, Plan
    from boardgames.executors import open_executor

    plan = Plan(game=boardgames.load("connect4"), agents=("alphabeta:depth=4", "greedy"))
    with open_executor() as executor:
        report = Arena(plan, seed=1).run(executor)
"""

from boardgames.arena.arena import Arena
from boardgames.arena.pentanomial import Estimate, Pairs, estimate, likelihood_of_superiority
from boardgames.arena.plan import Plan
from boardgames.arena.report import Report, Standing
from boardgames.arena.sprt import Sprt

__all__ = [
    "Arena",
    "Estimate",
    "Pairs",
    "Plan",
    "Report",
    "Sprt",
    "Standing",
    "estimate",
    "likelihood_of_superiority",
]
