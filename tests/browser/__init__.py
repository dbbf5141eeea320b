"""Pages in a browser. This folder is a package so that its tests share one browser."""
