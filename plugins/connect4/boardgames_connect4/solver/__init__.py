"""A perfect solver of Connect Four: exact scores by null-window search on bitboards."""

from boardgames_connect4.solver.solver import Solution, Solver

__all__ = ["Solution", "Solver"]
