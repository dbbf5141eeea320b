"""Compare a game with a reference: a second implementation of its rules.

No generic check can know that a legal move is missing or that the wrong side
wins. Comparing the game with a second implementation, written from the rule book
rather than from the kernels, shows such faults. It need not be fast.
"""

import importlib
import inspect
import sys
from collections.abc import Iterable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar

from boardgames.errors import PluginError, describe_error, quote, suggest
from boardgames.faults import line_of, must_propagate
from boardgames.game import DRAWN, Game, Position
from boardgames.plain_game import PlainGame, outcome_code
from boardgames.search.perft import perft
from boardgames.testing.checks import RunningCheck, counted
from boardgames.testing.sampling import Fault, Sample

State = TypeVar("State")

MAX_REFERENCE_LEAVES = 3_000
MAX_REFERENCE_DEPTH = 5


class Reference(Protocol[State]):
    """A second implementation of a game's rules. A state may be of any type and is never modified.

    Texts are in the game's canonical notation. The class is instantiated with
    the game's options as keyword arguments. If it also has a method
    `side_to_move(state)`, the side to move is compared too.

    Examples
    --------
    >>> class Halves:
    ...     '''Take one or half (rounded up) of a heap; taking the last one wins.'''
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
        """Return the texts of the legal moves, without repetition; none if the match is over."""

    def play(self, state: State, move: str) -> State:
        """Return the state after a legal move."""

    def outcome(self, state: State) -> int:
        """Return -1 if the match is not over, the side that has won, or 2 for a draw.

        If the side to move has no legal move, return the result that the rules give.
        """

    def text(self, state: State) -> str:
        """Return the text of the position."""


class PlainRules:
    """The methods of a `PlainGame`, as a reference for kernels that replace them."""

    def __init__(self, game: PlainGame[Any, Any]) -> None:
        self._game = game

    def start(self, text: str) -> Any:  # the state has a type of the game
        """Return the state that a position's text describes."""
        return self._game.parse_state(text)

    def side_to_move(self, state: Any) -> int:
        """Return the side to move."""
        return self._game.side_to_move(state)

    def legal(self, state: Any) -> list[str]:
        """Return the texts of the legal moves, none if the match is over."""
        return list(self._moves(state))

    def play(self, state: Any, move: str) -> Any:
        """Return the state after a legal move."""
        return self._game.apply(state, self._moves(state)[move])

    def outcome(self, state: Any) -> int:
        """Return -1 if the match is not over, the side that has won, or 2 for a draw."""
        outcome = outcome_code(self._game, state)
        if outcome >= 0:
            return outcome
        if self._moves(state):
            return -1
        return DRAWN if self._game.facts.no_moves_draws else 1 - self._game.side_to_move(state)

    def text(self, state: Any) -> str:
        """Return the text of the position."""
        return self._game.state_text(state)

    def _moves(self, state: Any) -> dict[str, Any]:
        if self._game.outcome(state) is not None:
            return {}
        return {self._game.move_text(move): move for move in self._game.legal_moves(state)}


def load_reference(text: str, game: Game) -> Reference[Any]:  # the state is the reference's own
    """Return an instance of the reference `module:Class`, created with the options of `game`.

    A module in the current folder takes precedence over an installed module of the same name.

    Raises
    ------
    PluginError
        If the reference cannot be imported or instantiated, or lacks a method.
    """
    module, colon, attribute = text.partition(":")
    if not (module and colon and attribute):
        raise PluginError(f"a reference is written module:Class, not {text!r}")
    loaded = _loaded_module(module, text)
    file = getattr(loaded, "__file__", None) or "built into Python"
    kind = getattr(loaded, attribute, None)
    if kind is None:
        classes = [name for name, one in vars(loaded).items() if inspect.isclass(one)]
        raise PluginError(
            f"there is no class {quote(attribute)} in the module {quote(module)} ({file}), so the reference "
            f"{text!r} cannot be loaded{suggest(attribute, classes)}"
        )
    try:
        reference: Reference[Any] = kind(**game.options)
    except BaseException as error:
        if must_propagate(error):
            raise
        options = ", ".join(game.options) or "none"
        raise PluginError(
            f"{describe_error(error)}: the reference {text!r} ({file}) cannot be created with the options of "
            f"the game as keyword arguments ({options})"
        ) from error
    missing = [name for name in ("start", "legal", "play", "outcome", "text") if not hasattr(reference, name)]
    if missing:
        raise PluginError(f"the reference {text!r} ({file}) has no method {', '.join(missing)}")
    return reference


def reference_file(reference: object) -> str:
    """Return the file of a reference, or an empty string if it has none."""
    try:
        return inspect.getfile(type(reference))
    except (TypeError, OSError):
        return ""


def _loaded_module(name: str, text: str) -> ModuleType:
    """Import the module of the reference `text`; raise PluginError if it cannot be imported."""
    try:
        return _import_module(name)
    except BaseException as error:
        if must_propagate(error):
            raise
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is None or not f"{name}.".startswith(f"{missing}."):
            line = line_of(error, name)
            reason = f"{describe_error(error)} ({line})" if line else describe_error(error)
            raise PluginError(f"{reason}: the reference {text!r} cannot be imported") from error
        raise PluginError(
            f"there is no module {quote(missing)}, neither in the current folder nor installed, so the "
            f"reference {text!r} cannot be loaded"
        ) from error


def _import_module(name: str) -> ModuleType:
    """Import a module, from the current folder if it contains the module.

    In a folder without `__init__.py`, the file is loaded directly: a normal import would prefer a package of
    the same name elsewhere on the path.
    """
    path = Path(*name.split(".")).with_suffix(".py")
    has_package = any((folder / "__init__.py").exists() for folder in path.parents if folder != Path())
    spec = spec_from_file_location(name, path.resolve()) if path.is_file() and not has_package else None
    before = sys.modules.get(name)
    sys.path.insert(0, "")
    try:
        if spec is None or spec.loader is None:
            return importlib.import_module(name)
        module = sys.modules[name] = module_from_spec(spec)  # dataclasses look up their module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            if before is not None:
                sys.modules[name] = before
            raise
        return module
    finally:
        sys.path.remove("")


def check_reference(sample: Sample, reference: Reference[State]) -> RunningCheck:
    """Compare legal moves, successors and outcomes in each sampled position."""
    count, side_to_move = 0, getattr(reference, "side_to_move", None)
    for position in sample.positions():
        text = str(position)
        state = reference.start(text)
        if reference.text(state) != text:
            yield Fault(f"the reference parses {text!r} as {reference.text(state)!r}", position.words)
            continue
        actual, expected = _code(position), reference.outcome(state)
        if actual != expected:
            yield Fault(f"the outcome is {actual}, but {expected} in the reference,", position.words)
        if side_to_move is not None and expected < 0 and side_to_move(state) != position.side_to_move:
            sides = f"{position.side_to_move}, but {side_to_move(state)} in the reference,"
            yield Fault(f"the side to move is {sides}", position.words)
        moves, known = {move.text: move for move in position.legal_moves}, set(reference.legal(state))
        for name in sorted(moves.keys() ^ known):
            side = "reference" if name in known else "game"
            if sample.move in ("", name):
                yield Fault(
                    f"{name!r} is legal only in the {side}",
                    position.words,
                    moves[name].action if name in moves else None,
                )
        for name in sorted(moves.keys() & known):
            after, successor = reference.text(reference.play(state, name)), str(position.apply(moves[name]))
            if after != successor and sample.move in ("", name):
                yield Fault(
                    f"a move leads to {successor!r}, but to {after!r} in the reference",
                    position.words,
                    moves[name].action,
                )
            count += 1
    return f"{len(sample.words)} positions, {count} moves"


def check_reference_perft(game: Game, reference: Reference[State], depth: int | None) -> RunningCheck:
    """Compare perft counts from every layout, up to a few thousand leaves."""
    deepest = 0
    for layout, text in game.facts.layouts.items():
        start = game.parse(text)
        for ply in range(1, (depth or MAX_REFERENCE_DEPTH) + 1):
            actual = perft(start, ply)
            if actual > MAX_REFERENCE_LEAVES and ply > 1:
                break
            expected = count_reference_leaves(reference, str(start), ply)
            if actual != expected:
                where = f"depth {ply} from {layout!r}"
                yield f"{actual} leaves at {where}, but {expected} in the reference"
                break
            deepest = max(deepest, ply)
    return f"{counted(len(game.facts.layouts), 'layout')}, to depth {deepest}"


def count_reference_leaves(reference: Reference[State], text: str, depth: int) -> int:
    """Return the number of leaves `depth` plies below a position, counted by the reference."""

    def below(state: State, left: int) -> int:
        if left == 0:
            return 1
        return sum(below(reference.play(state, move), left - 1) for move in reference.legal(state))

    return below(reference.start(text), depth)


def _code(position: Position) -> int:
    outcome = position.outcome
    if outcome is None:
        return -1
    return DRAWN if outcome.winner is None else outcome.winner
