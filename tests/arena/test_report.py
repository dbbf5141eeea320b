"""Reports and ladders: totals, standings and ranking."""

import pytest

from boardgames.arena.pentanomial import Estimate, Pairs, estimate
from boardgames.arena.play import MatchResult
from boardgames.arena.report import CrosstableEntry, Tally, ladder, rank_key
from boardgames.game import Termination
from boardgames.store import PlayerKey, ResultCount

RULES, CRASH, TIME = Termination.RULES, Termination.CRASH, Termination.TIME
A, B, C, D = (PlayerKey(name) for name in "abcd")


def pair(
    number: int, agents: tuple[int, int], *winners: int | None, ended: Termination = RULES, moves: str = ""
) -> tuple[MatchResult, MatchResult]:
    """Return two matches; winners are agents."""
    sides = (agents, agents[::-1])
    return tuple(  # type: ignore[return-value]  # two of them
        MatchResult(
            2 * number + index,
            side,
            None if winner is None else side.index(winner),
            ended,
            10,
            (1.0, 2.0),
            "",
            (moves or f"{number} {index}").encode(),
        )
        for index, (side, winner) in enumerate(zip(sides, winners, strict=True))
    )


def test_two_agents_are_compared_by_their_pairs() -> None:
    tally = Tally(["strong", "weak"])
    for number, winners in enumerate([(0, 0), (0, None), (1, 0), (None, None), (1, None)]):
        tally.add(*pair(number, (0, 1), *winners))
    report = tally.report("nim", 20)
    assert report.pairs == Pairs((0, 1, 2, 1, 1))
    strong, weak = report.standings
    assert (strong.wins, strong.losses, strong.draws, strong.matches) == (4, 2, 4, 10)
    assert (weak.wins, weak.losses, weak.draws, weak.score) == (2, 4, 4, 0.4)
    assert strong.estimate == estimate(report.pairs)
    assert strong.estimate is not None
    assert weak.estimate is not None
    assert weak.estimate.elo == pytest.approx(-strong.estimate.elo)
    assert (report.matches, report.planned, report.game) == (10, 20, "nim")
    assert report.superiority is not None
    assert 0.5 < report.superiority < 1


def test_first_side_share_is_the_share_of_points_of_side_0() -> None:
    tally = Tally(["a", "b"])
    tally.add(*pair(0, (0, 1), 0, 1))  # side 0 wins both
    assert tally.report("nim", 2).first_side_share == 1.0
    tally.add(*pair(1, (0, 1), None, 0))  # a draw, and side 1 wins
    assert tally.report("nim", 2).first_side_share == 2.5 / 4


def test_identical_matches_count_once_as_distinct() -> None:
    tally = Tally(["a", "b"])
    for number in range(3):
        tally.add(*pair(number, (0, 1), 0, 1, moves="same"))
    assert tally.report("nim", 6).distinct == 1


def test_the_same_moves_by_other_agents_count_as_a_distinct_match() -> None:
    tally = Tally(["a", "b", "c"])
    tally.add(*pair(0, (0, 1), 0, 1, moves="same"))
    tally.add(*pair(1, (0, 2), 0, 2, moves="same"))
    assert tally.report("nim", 4).distinct == 2


def test_faults_are_counted_by_kind_for_the_agent_at_fault() -> None:
    tally = Tally(["good", "bad"])
    tally.add(*pair(0, (0, 1), 0, 0, ended=CRASH))
    tally.add(*pair(1, (0, 1), 0, 0, ended=TIME))
    good, bad = tally.report("nim", 4).standings
    assert dict(bad.faults) == {"illegal-move": 0, "time": 2, "crash": 2}
    assert set(good.faults.values()) == {0}


def test_report_before_the_first_match_has_no_estimates() -> None:
    report = Tally(["a", "b"]).report("nim", 100)
    assert (report.matches, report.distinct, report.first_side_share) == (0, 0, None)
    assert [standing.estimate for standing in report.standings] == [None, None]
    assert report.standings[0].score is None


def test_more_than_two_agents_are_rated_relative_to_the_mean() -> None:
    tally = Tally(["a", "b", "c"])
    for number in range(60):
        tally.add(*pair(3 * number, (0, 1), *((0, 0) if number % 3 else (1, 0))))
        tally.add(*pair(3 * number + 1, (0, 2), *((0, 0) if number % 4 else (2, None))))
        tally.add(*pair(3 * number + 2, (1, 2), *((1, 2) if number % 2 else (1, None))))
    report = tally.report("nim", 360)
    assert [standing.agent for standing in report.ranked] == ["a", "b", "c"]
    estimates = [standing.estimate for standing in report.standings]
    assert sum(one.elo for one in estimates if one is not None) == pytest.approx(0, abs=1e-6)
    assert None not in estimates
    assert report.pairs is None
    assert report.superiority is None


def test_crosstable_has_every_pairing_that_was_played() -> None:
    tally = Tally(["a", "b", "c"])
    tally.add(*pair(0, (0, 1), 0, None))
    tally.add(*pair(1, (1, 2), 2, 1))
    entries = (CrosstableEntry(0, 1, 1, 1, 0), CrosstableEntry(1, 2, 1, 0, 1))
    assert tally.report("nim", 4).crosstable == entries


def test_repeated_pairs_are_counted_unless_there_was_a_fault() -> None:
    tally = Tally(["a", "b"])
    tally.add(*pair(0, (0, 1), 0, 0, moves="same"))
    tally.add(*pair(1, (0, 1), 0, 0, moves="other"))
    assert tally.report("nim", 4).repeated == 0
    tally.add(*pair(2, (0, 1), 0, 0, moves="same"))
    assert tally.report("nim", 6).repeated == 1
    tally.add(*pair(3, (0, 1), 0, 0, moves="same", ended=CRASH))
    assert tally.report("nim", 8).repeated == 1


def test_agents_rank_by_points_if_all_have_played_equally_often() -> None:
    tally = Tally(["a", "b", "c", "d"])
    tally.add(*pair(0, (0, 1), 0, 0))
    tally.add(*pair(1, (2, 3), 2, None))
    assert [standing.agent for standing in tally.report("nim", 4).ranked] == ["a", "c", "d", "b"]


def test_unrated_agents_rank_last() -> None:
    rated, winner, loser = Estimate(900, 800, 1000), Estimate(100, 50, None), Estimate(-100, None, -50)
    assert sorted([None, loser, rated, winner], key=rank_key) == [None, loser, winner, rated]


# --- ladders -----------------------------------------------------------------------


def test_ladder_ignores_sides_and_ranks_the_winner_first() -> None:
    results = [(A, B, 0, 30), (B, A, 1, 30), (A, B, 1, 20), (B, A, None, 10)]
    first, second = ladder([ResultCount(*result) for result in results])
    assert [first.player, second.player] == [A, B]
    assert (first.wins, first.losses, first.draws, first.matches) == (60, 20, 10, 90)
    assert first.estimate is not None
    assert second.estimate is not None
    assert first.estimate.elo == pytest.approx(-second.estimate.elo)
    assert first.estimate.low is not None
    assert first.estimate.low > 0


def test_ladder_compares_agents_through_common_opponents() -> None:
    results = [(A, B, 0, 60), (A, B, 1, 30), (B, C, 0, 60), (B, C, 1, 30)]
    assert [entry.player for entry in ladder([ResultCount(*result) for result in results])] == [A, B, C]


def test_agents_with_different_weights_have_entries_of_their_own() -> None:
    old, new = PlayerKey("td", "1"), PlayerKey("td", "2")
    entries = ladder([ResultCount(old, new, 1, 9), ResultCount(new, old, 1, 3)])
    assert [entry.player for entry in entries] == [new, old]


def test_groups_that_never_played_each_other_are_not_compared() -> None:
    results = [(A, B, 0, 9), (A, B, 1, 3), (C, D, 0, 3), (C, D, 1, 2)]
    entries = ladder([ResultCount(*result) for result in results])
    assert {entry.player for entry in entries if entry.estimate is None} == {C, D}
    assert {entry.player for entry in entries[:2]} == {A, B}


def test_ladder_of_an_empty_store_is_empty() -> None:
    assert ladder([]) == []
