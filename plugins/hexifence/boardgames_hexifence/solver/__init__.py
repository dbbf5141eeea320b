"""Exact values of Hexifence by null-window search on strings and coins."""

from boardgames_hexifence.solver.solver import Solution, Solver

__all__ = ["Solution", "Solver"]
