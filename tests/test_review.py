"""Reviews of matches: what moves lost, with a player whose values are written down, and with real ones."""

from collections.abc import Mapping
from typing import ClassVar
from xml.etree import ElementTree as ET

import pytest
from nim import Nim

import boardgames
from boardgames.declarations import Unit
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
from boardgames.review import Review, end_look, plies_to_end, review
from boardgames.search import WIN

NIM, CONNECT4 = Nim(layout="hundred"), boardgames.load("connect4")
BLUNDER = Record("connect4", start="-", moves=("1", "2", "1", "2", "1", "3"))
"""Side 1 does not stop three in a column."""


class Written(Player):
    """Says of the positions of a match, one after another, what was written down.

    The move it likes is always to take two stones.
    """

    name: ClassVar[str] = "written"

    def __init__(self, game: Game, values: list[float], *, unit: Unit = "centimarble") -> None:
        super().__init__(game)
        self.values, self.unit = values, unit
        self.by_depth: dict[int, Mapping[int, float]] = {}
        self.proven: set[int] = set()
        self.histories: list[tuple[Position, ...]] = []
        self.stops_at = -1

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Never asked."""
        raise NotImplementedError

    def analyse(
        self,
        position: Position,
        limit: Limit = NO_LIMIT,
        context: Context = NO_CONTEXT,
        *,
        lines: int | None = None,
    ) -> Analysis:
        """Return the next value."""
        assert lines == 1
        ply = len(self.histories)
        self.histories.append(context.history)
        if ply == self.stops_at and context.stop is not None:
            context.stop.set()
        depths = self.by_depth.get(ply, {4: self.values[ply]})
        for depth, value in depths.items():
            assert context.report is not None
            context.report(Choice(None, value, self.unit, depth=depth))
        value, proven = self.values[ply], ply in self.proven
        move = self.game.parse_move(position, "take2")
        found = (MoveValue(move, value, proven, (move,)),)
        return Analysis(position, value, self.unit, proven, found, max(depths), 10, 0.1)


def nim(moves: str, game: Game = NIM) -> Record:
    return Record("nim", start=str(game.start()), moves=tuple(f"take{stones}" for stones in moves))


def reviewed(moves: str, *values: float, unit: Unit = "centimarble", game: Game = NIM) -> Review:
    return review(nim(moves, game), Written(game, list(values), unit=unit))


def losses(found: Review) -> list[float]:
    return [ply.loss for ply in found.plies]


# --- what a move lost ----------------------------------------------------------------


def test_a_move_loses_the_best_value_less_that_of_the_other_side_after_it() -> None:
    assert losses(reviewed("11", 30.0, -10.0, -40.0)) == [20.0, 0.0]


def test_the_best_move_loses_nothing_whatever_is_seen_later() -> None:
    assert losses(reviewed("2", 300.0, 300.0)) == [0.0]


def test_a_side_that_moves_again_keeps_its_view() -> None:
    game = Nim(layout="hundred", again=True)
    assert losses(reviewed("1", 30.0, 10.0, game=game)) == [20.0]


def test_values_are_compared_where_both_searches_saw_equally_far() -> None:
    player = Written(NIM, [10.0, 50.0])
    player.by_depth = {0: {4: 10.0}, 1: {2: 0.0, 3: -8.0, 4: 50.0}}
    found = review(nim("1"), player)
    assert (found.plies[0].value, found.plies[0].loss) == (8.0, 2.0)
    assert found.values_for_side(0) == (10.0, -50.0)


def test_what_is_proven_counts_as_it_is() -> None:
    player = Written(NIM, [10.0, 50.0])
    player.by_depth, player.proven = {1: {3: -8.0, 4: 50.0}}, {1}
    assert losses(review(nim("1"), player)) == [60.0]


def test_a_longer_win_is_no_mistake() -> None:
    assert losses(reviewed("1", WIN - 3, -(WIN - 9))) == [0.0]


def test_a_win_thrown_away_counts_as_the_bound() -> None:
    found = reviewed("1", WIN - 3, 0.0)
    assert losses(found) == [found.bound] == [1000.0]
    assert found.plies[0].mark == "??"


def test_where_a_unit_has_no_bound_twice_the_largest_open_value_is_it() -> None:
    found = reviewed("11", WIN - 3, -40.0, WIN - 5, unit="sum")
    assert found.bound == 80.0
    assert losses(found) == [40.0, 40.0]


@pytest.mark.parametrize(
    ("unit", "loss", "mark"),
    [
        ("return", 0.1, ""),
        ("return", 0.2, "?"),
        ("return", 0.5, "??"),
        ("centimarble", 50.0, "?"),
        ("centimarble", 150.0, "??"),
        ("cell", 1.9, ""),
        ("cell", 4.0, "??"),
        ("sum", 99.0, ""),
    ],
)
def test_marks_follow_the_unit(unit: Unit, loss: float, mark: str) -> None:
    assert reviewed("1", loss, 0.0, unit=unit).plies[0].mark == mark


def test_values_are_for_one_side_all_the_way() -> None:
    assert reviewed("11", 1.0, 1.0, 1.0).values_for_side(0) == (1.0, -1.0, 1.0)
    assert reviewed("11", 1.0, 1.0, 1.0).values_for_side(1) == (-1.0, 1.0, -1.0)


def test_odd_and_even_depths_are_evened() -> None:
    player = Written(NIM, [10.0, 0.0])
    player.by_depth = {0: {2: 0.0, 3: -30.0, 4: 10.0}}
    assert review(nim("1"), player).looks[0].evened_for_side(0) == -10.0


# --- mistakes and means --------------------------------------------------------------


def test_mistakes_are_the_marked_moves_worst_first() -> None:
    found = reviewed("1111", 60.0, 10.0, 200.0, 20.0, 0.0)
    assert losses(found) == [70.0, 210.0, 220.0, 20.0]
    assert [ply.number for ply in found.mistakes()] == [3, 2, 1]
    assert [ply.number for ply in found.mistakes(1)] == [3]


def test_without_a_scale_whatever_lost_is_a_mistake() -> None:
    assert [ply.number for ply in reviewed("12", 0.5, 0.0, 0.0, unit="sum").mistakes()] == [1]


def test_the_mean_loss_is_that_of_a_side() -> None:
    found = reviewed("121", 60.0, -10.0, 10.0, 0.0)
    assert (found.mean_loss(0), found.mean_loss(1)) == (30.0, 0.0)
    assert reviewed("1", 0.0, 0.0).mean_loss(1) is None


# --- ends ----------------------------------------------------------------------------


def test_an_end_is_exact_and_not_searched() -> None:
    seven = Nim()
    player = Written(seven, [0.0, 0.0, 0.0, 5.0])
    found = review(nim("2122", seven), player)
    assert len(player.histories) == 4
    assert found.looks[-1].proven
    assert found.values_for_side(0)[-1] == -WIN


def test_where_cells_are_counted_an_end_is_the_margin() -> None:
    game = boardgames.load("hexifence", dimension=2)
    position = game.start()
    while position.outcome is None:
        position = position.apply(position.legal_moves[0])
    margin = position.score[0] - position.score[1]
    assert margin
    assert end_look(position, "cell").value_for_side(0) == margin
    assert abs(end_look(position, "return").value_for_side(0)) == 1.0


def test_a_match_that_was_resigned_is_searched_to_its_last_position() -> None:
    record = Record("connect4", start="-", moves=("4", "4"), outcome=Outcome(0, Termination.RESIGNATION))
    found = review(record, boardgames.load_player("alphabeta", CONNECT4), Limit(depth=2))
    assert found.is_complete
    assert not found.looks[-1].proven


@pytest.mark.parametrize(("value", "plies"), [(WIN - 7, 7), (-WIN, 0), (1.0, None), (-9000.0, None)])
def test_only_a_decided_value_tells_plies(value: float, plies: int | None) -> None:
    assert plies_to_end(value) == plies


# --- what a player is asked ------------------------------------------------------------


def test_a_real_player_finds_the_blunder_and_the_better_move() -> None:
    found = review(BLUNDER, boardgames.load_player("alphabeta", CONNECT4), Limit(depth=3))
    worst = found.mistakes()[0]
    assert (worst.number, worst.side, str(worst.best), worst.mark) == (6, 1, "1", "??")
    assert found.unit == "return"


def test_every_position_is_looked_at_for_itself() -> None:
    player = Written(NIM, [0.0, 0.0, 0.0])
    review(nim("12"), player)
    assert player.histories == [(), (), ()]


def test_to_come_back_to_a_position_is_no_draw() -> None:
    ahead = "...../....../......./...bbb../...bbb.../...bbb../......./.ww.../.ww..:b:0:4"
    game = boardgames.load("abalone")
    record = Record("abalone", start=ahead, moves=("f7f8", "b3b4", "f8f7", "b4b3") * 2)
    found = review(record, boardgames.load_player("alphabeta", game), Limit(depth=3))
    assert min(found.values_for_side(0)) > 300


def test_a_stop_leaves_what_is_known() -> None:
    player = Written(NIM, [0.0] * 9)
    player.stops_at = 2
    found = review(nim("1" * 8), player, context=Context(stop=Stop()))
    assert (len(found.looks), len(found.plies), found.is_complete) == (2, 1, False)


def test_a_stop_at_once_leaves_the_start() -> None:
    player = Written(NIM, [0.0] * 9)
    player.stops_at = 0
    found = review(nim("1" * 8), player, context=Context(stop=Stop()))
    assert (len(found.looks), found.plies, found.mean_loss(0)) == (1, (), None)


def test_a_move_that_is_none_is_told_before_anything_is_searched() -> None:
    player = Written(NIM, [0.0] * 3)
    with pytest.raises(RecordError, match=r"ply 2, token 'take9'"):
        review(nim("19"), player)
    assert player.histories == []


def test_a_match_of_another_game_is_refused() -> None:
    with pytest.raises(RecordError, match="expected a match of nim: 'connect4'"):
        review(BLUNDER, Written(NIM, []))


def test_a_player_without_values_is_refused() -> None:
    with pytest.raises(OptionError, match="values moves"):
        review(BLUNDER, boardgames.load_player("random", CONNECT4))


def test_a_notebook_shows_the_chart() -> None:
    found = review(BLUNDER, boardgames.load_player("alphabeta", CONNECT4), Limit(depth=2))
    label = ET.fromstring(found._repr_svg_()).get("aria-label")  # our own text
    assert label is not None
    assert label.startswith("? (red) - ? (blue) *: values in returns")
    assert label.endswith("ply 6, blue 3??, better 1")
