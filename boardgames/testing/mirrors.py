"""Check symmetries that the picture of a board suggests, in games that declare none.

If a rotation or reflection maps the cells and the start position onto themselves,
pairs of matches are played with mirrored moves, and their pictures must be mirror
images. Rules such as castling or falling pieces rightly break such a symmetry, so a
difference is only a remark, and only if most first moves respect the symmetry.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from boardgames.game import Position
from boardgames.picture import Picture
from boardgames.testing.checks import RunningCheck, counted
from boardgames.testing.sampling import Fault, Sample, ply_bound

PAIRS = 6
"""Number of pairs of matches for each symmetry."""
DIGITS = 3
"""Number of decimal places to which two centres must agree to count as equal."""

MAX_PLIES = 60
"""Maximum number of plies of each pair of matches, because pictures are slow."""
WHAT_TO_DO = "a fault, unless the rules require it; if they do, declare the true symmetries in `symmetries`"

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Mirror:
    """A symmetry of a picture: its name, and the image of each id."""

    name: str
    ids: Mapping[str, str]


def check_mirrors(sample: Sample) -> RunningCheck:
    """Remark on positions in which the rules break a symmetry of the board and most first moves."""
    game = sample.game
    if not sample.walks or game.symmetries():
        return "needs matches" if not sample.walks else "the declared symmetries are checked instead"
    generator, count = np.random.default_rng(sample.seed), 0
    start = game.start()
    for mirror in _mirrors(start.picture()):
        first = [_difference(mirror, start, start, text) for text in start.picture().clicks]
        if not first or 2 * sum(map(bool, first)) > len(first):
            continue
        count += 1
        if difference := next((one for one in first if one), "") or _first_difference(
            mirror, start, generator
        ):
            yield Fault(
                f"{mirror.name} maps the board onto itself, but not the moves: {difference}; {WHAT_TO_DO}",
                is_remark=True,
            )
    return f"{counted(count, 'symmetry', 'symmetries')} of the picture"


def _first_difference(mirror: Mirror, start: Position, generator: np.random.Generator) -> str:
    """Play pairs of mirrored matches; return the first difference as text, or an empty string."""
    for _ in range(PAIRS):
        one = other = start
        for _ in range(min(ply_bound(start.game), MAX_PLIES)):
            texts = sorted(one.picture().clicks)
            if not texts or one.outcome is not None:
                break
            text = texts[int(generator.integers(len(texts)))]
            if difference := _difference(mirror, one, other, text):
                return difference
            one, other = one.apply(text), other.apply(_image(mirror, one, other, text))
    return ""


def _difference(mirror: Mirror, one: Position, other: Position, text: str) -> str:
    """Return how the successors of a move and of its image differ, as text; empty if they do not."""
    image = _image(mirror, one, other, text)
    if not image:
        return f"{text} is legal in {str(one)!r}, but its image is not in {str(other)!r}"
    after, mirrored = one.apply(text), other.apply(image)
    if _content(after.picture(), mirror.ids) == _content(mirrored.picture()):
        return ""
    return (
        f"{text} in {str(one)!r} leads to {str(after)!r}, but {image} in {str(other)!r} to {str(mirrored)!r}"
    )


def _image(mirror: Mirror, one: Position, other: Position, text: str) -> str:
    """Return the legal move of `other` whose clicks mirror the clicks of `text`, or an empty string."""
    wanted = {tuple(mirror.ids.get(name, name) for name in clicks) for clicks in one.picture().clicks[text]}
    matching = [name for name, choices in other.picture().clicks.items() if set(choices) == wanted]
    return matching[0] if len(matching) == 1 else ""


def _mirrors(picture: Picture) -> Iterator[Mirror]:
    """Yield the rotations and reflections that map cells, lines and pieces of a picture onto themselves."""
    places = _places(picture)
    if not places:
        return
    centres = np.array(list(places))
    middle = (centres.min(axis=0) + centres.max(axis=0)) / 2
    for sign in (1, -1):
        for degrees in range(0, 360, 30):
            if sign == 1 and degrees == 0:
                continue
            cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            moved = (centres - middle) @ np.array([[cosine, sine], [-sine * sign, cosine * sign]]) + middle
            images = [places.get(_rounded(x, y)) for x, y in moved.tolist()]
            ids = {
                name: image for name, image in zip(places.values(), images, strict=True) if image is not None
            }
            if len(set(ids.values())) == len(places) and _content(picture, ids) == _content(picture):
                yield Mirror(f"a rotation by {degrees} degrees" if sign == 1 else "a reflection", ids)


def _places(picture: Picture) -> dict[Point, str]:
    """Return the ids of cells and lines by their centres."""
    places = {_rounded(cell.x, cell.y): cell.id for cell in picture.cells}
    return places | {
        _rounded((line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2): line.id for line in picture.lines
    }


def _rounded(x: float, y: float) -> Point:
    return round(x, DIGITS) + 0.0, round(y, DIGITS) + 0.0


def _content(picture: Picture, ids: Mapping[str, str] | None = None) -> set[tuple[str, object, str]]:
    """Return the pieces, drawn lines and owned cells of a picture, with ids replaced by their images."""
    ids = ids or {}
    content: set[tuple[str, object, str]] = {
        (ids.get(piece.cell, piece.cell), piece.side, piece.symbol) for piece in picture.pieces
    }
    content |= {(ids.get(line.id, line.id), line.side, "") for line in picture.lines if line.side is not None}
    return content | {
        (ids.get(cell.id, cell.id), cell.owner, "") for cell in picture.cells if cell.owner is not None
    }
