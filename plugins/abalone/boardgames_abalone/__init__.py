"""Abalone for `boardgames`: rules as kernels, notations, evaluation, agents."""
