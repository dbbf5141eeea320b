"""Drawing a `Picture` as SVG or terminal text, and coordinates of the cells of common boards."""
