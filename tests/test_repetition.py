"""What repeated positions mean in matches: in the Manager, its setup, records, and the terminal's moves."""

import random
from itertools import pairwise

import pytest
from maze import LAYOUT, Maze, PlainMaze, random_maze
from nim import Nim

from boardgames.declarations import NO_REPETITION, THREEFOLD, Facts, Meaning, Repetition
from boardgames.errors import IllegalMoveError, LimitError, MatchError, PluginError
from boardgames.game import Game, Outcome, Termination
from boardgames.manager import Manager
from boardgames.match_setup import MatchSetup
from boardgames.match_state import MatchRules
from boardgames.plugins import load_player

PEOPLE = (None, None)
SHUTTLE = "a:0:b..,a.."
"""Two rooms with one door between them."""
REPEATED = Termination.REPETITION


def played(game: Game, moves: str, **settings: object) -> Manager:
    """Return a match between people after these moves, as far as it goes on."""
    match = MatchSetup(game, PEOPLE, **settings).start_match()  # type: ignore[arg-type]  # of several types
    for move in moves.split():
        if match.outcome is None:
            match.make_move(match.side_to_move, move)
    return match


# --- the declaration -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "meaning", "count"),
    [("draw", "draw", 3), ("draw:4", "draw", 4), ("loss", "loss", 2), ("forbidden", "forbidden", 2),
     ("forbidden:3", "forbidden", 3), ("none", "none", 0)],
)  # fmt: skip
def test_a_rule_is_read_from_text_and_written_in_the_same_form(text: str, meaning: str, count: int) -> None:
    rule = Repetition.parse(text)
    assert (rule.meaning, rule.count) == (meaning, count)
    assert Repetition.parse(str(rule)) == rule


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "los",
            "a repeated position must mean none, draw, loss or forbidden, not 'los'; did you mean 'loss'?",
        ),
        ("draw:x", "a rule about repetition is written like draw:3, not 'draw:x'"),
        ("draw:", "a rule about repetition is written like draw:3, not 'draw:'"),
        ("draw:1", "the count of a repetition must be 2 to 1000, not 1"),
        ("draw:99999999", "a rule about repetition is written like draw:3, not 'draw:99999999'"),
    ],
)
def test_a_wrong_rule_is_refused_on_one_line(text: str, message: str) -> None:
    with pytest.raises(LimitError) as error:
        Repetition.parse(text)
    assert str(error.value) == message


@pytest.mark.parametrize(("meaning", "count"), [("draw", 0), ("forbidden", 1), ("loss", True)])
def test_a_rule_without_a_second_occurrence_is_refused(meaning: Meaning, count: int) -> None:
    with pytest.raises(LimitError, match=f"count of a repetition must be 2 to 1000, not {count}$"):
        Repetition(meaning, count)


def test_a_count_of_positions_that_may_repeat_is_refused() -> None:
    with pytest.raises(LimitError, match="a rule that positions may repeat has no count, not 3"):
        Repetition("none", 3)


def test_facts_refuse_anything_but_a_repetition_rule() -> None:
    with pytest.raises(
        PluginError, match=r"must be a Repetition, such as Repetition\('forbidden'\), not 'draw'$"
    ):
        Facts(
            name="x", title="X", sides=("a", "b"), words=1, actions=1,
            repetition="draw",  # type: ignore[arg-type]  # what an author may write
        )  # fmt: skip


# --- matches ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Maze, PlainMaze])
@pytest.mark.parametrize(
    ("rule", "plies", "winner"),
    [("draw:2", 2, None), ("draw", 4, None), ("draw:5", 8, None), ("loss", 2, 0), ("loss:3", 4, 0),
     ("forbidden", 1, 0), ("forbidden:3", 3, 0)],
)  # fmt: skip
def test_the_rule_of_the_game_ends_a_match_between_people(
    rule: str, plies: int, winner: int | None, kind: type[Game]
) -> None:
    match = played(kind(repetition=rule, rooms=SHUTTLE), "b a b a b a b a b a")
    assert (match.ply, match.outcome) == (plies, Outcome(winner, REPEATED))
    assert match.record().outcome == match.outcome


def test_a_match_between_people_has_no_such_rule_if_the_game_has_none() -> None:
    assert played(Maze(rooms=SHUTTLE), "b a b a b a b a b a").outcome is None


def test_a_side_that_moves_twice_in_a_row_and_repeats_a_position_loses() -> None:
    # the third door gives another move: ann goes to b and back
    match = played(Maze(repetition="loss", again=True, rooms="a:0:..b,..a"), "b a")
    assert (match.ply, match.outcome) == (2, Outcome(1, REPEATED))


def test_a_side_whose_every_move_is_forbidden_draws_if_the_game_says_so() -> None:
    match = played(Maze(repetition="forbidden", draws=True, rooms=SHUTTLE), "b")
    assert match.outcome == Outcome(None, REPEATED)


def test_a_forbidden_move_is_refused_and_changes_nothing() -> None:
    match = played(Maze(repetition="forbidden", rooms=LAYOUT), "b")
    assert [move.text for move in match.position.legal_moves] == ["a", "d", "X"]
    assert [move.text for move in match.legal_moves] == ["d", "X"]
    for move in ("a", match.position.legal_moves[0]):
        with pytest.raises(IllegalMoveError, match=r"^illegal move 'a': it repeats an earlier position$"):
            match.make_move(1, move)
    assert match.ply == 1
    assert set(match.picture().clicks) == {"d", "X"}
    assert [button.id for button in match.picture().buttons] == ["d", "X"]


def test_the_picture_has_all_moves_if_none_is_forbidden() -> None:
    match = played(Maze(repetition="loss", rooms=LAYOUT), "b")
    assert match.picture() == match.position.picture()


def test_a_takeback_reopens_a_match_and_allows_the_move_again() -> None:
    match = played(Maze(repetition="forbidden", rooms=SHUTTLE), "b")
    match.undo()
    assert match.outcome is None
    assert [move.text for move in match.legal_moves] == ["b"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [(None, Repetition("loss")), (True, Repetition("loss")), (False, NO_REPETITION),
     (Repetition("draw", 2), Repetition("draw", 2))],
)  # fmt: skip
def test_a_match_can_have_another_rule_than_its_game(given: object, expected: Repetition) -> None:
    game = Maze(repetition="loss")
    for players in (PEOPLE, ("random", "random")):
        setup = MatchSetup(game, players, repetition=given)  # type: ignore[arg-type]  # of several types
        assert setup.start_match().rules.repetition_rule == expected


@pytest.mark.parametrize(
    ("declared", "given", "told"),
    [
        ("", None, None),
        ("", False, None),
        ("", THREEFOLD, None),
        ("", Repetition("loss"), Repetition("loss")),
        ("loss", None, None),
        ("loss", False, NO_REPETITION),
        ("loss", THREEFOLD, THREEFOLD),
    ],
)
def test_players_are_told_of_a_rule_that_they_do_not_expect(
    declared: str, given: object, told: Repetition | None
) -> None:
    setup = MatchSetup(Maze(repetition=declared), ("random", "random"), repetition=given)  # type: ignore[arg-type]
    assert setup.start_match().context.repetition == told


def test_match_rules_refuse_anything_but_a_repetition_rule() -> None:
    with pytest.raises(LimitError, match=r"^repetition must be True, False or a Repetition, not 'draw'$"):
        MatchRules(repetition="draw")  # type: ignore[arg-type]  # what a caller may do


@pytest.mark.parametrize(
    "agent",
    ["random", "greedy", "minimax:depth=2", "alphabeta:depth=3,table=1", "mcts:simulations=50,memory=1"],
)
@pytest.mark.parametrize("rule", ["forbidden", "loss", "draw"])
def test_agents_never_lose_by_an_illegal_move(agent: str, rule: str) -> None:
    for seed in range(12):
        game = Maze(repetition=rule, rooms=random_maze(seed))
        players = [load_player(name, game, seed=seed) for name in (agent, "random")]
        match = MatchSetup(game, (players[seed % 2], players[1 - seed % 2])).start_match()
        match.play()
        assert match.outcome is not None
        assert match.outcome.termination in (REPEATED, Termination.RULES, Termination.NO_MOVES), match.fault
        if rule == "forbidden":
            texts = [str(position) for position in match.positions]
            assert len(set(texts)) == len(texts)


def test_a_match_with_random_moves_has_no_position_twice_under_superko() -> None:
    for seed in range(30):
        generator = random.Random(seed)
        match = played(PlainMaze(repetition="forbidden", rooms=random_maze(seed, 8)), "")
        while match.outcome is None:
            match.make_move(match.side_to_move, generator.choice(match.legal_moves))
        positions = [str(position) for position in match.positions]
        assert len(set(positions)) == len(positions)
        assert all(first != second for first, second in pairwise(positions))


def test_a_game_that_declares_nothing_keeps_the_rules_that_it_had() -> None:
    nim = Nim(passing=True)
    assert MatchRules.between(PEOPLE, nim) == MatchRules()
    agents = [load_player("random", nim, seed=1)] * 2
    assert MatchRules.between(agents, nim) == MatchRules(40, 9, repetition=True)
    assert MatchRules(repetition=True).repetition_rule == THREEFOLD


def test_a_match_that_is_over_by_repetition_takes_no_move() -> None:
    match = played(Maze(repetition="loss", rooms=SHUTTLE), "b a")
    with pytest.raises(MatchError, match=r"^the match is over \(ann wins by repetition\)$"):
        match.make_move(0, "b")
