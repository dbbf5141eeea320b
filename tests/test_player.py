"""Limits, clocks, the stop flag, and the base class of players."""

import copy
import math
import pickle
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nim import Nim
from waiting import TIMEOUT_S

import boardgames
from boardgames.declarations import Evaluation
from boardgames.errors import LimitError, MatchError, OptionError, PositionError
from boardgames.game import Position
from boardgames.kernels import Control, new_control
from boardgames.options import Option, parse_agent
from boardgames.player import (
    CLOCK_RESERVE,
    NO_CONTEXT,
    NO_LIMIT,
    Choice,
    Clock,
    Context,
    Limit,
    Player,
    Stop,
)
from boardgames.players.alphabeta import AlphaBeta

GAME = Nim()
SECONDS = st.floats(0, 1e6)


class First(Player):
    """Plays the first legal move."""

    name: ClassVar[str] = "first"
    declared_options: ClassVar[tuple[Option, ...]] = (
        Option("depth", int, 3, "plies"),
        Option("file", str, "none", "a file"),
        Option("loud", bool, False, "a flag"),
    )

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the first legal move."""
        return Choice(self._check_position(position).legal_moves[0])


class Waiting(First):
    """Waits in `choose` until the test lets it continue; calls its own methods, as agents that search do."""

    name: ClassVar[str] = "waiting"

    def __init__(self, game: Nim) -> None:
        super().__init__(game)
        self.has_begun, self.may_end = threading.Event(), threading.Event()

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Wait, then return the first legal move."""
        self.has_begun.set()
        assert self.may_end.wait(TIMEOUT_S)
        self.match_started(0)
        return super().choose(position, limit, context)

    def match_started(self, side: int) -> None:
        """Do nothing."""

    def reseed(self, seed: int) -> None:
        """Reseed."""
        super().reseed(seed)


# --- one thread at a time -----------------------------------------------------


@pytest.mark.parametrize(
    "use",
    [
        lambda player: player.choose(GAME.start()),
        lambda player: player.match_started(0),
        lambda player: player.reseed(1),
    ],
    ids=["choose", "match_started", "reseed"],
)
def test_a_player_in_use_refuses_the_calls_of_other_threads(use: Callable[[Player], object]) -> None:
    player = Waiting(GAME)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(player.choose, GAME.start())
        try:
            assert player.has_begun.wait(TIMEOUT_S)
            with pytest.raises(MatchError, match="the player 'waiting' is in use by another thread; make a"):
                use(player)
        finally:
            player.may_end.set()
        assert answer.result().move == GAME.start().legal_moves[0]
    use(player)


@pytest.mark.parametrize("agent", ["alphabeta:depth=1", "mcts:simulations=10"])
def test_closing_a_player_waits_for_the_search_of_another_thread(
    agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = boardgames.load_player(agent, GAME)
    has_begun, may_end, events = threading.Event(), threading.Event(), []

    def search(*arguments: object, **more: object) -> None:
        has_begun.set()
        assert may_end.wait(TIMEOUT_S)
        events.append("search")
        raise MatchError("the end of the search")

    monkeypatch.setattr(player, "_searcher", SimpleNamespace(
        search=search, release=lambda: events.append("release"), options=player._searcher.options  # type: ignore[attr-defined]  # both have it
    ))  # fmt: skip
    with ThreadPoolExecutor(2) as pool:
        pool.submit(player.choose, GAME.start())
        assert has_begun.wait(TIMEOUT_S)
        closing = pool.submit(player.close)
        wait([closing], 0.1)  # only so that a player that does not wait is noticed
        may_end.set()
        closing.result()
    assert events == ["search", "release"]


# --- arguments -----------------------------------------------------------------


@pytest.mark.parametrize("agent", ["alphabeta:depth=1", "mcts:simulations=10", "greedy"])
@pytest.mark.parametrize("lines", [0, -1, True, "2", 1.5])
def test_the_number_of_lines_must_be_positive(agent: str, lines: Any) -> None:
    player = boardgames.load_player(agent, GAME)
    with pytest.raises(LimitError, match="the number of lines must be at least 1, not "):
        player.analyse(GAME.start(), lines=lines)


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
def test_a_seed_must_be_an_integer_of_at_least_0(seed: Any) -> None:
    with pytest.raises(OptionError, match="seed must be an integer of at least 0, not "):
        First(GAME).reseed(seed)
    with pytest.raises(OptionError, match="seed must be an integer of at least 0, not "):
        First(GAME, seed=seed)


@pytest.mark.parametrize("agent", ["random", "alphabeta:depth=1", "mcts:simulations=10"])
def test_a_draw_offer_in_another_game_raises(agent: str) -> None:
    player = boardgames.load_player(agent, GAME)
    with pytest.raises(PositionError, match="not a position of <game nim"):
        player.accepts_draw(boardgames.load("connect4").start(), 0)


# --- limits ------------------------------------------------------------------

BAD_LIMITS = [
    ("seconds", 0), ("seconds", -1.5), ("seconds", math.nan), ("seconds", math.inf), ("seconds", "1"),
    ("seconds", True), ("depth", 0), ("depth", -1), ("depth", 2.5), ("depth", "4"), ("depth", True),
    ("nodes", 0), ("nodes", 2**63), ("nodes", 1e6), ("simulations", 0), ("simulations", -7),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD_LIMITS)
def test_invalid_limit_raises(name: str, value: object) -> None:
    with pytest.raises(LimitError) as raised:
        Limit(**{name: value})  # type: ignore[arg-type]  # wrong on purpose
    assert str(raised.value).endswith(f", not {value!r}")


def test_limit_that_does_not_fit_into_an_int64_raises() -> None:
    with pytest.raises(LimitError, match=f"the limit of nodes must be 1 to {2**63 - 1}, not {2**63}"):
        Limit(nodes=2**63)
    assert Limit(nodes=2**63 - 1).nodes == 2**63 - 1


@pytest.mark.parametrize("value", [0.001, 1, 86_400.0])
def test_any_positive_time_is_a_valid_limit(value: float) -> None:
    assert Limit(seconds=value).seconds == value


def test_limit_without_any_value_is_unlimited() -> None:
    assert Limit().is_unlimited
    assert not any(
        limit.is_unlimited for limit in (Limit(depth=1), Limit(simulations=5), Limit(clock=Clock((1.0, 1.0))))
    )


LIMITS = st.builds(
    Limit,
    seconds=st.none() | st.floats(0.001, 100),
    depth=st.none() | st.integers(1, 50),
    nodes=st.none() | st.integers(1, 10**9),
    simulations=st.none() | st.integers(1, 10**9),
)


@given(LIMITS, LIMITS)
def test_tightened_limit_has_the_smaller_numbers(first: Limit, second: Limit) -> None:
    both = first.tightened(second)
    for name in ("seconds", "depth", "nodes", "simulations"):
        given_values = [getattr(limit, name) for limit in (first, second) if getattr(limit, name) is not None]
        assert getattr(both, name) == min(given_values, default=None)


def test_tightened_limit_keeps_the_first_clock() -> None:
    one, other = Clock((1.0, 1.0)), Clock((2.0, 2.0))
    assert Limit(clock=one).tightened(Limit(clock=other)).clock == one
    assert Limit().tightened(Limit(clock=other)).clock == other


# --- clocks ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("remaining", "increments"),
    [
        ((-0.1, 5.0), (0.0, 0.0)),
        ((5.0, math.nan), (0.0, 0.0)),
        ((math.inf, 5.0), (0.0, 0.0)),
        ((5.0, 5.0), (-1.0, 0.0)),
        ((5.0, 5.0), (0.0, -1.0)),
        (("5", 5.0), (0.0, 0.0)),
    ],
)
def test_invalid_clock_raises(remaining: tuple[float, float], increments: tuple[float, float]) -> None:
    with pytest.raises(LimitError, match="the seconds on a clock must be at least 0, not "):
        Clock(remaining, increments)


@given(SECONDS, SECONDS, SECONDS)
def test_budget_does_not_exceed_the_remaining_time(left: float, other: float, increment: float) -> None:
    for side, remaining in enumerate([(left, other), (other, left)]):
        budget = Limit(clock=Clock(remaining, (increment, increment))).budget(side)
        assert budget is not None
        assert 0 <= budget <= left
        assert left < 1e-9 or budget > 0


@given(st.floats(2 * CLOCK_RESERVE, 1e6), SECONDS)
def test_budget_leaves_a_reserve(left: float, increment: float) -> None:
    budget = Limit(clock=Clock((left, left), (increment, increment))).budget(0)
    assert budget is not None
    assert budget <= left - CLOCK_RESERVE + 1e-9


@given(SECONDS, st.floats(0.001, 100))
def test_budget_does_not_exceed_the_time_per_move(left: float, seconds: float) -> None:
    budget = Limit(seconds=seconds, clock=Clock((left, left))).budget(1)
    assert budget is not None
    assert budget <= seconds


def test_budget_includes_most_of_the_increment_of_the_side() -> None:
    limit = Limit(clock=Clock((60.0, 60.0), (0.0, 1.0)))
    assert [limit.budget(side) for side in (0, 1)] == pytest.approx([2.0, 2.8])


def test_budget_without_a_clock_is_the_time_per_move() -> None:
    assert (Limit(seconds=2.5).budget(0), Limit(depth=3).budget(1)) == (2.5, None)


# --- the stop flag -----------------------------------------------------------


def test_stop_sets_all_attached_control_arrays() -> None:
    stop, controls = Stop(), [new_control(), new_control()]
    for control in controls:
        stop.attach(control)
    assert not stop.is_set()
    stop.set()
    assert stop.is_set()
    assert [control[0].stop for control in controls] == [1, 1]


def test_stop_that_is_set_sets_arrays_attached_later() -> None:
    stop, control = Stop(), new_control()
    stop.set()
    stop.attach(control)
    assert control[0].stop == 1


def test_stop_does_not_set_detached_arrays() -> None:
    stop, first, second = Stop(), new_control(), new_control()
    stop.attach(first)
    stop.attach(second)
    stop.detach(first)
    stop.set()
    assert (first[0].stop, second[0].stop) == (0, 1)


def test_stop_is_also_set_by_the_stops_that_it_was_made_with() -> None:
    first, kept, detached = Stop(), new_control(), new_control()
    stop = Stop(first)
    stop.attach(kept)
    stop.attach(detached)
    stop.detach(detached)
    first.set()
    assert stop.is_set()
    assert (kept[0].stop, detached[0].stop) == (1, 0)


def test_concurrent_attach_and_detach_lose_no_array() -> None:
    # detach copies the list and then replaces it; attach must not come between
    stop, kept = Stop(), new_control()
    copied, attached = threading.Event(), threading.Event()

    class Slow(list[Control]):
        def __iter__(self) -> Iterator[Control]:
            yield from list[Control].__iter__(self)
            copied.set()
            attached.wait(0.1)

    stop._controls = Slow([passing := new_control()])
    thread = threading.Thread(target=stop.detach, args=(passing,))
    thread.start()
    copied.wait()
    stop.attach(kept)
    attached.set()
    thread.join()
    stop.set()
    assert kept[0].stop == 1


# --- players -----------------------------------------------------------------


def test_choice_without_a_move_resigns() -> None:
    assert Choice(None).resigns
    assert not Choice(GAME.start().legal_moves[0]).resigns


def test_options_are_converted_to_their_types() -> None:
    assert First(GAME, depth="5", loud="yes").options == {"depth": 5, "file": "none", "loud": True}


def test_unknown_option_raises_with_suggestions() -> None:
    with pytest.raises(OptionError, match=r"agent 'first' has no option 'dept'; did you mean 'depth'\?"):
        First(GAME, dept=5)


@pytest.mark.parametrize(
    "options",
    [{}, {"depth": 5}, {"file": 'a "quoted", name=with\\signs'}, {"loud": True, "file": "a b", "depth": 1}],
)
def test_description_can_be_parsed_again(options: dict[str, Any]) -> None:
    player = First(GAME, **options)
    name, read = parse_agent(player.describe())
    assert name == "first"
    texts: dict[str, Any] = dict(read)
    assert First(GAME, **texts).options == player.options


def test_repr_contains_the_description() -> None:
    assert repr(First(GAME, depth=5)) == "<player first:depth=5>"


def test_equal_seeds_give_equal_random_numbers() -> None:
    numbers = [First(GAME, seed=seed).random.integers(2**60) for seed in (3, 3, 4)]
    assert numbers[0] == numbers[1] != numbers[2]


def test_finished_position_raises() -> None:
    with pytest.raises(MatchError, match="the match is over in 0:1:3:4"):
        First(GAME).choose(GAME.parse("0:1:3:4"))


def test_position_of_another_game_raises() -> None:
    with pytest.raises(PositionError, match="not a position of <game nim"):
        First(GAME).choose(Nim(passing=True).start())


@pytest.mark.parametrize("use", ["choose", "analyse", "accepts_draw"])
@pytest.mark.parametrize("agent", ["random", "alphabeta:depth=1", "opportunist"])
def test_text_instead_of_a_position_raises(use: str, agent: str) -> None:
    class Opportunist(Player):
        """Checks nothing, as the agent of a plug-in may do."""

        name: ClassVar[str] = "opportunist"
        __module__ = "some_plugin"

        def choose(
            self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT
        ) -> Choice:
            """Return the first move."""
            return Choice(position.legal_moves[0])

        def analyse(self, position: Position, *arguments: Any, **more: Any) -> Any:
            """Fail."""
            return position.legal_moves

    player = Opportunist(GAME) if agent == "opportunist" else boardgames.load_player(agent, GAME)
    if (use, agent) == ("analyse", "random"):
        pytest.skip("it evaluates no moves")
    more = (0,) if use == "accepts_draw" else ()
    with pytest.raises(PositionError, match=r"a position must be a Position, not '4'; use Game\.parse"):
        getattr(player, use)("4", *more)


def test_position_of_an_equal_game_is_accepted() -> None:
    assert First(GAME).choose(Nim(layout="hundred").start()).move is not None


def test_default_player_evaluates_no_moves_and_declines_draws() -> None:
    player = First(GAME)
    assert not player.accepts_draw(GAME.start(), 0)
    with pytest.raises(OptionError, match="'first' does not evaluate moves"):
        player.analyse(GAME.start())


def test_match_started_and_ended_do_nothing_by_default() -> None:
    player = boardgames.load_player("random", GAME)
    player.match_started(0)
    player.match_ended(boardgames.Outcome(0, boardgames.Termination.RULES))


@pytest.mark.parametrize("value", [10**400, 10**5000], ids=["too large for float", "too long for repr"])
@pytest.mark.parametrize("name", ["seconds", "depth", "nodes", "simulations", "clock"])
def test_huge_limit_raises(name: str, value: int) -> None:
    with pytest.raises(LimitError):
        Limit(**{name: value})  # type: ignore[arg-type]  # a clock is not a number


@pytest.mark.parametrize("seed", [-1, 1.5, "x", math.nan, True])
def test_invalid_seed_raises(seed: Any) -> None:
    with pytest.raises(OptionError, match=r"^seed must be "):
        boardgames.load_player("random", boardgames.load("connect4"), seed=seed)


def test_reseeded_player_plays_like_a_new_one() -> None:
    game = boardgames.load("connect4")
    used, new = (
        boardgames.load_player("random", game, seed=1),
        boardgames.load_player("random", game, seed=7),
    )
    start = game.start()
    used.choose(start)
    used.reseed(7)
    assert [used.choose(start) for _ in range(20)] == [new.choose(start) for _ in range(20)]


def test_fingerprint_depends_on_the_weights() -> None:
    class Doubled(AlphaBeta):
        def evaluation(self) -> Evaluation:
            evaluation = self.game.evaluation
            return replace(
                evaluation, weights=evaluation.weights._replace(linear=2 * evaluation.weights.linear)
            )

    game = boardgames.load("abalone")
    plain = boardgames.load_player("alphabeta", game).fingerprint()
    assert re.fullmatch("[0-9a-f]{12}", plain)
    assert plain == boardgames.load_player("alphabeta:depth=2", game).fingerprint()
    assert plain != Doubled(game).fingerprint()
    assert boardgames.load_player("random", game).fingerprint() == ""


# --- copies -----------------------------------------------------------------------


def moves_of(player: Player) -> list[str]:
    """Return the moves of a match of a player against itself."""
    position, moves = player.game.start(), list[str]()
    while position.outcome is None:
        moves.append(str(player.choose(position).move))
        position = position.apply(moves[-1])
    return moves


@pytest.mark.parametrize("agent", ["random", "greedy", "alphabeta:depth=2", "mcts:simulations=40", "solver"])
def test_copied_and_pickled_players_play_like_new_ones_with_the_last_seed(agent: str) -> None:
    game = boardgames.load("connect4", columns=5, rows=4)
    player = boardgames.load_player(agent, game, seed=4)
    expected = moves_of(boardgames.load_player(agent, game, seed=4))
    moves_of(player)
    for copied in (pickle.loads(pickle.dumps(player)), copy.deepcopy(player)):
        assert copied.options == player.options
        assert moves_of(copied) == expected
    player.reseed(5)
    assert moves_of(copy.copy(player)) == moves_of(boardgames.load_player(agent, game, seed=5))


def test_people_are_not_pickled() -> None:
    with pytest.raises(TypeError, match="a human player cannot be copied or pickled"):
        pickle.dumps(boardgames.load_player("human", GAME))
