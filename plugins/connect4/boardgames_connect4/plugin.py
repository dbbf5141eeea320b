"""What Connect Four adds to `boardgames`."""
