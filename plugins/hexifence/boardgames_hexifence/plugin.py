"""What Hexifence adds to `boardgames`."""
