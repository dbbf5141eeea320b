"""Abalone for `boardgames`."""
