"""Reviews of matches, with a player whose scores are scripted and with real ones."""

from collections.abc import Mapping
from typing import ClassVar
from xml.etree import ElementTree as ET

import pytest
from nim import Nim

import boardgames
from boardgames.errors import OptionError, RecordError
from boardgames.game import Game, Outcome, Position, Termination
from boardgames.player import (
    NO_CONTEXT,
    NO_LIMIT,
    Analysis,
    Choice,
    Context,
    Limit,
    MoveValue,
    Player,
    Stop,
)
from boardgames.record import Record
from boardgames.review import Review, review, review_end
from boardgames.score import RETURN, Score, Unit

NIM, CONNECT4 = Nim(layout="hundred"), boardgames.load("connect4")
BY_SCORE = boardgames.load("abalone", limit="score")
BLUNDER = Record("connect4", start="-", moves=("1", "2", "1", "2", "1", "3"))
"""Side 1 does not stop three in a column."""
POINT = Unit("point", "points", half_return=2.0)


def score(value: Score | float, unit: Unit = POINT) -> Score:
    return value if isinstance(value, Score) else Score.of(value, unit)


class Scripted(Player):
    """Player with scripted scores for the positions of a match; its best move always takes two stones."""

    name: ClassVar[str] = "scripted"

    def __init__(self, game: Game, values: list[Score | float], *, unit: Unit = POINT) -> None:
        super().__init__(game)
        self.values, self.unit = values, unit
        self.by_depth: dict[int, Mapping[int, float]] = {}
        self.proven: set[int] = set()
        self.histories: list[tuple[Position, ...]] = []
        self.stops_at = -1

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Do nothing; a review never calls this."""
        raise NotImplementedError

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the next score of the script."""
        assert lines == 1
        ply = len(self.histories)
        self.histories.append(context.history)
        if ply == self.stops_at and context.stop is not None:
            context.stop.set()
        depths = self.by_depth.get(ply, {4: self.values[ply]})
        for depth, value in depths.items():
            assert context.report is not None
            context.report(Choice(None, score(value, self.unit), depth=depth))
        own, proven = score(self.values[ply], self.unit), ply in self.proven
        move = self.game.parse_move(position, "take2")
        moves = (MoveValue(move, own, proven, (move,)),)
        return Analysis(position, own, self.unit, proven, moves, max(depths), 10, 0.1)


def nim(moves: str, game: Game = NIM) -> Record:
    return Record("nim", start=str(game.start()), moves=tuple(f"take{stones}" for stones in moves))


def reviewed(moves: str, *values: Score | float, unit: Unit = POINT, game: Game = NIM) -> Review:
    return review(nim(moves, game), Scripted(game, list(values), unit=unit))


def losses(result: Review) -> list[float]:
    return [move.loss for move in result.moves]


# --- losses ---


def test_loss_is_the_best_score_less_the_score_after_the_move() -> None:
    assert losses(reviewed("11", 3.0, -1.0, -4.0)) == [2.0, 0.0]


def test_the_best_move_loses_nothing_regardless_of_later_searches() -> None:
    assert losses(reviewed("2", 3.0, 3.0)) == [0.0]


def test_a_side_that_moves_again_keeps_its_point_of_view() -> None:
    game = Nim(layout="hundred", again=True)
    assert losses(reviewed("1", 3.0, 1.0, game=game)) == [2.0]


def test_scores_are_compared_at_the_same_horizon() -> None:
    player = Scripted(NIM, [1.0, 5.0])
    player.by_depth = {0: {4: 1.0}, 1: {2: 0.0, 3: -0.5, 4: 5.0}}
    result = review(nim("1"), player)
    assert (result.moves[0].score, result.moves[0].loss) == (score(0.5), 0.5)
    assert result.values_for_side(0) == (1.0, -5.0)


def test_a_proven_score_is_used_unchanged() -> None:
    player = Scripted(NIM, [1.0, 5.0])
    player.by_depth, player.proven = {1: {3: -0.5, 4: 5.0}}, {1}
    assert losses(review(nim("1"), player)) == [6.0]


def test_a_slower_win_is_not_a_mistake() -> None:
    result = reviewed("1", Score.win(3), Score.loss(8))
    assert losses(result) == [0.0]
    assert result.moves[0].score == Score.win(9)


def test_a_win_thrown_away_loses_the_bound_of_the_unit() -> None:
    result = reviewed("1", Score.win(3), 0.0)
    assert losses(result) == [POINT.bound] == [10.0]
    assert result.moves[0].mark == "??"


@pytest.mark.parametrize(
    ("move", "mark", "loss", "delay"),
    [("2", "", 0.0, 0), ("4", "?!", 0.0, 14), ("5", "?", 1.0, 0), ("1", "??", 2.0, 0)],
    ids=["best", "slower win", "draw instead of a win", "loss instead of a win"],
)
def test_exact_scores_mark_every_move_that_is_not_best(move: str, mark: str, loss: float, delay: int) -> None:
    start = str(CONNECT4.parse("366241373674445377651127"))
    (played,) = review(
        Record("connect4", start=start, moves=(move,)), boardgames.load_player("solver", CONNECT4)
    ).moves
    assert (played.mark, played.loss, played.delay) == (mark, loss, delay)


def test_a_sooner_loss_is_an_inaccuracy_if_scores_are_exact() -> None:
    start = str(CONNECT4.parse("36624137367444537765112712"))  # a loss in 16 plies
    (played,) = review(
        Record("connect4", start=start, moves=("5",)), boardgames.load_player("solver", CONNECT4)
    ).moves
    assert (played.mark, played.loss, played.delay) == ("?!", 0.0, 6)


def test_searches_do_not_mark_slower_wins() -> None:
    start = str(CONNECT4.parse("312452531116774732431353"))  # 2 and 5 win at once, 4 wins in 3 plies
    player = boardgames.load_player("alphabeta", CONNECT4)
    (played,) = review(Record("connect4", start=start, moves=("4",)), player, Limit(depth=6)).moves
    assert (played.mark, played.delay) == ("", 0)


def test_amounts_above_the_bound_are_clipped() -> None:
    assert losses(reviewed("1", 50.0, -9.0)) == [1.0]


def test_margins_of_hexifence_are_never_clipped() -> None:
    evaluation = boardgames.load("hexifence").evaluation
    assert evaluation.unit.bound == evaluation.bound - 1


@pytest.mark.parametrize(
    ("name", "loss", "mark"),
    [
        ("connect4", 0.09, ""),
        ("connect4", 0.1, "?!"),
        ("connect4", 0.2, "?"),
        ("connect4", 0.5, "??"),
        ("abalone", 0.24, ""),
        ("abalone", 0.25, "?!"),
        ("abalone", 0.5, "?"),
        ("abalone", 1.5, "??"),
        ("hexifence", 0.9, ""),
        ("hexifence", 1.9, "?!"),
        ("hexifence", 2.0, "?"),
        ("hexifence", 4.0, "??"),
    ],
)
def test_marks_follow_the_unit_of_the_game(name: str, loss: float, mark: str) -> None:
    unit = boardgames.load(name).evaluation.unit
    assert reviewed("1", loss, 0.0, unit=unit).moves[0].mark == mark


def test_values_are_all_for_one_side() -> None:
    assert reviewed("11", 1.0, 1.0, Score.win(7)).values_for_side(0) == (1.0, -1.0, 10.0)
    assert reviewed("11", 1.0, 1.0, Score.win(7)).values_for_side(1) == (-1.0, 1.0, -10.0)


@pytest.mark.parametrize("side", [0, 1])
def test_scores_of_odd_and_even_depths_are_averaged(side: int) -> None:
    player = Scripted(NIM, [1.0, 0.0])
    player.by_depth = {0: {2: 0.0, 3: -3.0, 4: 1.0}}
    expected = -1.0 if side == 0 else 1.0
    assert review(nim("1"), player).positions[0].smoothed_for_side(side) == expected


# --- mistakes ---


def test_mistakes_are_sorted_worst_first_without_inaccuracies() -> None:
    result = reviewed("11111", 0.6, 0.1, 2.0, 0.2, 0.0, 0.25)
    assert losses(result) == pytest.approx([0.7, 2.1, 2.2, 0.2, 0.25])
    assert [move.mark for move in result.moves] == ["?", "??", "??", "", "?!"]
    assert [move.number for move in result.mistakes()] == [3, 2, 1]
    assert [move.number for move in result.mistakes(1)] == [3]


def test_marks_are_counted_for_each_side() -> None:
    result = reviewed("11111", 0.6, 0.1, 2.0, 0.2, 0.0, 0.25)
    assert result.marks(0) == {"?": 1, "??": 1, "?!": 1}
    assert result.marks(1) == {"??": 1}


def test_mean_loss_is_over_the_moves_of_a_side() -> None:
    result = reviewed("121", 6.0, -1.0, 1.0, 0.0)
    assert (result.mean_loss(0), result.mean_loss(1)) == (3.0, 0.0)
    assert reviewed("1", 0.0, 0.0).mean_loss(1) is None


# --- finished positions ---


def test_the_end_of_a_match_is_exact_and_not_searched() -> None:
    seven = Nim()
    player = Scripted(seven, [0.0, 0.0, 0.0, 5.0])
    result = review(nim("2122", seven), player)
    assert len(player.histories) == 4
    assert result.positions[-1].proven
    assert result.positions[-1].score_for_side(1) == Score.win(0)


def test_a_margin_is_the_score_at_the_end_where_the_unit_counts_it() -> None:
    game = boardgames.load("hexifence", dimension=2)
    position = game.start()
    while position.outcome is None:
        position = position.apply(position.legal_moves[0])
    margin = position.score[0] - position.score[1]
    assert margin
    assert review_end(position, game.evaluation.unit).score_for_side(0).amount == margin
    assert review_end(position, RETURN).score_for_side(0) == (Score.win(0) if margin > 0 else Score.loss(0))


def test_a_resigned_match_is_searched_to_its_last_position() -> None:
    record = Record("connect4", start="-", moves=("4", "4"), outcome=Outcome(0, Termination.RESIGNATION))
    result = review(record, boardgames.load_player("alphabeta", CONNECT4), Limit(depth=2))
    assert result.is_complete
    assert not result.positions[-1].proven


# --- requests to the player ---


def test_a_real_player_finds_the_blunder_and_the_better_move() -> None:
    result = review(BLUNDER, boardgames.load_player("alphabeta", CONNECT4), Limit(depth=3))
    worst = result.mistakes()[0]
    assert (worst.number, worst.side, str(worst.best), worst.mark) == (6, 1, "1", "??")
    assert worst.score == Score.loss(2)
    assert result.unit is RETURN


def test_each_position_is_analysed_without_its_history() -> None:
    player = Scripted(NIM, [0.0, 0.0, 0.0])
    review(nim("12"), player)
    assert player.histories == [(), (), ()]


def test_a_repeated_position_is_not_scored_as_a_draw() -> None:
    ahead = "...../....../......./...bbb../...bbb.../...bbb../......./.ww.../.ww..:b:0:4"
    game = boardgames.load("abalone")
    record = Record("abalone", start=ahead, moves=("f7f8", "b3b4", "f8f7", "b4b3") * 2)
    result = review(record, boardgames.load_player("alphabeta", game), Limit(depth=3))
    assert min(result.values_for_side(0)) > 3


def test_stopping_keeps_the_positions_analysed_so_far() -> None:
    player = Scripted(NIM, [0.0] * 9)
    player.stops_at = 2
    result = review(nim("1" * 8), player, context=Context(stop=Stop()))
    assert (len(result.positions), len(result.moves), result.is_complete) == (2, 1, False)


def test_stopping_immediately_keeps_the_start() -> None:
    player = Scripted(NIM, [0.0] * 9)
    player.stops_at = 0
    result = review(nim("1" * 8), player, context=Context(stop=Stop()))
    assert (len(result.positions), result.moves, result.mean_loss(0)) == (1, (), None)


def test_an_illegal_move_is_reported_before_anything_is_searched() -> None:
    player = Scripted(NIM, [0.0] * 3)
    with pytest.raises(RecordError, match=r"ply 2, token 'take9'"):
        review(nim("19"), player)
    assert player.histories == []


def test_a_match_of_another_game_is_rejected() -> None:
    with pytest.raises(RecordError, match="a player of nim cannot review a match of connect4"):
        review(BLUNDER, Scripted(NIM, []))


def test_a_player_that_cannot_analyse_is_rejected() -> None:
    with pytest.raises(OptionError, match="does not evaluate moves"):
        review(BLUNDER, boardgames.load_player("random", CONNECT4))


def test_a_notebook_shows_the_chart() -> None:
    result = review(BLUNDER, boardgames.load_player("alphabeta", CONNECT4), Limit(depth=2))
    drawing = result._repr_svg_()
    assert drawing is not None
    label = ET.fromstring(drawing).get("aria-label")  # our own text
    assert label is not None
    assert label.startswith("? (red) - ? (blue) *: scores as chances of winning, by ")
    assert label.endswith("ply 6, blue 3??, better 1")


def test_a_match_that_ended_at_its_limit_is_reviewed_with_that_limit() -> None:
    board = "...../....../......./......../wbb....bw/......../......./....w./....."
    record = Record(
        "abalone", start=f"{board}:b:2:2", moves=("e3d3", "e9f9"), options={"limit": "score"},
        outcome=Outcome(None, Termination.PLY_LIMIT),
    )  # fmt: skip
    player = boardgames.load_player("alphabeta:depth=4", BY_SCORE)
    reviewed = review(record, player)
    assert [one.score for one in reviewed.positions[:2]] == [
        Score.win(2),
        Score.of(0.0, BY_SCORE.evaluation.unit),
    ]
    assert all(one.proven for one in reviewed.positions)
    assert [move.mark for move in reviewed.moves] == ["??", ""]
