"""Drawing a `Picture`: as SVG, as terminal text, and lattices for views to place cells on."""
