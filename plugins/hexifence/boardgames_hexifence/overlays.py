"""Overlays: open edges by kind, and chains and loops with remarks on who is in control.

A side is *in control* if its opponent has to open the next chain whose last cells can be handed out.
It can then take all other cells of the chain, hand out the last ones, and so pass the turn back. While
there are safe edges, control depends on how many more of them will be drawn, so the remarks only say
what follows from their number. A result that the solver finds at once is stated as proven.
"""

from collections.abc import Sequence
from types import MappingProxyType

from boardgames.errors import MatchError
from boardgames.game import Position
from boardgames.picture import Group, MarkClass, Overlay
from boardgames_hexifence.board import board
from boardgames_hexifence.chains import Chain, chains_of
from boardgames_hexifence.edges import kind_of, new_edge_set, number_of
from boardgames_hexifence.features import CAPTURING, FREE, SACRIFICING, SAFE, takeable_cells
from boardgames_hexifence.game import MAX_SOLVED_DIMENSION, Hexifence, lead_of
from boardgames_hexifence.notation import unpack_sides
from boardgames_hexifence.solver import Solver

NODES = 20_000
"""Maximum number of states that the solver searches for a remark."""
TABLE_MB = 1
CLASSES = {
    FREE: MarkClass("f", "free", "captures, and leaves nothing to the opponent"),
    CAPTURING: MarkClass("c", "capturing", "captures, and makes another cell capturable"),
    SAFE: MarkClass("s", "safe", "makes no cell capturable"),
    SACRIFICING: MarkClass("x", "sacrificing", "makes a cell capturable"),
}
INTERSECTION = MarkClass("+", "intersection", "a cell with three or more open edges")
LONGEST_SHORT_CHAIN, LONGEST_SHORT_LOOP = 2, 3
"""Maximum length of a chain and of a loop whose cells cannot be handed out (a chain of two is cut in the
middle)."""


def edges(position: Position) -> Overlay:
    """Return the open edges by kind.

    Examples
    --------
    >>> import boardgames
    >>> position = boardgames.load("hexifence", dimension=2).start().apply_moves("0 1 4 5 8")
    >>> edges(position).marks["e9"], edges(position).marks["e2"]
    ('f', 's')
    """
    edge_set = new_edge_set(position.words)
    return Overlay(
        classes=tuple(CLASSES.values()),
        marks=MappingProxyType(
            {f"e{edge}": CLASSES[int(kind_of(edge_set, edge))].symbol for edge in position.actions}
        ),
    )


def chains(position: Position) -> Overlay:
    """Return the chains and loops with their lengths, and remarks on who is in control.

    Examples
    --------
    >>> import boardgames
    >>> position = boardgames.load("hexifence", dimension=2).start().apply_moves("0 1 4 8 2 3 6 10")
    >>> [(group.label, group.text, group.cells) for group in chains(position).groups]
    [('a2', 'chain of 2', ('c1', 'c0'))]
    """
    found = chains_of(position.words)
    safe = int(number_of(new_edge_set(position.words), SAFE))
    return Overlay(
        classes=(INTERSECTION,),
        marks=MappingProxyType({} if safe else dict.fromkeys(_intersections(position), INTERSECTION.symbol)),
        groups=tuple(
            Group(
                f"{_letters(number)}{chain.length}",
                _describe(chain),
                tuple(f"c{cell}" for cell in chain.cells),
                chain.is_loop,
            )
            for number, chain in enumerate(found)
        ),
        remarks=() if position.outcome is not None else _remarks(position, found, safe),
    )


def _describe(chain: Chain) -> str:
    kind = "loop" if chain.is_loop else "chain"
    return f"{kind} of {chain.length}{', opened' if chain.is_opened else ''}"


def _letters(number: int) -> str:
    """Return a to z, then aa to az, and so on."""
    first, last = divmod(number, 26)
    return (_letters(first - 1) if first else "") + chr(ord("a") + last)


def _intersections(position: Position) -> list[str]:
    """Return the ids of the cells with three or more open edges."""
    drawn, _ = unpack_sides(position.words)
    around = board(_dimension(position)).edges_of_cell
    return [f"c{cell}" for cell, own in enumerate(around) if sum(drawn[edge] < 0 for edge in own) >= 3]


def _dimension(position: Position) -> int:
    game = position.game
    assert isinstance(game, Hexifence)
    return game.dimension


def _remarks(position: Position, found: Sequence[Chain], safe: int) -> tuple[str, ...]:
    """Return sentences about control and the value."""
    remarks = (*_control(position, found, safe), *_value(position))
    return tuple(remark[:1].upper() + remark[1:] for remark in remarks)  # names of sides are in lower case


def _control(position: Position, found: Sequence[Chain], safe: int) -> list[str]:
    """Return what is known about control, in sentences."""
    mover, other = _sides(position)
    capturable = int(takeable_cells(position.words))
    remarks = [f"{mover} can capture {_cells(capturable)} now."] if capturable else []
    if safe:
        count = "1 safe edge is" if safe == 1 else f"{safe} safe edges are"
        parity = (
            f"if an even number of safe edges is drawn before the first sacrifice, {mover} has to make it, "
            f"otherwise {other}. Drawing a safe edge can make others unsafe."
        )
        return [*remarks, f"{count} left, so neither side is in control yet.", parity]
    if not capturable:
        return [f"No safe edge is left, so {mover} has to sacrifice. {_control_after(found, mover, other)}"]
    if capturable == sum(owner < 0 for owner in unpack_sides(position.words)[1]):
        return [f"{mover} can capture all cells that are left."]
    return [*remarks, f"No safe edge is left. {_choice(found, mover, other)}"]


def _control_after(found: Sequence[Chain], mover: str, other: str) -> str:
    """Return who is in control if `mover` has to open one of the chains, in a sentence."""
    if any(not chain.is_isolated for chain in found):
        return "Chains meet at intersections, so their number does not say who will be in control."
    short = sum(_is_short(chain) for chain in found)
    if short == len(found):
        return "All chains and loops are too short to hand out cells, so neither side is in control."
    if short == 0:
        return f"All chains and loops are long, so {other} is in control."
    opener, controller = (other, mover) if short % 2 else (mover, other)
    first = "the short chain is" if short == 1 else f"the {short} short chains are"
    return (
        f"If {first} given away first, {opener} then has to open a long one, and {controller} is in control."
    )


def _is_short(chain: Chain) -> bool:
    return chain.length <= (LONGEST_SHORT_LOOP if chain.is_loop else LONGEST_SHORT_CHAIN)


def _choice(found: Sequence[Chain], mover: str, other: str) -> str:
    """Return what `mover` can choose to do with the cells that it can capture, in a sentence."""
    counts = [_cells_to_hand_out(chain) for chain in found if chain.is_isolated]
    if any(counts):
        least = _cells(min(filter(None, counts)))
        return (
            f"{mover.capitalize()} is in control: it can capture everything and then sacrifice, "
            f"or hand out the last {least}, and then {other} has to sacrifice."
        )
    if any(_cells_to_hand_out(chain) for chain in found):
        return "Chains meet at intersections, so what can be handed out depends on the order of captures."
    return f"{mover.capitalize()} cannot hand out what it can capture, and then has to sacrifice."


def _cells_to_hand_out(chain: Chain) -> int:
    """Return how many cells of an opened chain can be handed out at its end, or 0."""
    if not chain.is_opened:
        return 0
    has_far_end = len(chain.edges) == chain.length
    if has_far_end:
        return 2 if chain.length >= 2 else 0
    return 4 if chain.length >= 4 else 0


def _value(position: Position) -> list[str]:
    """Return the exact value in a sentence if the solver finds it at once."""
    if _dimension(position) > MAX_SOLVED_DIMENSION:
        return []
    try:
        [value] = Solver(position.game, table=TABLE_MB).values([position], node_limit=NODES)
    except MatchError:
        return []
    mover, other = _sides(position)
    final = lead_of(position) + value
    ahead, behind = (mover, other) if value > 0 else (other, mover)
    rest = (
        "both sides take equally many cells"
        if value == 0
        else (f"{ahead} takes {_cells(abs(value))} more than {behind}")
    )
    winner = mover if final > 0 else other
    return [f"Proven: with best play {rest} from now on, and {winner} wins by {abs(final)}."]


def _sides(position: Position) -> tuple[str, str]:
    sides = position.game.facts.sides
    return sides[position.side_to_move], sides[1 - position.side_to_move]


def _cells(count: int) -> str:
    return f"{count} cell{'s' if count != 1 else ''}"
