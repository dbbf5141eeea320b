"""Tic-tac-toe for `boardgames`."""
