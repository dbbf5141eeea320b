"""What Abalone adds to `boardgames`."""
