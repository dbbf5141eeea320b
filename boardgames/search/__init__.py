"""Generic compiled algorithms over any game's kernels."""
