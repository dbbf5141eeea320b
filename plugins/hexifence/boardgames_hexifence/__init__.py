"""Hexifence for `boardgames`."""
