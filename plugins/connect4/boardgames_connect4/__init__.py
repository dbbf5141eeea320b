"""Connect Four for `boardgames`."""
