"""Drawing a `Picture` as SVG or terminal text, and coordinates for the cells of common boards."""
