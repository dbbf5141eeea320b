"""Reports: what is counted for whom."""

import pytest

from boardgames.arena.pentanomial import Estimate, Pairs, estimate
from boardgames.arena.play import Played
from boardgames.arena.report import Encounters, Tally, rank_of
from boardgames.game import Termination

RULES, CRASH, TIME = Termination.RULES, Termination.CRASH, Termination.TIME


def pair(
    number: int, agents: tuple[int, int], *winners: int | None, ended: Termination = RULES, course: str = ""
) -> tuple[Played, Played]:
    """Return two matches; winners are agents."""
    sides = (agents, agents[::-1])
    return tuple(  # type: ignore[return-value]  # two come
        Played(
            2 * number + index,
            side,
            None if winner is None else side.index(winner),
            ended,
            10,
            (1.0, 2.0),
            "",
            (course or f"{number} {index}").encode(),
        )
        for index, (side, winner) in enumerate(zip(sides, winners, strict=True))
    )


def test_two_agents_are_told_apart_by_their_pairs() -> None:
    tally = Tally(["strong", "weak"])
    for number, winners in enumerate([(0, 0), (0, None), (1, 0), (None, None), (1, None)]):
        tally.add(*pair(number, (0, 1), *winners))
    report = tally.report("nim", 20)
    assert report.pairs == Pairs((0, 1, 2, 1, 1))
    strong, weak = report.standings
    assert (strong.wins, strong.losses, strong.draws, strong.matches) == (4, 2, 4, 10)
    assert (weak.wins, weak.losses, weak.draws, weak.score) == (2, 4, 4, 0.4)
    assert strong.estimate == estimate(report.pairs)
    assert weak.estimate.elo == pytest.approx(-strong.estimate.elo)
    assert (report.matches, report.planned, report.game) == (10, 20, "nim")
    assert 0.5 < report.superiority < 1


def test_the_first_side_has_the_points_of_side_0() -> None:
    tally = Tally(["a", "b"])
    tally.add(*pair(0, (0, 1), 0, 1))  # both won by side 0
    assert tally.report("nim", 2).first_side_share == 1.0
    tally.add(*pair(1, (0, 1), None, 0))  # a draw, and side 1 wins
    assert tally.report("nim", 2).first_side_share == 2.5 / 4


def test_equal_courses_are_one_distinct_match() -> None:
    tally = Tally(["a", "b"])
    for number in range(3):
        tally.add(*pair(number, (0, 1), 0, 1, course="same"))
    assert tally.report("nim", 6).distinct == 1


def test_others_who_play_the_same_play_another_match() -> None:
    tally = Tally(["a", "b", "c"])
    tally.add(*pair(0, (0, 1), 0, 1, course="same"))
    tally.add(*pair(1, (0, 2), 0, 2, course="same"))
    assert tally.report("nim", 4).distinct == 2


def test_faults_are_counted_by_kind_for_the_agent_that_had_them() -> None:
    tally = Tally(["good", "bad"])
    tally.add(*pair(0, (0, 1), 0, 0, ended=CRASH))
    tally.add(*pair(1, (0, 1), 0, 0, ended=TIME))
    good, bad = tally.report("nim", 4).standings
    assert dict(bad.faults) == {"illegal-move": 0, "time": 2, "crash": 2}
    assert set(good.faults.values()) == {0}


def test_before_the_first_match_nothing_is_claimed() -> None:
    report = Tally(["a", "b"]).report("nim", 100)
    assert (report.matches, report.distinct, report.first_side_share) == (0, 0, None)
    assert [standing.estimate for standing in report.standings] == [None, None]
    assert report.standings[0].score is None


def test_more_than_two_agents_are_rated_against_the_mean_of_all() -> None:
    tally = Tally(["a", "b", "c"])
    for number in range(60):
        tally.add(*pair(3 * number, (0, 1), *((0, 0) if number % 3 else (1, 0))))
        tally.add(*pair(3 * number + 1, (0, 2), *((0, 0) if number % 4 else (2, None))))
        tally.add(*pair(3 * number + 2, (1, 2), *((1, 2) if number % 2 else (1, None))))
    report = tally.report("nim", 360)
    assert [standing.agent for standing in report.ranked] == ["a", "b", "c"]
    assert sum(standing.estimate.elo for standing in report.standings) == pytest.approx(0, abs=1e-6)
    assert report.pairs is None
    assert report.superiority is None


def test_every_two_that_met_have_their_encounters() -> None:
    tally = Tally(["a", "b", "c"])
    tally.add(*pair(0, (0, 1), 0, None))
    tally.add(*pair(1, (1, 2), 2, 1))
    assert tally.report("nim", 4).encounters == (Encounters(0, 1, 1, 1, 0), Encounters(1, 2, 1, 0, 1))


def test_a_pair_that_repeats_another_one_is_noticed_unless_by_a_fault() -> None:
    tally = Tally(["a", "b"])
    tally.add(*pair(0, (0, 1), 0, 0, course="same"))
    tally.add(*pair(1, (0, 1), 0, 0, course="other"))
    assert tally.report("nim", 4).repeated == 0
    tally.add(*pair(2, (0, 1), 0, 0, course="same"))
    assert tally.report("nim", 6).repeated == 1
    tally.add(*pair(3, (0, 1), 0, 0, course="same", ended=CRASH))
    assert tally.report("nim", 8).repeated == 1


def test_where_all_have_played_as_much_points_rank() -> None:
    tally = Tally(["a", "b", "c", "d"])
    tally.add(*pair(0, (0, 1), 0, 0))
    tally.add(*pair(1, (2, 3), 2, None))
    assert [standing.agent for standing in tally.report("nim", 4).ranked] == ["a", "c", "d", "b"]


def test_agents_rank_by_their_elo_and_the_unknown_last() -> None:
    known, sweep, swept = Estimate(900, 800, 1000), Estimate(100, 50, None), Estimate(-100, None, -50)
    assert sorted([None, swept, known, sweep], key=rank_of) == [None, swept, sweep, known]
