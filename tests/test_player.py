"""Limits, clocks, the stop flag, and what every player shares."""

import math
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nim import Nim

import boardgames
from boardgames.declarations import Evaluation
from boardgames.errors import LimitError, MatchError, OptionError, PositionError
from boardgames.game import Position
from boardgames.kernels import STOP, Control, new_control
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
        Option("loud", bool, False, "says so"),
    )

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return it."""
        return Choice(self._check_open(position).legal_moves[0])


# --- limits ------------------------------------------------------------------

BAD_LIMITS = [
    ("seconds", 0), ("seconds", -1.5), ("seconds", math.nan), ("seconds", math.inf), ("seconds", "1"),
    ("seconds", True), ("depth", 0), ("depth", -1), ("depth", 2.5), ("depth", "4"), ("depth", True),
    ("nodes", 0), ("nodes", 2**63), ("nodes", 1e6), ("simulations", 0), ("simulations", -7),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD_LIMITS)
def test_a_limit_that_makes_no_sense_is_refused_by_value(name: str, value: object) -> None:
    with pytest.raises(LimitError) as raised:
        Limit(**{name: value})  # type: ignore[arg-type]  # what a caller may do
    assert str(raised.value).endswith(f": {value!r}")


def test_a_count_that_is_too_large_is_told_the_largest() -> None:
    with pytest.raises(LimitError, match=f"expected a limit of nodes of 1 to {2**63 - 1}: {2**63}"):
        Limit(nodes=2**63)
    assert Limit(nodes=2**63 - 1).nodes == 2**63 - 1


@pytest.mark.parametrize("value", [0.001, 1, 86_400.0])
def test_a_time_above_zero_is_a_limit(value: float) -> None:
    assert Limit(seconds=value).seconds == value


def test_a_limit_without_a_number_is_open() -> None:
    assert Limit().is_open
    assert not any(
        limit.is_open for limit in (Limit(depth=1), Limit(simulations=5), Limit(clock=Clock((1.0, 1.0))))
    )


LIMITS = st.builds(
    Limit,
    seconds=st.none() | st.floats(0.001, 100),
    depth=st.none() | st.integers(1, 50),
    nodes=st.none() | st.integers(1, 10**9),
    simulations=st.none() | st.integers(1, 10**9),
)


@given(LIMITS, LIMITS)
def test_the_tighter_of_two_limits_keeps_to_both(first: Limit, second: Limit) -> None:
    both = first.tightened(second)
    for name in ("seconds", "depth", "nodes", "simulations"):
        given_values = [getattr(limit, name) for limit in (first, second) if getattr(limit, name) is not None]
        assert getattr(both, name) == min(given_values, default=None)


def test_the_clock_of_the_first_limit_is_kept() -> None:
    one, other = Clock((1.0, 1.0)), Clock((2.0, 2.0))
    assert Limit(clock=one).tightened(Limit(clock=other)).clock == one
    assert Limit().tightened(Limit(clock=other)).clock == other


# --- clocks ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("remaining", "increment"),
    [
        ((-0.1, 5.0), 0.0),
        ((5.0, math.nan), 0.0),
        ((math.inf, 5.0), 0.0),
        ((5.0, 5.0), -1.0),
        (("5", 5.0), 0.0),
    ],
)
def test_a_clock_that_makes_no_sense_is_refused(remaining: tuple[float, float], increment: float) -> None:
    with pytest.raises(LimitError, match="expected a clock of at least 0 seconds: "):
        Clock(remaining, increment)


@given(SECONDS, SECONDS, SECONDS)
def test_a_budget_is_never_more_than_what_is_left(left: float, other: float, increment: float) -> None:
    for side, remaining in enumerate([(left, other), (other, left)]):
        budget = Limit(clock=Clock(remaining, increment)).budget(side)
        assert budget is not None
        assert 0 <= budget <= left
        assert left < 1e-9 or budget > 0


@given(st.floats(2 * CLOCK_RESERVE, 1e6), SECONDS)
def test_the_last_moment_of_a_clock_is_kept(left: float, increment: float) -> None:
    budget = Limit(clock=Clock((left, left), increment)).budget(0)
    assert budget is not None
    assert budget <= left - CLOCK_RESERVE + 1e-9


@given(SECONDS, st.floats(0.001, 100))
def test_a_budget_is_never_more_than_the_time_for_the_move(left: float, seconds: float) -> None:
    budget = Limit(seconds=seconds, clock=Clock((left, left))).budget(1)
    assert budget is not None
    assert budget <= seconds


def test_a_budget_grows_with_the_increment() -> None:
    budgets = [Limit(clock=Clock((60.0, 60.0), increment)).budget(0) for increment in (0.0, 1.0)]
    assert budgets == pytest.approx([2.0, 2.8])


def test_without_a_clock_the_budget_is_the_time_for_the_move() -> None:
    assert (Limit(seconds=2.5).budget(0), Limit(depth=3).budget(1)) == (2.5, None)


# --- the stop flag -----------------------------------------------------------


def test_a_flag_reaches_every_control_array_held() -> None:
    stop, controls = Stop(), [new_control(), new_control()]
    for control in controls:
        stop.attach(control)
    assert not stop.is_set()
    stop.set()
    assert stop.is_set()
    assert [control[STOP] for control in controls] == [1, 1]


def test_a_flag_set_before_reaches_what_comes_later() -> None:
    stop, control = Stop(), new_control()
    stop.set()
    stop.attach(control)
    assert control[STOP] == 1


def test_a_control_array_that_was_let_go_is_left_alone() -> None:
    stop, first, second = Stop(), new_control(), new_control()
    stop.attach(first)
    stop.attach(second)
    stop.detach(first)
    stop.set()
    assert (first[STOP], second[STOP]) == (0, 1)


def test_no_control_array_is_missed_while_others_come_and_go() -> None:
    # the list of others lies open between being copied and being replaced
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
    assert kept[STOP] == 1


# --- players -----------------------------------------------------------------


def test_a_choice_without_a_move_resigns() -> None:
    assert Choice(None).resigns
    assert not Choice(GAME.start().legal_moves[0]).resigns


def test_options_are_read_by_kind() -> None:
    assert First(GAME, depth="5", loud="yes").options == {"depth": 5, "file": "none", "loud": True}


def test_an_unknown_option_is_refused_with_near_ones() -> None:
    with pytest.raises(OptionError, match=r"agent 'first' has no option 'dept'; did you mean 'depth'\?"):
        First(GAME, dept=5)


@pytest.mark.parametrize(
    "options",
    [{}, {"depth": 5}, {"file": 'a "quoted", name=with\\signs'}, {"loud": True, "file": "a b", "depth": 1}],
)
def test_a_description_makes_the_same_player(options: dict[str, object]) -> None:
    player = First(GAME, **options)
    name, read = parse_agent(player.describe())
    assert name == "first"
    assert First(GAME, **read).options == player.options


def test_a_player_is_shown_by_its_description() -> None:
    assert repr(First(GAME, depth=5)) == "<player first:depth=5>"


def test_equal_seeds_give_equal_chances() -> None:
    numbers = [First(GAME, seed=seed).random.integers(2**60) for seed in (3, 3, 4)]
    assert numbers[0] == numbers[1] != numbers[2]


def test_a_finished_match_is_refused() -> None:
    with pytest.raises(MatchError, match="expected a position with moves: 0:1:3:4 is over"):
        First(GAME).choose(GAME.parse("0:1:3:4"))


def test_a_position_of_another_game_is_refused() -> None:
    with pytest.raises(PositionError, match="expected a position of nim"):
        First(GAME).choose(Nim(passing=True).start())


def test_an_equal_game_is_the_same_game() -> None:
    assert First(GAME).choose(Nim(layout="hundred").start()).move is not None


def test_a_player_values_no_moves_and_takes_no_draws_unless_it_says_how() -> None:
    player = First(GAME)
    assert not player.accepts_draw(GAME.start(), 0)
    with pytest.raises(OptionError, match="'first' does not"):
        player.analyse(GAME.start())


def test_matches_begin_and_end_without_a_word() -> None:
    player = boardgames.load_player("random", GAME)
    player.match_started(0)
    player.match_ended(boardgames.Outcome(0, boardgames.Termination.RULES))


@pytest.mark.parametrize("value", [10**400, 10**5000], ids=["no float", "not to be written"])
@pytest.mark.parametrize("name", ["seconds", "depth", "nodes", "simulations", "clock"])
def test_a_huge_limit_is_a_limit_error(name: str, value: int) -> None:
    with pytest.raises(LimitError):
        Limit(**{name: value})  # type: ignore[arg-type]  # some are no number at all


@pytest.mark.parametrize("seed", [-1, 1.5, "x", math.nan, True])
def test_a_bad_seed_of_a_player_is_an_option_error(seed: Any) -> None:
    with pytest.raises(OptionError, match="for seed"):
        boardgames.load_player("random", boardgames.load("connect4"), seed=seed)


def test_a_player_begun_anew_with_a_seed_plays_as_one_made_with_it() -> None:
    game = boardgames.load("connect4")
    used, made = (
        boardgames.load_player("random", game, seed=1),
        boardgames.load_player("random", game, seed=7),
    )
    start = game.start()
    used.choose(start)
    used.reseed(7)
    assert [used.choose(start) for _ in range(20)] == [made.choose(start) for _ in range(20)]


def test_players_with_other_weights_have_other_fingerprints() -> None:
    class Doubled(AlphaBeta):
        def evaluation(self) -> Evaluation:
            evaluation = self.game.evaluation
            return replace(evaluation, weights=2 * evaluation.weights)

    game = boardgames.load("abalone")
    plain = boardgames.load_player("alphabeta", game).fingerprint()
    assert re.fullmatch("[0-9a-f]{12}", plain)
    assert plain == boardgames.load_player("alphabeta:depth=2", game).fingerprint()
    assert plain != Doubled(game).fingerprint()
    assert boardgames.load_player("random", game).fingerprint() == ""
