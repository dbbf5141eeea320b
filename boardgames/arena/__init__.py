"""The arena: paired series of matches and what can honestly be said of strength after them."""
