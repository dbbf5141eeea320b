"""Compare a game with a slow reference: the rules once more, written independently.

No general check can know that a legal move is never offered or that the wrong
side is said to win. A second set of rules, written from the rule book and not
from the kernels, can; it need not be fast.
"""

import importlib
from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from boardgames.errors import PluginError, describe_error
from boardgames.game import Game, Position
from boardgames.search.perft import perft
from boardgames.testing.checks import Checking
from boardgames.testing.sampling import Sample

State = TypeVar("State")

REFERENCE_LEAVES = 3_000
REFERENCE_PLIES = 5


class Reference(Protocol[State]):
    """Slow rules of one game; a state is whatever the author likes, and is never changed.

    Texts are the game's canonical notation. A class of this kind is made with
    the game's options as keywords.

    Examples
    --------
    >>> class Halves:
    ...     '''Take one or a half (rounded up) of a heap; who takes the last one wins.'''
    ...     def start(self, text):
    ...         side, heap = text.split(":")
    ...         return int(side), int(heap)
    ...     def legal(self, state):
    ...         return {str(n) for n in (1, (state[1] + 1) // 2) if state[1]}
    ...     def play(self, state, move):
    ...         return 1 - state[0], state[1] - int(move)
    ...     def outcome(self, state):
    ...         return -1 if state[1] else 1 - state[0]
    ...     def text(self, state):
    ...         return f"{state[0]}:{state[1]}"
    >>> count_reference_leaves(Halves(), "0:4", 2)
    3
    """

    def start(self, text: str) -> State:
        """Return the state that a position's text describes."""

    def legal(self, state: State) -> Iterable[str]:
        """Return the texts of the legal moves, each once; none if the match is over."""

    def play(self, state: State, move: str) -> State:
        """Return the state after a legal move."""

    def outcome(self, state: State) -> int:
        """Return -1 if the match goes on, the side that has won, or 2 for a draw.

        A side that is to move and cannot has lost or drawn, as the rules say.
        """

    def text(self, state: State) -> str:
        """Return the text of the position."""


def load_reference(text: str, game: Game) -> Reference[Any]:  # the state is the reference's own
    """Return the reference at `module:Class`, made with the options of `game`.

    Raises
    ------
    PluginError
        If it cannot be imported or made.
    """
    module, colon, attribute = text.partition(":")
    if not (module and colon and attribute):
        raise PluginError(f"expected a reference as module:Class: {text!r}")
    try:
        made: Reference[Any] = getattr(importlib.import_module(module), attribute)(**game.options)
    except Exception as error:  # a stranger's module may raise anything
        options = ", ".join(game.options) or "none"
        raise PluginError(
            f"reference {text!r} cannot be made with the options as keywords ({options}): "
            f"{describe_error(error)}"
        ) from error
    missing = [name for name in ("start", "legal", "play", "outcome", "text") if not hasattr(made, name)]
    if missing:
        raise PluginError(f"expected a reference with {', '.join(missing)}: {text!r}")
    return made


def check_reference(sample: Sample, reference: Reference[State]) -> Checking:
    """Compare legal moves, successors and outcomes in every sampled position."""
    count = 0
    for position in sample.positions():
        text = str(position)
        state = reference.start(text)
        if reference.text(state) != text:
            yield f"the reference reads {text!r} as {reference.text(state)!r}"
            continue
        found, expected = _code(position), reference.outcome(state)
        if found != expected:
            yield f"expected the outcome {expected} as the reference has it: {found} in {text!r}"
        moves, known = {move.text: move for move in position.legal_moves}, set(reference.legal(state))
        for name in sorted(moves.keys() ^ known):
            yield f"{name!r} is {'legal' if name in known else 'no legal move'} by the reference: {text!r}"
        for name in sorted(moves.keys() & known):
            after, successor = reference.text(reference.play(state, name)), str(position.apply(moves[name]))
            if after != successor:
                yield f"expected {after!r} after {name!r} as the reference has it: {successor!r}"
            count += 1
    return f"{len(sample.words)} positions, {count} moves"


def check_reference_perft(game: Game, reference: Reference[State], depth: int | None) -> Checking:
    """Count leaves from every layout, to a few thousand of them, and by the reference."""
    deepest = 0
    for layout, text in game.facts.layouts.items():
        start = game.parse(text)
        for ply in range(1, (depth or REFERENCE_PLIES) + 1):
            found = perft(start, ply)
            if found > REFERENCE_LEAVES and ply > 1:
                break
            expected = count_reference_leaves(reference, str(start), ply)
            if found != expected:
                where = f"depth {ply} from {layout!r}"
                yield f"expected {expected} leaves at {where} as the reference has it: {found}"
                break
            deepest = max(deepest, ply)
    return f"{len(game.facts.layouts)} layouts, to depth {deepest}"


def count_reference_leaves(reference: Reference[State], text: str, depth: int) -> int:
    """Return the number of leaves `depth` plies below a position, by the reference."""

    def below(state: State, left: int) -> int:
        if left == 0:
            return 1
        return sum(below(reference.play(state, move), left - 1) for move in reference.legal(state))

    return below(reference.start(text), depth)


def _code(position: Position) -> int:
    outcome = position.outcome
    if outcome is None:
        return -1
    return 2 if outcome.winner is None else outcome.winner
