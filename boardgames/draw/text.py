"""A `Picture` as lines of text for a terminal."""

from boardgames.picture import Picture


def plain_text(picture: Picture) -> str:
    """Return the picture as lines of text without colour."""
    raise NotImplementedError
