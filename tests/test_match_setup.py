"""What a setup means: players, seeds, names, times, limits, and matches that go on from a record."""

from dataclasses import replace
from typing import Any

import nim
import pytest

import boardgames
from boardgames.clock import UNTIMED, TimeControl, format_time_controls
from boardgames.errors import BoardgamesError, LimitError, MatchError, OptionError, UnknownNameError
from boardgames.game import Game, Outcome, Position, Termination
from boardgames.match_setup import DEFAULT_LIMIT, MatchSetup, seats_of
from boardgames.match_state import MatchRules
from boardgames.player import NO_CONTEXT, NO_LIMIT, Choice, Context, Limit, Player
from boardgames.record import Record

CONNECT4 = boardgames.load("connect4")
NIM = nim.Nim()
UNTIMED_BOTH = (UNTIMED, UNTIMED)
PEOPLE, AGENTS = ("human", "human"), ("random", "random")
PERSON_FIRST, AGENT_FIRST = ("human", "random"), ("random", "human")
CLOCKS = (TimeControl(match=300, increment=2), TimeControl(match=60, increment=2))


class First(Player):
    """Plays the first legal move, and notes what happens to it."""

    name = "first"

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self.is_closed = False

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        return Choice(position.legal_moves[0])

    def close(self) -> None:
        self.is_closed = True


class Loader:
    """Loads the player `First`, and refuses the agent `broken`."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Game, int | None]] = []
        self.players: list[First] = []

    def __call__(self, text: str, game: Game, /, *, seed: int | None) -> Player:
        self.calls.append((text, game, seed))
        if text == "broken":
            raise OptionError("broken")
        self.players.append(First(game, seed=seed))
        return self.players[-1]


def record_of(*moves: str, **more: Any) -> Record:
    given = {"names": ("Ann", "Bob"), "start": "7:0:0:0", "moves": moves} | more
    return Record(
        "nim", "seven", options={name: str(value).lower() for name, value in NIM.options.items()}, **given
    )


# --- players, seeds and names ---------------------------------------------------


@pytest.mark.parametrize(("seed", "seeds"), [(5, [5, 6]), (0, [0, 1]), (None, [None, None])])
def test_the_second_seed_is_the_next_number(seed: int | None, seeds: list[int | None]) -> None:
    load = Loader()
    MatchSetup(NIM, ("a", "b:x=1"), seed=seed).start_match(load=load)
    assert load.calls == [("a", NIM, seeds[0]), ("b:x=1", NIM, seeds[1])]


@pytest.mark.parametrize("side", [0, 1])
def test_an_agent_has_the_seed_of_its_side_against_a_person_too(side: int) -> None:
    load = Loader()
    players = (None, "a") if side else ("a", None)
    MatchSetup(NIM, players, seed=5).start_match(load=load)
    assert load.calls == [("a", NIM, 5 + side)]


def test_a_seed_repeats_the_match_and_another_one_does_not() -> None:
    matches = [MatchSetup(CONNECT4, AGENTS, seed=seed).start_match().play().moves for seed in (1, 1, 2)]
    assert matches[0] == matches[1] != matches[2]


def test_a_player_can_be_given_as_an_object() -> None:
    player = First(NIM)
    match = MatchSetup(NIM, (player, None)).start_match()
    assert match.players == (player, None)
    match.step()
    assert match.ply == 1


@pytest.mark.parametrize(
    ("players", "names", "expected"),
    [
        (PERSON_FIRST, (None, None), ("human", "random")),
        ((None, None), (None, None), ("human", "human")),
        (("level:level=5", " level"), (None, None), ("level:level=5", "level")),
        (("level:3", "level=4"), (None, None), ("level:level=3", "level:level=4")),
        ((First(CONNECT4), "greedy"), (None, None), ("first", "greedy")),
        (PERSON_FIRST, ("Ann", None), ("Ann", "random")),
        (AGENT_FIRST, ("Robot", "Ann"), ("Robot", "Ann")),
    ],
)
def test_names_are_given_or_those_that_players_have(
    players: Any, names: Any, expected: tuple[str, str]
) -> None:
    assert MatchSetup(CONNECT4, players, names=names).start_match().names == expected


@pytest.mark.parametrize(
    "more",
    [{"players": ("a", "broken")}, {"start": CONNECT4.start()}, {"move_limits": (0, 1)}],
    ids=["an agent that cannot be loaded", "a start of another game", "a wrong limit"],
)
def test_players_are_closed_if_the_match_cannot_start(more: dict[str, Any]) -> None:
    load, own = Loader(), First(NIM)
    with pytest.raises(BoardgamesError):
        MatchSetup(NIM, **{"players": ("a", own), **more}).start_match(load=load)
    assert [player.is_closed for player in load.players] == [True]
    assert not own.is_closed


# --- times and limits ------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "move_time", "enforced", "thinking"),
    [
        (PEOPLE, 5, "5/move", (5, 5)),
        (PEOPLE, (10, 3), "10/move, 3/move", (10, 3)),
        (PERSON_FIRST, 5, "-", (1, 5)),
        (AGENT_FIRST, 5, "-", (5, 1)),
        (PERSON_FIRST, (10, 3), "10/move, -", (10, 3)),
        (AGENT_FIRST, (10, 3), "-, 3/move", (10, 3)),
        (PERSON_FIRST, (None, 3), "-", (1, 3)),
        (AGENTS, 5, "-", (5, 5)),
        (AGENTS, (10, 3), "-", (10, 3)),
        (AGENTS, None, "-", (1, 1)),
        (PEOPLE, None, "-", (1, 1)),
    ],
)
@pytest.mark.parametrize("has_clock", [False, True])
def test_time_for_a_move(
    players: Any, move_time: Any, enforced: str, thinking: tuple[float, float], has_clock: bool
) -> None:
    clocks = CLOCKS if has_clock else UNTIMED_BOTH
    setup = MatchSetup(CONNECT4, players, move_time=move_time, time=clocks)
    match = setup.start_match()
    times = [replace(time, match=None, increment=0.0) for time in match.rules.times]
    assert format_time_controls((times[0], times[1])) == enforced
    assert [replace(time, move=None) for time in match.rules.times] == list(clocks)
    assert [match.limit_for(side).seconds for side in (0, 1) if players[side] != "human"] == [
        seconds for seconds, player in zip(thinking, players, strict=True) if player != "human"
    ]


def test_agents_lose_only_by_a_time_control() -> None:
    strict = MatchSetup(CONNECT4, AGENTS, time=TimeControl(move=2, margin=0.5), limit=Limit(depth=3))
    match = strict.start_match()
    assert match.rules.times == (TimeControl(move=2, margin=0.5),) * 2
    assert match.limit_for(1) == Limit(seconds=1.5, depth=3)


def test_limits_other_than_seconds_stay_beside_a_time_for_a_move() -> None:
    setup = MatchSetup(CONNECT4, AGENTS, limit=Limit(depth=3), move_time=(None, 2))
    assert setup.limits == (Limit(depth=3), Limit(depth=3, seconds=2))
    assert MatchSetup(CONNECT4, AGENTS).limits == (DEFAULT_LIMIT, DEFAULT_LIMIT)


@pytest.mark.parametrize("players", [PEOPLE, PERSON_FIRST, AGENT_FIRST])
def test_a_match_with_a_person_has_only_the_limits_that_are_given(players: Any) -> None:
    assert MatchSetup(CONNECT4, players).start_match().rules == MatchRules(time=UNTIMED_BOTH)
    given: dict[str, Any] = {
        "ply_limit": 9,
        "move_limits": (4, 5),
        "no_progress_limit": 3,
        "repetition": True,
    }
    rules = MatchSetup(CONNECT4, players, **given).start_match().rules
    assert {name: getattr(rules, name) for name in given} == given


def test_a_match_between_agents_has_the_limits_of_the_game_unless_others_are_given() -> None:
    abalone = boardgames.load("abalone")
    facts = abalone.facts
    rules = MatchSetup(abalone, AGENTS, ply_limit=9, repetition=False).start_match().rules
    assert rules == MatchRules(9, facts.no_progress_limit, repetition=False, time=UNTIMED_BOTH)
    rules = MatchSetup(abalone, AGENTS).start_match().rules
    assert rules == MatchRules(facts.ply_limit, facts.no_progress_limit, repetition=True, time=UNTIMED_BOTH)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"players": ("random",)}, "a match has two players"),
        ({"players": "ab"}, "a match has two players, not 'ab'"),
        ({"names": ("Ann",)}, "a match has two names"),
        ({"move_time": -1}, "the time limit must be more than 0 seconds, not -1"),
        ({"players": PEOPLE, "move_time": 0}, "must be more than 0 seconds, not 0"),
        ({"time": (TimeControl(match=60), UNTIMED)}, "either both sides have a match clock or neither"),
    ],
)
def test_what_a_setup_cannot_be_is_refused_when_it_is_made(more: dict[str, Any], message: str) -> None:
    with pytest.raises((MatchError, LimitError), match=message):
        MatchSetup(CONNECT4, **{"players": AGENTS, **more})


# --- matches that go on from a record ----------------------------------------------


def test_a_match_goes_on_from_its_record() -> None:
    now = [0.0]
    setup = MatchSetup(NIM, (None, None), time=TimeControl(match=60, increment=1))
    match = setup.start_match(clock=lambda: now[0], tags={"Date": "2020.01.31"})
    for now[0] in (10.0, 30.0):
        match.make_move(match.side_to_move, "take1")
    people = {"FirstAgent": "human", "SecondAgent": "human"}
    record = replace(match.record(), names=("Ann", "Bob"), tags={**match.record().tags, **people})
    again = MatchSetup(NIM, (None, None)).start_match(record, clock=lambda: now[0])
    people = {"FirstAgent": "human", "SecondAgent": "human"}
    assert again.record() == replace(record, tags={**record.tags, **people})
    assert again.clocks == match.clocks == (51.0, 41.0)
    assert again.positions == match.positions
    again.undo()
    assert again.ply == 1


@pytest.mark.parametrize(
    ("given", "recorded", "expected"),
    [
        ({}, "300+2, 60+5", "300+2, 60+5"),
        ({}, "300+2 10/move, 60+2 3/move", "300+2 10/move, 60+2 3/move"),
        ({"move_time": 5}, "300+2", "300+2 5/move"),
        ({"move_time": (5, None)}, "300+2 3/move", "300+2 5/move, 300+2"),
        ({"time": TimeControl(match=60)}, "300+2 10/move", "60+0 10/move"),
        ({"time": TimeControl(match=60), "move_time": 5}, "300+2 10/move", "60+0 5/move"),
        ({"time": TimeControl(match=60), "move_time": 5}, None, "60+0 5/move"),
    ],
)
def test_clocks_and_times_for_a_move_are_those_of_the_record_unless_others_are_given(
    given: dict[str, Any], recorded: str | None, expected: str
) -> None:
    record = record_of("take1", tags={} if recorded is None else {"TimeControl": recorded})
    match = MatchSetup(NIM, (None, None), **given).start_match(record)
    assert format_time_controls(match.rules.times) == expected


def test_a_time_that_only_an_agent_thinks_keeps_the_times_of_the_record() -> None:
    record = record_of("take1", tags={"TimeControl": "300+2 10/move, 300+2"})
    match = MatchSetup(NIM, (None, First(NIM)), move_time=4).start_match(record)
    assert format_time_controls(match.rules.times) == "300+2 10/move, 300+2"
    assert match.limit_for(1).seconds == 4


@pytest.mark.parametrize(
    ("names", "expected"),
    [((None, None), ("Ann", "Bob")), (("Eve", None), ("Eve", "Bob")), ((None, "Eve"), ("Ann", "Eve"))],
)
def test_names_of_the_record_stay_unless_others_are_given(names: Any, expected: tuple[str, str]) -> None:
    assert MatchSetup(NIM, (None, First(NIM)), names=names).start_match(record_of("take1")).names == expected


@pytest.mark.parametrize(
    ("names", "tags", "expected"),
    [
        (("human", "greedy"), {}, ("human", "random")),
        (("human", "Bob"), {}, ("human", "Bob")),
        (("human", "Robot"), {"SecondAgent": "greedy"}, ("human", "Robot")),
    ],
    ids=["agent", "person", "renamed"],
)
def test_a_name_of_the_record_stays_unless_it_is_that_of_an_agent_that_is_replaced(
    names: tuple[str, str], tags: dict[str, str], expected: tuple[str, str]
) -> None:
    record = Record("connect4", "7x6", start="-", names=names, moves=("4",), tags=tags)
    match = MatchSetup(CONNECT4, ("human", "random")).start_match(record)
    assert match.names == expected
    assert seats_of(match.record(), CONNECT4) == ("human", "random"), "who plays now resumes the match"


@pytest.mark.parametrize(
    ("names", "tags", "seats"),
    [
        (("alphabeta:depth=2", "human"), {}, ("alphabeta:depth=2", "human")),
        (("Ann", "random"), {}, ("human", "random")),
        (("Ann", "Bob"), {}, ("human", CONNECT4.facts.default_agent)),
        (("Ann", "Bob"), {"FirstAgent": "human", "SecondAgent": "human"}, ("human", "human")),
        (("random", "Robot"), {"FirstAgent": "human", "SecondAgent": "greedy"}, ("human", "greedy")),
    ],
    ids=["agents", "person", "unknown", "people", "renamed"],
)
def test_a_match_is_resumed_by_the_agents_of_its_record(
    names: tuple[str, str], tags: dict[str, str], seats: tuple[str, str]
) -> None:
    record = Record("connect4", "7x6", start="-", names=names, moves=("4",), tags=tags)
    assert seats_of(record, CONNECT4) == seats


def test_an_agent_that_replaces_another_one_plays_under_its_own_name() -> None:
    record = record_of(
        "take1", names=("greedy", "Bob"), tags={"FirstAgent": "human", "SecondAgent": "greedy"}
    )
    match = MatchSetup(NIM, ("random", "random")).start_match(record)
    assert match.names == ("greedy", "Bob"), "the first is a name that a person has chosen"
    assert match.record().tags == {"FirstAgent": "random", "SecondAgent": "random"}
    match = MatchSetup(NIM, ("random", "random")).start_match(replace(record, tags={}))
    assert match.names == ("random", "Bob")
    assert match.record().tags == {"SecondAgent": "random"}


def test_limits_of_the_setup_hold_for_the_whole_match() -> None:
    match = MatchSetup(NIM, (None, None), ply_limit=2).start_match(record_of("take3"))
    match.make_move(1, "take1")
    assert match.outcome == Outcome(None, Termination.PLY_LIMIT)


def test_start_and_options_are_those_of_the_record() -> None:
    record = Record("connect4", "8x7", start="-", moves=("8",), options={"columns": "8", "rows": "7"})
    setup = MatchSetup(CONNECT4, ("random", None), start=CONNECT4.parse("44"), seed=1)
    match = setup.start_match(record)
    assert (match.game.layout, match.start, match.ply) == ("8x7", match.game.start(), 1)
    assert match.players[0] is not None
    assert match.players[0].game == match.game
    assert setup.start_match().position == CONNECT4.parse("44")


@pytest.mark.parametrize("players", [PEOPLE, PERSON_FIRST, AGENT_FIRST, AGENTS])
def test_a_finished_match_stays_finished_and_loads_no_players(players: Any) -> None:
    outcome, load = Outcome(1, Termination.RESIGNATION), Loader()
    record = record_of("take1", outcome=outcome, tags={"TimeControl": "300+2"})
    match = MatchSetup(NIM, players, move_time=(5, 3)).start_match(record, load=load)
    assert (match.outcome, match.players, load.calls) == (outcome, (None, None), [])
    assert match.record().names == record.names
    limits = [" 5/move", " 3/move"]
    controls = [
        f"300+2{limit if player == 'human' else ''}" for limit, player in zip(limits, players, strict=True)
    ]
    assert match.record().tags["TimeControl"] == ", ".join(dict.fromkeys(controls))


def test_a_record_of_another_game_is_refused() -> None:
    with pytest.raises(MatchError, match="this is a match of 'nim', not connect4"):
        MatchSetup(CONNECT4, AGENTS).start_match(record_of("take1"))


def test_an_unknown_agent_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="connect4 has no agent 'chess'"):
        MatchSetup(CONNECT4, ("human", "chess")).start_match()
