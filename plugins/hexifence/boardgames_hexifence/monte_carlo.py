"""Monte Carlo values of moves, by which `strong` plays while a position cannot be solved.

Each simulation makes one of the moves, chosen by UCB1, and plays out the position: all
cells that can be captured are captured, both sides draw safe edges at random, and then the smallest
sacrifice is made each time (`sacrifices.value_of_line`). Wherever cells can be handed
out, the side to move does what is better for it. A simulation counts as won or lost, with a
small part for the margin.

The order in which safe edges are drawn does not matter. So if the move is a safe edge, the simulation
counts for all safe edges that were drawn in it ("all moves as first").

Source: P. Auer, N. Cesa-Bianchi and P. Fischer, "Finite-time Analysis of the Multiarmed Bandit
Problem", 2002; B. Brügmann, "Monte Carlo Go", 1993.
"""

import math
import time
from typing import Annotated, NamedTuple

import numpy as np

from boardgames.game import Game, Position
from boardgames.kernels import Actions, Control, Reals, Words, is_stopped, kernel, new_control, types
from boardgames.kernels.abi import ACTIONS_OUT, REALS_OUT, WORDS_OUT
from boardgames.kernels.bundles import BUNDLE, Bundle, unpacker
from boardgames.kernels.control import CONTROL
from boardgames.player import Stop
from boardgames.search.runner import run
from boardgames_hexifence import sacrifices
from boardgames_hexifence.board import EDGES, edges_of
from boardgames_hexifence.edges import (
    DIMENSION,
    DRAWN,
    kind_of,
    load,
    make,
    member,
    new_edge_set,
    number_of,
    random_member,
    unmake,
)
from boardgames_hexifence.endgame import capture_all, next_capture, take_back
from boardgames_hexifence.features import CAPTURING, FREE, SAFE
from boardgames_hexifence.sacrifices import prepare, value_of_line

EXPLORATION = 0.6
MARGIN_SHARE = 0.004
"""The part of the result of a simulation for each cell of the final difference."""
START, END = 0, 1
IGNORED = -1


class Workspace(NamedTuple):
    """The arrays that simulations work with, as a bundle.

    Attributes
    ----------
    rest : int64[:]
        The workspace of the search over sacrifices (sacrifices.py).
    edge_set : int64[:]
        The edge set of the position, which is the same in both workspaces.
    drawn : int64[E]
        The edges that have been drawn; the same array as in that workspace.
    visits, differences : int64[E]
        For each edge the number of simulations, and the sum of the final differences of cells.
    results : float64[E]
        For each edge the sum of the results, from 0 to 1.
    span : int64[2]
        Where the safe edges of the latest playout start and end in `drawn`.
    random : uint64[1]
        State of the random generator.
    control : CONTROL_DTYPE[1]
        Stop flag, limit of simulations and their number.
    """

    rest: Annotated[Actions, BUNDLE]
    edge_set: Annotated[Actions, ACTIONS_OUT]
    drawn: Annotated[Actions, ACTIONS_OUT]
    visits: Annotated[Actions, ACTIONS_OUT]
    differences: Annotated[Actions, ACTIONS_OUT]
    results: Annotated[Reals, REALS_OUT]
    span: Annotated[Actions, ACTIONS_OUT]
    random: Annotated[Words, WORDS_OUT]
    control: Annotated[Control, CONTROL]


unpack = unpacker(Workspace)


@kernel(types.int64(BUNDLE, types.int64), inline=True)
def draw_safe_edges(bundle: Actions, length: int) -> int:
    """Draw random safe edges until there are none, and return the new number of edges drawn."""
    work = unpack(bundle)
    while number_of(work.edge_set, SAFE) > 0:
        edge = random_member(work.edge_set, SAFE, work.random)
        make(work.edge_set, edge)
        work.drawn[length] = edge
        length += 1
    return length


@kernel(types.UniTuple(types.int64, 2)(BUNDLE))
def capture(bundle: Actions) -> tuple[int, int]:
    """Capture all cells that can be captured.

    Returns
    -------
    length : int64
        Number of edges drawn.
    hand_out : int64
        Number of cells that can be handed out instead at the end.
    """
    work = unpack(bundle)
    edge_set, length = work.edge_set, 0
    while number_of(edge_set, FREE) + number_of(edge_set, CAPTURING) > 0:
        if number_of(edge_set, FREE) > 0:
            edge = member(edge_set, FREE, 0)
        else:
            edge, hand_out, _ = next_capture(edge_set)
            if hand_out > 0:
                return capture_all(work.rest, length), hand_out
        make(edge_set, edge)
        work.drawn[length] = edge
        length += 1
    return length, 0


@kernel(types.int64(BUNDLE, types.int64))
def play_out(bundle: Actions, lead: int) -> int:
    """Return the final difference of cells for the side to move in one playout.

    Its edges are in `drawn` afterwards, and `span` says which of them are safe.
    """
    work = unpack(bundle)
    start, hand_out = capture(bundle)
    length = draw_safe_edges(bundle, start)
    prepare(work.rest, 0)
    rest = value_of_line(work.rest, 0, 0)
    if (length - start) % 2 != 0:
        rest = -rest
    take_back(work.rest, length, start)
    taken = take_back(work.rest, start, 0)
    work.span[START], work.span[END] = start, length
    return lead + taken + (rest if hand_out == 0 else abs(rest + hand_out) - hand_out)


@kernel(types.void(BUNDLE, types.boolean))
def choose_candidates(bundle: Actions, all_moves: bool) -> None:
    """Choose the moves to simulate: all, or only those of the best kind, since others are rarely better.

    These are the free edges, or else a capturing edge and the one that hands out cells instead,
    or else the safe edges, or else all.
    """
    work = unpack(bundle)
    edge_set = work.edge_set
    kind = DRAWN
    for other in (FREE, SAFE):
        if kind == DRAWN and number_of(edge_set, other) > 0 and not all_moves:
            kind = other
    if kind != FREE and number_of(edge_set, CAPTURING) > 0 and not all_moves:
        kind = CAPTURING
    for edge in range(EDGES[edge_set[DIMENSION]]):
        found = kind_of(edge_set, edge)
        is_candidate = found != DRAWN and kind in (DRAWN, found) and kind != CAPTURING
        work.visits[edge] = 0 if is_candidate else IGNORED
        work.differences[edge] = 0
        work.results[edge] = 0.0
    if kind == CAPTURING:
        edge, hand_out, other = next_capture(edge_set)
        work.visits[edge] = 0
        if hand_out > 0:
            work.visits[other] = 0


@kernel(types.int64(BUNDLE, types.int64), inline=True)
def next_to_simulate(bundle: Actions, total: int) -> int:
    """Return the candidate with the highest upper confidence bound after `total` simulations."""
    work = unpack(bundle)
    chosen, highest = -1, 0.0
    for edge in range(work.visits.size):
        visits = work.visits[edge]
        if visits == 0:
            return edge
        if visits > 0:
            bound = work.results[edge] / visits + EXPLORATION * math.sqrt(math.log(total) / visits)
            if chosen < 0 or bound > highest:
                chosen, highest = edge, bound
    return chosen


@kernel(types.void(BUNDLE, types.int64, types.boolean))
def simulate(bundle: Actions, lead: int, all_moves: bool) -> None:
    """Simulate every move once, and then until the stop flag is set or the limit is reached.

    Parameters
    ----------
    bundle : int64[:]
        A `Workspace` whose edge set has at least one open edge.
    lead : int64
        The cells of the side to move minus those of its opponent.
    all_moves : bool
        Whether to simulate every move (`choose_candidates`).
    """
    work = unpack(bundle)
    choose_candidates(bundle, all_moves)
    total = 1
    while True:
        first = next_to_simulate(bundle, total)
        if work.visits[first] > 0 and is_stopped(work.control):
            return
        is_safe = kind_of(work.edge_set, first) == SAFE
        captured = make(work.edge_set, first)
        difference = play_out(bundle, lead + captured) if captured > 0 else -play_out(bundle, -lead)
        unmake(work.edge_set, first)
        result = (1.0 if difference > 0 else 0.0) + MARGIN_SHARE * difference
        work.control[0].nodes += 1
        work.drawn[work.span[END]] = first
        for index in range(work.span[START] if is_safe else work.span[END], work.span[END] + 1):
            edge = work.drawn[index]
            if work.visits[edge] >= 0:
                work.visits[edge] += 1
                work.differences[edge] += difference
                work.results[edge] += result
                total += 1


class MonteCarlo:
    """Estimates moves of Hexifence by simulations.

    Parameters
    ----------
    game : Game
        Hexifence of any dimension.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("hexifence", dimension=2)
    >>> position = game.start().apply_moves("0 1 4 5 8")  # now 9 captures a cell
    >>> estimates, simulations, _ = MonteCarlo(game).estimate(position, 0, seed=1, simulations=10)
    >>> list(estimates), simulations
    ([9], 10)
    """

    def __init__(self, game: Game) -> None:
        dimension = int(game.options["dimension"] or 0)
        edges = edges_of(dimension)
        self._control = new_control()
        self._edge_set = new_edge_set(game.start().words)
        self._rest = sacrifices.new_workspace(self._edge_set, dimension, self._control)
        self._work = Workspace(
            rest=self._rest.words,
            edge_set=self._edge_set,
            drawn=sacrifices.Workspace(*self._rest.items).drawn,
            visits=np.zeros(edges, dtype=np.int64),
            differences=np.zeros(edges, dtype=np.int64),
            results=np.zeros(edges),
            span=np.zeros(2, dtype=np.int64),
            random=np.zeros(1, dtype=np.uint64),
            control=self._control,
        )
        self._bundle = Bundle(self._work)

    def estimate(
        self,
        position: Position,
        lead: int,
        *,
        seed: int,
        simulations: int,
        seconds: float | None = None,
        stop: Stop | None = None,
        all_moves: bool = False,
    ) -> tuple[dict[int, float], int, float]:
        """Return the mean final differences of cells after moves, for the side to move.

        Parameters
        ----------
        position : Position
            A position in which the match is not over.
        lead : int
            The cells of the side to move minus those of its opponent.
        seed : int
            Seed of the random generator.
        simulations : int
            Largest number of simulations, apart from the first one of each move.
        seconds : float, optional
            Time after which simulations end, as soon as every move has had one.
        stop : Stop, optional
            Set by another thread to end the simulations.
        all_moves : bool
            Whether to simulate every move (`choose_candidates`).

        Returns
        -------
        means : dict of int to float
            The mean for each edge that was simulated.
        simulations : int
            Their number.
        seconds : float
            The time that they took.
        """
        started = time.monotonic()
        load(position.words, self._edge_set)
        self._control[0].stop = self._control[0].nodes = 0
        self._control[0].node_limit = simulations
        self._work.random[0] = seed
        run(lambda: simulate(self._bundle.words, lead, all_moves), self._control, seconds=seconds, stop=stop)
        visits, differences = self._work.visits, self._work.differences
        means = {int(edge): float(differences[edge] / visits[edge]) for edge in np.flatnonzero(visits > 0)}
        return means, int(self._control[0].nodes), time.monotonic() - started
