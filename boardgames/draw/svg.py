"""A `Picture` as an SVG document."""

from boardgames.picture import Picture


def svg(picture: Picture) -> str:
    """Return the picture as an SVG document."""
    raise NotImplementedError
