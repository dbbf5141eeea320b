"""Drawing a `Picture` as SVG or terminal text, and lattices on which views place cells."""
